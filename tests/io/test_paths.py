"""Names of files and folders: a first `~` is the home folder, through every door."""

from pathlib import Path

import kinemesh as km
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.cases.changes import changed
from kinemesh.io.paths import expanded
from runs import MESH


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_tilde_alone_is_expanded_and_names_that_hold_one_are_kept(home):
    assert expanded("~/x") == home / "x"
    assert expanded("~") == home
    assert expanded("a/~/b") == Path("a/~/b")
    assert expanded("~backup") == Path("~backup")


def test_a_run_in_a_folder_at_home_is_written_and_opened_there(home):
    settings = km.AleSettings(steady_iterations=2)
    case = km.Ale(MESH, mach=0.5, settings=settings, device="cpu")
    with pytest.warns(RuntimeWarning, match="asked"):
        case.steady(out="~/run")
    assert (home / "run" / "history.csv").is_file()
    assert km.open("~/run").history.rows == 2


def test_meshes_and_sections_at_home_are_found(home):
    km.mesh.write(MESH, "~/a.su2")
    assert km.mesh.read("~/a.su2").nodes == MESH.nodes
    made = changed({"mesh": {}}, ["mesh.file=~/a.su2"])
    assert made["mesh"]["file"] == str(home / "a.su2")
    table = {"name": "a", "mode": "steady", "mesh": {"file": "~/a.su2"}, "flow": {"mach": 0.5}}
    assert Case.from_dict(table, "/elsewhere").mesh.file == home / "a.su2"
