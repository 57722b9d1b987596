"""Gradients of the primitive state by weighted least squares, limited (docs/theory.md, 2.2)."""

from __future__ import annotations

from typing import Any

from kinemesh.nodes import Nodes


class Gradients:
    """Gradients at the nodes of a grid.

    Parameters
    ----------
    common : member and active, (nodes,) and (members,) device arrays
    q : (nodes, 4) device array
    settings : limiter ("wang", "venkatakrishnan"; others: unlimited) and limiter_k

    Attributes
    ----------
    grad : (nodes, 8) device array, dq_k/dx and dq_k/dy side by side
    calls : from q to grad
    """

    def __init__(self, grid: Nodes, common: dict[str, Any], q: Any, settings: Any) -> None:
        b = grid.backend
        self.grad = b.zeros((grid.nodes, 8))
        fields = common | {
            "x": grid.x,
            "offsets": grid.table["offsets"],
            "neighbour": grid.table["neighbour"],
            "inverse": grid.inverse,
            "q": q,
            "grad": self.grad,
        }
        if settings.limiter == "venkatakrishnan":
            kernel = "ale_gradient_venkatakrishnan"
            self.calls = [b.bind(kernel, **fields, K=settings.limiter_k, V=grid.V)]
        elif settings.limiter == "wang":
            span = b.zeros((grid.members, 8), "float64")
            parts = b.zeros((grid.chunks, 8), "float64")
            self.calls = [
                b.bind("ale_range", q=q, offsets=grid.node_chunks, sums=parts),
                b.bind("gather_max_8", offsets=grid.node_groups, parts=parts, sums=span),
                b.bind("ale_gradient_wang", **fields, K=settings.limiter_k, range=span),
            ]
        else:
            self.calls = [b.bind("ale_gradient", **fields)]
