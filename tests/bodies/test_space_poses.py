"""Poses in space about any axis: places, rates, loads and power; planes of symmetry they keep."""

from dataclasses import dataclass

import kinemesh as km
import numpy as np
import pytest
from clouds import box
from kinemesh.bodies.placed import Placed
from kinemesh.bodies.poses import PoseArray, placed
from kinemesh.deform.mover import Deformation, Mover
from kinemesh.dimension import XYZ
from kinemesh.motion import Pose
from scipy.spatial.transform import Rotation
from solid_cases import MACH, forced
from solids import cube

pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")
EPS = np.finfo(float).eps
SKEW, PIVOT = (0.6, -0.3, 0.8), (0.2, 0.4, -0.3)
SPHERE = km.mesh.sphere(nodes=1500, far_field=6.0)
LAWS = {
    "pitch": km.motion.pitch(20.0, 0.3, about=PIVOT, axis=SKEW),
    "rotate": km.motion.rotate(50.0, about=PIVOT, axis=SKEW, ramp=2.0),
    "plunge": km.motion.plunge(0.3, 0.2, direction=(1.0, 2.0, -2.0)),
    "translate": km.motion.translate((0.1, 0.2, -0.1), ramp=1.0),
    "pitch and plunge": km.motion.pitch(20.0, 0.3, about=PIVOT, axis=SKEW)
    + km.motion.plunge(0.3, 0.3, direction=(1.0, 2.0, -2.0)),
    "nose-up": km.motion.pitch(20.0, 0.3, about=(0.2, -0.3)),
}


def turned(pose, points):
    """Points moved by a pose, by SciPy's rotations."""
    own = pose.into(XYZ)
    rotation = Rotation.from_rotvec(own.angle * np.array(own.axis))
    return rotation.apply(points - np.array(own.about)) + own.about + own.shift


# ---------------------------------------------------------------- places


@pytest.mark.parametrize("name", LAWS)
def test_points_are_where_the_rotation_about_the_axis_has_them(name):
    points = np.random.default_rng(0).normal(size=(7, 3))
    pose = LAWS[name].pose(1.3, 0.5)
    expected = turned(pose, points)

    there = pose.into(XYZ).apply(points)

    assert there == pytest.approx(expected, abs=16 * EPS)
    of_two = placed(points[:, None].repeat(2, axis=1), PoseArray.of([pose, Pose()]))
    assert of_two[:, 0] == pytest.approx(there, abs=16 * EPS)


def test_turns_about_y_are_nose_up():
    flat, there = Pose(0.3, (0.25, 0.1), (0.5, 0.2)), np.array([[1.0, 0.7, 0.4], [0.0, -0.2, 0.0]])

    moved = flat.into(XYZ).apply(there)

    assert moved[:, [0, 2]] == pytest.approx(flat.apply(there[:, [0, 2]]), abs=4 * EPS)
    assert (moved[:, 1] == there[:, 1]).all()
    assert moved[1, 2] > flat.shift[1]  # the nose goes up
    assert Pose(0.3, (0.25, 0.0, 0.1), (0.5, 0.0, 0.2)) == flat.into(XYZ)
    assert Pose(0.3, (0.25, 0.1), axis=(0.0, 2.0, 0.0)) == Pose(0.3, (0.25, 0.1)).into(XYZ)


@pytest.mark.parametrize("pose", [Pose(0.4, PIVOT, (0.1, 0.2, 0.3), SKEW), Pose(2.0, (0.25, 0.1))])
def test_the_kernel_moves_nodes_as_poses_say(pose, double):
    points = np.random.default_rng(1).normal(size=(40, 3))
    b, poses = double, PoseArray.of([Pose(), pose]).into(XYZ)
    x = b.zeros(points.shape, np.float64)
    body = np.arange(40) % 2
    b.bind(
        "pose_move_3d", node=b.array(np.arange(40), np.int32), body=b.array(body, np.int32),
        pose=b.array(poses.space_rows, np.float64), reference=b.array(points, np.float64), x=x,
    )()  # fmt: skip

    there = b.get(x)

    assert (there[::2] == points[::2]).all()  # at rest to the bit
    assert there[1::2] == pytest.approx(turned(pose, points[1::2]), abs=32 * EPS)


# ---------------------------------------------------------------- rates


@pytest.mark.parametrize("name", LAWS)
def test_rates_of_laws_are_those_of_their_poses(name):
    """Velocities of points, by differences with SciPy's rotations, to their fourth order."""
    law, t, h = LAWS[name], 1.3, 1e-3
    points = np.random.default_rng(0).normal(size=(5, 3))
    steps = {-2: 1, -1: -8, 1: 8, 2: -1}
    moved = sum(w * turned(law.pose(t + k * h, 0.5), points) for k, w in steps.items())
    expected = moved / (12 * h)

    def velocity(rate):
        pose, own = law.pose(t, 0.5).into(XYZ), rate.into(XYZ)
        lever = turned(pose, points) - np.array(pose.about) - pose.shift
        return np.array(own.shift) + np.cross(own.angle * np.array(own.axis), lever)

    assert velocity(law.rate(t, 0.5)) == pytest.approx(expected, abs=1e-11)
    asked = km.motion.function(lambda s: law.pose(s, 0.5).into(XYZ))
    assert velocity(asked.rate(t, 0.5)) == pytest.approx(expected, abs=1e-11)


def tumbled(t):
    """A pose that turns about two axes at once, written about one: no axis stays."""
    both = Rotation.from_rotvec([0.0, 0.7 * t, 0.0]) * Rotation.from_rotvec([0.5 * t, 0.0, 0.2 * t])
    turn = both.as_rotvec()
    size = np.linalg.norm(turn)
    return Pose(size, PIVOT, (0.1 * t, 0.2 * t * t, 0.0), turn / size if size else SKEW)


def test_poses_by_hand_turn_about_the_axis_between_them_and_rates_are_of_second_order():
    """Halved steps have a quarter of the error."""
    law = km.motion.function(tumbled)
    exact = km.motion.function(tumbled).rate(1.0, 0.5)
    spin = exact.angle * np.array(exact.axis)
    errors = []
    for dt in (0.1, 0.05, 0.025):
        case = km.Ale(SPHERE, mach=0.5, motion=km.motion.given(), device="cpu")
        bodies = Placed(case.bodies, lambda *_: None)
        for step in range(3):
            bodies.give({"sphere": tumbled(1.0 + (step - 2) * dt)})
            made = bodies.over(case.by_laws(np.zeros(1), np.ones(1)), np.full(1, dt), False)
            bodies.accept()
        rates = made.rates
        off = rates.spin[0] - spin, rates.shift[0] - exact.shift
        errors.append(np.abs(off).max())
        points = np.random.default_rng(2).normal(size=(4, 3))
        for share, time in ((0.0, 1.0 - dt), (1.0, 1.0)):
            there = placed(points[:, None], made.at(share))[:, 0]
            assert there == pytest.approx(turned(law.pose(time, 0.5), points), abs=1e-14)
        half = placed(points[:, None], made.at(0.5))[:, 0]
        far = np.linalg.norm(half - tumbled_pivot(1.0 - dt / 2), axis=1)
        lever = np.linalg.norm(points - PIVOT, axis=1)
        assert far == pytest.approx(lever, abs=dt)  # rigid on the way
        apart = np.linalg.norm(half[:, None] - half, axis=2)
        assert apart == pytest.approx(np.linalg.norm(points[:, None] - points, axis=2), abs=1e-14)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


def tumbled_pivot(t):
    pose = tumbled(t)
    return np.array(PIVOT) + pose.shift


# ---------------------------------------------------------------- flows


class TurnedMover(Mover):
    """All nodes by one pose in space, as the kernel moves them."""

    def __init__(self, vertices, settings):
        super().__init__(vertices)
        self.settings, self.time = settings, 0.0
        self.reference = self.backend.get(vertices.reference)

    def step(self, poses):
        self.time += self.settings.time_step
        there = PoseArray.of([self.settings.law.pose(self.time, MACH)])
        self.backend.put(self.vertices.x, placed(self.reference[:, None], there)[:, 0])
        return {}


@dataclass(frozen=True, slots=True)
class Turned(Deformation):
    """All nodes by a law, so that no body is needed."""

    law: km.motion.Motion
    time_step: float
    name = "turned"

    def attach(self, vertices):
        return TurnedMover(vertices, self)


@pytest.mark.flow
@pytest.mark.parametrize("kind", ["hexahedra", "tetrahedra", "mixed"])
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_a_mesh_that_turns_about_any_axis_keeps_a_uniform_stream(kind, solver):
    law = LAWS["pitch and plunge"]
    case = solver(cube(4, kind, jitter=0.2), mach=MACH, alpha_deg=17.0, walls=[], device="cpu",
                  deform=Turned(law, 0.3))  # fmt: skip

    error, change = forced(case, 6)

    assert error <= 1e-12
    assert change <= 1e-12
    x = case.backend.get(case.grid.vertices.x)
    assert np.abs(x - case.grid.vertices.points).max() > 0.1


@pytest.mark.flow
@pytest.mark.parametrize("name", LAWS)
def test_power_is_traction_times_velocity_about_any_axis(name):
    settings = km.AleSettings(linear_solver="lusgs", unsteady_drop=0.1)
    made = km.Ale(SPHERE, mach=0.4, alpha_deg=3.0, motion=LAWS[name], settings=settings,
                  reference_area=0.5, reference_length=0.8, moment_about=(0.1, 0.2),
                  device="cpu")  # fmt: skip
    run = made.run(time_step=0.2, steps=4, start="as is")
    get, wall = made.backend.get, made.grid.wall

    pose, rate = (of(4 * 0.2, 0.4).into(XYZ) for of in (LAWS[name].pose, LAWS[name].rate))
    x = get(made.grid.x)[wall.node]
    expected = turned(pose, made.grid.points[wall.node])
    assert x == pytest.approx(expected, abs=1e-14)
    lever = x - np.array(pose.about) - pose.shift
    velocity = np.array(rate.shift) + np.cross(rate.angle * np.array(rate.axis), lever)
    pressure = made.primitive()[wall.node, 4] - get(made.fields["stream"])[0, 4]
    force = pressure[:, None] * get(wall.device["S"]).astype(float)
    power = (force * velocity).sum() / (0.5 * 0.4**2 * 0.5 * 0.8)
    assert run.history["power"][-1] == pytest.approx(power, rel=1e-9)
    turning = (np.cross(lever, force).sum(axis=0) * rate.angle * np.array(rate.axis)).sum()
    share = turning / (0.5 * 0.4**2 * 0.5 * 0.8)
    assert run.history["power_pitch"][-1] == pytest.approx(share, rel=1e-9, abs=1e-12)
    nose_up = np.degrees(pose.angle * pose.axis[1])
    assert run.history["alpha_deg"][-1] == pytest.approx(3.0 + nose_up, abs=1e-12)


@pytest.mark.flow
@pytest.mark.parametrize("turn", [30.0, -40.0])
def test_a_case_turned_about_the_stream_has_its_loads_turned_with_it(turn):
    """A wing between planes of symmetry that pitches about its span, which leans."""
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    mesh = km.mesh.extruded(plane, span=0.5, layers=1)
    rotation = Rotation.from_rotvec([np.radians(turn), 0.0, 0.0])

    def flown(space, axis):
        law = km.motion.pitch(2.0, 0.2, about=(0.25, 0.0, 0.0), axis=axis)
        case = km.Ale(space, mach=0.5, motion=law, reference_area=0.5, device="cpu")
        return case.run(time_step=0.4, steps=5, start="as is", preflight=False).history

    flat = flown(mesh, (0.0, 1.0, 0.0))
    leaning = flown(
        mesh.transformed(rotation.apply(np.array(mesh.points))), rotation.apply([0.0, 1.0, 0.0])
    )

    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    scale = np.abs(flat["cl"]).max()
    assert leaning["cl"] == pytest.approx(c * flat["cl"], abs=1e-6 * scale)
    assert leaning["cy"] == pytest.approx(-s * flat["cl"], abs=1e-6 * scale)
    assert leaning["cd"] == pytest.approx(flat["cd"], abs=1e-6 * scale)
    assert leaning["power"] == pytest.approx(flat["power"], rel=1e-5, abs=1e-9)


@pytest.mark.flow
def test_poses_in_space_by_hand_have_the_loads_of_the_law():
    law = LAWS["pitch and plunge"]

    def case(motion):
        return km.Ale(SPHERE, mach=0.4, motion=motion, device="cpu")

    how = {"time_step": 0.2, "steps": 4, "start": "as is"}
    expected = case(law).run(**how).history
    loop = case(km.motion.given()).steps(**how)

    def at(number):
        time = 0.2 * number
        return {"sphere": law.pose(time, 0.4)}, {"sphere": law.rate(time, 0.4)}

    loop.place(*at(1))
    for step in loop:
        if step.number < 4:
            step.place(*at(step.number + 1))
    for column in ("cl", "cd", "cy", "power", "alpha_deg"):
        scale = max(np.abs(expected[column]).max(), 1e-3)
        assert np.abs(loop.run.history[column] - expected[column]).max() <= 1e-9 * scale, (
            column
        )  # times differ by rounding


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("motion", [LAWS["pitch"], LAWS["plunge"], LAWS["translate"]])
def test_a_law_of_space_is_refused_in_the_plane(motion):
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    with pytest.raises(km.SettingsError, match="which is of meshes in space"):
        km.Ale(mesh, mach=0.5, motion=motion, device="cpu")


def test_a_function_of_poses_in_space_is_refused_in_the_plane():
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    law = km.motion.function(lambda t: Pose(0.1 * t, axis=(0.0, 1.0, 0.0)))
    case = km.Ale(mesh, mach=0.5, motion=law, device="cpu")
    with pytest.raises(km.KinemeshError, match="of space, on a mesh in the plane"):
        case.run(time_step=0.1, steps=1, start="as is")


@pytest.mark.parametrize(
    ("motion", "match"),
    [
        (km.motion.rotate(10.0, axis=(1.0, 0.0, 0.0)), r"a body turns about \(1, 0, 0\)"),
        (km.motion.translate((0.0, 0.1, 0.0)), "a body shifts across them"),
        (km.motion.pitch(2.0, 0.1, axis=(0.0, 1.0, 1e-5)), "expected turns about the normal"),
    ],
)
def test_a_motion_that_leaves_a_plane_of_symmetry_is_refused(motion, match):
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    mesh = km.mesh.extruded(plane, span=0.5, layers=1)
    with pytest.raises(km.SettingsError, match=match):
        km.Ale(mesh, mach=0.5, motion=motion, device="cpu")


def test_a_motion_along_a_plane_of_symmetry_is_taken():
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    mesh = km.mesh.extruded(plane, span=0.5, layers=1)
    for motion in (km.motion.rotate(10.0, axis=(0.0, -1.0, 0.0)),
                   km.motion.translate((0.1, 0.0, 0.1)),
                   km.motion.pitch(2.0, 0.1, axis=(0.0, 1.0, 1e-9))):  # fmt: skip
        km.Ale(mesh, mach=0.5, motion=motion, device="cpu")


def test_poses_by_hand_that_leave_a_plane_of_symmetry_are_refused():
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    mesh = km.mesh.extruded(plane, span=0.5, layers=1)
    case = km.Ale(mesh, mach=0.5, motion=km.motion.given(), device="cpu")
    loop = case.steps(time_step=0.1, steps=2, start="as is")
    loop.place({"airfoil": Pose(angle_deg=1.0, axis=(1.0, 0.0, 0.0))})
    with pytest.raises(km.SettingsError, match=r"a body turns about \(1, 0, 0\)"):
        next(loop)


def test_motions_about_two_axes_do_not_add_up():
    with pytest.raises(km.SettingsError, match="expected one axis"):
        LAWS["pitch"] + km.motion.rotate(1.0, about=PIVOT, axis=(1.0, 0.0, 0.0))
    with pytest.raises(km.SettingsError, match="turn about two axes"):
        Pose(0.1, axis=SKEW) + Pose(0.1)


@pytest.mark.parametrize(("axis", "taken"), [((0.0, 0.0, 1.0), True), ((1.0, 0.0, 0.0), False)])
def test_a_cloud_with_a_plane_of_symmetry_turns_about_its_normal_alone(axis, taken):
    cloud = box(half=True, across=2, wall=0)
    case = km.Meshless(cloud, mach=0.5, motion=km.motion.rotate(5.0, axis=axis), device="cpu")
    loop = case.steps(time_step=0.05, steps=1, start="as is")
    if taken:
        next(loop)
        loop.close()
        return
    with pytest.raises(km.SettingsError, match=r"a body turns about \(1, 0, 0\)"):
        next(loop)
