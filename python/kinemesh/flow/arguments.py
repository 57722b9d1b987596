"""Arguments of a case, checked before anything is built: streams, spaces, motions, states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import numbers, per_member
from kinemesh.errors import SettingsError, warn
from kinemesh.flow import limits
from kinemesh.mesh import Mesh
from kinemesh.mesh.fingerprint import fingerprint
from kinemesh.motion import Motion

if TYPE_CHECKING:
    from kinemesh.cloud.cloud import Cloud


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
    """One mesh or cloud per member, renumbered; SettingsError where one is neither.

    Members with equal meshes share one object.
    """
    given = per_member(value, members)
    wrong = [g for g in given if not isinstance(g, kind)]
    if wrong:
        raise SettingsError(
            f"{kind.__name__.lower()} is {wrong[0]!r}, expected a kinemesh {kind.__name__}: {hint}"
        )
    content, done, each = {}, {}, {id(g): g for g in given}
    for which, space in each.items():
        key = (fingerprint(space), *space.boundaries, space.origin) if len(each) > 1 else None
        content[which] = key
        if key not in done:
            done[key] = space.renumbered()
    return [done[content[id(g)]] for g in given]


def motions_of(value: Any, members: int, bodies: Sequence[tuple[int, str]]) -> list[Motion | None]:
    """Motion of each body (member, marker)."""
    given = per_member(value, members)
    there: list[list[str]] = [[] for _ in given]
    for member, marker in bodies:
        there[member].append(marker)
    for member, motion in enumerate(given):
        each = motion.values() if isinstance(motion, Mapping) else [motion]
        wrong = [m for m in each if m is not None and not isinstance(m, Motion)]
        if wrong:
            raise SettingsError(
                f"member {member}: motion is {wrong[0]!r}, expected one of kinemesh.motion, such "
                "as km.motion.pitch(amplitude_deg=2.5, k=0.08)"
            )
        unknown = set(motion) - set(there[member]) if isinstance(motion, Mapping) else set()
        if unknown:
            raise SettingsError(
                f"member {member}: motion of {sorted(unknown)}, expected bodies {there[member]}"
            )
    return [given[m].get(k) if isinstance(given[m], Mapping) else given[m] for m, k in bodies]


def check_vortex(
    far_field: str, mach: NDArray[np.float64], motions: Sequence[Motion | None]
) -> None:
    """SettingsError for the far vortex where it is not that of the flow."""
    if far_field != "vortex":
        return
    if (mach >= 1).any():
        raise SettingsError(
            f"far_field is 'vortex' at mach {mach.max():g}, expected a subsonic stream; "
            "use far_field='stream'"
        )
    if any(motion is not None for motion in motions):
        raise SettingsError(
            "far_field is 'vortex' with a motion, whose shed vorticity it leaves out; "
            "use far_field='stream' and a far field of 100 chords"
        )


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
