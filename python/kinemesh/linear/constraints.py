"""Rows of a linear system that other rows give, or that are empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints on the rows of a system, which may change between solves.

    An *own* row is that of the matrix.  In a *tied* row x is what four others give, by weights; in
    all others, which are *empty*, x is zero.  Sides count in own rows only.

    Parameters
    ----------
    kind : (rows,) int32 device array    1 own, -1 tied, others empty
    giver : (rows, 4) int32 device array    rows that give x, where it is tied
    weight : (rows, 4) float64 device array    of each
    never : of each distinct mesh (nodes,) bool, rows that are never own
    volume : (rows,) of members whose matrix is singular as no row is fixed, 0 in others; None: in
        none.  What a side lacks there is spread by volume
    faults : (members,) uint64 device array    where a member fails by more rows beside others than
        solvers have room for; None: nobody looks
    """

    kind: Any
    giver: Any
    weight: Any
    never: Sequence[NDArray[np.bool_]]
    volume: NDArray[np.float64] | None = None
    faults: Any = None

    @property
    def kinds(self) -> dict[str, Any]:
        """The kind of rows, as kernels call it."""
        return {"status": self.kind}

    @property
    def ties(self) -> dict[str, Any]:
        """The kind of rows and what gives the tied ones, as kernels call them."""
        return {"status": self.kind, "donor": self.giver, "weight": self.weight}
