"""Joules of a piece of work: of the GPU's board and of the CPU's sockets, or why there are none.

docs/energy.md tells what is measured and how far it can be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic, perf_counter, process_time
from typing import Any

from kinemesh.device.backend import Backend
from kinemesh.device.counters import Board, Sockets, busy_seconds
from kinemesh.errors import DeviceError

OFTEN = 30.0  # seconds between two readings of counters that wrap
LEAST = 0.25  # share of the joules that their error is at most
SOURCES = ("gpu", "cpu")


class Meter:
    """Meter of the energy from `start` to `stop`; nothing of it is read without a call.

    Parameters
    ----------
    backend : of the work, whose device is measured beside the sockets of the machine
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._counters: dict[str, Board | Sockets] = {}
        self._why: dict[str, str] = {}
        self._seen = 0.0  # when the sockets were read last

    def start(self) -> None:
        """Begin; a counter that cannot be read is left out, and `why` says it."""
        makers: dict[str, Callable[[], Board | Sockets]]
        makers = {"gpu": lambda: Board(self.backend), "cpu": Sockets}
        for name, make in makers.items():
            try:
                self._counters[name] = make()
            except DeviceError as error:
                self._why[name] = str(error)
        self._facts = {name: counter.facts() for name, counter in self._counters.items()}
        self._others: set[int] | None = set()
        self._look_for_others()
        self.backend.synchronize()
        self._first = dict.fromkeys(SOURCES, 0.0)
        self._first = {name: self._joules(name) or 0.0 for name in SOURCES}
        self._start = perf_counter()
        for name in self._counters.keys() & self._why.keys():  # there, and does not count
            self._counters.pop(name).close()
        self._busy = process_time(), busy_seconds()

    @property
    def why(self) -> str:
        """Reason why the device that computes has no joules; empty where it has some."""
        return self._why.get("gpu" if self.backend.on_gpu else "cpu", "")

    @property
    def board(self) -> Board | None:
        """Counter of the GPU."""
        found = self._counters.get("gpu")
        return found if isinstance(found, Board) else None

    def touch(self) -> None:
        """Read the sockets where that is due, before their counters wrap; call it now and then."""
        if "cpu" in self._counters and monotonic() - self._seen >= OFTEN:
            self._joules("cpu")

    def read(self) -> dict[str, Any]:
        """Seconds and joules since the start as they are counted, for `added` and `told`."""
        self.backend.synchronize()
        seconds = perf_counter() - self._start
        found: dict[str, Any] = {"seconds": seconds, "parts": 1}
        self._look_for_others()
        for name in SOURCES:
            joules = self._joules(name)
            counter = self._counters.get(name)
            if counter is None or joules is None:
                found[name] = {"method": None, "joules": None, "why": self._why[name]}
                continue
            found[name] = {"method": counter.method, "tick": counter.tick, **self._facts[name]}
            still = joules <= 0 and seconds * LEAST > 2 * counter.tick
            why = f"the counter stood still for {seconds:.3g} s" if still else ""
            found[name] |= {"joules": None if still else joules, "why": why}
        if self.board is not None:
            found["gpu"]["others"] = None if self._others is None else len(self._others)
        if "cpu" in self._counters:
            found["cpu"] |= self._worked()
        return found

    def stop(self) -> dict[str, Any]:
        """End; seconds, and of each source its joules, or None and why."""
        found = told(self.read())
        self.close()
        return found

    def close(self) -> None:
        """End without a reading."""
        for counter in self._counters.values():
            counter.close()
        self._counters = {}

    def _joules(self, name: str) -> float | None:
        """Joules of a source since the start; from its first failure on none."""
        if name in self._why:
            return None
        self._seen = monotonic() if name == "cpu" else self._seen
        try:
            joules = self._counters[name].joules() - self._first[name]
        except DeviceError as error:
            self._why[name] = str(error)
            return None
        if joules < 0:
            self._why[name] = "the counter went back, as it does where its driver is loaded anew"
        return None if joules < 0 else joules

    def _look_for_others(self) -> None:
        now = None if self.board is None else self.board.others()
        known = now is not None and self._others is not None
        self._others = (self._others or set()) | (now or set()) if known else None

    def _worked(self) -> dict[str, float | None]:
        """Seconds that processors have worked for this process, and for all."""
        own, every = self._busy
        now = busy_seconds()
        both = None if every is None or now is None else now - every
        return {"own_seconds": process_time() - own, "all_seconds": both}


def added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Sum of two readings; a source that one of them lacks is lacking."""
    found = {name: one[name] + other[name] for name in ("seconds", "parts")}
    return found | {name: _both(one[name], other[name]) for name in SOURCES}


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Sum of two readings of one source."""
    if one["joules"] is None or other["joules"] is None:
        why = one["why"] if one["joules"] is None else other["why"]
        return {"method": None, "joules": None, "why": why}
    found = {**other, "joules": one["joules"] + other["joules"]}
    for name in ("own_seconds", "all_seconds"):
        if name in found:
            known = one[name] is not None and other[name] is not None
            found[name] = one[name] + other[name] if known else None
    if "others" in found:
        known = one["others"] is not None and other["others"] is not None
        found["others"] = max(one["others"], other["others"]) if known else None
    if one.get("device") != other.get("device"):
        found["device"] = f"{one['device']}, then {other['device']}"
    return found


def told(read: Mapping[str, Any], idle: float | None = None) -> dict[str, Any]:
    """Reading for a summary, with watts and errors; joules None where they are not to be trusted.

    Parameters
    ----------
    idle : power of the GPU without work [W]
    """
    seconds, parts = read["seconds"], read["parts"]
    gpu = _told(read["gpu"], seconds, parts, ("device", "power_limit_watts", "others"))
    if gpu["method"] is not None:
        gpu["idle_watts"] = idle
    cpu = _told(read["cpu"], seconds, parts, ("zones",))
    if cpu["method"] is not None:
        own, every = read["cpu"]["own_seconds"], read["cpu"]["all_seconds"]
        cpu["own_share"] = min(own / every, 1.0) if every else None
    return {"seconds": seconds, "gpu": gpu, "cpu": cpu}


def _told(own: Mapping[str, Any], seconds: float, parts: int, facts: Any) -> dict[str, Any]:
    """Source of a reading, as `told` has it; each part ends at two ticks that nobody saw."""
    joules = own["joules"]
    if joules is None:
        return {"method": own["method"], "why": own["why"], "joules": None}
    error = 2 * parts * own["tick"] / seconds  # of the joules
    found = {"device": own["device"]} if "device" in own else {}
    found |= {"method": own["method"], "joules": joules}
    found |= {"watts": joules / seconds, "error_joules": error * joules}
    found |= {name: own[name] for name in facts if name in own}
    if error <= LEAST:
        return found
    text = f"{seconds:.2g} s is too short for a counter that steps every {own['tick']:g} s"
    parted = f" in {parts} parts" if parts > 1 else ""
    short = {"watts": None, "error_joules": None, "joules": None}
    return found | short | {"why": text.replace(" s is", f" s{parted} is")}
