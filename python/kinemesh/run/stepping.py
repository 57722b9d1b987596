"""Loop over physical steps in the hands of a user: a step, its loads, the poses of the next one."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet, ref

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placed import Placed
from kinemesh.bodies.placement import Placement
from kinemesh.errors import NumericalFault, SettingsError
from kinemesh.run import interrupt
from kinemesh.run.by_body import BodyLoads, ByBody, Number, number

if TYPE_CHECKING:
    from kinemesh.flow.forces import Loads
    from kinemesh.flow.moving import Moving
    from kinemesh.results import Run
    from kinemesh.run.plan import Plan


class Job(Protocol):
    """A run whose steps are asked for one by one: `kinemesh.run.unsteady.Unsteady`."""

    solver: Moving
    plan: Plan
    placed: Placed
    done: int
    begun: int
    placements: int
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]
    by_hand: bool
    row: dict[str, NDArray[Any]]
    coupling: bool
    stopped: bool
    over_now: bool
    empty: bool
    run: Run

    def start(self) -> None:
        """Pre-flight and first flow."""

    def each(self) -> Iterator[Step]:
        """Every step."""

    def over(self, number: int) -> bool:
        """Return True if the run ends after step `number`."""

    def leave(self) -> None:
        """End the run after the step that was taken last."""


class Step:
    """A physical step that has been taken.

    Attributes
    ----------
    number : int          from 1
    time : float          at its end [chord/a_inf; of incompressible flow chord/U]
    time_step : float     its length, in the same units
    iterations : int      pseudo-steps, over all placements
    placements : int      how often a coupler had the bodies placed; 1 without one
    converged : bool      whether the residual has come down to `unsteady_drop`
    cl, cd, cm : float    of all bodies that loads are of; cm about `moment_about`
    loads : {body: BodyLoads}
    poses : {body: Pose}    where the bodies are
    row : {column: value}   its row of the history; empty before a coupler has accepted the step

    Of a case with several members times, counts and loads are arrays (members,), poses lists with
    an entry per member, None where it has no such body.  Members that have failed, or ended before
    others, have no loads (nan) and have not converged.
    """

    def __init__(self, job: Job, number: int, placement: Placement, loads: Loads) -> None:
        solver, self._of = job.solver, ref(job)
        self.number, self.placements = number, job.placements
        self._one = solver.grid.members == 1
        self.time = self._number(number * job.plan.dt)
        self.time_step = self._number(job.plan.dt)
        self.iterations = self._number(job.iterations)
        owners, alive = solver.grid.owners, solver.grid.ensemble.alive
        sums = np.where(alive, owners.sums(loads.coefficients).T, np.nan)
        self.cl, self.cd, self.cm = map(self._number, sums)
        self._by_body = ByBody(solver, job.placed, placement, loads)
        self.row = {
            name: self._number(
                np.where(alive, values, np.nan) if values.dtype.kind == "f" else values
            )
            for name, values in job.row.items()
        }
        self.converged = self._number(job.converged & alive)

    def _number(self, values: NDArray[Any]) -> Number:
        return number(values, self._one)

    @cached_property
    def loads(self) -> dict[str, BodyLoads]:
        """Loads of each body."""
        return self._by_body.loads()

    @cached_property
    def poses(self) -> dict[str, Any]:
        """Poses of the bodies."""
        return self._by_body.poses()

    def __getstate__(self) -> dict[str, Any]:
        told = vars(self) | {"loads": self.loads, "poses": self.poses}
        return {name: value for name, value in told.items() if name not in {"_of", "_by_body"}}

    @property
    def _job(self) -> Job:
        """The run; SettingsError where it has ended."""
        job: Job | None = self.__dict__.get("_of", lambda: None)()
        if job is None:
            raise SettingsError(f"step {self.number}: the loop over the steps has ended")
        return job

    def place(self, poses: Mapping[str, Any], rates: Mapping[str, Any] | None = None) -> None:
        """Give the poses of bodies at the end of the next step.

        A body that was placed stays at its last pose until it is placed again.  On the way angle
        and shift go in proportion to the time.

        Parameters
        ----------
        poses : {body: km.Pose}, or for several members {body: [km.Pose, ...]}; of bodies without a
            motion, or with `km.motion.given()`
        rates : {body: km.motion.Rate} at the end of the step, of which the power is, and in
            incompressible flow the velocity of walls; None: differences of the poses, of second
            order

        Raises
        ------
        SettingsError    no such body, no pose, a body that moves by a law or cannot move, or no
            next step
        """
        if self._job.coupling:
            raise SettingsError(
                "place: a coupler returns the poses of another placement, or None to accept the "
                "step; it does not call place"
            )
        if self.number != self._job.done:
            raise SettingsError(
                f"place: step {self.number} is over, and the present one is {self._job.done}; "
                "place bodies by the present step"
            )
        if self._job.over_now or self._job.stopped:
            raise SettingsError(f"place: step {self.number} was the last one, so there is no next")
        self._job.placed.give(poses, rates)

    def stop(self) -> None:
        """End the loop, or the run of a coupler, after this step: a restart and the summary."""
        self._job.stopped = True

    def __repr__(self) -> str:
        return (
            f"Step({self.number}, time={self.time!r}, cl={self.cl!r}, cd={self.cd!r}, "
            f"cm={self.cm!r}, iterations={self.iterations!r})"
        )


class Coupler:
    """Function of a user that accepts a step, or has its bodies placed anew.

    Parameters
    ----------
    function : callable    Step -> None, which accepts it, or {body: km.Pose}
    most : int             placements in a step
    """

    def __init__(self, function: Callable[[Step], Any], most: int) -> None:
        self.function, self.most = function, most

    @classmethod
    def of(cls, coupler: Any, most: Any) -> Coupler | None:
        """Coupler of a user's arguments; SettingsError if invalid."""
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            raise SettingsError(f"most_placements is {most!r}, expected a number from 1")
        if coupler is None:
            return None
        if not callable(coupler):
            raise SettingsError(
                f"coupler is {coupler!r}, expected a function: Step -> None, or {{body: km.Pose}}"
            )
        return cls(coupler, most)

    def asked(self, step: Step) -> Mapping[str, Any] | None:
        """Poses to place the bodies at once more, or None where the step is accepted.

        Raises
        ------
        NumericalFault    the step was not accepted in `most` placements
        """
        found: Mapping[str, Any] | None = self.function(step)
        if isinstance(found, Mapping) and not found:
            raise SettingsError(
                "the coupler returned {}, expected None, which accepts the step, or poses"
            )
        if found is not None and step.placements >= self.most:
            raise NumericalFault(
                f"the coupler has not accepted step {step.number} after {step.placements} "
                f"placements (most_placements = {self.most}); raise most_placements, relax the "
                "poses that the coupler returns, or take shorter steps"
            )
        return found


_OPEN: WeakSet[Steps] = WeakSet()


class Steps(Iterator[Step]):
    """Physical steps of a run, one at a time; made by `case.steps`.

    A loop over it that ends early (`break`, `step.stop()`, an error, Ctrl-C) leaves a restart at
    the last step that was taken, where `out` is given, and a summary, unless a step failed.  An
    error in the lines of the loop does so when the loop is let go; `with case.steps(...) as steps:`
    does so at once, and `case.loop.close()` at any time.

    Attributes
    ----------
    run : Run, once the loop has ended
    ended : whether it has
    """

    def __init__(self, work: AbstractContextManager[Job]) -> None:
        self._work = work
        self._each: Iterator[Step] = iter(())
        self._job: Job | None = None
        self.ended = self._busy = False
        self._run: Run | None = None

    def place(self, poses: Mapping[str, Any], rates: Mapping[str, Any] | None = None) -> None:
        """Give the poses of bodies at the end of the first step; see `Step.place`."""
        if self.ended:
            raise SettingsError("place: the loop over the steps has ended")
        self._refuse_busy()
        job = self._open()
        if job.done != job.begun:
            raise SettingsError("place: the loop has begun; place bodies by the present step")
        if job.over(job.done):
            raise SettingsError("place: all steps that are asked for have been taken before")
        job.placed.give(poses, rates)

    def _refuse_busy(self) -> None:
        """SettingsError within a step, where a coupler asks."""
        if self._busy:
            raise SettingsError(
                "the loop is within a step: a coupler returns poses or None, and ends the loop by "
                "step.stop()"
            )

    def _open(self) -> Job:
        """The run, whose folder is taken and whose first flow is computed."""
        if self._job is None:
            free = not interrupt.held_now()
            self._job = self._work.__enter__()
            self._job.by_hand = True
            self._job.solver.open_loop = ref(self)
            _OPEN.add(self)
            if free:
                interrupt.let_go()
            self._guarded(self._job.start)
            atexit.unregister(_close_all)
            atexit.register(_close_all)  # last, so that it runs before libraries of files end
            self._each = self._job.each()
        return self._job

    def _guarded(self, call: Callable[[], Any]) -> Any:
        """Call with Ctrl-C held back; where it raises, the run has failed."""
        self._busy = True
        try:
            with interrupt.held_again():
                return call()
        except BaseException as error:
            self.ended = True
            _OPEN.discard(self)
            if not self._work.__exit__(type(error), error, error.__traceback__):
                raise
            return None
        finally:
            self._busy = False

    def __next__(self) -> Step:
        self._refuse_busy()
        if self.ended:
            raise StopIteration
        job = self._open()
        if job.stopped:
            self.close()
            raise StopIteration
        found: Step | None = self._guarded(lambda: next(self._each, None))
        if found is None:
            self._finish()
            raise StopIteration
        return found

    def close(self) -> Run | None:
        """End the loop: a restart at the last step, the summary; the Run, or None without steps."""
        self._refuse_busy()
        if not self.ended and self._job is not None:
            self._guarded(self._job.leave)
            self._finish()
        self.ended = True
        return self._run

    def _finish(self) -> None:
        """The run has ended."""
        if not self.ended and self._job is not None:
            self.ended, job = True, self._job
            self._job, self._each = None, iter(())
            _OPEN.discard(self)
            with interrupt.held_again():
                self._work.__exit__(None, None, None)
            self._run = None if job.empty else job.run

    @property
    def run(self) -> Run:
        """History and summary; SettingsError before the loop has ended."""
        if self._run is None:
            raise SettingsError(
                "run: the loop over the steps has not ended, or has failed; end it by close()"
            )
        return self._run

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def _close_all() -> None:
    """A program that ends leaves restarts of its loops."""
    for steps in list(_OPEN):
        steps.close()
