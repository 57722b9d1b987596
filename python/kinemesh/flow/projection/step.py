"""One physical step: momentum, predicted fluxes, pressure, correction (docs/theory.md, section 7).

The unknowns stand at nodes: velocity `u`, pressure over density `p`; edges have the volume flux
`flow` through their dual face, absolute, and the `memory` of what interpolated velocities leave
out of it.  Velocities in units of the reference speed, lengths in chords.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.flow.projection import systems
from kinemesh.flow.projection.exchange import Exchange
from kinemesh.flow.projection.given import normals
from kinemesh.flow.projection.laplacian import graph_of, laplacian
from kinemesh.flow.projection.momentum import MomentumLoop
from kinemesh.linear import Bicgstab, Pattern
from kinemesh.linear.lines import colour_along_lines
from kinemesh.linear.outer import ScalarSolver
from kinemesh.linear.stack import Items
from kinemesh.overset.connectivity import Connectivity
from kinemesh.space.conditions.base import BODY, OUTER, PLANE
from kinemesh.space.grid import Grid

LINEAR_DROP = 0.3  # of the momentum's linear systems
LINEAR_ITERATIONS = 20
WEIGHTS = {1: (1, 0, 0), 2: (2, -1, 0), 3: (2, -1, 1)}
"""Of velocities of the last two levels and of the pressure's last change; 3: of later steps."""


class Projection:
    """The step of all members on their grids, which move as rigid bodies.

    Parameters
    ----------
    grid : Grid, its metrics worked out
    viscosity : (members,)    kinematic, of the reference speed and the lengths of the grid
    given : (nodes,) bool    where velocities are given
    open : (nodes,) bool     where the boundary is open: phi = 0
    settings : IncompressibleSettings
    connectivity : Connectivity of overset parts, or None

    Attributes
    ----------
    exchange : Exchange of overset parts, or None;  renew : recording    what follows from where the
        parts stand
    u, u1, u2 : (nodes, dimensions) device arrays;  p, p1, p2 : (nodes,) float64
    flow, flow1, flow2, memory, memory1, memory2 : (edges,)
    guess : (edges,) flow extrapolated in time
    res : (nodes, dimensions)    residual of the momentum equation; at walls what they take, after
        a step
    net : (nodes,) float64       what flows out of each dual
    velocity : of each patch (bnodes, dimensions) velocities that are given, or of the stream that
        comes in where the boundary is open
    spin : (bnodes,) of walls, rate of their turn, counter-clockwise
    loop : MomentumLoop;  pressure : ScalarSolver
    closed : (members,) bool     members without an open boundary
    defect : (members,) float64 device array; what closed members lack, per volume
    share : (members,) float64 device array; of the pressure's last change, that a step begins with
    turning : (members,) float64 device array; how hard the turn of a grid couples nodes (eq. 7.9b)
    solving : (members,) int32 device array; who has a pressure to solve for
    closure : (members, 2) float64 device array; of the last step the largest divergence |net| / h,
        and the largest rate at which a flow passes a volume
    """

    def __init__(
        self,
        grid: Grid,
        settings: Any,
        viscosity: NDArray[np.float64],
        given: NDArray[np.bool_],
        open: NDArray[np.bool_],
        connectivity: Connectivity | None = None,
    ) -> None:
        self.grid, self.settings, self.backend = grid, settings, grid.backend
        b, n, e, dim = self.backend, grid.nodes, grid.edges, grid.dimensions
        self.given, self.open = given, open
        self.closed = np.bincount(grid.member[open], minlength=grid.members) == 0
        self.u, self.u1, self.u2, self.res, self.push = (b.zeros((n, dim)) for _ in range(5))
        self.p, self.p1, self.p2, self.phi, self.net = (b.zeros(n, np.float64) for _ in range(5))
        self.flow, self.flow1, self.flow2, self.memory, self.memory1, self.memory2, self.guess = (
            b.zeros(e) for _ in range(7)
        )
        self.grad, self.fading, self.flux = b.zeros((n, dim * dim)), b.zeros(n), b.zeros((e, dim))
        cells = len(grid.vertices.cells)
        self.slope, self.pull = b.zeros((cells, dim * dim)), b.zeros((cells, dim))
        self.weights = b.array(WEIGHTS[1], np.float64)
        self.defect, self.mean, self.share, self.turning = (
            b.zeros(grid.members, np.float64) for _ in range(4)
        )
        self.closure = b.zeros((grid.members, 2), np.float64)
        self.linear_drop = b.array(np.full(grid.members, LINEAR_DROP), np.float64)
        self.solving, self.unused = (b.array(np.ones(grid.members), np.int32) for _ in range(2))
        self.unused_base = b.zeros(grid.members, np.float64)
        self.velocity = {
            role: b.zeros((len(grid.patches[role]), dim))
            for role in (BODY, OUTER, PLANE)
            if len(grid.patches.get(role, ()))
        }
        self.spin = b.zeros(len(grid.wall))
        linear = settings.interpolation == "linear"
        self.exchange = connectivity and Exchange(grid, connectivity, linear, given, open)
        self.fields = self._named(viscosity)
        self.area = np.bincount(grid.member, b.get(grid.V), grid.members)
        self._geometry()
        self.loop = MomentumLoop(grid)
        self._matrices(viscosity)
        self.levels = b.record([self._bind("inc_levels"), self._bind("inc_flow_levels")])
        self.march = b.record(self._march_calls())
        self.project = b.record(self._project_calls())
        self.renew = b.record(self._renew_calls())

    def _named(self, viscosity: NDArray[np.float64]) -> Fields:
        grid, b = self.grid, self.backend
        names = (
            "u", "u1", "u2", "p", "p1", "p2", "phi", "net", "flow", "flow1", "flow2", "memory",
            "memory1", "memory2", "grad", "fading", "flux", "slope", "pull", "push", "res",
            "weights", "defect", "mean", "closure", "share", "turning",
        )  # fmt: skip
        open = b.array(self.open, np.int32)
        if self.exchange:
            here, self.loose = self.exchange.named, self.exchange.loose
        else:
            here, self.loose = {"given": b.array(self.given, np.int32)}, open
        return grid.fields.also(
            **{name: getattr(self, name) for name in names},
            **here,
            S=grid.S,
            w=grid.w,
            viscosity=b.array(viscosity, np.float64),
            open=open,
            closed=b.array(self.closed & (self.exchange is None), np.int32),
            active=grid.fields["alive"],
            blend=0.5 if self.settings.convection == "blend" else 0.0,
        )

    def _bind(self, kernel: str, **given: Any) -> Any:
        return self.fields.bind(kernel, **given)

    def _geometry(self) -> None:
        """Shares of cells in duals, of which rigid motion changes nothing."""
        grid, b = self.grid, self.backend
        members = grid.vertices.cell_items.members()
        self.cells = self.fields.also(member=b.table(members))
        portion = b.zeros(len(grid.dual.cell))
        self.corners = self.fields.also(**grid.corners, portion=portion)
        self.corners.bind("inc_portions")()

    def _matrices(self, viscosity: NDArray[np.float64]) -> None:
        """The matrices of pressure and momentum, and their solvers."""
        grid, b, v = self.grid, self.backend, self.grid.vertices
        made = grid.each("laplacian", lambda mesh: laplacian(mesh.points, mesh.cells))
        graphs = [graph_of(own) for own in made]
        natural = [Pattern.of_graph(b, *graph, natural=True) for graph in graphs]
        alone = [
            Pattern.of_graph(b, *graph, colours=colour_along_lines(b, *graph, mesh.points))
            for graph, mesh in zip(graphs, grid.distinct, strict=True)
        ]
        alike, same = v.alike, systems.same_systems(grid, self.open)
        of, fixed = alike.of[same.lead], systems.of_leads(grid, same, self.open)
        self.pressure = ScalarSolver(
            b, same, Pattern.of_members(same, [natural[k] for k in of]), [-made[k] for k in of],
            fixed, self.solving, tolerance=self.settings.pressure_tolerance,
            **systems.parts_of(self, same),
        )  # fmt: skip
        self.friction = b.array(self.pressure.diagonal, np.float64)
        self.loop.viscous = 2 * viscosity[grid.member] * self.pressure.diagonal
        self.pattern = Pattern.of_members(alike, alone)
        self.slot = b.table(grid.slots(self.pattern))
        planes = PLANE in self.velocity
        self.momentum = Bicgstab(
            b, self.pattern, grid.dimensions if planes else 1, self.loop.active, grid.faults,
            tolerance=self.linear_drop, suffix="f32", width=grid.dimensions,
        )  # fmt: skip
        self.normal = b.array(normals(grid), np.float32) if planes else None
        self.scalar = b.zeros((*self.momentum.A.shape[:1], 1), np.float32) if planes else None
        blocks = Items(alike, [p.blocks for p in alone])
        solver = self.momentum
        self.rows = self.fields.also(
            row=solver.tables["row"],
            node=solver.tables["node"],
            diagonal=solver.tables["diagonal"],
            laplacian=b.table(blocks.stack(systems.in_blocks(made, alone)), np.float32),
        )

    # ---- calls ----

    def matrix_of(self, rows: Fields, **fields: Any) -> list[Any]:
        """Calls that make the momentum's matrix of these rows."""
        A = self.momentum.A
        if self.normal is None:
            return [rows.bind("inc_matrix", slot=self.slot, A=A, **fields)]
        made = rows.bind("inc_matrix", slot=self.slot, A=self.scalar, **fields)
        return [made, rows.bind("inc_planes", scalar=self.scalar, normal=self.normal, A=A)]

    def solve_for(self, members: Any) -> Any:
        """Call: these members (members,) have a pressure to solve for."""
        unused = {"iterations": self.unused, "base": self.unused_base}
        return self.grid.fields.bind("dualtime_start", alive=members, active=self.solving, **unused)

    def _patches(self, kernel: str, *roles: str, **given: Any) -> list[Any]:
        """Calls of a kernel over the patches of these roles."""
        return [
            self.fields.also(**self.grid.patches[role].device).bind(
                kernel, **{name: each[role] for name, each in given.items()}
            )
            for role in roles
            if role in self.velocity
        ]

    def _give(self) -> list[Any]:
        """Velocities where they are given; that of a wall counts where it meets another kind."""
        return self._patches("inc_give", PLANE, OUTER, BODY, velocity=self.velocity)

    def _slip(self, vector: Any, active: Any) -> list[Any]:
        if PLANE not in self.velocity:
            return []
        own = self.grid.patches[PLANE].device
        return [self.fields.also(**own).bind("inc_slip", vector=vector, active=active)]

    def _velocity_slopes(self, active: Any) -> list[Any]:
        return [
            self.cells.bind("inc_cell_velocity", active=active),
            self.corners.bind("inc_node_velocity", active=active),
        ]

    def _pressure_slopes(self, p: Any) -> list[Any]:
        """Calls for `pull` and `push`, gradients of p in cells and at nodes."""
        return [
            self.cells.bind("inc_cell_pressure", p=p, slope=self.pull),
            self.corners.bind("inc_node_pressure", slope=self.pull, grad=self.push),
        ]

    def _exchanged(self, active: Any) -> list[Any]:
        """Calls that bring u to the nodes of parts that are not solved for, by its gradients."""
        return self.exchange.vector(self.u, active, self.grad) if self.exchange else []

    def _filled(self) -> list[Any]:
        """Calls that bring u and p to the nodes of parts that are not solved for."""
        alive = self.fields["active"]
        return [*self._velocity_slopes(alive), *self._exchanged(alive), *self._filled_pressure()]

    def _filled_pressure(self) -> list[Any]:
        if not self.exchange:
            return []
        taken = self.exchange.pressure(self.p, self.push, self.fields["active"])
        return [*self._pressure_slopes(self.p), *taken]

    def _residual(self, active: Any) -> list[Any]:
        """Calls from u, guess and push to res."""
        both = {"flow": self.guess, "active": active}
        fields = self.fields.also(**both)
        passed = [
            fields.also(**self.grid.patches[role].device).bind("inc_pass", velocity=own)
            for role, own in self.velocity.items()
        ]
        calls = [fields.bind("inc_flux"), fields.bind("inc_residual")]
        return [*self._velocity_slopes(active), *calls, *passed]

    def _momentum(self) -> list[Any]:
        """Calls that solve for u with the pressure as it is."""
        b, loop, solver, s = self.backend, self.loop, self.momentum, self.settings
        rows, active = self.rows.also(active=loop.active), loop.active
        matrix = self.matrix_of(self.rows, flow=self.guess)
        update = [
            rows.bind("inc_side", side=solver.b),
            solver.solve_recorded(LINEAR_ITERATIONS),
            rows.bind("inc_update", du=solver.x),
            *self._slip(self.u, active),
            *self._exchanged(active),
        ]
        check = loop.check(self.fields, s.momentum_drop, s.momentum_iterations)
        measure = [*self._residual(active), *self._slip(self.res, active), check]
        repeat = b.record([*update, *measure], times=s.momentum_iterations, flag=active)
        return [loop.begin, *matrix, solver.factor, *measure, repeat]

    def _solve_pressure(self) -> list[Any]:
        """Calls from flow to phi, its gradients, and what flows out of duals before."""
        total = self.grid.totals
        side, change, closed = self.pressure.b, self.pressure.x, self._chunks()
        return [
            *self._divergence(),
            self._bind("inc_defect", **total, parts=closed),
            self._bind("inc_pressure_side", friction=self.friction, side=side, open=self.loose),
            self.pressure.solve_recorded(self.settings.pressure_iterations),
            self._bind("inc_mean_pressure", **total, parts=closed, change=change),
            *(self.exchange.level(self.fields, self.pressure) if self.exchange else []),
            self._bind("inc_level_pressure", change=change),
            *self._pressure_slopes(self.phi),
        ]

    def _chunks(self, columns: int = 2) -> Any:
        return self.backend.zeros((self.grid.chunks, columns), np.float64)

    def _divergence(self, *leaks: Any) -> list[Any]:
        """Calls for what flows out of duals; leaks: of what does so through their edges alone."""
        through = self._patches("inc_outflow", BODY, OUTER)
        return [self._bind("inc_divergence"), *leaks, *through]

    def _correct(self, **given: Any) -> list[Any]:
        """Calls that take phi's gradient from u and flow, and add it to p, or to a `given` one."""
        alive = self.fields["active"]
        return [
            self._bind("inc_correct", **given),
            *self._slip(self.u, alive),
            *(self._velocity_slopes(alive) if self.exchange else []),
            *self._exchanged(alive),
            self.cells.bind("inc_cell_velocity"),
            self._bind("inc_correct_flow", p=self.phi),
            *self._filled_pressure(),
        ]

    def _pass(self) -> list[Any]:
        """Calls of one pass: momentum, predicted fluxes, pressure, correction."""
        alive = self.fields["active"]
        return [
            *self._pressure_slopes(self.p),
            *(self.exchange.vector(self.push, alive) if self.exchange else []),
            *self._momentum(),
            self._bind("inc_predict"),
            *self._solve_pressure(),
            *self._correct(),
        ]

    def _march_calls(self) -> list[Any]:
        """Calls of a whole step, after its place is known."""
        alive = self.fields["active"]
        one = self._pass()
        as_is = self.backend.array(WEIGHTS[1], np.float64)
        latest = {"flow1": self.flow, "flow2": self.flow, "flow": self.guess}
        fading = self._bind("inc_fading", flow=self.guess)
        again = [self._bind("inc_extrapolate_flow", weights=as_is, **latest), fading]
        totals = {**self.grid.totals, "open": self.loose}
        leaks = [self.exchange.leaks(self.fields)] if self.exchange else []
        return [
            self.solve_for(alive),
            self._bind("inc_extrapolate_flow", flow=self.guess),
            fading,
            self._bind("inc_share", **totals, parts=self._chunks(1), friction=self.friction),
            self._bind("inc_extrapolate"),
            *self._give(),
            *(self._filled() if self.exchange else []),
            *one,
            *[call for _ in range(self.settings.outer - 1) for call in (*again, *one)],
            *self._divergence(*leaks),
            self._bind("inc_closure", **totals, parts=self._chunks()),
            *self._pressure_slopes(self.p),
            *self._residual(alive),
            *self._patches("inc_spin", BODY, spin={BODY: self.spin}),
        ]

    def _project_calls(self) -> list[Any]:
        """Calls that make u and flow free of divergence; p is spoiled."""
        return [
            self.solve_for(self.fields["active"]),
            *self._give(),
            *self._slip(self.u, self.fields["active"]),
            *(self._filled() if self.exchange else []),
            self.cells.bind("inc_cell_velocity"),
            self._bind("inc_mean_flow"),
            *self._solve_pressure(),
            *self._correct(),
        ]

    def _renew_calls(self) -> list[Any]:
        """Calls of what follows from where overset parts stand."""
        if not self.exchange:
            return []
        all_of_them = self.solve_for(self.fields["active"])
        return [
            all_of_them,
            self.exchange.connectivity.update,
            self.exchange.rows,
            self.pressure.refresh,
        ]

    def lost(self) -> NDArray[np.float64]:
        """What the closed duals of each member left over in the last step (members,)."""
        if self.exchange:
            return self.exchange.lost(self.closed, self.defect)
        return self.backend.get(self.defect) * self.area

    # ---- time ----

    def start(self, u: NDArray[Any], p: NDArray[Any] | None = None) -> None:
        """Every time level set to velocities u (nodes, dimensions), made free of divergence."""
        b = self.backend
        b.put(self.u, u)
        keep = b.get(self.grid.bdf)
        b.put(self.grid.bdf, [1.0, -1.0, 0.0])
        self.project()
        b.put(self.grid.bdf, keep)
        b.put(self.p, 0.0 if p is None else p)
        for _ in range(2):
            self.levels()

    def seen(self, **fields: Any) -> Projection:
        """This step, its calls with other fields."""
        view = copy(self)
        for name in ("fields", "cells", "corners", "rows"):
            setattr(view, name, getattr(self, name).also(**fields))
        return view

    def begin_step(self, number: int) -> None:
        """Levels move on; `number` of the step, from 1."""
        self.levels()
        self.backend.put(self.weights, WEIGHTS[min(number, 3)])
