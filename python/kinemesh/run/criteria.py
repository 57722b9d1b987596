"""Criteria for the end of a run: convergence, divergence, periodicity."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.faults import DIVERGED
from kinemesh.errors import CaseError
from kinemesh.io.columns import LOADS, SIDE
from kinemesh.loops.harmonics import LEAST
from kinemesh.loops.loop import loop_of_history
from kinemesh.loops.spectrum import LEAST as LEAST_ROWS
from kinemesh.loops.spectrum import Spectrum, with_bodies
from kinemesh.sentences import NO_RESUME, Option, Sentence

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.io.history import History
    from kinemesh.run.plan import Plan
    from kinemesh.space.members import Members

NOT_CONVERGED, NOT_PERIODIC, NOT_KNOWN = "steps not converged", "not periodic", "periodic or not"

# Residual over its first value where a march has ended.  Measured over whole marches: below 1.4 on
# the way to the ready cases' steady flows, below 4 where a march stalls.
MOST_RISE = 10.0
# Iterations in a row above it without a fall, after which a steady march has diverged.  Residuals
# of coarse tetrahedra about a wing are 15 to 130 times the first one for 17 to 45 iterations of an
# impulsive start, and converge; below FALLING of their peak they are on their way back, and for 15
# iterations in a row at most they are not.
LONGEST_RISE = 60
FALLING = 0.8


def risen(solver: Moving) -> NDArray[np.bool_]:
    """(members,) whether the residual is more than MOST_RISE times its first value.

    A residual at round-off is none: its first value may have been zero.
    """
    get, dual = solver.backend.get, solver.dualtime
    norm, base = get(dual.norm), get(dual.base)
    above: NDArray[np.bool_] = ~(norm <= MOST_RISE * base)
    if above.any():
        above &= ~(norm <= get(dual.floor)) & ~(norm <= MOST_RISE * dual.calm)
    return above & solver.grid.ensemble.alive


class Rising:
    """Iterations in a row in which the residuals of members were above MOST_RISE and did not fall.

    Attributes
    ----------
    count : (members,)
    peak : (members,) largest residual among them
    """

    def __init__(self, members: int) -> None:
        self.count, self.peak = np.zeros(members, int), np.zeros(members)

    def refuse(self, solver: Moving, where: str) -> None:
        """Fail members that have risen for LONGEST_RISE iterations; after each iteration."""
        above = risen(solver)
        if not above.any():  # as nearly always: nothing else is read from the device
            self.count[:], self.peak[:] = 0, 0
            return
        norm = solver.backend.get(solver.dualtime.norm)
        falling = norm < FALLING * self.peak
        self.count = np.where(above & ~falling, self.count + 1, 0)
        self.peak = np.where(
            above & ~falling, np.maximum(self.peak, norm), np.where(above, norm, 0)
        )
        refuse_diverged(solver, where, self.count >= LONGEST_RISE)


def refuse_diverged(solver: Moving, where: str, of: NDArray[np.bool_] | bool = True) -> None:
    """Fail members, all or some, whose residual is now MOST_RISE times its first value."""
    get, dual = solver.backend.get, solver.dualtime
    norm, base = get(dual.norm), get(dual.base)
    for m in np.flatnonzero(risen(solver) & of).tolist():
        count = int(get(solver.dualtime.iterations)[m])
        rise = norm[m] / max(base[m], 1e-300)
        solver.grid.ensemble.fail(
            m,
            f"diverged, the residual rose to {rise:.1e} times its first value",
            solver.grid.ensemble.advice(m, DIVERGED),
            when=f" ({where}, iteration {count})",
            iteration=count,
            about="diverged",
        )


def at_roundoff(solver: Moving) -> NDArray[np.bool_]:
    """(members,) whether round-off alone may leave a march's residual as it is."""
    get, dual = solver.backend.get, solver.dualtime
    norm = get(dual.norm)
    low: NDArray[np.bool_] = norm <= get(dual.floor)
    low |= np.maximum(norm, get(dual.base)) <= dual.calm
    return low


def last_cycle(rows: History) -> NDArray[np.bool_]:
    """Mask (rows,) of the last cycle; all rows where the run has less than one cycle."""
    # cycle is a fraction of exact steps: 1e-9 is far above its rounding, far below a step
    last: NDArray[np.bool_] = rows["cycle"] > rows["cycle"][-1] - 1 + 1e-9
    return last


def short_steps(solver: Moving, member: int, rows: History) -> str:
    """End of a sentence on a member's steps that ended short: the worst, and what is known.

    Place and phase are those of the last step, where it is one of them.
    """
    bad, s = np.flatnonzero(rows["converged"] == 0), solver.settings
    if not len(bad):  # rows of them were lost
        return ""
    drop = rows["residual_drop"]
    worst, beside = bad[drop[bad].argmax()], drop[bad] <= s.unsteady_drop
    text = f", at worst {drop[worst]:.1e} in step {rows['step'][worst]:.0f}"
    if beside.any():
        text += f", in {beside.sum()} of them by the model of turbulence alone"
    most = getattr(s, "unsteady_iterations", None)  # of a gas
    if most is not None:
        text += f"; raise unsteady_iterations ({most}), or {s.remedy} where it does not fall"
    if bad[-1] != rows.rows - 1 or not solver.grid.ensemble.alive[member]:
        return text
    found = solver.suspects_beside(member) if beside[-1] else solver.suspects(member)
    return text + found + solver.phase(member, steady=False)


def loads(rows: History) -> dict[str, float]:
    """Time [chord/U] and loads of a member's last step, by their columns."""
    names = [name for name in rows.columns if name.split("_")[0] in (*LOADS, *SIDE)]
    return {name: float(rows[name][-1]) for name in ["time", *names]}


def converged(rows: History) -> bool:
    """Return True if every step in the last cycle of a member's rows converged."""
    return bool(rows["converged"][last_cycle(rows)].all())


def of_members(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Results of one member as they are; of several a list of each."""
    if len(found) == 1:
        return found[0]
    names = dict.fromkeys(name for result in found for name in result)
    return {name: [result.get(name) for result in found] for name in names}


def over(plan: Plan, history: History, members: Members, number: int) -> bool:
    """Return True after the last step `number`, or where all members have ended.

    Periodic or not is asked at the end of every cycle after the ramps of motions: each member that
    is periodic ends there, as it does alone.
    """
    if number >= plan.count or not members.alive.any():
        return True
    if plan.until == "cycles":
        return False
    assert plan.steps_per_cycle is not None
    cycle, part = divmod(number, plan.steps_per_cycle)
    if part or cycle < 2:
        return False
    # two cycles of a long ramp may be as near to one another as those of a periodic loop
    going = [m for m in np.flatnonzero(members.alive).tolist() if plan.past_ramps(m, number)]
    members.end({m: number for m in going if periodic(plan, history, m)})
    return not members.alive.any()


def periodic(plan: Plan, history: History, member: int) -> bool:
    """Return True if the loops of a member's last two cycles agree within the tolerance."""
    return loop_of_history(history, member, plan.tolerance).periodic is True


def refuse_to_go_on(plan: Plan, history: History, ended: Mapping[int, int], where: str) -> None:
    """Raise CaseError if a resumed run would have to continue members that ended before others."""
    for m, step in ended.items() if not plan.free else ():
        if plan.until == "cycles" or not periodic(plan, history, m):
            raise CaseError(
                f"{where}: member {m} was periodic and ended after step {step}, others went on, so "
                "it cannot go on with them; run without ",
                NO_RESUME,
                " to begin anew",
            )


def _which(loop: dict[str, Any]) -> str:
    """The coefficient whose change counts."""
    lift = loop["cl"]
    counts = isclose(lift["change"]["rms"], loop["change"] * max(lift["amplitude"], LEAST))
    return "cl" if counts else "cm"


def periodicity(plan: Plan, loops: dict[int, dict[str, Any]]) -> list[str]:
    """A sentence for each member whose loop is not periodic, or not known to be where it must."""
    until = plan.until == "periodic"
    enough = (", and ", Option("until", "periodic"), " runs no more of them than it takes")
    more = Sentence("raise cycles", *(() if until else enough))
    notes: list[str] = []
    for m, loop in loops.items():
        known = loop.get("change") is not None
        if known and not loop["periodic"]:
            text = (
                f"not periodic, the last of {loop['cycles']:g} cycles differs from the "
                f"one before by {100 * loop['change']:.2g} % of the amplitude of {_which(loop)} "
                f"(rms), expected at most {100 * plan.tolerance:g} %"
            )
            notes.append(Sentence(text, member=m, about=NOT_PERIODIC, advice=more))
        elif not known and until:
            text = "whether it is periodic is not known of less than two cycles"
            notes.append(Sentence(text, member=m, about=NOT_KNOWN, advice=more))
    return notes


def result(rows: History, plan: Plan, per_length: float) -> tuple[dict[str, Any], Spectrum | None]:
    """Numbers of one member: those of its last cycle's loop, in a run of at least one cycle.

    Of a run without a cycle they are the loads at its end, and of its second half the spectrum.
    """
    least = {"least_area": rows["min_area"], "least_angle_deg": rows["min_angle_deg"]}
    # points of a cloud have neither cells nor angles
    found: dict[str, Any] = {"converged": converged(rows)}
    found |= {name: v.min() for name, v in least.items() if not np.isnan(v).any()}
    if plan.periods is None:
        found["end"] = loads(rows)
    elif rows["cycle"][-1] >= 1 - 1e-9:
        found |= loop_of_history(rows, tolerance=plan.tolerance).to_dict()
    if plan.periods is not None or rows.rows < 2 * LEAST_ROWS:
        return found, None
    spectrum = with_bodies(rows, per_length=per_length)
    return found | {"spectrum": spectrum.to_dict()}, spectrum
