"""Restart of runs: identity, contents of the restart file, restoring a solver.

A run that goes on has the bits of one that was never stopped, on the same device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, SettingsError, warn
from kinemesh.io import restart
from kinemesh.io.paths import expanded, making
from kinemesh.io.summary import plain, update, versions
from kinemesh.mesh.fingerprint import fingerprint
from kinemesh.sentences import NO_RESUME, Option
from kinemesh.space.conditions.table import numbers_of

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.motion import Pose

MESH = "mesh (SHA-256)"  # of an identity: fingerprints
LENGTH = ("steady_iterations", "steady_drop", "turbulence_drop")  # of a steady run: how far it goes
SHOWN = 5  # differences named in a refusal


@dataclass(frozen=True, slots=True)
class Saved:
    """Contents of a restart file.

    Parameters
    ----------
    phase : "start" (on the way to an unsteady run's first flow), "steady" or "unsteady"
    step : int    physical steps, or iterations, that are done
    notes : list  what must be said of it, in the summary too
    """

    path: Path
    arrays: dict[str, NDArray[Any]]
    record: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    @property
    def phase(self) -> str:
        phase: str = self.record["phase"]
        return phase

    @property
    def step(self) -> int:
        step: int = self.record["step"]
        return step

    @property
    def failed(self) -> list[dict[str, Any]]:
        """Members that had failed before the restart, as of `Members.told`."""
        failed: list[dict[str, Any]] = self.record.get("failed", [])
        return failed


def name_of(value: Any) -> str:
    """`repr` without addresses in memory, which are others in each process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def identity(solver: Moving, mode: str, **more: Any) -> dict[str, Any]:
    """Identity of a run, in JSON's types: method, meshes, conditions, settings, motion; not its
    length.
    """
    settings = {f.name: getattr(solver.settings, f.name) for f in fields(solver.settings)}
    if mode == "steady":
        settings = {name: value for name, value in settings.items() if name not in LENGTH}
    prints = solver.grid.each("fingerprints", fingerprint)
    found: dict[str, Any] = {
        "method": solver.method,  # first: settings differ with it
        "version of kinemesh": versions()["kinemesh"],
        **({"packages": used} if (used := solver.packages) else {}),
        "mode": mode,
        "nodes": [len(m.points) for m in solver.grid.meshes],
        MESH: [prints[number] for number in solver.grid.alike.of],
        "bodies": [f"{member}: {marker}" for member, marker in solver.grid.bodies],
        "boundaries": solver.markers.by_kind,
        **({"conditions": numbers} if (numbers := numbers_of(solver.conditions)) else {}),
        **solver.streams,
        "moment_about": solver.moment_about,
        "reference_area": solver.reference[0],
        "reference_length": solver.reference[1],
        "dtype": solver.backend.dtype,
        "settings": settings,
        **solver.more,
    }
    if mode == "unsteady":
        found["motion"] = [name_of(m) for m in solver.motions]
        found["deform"] = {"method": solver.deform.name} | {
            name: value if isinstance(value, int | float | str) else name_of(value)
            for name, value in solver.deform.chosen.items()
        }
    asked: dict[str, Any] = plain(found | more)
    return asked


def samples(solver: Moving, dt: NDArray[np.float64], step: int) -> dict[str, list[Any]]:
    """Poses at a few steps up to `step`, which identify motions that are functions."""
    found = {}
    for number in sorted({0, min(1, step), step // 3, step}):
        time = (number - 1) * dt + dt if number else 0 * dt  # as the run itself counts
        found[f"pose at step {number}"] = solver.bodies.samples(time)
    return found


# ---- the file -----------------------------------------------------------------------------


def _arrays(solver: Moving, levels: bool) -> Iterator[tuple[str, NDArray[Any]]]:
    """Names and host copies of the arrays of a restart, with the deformation's memory."""
    for name, there in solver.kept(levels).items():
        yield name, solver.backend.get(there)
    if levels:
        yield from solver.kept_on_host().items()
    if levels and solver.mover is not None:
        for name, value in solver.mover.state().items():
            yield f"deform_{name}", value


def contents(
    solver: Moving, phase: str, step: int, ident: Mapping[str, Any], more: Mapping[str, Any]
) -> tuple[Iterator[tuple[str, NDArray[Any]]], dict[str, Any]]:
    """Arrays of a restart, one at a time, and its record: the state between two steps, and whose.

    Steps are iterations of a steady march.
    """
    levels = phase == "unsteady"
    record = {
        "phase": phase,
        "step": step,
        "identity": dict(ident),
        "device": solver.backend.describe(),
        "failed": solver.grid.ensemble.told(),
    }
    return _arrays(solver, levels), plain(record | dict(more))


def write(folder: Path, arrays: Any, record: Mapping[str, Any]) -> None:
    """Write restart.h5 of `contents`."""
    restart.write(folder / "restart.h5", arrays, record)


def find(solver: Moving, folder: Path, ident: Mapping[str, Any]) -> Saved:
    """The restart of the run in `folder`, if that is the run of `ident`.

    Raises CaseError where there is none, where none can be read, or where it is of another run.
    """
    if not restart.has_restart(folder):
        raise CaseError(
            f"{folder}: no restart.h5 to resume from; run without ", NO_RESUME, " to begin anew"
        )
    arrays, record, path, note = restart.read_latest(folder / "restart.h5")
    saved = Saved(path, arrays, record, [note] if note else [])
    refuse_others(_alike(record["identity"], ident, solver.settings.alike), ident, saved)
    here = plain(solver.backend.describe())
    there = record["device"]
    apart = [k for k in ("device", "name") if there.get(k) != here.get(k)]
    if apart:
        saved.notes.append(
            f"{path} was written on {there.get('name', there.get('device'))}, and the run goes on "
            f"on {here.get('name', here['device'])}: its bits will differ from here on"
        )
    if not solver.settings.repeatable:
        saved.notes.append(
            f"{path}: no run with these settings has the bits of another, so those from here on "
            "may differ from the ones of a run that was never stopped"
        )
    for note in saved.notes:
        warn(note)
    return saved


def _alike(
    kept: Mapping[str, Any], asked: Mapping[str, Any], groups: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Identity in a folder with the settings of `asked` where both give the same bits."""
    there, here = kept.get("settings", {}), asked["settings"]
    same = {n: here[n] for n, group in groups.items() if {there.get(n), here[n]} <= {*group}}
    return dict(kept) | {"settings": there | same}


def refuse_others(kept: Mapping[str, Any], asked: Mapping[str, Any], saved: Saved) -> None:
    """Raise CaseError with the differences if the restart is of another run."""
    apart = differences(kept, asked)
    if apart:
        raise CaseError(
            f"{saved.path} is of another run: {listed(apart)}. Give what the run was begun with, "
            "or choose another folder and run without ",
            NO_RESUME,
        )


def differences(kept: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Differences between the identity in a folder and that of this run, as sentences."""
    there, here = _flat(kept), _flat(asked)
    missing = "nothing"
    names = [
        name
        for name in dict.fromkeys([*here, *there])
        if there.get(name, missing) != here.get(name, missing)
    ]
    nodes = any(name.startswith("nodes") for name in names)
    apart = {}
    for name in names:
        if not name.startswith(MESH):
            kept_as, asked_as = (table.get(name, missing) for table in (there, here))
            apart[name] = f"{name} is {kept_as} there, {asked_as} here"
        elif not nodes:  # of other numbers of nodes nothing is alike
            apart[name] = (
                f"{name.replace(MESH, 'mesh')} has as many nodes there and here, and other places, "
                "cells or markers"
            )
    first = next((name for name in ("method", "mode") if name in apart), None)
    return list(apart.values()) if first is None else [apart[first]]  # all else follows from it


def listed(apart: list[str]) -> str:
    """The first differences as a text."""
    more = f" (and {len(apart) - SHOWN} more)" if len(apart) > SHOWN else ""
    return f"{'; '.join(apart[:SHOWN])}{more}"


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """Leaves of a tree by their paths: `settings.cfl`, `mach[3]`; a list of one is its entry."""
    if isinstance(value, Mapping):
        parts = {f"{name}.{key}" if name else str(key): item for key, item in value.items()}
    elif isinstance(value, list) and len(value) == 1:
        parts = {name: value[0]}
        return _flat(value[0], name)
    elif isinstance(value, list):
        parts = {f"{name}[{i}]": item for i, item in enumerate(value)}
    else:
        return {name: value}
    found: dict[str, Any] = {}
    for key, item in parts.items():
        found |= _flat(item, key)
    return found


# ---- back to where it was -----------------------------------------------------------------


def restore(solver: Moving, saved: Saved, poses: Sequence[Pose]) -> None:
    """The solver as it was when the restart was written; `poses` are those of the beginning."""
    levels = saved.phase == "unsteady"
    solver.grid.ensemble.at(f"resumed from {saved.path}", saved.step)
    if levels:
        # a mover is made where the motion begins, as it was in the run itself
        solver.rest(poses)
        if saved.step:
            solver.mover = solver.attach()
        solver.step_number = saved.step
    else:
        solver.resume_steady(poses)
    sources = solver.kept(levels)
    names = [*sources, *(solver.kept_on_host() if levels else ())]
    lost = [name for name in names if name not in saved.arrays]
    wrong = [n for n in sources if n not in lost and saved.arrays[n].shape != sources[n].shape]
    if lost or wrong:
        raise CaseError(f"{saved.path}: not a whole restart: arrays {lost + wrong}")
    solver.backend.put(solver.grid.x, saved.arrays["x"])
    if levels:
        solver.measure()
    else:
        solver.grid.start()
    for name, array in sources.items():
        solver.backend.put(array, saved.arrays[name])
    if solver.mover is not None:
        state = {k[7:]: v for k, v in saved.arrays.items() if k.startswith("deform_")}
        solver.mover.restore(state)
    solver.take_up(saved.arrays if levels else {n: saved.arrays[n] for n in sources})
    solver.check_faults(f"resumed from {saved.path}")


def told(steps: list[int]) -> dict[str, Any]:
    """Entry of the summary for a run resumed at these steps (or iterations)."""
    return {"times": len(steps), "last_at": steps[-1], "at": steps}


def taken_up(folder: Path) -> None:
    """Mark the summary of an earlier part of the run as not finished."""
    path = folder / "summary.json"
    if path.exists():
        update(path, finished=None)


def folder_of(out: str | Path | None, resume: bool) -> Path | None:
    """The folder of a run as a path; refusals before anything is touched."""
    if not isinstance(resume, bool):
        raise SettingsError(f"resume is {resume!r}, expected True or False")
    if not isinstance(out, str | PathLike | None) or "\0" in str(out):
        raise SettingsError(f"out is {out!r}, expected the name of a folder, or None")
    if out is not None and not str(out):
        raise SettingsError("out is empty, expected the name of a folder, or None")
    folder = None if out is None else expanded(out)
    whole = () if folder is None else (folder, *folder.parents)
    with making(Path() if folder is None else folder, "the run"):  # a name may be too long
        there = next((path for path in whole if path.exists()), None)
    if there is not None and not there.is_dir():
        raise CaseError(f"{there}: is a file, expected a folder; choose another folder")
    if resume and folder is None:
        raise SettingsError(Option("resume", True), " needs the folder of the run: give out")
    if resume and folder is not None and not folder.is_dir():
        raise CaseError(f"{folder}: no such folder, so nothing to resume; run without ", NO_RESUME)
    return folder
