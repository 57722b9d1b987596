"""Input that is no mesh: every door answers with MeshError, what was found and what to do."""

import resource
import struct
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh import Mesh, airfoil, quality, read, read_msh, read_su2, section, write
from mesh_files import GOOD, msh41, store

POINTS, CELLS = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[0, 1, 2]]
SIDES = {"wall": [[0, 1], [1, 2], [2, 0]]}


def triangle(points=POINTS, cells=CELLS, boundaries=SIDES, original=None):
    return Mesh.from_arrays(points, cells, boundaries, original)


TYPES = {
    "read a number": (lambda: read(5), r"the mesh file is 5, expected its name"),
    "read nothing": (lambda: read(None), r"the mesh file is None, expected its name"),
    "read_su2 a number": (lambda: read_su2(5), r"the mesh file is 5"),
    "read_msh a number": (lambda: read_msh(5), r"the mesh file is 5"),
    "write to a number": (lambda: write(triangle(), 5), r"the mesh file is 5"),
    "write no mesh": (lambda: write(5, "m.su2"), r"the mesh is 5, expected a kinemesh Mesh"),
    "a section's number": (lambda: airfoil(2412), r"section is 2412, expected a name such as"),
    "no section": (lambda: section(None), r"section is None, expected a name"),
    "nodes in words": (lambda: airfoil(nodes="many"), r"nodes = 'many', expected a whole number"),
    "half a node": (lambda: airfoil(nodes=5000.5), r"nodes = 5000.5, expected a whole number"),
    "nodes None": (lambda: airfoil(nodes=None), r"nodes = None, expected a number"),
    "far field None": (lambda: airfoil(far_field=None), r"far_field = None, expected a number"),
    "far field nan": (lambda: airfoil(far_field=np.nan), r"far_field = nan, expected 3 to 10000"),
    "spacing in words": (lambda: airfoil(wall_spacing="fine"), r"wall_spacing = 'fine', expected"),
    "growth true": (lambda: airfoil(growth=True), r"growth = True, expected a number"),
    "quality of 5": (lambda: quality(5), "quality: the mesh is 5, expected a Mesh, or po"),
    "quality of text": (lambda: quality("x", CELLS), r"quality: points has dtype <U1"),
    "quality out of range": (
        lambda: quality(np.array(POINTS), [[0, 1, 9]]),
        r"quality: cells names nodes 0 to 9, expected 0 to 2",
    ),
    "ragged points": (lambda: triangle([[0, 0], [1]]), r"points is no array of numbers"),
    "ragged cells": (lambda: triangle(cells=[[0, 1, 2], [1]]), r"cells is no array of numbers"),
    "complex points": (lambda: triangle(np.array(POINTS) * 1j), r"points has dtype complex128"),
    "cells in words": (lambda: triangle(cells="abc"), r"cells has dtype <U3, expected numbers"),
    "no boundaries": (lambda: triangle(boundaries=None), r"boundaries is None, expected edges by"),
    "listed boundaries": (lambda: triangle(boundaries=[[0, 1]]), r"expected edges by marker"),
    "numbered marker": (lambda: triangle(boundaries={5: SIDES["wall"]}), r"marker 5, expected a n"),
    "original in words": (lambda: triangle(original="abc"), r"original has dtype <U3"),
    "moved to words": (lambda: triangle().transformed("a"), r"transformed: points has dtype <U1"),
    "a case of no mesh": (lambda: km.Ale(5, mach=0.5), r"mesh is 5, expected a kinemesh Mesh"),
    "parts of a gas": (lambda: km.Ale({}, mach=0.5), r"parts by name are of km\.Incompressible"),
}


@pytest.mark.parametrize(("call", "message"), TYPES.values(), ids=TYPES.keys())
def test_wrong_types_are_refused_with_a_hint(call, message):
    with pytest.raises(km.errors.KinemeshError, match=message):
        call()


@pytest.mark.parametrize("name", ["m.su2", "m.msh"])
def test_a_folder_is_no_mesh(tmp_path, name):
    (tmp_path / name).mkdir()

    with pytest.raises(MeshError, match="cannot be read"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["m.su2", "m.su2.xz", "m.vtu"])
def test_a_folder_that_does_not_exist_cannot_be_written_to(tmp_path, name):
    with pytest.raises(MeshError, match="cannot be written"):
        write(triangle(), tmp_path / "absent" / name)


def test_fields_without_names_are_refused(tmp_path):
    with pytest.raises(MeshError, match=r"point_data is \[1.0\], expected fields by name"):
        write(triangle(), tmp_path / "m.vtu", [1.0])


def test_a_node_of_no_element_in_a_file_is_refused(tmp_path):
    text = GOOD.replace("NPOIN= 6 6", "NPOIN= 7").replace("2.0 1e0 5\n", "2.0 1e0 5\n9.0 9.0 6\n")

    with pytest.raises(MeshError, match=r"m.su2: node\(s\) 6 belong to no element.*remove them"):
        read(store(tmp_path, text))


def test_random_bytes_are_no_mesh(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("m.su2", "m.su2.gz", "m.su2.xz", "m.msh"):
        for _ in range(20):
            with pytest.raises(MeshError, match=str(tmp_path / name)):
                read(store(tmp_path, rng.bytes(500), name))


def test_every_truncation_of_a_file_is_refused(tmp_path):
    whole = GOOD.rstrip()
    for length in range(0, len(whole) - 1, 7):
        with pytest.raises(MeshError, match=r"m\.su2"):
            read(store(tmp_path, whole[:length]))


@pytest.mark.parametrize("kind", ["su2", "msh"])
def test_a_count_larger_than_the_file_allocates_nothing(tmp_path, kind):
    count = 10**9  # points of 24 GB
    if kind == "su2":
        path = store(tmp_path, GOOD.replace("NPOIN= 6 6", f"NPOIN= {count}"))
    else:
        head, tail = msh41(True).split(b"$Nodes\n")
        path = store(
            tmp_path, head + b"$Nodes\n" + tail[:8] + struct.pack("<Q", count) + tail[16:], "m.msh"
        )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(MeshError, match=f"{count}"):
        read(path)

    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 100_000  # kB


def test_a_name_may_be_a_path_or_text(tmp_path):
    path = store(tmp_path, GOOD)

    assert read(Path(path)).nodes == read(str(path)).nodes == 6
