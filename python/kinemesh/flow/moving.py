"""Base of all solvers, whatever their equations: bodies, motions, loads, time levels.

A solver of flow has states and marches of its own (`kinemesh.flow.gas.solver` of a gas,
`kinemesh.flow.incompressible`); what runs call of it stands in `kinemesh.flow.driven`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.case import Bodies, Stands
from kinemesh.bodies.placement import Placement, at_rest, by_laws
from kinemesh.bodies.shapes import Shapes
from kinemesh.deform.mover import Mover
from kinemesh.deform.waiting import WaitingMover
from kinemesh.errors import warn_of
from kinemesh.flow.door import sizes
from kinemesh.flow.door.arguments import Arguments, Markers, motions_of
from kinemesh.flow.door.counted import counted
from kinemesh.flow.door.runnable import Runnable
from kinemesh.flow.door.structures import structures_of, with_free
from kinemesh.flow.driven import Driven
from kinemesh.flow.forces import Forces, Loads
from kinemesh.flow.memory import Counted
from kinemesh.motion import Motion, Pose
from kinemesh.overset.alone import Alone
from kinemesh.overset.parts import Parts
from kinemesh.space.conditions.base import FACES
from kinemesh.space.conditions.table import in_time
from kinemesh.space.volumes import Volumes

if TYPE_CHECKING:
    from kinemesh.overset.connectivity import Connectivity
    from kinemesh.overset.report import OversetReport


class Moving(Runnable, Driven, Counted):
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
    structures : Structures on which bodies stand, or None
    parts : Standing, places of overset parts; of one mesh Alone
    forces : Forces
    mover : of the deformation, from the first step on
    step : time steps of the members, and whether it is the first one
    placed : whether the present step has had its place
    step_number : of the present step, from 1 since the motion began
    fresh : whether no march has gone on from the present flow, so that walls have no reaction yet
    runs : whether a run of it, or a loop over its steps, has not ended
    open_loop : weak reference to the last loop over its steps, or None
    family : of solvers, whose conditions at the boundary it computes
    added_mass : whether forces of the flow answer to accelerations of walls at once
    """

    family: ClassVar[str] = FACES
    added_mass: ClassVar[bool] = False
    runs = False
    open_loop: Any = None
    forces: Forces
    fresh = True

    def __init__(self, arguments: Arguments, markers: Markers, grid: Volumes) -> None:
        self.settings, self.backend, self.grid = arguments.settings, arguments.backend, grid
        grid.ensemble.remedies = self.settings.remedies
        me = ref(self)  # no circle, which would keep the arrays of a solver that is let go
        grid.ensemble.suspects = lambda m: "" if (own := me()) is None else own.suspects(m)
        grid.ensemble.likely = lambda m: "" if (own := me()) is None else own.likely(m)
        self.streams = arguments.streams
        self.alpha_deg = arguments.streams["alpha_deg"]
        self.speed = self.streams.get("mach", np.ones(grid.members))
        self.deform, self.moment_about = arguments.deform, arguments.moment_about
        self.chord, self.reference = arguments.chord, arguments.reference
        self.markers, self.conditions = markers, markers.conditions
        self.deform.check_vertices(grid.vertices)
        self.more = {**self.more, **self.deform.told(grid.vertices)}
        motions = motions_of(arguments.motion, grid.members, grid.bodies)
        self.structures = structures_of(
            arguments.structure, grid.bodies, motions, self.speed, arguments.reference[1],
            grid.dimension,
        )  # fmt: skip
        self.motions = with_free(motions, self.structures)
        pairs = zip(grid.bodies, self.motions, strict=True)
        self.deform.check_conditions(
            self.conditions, {body for (_, body), motion in pairs if motion is not None}
        )
        self.check_motions(arguments)
        apart = sizes.check_motions(self.chord, self.motions, grid, markers.measured)
        stands = Stands.of(arguments, grid.meshes, grid.bodies)
        said = sizes.check_points(arguments, self.motions, grid, stands.frames, markers.measured)
        grid.owners.counted = counted(
            arguments.loads, grid.bodies, markers.conditions, markers.measured
        )
        self.notes = [*markers.notes, *apart, *said]
        warn_of(self.notes)
        self.more = {**self.more, **stands.told(grid.bodies), **in_time(self.conditions)}
        if not grid.owners.counted.all():
            pairs = zip(grid.bodies, grid.owners.counted, strict=True)
            self.more["loads"] = list(dict.fromkeys(marker for (_, marker), own in pairs if own))
        self.bodies = Bodies(
            grid.bodies, self.motions, self.speed, self.moment_about, grid.ensemble, stands,
            self.reference[1], grid.dimension,
        )  # fmt: skip
        if self.structures is not None:
            self.structures.stand(self.bodies)
            self.more |= self.structures.told
        grid.vertices.shapes = shapes = Shapes.of(grid, self.motions)
        if self.structures is not None and shapes is not None:
            self.structures.bend(shapes.largest)
        if shapes is not None:
            for (_, body), own in zip(grid.bodies, shapes.own, strict=True):
                if own:
                    who = f"body {body!r}" if grid.owners.several else "the body"
                    self.deform.check_bending(who, grid.vertices, shapes.turns)
            self.more |= {"shapes": shapes.prints, "amplitudes": shapes.units}
            self.more |= {"shape_names": names} if (names := shapes.names) else {}
        self.parts = _standing(grid, self.settings, self.notes)
        self.mover: Mover | None = None
        self.placed = False
        self.step_number = 0
        none_yet = np.full(grid.members, np.inf)
        self.step: tuple[NDArray[np.float64], bool] = none_yet, True

    def check_motions(self, arguments: Arguments) -> None:
        """SettingsError for motions that the solver has no meaning for."""
        del arguments  # as a rule it has one for each

    def check_placed(self, marker: str, motion: Motion | None) -> None:
        """SettingsError where a body with such a motion cannot be placed by a user."""
        self.deform.check_placed(marker, motion)
        self.deform.check_conditions(self.conditions, {marker})

    def check_placement(self, placement: Placement) -> None:
        """SettingsError for a placement that the mesh cannot follow."""
        del placement  # as a rule there is none

    @property
    def incidence_deg(self) -> NDArray[np.float64]:
        """(members,) angle of the stream plus that at which the first body stands as given."""
        return self.alpha_deg + self.bodies.turned_deg

    # ---- overset parts ---------------------------------------------------------------------

    @property
    def donors(self) -> Connectivity | None:
        """Connectivity of overset parts, by which rows of nodes are given by others; or None."""
        return self.parts.connectivity

    @property
    def renewal(self) -> Callable[[], Any]:
        """Callable: what follows from where overset parts stand, their connectivity first."""
        return self.parts.update

    def connectivity(self, time: float = 0.0, member: int = 0) -> OversetReport:
        """Which nodes of the overset parts of a member are solved for at a time of their motions.

        The case stays as it is.  Parts that cannot be solved on there are told in a warning, and by
        `OversetReport.problem`.

        Parameters
        ----------
        time : float [of the case's unit];  member : int, from 0

        Raises
        ------
        SettingsError    a case of one mesh, no such member, or a time that is no finite number
        """
        return self.parts.report(self, time, member)

    def flown(self, placement: Placement, when: str) -> dict[str, NDArray[np.float64]]:
        return self.parts.flown(placement, when)

    def strides(self, asked: Callable[[int, float], str]) -> list[str]:
        return self.parts.strides(asked)

    def by_member(
        self, fields: Mapping[str, NDArray[Any]], members: Sequence[int]
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """Rows of each of these members of fields (nodes, ...), and what overset parts have."""
        first, whole = self.grid.first, {**fields, **self.parts.fields()}
        for m in members:
            yield {name: values[first[m] : first[m + 1]] for name, values in whole.items()}

    def look_at_grids(self, when: str) -> None:
        """Warn of overset parts whose connectivity is bad for the result."""
        self.parts.look(when)

    def begin_grids(self, placement: Placement, where: str) -> None:
        """Overset parts are where a placement has them, wherever they were before."""
        self.parts.begin()
        self.parts.place(placement, self.renewal, where)

    # ---- bodies ----------------------------------------------------------------------------

    def by_laws(self, before: NDArray[Any], dt: NDArray[Any]) -> Placement:
        """Placement by the motions of the bodies in a step `dt` (members,) from a time `before`."""
        return by_laws(self.bodies, before, dt)

    def standing(self, poses: Sequence[Pose] = ()) -> Placement:
        """Placement of bodies that rest: as given where there are no `poses`, else at these."""
        return at_rest(poses if len(poses) else [Pose()] * len(self.grid.bodies))

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

    def moving_loads(self, placement: Placement) -> Loads:
        """Loads and power of every body in a placement."""
        self._for_loads()
        bodies = self.bodies
        about = bodies.moment_points(placement.poses)
        return self.forces.loads(about, placement, bodies.pivots)

    def structure_forces(self, loads: Loads) -> NDArray[np.float64]:
        """(members, n) forces of the coordinates of structures, in the units of the case."""
        assert self.structures is not None
        own = self.forces
        return np.asarray(
            self.structures.free.forces(own.moment_and_force(loads), own.of_shapes(loads))
        )

    def _for_loads(self) -> None:
        """Bring up to date what loads are taken from."""

    # ---- time ------------------------------------------------------------------------------

    def rewind(self) -> None:
        """Every body and node back to where it was given, at rest; the flow stays as it is."""
        self.grid.reset()
        self.mover = None
        self.begin_grids(self.standing(), "parts as given")

    def rest(self, poses: Sequence[Pose]) -> None:
        """Bodies at `poses`, the mesh with them, all at rest; the flow stays as it is."""
        self.rewind()
        there = at_rest(poses)
        if not there.poses.moved_at_all:
            return
        self.attach().step(there.at)
        self.grid.start()
        self.begin_grids(there, "parts at the start of the motion")
        self.check_faults("mesh at the start of the motion")

    @property
    def stands(self) -> bool:
        """True where no vertex moves until a user places a body: no body has a motion."""
        return self.deform.stands and all(motion is None for motion in self.motions)

    def attach(self) -> Mover:
        """Mover of the deformation, which of bodies without a motion waits for a placement."""
        vertices = self.grid.vertices
        return WaitingMover(vertices, self.deform) if self.stands else self.deform.attach(vertices)

    def start_from(self, start: str) -> None:
        """The flow that an unsteady run begins with, one of `starts` that needs no march.

        Bodies and volumes are where they begin.
        """
        del start  # "as is" leaves the flow as it is

    def begin_bodies(self, dt: NDArray[np.float64], order: int) -> None:
        """Volumes and bodies begin a physical step (`begin_step`)."""
        if self.mover is None:
            self.mover = self.attach()
        self.grid.keep_levels()
        self.grid.set_time_levels(dt, order)
        self.mover.begin()
        self.bodies.forget()
        self.fresh = False
        self.step = dt, order == 1
        self.placed = False
        self.step_number = 1 if order == 1 else self.step_number + 1

    def place_bodies(self, placement: Placement) -> dict[str, float]:
        """Bodies and volumes to where they are at the end of the step (`place`)."""
        assert self.mover is not None  # begin_step has made it
        if self.placed:
            self.mover.back()
        self.placed = True
        self.check_placement(placement)
        notes = self.mover.step(placement.at)
        if not self.mover.rests:
            self.measure()
            self.grid.sweep()
        self.parts.place(placement, self.renewal, f"step {self.step_number}")
        return notes

    def measure(self) -> None:
        """Bring what follows from the places of the vertices alone up to date."""
        self.grid.measure()


def _standing(grid: Any, settings: Any, notes: list[str]) -> Alone:
    """Places of the overset parts of a case; nothing to do where its meshes are no parts."""
    if not isinstance(grid.meshes[0], Parts):
        return Alone()
    from kinemesh.overset.standing import Standing  # SciPy's k-d trees, which few cases need

    return Standing(grid, settings.overlap, notes)
