"""Bad input of viscous flow: walls that are missing or short, Reynolds numbers out of range."""

import re
import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.door.resolution import _too_few, _too_high
from kinemesh.space.walls import cell_heights
from solids import lattice, meshed
from squares import square

ROUND = km.mesh.cylinder(300, far_field=6.0, around=24)
EMPTY = square(6, size=10.0)
BOX = km.Mesh(
    EMPTY.points, EMPTY.triangles, EMPTY.quads,
    {"plane": EMPTY.boundaries["rim"][:6], "rim": EMPTY.boundaries["rim"][6:]},
)  # fmt: skip
LAWS = {"mach": 0.3, "reynolds": 40.0, "moment_about": (0.0, 0.0), "device": "cpu"}
SYMMETRY = {"boundaries": {"plane": "symmetry"}, "far": ["rim", "farfield"], "walls": ["cylinder"]}


def nothing_made(*given, **told):
    raise AssertionError("the case was put on its device")


@pytest.mark.parametrize(
    ("meshes", "told", "words"),
    [
        (EMPTY, {"turbulence": "sa"}, "there is no wall; expected .* whose distance the model"),
        ([ROUND, EMPTY], {"turbulence": "sa"}, "^member 1: .*there is no wall; expected .* the"),
        (BOX, SYMMETRY, r"all walls slip \(\['plane'\]\); expected a wall that the gas sticks to$"),
        ([ROUND, BOX], SYMMETRY, r"^member 1: .*all walls slip \(\['plane'\]\)"),
        ([BOX, ROUND], SYMMETRY | {"turbulence": "sa"}, r"^member 0: .*slip.* model of turbulence"),
    ],
)
def test_a_member_without_a_wall_to_stick_to_is_refused_by_name(meshes, told, words, monkeypatch):
    told = {"walls": ["cylinder"], "far": ["rim", "farfield"]} | told
    if not isinstance(meshes, list):
        told |= {"walls": [], "far": ["rim"]}
    monkeypatch.setattr("kinemesh.flow.ale.MeshVertices", nothing_made)

    with pytest.raises(km.SettingsError, match=words):
        km.Ale(meshes, **(LAWS | told))


def test_laminar_flow_needs_no_wall_where_none_slips():
    made = km.Ale([ROUND, EMPTY], walls=["cylinder"], far=["rim", "farfield"], **LAWS)

    assert made.grid.members == 2


@pytest.mark.parametrize("solver", ["ale", "incompressible"])
@pytest.mark.parametrize("wrong", [1e300, 1e-300, 2e11])
def test_a_reynolds_number_out_of_range_is_refused_by_member(solver, wrong):
    told = {"moment_about": (0.0, 0.0), "device": "cpu", "reynolds": [1e3, wrong]}
    make, told = {
        "ale": (km.Ale, told | {"mach": 0.3}),
        "incompressible": (km.Incompressible, told),
    }[solver]

    with pytest.raises(
        km.SettingsError, match=rf"^member 1: reynolds is {wrong:g}".replace("+", ".")
    ) as caught:
        make(ROUND, **told)

    assert "expected 1e-06 to 1e+11" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "told", "words"),
    [
        (km.Ale, {"mach": 0.3, "turbulence": "sa"}, r"a y\+ of about [0-9.]+e\+06 by a flat plate"),
        (km.Ale, {"mach": 0.3}, "a boundary layer .* is not resolved"),
        (km.Incompressible, {}, "a boundary layer .* is not resolved"),
    ],
)
def test_a_reynolds_number_that_no_mesh_resolves_is_told(make, told, words):
    with pytest.warns(RuntimeWarning, match=words):
        make(ROUND, reynolds=1e9, moment_about=(0.0, 0.0), device="cpu", **told)


PLATE = {
    "walls": ["wall"], "far": ["inlet", "farfield"],
    "boundaries": {"symmetry": "symmetry", "outlet": km.outlet(pressure=1.0)},
}  # fmt: skip


def test_a_plate_of_many_nodes_with_few_edges_is_told_with_what_is_expected():
    mesh = km.mesh.plate(2000, height=1.0, wall_spacing=1e-3, layers=60, upstream=20.0)
    with pytest.warns(RuntimeWarning, match="6 edges lie along .* at least 12"):
        made = km.Ale(mesh, mach=0.2, reynolds=1e5, device="cpu", **PLATE)
    assert [note.about for note in made.notes] == ["few edges along a wall"]
    km.Ale(mesh, mach=0.2, device="cpu", **PLATE)  # no friction, no warning


@pytest.mark.parametrize(("make", "told"), [(km.Ale, {"mach": 0.3}), (km.Incompressible, {})])
def test_a_closed_wall_with_few_edges_is_told_by_its_member(make, told):
    few = km.mesh.cylinder(240, far_field=8.0, around=20)
    with pytest.warns(RuntimeWarning, match="member 1: 20 edges lie around .* at least 24"):
        make([ROUND, few], reynolds=40.0, moment_about=(0.0, 0.0), device="cpu", **told)


LAMINAR = {"reynolds": 40.0}
SECTION = LAMINAR | {"turbulence": "sa"}  # y+ below 5, as the layers are


@pytest.mark.parametrize(
    ("laws", "around", "told"),
    [(LAMINAR, 24, ""), (LAMINAR, 23, "not resolved"), (SECTION, 60, ""), (SECTION, 23, "not res"),
     (SECTION, 59, "expected at least 60: its drag by pressure is too large, by 11 %"),
     (SECTION, 24, "24 edges .* expected at least 60: its drag by pressure")],
)  # fmt: skip
def test_a_closed_wall_wants_more_edges_of_a_turbulent_flow(laws, around, told):
    mesh = km.mesh.cylinder(12 * around, far_field=8.0, around=around)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = km.Ale(mesh, mach=0.3, moment_about=(0.0, 0.0), device="cpu", **laws)

    found = [str(note) for note in made.notes if note.about == "few edges along a wall"]
    assert len(found) == bool(told)
    assert all(re.search(told, text) for text in found)
    assert ["edges lie" in str(w.message) for w in caught] == [True] * len(found)


def test_an_open_wall_wants_as_many_edges_of_any_flow():
    mesh = km.mesh.plate(6000, height=1.0, wall_spacing=1e-3, layers=60, upstream=20.0)
    for more in ({}, {"turbulence": "sa"}):
        made = km.Ale(mesh, mach=0.2, reynolds=1e4, device="cpu", **more, **PLATE)
        assert not [note for note in made.notes if note.about == "few edges along a wall"]


def test_walls_that_hang_together_are_counted_as_one():
    rim = ROUND.boundaries["cylinder"]
    split = {"one": rim[:6], "two": rim[6:], "farfield": ROUND.boundaries["farfield"]}
    halves = km.Mesh(ROUND.points, ROUND.triangles, ROUND.quads, split)
    made = km.Ale(halves, far=["farfield"], **LAWS)
    assert not made.notes


@pytest.mark.parametrize(("share", "told"), [(1 - 1e-15, False), (1 + 1e-15, True)])
def test_wall_cells_of_a_y_plus_above_five_are_told(share, told):
    height = share * km.mesh.wall_spacing(1e6, 5.0)

    assert ("has no wall functions" in _too_high(1e6, height, "chord")) is told


@pytest.mark.parametrize(("height", "told"), [(0.025, False), (np.nextafter(0.025, 1.0), True)])
def test_wall_cells_above_half_of_a_laminar_layer_are_told(height, told):
    """At Reynolds number 1e4 it is 5 / sqrt(1e4) = 0.05 chords at the end of a plate."""
    assert ("it is not resolved" in _too_few(1e4, height, "chord")) is told


# ---------------------------------------------------------------- in space


def notes_of(mesh, **told):
    """Sentences on the cells of a mesh in space."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = km.Ale(mesh, **(LAWS | {"reference_area": np.pi / 4} | told))
    return [str(note) for note in made.notes if getattr(note, "about", "") != "reference_area"]


@pytest.mark.parametrize("cells", ["hexes", "prisms", "tets"])
@pytest.mark.parametrize(
    ("nodes", "told"), [(1000, "16 edges lie around .* at least 24"), (2500, "")]
)
def test_edges_around_a_body_in_space_are_those_of_the_section_in_its_middle(nodes, told, cells):
    found = notes_of(km.mesh.sphere(nodes, far_field=5.0, wall_spacing=0.12, cells=cells))

    assert len(found) == bool(told)
    assert all(re.search(told, text) for text in found)


@pytest.mark.parametrize(("height", "told"), [(0.35, ""), (0.45, "take a wall_spacing of at most")])
def test_wall_cells_in_space_above_half_of_a_laminar_layer_are_told(height, told):
    """5 / sqrt(40) = 0.79 reference lengths at the end of a plate at Reynolds number 40."""
    solid = km.mesh.extruded(ROUND, span=0.5)
    _, heights = cell_heights(km.Ale(solid, **LAWS | {"reference_area": 0.5}).grid)
    scaled = solid.transformed(solid.points * (height / np.median(heights)))
    for length, words in ((1.0, told), (2.0, "")):
        found = [text for text in notes_of(scaled, reference_length=length) if "thick" in text]
        assert len(found) == bool(words)


def test_a_wall_across_the_span_has_no_section():
    points, blocks = lattice((2, 2, 2), "hexahedra")
    rim = meshed(points, blocks).boundaries["rim"]
    side = (points[rim][..., 1] == 0).all(axis=1)
    mesh = km.Mesh.from_blocks(points, blocks, {"wall": rim[side], "far": rim[~side]})
    assert not notes_of(mesh, walls=["wall"], far=["far"], reynolds=1.0)
