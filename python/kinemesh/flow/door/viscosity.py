"""Viscosity of a gas as users give it: Reynolds number, laws, walls (docs/theory.md, 9.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names, instance, numbers, real
from kinemesh.bodies.sliding import Sliding
from kinemesh.dimension import Dimension
from kinemesh.errors import SettingsError, shown
from kinemesh.flow.door import limits
from kinemesh.flow.door.arguments import gas_streams, within
from kinemesh.flow.door.sliding import checked
from kinemesh.flow.terms.turbulence import MODELS, model_of
from kinemesh.space.conditions.base import BODY, PLANE, Condition
from kinemesh.space.conditions.table import between_ends

SUTHERLAND = 110.4  # [K], of air
ADIABATIC = "adiabatic"
TURBULENCE = ("turbulence_drop", "unsteady_turbulence_drop")
KNOWN = {"linear_solver": "bicgstab", "face_loop": "store"}  # settings that viscous flow has
OF_EDDIES = {"turbulent_prandtl": 0.9, "nu_ratio": 3.0}
RANGES = {
    "reynolds_length": (1e-6, 1e6),
    "temperature_k": (50.0, 3000.0),
    "prandtl": (0.1, 100.0),
    "turbulent_prandtl": (0.1, 100.0),
    "nu_ratio": (3.0, 5.0),
}


@checks_names
@dataclass(frozen=True, kw_only=True, repr=False)
class Viscosity:
    """Laws of a viscous gas beside its Reynolds number and model of turbulence, for all members.

    They are the argument `viscosity` of `kinemesh.Ale`; without it all have their defaults.

    Parameters
    ----------
    reynolds_length : float    length of the Reynolds number [chord], 1e-6 to 1e6, default 1
    temperature_k : float      temperature of the stream, for Sutherland's law [K], 50 to 3000,
        default 288.15
    wall : "adiabatic" (default), or temperature of the walls over that of the stream, 0.1 to 10
    prandtl : float            Prandtl number of molecules [-], 0.1 to 100, default 0.72
    turbulent_prandtl : float  Prandtl number of eddies [-], 0.1 to 100, default 0.9; with a model
        of turbulence alone
    nu_ratio : float           nu~ of the stream over its kinematic viscosity [-], 3 (default) to 5;
        with a model of turbulence alone
    sliding : {marker of a wall: (x, y) or number}    velocities, over that of the stream, of walls
        that slide in themselves, in space (x, y, z); they turn with their body.  A number is the
        speed along a closed wall of the plane without corners, counter-clockwise

    Raises
    ------
    SettingsError    a number outside of its range, or what is no velocity of a wall
    """

    reynolds_length: float = 1.0
    temperature_k: float = 288.15
    wall: str | float = ADIABATIC
    prandtl: float = 0.72
    turbulent_prandtl: float | None = None
    nu_ratio: float | None = None
    sliding: Mapping[str, tuple[float, ...] | float] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        set_ = partial(object.__setattr__, self)
        if (word := _word(self.wall)) == ADIABATIC:
            set_("wall", word)
        else:
            expected = "'adiabatic', or a temperature over the stream's"
            set_("wall", _within("wall", self.wall, 0.1, 10.0, expected))
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if value is not None or name not in OF_EDDIES:
                set_(name, _within(name, value, low, high))
        set_("sliding", None if self.sliding is None else checked(self.sliding))

    def __repr__(self) -> str:
        own = {f.name: (f.default, getattr(self, f.name)) for f in fields(self)}
        given = [f"{name}={value!r}" for name, (usual, value) in own.items() if value != usual]
        return f"Viscosity({', '.join(given)})"


MOVED = {
    name: f"{name} is an argument of km.Viscosity: viscosity=km.Viscosity({name}=...)"
    for name in (own.name for own in fields(Viscosity))
}
"""Arguments that `kinemesh.Ale` once had, and where they stand now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inviscid:
    """Gas without viscosity, as its case asks of it what depends on viscosity.

    Attributes
    ----------
    viscous : False
    thin : whether cells are thin along walls, so that linear systems want lines and coarse levels
    length : that Reynolds numbers refer to [chord]
    turbulence : None, or the name of a model of turbulence
    told : for summaries and restarts
    small : arguments (name, value) of small cases of such a gas, on which memory is counted
    """

    viscous: ClassVar[bool] = False
    thin: ClassVar[bool] = False
    length: float = 1.0
    turbulence: str | None = None

    @property
    def told(self) -> dict[str, Any]:
        return {}

    @property
    def small(self) -> tuple[tuple[str, Any], ...]:
        return ()

    def complete(self, settings: Any, dimension: Dimension, double: bool, boundaries: Any) -> Any:
        """Settings with what follows from the gas, the dimension, the precision and the ends."""
        turbulent, ends = self.turbulence is not None, between_ends(boundaries)
        return settings.complete(self.viscous, dimension, double, turbulent, ends)

    def streams(self, given: Mapping[str, Any], members: int) -> dict[str, NDArray[np.float64]]:
        """(members,) numbers of the streams."""
        return gas_streams(given, members)

    def check(self, settings: Any) -> None:
        """SettingsError for a setting that the gas has not."""
        _refuse_laminar(settings)

    def check_walls(self, meshes: Sequence[Any], conditions: Mapping[str, Condition]) -> None:
        """SettingsError for a member without the walls that the gas needs."""

    def fit(self, grid: Any, by: str) -> None:
        """Fit gradients to volumes as the gas has them (`Volumes.fit`)."""
        grid.fit(by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laws(Inviscid):
    """Laws of a viscous gas as it is computed, the same for all members.

    Parameters
    ----------
    length : that Reynolds numbers refer to [chord]
    turbulence : None (laminar) or the name of a model, a key of `MODELS`
    temperature_k, wall, prandtl, turbulent_prandtl, nu_ratio : as of `Viscosity`
    sliding : as of `Viscosity`; empty: no wall slides
    """

    viscous: ClassVar[bool] = True
    thin: ClassVar[bool] = True
    temperature_k: float
    wall: str | float
    prandtl: float
    turbulent_prandtl: float
    nu_ratio: float
    sliding: Sliding = field(default_factory=dict, hash=False)

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
        """Numbers for summaries and restarts, by the names of arguments; of models of turbulence
        those that its own reads."""
        found = {own.name: getattr(self, own.name) for own in fields(self)}
        lost = {"sliding", *OF_EDDIES}.difference(model_of(self.turbulence).numbers)
        kept = {name: value for name, value in found.items() if name not in lost}
        return {"reynolds_length": kept.pop("length"), **kept}

    @property
    def told(self) -> dict[str, Any]:
        return {"viscosity": self.numbers} | ({"sliding": self.sliding} if self.sliding else {})

    @property
    def small(self) -> tuple[tuple[str, Any], ...]:
        return ("reynolds", 1e3), ("turbulence", self.turbulence)

    def streams(self, given: Mapping[str, Any], members: int) -> dict[str, NDArray[np.float64]]:
        found = gas_streams(given, members)
        reynolds = numbers(given["reynolds"], members, "reynolds", positive=True)
        within({"reynolds": limits.wrong_reynolds}, {"reynolds": reynolds})
        return {"mach": found.pop("mach"), "reynolds": reynolds, **found}

    def check(self, settings: Any) -> None:
        if self.turbulence is None:
            _refuse_laminar(settings)
        for name, known in KNOWN.items():
            if (value := getattr(settings, name)) != known:
                raise SettingsError(
                    f"{name} is {value!r}, which viscous flow has not; take {known!r}",
                    argument=name,
                )

    def check_walls(self, meshes: Sequence[Any], conditions: Mapping[str, Condition]) -> None:
        check_walls(meshes, conditions, self.turbulence is not None)

    def fit(self, grid: Any, by: str) -> None:
        grid.fit(by, steep=True)


INVISCID = Inviscid()


def _refuse_laminar(settings: Any) -> None:
    """SettingsError for settings of a model of turbulence, of a flow without one."""
    there = " or ".join(map(repr, MODELS))
    settings.unused(TURBULENCE, f"the flow has no turbulence, which is {there} where it has")


def laws_of(reynolds: Any, turbulence: Any, viscosity: Any) -> Inviscid:
    """Laws of the gas of a case by the arguments of its solver: `Laws`, or `INVISCID`.

    Raises
    ------
    SettingsError    an argument of another kind, an unknown model, or a number without effect
    """
    given = {"turbulence": turbulence, "viscosity": viscosity}
    model = _model(turbulence)
    wanted = "km.Viscosity(...), such as km.Viscosity(wall=1.2)"
    own = Viscosity() if viscosity is None else instance(viscosity, Viscosity, "viscosity", wanted)
    if reynolds is None:
        _refuse_inviscid(given)
        return INVISCID
    eddies = {name: getattr(own, name) for name in OF_EDDIES}
    for name, value in eddies.items():
        if value is not None and name not in model_of(model).numbers:
            where = "in a laminar flow" if model is None else f"with turbulence = {model!r}"
            which = [repr(other) for other, of in MODELS.items() if name in of.numbers]
            raise SettingsError(
                f"{name} is {shown(value)} and has no effect {where}; give "
                f"turbulence = {' or '.join(which)}, or leave it out",
                argument=name,
            )
        eddies[name] = OF_EDDIES[name] if value is None else value
    told = {name: getattr(own, name) for name in ("temperature_k", "wall", "prandtl")}
    slides = checked(own.sliding)
    return Laws(length=own.reynolds_length, turbulence=model, sliding=slides, **told, **eddies)


def _model(turbulence: Any) -> str | None:
    """The name of a model of turbulence; SettingsError for another one, of an inviscid gas too."""
    model = None if turbulence is None else _word(turbulence)
    if turbulence is not None and model not in MODELS:
        raise SettingsError(
            f"turbulence is {shown(turbulence)}, expected {_models()}; leave it out of a laminar "
            "or inviscid flow",
            argument="turbulence",
        )
    return model


def _models() -> str:
    """Models of turbulence in words."""
    return " or ".join(f"{name!r} ({model.words})" for name, model in MODELS.items())


def laws_of_keys(given: Mapping[str, Any]) -> Inviscid:
    """Laws of the gas of a case by keys of its file, None where they were left out."""
    said = {name: value for name, value in given.items() if value is not None}
    reynolds, turbulence = (said.pop(name, None) for name in ("reynolds", "turbulence"))
    if reynolds is None:
        _model(turbulence)
        _refuse_inviscid({"turbulence": turbulence, **said})
    return laws_of(reynolds, turbulence, Viscosity(**said) if said else None)


def _refuse_inviscid(given: Mapping[str, Any]) -> None:
    """SettingsError for the first argument that is there, without a Reynolds number."""
    for name, value in given.items():
        if value is not None:
            raise SettingsError(
                f"{name} is {shown(value)} and has no effect without reynolds, as the flow is "
                "inviscid; give reynolds, or leave it out",
                argument=name,
            )


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
