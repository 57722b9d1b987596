"""Tables of a case as frozen values, checked one by one and against each other."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kinemesh.cases.job import Job
from kinemesh.cases.methods import check_bending, check_deform, check_solver, solver_fields
from kinemesh.cases.motions import MotionPart
from kinemesh.cases.overset_parts import Overset, of_motions
from kinemesh.cases.parts import DeformPart, MeshPart
from kinemesh.cases.stream import FlowPart
from kinemesh.cases.structures import StructurePart
from kinemesh.cases.values import choice, wrong
from kinemesh.dimension import Dimension
from kinemesh.errors import CaseError
from kinemesh.flow import registry
from kinemesh.flow.door.structures import shared
from kinemesh.motion import ORDERS
from kinemesh.motion.law import Shape
from kinemesh.sentences import Place

BY_CYCLES = ("cycles", "steps_per_cycle", "until", "periodic_tolerance")
BY_TIME = ("time_step", "steps")
OF_PLANE = {  # keys of [flow] without a meaning by dimensions, and what to do there
    2: {},
    3: {
        "chord": "give reference_area and reference_length, to which k refers too",
    },
}
MOVERS = {
    2: ("springs", "delaunay", "rigid", "modal"),
    3: ("rigid", "springs", "modal", "carrier"),
}
"""Deformations that move a mesh or cloud, by dimensions, of cases in space the default first."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Everything that a run needs."""

    name: str  # short, without "/"; of the folder that a run writes, too
    mode: Literal["steady", "unsteady"]  # unsteady needs [motion] and [run] cycles
    mesh: MeshPart | Overset
    flow: FlowPart
    title: str = ""  # for people
    title_says: Mapping[str, Any] | None = None  # numbers in it, which captions do not repeat
    method: str = registry.first().name  # the solver
    motion: MotionPart | None = None
    deform: DeformPart | None = None
    structure: StructurePart | None = None
    job: Job = field(default_factory=Job)
    solver: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = field(default=None, compare=False)  # it was read from; errors name it
    package: str = field(default="", compare=False)  # that it is a ready case of, and version

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip(".") or "/" in self.name:
            raise CaseError(f"name = {self.name!r}, expected a short name without '/'")
        if not isinstance(self.title_says, Mapping | None):
            raise wrong("title_says", self.title_says, "a table such as { mach = 0.8 }")
        choice("mode", self.mode, ("steady", "unsteady"))
        self._check_structure()
        if self.mode == "steady":
            self._check_steady()
        else:
            self._check_unsteady()
        modes = registry.named(self.method).modes
        if self.mode not in modes:
            raise CaseError(
                f"mode = {self.mode!r}: method {self.method!r} has {' and '.join(modes)} runs"
            )
        self.mesh.check(self.method)
        self._check_dimension()
        self.flow.check(self.method)
        self.mesh.check_layers(self.flow.reynolds)
        check_deform(self.method, None if self.deform is None else self.deform.method)
        check_solver(self.method, self.solver)
        self.check_bending(self.mesh.dimension)

    def __repr__(self) -> str:
        part = self.mesh
        told = self.flow.streams(self.method) | {"alpha_deg": self.flow.alpha_deg}
        stream = ", ".join(f"{name} {value:g}" for name, value in told.items())
        return f"Case({self.name!r}, {self.mode}, {self.method}, {part.source}, {stream})"

    def chord(self, dimension: Dimension | None = None) -> float | None:
        """Length that reduced frequencies refer to, as stated: the chord, in space the
        reference length.

        Parameters
        ----------
        dimension : of the mesh; None: a file is read for it, where that matters
        """
        if self.flow.chord is not None or self.flow.reference_length is None:
            return self.flow.chord
        made = self.mesh.dimension_made() if dimension is None else dimension
        return None if made.one_chord else self.flow.reference_length

    @property
    def by_time(self) -> bool:
        """True for a run without a cycle: by time_step and steps, or of a body on a structure."""
        return self.job.time_step is not None or self.free

    @property
    def kick(self) -> Mapping[str, Any] | None:
        """Kick of the structure, or None."""
        return None if self.structure is None else self.structure.kick

    @property
    def free(self) -> bool:
        """True where the body stands on a structure, which the flow moves."""
        return self.structure is not None and self.structure.frees

    @property
    def shapes(self) -> list[Shape]:
        """Shapes of all bodies that bend; none of rigid ones."""
        with of_motions() if isinstance(self.mesh, Overset) else nullcontext():
            made = {} if self.motion is None else self.motion.named(self.flow.chord)
        free = self.structure.build() if self.structure is not None and self.free else None
        return [
            *(shape for motion in made.values() for shape in motion.shapes),
            *getattr(free, "shapes", ()),
        ]

    def check_bending(self, dimension: Dimension) -> None:
        """CaseError where a body bends and its mesh or cloud, of this dimension, cannot follow."""
        if shapes := self.shapes:
            own, count = None if self.deform is None else self.deform.method, dimension.count
            twists = any(getattr(shape, "turns", False) for shape in shapes)
            check_bending(self.method, own, MOVERS[count], space=count == 3, twists=twists)

    def _check_dimension(self) -> None:
        """CaseError for what there is in the plane alone, before a mesh in space is made."""
        count = self.mesh.dimension.count
        deform = None if self.deform is None else self.deform.method
        if deform is not None and deform not in MOVERS[count]:
            where = ("in the plane", "in space")[:: 1 if count == 3 else -1]
            text = f" = {deform!r} moves what is {where[0]}, and the case is {where[1]}"
            there = registry.named(self.method).deforms
            ways = " or ".join(f"'{own}'" for own in MOVERS[count] if own in there)
            raise CaseError(Place("deform", "method"), text, advice=f"use {ways}")
        for name, instead in OF_PLANE[count].items():
            if (value := getattr(self.flow, name)) is not None:
                text = f" = {value:g} is of the plane, and the case is in space"
                raise CaseError(Place("flow", name), text, advice=instead)

    def _check_steady(self) -> None:
        for name in ("motion", "deform"):
            if getattr(self, name) is not None:
                raise CaseError(f"case '{self.name}' is steady, so [{name}] has no meaning")
        for name in (*BY_CYCLES, *BY_TIME, "start", "preflight", "sizes"):
            if getattr(self.job, name) is not None:
                raise CaseError(f"case '{self.name}' is steady, so [run] {name} has no meaning")
        # unsteady_cfl has one: it is no more than cfl_max
        for name in registry.named(self.method).settings.of_steps if self.solver else ():
            if name in self.solver:
                known = solver_fields(self.method) or []
                starts = ("un", "unsteady_")  # steady_drop, turbulence_drop
                like = [n for s in starts if (n := name.removeprefix(s)) in known and n != name]
                other = f", or set {like[0]}" if like else ""
                raise CaseError(
                    Place("solver", name),
                    f" has no meaning, as case '{self.name}' is steady; remove it{other}",
                )

    def _check_by_time(self) -> None:
        asked = [name for name in BY_TIME if getattr(self.job, name) is not None]
        if len(asked) < len(BY_TIME) and self.job.cycles is not None:
            raise CaseError(
                f"case '{self.name}' runs by cycles, so [run] {asked[0]} has no meaning; set "
                "run.cycles and run.steps_per_cycle (--cycles, --steps-per-cycle), or make a case "
                "file that has time_step and steps in their place"
            )
        for name in BY_CYCLES:
            if getattr(self.job, name) is not None:
                raise CaseError(
                    f"case '{self.name}' runs by time_step and steps, so [run] {name} has no "
                    "meaning"
                )
        for name in BY_TIME:
            if getattr(self.job, name) is None:
                raise CaseError(f"case '{self.name}' runs by time, expected [run] {name}")

    def _check_structure(self) -> None:
        """CaseError for a body on a structure that is held, or moves by a law as well."""
        if not self.free:
            return
        by_speed = self.structure is not None and self.structure.speed_index is not None
        where = Place("structure", "speed_index" if by_speed else "kind")
        if self.mode == "steady":
            raise CaseError(
                where, f" frees the body, and case '{self.name}' is steady; remove it, or set mode "
                "= 'unsteady' with [run] cycles and steps_per_cycle",
            )  # fmt: skip
        if self.structure is None or self.motion is None:
            return
        speed = self.flow.speed
        own = self.structure.build().coordinates(speed, self.flow.references[1])
        if any(shared(own, law, speed) for law in self.motion.named(self.flow.chord).values()):
            raise CaseError(
                where, " frees the body, which moves by [motion] as well; remove one of the two"
            )

    def _check_unsteady(self) -> None:
        if any(getattr(self.job, name) is not None for name in BY_TIME):
            self._check_by_time()
            return
        if self.motion is None and not self.free:
            raise CaseError(
                f"case '{self.name}' is unsteady, expected a [motion] with [run] cycles and "
                "steps_per_cycle, or [run] time_step and steps: --set run.time_step=0.05 --set "
                "run.steps=400, and --set motion.pitch.amplitude_deg=5 --set motion.pitch.k=0.1 "
                "for a motion"
            )
        for name in ("cycles", "steps_per_cycle"):
            if getattr(self.job, name) is None:
                raise CaseError(f"case '{self.name}' is unsteady, expected [run] {name}")
        if self.motion is None:
            return
        made = self.motion.named(self.flow.chord)  # one for all
        rates: list[Any] = [motion.omega(self.flow.speed) for motion in made.values()]
        if None in rates:
            raise CaseError(
                f"case '{self.name}': the motion has no cycle, as translate and rotate have none, "
                "nor a pulse, nor parts of different k whose common period is longer than "
                f"{ORDERS} of one; give [run] time_step and steps"
            )
        if max(rates) > (1 + 1e-12) * min(rates):
            raise CaseError(
                f"case '{self.name}': bodies {', '.join(made)} have different k, so no cycle"
            )
