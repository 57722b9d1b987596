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
