"""The rules of connectivity in plain NumPy: every node against every cell, where they stand."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

FIELD, RECEPTOR, COVERED, SOLID = 1, -1, 0, -2


@dataclass
class Held:
    """Nodes in another part: the lowest cell (-1: none), the rank there, whether within walls."""

    cell: np.ndarray
    near: np.ndarray
    solid: np.ndarray
    weight: np.ndarray


def corners_of(mesh):
    """(cells, 4) nodes, the third twice in a triangle."""
    return np.where(mesh.cells < 0, mesh.cells[:, 2:3], mesh.cells)


def to_walls(x, edges, seen=None):
    """Distances of places x, or of those `seen`, to the nearest of segments, each against each."""
    a, b = x[edges[:, 0]], x[edges[:, 1]]
    x = x if seen is None else seen
    found = np.full(len(x), np.inf)
    for one, other in zip(a, b, strict=True):
        way = other - one
        share = ((x - one) @ way / (way @ way)).clip(0, 1)
        found = np.minimum(found, np.linalg.norm(x - one - share[:, None] * way, axis=1))
    return found


def in_cells(x, cells, points):
    """The lowest of the cells (c, 4) that has each place on no side's right, or -1."""
    found = np.full(len(points), -1)
    for number in range(len(cells) - 1, -1, -1):
        k = cells[number]
        a, b = x[k], x[np.roll(k, -1)]
        low, high = x[k].min(axis=0), x[k].max(axis=0)
        near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        p = points[near][:, None]
        turn = (b - a)[:, 0] * (p - a)[..., 1] - (b - a)[:, 1] * (p - a)[..., 0]
        found[near[(turn >= 0).all(axis=1)]] = number
    return found


def inside_loop(x, edges, points):
    """Mask of points within closed loops of edges: an odd number of crossings of a ray."""
    crossed = np.zeros(len(points), int)
    for a, b in zip(x[edges[:, 0]], x[edges[:, 1]], strict=True):
        span = (a[1] > points[:, 1]) != (b[1] > points[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = a[0] + (points[:, 1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
        crossed += span & (points[:, 0] < at)
    return crossed % 2 == 1


def weights_in(corner, p):
    """(n, 4) weights in cells (n, 4, 2): a root of the bilinear map by Newton's method."""
    three = (corner[:, 2] == corner[:, 3]).all(axis=1)
    a, b, c, d = corner.transpose(1, 0, 2)
    u, v = b - a, np.where(three[:, None], c - a, d - a)
    t = np.where(three[:, None], 0.0, a + c - b - d)
    r = np.full((len(p), 2), 0.5)
    for _ in range(30):
        miss = p - a - u * r[:, :1] - v * r[:, 1:] - t * r[:, :1] * r[:, 1:]
        matrix = np.stack([u + t * r[:, 1:], v + t * r[:, :1]], axis=2)
        r += np.linalg.solve(matrix, miss[:, :, None])[:, :, 0]
    r, s = r.T
    quad = np.stack([(1 - r) * (1 - s), r * (1 - s), r * s, (1 - r) * s], axis=1)
    return np.where(three[:, None], np.stack([1 - r - s, r, s, 0 * r], axis=1), quad)


def beside(graph, there):
    """Nodes that share a cell with one of those."""
    return (graph @ there.astype(np.int32)) > 0


class Brute:
    """Status, donors and weights of a mesh of parts with its nodes at x.

    A wall is one closed loop about a body, or no wall.
    """

    def __init__(self, mesh, x, overlap, fringe):
        self.mesh, self.x = mesh, x
        self.cells = self.corners_of(mesh)
        self.graph = self.graph_of(mesh)
        self.layer = self._layers()
        self.rank = self._ranks()
        self.held = {
            (a, b): self._held(a, b)
            for a in range(len(mesh.names))
            for b in range(len(mesh.names))
            if a != b
        }
        self._status(overlap, fringe)
        self._donors()

    def corners_of(self, mesh):
        return corners_of(mesh)

    def graph_of(self, mesh):
        """Nodes that share a cell."""
        cells = corners_of(mesh)
        rows = np.repeat(np.arange(len(cells)), 4)
        holds = sp.coo_matrix((np.ones(len(rows)), (rows, cells.ravel()))).tocsr()
        return ((holds.T @ holds) > 0).astype(np.int32)

    def own(self, part):
        return np.arange(*self.mesh.first[part : part + 2])

    def _layers(self):
        found = np.full(len(self.x), 1 << 20)
        for names in [self.mesh.of_role("rim")]:
            for name in names:
                found[self.rims(name)] = 0
        for turn in range(40):
            reached = beside(self.graph, found == turn) & (found > turn)
            found[reached] = turn + 1
        return found

    def _ranks(self):
        rank = np.full(len(self.x), np.nan)
        for part in range(len(self.mesh.names)):
            if self.mesh.walled[part]:
                rank[self.own(part)] = self.to_walls(part)
        none = np.isnan(rank)
        enclosed = any(self.mesh.walled & ~self.mesh.outer)  # the background has walls
        rank[none] = (10 if enclosed else 1e6) * self.sizes()[none]
        return rank

    def rims(self, name):
        """Nodes of an overset boundary."""
        return self.mesh.boundaries[name]

    def to_walls(self, part):
        """Distances of a part's nodes to its walls."""
        own = self.own(part)
        return to_walls(self.x[own], self.mesh.boundaries[self.mesh.names[part]] - own[0])

    def sizes(self):
        """Roots of nodes' shares of their cells' areas."""
        area = self.mesh.areas / (self.mesh.cells >= 0).sum(axis=1)
        size = np.zeros(len(self.x))
        for k in range(4):
            there = self.mesh.cells[:, k] >= 0
            np.add.at(size, self.mesh.cells[there, k], area[there])
        return np.sqrt(size)

    def _held(self, a, b):
        """Nodes of part a in part b."""
        points, name = self.x[self.own(a)], self.mesh.names[b]
        mine = np.flatnonzero(self.mesh.part[self.cells[:, 0]] == b)
        cell = in_cells(self.x, self.cells[mine], points)
        cell = np.where(cell < 0, -1, mine[cell])
        inside = self.cells[cell]
        weight, found = np.zeros((len(points), 4)), cell >= 0
        weight[found] = weights_in(self.x[inside[found]], points[found])
        near = np.where(cell >= 0, (weight * self.rank[inside]).sum(axis=1), np.inf)
        walls = self.mesh.boundaries[name] if self.mesh.walled[b] else np.empty((0, 2), int)
        solid = inside_loop(self.x, walls, points) & (cell < 0)
        return Held(cell, near, solid, weight)

    def _status(self, overlap, fringe):
        n, mesh = len(self.x), self.mesh
        solid, covered, within = (np.zeros(n, bool) for _ in range(3))
        within[~mesh.outer[mesh.part]] = True
        for (a, b), held in self.held.items():
            own, there = self.own(a), held.cell >= 0
            deep = (self.layer[self.cells[held.cell]] >= fringe).all(axis=1)
            solid[own] |= held.solid
            covered[own] |= there & deep & (held.near < self.rank[own] * (1 - 1e-9))
            if not mesh.outer[b]:
                within[own] |= there
        solid |= ~within
        field = ~covered & ~solid & (self.layer >= fringe)
        self.owner = field.copy()
        for _ in range(overlap):
            field |= beside(self.graph, field) & ~solid & (self.layer >= fringe)
        takes = np.zeros(n, bool)
        for _ in range(fringe):
            takes |= beside(self.graph, field | takes) & ~solid & ~field
        self.status = np.select([solid, field, takes], [SOLID, FIELD, RECEPTOR], COVERED)

    def _donors(self):
        """Set each receptor's cell, weights and worth: 2 all field, 1 with receptors, 0 none."""
        n = len(self.x)
        self.cell, self.worth = np.full(n, -1), np.zeros(n, int)
        self.weight, near = np.zeros((n, 4)), np.full(n, np.inf)
        points = {FIELD: 2, RECEPTOR: 1, COVERED: 0, SOLID: 0}
        of = np.array([points[s] for s in self.status])
        for (a, _), held in self.held.items():
            for k, node in enumerate(self.own(a)):
                if held.cell[k] < 0 or self.status[node] not in (RECEPTOR, COVERED):
                    continue
                worth = of[self.cells[held.cell[k]]].min()
                if (-worth, held.near[k]) < (-self.worth[node], near[node]):
                    self.cell[node], self.worth[node] = held.cell[k], worth
                    self.weight[node], near[node] = held.weight[k], held.near[k]
