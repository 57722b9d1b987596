"""The common period of motions that are added up."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

ORDERS = 24  # most cycles of one part to the common period


def common_omega(values: Sequence[float]) -> float | None:
    """Angular frequency of the shortest common period of these frequencies.

    None where that period is longer than `ORDERS` periods of one of the motions.
    """
    first = values[0]
    if max(values) > 2 * ORDERS * min(values):
        return None
    ratios = [Fraction(v / first).limit_denominator(ORDERS) for v in values]
    exact = all(abs(v - float(r) * first) <= 1e-9 * v for v, r in zip(values, ratios, strict=True))
    numerator = gcd(*(r.numerator for r in ratios))
    denominator = lcm(*(r.denominator for r in ratios))
    whole = [r / Fraction(numerator, denominator) for r in ratios]
    if not exact or max(whole) > ORDERS:
        return None
    return first * numerator / denominator
