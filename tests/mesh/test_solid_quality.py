"""Quality of meshes in space, and doors that know them: scales of files, formats not read."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.geometry.solid_quality import REGULAR
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.solid_faces import open_faces
from solids import MADE, cube

HALF, ROOT = np.sqrt(0.5), np.sqrt(3.0)
EQUAL = {  # cells whose edges are 1 and their dihedral angles
    "tetrahedra": (
        [[0, 0, 0], [1, 0, 0], [0.5, ROOT / 2, 0], [0.5, ROOT / 6, np.sqrt(2 / 3)]],
        (70.528779, 70.528779),
    ),
    "pyramids": (
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, HALF]],
        (54.735610, 109.471221),
    ),
    "prisms": (
        [[0, 0, 0], [1, 0, 0], [0.5, ROOT / 2, 0], [0, 0, 1], [1, 0, 1], [0.5, ROOT / 2, 1]],
        (60.0, 90.0),
    ),
    "hexahedra": (
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
        (90.0, 90.0),
    ),
}


def alone(name, points):
    cells = {name: np.arange(len(points))[None]}
    return km.Mesh.from_blocks(points, cells, {"rim": open_faces(cells, len(points))})


@pytest.mark.parametrize("name", SOLIDS)
def test_the_cell_of_equal_edges_is_perfect(name):
    points, (least, most) = EQUAL[name]
    found = km.mesh.quality(alone(name, points))

    assert found.min_dihedral_deg == pytest.approx(least, abs=1e-6)
    assert found.max_dihedral_deg == pytest.approx(most, abs=1e-6)
    assert found.aspect_ratio[100] == pytest.approx(1.0)
    assert found.min_share == pytest.approx(0.75 if name == "pyramids" else 1.0, abs=0.2)
    assert REGULAR[name] > 0


def test_a_cell_that_bends_inwards_has_an_angle_above_180_degrees():
    points = np.array(EQUAL["hexahedra"][0], float)
    points[6] = [0.65, 0.65, 0.65]  # 2/3 is on the plane of its three neighbours
    found = km.mesh.quality(alone("hexahedra", points))

    assert 180.0 < found.max_dihedral_deg < 200.0


def test_a_thin_cell_has_the_aspect_ratio_of_its_edges():
    found = km.mesh.quality(alone("hexahedra", np.array(EQUAL["hexahedra"][0]) * [1, 1, 1e-3]))

    assert found.aspect_ratio[100] == pytest.approx(1e3)


def test_the_worst_cell_of_a_mixture_is_found():
    mesh = cube(3, "mixed", jitter=0.1)
    found = km.mesh.quality(mesh)

    volume = mesh.volumes
    assert found.min_volume == pytest.approx(volume.min())
    assert found.min_volume_at == np.argmin(volume)
    assert found.max_volume_at == np.argmax(volume)
    assert found.nodes == mesh.nodes
    assert found.cells == len(volume)
    assert f"cell {found.min_share_at} near" in str(found)
    assert found.told()[1] == f"volumes {volume.min():.3g} to {volume.max():.3g}"
    block, rows = found.min_dihedral_at, [c for b in mesh.blocks.values() for c in b]
    np.testing.assert_allclose(
        found.min_dihedral_near, mesh.points[rows[block]].mean(axis=0), rtol=1e-12
    )


@pytest.mark.parametrize("kind", MADE)
def test_quality_does_not_change_with_the_size_of_a_mesh(kind):
    mesh = cube(2, kind, jitter=0.1)
    one, other = (km.mesh.quality(m) for m in (mesh, mesh.transformed(1e3 * mesh.points)))

    assert other.min_volume == pytest.approx(1e9 * one.min_volume)
    assert other.min_share == pytest.approx(one.min_share)
    assert other.min_dihedral_deg == pytest.approx(one.min_dihedral_deg)
    assert other.aspect_ratio == pytest.approx(one.aspect_ratio)


def test_a_scale_multiplies_and_a_chord_is_refused(tmp_path):
    path = tmp_path / "m.su2"
    km.mesh.write(cube(2), path)

    assert km.mesh.read(path, scale=2.0).volumes.sum() == pytest.approx(8.0)
    with pytest.raises(MeshError, match=r"chord is 0.5, and the mesh is in space.*scale"):
        km.mesh.read(path, chord=0.5)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wing.cgns", "CGNS files are not read.*SU2_DEF"),
        ("wing.cgns.gz", "CGNS files are not read"),
    ],
)
def test_formats_that_are_not_read_are_refused_with_what_to_do(name, message):
    with pytest.raises(MeshError, match=message):
        km.mesh.read(name)
