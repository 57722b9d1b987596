"""Donor search: the cell of a mesh around a point, and the interpolation weights of its corners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.faults import NONE, decode
from kinemesh.dimension import XY
from kinemesh.errors import DeviceError, MeshError, OversetError
from kinemesh.mesh import Mesh
from kinemesh.overset.bins import bins_of
from kinemesh.overset.bins_space import bins_of_solids
from kinemesh.overset.tetrahedra import tetrahedra_of

SHAPES = {
    2: "expected (n, 2), a place in the plane in each row",
    3: "expected (n, 3), a place in space in each row",
}


def search(mesh: Mesh, points: ArrayLike, device: str = "auto") -> tuple[Any, Any]:
    """Donor cells of points, and the interpolation weights of the cells' corners.

    `Donors` is for several searches of one mesh: what a search needs of the mesh takes longer than
    the search.

    Parameters
    ----------
    mesh : Mesh               in the plane or in space
    points : (n, 2) float64   places [chord], in space (n, 3); an array of a CUDA device stays there
    device : "auto" (where `points` are, or else a GPU if there is one), "cpu", "cuda" or "cuda:N"

    Returns
    -------
    cells : (n,) int32        row of `mesh.cells`, the lowest of those that hold the point within or
                              on a side; -1 where none does.  In space cells are numbered as in
                              `mesh.blocks`, one kind after the other
    weights : (n, 4) float64  of the corners of that cell: linear in a triangle, with zero as the
                              fourth, bilinear in a quadrilateral; zeros without a cell.  In space
                              (n, corners of the largest kind of cell), linear in the tetrahedra
                              from the cell's lowest node, zero for corners of the others

    Both are NumPy arrays, or arrays of the device on which `points` are.

    Raises
    ------
    OversetError    points of another shape, or a coordinate that is not finite
    MeshError       what is searched is no mesh
    DeviceError     no such device, or points on another one

    References
    ----------
    Chandar, Sitaraman and Mavriplis (2012), ICCFD7-1202, section on connectivity: an auxiliary mesh
    gives the first cell of a walk; here bins give the few cells that are tested (docs/overset.md)
    """
    if device == "auto" and _of_cuda(points):
        device = _device(points)
    return Donors(mesh, device).search(points)


class Donors:
    """The cells of a mesh, ready to be searched on a device.

    Parameters
    ----------
    mesh : Mesh     in the plane or in space
    device : "auto" (a GPU if there is one), "cpu", "cuda" or "cuda:N"

    Raises
    ------
    MeshError, DeviceError    as `search`
    """

    def __init__(self, mesh: Mesh, device: str = "auto") -> None:
        if not isinstance(mesh, Mesh):
            raise MeshError(
                f"overset: the mesh is a {type(mesh).__name__}, expected a kinemesh.Mesh; clouds "
                "are not searched yet"
            )
        self.backend = backend = Backend(device)
        self.dimension, self.corners = mesh.dimension, 4
        x = backend.table(mesh.points, np.float64)
        self.spots: dict[str, Any] = {}
        if XY.holds(mesh.dimension):
            self.bins = bins_of(mesh.points, mesh.cells)
            self.mesh = {"x": x, "corners": backend.table(mesh.cells)}
        else:
            solids = tetrahedra_of(mesh)
            self.bins, self.corners = bins_of_solids(mesh.points, solids), solids.most
            parts, corner = backend.table(solids.parts), backend.table(solids.corner)
            self.mesh = {"x": x, "parts": parts, "corner": corner}
            self.spots = {"spots": backend.table(solids.spots), "wide": solids.most}
        self.tables = {
            "box": backend.table(self.bins.box, np.float64),
            "across": backend.table(self.bins.across),
            "bins": backend.table(self.bins.bins),
            "listed": backend.table(self.bins.listed),
        }

    def search(self, points: ArrayLike) -> tuple[Any, Any]:
        """Cells and weights of points [chord], as `kinemesh.overset.search` gives them."""
        backend, of_cuda = self.backend, _of_cuda(points)
        if of_cuda and _device(points) != backend.device:
            raise DeviceError(
                f"overset: points are on {_device(points)}, the mesh on {backend.device}; expected "
                "one device for both"
            )
        axes = self.dimension.count
        given: Any = points if of_cuda else _places(points, axes)
        count = _count(given, axes)
        place = given if of_cuda else backend.table(given, np.float64)
        cell = backend.zeros(count, np.int32)
        weights = backend.zeros((count, self.corners), np.float64)
        faults = backend.array([NONE], np.uint64)
        try:
            call = self.cells_call(place, cell, faults)
        except (TypeError, ValueError) as error:  # memory that kernels do not take
            raise OversetError(f"overset: points: {error}") from None
        call()
        self.weights_call(place, cell, weights)()
        word = backend.get(faults)[0]
        if word != NONE:
            raise OversetError(f"overset: point {decode(word)[1]} is not finite; {SHAPES[axes]}")
        return (cell, weights) if of_cuda else (backend.read(cell), backend.read(weights))

    def cells_call(self, place: Any, cell: Any, faults: Any) -> Any:
        """Bound call: the cells (n,) of places (n, axes), and a fault word (1,), on the device."""
        fields = self.mesh | self.tables | {"place": place, "cell": cell, "faults": faults}
        return self.backend.bind(self.dimension.kernel("overset_search"), **fields)

    def weights_call(self, place: Any, cell: Any, weights: Any) -> Any:
        """Bound call: the weights (n, corners) of places in cells (n,), on the device."""
        fields = self.mesh | self.spots | {"place": place, "cell": cell, "weights": weights}
        return self.backend.bind(self.dimension.kernel("overset_weights"), **fields)


def _of_cuda(points: Any) -> bool:
    """Return True if an array is on a CUDA device."""
    return hasattr(points, "__cuda_array_interface__")


def _device(points: Any) -> str:
    """The CUDA device on which an array lies."""
    where = getattr(points, "__dlpack_device__", lambda: (2, 0))
    return f"cuda:{int(where()[1])}"


def _places(points: Any, axes: int) -> NDArray:
    """Points of a host as an array of numbers."""
    shape = SHAPES[axes]
    only_dlpack = hasattr(points, "__dlpack__") and not hasattr(points, "__array__")
    try:
        array = np.from_dlpack(points) if only_dlpack else np.asarray(points)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        told = "points of a CUDA device need __cuda_array_interface__" if only_dlpack else shape
        raise OversetError(f"overset: points are no array of numbers ({error}); {told}") from None
    if array.dtype.kind not in "iuf":
        raise OversetError(f"overset: points have dtype {array.dtype}, expected numbers; {shape}")
    return array


def _count(points: Any, axes: int) -> int:
    """The number of points; OversetError for another shape than (n, axes)."""
    shape = tuple(points.shape)
    if len(shape) != 2 or shape[1] != axes:
        raise OversetError(f"overset: points have shape {shape}, {SHAPES[axes]}")
    return int(shape[0])
