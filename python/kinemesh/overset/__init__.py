"""Overset grids: meshes that lie over one another."""

from __future__ import annotations

from kinemesh.overset.donors import Donors, search
from kinemesh.overset.parts import Part

__all__ = ["Donors", "Part", "search"]
