"""Flutter in time: sections that are let go in the flow, at speed indices about a boundary.

Speed indices of all Mach numbers are members of one run; the boundary of a Mach number is where a
straight line through the damping at two speed indices, one stable and one not, is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.cases import ensemble
from kinemesh.cases.casefile import Case
from kinemesh.errors import SettingsError, warn
from kinemesh.results.oscillations import rows_of
from kinemesh.structure import TypicalSection
from kinemesh.study.flutter.found import FLUTTER, STABLE, UNSTABLE, of_machs
from kinemesh.study.sweep.spaces import Spaces

CYCLES, STEPS = 6, 96  # of a run; with 48 steps boundaries of case A are 1 % higher
NEAR = 0.03  # distance of the first speed indices from a boundary that is known, over it
WIDE = 1.08  # ratio of the speed indices about a boundary, at most
SCAN = 8  # speed indices of a range without a known boundary
ROUNDS = 5  # runs, at most
STRIDE = (0.8, 1.25)  # of a speed index from one run to the next, where no sign changes
GROWN = -1.0  # damping of a motion that grew too fast for a root


@dataclass(slots=True)
class Point:
    """A run at a speed index: its strongest oscillation."""

    speed_index: float
    zeta: float
    omega: float = np.nan
    k: float = np.nan
    uncertainty: float = np.nan


@dataclass(slots=True)
class Search:
    """Search of the boundary of a Mach number.

    Parameters
    ----------
    mach : nan of a method without one
    todo : speed indices of the next run
    """

    mach: float
    todo: list[float]
    points: list[Point] = field(default_factory=list)

    @property
    def across(self) -> tuple[Point, Point] | None:
        """The lowest two neighbours of which the first is stable and the next is not."""
        known = sorted((p for p in self.points if np.isfinite(p.zeta)), key=lambda p: p.speed_index)
        return next(((a, b) for a, b in pairwise(known) if a.zeta > 0 >= b.zeta), None)

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
            if high.speed_index > WIDE * low.speed_index or high.zeta <= GROWN:
                middle = self.at("speed_index")
                if high.zeta <= GROWN:
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
        if not np.isfinite(stride) or (stride - 1) * near.zeta < 0:  # away from what is known
            middle = STRIDE[1] * max(speeds) if near.zeta > 0 else STRIDE[0] * min(speeds)
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


def check(structure: Any) -> None:
    """SettingsError for a structure that no run takes."""
    if not isinstance(structure, TypicalSection):
        raise SettingsError(
            f"flutter: structure is {structure!r}, and runs in time take typical sections alone; "
            "use way='linear'"
        )


def searched(base: Case, structure: TypicalSection, each: list[Search], run: Run) -> list[Search]:
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
    base: Case, structure: TypicalSection, each: Sequence[Search], spaces: Spaces, number: int,
    run: Run,
) -> None:  # fmt: skip
    """One run of the speed indices of all searches; their points are added."""
    angle, out, device, resume, progress = run
    cases = [_case(base, structure, own.mach, v, device) for own in each for v in own.todo]
    solver = ensemble.solver(cases, list(map(spaces.of, cases)))
    folder = None if out is None else out / f"time-{number}"
    made = solver.run(
        cycles=CYCLES, steps_per_cycle=STEPS, kick={"mode": 1, "angle_deg": angle}, out=folder,
        resume=resume and folder is not None and folder.exists(), progress=progress,
    )  # fmt: skip
    numbers, member = made.summary["conditions"]["coordinates"], 0
    failed = {row["member"] for row in made.failed}
    grown = solver.grid.ensemble.ended
    for own in each:
        for speed in own.todo:
            rows = [] if member in failed else rows_of(made.history.member(member), numbers, member)
            strongest = max(rows, key=lambda row: float(row["share"]), default=None)
            if strongest is None:
                own.points.append(Point(speed, GROWN if member in grown else np.nan))
            else:
                names = ("zeta", "omega", "k", "uncertainty")
                own.points.append(Point(speed, *(float(strongest[name]) for name in names)))
            member += 1


def _case(
    base: Case, structure: TypicalSection, mach: float, speed: float, device: str | None
) -> Case:
    """Case of a section at a Mach number and a speed index."""
    tables = base.tables()
    tables.pop("motion", None)
    own = {name: getattr(structure, name) for name in structure.__slots__}
    numbers = {name: value for name, value in own.items() if value is not None}
    told = {"kind": "typical-section", **numbers, "speed_index": speed}
    kept = {n: v for n, v in tables.get("run", {}).items() if n in ("device", "dtype")}
    job = {**kept, "cycles": CYCLES, "steps_per_cycle": STEPS}
    flow = tables["flow"] | ({} if np.isnan(mach) else {"mach": mach})
    made = Case.from_dict(
        tables | {"mode": "unsteady", "flow": flow, "structure": told, "run": job}, Path.cwd()
    )
    return made if device is None else made.replace(device=device)


def beside(found: Any, base: Case, structure: TypicalSection, run: Run) -> Any:
    """Dataset of the linear way, with the boundary in time beside it: see `kinemesh.flutter`.

    Boundaries of a mode that is not the first are left out, with a warning.
    """
    machs, edges = found["mach"].values, found["boundary"].values
    modes = found["boundary_mode"].values
    first = np.isfinite(edges) & (modes == 1)
    other = machs[np.isfinite(edges) & (modes != 1)].tolist()
    if other:
        warn(
            f"flutter: the boundary{of_machs(other)} is of a mode above the first, which is not "
            "looked at in time"
        )
    each = [
        Search(float(mach), [(1 - NEAR) * edge, (1 + NEAR) * edge] if own else [])
        for mach, edge, own in zip(machs, edges, first, strict=True)
    ]
    made = searched(base, structure, each, run)
    return found.assign(variables(made)).assign_attrs(way="both")


def alone(base: Case, structure: TypicalSection, machs: Sequence[float], speeds: Any,
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
        **variables(each),
    }
    found = xarray.Dataset(made, coords={"mach": list(machs), "mode": [1]})
    return found.assign_attrs(way="time", structure=repr(structure), title=base.title or base.name)


def variables(each: Sequence[Search]) -> dict[str, Any]:
    """Variables of runs in time: their numbers over mach and run, and the boundary over mach."""
    most = max((len(own.points) for own in each), default=0)
    found: dict[str, Any] = {}
    for name in ("speed_index", "zeta", "omega", "k", "uncertainty"):
        table: NDArray[np.float64] = np.full((len(each), most), np.nan)
        for row, own in zip(table, each, strict=True):
            points = sorted(own.points, key=lambda point: point.speed_index)
            row[: len(points)] = [getattr(point, name) for point in points]
        found[f"time_{name}"] = (("mach", "run"), table)
    names = {"": "speed_index", "_omega": "omega", "_k": "k"}
    return found | {
        f"time_boundary{end}": ("mach", np.array([own.at(name) for own in each]))
        for end, name in names.items()
    }
