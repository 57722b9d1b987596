"""Gmsh files of both versions, ASCII and binary, and every kind of damage."""

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
SECOND = (9, 2, 3, [2, 3, 6, 1, 4, 5])
ALONE = (15, 0, 3, [70])
CHANGES = {
    "no groups": (
        lambda i: [(k, d, 0, n) for k, d, _, n in i],
        r"no physical group of lines, expected one for each boundary",
    ),
    "no cells": (lambda i: i[:6], r"no triangles and no quads"),
    "three dimensions": (lambda i: [*i, TET], r"elements of type tetra, expected a plane mesh"),
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


def test_elements_without_a_group_beside_some_with_one_are_refused(tmp_path):
    raw = msh41(False).replace(b"0 2.0 1.0 0.0 1 2 0", b"0 2.0 1.0 0.0 0 0")

    with pytest.raises(MeshError, match=r"some in none, expected all in one; save with"):
        read(store(tmp_path, raw))


def test_a_node_of_an_element_that_is_no_cell_is_refused(tmp_path):
    items = [*straight(elements()), ALONE]

    with pytest.raises(MeshError, match=r"node\(s\) 6 belong to no element"):
        read(store(tmp_path, msh22(False, items=items)))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((3, 2), 0.5, r"z runs from 0 to 0.5, expected one value"),
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
    "old version": (
        lambda raw: raw.replace(b"2.2", b"1.0", 1).replace(b"4.1", b"1.0", 1),
        r"gmsh format 1.0, expected 4.1 or 2.2",
    ),
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
