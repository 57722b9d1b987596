"""Rows of poses, as kernels read them, are the same moves as the poses themselves."""

import numpy as np
import pytest
from kinemesh.bodies.poses import matrix_of, rows_of
from kinemesh.dimension import XY, XYZ
from kinemesh.motion import Pose

POSES = {
    XY: Pose(0.4, (0.25, 0.1), (0.3, -0.2)),
    XYZ: Pose(0.4, (0.25, 0.0, 0.1), (0.3, 0.1, -0.2), (0.6, 0.0, 0.8)),
}


@pytest.mark.parametrize("dimension", POSES)
def test_the_matrix_of_a_row_moves_points_as_the_pose_does(dimension):
    pose = POSES[dimension]
    points = np.random.default_rng(1).normal(size=(5, dimension.count))

    turn, shift = matrix_of(rows_of([pose], dimension, 0)[0])

    moved = points + points @ turn.T + shift
    np.testing.assert_allclose(moved, pose.apply(points), atol=1e-14)
