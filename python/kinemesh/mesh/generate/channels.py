"""Meshes of channels between two walls: ducts, diffusers, nozzles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names, is_several, real
from kinemesh.errors import MeshError, did_you_mean, shown
from kinemesh.mesh.generate.extrude import halves
from kinemesh.mesh.generate.rectangles import rectangle
from kinemesh.mesh.generate.spacing import STEEPEST, positive, whole
from kinemesh.mesh.mesh import Mesh

Floats = NDArray[np.float64]
Wall = Callable[[Floats], Floats]
CELLS = ("quads", "triangles")
NODES = 2000
FEWEST = {"along": 8, "across": 3}
MOST = 10_000_000
BETWEEN = 10  # places in a cell at which walls must not cross
EXPECTED = "a number, points (x, y) that increase in x, or a function of x"


@checks_names
def channel(
    upper: Any,
    lower: Any = 0.0,
    length: float | None = None,
    nodes: int | None = None,
    along: int | None = None,
    across: int | None = None,
    wall_spacing: float | None = None,
    cells: str = "quads",
) -> Mesh:
    """Channel between two walls, from an inlet on the left to an outlet on the right.

    Columns of nodes are evenly apart in x; on each, nodes are evenly apart in y, or denser at both
    walls, y - lower ~ 1 + tanh(b (2 t - 1)) / tanh(b), 0 <= t <= 1.

    Parameters
    ----------
    upper, lower : number, (m, 2) points or function    heights y of the walls: the same all along;
        points (x, y) that increase in x, joined by cubics that do not overshoot (PCHIP); or a
        function of an array of x
    length : float        of the channel from x = 0, where neither wall is given by points, whose
        ends are those of the channel
    nodes : int           number of nodes, within a row or a column; default 2000
    along, across : int   nodes from end to end and from wall to wall, in place of `nodes` or one of
        them beside it; without either cells are about square where the channel has its mean height
    wall_spacing : float  height of the cells at both walls; default: all are as high
    cells : quads | triangles    triangles: quadrilaterals cut through their shorter diagonals

    Returns
    -------
    Mesh    markers `inlet`, `outlet`, `upper` and `lower`

    Raises
    ------
    MeshError    walls that cross, that are not finite or without points that increase in x; too few
        nodes; other arguments that no good mesh fulfils
    """
    if cells not in CELLS:
        hint = did_you_mean(cells, CELLS)
        raise MeshError(f"channel: cells = {cells!r}, expected one of {', '.join(CELLS)}{hint}")
    walls = {"upper": _wall("upper", upper), "lower": _wall("lower", lower)}
    first, last = _ends({name: ends for name, (_, ends) in walls.items()}, length)
    top, bottom = (_checked(name, wall) for name, (wall, _) in walls.items())
    fine = np.linspace(first, last, 513)
    mean = float(np.mean(_apart(top, bottom, fine)))
    columns, rows = _counts(nodes, along, across, (last - first) / mean)
    fine = np.linspace(first, last, BETWEEN * (columns - 1) + 1)
    _apart(top, bottom, fine)
    x = fine[::BETWEEN]
    low, high = bottom(x), top(x)
    share = _shares(rows - 1, high - low, wall_spacing)
    y = low + share * (high - low)
    y[0], y[-1] = low, high
    mesh = rectangle(
        np.broadcast_to(x, y.shape),
        y,
        lambda at: {
            "inlet": [at[:, 0]], "outlet": [at[:, -1]], "upper": [at[-1]], "lower": [at[0]],
        },
    )  # fmt: skip
    if cells == "triangles":
        mesh = Mesh.from_arrays(mesh.points, halves(mesh.points, mesh.quads), mesh.boundaries)
    return mesh.renumbered().numbered()


def _wall(name: str, given: Any) -> tuple[Wall, tuple[float, float] | None]:
    """Heights of a wall at places x, and its ends where it has some; MeshError for no wall."""
    if callable(given):
        return given, None
    if is_several(given):
        return _through(name, given)
    try:
        height = real(given)
    except (TypeError, ValueError, OverflowError):
        height = np.nan
    if not np.isfinite(height):
        raise MeshError(f"channel: {name} = {shown(given)}, expected {EXPECTED}")
    return lambda x: np.full(len(x), height), None


def _through(name: str, given: Any) -> tuple[Wall, tuple[float, float]]:
    """A wall through points (m, 2)."""
    from scipy.interpolate import PchipInterpolator  # which most meshes do not need

    try:
        points = _numbers(given)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
        raise MeshError(
            f"channel: {name} is {_told(given)}, expected two points (x, y) at least: (m, 2)"
        )
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(wrong):
        raise MeshError(
            f"channel: point {wrong[0]} of {name} is {points[wrong[0]].tolist()}, expected finite "
            "numbers"
        )
    back = np.flatnonzero(np.diff(points[:, 0]) <= 0)
    if len(back):
        k = int(back[0])
        raise MeshError(
            f"channel: points {k} and {k + 1} of {name} are at x = {points[k, 0]:g} and "
            f"{points[k + 1, 0]:g}, expected x that increases from the inlet to the outlet"
        )
    x, y = points.T
    return PchipInterpolator(x, y), (float(x[0]), float(x[-1]))


def _numbers(given: Any) -> Floats:
    """An array of floats; TypeError for texts, truth values and complex numbers."""
    found = np.array(given)
    if found.dtype.kind not in "iufO":
        raise TypeError(f"{found.dtype} are no heights")
    return found.astype(float)


def _told(given: Any) -> str:
    """Value given in the place of points, in one line."""
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype} of shape {given.shape}"
    return shown(given)


def _checked(name: str, wall: Wall) -> Wall:
    """A wall whose heights are finite numbers, one for each x; MeshError where they are not."""

    def heights(x: Floats) -> Floats:
        try:
            found = _numbers(wall(x.copy()))
        except Exception as error:
            raise MeshError(
                f"channel: {name} failed, {type(error).__name__}: {error}; expected a function of "
                f"an array of x, here {len(x)} from {x[0]:g} to {x[-1]:g}"
            ) from error
        if found.shape not in ((), x.shape):
            raise MeshError(
                f"channel: {name} gave numbers of shape {found.shape} for {len(x)} places, "
                "expected a height for each"
            )
        found = np.broadcast_to(found, x.shape)
        wrong = np.flatnonzero(~np.isfinite(found))
        if len(wrong):
            raise MeshError(
                f"channel: {name} is {found[wrong[0]]} at x = {x[wrong[0]]:g}, expected a finite "
                "height"
            )
        return found

    return heights


def _ends(given: dict[str, tuple[float, float] | None], length: Any) -> tuple[float, float]:
    """x of the inlet and the outlet; MeshError where they are not clear."""
    there = {name: ends for name, ends in given.items() if ends is not None}
    if not there:
        if length is None:
            raise MeshError("channel: nothing says how long it is, expected length, or points")
        return 0.0, positive("channel", "length", length)
    if length is not None:
        name, (first, last) = next(iter(there.items()))
        raise MeshError(
            f"channel: length = {length!r} beside points of {name} from x = {first:g} to {last:g}, "
            "which are its ends; leave length out"
        )
    ends = list(there.values())
    if len(set(ends)) > 1:
        told = " and ".join(f"of {name} from {a:g} to {b:g}" for name, (a, b) in there.items())
        raise MeshError(f"channel: points {told}, expected walls with the same ends in x")
    return ends[0]


def _apart(upper: Wall, lower: Wall, x: Floats) -> Floats:
    """Heights of the channel; MeshError where its walls cross or touch."""
    high, low = upper(x), lower(x)
    crossed = np.flatnonzero(~(high > low))
    if len(crossed):
        k = int(crossed[0])
        raise MeshError(
            f"channel: its walls cross at x = {x[k]:.4g}, where upper is {high[k]:.4g} and lower "
            f"{low[k]:.4g}; expected the upper one above the lower one"
        )
    return high - low


def _counts(nodes: Any, along: Any, across: Any, slender: float) -> tuple[int, int]:
    """Nodes along and across; `slender` : length over mean height."""
    given = {"along": along, "across": across}
    told = {n: whole("channel", n, v, FEWEST[n], MOST) for n, v in given.items() if v is not None}
    if nodes is not None and len(told) == 2:
        raise MeshError(
            f"channel: nodes = {nodes!r} beside along = {along} and across = {across}, expected at "
            "most two of them: the third follows"
        )
    if len(told) < 2:
        count = whole("channel", "nodes", NODES if nodes is None else nodes, 24, MOST)
        square = max(FEWEST["across"], round((count / slender) ** 0.5))
        told.setdefault("across", round(count / told["along"]) if "along" in told else square)
        told.setdefault("along", round(count / max(told["across"], 1)))
    if told["along"] * told["across"] > MOST or any(told[n] < FEWEST[n] for n in FEWEST):
        raise MeshError(
            f"channel: {told['along']} nodes along and {told['across']} across, expected at least "
            f"{FEWEST['along']} and {FEWEST['across']}, and at most {MOST:,} in all; ask for "
            "another number of nodes, along or across"
        )
    return told["along"], told["across"]


def _shares(steps: int, heights: Floats, wall_spacing: Any) -> Floats:
    """(steps + 1, columns) places across the channel, from 0 at the lower wall to 1."""
    t = np.linspace(0.0, 1.0, steps + 1)
    if wall_spacing is None:
        return np.repeat(t[:, None], len(heights), axis=1)
    first = positive("channel", "wall_spacing", wall_spacing)
    if steps == 2:
        raise MeshError(
            f"channel: wall_spacing = {first:g} with across = 3, whose two cells are as high as "
            "one another; expected 4 nodes across at least, or no wall_spacing"
        )
    if not first < heights.min() / steps:
        raise MeshError(
            f"channel: wall_spacing = {first:g}, expected less than {heights.min() / steps:.4g}, "
            f"the height of {steps} equal cells where the channel is lowest"
        )
    found = np.stack([_stretched(t, first / height) for height in heights], axis=1)
    jumps = np.diff(found, axis=0)
    growth = float((jumps[1:] / jumps[:-1]).max()) if steps > 1 else 1.0
    if growth > STEEPEST:
        raise MeshError(
            f"channel: {steps} cells across from wall_spacing = {first:g} grow by {growth:.3g} "
            f"each, expected at most {STEEPEST:g}: ask for more nodes across, or higher wall cells"
        )
    return found


def _stretched(t: Floats, first: float) -> Floats:
    """Places (1 + tanh(b (2 t - 1)) / tanh(b)) / 2, of which the first step is given."""
    from scipy.optimize import brentq

    def places(b: float) -> Floats:
        return 0.5 * (1.0 + np.tanh(b * (2.0 * t - 1.0)) / np.tanh(b))

    for end in (1e-6, 50.0):  # even but for round-off; steeper than `_shares` takes
        if (places(end)[1] - first) * (1.0 if end > 1.0 else -1.0) >= 0:
            return places(end)
    return places(brentq(lambda b: places(b)[1] - first, 1e-6, 50.0, xtol=1e-13))
