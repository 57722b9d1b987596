"""A finished run whose history lost rows says so, and has no loop of what is left."""

import json
import shutil

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io.lost import made

# of the runs, which are two cycles long and stand for longer ones
pytestmark = pytest.mark.filterwarnings("ignore:member 0. not periodic")

ASKED = {"cycles": 2, "steps_per_cycle": 8}
SETTINGS = km.AleSettings(steady_drop=1e-2, unsteady_drop=1e-1)


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=520, far_field=10)


@pytest.fixture(scope="module")
def kept(mesh, tmp_path_factory):
    """Folder of a run of two cycles."""
    out = tmp_path_factory.mktemp("runs") / "run"
    motion = km.motion.pitch(1.0, 0.2)
    km.Ale(mesh, mach=0.4, motion=motion, device="cpu", settings=SETTINGS).run(**ASKED, out=out)
    return out


def damaged(kept, folder, change):
    """The folder again, the rows of its history changed."""
    shutil.copytree(kept, folder)
    head, *rows = (folder / "history.csv").read_text().splitlines()
    (folder / "history.csv").write_text("\n".join([head, *change(rows)]) + "\n")
    return folder


CHANGES = {
    "the last row": (lambda rows: rows[:-1], r"15 rows of the 16 steps .*missing is 16"),
    "the last cycle": (lambda rows: rows[:8], r"8 rows of the 16 steps .*missing is 9"),
    "the first cycle": (lambda rows: rows[8:], r"8 rows of the 16 steps .*missing is 1\)"),
    "a row between": (lambda rows: rows[:5] + rows[6:], r"15 rows of the 16 .*missing is 6"),
    "all rows": (lambda rows: [], r"0 rows of the 16 steps .*missing is 1\)"),
    "a row twice": (lambda rows: rows[:5] + rows[4:], r"17 rows of the 16 .*some stand twice"),
}


@pytest.mark.flow
@pytest.mark.parametrize(("change", "told"), CHANGES.values(), ids=CHANGES.keys())
def test_lost_rows_are_told_on_opening_and_give_no_loop(kept, tmp_path, change, told):
    folder = damaged(kept, tmp_path / "again", change)

    with pytest.warns(RuntimeWarning, match=f"again: the history has {told}"):
        run = km.open(folder)

    assert "the 16 steps" in run.table()["cause"][0]
    for loop in (
        run.loop,
        lambda: km.hysteresis(run),
        lambda: km.hysteresis(folder),
        lambda: km.hysteresis(folder / "history.csv"),
        lambda: km.spectrum(run),
    ):
        with pytest.raises(km.CaseError, match="bring the file back, or run again"):
            loop()


@pytest.mark.flow
def test_a_history_that_is_gone_is_told_of_a_finished_run(kept, tmp_path):
    shutil.copytree(kept, tmp_path / "again")
    (tmp_path / "again" / "history.csv").unlink()

    with pytest.warns(RuntimeWarning, match="0 rows of the 16 steps"):
        run = km.open(tmp_path / "again")

    with pytest.raises(km.CaseError, match="bring the file back"):
        run.loop()


@pytest.mark.flow
def test_a_whole_history_is_opened_without_a_word(kept, recwarn):
    run = km.open(kept)

    assert run.history.lost == {}
    assert run.loop().steps == 8
    assert not recwarn.list


@pytest.mark.flow
def test_lost_iterations_of_a_steady_run_are_told(mesh, tmp_path):
    case = km.Ale(mesh, mach=[0.4, 0.5], device="cpu", settings=SETTINGS)
    run = case.steady(out=tmp_path / "run")
    count = run.summary["result"]["iterations"]
    assert km.open(tmp_path / "run").history.lost == {}

    last = run.history["member"][-1]
    folder = damaged(tmp_path / "run", tmp_path / "again", lambda rows: rows[:-1])

    with pytest.warns(RuntimeWarning, match=f"of the {count[last]} iterations .* member {last} "):
        again = km.open(folder)
    assert list(again.history.lost) == [last]


def test_members_that_failed_or_ended_early_have_made_what_they_made():
    """By hand: of three members one fell, and each of the others ended where it was periodic."""
    told = {
        "mode": "unsteady",
        "finished": "2026-01-01",
        "mesh": {"members": 3},
        "conditions": {"steps": 40, "steps_per_cycle": 8, "until": "periodic"},
        "result": {"cycles": [4.0, None, 5.0]},
        "failed": [{"member": 1, "text": "fell"}],
    }

    assert made(told) == {0: 32, 2: 40}
    assert made(told | {"finished": None}) == {}
    assert made({"format": "kinemesh-summary-1", "finished": "2026-01-01"}) == {}


@pytest.mark.flow
@pytest.mark.long
def test_members_that_end_apart_have_all_their_rows(mesh, tmp_path):
    motion = [km.motion.pitch(1.0, k=k) for k in (0.2, 1.2)]
    case = km.Ale(mesh, mach=0.4, motion=motion, device="cpu", settings=SETTINGS)
    run = case.run(cycles=6, steps_per_cycle=8, until="periodic", periodic_tolerance=0.1,
                   out=tmp_path / "run")  # fmt: skip

    counts = np.bincount(run.history["member"])
    assert counts[0] != counts[1]
    assert made(json.loads((tmp_path / "run/summary.json").read_text())) == dict(enumerate(counts))
    assert km.open(tmp_path / "run").history.lost == {}
