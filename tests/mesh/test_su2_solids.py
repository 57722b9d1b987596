"""SU2 files of meshes in space: all kinds of cells, what is refused with its line, round trips."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.files import su2_lines, text_files
from kinemesh.mesh.files.su2_lines import many
from kinemesh.mesh.kinds import KINDS
from solids import MADE, cube

HALF = """NDIME= 3
NELEM= 2
10 0 1 2 3
10 0 2 1 4
NPOIN= 5
0 0 0
1 0 0
0 1 0
0 0 1
0 0 -1
NMARK= 2
MARKER_TAG= up
MARKER_ELEMS= 3
5 0 1 3
5 1 2 3
5 0 2 3
MARKER_TAG= down
MARKER_ELEMS= 3
5 0 1 4
5 1 2 4
5 0 2 4
"""


def store(folder, text):
    path = folder / "m.su2"
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("suffix", [".su2", ".su2.gz"])
def test_a_mesh_in_space_is_read_as_it_was_written(tmp_path, kind, suffix):
    mesh = cube(3, kind, jitter=0.12)
    sides = np.argsort(mesh.points[mesh.boundaries["rim"][:, 0], 0], kind="stable")
    both = {"first": mesh.boundaries["rim"][sides[:7]], "rest": mesh.boundaries["rim"][sides[7:]]}
    mesh = km.Mesh.from_blocks(mesh.points, mesh.blocks, both)
    path = tmp_path / f"m{suffix}"

    km.mesh.write(mesh, path)
    again = km.mesh.read(path)

    np.testing.assert_array_equal(again.points, mesh.points)
    assert list(again.blocks) == list(mesh.blocks)
    for name, cells in mesh.blocks.items():
        np.testing.assert_array_equal(again.blocks[name], cells)
    assert list(again.boundaries) == ["first", "rest"]
    for name, faces in mesh.boundaries.items():
        there = faces[np.argsort(faces[:, 3] >= 0, kind="stable")]  # triangles first
        np.testing.assert_array_equal(again.boundaries[name], there)


def test_cells_of_a_file_in_another_order_are_mirrored_and_noted(tmp_path):
    mesh = cube(2, "prisms")
    path = store(tmp_path, "")
    km.mesh.write(mesh, path)
    text = path.read_text()
    for row in mesh.blocks["prisms"].tolist():
        line = "13 " + " ".join(str(row[k]) for k in KINDS["prisms"].to_vtk)
        assert line in text
        text = text.replace(line, "13 " + " ".join(map(str, row)), 1)  # CGNS' order
    path.write_text(text)

    with pytest.warns(UserWarning, match=r"m\.su2: 16 of 16 prisms were inside out: mirrored"):
        again = km.mesh.read(path)

    np.testing.assert_array_equal(again.blocks["prisms"], mesh.blocks["prisms"])
    assert again.origin.notes == ("16 of 16 prisms were inside out: mirrored",)


def test_points_and_elements_may_end_in_their_numbers(tmp_path):
    mesh = km.mesh.read(store(tmp_path, HALF))
    numbered = HALF.replace("10 0 1 2 3\n", "10 0 1 2 3 0\n")
    for k, point in enumerate(["0 0 0", "1 0 0", "0 1 0", "0 0 1", "0 0 -1"]):
        numbered = numbered.replace(f"\n{point}\n", f"\n{point} {k}\n", 1)

    again = km.mesh.read(store(tmp_path, numbered))

    np.testing.assert_array_equal(again.points, mesh.points)
    np.testing.assert_array_equal(again.blocks["tetrahedra"], mesh.blocks["tetrahedra"])
    assert mesh.volumes.tolist() == [1 / 6, 1 / 6]


def numbered(pattern):
    """The two tetrahedra with more behind the coordinates: numbers by a pattern of the point's."""
    text = HALF
    for k, point in enumerate(["0 0 0", "1 0 0", "0 1 0", "0 0 1", "0 0 -1"]):
        text = text.replace(f"\n{point}\n", f"\n{point} {pattern.format(k, k + 7, k % 2)}\n", 1)
    return text


@pytest.mark.parametrize("pattern", ["{0} {0}", "{0} {1}", "{1} {0}"])
def test_points_in_space_may_end_in_two_numbers_of_theirs(tmp_path, pattern):
    mesh = km.mesh.read(store(tmp_path, numbered(pattern)))

    np.testing.assert_array_equal(mesh.points, km.mesh.read(store(tmp_path, HALF)).points)


@pytest.mark.parametrize("pattern", ["{0} {2}", "{2} {0}", "{0} -{0}", "{0} {0}.5"])
def test_two_numbers_that_number_no_points_are_refused(tmp_path, pattern):
    with pytest.raises(MeshError, match=r"line 6: points end in two numbers each, .*each once"):
        km.mesh.read(store(tmp_path, numbered(pattern)))


PERIODIC = "NPERIODIC= 1\nPERIODIC_INDEX= 0\n"


def test_periodic_boundaries_of_zeros_in_space_are_read_and_others_refused(tmp_path):
    zeros = 3 * "0.000000000000000e+00\t0.000000000000000e+00\t0.000000000000000e+00\n"
    mesh = km.mesh.read(store(tmp_path, HALF + PERIODIC + zeros))
    assert mesh.nodes == 5
    assert mesh.origin.notes == ()
    with pytest.raises(MeshError, match=r"translation of 0 0 1e-05, .*no periodic boundaries"):
        km.mesh.read(store(tmp_path, HALF + PERIODIC + "0 0 0\n0 0 0\n0 0 1e-5\n"))


DAMAGE = {
    "element count too large": ("NELEM= 2", "NELEM= 3", r"line 5: found 'NPOIN= 5' after 2 elem"),
    "element count too small": ("NELEM= 2", "NELEM= 1", r"line 4: '10 0 2 1 4', expected a key"),
    "point count too large": ("NPOIN= 5", "NPOIN= 6", r"line 11: found 'NMARK= 2' after 5 point"),
    "huge count": ("NPOIN= 5", "NPOIN= 99999999999999", r"after 5 points, expected 9999"),
    "marker count too large": ("ELEMS= 3", "ELEMS= 4", r"line 17: found 'MARKER_TAG= down'"),
    "truncated": ("5 1 2 4\n5 0 2 4\n", "", r"ends after 1 face of marker 'down', expected 3"),
    "plane": ("NDIME= 3", "NDIME= 2", r"element 0 has type 10 \(tetrahedron\), expected 5 or 9"),
    "a cell of the plane": ("10 0 2 1 4", "9 0 2 1 4", r"line 4: element 1 has type 9 \(quad\)"),
    "second order": ("10 0 2 1 4", "24 0 2 1 4 1 2 3 4 5 6", r"line 4: element 1 has type 24,"),
    "a line in a marker": ("5 1 2 4", "3 1 2", r"face of marker 'down', 1 has type 3, expected 5"),
    "a short element": ("10 0 2 1 4", "10 0 2 1", r"line 4: element 1 of type 10 has 4 numbers"),
    "a short face": ("5 1 2 4", "5 1 2", r"face of marker 'down', 1 of type 5 has 3 numbers"),
    "a short point": ("0 0 -1", "0 0", r"line 10: point 4 has 2 numbers, expected x y z"),
    "a point's number": ("0 0 -1\n", "0 0 -1 4.5\n", r"point 4 has 4 numbers, expected x y z"),
    "not finite": ("0 0 -1", "0 0 nan", r"line 10: point 4 is '0 0 nan', expected finite"),
    "node out of range": ("10 0 2 1 4", "10 0 2 1 5", r"element 1 has nodes 0, 2, 1, 5, expected"),
    "flat": ("0 0 -1", "1 1 0", r"m\.su2: element 1 with nodes 0, 2, 1, 4 at .* has volume 0"),
    "unmarked face": (
        "MARKER_ELEMS= 3\n5 0 1 4\n",
        "MARKER_ELEMS= 2\n",
        r"m\.su2: boundary face .* in no marker",
    ),
    "inner face": ("5 0 1 4\n", "5 0 1 2\n", r"marker 'down': face 0-1-2 is not a boundary face"),
    "marked twice": ("5 0 1 4\n", "5 0 1 3\n", r"in markers 'up' and 'down'"),
}


@pytest.mark.parametrize(("old", "new", "message"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_in_space_is_refused_with_its_line(tmp_path, old, new, message):
    assert old in HALF
    path = store(tmp_path, HALF.replace(old, new, 1))

    with pytest.raises(MeshError, match=message) as caught:
        km.mesh.read(path)

    assert str(path) in str(caught.value)


def test_every_truncation_of_a_file_in_space_is_refused(tmp_path):
    for end in range(len(HALF) - 2):
        with pytest.raises(MeshError, match=r"m\.su2"):
            km.mesh.read(store(tmp_path, HALF[:end]))


@pytest.mark.parametrize(("mesh", "lines", "text"), [
    (cube(2, "hexahedra"), -5, "the file ends after 20 faces of marker 'rim', expected 24: the"),
    (cube(2, "hexahedra"), 5, "the file ends after 3 elements, expected 8: the"),
    (km.mesh.airfoil("naca0012", nodes=500), -5, r"after \d+ edges of marker 'farfield', exp"),
])  # fmt: skip
def test_a_file_cut_short_says_how_much_of_what_is_there(tmp_path, mesh, lines, text):
    path = tmp_path / "cut.su2"
    km.mesh.write(mesh, path)
    path.write_text("\n".join(path.read_text().split("\n")[:lines]) + "\n")

    with pytest.raises(MeshError, match=f"{text}.*correct the count, or write or copy"):
        km.mesh.read(path)


def test_what_lines_have_is_one_or_many():
    assert many("element") == "elements"
    assert many("face of marker 'wing',") == "faces of marker 'wing'"
    assert many("face of marker 'wing',", 1) == "face of marker 'wing'"


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 64])
def test_a_file_read_in_pieces_is_the_same_mesh(tmp_path, monkeypatch, piece):
    """Words, lines and what is no text lie across the ends of pieces."""
    mesh = cube(2, "mixed", jitter=0.1)
    path = tmp_path / "m.su2"
    km.mesh.write(mesh, path)
    monkeypatch.setattr(su2_lines, "PIECE", piece)
    monkeypatch.setattr(text_files, "PIECE", piece)
    back = km.mesh.read(path)

    assert (back.points == mesh.points).all()
    assert all((back.solids[kind] == cells).all() for kind, cells in mesh.solids.items())
    path.write_bytes(HALF.encode().replace(b"MARKER_TAG= down", b"MARKER_TAG= \x7fdown"))
    with pytest.raises(MeshError, match="line 17: byte 0x7f, expected text"):
        km.mesh.read(path)
