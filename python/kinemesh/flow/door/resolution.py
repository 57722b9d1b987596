"""Check of the cells at walls, which a Reynolds number wants thin, and of triangles too thin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kinemesh.errors import warn_of
from kinemesh.flow.door.viscosity import INVISCID, Inviscid
from kinemesh.mesh import wall_spacing
from kinemesh.mesh.extents import word_of_unit
from kinemesh.mesh.pieces import NEAR, Piece, pieces
from kinemesh.sentences import Sentence
from kinemesh.space.walls import cell_heights

LAYER = 5.0  # of a plate's boundary layer at its end, over chord / sqrt(reynolds) (Blasius)
FEW = 2.0  # cells across it, below which it is not resolved
WANTED, MOST = 1.0, 5.0  # y+ of the wall cells that a model of turbulence wants, and bears
SIDE = 12  # edges along a wall, and twice as many around a closed one (a plate's drag, below)
SECTION = 60  # edges around a closed wall in turbulent flow (drag of sections, docs/meshes.md)
EXCESS = "its drag by pressure is too large, by 11 % of the drag of a section with 60, 30 % with 40"
NOT_RESOLVED = "what changes along it, and with it the friction, is not resolved"
CURES = "quadrilaterals, more nodes along the wall or a larger wall spacing"  # of thin triangles


def tell_of_cells(case: Any) -> list[str]:
    """A sentence, also a warning, for each member whose wall cells are too thick, or too few.

    Of laminar flow they are thicker than half of a boundary layer, of turbulent flow their y+ is
    above 5, each by a flat plate.

    Parameters
    ----------
    case : solver of a viscous flow, whose volumes are measured
    """
    notes: list[str] = []
    for m, reynolds, height in _cells(case):
        told = _too_high if _turbulent(case) else _too_few
        text = told(reynolds, height, _unit(case, m))
        if text:
            about = "y+ too large" if _turbulent(case) else "boundary layer not resolved"
            notes.append(Sentence(text, member=m, about=about))
    notes += [
        Sentence(text, member=m, about="few edges along a wall") for m, text in _few_edges(case)
    ]
    warn_of(notes)
    return notes


def tell_of_triangles(case: Any) -> list[str]:
    """A sentence, also a warning, for each member of a viscous gas with triangles too thin.

    Boundary layers want thin cells, and where their layers curve by more than they are thick a
    march among triangles does not converge (docs/convergence.md).

    Parameters
    ----------
    case : solver of a gas on the duals of meshes
    """
    if "reynolds" not in case.streams:
        return []
    notes: list[str] = [
        Sentence(
            f"{text}, where steady flows do not converge and loads are not to be trusted; {CURES} "
            "help",
            member=m,
            about="triangles too thin",
        )
        for m in range(case.grid.members)
        if (text := thin_triangles(case.grid, m))
    ]
    warn_of(notes)
    return notes


def thin_triangles(grid: Any, member: int) -> str:
    """Words on nodes of a member in triangles too thin for the curve of their layer, or nothing."""
    if grid.on == "cells":  # which do not fit what fluxes reconstruct
        return ""
    nodes = grid.curved_triangles[grid.alike.of[member]]
    if not len(nodes):
        return ""
    mesh = grid.meshes[member]
    x, y = mesh.points[nodes[0]].round(12) + 0.0  # round-off of a nose, or -0, is 0
    return (
        f"{len(nodes)} nodes such as {mesh.original[nodes[0]]} at ({x:.4g}, {y:.4g}) lie in "
        "triangles too thin for the curve of their layer"
    )


def cells_in_words(case: Any) -> list[str]:
    """Height of the wall cells of the first member, with what it is by a flat plate."""
    for m, reynolds, height in _cells(case):
        text = f"wall cells {height:.3g} {_unit(case, m)}s high"
        if _turbulent(case):
            return [f"{text}, y+ about {_y_plus(reynolds, height):.2g} by a flat plate"]
        layer = LAYER / np.sqrt(reynolds)
        return [f"{text}, {layer / height:.2g} in a boundary layer by a flat plate"]
    return []


def _cells(case: Any) -> Iterator[tuple[int, float, float]]:
    """Member, Reynolds number, median height of the wall cells over its length.

    None of members without walls, and of an inviscid flow.
    """
    grid = case.grid
    if "reynolds" not in case.streams or not len(grid.wall):
        return
    node, height = cell_heights(grid)
    gas = _of_gas(case)
    chord = _length(case)
    for m, reynolds in enumerate(case.streams["reynolds"].tolist()):
        own = height[grid.member[node] == m]
        if len(own):
            yield m, reynolds / gas.length, float(np.median(own)) / chord  # of a chord


def _unit(case: Any, member: int) -> str:
    """Name of the length over which `_cells` has heights."""
    return word_of_unit(case.markers.measured[member].bodies, _length(case))


def _length(case: Any) -> float:
    """Length over which `_cells` has heights [lengths of the mesh]: chord, in space reference."""
    if case.grid.dimension.one_chord:
        return 1.0 if case.chord is None else float(case.chord)
    return float(case.reference[1])


def _few_edges(case: Any) -> Iterator[tuple[int, str]]:
    """Member, and a sentence on each connected wall with few edges; none of an inviscid flow.

    Measured: drag of a plate at Reynolds number 1e5 with 3, 6, 10 and 15 edges 13, 7, 3 and 1 % too
    large, of turbulent sections with 28, 40, 60 and 82 edges 80, 30, 11 and 5 %, however many nodes
    lie above them.  In space they are counted where the plane in the middle of a wall's span cuts
    it.
    """
    grid = case.grid
    if "reynolds" not in case.streams:
        return
    markers: dict[int, list[str]] = {}
    for member, marker in grid.bodies:
        if len(grid.meshes[member].boundaries[marker]):  # a part of overset grids may have none
            markers.setdefault(member, []).append(marker)
    found: dict[int, list[Any]] = {}
    for member, own in markers.items():
        mesh = grid.alike.of[member]
        if mesh not in found:
            found[mesh] = pieces(grid.meshes[member], own)
        count = EDGES[grid.dimensions]
        for piece in found[mesh]:
            text = _too_coarse(count(grid.meshes[member], piece), piece, _turbulent(case))
            if text:
                yield member, text


def _edges_across(mesh: Any, piece: Piece) -> int:
    """Edges of a wall in space about the middle of its span; `SECTION` of one that has no span.

    The plane there cuts both triangles of a quadrilateral, and two for each edge of others.
    """
    low, high = piece.low[1], piece.high[1]
    if high - low <= NEAR * (piece.high - piece.low).max():
        return SECTION
    y, middle = mesh.points[piece.facets][..., 1], 0.5 * (low + high)
    cut = (y.min(axis=1) < middle) & (y.max(axis=1) >= middle)
    return round(np.count_nonzero(cut) / 2)


EDGES: dict[int, Callable[[Any, Piece], int]] = {
    2: lambda mesh, piece: len(piece.facets),
    3: _edges_across,
}
"""Edges along or around a wall of a mesh, by dimensions."""


def _too_coarse(count: int, piece: Piece, turbulent: bool) -> str:
    """Sentence on a connected wall with fewer edges than it wants, or nothing."""
    least = SIDE * (2 if piece.closed else 1)
    wanted = SECTION if turbulent and piece.closed else least
    if count >= wanted:
        return ""
    return (
        f"{count} edges lie {'around' if piece.closed else 'along'} the wall "
        f"{', '.join(map(repr, piece.names))}, expected at least {wanted}: "
        f"{NOT_RESOLVED if count < least else EXCESS}; take more nodes, or fewer layers"
    )


def _of_gas(case: Any) -> Inviscid:
    """Laws of a gas; of incompressible flow, which has neither a length nor a model, `INVISCID`."""
    own = case.viscosity
    return own if isinstance(own, Inviscid) else INVISCID


def _turbulent(case: Any) -> bool:
    return _of_gas(case).turbulence is not None


def _y_plus(reynolds: float, height: float) -> float:
    """y+ of a height [chords] on a turbulent flat plate."""
    return height / wall_spacing(reynolds)


def _too_high(reynolds: float, height: float, unit: str) -> str:
    """Sentence on a y+ above `MOST`, or nothing."""
    found = _y_plus(reynolds, height)
    if found <= MOST:
        return ""
    return (
        f"the cells at the walls are {height:.2g} {unit}s thick, a y+ of about {found:.2g} by a "
        f"flat plate at Reynolds number {reynolds:.3g}, and the model of turbulence has no wall "
        f"functions, so that friction is not that of this Reynolds number; take "
        f"wall_spacing = {WANTED * wall_spacing(reynolds):.2g}, which gives a y+ of 1"
    )


def _too_few(reynolds: float, height: float, unit: str) -> str:
    """Sentence on fewer cells than `FEW` in a laminar boundary layer, or nothing."""
    layer = LAYER / np.sqrt(reynolds)
    if height * FEW <= layer:
        return ""
    return (
        f"the cells at the walls are {height:.2g} {unit}s thick, of a Reynolds "
        f"number of {height * reynolds:.2g}, and a boundary layer at Reynolds number "
        f"{reynolds:.3g} is about {layer:.2g} {unit}s: it is not resolved, so that loads "
        f"are not those of this Reynolds number; take a wall_spacing of at most "
        f"{layer / (2 * FEW):.2g}, or a lower reynolds"
    )
