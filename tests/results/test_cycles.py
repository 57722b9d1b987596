"""Cycles to which bodies on structures come, of made motions."""

import numpy as np
import pytest
from kinemesh.results.oscillations import steady_cycle

TOLD = {"names": ["h", "alpha"], "units": [[0.5, 1.0]], "reference": [2.0]}
TIME = 0.05 * np.arange(1, 1201)


def rows(growth, limit=np.inf):
    size = np.minimum(np.exp(growth * TIME), limit)
    swing = size * np.sin(3.0 * TIME + 0.3)
    return {"time": TIME, "q_h": 0.02 * swing + 0.1, "q_alpha": 0.1 * swing}


def test_a_motion_that_grows_to_a_limit_has_its_cycle():
    found = steady_cycle(rows(0.1, limit=4.0), TOLD, 0)

    assert found["cycle_h"] == pytest.approx(0.08, rel=2e-3)
    assert found["cycle_alpha"] == pytest.approx(0.4, rel=2e-3)
    assert found["cycle_omega"] == pytest.approx(1.5, rel=1e-4)


@pytest.mark.parametrize("growth", [0.01, -0.01])
def test_a_motion_that_grows_or_fades_has_none(growth):
    """By 2 % a period of 2.1."""
    assert steady_cycle(rows(growth), TOLD, 0) == {}


def test_of_few_periods_or_of_a_body_at_rest_there_is_no_cycle():
    still = {name: 0 * own for name, own in rows(0.0).items()} | {"time": TIME}
    few = {name: own[:150] for name, own in rows(0.0).items()}

    assert steady_cycle(still, TOLD, 0) == {}
    assert steady_cycle(few, TOLD, 0) == {}
