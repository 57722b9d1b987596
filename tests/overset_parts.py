"""Meshes of parts for tests: rings about circles, and stretched rectangles."""

import numpy as np
from kinemesh.bodies.poses import rows_of
from kinemesh.mesh import Mesh
from kinemesh.mesh.generate.cones import cut_faces, tetrahedra
from kinemesh.mesh.generate.sphere import _drawn as drawn
from kinemesh.mesh.generate.sphere import _faces as faces_of_cube
from kinemesh.mesh.generate.sphere import _half as half_of_cube
from kinemesh.mesh.generate.sphere import _on_plane as on_plane
from kinemesh.motion import Pose
from kinemesh.overset.parts import Parts
from kinemesh.space.grid import Grid
from kinemesh.space.solids import SolidGrid, SolidVertices
from kinemesh.space.vertices import MeshVertices


def ring(radius=0.5, outer=1.3, layers=12, around=48, growth=1.15, centre=(0.0, 0.0), split=False):
    """An O-mesh of quadrilaterals about a circle; with `split`, of triangles."""
    steps = growth ** np.arange(layers)
    r = radius + (outer - radius) * np.concatenate([[0], np.cumsum(steps)]) / steps.sum()
    turn = 2 * np.pi * np.arange(around) / around
    points = np.stack([np.outer(r, np.cos(turn)), np.outer(r, np.sin(turn))], -1).reshape(-1, 2)
    at = np.arange((layers + 1) * around).reshape(layers + 1, around)
    after = np.roll(at, -1, axis=1)
    quads = np.stack([at[:-1], at[1:], after[1:], after[:-1]], axis=-1).reshape(-1, 4)
    cells = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]) if split else quads
    sides = {k: np.stack([at[n], after[n]], 1) for k, n in (("wall", 0), ("overset", -1))}
    return Mesh.from_arrays(points + centre, cells, sides)


def rectangle(x, y, marker="far"):
    """Quadrilaterals between lines x and y, with one marker all round."""
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    at = np.arange(len(x) * len(y)).reshape(len(x), len(y))
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    ends = [at[0], at[-1], at[:, 0], at[:, -1]]
    edges = np.concatenate([np.stack([own[:-1], own[1:]], axis=1) for own in ends])
    return Mesh.from_arrays(points, quads, {marker: edges})


def stretched(half, spacing, core, growth=1.2):
    """Lines from -half to half: even within the core, then with growing steps."""
    line, step = [0.0], spacing
    while line[-1] < half:
        step *= growth if line[-1] > core else 1.0
        line.append(line[-1] + step)
    line = np.array(line) * half / line[-1]
    return np.concatenate([-line[:0:-1], line])


def background(half=6.0, spacing=0.1, core=2.0):
    """A stretched Cartesian mesh, a little off the lattice of other meshes."""
    line = stretched(half, spacing, core)
    return rectangle(line + 0.013, line - 0.007)


def grid_of(backend, *members, **given):
    """A Grid of members, each {name: mesh or Part} or a Parts that several share."""
    meshes = [m if isinstance(m, Parts) else Parts.of(m, **given) for m in members]
    roles = {}
    for mesh in meshes:
        for name, condition in mesh.conditions.items():
            own = roles.setdefault(condition.role, [])
            own += [] if name in own else [name]
    if meshes[0].solids:
        grid = SolidGrid(SolidVertices(backend, meshes, roles), roles.get("plane", ()))
    else:
        grid = Grid(MeshVertices(backend, meshes, roles))
    grid.start()
    return grid


def move_in_space(made, poses):
    """Nodes and poses of parts of the only member: {name: Pose}; then an update."""
    grid, b = made.grid, made.backend
    (mesh,) = grid.meshes
    each = [poses.get(name, Pose()) for name in mesh.names]
    x = grid.points.copy()
    for number, pose in enumerate(each):
        own = slice(*mesh.first[number : number + 2])
        x[own] = pose.into(grid.dimension).apply(x[own])
    b.put(made.pose, rows_of(each, grid.dimension, 0))
    b.put(grid.x, x)
    made.update()
    return x


def move(made, poses):
    """Nodes and poses of parts: {(member, name): (angle [rad], about, shift)}; then an update."""
    grid, b = made.grid, made.backend
    rows = np.zeros((made.first[-1], 6))
    x = grid.points.copy()
    for (member, name), (angle, about, shift) in poses.items():
        mesh = grid.meshes[member]
        number = mesh.names.index(name)
        row = (-2 * np.sin(angle / 2) ** 2, np.sin(angle), *about, *shift)
        rows[made.first[member] + number] = row
        own = grid.first[member] + np.arange(*mesh.first[number : number + 2])
        r = x[own] - about
        turned = np.stack([row[0] * r[:, 0] - row[1] * r[:, 1],
                           row[1] * r[:, 0] + row[0] * r[:, 1]], axis=1)  # fmt: skip
        x[own] += turned + shift
    b.put(made.pose, rows)
    b.put(grid.x, x)
    made.update()
    return x


def ball(radii, across=4, cells="hexahedra", half=False):
    """Layers about the origin between radii, on the faces of a cube; `half`: of y above 0 alone."""
    way, quads, rank = half_of_cube(*faces_of_cube(across)) if half else faces_of_cube(across)
    points = (np.asarray(radii)[:, None, None] * way).reshape(-1, 3)
    ends = {"wall": quads, "overset": quads + np.int32((len(radii) - 1) * len(way))}
    blocks = {"hexahedra": drawn(quads, len(way), len(radii) - 1)}
    if cells == "tetrahedra":
        ranks = (rank * len(radii) + np.arange(len(radii))[:, None]).ravel()
        blocks = {cells: tetrahedra(blocks, ranks)}
        ends = {name: cut_faces(own, ranks) for name, own in ends.items()}
    if half:
        ends["symmetry"] = on_plane(points, blocks)
    return Mesh.from_blocks(points, blocks, ends)
