"""Flutter of structures of modes: what is asked of the flow, and Q of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.cases.casefile import Case
from kinemesh.cases.overset_parts import Overset
from kinemesh.errors import CaseError
from kinemesh.flow import registry
from kinemesh.structure import Modes
from kinemesh.study.by_mode_pulse import AskedModes
from kinemesh.study.derivatives import above

STEPS = 8  # in a cycle of the largest k, of a mode that loads hardly change
BEYOND = 1.25  # largest k of Q over that of the highest mode without wind, at the first V*
DEFORM = "modal"


def asked_of(
    base: Case, k: NDArray[np.float64], mach: Any, amplitude_deg: Any, structure: Modes
) -> AskedModes:
    """Checked arguments of pulses of modes.

    Raises
    ------
    CaseError        a case of parts, or by a method whose meshes do not bend
    SettingsError    numbers out of their range; a Mach number at which mu is not given
    """
    if isinstance(base.mesh, Overset):
        raise CaseError(f"flutter: case '{base.name}' has parts; modes need one mesh, or one cloud")
    entry = registry.named(base.method)
    if DEFORM not in entry.deforms:
        raise CaseError(
            f"flutter: bodies bend by methods whose [deform] has '{DEFORM}', and "
            f"{base.method!r} has {', '.join(entry.deforms)}"
        )
    machs = above("mach", mach)
    if base.flow.mach is None and machs is not None:
        raise CaseError(f"flutter: method {base.method!r} has no Mach number; leave it out")
    if base.flow.mach is not None and machs is None:
        machs = (base.flow.mach,)
    for own in machs or (np.nan,):
        structure.at(own)
    size = (above("amplitude_deg", [amplitude_deg]) or (0.0,))[0]
    tables = base.tables()
    for name in ("motion", "structure"):
        tables.pop(name, None)
    tables |= {"mode": "unsteady", "deform": deform_of(tables.get("deform"))}
    job = {n: v for n, v in tables.get("run", {}).items() if n in ("device", "dtype")}
    tables["run"] = job | {"steps_per_cycle": STEPS}
    area, chord = base.flow.references
    return AskedModes(tables, Path.cwd(), chord, area, tuple(k.tolist()), machs, size, structure)


def deform_of(given: Any) -> dict[str, Any]:
    """Fields made once, whatever the case moves its mesh by: motions are small."""
    return dict(given) if given and given.get("method") == DEFORM else {"method": DEFORM}


def scaled(found: Any, structure: Modes) -> NDArray[np.complex128]:
    """(mach, k, n, n) Q of a Dataset of pulses, as the equation of motion takes it.

    Raises
    ------
    CaseError    no Q of modes, or of other shapes
    """
    if "Q" not in found or "area" not in found.attrs:
        raise CaseError(
            "flutter: the Dataset has no Q of modes; expected that of km.flutter(case, structure="
            "km.structure.Modes(...))"
        )
    there, own = list(found.attrs["shapes"]), structure.content
    if len(there) != len(own):
        raise CaseError(
            f"flutter: Q is of {len(there)} modes, and the structure has {len(own)} shapes"
        )
    other = [j + 1 for j, (a, b) in enumerate(zip(there, own, strict=True)) if a != b and a and b]
    if other:
        raise CaseError(
            f"flutter: Q is of another shape {other[0]}, {there[other[0] - 1]}, and the structure "
            f"has {own[other[0] - 1]}; run the flow of these shapes"
        )
    area, chord = float(found.attrs["area"]), float(found.attrs["chord"])
    size = np.pi * (chord / 2) ** 2 * area * chord / structure.volume
    return np.asarray(size * found["Q"].values)
