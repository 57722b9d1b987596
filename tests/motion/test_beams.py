"""Shapes of clamped wings by formula: modes of beams by their influence functions, in NumPy."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.dimension import XYZ

SPAN = 3.0


def deflections(x, s):
    """Deflection at x of a cantilever of unit length and stiffness, by a unit force at s."""
    low, high = np.minimum(x, s), np.maximum(x, s)
    return low**2 * (3 * high - low) / 6


def angles(x, s):
    """Angle at x of a rod of unit stiffness that is held at 0, by a unit torque at s."""
    return np.minimum(x, s)


def first_mode(influence):
    """Places (n,) along a beam of unit length, and its first mode there: 1 at the tip."""
    x = np.r_[(np.arange(400) + 0.5) / 400, 1.0]
    weights = np.r_[np.full(400, 1 / 400), 0.0]
    values, vectors = np.linalg.eig(influence(x[:, None], x) * weights)
    mode = vectors[:, np.abs(values).argmax()].real
    return x, mode / mode[-1]


def along(y, x=0.0, z=0.0):
    return np.stack([0 * y + x, y, 0 * y + z], axis=1)


def test_bending_is_the_first_mode_of_a_cantilever():
    x, mode = first_mode(deflections)

    found = km.motion.clamped_bending(SPAN)(along(SPAN * x, 0.4, 0.05))

    assert np.abs(found[:, 2] - mode).max() < 5e-6  # midpoints of 400 pieces: 1 / (24 400^2)
    assert np.abs(found[:, :2]).max() == 0.0
    assert found[-1, 2] == pytest.approx(1.0, abs=1e-14)


def test_torsion_turns_sections_nose_up_by_the_first_mode_of_a_rod():
    x, mode = first_mode(angles)
    shape = km.motion.clamped_torsion(SPAN, about=(0.3, 0.02))

    found = shape(along(SPAN * x, 0.9, 0.05))

    assert np.abs(found[:, 2] + 0.6 * mode).max() < 5e-6
    assert np.abs(found[:, 0] - 0.03 * mode).max() < 5e-6
    assert np.abs(found[:, 1]).max() == 0.0
    assert np.abs(shape(along(SPAN * x, 0.3, 0.02))).max() == 0.0


@pytest.mark.parametrize("made", [km.motion.clamped_bending, km.motion.clamped_torsion])
def test_both_halves_of_a_wing_move_alike_and_the_tip_goes_on_straight(made):
    shape, y = made(SPAN), np.linspace(0.0, 1.2 * SPAN, 25)

    assert np.array_equal(shape(along(y, 0.7)), shape(along(-y, 0.7)))
    h = 1e-4
    at = [shape(along(np.array([SPAN + k * h]), 0.7))[0, 2] for k in (-1, 0, 1, 2)]
    inward, outward, further = np.diff(at)
    assert outward == pytest.approx(inward, abs=1e-7 * h + h**2)
    assert further == pytest.approx(outward, abs=1e-15)
    assert (abs(outward) > h / SPAN) == (made is km.motion.clamped_bending)


def test_the_root_stays_where_it_is_and_level():
    shape = km.motion.clamped_bending(SPAN)
    root = shape(along(np.array([0.0, 1e-5, 2e-5])))[:, 2]
    assert root[0] == 0.0
    assert root[2] == pytest.approx(4 * root[1], rel=1e-2)  # a parabola: no slope


def test_clamped_wings_are_of_space():
    law = km.motion.vibrate(km.motion.clamped_bending(2.0), 0.1, k=0.2)
    assert law.dimension is XYZ
    assert km.motion.given(shapes=km.motion.clamped_torsion(2.0)).dimension is XYZ
    with pytest.raises(km.SettingsError, match="which is of meshes in space"):
        km.Ale(km.mesh.airfoil("naca0012", nodes=500), mach=0.4, motion=law)


@pytest.mark.parametrize("span", [0.0, -1.0, np.nan, "4"])
@pytest.mark.parametrize("made", [km.motion.clamped_bending, km.motion.clamped_torsion])
def test_spans_that_are_none_are_refused(made, span):
    with pytest.raises(km.SettingsError, match=rf"{made.__name__}: span = "):
        made(span)


def test_an_axis_that_is_none_is_refused():
    with pytest.raises(km.SettingsError, match="clamped_torsion: about = "):
        km.motion.clamped_torsion(1.0, about=(0.25,))
