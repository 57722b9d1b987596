"""Markers of a mesh given other names, and divided where a coordinate says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import real
from kinemesh.errors import MeshError, did_you_mean, shown
from kinemesh.mesh.mesh import Mesh

Floats = NDArray[np.float64]
AXES = ("x", "y", "z")
OF = "of"
CUT = 0.01  # of an edge's extent: an end that far from a node is at it, as files are rounded
SUCH = "such as {'wall': {'of': 'jmin', 'x': (0.0, 1.5)}, 'symmetry': {'of': 'jmin'}}"


@dataclass(frozen=True, slots=True)
class Marking:
    """A marker of the mesh to be made.

    Parameters
    ----------
    name : the marker
    of : markers of the given mesh that its edges or faces come from
    within : {axis: (low, high)}    ends between which they lie; none: what no other marker takes
    """

    name: str
    of: tuple[str, ...]
    within: Mapping[str, tuple[float, float]]

    @classmethod
    def checked(cls, name: Any, table: Any) -> Marking:
        """A marking from its table; MeshError for one without meaning."""
        if not isinstance(name, str) or not name:
            raise MeshError(f"markers: {name!r}, expected a name such as 'wall'")
        if not isinstance(table, Mapping):
            raise MeshError(f"markers.{name} = {shown(table)}, expected a table, {SUCH}")
        known = (OF, *AXES)
        for key in table:
            if key not in known:
                hint = did_you_mean(key, known, f"expected {', '.join(known)}")
                raise MeshError(f"markers.{name}: unknown key {key!r}{hint}")
        of: Any = table.get(OF)
        each: Any = (of,) if isinstance(of, str) else of
        listed = isinstance(each, list | tuple) and each and all(isinstance(n, str) for n in each)
        if not listed or len(set(each)) < len(each):
            raise MeshError(
                f"markers.{name}: of = {of!r}, expected a marker of the mesh, or a list of some"
            )
        within = {axis: _ends(name, axis, table[axis]) for axis in AXES if axis in table}
        return cls(name, tuple(each), within)


def _ends(name: str, axis: str, value: Any) -> tuple[float, float]:
    try:
        low, high = (real(own) for own in value)
    except (TypeError, ValueError, OverflowError):
        low = high = np.nan
    if isnan(low) or isnan(high) or not low < high:
        raise MeshError(
            f"markers.{name}: {axis} = {value!r}, expected two numbers, the lower first; inf for "
            "an open end"
        )
    return low, high


def markings_of(markers: Any) -> tuple[Marking, ...]:
    """Checked markings from tables by name; MeshError for those without meaning."""
    if not isinstance(markers, Mapping) or not markers:
        raise MeshError(f"markers = {shown(markers)}, expected tables by name, {SUCH}")
    found = tuple(Marking.checked(name, table) for name, table in markers.items())
    rest = dict[str, str]()
    for one in found:
        for old in one.of if not one.within else ():
            if old in rest:
                raise MeshError(
                    f"markers.{rest[old]} and markers.{one.name} both take what is left of "
                    f"'{old}'; give one of them x, y or z"
                )
            rest[old] = one.name
    return found


def marked(mesh: Mesh, markers: Mapping[str, Mapping[str, Any]]) -> Mesh:
    """Mesh with other markers: given ones under other names, or divided by coordinates.

    A mesh that has all the new markers and none of those they are made of stays as it is, so that
    one table serves meshes with either names.

    Parameters
    ----------
    mesh : of the plane or of space
    markers : {name: {"of": marker or list of markers, "x": (low, high), "y": ..., "z": ...}}
        a new marker has the edges (faces) of the old ones between these ends; without any it has
        what no other takes.  What none takes stays in its marker.  Ends are at nodes; what lies
        in an end itself, as a step of a floor, is behind it

    Returns
    -------
    Mesh    markers that stay, in their order, then the new ones, in theirs

    Raises
    ------
    MeshError    a marker that is not there, or is already; a new one without an edge; an end within
        an edge; an edge that two take
    """
    if not isinstance(mesh, Mesh):
        raise MeshError(f"mesh.marked: the mesh is {mesh!r}, expected a kinemesh Mesh")
    made = markings_of(markers)
    old = list(dict.fromkeys(name for one in made for name in one.of))
    there = [name for name in old if name in mesh.boundaries]
    if not there and all(one.name in mesh.boundaries for one in made):
        return mesh
    _check_names(mesh, made, old)
    parts: dict[str, list[Any]] = {one.name: [] for one in made}
    kept = dict[str, Any]()
    for name, rows in mesh.boundaries.items():
        taken = _taken(mesh, name, rows, made) if name in old else np.full(len(rows), -1)
        if (taken < 0).any():
            kept[name] = rows[taken < 0]
        for k, one in enumerate(made):
            parts[one.name].append(rows[taken == k])
    for one in made:
        rows = np.concatenate(
            [*parts[one.name], *([kept.pop(one.name)] if one.name in kept else [])]
        )
        if not len(rows):
            raise MeshError(_nothing(mesh, one))
        kept[one.name] = rows
    return replace(mesh, boundaries=kept)


def _check_names(mesh: Mesh, made: tuple[Marking, ...], old: list[str]) -> None:
    """MeshError for markers that are not there, and for names that others have already."""
    names = ", ".join(mesh.boundaries)
    for one in made:
        for name in one.of:
            if name not in mesh.boundaries:
                hint = did_you_mean(name, mesh.boundaries)
                raise MeshError(
                    f"markers.{one.name}: of = '{name}', and the mesh has the markers {names}{hint}"
                )
        if one.name in mesh.boundaries and one.name not in old:
            raise MeshError(
                f"markers.{one.name}: the mesh has a marker '{one.name}' already; give another "
                f"name, or put it among those that it is made of: of = {[*one.of, one.name]!r}"
            )


def _taken(mesh: Mesh, name: str, rows: Any, made: tuple[Marking, ...]) -> Any:
    """(rows,) numbers of the markings that take the edges or faces of a marker; -1: none."""
    nodes = np.where(rows < 0, rows[:, :1], rows)
    x = mesh.points[nodes]
    low, high = x.min(axis=1), x.max(axis=1)
    filled = (rows >= 0)[..., None]
    middle = np.where(filled, x, 0.0).sum(axis=1) / filled.sum(axis=1)
    taken, rest = np.full(len(rows), -1), -1
    for k, one in enumerate(made):
        if name not in one.of:
            continue
        if not one.within:
            rest = k
            continue
        inside = _inside(one, name, middle, low, high)
        twice = np.flatnonzero(inside & (taken >= 0))
        if len(twice):
            raise MeshError(
                f"markers.{made[taken[twice[0]]].name} and markers.{one.name} both take "
                f"{len(twice)} of the {len(rows)} edges or faces of '{name}', the first at "
                f"{_at(middle[twice[0]])}; expected ends that do not overlap"
            )
        taken[inside] = k
    taken[taken < 0] = rest
    return taken


def _inside(one: Marking, name: str, middle: Floats, low: Floats, high: Floats) -> Any:
    """True where middles lie between all ends; MeshError for an end within an edge or a face."""
    dimensions = middle.shape[1]
    beyond = [axis for axis in one.within if AXES.index(axis) >= dimensions]
    if beyond:
        raise MeshError(f"markers.{one.name}: {beyond[0]} is of space, and the mesh in the plane")
    # an edge that is beside the ends along one axis is not divided by those along another
    near, size = np.ones(len(middle), dtype=bool), CUT * np.linalg.norm(high - low, axis=1)
    inside = near.copy()
    for axis, ends in one.within.items():
        k = AXES.index(axis)
        near &= (high[:, k] >= ends[0]) & (low[:, k] <= ends[1])
        at = middle[:, k] + size  # one that lies in an end itself is behind it
        inside &= (at > ends[0]) & (at < ends[1])
    for axis, ends in one.within.items():
        k = AXES.index(axis)
        slack = CUT * (high[:, k] - low[:, k])
        for end in ends:
            cut = np.flatnonzero(near & (low[:, k] < end - slack) & (high[:, k] > end + slack))
            if len(cut):
                a, b = low[cut[0], k], high[cut[0], k]
                raise MeshError(
                    f"markers.{one.name}: {axis} = {end:g} lies within an edge or a face of "
                    f"'{name}', {axis} {a:.6g} to {b:.6g}, at {_at(middle[cut[0]])}: {len(cut)} "
                    f"such; expected an end at a node, such as {a:.9g} or {b:.9g}"
                )
    return inside


def _nothing(mesh: Mesh, one: Marking) -> str:
    """Sentence on a marking that takes nothing, with the ends of what it could take from."""
    of = " and ".join(f"'{name}'" for name in one.of)
    if not one.within:
        return f"markers.{one.name}: others take all of {of}, expected something left; remove it"
    rows = np.concatenate([mesh.boundaries[name].ravel() for name in one.of])
    x = mesh.points[rows[rows >= 0]]
    extents = ", ".join(
        f"{axis} {x[:, k].min():.6g} to {x[:, k].max():.6g}"
        for k, axis in enumerate(AXES[: x.shape[1]])
    )
    asked = ", ".join(f"{axis} = {list(ends)}" for axis, ends in one.within.items())
    return f"markers.{one.name}: nothing of {of} lies at {asked}; it is at {extents}"


def _at(point: Floats) -> str:
    return f"({', '.join(f'{value:.6g}' for value in point)})"
