"""Unsteady derivatives over Mach number and frequency, as flutter codes take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinemesh.arguments import checks_names, real
from kinemesh.cases.casefile import Case
from kinemesh.cases.overset_parts import Overset
from kinemesh.errors import CaseError, SettingsError
from kinemesh.flow.door.sizes import QUARTER
from kinemesh.io import store as stores
from kinemesh.io.paths import making, path_of
from kinemesh.study.by_pulse import by_pulse
from kinemesh.study.sweep.asked import asked_of as read_as
from kinemesh.study.sweep.sweeping import sweep

LOADS = ("cl", "cm")
PARTS = ("_in_phase", "_quadrature")
STEPS = {"cycles": 6, "steps_per_cycle": 64, "until": "periodic"}  # of a case without cycles
NAMES = ("h", "alpha")
WAYS = ("up", "down")
LENGTHS = {"c": 1.0, "b": 2.0}  # of Q, in chords: how many of it make a chord


@checks_names
def derivatives(
    case: Any,
    k: ArrayLike | None = None,
    mach: ArrayLike | None = None,
    *,
    axis: float | Sequence[float] | None = None,
    h: str = "up",
    length: str = "c",
    amplitude_deg: float = 0.5,
    by: str = "harmonic",
    out: str | Path | None = None,
    device: str | Sequence[str] | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Any:
    """Complex derivatives over Mach number and reduced frequency, in pitch and in plunge.

    By harmonic motions in two sweeps: a pitch about the axis, and a plunge whose velocity turns the
    stream as far.  By pulses in one run: a pulse of each, of which the spectra have all
    frequencies.  Of a Dataset of `kinemesh.sweep`, or its folder, those that it has, as complex
    arrays.

    Parameters
    ----------
    case : name of a ready case, TOML file or Case, whose motion is left out; or a sweep
    k : (n,)              reduced frequencies omega c / (2 U), above 0, by pulses also 0
    mach : (m,)           Mach numbers; None: that of the case
    axis : x or (x, y)    pivot and point of the moment, in lengths of the mesh; None: that of the
        case's moment_about
    h : "up" or "down"    way in which h is positive, and with it the lift in Q
    length : "c" or "b"   of h, lift and moment in Q: chord or half of it
    amplitude_deg : float    of the pitch, and of the angle by which the plunge turns the stream
    by : "harmonic" or "pulse"    one run a frequency, or one for all of them
    out : folder          of both sweeps, pitch and plunge, or of the run, pulse, and of a file per
        Mach number, q-mach0.5.csv
    device, resume, progress : as of `kinemesh.sweep`; by pulses one device

    Returns
    -------
    xarray.Dataset    `Q` (mach, k, load, motion) complex, of generalised forces over q_inf length^2
        by h/length and alpha [rad]; cl_alpha, cm_alpha, cl_h, cm_h (mach, k) as of a loop
        (docs/results.md); converged, and periodic, or by pulses `unsettled`, the loads at the end
        over their peak.  Without `mach` where the method has none

    Raises
    ------
    CaseError    xarray or zarr is not installed; a case in space or of parts; k missing, or not of
        numbers above 0; what `kinemesh.sweep` refuses
    """
    stores.packages("derivatives need")
    if hasattr(case, "data_vars") or _is_sweep(case):
        lost = [n for n, v in (("k", k), ("mach", mach), ("axis", axis)) if v is not None]
        if lost:
            raise CaseError(f"derivatives: of a sweep that has run, {', '.join(lost)} are its own")
        return complex_of(case)
    _one_of("by", by, tuple(WAYS_BY))
    asked = asked_of(case, k, mach, axis, h, length, amplitude_deg, zero=by == "pulse")
    folder = None if out is None else path_of(out, "the folder of the derivatives")
    return made_of(asked, by, folder, device, resume, progress)


def made_of(
    asked: _Asked, by: str, folder: Path | None, device: Any, resume: bool, progress: bool
) -> Any:
    """Dataset of checked arguments, and its files."""
    made = _dataset(*WAYS_BY[by](asked, folder, device, resume, progress), asked)
    if folder is not None:
        write(made, folder)
    return made


def _by_harmonics(
    asked: _Asked, folder: Path | None, device: Any, resume: bool, progress: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Derivatives by a sweep of each coordinate; {name: (m, k)}, and attributes."""
    found = {}
    for name in ("pitch", "plunge"):
        made, over = asked.sweep(name)
        where = None if folder is None else folder / name
        again = resume and (where is None or where.exists())
        together = [key for key in over if key.startswith("motion.")]
        found[name] = sweep(
            made,
            over,
            zip=[tuple(together)] if len(together) > 1 else None,
            out=where,
            device=device,
            resume=again,
            progress=progress,
        )
    pitch, plunge = (found[name].load() for name in ("pitch", "plunge"))
    shape = (len(asked.mach or (None,)), len(asked.k))
    values: dict[str, Any] = {}
    for name, own in (("alpha", pitch), ("h", plunge)):
        for load in LOADS:
            real_part, imaginary = (own[f"{load}_{name}{part}"].values for part in PARTS)
            values[f"{load}_{name}"] = (real_part + 1j * imaginary).reshape(shape)
    for name in ("converged", "periodic"):
        both = [own[name].values.reshape(shape) for own in (pitch, plunge)]
        values[name] = np.minimum(*both)
    return values, {}


def _by_pulses(
    asked: _Asked, folder: Path | None, device: Any, resume: bool, progress: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Derivatives of one run by pulses, in the folder `pulse`; {name: (m, k)}, and attributes."""
    return by_pulse(asked, None if folder is None else folder / "pulse", device, resume, progress)


WAYS_BY = {"harmonic": _by_harmonics, "pulse": _by_pulses}


@dataclass(frozen=True, slots=True)
class _Asked:
    """Arguments of `derivatives`, checked.

    Parameters
    ----------
    tables : of the case without a motion
    chord : in lengths of the mesh
    mach : (m,), or None of a method without a Mach number
    """

    tables: dict[str, Any]
    folder: Path
    chord: float
    k: tuple[float, ...]
    mach: tuple[float, ...] | None
    axis: tuple[float, float]
    h: str
    length: str
    amplitude_deg: float

    @classmethod
    def of(
        cls,
        case: Any,
        k: Any,
        mach: Any,
        axis: Any,
        h: Any,
        length: Any,
        amplitude_deg: Any,
        zero: bool = False,
    ) -> _Asked:
        """Checked arguments, k above 0 or with `zero` from it; SettingsError or CaseError."""
        frequencies = above("k", k, zero)
        if frequencies is None:
            raise CaseError("derivatives: expected k, a list of reduced frequencies above 0")
        _one_of("h", h, WAYS)
        _one_of("length", length, tuple(LENGTHS))
        amplitude = (above("amplitude_deg", [amplitude_deg]) or (0.0,))[0]
        # any key that varies will do to read a case as a sweep does
        base = read_as(case, {"over": {"run.dtype": ["float64"]}}).base
        machs = above("mach", mach)
        if base.flow.mach is None and machs is not None:
            raise CaseError(f"derivatives: method {base.method!r} has no Mach number; leave it out")
        if base.flow.mach is not None and machs is None:
            machs = (base.flow.mach,)
        if isinstance(base.mesh, Overset) or base.mesh.wing is not None:
            raise CaseError(
                f"derivatives: case '{base.name}' has parts, or is in space; expected one mesh, or "
                "one cloud, about a section"
            )
        point = (base.flow.moment_about or QUARTER) if axis is None else _point(axis)
        tables = _tables(base, point)
        chord = base.flow.references[1]
        return cls(tables, Path.cwd(), chord, frequencies, machs, point, h, length, amplitude)

    def sweep(self, name: str) -> tuple[Case, dict[str, list[Any]]]:
        """Case of a pitch or a plunge, and the values to vary."""
        over: dict[str, list[Any]] = {}
        if self.mach is not None:
            over["flow.mach"] = list(self.mach)
        over[f"motion.{name}.k"] = list(self.k)
        motion: dict[str, Any] = {"k": self.k[0]}
        if name == "pitch":
            motion |= {"amplitude_deg": self.amplitude_deg, "about": list(self.axis)}
        else:
            # h' / U = 2 k h / c is the angle by which it turns the stream
            sizes = [radians(self.amplitude_deg) * self.chord / (2 * k) for k in self.k]
            motion |= {"amplitude": sizes[0]}
            over[f"motion.{name}.amplitude"] = sizes
        return Case.from_dict({**self.tables, "motion": {name: motion}}, self.folder), over

    @property
    def told(self) -> dict[str, Any]:
        """Attributes of the result."""
        return {
            "axis": list(self.axis),
            "h": f"positive {self.h}wards",
            "length": {"c": "chord", "b": "half of the chord"}[self.length],
            "amplitude_deg": self.amplitude_deg,
            "chord": self.chord,
        }


asked_of = _Asked.of


def _tables(base: Case, axis: tuple[float, float]) -> dict[str, Any]:
    """Tables of a case without motion, moments about the axis, that runs by cycles."""
    tables = base.tables()
    tables.pop("structure", None)
    tables["mode"] = "unsteady"
    tables["flow"] = {**tables["flow"], "moment_about": list(axis)}
    job = dict(tables.get("run", {}))
    if base.job.cycles is None:
        for name in ("time_step", "steps", "start"):
            job.pop(name, None)
        job |= STEPS
    job.pop("out", None)
    return tables | {"run": job}


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    """SettingsError for a word that is not known."""
    if value not in known:
        expected = " or ".join(map(repr, known))
        raise SettingsError(f"derivatives: {name} is {value!r}, expected {expected}")


def above(
    name: str, values: Any, zero: bool = False, owner: str = "derivatives"
) -> tuple[float, ...] | None:
    """Numbers above 0, or from it, each once; None of none."""
    if values is None:
        return None
    try:
        found = [real(v) for v in np.atleast_1d(np.asarray(values)).tolist()]
    except (TypeError, ValueError):
        found = []
    good = all(0 < v < np.inf or (zero and v == 0) for v in found)
    if not found or not good or len(set(found)) < len(found):
        least = "from 0 on" if zero else "above 0"
        raise SettingsError(f"{owner}: {name} is {values!r}, expected numbers {least}, each once")
    if not max(found):
        raise SettingsError(f"{owner}: {name} is {values!r}, expected one above 0 too")
    return tuple(found)


def _point(axis: Any) -> tuple[float, float]:
    """Centre of rotation (x, y), from x for (x, 0) or a pair."""
    try:
        x, y = axis if np.ndim(axis) else (axis, 0.0)
        point = real(x), real(y)
    except (TypeError, ValueError):
        point = (np.nan, np.nan)
    if not np.isfinite(point).all():
        raise SettingsError(f"derivatives: axis is {axis!r}, expected x, or (x, y)")
    return point


def _dataset(values: dict[str, Any], told: dict[str, Any], asked: _Asked) -> Any:
    """Dataset of values (m, k), and of Q that follows from them."""
    xarray = stores.packages().xarray
    sizes = {"k": list(asked.k)}
    dims: tuple[str, ...] = ("k",)
    if asked.mach is not None:
        sizes, dims = {"mach": list(asked.mach)} | sizes, ("mach", "k")
    shape = tuple(len(sizes[name]) for name in dims)
    made: dict[str, Any] = {name: (dims, own.reshape(shape)) for name, own in values.items()}
    per, way = LENGTHS[asked.length], 1 if asked.h == "up" else -1
    factors = {"cl_h": 1, "cl_alpha": way * per, "cm_h": way * per, "cm_alpha": per**2}
    rows = [["cl_h", "cl_alpha"], ["cm_h", "cm_alpha"]]
    q = np.stack([np.stack([factors[n] * made[n][1] for n in row], -1) for row in rows], -2)
    made["Q"] = ((*dims, "load", "motion"), q)
    coordinates: Mapping[str, Any] = {**sizes, "load": list(NAMES), "motion": list(NAMES)}
    return xarray.Dataset(made, coords=coordinates, attrs=asked.told | told)


def _is_sweep(case: Any) -> bool:
    """Return True for the name of a sweep's folder."""
    return isinstance(case, str | Path) and (Path(case) / stores.NAME).exists()


def complex_of(found: Any) -> Any:
    """Complex derivatives from the Dataset of a sweep, of bodies too."""
    if not hasattr(found, "data_vars"):
        from kinemesh.results import open as open_run

        found = open_run(found)
    first, second = PARTS
    made = {}
    for name in map(str, found.data_vars):
        if first in name:
            other = name.replace(first, second)
            made[name.replace(first, "")] = found[name] + 1j * found[other]
    if not made:
        raise CaseError(
            "derivatives: the sweep has none; they are of cases that pitch or plunge, by cycles"
        )
    return stores.packages().xarray.Dataset(made, attrs=dict(found.attrs))


def write(found: Any, folder: Path) -> list[Path]:
    """Write Q of each Mach number, a row per frequency: k, then real and imaginary parts by rows.

    Without a Mach number the file is q.csv.  Of modes Q is the work of loads over q_inf S L.
    """
    made = []
    several, names = "mach" in found.dims, found["load"].values.tolist()
    what = (
        "generalised forces over q_inf length^2 by h/length and alpha [rad]"
        if tuple(names) == NAMES
        else "work of loads on modes over q_inf area chord, by amplitudes of modes"
    )
    for m in found["mach"].values if several else [None]:
        path = folder / (f"q-mach{m:g}.csv" if several else "q.csv")
        q = (found["Q"].sel(mach=m) if several else found["Q"]).values
        q = np.ascontiguousarray(q.reshape(len(q), -1))
        table = np.column_stack([found["k"].values, q.view(float)])
        entries = [f"{part}_{row}_{column}" for row in names for column in names
                   for part in ("re", "im")]  # fmt: skip
        told = "; ".join(f"{name} {value}" for name, value in found.attrs.items())
        mach = "" if m is None else f"# Mach number {m:g}\n"
        head = (
            f"# Q(k), {len(names)} x {len(names)}: {what}, exp(i omega t), k = omega c / (2 U)\n"
            f"{mach}# {told}\n{','.join(['k', *entries])}"
        )
        with making(path, "the derivatives"):
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savetxt(path, table, fmt="%.12g", delimiter=",", header=head, comments="")
        made.append(path)
    return made
