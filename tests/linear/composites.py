"""An O-mesh about a cylinder over a stretched Cartesian mesh: status, donors, the composite system.

Plain NumPy and SciPy, all but the donor search; the rules are those of docs/overset.md.
"""

from dataclasses import dataclass

import kinemesh as km
import numpy as np
import scipy.sparse as sp
from kinemesh.flow.projection.laplacian import laplacian

FIELD, RECEPTOR, COVERED, SOLID = 1, -1, 0, -2
OVERLAP, FRINGE = 3, 2
WALL = 0.5  # radius


def ring(spacing, wall_spacing, outer):
    """Points and cells of the O-mesh, its cells growing geometrically to `spacing` outside."""
    growth = 1 + (spacing - wall_spacing) / (outer - WALL)  # of a geometric row of that sum
    layers = round(np.log(spacing / wall_spacing) / np.log(growth)) + 1
    steps = wall_spacing * growth ** np.arange(layers)
    radius = WALL + np.concatenate([[0], np.cumsum(steps)]) * (outer - WALL) / steps.sum()
    around = round(2 * np.pi * outer / spacing)
    angle = 2 * np.pi * np.arange(around) / around
    points = radius[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    at = np.arange(points[..., 0].size).reshape(-1, around)
    after = np.roll(at, -1, axis=1)
    cells = np.stack([at[:-1], at[1:], after[1:], after[:-1]], axis=-1)
    return points.reshape(-1, 2), cells.reshape(-1, 4), at


def stretched(spacing, far, core, growth):
    """Places along a line, their steps growing outside of the core."""
    inner = np.linspace(-core, core, round(2 * core / spacing) + 1)
    outer, step = [core], spacing
    while outer[-1] < far:
        step *= growth
        outer.append(outer[-1] + step)
    return np.concatenate([-np.array(outer[:0:-1]), inner, outer[1:]])


def background(spacing, far, core, growth=1.08):
    """Points and cells of the Cartesian mesh, its cells growing outside of the core."""
    line = stretched(spacing, far, core, growth)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    at = np.arange(len(points)).reshape(len(line), -1)
    cells = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1)
    return points, cells.reshape(-1, 4), at


def grown(marked, graph, layers):
    """Marked nodes, and those within so many cells of them."""
    for _ in range(layers):
        marked = graph @ marked > 0
    return marked


@dataclass
class Composite:
    """Matrix K of both parts side by side, and what the overset connectivity says of its rows."""

    points: np.ndarray
    matrix: sp.csr_matrix
    fixed: np.ndarray
    never: np.ndarray
    status: np.ndarray
    donor: np.ndarray
    weight: np.ndarray

    @property
    def nodes(self):
        return len(self.status)

    def system(self):
        """D^-1 K of the composite grid: a field row, an interpolation, or a row of the unit one."""
        n, field = self.nodes, self.status == FIELD
        kept = sp.diags((field & ~self.fixed) / self.matrix.diagonal())
        columns = sp.diags((~self.fixed).astype(float))
        rows = np.repeat(np.arange(n), 4)
        take = sp.csr_matrix((self.weight.ravel(), (rows, self.donor.ravel())), shape=(n, n))
        receptor = sp.diags((self.status == RECEPTOR).astype(float))
        rest = sp.diags((~field | self.fixed).astype(float))
        return (kept @ self.matrix @ columns + rest - receptor @ take).tocsc()


def composite(spacing, wall_spacing=0.002, shift=(0.0, 0.0), outer=1.5, far=15.0):
    """The ring, shifted, over the background."""
    body, body_cells, rings = ring(spacing, wall_spacing, outer)
    back, back_cells, lines = background(spacing, far, outer + 0.5)
    parts = []
    for points, cells in ((body, body_cells), (back, back_cells)):
        parts.append(-laplacian(points, cells))
    body = body + shift
    graphs = [abs(part) for part in parts]
    for graph in graphs:
        graph.data[:] = 1.0
    layer = np.arange(len(rings))[::-1].repeat(rings.shape[1])  # to the overset boundary

    over, where = search(body, body_cells, back)
    inside = np.hypot(*(back - shift).T) < WALL
    held = over >= 0
    covered = held & (layer[body_cells[over]] >= FRINGE).all(axis=1) & ~inside
    solid = inside & ~held
    field = grown(~covered & ~solid, graphs[1], OVERLAP) & ~solid
    field_or_fringe = grown(field, graphs[1], FRINGE) & ~solid
    back_status = np.where(field, FIELD, np.where(field_or_fringe, RECEPTOR, COVERED))
    back_status[solid] = SOLID
    body_status = np.where(layer < FRINGE, RECEPTOR, FIELD)
    below, there = search(back, back_cells, body)

    count = len(body)
    status = np.concatenate([body_status, back_status]).astype(np.int32)
    donor = np.repeat(np.arange(len(status))[:, None], 4, axis=1)
    weight = np.tile([1.0, 0.0, 0.0, 0.0], (len(status), 1))
    takes = status[:count] == RECEPTOR
    donor[:count][takes], weight[:count][takes] = back_cells[below[takes]] + count, there[takes]
    takes = np.isin(status[count:], (RECEPTOR, COVERED))
    donor[count:][takes], weight[count:][takes] = body_cells[over[takes]], where[takes]
    assert (status[donor[status == RECEPTOR]] == FIELD).all(), "a donor is no field node"
    fixed = np.zeros(len(status), bool)
    fixed[count + np.concatenate([lines[0], lines[-1], lines[:, 0], lines[:, -1]])] = True
    return Composite(
        np.concatenate([body, back]), sp.block_diag(parts, format="csr"), fixed,
        np.concatenate([layer < FRINGE, np.zeros(len(back), bool)]),
        status, donor.astype(np.int32), weight,
    )  # fmt: skip


def search(points, cells, places):
    """Cells of a mesh that hold places, and weights."""
    edges = np.sort(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    found, once = np.unique(edges, axis=0, return_counts=True)
    mesh = km.Mesh.from_arrays(points, cells, {"rim": found[once == 1]})
    return km.overset.search(mesh, places, device="cpu")
