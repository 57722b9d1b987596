"""kinemesh bench --rows viscous: pseudo-steps with the model, on meshes with layers."""

import argparse
import json

import pytest
from kinemesh import bench
from kinemesh.bench import layered, timing
from kinemesh.bench.options import chosen_rows
from kinemesh.bench.table import paper
from kinemesh.errors import SettingsError
from kinemesh.flow import registry

pytestmark = pytest.mark.filterwarnings("ignore:.*edges lie around")  # meshes of tests are coarse


def arguments(*words):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(["--device", "cpu", "--repeat", "1", *words])


@pytest.fixture
def _short(monkeypatch):
    monkeypatch.setattr(timing, "SPAN", 0.002)
    monkeypatch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)


def measured(path, *words):
    assert bench.main(arguments(*words, "--json", str(path))) == 0
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {line["row"]: line for line in lines}


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize("method", ["ale", "cells"])
def test_every_row_has_a_figure_and_bytes_of_parts_are_less_than_a_step_s(method, tmp_path):
    found = measured(
        tmp_path / "a.json", "--rows", "viscous", "--sizes", "7000", "--method", method
    )

    assert list(found) == list(layered.ROWS)
    step = found["viscous-step"]["bytes"]
    gas = ("viscous-gradients", "viscous-fluxes", "viscous-implicit")
    parts = sum(found[row]["bytes"] for row in (*gas, "eddies-residual", "eddies-implicit"))
    assert 0.8 * step < parts < step
    assert found["viscous-matrix"]["bytes"] < found["viscous-implicit"]["bytes"]
    assert found["inviscid-fluxes"]["bytes"] < found["viscous-fluxes"]["bytes"]
    assert found["inviscid-step"]["bytes"] < step


@pytest.mark.long
@pytest.mark.usefixtures("_short")
def test_a_wing_has_the_rows_and_the_paper_s_step(tmp_path):
    words = ("--rows", "viscous-step,viscous-mesh", "--mesh", "hexes", "--sizes", "80000")
    found = measured(tmp_path / "a.json", *words)

    assert found["viscous-step"]["mesh"] == "hexes"
    assert found["viscous-step"]["paper"]["seconds"] == 0.9457
    assert found["viscous-mesh"]["paper"] is None


def test_the_paper_s_step_is_of_a_wing():
    assert paper("viscous-step", 450_000, None, "hexes")["nodes"] == 450_634
    assert paper("viscous-step", 450_000) is None


def test_rows_of_viscous_flow_are_measured_where_they_are_named():
    ale = registry.named("ale")

    assert not set(layered.ROWS) & set(chosen_rows(None, ale))
    assert not set(layered.ROWS) & set(chosen_rows(None, ale, wing=True))
    assert chosen_rows("eddies-residual,viscous-step", ale) == ["viscous-step", "eddies-residual"]
    assert chosen_rows("viscous", ale) == list(layered.ROWS)


def test_wings_with_layers_have_hexahedra():
    with pytest.raises(SettingsError, match="mesh: 'tets' with rows of viscous flow, expected hex"):
        bench.main(arguments("--rows", "viscous", "--mesh", "tets", "--sizes", "80000"))


def test_a_flow_that_has_ended_its_steps_is_not_timed(tmp_path, monkeypatch):
    monkeypatch.setattr(layered, "_step", _ended(layered._step))
    with pytest.raises(layered.NumericalFault, match="ended its pseudo-steps before"):
        measured(tmp_path / "a.json", "--rows", "inviscid-step", "--sizes", "7000")


def _ended(make):
    def step(backend, solver, ledger):
        found = make(backend, solver, ledger)
        backend.put(solver.dualtime.floor, 1e30)
        return found

    return step
