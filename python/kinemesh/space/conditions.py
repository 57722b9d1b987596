"""Conditions at open boundaries that carry numbers: inlets and outlets of channels.

Numbers are over those of the stream: pressures over p_inf, temperatures over T_inf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.gas import GAMMA
from kinemesh.space.patches import KINDS, Patch

LEAST_INWARD = 0.1  # cosine of an inflow to the inward normal, 84 degrees


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition at the boundary, with its numbers."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            object.__setattr__(self, field.name, _number(self.kind, field.name, value))

    @property
    def numbers(self) -> dict[str, float]:
        """Numbers that are given, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if value is not None}

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Values at a node, by the names that kernels have for them."""
        raise NotImplementedError


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


@checks_names
def outlet(*, pressure: float) -> Outlet:
    """Outlet of a gas at a given static pressure (theory eq. 2.8c).

    Entropy, the invariant that leaves and the velocity along the boundary are those inside; where
    the gas leaves faster than sound, the pressure is too.

    Parameters
    ----------
    pressure : float    static pressure over that of the stream, p / p_inf

    Raises
    ------
    SettingsError    a number that is not above 0
    """
    return Outlet(pressure)


@checks_names
def inlet(
    *, total_pressure: float, total_temperature: float = 1.0, alpha_deg: float | None = None
) -> Inlet:
    """Inlet of a gas from a reservoir (theory eq. 2.8d), slower than sound.

    Parameters
    ----------
    total_pressure : float       p_0 / p_inf
    total_temperature : float    T_0 / T_inf
    alpha_deg : float            angle of the inflow to the x axis [deg]; None: across the boundary

    Raises
    ------
    SettingsError    a pressure or temperature that is not above 0
    """
    return Inlet(total_pressure, total_temperature, alpha_deg)


MAKERS = {"outlet": Outlet, "inlet": Inlet}


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
    names = [field.name for field in fields(MAKERS[kind])] if kind in MAKERS else []
    unknown = [name for name in table if name not in names]
    if unknown:
        expected = ", ".join(names) or "no numbers"
        raise SettingsError(
            f"boundaries: {marker!r} is an {kind} with {unknown[0]!r}, expected {expected}"
            f"{did_you_mean(unknown[0], names)}"
        )
    if kind not in MAKERS:
        return str(kind)
    needed = f"km.{kind}({names[0]}=...), in a case file {{ kind = '{kind}', {names[0]} = ... }}"
    if names[0] not in table:
        raise SettingsError(f"boundaries: {marker!r} is an {kind} without {names[0]}; say {needed}")
    made: Condition = MAKERS[kind](**table)
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


def numbers_of(conditions: Mapping[str, Condition]) -> dict[str, dict[str, float]]:
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


def _number(kind: str, name: str, value: Any) -> float:
    number = float(value) if isinstance(value, int | float | np.number) else float("nan")
    least = -np.inf if name == "alpha_deg" else 0.0
    if isinstance(value, bool) or not least < number < np.inf:
        raise SettingsError(
            f"{kind}: {name} is {value!r}, expected a "
            f"{'finite number' if name == 'alpha_deg' else 'number above 0'}"
        )
    return number
