"""Nodes at one place made one: what becomes of cells and markers, and that it runs."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases import build
from kinemesh.errors import CaseError, MeshError
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.near import first_within
from solids import MADE, cube
from squares import square
from structured import ball, su2, twice, wake, wedges

NUMBERS = {kind.name: kind.su2 for kind in KINDS.values()}
CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
                 [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)  # fmt: skip
FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]


def stored(folder, text, name="m.su2"):
    path = folder / name
    path.write_text(text)
    return path


ALL = [*((square, kind) for kind in ("triangles", "quads", "mixed")), *((cube, k) for k in MADE)]


@pytest.mark.parametrize(("make", "kind"), ALL)
def test_a_mesh_that_is_there_twice_is_told_and_taken_once(make, kind):
    mesh = make(2, kind)
    points, blocks, markers = twice(mesh)

    with pytest.raises(MeshError, match=r"lie on one another: their .*each cell once"):
        km.Mesh.from_blocks(points, blocks, markers)
    again = km.Mesh.from_blocks(points, blocks, markers, merge=1e-9)

    assert again.nodes == mesh.nodes
    assert list(again.boundaries) == ["one"]
    for name, cells in mesh.blocks.items():
        np.testing.assert_array_equal(again.blocks[name], cells)
    assert "there twice are taken once" in again.origin.notes[-1]
    assert "marker 'two'" in again.origin.notes[-1]


@pytest.mark.parametrize(("make", "kind"), [a for a in ALL if a[1] != "mixed"])
def test_two_blocks_side_by_side_become_one(make, kind):
    """The sides between them are in both markers, as programs of several blocks write them."""
    mesh = make(2, kind)
    points, blocks, markers = twice(mesh, 1.0)

    with pytest.warns(UserWarning, match=r"lie on others.*a slit"):
        apart = km.Mesh.from_blocks(points, blocks, markers)
    for together in (
        km.Mesh.from_blocks(points, blocks, markers, merge=1e-9),
        km.mesh.merge(apart, tolerance=1e-9),
    ):
        assert together.nodes == 2 * mesh.nodes - 3 ** (mesh.dimensions - 1)
        size = together.areas if together.dimensions == 2 else together.volumes
        assert size.sum() == pytest.approx(2.0, rel=1e-12)
        assert len(together.origin.notes) == 1  # and no slit is left
        assert "lay inside the domain" in together.origin.notes[0]


@pytest.mark.parametrize("repeated", [False, True], ids=["nodes", "names"])
def test_hexahedra_about_an_axis_become_prisms(repeated):
    points, cells, markers = wedges(repeated)

    mesh = km.Mesh.from_blocks(points, {"hexahedra": cells}, markers, merge=1e-9)

    assert {kind: len(own) for kind, own in mesh.blocks.items()} == {"prisms": 6, "hexahedra": 6}
    assert mesh.nodes == 2 * 13
    assert mesh.volumes.sum() == pytest.approx(1.5 * np.sqrt(3), rel=1e-12)
    assert {name: len(own) for name, own in mesh.boundaries.items()} == {
        "outer": 6, "low": 12, "high": 12}  # fmt: skip
    assert "6 hexahedra with collapsed edges became prisms" in mesh.origin.notes[-1]


def test_all_doors_merge_alike(tmp_path):
    points, cells, markers = wedges()
    path = stored(tmp_path, su2(points, {"hexahedra": cells}, markers, NUMBERS))
    case = tmp_path / "case.toml"
    case.write_text(
        f'name = "axis"\nmode = "steady"\nmethod = "ale"\n[mesh]\nfile = "{path}"\nmerge = 1e-9\n'
        'far = ["outer", "low", "high"]\n[flow]\nmach = 0.3\nreference_area = 1.0\n'
    )

    meshes = [
        km.Mesh.from_blocks(points, {"hexahedra": cells}, markers, merge=1e-9),
        km.mesh.read(path, merge=1e-9),
        km.mesh.merge(path, tolerance=1e-9),
        km.mesh.merge(str(path), 1e-9),
        build.mesh(km.cases.load(case).mesh),
    ]

    for mesh in meshes[1:]:
        assert mesh.origin.notes == meshes[0].origin.notes
        np.testing.assert_array_equal(mesh.points, meshes[0].points)
        np.testing.assert_array_equal(mesh.original, meshes[0].original)
        for kind, own in meshes[0].blocks.items():
            np.testing.assert_array_equal(mesh.blocks[kind], own)


@pytest.mark.parametrize("value", [-1e-9, np.nan, np.inf, "1e-9", True, [1e-9]])
def test_a_tolerance_that_is_none_is_refused(value):
    with pytest.raises(MeshError, match=r"merge: the tolerance is .*, expected a length of 0 or"):
        km.mesh.merge(square(2), tolerance=value)


def test_what_is_no_mesh_and_what_has_no_file_is_refused(tmp_path):
    with pytest.raises(MeshError, match=r"mesh\.merge: the mesh is 3, expected a Mesh or the name"):
        km.mesh.merge(3, tolerance=1e-9)
    with pytest.raises(CaseError, match=r"merge.* = -1.*a number of at least 0"):
        km.cases.parts.MeshPart(file="m.su2", merge=-1)
    with pytest.raises(CaseError, match="merge has no meaning"):
        km.cases.parts.MeshPart(section="naca0012", merge=1e-9)


def test_a_tolerance_of_whole_cells_is_refused_with_the_shortest_edge():
    mesh = cube(4, "hexahedra")
    with pytest.raises(
        MeshError, match=r"hexahedron 0.*no content left.*shortest edge .* is 0\.25"
    ):
        km.mesh.merge(mesh, tolerance=0.26)
    with pytest.raises(MeshError, match="no content left"):
        km.mesh.merge(mesh, tolerance=100.0)
    with pytest.raises(MeshError, match=r"about each node are \d+ places within three of it"):
        km.mesh.merge(cube(9, "hexahedra"), tolerance=0.15)


def by_distances(points, tolerance):
    """Firsts of points that are near, by the distances of all."""
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    first = np.arange(len(points))
    for _ in points:
        first = np.where(apart <= tolerance, first, len(points)).min(axis=1)
    return first


@pytest.mark.parametrize("dimensions", [2, 3])
def test_points_are_near_as_their_distances_say(dimensions):
    """Tolerances go down to what numbers can tell apart, and points lie across zero."""
    rng = np.random.default_rng(dimensions)
    for _ in range(40):
        points = rng.uniform(-0.5, 0.5, (rng.integers(1, 20), dimensions))
        points = np.concatenate([points, [[0.0] * dimensions, [-1e-17] * dimensions]])
        noise = 10.0 ** rng.integers(-17, -1)
        points = np.concatenate([points, points + noise * rng.normal(size=points.shape)])
        tolerance = rng.choice([0.0, *10.0 ** rng.uniform(-18, -1.5, 3)])
        found = first_within(points, tolerance)
        np.testing.assert_array_equal(found, by_distances(points, tolerance))


def test_thousands_of_nodes_at_a_pole_are_one():
    """Their pairs would be millions for each layer."""
    points, cells, markers = ball(rings=4, around=2000, layers=2)

    mesh = km.Mesh.from_blocks(points, {"hexahedra": cells}, markers, merge=1e-12)

    assert mesh.nodes == 3 * (3 * 2000 + 2)


def test_nothing_to_merge_leaves_the_mesh_and_says_so():
    mesh = cube(3, "mixed", jitter=0.1)

    again = km.mesh.merge(mesh, tolerance=1e-9)

    np.testing.assert_array_equal(again.points, mesh.points)
    for kind, own in mesh.blocks.items():
        np.testing.assert_array_equal(again.blocks[kind], own)
    for name, own in mesh.boundaries.items():
        np.testing.assert_array_equal(again.boundaries[name], own)
    assert again.origin.notes == ("merged 0 node(s) with others at most 1e-09 from them",)


def test_nodes_keep_the_numbers_of_the_file_and_the_first_its_place():
    points = np.array(
        [[0, 0], [1, 0], [1, 1], [0, 1], [1 + 1e-7, 0], [2, 0], [2, 1], [1, 1 + 1e-7]]
    )
    cells = [[0, 1, 2, 3], [4, 5, 6, 7]]
    rim = {"rim": [[0, 1], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7]]}

    mesh = km.Mesh.from_arrays(points, cells, rim, merge=1e-6)

    assert mesh.original.tolist() == [0, 1, 2, 3, 5, 6]
    assert mesh.points[[1, 2]].tolist() == [[1, 0], [1, 1]]
    with pytest.raises(MeshError, match="in pairs"):
        km.Mesh.from_arrays(points, cells, rim, merge=1e-8)  # nodes are farther from one another
    with pytest.raises(MeshError, match=r"1-2 and 7-4 .* merge=1e-06"):
        km.Mesh.from_arrays(points, cells, rim)


COLLAPSES = {
    "a side, to an edge": ([(0, 4), (3, 7)], {"prisms": 1}, 1 / 2),
    "a side, the other way": ([(0, 4), (1, 5)], {"prisms": 1}, 1 / 2),
    "a side, to a point": ([(4, 5), (4, 6), (4, 7)], {"pyramids": 1}, 1 / 3),
    "to a tetrahedron": ([(0, 3), (4, 5), (4, 6), (4, 7)], {"tetrahedra": 1}, 1 / 6),
    "an edge alone": ([(4, 5)], {"tetrahedra": 2, "pyramids": 4}, 3 / 4),
}


@pytest.mark.parametrize("turn", [False, True], ids=["upright", "inside out"])
@pytest.mark.parametrize(("pairs", "kinds", "volume"), COLLAPSES.values(), ids=COLLAPSES.keys())
def test_a_hexahedron_becomes_what_is_left_of_it(pairs, kinds, volume, turn):
    cell = np.arange(8)
    for a, b in pairs:
        cell[cell == b] = cell[a]
    faces = cell[np.array(FACES)]
    if turn:
        cell = cell[list(KINDS["hexahedra"].mirror)]
    used = np.unique(cell)
    number = np.zeros(8, int)
    number[used] = np.arange(len(used))
    given = CUBE[used], {"hexahedra": [number[cell]]}, {"rim": number[faces]}

    if turn:
        with pytest.warns(UserWarning, match="inside out"):
            mesh = km.Mesh.from_blocks(*given, merge=0)
    else:
        mesh = km.Mesh.from_blocks(*given, merge=0)

    assert {kind: len(own) for kind, own in mesh.blocks.items()} == kinds
    assert mesh.volumes.sum() == pytest.approx(volume, rel=1e-12)
    assert mesh.volumes.min() > 0


@pytest.mark.parametrize(
    ("kind", "points", "cell", "becomes", "volume"),
    [
        ("prisms", CUBE[[0, 1, 3, 4, 5, 7]], [0, 1, 2, 0, 4, 5], {"pyramids": 1}, 1 / 3),
        ("prisms", CUBE[[0, 1, 3, 4, 5, 7]], [0, 1, 2, 3, 3, 3], {"tetrahedra": 1}, 1 / 6),
        ("pyramids", CUBE[[0, 1, 2, 3, 4]], [0, 1, 2, 2, 4], {"tetrahedra": 1}, 1 / 6),
        ("quads", CUBE[:4, :2], [0, 1, 2, 2], {"triangles": 1}, 1 / 2),
        ("quads", CUBE[:4, :2], [0, 1, 2, 0], {"triangles": 1}, 1 / 2),
    ],
)
def test_other_cells_become_what_is_left_of_them(kind, points, cell, becomes, volume):
    used = np.unique(cell)
    number = np.zeros(len(points), int)
    number[used] = np.arange(len(used))
    own = number[cell]
    sides = [own[list(face)].tolist() for face in KINDS[kind].faces]
    width = KINDS[kind].dimensions if kind == "quads" else 4
    sides = [side + [-1] * (width - len(side)) for side in sides]

    mesh = km.Mesh.from_blocks(points[used], {kind: [own]}, {"rim": sides}, merge=0)

    assert {name: len(table) for name, table in mesh.blocks.items()} == becomes
    size = mesh.areas if kind == "quads" else mesh.volumes
    assert size.sum() == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "cell"),
    [("quads", [0, 1, 0, 3]), ("quads", [0, 1, 1, 0]), ("triangles", [0, 1, 1]),
     ("tetrahedra", [0, 1, 2, 2]), ("hexahedra", [0, 1, 2, 3, 0, 1, 2, 3])],
)  # fmt: skip
def test_a_cell_with_nothing_left_is_refused(kind, cell):
    points = CUBE[:, :2] if KINDS[kind].dimensions == 2 else CUBE
    with pytest.raises(MeshError, match=rf"merge: {KINDS[kind].one} 0.* has no content left"):
        km.Mesh.from_blocks(points, {kind: [cell]}, {"rim": [[0, 1]]}, merge=0)


def test_inner_sides_that_nobody_merged_stay_wrong_in_a_marker():
    mesh = cube(2, "hexahedra")
    sides = {**mesh.boundaries, "inner": [mesh.blocks["hexahedra"][0][[1, 2, 6, 5]]]}
    with pytest.raises(MeshError, match=r"marker 'inner': face .* is not a boundary face"):
        km.Mesh.from_blocks(mesh.points, mesh.blocks, sides, merge=1e-9)


def test_a_merged_wake_is_the_mesh_that_was_made_with_it(tmp_path):
    points, cells, markers, cut = wake()
    once, own, rim, _ = wake(doubled=False)
    right = km.Mesh.from_arrays(once, own, rim)

    for sides in (markers, {**markers, "wake": cut}):
        mesh = km.Mesh.from_arrays(points, cells, sides, merge=1e-9)
        assert sorted(map(tuple, mesh.points)) == sorted(map(tuple, right.points))
        assert {k: len(v) for k, v in mesh.boundaries.items()} == {
            k: len(v) for k, v in right.boundaries.items()}  # fmt: skip
        loads = [km.Ale(each, mach=0.3, alpha_deg=2.0).steady().history["cl"][-1]
                 for each in (mesh, right)]  # fmt: skip
        assert loads[0] == pytest.approx(loads[1], rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*by the wake:RuntimeWarning")  # a coarse sphere
@pytest.mark.flow
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_a_merged_grid_about_a_sphere_runs(solver):
    """The uniform stream is a solution on any mesh, and the sphere's nose is a stagnation point."""
    points, cells, markers = ball(rings=8, around=12, layers=8, radius=(0.5, 8.0))
    mesh = km.Mesh.from_blocks(points, {"hexahedra": cells}, markers, merge=1e-9)

    assert mesh.blocks["prisms"].shape == (2 * 12 * 8, 6)
    assert list(mesh.boundaries) == ["sphere", "farfield"]
    note = mesh.origin.notes[-1]
    assert "of marker 'pole' 192 collapsed and left it" in note
    assert "of marker 'seam' 128 lay inside the domain and left it" in note
    shown = km.mesh.quality(mesh)
    assert shown.min_dihedral_deg == pytest.approx(30.0, abs=0.1)
    common = {"mach": 0.3, "reference_area": np.pi / 4}
    still = solver(mesh, far=["sphere", "farfield"], **common).steady()
    assert still.converged
    assert len(still.history["iteration"]) == 1  # nothing is left to do
    run = solver(mesh, **common).steady()
    assert run.converged
    assert abs(run.history["cl"][-1]) < 1e-3
