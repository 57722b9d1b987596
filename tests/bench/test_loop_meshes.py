"""Meshes of the bench of loops: closed, of the volume that they fill, the same in every order."""

import numpy as np
import pytest
import solids
from kinemesh.bench.loops.lattice import LATTICES, lattice, triangles
from kinemesh.bench.loops.orders import ORDERS, hilbert, put_in
from kinemesh.bench.loops.tables import Tables
from kinemesh.bench.loops.topology import measured
from kinemesh.bench.loops.wing_meshes import LEAST, WINGS, nodes_of, of_mesh, wing
from kinemesh.mesh import oneram6

SPACE = [*LATTICES, "solid"]  # the last one of cells of all kinds, by a mesh
KINDS = ["triangles", *SPACE]
ROUND = 1e-14  # a few roundings of sums of five numbers
COUNTS = {"triangles": (3, {2}), "prisms": (6, {3, 4}), "tets": (4, {3}), "mixed": (4, {3, 4}),
          "solid": (4, {3, 4})}  # fmt: skip


def made(kind, cells=1200):
    if kind == "solid":
        return of_mesh(solids.cube(round((cells / 4) ** (1 / 3)), jitter=0.15))
    return triangles(cells) if kind == "triangles" else lattice(kind, cells)


@pytest.fixture(scope="module", params=KINDS)
def mesh(request):
    """Kind, topology and measures."""
    top = made(request.param)
    return request.param, top, measured(top)


def of_cells(top, value):
    """Sums over the faces of each cell of what leaves it."""
    out = np.zeros((top.cells, *value.shape[1:]))
    np.add.at(out, top.pair[:, 0], value)
    np.subtract.at(out, top.pair[: top.edges, 1], value[: top.edges])
    return out


def test_every_cell_is_closed(mesh):
    _, top, m = mesh

    assert np.abs(of_cells(top, m.S)).max() <= ROUND * np.abs(m.S).max()


@pytest.mark.parametrize("kind", KINDS)
def test_volumes_are_those_by_divergence(kind):
    top = made(kind, 300)
    m, found = measured(top), np.zeros(top.cells)
    for face, (first, end) in enumerate(zip(top.rims[:-1], top.rims[1:], strict=True)):
        x = top.vertex[top.rim[first:end]]
        if len(x) == 2:
            flow = x.mean(axis=0) @ (x[1, 1] - x[0, 1], x[0, 0] - x[1, 0]) / 2
        else:  # triangles about the mean of a face's vertices, seen from the origin
            ends = zip(x, np.roll(x, -1, axis=0), strict=True)
            flow = sum(np.linalg.det([x.mean(axis=0), a, b]) for a, b in ends) / 6
        left, right = top.pair[face]
        found[left] += flow
        if right >= 0:
            found[right] -= flow

    size = np.abs(top.vertex).max() ** top.dimensions if kind == "triangles" else 1.0
    assert np.abs(found - m.V).max() <= ROUND * size


@pytest.mark.long
@pytest.mark.parametrize("kind", SPACE)
def test_middles_of_faces_are_those_of_their_triangles_by_area(kind):
    top = made(kind, 300)
    m = measured(top)
    for face, (first, end) in enumerate(zip(top.rims[:-1], top.rims[1:], strict=True)):
        x = top.vertex[top.rim[first:end]]
        middle = x.mean(axis=0)
        parts = [(middle, a, b) for a, b in zip(x, np.roll(x, -1, axis=0), strict=True)]
        normal = np.array([np.cross(a - o, b - o) / 2 for o, a, b in parts])
        area = np.linalg.norm(normal, axis=1)
        assert m.S[face] == pytest.approx(normal.sum(axis=0), abs=ROUND)
        assert m.xf[face] == pytest.approx(area @ np.mean(parts, axis=1) / area.sum(), abs=ROUND)


@pytest.mark.parametrize("kind", SPACE)
def test_cells_fill_the_cube_once(kind):
    top = made(kind)
    m = measured(top)

    assert (m.V > 0).all()
    assert m.V.sum() == pytest.approx(1.0, abs=ROUND)
    assert m.V @ m.x == pytest.approx([0.5] * 3, abs=ROUND)


def test_centroids_and_volumes_of_tetrahedra_are_those_of_their_vertices():
    top = lattice("tets", 500)
    m, corners = measured(top), top.vertex[top.hull.reshape(-1, 4)]

    exact = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    assert np.abs(m.V - exact).max() <= ROUND * exact.max()
    assert np.abs(m.x - corners.mean(axis=1)).max() <= ROUND


def test_centroids_of_triangles_are_means_of_their_vertices():
    top = triangles(1000)
    m, corners = measured(top), top.vertex[top.hull.reshape(-1, 3)]

    assert np.abs(m.x - corners.mean(axis=1)).max() <= ROUND * np.abs(corners).max()


def test_faces_are_of_the_shapes_of_their_cells(mesh):
    kind, top, _ = mesh
    least, shapes = COUNTS[kind]

    assert set(np.diff(top.rims)) == shapes
    assert np.diff(top.hulls).min() == least
    assert (top.pair[: top.edges, 0] < top.pair[: top.edges, 1]).all()
    assert (top.pair[: top.edges, 0] >= 0).all()
    assert (top.pair[top.edges :, 1] == -1).all()


@pytest.mark.parametrize("order", ORDERS)
def test_another_order_is_the_same_mesh(mesh, order):
    _, top, m = mesh
    new, by = put_in(top, order)
    again, mapped = measured(new), m.numbered(by)

    assert (np.sort(by.cell) == np.arange(top.cells)).all()
    assert (np.sort(by.vertex) == np.arange(len(top.vertex))).all()
    for name in ("S", "xf", "V", "x"):
        ours, theirs = getattr(again, name), getattr(mapped, name)
        assert np.abs(ours - theirs).max() <= 10 * ROUND * np.abs(theirs).max(), name


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "shuffled"])
def test_faces_follow_their_cells_and_vertices_too(mesh, order):
    new, _ = put_in(mesh[1], order)
    pair = new.pair[: new.edges].astype(np.int64)
    first = np.unique(new.hull, return_index=True)[1]

    assert (np.diff(pair @ [new.cells, 1]) > 0).all()
    assert (np.diff(first) > 0).all(), "a vertex is used first after one with a higher number"


def test_shuffled_faces_are_in_no_order(mesh):
    new, _ = put_in(mesh[1], "shuffled")

    assert (np.diff(new.pair[: new.edges, 0]) < 0).mean() > 0.4


def test_hilberts_curve_goes_from_neighbour_to_neighbour():
    for bits, shape in ((4, (16, 16)), (3, (8, 8, 8))):
        x = np.stack([a.ravel() for a in np.indices(shape)], axis=1).astype(float)
        step = np.abs(np.diff(x[np.argsort(hilbert(x))], axis=0)).sum(axis=1)
        assert len(x) == 1 << bits * len(shape)
        assert (step == 1).all()


def test_hilberts_and_mckees_orders_bring_neighbours_together(mesh):
    _, top, _ = mesh
    apart = {}
    for order in ("random", "hilbert", "rcm"):
        new, _ = put_in(top, order)
        apart[order] = np.median(np.diff(new.pair[: new.edges]))

    assert apart["hilbert"] < 0.1 * apart["random"]
    assert apart["rcm"] < 0.5 * apart["random"]


def test_tables_lead_there_and_back(mesh):
    _, top, m = mesh
    t = Tables(top, m)
    skins, side, beyond = t.skins
    cell = np.repeat(np.arange(top.cells), np.diff(skins))

    assert len(side) == top.faces + top.edges
    assert (np.sort(top.pair[side]) == np.sort(np.stack([cell, beyond], axis=1))).all()
    starts, about = t.abouts
    node = np.repeat(np.arange(len(top.vertex)), np.diff(starts))
    assert sorted(zip(about, node, strict=True)) == sorted(
        zip(np.repeat(np.arange(top.cells), np.diff(top.hulls)), top.hull, strict=True)
    )
    fans, spoke = t.fans
    node = np.repeat(np.arange(len(top.vertex)), np.diff(fans))
    assert all(a in top.rim[top.rims[f] : top.rims[f + 1]]
               for a, f in zip(node[::7], spoke[::7], strict=True))  # fmt: skip


# ---------------------------------------------------------------- meshes about a wing


@pytest.mark.parametrize("kind", WINGS)
def test_a_wing_has_about_the_cells_that_were_asked_for(kind):
    for cells in (LEAST[kind], 8_780_000):
        assert nodes_of(kind, cells) >= 10_000
    top = wing(kind, LEAST[kind])

    assert top.cells == pytest.approx(LEAST[kind], rel=0.05)


def test_cells_of_a_wing_follow_their_lowest_nodes_and_faces_of_its_boundary_come_last():
    mesh = oneram6(nodes_of("wing-hybrid", LEAST["wing-hybrid"]), "hybrid")
    top = wing("wing-hybrid", LEAST["wing-hybrid"])

    lowest = np.minimum.reduceat(top.hull, top.hulls[:-1])
    turns = np.flatnonzero(np.diff(lowest) < 0)
    assert len(turns) == len(mesh.blocks) - 1, "kind by kind"
    outer = np.sort(top.rim[top.rims[top.edges] :])
    faces = np.concatenate(list(mesh.boundaries.values()))
    assert (outer == np.sort(faces[faces >= 0])).all()
    assert top.faces - top.edges == len(faces)
