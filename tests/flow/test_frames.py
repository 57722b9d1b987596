"""Points that are given in the frames of overset parts; moments and angles of parts."""

import tomllib

import kinemesh as km
import numpy as np
import pytest
from kinemesh.bodies.frames import Frame, framed
from kinemesh.cases import check as checks
from kinemesh.cases.casefile import Case
from overset_parts import background, ring
from solver_cases import Ellipse, bodies

AT, ANGLE, SCALE = (0.6, -0.2), 25.0, 0.8
FRAME = Frame(AT, ANGLE, SCALE)
FEW = km.IncompressibleSettings(overlap=1)
pytestmark = [pytest.mark.flow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


def run(parts, steps=8, **more):
    """A few steps of 0.02 from the stream, or of 0.02 times more."""
    told = {"reynolds": 100.0, "chord": 1.0, "device": "cpu", "settings": FEW}
    case = km.Incompressible({"back": BACK} | parts, **(told | more))
    return case.run(time_step=0.02, steps=steps)


BACK = background(spacing=0.08)
WIDE = background(spacing=0.1, core=3.0)


def placed():
    """A ring as its mesh has it where the part of `FRAME` stands."""
    mesh = ring()
    return mesh.transformed(FRAME.place(mesh.points))


def turning(about):
    return {"rod": km.motion.rotate(20.0, about=about, ramp=0.1)}


def law(about):
    """A law whose pivot itself moves within the body."""

    def pose(t):
        x, y = about(t)
        return km.motion.Pose(0.3 * t * t, (x, y), (0.1 * t * t, 0.0))

    return {"rod": km.motion.function(pose)}


PIVOT = (0.25, 0.1)
THERE = FRAME.point(PIVOT)
MOTIONS = {
    "rotate": (turning(PIVOT), turning(THERE)),
    "sum": tuple({"rod": m["rod"] + km.motion.translate((0.3, 0.1), ramp=0.1)}
                 for m in (turning(PIVOT), turning(THERE))),
    "law": (law(lambda t: PIVOT), law(lambda t: THERE)),
    "wandering": (law(lambda t: (0.25 + t, 0.1)), law(lambda t: FRAME.point((0.25 + t, 0.1)))),
}  # fmt: skip


def test_a_frame_scales_turns_and_shifts_its_points():
    """Nose-up by 90 degrees, the x axis of the part points downwards."""
    frame = Frame((2.0, 1.0), 90.0, 0.5)

    np.testing.assert_allclose(frame.place([[1.0, 0.0], [0.0, 1.0]]), [[2, 0.5], [2.5, 1]])
    points = np.random.default_rng(0).normal(size=(9, 2))
    np.testing.assert_allclose(frame.own(frame.place(points)), points, atol=1e-14)
    np.testing.assert_array_equal(
        km.Part(ring(), (2.0, 1.0), 90.0, 0.5).points(), frame.place(ring().points)
    )


@pytest.mark.long
@pytest.mark.parametrize(("own", "there"), MOTIONS.values(), ids=MOTIONS)
def test_pivots_and_moments_are_of_the_parts_own_frame(own, there):
    """Compare with a mesh in the part's place, and with its points moved there."""
    part = km.Part(ring(), at=AT, angle_deg=ANGLE, scale=SCALE)
    found = run({"rod": part}, motion=own, moment_about=PIVOT).history

    expected = run({"rod": placed()}, motion=there, moment_about=THERE).history

    for name in ("cl", "cd", "cm", "power", "power_pitch", "shift_x", "shift_y"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-12)
    assert np.abs(found["cm"]).max() > 1e-3
    np.testing.assert_allclose(found["alpha_deg"], ANGLE + expected["alpha_deg"], rtol=1e-12)


def test_the_default_pivot_is_the_quarter_chord_of_the_part():
    wing = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    for frame in (Frame(), Frame((0.6, 0.0)), Frame((1.0, 0.5), -5.0, 0.3)):
        made = framed(km.motion.pitch(2.0, 0.1), frame)
        pivot = frame.place([[0.25, 0.0]])[0]

        np.testing.assert_allclose(made.pivot, pivot)
        pose = made.pose(3.0, 1.0)
        np.testing.assert_allclose(pose.apply(pivot), pivot, atol=1e-15)
        moved = pose.apply(frame.place(wing.points))
        assert np.abs(moved - frame.place(wing.points)).max() > 1e-3


def test_rates_of_a_law_that_wanders_are_those_of_its_placed_poses():
    """The pivot's velocity by hand: of a point of the case at rest in the body."""
    wander = law(lambda t: (0.25 + t, 0.1))["rod"]

    made = framed(wander, FRAME)

    for t in (0.3, 1.0):
        rate, pose, h = made.rate(t, 1.0), made.pose(t, 1.0), 1e-5
        ends = [made.pose(t + way * h, 1.0).apply(pose.about) for way in (-1, 1)]
        np.testing.assert_allclose(rate.shift, (ends[1] - ends[0]) / (2 * h), atol=1e-8)
        assert rate.angle == pytest.approx(0.6 * t, rel=1e-9)


def passing(**more):
    """Two rods that are towed past each other in a fluid at rest."""
    parts = {
        "left": km.Part(ring(), at=(-1.5, 0.9)),
        "right": km.Part(ring(), at=(1.5, -0.9)),
        "back": WIDE,
    }
    tow = {
        "left": km.motion.translate((1.0, 0.0), ramp=0.2),
        "right": km.motion.translate((-1.0, 0.0), ramp=0.2),
    }
    return run(parts, steps=20, stream=0.0, motion=tow, **more)


def test_moments_of_towed_parts_are_about_their_own_origins():
    """A round body has none by its pressures: what is left is of friction and of the polygon.

    About the world's origin it was -y c_d, 0.9 times the drag.  The moment of both is about the
    origin of the first part, from which the second is away.
    """
    history = passing().history

    for marker in ("left", "right"):
        assert np.abs(history[f"cd_{marker}"]).max() > 3
        assert np.abs(history[f"cm_{marker}"][2:]).max() < 0.02
    x = 3.0 + history["shift_x_right"] - history["shift_x_left"]
    y = -1.8 + history["shift_y_right"] - history["shift_y_left"]
    lever = y * history["cd_right"] - x * history["cl_right"]
    whole = history["cm_left"] + history["cm_right"] + lever
    about = history["cm"] - 0.25 * (history["cl_left"] + history["cl_right"])
    np.testing.assert_allclose(about, whole, atol=1e-11)


@pytest.mark.long
def test_moments_of_towed_parts_are_about_the_point_that_is_asked_for():
    """A point 0.5 above the centre of each: the lever of its drag."""
    own, asked = passing().history, passing(moment_about=(0.0, 0.5)).history

    for marker in ("left", "right"):
        found = asked[f"cm_{marker}"] - own[f"cm_{marker}"]
        np.testing.assert_allclose(found, -0.5 * own[f"cd_{marker}"], atol=1e-11)


@pytest.mark.long
def test_moments_of_resting_parts_are_about_their_own_origins():
    """In a steady run too; the sum of both is about the first."""
    parts = {"one": km.Part(ring(), at=(-2.0, 0.0)), "two": km.Part(ring(), at=(1.5, 0.7))}
    parts["back"] = WIDE
    settings = km.IncompressibleSettings(overlap=1, steady_iterations=30)
    told = {"reynolds": 20.0, "moment_about": (0.0, 0.0), "device": "cpu"}
    case = km.Incompressible(parts, settings=settings, **told)

    result = case.steady().summary["result"]

    one, two = result["bodies"]["one"], result["bodies"]["two"]
    assert max(abs(one["cm"]), abs(two["cm"])) < 0.1 < one["cd"]
    whole = one["cm"] + two["cm"] + 0.7 * two["cd"] - 3.5 * two["cl"]
    assert result["cm"] == pytest.approx(whole, abs=1e-11)


def test_bodies_of_one_mesh_have_moments_about_points_that_move_with_them():
    """A body that is towed away from the first one, which rests: about its own point."""
    mesh = bodies(
        {"main": Ellipse((0, 0), (0.5, 0.15), 24), "flap": Ellipse((0.2, -0.7), (0.3, 0.1), 16)}
    )
    tow = {"flap": km.motion.translate((0.0, -0.1), ramp=0.2)}
    case = km.Ale(mesh, mach=0.3, motion=tow, device="cpu", deform=km.deform.Delaunay())

    poses = case.bodies.poses(np.array([1.0]))
    case.begin_step(np.array([1.0]), 1)

    loads = case.moving_loads(case.by_laws(np.zeros(1), np.ones(1)))
    fixed = case.forces.bodies(case.moment_points(), np.repeat([[0.25, 0.0]], 2, axis=0))
    lever = poses.shift[1]
    cl, cd, _ = loads.coefficients[1]
    expected = fixed[1, 2] + lever[0] * cl - lever[1] * cd
    assert abs(lever[1]) > 0.01
    assert loads.moment[1] == pytest.approx(expected, abs=1e-12)
    assert loads.moment[0] == pytest.approx(fixed[0, 2], abs=1e-12)


def test_alpha_has_the_angles_of_stream_part_and_motion():
    """In the history, the table, the loop and the rows of members."""
    pitch = {"rod": km.motion.pitch(5.0, 6.0)}
    part = km.Part(ring(), angle_deg=10.0)
    case = km.Incompressible(
        {"rod": part, "back": BACK}, reynolds=100.0, alpha_deg=2.0, motion=pitch, device="cpu",
        settings=FEW,
    )  # fmt: skip

    made = case.run(cycles=1, steps_per_cycle=24)

    phase = np.radians(made.history["phase_deg"])
    np.testing.assert_allclose(made.history["alpha_deg"], 12 + 5 * np.sin(phase), atol=1e-12)
    assert made.table()["alpha_deg"][0] == 12.0
    assert made.asked()[0]["alpha_deg"] == 12.0
    assert made.loop().alpha_deg.mean() == pytest.approx(12.0, abs=1e-12)
    conditions = made.summary["conditions"]
    assert conditions["alpha_deg"] == 2.0  # of the stream
    assert conditions["frames"] == {"rod": {"at": [0.0, 0.0], "angle_deg": 10.0, "scale": 1.0}}


FILE = """
name = "rod"
mode = "unsteady"
method = "incompressible"
[flow]
reynolds = 100
[parts.rod]
shape = "cylinder"
nodes = 600
far_field = 1.0
at = [0.6, 0.0]
angle_deg = 90.0
scale = 0.5
[parts.rod.motion]
pitch = { amplitude_deg = 2.0, k = 0.5, about = [0.2, 0.0] }
[parts.back]
box = [-4, 6, -4, 4]
core = [0, 1.2, -0.6, 0.6]
spacing = 0.03
growth = 1.3
[run]
cycles = 1
steps_per_cycle = 40
device = "cpu"
[solver]
overlap = 1
"""


@pytest.mark.long
def test_a_check_tells_points_of_parts_in_both_frames(tmp_path):
    path = tmp_path / "rod.toml"
    path.write_text(FILE)

    report = checks.check(Case.read(path, ["flow.chord=0.5"]))

    (told,) = [text for name, _, text in report.rows if name == "points"]
    assert "pivot (0.2, 0) of rod, (0.6, -0.1) of the case" in told
    assert "moments about (0.25, 0) of rod, (0.6, -0.125) of the case" in told
    assert report.good, str(report)


def test_a_case_file_puts_and_scales_its_parts():
    case = Case.from_dict(tomllib.loads(FILE))
    mesh = km.cases.build.mesh(case.mesh.parts["rod"].mesh, outer="overset")

    part = km.cases.build.laid(case.mesh)["rod"]

    assert part.frame == Frame((0.6, 0.0), 90.0, 0.5)
    np.testing.assert_array_equal(part.mesh.points, mesh.points)
    assert Case.from_dict(case.tables()) == case


@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, "half"])
def test_a_scale_of_a_part_that_is_none_is_refused(scale):
    with pytest.raises(km.SettingsError, match="Part: scale"):
        km.Part(ring(), scale=scale)
    if not isinstance(scale, str):
        with pytest.raises(km.CaseError, match=r"\[parts.rod\] scale"):
            Case.from_dict(tomllib.loads(FILE.replace("scale = 0.5", f"scale = {scale}")))
