"""Norms of the error of fields against an exact flow, over sizes of cells or time steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, did_you_mean
from kinemesh.mesh.kinds import OF_CORNERS
from kinemesh.mesh.polygons import polygon_areas
from kinemesh.mesh.solid_cells import volumes
from kinemesh.results.flow_fields import Fields
from kinemesh.study.alike import Chosen

Floats = NDArray[np.float64]
Exact = Callable[..., Mapping[str, Any]]
NORMS = ("L1", "L2", "Linf")
UNNAMED = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
TIMES = 1e-6  # relative; ends of runs by time, from sums of steps


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """One norm of the error of a field.

    Parameters
    ----------
    values : (runs,)       the finest first, in the units of the field
    orders : (runs - 1,)   of each run and the next coarser one; nan where an error is 0
    """

    values: Floats
    orders: Floats


def errors_of(every: Sequence[Chosen], sizes: Floats, exact: Exact) -> dict[str, Norm]:
    """Norms of errors at the end of runs, "Velocity L2" and the like.

    L1 is the mean of the size of the error, L2 the root of the mean of its square, each weighted by
    volume, and Linf the largest; of a vector by its length.  Hidden cells do not count.
    """
    if not callable(exact):
        raise CaseError(
            f"convergence: exact is {exact!r}, expected a function of points, or of points and "
            "time, that returns {name of a field: values}"
        )
    rows = [_of_run(own, exact) for own in every]
    names = [*rows[0]]
    for own, row in zip(every, rows, strict=True):
        if [*row] != names:
            raise CaseError(f"convergence: exact has {names}, and for {own.name} {[*row]}")
    found = {}
    for name in names:
        for norm in NORMS:
            values = np.array([row[name][norm] for row in rows])
            with np.errstate(divide="ignore", invalid="ignore"):
                orders = np.log(values[1:] / values[:-1]) / np.log(sizes[1:] / sizes[:-1])
            found[f"{name} {norm}"] = Norm(values, np.where(np.isfinite(orders), orders, np.nan))
    return found


def check_times(every: Sequence[Chosen]) -> None:
    """CaseError for runs by time that do not end at one time."""
    ends = [float(own.run.history.member(own.member)["time"][-1]) for own in every if own.by_time]
    if ends and np.ptp(ends) > TIMES * max(ends):
        raise CaseError(
            f"convergence: runs end at the times {', '.join(f'{t:.6g}' for t in ends)}, expected "
            "one; choose steps so that steps times time_step is equal"
        )


def rows_of(found: Mapping[str, Norm]) -> Iterator[tuple[Any, ...]]:
    """Rows of a table: norm, values, order of the finest two."""
    for name, norm in found.items():
        yield f"{name} error", *map(float, norm.values), float(norm.orders[0])


def _of_run(own: Chosen, exact: Exact) -> dict[str, dict[str, float]]:
    frame = own.run.fields(member=own.member if own.run.members > 1 else None)
    places = _centres(frame) if frame.on == "cells" else frame.points
    told = exact(*(places.copy(), frame.time)[: _asked(exact)])  # a copy, to do with as one likes
    if not isinstance(told, Mapping) or not told:
        raise CaseError(
            f"convergence: exact returned {type(told).__name__}, expected {{name of a field: "
            "values}, such as {'Pressure': p}"
        )
    weight = _weights(frame)
    return {name: _norms(frame, str(name), values, weight) for name, values in told.items()}


def _asked(exact: Exact) -> int:
    """How many of points and time a function takes; CaseError for one that takes others."""
    try:
        given = signature(exact)
        needed = [p for p in given.parameters.values() if p.default is p.empty]
        count = 2 if sum(p.kind not in UNNAMED for p in needed) > 1 else 1
        given.bind(*range(count))
    except (TypeError, ValueError) as error:
        raise CaseError(
            f"convergence: exact cannot be called with points, or points and time: {error}"
        ) from None
    return count


def _norms(frame: Fields, name: str, values: Any, weight: Floats) -> dict[str, float]:
    if name not in frame:
        hint = did_you_mean(name, frame, f"expected some of {', '.join(frame)}")
        raise CaseError(f"convergence: exact has {name!r}, which the fields have not{hint}")
    own = np.asarray(frame[name], float)
    try:
        given = np.asarray(values)
        given = given.astype(float) if given.dtype.kind in "iufb" else np.asarray(np.nan)
    except ValueError:  # rows of unequal length
        given = np.asarray(np.nan)
    if given.ndim == 0:
        given = np.full(len(own), float(given))
    columns = frame.points.shape[1]
    if own.ndim == 2 and given.shape == (len(own), columns):
        own = own[:, :columns]  # vectors of files have three components
    if given.shape != own.shape or not np.isfinite(given).all():
        raise CaseError(
            f"convergence: exact has {name!r} of shape {given.shape}, expected finite numbers of "
            f"shape {own.shape}"
        )
    away = np.abs(own - given) if own.ndim == 1 else np.linalg.norm(own - given, axis=1)
    total = weight.sum()
    mean, square = float((weight * away).sum() / total), float((weight * away**2).sum() / total)
    return {"L1": mean, "L2": float(np.sqrt(square)), "Linf": float(away[weight > 0].max())}


def _sizes(frame: Fields) -> Floats:
    """(cells,) areas or volumes."""
    cells, points = frame.cells, frame.points
    corners = (cells >= 0).sum(axis=1)
    found = np.zeros(len(cells))
    for count in np.unique(corners).tolist():
        own = corners == count
        table = cells[own, :count].astype(np.int32)
        found[own] = SIZES[points.shape[1]](points, table)
    return np.abs(found)


def _volumes(points: Floats, cells: NDArray[np.int32]) -> Floats:
    kind = OF_CORNERS[cells.shape[1]]
    return volumes(points, kind, cells[:, list(kind.to_vtk)])


SIZES = {2: polygon_areas, 3: _volumes}
"""Areas and volumes of cells of one kind."""


def _weights(frame: Fields) -> Floats:
    """(values,) volume of each cell, or of each node's shares of its cells, equal ones."""
    size = _sizes(frame)
    if frame.on == "cells":
        return size
    there = frame.cells >= 0
    share = np.repeat(size / there.sum(axis=1), there.sum(axis=1))
    return np.asarray(np.bincount(frame.cells[there], share, len(frame.points)), float)


def _centres(frame: Fields) -> Floats:
    """(cells, d) means of the corners of each cell."""
    there = (frame.cells >= 0)[:, :, None]
    return np.asarray((frame.points[frame.cells] * there).sum(axis=1) / there.sum(axis=1))
