"""Mach or Reynolds number and reference lengths of a case, of its file, or of its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.flow.door.viscosity import laws_of_keys


class Scales(NamedTuple):
    """Scales of the numbers of a case that have no unit.

    Parameters
    ----------
    chord, area, length : of the coefficients [lengths of the mesh]
    mach : (members,) of a gas; None of incompressible flow
    reynolds : (members,) of a viscous gas, of incompressible flow; None of an inviscid gas
    viscous : length that Reynolds numbers of a viscous gas refer to [lengths of the mesh], and its
        temperature [K]; None of all else
    """

    chord: float = 1.0
    area: float = 1.0
    length: float = 1.0
    mach: NDArray[np.float64] | None = None
    reynolds: NDArray[np.float64] | None = None
    viscous: tuple[float, float] | None = None

    def viscosity(self, sound_speed: float, metres: float) -> NDArray[np.float64] | None:
        """(members,) kinematic viscosity by which a viscous gas has its Reynolds numbers [m^2/s].

        Parameters
        ----------
        sound_speed : [m/s];  metres : in a length of the mesh
        """
        if self.viscous is None or self.mach is None or self.reynolds is None:
            return None
        mach, reynolds = np.broadcast_arrays(self.mach, self.reynolds)
        found: NDArray[np.float64] = mach * (sound_speed * self.viscous[0] * metres) / reynolds
        return found

    @staticmethod
    def one(values: NDArray[np.float64]) -> bool:
        """True where all members have one number."""
        return bool((values == values[0]).all())

    @classmethod
    def of(cls, case: Any) -> Scales:
        """Scales of a solver, of a case file's Case, or of a Run; None: 1.

        Raises
        ------
        SettingsError    what is none of these
        """
        if case is None:
            return cls()
        for read in (_of_run, _of_solver, _of_file):
            told = read(case)
            if told is not None:
                break
        if told is None or not {"mach", "reynolds"} & {n for n in told if told[n] is not None}:
            raise SettingsError(
                f"units: got {type(case).__name__}, expected a case, such as km.Ale(...) or "
                "km.cases.load(...), or its run"
            )
        chord, area, length = (float(told[n]) for n in ("chord", "area", "length"))
        mach, reynolds = (
            None if told.get(n) is None else np.atleast_1d(np.asarray(told[n], float))
            for n in ("mach", "reynolds")
        )
        laws = told.get("laws")
        viscous = None
        if laws is not None:
            viscous = float(laws["reynolds_length"]) * length, float(laws["temperature_k"])
        return cls(chord, area, length, mach, reynolds, viscous)


def _of_run(run: Any) -> dict[str, Any] | None:
    summary = getattr(run, "summary", None)
    told = summary.get("conditions") if isinstance(summary, Mapping) else None
    if not isinstance(told, Mapping):
        return None
    names = {"area": "reference_area", "length": "reference_length"}
    sizes = {name: told.get(key, 1.0) for name, key in names.items()}
    chord = told.get("chord")
    streams = {n: told.get(n) for n in ("mach", "reynolds")} | {"laws": told.get("viscosity")}
    return sizes | streams | {"chord": 1.0 if chord is None else chord}


def _of_solver(solver: Any) -> dict[str, Any] | None:
    streams, reference = (getattr(solver, n, None) for n in ("streams", "reference"))
    if not isinstance(streams, Mapping) or reference is None:
        return None
    chord = 1.0 if solver.chord is None else solver.chord
    area, length = reference
    laws = {"laws": solver.more.get("viscosity")}
    return {"chord": chord, "area": area, "length": length, **streams, **laws}


def _of_file(case: Any) -> dict[str, Any] | None:
    flow = getattr(case, "flow", None)
    if flow is None or not hasattr(flow, "references"):
        return None
    chord = case.chord()
    chord = 1.0 if chord is None else chord
    area, length = flow.references
    streams = {"mach": flow.mach, "reynolds": flow.reynolds}
    if flow.mach is not None and flow.reynolds is not None:
        given = {name: getattr(flow, name) for name in ("reynolds_length", "temperature_k")}
        made = laws_of_keys({"reynolds": flow.reynolds, **given})
        streams |= {"laws": made.told["viscosity"]}
    return {"chord": chord, "area": area, "length": length, **streams}
