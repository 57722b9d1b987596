"""Files of a run: history (CSV), fields (VTKHDF), restart (HDF5), summary (JSON)."""

from kinemesh.io.history import STEADY, UNSTEADY, History

__all__ = ["STEADY", "UNSTEADY", "History"]
