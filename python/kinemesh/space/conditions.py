"""Conditions at open boundaries that carry numbers: inlets and outlets of channels.

Numbers are over those of the stream: pressures over p_inf, temperatures over T_inf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.gas import GAMMA
from kinemesh.space.condition import Condition
from kinemesh.space.inflow import Inflow, Outflow, outward
from kinemesh.space.patches import KINDS, Patch

LEAST_INWARD = 0.1  # cosine of an inflow to the inward normal, 84 degrees


NAMES = {  # numbers that conditions have
    "outlet": ["pressure"],
    "inlet": ["total_pressure", "total_temperature", "alpha_deg", "velocity", "profile"],
}


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
    wrong = bool(gas) if velocity is not None else profile is not None or total_pressure is None
    if wrong:
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
            f"boundaries: {marker!r} is of kind {kind} with {unknown[0]!r}, expected {expected}"
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
    space : of the patches' nodes: `distinct` meshes, whom they are `alike`, `first` of each member
    """
    check_meetings(conditions, space.distinct)
    values: dict[str, dict[str, NDArray[np.float64]]] = {}
    for marker, own in conditions.items():
        _check_way(marker, own, space.distinct)
        patch, each = patches[own.kind], [np.unique(m.boundaries.get(marker, ())) for m in
                                          space.distinct]  # fmt: skip
        nodes = [first + each[of] for first, of in zip(space.first, space.alike.of, strict=False)]
        there = patch.places(np.concatenate(nodes).astype(int))
        for name, value in own.arrays().items():
            tables = values.setdefault(own.kind, {})
            tables.setdefault(name, np.zeros((len(patch), *value.shape)))[there] = value
    for kind, tables in values.items():
        for name, whole in tables.items():
            patches[kind].device[name] = backend.array(whole, np.float64)


def check_meetings(conditions: Mapping[str, Condition], meshes: Any) -> None:
    """SettingsError where two inlets, or two outlets, of other numbers share a node."""
    for mesh in meshes:
        owners: dict[tuple[str, int], str] = {}
        for marker, own in conditions.items():
            for node in np.unique(mesh.boundaries.get(marker, ())):
                other = owners.setdefault((own.kind, int(node)), marker)
                if other != marker and conditions[other] != own:
                    x, y = mesh.points[int(node)]
                    raise SettingsError(
                        f"boundaries: {own.kind}s {other!r} and {marker!r} have other numbers and "
                        f"meet at ({x:.4g}, {y:.4g}), where neither counts; leave a wall between, "
                        "or name them as one with a function"
                    )


def table_of(value: Any) -> Any:
    """A condition as a table of a case file; what is none as it is.

    Raises
    ------
    SettingsError    a velocity by a function, which no file holds
    """
    if not isinstance(value, Condition):
        return value
    if isinstance(value, Inflow) and callable(value.velocity):
        raise SettingsError(
            "boundaries: a case file holds no function; give it to km.Incompressible, or say a "
            "velocity with a profile"
        )
    return {"kind": value.kind, **value.numbers}


def _check_way(marker: str, own: Condition, meshes: Any) -> None:
    """SettingsError for an inlet whose angle does not lead into the fluid."""
    if not isinstance(own, Inlet) or own.alpha_deg is None:
        return
    way = own.arrays()["way"]
    for mesh in meshes:
        edges = mesh.boundaries.get(marker, np.zeros((0, 2), int))
        out = outward(mesh.points, edges)
        inward = -(out @ way) / np.linalg.norm(out, axis=1)
        if len(edges) and inward.min() < LEAST_INWARD:
            x, y = mesh.points[edges[inward.argmin()]].mean(axis=0)
            raise SettingsError(
                f"boundaries: inlet {marker!r} has alpha_deg = {own.alpha_deg:g}, which does not "
                f"lead into the fluid at ({x:.4g}, {y:.4g}); give the angle of the inflow to the x "
                "axis, or none for an inflow across the boundary"
            )
