"""A condition at the boundary that carries numbers, and checks of these."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError

GAS, INCOMPRESSIBLE = "a gas", "incompressible flow"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition at the boundary, with its numbers."""

    kind: ClassVar[str]
    flow: ClassVar[str] = GAS

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            object.__setattr__(self, field.name, number(self.kind, field.name, value))

    @property
    def numbers(self) -> dict[str, Any]:
        """Numbers that are given, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if value is not None}

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Values at a node, by the names that kernels have for them; none of what has no kernel."""
        return {}


def real(value: Any) -> float:
    """A real number as a float; nan for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def finite(kind: str, name: str, value: Any) -> float:
    """A finite number; SettingsError for all else."""
    found = real(value)
    if not np.isfinite(found):
        raise SettingsError(f"{kind}: {name} is {short(value)}, expected a finite number")
    return found


def number(kind: str, name: str, value: Any) -> float:
    """An angle, or a number above 0; SettingsError for all else."""
    if name == "alpha_deg":
        return finite(kind, name, value)
    found = real(value)
    if not 0.0 < found < np.inf:
        raise SettingsError(f"{kind}: {name} is {short(value)}, expected a number above 0")
    return found


def short(value: Any) -> str:
    """The value as Python writes it, cut where that is long."""
    told = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "beyond all floats"
    return told if len(told) < 60 else f"{told[:57]}..."
