"""Motions of bodies: laws, functions of time and nothing else."""

from kinemesh.motion.beams import clamped_bending, clamped_torsion
from kinemesh.motion.free import Free
from kinemesh.motion.given import Given, given
from kinemesh.motion.law import Motion, Together
from kinemesh.motion.modal_pulses import ModalPulse, modal_pulse
from kinemesh.motion.modes import Modes, Vibration, modes, vibrate
from kinemesh.motion.motions import Function, Pitch, Plunge, function, pitch, plunge
from kinemesh.motion.periods import ORDERS
from kinemesh.motion.pose import Pose, Rate
from kinemesh.motion.pulses import Pulse, pulse
from kinemesh.motion.shape_files import shapes_at, shapes_from
from kinemesh.motion.tables import Table, table
from kinemesh.motion.twist import Twist, twist
from kinemesh.motion.uniform import Rotate, Translate, rotate, translate

__all__ = [
    "ORDERS",
    "Free",
    "Function",
    "Given",
    "ModalPulse",
    "Modes",
    "Motion",
    "Pitch",
    "Plunge",
    "Pose",
    "Pulse",
    "Rate",
    "Rotate",
    "Table",
    "Together",
    "Translate",
    "Twist",
    "Vibration",
    "clamped_bending",
    "clamped_torsion",
    "function",
    "given",
    "modal_pulse",
    "modes",
    "pitch",
    "plunge",
    "pulse",
    "rotate",
    "shapes_at",
    "shapes_from",
    "table",
    "translate",
    "twist",
    "vibrate",
]
