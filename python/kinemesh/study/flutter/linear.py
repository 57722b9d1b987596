"""Flutter over Mach number of typical sections and modes, by loads of which Q(k) follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.arguments import checks_names, real
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError, SettingsError, did_you_mean
from kinemesh.io import store as stores
from kinemesh.io.paths import path_of
from kinemesh.structure import Modes, TypicalSection
from kinemesh.study import by_mode_pulse
from kinemesh.study import derivatives as by
from kinemesh.study.flutter import in_time, modal
from kinemesh.study.flutter.forces import Forces
from kinemesh.study.flutter.found import Found, dataset, of_machs, tell
from kinemesh.study.flutter.kept import refuse_others
from kinemesh.study.flutter.roots import divergence, tracks
from kinemesh.study.flutter.written import write
from kinemesh.study.sweep.asked import asked_of as read_as

WAYS = ("linear", "time", "both")
USUAL = (0.3, 3.0)  # V* from first to last
FREQUENCIES = 161  # of Q
BEYOND = 1.5  # largest k of Q over that of the highest mode without wind, at the first V*
STEPS = 18  # in a cycle of the largest k, which is of a mode that loads hardly change
PER = {"chord": 1.0, "half of the chord": 2.0}
KEPT = ("Q", "converged", "unsettled", "periodic")  # of derivatives
AXIS = 1e-6  # difference of two places of the axis [chord]


@checks_names
def flutter(
    case: Any,
    mach: ArrayLike | None = None,
    speed_index: Sequence[float] | None = None,
    *,
    way: str = "linear",
    structure: TypicalSection | Modes | None = None,
    points: int = 200,
    amplitude_deg: float = 0.1,
    out: str | Path | None = None,
    device: str | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Any:
    """Roots over the speed index, and the flutter boundary over the Mach number.

    The loads are those of small motions about the steady flow: by pulses, one run for all Mach
    numbers and frequencies; with them every other structure about the same axis, or of the same
    shapes, takes no flow.  V* = U / (b omega_alpha sqrt(mu)), b half the chord, in space half the
    case's reference_length.

    Parameters
    ----------
    case : name of a ready case, TOML file or Case, whose motion is left out (the mesh follows
        modes by fields, `kinemesh.deform.Modal`); or the Dataset of `kinemesh.derivatives` (all its
        Mach numbers), or of this function for another structure
    mach : (m,)           Mach numbers; None: that of the case
    speed_index : (first, last)    V* between which roots are followed, above 0; None: those of
        [structure] of the case, or 0.3 to 3
    way : "linear" (small motions, p-k), "time" (the body let go in its first mode, at speed indices
        from first to last), or "both" (the linear crossings, and runs in time about each)
    structure : TypicalSection or Modes; None: [structure] of the case
    points : int          V* of the table, at equal ratios
    amplitude_deg : float of the pulses, and of the pitch where a section is let go; shocks answer
        to larger ones otherwise.  Of modes the angle by which the fastest point turns the stream
    out : folder          of the runs, of flutter.csv and boundary.csv, and of Q by Mach number;
        none that holds a run, or without `resume` a flutter analysis
    device, resume, progress : as of `kinemesh.derivatives` by pulses

    Returns
    -------
    xarray.Dataset    over mach, mode and speed_index: `zeta` (share of critical damping, negative
        beyond the boundary), `g` (2 sigma / k), `k`, `omega` (over omega_alpha) and `shape` (h/b
        over alpha; of modes, over motion too, amplitudes over the largest); over mach: `boundary`,
        the lowest V* of flutter, with `boundary_k`, `boundary_omega` and `boundary_mode`,
        `divergence`, V* of it, and `end`: "flutter", "divergence" (which comes first), "stable" or
        "unstable" at all V*; over mach and crossing: all V* at which a damping is 0, with their
        modes, k, omega and `up`, to instability or back;
        `Q` of which they follow.  In time: over mach and run `time_speed_index`, `time_zeta`,
        `time_omega`, `time_k`, `time_mode` (that was kicked) and `time_uncertainty`, over mach
        `time_boundary`, `time_boundary_omega` and `time_boundary_k`, over mach and crossing
        `time_crossing`

    Raises
    ------
    SettingsError    numbers out of their range; a way that is unknown or not there yet
    CaseError        no structure; Q about another axis, or whose k do not reach the roots; a
        folder with other results; what `kinemesh.derivatives` refuses
    """
    _check_way(way)
    if way != "linear" and hasattr(case, "data_vars"):
        raise SettingsError(
            f"flutter: way is {way!r} of derivatives that are there, and runs in time need the "
            "case; give its name, or way='linear'"
        )
    speeds = None if speed_index is None else _speeds(speed_index, points)
    by.above("mach", mach, owner="flutter")
    stores.packages("flutter needs")
    folder = None if out is None else path_of(out, "the folder of the flutter analysis")
    if hasattr(case, "data_vars"):
        lost = [n for n, v in (("mach", mach), ("device", device)) if v is not None]
        if lost:
            raise CaseError(f"flutter: of derivatives that are there, {', '.join(lost)} are theirs")
        found, own = case, _structure(None, structure)
        refuse_others(folder, own, resume)
        speeds = _speeds(USUAL, points) if speeds is None else speeds
    else:
        # any key that varies will do to read a case as a sweep does
        base = read_as(case, {"over": {"run.dtype": ["float64"]}}).base
        own = _structure(base, structure)
        own = replace(own, speed_index=None)
        refuse_others(folder, own, resume)
        if speeds is None:
            speeds = _speeds((base.structure and base.structure.speed_range) or USUAL, points)
        run = (folder, device, resume, progress)
        if way == "time":
            made = in_time.alone(base, own, machs_of(base, mach), speeds, (amplitude_deg, *run))
            return _written(made, folder)
        found = FLOWN[type(own)](base, own, mach, speeds[0], amplitude_deg, run)
    made = of_derivatives(found, own, speeds)
    if way == "both":
        made = in_time.beside(made, base, own, (amplitude_deg, *run))
    return _written(made, folder)


def _written(made: Any, folder: Path | None) -> Any:
    """Dataset, of which the files are in the folder."""
    if folder is not None:
        write(made, folder)
    return made


def machs_of(base: Case, mach: Any) -> list[float]:
    """Mach numbers that were asked for, or that of the case; nan of a method without one."""
    given = by.above("mach", mach)
    if given is not None:
        return list(given)
    return [float("nan") if base.flow.mach is None else base.flow.mach]


def _of_section(base: Case, own: Any, mach: Any, first: float, size: Any, run: Any) -> Any:
    """Derivatives of a section by pulses."""
    k = frequencies(own, first, BEYOND)
    axis = own.axis * base.flow.references[1]
    asked = by.asked_of(base, k, mach, axis, "up", "b", size, zero=True)
    job = {**asked.tables["run"], "steps_per_cycle": STEPS}
    asked = replace(asked, tables={**asked.tables, "run": job})
    return by.made_of(asked, "pulse", *run)


def _of_modes(base: Case, own: Any, mach: Any, first: float, size: Any, run: Any) -> Any:
    """Generalised forces of modes by pulses."""
    asked = modal.asked_of(base, frequencies(own, first, modal.BEYOND), mach, size, own)
    folder = run[0]
    out = None if folder is None else folder / "pulse"
    found = by_mode_pulse.by_mode_pulse(asked, out, *run[1:])
    if folder is not None:
        by.write(found, folder)
    return found


FLOWN: dict[type, Callable[..., Any]] = {TypicalSection: _of_section, Modes: _of_modes}


def frequencies(structure: Any, first: float, beyond: float) -> NDArray[np.float64]:
    """(frequencies,) k of Q, from 0 to beyond the highest mode at the first V*, dense at 0."""
    most = beyond * max(structure.ratios) / (first * np.sqrt(structure.least_mu))
    return np.asarray(most * np.linspace(0, 1, FREQUENCIES) ** 2)


def of_derivatives(found: Any, structure: Any, speeds: NDArray[np.float64]) -> Any:
    """Dataset of `flutter` from that of derivatives; see there."""
    if "frequency" in found.dims:  # of this function
        found = found[[n for n in KEPT if n in found]].rename({"frequency": "k"})
    q = SCALED[type(structure)](found, structure)
    mach = found["mach"].values if "mach" in found.dims else np.array([np.nan])
    q = q if "mach" in found.dims else q[None]
    rows = [_of_mach(m, found["k"].values, own, structure, speeds)
            for m, own in zip(mach.tolist(), q, strict=True)]  # fmt: skip
    made = dataset(rows, speeds, structure)
    kept = found[[n for n in KEPT if n in found]].rename({"k": "frequency"})
    made = made.merge(kept if "mach" in found.dims else kept.expand_dims(mach=mach))
    made.attrs = dict(found.attrs) | {"way": "linear", "structure": repr(structure)}
    tell(rows, speeds)
    return made


def _of_mach(mach: float, k: Any, q: Any, structure: Any, speeds: NDArray[np.float64]) -> Found:
    """Roots of a Mach number from its Q (frequencies, n, n)."""
    own = structure.at(mach)
    if not np.isfinite(q).all():
        return Found(mach, (), np.nan, own.mu)
    forces = Forces(k, q)
    made = tracks(own, forces, speeds, of_machs([mach]))
    return Found(mach, tuple(made), divergence(own, forces), own.mu)


def _scaled(found: Any, structure: TypicalSection) -> NDArray[np.complex128]:
    """(mach, k, 2, 2) Q of derivatives by h/b upwards, about the axis of the structure.

    Raises
    ------
    CaseError    no Q, or about another axis
    """
    if "Q" not in found or "axis" not in found.attrs:
        raise CaseError("flutter: the Dataset has no Q; expected that of km.derivatives(case, k)")
    told = found.attrs
    chord = float(told.get("chord", 1.0))
    place = float(np.ravel(told["axis"])[0]) / chord
    if abs(place - structure.axis) > AXIS:
        raise CaseError(
            f"flutter: Q is about an axis {place:g} chords behind the leading edge, and a = "
            f"{structure.a:g} is {structure.axis:g} chords; give derivatives with axis = "
            f"{structure.axis * chord:g}"
        )
    way = 1.0 if "up" in told["h"] else -1.0
    turn = np.diag([way * PER[told["length"]] / 2, 1.0])  # h / length of h / b upwards
    size = (2 / PER[told["length"]]) ** 2  # q_inf length^2 over q_inf b^2
    return np.asarray(size * (turn @ found["Q"].values @ turn))


SCALED: dict[type, Callable[..., Any]] = {TypicalSection: _scaled, Modes: modal.scaled}


def _structure(base: Case | None, given: Any) -> Any:
    """Structure that was given, or that of the case; CaseError for none."""
    if given is not None:
        if type(given) not in FLOWN:
            raise SettingsError(
                f"flutter: structure is {given!r}, expected km.structure.TypicalSection(...) or "
                "km.structure.Modes(...)"
            )
        return given
    if base is None or base.structure is None:
        of = "of derivatives" if base is None else f"case '{base.name}' has no [structure]"
        raise CaseError(
            f"flutter: {of}; give structure = km.structure.TypicalSection(...), or the table "
            "[structure] of a case file"
        )
    made = base.structure.build()
    if type(made) not in FLOWN:
        raise CaseError(
            f"flutter: case '{base.name}' has {made!r}, which has no flutter analysis; expected a "
            "typical-section, or modes"
        )
    return made


def _check_way(way: Any) -> None:
    """SettingsError for a way that is not there."""
    if way not in WAYS:
        hint = did_you_mean(way, WAYS, f"expected one of {', '.join(WAYS)}")
        raise SettingsError(f"flutter: way is {way!r}{hint}")


def _speeds(speed_index: Any, points: Any) -> NDArray[np.float64]:
    """(points,) V* from first to last; SettingsError if invalid."""
    try:
        first, last = map(real, speed_index)
    except (TypeError, ValueError):
        first = last = np.nan
    if not 0 < first < last < np.inf:
        raise SettingsError(
            f"flutter: speed_index is {speed_index!r}, expected two numbers above 0, the first "
            "below the last, such as (0.3, 3)"
        )
    if not isinstance(points, int) or isinstance(points, bool) or points < 2:
        raise SettingsError(f"flutter: points is {points!r}, expected an integer of at least 2")
    return np.geomspace(first, last, points)
