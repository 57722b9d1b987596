"""Work of the flow on moving walls, damping and derivatives: made-up loops that are known exactly,
and runs beside the sum over wall faces that the work is."""

from dataclasses import replace
from math import cos, pi, radians, sin

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.io import History
from kinemesh.io.csv_rows import unsteady_columns
from kinemesh.loops.work import movement_of, work_of
from kinemesh.motion import Motion, Pose
from kinemesh.study.hysteresis import hysteresis
from solver_cases import Ellipse, bodies

EPS = np.finfo(float).eps
MACH, K = 0.5, 0.15
OMEGA = 2 * K * MACH
PIVOT = (0.6, 0.0)
STEPS = 16


# ---------------------------------------------------------------- rates of motions


@pytest.mark.parametrize("t", [0.0, 3.3, 400.7])
@pytest.mark.parametrize(
    "motion",
    [
        km.motion.pitch(2.5, K, about=PIVOT, phase_deg=20),
        km.motion.plunge(0.1, K, direction=(1, 2)),
        km.motion.pitch(2.5, K, about=PIVOT) + km.motion.plunge(0.1, 2 * K),
    ],
    ids=["pitch", "plunge", "both"],
)
def test_rate_is_the_derivative_of_the_pose(motion, t):
    rate, difference = motion.rate(t, MACH), Motion.rate(motion, t, MACH)

    speed = OMEGA * max(radians(2.5), 0.1)
    # (omega h)^4 / 30 = 3e-14 of fourth order and eps (1 + omega t) / (omega h) of rounding
    near = speed * (1e-13 + 8 * EPS * (1 + OMEGA * t) / 1e-3 / 0.04)
    assert rate.angle == pytest.approx(difference.angle, abs=near)
    assert rate.shift == pytest.approx(difference.shift, abs=near)


def test_rate_of_a_function_follows_a_pivot_that_moves_along_the_body():
    """The pose of a towed body stays what it is, however its pivot is written."""

    def law(t):
        return Pose(0.3, (t, 0.0), (t - t * cos(0.3), t * sin(0.3)))  # about = (t, 0)

    rate = km.motion.function(law).rate(2.0, MACH)

    at = [np.array(law(t).apply((2.0, 0.0))) for t in (1.0, 3.0)]
    assert rate.angle == pytest.approx(0, abs=1e-12)
    assert rate.shift == pytest.approx((at[1] - at[0]) / 2, abs=1e-10)


def test_a_law_need_not_go_beyond_the_run():
    """A law from a table ends where the run ends; before its beginning there may be none."""
    end = 7.0

    def law(t):
        if not 0 <= t <= end:
            raise ValueError("beyond the table")
        return Pose(0.1 * sin(t), PIVOT, (0.0, 0.2 * cos(t)))

    motion = km.motion.function(law, omega=1.0)

    # (omega h)^4 / 5 of one side's fourth order, and rounding by h
    for t in (0.0, 1e-3, 3.0, end - 1e-3, end):
        rate = motion.rate(t, MACH)
        assert rate.angle == pytest.approx(0.1 * cos(t), abs=1e-11)
        assert rate.shift == pytest.approx((0, -0.2 * sin(t)), abs=1e-11)
    with pytest.raises(ValueError, match="beyond the table"):
        motion.rate(end + 1, MACH)


def test_motions_add_up_by_sum_and_share_a_period():
    pitch, plunge = km.motion.pitch(2, 0.1), km.motion.plunge(0.1, 0.15)

    both = sum([pitch, plunge])

    assert both.pose(1.0, MACH) == (pitch + plunge).pose(1.0, MACH)
    assert both.omega(MACH) == pytest.approx(2 * 0.05 * MACH, rel=4 * EPS)
    assert (pitch + km.motion.plunge(0.1, 0.1)).omega(MACH) == pitch.omega(MACH)
    assert (pitch + km.motion.plunge(0.1, 0.1 * 2**0.5)).omega(MACH) is None
    assert (pitch + km.motion.plunge(0.1, 2.5)).omega(MACH) is None  # 25 cycles


# ---------------------------------------------------------------- loops known exactly


def made(angle, x=(0, 0), y=(0, 0), power=0.0, turning=0.0, steps=24, cl=(0.3, -0.1)):
    """One cycle of a history: angle [rad], x and y as (sin, cos) parts; power constant."""
    history = History(unsteady_columns())
    for step in range(1, steps + 1):
        s, c = sin(2 * pi * step / steps), cos(2 * pi * step / steps)
        row = dict.fromkeys(history.columns, 0.0) | {"step": step, "cycle": step / steps}
        row |= {"time": 0.5 * step, "phase_deg": 360.0 * step / steps, "power": power}
        row |= {"alpha_deg": 1.0 + np.degrees(angle[0] * s + angle[1] * c), "power_pitch": turning}
        row |= {"shift_x": x[0] * s + x[1] * c, "shift_y": y[0] * s + y[1] * c}
        row |= {"cl": 0.2 + cl[0] * s + cl[1] * c, "cm": 0.1 * s}
        history.append(row)
    return hysteresis(history)


def test_work_is_power_times_time_and_damping_its_share():
    loop = made((0.04, 0), power=-2e-3, turning=-2e-3)

    assert loop.work == pytest.approx(-2e-3 * 24 * 0.5, rel=64 * EPS)
    assert loop.damping == pytest.approx(2e-3 * 12 / (pi * 0.04**2), rel=1e-12)
    assert (loop.energy.pitch, loop.energy.plunge) == pytest.approx((-0.024, 0), abs=64 * EPS)


@pytest.mark.parametrize("phase", [0.0, 20.0, 90.0])
def test_the_amplitude_is_that_of_the_motion_not_of_its_steps(phase):
    """18 steps of a sine miss its peaks, by 1.5 % at phase 0."""
    s, c = 0.04 * cos(radians(phase)), 0.04 * sin(radians(phase))

    loop = made((s, c), power=-2e-3, turning=-2e-3, steps=18)

    assert loop.damping == pytest.approx(2e-3 * 9 / (pi * 0.04**2), rel=1e-12)


def test_a_motion_without_a_first_harmonic_has_no_derivatives():
    """Pitches of twice and three times the frequency of their common period."""
    angle = [0.04 * (sin(4 * pi * n / 24) + sin(6 * pi * n / 24)) for n in range(1, 25)]
    loop = made((0, 0))
    path = replace(movement_of(columns_at_rest(24)), angle=np.array(angle))

    found = work_of([path], loop.cl, loop.cm)

    assert found.derivatives == km.hysteresis(made_at_rest()).derivatives
    assert found.damping == 0


@pytest.mark.parametrize("share", [0.1, 0.6, 1.0])
@pytest.mark.parametrize("steps", [5, 8, 25])
def test_what_is_no_cycle_has_no_damping(steps, share):
    """A run by time_step counts as one cycle, whatever part of the motion it holds."""
    loop, whole = made((0, 0)), steps * share == steps
    phase = 2 * pi * share * np.arange(1, steps + 1) / steps
    path = replace(movement_of(columns_at_rest(steps)), angle=0.04 * np.sin(phase + 0.3))
    ramp = replace(path, angle=0.01 * phase)

    found = work_of([path], loop.cl, loop.cm)

    assert (found.damping is not None) == whole
    assert (found.derivatives.cl_alpha is not None) == whole
    assert work_of([ramp], loop.cl, loop.cm).damping is None


def columns_at_rest(steps):
    names = ("alpha_deg", "shift_x", "shift_y", "power", "power_pitch")
    number = np.arange(1, steps + 1)
    return {n: np.zeros(steps) for n in names} | {"time": number, "phase_deg": 360 / steps * number}


def test_derivatives_have_the_phase_of_the_motion():
    """cl = 0.3 sin - 0.1 cos over alpha = 0.04 sin: 7.5 in phase, -2.5 a quarter turn ahead; about
    a motion that leads by a quarter turn the same lift is -2.5 in phase and -7.5 ahead."""
    first = made((0.04, 0)).derivatives
    turned = made((0, 0.04)).derivatives

    assert first.cl_alpha == pytest.approx(7.5 - 2.5j, rel=1e-12)
    assert first.cm_alpha == pytest.approx(2.5, rel=1e-12, abs=1e-12)
    assert first.cl_h is None
    assert turned.cl_alpha == pytest.approx(-2.5 - 7.5j, rel=1e-12)


@pytest.mark.parametrize("way", [(0, 1), (0, -1), (1, 1), (-1, -1)])
def test_a_plunge_is_positive_upwards_whatever_its_direction(way):
    """cl = 0.3 sin - 0.1 cos over a path of length 0.1 (0.1 sqrt 2 where it is aslant)."""
    up = np.sign(way[1])
    loop = made((0, 0), x=(0.1 * way[0], 0), y=(0.1 * way[1], 0), power=-1e-3)

    length = 0.1 * np.hypot(*way)
    assert loop.derivatives.cl_h == pytest.approx(up * (0.3 - 0.1j) / length, rel=1e-9)
    assert loop.derivatives.cl_alpha is None
    assert loop.damping == pytest.approx(12e-3 / (pi * length**2), rel=1e-9)


@pytest.mark.parametrize(
    "motion", [{"angle": (0.04, 0), "y": (0.1, 0)}, {"angle": (0, 0), "x": (0.1, 0), "y": (0, 0.1)}]
)
def test_a_mixed_motion_has_work_and_neither_damping_nor_derivatives(motion):
    loop = made(**motion, power=-1e-3)

    assert loop.work == pytest.approx(-12e-3, rel=1e-12)
    assert loop.damping is None
    assert loop.derivatives == km.hysteresis(made_at_rest()).derivatives
    assert loop.to_dict()["derivatives"] is None


def made_at_rest():
    history = History(unsteady_columns())
    for step in range(1, 9):
        row = dict.fromkeys(history.columns, 0.0) | {"step": step, "time": step}
        history.append(row | {"cycle": step / 8, "phase_deg": 45.0 * step})
    return history


# ---------------------------------------------------------------- runs


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=600, far_field=10)


def case(mesh, motion, moment_about=(0.25, 0.0), drop=1e-9, **more):
    settings = km.AleSettings(unsteady_drop=drop, unsteady_iterations=200, limiter="none")
    more = {"deform": km.deform.Rigid(), "device": "cpu", "settings": settings} | more
    return km.Ale(mesh, mach=MACH, motion=motion, moment_about=moment_about, **more)


def go(solver, cycles=1, steps=STEPS):
    return solver.run(cycles=cycles, steps_per_cycle=steps, start="as is")


def elsewhere(t):
    """pitch(2, K, about=PIVOT) written as a turn about another point and the exact shift."""
    angle = radians(2) * sin(OMEGA * t)
    about, turn = np.array([-0.3, 0.2]), Pose(angle).rotation
    shift = turn @ (about - PIVOT) + PIVOT - about
    return Pose(angle, tuple(about), tuple(shift))


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*moment_about is at:RuntimeWarning")
def test_work_is_that_of_the_moment_about_the_pivot_whatever_the_moment_is_about(mesh):
    pitch = km.motion.pitch(2, K, about=PIVOT)
    runs = [go(case(mesh, pitch, about)) for about in (PIVOT, (0.25, 0.0), (-2.0, 0.3))]
    loops = [km.hysteresis(run) for run in runs]

    history = runs[0].history
    rate = np.array([pitch.rate(t, MACH).angle for t in history["time"]])
    integral = (history["cm"] * rate).sum() * np.diff(history["time"])[0]
    assert loops[0].work == pytest.approx(integral, rel=1e-10)
    assert history["power"].sum() * np.diff(history["time"])[0] == pytest.approx(
        loops[0].work, rel=1e-10
    )
    for other in loops[1:]:
        assert other.work == pytest.approx(loops[0].work, rel=1e-10)
        assert other.damping == pytest.approx(loops[0].damping, rel=1e-10)
    assert loops[1].derivatives.cm_alpha != pytest.approx(loops[0].derivatives.cm_alpha, rel=0.1)


@pytest.mark.flow
@pytest.mark.long
def test_work_of_a_function_is_that_of_the_motion_that_it_writes_otherwise(mesh):
    pitch = go(case(mesh, km.motion.pitch(2, K, about=PIVOT)))
    function = go(case(mesh, km.motion.function(elsewhere, omega=OMEGA)))

    assert km.hysteresis(function).work == pytest.approx(km.hysteresis(pitch).work, rel=1e-8)


@pytest.mark.flow
@pytest.mark.parametrize("about", [PIVOT, (0.25, 0.0)])
def test_power_is_the_sum_of_traction_times_velocity_over_the_wall(mesh, about):
    """Pitch and plunge of different frequencies, against the sum over wall nodes in NumPy."""
    motion = km.motion.pitch(2, K, about=PIVOT, phase_deg=40) + km.motion.plunge(0.1, 2 * K)
    solver = case(mesh, motion, about)
    run = go(solver, steps=8)

    grid, get = solver.grid, solver.backend.get
    node, time = grid.wall.node, run.history["time"][-1]
    pose, before, after = (motion.pose(time + d, MACH) for d in (0, -1e-4, 1e-4))
    given = grid.points[node]
    assert get(grid.x)[node] == pytest.approx(pose.apply(given), abs=1e-12)
    velocity = (after.apply(given) - before.apply(given)) / 2e-4  # (1e-4 omega)^2 / 6 = 4e-11
    p = solver.primitive()[node, 3] - 1 / 1.4
    traction = p[:, None] * get(grid.wall.device["S"])
    expected = (traction * velocity).sum() / (MACH**2 / 2)
    assert run.history["power"][-1] == pytest.approx(expected, rel=1e-8)


@pytest.mark.flow
@pytest.mark.long
def test_power_of_parts_adds_up_and_a_plunge_is_damped(mesh):
    plunge = km.hysteresis(go(case(mesh, km.motion.plunge(0.05, K)), cycles=2))
    both = km.motion.plunge(0.05, K) + km.motion.pitch(2, K, about=PIVOT)
    mixed = km.hysteresis(go(case(mesh, both)))

    assert plunge.energy.pitch == 0
    assert plunge.work == plunge.energy.plunge < 0
    assert plunge.damping == pytest.approx(-plunge.work / (pi * 0.05**2), rel=1e-12)
    assert mixed.damping is None
    assert mixed.energy.pitch + mixed.energy.plunge == pytest.approx(mixed.work, rel=1e-12)
    assert 0 not in (mixed.energy.pitch, mixed.energy.plunge)


@pytest.mark.slow
@pytest.mark.flow
def test_phase_of_a_pitch_does_not_change_its_derivatives(mesh):
    runs = [
        case(mesh, km.motion.pitch(0.5, K, about=PIVOT, phase_deg=phase), drop=1e-6).run(
            cycles=3, steps_per_cycle=STEPS
        )
        for phase in (0, 90)
    ]
    first, second = (km.hysteresis(run).derivatives for run in runs)

    # the third cycles are periodic to half a per cent
    assert second.cl_alpha == pytest.approx(first.cl_alpha, rel=5e-3)
    assert second.cm_alpha == pytest.approx(first.cm_alpha, rel=1e-2)


def flap_case(motion, walls=None):
    main, flap = Ellipse((0, 0), (0.5, 0.15), 24), Ellipse((0.8, -0.3), (0.3, 0.1), 16)
    mesh = bodies({"main": main, "flap": flap})
    settings = km.AleSettings(unsteady_drop=1e-6, unsteady_iterations=100)
    return km.Ale(
        mesh, mach=0.3, motion=motion, walls=walls, deform=km.deform.Delaunay(), device="cpu",
        settings=settings,
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.flow
def test_a_flap_works_while_the_first_body_rests():
    hinge = (0.55, -0.3)
    flap = km.motion.pitch(3, K, about=hinge)
    run = flap_case({"flap": flap}).run(cycles=1, steps_per_cycle=8, start="as is")
    loop, history = km.hysteresis(run), run.history

    assert list(loop.bodies) == ["main", "flap"]
    assert loop.bodies["main"].energy.total == 0
    assert loop.bodies["main"].energy.damping is None
    assert loop.work == pytest.approx(loop.bodies["flap"].energy.total, rel=1e-12)
    assert loop.damping == pytest.approx(-loop.work / (pi * np.ptp(flap_angle(run)) ** 2 / 4))
    assert loop.derivatives.cl_alpha is not None
    # its moment is about the hinge, so power is that moment times the rate
    rate = np.array([flap.rate(t, 0.3).angle for t in history["time"]])
    assert history["power_flap"] == pytest.approx(history["cm_flap"] * rate, rel=1e-12)
    assert history["cl"] == pytest.approx(history["cl_main"] + history["cl_flap"], rel=1e-12)
    assert (history["alpha_deg"] == 0).all()
    assert history.columns == unsteady_columns(["main", "flap"])


def flap_angle(run):
    return np.radians(run.history["angle_deg_flap"])


@pytest.mark.slow
@pytest.mark.flow
def test_bodies_that_move_as_one_have_one_damping_and_others_none():
    together = km.motion.plunge(0.02, K)
    loops = [
        km.hysteresis(flap_case(motion).run(cycles=1, steps_per_cycle=8, start="as is"))
        for motion in (together, {"main": together, "flap": km.motion.plunge(0.04, K)})
    ]

    assert loops[0].damping == pytest.approx(-loops[0].work / (pi * 0.02**2), rel=1e-9)
    assert loops[1].damping is None
    assert None not in [body.damping for body in loops[1].bodies.values()]
    assert [body.work for body in loops[1].bodies.values()] == [
        body.energy.total for body in loops[1].bodies.values()
    ]
    total = sum(body.energy.total for body in loops[1].bodies.values())
    assert loops[1].work == pytest.approx(total, rel=1e-12)


def test_a_history_of_bodies_is_read_again_whatever_their_names(tmp_path):
    columns = unsteady_columns(["main, left", 'the "flap"'])
    row = {name: float(k) for k, name in enumerate(columns)}
    row |= {"member": 0, "step": 1, "inner_iterations": 3, "converged": 1}
    with History(columns, tmp_path / "history.csv") as history:
        history.append(row)

    again = History.read(tmp_path / "history.csv")

    assert again.columns == columns
    assert again.kind == "unsteady"
    assert {name: again[name][0] for name in columns} == row
    with pytest.raises(CaseError, match="columns"):
        History((*columns, "cl"))


def test_a_body_is_found_by_its_columns_whatever_its_name():
    columns = unsteady_columns(["main", "power_pitch_b"])
    history = History(columns)
    for step in range(1, 9):
        row = dict.fromkeys(columns, 0.0) | {"step": step, "time": step, "cycle": step / 8}
        history.append(row | {"phase_deg": 45.0 * step})

    assert list(hysteresis(history).bodies) == ["main", "power_pitch_b"]


def test_a_name_that_gives_two_columns_of_one_name_is_refused_before_the_run(tmp_path):
    main, flap = Ellipse((0, 0), (0.5, 0.15), 24), Ellipse((0.8, -0.3), (0.3, 0.1), 16)
    mesh = bodies({"main": main, "pitch": flap})
    solver = km.Ale(mesh, mach=0.3, motion=km.motion.plunge(0.01, 0.3), walls=["main", "pitch"],
                    deform=km.deform.Rigid(), device="cpu")  # fmt: skip

    with pytest.raises(CaseError, match=r"power_pitch.* of the markers .*; rename"):
        solver.run(cycles=1, steps_per_cycle=8, out=tmp_path / "run")

    assert not (tmp_path / "run").exists()


@pytest.mark.flow
@pytest.mark.slow
def test_work_converges_in_time(mesh):
    """BDF2's error at 64 steps, (omega dt)^2 / 3 = 0.3 % of a rate, is below half a per cent."""
    pitch = km.motion.pitch(2, K, about=PIVOT)
    works = [
        km.hysteresis(case(mesh, pitch, drop=1e-5).run(cycles=3, steps_per_cycle=n)).work
        for n in (64, 256)
    ]

    assert works[0] == pytest.approx(works[1], rel=5e-3)
