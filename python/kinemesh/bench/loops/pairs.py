"""Rows of a derivative on a cloud, by points and by pairs of points: Table 1 of Zhang et al.

"Meshless dynamic cloud", section 3.4: on one core the loop over points takes 39 to 52 % more than
that over pairs, which threads cannot share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bench.ledger import Ledger
from kinemesh.bench.rows import Rows, Work
from kinemesh.bench.timing import recorded
from kinemesh.device.backend import Backend
from kinemesh.mesh.dual import dual

# Points and seconds of 50,000 derivatives by points and by pairs, on one core of a Xeon E5645.
PAPER = ((3142, 3.62, 2.60), (5557, 6.55, 4.62), (8993, 11.19, 7.59), (15198, 17.64, 11.58))
SIZES = tuple(points for points, *_ in PAPER)
TITLES = {"pairs-points": "derivative, by points", "pairs-pairs": "derivative, by pairs"}


class Derivative:
    """d/dx of a quantity at the nodes of an O-mesh, by least squares over the neighbours of each.

    Attributes
    ----------
    x : (points, 2)
    p, slope : (points,) on the device, the quantity and its derivative
    """

    def __init__(self, backend: Backend, points: int) -> None:
        from kinemesh.mesh import airfoil

        b = self.backend = backend
        mesh = airfoil("naca0012", nodes=points)
        own, n = dual(len(mesh.points), mesh.cells), len(mesh.points)
        self.x, self.p, self.slope = mesh.points, b.zeros(n), b.zeros(n)
        left, right = weights(mesh.points, own.lr)
        point = np.repeat(np.arange(n), np.diff(own.offsets))
        of = np.where(own.neighbour > point, left[own.edge], right[own.edge])
        self.fields = {
            "offsets": b.table(own.offsets),
            "neighbour": b.table(own.neighbour),
            "lr": b.table(own.lr),
            "first": b.table([0, len(own.lr)]),
            "weight": b.array(of, "real"),
            "weights": b.array(np.stack([left, right], axis=1), "real"),
            "own": b.array(-np.bincount(point, of, n), "real"),
            "p": self.p,
            "slope": self.slope,
        }

    def by_points(self) -> list[Any]:
        """Calls of the loop over points."""
        return [self._bind("derivative_by_points", "offsets", "neighbour", "weight", "own")]

    def by_pairs(self) -> list[Any]:
        """Calls of the loop over pairs, of one thread."""
        start = self._bind("derivative_start", "own")
        return [start, self._bind("derivative_by_pairs", "first", "lr", "weights")]

    def _bind(self, kernel: str, *names: str) -> Any:
        fields = {name: self.fields[name] for name in (*names, "p", "slope")}
        return self.backend.bind(kernel, **fields)


def weights(x: NDArray[np.float64], lr: NDArray[np.int32]) -> NDArray[np.float64]:
    """(2, pairs) weight of the right point in d/dx at the left one, and the other way round.

    Least squares with weights |d|^-2.
    """
    d = x[lr[:, 1]] - x[lr[:, 0]]
    w = 1.0 / (d * d).sum(axis=1)
    matrix = np.empty((3, len(x)))
    for k, (a, b) in enumerate(((0, 0), (0, 1), (1, 1))):
        part = w * d[:, a] * d[:, b]
        matrix[k] = sum(np.bincount(lr[:, side], part, len(x)) for side in (0, 1))
    _, xy, yy = matrix / (matrix[0] * matrix[2] - matrix[1] ** 2)
    both = [w * (yy[end] * d[:, 0] - xy[end] * d[:, 1]) for end in lr.T]
    return np.stack([both[0], -both[1]])


def rows(backend: Backend, points: int, *_: Any) -> Rows:
    """Rows of a derivative by points and by pairs, or why there are none."""
    if backend.on_gpu or backend.describe()["threads"] != 1:
        yield "pairs", "the loop over pairs is one thread's; --device cpu with OMP_NUM_THREADS=1"
        return
    ledger = Ledger()
    with ledger.watch():
        made = Derivative(backend, points)
        calls = {"pairs-points": made.by_points(), "pairs-pairs": made.by_pairs()}
    backend.put(made.p, np.sin(made.x[:, 0]))
    for name, some in calls.items():
        yield name, Work(recorded(backend, some), ledger.bytes(some), None, {"nodes": len(made.x)})


def report(figures: list[dict[str, Any]]) -> list[str]:
    """Lines on how much dearer the loop over points is, beside the paper's: processor time."""
    found: dict[int, dict[str, float]] = {}
    for figure in figures:
        if figure["row"] in TITLES:
            found.setdefault(figure["nodes"], {})[figure["row"]] = figure["process"]
    lines = []
    for nodes, seconds in found.items():
        points, by_points, by_pairs = min(PAPER, key=lambda known: abs(known[0] - nodes))
        ratio = seconds["pairs-points"] / seconds["pairs-pairs"]
        lines.append(
            f"{nodes} points: by points / by pairs {ratio:.2f} (Xeon E5645 in the paper, {points} "
            f"points: {by_points / by_pairs:.2f})"
        )
    return lines
