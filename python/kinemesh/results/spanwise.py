"""Load along the span of wings: sections from root to tip (docs/theory.md, 2.7).

Of a steady run, and of one without a cycle, it is that of the end; of an unsteady one the mean and
the first harmonic over the last cycle.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io import fields as files
from kinemesh.io.brief import Brief
from kinemesh.io.columns import LOADS
from kinemesh.io.csv_rows import UNSTEADY
from kinemesh.io.history import History
from kinemesh.io.whole import replace
from kinemesh.loops.harmonics import fitted
from kinemesh.results.bands import Bands
from kinemesh.results.sections import Section, SectionLoads, Span, sections
from kinemesh.wiring import done_by

if TYPE_CHECKING:
    from kinemesh.results.record import Record

Floats = NDArray[np.float64]
STATIONS = 41  # of a table
WHOLE = 1e-6  # of a cycle, which times are rounded to
ROUNDING = 1e-9  # of the largest harmonic along the span: one below has no phase


@dataclass(frozen=True, eq=False, repr=False)
class Spanwise(Brief):
    """Loads of sections along the span, in arrays (stations,) from one end to the other.

    Parameters
    ----------
    eta : share of the span, from the root: the plane of symmetry, of a whole wing its middle
    y : place along the span [lengths of the mesh]
    chord : of the section
    x, z : quarter point of its chord
    cl, cd, cm : over q_inf and the section's own chord, the moment nose-up about the quarter point
        over its square; nan where there is no chord
    c_cl, c_cd : chord times cl and cd over the reference length; 0 where there is no chord
    length, area : reference values of the run
    harmonics : of unsteady runs with a cycle complex first harmonics of cl, cd, cm, c_1 - i s_1
    """

    eta: Floats
    y: Floats
    chord: Floats
    x: Floats
    z: Floats
    cl: Floats
    cd: Floats
    cm: Floats
    c_cl: Floats
    c_cd: Floats
    length: float
    area: float
    harmonics: Mapping[str, NDArray[np.complex128]] = field(default_factory=dict)
    source: Any = field(default=None, repr=False, compare=False)  # run and member, for titles

    def total(self) -> dict[str, float]:
        """cl and cd of the walls as the integral along the span, by the rule of trapezoids."""
        scale = self.length / self.area
        each = {"cl": self.c_cl, "cd": self.c_cd}
        way = np.abs(np.diff(self.y))
        return {
            name: scale * float((0.5 * (values[1:] + values[:-1]) * way).sum())
            for name, values in each.items()
        }

    def bending(self) -> Floats:
        """(stations,) moment of the lift outboard of each about it; c_cl is linear between them.

        Over q_inf times reference area and length, positive where lift bends the tip up; at the
        root of a wing of both halves the mean of the two.
        """
        found, sides = np.zeros_like(self.y), np.zeros_like(self.y)
        for side in (self.eta >= 0, self.eta <= 0):
            rows = np.flatnonzero(side)
            if len(rows) < 2:
                continue
            rows = rows[np.argsort(-np.abs(self.eta[rows]))]  # from the tip inwards
            way, load = np.abs(np.diff(self.y[rows])), self.c_cl[rows]
            shear = np.append(0.0, np.cumsum(0.5 * (load[1:] + load[:-1]) * way))
            more = way * (shear[:-1] + way * (2.0 * load[:-1] + load[1:]) / 6.0)
            found[rows] += np.append(0.0, np.cumsum(more))
            sides[rows] += 1.0
        return found / sides / self.area

    def columns(self) -> dict[str, Floats]:
        """(stations,) of each column of the CSV file."""
        names = ("eta", "y", "chord", "x", "z", "c_cl", "c_cd", *LOADS)
        found: dict[str, Floats] = {name: getattr(self, name) for name in names}
        for name, f in self.harmonics.items():
            size = np.abs(f)
            found[f"{name}1_magnitude"] = size
            # of magnitude sin(phase of the motion + phase); of rounding, as at a tip, none
            some = size > ROUNDING * np.max(size, initial=0, where=np.isfinite(size))
            phase = np.degrees(np.arctan2(f.real, -f.imag))
            found[f"{name}1_phase_deg"] = np.where(some, phase, np.nan)
        return found


class Surface:
    """Walls of a member of a run over its frames, from the file of its surface, else of its flow.

    Attributes
    ----------
    times : (frames,)
    points, triangles : of the first frame
    on : "points", or "cells" where cp is of the triangles
    """

    def __init__(self, run: Record, member: int | None, what: str) -> None:
        from kinemesh.results import flow_fields

        flow, self.member = flow_fields.path_of(run, member)
        own = flow.with_name(flow.name.replace("flow", "surface", 1))
        self.path, self.run = own if own.exists() else flow, run
        self.times = files.times(self.path)
        if not len(self.times):
            raise CaseError(f"{what}: {self.path} has no frames")
        first = files.read(self.path, 0)
        if first["points"].shape[1] != 3:
            raise CaseError(f"{what}: sections are of wings in space, and the run is in the plane")
        self.on = first["on"]
        if "Cp" not in first["fields"] or (self.on == "cells" and self.path == flow):
            raise CaseError(f"{what}: {self.path} has no Cp of the walls")
        self.points, self.triangles = first["points"], first["walls"]

    @cached_property
    def span(self) -> Span:
        """Reach along y."""
        return Span.of(self.points, self.triangles)

    def frames(self, numbers: Any) -> Iterator[tuple[Floats, Floats]]:
        """Places (nodes, 3) and pressure coefficients, (nodes,) or (triangles,), of frames."""
        for number in numbers:
            found = files.read(self.path, int(number))
            yield found["points"], found["fields"]["Cp"]

    def nearest(self, time: float) -> int:
        """Number of the frame that is nearest to a time."""
        return int(np.argmin(np.abs(self.times - time)))

    def loads(self, cuts: list[Section], frame: tuple[Floats, Floats]) -> list[SectionLoads]:
        """Loads of sections in a frame."""
        x, cp = frame
        if self.on != "cells":
            return [SectionLoads.of(cut, x, cp) for cut in cuts]
        each = self.bands.at(np.array([cut.y for cut in cuts]), self.bands.sums(x, cp))
        return [SectionLoads.given(cut, x, own) for cut, own in zip(cuts, each, strict=True)]

    @cached_property
    def bands(self) -> Bands:
        """Bands between rows of the walls' faces."""
        return Bands.of_walls(self.points, self.triangles, self.span)

    def at_nodes(self, frame: tuple[Floats, Floats]) -> Floats:
        """(nodes,) pressure coefficients of a frame, of triangles their means by area."""
        x, cp = frame
        if self.on != "cells":
            return cp
        a, b, c = (x[own] for own in self.triangles.T)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        corner = self.triangles.ravel()
        total, sums = (np.bincount(corner, np.repeat(own, 3), len(x)) for own in (area, area * cp))
        return np.asarray(sums / np.where(total > 0, total, 1))

    def sections(self, etas: Any) -> list[Section]:
        """Sections at shares of the span."""
        return sections(self.points, self.triangles, etas, self.span)

    @cached_property
    def diagonals(self) -> NDArray[Any]:
        """(d, 2) sides of triangles that divide faces of four corners; none of a cloud."""
        from kinemesh.results import flow_fields

        flow = flow_fields.read(self.run, 0, None, self.member)
        if flow.cloud:
            return np.empty((0, 2), np.int64)
        find = done_by("Surface.diagonals")
        return np.asarray(find(flow.cells, flow.walls, self.triangles, len(flow.points)))

    @cached_property
    def cycles(self) -> Floats:
        """(frames,) cycles done; nan of a steady run and of one without a cycle."""
        history = self.run.history
        if history.kind != "unsteady" or history.by_time or self.member not in history.members:
            return np.full(len(self.times), np.nan)
        rows = history.member(self.member)
        return np.asarray(self.times * (rows["cycle"][-1] / rows["time"][-1]))

    def last_cycle(self) -> NDArray[np.int64]:
        """Numbers of the frames of the last cycle; none where there is no whole one."""
        if not self.cycles[-1] > 1 - WHOLE:
            return np.empty(0, np.int64)
        return np.flatnonzero(self.cycles > self.cycles[-1] - 1 + WHOLE)


def loads_of(run: Record, member: int, found: list[SectionLoads]) -> dict[str, Floats]:
    """(items,) chord, x, z, cl, cd and cm of sections' loads, in the axes of the stream."""
    alpha = np.radians(float(run.asked()[member].get("alpha_deg") or 0.0))
    chord = np.array([one.chord for one in found])
    force = np.array([one.load for one in found])
    x, z = np.array([one.quarter for one in found]).T
    moment = np.array([one.moment for one in found])
    scale = np.where(chord > 0, chord, np.nan)
    along, up = force.T / scale
    return {
        "chord": chord,
        "x": x,
        "z": z,
        "cl": up * np.cos(alpha) - along * np.sin(alpha),
        "cd": along * np.cos(alpha) + up * np.sin(alpha),
        "cm": moment / scale**2,
    }


def loads_of_section(run: Record, eta: float, member: int | None = None) -> tuple[History, str]:
    """History of a section at a share of the span, rows of the steps whose walls were kept; and
    what it is of, in words.

    Its cl, cd and cm are over the chord of the section, in place of those of the walls.
    """
    run.refuse_failed(member)
    surface = Surface(run, member, "section")
    (cut,) = surface.sections([eta])
    if not len(cut.nose):
        raise CaseError(f"section: no surface at {eta:g} of the span, where the tip ends")
    rows = run.history.member(surface.member)
    time = rows["time"]
    after = np.minimum(np.searchsorted(time, surface.times * (1 - 1e-9)), len(time) - 1)
    kept = np.flatnonzero(np.isclose(time[after], surface.times, rtol=1e-9, atol=0))
    each = [load for frame in surface.frames(kept) for load in surface.loads([cut], frame)]
    columns = {name: rows[name][after[kept]] for name in UNSTEADY}
    found = loads_of(run, surface.member, each)
    history = History(UNSTEADY)
    history.extend(columns | {name: found[name] for name in LOADS})
    history.scales = rows.scales
    return history, f"{run.out or 'run'}, {100 * eta:g} % of the span"


def spanwise(run: Record, member: int | None = None, stations: int = STATIONS) -> Spanwise:
    """Load along the span of a member; errors as of `Run.spanwise`."""
    if not isinstance(stations, int) or isinstance(stations, bool) or stations < 2:
        raise CaseError(f"spanwise: stations is {stations!r}, expected a whole number from 2")
    run.refuse_failed(member)
    surface = Surface(run, member, "spanwise")
    last, of = surface.last_cycle(), surface.member
    cuts = surface.sections(surface.span.stations(stations))
    shown = last if len(last) > 2 else [len(surface.times) - 1]
    each = [loads_of(run, of, surface.loads(cuts, frame)) for frame in surface.frames(shown)]
    series = {name: np.array([one[name] for one in each]) for name in each[0]}
    mean, first = {name: values[-1] for name, values in series.items()}, {}
    if len(last) > 2:
        found = {n: fitted(v, 2 * np.pi * surface.cycles[last]) for n, v in series.items()}
        mean = {name: own for name, (own, _) in found.items()}
        first = {name: found[name][1][0] for name in LOADS}
    conditions = run.summary["conditions"]
    length, area = (float(conditions[f"reference_{name}"]) for name in ("length", "area"))
    eta, y = (np.array([getattr(cut, name) for cut in cuts]) for name in ("eta", "y"))
    loads = {f"c_{n}": np.nan_to_num(mean["chord"] * mean[n]) / length for n in ("cl", "cd")}
    return Spanwise(eta, y, **mean, **loads, length=length, area=area, harmonics=first,
                    source=(run, of))  # fmt: skip


def write(path: Path, found: Spanwise) -> None:
    """Write a CSV file with a row per station."""
    columns, text = found.columns(), StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(columns)
    out.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    replace(path, text.getvalue().encode())


def write_all(run: Record) -> list[str]:
    """Write spanwise.csv of each member that ended, in space; names of the files.

    Nothing without a folder, or where no section cuts the walls.
    """
    if run.out is None:
        return []
    made = []
    lost = {row["member"] for row in run.failed}
    for member in range(run.members):
        name = f"spanwise-{member}.csv" if run.members > 1 else "spanwise.csv"
        if member in lost:
            continue
        if not _cut(run, member):
            continue
        write(run.out / name, spanwise(run, member))
        made.append(name)
    return made


def _cut(run: Record, member: int) -> bool:
    """Return True if sections cut the walls of a member: not without walls, or of one plane."""
    walls = Surface(run, member, "spanwise")
    return len(walls.triangles) > 0 and bool(np.ptp(walls.points[walls.triangles, 1]) > 0)
