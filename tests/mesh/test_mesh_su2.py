"""SU2 files: exact round trips, the files of the SU2 project, and every kind of damage."""

import gzip
import lzma
import re
from pathlib import Path

import kinemesh.mesh as km_mesh
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh import Mesh, airfoil, read, write
from mesh_files import GOOD, store

DATA = Path(km_mesh.__file__).parents[1] / "cases" / "data"


def same(a, b):
    np.testing.assert_array_equal(a.points, b.points)
    np.testing.assert_array_equal(a.triangles, b.triangles)
    np.testing.assert_array_equal(a.quads, b.quads)
    assert list(a.boundaries) == list(b.boundaries)
    for name, edges in a.boundaries.items():
        np.testing.assert_array_equal(edges, b.boundaries[name])


def test_clockwise_cells_are_turned_and_counted_in_one_message(tmp_path):
    good = read(store(tmp_path, GOOD))
    turned = GOOD.replace("5 1 2 5 1", "5 1 5 2 1").replace("9 0 1 4 3 0", "9 3 4 1 0 0")

    with pytest.warns(UserWarning, match="turned") as told:
        mesh = read(store(tmp_path, turned))

    said = "1 of 2 triangles and 1 of 1 quadrilaterals turned counter-clockwise"
    assert [str(warning.message) for warning in told] == [f"{tmp_path / 'm.su2'}: {said}"]
    assert told[0].filename == __file__
    assert mesh.origin.notes == mesh.renumbered().numbered().origin.notes == (said,)
    assert good.origin.notes == ()
    for one, other in ((mesh.triangles, good.triangles), (mesh.quads, good.quads)):
        first = [np.roll(cell, -cell.argmin()).tolist() for cell in one]
        assert first == [np.roll(cell, -cell.argmin()).tolist() for cell in other]
    for name, edges in good.boundaries.items():
        np.testing.assert_array_equal(mesh.boundaries[name], edges)


def test_a_mixed_mesh_with_comments_and_optional_numbers_is_read(tmp_path):
    mesh = read(store(tmp_path, GOOD))

    assert mesh.cells.tolist() == [[1, 2, 5, -1], [1, 5, 4, -1], [0, 1, 4, 3]]
    assert mesh.boundaries["floor"].tolist() == [[0, 1], [1, 2]]
    assert mesh.points[5].tolist() == [2.0, 1.0]
    assert mesh.original.tolist() == list(range(6))


def test_windows_line_ends_and_blank_lines_do_not_matter(tmp_path):
    text = GOOD.replace("\n", "\r\n").replace("NPOIN", "\r\n\r\nNPOIN").replace("= ", "=")

    same(read(store(tmp_path, text)), read(store(tmp_path, GOOD, "unix.su2")))


@pytest.mark.parametrize("suffix", [".su2", ".su2.gz", ".su2.xz"])
def test_a_round_trip_is_exact(tmp_path, suffix):
    plain = read(store(tmp_path, GOOD))
    wild = np.random.default_rng(3).normal(size=(6, 2)) * 1e-3
    for mesh in (plain, plain.transformed(plain.points + wild), airfoil(nodes=600)):
        write(mesh, tmp_path / f"back{suffix}")

        same(read(tmp_path / f"back{suffix}"), mesh)


@pytest.mark.parametrize(
    ("name", "nodes", "triangles", "far"),
    [("mesh_NACA0012_inv", 5233, 10216, 50), ("mesh_NACA64A010_inv", 8606, 16937, 75)],
)
def test_the_su2_projects_meshes_are_read_with_their_markers(name, nodes, triangles, far):
    mesh = read(DATA / f"{name}.su2.xz")

    assert (mesh.nodes, len(mesh.triangles), len(mesh.quads)) == (nodes, triangles, 0)
    assert {k: len(v) for k, v in mesh.boundaries.items()} == {"airfoil": 200, "farfield": far}
    wall = mesh.points[mesh.boundaries["airfoil"].T]
    clockwise = np.sum(wall[0, :, 0] * wall[1, :, 1] - wall[1, :, 0] * wall[0, :, 1])
    assert clockwise < 0  # fluid on the left: the body runs clockwise


def test_a_deformation_box_is_reported_and_skipped(tmp_path):
    box = "FFD_NBOX= 1\nFFD_TAG= BOX\nFFD_CORNER_POINTS= 1\n0.0 0.0\n"

    with pytest.warns(UserWarning, match=r"line 26: the free-form deformation box is not used"):
        mesh = read(store(tmp_path, GOOD + box))

    assert mesh.nodes == 6


DAMAGE = {
    "element count too large": ("NELEM= 3", "NELEM= 4", r"line 7: found 'NPOIN= 6 6' after 3 elem"),
    "element count too small": ("NELEM= 3", "NELEM= 2", r"line 6: '5 1 5 4', expected a keyword"),
    "point count too large": ("NPOIN= 6 6", "NPOIN= 7", r"line 14: found 'NMARK= 2' after 6 point"),
    "huge count": ("NPOIN= 6 6", "NPOIN= 99999999999999", r"after 6 points, expected 9999"),
    "marker count too large": ("ELEMS= 2", "ELEMS= 3", r"line 19: found 'MARKER_TAG= rest'"),
    "truncated": ("3 4 3\n3 3 0\n", "", r"line 22: .* ends after 2 edges of marker 'rest'"),
    "three dimensions": (
        "NDIME= 2",
        "NDIME= 3",
        r"line 4: element 0 has type 9 \(quad\), expected 10",
    ),
    "four dimensions": ("NDIME= 2", "NDIME= 4", r"line 2: NDIME= 4, expected 2 or 3"),
    "no dimension": ("NDIME= 2\n", "", r"without NDIME="),
    "duplicate marker": ("TAG= rest", "TAG= floor", r"line 19: a second marker 'floor'"),
    "missing marker": ("NMARK= 2", "NMARK= 3", r"2 marker\(s\) \(floor, rest\), expected NMARK= 3"),
    "no marker section": (
        GOOD[GOOD.index("NMARK") :],
        "",
        r"line 13: the file ends without NMARK=",
    ),
    "unnamed marker": ("MARKER_TAG= rest", "MARKER_TAG=", r"line 19: MARKER_TAG= without a name"),
    "marker without count": ("MARKER_ELEMS= 4\n", "", r"line 20: '3 2 5', expected a keyword"),
    "tetrahedron": (
        "9 0 1 4 3 0",
        "10 0 1 4 3 0",
        r"line 4: element 0 has type 10 \(tetrahedron\)",
    ),
    "triangle in a marker": (
        "3 5 4\n",
        "5 5 4 1\n",
        r"line 22: edge of marker 'rest', 1 has type 5",
    ),
    "short element": ("5 1 5 4", "5 1 5", r"line 6: element 2 of type 5 has 3 numbers"),
    "real node": ("5 1 5 4", "5 1 5 4.5", r"line 6: element 2: '4.5', expected whole numbers"),
    "word for a number": ("0.0 1.0 3", "0.0 one 3", r"line 11: point 3: 'one', expected numbers"),
    "short point": ("0.0 1.0 3", "0.0", r"line 11: point 3 has 1 numbers"),
    "third coordinate": ("0.0 1.0 3", "0.0 1.0 0.5", r"line 11: point 3 ends in 0.5"),
    "not finite": ("2.0 1e0 5", "2.0 nan 5", r"line 13: point 5 is '2.0 nan 5', expected finite"),
    "clockwise over another": ("5 1 5 4", "5 1 5 2", r"edge 1-2 has two cells on the same side"),
    "node out of range": (
        "5 1 5 4",
        "5 1 5 9",
        r"m.su2: element 2 has nodes 1, 5, 9, expected 0 t",
    ),
    "unknown keyword": ("NMARK= 2", "NMARKS= 2", r"line 14: keyword NMARKS=.*did you mean NMARK"),
    "second section": ("NMARK= 2", "NDIME= 2\nNMARK= 2", r"line 14: a second NDIME="),
    "no number": ("NELEM= 3", "NELEM= three", r"line 3: NELEM= 'three', expected a whole number"),
    "unmarked edge": (
        "ELEMS= 4\n3 2 5\n",
        "ELEMS= 3\n",
        r"m.su2: boundary edge 2-5 .* in no marker",
    ),
    "split mesh": (
        "3 1 2\n",
        "3 1 2\nSEND_TO= 1\n",
        r"line 19: SEND_TO=, expected the mesh in one",
    ),
}


@pytest.mark.filterwarnings("ignore:.*turned counter-clockwise:UserWarning")
@pytest.mark.parametrize(("old", "new", "message"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_is_refused_with_its_line(tmp_path, old, new, message):
    assert old in GOOD
    path = store(tmp_path, GOOD.replace(old, new, 1))

    with pytest.raises(MeshError, match=message) as caught:
        read(path)

    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("m.su2", b"NDIME= 2\n\x00\x01", r"line 2: a zero byte, expected text"),
        ("m.su2", b"NDIME= 2\nNELEM= 1\n\x01\xfe", r"line 3: byte 0x01, expected text"),
        ("m.su2", b"", r"the file ends without NDIME="),
        ("m.su2", b"solid cube\nfacet\n", r"line 1: 'solid cube', expected a keyword"),
        ("m.su2.xz", lzma.compress(GOOD.encode())[:-20], r"is it complete\?"),
        ("m.su2.xz", GOOD.encode(), r"cannot be read"),
        ("m.su2.gz", gzip.compress(GOOD.encode(), mtime=0)[:-20], r"is it complete\?"),
    ],
)
def test_a_file_that_is_no_mesh_at_all_is_refused(tmp_path, name, raw, message):
    with pytest.raises(MeshError, match=message):
        read(store(tmp_path, raw, name))


def test_names_that_mean_no_mesh_are_refused(tmp_path):
    mesh = read(store(tmp_path, GOOD))

    with pytest.raises(MeshError, match="there is no such file"):
        read(tmp_path / "absent.su2")
    with pytest.raises(MeshError, match=r"expected a name that ends in \.su2"):
        read(tmp_path / "m.mesh")
    with pytest.raises(MeshError, match=r"expected a name that ends in \.su2"):
        write(mesh, tmp_path / "m.msh")
    with pytest.raises(MeshError, match="no point data"):
        write(mesh, tmp_path / "m.su2", {"p": np.zeros(6)})


def test_a_mesh_keeps_its_numbers_through_renumbering_and_a_file(tmp_path):
    mesh = read(store(tmp_path, GOOD)).renumbered()

    write(mesh, tmp_path / "n.su2")
    back = read(tmp_path / "n.su2")

    same(back, mesh)
    assert isinstance(back, Mesh)
    assert back.original.tolist() == list(range(6))  # the new file's own numbers


# ---------------------------------------------------------------- what SU2 and others write beside

POINTS_OF_GOOD = GOOD[GOOD.index("0.0 0.0 0\n") : GOOD.index("NMARK")]
NOT_PERIODIC = (
    "NPERIODIC= 1\nPERIODIC_INDEX= 0\nPERIODIC_CENTER= 0.0\t0.0\t0.0\n"
    "PERIODIC_ROTATION= 0.0\t0.0\t0.0\nPERIODIC_TRANSLATION= 0.0\t0.0\t0.0\n"
)


ZEROS = "0.0\t0.0\t0.0\n"
VECTORS = "NPERIODIC= 1\nPERIODIC_INDEX= 0\n"  # as SU2 wrote them until its version 6
TWICE = GOOD.replace(POINTS_OF_GOOD, POINTS_OF_GOOD.replace("\n", " {}\n").format(*range(6)))


def with_z(z, number=True):
    """The good mesh with a z in each point line, its number behind it or not."""
    lines = [line.split() for line in POINTS_OF_GOOD.splitlines()]
    texts = [" ".join([x, y, z, *([n] if number else [])]) for x, y, n in lines]
    return GOOD.replace(POINTS_OF_GOOD, "\n".join(texts) + "\n")


BESIDE = {
    "angles of 0": "AOA_OFFSET= 0\nAOS_OFFSET= 0.0\n" + GOOD,
    "one zone": "NZONE= 1\nIZONE= 1\n" + GOOD,
    "no periodic boundary": GOOD + "NPERIODIC= 0\n",
    "none, in full": GOOD + NOT_PERIODIC,
    "none, in lines without keywords": GOOD + VECTORS + 3 * ZEROS,
    "none, about a centre": GOOD + VECTORS + "1.0 2.0 0.0\n" + 2 * ZEROS,
    "none, in two numbers": GOOD + VECTORS + 3 * "0 0\n",
    "none, twice": GOOD + 2 * (VECTORS.replace("NPERIODIC= 1\n", "") + 3 * ZEROS),
    "none, ahead of the markers": GOOD.replace("NMARK", VECTORS + 3 * ZEROS + "NMARK"),
    "the point's number twice": TWICE,
    "the point's number twice behind a z": re.sub(
        r"(?<=\n)(\d\.\S+ \S+) (\d \d)(?=\n)", r"\1 0.5 \2", TWICE
    ),
    "z of 0": with_z("0.0"),
    "z of 0.1": with_z("0.1"),
    "z without a number": with_z("0.1", number=False),
    "Fortran's exponents": GOOD.replace("2.0 1e0 5", "2.0D+00 1.0d0 5"),
    "tabs": GOOD.replace(" ", "\t"),
    "DOS": GOOD.replace("\n", "\r\n") + "\x1a",
    "Macintosh": GOOD.replace("\n", "\r"),
    "Latin 1": GOOD.replace("a square", "carré").encode("latin-1"),
}


@pytest.mark.parametrize("text", BESIDE.values(), ids=BESIDE.keys())
def test_what_changes_nothing_is_read(tmp_path, text):
    mesh = read(store(tmp_path, text))

    same(mesh, read(store(tmp_path, GOOD, "plain.su2")))
    assert mesh.origin.notes == ()


CHANGES = {
    "an incidence": (
        "AOA_OFFSET= 2\n" + GOOD,
        r"line 1: AOA_OFFSET= 2, expected 0: SU2 adds these degrees .*\(add 2 to alpha_deg\)",
    ),
    "a sideslip": ("AOS_OFFSET= 1.5\n" + GOOD, r"line 1: AOS_OFFSET= 1.5, expected 0: .*sideslip"),
    "an angle in words": ("AOA_OFFSET= two\n" + GOOD, r"line 1: AOA_OFFSET= 'two', expected num"),
    "three zones": (
        "NZONE= 3\nIZONE= 1\n" + GOOD,
        r"line 1: NZONE= 3, expected one zone, and .* 3",
    ),
    "two zones, not counted": (
        f"IZONE= 1\n{GOOD}IZONE= 2\n{GOOD}",
        r"line 1: IZONE= 1, expected one zone, and the file has 2; make a file of each zone",
    ),
    "a periodic boundary": (
        GOOD + NOT_PERIODIC.replace("TRANSLATION= 0.0", "TRANSLATION= 1.0"),
        r"line 29: PERIODIC_TRANSLATION= 1.0.*no periodic boundaries",
    ),
    "a way in lines without keywords": (
        GOOD + VECTORS + 2 * ZEROS + "0.0 1.5 0.0\n",
        r"line 29: PERIODIC_INDEX= 0 has a translation of 0 1.5 0, .*no periodic boundaries",
    ),
    "an angle in lines without keywords": (
        GOOD + VECTORS + ZEROS + "0.0 0.0 90\n" + ZEROS,
        r"line 28: PERIODIC_INDEX= 0 has a rotation of 0 0 90, .*no periodic boundaries",
    ),
    "two lines of a periodic boundary": (
        GOOD + VECTORS + 2 * ZEROS,
        r"line 27: PERIODIC_INDEX= 0 with 2 line\(s\) of numbers, expected none or 3",
    ),
    "four lines of a periodic boundary": (
        GOOD + VECTORS + 4 * ZEROS,
        r"line 27: PERIODIC_INDEX= 0 with 4 line\(s\) of numbers, expected none or 3",
    ),
    "one number of a periodic boundary": (
        GOOD + VECTORS + 2 * ZEROS + "0.0\n",
        r"line 29: translation of 1 numbers, expected 2 or 3",
    ),
    "words of a periodic boundary": (
        GOOD + VECTORS + 2 * ZEROS + "no way\n",
        r"line 29: vector of PERIODIC_INDEX, 2: 'no', expected numbers",
    ),
    "two numbers, one of them no index": (
        TWICE.replace("1.0 1.0 4 4", "1.0 1.0 4 3"),
        r"line 9: point 1 has z = 1, and point 0 z = 0, .*\(or the point's number twice",
    ),
    "two numbers, one of them not whole": (
        TWICE.replace("1.0 1.0 4 4", "1.0 1.0 4.5 4"),
        r"line 9: point 1 has z = 1, and point 0 z = 0",
    ),
    "six numbers": (
        TWICE.replace("\n0.0 0.0 0 0", "\n0.0 0.0 0 0 0 0"),
        r"line 8: point 0 has 6 numbers, expected x y",
    ),
    "what pieces exchange": (
        GOOD.replace("TAG= rest", "TAG= SEND_RECEIVE"),
        r"line 19: MARKER_TAG= SEND_RECEIVE, nodes that the pieces of a partitioned or periodic",
    ),
    "a z that varies": (
        with_z("0.5").replace("0.5 4\n", "0.75 4\n"),
        r"line 12: point 4 has z = 0.75, and point 0 z = 0.5, expected one z",
    ),
    "such a z without a number": (
        with_z("0.5", number=False).replace("2.0 0.0 0.5", "2.0 0.0 0.75"),
        r"line 8: point 0 ends in 0.5, .*or a z that is the same everywhere",
    ),
    "a misspelt one": ("NPERIODC= 0\n" + GOOD, r"line 1: keyword NPERIODC=.*mean NPERIODIC\?"),
}


@pytest.mark.parametrize(("text", "message"), CHANGES.values(), ids=CHANGES.keys())
def test_what_changes_the_flow_or_the_mesh_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(MeshError, match=rf"m\.su2, {message}"):
        read(store(tmp_path, text))
