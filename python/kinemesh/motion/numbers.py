"""Numbers of poses and motions, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np

from kinemesh.errors import SettingsError

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
            f"{owner}: {name} = {value!r}, expected two numbers (x, y), in space (x, z)"
        ) from None
    return entry(owner, name, x), entry(owner, name, y)
