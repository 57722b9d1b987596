"""A mesh about a sphere over a stretched Cartesian one: `composites` in space.

Plain NumPy and SciPy, all but the donor search and the Laplacian; donors are the corners of a
tetrahedron of a cell.
"""

import kinemesh as km
import numpy as np
import scipy.sparse as sp
from composites import COVERED, FIELD, RECEPTOR, SOLID, WALL, Composite, grown, stretched
from kinemesh.flow.projection.laplacian_space import laplacian
from kinemesh.mesh.dual import solid_dual
from kinemesh.space.cell_rows import CellRows, Corners


def cuboids(line):
    """Mesh of the product of three lines, and its nodes by their place along each (n, n, n)."""
    n = len(line)
    points = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    at = np.arange(n**3).reshape(n, n, n)
    low, high = at[:-1, :-1], at[1:, 1:]
    ring = [low, at[1:, :-1], high, at[:-1, 1:]]
    cells = np.stack([own[..., :-1] for own in ring] + [own[..., 1:] for own in ring], axis=-1)
    ends = []
    for axis in range(3):
        for end in (0, -1):
            side = np.moveaxis(at, axis, 0)[end]
            turn = [side[:-1, :-1], side[1:, :-1], side[1:, 1:], side[:-1, 1:]]
            ends.append(np.stack(turn, axis=-1).reshape(-1, 4))
    ends = {"rim": np.concatenate(ends)}
    return km.Mesh.from_blocks(points, {"hexahedra": cells.reshape(-1, 8)}, ends), at


def matrices(mesh):
    """Minus the Laplacian, and the graph of nodes that share a cell."""
    dual = solid_dual(mesh)
    rows = CellRows(Corners.of_solids(dual))
    shape = (mesh.nodes, mesh.nodes)
    shared = sp.csr_matrix((np.ones(len(rows.column)), rows.column, rows.row), shape=shape)
    return -laplacian(mesh.points, dual.lr, rows), shared


def search(mesh, places):
    """Nodes that give places what they have (n, 4), weights, and whether some do."""
    cell, weight = km.overset.search(mesh, places, device="cpu")
    (cells,) = mesh.blocks.values()
    corner = np.zeros((len(places), weight.shape[1]), int)
    corner[:, : cells.shape[1]] = cells[cell]
    most = np.argsort(-weight, axis=1, kind="stable")[:, :4]
    four = (np.take_along_axis(own, most, axis=1) for own in (corner, weight))
    return *four, cell >= 0


def solid_composite(
    nodes, shift=(0.0, 0.0, 0.0), cells="hexes", wall_spacing=0.02, outer=1.5, far=5.0,
    growth=1.3, overlap=3, fringe=2, spacing=None,
):  # fmt: skip
    """The sphere's mesh, shifted, over the background, whose cells are as wide as its last ones."""
    body = km.mesh.sphere(nodes, wall_spacing=wall_spacing, far_field=outer, cells=cells)
    radius = np.linalg.norm(body.points, axis=1)
    layer = np.unique(radius.round(9), return_inverse=True)[1]
    layer = layer.max() - layer  # to the overset boundary
    if spacing is None:
        spacing = outer * np.sqrt(4 * np.pi / np.count_nonzero(layer == 0))
    back, lines = cuboids(stretched(spacing, far, outer + 0.3, growth))
    (own, _), (other, graph) = matrices(body), matrices(back)
    places, count = body.points + shift, body.nodes

    giver, there, held = search(body, back.points - shift)
    inside = np.linalg.norm(back.points - shift, axis=1) < WALL
    covered = held & (layer[giver] >= fringe).all(axis=1) & ~inside
    solid = inside & ~held
    field = grown(~covered & ~solid, graph, overlap) & ~solid
    near = grown(field, graph, fringe) & ~solid
    status = np.where(field, FIELD, np.where(near, RECEPTOR, COVERED))
    status[solid] = SOLID
    status = np.concatenate([np.where(layer < fringe, RECEPTOR, FIELD), status]).astype(np.int32)

    donor = np.repeat(np.arange(len(status))[:, None], 4, axis=1)
    weight = np.tile([1.0, 0.0, 0.0, 0.0], (len(status), 1))
    takes = np.flatnonzero(layer < fringe)
    from_back, weight[takes], all_held = search(back, places[takes])
    assert all_held.all(), "the body reaches beyond the background"
    donor[takes] = from_back + count
    takes = np.flatnonzero(np.isin(status[count:], (RECEPTOR, COVERED)) & held)
    donor[count + takes], weight[count + takes] = giver[takes], there[takes]
    fixed = np.zeros(len(status), bool)
    for axis in range(3):
        fixed[count + np.moveaxis(lines, axis, 0)[[0, -1]].ravel()] = True
    return Composite(
        np.concatenate([places, back.points]), sp.block_diag([own, other], format="csr"), fixed,
        np.concatenate([layer < fringe, np.zeros(back.nodes, bool)]),
        status, donor.astype(np.int32), weight,
    )  # fmt: skip


def small_solids(shift=(0.1, -0.05, 0.03)):
    """8800 nodes: of the background 35 are within the sphere, 112 are tied to its mesh."""
    return solid_composite(
        800, shift, wall_spacing=0.1, far=2.2, growth=1.5, overlap=1, fringe=1, spacing=0.24
    )
