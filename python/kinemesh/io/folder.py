"""Lock and contents of a run's folder."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import IO

from kinemesh.errors import CaseError
from kinemesh.io.paths import making, path_of

FIGURE = (
    r"(hysteresis|cycle|loads|vorticity|pressure|grids|mach|mesh|convergence|cp|sections|pressures"
    r"|eddies|friction|layers|spanwise|side|cut|coordinates)"
)
FILM = r"film-(mach|vorticity|cp|eddies)"
OF_A_RUN = re.compile(r"history\.csv|(flow|surface)(-\d+)?\.vtkhdf|(wall|spanwise)(-\d+)?\.csv")
OF_THE_SHELL = re.compile(rf"{FIGURE}(-\d+)?\.png|pressures\.csv")  # drawn after its runs
ASKED = re.compile(rf"{FIGURE}\.(pdf|svg)|{FILM}\.(gif|mp4)")  # drawn where a user asks for them
OF_A_MEMBER = re.compile(  # in the folder members, where a user asks for them
    rf"{FIGURE}-.*\.(png|pdf|svg)|pressures-.*\.csv|{FILM}-.*\.(gif|mp4)"
)
KEPT = re.compile(r"summary\.json|restart\.h5(\.1)?")  # until the next run writes its own
LOCK = ".lock"
LOOK = 0.02  # [s] in which a process that looks whether a run is writing has done so
_held: set[Path] = set()


@contextmanager
def hold(folder: str | Path | None) -> Iterator[None]:
    """Lock a folder for this run; within a process the lock nests.

    Raises
    ------
    CaseError    another run is writing there
    """
    if folder is None:
        yield
        return
    import h5py  # noqa: F401  # a run that will write finds now, not at its end, whether it can

    path = path_of(folder, "the run's folder").absolute()
    if path in _held:
        yield
        return
    lock = path / LOCK
    with making(path, "the run"):
        path.mkdir(parents=True, exist_ok=True)
        opened = lock.open("w")
    with opened as handle:
        if not _locked(handle, fcntl.LOCK_EX):
            sleep(LOOK)  # for as long as another process may look whether a run is writing
            if not _locked(handle, fcntl.LOCK_EX):
                raise _taken(folder)
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)
            lock.unlink(missing_ok=True)


def _locked(handle: IO[str], kind: int) -> bool:
    """Lock a file, without waiting; return True if it is locked now."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _taken(folder: str | Path) -> CaseError:
    """Error of a folder in which another run is writing."""
    return CaseError(
        f"{folder}: another run is writing there; wait for it or choose another folder"
    )


def is_written(folder: Path) -> bool:
    """Return True while a run is writing into a folder, in this process or in another.

    The lock of a process that has died is none.
    """
    try:
        with (folder / LOCK).open() as handle:
            return not _locked(handle, fcntl.LOCK_SH)
    except OSError:  # no lock
        return False


def refuse_written(folder: Path) -> None:
    """Raise CaseError while a run is writing into a folder."""
    if is_written(folder):
        raise _taken(folder)


def files_of_a_run(folder: Path) -> list[str]:
    """Names of the files in a folder that a new run would replace."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    patterns = (OF_A_RUN, OF_THE_SHELL, ASKED, KEPT)
    return [name for name in names if any(pattern.fullmatch(name) for pattern in patterns)]


def drawn(folder: Path) -> list[str]:
    """Names of the figures and films in a folder that a user asked for, those of members too."""
    places = ((folder, ASKED, ""), (folder / "members", OF_A_MEMBER, "members/"))
    return [
        f"{before}{path.name}"
        for place, pattern, before in places
        if place.is_dir()
        for path in sorted(place.iterdir())
        if pattern.fullmatch(path.name)
    ]


def clear(folder: Path, figures: bool) -> None:
    """Remove an earlier run's files from a held folder, but its summary and restarts.

    Parameters
    ----------
    figures : True: figures and films, too
    """
    for old in folder.iterdir():
        if OF_A_RUN.fullmatch(old.name) or (figures and OF_THE_SHELL.fullmatch(old.name)):
            old.unlink()
    for name in drawn(folder) if figures else ():
        (folder / name).unlink()
