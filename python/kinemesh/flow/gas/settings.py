"""Settings of a march to a steady state or through physical steps, which the solvers share."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from kinemesh.device.backend import DTYPES
from kinemesh.errors import SettingsError

FAR_FIELDS = ("stream", "vortex")
TINY = -1e-300  # a lowest value that may be zero itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Base of all settings, with their checks.

    Attributes
    ----------
    remedies : {code: text} what to try after a fault, where it is not what `device.faults` says
    of_steps : names of the settings that physical steps alone have
    alike : {name: choices} of a setting that give the same bits, so that a run may go on with
        another of them
    repeatable : False where two runs differ in their bits
    """

    remedies: ClassVar[Mapping[int, str]] = {}
    of_steps: ClassVar[tuple[str, ...]] = ()
    alike: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @property
    def repeatable(self) -> bool:
        return True

    @property
    def single(self) -> bool:
        """True where a flow may be in float32."""
        return True

    def choose(self, **choices: Any) -> None:
        """SettingsError for a setting that is none of its choices."""
        for name, among in choices.items():
            value = getattr(self, name)
            if type(value) is not type(next(iter(among))) or value not in among:
                wanted = ", ".join(map(str, among))
                raise SettingsError(f"{name} is {value!r}, expected one of {wanted}")

    def unused(self, names: Iterable[str], unless: str) -> None:
        """SettingsError for one of these settings that was given and has no effect here.

        One at its default is taken for not given.

        Parameters
        ----------
        unless : what is set instead, and what would make it count, to be told
        """
        defaults = {f.name: f.default for f in fields(self)}
        for name in names:
            value = getattr(self, name)
            if isinstance(value, np.ndarray) or value != defaults[name]:
                raise SettingsError(
                    f"{name} is {value!r} and has no effect: {unless}; leave it out or change that"
                )

    def count(self, name: str, least: int = 1) -> None:
        """SettingsError for a setting that is no whole number, or one below `least`, 1 or 0."""
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
            most = "above 0" if least else "of 0 or above"
            raise SettingsError(f"{name} is {value!r}, expected a whole number {most}")

    def within(self, **ranges: tuple[float, float]) -> None:
        """SettingsError for a setting outside of its range (above the first, up to the second).

        Infinity is in no range.  None is in that of a setting that has no other default.
        """
        optional = {f.name for f in fields(self) if f.default is None}
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if value is None and name in optional:
                continue
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not low < value <= min(high, sys.float_info.max):
                least = "of at least 0" if low == TINY else f"above {low:g}"
                span = f"{least}, at most {high:g}" if high < np.inf else f"{least} and finite"
                raise SettingsError(f"{name} is {value!r}, expected a number {span}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarchSettings(Settings):
    """Settings of every march: to a steady flow, or through the steps of an unsteady one.

    Parameters
    ----------
    far_field : "stream", or "vortex" (steady subsonic flows: the stream and a point vortex of the
        lift, placed at `moment_about`)
    entropy_fix : float        Harten's threshold as a share of |V_r| + z a |S|
    low_mach : bool            use the low-Mach form of upwind fluxes where walls go slower than
        Mach 0.4 relative to the stream (theory eq. 2.6b); needs pseudo-steps with a matrix
    steady_drop, unsteady_drop : float   residual over its first value at which a steady run, or a
        physical step, has converged
    steady_iterations, unsteady_iterations : int   most pseudo-steps of a steady run, or of a
        physical step
    cfl : float                first CFL number of a steady run, and the least
    cfl_max : float            largest CFL number; up to it the CFL number follows the residual
        (theory eq. 2.15b)
    cfl_growth : float         largest growth of the CFL number per iteration
    unsteady_cfl : float       first CFL number of a physical step
    predictor : int            order of the polynomial in time through the last states that a
        physical step begins from: 0 (the last state), 1 or 2 (theory eq. 2.15c)
    max_change : float         largest share by which density or pressure of a node may change in
        one pseudo-step; a larger update of a node is scaled
    """

    of_steps: ClassVar[tuple[str, ...]] = ("unsteady_drop", "unsteady_iterations")

    far_field: str = "stream"
    entropy_fix: float = 0.05
    low_mach: bool = True
    steady_drop: float = 1e-6
    steady_iterations: int = 2000
    unsteady_drop: float = 1e-4
    unsteady_iterations: int = 200
    cfl: float | None = 20.0
    cfl_max: float | None = 1e3
    cfl_growth: float = 1.5
    unsteady_cfl: float | None = 100.0
    predictor: int = 2
    max_change: float = 0.2

    def __post_init__(self) -> None:
        self.choose(far_field=FAR_FIELDS, predictor=(0, 1, 2))
        if not isinstance(self.low_mach, bool):
            raise SettingsError(f"low_mach is {self.low_mach!r}, expected True or False")
        for name in ("steady_iterations", "unsteady_iterations"):
            self.count(name)
        self.within(
            entropy_fix=(TINY, 1),
            cfl=(0, np.inf),
            cfl_max=(0, np.inf),
            unsteady_cfl=(0, np.inf),
            cfl_growth=(1, 10),
            steady_drop=(TINY, 1),
            unsteady_drop=(TINY, 1),
            max_change=(0, 0.4),
        )
        first = {"cfl": self.cfl, "unsteady_cfl": self.unsteady_cfl}
        known = {name: value for name, value in first.items() if value is not None}
        if self.cfl_max is not None and self.cfl_max < max(known.values(), default=0.0):
            least = " and ".join(f"{name} ({value:g})" for name, value in known.items())
            raise SettingsError(f"cfl_max is {self.cfl_max!r}, expected at least {least}")

    def scheme(self, mode: str) -> str:
        """The discretisation of a run of this mode, in words."""
        del mode  # as a rule fluxes and limiter are those of both
        return ""

    @property
    def step_setting(self) -> str:
        """Setting of the size of a pseudo-step."""
        return "the CFL number"

    @property
    def remedy(self) -> str:
        """Advice where a residual does not fall."""
        return f"lower {self.step_setting}"

    @property
    def steady_remedy(self) -> str:
        """Advice where that of a steady march does not."""
        return self.remedy

    def ramp(self, first: float) -> tuple[float, float, float]:
        """CFL number from its first on: that, its most, and its largest growth per iteration."""
        return first, first if self.cfl_max is None else self.cfl_max, self.cfl_growth


KRYLOV = ("krylov_iterations", "krylov_tolerance", "unsteady_krylov_tolerance")
MATRIX = ("jacobian_fix", "matrix_dtype", "low_mach")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplicitSettings(MarchSettings):
    """Settings of a march whose pseudo-steps may solve with the matrix of the first-order flux.

    A setting that the chosen solver of a pseudo-step does not use is refused unless it has its
    default.

    Parameters
    ----------
    jacobian_fix : float       entropy_fix of the matrix alone: a larger value damps pseudo-steps
        where the stream stagnates, and does not change the converged flow; in a supersonic stream
        it is multiplied by the square of the Mach number
    krylov_iterations : int    most iterations of BiCGSTAB per pseudo-step
    krylov_tolerance, unsteady_krylov_tolerance : float    linear residual over its first value at
        which BiCGSTAB stops, in a steady march and in a physical step
    matrix_dtype : "float32" or "float64"   precision of the matrix and of its solver, at most that
        of the flow; residual and state keep the precision of the flow, and so does the result
    """

    jacobian_fix: float | None = None
    krylov_iterations: int = 40
    krylov_tolerance: float = 0.05
    unsteady_krylov_tolerance: float = 0.2
    matrix_dtype: str = "float32"

    def __post_init__(self) -> None:
        MarchSettings.__post_init__(self)
        self.choose(matrix_dtype=DTYPES)
        self.count("krylov_iterations")
        self.within(
            jacobian_fix=(TINY, 2), krylov_tolerance=(TINY, 1), unsteady_krylov_tolerance=(TINY, 1)
        )
