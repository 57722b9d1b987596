"""Field files: what VTK's own reader sees is what was written, in the user's numbering."""

from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.io import fields
from kinemesh.io.fields import FieldWriter

# A triangle and a quad side by side; node i of the mesh is node ORIGINAL[i] of the user.
ORIGINAL = np.array([3, 0, 4, 1, 2], np.int32)
MESH = SimpleNamespace(
    points=np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [2, 0.5]]),
    triangles=np.array([[1, 4, 2]], np.int32),
    quads=np.array([[0, 1, 2, 3]], np.int32),
    original=ORIGINAL,
)
WALLS = np.array([[0, 1]], np.int32)


def written(path, steps=3):
    with FieldWriter(path, MESH, walls=WALLS) as writer:
        for step in range(steps):
            writer.append(0.5 * step, MESH.points + 0.1 * step, values(step))
    return path


def values(step):
    at = np.arange(5.0)
    return {"Mach": at + 10 * step, "Velocity": np.stack([at, -at, 0 * at], 1) * (step + 1)}


@pytest.mark.long
def test_vtk_reads_moving_points_and_fields_of_every_step(tmp_path):
    vtk = pytest.importorskip("vtk", reason="the optional package vtk is not installed")
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(written(tmp_path / "flow.vtkhdf")))
    reader.UpdateInformation()

    assert reader.GetNumberOfSteps() == 3
    for step in (2, 0, 1):
        reader.SetStep(step)
        reader.Update()
        grid = reader.GetOutput()
        points = vtk_to_numpy(grid.GetPoints().GetData())
        user = np.empty((5, 2))
        user[ORIGINAL] = MESH.points + 0.1 * step
        np.testing.assert_array_equal(points[:, :2], user)
        mach = vtk_to_numpy(grid.GetPointData().GetArray("Mach"))
        np.testing.assert_array_equal(mach[ORIGINAL], values(step)["Mach"])
        velocity = vtk_to_numpy(grid.GetPointData().GetArray("Velocity"))
        np.testing.assert_array_equal(velocity[ORIGINAL], values(step)["Velocity"])
        node = vtk_to_numpy(grid.GetPointData().GetArray("Node"))
        np.testing.assert_array_equal(node, np.arange(5))
        assert [grid.GetCellType(i) for i in range(2)] == [vtk.VTK_TRIANGLE, vtk.VTK_QUAD]
        corners = [grid.GetCell(1).GetPointId(i) for i in range(4)]
        assert corners == list(ORIGINAL[[0, 1, 2, 3]])


def on_cells(path, steps=3, **more):
    """A file with fields of the triangle and of the quad."""
    with FieldWriter(path, MESH, walls=WALLS, on="cells") as writer:
        for step in range(steps):
            writer.append(0.5 * step, MESH.points + 0.1 * step, cell_values(step) | more)
    return path


def cell_values(step):
    at = np.array([3.0, 4.0]) + 10 * step
    return {"Mach": at, "Velocity": np.stack([at, -at, 0 * at], 1)}


@pytest.mark.long
def test_vtk_reads_fields_of_cells_of_every_step(tmp_path):
    vtk = pytest.importorskip("vtk", reason="the optional package vtk is not installed")
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(on_cells(tmp_path / "flow.vtkhdf")))
    reader.UpdateInformation()

    assert reader.GetNumberOfSteps() == 3
    for step in (2, 0, 1):
        reader.SetStep(step)
        reader.Update()
        grid = reader.GetOutput()
        points = vtk_to_numpy(grid.GetPoints().GetData())
        np.testing.assert_array_equal(points[ORIGINAL, :2], MESH.points + 0.1 * step)
        for name, expected in cell_values(step).items():
            found = vtk_to_numpy(grid.GetCellData().GetArray(name))
            np.testing.assert_array_equal(found, expected)
            assert not grid.GetPointData().HasArray(name)
        assert grid.GetCellType(0) == vtk.VTK_TRIANGLE


def test_fields_of_cells_are_read_and_resumed(tmp_path):
    path = on_cells(tmp_path / "flow.vtkhdf", 4)
    with FieldWriter.resume(path, MESH, time=0.5) as writer:
        writer.append(0.75, MESH.points - 1, cell_values(7))
        with pytest.raises(CaseError, match=r"expected real \(2,\) or \(2, 3\) on cells"):
            writer.append(0.8, MESH.points, cell_values(7) | {"Mach": np.zeros(5)})

    kept, new = fields.read(path, 1), fields.read(path, 2)
    for found, step in ((kept, 1), (new, 7)):
        assert found["on"] == "cells"
        for name, expected in cell_values(step).items():
            np.testing.assert_array_equal(found["fields"][name], expected)
    assert fields.read(written(tmp_path / "other.vtkhdf"))["on"] == "points"


def test_hidden_cells_have_no_row_among_fields_of_cells(tmp_path):
    found = fields.read(on_cells(tmp_path / "flow.vtkhdf", iblank=np.array([0, 1])))

    np.testing.assert_array_equal(found["cells"], [ORIGINAL[[0, 1, 2, 3]]])
    assert found["fields"]["Mach"].tolist() == [24.0]


def test_vtk_sees_the_times(tmp_path):
    vtk = pytest.importorskip("vtk", reason="the optional package vtk is not installed")
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(written(tmp_path / "flow.vtkhdf")))
    reader.UpdateInformation()

    info = reader.GetOutputInformation(0)
    key = vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()

    assert list(info.Get(key)) == [0.0, 0.5, 1.0]


def test_connectivity_is_stored_once(tmp_path):
    with h5py.File(written(tmp_path / "flow.vtkhdf", steps=4)) as file:
        root = file["VTKHDF"]
        assert len(root["Connectivity"]) == 7
        assert len(root["Points"]) == 4 * 5
        assert list(root["Steps/PartOffsets"]) == [0, 0, 0, 0]
        assert list(root["Steps/PointOffsets"]) == [0, 5, 10, 15]


def test_read_gives_back_a_step_in_the_users_order(tmp_path):
    flow = fields.read(written(tmp_path / "flow.vtkhdf"))

    assert flow["time"] == 1.0
    np.testing.assert_array_equal(flow["points"][ORIGINAL], MESH.points + 0.2)
    np.testing.assert_array_equal(flow["fields"]["Mach"][ORIGINAL], values(2)["Mach"])
    expected = [[*ORIGINAL[[1, 4, 2]], -1], [*ORIGINAL[[0, 1, 2, 3]]]]
    np.testing.assert_array_equal(flow["cells"], expected)
    np.testing.assert_array_equal(flow["walls"], ORIGINAL[WALLS])
    assert fields.read(tmp_path / "flow.vtkhdf", 0)["time"] == 0.0


def test_resumed_file_has_the_kept_steps_and_the_new_ones(tmp_path):
    path = written(tmp_path / "flow.vtkhdf", 4)
    with FieldWriter.resume(path, MESH, time=0.5) as writer:
        assert writer.steps == 2
        writer.append(0.75, MESH.points - 1, values(7))

    kept, new = fields.read(path, 1), fields.read(path, 2)

    np.testing.assert_array_equal(kept["fields"]["Mach"][ORIGINAL], values(1)["Mach"])
    assert new["time"] == 0.75
    np.testing.assert_array_equal(new["points"][ORIGINAL], MESH.points - 1)
    np.testing.assert_array_equal(new["fields"]["Velocity"][ORIGINAL], values(7)["Velocity"])
    with h5py.File(path) as file:
        assert list(file["VTKHDF/Steps/PointDataOffsets/Mach"]) == [0, 5, 10]
        assert len(file["VTKHDF/Points"]) == 3 * 5


def test_a_third_component_takes_space_where_it_is_not_zero(tmp_path, monkeypatch):
    """Chunks that two steps share: the second of three steps, dropped, leaves none of its own."""
    monkeypatch.setattr(fields, "CHUNK", 3)
    path, flat = tmp_path / "flow.vtkhdf", values(0)
    with FieldWriter(path, MESH) as writer:
        for step, up in enumerate((0.0, 7.0)):
            writer.append(step, MESH.points, flat | {"Velocity": flat["Velocity"] + [0, 0, up]})
    stored = fields.read(path)["fields"]["Velocity"]
    with FieldWriter.resume(path, MESH, time=0.0) as writer:
        writer.append(2.0, MESH.points, flat)

    with h5py.File(path) as file:
        assert file["VTKHDF/Points"].id.get_storage_size() == 2 * 4 * 3 * 8  # 4 chunks of 3 numbers
        np.testing.assert_array_equal(file["VTKHDF/Points"][:, 2], np.zeros(10))
    np.testing.assert_array_equal(stored[ORIGINAL], flat["Velocity"] + [0, 0, 7.0])
    for step in (0, 1):
        found = fields.read(path, step)["fields"]["Velocity"]
        np.testing.assert_array_equal(found[ORIGINAL], flat["Velocity"])


def test_wrong_steps_are_refused(tmp_path):
    with FieldWriter(tmp_path / "flow.vtkhdf", MESH) as writer:
        writer.append(1.0, MESH.points, values(0))
        with pytest.raises(CaseError, match="not after the last"):
            writer.append(1.0, MESH.points, values(0))
        with pytest.raises(CaseError, match="as before"):
            writer.append(2.0, MESH.points, {"Mach": np.zeros(5)})
        with pytest.raises(CaseError, match="expected real"):
            writer.append(2.0, MESH.points, values(0) | {"Mach": np.zeros(4)})
        with pytest.raises(CaseError, match=r"points \(4, 2\)"):
            writer.append(2.0, MESH.points[:4], values(0))
        assert writer.steps == 1


def test_missing_and_foreign_files_are_refused(tmp_path):
    with pytest.raises(CaseError, match="no such field file"):
        fields.read(tmp_path / "none.vtkhdf")
    (tmp_path / "text.vtkhdf").write_text("hello")
    with pytest.raises(CaseError, match="not a field file"):
        fields.read(tmp_path / "text.vtkhdf")
    with pytest.raises(CaseError, match="it has 3"):
        fields.read(written(tmp_path / "flow.vtkhdf"), 3)
