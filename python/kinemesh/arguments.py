"""Arguments of users: their names, one value or one per member, finite numbers, points, classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import unwrap
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import ArgumentError, SettingsError, did_you_mean, shown

Made = TypeVar("Made")
NOTHING: Mapping[str, str] = MappingProxyType({})


def checks_names(made: Made) -> Made:
    """A function, or class, with which an unknown argument is an ArgumentError that names another.

    Python's own TypeError names none.  A class may say of arguments that it once had where they
    stand now: `moved`, {name: sentence}.
    """
    if isinstance(made, type):
        moved = getattr(made, "moved", {})
        made.__init__ = _checked(made.__init__, made.__name__, moved)  # type: ignore[misc]
        return made
    function: Any = made
    return _checked(function, function.__qualname__.rpartition(".")[2])  # type: ignore[no-any-return]


def _checked(function: Any, title: str, moved: Mapping[str, str] = NOTHING) -> Any:
    """A function that refuses unknown arguments, under its title in messages."""
    function = unwrap(function)  # of a class that inherits one that is checked already
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = [name for name in names if name not in ("self", "cls")]

    @wraps(function)
    def checked(*values: Any, **arguments: Any) -> Any:
        for name in arguments:
            if name not in known:
                hint = did_you_mean(name, known, f"expected {', '.join(known)}")
                other = {"nodes": "points", "points": "nodes"}.get(name)  # of clouds, of meshes
                hint = f"; did you mean '{other}'?" if other in known else hint
                hint = f"; {moved[name]}" if name in moved else hint
                raise ArgumentError(f"{title}: unknown argument '{name}'{hint}")
        return function(*values, **arguments)

    return checked


def is_several(value: Any) -> bool:
    """A sequence, array or pandas Series with one entry per member (a text is one value)."""
    if hasattr(value, "__array__"):
        return np.ndim(value) > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def member_count(**values: Any) -> int:
    """Number of members: the longest sequence, all sequences being that long."""
    lengths = {name: len(v) for name, v in values.items() if is_several(v)}
    members = max(lengths.values(), default=1)
    for name, length in lengths.items():
        if length != members or not length:
            raise SettingsError(f"{name} has {length} entries, expected {members or 1} (members)")
    return members


def per_member(value: Any, members: int) -> list[Any]:
    """Sequence of one value per member, from one value for all or such a sequence."""
    return list(value) if is_several(value) else [value] * members


def numbers(value: Any, members: int, name: str, positive: bool = False) -> NDArray[np.float64]:
    """(members,) finite numbers."""
    try:
        found = np.array([real(v) for v in per_member(value, members)])
    except (TypeError, ValueError, OverflowError):
        found = np.array([np.nan])
    if (
        found.shape != (members,)
        or not np.isfinite(found).all()
        or (positive and not (found > 0).all())
    ):
        several = is_several(value)
        kind = "number above 0" if positive else "finite number"
        kind = kind.replace("number", "numbers") if several else f"a {kind}"
        raise SettingsError(f"{name} is {shown(value)}, expected {kind}")
    return found


def real(value: Any) -> float:
    """A number; TypeError for texts, truth values and arrays, which float() would take."""
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "iufO":
        raise TypeError
    return float(value)


def point_of(value: Any, name: str, axes: str = "x, y") -> tuple[float, float]:
    """A point of two coordinates."""
    return pair(value, name, f"a point ({axes}) [chord]")


def pair(value: Any, name: str, expected: str) -> tuple[float, float]:
    """Two finite numbers; SettingsError for others."""
    x, y = vector(value, name, expected, (2,))
    return x, y


def vector(value: Any, name: str, expected: str, sizes: Sequence[int]) -> tuple[float, ...]:
    """Finite numbers, as many as one of `sizes`; SettingsError for others."""
    try:
        found = tuple(real(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        found = ()
    if len(found) not in sizes or not np.isfinite(found).all():
        raise SettingsError(f"{name} is {value!r}, expected {expected}")
    return found


def states(
    value: Any,
    shape: tuple[int, ...],
    name: str,
    columns: str = "",
    where: Callable[[int], str] = "row {}".format,
) -> NDArray[Any]:
    """Finite numbers of a shape, a row per node; SettingsError for others, `where` they are.

    Parameters
    ----------
    columns : what the numbers are, for the message;  where : row -> text that tells its place
    """
    wanted = f"expected {shape} finite numbers{columns}, a row per node of the solver"
    try:
        found = np.asarray(value)
    except ValueError:
        raise SettingsError(f"{name}: rows of several lengths, {wanted}") from None
    if found.shape != shape or found.dtype.kind not in "fiu":
        raise SettingsError(f"{name}: shape {found.shape} of {found.dtype}, {wanted}")
    wrong = np.flatnonzero(~np.isfinite(found.reshape(len(found), -1)).all(axis=1))
    if len(wrong):
        raise SettingsError(
            f"{name}: {where(int(wrong[0]))} is {found[wrong[0]].tolist()}, {wanted}: "
            f"{len(wrong)} such row(s)"
        )
    return found


def instance(value: Any, kind: type, name: str, example: str) -> Any:
    """The value, if it is of its kind."""
    if not isinstance(value, kind):
        raise SettingsError(f"{name} is {shown(value)}, expected {example}")
    return value


def counted(number: int, noun: str = "case", plural: str = "") -> str:
    """A number of things in words: `1 case`, `5 cases`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
