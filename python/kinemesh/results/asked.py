"""Conditions of the members of a case: constant ones, varying ones, and both in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SHOWN = ("mach", "alpha_deg", "k", "omega", "amplitude_deg", "amplitude")  # though they be alike


def varying(told: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the conditions to show: the usual ones, and those that vary over the members."""
    names = dict.fromkeys(name for row in told for name in row)
    always = [n for n in names if any(n == s or n.endswith(f"_{s}") for s in SHOWN)]
    return always + [n for n in names if n not in always and len(values(told, n)) > 1]


def values(told: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    """Distinct values of a condition, sorted; members without it are left out."""
    there = {row[name] for row in told if row.get(name) is not None}
    return sorted(there, key=lambda value: (isinstance(value, str), value))


def in_words(told: Sequence[Mapping[str, Any]]) -> str:
    """Conditions of all members in a line: `mach 0.5 to 0.7, alpha_deg 0`."""
    words = []
    for name in varying(told):
        each = values(told, name)
        if isinstance(each[-1], str):
            words.append(f"{name} {', '.join(map(str, each))}")
            continue
        low, high = each[0], each[-1]
        words.append(f"{name} {low:g}" if low == high else f"{name} {low:g} to {high:g}")
    return ", ".join(words)
