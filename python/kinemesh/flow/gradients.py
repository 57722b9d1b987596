"""Gradients of the primitive state by weighted least squares, limited (docs/theory.md, 2.2)."""

from __future__ import annotations

from typing import Any

from kinemesh.space.nodes import Nodes


class Gradients:
    """Gradients at the nodes of a grid.

    Parameters
    ----------
    state : what ale_primitive is told: member, active, u, q and faults
    settings : limiter ("wang", "venkatakrishnan"; others: unlimited) and limiter_k
    of : "ale", weights |dr|^-2, or "cloud", those of settings.weight_power, without
        Venkatakrishnan's limiter
    symmetric : `CloudGrid.symmetric`, about whose plane gradients are made even

    Attributes
    ----------
    grad : (nodes, variables * dimensions) device array, dq_k/dx, dq_k/dy side by side
    calls : from u to q and grad
    again : from q to grad, with the range of q that the last `calls` found
    """

    def __init__(
        self,
        grid: Nodes,
        state: dict[str, Any],
        settings: Any,
        of: str = "ale",
        symmetric: dict[str, Any] | None = None,
    ) -> None:
        b, ends = grid.backend, 2 * grid.variables
        common = {name: state[name] for name in ("member", "active")}
        self.grad = b.zeros((grid.nodes, grid.dimensions * grid.variables))
        fields = common | {
            "x": grid.x,
            "offsets": grid.table["offsets"],
            "neighbour": grid.table["neighbour"],
            "inverse": grid.inverse,
            "q": state["q"],
            "grad": self.grad,
        }
        if of == "cloud":
            fields["squared"] = settings.weight_power == 2
        kernel, first = f"{of}_gradient", []
        if settings.limiter == "wang" or grid.slip:
            parts = b.zeros((grid.chunks, ends), "float64")
            span = b.zeros((grid.members, ends), "float64")
            found = grid.totals | {"parts": parts, "range": span}
            begin = [grid.bind("ale_primitive_range", **state | grid.slip | found)]
        else:
            begin = [grid.bind("ale_primitive", **state)]

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
            kernel, limits = f"{kernel}_wang", {"K": settings.limiter_k, "range": span}
        else:
            limits = {}
        self.again = [*first, grid.bind(kernel, **fields, **limits), *even(self.grad)]
        self.calls = [*begin, *self.again]
