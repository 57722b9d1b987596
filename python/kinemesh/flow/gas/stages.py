"""Pseudo-steps by the stages of a Runge-Kutta scheme (docs/meshless.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinemesh.device.fields import Fields


class Stages:
    """Stages of a pseudo-step, with the residual between them.

    Parameters
    ----------
    fields : of the solver
    shares : of the step, per stage
    rk_cfl : CFL number
    residual : calls from q to res; a stage gives q as well, and leaves u as a plane of symmetry
        wants it, since no residual there is across

    Attributes
    ----------
    update : None; stages give the new u themselves
    """

    update: dict[str, Any] | None = None

    def __init__(
        self, fields: Fields, shares: tuple[float, ...], rk_cfl: float, residual: list[Any]
    ) -> None:
        b, u = fields.backend, fields["u"]
        made = fields.also(u0=b.zeros(u.shape), step=b.zeros(u.shape[0]))
        first, *others = [made.bind("cloud_stage", share=share) for share in shares]
        self._calls = [made.bind("cloud_step", rk_cfl=rk_cfl), first]
        for stage in others:
            self._calls += [*residual, stage]

    def calls(self, assemble: Callable[..., list[Any]] | None = None) -> list[Any]:
        """Calls from the residual to the new u."""
        del assemble  # there is no matrix
        return self._calls
