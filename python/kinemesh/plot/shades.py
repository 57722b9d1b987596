"""Colours of the quantities of a flow: field, label, map and lines."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinemesh.plot.units import CHORDS, Unit


@dataclass(frozen=True, slots=True)
class Shade:
    """Colours of a quantity: field, label, colour map and steps of lines."""

    name: str
    field: str  # in field files
    label: str
    colours: str  # matplotlib's name of the map
    step: float  # between two thin lines
    mark: float = np.nan  # a value with a white line
    signed: bool = False  # as much on both sides of 0; stronger values have the ends' colours
    least: float = 0.0  # that the colours of signed values go to, unless these are constant
    scale: float = 1.0  # of values in field files


SHADES = {
    "mach": Shade("Mach number", "Mach", "Mach number", "viridis", 0.05, 1.0),
    "vorticity": Shade("vorticity", "Vorticity", "vorticity", "RdBu_r", 1.0, signed=True),
    "cp": Shade("pressure coefficient", "Cp", "$c_p$", "viridis_r", 0.1),
    "eddies": Shade("eddy viscosity", "EddyViscosity", r"$\mu_t/\mu_\infty$", "magma_r", 1.0),
}


def shade_of(quantity: str, incompressible: bool, speed: float = 0.0, unit: Unit = CHORDS) -> Shade:
    """Colours of a quantity of incompressible flow, or of a gas, in a stream of a `speed`."""
    shade = SHADES[quantity]
    if not shade.signed:
        return shade
    of = "U" if incompressible else r"$a_\infty$"
    return replace(shade, label=f"{shade.name} [{of}/{unit.word}]", least=speed)
