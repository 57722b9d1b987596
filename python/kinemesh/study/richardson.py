"""Order of accuracy, Richardson's extrapolation and grid-convergence index of three sizes.

After Celik, Ghia, Roache, Freitas, Coleman and Raad, Procedure for Estimation and Reporting of
Uncertainty Due to Discretization in CFD Applications, J. Fluids Eng. 130 (2008) 078001, and
Roache, Perspective: A Method for Uniform Reporting of Grid Refinement Studies, J. Fluids Eng. 116
(1994) 405.  With sizes of cells h1 < h2 < h3, r21 = h2/h1, r32 = h3/h2 and values v1, v2, v3:
    e21 = v2 - v1,  e32 = v3 - v2,  s = sign(e32/e21),
    p ln r21 = ln|e32/e21| + ln((r21^p - s)/(r32^p - s)),
    extrapolated = (r21^p v1 - v2)/(r21^p - 1),
    index = 1.25 |e21/v1| / (r21^p - 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

CELLS, STEP = "size of the cells", "time step"
SAFETY = 1.25  # of three sizes (Roache)
LOW, HIGH = 0.5, 3.0  # orders beyond which sizes are far from the range where errors go with h^p
MOST = 50.0  # order beyond which differences fall faster than any scheme's
LEAST = 1e-3  # order below which nothing converges


@dataclass(frozen=True, slots=True)
class Order:
    """Convergence of one quantity over three sizes.

    Parameters
    ----------
    order : float or None         observed order of accuracy; None where there is none, and `why`
    extrapolated : float or None  value at cells of size 0
    uncertainty : float or None   1.25 |e21| / (r21^p - 1), in the units of the quantity
    index : float or None         grid-convergence index of the finest size, `uncertainty` over the
        size of its value; None of a value that is 0
    error : float or None         approximate relative error |e21/v1|
    extrapolated_error : float or None    relative error |1 - v1/extrapolated|
    oscillatory : bool            differences change sign from size to size
    why : str                     reason why there is no order, or to mistrust it; empty if none
    """

    order: float | None
    extrapolated: float | None
    uncertainty: float | None
    index: float | None
    error: float | None
    extrapolated_error: float | None
    oscillatory: bool
    why: str = ""

    @property
    def plausible(self) -> bool:
        """True of an order near enough to those of schemes that extrapolated value and index say
        something."""
        return self.order is not None and LOW <= self.order <= HIGH


def order_of(
    values: Sequence[float],
    sizes: Sequence[float],
    noise: Sequence[float] = (0.0, 0.0, 0.0),
    of: str = CELLS,
) -> Order:
    """Convergence of three values, the finest first.

    Parameters
    ----------
    values : (3,);  sizes : (3,)    of the cells, or time steps, in any unit
    noise : (3,)    by how much each value is uncertain on its own size
    of : what the sizes are of, in the reason of an absent order
    """
    v1, v2, v3 = values
    e21, e32 = v2 - v1, v3 - v2
    r21, r32 = sizes[1] / sizes[0], sizes[2] / sizes[1]
    error = abs(e21 / v1) if v1 else None
    oscillatory = e21 * e32 < 0
    if abs(e21) <= noise[0] + noise[1] or abs(e32) <= noise[1] + noise[2]:
        why = "values equal to within the convergence of the runs"
        return Order(None, None, None, None, error, None, oscillatory, why)
    order = _order(abs(e32 / e21), r21, r32, -1 if oscillatory else 1)
    if order is None:
        why = f"differences do not fall with the {of}"
        why = f"oscillatory; {why}" if oscillatory else why
        return Order(None, None, None, None, error, None, oscillatory, why)
    growth = r21**order - 1
    best = v1 - e21 / growth
    uncertainty = SAFETY * abs(e21) / growth
    index = uncertainty / abs(v1) if v1 else None
    away = abs((best - v1) / best) if best else None
    why = "oscillatory" if oscillatory else ""
    if not LOW <= order <= HIGH:  # not `plausible`
        parts = "sizes" if of == CELLS else "steps"
        outside = f"far from the order of the scheme: {parts} too coarse"
        why = f"{why}; {outside}" if why else outside
    return Order(order, best, uncertainty, index, error, away, oscillatory, why)


def _order(ratio: float, r21: float, r32: float, sign: int) -> float | None:
    """Root of the equation of the order; None where no order above `LEAST` is one.

    Celik et al. iterate from the logarithm of the ratio, which diverges where r32 is far above
    r21.  The left side minus the right one rises with p, so that the root is the one within ends.
    """
    from scipy.optimize import brentq

    a, b = log(r21), log(r32)

    def left(p: float) -> float:
        # exp(p b) - s over 1 - s exp(-p a): no overflow below MOST, and of a size near 1
        return p * b + log((1 - sign * exp(-p * b)) / (1 - sign * exp(-p * a))) - log(ratio)

    if left(LEAST) >= 0 or left(MOST) <= 0:
        return None
    return float(brentq(left, LEAST, MOST, xtol=1e-14, rtol=1e-14))
