"""Settings of the solvers of a gas on meshes, by nodes and by cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY, Dimension
from kinemesh.errors import SettingsError
from kinemesh.flow.gas.settings import KRYLOV, MATRIX, TINY, ImplicitSettings
from kinemesh.flow.terms.convection import FACE_LOOPS, FLUXES
from kinemesh.flow.terms.gradients import LIMITERS

LINEAR = ("bicgstab", "lusgs")
NEWTON = ("newton_vectors", "newton_tolerance", "unsteady_newton_tolerance")
FIX = {2: 0.15, 3: 0.3}  # by dimensions (docs/convergence.md)
GAINS = {2: False, 3: True}  # whether steps of Newton gain on an inviscid gas
UNSTEADY_CFL = {False: 100.0, True: 1e3}  # of an inviscid, a viscous gas


@checks_names
@dataclass(frozen=True, slots=True, kw_only=True)
class AleSettings(ImplicitSettings):
    """Settings of the ALE solver: its own, and those of `flow.gas.settings.ImplicitSettings`.

    Parameters
    ----------
    flux : "roe" or "hllc"
    limiter : "wang" (threshold a share of the variable's range), "venkatakrishnan" or "none"
    limiter_k : float          Wang's share of the range (default 0.05, in space 0.5, of a viscous
        gas 1, which leaves boundary layers as they are), or Venkatakrishnan's K (default 5), which
        multiplies the size of a cell (theory eq. 2.4)
    linear_solver : "bicgstab", or "lusgs" (sweeps by colours without a matrix: half of the
        memory, more and cheaper pseudo-steps)
    lusgs_sweeps : int         pairs of LU-SGS sweeps per pseudo-step
    face_loop : "store" (a face stores its flux, its volumes sum), or of Roe's flux "recompute"
        (volumes work out each flux twice: the same bits), "colours" (faces add to their volumes,
        colour by colour) or "atomics" (all at once: not repeatable)
    newton : bool              a steady march goes over to steps of Newton's method when its
        residual has fallen to 0.03 of the first or after 60 iterations, with a model of turbulence
        to 0.1 or after 30 (theory, section 2.9).  By default of a viscous gas, in space about
        nodes, between inlets and outlets and with limiter "venkatakrishnan", in float64 and with a
        matrix
    unsteady_newton : bool     physical steps take them too, from their first on.  By default with
        a model of turbulence; others end in a few pseudo-steps, which are cheaper
    newton_vectors : int       most vectors of GMRES in such a step: memory of 4 bytes twice for
        each and each variable of a node
    newton_tolerance : float             linear residual over its first value at which GMRES stops
        in a steady march
    unsteady_newton_tolerance : float    that of physical steps
    jacobian_fix : float       entropy_fix of the matrix alone: 0.15, in space 0.3; a larger value
        damps pseudo-steps where the stream stagnates, and does not change the converged flow; in a
        supersonic stream it is multiplied by the square of the Mach number
    cfl : float                first CFL number of a steady run, and the least: 20, in space 40 (at
        most cfl_max)
    unsteady_cfl : float       first CFL number of a physical step: 100, of a viscous gas 1000 (at
        most cfl_max), with which steps of thin layers take a third of the pseudo-steps
    turbulence_drop : float              residual of the model of turbulence over the most that it
        was, at which a steady march has converged
    unsteady_turbulence_drop : float     that at which a physical step has
    """

    flux: str = "roe"
    limiter: str = "wang"
    limiter_k: float | None = None
    linear_solver: str = "bicgstab"
    lusgs_sweeps: int = 4
    face_loop: str = "store"
    newton: bool | None = None
    unsteady_newton: bool | None = None
    newton_vectors: int = 30
    newton_tolerance: float = 0.3
    unsteady_newton_tolerance: float = 0.1
    cfl: float | None = None
    unsteady_cfl: float | None = None
    turbulence_drop: float = 1e-3
    unsteady_turbulence_drop: float = 1e-2

    alike: ClassVar[Mapping[str, tuple[str, ...]]] = {"face_loop": ("store", "recompute")}
    moved: ClassVar[Mapping[str, str]] = {"loops": "it is face_loop now"}
    first_cfl: ClassVar[Mapping[int, float]] = {2: 20.0, 3: 40.0}  # by dimensions
    newton_gains: ClassVar[bool] = True  # of an inviscid gas in space
    of_steps: ClassVar[tuple[str, ...]] = (
        *ImplicitSettings.of_steps,
        "unsteady_turbulence_drop",
        "unsteady_newton",
        "unsteady_newton_tolerance",
    )

    def __post_init__(self) -> None:
        ImplicitSettings.__post_init__(self)
        self.choose(flux=tuple(FLUXES), limiter=tuple(LIMITERS))
        self.choose(linear_solver=LINEAR, face_loop=tuple(FACE_LOOPS))
        if self.face_loop not in (own := FLUXES[self.flux].face_loops):
            raise SettingsError(
                f"face_loop is {self.face_loop!r}, and flux {self.flux!r} has {', '.join(own)} "
                f"alone; take face_loop = {own[0]!r}, or flux = 'roe'"
            )
        self._check_newton()
        self.count("lusgs_sweeps")
        self.within(
            limiter_k=(0, np.inf), turbulence_drop=(TINY, 1), unsteady_turbulence_drop=(TINY, 1)
        )
        if LIMITERS[self.limiter].k is None:
            self.unused(["limiter_k"], f"limiter is {self.limiter!r}")
        others = (*KRYLOV, *MATRIX) if self.linear_solver == "lusgs" else ("lusgs_sweeps",)
        self.unused(others, f"linear_solver is {self.linear_solver!r}")

    def _check_newton(self) -> None:
        """SettingsError for settings of Newton's method that are none, or have no effect."""
        if self.newton is not None:
            self.choose(newton=(False, True))
        if self.unsteady_newton is not None:
            self.choose(unsteady_newton=(False, True))
        self.count("newton_vectors")
        self.within(newton_tolerance=(0, 0.9), unsteady_newton_tolerance=(0, 0.9))
        if self.newton is False:
            self.unused(NEWTON, "newton is False")
            if self.unsteady_newton:
                self.unused(["unsteady_newton"], "newton is False")
        if self.unsteady_newton is False:
            self.unused(["unsteady_newton_tolerance"], "unsteady_newton is False")
        if self.newton and self.linear_solver == "lusgs":
            raise SettingsError(
                "newton is True and linear_solver is 'lusgs', which has no matrix for its linear "
                "systems; take linear_solver = 'bicgstab', or newton = False",
                argument="newton",
            )

    def scheme(self, mode: str) -> str:
        del mode
        return f"{self.flux} flux, limiter {self.limiter}"

    @property
    def repeatable(self) -> bool:
        return self.face_loop != "atomics"

    @property
    def single(self) -> bool:
        return not self.newton

    def _pseudo_steps(
        self, viscous: bool, dimension: Dimension, double: bool, between: bool
    ) -> str:
        """Words on where pseudo-steps alone are the default; none where Newton's steps are."""
        if not double:
            return "in float32"
        if self.linear_solver != "bicgstab":
            return f"with linear_solver = {self.linear_solver!r}"
        if between or LIMITERS[self.limiter].stalls:
            return ""
        if not (self.newton_gains or viscous):
            return "of an inviscid gas on cells"
        gains = viscous or GAINS[dimension.count]
        return "" if gains else f"of an inviscid gas {dimension.where}"

    def without_newton(self) -> AleSettings:
        """With pseudo-steps alone."""
        own: dict[str, Any] = {f.name: f.default for f in fields(self) if f.name in NEWTON}
        return replace(self, newton=False, unsteady_newton=False, **own)

    @property
    def gradients_by(self) -> str:
        """Way to gradients, as of `Volumes.fit`."""
        return "least-squares"

    @property
    def matrix(self) -> str | None:
        """Precision of the matrix, or None where there is no matrix."""
        return None if self.linear_solver == "lusgs" else self.matrix_dtype

    @property
    def borrows_matrix(self) -> bool:
        """True where pseudo-steps solve with the matrix of Roe's flux under another flux."""
        return self.flux != "roe" and FLUXES[self.flux].jacobian == FLUXES["roe"].jacobian

    @property
    def remedy(self) -> str:
        """Advice where a residual does not fall (docs/convergence.md)."""
        if self.linear_solver == "lusgs":
            return "take linear_solver = 'bicgstab'"
        if self.limiter != "wang":
            return "take limiter = 'wang'"
        if self.borrows_matrix:
            return f"take flux = 'roe', whose matrix pseudo-steps of {self.flux!r} solve with"
        return f"raise jacobian_fix ({self.jacobian_fix:g})"

    @property
    def steady_remedy(self) -> str:
        if self.newton or self.linear_solver == "lusgs":
            return self.remedy
        return f"take newton = True (in float64) or {self.remedy}"

    @property
    def with_matrix(self) -> str:
        """Setting that gives pseudo-steps a matrix."""
        return "linear_solver = 'bicgstab'"

    def check_turbulent(self) -> None:
        """Raise SettingsError for what a model of turbulence does not go with."""

    def complete(
        self,
        viscous: bool = False,
        dimension: Dimension = XY,
        double: bool = True,
        turbulent: bool = False,
        between: bool = False,
    ) -> AleSettings:
        """With what follows from limiter, dimension, gas and precision where none was given.

        Parameters
        ----------
        between : the flow is one between inlets and outlets
        """
        own: dict[str, Any] = {}
        newton = self.newton
        if turbulent:
            self.check_turbulent()
        if newton is None:
            why = self._pseudo_steps(viscous, dimension, double, between)
            own["newton"] = newton = not why
            if why:
                given = (*NEWTON, *(["unsteady_newton"] if self.unsteady_newton else []))
                self.unused(given, f"newton is False by default {why}")
        if self.unsteady_newton is None:
            own["unsteady_newton"] = newton and turbulent
            if newton and not turbulent:
                why = "unsteady_newton is False by default without a model of turbulence"
                self.unused(["unsteady_newton_tolerance"], why)
        if self.matrix and self.jacobian_fix is None:
            own["jacobian_fix"] = FIX[dimension.count]
        if self.limiter_k is None:
            limiter = LIMITERS[self.limiter]
            other = limiter.viscous if viscous else limiter.others.get(dimension.count)
            own["limiter_k"] = limiter.k if other is None else other
        most = np.inf if self.cfl_max is None else self.cfl_max
        if self.cfl is None:
            own["cfl"] = min(self.first_cfl[dimension.count], most)
        if self.unsteady_cfl is None:
            own["unsteady_cfl"] = min(UNSTEADY_CFL[viscous], most)
        return replace(self, **own)
