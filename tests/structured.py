"""Structured grids as programs write them: nodes of axes, poles, seams and wake cuts repeated."""

import itertools

import kinemesh as km
import numpy as np


def bricks(shape):
    """(cells, 8) corners of the cells of a lattice of so many nodes along each axis."""
    at = np.arange(np.prod(shape)).reshape(shape)
    cells = []
    for a, b, c in itertools.product(*(range(n - 1) for n in shape)):
        low = [at[a, b, c], at[a + 1, b, c], at[a + 1, b + 1, c], at[a, b + 1, c]]
        high = [at[a, b, c + 1], at[a + 1, b, c + 1], at[a + 1, b + 1, c + 1], at[a, b + 1, c + 1]]
        cells.append(low + high)
    return at, np.array(cells)


def sides_of(at, axis, end):
    """(k, 4) faces on a side of a lattice."""
    own = np.take(at, end, axis=axis)
    return np.stack([own[:-1, :-1], own[1:, :-1], own[1:, 1:], own[:-1, 1:]], -1).reshape(-1, 4)


def ball(rings=6, around=8, layers=4, radius=(0.5, 4.0)):
    """Points, hexahedra and markers about a sphere: along r, theta, phi; poles and seam repeated.

    Markers are `sphere`, `farfield`, `pole` (of no area) and `seam`, which has both of its sides.
    """
    r = np.geomspace(*radius, layers + 1)
    theta, phi = np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, around + 1)
    grid = np.meshgrid(r, theta, phi, indexing="ij")
    r, theta, phi = (own.ravel() for own in grid)
    points = np.stack([r * np.sin(theta) * np.cos(phi), r * np.sin(theta) * np.sin(phi),
                       r * np.cos(theta)], axis=1)  # fmt: skip
    at, cells = bricks(grid[0].shape)
    markers = {"sphere": sides_of(at, 0, 0), "farfield": sides_of(at, 0, -1),
               "pole": np.concatenate([sides_of(at, 1, 0), sides_of(at, 1, -1)]),
               "seam": np.concatenate([sides_of(at, 2, 0), sides_of(at, 2, -1)])}  # fmt: skip
    return points, cells, markers


def su2(points, blocks, markers, numbers):
    """Text of an SU2 file of any tables, of wrong ones too; `numbers`: type of each block."""
    rows = [f"{numbers[kind]} {' '.join(map(str, cell))}"
            for kind, cells in blocks.items() for cell in np.asarray(cells).tolist()]  # fmt: skip
    out = [f"NDIME= {np.shape(points)[1]}", f"NELEM= {len(rows)}", *rows, f"NPOIN= {len(points)}"]
    out += [" ".join(map(repr, point)) for point in np.asarray(points).tolist()]
    out += [f"NMARK= {len(markers)}"]
    for name, sides in markers.items():
        out += [f"MARKER_TAG= {name}", f"MARKER_ELEMS= {len(sides)}"]
        for side in np.asarray(sides).tolist():
            nodes = [node for node in side if node >= 0]
            out.append(f"{ {2: 3, 3: 5, 4: 9}[len(nodes)] } {' '.join(map(str, nodes))}".strip())
    return "\n".join(out) + "\n"


def wedges(repeated=False):
    """Points, hexahedra and markers about an axis, its nodes there once for each, or named twice.

    Rings of 6 sectors, of radius 1: the area of the hexagon is 1.5 sqrt(3).
    """
    phi = np.linspace(0, 2 * np.pi, 7)
    grid = np.meshgrid([0.0, 0.5, 1.0], phi, [0.0, 1.0], indexing="ij")
    r, angle, z = (own.ravel() for own in grid)
    points = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    at, cells = bricks(grid[0].shape)
    markers = {"outer": sides_of(at, 0, -1), "low": sides_of(at, 2, 0), "high": sides_of(at, 2, -1)}
    same = np.linalg.norm(points[:, None] - points, axis=2) < 1e-9
    first = np.argmax(same, axis=1)
    on_axis = np.hypot(points[:, 0], points[:, 1]) < 1e-9
    if not repeated:  # the seam alone is one
        first = np.where(on_axis, np.arange(len(points)), first)
    used = np.unique(first)
    number = np.zeros(len(points), int)
    number[used] = np.arange(len(used))
    new = number[first]
    return points[used], new[cells], {key: new[own] for key, own in markers.items()}


def wake(doubled=True):
    """Points, quads and markers about a slit plate 0..1 whose wake 1..3 is there twice, or once."""
    xs, ys = np.linspace(-1, 3, 9), np.linspace(0, 1.5, 4)
    upper = np.array([[x, y] for y in ys for x in xs])
    upper[2:5, 1] += [0, 0.06, 0]  # the plate is a diamond between x = 0 and 1
    lower = upper * [1, -1]
    points = np.concatenate([upper, lower])
    cells = []
    for half, base in ((0, 0), (1, len(upper))):
        for j, i in itertools.product(range(3), range(8)):
            p = base + 9 * j + i
            ring = [p, p + 1, p + 10, p + 9]
            cells.append(ring[::-1] if half else ring)
    cells = np.array(cells)
    first = np.arange(len(points))
    for i in range(9):
        if i in (0, 1, 2, 4) or (i > 4 and not doubled):
            first[len(upper) + i] = i
    used, number = np.unique(first, return_inverse=True)
    cells = number[cells]
    keys = np.sort(np.concatenate([np.stack([cells[:, k], cells[:, k - 3]], 1) for k in range(4)]))
    edges, count = np.unique(keys, axis=0, return_counts=True)
    rim = edges[count == 1]
    x = points[used][rim].mean(axis=1)
    plate = (np.abs(x[:, 1]) < 0.1) & (x[:, 0] < 1) & (x[:, 0] > 0)
    cut = (np.abs(x[:, 1]) < 0.1) & (x[:, 0] > 1) & (x[:, 0] < 3)
    return points[used], cells, {"airfoil": rim[plate], "farfield": rim[~plate & ~cut]}, rim[cut]


def twice(mesh, shift=0.0):
    """Tables of a mesh and of it again, aside along x."""
    n = mesh.nodes
    points = np.concatenate([mesh.points, mesh.points + shift * np.eye(mesh.dimensions)[0]])
    blocks = {kind: np.concatenate([own, own + n]) for kind, own in mesh.blocks.items()}
    rim = mesh.boundaries["rim"]
    return points, blocks, {"one": rim, "two": np.where(rim < 0, -1, rim + n)}


def halved(whole):
    """The upper half of a cylinder's mesh, its cut in front of and behind it a marker."""
    up = whole.points[:, 1] > -1e-9
    number = np.cumsum(up) - 1
    quads = number[whole.quads[up[whole.quads].all(axis=1)]]
    points = whole.points[up]
    kept = {k: number[v[up[v].all(axis=1)]] for k, v in whole.boundaries.items()}
    edges = {tuple(e) for v in kept.values() for e in np.sort(v, axis=1).tolist()}
    every = np.concatenate([quads[:, [k, (k + 1) % 4]] for k in range(4)])
    found, count = np.unique(np.sort(every, axis=1), axis=0, return_counts=True)
    cut = np.array([e for e in found[count == 1].tolist() if tuple(e) not in edges])
    none = np.zeros((0, 3), np.int32)
    return km.Mesh(points, none, quads, {**kept, "symmetry": cut})
