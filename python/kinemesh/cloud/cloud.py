"""The cloud of points that meshless solvers start from: points, their satellites, boundaries.

Lengths are in chords.  The satellites of a point are the points that its derivatives are fitted to;
if j is a satellite of i, i is one of j.  Boundary facets are numbered so that the fluid is on the
left of an edge (2-D), or that the right-hand rule gives an area vector that points out of the fluid
(triangles in 3-D).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from kinemesh.arguments import checks_names
from kinemesh.cloud import checks
from kinemesh.cloud.satellites import condition_numbers, table_of
from kinemesh.cloud.sides import in_fluid
from kinemesh.csr import cuthill_mckee
from kinemesh.dimension import DIMENSIONS, Dimension
from kinemesh.errors import CloudError
from kinemesh.mesh.origin import UNKNOWN, Origin
from kinemesh.mesh.pieces import triangles_of

if TYPE_CHECKING:
    from kinemesh.mesh import Mesh

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


REGULAR = {2: np.inf, 3: 6}
"""Most satellites of a point in a regular cloud, by dimensions."""

IN_FLUID: dict[int, Callable[[Floats, Mapping[str, Ints]], None]] = {
    2: in_fluid,
    3: lambda points, boundaries: None,  # of bare points alone: it takes longer than all else
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cloud:
    """An immutable, checked cloud of points in the plane (d = 2) or in space (d = 3).

    Parameters
    ----------
    points : (n, d) float64         coordinates [chord]
    offsets : (n+1,) int32          entries of each point in `satellites`
    satellites : (entries,) int32   satellites of each point, ascending; if j is one of i's, i is
                                    one of j's
    boundaries : dict[str, (k, d)]  facets of each boundary: edges with the fluid on the left, or
                                    triangles whose area vector points out of the fluid
    original : (n,) int64           number in the user's file or array; by default 0, 1, 2, ...
    worst_condition : float         largest condition number of a point's least-squares matrix
    origin : Origin                 where the cloud comes from, for summaries

    Raises
    ------
    CloudError    naming the first point, pair or facet that is wrong
    """

    points: Floats
    offsets: Ints
    satellites: Ints
    boundaries: dict[str, Ints]
    original: NDArray[np.int64] = None  # type: ignore[assignment]
    worst_condition: float = checks.WORST_CONDITION
    origin: Origin = UNKNOWN

    def __post_init__(self) -> None:
        points = checks.coordinates(self.points, "points")
        n = len(points)
        offsets, satellites = checks.table(n, self.offsets, self.satellites)
        boundaries = checks.facets(points, self.boundaries)
        checks.apart(points)
        checks.enough(points, offsets, boundaries)
        checks.paired(offsets, satellites)
        checks.conditioned(points, offsets, satellites, self.worst_condition)
        checks.facing(points, offsets, satellites, boundaries)
        IN_FLUID[points.shape[1]](points, boundaries)
        for name, value in (
            ("points", points),
            ("offsets", offsets),
            ("satellites", satellites),
            ("boundaries", boundaries),
            ("original", checks.numbering(self.original, n)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def from_mesh(cls, mesh: Mesh, worst_condition: float = checks.WORST_CONDITION) -> Cloud:
        """The nodes of a mesh; satellites are the neighbours along the cells' edges."""
        from kinemesh.mesh import Mesh

        if not isinstance(mesh, Mesh):
            raise CloudError(f"Cloud.from_mesh: the mesh is {mesh!r}, expected a kinemesh Mesh")
        spread = SPREAD[mesh.dimensions]
        sides = {name: spread(name, triangles_of(own)) for name, own in mesh.boundaries.items()}
        return cls.from_pairs(
            mesh.points, mesh.edges, sides, mesh.original, worst_condition, mesh.origin
        )

    @classmethod
    def from_pairs(
        cls,
        points: ArrayLike,
        pairs: ArrayLike,
        boundaries: Mapping[str, ArrayLike],
        original: ArrayLike | None = None,
        worst_condition: float = checks.WORST_CONDITION,
        origin: Origin = UNKNOWN,
    ) -> Cloud:
        """Cloud of satellites in the form of pairs of points.

        Parameters
        ----------
        points : (n, d)
        pairs : (k, 2)    each pair in either order; repeats count once
        boundaries : dict[str, (k, d)]
        original : (n,), optional
        origin : Origin    where the cloud comes from, for summaries
        """
        where = checks.coordinates(points, "points")
        table = table_of(len(where), checks.indices(pairs, (None, 2), len(where), "pairs"))
        tables: Any = boundaries
        numbers: Any = original
        return cls(where, *table, tables, numbers, worst_condition, origin)

    @classmethod
    def from_tetrahedra(
        cls,
        points: ArrayLike,
        tetrahedra: ArrayLike,
        boundaries: Mapping[str, ArrayLike],
        worst_condition: float = checks.WORST_CONDITION,
    ) -> Cloud:
        """The nodes of a tetrahedral mesh; satellites are the neighbours along the cells' edges.

        Parameters
        ----------
        points : (n, 3)
        tetrahedra : (k, 4)           either way round
        boundaries : dict[str, (k, 3)]    triangles, turned here to point out of the fluid; every
                                      face of one cell only in one of them
        """
        from kinemesh.cloud.tetrahedra import connected

        where = checks.coordinates(points, "points")
        pairs, facets = connected(where, tetrahedra, boundaries)
        return cls.from_pairs(where, pairs, facets, None, worst_condition)

    @classmethod
    def from_points(
        cls,
        points: ArrayLike,
        boundaries: Mapping[str, ArrayLike],
        normals: Mapping[str, ArrayLike] | None = None,
        worst_condition: float = checks.WORST_CONDITION,
    ) -> Cloud:
        """A cloud from bare points: satellites are near, all around, and in sight.

        Parameters
        ----------
        points : (n, d)
        boundaries : dict[str, (k,)], point numbers in their order along a closed curve (2-D), or
            dict[str, (k, d)], edges or triangles
        normals : dict[str, (k, d)], optional    unit normals into the fluid at the points of a
            boundary: in the order of a list of points, else by rising point number; they tell
            which side of a facet is fluid.  Without normals the fluid is on the side of a closed
            curve with more points, and given facets must be as in `Cloud`.

        Raises
        ------
        CloudError    also for a point that has no satellites all around in sight
        """
        from kinemesh.cloud.bare import connected

        where = checks.coordinates(points, "points")
        pairs, facets = connected(where, boundaries, normals, checks.limit(worst_condition))
        return cls.from_pairs(where, pairs, facets, None, worst_condition)

    @classmethod
    @checks_names
    def around(
        cls,
        bodies: Mapping[str, ArrayLike],
        points: int = 10_000,
        far_field: float = 50.0,
        outer: str = "circle",
        wall_points: Mapping[str, int] | None = None,
        first_spacing: float | None = None,
        first: float = 0.8,
        growth: float = 1.1,
        layers: int = 6,
        worst_condition: float = checks.WORST_CONDITION,
    ) -> Cloud:
        """A cloud about bodies in the plane: layers about each body, and a graded quadtree beyond.

        Parameters
        ----------
        bodies : dict[str, (m, 2)]    closed curves, either way round [chord]
        points : int                  number of points; the cloud has as many within 2 %
        far_field : float             radius, or half side, of the outer boundary about the middle
                                      of the bodies [chord]
        outer : circle | square
        wall_points : dict[str, int], optional    number of points on the wall of a body; default:
                                      from `points`
        first_spacing : float         height of the first layer; default `first` times the local
                                      spacing of the wall [chord]
        growth : float                ratio of the heights of successive layers, until the spacing
                                      of the quadtree is reached
        layers : int                  number of layers about each body

        Returns
        -------
        Cloud    boundaries: one by each body's name, and `farfield`

        Raises
        ------
        CloudError    also for bodies that intersect, cross themselves, or leave too little room
        """
        from kinemesh.cloud.around import placed, wanted
        from kinemesh.cloud.bare import connected
        from kinemesh.cloud.bodies import checked

        asked = wanted(
            {
                "points": points,
                "far_field": far_field,
                "outer": outer,
                "wall_points": wall_points,
                "first_spacing": first_spacing,
                "first": first,
                "growth": growth,
                "layers": layers,
            },
            list(bodies) if isinstance(bodies, Mapping) else [],
        )
        made = checked(bodies)
        where, edges = placed(made, asked)
        pairs, facets = connected(where, edges, None, checks.limit(worst_condition))
        origin = Origin(notes=tuple(body.said for body in made))
        return cls.from_pairs(where, pairs, facets, None, worst_condition, origin)

    def renumbered(self) -> Cloud:
        """This cloud with its points in reverse Cuthill-McKee order."""
        n = len(self.points)
        ones = np.ones(len(self.satellites), np.int8)
        graph = csr_array((ones, self.satellites, self.offsets), shape=(n, n))
        order = cuthill_mckee(graph)
        new = np.empty(n, np.int32)
        new[order] = np.arange(n, dtype=np.int32)
        ends = np.repeat(np.arange(n), np.diff(self.offsets))
        return Cloud.from_pairs(
            self.points[order],
            np.stack([new[ends], new[self.satellites]], axis=1),
            {name: new[facets] for name, facets in self.boundaries.items()},
            self.original[order],
            self.worst_condition,
            self.origin,
        )

    @property
    def connections(self) -> tuple[Ints, ...]:
        """The tables that connect the points."""
        return self.offsets, self.satellites

    @property
    def dimension(self) -> Dimension:
        """The plane, or space."""
        return DIMENSIONS[self.points.shape[1]]

    @property
    def irregular(self) -> bool:
        """True in space if more than a tenth of the points have more than six satellites."""
        crowded = np.diff(self.offsets) > REGULAR[self.dimension.count]
        return bool(crowded.mean() > 0.1)

    @property
    def conditions(self) -> Floats:
        """(n,) condition number of each point's least-squares matrix."""
        return condition_numbers(self.points, self.offsets, self.satellites)

    def __repr__(self) -> str:
        n, d = self.points.shape
        each = ", ".join(f"{name}: {len(facets)}" for name, facets in self.boundaries.items())
        mean = len(self.satellites) / n
        return f"Cloud({n} points in {d}-D, {mean:.2f} satellites on average; {each})"


def _spread(marker: str, facets: NDArray[Any]) -> NDArray[Any]:
    """Triangles of a mesh's marker; CloudError where some lie on each other, as at a folded tip."""
    _, first, count = np.unique(
        np.sort(facets, axis=1), axis=0, return_index=True, return_counts=True
    )
    twice = first[count > 1]
    if len(twice):
        raise CloudError(
            f"Cloud.from_mesh: {len(twice)} triangle(s) of marker '{marker}' are there twice, the "
            f"first of nodes {', '.join(map(str, facets[twice[0]]))}, as where a face of four "
            "corners is folded at a wing's tip; expected each once: take tetrahedra (cells='tets' "
            "of km.mesh.wing), or the cloud of km.cloud.wing"
        )
    return facets


SPREAD = {2: lambda marker, facets: facets, 3: _spread}
