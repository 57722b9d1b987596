"""Gmsh files of meshes in space: all kinds of cells in both formats, groups, what is refused."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from mesh_files import msh22, msh41, solid, store
from solids import MADE, cube

SURFACES = {"far": 1, "wing": 2}


def halves(kind="mixed"):
    """A cube whose boundary is two markers."""
    mesh = cube(3, kind, jitter=0.12)
    faces = mesh.boundaries["rim"]
    low = mesh.points[faces[:, 0], 2] == 0
    sides = {"wing": faces[low], "far": faces[~low]}
    return km.Mesh.from_blocks(mesh.points, mesh.blocks, sides)


def same_faces(a, b):
    return sorted(map(sorted, a.tolist())) == sorted(map(sorted, b.tolist()))


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("version", [msh22, msh41])
def test_cells_of_all_kinds_are_read_with_surfaces_as_markers(tmp_path, kind, binary, version):
    mesh = halves(kind)
    raw = version(binary, **solid(mesh, SURFACES), names=True)
    raw = raw.replace(b'1 1 "floor"\n1 2 "rest"', b'2 1 "far"\n2 2 "wing"')
    raw = raw.replace(b'2 3 "fluid"', b'3 4 "fluid"')

    again = km.mesh.read(store(tmp_path, raw, "m.msh"))

    np.testing.assert_array_equal(again.points, mesh.points)
    for name, cells in mesh.blocks.items():
        np.testing.assert_array_equal(again.blocks[name], cells)
    assert sorted(again.boundaries) == ["far", "wing"]
    for name, faces in mesh.boundaries.items():
        assert same_faces(again.boundaries[name], faces)


@pytest.mark.parametrize("version", [msh22, msh41])
def test_surfaces_without_a_name_are_called_by_their_numbers(tmp_path, version):
    raw = version(False, **solid(halves(), SURFACES), names=True)

    again = km.mesh.read(store(tmp_path, raw, "m.msh"))

    assert sorted(again.boundaries) == ["1", "2"]


@pytest.mark.parametrize("version", [msh22, msh41])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda i: [item for item in i if item[2] != 1], r"boundary face .* is in no marker"),
        (
            lambda i: [item for item in i if item[1] == 3],
            r"no physical group of surfaces, expected",
        ),
        (
            lambda i: [item for item in i if item[1] == 2],
            r"z runs from 0 to 1; .*put the volume into one, Physical Volume",
        ),
        (lambda i: [*i, (4, 3, 4, [1, 2, 3, 999])], r"a tetrahedron names node 999, which the"),
        (lambda i: [*i, i[0]], r"marker '1' lists face .* more than once"),
    ],
)
def test_damaged_groups_are_refused(tmp_path, version, change, message):
    given = solid(halves(), SURFACES)
    given["items"] = change(given["items"])

    with pytest.raises(MeshError, match=message):
        km.mesh.read(store(tmp_path, version(False, **given), "m.msh"))


def test_a_surface_without_a_volume_is_told_of_it(tmp_path):
    given = solid(halves(), SURFACES)
    given["items"] = [item for item in given["items"] if item[1] == 2]
    given["items"].append((1, 1, 1, [1, 2]))

    with pytest.raises(MeshError, match=r"z runs from 0 to 1.*Physical Volume"):
        km.mesh.read(store(tmp_path, msh41(False, **given), "m.msh"))


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("version", [msh22, msh41])
def test_surfaces_alone_in_space_are_told_of_the_volume(tmp_path, version, lines):
    """With physical curves beside them, or without."""
    given = solid(halves(), SURFACES)
    given["items"] = [item for item in given["items"] if item[1] == 2]
    given["items"] += [(1, 1, 1, [1, 2])] if lines else []

    with pytest.raises(
        MeshError, match=r'without cells of a volume.*Physical Volume\("fluid"'
    ) as no:
        km.mesh.read(store(tmp_path, version(False, **given), "m.msh"))

    assert "Physical Curve" not in str(no.value)


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("binary", [False, True])
def test_a_volume_in_two_groups_is_taken_once(tmp_path, kind, binary):
    """Format 2 has its cells once for each group, format 4 names both."""
    mesh = halves(kind)
    given = solid(mesh, SURFACES)
    twice = [*given["items"], *((k, d, 9, n) for k, d, _, n in given["items"] if d == 3)]
    count = sum(map(len, mesh.blocks.values()))

    with pytest.warns(
        UserWarning, match=rf"{count} cell\(s\) of a volume in several .*\('4', '9'\)"
    ):
        two = km.mesh.read(store(tmp_path, msh22(binary, **{**given, "items": twice}), "m.msh"))
    four = km.mesh.read(store(tmp_path, msh41(binary, **given, groups={4: [4, 9]}), "n.msh"))

    for again in (two, four):
        for name, cells in mesh.blocks.items():
            np.testing.assert_array_equal(again.blocks[name], cells)
    assert "taken once" in two.origin.notes[0]
    assert four.origin.notes == ()


def test_a_volume_of_two_groups_and_cells_of_one_group_twice_are_told_apart(tmp_path):
    """A part of the volume in another group, too; and a cell that is there twice in one."""
    given = solid(halves("tetrahedra"), SURFACES)
    inner = [(k, d, 9, n) for k, d, _, n in given["items"] if d == 3][:40]
    both = {**given, "items": [*given["items"], *inner]}
    with pytest.warns(UserWarning, match=r"40 cell\(s\) of a volume in several physical groups"):
        mesh = km.mesh.read(store(tmp_path, msh22(False, **both), "m.msh"))
    assert len(mesh.blocks["tetrahedra"]) == 162

    twice = {**given, "items": [*given["items"], given["items"][-1]]}
    with pytest.raises(MeshError, match=r"cells overlap|lie on one another"):
        km.mesh.read(store(tmp_path, msh22(False, **twice), "m.msh"))


def test_cells_that_are_inside_out_are_mirrored_and_noted(tmp_path):
    given = solid(halves("tetrahedra"), SURFACES)
    items = given["items"]
    kind, dim, tag, nodes = items[-1]
    items[-1] = (kind, dim, tag, [nodes[1], nodes[0], *nodes[2:]])

    with pytest.warns(UserWarning, match=r"m\.msh: 1 of 162 tetrahedra were inside out: mirrored"):
        mesh = km.mesh.read(store(tmp_path, msh41(False, **given), "m.msh"))

    assert mesh.origin.notes == ("1 of 162 tetrahedra were inside out: mirrored",)


@pytest.mark.parametrize("version", [msh22, msh41])
def test_every_cut_of_a_file_in_space_is_refused(tmp_path, version):
    raw = version(False, **solid(cube(1, "hexahedra"), {"rim": 1}))
    for end in range(len(raw) - 2):
        with pytest.raises(MeshError, match=r"m\.msh"):
            km.mesh.read(store(tmp_path, raw[:end], "m.msh"))


@pytest.mark.parametrize("suffix", [".vtk", ".vtu"])
def test_files_for_viewers_hold_all_kinds_of_cells(tmp_path, suffix):
    import meshio

    mesh = cube(3, "mixed", jitter=0.1)
    path = tmp_path / f"m{suffix}"

    km.mesh.write(mesh, path, {"height": mesh.points[:, 2]})

    found = meshio.read(path)
    np.testing.assert_array_equal(found.points, mesh.points)
    assert [block.type for block in found.cells] == ["tetra", "pyramid", "wedge", "hexahedron"]
    for block, cells in zip(found.cells, mesh.blocks.values(), strict=True):
        np.testing.assert_array_equal(block.data, cells)
    np.testing.assert_array_equal(found.point_data["height"], mesh.points[:, 2])


def test_vtk_finds_the_volumes_of_all_kinds_of_cells(tmp_path):
    """Sizes alone: the filter's sign of prisms is another in VTK 9.5 and 9.7."""
    vtk = pytest.importorskip("vtkmodules.vtkFiltersVerdict")
    io = pytest.importorskip("vtkmodules.vtkIOXML")
    mesh = cube(3, "mixed")
    km.mesh.write(mesh, tmp_path / "m.vtu")
    reader = io.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(tmp_path / "m.vtu"))
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputConnection(reader.GetOutputPort())
    sizes.Update()

    found = sizes.GetOutput().GetCellData().GetArray("Volume")

    volumes = [found.GetTuple1(i) for i in range(found.GetNumberOfTuples())]
    np.testing.assert_allclose(np.abs(volumes), mesh.volumes, rtol=1e-6)  # vtk's own
