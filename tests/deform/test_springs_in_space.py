"""Torsional springs of tetrahedra: their matrix, what it leaves free, planes, where meshes go."""

from itertools import permutations

import kinemesh as km
import numpy as np
import pytest
from kinemesh.deform.rings import corner_tetrahedra, spring_tetrahedra
from kinemesh.device.backend import Backend
from kinemesh.linear import hierarchy
from kinemesh.linear.blocks import block_diagonal
from kinemesh.linear.hierarchy import along, rigid_and_scaled
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.space.solids import SolidVertices
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import spsolve
from solids import MADE, cube
from solver_cases import on_devices

SLANTED = np.linalg.qr(np.array([[1.0, 0.4, 0.2], [0.3, 1.0, -0.5], [0.1, 0.2, 1.0]]))[0]


def log_sines(corner):
    """(12, ...) logarithms of the sines of angles between edges and the faces across from one end.

    Of tetrahedra (..., 4, 3), by their heights over their edges.
    """
    found = []
    for apex, foot in permutations(range(4), 2):
        a, b, c = (corner[..., k, :] for k in range(4) if k != apex)
        n, way = np.cross(b - a, c - a), corner[..., apex, :] - corner[..., foot, :]
        height = np.abs((n * (corner[..., apex, :] - a)).sum(axis=-1)) / np.linalg.norm(n, axis=-1)
        found.append(np.log(height / np.linalg.norm(way, axis=-1)))
    return np.array(found)


def elements(corner, h=1e-5):
    """(k, 12, 12) stiffness of tetrahedra (k, 4, 3) by differences: sums over angles of g g^T."""
    size = np.ptp(corner, axis=1).max(axis=1)
    g = np.zeros((12, 12, len(corner)))
    for k in range(12):
        step = np.zeros(12)
        step[k] = h
        step = size[:, None, None] * step.reshape(4, 3)
        ahead, back, more, less = (log_sines(corner + s * step) for s in (1, -1, 2, -2))
        g[:, k] = (8 * (ahead - back) - (more - less)) / (12 * h * size)
    return np.einsum("aik,ajk->kij", g, g)


def vertices_of(mesh, device, planes=()):
    """Vertices of a mesh with the boundary `rim`, and of planes of symmetry."""
    return SolidVertices(Backend(device), [mesh], {"far": ["rim"]}, planes)


def assembled(mover, fixed, slides=None):
    """(3 nodes, 3 nodes) matrix as the kernel assembles it, in the order of the nodes."""
    b, s, p, vertices = mover.backend, mover.solver, mover.pattern, mover.vertices
    tables = dict(mover.tables) | {name: s.tables[name] for name in ("row", "column", "diagonal")}
    if slides is not None:
        tables["slides"] = b.array(slides, np.int32)
    fields = vertices.fields.also(
        **tables, node=b.array(p.node, np.int32), fixed=b.array(fixed, np.int32), A=s.A, D=mover.D
    )
    for call in mover.net.assembly(lambda name: fields.bind(name, suffix="f64")):
        call()
    row = np.repeat(np.arange(len(p.node)), np.diff(p.row))
    A, D = (b.get(a).reshape(-1, 3, 3).transpose(0, 2, 1) for a in (s.A, mover.D))
    values = D[row] @ A
    i = 3 * p.node[row][:, None, None] + np.arange(3)[:, None] + 0 * values.astype(int)
    j = 3 * p.node[p.column][:, None, None] + np.arange(3) + 0 * values.astype(int)
    size = 3 * vertices.nodes
    return csr_array(coo_array((values.ravel(), (i.ravel(), j.ravel())), shape=(size, size)))


def summed(mesh):
    """(3 nodes, 3 nodes) sum of the stiffness of all tetrahedra that carry springs."""
    size, corners = 3 * mesh.nodes, spring_tetrahedra(mesh)
    at = (3 * corners[:, :, None] + np.arange(3)).reshape(-1, 12)
    values = elements(mesh.points[corners])
    i, j = (np.broadcast_to(n, values.shape).ravel() for n in (at[:, :, None], at[:, None]))
    return csr_array(coo_array((values.ravel(), (i, j)), shape=(size, size))).toarray()


def test_corners_of_each_kind_of_cell_carry_tetrahedra():
    counts = {name: len(corner_tetrahedra(kind)) for name, kind in SOLIDS.items()}
    assert counts == {"tetrahedra": 1, "pyramids": 8, "prisms": 6, "hexahedra": 8}
    for name, kind in SOLIDS.items():
        edges = {frozenset(edge) for edge in kind.edges}
        for corner, *three in corner_tetrahedra(kind).tolist():
            assert name == "tetrahedra" or all(frozenset((corner, n)) in edges for n in three)


@on_devices
@pytest.mark.parametrize("kind", MADE)
def test_the_matrix_is_the_sum_over_tetrahedra(kind, device):
    mesh = cube(2, kind, jitter=0.25, middle=30.0)
    mover = km.deform.TorsionalSprings().attach(vertices_of(mesh, device))
    got, want = assembled(mover, np.zeros(mesh.nodes)).toarray(), summed(mesh)
    assert np.abs(got - want).max() < 1e-8 * np.abs(want).max()


def test_a_tetrahedron_resists_five_ways_and_no_shift_turn_or_scaling():
    rng = np.random.default_rng(3)
    for matrix in elements(rng.standard_normal((20, 4, 3))):
        values = np.linalg.eigvalsh(matrix)
        assert (np.abs(values[:7]) < 1e-8 * values[-1]).all()
        assert values[7] > 1e-6 * values[-1]


@on_devices
@pytest.mark.parametrize("kind", MADE)
def test_shifts_turns_and_scaling_cost_nothing(kind, device):
    mesh = cube(3, kind, jitter=0.25, size=0.1, middle=5.0)
    mover = km.deform.TorsionalSprings().attach(vertices_of(mesh, device))
    matrix = assembled(mover, np.zeros(mesh.nodes))
    for free in rigid_and_scaled(mesh.points).T:
        assert (np.abs(matrix @ free) <= 1e-11 * (abs(matrix) @ np.abs(free)).max()).all()
    assert abs(matrix - matrix.T).max() <= 1e-11 * abs(matrix).max()
    stretched = ((mesh.points - 5.0) * [1, 0, 0]).ravel()
    assert np.abs(matrix @ stretched).max() > 1e-3 * (abs(matrix) @ np.abs(stretched)).max()


@on_devices
def test_nodes_of_a_plane_of_symmetry_stay_in_it(device):
    mesh = cube(3, "tetrahedra", jitter=0.2)
    low = np.flatnonzero(mesh.points[:, 1] == mesh.points[:, 1].min())
    turned = km.Mesh.from_blocks(mesh.points @ SLANTED.T, mesh.solids, mesh.boundaries)
    faces = turned.boundaries["rim"]
    on = np.isin(faces[:, :3], low).all(axis=1)
    halves = {"rim": faces[~on], "mirror": faces[on]}
    half = km.Mesh.from_blocks(turned.points, turned.solids, halves)
    mover = km.deform.TorsionalSprings().attach(vertices_of(half, device, ["mirror"]))
    on_plane, normals = mover.slides
    rim = np.unique(halves["rim"][:, :3])
    assert set(np.flatnonzero(on_plane)) == set(low) - set(rim)
    n = normals[0]
    assert np.abs(np.abs(n @ SLANTED) - [0, 1, 0]).max() < 1e-12
    slides = np.isin(np.arange(half.nodes), low)
    matrix, free = (assembled(mover, 0 * slides, own).toarray() for own in (slides, 0 * slides))
    P = np.eye(3 * half.nodes)
    for node in low:
        at = slice(3 * node, 3 * node + 3)
        P[at, at] -= np.outer(n, n)
    want = P @ free @ P
    for node in low:
        at = slice(3 * node, 3 * node + 3)
        want[at, at] += np.outer(n, n) * (n @ free[at, at] @ n)
    assert np.abs(matrix - want).max() < 1e-11 * np.abs(want).max()
    candidates = along(rigid_and_scaled(half.points), slides, n)
    assert np.abs(candidates.reshape(-1, 3, 7)[low].transpose(0, 2, 1) @ n).max() < 1e-13


def sphere(cells):
    """Mesh about a sphere."""
    return km.mesh.sphere(nodes=700, wall_spacing=0.05, cells=cells, far_field=3.0)


def moved(mesh, device, pose, **settings):
    """Mover of springs after one step of the wall to a pose, and what the step tells."""
    markers = {"wall": ["sphere"], "far": ["farfield"]}
    vertices = SolidVertices(Backend(device), [mesh], markers)
    mover = km.deform.TorsionalSprings(**settings).attach(vertices)
    mover.begin()
    return mover, mover.step(lambda share: [pose])


@on_devices
@pytest.mark.long
@pytest.mark.parametrize("cells", ["tets", "hexes"])
def test_nodes_settle_where_the_springs_of_all_cells_are_in_balance(cells, device):
    mesh, pose = sphere(cells), km.motion.Pose(0.1, (0.2, 0.1, 0.0), (0.02, 0.01, 0.03), (1, 2, 1))
    mover, notes = moved(mesh, device, pose, tolerance=1e-11)
    assert 5 < notes["spring_iterations"] < 60
    fixed = mover.fixed
    other, _ = moved(mesh, device, km.motion.Pose(0.0, (0.0, 0.0, 0.0)))
    K = assembled(other, np.zeros(mesh.nodes))
    wall = mover.vertices.wall.node
    d = np.zeros((mesh.nodes, 3))
    d[wall] = pose.apply(mesh.points[wall]) - mesh.points[wall]
    free = np.repeat(~fixed, 3)
    side = -(K @ d.ravel())[free]
    d.ravel()[free] = spsolve(K[free][:, free].tocsc(), side)
    got = mover.backend.get(mover.vertices.x) - mesh.points
    assert np.abs(got - d).max() < 1e-8 * np.abs(d).max()
    assert np.abs(d[~fixed]).max() > 0.02


def test_transfers_in_space_are_smoothed_once_however_many_nodes_there_are(monkeypatch):
    """A transfer smoothed once reaches one node beyond its aggregate; in the plane from LARGE
    nodes on they are smoothed twice."""
    monkeypatch.setattr(hierarchy, "LARGE", 0)
    markers = {"wall": ["sphere"], "far": ["farfield"]}
    vertices = SolidVertices(Backend("cpu"), [sphere("tets")], markers)
    mover = km.deform.TorsionalSprings().attach(vertices)
    mover.assemble()

    up = mover.solver.hierarchy(0, vertices.points)[0].prolong

    K = mover.solver._free(0)
    inverse = np.linalg.inv(block_diagonal(K))
    number = hierarchy._aggregates(K, inverse, hierarchy.STRENGTH)
    near = csr_array((np.ones(len(K.indices)), K.indices, K.indptr), shape=number.shape[:1] * 2)
    found = csr_array((np.ones(len(up.column)), up.column, up.row), shape=number.shape)
    assert number.shape[1] > 1
    assert (found - found.multiply((near @ number).sign())).count_nonzero() == 0
