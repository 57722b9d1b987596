"""UGRID grids in space: each form, names of boundaries, and files that are damaged."""

import gzip
import lzma

import kinemesh as km
import meshio
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.kinds import KINDS
from kinemesh.space.markers import conditions_on
from solids import MADE, cube

FORMS = ["b8", "b4", "b8l", "lb8", "lb4", "lb8l", "r8", "r4", "lr8", "lr4"]
VOLUMES = ("tetrahedra", "pyramids", "prisms", "hexahedra")
# corners of a pyramid from those of VTK: the base 0 1 4 3 of the file about its apex 2
PYRAMID = [1, 0, 4, 2, 3]


def tables(mesh):
    """Counts, faces, their numbers, and cells as the file has them; names by number."""
    names = dict(enumerate(mesh.boundaries, 1))
    faces, tags = {3: [], 4: []}, {3: [], 4: []}
    for tag, name in names.items():
        for face in mesh.boundaries[name]:
            own = face[face >= 0]
            faces[len(own)].append(own + 1)
            tags[len(own)].append(tag)
    cells = [mesh.blocks.get(kind, np.empty((0, KINDS[kind].corners), int)) for kind in VOLUMES]
    cells[1] = cells[1][:, PYRAMID]
    counts = [mesh.nodes, len(faces[3]), len(faces[4]), *map(len, cells)]
    whole = [*faces[3], *faces[4], tags[3], tags[4], *(c.ravel() + 1 for c in cells)]
    return counts, np.concatenate([np.ravel(own) for own in whole]).astype(int), names


def written(folder, mesh, form=None, mapbc=True, name="m", more=b""):
    """A grid, by the description of its form."""
    counts, whole, names = tables(mesh)
    if form is None:
        path = folder / f"{name}.ugrid"
        text = [*map(str, counts), *map(repr, map(float, mesh.points.ravel())), *map(str, whole)]
        raw = "\n".join(text).encode()
    else:
        path, order = folder / f"{name}.{form}.ugrid", "<" if form[0] == "l" else ">"
        i, f = order + ("i8" if form[-1] == "l" else "i4"), order + ("f4" if "4" in form else "f8")
        records = [np.array(counts, i).tobytes()]
        records += [mesh.points.astype(f).tobytes() + whole.astype(i).tobytes()]
        if "r" in form:
            marks = [np.array([len(own)], order + "i4").tobytes() for own in records]
            records = [m + own + m for m, own in zip(marks, records, strict=True)]
        raw = b"".join(records)
    path.write_bytes(raw + more)
    if mapbc:
        lines = [f"{tag} 3000 {own}" for tag, own in names.items()]
        (folder / f"{name}.mapbc").write_text("\n".join([str(len(names)), *lines]))
    return path


@pytest.mark.parametrize("form", [None, *FORMS])
@pytest.mark.parametrize("kind", MADE)
def test_each_form_has_the_mesh(tmp_path, kind, form):
    mesh = cube(2, kind)

    again = km.mesh.read(written(tmp_path, mesh, form))

    digits = 1e-6 if form and "4" in form else 0
    np.testing.assert_allclose(again.points, mesh.points, rtol=digits, atol=digits)
    for name, cells in mesh.blocks.items():
        np.testing.assert_array_equal(again.blocks[name], cells)
    assert list(again.boundaries) == list(mesh.boundaries)
    for name, own in mesh.boundaries.items():
        assert {tuple(sorted(f)) for f in again.boundaries[name].tolist()} == {
            tuple(sorted(f)) for f in own.tolist()
        }
    assert again.origin.notes == ("names of boundaries of m.mapbc",)


@pytest.mark.parametrize("form", ["lb8", "r8", "b8l"])
@pytest.mark.parametrize("kind", MADE)
def test_meshio_reads_the_same_cells(tmp_path, kind, form):
    path = written(tmp_path, cube(2, kind), form)
    names = {own.meshio: own.name for own in KINDS.values()}

    given, found = meshio.read(path), km.mesh.read(path)

    np.testing.assert_array_equal(found.points, given.points)
    for block in given.cells:
        if names[block.type] in VOLUMES:
            np.testing.assert_array_equal(found.blocks[names[block.type]], block.data)


@pytest.mark.parametrize("packed", [gzip, lzma])
def test_packed_grids_and_their_names(tmp_path, packed):
    path = written(tmp_path, cube(2, "tetrahedra"), "lb8")
    small = path.with_name(path.name + {gzip: ".gz", lzma: ".xz"}[packed])
    small.write_bytes(packed.compress(path.read_bytes()))

    again = km.mesh.read(small, scale=2.0)

    assert again.volumes.sum() == pytest.approx(8.0, rel=1e-12)
    assert "names of boundaries of m.mapbc" in again.origin.notes


def test_boundaries_of_one_name_are_one_marker_and_without_names_have_numbers(tmp_path):
    mesh = cube(2, "hexahedra")
    path = written(tmp_path, mesh)
    names = tmp_path / "m.mapbc"
    rows = names.read_text().split("\n")
    names.write_text("\n".join([rows[0], *(row.rsplit(" ", 1)[0] + " all" for row in rows[1:])]))

    one = km.mesh.read(path)
    names.unlink()
    none = km.mesh.read(path)

    assert list(one.boundaries) == ["all"]
    assert list(none.boundaries) == [str(k + 1) for k in range(len(mesh.boundaries))]
    assert none.origin.notes == ("no m.mapbc beside it: boundaries are called by their numbers",)


def test_refusals_of_markers_by_number_say_which_file_of_names_is_lacking(tmp_path):
    path = written(tmp_path, cube(2, "hexahedra"), "lb8")
    named = km.mesh.read(path)
    (tmp_path / "m.mapbc").unlink()
    end = "; boundaries have numbers as there is no m.mapbc beside the grid"

    for none in (km.mesh.read(path), km.mesh.read(path, scale=2.0).transformed(2 * named.points)):
        with pytest.raises(MeshError, match=f"no closed surface encloses all others, .*{end}$"):
            conditions_on([none])
        for given in ({"walls": ["wing"]}, {"far": ["wing"]}, {"boundaries": {"wing": "wall"}}):
            with pytest.raises(MeshError, match=rf"expected markers of the mesh: .*{end}$"):
                conditions_on([none], **given)
    with pytest.raises(MeshError, match=r"expected markers of the mesh: .*not \['wing'\]$"):
        conditions_on([named], walls=["wing"])
    called = km.mesh.marked(none, {f"m{k}": {"of": name} for k, name in enumerate(none.boundaries)})
    with pytest.raises(MeshError, match=r"expected markers of the mesh: .*not \['wing'\]$"):
        conditions_on([called], walls=["wing"])


def test_names_may_stand_beside_a_grid_by_its_whole_stem(tmp_path):
    mesh = cube(2, "hexahedra")
    path = written(tmp_path, mesh, "lb8")
    (tmp_path / "m.mapbc").rename(tmp_path / "m.lb8.mapbc")

    assert list(km.mesh.read(path).boundaries) == list(mesh.boundaries)


def test_what_stands_behind_the_cells_is_left_out_with_a_warning(tmp_path):
    path = written(tmp_path, cube(2, "prisms"), "b8", more=b"\0" * 12)
    with pytest.warns(UserWarning, match="12 bytes behind the cells are left out"):
        mesh = km.mesh.read(path)
    assert mesh.origin.notes[0] == "12 bytes behind the cells are left out"

    path = written(tmp_path, cube(2, "prisms"), more=b"\n3 4 5")
    with pytest.warns(UserWarning, match="3 numbers behind the cells are left out"):
        km.mesh.read(path)


def test_cells_inside_out_are_mirrored_with_a_warning(tmp_path):
    mesh = cube(2, "tetrahedra")
    path = written(tmp_path, mesh, "lb8")
    raw = bytearray(path.read_bytes())
    last = np.frombuffer(raw[-16:], "<i4")
    raw[-16:] = last[[1, 0, 2, 3]].tobytes()
    path.write_bytes(raw)

    with pytest.warns(UserWarning, match=r"1 of .*expected corners in the order of UGRID"):
        again = km.mesh.read(path)

    assert again.volumes.min() > 0


def test_files_cut_short_are_refused_with_what_their_counts_say(tmp_path):
    """The last byte counts, and so does the last number of a text."""
    for form in ("lb8", "r8"):
        path = written(tmp_path, cube(2, "mixed"), form)
        raw = path.read_bytes()
        path.write_bytes(raw[:-1])
        with pytest.raises(MeshError, match=rf"has {len(raw) - 1} bytes, expected {len(raw)} by"):
            km.mesh.read(path)
        path.write_bytes(raw[:27])
        with pytest.raises(MeshError, match="has 27 bytes, expected its 7 counts"):
            km.mesh.read(path)
    path = written(tmp_path, cube(2, "mixed"))
    words = path.read_text().split()
    path.write_text(" ".join(words[:-1]))
    with pytest.raises(MeshError, match=rf"has {len(words) - 1} numbers, expected {len(words)}"):
        km.mesh.read(path)


def changed(path, at, value, kind="<i4"):
    """A file with one number in another's place, `at` its first byte."""
    raw = bytearray(path.read_bytes())
    new = np.array([value], kind).tobytes()
    raw[at : at + len(new)] = new
    path.write_bytes(raw)


def test_numbers_that_cannot_be_are_refused(tmp_path):
    mesh = cube(2, "tetrahedra")
    first = 28 + 24 * mesh.nodes  # byte of the first corner of a triangle
    for at, value, kind, message in [
        (0, -1, "<i4", r"begins with the counts \[-1, .*in its name, as in m.lb8.ugrid"),
        (first, 0, "<i4", f"triangle 1 has node 0, expected 1 to {mesh.nodes}"),
        (first, mesh.nodes + 1, "<i4", f"triangle 1 has node {mesh.nodes + 1}, expected 1 to"),
        (28 + 24, np.nan, "<f8", r"node 2 is at \[nan, .*expected finite"),
    ]:
        path = written(tmp_path, mesh, "lb8")
        changed(path, at, value, kind)
        with pytest.raises(MeshError, match=message):
            km.mesh.read(path)


def test_a_form_that_the_name_does_not_say_is_refused(tmp_path):
    mesh = cube(2, "tetrahedra")
    binary = written(tmp_path, mesh, "lb8")
    with pytest.raises(MeshError, match=r"is binary.*expected one such as n.lb8.ugrid \(b8, "):
        km.mesh.read(binary.rename(tmp_path / "n.ugrid"))
    with pytest.raises(MeshError, match=r"expected \d+ by .*another form than its name says"):
        km.mesh.read(written(tmp_path, mesh, "lb8").rename(tmp_path / "n.b8.ugrid"))
    with pytest.raises(MeshError, match=r"Fortran record of .* bytes, expected 28.*b in the place"):
        km.mesh.read(written(tmp_path, mesh, "lb8").rename(tmp_path / "n.lr8.ugrid"))


def test_text_and_fractions_are_refused(tmp_path):
    mesh = cube(2, "tetrahedra")
    path = written(tmp_path, mesh)
    words = path.read_text().split("\n")
    path.write_text("\n".join([*words[:-1], "wing"]))
    with pytest.raises(MeshError, match=f"line {len(words)} has 'wing', expected numbers alone"):
        km.mesh.read(path)
    path.write_text("\n".join([*words[:-1], "1.5"]))
    with pytest.raises(MeshError, match=r"has 1.5 where whole numbers were expected"):
        km.mesh.read(path)
    path.write_text("8 12 0")
    with pytest.raises(MeshError, match="has 3 numbers, expected its 7 counts"):
        km.mesh.read(path)
    path.write_text("3 1 0 0 0 0 0 0 0 0 1 0 0 0 1 0 1 2 3 1")
    with pytest.raises(MeshError, match="no cells of a volume, expected a mesh in space"):
        km.mesh.read(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda rows: [str(len(rows)), *rows[1:], "99 3000 more"],
            "boundary 99, which m.ugrid has",
        ),
        (lambda rows: [str(len(rows) - 2), *rows[2:]], "has boundary 1, which m.mapbc has not"),
        (lambda rows: ["7", *rows[1:]], "expected 7 by its count"),
        (lambda rows: [str(len(rows)), *rows[1:], rows[1]], "boundary 1 stands there twice"),
        (lambda rows: [rows[0], "1", *rows[2:]], r"line 2: '1', expected the number of a boundary"),
        (lambda rows: rows[1:], "expected a first line with the number of boundaries"),
        (lambda rows: [], "expected a first line with the number of boundaries"),
    ],
)
def test_names_of_other_boundaries_are_refused(tmp_path, change, message):
    path = written(tmp_path, cube(2, "tetrahedra"))
    names = tmp_path / "m.mapbc"
    names.write_text("\n".join(change(names.read_text().split("\n"))))

    with pytest.raises(MeshError, match=message):
        km.mesh.read(path)
