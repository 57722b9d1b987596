"""Meshes of quadrilaterals over a flat plate, for viscous flow."""

from __future__ import annotations

from math import log, log1p

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError, did_you_mean
from kinemesh.mesh.generate.rectangles import Rims, rectangle
from kinemesh.mesh.generate.spacing import Normal, grown, growth_of, positive, whole
from kinemesh.mesh.mesh import Mesh

LEFT = ("inlet", "farfield")
SQUARE = 7 / 5  # steps along the plate over layers, by default
EDGE = 0.22  # step at the leading edge over the mean one, by default: NASA's grids have as much
AHEAD = 3.0  # growth - 1 ahead of the leading edge over that behind it


@checks_names
def plate(
    nodes: int = 13_000,
    length: float = 1.0,
    upstream: float = 1.0 / 3.0,
    height: float = 1.0,
    wall_spacing: float | None = None,
    y_plus: float | None = None,
    reynolds: float | None = None,
    growth: float | None = None,
    layers: int | None = None,
    edge_spacing: float | None = None,
    left: str = "inlet",
) -> Mesh:
    """Rectangle over a flat plate, of quadrilaterals: leading edge at (0, 0), stream along x.

    Steps grow geometrically from the wall upwards, and from the leading edge both ways.  Of
    `wall_spacing` (or `y_plus`), `growth` and `layers` any two, or the first of them alone.

    Parameters
    ----------
    nodes : int               number of nodes; the mesh has as many within one layer
    length, upstream : float  of the plate, and of the plane of symmetry ahead of it [chord]
    height : float            of the rectangle [chord]
    wall_spacing : float      height of the wall cells [chord]
    y_plus, reynolds : float  height of the wall cells by `kinemesh.mesh.wall_spacing`; Reynolds
                              number of a length of 1
    growth : float            largest ratio of the heights of successive layers, 1.01 to 1.5;
                              default at most 1.24
    layers : int              layers from the wall to the top
    edge_spacing : float      length of the cells at the leading edge; default 0.22 of the mean one
    left : inlet | farfield   marker of the left side

    Returns
    -------
    Mesh    markers `wall`, `symmetry`, `outlet`, `farfield` (the top) and that of the left side

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    nodes = whole("plate", "nodes", nodes, 200, 10_000_000)
    lengths = (("length", length), ("upstream", upstream), ("height", height))
    after, before, top = (positive("plate", n, v) for n, v in lengths)
    if left not in LEFT:
        hint = did_you_mean(left, LEFT)
        raise MeshError(f"plate: left = {left!r}, expected one of {', '.join(LEFT)}{hint}")
    normal = Normal.of("plate", wall_spacing, y_plus, reynolds, growth, layers)
    first, rows = normal.solved(top, round((nodes / SQUARE) ** 0.5) - 1)
    steps = round(nodes / (rows + 1)) - 1
    if steps < 16:
        raise MeshError(
            f"plate: {rows} layers of {nodes} nodes leave {max(steps, 0)} steps along the plate, "
            "expected at least 16: ask for more nodes, or for fewer layers"
        )
    mean = (after + before) / steps
    edge = EDGE * mean if edge_spacing is None else positive("plate", "edge_spacing", edge_spacing)
    if not 1e-4 * mean < edge < mean:
        raise MeshError(
            f"plate: edge_spacing = {edge:g}, expected {1e-4 * mean:.3g} to {mean:.3g}, the mean "
            f"length of {steps} steps"
        )
    if first > edge:
        raise MeshError(
            f"plate: the wall cells are {first:.4g} high, expected less than their length at the "
            f"leading edge, {edge:.4g}"
        )
    ahead = _ahead(before / edge, after / edge, steps)
    x = np.concatenate([-grown(edge, before, ahead)[:0:-1], grown(edge, after, steps - ahead)])
    x, y = np.meshgrid(x, grown(first, top, rows))
    return rectangle(x, y, lambda at: _rims(at, ahead, left)).renumbered().numbered()


def _ahead(before: float, after: float, steps: int) -> int:
    """Steps ahead of the leading edge, where they are 1; there they grow AHEAD times as fast."""
    from scipy.optimize import brentq

    def count(length: float, ratio: float) -> float:
        return log1p(length * (ratio - 1)) / log(ratio)

    def total(excess: float) -> float:
        return count(before, 1 + AHEAD * excess) + count(after, 1 + excess)

    excess = brentq(lambda e: total(e) - steps, 1e-9, 100.0)
    ahead = min(max(2, round(count(before, 1 + AHEAD * excess))), steps - 2)
    if not before > ahead or growth_of(before, ahead) > 2.0:
        raise MeshError(
            f"plate: {before:.3g} lengths of an edge cell lie ahead of the leading edge, expected "
            "at least 3: ask for a smaller edge_spacing or a longer part upstream"
        )
    return ahead


def _rims(at: NDArray[np.int32], ahead: int, left: str) -> Rims:
    """Markers of a plate with so many steps ahead of it; `left` is that of the side ahead."""
    far = at[-1] if left == "inlet" else np.concatenate([at[:, 0], at[-1, 1:]])
    rims = {
        "symmetry": [at[0, : ahead + 1]],
        "wall": [at[0, ahead:]],
        "outlet": [at[:, -1]],
        "farfield": [far],
    }
    return rims | ({"inlet": [at[:, 0]]} if left == "inlet" else {})
