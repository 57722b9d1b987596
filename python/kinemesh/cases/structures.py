"""[structure] of a case file, as a frozen dataclass that refuses nonsense."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinemesh.cases.values import choice, in_section
from kinemesh.errors import CaseError
from kinemesh.sentences import Place
from kinemesh.structure import Cylinder, Modes, Springs, TypicalSection

Each = float | Sequence[float] | Mapping[str, float]  # one for all, a list, or by name
FILE = "file"
OF_ALL = ("kind", "speed_range")  # keys of no structure itself
KICK = "kick"
KINDS: dict[str, Callable[..., Any]] = {
    "typical-section": TypicalSection,
    "modes": Modes.read,
    "cylinder": Cylinder,
    "springs": Springs,
}
FREE = ("cylinder", "springs")  # kinds that free the body of a run without a speed index
NEEDS = {
    "typical-section": ("mu", "a", "x_alpha", "r2_alpha", "omega_ratio"),
    "modes": (FILE, "mu", "frequencies", "masses", "volume", "reference"),
    "cylinder": ("mass_ratio",),
    "springs": (),
}
MAY = {
    "typical-section": ("damping", "speed_index", "cubic_h", "cubic_alpha", KICK),
    "modes": ("damping", "mach", "speed_index", KICK),
    "cylinder": ("reduced_velocity", "zeta", KICK),
    "springs": (
        "mass",
        "inertia",
        "stiffness",
        "damping",
        "free",
        "pivot",
        "centre",
        "cubic",
        KICK,
    ),
}
"""Structures by their kinds, and the keys that each needs and may have."""


@dataclass(frozen=True, slots=True)
class StructurePart:
    """Structure on which the body stands; in runs with a speed index, else in `kinemesh flutter`
    alone."""

    kind: str  # typical-section, modes, cylinder or springs
    mu: float | Sequence[float] | None = None  # mass ratio m / (rho V) [-]; V is pi b^2, or volume
    a: float | None = None  # of a section: elastic axis behind the middle of the chord [b]
    x_alpha: float | None = None  # of a section: centre of mass behind the axis [b]
    r2_alpha: float | None = None  # of it: squared radius of gyration about the axis [b^2]
    omega_ratio: float | None = None  # of it: omega_h / omega_alpha, of plunge and pitch alone [-]
    file: str | None = None  # of modes: .npz or .csv of their shapes, as of [motion] modes
    frequencies: Sequence[float] | None = None  # of modes: each without wind, in any unit
    masses: Sequence[float] | None = None  # integrals of |shape|^2 over the mass, over it [chord^2]
    volume: float | None = None  # of modes: V of mu [chord^3, of a section chord^2]
    reference: float | None = None  # of modes: omega_alpha of the speed index, as frequencies
    damping: Each | None = None  # structural g, of modes also one each; of springs c; or 0
    mach: Sequence[float] | None = None  # of several mu; between these ln mu is linear
    speed_index: float | None = None  # V* of a run, in place of a [motion] [-]
    kick: Mapping[str, Any] | None = None  # { mode = 1, angle_deg = 0.5 }, or shift or amplitude
    mass_ratio: float | None = None  # of a cylinder: m / (rho pi D^2 / 4) [-]; 0 with no spring
    reduced_velocity: float | None = None  # of it: U / (f_n D) [-]; or no spring
    zeta: float | None = None  # of it: share of critical damping [-]; or 0
    cubic_h: float | None = None  # of a section: beta of h / b + beta (h / b)^3 [-]; or 0
    cubic_alpha: float | None = None  # of it: beta of alpha + beta alpha^3 [1 / rad^2]; or 0
    free: Sequence[str] | None = None  # of springs: of x, y, angle; or ["y", "angle"]
    mass: float | None = None  # of springs: m / (rho L^2), L the reference length [-]
    inertia: float | None = None  # of springs: about the pivot, over rho L^4 [-]
    stiffness: Each | None = None  # of springs: k / (rho U^2), of the angle over L^2 too; or 0
    pivot: Sequence[float] | None = None  # of springs: [x, y] of the axis [L]; or [0.25, 0.0]
    centre: Sequence[float] | None = None  # of springs: [x, y] of the centre of mass; or pivot [L]
    cubic: Each | None = None  # of springs: k3 of k q + k3 q^3, of shifts over rho U^2 / L^2; or 0
    speed_range: Sequence[float] | None = None  # V* of flutter, [first, last]; or [0.3, 3]

    def __post_init__(self) -> None:
        choice(Place("structure", "kind"), self.kind, tuple(KINDS))
        given = [n for n in self.__slots__ if n not in OF_ALL and getattr(self, n) is not None]
        needs, known = NEEDS[self.kind], (*NEEDS[self.kind], *MAY[self.kind])
        if lost := [name for name in given if name not in known]:
            raise CaseError(
                Place("structure"),
                f" is of kind '{self.kind}', so {', '.join(lost)} has no meaning; expected "
                f"{', '.join(known)}",
            )
        if missing := [name for name in needs if name not in given]:
            raise CaseError(Place("structure"), f" lacks {', '.join(missing)}")
        if self.kind == "modes" and (not isinstance(self.file, str) or not self.file):
            raise CaseError(Place("structure", FILE), f" = {self.file!r}, expected a file name")
        if self.speed_range is not None:
            self._check_speeds(self.speed_range)
        self._check_kick(self.build())

    @property
    def frees(self) -> bool:
        """True where the body of a run stands on the structure."""
        return self.kind in FREE or self.speed_index is not None

    def _check_kick(self, made: Any) -> None:
        """CaseError for a kick of no run, or one that the structure has not."""
        if self.kick is None:
            return
        if not self.frees:
            raise CaseError(
                Place("structure", KICK), " is of a run, expected speed_index beside it"
            )
        with in_section(Place("structure")):
            speed = (getattr(made, "mach", None) or (1.0,))[0]  # at which its mass is known
            made.coordinates(speed, 1.0).kicked(self.kick, 1.0)

    def _check_speeds(self, given: Any) -> None:
        """CaseError for what is no two numbers above 0, the first below the last."""
        numbers = given if isinstance(given, list | tuple) else ()
        good = all(isinstance(v, int | float) and not isinstance(v, bool) for v in numbers)
        if len(numbers) != 2 or not good or not 0 < numbers[0] < numbers[1]:
            raise CaseError(
                Place("structure", "speed_range"),
                f" = {given!r}, expected two numbers above 0, the first below the last",
            )

    def build(self) -> Any:
        """The structure; SettingsError for numbers that make none."""
        with in_section(Place("structure")):
            names = [n for n in (*NEEDS[self.kind], *MAY[self.kind]) if n != KICK]
            made = {n: getattr(self, n) for n in names if getattr(self, n) is not None}
            return KINDS[self.kind](**made)


def located(table: Mapping[str, Any], folder: str | Path) -> dict[str, Any]:
    """Table of a structure whose file's name starts at a folder."""
    made = dict(table)
    if isinstance(made.get(FILE), str) and made[FILE]:
        made[FILE] = str((Path(folder) / made[FILE]).absolute())
    return made
