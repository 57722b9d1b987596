"""Power in space: the traction on a moving wall, over the references that the docs say."""

import kinemesh as km
import numpy as np
import pytest

MACH, AREA, LENGTH = 0.5, 2.0, 0.25


def case(**more):
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    return km.Ale(
        km.mesh.extruded(plane, span=1.5, layers=1),
        mach=MACH,
        alpha_deg=2.0,
        motion=km.motion.pitch(2.0, 0.2),
        deform=km.deform.Rigid(),
        settings=km.AleSettings(linear_solver="lusgs", unsteady_drop=0.1),
        device="cpu",
        **more,
    )


@pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")  # k is of the chord
@pytest.mark.flow
def test_power_is_traction_times_velocity_over_area_and_length():
    made = case(reference_area=AREA, reference_length=LENGTH)
    run = made.run(cycles=1, steps_per_cycle=8, start="stream")
    history, get, wall = run.history, made.backend.get, made.grid.wall

    time = np.array([history["time"][-1]])
    rate, pose = made.bodies.rates(time), made.bodies.poses(time)
    x, _, z = (get(made.grid.x)[wall.node] - pose.about[0] - pose.shift[0]).T
    velocity = rate.angle[0] * np.stack([z, -x], axis=1)  # nose-up turns z to x
    pressure = made.primitive()[wall.node, 4] - get(made.fields["stream"])[0, 4]
    force = pressure[:, None] * get(wall.device["S"]).astype(float)[:, [0, 2]]
    power = (force * velocity).sum()

    dynamic = 0.5 * MACH**2
    assert history["power"][-1] == pytest.approx(power / (dynamic * AREA * LENGTH), rel=1e-9)
    told = -history["power"] * LENGTH / MACH  # over q_inf U_inf times the area
    np.testing.assert_allclose(np.sort(run.loop().power.values), np.sort(told), rtol=1e-12)
    period = np.diff(history["time"])[0] * 8 * MACH / LENGTH
    assert run.loop().power_in == pytest.approx(-run.loop().work / period, rel=1e-9)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("area", [1.5, 3.0])
@pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")
def test_power_of_a_wing_that_twists_and_plunges_is_over_its_area(area):
    """P / (q_inf U_inf S), by forces and velocities of the walls' nodes, whatever the length."""
    span, (x0, z0), k = 1.5, (0.3, 0.05), 0.4
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    twist = km.motion.twist(5.0, k=k, span=span, about=(x0, z0), phase_deg=40.0)
    made = km.Ale(
        km.mesh.extruded(plane, span=span, layers=2, cells="tets"),
        mach=MACH,
        motion=twist + km.motion.plunge(0.1, k=k),
        deform=km.deform.TorsionalSprings(),
        settings=km.AleSettings(unsteady_drop=0.1),
        reference_area=area,
        reference_length=LENGTH,
        device="cpu",
    )
    get, wall, omega, found = made.backend.get, made.grid.wall, 2 * k * MACH, []
    steps = made.steps(cycles=1, steps_per_cycle=8, start="as is", preflight=False)
    for step in steps:
        x, y, z = get(made.grid.x)[wall.node].T
        phase = omega * step.time
        lift = 0.1 * np.sin(phase)
        turn = np.radians(5.0) * omega * np.cos(phase + np.radians(40.0)) * y / span
        rise = 0.1 * omega * np.cos(phase)
        velocity = np.stack([turn * (z - lift - z0), rise - turn * (x - x0)], axis=1)
        pressure = made.primitive()[wall.node, 4] - 1 / 1.4
        force = pressure[:, None] * get(wall.device["S"]).astype(float)[:, [0, 2]]
        found.append((force * velocity).sum())

    run = steps.run
    power = -np.array(found) / (0.5 * MACH**2 * MACH * area)
    np.testing.assert_allclose(np.sort(run.loop().power.values), np.sort(power), rtol=1e-8)
    assert run.summary["result"]["power_in"] == pytest.approx(power.mean(), rel=1e-8)
    assert power.mean() > 1e-3
