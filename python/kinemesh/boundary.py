"""Boundary states and conditions that every solver on a grid shares (docs/theory.md, 2.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.backend import Backend
from kinemesh.grid import Boundary

GAMMA = 1.4


def free_stream(mach: ArrayLike, alpha_deg: ArrayLike) -> NDArray[np.float64]:
    """(members, 4) primitive states (rho, u, v, p) of uniform streams, rho = a = 1."""
    mach, alpha = np.broadcast_arrays(np.asarray(mach, float), np.radians(alpha_deg))
    one = np.ones_like(mach)
    return np.stack([one, mach * np.cos(alpha), mach * np.sin(alpha), one / GAMMA], axis=-1)


def conserved(q: ArrayLike) -> NDArray[np.float64]:
    """(..., 4) conserved states (rho, rho u, rho v, rho E) of primitive ones."""
    rho, u, v, p = np.moveaxis(np.asarray(q, float), -1, 0)
    return np.stack([rho, rho * u, rho * v, p / (GAMMA - 1) + rho * (u * u + v * v) / 2], axis=-1)


class Boundaries:
    """Calls for the weak conditions at walls and far field, and their linearisation."""

    def __init__(
        self,
        backend: Backend,
        wall: Boundary,
        far: Boundary,
        common: dict[str, Any],
        stream: Any,
        fix: float,
    ) -> None:
        self.backend, self.stream, self.fix = backend, stream, fix
        self.common = common  # member, active, q
        self.sides = [(wall, False), (far, True)]

    @staticmethod
    def _shared(boundary: Boundary) -> dict[str, Any]:
        return {name: boundary.device[name] for name in ("node", "S", "w")}

    def residual(self, res: Any) -> list[Any]:
        """Calls that add the boundary fluxes to `res`."""
        calls = []
        for boundary, far in self.sides:
            fields = self._shared(boundary) | self.common | {"res": res}
            if far:
                fields |= {"stream": self.stream, "fix": self.fix}
            calls.append(self.backend.bind("bc_farfield" if far else "bc_wall", **fields))
        return calls

    def jacobian(self, A: Any, diagonal_of_node: NDArray[np.int32]) -> list[Any]:
        """Calls that add the boundaries' derivatives to the diagonal blocks of A."""
        calls = []
        for boundary, far in self.sides:
            slot = self.backend.array(diagonal_of_node[boundary.node], np.int32)
            fields = self._shared(boundary) | self.common | {"A": A, "slot": slot}
            if far:
                fields |= {"stream": self.stream, "fix": self.fix}
            name = "bc_farfield_jacobian" if far else "bc_wall_jacobian"
            calls.append(self.backend.bind(name, **fields))
        return calls
