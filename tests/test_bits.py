"""Histories of two builds are compared to the bit, and the first number that differs is named."""

from pathlib import Path

import kinemesh as km
import pytest
from scripts import script

TOOL = Path(__file__).parents[1] / "tools" / "bits.py"
pytestmark = pytest.mark.skipif(not TOOL.is_file(), reason="needs the sources' tools")
ROWS = [["member", "step", "cl", "cd"], ["0", "1", "0.1", "0.2"], ["1", "1", "0.3", "0.4"]]


@pytest.fixture(scope="module")
def bits():
    return script("bits")


def kept(folder, **runs):
    """A folder of `--out` with these runs, each a list of rows."""
    folder.mkdir()
    for label, rows in runs.items():
        (folder / f"{label}.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    return folder


def changed(row, column, value):
    rows = [list(row) for row in ROWS]
    rows[row][column] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (changed(2, 3, "0.40000000000000002"), "row 2 (member 1, step 1), column cd: 0.4 and 0.4"),
        (changed(1, 2, "0.11"), "row 1 (member 0, step 1), column cl: 0.1 and 0.11"),
        (ROWS[:2], "row 2 (member 1, step 1), column member: 1 and None"),
        ([[*row, "x"] for row in ROWS], "row 1 (member 0, step 1), column x: None and x"),
        ([[row[n] for n in (0, 1, 3, 2)] for row in ROWS], "order of columns or ends of lines"),
    ],
)
def test_a_history_that_differs_is_named_with_row_and_column(bits, tmp_path, capsys, rows, told):
    one = kept(tmp_path / "one", same=ROWS, other=ROWS)
    other = kept(tmp_path / "other", same=ROWS, other=rows)

    assert bits.compare(one, other) == 1

    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("other ")
    assert f"DIFFERENT: {told}" in first
    assert second.split() == ["same", "same"]


def test_a_run_of_one_folder_alone_differs(bits, tmp_path, capsys):
    one, other = kept(tmp_path / "one", a=ROWS, b=ROWS), kept(tmp_path / "other", a=ROWS)

    assert bits.compare(one, other) == 1

    assert f"DIFFERENT: only in {one}" in capsys.readouterr().out


def test_folders_of_the_same_bytes_are_the_same(bits, tmp_path):
    assert bits.compare(kept(tmp_path / "one", a=ROWS), kept(tmp_path / "other", a=ROWS)) == 0


def test_folders_without_histories_are_refused(bits, tmp_path):
    with pytest.raises(SystemExit, match="no histories"):
        bits.compare(tmp_path, tmp_path)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:(member 3|.*CFL number was above):RuntimeWarning")
@pytest.mark.parametrize("label", ["members", "members-rigid"])
def test_of_the_ensembles_one_member_fails_and_the_others_go_on(bits, tmp_path, label):
    bits.run_members(str(tmp_path), "float32", "cpu", *bits.ENSEMBLES[label])

    run = km.open(tmp_path)
    assert [row["member"] for row in run.failed] == [bits.BREAKS]
    rows = [run.history.member(m).rows for m in range(bits.MEMBERS)]
    assert rows == [4 if m == bits.BREAKS else 10 for m in range(bits.MEMBERS)]
