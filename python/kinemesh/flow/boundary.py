"""Boundary conditions that every solver on a grid shares (docs/theory.md, 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.space.faces import Faces
from kinemesh.space.patches import KINDS, Patch


class Boundaries:
    """Calls for the weak conditions at the patches, and their linearisation.

    Parameters
    ----------
    fields : of the solver
    patches : by kind
    """

    def __init__(self, fields: Fields, patches: Mapping[str, Patch]) -> None:
        self.fields, self.patches = fields, patches

    def residual(self, **given: Any) -> list[Any]:
        """Calls that add the boundary fluxes to `res`, with other fields as given."""
        return [
            self.fields.also(**patch.device).bind(KINDS[kind].flux, **given)
            for kind, patch in self.patches.items()
        ]

    def jacobian(
        self, matrix: Fields, diagonal_of_node: NDArray[np.int32], faces: Faces, suffix: str
    ) -> list[Any]:
        """Calls that add the boundaries' derivatives to the diagonal blocks of A.

        Parameters
        ----------
        matrix : A and the state in A's precision
        faces : S and w of each kind of boundary in A's precision
        """
        calls = []
        for kind, patch in self.patches.items():
            slot = matrix.backend.array(diagonal_of_node[patch.node], np.int32)
            own = patch.device | faces[kind] | {"fix": self.fields["fix"], "slot": slot}
            calls.append(matrix.also(**own).bind(f"{KINDS[kind].flux}_jacobian", suffix=suffix))
        return calls
