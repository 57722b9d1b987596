"""Delaunay graph mapping: nodes keep their place in a coarse triangulation of the boundaries.

Wang et al., section 2.3 (docs/theory.md, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.bodies.placement import Poses
from kinemesh.deform.graph import graphs_as_given
from kinemesh.deform.mover import Deformation, Mover
from kinemesh.deform.retriangulated import RetriangulatedMover
from kinemesh.errors import SettingsError
from kinemesh.linear.stack import Items
from kinemesh.space.vertices import Vertices


class DelaunayMover(Mover):
    """Boundary nodes by pose, others with their element of the initial mesh's Delaunay graph."""

    def __init__(self, vertices: Vertices) -> None:
        super().__init__(vertices)
        b = self.backend
        given = graphs_as_given(vertices)
        inner = [places.inner for places, _ in given]
        graphs = [graph.used() for _, graph in given]  # slivers that carry nobody may fold
        inside, elements = (
            Items(vertices.alike, [len(table) for table in tables])
            for tables in (inner, [graph.vertices for graph in graphs])
        )
        table = elements.stack([graph.vertices for graph in graphs], vertices.items)
        corners = b.array(table, np.int32)
        self.move = b.record(
            [
                *self.bind_walls(vertices.x),
                vertices.fields.bind("graph_folds", vertices=corners),
                vertices.fields.bind(
                    "graph_map",
                    node=b.array(inside.stack(inner, vertices.items), np.int32),
                    element=b.array(inside.stack([g.element for g in graphs], elements), np.int32),
                    share=b.array(inside.stack([g.share for g in graphs]), np.float64),
                    vertices=corners,
                ),
            ]
        )

    def step(self, poses: Poses) -> dict[str, float]:
        self.put(self.rows(poses(1.0)))
        self.move()
        return {}


@checks_names
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
    bends = True
    stands = True

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

    def attach(self, vertices: Vertices) -> Mover:
        return RetriangulatedMover(vertices) if self.retriangulate else DelaunayMover(vertices)
