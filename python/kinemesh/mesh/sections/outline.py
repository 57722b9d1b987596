"""The outline of a section as a closed polygon: whether it crosses itself."""

from __future__ import annotations

import numpy as np

from kinemesh.errors import MeshError
from kinemesh.mesh.sections.section import Section

SAMPLES = 2000  # edges of the polygon


def uncrossed(section: Section) -> None:
    """Refuse a section whose outline crosses itself."""
    from kinemesh.mesh.geometry.curves import first_crossing  # here: clouds are made of sections

    points = section.points(np.linspace(0.0, 1.0, SAMPLES + 1))
    points = points if section.gap > 0 else points[:-1]
    met = first_crossing(points)
    if met is not None:
        x, y = points[met[0]]
        raise MeshError(
            f"{section.name}: the outline crosses itself near ({x:.4g}, {y:.4g}), expected a "
            "simple curve; a section this thick takes less camber, or camber farther aft"
        )
