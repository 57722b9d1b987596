"""Files of a run: history (CSV), fields (VTKHDF), restart (HDF5), summary (JSON)."""

from kinemesh.io.csv_rows import STEADY, UNSTEADY
from kinemesh.io.history import History

__all__ = ["STEADY", "UNSTEADY", "History"]
