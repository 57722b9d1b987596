"""Motions of bodies; what carries the inner vertices along is in `kinemesh.motion.deform`."""

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
    "Together",
    "function",
    "pitch",
    "placed",
    "plunge",
]
