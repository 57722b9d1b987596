"""Loads over a window: exact on made signals."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.loops.spectrum import spectrum_of


def rows(frequency=0.1637, count=731, dt=0.053):
    """Coefficients with harmonics, over no whole number of periods."""
    time = dt * np.arange(1, count + 1)
    angle = 2 * np.pi * frequency * time
    return {
        "time": time,
        "cl": 0.02 + 0.33 * np.sin(angle + 0.4) + 0.01 * np.cos(3 * angle),
        "cd": 1.34 + 0.009 * np.cos(2 * angle - 1.0),
        "cm": 0 * time,
    }


def test_a_made_signal_has_its_numbers():
    found = spectrum_of(rows(), start=10.0)

    assert found.strouhal == pytest.approx(0.1637, rel=1e-12)
    assert (found.cl.mean, found.cl.amplitude) == pytest.approx((0.02, 0.33), rel=1e-10)
    assert found.cl.rms == pytest.approx(np.hypot(0.33, 0.01) / 2**0.5, rel=1e-10)
    assert (found.cd.mean, found.cd.amplitude) == pytest.approx((1.34, 0.009), rel=1e-10)
    assert (found.cm.mean, found.cm.rms) == (0.0, 0.0)
    assert found.start >= 10.0
    assert found.periods == pytest.approx((found.end - found.start) * 0.1637, rel=1e-12)


def test_strouhal_number_is_over_the_speed_of_the_stream():
    assert spectrum_of(rows(), per_length=1 / 0.3).strouhal == pytest.approx(0.1637 / 0.3)


def test_what_does_not_swing_has_no_frequency():
    still = rows() | {"cl": np.zeros(731), "cd": np.full(731, 1.5)}
    found = spectrum_of(still)
    assert (found.strouhal, found.cd.mean, found.cd.rms) == (None, pytest.approx(1.5), 0.0)
    assert spectrum_of(rows(frequency=0.03), start=5.0).strouhal is None  # one period


def test_short_windows_and_steady_runs_are_refused():
    with pytest.raises(km.CaseError, match=r"3 steps from time 38\.6 on, expected at least 16"):
        spectrum_of(rows(), start=38.6)
