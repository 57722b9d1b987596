"""Wings that twist: places of sections, rates, power, sums with other motions, what is refused."""

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh.dimension import XYZ
from scipy.spatial.transform import Rotation
from solver_cases import on_devices

SPAN, SWEEP, RISE = 1.2, 20.0, 5.0
SECTION = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)
QUADS = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0, cells="quads")
WING = km.mesh.extruded(SECTION, span=1.3, layers=2, cells="tets")
HEXES = km.mesh.extruded(QUADS, span=1.3, layers=2)
LAW = km.motion.twist(
    12.0, k=0.3, span=SPAN, about=(0.3, 0.05), sweep_deg=SWEEP, dihedral_deg=RISE, phase_deg=5.0
)
SPRINGS = km.deform.TorsionalSprings()
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*coefficients refer to an area of 1:RuntimeWarning"
)


def section_angles(points, time, mach):
    """(n,) nose-up angles of the sections of points [rad]."""
    tip = np.radians(12.0) * np.sin(2 * 0.3 * mach * time + np.radians(5.0))
    return tip * np.minimum(np.abs(points[:, 1]) / SPAN, 1.0)


def axes(points):
    """(n, 3) where the axis of twist meets the sections of points."""
    y = np.abs(points[:, 1])
    rise = np.tan(np.radians([SWEEP, RISE]))
    return np.stack([0.3 + rise[0] * y, points[:, 1], 0.05 + rise[1] * y], axis=1)


def twisted(points, time, mach):
    """(n, 3) points of sections, each turned about its own place on the axis."""
    turn = Rotation.from_rotvec(section_angles(points, time, mach)[:, None] * [0, 1.0, 0])
    return axes(points) + turn.apply(points - axes(points))


def run(solver, mesh, motion, device, **more):
    """A solver's case and its run of three steps of 0.2."""
    case = solver(mesh, mach=0.4, alpha_deg=2.0, motion=motion, deform=SPRINGS, device=device,
                  **more)  # fmt: skip
    return case, case.run(time_step=0.2, steps=3, start="as is", preflight=False)


@on_devices
@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
@pytest.mark.parametrize("mesh", [WING, HEXES], ids=["tets", "hexes"])
def test_sections_turn_and_power_is_traction_times_velocity(solver, mesh, device):
    settings = {km.Ale: km.AleSettings(unsteady_drop=0.1), km.CellCentred: km.CellSettings(
        unsteady_drop=0.1, gradient="least-squares")}[solver]  # fmt: skip
    case, made = run(solver, mesh, LAW, device, settings=settings)
    get, grid = case.backend.get, case.grid
    wall = grid.vertices.wall.node
    given, x = grid.vertices.points[wall], get(grid.vertices.x)[wall]
    assert np.abs(x - twisted(given, 0.6, 0.4)).max() <= 1e-14
    assert np.abs(x - given).max() > 0.02

    patch = grid.wall
    rims = patch.shape.get("outline") if grid.on == "cells" else None
    corner = patch.node[:, None] if rims is None else rims
    there = corner >= 0
    of = np.where(there, corner, corner[:, :1])
    h = 1e-4  # velocities of the same points by differences
    points = grid.vertices.points
    ahead, back = (twisted(points, 0.6 + s * h, 0.4)[of] for s in (1, -1))
    more, less = (twisted(points, 0.6 + 2 * s * h, 0.4)[of] for s in (1, -1))
    velocity = (8 * (ahead - back) - (more - less)) / (12 * h)
    share = there / there.sum(axis=1, keepdims=True)
    velocity = (velocity * share[..., None]).sum(axis=1)
    case._for_loads()
    q = get(case.fields["q"])[patch.node]
    p = q[:, -1].astype(float)
    if rims is not None:  # pressures at the middles of faces
        way = get(patch.device["xf"]) - get(grid.fields["x"])[patch.node]
        slope = get(case.fields["grad"]).reshape(-1, q.shape[1], 3)[patch.node, -1]
        p = np.where(p + (slope * way).sum(axis=1) > 0, p + (slope * way).sum(axis=1), p)
    force = (p - 1 / 1.4)[:, None] * get(patch.device["S"]).astype(float)
    scale = 0.5 * 0.4**2 * case.reference[0] * case.reference[1]
    power = (force * velocity).sum() / scale
    assert made.history["power"][-1] == pytest.approx(power, rel=1e-8)
    assert abs(power) > 1e-4


@pytest.mark.long
@pytest.mark.flow
def test_a_twisting_run_is_stopped_and_resumed_to_the_bit(tmp_path):
    how = {"time_step": 0.3, "start": "as is", "preflight": False}

    def case(motion=LAW):
        return km.Ale(WING, mach=0.4, motion=motion, deform=SPRINGS, device="cpu",
                      settings=km.AleSettings(unsteady_drop=0.1))  # fmt: skip

    whole = case().run(steps=4, out=tmp_path / "whole", **how).history
    case().run(steps=2, out=tmp_path / "parts", **how)
    other = km.motion.twist(12.0, k=0.3, span=SPAN, about=(0.3, 0.05), sweep_deg=SWEEP + 1.0)
    with pytest.raises(km.CaseError, match="motion"):
        case(other).run(steps=4, out=tmp_path / "parts", resume=True, **how)
    again = case().run(steps=4, out=tmp_path / "parts", resume=True, **how).history
    for name in whole.columns:
        assert np.array_equal(whole[name], again[name], equal_nan=True), name


@on_devices
@pytest.mark.long
@pytest.mark.flow
def test_wings_of_an_ensemble_are_their_solo_runs(device):
    laws = [LAW, km.motion.twist(-5.0, k=0.3, span=SPAN)]
    how = {"time_step": 0.3, "steps": 3, "start": "as is", "preflight": False}

    def history(motion, mach):
        case = km.Ale(WING, mach=mach, motion=motion, deform=SPRINGS, device=device,
                      settings=km.AleSettings(unsteady_drop=0.1))  # fmt: skip
        return case.run(**how).history

    both = history(laws, [0.4, 0.5])
    for member, (law, mach) in enumerate(zip(laws, (0.4, 0.5), strict=True)):
        alone = history(law, mach)
        of = both["member"] == member
        for name in ("cl", "cd", "cm", "power", "mode_1", "min_volume", "min_dihedral_deg"):
            assert np.array_equal(both[name][of], alone[name]), name


def test_angles_rates_and_the_ramp_are_those_of_a_pitch():
    law = km.motion.twist(5.0, k=0.2, span=2.0, chord=0.8, phase_deg=40.0, ramp=3.0)
    pitch = km.motion.pitch(5.0, k=0.2, chord=0.8, phase_deg=40.0, ramp=3.0)
    for time in (0.0, 1.0, 7.0, 30.0):
        assert law.pose(time, 0.5).modes == (pitch.pose(time, 0.5).angle,)
        assert law.rate(time, 0.5).modes == (pitch.rate(time, 0.5).angle,)
    assert law.omega(0.5) == pitch.omega(0.5)
    assert law.settles(0.5) == pitch.settles(0.5)
    assert law.dimension is XYZ


def test_a_shape_is_the_displacement_of_a_small_angle():
    (shape,) = LAW.shapes
    points = np.random.default_rng(2).uniform([-0.2, -1.5, -0.3], [1.5, 1.5, 0.3], (50, 3))
    small = Rotation.from_rotvec(
        1e-6 * np.minimum(np.abs(points[:, 1]) / SPAN, 1.0)[:, None] * [0, 1.0, 0]
    )
    want = (small.apply(points - axes(points)) - (points - axes(points))) / 1e-6
    assert np.abs(shape(points) - want).max() < 1e-5


@pytest.mark.flow
def test_a_wing_twists_and_bends_and_pitches_at_once():
    def bend(points):
        return np.stack([0 * points[:, 0], 0 * points[:, 0], points[:, 1] ** 2], axis=1)

    bending = km.motion.vibrate(bend, 0.03, k=0.3, phases_deg=10.0)
    law = LAW + bending + km.motion.pitch(3.0, k=0.3, about=(0.1, 0.0))
    case, made = run(km.Ale, WING, law, "cpu", settings=km.AleSettings(unsteady_drop=0.1))
    wall = case.grid.vertices.wall.node
    given = case.grid.vertices.points[wall]
    x = case.backend.get(case.grid.vertices.x)[wall]
    bent = twisted(given, 0.6, 0.4) + bending.pose(0.6, 0.4).modes[0] * bend(given)
    assert np.abs(x - law.pose(0.6, 0.4).into(XYZ).apply(bent)).max() < 1e-13
    assert made.history["mode_1"][-1] == pytest.approx(LAW.pose(0.6, 0.4).modes[0], rel=1e-14)
    assert made.history["mode_2"][-1] == pytest.approx(bending.pose(0.6, 0.4).modes[0], rel=1e-14)
    assert made.summary["conditions"]["amplitudes"] == {"0: airfoil": ["rad", "-"]}
    rates = [LAW.rate(0.6, 0.4).modes[0], bending.rate(0.6, 0.4).modes[0]]
    bent = sum(made.history[f"mode_force_{j + 1}"][-1] * rate for j, rate in enumerate(rates))
    assert made.history["power_bending"][-1] == pytest.approx(bent, rel=1e-12)


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"span": 0.0}, "span = 0.0, expected a number above 0"),
        ({"amplitude_deg": 180.0}, "amplitude_deg = 180.0, expected above -180, below 180"),
        ({"amplitude_deg": np.nan}, "amplitude_deg = nan, expected a finite number"),
        ({"sweep_deg": -90.0}, "sweep_deg = -90.0, expected above -90, below 90"),
        ({"dihedral_deg": 90.0}, "dihedral_deg = 90.0, expected above -90, below 90"),
        ({"k": 0.0}, "k = 0.0, expected a number above 0"),
        ({"about": (0.1,)}, "about = "),
        ({"ramp": -1.0}, "ramp = -1.0, expected 0 or a number above 0"),
    ],
)
def test_twists_that_are_none_are_refused(more, match):
    given = {"amplitude_deg": 10.0, "k": 0.2, "span": 1.0} | more
    with pytest.raises(km.SettingsError, match=match):
        km.motion.twist(**given)


def test_limits_of_angles_are_open():
    law = km.motion.twist(179.9, k=0.2, span=1.0, sweep_deg=-89.9, dihedral_deg=89.9)
    assert law.pose(1e9, 1.0).modes[0] < np.pi


def test_sections_in_the_plane_and_modal_meshes_do_not_twist():
    section = km.mesh.airfoil("naca0012", nodes=500)
    with pytest.raises(km.SettingsError, match="which is of meshes in space"):
        km.Ale(section, mach=0.4, motion=LAW)
    words = r"sections that twist turn; take km\.deform\.TorsionalSprings\(\) or Carrier\(\), or"
    with pytest.raises(km.SettingsError, match=words):
        km.Ale(WING, mach=0.4, motion=LAW, deform=km.deform.Modal(), device="cpu")
    rigid = r"the body twists, and deform is Rigid\(\).*take km\.deform\.TorsionalSprings\(\) or C"
    with pytest.raises(km.SettingsError, match=rigid) as caught:
        km.Ale(WING, mach=0.4, motion=LAW, deform=km.deform.Rigid(), device="cpu")
    assert "Modal" not in str(caught.value)  # which would be refused next


def test_a_cloud_that_is_to_twist_is_told_of_a_mesh_and_of_small_amplitudes():
    """No deformation of clouds turns sections; one that is named takes bodies that bend."""
    cloud, mesh = half_wing(), r"take a mesh \(km\.Ale\) with km\.deform\.TorsionalSprings\(\)"
    small = "km.motion.vibrate with Modal()"
    for deform in (km.deform.Rigid(), km.deform.Modal()):
        with pytest.raises(km.SettingsError, match=mesh) as caught:
            km.Meshless(cloud, mach=0.4, motion=LAW, deform=deform, device="cpu")
        assert str(caught.value).endswith(small)
    bends = km.motion.vibrate([lambda p: 0.1 * p], 0.1, k=0.3)
    alone = r"rigid bodies alone; take km\.deform\.Modal\(\), with a solver of a gas$"
    with pytest.raises(km.SettingsError, match=alone):
        km.Meshless(cloud, mach=0.4, motion=bends, deform=km.deform.Rigid(), device="cpu")
    for deform in (SPRINGS, km.deform.Carrier()):
        with pytest.raises(km.SettingsError, match=r"Rigid\(\), or Modal\(\) where a body bends$"):
            km.Meshless(cloud, mach=0.4, motion=bends, deform=deform, device="cpu")


def test_a_case_file_twists_by_the_reference_length():
    case = km.cases.load("oneram6-twist")
    made = case.motion.build(case.chord())
    assert made == km.motion.twist(
        10.0, k=0.27, span=1.476, about=(0.25, 0.0), sweep_deg=26.7, chord=0.80167296
    )
    with pytest.raises(km.CaseError, match="lacks span"):
        km.cases.load("oneram6-twist", ["motion.twist={amplitude_deg=1, k=0.1}"])
    with pytest.raises(km.CaseError, match="spann"):
        km.cases.load("oneram6-twist", ["motion.twist.spann=1"])
