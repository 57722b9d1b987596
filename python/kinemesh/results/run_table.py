"""Table of a run: a row per member with its conditions and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.errors import CaseError
from kinemesh.io.columns import FIRST as OF_STEADY
from kinemesh.io.plain_table import PlainTable
from kinemesh.results.asked import varying
from kinemesh.sentences import of_failure, rows_of

if TYPE_CHECKING:
    from kinemesh.results.record import Record

FIRST = (
    *OF_STEADY,
    *(f"{load}_{part}" for load in ("cl", "cd", "cm") for part in ("mean", "amplitude")),
    *("h_amplitude", "thrust", "power_in", "efficiency", "damping", "work"),
    *(
        f"{c}_{q}_{p}"
        for c in ("cl", "cm")
        for q in ("alpha", "h")
        for p in ("in_phase", "quadrature")
    ),
    *("periodic", "converged", "cause"),
)
APART = ("resumed",)  # of the run, not of its members


def columns(run: Record) -> dict[str, list[Any]]:
    """Columns of the table, an entry per member; None for members without the number."""
    members = run.members
    told = run.asked()
    came = [_result(run, m, members) for m in range(members)]
    for m, row in enumerate(came):
        row.setdefault("converged", _converged(run, m, row))
        row.setdefault("cause", _cause(run, m, members))
    told_of = (name for row in came for name, v in row.items() if v is not None or name in FIRST)
    names = dict.fromkeys(told_of)
    order = [n for n in FIRST if n in names] + [n for n in names if n not in FIRST]
    found: dict[str, list[Any]] = {"member": list(range(members))}
    found |= {name: [row.get(name) for row in told] for name in varying(told)}
    return found | {name: [row.get(name) for row in came] for name in order}


def frame(run: Record) -> Any:
    """Table as a pandas DataFrame; without pandas, a `PlainTable`."""
    return framed(columns(run))


def framed(table: Mapping[str, list[Any]]) -> Any:
    """Columns by name as a pandas DataFrame; without pandas, as a `PlainTable`."""
    arrays = {name: _array(values) for name, values in table.items()}
    try:
        import pandas
    except ImportError:
        kinds = [(name, array.dtype) for name, array in arrays.items()]
        found = np.empty(len(next(iter(arrays.values()))), kinds)
        for name, array in arrays.items():
            found[name] = array
        return found.view(PlainTable)
    return pandas.DataFrame(arrays)


def _array(values: list[Any]) -> Any:
    """A column: truth values, whole numbers, numbers (nan for None), or texts ("" for None)."""
    if any(isinstance(v, str) for v in values):
        return np.array(["" if v is None else str(v) for v in values])
    if all(isinstance(v, bool) for v in values):
        return np.array(values)
    whole = all(isinstance(v, int) for v in values)
    return np.array([np.nan if v is None else v for v in values], np.int64 if whole else float)


def _result(run: Record, member: int, members: int) -> dict[str, Any]:
    """Numbers of a member's result; of an unfinished run, of its last whole cycle."""
    result = run.summary.get("result")
    if result is None:
        try:
            return dict(_flat(run.loop(member).to_dict()))
        except CaseError:  # a steady run, or less than a cycle
            return {}
    if members > 1:
        result = _of_member(result, member, members)
    return dict(_flat({k: v for k, v in result.items() if k not in APART}))


def _of_member(result: Mapping[str, Any], member: int, members: int) -> dict[str, Any]:
    """Result of one member: its entries of the lists over all members."""
    found: dict[str, Any] = {}
    for name, value in result.items():
        if isinstance(value, Mapping):
            found[name] = _of_member(value, member, members)
        elif isinstance(value, list) and len(value) == members:
            whole = any(isinstance(entry, Mapping) for entry in value)  # not one number
            if not (whole and value[member] is None):
                found[name] = value[member]
    return found


def _flat(result: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Single values of a tree, their names joined; lists are left out.

    Of a complex number they are name_in_phase and name_quadrature; of a body cl_flap, ...
    """
    for key, value in result.items():
        if key == "bodies" and isinstance(value, Mapping):
            for marker, loads in value.items():
                yield from ((f"{before}{n}_{marker}", v) for n, v in _flat(loads))
        elif isinstance(value, Mapping):
            yield from _flat(value, before if key == "derivatives" else f"{before}{key}_")
        elif isinstance(value, complex):
            yield f"{before}{key}_in_phase", value.real
            yield f"{before}{key}_quadrature", value.imag
        elif isinstance(value, np.generic):
            yield f"{before}{key}", value.item()
        elif value in ("nan", "inf", "-inf"):
            yield f"{before}{key}", float(value)
        elif value is None or isinstance(value, bool | int | float | str):
            yield f"{before}{key}", value


def _converged(run: Record, member: int, row: Mapping[str, Any]) -> bool | None:
    """True if the steps of the last cycle, or the steady march, reached their residual drop."""
    if any(row["member"] == member for row in run.failed):
        return False
    if run.history.kind == "unsteady":
        if member not in run.history.members:
            return None
        part = run.history.member(member)
        return bool(part["converged"][part["cycle"] > part["cycle"][-1] - 1].all())
    if "residual_drop" not in row:
        return None
    asked = float(run.summary["settings"]["steady_drop"])
    return bool(row["residual_drop"] <= asked or row.get("ended_at_roundoff"))


def _cause(run: Record, member: int, members: int) -> str:
    """Failure of a member, unfinished run, lost rows and warnings, in words."""
    said = [] if run.finished else [run.told()]
    said += [run.history.lost[member]] if member in run.history.lost else []
    notes = [*rows_of(map(of_failure, run.failed)), *run.summary.get("notes", [])]
    said += [row["text"] for row in notes if row["member"] == member or members == 1]
    return "; ".join(dict.fromkeys(said))
