"""Turns of grids per step, predicted and computed, and mass defects: their limits and warnings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError, warn_of
from kinemesh.run import interrupt
from kinemesh.run.advice import smaller_step
from kinemesh.run.courant import START, moment, peak
from kinemesh.sentences import Sentence

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.io.history import History
    from kinemesh.run.plan import Plan

# Degrees by which a grid may turn in a step.  What rests in space passes the cells of such a grid,
# so that its step is that of a wave: a cylinder at Reynolds number 100 whose surface has the
# stream's speed, on its turning mesh of 8000 nodes, has a Strouhal number 3, 3.5, 7 and 16 % low
# with 0.7, 1.4, 2.9 and 5.7 degrees a step (docs/validation.md, "Turns of grids").
MOST_TURN = 2.0
# Degrees by which it may turn in most of its steps.  With 5.7 cl and cd of that cylinder are within
# 2 % of the published ones; with 11.5, on 3000 nodes, they are 7 and 10 % off, or the run fails.
FARTHEST = 8.0
MOST_DEFECT = 2e-2  # of the history's mass_defect, as of strides that are too long


def foretell(solver: Moving, plan: Plan) -> set[int]:
    """Warn of grids that turn too far in a step by their motion; returns the members warned of.

    Steps count as after the run.  Of a motion that repeats they are those of one cycle, which
    begins where steps count.  A motion that has no pose at a time is left to the run.
    """
    turning = _turning(solver)
    if not turning:
        return set()
    number, degrees = _degrees(solver, plan)
    steps = len(number)
    notes: dict[int, list[str]] = {}
    for m, own in turning.items():
        time = number * plan.dt[m]
        phase = 360 * (plan.cycle(time, np.full(steps, m)) % 1)
        rows = {"step": number, "time": time, "phase_deg": phase}
        rows |= {name: degrees[m, name] for name in own}
        found = largest_turn(rows, plan, {name: name for name in own})
        instead = own[found["body"]][1] if found else ""
        counted = f"{steps} steps" if steps == plan.count else f"{plan.dry_steps} steps of a cycle"
        notes[m] = _turn_remark(m, found, "will turn", counted, instead)
    warn_of(note for said in notes.values() for note in said)
    return {m for m, said in notes.items() if said}


def refuse_farthest(solver: Moving, plan: Plan) -> None:
    """Refuse grids that turn by more than `FARTHEST` in most of their steps, by their motion.

    Raises
    ------
    SettingsError    naming member, body, and the step that would do
    """
    turning = _turning(solver)
    if not turning:
        return
    number, degrees = _degrees(solver, plan)
    if len(number) < 2:
        return
    for m, own in turning.items():
        for name, (_, instead) in own.items():
            turn = float(np.median(np.abs(np.diff(degrees[m, name]))))
            if not FARTHEST < turn < np.inf:  # a motion without a pose is left to the run
                continue
            share = MOST_TURN / turn
            what, value = smaller_step(share, float(plan.dt[0]), plan.steps_per_cycle)
            raise SettingsError(
                f"the grid of {name} turns by {turn:.3g} degrees in a step, expected {FARTHEST:g} "
                f"at most: loads would be wrong by a tenth; {what} = {value:.6g} would do{instead}",
                member=m if solver.grid.members > 1 else None,
                argument=what,
            )


def _turning(solver: Moving) -> dict[int, dict[str, tuple[str, str]]]:
    """Bodies of each member whose grids turn in a flow that feels it."""
    members = range(solver.grid.members)
    return {m: own for m in members if (own := solver.turning_bodies(m))}


def _degrees(solver: Moving, plan: Plan) -> tuple[NDArray[np.int64], dict[tuple[int, str], Any]]:
    """Numbers of the steps that are looked at ahead, and the angle of each body there [degrees]."""
    steps = min(plan.count, plan.dry_steps + START)
    number, angles = np.arange(1, steps + 1), []
    for step in number.tolist():
        angles.append(solver.bodies.angles(step * plan.dt))
        interrupt.check()
    return number, dict(zip(solver.grid.bodies, np.degrees(angles).T, strict=True))


def largest_turn(
    rows: History | Mapping[str, Any], plan: Plan, bodies: Mapping[str, str]
) -> dict[str, Any]:
    """Largest turn of a grid in a step [degrees], over a member's rows; {} without turning grids.

    Parameters
    ----------
    bodies : columns of the angles of those whose turns count, by name

    Returns
    -------
    dict    `body` and what `courant.peak` finds; where steps are above the limit
        `steps_per_cycle`, or `time_step`, that would do
    """
    worst: dict[str, Any] = {}
    for name, column in bodies.items():
        turn = np.abs(np.diff(rows[column], prepend=np.nan))
        found = {"body": name, **peak(turn, rows, plan, MOST_TURN)}
        if found["largest"] > worst.get("largest", 0.0):
            worst = found
    if worst.get("steps_above"):
        share = MOST_TURN / worst["largest"]
        name, value = smaller_step(share, float(plan.dt[0]), plan.steps_per_cycle)
        worst[name] = value
    return worst


def turn_remark(member: int, found: dict[str, Any], steps: int, instead: str = "") -> list[str]:
    """Warning where a grid turned too far in a step; `found` : result of `largest_turn`.

    Parameters
    ----------
    instead : what the grid need not turn with, in words
    """
    return _turn_remark(member, found, "turned", f"{steps} steps", instead)


def _turn_remark(
    member: int, found: dict[str, Any], turned: str, steps: str, instead: str
) -> list[str]:
    if not found.get("steps_above"):
        return []
    name = "steps_per_cycle" if "steps_per_cycle" in found else "time_step"
    text = (
        f"the grid of {found['body']} {turned} by more than {MOST_TURN:g} degrees "
        f"in {found['steps_above']} of {steps}, by {found['largest']:.3g} in {moment(found)}: what "
        "rests beside it passes its cells too fast, and loads and frequencies depend on the step; "
        f"{name} = {found[name]:.6g} would do{instead}"
    )
    return [Sentence(text, member=member, about="turn of a grid")]


def largest_defect(rows: History, plan: Plan) -> dict[str, Any]:
    """Largest mass defect in a member's rows, as of `courant.peak`."""
    return peak(np.abs(rows["mass_defect"]), rows, plan, MOST_DEFECT)


def defect_remark(member: int, found: dict[str, Any], steps: int) -> list[str]:
    """Warning where mass was lost; `found` : result of `largest_defect`."""
    if not found["steps_above"]:
        return []
    text = (
        f"the mass defect was above {MOST_DEFECT:g} in {found['steps_above']} of "
        f"{steps} steps, {found['largest']:.3g} in {moment(found)}: so much flows out through the "
        "outer boundary that does not come in, and the loads may be off by as much; smaller steps, "
        "cells of like size where parts lie over one another, or outer = 2"
    )
    return [Sentence(text, member=member, about="mass defect")]


def steady_defect_remarks(numbers: Mapping[str, Any], alive: NDArray[np.bool_]) -> list[str]:
    """Sentences about members whose march ended with mass that is lost.

    Parameters
    ----------
    numbers : of a march, (members,) each, with `mass_defect` of incompressible flow
    """
    lost = np.asarray(numbers.get("mass_defect", np.zeros(len(alive))))
    return [
        Sentence(
            f"the mass defect is {lost[m]:.3g} at the end, expected at most {MOST_DEFECT:g}: so "
            "much flows out through the outer boundary that does not come in; look at where "
            "velocities are given, or make cells of like size where parts lie over one another",
            member=m,
            about="mass defect",
        )
        for m in np.flatnonzero(alive & (np.abs(lost) > MOST_DEFECT))
    ]


def steps_of(history: History, member: int) -> int:
    """Number of physical steps of a member."""
    return int(history.member(member)["step"].max(initial=0))


def told(
    solver: Moving, plan: Plan, history: History, member: int, result: dict[str, Any]
) -> tuple[list[str], list[str]]:
    """Sentences of turns that are too far, and of mass that is lost; both go to the result."""
    rows, steps = history.member(member), steps_of(history, member)
    turned: list[str] = []
    lost: list[str] = []
    turning = solver.turning_bodies(member)
    found = largest_turn(rows, plan, {name: own[0] for name, own in turning.items()})
    if found:
        result["turn_deg"] = found
        turned += turn_remark(member, found, steps, turning[found["body"]][1])
    if "mass_defect" in solver.columns and rows["mass_defect"].any():
        result["mass_defect"] = largest_defect(rows, plan)
        lost += defect_remark(member, result["mass_defect"], steps)
    return turned, lost
