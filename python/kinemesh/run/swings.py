"""Loads that swing from step to step, because the steps are far too long.

Of solvers whose history has the column `cfl`: docs/theory.md, after (7.9b).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.run.advice import smaller_step
from kinemesh.run.courant import MOST, SHARE

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.io.history import History
    from kinemesh.run.plan import Plan

# Measured: NACA 0012 at Reynolds number 1000 on 17,000 nodes of triangles graded from the wall.
# With steps of 0.03 and 0.05 (CFL numbers 27 and 45) the lift swings ever more, in ten steps there
# and back; with 0.02 (18) and with 0.1 on 4000 nodes (40) it settles within 4 % of the load.
LONGEST = 6  # steps between two turning points: hardly any flow is resolved by 12 in a period
MOTION = 8  # of these in a period of a motion, at least, as its loads have harmonics
COUNT = 8  # swings one after another
LEAST = 0.1  # of a swing that counts, over the load


class Swings:
    """The last loads of a run's members, watched for swings.

    Parameters
    ----------
    solver, plan : of the run
    history : its rows so far
    """

    def __init__(self, solver: Moving, plan: Plan, history: History) -> None:
        self.solver, self.plan = solver, plan
        self.limit = MOST * solver.settings.outer
        self.names = [n for n in history.columns if n.split("_")[0] in ("cl", "cd")]
        self.longest = _longest(solver, plan)
        self.last: deque[NDArray[np.float64]] = deque(maxlen=(COUNT + 1) * LONGEST)
        self._begin(history)

    def _begin(self, history: History) -> None:
        """Take up the rows of an earlier part of the run."""
        members = self.solver.grid.members
        for step in np.unique(history["step"])[-(self.last.maxlen or 0) :].tolist():
            rows, there = np.full((members, len(self.names) + 1), np.nan), history["step"] == step
            of = history["member"][there]
            for column, name in enumerate(["cfl", *self.names]):
                rows[of, column] = history[name][there]
            self.last.append(rows)

    def look(self, rows: dict[str, Any], number: int) -> None:
        """Add the rows (members,) of step `number`; members fail whose loads swing.

        NumericalFault in place of that where there is one member.
        """
        self.last.append(np.stack([rows[name] for name in ("cfl", *self.names)], axis=1))
        members = self.solver.grid.ensemble
        for m in np.flatnonzero(members.alive & (rows["cfl"] > self.limit)).tolist():
            values = np.stack([row[m] for row in self.last])
            for name, load in zip(self.names, values[:, 1:].T, strict=True):
                twin = ("cd" if name[:2] == "cl" else "cl") + name[2:]
                force = np.hypot(load, values[:, 1 + self.names.index(twin)])
                first = swinging(load, force, int(self.longest[m]))
                if first and (values[-first:, 0] > self.limit).all():
                    self._fail(m, name, load[-first:], values[-first:, 0], number)
                    break

    def _fail(self, m: int, name: str, load: NDArray[Any], cfl: NDArray[Any], number: int) -> None:
        usual = float(np.median(cfl))
        share = SHARE * self.limit / usual
        which, value = smaller_step(share, float(self.plan.dt[m]), self.plan.steps_per_cycle)
        self.solver.grid.ensemble.fail(
            m,
            f"{name} swings between {load.min():.3g} and {load.max():.3g} over the last "
            f"{len(load)} steps, by more than {100 * LEAST:g} % of the load within "
            f"{self.longest[m]} steps and with no end: at a CFL number of {usual:.3g} the steps "
            "are far too long",
            f"{which} = {value:.6g}, which brings it to about {SHARE * self.limit:g}",
            when=f" (step {number} of {self.plan.count})",
            about=f"{name} swings",
        )


def _longest(solver: Moving, plan: Plan) -> NDArray[np.int64]:
    """(members,) steps between two turning points of a swing, at most."""
    found = np.full(solver.grid.members, LONGEST)
    for (m, _), motion in zip(solver.grid.bodies, solver.motions, strict=True):
        period = None if motion is None else motion.period(float(solver.speed[m]))
        if period is not None:
            found[m] = min(found[m], int(period / plan.dt[m] / MOTION))
    return found


def swinging(load: NDArray[Any], force: NDArray[Any], longest: int = LONGEST) -> int:
    """Number of the last steps in which a load swings without end; 0 where it does not.

    It does where its last COUNT ways from one turning point to the next each took at most
    `longest` steps, the last half of them are longer than LEAST of the force, and the largest
    of these is no less than the largest before.
    """
    way = np.diff(load)
    turns = (np.flatnonzero(way[1:] * way[:-1] < 0) + 1)[-COUNT - 1 :]
    if len(turns) <= COUNT or (np.diff([*turns, len(load) - 1]) > longest).any():
        return 0
    swing, half = np.abs(np.diff(load[turns])), COUNT // 2
    size = float(np.sqrt(np.mean(force[turns[0] :] ** 2)))
    endless = swing[half:].max() >= swing[:half].max() and swing[half:].min() > LEAST * size
    return len(load) - int(turns[0]) if endless else 0
