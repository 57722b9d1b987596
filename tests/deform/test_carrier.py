"""Meshes in space that coarse ones of tetrahedra carry: places, flows, restarts, refusals."""

from dataclasses import replace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.deform import Carrier
from kinemesh.deform.bearing import Bearing, fading, others, places, turning
from kinemesh.deform.places import closest, holding, nearest
from kinemesh.device.backend import Backend
from kinemesh.space.distance import wall_facets
from samples import direct
from scipy.linalg import polar
from scipy.spatial.transform import Rotation
from solid_cases import MACH, Shown, forced
from solver_cases import on_devices

pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")
SPAN, LENGTH = 1.2, 1.3
SECTIONS = {kind: km.mesh.airfoil("naca0012", nodes=700, far_field=6.0, cells=kind)
            for kind in ("quads", "triangles")}  # fmt: skip
MESHES = {"hexahedra": km.mesh.extruded(SECTIONS["quads"], span=LENGTH, layers=3),
          "prisms": km.mesh.extruded(SECTIONS["triangles"], span=LENGTH, layers=3)}  # fmt: skip
COARSE = km.mesh.extruded(
    km.mesh.airfoil("naca0012", nodes=500, far_field=6.0), span=LENGTH, layers=2, cells="tets"
)
CARRIER = Carrier(mesh=COARSE)
TWIST = km.motion.twist(12.0, k=0.3, span=SPAN, about=(0.3, 0.05), phase_deg=5.0)
FAST = km.AleSettings(unsteady_drop=0.1)


def bend(points):
    """A parabola along the span."""
    return np.stack([0 * points[:, 0], 0 * points[:, 0], points[:, 1] ** 2], axis=1)


BENDING = km.motion.vibrate(bend, 0.03, k=0.3, phases_deg=10.0)


def walls_at(points, time, mach):
    """(n, 3) points that TWIST turns, then BENDING lifts."""
    tip = np.radians(12.0) * np.sin(2 * 0.3 * mach * time + np.radians(5.0))
    angle = tip * np.minimum(np.abs(points[:, 1]) / SPAN, 1.0)
    axis = np.stack([0.3 + 0 * angle, points[:, 1], 0.05 + 0 * angle], axis=1)
    turned = axis + Rotation.from_rotvec(angle[:, None] * [0, 1.0, 0]).apply(points - axis)
    return turned + 0.03 * np.sin(2 * 0.3 * mach * time + np.radians(10.0)) * bend(points)


def made(mesh, motion=TWIST, deform=CARRIER, device="cpu", **more):
    """A case on a mesh, with one body that moves."""
    told = {"mach": 0.4, "alpha_deg": 2.0, "settings": FAST, "reference_area": LENGTH} | more
    return km.Ale(mesh, motion=motion, deform=deform, device=device, **told)


def moved(case, step, count=1):
    """(nodes, 3) places after `count` steps of a length."""
    dt = np.full(case.grid.members, step)
    for number in range(count):
        case.begin_step(dt, 1 if number == 0 else 2)
        case.place(case.by_laws(number * dt, dt))
    return case.backend.get(case.grid.vertices.x)


# ---------------------------------------------------------------- tables


def test_places_are_found_in_the_tetrahedra_that_hold_them():
    rng = np.random.default_rng(3)
    points, cells = COARSE.points, COARSE.solids["tetrahedra"]
    share = rng.dirichlet((1, 1, 1, 1), len(cells))
    inner = np.einsum("nk,nkd->nd", share, points[cells])

    found, least = holding(inner, points[cells])

    assert np.array_equal(found, np.arange(len(cells)))
    assert least == pytest.approx(share.min(axis=1), abs=1e-9)
    beyond = np.array([[0.5, 0.1, 0.0], [50.0, 0.5, 0.0]])  # within the body, and off the mesh
    found, least = holding(beyond, points[cells])
    assert least[0] < -1e-3
    assert (found[1], least[1]) == (-1, -1e300)


def test_nearest_triangles_are_those_of_all_distances():
    rng = np.random.default_rng(4)
    corners = rng.uniform(-1, 1, (30, 1, 3)) + rng.uniform(-0.2, 0.2, (30, 3, 3))
    points = rng.uniform(-2, 2, (40, 3))

    found, distance = nearest(points, corners)

    fine = rng.dirichlet((0.6, 0.6, 0.6), 1500)  # each triangle by as many of its points
    places = np.einsum("sk,tkd->tsd", fine, corners)
    away = np.array([np.linalg.norm(places - p, axis=2).min(axis=1) for p in points])
    assert (distance <= away.min(axis=1) + 1e-12).all()
    assert distance == pytest.approx(away.min(axis=1), abs=0.02)
    share = closest(points, corners[found])
    place = np.einsum("nk,nkd->nd", share, corners[found])
    assert np.linalg.norm(points - place, axis=1) == pytest.approx(distance, abs=1e-12)
    assert share.min() >= 0.0
    assert share.sum(axis=1) == pytest.approx(1.0)


def test_the_correction_fades_smoothly_to_the_reach():
    d = np.linspace(0, 1.2, 13)
    want = np.where(d < 1, (1 - d) ** 2 * (1 + 2 * d), 0.0)
    assert fading(d) == pytest.approx(want, abs=1e-15)
    assert fading(np.array([0.0, 1.0, 3.0])).tolist() == [1.0, 0.0, 0.0]


RIGID = Rotation.from_rotvec([0, 0.7, 0]).as_matrix() - np.eye(3)  # about an axis across planes


@on_devices
@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("kind", ["linear", "rigid"])
def test_linear_displacements_are_carried_exactly(kind, name, device):
    """Turns everywhere, others where layers do not turn with the wall."""
    case = made(MESHES[name], device=device)
    vertices, b = case.grid.vertices, case.backend
    mover = case.deform.attach(vertices)
    rng = np.random.default_rng(5)
    matrix, shift = rng.uniform(-0.5, 0.5, (3, 3)), rng.uniform(-1, 1, 3)
    matrix = RIGID if kind == "rigid" else matrix
    matrix[1], shift[1] = 0.0, 0.0  # planes of symmetry lose what is across them
    b.put(mover.carriers.x, mover.carriers.points @ (np.eye(3) + matrix).T + shift)
    want = vertices.points @ (np.eye(3) + matrix).T + shift
    at = vertices.points.copy()
    at[vertices.wall.node] = want[vertices.wall.node]
    b.put(vertices.x, at)

    for call in mover.carried.calls():
        call()

    free = ~vertices.held
    free[vertices.wall.node] = True
    table = {n: b.get(mover.carried.others[n]) for n in ("node", "share", "close")}
    free[table["node"][np.abs(table["share"].sum(axis=1)) < 0.5]] = False  # beyond the far field
    if kind == "linear":
        free[table["node"][table["close"] > 0]] = False
        assert 0.02 < (table["close"] > 0).mean() < 0.5
    assert np.abs(b.get(vertices.x) - want)[free].max() <= 1e-12
    assert np.abs(want - vertices.points)[free].max() > 0.5


@on_devices
def test_walls_turn_by_the_rotation_next_to_the_mean_matrix_of_their_facets(device):
    """By SciPy's polar decomposition of matrices that are solved for."""
    rng = np.random.default_rng(8)
    points = rng.uniform(-1, 1, (6, 3))
    ends = np.array([[1, 2], [2, 3], [3, 4], [4, 5], [0, 2], [2, 0]])
    node, spoke = [0, 5, 1], [0, 4, 5, 6]
    turned = Rotation.from_rotvec([0.4, 1.1, -0.3]).apply(points)
    now = turned + rng.uniform(-0.1, 0.1, points.shape)

    def moved(x):
        told = {"node": node, "spoke": spoke, "ends": ends, "reference": points, "x": x}
        out = {"shift": np.full((3, 3), np.nan), "turn": np.full((3, 9), np.nan)}
        return direct(Backend(device), "carrier_turns", **told, **out)

    def frame(x, a, p, q):
        one, other = x[p] - x[a], x[q] - x[a]
        normal = np.cross(one, other)
        size = np.linalg.norm(normal)
        return np.stack([one, other, normal / size], axis=1), size

    found = moved(now)
    for k, a in enumerate(node):
        total = np.zeros((3, 3))
        for p, q in ends[spoke[k] : spoke[k + 1]]:
            (given, size), (there, _) = (frame(x, a, p, q) for x in (points, now))
            total += size * np.linalg.solve(given.T, there.T).T
        want = polar(total)[0]
        assert np.linalg.det(want) > 0
        np.testing.assert_allclose(found["turn"][k].reshape(3, 3) + np.eye(3), want, atol=1e-12)
    np.testing.assert_array_equal(found["shift"], (now - points)[node])
    assert not moved(points)["turn"].any()
    flat = now.copy()
    flat[ends[spoke[1]]] = flat[node[1]]  # a facet without an area turns nothing
    assert not moved(flat)["turn"][1].any()


def test_layers_of_two_bodies_turn_less_the_nearer_the_other_one_is():
    """The share fades to nothing half way between bodies, whose nearest walls change there."""
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    corners = np.concatenate([square, square + np.array([0, 0, 0.04])])
    facets = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
    points = np.array([[0.5, 0.5, z] for z in (0.005, 0.015, 0.02, 0.025)])
    other = others(points, corners[facets], np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    assert other == pytest.approx([0.035, 0.025, 0.02, 0.025])
    assert np.isinf(others(points, corners[facets], np.zeros(4), np.zeros(4))).all()
    away = np.array([0.005, 0.015, 0.02, 0.015])
    assert turning(away, other, 0.1) == pytest.approx(fading(away / 0.02), abs=1e-12)
    assert turning(away, 10 + 0 * away, 0.1) == pytest.approx(fading(away / 0.1), abs=1e-15)


def test_shares_of_turns_know_which_body_each_facet_is_of():
    """Two halves of a wall as two bodies; facets of both are mixed in a search tree."""

    def divided(mesh):
        sides = dict(mesh.boundaries)
        faces = sides.pop("airfoil")
        upper = mesh.points[faces][..., 2].mean(axis=1) > 0
        return replace(mesh, boundaries=sides | {"upper": faces[upper], "lower": faces[~upper]})

    mesh, own = MESHES["hexahedra"], ["upper", "lower"]
    halves, rows = divided(mesh), np.unique(mesh.boundaries["airfoil"]).astype(np.int32)

    found = Bearing.of(halves, divided(COARSE), own, rows, 0.3, known=True)

    away = np.array([nearest(mesh.points, mesh.points[wall_facets(halves, [name])])[1]
                     for name in own])  # fmt: skip
    want = turning(away.min(axis=0), away.max(axis=0), 0.1) * (away.min(axis=0) < 0.3)
    np.testing.assert_allclose(found.close, want, atol=1e-12)
    assert (found.close > 0.5).any()


@pytest.mark.long
def test_nodes_beyond_the_far_field_of_the_carrier_stay():
    """A box about the cylinder of the carrier."""
    wing = km.mesh.oneram6(nodes=40_000, topology="ch", wall_spacing=1e-5, growth=1.5)
    faces = wing.boundaries["wing"]
    rows = np.unique(faces[faces >= 0]).astype(np.int32)
    carrier = wing.origin.carrier()
    found = Bearing.of(wing, carrier, ["wing"], rows, 0.3, ["farfield"], True)

    beyond = ~found.share.any(axis=1)
    near = np.hypot(wing.points[:, 0] - 0.8, wing.points[:, 2]) < 18.0
    near &= wing.points[:, 1] < 11.0
    assert 0.01 < beyond.mean() < 0.2
    assert not beyond[near].any()
    assert beyond[np.hypot(wing.points[:, 0] - 0.8, wing.points[:, 2]) > 22.0].all()
    place = (found.share[:, :, None] * carrier.points[found.corner]).sum(axis=1)
    assert np.abs(place - wing.points)[~beyond].max() <= 1e-11
    with pytest.raises(km.MeshError, match="outside of the carrier, whose face there is"):
        Bearing.of(wing, carrier, ["wing"], rows, 0.3, [], True)


def test_nodes_of_planes_stay_in_these_wherever_the_carrier_goes():
    case = made(MESHES["prisms"])
    vertices, b = case.grid.vertices, case.backend
    mover = case.deform.attach(vertices)
    way = np.array([0.1, 0.2, 0.3])
    b.put(mover.carriers.x, mover.carriers.points + way)
    at = vertices.points.copy()
    at[vertices.wall.node] += way
    b.put(vertices.x, at)

    for call in mover.carried.calls():
        call()

    moved = b.get(vertices.x) - vertices.points
    slides = vertices.sliding[0]
    assert np.abs(moved[slides] - way * [1, 0, 1]).max() <= 1e-13
    assert np.abs(moved[~vertices.held & ~slides] - way).max() <= 1e-13


def test_layers_go_with_the_wall_and_nodes_out_of_reach_with_the_carrier_alone():
    """The carrier rests, and one wall node is moved: neighbours take their share of it."""
    case = made(MESHES["hexahedra"], deform=Carrier(mesh=COARSE, reach=0.2))
    vertices, b = case.grid.vertices, case.backend
    mover = case.deform.attach(vertices)
    points, way = vertices.points, np.array([0.01, 0.0, 0.02])
    at = points.copy()
    at[vertices.wall.node] += way  # the whole wall: the nearest place is no matter
    b.put(vertices.x, at)

    for call in mover.carried.calls():
        call()

    section = km.mesh.airfoil("naca0012", nodes=700, far_field=6.0, cells="quads")
    edges = section.points[section.boundaries["airfoil"]]
    start, along = edges[:, 0], edges[:, 1] - edges[:, 0]
    flat = points[:, None, ::2] - start
    share = np.clip((flat * along).sum(axis=2) / (along**2).sum(axis=1), 0, 1)
    d = np.linalg.norm(flat - share[..., None] * along, axis=2).min(axis=1) / 0.2
    fade = np.where(d < 1, (1 - d) ** 2 * (1 + 2 * d), 0.0)
    close = np.where(3 * d < 1, (1 - 3 * d) ** 2 * (1 + 6 * d), 0.0)  # with the wall alone
    want = ((1 - close) * fade + close)[:, None] * way
    assert np.abs(b.get(vertices.x) - points - want).max() <= 1e-13
    assert 0.2 < (d < 1).mean() < 0.9
    assert (3 * d < 1).mean() > 0.05


# ---------------------------------------------------------------- places


@on_devices
@pytest.mark.parametrize("name", MESHES)
def test_walls_are_exact_and_far_field_and_planes_stay(name, device):
    case = made(MESHES[name], TWIST + BENDING, device=device)
    x, vertices = moved(case, 0.3, 2), case.grid.vertices
    wall, points = vertices.wall.node, vertices.points

    assert np.abs(x[wall] - walls_at(points[wall], 0.6, 0.4)).max() <= 1e-14
    assert np.abs(x - points)[wall].max() > 0.02
    far = vertices.sides["far"].node
    assert np.array_equal(x[far], points[far])
    on = vertices.mirrors[0]
    assert on.sum() > 1000
    assert np.abs(x - points)[on, 1].max() <= 1e-15
    assert (vertices.worst_cells() > 0).all()


@on_devices
def test_distances_of_turbulence_are_those_to_the_walls_as_they_stand(device):
    """Distances of every thirtieth node to every triangle, after two steps of a twist."""
    case = made(MESHES["hexahedra"], device=device, turbulence="sa", reynolds=1e3)
    before = case.backend.get(case.grid.fields["distance"])[::30]
    x = moved(case, 0.3, 2)
    case.grid.measure()

    facets = wall_facets(case.grid.vertices.meshes[0], ["airfoil"])
    found = case.backend.get(case.grid.fields["distance"])[::30]
    exact = np.empty(len(found))
    for k, place in enumerate(x[::30]):
        pair = np.broadcast_to(place, (len(facets), 3)), x[facets]
        foot = (closest(*pair)[:, :, None] * pair[1]).sum(axis=1)
        exact[k] = np.linalg.norm(foot - place, axis=1).min()
    assert np.abs(found - exact).max() <= 1e-12
    assert np.abs(found - before).max() > 0.01  # the motion changes them


def test_a_carrier_at_rest_leaves_every_bit():
    case = made(MESHES["prisms"], km.motion.given())
    case.begin_step(np.array([0.1]), 1)
    case.place(case.standing())
    assert np.array_equal(case.backend.get(case.grid.vertices.x), case.grid.vertices.points)


@pytest.mark.long
def test_a_step_that_is_placed_again_forgets_the_first_poses():
    def places(again):
        case = made(MESHES["prisms"])
        moved(case, 0.3)
        case.begin_step(np.array([0.3]), 2)
        if again:
            case.place(case.by_laws(np.array([0.3]), np.array([1.1])))
        case.place(case.by_laws(np.array([0.3]), np.array([0.3])))
        return case.backend.get(case.grid.vertices.x)

    assert np.array_equal(places(True), places(False))


@pytest.mark.long
def test_members_with_carriers_of_their_own_are_their_solo_runs():
    finer = km.mesh.extruded(
        km.mesh.airfoil("naca0012", nodes=600, far_field=6.0), span=LENGTH, layers=2, cells="tets"
    )
    meshes = [MESHES["prisms"], MESHES["prisms"], MESHES["hexahedra"]]
    carriers, laws = [COARSE, finer, COARSE], [TWIST, TWIST, TWIST + BENDING]
    both = made(meshes, laws, Carrier(mesh=carriers))
    x, first = moved(both, 0.3, 2), both.grid.vertices.first
    for m, (mesh, carrier, law) in enumerate(zip(meshes, carriers, laws, strict=True)):
        alone = moved(made(mesh, law, Carrier(mesh=carrier)), 0.3, 2)
        assert np.array_equal(x[first[m] : first[m + 1]], alone), m
    assert not np.array_equal(x[: first[1]], x[first[1] : first[2]])


# ---------------------------------------------------------------- flows


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_a_uniform_stream_survives_a_wing_that_twists_and_bends(solver, name):
    case = made(MESHES[name], TWIST + BENDING, mach=MACH)
    dt = np.array([0.3])
    places = []
    for step in range(6):
        case.begin_step(dt, 1 if step == 0 else 2)
        case.place(case.by_laws(step * dt, dt))
        places.append(case.backend.get(case.grid.x))
    through = solver(MESHES[name], mach=MACH, alpha_deg=17.0, walls=[], device="cpu",
                     deform=Shown(tuple(places), 0.3))  # fmt: skip

    error, change = forced(through, 6)

    assert error <= 1e-12
    assert change > 1e-3
    assert np.abs(places[-1] - places[0]).max() > 0.01


@pytest.mark.long
@pytest.mark.flow
def test_a_run_is_stopped_and_resumed_to_the_bit(tmp_path):
    how = {"time_step": 0.3, "start": "as is", "preflight": False}
    mesh = MESHES["prisms"]
    whole = made(mesh).run(steps=4, out=tmp_path / "whole", **how).history
    made(mesh).run(steps=2, out=tmp_path / "parts", **how)
    other = km.mesh.extruded(
        km.mesh.airfoil("naca0012", nodes=600, far_field=6.0), span=LENGTH, layers=2, cells="tets"
    )
    bent = COARSE.transformed(COARSE.points * (1 + 1e-9))
    for deform, match in ((Carrier(COARSE, 0.2), "deform"), (Carrier(other), "deform"),
                          (Carrier(bent), "carriers")):  # fmt: skip
        with pytest.raises(km.CaseError, match=match):
            made(mesh, deform=deform).run(steps=4, out=tmp_path / "parts", resume=True, **how)
    run = made(mesh).run(steps=4, out=tmp_path / "parts", resume=True, **how)
    told = run.summary["conditions"]["deform"]
    assert (told["method"], told["reach"], told["tolerance"]) == ("carrier", 0.3, 1e-5)
    assert told["mesh"].startswith("Mesh(1440 nodes, 5184 tetrahedra")
    again = run.history
    for name in whole.columns:
        assert np.array_equal(whole[name], again[name], equal_nan=True), name


def test_the_carrier_stays_with_bodies_that_begin_away_from_rest():
    case = made(
        MESHES["prisms"], km.motion.twist(12.0, k=0.3, span=SPAN, about=(0, 0), phase_deg=60.0)
    )
    case.rest(case.bodies.poses(np.zeros(1)))
    case.begin_step(np.array([0.1]), 1)

    carrier = case.mover.carriers

    wall = carrier.points[carrier.wall.node]
    angle = np.radians(12.0) * np.sin(np.radians(60.0))
    tip = wall[:, 1] >= SPAN
    turned = Rotation.from_rotvec([0, angle, 0]).apply(wall[tip])
    assert np.abs(case.backend.get(carrier.x)[carrier.wall.node][tip] - turned).max() <= 1e-14
    case.rewind()
    case.begin_step(np.array([0.1]), 1)
    assert np.array_equal(case.backend.get(case.mover.carriers.x), carrier.points)


@pytest.mark.long
@pytest.mark.flow
def test_a_preflight_leaves_every_bit_and_a_motion_may_begin_away_from_rest():
    law = km.motion.twist(12.0, k=0.3, span=SPAN, phase_deg=60.0)
    histories = []
    for preflight in (True, False):
        case = made(MESHES["prisms"], law)
        how = {"cycles": 0.2, "steps_per_cycle": 10, "start": "as is"}
        histories.append(case.run(preflight=preflight, **how).history)
        carrier, first = case.mover.carriers, case.grid.vertices
        far = case.backend.get(carrier.x) - carrier.points
        assert np.abs(far).max() > 0.02  # it has gone with the bodies to where they begin
        place = case.mover.carried.others
        borne = far[case.backend.get(place["corner"])] * case.backend.get(place["share"])[..., None]
        way = case.backend.get(first.x) - first.points
        rest = way[case.backend.get(place["node"])] - borne.sum(axis=1)
        rest = rest[case.backend.get(place["close"]) == 0]  # nearer ones turn with the walls
        assert np.abs(rest).max() < 0.05 * np.abs(far).max()  # the correction: chords of walls
    for name in histories[0].columns:
        assert np.array_equal(histories[0][name], histories[1][name], equal_nan=True), name


@on_devices
@pytest.mark.long
@pytest.mark.flow
def test_loads_do_not_depend_on_lengths_and_axes(device):
    """The case by a factor of 300, pitched by 20 degrees about the span."""
    turn = Rotation.from_rotvec([0, np.radians(20.0), 0])
    deep = km.AleSettings(unsteady_drop=1e-9, unsteady_iterations=100, limiter="none")
    tight = km.deform.TorsionalSprings(tolerance=1e-12)

    def loads(factor, turned):
        way = turn if turned else Rotation.identity()

        def of(mesh):
            return mesh.transformed(factor * way.apply(mesh.points.copy()))

        about = tuple(factor * way.apply([0.3, 0.0, 0.05]))
        law = km.motion.pitch(5.0, k=0.3, about=about, axis=(0, 1, 0), chord=factor)
        case = made(
            of(MESHES["prisms"]), law, Carrier(of(COARSE), 0.3 * factor, tight), device,
            alpha_deg=2.0 - 20.0 * turned, settings=deep, reference_area=LENGTH * factor**2,
            reference_length=factor, moment_about=tuple((factor * way.apply([0.25, 0, 0]))[::2]),
        )  # fmt: skip
        run = case.run(time_step=0.3 * factor, steps=3, start="as is", preflight=False)
        found = [run.history[name][-1] for name in ("cl", "cd", "cm")]
        return np.array([*found, run.history["power"][-1] * factor])  # which is per unit of time

    want = loads(1.0, False)
    assert loads(300.0, True) == pytest.approx(want, abs=1e-7)
    assert abs(want[0]) > 0.05


@pytest.mark.long
@pytest.mark.parametrize(
    ("degrees", "chords", "made_by"),
    [
        (40.0, 0.39, {"nodes": 15_000}),
        (15.0, 0.15, {"nodes": 59_000, "wall_spacing": 2e-4}),
        (40.0, 0.0, {"nodes": 40_000, "topology": "ch", "wall_spacing": 2e-6, "growth": 1.5}),
    ],
    ids=["large", "thin", "layers of 2e-6"],
)
def test_layers_at_the_end_of_a_cap_do_not_invert(degrees, chords, made_by):
    """A quarter of a cycle; layers that went with the carrier alone inverted in the first two."""
    span, length = 1.476, 0.80167296
    motion = km.motion.twist(
        degrees, k=0.27, span=span, about=(0.25, 0.0), sweep_deg=26.7, chord=length
    )
    if chords:
        motion += km.motion.vibrate(lambda x: bend(x) / span**2, chords, k=0.27, chord=length)
    case = km.Ale(
        km.mesh.oneram6(**made_by), mach=0.84, reference_area=1.15, reference_length=length,
        motion=motion, deform=Carrier(),
    )  # fmt: skip
    quarter = np.pi / 2 / (2 * 0.27 * 0.84 / length)
    moved(case, quarter / 10, 10)
    assert (case.grid.vertices.worst_cells()[:, 0] > 0).all()
    wall = case.grid.vertices.wall.node
    x, points = case.backend.get(case.grid.vertices.x)[wall], case.grid.vertices.points[wall]
    assert np.abs(x - points)[:, 2].max() > 0.3 * np.radians(degrees)


# ---------------------------------------------------------------- cases, refusals


def test_auto_is_the_same_wing_by_tetrahedra():
    wing = km.mesh.wing("naca0012", nodes=12_000, span=2.0, taper=0.6, far_field=8.0)
    carrier = wing.origin.carrier()
    assert set(carrier.solids) == {"tetrahedra"}
    assert carrier.nodes == pytest.approx(10_000, rel=0.05)
    assert set(carrier.boundaries) == set(wing.boundaries)
    faces = wing.boundaries["wing"]
    rows = np.unique(faces[faces >= 0]).astype(np.int32)
    found = Bearing.of(wing, carrier, ["wing"], rows, 0.3)
    assert found.share.any(axis=1).all()
    place = (found.share[:, :, None] * carrier.points[found.corner]).sum(axis=1)
    assert np.abs(place - wing.points).max() <= 1e-12
    assert wing.transformed(2 * wing.points).origin.carrier is None


def test_auto_of_other_meshes_names_ways():
    """In words of case files, and in those of Python."""
    match = (
        r"\[mesh\] wing .*km\.mesh\.wing.*\[deform\] mesh = 'FILE' \(in Python Carrier\(mesh=\.\.\."
        r"\)\), or take method = 'springs' \(in Python TorsionalSprings\(\)\), or method = 'rigid' "
        r"\(in Python Rigid\(\)\) where no body bends$"
    )
    with pytest.raises(km.MeshError, match=match):
        made(MESHES["prisms"], deform=Carrier())


@pytest.mark.parametrize("reach", [0.0, -1.0, np.nan, np.inf, "wide", True])
def test_a_reach_that_is_none_is_refused(reach):
    with pytest.raises(km.SettingsError, match=r"reach is .*, expected a number above 0"):
        Carrier(reach=reach)


@pytest.mark.parametrize(
    ("told", "match"),
    [({"mesh": 3}, "mesh is 3"), ({"springs": "stiff"}, "springs is 'stiff'"),
     ({"mesh": [COARSE, None]}, "mesh is None")],
)  # fmt: skip
def test_settings_that_are_none_are_refused(told, match):
    with pytest.raises(km.SettingsError, match=match):
        Carrier(**told)


def test_carriers_for_another_number_of_members_are_refused():
    with pytest.raises(km.SettingsError, match="2 entries, expected one for each of 1 members"):
        made(MESHES["prisms"], deform=Carrier(mesh=[COARSE, COARSE]))


def test_meshes_in_the_plane_and_clouds_have_no_carrier():
    match = (
        r"'carrier' \(in Python Carrier\(\)\), which moves meshes in space, .* in the plane; "
        r"take method = 'springs' or 'delaunay' \(Torsion"
    )
    with pytest.raises(km.SettingsError, match=match):
        km.Ale(SECTIONS["quads"], mach=0.4, deform=Carrier(mesh=COARSE), device="cpu")


def test_carriers_of_other_cells_are_refused():
    with pytest.raises(km.MeshError, match=r"\d+ prisms, expected a mesh of tetrahedra"):
        made(MESHES["prisms"], deform=Carrier(mesh=MESHES["prisms"]))


def test_carriers_with_other_markers_are_refused():
    other = km.Mesh.from_blocks(COARSE.points, COARSE.solids, {
        ("blade" if name == "airfoil" else name): faces
        for name, faces in COARSE.boundaries.items()})  # fmt: skip
    with pytest.raises(
        km.MeshError,
        match=r"lacks 'airfoil' and has 'blade' beyond .*"
        r"\[mesh\] markers of a case file \(in Python km\.mesh\.marked\)",
    ):
        made(MESHES["prisms"], deform=Carrier(mesh=other))


def shrunk(share):
    """COARSE with a section that is smaller by a share, its far field where it is."""
    points = COARSE.points.copy()
    way = points[:, ::2] - [0.5, 0.0]
    near = np.clip(3.0 - np.linalg.norm(way, axis=1), 0, 1)
    points[:, ::2] -= share * near[:, None] * way
    return COARSE.transformed(points)


def off_wall(mesh, carrier):
    """Largest distance of a wall's node from the carrier's wall, over its facet's longest side."""
    faces = mesh.boundaries["airfoil"]
    points = mesh.points[np.unique(faces[faces >= 0])]
    corners = carrier.points[carrier.boundaries["airfoil"][:, :3]]
    pairs = np.repeat(points, len(corners), axis=0), np.tile(corners, (len(points), 1, 1))
    place = np.einsum("nk,nkd->nd", closest(*pairs), pairs[1])
    away = np.linalg.norm(pairs[0] - place, axis=1).reshape(len(points), -1)
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    return (away.min(axis=1) / side[away.argmin(axis=1)]).max()


def test_carriers_of_other_bodies_are_refused_with_node_and_distance():
    mesh = MESHES["prisms"]
    less, more = shrunk(0.1285), shrunk(0.1315)
    assert 0.098 < off_wall(mesh, less) < 0.1 < off_wall(mesh, more) < 0.102
    match = r"node \d+ \(x = .* of wall 'airfoil' lies 0.06\d* from .*, 10.* at most 10 %"
    with pytest.raises(km.MeshError, match=match):
        made(mesh, deform=Carrier(mesh=more))
    made(mesh, deform=Carrier(mesh=less))


@pytest.mark.parametrize(("share", "told"), [(0.099, False), (0.101, True)])
@pytest.mark.parametrize("marker", ["airfoil", "farfield"])
def test_carriers_of_another_span_or_far_field_are_refused(marker, share, told):
    """By more than a tenth of the boundary's largest extent."""
    size = np.ptp(COARSE.points[np.unique(COARSE.boundaries[marker])], axis=0).max()
    points = COARSE.points.copy()
    if marker == "airfoil":  # a longer span
        points[:, 1] *= 1 + share * size / LENGTH
    else:  # a farther far field, on one side
        away = np.maximum(points[:, 0] - 2.0, 0)
        points[:, 0] += away * share * size / away.max()
    other = Carrier(mesh=COARSE.transformed(points))

    if told:
        axis = "y" if marker == "airfoil" else "x"
        match = rf"boundary '\w+' of the carrier reaches from {axis} = .* that of the mesh from"
        with pytest.raises(km.MeshError, match=match):
            made(MESHES["prisms"], deform=other)
    else:
        made(MESHES["prisms"], deform=other)


def test_carriers_that_end_before_the_mesh_are_refused():
    small = km.mesh.extruded(
        km.mesh.airfoil("naca0012", nodes=500, far_field=3.0), span=LENGTH, layers=2, cells="tets"
    )
    with pytest.raises(km.MeshError, match="outside of the carrier, whose face there is"):
        places(MESHES["prisms"], small)


def test_a_carrier_that_folds_is_told_with_the_phase():
    law = km.motion.pitch(170.0, k=0.3, axis=(0, 1, 0))
    none = km.deform.TorsionalSprings(halvings=0)
    case = made(MESHES["prisms"], law, Carrier(COARSE, springs=none))
    match = r"pre-flight .*phase \d+ degrees.*the carrier folds: springs invert a cell at node \d+"
    with pytest.raises(km.NumericalFault, match=match):
        case.run(cycles=1, steps_per_cycle=8, start="as is")


@pytest.mark.long
@pytest.mark.flow
def test_a_member_whose_carrier_folds_fails_alone():
    mesh, how = MESHES["prisms"], {"time_step": 0.5, "steps": 2, "start": "as is"}
    none = Carrier(COARSE, springs=km.deform.TorsionalSprings(halvings=0))
    spin = km.motion.pitch(170.0, k=2.0)

    run = made(mesh, [spin, TWIST], none, mach=[0.4, 0.4]).run(**how)

    assert [row["member"] for row in run.failed] == [0]
    assert "the carrier folds" in run.failed[0]["cause"]
    alone = made(mesh, deform=none).run(**how).history
    of = run.history["member"] == 1
    for name in ("cl", "power", "min_volume", "min_dihedral_deg"):
        assert np.array_equal(run.history[name][of], alone[name]), name


@on_devices
def test_places_do_not_depend_on_the_precision_of_the_flow(device):
    single, double = (
        moved(made(MESHES["prisms"], device=device, dtype=dtype), 0.3)
        for dtype in ("float32", "float64")
    )
    assert np.array_equal(single, double)


def test_a_cell_that_inverts_halves_the_step(monkeypatch):
    from kinemesh.deform.carrier_mover import CarrierMover

    case, seen = made(MESHES["prisms"]), []
    follow = CarrierMover.follow

    def bad_once(self, rows):
        good = follow(self, rows)
        seen.append(good.copy())
        return good & (len(seen) != 1)

    monkeypatch.setattr(CarrierMover, "follow", bad_once)
    case.begin_step(np.array([0.3]), 1)
    notes = case.place_bodies(case.by_laws(np.zeros(1), np.array([0.3])))

    assert notes["spring_halvings"] == 1
    assert len(seen) == 3
    wall = case.grid.vertices.wall.node
    x, points = case.backend.get(case.grid.vertices.x)[wall], case.grid.vertices.points[wall]
    angle = np.radians(12.0) * np.sin(2 * 0.3 * 0.4 * 0.3 + np.radians(5.0))
    far = points[:, 1] >= SPAN
    turned = Rotation.from_rotvec([0, angle, 0]).apply(points[far] - [0.3, 0, 0.05])
    assert np.abs(x[far] - turned - [0.3, 0, 0.05]).max() <= 1e-14


def test_case_files_name_a_carrier(tmp_path):
    case = km.cases.load("oneram6-twist").replace(deform="carrier")
    assert case.deform.build() == Carrier()
    asked = ["deform={method='carrier', reach=0.2, tolerance=1e-6, mesh='wing.su2'}"]
    built = km.cases.load("oneram6-twist", asked).deform.build()
    assert (built.reach, built.springs.tolerance) == (0.2, 1e-6)
    assert built.mesh.endswith("/wing.su2")
    with pytest.raises(km.CaseError, match="did you mean 'reach'"):
        km.cases.load("oneram6-twist", ["deform={method='carrier', reech=0.2}"])
    with pytest.raises(km.CaseError, match="moves what is in space, and the case is in the plane"):
        km.cases.load("agard-ct5").replace(deform="carrier")
    km.mesh.write(COARSE, tmp_path / "carrier.su2")
    read = made(MESHES["prisms"], deform=Carrier(mesh=tmp_path / "carrier.su2"))
    own = made(MESHES["prisms"])
    assert np.abs(moved(read, 0.3) - moved(own, 0.3)).max() <= 1e-6
