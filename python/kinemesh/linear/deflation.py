"""Deflation of one constant per piece of a matrix with tied rows.

Pieces hang together by ties alone, so that their levels are what a cycle of each leaves slow
(docs/theory.md, section 7.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from kinemesh.device.backend import Backend
from kinemesh.linear.constraints import Constraints
from kinemesh.linear.hierarchy import SINGULAR
from kinemesh.linear.pattern import chunks, totals
from kinemesh.linear.stack import Alike


class Deflation:
    """z = Q r + M (r - A Q r), Q r the constants that bring the sums of r over each piece to zero.

    A piece is a component of a mesh's matrix.

    Parameters
    ----------
    alike : which members share a mesh
    matrices : K of each distinct mesh
    out : of each distinct mesh (nodes,) bool, rows where x is given or that are never own
    tables : row, column, matrix, member
    constraints : Constraints
    live, active : (members,) int32 device arrays: who iterates, whose constraints are looked at

    Attributes
    ----------
    refresh : calls that follow the constraints
    """

    def __init__(
        self,
        backend: Backend,
        alike: Alike,
        matrices: Sequence[sp.csr_matrix],
        out: Sequence[NDArray[np.bool_]],
        tables: dict[str, Any],
        constraints: Constraints,
        live: Any,
        active: Any,
    ) -> None:
        self.backend, self.live, table = backend, live, backend.table
        found = [connected_components(own, directed=False) for own in matrices]
        counts = np.array([found[of][0] for of in alike.of])
        first = np.concatenate([[0], np.cumsum(counts)])
        number = np.concatenate([np.arange(count) for count in counts])
        piece = np.concatenate(
            [found[of][1] + n for of, n in zip(alike.of, first[:-1], strict=True)]
        )
        share = [
            np.where(given, 0, own.diagonal()) for own, given in zip(matrices, out, strict=True)
        ]
        self.E = {
            "E": backend.zeros((len(number), int(counts.max())), np.float64),
            "across": int(counts.max()),
            "first": table(first),
        }
        self.sums, self.c = (backend.zeros(len(number), np.float64) for _ in range(2))
        self.totals = self._totals(piece, table(np.repeat(np.arange(len(counts)), counts)))
        weights = table(np.concatenate([share[of] for of in alike.of]), np.float64)
        self.own = constraints.kinds | {"share": weights}
        self.member = {"member": tables["member"]}
        self.constants = constraints.ties | {"share": weights, "piece": table(piece)}
        self.graph = {name: tables[name] for name in ("row", "column")}
        self.graph["rim"] = backend.zeros(len(piece), np.int32)
        self.matrix = self.constants | self.graph | {"matrix": tables["matrix"]}
        self.refresh = self._refresh_calls(number, active)

    def _totals(self, piece: NDArray, of: Any) -> dict[str, Any]:
        """Arguments of kernels that sum over pieces; of: the member of each."""
        ends = np.concatenate([[0], np.cumsum(np.bincount(piece, minlength=self.sums.shape[0]))])
        offsets, groups = chunks(ends)
        return totals(self.backend, offsets, groups) | {
            "of": of,
            "item": self.backend.table(np.argsort(piece, kind="stable")),
            "parts": self.backend.zeros((len(offsets) - 1, 1), np.float64),
        }

    def _refresh_calls(self, number: NDArray, active: Any) -> list[Any]:
        """Calls that recompute E; number: of each piece within its member."""
        live, E = {"live": active}, {name: self.E[name] for name in ("E", "across")}
        columns = [
            self._bind(
                "coarse", c=self.backend.table(number == at, np.float64), at=at,
                **self.totals, **self.matrix, **E, **live,
            )
            for at in range(self.E["across"])
        ]  # fmt: skip
        return [
            self._bind("rim", **self.own, **self.graph, **self.member, **live),
            *columns,
            self._bind("inverse", sums=self.sums, least=SINGULAR, **self.E, **live),
        ]

    def _bind(self, kernel: str, **fields: Any) -> Any:
        return self.backend.bind(f"deflation_{kernel}", suffix="f64", **fields)

    def narrow(self, r: Any, to: Any) -> list[Any]:
        """Calls to = r - A Q r in float32."""
        live, made = {"live": self.live}, {"sums": self.sums, "of": self.totals["of"]}
        into = {"from": r, "to": to, "c": self.c}
        return [
            self._bind("sums", r=r, sums=self.sums, **self.own, **self.totals, **live),
            self._bind("solve", c=self.c, **made, **self.E, **live),
            self._bind("narrow", **into, **self.member, **self.matrix, **live),
        ]

    def widen(self, r: Any, z: Any, to: Any) -> Any:
        """Call to = z + Q r, tied rows from what gives them."""
        fields = {"r": r, "from": z, "to": to, "c": self.c, "live": self.live}
        return self._bind("widen", **fields, **self.member, **self.constants)
