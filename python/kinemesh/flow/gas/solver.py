"""Base of the solvers of a gas: pseudo-steps, physical steps.

docs/theory.md, section 2.6.  A solver lists its terms and its operator; the rest of a case is here,
in `kinemesh.flow.gas.state` and, whatever the equations, in `kinemesh.flow.moving`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.bodies.planes import check_placement
from kinemesh.device.fields import Fields
from kinemesh.errors import SettingsError
from kinemesh.flow.door.arguments import Arguments, Markers, check_vortex
from kinemesh.flow.gas.answers import Answers
from kinemesh.flow.gas.dualtime import HUGE
from kinemesh.flow.gas.implicit import Operator
from kinemesh.flow.gas.newton import Newton
from kinemesh.flow.gas.state import PREDICTORS, State
from kinemesh.flow.moving import Moving
from kinemesh.flow.terms.base import Rows, Term
from kinemesh.io.columns import SIDES
from kinemesh.linear import Bicgstab, Pattern, Sweeps
from kinemesh.motion import Pose
from kinemesh.space.volumes import Volumes

Terms = tuple[Callable[[Any], Term], ...]
"""Makers of terms, in the order of their calls."""


class Solver(Answers):
    """A case of a gas, or an ensemble of cases.

    A subclass chooses its terms and its `operator`.  It checks its arguments (`arguments_of`,
    `assign_markers`), asks for memory (`fits`), makes its volumes, and hands all of them on to
    here.

    Attributes
    ----------
    those of `Answers`
    terms : of the residual by name, as made
    implicit : solves for the change of u in a pseudo-step
    predicted : whether the present step has had its prediction
    flowing : whether the present flow was computed or given, and is not the stream of the start
    planes_shift : whether planes of symmetry in space may shift with the bodies
    """

    planes_shift: ClassVar[bool] = False

    def __init__(self, arguments: Arguments, markers: Markers, grid: Volumes) -> None:
        Moving.__init__(self, arguments, markers, grid)
        State.__init__(self, arguments, grid)
        self.terms = {}
        for make in self.terms_of():
            term = make(self)
            self.terms[term.name] = term
        seen = [call for term in self.terms.values() for call in term.seen()]
        if seen:
            self._primitive = self.backend.record([self._primitive, *seen])
            self._primitive()
        self.friction = self.friction_of()(self)
        self.steady_columns = self.friction.columns
        for term in self.terms.values():
            self.steady_columns += term.columns
        self.steady_columns += SIDES[grid.dimensions]
        self.columns = (*self.steady_columns, *grid.columns)
        self._residual = [call for term in self.terms.values() for call in term.residual()]
        self.implicit = self.operator()
        self._steps = self.implicit.calls(self.assemble)
        if self.implicit.update is not None:
            self._steps.append(self._update_call(self.implicit.update))
        self._steps += [call for term in self.terms.values() for call in term.step()]
        self.newton = self.beyond()
        if self.newton is not None:
            self.steady_columns += self.newton.columns
        if self.newton_of_steps is not None:
            self.columns += self.newton_of_steps.step_columns
        self.predicted = False
        self._base: Any = None
        self._referred: Any = None
        self._tolerance: float | None = None  # that is on the device

    def check_motions(self, arguments: Arguments) -> None:
        check_vortex(
            arguments.settings.far_field, arguments.streams["mach"], self.motions, self.conditions
        )

    def check_placement(self, placement: Placement) -> None:
        check_placement(self.grid, placement, self.planes_shift)

    # ---- what a solver is ------------------------------------------------------------------

    @abstractmethod
    def terms_of(self) -> Terms:
        """Terms of the residual of this case, in the order of their calls.

        They are made of the case one after the other, its grid and its fields being there.
        """

    @abstractmethod
    def operator(self) -> Operator:
        """Solver for the change of u in a pseudo-step."""

    def beyond(self) -> Newton | None:
        """Steps of Newton's method, to which a steady march goes over; None: it has none."""
        return None

    def initialise(self, q: NDArray[Any] | None = None) -> None:
        super().initialise(q)
        for term in getattr(self, "terms", {}).values():
            term.initialise()
        self.fresh, self.flowing = True, q is not None

    def _for_loads(self) -> None:
        super()._for_loads()
        if self.fresh and self.friction.reacts:
            self._react()

    def _react(self) -> None:
        """Reactions of the walls to a flow that no march has gone on from, all at rest."""
        self.fresh = False
        u = self.backend.get(self.u)
        self._without_time()
        for call in self._residual:
            call()
        self.backend.put(self.u, u)  # which the walls have taken along

    def settle(self) -> None:
        super().settle()
        for term in self.terms.values():
            term.settle()

    def residual(self) -> list[Any]:
        """Calls from u to res: d(u V)/dt with the physical time's terms."""
        return self._residual

    def check_swept(self) -> None:
        """SettingsError for a term whose derivative sweeps without a matrix lack."""
        for term in self.terms.values():
            if type(term).matrix is not Term.matrix and not term.swept:
                raise SettingsError(
                    f"pseudo-steps without a matrix lack the derivative of the term {term.name!r}; "
                    f"use {self.settings.with_matrix}"
                )

    def again(self) -> list[Any]:
        """Calls from q to res, in the stages of a pseudo-step."""
        return [call for term in self.terms.values() for call in term.again()]

    def pseudo_step(self) -> list[Any]:
        """Calls from res to the new u."""
        return self._steps

    def marching(self, stall: float) -> Any:
        s, times = self.settings, 32 if self.backend.on_gpu else 4
        cfl = s.ramp(s.unsteady_cfl)
        drop, most = s.unsteady_drop, s.unsteady_iterations
        return self.iteration(drop, most, cfl, times, stall, self.newton_of_steps)

    def steady_iteration(self) -> Any:
        s = self.settings
        return self.iteration(
            s.steady_drop, s.steady_iterations, s.ramp(s.cfl), 1, newton=self.newton
        )

    # ---- pseudo-time ----

    def iteration(
        self,
        drop: float,
        most: int,
        cfl: tuple[float, float, float],
        times: int,
        stall: float = HUGE,
        newton: Newton | None = None,
    ) -> Any:
        """Recording of `times` pseudo-steps: residual, decision, implicit update.

        With `newton` a member may take a step of Newton's method in the place of one.

        In the order of the kernels, of km.Ale with its default settings:
        state_primitive_range, ale_gradient_wang (q and its limited gradients); ale_flux_roe,
        ale_residual, bc_wall, bc_farfield (res); residual_check (who goes on, with which CFL
        number); and, unless all members have ended, narrow_state, ale_jacobian and those of the
        boundaries, block_* (factors), krylov_* (a loop of its own), widen_state, state_update (u).
        """
        b, active = self.backend, self.dualtime.active
        check = self.dualtime.check(self.fields, drop, most, cfl, stall, self.busy)
        step = b.record(self.pseudo_step(), flag=active)
        steps = [step] if newton is None else newton.calls(step)
        once = b.record([*self.residual(), check, *steps])
        return b.record([once], times=times, flag=active)

    def _update_call(self, solution: dict[str, Any]) -> Any:
        """Call that adds the solution of an implicit system to u, within `max_change`."""
        return self.fields.bind("state_update", **solution, most=self.settings.max_change)

    def assemble(
        self, pattern: Pattern, solver: Bicgstab | Sweeps, state: dict[str, Any], single: bool
    ) -> list[Any]:
        """Calls from `state`, in float32 where `single`, to the matrix and its side."""
        metrics, sides = self.grid.in_precision(single)
        fields = self.matrix_fields(pattern, solver, state).also(**metrics)
        rows = Rows(
            fields, pattern.diagonal[pattern.row_of], sides, solver.suffix, pattern.row_of,
            solver.tables["row"],
        )  # fmt: skip
        return [call for term in self.terms.values() for call in term.matrix(rows)]

    @property
    def matrix_fix(self) -> NDArray[np.float64]:
        """(members,) entropy fix of the matrix (theory eq. 2.10b)."""
        fix: NDArray[np.float64] = self.settings.jacobian_fix * np.maximum(1.0, self.mach**2)
        return fix

    def matrix_fields(
        self, pattern: Pattern, solver: Bicgstab | Sweeps, state: dict[str, Any]
    ) -> Fields:
        """Fields of the kernels that assemble a matrix from `state`, whatever its fluxes."""
        b = self.backend
        return self.fields.also(
            node=solver.tables["node"],
            diagonal=solver.tables["diagonal"],
            slot=b.table(self.grid.slots(pattern)),
            jacobian_fix=b.array(self.matrix_fix, solver.dtype),
            A=solver.A,
            rhs=solver.b,
            **state,
        )

    # ---- time -----------------------------------------------------------------------------

    def start_from(self, start: str) -> None:
        if start != "stream":
            return
        self._set_levels(self._streams()[self.grid.member])
        for term in self.terms.values():
            term.initialise()
        self.fresh = True

    def start_steady(self, poses: Sequence[Pose] = ()) -> None:
        """Bodies at `poses` (as given), no time terms: what follows marches to a steady state."""
        self.rest(poses)
        for term in self.terms.values():
            term.place(self.standing(poses))
        self._without_time()
        self.fresh, self.flowing = False, True
        self.backend.put(self.centre, self.moment_points(poses))
        self._solve_to(self.settings.krylov_tolerance)
        for term in self.terms.values():
            term.start_steady()
        if self.newton is not None:
            self.newton.begin()
        self.dualtime.set_floor(None)
        self.backend.put(self.pace, 1.0)
        self.dualtime.begin()

    def _without_time(self) -> None:
        """No time terms, and all walls at rest but those that slide."""
        self.grid.set_time_levels(np.ones(self.grid.members), 0)
        self.grid.sweep()
        self.low_mach.begin()
        self.backend.put(self.past, 0)

    def resume_steady(self, poses: Sequence[Pose]) -> None:
        del poses  # a restart has the vertices there
        self.start_steady()

    def _solve_to(self, tolerance: float) -> None:
        """Linear systems to this tolerance from now on."""
        if tolerance != self._tolerance:
            self.backend.put(self.tolerance, tolerance)
            self._tolerance = tolerance

    def begin_step(self, dt: NDArray[Any], order: int) -> None:
        """Begin a physical step: what the last one left becomes the past.

        Parameters
        ----------
        dt : (members,)        [chord/a_inf]
        order : int            1 or 2: BDF1 or BDF2
        """
        self.begin_bodies(dt, order)
        self.flowing = True
        self._keep()
        self._solve_to(self.settings.unsteady_krylov_tolerance)
        self.low_mach.begin_step()
        for term in self.terms.values():
            term.begin_step()
        self.predicted = False

    def at_time(self, times: NDArray[np.float64]) -> None:
        for term in self.terms.values():
            term.at_time(times)

    def place(self, placement: Placement) -> dict[str, float]:
        """Bodies to where they are at the end of the step, the mesh with them; pseudo-time from 0.

        Within one step it may be called again: with the last poses it has the bits of one call.

        Returns
        -------
        dict    the deformation's numbers of how it went
        """
        again, onward = self.placed, placement.onward
        self.low_mach.follow(placement, *self.step)
        for term in self.terms.values():
            term.place(placement)
        notes = self.place_bodies(placement)
        self._past()
        if onward is not None:
            self.dualtime.go_on(onward)
        else:
            self.dualtime.begin()
            if again:
                self._refer_to_last()
        if self.newton_of_steps is not None:
            self.newton_of_steps.begin_step()
        return notes

    def _refer_to_last(self) -> None:
        """Drops of a march refer to the last state, with bodies where they are placed now.

        The first march of a step begins from that state, or has been predicted from it; later ones
        begin from what the marches before have left.
        """
        b = self.backend
        if self._referred is None:
            self._referred = b.record([*self.residual(), self.dualtime.measure(self.fields)])
        u = b.get(self.u)
        b.put(self.u, b.get(self.u1))
        self._referred()
        b.put(self.u, u)

    def predict(self) -> None:
        """Go to the state that the last ones point to, for the march to begin from (eq. 2.15c).

        Once in a step, after its first `place`: what the residual's drop refers to is that of the
        last state.  The first step leaves a flow at rest, which points nowhere: prediction begins
        with the third.
        """
        order = min(self.settings.predictor, max(self.step_number - 2, 0))
        if not order or self.predicted:
            return
        self.predicted = True
        if self._base is None:
            self._base = self.backend.record(
                [*self.residual(), self.dualtime.measure(self.fields), self._predict]
            )
        self.backend.put(self.weights, PREDICTORS[order])
        self._base()
