"""Results of a run, live or from its folder: loops, tables, flow fields."""

from kinemesh.results.flow_fields import Fields, Frames
from kinemesh.results.opening import open
from kinemesh.results.run import Run

__all__ = ["Fields", "Frames", "Run", "open"]
