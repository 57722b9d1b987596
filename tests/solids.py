"""Meshes of a cube, of each kind of cell in space and of all, their nodes moved at random."""

import itertools

import kinemesh as km
import numpy as np
from kinemesh.mesh.kinds import KINDS, SOLIDS
from kinemesh.mesh.solid_faces import open_faces

ALIKE = ("tetrahedra", "pyramids", "prisms", "hexahedra")
MADE = (*ALIKE, "mixed")
# cubes in VTK's order, cut about the diagonal from corner 0 to corner 6
SIX = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
TWO = ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))


def cube(across, kind="mixed", size=1.0, jitter=0.0, seed=1, middle=0.0):
    """A mesh of a cube with `across` edges on each side, its boundary one marker `rim`.

    Inner nodes move by up to `jitter` times an edge along all axes.
    """
    points, blocks = lattice((across,) * 3, kind)
    inside = ((points > 0) & (points < across)).all(axis=1)
    points += inside[:, None] * np.random.default_rng(seed).uniform(-jitter, jitter, points.shape)
    return meshed(points * (size / across) + middle, blocks)


def meshed(points, blocks):
    """Mesh of these cells, its boundary one marker `rim`."""
    return km.Mesh.from_blocks(points, blocks, {"rim": open_faces(blocks, len(points))})


def lattice(across, kind):
    """Whole numbers as points, and cells: cubes between them, or what they are cut into.

    Parameters
    ----------
    across : cubes along each axis
    """
    steps = tuple(count + 1 for count in across)
    points = np.indices(steps).reshape(3, -1).T.astype(float)
    at = np.arange(len(points)).reshape(steps)
    cubes = {}
    for a, b, c in itertools.product(*map(range, across)):
        low = [at[a, b, c], at[a + 1, b, c], at[a + 1, b + 1, c], at[a, b + 1, c]]
        cubes[a, b, c] = np.array([*low, *(node + 1 for node in low)])
    how = {place: kind for place in cubes}
    if kind == "mixed":
        how = {place: _mixed(place) for place in cubes}
    blocks = {name: [] for name in SOLIDS}
    for place, nodes in cubes.items():
        if how[place] == "hexahedra":
            blocks["hexahedra"].append(nodes)
        elif how[place] == "prisms":
            blocks["prisms"] += [nodes[list(cell)] for cell in TWO]
        elif how[place] == "tetrahedra" and kind != "mixed":
            blocks["tetrahedra"] += [nodes[list(cell)] for cell in SIX]
        else:
            points = np.append(points, [np.array(place) + 0.5], axis=0)
            _cone(blocks, nodes, len(points) - 1, place, how)
    return points, {name: np.array(cells) for name, cells in blocks.items() if cells}


def _mixed(place):
    """Kind of a cube of a mixture: columns of prisms, among them cubes whole and cut."""
    a, b, c = place
    if (a + b) % 3 == 0:
        return "prisms"
    return "hexahedra" if (a + 2 * b + c) % 4 == 0 else "tetrahedra"


def _cone(blocks, nodes, apex, place, how):
    """Cut a cube about its middle: pyramids, and tetrahedra where the next one is cut, too."""
    for face in KINDS["hexahedra"].faces:
        corners = nodes[list(face)]
        axis, ahead = {0: (2, 0), 1: (2, 1), 2: (1, 0), 3: (0, 1), 4: (1, 1), 5: (0, 0)}[
            KINDS["hexahedra"].faces.index(face)
        ]
        other = list(place)
        other[axis] += 1 if ahead else -1
        if how[place] == "tetrahedra" and how.get(tuple(other), "tetrahedra") == "tetrahedra":
            first = int(np.argmin(corners))
            a, b, c, d = np.roll(corners, -first)
            blocks["tetrahedra"] += [np.array([a, c, b, apex]), np.array([a, d, c, apex])]
        else:
            blocks["pyramids"].append(np.array([*corners[::-1], apex]))


def half_of(mesh):
    """The half of a mesh about the origin with y above 0, cut along faces of cells."""
    x = mesh.points
    blocks = {kind: own[x[own, 1].min(axis=1) > -1e-9] for kind, own in mesh.solids.items()}
    used = np.unique(np.concatenate([own.ravel() for own in blocks.values()]))
    number = np.full(len(x), -1)
    number[used] = np.arange(len(used))
    blocks = {kind: number[own] for kind, own in blocks.items()}
    points = x[used]
    points[np.abs(points[:, 1]) < 1e-9, 1] = 0.0
    faces = open_faces(blocks, len(points))
    corners = points[np.where(faces < 0, faces[:, :1], faces)]
    middle = np.abs(corners[..., 1]).max(axis=1) == 0
    near = np.linalg.norm(corners, axis=2).max(axis=1) < 0.6
    sides = {"sphere": faces[near & ~middle], "middle": faces[middle],
             "farfield": faces[~near & ~middle]}  # fmt: skip
    return km.Mesh.from_blocks(points, blocks, sides)
