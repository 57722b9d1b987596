"""[mesh.markers] of case files: markers with other names, divided by coordinates."""

import tomllib

import numpy as np
import pytest
from kinemesh.cases import build
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError, MeshError

CHANNEL = """
name = "channel"
mode = "steady"
[mesh]
box = [-1.0, 2.0, 0.0, 1.0]
core = [-1.0, 2.0, 0.0, 1.0]
spacing = 0.25
{markers}
[mesh.boundaries]
floor = "wall"
left = "far"
right = "far"
ahead = "symmetry"
top = "symmetry"
[flow]
mach = 0.3
chord = 1.0
moment_about = [0.0, 0.0]
[run]
device = "cpu"
"""
SPLIT = """
[mesh.markers]
floor = { of = "bottom", x = [0.0, 1.0] }
ahead = { of = "bottom" }
"""


def channel(markers=SPLIT, **more):
    return Case.from_dict(tomllib.loads(CHANNEL.format(markers=markers)) | more)


def shape(mesh):
    """Number of edges and ends along x of each marker."""
    return {
        name: (len(edges), *(f(mesh.points[edges][..., 0]) for f in (np.min, np.max)))
        for name, edges in mesh.boundaries.items()
    }


def test_markers_of_a_case_divide_its_mesh():
    mesh = build.mesh(channel().mesh)

    assert shape(mesh)["floor"] == (4, 0.0, 1.0)
    assert set(mesh.boundaries) == {"left", "right", "top", "floor", "ahead"}
    told = channel().tables()["mesh"]["markers"]
    assert told["floor"] == {"of": "bottom", "x": [0.0, 1.0]}
    assert Case.from_dict(channel().tables()) == channel()
    assert not channel().build().notes


def test_an_open_end_is_that_of_the_mesh():
    made = channel(SPLIT.replace("1.0]", "inf]"))

    assert shape(build.mesh(made.mesh))["floor"] == (8, 0.0, 2.0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('of = "bottom", x', 'off = "bottom", x', r"\[mesh\] markers\.floor: unknown key 'off'"),
        ("[0.0, 1.0]", "[1.0, 0.0]", r"\[mesh\] markers\.floor: x = \[1\.0, 0\.0\], expected two"),
        ('ahead = { of = "bottom" }', "ahead = 3", r"\[mesh\] markers\.ahead = 3, expected a tab"),
        (SPLIT, "markers = 3", r"\[mesh\] markers = 3, expected tables by name"),
    ],
)
def test_markers_without_meaning_are_refused_where_the_case_is_read(old, new, said):
    with pytest.raises(CaseError, match=said):
        channel(SPLIT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[0.0, 1.0]", "[0.1, 1.0]", r"markers\.floor: x = 0\.1 lies within an edge"),
        ('"bottom", x', '"botom", x', r"markers\.floor: of = 'botom', .* did you mean 'bottom'"),
        ("[0.0, 1.0]", "[7.0, 8.0]", r"markers\.floor: nothing of 'bottom' lies at x"),
    ],
)
def test_markers_that_the_mesh_cannot_have_are_refused_with_the_section(old, new, said):
    with pytest.raises(MeshError, match=r"^\[mesh\]: " + said):
        channel(SPLIT.replace(old, new)).build()


def test_what_has_no_mesh_has_no_markers_to_divide():
    text = 'name = "w"\nmode = "steady"\n[mesh]\nwing = "oneram6"\n[flow]\nmach = 0.8\n'
    wing = tomllib.loads(text)
    wing["mesh"]["markers"] = {"a": {"of": "wing"}}
    with pytest.raises(CaseError, match="markers has no meaning"):
        Case.from_dict(wing)

    bodies = tomllib.loads(text.replace('wing = "oneram6"', 'bodies = "30p30n"'))
    bodies["mesh"]["markers"] = {"a": {"of": "main"}}
    with pytest.raises(CaseError, match="has bodies, so markers has no meaning"):
        Case.from_dict(bodies | {"method": "meshless"})
