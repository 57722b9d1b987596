"""Viscosity of a gas as users give it: Reynolds number, laws, walls (docs/theory.md, 9.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import numbers, real
from kinemesh.errors import SettingsError, shown
from kinemesh.flow.door import limits
from kinemesh.flow.door.arguments import gas_streams, within
from kinemesh.space.conditions.base import BODY, PLANE, Condition

SUTHERLAND = 110.4  # [K], of air
MODELS = ("sa",)
ADIABATIC = "adiabatic"
OF_EDDIES = ("turbulent_prandtl", "nu_ratio")
NAMES = (
    "reynolds", "reynolds_length", "turbulence", "temperature_k", "wall", "prandtl", *OF_EDDIES,
)  # fmt: skip
"""Arguments of a solver that are of viscosity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viscosity:
    """Laws of a viscous gas, the same for all members.

    Parameters
    ----------
    length : that Reynolds numbers refer to [chord]
    turbulence : None (laminar) or "sa", Spalart and Allmaras (1992)
    temperature_k : of the stream, for Sutherland's law [K]
    wall : "adiabatic", or temperature of the walls over that of the stream
    prandtl, turbulent_prandtl : of molecules, of eddies
    nu_ratio : nu~ of the stream over its kinematic viscosity
    """

    length: float = 1.0
    turbulence: str | None = None
    temperature_k: float = 288.15
    wall: str | float = ADIABATIC
    prandtl: float = 0.72
    turbulent_prandtl: float = 0.9
    nu_ratio: float = 3.0

    @property
    def law(self) -> float:
        """Sutherland's temperature over that of the stream."""
        return SUTHERLAND / self.temperature_k

    @property
    def wall_temperature(self) -> float:
        """Temperature of walls over that of the stream; 0 where no heat passes them."""
        return 0.0 if isinstance(self.wall, str) else self.wall

    @property
    def numbers(self) -> dict[str, Any]:
        """Numbers for summaries and restarts, by the names of arguments; without those of a model
        of turbulence where there is none."""
        found = {own.name: getattr(self, own.name) for own in fields(self)}
        lost = OF_EDDIES if self.turbulence is None else ()
        kept = {name: value for name, value in found.items() if name not in lost}
        return {"reynolds_length": kept.pop("length"), **kept}


def viscosity_of(given: Mapping[str, Any]) -> Viscosity | None:
    """Laws of the viscous gas of a case; None of an inviscid one.

    Parameters
    ----------
    given : arguments by their `NAMES`, None where they were left out

    Raises
    ------
    SettingsError    a number outside of its range, or one without effect
    """
    said = {name: value for name, value in given.items() if value is not None}
    if "reynolds" not in said:
        for name, value in said.items():
            raise SettingsError(
                f"{name} is {shown(value)} and has no effect without reynolds, as the flow is "
                "inviscid; give reynolds, or leave it out",
                argument=name,
            )
        return None
    del said["reynolds"]
    if "turbulence" in said:
        said["turbulence"] = _word(said["turbulence"])
        if said["turbulence"] not in MODELS:
            raise SettingsError(
                f"turbulence is {shown(given['turbulence'])}, expected 'sa' (Spalart and "
                "Allmaras); leave it out of a laminar flow",
                argument="turbulence",
            )
    for name in OF_EDDIES:
        if name in said and "turbulence" not in said:
            raise SettingsError(
                f"{name} is {shown(said[name])} and has no effect in a laminar flow; give "
                "turbulence = 'sa', or leave it out",
                argument=name,
            )
    wall = said.pop("wall", ADIABATIC)
    if (word := _word(wall)) == ADIABATIC:
        wall = word
    else:
        wall = _within("wall", wall, 0.1, 10.0, "'adiabatic', or a temperature over the stream's")
    ranges = {
        "reynolds_length": (1e-6, 1e6),
        "temperature_k": (50.0, 3000.0),
        "prandtl": (0.1, 100.0),
        "turbulent_prandtl": (0.1, 100.0),
        "nu_ratio": (3.0, 5.0),
    }
    for name, (low, high) in ranges.items():
        if name in said:
            said[name] = _within(name, said[name], low, high)
    length = said.pop("reynolds_length", 1.0)
    return Viscosity(length=length, wall=wall, **said)


def _word(value: Any) -> str | None:
    """The text, of numpy's own too; None of what is none, arrays among it."""
    return str(value) if isinstance(value, str) else None


def _within(name: str, value: Any, low: float, high: float, expected: str = "a number") -> float:
    """The number, if it lies between two."""
    try:
        found = real(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not low <= found <= high:
        raise SettingsError(
            f"{name} is {shown(value)}, expected {expected} of {low:g} to {high:g}", argument=name
        )
    return found


def viscous_streams(given: Mapping[str, Any], members: int) -> dict[str, NDArray[np.float64]]:
    """(members,) numbers of the streams of a viscous gas."""
    found = gas_streams(given, members)
    reynolds = numbers(given["reynolds"], members, "reynolds", positive=True)
    within({"reynolds": limits.wrong_reynolds}, {"reynolds": reynolds})
    return {"mach": found["mach"], "reynolds": reynolds, "alpha_deg": found["alpha_deg"]}


def check_walls(
    meshes: Sequence[Any], conditions: Mapping[str, Condition], turbulent: bool
) -> None:
    """SettingsError for a member without a wall that its gas sticks to.

    Laminar flow without any wall is taken, unless there is one that slips.

    Parameters
    ----------
    meshes : of each member;  conditions : at the boundary, by marker
    turbulent : whether a model of turbulence needs the distance to a wall
    """
    for member, mesh in enumerate(meshes):
        there = {m: own for m, own in conditions.items() if len(mesh.boundaries.get(m, ()))}
        walls = {m: own for m, own in there.items() if own.role == BODY}
        which = member if len(meshes) > 1 else None
        if loose := [marker for marker, own in walls.items() if not own.strong]:
            raise SettingsError(
                f"reynolds: bodies {loose} are of a kind that a viscous gas does not stick to; "
                "expected walls",
                member=which,
                argument="reynolds",
            )
        slips = [marker for marker, own in there.items() if own.role == PLANE]
        if not walls and (slips or turbulent):
            what = f"all walls slip ({slips})" if slips else "there is no wall"
            raise SettingsError(
                f"reynolds is given, and {what}; expected a wall that the gas sticks to"
                + (", whose distance the model of turbulence needs" if turbulent else ""),
                member=which,
                argument="reynolds",
            )
