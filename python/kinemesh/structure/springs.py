"""Rigid body on springs: M q'' + C q' + K q + k3 q^3 = f, in any of x, y and angle.

With L the reference length and U the speed of the stream, masses are over rho L^2, moments of
inertia over rho L^4, stiffnesses of shifts over rho U^2 and of the angle over rho U^2 L^2, dampers
over rho U L and rho U L^3, cubic stiffnesses over rho U^2 / L^2 and rho U^2 L^2, all per span.
A centre of mass behind the pivot is pulled down by a pitch nose-up; the inertia of this lever is
that of small angles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY
from kinemesh.errors import SettingsError
from kinemesh.structure.coordinates import Coordinates
from kinemesh.structure.numbers import above, point

FloatArray = NDArray[np.float64]
OWNER = "springs"
WAYS = {"x": (0.0, 1.0, 0.0), "y": (0.0, 0.0, 1.0), "angle": (1.0, 0.0, 0.0)}
"""Turn nose-up, and shift along x and y, of 1 of each coordinate."""
TURN = "angle"


@checks_names
@dataclass(frozen=True, slots=True)
class Springs:
    """Rigid body that is free to shift and to turn, on springs and dampers.

    Numbers of each coordinate are one for all that are free, a list in the order of `free`, or a
    table by their names, in which those left out are 0.

    Parameters
    ----------
    mass : float           m / (rho L^2), L the reference length; of a body that shifts [-]
    inertia : float        moment of inertia about the pivot / (rho L^4); of a body that turns [-]
    stiffness : k / (rho U^2), of the angle k / (rho U^2 L^2); 0: no spring [-]
    damping : c / (rho U L), of the angle c / (rho U L^3); 0: no damper [-]
    free : names of the coordinates: "x" and "y", shifts along the axes, "angle", the pitch nose-up
    pivot : (2,)           point of the body that shifts, and about which it turns [L]
    centre : (2,)          centre of mass of the body as given; None: the pivot [L]
    cubic : k3 / (rho U^2 / L^2), of the angle k3 / (rho U^2 L^2): the springs hold k q + k3 q^3,
        softer than k where k3 is below 0 [-]

    Raises
    ------
    SettingsError    numbers out of their range, missing ones, or those of coordinates not free
    """

    mass: float | None = None
    inertia: float | None = None
    stiffness: Any = 0.0
    damping: Any = 0.0
    free: tuple[str, ...] = ("y", "angle")
    pivot: tuple[float, float] = (0.25, 0.0)
    centre: tuple[float, float] | None = None
    cubic: Any = 0.0

    dimension = XY

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "free", _names(self.free))
        shifts = any(name != TURN for name in self.free)
        self._check_inertia("mass", shifts, "shifts")
        self._check_inertia("inertia", TURN in self.free, "turns")
        for name in ("stiffness", "damping", "cubic"):
            put(self, name, self._each(name, getattr(self, name)))
        for name, k, k3 in zip(self.free, self.stiffness, self.cubic, strict=True):
            if k3 < 0 and not k:
                raise SettingsError(
                    f"{OWNER}: cubic of {name} is {k3:g} and stiffness 0, a spring that pushes the "
                    "body away; expected stiffness above 0, or cubic of 0 or more"
                )
        put(self, "pivot", point(OWNER, "pivot", self.pivot))
        if self.centre is not None:
            self._check_centre(shifts)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.free

    def coordinates(self, speed: float, length: float) -> Coordinates:
        """Shifts [length of the mesh] and pitch nose-up [rad] in a stream.

        Parameters
        ----------
        speed : U, in the units of the case;  length : L [length of the mesh]
        """
        turns = np.array([name == TURN for name in self.free])
        way = np.array([WAYS[name] for name in self.free])
        unit = np.where(turns, 1.0, length)  # of each coordinate
        work = speed**2 * length**2  # of rho U^2 L^2
        each = [np.array(own) for own in (self.stiffness, self.damping, self.cubic)]
        return Coordinates(
            self.free,
            self._mass(way) * length**4 / np.outer(unit, unit),
            np.diag(each[1] * work * length / speed / unit**2),
            np.diag(each[0] * work / unit**2),
            units=unit, turn=way[:, 0], shift=way[:, 1:],
            about=(self.pivot[0] * length, self.pivot[1] * length),
            reference=2 * np.pi * speed / length,  # frequencies over it are f L / U
            cubic=each[2] * work / unit**4,
        )  # fmt: skip

    def _mass(self, way: FloatArray) -> FloatArray:
        """(n, n) mass matrix over rho L^4, of coordinates over L and 1."""
        x, y = np.subtract(self.centre or self.pivot, self.pivot)
        m, own = self.mass or 0.0, self.inertia or 0.0
        # of turn and shifts; a turn nose-up takes what is behind the pivot down
        whole = np.array([[own, m * y, -m * x], [m * y, m, 0.0], [-m * x, 0.0, m]])
        return np.asarray(way @ whole @ way.T)

    def _check_inertia(self, name: str, needed: bool, does: str) -> None:
        """SettingsError for a mass that is missing, or has no meaning."""
        value = getattr(self, name)
        if needed and value is None:
            raise SettingsError(
                f"{OWNER}: {name} is missing, and the body {does}: free is {list(self.free)}; give "
                f"{name}"
            )
        if not needed and value is not None:
            raise SettingsError(
                f"{OWNER}: {name} is {value!r}, and no coordinate {does} the body: free is "
                f"{list(self.free)}; leave {name} out"
            )
        if needed:
            object.__setattr__(self, name, above(OWNER, name, value, 0.0))

    def _check_centre(self, shifts: bool) -> None:
        """SettingsError for a centre of mass that no coordinate feels, or that is too far off."""
        if not shifts or TURN not in self.free:
            raise SettingsError(
                f"{OWNER}: centre is {self.centre!r}, which moves a body that both shifts and "
                f"turns, and free is {list(self.free)}; leave centre out"
            )
        object.__setattr__(self, "centre", found := point(OWNER, "centre", self.centre))
        mass, inertia = self.mass or 0.0, self.inertia or 0.0
        lever = float(np.sum(np.subtract(found, self.pivot) ** 2))
        if inertia <= mass * lever:
            raise SettingsError(
                f"{OWNER}: inertia is {inertia:g}, so the mass matrix is not positive; "
                f"expected above mass times the squared distance of centre and pivot = "
                f"{mass * lever:g}: it is the moment of inertia about the pivot, not about "
                "the centre of mass"
            )

    def _each(self, name: str, value: Any) -> tuple[float, ...]:
        """Numbers of the coordinates, of any sign where they are cubic."""
        if isinstance(value, Mapping):
            lost = [own for own in value if own not in self.free]
            if lost:
                raise SettingsError(
                    f"{OWNER}: {name} of {lost}, expected of the free coordinates {list(self.free)}"
                )
            value = [value.get(own, 0.0) for own in self.free]
        elif not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
            value = [value] * len(self.free)
        if len(value) != len(self.free):
            raise SettingsError(
                f"{OWNER}: {name} has {len(value)} numbers, expected one for each of "
                f"{list(self.free)}"
            )
        found = tuple(
            above(OWNER, f"{name} of {own}", one) for own, one in zip(self.free, value, strict=True)
        )
        if name != "cubic" and min(found) < 0:
            raise SettingsError(f"{OWNER}: {name} is {list(found)}, expected numbers of 0 or more")
        return found


def _names(value: Any) -> tuple[str, ...]:
    """Names of coordinates, each once; SettingsError for others."""
    given = (value,) if isinstance(value, str) else value
    good = isinstance(given, Sequence) and all(
        isinstance(own, str) and own in WAYS for own in given
    )
    if not good or not given or len(set(given)) != len(given):
        raise SettingsError(
            f"{OWNER}: free is {value!r}, expected a list of one or more of {', '.join(WAYS)}, "
            "each once"
        )
    return tuple(given)
