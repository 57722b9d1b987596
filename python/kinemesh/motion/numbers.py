"""Numbers of poses and motions, checked; turns of many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import SettingsError

FloatArray = NDArray[np.float64]
LARGEST = 1e100  # of a pose: far below 1e154, whose square is no number


def finite(owner: str, name: str, value: float) -> float:
    """A finite float, or an error that names owner and argument; texts are no numbers."""
    if type(value) is float and isfinite(value):  # as nearly always; ensembles ask very often
        return value
    try:
        number = float(value) if np.asarray(value).dtype.kind in "iufO" else float("nan")
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number):
        raise SettingsError(f"{owner}: {name} = {value!r}, expected a finite number")
    return number


def positive(owner: str, name: str, value: float) -> float:
    number = finite(owner, name, value)
    if number <= 0:
        raise SettingsError(f"{owner}: {name} = {value!r}, expected a number above 0")
    if not 1 / LARGEST <= number <= LARGEST:
        raise SettingsError(
            f"{owner}: {name} = {value!r}, expected between {1 / LARGEST:g} and {LARGEST:g}, as "
            "products of it must be numbers"
        )
    return number


def bounded(owner: str, name: str, value: float) -> float:
    number = finite(owner, name, value)
    if abs(number) > LARGEST:
        raise SettingsError(
            f"{owner}: {name} = {value!r}, expected at most {LARGEST:g}, as its square must be a "
            "number"
        )
    return number


def pair(
    owner: str, name: str, value: Sequence[float], entry: Callable[..., float] = bounded
) -> tuple[float, float]:
    try:
        x, y = value
    except (TypeError, ValueError):
        raise SettingsError(
            f"{owner}: {name} = {value!r}, expected two numbers (x, y), in space (x, z), or of a "
            "place in space (x, y, z)"
        ) from None
    return entry(owner, name, x), entry(owner, name, y)


def place(
    owner: str, name: str, value: Sequence[float], entry: Callable[..., float] = bounded
) -> tuple[float, ...]:
    """Two numbers of the plane of motion, or three of space."""
    if isinstance(value, Sequence | np.ndarray) and len(value) == 3:
        x, y, z = value
        return entry(owner, name, x), entry(owner, name, y), entry(owner, name, z)
    return pair(owner, name, value, entry)


def several(owner: str, name: str, value: Sequence[float] | float) -> tuple[float, ...]:
    """Finite numbers, of one number a tuple of it."""
    if type(value) is tuple and not value:  # as nearly always
        return value
    found = np.asarray(value) if not isinstance(value, str) else np.empty((0, 0))
    if found.ndim > 1:
        raise SettingsError(f"{owner}: {name} = {value!r}, expected a number, or a row of numbers")
    return tuple(bounded(owner, name, entry) for entry in np.atleast_1d(found).tolist())


def unit(owner: str, name: str, value: Sequence[float]) -> tuple[float, float, float]:
    """Three numbers as a vector of length 1; SettingsError for a length of 0."""
    try:
        x, y, z = (finite(owner, name, entry) for entry in value)
    except (TypeError, ValueError) as error:
        if isinstance(error, SettingsError):
            raise
        raise SettingsError(f"{owner}: {name} = {value!r}, expected (x, y, z)") from None
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0:
        raise SettingsError(f"{owner}: {name} = (0, 0, 0), expected a vector with a length")
    length = largest * sqrt(sum((c / largest) ** 2 for c in (x, y, z)))
    return x / length, y / length, z / length


def lifted(vector: Sequence[float]) -> tuple[float, float, float]:
    """(x, y, z) of a place or vector, of one of the plane of motion (x, z) at y = 0."""
    return tuple(vector) if len(vector) == 3 else (vector[0], 0.0, vector[1])  # type: ignore[return-value]


def turns(angle: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Cosine and sine of angles (...) [rad], with the bits of `math.cos` and `math.sin`.

    The complex exponential is the C library's, one number after another.  `np.sin` is vectorised in
    some versions on some processors, and its bits are then others, and may depend on the place.
    """
    power = np.zeros(np.shape(angle), complex)
    power.imag = angle
    with np.errstate(invalid="ignore"):  # of angles that are no numbers
        found = np.exp(power)
    return found.real.copy(), found.imag.copy()  # each number beside the next one


def numbers_of(bodies: Sequence[int]) -> NDArray[np.int64] | slice:
    """Index of bodies in arrays: a slice where one follows the other, which is not copied."""
    own = range(bodies[0], bodies[0] + len(bodies))
    return slice(own.start, own.stop) if list(own) == list(bodies) else np.array(bodies)
