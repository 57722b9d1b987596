"""Figures of a run: loops, Mach number, mesh, convergence, surface pressure.

Every function returns a matplotlib Figure, and writes it where a path is given. Figures are made
without pyplot, so no window and no display is needed. Lengths in chords, angles in degrees.
"""

from __future__ import annotations

from kinemesh.plot.both_sides import surface_friction
from kinemesh.plot.comparisons import comparison, sizes
from kinemesh.plot.cycles import cycle
from kinemesh.plot.ensembles import loops
from kinemesh.plot.films import film, films_from_directory
from kinemesh.plot.flows import eddies, mach, pressure, solved, vorticity
from kinemesh.plot.folder import from_directory
from kinemesh.plot.friction import friction, layers
from kinemesh.plot.histories import hysteresis
from kinemesh.plot.isosurfaces import isosurface, q_criterion
from kinemesh.plot.overset import grids
from kinemesh.plot.pressures import sections, unsteady_pressures
from kinemesh.plot.roots import flutter, vg
from kinemesh.plot.spaces import cloud, mesh, triangles_of
from kinemesh.plot.spans import spanwise
from kinemesh.plot.style import BLUE, DARK, GREY, RED, STYLE
from kinemesh.plot.sweeps import sweep_lines, sweep_map
from kinemesh.plot.times import convergence, loads
from kinemesh.plot.views import View
from kinemesh.plot.wall_pressures import surface_pressure

__all__ = [
    "BLUE",
    "DARK",
    "GREY",
    "RED",
    "STYLE",
    "View",
    "cloud",
    "comparison",
    "convergence",
    "cycle",
    "eddies",
    "film",
    "films_from_directory",
    "flutter",
    "friction",
    "from_directory",
    "grids",
    "hysteresis",
    "isosurface",
    "layers",
    "loads",
    "loops",
    "mach",
    "mesh",
    "pressure",
    "q_criterion",
    "sections",
    "sizes",
    "solved",
    "spanwise",
    "surface_friction",
    "surface_pressure",
    "sweep_lines",
    "sweep_map",
    "triangles_of",
    "unsteady_pressures",
    "vg",
    "vorticity",
]
