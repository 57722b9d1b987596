"""Energy of a run over its parts: each is measured by itself, and restarts carry the sum on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kinemesh.device.energy import SOURCES, Meter, added, told
from kinemesh.errors import SettingsError, warn
from kinemesh.sentences import Sentence

if TYPE_CHECKING:
    from kinemesh.device.backend import Backend

NOT_ASKED = "energy was not asked for"


def check(energy: Any) -> None:
    """SettingsError for an `energy` that is neither True nor False."""
    if not isinstance(energy, bool):
        raise SettingsError(f"energy is {energy!r}, expected True or False")


class Spent:
    """Energy that a run has spent, the parts before this one included.

    A part without joules of a source leaves the sum without; `missing` has its steps.

    Parameters
    ----------
    backend : of the run, or None where this part is not measured
    before : of the restart that the run goes on from, {} of one that had no meter, None of none
    step : steps (or iterations) done before this part;  unit : of them, in words

    Attributes
    ----------
    notes : sentences on a meter that was asked for and is not there, of which a warning has told
    """

    def __init__(
        self, backend: Backend | None, before: Mapping[str, Any] | None, step: int, unit: str
    ) -> None:
        self._meter = None if backend is None else Meter(backend)
        unmeasured = before is not None and not before and backend is not None
        self._before = _unmeasured(0, step) if unmeasured else before
        self._from, self._to, self._unit = step, step, unit
        self._read: dict[str, Any] | None = None
        self.notes: list[str] = []
        if self._meter is None:
            return
        self._meter.start()
        if self._meter.why:
            text = f"energy was asked for and is not measured: {self._meter.why}"
            self.notes.append(Sentence(text, about="energy"))
            warn(text, about="energy")

    def __enter__(self) -> Spent:
        return self

    def __exit__(self, *error: object) -> None:
        if self._meter is None:
            return
        if error[0] is None:
            self._read = self._meter.read()
        self._meter.close()

    def touch(self) -> None:
        """Read counters that would wrap; called between steps."""
        if self._meter is not None:
            self._meter.touch()

    def kept(self, step: int) -> dict[str, Any]:
        """Entry of a restart after `step`; {} of a run that no part of was measured."""
        self._to = step
        if self._meter is not None:
            self._read = self._meter.read()
        whole = self._sum()
        return {} if whole is None else {"energy": whole}

    def told(self) -> dict[str, Any]:
        """Entry of the summary; {} of a run that no part of was measured."""
        whole = self._sum()
        if whole is None:
            return {}
        found = told(whole)
        for name in SOURCES:
            missing = whole[name].get("missing", [])
            if missing and missing[0][:2] != [0, self._to]:  # of a whole run the reason is enough
                each = (f"{self._unit} {a} to {b}: {why}" for a, b, why in missing)
                found[name]["why"] = "; ".join(each)
                found[name]["missing"] = [[a, b] for a, b, _ in missing]
        return {"energy": found}

    def _sum(self) -> dict[str, Any] | None:
        """Readings of all parts, and for each source which steps have none, and why."""
        now, before = self._read, self._before
        if now is None and not before:
            return None
        first = self._from + 1 if before and self._from else self._from
        now = _unmeasured(first, self._to) if now is None else _marked(now, first, self._to)
        if not before:
            return now
        whole = added(before, now)
        for name in SOURCES:
            gaps = _joined([*before[name].get("missing", []), *now[name].get("missing", [])])
            whole[name] |= {"missing": gaps} if gaps else {}
        return whole


def _joined(gaps: list[list[Any]]) -> list[list[Any]]:
    """Steps without joules, those that follow one another for one reason in one."""
    found: list[list[Any]] = []
    for first, last, why in gaps:
        if found and found[-1][1] == first - 1 and found[-1][2] == why:
            found[-1][1] = last
        else:
            found.append([first, last, why])
    return found


def _unmeasured(first: int, last: int) -> dict[str, Any]:
    """Reading of a part without a meter."""
    none = {"method": None, "joules": None, "why": NOT_ASKED}
    return _marked({"seconds": 0.0, "parts": 0} | dict.fromkeys(SOURCES, none), first, last)


def _marked(read: Mapping[str, Any], first: int, last: int) -> dict[str, Any]:
    """A reading with the steps of sources that have no joules."""
    found = dict(read)
    for name in SOURCES:
        if found[name]["joules"] is None:
            found[name] = found[name] | {"missing": [[first, last, found[name]["why"]]]}
    return found
