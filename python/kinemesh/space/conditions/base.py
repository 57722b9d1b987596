"""Condition at the boundary: its kind, its role, the solvers that compute it, its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several
from kinemesh.errors import SettingsError

BODY, OUTER, PLANE, RIM = "body", "outer", "plane", "rim"
ROLES = (BODY, OUTER, PLANE, RIM)
"""Roles: bodies move and carry loads; the outer boundary lets fluid in or out; a plane does
neither; the rim of an overset part takes its values from other parts."""
PLACES, OF_TIME = ("x", "y", "z", "s", "r"), ("t", "time")  # names of arguments of functions
UNITS = {
    "total_temperature": (20.0, "kelvin", "static temperature"),
    "total_pressure": (1000.0, "pascals", "static pressure"),
    "pressure": (1000.0, "pascals", "static pressure"),
}  # by name: from what on a number has units, and which; a stream at Mach 10 has T_0 / T of 21
FACES, CLOUD, PROJECTION = "bc", "cloud", "inc"
"""Families of solvers: a gas on faces of a mesh, a gas on clouds, incompressible flow.  The first
two are prefixes of kernels."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition at the boundary, with its numbers as fields.

    Attributes
    ----------
    kind : word of users
    role : of `ROLES`
    families : of the solvers that compute it
    flux : bc_`flux`, or cloud_`flux`, is the kernel that adds its flux to the residual of a gas;
        that of the flux's derivative has the ending _jacobian
    strong : where it is not empty, a viscous gas sticks there: rows of residual and matrix are
        replaced, last of all at a volume, in the place of `flux`
    flow : flow that its numbers are of, in words; empty where it has none
    still : True where it has a place of its own, so that mesh or cloud cannot move as a whole
    enters, leaves : True where fluid comes in, goes out
    """

    kind: ClassVar[str]
    role: ClassVar[str]
    families: ClassVar[tuple[str, ...]]
    flux: ClassVar[str] = ""
    strong: ClassVar[str] = ""
    flow: ClassVar[str] = ""
    still: ClassVar[bool] = False
    enters: ClassVar[bool] = False
    leaves: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if is_several(value):
                each = tuple(self._checked(field.name, one) for one in value)
                object.__setattr__(self, field.name, each)
            elif value is not None or field.default is not None:
                object.__setattr__(self, field.name, self._checked(field.name, value))

    def _checked(self, name: str, value: Any) -> Any:
        """The number, or the function of time that gives one; SettingsError for all else."""
        if callable(value):
            names = arguments_of(value)
            if len(names) == 1 and names[0] in PLACES:
                raise SettingsError(
                    f"{self.kind}: {name} is a function of ({names[0]}), expected one of (time)"
                )
            value_at(self.kind, name, value, 0.0)
            return value
        return number(self.kind, name, value)

    @property
    def _given(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def members(self) -> int:
        """Number of members that it has numbers for; 1 where these are the same for all."""
        return max([len(v) for v in self._given.values() if isinstance(v, tuple)], default=1)

    @property
    def varies(self) -> bool:
        """True where a number is a function of time."""
        each = [v if isinstance(v, tuple) else (v,) for v in self._given.values()]
        return any(callable(one) for values in each for one in values)

    def at_time(self, time: float, member: int = 0) -> Condition:
        """The condition of a member with its numbers at a time."""
        if not self.varies and self.members == 1:
            return self
        now = self._given
        for name, value in now.items():
            own = value[min(member, len(value) - 1)] if isinstance(value, tuple) else value
            now[name] = value_at(self.kind, name, own, time) if callable(own) else own
        return type(self)(**now)

    @property
    def numbers(self) -> dict[str, Any]:
        """Numbers that are given, by name, those of members in a list; of a function its name."""
        found = {name: value for name, value in self._given.items() if value is not None}
        return {
            name: [name_of(one) for one in value] if isinstance(value, tuple) else name_of(value)
            for name, value in found.items()
        }

    @property
    def words(self) -> str:
        """Kind and flow, with their article."""
        article = "an" if self.kind[0] in "aeiou" else "a"
        return f"{article} {self.kind}{f' of {self.flow}' if self.flow else ''}"

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Values at a node, by the names that kernels have for them; none of what has no kernel."""
        return {}

    def as_table(self) -> Any:
        """Table of a case file: the kind, with its numbers where it has some.

        Raises
        ------
        SettingsError    a number by a function, which no file holds
        """
        for name, value in self._given.items():
            if any(map(callable, value if isinstance(value, tuple) else (value,))):
                raise SettingsError(
                    f"boundaries: {name} of an {self.kind} is a function, which no case file "
                    "holds; give it to the solver in Python, or a number"
                )
        return {"kind": self.kind, **self.numbers} if self.flow else self.kind

    def check_among(self, marker: str, others: Mapping[str, Condition]) -> None:
        """SettingsError where the condition of a marker contradicts those of other markers."""

    def check_on(self, marker: str, mesh: Any) -> None:
        """SettingsError where the condition contradicts the shape of its marker in a mesh."""


def real(value: Any) -> float:
    """A real number as a float; nan for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def finite(kind: str, name: str, value: Any) -> float:
    """A finite number; SettingsError for all else."""
    found = real(value)
    if not np.isfinite(found):
        raise SettingsError(f"{kind}: {name} is {short(value)}, expected a finite number")
    return found


def number(kind: str, name: str, value: Any) -> float:
    """An angle, or a number above 0; SettingsError for all else."""
    if name == "alpha_deg":
        return finite(kind, name, value)
    found = real(value)
    if not 0.0 < found < np.inf:
        raise SettingsError(f"{kind}: {name} is {short(value)}, expected a number above 0")
    most, units, stream = UNITS.get(name, (np.inf, "", ""))
    if found >= most:
        raise SettingsError(
            f"{kind}: {name} is {short(value)}, which seems to be in {units}, expected a number "
            f"over the stream's {stream}, below {most:g}; divide it by that of the stream"
        )
    return found


def arguments_of(function: Any) -> list[str]:
    """Names of the arguments that a function needs; x, y of one that does not tell."""
    if isinstance(function, np.ufunc):  # tells its signature from NumPy 2.4 on only
        return [""] * function.nin
    try:
        every = signature(function).parameters.values()
    except (TypeError, ValueError):  # of C
        return ["x", "y"]
    needed = [p for p in every if p.default is p.empty and p.kind < p.VAR_POSITIONAL]
    return ["" if p.kind is p.POSITIONAL_ONLY else p.name for p in needed]  # math.sin has an x


def value_at(kind: str, name: str, function: Any, time: float) -> float:
    """Number of a function of time, at a time; SettingsError where there is none."""
    found = called(kind, name, function, time, " that gives a number")
    try:
        return number(kind, name, found)
    except SettingsError as error:
        raise SettingsError(f"{error} at time {time:g}") from None


def called(kind: str, name: str, function: Any, time: float, gives: str = "") -> Any:
    """Value of a user's function of time; SettingsError where the function fails."""
    try:
        return function(time)
    except Exception as error:
        raise SettingsError(
            f"{kind}: {name} failed at time {time:g}, {type(error).__name__}: {error}; expected a "
            f"function of the time{gives}"
        ) from error


def name_of(value: Any) -> Any:
    """Name of a function or of its class; other values as they are."""
    return getattr(value, "__name__", type(value).__name__) if callable(value) else value


def short(value: Any) -> str:
    """The value as Python writes it, cut where that is long."""
    told = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "beyond all floats"
    return told if len(told) < 60 else f"{told[:57]}..."
