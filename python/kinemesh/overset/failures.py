"""Causes of overset grids that cannot be solved on, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.faults import decode
from kinemesh.mesh.facets import lengths
from kinemesh.overset.part_cells import WITHIN, walls_of_part
from kinemesh.overset.parts import Parts
from kinemesh.overset.plan import Plan, nodes_of
from kinemesh.overset.status import RECEPTOR, Statuses
from kinemesh.sentences import point_in_words
from kinemesh.space.conditions.base import OUTER
from kinemesh.space.distance import distances

WALLS, OUTSIDE, BODY, ORPHAN, FREED = 1, 2, 3, 4, 5  # csrc/kernels/overset/status.h
ROOM = 6  # csrc/kernels/overset/names.h
SQUARES = {2: "squares", 3: "cubes"}
CAUSES = {
    WALLS: "walls meet", OUTSIDE: "part too large", FREED: "freed", BODY: "in walls",
    ROOM: "long rims",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """Cause, remedy and place of a failure."""

    cause: str
    remedy: str
    place: str


@dataclass(frozen=True, slots=True)
class _Met:
    """A node that fails, its part, and another part that holds the node, if one does."""

    place: str
    at: str
    name: str
    other: str
    gap_of: tuple[str, str]  # parts whose walls are the gap's, or one part and the one it lies over
    gap: float  # between walls or, with one wall alone, to where the part begins to hold others
    size: float  # across the larger cells there, by their diagonals [chord]
    both: bool  # whether it is between walls of both parts
    coarse: str  # the part with the larger cells there
    behind: float  # where walls are nearer than the other part's far field: the gap to them; or inf


def about(word: np.uint64) -> str:
    """A name of the cause, which failures of several members share."""
    return CAUSES.get(decode(word)[0], "no donor")


def failure(made: Statuses, member: int, word: np.uint64) -> Told:
    """Cause, remedy and place of the failure in a member's fault word."""
    code, node = decode(word)
    if code == ROOM:
        return _crowded(made, member, node)
    met = _met(made, member, node)
    where = f"{met.place} {met.at}"
    if code == WALLS:
        cause = (
            f"walls of {met.name!r} and {met.other!r} intersect: {where} is within {met.other!r}"
        )
        return Told(cause, "move the parts apart, or change their motion", where)
    if code == OUTSIDE:
        cause = f"part {met.name!r} reaches {met.at}, beyond {met.other!r} ({met.place})"
        if np.isinf(met.behind):
            return Told(cause, f"a larger {met.other!r}, or a smaller motion", where)
        needs = 2 * (made.overlap + made.fringe)
        cause = (
            f"part {met.name!r} reaches {met.at}, behind the walls of {met.other!r} ({met.place}): "
            f"the gap between their walls is {met.behind:.3g} chords"
        )
        remedy = (
            f"a smaller {met.name!r}, which ends within the gap, with "
            f"{_cells(met.behind / needs, made.grid.dimensions)} in both, or walls farther apart"
        )
        return Told(cause, remedy, where)
    if code == FREED:
        cause = f"{where} is a field node and had no fluid at the last step"
        return Told(cause, "a smaller time step, so that no wall crosses its fringe in one", where)
    return _gap(made, met, where, code)


def _crowded(made: Statuses, member: int, fits: int) -> Told:
    """Failure by more rows beside holes than the pressure has room for; fits: their share [%]."""
    mesh = made.grid.meshes[member]
    status = made.backend.get(made.status)[slice(*made.grid.first[member : member + 2])]
    counts = np.bincount(mesh.part[status == RECEPTOR], minlength=len(mesh.names))
    name = mesh.names[int(counts.argmax())]
    cause = (
        f"too many nodes beside holes and overset boundaries for the pressure's coarse levels, "
        f"which have room for {fits} % of them: part {name!r} has most, {counts.max()} receptors"
    )
    remedy = (
        f"a {name!r} with at most {fits} % of the cells along the holes and overset boundaries "
        "of all parts, or parts with more cells away from them"
    )
    return Told(cause, remedy, f"part {name!r}")


def _gap(made: Statuses, met: _Met, where: str, code: int) -> Told:
    """Failure by too few cells between a wall and the nodes solved beyond it, or without walls."""
    why = "is within walls" if code == BODY else "has no donor"
    sides = 2 if met.both else 1
    needs, least = (sides * (layers + made.fringe) for layers in (made.overlap, 1))
    enough = met.gap >= least * met.size
    fewer = ", or overlap=1" if made.overlap > 1 and enough else ""
    if not met.gap < needs * met.size:  # the cells are too few for another reason
        cause = f"{where} {why}: other parts hold the corners of the cell of {met.other!r} there"
        return Told(cause, f"smaller cells of {met.coarse!r} there{fewer}", where)
    one, other = met.gap_of
    told = (
        f"the gap between {one!r} and {other!r}"
        if met.both
        else f"{other!r}, from its walls to its last {made.fringe} layers of cells,"
    )
    cause = (
        f"{told} is {met.gap:.3g} chords and holds {met.gap / met.size:.2g} cells that "
        f"are {met.size:.3g} across, needs {needs}: {where} {why}"
    )
    smaller = _cells(met.gap / needs, made.grid.dimensions)
    return Told(cause, f"{smaller}{fewer}; those of {met.coarse!r} are the largest", where)


def _cells(across: float, dimensions: int) -> str:
    """Cells that would do, by their diagonals, and the spacing of such squares, rounded down."""
    side = across / np.sqrt(dimensions)
    unit = 10.0 ** (np.floor(np.log10(side)) - 1)
    spacing = np.floor(side / unit) * unit
    return (
        f"cells at most {across:.2g} across there (of {SQUARES[dimensions]} spacing={spacing:.2g})"
    )


def _met(made: Statuses, member: int, node: int) -> _Met:
    grid, get, fields = made.grid, made.backend.get, made.fields
    mesh, plan = grid.meshes[member], made.plans[grid.alike.of[member]]
    local = node - int(grid.first[member])
    own = int(mesh.part[local])
    first, last = get(fields["slots"])[node : node + 2]
    cell, part = (get(fields[name])[first:last] for name in ("cell", "part"))
    number = part - made.first[member]
    within, held = (np.flatnonzero(there) for there in (cell == WITHIN, cell >= 0))
    found = number[[*within, *held]]  # walls first
    other = int(found[0] if len(found) else np.flatnonzero(~mesh.outer)[0])
    x = get(grid.x)[slice(*grid.first[member : member + 2])]
    rest = np.flatnonzero(mesh.part == other)
    beside = int(rest[np.argmin(np.linalg.norm(x[rest] - x[local], axis=1))])
    sizes = {node: _across(plan, x, node) for node in (beside, local)}
    largest = max(sizes, key=lambda node: sizes[node])
    size, coarse = sizes[largest], mesh.names[int(mesh.part[largest])]
    both, gap = bool(mesh.walled[own] and mesh.walled[other]), np.nan
    if both:
        one, far = (walls_of_part(mesh, mesh.names[p]) for p in (own, other))
        gap = float(distances(x[far[:, 0]], x[one]).min())
        both = gap < 2 * (made.overlap + made.fringe) * size
    body = other if mesh.walled[other] and (mesh.outer[other] or not mesh.walled[own]) else own
    if not both and mesh.walled[body]:  # the gap is wide enough, or has one wall: too thin a part
        there = slice(*mesh.first[body : body + 2])
        gap = float(plan.rank[there][plan.layer[there] == made.fringe].min(initial=np.inf))
    at = point_in_words(x[local])
    names = mesh.names[own], mesh.names[other if both else body]
    behind = _behind(mesh, x, local, own, other)
    told = mesh.node(local), at, mesh.names[own], mesh.names[other]
    return _Met(*told, names, gap, size, both, coarse, behind)


def _behind(mesh: Parts, x: NDArray[np.float64], node: int, own: int, other: int) -> float:
    """The gap between the walls of two parts, where the other's walls are nearest to a node.

    Infinity where the other's far field is nearer, or one of the two has no walls.
    """
    if not (mesh.walled[own] and mesh.walled[other]):
        return np.inf
    one, far = (walls_of_part(mesh, mesh.names[p]) for p in (own, other))
    outer = nodes_of(mesh, mesh.of_role(OUTER))
    outer = outer[mesh.part[outer] == other]
    here = x[node : node + 1]
    rim = lengths(x[outer] - here).min(initial=np.inf)
    if distances(here, x[far])[0] >= rim:
        return np.inf
    return float(distances(x[far[:, 0]], x[one]).min())


def _across(plan: Plan, x: NDArray[np.float64], node: int) -> float:
    """Distance to the farthest node of the cells around a node [chord]."""
    near = plan.neighbour[plan.offsets[node] : plan.offsets[node + 1]]
    return float(np.linalg.norm(x[near] - x[node], axis=1).max())
