"""Inflow and outflow of incompressible flow through the ends of a channel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several
from kinemesh.errors import CaseError, SettingsError, did_you_mean
from kinemesh.io.text_table import read
from kinemesh.mesh.facets import area_vectors
from kinemesh.space.conditions.base import (
    OF_TIME,
    OUTER,
    PLACES,
    PROJECTION,
    Condition,
    arguments_of,
    called,
    finite,
    name_of,
)

INCOMPRESSIBLE = "incompressible flow"
PROFILES = ("parabolic",)
WIDEST = 10.0  # range of a profile over its inlet, of which the rest comes in nowhere
LENGTHS = {
    "millimetres for metres": 1000.0, "centimetres for metres": 100.0, "inches for metres": 39.3701,
    "feet for metres": 3.28084, "inches for feet": 12.0, "millimetres for inches": 25.4,
}  # fmt: skip
SURE = 0.005  # of a ratio of lengths that is one of units
STRAIGHT = 1e-6  # distance of a parabola's nodes from a straight line, over its length


@dataclass(frozen=True, slots=True)
class Outflow(Condition):
    """Open boundary of incompressible flow; see `kinemesh.outlet`."""

    kind: ClassVar[str] = "outlet"
    role: ClassVar[str] = OUTER
    families: ClassVar[tuple[str, ...]] = (PROJECTION,)
    flow: ClassVar[str] = INCOMPRESSIBLE
    still: ClassVar[bool] = True
    leaves: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Inflow(Condition):
    """Inflow of a given velocity; see `kinemesh.inlet`."""

    kind: ClassVar[str] = "inlet"
    role: ClassVar[str] = OUTER
    families: ClassVar[tuple[str, ...]] = (PROJECTION,)
    flow: ClassVar[str] = INCOMPRESSIBLE
    still: ClassVar[bool] = True
    enters: ClassVar[bool] = True
    velocity: Any
    profile: str | None = None

    def __post_init__(self) -> None:
        if not callable(self.velocity):
            pair = self.velocity if is_several(self.velocity) else (self.velocity,)
            if not 1 <= len(pair) <= 2:
                raise SettingsError(
                    f"inlet: velocity is {self.velocity!r}, expected a speed across the boundary, "
                    "or its components (u, v)"
                )
            found = tuple(finite("inlet", "velocity", value) for value in pair)
            object.__setattr__(self, "velocity", found if len(found) == 2 else found[0])
        if isinstance(self.profile, Path):
            object.__setattr__(self, "profile", str(self.profile))
        if self.profile is not None:
            self._check_profile(self.profile)

    def _check_profile(self, profile: Any) -> None:
        """SettingsError for a profile that is none, or for one with a velocity of its own."""
        if not isinstance(profile, str) or not (profile in PROFILES or "." in profile):
            hint = did_you_mean(profile, PROFILES) if isinstance(profile, str) else ""
            raise SettingsError(
                f"inlet: profile is {profile!r}, expected {', '.join(PROFILES)}, or the file of a "
                f"table{hint}"
            )
        if self.tabulated:
            Table.of(profile)
        if self.tabulated and isinstance(self.velocity, tuple):
            raise SettingsError(
                f"inlet: velocity is {self.velocity!r} and profile a table, which it multiplies; "
                "expected one number"
            )
        if callable(self.velocity) and _arguments(self.velocity) != ["time"]:
            raise SettingsError(
                "inlet: velocity is a function of the place and there is a profile, expected one"
            )

    @property
    def varies(self) -> bool:
        """True where the velocity is a function of the time."""
        return callable(self.velocity) and "time" in _arguments(self.velocity)

    @property
    def tabulated(self) -> bool:
        """True where the profile is the table of a file."""
        return self.profile is not None and self.profile not in PROFILES

    @property
    def members(self) -> int:
        """1, as the velocity is the same for all members."""
        return 1

    def at_time(self, time: float, member: int = 0) -> Inflow:
        """The condition with its velocity at a time."""
        del member
        law = self.velocity
        if not self.varies:
            return self
        if _arguments(law) == ["time"]:
            velocity = called("inlet", "velocity", law, time)
            try:
                return Inflow(velocity, self.profile)
            except SettingsError as error:
                raise SettingsError(f"{error} at time {time:g}") from None
        return Inflow(lambda x, y: law(x, y, time), self.profile)

    @property
    def numbers(self) -> dict[str, Any]:
        """Numbers that are given, by name, and the name of a function."""
        return {"velocity": name_of(self.velocity)} | (
            {"profile": self.profile} if self.profile else {}
        )

    def at(
        self, marker: str, mesh: Any, time: float | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Nodes of a marker, and (nodes, 2) velocities there; at a time whatever flows there.

        Raises
        ------
        SettingsError    velocities that are no finite numbers of the right shape, or that lead
            out of the fluid; a parabola along a boundary that is not straight
        """
        if self.varies:
            return self.at_time(time or 0.0).at(marker, mesh, time or 0.0)
        edges = mesh.boundaries.get(marker, np.zeros((0, 2), np.int64))
        nodes = np.unique(edges)
        if not len(nodes):
            return nodes, np.zeros((0, 2))
        x, out = mesh.points[nodes], area_vectors(mesh.points, edges)
        normal = np.zeros_like(x)
        np.add.at(normal, np.searchsorted(nodes, edges).T, out)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        if self.tabulated:
            found = Table.of(str(self.profile)).velocities(marker, x, normal, self.velocity)
        else:
            found = self._velocities(marker, x, normal)
        if self.profile in PROFILES:
            found = found * _parabola(marker, x, np.linalg.norm(out, axis=1).sum())[:, None]
        flow = flow_into(mesh, marker, nodes, found)
        if time is None and not flow > 0:
            raise SettingsError(
                f"boundaries: inlet {marker!r} has a flow of {flow:.4g} into the fluid, "
                "expected one above 0"
            )
        return nodes, found

    def _velocities(
        self, marker: str, x: NDArray[np.float64], normal: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if not callable(self.velocity):
            if isinstance(self.velocity, tuple):
                return np.tile(np.array(self.velocity), (len(x), 1))
            across: NDArray[np.float64] = -self.velocity * normal
            return across
        try:
            given = self.velocity(x[:, 0].copy(), x[:, 1].copy())
            if isinstance(given, tuple | list) and len(given) == 2:
                given = [np.broadcast_to(part, len(x)) for part in given]
            made = np.array(given, float)
        except Exception as error:
            raise SettingsError(
                f"boundaries: velocity of inlet {marker!r} failed, {type(error).__name__}: "
                f"{error}; expected a function of the arrays x and y"
            ) from error
        if made.shape == ():
            made = np.full(len(x), float(made))
        if made.shape == (len(x),):
            made = -(made[:, None] * normal).T
        if made.shape != (2, len(x)) or not np.isfinite(made).all():
            raise SettingsError(
                f"boundaries: velocity of inlet {marker!r} gives {_shape(made)} at {len(x)} "
                f"places, expected finite speeds ({len(x)},) or components (2, {len(x)})"
            )
        return np.ascontiguousarray(made.T)


class Table(NamedTuple):
    """Profile of an inflow from a file: a column x or y, and u with v, or speed.

    Parameters
    ----------
    path : of the file
    axis : 0 where the profile is over x, 1 where it is over y
    at : (rows,) places, ascending;  values : (rows,) speeds across, or (rows, 2) velocities
    """

    path: str
    axis: int
    at: NDArray[np.float64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, path: str) -> Table:
        """The table of a file, read once; SettingsError where it is none."""
        try:
            stamp = Path(path).stat().st_mtime_ns
        except OSError as error:
            raise SettingsError(f"inlet: profile {path}: {error.strerror}") from None
        return cls._read(path, stamp)

    @classmethod
    @lru_cache(maxsize=64)
    def _read(cls, path: str, stamp: int) -> Table:
        """The table of a file that was written at a time."""
        del stamp  # of the cache alone
        try:
            columns = read(path, "a profile of velocity")
        except CaseError as error:
            raise SettingsError(f"inlet: {error}") from None
        along = [name for name in ("x", "y") if name in columns]
        of = [name for name in ("u", "v", "speed") if name in columns]
        if len(along) != 1 or of not in (["speed"], ["u"], ["u", "v"]):
            raise SettingsError(
                f"inlet: profile {path} has columns {', '.join(columns)}, expected one of x and y, "
                "and either u with v, or speed (across the boundary); leave the others out"
            )
        at = columns[along[0]]
        values = np.stack([columns[n] for n in of] + [0 * at] * (of == ["u"]), axis=1)
        order = np.argsort(at, kind="stable")
        good = len(at) > 1 and np.isfinite(values).all() and (np.diff(at[order]) > 0).all()
        if not good:
            raise SettingsError(
                f"inlet: profile {path} has {len(at)} rows, expected two or more, of finite "
                f"numbers, each at another {along[0]}"
            )
        own = values[order]
        return cls(path, "xy".index(along[0]), at[order], own[:, 0] if of == ["speed"] else own)

    def velocities(
        self, marker: str, x: NDArray[np.float64], normal: NDArray[np.float64], factor: float
    ) -> NDArray[np.float64]:
        """(nodes, 2) velocities at places, linear between the rows, times a factor."""
        s, low, high = x[:, self.axis], self.at[0], self.at[-1]
        beyond = np.maximum(low - s, s - high)
        size = float(np.ptp(s))
        told = (
            f"boundaries: the profile {self.path} of inlet {marker!r} goes from "
            f"{'xy'[self.axis]} = {low:.4g} to {high:.4g}"
        )
        if beyond.max() > STRAIGHT * (high - low):
            far = x[beyond.argmax()]
            raise SettingsError(
                f"{told}, and the inlet to ({far[0]:.4g}, {far[1]:.4g}); expected a table over all "
                f"of it{_units(size / (high - low))}"
            )
        ratio = (high - low) / size if size else 1.0
        units = _units(ratio)
        if ratio > WIDEST or units:
            raise SettingsError(
                f"{told}, and the inlet from {s.min():.4g} to {s.max():.4g}, {1 / ratio:.3g} of "
                f"it, expected a table that ends near the ends of the inlet{units}; give places in "
                "the lengths of the mesh, or leave the rows beyond the inlet out"
            )
        if self.values.ndim == 1:
            across: NDArray[np.float64] = -factor * np.interp(s, self.at, self.values)[:, None]
            return across * normal
        both = [factor * np.interp(s, self.at, column) for column in self.values.T]
        return np.stack(both, axis=1)


def _units(ratio: float) -> str:
    """End of a sentence on lengths that seem to be of other units, by their ratio; else empty."""
    of = next((name for name, one in LENGTHS.items() if abs(ratio / one - 1) < SURE), None)
    return "" if of is None else f": lengths seem to be in {of}, {ratio:.4g} times as large"


def _arguments(law: Any) -> list[str]:
    """Variables of a function of velocity, by the number of its arguments."""
    names = arguments_of(law)
    if (len(names) == 1 and names[0] in PLACES) or (len(names) == 2 and names[1] in OF_TIME):
        raise SettingsError(
            f"inlet: velocity is a function of ({', '.join(names)}), expected one of (x, y), of "
            "(x, y, time) or of (time)"
        )
    return {1: ["time"], 3: ["x", "y", "time"]}.get(len(names), ["x", "y"])


def flow_into(
    mesh: Any, marker: str, nodes: NDArray[np.int64], velocities: NDArray[np.float64]
) -> float:
    """Flow into the fluid across a marker of velocities (nodes, 2) at its sorted nodes."""
    edges = mesh.boundaries[marker]
    ends = velocities[np.searchsorted(nodes, edges)].sum(axis=1)
    return float(-0.5 * (ends * area_vectors(mesh.points, edges)).sum())


def _parabola(marker: str, x: NDArray[np.float64], whole: float) -> NDArray[np.float64]:
    """(nodes,) 1 in the middle of a straight boundary, 0 at its ends; whole: its edges' length."""
    first = x[np.linalg.norm(x - x[0], axis=1).argmax()]
    last = x[np.linalg.norm(x - first, axis=1).argmax()]
    way = last - first
    length = np.linalg.norm(way)
    off = np.abs((x - first) @ np.array([way[1], -way[0]])) / length**2
    if off.max() > STRAIGHT:
        at = x[off.argmax()]
        raise SettingsError(
            f"boundaries: inlet {marker!r} has a parabolic profile and is not straight at "
            f"({at[0]:.4g}, {at[1]:.4g}); give a function as velocity"
        )
    if abs(whole - length) > STRAIGHT * length:
        raise SettingsError(
            f"boundaries: inlet {marker!r} has a parabolic profile and a gap of "
            f"{length - whole:.4g}; name its pieces apart, or give a function as velocity"
        )
    s = (x - first) @ way / length**2
    found: NDArray[np.float64] = 4.0 * s * (1.0 - s)
    return found


def _shape(values: NDArray[np.float64]) -> str:
    return f"an array {values.shape}" if np.isfinite(values).all() else "values that are not finite"
