"""Equation of Spalart and Allmaras, solved beside those of the gas (docs/theory.md, 9.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.flow.terms.base import Term
from kinemesh.flow.terms.eddies_newton import NewtonEddies
from kinemesh.flow.terms.viscous import Viscous, WallFields
from kinemesh.linear import Bicgstab
from kinemesh.linear.thin_layers import Layers
from kinemesh.space.conditions.base import OUTER
from kinemesh.space.conditions.table import role_of
from kinemesh.space.distance import wall_distance

# of the linear system of a pseudo-step; more iterations gain no pseudo-steps
TOLERANCE, MOST = 0.3, 2
# of the terms of a residual that cancel; measured: 4.7 where a march stalls at round-off
ROUNDINGS = 5.0


class EddyViscosity(Viscous):
    """Viscosity at the nodes, with that of eddies by the working variable nu~."""

    def __init__(self, case: Any) -> None:
        case.fields.add(nt=case.backend.zeros(case.grid.nodes))
        super().__init__(case)


class SpalartAllmaras(Term):
    """Working variable nu~: its residual, its march beside that of the gas.

    Attributes
    ----------
    nt : (nodes,) device array [a_inf, lengths of the mesh];  nt1, nt2 : at the last time levels
    norm, base : (members,) of its residual, now and the most that it was in this march
    solver : Bicgstab
    """

    name = "turbulence"
    columns = ("residual_turbulence",)

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        b, grid, fields = case.backend, self.grid, self.fields
        self.backend = b
        self.stream = case.viscosity.nu_ratio * case.viscosities
        self.nt, self.nt1, self.nt2 = fields["nt"], b.zeros(grid.nodes), b.zeros(grid.nodes)
        pattern = case.pattern
        self.solver = solver = Bicgstab(
            b, pattern, 1, fields["active"], grid.faults, tolerance=TOLERANCE, suffix="f32"
        )
        self.drop, self.base, self.norm = (
            b.array(np.ones(grid.members), np.float64) for _ in range(3)
        )
        wall_distance(grid, [m for m, own in case.conditions.items() if own.strong])
        self.busy = b.zeros(grid.members, np.int32)
        self.own = own = fields.also(
            node=solver.tables["node"],
            diagonal=solver.tables["diagonal"],
            row_of=b.table(pattern.row_of),
            slot=b.table(grid.slots(pattern)),
            eta=b.zeros(grid.nodes),
            nt1=self.nt1,
            nt2=self.nt2,
            slope_nt=b.zeros((grid.nodes, grid.dimensions)),
            busy=self.busy,
            nt_stream=b.array(self.stream, np.float64),
            A=solver.A,
            rhs_nt=solver.b,
            dnt=solver.x,
            res_nt=b.zeros(grid.nodes),
            size_nt=b.zeros(grid.nodes),
            roundings=ROUNDINGS * b.eps,
            drop_nt=self.drop,
            base_nt=self.base,
            norm_nt=self.norm,
        )
        self._gradient = own.also(**grid.fitted_whole).bind("eddy_gradient")
        totals, self._walls = grid.totals, case.terms[WallFields.name].faces
        self._check = own.bind(
            "eddy_check",
            **totals,
            parts=b.zeros((grid.chunks, 2), np.float64),
            iterations=case.dualtime.iterations,
        )
        self._keep = own.bind("eddy_keep")
        self.row_of = pattern.row_of
        self.initialise()

    def initialise(self) -> None:
        """Set nu~ of every time level to that of the stream, 0 at the walls."""
        away = self.backend.get(self.fields["distance"]) > 0
        values = self.stream[self.grid.member] * away
        for own in (self.nt, self.nt1, self.nt2):
            self.backend.put(own, values)

    def residual(self) -> list[Any]:
        return [
            self._gradient,
            self.own.bind("eddy_rows"),
            *self._through("eddy_through"),
            *self._at_walls("eddy_wall"),
            self._check,
        ]

    def perturbed(self) -> list[Any]:
        return [
            self._gradient,
            self.own.bind("eddy_residual"),
            *self._through("eddy_through_residual"),
            *self._at_walls("eddy_wall_residual"),
        ]

    def beside(self) -> Callable[[Fields, Layers], NewtonEddies]:
        return lambda vectors, layers: NewtonEddies(self.own, vectors, self.solver, layers)

    def _through(self, kernel: str) -> list[Any]:
        """Calls of this kernel for the patches that let the gas in or out."""
        calls = []
        for kind, patch in self.grid.patches.items():
            if role_of(kind) == OUTER and len(patch):
                line = self.backend.table(self.row_of[patch.node])
                own = self.own.also(**patch.device, line=line)
                calls += [own.bind(kernel, over) for over in patch.layers]
        return calls

    def _at_walls(self, kernel: str) -> list[Any]:
        """Calls of this kernel for the faces of walls, where volumes do not stand on these."""
        calls = []
        for patch in self._walls:
            own = self.own.also(**patch.device, line=self.backend.table(self.row_of[patch.node]))
            calls += [own.bind(kernel, over) for over in patch.layers]
        return calls

    def step(self) -> list[Any]:
        solver = self.solver
        return [solver.factor, solver.solve_recorded(MOST), self.own.bind("eddy_update")]

    def begin_step(self) -> None:
        self._keep()
        self.backend.put(self.drop, self.settings.unsteady_turbulence_drop)

    def start_steady(self) -> None:
        self.backend.put(self.drop, self.settings.turbulence_drop)

    def settle(self) -> None:
        for own in (self.nt1, self.nt2):
            self.backend.put(own, self.backend.get(self.nt))

    def beside_res(self) -> list[tuple[str, Any]]:
        return [("nu~", self.own["res_nt"])]

    def above(self) -> NDArray[np.bool_]:
        norm, base, drop = (self.backend.get(a) for a in (self.norm, self.base, self.drop))
        return np.asarray(~(norm <= drop * base))

    def numbers(self) -> dict[str, NDArray[Any]]:
        norm, base = (self.backend.get(a) for a in (self.norm, self.base))
        return {"residual_turbulence": norm / np.maximum(base, 1e-300)}

    def outputs(self) -> dict[str, NDArray[Any]]:
        """EddyViscosity over the viscosity of the stream, NuTilde over its kinematic one."""
        get = self.backend.get
        stream = get(self.fields["mu_stream"])[self.grid.member]
        return {
            "EddyViscosity": get(self.fields["mu"])[:, 1] / stream,
            "NuTilde": get(self.nt).astype(float) / stream,
        }

    @property
    def kept(self) -> dict[str, Any]:
        return {
            "nu_tilde": self.nt,
            "nu_tilde_1": self.nt1,
            "nu_tilde_base": self.base,
            "nu_tilde_norm": self.norm,
            "nu_tilde_busy": self.busy,
        }
