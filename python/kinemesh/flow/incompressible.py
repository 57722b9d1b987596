"""Incompressible flow by a projection on meshes that move as rigid bodies, in plane and space.

docs/theory.md, section 7.  Python puts the kernels together (`kinemesh.flow.projection`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.bodies.placement import Placement
from kinemesh.deform import Deformation
from kinemesh.flow.door.arguments import Arguments, Markers, arguments_of, meshes_of, settings_of
from kinemesh.flow.door.assembly import assign, put_together
from kinemesh.flow.door.incompressible import (
    NOTES,
    check_planes_of,
    grid_of,
    moved_with,
    slip_planes,
)
from kinemesh.flow.door.sliding import checked, walls_of
from kinemesh.flow.forces import Forces
from kinemesh.flow.moving import Moving
from kinemesh.flow.projection import ends
from kinemesh.flow.projection.first import First
from kinemesh.flow.projection.given import conditions
from kinemesh.flow.projection.initial import given_flow
from kinemesh.flow.projection.projection import Projection
from kinemesh.flow.projection.rest import refuse_rest, refuse_steady
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.flow.projection.streams import rigid, streams_of
from kinemesh.flow.projection.through import Through
from kinemesh.flow.projection.turning import Turning, turning_bodies, wanders
from kinemesh.io.columns import SIDES
from kinemesh.mesh import Mesh
from kinemesh.motion import Pose
from kinemesh.overset.parts import Part
from kinemesh.space.conditions.base import BODY, OUTER, PROJECTION, Condition
from kinemesh.space.grid import Grid

__all__ = ["Incompressible", "IncompressibleSettings"]
Space = Mesh | Mapping[str, Mesh | Part]


@checks_names
class Incompressible(First, Moving):
    """A case of incompressible flow, or an ensemble of cases, in the plane or in space.

    In space x is downstream, y along the span and z up, as of `kinemesh.Ale`; walls that slide,
    inlets and outlets are of the plane.

    Lengths are those of the mesh, in chords (or diameters) unless `chord` says otherwise;
    velocities are in the reference speed U, times in lengths of the mesh over U; coefficients are
    over U^2 / 2.  Meshes move as rigid bodies.

    Parameters
    ----------
    mesh : Mesh, or {name: Mesh or kinemesh.Part} of overset parts, or a sequence with one
        per member
    reynolds : float or sequence    U chord / nu, with the `chord` that the case states
    stream : 1 or 0, or a sequence  speed of the stream over U; 0 is a fluid at rest
    alpha_deg : float or sequence   angle of the stream, which turns it, not the mesh [deg]
    motion : Motion, or {marker: Motion}, or a sequence of these; None: the bodies are at rest.  Of
        overset parts {name of the part: Motion}, of parts without walls too
    structure : of kinemesh.structure, as Cylinder or Springs, or {marker: one}, or a sequence, on
        which a body stands in place of a motion, of overset parts {name of the part: one}
        (docs/flutter.md)
    deform : None or `kinemesh.deform.Rigid()`, as other meshes are not for this solver yet
    device, dtype : see `kinemesh.device.backend.Backend`
    settings : IncompressibleSettings
    sliding : {marker of a wall: (x, y) or number}    velocities [U] of walls that slide in
        themselves, such as a lid or the ground; they turn with their body.  A number is the speed
        along a closed wall without corners, counter-clockwise.  A wall of a part by its marker, or
        by "part.marker".  Nodes where walls of several velocities meet rest
    moment_about : (x, y) as of `kinemesh.Ale`; of overset parts a point of the own frame of the
        first one with walls, and of each of several parts for its own moment, which without it is
        about the origin of its own frame.  Pivots of motions are points of that frame, too
    walls, far, boundaries, chord, reference_area, reference_length, loads : as of `kinemesh.Ale`;
        walls are no-slip, "symmetry" is a slip wall; the stream is given where it enters the far
        field as given, elsewhere that is open, as is all of one that turns far; in the plane
        `km.inlet(velocity=...)`, `km.outlet()` of channels

    Attributes
    ----------
    grid : Grid
    marches : whether the present flow is that of a march to a steady one
    way : SteadyMarch    iterations to a steady flow
    projection : Projection    velocities, pressures, fluxes, on the device

    Raises
    ------
    MeshError        walls, far field or chord are not clear from the mesh
    SettingsError    an argument outside of its range, or arguments that contradict each other
    DeviceError      no such device, or not enough memory on it
    """

    method = "incompressible"
    family = PROJECTION
    added_mass = True
    starts = ("stream", "steady", "as is")
    steady_columns: tuple[str, ...] = ("pressure_iterations", "mass_defect")
    columns: tuple[str, ...] = ("pressure_iterations", "divergence", "mass_defect", "cfl")
    frame_time = 1.0
    # coarse levels of the pressure's hierarchy: measured 87 to 98 in the plane, 160 to 216 in space
    # (2000 to 40,000 nodes), where other numbers are up to 9 % short on hybrid meshes
    uncounted: ClassVar[Mapping[int, float]] = {2: 92.0, 3: 400.0}
    sample: ClassVar[Mapping[str, Any]] = {"reynolds": 100.0}
    sampled: ClassVar[Mapping[str, str]] = {"cells in space": "warped cells in space"}
    grid: Grid
    marches = False

    def __init__(
        self,
        mesh: Space | Sequence[Space],
        *,
        reynolds: float | Sequence[float],
        stream: float | Sequence[float] = 1.0,
        alpha_deg: float | Sequence[float] = 0.0,
        motion: Any = None,
        structure: Any = None,
        deform: Deformation | None = None,
        device: str = "auto",
        dtype: str = "float64",
        settings: IncompressibleSettings | None = None,
        walls: Sequence[str] | None = None,
        far: Sequence[str] | None = None,
        boundaries: Mapping[str, str | Condition] | None = None,
        moment_about: tuple[float, float] | None = None,
        chord: float | None = None,
        sliding: Mapping[str, tuple[float, float] | float] | None = None,
        reference_area: float | None = None,
        reference_length: float | None = None,
        loads: Sequence[str] | str | None = None,
    ) -> None:
        sides: dict[str, Any] = dict(walls=walls, far=far, boundaries=boundaries)
        mesh = put_together(mesh, motion, **sides)
        arguments = arguments_of(
            mesh,
            settings_of(settings, IncompressibleSettings),
            self.backend_type(device, dtype),
            deform=rigid(deform, motion, structure, mesh),
            streams={"reynolds": reynolds, "stream": stream, "alpha_deg": alpha_deg},
            check=streams_of,
            motion=motion,
            structure=structure,
            moment_about=moment_about,
            chord=chord,
            reference_area=reference_area,
            reference_length=reference_length,
            loads=loads,
        )
        meshes = meshes_of(mesh, arguments.members)
        self.fits(arguments, meshes)
        sides["boundaries"] = slip_planes(meshes, boundaries)
        markers = assign(meshes, arguments, type(self), **sides)
        self._make(arguments, markers, meshes, sliding)

    def _make(
        self, arguments: Arguments, markers: Markers, meshes: Sequence[Mesh], sliding: Any
    ) -> None:
        grid = grid_of(arguments.backend, meshes, markers)
        self.walls = walls_of(grid, sliding)
        self.more = {"sliding": checked(sliding)} if sliding else {}
        Moving.__init__(self, arguments, moved_with(markers, grid), grid)
        grid.start()
        alpha = np.radians(self.alpha_deg)
        way = np.zeros((grid.members, grid.dimensions))
        way[:, 0], way[:, -1] = np.cos(alpha), np.sin(alpha)
        self.inflow = self.streams["stream"][:, None] * way
        check_planes_of(self)
        given, is_open = conditions(grid, self.inflow, wanders(grid, self.motions, self.speed))
        entering = ends.enter(self, given, is_open)
        self._made = made = Projection(
            grid, self.settings, self.viscosity, given, is_open, self.donors
        )
        self.dualtime, self.way = made.loop, made.steady
        self.turning = Turning(grid)
        if OUTER in made.velocity:
            self.backend.put(made.velocity[OUTER], entering)
        fields = made.fields
        self.forces = Forces(
            grid, fields, self.speed, self.alpha_deg, *self.reference, kernel="inc_forces"
        )
        self.notes += NOTES[grid.dimensions](self)
        self.through = Through(self)
        more = (*self.through.columns, *SIDES[grid.dimensions])
        self.columns = (*type(self).columns, *more, *grid.columns)
        self.steady_columns = (*type(self).steady_columns, *more)
        self.initialise()

    @property
    def viscosity(self) -> NDArray[np.float64]:
        """(members,) kinematic, by the chord of coefficients [U, lengths of the mesh]."""
        return self.reference[1] / self.streams["reynolds"]

    def initialise(self, u: NDArray[Any] | None = None, p: NDArray[Any] | None = None) -> None:
        """Every time level set to a flow, made free of divergence, or to the stream.

        That of the stream is solved where it is first needed.

        Parameters
        ----------
        u : (nodes, dimensions) velocities;  p : (nodes,) pressures, 0 if not given; SettingsError
            for others
        """
        grid, begin = self.grid, given_flow(self.grid, u, p, self.inflow)
        grid.ensemble.begin()
        self.begin_grids(self.standing(), "initial flow")
        self._walls(self.standing(), resting=True)
        self._awaits, self.fresh = u is None and p is None, True
        if not self._awaits:
            self._made.start(*begin)
        self.check_faults("initial flow")

    @property
    def renewal(self) -> Callable[[], Any]:
        renew: Callable[[], Any] = self._made.renew
        return renew

    # ---- what runs ask ----

    @contextmanager
    def running(self, failed: Sequence[Mapping[str, Any]] = ()) -> Iterator[None]:
        """A run of all members but those that have `failed` in the part that it goes on with."""
        spoiled = list(self.grid.ensemble.failures)
        with self.grid.ensemble.reporting(failed):
            if spoiled:
                self.projection.forget(np.isin(self.grid.member, spoiled), self.inflow)
            yield

    def frames(self, members: Sequence[int]) -> Iterator[dict[str, NDArray[Any]]]:
        return self.by_member(self.projection.seen(self.reference[1]), members)

    def wall_pressures(
        self, rows: Mapping[int, NDArray[np.int64]]
    ) -> dict[int, NDArray[np.float64]]:
        self._await()
        p = self.backend.get(self.projection.flow["p"]).astype(float)
        return {m: 2 * p[own] for m, own in rows.items()}

    def marching(self, stall: float) -> Any:
        del stall  # there is no pseudo-time
        return self._made.step.march

    def missed(self) -> NDArray[np.bool_]:
        return np.asarray(self.backend.get(self.projection.pressure.status) != 1)

    def turning_bodies(self, member: int) -> dict[str, tuple[str, str]]:
        bodies = [k for k, (m, _) in enumerate(self.grid.bodies) if m == member]
        return turning_bodies(self, bodies)

    def step_numbers(self) -> dict[str, NDArray[Any]]:
        made, get = self.projection, self.backend.get
        divergence, rate = get(made.flow["closure"]).T
        return {
            "pressure_iterations": get(made.pressure.steps),
            "divergence": divergence,
            "cfl": rate * self.step[0],
            "mass_defect": self._lost(),
            **self.through.numbers(),
            **self.forces.side(),
            **self.grid.step_numbers(),
        }

    def kept(self, levels: bool) -> dict[str, Any]:
        found = self._made.kept(levels) | {"x": self.grid.x}  # a restart's flow takes their place
        return found | (self.grid.levels() if levels else {})

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._awaits = False  # the flow is that of a restart
        super().take_up(arrays)

    def check_faults(self, where: str, iterations: Any = None) -> None:
        if self.grid.ensemble.find_faults(where, self.grid.place, iterations):
            self.dualtime.stop_failed()

    # ---- a steady flow ----

    def complete(self) -> None:
        _ = self.way.own, self.way.reduced_rank

    def steady_iteration(self) -> Any:
        return self.way.iteration

    def steady_numbers(self) -> dict[str, NDArray[Any]]:
        steps = self.backend.get(self.projection.pressure.steps)
        more = {**self.through.numbers(), **self.forces.side()}
        return {"pressure_iterations": steps, "mass_defect": self._lost(), **more}

    def end_numbers(self) -> dict[str, NDArray[Any]]:
        self._for_loads()
        return self.through.numbers()

    def _lost(self) -> NDArray[np.float64]:
        """(members,) `Projection.lost` over reference speed and chord."""
        return self.projection.lost() / self.reference[1]

    def check_start(self, start: str) -> None:
        if start == "as is":  # before bodies go to where they begin
            self._await()
        refuse_rest(self, start)

    def check_steady(self) -> None:
        super().check_steady()
        refuse_steady(self)

    def start_steady(self, poses: Sequence[Pose] = ()) -> None:
        self._await()
        there = self.standing(poses)
        self.rest(there.poses)
        self._walls(there, resting=True)
        self.look_at_grids("steady flow")
        self.way.begin(self.backend.get(self.projection.flow["p"]))
        self.marches, self.fresh = True, False
        self.grid.ensemble.remedies = self.settings.steady_remedies

    def settle(self) -> None:
        self.way.settle()

    def _for_loads(self) -> None:
        self._await()
        if self.marches or self.fresh:
            self.way.tell()

    # ---- time ----

    def at_time(self, times: NDArray[np.float64]) -> None:
        if any(own.varies for own in self.conditions.values()):
            entering = ends.velocities(self.grid, self.conditions, self.inflow, times)
            self.backend.put(self._made.velocity[OUTER], entering)

    def start_from(self, start: str) -> None:
        if start == "stream":
            still = np.zeros(self.grid.members)
            self._walls(self.by_laws(still, still))
            self._begin_stream()

    def begin_step(self, dt: NDArray[Any], order: int) -> None:
        """Begin a physical step: what the last one left becomes the past.

        Parameters
        ----------
        dt : (members,)        [chord/U]
        order : int            1 or 2: BDF1 or BDF2
        """
        self._await()
        if self.marches:
            self.way.leave()
            self.marches, self.grid.ensemble.remedies = False, self.settings.remedies
        self.begin_bodies(dt, order)
        self.projection.step.begin(self.step_number)
        if self.structures is not None:
            self.projection.step.keep()

    def place(self, placement: Placement) -> dict[str, float]:
        """Bodies to where they are at the end of the step, the mesh with them."""
        if placement.onward is not None:
            self.projection.step.back()
        notes = self.place_bodies(placement)
        self._walls(placement)
        return notes

    def measure(self) -> None:
        """Bring area vectors up to date: meshes turn and shift as they are."""
        self.grid.turn()

    def predict(self) -> None:
        """Nothing: a march begins from what the last levels point to."""

    def _walls(self, placement: Placement, resting: bool = False) -> None:
        """Velocities of the walls' nodes; rates are asked for where bodies do not rest."""
        moves = not resting and any(motion is not None for motion in self.motions)
        coupling = self.turning.coupling(placement if moves else None, self.step[0])
        self.backend.put(self._made.flow["turning"], coupling)
        if not len(self.grid.wall):
            return
        velocity, spin = self.walls.move(placement) if moves else self.walls.slide(placement)
        self.backend.put(self._made.spin, spin)
        self.backend.put(self._made.velocity[BODY], velocity)
