"""[run] of a case file, as a frozen dataclass that refuses nonsense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinemesh.cases.sizes import check_sizes
from kinemesh.cases.values import choice, count, number, wrong
from kinemesh.sentences import Place

UNTIL = ("cycles", "periodic")
STEPS = ("cycles", "steps_per_cycle", "time_step", "steps")  # what a size may state
STARTS = ("steady", "stream", "as is", "equilibrium")


def set_field(owner: object, name: str, value: Any) -> None:
    """Give a field of a frozen dataclass its checked value."""
    object.__setattr__(owner, name, value)


@dataclass(frozen=True, slots=True)
class Job:
    """Length, device, precision and folder of a run."""

    cycles: float | None = None  # of the motion; unsteady cases need it or time_step
    steps_per_cycle: int | None = None  # at least 4; as cycles
    time_step: float | None = None  # without a cycle, in lengths of the mesh over a_inf, or over U
    steps: int | None = None  # as time_step
    start: str | None = None  # steady, stream, as is, of structures equilibrium; the method's own
    until: str | None = None  # cycles, or periodic: until it is, and cycles is the most
    periodic_tolerance: float | None = None  # change per cycle, rms over amplitude; 0.01
    sizes: Mapping[str, Any] | None = None  # of --size: { coarse = { steps_per_cycle = 400 } }
    device: str = "auto"  # auto (a GPU if there is one), cpu, cuda or cuda:N
    dtype: str = "float64"  # or float32, of the flow
    preflight: bool | None = None  # of the motion; made unless it is false
    energy: bool = False  # joules in the summary, where there are meters
    out: str | None = None  # folder of the results; a relative one starts where the program runs

    def __post_init__(self) -> None:
        if self.cycles is not None:
            cycles = number(Place("run", "cycles"), self.cycles, above=0.0)
            set_field(self, "cycles", int(cycles) if cycles.is_integer() else cycles)
        if self.steps_per_cycle is not None:
            count(Place("run", "steps_per_cycle"), self.steps_per_cycle, 4)
        if self.time_step is not None:
            set_field(
                self, "time_step", number(Place("run", "time_step"), self.time_step, above=0.0)
            )
        if self.steps is not None:
            count(Place("run", "steps"), self.steps, 1)
        if self.start is not None:
            choice(Place("run", "start"), self.start, STARTS)
        if self.until is not None:
            choice(Place("run", "until"), self.until, UNTIL)
        if self.periodic_tolerance is not None:
            tolerance = number(
                Place("run", "periodic_tolerance"), self.periodic_tolerance, above=0.0
            )
            set_field(self, "periodic_tolerance", tolerance)
        if not isinstance(self.preflight, bool | None):
            raise wrong(Place("run", "preflight"), self.preflight, "true or false")
        if not isinstance(self.energy, bool):
            raise wrong(Place("run", "energy"), self.energy, "true or false")
        choice(Place("run", "dtype"), self.dtype, ("float64", "float32"))
        device = self.device if isinstance(self.device, str) else ""
        kind, _, card = device.partition(":")
        plain = device in ("auto", "cpu", "cuda")
        if not plain and not (kind == "cuda" and card.isdecimal()):
            raise wrong(Place("run", "device"), self.device, "auto, cpu, cuda or cuda:N")
        check_sizes(self, STEPS, Place("run"), "steps_per_cycle = 400")
        if self.out is not None and not isinstance(self.out, str | Path):
            raise wrong(Place("run", "out"), self.out, "a folder")
