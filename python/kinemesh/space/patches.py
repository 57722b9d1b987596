"""Patches: the volumes at the boundary, by the condition there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Patch:
    """Volumes at the boundary under one condition, or of one role, of all members.

    Parameters
    ----------
    name : kind or role of `kinemesh.space.conditions`
    node, body, member : host tables: volume, number of the body, member
    shape : as of `kinemesh.space.vertices.Side`
    device : by name these tables on the device, with S (area vector) and w (swept rate), and
        what else a space works out at its boundary
    layers : ranges (first, count) of rows in which no volume is twice, one after the other; None
        where no volume is twice at all
    """

    name: str
    node: Ints
    body: Ints
    member: Ints
    shape: dict[str, Ints]
    device: dict[str, Any]
    layers: tuple[tuple[int, int] | None, ...] = (None,)

    @classmethod
    def of(
        cls,
        backend: Backend,
        name: str,
        node: Ints,
        body: Ints,
        member: Ints,
        shape: dict[str, Ints],
        dimensions: int,
        layers: tuple[tuple[int, int] | None, ...] = (None,),
    ) -> Patch:
        """A patch with area vectors and swept rates of zero."""
        device = {name: backend.array(table, np.int32) for name, table in shape.items()} | {
            "node": backend.array(node, np.int32),
            "S": backend.zeros((len(node), dimensions)),
            "w": backend.zeros(len(node)),
        }
        return cls(name, node, body, member, shape, device, layers)

    def __len__(self) -> int:
        return len(self.node)

    def places(self, nodes: NDArray[Any]) -> NDArray[np.int64]:
        """Rows of the patch that are of these volumes."""
        order = np.argsort(self.node)
        found: NDArray[np.int64] = order[np.searchsorted(self.node, nodes, sorter=order)]
        return found
