"""What a case is told about its stream and its bodies, checked before anything is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh import limits
from kinemesh.errors import SettingsError, warn
from kinemesh.mesh import Mesh
from kinemesh.motion import Motion

if TYPE_CHECKING:
    from kinemesh.cloud.cloud import Cloud


def is_several(value: Any) -> bool:
    """A sequence, array or pandas Series with one entry per member (a text is one value)."""
    if hasattr(value, "__array__"):
        return np.ndim(value) > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def member_count(**values: Any) -> int:
    """Number of members: the longest sequence, all sequences being that long."""
    lengths = {name: len(v) for name, v in values.items() if is_several(v)}
    members = max(lengths.values(), default=1)
    for name, length in lengths.items():
        if length != members or not length:
            raise SettingsError(f"{name} has {length} entries, expected {members or 1} (members)")
    return members


def per_member(value: Any, members: int) -> list[Any]:
    """One value for every member, or the sequence that has one for each."""
    return list(value) if is_several(value) else [value] * members


def numbers(value: Any, members: int, name: str, positive: bool = False) -> NDArray[np.float64]:
    """(members,) finite numbers."""
    try:
        found = np.array([_real(v) for v in per_member(value, members)])
    except (TypeError, ValueError, OverflowError):
        found = np.array([np.nan])
    if (
        found.shape != (members,)
        or not np.isfinite(found).all()
        or (positive and not (found > 0).all())
    ):
        several = is_several(value)
        kind = "number above 0" if positive else "finite number"
        kind = kind.replace("number", "numbers") if several else f"a {kind}"
        raise SettingsError(f"{name} is {value!r}, expected {kind}")
    return found


def stream_of(
    mach: Any, alpha_deg: Any, members: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(members,) Mach numbers and angles [deg] of the streams; a doubtful Mach number is told."""
    machs = numbers(mach, members, "mach", positive=True)
    alphas = numbers(alpha_deg, members, "alpha_deg")
    limited = (("mach", machs, limits.wrong_mach), ("alpha_deg", alphas, limits.wrong_alpha))
    for name, values, wrong in limited:
        for member, value in enumerate(values):
            if wrong(value):
                which = f"member {member}: " if members > 1 else ""
                raise SettingsError(f"{which}{name} is {value:g}, {wrong(value)}")
    asked = limits.doubt(machs.max())
    if asked:
        warn(asked)
    return machs, alphas


def _real(value: Any) -> float:
    """A number; TypeError for texts, truth values and arrays, which float() would take."""
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "iufO":
        raise TypeError
    return float(value)


def meshes_of(value: Any, members: int) -> list[Mesh]:
    """One mesh per member, in an order that keeps neighbours close in memory."""
    hint = "read one with kinemesh.mesh.read or make one with kinemesh.mesh.airfoil"
    return _spaces(value, members, Mesh, hint)


def clouds_of(value: Any, members: int) -> list[Cloud]:
    """One cloud per member, in an order that keeps satellites close in memory."""
    from kinemesh.cloud.cloud import Cloud

    hint = (
        "make one with kinemesh.cloud.airfoil, Cloud.from_mesh, Cloud.from_points or Cloud.around"
    )
    clouds = _spaces(value, members, Cloud, hint)
    if len({c.points.shape[1] for c in clouds}) > 1:
        raise SettingsError(
            "clouds in the plane and in space, expected all members in one of the two"
        )
    return clouds


def _spaces(value: Any, members: int, kind: Any, hint: str) -> list[Any]:
    """One mesh or cloud per member, renumbered; SettingsError where one is neither."""
    given = per_member(value, members)
    wrong = [g for g in given if not isinstance(g, kind)]
    if wrong:
        raise SettingsError(
            f"{kind.__name__.lower()} is {wrong[0]!r}, expected a kinemesh {kind.__name__}: {hint}"
        )
    done = {id(g): g.renumbered() for g in given}
    return [done[id(g)] for g in given]


def motions_of(value: Any, members: int, bodies: Sequence[tuple[int, str]]) -> list[Motion | None]:
    """Motion of each body (member, marker)."""
    given = per_member(value, members)
    for member, motion in enumerate(given):
        each = motion.values() if isinstance(motion, Mapping) else [motion]
        wrong = [m for m in each if m is not None and not isinstance(m, Motion)]
        if wrong:
            raise SettingsError(
                f"member {member}: motion is {wrong[0]!r}, expected one of kinemesh.motion, such "
                "as km.motion.pitch(amplitude_deg=2.5, k=0.08)"
            )
        markers = [marker for m, marker in bodies if m == member]
        unknown = set(motion) - set(markers) if isinstance(motion, Mapping) else set()
        if unknown:
            raise SettingsError(
                f"member {member}: motion of {sorted(unknown)}, expected bodies {markers}"
            )
    return [given[m].get(k) if isinstance(given[m], Mapping) else given[m] for m, k in bodies]


def states_of(value: Any, nodes: int, variables: int = 4) -> NDArray:
    """(nodes, variables) finite primitive states."""
    states = np.asarray(value)
    names = "rho, u, v, p" if variables == 4 else "rho, u, v, w, p"
    wanted = (
        f"expected ({nodes}, {variables}) finite numbers ({names}), a row per node of the solver"
    )
    if states.shape != (nodes, variables) or states.dtype.kind not in "fiu":
        raise SettingsError(f"initial state: shape {states.shape} of {states.dtype}, {wanted}")
    wrong = np.flatnonzero(~np.isfinite(states).all(axis=1))
    if len(wrong):
        raise SettingsError(
            f"initial state: row {wrong[0]} is {states[wrong[0]].tolist()}, {wanted}: "
            f"{len(wrong)} such row(s)"
        )
    return states


def point_of(value: Any, name: str, axes: str = "x, y") -> tuple[float, float]:
    """A point of two coordinates."""
    try:
        x, y = (_real(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        x = y = np.nan
    if not np.isfinite([x, y]).all():
        raise SettingsError(f"{name} is {value!r}, expected a point ({axes}) [chord]")
    return x, y


def instance(value: Any, kind: type, name: str, example: str) -> Any:
    """The value, if it is of its kind."""
    if not isinstance(value, kind):
        raise SettingsError(f"{name} is {value!r}, expected {example}")
    return value


def time_steps(cycles: Any, steps_per_cycle: Any, time_step: Any, steps: Any) -> tuple[bool, int]:
    """Whether a run goes by cycles, and its number of physical steps; nonsense is refused."""
    by_cycles = cycles is not None and steps_per_cycle is not None
    by_time = time_step is not None and steps is not None
    none_of_other = (
        (time_step is None and steps is None)
        if by_cycles
        else (cycles is None and steps_per_cycle is None)
    )
    if by_cycles == by_time or not none_of_other:
        raise SettingsError(
            "an unsteady run needs cycles and steps_per_cycle, or time_step and steps; got "
            f"cycles={cycles}, steps_per_cycle={steps_per_cycle}, time_step={time_step}, "
            f"steps={steps}"
        )
    span, count = (cycles, steps_per_cycle) if by_cycles else (time_step, steps)
    if isinstance(span, int) and not isinstance(span, bool) and abs(span) < 2**53:
        span = float(span)
    least = 4 if by_cycles else 1
    real = isinstance(span, float | np.number)
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    whole = whole and least <= count < 2**31
    total = round(span * count) if by_cycles and real and whole and abs(span) < 1e9 else count
    if not real or not abs(span) < 1e9 or span <= 0 or not whole or total < 1:
        names = ("cycles", "steps_per_cycle") if by_cycles else ("time_step", "steps")
        raise SettingsError(
            f"{names[0]} is {span!r}, {names[1]} {count!r}; expected a positive number, and a "
            f"whole number of at least {least}, that make at least one step"
        )
    return by_cycles, int(total)
