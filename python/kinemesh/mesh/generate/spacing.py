"""Spacing normal to walls, for viscous flow: first height, growth and number of layers."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log, log1p
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names, real
from kinemesh.errors import MeshError, SettingsError

LEAST, STEEPEST = 1.01, 1.5  # growth that may be asked for
DEFAULT = 1.24  # growth without `growth` and `layers` is at most this
FEWEST = 8  # layers


@checks_names
def wall_spacing(reynolds: float, y_plus: float = 1.0, chord: float = 1.0) -> float:
    """Height of the wall cells that gives a y+ on a turbulent flat plate.

    cf = 0.026 Re^(-1/7),    y = y+ chord / (Re sqrt(cf / 2))

    Parameters
    ----------
    reynolds : float    Reynolds number of the chord
    y_plus : float      y+ at that height
    chord : float       length that the Reynolds number refers to, in the units of the mesh

    Raises
    ------
    SettingsError    for what is no finite number above 0
    """
    re, y, c = (
        _positive(n, v) for n, v in (("reynolds", reynolds), ("y_plus", y_plus), ("chord", chord))
    )
    return float(y * c / (re * np.sqrt(0.5 * 0.026 * re ** (-1.0 / 7.0))))


def _positive(name: str, value: Any) -> float:
    try:
        found = real(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not (isfinite(found) and found > 0):
        raise SettingsError(f"wall_spacing: {name} = {value!r}, expected a finite number above 0")
    return found


def positive(owner: str, name: str, value: Any) -> float:
    """A finite number above 0; MeshError for all else."""
    try:
        return _positive(name, value)
    except SettingsError:
        raise MeshError(f"{owner}: {name} = {value!r}, expected a finite number above 0") from None


def whole(owner: str, name: str, value: Any, low: int, high: int) -> int:
    """A whole number from low to high; MeshError for all else."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise MeshError(f"{owner}: {name} = {value!r}, expected a whole number")
    if not low <= value <= high:
        raise MeshError(f"{owner}: {name} = {value!r}, expected {low} to {high}")
    return int(value)


@dataclass(frozen=True, slots=True)
class Normal:
    """Arguments that say how layers grow from a wall, any two of three, or the first height.

    Parameters
    ----------
    first : float or None     height of the wall cells
    growth : float or None    largest ratio of the heights of successive layers
    layers : int or None      layers from the wall to the far side
    """

    owner: str
    first: float | None
    growth: float | None
    layers: int | None

    @classmethod
    def of(
        cls,
        owner: str,
        wall_spacing: float | None,
        y_plus: float | None,
        reynolds: float | None,
        growth: float | None,
        layers: int | None,
    ) -> Normal:
        """The arguments, checked."""
        if (y_plus is None) != (reynolds is None):
            raise MeshError(
                f"{owner}: y_plus = {y_plus!r}, reynolds = {reynolds!r}; expected both or neither"
            )
        if y_plus is not None and wall_spacing is not None:
            raise MeshError(f"{owner}: wall_spacing and y_plus are given, expected one of them")
        first = None if wall_spacing is None else positive(owner, "wall_spacing", wall_spacing)
        if y_plus is not None and reynolds is not None:
            first = _first(positive(owner, "reynolds", reynolds), positive(owner, "y_plus", y_plus))
        if growth is not None and not LEAST <= positive(owner, "growth", growth) <= STEEPEST:
            raise MeshError(f"{owner}: growth = {growth!r}, expected {LEAST:g} to {STEEPEST:g}")
        if layers is not None:
            layers = whole(owner, "layers", layers, FEWEST, 10_000)
        if first is None and (growth is None or layers is None):
            raise MeshError(
                f"{owner}: nothing says how high the wall cells are, expected wall_spacing, or "
                "y_plus with reynolds, or growth with layers"
            )
        if first is not None and growth is not None and layers is not None:
            raise MeshError(
                f"{owner}: wall_spacing (or y_plus), growth and layers are given, expected two of "
                "them: the third follows"
            )
        return cls(owner, first, None if growth is None else float(growth), layers)

    @property
    def fixed(self) -> bool:
        """True where two of the three are given."""
        return sum(v is not None for v in (self.first, self.growth, self.layers)) == 2

    def solved(self, height: float, likely: int) -> tuple[float, int]:
        """First height and number of layers that fill `height`; `likely` layers if free to choose.

        Then growth is at most DEFAULT, with more layers where these were too few.
        """
        first, layers = self.first, self.layers
        if first is None:
            assert layers is not None
            assert self.growth is not None
            return height * (self.growth - 1) / (self.growth**layers - 1), layers
        if not first < height:
            raise MeshError(
                f"{self.owner}: the wall cells are {first:g} high, expected less than the "
                f"{height:g} to the far side"
            )
        if layers is None:
            layers = _count(height / first, self.growth or DEFAULT)
            if self.growth is None:
                layers = max(layers, likely)
            layers = max(layers, FEWEST)
        ratio = growth_of(height / first, layers)
        if not LEAST <= ratio <= STEEPEST:
            raise MeshError(
                f"{self.owner}: {layers} layers from {first:.3g} at the wall to {height:g} grow by "
                f"{ratio:.4g} each, expected {LEAST:g} to {STEEPEST:g}: ask for "
                f"{'fewer' if ratio < LEAST else 'more'} layers"
            )
        return first, layers


def _first(reynolds: float, y_plus: float) -> float:
    return wall_spacing(reynolds, y_plus)  # past arguments of that name


def _count(length: float, growth: float) -> int:
    """Fewest steps, growing by at most `growth` from 1, that fill a length."""
    return int(np.ceil(log1p(length * (growth - 1)) / log(growth) - 1e-9))


def growth_of(length: float, steps: int) -> float:
    """Ratio of `steps` steps that grow from 1 and add up to a length; below 1 they shrink."""
    from scipy.optimize import brentq  # which meshes that are read do not need

    k = np.arange(steps)
    if steps < 2 or length <= 1.0:
        return 0.0
    with np.errstate(over="ignore"):
        return float(brentq(lambda g: min(1e300, (g**k).sum()) - length, 1e-9, 1e3, xtol=1e-15))


def grown(first: float, length: float, steps: int) -> np.ndarray:
    """(steps + 1,) places from 0 to a length in steps that grow geometrically from the first."""
    ratio = growth_of(length / first, steps)
    places = np.concatenate([[0.0], np.cumsum(first * ratio ** np.arange(steps))])
    places[-1] = length
    return places
