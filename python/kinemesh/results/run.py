"""Results of a run: history and summary, and from them loops, tables and flow fields."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.history import History
from kinemesh.results import fields, table

if TYPE_CHECKING:
    from kinemesh.hysteresis import Loop
    from kinemesh.results.pressures import Pressures


@dataclass(slots=True, repr=False)
class Run:
    """Results of a run; `kinemesh.open(folder)` gives them again.

    Parameters
    ----------
    history : History    a row per member and step (of a steady run, per iteration)
    summary : dict       contents of summary.json, in the types of JSON
    out : Path or None   folder of the run; None where the run wrote no files
    """

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
        """Time when the run ended (ISO 8601, UTC); None for a run that was stopped or failed."""
        return self.summary.get("finished")

    @property
    def converged(self) -> bool | NDArray[np.bool_]:
        """Whether the run converged; an array (members,) for several members.

        A steady run converged if its residual fell by `steady_drop`, or to round-off.  An unsteady
        run converged if the residual fell by `unsteady_drop`, or to round-off, in every step of the
        last cycle (of a motion without a period, in every step).  CaseError where the run did not
        finish.
        """
        if "converged" not in self.summary.get("result", {}):
            raise CaseError(f"the run {self.told()}: no word of whether it converged")
        found = self.summary["result"]["converged"]
        return found if isinstance(found, bool) else np.array(found)

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
        """Loop of the last cycle of a member, as `kinemesh.hysteresis(run, member)` gives it."""
        from kinemesh.hysteresis import hysteresis
        from kinemesh.loops.harmonics import PERIODIC

        asked = self.summary.get("conditions", {}).get("periodic_tolerance")
        return hysteresis(self, member, tolerance=PERIODIC if asked is None else asked)

    def table(self) -> Any:
        """A row per member: inputs and results.

        The first columns are mach, alpha_deg, k and amplitude of the motion, and other inputs that
        differ between members.  Then come the results: means and amplitudes, damping, work,
        derivatives, `converged`, and in `cause` the warnings about the member
        (docs/results.md has all columns).

        Returns
        -------
        pandas.DataFrame, or where pandas is not installed a structured array (members,)
        """
        return table.frame(self)

    def frames(self, member: int | None = None) -> fields.Frames:
        """Times, cycles and phases of the frames whose flow was kept.

        CaseError where the run has no folder, or no such member.
        """
        return fields.frames(self, member)

    def fields(
        self,
        frame: int | None = None,
        *,
        phase_deg: float | None = None,
        member: int | None = None,
    ) -> fields.Fields:
        """Flow fields of one frame as NumPy arrays with their points and cells.

        Parameters
        ----------
        frame : int          number of the frame: 0 the first, -1 the last (default)
        phase_deg : float    in place of `frame`: take the last frame at this phase of the motion
        member : int         of an ensemble, from 0

        Raises
        ------
        CaseError    no folder, no such member or frame, or no frame at that phase (the message
            names the nearest ones)
        """
        return fields.read(self, frame, phase_deg, member)

    def pressures(self, member: int | None = None) -> dict[str, Pressures]:
        """Unsteady pressures on the wall of each body over the last cycle, by marker.

        CaseError for a steady run, for a wing, and where fewer than three frames were kept.
        """
        from kinemesh.results.pressures import pressures

        return pressures(self, member)

    def told(self) -> str:
        """How far the run came, in words."""
        if self.finished:
            return f"finished {self.finished}"
        if not self.history.rows:
            return "did not finish: no step was done"
        unit = "step" if self.history.kind == "unsteady" else "iteration"
        return f"did not finish: its history ends at {unit} {self.history[unit].max()}"

    def __repr__(self) -> str:
        members = f"{self.members} members, " if self.members > 1 else ""
        where = "" if self.out is None else f", out={str(self.out)!r}"
        kind = self.history.kind
        return f"Run({kind}, {members}{self.history.rows} rows, {self.told()}{where})"

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        from kinemesh.io.html import table_of

        rows = table.columns(self)
        if self.members > 1:
            return table_of(list(rows), list(zip(*rows.values(), strict=True)), repr(self))
        return table_of(["", ""], [(name, v[0]) for name, v in rows.items()], repr(self))
