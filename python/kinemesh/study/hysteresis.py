"""Loops of runs, folders and files, and their distance to a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinemesh import cases
from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError
from kinemesh.io.history import History
from kinemesh.io.paths import expanded, path_of
from kinemesh.loops.harmonics import PERIODIC
from kinemesh.loops.loop import Loop, loop_of_history
from kinemesh.motion import Motion
from kinemesh.results import Run
from kinemesh.results.opening import open_run
from kinemesh.results.spanwise import loads_of_section
from kinemesh.study.other_tables import Told, is_table, loop_of_table


@checks_names
def hysteresis(
    source: Any,
    member: int | None = None,
    tolerance: float = PERIODIC,
    *,
    columns: Mapping[str, Any] | None = None,
    period: float | None = None,
    start: float = 0.0,
    motion: Motion | None = None,
    alpha_deg: float | None = None,
    steps: int | None = None,
    section: float | None = None,
    measured: bool | None = None,
) -> Loop:
    """Loop of the last cycle of an unsteady run, of a section of its wing, or of another's table.

    A table is a DataFrame, a dict of columns, or a file of columns with names: CSV, the history of
    SU2, forces and coefficients of OpenFOAM, phases of a wind tunnel (docs/results.md).

    Parameters
    ----------
    source : Run, History, folder of a run, or history.csv; or a table
    member : int           of an ensemble, from 0; not needed where there is one member
    tolerance : float      largest `Loop.change` of a periodic loop [-]
    columns : dict         names of the table's columns by ours: time, phase_deg, alpha_deg, cl, cd,
        cm (nose-up), x, h (shift downstream, upwards), power (that moves the body); "-CMz" is a
        column of the other sign, ("Fy", 0.1) one with a factor.  Columns with our names need none,
        but for power, which in a history is that of the flow
    period : float         of a table by time, in the units of its times
    start : float          time at which the phase is 0
    motion : Motion        whose angle and shift a table has where it has no angle itself; of a
        table of incidence without phase or time, what its phases are found by (default: a sine)
    alpha_deg : float      angle of a table without one, or what is added to that of `motion`
    steps : int            of the loop, where the rows of a table are not even
    measured : bool        draw the table's rows as points, and compare there; default: True of a
        table by phase or incidence, False of one by time, as of another program
    section : float        share of the span of a run in space, whose section the loop is of: cl, cd
        and cm by the pressures on the section, over its chord, cm about its quarter point

    Raises
    ------
    CaseError    a run by time_step and steps, less than one cycle, steps that are not uniform, a
        steady run, a member that has failed, or a finished run whose history lost rows; a table
        without loads, phase or angle, or whose rows are too far apart, or whose incidence does not
        tell the phase; a section of what is no run in space with a folder
    """
    told = Told(columns, period, start, motion, alpha_deg, steps, measured)
    if _is_foreign(source):
        if section is not None:
            raise CaseError(f"hysteresis: section is {section}, and a table has no sections")
        if member is not None:
            raise CaseError(f"hysteresis: member is {member}, and a table has no members")
        return loop_of_table(source, told, tolerance)
    history, label = _history(source)
    if told.given:
        raise CaseError(f"{label}: is a run, so {', '.join(told.given)} have no meaning")
    if history.by_time:
        raise CaseError(
            f"{label}: the run went by time_step and steps and has no cycle, so no loop; "
            "km.spectrum(run) has its mean loads, amplitudes and Strouhal number"
        )
    of = member
    if section is not None:
        history, label = loads_of_section(_run(source), section, member)
        member = None
    found = loop_of_history(history, member, tolerance, label)
    return replace(found, source=_source(source, of, section))


def _source(source: Any, member: int | None, section: float | None) -> Any:
    """Run, or its folder, and member of a loop, with its section; None of a history alone."""
    more = () if section is None else (f"section at {100 * section:g} % of the span",)
    if isinstance(source, str | Path) and expanded(source).is_dir():
        return expanded(source), member or 0, *more
    return (source, member or 0, *more) if isinstance(source, Run) else None


def _run(source: Any) -> Run:
    """Run of a source; CaseError of a history, which has no surface."""
    if isinstance(source, Run):
        return source
    if isinstance(source, str | Path) and expanded(source).is_dir():
        return open_run(source)
    raise CaseError(f"hysteresis: section of {source!r}, expected a run or its folder")


def _is_foreign(source: Any) -> bool:
    """Return True for a table from elsewhere, as opposed to a history."""
    if isinstance(source, History):
        return False
    if not isinstance(source, str | Path):
        return is_table(source)
    path = Path(source)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        first = next((line for line in file if not line.startswith(b"#")), b"")
    return not first.startswith((b"member,step,", b"member,iteration,"))


def _history(source: Any) -> tuple[History, str]:
    if isinstance(source, History):
        return source, str(source.path or "run")
    if isinstance(source, str | Path):
        path = expanded(source)
        path = path / "history.csv" if path.is_dir() else path
        return History.read(path), str(source)
    if isinstance(getattr(source, "history", None), History):
        return source.history, str(getattr(source, "out", None) or "run")
    raise CaseError(
        f"hysteresis: got {source!r}, expected a run, a History, a folder, a file or a table"
    )


def reference_loop(reference: Any, beside: Loop | None = None) -> Loop:
    """A reference loop: the published loop of a named case, a Loop, or that of a run or a table.

    A table, in memory or a file, has the columns phase_deg, alpha_deg, and of cl, cd and cm those
    that are known.  Without phases its rows are in the order of the loop, and their phases those
    at which the loop `beside` it has their incidence (docs/results.md).  Of a table with other
    names `kinemesh.hysteresis` makes a Loop.  CaseError where there is no such case, folder or
    file, or the file has no such table.
    """
    if isinstance(reference, Loop):
        return reference
    wave = None if beside is None else (beside.phase_deg, beside.alpha_deg)
    if is_table(reference):
        return loop_of_table(reference, Told(), wave=wave)
    if not isinstance(reference, str | Path):
        return hysteresis(reference)
    named = cases.reference(str(reference))
    if named is not None:
        return replace(loop_of_table(named[0], Told(measured=False)), label=named[1])
    path = path_of(reference, "the reference")
    if path.is_dir():
        return hysteresis(path)
    if not path.is_file():
        known = ", ".join(cases.references())
        raise CaseError(
            f"reference '{reference}': cannot be read, there is no such file; expected a CSV file, "
            f"the folder of a run, or a case with data: {known}"
        )
    made = loop_of_table(path, Told(), wave=wave) if _is_foreign(path) else hysteresis(path)
    return replace(made, label=str(reference))


def reference_loops(references: Any, beside: Loop | None = None) -> list[Loop]:
    """Reference loops of one reference or of a list of several; [] of None.

    Of those that have one label, as two tables in memory, each has its number behind it.
    """
    if references is None:
        return []
    several = isinstance(references, list | tuple)
    made = [reference_loop(one, beside) for one in (references if several else [references])]
    labels = [one.label for one in made]
    return [
        replace(one, label=f"{one.label} ({labels[:k].count(one.label) + 1})")
        if labels.count(one.label) > 1
        else one
        for k, one in enumerate(made)
    ]
