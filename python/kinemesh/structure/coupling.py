"""Strong coupling of structures and a flow within a step, by a Jacobian that is kept.

With the flow's forces f_i at the coordinates q_i the next ones solve
    (A - s J) q_{i+1} = side + s (f_i - J q_i),  J <- J + (df - J dq) dq^T / |dq|^2
(Broyden), J from step to step: the added mass hardly changes, so that a step takes two solutions
of the flow whatever the mass.  The structure's equation holds exactly at each q_{i+1}, with the
forces f_i + J (q_{i+1} - q_i); that of cubic springs is solved by Newton's method.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.structure.alpha import Rule, State, solved, times
from kinemesh.structure.broyden import updated

FloatArray = NDArray[np.float64]
LEAST = 1e-12  # work of a force over that of the springs of a unit, below which it is none
PROBE = 1e-3  # change of a coordinate without mass and spring, over its unit, that J is learnt by
KEPT = ("q", "v", "a", "f")
CLOSE = 1e-9  # last step of Newton's method over the coordinates; the error is that of its square
MOST = 50  # steps of Newton's method; beyond these the coordinates have none that balance


class Coupling:
    """Structures of an ensemble in the steps of a flow.

    Parameters
    ----------
    rule : Rule
    state : State          where the steps begin
    units : (members, n)   of the coordinates, by which forces are compared
    tolerance : float      force that is not in balance over the largest one of springs and inertia
        so far, at which a member's step is done
    scale : (members,)     forces, times the units, that those of structures without mass and spring
        are small beside
    resting : bool         whether the structures are let go from rest, for `Rule.first`

    Attributes
    ----------
    now : State            at the end of the last step
    ahead : (members, n)   coordinates that the flow is to be solved at
    jacobian : (members, n, n) J
    wanted : (members,)    members whose step is not done
    size : (members,)      largest force so far, times the units
    change : (members,)    force out of balance at the last solution, over the largest so far
    count : (members,)     solutions of the flow in this step
    """

    def __init__(
        self,
        rule: Rule,
        state: State,
        units: FloatArray,
        tolerance: float,
        scale: FloatArray | float = 1.0,
        resting: bool = False,
    ) -> None:
        members, n = state.q.shape
        self.lasting, self.rule = rule, rule.first() if resting else rule
        self.now, self.units, self.tolerance = state, units, tolerance
        self.before = state.v  # rates of the step before
        stiffest = (np.abs(rule.of.stiffness) * units[:, :, None] * units[:, None]).max(axis=(1, 2))
        self.massless, self.nonlinear = rule.of.massless, rule.of.nonlinear
        self.size = np.maximum(self._largest(state), LEAST * stiffest)
        self.size = np.where(self.massless, scale, self.size)
        self.jacobian = np.zeros((members, n, n))
        self.ahead = self.next = state.q
        self.wanted = np.ones(members, bool)
        self.change, self.count = np.zeros(members), np.zeros(members, int)
        self._side = np.zeros((members, n))
        self._last: tuple[FloatArray, FloatArray] | None = None
        self._forces = state.f

    def begin(self, alive: NDArray[np.bool_]) -> None:
        """Begin a step: `ahead` is where the rates of the last steps lead."""
        now, dt = self.now, self.rule.dt
        self._side, self._last = self.rule.side(now), None
        self.ahead = now.q + dt * (1.5 * now.v - 0.5 * self.before)
        self.wanted = alive.copy()
        self.change[:], self.count[:] = 0.0, 0

    def take(self, forces: FloatArray) -> NDArray[np.bool_]:
        """Take the flow's forces (members, n) at `ahead`; who has to be solved at the new one."""
        own = self.wanted
        if self._last is not None:
            dq, df = self.ahead - self._last[0], forces - self._last[1]
            self.jacobian = updated(self.jacobian, dq, df, own)
        self._last = self.ahead, np.where(own[:, None], forces, self._forces)
        share, left = self.rule.share, self.rule.left
        apart = self._side + share * forces - times(left, self.ahead)
        apart = apart - self.rule.cubic(self.now, self.ahead)
        blind = self.massless & ~self.jacobian.any(axis=(1, 2))  # nothing tells the way yet
        known = left - share[:, :, None] * self.jacobian
        known = np.where(blind[:, None, None], np.eye(known.shape[1]), known)
        found, lost = self._balanced(known, apart)
        found = np.where(blind[:, None], self.ahead + PROBE * self.units, found)
        change = (np.abs(apart) * self.units).max(axis=1) / self.size
        change = np.where(lost, np.inf, change)
        there = forces + times(self.jacobian, found - self.ahead)
        first = self.count == 0
        self.next = np.where((own | first)[:, None], found, self.next)
        self._forces = np.where((own | first)[:, None], there, self._forces)
        self.change = np.where(own, change, self.change)
        self.count = self.count + own
        self.wanted = own & ~((change <= self.tolerance) & ~blind)
        self.ahead = np.where(self.wanted[:, None], found, self.ahead)
        return self.wanted

    def _balanced(
        self, known: FloatArray, apart: FloatArray
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Coordinates (members, n) that balance all forces, by Newton's method; who has none.

        Parameters
        ----------
        known : (members, n, n) A - s J;  apart : (members, n) forces out of balance at `ahead`
        """
        rule, now, begun = self.rule, self.now, self.ahead
        found, left, going = begun, apart, np.ones(len(begun), bool)
        for _ in range(MOST):
            step = solved(known + rule.slopes(now, found), left)
            found = np.where(going[:, None], found + step, found)
            size, far = (np.abs(own / self.units).max(axis=1) for own in (found, step))
            going = going & self.nonlinear & ~(far <= CLOSE * size)
            if not going.any():
                break
            bent = rule.cubic(now, found) - rule.cubic(now, begun)
            left = apart - times(known, found - begun) - bent
        return found, going

    def end(self) -> None:
        """End the step at the coordinates that the last forces lead to."""
        self.before = self.now.v
        self.now = self.rule.ended(self.now, self.next, self._forces)
        self.rule = self.lasting
        self.size = np.maximum(self.size, self._largest(self.now))

    def _largest(self, there: State) -> FloatArray:
        """(members,) largest force of springs and inertia, times the units."""
        of = self.rule.of
        each = [np.abs(of.springs(there.q)), np.abs(times(of.mass, there.a))]
        found: FloatArray = (np.maximum(*each) * self.units).max(axis=1)
        return found

    @property
    def speed(self) -> FloatArray:
        """(members, n) rates at `ahead`, by the time rule."""
        return self.rule.ended(self.now, self.ahead, self.now.f).v

    @property
    def energy(self) -> FloatArray:
        """(members,) energy of the structures."""
        return self.rule.of.energy(self.now.q, self.now.v)

    def stiffness_of_flow(self, member: int) -> float:
        """Size of s J over A, in the units: above 1 a fixed point would diverge."""
        scale = self.units[member]
        if self.massless[member]:
            return np.inf
        own = self.rule.share[member] * self.jacobian[member] * scale
        left = self.rule.left + self.rule.slopes(self.now, self.now.q)
        return float(np.abs(np.linalg.solve(left[member] * scale, own)).max())

    def kept(self) -> dict[str, Any]:
        """Everything that the next step follows from, as lists."""
        found = {name: getattr(self.now, name) for name in KEPT}
        found |= {n: getattr(self, n) for n in ("before", "size", "jacobian", "ahead")}
        kept = {name: value.tolist() for name, value in found.items()}
        return kept | {"resting": self.rule is not self.lasting}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Take up what `kept` gave."""
        self.rule = self.lasting.first() if kept.get("resting") else self.lasting
        arrays = {name: np.array(value) for name, value in kept.items()}
        self.now = State(*(arrays[name] for name in KEPT))
        self.before, self.size = arrays["before"], arrays["size"]
        self.jacobian, self.ahead = arrays["jacobian"], arrays["ahead"]
