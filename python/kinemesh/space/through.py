"""Flow through inlets and outlets: mass flow, means over the mass that passes, drop and loss.

docs/theory.md, section 2.10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.conditions.base import Condition
from kinemesh.space.conditions.table import ends_of

Floats = NDArray[np.float64]


class Passing(NamedTuple):
    """Flow at the rows of a patch, into the fluid positive, and the state there.

    Parameters
    ----------
    mass : (rows,) mass flow
    pressure, total : (rows,) static and total pressure
    heat : (rows,) mass flow times total temperature, or None
    """

    mass: Floats
    pressure: Floats
    total: Floats
    heat: Floats | None


class End(NamedTuple):
    """Rows of a patch that are of an inlet's or an outlet's marker.

    Parameters
    ----------
    patch : name of the patch
    rows, member : (k,)     rows, and the member of each
    share : (k,)            of what passes at the row, that is the marker's
    enters : whether it is an inlet
    """

    patch: str
    rows: NDArray[np.int64]
    member: NDArray[np.int64]
    share: Floats
    enters: bool


def inlets_first(conditions: Mapping[str, Condition]) -> dict[str, Condition]:
    """Inlets and outlets of these conditions by marker, the inlets first."""
    return dict(sorted(ends_of(conditions).items(), key=lambda own: not own[1].enters))


def ends_on(
    volumes: Any, conditions: Mapping[str, Condition], patch_of: Mapping[str, str]
) -> dict[str, End]:
    """Inlets and outlets of a case by marker.

    Parameters
    ----------
    patch_of : {marker: name of its patch}, of all markers whose patches inlets and outlets are in
    """
    shares = _shares(volumes, patch_of)
    space, found = volumes.vertices, {}
    for marker, own in inlets_first(conditions).items():
        patch, rows, members = volumes.patches[patch_of[marker]], [], []
        for member, (first, of) in enumerate(zip(space.first, space.alike.of, strict=False)):
            nodes = np.unique(space.distinct[of].boundaries.get(marker, ())).astype(int)
            rows.append(volumes.rows(patch, first + nodes))
            members.append(np.full(len(rows[-1]), member))
        of_marker, which = np.concatenate(rows), np.concatenate(members)
        share = shares[marker][of_marker] if marker in shares else np.ones(len(of_marker))
        found[marker] = End(patch.name, of_marker, which, share, own.enters)
    return found


def _shares(volumes: Any, patch_of: Mapping[str, str]) -> dict[str, Floats]:
    """(rows of its patch,) share of each marker in what passes there, by the lengths of its edges.

    Rows of cells are of one marker each.
    """
    if volumes.on == "cells":
        return {}
    space, lengths = volumes.vertices, dict[str, Floats]()
    for marker, name in patch_of.items():
        patch = volumes.patches[name]
        lengths[marker] = np.zeros(len(patch))
        for first, of in zip(space.first, space.alike.of, strict=False):
            edges = space.distinct[of].boundaries.get(marker)
            if edges is None or not len(edges):
                continue
            x = space.distinct[of].points[edges]
            half = np.linalg.norm(x[:, 1] - x[:, 0], axis=-1)
            nodes, at = np.unique(edges, return_inverse=True)
            own = np.bincount(at.ravel(), np.repeat(half, 2))
            lengths[marker][volumes.rows(patch, first + nodes.astype(int))] += own
    whole: dict[str, Floats] = {}
    for marker, name in patch_of.items():
        whole[name] = whole.get(name, 0.0) + lengths[marker]
    return {marker: own / np.where(whole[patch_of[marker]] > 0, whole[patch_of[marker]], 1.0)
            for marker, own in lengths.items()}  # fmt: skip


def columns_of(conditions: Mapping[str, Condition], of_gas: bool) -> tuple[str, ...]:
    """Columns of histories that inlets and outlets add."""
    ends = inlets_first(conditions)
    names = ("mass_flow", "total_pressure", *(("total_temperature",) if of_gas else ()))
    found = [f"{name}_{marker}" for marker in ends for name in names]
    both = any(own.enters for own in ends.values()) and any(own.leaves for own in ends.values())
    return (*found, *(("pressure_drop", "loss") if both else ()))


def numbers_of(
    ends: Mapping[str, End], passing: Mapping[str, Passing], members: int, length: Floats | float
) -> dict[str, Floats]:
    """(members,) of each of `columns_of`; nan of a mean where nothing passes.

    Parameters
    ----------
    passing : by the name of the patch;  length : that mass flows are over
    """
    found: dict[str, Floats] = {}
    means: dict[bool, Floats] = {enters: np.zeros((3, members)) for enters in (True, False)}
    for marker, end in ends.items():
        at = passing[end.patch]

        def total(values: Floats, end: End = end) -> Floats:
            return np.bincount(end.member, end.share * values[end.rows], members).astype(float)

        size = np.abs(at.mass)
        passed = total(size)
        sums = np.stack([total(size * at.pressure), total(size * at.total), passed])
        means[end.enters] += sums
        found[f"mass_flow_{marker}"] = total(at.mass) / length
        found[f"total_pressure_{marker}"] = _over(sums[1], passed)
        if at.heat is not None:
            heat = total(np.sign(at.mass) * at.heat)
            found[f"total_temperature_{marker}"] = _over(heat, passed)
    if {end.enters for end in ends.values()} == {True, False}:
        (p, whole), (back, left) = (
            (_over(own[0], own[2]), _over(own[1], own[2])) for own in means.values()
        )
        found |= {"pressure_drop": p - back, "loss": _over(whole - left, whole - p)}
    return found


def against(
    ends: Mapping[str, End], passing: Mapping[str, Passing], members: int
) -> dict[str, Floats]:
    """(members,) share of what passes each marker that goes out of an inlet or into an outlet."""
    found = {}
    for marker, end in ends.items():
        into = end.share * passing[end.patch].mass[end.rows]
        wrong = np.maximum(-into if end.enters else into, 0.0)
        back, whole = (
            np.bincount(end.member, a, members).astype(float) for a in (wrong, np.abs(into))
        )
        found[marker] = np.nan_to_num(_over(back, whole))
    return found


def _over(a: Floats, b: Floats) -> Floats:
    """Return a / b, nan where b is 0."""
    found: Floats = np.full(np.shape(a), np.nan)
    return np.divide(a, b, out=found, where=b != 0)
