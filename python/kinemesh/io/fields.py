"""Flow fields over time as VTKHDF (version 2.0, UnstructuredGrid with steps), read by ParaView.

Points and point fields are stored per step; cells once, all steps pointing at them.
Points are written in the user's own order (`mesh.original`), whose numbers are the field `Node`.
Fields are PointData or CellData, all of one file alike.  Cells stand in the order of the mesh's,
triangles before quads, in space by kind, and have no numbers but those of their nodes.
Beside the group `VTKHDF` the group `kinemesh` holds, for the plots, the wall edges, the names of
overset parts, whether the cells are of a cloud, for display alone, and whether fields are "on"
points or cells.
Integers are packed (gzip), floating-point numbers are not: that made a frame of a wing on 39 401
points 27 % smaller, and took ten times as long to write.  A last component that is zero, as in the
plane, takes no space.
Where a step has the field `iblank` (1 where there is a solution, -1 at receptors, 0 where the
flow is hidden) hidden cells, and cells with a hidden corner, are hidden in it
(CellData/vtkGhostType).
Layout: VTK File Formats, section "VTKHDF, UnstructuredGrid, Transient Data".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError
from kinemesh.io.paths import path_of
from kinemesh.io.whole import WholeFile

if TYPE_CHECKING:
    import h5py

TRIANGLE, QUAD = 5, 9  # VTK's cell types
PACKED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
CHUNK = 65536  # nodes
HIDDEN = 32  # VTK's mark of hidden cells
GROUPS = {"points": "PointData", "cells": "CellData"}
NOT_FIELDS = {"Node", "vtkGhostType"}


class FieldWriter:
    """Appends one step at a time to a VTKHDF file; the file is whole at every moment.

    Parameters
    ----------
    path : path            started anew
    mesh : kinemesh.mesh.Mesh, or a cloud's `kinemesh.cloud.display.Shown`, or one with `typed`,
        tables of cells in space by VTK's numbers of their types, in VTK's order of corners
    walls : (k, d) int     wall edges (in space triangles), nodes of the mesh; kept for the plots
    bodies : names         and numbers of wall edges of the bodies that `walls` has one after other
    on : "points" or "cells"    of the mesh, what fields have numbers of
    """

    def __init__(
        self,
        path: str | Path,
        mesh: Any,
        walls: ArrayLike | None = None,
        bodies: Mapping[str, int] | None = None,
        on: str = "points",
    ) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._prepare(mesh, on)
        self._disk = WholeFile(self.path, "w")
        self._file = _open(self._disk, "w")
        try:
            self._start(mesh, walls, bodies or {})
        except OSError:  # the disk is full
            self.close()
            raise

    def _prepare(self, mesh: Any, on: str) -> None:
        original = np.asarray(mesh.original)
        self._dimensions = np.shape(mesh.points)[1]
        self._order = np.argsort(original, kind="stable")  # file place -> mesh node
        self._nodes, self._on, self._count = len(original), on, len(original)
        if on == "cells":  # else a cloud may be here
            tables = [mesh.triangles, mesh.quads, *getattr(mesh, "typed", {}).values()]
            self._count = sum(map(len, tables))
        self._corners: NDArray[np.int64] | None = None

    def _start(self, mesh: Any, walls: ArrayLike | None, bodies: Mapping[str, int]) -> None:
        import h5py

        place = np.empty(self._nodes, np.int64)  # mesh node -> file place
        place[self._order] = np.arange(self._nodes)
        tables = {TRIANGLE: mesh.triangles, QUAD: mesh.quads, **getattr(mesh, "typed", {})}
        ids = np.concatenate([place[np.asarray(own)].ravel() for own in tables.values()])
        sizes = [len(own) for own in tables.values()]
        corners = np.repeat([np.shape(own)[1] for own in tables.values()], sizes)

        root = self._file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0], np.int64)
        kind = b"UnstructuredGrid"  # the reader wants an ASCII string of fixed length
        root.attrs.create("Type", kind, dtype=h5py.string_dtype("ascii", len(kind)))
        for name, count in (
            ("NumberOfPoints", self._nodes),
            ("NumberOfCells", len(corners)),
            ("NumberOfConnectivityIds", len(ids)),
        ):
            root.create_dataset(name, data=np.array([count], np.int64))
        root.create_dataset("Connectivity", data=ids.astype(np.int64), **PACKED)
        root.create_dataset("Offsets", data=np.r_[0, np.cumsum(corners)].astype(np.int64))
        root.create_dataset("Types", data=np.repeat(list(tables), sizes).astype(np.uint8))
        self._column(root, "Points", np.float64, (3,))
        node = np.asarray(mesh.original)[self._order].astype(np.int64)
        root.create_dataset("PointData/Node", data=node, **PACKED)

        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = np.int64(0)
        for name in ("Values", "PartOffsets", "NumberOfParts", "PointOffsets"):
            self._column(steps, name, np.float64 if name == "Values" else np.int64)
        for name in ("CellOffsets", "ConnectivityIdOffsets"):
            self._column(steps, name, np.int64, (1,))
        self._column(steps.create_group("PointDataOffsets"), "Node", np.int64)

        none = np.zeros((0, self._dimensions), np.int64)
        edges = none if walls is None else place[np.asarray(walls)]
        self._file.create_dataset("kinemesh/walls", data=edges)
        if bodies:
            body = np.repeat(np.arange(len(bodies)), list(bodies.values()))
            self._file.create_dataset("kinemesh/body", data=body, **PACKED)
            self._file["kinemesh"].attrs["bodies"] = json.dumps(list(bodies))
        if getattr(mesh, "names", ()):
            self._file["kinemesh"].attrs["parts"] = json.dumps(list(mesh.names))
        self._file["kinemesh"].attrs["cloud"] = bool(getattr(mesh, "is_cloud", False))
        self._file["kinemesh"].attrs["on"] = self._on
        self._commit()

    def _column(self, group: h5py.Group, name: str, dtype: Any, tail: tuple[int, ...] = ()) -> None:
        """An empty data set that grows along its first axis."""
        per_node = group.name.endswith(("PointData", "CellData")) or name == "Points"
        chunk = max(1, min(self._nodes, CHUNK)) if per_node else 256
        group.create_dataset(
            name,
            shape=(0, *tail),
            maxshape=(None, *tail),
            dtype=dtype,
            chunks=(chunk, *(1 for _ in tail)),  # a chunk that is never written is zero
            **(PACKED if per_node and np.dtype(dtype).kind in "iu" else {}),
        )

    @property
    def steps(self) -> int:
        """Number of steps in the file."""
        return int(self._file["VTKHDF/Steps"].attrs["NSteps"])

    def append(self, time: float, points: ArrayLike, fields: Mapping[str, ArrayLike]) -> None:
        """Add one step.

        Parameters
        ----------
        time : float                   [chord/a_inf]; for a steady flow the iteration
        points : (nodes, d)            in the mesh's own order
        fields : name -> (nodes,) or (nodes, 3), or as many rows as cells where fields are on those;
            names are those of the first step
        """
        root = self._file["VTKHDF"]
        steps, at = root["Steps"], self.steps
        group = GROUPS[self._on]
        given = {name: np.asarray(values) for name, values in fields.items()}
        self._check(time, points, given, at)

        _extend(root["Points"], np.asarray(points)[self._order])
        for name, values in given.items():
            rows = values if self._on == "cells" else values[self._order]
            self._add(group, name, rows, at)
        if "iblank" in given:
            hidden = given["iblank"] == 0
            cells = hidden if self._on == "cells" else self._with_corner(hidden)
            self._add("CellData", "vtkGhostType", np.where(cells, HIDDEN, 0).astype(np.uint8), at)
        _extend(steps["PointDataOffsets/Node"], [0])
        _extend(steps["Values"], [float(time)])
        _extend(steps["NumberOfParts"], [1])
        _extend(steps["PointOffsets"], [at * self._nodes])
        _extend(steps["PartOffsets"], [0])
        _extend(steps["CellOffsets"], [[0]])
        _extend(steps["ConnectivityIdOffsets"], [[0]])
        steps.attrs["NSteps"] = np.int64(at + 1)
        self._commit()

    def _add(self, group: str, name: str, rows: NDArray[Any], at: int) -> None:
        """Add rows of step `at` to an array of a group, with where they begin."""
        root = self._file["VTKHDF"]
        own, offsets = (root.require_group(g) for g in (group, f"Steps/{group}Offsets"))
        if name not in own:
            self._column(own, name, rows.dtype, rows.shape[1:])
            self._column(offsets, name, np.int64)
        _extend(own[name], rows)
        _extend(offsets[name], [at * len(rows)])

    def _with_corner(self, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(cells,) those with a corner among nodes in the mesh's order."""
        if self._corners is None:
            root = self._file["VTKHDF"]
            corners = _cells(root["Offsets"][()], root["Connectivity"][()])
            self._corners = np.where(corners < 0, corners[:, :1], corners)
        return np.any(nodes[self._order][self._corners], axis=1)

    def _commit(self) -> None:
        self._file.flush()
        self._disk.commit()

    def sync(self) -> None:
        """Wait until every step is on the disk."""
        self._disk.sync()

    def _check(
        self, time: float, points: ArrayLike, fields: dict[str, NDArray[Any]], at: int
    ) -> None:
        shape = np.shape(points)
        if shape != (self._nodes, self._dimensions):
            raise CaseError(
                f"{self.path}: points {shape}, expected ({self._nodes}, {self._dimensions})"
            )
        if at and not time > self._file["VTKHDF/Steps/Values"][at - 1]:
            raise CaseError(f"{self.path}: time {time} is not after the last step's")
        known = set(self._file["VTKHDF"].get(GROUPS[self._on], ())) - NOT_FIELDS
        if known and known != set(fields):
            raise CaseError(
                f"{self.path}: fields {sorted(fields)}, expected {sorted(known)} as before"
            )
        for name, values in fields.items():
            good = values.shape in ((self._count,), (self._count, 3))
            if not good or name in NOT_FIELDS or values.dtype.kind not in "fiu":
                raise CaseError(
                    f"{self.path}: field {name} is {values.dtype} {values.shape}, expected real "
                    f"({self._count},) or ({self._count}, 3) on {self._on}, and not named "
                    f"{' or '.join(sorted(NOT_FIELDS))}"
                )

    @classmethod
    def resume(cls, path: str | Path, mesh: Any, time: float) -> FieldWriter:
        """The file with the steps up to `time`, open for more; the later ones are dropped."""
        import h5py

        self = cls.__new__(cls)
        self.path = Path(path)
        try:
            self._disk = WholeFile(self.path, "r+")
            self._file = _open(self._disk, "r+")
            root = self._file["VTKHDF"]
            nodes, steps = int(root["NumberOfPoints"][0]), root["Steps"]
            values = steps["Values"][: steps.attrs["NSteps"]]
            self._prepare(mesh, self._file["kinemesh"].attrs.get("on", "points"))
        except (OSError, KeyError) as error:
            raise CaseError(f"{path}: cannot resume the field file ({error})") from None
        if nodes != self._nodes:
            self._file.close()
            raise CaseError(f"{path}: fields of {nodes} nodes, expected {self._nodes}")
        keep = int(np.sum(values <= time * (1 + 4 * np.finfo(float).eps)))
        steps.attrs["NSteps"] = np.int64(keep)
        kinds = [name for name in ("PointDataOffsets", "CellDataOffsets") if name in steps]
        offsets = [own for kind in kinds for own in steps[kind].values()]
        for set_ in [v for v in steps.values() if isinstance(v, h5py.Dataset)] + offsets:
            set_.resize(keep, axis=0)
        per_node = [v for name, v in root["PointData"].items() if name != "Node"]
        for set_ in [root["Points"], *per_node]:
            set_.resize(keep * nodes, axis=0)
        for set_ in root["CellData"].values() if "CellData" in root else ():
            set_.resize(keep * int(root["NumberOfCells"][0]), axis=0)
        self._commit()
        return self

    def close(self) -> None:
        """Close the file, as it was after the last step that could be written."""
        self._file.close()  # into memory: whatever it would still write, the disk has no need of
        self._disk.close()

    def __enter__(self) -> FieldWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open(disk: WholeFile, mode: str) -> h5py.File:
    import h5py  # here: a run that writes no fields does not need it

    return h5py.File(disk, mode)


def _extend(data: h5py.Dataset, values: ArrayLike) -> None:
    """Put rows at the end of a growing data set, whose last columns may be left out as zeros."""
    rows = np.asarray(values)
    size = data.shape[0]
    data.resize(size + len(rows), axis=0)
    if rows.ndim == 1:
        data[size:] = rows
        return
    while rows.shape[1] > 1 and not rows[:, -1].any():
        rows = rows[:, :-1]
    data[size:, : rows.shape[1]] = rows


def times(path: str | Path) -> NDArray[np.float64]:
    """(steps,) times of a file; CaseError where it cannot be read."""
    with _reading(path) as file:
        steps = file["VTKHDF/Steps"]
        return np.asarray(steps["Values"][: steps.attrs["NSteps"]], float)


def read(path: str | Path, step: int = -1) -> dict[str, Any]:
    """One step of a file: time, points (nodes, d), cells (cells, 4) that are not hidden, with -1 as
    the fourth corner of a triangle, in space with as many columns as the largest cell has corners,
    walls (k, d), bodies (marker -> rows of walls), parts (names of overset parts), fields (name ->
    array), on ("points" or "cells", of which fields are), cloud (whether the cells are for display
    alone); nodes in the user's order.

    Raises CaseError where the file cannot be read or has no such step.
    """
    with _reading(path) as file:
        root = file["VTKHDF"]
        count, nodes = int(root["Steps"].attrs["NSteps"]), int(root["NumberOfPoints"][0])
        if not -count <= step < count:
            raise CaseError(f"{path}: no step {step}; it has {count}")
        at = step % count
        rows, shown = slice(at * nodes, (at + 1) * nodes), slice(None)
        walls, on = file["kinemesh/walls"][()], file["kinemesh"].attrs.get("on", "points")
        cells = _cells(root["Offsets"][()], root["Connectivity"][()])
        own = slice(at * len(cells), (at + 1) * len(cells))
        if "vtkGhostType" in root.get("CellData", ()):
            shown = root["CellData/vtkGhostType"][own] == 0
        kept = {k: v for k, v in root.get(GROUPS[on], {}).items() if k not in NOT_FIELDS}
        return {
            "time": float(root["Steps/Values"][at]),
            "points": root["Points"][rows, : walls.shape[1]],
            "cells": cells[shown],
            "walls": walls,
            "bodies": _bodies(file["kinemesh"], len(walls)),
            "parts": tuple(json.loads(file["kinemesh"].attrs.get("parts", "[]"))),
            "cloud": bool(file["kinemesh"].attrs.get("cloud", False)),
            "fields": {k: v[own][shown] if on == "cells" else v[rows] for k, v in kept.items()},
            "on": on,
        }


@contextmanager
def _reading(path: str | Path) -> Iterator[h5py.File]:
    """A field file, open; CaseError where it is none, or damaged."""
    path = path_of(path, "the field file")
    if not path.is_file():
        raise CaseError(f"{path}: no such field file")
    try:
        with WholeFile(path, "r") as disk, _open(disk, "r") as file:
            yield file
    except (OSError, KeyError) as error:
        raise CaseError(f"{path}: not a field file of kinemesh ({error})") from None


def _bodies(group: h5py.Group, walls: int) -> dict[str, NDArray[np.int64]]:
    """Rows of the walls of each body; of a file of an earlier version all are of one."""
    names = json.loads(group.attrs.get("bodies", '["walls"]'))
    body = group["body"][()] if "body" in group else np.zeros(walls, np.int64)
    return {name: np.flatnonzero(body == i) for i, name in enumerate(names)}


def _cells(offsets: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    corners = np.diff(offsets)
    width = int(max(4, corners.max(initial=4)))
    cells = np.full((len(corners), width), -1, np.int64)
    for k in range(width):
        has = corners > k
        cells[has, k] = ids[offsets[:-1][has] + k]
    return cells
