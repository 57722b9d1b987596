"""Boundary conditions on meshes and on clouds (docs/theory.md, 2.4; docs/meshless.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.flow.terms.base import Rows, Term
from kinemesh.flow.terms.passing import GasThrough
from kinemesh.sentences import Sentence
from kinemesh.space.conditions.table import flux_of
from kinemesh.space.conditions.values import Values


class Vortex(Term):
    """Strength of the far field's vortex, from the lift of the bodies (theory eq. 2.9)."""

    name = "vortex"

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.fields.add(strength=case.backend.zeros(self.grid.members, "float64"))
        self._calls: list[Any] = case.forces.vortex(self.fields)

    def residual(self) -> list[Any]:
        return self._calls


class Boundary(Term):
    """Weak conditions at the patches, and their derivatives.

    A volume in several patches takes what each of them adds, in their order.

    Attributes
    ----------
    patches : by kind, those that have volumes;  kernels : of their fluxes
    values : numbers of the conditions
    through : flow through inlets and outlets

    Raises
    ------
    SettingsError    a kind without a kernel of that name
    """

    name = "boundary"
    swept = True

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.values = Values(case.backend, self.grid, case.conditions)
        patches = self.grid.patches
        self.patches = {kind: own for kind, own in patches.items() if len(own) and self.weak(kind)}
        self.kernels = {kind: flux_of(kind, case.family) for kind in self.patches}
        for kind, kernel in self.kernels.items():
            if not self.fields.has(kernel):
                raise SettingsError(
                    f"boundaries: kind {kind!r} is not for this solver, as there is no kernel "
                    f"{kernel}; choose another kind"
                )
        self.through = GasThrough(case, self.kernels)
        self.columns = self.through.columns

    def weak(self, kind: str) -> bool:
        """Return True for a kind of condition that a flux imposes: all of an inviscid gas."""
        del kind
        return True

    def at_time(self, times: NDArray[np.float64]) -> None:
        self.values.at_time(times)

    def numbers(self) -> dict[str, NDArray[Any]]:
        return self.through.numbers()

    def remarks(self) -> list[Sentence]:
        return self.through.remarks()

    def residual(self) -> list[Any]:
        return [
            self.fields.also(**patch.device).bind(self.kernels[kind], over)
            for kind, patch in self.patches.items()
            for over in patch.layers
        ]

    def matrix(self, rows: Rows) -> list[Any]:
        calls = []
        for kind, patch in self.patches.items():
            slot = rows.fields.backend.table(rows.diagonal[patch.node])
            own = {**patch.device, **rows.sides[kind], "slot": slot}
            kernel = f"{self.kernels[kind]}_jacobian"
            fields = rows.fields.also(**own)
            calls += [fields.bind(kernel, over, suffix=rows.suffix) for over in patch.layers]
        return calls
