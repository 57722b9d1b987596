"""Sizes of the bodies of a mesh or cloud: chord, planform, side, box.

A body is a closed curve, in space a closed surface, of walls, symmetry being no opening.  Its chord
is the longest distance between two of its points, in space between two points of one section along
the span; its planform and its side are half the sums of the facets' areas as seen along z and y.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.facets import area_vectors
from kinemesh.mesh.flats import Flat, flats_of
from kinemesh.mesh.names import words_of
from kinemesh.mesh.pieces import NEAR, Piece, pieces, reach, told, triangles_of

Floats = NDArray[np.float64]
SECTIONS = 16  # parts of the span between which a body in space is cut
WAYS = 90  # directions in which a section is measured: its chord to 2e-4
END = 1e-6  # share of the span within which nodes lie on an end, of single precision in a file
STATIONS = 8  # places along x at which a summary has the outline of a body in the plane
CHORD = 0.02  # share by which a section's measured chord may differ from what it is said to be
ROUND = 0.02  # share by which widths of a round body may differ


@dataclass(frozen=True, slots=True)
class Body:
    """A body as measured.

    Parameters
    ----------
    name : its markers
    size : float          chord (in space area of the planform) in lengths of the mesh
    low, high : (d,)      least and largest coordinates
    side, chord : float   of a body in space: area as seen along y, longest chord of its sections
    outline : (2, STATIONS)    least and largest y of a body in the plane, at even x
    volume : float        of a body in space, within its walls and planes of symmetry
    round : bool          of a circle, in space of a body that is one as seen along the span
    """

    name: str
    size: float
    low: Floats
    high: Floats
    side: float = 0.0
    chord: float = 0.0
    outline: Floats | None = None
    volume: float | None = None
    round: bool = False

    def told(self) -> str:
        """Name, size and box in words."""
        words, numbers = SIZES[len(self.low)]
        size = [f"{getattr(self, name):.4g}" for name in numbers]
        return f"{self.name} is {words.format(*size)} ({self.box()})"

    def box(self) -> str:
        """Least and largest coordinates in words."""
        return told(self.low, self.high)

    @property
    def span(self) -> float:
        """Width along y of a body in space; from the plane of symmetry of a half model."""
        return float(self.high[1] - self.low[1])

    @property
    def mean_chord(self) -> float:
        """Planform over span."""
        return self.size / self.span if self.span > 0 else 0.0

    def numbers(self) -> dict[str, Any]:
        """Size, box and shape by name, for a summary."""
        found: dict[str, Any] = {
            LENGTHS[len(self.low)]: self.size,
            "from": self.low.tolist(),
            "to": self.high.tolist(),
        }
        if self.outline is not None:
            found["outline"] = self.outline.tolist()
        return found | ({} if self.volume is None else {"volume": self.volume})


SIZES: dict[int, tuple[str, tuple[str, ...]]] = {
    2: ("{} long", ("size",)),
    3: (
        "of a planform of {}, {} wide along y and {} long on average, {} at most",
        ("size", "span", "mean_chord", "chord"),
    ),
}
"""Sizes of a body in words, and the numbers in these, by dimensions."""

LENGTHS = {2: "length", 3: "planform_area"}
"""Names of its size in summaries."""


@dataclass(frozen=True, slots=True)
class Walls:
    """The walls of a mesh or cloud.

    Parameters
    ----------
    bodies : as measured
    loose : markers whose walls enclose no body
    names : all markers of walls
    seen : areas of all walls in space as seen along z and y, by half as of bodies
    flats : flat ends of a mesh in space on which walls end, but for planes of symmetry
    """

    bodies: list[Body]
    loose: list[str]
    names: Sequence[str] = ()
    flats: Sequence[Flat] = ()
    seen: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(cls, space: Any, walls: Sequence[str], planes: Sequence[str] = ()) -> Walls:
        """Walls of a mesh or cloud, with the bodies measured."""
        mirrors = [n for n in walls if "symmetry" in words_of(n)]  # of a half model in the plane
        found: list[Body] = []
        loose = dict.fromkeys(n for n in mirrors if n in space.boundaries)
        others = [n for n in walls if n not in mirrors]
        seen = np.zeros(2)
        for piece in pieces(space, others, [*planes, *mirrors]):
            seen += SEEN[space.points.shape[1]](space.points, piece)
            if not piece.about_body:
                loose |= dict.fromkeys(piece.names)
                continue
            name = ", ".join(piece.names)
            again = sum(body.name.split(" (")[0] == name for body in found)
            name = f"{name} ({again + 1})" if again else name
            found.append(BODY[space.points.shape[1]](name, space.points, piece))
        others = [name for name in space.boundaries if name not in planes]
        return cls(found, list(loose), walls, flats_of(space, others, walls), (seen[0], seen[1]))


def measured(
    spaces: Sequence[Any], walls: Sequence[str], planes: Sequence[str] = ()
) -> list[Walls]:
    """The walls of each member."""
    done: dict[int, Walls] = {}
    for space in spaces:
        if id(space) not in done:
            done[id(space)] = Walls.of(space, walls, planes)
    return [done[id(space)] for space in spaces]


def _in_plane(name: str, points: Floats, piece: Piece) -> Body:
    """A body in the plane as measured."""
    own = points[np.unique(piece.facets)]
    outline = _outline(points, piece.facets, piece.low, piece.high)
    return Body(name, longest(own), piece.low, piece.high, outline=outline, round=is_round(own))


def _of_space(name: str, points: Floats, piece: Piece) -> Body:
    """A body in space as measured."""
    planform, side = _seen(points, piece).tolist()
    chord, volume = longest_chord(points, piece.facets), -piece.content / 6
    seen = is_round(points[np.unique(piece.facets)][:, [0, 2]])
    return Body(name, planform, piece.low, piece.high, side, chord, volume=volume, round=seen)


BODY = {2: _in_plane, 3: _of_space}


def _outline(points: Floats, facets: NDArray[Any], low: Floats, high: Floats) -> Floats:
    """(2, STATIONS) least and largest y of curves where x is in the middle of even parts of their
    box; nan where there is none."""
    share = (np.arange(STATIONS) + 0.5) / STATIONS
    ends = points[facets]
    found = np.full((2, STATIONS), np.nan)
    for k, x in enumerate(low[0] + share * (high[0] - low[0])):
        left, right = (ends[:, end, 0] <= x for end in (0, 1))
        (x0, y0), (x1, y1) = (ends[left != right, end].T for end in (0, 1))
        if len(x0):
            y = y0 + (x - x0) / (x1 - x0) * (y1 - y0)
            found[:, k] = y.min(), y.max()
    return found


def extents(space: Any, kinds: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Box, and in the plane the outline, of the boundary of each kind of a mesh or cloud."""
    found: dict[str, dict[str, Any]] = {}
    for kind, names in kinds.items():
        each = [triangles_of(space.boundaries[n]) for n in names if n in space.boundaries]
        if not each:
            continue
        facets = np.concatenate(each)
        facets = facets[(facets >= 0).all(axis=1)]
        if not len(facets):
            continue
        low, high = reach(space.points[facets])
        found[kind] = {"from": low.tolist(), "to": high.tolist()}
        found[kind] |= OUTLINES[len(low)](space.points, facets, low, high)
    return found


def _told_outline(
    points: Floats, facets: NDArray[Any], low: Floats, high: Floats
) -> dict[str, list[Any]]:
    """Outline by its name; not of a line across the chord, such as an inlet."""
    outline = _outline(points, facets, low, high)
    return {"outline": outline.tolist()} if np.isfinite(outline).all() else {}


OUTLINES: dict[int, Callable[..., dict[str, list[Any]]]] = {2: _told_outline, 3: lambda *_: {}}


def _seen(points: Floats, piece: Piece) -> Floats:
    """(2,) half the sums of the facets' areas in space as seen along z and y."""
    area = area_vectors(points, piece.facets)
    found: Floats = np.abs(area[:, [2, 1]]).sum(axis=0) / 2
    return found


SEEN: dict[int, Callable[[Floats, Piece], Floats]] = {2: lambda *_: np.zeros(2), 3: _seen}


def longest_chord(points: Floats, facets: NDArray[Any]) -> float:
    """Longest chord of a body in space among its sections across y, its ends included.

    Parameters
    ----------
    facets : (k, 3)    of the body
    """
    pairs = np.sort(np.concatenate([facets[:, [0, 1]], facets[:, [1, 2]], facets[:, [2, 0]]]))
    one, other = np.moveaxis(points[np.unique(pairs, axis=0)], 1, 0)
    nodes = points[np.unique(facets)]
    low, high = nodes[:, 1].min(), nodes[:, 1].max()
    room = END * (high - low)
    ends = [nodes[np.abs(nodes[:, 1] - end) <= room] for end in (low, high)]
    found = [_width(own[:, [0, 2]]) for own in ends]
    for place in np.linspace(low, high, SECTIONS + 1)[1:-1]:
        cut = (one[:, 1] <= place) != (other[:, 1] <= place)
        a, b = one[cut], other[cut]
        share = (place - a[:, 1]) / (b[:, 1] - a[:, 1])
        found.append(_width((a + share[:, None] * (b - a))[:, [0, 2]]))
    return max(found)


def _width(points: Floats) -> float:
    """Largest width of points (n, 2) among `WAYS` directions of half a turn; 0 of none."""
    if not len(points):
        return 0.0
    angle = np.pi / WAYS * np.arange(WAYS)
    along = points @ np.stack([np.cos(angle), np.sin(angle)])
    return float(np.ptp(along, axis=0).max())


def longest(points: Floats) -> float:
    """Longest distance between two of the points (n, 2)."""
    low, high = points.min(axis=0), points.max(axis=0)
    off = np.hypot(*(points - 0.5 * (low + high)).T)
    # the other end is at most as far off the middle as any: nearer ones cannot span the box
    points = points[off >= (1 - NEAR) * (high - low).max() - off.max()]
    each = (np.hypot(*(points[k:] - points[k]).T).max() for k in range(len(points)))
    return float(max(each))


def is_round(points: Floats) -> bool:
    """True of a body (n, 2) as high as it is long, and as far along both diagonals."""
    x, y = points.T
    widths = [np.ptp(x), np.ptp(y), np.ptp(x + y) / np.sqrt(2), np.ptp(x - y) / np.sqrt(2)]
    return bool(max(widths) < (1 + ROUND) * min(widths))


def word_of_unit(bodies: Sequence[Body], chord: float = 1.0) -> str:
    """Name of a length: "diameter" where all bodies that are as long are round, else "chord"."""
    alike = [b for b in bodies if abs((b.chord or b.size) / chord - 1) < CHORD]
    return "diameter" if alike and all(body.round for body in alike) else "chord"
