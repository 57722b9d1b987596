"""kinemesh bench --rows step: steps of one grid, their table, wrong input."""

import json

import pytest
from kinemesh import bench
from kinemesh.bench import one_grid, timing
from kinemesh.bench.steps import Walk
from kinemesh.bench.table import GRID_KEYS, KEYS
from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError
from kinemesh.mesh import airfoil
from test_bench import arguments

SIZE = 600


def test_steps_of_one_grid_have_figures_and_lines_of_the_table(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)
    monkeypatch.setattr(timing, "SPAN", 0.002)
    path = tmp_path / "figures.json"
    words = ("--rows", "step,step-still", "--sizes", str(SIZE), "--device", "cpu")

    assert bench.main(arguments(*words, "--repeat", "1", "--json", str(path))) == 0
    capsys.readouterr()
    assert bench.main(arguments("--table", str(path))) == 0

    figures = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    assert [f["row"] for f in figures] == list(one_grid.ROWS)
    for f in figures:
        assert sorted(f) == sorted((*KEYS, *GRID_KEYS))
        assert f["method"] == "incompressible"
        assert f["ns_per_node"] == pytest.approx(1e9 * f["seconds"] / f["nodes"])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    head, first = ([cell.strip() for cell in lines[k].split("|")] for k in (0, 2))
    for column, key in (("iterations", "iterations"), ("momentum", "momentum")):
        assert float(first[head.index(column)]) == figures[0][key] > 1


def test_counted_corrections_of_the_velocity_are_the_mean_of_the_steps():
    walk = Walk(one_grid.case_of(Backend("cpu"), airfoil("naca0012", nodes=SIZE), "step"))
    found = []
    for _ in range(3):
        walk.make(1)()
        found.append(int(walk.case.dualtime.iterations[0]))

    assert walk.momentum()["momentum"] == pytest.approx(sum(found) / 3, abs=0.05)


def test_rows_of_two_solvers_are_refused_with_the_solver_of_the_other():
    words = ("--device", "cpu", "--rows", "residual,step")
    with pytest.raises(SettingsError, match=r"'step' is none of method 'ale'.*incompressible"):
        bench.main(arguments(*words))
