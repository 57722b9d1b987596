"""Words of `check` about a mesh or a cloud: how much there is of it, and how good it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.device.backend import Backend

if TYPE_CHECKING:
    from kinemesh.cloud import Cloud
    from kinemesh.mesh import Mesh


def _counts(mesh: Mesh) -> list[str]:
    cells = mesh.solids or {"triangles": mesh.triangles, "quads": mesh.quads}
    return [", ".join([f"{mesh.nodes} nodes", *(f"{len(c)} {kind}" for kind, c in cells.items())])]


def _satellites(cloud: Cloud) -> list[str]:
    count = np.diff(cloud.offsets)
    several = f"{count.mean():.2f} satellites on average ({count.min()} to {count.max()})"
    return [f"{len(cloud.points)} points, {several}"]


def _cells(mesh: Mesh) -> list[str]:
    """Angles, areas or volumes, and aspect ratios of a mesh."""
    from kinemesh.mesh.geometry.quality import quality

    return quality(mesh).told()


def _stars(cloud: Cloud) -> list[str]:
    """Colours of a cloud, and the worst of its least-squares matrices."""
    from kinemesh.linear.colours import colour_parallel

    cloud = cloud.renumbered()
    colour = colour_parallel(Backend("cpu"), cloud.offsets, cloud.satellites)
    conditions = cloud.conditions
    at = int(np.argmax(conditions))
    place = ", ".join(f"{x:.4g}" for x in cloud.points[at])
    return [
        f"{colour.max() + 1} colours",
        f"worst condition {conditions[at]:.3g} at point {cloud.original[at]} ({place})",
    ]


LOOKS: dict[str, Any] = {"mesh": (_counts, _cells), "cloud": (_satellites, _stars)}
