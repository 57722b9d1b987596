"""Unsteady pressures on the walls over a cycle, as in reports on oscillating sections.

The pressures are those of the frames of the last cycle in a field file; coordinates are along and
above the chord of each body.
With cp ~ mean + sum_n s_n sin(n phi) + c_n cos(n phi), phi the phase of the motion, harmonic n is
the complex number c_n - i s_n.  The first harmonic over the first harmonic of the motion, in
radians or chords, has a real part in phase with the motion and an imaginary part that leads the
motion by a quarter turn (docs/theory.md, eq. 2.19).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.brief import Brief
from kinemesh.io.paths import path_of
from kinemesh.io.whole import replace
from kinemesh.loops.harmonics import fitted
from kinemesh.results import flow_fields
from kinemesh.results.along_walls import rearmost
from kinemesh.results.sections import ACROSS, ends_of
from kinemesh.results.spanwise import Surface

if TYPE_CHECKING:
    from kinemesh.results.flow_fields import Fields
    from kinemesh.results.record import Record

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Pressures(Brief):
    """Pressure coefficient on the wall of one body over the last cycle.

    Nodes follow each other along the wall, the fluid on the left; a closed wall begins at its
    trailing edge.  Of fields on cells they are the middles of the wall's edges.

    Parameters
    ----------
    x, y : (nodes,)             along and above the chord of the body, from its leading edge [chord
        of the body]
    phase_deg : (frames,)       phases of the motion
    cp : (frames, nodes)        pressure coefficient [-]
    mean : (nodes,)             mean of cp
    harmonics : (orders, nodes) complex c_n - i s_n, n = 1, 2, ...
    per_motion : (nodes,)       first harmonic of cp over the first harmonic of the motion; None
        where bodies move in more than one degree of freedom
    motion : str or None        "alpha" (per_motion is per radian) or "h" (per chord)
    cf : (frames, nodes)        of viscous flow the wall's shear stress over the dynamic pressure,
        positive towards the trailing edge, of a gas downstream; None of an inviscid one

    Of a steady flow there is one frame, and no harmonics.
    """

    x: FloatArray
    y: FloatArray
    phase_deg: FloatArray
    cp: FloatArray
    mean: FloatArray
    harmonics: NDArray[np.complex128]
    per_motion: NDArray[np.complex128] | None
    motion: str | None
    closed: bool  # the wall ends where it begins
    cf: FloatArray | None = None
    source: Any = field(default=None, repr=False, compare=False)  # run and member, for titles

    def columns(self) -> dict[str, FloatArray]:
        """(nodes,) of each column of the CSV file."""
        found = {"x/c": self.x, "y/c": self.y, "cp_mean": self.mean}
        if self.cf is not None:
            found["cf_mean"] = self.cf.mean(axis=0)
        for n, f in enumerate(self.harmonics, 1):
            found[f"cp{n}_magnitude"] = np.abs(f)
            # of magnitude sin(n phi + phase)
            found[f"cp{n}_phase_deg"] = np.degrees(np.arctan2(f.real, -f.imag))
        if self.per_motion is not None:
            found[f"cp1_{self.motion}_real"] = self.per_motion.real
            found[f"cp1_{self.motion}_imag"] = self.per_motion.imag
        return found


def pressures(
    run: Record,
    member: int | None = None,
    section: float | None = None,
) -> dict[str, Pressures]:
    """Pressures on each body over the last cycle, by marker; CaseError without a whole cycle.

    Of a steady viscous flow those of its end.  In space those of a section, which is one body, and
    of any steady flow.
    """
    run.refuse_failed(member)
    if section is not None:
        return _of_section(run, member, section)
    times, wet = flow_fields.frames(run, member), viscosity(run, member)
    if run.history.kind != "unsteady":
        end = flow_fields.read(run, None, None, member)
        _refuse_wing(end)
        if wet is not None or "Cf" in end:
            return _of_steady(end, wet)
        raise CaseError("pressures: a steady run has no cycle; its cp is in run.fields()['Cp']")
    last = times.last_cycle()
    if len(times.cycle) < 4 or not times.cycle[-1] >= 1 - 1e-6 or len(last) < 3:
        raise _no_cycle(run, len(last))
    given = flow_fields.read(run, 0, None, member)
    _refuse_wing(given)
    first = given.at_walls()
    frames = [flow_fields.read(run, n, None, member).at_walls() for n in last.tolist()]
    unit = _motion(run, member)
    phase = np.radians(times.phase_deg[last])
    found = {}
    for marker, rows in first.bodies.items():
        spin = None if wet is None else _spin(run, member, marker, times.time[last])
        drag = None if spin is None or wet is None else (wet, spin)
        ends = _chord(given, marker)
        found[marker] = _of_body(first, frames, first.walls[rows], ends, phase, unit, drag)
    return found


def at_end(run: Record, member: int | None = None) -> dict[str, Pressures]:
    """Pressures on each body at the end of a run in the plane, by marker, of any equations."""
    end = flow_fields.read(run, None, None, member)
    _refuse_wing(end)
    return _of_steady(end, viscosity(run, member))


def _no_cycle(run: Record, frames: int) -> CaseError:
    """Error of a run whose last cycle has so few frames, or that has no cycle."""
    if run.history.by_time:
        return CaseError(
            "pressures: the run went by time_step and steps and has no cycle, over which pressures "
            "have a mean and harmonics; run with cycles and steps_per_cycle, or take the cp of one "
            "moment from run.fields(frame)['Cp']"
        )
    return CaseError(
        f"pressures: {frames} frames of the last cycle, expected 3 and a whole cycle; run more "
        "cycles, or more steps a cycle"
    )


def _refuse_wing(frame: Fields) -> None:
    if frame.points.shape[1] != 2:
        raise CaseError(
            "pressures: of a wing, which has no chord line; give a share of its span, as in "
            "run.pressures(section=0.65)"
        )


def _of_section(run: Record, member: int | None, eta: float) -> dict[str, Pressures]:
    """Pressures on a section of a wing, from the frames of its walls."""
    surface, steady = Surface(run, member, "pressures"), run.history.kind == "steady"
    last = np.array([len(surface.times) - 1]) if steady else surface.last_cycle()
    if len(last) < 3 and not steady:
        raise _no_cycle(run, len(last))
    (cut,) = surface.sections([eta])
    if not len(cut.nose):
        raise CaseError(f"pressures: no surface at {eta:g} of the span, where the tip ends")
    place = cut.at(surface.points)[:, ACROSS]
    nodes, closed = _along(cut.lines, place)
    ends = np.array([place[own].mean(axis=0) for own in ends_of(place)])
    # on diagonals of faces a linear cp is off the curve
    nodes = nodes[~cut.on_edges(surface.diagonals, len(surface.points))[nodes]]
    x, y = _by_chord(place[nodes], ends)
    cp = np.array([cut.at(surface.at_nodes(frame))[nodes] for frame in surface.frames(last)])
    name = f"{100 * cut.eta:g} % of the span"
    if steady:
        return {name: _still(x, y, cp, closed)}
    phase = np.radians(360 * (surface.cycles[last] % 1))
    parts = _harmonics(cp, phase, _motion(run, member))
    return {name: Pressures(x, y, np.degrees(phase), cp, *parts, closed)}


def _still(
    x: FloatArray, y: FloatArray, cp: FloatArray, closed: bool, cf: FloatArray | None = None
) -> Pressures:
    """Pressures (1, nodes) of a steady flow."""
    none = np.empty((0, len(x)), complex)
    return Pressures(x, y, np.empty(0), cp, cp[0], none, None, None, closed, cf)


def viscosity(run: Record, member: int | None) -> float | None:
    """Viscosity over density [U chord] of a member of an incompressible run; None of a gas."""
    row = run.asked()[member or 0]
    reynolds = None if "mach" in row else row.get("reynolds")
    chord = run.summary.get("conditions", {}).get("chord") or 1.0
    return None if reynolds is None else chord / reynolds


def _spin(run: Record, member: int | None, marker: str, times: FloatArray) -> FloatArray:
    """Rates of turn (frames,) of a body, counter-clockwise [rad U/chord]."""
    rows = run.history if member is None else run.history.member(member)
    own = f"angle_deg_{marker}"
    angle = np.radians(rows[own if own in rows.columns else "alpha_deg"])
    at, count = rows["time"], min(4, len(angle) - 1)
    if count < 1 or np.ptp(angle) == 0:
        return np.zeros(len(times))
    from scipy.interpolate import make_interp_spline

    turned = make_interp_spline(at, angle, k=3 if count >= 3 else 1)
    return -np.asarray(turned(times, 1))  # angles are nose-up


def _of_steady(given: Fields, wet: float | None) -> dict[str, Pressures]:
    none, drag = np.empty(0), None if wet is None else (wet, np.zeros(1))
    frame = given.at_walls()
    return {
        marker: _of_body(frame, [frame], frame.walls[rows], _chord(given, marker), none, None, drag)
        for marker, rows in frame.bodies.items()
    }


def _chord(given: Fields, marker: str) -> FloatArray:
    """(2, 2) nose and tail of a body, among the nodes of its wall, whatever the fields are on."""
    if not len(given.bodies[marker]):
        raise CaseError(
            "pressures: the run has no walls, along which pressures are, as a channel between "
            "planes of symmetry has none; take run.fields()['Cp'] for those of the gas"
        )
    points = given.points[np.unique(given.walls[given.bodies[marker]])]
    return np.array([points[own].mean(axis=0) for own in ends_of(points)])


def _cp(frame: Fields) -> FloatArray:
    """(nodes,) of a gas as it was kept; of incompressible flow the pressure over rho U^2 / 2."""
    return frame["Cp"] if "Cp" in frame else 2 * frame["Pressure"]


def _cf(
    frame: Fields, nodes: NDArray[np.int64], closed: bool, wet: float, spin: float
) -> FloatArray:
    """(wall nodes,) shear stress of the fluid on a wall that turns with `spin`, over rho U^2 / 2.

    On a no-slip wall the slope of the velocity along its normal is the vorticity less that of the
    wall's turn; the fluid is on the left.
    """
    x = frame.points[nodes]
    way = np.roll(x, -1, 0) - np.roll(x, 1, 0) if closed else np.gradient(x, axis=0)
    ends = x[[np.argmin(_by_chord(x)[0]), np.argmax(_by_chord(x)[0])]]
    forward = np.where(way @ (ends[1] - ends[0]) >= 0, 1.0, -1.0)
    return -2 * wet * forward * (frame["Vorticity"][nodes] - 2 * spin)


def _of_body(
    first: Fields,
    frames: list[Fields],
    walls: NDArray[np.int64],
    ends: FloatArray,
    phase: FloatArray,
    unit: tuple[str, complex] | None,
    drag: tuple[float, FloatArray] | None = None,
) -> Pressures:
    nodes, closed = _along(walls, first.points)
    x, y = _by_chord(first.points[nodes], ends)
    cp = np.array([_cp(frame)[nodes] for frame in frames])
    cf = np.array([frame["Cf"][nodes] for frame in frames]) if "Cf" in first else None
    if drag is not None:
        pairs = zip(frames, drag[1].tolist(), strict=True)
        cf = np.array([_cf(frame, nodes, closed, drag[0], spin) for frame, spin in pairs])
    if not len(phase):
        return _still(x, y, cp, closed, cf)
    return Pressures(x, y, np.degrees(phase), cp, *_harmonics(cp, phase, unit), closed, cf)


def _harmonics(
    cp: FloatArray, phase: FloatArray, unit: tuple[str, complex] | None
) -> tuple[FloatArray, NDArray[np.complex128], NDArray[np.complex128] | None, str | None]:
    """Mean, harmonics, first harmonic per motion and name of the motion, of cp (frames, nodes)."""
    mean, harmonics = fitted(cp, phase)
    per = None if unit is None else harmonics[0] / unit[1]
    return mean, harmonics, per, None if unit is None else unit[0]


def _motion(run: Record, member: int | None) -> tuple[str, complex] | None:
    """The one degree of freedom that moves, and the first harmonic of its motion."""
    energy = run.loop(member).energy
    return None if energy is None or energy.motion is None else energy.motion


def _along(walls: NDArray[np.int64], points: FloatArray) -> tuple[NDArray[np.int64], bool]:
    """Nodes of wall edges (k, 2) one after the other, a closed wall from its trailing edge."""
    after = dict(walls.tolist())
    starts = [a for a in after if a not in set(walls[:, 1].tolist())]
    used = np.unique(walls)
    at: int | None = starts[0] if starts else rearmost(after, points)
    found: list[int] = []
    while at is not None and len(found) < len(used):
        found.append(at)
        at = after.get(at)
    if len(found) != len(used):
        raise CaseError("pressures: the wall of a body is not one curve")
    return np.array(found), not starts


def _by_chord(points: FloatArray, ends: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Coordinates (nodes,) along and above the chord, between these ends, or see `ends_of`."""
    if ends is None:
        ends = np.array([points[own].mean(axis=0) for own in ends_of(points)])
    leading, trailing = ends
    chord = trailing - leading
    along, above = chord / (chord @ chord), np.array([-chord[1], chord[0]]) / (chord @ chord)
    return (points - leading) @ along, (points - leading) @ above


def write(path: str | Path, found: Mapping[str, Pressures]) -> Path:
    """Write a CSV file with a row per body and wall node."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    head: list[str] = []
    for marker, body in found.items():
        columns = body.columns()
        if not head:
            head = list(columns)
            out.writerow(["body", *head])
        rows: Any = zip(*(columns[name].tolist() for name in head), strict=True)
        out.writerows([marker, *row] for row in rows)
    target = path_of(path, "the table's file")
    replace(target, text.getvalue().encode())
    return target
