"""Time steps that warnings of a run advise, in the words of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, log10


def smaller_step(share: float, time_step: float, steps_per_cycle: int | None) -> tuple[str, float]:
    """Argument of a run and its value, for steps that are at most `share` of the present ones.

    Values have two digits; of a run by cycles the argument is steps_per_cycle, else time_step.
    """
    if steps_per_cycle is None:
        return "time_step", _two_digits(time_step * share, floor)
    return "steps_per_cycle", int(_two_digits(steps_per_cycle / share, ceil, least=1.0))


def _two_digits(value: float, whole: Callable[[float], int], least: float = 0.0) -> float:
    unit = max(10.0 ** (floor(log10(value)) - 1), least)
    # a whole number of units may lie a rounding beside it
    return float(f"{whole(round(value / unit, 6)) * unit:.12g}")
