"""First flow of bodies on structures at their equilibrium: steady marches between changes of place.

A march goes on from the flow of the one before, and its residual falls as far as the first one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.flow.door.structures import EQUILIBRIUM
from kinemesh.motion import Pose
from kinemesh.run.steady import to_start
from kinemesh.run.unsteady import Unsteady
from kinemesh.structure.coordinates import LARGEST
from kinemesh.structure.equilibrium import TOLERANCE, Equilibrium

if TYPE_CHECKING:
    from kinemesh.flow.door.structures import Structures
    from kinemesh.run.claim import Claim

MOST = 30  # steady flows
ABOUT = "no equilibrium"
BEGIN = "start = 'steady' begins where the springs have no force"


class Held(Unsteady):
    """Driver of steps that begin with bodies on structures held, in a kick or at an equilibrium.

    Parameters
    ----------
    more : as of `Unsteady`, with the kick of the user in the place of the coupler

    Attributes
    ----------
    kicked, start_at : (members, n)    coordinates of the kick, and where the run begins
    search : Equilibrium, of a run that begins there
    iterations_before : (members,)     of its marches before the present one
    """

    search: Equilibrium
    iterations_before: NDArray[np.int64]

    def __init__(self, claim: Claim, *more: Any) -> None:
        *others, kick = more
        assert claim.solver.structures is not None
        self.structures: Structures = claim.solver.structures
        self.start_at = self.kicked = self.structures.kicked(kick)
        super().__init__(claim, *others)

    def first_poses(self) -> Sequence[Pose]:
        return self.structures.free.at(self.solver.bodies.poses(
            np.zeros(self.solver.grid.members)), self.start_at)  # fmt: skip

    def forces_at_rest(self) -> NDArray[np.float64]:
        """(members, n) forces of the present flow on bodies that rest where the run begins."""
        there = self.solver.standing(self.first_poses())
        return self.solver.structure_forces(self.solver.moving_loads(there))

    def memory(self, steps: int) -> dict[str, Any]:
        found = super().memory(steps)
        if hasattr(self, "search"):
            before = self.iterations_before.tolist()
            found["structure"] = {"search": self.search.kept(), "iterations": before}
        return found

    def first_flow(self, poses: Sequence[Pose]) -> tuple[dict[str, Any], list[Any]]:
        """March to the steady flow about bodies in their kick; of a run that begins at the
        equilibrium to those until structures hold their loads, then to that of the kick."""
        if self.plan.start != EQUILIBRIUM:
            return super().first_flow(poses)
        ensemble, saved = self.solver.grid.ensemble, self.saved
        search = self._search()
        iterations = np.zeros(ensemble.count, int)
        if saved is not None:
            search.restore(saved.record["structure"]["search"])
            iterations = np.array(saved.record["structure"]["iterations"])
        kicked = self.kicked.any(axis=1)
        notes: dict[Any, Any] = {}
        while True:
            wanted = search.wanted & ensemble.alive
            last = not wanted.any()
            if last and not (kicked & ensemble.alive).any():
                break
            self.start_at = search.at + np.where(last, self.kicked, 0.0)
            self.iterations_before = iterations
            who = None if search.count == 0 else kicked if last else wanted
            result, told = to_start(self, self.first_poses(), who)
            self.saved = None  # it has been taken up
            iterations = iterations + result["iterations"]
            notes |= {(getattr(n, "member", None), getattr(n, "about", str(n))): n for n in told}
            if last:
                break
            with ensemble.quiet():
                forces = self.forces_at_rest()
            search.take(np.where(ensemble.alive[:, None], forces, 0.0))
            self._refuse()
        self.start_at = search.at + self.kicked
        return result | {"iterations": iterations}, list(notes.values())

    def _search(self) -> Equilibrium:
        """Search for the equilibria, at its begin."""
        own, forces = self.structures, self.solver.forces
        self.search = Equilibrium(own.matrices, own.units, forces.pressure[own.of] * forces.length)
        return self.search

    def _refuse(self) -> None:
        """Members without an equilibrium fail."""
        ensemble, own = self.solver.grid.ensemble, self.structures
        search = self.search
        grown = own.grown(np.nan_to_num(search.at)) & ~search.lost
        late = search.wanted & (search.count >= MOST)
        for member in np.flatnonzero(ensemble.alive & (search.lost | grown | late)).tolist():
            growth = float(search.growth[member])
            if growth >= 1:
                cause = (
                    "static divergence: a change of the coordinates brings loads that are "
                    f"{growth:.3g} times what the springs then hold"
                )
                remedy = f"springs that are {growth:.3g} times as stiff"
                if hasattr(own.each[member], "speed_index"):
                    remedy = f"a speed_index below {own.each[member].speed_index / growth**0.5:.3g}"
            elif grown[member]:
                cause = (
                    f"the equilibrium lies beyond {LARGEST['angle_deg']:g} degrees or "
                    f"{LARGEST['shift']:g} reference lengths"
                )
                remedy = f"stiffer springs, or less load; {BEGIN}"
            else:
                cause = (
                    f"no equilibrium in {search.count} steady flows: forces of "
                    f"{search.apart[member]:.2g} of the largest are out of balance, "
                    f"{TOLERANCE:g} asked"
                )
                remedy = f"a lower steady_drop, as loads are to be as exact; {BEGIN}"
            ensemble.fail(member, cause, remedy, about=ABOUT)
