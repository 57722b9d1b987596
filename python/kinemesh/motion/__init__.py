"""Motions of bodies; deformations of the mesh are in `kinemesh.motion.deform`."""

from kinemesh.motion.motions import (
    Function,
    Motion,
    Pitch,
    Plunge,
    Pose,
    Rate,
    Together,
    function,
    pitch,
    plunge,
)
from kinemesh.motion.periods import ORDERS
from kinemesh.motion.poses import PoseArray, RateArray, placed
from kinemesh.motion.tables import Table, table
from kinemesh.motion.uniform import Rotate, Translate, rotate, translate

__all__ = [
    "ORDERS",
    "Function",
    "Motion",
    "Pitch",
    "Plunge",
    "Pose",
    "PoseArray",
    "Rate",
    "RateArray",
    "Rotate",
    "Table",
    "Together",
    "Translate",
    "function",
    "pitch",
    "placed",
    "plunge",
    "rotate",
    "table",
    "translate",
]
