"""The equation of Spalart and Allmaras in steps of Newton (docs/theory.md, section 2.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinemesh.device.fields import Fields
from kinemesh.linear import Bicgstab
from kinemesh.linear.thin_layers import Layers, Preconditioner

SCALE = 100.0  # of nu~, in viscosities of the stream


class NewtonEddies:
    """Unknown nu~ over SCALE times the stream's viscosity, beside u; a `Beside`.

    Parameters
    ----------
    own : fields of its term;  vectors : those of steps of Newton
    solver : of its matrix, whose entries the residual writes
    """

    def __init__(self, own: Fields, vectors: Fields, solver: Bicgstab, layers: Layers) -> None:
        b = own.backend
        nodes, stream = own["nt"].shape[0], own["mu_stream"]
        self.own = own
        with b.irregular():  # flow/memory.py has a bound
            self.inverse = Preconditioner(solver, layers)
        made = {name: b.zeros(nodes) for name in ("nt0", "beside0", "T_nt")}
        made["scale"] = b.array(SCALE * b.get(stream), "float64")
        names = ("w", "z", "share", "weight")
        self._fields = own.also(**made, **{name: vectors[name] for name in names})
        self.fields: Mapping[str, Any] = {
            "beside0": made["beside0"],
            "beside": own["res_nt"],
            "T_beside": made["T_nt"],
            "scale": made["scale"],
        }

    def begin(self) -> list[Any]:
        pace = self.own.bind("eddy_pace", T_nt=self._fields["T_nt"])
        return [self._fields.bind("eddy_begin"), pace, *self.inverse.factor]

    def side(self) -> list[Any]:
        return [self._fields.bind("eddy_side")]

    def solve(self) -> list[Any]:
        return [
            self._fields.bind("eddy_give"), *self.inverse.solve, self._fields.bind("eddy_get")
        ]  # fmt: skip

    def move(self) -> list[Any]:
        return [self._fields.bind("eddy_move")]

    def product(self) -> list[Any]:
        return [self._fields.bind("eddy_product")]

    def bound(self) -> list[Any]:
        return [self._fields.bind("eddy_bound")]
