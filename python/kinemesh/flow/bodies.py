"""Bodies of an ensemble and their motions: poses and rates at a time, the points of moments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinemesh.motion import Motion, Pose, Rate


class Bodies:
    """Every body and the motion it has.

    Parameters
    ----------
    bodies : list of (member, marker)
    motions : Motion, or None of a body at rest, of each
    mach : (members,)
    moment_about : (x, y) of the moments' point, on the first body of a member as given
    """

    def __init__(
        self,
        bodies: Sequence[tuple[int, str]],
        motions: Sequence[Motion | None],
        mach: NDArray[np.float64],
        moment_about: tuple[float, float],
    ) -> None:
        self.owner = [member for member, _ in bodies]
        self.motions, self.mach = motions, mach
        self.point = np.array(moment_about, float)
        self.pivots = [None if motion is None else motion.pivot for motion in motions]

    def poses(self, time: NDArray[np.float64]) -> list[Pose]:
        """Pose of every body at its member's time [chord/a_inf]."""
        return [
            Pose() if motion is None else motion.pose(float(time[m]), float(self.mach[m]))
            for motion, m in zip(self.motions, self.owner, strict=True)
        ]

    def rates(self, time: NDArray[np.float64]) -> list[Rate]:
        """Change of every body's pose at its member's time [chord/a_inf]."""
        return [
            Rate() if motion is None else motion.rate(float(time[m]), float(self.mach[m]))
            for motion, m in zip(self.motions, self.owner, strict=True)
        ]

    def moment_points(self, poses: Sequence[Pose] = ()) -> NDArray[np.float64]:
        """(members, 2) the moments' points, each moved with its member's first body."""
        points = np.tile(self.point, (len(self.mach), 1))
        poses = poses or [Pose()] * len(self.owner)
        for pose, member in reversed(list(zip(poses, self.owner, strict=True))):
            points[member] = pose.apply(self.point)
        return points
