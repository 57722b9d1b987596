"""Doors of unsteady runs: all steps at once, or one by one; arguments are checked before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinemesh.errors import SettingsError
from kinemesh.flow.door.runnable import MOST_PLACEMENTS
from kinemesh.motion import Given
from kinemesh.run.claim import Claim, folder_of
from kinemesh.run.coupled import Coupled, identity_of
from kinemesh.run.driver import at_work, drive
from kinemesh.run.joules import check as check_energy
from kinemesh.run.plan import Plan
from kinemesh.run.rows import columns
from kinemesh.run.stepping import Coupler, Steps
from kinemesh.run.unsteady import Unsteady

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.results import Run


def asked_of(
    solver: Moving,
    cycles: Any = None,
    steps_per_cycle: Any = None,
    time_step: Any = None,
    steps: Any = None,
    until: Any = None,
    periodic_tolerance: Any = None,
    out: Any = None,
    progress: bool = False,
    start: Any = None,
    resume: Any = False,
    overwrite: Any = False,
    preflight: Any = True,
    energy: Any = False,
    coupler: Any = None,
    most_placements: Any = MOST_PLACEMENTS,
    kick: Any = None,
) -> tuple[Any, ...]:
    """Arguments of `at_work` from those of a user; refuses what is wrong before anything is run."""
    coupled = Coupler.of(coupler, most_placements)
    if not isinstance(preflight, bool):
        raise SettingsError(f"preflight is {preflight!r}, expected True or False")
    check_energy(energy)
    folder = folder_of(out, resume, overwrite)
    plan = Plan.of(solver, start, cycles, steps_per_cycle, time_step, steps, until,
                   periodic_tolerance)  # fmt: skip
    if solver.grid.members == 1:  # a law that does not last must fail before the run
        solver.bodies.rates(plan.count * plan.dt)
    columns(solver)  # markers whose columns would have one name must fail before it, too
    claim = Claim(solver, identity_of(solver, plan, kick, coupler), plan)
    more = (preflight, coupled) if solver.structures is None else (preflight, kick)
    kind = Unsteady if solver.structures is None else Coupled
    return kind, claim, folder, resume, overwrite, progress, energy, *more


def unsteady(solver: Moving, **asked: Any) -> Run:
    """Run the motion; see `kinemesh.flow.door.runnable.Runnable.run`."""
    given = [name for (_, name), m in zip(solver.grid.bodies, solver.motions, strict=True)
             if isinstance(m, Given)]  # fmt: skip
    if given and asked.get("coupler") is None:
        raise SettingsError(
            f"the poses of body {given[0]!r} are given step by step (km.motion.given), and run "
            "takes all steps; use `for step in case.steps(...)` with step.place, or a coupler"
        )
    return drive(*asked_of(solver, **asked))


def stepwise(solver: Moving, **asked: Any) -> Steps:
    """Loop over the steps; see `kinemesh.flow.door.runnable.Runnable.steps`."""
    return Steps(at_work(*asked_of(solver, **asked)))
