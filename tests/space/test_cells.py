"""Cells of a mesh as volumes: first-order Roe flux on a mesh that springs carry along.

The motion is that of case CT5: NACA 0012 at M 0.755, 2.51 degrees about the quarter chord at
k = 0.0814, 64 steps per cycle.
"""

from math import fsum

import kinemesh as km
import numpy as np
import pytest
from exact_gas import conserved, flux, primitive
from kinemesh.device.backend import Backend
from kinemesh.device.faults import DIVERGED, GRAPH, PIVOT, PRESSURE
from kinemesh.flow.terms.boundary import Boundary
from kinemesh.gas import free_stream
from kinemesh.mesh.cell_faces import cell_faces
from kinemesh.space.cells import Cells
from kinemesh.space.conditions.values import Values
from kinemesh.space.vertices import MeshVertices
from samples import direct
from solver_cases import on_devices
from world import NONE

EPS = np.finfo(float).eps
BAR = 1e-12  # the bar of the method's statement
MACH, ALPHA, STEPS = 0.755, 0.016, 20
PITCH = km.motion.pitch(2.51, 0.0814)
DT = PITCH.period(MACH) / 64
SIDES = {"wall": ["airfoil"], "far": ["farfield"]}


def triangles(nodes=800):
    return km.mesh.airfoil("naca0012", nodes=nodes)


def mixed():
    """Triangles merged in pairs across every third edge, where that gives a convex cell."""
    mesh, quads = triangles(), []
    table, free = cell_faces(mesh.nodes, mesh.cells), set(range(len(mesh.cells)))
    for (left, right), (p, q) in zip(table.lr[::3].tolist(), table.ends[::3].tolist(), strict=True):
        other = [next(k for k in mesh.cells[c, :3] if k not in (p, q)) for c in (left, right)]
        quad = np.array([p, other[1], q, other[0]])
        ahead = np.roll(mesh.points[quad], -1, 0) - mesh.points[quad]
        turns = ahead[:, 0] * np.roll(ahead[:, 1], -1) - ahead[:, 1] * np.roll(ahead[:, 0], -1)
        if {left, right} <= free and turns.min() > 0.2 * turns.max():
            free -= {left, right}
            quads.append(quad)
    cells = [*quads, *mesh.cells[sorted(free)]]
    return km.mesh.Mesh.from_arrays(mesh.points, cells, mesh.boundaries)


MESHES = {"case": lambda: triangles(5000), "small": triangles, "mixed": mixed}


class Flow:
    """First-order Roe flux on the cells of an ensemble, bodies pitching; a uniform stream at first.

    Parameters
    ----------
    sides : markers of walls and far field; `exact`: a stream passes the bodies
    """

    viscosity = None

    def __init__(self, meshes, device="cpu", sides=SIDES, exact=True):
        b = self.backend = Backend(device)
        self.vertices = MeshVertices(b, meshes, sides)
        self.cells = Cells(self.vertices)
        self.cells.start()
        self.mover = km.deform.TorsionalSprings().attach(self.vertices)
        cells, stream = self.cells, free_stream(np.full(len(meshes), MACH), ALPHA)
        self.uniform = stream[0]
        self.u, self.u1, self.u2, self.q, self.res, self.past = (
            b.array(conserved(stream)[cells.member] * (k < 3), "real") for k in range(6)
        )
        self.flux = b.zeros((cells.edges, 4))
        fields = self.fields = cells.fields.also(
            u=self.u, u1=self.u1, u2=self.u2, q=self.q, res=self.res, past=self.past,
            flux=self.flux, grad=b.zeros((cells.nodes, 8)), lowered=b.zeros(cells.edges, np.int32),
            stream=b.array(stream, np.float64), centre=b.zeros((len(meshes), 2), np.float64),
            active=b.array(np.ones(len(meshes)), np.int32), entropy_fix=0.05,
            low_mach=b.array(np.ones((len(meshes), 2)), np.float64),
        )  # fmt: skip
        self.grid, self.settings, self.conditions, self.family = cells, None, {}, "bc"
        self.time_terms = fields.bind("state_past", V1=cells.V1, V2=cells.V2)
        far = [fields.also(**p.device).bind("bc_farfield") for p in cells.patches.values()]
        self.residual = b.record(
            [
                fields.bind("state_primitive"),
                fields.also(S=cells.S, w=cells.w).bind("ale_flux_roe"),
                fields.bind("ale_residual"),
                *(far if exact else Boundary(self).residual()),
            ]
        )

    def step(self, number):
        """A physical step up to its first residual: the four verbs without a march."""
        b, cells, v = self.backend, self.cells, self.vertices
        cells.keep_levels()
        b.put(self.u2, b.get(self.u1))
        b.put(self.u1, b.get(self.u))
        cells.set_time_levels(np.full(v.members, DT), 1 if number == 0 else 2)
        self.mover.begin()
        self.mover.step(lambda s: [PITCH.pose((number + s) * DT, MACH) for _ in v.bodies])
        cells.measure()
        cells.sweep()
        self.time_terms()
        self.residual()
        assert (b.get(cells.faults) == NONE).all()

    def terms(self):
        """(cells,) sizes that add up in a residual: of time terms and fluxes, of all equations."""
        get, cells = self.backend.get, self.cells
        levels = [get(cells.V), get(cells.V1), get(cells.V2)]
        states = [get(self.u), get(self.u1), get(self.u2)]
        factors = get(cells.bdf)[cells.member].T
        total = sum(
            abs(c * V) * abs(u).sum(1) for c, V, u in zip(factors, levels, states, strict=True)
        )
        inner = abs(get(self.flux)).sum(1)
        for side in (0, 1):
            total += np.bincount(cells.lr[:, side], inner, cells.nodes)
        q = get(self.q)
        for patch in cells.patches.values():
            S, w = (get(patch.device[name]) for name in ("S", "w"))
            total += np.bincount(patch.node, abs(flux(q[patch.node], S, w)).sum(1), cells.nodes)
        return total

    def update(self):
        """An explicit pseudo-step of CFL number 1/2, by the sizes of the terms."""
        get = self.backend.get
        self.backend.put(self.u, get(self.u) - 0.5 * get(self.res) / self.terms()[:, None])
        self.residual()


@pytest.mark.long
@on_devices
@pytest.mark.flow
@pytest.mark.parametrize("mesh", MESHES)
def test_uniform_stream_survives_on_cells(mesh, device):
    flow = Flow([MESHES[mesh]()], device)
    get, cells = flow.backend.get, flow.cells
    size = error = swept = 0.0

    for number in range(STEPS):
        flow.step(number)
        for _ in range(3):
            size = max(size, (abs(get(flow.res)).max(axis=1) / flow.terms()).max())
            flow.update()
        error = max(error, abs(primitive(get(flow.u)) - flow.uniform).max())
        dV = sum(np.bincount(side, abs(get(cells.dV1)), cells.nodes) for side in cells.lr.T)
        swept = max(swept, (dV / get(cells.V)).max())

    assert size <= BAR
    assert error <= BAR
    assert swept > 1


@on_devices
def test_cells_conserve_what_does_not_pass_the_boundary(device):
    """The sum over all cells is that of time terms and of exact fluxes at the boundary: pressure
    on the walls, the stream where the far field's cells are at the state of the stream."""
    case = Flow([mixed()], device, exact=False)
    get, cells, rng = case.backend.get, case.cells, np.random.default_rng(1)
    loose = np.ones((cells.nodes, 1))
    loose[cells.patches["far"].node] = 0
    for number in range(3):
        q = case.uniform * (1 + loose * rng.uniform(-0.1, 0.1, (cells.nodes, 4)))
        case.backend.put(case.u, conserved(q))
        case.step(number)

    pairs = zip((cells.V, cells.V1, cells.V2), (case.u, case.u1, case.u2), strict=True)
    factors = get(cells.bdf)[0]
    held = [c * get(V)[:, None] * get(u) for c, (V, u) in zip(factors, pairs, strict=True)]
    S, w = sides(cells.wall, get)
    p = primitive(get(case.u))[cells.wall.node, 3]
    pushed = p[:, None] * np.column_stack([0 * w, S, w])
    expected = total(*held, pushed, flux(case.uniform, *sides(cells.patches["far"], get)))

    # a residual is wrong by about eps of its terms, those of all cells add up as a random walk
    bar = EPS * np.linalg.norm(case.terms())
    assert (abs(total(get(case.res)) - expected) <= bar).all()
    assert (abs(get(case.res)).sum(0) > 1e6 * bar).all()


def total(*tables):
    """(4,) sums of all rows, exact."""
    return np.array([fsum(column) for column in np.concatenate(tables).T])


def sides(patch, get):
    """Area vectors and swept rates of a patch."""
    return get(patch.device["S"]), get(patch.device["w"])


@on_devices
def test_cells_of_an_ensemble_have_the_bits_of_solo_ones(device):
    """Members 0 and 2 share a mesh, member 1 has another."""
    a, b = mixed(), triangles(500)
    alone, both = {id(m): Flow([m], device) for m in (a, b)}, Flow([a, b, a], device)
    for flow in (*alone.values(), both):
        for number in range(3):
            flow.step(number)
            flow.update()

    for member, mesh in enumerate(both.vertices.meshes):
        mine, theirs = parts(both, member), parts(alone[id(mesh)], 0)
        for name, values in theirs.items():
            assert values.tobytes() == mine[name].tobytes(), (member, name)


def parts(flow, member):
    """Numbers of one member: by cell, by face and by boundary face."""
    cells, get = flow.cells, flow.backend.get
    of_cell = cells.member == member
    of_face = cells.member[cells.lr[:, 0]] == member
    by_cell = {"V": cells.V, "V1": cells.V1, "V2": cells.V2, "centre": cells.centre, "u": flow.u}
    by_face = {"S": cells.S, "w": cells.w, "dV2": cells.dV2, "flux": flow.flux}
    found = {name: get(values)[of_cell] for name, values in (by_cell | {"res": flow.res}).items()}
    found |= {name: get(values)[of_face] for name, values in by_face.items()}
    found["lr"] = cells.lr[of_face] - cells.first[member]
    for kind, patch in cells.patches.items():
        own = patch.member == member
        found |= {f"{kind} {name}": get(patch.device[name])[own] for name in ("S", "w")}
        found[f"{kind} node"] = patch.node[own] - cells.first[member]
    return found


# ---------------------------------------------------------------- tables and kernels by hand

HOUSE = np.array([[0.0, 0], [2, 0], [2, 1], [0, 1], [3, 0.5]])
CORNERS = np.array([[1, 4, 2, -1], [0, 1, 2, 3]], np.int32)
EDGES = {"low": [[0, 1]], "high": [[2, 3]], "left": [[3, 0]], "east": [[1, 4]], "north": [[4, 2]]}
KINDS = {"outlet": ["low", "north"], "symmetry": ["high", "east"], "far": ["left"]}


def test_two_cells_meet_in_one_edge():
    """A rectangle with a triangle at its right: from the triangle one sees the edge from (2, 1)
    down to (2, 0) with the triangle on the left."""
    table = cell_faces(5, CORNERS)

    assert table.lr.tolist() == [[0, 1]]
    assert table.ends.tolist() == [[2, 1]]
    assert table.offsets.tolist() == [0, 1, 2]
    assert (table.neighbour.tolist(), table.edge.tolist()) == ([1, 0], [0, 0])
    assert table.outer.tolist() == [[0, 1], [1, 4], [2, 3], [3, 0], [4, 2]]
    assert table.behind.tolist() == [1, 0, 1, 1, 0]


def test_areas_and_sweeps_of_two_cells(backend):
    """Vertex (2, 1) goes to (5/2, 1).  The edge down to (2, 0) sweeps 1/4 out of the triangle's
    1/2, that from (3, 1/2) gives 1/8 back; the rectangle grows from 2 to 9/4."""
    moved, table = HOUSE.copy(), cell_faces(5, CORNERS)
    moved[2, 0] = 2.5
    ends = np.concatenate([table.ends, table.outer])

    S = direct(backend, "face_normals", x=HOUSE, ends=ends, S=np.ones((6, 2)))["S"]
    dV = direct(backend, "face_sweeps", x0=HOUSE, x1=moved, ends=ends, dV=np.ones(6))["dV"]
    before, after = (areas(backend, x) for x in (HOUSE, moved))

    assert S.tolist() == [[-1, 0], [0, -2], [0.5, -1], [0, 2], [-1, 0], [0.5, 1]]
    assert dV.tolist() == [-0.25, 0, 0, 0, 0, 0.125]
    assert before["V"].tolist() == [0.5, 2]
    assert after["V"].tolist() == [0.375, 2.25]
    # the corner (2, 1) at (5/2, 1) takes the centroid of the rectangle to (61/54, 14/27)
    assert before["x"] == pytest.approx(np.array([[7 / 3, 0.5], [1, 0.5]]), rel=4 * EPS)
    assert after["x"][1] == pytest.approx([61 / 54, 14 / 27], rel=4 * EPS)
    assert before["faults"][0] == NONE


def areas(backend, x):
    return direct(
        backend, "cell_volumes", vertex=x, corners=CORNERS, member=[0, 0], V=np.ones(2),
        x=np.ones((2, 2)), faults=np.array([NONE]),
    )  # fmt: skip


def test_an_inverted_cell_is_a_fault(backend):
    x = HOUSE.copy()
    x[4, 0] = 1.5

    assert areas(backend, x)["faults"][0] == 1 << 32 | 0
    x[4, 0] = np.nan
    assert areas(backend, x)["faults"][0] == 1 << 32 | 0


def test_cells_stand_at_their_centroids(host):
    both = [mixed(), triangles(500)]
    cells = Cells(MeshVertices(host, both, SIDES))
    cells.start()

    np.testing.assert_allclose(cells.points, host.get(cells.fields["x"]), rtol=0, atol=64 * EPS)
    assert np.abs(cells.points).max() > 40  # the far field is 50 chords away
    host.put(cells.x, cells.vertices.points + 0.5)
    cells.reset()
    assert (host.get(cells.x) == cells.vertices.points).all()


def test_places_of_faults_are_cells_but_those_of_a_deformation(host):
    original = np.array([10, 11, 12, 13, 14])
    mesh = km.mesh.Mesh.from_arrays(HOUSE, CORNERS, EDGES, original)
    cells = Cells(MeshVertices(host, [mesh, mesh], KINDS))
    cells.start()

    place = "at the cell of nodes 10, 11, 12, 13 (x = 1, y = 0.5)"
    assert cells.place(1, 3, PRESSURE) == f" {place}"
    assert cells.place(1, 6, GRAPH) == " at node 11 (x = 2, y = 0)"
    assert cells.place(0, 1, DIVERGED) == cells.place(0, 1, PIVOT) == ""


def test_numbers_of_a_condition_are_at_the_edges_of_its_marker(host):
    """Outlets with a pressure each: below the rectangle, and above the triangle, of two members."""
    mesh = km.mesh.Mesh.from_arrays(HOUSE, CORNERS, EDGES)
    cells = Cells(MeshVertices(host, [mesh, mesh], KINDS))
    Values(host, cells, {"low": km.outlet(pressure=0.7), "north": km.outlet(pressure=0.84)})

    patch, back = cells.patches["outlet"], {0: 0.6, 1: 0.5}  # over gamma
    assert sorted(patch.node.tolist()) == [0, 1, 2, 3]
    assert patch.node[cells.rows(patch, np.array([0, 1, 4]))].tolist() == [1]
    expected = [back[cell % 2] for cell in patch.node.tolist()]
    assert host.get(patch.device["back"]) == pytest.approx(expected, rel=4 * EPS)


def test_a_cell_with_several_edges_on_one_boundary_is_in_as_many_layers(host):
    """Both cells in the far field: the triangle by two edges, the rectangle by three."""
    mesh = km.mesh.Mesh.from_arrays(HOUSE, CORNERS, {"far": cell_faces(5, CORNERS).outer})
    patch = Cells(MeshVertices(host, [mesh, mesh], {"far": ["far"]})).patches["far"]

    assert patch.layers == ((0, 4), (4, 4), (8, 2))
    for first, count in patch.layers:
        assert len(set(patch.node[first : first + count])) == count
    assert np.bincount(patch.node).tolist() == [2, 3, 2, 3]


@pytest.mark.parametrize("order", [list(EDGES), ["north", "low", "east", "left", "high"]])
def test_an_edge_is_of_the_body_of_its_marker_where_bodies_meet(host, order):
    """Loads of each body are sums over rows side by side; here every vertex is of two bodies."""
    mesh = km.mesh.Mesh.from_arrays(HOUSE, CORNERS, EDGES)
    other = km.mesh.Mesh.from_arrays(HOUSE + 1, CORNERS, EDGES)
    cells = Cells(MeshVertices(host, [mesh, other, mesh], {"wall": order}))

    for patch in (cells.wall, cells.patches["wall"]):
        first = cells.vertices.first[patch.member]
        ends = (patch.shape["ends"] - first[:, None]).tolist()
        names = [cells.bodies[body] for body in patch.body]
        assert all(EDGES[name] == [own] for (_, name), own in zip(names, ends, strict=True))
        assert [member for member, _ in names] == patch.member.tolist()
    assert cells.wall.body.tolist() == list(range(15))
