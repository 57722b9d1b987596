"""Inflow and outflow of incompressible flow through the ends of a channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several
from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.space.conditions.base import OUTER, PROJECTION, Condition, finite, outward

INCOMPRESSIBLE = "incompressible flow"
PROFILES = ("parabolic",)
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
        named = isinstance(self.profile, str)
        if self.profile is not None and not (named and self.profile in PROFILES):
            hint = did_you_mean(self.profile, PROFILES) if named else ""
            raise SettingsError(
                f"inlet: profile is {self.profile!r}, expected {', '.join(PROFILES)}{hint}"
            )
        if self.profile is not None and callable(self.velocity):
            raise SettingsError(
                "inlet: velocity is a function and there is a profile, expected one"
            )

    @property
    def numbers(self) -> dict[str, Any]:
        """Numbers that are given, by name, and the name of a function."""
        given = self.velocity
        told = getattr(given, "__name__", type(given).__name__) if callable(given) else given
        return {"velocity": told} | ({"profile": self.profile} if self.profile else {})

    def as_table(self) -> Any:
        """Table of a case file; SettingsError for a velocity by a function, which no file holds."""
        if callable(self.velocity):
            raise SettingsError(
                "boundaries: a case file holds no function; give it to km.Incompressible, or say a "
                "velocity with a profile"
            )
        return Condition.as_table(self)

    def at(self, marker: str, mesh: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Nodes of a marker, and (nodes, 2) velocities there.

        Raises
        ------
        SettingsError    velocities that are no finite numbers of the right shape, or that lead
            out of the fluid; a parabola along a boundary that is not straight
        """
        edges = mesh.boundaries.get(marker, np.zeros((0, 2), np.int64))
        nodes = np.unique(edges)
        if not len(nodes):
            return nodes, np.zeros((0, 2))
        x, out = mesh.points[nodes], outward(mesh.points, edges)
        normal = np.zeros_like(x)
        np.add.at(normal, np.searchsorted(nodes, edges).T, out)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        found = self._velocities(marker, x, normal)
        if self.profile is not None:
            found = found * _parabola(marker, x, np.linalg.norm(out, axis=1).sum())[:, None]
        flow = flow_into(mesh, marker, nodes, found)
        if not flow > 0:
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
            if isinstance(given, tuple | list):
                given = [np.broadcast_to(part, len(x)) for part in given]
            made = np.array(given, float)
        except Exception as error:
            raise SettingsError(
                f"boundaries: velocity of inlet {marker!r} failed, {type(error).__name__}: "
                f"{error}; expected a function of the arrays x and y"
            ) from error
        if made.shape == (len(x),):
            made = -(made[:, None] * normal).T
        if made.shape != (2, len(x)) or not np.isfinite(made).all():
            raise SettingsError(
                f"boundaries: velocity of inlet {marker!r} gives {_shape(made)} at {len(x)} "
                f"places, expected finite speeds ({len(x)},) or components (2, {len(x)})"
            )
        return np.ascontiguousarray(made.T)


def flow_into(
    mesh: Any, marker: str, nodes: NDArray[np.int64], velocities: NDArray[np.float64]
) -> float:
    """Flow into the fluid across a marker of velocities (nodes, 2) at its sorted nodes."""
    edges = mesh.boundaries[marker]
    ends = velocities[np.searchsorted(nodes, edges)].sum(axis=1)
    return float(-0.5 * (ends * outward(mesh.points, edges)).sum())


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
