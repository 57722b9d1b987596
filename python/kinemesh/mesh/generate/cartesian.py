"""Stretched Cartesian meshes of quadrilaterals or hexahedra, the background of overset grids."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log, log1p, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names, real
from kinemesh.errors import MeshError, did_you_mean
from kinemesh.mesh.generate.rectangles import Ints, Rims, box_of, rectangle
from kinemesh.mesh.mesh import Mesh

Floats = NDArray[np.float64]
AXES = {4: "xy", 6: "xyz"}  # by the numbers of a box
SIDES = {4: ("left", "right", "bottom", "top"),
         6: ("left", "right", "front", "back", "bottom", "top")}  # fmt: skip
WORDS = {"walls": "wall", "symmetry": "symmetry"}  # before sides, in their markers
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
    symmetry: Sequence[str] = (),
) -> Mesh:
    """Cartesian mesh of a box, uniform in a core, from where cells grow geometrically.

    Parameters
    ----------
    box : (x0, x1, y0, y1)     the mesh; in space (x0, x1, y0, y1, z0, z1) [chord]
    core : likewise            where cells are square, or cubes, in the box; a side of the core is
                               one of the box, or at least a cell away from it [chord]
    spacing : float            length of the core's cells, of which a whole number fits: they are a
                               little shorter or longer [chord]
    growth : float             from 1 to 1.5: largest ratio of the lengths of a cell and of the one
                               before, from the core outwards
    walls : sequence           sides that are walls, of `left`, `right`, `bottom` and `top`, in
                               space of `front` (y0) and `back` too
    symmetry : sequence        sides that are planes of symmetry

    Returns
    -------
    Mesh    a marker for each side; that of a wall is `wall_left` and so on, as names of walls have
            the word wall, that of a plane of symmetry `symmetry_left`

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    whole = _box("box", box)
    inner = _box("core", core, whole)
    h, g = (_number(n, v) for n, v in (("spacing", spacing), ("growth", growth)))
    if not h > 0 or not 1 <= g <= STEEPEST:
        raise MeshError(
            f"background: spacing = {spacing!r}, growth = {growth!r}; expected a spacing above 0 "
            f"and a growth of 1 to {STEEPEST:g}"
        )
    names = _markers(SIDES[len(whole)], walls=walls, symmetry=symmetry)
    axes = enumerate(AXES[len(whole)])
    places = [(axis, whole[2 * k : 2 * k + 2], inner[2 * k : 2 * k + 2]) for k, axis in axes]
    counts = [_counts(axis, ends, core, h, g) for axis, ends, core in places]
    if prod(sum(count) + 1 for count in counts) > MOST:
        raise MeshError(
            f"background: {' by '.join(str(sum(c)) for c in counts)} cells, expected at most "
            f"{MOST:,} nodes; ask for a larger spacing, a larger growth or a smaller core"
        )
    lines = [_line(*own[1:], count) for own, count in zip(places, counts, strict=True)]

    def rims(at: Ints) -> Rims:
        sides = ([at[:, 0]], [at[:, -1]], [at[0]], [at[-1]])
        return dict(zip(names, sides, strict=True))

    if len(lines) == 2:
        x, y = np.meshgrid(*lines)
        made = rectangle(x, y, rims)
    else:
        made = box_of(lines, names)
    return made.renumbered().numbered()


def _number(name: str, value: Any) -> float:
    try:
        found = real(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not np.isfinite(found):
        raise MeshError(f"background: {name} = {value!r}, expected a finite number")
    return found


def _box(name: str, value: Any, around: Sequence[float] = ()) -> list[float]:
    """Least and largest coordinates along each axis of a box, or of one in a box around."""
    count = len(around)
    try:
        found = [real(v) for v in value]
    except (TypeError, ValueError, OverflowError):
        found = []
    known = len(found) in ([count] if count else AXES)
    if not (known and np.isfinite(found).all() and (np.diff(found)[::2] > 0).all()):
        if count and len(found) in AXES and len(found) != count:
            raise MeshError(
                f"background: box = {around} has {count} numbers and core = {value!r} has "
                f"{len(found)}, expected 4 of both in the plane, or 6 of both in space"
            )
        own = [AXES[count]] if count else AXES.values()
        each = [", ".join(f"{a}0, {a}1" for a in axes) for axes in own]
        ends = " and ".join(f"{a}0 < {a}1" for a in "xy")
        raise MeshError(
            f"background: {name} = {value!r}, expected "
            f"{' or in space '.join(f'({names})' for names in each)} with {ends}"
        )
    return found


def _markers(sides: Sequence[str], **named: Any) -> list[str]:
    """Markers of the sides; `named` by what they are."""
    found = dict(zip(sides, sides, strict=True))
    for what, own in named.items():
        listed = not isinstance(own, str) and isinstance(own, Sequence | set | frozenset)
        wrong = [n for n in own if n not in sides] if listed else []
        if not listed or wrong:
            hint = did_you_mean(wrong[0], sides) if wrong else ""
            raise MeshError(
                f"background: {what} = {own!r}, expected a list of sides of {', '.join(sides)}"
                f"{hint}"
            )
        twice = [n for n in own if found[n] != n]
        if twice:
            raise MeshError(f"background: sides {twice} are both walls and symmetry, expected one")
        found |= {n: f"{WORDS[what]}_{n}" for n in own}
    return list(found.values())


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
