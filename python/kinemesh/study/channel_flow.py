"""Flow through the ends of channels, by which runs without loads are beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinemesh.io.columns import MASS_FLOW, OF_ENDS
from kinemesh.study.alike import Chosen


def names_of(one: Chosen, other: Chosen) -> list[str]:
    """Columns of mass flows, pressure drop and loss that the histories of both runs have."""
    first, second = (own.run.history.columns for own in (one, other))
    ends = (name for name in first if name.startswith(MASS_FLOW) or name in OF_ENDS)
    return [name for name in ends if name in second]


def idle(loads: Mapping[str, Any]) -> bool:
    """Return True if all of these loads are 0, as those of channels without walls are."""
    return not any(np.any(np.asarray(values)) for values in loads.values())
