"""Rigid motion of meshes with one body, with none, and why several are refused."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError
from solids import cube

pytestmark = pytest.mark.flow


@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_a_box_in_space_without_walls_stands_still_beside_one_that_moves(solver):
    """A mesh in space moves rigidly or not at all; the stream stays what it is."""
    mesh = cube(3, "hexahedra", middle=-0.5)
    faces = mesh.boundaries["rim"]
    low = mesh.points[faces][:, :, 2].mean(axis=1) < -0.4
    box = km.Mesh.from_blocks(mesh.points, mesh.blocks, {"farfield": faces})
    sides = {"wall": faces[low], "farfield": faces[~low]}
    floor = km.Mesh.from_blocks(mesh.points, mesh.blocks, sides)
    steps = {"time_step": 0.1, "steps": 3, "start": "as is"}

    alone = solver(box, mach=0.3, device="cpu", reference_area=1.0)
    both = solver([box, floor], mach=0.3, device="cpu", reference_area=1.0)
    run = alone.run(**steps)
    both.run(**steps)

    assert run.finished
    x = alone.backend.get(alone.grid.vertices.x)
    np.testing.assert_array_equal(np.sort(x, axis=0), np.sort(box.points, axis=0))
    two = {"wall": faces[low], "plate": faces[~low]}
    rims = km.Mesh.from_blocks(mesh.points, mesh.blocks, two)
    with pytest.raises(
        SettingsError, match="use springs on a mesh, give walls that move alike"
    ) as caught:
        solver(rims, mach=0.3, walls=["wall", "plate"],
               device="cpu", reference_area=1.0).run(**steps)  # fmt: skip
    assert "Delaunay" not in str(caught.value)
