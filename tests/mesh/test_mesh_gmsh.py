"""Gmsh files of both versions, ASCII and binary, and every kind of damage."""

import gzip
import lzma
import re
import struct

import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh import read
from mesh_files import POINTS, elements, msh22, msh41

WRITERS = {"2.2": msh22, "4.1": msh41}


def store(folder, raw):
    path = folder / "m.msh"
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("version", WRITERS)
@pytest.mark.parametrize("binary", [False, True])
def test_both_versions_are_read_with_groups_as_markers(tmp_path, version, binary):
    path = store(tmp_path, WRITERS[version](binary))

    with pytest.warns(UserWarning, match=r"1 of 2 triangles turned counter-clockwise"):
        mesh = read(path)

    assert mesh.points.tolist() == [p[:2] for p in POINTS[:6]]  # node 7 is left out
    assert mesh.triangles.tolist() == [[1, 2, 5], [5, 4, 1]]
    assert mesh.quads.tolist() == [[0, 1, 4, 3]]
    assert mesh.boundaries["floor"].tolist() == [[0, 1], [1, 2]]
    assert sorted(mesh.boundaries["rest"].tolist()) == [[2, 5], [3, 0], [4, 3], [5, 4]]
    assert list(mesh.boundaries) == ["floor", "rest"]
    assert mesh.origin.notes == ("1 of 2 triangles turned counter-clockwise",)


def straight(items):
    return [(k, d, t, [2, 6, 5] if n == [2, 5, 6] else n) for k, d, t, n in items]


@pytest.mark.parametrize("version", WRITERS)
def test_groups_without_names_are_called_by_their_numbers(tmp_path, version):
    raw = WRITERS[version](False, items=straight(elements()))
    start, end = raw.index(b"$PhysicalNames"), raw.index(b"$EndPhysicalNames\n") + 18

    mesh = read(store(tmp_path, raw[:start] + raw[end:]))

    assert list(mesh.boundaries) == ["1", "2"]


TET = (4, 3, 3, [1, 2, 5, 70])
TEN = (11, 3, 3, [1, 2, 5, 70, 3, 4, 6, 1, 2, 3])
SECOND = (9, 2, 3, [2, 3, 6, 1, 4, 5])
ALONE = (15, 0, 3, [70])
CHANGES = {
    "no groups": (
        lambda i: [(k, d, 0, n) for k, d, _, n in i],
        r"no physical group of lines, expected one for each boundary",
    ),
    "no cells": (lambda i: i[:6], r"no triangles and no quads"),
    "three dimensions": (lambda i: [*i, TET], r"tetrahedron 0 with nodes .* has volume 0"),
    "second order in space": (lambda i: [*i, TEN], r"type tetra10, expected first order"),
    "second order": (lambda i: [*i, SECOND], r"type triangle6, expected first order"),
    "missing marker": (lambda i: i[:5] + i[6:], r"boundary edge .* is in no marker"),
    "an edge twice": (lambda i: [*i, i[0]], r"marker 'floor' lists edge 0-1 more than once"),
    "in two markers": (lambda i: [*i, (1, 1, 2, [1, 2])], r"in markers 'floor' and 'rest'"),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES.keys())
def test_what_a_plane_mesh_cannot_have_is_refused(tmp_path, change, message):
    path = store(tmp_path, msh22(False, items=change(straight(elements()))))

    with pytest.raises(MeshError, match=message) as caught:
        read(path)

    assert str(path) in str(caught.value)


@pytest.mark.parametrize("binary", [False, True])
def test_a_boundary_in_no_group_is_refused(tmp_path, binary):
    raw = msh41(binary, items=straight(elements()), groups={1: [1], 2: []})

    with pytest.raises(MeshError, match=r"boundary edge .* is in no marker"):
        read(store(tmp_path, raw))


def test_a_point_of_the_geometry_in_an_element_of_its_own_is_left_out(tmp_path):
    items = [*straight(elements()), ALONE]

    assert read(store(tmp_path, msh22(False, items=items))).nodes == 6


def test_a_line_off_the_mesh_is_refused(tmp_path):
    items = [*straight(elements()), (1, 1, 2, [4, 70])]

    with pytest.raises(MeshError, match=r"node\(s\) 6 belong to no element"):
        read(store(tmp_path, msh22(False, items=items)))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((3, 2), 0.5, r"z runs from 0 to 0.5; .*expected one value of z"),
        ((3, 1), float("nan"), r"node 3 is at .*expected finite coordinates"),
    ],
)
def test_wrong_coordinates_are_refused(tmp_path, place, value, message):
    points = np.array(POINTS, float)
    points[place] = value

    with pytest.raises(MeshError, match=message):
        read(store(tmp_path, msh22(True, points.tolist(), straight(elements()))))


def test_a_constant_height_is_no_third_dimension(tmp_path):
    points = [[x, y, 3] for x, y, _ in POINTS]

    assert read(store(tmp_path, msh22(True, points, straight(elements())))).nodes == 6


def with_names(raw, rows):
    """The file with these lines in place of its names of groups."""
    start, end = raw.index(b"$PhysicalNames\n") + 15, raw.index(b"$EndPhysicalNames")
    return raw[:start] + f"{len(rows)}\n".encode() + "\n".join([*rows, ""]).encode() + raw[end:]


BINARY = pytest.mark.parametrize("binary", [False, True])
VERSIONS = pytest.mark.parametrize("version", WRITERS)


@BINARY
@pytest.mark.parametrize("groups", [{1: [-1]}, {2: [-2]}, {1: [-1], 2: [-2], 3: [-3]}])
def test_a_group_of_reversed_curves_has_its_name(tmp_path, binary, groups):
    """In format 4.1 the number of a group is negative where the group turns the curve round."""
    plain = read(store(tmp_path, msh41(binary, items=straight(elements()))))

    mesh = read(store(tmp_path, msh41(binary, items=straight(elements()), groups=groups)))

    assert list(mesh.boundaries) == ["floor", "rest"]
    for name, edges in plain.boundaries.items():
        np.testing.assert_array_equal(mesh.boundaries[name], edges)


@BINARY
@VERSIONS
def test_a_group_of_lines_has_its_name_beside_a_surface_of_the_same_name(tmp_path, binary, version):
    raw = WRITERS[version](binary, items=straight(elements()))
    rows = ['1 1 "floor"', '1 2 "fluid"', '2 3 "fluid"']

    assert list(read(store(tmp_path, with_names(raw, rows))).boundaries) == ["floor", "fluid"]


@BINARY
@VERSIONS
def test_groups_of_one_name_are_one_marker(tmp_path, binary, version):
    raw = WRITERS[version](binary, items=straight(elements()))
    rows = ['1 1 "all sides"', '1 2 "all sides"', '2 3 "fluid"']

    mesh = read(store(tmp_path, with_names(raw, rows)))

    assert {name: len(edges) for name, edges in mesh.boundaries.items()} == {"all sides": 6}


@BINARY
def test_a_curve_in_two_groups_is_refused_with_both_names(tmp_path, binary):
    raw = msh41(binary, items=straight(elements()), groups={1: [1, 2]})

    with pytest.raises(MeshError, match=r"curve 1 is in the physical groups 'floor' and 'rest', e"):
        read(store(tmp_path, raw))


@BINARY
def test_a_curve_in_two_groups_of_one_name_is_read(tmp_path, binary):
    raw = msh41(binary, items=straight(elements()), groups={1: [1, 2]})
    rows = ['1 1 "wall"', '1 2 "wall"', '2 3 "fluid"']

    assert list(read(store(tmp_path, with_names(raw, rows))).boundaries) == ["wall"]


@BINARY
@VERSIONS
def test_a_group_without_a_name_beside_one_that_has_one_is_told(tmp_path, binary, version):
    raw = with_names(
        WRITERS[version](binary, items=straight(elements())), ['1 1 "floor"', '2 3 "fluid"']
    )

    with pytest.warns(UserWarning, match=r"m\.msh: physical group\(s\) of lines 2 without a name"):
        mesh = read(store(tmp_path, raw))

    assert list(mesh.boundaries) == ["floor", "2"]
    assert len(mesh.origin.notes) == 1


@BINARY
def test_lines_of_no_group_are_left_out(tmp_path, binary):
    """gmsh saves all curves with Mesh.SaveAll, also those within the mesh."""
    inner = (1, 1, 9, [2, 5])
    raw = msh41(binary, items=[*straight(elements()), inner], groups={9: []})

    assert list(read(store(tmp_path, raw)).boundaries) == ["floor", "rest"]


PARTS = {  # the quadrilateral in partition 1, the triangles in partition 2, a line between them
    11: ((1, 1), [-1], [1]),
    12: ((1, 2), [], [1, 2]),  # its parent's group
    13: ((2, 3), [3], [1]),
    14: ((2, 3), [3], [2]),
    15: ((2, 3), [4], [1, 2]),
}


def parted():
    """The elements in the entities of two partitions."""
    cells = [(2, 2, 14, n) for n in ([2, 3, 6], [2, 6, 5])] + [(3, 2, 13, [1, 2, 5, 4])]
    lines = [(1, 1, tag + 10, nodes) for _, dim, tag, nodes in elements() if dim == 1]
    return [*lines, (1, 1, 15, [2, 5]), *cells]


@BINARY
def test_the_partitions_of_a_mesh_are_read_as_the_whole(tmp_path, binary):
    plain = read(store(tmp_path, msh41(binary, items=straight(elements()))))

    mesh = read(store(tmp_path, msh41(binary, items=parted(), parts=PARTS)))

    np.testing.assert_array_equal(mesh.points, plain.points)
    np.testing.assert_array_equal(mesh.cells, plain.cells)
    assert list(mesh.boundaries) == ["floor", "rest"]
    for name, edges in plain.boundaries.items():
        np.testing.assert_array_equal(mesh.boundaries[name], edges)


@BINARY
def test_partitions_that_lie_in_other_files_are_missed(tmp_path, binary):
    raw = msh41(binary, items=parted(), parts=PARTS, partitions=3)

    with pytest.raises(MeshError, match=r"1 of the mesh's 3 partitions are not in the file"):
        read(store(tmp_path, raw))


@BINARY
@VERSIONS
def test_groups_of_lines_alone_are_told_of_the_surface(tmp_path, binary, version):
    raw = WRITERS[version](binary, items=elements()[:6])

    with pytest.raises(
        MeshError, match=r'no triangles and no quads.*Physical Surface\("fluid"\) ='
    ):
        read(store(tmp_path, raw))


@BINARY
@VERSIONS
@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_compressed_file_is_the_same_mesh(tmp_path, binary, version, suffix):
    raw = WRITERS[version](binary, items=straight(elements()))
    path = tmp_path / f"m.msh{suffix}"
    path.write_bytes({".gz": gzip.compress, ".xz": lzma.compress}[suffix](raw))

    np.testing.assert_array_equal(read(path).points, read(store(tmp_path, raw)).points)


@VERSIONS
def test_windows_line_ends_do_not_matter(tmp_path, version):
    raw = WRITERS[version](False, items=straight(elements()))

    assert list(read(store(tmp_path, raw.replace(b"\n", b"\r\n"))).boundaries) == ["floor", "rest"]


def test_a_binary_file_of_2_2_may_have_gaps_in_its_numbers(tmp_path):
    raw = msh22(True, items=straight(elements()))
    node = struct.pack("<i", 6) + struct.pack("<3d", 2, 1, 0)
    assert raw.count(node) == 1
    raw = raw.replace(node, struct.pack("<i", 600) + node[4:])
    head, tail = raw.split(b"$Elements\n")
    tail = tail.replace(struct.pack("<i", 6), struct.pack("<i", 600))  # an element's number, too

    assert read(store(tmp_path, head + b"$Elements\n" + tail)).nodes == 6


@pytest.mark.parametrize("other", ["2", "2.", "2.0", "2.1", "2.20", "2.00"])
@pytest.mark.parametrize("binary", [False, True])
def test_format_2_has_its_number_in_many_ways(tmp_path, binary, other):
    raw = msh22(binary, items=straight(elements()))

    again = read(store(tmp_path, raw.replace(b"2.2 ", other.encode() + b" ", 1)))

    assert again.nodes == 6


ROWS = ['1 1 "floor"', '1 2 "rest"', '2 3 "fluid"']


@pytest.mark.parametrize("binary", [False, True])
def test_a_surface_in_two_groups_is_taken_once_from_format_2(tmp_path, binary):
    """The format has its cells once for each group, and so have curves in groups of one name."""
    plain = straight(elements())
    surface = [(k, d, 9, nodes) for k, d, _, nodes in plain if d == 2]
    raw = with_names(msh22(binary, items=[*plain, *surface]), [*ROWS, '2 9 "air"'])

    with pytest.warns(UserWarning, match=r"3 cell\(s\) of a surface in several .*'fluid', 'air'"):
        mesh = read(store(tmp_path, raw))

    assert len(mesh.triangles) == 2
    assert len(mesh.quads) == 1
    with pytest.raises(MeshError, match=r"belongs to \d cells|two cells on the same"):
        read(store(tmp_path, msh22(binary, items=[*plain, *(i for i in plain if i[1] == 2)])))


@pytest.mark.parametrize("binary", [False, True])
def test_a_curve_in_two_groups_of_one_name_is_read_from_format_2(tmp_path, binary):
    plain = straight(elements())
    again = [(k, d, 8, nodes) for k, d, tag, nodes in plain if tag == 1]
    raw = with_names(msh22(binary, items=[*plain, *again]), [*ROWS, '1 8 "floor"'])

    assert read(store(tmp_path, raw)).boundaries["floor"].tolist() == [[0, 1], [1, 2]]


def test_points_off_the_plane_that_no_cell_has_do_not_matter(tmp_path):
    points = [*map(list, POINTS[:6]), [5, 5, 3]]
    assert read(store(tmp_path, msh22(False, points, straight(elements())))).nodes == 6


def test_a_mesh_of_another_plane_is_told_to_be_turned(tmp_path):
    points = [[x, 0, y] for x, y, _ in POINTS]
    with pytest.raises(MeshError, match=r"all of it has one y: .* turned into that of x and y"):
        read(store(tmp_path, msh22(False, points, straight(elements()))))


def cut_off(raw):
    return raw[: len(raw) * 3 // 4]


DAMAGE = {
    "empty": (lambda raw: b"", r"does not start with \$MeshFormat"),
    "junk": (lambda raw: bytes(range(256)) * 8, r"does not start with \$MeshFormat"),
    "truncated": (cut_off, r"does not end with \$End.*truncated"),
    "middle lost": (
        lambda raw: raw[: raw.index(b"$Elements") - 60] + raw[raw.index(b"$EndNodes") :],
        r"cannot be read as a gmsh mesh",
    ),
    "version 1": (
        lambda raw: b"$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n0\n$ENDELM\n",
        r"gmsh format 1 \(it begins with \$NOD\), expected 4.1 or 2.2; .*-save -format msh41",
    ),
    **{
        f"version {other}": (
            lambda raw, other=other: re.sub(rb"(?<=Format\n)(2\.2|4\.1)", other.encode(), raw),
            rf"gmsh format {other}, expected 4\.1 or 2\.2; save it anew: gmsh FILE -save -format",
        )
        for other in ("1.0", "3", "4", "4.0", "2.3", "4.2", "22")
    },
    "no elements": (lambda raw: raw[: raw.index(b"$Elements")], r"no \$Elements section"),
}


@pytest.mark.parametrize("version", WRITERS)
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(("change", "message"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_msh_file_is_refused(tmp_path, version, binary, change, message):
    with pytest.raises(MeshError, match=message):
        read(store(tmp_path, change(WRITERS[version](binary))))


@pytest.mark.parametrize("section", ["Nodes", "Elements"])
@pytest.mark.parametrize("version", WRITERS)
@pytest.mark.parametrize("binary", [False, True])
def test_a_count_beyond_the_file_is_refused_before_it_is_used(tmp_path, version, binary, section):
    raw = WRITERS[version](binary)
    head, tail = raw.split(f"${section}\n".encode(), 1)
    if binary and version == "4.1":
        tail = tail[:8] + struct.pack("<Q", 10**15) + tail[16:]
    else:
        line, rest = tail.split(b"\n", 1)
        words = line.split()
        words[1 if version == "4.1" else 0] = b"999999999999999"
        tail = b" ".join(words) + b"\n" + rest

    with pytest.raises(MeshError, match=rf"\${section} announces \d+ entries in a file of"):
        read(store(tmp_path, head + f"${section}\n".encode() + tail))


@pytest.mark.parametrize("node", [9, 0])
@pytest.mark.parametrize("version", WRITERS)
def test_a_node_that_does_not_exist_is_refused(tmp_path, version, node):
    items = [*straight(elements())[:-1], (3, 2, 3, [1, 2, 5, node])]

    with pytest.raises(MeshError, match=r"m\.msh: "):
        read(store(tmp_path, WRITERS[version](False, items=items)))
