"""Summary of a run: settings, results, device and seconds (summary.json)."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from math import isfinite
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from kinemesh.errors import CaseError
from kinemesh.io import condition_words
from kinemesh.io.columns import LOADS
from kinemesh.io.html import table_of
from kinemesh.io.paths import path_of
from kinemesh.io.whole import replace
from kinemesh.sentences import rows_of

FORMAT = "kinemesh-summary-1"


class Summary(dict[str, Any]):
    """Contents of summary.json: a dict of JSON's types, shown as a table."""

    def told(self) -> str:
        """Case, mode, end and number of warnings, in a line."""
        case = self.get("case") or {}
        what = [case.get("name"), self.get("mode")]
        finished = self.get("finished")
        end = f"finished {finished}" if finished else "did not finish"
        count = len(self.get("warnings", []))
        said = f"{count} warning{'s' if count > 1 else ''}" if count else ""
        return ", ".join(text for text in (*what, end, said) if text)

    def __repr__(self) -> str:
        return f"Summary({self.told()}; {shorten(', '.join(self), 120, placeholder=' ...')})"

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return table_of(["", ""], rows(self), self.told())


class Stopwatch:
    """Seconds by part: `with watch("fluxes"): ...` adds up; `watch.seconds` is the table."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add(part, time.perf_counter() - start)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Leave out of `total` what others do meanwhile, such as the lines of a user's loop."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._start += time.perf_counter() - start

    def add(self, part: str, seconds: float) -> None:
        """Add seconds measured elsewhere."""
        self.seconds[part] = self.seconds.get(part, 0.0) + seconds

    def carry(self, seconds: Mapping[str, float], total: float) -> None:
        """Go on from the seconds of an earlier part of the same run."""
        for part, spent in seconds.items():
            self.add(part, spent)
        self._start -= total

    @property
    def total(self) -> float:
        """Seconds since the start of the watch."""
        return time.perf_counter() - self._start


def versions() -> dict[str, str]:
    """Versions of kinemesh, Python and the packages that a result may depend on."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    """Versions as packages' metadata have them, read once: 3 ms, asked for twice or more a run."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for name in ("kinemesh", "numpy", "scipy", "h5py"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed as a package"
    return found


def collect(
    mode: str,
    device: str | Mapping[str, Any],
    dtype: str,
    conditions: Mapping[str, Any],
    mesh: Mapping[str, Any],
    settings: Any,
    seconds: Stopwatch | Mapping[str, float],
    result: Mapping[str, Any],
    warnings: list[str] | None = None,
) -> dict[str, Any]:
    """The summary of a run, ready for `write`.

    Parameters
    ----------
    mode : str            "unsteady" or "steady"
    device, dtype : str   where and in which precision it ran
    conditions : dict     must have mach; else alpha_deg, motion, cycles, steps_per_cycle, ...
    mesh : dict           nodes, triangles, quads, ...
    settings : dataclass or dict
    seconds : Stopwatch or dict of seconds by part; a Stopwatch adds the whole as "total"
    result : dict         cl, cd, cm, iterations, ...
    warnings : list       one sentence each; `notes` are their rows: member, about, text
    """
    if mode not in ("steady", "unsteady"):
        raise CaseError(f"summary: mode = {mode!r}, expected 'steady' or 'unsteady'")
    if not {"mach", "reynolds"} & conditions.keys():
        raise CaseError(f"summary: conditions {sorted(conditions)} lack 'mach' or 'reynolds'")
    parts = dict(seconds.seconds if isinstance(seconds, Stopwatch) else seconds)
    if isinstance(seconds, Stopwatch):
        parts["total"] = seconds.total
    return {
        "format": FORMAT,
        "mode": mode,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "device": device,
        "dtype": dtype,
        "conditions": dict(conditions),
        "mesh": dict(mesh),
        "settings": settings,
        "seconds": parts,
        "result": dict(result),
        "warnings": [str(text) for text in warnings or []],
        "notes": rows_of(warnings or []),
    }


def plain(value: Any) -> Any:
    """A value in JSON's types; a number that is not finite becomes its name as text."""
    if type(value) is float:  # as nearly all are
        return value if isfinite(value) else str(value)
    if value is None or type(value) in (bool, int, str):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        sound = value.dtype.kind in "biu" or (value.dtype.kind == "f" and np.isfinite(value).all())
        return value.tolist() if sound else plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, int | float | str):
        return value
    return str(value)


def write(path: str | Path, summary: Mapping[str, Any]) -> Path:
    """Write summary.json, whole or not at all; return the path."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, (json.dumps(plain(summary), indent=2) + "\n").encode())
    return path


def read(path: str | Path) -> Summary:
    """Read summary.json, by its name or that of its folder.

    CaseError where it is missing or of another kind.
    """
    path = path_of(path, "the summary")
    path = path / "summary.json" if path.is_dir() else path
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CaseError(f"{path}: cannot read the summary ({error.strerror})") from None
    except ValueError as error:
        raise CaseError(f"{path}: not JSON ({error})") from None
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        raise CaseError(f"{path}: not a summary of kinemesh; expected format {FORMAT!r}")
    return Summary(summary)


def update(path: str | Path, **parts: Any) -> Summary:
    """Add or replace top-level parts of a summary.json; return it."""
    summary = Summary(read(path) | parts)
    write(path, summary)
    return summary


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, Mapping):
        simple = {k: v for k, v in value.items() if not isinstance(v, list) and v is not None}
        told = {key: _short(item) for key, item in (simple or value).items()}
        return ", ".join(f"{key} {text}" for key, text in told.items() if text)
    if isinstance(value, list | tuple):
        return " ".join(_short(item) for item in value)
    return str(value)


def _rows(name: str, value: Any) -> list[tuple[str, str]]:
    """Rows of a value, one per part; none for None."""
    if isinstance(value, Mapping) and all(isinstance(item, Mapping) for item in value.values()):
        return [(f"{name}, {key}", _short(item)) for key, item in value.items()]
    if name == "periodic" and None in (value if isinstance(value, list) else [value]):
        return [(name, "not known: less than two whole cycles")]
    text = "" if value is None else _short(value)
    return [(name, text)] if text else []


def _parts(own: Mapping[str, Any]) -> str:
    """Version of a package, with the names of what a run has of it."""
    each = [f"{group} {' '.join(names)}" for group, names in own.items() if group != "version"]
    return ", ".join([f"version {own['version']}", *each])


def _apart(result: Mapping[str, Any], walls: str) -> dict[str, Any]:
    """Result with the loads of each of several bodies before their sums over these walls."""
    spectrum = result.get("spectrum")
    if isinstance(spectrum, Mapping) and spectrum.get("bodies"):
        rest = {name: value for name, value in spectrum.items() if name != "bodies"}
        both = {f"spectrum, {k}": v for k, v in spectrum["bodies"].items()}
        both[f"spectrum, {walls}"] = rest
        result = {
            n: v
            for name, value in result.items()
            for n, v in (both if name == "spectrum" else {name: value}).items()
        }
    if not result.get("bodies"):
        return dict(result)
    of_all = {f"{n}, {walls}" if n in LOADS else n: v for n, v in result.items()}
    before = list(of_all)[: list(result).index("cl")]
    return {n: of_all[n] for n in dict.fromkeys([*before, "bodies", *of_all])}


def table(summary: Mapping[str, Any]) -> str:
    """Table of a run's summary as text: case, device, mesh, results, seconds by part."""
    lines = rows(summary)
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in lines)


def rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows of `table`, name and text; of an unfinished run those known."""
    summary = plain(summary)
    case = summary.get("case") or {}
    rows = [("case", case.get("title") or case.get("name") or summary.get("mode", ""))]
    if "device" in summary:
        device = _short(summary["device"]).removeprefix("device ")
        rows.append(("device", f"{device}, {summary['dtype']}"))
    rows += condition_words.of_mesh(summary.get("mesh", {}))
    rows += [("case of", case["package"])] if case.get("package") else []
    rows += [(f"package {name}", _parts(own)) for name, own in summary.get("packages", {}).items()]
    conditions = summary.get("conditions", {})
    result = _apart(summary.get("result", {}), _short(conditions.get("loads") or "all walls"))
    told = {**result, **conditions}  # conditions first, each name once
    if words := condition_words.of_motions(summary.get("asked", ())):
        told["motion"] = words
    elif isinstance(told.get("motion"), list):
        told["motion"] = "; ".join(motion or condition_words.REST for motion in told["motion"])
    if "amplitudes" in told:
        told["amplitudes"] = condition_words.of_amplitudes(
            told["amplitudes"], told.get("shape_names", {})
        )
    told["shapes"] = told["shape_names"] = None  # hashes, for restarts alone; told with amplitudes
    for name in dict.fromkeys([*conditions, *result]):
        rows += _rows(name, told[name])
    return rows + _costs(summary) + [("warning", text) for text in summary.get("warnings", [])]


def _costs(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Seconds by part, the largest first, and the whole."""
    if "seconds" not in summary:
        return []
    rows, seconds = [], dict(summary["seconds"])
    total = seconds.pop("total", sum(seconds.values()))
    for name, value in sorted(seconds.items(), key=lambda item: -item[1]):
        share = 100 * value / total if total else 0.0
        rows.append((f"{name} [s]", f"{value:9.2f}  {share:5.1f} %"))
    rows.append(("total [s]", f"{total:9.2f}"))
    if "seconds_per_iteration" in summary:
        rows.append(("per iteration [s]", f"{summary['seconds_per_iteration']:9.3g}"))
    return rows + _energy(summary.get("energy") or {})


def _energy(energy: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Joules of each source, or why there are none."""
    rows = []
    for name in ("gpu", "cpu"):
        own = energy.get(name) or {}
        text = f"not measured: {own.get('why')}"
        if own.get("joules") is not None:
            text = f"{own['joules']:.4g}, error {own['error_joules']:.2g}; {own['watts']:.4g} W"
            text += ", shared with others" if own.get("others") else ""
        rows += [(f"energy, {name} [J]", text)] if own else []
    return rows
