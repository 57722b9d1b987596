"""The ready cylinder and what case files of incompressible flow may say."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases, cli

SMALL = ["mesh.nodes=600", "run.steps=40", "run.device=cpu"]
HEAD = 'name = "x"\nmode = "unsteady"\nmethod = "incompressible"\n'
MESH = '[mesh]\nshape = "cylinder"\nnodes = 600\n'
TIME = "[run]\ntime_step = 0.1\nsteps = 4\n"


@pytest.mark.flow
@pytest.mark.long
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


@pytest.mark.slow
@pytest.mark.flow
def test_ready_steady_cases_run_from_the_shell(tmp_path, undrawn, capsys):
    for name in ("cylinder-steady", "naca0012-laminar"):
        out = tmp_path / name
        words = [name, "--set=run.device=cpu", "--nodes=1000"]
        assert cli.main(["check", *words]) == 0
        assert cli.main(["run", *words, "--out", str(out), "--quiet"]) == 0
        drawn = {"convergence.png", "cp.png", "vorticity.png", "pressure.png", "mesh.png"}
        assert drawn <= {path.name for path in out.iterdir()}
        run = km.open(out)
        assert run.summary["mode"] == "steady"
        assert run.converged
        assert {"Velocity", "Pressure", "Vorticity"} <= run.fields().keys()
    assert "ready to run" in capsys.readouterr().out

    short = ["--set=solver.steady_iterations=3", "--out", str(tmp_path / "short"), "--quiet"]
    assert cli.main(["run", *words, *short]) == 3
    assert "sheds vortices" in capsys.readouterr().err


@pytest.mark.flow
def test_the_ready_towed_cylinder_has_the_drag_of_the_ready_one():
    """Reynolds number 40, where both have gone 4.5 diameters, one after a ramp, one at once."""
    told = ["flow.reynolds=40", "run.steps=50", "mesh.nodes=1000", "run.device=cpu"]

    towed, fixed = (cases.load(n, told).run().history for n in ("cylinder-towed", "cylinder"))

    assert towed.shift_x[-1] == pytest.approx(-4.5, rel=1e-12)
    assert towed.cd[-1] == pytest.approx(fixed.cd[-6], rel=0.01)  # measured 0.0004


@pytest.mark.flow
@pytest.mark.long
def test_the_ready_oscillating_cylinder_has_published_coefficients():
    """Morison's drag and inertia by least squares: 2.09 and 1.45 of Duetsch et al. (1998)."""
    told = ["mesh.nodes=3000", "run.steps=200", "run.device=cpu"]

    history = cases.load("oscillating-cylinder", told).run().history

    turn = 2 * np.pi / 5
    phase = turn * history.time[-100:] + np.pi / 2
    velocity, change = np.cos(phase), -turn * np.sin(phase)
    parts = np.stack([-np.abs(velocity) * velocity, -np.pi / 2 * change], axis=1)
    (drag, inertia), *_ = np.linalg.lstsq(parts, history.cd[-100:])
    # measured 2.084 and 1.445
    assert drag == pytest.approx(2.09, rel=0.05)
    assert inertia == pytest.approx(1.45, rel=0.05)
    assert np.abs(history.cl[-100:]).max() < 1e-3 * np.abs(history.cd[-100:]).max()


def text(flow="[flow]\nreynolds = 100\n", head=HEAD, mesh=MESH, run=TIME):
    return head + mesh + flow + run


WRONG = {
    "both": (text("[flow]\nreynolds = 100\nmach = 0.3\n"), r"\[flow\] mach: of method 'incom"),
    "none": (text("[flow]\n"), r"\[flow\] lacks reynolds"),
    "zero": (text("[flow]\nreynolds = 0\n"), r"reynolds = 0, expected a number above 0"),
    "speed": (text("[flow]\nreynolds = 9\nstream = 2\n"), "stream = 2, expected 1, or 0"),
    "gas": (text(head=HEAD.replace("incompressible", "ale")), r"\[flow\] lacks mach"),
    "cells": (text(head=HEAD.replace("incompressible", "cells")), r"\[flow\] lacks mach"),
    "steady": (text(head=HEAD.replace("unsteady", "steady")), r"\[run\] time_step has no meaning"),
    "setting": (text(run=TIME + "[solver]\ncfls = 3\n"), "unknown key 'cfls'; did you mean 'cfl'"),
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
