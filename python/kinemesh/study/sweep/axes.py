"""Axes of a sweep: keys of a case with their values, and the dimensions of the result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several
from kinemesh.cases.changes import path_of_key, ranged
from kinemesh.errors import CaseError, did_you_mean

SAMPLES = ("latin-hypercube",)
MIXED = ("mesh.nodes",)  # keys that take numbers and texts
# Names that `.sel(...)` of xarray has arguments of, and what a dimension is called in their place.
RENAMED = {"method": "solver", "deform.method": "deform"}
TAKEN = ("method", "tolerance", "drop", "indexers")
NOT_SWEPT = {"run.out": "a sweep has one folder, out"}


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension of a sweep.

    Parameters
    ----------
    name : of the dimension
    keys : keys of the case that vary along it
    values : for each entry of the dimension, the value of each key
    """

    name: str
    keys: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Axes:
    """All that a sweep varies: a row per combination of entries of its axes.

    Parameters
    ----------
    axes : dimensions, the last varies fastest
    names : name of each key in the result: its last word, or the whole key
    seed : of the sample; None where nothing was sampled
    """

    axes: tuple[Axis, ...]
    names: dict[str, str]
    seed: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis.values) for axis in self.axes)

    def at(self, index: Sequence[int]) -> dict[str, Any]:
        """Keys and values of the row at an index."""
        each = zip(self.axes, index, strict=True)
        return {k: v for a, i in each for k, v in zip(a.keys, a.values[i], strict=True)}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Keys and values of every row, in order."""
        return (self.at(index) for index in np.ndindex(self.shape))

    def coordinates(self) -> dict[str, tuple[str, NDArray[Any]]]:
        """For each name of the result its dimension and its values along it."""
        found: dict[str, tuple[str, NDArray[Any]]] = {}
        for axis in self.axes:
            if axis.name not in (self.names[key] for key in axis.keys):
                found[axis.name] = (axis.name, np.arange(len(axis.values)))
            for key, column in zip(axis.keys, zip(*axis.values, strict=True), strict=True):
                found[self.names[key]] = (axis.name, _coordinate(column))
        return found


def told(row: Mapping[str, Any]) -> str:
    """A row in words: `flow.mach = 0.7, motion.pitch.k = 0.1`."""
    return ", ".join(f"{key} = {value!r}" for key, value in row.items())


def axes_of(
    over: Any,
    zip: Any = None,
    sample: Any = None,
    n: Any = None,
    seed: Any = None,
    taken: Sequence[str] = (),
) -> Axes:
    """Axes from a user's arguments; see `kinemesh.sweep`.

    Parameters
    ----------
    taken : names that keys must not have in the result

    Raises
    ------
    CaseError    no key or no value, values of different kinds, a value that stands twice, keys of
        `zip` that are unknown or of different length, arguments that contradict each other
    """
    lists = _lists(over)
    names = _names(lists, taken)
    if sample is not None:
        if zip is not None:
            raise CaseError("sweep: zip has no meaning with sample, which varies all keys at once")
        return Axes((_sampled(lists, sample, n, seed),), names, 0 if seed is None else seed)
    for name, value in (("n", n), ("seed", seed)):
        if value is not None:
            raise CaseError(f"sweep: {name} = {value!r} has no meaning without sample")
    for key, values in lists.items():
        _refuse_mixed(key, values)
    groups = _zipped(lists, zip)
    order: list[tuple[str, ...]] = []
    for key in lists:
        group = next((g for g in groups if key in g), (key,))
        if group not in order:
            order.append(group)
    axes = [_axis(group, lists, names[group[0]]) for group in order]
    return Axes(tuple(axes), names)


def _lists(over: Any, before: str = "") -> dict[str, list[Any]]:
    """Values of each key; nested tables, as TOML makes them of dotted keys, are one key each.

    `before` is what the keys begin with.
    """
    if not isinstance(over, Mapping) or not over:
        raise CaseError(
            f"sweep: over is {over!r}, expected keys of the case with their values, such as "
            '{"flow.mach": [0.6, 0.7]}'
        )
    found: dict[str, list[Any]] = {}
    for name, values in over.items():
        key = f"{before}{name}" if isinstance(name, str) else name
        if isinstance(values, Mapping):
            for deeper, several in _lists(values, f"{key}.").items():
                _refuse_twice(deeper, found)
                found[deeper] = several
            continue
        if not isinstance(key, str) or not path_of_key(key):
            raise CaseError(f"sweep: {key!r} is no key of a case, expected one such as flow.mach")
        if key in NOT_SWEPT:
            raise CaseError(f"sweep: {key} cannot vary: {NOT_SWEPT[key]}")
        _refuse_twice(key, found)
        if isinstance(values, str) and (between := ranged(values, f"sweep: {key}")):
            values = between
        if not is_several(values):
            raise CaseError(
                f"sweep: {key} is {values!r}, expected a list of values, or a range such as "
                '"0.6:0.8:5"'
            )
        found[key] = [_plain(value) for value in values]
        if not found[key]:
            raise CaseError(f"sweep: {key} has an empty list, expected at least one value")
        _refuse_long(key, found[key])
    return found


def _refuse_twice(key: str, keys: Iterable[str]) -> None:
    """CaseError where a key is, holds, or is in one of the others, whose values it would hide."""
    path = path_of_key(key)
    for other in keys:
        there = path_of_key(other)
        short = min(len(path), len(there))
        if path[:short] == there[:short]:
            raise CaseError(
                f"sweep: {other} and {key} give values for one key of the case, expected each "
                "key once"
            )


def _refuse_long(key: str, values: Sequence[Any]) -> None:
    """Raise CaseError for whole numbers beyond the 64 bits of a result."""
    for at, value in enumerate(values):
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise CaseError(
                f"sweep: {key}: entry {at} is {value}, expected a whole number of at most 64 bits"
            )


def _plain(value: Any) -> Any:
    """A value in the types of TOML."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(entry) for entry in value]
    return value


def _names(keys: Mapping[str, Any], taken: Sequence[str]) -> dict[str, str]:
    """Name of each key in the result: its last word, or the whole key where words coincide.

    The solver is `solver` and the deformation `deform`: `method` is an argument of xarray's `sel`.
    """
    last = {key: RENAMED.get(key, path_of_key(key)[-1]) for key in keys}
    words = [*last.values(), *taken, *TAKEN]
    return {key: word if words.count(word) == 1 else key for key, word in last.items()}


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, int | float):
        return "number"
    name = type(value).__name__
    return {"str": "text", "dict": "table"}.get(name, name)


def _refuse_mixed(key: str, values: Sequence[Any]) -> None:
    """CaseError where a value is of another kind than most others of the list."""
    kinds = [_kind(value) for value in values]
    most = max(kinds, key=kinds.count)
    odd = [i for i, kind in enumerate(kinds) if kind != most]
    if odd and key not in MIXED:
        raise CaseError(
            f"sweep: {key}: entry {odd[0]} is {values[odd[0]]!r}, a {kinds[odd[0]]}, expected a "
            f"{most} as the other entries are"
        )


def _zipped(lists: Mapping[str, Sequence[Any]], zip: Any) -> list[tuple[str, ...]]:
    """Groups of keys that vary together."""
    if zip is None:
        return []
    one = is_several(zip) and len(zip) > 0 and all(isinstance(key, str) for key in zip)
    groups = [tuple(zip)] if one else list(zip) if is_several(zip) else [zip]
    seen: set[str] = set()
    for group in groups:
        if not is_several(group) or len(group) < 2 or not all(isinstance(k, str) for k in group):
            raise CaseError(
                f"sweep: zip has {group!r}, expected groups of keys such as "
                '[("flow.mach", "motion.pitch.k")]'
            )
        for key in group:
            if key not in lists:
                hint = did_you_mean(key, lists, f"there are {', '.join(lists)}")
                raise CaseError(f"sweep: zip: no values of '{key}' in over{hint}")
            if key in seen:
                raise CaseError(f"sweep: zip: '{key}' stands twice")
            seen.add(key)
        lengths = {key: len(lists[key]) for key in group}
        if len(set(lengths.values())) > 1:
            each = ", ".join(f"{key} has {length}" for key, length in lengths.items())
            raise CaseError(f"sweep: zip: {each} values, expected as many of each")
    return [tuple(group) for group in groups]


def _axis(keys: tuple[str, ...], lists: Mapping[str, Sequence[Any]], name: str) -> Axis:
    values = tuple(zip(*(lists[key] for key in keys), strict=True))
    seen: dict[str, int] = {}
    for at, entry in enumerate(values):
        text = json.dumps(_equal(entry), default=str, sort_keys=True)
        if text in seen:
            which = told(dict(zip(keys, entry, strict=True)))
            raise CaseError(
                f"sweep: {which} stands twice (entries {seen[text]} and {at}): two cases with one "
                "name"
            )
        seen[text] = at
    return Axis(name, keys, values)


def _equal(value: Any) -> Any:
    """A value in which equal numbers are one: 1.0 is 1, and -0.0 is 0."""
    if isinstance(value, list | tuple):
        return [_equal(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _equal(entry) for key, entry in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sampled(lists: Mapping[str, Sequence[Any]], sample: Any, n: Any, seed: Any) -> Axis:
    """Points of a sample within the ranges of the keys."""
    from scipy.stats import qmc

    if sample not in SAMPLES:
        raise CaseError(f"sweep: sample is {sample!r}, expected {' or '.join(SAMPLES)}")
    for name, value, least in (("n", n, 1), ("seed", 0 if seed is None else seed, 0)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < least:
            raise CaseError(
                f"sweep: {name} is {value!r}, expected an integer of at least {least} with sample"
            )
    for key, values in lists.items():
        numbers = all(_kind(value) == "number" for value in values)
        if len(values) != 2 or not numbers or not -np.inf < values[0] < values[1] < np.inf:
            raise CaseError(
                f"sweep: {key} is {values!r}, expected a range [low, high] of numbers with sample"
            )
    low, high = np.array([*lists.values()], float).T
    points = qmc.LatinHypercube(len(lists), seed=0 if seed is None else int(seed)).random(int(n))
    return Axis("case", tuple(lists), tuple(map(tuple, qmc.scale(points, low, high).tolist())))


def _coordinate(values: Sequence[Any]) -> NDArray[Any]:
    """Values along a dimension: truth values, whole numbers, numbers, or texts."""
    kinds = {_kind(value) for value in values}
    if kinds in ({"number"}, {"truth value"}):
        return np.array(values)
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return np.array(texts, object)
