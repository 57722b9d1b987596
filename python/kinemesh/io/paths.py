"""Paths of files and folders in users' arguments, and errors of the file system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from kinemesh.errors import CaseError


def expanded(given: str | PathLike[str]) -> Path:
    """A name as a Path, in which a first `~` is the user's home folder, as in a shell."""
    path = Path(given)
    return path.expanduser() if path.parts[:1] == ("~",) else path


def path_of(given: object, what: str) -> Path:
    """A name as a Path; CaseError if it is none.

    Parameters
    ----------
    what : what it is the name of, such as "the run's folder"
    """
    if not isinstance(given, str | PathLike) or not str(given) or "\0" in str(given):
        raise CaseError(f"{what} is {given!r}, expected its name as text or a Path")
    return expanded(given)


@contextmanager
def making(path: Path, what: str) -> Iterator[None]:
    """Turn an OSError on making or writing `path`, `what`, into a CaseError."""
    try:
        yield
    except OSError as error:
        raise CaseError(
            f"{path}: {what} cannot be written there ({error.strerror}); choose another place"
        ) from error
