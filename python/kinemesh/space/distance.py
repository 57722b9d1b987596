"""Exact distance of volumes to the nearest of their member's walls (docs/theory.md).

Facets of the boundary stand in groups of consecutive ones, so that few of them are looked at from
one place: csrc/kernels/mesh/distance.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.linear.pattern import chunks
from kinemesh.linear.stack import Items
from kinemesh.space.faces import FaceVolumes

Ints = NDArray[np.int32]
GROUP = 32  # facets to a circle


def wall_distance(volumes: FaceVolumes, markers: Sequence[str]) -> Any:
    """Distance of each volume to the nearest wall of its member (nodes,) float64 [chord].

    It is `distance` among the fields, and follows `measure`: the device array is that of the mesh
    as it stands.  Infinite where a member has no such wall; exactly 0 at vertices on one.

    Parameters
    ----------
    volumes : `Grid`, from whose nodes distances are, or `Cells`: from their centroids
    markers : of walls without slip; a mesh need not have all of them
    """
    b, vertices = volumes.backend, volumes.vertices
    facets = [wall_facets(mesh, markers) for mesh in vertices.distinct]
    items = Items(vertices.alike, [len(own) for own in facets])
    offsets, groups = chunks(items.first, GROUP)
    circles = len(offsets) - 1
    distance = b.zeros(volumes.nodes, np.float64)
    volumes.fields.add(distance=distance)
    own = volumes.fields.also(
        vertex=volumes.x,
        facet=b.table(items.stack(facets, vertices.items)),
        offsets=b.array(offsets, np.int32),
        groups=b.array(groups, np.int32),
        middle=b.zeros((circles, volumes.dimensions), np.float64),
        radius=b.zeros(circles, np.float64),
    )
    volumes.measure.follow(own.bind("wall_groups"), own.bind("wall_distance"))
    return distance


def wall_facets(mesh: Any, markers: Sequence[str]) -> Ints:
    """(facets, 2) edges of a mesh on these markers, one behind the other along its walls."""
    there = [mesh.boundaries[name] for name in markers if name in mesh.boundaries]
    facets: Ints = np.concatenate([np.empty((0, 2), np.int32), *there]).astype(np.int32)
    return facets[along(facets)]


def along(facets: Ints) -> list[int]:
    """Rows of edges (k, 2), each behind the one that ends where it begins."""
    begins, ends = facets.T.tolist()
    row_at = {node: row for row, node in enumerate(begins)}
    found: dict[int, None] = {}  # a set in the order of what is put into it
    reached = set(ends)
    open_ends = [row for row, node in enumerate(begins) if node not in reached]
    for first in [*open_ends, *range(len(begins))]:
        row: int | None = first
        while row is not None and row not in found:
            found[row] = None
            row = row_at.get(ends[row])
    return list(found)
