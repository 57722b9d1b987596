"""Conditions without numbers: walls, far field, planes of symmetry, rims of overset parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinemesh.space.conditions.base import (
    BODY,
    CLOUD,
    FACES,
    OUTER,
    PLANE,
    PROJECTION,
    RIM,
    Condition,
)


@dataclass(frozen=True, slots=True)
class Wall(Condition):
    """Wall of a body: slip of an inviscid gas, no slip of viscous flow."""

    kind: ClassVar[str] = "wall"
    role: ClassVar[str] = BODY
    families: ClassVar[tuple[str, ...]] = (FACES, CLOUD, PROJECTION)
    flux: ClassVar[str] = "wall"
    strong: ClassVar[str] = "no_slip"


@dataclass(frozen=True, slots=True)
class Far(Condition):
    """Far field, which the stream comes in and leaves through."""

    kind: ClassVar[str] = "far"
    role: ClassVar[str] = OUTER
    families: ClassVar[tuple[str, ...]] = (FACES, CLOUD, PROJECTION)
    flux: ClassVar[str] = "farfield"
    enters: ClassVar[bool] = True
    leaves: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Symmetry(Condition):
    """Plane that the flow does not cross and slips along; its pressures are no loads."""

    kind: ClassVar[str] = "symmetry"
    role: ClassVar[str] = PLANE
    families: ClassVar[tuple[str, ...]] = (FACES, CLOUD, PROJECTION)
    flux: ClassVar[str] = "wall"
    still: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Overset(Condition):
    """Rim of an overset part, where its values come from other parts."""

    kind: ClassVar[str] = "overset"
    role: ClassVar[str] = RIM
    families: ClassVar[tuple[str, ...]] = ()
