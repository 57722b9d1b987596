"""Places of the overset parts of a case, and which of their nodes are solved for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import numbers
from kinemesh.bodies.placement import Placement, at_rest
from kinemesh.bodies.poses import rows_of
from kinemesh.errors import OversetError, SettingsError, warn
from kinemesh.overset.alone import Alone
from kinemesh.overset.connectivity import Connectivity
from kinemesh.overset.moving import bodies_of_parts
from kinemesh.overset.report import OversetReport
from kinemesh.overset.watch import Watch


class Standing(Alone):
    """Places of the parts of all members, and which nodes are solved for.

    Parameters
    ----------
    overlap : layers of cells beyond walls of others
    notes : what is said of them, for the summary, to which warnings are added
    """

    connectivity: Connectivity

    def __init__(self, grid: Any, overlap: int, notes: list[str]) -> None:
        self.grid, self.backend = grid, grid.backend
        self.connectivity = Connectivity(grid, overlap)
        self.watch = Watch(self.connectivity, notes)
        self._body = bodies_of_parts(grid.meshes, grid.bodies)
        self._done: Any = None  # what was renewed last, for which poses and members

    @property
    def update(self) -> Callable[[], Any]:
        renewed: Callable[[], Any] = self.connectivity.update  # no bound method: no circle
        return renewed

    def begin(self) -> None:
        self._done = None
        self.connectivity.begin()
        self.watch.begin()

    def place(self, placement: Placement, renew: Callable[[], Any], where: str = "") -> None:
        # nothing is renewed where the parts of the members that run are where they were
        rows = np.zeros(self.connectivity.pose.shape)
        moving = self._body >= 0
        poses = rows_of(placement.poses, self.grid.dimension, 0)
        rows[moving] = poses[self._body[moving]]
        done = renew, rows.tobytes(), self.grid.ensemble.alive.tobytes()
        if done == self._done:
            return
        self._done = None
        self.backend.put(self.connectivity.pose, rows)
        renew()
        self.connectivity.check(where)
        self._done = done

    def flown(self, placement: Placement, when: str) -> dict[str, NDArray[np.float64]]:
        # receptors, and those with a poor donor; what is bad for the result is warned of once
        self.place(placement, self.update)  # errors of a pre-flight say when
        self.watch.look(when)
        receptors, poor, _ = self.backend.get(self.connectivity.counts).T
        return {"receptors": receptors, "poor_donors": poor} | self.watch.strode(when)

    def look(self, when: str) -> None:
        self.watch.look(when)

    def strides(self, asked: Callable[[int, float], str]) -> list[str]:
        return self.watch.strides(asked)

    @contextmanager
    def apart(self, member: int) -> Iterator[None]:
        """One member alone, anywhere; in the end all is as it was."""
        made, b, members = self.connectivity, self.backend, self.grid.ensemble
        arrays = [self.grid.x, *made.found]
        kept, failed, ended = [b.get(array) for array in arrays], members.told(), members.ended
        members.begin()
        members.end({m: 0 for m in range(members.count) if m != member})
        done = self._done
        self.begin()
        try:
            yield
        finally:
            for array, values in zip(arrays, kept, strict=True):
                b.put(array, values)
            self._done = done
            members.begin(failed)
            members.end(ended)

    def fields(self) -> dict[str, NDArray[Any]]:
        # iblank: 1 solved for, -1 receptor, 0 hidden; and the part
        status = self.backend.get(self.connectivity.status)
        shown = np.where(np.abs(status) == 1, status, 0).astype(np.int8)
        return {"iblank": shown, "Part": np.concatenate([mesh.part for mesh in self.grid.meshes])}

    def report(self, case: Any, time: Any, member: Any) -> OversetReport:
        members = self.grid.members
        if not isinstance(member, int | np.integer) or not 0 <= member < members:
            raise SettingsError(f"connectivity: no member {member!r}; there are {members}, from 0")
        at = np.zeros(members)
        at[member] = numbers(time, 1, "connectivity: time")[0]
        problem = ""
        with self.apart(int(member)):
            there = at_rest(case.bodies.poses(at))
            case.deform.attach(case.grid.vertices).step(there.at)
            try:
                self.place(there, self.update, f"time {at[member]:g}")
            except OversetError as error:
                problem = str(error)
                warn(problem)
            return self.connectivity.report(int(member), problem)
