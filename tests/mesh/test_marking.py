"""Markers with other names, divided by coordinates."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.marking import marked

SPLIT = {"wall": {"of": "bottom", "x": (0.0, 1.0)}, "symmetry": {"of": "bottom"}}


@pytest.fixture(scope="module")
def mesh():
    """A channel, x -1 to 2 in steps of 0.25, y 0 to 1; markers left, right, bottom, top."""
    core = (-1.0, 2.0, 0.0, 1.0)
    return km.mesh.background(core, core, spacing=0.25)


def extent(mesh, name):
    x = mesh.points[mesh.boundaries[name]].reshape(-1, mesh.dimensions)
    return x.min(axis=0).tolist(), x.max(axis=0).tolist()


def test_a_side_is_divided_and_the_rest_of_it_has_a_name(mesh):
    found = marked(mesh, {**SPLIT, "in": {"of": "left"}})

    assert list(found.boundaries) == ["right", "top", "wall", "symmetry", "in"]
    assert extent(found, "wall") == ([0.0, 0.0], [1.0, 0.0])
    assert len(found.boundaries["symmetry"]) == 8
    assert len(found.boundaries["wall"]) == 4
    assert found.nodes == mesh.nodes
    np.testing.assert_array_equal(found.original, mesh.original)
    assert found.origin == mesh.origin


def test_what_none_takes_stays_and_an_old_name_may_be_a_new_one(mesh):
    kept = marked(mesh, {"wall": {"of": "bottom", "x": (0.0, np.inf)}})
    again = marked(mesh, {"bottom": {"of": "bottom", "x": (0.0, 1.0)}, "rest": {"of": "bottom"}})
    same = marked(mesh, {"bottom": {"of": "bottom", "x": (0.0, 1.0)}})

    assert extent(kept, "bottom") == ([-1.0, 0.0], [0.0, 0.0])
    assert extent(kept, "wall") == ([0.0, 0.0], [2.0, 0.0])
    assert extent(again, "bottom") == ([0.0, 0.0], [1.0, 0.0])
    assert len(again.boundaries["rest"]) == 8
    assert len(same.boundaries["bottom"]) == 12


def test_one_marker_is_made_of_several_and_by_several_axes(mesh):
    found = marked(mesh, {"sides": {"of": ["left", "right"], "y": [0.5, 1.0]}, "walls": {
        "of": ["bottom", "top"]}})  # fmt: skip

    assert len(found.boundaries["sides"]) == 4
    assert len(found.boundaries["left"]) == len(found.boundaries["right"]) == 2
    assert len(found.boundaries["walls"]) == 24


def test_a_table_serves_meshes_with_the_old_names_and_with_the_new_ones(mesh):
    once = marked(mesh, SPLIT)

    assert marked(once, SPLIT) is once


def test_faces_in_space_are_divided_too(mesh):
    space = km.mesh.extruded(mesh, span=1.0, layers=2, cells="prisms")
    found = marked(space, SPLIT | {"near": {"of": "symmetry_left", "x": (-1.0, 0.0)}})

    assert extent(found, "wall") == ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0])
    assert len(found.boundaries["wall"]) == 8
    assert extent(found, "near")[1][0] == 0.0
    assert (found.boundaries["near"][:, 3] == -1).all()  # triangles


def test_an_end_may_be_rounded_as_files_are_but_not_within_an_edge(mesh):
    rounded = marked(mesh, {"wall": {"of": "bottom", "x": (0.0, 0.999)}})
    assert len(rounded.boundaries["wall"]) == 4

    with pytest.raises(km.MeshError, match=r"x = 0\.99 lies within .* such as 0\.75 or 1$"):
        marked(mesh, {"wall": {"of": "bottom", "x": (0.0, 0.99)}})


@pytest.mark.parametrize("error", [0.0, 1e-12, -1e-12])
def test_what_lies_in_an_end_itself_is_behind_it(mesh, error):
    """Sides of the channel at x -1 and 2, as a step of a floor, with a file's round-off."""
    both = {"sides": {"of": ["left", "right"]}}
    parts = {"ahead": (-1.0 + error, 2.0 + error), "behind": (2.0 + error, 3.0)}
    found = marked(
        marked(mesh, both), {name: {"of": "sides", "x": ends} for name, ends in parts.items()}
    )

    assert extent(found, "ahead") == ([-1.0, 0.0], [-1.0, 1.0])
    assert extent(found, "behind") == ([2.0, 0.0], [2.0, 1.0])
    assert "sides" not in found.boundaries


def test_an_end_along_one_axis_does_not_divide_what_lies_beside_along_another(mesh):
    found = marked(mesh, {"low": {"of": ["bottom", "top"], "x": (-9.0, 9.0), "y": (-0.1, 0.4)}})

    assert len(found.boundaries["low"]) == 12
    assert len(found.boundaries["top"]) == 12


@pytest.mark.parametrize(
    ("markers", "said"),
    [
        ({}, "expected tables by name"),
        (["wall"], "expected tables by name"),
        ({3: {"of": "top"}}, "markers: 3, expected a name"),
        ({"wall": "top"}, "markers.wall = 'top', expected a table"),
        ({"wall": {}}, "of = None, expected a marker of the mesh"),
        ({"wall": {"of": []}}, "of = [], expected a marker"),
        ({"wall": {"of": ["top", "top"]}}, "expected a marker of the mesh, or a list"),
        ({"wall": {"of": "top", "z0": 1}}, "unknown key 'z0'"),
        ({"wall": {"of": "top", "x": 1.0}}, "x = 1.0, expected two numbers, the lower first"),
        ({"wall": {"of": "top", "x": (1.0, 1.0)}}, "expected two numbers, the lower first"),
        ({"wall": {"of": "top", "x": (1.0, 0.0)}}, "expected two numbers, the lower first"),
        ({"wall": {"of": "top", "x": (0.0, np.nan)}}, "expected two numbers"),
        ({"wall": {"of": "top", "x": (0.0, 1.0, 2.0)}}, "expected two numbers"),
        ({"wall": {"of": "top", "x": ("a", "b")}}, "expected two numbers"),
        ({"wall": {"of": "topp"}}, "of = 'topp', and the mesh has the markers left, right, bottom"),
        ({"wall": {"of": "topp"}}, "did you mean 'top'"),
        ({"wall": {"of": ["top", "roof"]}}, "of = 'roof'"),
        ({"left": {"of": "top"}}, "has a marker 'left' already"),
        ({"a": {"of": "top"}, "b": {"of": "top"}}, "both take what is left of 'top'"),
        ({"a": {"of": "top", "x": (0, 1)}, "b": {"of": "top", "x": (0.5, 2)}}, "both take 2 of"),
        ({"a": {"of": "top", "x": (3, 4)}}, "nothing of 'top' lies at x = [3.0, 4.0]; it is at x"),
        ({"a": {"of": "top", "x": (-2, 4)}, "b": {"of": "top"}}, "others take all of 'top'"),
        ({"a": {"of": "top", "x": (0.1, 1)}}, "x = 0.1 lies within an edge"),
        ({"a": {"of": "top", "z": (0, 1)}}, "z is of space, and the mesh in the plane"),
    ],
)
def test_markers_that_cannot_be_are_refused_with_what_was_expected(mesh, markers, said):
    with pytest.raises(km.MeshError, match="markers") as error:
        marked(mesh, markers)
    assert said in str(error.value)


def test_what_is_no_mesh_has_no_markers():
    with pytest.raises(km.MeshError, match="expected a kinemesh Mesh"):
        marked("a.su2", SPLIT)
