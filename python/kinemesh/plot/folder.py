"""The figures of a run's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, warn
from kinemesh.hysteresis import Loop
from kinemesh.hysteresis import hysteresis as last_loop
from kinemesh.io import fields, summary
from kinemesh.io.history import History
from kinemesh.io.paths import path_of
from kinemesh.loops.harmonics import PERIODIC
from kinemesh.plot import wings
from kinemesh.plot.flows import mach, surface_pressure
from kinemesh.plot.histories import convergence
from kinemesh.plot.spaces import cloud, mesh


def from_directory(directory: str | Path, complete: bool = True) -> list[Path]:
    """The figures of a run's folder; the paths written.

    Unsteady: hysteresis.png, mach.png, mesh.png. Steady: convergence.png, cp.png and the same.
    In space cp.png, sections.png and mesh.png of the wing (`kinemesh.plot.wings`), and no mach.png.
    CaseError where the folder holds no run, or less than one cycle; with `complete=False` such
    a run gives no hysteresis.png.
    """
    folder = path_of(directory, "the run's folder")
    if not folder.is_dir():
        raise CaseError(f"{folder}: no such folder; expected the output of a run")
    about = summary.read(folder / "summary.json")
    history = History.read(folder / "history.csv")
    made: list[Path] = []
    if history.kind == "steady":
        made.append(folder / "convergence.png")
        convergence(history, path=made[-1])
    for member in history.members:
        made += _member(folder, history.member(member), about, complete, len(history.members) > 1)
    return made


def _member(
    folder: Path, history: History, about: dict[str, Any], complete: bool, several: bool
) -> list[Path]:
    """Figures of one member; where there are several, its number is in the file names."""
    member = history.members[0]
    tail = f"-{member}" if several else ""
    case = about.get("case") or {}
    title = (case.get("title") or case.get("name") or "") + (f" ({member})" if several else "")
    flow = fields.read(folder / f"flow{tail}.vtkhdf")
    points, cells, walls = flow["points"], flow["cells"], flow["walls"]
    made: list[Path] = []

    def target(name: str) -> Path:
        made.append(folder / f"{name}{tail}.png")
        return made[-1]

    if history.kind == "unsteady" and (complete or history["cycle"].max() > 1 - 1e-6):
        tolerance = about["conditions"].get("periodic_tolerance", PERIODIC)
        _loop(last_loop(history, tolerance=tolerance), case.get("name"), target("hysteresis"))
    if points.shape[1] == 3:
        return [*made, *wings.figures(folder, tail, flow, about, title)]
    if history.kind == "steady":
        mach_inf = np.ravel(about["conditions"]["mach"])
        stream = float(mach_inf[member if len(mach_inf) > 1 else 0])
        surface_pressure(points, walls, _cp(flow, stream), title, path=target("cp"))
    if "Mach" not in flow["fields"]:
        raise CaseError(f"{folder / f'flow{tail}.vtkhdf'}: no field Mach")
    mach(points, cells, flow["fields"]["Mach"], walls, title, path=target("mach"))
    if flow["cloud"]:
        cloud(points, walls, path=target("mesh"))
    else:
        mesh(points, cells, walls, path=target("mesh"))
    return made


def _loop(loop: Loop, name: str | None, path: Path) -> None:
    """The loop of a member beside the reference of its case."""
    from kinemesh import cases

    reference = name if name in cases.references() else None
    try:
        loop.plot(reference, path)
    except CaseError as error:  # the case was changed to another motion
        warn(f"hysteresis.png without the reference: {error}", UserWarning)
        loop.plot(None, path)


def _cp(flow: dict[str, Any], mach: float, gamma: float = 1.4) -> NDArray[Any]:
    """Pressure coefficient (nodes,) from the file, or from its pressure."""
    if "Cp" in flow["fields"]:
        return flow["fields"]["Cp"]
    if "Pressure" not in flow["fields"]:
        raise CaseError("plot: the fields have neither Cp nor Pressure")
    return (flow["fields"]["Pressure"] - 1 / gamma) / (0.5 * mach**2)
