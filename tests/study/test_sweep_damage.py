"""Folders of sweeps that are damaged, full, removed or not writable: an error that says so."""

import json
import os
import resource
import shutil
import warnings

import kinemesh as km
import numpy as np
import pytest
import zarr
from kinemesh import cli
from kinemesh.errors import CaseError
from kinemesh.io.store import NAME, Store
from sweeps import case, same

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*(not periodic|above the asked|second order|residual)"),
]
OVER = {"flow.mach": [0.4, 0.5, 0.6]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a sweep of two batches, the last with fewer cases."""
    out = tmp_path_factory.mktemp("sweep") / "whole"
    km.sweep(case(), OVER, out=out, batch=2)
    return out


@pytest.fixture
def out(whole, tmp_path):
    """A copy of that folder, to be damaged."""
    shutil.copytree(whole, tmp_path / "s")
    return tmp_path / "s"


def cut(path):
    path.write_bytes(path.read_bytes()[:9])


def changed(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def emptied(path):
    path.write_bytes(b"")


def file_of(out, name, batch=0):
    """The file of a variable of a batch; that of a loop lies in a folder."""
    path = out / NAME / name / "c" / str(batch)
    return path / "0" if path.is_dir() else path


def test_parameters_have_their_keys_as_long_names(whole):
    assert km.open(whole).mach.attrs["long_name"] == "flow.mach"


@pytest.mark.parametrize(("most", "printed"), [(3, True), (2, False)])
def test_variables_of_few_values_are_read_and_printed(whole, monkeypatch, most, printed):
    monkeypatch.setattr("kinemesh.io.lazy.PRINTED", most)
    kept = zarr.open_array(whole / NAME / "damping", mode="r")[:]

    text = repr(km.open(whole).damping)

    assert all(f"{number:.8f}".rstrip("0") in text for number in kept) is printed
    assert ("[3 values with dtype=float64]" in text) is not printed


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "batch", "harm"),
    [
        *(("state", 0, harm) for harm in (cut, changed, emptied)),
        ("damping", 1, emptied),
        ("cl", 0, changed),
        ("version", 1, cut),
    ],
)
def test_a_damaged_batch_is_told_and_runs_again(whole, out, harm, name, batch):
    kept = (out / NAME / "damping" / "c" / str(1 - batch)).stat().st_mtime_ns
    harm(file_of(out, name, batch))

    with pytest.raises(CaseError, match=rf"^/.*{NAME}: the variable {name} cannot be read"):
        km.open(out)[name].load()
    with pytest.warns(RuntimeWarning, match="1 batches had damaged files, and run again"):
        found = km.sweep(case(), OVER, out=out, resume=True)

    same(found, km.open(whole))
    assert (out / NAME / "damping" / "c" / str(1 - batch)).stat().st_mtime_ns == kept


@pytest.mark.long
@pytest.mark.parametrize("name", ["damping", "cl", "cause", "version"])
def test_a_batch_without_a_file_of_its_own_is_told_and_runs_again(whole, out, name):
    file_of(out, name).unlink()

    with pytest.warns(RuntimeWarning, match="1 batches had damaged files, and run again"):
        found = km.sweep(case(), OVER, out=out, resume=True)

    same(found, km.open(whole))


@pytest.mark.parametrize("name", ["damping", "cl", "cause"])
def test_values_whose_file_is_missing_are_told_when_they_are_read(out, name):
    file_of(out, name).unlink()
    found = km.open(out)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found["work"].load()

    with pytest.warns(RuntimeWarning, match=f"variable {name} lacks 1 of 2 files, .* --resume"):
        found[name].load()


def test_what_varies_without_its_file_is_told(out):
    file_of(out, "mach").unlink()

    with pytest.warns(RuntimeWarning, match="variable mach lacks 1 of 1 files"):
        km.open(out)


def test_a_batch_that_has_not_ended_lacks_nothing(out):
    for name in (*km.open(out), "state"):
        file_of(out, name).unlink(missing_ok=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        km.open(out).load()


def test_a_batch_without_its_state_runs_again(whole, out):
    (out / NAME / "state" / "c" / "0").unlink()

    same(km.sweep(case(), OVER, out=out, resume=True), km.open(whole))


def test_a_batch_of_an_unknown_state_is_told_and_runs_again(whole, out):
    zarr.open_group(out / NAME)["state"][2] = 7

    with pytest.warns(RuntimeWarning, match="1 batches had damaged files, and run again"):
        found = km.sweep(case(), OVER, out=out, resume=True)

    same(found, km.open(whole))


def test_a_whole_sweep_has_a_file_of_every_variable_and_batch(out):
    for name in km.open(out):
        for batch in (0, 1):
            assert file_of(out, name, batch).is_file(), name


@pytest.mark.long
@pytest.mark.parametrize("harm", [cut, emptied, os.unlink])
@pytest.mark.parametrize("name", ["mach", "phase"])
def test_values_of_what_varies_that_are_damaged_are_told_and_written_anew(whole, out, harm, name):
    harm(out / NAME / name / "c" / "0")

    with pytest.warns(RuntimeWarning, match=f"the values of {name} were damaged, and are written"):
        found = km.sweep(case(), OVER, out=out, resume=True)

    same(found, km.open(whole))
    assert not np.isnan(found["damping"]).any()


def test_values_of_what_varies_of_another_number_are_refused(out):
    group = zarr.open_group(out / NAME)
    group.create_array("mach", data=np.r_[0.4, 0.5], overwrite=True, dimension_names=["mach"])

    with pytest.raises(CaseError, match=r"mach has \(2,\) values, expected \(3,\)"):
        km.sweep(case(), OVER, out=out, resume=True)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Object at")  # zarr's, of a folder without zarr.json
@pytest.mark.parametrize("harm", [cut, emptied, os.unlink])
@pytest.mark.parametrize("file", ["zarr.json", "damping/zarr.json", "state/zarr.json"])
def test_a_store_that_says_no_more_what_it_holds_is_refused(out, file, harm):
    harm(out / NAME / file)

    for door in (km.open, lambda out: km.sweep(case(), OVER, out=out, resume=True)):
        with pytest.raises(CaseError, match=rf"{NAME}: the store of a sweep cannot be read"):
            door(out)


def test_a_store_without_the_values_of_what_varies_is_refused(out):
    shutil.rmtree(out / NAME / "mach")

    with pytest.raises(CaseError, match=r"cannot be read \(no 'mach'\)"):
        km.open(out)


def test_a_store_of_other_batches_is_refused(out):
    path = out / "sweep.json"
    path.write_text(path.read_text().replace('"chunks": [\n  2', '"chunks": [\n  1'))

    with pytest.raises(CaseError, match=r"batches of \(2,\) in \(3,\) rows"):
        km.sweep(case(), OVER, out=out, resume=True)


@pytest.mark.parametrize(
    "text", ['{"format"', "", "[1]", "{}", "[" * 100_000], ids=lambda text: text[:9]
)
def test_a_sweep_json_that_tells_of_no_sweep_is_refused(out, text):
    (out / "sweep.json").write_text(text)

    with pytest.raises(CaseError, match=r"sweep\.json: tells of no sweep .*another folder"):
        km.sweep(case(), OVER, out=out, resume=True)


@pytest.mark.parametrize("chunks", [[], [2, 2], ["a"], [0], [-1], [True], [1.0], 2, None])
def test_a_sweep_json_with_other_than_a_positive_integer_per_dimension_is_refused(out, chunks):
    path = out / "sweep.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"chunks": chunks}))

    with pytest.raises(CaseError, match=r"sweep\.json: tells of no sweep .*another folder"):
        km.sweep(case(), OVER, out=out, resume=True)


def test_a_sweep_json_that_is_a_folder_is_refused(out):
    (out / "sweep.json").unlink()
    (out / "sweep.json").mkdir()

    with pytest.raises(CaseError, match=r"sweep\.json: tells of no sweep"):
        km.sweep(case(), OVER, out=out, resume=True)


def test_a_damaged_store_is_no_picture(out, capsys):
    emptied(out / NAME / "cl" / "c" / "0" / "0")

    assert cli.main(["plot", str(out)]) == 2
    assert "the variable cl cannot be read" in " ".join(capsys.readouterr().err.split())


def second_write(monkeypatch, harm):
    """Do harm before the second batch is written; undo what `harm` gives when it has been."""
    write, written = Store.write, []

    def harmed(store, region, rows):
        written.append(region)
        if len(written) < 2:
            return write(store, region, rows)
        undo = harm()
        try:
            return write(store, region, rows)
        finally:
            undo()

    monkeypatch.setattr(Store, "write", harmed)


def no_room():
    """No file may grow beyond 10 bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def not_writable(out):
    """A file in the place of a folder, which root may not write either."""
    folder = out / NAME / "damping" / "c"
    folder.rename(folder.with_name("aside"))
    folder.touch()
    return lambda: (folder.unlink(), folder.with_name("aside").rename(folder))


@pytest.mark.long
@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda out: no_room(), r"cannot be written \(File too large\); those before it are kept"),
        (not_writable, r"cannot be written \((File exists|Not a directory)\); those before it are"),
    ],
)
def test_a_full_disk_leaves_a_store_that_goes_on(whole, tmp_path, monkeypatch, harm, words):
    out = tmp_path / "s"
    with monkeypatch.context() as patch:
        second_write(patch, lambda: harm(out))
        with pytest.raises(CaseError, match=words):
            km.sweep(case(), OVER, out=out, batch=2)

    assert km.open(out).state.values.tolist() == [1, 1, 0]
    same(km.sweep(case(), OVER, out=out, resume=True), km.open(whole))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused(whole, tmp_path):
    tmp_path.chmod(0o500)

    with pytest.raises(CaseError, match="Permission denied"):
        km.sweep(case(), OVER, out=tmp_path)


def test_a_folder_that_is_removed_while_the_sweep_runs_is_told(tmp_path, monkeypatch):
    out = tmp_path / "s"
    second_write(monkeypatch, lambda: shutil.rmtree(out) or (lambda: None))

    with pytest.raises(CaseError, match="was removed while it ran; begin the sweep anew"):
        km.sweep(case(), OVER, out=out, batch=2)
