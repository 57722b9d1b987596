"""Meshes about aerofoil sections: O- or C-shaped, from the section's conformal map."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError, did_you_mean
from kinemesh.mesh.generate.rays import Complexes, Wanted, cut
from kinemesh.mesh.generate.spacing import Normal
from kinemesh.mesh.kinds import cells_named
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.origin import of_section
from kinemesh.mesh.polygons import cell_table
from kinemesh.mesh.sections import named
from kinemesh.mesh.sections.section import Section

TOPOLOGIES = ("o", "c")
CELLS = ("triangles", "quads")
HEIGHTS = ("aspect", "even")
Made = tuple[Complexes, NDArray, NDArray, dict[str, NDArray]]  # nodes, table, other cells, markers


@checks_names
def airfoil(
    section: str | Path | Section = "naca0012",
    nodes: int = 5000,
    far_field: float = 50.0,
    wall_spacing: float | None = None,
    growth: float | None = None,
    trailing_edge: str | None = None,
    trailing_spacing: float | None = None,
    around: int | None = None,
    topology: str = "o",
    outer: str = "farfield",
    cells: str = "triangles",
    heights: str = "aspect",
    y_plus: float | None = None,
    reynolds: float | None = None,
    layers: int | None = None,
) -> Mesh:
    """O- or C-mesh about a section of chord 1, nose at the origin.

    Parameters
    ----------
    section : name, coordinate file or Section
    nodes : int               number of nodes; the mesh has as many within 3 %
    far_field : float         distance of the outer boundary from (0.5, 0): a circle (o), or half a
                              circle with the outflow plane as far downstream (c); at least 3,
                              with outer = "overset" 1 (o) [chord]
    wall_spacing : float      height of the wall cells at mid-chord; elsewhere in proportion to
                              their length; default length / 2.2 [chord]
    growth : float            ratio of successive steps along the ray from mid-chord (of
                              log |zeta| in an O-mesh, of eta in a C-mesh); near the wall the
                              heights of successive layers grow by about 1 % less
    trailing_edge : closed | sharp | open (see `kinemesh.mesh.section`)
    trailing_spacing : float  first wall edge at a sharp trailing edge, default in an O-mesh: that
                              of the conformal map or 0.06 / around, whichever is larger; of an
                              open one about the edges of its base [chord]
    around : int              nodes round the section; default: from the other arguments
    topology : o | c          o: rays all round; c: rays from the section and from a wake cut,
                              whose nodes are shared by both sides
    outer : farfield | overset    marker of the outer boundary; overset: other meshes go on beyond
                              it, and without `growth` the outermost cells of an O-mesh are near
                              square
    cells : triangles | quads    quads: quadrilaterals between rays, and triangles behind an open
                              trailing edge
    heights : aspect | even   of the wall cells. even, of C-meshes, for viscous flow: one height all
                              along the wall, `wall_spacing` or that of `y_plus` and `reynolds`;
                              `growth` is at most that given, from 1.01 on, or else 1.24
    y_plus, reynolds : float  with heights = "even": `kinemesh.mesh.wall_spacing` of them
    layers : int              with heights = "even": layers from the wall to the far field; of
                              wall_spacing (y_plus), growth and layers two, or the first

    Returns
    -------
    Mesh    markers `airfoil` and `farfield` or `overset` (outflow included), nodes renumbered;
            symmetric for a symmetric section

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    kind = _one_of("topology", topology, TOPOLOGIES)
    shaped = _one_of("cells", cells, CELLS)
    quads = "" if shaped == "quads" else ", cells = 'quads'"
    layered = ("" if kind == "c" else ", topology = 'c'") + quads
    normal = None
    if _one_of("heights", heights, HEIGHTS) == "even":
        if kind != "c":
            raise MeshError(
                f"airfoil: heights = 'even' with topology = {topology!r}, expected topology = 'c'"
                f"{quads}: in an O-mesh wall cells are lowest at a sharp trailing edge"
            )
        normal = Normal.of("airfoil", wall_spacing, y_plus, reynolds, growth, layers)
        wanted = Wanted(nodes, far_field, None, None, trailing_spacing, around, outer)
    else:
        beyond = {"y_plus": y_plus, "reynolds": reynolds, "layers": layers}
        for name, value in beyond.items():
            if value is not None:
                raise MeshError(
                    f"airfoil: {name} = {value!r}, expected heights = 'even'{layered} with it, as "
                    "meshes for viscous flow have"
                )
        wanted = Wanted(nodes, far_field, wall_spacing, growth, trailing_spacing, around, outer)
    shape = section if isinstance(section, Section) else named.section(section, trailing_edge)
    points, table, beside, markers = _o(shape, wanted) if kind == "o" else _c(shape, wanted, normal)
    flat = points.view(np.float64).reshape(-1, 2)
    between = cell_table(beside, _quads(table)) if shaped == "quads" else cut(flat, table)
    if shaped != "quads":
        between = np.concatenate([between, beside])
    try:
        mesh = Mesh.from_arrays(flat, between, markers, origin=of_section(section, shape.notes))
    except MeshError as error:
        raise MeshError(
            f"airfoil({shape.name}): the mesh folds over ({error}); ask for more nodes, or a "
            "wall_spacing and trailing_spacing nearer to their defaults"
        ) from error
    # numbers before the renumbering mean nothing to anyone
    return mesh.renumbered().numbered()


def _one_of(name: str, value: str, known: tuple[str, ...]) -> str:
    if isinstance(value, str) and value.lower() in known:
        return value.lower()
    near = str(value).lower()
    named = cells_named if name == "cells" else did_you_mean
    hint = named(near[:1] if name == "topology" else near, known)
    raise MeshError(f"airfoil: {name} = {value!r}, expected one of {', '.join(known)}{hint}")


def _quads(table: NDArray) -> NDArray:
    """Quadrilaterals between rays, counter-clockwise."""
    corners = (table[:-1, :-1], table[1:, :-1], table[1:, 1:], table[:-1, 1:])
    return np.stack(corners, axis=-1).reshape(-1, 4)


def _loop(nodes: NDArray) -> NDArray:
    """Edges between successive nodes."""
    return np.stack([nodes[:-1], nodes[1:]], axis=1)


def _o(shape: Section, wanted: Wanted) -> Made:
    """Every ring closes on its first ray."""
    from kinemesh.mesh.generate import (
        omesh,  # here: meshes that are read do not need SciPy's splines
    )

    points = omesh.structured(shape, wanted)
    table = np.arange(points.size, dtype=np.int32).reshape(points.shape)
    table = np.concatenate([table, table[:, :1]], axis=1)
    markers = {"airfoil": _loop(table[0]), wanted.outer: _loop(table[-1])}
    return points.ravel(), table, np.empty((0, 3), np.int32), markers


def _c(shape: Section, wanted: Wanted, normal: Normal | None) -> Made:
    """The first row meets itself along the wake; cells behind an open trailing edge are beside."""
    from kinemesh.mesh.generate import cmesh, fairing, viscous

    if normal is None:
        made = cmesh.structured(shape, wanted)
    else:
        made = viscous.structured(shape, wanted, normal)
    points, wake = made.points, made.wake
    columns = points.shape[1]
    table = np.arange(points.size, dtype=np.int32).reshape(points.shape)
    kept = columns - wake - 1  # of the first row: upper wake, section, the trailing edge once
    table[0, kept:] = table[0, wake::-1]
    table[1:] -= wake + 1
    points = np.concatenate([points[0, :kept], points[1:].ravel()])
    outer = np.concatenate([table[:, 0], table[-1, 1:], table[-2::-1, -1]])
    wall = table[0, wake : columns - wake]
    beside = np.empty((0, 3), np.int32)
    if shape.gap > 0:
        behind = made.fairing + 1
        upper, lower = wall[:behind][::-1], wall[-behind:]
        new, cells, base = fairing.filled(points[upper], points[lower], made.edges)
        number = np.concatenate([upper, lower, len(points) + np.arange(len(new), dtype=np.int32)])
        points, beside = np.concatenate([points, new]), number[cells]
        wall = np.concatenate([wall[made.fairing : len(wall) - made.fairing], number[base][1:]])
    return points, table, beside, {"airfoil": _loop(wall), wanted.outer: _loop(outer)}
