"""Place where a residual that does not fall is largest, and the cells at it."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.mesh.geometry.quality import quality
from kinemesh.mesh.mesh import Mesh

# Of cells where a residual stays: in the wake of a C-mesh of 6000 nodes those with angles below 30
# degrees hold 80 % of it, and none does on a mesh whose cells are squarer than this.
SKEWED, LONG = 30.0, 10.0
BLUNT = 135.0  # largest angle [deg] of cells of a layer, which are thin and meant to be; right ones
# split into triangles have 90


def where_largest(solver: Any, member: int) -> str:
    """End of a sentence: where a member's residual is largest, of what, and what cells are there.

    Long or skewed cells are named as what may keep it from falling, but not thin cells of viscous
    flow, whose layers need them, nor where pseudo-steps solve with the matrix of another flux.
    """
    grid, b = solver.grid, solver.backend
    own = slice(*grid.first[member : member + 2])
    res = getattr(solver, "projection", solver).fields["res"]
    each = np.nan_to_num(np.abs(b.get(res)[own].astype(float)))
    size = each.max(axis=1)
    if not size.any():
        return ""
    worst, mesh = int(size.argmax()), grid.meshes[member]
    of = _equation(int(each[worst].argmax()), each.shape[1], solver)
    place = _place(solver, member, worst, of)
    if getattr(solver.settings, "borrows_matrix", False):
        return place
    if not isinstance(mesh, Mesh) or mesh.solids:  # of points, and of cells in space, no more
        return place
    x = b.get(grid.x)[slice(*grid.vertices.first[member : member + 2])]
    there = [worst] if grid.on == "cells" else (mesh.cells == worst).any(axis=1)
    found = quality(x, mesh.cells[there])
    angle, blunt, long = found.min_angle_deg, found.max_angle_deg, found.aspect_ratio[100]
    if _viscous(solver):
        if blunt < BLUNT:
            return place
        return f"{place}, in cells with angles of {blunt:.3g} degrees: less skewed cells there help"
    if angle > SKEWED and long < LONG:
        return place
    return (
        f"{place}, in cells up to {long:.2g} times as long as thick with angles of {angle:.2g} "
        "degrees: squarer cells there help"
    )


def where_beside(solver: Any, member: int, name: str, residual: Any) -> str:
    """End of a sentence: where the residual of the equation of `name` beside u is largest."""
    own = slice(*solver.grid.first[member : member + 2])
    each = np.nan_to_num(np.abs(solver.backend.get(residual)[own].astype(float)))
    return _place(solver, member, int(each.argmax()), f", that of {name}") if each.any() else ""


def _place(solver: Any, member: int, row: int, of: str) -> str:
    grid = solver.grid
    at = solver.backend.get(grid.fields["x"])[slice(*grid.first[member : member + 2])][row]
    noun = "node" if isinstance(grid.meshes[member], Mesh) else "point"
    noun = "cell" if grid.on == "cells" else noun
    return f"; the residual is largest at ({', '.join(f'{c:.4g}' for c in at)}){of}, {noun} {row}"


def _viscous(solver: Any) -> bool:
    """Return True for a viscous gas and for incompressible flow, which has layers at walls."""
    return "reynolds" in solver.streams


def _equation(column: int, columns: int, solver: Any) -> str:
    """Name of the equation whose residual is in a column; empty of incompressible flow."""
    count = solver.grid.dimensions + 2
    if columns < count:
        return ""
    carried = solver.model.names[count:]
    names = ["mass", *["momentum"] * (count - 2), "energy", *carried]
    return f", that of {names[column]}"
