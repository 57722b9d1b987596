"""Cylinders towed through, and spun in, a fluid at rest: Galilei's invariance, exact torque."""

import kinemesh as km
import numpy as np
import pytest
from scipy.integrate import solve_ivp

STILL = {"stream": 0.0, "moment_about": (0.0, 0.0), "device": "cpu"}


@pytest.mark.flow
@pytest.mark.parametrize(
    ("nodes", "steps"),
    [
        (1000, {"time_step": 0.1, "steps": 50}),
        pytest.param(10_000, {"time_step": 0.05, "steps": 400}, marks=pytest.mark.slow),
    ],
)
@pytest.mark.filterwarnings("ignore:body cylinder of member 0 moves at once:RuntimeWarning")
def test_a_towed_cylinder_has_the_drag_of_a_fixed_one_in_a_stream(nodes, steps):
    """Both begin at once.  1 %: here the whole far field is open, there a stream comes in."""
    mesh = km.mesh.cylinder(nodes, far_field=50.0)
    towed = {"motion": km.motion.translate((-1.0, 0.0))}

    fixed, moving = (
        km.Incompressible(mesh, reynolds=40.0, **(STILL | given)).run(**steps).history
        for given in ({"stream": 1.0}, towed)
    )

    assert moving.shift_x[-1] == pytest.approx(-moving.time[-1], rel=1e-12)
    after = fixed.time > 1.0
    assert np.abs(moving.cd / fixed.cd - 1)[after].max() < 0.01  # measured 0.0015, 0.0035
    assert np.abs(moving.cl[after]).max() < 1e-4  # pressure_tolerance


def torque(reynolds, rate, ramp, radius, times):
    """Torque on a cylinder of diameter 1 that begins to spin in a fluid at rest, cm.

    The circumferential velocity v(r, t) is v' = nu (v_rr + v_r / r - v / r^2), on 400 places in
    log r; the wall's shear stress is nu (v_r - v / r).
    """
    nu, z = 1 / reynolds, np.linspace(np.log(0.5), np.log(radius), 400)
    r, h = np.exp(z), z[1] - z[0]

    def change(time, v):
        share = 1.0 if time >= ramp else (1 - np.cos(np.pi * time / ramp)) / 2
        full = np.concatenate([[0.5 * rate * share], v, [0.0]])
        return nu * ((full[2:] - 2 * v + full[:-2]) / h**2 - v) / r[1:-1] ** 2

    found = solve_ivp(change, (0, times[-1]), np.zeros(398), "BDF", times, rtol=1e-8, atol=1e-10)
    share = np.where(times >= ramp, 1.0, (1 - np.cos(np.pi * times / ramp)) / 2)
    wall = 0.5 * rate * share
    slope = (-1.5 * wall + 2 * found.y[0] - 0.5 * found.y[1]) / h / 0.5
    return 2 * np.pi * 0.5**2 * nu * (slope - wall / 0.5) / 0.5


@pytest.mark.flow
@pytest.mark.long
def test_a_cylinder_spins_beyond_a_turn_with_the_exact_torque(recwarn):
    rate = 120.0
    mesh = km.mesh.cylinder(5000, far_field=10.0, wall_spacing=0.005)
    spin = km.motion.rotate(rate, about=(0.0, 0.0), ramp=2.0)

    made = km.Incompressible(mesh, reynolds=100.0, motion=spin, **STILL)
    history = made.run(time_step=0.05, steps=120).history

    told = [str(w.message) for w in recwarn]
    assert not [text for text in told if "at once" in text]  # a ramp begins at rest
    assert len(told) == 1  # the torque still falls
    assert "loads change over the window of the spectrum, time 3 to 6" in told[0]
    assert history.alpha_deg[-1] == pytest.approx(600.0, rel=1e-12)
    placed = spin.pose(6.0, 1.0).apply(made.grid.points)
    assert np.abs(made.backend.get(made.grid.x) - placed).max() < 1e-13
    exact = torque(100.0, np.radians(rate), 2.0, 10.0, np.array(history.time))
    assert history.cm == pytest.approx(exact, abs=0.01 * np.abs(exact).max())  # measured 0.0058
    assert np.abs([history.cl, history.cd]).max() < 1e-3 * np.abs(exact).max()


@pytest.mark.flow
def test_a_body_that_moves_at_once_is_told():
    mesh = km.mesh.cylinder(600, far_field=10.0)
    towed = km.motion.translate((-1.0, 0.0))

    with pytest.warns(RuntimeWarning, match=r"cylinder of member 0 moves at once .* \(-1, 0\)"):
        run = km.Incompressible(mesh, reynolds=100.0, motion=towed, **STILL).run(
            time_step=0.1, steps=1
        )

    assert "give a ramp to the motion" in run.summary["warnings"][0]
