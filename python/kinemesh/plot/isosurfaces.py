"""Figures of a flow in space: surfaces on which a quantity has one value, and Q, one to be drawn.

Cells are cut into tetrahedra, in each of which the quantity is linear: its surface there is a
triangle or a quadrilateral, and those of neighbours meet (marching tetrahedra: Doi and Koide 1991).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.mesh.generate.cones import tetrahedra
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.plot.style import figure_of, headed, styled
from kinemesh.plot.units import CHORDS, Unit

if TYPE_CHECKING:
    from kinemesh.results import Fields

Array = NDArray[Any]
LIGHT = np.array([-0.35, -0.55, 0.76])  # way to the light
DIM = 0.45  # share of a colour that is left on what the light does not reach
BRIGHT, DULL = (0.85, 0.62, 0.24, 1.0), (0.54, 0.56, 0.6, 1.0)  # of a surface, and of walls
FLAT = 1e-12  # volume over the product of three edges: four corners in a plane, but for round-off
MARGIN = 0.005  # of a figure's width and height, about labels
MOST = 200_000  # triangles of a figure; matplotlib takes some 10 s for so many


def _cones(cells: Array) -> Array:
    """Tetrahedra (k, 4) of cells of any kind (cells, corners), -1 behind their last corner."""
    count = (cells >= 0).sum(axis=1)
    blocks = {n: cells[count == own.corners, : own.corners] for n, own in SOLIDS.items()}
    return tetrahedra(blocks, np.arange(cells.max() + 1))


def q_criterion(flow: Fields) -> Array:
    """Q (nodes,) of Hunt, Wray and Moin (1988): half of |Omega|^2 - |S|^2, above 0 in vortices.

    Omega and S are the antisymmetric and symmetric parts of the velocity's gradient, which is the
    mean of those of the tetrahedra about a node by their volumes; exact for linear velocities.
    Tetrahedra without a volume, such as cells have whose edges go straight on, are left out, and
    nodes of no other ones have the mean of the gradients at these' other corners.

    Raises
    ------
    CaseError    a flow of the plane, on cells, or without Velocity
    """
    _refuse_flat(flow.points, flow.cells, flow.on)
    if "Velocity" not in flow:
        raise CaseError(f"plot: the fields have no Velocity; there are {', '.join(flow)}")
    x, cells = flow.points, _cones(flow.cells)
    edges = x[cells[:, 1:]] - x[cells[:, :1]]
    areas = np.cross(np.roll(edges, -1, axis=1), np.roll(edges, -2, axis=1))
    volume = np.einsum("nd,nd->n", edges[:, 0], areas[:, 0])
    whole = np.abs(volume) > FLAT * np.prod(np.linalg.norm(edges, axis=2), axis=1)
    flat, cells, volume, areas = cells[~whole], cells[whole], volume[whole], areas[whole]
    u = flow["Velocity"]
    rise = np.sign(volume)[:, None, None] * (u[cells[:, 1:]] - u[cells[:, :1]])
    slopes = np.einsum("nki,nkj->nij", areas, rise)  # of u_j along x_i, times the volume
    total, weight = np.zeros((len(x), 3, 3)), np.zeros(len(x))
    for corner in cells.T:
        np.add.at(total, corner, slopes)
        np.add.at(weight, corner, np.abs(volume))
    mean = total / np.where(weight > 0, weight, 1.0)[:, None, None]
    _from_others(mean, weight > 0, flat)
    return np.asarray(-0.5 * np.einsum("nij,nji->n", mean, mean))


def _from_others(mean: Array, known: Array, flat: Array) -> None:
    """Fill in gradients (nodes, 3, 3) of nodes in flat tetrahedra alone: means of the others'."""
    near = (~known[flat][:, :, None] & known[flat][:, None]).nonzero()
    own, other = flat[near[0], near[1]], flat[near[0], near[2]]
    np.add.at(mean, own, mean[other])
    count = np.bincount(own, minlength=len(mean))
    mean /= np.where(count > 0, count, 1)[:, None, None]


def triangles_at(
    cells: Array, values: Array, level: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Corners of the triangles of an isosurface: each between two nodes (k, 3, 2), share (k, 3).

    A corner is at (1 - share) of its first node and share of its second.

    Parameters
    ----------
    cells : (cells, corners) numbers of nodes, -1 behind the last;  values : (nodes,)
    """
    cones = _cones(cells)
    above = values[cones] > level
    found = []
    for corner in range(4):  # alone on its side
        others = [k for k in range(4) if k != corner]
        alone = above[:, corner, None] != above[:, others]
        own = cones[alone.all(axis=1)]
        found.append(np.stack([own[:, [corner] * 3], own[:, others]], axis=2))
    for pair in ((0, 1), (0, 2), (0, 3)):  # two and two: corners round about
        a, b = pair
        c, d = (k for k in range(4) if k not in pair)
        alike = (above[:, a] == above[:, b]) & (above[:, c] == above[:, d])
        own = cones[alike & (above[:, a] != above[:, c])]
        ring = np.stack([own[:, each] for each in ((a, c), (a, d), (b, d), (b, c))], axis=1)
        found += [ring[:, [0, 1, 2]], ring[:, [0, 2, 3]]]
    ends = np.concatenate(found).astype(np.int64)
    ends.sort(axis=2)  # so that neighbours have one place for a corner
    low, high = values[ends[..., 0]], values[ends[..., 1]]
    return ends, (level - low) / (high - low)


@styled
def isosurface(
    points: Array,
    cells: Array,
    values: Array,
    level: float,
    walls: Array,
    title: str = "",
    *,
    colours: Array | None = None,
    range: Sequence[float] | None = None,
    label: str = "",
    box: Sequence[float] | None = None,
    way: tuple[float, float] = (25.0, -125.0),
    unit: Unit = CHORDS,
) -> Any:
    """Surface on which values are at a level, and the walls, seen from a side.

    points (nodes, 3), cells (cells, corners) with -1 behind the last, values (nodes,), walls
    (t, 3).

    Parameters
    ----------
    colours : (nodes,) what the surface is coloured by; one colour if not given
    range : (low, high) that colours begin and end with; by default those of the surface
    label : of the colours
    box : (x0, x1, y0, y1, z0, z1) that is seen; by default what of the surface and walls there is
    way : height over the plane of x and y, and turn about z, of the eye [deg]
    unit : what points are in

    Raises
    ------
    CaseError    a flow of the plane, or on cells; values of other nodes; a level that is not
        finite, that has no surface, or one of too many triangles
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    on = "cells" if len(values) == len(cells) != len(points) else "points"
    _refuse_flat(points, cells, on)
    if len(values) != len(points):
        raise CaseError(f"plot: {len(values)} values of {len(points)} nodes, expected one of each")
    if not np.isfinite(level):
        raise CaseError(f"plot: level = {level!r}, expected a finite number")
    ends, share = triangles_at(cells, values, level)
    place = _between(points, ends, share)
    seen = _within(place, box)
    place, ends, share = place[seen], ends[seen], share[seen]
    if not 0 < len(place) <= MOST:
        raise CaseError(
            f"plot: {len(place)} triangles at level {level:g}, expected 1 to {MOST}; values are "
            f"{values.min():.4g} to {values.max():.4g}, and box leaves out what is beyond it"
        )
    body = points[walls]
    body = body[_within(body, box)]
    shown = _between(values if colours is None else colours, ends, share).mean(axis=1)
    low, high = (shown.min(), shown.max()) if range is None else range
    scale = ScalarMappable(Normalize(low, high), colormaps["viridis" if low >= 0 else "RdBu_r"])
    tone = scale.to_rgba(shown) if colours is not None else np.tile(BRIGHT, (len(place), 1))
    both = np.concatenate([place, body])
    tones = np.concatenate([tone, np.tile(DULL, (len(body), 1))])
    figure = figure_of(7.2, 5.2)
    axes = figure.add_subplot(projection="3d", computed_zorder=False)
    corners = both.reshape(-1, 3)
    ranges = np.stack([corners.min(axis=0), corners.max(axis=0)])
    ranges = ranges if box is None else np.reshape(box, (3, 2)).T
    axes.set(xlim=ranges[:, 0], ylim=ranges[:, 1], zlim=ranges[:, 2])
    axes.view_init(*way)
    axes.set(xlabel=unit.over("x"), ylabel=unit.over("y"), zlabel=unit.over("z"))
    axes.locator_params(nbins=5)
    if colours is not None:
        figure.colorbar(scale, ax=axes, shrink=0.6, pad=0.08).set_label(label)
    headed(figure, title)
    _fit(figure, axes, ranges)
    axes.add_collection3d(Poly3DCollection(both, facecolors=_lit(both, tones), edgecolors="none"))
    return figure


def _fit(figure: Any, axes: Any, ranges: Array, zoom: float = 1.15) -> None:
    """Zoom until axes of ranges (2, 3), their numbers and labels are within the figure."""
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    corners = np.stack(np.meshgrid(*ranges.T)).reshape(3, -1)
    while zoom > 0.5:
        axes.set_box_aspect(np.ptp(ranges, axis=0), zoom=zoom)
        for _ in (1, 2):  # for the layout, and by it
            figure.draw_without_rendering()
        seen = axes.transData.transform(np.transpose(proj_transform(*corners, axes.get_proj())[:2]))
        each = [axis.get_tightbbox().extents for axis in (axes.xaxis, axes.yaxis, axes.zaxis)]
        reach = np.concatenate([seen, np.reshape(each, (-1, 2))])
        off = np.stack([reach.min(axis=0), reach.max(axis=0)])
        middle = axes.bbox.extents.reshape(2, 2).mean(axis=0)
        room = figure.bbox.extents.reshape(2, 2) * (1 - 2 * MARGIN) + MARGIN * figure.bbox.size
        room[1, 1] = axes.bbox.y1  # below the title
        share = ((room - middle) / (off - middle)).min()
        if share >= 1:
            return
        zoom *= min(float(share), 0.97)  # the layout follows


def _refuse_flat(points: Array, cells: Array, on: str) -> None:
    """CaseError for a flow that has no surfaces of nodes' values."""
    if points.shape[1] != 3 or on != "points":
        where = "of the plane" if points.shape[1] != 3 else "on cells"
        raise CaseError(f"plot: a flow {where}, expected one in space with values at nodes")
    if not len(cells):
        raise CaseError("plot: no cells, expected those of a flow in space")


def _between(values: Array, ends: Array, share: Array) -> Array:
    """Values (k, 3, ...) at corners between nodes."""
    first, second = values[ends[..., 0]], values[ends[..., 1]]
    share = share.reshape(share.shape + (1,) * (first.ndim - 2))
    return np.asarray(first + share * (second - first))


def _within(corners: Array, box: Sequence[float] | None) -> Array:
    """(k,) whether all corners (k, 3, 3) of a triangle are in a box."""
    if box is None:
        return np.ones(len(corners), bool)
    low, high = np.reshape(box, (3, 2)).T
    return np.asarray(((corners >= low) & (corners <= high)).all(axis=(1, 2)))


def _lit(corners: Array, tones: Array) -> Array:
    """Colours (k, 4) of triangles in the light, both sides alike."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    shine = np.abs(normal @ LIGHT) / np.where(length > 0, length, 1.0)
    return np.column_stack([tones[:, :3] * (DIM + (1 - DIM) * shine)[:, None], tones[:, 3]])
