"""Exact metrics of the median dual in space, in NumPy: the twin of kernels (docs/theory.md)."""

import numpy as np
from kinemesh.mesh.dual import boundary_faces, solid_dual
from kinemesh.mesh.kinds import OF_CORNERS


def corners_of(tables):
    """Kind, ring entries and local edge of each group of alike facets."""
    count = np.diff(tables.first)[tables.ring_cell]
    for corners, kind in OF_CORNERS.items():
        for number in range(len(kind.edges)):
            found = np.flatnonzero((count == corners) & (tables.ring_local // 2 == number))
            if len(found):
                yield kind, number, found


def two_triangles(kind, number, value, turn):
    """(entries, 2, 3, 3) triangles of an edge's facet from values at the corners of its cell."""
    (a, b), sides = kind.edges[number], kind.sides[number]
    M = 0.5 * (value[:, a] + value[:, b])
    C = value.mean(axis=1)
    F1, F2 = (value[:, list(kind.faces[side])].mean(axis=1) for side in sides)
    F1, F2 = np.where(turn[:, None], F2, F1), np.where(turn[:, None], F1, F2)
    return np.stack([np.stack([M, F2, C], 1), np.stack([M, C, F1], 1)], 1)


def facets(tables, x, moved):
    """Triangles of all facets: edge, three corners before and after, each (entries, 2, 3, 3).

    Places are relative to the lower node of the edge; displacements are the nodes' own.
    """
    edge = np.repeat(np.arange(len(tables.lr)), np.diff(tables.ring_offsets))
    owner, before, shifts = [], [], []
    for kind, number, found in corners_of(tables):
        cell = tables.first[tables.ring_cell[found]]
        nodes = tables.corner[cell[:, None] + np.arange(kind.corners)]
        base = x[tables.lr[edge[found], 0]][:, None]
        turn = (tables.ring_local[found] % 2).astype(bool)
        owner.append(edge[found])
        before.append(two_triangles(kind, number, x[nodes] - base, turn))
        shifts.append(two_triangles(kind, number, moved[nodes], turn))
    return np.concatenate(owner), np.concatenate(before), np.concatenate(shifts)


def summed(owner, value, count):
    """Sums of the values by owner."""
    found = np.zeros((count, *value.shape[1:]))
    np.add.at(found, owner, value)
    return found


def areas(p):
    """Area vectors of triangles (..., 3, 3)."""
    return 0.5 * np.cross(p[..., 1, :] - p[..., 0, :], p[..., 2, :] - p[..., 0, :])


def swept(p, shift):
    """Volumes swept by triangles (..., 3, 3) whose corners move by `shift`, linearly in time."""
    delta = shift.mean(axis=-2)
    e0, f0 = p[..., 1, :] - p[..., 0, :], p[..., 2, :] - p[..., 0, :]
    de, df = shift[..., 1, :] - shift[..., 0, :], shift[..., 2, :] - shift[..., 0, :]
    middle = np.cross(e0 + 0.5 * de, f0 + 0.5 * df) + np.cross(0.5 * de, 0.5 * df) / 3
    return 0.5 * (delta * middle).sum(axis=-1)


def quarters(node, corners, value, base):
    """(entries, 2, 3, 3) the two triangles that the dual of a node has of each face at it."""
    here = value[node] - base
    after, before = (value[corners[:, k]] - base for k in (0, 1))
    triangle = corners[:, 2:] < 0
    across = np.where(triangle, 0.0, value[corners[:, 2]] - base)
    F = (here + after + before + across) / np.where(triangle, 3, 4)
    Mn, Mp = 0.5 * (here + after), 0.5 * (here + before)
    return np.stack([np.stack([here, Mn, F], 1), np.stack([here, F, Mp], 1)], 1)


class Metrics:
    """S of edges, V of nodes, S of the boundary's nodes; swept volumes where nodes move."""

    def __init__(self, mesh, x=None, moved=None):
        self.tables = tables = solid_dual(mesh)
        x = mesh.points if x is None else x
        moved = np.zeros_like(x) if moved is None else moved
        owner, p, shift = facets(tables, x, moved)
        edges, nodes = len(tables.lr), mesh.nodes
        self.S = summed(owner, areas(p).sum(axis=1), edges)
        self.dV = summed(owner, swept(p, shift).sum(axis=1), edges)
        self.dV_size = summed(owner, np.abs(swept(p, shift)).sum(axis=1), edges)
        a, b = tables.lr.T
        share = (self.S * (x[b] - x[a])).sum(axis=1) / 6
        self.V = np.bincount(a, share, nodes) + np.bincount(b, share, nodes)
        faces = np.concatenate(list(mesh.boundaries.values()))
        found = boundary_faces(nodes, faces, np.zeros(len(faces), int))
        self.node, offsets, corners, _ = found
        own = np.repeat(self.node, np.diff(offsets))
        p, shift = quarters(own, corners, x, x[own]), quarters(own, corners, moved, 0.0)
        at = np.repeat(np.arange(len(self.node)), np.diff(offsets))
        self.bS = summed(at, areas(p).sum(axis=1), len(self.node))
        self.bdV = summed(at, swept(p, shift).sum(axis=1), len(self.node))
        self.bdV_size = summed(at, np.abs(swept(p, shift)).sum(axis=1), len(self.node))

    def closure(self, nodes):
        """(nodes, 3) sums of all area vectors about each node, and of their sizes."""
        a, b = self.tables.lr.T
        left, size = np.zeros((nodes, 3)), np.zeros(nodes)
        np.add.at(left, a, self.S)
        np.add.at(left, b, -self.S)
        np.add.at(left, self.node, self.bS)
        for at, S in ((a, self.S), (b, self.S), (self.node, self.bS)):
            np.add.at(size, at, np.linalg.norm(S, axis=1))
        return left, size

    def swept(self, nodes):
        """(nodes,) volumes that each dual gains through its faces, and the sums of their sizes."""
        a, b = self.tables.lr.T
        gain, size = np.zeros(nodes), np.zeros(nodes)
        np.add.at(gain, a, self.dV)
        np.add.at(gain, b, -self.dV)
        np.add.at(gain, self.node, self.bdV)
        for at, value in ((a, self.dV_size), (b, self.dV_size), (self.node, self.bdV_size)):
            np.add.at(size, at, value)
        return gain, size
