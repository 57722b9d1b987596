"""Generalised forces of modes over Mach number and frequency, by a pulse of each mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, radians
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.shapes import Shapes
from kinemesh.cases import build, ensemble
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError
from kinemesh.io import store as stores
from kinemesh.loops.response import tail
from kinemesh.motion import modal_pulse
from kinemesh.structure import Modes
from kinemesh.study.by_pulse import (
    AT_REST,
    OF_RUN,
    STEEPEST,
    Found,
    Pulses,
    check_device,
    flow_at,
    of_member,
    times,
    warn_of_tails,
)
from kinemesh.study.sweep.spaces import Spaces

FIRST, MORE = 10.0, 4.0  # reduced times of a run: at first, between looks
IN_PULSE = 16  # steps of a pulse, at least


@dataclass(frozen=True, slots=True)
class AskedModes:
    """Checked arguments.

    Parameters
    ----------
    tables : of the case, without a motion
    chord, area : of coefficients, in lengths of the mesh
    mach : (m,), or None of a method without a Mach number
    """

    tables: dict[str, Any]
    folder: Path
    chord: float
    area: float
    k: tuple[float, ...]
    mach: tuple[float, ...] | None
    amplitude_deg: float
    structure: Modes


@dataclass(frozen=True, slots=True)
class ModePulses(Pulses):
    """Pulses of each mode of a structure at each Mach number.

    The amplitude is that at which the fastest point moves across the stream as a plunge does.

    Parameters
    ----------
    structure : of the modes
    largest : (n,) largest displacement of each shape on the walls [length of the mesh]
    """

    structure: Any
    largest: tuple[float, ...]

    starts: ClassVar[tuple[str, ...]] = ("steady", "as is")

    @classmethod
    def of(cls, asked: AskedModes) -> ModePulses:
        """Pulses whose spectrum reaches the largest k, in steps that resolve it."""
        told = (asked.tables, asked.folder, asked.chord, (0.0, 0.0), asked.mach)
        shapes = asked.structure.shapes
        made = cls(*told, *times(asked, IN_PULSE), asked.amplitude_deg, asked.structure,
                   (1.0,) * len(shapes))  # fmt: skip
        case = made.cases()[0]
        grid = build.solver(case, Spaces().of(case)).grid
        check_bodies([name for _, name in grid.bodies], case.name)
        largest = Shapes(grid, [shapes]).largest[0]
        return cls(*told, made.duration, made.step, asked.amplitude_deg, asked.structure,
                   tuple(largest.tolist()))  # fmt: skip

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"mode_force_{j + 1}" for j in range(len(self.largest)))

    @property
    def first(self) -> int:
        return ceil((FIRST + self.duration) / self.step)

    def looked(self, step: int) -> bool:
        return step >= self.first and (step - self.first) % ceil(MORE / self.step) == 0

    @property
    def sizes(self) -> dict[str, float]:
        """Amplitude of each mode [-]."""
        way = radians(self.amplitude_deg) * self.duration / STEEPEST * self.chord
        each = zip(self.structure.names, self.largest, strict=True)
        return {name: way / most for name, most in each}

    def cases(self) -> list[Case]:
        """Case of each member: of each Mach number one of each mode."""
        kept = {n: v for n, v in self.tables["run"].items() if n in OF_RUN}
        job = {**kept, "time_step": self.step, "steps": self.most}
        made = []
        for mach in self.mach or (None,):
            tables = {"flow": flow_at(self.tables, mach), "run": job}
            case = Case.from_dict({**self.tables, **tables}, self.folder)
            made += [case] * len(self.largest)
        return made

    def solver(self, cases: list[Case]) -> Any:
        names, sizes = self.structure.names, self.sizes
        laws = [
            modal_pulse(self.structure.shapes, [sizes[name] * (name == own) for name in names],
                        self.duration, AT_REST * self.step, self.chord)
            for own in names
        ]  # fmt: skip
        spaces = Spaces()
        each = [spaces.of(case) for case in cases]
        return ensemble.solver(cases, each, laws * (len(cases) // len(laws)))

    def start(self, solver: Any, cases: list[Case], resumed: bool, progress: bool) -> str:
        """Steady flow, of which there is one for all modes of a Mach number.

        Members of a gas without friction take up that of a solver with a member per Mach number;
        viscous ones, whose walls and models keep more than states, march to it each.
        """
        if cases[0].flow.reynolds is not None:
            return "steady"
        if not resumed:
            modes = len(self.largest)
            leads = cases[::modes]
            lead = ensemble.solver(leads, list(map(Spaces().of, leads)))
            if lead.steady(progress=progress).failed:
                return "steady"  # in which they fail again, each by its name
            q, first = lead.primitive(), lead.grid.first
            each = [q[first[m] : first[m + 1]] for m in range(len(leads)) for _ in range(modes)]
            solver.initialise(np.concatenate(each))
        return "as is"

    def loads_of(self, step: Any) -> list[NDArray[np.float64]]:
        return [np.atleast_1d(step.row[name]) for name in self.columns]

    def tail(self, loads: NDArray[np.float64]) -> float:
        """Largest tail of the work on each mode, over the largest work of all."""
        last = ceil(self.duration / self.step)
        rest = loads[:, AT_REST - 1]
        peak = np.abs(loads - rest[:, None]).max(initial=0.0)
        if not peak:
            return 0.0
        own = np.abs(loads - rest[:, None]).max(axis=1)
        each = zip(loads, rest, own, strict=True)
        return max(tail(f, at, last) * most / peak for f, at, most in each)


def check_bodies(names: Sequence[str], case: str) -> None:
    """CaseError for several bodies, or none."""
    if len(names) != 1:
        raise CaseError(
            f"flutter: modes are of one body, and case '{case}' has {', '.join(names) or 'none'}; "
            "expected one set of walls"
        )


def by_mode_pulse(
    asked: AskedModes, out: Path | None, device: Any, resume: bool, progress: bool
) -> Any:
    """Dataset of the generalised forces of every Mach number and frequency, from one run.

    Returns
    -------
    xarray.Dataset    `Q` (mach, k, load, motion) complex, the work of the loads of a mode on
        another over q_inf S L by its amplitude; `converged`, `unsettled` as of derivatives
    """
    check_device(device)
    pulses = ModePulses.of(asked)
    run = pulses.run(out, device, resume, progress)
    k, names = np.array(asked.k), asked.structure.names
    n, shape = len(names), (len(asked.mach or (None,)), len(asked.k))
    found: Found = {"converged": np.ones(shape, bool), "unsettled": np.zeros(shape)}
    q = np.full((*shape, n, n), complex(np.nan, np.nan))
    for member in range(n * shape[0]):
        row, j = divmod(member, n)
        made, ended = of_member(run, member, pulses, names[j], k)
        for i, load in enumerate(pulses.columns):
            q[row, :, i, j] = made[load]
        found["converged"][row] &= ended
        found["unsettled"][row] = np.maximum(found["unsettled"][row], made["tail"])
    warn_of_tails(found["unsettled"][:, 0], pulses.limit, asked.mach)
    return _dataset(q, found, asked, pulses)


def _dataset(q: Any, found: Found, asked: AskedModes, pulses: ModePulses) -> Any:
    """Dataset of values (m, k, ...); without `mach` where the method has none."""
    names, told = list(asked.structure.names), asked.structure.content
    values = {"Q": (("load", "motion"), q), **{n: ((), own) for n, own in found.items()}}
    sizes: dict[str, Any] = {"k": list(asked.k), "load": names, "motion": names}
    if asked.mach is None:
        made = {n: (("k", *more), own[0]) for n, (more, own) in values.items()}
    else:
        made = {n: (("mach", "k", *more), own) for n, (more, own) in values.items()}
        sizes = {"mach": list(asked.mach)} | sizes
    attrs = {"by": "pulse", "chord": asked.chord, "area": asked.area, "shapes": told,
             "amplitude_deg": asked.amplitude_deg, "duration": pulses.duration,
             "time_step": pulses.step}  # fmt: skip
    return stores.packages().xarray.Dataset(made, coords=sizes, attrs=attrs)
