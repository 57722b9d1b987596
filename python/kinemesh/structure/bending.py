"""Structure of modes: shapes of a body that bends, with frequencies and generalised masses.

A point of the body is displaced by sum a_j phi_j.  With m the mass of the structure, V the volume
of its mass ratio mu = m / (rho V), S and L the area and length of coefficients, b = L / 2, U the
speed and time in b / U, the amplitudes obey
    M a'' + kappa^2 K a = Q a / (2 pi mu),  kappa = b omega_alpha / U,
    M = diag(integral |phi_j|^2 dm / m),  K = diag(M_j (omega_j / omega_alpha)^2 (1 + i g_j)),
    Q = (pi b^2 S L / V) F,  F_ij the work of the loads of mode j on mode i over q_inf S L.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import SettingsError
from kinemesh.motion.law import Shape
from kinemesh.motion.modes import some_shapes
from kinemesh.motion.shape_files import FileShape, shapes_from
from kinemesh.structure.coordinates import Coordinates
from kinemesh.structure.numbers import above, check_damping

FloatArray = NDArray[np.float64]
Numbers = float | Sequence[float]
OWNER = "modes"
SAME_MACH = 1e-9


@checks_names
@dataclass(frozen=True, slots=True, repr=False)
class Modes:
    """Modes of a structure, undamped or with structural damping, that do not know one another.

    Parameters
    ----------
    shapes : callables of `km.motion.modes`, `km.motion.shapes_from`, `km.motion.shapes_at`
    frequencies : (n,)     without wind, in any unit, each above 0
    masses : (n,)          generalised masses, integral of |shape|^2 over the mass, over the mass of
        the structure [length of the mesh, squared]
    mu : float or (m,)     mass ratio m / (rho V) [-]; several where it changes with `mach`
    volume : float         V of the mass ratio, such as the frustum of cones about the chords of a
        wing [length of the mesh, cubed; of a section squared, pi / 4 chord^2]
    reference : float      omega_alpha of the speed index, in the unit of the frequencies
    damping : float or (n,)    structural damping g: stiffnesses are times 1 + i g [-]; in time a
        share g / 2 of critical damping
    mach : (m,)            rising Mach numbers of several mu; between them ln mu is linear
    speed_index : float    V* = U / (b omega_alpha sqrt(mu)) of runs [-]; flutter takes its own

    Raises
    ------
    SettingsError    numbers out of their range, or not one for each shape
    """

    shapes: tuple[Shape, ...] = field(compare=False)
    frequencies: tuple[float, ...]
    masses: tuple[float, ...]
    mu: Any
    volume: float
    reference: float
    damping: Any = 0.0
    mach: tuple[float, ...] | None = None
    speed_index: float | None = None

    dimension = None  # that of the points of its shapes

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "shapes", some_shapes(OWNER, self.shapes))
        for name in ("frequencies", "masses"):
            put(self, name, self._of_each(name, getattr(self, name), 0.0))
        put(self, "volume", above(OWNER, "volume", self.volume, 0.0))
        put(self, "reference", above(OWNER, "reference", self.reference, 0.0))
        same = np.ndim(self.damping) == 0
        given = [self.damping] * len(self.shapes) if same else self.damping
        put(self, "damping", self._of_each("damping", given, None))
        check_damping(OWNER, given, self.damping)
        if self.speed_index is not None:
            put(self, "speed_index", above(OWNER, "speed_index", self.speed_index, 0.0))
        self._put_ratios()

    def __repr__(self) -> str:
        return (
            f"Modes(shapes={len(self.shapes)}, frequencies={min(self.frequencies):g} to "
            f"{max(self.frequencies):g}, reference={self.reference:g}"
            + (f", g={max(self.damping):g}" if any(self.damping) else "")
            + (f", mu={self.mu:g})" if self.mach is None else ")")
        )

    @classmethod
    def read(cls, file: str | PathLike[str], **numbers: Any) -> Self:
        """Modes with the shapes of a file, as of `km.motion.shapes_from`.

        Parameters
        ----------
        file : .npz of points and displacements, or .csv of x, y, z, dx1, dy1, dz1, dx2, ...
        numbers : the other arguments of `Modes`

        Raises
        ------
        CaseError        a file that cannot be read
        SettingsError    other columns; numbers as of `Modes`
        """
        return cls(shapes_from(file), **numbers)  # type: ignore[arg-type]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates: mode_1, mode_2, ..."""
        return tuple(f"mode_{j + 1}" for j in range(len(self.shapes)))

    @property
    def told(self) -> str:
        """All numbers, for summaries and restarts."""
        own = ((f.name, getattr(self, f.name)) for f in fields(self) if f.name != "shapes")
        return f"Modes({', '.join(f'{name}={value!r}' for name, value in own)})"

    @property
    def content(self) -> list[str]:
        """Words by which shapes of files are told apart; "" of a user's function."""
        return [repr(own) if isinstance(own, FileShape) else "" for own in self.shapes]

    @property
    def mass(self) -> FloatArray:
        """(n, n) M."""
        return np.diag(self.masses)

    @property
    def stiffness(self) -> NDArray[Any]:
        """(n, n) K, complex with structural damping."""
        own = np.array(self.masses) * self.ratios**2
        return np.diag(own * (1 + 1j * np.array(self.damping)) if any(self.damping) else own)

    @property
    def ratios(self) -> FloatArray:
        """(n,) frequencies over omega_alpha, in the order of the shapes."""
        return np.array(self.frequencies) / self.reference

    @property
    def least_mu(self) -> float:
        """Lowest mass ratio."""
        return float(np.min(self.mu))

    def at(self, mach: float) -> Self:
        """Structure with the mass ratio of a Mach number.

        Raises
        ------
        SettingsError    beyond the Mach numbers of mu, or none of a method without one
        """
        if self.mach is None:
            return self
        low, high = self.mach[0] - SAME_MACH, self.mach[-1] + SAME_MACH
        if not low <= mach <= high:
            raise SettingsError(
                f"{OWNER}: mu is given from Mach {self.mach[0]:g} to {self.mach[-1]:g}, and the "
                f"Mach number is {mach:g}; give mu there, or one mu for all"
            )
        ratio = float(np.exp(np.interp(mach, self.mach, np.log(self.mu))))
        return replace(self, mu=ratio, mach=None)

    def coordinates(self, speed: float, length: float) -> Coordinates:
        """Amplitudes of the modes in a stream.

        Parameters
        ----------
        speed : U, in the units of the case, the Mach number of a gas;  length : twice b of the
            speed index [length of the mesh]

        Raises
        ------
        SettingsError    modes without a speed index; a Mach number at which mu is not given
        """
        if self.speed_index is None:
            raise SettingsError(
                f"{OWNER}: a run needs the speed index; give speed_index = U / (b omega_alpha "
                "sqrt(mu)), or ask km.flutter for the boundary"
            )
        own, n = self.at(speed), len(self.shapes)
        mass = own.mu * self.volume * np.array(self.masses)
        reference = speed / (self.speed_index * length / 2 * np.sqrt(own.mu))
        omega = reference * self.ratios
        return Coordinates(
            self.names, np.diag(mass), np.diag(np.array(self.damping) * omega * mass),
            np.diag(mass * omega**2), units=length / 2 / np.sqrt(self.masses), turn=np.zeros(n),
            shift=np.zeros((n, 2)), about=(0.0, 0.0), reference=reference, shapes=self.shapes,
        )  # fmt: skip

    def _of_each(self, name: str, value: Any, least: float | None) -> tuple[float, ...]:
        """A number for each shape, above `least`."""
        found = above_each(name, value, least)
        if len(found) != len(self.shapes):
            raise SettingsError(
                f"{OWNER}: {len(found)} {name}, expected one for each of {len(self.shapes)} shapes"
            )
        return found

    def _put_ratios(self) -> None:
        """Set mu, and its Mach numbers, as numbers."""
        put = object.__setattr__
        if self.mach is None:
            put(self, "mu", above(OWNER, "mu", self.mu, 0.0))
            return
        put(self, "mu", above_each("mu", self.mu, 0.0))
        put(self, "mach", above_each("mach", self.mach, 0.0))
        if len(self.mu) != len(self.mach) or (np.diff(self.mach) <= 0).any():
            raise SettingsError(
                f"{OWNER}: mach is {list(self.mach)!r} beside {len(self.mu)} mu, expected rising "
                "Mach numbers, one for each mu"
            )


def above_each(name: str, value: Any, least: float | None) -> tuple[float, ...]:
    """A list of finite numbers, above `least`; SettingsError for others."""
    if np.ndim(value) != 1 or not len(value):
        raise SettingsError(f"{OWNER}: {name} is {value!r}, expected a list of numbers")
    return tuple(above(OWNER, f"{name}[{i}]", own, least) for i, own in enumerate(value))
