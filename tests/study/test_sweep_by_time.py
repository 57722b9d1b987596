"""Sweeps of cases that run by time_step and steps: rows hold what `km.spectrum` says of each."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError
from kinemesh.io import csv_rows as named
from kinemesh.io import history
from kinemesh.study.sweep import asked, by_time
from sweeps import case, same

pytestmark = pytest.mark.flow
TABLES = {
    "name": "shedding",
    "mode": "unsteady",
    "method": "incompressible",
    "mesh": {"shape": "cylinder", "nodes": 600, "far_field": 10.0},
    "flow": {"reynolds": 100, "moment_about": [0.0, 0.0]},
    "run": {"time_step": 0.1, "steps": 40, "device": "cpu"},
}
OVER = {"flow.reynolds": [40.0, 100.0]}


def small(steps=40, **flow):
    return Case.from_dict(
        TABLES | {"run": {**TABLES["run"], "steps": steps}, "flow": {**TABLES["flow"], **flow}}
    )


@pytest.mark.long
def test_rows_are_the_spectra_of_solo_runs(tmp_path):
    found = km.sweep(small(), OVER, out=tmp_path / "s")

    assert (found.state == 1).all()
    assert "phase" not in found.dims
    for reynolds in OVER["flow.reynolds"]:
        row, alone = found.sel(reynolds=reynolds), small(reynolds=reynolds).run()
        told = km.spectrum(alone)
        for load in ("cl", "cd", "cm"):
            for name in ("mean", "rms", "amplitude"):
                assert row[f"{load}_{name}"] == getattr(getattr(told, load), name)
        assert (row.window_start, row.window_end) == (told.start, told.end) == (2.0, 4.0)
        assert told.strouhal is None
        assert np.isnan(row.strouhal)  # no two periods in four convective times
        assert bool(row.converged) == alone.converged
    same(km.open(tmp_path / "s"), found, but=())


def test_strouhal_number_and_bodies_are_those_of_known_waves():
    time = np.arange(400) / 10
    lift, drag = np.sin(2 * np.pi * 0.2 * time), 1 + 0.1 * np.cos(2 * np.pi * 0.4 * time)
    none = np.full(400, np.nan)  # of a body that another member has
    columns = named.unsteady_columns(["a", "b"])
    rows = dict.fromkeys(columns, np.zeros(400)) | {"time": time, "converged": time != 30}
    rows |= {"cl": lift, "cd": drag, "cl_a": 3 * lift, "cd_a": drag}
    made = history.History(columns)
    made.extend(rows | {f"{name}_b": none for name in named.OF_BODY})

    row = by_time.row_of(made, 2.0)

    # least squares of exact waves: rounding of 200 rows
    assert row["strouhal"] == pytest.approx(0.4, abs=1e-10)
    assert row["cl_rms"] == pytest.approx(np.sqrt(0.5), abs=1e-10)
    assert row["cl_amplitude_a"] == pytest.approx(3.0, abs=1e-10)
    assert row["cd_mean_a"] == pytest.approx(1.0, abs=1e-10)
    assert "cl_mean_b" not in row
    assert (row["unconverged_steps"], row["converged"]) == (1, False)
    assert set(row) <= {*by_time.variables(["a", "b"]), "converged"}


def test_a_run_too_short_for_a_window_has_no_numbers_and_a_note():
    found = km.sweep(small(steps=4), OVER)

    assert np.isnan(found.cd_mean).all()
    assert np.isnan(found.window_start).all()
    assert (found.state == 1).all()
    assert all("raise run.steps" in str(text) for text in found.note.values)


def test_what_the_two_kinds_of_row_cannot_share_is_refused(monkeypatch):
    both = [case(), small()]
    monkeypatch.setattr(asked.Asked, "cases", lambda _: both)
    with pytest.raises(CaseError, match="by cycles and by time_step"):
        km.sweep(case(), {"flow.mach": [0.4, 0.5]})
