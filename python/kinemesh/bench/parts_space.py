"""Two overset parts in space of the benchmark: half a wing on its plane of symmetry, over a box.

The wing of aspect ratio 4 of Chandar, Sitaraman and Mavriplis (ICCFD7-1202, 2012), which plunges.
"""

from __future__ import annotations

from typing import Any

from kinemesh.bench.steps import LEAST_SPACE, Pair, core_spacing
from kinemesh.mesh import Mesh, background, wing

BOX = (-14.0, 20.0, 0.0, 14.0, -14.0, 14.0)  # [chord]
CORE = (-1.5, 3.0, 0.0, 3.6, -2.7, 2.7)
GROWTH, SPAN, FAR_FIELD = 1.5, 2.0, 1.9
NEAR = 1 / 4  # of the nodes, those of the part about the wing
WALL = 2**0.5  # height of the first cells, times the root of the nodes of their part [chord]


def searched(nodes: int) -> Mesh:
    """The wing's mesh with about so many nodes."""
    shape: dict[str, Any] = {"span": SPAN, "far_field": FAR_FIELD, "trailing_edge": "sharp"}
    return wing("naca0012", nodes=nodes, outer="overset", wall_spacing=WALL / nodes**0.5, **shape)


def made(nodes: int) -> Pair:
    """Both parts with about so many nodes in all; none where that is less than LEAST_SPACE."""
    if nodes < LEAST_SPACE:
        return {}
    near = searched(round(NEAR * nodes))
    spacing = core_spacing(nodes - len(near.points), BOX, CORE, GROWTH)
    return {"wing": near, "back": background(BOX, CORE, spacing, GROWTH, symmetry=["front"])}
