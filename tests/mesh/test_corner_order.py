"""One order of corners in all files: every kind, read and written, as VTK and meshio see it."""

import kinemesh as km
import meshio
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.io import fields
from kinemesh.mesh.kinds import KINDS
from kinemesh.space.solids import ShownSolids
from mesh_files import msh22, msh41, solid
from solids import MADE, cube
from squares import square

# outward faces as the formats document them, of kinds that they name alike
GMSH = {
    "tetra": ("021", "013", "123", "203"),
    "pyramid": ("0321", "014", "124", "234", "304"),
    "wedge": ("021", "345", "0143", "1254", "2035"),
    "hexahedron": ("0321", "4567", "0154", "1265", "2376", "3047"),
}
VTK = {10: GMSH["tetra"], 14: GMSH["pyramid"], 12: GMSH["hexahedron"],
       13: ("012", "354", "0341", "1452", "2530")}  # fmt: skip
PLANE = ("triangles", "quads")


def made(kind):
    """A unit cube or a unit square."""
    if kind in PLANE:
        return square(3, kind)
    return cube(3, kind)


def content(points, faces):
    """Volume within outward faces, as polygons about their means, by the divergence theorem."""
    total = 0.0
    for face in faces:
        x = points[face]
        for a, b in zip(x, np.roll(x, -1, axis=0), strict=True):
            total += np.linalg.det([x.mean(axis=0), a, b]) / 6
    return total


def by_faces(points, cells, faces):
    """Volumes of cells by the faces of their kind."""
    return [content(points, [cell[list(map(int, face))] for face in faces]) for cell in cells]


def seen_by_vtk(path):
    """The grid of a file as VTK reads it."""
    if path.suffix == ".vtkhdf":
        made = pytest.importorskip("vtkmodules.vtkIOHDF").vtkHDFReader()
    elif path.suffix == ".vtu":
        made = pytest.importorskip("vtkmodules.vtkIOXML").vtkXMLUnstructuredGridReader()
    else:
        made = pytest.importorskip("vtkmodules.vtkIOLegacy").vtkUnstructuredGridReader()
    made.SetFileName(str(path))
    made.Update()
    return made.GetOutput()


def corners_of(cell):
    return np.array([cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())])


def points_of(grid):
    return np.array([grid.GetPoint(k) for k in range(grid.GetNumberOfPoints())])


def sizes_of(grid):
    """Sizes of the cells by the faces that VTK documents, in the plane by the normal."""
    points, found = points_of(grid), []
    for i in range(grid.GetNumberOfCells()):
        number, own = grid.GetCellType(i), corners_of(grid.GetCell(i))
        if number in VTK:
            found += by_faces(points, [own], VTK[number])
        else:
            x = points[own]
            found.append(0.5 * np.cross(x, np.roll(x, -1, axis=0))[:, 2].sum())
    return found


def skin_of(grid):
    """Volume within the surface that VTK takes off a grid."""
    made = pytest.importorskip("vtkmodules.vtkFiltersGeometry").vtkDataSetSurfaceFilter()
    made.SetInputData(grid)
    made.Update()
    skin = made.GetOutput()
    return content(points_of(skin), [corners_of(skin.GetCell(i))
                                     for i in range(skin.GetNumberOfCells())])  # fmt: skip


def stored(mesh, path):
    """Write a mesh as a run does, or as `km.mesh.write`."""
    if path.suffix != ".vtkhdf":
        km.mesh.write(mesh, path)
        return
    shown = ShownSolids.of(mesh) if mesh.dimensions == 3 else mesh
    with fields.FieldWriter(path, shown) as file:
        file.append(0.0, mesh.points, {"p": np.ones(mesh.nodes)})


@pytest.mark.long
@pytest.mark.parametrize("kind", [*PLANE, *MADE])
@pytest.mark.parametrize("suffix", [".vtk", ".vtu", ".vtkhdf"])
def test_cells_in_files_of_vtk_are_positive_by_its_documented_faces(tmp_path, kind, suffix):
    """Its filter of volumes has another sign of prisms in 9.5 and 9.7; its surfaces have not."""
    mesh = made(kind)
    stored(mesh, tmp_path / f"m{suffix}")

    grid = seen_by_vtk(tmp_path / f"m{suffix}")
    sizes = sizes_of(grid)

    np.testing.assert_allclose(sizes, mesh.areas if kind in PLANE else mesh.volumes, rtol=1e-12)
    assert sum(sizes) == pytest.approx(1.0, rel=1e-12)
    if kind not in PLANE and suffix != ".vtkhdf":
        assert skin_of(grid) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("suffix", [".vtk", ".vtu", ".su2"])
def test_meshio_sees_the_cells_in_the_order_of_gmsh(tmp_path, kind, suffix):
    """But for SU2's files, whose corners it hands on as they stand: in VTK's order."""
    mesh = cube(3, kind)
    stored(mesh, tmp_path / f"m{suffix}")

    found = meshio.read(tmp_path / f"m{suffix}")

    numbers = {kind.meshio: kind.vtk for kind in KINDS.values()}
    sizes = [
        size
        for block in found.cells
        if block.type in GMSH
        for size in by_faces(
            found.points,
            block.data,
            VTK[numbers[block.type]] if suffix == ".su2" else GMSH[block.type],
        )
    ]
    assert min(sizes) > 0
    np.testing.assert_allclose(np.sort(sizes), np.sort(mesh.volumes), rtol=1e-12)


def lines_of(path):
    """Cells of an SU2 file: types and corners."""
    rows = [list(map(int, row.split())) for row in path.read_text().splitlines() if "=" not in row
            and "." not in row]  # fmt: skip
    return [(row[0], np.array(row[1:])) for row in rows if row[0] in VTK]


@pytest.mark.parametrize("kind", MADE)
def test_su2_files_are_read_and_written_in_the_order_of_vtk(tmp_path, kind):
    mesh = cube(3, kind, jitter=0.1)
    stored(mesh, tmp_path / "m.su2")
    sizes = [by_faces(mesh.points, [cell], VTK[number])[0]
             for number, cell in lines_of(tmp_path / "m.su2")]  # fmt: skip

    again = km.mesh.read(tmp_path / "m.su2")  # a warning would be an error

    assert min(sizes) > 0
    assert again.origin.notes == ()
    assert list(again.blocks) == list(mesh.blocks)
    for name, cells in mesh.blocks.items():
        np.testing.assert_array_equal(again.blocks[name], cells)


BOX = """NDIME= 3
NELEM= 1
{}
NPOIN= {}
{}
NMARK= 1
MARKER_TAG= rim
MARKER_ELEMS= {}
{}
"""
LEFT = {10: "10 0 2 1 3", 14: "14 0 3 2 1 4", 13: "13 0 1 2 3 4 5", 12: "12 0 3 2 1 4 7 6 5"}
RIGHT = {10: "10 0 1 2 3", 14: "14 0 1 2 3 4", 13: "13 0 2 1 3 5 4", 12: "12 0 1 2 3 4 5 6 7"}
PLACES = {
    10: "0 0 0\n1 0 0\n0 1 0\n0 0 1", 13: "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1",
    14: "0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .5 1",
    12: "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1",
}  # fmt: skip


def one_cell(folder, number, line):
    """An SU2 file of one cell, its faces those of RIGHT."""
    corners = RIGHT[number].split()[1:]
    faces = [[corners[int(k)] for k in face] for face in VTK[number]]
    rows = "\n".join(f"{5 if len(face) == 3 else 9} {' '.join(face)}" for face in faces)
    path = folder / "one.su2"
    count = len(corners)
    path.write_text(BOX.format(line, count, PLACES[number], len(faces), rows))
    return path


@pytest.mark.parametrize("number", VTK)
def test_a_cell_the_other_way_round_is_mirrored_and_told(tmp_path, number):
    right = km.mesh.read(one_cell(tmp_path, number, RIGHT[number]))
    told = r"1 of 1 .* inside out: mirrored; expected corners in the order of VTK"
    with pytest.warns(UserWarning, match=told):
        left = km.mesh.read(one_cell(tmp_path, number, LEFT[number]))

    assert right.origin.notes == ()
    assert right.volumes[0] == left.volumes[0] > 0


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("version", [msh22, msh41])
def test_gmsh_files_are_read_in_their_own_order(tmp_path, kind, version):
    """By the faces that gmsh documents, which are not asked of the package."""
    mesh = cube(2, kind)
    path = tmp_path / "m.msh"
    path.write_bytes(version(False, **solid(mesh, {"rim": 1})))
    given = meshio.read(path)
    sizes = [size for block in given.cells if block.type in GMSH
             for size in by_faces(given.points, block.data, GMSH[block.type])]  # fmt: skip

    again = km.mesh.read(path)

    assert min(sizes) > 0
    assert again.origin.notes == ()
    assert again.volumes.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("suffix", [".vtk", ".vtu"])
@pytest.mark.parametrize("kind", MADE)
def test_what_meshio_makes_of_a_written_file_is_the_mesh_again(tmp_path, kind, suffix):
    mesh = cube(2, kind)
    stored(mesh, tmp_path / f"m{suffix}")
    found = meshio.read(tmp_path / f"m{suffix}")
    names = {kind.meshio: kind.name for kind in KINDS.values()}

    blocks = {names[block.type]: block.data for block in found.cells}
    again = km.Mesh.from_blocks(found.points, blocks, mesh.boundaries)

    for name, cells in mesh.blocks.items():
        np.testing.assert_array_equal(again.blocks[name], cells)


@pytest.mark.parametrize("number", [22, 23, 24, 25, 26, 27, 28, 29])
def test_cells_of_higher_order_are_refused_by_their_number(tmp_path, number):
    text = one_cell(tmp_path, 10, RIGHT[10]).read_text()
    path = tmp_path / "two.su2"
    path.write_text(text.replace("10 0 1 2 3\n", f"{number} 0 1 2 3\n"))

    with pytest.raises(MeshError, match=rf"element 0 has type {number}.*expected 10 or"):
        km.mesh.read(path)


def test_the_skin_of_a_body_looks_out_of_the_fluid():
    """Faces of markers look so, and surface.vtkhdf has them cut into triangles."""
    from kinemesh.mesh.pieces import triangles_of

    mesh = cube(3, "mixed")
    walls = triangles_of(mesh.boundaries["rim"])
    assert content(mesh.points, walls) == pytest.approx(1.0, rel=1e-12)
