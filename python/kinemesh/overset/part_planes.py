"""Planes of symmetry of overset parts, which all parts share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import OversetError
from kinemesh.mesh.facets import area_vectors, lengths
from kinemesh.mesh.flats import ACROSS, THIN
from kinemesh.space.conditions.base import BODY, PLANE, RIM, Condition
from kinemesh.space.conditions.words import Wall

Floats = NDArray[np.float64]
Plane = tuple[str, str, Floats, float]  # part, marker, unit normal out of the fluid, place along it


def check_shared(parts: Any) -> None:
    """OversetError unless all parts end at each plane of symmetry that one of them ends at.

    A part of which a boundary lies in the plane must have a plane of symmetry there; walls of no
    part, and no node of the background, may lie beyond it.  Planes that their own part crosses,
    and markers that are not flat, are left to other checks.

    Parameters
    ----------
    parts : Parts
    """
    room = THIN * float(np.ptp(parts.points, axis=0).max())
    for part, marker, unit, place in _planes(parts, room):
        told = f"parts: {part!r} has a plane of symmetry at {_where(unit, place)} ({marker!r})"
        for own, name, condition, facets in _sides(parts):
            if own == part or not len(facets):
                continue
            across = area_vectors(parts.points, facets) @ unit
            size = lengths(area_vectors(parts.points, facets))
            away = parts.points[np.where(facets < 0, facets[:, :1], facets)] @ unit - place
            flat = (np.abs(away) <= room).all(axis=1) & (across >= ACROSS * size)
            if condition.role not in (PLANE, RIM) and flat.any():
                raise OversetError(
                    f"{told}, and {name!r}, which lies in it, is of kind {condition.kind!r}, "
                    f"expected 'symmetry', too: boundaries={{{name!r}: 'symmetry'}} (in a case "
                    f'file boundaries = {{ {name.partition(".")[2]} = "symmetry" }} of the part), '
                    "or symmetry=[...] of km.mesh.background"
                )
            if condition.role == BODY and away.max() > room:
                raise OversetError(
                    f"{told}, and the wall {name!r} reaches {away.max():.4g} beyond it, expected "
                    "walls that end there: half of the part, with a plane of symmetry of its own"
                )
        back = parts.names[int(np.argmin(parts.outer))]
        beyond = float((_points(parts, back) @ unit - place).max())
        if back != part and beyond > room:
            raise OversetError(
                f"{told}, and {back!r} reaches {beyond:.4g} beyond it, expected it to end there "
                "with a plane of symmetry of its own, as all parts share the planes; "
                "symmetry=[...] of km.mesh.background makes one"
            )


def _planes(parts: Any, room: float) -> Iterator[Plane]:
    """Flat planes of symmetry at ends of their parts."""
    for part, name, condition, facets in _sides(parts):
        if condition.role != PLANE or not len(facets):
            continue
        area = area_vectors(parts.points, facets)
        size = lengths(area)
        unit = area[size.argmax()] / max(size.max(), 1e-300)
        every = _points(parts, part) @ unit
        for sign, place in ((1.0, every.max()), (-1.0, -every.min())):
            way = sign * unit
            away = parts.points[np.where(facets < 0, facets[:, :1], facets)] @ way - place
            if ((np.abs(away) <= room).all(axis=1) & (area @ way >= ACROSS * size)).any():
                yield part, name, way, float(place)


def _sides(parts: Any) -> Iterator[tuple[str, str, Condition, NDArray[Any]]]:
    """Part, marker, condition and facets of each marker of the parts."""
    for name, facets in parts.walls.items():
        yield name.partition(".")[0], name, Wall(), facets
    for name, condition in parts.conditions.items():
        if condition.role != BODY:
            yield name.partition(".")[0], name, condition, parts.boundaries[name]


def _points(parts: Any, part: str) -> Floats:
    number = parts.names.index(part)
    found: Floats = parts.points[slice(*parts.first[number : number + 2])]
    return found


def _where(unit: Floats, place: float) -> str:
    """A plane in words, such as `y = 0`."""
    axis = int(np.abs(unit).argmax())
    if abs(unit[axis]) >= ACROSS:
        return f"{'xyz'[axis]} = {round(place * float(np.sign(unit[axis])), 9) + 0.0:.6g}"
    normal = ", ".join(f"{c:.3g}" for c in unit)
    return f"{place:.6g} along its normal ({normal})"
