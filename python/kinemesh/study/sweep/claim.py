"""Claim of a sweep on its folder, which sweep.json identifies from the start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kinemesh.errors import CaseError
from kinemesh.io.folder import files_of_a_run
from kinemesh.io.paths import making
from kinemesh.io.whole import replace
from kinemesh.results.opening import SWEEP
from kinemesh.sentences import RESUME
from kinemesh.study.sweep.asked import Asked

FORMAT = "kinemesh-sweep-2"
OTHER = "choose another folder, or remove that one"


def kept(folder: Path, asked: Asked, resume: bool, retry_failed: bool) -> dict[str, Any] | None:
    """Contents of a folder's sweep.json; None without one.

    Raises
    ------
    CaseError    it holds a run or another sweep, or is no folder; it holds this sweep, which is not
        to be gone on with
    """
    if folder.exists() and not folder.is_dir():
        raise CaseError(f"{folder}: is a file, expected a folder for the sweep")
    path = folder / SWEEP
    if not path.exists():
        if files_of_a_run(folder):
            raise CaseError(f"{folder}: holds a run; choose another folder for the sweep")
        return None
    try:
        about = json.loads(path.read_text("utf-8"))
        if about["format"] != FORMAT:
            raise KeyError("format")
        there, chunks = about["identity"], about["chunks"]
        axes = len(there["varied"])
        if len(chunks) != axes or not all(type(size) is int and size > 0 for size in chunks):
            raise ValueError(f"chunks are {chunks!r}, expected {axes} positive integers")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CaseError(
            f"{path}: tells of no sweep ({error}), as it was damaged or changed; {OTHER}"
        ) from None
    apart = [
        text
        for key, text in _apart(there, asked.identity())
        if not (retry_failed and _of_version(key))
    ]
    if apart:
        raise CaseError(f"{folder}: holds another sweep: {apart[0]}; {OTHER}")
    if not resume:
        raise CaseError(
            f"{folder}: holds this sweep; go on with it by ", RESUME, ", or choose another folder"
        )
    return about


def _of_version(key: tuple[str, ...]) -> bool:
    """Return True of versions of kinemesh and of packages, by which failed cases may run again."""
    return key[0] in ("version", "package") or (key[0] == "packages" and key[-1] == "version")


def begin(folder: Path, asked: Asked, chunks: tuple[int, ...]) -> None:
    """Write sweep.json of this sweep, in batches of `chunks`, into the locked folder."""
    if (folder / SWEEP).exists():
        raise CaseError(f"{folder}: holds a sweep by now; {OTHER}")
    about = {"format": FORMAT, "chunks": chunks, "identity": asked.identity()}
    with making(folder, "the sweep"):
        folder.mkdir(parents=True, exist_ok=True)
        replace(folder / SWEEP, (json.dumps(about, indent=1) + "\n").encode())


def _apart(there: Any, here: Any, at: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    """Keys at which two identities differ, each with the difference in words."""
    if isinstance(there, dict) and isinstance(here, dict):
        found: list[tuple[tuple[str, ...], str]] = []
        for key in dict.fromkeys([*there, *here]):
            found += _apart(there.get(key), here.get(key), (*at, key))
        return found
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        return [pair for a, b in zip(there, here, strict=True) for pair in _apart(a, b, at)]
    text = f"{' '.join(at)} is {_short(there)} there, {_short(here)} here"
    return [] if there == here else [(at, text)]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
