"""Torsional springs: the inner nodes settle where the corners of their triangles resist least.

Ma et al. (OpenACC deforming mesh), section 4; Farhat et al. (1998); docs/theory.md, section 3.
Always in float64: the diagonal spans ten decades on the mesh of an aerofoil.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.deform.base import Deformation, Mover, Poses, pose_rows
from kinemesh.errors import NumericalFault, SettingsError
from kinemesh.grid import Grid
from kinemesh.linear import Bicgstab, Pattern
from kinemesh.mesh.dual import offsets_of

BLOCK = 10  # iterations between two looks at the device


def spring_triangles(cells: NDArray) -> NDArray:
    """Triangles whose corners carry springs: a quad gives the four that its corners span."""
    flat = cells[:, 3] < 0
    quads = cells[~flat]
    turns = [quads[:, [k, (k + 1) % 4, (k + 3) % 4]] for k in range(4)]
    return np.concatenate([cells[flat, :3], *turns])


def graph_of(triangles: NDArray, nodes: int) -> tuple[NDArray, NDArray]:
    """CSR graph (offsets, neighbour) of the nodes that share a triangle."""
    a = triangles[:, [0, 1, 2, 1, 2, 0]].ravel().astype(np.int64)
    b = triangles[:, [1, 2, 0, 0, 1, 2]].ravel()
    i, j = np.divmod(np.unique(a * nodes + b), nodes)
    return offsets_of(i, nodes), j.astype(np.int32)


class SpringMover(Mover):
    """Assembles on the present mesh, moves the boundary, solves for the increments."""

    def __init__(self, grid: Grid, settings: TorsionalSprings) -> None:
        super().__init__(grid)
        self.settings = settings
        b = self.backend
        triangles = spring_triangles(grid.cells)
        self.pattern = Pattern.of_graph(b, *graph_of(triangles, grid.nodes), grid.first)
        self.active = b.array(np.ones(grid.members), np.int32)
        self.solver = Bicgstab(
            b,
            self.pattern,
            2,
            self.active,
            grid.faults,
            tolerance=settings.tolerance,
            scaled=True,
            suffix="f64",
        )
        self.target = b.array(grid.points, np.float64)
        self.history = b.zeros(2, np.float64)
        rows = len(self.pattern.node)
        self.guess, self.given, self.d1, self.d2, self.product = (
            b.zeros((rows, 2), np.float64) for _ in range(5)
        )
        self.past = 0  # displacements known so far
        self._bind(triangles)

    def _fans(self, triangles: NDArray) -> dict[str, Any]:
        """Triangles around the node of each row: the other two nodes and their blocks."""
        corner = np.concatenate([triangles[:, [k, (k + 1) % 3, (k + 2) % 3]] for k in range(3)])
        row = self.pattern.row_of[corner[:, 0]]
        order = np.argsort(row, kind="stable")
        corner = corner[order]
        slots = np.stack([self.pattern.block(corner[:, 0], corner[:, k]) for k in (1, 2)], axis=1)
        b = self.backend
        return {
            "fans": b.array(offsets_of(row, len(self.pattern.node)), np.int32),
            "others": b.array(corner[:, 1:], np.int32),
            "slots": b.array(slots, np.int32),
        }

    def _bind(self, triangles: NDArray) -> None:
        b, grid, solver = self.backend, self.grid, self.solver
        fixed = np.zeros(grid.nodes, np.int32)
        fixed[grid.wall.node] = fixed[grid.far.node] = 1
        where = {"node": b.array(self.pattern.node, np.int32), "fixed": b.array(fixed, np.int32)}

        def bind(kernel: str, **fields: Any) -> Any:
            return b.bind(kernel, suffix="f64", **where, **fields)

        pattern = {name: solver.tables[name] for name in ("row", "diagonal")}
        assemble = bind("spring_rows", x=grid.x, **pattern, **self._fans(triangles), A=solver.A)
        guess = bind(
            "spring_guess",
            x=grid.x,
            target=self.target,
            history=self.history,
            d1=self.d1,
            d2=self.d2,
            guess=self.guess,
            given=self.given,
        )
        self.begin = b.record(
            [
                self.bind_pose(grid.wall.node, grid.wall.body, self.target),
                assemble,
                solver.factor,
                guess,
                solver.start,
                solver.product(self.given, self.product),
                bind("spring_side", Kd=self.product, side=solver.base),
                solver.product(self.guess, self.product),
                bind("spring_side", Kd=self.product, side=solver.b),
                solver.begin,
            ]
        )
        self.iterations = solver.recorded_block(BLOCK)
        there = (grid.x, self.d1, self.d2)
        kept = [b.zeros(array.shape, np.float64) for array in there]
        pairs = list(zip(there, kept, strict=True))
        self.keep = b.record([b.bind("copy_f64_2", **{"from": t, "to": k}) for t, k in pairs])
        self.take_back = b.record([b.bind("copy_f64_2", **{"from": k, "to": t}) for t, k in pairs])
        self.finish = bind(
            "spring_move",
            target=self.target,
            guess=self.guess,
            e=solver.x,
            x=grid.x,
            d1=self.d1,
            d2=self.d2,
        )

    def _solve(self) -> int:
        """One increment to self.pose; number of iterations of the slowest member."""
        self.backend.put(self.history, [(0.0, 0.0), (1.0, 0.0), (2.0, -1.0)][min(self.past, 2)])
        self.begin()
        done = 0
        while True:
            live = self.backend.get(self.solver.live)
            if not live.any():
                break
            if done >= self.settings.iterations:
                raise NumericalFault(
                    f"member {int(np.flatnonzero(live)[0])}: springs not solved to "
                    f"{self.settings.tolerance:g} in {done} iterations; try more iterations or "
                    "more steps per cycle"
                )
            self.iterations()
            done += BLOCK
        self._check_breakdown()
        self.finish()
        self.past += 1
        return int(self.backend.get(self.solver.steps).max())

    def _check_breakdown(self) -> None:
        status = self.backend.get(self.solver.status)
        if (status == 2).any():
            raise NumericalFault(
                f"member {int(np.flatnonzero(status == 2)[0])}: BiCGSTAB broke down on the "
                "springs; try more steps per cycle"
            )

    def step(self, poses: Poses) -> dict[str, float]:
        """In `substeps` parts; a part that inverts a cell is taken back and halved."""
        total, halvings, at, part = 0, 0, 0.0, 1 / self.settings.substeps
        while at < 1 - 1e-9:
            self.keep()
            self.backend.put(self.pose, pose_rows(poses(min(1.0, at + part))))
            total += self._solve()
            self.grid.look()
            bad = np.flatnonzero(~(self.grid.worst_cells()[:, 0] > 0))
            if not len(bad):
                at += part
                continue
            if halvings == self.settings.halvings:
                raise NumericalFault(
                    f"member {bad[0]}: springs invert {self.grid.inverted(int(bad[0]))} even in "
                    f"parts of {part:.3g} of a step, {at:.3g} into it; try more steps per cycle, "
                    "Delaunay mapping or rigid motion"
                )
            self.take_back()
            halvings, part, self.past = halvings + 1, part / 2, 0
        return {"spring_iterations": total, "spring_halvings": halvings}

    def state(self) -> dict[str, NDArray]:
        get = self.backend.get
        return {"d1": get(self.d1), "d2": get(self.d2), "past": np.array(self.past)}

    def restore(self, state: dict[str, NDArray]) -> None:
        self.backend.put(self.d1, state["d1"])
        self.backend.put(self.d2, state["d2"])
        self.past = int(state["past"])


@dataclass(frozen=True, slots=True)
class TorsionalSprings(Deformation):
    """Torsional springs solved by BiCGSTAB with block ILU(0) in colour order.

    Parameters
    ----------
    tolerance : float    of the block-diagonally scaled residual, relative to that of no guess
    iterations : int     most BiCGSTAB iterations of one solve
    substeps : int       solves per physical step, each on the mesh that the last one left
    halvings : int       how often a part of a step that inverts a cell may be halved
    """

    tolerance: float = 1e-8
    iterations: int = 2000
    substeps: int = 1
    halvings: int = 5
    name = "springs"

    def __post_init__(self) -> None:
        number = isinstance(self.tolerance, int | float) and not isinstance(self.tolerance, bool)
        if not number or not 0 < self.tolerance < 1:
            raise SettingsError(f"springs: tolerance is {self.tolerance!r}, expected 0 to 1")
        for name in ("iterations", "substeps"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise SettingsError(f"springs: {name} is {value!r}, expected a number above 0")
        if (
            not isinstance(self.halvings, int)
            or isinstance(self.halvings, bool)
            or self.halvings < 0
        ):
            raise SettingsError(f"springs: halvings is {self.halvings!r}, expected 0 or more")

    def attach(self, grid: Grid) -> SpringMover:
        return SpringMover(grid, self)
