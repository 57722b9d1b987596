"""Anderson acceleration of a fixed point (J. ACM 12, 1965; Walker, Ni, SINUM 49, 2011)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DEPTH = 5  # earlier iterates that are kept
DAMPING = 0.2  # share of the new iterate
RANK = 1e-8  # directions whose share of the changes is smaller are left out


class Anderson:
    """The next x from g(x): the mix of earlier iterates with the least g - x, damped.

    Called with g of the x that it gave last; the first x is the first g.
    """

    def __init__(self) -> None:
        self.x: list[Floats] = []
        self.miss: list[Floats] = []  # g(x) - x
        self.next: Floats | None = None

    def __call__(self, g: Floats) -> Floats:
        x = self.next
        if x is None:
            self.next = g
            return g
        miss = g - x
        self.x, self.miss = [*self.x, x][-DEPTH:], [*self.miss, miss][-DEPTH:]
        self.next = x + DAMPING * miss
        if len(self.x) > 1:
            step, change = (np.diff(v, axis=0).T for v in (self.x, self.miss))
            share = np.linalg.lstsq(change, miss, rcond=RANK)[0]
            self.next = self.next - (step + DAMPING * change) @ share
        return self.next
