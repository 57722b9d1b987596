"""Roots of the motions of bodies on structures, from the coordinates in a run's history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.loops.pencil import LEAST, Root, roots_of, spread

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.results.record import Record

FIRST_PERIODS = 1.0  # after the kick, which are left out
DAMPED = 0.5  # share of critical damping above which a root is none of an oscillation
PERIODS, ALIKE = 4, 0.01  # that are alike, and change of their ranges and lengths at most
WEAK = 1e-3  # strength over the largest one below which an oscillation is no root


def rows_of(
    rows: History, told: Mapping[str, Any], member: int, start: float = FIRST_PERIODS
) -> list[dict[str, Any]]:
    """Oscillations of a member's coordinates, as many as these at most, by their frequencies.

    Parameters
    ----------
    told : `coordinates` of the summary's conditions
    start : periods of the first mode without a flow that are left out
    """
    names, units = told["names"], np.array(told["units"][member])
    reference, half = told["reference"][member], told["half_over_speed"][member]
    columns = [rows[f"q_{name}"] / unit for name, unit in zip(names, units, strict=True)]
    if told["period"][member] is None:  # no spring, so no oscillation about a place
        return []
    step = float(rows["time"][0])  # the history begins with the first step
    first = round(start * told["period"][member] / step)
    signals = np.array(columns)[:, first:]
    if signals.shape[1] < LEAST or not np.isfinite(signals).all():
        return []
    most = [own for own in roots_of(signals, step) if own.s.imag > 0 and abs(own.zeta) < DAMPED]
    kept = [own for own in most[: len(names)] if own.strength > WEAK * most[0].strength]
    return [
        {
            "member": member,
            "zeta": own.zeta,
            "uncertainty": spread(signals, step, own),
            "omega": own.s.imag / reference,
            "k": own.s.imag * half,
            **_shape(own, names, units),
            "share": own.strength / most[0].strength,
        }
        for own in sorted(kept, key=lambda one: one.s.imag)
    ]


def _shape(root: Root, names: list[str], units: NDArray[np.float64]) -> dict[str, float]:
    """Size and phase of each coordinate over the last one, which is 1; of modes, with their
    units, over the largest."""
    of_modes = names[0].startswith("mode_")
    shape = root.shape * (units if of_modes else 1.0)
    base, of = (np.abs(root.shape).argmax(), "largest") if of_modes else (-1, names[-1])
    over: NDArray[np.complex128] = shape / (shape[base] or 1.0)
    found = {}
    for name, value in list(zip(names, over.tolist(), strict=True))[: None if of_modes else -1]:
        found[f"{name}_over_{of}"] = abs(value)
        found[f"{name}_phase_deg"] = float(np.degrees(np.angle(value)))
    return found


def steady_cycle(
    rows: Mapping[str, NDArray[np.float64]], told: Mapping[str, Any], member: int
) -> dict[str, float]:
    """Motion of a member whose last four periods are alike to 1 %: of each coordinate half of its
    range, `cycle_NAME`, and `cycle_omega`; empty of others.

    Parameters
    ----------
    rows : columns of the member
    told : as of `rows_of`
    """
    each = [rows[f"q_{name}"] for name in told["names"]]
    half = len(each[0]) // 2
    sizes = [np.ptp(own[half:]) / u for own, u in zip(each, told["units"][member], strict=True)]
    lead, time = each[int(np.argmax(sizes))], rows["time"]
    x = lead - lead[half:].mean() if half else lead
    up = np.flatnonzero((x[1:] > 0) & (x[:-1] <= 0))[-PERIODS - 1 :]
    if len(up) <= PERIODS or not np.isfinite(x).all():
        return {}
    at = time[up] - x[up] * np.diff(time)[up] / np.diff(x)[up]
    ways = [np.ptp(x[a : b + 1]) for a, b in pairwise(up.tolist())]
    if any(np.ptp(own) > ALIKE * np.mean(own) for own in (np.diff(at), ways)):
        return {}
    last = slice(up[0], up[-1] + 1)
    found = {
        f"cycle_{n}": float(np.ptp(q[last]) / 2) for n, q in zip(told["names"], each, strict=True)
    }
    omega = 2 * np.pi * PERIODS / (at[-1] - at[0])
    return found | {"cycle_omega": float(omega / told["reference"][member])}


def of_run(run: Record) -> Iterator[dict[str, Any]]:
    """Rows of all members that did not fail.

    Raises
    ------
    CaseError    no body of the run stands on a structure
    """
    told = run.summary.get("conditions", {}).get("coordinates")
    if told is None:
        raise CaseError(
            "roots: no body of the run stands on a structure; expected a run of a solver "
            "with structure, such as km.structure.TypicalSection(...), or use km.spectrum"
        )
    failed = {row["member"] for row in run.failed}
    for member in range(run.members):
        if member not in failed:
            yield from rows_of(run.history.member(member), told, member)
