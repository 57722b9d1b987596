"""Meshes of quadrilaterals over a bump in the floor of a channel, for viscous flow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError
from kinemesh.mesh.generate.rectangles import Rims, rectangle
from kinemesh.mesh.generate.spacing import Normal, grown, growth_of, positive, whole
from kinemesh.mesh.mesh import Mesh

Floats = NDArray[np.float64]
LENGTH = 1.5  # of the wall
RISE, FROM, TO = 0.05, 0.3, 1.2  # height of the crest, ends of the bump
SQUARE = 11 / 5  # steps along the channel over layers, by default: NASA's grids have as many
ON_WALL = 5 / 11  # share of the steps that lie on the wall, as of NASA's grids
EDGE = 0.385  # step at the ends of the wall over the mean one there: NASA's grids have as much
RELIEF = 1 / 4  # distance from the wall at which the lowest cells are sqrt(2) times as high
STEEPEST = 2.0  # growth of steps away from the wall
FEWEST = 16  # steps along the channel


def bump_height(x: Floats) -> Floats:
    """Heights of the floor of NASA's bump in a channel at places along it.

    y = 0.05 sin^4(pi x / 0.9 - pi / 3) for 0.3 < x < 1.2, elsewhere 0
    """
    on = (x > FROM) & (x < TO)
    return np.where(on, RISE * np.sin(np.pi * (x - FROM) / (TO - FROM)) ** 4, 0.0)


@checks_names
def bump(
    nodes: int = 14_000,
    upstream: float = 25.0,
    height: float = 5.0,
    wall_spacing: float | None = None,
    y_plus: float | None = None,
    reynolds: float | None = None,
    growth: float | None = None,
    layers: int | None = None,
    edge_spacing: float | None = None,
) -> Mesh:
    """Channel over NASA's bump, of quadrilaterals: a wall from x = 0 to 1.5, stream along x.

    The floor is y = 0.05 sin^4(pi x / 0.9 - pi / 3) for 0.3 < x < 1.2, elsewhere 0 (Turbulence
    Modeling Resource, 2D bump in a channel).  Layers grow geometrically from the wall upwards,
    steps along the channel from the ends of the wall outwards; at a distance d from these the
    lowest cells are sqrt(1 + (4 d)^2) times as high as on the wall.  Of `wall_spacing` (or
    `y_plus`), `growth` and `layers` any two, or the first of them alone.

    Parameters
    ----------
    nodes : int               number of nodes; the mesh has as many within two layers
    upstream : float          length of the planes of symmetry ahead of the wall and behind it
    height : float            of the channel
    wall_spacing : float      height of the wall cells
    y_plus, reynolds : float  height of the wall cells by `kinemesh.mesh.wall_spacing`; Reynolds
                              number of a length of 1
    growth : float            largest ratio of the heights of successive layers over the wall, 1.01
                              to 1.5; default at most 1.24
    layers : int              layers from the floor to the top
    edge_spacing : float      length of the cells at both ends of the wall; default 0.385 of the
                              mean one on it

    Returns
    -------
    Mesh    markers `symmetry` (of the floor), `wall`, `outlet`, `top` and `inlet`

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    nodes = whole("bump", "nodes", nodes, 400, 10_000_000)
    away, top = (positive("bump", n, v) for n, v in (("upstream", upstream), ("height", height)))
    if not top > 2 * RISE:
        raise MeshError(
            f"bump: height = {height!r}, expected more than {2 * RISE:g}, twice that of the bump"
        )
    normal = Normal.of("bump", wall_spacing, y_plus, reynolds, growth, layers)
    first, rows = normal.solved(top, round((nodes / SQUARE) ** 0.5) - 1)
    x, ahead = _along(round(nodes / (rows + 1)) - 1, away, rows, edge_spacing)
    if first > x[ahead + 1] - x[ahead]:
        raise MeshError(
            f"bump: the wall cells are {first:.4g} high, expected less than their length at the "
            f"ends of the wall, {x[ahead + 1] - x[ahead]:.4g}"
        )
    floor = bump_height(x)
    beyond = np.maximum(np.maximum(-x, x - LENGTH), 0.0)
    lowest = np.minimum(first * np.hypot(1.0, beyond / RELIEF), (top / rows + first) / 2)
    columns = [low + grown(h, top - low, rows) for low, h in zip(floor, lowest, strict=True)]
    y = np.stack(columns, axis=1)
    x = np.broadcast_to(x, y.shape)
    return rectangle(x, y, lambda at: _rims(at, ahead)).renumbered().numbered()


def _along(steps: int, away: float, rows: int, edge_spacing: float | None) -> tuple[Floats, int]:
    """Places along the channel, and how many steps lie ahead of the wall.

    On the wall x = 1.5 (t - a sin(2 pi t) / (2 pi)), so that steps are 1 - a of the mean at its
    ends; outside they grow geometrically from there.
    """
    if steps < FEWEST:
        raise MeshError(
            f"bump: {rows} layers leave {max(steps, 0)} steps along the channel, expected at least "
            f"{FEWEST}: ask for more nodes, or for fewer layers"
        )
    ahead = round(steps * (1 - ON_WALL) / 2)
    on = steps - 2 * ahead
    mean = LENGTH / on
    edge = EDGE * mean if edge_spacing is None else positive("bump", "edge_spacing", edge_spacing)
    if not 1e-2 * mean < edge < mean:
        raise MeshError(
            f"bump: edge_spacing = {edge:g}, expected {1e-2 * mean:.3g} to {mean:.3g}, the mean "
            f"length of {on} steps on the wall"
        )
    t = np.linspace(0.0, 1.0, on + 1)
    wall = LENGTH * (t - (1 - edge / mean) * np.sin(2 * np.pi * t) / (2 * np.pi))
    wall[[0, -1]] = 0.0, LENGTH
    first = wall[1]
    if not 1.0 <= growth_of(away / first, ahead) <= STEEPEST:
        least, most = first * ahead, first * (STEEPEST**ahead - 1)
        raise MeshError(
            f"bump: upstream = {away:g} in {ahead} steps from {first:.3g} at the end of the wall, "
            f"expected {least:.3g} to {most:.3g}, so that steps grow by 1 to {STEEPEST:g} each: "
            f"ask for {'a longer one' if away < least else 'more nodes, or for fewer layers'}"
        )
    out = grown(first, away, ahead)[1:]
    return np.concatenate([-out[::-1], wall, LENGTH + out]), ahead


def _rims(at: NDArray[np.int32], ahead: int) -> Rims:
    """Markers of a channel with so many steps ahead of its wall, and behind it."""
    behind = at.shape[1] - 1 - ahead
    return {
        "symmetry": [at[0, : ahead + 1], at[0, behind:]],
        "wall": [at[0, ahead : behind + 1]],
        "outlet": [at[:, -1]],
        "top": [at[-1]],
        "inlet": [at[:, 0]],
    }
