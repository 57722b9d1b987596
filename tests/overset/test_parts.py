"""Meshes of parts put together as one."""

from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import ArgumentError, MeshError, OversetError
from kinemesh.flow.door import sizes
from kinemesh.mesh import Mesh
from kinemesh.mesh.extents import Walls
from kinemesh.overset import Part
from kinemesh.overset.parts import Parts
from solids import cube


def box(size=10.0, cells=12, one=None):
    """A square about the origin; with `one` marker, or one for each side."""
    line = np.linspace(-size, size, cells + 1)
    points = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    at = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    ends = {"left": at[0], "right": at[-1], "bottom": at[:, 0], "top": at[:, -1]}
    sides = {name: np.stack([own[:-1], own[1:]], axis=1) for name, own in ends.items()}
    if one is not None:
        sides = {one: np.concatenate(list(sides.values()))}
    return Mesh.from_arrays(points, quads, sides)


def ring():
    made = km.mesh.cylinder(600, far_field=3.0, around=36, wall_spacing=0.03)
    sides = {"cylinder": made.boundaries["cylinder"], "overset": made.boundaries["farfield"]}
    return Mesh(made.points, made.triangles, made.quads, sides)


def test_parts_stand_side_by_side_as_placed():
    own = ring()
    made = Parts.of({"body": Part(own, at=(1.0, 0.5), angle_deg=90.0), "back": box()})
    assert made.names == ("body", "back")
    assert km.Part is km.overset.Part is Part
    assert made.first.tolist() == [0, own.nodes, own.nodes + 169]
    assert np.array_equal(np.bincount(made.part), [own.nodes, 169])
    assert made.outer.tolist() == [True, False] == made.walled.tolist()
    # nose-up: the point ahead of the origin, at -x, goes up
    ahead = own.renumbered().points.argmin(axis=0)[0]
    assert made.points[ahead] == pytest.approx([1.0, 0.5 + 3.0], abs=1e-12)
    # no cell joins two parts
    cells = np.where(made.cells < 0, made.cells[:, :1], made.cells)
    assert (made.part[cells] == made.part[cells[:, :1]]).all()


def test_markers_are_those_of_parts():
    made = Parts.of({"body": ring(), "back": box()})
    assert made.of_role("body") == ["body"]
    assert made.of_role("rim") == ["body.overset"]
    assert made.of_role("outer") == ["back.left", "back.right", "back.bottom", "back.top"]
    said = Parts.of({"body": ring(), "back": box()}, walls=["top"])
    assert said.of_role("body") == ["body", "back"]
    assert "back.top" not in said.of_role("outer")
    slip = Parts.of({"body": ring(), "back": box()}, boundaries={"back.top": "symmetry"})
    assert slip.of_role("plane") == ["back.top"]


@pytest.mark.parametrize("name", ["symmetry", "Slip_1", "inviscid_wall", "inlet"])
def test_a_wall_of_a_part_named_like_another_kind_is_refused_until_it_is_said(name):
    own = ring()
    sides = {name: own.boundaries["cylinder"], "overset": own.boundaries["overset"]}
    parts = {"body": Mesh(own.points, own.triangles, own.quads, sides), "back": box()}
    with pytest.raises(MeshError, match=rf"part 'body': markers \['{name}'\] would be walls"):
        Parts.of(parts)
    assert Parts.of(parts, walls=[name]).of_role("body") == ["body"]
    assert Parts.of(parts, boundaries={name: "symmetry"}).of_role("plane") == [f"body.{name}"]


@pytest.mark.parametrize("name", ["symmetry", "periodic"])
def test_an_outer_boundary_named_like_a_plane_is_refused_until_it_is_said(name):
    back = box()
    sides = {name if k == "bottom" else k: v for k, v in back.boundaries.items()}
    back = Mesh(back.points, back.triangles, back.quads, sides)
    with pytest.raises(MeshError, match=rf"part 'back': markers \['{name}'\] would be"):
        Parts.of({"body": ring(), "back": back})


def test_a_part_without_walls_that_moves_is_a_body_without_nodes():
    made = Parts.of({"disc": box(1.0, 8, "overset"), "back": box()}, moving=["disc"])
    assert made.of_role("body") == ["disc"]
    assert made.boundaries["disc"].shape == (0, 2)
    assert not made.walled.any()


def test_nodes_are_told_in_the_numbers_of_their_part():
    body, back = ring(), box()
    made = Parts.of({"body": body, "back": back})
    local = int(made.first[1]) + 7
    own = np.flatnonzero((back.points == made.points[local]).all(axis=1))[0]
    assert made.node(local) == f"node {own} of 'back'"


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({}, "none are given"),
        ({"body": ring()}, "each has an overset boundary"),
        ({"a": box(), "b": box()}, "expected one such part"),
        ({"a": 3}, "part 'a' is a int"),
        ({"a.b": box()}, "without a dot"),
        ({"a": cube(2), "b": box()}, "part 'b' is a mesh in the plane and 'a' one in space"),
    ],
)
def test_parts_that_make_no_case_are_refused(parts, told):
    with pytest.raises(OversetError, match=told):
        Parts.of(parts)


def swapped(mesh, **names):
    """The mesh with its markers renamed."""
    sides = {names.get(name, name): edges for name, edges in mesh.boundaries.items()}
    return Mesh(mesh.points, mesh.triangles, mesh.quads, sides)


def test_a_misspelt_overset_boundary_is_named_with_what_may_be_meant():
    parts = {"body": swapped(ring(), overset="Oversett"), "back": box()}
    markers = r"their markers are body\.cylinder, body\.Oversett, back\.left, .*"
    meant = r"; did you mean 'overset' by the marker 'body\.Oversett'\?$"
    with pytest.raises(OversetError, match=markers + meant):
        Parts.of(parts)
    with pytest.raises(OversetError, match=r"their markers are a\.[^?]*$"):
        Parts.of({"a": box(), "b": box()})


def test_an_unknown_argument_of_a_part_is_refused_with_the_one_that_may_be_meant():
    with pytest.raises(ArgumentError, match=r"Part: unknown argument 'angle'.*'angle_deg'"):
        Part(ring(), angle=5.0)


@pytest.mark.parametrize("walls", [None, ["ellipse"]])
def test_an_overset_boundary_within_the_walls_of_its_part_is_refused(walls):
    """File with swapped names, refused by its geometry, with any `walls`."""
    wrong = swapped(ring(), cylinder="overset", overset="ellipse")

    for part in (wrong, Part(wrong, at=(1.0, 0.5), angle_deg=30.0)):
        with pytest.raises(
            OversetError,
            match=r"'body': its marker 'overset' \(x -0.5 to 0.5.*lies within 'ellipse' \(x -3 ",
        ):
            Parts.of({"body": part, "back": box()}, walls=walls)
    parts = {"body": wrong, "back": box()}
    with pytest.raises(OversetError, match="lies within 'ellipse'"):
        km.Incompressible(parts, reynolds=100)


def test_an_overset_boundary_may_end_at_a_wall_of_its_part():
    """A part on the ground: its outer boundary is overset but for the side on the ground."""
    part = box(1.0, 8)
    sides = dict(part.boundaries)
    outer = np.concatenate([sides.pop(name) for name in ("left", "right", "top")])
    part = Mesh(part.points, part.triangles, part.quads, {**sides, "overset": outer})

    assert Parts.of({"part": part, "back": box()}).of_role("body") == ["part"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"walls": ["lid"]}, "is in no part, expected one of body.cylinder"),
        ({"walls": ["top"], "far": ["top"]}, "both wall and far"),
        ({"walls": ["overset"]}, "both overset and wall"),
    ],
)
def test_markers_that_are_not_clear_are_refused(given, told):
    with pytest.raises(MeshError, match=told):
        Parts.of({"body": ring(), "back": box()}, **given)


def test_an_unknown_condition_is_refused():
    with pytest.raises(km.SettingsError, match="is 'sponge', expected one of"):
        Parts.of({"body": ring(), "back": box()}, boundaries={"top": "sponge"})


def test_a_part_of_no_mesh_or_place_is_refused():
    with pytest.raises(OversetError, match="expected a kinemesh"):
        Part(3)
    with pytest.raises(km.SettingsError, match="Part: at"):
        Part(box(), at=(0.0,))


def said_of(parts, **sides):
    """Warnings about the walls of parts before a case is built."""
    made = Parts.of(parts, **sides)
    walls = Walls.of(made, made.of_role("body"))
    return sizes.check([made], [walls], SimpleNamespace(chord=1.0))


def test_the_sum_over_all_walls_is_warned_of_where_a_part_mixes_bodies_and_others():
    """A vessel is a body of its own name; a hole and a side of one part have one sum for both."""
    inner = km.mesh.cylinder(640, far_field=1.0, outer="overset")
    assert said_of({"inner": inner, "vessel": km.mesh.disc(1200, radius=2.0)}) == []

    mixed = {"inner": km.Part(inner, at=(2.5, 2.5)), "back": square_with_a_hole()}
    (told,) = said_of(mixed, walls=["cylinder", "hole", "top"])
    assert "loads of back are sums over all walls of the part" in told


def square_with_a_hole():
    """A box of 10 by 10 whose middle square is cut out."""
    made = box(5.0, 40)
    x, y = made.points.T
    middle = made.points[made.quads].mean(axis=1)
    quads = made.quads[(np.abs(middle) > 0.75).any(axis=1)]
    kept = np.unique(quads)
    number = np.full(made.nodes, -1)
    number[kept] = np.arange(len(kept))
    edges = np.concatenate([quads[:, [k, (k + 1) % 4]] for k in range(4)])
    _, first, count = np.unique(np.sort(edges), axis=0, return_index=True, return_counts=True)
    rim = edges[first[count == 1]]
    inside = (np.hypot(x, y)[rim] < 2).all(axis=1)
    sides = {name: number[own] for name, own in made.boundaries.items()}
    return Mesh.from_arrays(made.points[kept], number[quads], sides | {"hole": number[rim[inside]]})


def test_words_in_boundaries_leave_other_markers_of_a_part_to_their_names():
    parts = {"body": ring(), "back": box()}
    with pytest.raises(MeshError, match=r"and not \[.*'top'.*\], whose names have no word"):
        Parts.of(parts, boundaries={"left": "far", "right": "far", "bottom": "wall"})

    made = Parts.of(parts, boundaries=dict.fromkeys(("left", "right", "top", "bottom"), "far"))
    assert made.of_role("body") == ["body"]


def test_a_body_within_a_part_whose_sides_are_named_is_a_body():
    """The body has a name without a word of walls, and nothing else is left out."""
    mesh = km.mesh.cylinder(400, far_field=3.0, around=40)
    sides = {"rod": mesh.boundaries["cylinder"], "rim": mesh.boundaries["farfield"]}
    back = Mesh(mesh.points, mesh.triangles, mesh.quads, sides)

    made = Parts.of({"back": back}, boundaries={"rim": "symmetry"})

    assert made.of_role("body") == ["back"]
    assert made.of_role("plane") == ["back.rim"]


def test_parts_that_stand_as_given_are_those_that_are_checked_once_more(monkeypatch):
    parts = {"body": ring(), "back": box()}
    found = Parts.of(parts, moving=["body"])
    monkeypatch.setattr(Part, "as_given", False)

    again = Parts.of(parts, moving=["body"])

    for name in ("points", "triangles", "quads", "original", "first", "part"):
        one, other = getattr(found, name), getattr(again, name)
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype
    assert not found.points.flags.writeable
    assert list(found.boundaries) == list(again.boundaries)
    for name, edges in again.boundaries.items():
        assert np.array_equal(found.boundaries[name], edges)
    assert (found.names, found.origin, found.frames) == (again.names, again.origin, again.frames)


def test_a_part_that_is_placed_is_checked_where_it_stands():
    with pytest.raises(MeshError, match="area"):
        Parts.of({"body": Part(ring(), at=(1e9, 0.0), scale=1e-9), "back": box()})
