"""Nodes repeated at one place, and within cells: each refused by its own sentence."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.coincident import _inside
from kinemesh.mesh.kinds import KINDS
from solids import cube
from squares import square
from structured import bricks, su2, wake, wedges

NUMBERS = {kind.name: kind.su2 for kind in KINDS.values()}
CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
                 [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)  # fmt: skip
FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]


def stored(folder, text, name="m.su2"):
    path = folder / name
    path.write_text(text)
    return path


def test_corners_at_one_place_are_refused_with_cell_nodes_place_and_advice(tmp_path):
    points, cells, markers = wedges()
    text = su2(points, {"hexahedra": cells}, markers, NUMBERS)

    with pytest.raises(MeshError) as caught:
        km.mesh.read(stored(tmp_path, text))

    said = str(caught.value)
    assert "m.su2: element 0 with nodes 0, " in said
    assert "has its nodes 0 and 2 at one place, (0, 0, 0)" in said
    assert "6 such element(s) of 12" in said
    assert "merge=1e-09 of km.mesh.read" in said
    assert "[mesh] merge = 1e-09" in said
    assert "prism (type 13 of SU2)" in said


@pytest.mark.parametrize(("share", "good"), [(1e-11, True), (1e-13, False)])
def test_corners_are_at_one_place_below_a_billionth_of_a_thousandth_of_the_cell(share, good):
    points = np.array([[0, 0], [4, 0], [4, 1], [0, 0.0]])
    points[3, 1] = 4 * share
    rim = {"rim": [[0, 1], [1, 2], [2, 3], [3, 0]]}
    if good:
        assert km.Mesh.from_arrays(points, [[0, 1, 2, 3]], rim).nodes == 4
        return
    with pytest.raises(MeshError, match=r"quad 0 .* nodes 0 and 3 at one place.*is a triangle"):
        km.Mesh.from_arrays(points, [[0, 1, 2, 3]], rim)


NAMED_TWICE = {
    "triangles": ([0, 1, 1], "triangle of 3 nodes, and it has no area: remove it"),
    "quads": ([0, 1, 2, 2], "quad of 4 nodes, and with an edge collapsed it is a triangle"),
    "tetrahedra": ([0, 1, 2, 2], "tetrahedron of 4 nodes, and it has no volume"),
    "pyramids": ([0, 1, 2, 2, 4], "pyramid of 5 nodes, and .* it is a tetrahedron"),
    "prisms": ([0, 1, 2, 0, 5, 6], "prism of 6 nodes, and .* a pyramid"),
    "hexahedra": ([0, 1, 2, 2, 4, 5, 6, 6], "hexahedron of 8 nodes, and .* it is a prism"),
}


@pytest.mark.parametrize("kind", NAMED_TWICE)
def test_a_cell_that_names_a_node_twice_is_refused(kind):
    cell, words = NAMED_TWICE[kind]
    points = CUBE[:, :2] if KINDS[kind].dimensions == 2 else CUBE

    with pytest.raises(MeshError, match=rf"{KINDS[kind].one} 0 names node \d twice .*{words}"):
        km.Mesh.from_blocks(points, {kind: [cell]}, {"rim": [[0, 1]]})


def test_sides_of_markers_that_name_a_node_twice_are_refused():
    plane, solid = square(2), cube(2, "hexahedra")
    with pytest.raises(MeshError, match=r"marker 'x': edge 1, 1 names node 1 twice"):
        km.Mesh.from_arrays(plane.points, plane.cells, {**plane.boundaries, "x": [[1, 1]]})
    with pytest.raises(MeshError, match=r"marker 'x': face 0-1-4-0 names a node twice"):
        km.Mesh.from_blocks(solid.points, solid.blocks, {**solid.boundaries, "x": [[0, 1, 4, 0]]})


def test_the_cut_of_a_wake_without_a_marker_is_told_with_its_nodes():
    points, cells, markers, cut = wake()

    with pytest.raises(MeshError) as caught:
        km.Mesh.from_arrays(points, cells, markers)

    said = str(caught.value)
    assert f"{len(cut)} such edge(s), in pairs" in said
    assert "lie on one another and are in no marker" in said
    assert "are at one place, expected one node; merge them" in said


def test_the_cut_of_a_wake_in_a_marker_is_a_slit_and_is_told_once(tmp_path):
    points, cells, markers, cut = wake()
    with pytest.warns(UserWarning, match=r"8 of 8 edges of marker 'wake' lie on others.*a slit"):
        mesh = km.Mesh.from_arrays(points, cells, {**markers, "wake": cut})
    assert "a slit without thickness" in mesh.origin.notes[-1]
    assert len(mesh.transformed(2 * mesh.points).origin.notes) == 1  # and no second warning
    path = stored(tmp_path, su2(points, {"quads": cells}, {**markers, "wake": cut}, NUMBERS))
    with pytest.warns(UserWarning, match="a slit without thickness") as told:
        assert len(km.mesh.read(path, scale=0.5).origin.notes) == 2  # the other is of the scale
    assert len(told) == 1
    both = {**markers, "airfoil": np.concatenate([markers["airfoil"], cut])}
    with pytest.warns(UserWarning, match=r"8 of 12 edges of marker 'airfoil' lie on others"):
        km.Mesh.from_arrays(points, cells, both)


def test_a_plate_without_thickness_is_a_wall_and_not_told():
    points, cells, markers, cut = wake()
    flat = np.where(np.abs(points) == 0.06, 0.0, points)
    sides = {"wall": np.concatenate([markers["airfoil"], cut]), "farfield": markers["farfield"]}

    assert km.Mesh.from_arrays(flat, cells, sides).origin.notes == ()
    with pytest.warns(UserWarning, match=r"8 of 12 edges of marker 'wall' lie on others"):
        km.Mesh.from_arrays(points, cells, sides)  # a body of some thickness, and its wake


def hanging():
    """A square beside two of half its height, and its rim."""
    points = [[0, 0], [2, 0], [2, 2], [0, 2], [3, 0], [3, 1], [3, 2], [2, 1]]
    rim = [[0, 1], [1, 4], [4, 5], [5, 6], [6, 2], [2, 3], [3, 0]]
    return points, [[0, 1, 2, 3], [1, 4, 5, 7], [7, 5, 6, 2]], rim


def test_a_hanging_node_is_told_with_its_edge_and_cell():
    points, cells, rim = hanging()

    with pytest.raises(
        MeshError, match=r"node 7 at \(2, 1\) lies within edge 1-2 of quad 0.*hangi"
    ):
        km.Mesh.from_arrays(points, cells, {"rim": rim})
    for off, message in ((1e-7, "hanging"), (1e-2, "is in no marker: 3 such edge")):
        moved = np.array(points, float)
        moved[7, 0] += off
        with pytest.raises(MeshError, match=message):
            km.Mesh.from_arrays(moved, cells, {"rim": rim})


def test_a_hanging_node_in_space_is_told_with_its_face_and_cell():
    points, cells, rim = hanging()
    high = len(points)
    space = [[*x, z] for z in (0.0, 1.0) for x in points]
    solid = [[*cell, *(n + high for n in cell)] for cell in cells]
    faces = [[a, b, b + high, a + high] for a, b in rim]
    faces += [side for cell in solid for side in (cell[:4], cell[4:])]

    with pytest.raises(
        MeshError, match=r"node 7 at \(2, 1, 0\) lies within face .* of hexahedron 0"
    ):
        km.Mesh.from_blocks(space, {"hexahedra": solid}, {"rim": faces})


def test_a_node_in_the_middle_of_a_face_hangs():
    big = CUBE * 2 - [2, 0, 0]
    at, small = bricks((2, 3, 3))
    fine = np.stack(np.meshgrid([0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0], indexing="ij"), -1)
    fine = fine.reshape(-1, 3)
    points = np.concatenate([big, fine])
    same = np.linalg.norm(points[:, None] - points, axis=2) == 0
    used, number = np.unique(np.argmax(same, axis=1), return_inverse=True)
    cells = number[np.concatenate([[np.arange(8)], small + 8])]
    middle = int(number[8 + at[0, 1, 1]])
    rim = [side for cell in cells for side in cell[np.array(FACES)].tolist()]
    rim = [side for side in rim if np.abs(points[used][side][:, 0]).max() > 0
           and sum(sorted(side) == sorted(own) for own in rim) == 1]  # fmt: skip

    with pytest.raises(
        MeshError, match=r"node \d+ at \(0, \d, \d\) lies within face .*hexahedron 0"
    ):
        km.Mesh.from_blocks(points[used], {"hexahedra": cells}, {"rim": rim})
    assert middle in cells


@pytest.mark.parametrize(
    ("corners", "inside"),
    [
        ([[0, 0, 0], [2, 0, 0], [0, 2, 0]], True),
        ([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], True),
        ([[0, 0, 0], [1, 1, 0], [2, 2, 0]], False),  # on a line
        ([[0, 0, 0], [0, 0, 0], [2, 2, 0]], False),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 0]], False),
        ([[0, 0, 0], [2, 2, 0]], True),
        ([[0, 0, 0], [0, 0, 0]], False),
    ],
)
def test_a_side_without_size_has_no_node_within(corners, inside):
    assert _inside(np.array([0.5, 0.5, 0.0]), np.array(corners, float)) is inside


def test_a_quadrilateral_that_meets_triangles_is_told_of_pyramids():
    points = np.append(CUBE, [[0.5, 0.5, 2.0]], axis=0)
    blocks = {"hexahedra": [list(range(8))], "tetrahedra": [[4, 5, 6, 8], [4, 6, 7, 8]]}
    roof = [[4, 5, 8], [5, 6, 8], [6, 7, 8], [7, 4, 8]]
    sides = [*([*face, -1] for face in roof), *FACES[:1], *FACES[2:]]

    with pytest.raises(
        MeshError, match=r"face 4-5-6-7 of hexahedron 0 .* meets triangles .*pyramid"
    ):
        km.Mesh.from_blocks(points, blocks, {"rim": sides})


def strip(height):
    """Cells a million times as long as the strip is high, one layer of them."""
    points = [[1.0 * i, j * height] for j in (0, 1) for i in range(4)]
    cells = [[i, i + 1, i + 5, i + 4] for i in range(3)]
    rim = [[0, 1], [1, 2], [2, 3], [3, 7], [7, 6], [6, 5], [5, 4], [4, 0]]
    return points, cells, {"rim": rim}


@pytest.mark.parametrize("height", [1e-3, 1e-7, 1e-9])
def test_sides_of_thin_cells_do_not_lie_on_one_another(height):
    """The shortest edge at a node decides, and here it is inside the mesh."""
    mesh = km.Mesh.from_arrays(*strip(height))
    assert mesh.origin.notes == ()
    solid = km.mesh.extruded(mesh, span=1e-9)
    assert solid.origin.notes == ()
    assert km.mesh.merge(mesh, tolerance=0.5 * height).nodes == mesh.nodes


def test_cells_lost_in_the_last_digits_of_coordinates_are_flat():
    """Rounding is no reason to merge them."""
    mesh = square(4, "quads")
    with pytest.raises(MeshError, match=r"quad 0 with nodes .* area"):
        km.Mesh.from_arrays(1e-9 * mesh.points + [1e9, 0.0], mesh.cells, mesh.boundaries)


def test_a_cell_with_nothing_left_is_flat_and_not_told_to_be_merged():
    points = CUBE.copy()
    points[4:] = points[:4]
    with pytest.raises(MeshError, match=r"hexahedron 0 with nodes .* has volume 0") as caught:
        km.Mesh.from_blocks(points, {"hexahedra": [list(range(8))]}, {"rim": FACES})
    assert "merge" not in str(caught.value)


@pytest.mark.parametrize("size", [1e120, 1e-120])
def test_coincident_nodes_are_found_at_any_size(size):
    points, cells, markers, _ = wake()
    with pytest.raises(MeshError, match="lie on one another and are in no marker"):
        km.Mesh.from_arrays(size * points, cells, markers)
    assert km.Mesh.from_arrays(size * points, cells, markers, merge=1e-9 * size).nodes < len(points)
