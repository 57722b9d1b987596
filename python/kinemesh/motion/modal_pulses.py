"""Pulses of a body that bends: smooth motions of amplitudes of shapes, from rest to rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kinemesh.arguments import checks_names
from kinemesh.dimension import Dimension
from kinemesh.errors import SettingsError
from kinemesh.motion.law import Motion, Shape
from kinemesh.motion.modes import dimension_of_shapes, some_shapes
from kinemesh.motion.numbers import several
from kinemesh.motion.pose import Pose, Rate
from kinemesh.motion.pulses import check_times, risen


@dataclass(frozen=True, slots=True)
class ModalPulse(Motion):
    """amplitude_j sin^4(pi (s - start) / duration) of each shape, else 0."""

    adds_up: ClassVar[bool] = True
    by_shape: ClassVar[tuple[str, ...]] = ("amplitudes", "shapes")
    amplitudes: tuple[float, ...]
    shapes: tuple[Shape, ...] = field(default=(), repr=False)
    duration: float = 6.0
    start: float = 0.0
    chord: float = 1.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "shapes", some_shapes("modal_pulse", self.shapes))
        sizes = several("modal_pulse", "amplitudes", self.amplitudes)
        put(self, "amplitudes", sizes)
        check_times(self, "modal_pulse")
        if len(sizes) != len(self.shapes):
            raise SettingsError(
                f"modal_pulse: {len(sizes)} amplitudes, expected one for each of "
                f"{len(self.shapes)} shapes; a shape that rests has amplitude 0"
            )
        if not any(sizes):
            raise SettingsError("modal_pulse: all amplitudes are 0, expected one other than 0")

    def omega(self, u_inf: float) -> None:
        return None

    def pose(self, t: float, u_inf: float) -> Pose:
        part = risen(self, t, u_inf)[0]
        return Pose(modes=tuple(a * part for a in self.amplitudes))

    def rate(self, t: float, u_inf: float) -> Rate:
        part = risen(self, t, u_inf)[1]
        return Rate(modes=tuple(a * part for a in self.amplitudes))

    @property
    def dimension(self) -> Dimension:
        return dimension_of_shapes(self.shapes)


@checks_names
def modal_pulse(
    shapes: Shape | Sequence[Shape],
    amplitudes: Sequence[float] | float,
    duration: float = 6.0,
    start: float = 0.0,
    chord: float = 1.0,
) -> ModalPulse:
    """Smooth pulse of the amplitudes of shapes: A_j sin^4, then rest; it has no period.

    Times are reduced, u_inf t / chord, as of `km.motion.pulse`.

    Parameters
    ----------
    shapes : callables    as of `km.motion.modes`
    amplitudes : (n,)     largest amplitude of each shape, or one number of one shape [-]
    duration : float      reduced time from rest to rest
    start : float         reduced time at which it begins
    chord : float         reference length of the reduced times

    Raises
    ------
    SettingsError    other amplitudes than shapes, or none above 0; numbers out of their range
    """
    found = some_shapes("modal_pulse", shapes)
    return ModalPulse(several("modal_pulse", "amplitudes", amplitudes), found, duration, start,
                      chord)  # fmt: skip
