"""Keys of a case changed from the shell are checked like those of its file."""

import json
from pathlib import Path

import kinemesh as km
import pytest
from kinemesh import cases, cli
from kinemesh.cases.changes import changed
from kinemesh.errors import CaseError
from solver_cases import case_text


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "small.toml").write_text(case_text(method="rigid"))
    return folder / "small.toml"


def test_any_key_takes_another_value(here):
    case = cases.load(
        here,
        [
            "flow.mach=0.6",
            "motion.pitch.k = 0.2",
            "flow.moment_about=[0.3, 0.1]",
            "mesh.section=naca2412",
            'title="two words"',
            "run.preflight=false",
            "solver.flux=hllc",
            "deform={method = 'delaunay'}",
        ],
    )

    assert (case.flow.mach, case.flow.alpha_deg) == (0.6, 1.0)
    assert case.motion.build(1.0) == km.motion.pitch(2.0, 0.2)
    assert case.flow.moment_about == (0.3, 0.1)
    assert (case.mesh.section, case.title) == ("naca2412", "two words")
    assert (case.job.preflight, case.solver) == (False, {"flux": "hllc"})
    assert case.deform.method == "delaunay"


def test_files_of_motions_start_where_they_are_given(here):
    """Beside the folder of the case file, as files of [mesh] do."""
    table = {"table": "t.csv", "modes": {"file": "s.npz", "k": 0.2}}
    made = changed({}, [
        "motion.modes.file=s.npz", "motion.table=t.csv", "motion.pitch.k=0.1",
        "motion.bodies.wing.modes={file = 's.npz', k = 0.2}",
        "parts.wing.motion={table = 't.csv', modes = {file = 's.npz', k = 0.2}}",
    ])  # fmt: skip
    file, times = str(Path.cwd() / "s.npz"), str(Path.cwd() / "t.csv")
    whole = {**table["modes"], "file": file}
    assert made["motion"] == {"modes": {"file": file}, "table": times, "pitch": {"k": 0.1},
                              "bodies": {"wing": {"modes": whole}}}  # fmt: skip
    assert made["parts"] == {"wing": {"motion": {"table": times, "modes": whole}}}
    assert Path.cwd() != here.parent


def test_a_table_that_is_given_replaces_the_whole_one():
    table = {"motion": {"pitch": {"amplitude_deg": 1.0, "k": 0.1, "phase_deg": 9.0}}, "name": "x"}

    found = changed(table, ["motion.pitch={amplitude_deg = 2.0, k = 0.3}", "motion.plunge.k=1"])

    assert found["motion"] == {"pitch": {"amplitude_deg": 2.0, "k": 0.3}, "plunge": {"k": 1}}
    assert table["motion"]["pitch"]["phase_deg"] == 9.0  # what is given stays as it is
    assert found["name"] == "x"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("flow.mach=-1", r"small\.toml --set flow\.mach=-1, \[flow\] mach = -1, expected a number"),
        ("flow.mach=272", "mach = 272, expected at most 20; was a velocity meant"),
        ("flow.mahc=0.6", r"\[flow\]: unknown key 'mahc'; did you mean 'mach'"),
        ("flw.mach=0.6", "unknown key 'flw'; did you mean 'flow'"),
        ("flow.mach=fast", r"\[flow\] mach = 'fast', expected a number"),
        ("flow.mach=0,6", "0,6 is no value of TOML .*expected one such as 0.6"),
        ("flow.mach=", "nothing is no value of TOML"),
        ("flow.mach", "expected KEY=VALUE, such as flow.mach=0.6"),
        ("=0.6", "expected KEY=VALUE"),
        ("flow mach=0.6", "expected KEY=VALUE"),
        ("flow.mach=0.6\nname='x'", "expected KEY=VALUE"),
        ("flow.mach.x=1", "x would be a key of 0.5, which is no table"),
        ("run.cycles=9223372036854775808", "integer beyond 64 bits"),
        ("flow=0.5", r"flow = 0.5, expected a table \[flow\]"),
    ],
)
def test_nonsense_is_refused_and_named(here, change, words):
    with pytest.raises(km.CaseError, match=words) as caught:
        cases.load(here, [change])

    assert f"--set {change}" in str(caught.value)


def test_a_key_is_given_once(here):
    with pytest.raises(km.CaseError, match=r"flow\.mach is given twice"):
        cases.load(here, ["flow.mach=0.6", "flow.mach = 0.7"])


def test_a_file_starts_where_the_change_is_given(here):
    text = 'name = "m"\nmode = "steady"\n[mesh]\nfile = "a.su2"\n[flow]\nmach = 0.5\n'
    here.write_text(text)

    assert cases.load(here).mesh.file == here.parent / "a.su2"
    assert cases.load(here, ["mesh.file=b.su2"]).mesh.file == Path.cwd() / "b.su2"


def test_a_ready_case_is_named_not_its_file():
    with pytest.raises(km.CaseError, match=r"^agard-ct5 --set flow\.mach=0, \[flow\] mach = 0"):
        cases.load("agard-ct5", ["flow.mach=0"])


@pytest.mark.flow
def test_run_and_check_take_changes_and_options_stand_above_them(here, undrawn, capsys):
    words = [str(here), "--quiet", "--set", "flow.mach=0.6", "--set", "run.cycles=3"]

    assert cli.main(["check", *words]) == 0
    assert "24 steps" in capsys.readouterr().out
    assert cli.main(["run", *words, "--cycles", "0.25", "--set", "solver.unsteady_drop=0.01"]) in (
        0, 3)  # fmt: skip

    told = json.loads((Path.cwd() / "small" / "summary.json").read_text())
    assert (told["conditions"]["mach"], told["conditions"]["steps"]) == (0.6, 2)
    assert cli.main(["check", *words, "--set", "flow.mahc=1"]) == 2
    assert "did you mean 'mach'" in " ".join(capsys.readouterr().err.split())


def test_a_changed_case_does_not_keep_a_title_that_is_no_longer_true():
    assert "0.755" in km.cases.load("agard-ct5").title
    assert not km.cases.load("agard-ct5", ["flow.mach=0.6"]).title
    assert km.cases.load("agard-ct5", ["flow.mach=0.6", "title='mine'"]).title == "mine"
    for change in ("motion.pitch.k=0.1", "mesh.section=naca2412", "method=cells"):
        assert not km.cases.load("agard-ct5", [change]).title


def test_a_case_of_another_fineness_or_other_settings_keeps_its_title_and_what_that_says():
    ready = km.cases.load("agard-ct5")
    changes = ["run.device=cpu", "run.cycles=2", "mesh.nodes=800", "mesh.far_field=20",
               "solver.unsteady_drop=0.1", "deform.method=rigid"]  # fmt: skip
    made = km.cases.load("agard-ct5", changes)

    assert (made.title, made.title_says) == (ready.title, ready.title_says)
    assert not km.cases.load("agard-ct5", [*changes, "flow.alpha_deg=1"]).title


def test_a_mesh_in_the_place_of_a_case_file_is_told_where_it_goes(tmp_path):
    (tmp_path / "wing.su2").write_text("NDIME= 2\n")

    with pytest.raises(CaseError, match="a mesh goes into a case by --mesh FILE"):
        km.cases.load(tmp_path / "wing.su2")
