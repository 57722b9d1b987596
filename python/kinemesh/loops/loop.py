"""The last cycle of an unsteady run: harmonics, periodicity, work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError, did_you_mean
from kinemesh.io.columns import LOADS, SIDE
from kinemesh.io.history import History
from kinemesh.io.lost import refuse_lost
from kinemesh.loops.body import BodyLoop
from kinemesh.loops.distance import Comparison, distances
from kinemesh.loops.flapping import Flapping, flapping_of
from kinemesh.loops.harmonics import (
    LEAST,
    LEVER,
    NOTHING,
    PERIODIC,
    Coefficient,
    FloatArray,
    coefficient,
)
from kinemesh.loops.work import Derivatives, Movement, Work, movement_of, work_of
from kinemesh.wiring import done_by

SERIES = ("phase_deg", "alpha_deg", "cl", "cm")
NAMES = (*LOADS, "power", *SIDE)  # of loads


@dataclass(frozen=True, slots=True, repr=False)
class Loop:
    """The last cycle of an unsteady run, its steps in the order of their phase."""

    phase_deg: FloatArray  # (steps,)
    alpha_deg: FloatArray  # (steps,) angle of the stream plus angle of the motion, nose-up
    cl: Coefficient  # lift
    cm: Coefficient  # pitching moment, nose-up positive
    cycles: float  # number of cycles in the history
    label: str  # for legends and errors
    converged: NDArray[np.bool_] | None = None  # (steps,); None where the source has no such column
    energy: Work | None = None  # work on all bodies; None where the source has no power
    bodies: Mapping[str, BodyLoop] = field(default_factory=dict)  # by marker, of several
    tolerance: float = PERIODIC  # largest `change` of a periodic loop
    flapping: Flapping | None = None  # drag, thrust, power, shift; None where there is no drag
    side: Mapping[str, Coefficient] = field(default_factory=dict)  # cy, cm_roll, cm_yaw in space
    modes: Mapping[str, FloatArray] = field(default_factory=dict)  # (steps,) amplitudes of shapes
    # Rows of a measured table as they are: phase_deg, alpha_deg, loads; None of computed loops.
    measured: Mapping[str, FloatArray] | None = None
    source: Any = field(default=None, repr=False, compare=False)  # run and member, for titles

    def __repr__(self) -> str:
        told = {"cl": self.cl.amplitude, "cm": self.cm.amplitude, "damping": self.damping}
        parts = [
            f"{name} {value:.5g}"
            for name, value in told.items()
            if value is not None and value == value
        ]
        return f"Loop({self.label}: {self.steps} steps, amplitudes {', '.join(parts)})"

    @property
    def unconverged(self) -> int:
        """Number of steps that did not converge; 0 if the source lacks it."""
        return 0 if self.converged is None else int(np.sum(~self.converged))

    @property
    def change(self) -> float | None:
        """Change from the cycle before: the larger of cl's and cm's, rms over amplitude.

        A load whose amplitude and change are below 1e-4 of the largest amplitude has none.

        The change of cm is taken over 1 % of cl's amplitude where cm's own amplitude is less.
        None where the history has less than two cycles.
        """
        shares = (self.cl.share, self.cm.share)
        return max((share for share in shares if share is not None), default=None)

    @property
    def periodic(self) -> bool | None:
        """True if `change` is at most `tolerance`; None if `change` is None."""
        return None if self.change is None else self.change <= self.tolerance

    @property
    def steps(self) -> int:
        """Steps per cycle."""
        return len(self.phase_deg)

    @property
    def work(self) -> float | None:
        """Work of the flow on the moving walls over the cycle, over q_inf c^2.

        In space over q_inf times reference area and length.  Positive where the flow feeds the
        motion; None where the source has no power.
        """
        return None if self.energy is None else self.energy.total

    @property
    def damping(self) -> float | None:
        """-work / (pi A^2), positive is damped: A half the range of the angle [rad], or of h/c.

        None where the motion is not a pitch alone or a plunge alone, or where the steps do not
        close a cycle of the motion.
        """
        return None if self.energy is None else self.energy.damping

    @property
    def cd(self) -> Coefficient | None:
        """Drag; None if the source has none."""
        return None if self.flapping is None else self.flapping.cd

    def load(self, name: str) -> Coefficient | None:
        """Load by the name of its column: cl, cd, cm, power, in space also cy, cm_roll, cm_yaw.

        None where the source has none; CaseError for what is no load.
        """
        if name not in NAMES:
            near = did_you_mean(name, NAMES)
            raise CaseError(f"loop: no load {name!r}; there are {', '.join(NAMES)}{near}")
        found: Coefficient | None = (
            self.side.get(name) if name in SIDE else getattr(self, name, None)
        )
        return found

    @property
    def h(self) -> FloatArray | None:
        """(steps,) shift of the first body's pivot, positive upwards [chord]; None if not known."""
        return None if self.flapping is None else self.flapping.h

    @property
    def power(self) -> Coefficient | None:
        """Power that moves the bodies, over q_inf U_inf c, in space over q_inf U_inf times the
        reference area; None where it is not known."""
        return None if self.flapping is None else self.flapping.power

    @property
    def thrust(self) -> float | None:
        """Mean thrust coefficient; None if the source has no drag."""
        return None if self.flapping is None else self.flapping.thrust

    @property
    def power_in(self) -> float | None:
        """Mean of `power`: positive of bodies that are driven, negative of a turbine."""
        return None if self.flapping is None else self.flapping.power_in

    @property
    def efficiency(self) -> float | None:
        """Propulsive efficiency; None without thrust, driving power or a stream."""
        return None if self.flapping is None else self.flapping.efficiency

    @property
    def derivatives(self) -> Derivatives:
        """Complex cl_alpha, cm_alpha of a pitch alone, cl_h, cm_h of a plunge alone."""
        return Derivatives() if self.energy is None else self.energy.derivatives

    def compare(self, reference: Loop | str | Path) -> Comparison:
        """Differences to a reference loop at equal phases, as shares of the reference's amplitude.

        The reference is a Loop, the name of a case with published data, or a CSV file with the
        columns phase_deg, alpha_deg, cl, cm, or without phases the others in the order of the
        loop.  Measured points are compared where they are.  CaseError where the reference has
        another motion.
        """
        other = done_by("reference_loop")(reference, self)
        return distances(self, other)

    def plot(
        self, reference: Any = None, path: Any = None, title: str | None = None, loads: Any = None
    ) -> Any:
        """Figure of loads against alpha (`kinemesh.plot.hysteresis`), saved to `path`, if any.

        `reference` is one, or a list of several: `loop.plot([euler, viscous, "measured.csv"])`.
        """
        return done_by("Loop.plot")(self, reference, path, title, loads)

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the loop (no series), ready for JSON."""

        def part(c: Coefficient) -> dict[str, Any]:
            return {
                "mean": c.mean,
                "amplitude": c.amplitude,
                "harmonics": [
                    {
                        "order": h.order,
                        "sin": h.sin,
                        "cos": h.cos,
                        "magnitude": h.magnitude,
                        "phase_deg": h.phase_deg,
                    }
                    for h in c.harmonics
                ],
                "change": c.change and {"rms": c.change.rms, "amplitude": c.change.amplitude},
            }

        return (
            {
                "steps_per_cycle": self.steps,
                "cycles": self.cycles,
                "periodic": self.periodic,
                "change": self.change,
                "unconverged_steps_of_loop": self.unconverged,
                "cl": part(self.cl),
                **({} if self.cd is None else {"cd": part(self.cd)}),
                "cm": part(self.cm),
                **{name: part(load) for name, load in self.side.items()},
            }
            | ({} if self.flapping is None else self.flapping.numbers())
            | ({} if self.energy is None else self.energy.to_dict())
            | ({"bodies": {n: b.to_dict() for n, b in self.bodies.items()}} if self.bodies else {})
        )


def loop_of(
    phase_deg: ArrayLike,
    alpha_deg: ArrayLike,
    cl: ArrayLike,
    cm: ArrayLike,
    label: str,
    steps: int | None = None,
    cycles: float | None = None,
    converged: ArrayLike | None = None,
    largest: float = 0.0,
) -> Loop:
    """Loop of the last `steps` samples (default: all are one cycle) of uniform phase.

    `largest` is the amplitude of another load that counts for what is nothing beside it.
    """
    phase, alpha, lift, moment = (np.asarray(v, float) for v in (phase_deg, alpha_deg, cl, cm))
    steps = len(phase) if steps is None else steps
    series = np.stack([phase, alpha, lift, moment])
    if steps < 3 or not np.isfinite(series).all():
        raise CaseError(f"{label}: expected at least 3 steps per cycle and finite values")
    if len(phase) < steps:
        raise CaseError(
            f"{label}: {len(phase)} steps, less than one cycle of {steps}; run more cycles"
        )
    last = series[:, -steps:]
    gaps = np.diff(np.r_[last[0], last[0, 0] + 360]) % 360
    if np.abs(gaps - 360 / steps).max() > 0.01 * 360 / steps:
        raise CaseError(f"{label}: the phases of the last cycle are not {steps} uniform steps")
    before = series[:, -2 * steps : -steps] if len(phase) >= 2 * steps else None
    order = np.argsort(last[0] % 360)
    end = int(np.argmax(order))  # place of the last step in the order of phases
    last = last[:, order]
    last[0] %= 360
    return Loop(
        last[0],
        last[1],
        *_loads(last, None if before is None else before[:, order], end, largest),
        len(phase) / steps if cycles is None else cycles,
        label,
        None if converged is None else np.asarray(converged, bool)[-steps:][order],
    )


def _loads(
    last: FloatArray, before: FloatArray | None, end: int, largest: float
) -> tuple[Coefficient, Coefficient]:
    """Lift and moment of a cycle, rows as in `SERIES`, which ends at place `end`."""
    phase = np.radians(last[0])
    old_lift, old_moment = (None, None) if before is None else before[2:]
    nothing = NOTHING * max(largest, float(np.ptp(last[2:], axis=1).max()) / 2)
    lift = coefficient(last[2], phase, old_lift, end, nothing=nothing)
    least = max(LEAST, LEVER * lift.amplitude)
    return lift, coefficient(last[3], phase, old_moment, end, least, nothing)


def loop_of_history(
    history: History, member: int | None = None, tolerance: float = PERIODIC, label: str = "run"
) -> Loop:
    """Loop of a history's last cycle; errors as of `kinemesh.hysteresis`."""
    if history.kind != "unsteady":
        raise CaseError(f"{label}: a steady run has no loop")
    if member is None and len(history.members) > 1:
        raise CaseError(f"{label}: members {history.members}; choose one: hysteresis(run, 0)")
    member = history.members[0] if member is None and history.rows else member
    history.refuse_failed(member, label)
    refuse_lost(history, member, label)
    part = history if member is None else history.member(member)
    moved = part["step"] > 0  # step 0, where written, is the flow that the run started from
    cycle = part["cycle"][moved]
    if len(cycle) < 2:
        raise CaseError(f"{label}: {len(cycle)} steps, less than one cycle; run more cycles")
    gap = (cycle[-1] - cycle[0]) / (len(cycle) - 1)
    steps = round(1 / gap) if gap > 0 else 0
    # cycle is a fraction of exact steps: 1e-6 of a step is far above its rounding
    uniform = steps > 0 and np.abs(np.diff(cycle) * steps - 1).max() < 1e-6
    if not uniform:
        raise CaseError(f"{label}: the steps are not uniform fractions of a cycle")
    phase, alpha, cl, cm = (part[name][moved] for name in SERIES)
    converged = part["converged"][moved]
    drag = float(np.ptp(part["cd"][moved][-steps:])) / 2
    loop = loop_of(phase, alpha, cl, cm, label, steps, float(cycle[-1]), converged, drag)
    flapping = _flapping(loop, part)
    loop = replace(loop, tolerance=tolerance, flapping=flapping, side=_side(loop, part))
    loop = replace(loop, modes=_modes(loop, part))
    return loop if "power" not in part.columns else _with_work(loop, part)


def _cycle(history: History, steps: int, back: int = 0) -> dict[str, NDArray[Any]]:
    """Columns of the last cycle of a member, or of one that lies `back` cycles before."""
    end = history.rows - back * steps
    return {name: history[name][end - steps : end] for name in history.columns}


def _flapping(loop: Loop, history: History, of_body: str = "") -> Flapping:
    """Drag, thrust, power and shift of all bodies, or of one."""
    last = _cycle(history, loop.steps)
    moved = int(np.sum(history["step"] > 0))
    before = _cycle(history, loop.steps, 1) if moved >= 2 * loop.steps else None
    scale = history.scales.get(int(history["member"][-1]))
    order = np.argsort(last["phase_deg"] % 360)
    return flapping_of(last, order, before, scale, of_body)


def _modes(loop: Loop, history: History) -> dict[str, FloatArray]:
    """Amplitudes of the shapes of bodies that bend over the last cycle, by columns."""
    last = _cycle(history, loop.steps)
    order = np.argsort(last["phase_deg"] % 360)
    names = [n for n in last if n.startswith("mode_") and not n.startswith("mode_force_")]
    return {name: np.asarray(last[name], float)[order] for name in names}


def _side(loop: Loop, history: History) -> dict[str, Coefficient]:
    """Loads of the last cycle that a history in space has beside those of the plane."""
    names = [name for name in SIDE if name in history.columns]
    last = _cycle(history, loop.steps)
    moved = int(np.sum(history["step"] > 0))
    before = _cycle(history, loop.steps, 1) if moved >= 2 * loop.steps else None
    order = np.argsort(last["phase_deg"] % 360)
    phase, end = np.radians(last["phase_deg"])[order], int(np.argmax(order))
    nothing = NOTHING * max(loop.cl.amplitude, loop.cm.amplitude)
    return {
        name: coefficient(
            last[name][order],
            phase,
            None if before is None else before[name][order],
            end,
            nothing=nothing,
        )
        for name in names
    }


def _with_work(loop: Loop, history: History) -> Loop:
    """Loop with the work of all bodies, and of each of several bodies."""
    cycle = _cycle(history, loop.steps)
    start = "angle_deg_"
    markers = [name.removeprefix(start) for name in cycle if name.startswith(start)]
    found = {marker: movement_of(cycle, f"_{marker}") for marker in markers}
    paths = {marker: path for marker, path in found.items() if path is not None}
    only = [] if paths else [movement_of(cycle)]
    energy = work_of([p for p in (*only, *paths.values()) if p is not None], loop.cl, loop.cm)
    bodies = {
        marker: _body_loop(cycle, marker, path, _flapping(loop, history, f"_{marker}"))
        for marker, path in paths.items()
    }
    return replace(loop, energy=energy, bodies=bodies)


def _body_loop(
    cycle: Mapping[str, NDArray[Any]], marker: str, path: Movement, flapping: Flapping
) -> BodyLoop:
    cl, cm = (coefficient(cycle[f"{n}_{marker}"], path.phase, None) for n in ("cl", "cm"))
    return BodyLoop(cl, cm, work_of([path], cl, cm), flapping, path.pitches)
