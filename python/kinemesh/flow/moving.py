"""Base of all solvers, whatever their equations: bodies, motions, loads, time levels.

A solver of flow has states and marches of its own (`kinemesh.flow.gas.solver` of a gas,
`kinemesh.flow.incompressible`); runs ask of it what stands here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.errors import warn_of
from kinemesh.flow import memory
from kinemesh.flow.bodies import Bodies, Stands
from kinemesh.flow.door import sizes
from kinemesh.flow.door.arguments import Arguments, Markers, motions_of
from kinemesh.flow.door.runnable import Runnable
from kinemesh.flow.forces import Forces, Loads
from kinemesh.flow.suspects import where_largest
from kinemesh.motion import Pose, PoseArray, RateArray
from kinemesh.motion.deform.base import Mover, Poses
from kinemesh.space.conditions.base import FACES
from kinemesh.space.conditions.table import in_time, refuse_time
from kinemesh.space.volumes import Volumes


class Moving(Runnable, ABC):
    """Bodies of an ensemble on its volumes.

    Attributes
    ----------
    settings, backend, streams, deform, moment_about, chord, reference : of the arguments
    speed : (members,)    reference speed in the units of the case, of loads and of reduced
        frequencies
    alpha_deg : (members,)
    grid : Volumes
    markers : Markers;  conditions : by marker
    notes : what must be said of bodies and motions
    motions : of each body;  bodies : with them
    forces : Forces
    mover : of the deformation, from the first step on
    step : time steps of the members, and whether it is the first one
    placed : whether the present step has had its place
    steps : number of steps since the motion began, the present one counted
    case : of the case file that it is of, for the summary
    more : what it was asked beside what all solvers are, for summaries and restarts
    starts : flows that an unsteady run may begin with, the first where none is named
    columns, steady_columns : of the history of an unsteady run, and of a steady one, beside those
        that all runs have
    frame_time : between two frames of a run without a period, in which a body of the reference
        speed goes as many reference lengths; 0: every step is one
    dualtime : who goes on inside a step: active, iterations, base, norm, floor (members,); of a
        march to a steady flow also cfl, and first, the norm that its drop refers to
    """

    backend_type: type[Backend] = Backend
    method: str  # its name in the registry, and in case files
    case: Mapping[str, Any] | None = None
    more: Mapping[str, Any] = {}
    starts: ClassVar[tuple[str, ...]] = ("steady", "as is")
    columns: ClassVar[tuple[str, ...]] = ()
    steady_columns: ClassVar[tuple[str, ...]] = ()
    frame_time: ClassVar[float] = 0.0
    uncounted: ClassVar[float] = 0.0  # bytes per node that small spaces do not show
    sample: ClassVar[Mapping[str, Any]] = {"mach": 0.5}  # streams on which memory is counted
    family: ClassVar[str] = FACES  # of solvers, whose conditions at the boundary it computes
    forces: Forces
    dualtime: Any

    def __init__(self, arguments: Arguments, markers: Markers, grid: Volumes) -> None:
        self.settings, self.backend, self.grid = arguments.settings, arguments.backend, grid
        grid.ensemble.remedies = self.settings.remedies
        me = ref(self)  # no circle, which would keep the arrays of a solver that is let go
        grid.ensemble.suspects = lambda m: "" if (own := me()) is None else own.suspects(m)
        self.streams = arguments.streams
        self.alpha_deg = arguments.streams["alpha_deg"]
        self.speed = self.streams.get("mach", np.ones(grid.members))
        self.deform, self.moment_about = arguments.deform, arguments.moment_about
        self.chord, self.reference = arguments.chord, arguments.reference
        self.markers, self.conditions = markers, markers.conditions
        self.deform.check_vertices(grid.vertices)
        self.motions = tuple(motions_of(arguments.motion, grid.members, grid.bodies))
        pairs = zip(grid.bodies, self.motions, strict=True)
        self.deform.check_conditions(
            self.conditions, {body for (_, body), motion in pairs if motion is not None}
        )
        self.check_motions(arguments)
        sizes.check_motions(self.chord, self.motions, grid.bodies)
        stands = Stands.of(arguments, grid.meshes, grid.bodies)
        said = sizes.check_points(arguments, self.motions, grid, stands.frames)
        self.notes = [*markers.notes, *said]
        warn_of(self.notes)
        self.more = {**self.more, **stands.told(grid.bodies), **in_time(self.conditions)}
        self.bodies = Bodies(
            grid.bodies, self.motions, self.speed, self.moment_about, grid.ensemble, stands,
            self.reference[1],
        )  # fmt: skip
        self.mover: Mover | None = None
        self.placed = False
        self.steps = 0
        none_yet = np.full(grid.members, np.inf)
        self.step: tuple[NDArray[np.float64], bool] = none_yet, True

    def check_motions(self, arguments: Arguments) -> None:
        """SettingsError for motions that the solver has no meaning for."""
        del arguments  # as a rule it has one for each

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
        names = [name for name in ("stream", "alpha_deg") if name in arguments.streams]
        ways = list(zip(*(arguments.streams[name].tolist() for name in names), strict=True))
        memory.ask(cls, arguments.backend, spaces, arguments.settings, deform, ways)

    # ---- what runs ask of a solver ---------------------------------------------------------

    def check_run(self) -> None:
        """SettingsError where the solver has no unsteady run."""

    def check_start(self, start: str) -> None:
        """SettingsError where there is nothing to compute from a first flow, one of `starts`."""

    def check_steady(self) -> None:
        """SettingsError where the solver has no steady run of what it was given."""
        refuse_time(self.conditions)

    def remarks(self) -> list[str]:
        """Warnings at the end of a run, beside those on convergence."""
        return []

    def suspects(self, member: int) -> str:
        """Sentence on the nodes of a member that may keep its residual from falling."""
        return where_largest(self, member)

    def turning_bodies(self, member: int) -> dict[str, tuple[str, str]]:
        """Bodies of a member whose grids turn in a flow that feels it; none as a rule.

        By name the column of the body's angle in the history, and what it may do instead, in words.
        """
        del member
        return {}

    def at_first_order(self) -> NDArray[np.int64]:
        """(members,) fluxes that fell back to first order; 0 of members that have failed."""
        return np.zeros(self.grid.members, int)

    def missed(self) -> NDArray[np.bool_]:
        """(members,) whether the step ended short of a tolerance beside the residual's."""
        return np.zeros(self.grid.members, bool)

    def step_numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) of each of `columns`, of the step that has marched."""
        return {}

    def steady_numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) of each of `steady_columns`, as an iteration left them."""
        return {}

    @abstractmethod
    def frames(self, members: Sequence[int]) -> Iterator[dict[str, NDArray[Any]]]:
        """Fields of a field file by name, of each of these members, as the flow is now."""

    @abstractmethod
    def running(self, failed: Sequence[Mapping[str, Any]] = ()) -> AbstractContextManager[None]:
        """A run of all members but those that have `failed` in the part that it goes on with."""

    @abstractmethod
    def begin_step(self, dt: NDArray[np.float64], order: int) -> None:
        """Begin a physical step: what the last one left becomes the past.

        Parameters
        ----------
        dt : (members,)    time steps
        order : int        1 or 2: BDF1 or BDF2
        """

    def at_time(self, times: NDArray[np.float64]) -> None:
        """Take up numbers at the boundary that depend on the time.

        Parameters
        ----------
        times : (members,)    at the end of the step that has begun
        """

    @abstractmethod
    def place(
        self, poses_at: Poses, rates_at: Callable[[], RateArray] | None = None
    ) -> dict[str, float]:
        """Bodies and mesh to where they are at the end of the step; how the deformation went.

        Parameters
        ----------
        poses_at : callable    share 0..1 of the step -> poses of all bodies
        rates_at : callable    () -> rates of these poses at the end of the step
        """

    def predict(self) -> None:
        """Go to the state that the march of a step begins from, where it is not the present one."""

    @abstractmethod
    def marching(self, stall: float) -> Any:
        """Callable: pseudo-steps, or iterations, of a physical step; see `kinemesh.run.march`.

        Parameters
        ----------
        stall : of a residual, share of the one before at which a pseudo-step is too bold
        """

    @abstractmethod
    def steady_iteration(self) -> Any:
        """Callable: one iteration of the march to a steady flow; `dualtime` tells who goes on."""

    @abstractmethod
    def start_steady(self, poses: Sequence[Pose] = ()) -> None:
        """Bodies at rest at `poses` (as given); iterations from the present flow begin."""

    def resume_steady(self, poses: Sequence[Pose]) -> None:
        """Start a steady march from a restart, whose arrays and vertices are in their place."""
        self.start_steady(poses)

    @abstractmethod
    def settle(self) -> None:
        """Every time level is the flow that a steady march has left."""

    @abstractmethod
    def kept(self, levels: bool) -> dict[str, Any]:
        """Device arrays that the rest follows from, with time levels where `levels`."""

    def kept_on_host(self) -> dict[str, NDArray[Any]]:
        """Arrays of the host that a restart with time levels keeps."""
        return {}

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take up `kept_on_host`, where the device's arrays are back."""

    @abstractmethod
    def check_faults(self, where: str, iterations: Any = None) -> None:
        """Make members fail of which a kernel has left a fault (`Members.fail`)."""

    def flown(self, poses: PoseArray, when: str) -> dict[str, NDArray[np.float64]]:
        """Numbers (members,) by which a pre-flight judges a step in place of the shapes of cells.

        The larger, the worse; none as a rule.  Members that cannot go on fail.

        Parameters
        ----------
        poses : of the bodies, to which the mover has brought the vertices
        when : the step in words
        """
        del poses, when
        return {}

    def strides(self, asked: Callable[[int, float], str]) -> list[str]:
        """After a pre-flight a sentence for each member in which parts moved too far in a step.

        Parameters
        ----------
        asked : (member, share) -> how to have steps that are this share of the present ones
        """
        del asked
        return []

    @property
    def incidence_deg(self) -> NDArray[np.float64]:
        """(members,) angle of the stream plus that at which the first body stands as given."""
        return self.alpha_deg + self.bodies.turned_deg

    # ---- bodies ----------------------------------------------------------------------------

    def poses(self, time: NDArray[Any]) -> PoseArray:
        """Pose of every body at its member's time [chord/a_inf]."""
        return self.bodies.poses(time)

    def rates(self, time: NDArray[Any]) -> RateArray:
        """Change of every body's pose at its member's time [chord/a_inf]."""
        return self.bodies.rates(time)

    def moment_points(self, poses: Sequence[Pose] = ()) -> NDArray[np.float64]:
        """(members, 2) the moment's point, which moves with each member's first body."""
        return self.bodies.moment_points(poses)

    def coefficients(self, poses: Sequence[Pose] = ()) -> NDArray[np.float64]:
        """(members, 3) cl, cd, cm of the present state, with the bodies at `poses`."""
        return self.loads(self.moment_points(poses))

    def body_coefficients(self, poses: Sequence[Pose] = ()) -> list[dict[str, Any]]:
        """Loads of each body: per member {marker: {cl, cd, cm}}, with the bodies at `poses`.

        Moments of parts are about the point of each, of the bodies of one mesh about one point.
        """
        self._for_loads()
        about, bodies = self.moment_points(poses), self.bodies
        own = bodies.body_points(poses) if bodies.parts else self.grid.owners.spread(about)
        loads = self.forces.bodies(about, own)
        found: list[dict[str, Any]] = [{} for _ in range(self.grid.members)]
        for (member, marker), load in zip(self.grid.bodies, loads.tolist(), strict=True):
            found[member][marker] = dict(zip(("cl", "cd", "cm"), load, strict=True))
        return found

    def loads(self, about: NDArray[Any]) -> NDArray[np.float64]:
        """(members, 3) cl, cd, cm of the present state, moments about `about` (members, 2)."""
        self._for_loads()
        return self.forces.members(about)

    def moving_loads(self, poses: PoseArray, rates: RateArray) -> Loads:
        """Loads and power of every body at `poses` that change with `rates`."""
        self._for_loads()
        bodies = self.bodies
        return self.forces.loads(bodies.moment_points(poses), poses, rates, bodies.pivots)

    def _for_loads(self) -> None:
        """Bring up to date what loads are taken from."""

    # ---- time ------------------------------------------------------------------------------

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

    def start_from(self, start: str) -> None:
        """The flow that an unsteady run begins with, one of `starts` that needs no march.

        Bodies and volumes are where they begin.
        """
        del start  # "as is" leaves the flow as it is

    def begin_bodies(self, dt: NDArray[np.float64], order: int) -> None:
        """Volumes and bodies begin a physical step (`begin_step`)."""
        if self.mover is None:
            self.mover = self.deform.attach(self.grid.vertices)
        self.grid.keep_levels()
        self.grid.set_time_levels(dt, order)
        self.mover.begin()
        self.bodies.forget()
        self.step = dt, order == 1
        self.placed = False
        self.steps = 1 if order == 1 else self.steps + 1

    def place_bodies(self, poses_at: Poses) -> dict[str, float]:
        """Bodies and volumes to where they are at the end of the step (`place`)."""
        assert self.mover is not None  # begin_step has made it
        if self.placed:
            self.mover.back()
        self.placed = True
        notes = self.mover.step(poses_at)
        self.grid.measure()
        self.grid.sweep()
        return notes
