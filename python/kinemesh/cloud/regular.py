"""Regular clouds about sections: the points of an O-mesh's rays and rings, four satellites each.

Rings have an even number of points, so two colours paint the cloud (Zhang, Ma, Chen and Cao 2018,
section 3.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.cloud.checks import WORST_CONDITION
from kinemesh.cloud.cloud import Cloud
from kinemesh.cloud.satellites import condition_number
from kinemesh.errors import MeshError
from kinemesh.mesh.generate import omesh
from kinemesh.mesh.generate.rays import Wanted
from kinemesh.mesh.origin import of_section
from kinemesh.mesh.sections import named
from kinemesh.mesh.sections.section import Section
from kinemesh.sentences import NODES


@checks_names
def airfoil(
    section: str | Path | Section = "naca0012",
    points: int = 5120,
    far_field: float = 50.0,
    around: int | None = None,
    wall_spacing: float | None = None,
    growth: float | None = None,
    trailing_edge: str | None = None,
    trailing_spacing: float | None = None,
) -> Cloud:
    """A regular O-shaped cloud about a section of chord 1, nose at the origin.

    Parameters
    ----------
    section : name, coordinate file or Section
    points : int              wanted; the result is within 3 %
    far_field : float         radius of the outer circle about (0.5, 0) [chord]
    around : int              points on each ring, even; the default follows from the others
    wall_spacing, growth, trailing_edge, trailing_spacing    as for `kinemesh.mesh.airfoil`

    Returns
    -------
    Cloud    boundaries `airfoil` and `farfield`; points ring by ring from the wall, each ring
             from the ray of the trailing edge, counter-clockwise

    Raises
    ------
    MeshError    for arguments that no good cloud fulfils
    """
    with _of_points():
        wanted = Wanted(points, far_field, wall_spacing, growth, trailing_spacing, around)
    shape = section if isinstance(section, Section) else named.section(section, trailing_edge)
    with _of_points():
        place = omesh.structured(shape, wanted)
    number = np.arange(place.size, dtype=np.int32).reshape(place.shape)
    wall, outer = _ring(number[0]), _ring(number[-1])
    where = np.stack([place.real.ravel(), place.imag.ravel()], axis=1)
    return Cloud.from_pairs(
        where,
        np.concatenate([_ring(number), _steps(number), _at_edge(where, number)]),
        {"airfoil": wall[:, ::-1], "farfield": outer},
        origin=of_section(section, shape.notes),
    )


@contextmanager
def _of_points() -> Iterator[None]:
    """Turn errors of an O-mesh about nodes into errors about the cloud's points."""
    try:
        yield
    except MeshError as error:
        raise MeshError(error.said.renamed({NODES: "points"})) from None


def _at_edge(points: NDArray[np.float64], number: NDArray[np.int32]) -> NDArray[np.int32]:
    """(0 or 2, 2) pairs of a trailing edge so thin that its three satellites lie on a line.

    The second rays of the next ring lie above and below, and have the other colour.
    """
    edge = number[0, 0]
    arm = points[[number[0, 1], number[0, -1], number[1, 0]]] - points[edge]
    arm /= np.linalg.norm(arm, axis=1)[:, None]
    if condition_number((arm.T @ arm)[None])[0] <= WORST_CONDITION:
        return np.empty((0, 2), np.int32)
    return np.array([[edge, number[1, 2]], [edge, number[1, -2]]], np.int32)


def _ring(number: NDArray[np.int32]) -> NDArray[np.int32]:
    """(k, 2) pairs of neighbours along closed rings (..., around)."""
    return np.stack([number, np.roll(number, -1, axis=-1)], axis=-1).reshape(-1, 2)


def _steps(number: NDArray[np.int32]) -> NDArray[np.int32]:
    """(k, 2) pairs of neighbours along the rays of (rings, around)."""
    return np.stack([number[:-1], number[1:]], axis=-1).reshape(-1, 2)
