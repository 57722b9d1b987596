"""Unit of lengths and times in figures: the chord, the diameter, the reference length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.extents import CHORD, is_round, longest

if TYPE_CHECKING:
    from kinemesh.results import Fields, Run
    from kinemesh.results.along_walls import Wall

SYMBOLS = {"chord": "c", "diameter": "d"}
ELL = r"\ell"  # of another unit
JOINT = 0.35  # share by which several bodies together may be longer than their chord


@dataclass(frozen=True, slots=True)
class Unit:
    """Unit in which figures tell lengths.

    Parameters
    ----------
    size : in lengths of the mesh
    word : "chord", "diameter", or what else it is
    """

    size: float = 1.0
    word: str = "chord"

    def axis(self, name: str) -> str:
        """Label of an axis of places: `$x/c$`, or that of x with what it is divided by."""
        return self.over(name) + self.told * (name == "x")

    def over(self, name: str) -> str:
        """A length over this unit: `$h/c$`."""
        return f"${name}/{SYMBOLS.get(self.word, ELL)}$"

    @property
    def told(self) -> str:
        """End of a label that says what lengths are divided by, unless the symbol does."""
        return "" if self.word in SYMBOLS else rf", $\ell$: {self.word}"

    def time(self, incompressible: bool) -> str:
        """Unit of times, as a label has it."""
        return f"{self.word}/U" if incompressible else rf"{self.word}/$a_\infty$"

    def of(self, flow: Fields) -> Fields:
        """A flow with its places and time in this unit; its vorticity has it in any mesh."""
        if self.size == 1.0:
            return flow
        return replace(flow, points=flow.points / self.size, time=flow.time / self.size)

    def of_walls(self, found: Mapping[str, Wall]) -> dict[str, Wall]:
        """Walls with their places in this unit."""
        return {
            name: replace(wall, x=wall.x / self.size, y=wall.y / self.size)
            for name, wall in found.items()
        }


CHORDS = Unit()


def unit_of(run: Run, flow: Fields) -> Unit:
    """Unit of the figures of a run in the plane, and of motions and times of all runs.

    The chord that the case has, else the length by which its numbers go: it is called a chord, of
    a round body a diameter, where a body is as long, or several bodies are about as long together.
    In space bodies are round whose sections are.
    """
    conditions = run.summary.get("conditions", {})
    given = conditions.get("chord")
    size = float(given or conditions.get("reference_length") or 1.0)
    if flow.points.shape[1] == 3:
        if all_round(flow, size):
            return Unit(size, "diameter")
        return Unit(size, "chord" if size == 1.0 else "reference length")
    bodies = list(_bodies(flow))
    each = [longest(points) / size for points in bodies]
    alike = [points for points, length in zip(bodies, each, strict=True) if abs(length - 1) < CHORD]
    if alike:
        return Unit(size, "diameter" if all(map(is_round, alike)) else "chord")
    if given or (len(bodies) > 1 and abs(longest(np.concatenate(bodies)) / size - 1) < JOINT):
        return Unit(size)
    return Unit(size, "reference length")


def all_round(flow: Fields, size: float) -> bool:
    """Return True of walls in space that are bodies with round sections of this diameter."""
    each = [flow.points[np.unique(flow.walls[rows])][:, [0, 2]] for rows in flow.bodies.values()
            if len(rows)]  # fmt: skip
    alike = [abs(np.ptp(points[:, 0]) / size - 1) < CHORD for points in each]
    return bool(each) and all(alike) and all(map(is_round, each))


def _bodies(flow: Fields) -> list[NDArray[np.float64]]:
    """Points of the bodies in a flow: closed walls with the fluid outside, or one open wall."""
    found = []
    for rows in flow.bodies.values():
        walls = flow.walls[rows]
        if not len(walls):
            continue
        a, b = flow.points[walls[:, 0]], flow.points[walls[:, 1]]
        closed = np.array_equal(np.sort(walls[:, 0]), np.sort(walls[:, 1]))
        area = float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())  # below 0: the fluid outside
        if area < 0 if closed else len(flow.bodies) == 1:
            found.append(flow.points[np.unique(walls)])
    return found
