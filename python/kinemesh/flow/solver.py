"""What the solvers on moving volumes share: bodies, loads, pseudo-steps, time steps.

docs/theory.md, section 2.6.  A solver puts its residual and its pseudo-step together; the rest of a
case is here, and in `kinemesh.flow.state`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.fields import Fields
from kinemesh.errors import warn
from kinemesh.flow import memory, sizes
from kinemesh.flow.arguments import Arguments, Markers, check_vortex, motions_of
from kinemesh.flow.bodies import Bodies
from kinemesh.flow.door import Runnable
from kinemesh.flow.dualtime import HUGE
from kinemesh.flow.forces import Forces, Loads
from kinemesh.flow.implicit import Implicit
from kinemesh.flow.lusgs import Lusgs
from kinemesh.flow.state import PREDICTORS, State
from kinemesh.linear import Bicgstab, Pattern, Sweeps
from kinemesh.motion import Pose, PoseArray, RateArray
from kinemesh.motion.deform.base import Mover, Poses
from kinemesh.space.volumes import Volumes


class Solver(State, Runnable, ABC):
    """A case, or an ensemble of cases.

    A subclass checks its arguments (`arguments_of`, `assign_markers`), asks for memory (`_ask`),
    makes its volumes, and hands all of them on to here.  The states are there then, and it makes
    what `residual` and `pseudo_step` put together.

    Attributes
    ----------
    those of `State`
    deform, moment_about, chord, reference : of the arguments
    sides, kinds, measured : of the markers;  notes : what must be said of bodies and motions
    motions : of each body;  bodies : with them
    forces : Forces;  vortex : calls that give the far field's vortex its strength
    mover : of the deformation, from the first step on
    step : time steps of the members, and whether it is the first one
    placed, predicted : whether the present step has had its place, and its prediction
    steps : number of steps since the motion began, the present one counted
    case : of the case file that it is of, for the summary
    """

    backend_type: type[Backend] = Backend
    method: str  # its name in the registry, and in case files
    case: Mapping[str, Any] | None = None

    def __init__(self, arguments: Arguments, markers: Markers, grid: Volumes) -> None:
        self.deform, self.moment_about = arguments.deform, arguments.moment_about
        self.chord, self.reference = arguments.chord, arguments.reference
        self.sides, self.kinds, self.measured = markers.sides, markers.kinds, markers.measured
        self.deform.check_vertices(grid.vertices)
        self.motions = tuple(motions_of(arguments.motion, grid.members, grid.bodies))
        check_vortex(arguments.settings.far_field, arguments.mach, self.motions, self.kinds)
        sizes.check_motions(self.chord, self.motions, grid.bodies)
        self.notes = [*markers.notes, *sizes.check_points(arguments, self.motions, grid)]
        for note in self.notes:
            warn(note)
        super().__init__(arguments, grid)
        self.bodies = Bodies(grid.bodies, self.motions, self.mach, self.moment_about, grid.ensemble)
        self.forces = Forces(grid, self.fields, self.mach, self.alpha_deg, *self.reference)
        self.vortex: list[Any] = []
        if self.settings.far_field == "vortex":
            self.fields.add(strength=self.backend.zeros(grid.members, np.float64))
            self.vortex = self.forces.vortex(self.fields)
        self.mover: Mover | None = None
        self.placed = self.predicted = False
        self.steps = 0
        self._base: Any = None
        self._tolerance: float | None = None  # that is on the device
        none_yet = np.full(grid.members, np.inf)
        self.step: tuple[NDArray[np.float64], bool] = none_yet, True

    # ---- what a solver is ------------------------------------------------------------------

    @classmethod
    def room(
        cls, backend: Backend, spaces: Sequence[Any], settings: Any, deform: str | None
    ) -> int:
        """Bytes of the arrays of a case; DeviceError where they are more than is free.

        Parameters
        ----------
        spaces : meshes or clouds, one per member
        settings : as a solver has them (`settings`)
        deform : `Deformation.kind` of what moves them; None for a case at rest
        """
        return memory.room(cls, backend, spaces, settings, deform)

    @classmethod
    def _ask(cls, arguments: Arguments, spaces: Sequence[Any]) -> None:
        """DeviceError where the arrays of a case are more than is free."""
        deform = None if arguments.motion is None else arguments.deform.kind
        memory.ask(cls, arguments.backend, spaces, arguments.settings, deform)

    @abstractmethod
    def residual(self) -> list[Any]:
        """Calls from u to res: d(u V)/dt with the physical time's terms."""

    @abstractmethod
    def pseudo_step(self) -> list[Any]:
        """Calls from res to the new u."""

    def suspects(self, member: int) -> str:
        """What of a member's nodes may keep its residual from falling, to be told after it."""
        return ""

    def marks(self) -> dict[str, NDArray]:
        """(nodes,) numbers that field files have beside the flow, by name."""
        return {}

    # ---- pseudo-time ----

    def iteration(
        self,
        drop: float,
        most: int,
        cfl: tuple[float, float, float],
        times: int,
        stall: float = HUGE,
    ) -> Any:
        """Recording of `times` pseudo-steps: residual, decision, implicit update.

        In the order of the kernels, of km.Ale with its default settings:
        state_primitive_range, ale_gradient_wang (q and its limited gradients); ale_flux_roe,
        ale_residual, bc_wall, bc_farfield (res); residual_check (who goes on, with which CFL
        number); and, unless all members have ended, narrow_state, ale_jacobian and those of the
        boundaries, block_* (factors), krylov_* (a loop of its own), widen_state, state_update (u).
        """
        b, active = self.backend, self.dualtime.active
        check = self.dualtime.check(self.fields, drop, most, cfl, stall)
        step = b.record(self.pseudo_step(), flag=active)
        once = b.record([*self.residual(), check, step])
        return b.record([once], times=times, flag=active)

    def _update_call(self, solution: dict[str, Any]) -> Any:
        """Call that adds the solution of an implicit system to u, within `max_change`."""
        return self.fields.bind("state_update", **solution, most=self.settings.max_change)

    @abstractmethod
    def _matrix_calls(
        self, pattern: Pattern, solver: Bicgstab | Sweeps, state: dict[str, Any], single: bool
    ) -> list[Any]:
        """Calls from `state`, in float32 where `single`, to the matrix and its side."""

    def _pseudo_step_calls(self, implicit: Implicit | Lusgs) -> list[Any]:
        """Calls from res to the new u: solution of the implicit system, update."""
        calls = (
            implicit.calls() if isinstance(implicit, Lusgs) else implicit.calls(self._matrix_calls)
        )
        return calls if implicit.update is None else [*calls, self._update_call(implicit.update)]

    def matrix_fields(
        self, pattern: Pattern, solver: Bicgstab | Sweeps, state: dict[str, Any]
    ) -> Fields:
        """What kernels that assemble a matrix from `state` take, whatever its fluxes."""
        b = self.backend
        fix = self.settings.jacobian_fix * np.maximum(1.0, self.mach**2)  # theory eq. 2.10b
        return self.fields.also(
            node=solver.tables["node"],
            diagonal=solver.tables["diagonal"],
            slot=b.table(self.grid.slots(pattern)),
            jacobian_fix=b.array(fix, solver.dtype),
            A=solver.A,
            rhs=solver.b,
            **state,
        )

    # ---- bodies ----

    def poses(self, time: NDArray) -> PoseArray:
        """Pose of every body at its member's time [chord/a_inf]."""
        return self.bodies.poses(time)

    def rates(self, time: NDArray) -> RateArray:
        """Change of every body's pose at its member's time [chord/a_inf]."""
        return self.bodies.rates(time)

    def moment_points(self, poses: Sequence[Pose] = ()) -> NDArray[np.float64]:
        """(members, 2) the moment's point, which moves with each member's first body."""
        return self.bodies.moment_points(poses)

    def coefficients(self, poses: Sequence[Pose] = ()) -> NDArray[np.float64]:
        """(members, 3) cl, cd, cm of the present state, with the bodies at `poses`."""
        return self.loads(self.moment_points(poses))

    def body_coefficients(self, poses: Sequence[Pose] = ()) -> list[dict[str, Any]]:
        """Loads of each body: per member {marker: {cl, cd, cm}}, with the bodies at `poses`."""
        self._primitive()
        loads = self.forces.bodies(self.moment_points(poses))
        found: list[dict[str, Any]] = [{} for _ in range(self.grid.members)]
        for (member, marker), load in zip(self.grid.bodies, loads.tolist(), strict=True):
            found[member][marker] = dict(zip(("cl", "cd", "cm"), load, strict=True))
        return found

    def loads(self, about: NDArray) -> NDArray[np.float64]:
        """(members, 3) cl, cd, cm of the present state, moments about `about` (members, 2)."""
        self._primitive()
        return self.forces.members(about)

    def moving_loads(self, poses: PoseArray, rates: RateArray) -> Loads:
        """Loads and power of every body at `poses` that change with `rates`."""
        self._primitive()
        bodies = self.bodies
        return self.forces.loads(
            bodies.moment_points(poses), poses, rates, bodies.pivoted, bodies.pivots
        )

    # ---- time -----------------------------------------------------------------------------

    def rewind(self) -> None:
        """Every body and node back to where it was given, at rest; the flow stays as it is."""
        self.grid.reset()
        self.mover = None

    def rest(self, poses: Sequence[Pose]) -> None:
        """Bodies at `poses`, the mesh with them, all at rest; the flow stays as it is."""
        self.rewind()
        there = PoseArray.of(poses)
        if not (there.angle.any() or there.shift.any()):
            return
        self.deform.attach(self.grid.vertices).step(there.scaled)
        self.grid.start()
        self.check_faults("mesh at the start of the motion")

    def start_steady(self, poses: Sequence[Pose] = ()) -> None:
        """Bodies at `poses` (as given), no time terms: what follows marches to a steady state."""
        self.rest(poses)
        self.grid.set_time_levels(np.ones(self.grid.members), 0)
        self.low_mach.begin()
        self.backend.put(self.past, 0)
        self.grid.sweep()
        self.backend.put(self.centre, self.moment_points(poses))
        self._solve_to(self.settings.krylov_tolerance)
        self.dualtime.set_floor(None)
        self.backend.put(self.pace, 1.0)
        self.dualtime.begin()

    def _solve_to(self, tolerance: float) -> None:
        """Linear systems to this tolerance from now on."""
        if tolerance != self._tolerance:
            self.backend.put(self.tolerance, tolerance)
            self._tolerance = tolerance

    def begin_step(self, dt: NDArray, order: int) -> None:
        """Begin a physical step: what the last one left becomes the past.

        Parameters
        ----------
        dt : (members,)        [chord/a_inf]
        order : int            1 or 2: BDF1 or BDF2
        """
        if self.mover is None:
            self.mover = self.deform.attach(self.grid.vertices)
        self.grid.keep_levels()
        self._keep()
        self.grid.set_time_levels(dt, order)
        self._solve_to(self.settings.unsteady_krylov_tolerance)
        self.low_mach.begin_step()
        self.mover.begin()
        self.bodies.forget()
        self.step = dt, order == 1
        self.placed = self.predicted = False
        self.steps = 1 if order == 1 else self.steps + 1

    def place(self, poses_at: Poses) -> dict[str, float]:
        """Bodies to where they are at the end of the step, the mesh with them; pseudo-time from 0.

        Within one step it may be called again: with the last poses it has the bits of one call.

        Parameters
        ----------
        poses_at : callable    share 0..1 of the step -> poses of all bodies

        Returns
        -------
        dict    the deformation's numbers of how it went
        """
        assert self.mover is not None  # begin_step has made it
        if self.placed:
            self.mover.back()
        self.placed = True
        self.low_mach.follow(poses_at, *self.step)
        notes = self.mover.step(poses_at)
        self.grid.measure()
        self.grid.sweep()
        self._past()
        self.dualtime.begin()
        return notes

    def predict(self) -> None:
        """Go to the state that the last ones point to, for the march to begin from (eq. 2.15c).

        Once in a step, after its first `place`: what the residual's drop refers to is that of the
        last state.  The first step leaves a flow at rest, which points nowhere: prediction begins
        with the third.
        """
        order = min(self.settings.predictor, max(self.steps - 2, 0))
        if not order or self.predicted:
            return
        self.predicted = True
        if self._base is None:
            self._base = self.backend.record(
                [*self.residual(), self.dualtime.measure(self.fields), self._predict]
            )
        self.backend.put(self.weights, PREDICTORS[order])
        self._base()
