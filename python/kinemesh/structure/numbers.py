"""Checked numbers of structures."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.arguments import real
from kinemesh.errors import SettingsError


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
