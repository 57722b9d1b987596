"""Wings that bend by shapes of files and by formula: small torsion beside twist, power."""

import tomllib

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from scipy.spatial.transform import Rotation
from solver_cases import on_devices

SPAN, MACH = 2.0, 0.4
SECTION = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)
WING = km.mesh.extruded(SECTION, span=SPAN, layers=2, cells="tets")
CASE = """
name = "wing"
mode = "unsteady"
[mesh]
section = "naca0012"
nodes = 500
far_field = 6.0
cells = "quads"
extruded = { span = 2.0, layers = 4 }
[flow]
mach = 0.4
alpha_deg = 2.0
reference_area = 2.0
[motion]
pitch = { amplitude_deg = 2, k = 0.3, about = [0.1, 0.0] }

[motion.modes]
shapes = ["torsion", "bending"]
span = 2.0
about = [0.3, 0.02]
amplitudes = [0.05, 0.2]
k = 0.3
phases_deg = [90, 10]

[deform]
method = "modal"
[solver]
unsteady_drop = 0.1
[run]
time_step = 0.2
steps = 3
start = "as is"
preflight = false
"""
pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")


def placed(law):
    """Places of the walls at a time of 1.5."""
    case = km.Ale(WING, mach=MACH, motion=law, deform=km.deform.TorsionalSprings(), device="cpu")
    case.begin_step(np.array([1.5]), 1)
    case.place(case.by_laws(np.zeros(1), np.array([1.5])))
    return case.backend.get(case.grid.vertices.x)[case.grid.vertices.wall.node]


@pytest.mark.long
def test_torsion_by_a_file_is_twist_but_for_the_square_of_its_angle(tmp_path):
    def turned(points):  # of sections by a small angle in proportion to y, per radian
        share = points[:, 1:2] / SPAN
        return share * np.stack([points[:, 2], 0 * points[:, 0], 0.25 - points[:, 0]], axis=1)

    wall = WING.points[np.unique(WING.boundaries["airfoil"])]
    np.savez(tmp_path / "s.npz", points=wall, displacements=turned(wall)[:, None])
    apart = []
    for angle_deg in (4.0, 2.0, 1.0):
        twist = placed(km.motion.twist(angle_deg, k=0.3, span=SPAN))
        shape = km.motion.shapes_from(tmp_path / "s.npz")
        apart.append(
            np.abs(placed(km.motion.vibrate(shape, np.radians(angle_deg), k=0.3)) - twist).max()
        )
    # 1 - cos of the angle at that time, times the arm of the trailing edge; 4 less at each half
    angle = np.radians(4.0) * np.sin(2 * 0.3 * MACH * 1.5)
    assert apart[0] == pytest.approx(0.75 * angle**2 / 2, rel=1e-2)
    assert np.array(apart[:-1]) / apart[1:] == pytest.approx([4.0, 4.0], rel=1e-3)


def shapes_at(points):
    """(..., 2, 3) torsion and bending of points (..., 3), written anew."""
    share = np.sin(np.pi * points[..., 1] / (2 * SPAN))
    zero = 0 * share
    torsion = np.stack([share * (points[..., 2] - 0.02), zero, -share * (points[..., 0] - 0.3)], -1)
    b, r = 1.875104068711961 * points[..., 1] / SPAN, 0.7340955137589128
    beam = 0.5 * (np.cosh(b) - np.cos(b) - r * (np.sinh(b) - np.sin(b)))
    return np.stack([torsion, np.stack([zero, zero, beam], -1)], axis=-2)


@on_devices
@pytest.mark.flow
def test_power_of_modes_in_a_case_file_is_force_times_velocity(device):
    """Pressures at the walls against velocities of their nodes by differences in time."""
    case = Case.from_dict(tomllib.loads(CASE)).build(device=device)
    made = case.run(time_step=0.2, steps=3, start="as is", preflight=False)
    get, wall = case.backend.get, case.grid.wall
    points = case.grid.points[wall.node]

    def places(time):
        omega = 2 * 0.3 * MACH
        amplitudes = [0.05, 0.2] * np.sin(omega * time + np.radians([90.0, 10.0]))
        bent = points + (amplitudes[:, None] * shapes_at(points)).sum(axis=1)
        turn = Rotation.from_rotvec([0, np.radians(2.0) * np.sin(omega * time), 0])
        about = np.array([0.1, 0.0, 0.0])
        return about + turn.apply(bent - about)

    assert np.abs(get(case.grid.x)[wall.node] - places(0.6)).max() < 1e-13
    h = 1e-3
    velocity = 8 * (places(0.6 + h) - places(0.6 - h)) - (places(0.6 + 2 * h) - places(0.6 - 2 * h))
    case._for_loads()
    pressure = get(case.fields["q"])[wall.node][:, -1].astype(float)
    force = (pressure - 1 / 1.4)[:, None] * get(wall.device["S"]).astype(float)
    scale = 0.5 * MACH**2 * case.reference[0] * case.reference[1]
    power = (force * velocity).sum() / (12 * h) / scale
    assert made.history["power"][-1] == pytest.approx(power, rel=1e-8)
    assert abs(power) > 1e-4
    assert made.summary["conditions"]["amplitudes"] == {"0: airfoil": ["rad", "-"]}
    assert made.summary["conditions"]["shape_names"] == {"0: airfoil": ["torsion", "bending"]}
    rates = 2 * 0.3 * MACH * np.array([0.05, 0.2])
    rates = rates * np.cos(2 * 0.3 * MACH * 0.6 + np.radians([90.0, 10.0]))
    forces = [made.history[f"mode_force_{j}"][-1] for j in (1, 2)]
    assert made.history["power_bending"][-1] == pytest.approx(rates @ forces, rel=1e-12)
