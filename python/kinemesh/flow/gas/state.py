"""The flow of a case on its volumes: states at the time levels, their faults, pseudo-time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.fields import Fields
from kinemesh.flow.door.arguments import Arguments
from kinemesh.flow.gas.dualtime import DualTime
from kinemesh.flow.gas.lowmach import LowMach
from kinemesh.flow.gas.model import Euler
from kinemesh.space.volumes import Volumes

PREDICTORS = ((1.0, 0.0, 0.0), (2.0, -1.0, 0.0), (3.0, -3.0, 1.0))
"""Weights of the last three states in the one that a step begins from, by the order."""


class State:
    """States of all members, the free stream at first, and the fields that kernels take.

    Attributes
    ----------
    settings, backend, mach, alpha_deg : of the arguments
    grid : Volumes
    model : the equations;  equations : its class
    u, q : (nodes, variables) device arrays    conserved, primitive
    u1, u2, u3 : u at the last time levels;  res : residual;  past : its terms of two of them
    weights : (3,) device array     of the levels in the state that a step begins from
    fields : what kernels take, by name
    lowered : device array, 1 at fluxes of states for which a gradient asked a negative density
        or pressure (`Volumes.flux_member`)
    tolerance : (members,) device array    of the linear systems of pseudo-steps
    pace : (nodes,) device array     share of the CFL number that each node has for itself
    stream : (members, variables) device array    primitive
    centre : (members, 2) device array    of the far field's vortex
    """

    equations: type[Euler] = Euler
    backend: Backend
    dualtime: Any

    def __init__(self, arguments: Arguments, grid: Volumes) -> None:
        self.settings, self.grid = arguments.settings, grid
        self.mach, self.alpha_deg = (arguments.streams[n] for n in ("mach", "alpha_deg"))
        self.model = self.equations(grid.dimensions)
        b, n, model = arguments.backend, grid.nodes, self.model
        self.backend = b
        self.u, self.u1, self.u2, self.u3, self.q, self.res, self.past = (
            b.zeros((n, model.variables)) for _ in range(7)
        )
        self.weights = b.array(PREDICTORS[0], np.float64)
        self.pace = b.array(np.ones(n), np.float64)
        self.tolerance = b.zeros(grid.members, np.float64)
        speeds = self.mach * arguments.streams.get("stream", 1.0)  # over the speed of sound
        self.stream = b.array(model.free_stream(speeds, self.alpha_deg), np.float64)
        self.centre = b.zeros((grid.members, 2), np.float64)
        self.lowered = b.zeros(len(grid.flux_member), np.int32)
        # a member's fluxes stand side by side, or those of one colour do
        starts = np.flatnonzero(np.diff(grid.flux_member, prepend=-1))
        self._run_of = grid.flux_member[starts]
        self._lowered_of = b.zeros((len(starts), 1), np.float64)
        self._count_lowered = b.bind(
            "gather_counts",
            offsets=b.array([*starts, len(grid.flux_member)], np.int32),
            counts=self.lowered,
            sums=self._lowered_of,
        )
        self.dualtime = DualTime(grid)
        self.low_mach = LowMach(grid, self.settings, self.mach, speeds, self.alpha_deg)
        self.fields = self._named()
        self._primitive = self.fields.bind("state_primitive")
        self._past = self.fields.bind("state_past")
        self._keep = self.fields.bind("state_keep")
        norms = {"base": self.dualtime.base, "floor": self.dualtime.floor}
        most = self.settings.max_change
        self._predict = self.fields.bind("state_predict", **norms, most=most)
        grid.start()
        self.initialise()

    def _named(self) -> Fields:
        """Fields of the volumes and of the states, for kernels of the equations."""
        return self.grid.fields.ending(
            self.model.endings,
            u=self.u,
            u1=self.u1,
            u2=self.u2,
            u3=self.u3,
            weights=self.weights,
            q=self.q,
            res=self.res,
            past=self.past,
            lowered=self.lowered,
            pace=self.pace,
            stream=self.stream,
            centre=self.centre,
            active=self.dualtime.active,
            cfl=self.dualtime.cfl,
            low_mach=self.low_mach.pairs,
            entropy_fix=self.settings.entropy_fix,
        )

    def initialise(self, q: NDArray[Any] | None = None) -> None:
        """Set every time level to primitive states q (nodes, variables), or to the free stream."""
        self.grid.ensemble.begin()
        if q is None:
            u = self._streams()[self.grid.member]
        else:
            u = self.model.conserved(self.model.states(q, self.grid.nodes))
        self._set_levels(u)

    @contextmanager
    def running(self, failed: Sequence[Mapping[str, Any]] = ()) -> Iterator[None]:
        """A run of all members but those that have `failed` in the part that it goes on with.

        Members that failed in an earlier run begin from the free stream.
        """
        spoiled = list(self.grid.ensemble.failures)
        with self.grid.ensemble.reporting(failed):
            if spoiled:
                u, of = self.backend.get(self.u), np.isin(self.grid.member, spoiled)
                u[of] = self._streams()[self.grid.member[of]]
                self._set_levels(u)
            yield

    def settle(self) -> None:
        """Set every time level to the present flow."""
        with self.grid.ensemble.quiet():
            u = self.model.conserved(self.primitive())
        self._set_levels(u)

    def primitive(self) -> NDArray[Any]:
        """(nodes, variables) rho, velocity, p on the host, in the order of `grid.points`."""
        self._primitive()
        return self.backend.get(self.q)

    def _streams(self) -> NDArray[np.float64]:
        """(members, variables) conserved states of the free streams."""
        return self.model.conserved(self.backend.get(self.stream))

    def _set_levels(self, u: NDArray[Any]) -> None:
        for array in (self.u, self.u1, self.u2, self.u3):
            self.backend.put(array, u)
        self.backend.put(self.dualtime.active, self.grid.ensemble.alive)
        self._primitive()
        self.check_faults("initial state")

    def check_faults(self, where: str, iterations: Any = None) -> None:
        """Members of whom a kernel has left a fault fail (`Members.fail`).

        Parameters
        ----------
        iterations : (members,) device array    of a march, to be told too

        Raises
        ------
        NumericalFault    outside of a run of several members
        """
        if self.grid.ensemble.find_faults(where, self.grid.place, iterations):
            self.dualtime.stop_failed()

    def below_second_order(self) -> NDArray[np.int64]:
        """(members,) sum of `lowered`; 0 of members that have failed."""
        self._count_lowered()
        counts = self.backend.get(self._lowered_of)[:, 0]
        sums = np.bincount(self._run_of, counts, self.grid.members)
        return sums.astype(int) * self.grid.ensemble.alive
