"""Meshes in space: what is accepted, what is refused with which message, exact metrics."""

import itertools
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.dual import boundary_faces, solid_dual
from kinemesh.mesh.extents import Walls
from kinemesh.mesh.fingerprint import fingerprint
from kinemesh.mesh.kinds import KINDS, SOLIDS
from kinemesh.mesh.pieces import enclosing, pieces
from kinemesh.mesh.solid_cells import shares, volumes
from kinemesh.mesh.solid_faces import open_faces
from solid_metrics import Metrics, areas, corners_of
from solids import MADE, cube

EXACT = 1e-14  # of the sums of magnitudes: some sixty roundings of 2e-16
CUBE = np.array(list(itertools.product((0.0, 1.0), repeat=3)))[[0, 4, 6, 2, 1, 5, 7, 3]]
SIDES = [list(face) for face in KINDS["hexahedra"].faces]


def block(points=CUBE, cells=((0, 1, 2, 3, 4, 5, 6, 7),), boundaries=None, **more):
    given = {"box": SIDES} if boundaries is None else boundaries
    return km.Mesh.from_blocks(points, {"hexahedra": cells}, given, **more)


@pytest.mark.parametrize("kind", SOLIDS.values(), ids=lambda kind: kind.one)
def test_faces_of_a_kind_close_it_and_lie_on_both_sides_of_each_edge(kind):
    directed = [(f[i - 1], f[i]) for f in kind.faces for i in range(len(f))]
    assert sorted(directed) == sorted((b, a) for a, b in directed)
    assert len(directed) == len(set(directed)) == 2 * len(kind.edges)
    for (a, b), sides in zip(kind.edges, kind.sides, strict=True):
        forth, back = (kind.faces[side] for side in sides)
        assert (a, b) in [(forth[i - 1], forth[i]) for i in range(len(forth))]
        assert (b, a) in [(back[i - 1], back[i]) for i in range(len(back))]


@pytest.mark.parametrize("kind", MADE)
def test_a_mesh_of_a_cube_has_its_volume_and_its_boundary(kind):
    mesh = cube(3, kind, size=2.0, jitter=0.12)

    assert mesh.dimensions == 3
    assert set(mesh.blocks) == (set(SOLIDS) if kind == "mixed" else {kind})
    assert (mesh.volumes > 0).all()
    assert mesh.volumes.sum() == pytest.approx(8.0, rel=1e-14)
    faces = mesh.boundaries["rim"]
    corner = mesh.points[faces[:, :3]]
    out = areas(corner) * np.where(faces[:, 3:] < 0, 1, 2)
    assert ((corner.mean(axis=1) - 1.0) * out).sum(axis=1).min() > 0
    assert np.linalg.norm(out, axis=1).sum() == pytest.approx(24.0)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64])
def test_faces_of_a_marker_may_be_unsigned_triangles(dtype):
    mesh = cube(2, "tetrahedra")
    faces = mesh.boundaries["rim"][:, :3].astype(dtype)

    again = km.Mesh.from_blocks(mesh.points, mesh.blocks, {"rim": faces})

    assert (again.boundaries["rim"] == mesh.boundaries["rim"]).all()


@pytest.mark.parametrize("kind", MADE)
def test_duals_close_and_fill_the_mesh(kind):
    mesh = cube(3, kind, jitter=0.12, middle=100.0)
    own = Metrics(mesh)

    left, size = own.closure(mesh.nodes)

    assert (np.linalg.norm(left, axis=1) <= EXACT * size).all()
    assert own.V.min() > 0
    assert own.V.sum() == pytest.approx(mesh.volumes.sum(), rel=EXACT)
    share = np.zeros(mesh.nodes)
    for name, cells in mesh.blocks.items():
        np.add.at(share, cells, shares(mesh.points, KINDS[name], cells))
    # each share is a difference of products, of some tens of its size
    np.testing.assert_allclose(own.V, share, rtol=1e-12)


@pytest.mark.parametrize("kind", MADE)
def test_swept_volumes_are_what_the_duals_gain(kind):
    mesh = cube(3, kind, jitter=0.12, middle=100.0)
    moved = np.random.default_rng(5).uniform(-0.05, 0.05, mesh.points.shape)
    after = mesh.points + moved
    own = Metrics(mesh, moved=after - mesh.points)

    gain, size = own.swept(mesh.nodes)
    change = Metrics(mesh, x=after).V - own.V

    assert (np.abs(change - gain) <= EXACT * (own.V + size)).all()
    assert np.abs(change / own.V).max() > 0.1


@pytest.mark.parametrize("kind", ["prisms", "hexahedra"])
def test_swept_volumes_are_exact_in_thin_cells_that_turn(kind):
    mesh = cube(3, kind, jitter=0.12)
    thin = mesh.points * [1.0, 1.0, 1e-4]
    c, s = np.cos(np.radians(0.2)), np.sin(np.radians(0.2))
    after = thin @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]).T
    own = Metrics(mesh, x=thin, moved=after - thin)

    gain, size = own.swept(mesh.nodes)
    change = Metrics(mesh, x=after).V - own.V

    assert (np.abs(change - gain) <= EXACT * (own.V + size)).all()


def test_the_ring_of_an_edge_has_every_cell_at_it():
    mesh = cube(3, "mixed", jitter=0.12)
    own = solid_dual(mesh)
    cells = [row for block in mesh.blocks.values() for row in block.tolist()]

    assert [cells[c] for c in range(len(cells))] == [
        own.corner[own.first[c] : own.first[c + 1]].tolist() for c in range(len(cells))
    ]
    np.testing.assert_array_equal(own.lr, mesh.edges)
    for edge, (a, b) in enumerate(own.lr.tolist()):
        ring = slice(own.ring_offsets[edge], own.ring_offsets[edge + 1])
        held = []
        for cell, local in zip(own.ring_cell[ring], own.ring_local[ring], strict=True):
            kind = next(k for k in SOLIDS.values() if k.corners == len(cells[cell]))
            ends = [cells[cell][end] for end in kind.edges[local // 2]]
            assert ends == ([b, a] if local % 2 else [a, b])
            held.append(cell)
        assert held == sorted(held)
    assert sum(len(found) for _, _, found in corners_of(own)) == len(own.ring_cell)
    for node in range(mesh.nodes):
        at = slice(own.offsets[node], own.offsets[node + 1])
        assert (own.lr[own.edge[at]].sum(axis=1) - node == own.neighbour[at]).all()
        assert (np.diff(own.neighbour[at]) > 0).all()


def test_nodes_of_the_boundary_have_their_faces_in_order():
    faces = np.array([[4, 5, 6, 7], [0, 1, 2, -1], [2, 1, 6, -1]])

    node, offsets, corners, body = boundary_faces(9, faces, np.array([0, 1, 1]))

    assert node.tolist() == [4, 5, 7, 0, 1, 2, 6]
    assert body.tolist() == [0, 0, 0, 1, 1, 1, 1]
    each = [corners[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    assert each[0] == [[5, 7, 6]]
    assert each[3] == [[1, 2, -1]]
    assert each[4] == [[2, 0, -1], [6, 2, -1]]
    assert each[6] == [[7, 5, 4], [2, 1, -1]]


@pytest.mark.parametrize("kind", MADE)
def test_cells_that_are_inside_out_are_mirrored_with_one_warning(kind):
    mesh = cube(3, kind, jitter=0.12)
    turned = {}
    for name, cells in mesh.blocks.items():
        some = np.arange(len(cells)) % 2 == 0
        turned[name] = np.where(some[:, None], cells[:, KINDS[name].mirror], cells)

    with pytest.warns(UserWarning, match=r"\d+ of \d+ .*were inside out: mirrored") as said:
        again = km.Mesh.from_blocks(mesh.points, turned, mesh.boundaries)

    assert len(said) == 1
    np.testing.assert_allclose(again.volumes, mesh.volumes, rtol=1e-13)
    np.testing.assert_array_equal(again.edges, mesh.edges)


def test_a_renumbered_mesh_is_the_same_mesh():
    mesh = cube(4, "mixed", jitter=0.12)
    new = mesh.renumbered()

    np.testing.assert_array_equal(new.points, mesh.points[new.original])
    np.testing.assert_array_equal(
        np.sort(np.sort(new.original[new.edges], axis=1), axis=0), np.sort(mesh.edges, axis=0)
    )
    again = km.Mesh.from_blocks(new.points, new.blocks, new.boundaries)
    assert again.volumes.sum() == pytest.approx(1.0)
    assert (new.boundaries["rim"][:, 3] < 0).any()
    assert np.ptp(new.edges, axis=1).max() < np.ptp(mesh.edges, axis=1).max()
    with pytest.raises(ValueError, match="read-only"):
        new.blocks["prisms"][0] = 1


def test_a_moved_mesh_may_not_fold():
    mesh = cube(2, "tetrahedra")
    assert mesh.transformed(2 * mesh.points).volumes.sum() == pytest.approx(8.0)

    points = mesh.points.copy()
    points[np.all(points == 0.5, axis=1)] = [1.4, 0.5, 0.5]
    with pytest.raises(MeshError, match=r"transformed: 6 of 48 tetrahedra were inside out"):
        mesh.transformed(points)


def two(**change):
    """Two cubes side by side."""
    points = np.concatenate([CUBE, CUBE[[1, 2, 5, 6]] + [1.0, 0.0, 0.0]])
    cells = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 8, 9, 2, 5, 10, 11, 6]]
    rim = open_faces({"hexahedra": np.array(cells)}, 12)
    given = {"points": points, "cells": cells, "boundaries": {"rim": rim}}
    return block(**(given | change))


FLAT = np.where(np.arange(8)[:, None] == 6, [0.2, 0.2, 0.2], CUBE)
NAN = np.where(np.arange(8)[:, None] == 3, np.nan, CUBE)
THRICE = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 8, 9, 2, 5, 10, 11, 6], [1, 8, 9, 2, 5, 10, 11, 6]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: block(NAN), r"node 3 is at \[nan"),
        (lambda: block(FLAT), r"hexahedron 0 with nodes 0, 1, .* at node \d a share of -"),
        (lambda: block(CUBE * [1, 1, 0]), "hexahedron 0 with nodes .* has volume 0 "),
        (lambda: block(cells=[[0, 1, 2, 3, 4, 5, 6, 8]]), "has nodes 0, .*expected 0 to 7"),
        (
            lambda: block(np.append(CUBE, [[2.0, 2.0, 2.0]], axis=0)),
            r"node\(s\) 8 belong to no element",
        ),
        (
            lambda: two(cells=THRICE),
            r"face 1-\d+-\d+-\d+ belongs to 3 cells \(hexahedron 0, hexahedron 1, hexahedron 2\)",
        ),
        (
            lambda: two(boundaries={"a": SIDES[:3]}),
            r"boundary face .* at \(.*\) is in no marker: 7 such face",
        ),
        (
            lambda: block(boundaries={"a": SIDES, "b": SIDES[1:2]}),
            "face 4-5-6-7 is in markers 'a' and 'b'",
        ),
        (
            lambda: two(boundaries={"a": [[1, 2, 6, 5]]}),
            "marker 'a': face 1-2-6-5 is not a boundary face",
        ),
        (
            lambda: block(boundaries={"a": [[0, 1, 2]]}),
            "marker 'a': face 0-1-2 is not a boundary face",
        ),
        (lambda: block(boundaries={"a": [*SIDES, SIDES[0]]}), "lists face 0-3-2-1 more than once"),
        (lambda: block(boundaries={"a": [[0, 1, 2, 8]]}), "names a node that does not exist"),
        (lambda: block(boundaries={"a": [[0, 1]]}), r"marker 'a' has shape \(1, 2\)"),
        (lambda: block(CUBE[:, :2]), r"points has shape \(8, 2\), expected \(any, 3\)"),
        (
            lambda: km.Mesh.from_blocks(CUBE, {"triangles": [[0, 1, 2]]}, {}),
            r"points has shape \(8, 3\), expected \(any, 2\)",
        ),
        (
            lambda: km.Mesh.from_blocks(
                CUBE, {"triangles": [[0, 1, 2]], "tetrahedra": [[0, 1, 2, 4]]}, {}
            ),
            "expected cells of the plane or of space, not both",
        ),
        (
            lambda: km.Mesh.from_blocks(CUBE, {"hexaedra": [[0, 1, 2, 3]]}, {}),
            "did you mean 'hexahedra'",
        ),
        (
            lambda: km.Mesh.from_blocks(
                np.append(CUBE, [[0.5, 0.5, 2.0]], axis=0),
                {"hexahedra": [list(range(8))], "tetrahedra": [[4, 5, 6, 8]]},
                {"box": SIDES},  # a triangle upon a quadrilateral: the cells do not meet
            ),
            r"boundary face 4-6-5 at .* is in no marker: 4 such face",
        ),
        (lambda: block().cells, "mesh.cells is of a mesh in the plane"),
        (lambda: block().areas, "mesh.areas is of a mesh in the plane"),
    ],
)
def test_a_bad_mesh_is_refused_with_its_place(make, message):
    with pytest.raises(MeshError, match=message):
        make()


def test_tetrahedra_that_overlap_after_mirroring_are_refused():
    mesh = cube(2, "tetrahedra")
    points = mesh.points.copy()
    points[np.all(points == 0.5, axis=1)] = [1.4, 0.5, 0.5]

    with (
        pytest.warns(UserWarning, match="inside out"),
        pytest.raises(MeshError, match=r"2 cells \(tetrahedron \d+, tetrahedron .*moved through"),
    ):
        km.Mesh.from_blocks(points, mesh.blocks, mesh.boundaries)


@pytest.mark.long
@pytest.mark.parametrize("kind", MADE)
def test_faces_are_told_apart_where_node_numbers_need_many_bits(kind):
    mesh = cube(3, kind)
    nodes = 2**25  # three numbers of 25 bits do not fit into 64
    there = np.linspace(0, nodes - 1, mesh.nodes).astype(np.int32)
    few = open_faces(mesh.solids, mesh.nodes)

    many = open_faces({name: there[cells] for name, cells in mesh.solids.items()}, nodes)

    few = np.where(few < 0, -1, there[few])
    np.testing.assert_array_equal(np.unique(few, axis=0), np.unique(many, axis=0))


def test_pieces_of_a_boundary_know_quadrilaterals():
    ball = km.mesh.sphere(5000)
    found = pieces(ball, ["sphere", "farfield"])

    assert [piece.closed for piece in found] == [True, True]
    assert found[0].about_body
    assert -found[0].content == pytest.approx(np.pi, rel=0.05)  # six volumes
    assert enclosing(found) is found[1]
    wing = km.mesh.oneram6(10_000)
    (body,) = Walls.of(wing, ["wing"], ["symmetry"]).bodies
    assert body.size == pytest.approx(1.15315084, rel=0.02)


def test_tables_of_other_kinds_with_the_same_bytes_are_other_meshes():
    def mesh(kind):
        table = np.arange(24, dtype=np.int32)
        return SimpleNamespace(
            points=CUBE, connections=(table,), original=table, boundaries={}, solids={kind: table}
        )

    assert fingerprint(mesh("prisms")) != fingerprint(mesh("hexahedra"))
    assert fingerprint(cube(2)) == fingerprint(cube(2)) != fingerprint(cube(2, jitter=0.1))


def test_volumes_do_not_depend_on_how_a_cell_is_turned():
    mesh = cube(2, "hexahedra", jitter=0.2)
    again = mesh.solids["hexahedra"][:, [1, 2, 3, 0, 5, 6, 7, 4]]

    np.testing.assert_allclose(
        volumes(mesh.points, KINDS["hexahedra"], again), mesh.volumes, rtol=1e-13
    )
