"""Bodies that bend: places by shapes, movers that take them, generalised forces, power."""

from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from clouds import box
from kinemesh.bodies.placed import Placed
from kinemesh.bodies.poses import PoseArray
from kinemesh.dimension import XYZ
from kinemesh.loops.work import movement_of, work_of
from kinemesh.run.rows import columns
from solid_cases import MACH, Shown, forced
from solids import MADE, cube, half_of
from solver_cases import Ellipse, bodies, on_devices
from structured import halved

pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")
EPS = np.finfo(float).eps
MAIN, FLAP = Ellipse((0, 0), (0.5, 0.15), 24), Ellipse((0.2, -0.5), (0.3, 0.1), 16)
SECTION = km.mesh.airfoil("naca0012", nodes=600, far_field=8.0)
MOVERS = {
    "springs": km.deform.TorsionalSprings(tolerance=1e-10),
    "delaunay": km.deform.Delaunay(),
    "retriangulated": km.deform.Delaunay(retriangulate=True),
    "modal": km.deform.Modal(),
}
SPHERE = km.mesh.sphere(nodes=1500, far_field=6.0)
FAST = km.AleSettings(linear_solver="lusgs", unsteady_drop=0.1)


def shift(points):
    """The whole body along the last axis."""
    return np.eye(points.shape[1])[-1] * np.ones((len(points), 1))


def camber(points):
    """A parabola of camber about the quarter chord."""
    found = np.zeros_like(points)
    found[:, -1] = (points[:, 0] - 0.25) ** 2
    return found


def bent(points):
    """A beam along y, bent and swept."""
    found = np.zeros_like(points)
    found[:, 2], found[:, 0] = points[:, 1] ** 2, 0.1 * points[:, 1] ** 2
    return found


# ---------------------------------------------------------------- places


@pytest.mark.parametrize("name", MOVERS)
def test_walls_are_displaced_by_the_shapes_then_turned(name):
    law = km.motion.modes([camber, shift], lambda t: (0.1 * t, 0.02 * t))
    case = km.Ale(SECTION, mach=0.4, motion=law + km.motion.pitch(8.0, 0.3), deform=MOVERS[name],
                  device="cpu")  # fmt: skip
    case.begin_step(np.array([0.5]), 1)
    placement = case.by_laws(np.zeros(1), np.array([0.5]))

    case.place(placement)

    wall = case.grid.vertices.wall.node
    given = case.grid.points[wall]
    displaced = given + 0.05 * camber(given) + 0.01 * shift(given)
    expected = placement.poses[0].apply(displaced)
    assert np.abs(case.backend.get(case.grid.x)[wall] - expected).max() <= 8 * EPS
    assert np.abs(displaced - given).max() > 0.02


@pytest.mark.parametrize("name", MOVERS)
def test_amplitudes_of_zero_have_the_walls_of_the_rigid_body(name):
    pitch = km.motion.pitch(8.0, 0.3)

    def walls(motion, deform):
        case = km.Ale(SECTION, mach=0.4, motion=motion, deform=deform, device="cpu")
        case.begin_step(np.array([0.5]), 1)
        case.place(case.by_laws(np.zeros(1), np.array([0.5])))
        return case.backend.get(case.grid.x)

    own = MOVERS[name]
    rigid = km.deform.Rigid() if name == "modal" else own
    flat = walls(pitch + km.motion.modes(camber, lambda t: 0.0), own)
    assert np.array_equal(flat, walls(pitch, rigid))


def test_modal_fields_are_the_shape_on_the_wall_zero_at_the_far_field_and_between_in_between():
    law = km.motion.modes(shift, lambda t: t)
    case = km.Ale(SECTION, mach=0.4, motion=law, deform=MOVERS["modal"], device="cpu")
    case.begin_step(np.array([0.1]), 1)
    case.place(case.by_laws(np.zeros(1), np.array([0.1])))
    way = case.backend.get(case.grid.x) - case.grid.points
    far = case.grid.vertices.sides["far"].node if "far" in case.grid.vertices.sides else None
    outer = np.hypot(*(case.grid.points - 0.5).T) > 7.0

    assert np.abs(way[:, 0]).max() == 0.0
    assert np.all((way[:, 1] >= -1e-12) & (way[:, 1] <= 0.1 + 1e-12))  # a maximum principle
    assert np.abs(way[outer if far is None else far]).max() <= 1e-12
    # cells at the wall go with it: weights 1 / l^2 stiffen them
    near = np.hypot(*(case.grid.points - [0.5, 0.0]).T) < 0.55
    assert way[near, 1].min() > 0.09


def test_members_have_the_fields_of_their_solo_runs():
    other = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    laws = [km.motion.modes(camber, lambda t: 0.1 * t), None,
            km.motion.modes([shift, camber], lambda t: (0.02 * t, 0.05 * t))]  # fmt: skip
    meshes = [SECTION, SECTION, other]

    def places(meshes, motion):
        case = km.Ale(meshes, mach=0.4, motion=motion, deform=MOVERS["modal"], device="cpu")
        n = case.grid.members
        case.begin_step(np.full(n, 0.5), 1)
        case.place(case.by_laws(np.zeros(n), np.full(n, 0.5)))
        return case.backend.get(case.grid.x), case.grid.first

    x, first = places(meshes, laws)
    for m, (mesh, law) in enumerate(zip(meshes, laws, strict=True)):
        still = km.Ale(mesh, mach=0.4, device="cpu").grid.points
        alone = still if law is None else places(mesh, law)[0]
        assert np.array_equal(x[first[m] : first[m + 1]], alone)


# ---------------------------------------------------------------- laws


def test_rates_of_modes_are_those_of_their_amplitudes():
    sine = km.motion.vibrate([camber, shift], [0.02, 0.05], k=0.3, phases_deg=[0.0, 40.0])
    law = km.motion.modes([camber, shift], lambda t: sine.pose(t, 0.5).modes)

    exact, found = sine.rate(1.3, 0.5), law.rate(1.3, 0.5)

    omega = 2 * 0.3 * 0.5
    phase = omega * 1.3 + np.radians([0.0, 40.0])
    assert exact.modes == pytest.approx(np.array([0.02, 0.05]) * omega * np.cos(phase), rel=1e-14)
    assert found.modes == pytest.approx(exact.modes, abs=1e-11)
    of_both = (sine + km.motion.pitch(3.0, 0.3)).rate(1.3, 0.5)
    assert of_both.modes == exact.modes
    assert of_both.angle == km.motion.pitch(3.0, 0.3).rate(1.3, 0.5).angle


def test_poses_of_sums_have_all_amplitudes():
    poses = [km.Pose(modes=[0.1, 0.2]), km.Pose(angle_deg=3.0), km.Pose(modes=0.5)]

    together = PoseArray.of(poses)

    assert together.modes.tolist() == [[0.1, 0.2], [0.0, 0.0], [0.5, 0.0]]
    assert (poses[0] + poses[1] + poses[2]).modes == (0.6, 0.2)
    assert together[0].modes == (0.1, 0.2)
    assert together.scaled(0.5).modes[0].tolist() == [0.05, 0.1]


# ---------------------------------------------------------------- loads


@pytest.mark.flow
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred, km.Meshless])
@pytest.mark.parametrize("space", [False, True])
def test_power_is_traction_times_velocity_of_a_body_that_bends_and_turns(solver, space):
    """Pressures at the walls against the velocities of the same points, in NumPy."""
    by = {"gradient": "least-squares"} if space else {}
    settings = {km.Ale: FAST, km.CellCentred: km.CellSettings(unsteady_drop=0.1, **by),
                km.Meshless: km.MeshlessSettings(unsteady_drop=0.1)}[solver]  # fmt: skip
    shapes = [bent, shift] if space else [camber, shift]
    about = (0.1, 0.0, 0.2) if space else (0.1, 0.2)
    axis = (0.6, -0.3, 0.8) if space else None
    rigid = km.motion.pitch(10.0, 0.3, about=about, axis=axis)
    law = km.motion.vibrate(shapes, [0.05, 0.03], k=0.3, phases_deg=[20.0, -50.0]) + rigid
    mesh = SPHERE if space else SECTION
    cloud = solver is km.Meshless
    if cloud:
        mesh = box(6, wall=0) if space else km.Cloud.from_mesh(SECTION)
    case = solver(mesh, mach=0.4, alpha_deg=3.0, motion=law, deform=km.deform.Modal(),
                  settings=settings, device="cpu")  # fmt: skip
    run = case.run(time_step=0.1, steps=4, start="as is", preflight=False)

    grid, get = case.grid, case.backend.get
    pose, rate = law.pose(0.4, 0.4), law.rate(0.4, 0.4)
    patch = grid.wall
    rims = [patch.shape[name] for name in ("ends", "outline") if name in patch.shape]
    rims = rims if grid.on == "cells" else []
    corner = rims[0] if rims else patch.node[:, None]
    there = corner >= 0
    of = np.where(there, corner, corner[:, :1])
    x, given = get(grid.vertices.x)[of], grid.vertices.points[of]
    if space:
        pose, rate = pose.into(XYZ), rate.into(XYZ)
    displaced = given + sum(
        a * shape(given.reshape(-1, given.shape[-1])).reshape(given.shape)
        for a, shape in zip(pose.modes, shapes, strict=True)
    )
    assert np.abs(x - pose.apply(displaced)).max() <= 1e-13
    bending = sum(
        b * shape(given.reshape(-1, given.shape[-1])).reshape(given.shape)
        for b, shape in zip(rate.modes, shapes, strict=True)
    ) @ pose.rotation.T  # fmt: skip
    case._for_loads()
    q = case.primitive()[patch.node]
    p = q[:, -1]
    if rims:  # pressures at the middles of faces
        way = get(patch.device["xf"]) - get(grid.fields["x"])[patch.node]
        d = grid.dimensions
        slope = get(case.fields["grad"]).reshape(len(way) and -1, q.shape[1], d)[patch.node, -1]
        p = np.where(p + (slope * way).sum(axis=1) > 0, p + (slope * way).sum(axis=1), p)
    force = (p - 1 / 1.4)[:, None] * get(patch.device["S"]).astype(float)
    share = there / there.sum(axis=1, keepdims=True)
    mean = ((bending * share[..., None]).sum(axis=1) * force).sum()
    arm = (get(patch.device["xf"]) if rims else x[:, 0]) - np.array(pose.about) - pose.shift
    if space:
        turned = np.cross(rate.angle * np.array(rate.axis), arm)
    else:
        turned = rate.angle * np.stack([arm[:, 1], -arm[:, 0]], axis=-1)
    scale = 0.5 * 0.4**2 * case.reference[0] * case.reference[1]
    power = (mean + (turned * force).sum()) / scale
    history = run.history
    assert history["power"][-1] == pytest.approx(power, rel=1e-9)
    bend = sum(history[f"mode_force_{j}"][-1] * rate.modes[j - 1] for j in (1, 2))
    assert bend == pytest.approx(mean / scale, rel=1e-9)
    assert abs(mean) > 1e-3 * abs(power * scale)
    assert history["power"][-1] == pytest.approx(history["power_pitch"][-1] + bend, rel=1e-12)
    assert [history[f"mode_{j}"][-1] for j in (1, 2)] == list(pose.modes)


@pytest.mark.flow
@on_devices
def test_power_is_force_times_rate_on_every_device(device):
    """And float64 loads are those of a CPU."""
    law = km.motion.vibrate([bent, shift], [0.05, 0.03], k=0.3, phases_deg=[20.0, -50.0])

    def flown(where):
        case = km.Ale(SPHERE, mach=0.4, motion=law, deform=MOVERS["modal"], settings=FAST,
                      device=where)  # fmt: skip
        return case.run(time_step=0.1, steps=3, start="as is").history

    history, expected = flown(device), flown("cpu")

    rates = law.rate(0.3, 0.4).modes
    power = sum(history[f"mode_force_{j}"][-1] * rates[j - 1] for j in (1, 2))
    assert history["power_bending"][-1] == pytest.approx(power, rel=1e-12)
    for name in ("cl", "mode_force_1", "power"):
        size = np.abs(expected[name]).max()
        assert history[name] == pytest.approx(expected[name], abs=1e-8 * size), name


@pytest.mark.flow
def test_a_viscous_wall_that_bends_has_the_power_of_its_reaction():
    mesh = km.mesh.cylinder(nodes=1200, far_field=15.0)
    law = km.motion.vibrate(shift, 0.05, k=0.3)
    case = km.Ale(mesh, mach=0.3, reynolds=100.0, motion=law, deform=km.deform.Modal(),
                  device="cpu")  # fmt: skip
    run = case.run(time_step=0.2, steps=3, start="as is", preflight=False)

    rate = law.rate(0.6, 0.3).modes[0]
    assert run.history["mode_force_1"][-1] == pytest.approx(run.history["cl"][-1], rel=1e-9)
    assert run.history["power"][-1] == pytest.approx(run.history["cl"][-1] * rate, rel=1e-9)


@pytest.mark.flow
def test_a_shift_given_as_a_mode_is_the_plunge():
    """Walls, and with them springs and the flow, are those of the rigid body."""
    how = {"time_step": 0.2, "steps": 5, "start": "as is", "preflight": False}

    def flown(motion):
        case = km.Ale(SECTION, mach=0.4, motion=motion, deform=MOVERS["springs"], device="cpu")
        return case.run(**how).history

    mode = flown(km.motion.vibrate(shift, 0.05, k=0.3))
    pose = flown(km.motion.plunge(0.05, k=0.3))

    for name in ("cl", "cd", "power"):
        size = np.abs(pose[name]).max()
        assert mode[name] == pytest.approx(pose[name], abs=1e-12 * size), name
    assert mode["mode_1"] == pytest.approx(pose["shift_y"], abs=4 * EPS)


def bulge(points):
    """One side of a cube of half width 1, out and along."""
    y, z = points[:, 1], points[:, 2]
    size = (1 - y**2) * (1 - z**2)
    return np.stack([size, 0.5 * size, -0.3 * size], axis=1)


def one_side(kind):
    """A cube of which the side x = -1 is a body."""
    mesh = cube(4, kind, size=2.0, middle=-1.0, jitter=0.2)
    rim = mesh.boundaries["rim"]
    on = (mesh.points[:, 0][np.where(rim < 0, rim[:, :1], rim)] < -1 + 1e-9).all(axis=1)
    return km.Mesh.from_blocks(mesh.points, mesh.solids, {"body": rim[on], "rim": rim[~on]})


SPACES = {
    "section": (SECTION, [camber, shift]),
    "sphere": (SPHERE, [bent, shift]),
    **{kind: (one_side(kind), [bulge]) for kind in MADE},
}


@pytest.mark.flow
@pytest.mark.parametrize(("name", "mover"), [
    *((name, "modal") for name in SPACES), *((name, "springs") for name in ("sphere", *MADE))
])  # fmt: skip
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_a_uniform_stream_survives_bending(solver, name, mover):
    """The mesh of a body that bends by two modes, flown through as if the body were not there."""
    mesh, shapes = SPACES[name]
    law = km.motion.vibrate(shapes, 0.08 if len(shapes) == 1 else [0.05, 0.03], k=0.5,
                            phases_deg=30.0)  # fmt: skip
    body = {"walls": ["body"]} if "body" in mesh.boundaries else {}
    moved = km.Ale(mesh, mach=MACH, motion=law, deform=MOVERS[mover], device="cpu", **body)
    places, dt = [], np.array([0.3])
    for step in range(6):
        moved.begin_step(dt, 1 if step == 0 else 2)
        moved.place(moved.by_laws(step * dt, dt))
        places.append(moved.backend.get(moved.grid.x))
    case = solver(mesh, mach=MACH, alpha_deg=17.0, walls=[], device="cpu",
                  deform=Shown(tuple(places), 0.3))  # fmt: skip

    error, change = forced(case, 6)

    assert error <= 1e-12
    assert change > 1e-3  # volumes change
    assert np.abs(places[-1] - places[0]).max() > 0.01


# ---------------------------------------------------------------- by hand, files


@pytest.mark.flow
def test_amplitudes_by_hand_have_the_loads_of_the_law():
    sine = km.motion.vibrate([camber, shift], [0.02, 0.05], k=0.3)

    def case(motion):
        return km.Ale(SECTION, mach=0.4, motion=motion, deform=MOVERS["modal"], device="cpu")

    how = {"time_step": 0.2, "steps": 4, "start": "as is"}
    expected = case(sine).run(**how).history
    loop = case(km.motion.given(shapes=[camber, shift])).steps(**how)

    def at(number):
        return {name: km.Pose(modes=sine.pose(0.2 * number, 0.4).modes) for name in ("airfoil",)}

    loop.place(at(1))
    forces = []
    for step in loop:
        forces.append(step.loads["airfoil"].modes)
        assert step.poses["airfoil"].modes == sine.pose(0.2 * step.number, 0.4).modes
        if step.number < 4:
            step.place(at(step.number + 1))
    found = loop.run.history
    for name in ("cl", "cd", "cm"):  # times differ by rounding
        assert found[name] == pytest.approx(expected[name], abs=1e-9 * np.abs(expected[name]).max())
    assert np.array(forces)[:, 0] == pytest.approx(expected["mode_force_1"], rel=1e-9)


@pytest.mark.flow
def test_a_run_that_bends_is_stopped_and_resumed_to_the_bit(tmp_path):
    law = km.motion.vibrate([camber], 0.05, k=0.3)

    def case(amplitude=1.0):
        def own(points):
            return amplitude * camber(points)

        sine = law if amplitude == 1.0 else km.motion.vibrate([own], 0.05, k=0.3)
        return km.Ale(SECTION, mach=0.4, motion=sine, deform=MOVERS["springs"], settings=FAST,
                      device="cpu")  # fmt: skip

    how = {"time_step": 0.2, "start": "as is"}
    whole = case().run(steps=6, out=tmp_path / "whole", **how).history
    case().run(steps=3, out=tmp_path / "parts", **how)
    with pytest.raises(km.CaseError, match="shapes"):
        case(1.5).run(steps=6, out=tmp_path / "parts", resume=True, **how)
    again = case().run(steps=6, out=tmp_path / "parts", resume=True, **how).history

    for name in whole.columns:
        assert np.array_equal(whole[name], again[name], equal_nan=True), name


@pytest.mark.flow
def test_columns_of_modes_are_of_the_bodies_that_have_them():
    law = km.motion.vibrate([camber, shift], [0.02, 0.01], k=0.3)
    how = {"time_step": 0.2, "steps": 2, "start": "as is"}
    two = [km.motion.vibrate(camber, 0.02, k=0.3), law]
    case = km.Ale([SECTION] * 2, mach=0.4, motion=two, deform=MOVERS["modal"], device="cpu")
    names = ("mode_1", "mode_force_1", "mode_2", "mode_force_2")
    assert columns(case)[-5:] == (*names, "power_bending")
    history = case.run(**how).history
    first, second = (history["member"] == m for m in (0, 1))
    assert np.isnan(history["mode_2"][first]).all()
    assert history["mode_2"][second] == pytest.approx(
        [law.pose(t, 0.4).modes[1] for t in (0.2, 0.4)]
    )


@pytest.mark.flow
def test_columns_of_several_bodies_end_in_their_names():
    mesh = bodies({"main": MAIN, "flap": FLAP})
    law = {"main": km.motion.vibrate(camber, 0.02, k=0.3), "flap": km.motion.pitch(2.0, 0.3)}
    case = km.Ale(mesh, mach=0.4, motion=law, device="cpu")

    history = case.run(time_step=0.2, steps=2, start="as is").history

    ends = ("mode_1_main", "mode_force_1_main", "power_bending", "power_bending_main")
    assert columns(case)[-5:-1] == ends
    assert (history["power_bending_flap"] == 0).all()
    rate = law["main"].rate(0.4, 0.4).modes[0]
    power = history["mode_force_1_main"][-1] * rate
    assert history["power_main"][-1] == pytest.approx(power, rel=1e-12)
    both = history["power_main"][-1] + history["power_flap"][-1]
    assert history["power"][-1] == pytest.approx(both, rel=1e-12)


def test_the_numbers_of_a_case_name_amplitudes_by_shape():
    law = km.motion.vibrate([camber, shift], [0.02, 0.01], k=0.3, phases_deg=[0.0, 90.0])
    case = km.Ale(SECTION, mach=0.4, motion=law, deform=MOVERS["modal"], device="cpu")
    (found,) = case.asked()
    expected = {"motion": "vibration", "amplitudes_1": 0.02, "amplitudes_2": 0.01, "k": 0.3,
                "phases_deg_1": 0.0, "phases_deg_2": 90.0, "chord": 1.0}  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    assert not any(callable(value) for value in found.values())
    assert "0x" not in repr(law)


def cycle(power, bending, *, turning=0.0, angle=0.0, amplitude=0.1):
    """Columns of a cycle of 32 steps with constant powers."""
    phase = np.arange(32) * 360 / 32
    wave = np.sin(np.radians(phase))
    flat = np.zeros(32)
    columns_ = {"phase_deg": phase, "time": phase / 360, "alpha_deg": angle * wave, "shift_x": flat,
                "shift_y": flat, "power": flat + power, "power_pitch": flat + turning}  # fmt: skip
    return columns_ | {"mode_1": amplitude * wave, "power_bending": flat + bending}


@pytest.mark.parametrize(("amplitude", "single"), [(0.1, False), (0.0, True)])
def test_work_of_modes_is_apart_and_leaves_no_damping_of_the_pitch(amplitude, single):
    power = {"power": 0.5, "bending": 0.2, "turning": 0.3}
    movement = movement_of(cycle(angle=3.0, amplitude=amplitude, **power))
    none = SimpleNamespace(harmonics=())

    work = work_of([movement], none, none)

    whole = 32 / 32 * 32 / 32
    assert work.total == pytest.approx(0.5 * whole)
    assert work.bending == pytest.approx(0.2 * whole)
    assert work.pitch == pytest.approx(0.3 * whole)
    assert work.plunge == pytest.approx(0.0, abs=1e-15)
    assert (work.damping is not None) is single


# ---------------------------------------------------------------- the kinds of places that bend


@pytest.mark.flow
@pytest.mark.parametrize("deform", ["modal", "springs"])
@pytest.mark.parametrize("law", ["vibrate", "modes", "sum"])
def test_a_case_in_millimetres_has_the_same_loads(deform, law):
    """Lengths times 1000, amplitudes and shapes with them; so the power column, too."""

    def flown(scale):
        mesh = SECTION.transformed(scale * np.array(SECTION.points))

        def shape(points):
            return scale * camber(points / scale)

        chord = {} if scale == 1 else {"chord": scale}
        sine = km.motion.vibrate(shape, 0.05, k=0.3, **chord)
        bend = km.motion.modes(shape, lambda t: sine.pose(t, 0.4).modes)
        pitch = km.motion.pitch(2.0, k=0.3, about=(0.25 * scale, 0.0), **chord)
        motion = {"vibrate": sine, "modes": bend, "sum": bend + pitch}[law]
        case = km.Ale(mesh, mach=0.4, motion=motion, deform=MOVERS[deform], device="cpu",
                      moment_about=(0.25 * scale, 0.0), **chord)  # fmt: skip
        how = {"time_step": 0.2 * scale, "steps": 3, "start": "as is"}
        return case.run(**how).history

    one, large = flown(1.0), flown(1000.0)

    for name in ("cl", "cm", "mode_1", "mode_force_1"):
        size = np.abs(one[name]).max()
        assert large[name] == pytest.approx(one[name], abs=1e-6 * size), name
    for name in ("power", "power_bending"):  # per time, which is in lengths of the mesh
        size = np.abs(one[name]).max()
        assert 1000 * large[name] == pytest.approx(one[name], abs=1e-6 * size), name


def moved_by(mesh, shape, amplitude=0.1, **more):
    """Places of a case whose one body bends by an amplitude."""
    law = km.motion.modes(shape, lambda t: amplitude)
    case = km.Ale(mesh, mach=0.4, motion=law, deform=MOVERS["modal"], device="cpu", **more)
    case.begin_step(np.array([0.1]), 1)
    case.place(case.by_laws(np.zeros(1), np.array([0.1])))
    return case.grid.points, case.backend.get(case.grid.x)


def test_fields_of_a_half_model_are_those_of_the_whole():
    def stretched(points):
        return points * np.array([1.0, -0.5, -0.5])

    given, moved = moved_by(SPHERE, stretched)
    own, there = moved_by(half_of(SPHERE), stretched, boundaries={"middle": "symmetry"})

    order, other = (np.lexsort(np.round(x, 9).T) for x in (given, own))
    half_space = given[order][:, 1] >= -1e-9
    assert own[other] == pytest.approx(given[order][half_space], abs=1e-12)
    assert there[other] == pytest.approx(moved[order][half_space], abs=1e-8)
    assert np.abs(there - own).max() > 0.05


def test_the_preflight_tells_of_amplitudes_at_which_cells_invert(tmp_path):
    law = km.motion.vibrate(camber, 8.0, k=0.3)
    case = km.Ale(SECTION, mach=0.4, motion=law, deform=MOVERS["modal"], device="cpu")

    with pytest.raises(km.NumericalFault, match=r"pre-flight .*smaller amplitudes"):
        case.run(cycles=1, steps_per_cycle=8, out=tmp_path / "big")
    small = km.Ale(SECTION, mach=0.4, motion=km.motion.vibrate(camber, 0.02, k=0.3),
                   deform=MOVERS["modal"], settings=FAST, device="cpu")  # fmt: skip
    run = small.run(cycles=0.25, steps_per_cycle=8, start="as is")
    assert run.summary["result"]["preflight"]["least_area"] > 0


def test_poses_of_a_step_can_be_placed_again():
    """A body that bends beside a rigid one, and members with other numbers of shapes."""
    mesh = bodies({"main": MAIN, "flap": FLAP})
    law = {"main": km.motion.given(shapes=[camber]), "flap": km.motion.given()}
    loop = km.Ale(mesh, mach=0.4, motion=law, settings=FAST, device="cpu").steps(
        time_step=0.1, steps=2, start="as is"
    )
    step = next(iter(loop))
    assert step.poses["flap"].modes == ()
    step.place(step.poses)
    loop.close()
    two = [km.motion.given(shapes=[camber]), km.motion.given(shapes=[camber, shift])]
    loop = km.Ale([SECTION] * 2, mach=0.4, motion=two, settings=FAST, device="cpu").steps(
        time_step=0.1, steps=2, start="as is"
    )
    step = next(iter(loop))
    assert [len(pose.modes) for pose in step.poses["airfoil"]] == [1, 2]
    step.place(step.poses)
    loop.close()


def test_new_graphs_do_not_depend_on_the_unit_of_amplitudes():
    """A way there and back, on which graphs are taken up again."""

    def counted(unit):
        law = km.motion.vibrate(lambda x: unit * camber(x), 1.2 / unit, k=0.1)
        case = km.Ale(SECTION, mach=0.4, motion=law, deform=MOVERS["retriangulated"], device="cpu")
        dt, notes = np.array([law.period(case.speed[0]) / 16]), []
        for number in range(16):
            case.begin_step(dt, 1 if number == 0 else 2)
            notes.append(case.place(case.by_laws(number * dt, dt)))
        return notes, case.backend.get(case.grid.x)

    notes, x = counted(1.0)
    small, there = counted(1e-6)

    rebuilt = sum(own["graphs_rebuilt"] for own in notes)
    assert rebuilt > 5
    assert sum(own["graphs_taken_up_again"] for own in notes) >= rebuilt - 1
    assert small == notes
    assert there == pytest.approx(x, abs=1e-9)


def test_a_restart_of_poses_by_hand_without_modes_is_taken_up():
    pose = [0.1, [0.25, 0.0], [0.0, 0.2], None]
    kept = {"past": {"0": [pose, pose]}, "next": {}, "rates": {"0": [0.1, [0.0, 0.0], None]}}
    case = km.Ale(SECTION, mach=0.4, motion=km.motion.given(), device="cpu")
    own = Placed(case.bodies, case.check_placed)

    own.load(kept)

    assert own.past[0][0] == km.Pose(0.1, (0.25, 0.0), (0.0, 0.2))
    assert own.rates[0].modes == ()


# ---------------------------------------------------------------- refusals


def test_cells_in_space_refuse_values_at_nodes_for_bodies_that_bend():
    law = km.motion.modes(bent, lambda t: 0.0)

    def case(**more):
        return km.CellCentred(SPHERE, mach=0.4, motion=law, deform=km.deform.Modal(),
                              device="cpu", **more)  # fmt: skip

    with pytest.raises(km.SettingsError, match="gradient='least-squares'"):
        case()
    case(settings=km.CellSettings(gradient="least-squares"))
    flat = km.motion.modes(camber, lambda t: 0.0)
    km.CellCentred(SECTION, mach=0.4, motion=flat, deform=km.deform.Modal(), device="cpu")


def test_a_shape_that_leaves_a_line_of_symmetry_is_refused():
    mesh = halved(km.mesh.cylinder(600, far_field=6.0, around=32))
    kinds = {"symmetry": "symmetry"}

    def case(shape):
        law = km.motion.modes(shape, lambda t: 0.0)
        return km.Ale(mesh, mach=0.3, motion=law, boundaries=kinds, device="cpu")

    with pytest.raises(km.SettingsError, match="across its plane of symmetry"):
        case(shift)
    case(lambda points: points * np.array([0.1, 0.1]))  # along the line where it meets it


@pytest.mark.parametrize("solver", [km.Ale, km.Meshless])
def test_modal_refuses_two_bodies_by_its_name(solver):
    mesh = bodies({"main": MAIN, "flap": FLAP})
    space = km.Cloud.from_mesh(mesh) if solver is km.Meshless else mesh
    law = {"main": km.motion.modes(camber, lambda t: 0.0)}
    case = solver(space, mach=0.4, motion=law, deform=km.deform.Modal(), device="cpu")

    with pytest.raises(km.SettingsError, match=r"Modal\(\), as rigid motion, needs one body"):
        case.run(time_step=0.1, steps=1, start="as is")


@pytest.mark.parametrize("deform", [km.deform.Rigid()])
def test_a_mover_of_rigid_bodies_refuses_shapes_and_says_which_takes_them(deform):
    law = km.motion.modes(camber, lambda t: 0.0)

    with pytest.raises(km.SettingsError, match=r"km\.deform\.Modal\(\), TorsionalSprings"):
        km.Ale(SECTION, mach=0.4, motion=law, deform=deform, device="cpu")
    with pytest.raises(km.SettingsError, match=r"km\.deform\.Modal\(\)"):
        km.Incompressible(SECTION, reynolds=100.0, motion=law, device="cpu")


def test_a_body_is_named_where_there_are_several():
    """`kinemesh check` looks at settings on a small section, whatever the body of a case is."""
    law, two = km.motion.modes(camber, lambda t: 0.0), bodies({"main": MAIN, "flap": FLAP})
    case = {"mach": 0.4, "deform": km.deform.Rigid(), "device": "cpu"}

    with pytest.raises(km.SettingsError, match=r"^the body bends by shapes"):
        km.Ale(SECTION, motion=law, **case)
    with pytest.raises(km.SettingsError, match=r"^body 'flap' bends by shapes"):
        km.Ale(two, motion={"main": None, "flap": law}, **case)


@pytest.mark.parametrize(
    ("shape", "match"),
    [
        (lambda p: p[:, :1], r"gave an array \(\d+, 1\) of float64, expected displacements"),
        (lambda p: "bent", "shape 1 of 'airfoil' gave 'bent'"),
        (lambda p: p + 1j, r"gave an array \(\d+, 2\) of complex128"),
        (lambda p: p > 0, r"gave an array \(\d+, 2\) of bool"),
        (lambda p: p[:, 2], "shape 1 of 'airfoil' failed at its points .*IndexError"),
        (lambda p: np.where(p > 0.5, np.nan, p), "expected finite numbers"),
        (lambda p: 0 * p, "is zero at all points of the body"),
    ],
)
def test_a_shape_that_is_no_displacement_is_refused(shape, match):
    law = km.motion.modes(shape, lambda t: 0.0)

    with pytest.raises(km.SettingsError, match=match):
        km.Ale(SECTION, mach=0.4, motion=law, deform=MOVERS["modal"], device="cpu")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: km.motion.modes([], lambda t: 0.0), "expected at least one"),
        (lambda: km.motion.modes(camber, 0.1), "law = 0.1, expected a callable"),
        (lambda: km.motion.modes(3.0, lambda t: 0.0), "shapes = 3.0, expected callables"),
        (lambda: km.motion.modes(camber, lambda t: (0.0, 1.0)).pose(0.0, 1.0), "2 amplitudes at"),
        (lambda: km.motion.vibrate(camber, [0.1, 0.2], k=0.3), "2 amplitudes, expected one for ea"),
        (lambda: km.motion.vibrate(camber, 0.1, k=0.0), "k = 0.0, expected a number above 0"),
        (lambda: km.motion.vibrate(camber, np.nan, k=0.1), "amplitudes = nan, expected a finite"),
        (lambda: km.motion.modes(camber, lambda t: 0.0, omega=-1.0), "omega = -1.0, expected"),
        (lambda: km.motion.given(shapes=[1]), "expected callables"),
        (lambda: km.Pose(modes="a"), "modes = 'a', expected a number"),
        (lambda: km.Pose(modes=[0.0, np.inf]), "modes = inf, expected a finite"),
    ],
)
def test_bad_laws_of_modes_are_refused(make, match):
    with pytest.raises(km.SettingsError, match=match):
        make()


def test_amplitudes_of_a_body_without_shapes_are_refused():
    law = km.motion.function(lambda t: km.Pose(modes=(0.1,)))
    case = km.Ale(SECTION, mach=0.4, motion=law, deform=MOVERS["modal"], device="cpu")

    with pytest.raises(km.SettingsError, match="'airfoil' has 0 shapes"):
        case.run(time_step=0.1, steps=2, start="as is")
    given = km.Ale(SECTION, mach=0.4, motion=km.motion.given(shapes=[camber]),
                   deform=MOVERS["modal"], device="cpu")  # fmt: skip
    loop = given.steps(time_step=0.1, steps=2, start="as is")
    with pytest.raises(km.SettingsError, match="'airfoil' has 1 shapes"):
        loop.place({"airfoil": km.Pose(modes=[0.1, 0.2])})
    loop.close()


@pytest.mark.parametrize("across", [1e-8, 1e-10])
def test_a_shape_that_leaves_a_plane_of_symmetry_is_refused(across):
    mesh = km.mesh.extruded(
        km.mesh.airfoil("naca0012", nodes=500, far_field=6.0), span=0.5, layers=1
    )

    def lean(points):
        return camber(points) + across * np.array([0.0, 1.0, 0.0]) * camber(points)[:, 2:].max()

    def case():
        return km.Ale(mesh, mach=0.4, motion=km.motion.modes(lean, lambda t: 0.0),
                      deform=MOVERS["modal"], device="cpu")  # fmt: skip

    if across < 1e-9:
        case()
        return
    with pytest.raises(km.SettingsError, match="across its plane of symmetry"):
        case()
