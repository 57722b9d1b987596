"""Incompressible flow on overset parts in space: exact streams, extruded parts, halves, members."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.generate.cones import tetrahedra
from kinemesh.mesh.generate.rectangles import box_of
from kinemesh.mesh.solid_faces import open_faces
from kinemesh.overset import Part
from overset_parts import background, ball, ring
from projections import triangulated
from solver_cases import on_devices

TIGHT = km.IncompressibleSettings(momentum_drop=1e-6, pressure_tolerance=1e-10)
EXACT = km.IncompressibleSettings(momentum_drop=1e-9, pressure_tolerance=1e-12)
EXACT_ONE = km.IncompressibleSettings(momentum_drop=1e-9, pressure_tolerance=1e-12, overlap=1)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def patch(size, kind):
    """A cube without walls about the origin, its rim an overset boundary."""
    line = np.linspace(-size / 2, size / 2, 12)
    mesh = box_of([line] * 3, list("abcdef"))
    blocks = dict(mesh.blocks)
    if kind == "tetrahedra":
        blocks = {kind: tetrahedra(blocks, np.random.default_rng(3).permutation(mesh.nodes))}
    return km.Mesh.from_blocks(mesh.points, blocks, {"overset": open_faces(blocks, mesh.nodes)})


def box(half=2.2, spacing=0.22, **given):
    sides = (-half, half) * 3
    return km.mesh.background(sides, sides, spacing=spacing, **given)


def turning(rate_deg, velocity, about, axis):
    """A part that turns about an axis and shifts."""
    turn = km.motion.rotate(rate_deg=rate_deg, about=about, axis=axis)
    return turn + km.motion.translate(velocity=velocity)


@pytest.mark.long
@pytest.mark.parametrize(
    ("dtype", "velocity", "pressure"), [("float64", 1e-12, 1e-11), ("float32", 4e-6, 2e-4)]
)
@on_devices
def test_parts_in_space_that_turn_and_shift_leave_a_stream(device, dtype, velocity, pressure):
    parts = {
        "one": Part(patch(1.9, "hexahedra"), at=(-0.5, 0.1, 0.0), angle_deg=10.0),
        "two": Part(patch(1.7, "tetrahedra"), at=(0.6, 0.0, 0.2), angle_deg=-20.0),
        "back": box(),
    }
    motion = {
        "one": turning(40.0, (0.3, 0.1, 0.05), (0.0, 0.1, 0.0), (0.2, 1.0, 0.3)),
        "two": turning(-30.0, (-0.2, 0.0, 0.3), (0.1, 0.0, 0.2), (0.0, 0.3, 1.0)),
    }
    made = km.Incompressible(
        parts, reynolds=100.0, motion=motion, alpha_deg=20.0, device=device, dtype=dtype,
        settings=TIGHT, reference_area=1.0, reference_length=1.0, moment_about=(0.0, 0.0),
    )  # fmt: skip
    made.run(time_step=0.05, steps=4)
    get = made.backend.get
    status = get(made.parts.connectivity.status)
    assert {-1, 0, 1} <= set(np.unique(status))
    error = get(made.projection.flow["u"]).astype(float) - made.inflow[0]
    assert np.abs(error).max() < velocity
    assert np.abs(get(made.projection.flow["p"])).max() < pressure


def of_plane():
    return {
        "body": ring(outer=2.0, layers=16, split=True),
        "back": triangulated(background(4.0, 0.14, 1.5)),
    }


def history(parts, **options):
    """Loads of 10 steps of a cylinder that plunges."""
    plunge = km.motion.plunge(amplitude=0.3, k=1.0)
    made = km.Incompressible(
        parts, reynolds=100.0, motion={"body": plunge}, moment_about=(0.0, 0.0), device="cpu",
        settings=EXACT, **options,
    )  # fmt: skip
    run = made.run(time_step=0.02, steps=10)
    status = made.backend.get(made.parts.connectivity.status)
    return np.stack([run.history[name] for name in ("cl", "cd", "cm")]), status


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_extruded_triangles_have_the_status_and_the_loads_of_the_plane():
    plane, status = history(of_plane())
    parts = {name: km.mesh.extruded(mesh, span=6.0, layers=2) for name, mesh in of_plane().items()}
    space, extruded = history(parts, reference_area=6.0, reference_length=1.0)
    assert [np.sum(extruded == kind) for kind in (1, -1, 0, -2)] == [
        3 * np.sum(status == kind) for kind in (1, -1, 0, -2)
    ]
    assert space == pytest.approx(plane, rel=1e-7, abs=1e-8)


RADII = np.geomspace(0.5, 1.7, 16)


def loads(half):
    """Loads of a ball that plunges, or of half of it."""
    side = {"symmetry": ["front"]} if half else {}
    y = (0, 2.1) if half else (-2.1, 2.1)
    around = (-2.1, 2.1, *y, -2.1, 2.1)
    back = km.mesh.background(around, around, spacing=0.175, **side)
    made = km.Incompressible(
        {"ball": ball(RADII, half=half), "back": back}, reynolds=100.0, device="cpu",
        motion={"ball": km.motion.plunge(amplitude=0.1, k=1.0)}, moment_about=(0.0, 0.0),
        reference_area=0.5 if half else 1.0, reference_length=1.0,
        settings=km.IncompressibleSettings(
            momentum_drop=1e-6, pressure_tolerance=1e-10, overlap=1
        ),
    )  # fmt: skip
    run = made.run(time_step=0.1, steps=5)
    return np.stack([run.history[name] for name in ("cl", "cd", "cm")])


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_half_a_ball_on_a_plane_of_symmetry_has_the_loads_of_a_whole_one():
    """Cells are cut into other tetrahedra, as their nodes have other numbers: donors differ."""
    half, whole = loads(half=True), loads(half=False)
    assert np.abs(half - whole).max() < 1e-3 * np.abs(whole).max()


def small(at=(0.0, 0.0, 0.0), **options):
    """Half a ball over a background, which plunges; both as far from the origin as `at` says."""
    around = np.reshape((-2.1, 2.1, 0, 2.1, -2.1, 2.1), (3, 2)) + np.reshape(at, (3, 1))
    around = tuple(around.ravel())
    back = km.mesh.background(around, around, spacing=0.175, symmetry=["front"])
    given = {
        "reynolds": 100.0, "device": "cpu", "moment_about": (0.0, 0.0), "reference_area": 0.4,
        "reference_length": 1.0, "settings": km.IncompressibleSettings(overlap=1),
        "motion": {"ball": km.motion.plunge(amplitude=0.1, k=1.0)},
    }  # fmt: skip
    own = Part(ball(RADII, half=True), at=at)
    return km.Incompressible({"ball": own, "back": back}, **(given | options))


LOADS = ("cl", "cd", "cm", "cy", "mass_defect", "pressure_iterations")


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_a_part_in_space_has_the_loads_of_one_at_the_origin_wherever_it_is_put():
    """Pivots and points of moments are of the own frame."""
    pitch = {"ball": km.motion.pitch(amplitude_deg=10.0, k=1.0, about=(0.25, 0.1))}
    told = {"motion": pitch, "moment_about": (0.25, 0.1), "settings": EXACT_ONE}
    here, there = (
        small(at, **told).run(time_step=0.1, steps=4).history for at in ((0, 0, 0), (0.3, 0, 0.1))
    )
    for name in ("cl", "cd", "cm", "cy"):
        assert there[name] == pytest.approx(here[name], abs=1e-10)


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_members_on_parts_in_space_have_the_bits_of_their_solo_runs():
    numbers = [50.0, 200.0]
    motion = [{"ball": km.motion.plunge(amplitude=a, k=1.0)} for a in (0.1, 0.05)]

    both = small(reynolds=numbers, motion=motion).run(time_step=0.1, steps=3)

    for member in range(2):
        solo = small(reynolds=numbers[member], motion=motion[member]).run(time_step=0.1, steps=3)
        for name in LOADS:
            np.testing.assert_array_equal(both.history.member(member)[name], solo.history[name])


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_a_run_on_parts_in_space_goes_on_to_the_bit(tmp_path):
    whole = small().run(time_step=0.1, steps=6)
    small().run(time_step=0.1, steps=3, out=tmp_path)
    onward = small().run(time_step=0.1, steps=6, out=tmp_path, resume=True)

    for name in LOADS:
        np.testing.assert_array_equal(onward.history[name], whole.history[name])
