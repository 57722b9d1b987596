"""Planes of symmetry in space, which bodies on them may not leave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.dimension import XYZ
from kinemesh.errors import SettingsError
from kinemesh.motion import Motion
from kinemesh.space.solids import FLAT
from kinemesh.space.volumes import Volumes

FloatArray = NDArray[np.float64]


def check_laws(
    grid: Volumes, motions: Sequence[Motion | None], speed: FloatArray, length: float
) -> None:
    """SettingsError for motions by which bodies leave planes of symmetry of their mesh.

    They are asked for their poses at a few times; a law without one then is left to the run.

    Parameters
    ----------
    motions : of each body;  speed : (members,);  length : reference length
    """
    for (member, _), motion in zip(grid.bodies, motions, strict=True):
        if motion is None or not grid.normals[member].any():
            continue
        own = float(speed[member])
        try:
            cycle = motion.period(own) or length / own
            poses = [motion.pose(share * cycle, own).into(XYZ) for share in (0.0, 0.13, 0.37)]
        except Exception:  # of a user's law, which the run tells of
            continue
        for pose in poses:
            _check(grid, member, pose.angle, np.array(pose.axis), np.array(pose.shift))


def check_placement(grid: Volumes, placement: Placement, shifts: bool) -> None:
    """SettingsError for a placement by which bodies leave planes of symmetry of their mesh.

    Parameters
    ----------
    shifts : whether these planes may shift with the bodies
    """
    if not grid.normals.any():
        return
    there = placement.poses.into(XYZ)
    assert there.axis is not None
    for k, (member, _) in enumerate(grid.bodies):
        shift = np.zeros(3) if shifts else there.shift[k]
        _check(grid, member, float(there.angle[k]), there.axis[k], shift)


def _check(grid: Volumes, member: int, angle: float, axis: FloatArray, shift: FloatArray) -> None:
    """SettingsError for a pose (angle, axis, shift) that leaves the member's planes of symmetry."""
    unit = grid.normals[member]
    turned = np.linalg.norm(np.cross(axis, unit)) if angle and unit.any() else 0.0
    across = abs(float(unit @ shift)) / max(float(np.linalg.norm(shift)), 1e-300)
    if max(turned, across) > FLAT:
        normal, about = (", ".join(f"{c:.3g}" for c in vector) for vector in (unit, axis))
        what = f"turns about ({about})" if turned > FLAT else "shifts across them"
        raise SettingsError(
            f"the normal of the planes of symmetry is ({normal}), and a body {what}; expected "
            "turns about the normal and shifts along the planes, or a mesh without such planes",
            member=member,
        )
