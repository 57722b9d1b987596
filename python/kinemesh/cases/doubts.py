"""Meshes on which flows are known not to converge, told before anything is computed."""

from __future__ import annotations

from typing import Any

from kinemesh.cases.sources import M6, NUMBERS
from kinemesh.errors import warn

FEWEST = {"hexes": 30_000, "tets": 10_000}
"""Nodes from which the ONERA M6 converged at the default settings, by kind of cells.

Prisms, and hybrid meshes with them, did not up to 100 thousand (docs/convergence.md).
"""


def tell_of_wing(part: Any) -> None:
    """Warn of the mesh of a swept wing on which flows do not converge."""
    if part.wing is None or not (part.wing == M6 or part.sweep_deg):
        return
    cells = part.cells or "hexes"
    nodes = next((own for name in NUMBERS if (own := getattr(part, name)) is not None), None)
    fewest = FEWEST.get(cells)
    if fewest is None:
        warn(
            f"flows about swept wings in {cells} do not converge (docs/convergence.md, Meshes in "
            "space); take cells = 'hexes' or 'tets'"
        )
    elif nodes is not None and nodes < fewest:
        warn(
            f"flows about swept wings of {nodes} nodes in {cells} converge slowly, or not "
            f"(docs/convergence.md, Meshes in space); take {fewest} or more"
        )
