"""The march to a steady flow: one correction of velocity and pressure an iteration.

docs/theory.md, section 7.7.  Residuals are those of the steady equations, so that what a march ends
at does not depend on how fast it went.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from kinemesh.device.fields import Fields
from kinemesh.flow.projection import matrices
from kinemesh.flow.projection.flow import Flow
from kinemesh.flow.projection.initial import Start
from kinemesh.flow.projection.operators import Operators
from kinemesh.flow.projection.reduced_rank import ReducedRank

LINEAR_DROP = 0.1
"""Drop of the velocity's linear systems.  Cylinder at Reynolds number 40, 20,000 nodes: 221
iterations with 0.3, 179 with 0.1, 172 with 0.05."""
LINEAR_ITERATIONS = 40
INERTIA, FRICTION, MOST = 0.8, 0.6, 0.6
"""Shares of the pressure's change that are taken, by what it is for.  With 0.8 for friction walled
cells swing on an airfoil of 8000 nodes at Reynolds number 1000: the residual stays at 0.06.  MOST
bounds that of inertia where small cells lie beside large ones."""

GRADING = 1.0
"""Fall of the time of pressures (eq. 7.14a) from a node to the next, over the shorter of theirs."""
BEGIN, SWEEPS = 32, 1  # pairs of sweeps: at the start the times of large cells come from afar


class SteadyMarch:
    """Iterations of all members to their steady flows, bodies at rest.

    Parameters
    ----------
    flow : Flow, which marches;  operators : Operators on it
    start : Start    which makes what it begins from free of divergence

    Attributes
    ----------
    iteration : recording    residual, who goes on, and the next flow
    tell : recording         what walls take of the present flow, and what flows out of its duals
    """

    def __init__(self, flow: Flow, operators: Operators, start: Start) -> None:
        b, grid = flow.backend, flow.grid
        self.flow, self.operators, self.start, self.backend = flow, operators, start, b
        # time levels, which a march does not need and `settle` makes anew
        self.drive, self.calm, self.driven = flow["guess"], flow["flow1"], flow["p1"]
        self.pace = flow["p2"]  # of no account when an iteration has its matrix
        self.even = b.zeros(grid.members, np.float64)
        self.still = b.zeros((grid.members, 3), np.float64)
        unit = np.tile([1.0, -1.0, 0.0], (grid.members, 1))
        self.unit = b.array(unit, np.float64)

    @cached_property
    def own(self) -> dict[str, Any]:
        """Arrays of a march alone, which cases that never march do not have."""
        grid, zeros = self.flow.grid, self.backend.zeros
        cells, dim = grid.vertices.cell_items.total, grid.dimensions
        return {
            "coupling": zeros(grid.nodes),
            "held": zeros(grid.facets),
            "graded": zeros(grid.nodes),
            "graded next": zeros(grid.nodes),
            "mobility": zeros((cells, 2)),
            "tilt": zeros((cells, dim * dim)),
        }

    @cached_property
    def reduced_rank(self) -> ReducedRank:
        """Extrapolation, whose arrays cases that never march do not have."""
        return ReducedRank(self.flow.grid, self.operators.settings.extrapolate_every)

    def begin(self, p: Any) -> None:
        """Iterations begin from the present velocities, made free of divergence.

        Parameters
        ----------
        p : (nodes,) pressures on the host
        """
        flow, o, b = self.flow, self.operators, self.backend
        grid, loop = flow.grid, o.loop
        weight = b.get(grid.V) * o.field()
        sums = (np.bincount(grid.member, weight * a, grid.members) for a in (p, np.ones_like(p)))
        mean = np.divide(*sums)
        self.start(b.get(flow["u"]), p - np.where(flow.closed, mean, 0.0)[grid.member])
        b.put(flow["net"], 0.0)
        b.put(flow["defect"], 0.0)
        b.put(loop.cfl, o.settings.cfl)
        b.put(o.momentum.drop, LINEAR_DROP)
        b.put(self.own["graded"], 0.0)
        self.reduced_rank.begin()
        self.spread()
        loop.set_floor(np.full(grid.members, np.inf))
        loop.begin()

    @cached_property
    def iteration(self) -> Any:
        flow, o, b = self.flow, self.operators, self.backend
        loop, s = o.loop, o.settings
        check = flow.fields.bind(
            "inc_steady_check",
            **flow.grid.totals,
            **{name: getattr(loop, name) for name in ("active", "iterations", "base", "norm")},
            open=flow["loose"],
            parts=loop.parts,
            floor=loop.floor,
            drop=s.steady_drop,
            most=s.steady_iterations,
            asked=s.cfl,
            **self.reduced_rank.counts,
            **{name: getattr(loop, name) for name in ("cfl", "ceiling", "means")},
        )
        solved = o.solve_for(loop.active)
        view = flow.fields.also(active=loop.active)
        corrected = [*self.reduced_rank.start(view), *self._velocity(), *self._pressure()]
        onwards = b.record([solved, *corrected, *self.reduced_rank.end(view)], flag=loop.active)
        slip = o.slip(self._steady(loop.active), flow["res"])
        return b.record([*self._residual(loop.active), *slip, check, onwards])

    @cached_property
    def tell(self) -> Any:
        flow, o, alive = self.flow, self.operators, self.flow["active"]
        told = self._steady(alive).also(net=flow["p2"])
        through = o.divergence(told, *o.leaks(told))
        return self.backend.record([*through, *self._residual(alive), *o.reaction(told)])

    @cached_property
    def spread(self) -> Any:
        """Recording: the times by which pressures follow, of the present fluxes."""
        view = self.flow.fields
        return self.backend.record([*self._paces(view), *self._sweeps(view, BEGIN)])

    def _steady(self, active: Any) -> Fields:
        """View without time levels."""
        return self.flow.fields.also(active=active, bdf=self.still)

    def _residual(self, active: Any) -> list[Any]:
        """Calls from u, p and flow to what the steady momentum equation leaves over."""
        flow, o, view = self.flow, self.operators, self._steady(active)
        pressures = o.pressure_slopes(view, flow["p"])
        return [*pressures, *o.take(view, flow["push"]), *o.residual(view)]

    def _velocity(self) -> list[Any]:
        """Calls that correct the velocity once."""
        flow, o = self.flow, self.operators
        view = flow.fields.also(active=o.loop.active, bdf=self.unit)
        return [
            *self._paces(view),
            *o.momentum.matrix(view, V=self.pace),
            o.momentum.solver.factor,
            *o.momentum.correct(view, LINEAR_ITERATIONS),
            *o.slip(view, flow["u"]),
            *o.take(view, flow["u"], flow["grad"]),
        ]

    def _paces(self, view: Fields) -> list[Any]:
        """Calls for how fast nodes go, and how hard they are coupled to their neighbours."""
        o, paces = self.operators, {"pace": self.pace, "coupling": self.own["coupling"]}
        return [
            view.bind("inc_fading"),
            view.bind("inc_pace", **paces, friction=o.friction, cfl=o.loop.cfl),
        ]

    def _pressure(self) -> list[Any]:
        """Calls that make velocities and fluxes free of divergence; the pressure follows."""
        flow, o = self.flow, self.operators
        view = flow.fields.also(active=o.loop.active, bdf=self.unit)
        change = o.pressure.x
        whole = {**flow.grid.totals, "closed": flow.enclosed, "parts": o.chunks()}
        follow = {"share": FRICTION, "open": flow["loose"]}
        return [
            *self._drift(view),
            o.cells(view).bind("inc_cell_velocity"),
            view.bind(
                "inc_steady_predict",
                mobility=self.own["mobility"],
                tilt=self.own["tilt"],
                held=self.own["held"],
                still=self.calm,
                iterations=o.loop.iterations,
            ),
            *o.potential(view),
            *self._driven(view),
            view.bind("inc_steady_change", **follow, change=change),
            view.bind("inc_mean_pressure", **whole, change=change),
            view.bind("inc_raise_pressure", change=change),
            *o.divergence(view.also(flow=self.calm)),
            *o.correct(view, p=flow["p2"]),
            *o.phi_slopes(view),
            view.bind("inc_steady_hold", p=flow["phi"], held=self.own["held"]),
        ]

    def _drift(self, view: Fields) -> list[Any]:
        """Calls from the pressure's gradients in cells to those at nodes that faces damp by."""
        o, push, mobility = self.operators, self.flow["push"], {"mobility": self.own["mobility"]}
        cells, paces = o.cells(view), {"coupling": self.own["coupling"], "cfl": o.loop.cfl}
        return [
            cells.bind("inc_mobility", **paces, **mobility),
            o.corners(view).bind("inc_node_drift", slope=view["pull"], **mobility),
            *o.slip(view, push),
            *o.take(view, push),
            cells.bind("inc_cell_velocity", u=push, slope=self.own["tilt"]),
        ]

    def _driven(self, view: Fields) -> list[Any]:
        """Calls for the change of the pressure that inertia asks of a potential."""
        flow, o, drive = self.flow, self.operators, self.drive
        there = {"net": self.driven, "defect": self.even, "open": flow["loose"]}
        paces = {"graded": self.own["graded"], "share": INERTIA, "limit": MOST}
        return [
            *self._sweeps(view, SWEEPS),
            view.bind("inc_drive", p=flow["phi"], cfl=o.loop.cfl, flow=drive, **paces),
            view.bind("inc_divergence", flow=drive, net=self.driven),
            view.bind("inc_pressure_side", friction=o.friction, side=o.pressure.b, **there),
            o.pressure.solve_recorded(o.settings.pressure_iterations),
        ]

    def _sweeps(self, view: Fields, pairs: int) -> list[Any]:
        """Calls that take the times of pressures to neighbours, a pair of sweeps after another."""
        coupling, *there = (self.own[name] for name in ("coupling", "graded", "graded next"))
        one = [
            view.bind("inc_graded", coupling=coupling, grading=GRADING, last=a, graded=b)
            for a, b in (there, there[::-1])
        ]
        return one * pairs

    def kept(self) -> dict[str, Any]:
        """Arrays of a march that goes on with them."""
        loop = self.operators.loop
        own = {"held": self.own["held"], "graded": self.own["graded"], **self.reduced_rank.kept()}
        return own | {name: getattr(loop, name) for name in ("cfl", "ceiling", "means")}

    def leave(self) -> None:
        """Physical steps follow."""
        self.backend.put(self.operators.momentum.drop, matrices.DROP)

    def settle(self) -> None:
        """Every time level is the present flow."""
        for _ in range(2):
            self.flow.levels()
