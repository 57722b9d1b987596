"""Plane and space as objects."""

from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.dimension import DIMENSIONS, XY, XYZ, dimension_of, widest


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_vectors_of_the_plane_of_motion_are_at_y_0_in_space(shape):
    vectors = np.random.default_rng(3).normal(size=(*shape, 2))

    lifted = XYZ.lift(vectors)

    assert (lifted[..., [0, 2]] == vectors).all()
    assert not lifted[..., 1].any()
    assert XY.lift(vectors) is vectors
    assert XYZ.lift(lifted) is lifted


def test_the_dimension_of_several_is_that_of_the_first_and_of_nothing_the_plane():
    flat, solid = (SimpleNamespace(points=np.zeros((4, d))) for d in (2, 3))

    assert dimension_of(solid) is dimension_of([solid, flat]) is XYZ
    assert dimension_of(flat) is dimension_of([flat, solid]) is XY
    assert dimension_of(None) is dimension_of([]) is XY


def test_the_widest_dimension_holds_all():
    assert widest([XY, XYZ, XY]) is XYZ
    assert widest([]) is widest([XY]) is XY
    assert XYZ.holds(XY)
    assert not XY.holds(XYZ)


@pytest.mark.parametrize(
    ("law", "dimension"),
    [
        (km.motion.plunge(0.1, k=0.2), XY),
        (km.motion.plunge(0.1, k=0.2, direction=(0, 0, 1)), XYZ),
        (km.motion.pitch(2.0, k=0.2), XY),
        (km.motion.pitch(2.0, k=0.2, axis=(0, 1, 0.1)), XYZ),
        (km.motion.pitch(2.0, k=0.2) + km.motion.plunge(0.1, k=0.2, direction=(0, 1, 1)), XYZ),
    ],
)
def test_laws_and_their_poses_tell_the_dimension_that_they_need(law, dimension):
    pose, rate = law.pose(0.3, 0.5), law.rate(0.3, 0.5)

    assert law.dimension is pose.dimension is rate.dimension is dimension
    assert pose.into(XY) is pose
    assert {len(own.into(XYZ).shift) for own in (pose, rate)} == {3}


def test_axes_and_columns_are_those_of_each_dimension():
    assert {count: (own.axes, own.columns) for count, own in DIMENSIONS.items()} == {
        2: ("xy", [0, 1]),
        3: ("xyz", [0, 2]),
    }
