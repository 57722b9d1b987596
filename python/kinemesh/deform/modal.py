"""Nodes follow bodies that bend by fields made once: of each shape one over the whole mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.deform.rigid import Rigid, RigidMover
from kinemesh.errors import MeshError
from kinemesh.space.conditions.base import PLANE
from kinemesh.space.conditions.table import role_of
from kinemesh.space.vertices import Vertices

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FloatArray = NDArray[np.float64]
SOLVED = 1e-10  # drop of the residual of a field; what is left moves no wall
CYCLES = 500  # most iterations to it
ALONG = 1e-6  # sine of an edge's angle to a plane of symmetry that it lies in
WORDS = "Modal(), as rigid motion,"


class ModalMover(RigidMover):
    """Nodes are displaced by amplitudes times fields, then turn and shift with the body."""

    words = WORDS

    def fields(self, node: NDArray, body: NDArray) -> Any:
        if self.shapes is None:
            return None
        return self.vertices.once("modal fields", lambda: self._made(node))

    def _made(self, node: NDArray) -> Any:
        """(nodes, count, d) device array of the fields at `node`."""
        shapes, vertices, d = self.shapes, self.vertices, self.vertices.dimensions
        assert shapes is not None
        values = np.zeros((vertices.nodes, shapes.count, d))
        made: dict[tuple[int, bytes], FloatArray] = {}
        for member in np.unique(vertices.member[node]).tolist():
            own = slice(*vertices.first[member : member + 2])
            mine = vertices.wall.of_member(member)
            wall = vertices.wall.node[mine] - vertices.first[member]
            of = int(vertices.alike.of[member]), shapes.values[mine].tobytes()
            if of not in made:  # members of one mesh with the same shapes have the same fields
                made[of] = self._spread(member, wall, shapes.values[mine])
            values[own] = made[of]
        return self.backend.array(values[node], np.float64)

    def _spread(self, member: int, wall: NDArray, shapes: FloatArray) -> FloatArray:
        """(nodes, count, d) fields of a member from its shapes on the wall (wall nodes, count, d).

        Each component obeys Laplace's equation on the mesh's edges with weights 1 / l^2: it is
        given on walls, 0 on all other boundaries, and in planes of symmetry in space 0 across
        them and free along.
        """
        vertices = self.vertices
        first, mesh = int(vertices.first[member]), vertices.meshes[member]
        points, d = mesh.points, vertices.dimensions
        outer = np.zeros(len(points), bool)
        for name, side in vertices.sides.items():
            if d == 2 or role_of(name) != PLANE:
                outer[side.node[side.of_member(member)] - first] = True
        assert self.shapes is not None
        plane, normal = self.shapes.planes(member)
        axes = _axes(normal)
        found = np.zeros((len(points), shapes.shape[1], d))
        found[wall] = shapes @ axes.T
        matrix = _laplacian(mesh, plane, normal)
        for k in range(d):
            given = outer.copy()
            given[wall] = True
            if k == d - 1:  # across planes of symmetry
                given[plane] = True
            found[:, :, k] = _solved(matrix, given, found[:, :, k])
        return found @ axes


def _axes(normal: FloatArray) -> FloatArray:
    """(d, d) orthogonal axes by rows, the last one along a normal (d,); any where that is zero."""
    d = len(normal)
    if not normal.any():
        return np.eye(d)
    full, _ = np.linalg.qr(np.column_stack([normal, np.eye(d)]))
    return np.asarray(full[:, np.r_[1:d, 0]].T)


def _laplacian(mesh: Any, plane: NDArray[np.int64], normal: FloatArray) -> csr_array:
    """(nodes, nodes) sums of differences to neighbours, weighted by 1 / l^2.

    Of edges within a plane of symmetry, which both halves have, it takes half.
    """
    from scipy.sparse import coo_array  # here, as pyamg below: rigid motion does not need it

    n = len(mesh.points)
    if hasattr(mesh, "satellites"):  # a cloud
        a = np.repeat(np.arange(n), np.diff(mesh.offsets))
        b = mesh.satellites
    else:
        one, two = mesh.edges.T
        a, b = np.concatenate([one, two]), np.concatenate([two, one])
    way = mesh.points[a] - mesh.points[b]
    squares = (way * way).sum(axis=1)
    weight = 1 / squares
    on = np.zeros(n, bool)
    on[plane] = True
    within = on[a] & on[b] & ((way @ normal) ** 2 <= ALONG**2 * squares)
    weight[within] *= 0.5
    own = np.bincount(a, weight, n)
    rows, columns = np.concatenate([a, np.arange(n)]), np.concatenate([b, np.arange(n)])
    return coo_array((np.concatenate([-weight, own]), (rows, columns)), shape=(n, n)).tocsr()


def _solved(matrix: csr_array, given: NDArray[np.bool_], values: FloatArray) -> FloatArray:
    """(nodes, count) fields that are `values` at nodes that are given.

    Raises
    ------
    MeshError    the fields do not converge
    """
    found = np.where(given[:, None], values, 0.0)
    free = np.flatnonzero(~given)
    if not len(free) or not found.any():
        return found
    inner, side = matrix[free][:, free], -(matrix[free][:, np.flatnonzero(given)] @ found[given])
    scale = 1 / np.sqrt(inner.diagonal())
    from pyamg import smoothed_aggregation_solver
    from scipy.sparse import diags_array

    scaled = (diags_array(scale) @ inner @ diags_array(scale)).tocsr()
    # weights by rows: the spectral radius would be estimated from random numbers
    solver = smoothed_aggregation_solver(
        scaled, B=(1 / scale)[:, None], smooth=("jacobi", {"weighting": "local"}), max_coarse=50
    )
    for j in range(side.shape[1]):
        if not side[:, j].any():
            continue
        drops: list[float] = []
        x = solver.solve(
            scale * side[:, j], tol=SOLVED, maxiter=CYCLES, accel="cg", residuals=drops
        )
        if not drops[-1] <= 10 * SOLVED * max(drops[0], 1e-300):
            raise MeshError(
                f"the field of shape {j + 1} over the mesh is not solved to {SOLVED:g} in {CYCLES} "
                "iterations of conjugate gradients; expected a mesh of one piece"
            )
        found[free, j] = scale * x
    return found


@dataclass(frozen=True, slots=True)
class Modal(Rigid):
    """The mesh turns and shifts with the body, and bends with it by fields made once.

    A field of each shape (`km.motion.modes`) is 0 at the far field and follows from the shape as
    steady heat does between walls and far field: places are linear in the amplitudes, a step
    solves nothing, and amplitudes of 0 have the mesh as given, to the bit.  For meshes and clouds,
    in the plane and in space.
    """

    name = "modal"
    words = WORDS
    bends = True
    twists = False

    def attach(self, vertices: Vertices) -> ModalMover:
        return ModalMover(vertices)
