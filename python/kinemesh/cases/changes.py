"""Keys of a case file from the shell: one value, flow.mach=0.6, or several, flow.mach=0.6,0.7."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from kinemesh.cases.motions import located
from kinemesh.cases.sources import is_file
from kinemesh.cases.values import bare_number
from kinemesh.errors import CaseError
from kinemesh.io.paths import expanded

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
WHOLE = re.compile(r"[-+]?\d+")
FINENESS = {
    *("nodes", "points", "cloud", "around", "topology", "cells", "heights", "layers", "growth"),
    *("wall_spacing", "y_plus", "edge_spacing", "trailing_spacing", "spacing", "core", "sizes"),
    *("far_field", "upstream", "height", "extruded", "along", "across"),
}
"""Keys of [mesh] that change a mesh, and not what it is about."""
WORD = re.compile(r"[A-Za-z_./~][^\s\"'\[\]{}=,#]*")  # a text that needs no quotes


def changed(table: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """The tables of a case file with each `KEY=VALUE` of `changes` in them.

    A key goes by its tables, such as motion.pitch.k.  A value is one of TOML; a word that is none
    is a text.  A key of [run] has its value in every size of [run.sizes], too.

    Raises
    ------
    CaseError    what is no such change, a key given twice, a key of what is no table
    """
    made, seen = dict(table), set()
    for change in changes:
        path, value = _parsed(change)
        if path in seen:
            raise CaseError(f"--set {change}: {'.'.join(path)} is given twice")
        seen.add(path)
        value = _absolute(path, value)
        made = with_value(made, path, value, f"--set {change}")
        if path[:1] == ("run",) and len(path) == 2 and path[1] != "sizes":
            made["run"] = _without(made["run"], path[1])
    return made


def keeps_title(change: str) -> bool:
    """True of a `KEY=VALUE` that a title tells nothing of: how fine, how long, by what settings."""
    table, *keys = _parsed(change)[0]
    return table in ("run", "solver", "deform") or (table == "mesh" and {*keys[:1]} <= FINENESS)


def _without(run: dict[str, Any], key: str) -> dict[str, Any]:
    """A table [run] whose sizes do not have a key."""
    sizes = run.get("sizes")
    if not isinstance(sizes, Mapping):
        return run
    kept = {
        name: {k: v for k, v in own.items() if k != key} if isinstance(own, Mapping) else own
        for name, own in sizes.items()
    }
    return {**run, "sizes": kept}


def _absolute(path: tuple[str, ...], value: Any) -> Any:
    """The value of a key; a file of [mesh], a part or a motion starts where the change is given."""
    if "motion" in path:
        keys = path[path.index("motion") + 1 :]
        made = located(reduce(lambda own, key: {key: own}, reversed(keys), value), Path.cwd())
        return reduce(getitem, keys, made)
    of_mesh = path[:1] == ("mesh",) and len(path) == 2
    of_part = path[:1] == ("parts",) and len(path) == 3
    if (of_mesh or of_part) and isinstance(value, str) and is_file(path[-1], value):
        return str(expanded(value).absolute())
    return value


def with_value(table: Any, path: Sequence[str], value: Any, told: str) -> dict[str, Any]:
    """Copy of a table with a value at a path; errors begin with `told`."""
    if not isinstance(table, Mapping):
        raise CaseError(f"{told}: {path[0]} would be a key of {table!r}, which is no table")
    if len(path) == 1:
        return {**table, path[0]: value}
    return {**table, path[0]: with_value(table.get(path[0], {}), path[1:], value, told)}


def several(change: str) -> tuple[str, list[Any]]:
    """Key and values of `KEY=VALUE,VALUE,...`, as an option --over gives them.

    Values are those of `changed`: of TOML, or words; and ranges such as 0.6:0.8:5.

    Raises
    ------
    CaseError    what is no such list
    """
    told = f"--over {change}"
    path, text = _parts(change, told, "KEY=VALUE,VALUE, such as flow.mach=0.6,0.7")
    try:
        values = tomllib.loads(f"values = [{text}]")["values"]
    except (ValueError, RecursionError):  # with words, or ranges: naca0012,naca2412
        parts = [part.strip() for part in text.split(",")]
        values = [v for p in parts for v in ranged(p, told) or [_value(p, told)]]
    values = [_absolute(path, value) for value in values]
    return change.partition("=")[0].strip(), values


def ranged(text: str, told: str) -> list[float] | list[int]:
    """Values of a range low:high:count, both ends among them; none where a text is no range.

    They are whole where the ends and the steps are.

    Raises
    ------
    CaseError    a range of fewer than two values, or with ends that are equal
    """
    words = text.split(":")
    if len(words) < 2 or not all(NUMBER.fullmatch(word.strip()) for word in words):
        return []
    low, high = float(words[0]), float(words[1])
    if len(words) != 3 or not words[2].strip().isdigit() or int(words[2]) < 2 or low == high:
        raise CaseError(
            f"{told}: {text} is no range, expected low:high:count such as 0.6:0.8:5, which is 0.6, "
            "0.65, 0.7, 0.75, 0.8; the count is a whole number of at least 2"
        )
    last = int(words[2]) - 1
    values = [float(f"{low + (high - low) * n / last:.12g}") for n in range(last)] + [high]
    whole = all(WHOLE.fullmatch(word.strip()) for word in words[:2])
    if whole and all(value.is_integer() for value in values):
        return [int(value) for value in values]
    return values


def _parsed(change: str) -> tuple[tuple[str, ...], Any]:
    """Path and value of KEY=VALUE."""
    told = f"--set {change}"
    path, text = _parts(change, told, "KEY=VALUE, such as flow.mach=0.6")
    return path, _value(text, told)


def _parts(change: str, told: str, expected: str) -> tuple[tuple[str, ...], str]:
    """Path before the sign of equality, text behind it."""
    key, found, text = change.partition("=")
    path = path_of_key(key.strip())
    if not found or not path or "\n" in change:
        raise CaseError(f"{told}: expected {expected}")
    return path, text.strip()


def _value(text: str, told: str) -> Any:
    """A value of TOML, or a word."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError) as error:
        if bare := bare_number(text):
            raise CaseError(f"{told}: {bare.partition(': ')[2]}") from None
        if WORD.fullmatch(text):
            return text
        raise CaseError(
            f"{told}: {text or 'nothing'} is no value of TOML ({error}), expected one such "
            'as 0.6, true, "text" or [0.25, 0.0]'
        ) from None


def path_of_key(key: str) -> tuple[str, ...]:
    """Names of a dotted key; none where it is no key."""
    try:
        tables: Any = tomllib.loads(f"{key} = 0")
    except (ValueError, RecursionError):
        return ()
    path = []
    while isinstance(tables, dict):
        ((name, tables),) = tables.items()
        path.append(name)
    return tuple(path)
