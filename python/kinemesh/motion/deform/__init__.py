"""Deformations, by which inner nodes follow the bodies: one interface, three methods."""

from kinemesh.motion.deform.base import Deformation, Mover
from kinemesh.motion.deform.delaunay import Delaunay
from kinemesh.motion.deform.rigid import Rigid
from kinemesh.motion.deform.springs import TorsionalSprings

__all__ = ["METHODS", "Deformation", "Delaunay", "Mover", "Rigid", "TorsionalSprings"]

METHODS = {"springs": TorsionalSprings, "delaunay": Delaunay, "rigid": Rigid}
