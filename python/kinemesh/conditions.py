"""What a case is told about its stream and its bodies, checked before anything is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kinemesh.errors import MeshError, SettingsError
from kinemesh.mesh import Mesh
from kinemesh.motion import Motion

if TYPE_CHECKING:
    from kinemesh.cloud.cloud import Cloud

FAR_NAMES = ("farfield", "far", "far_field")
PLANE_NAMES = ("symmetry", "symmetry_plane")


def is_several(value: Any) -> bool:
    """A sequence or array with one entry per member (a text is one value)."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
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


def walls_of(
    walls: Any, meshes: Sequence[Any], planes: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """Markers of bodies and of the far field; bodies are, by default, all not named like one.

    They are in the order of `walls`, or in that of the meshes where `walls` is a set or None.

    Parameters
    ----------
    planes : markers that are neither

    Raises
    ------
    MeshError    for unknown markers, and for walls that close round the far field
    """
    names = [n for n in _markers(meshes) if n not in planes]
    if walls is None:
        walls = [n for n in names if n.lower() not in FAR_NAMES]
    if not (is_several(walls) or isinstance(walls, set | frozenset)):
        raise SettingsError(f"walls is {walls!r}, expected a list of markers such as ['airfoil']")
    unknown = [w for w in walls if w not in names]
    if unknown:
        raise MeshError(f"walls has {unknown}, expected markers of the mesh: {names}")
    bodies = [n for n in names if n in walls] if isinstance(walls, set | frozenset) else list(walls)
    far = [n for n in names if n not in walls]
    for member, space in enumerate(meshes):
        _not_swapped(member, space, bodies, far)
    return bodies, far


def _not_swapped(member: int, space: Any, walls: Sequence[str], far: Sequence[str]) -> None:
    """MeshError where walls close round the far field.

    Of what hangs together, planes of symmetry left out, nothing but walls must reach as far as all
    of the far field in every direction.  A tunnel's walls hang together with its ends.
    """
    names = [n for n in (*walls, *far) if n in space.boundaries]
    if not set(walls) & set(names) or not set(far) & set(names):
        return
    facets: Any = np.concatenate([space.boundaries[n] for n in names])
    name = np.repeat(np.arange(len(names)), [len(space.boundaries[n]) for n in names])
    is_wall = np.isin(names, walls)[name]
    nodes, at = np.unique(facets, return_inverse=True)
    at = at.reshape(facets.shape)
    links = np.concatenate([at[:, k : k + 2] for k in range(at.shape[1] - 1)])
    graph = coo_array((np.ones(len(links)), links.T), shape=(len(nodes), len(nodes)))
    part = connected_components(graph, directed=False)[1][at[:, 0]]
    inner = _reach(space.points[facets[~is_wall]])
    for whole in np.setdiff1d(part[is_wall], part[~is_wall]):
        outer = _reach(space.points[facets[part == whole]])
        if (outer[0] <= inner[0]).all() and (outer[1] >= inner[1]).all():
            around = [names[k] for k in np.unique(name[part == whole])]
            raise MeshError(
                f"member {member}: walls {around} ({_told(outer)}) lie about the far field "
                f"{[n for n in names if n in far]} ({_told(inner)}), expected the far field about "
                "the walls; if they are swapped, name the bodies in walls"
            )


def _reach(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least and largest coordinates of points (..., d)."""
    flat = points.reshape(-1, points.shape[-1])
    return flat.min(axis=0), flat.max(axis=0)


def _told(reach: tuple[NDArray[np.float64], NDArray[np.float64]]) -> str:
    """Least and largest coordinates in words."""
    axes = zip("xyz", *reach, strict=False)
    return ", ".join(f"{name} {round(a, 9):.4g} to {round(b, 9):.4g}" for name, a, b in axes)


def _markers(spaces: Sequence[Any]) -> list[str]:
    """Markers of meshes or clouds, each once, in the order that these list them in."""
    return list(dict.fromkeys(name for space in spaces for name in space.boundaries))


def planes_of(symmetry: Any, clouds: Sequence[Any]) -> list[str]:
    """Markers of planes of symmetry: by default those named like one."""
    names = _markers(clouds)
    if symmetry is None:
        return [n for n in names if n.lower() in PLANE_NAMES]
    if not (is_several(symmetry) or isinstance(symmetry, set | frozenset)):
        raise SettingsError(f"symmetry is {symmetry!r}, expected a list of markers")
    unknown = [n for n in symmetry if n not in names]
    if unknown:
        raise MeshError(f"symmetry has {unknown}, expected markers of the cloud: {names}")
    return list(symmetry)


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
