"""Stretched Cartesian meshes of quadrilaterals, the background of overset grids."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log, log1p, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names, real
from kinemesh.errors import MeshError, did_you_mean
from kinemesh.mesh.generate.rectangles import Ints, Rims, rectangle
from kinemesh.mesh.mesh import Mesh

Floats = NDArray[np.float64]
SIDES = ("left", "right", "bottom", "top")
STEEPEST = 1.5  # growth: ratio of neighbouring cells
MOST = 10_000_000  # nodes
NEAR = 1e-9  # of a cell: round-off of the user's numbers


@checks_names
def background(
    box: Sequence[float],
    core: Sequence[float],
    spacing: float,
    growth: float = 1.08,
    walls: Sequence[str] = (),
) -> Mesh:
    """Cartesian mesh of a box, uniform in a core, from where cells grow geometrically.

    Parameters
    ----------
    box : (x0, x1, y0, y1)     the mesh [chord]
    core : (x0, x1, y0, y1)    where cells are square, in the box; a side of the core is one of the
                               box, or at least a cell away from it [chord]
    spacing : float            length of the core's cells, of which a whole number fits: they are a
                               little shorter or longer [chord]
    growth : float             from 1 to 1.5: largest ratio of the lengths of a cell and of the one
                               before, from the core outwards
    walls : sequence           sides that are walls, of `left`, `right`, `bottom` and `top`

    Returns
    -------
    Mesh    markers `left`, `right`, `bottom` and `top`; the marker of a wall is `wall_left` and so
            on, as names of walls have the word wall

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    whole, inner = _rectangle("box", box), _rectangle("core", core)
    h, g = (_number(n, v) for n, v in (("spacing", spacing), ("growth", growth)))
    if not h > 0 or not 1 <= g <= STEEPEST:
        raise MeshError(
            f"background: spacing = {spacing!r}, growth = {growth!r}; expected a spacing above 0 "
            f"and a growth of 1 to {STEEPEST:g}"
        )
    names = _markers(walls)
    places = [(axis, whole[k : k + 2], inner[k : k + 2]) for axis, k in (("x", 0), ("y", 2))]
    counts = [_counts(axis, ends, core, h, g) for axis, ends, core in places]
    if prod(sum(count) + 1 for count in counts) > MOST:
        raise MeshError(
            f"background: {' by '.join(str(sum(c)) for c in counts)} cells, expected at most "
            f"{MOST:,} nodes; ask for a larger spacing, a larger growth or a smaller core"
        )
    x, y = (_line(*places[k][1:], counts[k]) for k in range(2))

    def rims(at: Ints) -> Rims:
        sides = ([at[:, 0]], [at[:, -1]], [at[0]], [at[-1]])
        return dict(zip(names, sides, strict=True))

    return rectangle(*np.meshgrid(x, y), rims).renumbered().numbered()


def _number(name: str, value: Any) -> float:
    try:
        found = real(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not np.isfinite(found):
        raise MeshError(f"background: {name} = {value!r}, expected a finite number")
    return found


def _rectangle(name: str, value: Any) -> list[float]:
    """x0, x1, y0, y1 of a rectangle with an area."""
    try:
        x0, x1, y0, y1 = (real(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        x0 = x1 = y0 = y1 = np.nan
    if not (np.isfinite([x0, x1, y0, y1]).all() and x0 < x1 and y0 < y1):
        raise MeshError(
            f"background: {name} = {value!r}, expected (x0, x1, y0, y1) with x0 < x1 and y0 < y1"
        )
    return [x0, x1, y0, y1]


def _markers(walls: Any) -> list[str]:
    """Markers of the sides."""
    listed = not isinstance(walls, str) and isinstance(walls, Sequence | set | frozenset)
    wrong = [n for n in walls if n not in SIDES] if listed else []
    if not listed or wrong:
        hint = did_you_mean(wrong[0], SIDES) if wrong else ""
        raise MeshError(
            f"background: walls = {walls!r}, expected a list of sides of {', '.join(SIDES)}{hint}"
        )
    return [f"wall_{name}" if name in walls else name for name in SIDES]


def _counts(
    axis: str, ends: list[float], core: list[float], spacing: float, growth: float
) -> tuple[int, int, int]:
    """Cells before, in and after the core, along one axis."""
    inside = core[1] - core[0]
    count = round(inside / spacing)
    if count < 1:
        raise MeshError(
            f"background: spacing = {spacing:g}, but the core is {inside:g} long in {axis}; "
            "expected a cell in it"
        )
    h = inside / count
    margins = (core[0] - ends[0], ends[1] - core[1])
    if any(m < -NEAR * h or NEAR * h < m < (1 - NEAR) * h for m in margins):
        raise MeshError(
            f"background: core = {core} in a box = {ends} in {axis}; expected it in the box, and "
            f"each of its sides on the box's or at least a cell of {h:.4g} away"
        )
    before, after = (_layers(m / h, growth) for m in margins)
    return before, count, after


def _layers(length: float, growth: float) -> int:
    """Fewest cells of `growth` times the length of the one before that fill `length` first ones."""
    if length < NEAR:
        return 0
    g = growth - 1
    return max(1, ceil((log1p(length * g / growth) / log(growth) if g > NEAR else length) - NEAR))


def _line(ends: list[float], core: list[float], counts: tuple[int, int, int]) -> Floats:
    """(cells + 1,) places along one axis."""
    before, count, after = counts
    inner = np.linspace(core[0], core[1], count + 1)
    h = (core[1] - core[0]) / count
    low = core[0] - _margin(core[0] - ends[0], h, before)[::-1]
    high = core[1] + _margin(ends[1] - core[1], h, after)
    x = np.concatenate([low, inner, high])
    x[0], x[-1] = ends
    return x


def _margin(length: float, h: float, count: int) -> Floats:
    """(count,) distances from the core, the last of them `length`, in steps that grow from h."""
    from scipy.optimize import brentq  # which most meshes do not need

    if not count:
        return np.empty(0)
    k = np.arange(1, count + 1)
    ratio = brentq(lambda r: h * (r**k).sum() - length, 0.5, 1.01 * STEEPEST, xtol=1e-14)
    return np.cumsum(h * ratio**k)
