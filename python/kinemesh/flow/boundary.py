"""Boundary conditions on meshes and on clouds (docs/theory.md, 2.4; docs/meshless.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.errors import SettingsError
from kinemesh.space.conditions.base import FACES
from kinemesh.space.conditions.table import flux_of
from kinemesh.space.patches import Patch


class Boundaries:
    """Calls for the weak conditions at the patches, and their linearisation.

    A volume in several patches takes what each of them adds, in their order.

    Parameters
    ----------
    fields : of the solver
    patches : by kind; those without volumes have no calls
    of : family of solvers, which kernels begin with

    Raises
    ------
    SettingsError    a kind without a kernel of that name
    """

    def __init__(self, fields: Fields, patches: Mapping[str, Patch], of: str = FACES) -> None:
        self.fields = fields
        self.patches = {kind: patch for kind, patch in patches.items() if len(patch)}
        self.kernels = {kind: flux_of(kind, of) for kind in self.patches}
        for kind, kernel in self.kernels.items():
            if not fields.has(kernel):
                raise SettingsError(
                    f"boundaries: kind {kind!r} is not for this solver, as there is no kernel "
                    f"{kernel}; choose another kind"
                )

    def residual(self) -> list[Any]:
        """Calls that add the boundary fluxes to `res`."""
        return [
            self.fields.also(**patch.device).bind(self.kernels[kind])
            for kind, patch in self.patches.items()
        ]

    def jacobian(
        self,
        matrix: Fields,
        diagonal_of_node: NDArray[np.int32],
        sides: Mapping[str, Mapping[str, Any]],
        suffix: str,
    ) -> list[Any]:
        """Calls that add the boundaries' derivatives to the diagonal blocks of A.

        Parameters
        ----------
        matrix : A and the state in A's precision
        sides : of each kind of boundary its shape in A's precision: S and w on meshes, normal and
            gap on clouds
        """
        calls = []
        for kind, patch in self.patches.items():
            slot = matrix.backend.array(diagonal_of_node[patch.node], np.int32)
            own = {**patch.device, **sides[kind], "slot": slot}
            calls.append(matrix.also(**own).bind(f"{self.kernels[kind]}_jacobian", suffix=suffix))
        return calls
