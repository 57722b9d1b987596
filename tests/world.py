"""A mesh of two members with every table that a kernel may ask for, each consistent with the rest.

Each member is a jittered grid of triangles and quadrilaterals on the unit square; rows are nodes
in the order of their colours, a block for each pair of neighbours.  Values are keyed by
"field|shape", as kernels declare them.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from kinemesh.linear.face_colours import first_fit
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.overset.bins import bins_of
from kinemesh.overset.bins_space import Level, bins_of_solids
from kinemesh.overset.inside import inside_of
from kinemesh.overset.tetrahedra import Tetrahedra

NONE = np.uint64(2**64 - 1)  # no fault


def grid(nx, ny, quads, rng):
    """Points and cells (fourth corner -1: triangle) of a jittered, stretched unit square."""
    i, j = np.meshgrid(np.arange(nx + 1), np.arange(ny + 1))
    inside = ((i > 0) & (i < nx) & (j > 0) & (j < ny)).ravel()
    points = np.stack([i.ravel() / nx, (j.ravel() / ny) ** 1.3], axis=1)
    points += inside[:, None] * rng.uniform(-0.2, 0.2, points.shape) * [1 / nx, 0.6 / ny]
    cells = []
    for b in range(ny):
        for a in range(nx):
            p = b * (nx + 1) + a
            q, r, s = p + 1, p + nx + 2, p + nx + 1
            if quads and (a + b) % 3 == 0:
                cells.append((p, q, r, s))
            elif (a + b) % 2:
                cells += [(p, q, r, -1), (p, r, s, -1)]
            else:
                cells += [(p, q, s, -1), (q, r, s, -1)]
    return points, np.array(cells, np.int32)


def csr(lists):
    """Offsets and entries of a list of lists."""
    offsets = np.cumsum([0, *(len(entry) for entry in lists)])
    return offsets.astype(np.int32), np.array([x for entry in lists for x in entry], np.int32)


def wave_bits(x):
    """Sign, five bits of exponent and eight of fraction: record_wave_bits, cloud/record.h."""
    bits = x.astype(np.float32).view(np.uint32) + (1 << 14)
    size = ((bits & 0x7FFFFFFF) >> 15).astype(int) - (112 << 8)
    return (bits >> 31 << 13).astype(np.uint32) | size.clip(0, 0x1FFF).astype(np.uint32)


def records(du, velocity, sound):
    """Float32 numbers and waves as the sweeps hold them: csrc/kernels/cloud/record.h."""
    a, b, c, d = wave_bits(np.c_[velocity, sound]).T
    words = [*du.astype(np.float32).view(np.uint32).T, 0 * a, a << 8 | b << 22]
    return np.stack([*words, b >> 10 | c << 4 | d << 18], 1).view(np.int32)


def unpacked(records):
    """(n, 5) numbers and (n, 4) waves of such records."""
    words = records.view(np.uint32).astype(np.int64)
    rest = np.stack([*((words[:, 5] >> 8 * k) & 255 for k in range(4)), words[:, 6] & 255], 1)
    sign, exponent = 1 - 2 * (words[:, :5] >> 31), (words[:, :5] >> 23) & 255
    share = ((words[:, :5] & 0x7FFFFF) << 8 | rest) / 2.0**31
    du = sign * (exponent > 0) * (1 + share) * 2.0 ** (exponent - 127)
    du[exponent == 255] = np.nan
    bits = words[:, 6] >> 8 | words[:, 7] << 24
    waves = np.stack([(bits >> 14 * k) & 0x3FFF for k in range(4)], 1)
    sign, size = 1 - 2 * (waves >> 13), waves & 0x1FFF
    found = sign * (size > 0) * (1 + (size & 255) / 256) * 2.0 ** ((size >> 8) - 15)
    found[np.isnan(du).any(axis=1)] = np.nan
    return du, found


def upright(corner, kind, edge):
    """Cosine between an edge of a cell and its facet of the dual."""
    a, b = corner[list(kind.edges[edge])]
    first, second = (corner[list(kind.faces[face])].mean(axis=0) for face in kind.sides[edge])
    S = np.cross(corner.mean(axis=0) - (a + b) / 2, first - second)
    return S @ (b - a) / np.sqrt((S @ S) * ((b - a) @ (b - a)))


class World:
    """Two meshes in one numbering, and everything that kernels ask about them."""

    def __init__(self, nx=4, ny=3, quads=True, seed=1):
        self.rng = np.random.default_rng(seed)
        self.extent = {"members": 2, "bodies": 3, "groups": 5, "chunks": 11, "cases": 2}
        self.values = {}
        self.launches = [None]
        points, cells = zip(*(grid(nx, ny, quads, self.rng) for _ in range(2)), strict=True)
        alone = len(points[0])
        self.x = np.concatenate(points)
        shift = [0, alone]
        self.cells = np.concatenate(
            [np.where(c < 0, -1, c + s) for c, s in zip(cells, shift, strict=True)]
        ).astype(np.int32)
        self.member = np.repeat(np.arange(2), alone).astype(np.int32)
        corner = [0, nx, alone - 1, alone - 1 - nx]
        self.hull = np.array([[c + s for c in corner] for s in shift], np.int32)
        self.connect()
        self.order()
        self.fields()

    def put(self, name, value, dtype=np.int32):
        self.values[name] = np.ascontiguousarray(value, dtype)

    def around(self, cell):
        corners = [int(c) for c in self.cells[cell] if c >= 0]
        return corners, list(zip(corners, corners[1:] + corners[:1], strict=True))

    def connect(self):
        """Edges from the lower to the higher node, cells of edges, fans, boundary chains."""
        sides, touching = {}, [[] for _ in self.x]
        for c in range(len(self.cells)):
            corners, pairs = self.around(c)
            for k, node in enumerate(corners):
                touching[node].append((c, k))
            for a, b in pairs:
                sides.setdefault((min(a, b), max(a, b)), [-1, -1])[int(a > b)] = c
        lr = np.array(sorted(sides), np.int32)
        colour = first_fit(lr, len(self.x))
        lr, counts = lr[np.argsort(colour, kind="stable")], np.bincount(colour)
        starts = np.cumsum(counts) - counts
        self.face_colours = list(zip(starts.tolist(), counts.tolist(), strict=True))
        self.lr, self.sides = lr, np.array([sides[tuple(e)] for e in lr], np.int32)
        near = [[] for _ in self.x]
        for e, (a, b) in enumerate(lr):
            near[a].append((int(b), e))
            near[b].append((int(a), e))
        self.near = [sorted(entry) for entry in near]
        self.touching = touching
        after = {}
        for (a, b), (left, right) in sides.items():
            if left < 0 or right < 0:
                after.update({b: a} if left < 0 else {a: b})
        self.chain(after)

    def chain(self, after):
        """A marker per member: most of the boundary, so that it has two ends."""
        node, ends = [], []
        for start in self.hull[:, 0]:
            loop = [int(start)]
            while after[loop[-1]] != start:
                loop.append(after[loop[-1]])
            loop = loop[:-3]
            node += loop
            ends += zip([-1, *loop[:-1]], [*loop[1:], -1], strict=True)
        self.bnode = np.array(node, np.int32)
        self.ends = np.array(ends, np.int32)
        self.boundary = np.array(sorted(after), np.int32)

    def order(self):
        """Rows in colour order, the block pattern, and the fans of triangles."""
        colour = np.full(len(self.x), -1)
        for i in self.rng.permutation(len(self.x)):
            used = {colour[j] for j, _ in self.near[i]}
            colour[i] = next(c for c in range(len(self.x)) if c not in used)
        self.colour = colour
        self.node = np.argsort(colour, kind="stable").astype(np.int32)
        self.row_of = np.argsort(self.node).astype(np.int32)
        count = np.bincount(colour)
        self.colours = list(zip(np.cumsum([0, *count[:-1]]).tolist(), count.tolist(), strict=True))
        lists = [sorted(self.row_of[[n, *(j for j, _ in self.near[n])]]) for n in self.node]
        self.row, self.column = csr(lists)
        self.block = {}
        for r in range(len(lists)):
            for b in range(self.row[r], self.row[r + 1]):
                self.block[r, int(self.column[b])] = b

    def slot(self, a, b):
        return self.block[int(self.row_of[a]), int(self.row_of[b])]

    # ------------------------------------------------------------ values

    def fields(self):
        self.tables()
        self.matrices()
        self.geometry()
        self.gas()
        self.space()
        self.solids(np.random.default_rng(9))
        self.donors()
        self.overset()
        self.solid_bins(np.random.default_rng(15))
        self.control()
        for key, value in self.values.items():
            shape = key.partition("|")[2]
            if not np.ndim(value) or shape == "upd":
                continue
            for name, n in zip(shape.partition(">")[0].split(","), value.shape, strict=True):
                if name.isidentifier():
                    self.extent[name] = n

    def tables(self):
        put, near = self.put, self.near
        rows = range(len(self.node))
        put("member|nodes>members", self.member)
        put("member|rows>members", self.member[self.node])
        put("lr|edges,2>nodes", self.lr)
        put("cells_of_edge|edges,2>cells?", self.sides)
        put("corners|cells,4>nodes?", self.cells)
        put("node|bnodes>nodes!", self.bnode)
        put("node|bnodes>nodes", self.bnode)
        self.on_cells()
        own, count = np.random.default_rng(4), len(self.bnode)
        put("back|bnodes", own.uniform(0.3, 1.2, count), float)
        put("total|bnodes,2", own.uniform(0.8, 1.3, (count, 2)), float)
        for dimensions in (2, 3):
            ways = own.uniform(-1, 1, (count, dimensions))
            ways /= np.linalg.norm(ways, axis=1, keepdims=True)
            ways[own.random(count) < 0.5] = 0.0
            put(f"way|bnodes,{dimensions}", ways, float)
        put("ends|bnodes,2>nodes?", self.ends)
        put("ends|faces,2>nodes", self.lr)
        outer = np.arange(len(self.lr)) % 5 == 0  # the second side of some faces is outside
        put("pair|faces,2>nodes?", np.where(outer[:, None] & [False, True], -1, self.lr))
        put("first|lists+1>>edges", [0, len(self.lr), len(self.lr)])  # one has all
        put("member|cells>members", self.member[self.cells[:, 0]])
        starts, nodes = csr([own[own >= 0] for own in self.cells])
        put("cell_starts|cells+1>>cell_corners", starts)
        put("cell_nodes|cell_corners>nodes", nodes)
        squares = np.append(0, np.cumsum(np.diff(starts) ** 2))
        put("squares|cells+1>>given_entries", squares)
        given = np.random.default_rng(17).uniform(-1, 1, squares[-1])
        put("given|given_entries", given, float)
        offsets, neighbour = csr([[j for j, _ in entry] for entry in near])
        put("offsets|nodes+1>>entries", offsets)
        put("starts|nodes+1>>entries", offsets)
        put("neighbour|entries>nodes", neighbour)
        put("edge|entries>edges", csr([[e for _, e in entry] for entry in near])[1])
        offsets, cell = csr([[c for c, _ in entry] for entry in self.touching])
        put("offsets|nodes+1>>corner_entries", offsets)
        put("cell|corner_entries>cells", cell)
        put("corner|corner_entries", csr([[k for _, k in entry] for entry in self.touching])[1])
        around = [{int(j) for c, _ in e for j in self.cells[c] if j >= 0} for e in self.touching]
        row, column = csr([sorted(own) for own in around])
        put("row|nodes+1>>shared", row)
        put("column|shared", column)
        put("node|rows>nodes!", self.node)
        put("row_of|nodes>rows", self.row_of)
        put("row_of|nodes>rows!", self.row_of)
        self.links()
        for target in ("rows", "fine", "coarse"):  # seven at least, and columns are below 5
            put(f"first|members>{target}", [0, 2])
        put("row|rows+1>>blocks", self.row)
        put("row|table+1>>blocks", self.row)
        put("column|blocks>rows", self.column)
        put("diagonal|rows>blocks!", [self.block[r, r] for r in rows])
        put("mirror|blocks>blocks!", [self.block[c, r] for r, c in self.block])
        put("slot|entries>blocks!", [self.slot(i, j) for i, e in enumerate(near) for j, _ in e])
        put("slot|bnodes>blocks!", [self.slot(a, a) for a in self.bnode])
        put("item|items>rows!", np.argsort(self.member[self.node], kind="stable"))
        self.fans()
        self.lines()
        self.graph()
        self.put_layers()
        put("priority|nodes", self.rng.permutation(len(self.x)))
        put("before|nodes", np.where(self.colour < 2, self.colour, -1))

    def put_layers(self):
        """Nodes as those of layers that curve, by random ways along and across."""
        own = np.random.default_rng(11)
        starts, pairs = csr([[j for j, _ in entry] for entry in self.near])
        first = np.isin(np.arange(len(pairs)), starts[:-1])  # one way across each, at least
        self.put("node|layers>nodes!", np.arange(len(self.x)))
        self.put("pairs|layers+1>>pairs", starts)
        self.put("neighbour|pairs>nodes", pairs)
        self.put("beside|pairs>layers", pairs)
        self.put("along|pairs", own.integers(0, 2, len(pairs)) * ~first)
        self.put("curve|layers", own.uniform(0.2, 4, len(self.x)), float)
        self.put("from|layers", own.uniform(0.2, 4, len(self.x)), float)
        for dimensions in (2, 3):
            way = own.normal(size=(len(self.x), dimensions))
            unit = way / np.linalg.norm(way, axis=1)[:, None]
            self.put(f"across|layers,{dimensions}", unit, float)
        self.put("given|nodes", own.integers(0, 5, len(self.x)) == 0)
        self.put("fold|nodes", own.integers(0, 5, len(self.x)) == 0)
        self.values["last"], self.values["most"] = 1, 0.9  # of `layer_spread`, of reaches

    def on_cells(self):
        """Cells as unknowns, one of those at each vertex, and means at vertices."""
        own = np.random.default_rng(6)
        self.put("corners|nodes,4>vertices?", self.cells[[entry[0][0] for entry in self.touching]])
        self.put("vertex|vertices,2", self.x, float)
        self.put("vertex_member|vertices>members", self.member)
        starts, about = csr([[j for j, _ in entry] for entry in self.near])
        self.put("starts|vertices+1>>abouts", starts)
        self.put("about|abouts>nodes", about)
        self.put("bounded|vertices", np.arange(len(self.x)) % 2)
        self.put("lean|vertices,2", own.uniform(-1, 1, self.x.shape), float)
        self.put("per|vertices", own.uniform(0.1, 0.3, len(self.x)), float)
        middle = self.x[self.lr].mean(axis=1)
        self.put("xf|edges,2", middle + own.uniform(-0.01, 0.01, middle.shape), float)
        place = self.x[self.bnode]
        self.put("xf|bnodes,2", place + own.uniform(-0.01, 0.01, place.shape), float)

    def links(self):
        """Neighbours of rows, those of earlier colours first, and where the later ones begin."""
        lists = [sorted((self.colour[j], j) for j, _ in self.near[n]) for n in self.node]
        offsets, linked = csr([[j for _, j in entry] for entry in lists])
        later = [
            start + sum(c < self.colour[n] for c, _ in entry)
            for n, start, entry in zip(self.node, offsets, lists, strict=False)
        ]
        self.put("offsets|rows+1>>links", offsets)
        self.put("neighbour|links>nodes", linked)
        self.put("later|rows>links?", np.where(later == offsets[1:], -1, later))

    def fans(self):
        """Triangles around each row's node, each a run of its own: two spokes, their blocks."""
        runs, other, slot = [], [], []
        for n in self.node:
            entry = []
            for c, k in self.touching[n]:
                if self.cells[c, 3] < 0:
                    entry.append((self.cells[c, (k + 1) % 3], self.cells[c, (k + 2) % 3]))
            runs.append(entry)
            other += [j for pair in entry for j in pair]
            slot += [self.slot(n, j) for pair in entry for j in pair]
        self.put("fans|rows+1>>runs", csr(runs)[0])
        self.put("runs|runs+1>>spokes", 2 * np.arange(len(other) // 2 + 1))
        self.put("other|spokes>nodes", other)
        self.put("slot|spokes>blocks", slot)
        self.put("fixed|nodes", np.isin(np.arange(len(self.x)), self.boundary))

    def lines(self):
        """Lines of six neighbours at most, each row on one, and blocks between their places."""
        free, lines = set(range(len(self.node))), []
        while free:
            line = [min(free)]
            while len(line) < 6:
                free.discard(line[-1])
                near = sorted(self.row_of[j] for j, _ in self.near[self.node[line[-1]]])
                if not (more := [int(r) for r in near if r in free]):
                    break
                line.append(more[0])
            free -= {*line}
            lines.append(line)
        self.put("line|lines+1>>places", csr(lines)[0])
        self.put("place|places>rows!", [row for line in lines for row in line])
        ends = [(a, b) for line in lines for a, b in pairwise([None, *line, None])]
        back = [self.block.get((b, a), -1) for a, b in ends if b is not None]
        self.put("back|places>blocks?", back)
        on = [self.block.get((a, b), -1) for a, b in ends if a is not None]
        self.put("on|places>blocks?", on)

    def graph(self):
        """Two elements of a Delaunay graph per member, carrying all inner nodes."""
        a, b, c, d = self.hull.T
        vertices = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        carried = np.setdiff1d(np.arange(len(self.x)), self.boundary)
        pick = self.rng.integers(0, 2, len(carried))
        self.put("vertices|elements,3>nodes", vertices)
        self.put("offsets|groups+1>>elements", [0, 2, 4])
        self.put("node|carried>nodes!", carried)
        self.put("element|carried>elements", 2 * pick + self.member[carried])
        share = self.rng.uniform(0.1, 1, (len(carried), 3))
        self.put("share|carried,3", share / share.sum(1, keepdims=True), float)
        self.put("node|moved>nodes!", self.boundary[::2])

    def matrices(self):
        rng, blocks, rows = self.rng, len(self.column), len(self.node)
        middle = self.values["diagonal|rows>blocks!"]
        for b in (2, 4):
            dense = rng.uniform(-0.3, 0.3, (blocks, b, b))
            dense[middle] += 4 * np.eye(b)
            inverse = rng.uniform(-0.1, 0.1, (rows, b, b)) + np.eye(b) / 4
            self.put(f"A|blocks,{b * b}", dense.reshape(blocks, -1), np.float32)
            self.put(f"inverse|rows,{b * b}", inverse.reshape(rows, -1), np.float32)
            self.put(f"pivot|rows,{b * b}", inverse.reshape(rows, -1), np.float32)
            self.put(f"D|rows,{b * b}", dense[middle].reshape(rows, -1), np.float32)

        order = np.full(rows, 2)  # dense matrices of pairs of rows
        order[rows - rows % 2 :] = 1
        level = np.repeat(np.arange(rows), order)
        first = np.cumsum(order) - order
        self.put("level|dense_entries>rows", level)
        self.put("place|rows", np.arange(rows) % 2)
        self.put("order|rows", order)
        self.put("corner|rows>dense_entries", first - np.where(np.arange(rows) % 2, 2, 0))
        scalar = np.random.default_rng(4).uniform(-0.3, 0.3, (blocks, 1))
        scalar[middle] += 4
        self.put("A|blocks,1", scalar, np.float32)
        for name in ("inverse", "pivot"):
            self.put(f"{name}|rows,1", 1 / scalar[middle], np.float32)
        self.put("D|rows,1", scalar[middle], np.float32)
        self.put("share|rows", 1 + scalar[middle, 0], float)
        self.put("friction|nodes", np.full(len(self.x), 3.5), float)

    def geometry(self):
        rng, x = self.rng, self.x
        move = rng.uniform(-0.02, 0.02, x.shape)
        for name, value in (("x", x), ("x0", x), ("reference", x)):
            self.put(f"{name}|nodes,2", value, float)
        self.put("x1|nodes,2", x + move, float)
        self.put("x2|nodes,2", x + 1.5 * move, float)
        self.put("velocity|nodes,2", 0.1 * move, np.float32)
        turn = rng.uniform(0, 6.28, len(self.bnode))
        normal = np.stack([np.cos(turn), np.sin(turn)], 1)
        self.put("normal|bnodes,2", normal * (turn > 0.5)[:, None], np.float32)  # some are sharp
        self.put("x|upd", x + move, float)
        self.put("target|nodes,2", x - move, float)
        for name in ("V", "V1", "V2"):
            self.put(f"{name}|nodes", rng.uniform(0.02, 0.05, len(x)), float)
        self.put("pose|bodies,6", rng.uniform(-0.1, 0.1, (3, 6)), float)
        normals = (x[self.lr[:, 1]] - x[self.lr[:, 0]]) + rng.uniform(-0.02, 0.02, self.lr.shape)
        self.put("S|edges,2", normals, np.float32)
        inverse = []
        for i, entry in enumerate(self.near):
            d = x[[j for j, _ in entry]] - x[i]
            m = np.linalg.inv((d / (d**2).sum(1, keepdims=True)).T @ d)
            inverse.append((m[0, 0], m[0, 1], m[1, 1]))
        self.put("inverse|nodes,3", inverse, np.float32)

    def space(self):
        """Points and neighbours with a third coordinate, and a gas that moves along it."""
        rng, n = self.rng, len(self.x)
        x = np.column_stack([self.x, rng.uniform(0, 0.5, n)])
        move = rng.uniform(-0.02, 0.02, x.shape)
        for name, value in (("x", x), ("reference", x), ("x1", x + move), ("x2", x + 1.5 * move)):
            self.put(f"{name}|nodes,3", value, float)
        self.put("velocity|nodes,3", 0.1 * move, np.float32)
        unit = rng.normal(size=(len(self.bnode), 3))
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        self.put("normal|bnodes,3", unit, np.float32)
        on_plane = np.isin(np.arange(n), self.bnode) & rng.choice([False, True], n)
        self.put("on_plane|nodes", on_plane, np.int32)
        self.put("plane|members,3", [(0, -1, 0), (0, 0, 1)], np.float32)
        inverse = []
        for i, entry in enumerate(self.near):
            d = x[[j for j, _ in entry]] - x[i]
            m = np.linalg.inv((d / (d**2).sum(1, keepdims=True)).T @ d + 0.1 * np.eye(3))
            inverse.append(m[np.triu_indices(3)])
        self.put("inverse|nodes,6", inverse, np.float32)
        low, high = np.transpose([(0.8, 1.2), (-0.5, 0.5), (-0.4, 0.4), (-0.3, 0.3), (0.6, 0.85)])
        q = rng.uniform(low, high, (n, 5))
        energy = q[:, 4] / 0.4 + 0.5 * q[:, 0] * (q[:, 1:4] ** 2).sum(1)
        u = np.column_stack([q[:, 0], q[:, :1] * q[:, 1:4], energy])
        self.put("q|nodes,5", q, np.float32)
        for k, name in enumerate(("u", "u1", "u2", "u3")):
            self.put(f"{name}|nodes,5", u * (1 + 0.01 * k), np.float32)
        stream = [(1, 0.5, 0.1, 0.02, 1 / 1.4), (1, 0.8, 0, -0.1, 1 / 1.4)]
        self.put("stream|members,5", stream, float)
        self.put("du|rows,5", rng.uniform(-0.3, 0.3, (n, 5)), np.float32)
        self.put("du|nodes,5", rng.uniform(-0.3, 0.3, (n, 5)), np.float32)
        self.put("radius|nodes", rng.uniform(1, 2, n), np.float32)
        small = rng.uniform(-0.3, 0.3, (n, 5))
        sound = np.sqrt(1.4 * q[:, 4] / q[:, 0])
        self.put("record|nodes,8", records(small, q[:, 1:4], sound))
        self.put("drift|rows,4", np.c_[0.1 * move[self.node], np.zeros(n)], np.float32)
        self.put("pivot|rows", rng.uniform(1, 2, n), np.float32)
        a = rng.uniform(-1, 1, (len(self.values["neighbour|links>nodes"]), 3))
        self.put("shares|links,4", np.c_[a, np.linalg.norm(a, axis=1)], np.float32)

    def solids(self, rng):
        """Cells of all kinds about each edge, one to three, and faces at the boundary's nodes."""
        offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 4, len(self.lr)))])
        cells, local = [], []
        for a, b in np.repeat(self.lr, np.diff(offsets), axis=0):
            kind = list(SOLIDS.values())[rng.integers(len(SOLIDS))]
            edge, back = rng.integers(len(kind.edges)), rng.integers(2)
            others = np.setdiff1d(np.arange(len(self.x)), [a, b])
            corner = rng.permutation(others)[: kind.corners]
            corner[list(kind.edges[edge])] = (b, a) if back else (a, b)
            cells.append(corner)
            local.append(2 * edge + back)
        self.put("ring_offsets|edges+1>>ring_entries", offsets)
        self.put("ring_cell|ring_entries>cells", np.arange(len(cells)))
        self.put("ring_local|ring_entries", local)
        starts, nodes = csr(cells)
        self.put("cell_starts|cells+1>>corner_entries", starts)
        self.put("cell_nodes|corner_entries>nodes", nodes)
        self.in_space = self.incompressible(starts, nodes)
        faces = rng.integers(0, len(self.x), (3 * len(self.bnode), 3))
        faces[::2, 2] = -1
        self.put("offsets|bnodes+1>>bfaces", 3 * np.arange(len(self.bnode) + 1))
        self.put("corners|bfaces,3>nodes?", faces)
        self.put("x0|nodes,3", self.values["x|nodes,3"], float)
        self.rings()
        self.solid_cells(np.random.default_rng(10))

    def incompressible(self, starts, nodes):
        """Tables of the cells of `solids` that have the names of those of the plane.

        Nodes lie elsewhere, and corners of cells are dealt anew, so that the facet across each edge
        leans little: what it leans by is divided by.
        """
        rng, ring = np.random.default_rng(16), self.values["ring_local|ring_entries"]
        x = rng.uniform(0, 1, (len(self.x), 3))
        nodes = nodes.copy()
        for own, first, last in zip(ring, starts, starts[1:], strict=False):
            kind = next(kind for kind in SOLIDS.values() if kind.corners == last - first)
            at = first + np.array(kind.edges[own // 2])
            others = np.setdiff1d(np.arange(len(x)), nodes[at])
            free = np.setdiff1d(np.arange(first, last), at)
            best = 0.0
            for _ in range(200):
                dealt = nodes[first:last].copy()
                dealt[free - first] = rng.permutation(others)[: len(free)]
                if (found := upright(x[dealt], kind, own // 2)) > best:
                    best, nodes[first:last] = found, dealt
                if best > 0.7:
                    break
        cell = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        corner = np.arange(len(nodes)) - starts[cell]
        order = np.argsort(nodes, kind="stable")
        offsets = np.searchsorted(nodes[order], np.arange(len(self.x) + 1))
        found = {
            "member|cells>members": self.member[nodes[starts[:-1]]],
            "offsets|nodes+1>>corner_entries": offsets,
            "cell|corner_entries>cells": cell[order],
            "corner|corner_entries": corner[order],
            "cell_nodes|corner_entries>nodes": nodes,
        }
        mobile = np.sort(rng.uniform(0.1, 1, (len(starts) - 1, 2)), axis=1)
        tables = {name: values.astype(np.int32) for name, values in found.items()}
        return tables | {"mobility|cells,2": mobile.astype(np.float32), "x|nodes,3": x}

    def rings(self):
        """Edges with two tetrahedra around each, of those of twenty the largest."""
        x, rng, count = self.values["x|nodes,3"], np.random.default_rng(12), 2 * len(self.lr)
        ends = np.repeat(self.lr, 2, axis=0)
        others = rng.integers(0, len(x), (20, count, 2))
        corner = x[np.concatenate([np.broadcast_to(ends, others.shape), others], axis=2)]
        volume = np.abs(np.linalg.det(corner[:, :, 1:] - corner[:, :, :1]))
        self.put("ends|edges,2>nodes", self.lr)
        self.put("ring|edges+1>>wedges", 2 * np.arange(len(self.lr) + 1))
        self.put("across|wedges,2>nodes", others[volume.argmax(axis=0), np.arange(count)])

    def solid_cells(self, rng):
        """Cells of all kinds in space as unknowns, and their faces."""
        kinds, count = list(SOLIDS.values()), len(self.x)
        each = [kinds[k].corners for k in rng.integers(0, len(kinds), count)]
        starts, nodes = csr([rng.permutation(count)[:corners] for corners in each])
        self.put("cell_starts|nodes+1>>hull_entries", starts)
        self.put("cell_nodes|hull_entries>vertices", nodes)
        faces = np.array([rng.permutation(count)[:4] for _ in self.lr])
        faces[::2, 3] = -1
        self.put("outline|faces,4>nodes?", faces)
        self.put("vertex|vertices,3", self.values["x|nodes,3"], float)
        self.held_places(np.random.default_rng(14))
        self.put("lean|vertices,3", rng.uniform(-1, 1, (count, 3)), float)

    def held_places(self, rng):
        """Tetrahedra in boxes, facets in balls, and places within these and beyond them."""
        x = self.values["vertex|vertices,3"]
        corner = np.array([rng.permutation(len(x))[:4] for _ in range(9)])
        parts = x[corner].reshape(3, 12, 3)
        self.put("corner|tetrahedra,4>vertices", corner)
        self.put("offsets|boxes+1>>tetrahedra", [0, 3, 6, 9])
        self.put("low|boxes,3", parts.min(axis=1), float)
        self.put("high|boxes,3", parts.max(axis=1), float)
        self.put("offsets|balls+1>>facets", [0, 3, 5, 7])
        self.put("middle|balls,3", rng.uniform(-0.1, 0.1, (3, 3)), float)
        self.put("radius|balls", [3.0, 2.9, 3.1], float)
        share = rng.dirichlet((1, 1, 1, 1), 9)
        place = np.einsum("ck,ckd->cd", share, x[corner])
        self.put("place|points,3", np.concatenate([place, place + 1.5]), float)

    def donors(self):
        """Bins of the cells, places in cells and beyond them, and cells that hold places."""
        corners = self.values["corners|cells,4>nodes?"]
        bins = bins_of(self.x, corners)
        for name, shape in (("box", "2,2"), ("across", "2"), ("bins", "bins,2")):
            value = getattr(bins, name)
            self.put(f"{name}|{shape}", value, value.dtype)
        self.put("listed|listings>cells", bins.listed)
        cell = self.rng.integers(0, len(corners), 61)
        share = self.rng.dirichlet((1, 1, 1), len(cell))
        place = np.einsum("ck,ckd->cd", share, self.x[corners[cell, :3]])
        self.put("place|points,2", np.where(np.arange(61)[:, None] % 7, place, place + 2), float)
        self.put("cell|points>cells?", np.where(np.arange(61) % 7, cell, -1))
        self.values["faults|1"] = np.full(1, NONE)

    def overset(self):
        """Two parts with the cells of all, the last of which are within walls; a slot per node."""
        rng, n = np.random.default_rng(11), len(self.x)
        corners = self.values["corners|cells,4>nodes?"]
        bins = bins_of(self.x, corners)
        self.put("node|slots>nodes", np.arange(n))
        self.put("slots|nodes+1>>slots", np.arange(n + 1))
        self.put("part|slots>parts", 1 - self.member)
        self.put("grid|parts>grids", (0, 1))
        self.put("shift|members", (0, 0))
        self.put("pose|parts,6", rng.uniform(-0.1, 0.1, (2, 6)), float)
        self.put("frame|places,2", self.x, float)
        self.put("corners|cells,4>places?", corners)
        self.put("begin|grids,2", [(0, 0)] * 2)
        self.put("solid|grids", [len(corners) - 4] * 2)
        self.put("kind|grids,2", [(1, 1), (0, 0)])
        self.put("box|grids,4", [bins.box.ravel()] * 2, float)
        self.put("across|grids,2", [bins.across] * 2)
        self.put("offsets|places+1>>entries", self.values["offsets|nodes+1>>entries"])
        self.put("neighbour|entries>places", self.values["neighbour|entries>nodes"])
        layer = rng.integers(0, 6, n)
        self.put("layer|places", np.where(self.member, 1 << 20, layer))
        self.put("rank|places", rng.uniform(0, 1, n), float)
        self.put("near|slots", rng.uniform(0, 1, n), float)
        self.put("cell|slots>cells?", rng.integers(-1, len(corners), n))
        self.put("wall|places", rng.integers(0, 2, n))
        self.put("mark|nodes", rng.integers(-3, 6, n))
        self.put("status|nodes", rng.integers(-2, 2, n))
        self.put("only|nodes", np.full(n, 2))  # `out` is of all of them
        self.in_space |= self.overset_in_space(np.random.default_rng(18))

    def overset_in_space(self, rng):
        """Two parts with the same cells of one to three tetrahedra, and one of these as a body."""
        x, count = self.in_space["x|nodes,3"], 12
        solids = self.some_tetrahedra(rng, x, count)
        bins = bins_of_solids(x, solids)
        body = solids.corner[0]
        facets = body[[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]]
        inside = inside_of(x, facets, [], "body")
        pose = np.concatenate([np.zeros((2, 3, 3)), rng.uniform(-0.1, 0.1, (2, 3, 1))], axis=2)
        pose[:, :, :3] = rng.uniform(-0.1, 0.1, (2, 3, 3))
        found = {
            "frame|places,3": x,
            "pose|parts,12": pose.reshape(2, 12),
            "corners|cells,4>places?": solids.corner,
            "parts|solids+1>>cells": solids.parts,
            "box|grids,6": np.stack([bins.box.ravel()] * 2),
            "across|grids,3": np.stack([bins.across] * 2),
            "bins|bins,2": bins.bins,
            "listed|listings>solids": bins.listed,
            "cell|slots>cells?": rng.integers(-1, len(solids.corner), len(x)),
            "wall_box|grids,6": np.stack([inside.box.ravel()] * 2),
            "wall_across|grids,3": np.stack([inside.across] * 2),
            "wall_begin|grids": np.zeros(2),
            "wall_bins|wall_bins,2": inside.bins,
            "wall_listed|wall_listings>facets": inside.listed,
            "facet|facets,3>wall_points": inside.facets,
            "wall_point|wall_points,3": inside.points,
        }
        real = ("frame", "pose", "box", "wall_box", "wall_point")
        return {
            k: np.asarray(v, float if k.startswith(real) else np.int32) for k, v in found.items()
        }

    def some_tetrahedra(self, rng, x, count):
        """Cells of one to three tetrahedra of positive volume."""
        parts = np.concatenate([[0], np.cumsum(rng.integers(1, 4, count))]).astype(np.int32)
        corner = np.array([rng.permutation(len(x))[:4] for _ in range(parts[-1])], np.int32)
        way = x[corner[:, 1:]] - x[corner[:, :1]]
        inside_out = np.linalg.det(way) < 0
        corner[inside_out, :2] = corner[inside_out, 1::-1]
        return Tetrahedra(parts, corner, np.full(len(corner), 0o3210, np.int32), 4, 3)

    def solid_bins(self, rng):
        """Cells of one to three tetrahedra, in bins of the grid about all and of one within it."""
        x, count = self.values["x|nodes,3"], 12
        solids = self.some_tetrahedra(rng, x, count)
        parts, corner = solids.parts, solids.corner
        bins = bins_of_solids(x, solids)
        visits = np.arange(2 * count, dtype=np.int32)
        low, scale = bins.box
        level = Level(
            {"x": x, "parts": parts, "corner": corner}, visits % count, visits // count,
            np.stack([low, low + 0.7 / scale]), np.stack([scale, 4 * scale]),
            np.stack([bins.across, [4, 4, 4]]).astype(np.int32),
        )  # fmt: skip
        self.put("parts|solids+1>>tetrahedra", parts)
        self.put("corner|tetrahedra,4>nodes", corner)
        self.put("spots|tetrahedra", solids.spots)
        self.put("box|2,3", bins.box, float)
        self.put("across|3", bins.across)
        self.put("bins|lists,2", bins.bins)
        self.put("listed|listings>solids", bins.listed)
        self.put("cell|visits>solids", level.cell)
        self.put("grid|visits>grids", level.grid)
        for name in ("low", "scale"):
            self.put(f"{name}|grids,3", getattr(level, name), float)
        self.put("across|grids,3", level.across)
        self.put("first|grids", [0, bins.across.prod()])
        entry, _ = level.met()
        begin = np.concatenate([[0], np.cumsum(np.bincount(entry, minlength=len(visits)))])
        self.put("begin|visits+1>>meetings", begin)
        self.put("entry|meetings", entry)
        self.put("key|meetings", entry)

    def gas(self):
        rng, n = self.rng, len(self.x)
        q = np.stack(
            [
                *(
                    rng.uniform(a, b, n)
                    for a, b in ((0.8, 1.2), (-0.5, 0.5), (-0.4, 0.4), (0.6, 0.85))
                )
            ],
            1,
        )
        energy = q[:, 3] / 0.4 + 0.5 * q[:, 0] * (q[:, 1] ** 2 + q[:, 2] ** 2)
        u = np.stack([q[:, 0], q[:, 0] * q[:, 1], q[:, 0] * q[:, 2], energy], 1)
        self.put("q|nodes,4", q, np.float32)
        for k, name in enumerate(("u", "u1", "u2", "u3")):
            self.put(f"{name}|nodes,4", u * (1 + 0.01 * k), np.float32)
        self.put("grad|nodes,8", rng.uniform(-0.3, 0.3, (n, 8)), np.float32)
        self.put("stream|members,4", [(1, 0.5, 0.02, 1 / 1.4), (1, 0.8, -0.1, 1 / 1.4)], float)
        self.put("range|members,5", [(1.2, -0.8, 0.85, -0.6, 0.3)] * 2, float)
        self.put("bdf|members,3", [(15, -20, 5), (3, -4, 1)], float)
        self.put("rate|members,2", [(15, -5), (3, -1)], float)
        self.put("cfl|members", (5, 20), float)
        self.put("jacobian_fix|members", (0.125, 0.5), np.float32)
        self.put("strength|members", (0.1, 0.05), float)
        self.put("low_mach|members,2", [(0.5, 2), (1, 1)], float)
        self.put("centre|members,2", [(0.25, -3), (0.25, 4)], float)
        self.put("offsets|members+1>>bodies", (0, 1, 3))
        self.put("du|rows,4", rng.uniform(-0.3, 0.3, (n, 4)), np.float32)
        self.put("du|nodes,4", rng.uniform(-0.3, 0.3, (n, 4)), np.float32)
        self.put("pace|nodes", rng.uniform(0.1, 1.0, n), float)
        own = np.random.default_rng(3)  # the numbers of all others stay as they are
        self.put("coupling|nodes", own.uniform(0.5, 2.0, n), np.float32)
        mobile = own.uniform(0.2, 0.6, (len(self.cells), 2))
        self.put("mobility|cells,2", np.sort(mobile, axis=1), np.float32)
        for name in ("last", "graded"):
            self.put(f"{name}|nodes", own.uniform(0.5, 4.0, n), np.float32)
        self.put("noise|nodes", np.where(np.arange(n) % 2, 0.5, 0.0), np.float32)
        self.put("ceiling|members", (50, 1000), float)
        self.put("owner|groups>members", (0, 0, 1, 1, 1))
        self.put("groups|members+1>>groups", (0, 2, 5))
        self.put("ended|members", (0, 0))
        self.viscous(np.random.default_rng(8))
        self.newton(np.random.default_rng(9))
        self.reduced_rank(np.random.default_rng(10))

    def reduced_rank(self, rng):
        """A cycle that ends, of five changes, and one on its way."""
        n, every = len(self.x), 5
        changes = rng.uniform(-0.1, 0.1, (every + 1, n, 3))
        self.put("begun|members", (every + 1, 3))
        self.put("from|nodes,3", rng.uniform(-0.5, 0.5, (n, 3)), float)
        self.put("f|every+1,nodes,3", changes, np.float32)
        own = [changes[:, self.member == m].reshape(every + 1, -1) for m in (0, 1)]
        self.put("gram|members,every+1,every+1", [f @ f.T for f in own], float)
        self.put("gamma|members,every", rng.uniform(-0.5, 0.5, (2, every)), float)
        self.values.update({"first|val": 2, "every|val": every, "before": 1})

    def newton(self, rng):
        """Members on the way to steps of Newton and in them, a basis of GMRES."""
        n = len(self.x)
        self.put("T|nodes", rng.uniform(0.1, 2.0, n), np.float32)
        self.put("T_nt|nodes", rng.uniform(0.1, 2.0, n), np.float32)
        for name, values in {
            "scale": (2.0, 3.0), "weight": (0.4, 7.0), "size": (9.0, 0.1), "theta": (0.01, 0.1),
            "start": (1.5, 0.5), "left": (0.2, 0.999), "norm": (0.25, 0.002), "first": (1.0, 1.0),
            "newton_cfl": (30.0, 1.5), "length": (1.0, 0.0),
        }.items():  # fmt: skip
            self.put(f"{name}|members", values, float)
        self.put("steps|members", (3, 1))
        self.put("V|vectors+1,rows,4", rng.uniform(-1, 1, (8, n, 4)), np.float32)
        self.values.update(
            {"fallen": 0.03, "latest": 60, "tries": 3, "pause": 10, "nothing": 0.99, "least": 0.03},
        )
        self.values.update({"from|val": 0, "again": 1, "tolerance|val": 0.1})

    def viscous(self, rng):
        """Viscosities, turbulent ones of both signs, coefficients of faces, walls' nodes."""
        n, sides = len(self.x), len(self.bnode)
        self.put("mu|nodes,2", rng.uniform(0.01, 0.05, (n, 2)), float)
        self.put("mu_stream|members", (0.02, 0.03), float)
        self.put("nt_stream|members", (0.06, 0.09), float)
        for name in ("nt", "nt1", "nt2"):
            self.put(f"{name}|nodes", rng.uniform(-0.02, 0.4, n), np.float32)
        self.put("eta|nodes", rng.uniform(0.01, 0.5, n), np.float32)
        self.put("jump|edges", rng.uniform(0.5, 20.0, len(self.lr)), np.float32)
        self.put("distance|nodes", rng.uniform(0.05, 0.5, n) * (np.arange(n) % 4 > 0), float)
        self.put("compact|edges", rng.uniform(0.5, 2.0, len(self.lr)), np.float32)
        self.put("line|bnodes>rows!", self.row_of[self.bnode])
        for dimensions, numbers in ((2, 3), (3, 6)):
            ways = rng.uniform(-0.1, 0.1, (3, sides, dimensions))
            for name, values in zip(("dx2", "velocity", "slide"), ways, strict=True):
                self.put(f"{name}|bnodes,{dimensions}", values, float)
            self.put(f"whole|nodes,{numbers}", rng.uniform(0.1, 0.5, (n, numbers)), np.float32)
        self.put("drop_nt|members", (1e-3, 0.5), float)
        self.put("iterations|in", (0, 3))

    def control(self):
        self.values.update(
            entropy_fix=0.125,
            **{"mode|val": 2},
            law=0.383,
            conduct=1.4,
            conduct_eddy=1.1,
            roundings=1e-6,
            wall_temperature=1.1,
            grading=1.0,
            limit=0.6,
            c1=0.25,
            c2=0.5,
            K=0.25,
            drop=1e-4,
            cfl_first=5.0,
            cold=0,
            stall=0.75,
            turn=3,
            solved=self.colours[0][1],
            turns=6,
            squared=0,
            k2=0.5,
            k4=0.125,
            rk_cfl=2.0,
            share=0.25,
            blend=0.5,
            of=7,
            overlap=2,
            fringe=2,
            least=2,
            k=1,
            wide=7,
            wide_up=7,
            above_wide=7,
            smoothing=1.25,
            weak=0.4,
        )
        self.values.update({"asked": 12.0})
        self.values.update({"cfl_last": 1e4, "cfl_growth": 1.25, "most|real": 0.125, "most|i32": 9})
        self.put("weights|3", (3, -3, 1), float)
        self.put("share|members", (0.8, 1.0), float)
        self.put("tolerance|members", (0.5, 0.25), float)
        self.put("active|members", (1, 1))
        self.put("live|members", (1, 1))
        self.put("iterations|members", (0, 3))
        self.put("floor|members", (1e-12, 1e-12), float)
        self.put("target|members", (0.1, 9.0), float)
        self.put("squares|members", (0.5, 2.0), float)
        self.put("shadows|members", (1e-9, 50.0), float)
        self.put("base|members", self.rng.uniform(0.5, 1.5, 2), float)
        self.put("of|members>cases", (0, 0))
        self.put("first|cases+1>>members", (0, 2, 2))
        self.put("E|members,across", ((2.0, -0.5, 0.0), (-0.25, 1.0, 0.0)), float)
        self.values.update({"across": 3, "at": 1})
        self.put("scalars|members,4", self.rng.uniform(0.5, 1.5, (2, 4)), float)
        self.values["faults|members"] = np.full(2, NONE)
        for name in ("own_column|own_blocks", "above_column|above_blocks"):  # none twice in a row
            self.put(name, np.arange(8) % 5)
        self.put(
            "above_columns|above_renewed,above_wide", [(np.arange(7) + k) % 5 for k in range(7)]
        )
