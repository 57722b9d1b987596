"""Coordinates of structures: mass, damping and stiffness in the units of a case, and their modes.

A coordinate q_j turns its body by turn_j q_j, nose-up, about a point of it, and shifts that point
by shift_j q_j, or is the amplitude of a shape by which the body bends; its force is the work of the
flow's loads on a change of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import real
from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.motion.law import Shape

FloatArray = NDArray[np.float64]
FLAT = 1e-9  # share of a mode's shape below which it has no part of a coordinate
SIZES = ("angle_deg", "shift")  # of kicks of rigid bodies
AMPLITUDE = "amplitude"  # of one of a body that bends
LARGEST = {"angle_deg": 30.0, "shift": 1.0}  # of a motion, in degrees and in reference lengths


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Structure of a body in the units of its case, density and speed of sound (or U) of 1.

    Parameters
    ----------
    names : of the coordinates
    mass, damping, stiffness : (n, n)
    units : (n,)        changes of the coordinates that count as equal
    turn : (n,)         turn nose-up for 1 of each [rad]
    shift : (n, 2)      shift for 1 of each [length of the mesh]
    about : (2,)        point of the body as given
    reference : float   frequency that others refer to, omega_alpha of a section
    shapes : of a body that bends, whose amplitudes are the coordinates; () of a rigid one
    cubic : (n,)        cubic stiffness k3 of each coordinate, or 0: springs hold K q + k3 q^3
    """

    names: tuple[str, ...]
    mass: FloatArray
    damping: FloatArray
    stiffness: FloatArray
    units: FloatArray
    turn: FloatArray
    shift: FloatArray
    about: tuple[float, float]
    reference: float
    shapes: tuple[Shape, ...] = ()
    cubic: FloatArray | float = 0.0

    @property
    def way(self) -> FloatArray:
        """(3 + shapes, n) turn, shift and amplitudes for 1 of each coordinate."""
        bent = np.eye(len(self.shapes), len(self.names))
        return np.vstack([self.turn, self.shift.T, bent])

    @property
    def sizes(self) -> tuple[str, ...]:
        """Names of what a kick is as large as."""
        return (AMPLITUDE,) if self.shapes else SIZES

    @property
    def modes(self) -> tuple[FloatArray, FloatArray]:
        """Frequencies (n,) without a flow, lowest first, and shapes (n, n) in columns."""
        from scipy.linalg import eigh

        if not self.mass.any():  # no frequency
            return np.zeros(len(self.names)), np.eye(len(self.names))
        squares, shapes = eigh(self.stiffness, self.mass)
        return np.sqrt(np.maximum(squares, 0.0)), shapes

    def kicked(self, kick: Mapping[str, Any] | None, length: float) -> FloatArray:
        """(n,) coordinates of a kick: a mode's shape, as large as an angle or a shift says.

        Raises
        ------
        SettingsError    no such mode, unknown keys, or a size that the mode has not
        """
        if kick is None:
            return np.zeros(len(self.names))
        mode, name, size = checked(kick, len(self.names), self.sizes)
        shape = self.modes[1][:, mode - 1]
        if name == AMPLITUDE:
            return np.asarray(shape * (size / shape[np.abs(shape / self.units).argmax()]))
        value = np.radians(size) if name == "angle_deg" else size * length
        along = 1 if self.shift[:, 1].any() else 0  # upwards, where the body is free to go there
        own = self.turn @ shape if name == "angle_deg" else self.shift[:, along] @ shape
        most = np.abs(shape / self.units).max()
        unit = 1.0 if name == "angle_deg" else length
        if abs(own) < FLAT * most * unit:
            other = SIZES[1 - SIZES.index(name)]
            raise SettingsError(
                f"kick: mode {mode} has no {name.split('_')[0]}, so {name} sets no size of it; "
                f"give {other}"
            )
        return np.asarray(shape * (value / own))


def checked(kick: Any, modes: int, known: Sequence[str] = SIZES) -> tuple[int, str, float]:
    """Mode, name of the size and size of a kick; SettingsError for others.

    Parameters
    ----------
    known : names of sizes that the structure has
    """
    example = f'{{"mode": 1, "{known[0]}": {0.5 if len(known) > 1 else 0.01}}}'
    if not isinstance(kick, Mapping):
        raise SettingsError(f"kick is {kick!r}, expected a table such as {example}")
    for key in kick:
        if key not in ("mode", *known):
            hint = did_you_mean(key, ("mode", *known)) or f"; expected mode, {', '.join(known)}"
            raise SettingsError(f"kick: unknown key {key!r}{hint}")
    sizes = [name for name in known if name in kick]
    if len(sizes) != 1:
        ways = " or ".join(known)
        raise SettingsError(f"kick is {dict(kick)!r}, expected {ways}, as in {example}")
    mode = kick.get("mode", 1)
    if isinstance(mode, bool) or not isinstance(mode, int) or not 1 <= mode <= modes:
        raise SettingsError(f"kick: mode is {mode!r}, expected one from 1 to {modes}")
    try:
        size = real(kick[sizes[0]])
    except (TypeError, ValueError, OverflowError):
        size = np.nan
    most = LARGEST.get(sizes[0], np.inf)
    if not 0 < abs(size) <= most or np.isinf(size):
        up_to = "" if np.isinf(most) else f" up to {most:g}"
        raise SettingsError(
            f"kick: {sizes[0]} is {kick[sizes[0]]!r}, expected a number{up_to}, not 0"
        )
    return mode, sizes[0], size
