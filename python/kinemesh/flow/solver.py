"""What the solvers of the Euler equations on moving nodes share: state, motion, time, runs.

docs/theory.md, section 2.6.  A solver puts its residual and its pseudo-step together; the rest of a
case is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import instance, member_count, numbers, point_of
from kinemesh.device.backend import Backend
from kinemesh.device.fields import Fields
from kinemesh.errors import MeshError, warn
from kinemesh.flow import sizes
from kinemesh.flow.arguments import check_vortex, motions_of, states_of, stream_of
from kinemesh.flow.bodies import Bodies
from kinemesh.flow.door import Runnable
from kinemesh.flow.dualtime import DualTime
from kinemesh.flow.forces import Forces, Loads
from kinemesh.flow.implicit import Implicit
from kinemesh.flow.lowmach import LowMach
from kinemesh.flow.lusgs import Lusgs
from kinemesh.gas import conserved, free_stream
from kinemesh.linear import Bicgstab, Pattern, Sweeps
from kinemesh.mesh.sizes import Walls, measured
from kinemesh.motion import Motion, Pose, Rate
from kinemesh.motion.deform import Deformation
from kinemesh.motion.deform.base import Poses
from kinemesh.space.markers import kinds_of, walls_of
from kinemesh.space.volumes import Volumes


class Solver(Runnable, ABC):
    """A case, or an ensemble of cases.

    A subclass checks its arguments (`_begin`), asks for memory (`room`), sorts its markers
    (`_sides`), makes its volumes, then states (`_states`); it sets `_residual` (calls from u to
    res), `_implicit` (a recording from res to the new u), `_past`, `lowered` and `lowered_of`, and
    ends with `grid.start()` and `initialise()`.

    Attributes
    ----------
    u, q : (nodes, variables) device arrays    conserved (rho, rho velocity, rho E), primitive
    u1, u2 : u at the last time levels;  res : residual;  past : its terms of these levels
    grid : Volumes
    fields : what kernels take, by name
    backend : Backend
    pattern : Pattern      of the implicit system, for its colours
    sides : markers of bodies, of the far field;  kinds : of each other kind of boundary
    measured : of each member its walls as given;  notes : what must be said of them
    lowered : device array, entries that fell back to first order;  lowered_of : members of them
    step : time steps of the members, and whether it is the first one
    pace : (nodes,) device array     share of the CFL number that each node has for itself
    centre : (members, 2) device array    of the far field's vortex
    """

    method: str  # its name in the registry, and in case files
    settings: Any
    case: Mapping[str, Any] | None = None  # of the case file that it is of, for the summary
    chord: float | None = None  # stated by the user, in the plane
    reference: tuple[float, float] = (1.0, 1.0)  # area and length of the coefficients
    measured: list[Walls]
    sides: tuple[list[str], list[str]]
    kinds: dict[str, list[str]]
    notes: list[str]
    deform: Deformation
    grid: Volumes
    motions: list[Motion | None]
    lowered: Any
    step: tuple[NDArray[np.float64], bool]
    lowered_of: NDArray[np.int32]
    _residual: list[Any]
    _past: Any
    _implicit: Any

    def _begin(
        self,
        meshes: Any,
        settings: Any,
        deform: Deformation,
        backend: Backend,
        *,
        mach: Any,
        alpha_deg: Any,
        motion: Any,
        moment_about: Any,
        chord: Any = None,
        axes: str = "x, y",
    ) -> int:
        """Check and keep the arguments of the case; returns the number of members."""
        self.settings, self.backend = settings, backend
        wanted = "one of kinemesh.deform, such as Rigid()"
        self.deform = instance(deform, Deformation, "deform", wanted)
        self.moment_about = point_of(moment_about, "moment_about", axes)
        members = member_count(mesh=meshes, mach=mach, alpha_deg=alpha_deg, motion=motion)
        self.deform.check(self.backend, members)
        self.mach, self.alpha_deg = stream_of(mach, alpha_deg, members)
        if chord is not None:
            self.chord = float(numbers(chord, 1, "chord", positive=True)[0])
            self.reference = self.chord, self.chord
        return members

    def _sides(
        self,
        spaces: Sequence[Any],
        walls: Any,
        far: Any,
        planes: Sequence[str] = (),
        boundaries: Any = None,
    ) -> dict[str, list[str]]:
        """Markers of each kind of boundary; the bodies' sizes are looked at."""
        self.kinds = kinds_of(boundaries, spaces)
        planes = [*planes, *(name for names in self.kinds.values() for name in names)]
        self.sides = walls_of(walls, spaces, planes, far)
        if not self.sides[1] and any(self.kinds.values()):
            raise MeshError(
                f"boundaries is {dict(boundaries)}, which leaves no marker to the far field; "
                "expected one at least that the stream comes from"
            )
        self.measured = measured(spaces, self.sides[0], planes)
        self.notes = sizes.check(spaces, self.measured, self)
        walls, far = self.sides
        return {"wall": walls, "far": far} | {kind: n for kind, n in self.kinds.items() if n}

    def _states(self, grid: Volumes, motion: Any) -> None:
        """Arrays, forces and control on the nodes of a grid."""
        self.grid = grid
        self.deform.check_vertices(grid.vertices)
        self.motions = motions_of(motion, grid.members, grid.bodies)
        check_vortex(self.settings.far_field, self.mach, self.motions)
        self.bodies = Bodies(grid.bodies, self.motions, self.mach, self.moment_about)
        sizes.check_motions(self)
        self.notes += sizes.check_points(self)
        for note in self.notes:
            warn(note)
        self.mover: Any = None
        self.placed = False  # in the present step
        b, n = self.backend, grid.nodes
        self.u, self.u1, self.u2, self.q, self.res, self.past = (
            b.zeros((n, grid.variables)) for _ in range(6)
        )
        self.pace = b.array(np.ones(n), np.float64)
        stream = free_stream(self.mach, self.alpha_deg, grid.dimensions)
        self.stream = b.array(stream, np.float64)
        self.centre = b.zeros((grid.members, 2), np.float64)
        self.dualtime = DualTime(grid)
        self.low_mach = LowMach(grid, self.settings, self.mach, self.alpha_deg)
        self.fields = grid.fields.also(
            u=self.u,
            u1=self.u1,
            u2=self.u2,
            q=self.q,
            res=self.res,
            past=self.past,
            pace=self.pace,
            stream=self.stream,
            centre=self.centre,
            active=self.dualtime.active,
            cfl=self.dualtime.cfl,
            low_mach=self.low_mach.pairs,
            fix=self.settings.entropy_fix,
        )
        self.forces = Forces(grid, self.fields, self.mach, self.alpha_deg, *self.reference)
        self.vortex: list[Any] = []
        if self.settings.far_field == "vortex":
            self.fields.add(strength=b.zeros(grid.members, np.float64))
            self.vortex = self.forces.vortex(self.fields)
        self._primitive = self.fields.bind("ale_primitive")
        self._levels = b.record(
            [
                b.bind(f"copy_real{grid.variables}", **{"from": self.u1, "to": self.u2}),
                b.bind(f"copy_real{grid.variables}", **{"from": self.u, "to": self.u1}),
            ]
        )

    def _past_call(self, V1: Any, V2: Any) -> Any:
        """Call that puts the terms of the last time levels into `past`."""
        return self.fields.bind("ale_past", V1=V1, V2=V2)

    def _update_call(self, solution: dict[str, Any]) -> Any:
        """Call that adds the solution of an implicit system to u, within `max_change`."""
        return self.fields.bind("ale_update", **solution, most=self.settings.max_change)

    def suspects(self, member: int) -> str:
        """What of a member's nodes may keep its residual from falling, to be told after it."""
        return ""

    @classmethod
    @abstractmethod
    def room(
        cls, backend: Backend, spaces: Sequence[Any], settings: Any, deform: str | None
    ) -> int:
        """Bytes of the arrays of a case; DeviceError where they are more than is free.

        Parameters
        ----------
        spaces : meshes or clouds, one per member
        deform : `Deformation.kind` of what moves them; None for a case at rest
        """

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
            fix=b.array(fix, solver.dtype),
            A=solver.A,
            rhs=solver.b,
            **state,
        )

    def iteration(self, drop: float, most: int, cfl: tuple[float, float, float], times: int) -> Any:
        """Recording of `times` pseudo-steps: residual, decision, implicit update.

        In the order of the kernels, of km.Ale with its default settings:
        ale_primitive_range, ale_gradient_wang (q and its limited gradients); ale_flux_roe,
        ale_residual, bc_wall, bc_farfield (res); residual_check (who goes on, with which CFL
        number); and, unless all members have ended, narrow_state, ale_jacobian and those of the
        boundaries, block_* (factors), krylov_* (a loop of its own), widen_state, ale_update (u).
        """
        check = self.dualtime.check(self.res, drop, most, cfl)
        once = self.backend.record([*self._residual, check, self._implicit])
        return self.backend.record([once], times=times, flag=self.dualtime.active)

    # ---- state ----------------------------------------------------------------------------

    def initialise(self, q: NDArray | None = None) -> None:
        """Set every time level to primitive states q (nodes, variables), or to the free stream."""
        self.grid.ensemble.begin()
        if q is None:
            u = conserved(self.backend.get(self.stream))[self.grid.member]
        else:
            u = conserved(states_of(q, self.grid.nodes, self.grid.variables))
        self._set_levels(u)

    @contextmanager
    def running(self, failed: Sequence[Mapping[str, Any]] = ()) -> Iterator[None]:
        """A run of all members but those that have `failed` in the part that it goes on with.

        Members that failed in an earlier run begin from the free stream.
        """
        spoiled = list(self.grid.ensemble.failures)
        with self.grid.ensemble.reporting(failed):
            if spoiled:
                u, of = self.backend.get(self.u), np.isin(self.grid.member, spoiled)
                u[of] = conserved(self.backend.get(self.stream))[self.grid.member[of]]
                self._set_levels(u)
            yield

    def settle(self) -> None:
        """Set every time level to the present flow."""
        with self.grid.ensemble.quiet():
            u = conserved(self.primitive())
        self._set_levels(u)

    def _set_levels(self, u: NDArray) -> None:
        for array in (self.u, self.u1, self.u2):
            self.backend.put(array, u)
        self.backend.put(self.dualtime.active, self.grid.ensemble.alive)
        self._primitive()
        self.check_faults("initial state")

    def poses(self, time: NDArray) -> list[Pose]:
        """Pose of every body at its member's time [chord/a_inf]."""
        return self.bodies.poses(time)

    def rates(self, time: NDArray) -> list[Rate]:
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

    def moving_loads(self, poses: Sequence[Pose], rates: Sequence[Rate]) -> Loads:
        """Loads and power of every body at `poses` that change with `rates`."""
        self._primitive()
        return self.forces.loads(self.moment_points(poses), poses, rates, self.bodies.pivots)

    def at_first_order(self) -> int:
        """Number of entries of `lowered`, of members that have not failed."""
        lowered, ensemble = self.backend.get(self.lowered), self.grid.ensemble
        if ensemble.failures:
            lowered = lowered[ensemble.alive[self.lowered_of]]
        return int(lowered.sum())

    def check_faults(self, where: str, iterations: Any = None) -> None:
        """Members of whom a kernel has left a fault fail (`Members.fail`).

        Parameters
        ----------
        iterations : (members,) device array    of a march, to be told too

        Raises
        ------
        NumericalFault    outside of a run of several members
        """
        if self.grid.ensemble.find_faults(where, self.grid.vertices.place, iterations):
            self.dualtime.stop_failed()

    def marks(self) -> dict[str, NDArray]:
        """(nodes,) numbers that field files have beside the flow, by name."""
        return {}

    def primitive(self) -> NDArray:
        """(nodes, variables) rho, velocity, p on the host, nodes as in `grid.meshes`."""
        self._primitive()
        return self.backend.get(self.q)

    # ---- time -----------------------------------------------------------------------------

    def rewind(self) -> None:
        """Every body and node back to where it was given, at rest; the flow stays as it is."""
        self.grid.reset()
        self.mover = None

    def rest(self, poses: Sequence[Pose]) -> None:
        """Bodies at `poses`, the mesh with them, all at rest; the flow stays as it is."""
        self.rewind()
        if all(p.angle == 0 and p.shift == (0.0, 0.0) for p in poses):
            return
        self.deform.attach(self.grid.vertices).step(
            lambda share: [
                Pose(share * p.angle, p.about, (share * p.shift[0], share * p.shift[1]))
                for p in poses
            ]
        )
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
        self.dualtime.set_floor(None)
        self.backend.put(self.pace, 1.0)
        self.dualtime.begin()

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
        self._levels()
        self.grid.set_time_levels(dt, order)
        self.low_mach.begin_step()
        self.mover.begin()
        self.step = dt, order == 1
        self.placed = False

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
        if self.placed:
            self.mover.back()
        self.placed = True
        self.low_mach.follow(poses_at(0.0), poses_at(1.0), *self.step)
        notes = self.mover.step(poses_at)
        self.grid.measure()
        self.grid.sweep()
        self._past()
        self.dualtime.begin()
        return notes
