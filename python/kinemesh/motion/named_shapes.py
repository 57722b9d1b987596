"""Harmonic bending by shapes that case files name: those of a file, or of a clamped wing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.motion.beams import clamped_bending, clamped_torsion
from kinemesh.motion.law import Motion, Shape
from kinemesh.motion.modes import vibrate
from kinemesh.motion.numbers import several
from kinemesh.motion.shape_files import shapes_from

NAMED: Mapping[str, Callable[..., Shape]] = {"bending": clamped_bending, "torsion": clamped_torsion}
ABOUT = "torsion"  # the shape that turns about an axis


def vibration(
    *,
    file: str | None = None,
    shapes: Sequence[str] | str | None = None,
    span: float | None = None,
    about: Sequence[float] | None = None,
    amplitudes: Sequence[float] | float,
    k: Sequence[float] | float,
    phases_deg: Sequence[float] | float = 0.0,
    chord: float = 1.0,
    ramp: float = 0.0,
) -> Motion:
    """Harmonic bending of the arguments that case files state, as of `km.motion.vibrate`.

    Parameters
    ----------
    file : str              .npz or .csv of points and displacements, as of `km.motion.shapes_from`
    shapes : str            in its place "bending", "torsion" or both, first modes of a wing that
        is clamped at its root (`km.motion.clamped_bending`, `km.motion.clamped_torsion`)
    span : float            of such a wing, from root to tip [chord]
    about : (2,)            (x, z) of the axis of torsion, or (x, y, z); or [0.25, 0.0] [chord]
    amplitudes : float      of each shape; of bending the tip's displacement [chord], of torsion its
        angle, which is small [rad]
    k : float               reduced frequency omega chord / (2 u_inf), or one of each shape [-]
    phases_deg : float      phase at t = 0, or one of each shape [deg]
    chord : float           reference length of k
    ramp : float            as of `km.motion.pitch`
    """
    if (file is None) == (shapes is None):
        both = "both" if file is not None else "none"
        raise SettingsError(f"modes: {both} of file and shapes, expected one of the two")
    if file is not None:
        own = {n: v for n, v in {"span": span, "about": about}.items() if v is not None}
        if own:
            raise SettingsError(
                f"modes: {' and '.join(own)} have no meaning beside a file; remove them"
            )
        found: list[Shape] = [*shapes_from(file)]
    else:
        found = _of_names(shapes, span, about)
    sizes = _of_each("amplitudes", amplitudes, len(found), file)
    rates = _of_each("k", k, len(found), file, shared=True)
    phases = _of_each("phases_deg", phases_deg, len(found), file, shared=True)
    if len(set(rates)) == 1:
        return vibrate(found, sizes, rates[0], phases, chord, ramp)
    each = zip(found, sizes, rates, phases, strict=True)
    return reduce(
        add, [vibrate(shape, a, own, phase, chord, ramp) for shape, a, own, phase in each]
    )


def _of_names(shapes: Any, span: Any, about: Any) -> list[Shape]:
    """Shapes of a clamped wing by their names."""
    names = [shapes] if isinstance(shapes, str) else shapes
    if not isinstance(names, Sequence) or not names:
        raise SettingsError(f"modes: shapes = {shapes!r}, expected names such as {[*NAMED]}")
    for name in names:
        if name not in NAMED:
            hint = did_you_mean(name, NAMED)
            raise SettingsError(f"modes: no shape {name!r}, expected {' or '.join(NAMED)}{hint}")
        if names.count(name) > 1:
            raise SettingsError(f"modes: shape {name!r} stands twice; add up its amplitudes")
    if span is None:
        raise SettingsError("modes: shapes by name need span, the distance from root to tip")
    if about is not None and ABOUT not in names:
        raise SettingsError(f"modes: about = {about!r} has no meaning without {ABOUT!r}; remove it")
    axis = {} if about is None else {"about": about}
    return [NAMED[name](span, **(axis if name == ABOUT else {})) for name in names]


def _of_each(
    name: str, value: Any, count: int, file: str | None, shared: bool = False
) -> tuple[float, ...]:
    """Numbers of each shape; of one number for all, where shapes may share it, as many of it."""
    found = several("modes", name, value)
    if shared and len(found) == 1:
        return found * count
    if len(found) != count:
        of = "" if file is None else f" of {file}"
        raise SettingsError(
            f"modes: {name} = {value!r}, expected one for each of {count} shapes{of}; a shape that "
            "rests has amplitude 0"
        )
    return found
