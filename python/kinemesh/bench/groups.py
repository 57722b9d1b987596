"""Groups of rows by the names that lines of the registry of solvers have for them.

A group is built by a function of the backend, the mesh or cloud, the rows that are wanted, the line
of the solver and the kind of cloud, which is None for a mesh.  Meshes are NACA 0012 O-meshes unless
the group makes its own;
rows of energy (`bench/joules.py`) make a mesh or cloud each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinemesh.bench import (
    carried,
    clouds,
    connected,
    energy,
    layered,
    one_grid,
    overset_rows,
    parts_space,
    rows,
    steps,
)

TITLES = rows.TITLES | clouds.TITLES | overset_rows.TITLES | steps.TITLES | energy.TITLES
TITLES |= one_grid.TITLES | carried.TITLES | connected.TITLES | layered.TITLES
GROUPS: dict[str, Callable[..., rows.Rows]] = {
    "springs": rows.springs,
    "natural": rows.springs,
    "flow": rows.flow,
    "cloud": clouds.rows,
    "search": overset_rows.rows,
    "connectivity": connected.rows,
    "step": steps.rows,
    "energy": energy.rows,
    "one-grid": one_grid.rows,
    "carrier": carried.rows,
    "viscous": layered.rows,
}
MESHES: dict[Callable[..., rows.Rows], Callable[[int], Any]] = {
    overset_rows.rows: overset_rows.made,
    connected.rows: steps.made,
    steps.rows: steps.made,
    layered.rows: layered.section,
}
WINGS: dict[Callable[..., rows.Rows], Callable[[str, int], Any]] = {layered.rows: layered.wing}
IN_SPACE: dict[Callable[..., rows.Rows], Callable[[int], Any]] = {
    overset_rows.rows: parts_space.searched,
    connected.rows: parts_space.made,
    steps.rows: parts_space.made,
}
"""Meshes that a group makes: of the plane, about wings, and of --overset --in-space."""
