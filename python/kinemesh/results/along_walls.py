"""Flow of a viscous gas along walls: pressure, friction, y+ and heat, node by node."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.brief import Brief
from kinemesh.io.whole import replace
from kinemesh.results.sections import extreme

if TYPE_CHECKING:
    from kinemesh.results.flow_fields import Fields

FloatArray = NDArray[np.float64]
KEPT = {"cp": "Cp", "cf": "Cf", "y_plus": "YPlus", "heat_flux": "HeatFlux"}
"""Names of what field files have at the nodes of walls, by those of `Wall`."""
KEPT_IN = {2: KEPT, 3: KEPT | {"friction": "Friction"}}
"""The same by dimensions."""


@dataclass(frozen=True, eq=False, repr=False)
class Wall(Brief):
    """Flow on the wall of one body, in arrays (nodes,).

    Nodes follow each other along the wall, the fluid on the left; a closed wall begins at its
    trailing edge.  In space they are in the order of the user's file.  Of a solver on cells they
    are the middles of faces; read back from fields in space, nodes with means of the cells there.

    Parameters
    ----------
    x, y : places [chord]
    cp : pressure coefficient [-]
    cf : friction over the dynamic pressure of the stream [-], positive where the gas goes
        downstream; in space its part downstream along the wall
    y_plus : height of the wall's first cells in units of nu / u_tau [-]
    heat_flux : from the gas into the wall [rho_inf a_inf^3]; 0 where no heat passes
    z : third coordinate in space [chord], None in the plane
    friction : (nodes, 3) friction as a vector over that pressure in space [-], None in the plane
    """

    x: FloatArray
    y: FloatArray
    cp: FloatArray
    cf: FloatArray
    y_plus: FloatArray
    heat_flux: FloatArray
    z: FloatArray | None = None
    friction: FloatArray | None = None
    source: Any = field(default=None, repr=False, compare=False)  # run and member, for titles

    def columns(self) -> dict[str, FloatArray]:
        """(nodes,) of each column of the CSV file."""
        found = {own.name: getattr(self, own.name) for own in fields(self) if own.repr}
        place, friction = found.pop("z"), found.pop("friction")
        if place is None or friction is None:
            return found
        x, y, cp, cf, *others = found.items()
        vector = {f"cf_{axis}": own for axis, own in zip("xyz", friction.T, strict=True)}
        return dict([x, y, ("z", place), cp, cf]) | vector | dict(others)

    @classmethod
    def at(cls, places: FloatArray, values: Mapping[str, FloatArray]) -> Wall:
        """Flow at places (nodes, d) by the other arguments."""
        x, y, *z = places.T
        return cls(x, y, **values, **dict(zip("z", z, strict=False)))


def nodes_of(
    walls: NDArray[Any], points: FloatArray, original: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """Nodes of the facets of a wall in the order of a table.

    Parameters
    ----------
    walls : (k, 2) edges; in space faces, -1 behind the corners of a triangle
    points : (n, d);  original : (n,) numbers of the points in the user's file; None: their own
    """
    return NODES[points.shape[1]](walls, points, original)


def _in_order(
    walls: NDArray[Any], points: FloatArray, original: NDArray[Any] | None
) -> NDArray[np.int64]:
    """Nodes of faces by their numbers in the user's file."""
    del points
    found = np.unique(walls[walls >= 0]).astype(np.int64)
    return found if original is None else found[np.argsort(original[found])]


NODES: dict[int, Callable[..., NDArray[np.int64]]] = {
    2: lambda walls, points, original: along(walls, points),
    3: _in_order,
}
"""Nodes of the facets of a wall, by dimensions."""


def along(walls: NDArray[Any], points: NDArray[Any]) -> NDArray[np.int64]:
    """Nodes of wall edges (k, 2) one after the other: open walls, then closed ones."""
    after = dict(walls.tolist())
    ends = set(after.values())
    starts = [node for node in after if node not in ends]
    found: list[int] = []
    while after:
        first = starts.pop(0) if starts else rearmost(after, points)
        at: int | None = first
        while at is not None and not (at == first and first not in after):
            found.append(at)
            at = after.pop(at, None)
    return np.array(found, np.int64)


def rearmost(after: Mapping[int, int], points: NDArray[Any]) -> int:
    """First node of closed walls: the rearmost, of a blunt edge the corner behind which none is.

    Parameters
    ----------
    after : node that follows each node
    points : (n, 2)
    """
    nodes = np.array(list(after))
    there = nodes[extreme(points[nodes, 0])]
    last = there[~np.isin([after[node] for node in there.tolist()], there)]
    least = last if len(last) else there
    return int(least[np.argmin(points[least, 1])])


def walls(frame: Fields) -> dict[str, Wall]:
    """Flow on the wall of each body in one frame, by marker; CaseError without friction."""
    kept, frame = KEPT_IN[frame.points.shape[1]], frame.at_walls()
    missing = [name for name in kept.values() if name not in frame]
    if missing:
        raise CaseError(
            f"walls: the fields have no {', '.join(missing)}, as those of a viscous gas have; "
            f"there are {', '.join(frame)}"
        )
    found = {}
    for marker, rows in frame.bodies.items():
        nodes = nodes_of(frame.walls[rows], frame.points)
        values = {name: frame[of][nodes] for name, of in kept.items()}
        found[marker] = Wall.at(frame.points[nodes], values)
    return found


def write(path: Path, found: Mapping[str, Wall]) -> None:
    """Write a CSV file with a row per body and wall node."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    tables = {marker: wall.columns() for marker, wall in found.items()}
    names = next(iter(tables.values()), dict.fromkeys(["x", "y", *KEPT]))
    out.writerow(["body", *names])
    for marker, table in tables.items():
        rows: Any = zip(*(values.tolist() for values in table.values()), strict=True)
        out.writerows([marker, *row] for row in rows)
    replace(path, text.getvalue().encode())
