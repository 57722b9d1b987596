"""One physical step: momentum, predicted fluxes, pressure, correction.

docs/theory.md, sections 7.2 and 7.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.flow.projection.flow import WEIGHTS, Flow
from kinemesh.flow.projection.operators import Operators

LINEAR_ITERATIONS = 20


class Step:
    """The physical step of all members on their grids, which move as rigid bodies.

    Parameters
    ----------
    flow : Flow;  operators : Operators on it

    Attributes
    ----------
    march : recording    the whole step, after its place is known
    """

    def __init__(self, flow: Flow, operators: Operators) -> None:
        self.flow, self.operators, self.backend = flow, operators, flow.backend
        self.march = self.backend.record(self._march())

    def begin(self, number: int) -> None:
        """Levels move on; `number` of the step, from 1."""
        self.flow.levels()
        self.backend.put(self.flow["weights"], WEIGHTS[min(number, 3)])

    def keep(self) -> None:
        """Keep what a march changes of that from which others of the step are to begin."""
        if self.operators.guess is not None:
            self.operators.guess.keep()

    def back(self) -> None:
        """Back to where `keep` was called, to march once more."""
        if self.operators.guess is not None:
            self.operators.guess.back()

    def _march(self) -> list[Any]:
        o, flow, view = self.operators, self.flow, self.flow.fields
        one = self._pass()
        as_is = self.backend.array(WEIGHTS[1], np.float64)
        ahead = view.also(flow=flow["guess"])
        latest = {"flow1": flow["flow"], "flow2": flow["flow"]}
        fading = ahead.bind("inc_fading")
        again = [ahead.bind("inc_extrapolate_flow", weights=as_is, **latest), fading]
        totals = {**flow.grid.totals, "open": flow["loose"]}
        return [
            o.solve_for(view["active"]),
            ahead.bind("inc_extrapolate_flow"),
            fading,
            view.bind("inc_share", **totals, parts=o.chunks(1), friction=o.friction),
            view.bind("inc_extrapolate"),
            *o.give(view),
            *o.fill_velocity(view),
            *o.fill_pressure(view),
            *one,
            *[call for _ in range(o.settings.outer - 1) for call in (*again, *one)],
            *o.divergence(view, *o.leaks(view)),
            view.bind("inc_closure", **totals, parts=o.chunks()),
            *o.at_walls(ahead),
        ]

    def _pass(self) -> list[Any]:
        """Calls of one pass: momentum, predicted fluxes, pressure, correction."""
        o, flow, view = self.operators, self.flow, self.flow.fields
        return [
            *o.pressure_slopes(view, flow["p"]),
            *o.take(view, flow["push"]),
            *self._momentum(),
            view.bind("inc_predict"),
            *o.potential(view, steps=True),
            *o.correct(view),
        ]

    def _momentum(self) -> list[Any]:
        """Calls that solve for u with the pressure as it is."""
        o, loop, settings = self.operators, self.operators.loop, self.operators.settings
        flow, active, most = self.flow, loop.active, settings.momentum_iterations
        ahead, on = flow.fields.also(flow=flow["guess"]), flow.fields.also(active=active)
        update = [
            *o.momentum.correct(on, LINEAR_ITERATIONS),
            *o.slip(on, flow["u"]),
            *o.take(on, flow["u"], flow["grad"]),
        ]
        check = loop.check(flow.fields, settings.momentum_drop, most)
        measure = [*o.residual(ahead.also(active=active)), *o.slip(on, flow["res"]), check]
        repeat = self.backend.record([*update, *measure], times=most, flag=active)
        return [loop.begin, *o.momentum.matrix(ahead), o.momentum.solver.factor, *measure, repeat]
