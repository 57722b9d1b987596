"""Values that the parts of an overset case take from one another in a step (docs/overset.md).

Nodes that are solved for are field nodes; the others have the values of the cell of another part
that holds them, their donor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.linear.outer import ScalarSolver
from kinemesh.overset.connectivity import Connectivity
from kinemesh.space.conditions.base import BODY, OUTER, PLANE
from kinemesh.space.grid import Grid

FADE = 4  # layers of cells over which faces begin to trust their memory


class Exchange:
    """Calls that bring values to the nodes that are not field nodes.

    Parameters
    ----------
    grid : Grid of `kinemesh.overset.parts.Parts`
    connectivity : Connectivity of it
    linear : bool            values are interpolated without the gradients of where they come from
    fixed : (nodes,) bool    where velocities are given by the boundary
    open : (nodes,) bool     where the boundary is open

    Attributes
    ----------
    rows : call    what follows from a new status
    named : dict   fields that the kernels of a step take beside: given and open of the status, and
        trust in the memory of faces
    leak : (members,) float64 device array    flow out through the outer boundary
    area : (members,) of the fluid
    """

    def __init__(
        self,
        grid: Grid,
        connectivity: Connectivity,
        linear: bool,
        fixed: NDArray[np.bool_],
        open: NDArray[np.bool_],
    ) -> None:
        b, n = grid.backend, grid.nodes
        self.grid, self.connectivity, self.backend, self.linear = grid, connectivity, b, linear
        self.next, self.next_pressure = b.zeros((n, grid.dimensions)), b.zeros(n, np.float64)
        self.leak, self.area = b.zeros(grid.members, np.float64), self._area()
        given, loose = b.zeros(n, np.int32), b.zeros(n, np.int32)
        status = connectivity.status
        self.named = {"given": given, "status": status, "trust": b.zeros(n)}
        self.loose = loose
        self.rows = grid.fields.bind(
            "overset_rows",
            **self.named,
            other=connectivity.other,
            fixed=b.array(fixed, np.int32),
            open=b.array(open, np.int32),
            bound=b.array(self._bound(), b.dtype),
            loose=loose,
        )
        outer = np.zeros(n)
        outer[grid.patches[OUTER].node] = 1
        self.outer = b.array(outer, np.int32)
        self.donors = grid.fields.also(
            status=status, donor=connectivity.donor, weight=connectivity.weight
        )

    def _bound(self) -> NDArray[np.float64]:
        """(nodes,) trust in the memory of faces where no other body is near (overset.md, 2.5)."""
        link, grid = self.connectivity, self.grid
        reach = link.fringe + link.overlap + 2
        trust = np.clip((link.layer - reach) / FADE, 0.0, 1.0)
        for m, mesh in enumerate(grid.meshes):
            bare = ~mesh.walled & (len(mesh.names) > 1)
            trust[grid.first[m] : grid.first[m + 1]][bare[mesh.part]] = 0.0
        return trust

    def vector(self, u: Any, active: Any, grad: Any = None) -> list[Any]:
        """Calls that bring a vector to the nodes that are not solved for.

        Parameters
        ----------
        grad : its gradients at nodes; None: values alone
        """
        own = self.donors.also(u=u, next=self.next, active=active)
        slope = None if self.linear else grad
        return [own.bind("exchange_vector", grad=slope), own.bind("exchange_take_vector")]

    def pressure(self, p: Any, push: Any, active: Any) -> list[Any]:
        """Calls that bring a pressure to the nodes that are not solved for; push: its gradients."""
        slope = None if self.linear else push
        own = self.donors.also(p=p, push=slope, next=self.next_pressure, active=active)
        return [own.bind("exchange_pressure"), own.bind("exchange_take_pressure")]

    def level(self, fields: Fields, solver: ScalarSolver) -> list[Any]:
        """Calls for the mean of the pressure and what is left over, of closed members, from the
        solution of the pressure's solver."""
        if solver.stiff is None:
            return []
        parts = self.backend.zeros((self.grid.chunks, 3), np.float64)
        own = {"parts": parts, "change": solver.x, "stiff": solver.stiff}
        return [fields.bind("overset_level", **self.grid.totals, **own)]

    def lost(self, closed: NDArray[np.bool_], defect: Any) -> NDArray[np.float64]:
        """(members,) flow out that has no way in; of closed members from what they lack, defect."""
        get = self.backend.get
        return np.where(closed, get(defect) * self.area, get(self.leak))

    def _area(self) -> NDArray[np.float64]:
        """(members,) of what walls, far field and planes of symmetry enclose, by Green's theorem;
        overlaps count once."""
        grid, area = self.grid, np.zeros(self.grid.members)
        for role in (BODY, OUTER, PLANE):
            patch = grid.patches.get(role)
            if patch is not None:
                S = self.backend.get(patch.device["S"]).astype(float)
                inside = (grid.points[patch.node] * S).sum(axis=1) / grid.dimensions
                area += np.bincount(patch.member, inside, grid.members)
        return area

    def leaks(self, fields: Fields) -> Any:
        """Call that adds up what flows out through the outer boundary, of what leaves its duals
        through their edges."""
        parts = self.backend.zeros((self.grid.chunks, 1), np.float64)
        own = {"outer": self.outer, "parts": parts, "leak": self.leak}
        return fields.bind("overset_leak", **self.grid.totals, **own)
