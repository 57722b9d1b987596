"""Words on the phase of a march, for its progress, from numbers that its history reads anyway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def of_iteration(numbers: Mapping[str, NDArray[Any]], went: NDArray[np.bool_]) -> str:
    """Kind of the iteration that members took, with the most products; empty where it has one.

    Parameters
    ----------
    numbers : (members,) of each of a solver's `steady_columns`
    went : (members,) whether a member iterated
    """
    if "products" not in numbers or not went.any():
        return ""
    products, length = numbers["products"][went], numbers["length"][went]
    newton = (products > 0) | (length == 0)  # of a pseudo-step 0 and 1
    if not newton.any():
        return "pseudo-steps"
    taken, most = int(newton.sum()), int(products.max())
    of = "" if taken == len(newton) else f" in {taken} of {len(newton)} members"
    refused = ", refused" if not length[newton].any() else ""
    return f"Newton{of}, {most} product{'s' * (most != 1)}{refused}"


def of_step(rows: Mapping[str, Any], alive: NDArray[np.bool_]) -> str:
    """Iterations of a physical step, the most of all members, and Newton's products in them."""
    if not alive.any():
        return ""
    iterations = int(rows["inner_iterations"][alive].max())
    text = f"{iterations} iteration{'s' * (iterations != 1)} a step"
    products = int(rows["products"][alive].max()) if "products" in rows else 0
    return f"{text}, Newton, {products} product{'s' * (products != 1)}" if products else text
