"""Overset grids: meshes that lie over one another.  Today the donor search."""

from __future__ import annotations

from kinemesh.overset.donors import Donors, search

__all__ = ["Donors", "search"]
