"""A restart file gives back its bits, or an error; a crash while writing costs nothing."""

import h5py
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.io import restart


def some(seed=0):
    rng = np.random.default_rng(seed)
    return {
        "u": rng.normal(size=(4, 50)),
        "u32": rng.normal(size=7).astype(np.float32),
        "table": rng.integers(0, 9, (2, 3)).astype(np.int32),
        "empty": np.zeros((0, 2)),
        "one": np.float64(np.nan),
    }


def test_arrays_and_record_come_back_bit_for_bit(tmp_path):
    arrays, meta = some(), {"step": 12, "mach": 0.755, "name": "ct5", "list": [1, 2]}

    again, record = restart.read(restart.write(tmp_path / "restart.h5", arrays, meta))

    assert record == meta
    assert set(again) == set(arrays)
    for name, values in arrays.items():
        assert again[name].dtype == values.dtype
        assert again[name].shape == np.shape(values)
        assert again[name].tobytes() == np.asarray(values).tobytes()


def test_the_one_before_is_kept(tmp_path):
    path = tmp_path / "restart.h5"
    for step in (1, 2, 3):
        restart.write(path, some(step), {"step": step})

    assert restart.read(path)[1] == {"step": 3}
    assert restart.read(tmp_path / "restart.h5.1")[1] == {"step": 2}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["restart.h5", "restart.h5.1"]


def test_a_crash_while_writing_leaves_the_old_file(tmp_path):
    path = restart.write(tmp_path / "restart.h5", some(), {"step": 1})

    with pytest.raises(TypeError):
        restart.write(path, {"u": np.array([object()])}, {"step": 2})

    assert restart.read(path)[1] == {"step": 1}


def test_a_flipped_byte_is_found(tmp_path):
    path = restart.write(tmp_path / "restart.h5", some(), {})
    with h5py.File(path, "r+") as file:
        file["arrays/u"][0, 3] = np.nextafter(file["arrays/u"][0, 3], 9)

    with pytest.raises(CaseError, match="array 'u' does not match"):
        restart.read(path)


def test_missing_cut_and_foreign_files_are_refused(tmp_path):
    with pytest.raises(CaseError, match="no such restart file"):
        restart.read(tmp_path / "none.h5")
    path = restart.write(tmp_path / "restart.h5", some(), {})
    restart.write(path, some(), {})
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(CaseError, match="damaged"):
        restart.read(path)
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(CaseError, match="not a restart file"):
        restart.read(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(CaseError, match="format None"):
        restart.read(tmp_path / "other.h5")


def test_a_record_that_json_cannot_hold_is_refused(tmp_path):
    with pytest.raises(CaseError, match="JSON"):
        restart.write(tmp_path / "restart.h5", {}, {"array": np.zeros(3)})
