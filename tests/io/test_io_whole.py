"""A file changed through WholeFile is the old one or the new one, wherever the program ends."""

import os
import pathlib

import h5py
import numpy as np
import pytest
from kinemesh.io import whole
from kinemesh.io.whole import WholeFile


class Killed(BaseException):
    """Stands for the end of the program: nobody may catch it to tidy up."""


def start(path):
    """A file with three rows of a growing, packed data set, committed."""
    disk = WholeFile(path, "w")
    file = h5py.File(disk, "w")
    data = file.create_dataset("x", (0, 900), float, maxshape=(None, 900), chunks=(2, 900),
                               compression="gzip", compression_opts=1)  # fmt: skip
    file.attrs["rows"] = 0
    for k in range(3):
        grow(file, data, k)
    file.flush()
    disk.commit()
    return disk, file, data


def row(k):
    return np.random.default_rng(k).normal(size=900)


def grow(file, data, k):
    data.resize(k + 1, axis=0)
    data[k] = row(k)
    file.attrs["rows"] = k + 1


def rows_of(path, mode):
    """Number of rows, each of which must be what was written."""
    with WholeFile(path, mode) as disk, h5py.File(disk, "r") as file:
        found = file["x"][()]
        assert len(found) == file.attrs["rows"]
        for k, values in enumerate(found):
            np.testing.assert_array_equal(values, row(k))
        return len(found)


def counted(monkeypatch, limit, error, partial=False):
    """Let `limit` calls that change the disk pass; the next ones raise."""
    calls = {"n": 0}

    def wrap(call, writes=False):
        def wrapped(*a, **k):
            calls["n"] += 1
            if calls["n"] > limit:
                if writes and partial and calls["n"] == limit + 1:
                    call(a[0], a[1][: len(a[1]) // 2], *a[2:])
                raise error
            return call(*a, **k)

        return wrapped

    monkeypatch.setattr(whole.os, "pwrite", wrap(os.pwrite, writes=True))
    monkeypatch.setattr(whole.os, "ftruncate", wrap(os.ftruncate))
    for name in ("replace", "unlink"):
        monkeypatch.setattr(pathlib.Path, name, wrap(getattr(pathlib.Path, name)))
    real = pathlib.Path.write_bytes
    monkeypatch.setattr(pathlib.Path, "write_bytes", wrap(real, writes=True))
    return calls


@pytest.mark.parametrize("partial", [False, True])
def test_a_program_that_ends_at_any_write_leaves_a_whole_file(tmp_path, monkeypatch, partial):
    seen = set()
    for limit in range(1000):
        path = tmp_path / f"{limit}.h5"
        disk, file, data = start(path)
        grow(file, data, 3)
        file.flush()
        with monkeypatch.context() as patch:
            calls = counted(patch, limit, Killed(), partial)
            try:
                disk.commit()
                done = True
            except Killed:
                done = False
        assert rows_of(path, "r") == rows_of(path, "r+")  # to look at it repairs nothing
        seen.add(rows_of(path, "r"))
        assert not whole.journal_of(path).exists()
        if done:
            break
    assert seen == {3, 4}
    assert calls["n"] > 4


def test_a_full_disk_raises_and_leaves_a_whole_file_and_hdf5_alive(tmp_path, monkeypatch):
    seen = []
    for limit in range(1000):
        path = tmp_path / f"{limit}.h5"
        disk, file, data = start(path)
        grow(file, data, 3)
        file.flush()
        with monkeypatch.context() as patch:
            counted(patch, limit, OSError(28, "No space left on device"))
            try:
                disk.commit()
                done = True
            except OSError:
                done = False
        file.close()
        disk.close()
        seen.append(rows_of(path, "r"))
        if done:
            break
    assert seen == sorted(seen)
    assert set(seen) == {3, 4}


def test_a_journal_cut_short_by_a_power_cut_is_left_out(tmp_path):
    disk, file, _ = start(tmp_path / "x.h5")
    file.close()
    disk.close()
    journal = whole.journal_of(tmp_path / "x.h5")
    journal.write_bytes(b'{"size": 10, "at": [0], "lengths": [4096], "crc32": 5}\nshort')

    assert rows_of(tmp_path / "x.h5", "r") == 3
    assert rows_of(tmp_path / "x.h5", "r+") == 3
