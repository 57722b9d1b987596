"""Delaunay graph mapping: nodes keep their place in a coarse triangulation of the boundaries.

Wang et al., section 2.3 (docs/theory.md, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinemesh.errors import SettingsError
from kinemesh.motion.deform.base import Deformation, Mover, Poses, pose_rows
from kinemesh.motion.deform.graph import Graph, Places
from kinemesh.motion.deform.retriangulated import RetriangulatedMover
from kinemesh.space.nodes import Nodes


class DelaunayMover(Mover):
    """Boundary nodes by pose, all others with their element of the graph of the mesh as given."""

    def __init__(self, grid: Nodes) -> None:
        super().__init__(grid)
        b = self.backend
        places = [Places.of(grid, m) for m in range(grid.members)]
        # slivers that carry nobody may fold
        graphs = [Graph.of(grid, grid.points, m, p).used() for m, p in enumerate(places)]
        first = np.cumsum([0, *(len(g.vertices) for g in graphs)])
        element = [g.element + k for g, k in zip(graphs, first[:-1], strict=True)]
        corners = b.array(np.concatenate([g.vertices for g in graphs]), np.int32)
        self.move = b.record(
            [
                self.bind_pose(grid.wall.node, grid.wall.body, grid.x),
                b.bind(
                    "graph_folds",
                    vertices=corners,
                    member=grid.table["member"],
                    x=grid.x,
                    faults=grid.faults,
                ),
                b.bind(
                    "graph_map",
                    node=b.array(np.concatenate([p.inner for p in places]), np.int32),
                    element=b.array(np.concatenate(element), np.int32),
                    share=b.array(np.concatenate([g.share for g in graphs]), np.float64),
                    vertices=corners,
                    reference=grid.reference,
                    x=grid.x,
                ),
            ]
        )

    def step(self, poses: Poses) -> dict[str, float]:
        self.backend.put(self.pose, pose_rows(poses(1.0)))
        self.move()
        return {}


@dataclass(frozen=True, slots=True)
class Delaunay(Deformation):
    """Delaunay graph mapping; a graph element that would fold is an error, or a new graph.

    Parameters
    ----------
    retriangulate : bool    build the graph anew from the bodies as they stand where an element
        would fold, or be stretched twofold (theory, section 4); inner nodes then depend on the way
        that the bodies took, except where they go back along it
    """

    retriangulate: bool = False
    name = "delaunay"

    def __post_init__(self) -> None:
        if not isinstance(self.retriangulate, bool):
            raise SettingsError(
                f"delaunay: retriangulate is {self.retriangulate!r}, expected True or False"
            )

    @property
    def kind(self) -> str:
        return "retriangulated" if self.retriangulate else self.name

    @property
    def repeats(self) -> bool:
        return not self.retriangulate

    def attach(self, grid: Nodes) -> Mover:
        return RetriangulatedMover(grid) if self.retriangulate else DelaunayMover(grid)
