"""Structures on which bodies stand: masses, stiffnesses and shapes, arrays and nothing else."""

from kinemesh.structure.bending import Modes
from kinemesh.structure.cylinder import Cylinder
from kinemesh.structure.springs import Springs
from kinemesh.structure.typical import TypicalSection

__all__ = ["Cylinder", "Modes", "Springs", "TypicalSection"]
