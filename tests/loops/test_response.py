"""Responses from loads in a pulse, beside the exact response of an equation."""

import numpy as np
import pytest
from kinemesh import motion
from kinemesh.loops.response import response, tail
from scipy.integrate import solve_ivp

LAG, STIFF, DAMP, STEP, STEPS = 0.4, 2.0, 0.7, 0.05, 1200
OMEGA = np.array([0.05, 0.2, 0.8, 1.5])


def test_a_lag_of_first_order_has_its_exact_response_at_all_frequencies():
    """f' + LAG f = STIFF q + DAMP q', so H = (STIFF + i omega DAMP) / (LAG + i omega)."""
    law = motion.pulse(plunge=0.3, duration=6.0, start=1.0)
    q = lambda s: law.pose(s, 1.0).shift[1]  # noqa: E731
    rate = lambda s: law.rate(s, 1.0).shift[1]  # noqa: E731
    s = STEP * np.arange(1, STEPS + 1)
    made = solve_ivp(lambda t, f: STIFF * q(t) + DAMP * rate(t) - LAG * f, (0, s[-1]), [0.0],
                     t_eval=s, rtol=1e-10, atol=1e-13, max_step=0.2)  # fmt: skip

    found = response(5.0 + made.y[0], [q(t) for t in s], STEP, OMEGA, rest=5.0)

    exact = (STIFF + 1j * OMEGA * DAMP) / (LAG + 1j * OMEGA)
    # sums of smooth functions that vanish at both ends: the integration's own 1e-8
    assert found == pytest.approx(exact, rel=1e-7)


def test_a_load_that_has_not_come_to_rest_counts_half_at_its_end():
    """The trapezoidal rule of a constant load over the pulse's sum."""
    q = np.array([0.0, 1.0, 0.0, 0.0])

    assert response([0, 0, 2.0, 2.0], q, 0.5, [0.0])[0] == pytest.approx(3.0)


def test_a_tail_is_the_largest_load_at_the_end_over_the_peak():
    assert tail([1.0, 5.0, -7.0, 1.2, 0.9], 1.0, 2) == pytest.approx(0.2 / 8)
    assert tail([1.0, 5.0, -7.0, 1.2, 0.9], 1.0, 1) == pytest.approx(0.1 / 8)
    assert tail([1.0, 1.0], 1.0, 1) == 0.0
