"""Lists of lists as offsets and entries (compressed sparse rows)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


def offsets_of(keys: NDArray, count: int) -> Ints:
    """Offsets of the runs of sorted `keys` in 0..count-1."""
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))]).astype(np.int32)
