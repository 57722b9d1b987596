"""Settings of the incompressible solver (docs/theory.md, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.device.faults import DIVERGED, PIVOT
from kinemesh.flow.gas.settings import TINY, Settings

SMALLER = (
    "smaller time steps (time_step, steps_per_cycle), or a mesh that is finer where the flow "
    "changes most"
)
SLOWER = "a lower cfl, or an unsteady run, as a wake that sheds vortices has no steady flow"
COUNTS = (
    "outer", "momentum_iterations", "pressure_iterations", "overlap", "steady_iterations",
)  # fmt: skip
CONVECTION = ("upwind", "blend")
INTERPOLATION = ("quadratic", "linear")


@checks_names
@dataclass(frozen=True, slots=True, kw_only=True)
class IncompressibleSettings(Settings):
    """Settings of the projection step, and of the march to a steady flow.

    Parameters
    ----------
    convection : "upwind" (second order, by the upwind end's gradient) or "blend" (half of it and
        half of the mean of both ends)
    outer : int                passes through momentum and pressure in a step
    momentum_drop : float      residual of the momentum equation over its first value at which a
        step's velocity has converged
    momentum_iterations : int  most iterations for it
    pressure_tolerance : float residual of the pressure's equation over that of no guess at which it
        is solved
    pressure_iterations : int  most iterations of BiCGSTAB for it
    steady_drop : float        residual of a steady march over its first value at which it has
        converged (theory, section 7.7)
    steady_iterations : int    most iterations of a steady march
    cfl : float                CFL number of its iterations; the flow that it ends at does not
        depend on it
    extrapolate_every : int    a steady march extrapolates velocities and pressures by what they
        changed in so many iterations (theory, section 7.8), 12 bytes a node each; 0: it does not
    interpolation : "quadratic" (with half of the gradients of the cell that gives a value) or
        "linear", where overset parts take values from one another
    overlap : int              layers of cells by which overset parts are solved for beyond where
        another part is nearer to its walls
    """

    remedies: ClassVar[Mapping[int, str]] = {DIVERGED: SMALLER, PIVOT: SMALLER}
    steady_remedies: ClassVar[Mapping[int, str]] = {DIVERGED: SLOWER, PIVOT: SLOWER}

    of_steps: ClassVar[tuple[str, ...]] = ("outer", "momentum_drop", "momentum_iterations")

    convection: str = "upwind"
    outer: int = 1
    momentum_drop: float = 1e-3
    momentum_iterations: int = 20
    pressure_tolerance: float = 1e-4
    pressure_iterations: int = 200
    steady_drop: float = 1e-6
    steady_iterations: int = 2000
    cfl: float = 3.0
    extrapolate_every: int = 10
    interpolation: str = "quadratic"
    overlap: int = 3

    def __post_init__(self) -> None:
        self.choose(convection=CONVECTION, interpolation=INTERPOLATION)
        for name in COUNTS:
            self.count(name)
        self.count("extrapolate_every", least=0)
        self.within(momentum_drop=(0, 1), pressure_tolerance=(0, 1))
        self.within(steady_drop=(TINY, 1), cfl=(0, np.inf))

    def scheme(self, mode: str) -> str:
        """The discretisation of a run of this mode, in words."""
        steps = "march to a steady flow" if mode == "steady" else "BDF2"
        return f"projection, {steps}, convection {self.convection}"

    @property
    def steady_remedy(self) -> str:
        """Advice where the residual of a steady march does not fall."""
        return (
            f"take another cfl than {self.cfl:g}, lower or up to 10, or run unsteady (a wake that "
            "sheds vortices has no steady flow)"
        )

    @property
    def unsteady_drop(self) -> float:
        """Drop of a step's residual at which it has converged."""
        return self.momentum_drop
