"""Values of a case file, checked; errors name the place and the expected value."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

from kinemesh.errors import CaseError, CloudError, MeshError, SettingsError, did_you_mean
from kinemesh.sentences import Place, Value

WHOLE = "whole number"  # what an error is about
FLOAT_MAX = sys.float_info.max
BARE = re.compile(  # a number without a digit before or behind its point, which TOML has not
    r"(?<![\w.+-])[+-]?(?:\.\d[\d_]*|\d[\d_]*\.)(?:[eE][+-]?\d+)?(?![\w.])"
)
QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*")  # texts and comments
OF_INPUT = (CaseError, CloudError, MeshError, SettingsError)  # not of devices, nor of the flow


def bare_number(text: str) -> str:
    """Sentence on the first number of a text that TOML has not, such as .5; empty without one."""
    for number, line in enumerate(text.split("\n"), 1):
        found = BARE.search(QUOTED.sub(" ", line))
        if found:
            whole = re.sub(r"\.(?!\d)", ".0", re.sub(r"(?<!\d)\.", "0.", found[0]))
            return f"line {number}: {found[0]} is no number of TOML, write {whole}"
    return ""


@contextmanager
def in_section(where: Place, keys: Iterable[str] | None = None) -> Iterator[None]:
    """Errors of the input name the section, such as [solver], where they name none.

    Where keys of the section are given, errors whose argument is none of them stay as they are.
    """
    try:
        yield
    except OF_INPUT as error:
        other = keys is not None and error.argument not in keys
        if error.said.begins or other:
            raise
        raise type(error)(where, ": ", error.said) from None


@contextmanager
def in_file(path: Path | str | None) -> Iterator[None]:
    """Begin errors of the input with the name of the case file, if any."""
    try:
        yield
    except OF_INPUT as error:
        if path is None:
            raise
        raise type(error)(path, ", " if error.said.begins else ": ", error.said) from None


@contextmanager
def as_option(names: Iterable[str]) -> Iterator[None]:
    """Name the option in errors of its value, in place of the case file's section."""
    try:
        yield
    except OF_INPUT as error:
        place = error.said.begins
        if place is None or place.key not in names:
            raise
        option = Place("", place.key)
        raise type(error)(error.said.placed(lambda p: option if p == place else p)) from None


def wrong(where: Place | str, value: Any, expected: str, about: str = "") -> CaseError:
    """The error of a value that is none."""
    return CaseError(where, Value(value), expected=expected, about=about)


def known(where: Place | str, given: Mapping[str, Any], expected: list[str]) -> None:
    """CaseError for the first key that is not expected, with the nearest one."""
    for key in given:
        if key not in expected:
            hint = did_you_mean(key, expected, f"expected {', '.join(expected) or 'none'}")
            raise CaseError(where, f": unknown key '{key}'{hint}")


def number(
    where: Place | str, value: Any, above: float | None = None, least: float | None = None
) -> float:
    """Finite number above or at least a limit; CaseError for any other value."""
    good = isinstance(value, int | float) and not isinstance(value, bool)
    good = good and abs(value) <= FLOAT_MAX  # neither nan nor inf; isfinite(10**400) raises
    want = "a finite number"
    if above is not None:
        good, want = good and value > above, f"a number above {above:g}"
    if least is not None:
        good, want = good and value >= least, f"a number of at least {least:g}"
    if not good:
        more = " that is finite" if value in (inf, -inf) and "finite" not in want else ""
        raise wrong(where, value, f"{want}{more}")
    return float(value)


def yes_or_no(where: Place, value: Any) -> bool:
    """True or False; CaseError for other values."""
    if not isinstance(value, bool):
        raise wrong(where, value, "true or false")
    return value


def count(
    where: Place | str, value: Any, least: int = 1, most: int | None = None, more: str = ""
) -> int:
    """An integer of at least `least`, at most `most`; CaseError for any other value.

    `more` : words behind what is expected.
    """
    good = isinstance(value, int) and not isinstance(value, bool) and value >= least
    want = f"an integer of at least {least}"
    if most is not None:
        good, want = good and value <= most, f"an integer of {least} to {most}"
    if not good:
        raise wrong(where, value, want + more, about=WHOLE)
    return int(value)


def choice(where: Place | str, value: Any, choices: Any) -> str:
    """The value; CaseError where it is none of the choices."""
    if value not in list(choices):
        hint = did_you_mean(value, choices) if isinstance(value, str) else ""
        raise wrong(where, value, f"one of {', '.join(choices)}{hint}")
    return str(value)


def names(where: Place | str, value: Any) -> tuple[str, ...]:
    """Names of markers; CaseError for any other value."""
    listed = isinstance(value, list | tuple)
    if not listed or not value or not all(isinstance(v, str) for v in value):
        raise wrong(where, value, "a list of marker names")
    return tuple(value)
