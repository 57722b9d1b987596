"""Grids and planes of symmetry of incompressible flow, by the dimensions of its meshes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kinemesh.bodies.planes import check_laws
from kinemesh.dimension import dimension_of
from kinemesh.flow.door.arguments import Markers
from kinemesh.flow.door.resolution import tell_of_cells
from kinemesh.flow.door.space import check_crossing, check_kinds, check_planes, symmetry_planes
from kinemesh.overset.parts import Parts
from kinemesh.space.conditions.base import PLANE, RIM
from kinemesh.space.conditions.words import Symmetry
from kinemesh.space.grid import Grid
from kinemesh.space.solids import SolidGrid, SolidVertices
from kinemesh.space.vertices import MeshVertices

NOTES: dict[int, Callable[[Any], list[str]]] = {2: tell_of_cells, 3: lambda case: []}
"""Words said of meshes, by dimensions."""


def slip_planes(meshes: Sequence[Any], boundaries: Any) -> Any:
    """Conditions by marker, in space with the planes of symmetry that nobody has named.

    Raises
    ------
    SettingsError    a condition that meshes in space do not have
    """
    dimension = dimension_of(meshes)
    if dimension.count == 2:
        return boundaries
    if isinstance(meshes[0], Parts):  # which know their conditions
        for own in meshes:
            rest = {m: c for m, c in own.conditions.items() if c.role not in (PLANE, RIM)}
            check_kinds(rest, dimension)
        return boundaries
    planes, others = symmetry_planes(None, meshes, boundaries)
    check_kinds(others, dimension)
    return others | dict.fromkeys(planes, Symmetry())


def moved_with(markers: Markers, grid: Grid) -> Markers:
    """Conditions that stand where the mesh moves: in space planes of symmetry go with it."""
    own = {m: c for m, c in markers.conditions.items() if c.role != PLANE}
    return replace(markers, conditions=own) if grid.dimension.spin else markers


def check_planes_of(case: Any) -> None:
    """SettingsError for planes of symmetry that the stream crosses, or that motions leave."""
    if case.grid.dimension.spin:
        check_crossing(case.grid, case.inflow, "at a speed of ")
        check_laws(case.grid, case.motions, case.speed, case.reference[1])


def _plane(backend: Any, meshes: Sequence[Any], markers: Markers) -> Grid:
    return Grid(MeshVertices(backend, meshes, markers.by_role))


def _space(backend: Any, meshes: Sequence[Any], markers: Markers) -> Grid:
    roles: Mapping[str, Sequence[str]] = markers.by_role
    grid = SolidGrid(SolidVertices(backend, meshes, roles), roles.get(PLANE, ()))
    check_planes(grid, markers.measured)
    return grid


GRIDS = {2: _plane, 3: _space}


def grid_of(backend: Any, meshes: Sequence[Any], markers: Markers) -> Grid:
    """Duals of the meshes of a case."""
    return GRIDS[meshes[0].dimensions](backend, meshes, markers)
