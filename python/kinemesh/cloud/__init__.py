"""Clouds of points for meshless solvers: from meshes, bare points, and about bodies."""

from __future__ import annotations

from kinemesh.cloud.about_wings import oneram6, wing
from kinemesh.cloud.cloud import Cloud
from kinemesh.cloud.regular import airfoil
from kinemesh.cloud.sections import three_element, three_element_bodies

__all__ = ["Cloud", "airfoil", "oneram6", "three_element", "three_element_bodies", "wing"]
