"""The rules of connectivity in space in plain NumPy: every node against every tetrahedron."""

import numpy as np
import scipy.sparse as sp
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.pieces import triangles_of
from overset_brute import Brute, Held


def cones(mesh):
    """(n, 4) tetrahedra of positive volume of cells: cones from the lowest node of each."""
    found = []
    for name, cells in mesh.blocks.items():
        for corner in cells:
            apex = corner.min()
            if len(corner) == 4:
                found.append(corner)
                continue
            for face in SOLIDS[name].faces:
                ring = corner[list(face)]
                ring = np.roll(ring, -int(ring.argmin()))
                for k in range(1, len(ring) - 1):
                    own = [apex, ring[0], ring[k], ring[k + 1]]
                    if len(set(own)) == 4:
                        found.append(own)
    found = np.array(found)
    way = mesh.points[found[:, 1:]] - mesh.points[found[:, :1]]
    return found[np.linalg.det(way) > 1e-15]


def in_tetrahedra(x, cells, points):
    """The first of the tetrahedra (n, 4) that has each place, or -1, and weights of its corners."""
    found, weights = np.full(len(points), -1), np.zeros((len(points), 4))
    for number in range(len(cells) - 1, -1, -1):
        corner = x[cells[number]]
        near = np.flatnonzero(
            ((points >= corner.min(0) - 1e-12) & (points <= corner.max(0) + 1e-12)).all(axis=1)
        )
        if not len(near):
            continue
        own = np.linalg.solve((corner[1:] - corner[0]).T, (points[near] - corner[0]).T).T
        all_ = np.concatenate([1 - own.sum(axis=1, keepdims=True), own], axis=1)
        inside = (all_ >= -1e-13).all(axis=1)
        found[near[inside]], weights[near[inside]] = number, all_[inside]
    return found, weights


def winding(x, facets, points):
    """(n,) turns of closed facets about places, by solid angles (van Oosterom, Strackee 1983)."""
    found = np.zeros(len(points))
    for facet in facets:
        a, b, c = (x[node] - points for node in facet)
        size = [np.linalg.norm(v, axis=1) for v in (a, b, c)]
        volume = np.linalg.det(np.stack([a, b, c], axis=1))
        rest = size[0] * size[1] * size[2] + sum(
            (p * q).sum(axis=1) * s
            for p, q, s in ((a, b, size[2]), (b, c, size[0]), (c, a, size[1]))
        )
        found += np.arctan2(volume, rest)
    return found / (2 * np.pi)


def to_facets(x, facets, points):
    """Distances of places to the nearest of facets, each against each."""
    found = np.full(len(points), np.inf)
    for a, b, c in x[facets]:
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal)
        off = (points - a) @ normal
        foot = points - off[:, None] * normal
        within = np.ones(len(points), bool)
        for one, other in ((a, b), (b, c), (c, a)):
            within &= np.cross(other - one, foot - one) @ normal >= 0
            way = other - one
            share = ((points - one) @ way / (way @ way)).clip(0, 1)
            found = np.minimum(found, np.linalg.norm(points - one - share[:, None] * way, axis=1))
        found = np.where(within, np.minimum(found, np.abs(off)), found)
    return found


class BruteSpace(Brute):
    """Status, donors and weights of a mesh of parts in space with its nodes at x.

    Walls are closed, or closed by their image in the plane y = 0.
    """

    def __init__(self, *given, mirrored=False):
        self.mirrored = mirrored
        super().__init__(*given)

    def corners_of(self, mesh):
        return cones(mesh)

    def graph_of(self, mesh):
        rows, columns, first = [], [], 0
        for cells in mesh.blocks.values():
            rows.append(np.repeat(first + np.arange(len(cells)), cells.shape[1]))
            columns.append(cells.ravel())
            first += len(cells)
        rows, columns = np.concatenate(rows), np.concatenate(columns)
        holds = sp.coo_matrix((np.ones(len(rows)), (rows, columns))).tocsr()
        return ((holds.T @ holds) > 0).astype(np.int32)

    def sizes(self):
        size = np.zeros(len(self.x))
        ends = np.cumsum([len(cells) for cells in self.mesh.blocks.values()])
        volumes = iter(np.split(self.mesh.volumes, ends))
        for cells in self.mesh.blocks.values():
            own = next(volumes) / cells.shape[1]
            for corner in cells.T:
                np.add.at(size, corner, own)
        return np.cbrt(size)

    def walls(self, part):
        return triangles_of(self.mesh.boundaries[self.mesh.names[part]])

    def to_walls(self, part):
        return to_facets(self.x, self.walls(part), self.x[self.own(part)])

    def rims(self, name):
        faces = self.mesh.boundaries[name]
        return faces[faces >= 0]

    def _held(self, a, b):
        points = self.x[self.own(a)]
        mine = np.flatnonzero(self.mesh.part[self.cells[:, 0]] == b)
        cell, weight = in_tetrahedra(self.x, self.cells[mine], points)
        cell = np.where(cell < 0, -1, mine[cell])
        near = np.where(cell >= 0, (weight * self.rank[self.cells[cell]]).sum(axis=1), np.inf)
        solid = np.zeros(len(points), bool)
        if self.mesh.walled[b]:
            facets = self.walls(b)
            turns = winding(self.x, facets, points)
            if self.mirrored:
                turns += winding(self.x, facets, points * [1, -1, 1])
            solid = (np.abs(turns) > 0.5) & (cell < 0)
        return Held(cell, near, solid, weight)
