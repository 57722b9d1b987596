"""Two runs of one case beside each other, whose differences are a sign of the error of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names, is_several
from kinemesh.errors import CaseError, warn
from kinemesh.io.columns import LOADS, WAKE
from kinemesh.io.html import table_of, text_of
from kinemesh.loops.harmonics import NOTHING, Coefficient, FloatArray, coefficient, interpolate
from kinemesh.loops.loop import Loop
from kinemesh.results import Run
from kinemesh.results.run_table import framed
from kinemesh.study.alike import Chosen, chosen, refuse_others
from kinemesh.study.allowing import allowed
from kinemesh.study.channel_flow import idle, names_of
from kinemesh.study.differences import word
from kinemesh.study.pressed import WallDifference, walls_of
from kinemesh.wiring import done_by

FIRST = 0.01  # of the amplitude; a first harmonic below it has no phase that says anything


@dataclass(frozen=True, slots=True)
class Pair:
    """A number of both runs.

    Parameters
    ----------
    scale : float or None    size that differences are shares of; None where there is none
    """

    first: float
    second: float
    scale: float | None = None

    @property
    def difference(self) -> float:
        """The first minus the second."""
        return self.first - self.second

    @property
    def share(self) -> float | None:
        """Difference over `scale`."""
        return None if self.scale is None else self.difference / self.scale


@dataclass(frozen=True, slots=True)
class LoopDifference:
    """One load of both loops at equal phases.

    Parameters
    ----------
    scale : float or None     mean of both amplitudes, which are half of the range; None of a load
        that is nothing beside the others, below 1e-4 of the largest amplitude
    rms, largest : float      of the difference, in the units of the load
    largest_at_deg : float    phase of the largest difference
    mean, amplitude, harmonic : Pair    harmonic: magnitude of the first harmonic
    lead_deg : float or None  phase of the first harmonic of the first run ahead of the second's,
        from -180 to 180; None where a harmonic is below 1 % of the amplitude
    values : (steps,) of both at `Compared.phase_deg`
    """

    scale: float | None
    rms: float
    largest: float
    largest_at_deg: float
    mean: Pair
    amplitude: Pair
    harmonic: Pair
    lead_deg: float | None
    values: tuple[FloatArray, FloatArray] = field(repr=False)

    @property
    def rms_share(self) -> float | None:
        """`rms` over `scale`."""
        return None if self.scale is None else self.rms / self.scale

    @property
    def largest_share(self) -> float | None:
        """`largest` over `scale`."""
        return None if self.scale is None else self.largest / self.scale

    def rows(self, name: str) -> Iterator[tuple[Any, ...]]:
        """Rows of a table: quantity, both values, difference, share."""
        for what, pair in (
            ("mean", self.mean),
            ("amplitude", self.amplitude),
            ("first harmonic", self.harmonic),
        ):
            yield _row(f"{name} {what}", pair)
        yield f"{name} lead [deg]", None, None, self.lead_deg, None
        yield f"{name} rms difference", None, None, self.rms, self.rms_share
        yield f"{name} largest difference", None, None, self.largest, self.largest_share


def _row(name: str, pair: Pair) -> tuple[Any, ...]:
    return name, pair.first, pair.second, pair.difference, pair.share


@dataclass(frozen=True, slots=True, repr=False)
class Compared:
    """Differences of two runs of one case; as text, a table.

    Parameters
    ----------
    labels : (first, second)    method and size of the runs, and what they differ by beside: one
        grid or overset grids, precision, steps per cycle
    loads : of cl, cd and cm those that both have, a LoopDifference; of steady runs a Pair whose
        scale is the mean of both sizes; of channels without walls, whose loads are 0, mass flows
        through their ends, pressure drop and loss
    work : Pair or None         of the flow on the bodies over a cycle, over q_inf c^2
    loops : (first, second) or None     of unsteady runs
    phase_deg : (steps,) or None        of the loop with more steps, at which loops are compared
    notes : what takes from the comparison: far fields and settings that differ, steps that did not
        converge, loops that are not periodic
    allowed : what runs differ by on purpose, in words
    walls : {quantity and body: WallDifference}     cp along the walls, of viscous flow cf
    no_walls : str              why there are none; empty where there are
    """

    labels: tuple[str, str]
    loads: Mapping[str, Any]
    work: Pair | None = None
    loops: tuple[Loop, Loop] | None = None
    phase_deg: FloatArray | None = None
    notes: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    walls: Mapping[str, WallDifference] = field(default_factory=dict)
    no_walls: str = ""
    sources: Any = field(default=(), repr=False, compare=False)  # run and member of both

    @property
    def cl(self) -> Any:
        """Lift; None if a run has none."""
        return self.loads.get("cl")

    @property
    def cd(self) -> Any:
        """Drag; None if a run has none."""
        return self.loads.get("cd")

    @property
    def cm(self) -> Any:
        """Moment, nose-up positive; None if a run has none."""
        return self.loads.get("cm")

    def table(self) -> Any:
        """Rows of quantity, first, second, difference and share.

        Returns
        -------
        pandas.DataFrame, or where pandas is not installed a structured array
        """
        names = ("quantity", "first", "second", "difference", "share")
        return framed(dict(zip(names, map(list, zip(*self._rows(), strict=True)), strict=True)))

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of both (`kinemesh.plot.comparison`), saved to `path`, if any.

        Loops one over the other, and their difference over the phase; of steady runs the loads.
        """
        return done_by("Compared.plot")(self, path=path)

    def plot_walls(self, path: str | Path | None = None) -> Any:
        """Figure of cp along the walls of both runs and of their difference, saved to `path`.

        CaseError where there is none, with `no_walls`.
        """
        if not self.walls:
            raise CaseError(f"plot_walls: nothing to draw: {self.no_walls}")
        return done_by("Compared.plot_walls")(self, path=path)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for name, load in self.loads.items():
            yield from [_row(name, load)] if isinstance(load, Pair) else load.rows(name)
        if self.work is not None:
            yield _row("work", self.work)
        for name, wall in self.walls.items():
            yield from wall.rows(name)

    def _shown(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]], str]:
        """Head, rows with shares in per cent, and caption of the table."""
        head = ("", *self.labels, "difference", "share [%]")
        rows = [(*r[:4], None if r[4] is None else 100 * r[4]) for r in self._rows()]
        of = "mean of both amplitudes" if self.loops else "mean of both sizes"
        about = f"{self.labels[0]} minus {self.labels[1]}; shares of the {of}"
        told = [about, *(f"on purpose: {words}" for words in self.allowed), *self.notes]
        told += [f"no cp along the walls: {self.no_walls}"] if self.no_walls else []
        if self.loops is not None and self.loops[0].steps != self.loops[1].steps:
            fewer, more = sorted(own.steps for own in self.loops)
            told.insert(1, f"{fewer} steps interpolated to the phases of {more}")
        return head, rows, "; ".join(told)

    def __str__(self) -> str:
        head, rows, caption = self._shown()
        return text_of(head, rows, caption)

    def __repr__(self) -> str:
        told = []
        for name, load in self.loads.items():
            share = load.share if isinstance(load, Pair) else load.rms_share
            told += [] if share is None else [f"{name} {100 * abs(share):.3g} %"]
        what = "rms differences" if self.loops else "differences"
        return f"Compared({' and '.join(self.labels)}: {what} {', '.join(told) or 'none'})"

    def _repr_html_(self) -> str:
        return table_of(*self._shown())


@checks_names
def compare(
    run_a: Run | str | Path | Sequence[Run | str | Path],
    run_b: Run | str | Path | None = None,
    member: int | tuple[int | None, int | None] | None = None,
    allow: Sequence[str] = (),
) -> Compared:
    """Compare two runs of one case, by two methods, meshes or numbers of steps.

    Differences are those of the first run minus the second: a sign of the error of both, in trials
    between a twenty-fifth and seven times of it.  Loops are compared at equal phases of
    the motion: the one with fewer steps per cycle is interpolated to the phases of the other by its
    Fourier series, which is exact for orders below half its steps.  Shares are of the mean of both
    amplitudes.

    Parameters
    ----------
    run_a, run_b : Run, or the folder of one; or both in a list
    member : int, or one of each run     of ensembles, from 0; not needed where there is one
    allow : keys by which the cases differ on purpose, such as ["reynolds"]; what only one of a
        viscous and an inviscid gas has follows from "reynolds", of a gas and of incompressible
        flow from "mach"; other bodies are "bodies", other ways of them "motion"

    Raises
    ------
    CaseError    runs of different cases, with what differs: stream, motion, bodies, boundaries or
        reference values; a key in `allow` that both share, or that there is not; a run that did
        not finish, a member that failed or is none, lost rows, less than a cycle, or a run by
        time_step and steps
    """
    if run_b is None:
        if not is_several(run_a) or len(run_a) != 2:  # type: ignore[arg-type]
            raise CaseError("compare: expected two runs or their folders, or a list of two")
        run_a, run_b = run_a  # type: ignore[misc, str-unpack]
    if not is_several(member):
        each: Any = (member, member)
    elif len(member) == 2:  # type: ignore[arg-type]
        each = member
    else:
        raise CaseError(f"compare: member is {member!r}, expected a number, or one of each run")
    one, other = (
        chosen(source, m, "compare", f"the {name} run")
        for source, m, name in zip((run_a, run_b), each, ("first", "second"), strict=True)
    )
    purpose = allowed("compare", one, other, allow)
    told = refuse_others("compare", one, other, allow=allow)
    labels = _labels(one, other, allow)
    found = _of_steady(one, other, labels) if one.steady else _of_loops(one, other, labels)
    walls, none = walls_of(one, other)
    found = replace(found, notes=(*told, *found.notes), allowed=purpose, walls=walls, no_walls=none,
                    sources=tuple((own.run, own.member) for own in (one, other)))  # fmt: skip
    for note in found.notes:
        warn(note, about="compare")
    return found


def _labels(one: Chosen, other: Chosen, allow: Sequence[str]) -> tuple[str, str]:
    """Method and size of both runs, and where these are equal what differs."""
    both = [[own.method, own.size] for own in (one, other)]
    more: list[list[Any]] = [[own.grids for own in (one, other)]]
    more.append([own.run.summary.get("dtype") for own in (one, other)])
    for key in allow:
        values = [(own.facts() | own.moves()).get(key) for own in (one, other)]
        if any(isinstance(v, int | float | str) for v in values):
            more.append(["" if v is None else f"{key} {word(v)}" for v in values])
    if not one.steady:
        more.append([f"{own.loop().steps} steps" for own in (one, other)])
    for a, b in more:
        if a != b:
            both[0].append(str(a))
            both[1].append(str(b))
    if both[0] == both[1]:
        for words, own, number in zip(both, (one, other), ("first", "second"), strict=True):
            words.append(number if own.run.out is None else own.name)
    if both[0] == both[1]:  # two members of one folder
        for words, own in zip(both, (one, other), strict=True):
            words.append(f"member {own.member}")
    first, second = (", ".join(filter(None, words)) for words in both)
    return first, second


def _of_steady(one: Chosen, other: Chosen, labels: tuple[str, str]) -> Compared:
    results = [own.result for own in (one, other)]

    def both(names: Iterable[str]) -> dict[str, list[float]]:
        values = {name: [float(r.get(name, np.nan)) for r in results] for name in names}
        return {name: v for name, v in values.items() if np.isfinite(v).all()}

    there = both((*LOADS, *WAKE))
    if idle(there):
        there = both(names_of(one, other)) or there
    sizes = {name: float(np.mean(np.abs(v))) for name, v in there.items()}
    least = NOTHING * max(sizes.values(), default=0.0)
    loads = {
        name: Pair(first, second, sizes[name] if sizes[name] > least else None)
        for name, (first, second) in there.items()
    }
    notes = [
        f"{label}: the run did not converge"
        for label, result in zip(labels, results, strict=True)
        if result["converged"] is False
    ]
    return Compared(labels, loads, notes=tuple(notes))


def _of_loops(one: Chosen, other: Chosen, labels: tuple[str, str]) -> Compared:
    loops = one.loop(), other.loop()
    finer = loops[0] if loops[0].steps >= loops[1].steps else loops[1]
    phase_deg = finer.phase_deg
    both = {name: [_at(own, name, phase_deg) for own in loops] for name in LOADS}
    there = {n: [c for c in own if c is not None] for n, own in both.items() if None not in own}
    if idle({name: [c.values for c in own] for name, own in there.items()}):
        pairs = list(zip((one, other), loops, strict=True))
        ends = {n: [_through(*pair, n, phase_deg) for pair in pairs] for n in names_of(one, other)}
        there = ends or there
    sizes = {name: (a.amplitude + b.amplitude) / 2 for name, (a, b) in there.items()}
    least = NOTHING * max(sizes.values(), default=0.0)
    loads = {
        name: _difference(a, b, phase_deg, sizes[name] if sizes[name] > least else None)
        for name, (a, b) in there.items()
    }
    works = [own.work for own in loops if own.work is not None]
    work = None
    if len(works) == 2:
        work = Pair(works[0], works[1], float(np.mean(np.abs(works))) or None)
    notes = [note for pair in zip(labels, loops, strict=True) for note in _notes(*pair)]
    return Compared(labels, loads, work, loops, phase_deg, tuple(notes))


def _at(loop: Loop, name: str, phase_deg: FloatArray) -> Coefficient | None:
    """A load of a loop at these phases; None where the loop has none."""
    load = getattr(loop, name)
    if load is None or not np.isfinite(load.values).all():
        return None
    return _over(load.values, loop, phase_deg)


def _through(own: Chosen, loop: Loop, name: str, phase_deg: FloatArray) -> Coefficient:
    """A column of the last cycle of a history at these phases."""
    rows = own.run.history.member(own.member)
    last = np.argsort(rows["phase_deg"][-loop.steps :] % 360)
    return _over(np.asarray(rows[name][-loop.steps :], float)[last], loop, phase_deg)


def _over(values: FloatArray, loop: Loop, phase_deg: FloatArray) -> Coefficient:
    """Values at the steps of a loop, at these phases."""
    phase = np.radians(phase_deg)
    if len(values) != len(phase) or np.abs(loop.phase_deg - phase_deg).max() > 1e-9:
        values = interpolate(values, loop.phase_deg, phase)
    return coefficient(values, phase, None)


def _difference(
    a: Coefficient, b: Coefficient, phase_deg: FloatArray, scale: float | None
) -> LoopDifference:
    away = a.values - b.values
    worst = int(np.abs(away).argmax())
    one, other = a.harmonics[0], b.harmonics[0]
    least = FIRST * max(a.amplitude, b.amplitude)
    known = scale is not None and min(one.magnitude, other.magnitude) > least
    lead = (one.phase_deg - other.phase_deg + 180) % 360 - 180
    return LoopDifference(
        scale,
        float(np.sqrt(np.mean(away**2))),
        float(abs(away[worst])),
        float(phase_deg[worst]),
        Pair(a.mean, b.mean, scale),
        Pair(a.amplitude, b.amplitude, scale),
        Pair(one.magnitude, other.magnitude, scale),
        lead if known else None,
        (a.values, b.values),
    )


def _notes(label: str, loop: Loop) -> Iterator[str]:
    """Reasons to mistrust a loop."""
    if loop.unconverged:
        yield f"{label}: {loop.unconverged} of {loop.steps} steps of the loop did not converge"
    if loop.periodic is None:
        yield f"{label}: periodic or not is not known of one cycle"
    elif not loop.periodic:
        assert loop.change is not None
        yield f"{label}: not periodic, the loop changes by {100 * loop.change:.2g} % a cycle"
