"""The implicit operator of a pseudo-step: matrix, factors, solution (docs/theory.md, section 2.5).

The matrix may be in float32 under a flow in float64: it only steers the pseudo-steps, and its
traffic is what they cost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from kinemesh.device.fields import Fields
from kinemesh.linear import Bicgstab, Pattern, Sweeps


class Operator(Protocol):
    """Solver for the change of u in a pseudo-step.

    Attributes
    ----------
    update : {"node": nodes of the rows or None, "du": change of u}, which is still to be added to
        u; None where `calls` add it
    """

    update: dict[str, Any] | None

    def calls(self, assemble: Callable[..., list[Any]]) -> list[Any]:
        """Calls from `res` to the change of u, or to the new u.

        Parameters
        ----------
        assemble : as of `Implicit.calls`
        """


class Implicit:
    """[V/dtau + c0 V + dR/du] du = -res.

    Parameters
    ----------
    fields : of the solver: q and res (nodes, variables), active, faults
    dtype : "float32" or "float64" of the matrix, never more than the backend's own
    tolerance : of BiCGSTAB; None: solved by sweeps through the colours
    most : int        iterations of BiCGSTAB at most, or pairs of sweeps

    Attributes
    ----------
    pattern, solver
    update : {"node": nodes of the rows, "du": the solution (rows, variables)}
    """

    def __init__(
        self,
        fields: Fields,
        pattern: Pattern,
        *,
        dtype: str,
        tolerance: Any,
        most: int,
    ) -> None:
        backend = self.backend = fields.backend
        self.fields, self.pattern, self.most = fields, pattern, most
        self.state = {name: fields[name] for name in ("q", "res")}
        shape = fields["res"].shape
        system = (backend, pattern, shape[1], fields["active"], fields["faults"])
        suffix = "f32" if dtype == "float32" else None
        self.solver = (
            Sweeps(*system, suffix=suffix)
            if tolerance is None
            else Bicgstab(*system, tolerance=tolerance, suffix=suffix)
        )
        self.single = self.solver.suffix != backend.suffix
        self.du = backend.zeros(shape) if self.single else self.solver.x
        self.update = {"node": self.solver.tables["node"], "du": self.du}
        self._matrix: list[Any] = []

    update: dict[str, Any] | None

    def calls(self, assemble: Callable[..., list[Any]]) -> list[Any]:
        """Calls from `state` to `du`.

        Parameters
        ----------
        assemble : (pattern, solver, state, single) -> calls    from `state`, in float32 where
            `single`, to the solver's A and b
        """
        return [*self.factors(assemble), *self.solution(self.most)]

    def factors(self, assemble: Callable[..., list[Any]]) -> list[Any]:
        """Calls from `state` to the factors of the matrix, and to the side of `calls`."""
        return [*self.matrix(assemble), self.solver.factor]

    def matrix(self, assemble: Callable[..., list[Any]]) -> list[Any]:
        """Calls from `state` to the matrix, and to the side of `calls`.

        They are bound once, with the tables that they read.
        """
        if not self._matrix:
            narrow, state = self._narrow() if self.single else ([], self.state)
            self._matrix = [*narrow, *assemble(self.pattern, self.solver, state, self.single)]
        return self._matrix

    def solution(self, most: int) -> list[Any]:
        """Calls from the factors and the side of `solver` to `du`, by `most` iterations."""
        return [self.solver.solve_recorded(most), *self.widened()]

    def widened(self) -> list[Any]:
        """Calls from the solution of `solver` to `du`."""
        return [self._copy("widen_state", self.solver.x, self.du)] if self.single else []

    def _copy(self, kernel: str, source: Any, target: Any) -> Any:
        return self.fields.bind(kernel, **{"from": source, "to": target})

    def _narrow(self) -> tuple[list[Any], dict[str, Any]]:
        copies = {name: self.backend.zeros(a.shape, np.float32) for name, a in self.state.items()}
        return [self._copy("narrow_state", self.state[n], copies[n]) for n in copies], copies
