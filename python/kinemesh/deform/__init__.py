"""Deformations, by which inner nodes follow the bodies: one interface, five methods."""

from kinemesh.deform.carrier import Carrier
from kinemesh.deform.delaunay import Delaunay
from kinemesh.deform.modal import Modal
from kinemesh.deform.mover import Deformation, Mover
from kinemesh.deform.rigid import Rigid
from kinemesh.deform.springs import TorsionalSprings

__all__ = [
    "METHODS",
    "Carrier",
    "Deformation",
    "Delaunay",
    "Modal",
    "Mover",
    "Rigid",
    "TorsionalSprings",
]

METHODS = {
    "springs": TorsionalSprings,
    "delaunay": Delaunay,
    "rigid": Rigid,
    "modal": Modal,
    "carrier": Carrier,
}
