"""Half models whose plane of symmetry nobody has named, and walls that end on a plane by right."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.solid_faces import open_faces
from solids import lattice

pytestmark = pytest.mark.no_sanitizer  # geometry in Python

ACROSS, BLOCK, DEEP = 6, (2, 4), 2


def boxed(across="y", whole=False):
    """A block of the box 0 to 6 that stands on the plane where a coordinate is 0.

    Parameters
    ----------
    across : that coordinate
    whole : whether the block goes through to the other side

    Returns
    -------
    points, blocks, faces, on : of faces the places: the plane, the block, the other sides
    """
    points, blocks = lattice((ACROSS, ACROSS // 2, ACROSS), "hexahedra")
    cells = blocks["hexahedra"]
    middle = points[cells].mean(axis=1)
    block = ((middle[:, [0, 2]] > BLOCK[0]) & (middle[:, [0, 2]] < BLOCK[1])).all(axis=1)
    block &= (middle[:, 1] < DEEP) | whole
    used, blocks = np.unique(cells[~block], return_inverse=True)
    points = points[used] + 10.0  # so that the plane is nowhere special
    blocks = {"hexahedra": blocks.reshape(-1, 8)}
    faces = open_faces(blocks, len(points))
    corners = points[faces] - 10.0
    plane = (corners[..., 1] == 0).all(axis=1)
    near = ((corners[..., [0, 2]] >= 2) & (corners[..., [0, 2]] <= 4)).all(axis=(1, 2)) & ~plane
    near &= ~(corners[..., 1] == ACROSS // 2).all(axis=1)
    turned = {"y": [0, 1, 2], "z": [2, 0, 1], "x": [1, 2, 0]}[across]
    on = {"plane": plane, "block": near, "sides": ~plane & ~near}
    return points[:, turned], blocks, faces, on


def model(space="mesh", across="y", whole=False, **sides):
    """A mesh or cloud with the block as `sides` say: places of the faces by marker."""
    points, blocks, faces, on = boxed(across, whole)
    own = {name: faces[np.any([on[n] for n in of], axis=0)] for name, of in sides.items()}
    mesh = km.Mesh.from_blocks(points, blocks, own)
    return mesh if space == "mesh" else km.Cloud.from_mesh(mesh)


def said_of(made, solver=km.Ale, **arguments):
    """Warnings about a case before its run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        case = solver(made, mach=0.3, device="cpu", moment_about=(12, 12), **arguments)
    assert [str(w.message) for w in caught if "lies in the plane" in str(w.message)] == [
        str(note) for note in case.notes if "lies in the plane" in note
    ]
    return [str(note) for note in case.notes]


MERGED = {"wing": ["block", "plane"], "farfield": ["sides"]}
APART = {"wing": ["block"], "mid": ["plane"], "farfield": ["sides"]}
OUTSIDE = {"wing": ["block"], "farfield": ["plane", "sides"]}
SOLVERS = [(km.Ale, "mesh"), (km.CellCentred, "mesh"), (km.Meshless, "cloud")]


@pytest.mark.parametrize(("solver", "space"), SOLVERS)
def test_a_body_with_its_plane_of_symmetry_in_one_marker_is_refused_until_it_is_said(solver, space):
    made = model(space, **MERGED)

    told = r"part of 'wing' lies in the plane y = 10, .* the rest of it ends on it.*walls=\['wing'"
    with pytest.raises(MeshError, match=told):
        solver(made, mach=0.3, device="cpu")
    said = said_of(made, solver, walls=["wing"])
    assert sum("loads are sums over all walls, and part of 'wing'" in text for text in said) == 1


@pytest.mark.parametrize(("solver", "space"), SOLVERS)
@pytest.mark.parametrize("sides", [APART, OUTSIDE])
def test_a_body_that_ends_on_the_far_field_is_refused_until_it_is_said(solver, space, sides):
    made, marker = model(space, **sides), "mid" if "mid" in sides else "farfield"

    with pytest.raises(MeshError, match=f"'{marker}' lies in the plane y = 10.* wing ends on it"):
        solver(made, mach=0.3, device="cpu", walls=["wing"])
    said = said_of(made, solver, walls=["wing"], far=[m for m in sides if m != "wing"])
    assert sum(f"'{marker}' lies in the plane" in text for text in said) == 1


def test_a_plane_that_is_a_wall_beside_a_body_is_told_of():
    said = said_of(model(**APART), walls=["wing", "mid"])

    assert sum("loads are sums over all walls, and marker 'mid' lies in the plane y = 10" in text
               and "boundaries={'mid': 'symmetry'}" in text for text in said) == 1  # fmt: skip


def test_a_body_between_two_planes_is_refused_too():
    with pytest.raises(MeshError, match=r"in the plane y = 1[03]"):
        km.Ale(model(whole=True, **MERGED), mach=0.3, device="cpu")


@pytest.mark.parametrize("solver", [km.Ale, km.Meshless])
def test_planes_of_symmetry_that_are_named_are_not_told_of(solver):
    made = model("mesh" if solver is km.Ale else "cloud", **APART)

    assert not any("in the plane" in s for s in said_of(made, solver, walls=["wing"],
                   boundaries={"mid": "symmetry"}))  # fmt: skip


def test_a_body_on_a_floor_is_told_of_and_computed():
    said = said_of(model(across="z", **MERGED))

    assert sum("part of 'wing' lies in the plane z = 10" in text for text in said) == 1


def test_an_outlet_may_cut_a_body():
    made = model(across="x", **OUTSIDE)

    assert not any("in the plane" in text for text in said_of(made))


def test_a_duct_whose_walls_reach_the_rims_of_its_ends_is_not_told_of():
    points, blocks = lattice((4, 3, 3), "hexahedra")
    faces = open_faces(blocks, len(points))
    ends = np.isin(points[faces][..., 0], [0, 4]).all(axis=1)
    ends &= np.ptp(points[faces][..., 0], axis=1) == 0
    made = km.Mesh.from_blocks(points, blocks, {"wall": faces[~ends], "farfield": faces[ends]})

    assert not any("in the plane" in text for text in said_of(made))
