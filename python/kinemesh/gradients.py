"""Gradients of the primitive state by weighted least squares, limited (docs/theory.md, 2.2)."""

from __future__ import annotations

from typing import Any

from kinemesh.nodes import Nodes


class Gradients:
    """Gradients at the nodes of a grid.

    Parameters
    ----------
    common : member and active, (nodes,) and (members,) device arrays
    q : (nodes, variables) device array
    settings : limiter ("wang", "venkatakrishnan"; others: unlimited) and limiter_k
    of : "ale", weights |dr|^-2, or "cloud", those of settings.weight_power, without
        Venkatakrishnan's limiter

    Attributes
    ----------
    grad : (nodes, variables * dimensions) device array, dq_k/dx, dq_k/dy side by side
    calls : from q to grad
    """

    def __init__(
        self, grid: Nodes, common: dict[str, Any], q: Any, settings: Any, of: str = "ale"
    ) -> None:
        b, ends = grid.backend, 2 * grid.variables
        self.grad = b.zeros((grid.nodes, grid.dimensions * grid.variables))
        fields = common | {
            "x": grid.x,
            "offsets": grid.table["offsets"],
            "neighbour": grid.table["neighbour"],
            "inverse": grid.inverse,
            "q": q,
            "grad": self.grad,
        }
        if of == "cloud":
            fields["squared"] = settings.weight_power == 2
        if settings.limiter == "venkatakrishnan":
            kernel = f"{of}_gradient_venkatakrishnan"
            self.calls = [b.bind(kernel, **fields, K=settings.limiter_k, V=grid.V)]
        elif settings.limiter == "wang":
            span = b.zeros((grid.members, ends), "float64")
            parts = b.zeros((grid.chunks, ends), "float64")
            self.calls = [
                grid.bind("ale_range", q=q, offsets=grid.node_chunks, sums=parts),
                b.bind(f"gather_max_{ends}", offsets=grid.node_groups, parts=parts, sums=span),
                grid.bind(f"{of}_gradient_wang", **fields, K=settings.limiter_k, range=span),
            ]
        else:
            self.calls = [grid.bind(f"{of}_gradient", **fields)]
