"""Flutter in time: sections and modes let go in the flow, at speed indices about crossings.

Speed indices of all Mach numbers are members of one run; a crossing is where a straight line
through the damping at two speed indices, one stable and one not, is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.cases import ensemble
from kinemesh.cases.casefile import Case
from kinemesh.errors import warn
from kinemesh.io.restart import has_restart
from kinemesh.results.oscillations import rows_of
from kinemesh.structure import Modes, TypicalSection
from kinemesh.study.flutter import modal
from kinemesh.study.flutter.found import FLUTTER, STABLE, UNSTABLE, of_machs
from kinemesh.study.sweep.spaces import Spaces

STEPS = 96  # in a period without wind; with 48 of them boundaries of case A are 1 % higher
CYCLES: dict[type, int] = {TypicalSection: 6, Modes: 4}  # periods of a run
NEAR = 0.03  # distance of the first speed indices from a boundary that is known, over it
WIDE = 1.08  # ratio of the speed indices about a boundary, at most
SCAN = 8  # speed indices of a range without a known boundary
ROUNDS = 5  # runs, at most
STRIDE = (0.8, 1.25)  # of a speed index from one run to the next, where no sign changes
GROWN = -1.0  # damping of a motion that grew too fast for a root
CLOSE = 0.25  # of a frequency to that of the crossing, over it, to be of its mode


@dataclass(slots=True)
class Point:
    """A run at a speed index: its strongest oscillation, or that of the mode that is looked at."""

    speed_index: float
    zeta: float
    omega: float = np.nan
    k: float = np.nan
    uncertainty: float = np.nan
    mode: int = 1


@dataclass(slots=True)
class Search:
    """Search of the boundary of a Mach number, or of a crossing.

    Parameters
    ----------
    mach : nan of a method without one
    todo : speed indices of the next run
    mode : that is kicked, by the frequencies without wind from 1
    omega : frequency of the crossing over omega_alpha, by which its mode is known; nan: the
        strongest oscillation is looked at
    up : to instability, or back to stability
    """

    mach: float
    todo: list[float]
    points: list[Point] = field(default_factory=list)
    mode: int = 1
    omega: float = np.nan
    up: bool = True

    @property
    def across(self) -> tuple[Point, Point] | None:
        """The lowest two neighbours of which the first is stable and the next is not; back to
        stability the other way."""
        known = sorted((p for p in self.points if np.isfinite(p.zeta)), key=lambda p: p.speed_index)
        way = 1 if self.up else -1
        return next(((a, b) for a, b in pairwise(known) if way * a.zeta > 0 >= way * b.zeta), None)

    def at(self, name: str) -> float:
        """Number of the boundary, on the straight line between the two; nan without them."""
        if self.across is None:
            return float("nan")
        low, high = self.across
        share = low.zeta / (low.zeta - high.zeta)
        below, above = getattr(low, name), getattr(high, name)
        return float(below + share * (above - below))

    def look(self) -> None:
        """Set the speed indices of the next run; none where the boundary is known."""
        self.todo = []
        there = self.across
        if there is not None:
            low, high = there
            grown = min(low.zeta, high.zeta) <= GROWN
            if high.speed_index > WIDE * low.speed_index or grown:
                middle = self.at("speed_index")
                if grown:
                    middle = float(np.sqrt(low.speed_index * high.speed_index))
                self.todo = [(1 - NEAR) * middle, (1 + NEAR) * middle]
            return
        known = sorted((p for p in self.points if np.isfinite(p.zeta)), key=lambda p: abs(p.zeta))
        if len(known) < 2:
            return
        near, far = known[:2]
        speeds = [p.speed_index for p in known]
        slope = (near.zeta - far.zeta) / (near.speed_index - far.speed_index)
        stride = 1.0 - near.zeta / (slope * near.speed_index) if slope else np.inf
        middle = near.speed_index * float(np.clip(stride, *STRIDE))
        way = 1 if self.up else -1
        if not np.isfinite(stride) or way * (stride - 1) * near.zeta < 0:  # away from what is known
            ahead = (near.zeta > 0) == self.up
            middle = STRIDE[1] * max(speeds) if ahead else STRIDE[0] * min(speeds)
        self.todo = [(1 - NEAR) * middle, (1 + NEAR) * middle]

    @property
    def end(self) -> str:
        """Word on the end of stability, "" of none."""
        if self.across is not None:
            return FLUTTER
        known = [p.zeta for p in self.points if np.isfinite(p.zeta)]
        return "" if not known else STABLE if min(known) > 0 else UNSTABLE


Run = tuple[float, Path | None, Any, bool, bool]
"""Angle of the kick [deg], folder, device, whether a run goes on, whether progress is shown."""


def searched(base: Case, structure: Any, each: list[Search], run: Run) -> list[Search]:
    """Searches of all Mach numbers, as far as `ROUNDS` runs take them."""
    spaces = Spaces()
    for number in range(ROUNDS):
        going = [own for own in each if own.todo]
        if not going:
            break
        _fly(base, structure, going, spaces, number + 1, run)
        for own in going:
            own.look()
    lost = [own.mach for own in each if own.across is None and own.points]
    if lost:
        warn(
            f"flutter: no boundary in time{of_machs(lost)}: the damping has one sign at all speed "
            "indices that were run; give another range of speed_index"
        )
    return each


def _fly(
    base: Case, structure: Any, each: Sequence[Search], spaces: Spaces, number: int, run: Run,
) -> None:  # fmt: skip
    """One run of the speed indices of all searches; their points are added."""
    angle, out, device, resume, progress = run
    searches = [own for own in each for _ in own.todo]
    speeds = [speed for own in each for speed in own.todo]
    cases = [_case(base, structure, own.mach, device) for own in searches]
    structures = [replace(structure, speed_index=speed) for speed in speeds]
    solver = ensemble.solver(cases, list(map(spaces.of, cases)), structures=structures)
    free, folder = solver.structures, None if out is None else out / f"time-{number}"
    periods = np.array([free.period_of(m, own.mode) for m, own in enumerate(searches)])
    made = solver.run(
        time_step=(periods / STEPS).tolist(), steps=CYCLES[type(structure)] * STEPS,
        kick=[free.kick_by(m, own.mode, angle) for m, own in enumerate(searches)], out=folder,
        resume=resume and folder is not None and has_restart(folder), progress=progress,
    )  # fmt: skip
    numbers = made.summary["conditions"]["coordinates"]
    failed, grown = {row["member"] for row in made.failed}, solver.grid.ensemble.ended
    for member, (own, speed) in enumerate(zip(searches, speeds, strict=True)):
        start = float(periods[member] / free.periods[member])
        rows = (
            [] if member in failed else rows_of(made.history.member(member), numbers, member, start)
        )
        own.points.append(_point(own, speed, rows, member in grown))


def _point(search: Search, speed: float, rows: list[dict[str, Any]], grown: bool) -> Point:
    """Point of a run with these oscillations."""
    if np.isfinite(search.omega):
        apart = [abs(row["omega"] / search.omega - 1) for row in rows]
        own = rows[int(np.argmin(apart))] if apart and min(apart) < CLOSE else None
    else:
        own = max(rows, key=lambda row: float(row["share"]), default=None)
    if own is None:
        return Point(speed, GROWN if grown else np.nan, mode=search.mode)
    zeta, omega, k, spread = (float(own[name]) for name in ("zeta", "omega", "k", "uncertainty"))
    return Point(speed, zeta, omega, k, spread, search.mode)


def _case(base: Case, structure: Any, mach: float, device: str | None) -> Case:
    """Case of a body at a Mach number, without a structure of its own."""
    tables = base.tables()
    for name in ("motion", "structure"):
        tables.pop(name, None)
    if isinstance(structure, Modes):
        tables["deform"] = modal.deform_of(tables.get("deform"))
    kept = {n: v for n, v in tables.get("run", {}).items() if n in ("device", "dtype")}
    job = {**kept, "time_step": 1.0, "steps": 1}  # others are the run's
    flow = tables["flow"] | ({} if np.isnan(mach) else {"mach": mach})
    made = Case.from_dict(tables | {"mode": "unsteady", "flow": flow, "run": job}, Path.cwd())
    return made if device is None else made.replace(device=device)


def beside(found: Any, base: Case, structure: Any, run: Run) -> Any:
    """Dataset of the linear way with all its crossings in time: see `kinemesh.flutter`."""
    machs, edges = found["mach"].values.tolist(), found["boundary"].values
    numbers = {n: found[f"crossing_{n}"].values for n in ("speed_index", "mode", "omega", "up")}
    each, of = [], []
    for row, column in np.argwhere(np.isfinite(numbers["speed_index"])).tolist():
        speed, mode, omega, up = (own[row, column] for own in numbers.values())
        todo = [(1 - NEAR) * speed, (1 + NEAR) * speed]
        strongest = mode == 1 and up  # by its kick
        known = np.nan if strongest else float(omega)
        each.append(Search(machs[row], todo, [], int(mode), known, bool(up)))
        of.append((row, column))
    searched(base, structure, each, run)
    crossings = np.full(numbers["speed_index"].shape, np.nan)
    by_mach: list[list[Search]] = [[] for _ in machs]
    for (row, column), own in zip(of, each, strict=True):
        crossings[row, column] = own.at("speed_index")
        first = edges[row] == numbers["speed_index"][row, column]
        by_mach[row].insert(0 if first else len(by_mach[row]), own)
    whole = [
        own if own and np.isfinite(edge) else [Search(mach, []), *own]
        for mach, edge, own in zip(machs, edges, by_mach, strict=True)
    ]
    made = variables(whole) | {"time_crossing": (("mach", "crossing"), crossings)}
    return found.assign(made).assign_attrs(way="both")


def alone(base: Case, structure: Any, machs: Sequence[float], speeds: Any,
          run: Run) -> Any:  # fmt: skip
    """Dataset of the boundary in time alone, from runs at speed indices from first to last."""
    from kinemesh.io import store as stores

    xarray = stores.packages().xarray
    scan = np.geomspace(speeds[0], speeds[-1], SCAN).tolist()
    each = searched(base, structure, [Search(mach, list(scan)) for mach in machs], run)
    edge = np.array([own.at("speed_index") for own in each])
    known = np.isfinite(edge)
    crossing = {
        "speed_index": edge, "mode": np.where(known, 1.0, np.nan),
        "k": np.array([own.at("k") for own in each]),
        "omega": np.array([own.at("omega") for own in each]), "up": np.where(known, 1.0, np.nan),
    }  # fmt: skip
    made = {
        **{f"crossing_{n}": (("mach", "crossing"), own[:, None]) for n, own in crossing.items()},
        "boundary": ("mach", edge),
        **{f"boundary_{n}": ("mach", crossing[n]) for n in ("k", "omega", "mode")},
        "divergence": ("mach", np.full(len(each), np.nan)),
        "end": ("mach", np.array([own.end for own in each])),
        "converged": ("mach", np.array([own.end != "" for own in each])),
        **variables([[own] for own in each]),
    }
    found = xarray.Dataset(made, coords={"mach": list(machs), "mode": [1]})
    return found.assign_attrs(way="time", structure=repr(structure), title=base.title or base.name)


def variables(each: Sequence[Sequence[Search]]) -> dict[str, Any]:
    """Variables of runs in time: their numbers over mach and run, and the boundary over mach.

    Parameters
    ----------
    each : searches of each Mach number, that of the boundary first
    """
    known = [[point for own in searches for point in own.points] for searches in each]
    most = max(map(len, known), default=0)
    found: dict[str, Any] = {}
    for name in ("speed_index", "mode", "zeta", "omega", "k", "uncertainty"):
        table: NDArray[np.float64] = np.full((len(each), most), np.nan)
        for row, points in zip(table, known, strict=True):
            points.sort(key=lambda point: point.speed_index)
            row[: len(points)] = [getattr(point, name) for point in points]
        found[f"time_{name}"] = (("mach", "run"), table)
    names = {"": "speed_index", "_omega": "omega", "_k": "k"}
    return found | {
        f"time_boundary{end}": ("mach", np.array([own[0].at(name) for own in each]))
        for end, name in names.items()
    }
