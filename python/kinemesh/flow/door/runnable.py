"""Methods of every solver for users: `steady`, `run`, and its display in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinemesh.arguments import checks_names
from kinemesh.flow.door.inputs import asked
from kinemesh.io.html import table_of
from kinemesh.results.asked import in_words, varying
from kinemesh.wiring import done_by

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kinemesh.deform import Deformation
    from kinemesh.device.backend import Backend
    from kinemesh.motion import Motion
    from kinemesh.results import Run
    from kinemesh.space.volumes import Volumes

MOST_PLACEMENTS = 50  # in a step, of a coupler


class Runnable:
    """A solver with its methods `steady` and `run`."""

    grid: Volumes
    backend: Backend
    deform: Deformation
    motions: tuple[Motion | None, ...]
    streams: dict[str, NDArray[np.float64]]
    open_loop: Any

    @property
    def incidence_deg(self) -> NDArray[np.float64]:
        """(members,) angle of the stream against the first body as given [deg]."""
        return self.streams["alpha_deg"]

    def asked(self) -> list[dict[str, Any]]:
        """For each member its stream, the numbers of its motion, and its mesh."""
        grid = self.grid
        streams = self.streams | {"alpha_deg": self.incidence_deg}
        return asked(grid.meshes, grid.bodies, self.motions, streams)

    @checks_names
    def steady(
        self,
        out: str | Path | None = None,
        progress: bool = False,
        resume: bool = False,
        overwrite: bool = False,
        energy: bool = False,
    ) -> Run:
        """March all members to the steady state, with the bodies at rest where they were given.

        Every iteration is a row of the history.  A member ends when its residual has fallen by
        `steady_drop`, or after `steady_iterations`; `Run.converged` tells which of the two.

        Parameters
        ----------
        out : folder for history.csv, flow.vtkhdf, restart.h5 and summary.json
        progress : show the progress of the run
        resume : go on from the restart in `out`, with the bits of a run that was never stopped
        overwrite : replace another run in `out`; without `overwrite` that is a CaseError
        energy : measure the joules of the GPU's board and of the CPU's sockets (docs/energy.md)

        Returns
        -------
        Run    history and summary

        Raises
        ------
        NumericalFault    the flow failed, or the residual rose tenfold; of an ensemble such a
            member fails alone (`Run.failed`)
        CaseError         the folder or its restart cannot be used
        """
        solver: Any = self
        ended: Run = done_by("Solver.steady")(
            solver, out=out, progress=progress, resume=resume, overwrite=overwrite, energy=energy
        )
        return ended

    @checks_names
    def run(
        self,
        *,
        cycles: float | None = None,
        steps_per_cycle: int | None = None,
        time_step: float | Sequence[float] | None = None,
        steps: int | None = None,
        until: str | None = None,
        periodic_tolerance: float | None = None,
        out: str | Path | None = None,
        progress: bool = False,
        start: str | None = None,
        resume: bool = False,
        overwrite: bool = False,
        preflight: bool = True,
        energy: bool = False,
        coupler: Any = None,
        most_placements: int = MOST_PLACEMENTS,
        kick: Any = None,
    ) -> Run:
        """Compute the flow about the moving bodies, step by step.

        Parameters
        ----------
        cycles, steps_per_cycle : number of cycles, and of time steps in each, for a motion with a
            period
        time_step, steps : time step, one or one per member, and number of steps, for a motion
            without a period; times are in chord/a_inf, of incompressible flow in chord/U
        until : "cycles" (default) runs `cycles` cycles; "periodic" runs each member until its last
            cycle is like the cycle before, at most `cycles` cycles
        periodic_tolerance : largest change of cl and of cm between the last two cycles, rms over
            amplitude, of a loop that counts as periodic [-]; 0.01 if not given
        out : folder for history.csv, flow.vtkhdf, restart.h5 and summary.json
        progress : show the progress of the run
        start : "steady" (the converged flow at the mean angle, bodies at rest where the motion
            begins), "stream" (the stream, of incompressible flow made free of divergence about the
            bodies), "as is" (the present flow; the bodies go to where the motion begins) or, of
            bodies on structures, "equilibrium" (the steady flow about bodies where their springs
            hold its loads); by default "steady", and "stream" of incompressible flow, whose wake
            may have no steady flow
        resume : go on from the restart in `out`, with the bits of a run that was never stopped;
            `cycles` (or `steps`) may be larger than when the run was begun
        overwrite : replace another run in `out`, or one with more steps; without `overwrite` that
            is a CaseError.  The same run may always begin again in its folder
        preflight : first move the mesh alone through a cycle, and stop before any flow is computed
            if a cell inverts; through the whole run with `time_step`, and with
            `Delaunay(retriangulate=True)`, whose cycles may differ.  Rigid motion needs no check,
            nor do bodies without a motion
        energy : measure the joules of the GPU's board and of the CPU's sockets (docs/energy.md)
        coupler : function Step -> None, which accepts the step, or {body: km.Pose}, with which the
            step is done again (docs/stepping.md); of bodies without a motion, or with
            `km.motion.given()`
        most_placements : int    how often bodies may be placed in a step before the run fails
        kick : {"mode": 1, "angle_deg": 0.5}, or one each member    of bodies on structures the
            shape of a mode without a flow, from 1, in which they are held for the first flow, and
            then let go: as large as its angle, or its shift upwards `shift` [reference lengths];
            from the equilibrium, where the run starts there; None: at rest.  There `cycles` are
            periods of the first mode (docs/flutter.md)

        Returns
        -------
        Run    history and summary

        Raises
        ------
        NumericalFault    the mesh folds, the flow fails, or the residual of a step rises tenfold;
            of an ensemble such a member fails alone (`Run.failed`), and one whose motion raises
        CaseError         the folder or its restart cannot be used
        SettingsError     arguments that contradict each other or the motion
        """
        solver: Any = self
        ended: Run = done_by("Solver.run")(
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
            energy=energy,
            coupler=coupler,
            most_placements=most_placements,
            kick=kick,
        )
        return ended

    @checks_names
    def steps(
        self,
        *,
        time_step: float | Sequence[float] | None = None,
        steps: int | None = None,
        cycles: float | None = None,
        steps_per_cycle: int | None = None,
        until: str | None = None,
        periodic_tolerance: float | None = None,
        out: str | Path | None = None,
        progress: bool = False,
        start: str | None = None,
        resume: bool = False,
        overwrite: bool = False,
        preflight: bool = True,
        energy: bool = False,
        coupler: Any = None,
        most_placements: int = MOST_PLACEMENTS,
        kick: Any = None,
    ) -> Any:
        """Loop over the physical steps of a run, in the hands of the user.

        `for step in case.steps(time_step=0.02, steps=400):` takes a step, and then the lines of the
        loop: `step.loads` has the loads of each body, `step.place` the poses of the next step.  The
        files are those of `run`, which is this loop without lines.  A loop may end anywhere, and be
        gone on with by `resume` (docs/stepping.md).

        Parameters
        ----------
        time_step, steps, and all others : as of `run`

        Returns
        -------
        kinemesh.run.stepping.Steps    iterator over `Step`; its `run` is the Run once it has ended

        Raises
        ------
        as `run`; arguments are refused at once, and what fails on the way where the loop asks for a
        step
        """
        solver: Any = self
        return done_by("Solver.steps")(
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
            energy=energy,
            coupler=coupler,
            most_placements=most_placements,
            kick=kick,
        )

    @property
    def loop(self) -> Any:
        """The loop over steps that has not ended, or None."""
        found = None if self.open_loop is None else self.open_loop()
        return None if found is None or found.ended else found

    def __repr__(self) -> str:
        members = f"{self.grid.members} members, " if self.grid.members > 1 else ""
        where = f"{self.backend.describe()['device']}, {self.backend.dtype}"
        told = f"{in_words(self.asked())}; {self.deform.name}; {where}"
        what = "cells" if self.grid.on == "cells" else "nodes"
        return f"{type(self).__name__}({members}{self.grid.nodes:,} {what}; {told})"

    def _repr_html_(self) -> str:
        """A row per member, for notebooks."""
        rows = self.asked()
        names = varying(rows)
        return table_of(names, [[row.get(n) for n in names] for row in rows], repr(self))
