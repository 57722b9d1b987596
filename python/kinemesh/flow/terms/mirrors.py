"""Planes of symmetry of meshes in space, where no momentum goes across (docs/theory.md, 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinemesh.flow.terms.base import Rows, Term


class Mirrors(Term):
    """Rows of the volumes on planes of symmetry, behind what other boundaries add there.

    States there slip and gradients are even in `Gradients`.  In the plane planes of symmetry are
    patches.
    """

    name = "planes of symmetry"
    swept = True

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.symmetric = self.grid.symmetric

    def residual(self) -> list[Any]:
        return [self.fields.bind("bc_symmetry", **self.symmetric)]

    def given(self, vectors: Mapping[str, Any]) -> list[Any]:
        own = {name: vectors[name] for name in ("T", "z", "w")}
        return [self.fields.bind("newton_symmetry", **self.symmetric, **own)]

    def matrix(self, rows: Rows) -> list[Any]:
        line = rows.fields.backend.table(rows.rows[self.grid.mirror_nodes])
        own = rows.fields.also(node=self.symmetric["node"], line=line, row=rows.row)
        return [own.bind("bc_symmetry_jacobian", suffix=rows.suffix)]
