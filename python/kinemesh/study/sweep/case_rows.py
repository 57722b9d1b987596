"""Row of one case of a sweep, from the run of its ensemble."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.cases.stated import Stated
from kinemesh.dimension import XY, Dimension
from kinemesh.io.columns import LOADS, OF_LOADS
from kinemesh.io.history import History
from kinemesh.io.store import Variable
from kinemesh.loops.harmonics import PERIODIC, Coefficient, FloatArray, coefficient, interpolate
from kinemesh.loops.loop import Loop, loop_of_history
from kinemesh.results.run_table import columns
from kinemesh.run.criteria import NOT_CONVERGED, NOT_KNOWN, NOT_PERIODIC
from kinemesh.sentences import of_failure
from kinemesh.study.spectrum import per_length
from kinemesh.study.sweep import bodies, by_time, of_space, on_structures, through_ends

if TYPE_CHECKING:
    from kinemesh.results import Run


OF_ROW = {
    "converged": Variable("bool", "the last cycle, or the steady march, reached what was asked"),
    "cause": Variable("str", "why the case failed; empty where it did not"),
    "note": Variable("str", "what must be said of the case besides"),
    "seconds": Variable("f8", "share of the seconds of its ensemble, building included", "s"),
    "version": Variable("str", "version of kinemesh"),
    "device": Variable("str", "device that it ran on"),
    "host": Variable("str", "name of the machine"),
    "seed": Variable("i8", "seed of the sample; -1 where nothing was sampled"),
}
OF_METERS = {
    f"{name}_joules": Variable("f8", f"share of the joules of {what} in its ensemble's run", "J")
    for name, what in (("gpu", "the GPU's board"), ("cpu", "the CPU's sockets"))
}
OF_STEADY = {
    **{name: Variable("f8", f"{OF_LOADS[name].words}, coefficient") for name in LOADS},
    "residual_drop": Variable("f8", "residual over its first value at the end"),
    "iterations": Variable("i8", "pseudo-steps"),
}
OF_WALLS = {
    "y_plus_mean": Variable("f8", "y+ of the wall cells at the end, its mean over the walls"),
    "y_plus_largest": Variable("f8", "y+ of the wall cells at the end, the largest"),
}
STEADY_FRICTION = {
    name: Variable("f8", f"{OF_LOADS[name].words}, coefficient")
    for name in ("cd_pressure", "cd_friction")
}
MEAN_FRICTION = {
    "cd_friction_mean": Variable("f8", "mean of the drag by friction over the cycle or window"),
}
"""Variables of a viscous gas: of all cases, of steady ones, of others."""
OF_CYCLE = {
    "angle_deg": Variable("f8", "angle of the stream plus nose-up motion", "degree", True),
    **{n: Variable("f8", f"{OF_LOADS[n].words}, last cycle", "", True) for n in LOADS},
    "h": Variable("f8", "upward shift of the pivot, over the chord", "", True),
    "power": Variable("f8", "power that moves the bodies, over q_inf U_inf c", "", True),
}
OF_LOAD = {
    "{}_mean": "mean of {} over the last cycle",
    "{}_amplitude": "half the range of {} over the last cycle",
    "{}1_magnitude": "magnitude of the first harmonic of {}",
    "{}1_phase_deg": "lead of the first harmonic of {} over sin(phase)",
}
OF_LOOP = {
    name.format(load): Variable("f8", about.format(load), "degree" if "deg" in name else "")
    for load in LOADS
    for name, about in OF_LOAD.items()
} | {
    "thrust": Variable("f8", "mean thrust, minus the mean of cd"),
    "power_in": Variable("f8", "mean power that moves the bodies, negative of a turbine"),
    "efficiency": Variable("f8", "propulsive efficiency; nan without thrust, power or stream"),
    "work": Variable("f8", "work of the flow on the walls over the last cycle, over q_inf c^2"),
    "damping": Variable("f8", "-work / (pi A^2), positive is damped"),
    "periodic": Variable("f8", "1: the last cycle is like the one before, 0: not, nan: not known"),
    "change": Variable("f8", "change from the cycle before, rms over amplitude"),
    "cycles_run": Variable("f8", "cycles until the case ended"),
    "unconverged_steps": Variable("i8", "steps of the last cycle that did not converge"),
}
IN_ROW = (NOT_CONVERGED, NOT_PERIODIC, NOT_KNOWN)  # notes that numbers of the row tell
PER = {"alpha": "radian of pitch", "h": "chord of plunge"}


def variables_of(
    cases: Sequence[Stated], markers: Iterable[str] = (), dimension: Dimension = XY
) -> dict[str, Variable]:
    """Variables of the result of these cases, by name.

    Parameters
    ----------
    markers : of the bodies of cases with several; a case without one of them has nan
    dimension : of the cases, space where some are there

    Raises
    ------
    CaseError    a marker with which two variables have one name
    """
    of_row = OF_ROW | (OF_METERS if any(case.job.energy for case in cases) else {})
    steady = cases[0].mode == "steady"
    of_row = through_ends.variables(cases, steady) | of_row
    if any(map(_viscous, cases)):
        of_row = OF_WALLS | (STEADY_FRICTION if steady else MEAN_FRICTION) | of_row
    of_row = of_space.variables(dimension, steady, cases[0].by_time) | of_row
    of_row = on_structures.variables(cases) | of_row
    if cases[0].by_time:
        return by_time.variables(markers) | of_row
    whole = OF_STEADY if steady else OF_CYCLE | OF_LOOP | _derivatives(_moved(cases))
    return whole | bodies.variables(markers, steady, whole | of_row) | of_row


def _viscous(case: Stated) -> bool:
    """True of a viscous gas."""
    return case.flow.mach is not None and case.flow.reynolds is not None


def _derivatives(motions: Iterable[str]) -> dict[str, Variable]:
    """Variables of the derivatives by these degrees of freedom."""
    return {
        f"{load}_{motion}_{part}": Variable(
            "f8", f"first harmonic of {load} per {PER[motion]}, {part.replace('_', ' ')}"
        )
        for motion in motions
        for load in ("cl", "cm")
        for part in ("in_phase", "quadrature")
    }


def names() -> list[str]:
    """Names that variables and dimensions of a result may have, which keys must not have."""
    every = [*OF_STEADY, *OF_CYCLE, *OF_LOOP, *_derivatives(PER), *OF_ROW, *OF_METERS]
    every += [*OF_WALLS, *STEADY_FRICTION, *MEAN_FRICTION, *by_time.variables(())]
    every += [*of_space.names(), *on_structures.OF_ROOT, on_structures.CYCLE_OMEGA]
    every += ["phase", "case", "state"]
    return list(dict.fromkeys(every))


def _moved(cases: Sequence[Stated]) -> list[str]:
    """Degrees of freedom that one case or another moves."""
    tables: list[Any] = []
    for motion in (case.motion for case in cases if case.motion is not None):
        whole = {"pitch": motion.pitch, "plunge": motion.plunge, "table": motion.table}
        tables += motion.bodies.values() if motion.bodies else [whole]
    kinds = {"alpha": "pitch", "h": "plunge"}
    return [n for n, kind in kinds.items() if any(t.get(kind) or t.get("table") for t in tables)]


def own_end(
    case: Stated, history: History, failed: int | None = None
) -> tuple[Loop | None, History]:
    """Loop at the end of a case, and its history up to that end; None for a case without one.

    A case that runs until it is periodic ends there, however long others of its ensemble go on.

    Parameters
    ----------
    failed : step in which the member failed, which may have a row
    """
    asked = case.job.periodic_tolerance
    tolerance = PERIODIC if asked is None else asked
    assert case.job.steps_per_cycle is not None
    assert case.job.cycles is not None
    every, count = case.job.steps_per_cycle, round(case.job.cycles * case.job.steps_per_cycle)
    done = int(history["step"][-1]) if failed is None else failed - 1
    if case.job.until == "periodic":
        ramps = ceil(_cycles_of_ramps(case) * every - 1e-9)  # in steps, as of `run.plan`
        first = every * max(2, 1 + ceil(ramps / every))
        for step in range(first, min(done, count - 1) + 1, every):
            part = history.until(step)
            loop = loop_of_history(part, tolerance=tolerance)
            if loop.periodic:
                return loop, part
    if done < count:
        return None, history
    return loop_of_history(history, tolerance=tolerance), history


def _cycles_of_ramps(case: Stated) -> float:
    """Cycles until all motions of a case have ended their ramps, whatever the chord."""
    motions = {} if case.motion is None else case.motion.named(None)
    u_inf = case.flow.speed
    each = [
        own.settles(u_inf) / period for own in motions.values() if (period := own.period(u_inf))
    ]
    return max(each, default=0.0)


def rows_of(run: Run, cases: Sequence[Stated], grid: FloatArray) -> list[dict[str, Any]]:
    """Row of each member of a run: its numbers, or `cause`, why it failed.

    Parameters
    ----------
    grid : (phases,)    phases of the loops of unsteady runs [deg]
    """
    cause = {row["member"]: of_failure(row).alone for row in run.failed}
    notes = notes_of(run)
    found = _numbers(run, cases, grid)
    joules = joules_of(run, len(cases))
    return [
        {"cause": cause[m]} | joules
        if row is None
        else row | joules | {"note": "; ".join(filter(None, [*notes.get(m, []), row.get("note")]))}
        for m, row in enumerate(found)
    ]


def joules_of(run: Run, members: int) -> dict[str, float]:
    """Share of a member in the joules of a run, equal for all; {} where nobody asked for them."""
    energy = run.summary.get("energy")
    if energy is None:
        return {}
    each = {name: energy[name.partition("_")[0]]["joules"] for name in OF_METERS}
    return {name: np.nan if own is None else own / members for name, own in each.items()}


def notes_of(run: Run) -> dict[int, list[str]]:
    """Warnings of a run by member, without those that its row contains."""
    found: dict[int, list[str]] = {}
    for note in run.summary["notes"]:
        if note["member"] is not None and note["about"] not in IN_ROW:
            found.setdefault(note["member"], []).append(note["text"])
    return found


def _numbers(run: Run, cases: Sequence[Stated], grid: FloatArray) -> list[dict[str, Any] | None]:
    """Numbers of each member; None of one that failed."""
    failed = {row["member"]: row["step"] for row in run.failed}
    if run.history.kind == "steady":
        return _of_marches(run, cases)
    there, found = set(run.history.members), list[dict[str, Any] | None]()
    walls = columns(run) if _viscous(cases[0]) else {}
    for m, case in enumerate(cases):
        own: dict[str, Any] | None = None
        last: Any = None
        if m in there and case.by_time:
            rows = run.history.member(m)
            own = None if m in failed else by_time.row_of(rows, per_length(run, m))
            own = own if own is None else own | on_structures.row_of(cases, run, m)
            last = rows["time"] >= (own or {}).get("window_start", np.inf)
        elif m in there:
            loop, rows = own_end(case, run.history.member(m), failed.get(m))
            own = None if loop is None else _of_loop(loop, rows, grid)
            last = slice(None if loop is None else -loop.steps, None)
        if own is not None:
            own |= through_ends.means(cases, rows, last)
            own |= of_space.of_window(rows, last) if case.by_time else {}
        if own is not None and walls:
            own |= {name: walls[name][m] for name in OF_WALLS}
            friction = rows["cd_friction"][last]
            own["cd_friction_mean"] = friction.mean() if len(friction) else np.nan
        found.append(own)
    return found


def _of_marches(run: Run, cases: Sequence[Stated]) -> list[dict[str, Any] | None]:
    """Numbers of each member of a steady run; None of one that failed."""
    failed, table = {row["member"] for row in run.failed}, columns(run)
    viscous = {*OF_WALLS, *STEADY_FRICTION} if _viscous(cases[0]) else set[str]()
    names = (*OF_STEADY, *viscous, *through_ends.columns(cases), "converged")
    rest = {name: own for name, own in table.items() if name not in (*viscous, *of_space.STEADY)}
    return [
        None
        if m in failed
        else {name: table[name][m] for name in names}
        | of_space.of_march(table, m)
        | bodies.of_steady(rest, m)
        for m in range(len(cases))
    ]


def _of_loop(loop: Loop, rows: History, grid: FloatArray) -> dict[str, Any]:
    """Row of a case that ran, from its last cycle."""
    series = _series(rows, loop)
    own = 360 * np.arange(loop.steps) / loop.steps
    drag = coefficient(series["cd"], np.radians(own), None)
    found: dict[str, Any] = {
        name: values if loop.steps == len(grid) else interpolate(values, own, np.radians(grid))
        for name, values in series.items()
    }
    for name, load in (("cl", loop.cl), ("cd", drag), ("cm", loop.cm)):
        found |= _of_load(name, load)
    found |= {
        "thrust": loop.thrust,
        "power_in": loop.power_in,
        "efficiency": loop.efficiency,
        "work": loop.work,
        "damping": loop.damping,
        "periodic": loop.periodic,
        "change": loop.change,
        "cycles_run": loop.cycles,
        "unconverged_steps": loop.unconverged,
        "converged": loop.unconverged == 0,
    }
    for name, value in loop.derivatives.to_dict().items():
        found |= {f"{name}_{part}": number for part, number in value.items()}
    return found | of_space.of_loop(loop) | bodies.of_loop(loop, series)


def _series(rows: History, loop: Loop) -> dict[str, FloatArray]:
    """Angle, loads, shift and power over the last cycle, the first at phase 0.

    Of several bodies also those of each, by marker.
    """
    steps = loop.steps
    place = np.round(rows["phase_deg"][-steps:] / 360 * steps).astype(int) % steps
    scale = rows.scales.get(int(rows["member"][-1]))
    found = {}
    for of_body in ("", *(f"_{marker}" for marker in loop.bodies)):
        for name, column in bodies.COLUMNS.items():
            full = f"{column}{of_body}" if of_body or name != "angle_deg" else "alpha_deg"
            if name == "power" and scale is None:
                continue
            factor = -scale.time if name == "power" and scale is not None else 1.0
            found[f"{name}{of_body}"] = np.empty(steps)
            found[f"{name}{of_body}"][place] = factor * rows[full][-steps:]
    return found


def _of_load(name: str, load: Coefficient) -> dict[str, float]:
    found = {f"{name}_mean": load.mean, f"{name}_amplitude": load.amplitude}
    if load.harmonics:
        found[f"{name}1_magnitude"] = load.harmonics[0].magnitude
        found[f"{name}1_phase_deg"] = load.harmonics[0].phase_deg
    return found
