"""The ready cylinder and what case files of incompressible flow may say."""

import kinemesh as km
import pytest
from kinemesh import cases, cli

SMALL = ["mesh.nodes=600", "run.steps=40", "run.device=cpu"]
HEAD = 'name = "x"\nmode = "unsteady"\nmethod = "incompressible"\n'
MESH = '[mesh]\nshape = "cylinder"\nnodes = 600\n'
TIME = "[run]\ntime_step = 0.1\nsteps = 4\n"


@pytest.mark.flow
def test_the_ready_cylinder_runs_from_the_shell(tmp_path, undrawn, capsys):
    out = tmp_path / "out"
    words = ["run", "cylinder", *(f"--set={text}" for text in SMALL), "--set=flow.reynolds=40"]

    assert cli.main([*words, "--out", str(out), "--quiet"]) == 0
    assert cli.main(["check", "cylinder", *words[2:]]) == 0

    assert "ready to run" in capsys.readouterr().out
    assert {"loads.png", "vorticity.png", "mesh.png"} <= {path.name for path in out.iterdir()}
    run = km.open(out)
    assert run.summary["conditions"]["reynolds"] == 40
    assert run.summary["result"]["spectrum"]["window"] == pytest.approx([2.0, 4.0])
    assert km.spectrum(run, start=2.0).cd.mean == pytest.approx(
        run.summary["result"]["spectrum"]["cd"]["mean"], rel=1e-12
    )
    assert len(run.frames().time) == 5  # one per unit of time, and the start


def text(flow="[flow]\nreynolds = 100\n", head=HEAD, mesh=MESH, run=TIME):
    return head + mesh + flow + run


WRONG = {
    "both": (text("[flow]\nreynolds = 100\nmach = 0.3\n"), r"\[flow\] mach: of method 'incom"),
    "none": (text("[flow]\n"), r"\[flow\] lacks reynolds"),
    "zero": (text("[flow]\nreynolds = 0\n"), r"reynolds = 0, expected a number above 0"),
    "speed": (text("[flow]\nreynolds = 9\nstream = 2\n"), "stream = 2, expected 1, or 0"),
    "gas": (text(head=HEAD.replace("incompressible", "ale")), r"reynolds: of method 'ale'"),
    "steady": (text(head=HEAD.replace("unsteady", "steady"), run=""), "has unsteady runs"),
    "half": (text(run="[run]\ntime_step = 0.1\n"), r"by time, expected \[run\] steps"),
    "cycles": (text(run=TIME + "cycles = 2\n"), r"\[run\] cycles has no meaning"),
    "key": (text(mesh=MESH + "growth = 1.1\n"), r"has a shape, so growth has no meaning"),
    "cloud": (text(head=HEAD.replace("incompressible", "meshless")), "makes no cloud"),
    "springs": (text() + '[deform]\nmethod = "springs"\n', "none of method 'incompressible'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_case_files_without_meaning_are_refused(name, tmp_path):
    written, words = WRONG[name]
    (tmp_path / "x.toml").write_text(written)
    with pytest.raises(km.CaseError, match=words):
        cases.load(tmp_path / "x.toml")
