"""Roots of made signals by the matrix pencil."""

import numpy as np
import pytest
from kinemesh.loops.pencil import roots_of, spread

PERIODS, STEPS = 6, 48
T = 2 * np.pi / STEPS * np.arange(PERIODS * STEPS)  # angular frequency 1 has 48 steps a period


def ringing(*roots, shapes=None):
    """Signals of roots with their complex shapes."""
    shapes = np.ones((len(roots), 1)) if shapes is None else shapes
    waves = [
        np.real(np.outer(shape, np.exp(s * T))) for s, shape in zip(roots, shapes, strict=True)
    ]
    return np.sum(waves, axis=0)


@pytest.mark.parametrize("s", [-0.003 + 0.96j, 0.02 + 1.3j, 0.8j, -0.2 + 1.0j])
def test_a_root_is_found_to_rounding(s):
    (found,) = roots_of(ringing(s), T[1])

    assert found.s == pytest.approx(s, abs=1e-10)
    assert found.zeta == pytest.approx(-s.real / abs(s), abs=1e-10)
    assert spread(ringing(s), T[1], found) < 1e-10


def test_two_roots_of_two_signals_have_their_shapes():
    shapes = np.array([[-1.6 + 0.2j, 1.0], [0.02, 0.01 - 0.01j]])
    one, other = -0.002 + 0.96j, -0.03 + 4.97j

    found = roots_of(ringing(one, other, shapes=shapes), T[1])

    assert [own.s for own in found] == pytest.approx([one, other], abs=1e-10)
    for own, shape in zip(found, shapes, strict=True):
        assert own.shape[0] / own.shape[1] == pytest.approx(shape[0] / shape[1], abs=1e-9)


def test_a_mean_is_no_oscillation():
    found = roots_of(ringing(-0.01 + 1j) + 0.3, T[1])

    assert sorted(own.s.imag for own in found) == pytest.approx([0, 1], abs=1e-9)


def test_scales_of_signals_do_not_count():
    """Plunge in chords and pitch in radians may be of other sizes."""
    s = -0.01 + 1j
    small = ringing(s, shapes=np.array([[1e-9, 1.0]]))

    assert roots_of(small, T[1])[0].s == pytest.approx(s, abs=1e-10)


def test_one_percent_of_noise_leaves_two_percent_of_the_damping_in_six_periods():
    """Median of 20 seeds; a root of a share of 0.05 of critical damping."""
    s = -0.05 + 1j
    clean = ringing(s, shapes=np.array([[-1.6, 1.0]]))
    errors = []
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=clean.shape)
        noise *= 0.01 * np.abs(clean).max(axis=1, keepdims=True)
        found = roots_of(clean + noise, T[1], most=2)[0]
        errors.append(abs(found.zeta / (0.05 / abs(s)) - 1))

    assert np.median(errors) < 0.02


def test_no_motion_has_no_root():
    assert roots_of(np.zeros((2, 40)), 0.1) == []


@pytest.mark.parametrize("signals", [np.ones((1, 11)), np.full((1, 40), np.nan)])
def test_signals_without_samples_are_refused(signals):
    with pytest.raises(ValueError, match="expected at least 12, all finite"):
        roots_of(signals, 0.1)
