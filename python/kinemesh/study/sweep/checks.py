"""Every case of a sweep, looked at before the first one runs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import counted
from kinemesh.cases.boundary import conditions_of_case
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import Report, look_at_space, together
from kinemesh.cases.ensemble import shared
from kinemesh.cases.parts import MeshPart
from kinemesh.cases.probe import small_solver
from kinemesh.cases.values import WHOLE
from kinemesh.device.backend import Backend
from kinemesh.dimension import XY, Dimension, dimension_of, widest
from kinemesh.errors import CaseError, DeviceError, KinemeshError, warn
from kinemesh.flow import memory
from kinemesh.overset.parts import Parts
from kinemesh.sentences import Option, Sentence, Value, joined, said
from kinemesh.space.conditions.base import BODY
from kinemesh.study.sweep.asked import Asked
from kinemesh.study.sweep.axes import told
from kinemesh.study.sweep.batches import ensembles
from kinemesh.study.sweep.devices import workers_on
from kinemesh.study.sweep.spaces import Spaces

LISTED = 10  # causes that an error lists


@dataclass
class Checked:
    """Cases of a sweep that have been looked at.

    Parameters
    ----------
    cases : of each row; None where it is impossible
    causes : of each row that is impossible, by its number
    groups : (rows,) a number, equal of rows that can share an ensemble; -1 where impossible
    nodes : (rows,) nodes or points of each
    markers : of the bodies of cases that have several, in order
    dimension : space where a mesh or cloud is there
    tried : class of the solver whose arrays are counted, settings, kind of deformation, complete,
        by what an ensemble shares
    """

    cases: list[Case | None]
    causes: dict[int, Sentence]
    groups: NDArray[np.int64]
    nodes: NDArray[np.int64]
    spaces: Spaces
    markers: list[str] = field(default_factory=list)
    dimension: Dimension = XY
    tried: dict[str, tuple[Any, Any, str]] = field(default_factory=dict)

    @property
    def possible(self) -> list[Case]:
        """Cases that can run."""
        return [case for case in self.cases if case is not None]


def look(asked: Asked) -> Checked:
    """Look at every case: its keys, device, settings, mesh, markers and bodies.

    DeviceError where a device is not there.
    """
    made = asked.cases()
    causes = {i: case for i, case in enumerate(made) if isinstance(case, Sentence)}
    found = [None if isinstance(case, Sentence) else case for case in made]
    for device, dtype in dict.fromkeys((c.job.device, c.job.dtype) for c in found if c):
        Backend(device, dtype)
    checked = Checked(found, causes, *_numbered(found), Spaces())
    _look_once(checked, _of_settings, _settings)
    _look_once(checked, _of_space, _space)
    return checked


def _numbered(cases: Sequence[Case | None]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    numbers: dict[str, int] = {}
    keys = ["" if case is None else shared(case) for case in cases]
    groups = [-1 if not key else numbers.setdefault(key, len(numbers)) for key in keys]
    return np.array(groups), np.zeros(len(groups), np.int64)


def _look_once(checked: Checked, key: Any, looked: Any) -> None:
    """Check one of the cases with equal keys; its error is that of all of them."""
    rows: dict[str, list[int]] = {}
    for i, case in enumerate(checked.cases):
        if case is not None:
            rows.setdefault(key(case), []).append(i)
    for same in rows.values():
        case = checked.cases[same[0]]
        assert case is not None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                checked.nodes[same] = looked(checked, case)
                cause = Sentence()
            except KinemeshError as error:
                cause = error.said
        for text in dict.fromkeys(said(warning.message) for warning in caught):
            warn(text)
        if cause:
            checked.groups[same] = -1
            for i in same:
                checked.cases[i], checked.causes[i] = None, cause


def _of_settings(case: Case) -> str:
    """Key of cases with equal settings; with the far vortex the Mach number is part of it."""
    vortex = case.solver.get("far_field") == "vortex"
    return f"{shared(case)} {case.flow.mach if vortex else ''}"


def _settings(checked: Checked, case: Case) -> int:
    """The solver with its settings, tried on a small mesh."""
    small = small_solver(case, "cpu", _dimension(checked, case))
    checked.tried[shared(case)] = (small.counted, small.settings, small.deform.kind)
    return 0


def _dimension(checked: Checked, case: Case) -> Dimension:
    """Dimension of the mesh or cloud of a case; one of a file is read."""
    part = case.mesh
    if isinstance(part, MeshPart) and part.of.name == "file":
        return dimension_of(checked.spaces.of(case))
    return part.dimension


def _of_space(case: Case) -> str:
    bodies = [] if case.motion is None else sorted(case.motion.bodies or ())
    return f"{Spaces.key(case)} {case.method} {case.flow.chord} {case.flow.references} {bodies}"


def _space(checked: Checked, case: Case) -> int:
    """The mesh or cloud with its markers and bodies; its nodes."""
    report = Report()
    space = look_at_space(report, case)
    wrong = [text for _, state, text in report.rows if state == "wrong"]
    if wrong or space is None:
        raise CaseError(joined(wrong, "; "))
    for text in dict.fromkeys(text for _, state, text in report.rows if state == "warn"):
        warn(text)
    checked.dimension = widest([checked.dimension, dimension_of(space)])
    walls = [m for m, own in conditions_of_case(case, space).items() if own.role == BODY]
    if len(walls) > 1:
        checked.markers = list(dict.fromkeys([*checked.markers, *walls]))
    if not isinstance(space, Parts):  # which the solver puts together itself
        checked.spaces.keep(case, space)
    return len(space.points)


def refuse(asked: Asked, checked: Checked, skip_bad: bool) -> None:
    """CaseError that lists the impossible cases, unless others run and they may be left out.

    CaseError also where some cases are steady and others are not.
    """
    causes, count = checked.causes, len(checked.cases)
    if len({case.mode for case in checked.possible}) > 1:
        raise CaseError("sweep: steady and unsteady cases, expected all of one mode")
    if len({case.by_time for case in checked.possible}) > 1:
        raise CaseError(
            "sweep: cases by cycles and by time_step, whose rows differ, expected all of one kind"
        )
    if not causes or (skip_bad and len(causes) < count):
        return
    each = list(asked.axes.rows())
    rows: dict[Sentence, list[dict[str, Any]]] = {}
    for i, cause in causes.items():
        rows.setdefault(_but_sampled(asked, cause, each[i]), []).append(each[i])
    if len(rows) == 1 and len(causes) == count:
        raise CaseError("sweep: ", next(iter(rows)))
    each_of = list(rows.items())[:LISTED]
    lines = [Sentence(f"{_common(same)}: ", cause) for cause, same in each_of]
    more = f"; and {len(rows) - LISTED} more causes" if len(rows) > LISTED else ""
    rest = " (--skip-bad, in Python skip_bad=True, runs the rest)"
    others = [] if len(causes) == count else [rest]
    raise CaseError(
        f"sweep: {len(causes)} of {counted(count)} cannot run",
        *others,
        ":\n",
        joined(lines, ";\n"),
        more,
    )


def _but_sampled(asked: Asked, cause: Sentence, row: Mapping[str, Any]) -> Sentence:
    """Cause without the numbers that a sample varies from case to case."""
    if asked.axes.seed is None or cause.about != WHOLE:
        return cause
    any_number = " of a sample, which is of any numbers"
    return cause.changed(
        lambda w: any_number if isinstance(w, Value) and w.value in row.values() else w
    )


def _common(rows: Sequence[Mapping[str, Any]]) -> str:
    """Values common to all rows, and the number of rows, in words."""
    same = {k: v for k, v in rows[0].items() if all(row[k] == v for row in rows)}
    count = f" ({len(rows)} cases)" if len(rows) > 1 else ""
    return f"{told(same) or told(rows[0])}{count}"


def rooms(
    checked: Checked, blocks: Sequence[Sequence[int]], places: Sequence[str | None] = ()
) -> list[tuple[int, list[int]]]:
    """Bytes and rows of the largest ensemble of each group; DeviceError where one does not fit.

    Parameters
    ----------
    blocks : numbers of the rows of each batch
    places : device of each worker of this machine, None where a case names it
    """
    largest: dict[int, tuple[int, list[int]]] = {}
    for rows in blocks:
        for part in ensembles([checked.groups[i] for i in rows]):
            members = [rows[i] for i in part]
            size = int(checked.nodes[members].sum())
            group = int(checked.groups[members[0]])
            if size > largest.get(group, (0, []))[0]:
                largest[group] = (size, members)
    return [
        (
            _room(checked, [case for i in rows if (case := checked.cases[i]) is not None], places),
            rows,
        )
        for _, rows in largest.values()
    ]


def needed(checked: Checked, case: Case) -> int:
    """Bytes that a case takes alone on its device."""
    solver, settings, deform = checked.tried[shared(case)]
    spaces = together([case], [checked.spaces.of(case)])
    moved = None if case.motion is None else deform
    return memory.needed(solver, case.job.dtype, spaces, settings, moved)


def _by_key(word: Any) -> Any:
    """A precision as the key of a case file, of which each case of a sweep has its own."""
    by_key = isinstance(word, Option) and word.name == "dtype"
    return f"run.dtype = {word.value!r}" if by_key else word


def _room(checked: Checked, cases: Sequence[Case], places: Sequence[str | None]) -> int:
    """Bytes of the arrays of an ensemble; DeviceError where its share of its device is less."""
    case = cases[0]
    solver, settings, deform = checked.tried[shared(case)]
    backend = Backend(case.job.device, case.job.dtype)
    spaces = together(cases, [checked.spaces.of(case) for case in cases])
    moved = None if case.motion is None else deform
    sharing = workers_on(backend.device, places)
    try:
        found: int = solver.room(backend, spaces, settings, moved)
        free = memory.available(backend)
        if sharing > 1 and free is not None and found > free // sharing:
            raise DeviceError(
                f"{sharing} workers share {backend.device}, and need {found / 2**30:.3g} GiB "
                f"each, {free / 2**30:.3g} GiB are free; take fewer workers"
            )
    except DeviceError as error:
        many = f"sweep: {counted(len(cases))} side by side: "
        more = "or give a smaller batch" if len(cases) > 1 else ""
        raise DeviceError(many, error.said.changed(_by_key), advice=more) from None
    return found
