"""Does a line from a to b touch a facet?  In the plane an edge, in space a triangle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SLACK = 1e-10  # share of the lengths within which a line counts as touching


def crossed(a: Floats, b: Floats, corners: Floats) -> Bools:
    """(k,) of lines from a (k, d) to b (k, d) and facets (k, d, d); touching counts."""
    return CROSSED[a.shape[1]](a, b, corners)


def _edge_crossed(a: Floats, b: Floats, corners: Floats) -> Bools:
    """In the plane."""
    return edges_crossed(a, b, corners[:, 0], corners[:, 1])


def edges_crossed(a: Floats, b: Floats, p: Floats, q: Floats) -> Bools:
    """(k,) does the line a-b meet p-q, all (k, 2)?  Ends count; lines on top of another too."""
    line, edge = b - a, q - p
    slack = SLACK * np.linalg.norm(line, axis=1) * np.linalg.norm(edge, axis=1)
    at_a, at_b = _turn(edge, a - p), _turn(edge, b - p)
    at_p, at_q = _turn(line, p - a), _turn(line, q - a)
    meet = (np.minimum(at_a, at_b) <= slack) & (np.maximum(at_a, at_b) >= -slack)
    meet &= (np.minimum(at_p, at_q) <= slack) & (np.maximum(at_p, at_q) >= -slack)
    one_line = (np.abs([at_a, at_b, at_p, at_q]) <= slack).all(axis=0)
    length = np.einsum("kd,kd->k", line, line)
    along = [np.einsum("kd,kd->k", end - a, line) / length for end in (p, q)]
    overlap = (np.minimum(*along) <= 1 + SLACK) & (np.maximum(*along) >= -SLACK)
    return meet & (~one_line | overlap)


def _turn(a: Floats, b: Floats) -> Floats:
    """z of the cross product of plane vectors."""
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _triangle_crossed(a: Floats, b: Floats, corners: Floats) -> Bools:
    """(k,) Moeller and Trumbore's test, with slack on every side; lines in the plane pass.

    Most lines have both ends on one side of the plane: they are told first.
    """
    result = np.zeros(len(a), bool)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    start, stop = (np.einsum("kd,kd->k", normal, end - corners[:, 0]) for end in (a, b))
    size = np.linalg.norm(normal, axis=1)
    slack = 1e-8 * size * np.linalg.norm(b - a, axis=1)
    near = np.flatnonzero((np.minimum(start, stop) <= slack) & (np.maximum(start, stop) >= -slack))
    result[near] = _pierced(a[near], b[near], corners[near])
    return result


def _pierced(a: Floats, b: Floats, corners: Floats) -> Bools:
    """(k,) as `_triangle_crossed`, of lines whose ends are not both on one side."""
    line = b - a
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(line, two)
    scale = np.einsum("kd,kd->k", one, across)
    size = np.linalg.norm(one, axis=1) * np.linalg.norm(across, axis=1)
    flat = np.abs(scale) <= SLACK * size
    scale = np.where(flat, 1.0, scale)
    from_corner = a - corners[:, 0]
    u = np.einsum("kd,kd->k", from_corner, across) / scale
    turned = np.cross(from_corner, one)
    v = np.einsum("kd,kd->k", line, turned) / scale
    t = np.einsum("kd,kd->k", two, turned) / scale
    low = -np.sqrt(SLACK)
    return ~flat & (u >= low) & (v >= low) & (u + v <= 1 - low) & (t >= low) & (t <= 1 - low)


CROSSED = {2: _edge_crossed, 3: _triangle_crossed}
