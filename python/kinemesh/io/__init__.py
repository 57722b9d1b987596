"""Files of a run: history (CSV), fields (VTKHDF), restart (HDF5), summary (JSON)."""

from kinemesh.io.history import History
from kinemesh.io.rows import STEADY, UNSTEADY

__all__ = ["STEADY", "UNSTEADY", "History"]
