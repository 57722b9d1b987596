"""Record of a run: history, summary and folder, and results that follow from these alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.folder import is_written
from kinemesh.io.history import History
from kinemesh.loops.harmonics import PERIODIC
from kinemesh.loops.loop import Loop, loop_of_history

T = TypeVar("T", bound=Any)


@dataclass(slots=True, repr=False)
class Record:
    """History, summary and folder of a run."""

    history: History
    summary: dict[str, Any]
    out: Path | None

    @property
    def members(self) -> int:
        """Number of members."""
        if "asked" in self.summary:
            return len(self.summary["asked"])
        return max([m + 1 for m in self.history.members], default=1)

    @property
    def finished(self) -> str | None:
        """Time when the run ended (ISO 8601, UTC); None for a run that is running, was stopped or
        failed."""
        return self.summary.get("finished")

    @property
    def running(self) -> bool:
        """True while the run goes on, in this process or in another that writes into its folder."""
        return self.finished is None and self.out is not None and is_written(self.out)

    @property
    def converged(self) -> bool | NDArray[np.bool_]:
        """True if the run converged; an array (members,) for several members.

        A steady run converged if its residual fell by `steady_drop`, or to round-off.  An unsteady
        run converged if the residual fell by `unsteady_drop`, or to round-off, in every step of the
        last cycle (of a motion without a period, in every step).  A member that failed did not.
        CaseError where the run did not finish.
        """
        if "converged" not in self.summary.get("result", {}):
            raise CaseError(f"the run {self.told()}: no word of whether it converged")
        found = self.summary["result"]["converged"]
        return found if isinstance(found, bool) else np.array(found)

    @property
    def failed(self) -> list[dict[str, Any]]:
        """Members that failed while others went on, in their order.

        For each `member`, `cause`, `place`, `phase` ("steady flow", "step 12", ...), `step`
        and `iteration` (None where there is none), and `text`, all of it as a sentence with what to
        try.  Empty for a run of one member, which raises `NumericalFault`.
        """
        return [dict(row) for row in self.summary.get("failed", [])]

    def refuse_failed(self, member: int | None) -> None:
        """Raise CaseError with the cause if a member has failed."""
        self.history.refuse_failed(member, str(self.out or "run"))

    def asked(self) -> list[dict[str, Any]]:
        """Inputs of each member: mach, alpha_deg, parameters of its motion, mesh, nodes.

        A folder of an earlier version has mach and alpha_deg alone.
        """
        if "asked" in self.summary:
            return [dict(row) for row in self.summary["asked"]]
        told: list[dict[str, Any]] = [{} for _ in range(self.members)]
        for name in ("mach", "alpha_deg"):
            value = self.summary.get("conditions", {}).get(name)
            each = value if isinstance(value, list) else [value] * self.members
            for row, number in zip(told, each, strict=True):
                row[name] = number
        return told

    def loop(self, member: int | None = None) -> Loop:
        """Loop of the last cycle of a member, as `kinemesh.hysteresis(run, member)` gives it.

        CaseError, with the cause, of a member that has failed.
        """
        asked = self.summary.get("conditions", {}).get("periodic_tolerance")
        tolerance = PERIODIC if asked is None else asked
        found = loop_of_history(self.history, member, tolerance, str(self.out or "run"))
        return self.signed(found, member)

    def signed(self, found: T, member: int | None) -> T:
        """A result of a member that knows what it is of, by which figures have their titles."""
        return replace(found, source=(self, member or 0))

    def told(self) -> str:
        """End of the run in words: finished, running, or the last step."""
        if self.finished:
            return f"finished {self.finished}"
        running = self.running
        if not self.history.rows:
            return "is running: no step is done" if running else "did not finish: no step was done"
        unit = "step" if self.history.kind == "unsteady" else "iteration"
        done = f"{unit} {self.history[unit].max()}"
        if running:
            return f"is running: its history has come to {done}"
        return f"did not finish: its history ends at {done}"
