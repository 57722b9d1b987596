"""Typed errors: each message says what, where, what was expected and what to do.

Warnings, too, say where: they name the user's line, not a line of kinemesh.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sized
from difflib import get_close_matches
from types import FrameType


class KinemeshError(Exception):
    """Root of every error that kinemesh raises on purpose."""


class MeshError(KinemeshError, ValueError):
    """A mesh, or a mesh file, that cannot be used."""


class CloudError(KinemeshError, ValueError):
    """A cloud of points that cannot be used or made."""


class OversetError(KinemeshError, ValueError):
    """Points or parts of overset grids that cannot be used."""


class CaseError(KinemeshError, ValueError):
    """A case (file, name or combination of options) that cannot be run."""


class SettingsError(KinemeshError, ValueError):
    """A solver or motion setting outside its meaning."""


class ArgumentError(KinemeshError, TypeError):
    """An argument that a function or a class does not have."""


class DeviceError(KinemeshError, RuntimeError):
    """A device that does not exist, or that cannot hold the case."""


class NumericalFault(KinemeshError, ArithmeticError):
    """A run that failed: names the quantity, the entity, the member and the step."""


def did_you_mean(name: object, known: Iterable[str], otherwise: str = "", quote: str = "'") -> str:
    """Tail of a message: "; did you mean 'x'?" with the known name nearest to an unknown one.

    Capitals do not count.  Where none is near, "; " with `otherwise`, or no tail where that is
    empty.
    """
    by_small = {text.casefold(): text for text in map(str, known)}
    for small in get_close_matches(str(name).casefold(), list(by_small), 1):
        near = by_small[small]
        return f"; did you mean {quote}{near}{quote}?"
    return otherwise and f"; {otherwise}"


SHOWN = 120  # letters of a value in a message


def shown(value: object) -> str:
    """A value in a message: its `repr`, or of a long one its kind and how many entries it has."""
    text = repr(value)
    if len(text) <= SHOWN or isinstance(value, int | float | str):
        return text
    kind = type(value).__name__
    return f"a {kind} of {len(value)} entries" if isinstance(value, Sized) else f"{kind}(...)"


_WITHIN = ("kinemesh", "contextlib", "functools")  # the last two: between two lines of kinemesh


def warn(text: str, category: type[Warning] = RuntimeWarning) -> None:
    """Warn in the name of the line that called kinemesh, however deep the cause lies."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame) in _WITHIN:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


_OF_MEMBER = re.compile(r"member (\d+): (.*)", re.DOTALL)
_NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?")


def warn_of(notes: Iterable[str]) -> None:
    """Warn of each note; of notes of several members with one cause, once."""
    for note in gathered(notes):
        warn(note)


def gathered(notes: Iterable[str]) -> list[str]:
    """Notes, those of several members in one: the first one's text, with all the members."""
    alike: dict[str, list[tuple[int, str]]] = {}
    for note in dict.fromkeys(notes):
        of = _OF_MEMBER.fullmatch(note)
        key = _NUMBER.sub("#", of[2].partition(";")[0]) if of else note  # the cause
        alike.setdefault(key, []).append((int(of[1]), of[2]) if of else (-1, note))
    found = []
    for own in alike.values():
        (member, text), members = own[0], sorted({m for m, _ in own})
        if member < 0:
            found.append(text)
        elif len(members) == 1:
            found.append(f"member {member}: {text}")
        else:
            found.append(
                f"members {_spans(members)} ({len(members)}): of member {member}: {text} (the "
                "summary's warnings have the others' numbers)"
            )
    return found


def _spans(members: list[int]) -> str:
    """Numbers in ascending order, runs of three or more from the first to the last."""
    runs: list[list[int]] = []
    for m in members:
        if runs and m == runs[-1][-1] + 1:
            runs[-1].append(m)
        else:
            runs.append([m])
    texts = [f"{r[0]} to {r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs]
    return ", ".join(texts)


def _package(frame: FrameType) -> str:
    """The package whose code a frame runs; by its name, as a dataclass's code has no file."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
