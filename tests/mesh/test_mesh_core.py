"""Mesh: what is accepted, what is refused with which message, and what operations keep."""

import time

import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh import Mesh, airfoil, quality, write
from kinemesh.mesh.dual import dual

# two unit squares side by side: a quad and two triangles
POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
TRIANGLES = [[1, 2, 5], [1, 5, 4]]
QUADS = [[0, 1, 4, 3]]
SIDES = {"floor": [[0, 1], [2, 1]], "rest": [[2, 5], [5, 4], [4, 3], [3, 0]]}


def two_squares(**change):
    given = {"points": POINTS, "triangles": TRIANGLES, "quads": QUADS, "boundaries": SIDES}
    return Mesh(**(given | change))


def outward(mesh, name):
    a, b = (mesh.points[mesh.boundaries[name][:, k]] for k in (0, 1))
    return np.stack([(b - a)[:, 1], (a - b)[:, 0]], axis=1)


def test_boundary_edges_are_turned_to_have_the_domain_on_their_left():
    mesh = two_squares()

    assert mesh.boundaries["floor"].tolist() == [[0, 1], [1, 2]]
    np.testing.assert_array_equal(outward(mesh, "floor"), [[0, -1], [0, -1]])


def test_cells_list_triangles_first_and_mark_their_fourth_entry():
    mesh = two_squares()

    assert mesh.cells.tolist() == [[1, 2, 5, -1], [1, 5, 4, -1], [0, 1, 4, 3]]
    assert mesh.cells.dtype == np.int32
    np.testing.assert_array_equal(mesh.areas, [0.5, 0.5, 1.0])
    assert len(mesh.edges) == 8


def test_arrays_cannot_be_written_and_the_users_arrays_are_not_shared():
    points = POINTS.copy()
    mesh = two_squares(points=points)

    points[0] = 7.0

    assert mesh.points[0, 0] == 0.0
    for array in (
        mesh.points,
        mesh.triangles,
        mesh.quads,
        mesh.original,
        *mesh.boundaries.values(),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_mesh_from_one_table_equals_the_mesh_from_two():
    table = [[0, 1, 4, 3], [1, 2, 5, -1], [1, 5, 4, -1]]

    mesh = Mesh.from_arrays(POINTS, table, SIDES)

    np.testing.assert_array_equal(mesh.cells, two_squares().cells)


BAD = {
    "concave quad": (
        {"points": np.array([*POINTS[:4], [0.2, 0.2], POINTS[5]])},
        r"quad 0 with nodes 0, 1, 4, 3 .*not convex",
    ),
    "flat triangle": (
        {"points": np.array([*POINTS[:4], [1.5, 0.5], POINTS[5]])},
        r"triangle 1 with nodes 1, 5, 4 .* area 0, expected > 0",
    ),
    "node out of range": ({"triangles": [[1, 2, 5], [1, 5, 6]]}, r"triangle 1 .*expected 0 to 5"),
    "negative node": ({"triangles": [[1, 2, 5], [1, 5, -1]]}, r"triangle 1 .*expected 0 to 5"),
    "idle node": (
        {"points": np.array([*POINTS, [9.0, 9.0]])},
        r"node\(s\) 6 belong to no element",
    ),
    "not finite": ({"points": np.where(POINTS == 2.0, np.nan, POINTS)}, r"node 2 is at \[nan"),
    "no cells": ({"triangles": [], "quads": []}, r"no cells"),
    "open edge in no marker": (
        {"boundaries": {"floor": SIDES["floor"], "rest": SIDES["rest"][1:]}},
        r"boundary edge 2-5 .*in no marker: 1 such",
    ),
    "inner edge in a marker": (
        {"boundaries": {**SIDES, "wall": [[1, 4]]}},
        r"marker 'wall': edge 1-4 is not a boundary edge",
    ),
    "edge in two markers": (
        {"boundaries": {**SIDES, "wall": [[1, 0]]}},
        r"edge 0-1 is in markers 'floor' and 'wall'",
    ),
    "edge twice in a marker": (
        {"boundaries": {**SIDES, "floor": [[0, 1], [1, 0], [1, 2]]}},
        r"marker 'floor' lists edge 0-1 more than once",
    ),
    "marker names no node": (
        {"boundaries": {**SIDES, "wall": [[1, 60]]}},
        r"marker 'wall': edge 1, 60 names a node that does not exist",
    ),
    "empty marker": ({"boundaries": {**SIDES, "wall": []}}, r"marker 'wall' has no edges"),
    "cell twice": ({"triangles": [*TRIANGLES, [1, 2, 5]]}, r"edge 1-5 belongs to 3 cells"),
    "overlap": (
        {
            "points": np.array([*POINTS, [1.5, -1.0], [1.5, 2.0]]),
            "triangles": [*TRIANGLES, [1, 2, 7], [6, 2, 1]],
        },
        r"edge 1-2 belongs to 3 cells",
    ),
    "same side": (
        {"points": np.array([*POINTS, [1.4, 0.5]]), "triangles": [*TRIANGLES, [1, 2, 6]]},
        r"edge 1-2 has two cells on the same side",
    ),
    "wrong shape": ({"points": POINTS[:, :1]}, r"points has shape \(6, 1\), expected \(any, 2\)"),
    "real numbers": ({"triangles": np.array(TRIANGLES, float)}, r"float64, expected integers"),
    "short original": ({"original": [0, 1]}, r"original has shape \(2,\), expected \(6,\)"),
    "original twice": ({"original": [0, 0, 1, 2, 3, 4]}, r"original names a node twice"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD.keys())
def test_a_bad_mesh_is_refused_with_its_place(change, message):
    with pytest.raises(MeshError, match=message):
        two_squares(**change)


def test_clockwise_cells_are_turned_with_one_warning():
    """Files have the rule too, and cells in space that are inside out are mirrored."""
    turned = {"triangles": [[1, 2, 5], [1, 4, 5]], "quads": [[0, 3, 4, 1]]}
    said = "1 of 2 triangles and 1 of 1 quadrilaterals turned counter-clockwise; expected corners"

    with pytest.warns(UserWarning, match=said) as told:
        mesh = two_squares(**turned)

    assert len(told) == 1
    assert told[0].filename == __file__
    np.testing.assert_array_equal(mesh.areas, two_squares().areas)
    for name, edges in two_squares().boundaries.items():
        np.testing.assert_array_equal(mesh.boundaries[name], edges)
    table = [[0, 3, 4, 1], [1, 2, 5, -1], [1, 4, 5, -1]]
    blocks = {"quads": [[0, 3, 4, 1]], "triangles": turned["triangles"]}
    for make in (
        lambda: Mesh.from_arrays(POINTS, table, SIDES),
        lambda: Mesh.from_blocks(POINTS, blocks, SIDES),
    ):
        with pytest.warns(UserWarning, match=said):
            np.testing.assert_array_equal(make().cells, mesh.cells)


def test_a_cell_folded_over_its_neighbour_is_refused_after_turning():
    points = np.array([*POINTS[:4], [2.5, 0.9], POINTS[5]])  # node 4 has moved through edge 1-5
    with (
        pytest.warns(UserWarning, match="turned counter-clockwise"),
        pytest.raises(MeshError, match=r"edge \d-\d has two cells on the same side \(triangle"),
    ):
        Mesh.from_arrays(points, [[0, 1, 3, -1], [1, 4, 3, -1], [1, 2, 5, -1], [1, 5, 4, -1]],
                         {**SIDES, "rest": [[2, 5], [5, 4], [4, 3], [3, 0]]})  # fmt: skip


def grid(n, seed):
    """n x n squares cut in two, nodes shuffled."""
    x, y = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    node = np.random.default_rng(seed).permutation((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (q.ravel() for q in (node[:-1, :-1], node[1:, :-1], node[1:, 1:], node[:-1, 1:]))
    points = np.empty(((n + 1) ** 2, 2))
    points[node.ravel()] = np.stack([x.ravel(), y.ravel()], axis=1)
    loop = np.concatenate([node[:-1, 0], node[-1, :-1], node[:0:-1, -1], node[0, :0:-1]])
    edges = np.stack([loop, np.roll(loop, -1)], axis=1)
    cells = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return Mesh.from_arrays(points, cells, {"all": edges})


def test_renumbering_shrinks_the_bandwidth_and_keeps_the_mesh():
    mesh = grid(20, seed=1)

    new = mesh.renumbered()

    def band(m):
        return np.abs(np.diff(m.edges, axis=1)).max()

    assert band(mesh) > 300  # shuffled
    assert band(new) <= 2 * 21  # two levels of a 21 x 21 grid
    np.testing.assert_array_equal(new.points, mesh.points[new.original])
    one, two = (sorted(map(sorted, m.original[m.triangles].tolist())) for m in (mesh, new))
    assert one == two
    assert new.areas.sum() == pytest.approx(400.0, rel=1e-14)
    again = new.renumbered()
    np.testing.assert_array_equal(again.points, mesh.points[again.original])


def test_transformed_moves_points_only_and_refuses_folding():
    mesh = two_squares(original=[5, 4, 3, 2, 1, 0])

    moved = mesh.transformed(2.0 * POINTS)

    np.testing.assert_array_equal(moved.areas, [2.0, 2.0, 4.0])
    np.testing.assert_array_equal(moved.original, mesh.original)
    with pytest.raises(MeshError, match="triangle 0"):
        mesh.transformed(POINTS * [-1.0, 1.0])
    with pytest.raises(MeshError, match=r"shape \(5, 2\), expected \(6, 2\)"):
        mesh.transformed(POINTS[:5])


def test_quality_finds_the_worst_cells_of_a_hand_made_mesh():
    points = [[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)], [0.0, -1.0], [1.0, -1.0], [3.0, -0.5]]
    cells = [[0, 3, 4, 1], [0, 1, 2, -1], [1, 4, 5, -1], [1, 5, 4, -1]]

    report = quality(points, cells)

    assert report.negative == 1
    assert report.min_area_at == 3
    assert (report.max_area, report.max_area_at) == (1.0, 0)
    assert report.min_area == -1.0
    assert report.aspect_ratio[100] == pytest.approx(4.25 * np.sqrt(3) / 4)
    assert "negative" in str(report)


def test_quality_of_the_equilateral_triangle_and_the_square_is_perfect():
    points = [[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)], [0.0, -1.0], [1.0, -1.0]]

    report = quality(points, [[0, 3, 4, 1], [0, 1, 2, -1]])

    assert report.min_angle_deg == pytest.approx(60.0, abs=1e-12)
    assert (report.min_angle_at, report.max_angle_at) == (1, 0)
    assert report.max_angle_deg == pytest.approx(90.0, abs=1e-12)
    assert list(report.aspect_ratio.values()) == pytest.approx([1.0] * 4, abs=1e-14)


@pytest.mark.parametrize("suffix", [".vtk", ".vtu"])
def test_vtk_files_hold_points_cells_and_fields(tmp_path, suffix):
    meshio = pytest.importorskip("meshio")
    mesh, path = two_squares(), tmp_path / f"m{suffix}"

    write(mesh, path, {"p": np.arange(6.0)})
    back = meshio.read(path)

    np.testing.assert_array_equal(back.points[:, :2], POINTS)
    np.testing.assert_array_equal(back.point_data["p"].ravel(), np.arange(6.0))
    kinds = {block.type: block.data.tolist() for block in back.cells}
    assert kinds == {"triangle": TRIANGLES, "quad": QUADS}
    with pytest.raises(MeshError, match=r"field 'p' has shape \(5,\), expected \(6,\)"):
        write(mesh, path, {"p": np.arange(5.0)})


def test_a_renumbered_mesh_passes_every_check_again():
    mesh = grid(12, seed=2)

    new = mesh.renumbered().numbered()
    again = Mesh(new.points, new.triangles, new.quads, new.boundaries)

    np.testing.assert_array_equal(again.boundaries["all"], new.boundaries["all"])
    assert new.original.tolist() == list(range(mesh.nodes))
    for array in (new.points, new.triangles, new.quads, new.original, new.boundaries["all"]):
        assert not array.flags.writeable


@pytest.mark.slow
@pytest.mark.parametrize("topology", ["o", "c"])
def test_the_time_for_a_mesh_grows_no_faster_than_its_size(topology):
    seconds = []
    for nodes in (200_000, 1_600_000):
        start = time.process_time()
        mesh = airfoil(nodes=nodes, far_field=100.0, topology=topology)
        dual(mesh.nodes, mesh.cells)
        seconds.append(time.process_time() - start)

    assert seconds[1] / seconds[0] < 16  # twice the 8 of a linear law: caches, and the sort's log
