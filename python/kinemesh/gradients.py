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
    symmetric : `CloudGrid.symmetric`, about whose plane gradients are made even

    Attributes
    ----------
    grad : (nodes, variables * dimensions) device array, dq_k/dx, dq_k/dy side by side
    calls : from q to grad
    again : the same with the range of q that the last `calls` found
    """

    def __init__(
        self,
        grid: Nodes,
        common: dict[str, Any],
        q: Any,
        settings: Any,
        of: str = "ale",
        symmetric: dict[str, Any] | None = None,
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
        kernel, first, span_calls = f"{of}_gradient", [], []

        def even(grad: Any) -> list[Any]:
            # what a point of the plane sees on one side alone would let waves along it grow
            return [grid.bind("cloud_even", **common | symmetric, grad=grad)] if symmetric else []

        if of == "cloud" and settings.smooth_gradients:
            raw = b.zeros(self.grad.shape)
            first = [grid.bind(kernel, **fields | {"grad": raw}), *even(raw)]
            kernel, unused = "cloud_smooth", ["inverse", "squared"]
            if settings.limiter != "wang":
                unused += ["x", "q"]
            fields = {n: a for n, a in fields.items() if n not in unused} | {"raw": raw}
        if settings.limiter == "venkatakrishnan":
            kernel, limits = f"{kernel}_venkatakrishnan", {"K": settings.limiter_k, "V": grid.V}
        elif settings.limiter == "wang":
            span = b.zeros((grid.members, ends), "float64")
            parts = b.zeros((grid.chunks, ends), "float64")
            span_calls = [
                grid.bind("ale_range", q=q, offsets=grid.node_chunks, sums=parts),
                b.bind(f"gather_max_{ends}", offsets=grid.node_groups, parts=parts, sums=span),
            ]
            kernel, limits = f"{kernel}_wang", {"K": settings.limiter_k, "range": span}
        else:
            limits = {}
        self.again = [*first, grid.bind(kernel, **fields, **limits), *even(self.grad)]
        self.calls = [*span_calls, *self.again]
