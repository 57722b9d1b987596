"""View of a flow: window, frame of reference, and range of the colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, did_you_mean
from kinemesh.plot.spaces import box_about

if TYPE_CHECKING:
    from kinemesh.results import Fields

Box = tuple[float, ...]
WINDOWS = ("body", "wake")
FRAMES = ("world", "body")
AHEAD, BEHIND, BESIDE = 1.0, 5.5, 1.5  # of a wake's window, in lengths of the largest body
ROUND = 2.5  # on all sides where there is no stream
SATURATED = 0.02  # share of a window that may be beyond the colours of vorticity
EVEN = 0.1  # of a value: half the range of what is constant but for SATURATED of a window
NICE = np.array([1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])


@dataclass(frozen=True, slots=True)
class View:
    """Window, range of colours and frame of reference in a picture of a flow.

    Parameters
    ----------
    window : "body", "wake" or (x0, x1, y0, y1) [chord]    default: of incompressible flow the
        wake, else the body
    range : (low, high)    values that the colours begin and end with; default: of vorticity as
        much on both sides as leaves a fiftieth of the window beyond, the stream's speed over the
        chord at least, else least and most
    frame : "world", "body" or the name of a body    a body's frame is that of the world when the
        first frame was kept, and moves with the body

    Raises
    ------
    CaseError    a window, range or frame that is none
    """

    window: str | Sequence[float] | None = None
    range: Sequence[float] | None = None
    frame: str = "world"

    def __post_init__(self) -> None:
        if isinstance(self.window, str):
            if self.window not in WINDOWS:
                near = did_you_mean(self.window, WINDOWS)
                raise CaseError(
                    f"view = {self.window!r}, expected {', '.join(WINDOWS)} or x0,x1,y0,y1{near}"
                )
        elif self.window is not None:
            x0, x1, y0, y1 = _numbers(self.window, 4, "view", "x0,x1,y0,y1")
            if not (x0 < x1 and y0 < y1):
                raise CaseError(f"view = {x0:g},{x1:g},{y0:g},{y1:g}, expected x0 < x1 and y0 < y1")
        if self.range is not None:
            low, high = _numbers(self.range, 2, "range", "low,high")
            if not low < high:
                raise CaseError(f"range = {low:g},{high:g}, expected the lower value first")

    @classmethod
    def of(cls, view: Any = None, range: Any = None, frame: str = "world") -> View:
        """View from a user's words in the shell, or arguments in Python."""
        return cls(_split(view, "view"), _split(range, "range"), frame)


def _split(given: Any, what: str) -> Any:
    """Numbers of a text with commas; anything else as it is."""
    if not isinstance(given, str) or "," not in given:
        if what == "range" and isinstance(given, str):
            raise CaseError(f"range = {given!r}, expected two numbers: low,high")
        return given
    try:
        return tuple(float(word) for word in given.split(","))
    except ValueError:
        raise CaseError(f"{what} = {given!r}, expected numbers between commas") from None


def _numbers(given: Sequence[float], count: int, what: str, words: str) -> list[float]:
    """So many finite numbers, or CaseError."""
    try:
        found = [float(value) for value in given]
    except (TypeError, ValueError):
        found = []
    if len(found) != count or not np.isfinite(found).all():
        raise CaseError(f"{what} = {given!r}, expected {count} finite numbers: {words}")
    return found


def window_of(
    view: View,
    points: NDArray[Any],
    walls: NDArray[Any],
    bodies: Sequence[NDArray[Any]] = (),
    stream: tuple[float, float] | None = None,
    stroke: Sequence[NDArray[Any]] = (),
) -> Box:
    """Limits (x0, x1, y0, y1) of a picture.

    Parameters
    ----------
    bodies : rows of `walls` of each body; default: one body
    stream : its direction, (0, 0) for a fluid at rest; None: of a gas, whose default is the body
    stroke : (k, 2) places of the walls at other times, which the window of a wake goes about too
    """
    window = view.window or ("body" if stream is None else "wake")
    if not isinstance(window, str):
        return tuple(map(float, window))
    if window == "body":
        return _within(points, *np.reshape(box_about(points, walls, 0.85), (2, 2)).T)
    return _wake(points, walls, bodies, np.array(stream or (1.0, 0.0)), stroke)


def _within(points: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> Box:
    """Window between two corners, within the extent of the flow."""
    pad = 0.02 * np.ptp(points, axis=0)
    (x0, y0) = np.maximum(low, points.min(axis=0) - pad)
    (x1, y1) = np.minimum(high, points.max(axis=0) + pad)
    return float(x0), float(x1), float(y0), float(y1)


def _wake(
    points: NDArray[Any],
    walls: NDArray[Any],
    bodies: Sequence[NDArray[Any]],
    stream: NDArray[np.float64],
    stroke: Sequence[NDArray[Any]] = (),
) -> Box:
    """Window of a wake, within the extent of the flow."""
    here = points[np.unique(walls)] if len(walls) else points
    shown = np.concatenate([here, *stroke])
    low, high = shown.min(axis=0), shown.max(axis=0)
    each = [points[np.unique(walls[rows])] for rows in bodies if len(rows)] or [here]
    size = max(float(np.ptp(body, axis=0).max()) for body in each)
    if stream.any():
        along = stream / np.linalg.norm(stream)
        behind, ahead = np.maximum(along, 0), np.maximum(-along, 0)
        low = low - size * np.maximum(BESIDE, AHEAD * behind + BEHIND * ahead)
        high = high + size * np.maximum(BESIDE, BEHIND * behind + AHEAD * ahead)
        first = int(np.argmax(np.abs(along)))  # ahead of the body less will do than beside it
        near = low if along[first] > 0 else high
        near[first] = (shown.min(axis=0) if along[first] > 0 else shown.max(axis=0))[first]
        near[first] -= np.sign(along[first]) * AHEAD * size
    else:
        low, high = low - ROUND * size, high + ROUND * size
    return _within(points, low, high)


def wake_of(
    stream: tuple[float, float] | None, flow: Fields, first: Fields
) -> tuple[float, float] | None:
    """Direction of a wake: the stream's, or in a fluid at rest opposite to the bodies' motion.

    (0, 0) of bodies that stay within half their length of where the first frame has them.
    """
    if stream is None or any(stream) or not len(flow.walls):
        return stream
    at = np.unique(flow.walls)
    way = first.points[at].mean(axis=0) - flow.points[at].mean(axis=0)
    size = np.ptp(flow.points[at], axis=0).max()
    return stream if np.hypot(*way) < size / 2 else (float(way[0]), float(way[1]))


def strongest(
    points: NDArray[Any], triangles: NDArray[Any], values: NDArray[Any], box: Box
) -> float:
    """Round number exceeded by at most a fiftieth of the area in a box.

    Twice as much of a constant, which then has a colour between those of 0 and of an end.
    """
    size = np.abs(values[triangles].mean(axis=1))
    found = float(_parted(size, areas(points, triangles, box), 1 - SATURATED))
    if not found > 0:
        return 1.0
    if constant(points, triangles, values, box) is not None:
        found *= 2
    return round_up(found)


def round_up(value: float) -> float:
    """The least round number from a value above 0 on: 0.8 of 0.796."""
    decade = 10 ** np.floor(np.log10(value))
    return float(decade * NICE[np.searchsorted(NICE, value / decade * (1 - 1e-9))])


def constant(
    points: NDArray[Any], triangles: NDArray[Any], values: NDArray[Any], box: Box
) -> tuple[float, float] | None:
    """Value that all but a fiftieth of a box is near to, and the deviation [-]; else None."""
    mean, area = values[triangles].mean(axis=1), areas(points, triangles, box)
    low, middle, high = (
        _parted(mean, area, share) for share in (SATURATED / 2, 0.5, 1 - SATURATED / 2)
    )
    if not high - low < 2 * EVEN * abs(middle):
        return None
    return middle, max(high - middle, middle - low) / abs(middle)


def areas(points: NDArray[Any], triangles: NDArray[Any], box: Box) -> NDArray[np.float64]:
    """Twice the area (triangles,) of triangles whose middle is in a box; 0 for others."""
    corner, (x, y) = points[triangles], points[triangles].mean(axis=1).T
    a, b = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    return np.where((x > box[0]) & (x < box[1]) & (y > box[2]) & (y < box[3]), area, 0.0)


def _parted(values: NDArray[Any], area: NDArray[Any], share: float) -> float:
    """The value that so much of the area lies at or below; the rest above."""
    order = np.argsort(-values)
    above = np.cumsum(area[order]) / max(float(area.sum()), 1e-300)
    return float(values[order[min(int(np.searchsorted(above, 1 - share)), len(order) - 1)]])


def in_frame(view: View, flow: Fields, first: Fields) -> NDArray[np.float64]:
    """Coordinates (nodes, 2) in the view's frame, which coincides with the world's at `first`."""
    if view.frame == "world":
        return flow.points
    name = next(iter(flow.bodies), "") if view.frame == "body" else view.frame
    if name not in flow.bodies:
        near = did_you_mean(view.frame, [*FRAMES, *flow.bodies])
        raise CaseError(
            f"frame = {view.frame!r}, expected {', '.join([*FRAMES, *flow.bodies])}{near}"
        )
    here, there = (f.points[np.unique(f.walls[f.bodies[name]])] for f in (flow, first))
    middle, origin = here.mean(axis=0), there.mean(axis=0)
    a, b = here - middle, there - origin  # a body is rigid: the turn that takes one to the other
    cosine = (a * b).sum()
    sine = (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()
    cosine, sine = np.array([cosine, sine]) / np.hypot(cosine, sine)
    return (flow.points - middle) @ np.array([[cosine, sine], [-sine, cosine]]) + origin
