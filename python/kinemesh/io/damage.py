"""Errors of a sweep's store that is damaged or gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kinemesh.errors import CaseError
from kinemesh.sentences import RESUME

# what zarr, its codecs and xarray raise where a file is cut off, changed or not there
DAMAGE = (OSError, ValueError, KeyError, TypeError, RuntimeError)


@contextmanager
def reading(place: Any, what: str = "the store of a sweep") -> Iterator[None]:
    """Raise CaseError if `what` of the store at `place` is damaged or gone."""
    try:
        yield
    except CaseError:
        raise
    except DAMAGE as error:
        raise CaseError(
            f"{place}: {what} cannot be read ({_told(error)}), as a file was damaged or removed; ",
            RESUME,
            " runs the batches again whose values are damaged, and where "
            "that fails begin the sweep anew in another folder",
        ) from error


@contextmanager
def writing(place: Any) -> Iterator[None]:
    """CaseError where a batch cannot be written into the store at `place`."""
    try:
        yield
    except FileNotFoundError as error:
        raise CaseError(
            f"{place}: the store of the sweep was removed while it ran; begin the sweep anew"
        ) from error
    except OSError as error:
        raise CaseError(
            f"{place}: a batch cannot be written ({_told(error)}); those before it are kept: make "
            "room, or the folder writable, and go on by ",
            RESUME,
        ) from error


def _told(error: BaseException) -> str:
    """An error in words, for which Python's may be a key alone."""
    text = getattr(error, "strerror", None) or str(error)
    return f"no {text}" if isinstance(error, KeyError) else text
