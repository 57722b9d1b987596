"""GMRES for every member of an ensemble at once (docs/theory.md, section 5.4).

Saad and Schultz (1986), flexible as of Saad (1993).  The matrix is known by its products alone,
which the caller computes; all is decided on the device, member by member.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.device.backend import Backend
from kinemesh.device.fields import Fields

AT_ONCE = 4  # products with vectors of the basis in a launch, as of gmres.h


class Gmres:
    """Solver of A x = b, from x = 0, without a restart.

    Its vectors are in float32, and their rows stand by member.

    Parameters
    ----------
    totals : tables of the chunks of rows (TOTALS, csrc/core/kernel.h)
    member : (rows,) int32 device array;  size : numbers of a row, 1, 2, 4 or 5
    wanted : (members,) int32 device array, members that want a solution
    live : (members,) int32 device array, of those that still iterate
    vectors : int      most of them
    flexible : bool    M changes from one application to the next, as an iteration does: its results
        are kept; else `sum` leaves the vector in w whose M is x
    tolerance : float, or (members,) float64 device array, |b - A x| over |b| at which to stop

    Attributes
    ----------
    w, z : (rows, size) float32 device arrays.  The caller puts b in w; in an iteration it makes
        z = M w, then w = A z; `sum` leaves x in z, or without `flexible` M^-1 x in w
    begin, iterate, sum : lists of calls;  `sum` is for members that are live, whom the caller sets
    steps, status : (members,) int32; status 1: converged, 2: broke down
    left : (members,) float64, |b - A x| over |b| as the recurrence has it
    """

    def __init__(
        self,
        backend: Backend,
        totals: dict[str, Any],
        member: Any,
        size: int,
        *,
        wanted: Any,
        live: Any,
        vectors: int,
        tolerance: Any,
        flexible: bool,
    ) -> None:
        self.backend, self.size = backend, size
        rows, members = member.shape[0], live.shape[0]
        chunks = totals["owner"].shape[0]
        numbers = {
            "norm": (members,),
            "start": (members,),
            "left": (members,),
            "side": (members, vectors + 1),
            "dots": (members, vectors),
            "hessenberg": (members, vectors, vectors),
            "rotations": (members, vectors, 2),
        }
        with backend.irregular():  # a few thousand bytes of a member, whatever its rows are
            self.small = {name: backend.zeros(n, np.float64) for name, n in numbers.items()}
        self.left = self.small["left"]
        if isinstance(tolerance, int | float):
            tolerance = backend.array(np.full(members, tolerance), np.float64)
        self.steps, self.status = (backend.zeros(members, np.int32) for _ in range(2))
        self.w, self.z = (backend.zeros((rows, size), np.float32) for _ in range(2))
        self.V = backend.zeros((vectors + 1, rows, size), np.float32)
        self.fields = Fields(
            backend, (f"_{size}",), **self.small, **totals, member=member, live=live,
            steps=self.steps, status=self.status, w=self.w, z=self.z, V=self.V,
            tolerance=tolerance,
        )  # fmt: skip
        keep, summed = [], {"X": self.V, "x": self.w}
        if flexible:
            Z = backend.zeros((vectors + 1, rows, size), np.float32)
            keep, summed = [self.fields.bind("gmres_keep", Z=Z)], {"X": Z, "x": self.z}
        one, four = (backend.zeros((chunks, n), np.float64) for n in (1, AT_ONCE))
        bind = self.fields.bind
        scale = bind("gmres_scale")
        start = backend.bind(
            "krylov_start", active=wanted, live=live, steps=self.steps, status=self.status
        )
        self.begin = [start, bind("gmres_first", parts=one), scale]
        batches = [{"from": first} for first in range(0, vectors, AT_ONCE)]
        project = [
            call
            for again in (0, 1)
            for call in (
                *(self._dots(batch | {"again": again, "parts": four}) for batch in batches),
                bind("gmres_take"),
            )
        ]
        turn = bind("gmres_turn", parts=one)
        self.iterate = [*keep, *project, turn, scale]
        self.sum = [bind("gmres_shares"), bind("gmres_sum", **summed)]

    def _dots(self, given: dict[str, Any]) -> Any:
        """Call of products of w with a batch of vectors."""
        return self.fields.bind("gmres_dots", **given)
