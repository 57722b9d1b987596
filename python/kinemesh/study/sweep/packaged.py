"""Installed packages whose solvers and conditions the cases of a sweep have.

They are found from the tables of the base case and from the values that vary, before a case is
made of each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

from kinemesh import packages
from kinemesh.cases.changes import path_of_key, with_value
from kinemesh.cases.values import OF_INPUT
from kinemesh.flow import registry
from kinemesh.space.conditions import table
from kinemesh.study.sweep.axes import Axes

PARTS = ("method", "mesh", "parts")  # of a case, in which solvers and conditions are named


def used(tables: dict[str, Any], axes: Axes) -> dict[str, dict[str, Any]]:
    """Packages by name, as of `packages.told`; {} where all is of kinemesh.

    Parameters
    ----------
    tables : of the base case
    """
    every = list(_variants(tables, axes))
    methods = dict.fromkeys(str(own["method"]) for own in every if "method" in own)
    kinds = dict.fromkeys(kind for own in every for kind in _kinds(own))
    found = [*map(registry.source_of, methods), *map(table.source_of, kinds)]
    return packages.told([one for one in found if one is not None])


def _variants(tables: dict[str, Any], axes: Axes) -> Iterator[dict[str, Any]]:
    """Tables of the base case, and those with each value that may name a solver or condition."""
    yield tables
    for axis in axes.axes:
        for key, values in zip(axis.keys, zip(*axis.values, strict=True), strict=True):
            path = path_of_key(key)
            for value in values if path[0] in PARTS else ():
                if isinstance(value, str | Mapping):
                    try:
                        yield with_value(tables, path, value, key)
                    except OF_INPUT:  # an impossible case
                        continue


def _kinds(tables: Mapping[str, Any]) -> Iterator[str]:
    """Kinds of conditions in all tables of boundaries."""
    for name, own in tables.items():
        if not isinstance(own, Mapping):
            continue
        if name != "boundaries":
            yield from _kinds(own)
            continue
        for value in own.values():
            kind = value.get("kind") if isinstance(value, Mapping) else value
            if isinstance(kind, str):
                yield kind


def versions_of(names: list[str]) -> dict[str, str]:
    """Versions of installed packages by name; "none" of one that is not there."""
    found = dict.fromkeys(names, "none")
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
