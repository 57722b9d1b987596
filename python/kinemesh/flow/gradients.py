"""Gradients of the primitive state by weighted least squares, limited (docs/theory.md, 2.2)."""

from __future__ import annotations

from typing import Any

from kinemesh.device.fields import Fields
from kinemesh.space.volumes import Volumes


class Gradients:
    """Gradients at the nodes of a grid.

    Parameters
    ----------
    fields : of the solver, with `active`, u and q
    settings : limiter ("wang", "venkatakrishnan"; others: unlimited) and limiter_k
    of : "ale", weights |dr|^-2, or "cloud", those of settings.weight_power, without
        Venkatakrishnan's limiter
    symmetric : `CloudGrid.symmetric`, about whose plane gradients are made even
    length : reference length, which Venkatakrishnan's K counts the size of a cell in

    Attributes
    ----------
    grad : (nodes, variables * dimensions) device array, dq_k/dx, dq_k/dy side by side
    calls : from u to q and grad
    again : from q to grad, with the range of q that the last `calls` found
    """

    def __init__(
        self,
        grid: Volumes,
        fields: Fields,
        settings: Any,
        of: str = "ale",
        symmetric: dict[str, Any] | None = None,
        length: float = 1.0,
    ) -> None:
        b, variables = grid.backend, fields["q"].shape[1]
        ends = 2 * variables
        self.grad = b.zeros((grid.nodes, grid.dimensions * variables))
        fields = fields.also(grad=self.grad)
        kernel, first, limits = f"{of}_gradient", [], {}
        if settings.limiter == "wang" or grid.slip:
            parts = b.zeros((grid.chunks, ends), "float64")
            span = b.zeros((grid.members, ends), "float64")
            begin = [fields.bind("state_primitive_range", **grid.totals, parts=parts, range=span)]
        else:
            begin = [fields.bind("state_primitive")]

        def even(grad: Any) -> list[Any]:
            # what a point of the plane sees on one side alone would let waves along it grow
            return [fields.bind("cloud_even", **symmetric, grad=grad)] if symmetric else []

        if of == "cloud" and settings.smooth_gradients:
            raw = b.zeros(self.grad.shape)
            first = [fields.bind(kernel, grad=raw), *even(raw)]
            kernel, limits = "cloud_smooth", {"raw": raw}
        if settings.limiter == "venkatakrishnan":
            kernel, limits = f"{kernel}_venkatakrishnan", {"K": settings.limiter_k / length}
        elif settings.limiter == "wang":
            kernel, limits = f"{kernel}_wang", limits | {"K": settings.limiter_k, "range": span}
        self.again = [*first, fields.bind(kernel, **limits), *even(self.grad)]
        self.calls = [*begin, *self.again]
