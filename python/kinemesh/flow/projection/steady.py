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

LINEAR_DROP = 0.1
"""Of the velocity's linear systems.  Cylinder at Reynolds number 40, 20,000 nodes: 221 iterations
with 0.3, 179 with 0.1, 172 with 0.05."""
LINEAR_ITERATIONS = 40
PRESSURE_SHARE = 0.6
"""Of the pressure's change that is taken.  With 0.8 walled cells swing on an airfoil of 8000 nodes
at Reynolds number 1000 (340 iterations at a CFL number of 5, with 0.6 206); with 1 they diverge."""


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
        spins = {"spin": {"wall": made.spin}}
        through = [*told._divergence(*leaks), *self._residual(alive, slip=False)]
        return self.backend.record([*through, *told._patches("inc_spin", "wall", **spins)])

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
        paces = {"pace": self.pace, "coupling": self.coupling}
        return [
            view._bind("inc_fading"),
            view._bind("inc_pace", **paces, friction=made.friction, cfl=made.loop.cfl),
            view.rows.bind("inc_matrix", slot=made.slot, A=solver.A, V=self.pace),
            solver.factor,
            view.rows.bind("inc_side", side=solver.b),
            solver.solve_recorded(LINEAR_ITERATIONS),
            view.rows.bind("inc_update", du=solver.x),
            *view._slip(made.u, active),
            *view._exchanged(active),
        ]

    def _pressure(self) -> list[Any]:
        """Calls that make velocities and fluxes free of divergence; the pressure follows."""
        made = self.made
        view = made.seen(active=made.loop.active, bdf=self.unit)
        change, totals = made.pressure.x, made.grid.totals
        still = {"bdf": self.still, "fading": self.coupling, "trust": None}
        closed = {"closed": self.closed} if made.exchange else {}
        follow = {"pace": self.pace, "share": PRESSURE_SHARE, "open": made.loose}
        return [
            view.cells.bind("inc_cell_velocity"),
            view._bind("inc_predict", **still),
            *view._solve_pressure(),
            view._bind("inc_steady_change", **follow, change=change),
            view._bind(
                "inc_mean_pressure", **totals, **closed, parts=made._chunks(), change=change
            ),
            view._bind("inc_raise_pressure", change=change),
            *view._correct(p=made.p2),
        ]

    def leave(self) -> None:
        """Physical steps follow."""
        self.backend.put(self.made.linear_drop, step.LINEAR_DROP)

    def settle(self) -> None:
        """Every time level is the present flow."""
        for _ in range(2):
            self.made.levels()
