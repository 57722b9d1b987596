"""The user's door to a solver: its runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinemesh.march import Run


class Runnable:
    """What every solver can be asked to run."""

    def steady(
        self,
        out: str | Path | None = None,
        progress: bool = False,
        resume: bool = False,
        overwrite: bool = False,
    ) -> Run:
        """March all members to the steady state, bodies at rest where they were given.

        Every iteration is a row of the history; the run ends by `steady_drop` or
        `steady_iterations`, and `Run.converged` says which.

        Parameters
        ----------
        out : folder for history.csv, flow.vtkhdf, restart.h5 and summary.json
        progress : show a bar
        resume : go on from the restart in `out`, with the bits of a run that was never stopped
        overwrite : replace another run in `out`, which is refused otherwise

        Raises
        ------
        NumericalFault    the flow failed, or the residual rose tenfold
        CaseError         the folder or its restart cannot be used
        """
        from kinemesh.run import steady

        solver: Any = self
        return steady(solver, out=out, progress=progress, resume=resume, overwrite=overwrite)

    def run(
        self,
        *,
        cycles: float | None = None,
        steps_per_cycle: int | None = None,
        time_step: float | None = None,
        steps: int | None = None,
        until: str | None = None,
        periodic_tolerance: float | None = None,
        out: str | Path | None = None,
        progress: bool = False,
        start: str = "steady",
        resume: bool = False,
        overwrite: bool = False,
        preflight: bool = True,
    ) -> Run:
        """Run the motion.

        Parameters
        ----------
        cycles, steps_per_cycle : of the motion's period; or
        time_step, steps : for motions without a period [chord/a_inf], [-]
        until : "cycles" (the default: as many as `cycles`) or "periodic" (until the last cycle is
            like the one before, for all members; `cycles` is the most then)
        periodic_tolerance : largest change of cl and cm against the cycle before, rms over
            amplitude, of a loop that counts as periodic [-]; 0.01 if not given
        out : folder for history.csv, flow.vtkhdf, restart.h5 and summary.json
        progress : show a bar
        start : "steady" (the converged flow at the mean angle, bodies at rest where the motion
            begins) or "as is" (the present flow; the bodies go to where the motion begins)
        resume : go on from the restart in `out`, with the bits of a run that was never stopped;
            cycles (or steps) may be more than the run was begun with
        overwrite : replace another run, or more steps of this one, in `out`, which is refused
            otherwise; this run itself is begun anew without
        preflight : move the mesh alone through a cycle first (through the whole run, where it goes
            by time, or where cycles need not be alike: `Delaunay(retriangulate=True)`), and stop
            before any flow where a cell inverts; rigid motion needs none

        Raises
        ------
        NumericalFault    the mesh folds, the flow fails, or the residual of a step rises tenfold
        CaseError         the folder or its restart cannot be used
        SettingsError     arguments without meaning
        """
        from kinemesh.run import unsteady

        solver: Any = self
        return unsteady(
            solver,
            cycles=cycles,
            steps_per_cycle=steps_per_cycle,
            time_step=time_step,
            steps=steps,
            until=until,
            periodic_tolerance=periodic_tolerance,
            out=out,
            progress=progress,
            start=start,
            resume=resume,
            overwrite=overwrite,
            preflight=preflight,
        )
