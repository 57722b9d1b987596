"""Claim of a flutter analysis on its folder, in which nothing of others is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kinemesh.errors import CaseError
from kinemesh.io.folder import files_of_a_run
from kinemesh.sentences import RESUME
from kinemesh.study.flutter.written import TABLES

LISTED = 3  # files in a sentence


def refuse_others(folder: Path | None, structure: Any, resume: bool) -> None:
    """Refuse a folder whose files an analysis would replace or stand among.

    Raises
    ------
    CaseError    it holds a run, or a flutter analysis that is not to be gone on with, or one of
        another structure
    """
    if folder is None or not folder.is_dir():
        return
    if there := files_of_a_run(folder):
        raise CaseError(
            f"{folder}: holds a run ({', '.join(there[:LISTED])}); choose another folder for the "
            "flutter analysis"
        )
    there = [name for name in TABLES if (folder / name).exists()]
    if not there:
        return
    if not resume:
        raise CaseError(
            f"{folder}: holds a flutter analysis ({', '.join(there[:LISTED])}); go on with it by ",
            RESUME,
            ", or choose another folder",
        )
    with (folder / there[0]).open(encoding="utf-8") as table:
        of = table.readline().removeprefix("# ").strip()
    if of != repr(structure):
        raise CaseError(
            f"{folder}: holds the flutter of {of}, and {structure!r} is asked for; choose another "
            "folder"
        )
