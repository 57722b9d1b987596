"""Checked numbers of structures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kinemesh.arguments import real
from kinemesh.errors import SettingsError

LARGEST_DAMPING = 0.5  # of g; more is no small damping of a mode


def above(owner: str, name: str, value: Any, least: float | None = None) -> float:
    """A finite number, above `least` where there is one; SettingsError for others."""
    try:
        number = real(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number) or (least is not None and number <= least):
        expected = "a finite number" if least is None else f"a number above {least:g}"
        raise SettingsError(f"{owner}: {name} is {value!r}, expected {expected}")
    return number


def point(owner: str, name: str, value: Any) -> tuple[float, float]:
    """Two finite numbers of a point in the plane; SettingsError for others."""
    if np.ndim(value) != 1 or len(value) != 2:
        raise SettingsError(f"{owner}: {name} is {value!r}, expected two numbers, x and y")
    return above(owner, f"{name}[0]", value[0]), above(owner, f"{name}[1]", value[1])


def check_damping(owner: str, value: Any, each: Iterable[float]) -> None:
    """SettingsError for a structural damping g out of its range; `value` : as it was given."""
    if not all(0 <= g <= LARGEST_DAMPING for g in each):
        raise SettingsError(
            f"{owner}: damping is {value!r}, expected structural damping g from 0 to "
            f"{LARGEST_DAMPING:g}, twice the share of critical damping"
        )
