"""Lock and contents of a run's folder."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kinemesh.errors import CaseError
from kinemesh.io.paths import making, path_of

FIGURE = (
    r"(hysteresis|cycle|loads|vorticity|pressure|grids|mach|mesh|convergence|cp|sections|pressures"
    r"|eddies|friction|layers|spanwise|side|cut)"
)
FILM = r"film-(mach|vorticity|cp|eddies)"
OF_A_RUN = re.compile(
    rf"history\.csv|(flow|surface)(-\d+)?\.vtkhdf|{FIGURE}(-\d+)?\.png|{FIGURE}\.(pdf|svg)"
    rf"|pressures\.csv|(wall|spanwise)(-\d+)?\.csv|{FILM}\.(gif|mp4)"
)
OF_A_MEMBER = re.compile(  # in the folder members
    rf"{FIGURE}-.*\.(png|pdf|svg)|pressures-.*\.csv|{FILM}-.*\.(gif|mp4)"
)
KEPT = re.compile(r"summary\.json|restart\.h5(\.1)?")  # until the next run writes its own
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
    lock = path / ".lock"
    with making(path, "the run"):
        path.mkdir(parents=True, exist_ok=True)
        opened = lock.open("w")
    with opened as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CaseError(
                f"{folder}: another run is writing there; wait for it or choose another folder"
            ) from None
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)
            lock.unlink(missing_ok=True)


def files_of_a_run(folder: Path) -> list[str]:
    """Names of the files in a folder that a new run would replace."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return [name for name in names if OF_A_RUN.fullmatch(name) or KEPT.fullmatch(name)]


def clear(folder: str | Path | None) -> None:
    """Remove an earlier run's files from a held folder, but its summary and restarts."""
    if folder is None:
        return
    for old in Path(folder).iterdir():
        if OF_A_RUN.fullmatch(old.name):
            old.unlink()
    members = Path(folder) / "members"
    for old in members.iterdir() if members.is_dir() else ():
        if OF_A_MEMBER.fullmatch(old.name):
            old.unlink()
