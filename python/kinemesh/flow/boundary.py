"""Boundary states and conditions that every solver on a grid shares (docs/theory.md, 2.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.device.backend import Backend
from kinemesh.space.grid import Faces
from kinemesh.space.nodes import Boundary

GAMMA = 1.4


def free_stream(mach: ArrayLike, alpha_deg: ArrayLike, dimensions: int = 2) -> NDArray[np.float64]:
    """(members, dimensions + 2) primitive states of uniform streams, rho = a = 1.

    The angle of attack turns the stream from x to y in the plane, to z in space.
    """
    mach, alpha = np.broadcast_arrays(np.asarray(mach, float), np.radians(alpha_deg))
    one = np.ones_like(mach)
    velocity = [mach * np.cos(alpha), *[0 * one] * (dimensions - 2), mach * np.sin(alpha)]
    return np.stack([one, *velocity, one / GAMMA], axis=-1)


def conserved(q: ArrayLike) -> NDArray[np.float64]:
    """(..., 2 + d) conserved states (rho, rho velocity, rho E) of primitive ones."""
    rho, *velocity, p = np.moveaxis(np.asarray(q, float), -1, 0)
    energy = p / (GAMMA - 1) + rho * sum(v * v for v in velocity) / 2
    return np.stack([rho, *(rho * v for v in velocity), energy], axis=-1)


class Boundaries:
    """Calls for the weak conditions at walls and far field, and their linearisation.

    Parameters
    ----------
    common : member, active, q
    far_field : stream, strength (None: no vortex), centre, x, fix of the kernel bc_farfield
    """

    def __init__(
        self,
        backend: Backend,
        wall: Boundary,
        far: Boundary,
        common: dict[str, Any],
        far_field: dict[str, Any],
    ) -> None:
        self.backend, self.far_field = backend, far_field
        self.common = common
        self.sides = [(wall, False), (far, True)]

    def _calls(self, kernel: str, sides: list[dict[str, Any]], suffix: str | None) -> list[Any]:
        calls = []
        for (boundary, far), more in zip(self.sides, sides, strict=True):
            fields = self.common | {name: boundary.device[name] for name in ("node", "S", "w")}
            fields |= self.far_field if far else {}
            name = kernel.format("farfield" if far else "wall")
            calls.append(self.backend.bind(name, suffix=suffix, **(fields | more)))
        return calls

    def residual(self, res: Any) -> list[Any]:
        """Calls that add the boundary fluxes to `res`."""
        return self._calls("bc_{}", [{"res": res}] * len(self.sides), None)

    def jacobian(
        self, A: Any, diagonal_of_node: NDArray[np.int32], faces: Faces, q: Any, suffix: str
    ) -> list[Any]:
        """Calls that add the boundaries' derivatives to the diagonal blocks of A.

        Parameters
        ----------
        faces : S and w of edges, walls and far field in A's precision; q: the state in it
        """
        sides = [
            {
                "A": A,
                "q": q,
                "slot": self.backend.array(diagonal_of_node[boundary.node], np.int32),
                **faces[name],
            }
            for (boundary, _), name in zip(self.sides, ("wall", "far"), strict=True)
        ]
        return self._calls("bc_{}_jacobian", sides, suffix)
