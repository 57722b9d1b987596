"""Bodies of an ensemble and their motions: poses and rates at a time, the points of moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import KinemeshError, SettingsError
from kinemesh.motion import Motion, Pose, Rate
from kinemesh.space.members import Members


class Bodies:
    """Every body and the motion it has.

    Parameters
    ----------
    bodies : list of (member, marker)
    motions : Motion, or None of a body at rest, of each
    mach : (members,)
    moment_about : (x, y) of the moments' point, on the first body of a member as given
    ensemble : Members    of whom fail those whose motion has no pose at a time, or no rate
    """

    def __init__(
        self,
        bodies: Sequence[tuple[int, str]],
        motions: Sequence[Motion | None],
        mach: NDArray[np.float64],
        moment_about: tuple[float, float],
        ensemble: Members,
    ) -> None:
        self.bodies, self.ensemble = list(bodies), ensemble
        self.owner = [member for member, _ in bodies]
        self.motions, self.mach = motions, mach
        self.point = np.array(moment_about, float)
        self.pivots = [None if motion is None else motion.pivot for motion in motions]

    def poses(self, time: NDArray[np.float64]) -> list[Pose]:
        """Pose of every body at its member's time [chord/a_inf]; of one that fails, as given."""
        return self._each(Pose(), time)

    def rates(self, time: NDArray[np.float64]) -> list[Rate]:
        """Change of every body's pose at its member's time [chord/a_inf]; none if it fails."""
        return self._each(Rate(), time)

    def samples(self, time: NDArray[np.float64]) -> list[Pose | None]:
        """Poses; None where a motion of one of several members has none, which then runs on."""
        found: list[Pose | None] = []
        for body in range(len(self.owner)):
            try:
                found.append(self._ask(body, Pose(), time))
            except Exception:  # whatever a user's law raises
                if self.ensemble.count == 1:
                    raise
                found.append(None)
        return found

    def _each(self, still: Any, time: NDArray[np.float64]) -> list[Any]:
        """Of every body what its motion tells; `still` of those whose member fails by it."""
        found = [still] * len(self.owner)
        for body, (member, marker) in enumerate(self.bodies):
            try:
                found[body] = self._ask(body, still, time)
            except Exception as error:  # whatever a user's law raises
                known = isinstance(error, KinemeshError)
                told = str(error) if known else f"{type(error).__name__}: {error}"
                self.ensemble.fail(
                    member,
                    f"the motion of {marker} fails at time {time[member]:.6g} chord/a_inf: {told}",
                    "a motion that has a pose at each time of the run",
                    place=f"body {marker}",
                    error=error,
                )
        return found

    def _ask(self, body: int, still: Any, time: NDArray[np.float64]) -> Any:
        """Pose or Rate of a body, whichever `still` is; SettingsError of anything else."""
        motion, member = self.motions[body], self.owner[body]
        if motion is None:
            return still
        ask = motion.pose if isinstance(still, Pose) else motion.rate
        found = ask(float(time[member]), float(self.mach[member]))
        if not isinstance(found, type(still)):
            raise SettingsError(f"motion: got {found!r}, expected a {type(still).__name__}")
        return found

    def moment_points(self, poses: Sequence[Pose] = ()) -> NDArray[np.float64]:
        """(members, 2) the moments' points, each moved with its member's first body."""
        points = np.tile(self.point, (len(self.mach), 1))
        poses = poses or [Pose()] * len(self.owner)
        for pose, member in reversed(list(zip(poses, self.owner, strict=True))):
            points[member] = pose.apply(self.point)
        return points
