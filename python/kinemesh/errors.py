"""Typed errors: each message says what, where, what was expected and what to do.

Warnings, too, say where: they name the user's line, not a line of kinemesh.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sized
from difflib import get_close_matches
from types import FrameType
from typing import Any

from kinemesh.sentences import Place, Sentence, gathered, said


class KinemeshError(Exception):
    """Root of every error that kinemesh raises on purpose.

    Parameters
    ----------
    words, facts : of its `kinemesh.sentences.Sentence`, which is `said`; a text is one word
    """

    def __init__(self, *words: object, **facts: Any) -> None:
        super().__init__(Sentence(*words, **facts))

    @property
    def said(self) -> Sentence:
        """The sentence, with its words and facts."""
        return said(self)

    @property
    def member(self) -> int | None:
        """The member that it is about; None of none."""
        return self.said.member

    @property
    def place(self) -> str | Place:
        """Key of a case file, node, cell or body that it is about; empty of none."""
        return self.said.place

    @property
    def argument(self) -> str:
        """Name of the argument that is wrong; empty of none."""
        return self.said.argument

    @property
    def expected(self) -> str:
        """The right value, in words; empty where the sentence alone says it."""
        return self.said.expected

    @property
    def advice(self) -> str:
        """Advice on what to do; empty where the sentence alone says it."""
        return self.said.advice


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


class PackageError(KinemeshError, RuntimeError):
    """An installed package whose case, solver or condition cannot be used."""


class NumericalFault(KinemeshError, ArithmeticError):
    """A run that failed: names the quantity, the entity, the member and the step."""


class KinemeshWarning(RuntimeWarning):
    """A warning about a run, with the facts of its sentence."""

    @property
    def said(self) -> Sentence:
        """The sentence, with its words and facts."""
        return said(self)

    @property
    def members(self) -> tuple[int, ...]:
        """The members that it is about; none where it is about all or none."""
        return self.said.members


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


def warn(text: str, category: type[Warning] = KinemeshWarning, **facts: Any) -> None:
    """Warn in the name of the line that called kinemesh, however deep the cause lies.

    Parameters
    ----------
    facts : of its `Sentence`
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame) in _WITHIN:
        level, frame = level + 1, frame.f_back
    warnings.warn(category(Sentence(text, **facts)), stacklevel=level)


def warn_of(notes: Iterable[str]) -> None:
    """Warn of each note; of notes of several members about one thing, once."""
    for note in gathered(notes):
        warn(note)


def _package(frame: FrameType) -> str:
    """The package whose code a frame runs; by its name, as a dataclass's code has no file."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
