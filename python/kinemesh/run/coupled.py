"""The run loop of bodies on structures: the flow and the structures of a step solved together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import per_member
from kinemesh.bodies.placement import Placement
from kinemesh.errors import SettingsError, warn
from kinemesh.flow.door.rest import refuse_unkicked
from kinemesh.flow.door.structures import KINDS, RESOLVED
from kinemesh.results.oscillations import rows_of, steady_cycle
from kinemesh.run.equilibrium import Held
from kinemesh.run.preflight import reach
from kinemesh.run.resume import identity
from kinemesh.sentences import Sentence
from kinemesh.structure.alpha import Rule, at_rest
from kinemesh.structure.coordinates import LARGEST, SIZES
from kinemesh.structure.coupling import Coupling

if TYPE_CHECKING:
    from kinemesh.flow.door.structures import Structures
    from kinemesh.flow.moving import Moving
    from kinemesh.run.claim import Claim
    from kinemesh.run.plan import Plan

TOLERANCE = 1e-3  # force out of balance over the largest so far at which a step is done
OF_ROOT = ("zeta", "uncertainty", "omega", "k")  # of the result, each with "root_" before it
LIGHT = 1e-2  # of q_inf times length: force that those on bodies without a mass are small beside
MOST = 10  # solutions of the flow in a step
STILL = 1e-6  # radians or reference lengths that a body at rest moves by, at most


def columns(structures: Structures) -> tuple[str, ...]:
    """Columns of the history beside those of other runs."""
    each = [f"{what}_{name}" for what in ("q", "v", "load") for name in structures.names]
    return (*each, "sub_iterations", "coupling_residual", "energy")


def check_kick(solver: Moving, plan: Plan, kick: Any, coupler: Any) -> dict[str, Any]:
    """Entries of the run's identity of a kick, which is checked; modes too fast are told.

    Raises
    ------
    SettingsError    a kick without structures, or one that they do not have; a coupler beside them
    """
    if solver.structures is None:
        if kick is not None:
            raise SettingsError(
                "kick is given, and no body stands on a structure; give the solver structure = "
                f"{KINDS}, or leave kick out"
            )
        return {}
    if coupler is not None:
        raise SettingsError(
            "coupler is given, and the body stands on a structure, which is coupled already; leave "
            "one of the two out"
        )
    solver.structures.kicked(kick)
    refuse_still(solver, plan, kick)
    tell_unresolved(solver.structures, plan.dt)
    own = [None if one is None else dict(one) for one in per_member(kick, solver.grid.members)]
    return {"kick": own, "coupling": {"tolerance": TOLERANCE, "most": MOST}}


def refuse_still(solver: Moving, plan: Plan, kick: Any) -> None:
    """SettingsError where nothing moves a body on a structure in a fluid at rest.

    A run from the present flow may have one that moves.
    """
    if solver.structures is not None and plan.start != "as is":
        refuse_unkicked(solver, per_member(kick, solver.grid.members))


def tell_unresolved(structures: Structures, dt: NDArray[np.float64]) -> None:
    """Warn of modes with fewer than `RESOLVED` steps dt (members,) in a period."""
    for member, mode, steps in structures.unresolved(dt):
        text = (
            f"mode {mode} of the structure has {steps:.2g} steps in a period without a flow, so "
            f"its frequency is not resolved; take {RESOLVED} at least: smaller time steps, or more "
            "steps_per_cycle"
        )
        warn(text, member=member, about="mode not resolved")


def identity_of(
    solver: Moving, plan: Plan | None, kick: Any, coupler: Any = None
) -> dict[str, Any]:
    """Identity of a run, with the kick of one of bodies on structures; without a plan, a steady
    one."""
    if plan is None:
        return identity(solver, "steady")
    return plan.identity(solver) | check_kick(solver, plan, kick, coupler)


class Coupled(Held):
    """Driver of steps in which bodies on structures answer to the flow.

    Parameters
    ----------
    more : as of `Unsteady`, with the kick of the user in the place of the coupler

    Attributes
    ----------
    both : Coupling          of the structures, from the first flow on
    begun_at : (members, n)  coordinates where the present step begins
    missed : (members,)       steps whose coupling did not converge
    """

    settles = False
    both: Coupling

    def __init__(self, claim: Claim, *more: Any) -> None:
        self.missed = np.zeros(claim.solver.grid.members, int)
        super().__init__(claim, *more)
        saved = self.saved
        if saved is not None and saved.phase == self.mode:
            self.missed = np.array(saved.record["structure"]["missed"])
            self.start_at = np.array(saved.record["structure"]["start_at"])

    def columns(self) -> tuple[str, ...]:
        return (*super().columns(), *columns(self.structures))

    def begin(self) -> int:
        done = super().begin()
        own, solver, saved = self.structures, self.solver, self.saved
        resumed = saved is not None and saved.phase == "unsteady"
        f = np.zeros_like(self.start_at)  # until the flow is there
        if not resumed:
            f = self.forces_at_rest()
        # forces on a body without mass and spring are balanced at each end of a step alone
        rule = Rule(own.matrices, self.plan.dt, np.where(own.matrices.massless, 0.0, 1.0))
        first = at_rest(own.matrices, self.start_at, f)
        scale = LIGHT * solver.forces.pressure[own.of] * solver.forces.length
        heavy = solver.added_mass
        self.both = Coupling(rule, first, own.units, TOLERANCE, scale, resting=heavy)
        if saved is not None and resumed:
            self.both.restore(saved.record["structure"]["state"])
            self._end(done)
        else:
            self.keep(0)
        return done

    def keep(self, number: int, phase: str | None = None) -> None:
        if phase is not None or hasattr(self, "both"):  # of the first flow, or with structures
            super().keep(number, phase)

    def memory(self, steps: int) -> dict[str, Any]:
        found = super().memory(steps)
        if hasattr(self, "both"):
            told = {"missed": self.missed.tolist(), "start_at": self.start_at.tolist()}
            found["structure"] = {"state": self.both.kept()} | told
        return found

    def placement(self, laws: Placement, number: int) -> Placement:
        both = self.both
        if not self.placements:
            self.begun_at = both.ahead
            both.begin(self.solver.grid.ensemble.alive)
        onward = both.wanted if self.placements else None
        ends = self.begun_at, both.ahead
        others = super().placement(laws, number)
        return self.structures.free.over(others, ends, both.speed, onward)

    def _coupled(self, number: int) -> bool:
        """Hand the loads to the structures; whether a member has to be solved anew."""
        with self.watch("coupling"):
            solver, both = self.solver, self.both
            forces = solver.structure_forces(solver.moving_loads(self.now))
            wanted = both.take(forces) & solver.grid.ensemble.alive
            over = wanted & (both.count >= MOST)
            self.missed += over
            both.wanted = wanted & ~over
        return bool(both.wanted.any())

    def accept(self, number: int, placement: Placement) -> None:
        self.both.end()
        super().accept(number, placement)
        self._end(number)

    def _end(self, number: int) -> None:
        """End members that have grown too far by step `number`."""
        ensemble = self.solver.grid.ensemble
        grown = self.structures.grown(self.both.now.q) & ensemble.alive
        if grown.any():
            ensemble.end(dict.fromkeys(np.flatnonzero(grown).tolist(), number))

    def fly(self) -> None:
        """Move the mesh to the kick and to its reverse, unless it keeps its shape."""
        if self.dry and not self.tally.preflight:
            with self.watch("motion pre-flight"):
                still = self.solver.bodies.poses(np.zeros(self.solver.grid.members))
                ends = [self.structures.free.at(still, s * self.start_at) for s in (1, -1)]
                self.tally.preflight = reach(self.solver, ends)

    def beside_rows(self) -> dict[str, NDArray[Any]]:
        """Coordinates, rates, forces over the dynamic pressure; turns in radians, shifts, areas and
        energy in reference lengths, amplitudes of modes as they are."""
        both, own, solver = self.both, self.structures, self.solver
        length, pressure = solver.forces.length, solver.forces.pressure[own.of]
        unit = np.where(own.shifts, length, 1.0)
        load = pressure[:, None] * np.where(own.shifts, 1.0, length)
        found = {}
        for j, name in enumerate(own.names):
            found[f"q_{name}"] = both.now.q[:, j] / unit[:, j]
            found[f"v_{name}"] = both.now.v[:, j] / unit[:, j]
            found[f"load_{name}"] = both.now.f[:, j] / load[:, j]
        return found | {
            "sub_iterations": both.count.copy(),
            "coupling_residual": both.change.copy(),
            "energy": both.energy / (pressure * length),
        }

    def ended(self) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
        result, notes, conditions = super().ended()
        for member in np.flatnonzero(self.missed).tolist():
            ratio = self.both.stiffness_of_flow(member)
            notes.append(Sentence(
                f"{self.missed[member]} steps ended with the structure not coupled to "
                f"{TOLERANCE:g} of its forces in {MOST} solutions of the flow; the flow's share "
                f"of the structure's operator is {ratio:.2g}: take smaller time steps, or lower "
                "unsteady_drop",
                member=member, about="not coupled",
            ))  # fmt: skip
        result["uncoupled_steps"] = self.missed
        grown = np.flatnonzero(self.structures.grown(self.both.now.q)).tolist()
        ensemble = self.solver.grid.ensemble
        for member in (m for m in grown if m not in ensemble.failures):
            notes.append(Sentence(
                f"the motion grew beyond {LARGEST['angle_deg']:g} degrees or {LARGEST['shift']:g} "
                f"reference lengths, and ended after step {ensemble.ended.get(member, self.done)}",
                member=member, about="grown",
            ))  # fmt: skip
        told = self.structures.told_of_roots
        for member in self._still(told["names"]):
            notes.append(Sentence(
                f"no coordinate changed by more than {STILL:g} in this run, which had no kick; "
                'where one should move, give kick = {"mode": 1, "angle_deg": 0.5}, or the like',
                member=member, about="still",
            ))  # fmt: skip
        return result | self._roots(told), notes, conditions | {
            "kick": self.claim.run["kick"], "coordinates": told,
        }  # fmt: skip

    def _still(self, names: Sequence[str]) -> list[int]:
        """Members without a kick none of whose coordinates has changed over several steps.

        Amplitudes of modes are as large as their shapes make them, and tell nothing.
        """
        found = []
        for member, kick in enumerate(self.claim.run["kick"]):
            failed = member in self.solver.grid.ensemble.failures
            if kick is not None or failed or self.structures.own[member].sizes != SIZES:
                continue
            rows = self.history.member(member)
            each = [rows[f"q_{name}"] for name in names]
            if len(each[0]) > 1 and not any(np.ptp(own) > STILL for own in each):
                found.append(member)
        return found

    def _roots(self, told: dict[str, Any]) -> dict[str, Any]:
        """Damping of the strongest oscillation of each member, its frequency and its k; and the
        cycle that a motion has come to."""
        each, cycles = [], []
        names = [*(f"cycle_{name}" for name in told["names"]), "cycle_omega"]
        for member in range(self.solver.grid.members):
            rows, cycle = [], {}
            if member not in self.solver.grid.ensemble.failures:
                own = self.history.member(member)
                rows, cycle = rows_of(own, told, member), steady_cycle(own, told, member)
            cycles.append(cycle)
            each.append(max(rows, key=lambda row: float(row["share"]), default={}))
        roots = {f"root_{name}": [row.get(name) for row in each] for name in OF_ROOT}
        return roots | {name: [own.get(name) for own in cycles] for name in names}
