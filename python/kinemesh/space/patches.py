"""Patches: the volumes at the boundary, by the kind of boundary condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of boundary.

    Parameters
    ----------
    flux : names the kernel that adds its flux to the residual, bc_`flux` on meshes and
        cloud_`flux` on clouds; that of its derivative has the ending _jacobian
    still : whether it has a place of its own, so that mesh or cloud cannot move as a whole
    numbered : whether it has numbers (`kinemesh.space.conditions`)
    """

    flux: str
    still: bool = False
    numbered: bool = False


KINDS = {
    "wall": Kind("wall"),
    "far": Kind("farfield"),
    "symmetry": Kind("wall", still=True),
    "outlet": Kind("outlet", still=True, numbered=True),
    "inlet": Kind("inlet", still=True, numbered=True),
}
"""A new kind of boundary is its pair of kernels, on meshes, on clouds or on both, and a line here.

Walls alone are bodies, which move and carry loads."""


@dataclass(frozen=True, slots=True)
class Patch:
    """The volumes at the boundary of one kind, of all members.

    Parameters
    ----------
    kind : of `KINDS`
    node, body, member : host tables: volume, number of the body, member
    shape : as of `kinemesh.space.vertices.Side`
    device : by name these tables on the device, with S (area vector) and w (swept rate), and
        what else a space works out at its boundary
    """

    kind: str
    node: Ints
    body: Ints
    member: Ints
    shape: dict[str, Ints]
    device: dict[str, Any]

    @classmethod
    def of(
        cls,
        backend: Backend,
        kind: str,
        node: Ints,
        body: Ints,
        member: Ints,
        shape: dict[str, Ints],
        dimensions: int,
    ) -> Patch:
        """A patch with area vectors and swept rates of zero."""
        device = {name: backend.array(table, np.int32) for name, table in shape.items()} | {
            "node": backend.array(node, np.int32),
            "S": backend.zeros((len(node), dimensions)),
            "w": backend.zeros(len(node)),
        }
        return cls(kind, node, body, member, shape, device)

    def __len__(self) -> int:
        return len(self.node)

    def places(self, nodes: NDArray[Any]) -> NDArray[np.int64]:
        """Where volumes that lie in the patch stand in its tables."""
        order = np.argsort(self.node)
        found: NDArray[np.int64] = order[np.searchsorted(self.node, nodes, sorter=order)]
        return found
