"""The pressure of overset parts by multiplicative Schwarz, to compare the composite solve with.

Chandar, Sitaraman and Mavriplis (ICCFD7-1202, 2012), section 5: each part is solved for on its own
by BiCGSTAB without a preconditioner, its receptors as the donors have them, then the next part,
until every solve ends in its first iteration; with the last tolerance throughout, or with one that
falls, eps = b + a tanh(beta T).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import tanh
from typing import Any, NamedTuple, TextIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.bench import steps
from kinemesh.bench.timing import clock, surroundings
from kinemesh.device.backend import Backend
from kinemesh.errors import NumericalFault, SettingsError
from kinemesh.flow.incompressible import Incompressible
from kinemesh.flow.projection.laplacian import graph_of
from kinemesh.flow.projection.laplacians import laplacians
from kinemesh.linear import Pattern
from kinemesh.linear.outer import ScalarSolver
from kinemesh.linear.stack import Alike

Floats = NDArray[np.float64]
FIRST = 0.1  # tolerance that falling ones begin with
MOST = 20_000  # iterations of the solve of a part
AT_ONCE = 50  # iterations between two looks at who goes on


class Law(NamedTuple):
    """A tolerance by the number T of its step: `last` in the end, after `steps`, 0: at once."""

    last: float
    steps: int = 0
    beta: float = 0.0

    def at(self, number: int) -> float:
        """eps of step T."""
        if number >= self.steps:
            return self.last
        return FIRST + (self.last - FIRST) * tanh(self.beta * number) / tanh(self.beta * self.steps)


TABLES = {1: (Law(1e-4, 20, 0.3), Law(1e-4)), 2: (Law(1e-5, 100, 0.05), Law(1e-5))}
"""P3's tables 1 and 2: the tolerance that falls, and the constant one."""


class Plain(ScalarSolver):
    """BiCGSTAB without a preconditioner, of parts one by one.

    Attributes
    ----------
    base_squares : (parts,) device array, squares that tolerances are shares of
    """

    def _levels(self, matrix: sp.csr_matrix) -> None:
        del matrix  # no hierarchy

    def _precondition(self, *_: Any) -> None:
        self.refresh = self.backend.record([])

    def _preconditioned(self, v: Any, y: Any) -> list[Any]:
        """Calls y = v, without a preconditioner: a product in which no row is field."""
        zeros, rows = self.backend.zeros, v.shape[0]
        names = ("row", "column", "member")
        tables = {name: self.tables[name] for name in names}
        return [
            self._bind(
                "composite_product", **tables, live=self.live, matrix=self.A,
                status=zeros(rows, np.int32), donor=zeros((rows, 4), np.int32),
                weight=zeros((rows, 4), np.float64), share=None, lack=None, x=v, y=y,
            )
        ]  # fmt: skip

    def _first(self, r: Any, tolerance: Any, base: Any = None) -> Any:
        del base
        return super()._first(r, tolerance, self.base_squares)


class Count(NamedTuple):
    """Cost of a solution: BiCGSTAB iterations, their seconds, solves of a part, and |r|/|b|."""

    iterations: int
    seconds: float
    solves: int
    left: float


class Composite(NamedTuple):
    """Matrix D^-1 K of the field nodes of a member's parts, right-hand side, and donors."""

    A: sp.csr_matrix
    b: Floats
    part: NDArray[np.int32]
    solved: NDArray[np.bool_]
    receptor: NDArray[np.bool_]
    donor: NDArray[np.int32]
    weight: Floats
    matrices: list[sp.csr_matrix]

    def exchanged(self, x: Floats, of: NDArray[np.bool_] | bool = True) -> Floats:
        """x with the receptors `of` as their donors have it."""
        at = np.flatnonzero(self.receptor & of)
        x = x.copy()
        x[at] = (self.weight[at] * x[self.donor[at]]).sum(axis=1)
        return x

    def residual(self, x: Floats) -> Floats:
        """b - A x in the nodes that are solved for, else zero."""
        return np.where(self.solved, self.b - self.A @ x, 0.0)

    def left(self, x: Floats) -> float:
        """|b - A x| / |b|."""
        return float(np.linalg.norm(self.residual(x)) / np.linalg.norm(self.b))


def composite(case: Incompressible) -> Composite:
    """The pressure's system of the last step of a case of one member."""
    made, get, mesh = case.projection, case.backend.get, case.grid.meshes[0]
    link = case.donors
    assert link is not None  # the case is one of `steps`
    K = (-laplacians(case.grid)[0]).tocsr()
    A = sp.diags(1 / K.diagonal()) @ K
    status, x = get(link.status), get(made.pressure.x)[:, 0]
    solved = (status == 1) & ~made.flow.open
    parts = [slice(*mesh.first[k : k + 2]) for k in range(len(mesh.names))]
    matrices = [K[own, own].tocsr() for own in parts]
    whole = A.tocsr(), np.zeros(len(x)), mesh.part, solved, status == -1
    found = Composite(*whole, get(link.donor), get(link.weight), matrices)
    return found._replace(b=-found.residual(found.exchanged(x)))


FORMAT = "kinemesh-schwarz-1"
HEAD = "| to | nodes | solution | iterations | s | solves of a part | left, of the side |"
WAYS = ("part by part, falling tolerance", "part by part, constant tolerance")


def figures(
    backend: Backend, nodes: int, make: Callable[[int], steps.Pair]
) -> Iterator[dict[str, Any]]:
    """Cost of each way of solution, in both tables of P3, at about `nodes` nodes.

    make : both parts with about so many nodes
    """
    pair = make(nodes)
    if not pair:
        least = f"{steps.LEAST}, in space {steps.LEAST_SPACE}"
        raise SettingsError(f"sizes: {nodes}, expected at least {least} with --schwarz")
    for table, laws in TABLES.items():
        case = steps.plunging(backend, pair, 1, pressure_tolerance=laws[0].last)
        steps.Walk(case).make(steps.FIRST)()
        system = composite(case)
        shared = {"table": table, "tolerance": laws[0].last, "nodes": case.grid.nodes}
        yield shared | {"way": "all parts at once"} | ours(case, system)._asdict()
        parts = Schwarz(case.backend, system)
        for way, law in zip(WAYS, laws, strict=True):
            yield shared | {"way": way} | parts.solve(law)._asdict()


def show(
    backend: Backend,
    sizes: list[int],
    kept: TextIO | None,
    make: Callable[[int], steps.Pair] = steps.made,
) -> None:
    """Measure, and print a table, line by line; kept: a file for lines of JSON."""
    around = {"format": FORMAT, **surroundings(backend)}
    print(f"kinemesh {around['version']}, {around['device_name']}\n\n{HEAD}\n|{'---|' * 7}")
    for nodes in sizes:
        for found in figures(backend, nodes, make):
            print(
                f"| {found['tolerance']:g} | {found['nodes']} | {found['way']} | "
                f"{found['iterations']} | {found['seconds']:.3g} | {found['solves']} | "
                f"{found['left']:.1e} |",
                flush=True,
            )
            if kept:
                kept.write(json.dumps(around | found) + "\n")
                kept.flush()


def ours(case: Incompressible, system: Composite) -> Count:
    """Cost of the composite solve by the case's own solver, to the case's tolerance."""
    solver, b = case.projection.pressure, case.backend
    solve = solver.solve_recorded(MOST)
    for _ in range(2):  # once to warm up
        b.put(solver.b, system.b[:, None])
        seconds = clock(b, solve)
    if (b.get(solver.status) != 1).any():
        raise NumericalFault(f"bench: no solution within {MOST} iterations")
    x = system.exchanged(b.get(solver.x)[:, 0])
    return Count(int(b.get(solver.steps)[0]), seconds, 1, system.left(x))


class Schwarz:
    """Solutions of a system part by part."""

    def __init__(self, backend: Backend, system: Composite) -> None:
        self.backend, self.system, self.parts = backend, system, len(system.matrices)
        b, matrices = backend, system.matrices
        self.active = b.zeros(self.parts, np.int32)
        self.tolerance = b.zeros(self.parts, np.float64)
        alike = Alike(matrices)
        alone = [Pattern.of_graph(b, *graph_of(K), natural=True) for K in matrices]
        fixed = [~system.solved[system.part == k] for k in range(self.parts)]
        pattern = Pattern.of_members(alike, alone)
        self.solver = Plain(
            b, alike, pattern, matrices, fixed, self.active, tolerance=self.tolerance
        )
        self.repeat = b.record([self.solver.iterate], times=AT_ONCE, flag=self.solver.live)

    def solve(self, law: Law) -> Count:
        """Iterations and seconds to the last tolerance of a law."""
        system, x = self.system, np.zeros(len(self.system.b))
        iterations, spent, solves = 0, 0.0, 0
        for number in range(law.steps + 1):
            self.backend.put(self.tolerance, law.at(number))
            several = True
            while several:
                several = False
                for part in range(self.parts):
                    x = system.exchanged(x, system.part == part)
                    steps, seconds = self._part(x, part)
                    several |= steps > 1
                    iterations, spent, solves = iterations + steps, spent + seconds, solves + 1
        return Count(iterations, spent, solves, system.left(system.exchanged(x)))

    def _part(self, x: Floats, part: int) -> tuple[int, float]:
        """Iterations and seconds of one part's solve, which updates x on that part."""
        b, system, solver = self.backend, self.system, self.solver
        own = (system.part == part) & system.solved
        given = np.where(own, system.residual(np.where(system.receptor, x, 0.0)), 0.0)
        b.put(solver.base_squares, given @ given)
        b.put(self.active, np.arange(self.parts) == part)
        iterations, seconds = 0, 0.0
        while iterations < MOST:  # anew where BiCGSTAB breaks down
            b.put(solver.b, np.where(own, system.residual(x), 0.0)[:, None])
            seconds += clock(b, solver.begin)
            while b.get(solver.live)[part] and b.get(solver.steps)[part] < MOST:
                seconds += clock(b, self.repeat)
            x[own] += b.get(solver.x)[own, 0]
            iterations += int(b.get(solver.steps)[part])
            if b.get(solver.status)[part] == 1:
                return iterations, seconds
        raise NumericalFault(f"bench: part {part} has no solution within {MOST} iterations")
