"""Interface of a deformation, which moves every vertex by the bodies' poses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Poses
from kinemesh.bodies.poses import rows_of
from kinemesh.device.backend import Backend
from kinemesh.dimension import DIMENSIONS
from kinemesh.errors import SettingsError
from kinemesh.motion import Motion, Pose
from kinemesh.space.conditions.base import Condition
from kinemesh.space.vertices import MeshVertices, Vertices


class Kept:
    """Copies of arrays that a part of a step may spoil, and the way back for some members.

    Parameters
    ----------
    arrays : list of (array, members)    device arrays (items, d) float64 of one dimension d, and
        (items,) int32 member of each item on the device
    members : int

    Attributes
    ----------
    keep : recording           copies the arrays
    copies : device arrays     as they were then
    """

    def __init__(self, backend: Backend, arrays: Sequence[tuple[Any, Any]], members: int) -> None:
        self.backend, b = backend, backend
        self.mark = b.zeros(members, np.int32)
        self.copies = [b.zeros(array.shape, np.float64) for array, _ in arrays]
        there = [(array, of, k) for (array, of), k in zip(arrays, self.copies, strict=True)]
        d = arrays[0][0].shape[1]
        copy, marked = f"copy_f64_{d}", DIMENSIONS[d].kernel("copy_marked")
        self.keep = b.record([b.bind(copy, **{"from": a, "to": k}) for a, _, k in there])
        self._back = b.record(
            [
                b.bind(marked, **{"from": k, "to": a}, member=of, mark=self.mark)
                for a, of, k in there
            ]
        )

    def take_back(self, members: NDArray[np.bool_] | bool) -> None:
        """Restore the kept arrays of these members (mask), or of all (True)."""
        self.backend.put(self.mark, members)
        self._back()


SMALL = "shapes of small amplitude by km.motion.vibrate"
BENDING = {
    (2, True): "km.deform.Modal(), TorsionalSprings() or Delaunay()",
    (2, False): "km.deform.Modal() or Delaunay()",
    (3, True): "km.deform.TorsionalSprings(), Carrier() or Modal()",
    (3, False): "km.deform.Modal()",
}
"""Deformations that take bodies that bend, by dimensions and whether there are cells of a mesh."""
TWISTING = {
    True: f"km.deform.TorsionalSprings() or Carrier(), or {SMALL}",
    False: "a mesh (km.Ale) with km.deform.TorsionalSprings() or Carrier(), as no deformation of "
    f"clouds follows, or {SMALL} with Modal()",
}
"""Remedies where sections turn, likewise."""


OF_CLOUDS = {2: "Delaunay() or Rigid()", 3: "Rigid(), or Modal() where a body bends"}
"""Deformations of clouds, by dimensions."""


class Mover(ABC):
    """A deformation at work on the vertices of an ensemble.

    Attributes
    ----------
    shapes : of the bodies that bend, or None
    rests : whether every vertex stands where it stood in the last steps, so many that what follows
        from places and time levels is as it was
    """

    def __init__(self, vertices: Vertices) -> None:
        self.vertices, self.backend = vertices, vertices.backend
        self.dimension, self.shapes = vertices.dimension, vertices.shapes
        self.pose = self.backend.zeros((len(vertices.bodies), self.dimension.pose), np.float64)
        self._nodes_back = self.backend.bind(
            f"copy_f64_{vertices.dimensions}", **{"from": vertices.x1, "to": vertices.x}
        )

    def bind_pose(
        self, node: NDArray, body: NDArray, x: Any, shape: Mapping[str, Any] | None = None
    ) -> list[Any]:
        """Calls that bring `node` of `x` to the pose of `body`.

        Parameters
        ----------
        shape : {"shape": (len(node), shapes, dimensions) device array}    of the bodies' modes
            there, beside `arm` and `angle_share` of those that turn; None: rigid
        """
        node, body = (self.backend.array(table, np.int32) for table in (node, body))
        own = self.vertices.fields.also(node=node, body=body, pose=self.pose, x=x)
        if self.shapes is None or shape is None:
            return [own.bind("pose_move")]
        turns: dict[str, Any] = {"arm": None, "angle_share": None}
        bend = own.bind(
            "mode_bend", **turns | dict(shape), modes=self.shapes.modes, bent=self.shapes.bent
        )
        return [bend, own.bind("pose_move", reference=self.shapes.bent)]

    def bind_walls(self, x: Any) -> list[Any]:
        """Calls that bring the walls of all bodies in `x` to their poses."""
        wall, shapes = self.vertices.wall, self.shapes
        return self.bind_pose(wall.node, wall.body, x, None if shapes is None else shapes.walls)

    def rows(self, poses: Sequence[Pose]) -> NDArray[np.float64]:
        """(bodies, 6), in space (bodies, 12), of the kernel pose_move; then amplitudes of modes."""
        return rows_of(poses, self.dimension, 0 if self.shapes is None else self.shapes.count)

    def rows_at(self, poses: Poses, share: NDArray) -> NDArray[np.float64]:
        """Rows as of `rows`, each body at its member's share of the step."""
        of_body = share[self.vertices.owners.of]
        found = [(of_body == s, self.rows(poses(float(s)))) for s in np.unique(share)]
        rows = np.empty_like(found[0][1])
        for there, own in found:
            rows[there] = own[there]
        return rows

    def put(self, rows: NDArray[np.float64]) -> None:
        """Hand `rows` to the calls of `bind_pose`."""
        width = self.pose.shape[1]
        self.backend.put(self.pose, rows[:, :width])
        if self.shapes is not None:
            self.backend.put(self.shapes.modes, rows[:, width:])

    @property
    def rests(self) -> bool:
        return False

    def begin(self) -> None:  # noqa: B027 (a mover without memory has nothing to keep)
        """Begin a physical step, to which `back` returns."""

    def back(self) -> None:
        """Back to where the physical step began, to move to other poses."""
        self._nodes_back()

    @abstractmethod
    def step(self, poses: Poses) -> dict[str, float]:
        """Move the vertices to the poses at the end of a step; returns its numbers."""

    def state(self) -> dict[str, NDArray]:
        """Arrays that a restart needs beside the coordinates."""
        return {}

    def restore(self, state: dict[str, NDArray]) -> None:
        """Take up a state as `state` gave it."""
        del state  # a mover without memory has nothing to take up


class PoseMover(Mover):
    """Vertices that go with bodies: where they stand follows from the poses alone."""

    AGED = 3  # steps without a change: places, swept volumes and those of the step before are old

    def __init__(self, vertices: Vertices) -> None:
        super().__init__(vertices)
        self.there: NDArray[np.float64] | None = None  # unknown before the first step
        self.since = 0  # steps since the poses have changed

    @abstractmethod
    def move(self) -> None:
        """Bring the vertices to the poses of `put`."""

    @property
    def rests(self) -> bool:
        return self.since >= self.AGED

    def back(self) -> None:
        super().back()
        self.there = None

    def step(self, poses: Poses) -> dict[str, float]:
        rows = self.rows(poses(1.0))
        if self.there is not None and np.array_equal(rows, self.there):
            self.since += 1
            return {}
        self.there, self.since = rows, 0
        self.put(rows)
        self.move()
        return {}


@dataclass(frozen=True, slots=True)
class Deformation(ABC):
    """Settings of a deformation; `attach` puts it to work on vertices.

    Attributes
    ----------
    bends : whether it takes bodies that bend
    twists : whether it then takes sections that turn by angles of any size
    stands : whether vertices stand where they are given as long as all bodies do
    """

    name = "none"
    bends: ClassVar[bool] = False
    twists: ClassVar[bool] = True
    stands: ClassVar[bool] = False

    @property
    def kind(self) -> str:
        """Name, or the variant's name where memory and remedies differ."""
        return self.name

    @classmethod
    def options(cls) -> list[str]:
        """Keys of [deform] in a case file beside `method`."""
        return [f.name for f in fields(cls)]

    @property
    def chosen(self) -> dict[str, Any]:
        """Settings by name, as summaries and restarts have them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def of_options(cls, table: Mapping[str, Any]) -> Deformation:
        """Settings of a table of these options."""
        return cls(**table)

    @property
    def elsewhere(self) -> Deformation:
        """These settings on another mesh, on which a case's settings are checked."""
        return self

    @property
    def repeats(self) -> bool:
        """True if a pre-flight over one cycle of the motion represents all cycles."""
        return True

    def check(self, backend: Backend, members: int) -> None:
        """DeviceError or SettingsError where it cannot serve this device, or so many members."""
        del backend, members  # as a rule it can

    def check_vertices(self, vertices: Vertices) -> None:
        """SettingsError where it cannot serve such vertices."""
        del vertices  # as a rule it can

    def told(self, vertices: Vertices) -> dict[str, Any]:
        """Meshes and numbers that identify a run beside the settings, by name."""
        del vertices
        return {}

    def check_conditions(self, conditions: Mapping[str, Condition], moving: Set[str]) -> None:
        """SettingsError where it cannot serve these conditions at the boundary, by marker.

        Parameters
        ----------
        moving : names of the bodies that move
        """
        del conditions, moving  # as a rule it can

    def check_bending(self, body: str, vertices: Vertices, turns: bool = False) -> None:
        """SettingsError where it cannot take a body, in words, that bends.

        turns : whether sections of it turn by angles
        """
        cells = isinstance(vertices, MeshVertices)
        if not self.bends:
            others = TWISTING[cells] if turns else BENDING[vertices.dimensions, cells]
            gas = "" if turns else ", with a solver of a gas"
            raise SettingsError(
                f"{body} {'twists' if turns else 'bends by shapes'}, and deform is {self!r}, which "
                f"takes rigid bodies alone; take {others}{gas}",
                argument="deform",
            )
        if turns and not self.twists:
            raise SettingsError(
                f"{body} twists, and deform is {self!r}, which scales fields by amplitudes, and "
                f"sections that twist turn; take {TWISTING[cells]}",
                argument="deform",
            )

    def check_placed(self, body: str, motion: Motion | None) -> None:
        """SettingsError where a body with such a motion cannot be placed by a user."""
        del body, motion  # as a rule it can

    @abstractmethod
    def attach(self, vertices: Vertices) -> Mover:
        """Mover of this kind for the vertices."""
