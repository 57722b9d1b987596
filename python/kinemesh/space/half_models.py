"""Half models: where their planes stand, and those that nobody has named, which would be walls.

A wall that ends on a floor, or that an outlet cuts, is none of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.flats import ACROSS, Flat, flats_of

SPAN, UP = 1, 2  # axes: wings have their span along y, the stream lies in x and z


def refuse_planes(
    firsts: Sequence[tuple[int, Any]],
    walls: Sequence[str],
    far: Sequence[str],
    said: Sequence[str],
) -> None:
    """MeshError where a body ends on a flat end of the mesh that is far field, or in its marker.

    Parameters
    ----------
    firsts : distinct meshes or clouds, each with the first member on it
    said : markers that the user lists as one of the two
    """
    for member, space in firsts:
        for flat in flats_of(space, [*walls, *far], walls):
            if flat.marker in said:
                continue
            if flat.marker in far and flat.axis in (SPAN, UP):
                raise MeshError(
                    f"{flat.told()}: the stream would pass the end of a body there; "
                    f"{flat.advice()} where it is a plane of symmetry, or "
                    f"far=[{flat.marker!r}, ...] where it is far field all the same (keys of "
                    "[mesh] in a case file)",
                    member=member,
                )
            if merged(flat) and flat.axis == SPAN:
                raise MeshError(
                    f"{flat.told()}: its pressures would count among the loads; {flat.advice()} "
                    f"where it is a plane of symmetry, or walls=[{flat.marker!r}, ...] where it "
                    "is a wall whose loads are meant too (keys of [mesh] in a case file)",
                    member=member,
                )


def merged(flat: Flat) -> bool:
    """True where a body has one marker with the flat that it ends on."""
    return flat.marker in flat.walls


def places_across_span(space: Any) -> NDArray[np.float64]:
    """(members,) y of the plane of symmetry across the span of each mesh or cloud as given.

    Of two planes it is the lower one; 0 without one.
    """
    found = np.zeros(space.members)
    across = np.abs(space.normals[:, SPAN]) >= ACROSS  # in the plane there are none
    member = np.searchsorted(space.vertices.items.first, space.on_planes, "right") - 1
    y = space.vertices.points[space.on_planes, SPAN]
    for m in np.flatnonzero(across):
        found[m] = y[member == m].min()
    return found
