"""Conditions at open boundaries that carry numbers: inlets and outlets of channels.

Numbers are over those of the stream: pressures over p_inf, temperatures over T_inf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names, is_several
from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.gas import GAMMA
from kinemesh.space.patches import KINDS, Patch

LEAST_INWARD = 0.1  # cosine of an inflow to the inward normal, 84 degrees


GAS, INCOMPRESSIBLE = "a gas", "incompressible flow"
PROFILES = ("parabolic",)
STRAIGHT = 1e-6  # distance of a parabola's nodes from a straight line, over its length
NAMES = {  # numbers that conditions have
    "outlet": ["pressure"],
    "inlet": ["total_pressure", "total_temperature", "alpha_deg", "velocity", "profile"],
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition at the boundary, with its numbers."""

    kind: ClassVar[str]
    flow: ClassVar[str] = GAS

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            object.__setattr__(self, field.name, _number(self.kind, field.name, value))

    @property
    def numbers(self) -> dict[str, Any]:
        """Numbers that are given, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if value is not None}

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Values at a node, by the names that kernels have for them; none of what has no kernel."""
        return {}


@dataclass(frozen=True, slots=True)
class Outlet(Condition):
    """Outflow to a given static pressure; see `outlet`."""

    kind: ClassVar[str] = "outlet"
    pressure: float

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        return {"back": np.array(self.pressure / GAMMA)}


@dataclass(frozen=True, slots=True)
class Inlet(Condition):
    """Inflow of a given total state; see `inlet`."""

    kind: ClassVar[str] = "inlet"
    total_pressure: float
    total_temperature: float = 1.0
    alpha_deg: float | None = None

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        way = np.zeros(2)
        if self.alpha_deg is not None:
            angle = np.radians(self.alpha_deg)
            way = np.array([np.cos(angle), np.sin(angle)])
        return {
            "total": np.array([self.total_pressure / GAMMA, self.total_temperature]),
            "way": way,
        }


@dataclass(frozen=True, slots=True)
class Outflow(Condition):
    """Open boundary of incompressible flow; see `outlet`."""

    kind: ClassVar[str] = "outlet"
    flow: ClassVar[str] = INCOMPRESSIBLE


@dataclass(frozen=True, slots=True)
class Inflow(Condition):
    """Inflow of a given velocity; see `inlet`."""

    kind: ClassVar[str] = "inlet"
    flow: ClassVar[str] = INCOMPRESSIBLE
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
            found = tuple(_finite("inlet", "velocity", value) for value in pair)
            object.__setattr__(self, "velocity", found if len(found) == 2 else found[0])
        if self.profile not in (None, *PROFILES):
            hint = did_you_mean(self.profile, PROFILES)
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
        told = getattr(given, "__name__", repr(given)) if callable(given) else given
        return {"velocity": told} | ({"profile": self.profile} if self.profile else {})

    def at(self, marker: str, mesh: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Nodes of a marker, and (nodes, 2) velocities there.

        Raises
        ------
        SettingsError    velocities that are no finite numbers of the right shape, or that lead
            out of the fluid; a parabola along a boundary that is not straight
        """
        edges = mesh.boundaries.get(marker, np.zeros((0, 2), np.int64))
        nodes, number = np.unique(edges, return_inverse=True)
        x, ends = mesh.points[nodes], mesh.points[edges]
        out = (ends[:, 1] - ends[:, 0]) @ np.array([[0.0, -1.0], [1.0, 0.0]])
        normal = np.zeros_like(x)
        np.add.at(normal, number.reshape(edges.shape).T, out)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        found = self._velocities(marker, x, normal)
        if self.profile is not None:
            found = found * _parabola(marker, x)[:, None]
        through = 0.5 * (found[number.reshape(edges.shape)].sum(axis=1) * out).sum()
        if len(edges) and not through < 0:
            raise SettingsError(
                f"boundaries: inlet {marker!r} has a flow of {-through:.4g} into the fluid, "
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
        made = np.asarray(self.velocity(x[:, 0].copy(), x[:, 1].copy()), float)
        if made.shape == (len(x),):
            made = -(made[:, None] * normal).T
        if made.shape != (2, len(x)) or not np.isfinite(made).all():
            raise SettingsError(
                f"boundaries: velocity of inlet {marker!r} gives {_shape(made)} at {len(x)} "
                f"places, expected finite speeds ({len(x)},) or components (2, {len(x)})"
            )
        return np.ascontiguousarray(made.T)


@checks_names
def outlet(*, pressure: float | None = None) -> Outlet | Outflow:
    """Outlet of a gas at a given static pressure (theory eq. 2.8c), or of incompressible flow.

    Entropy, the invariant that leaves and the velocity along the boundary are those inside; where
    the gas leaves faster than sound, the pressure is too.  Incompressible flow leaves without
    stress, at pressure 0.

    Parameters
    ----------
    pressure : float    of a gas, static over that of the stream, p / p_inf; None: incompressible

    Raises
    ------
    SettingsError    a number that is not above 0
    """
    return Outflow() if pressure is None else Outlet(pressure)


@checks_names
def inlet(
    *,
    total_pressure: float | None = None,
    total_temperature: float | None = None,
    alpha_deg: float | None = None,
    velocity: Any = None,
    profile: str | None = None,
) -> Inlet | Inflow:
    """Inlet of a gas from a reservoir (theory eq. 2.8d), or of incompressible flow.

    Parameters
    ----------
    total_pressure : float       p_0 / p_inf of a gas, which comes in slower than sound
    total_temperature : float    T_0 / T_inf of a gas; default 1
    alpha_deg : float            angle of a gas's inflow to the x axis [deg]; None: across the
        boundary
    velocity : float, (u, v) or callable    of incompressible flow: speed across the boundary, its
        components, or a function of the arrays x and y that gives speeds (n,) or components
        (2, n); in reference speeds U
    profile : "parabolic"        of incompressible flow: a parabola from end to end of a straight
        boundary, `velocity` its largest value

    Raises
    ------
    SettingsError    numbers of both kinds of flow, or of none; one outside of its range
    """
    gas = {"total_pressure": total_pressure, "total_temperature": total_temperature,
           "alpha_deg": alpha_deg}  # fmt: skip
    gas = {name: value for name, value in gas.items() if value is not None}
    if (velocity is None) == (total_pressure is None) or (gas and velocity is not None):
        raise SettingsError(
            "inlet: expected total_pressure (and total_temperature, alpha_deg) of a gas, or "
            "velocity (and profile) of incompressible flow"
        )
    return Inlet(**gas) if velocity is None else Inflow(velocity, profile)  # type: ignore[arg-type]


def condition_of(marker: str, value: Any) -> Condition | str:
    """The condition of a marker: a kind without numbers, a Condition, or a table of one.

    Raises
    ------
    SettingsError    an unknown kind, one whose numbers are missing, or unknown numbers
    """
    if isinstance(value, Condition):
        return value
    table = dict(value) if isinstance(value, Mapping) else {"kind": value}
    kind = table.pop("kind", None)
    kinds = [name for name in KINDS if name not in ("wall", "far")]
    if not isinstance(kind, str) or kind not in kinds:
        also = "; name walls in walls, the far field in far" if str(kind) in KINDS else ""
        raise SettingsError(
            f"boundaries: {marker!r} is {kind!r}, expected one of {', '.join(kinds)}{also}"
        )
    names = NAMES.get(kind, [])
    unknown = [name for name in table if name not in names]
    if unknown:
        expected = ", ".join(names) or "no numbers"
        raise SettingsError(
            f"boundaries: {marker!r} is an {kind} with {unknown[0]!r}, expected {expected}"
            f"{did_you_mean(unknown[0], names)}"
        )
    if kind not in NAMES:
        return str(kind)
    if kind == "inlet" and not {"total_pressure", "velocity"} & set(table):
        raise SettingsError(
            f"boundaries: {marker!r} is an inlet without numbers; say km.inlet(total_pressure=...) "
            "of a gas, km.inlet(velocity=...) of incompressible flow, in a case file "
            "{ kind = 'inlet', velocity = 1.0 }"
        )
    try:
        made: Condition = inlet(**table) if kind == "inlet" else outlet(**table)
    except SettingsError as error:
        raise SettingsError(f"boundaries: {marker!r}: {error}") from None
    return made


def conditions_of(boundaries: Any) -> dict[str, Condition]:
    """Conditions with numbers, by marker.

    Raises
    ------
    SettingsError    as of `condition_of`, and a back pressure that no inlet can flow against
    """
    every = {m: condition_of(m, value) for m, value in (boundaries or {}).items()}
    found = {marker: own for marker, own in every.items() if isinstance(own, Condition)}
    inlets = {m: own.total_pressure for m, own in found.items() if isinstance(own, Inlet)}
    for marker, own in found.items():
        if inlets and isinstance(own, Outlet) and own.pressure >= max(inlets.values()):
            source = max(inlets, key=lambda m: inlets[m])
            raise SettingsError(
                f"boundaries: the pressure of outlet {marker!r} is {own.pressure:g}, not below the "
                f"total pressure {inlets[source]:g} of inlet {source!r}, so that nothing flows "
                "out; both are over the stream's static pressure"
            )
    return found


def numbers_of(conditions: Mapping[str, Condition]) -> dict[str, dict[str, Any]]:
    """Numbers of each condition, by marker, for summaries and restarts."""
    return {marker: own.numbers for marker, own in conditions.items()}


def give(
    backend: Backend, patches: Mapping[str, Patch], space: Any, conditions: Mapping[str, Condition]
) -> None:
    """Put the numbers of conditions on the device, with the patches that they are of.

    Parameters
    ----------
    space : of the patches' nodes: `meshes`, and `first` node of each member
    """
    for kind in {own.kind for own in conditions.values()}:
        patch = patches[kind]
        place = {int(node): k for k, node in enumerate(patch.node)}
        values: dict[str, NDArray[np.float64]] = {}
        for marker, own in conditions.items():
            if own.kind != kind:
                continue
            _check_way(marker, own, space.meshes)
            there = [
                place[int(first) + int(node)]
                for mesh, first in zip(space.meshes, space.first, strict=False)
                for node in np.unique(mesh.boundaries.get(marker, ()))
            ]
            for name, value in own.arrays().items():
                whole = values.setdefault(name, np.zeros((len(patch), *value.shape)))
                whole[there] = value
        for name, whole in values.items():
            patch.device[name] = backend.array(whole, np.float64)


def _check_way(marker: str, own: Condition, meshes: Any) -> None:
    """SettingsError for an inlet whose angle does not lead into the fluid."""
    if not isinstance(own, Inlet) or own.alpha_deg is None:
        return
    way = own.arrays()["way"]
    for mesh in meshes:
        ends = mesh.points[mesh.boundaries.get(marker, np.zeros((0, 2), int))]
        dx, dy = (ends[:, 1] - ends[:, 0]).T
        inward = (way[1] * dx - way[0] * dy) / np.hypot(dx, dy)
        if len(ends) and inward.min() < LEAST_INWARD:
            x, y = ends[inward.argmin()].mean(axis=0)
            raise SettingsError(
                f"boundaries: inlet {marker!r} has alpha_deg = {own.alpha_deg:g}, which does not "
                f"lead into the fluid at ({x:.4g}, {y:.4g}); give the angle of the inflow to the x "
                "axis, or none for an inflow across the boundary"
            )


def _parabola(marker: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """(nodes,) 1 in the middle of a straight boundary, 0 at its ends."""
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
    s = (x - first) @ way / length**2
    found: NDArray[np.float64] = 4.0 * s * (1.0 - s)
    return found


def _shape(values: NDArray[np.float64]) -> str:
    return f"an array {values.shape}" if np.isfinite(values).all() else "values that are not finite"


def _finite(kind: str, name: str, value: Any) -> float:
    number = float(value) if isinstance(value, int | float | np.number) else float("nan")
    if isinstance(value, bool) or not np.isfinite(number):
        raise SettingsError(f"{kind}: {name} is {value!r}, expected a finite number")
    return number


def _number(kind: str, name: str, value: Any) -> float:
    if name == "alpha_deg":
        return _finite(kind, name, value)
    number = float(value) if isinstance(value, int | float | np.number) else float("nan")
    if isinstance(value, bool) or not 0.0 < number < np.inf:
        raise SettingsError(f"{kind}: {name} is {value!r}, expected a number above 0")
    return number
