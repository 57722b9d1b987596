"""Checks of a cloud of points, each with an error that names the first wrong point."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from kinemesh.cloud.satellites import centres, condition_numbers, first_unpaired
from kinemesh.errors import CloudError, MeshError
from kinemesh.mesh.edges import numbers
from kinemesh.mesh.facets import area_vectors

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

WORST_CONDITION = 500.0
FACETS = {2: "edges", 3: "triangles"}
OUTWARDS = {2: "the fluid on their left", 3: "area vectors out of it"}


def array(value: ArrayLike, name: str) -> NDArray:
    """An array of real numbers; CloudError if it is none."""
    try:
        return numbers(value, name)
    except MeshError as error:
        raise CloudError(str(error)) from error


def coordinates(value: ArrayLike, name: str) -> Floats:
    """(n, 2) or (n, 3) finite float64, frozen."""
    given = array(value, name)
    if given.ndim != 2 or given.shape[1] not in FACETS or not len(given):
        raise CloudError(f"{name} has shape {given.shape}, expected (points, 2) or (points, 3)")
    points = np.array(given, np.float64, order="C")
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(wrong):
        raise CloudError(
            f"{name}: point {wrong[0]} is at {points[wrong[0]].tolist()}, expected finite "
            f"coordinates: {len(wrong)} such point(s)"
        )
    points.setflags(write=False)
    return points


def indices(value: ArrayLike, shape: tuple[int | None, ...], points: int, name: str) -> Ints:
    """int32 point numbers of 0 to points - 1, frozen; None in `shape` is any length."""
    given = array(value, name)
    wanted = tuple("any" if n is None else n for n in shape)
    fits = given.ndim == len(shape) and all(
        n is None or n == m for n, m in zip(shape, given.shape, strict=True)
    )
    if not fits:
        raise CloudError(f"{name} has shape {given.shape}, expected {wanted}")
    if given.dtype.kind not in "iu":
        raise CloudError(f"{name} has dtype {given.dtype}, expected integers")
    if given.size and (given.min() < 0 or given.max() >= points):
        wrong = given[(given < 0) | (given >= points)][0]
        raise CloudError(f"{name} names point {wrong}, expected 0 to {points - 1}")
    result = np.array(given, np.int32, order="C")
    result.setflags(write=False)
    return result


def table(points: int, offsets: ArrayLike, satellites: ArrayLike) -> tuple[Ints, Ints]:
    """Check offsets and satellites: each point's ascend and exclude the point."""
    given = array(offsets, "offsets")
    if given.shape != (points + 1,) or given.dtype.kind not in "iu":
        raise CloudError(
            f"offsets has shape {given.shape} and dtype {given.dtype}, expected ({points + 1},) "
            "integers"
        )
    entries = array(satellites, "satellites").size
    if entries > np.iinfo(np.int32).max:
        raise CloudError(f"satellites has {entries} entries, more than int32 offsets reach")
    steps = np.diff(given.astype(np.int64))
    if given[0] != 0 or given[-1] != entries or (steps < 0).any():
        raise CloudError(f"offsets must ascend from 0 to the {entries} entries of satellites")
    start = np.array(given, np.int32)
    start.setflags(write=False)
    at = indices(satellites, (None,), points, "satellites")
    centre = centres(start)
    own = np.flatnonzero(centre == at)
    if len(own):
        raise CloudError(f"point {at[own[0]]} is its own satellite, expected others only")
    unsorted = np.flatnonzero((np.diff(at) <= 0) & (np.diff(centre) == 0))
    if len(unsorted):
        k = unsorted[0]
        raise CloudError(
            f"point {centre[k]}: satellite {at[k + 1]} follows {at[k]}, expected ascending "
            "numbers, each once"
        )
    return start, at


def facets(points: Floats, boundaries: Mapping[str, ArrayLike]) -> dict[str, Ints]:
    """Facets of each boundary, frozen; each facet once, with points that differ."""
    n, d = points.shape
    if not isinstance(boundaries, Mapping):
        raise CloudError(f"boundaries is {boundaries!r}, expected facets by name: {{'wall': ...}}")
    result: dict[str, Ints] = {}
    for name, value in boundaries.items():
        if not isinstance(name, str):
            raise CloudError(f"boundary {name!r}, expected a name such as 'airfoil'")
        given = indices(value, (None, d), n, f"boundary '{name}'")
        if not len(given):
            raise CloudError(f"boundary '{name}' has no {FACETS[d]}, expected at least one")
        result[name] = given
    _once(result, d)
    return result


def _once(boundaries: dict[str, Ints], d: int) -> None:
    """Refuse facets that name a point twice, or that are listed twice."""
    if not boundaries:
        return
    name = np.repeat(list(boundaries), [len(f) for f in boundaries.values()])
    whole = np.sort(np.concatenate(list(boundaries.values())), axis=1)
    flat = np.flatnonzero((np.diff(whole, axis=1) == 0).any(axis=1))
    if len(flat):
        raise CloudError(
            f"boundary '{name[flat[0]]}': facet {whole[flat[0]].tolist()} names a point twice"
        )
    order = np.lexsort(whole.T[::-1])
    twice = np.flatnonzero((np.diff(whole[order], axis=0) == 0).all(axis=1))
    if len(twice):
        a, b = order[twice[0]], order[twice[0] + 1]
        raise CloudError(
            f"facet {whole[a].tolist()} is in boundaries '{name[a]}' and '{name[b]}', expected "
            "each facet once"
        )


def closed(points: Floats, boundaries: dict[str, Ints]) -> None:
    """Refuse curves in the plane that end; one may go on in another boundary."""
    if boundaries:
        CLOSED[points.shape[1]](points, boundaries)


def _closed_curves(points: Floats, boundaries: dict[str, Ints]) -> None:
    degree = np.bincount(np.concatenate([f.ravel() for f in boundaries.values()]))
    ends = np.flatnonzero(degree % 2)
    if len(ends):
        i = int(ends[0])
        name = next(name for name, edges in boundaries.items() if (edges == i).any())
        raise CloudError(
            f"boundary '{name}' is not closed: it ends at point {i} at {_place(points, i)}, "
            f"expected closed curves, each of one boundary or of several: {len(ends)} such end(s); "
            "give the edges between them"
        )


CLOSED: dict[int, Callable[[Floats, dict[str, Ints]], None]] = {
    2: _closed_curves,
    3: lambda points, boundaries: None,
}


def apart(points: Floats) -> None:
    """Refuse two points at one place, or too close for the digits of their coordinates."""
    if len(points) < 2:
        raise CloudError("the cloud has one point, expected more")
    least = 8 * np.finfo(np.float64).eps * np.abs(points).max()
    distance, nearest = cKDTree(points).query(points, k=2, workers=-1)
    near = np.flatnonzero(distance[:, 1] <= least)
    if len(near):
        i = int(near[0])
        j = int(nearest[i, 0] if nearest[i, 0] != i else nearest[i, 1])
        raise CloudError(
            f"points {i} and {j} are both at {_place(points, i)}, expected points that differ: "
            f"{len(near)} point(s) with such a twin; remove one of each"
        )


def enough(points: Floats, offsets: Ints, boundaries: dict[str, Ints]) -> None:
    """Refuse points with fewer satellites than dimensions; the error names their boundary."""
    d = points.shape[1]
    few = np.flatnonzero(np.diff(offsets) < d)
    if not len(few):
        return
    i = int(few[0])
    on = [f"boundary '{name}'" for name, facets in boundaries.items() if (facets == i).any()]
    raise CloudError(
        f"point {i} at {_place(points, i)} ({on[0] if on else 'in the field'}) has "
        f"{offsets[i + 1] - offsets[i]} satellite(s), expected at least {d}: {len(few)} such "
        "point(s); give it more, or remove it"
    )


def paired(offsets: Ints, satellites: Ints) -> None:
    """Refuse a table that is not symmetric."""
    alone = first_unpaired(offsets, satellites)
    if alone:
        i, j = alone
        raise CloudError(
            f"point {j} is a satellite of point {i}, but {i} is none of {j}'s, expected a "
            "symmetric table: add it (Cloud.from_pairs does so)"
        )


def conditioned(points: Floats, offsets: Ints, satellites: Ints, worst: float) -> None:
    """Refuse points whose satellites do not fix the derivatives well."""
    value = condition_numbers(points, offsets, satellites)
    bad = np.flatnonzero(~(value <= limit(worst)))
    if len(bad):
        i = int(bad[np.argmax(value[bad])])
        raise CloudError(
            f"point {i} at {_place(points, i)}: its {offsets[i + 1] - offsets[i]} satellites give "
            f"a least-squares matrix of condition {value[i]:.3g}, expected at most {worst:g}: "
            f"{len(bad)} such point(s); give it satellites in other directions"
        )


def limit(worst: float) -> float:
    """A limit of condition numbers, checked."""
    if isinstance(worst, bool) or not isinstance(worst, int | float) or not worst >= 1.0:
        raise CloudError(f"worst_condition = {worst!r}, expected a number of at least 1")
    return worst


def facing(points: Floats, offsets: Ints, satellites: Ints, boundaries: dict[str, Ints]) -> None:
    """Refuse boundaries most of whose facets have the satellites on their outer side."""
    for name, facet in boundaries.items():
        out = area_vectors(points, facet)
        zero = np.flatnonzero(~(np.linalg.norm(out, axis=1) > 0))
        if len(zero):
            raise CloudError(f"boundary '{name}': facet {facet[zero[0]].tolist()} has no area")
        arm = points[satellites] - points[centres(offsets)]
        arm /= np.linalg.norm(arm, axis=1)[:, None]
        inward = np.add.reduceat(arm, offsets[:-1])
        side = np.einsum("kd,kd->k", out, inward[facet].sum(axis=1))
        if (side > 0).mean() > 0.5:
            raise CloudError(
                f"boundary '{name}' looks away from the fluid, expected {FACETS[points.shape[1]]} "
                f"with {OUTWARDS[points.shape[1]]}; reverse them"
            )


def numbering(value: ArrayLike | None, points: int) -> NDArray[np.int64]:
    """(points,) the user's numbers, each once."""
    given = np.arange(points) if value is None else array(value, "original")
    if given.shape != (points,) or given.dtype.kind not in "iu":
        raise CloudError(
            f"original has shape {given.shape} and dtype {given.dtype}, expected ({points},) "
            "integers"
        )
    if len(np.unique(given)) != points:
        raise CloudError("original names a point twice, expected each number once")
    result = np.array(given, np.int64)
    result.setflags(write=False)
    return result


def _place(points: Floats, i: int) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in points[i]) + ")"
