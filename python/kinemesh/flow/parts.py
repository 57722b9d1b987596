"""Overset parts of a case: what its arguments say of them, and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several, member_count, numbers, per_member
from kinemesh.bodies.placement import Placement, at_rest
from kinemesh.errors import OversetError, SettingsError, warn
from kinemesh.flow.door.arguments import Arguments, Markers, markers_of
from kinemesh.overset.connectivity import Connectivity
from kinemesh.overset.moving import bodies_of_parts
from kinemesh.overset.parts import Parts
from kinemesh.overset.report import OversetReport
from kinemesh.overset.watch import Watch
from kinemesh.space.conditions.table import kinds
from kinemesh.space.grid import Grid

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving


def has_parts(mesh: Any) -> bool:
    """True where meshes are parts: {name: mesh}, of all members or of none."""
    each = list(mesh) if is_several(mesh) else [mesh]
    parts = [isinstance(one, Mapping) for one in each]
    if any(parts) and not all(parts):
        raise OversetError(
            f"member {parts.index(False)} is one mesh and member {parts.index(True)} has parts, "
            "expected {name: mesh} of every member, or of none"
        )
    return any(parts)


def put_together(mesh: Any, motion: Any, **sides: Any) -> Any:
    """Parts of each member, or of all, as one mesh; sides : walls, far, boundaries."""
    members = member_count(mesh=mesh, motion=motion)
    made: dict[Any, Parts] = {}

    def one(parts: Mapping[str, Any], own: Any) -> Parts:
        if own is not None and not isinstance(own, Mapping):
            raise OversetError(
                f"motion is {own!r} for all of {len(parts)} parts, expected that of each part that "
                f"moves by its name, of {', '.join(map(repr, parts))}: "
                f"motion={{{next(iter(parts))!r}: ...}}"
            )
        moving = () if own is None else tuple(own)
        unknown = [name for name in moving if name not in parts]
        if unknown:
            raise OversetError(f"motion of {unknown}, expected parts {list(parts)}")
        key = id(parts), moving
        if key not in made:
            made[key] = Parts.of(parts, moving=moving, **sides)
        return made[key]

    each = [
        one(*pair)
        for pair in zip(per_member(mesh, members), per_member(motion, members), strict=True)
    ]
    return each if is_several(mesh) or is_several(motion) else each[0]


def markers_of_parts(meshes: Sequence[Any], arguments: Arguments, solver: Any, **_: Any) -> Markers:
    """Conditions of the markers of parts, which know them: walls, far field, others by kind."""
    found = {marker: own for mesh in meshes for marker, own in mesh.conditions.items()}
    order = list(kinds())
    each = sorted(found, key=lambda m: order.index(found[m].kind) if found[m].families else 99)
    return markers_of(meshes, arguments, solver, {marker: found[marker] for marker in each})


class Standing:
    """Places of the parts of all members, and which nodes are solved for.

    Parameters
    ----------
    notes : what is said of them, for the summary, to which warnings are added

    Attributes
    ----------
    connectivity : Connectivity
    """

    def __init__(self, grid: Grid, overlap: int, notes: list[str]) -> None:
        self.grid, self.backend = grid, grid.backend
        self.connectivity = Connectivity(grid, overlap)
        self.watch = Watch(self.connectivity, notes)
        self._body = bodies_of_parts(grid.meshes, grid.bodies)
        self._done: Any = None  # what was renewed last, for which poses and members

    def begin(self) -> None:
        """Forget where the parts were."""
        self._done = None
        self.connectivity.begin()
        self.watch.begin()

    def place(self, placement: Placement, renew: Callable[[], Any], where: str = "") -> None:
        """Parts are where a placement has their bodies; those without a body are as given.

        Nothing is renewed where the parts of the members that run are where they were.

        Parameters
        ----------
        renew : updates the connectivity, and what follows from it
        where : when this is, for errors
        """
        rows = np.zeros(self.connectivity.pose.shape)
        moving = self._body >= 0
        rows[moving] = placement.poses.rows[self._body[moving]]
        done = renew, rows.tobytes(), self.grid.ensemble.alive.tobytes()
        if done == self._done:
            return
        self._done = None
        self.backend.put(self.connectivity.pose, rows)
        renew()
        self.connectivity.check(where)
        self._done = done

    def flown(self, placement: Placement, when: str) -> dict[str, NDArray[np.float64]]:
        """(members,) receptors, and those with a poor donor, with the parts placed.

        What is bad for the result is warned of once.
        """
        self.place(placement, self.connectivity.update)  # errors of a pre-flight say when
        self.watch.look(when)
        receptors, poor, _ = self.backend.get(self.connectivity.counts).T
        return {"receptors": receptors, "poor_donors": poor} | self.watch.strode(when)

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
        """(nodes,) for field files: iblank (1 solved for, -1 receptor, 0 hidden), and the part."""
        status = self.backend.get(self.connectivity.status)
        shown = np.where(np.abs(status) == 1, status, 0).astype(np.int8)
        return {"iblank": shown, "Part": np.concatenate([mesh.part for mesh in self.grid.meshes])}


def report_of(case: Moving, parts: Standing | None, time: Any, member: Any) -> OversetReport:
    """Report on the connectivity of a member's parts at a time of their motions.

    The case stays as it is.  Parts that cannot be solved on there are told in a warning, and by
    `OversetReport.problem`.

    Raises
    ------
    SettingsError    a case of one mesh, no such member, or a time that is no finite number
    """
    members = case.grid.members
    if parts is None:
        raise SettingsError(
            "connectivity: the case has one mesh, expected overset parts, such as "
            'km.Incompressible({"wing": wing, "back": back}, ...)'
        )
    if not isinstance(member, int | np.integer) or not 0 <= member < members:
        raise SettingsError(f"connectivity: no member {member!r}; there are {members}, from 0")
    at = np.zeros(members)
    at[member] = numbers(time, 1, "connectivity: time")[0]
    problem = ""
    with parts.apart(int(member)):
        there = at_rest(case.bodies.poses(at))
        case.deform.attach(case.grid.vertices).step(there.at)
        try:
            parts.place(there, parts.connectivity.update, f"time {at[member]:g}")
        except OversetError as error:
            problem = str(error)
            warn(problem)
        return parts.connectivity.report(int(member), problem)
