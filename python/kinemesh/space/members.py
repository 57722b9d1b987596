"""Members of an ensemble: who still runs, and of those that failed why, where and when.

Kernels see one mask; nothing revives a member that has failed or ended while the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.faults import DIVERGED, NONE, OF_FLOW, decode, in_words
from kinemesh.errors import NumericalFault
from kinemesh.sentences import of_failure


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a member failed: its first cause.

    Parameters
    ----------
    member : int
    cause : str              what is wrong, and where
    place : str              node or cell in the numbers of the user's file, or body; empty without
        a place
    phase : str              what was being done, such as "steady flow" or "step 12"
    step : int or None       physical step, or step of the pre-flight
    iteration : int or None  pseudo-steps made in it
    text : str               all of it as a sentence, with what to try
    advice, about : str      what to try; a name of the cause that failures of several members share
    """

    member: int
    cause: str
    place: str
    phase: str
    step: int | None
    iteration: int | None
    text: str
    advice: str = ""
    about: str = ""


class Members:
    """Members of an ensemble, each running, ended or failed.

    Parameters
    ----------
    count : int    members

    Attributes
    ----------
    alive : (count,) bool on the host, who runs;  mask : `alive` as int32 on the device
    ended : {member: step} that were done before the others, after this step
    faults : (count,) uint64 device array    words that kernels leave behind
    failures : {member: Failure}
    remedies : {code: text} what to try after a fault, where the solver has other advice than most
    suspects : member -> what may be the cause of a residual that grows, to be told after it
    likely : member -> cure to try first where its flow goes wrong, and why; or nothing
    """

    def __init__(self, backend: Backend, count: int) -> None:
        self.backend, self.count = backend, count
        self.faults = backend.array(np.full(count, NONE), np.uint64)
        self.mask = backend.array(np.ones(count), np.int32)
        self.alive = np.ones(count, bool)
        self.failures: dict[int, Failure] = {}
        self.ended: dict[int, int] = {}
        self.remedies: Mapping[int, str] = {}
        self.suspects: Callable[[int], str] = lambda member: ""
        self.likely: Callable[[int], str] = lambda member: ""
        self._reports = False
        self.at("")

    def begin(self, failed: Sequence[Mapping[str, Any]] = ()) -> None:
        """Every member runs, but those that `failed` as `told` has it."""
        if self.failures or self.ended:
            words = self.backend.get(self.faults)
            self.backend.put(self.faults, np.where(self.alive, words, NONE))
        self.failures = {row["member"]: Failure(**row) for row in failed}
        self.ended = {}
        self._mark()

    def end(self, steps: Mapping[int, int]) -> None:
        """These members are done: {member: step}."""
        self.ended |= steps
        self._mark()

    @contextmanager
    def reporting(self, failed: Sequence[Mapping[str, Any]] = ()) -> Iterator[None]:
        """A run: where there are several members, one that fails is reported and fails alone."""
        self.begin(failed)
        self._reports = self.count > 1
        try:
            yield
        finally:
            self._reports = False

    def forget(self, members: NDArray[np.bool_], code: int) -> None:
        """Take back what kernels left behind of one kind, of these members (mask): it is undone."""
        words = self.backend.get(self.faults)
        of_kind = np.array([decode(word)[0] == code for word in words])
        self.backend.put(self.faults, np.where(members & of_kind, NONE, words))

    def at(self, phase: str, step: int | None = None) -> None:
        """Set the place and step that faults are reported with."""
        self.phase, self.step = phase, step

    def fail(
        self,
        member: int,
        cause: str,
        remedy: str = "",
        *,
        place: str = "",
        when: str = "",
        iteration: int | None = None,
        error: Exception | None = None,
        about: str = "",
    ) -> None:
        """A member has failed; of several causes the first counts, and none once it has ended.

        Parameters
        ----------
        cause, remedy : str    what is wrong and where, and what to try
        place : str            what of the cause is the place
        when : str             what the sentence of an error says between them
        error : Exception      in place of that error
        about : str            name of the cause, where `cause` has numbers or a place

        Raises
        ------
        NumericalFault    outside of a run of several members
        """
        advice = f"try {remedy}" if remedy else ""
        if not self._reports:
            facts = {"member": member, "place": place, "advice": advice, "about": about or cause}
            raise (error or NumericalFault(f"{cause}{when}", **facts)) from None
        if member in self.failures or member in self.ended:
            return
        failed = Failure(
            member, cause, place, self.phase, self.step, iteration, "", advice, about or cause
        )
        self.failures[member] = replace(failed, text=str(of_failure(asdict(failed))))
        self._mark()

    def _mark(self) -> None:
        self.alive = ~np.isin(np.arange(self.count), [*self.failures, *self.ended])
        self.backend.put(self.mask, self.alive)

    def find_faults(
        self, where: str, place: Callable[[int, int, int], str], iterations: Any
    ) -> bool:
        """Make members fail that a kernel has left a fault of; True where there are some.

        Parameters
        ----------
        where : str            what was being done
        place : callable       (member, entity, code) -> text " at ..." in the user's numbers
        iterations : (members,) device array of a march, or None
        """
        if self.backend.read(self.faults).min() == NONE:  # as nearly always
            return False
        words = self.backend.get(self.faults)
        found = np.flatnonzero((words != NONE) & self.alive).tolist()
        if not found:
            return False
        self.backend.put(self.faults, NONE)
        done = None if iterations is None else self.backend.get(iterations)
        for member in found:
            code, entity = decode(words[member])
            what = in_words(code)[0]
            count = None if done is None else int(done[member])
            when = where if count is None else f"{where}, iteration {count}"
            at = place(member, entity, code)
            self.fail(
                member,
                what + at,
                self.advice(member, code),
                place=at.removeprefix(" at "),
                when=f" ({when})",
                iteration=count,
                about=what,
            )
        return True

    def advice(self, member: int, code: int) -> str:
        """Remedies of a fault of a member, the likely one first."""
        likely = self.likely(member) if code in OF_FLOW else ""
        if likely:
            return f"{likely}; or {self.remedy(code)}"
        return self.remedy(code) + (self.suspects(member) if code == DIVERGED else "")

    def remedy(self, code: int) -> str:
        """Advice after a fault of this code."""
        return self.remedies.get(code, in_words(code)[1])

    def told(self) -> list[dict[str, Any]]:
        """The failures, in the order of the members."""
        return [asdict(failure) for _, failure in sorted(self.failures.items())]

    def quiet(self) -> Any:
        """Context in which numbers of members that do not run, which may be none, do not warn."""
        return nullcontext() if self.alive.all() else np.errstate(all="ignore")

    def of_alive(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Columns (members,) of the members that run."""
        if self.alive.all():
            return dict(columns)
        return {name: np.asarray(values)[self.alive] for name, values in columns.items()}
