"""The march to a steady flow: one correction of velocity and pressure an iteration.

docs/theory.md, section 7.7.  Residuals are those of the steady equations, so that what a march ends
at does not depend on how fast it went.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from kinemesh.flow.projection import step
from kinemesh.flow.projection.step import Projection
from kinemesh.space.conditions.base import BODY

LINEAR_DROP = 0.1
"""Of the velocity's linear systems.  Cylinder at Reynolds number 40, 20,000 nodes: 221 iterations
with 0.3, 179 with 0.1, 172 with 0.05."""
LINEAR_ITERATIONS = 40
INERTIA, FRICTION, MOST = 0.8, 0.6, 0.6
"""Of the pressure's change that is taken, by what it is for.  With 0.8 for friction walled cells
swing on an airfoil of 8000 nodes at Reynolds number 1000: the residual stays at 0.06.  MOST bounds
that of inertia where small cells lie beside large ones."""

GRADING = 1.0
"""By which the time of pressures (eq. 7.14a) falls from a node to the next, over the shorter one of
theirs."""
BEGIN, SWEEPS = 32, 1  # pairs of sweeps: at the start the times of large cells come from afar


class SteadyMarch:
    """Iterations of all members to their steady flows, bodies at rest.

    Parameters
    ----------
    made : Projection    whose velocities, pressures and fluxes march

    Attributes
    ----------
    iteration : recording    residual, who goes on, and the next flow
    tell : recording         what walls take of the present flow, and what flows out of its duals
    """

    def __init__(self, made: Projection) -> None:
        b, grid = made.backend, made.grid
        self.made, self.backend = made, b
        self.pace, self.coupling = b.zeros(grid.nodes, np.float64), b.zeros(grid.nodes)
        cells, dim = len(grid.vertices.cells), grid.dimensions
        self.held = b.zeros((grid.edges, 2))
        self.graded = [b.zeros(grid.nodes) for _ in range(2)]
        self.mobility, self.tilt = b.zeros((cells, 2)), b.zeros((cells, dim * dim))
        # time levels, which a march does not need and `settle` makes anew
        self.drive, self.calm, self.driven = made.guess, made.flow1, made.p1
        self.even = b.zeros(grid.members, np.float64)
        self.still = b.zeros((grid.members, 3), np.float64)
        unit = np.tile([1.0, -1.0, 0.0], (grid.members, 1))
        self.unit = b.array(unit, np.float64)
        self.closed = b.array(made.closed, np.int32)

    def begin(self, p: Any) -> None:
        """Iterations begin from the present velocities, made free of divergence.

        Parameters
        ----------
        p : (nodes,) pressures on the host
        """
        made, b = self.made, self.backend
        members = made.grid.members
        weight = b.get(made.grid.V) * self._field()
        sums = (np.bincount(made.grid.member, weight * a, members) for a in (p, np.ones_like(p)))
        mean = np.divide(*sums)
        made.start(b.get(made.u), p - np.where(made.closed, mean, 0.0)[made.grid.member])
        b.put(made.net, 0.0)
        b.put(made.defect, 0.0)
        b.put(made.loop.cfl, made.settings.cfl)
        b.put(made.linear_drop, LINEAR_DROP)
        b.put(self.graded[0], 0.0)
        self.spread()
        made.loop.set_floor(np.full(members, np.inf))
        made.loop.begin()

    def _field(self) -> Any:
        """(nodes,) 1 where a node is solved for."""
        made = self.made
        if not made.exchange:
            return np.ones(made.grid.nodes)
        return (self.backend.get(made.exchange.connectivity.status) == 1).astype(float)

    @cached_property
    def iteration(self) -> Any:
        made, b, loop, s = self.made, self.backend, self.made.loop, self.made.settings
        check = made.fields.bind(
            "inc_steady_check",
            **made.grid.totals,
            **{name: getattr(loop, name) for name in ("active", "iterations", "base", "norm")},
            open=made.loose,
            parts=loop.parts,
            floor=loop.floor,
            drop=s.steady_drop,
            most=s.steady_iterations,
            asked=s.cfl,
            **{name: getattr(loop, name) for name in ("cfl", "ceiling", "means")},
        )
        solved = made.solve_for(loop.active)
        onwards = b.record([solved, *self._velocity(), *self._pressure()], flag=loop.active)
        return b.record([*self._residual(loop.active), check, onwards])

    @cached_property
    def tell(self) -> Any:
        made = self.made
        alive = made.fields["active"]
        told = made.seen(active=alive, bdf=self.still, net=made.p2)
        leaks = [made.exchange.leaks(told.fields)] if made.exchange else []
        spins = {"spin": {BODY: made.spin}}
        through = [*told._divergence(*leaks), *self._residual(alive, slip=False)]
        return self.backend.record([*through, *told._patches("inc_spin", BODY, **spins)])

    @cached_property
    def spread(self) -> Any:
        """Recording: the times by which pressures follow, of the present fluxes."""
        made = self.made
        view = made.seen(flow=made.flow)
        return self.backend.record([*self._paces(view), *self._sweeps(view, BEGIN)])

    def _residual(self, active: Any, slip: bool = True) -> list[Any]:
        """Calls from u, p and flow to what the steady momentum equation leaves over."""
        made = self.made
        view = made.seen(active=active, bdf=self.still)
        view.guess = made.flow
        return [
            *view._pressure_slopes(made.p),
            *(made.exchange.vector(made.push, active) if made.exchange else []),
            *view._residual(active),
            *(view._slip(made.res, active) if slip else []),
        ]

    def _velocity(self) -> list[Any]:
        """Calls that correct the velocity once."""
        made, active, solver = self.made, self.made.loop.active, self.made.momentum
        view = made.seen(active=active, bdf=self.unit, flow=made.flow)
        return [
            *self._paces(view),
            *made.matrix_of(view.rows, V=self.pace),
            solver.factor,
            view.rows.bind("inc_side", side=solver.b),
            solver.solve_recorded(LINEAR_ITERATIONS),
            view.rows.bind("inc_update", du=solver.x),
            *view._slip(made.u, active),
            *view._exchanged(active),
        ]

    def _paces(self, view: Projection) -> list[Any]:
        """Calls for how fast nodes go, and how hard they are coupled to their neighbours."""
        made, paces = self.made, {"pace": self.pace, "coupling": self.coupling}
        return [
            view._bind("inc_fading"),
            view._bind("inc_pace", **paces, friction=made.friction, cfl=made.loop.cfl),
        ]

    def _pressure(self) -> list[Any]:
        """Calls that make velocities and fluxes free of divergence; the pressure follows."""
        made = self.made
        view = made.seen(active=made.loop.active, bdf=self.unit)
        change, totals = made.pressure.x, made.grid.totals
        closed = {"closed": self.closed} if made.exchange else {}
        follow = {"share": FRICTION, "open": made.loose}
        return [
            *self._drift(view),
            view.cells.bind("inc_cell_velocity"),
            view._bind(
                "inc_steady_predict",
                mobility=self.mobility,
                tilt=self.tilt,
                held=self.held,
                still=self.calm,
                iterations=made.loop.iterations,
            ),
            *view._solve_pressure(),
            *self._driven(view),
            view._bind("inc_steady_change", **follow, change=change),
            view._bind(
                "inc_mean_pressure", **totals, **closed, parts=made._chunks(), change=change
            ),
            view._bind("inc_raise_pressure", change=change),
            *view.seen(flow=self.calm)._divergence(),
            *view._correct(p=made.p2),
            *self._slopes_of_phi(view),
            view._bind("inc_steady_hold", p=made.phi, held=self.held),
        ]

    def _slopes_of_phi(self, view: Projection) -> list[Any]:
        """Calls for phi's gradients in cells again: on parts `_correct` leaves those of p."""
        made = self.made
        if not made.exchange:
            return []
        return [view.cells.bind("inc_cell_pressure", p=made.phi, slope=made.pull)]

    def _drift(self, view: Projection) -> list[Any]:
        """Calls from the pressure's gradients in cells to those at nodes that faces damp by."""
        made, active = self.made, self.made.loop.active
        mobility, push = {"mobility": self.mobility}, made.push
        return [
            view.cells.bind("inc_mobility", coupling=self.coupling, cfl=made.loop.cfl, **mobility),
            view.corners.bind("inc_node_drift", slope=made.pull, **mobility),
            *view._slip(push, active),
            *(made.exchange.vector(push, active) if made.exchange else []),
            view.cells.bind("inc_cell_velocity", u=push, slope=self.tilt),
        ]

    def _driven(self, view: Projection) -> list[Any]:
        """Calls for the change of the pressure that inertia asks of a potential."""
        made, drive = self.made, self.drive
        there = {"net": self.driven, "defect": self.even, "open": made.loose}
        paces = {"graded": self.graded[0], "share": INERTIA, "limit": MOST}
        return [
            *self._sweeps(view, SWEEPS),
            view._bind("inc_drive", p=made.phi, cfl=made.loop.cfl, flow=drive, **paces),
            view._bind("inc_divergence", flow=drive, net=self.driven),
            view._bind("inc_pressure_side", friction=made.friction, side=made.pressure.b, **there),
            made.pressure.solve_recorded(made.settings.pressure_iterations),
        ]

    def _sweeps(self, view: Projection, pairs: int) -> list[Any]:
        """Calls that take the times of pressures to neighbours, a pair of sweeps after another."""
        ways = (self.graded, self.graded[::-1])
        one = [
            view._bind("inc_graded", coupling=self.coupling, grading=GRADING, last=a, graded=b)
            for a, b in ways
        ]
        return one * pairs

    def leave(self) -> None:
        """Physical steps follow."""
        self.backend.put(self.made.linear_drop, step.LINEAR_DROP)

    def settle(self) -> None:
        """Every time level is the present flow."""
        for _ in range(2):
            self.made.levels()
