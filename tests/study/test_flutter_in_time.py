"""Search of the flutter boundary by runs in time, on made damping and in flows."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.study.flutter import in_time, linear
from kinemesh.study.flutter.in_time import GROWN, Point, Search
from runs import killed
from test_flutter import q_of

SECTION = km.structure.TypicalSection(60, -2, 1.8, 3.48, 1)


def made(zeta):
    """In the place of a run, points of a damping and a frequency that are functions of V*."""
    runs = []

    def fly(base, structure, each, spaces, number, run):
        runs.append([list(own.todo) for own in each])
        for own in each:
            own.points += [Point(v, zeta(v), omega=1 + v, k=1 / v) for v in own.todo]

    return fly, runs


@pytest.fixture
def search(monkeypatch):
    def run(zeta, todo):
        fly, runs = made(zeta)
        monkeypatch.setattr(in_time, "_fly", fly)
        own = in_time.searched(None, SECTION, [Search(0.8, todo)], (0.1, None, None, False, False))
        return own[0], runs

    return run


def test_a_boundary_between_the_first_two_speeds_takes_one_run(search):
    own, runs = search(lambda v: 0.1 * (0.8 - v), [0.776, 0.824])

    assert own.at("speed_index") == pytest.approx(0.8, abs=1e-12)
    assert own.at("omega") == pytest.approx(1.8)
    assert len(runs) == 1
    assert own.end == "flutter"


@pytest.mark.parametrize("edge", [0.6, 0.75, 0.95, 1.2])
def test_a_boundary_beyond_both_speeds_is_found_by_their_slope(search, edge):
    own, runs = search(lambda v: 0.1 * (edge - v) + 0.03 * (edge - v) ** 2, [0.776, 0.824])

    assert own.at("speed_index") == pytest.approx(edge, rel=2e-3)
    assert 2 <= len(runs) <= 4


def test_a_scan_finds_the_lowest_boundary_of_several(search):
    """An S shape: unstable from 0.52 to 2.4 alone."""
    own, runs = search(lambda v: 0.05 * (v - 0.52) * (v - 2.4), np.geomspace(0.3, 3, 8).tolist())

    assert own.at("speed_index") == pytest.approx(0.52, rel=1e-3)
    assert len(runs) == 2


def test_motions_that_grow_too_fast_for_a_root_bound_the_search(search):
    own, runs = search(lambda v: GROWN if v > 0.9 else 0.1 * (0.8 - v), [0.5, 1.5])

    assert own.at("speed_index") == pytest.approx(0.8, rel=2e-2)
    assert len(runs) > 1


def test_dampings_of_one_sign_have_no_boundary(search):
    with pytest.warns(RuntimeWarning, match="no boundary in time at Mach 0.8: the damping has"):
        own, runs = search(lambda v: 0.02, [0.5, 0.6])

    assert np.isnan(own.at("speed_index"))
    assert own.end == "stable"
    assert len(runs) == in_time.ROUNDS
    speeds = np.concatenate([own for (own,) in runs])
    assert speeds.max() > 0.9  # it went on where stability may end


def test_runs_that_failed_are_left_out(search):
    own, _ = search(lambda v: np.nan if v > 0.9 else 0.1 * (0.8 - v), [0.7, 0.75, 0.85, 1.0])

    assert own.at("speed_index") == pytest.approx(0.8)


def test_a_crossing_back_to_stability_is_found_by_its_slope(monkeypatch):
    fly, runs = made(lambda v: 0.05 * (v - 0.52) * (v - 2.4))
    monkeypatch.setattr(in_time, "_fly", fly)
    own = Search(0.85, [0.97 * 2.2, 1.03 * 2.2], up=False)

    in_time.searched(None, SECTION, [own], (0.1, None, None, False, False))

    assert own.at("speed_index") == pytest.approx(2.4, rel=2e-3)
    assert 2 <= len(runs) <= 4


def row(omega, zeta, share=1.0):
    return {"zeta": zeta, "uncertainty": 0.0, "omega": omega, "k": omega / 2, "share": share}


def test_a_mode_is_known_by_its_frequency():
    """And the strongest oscillation is looked at where none is known."""
    rows = [row(0.7, 0.1), row(5.3, -0.02, share=0.3)]

    assert in_time._point(Search(0.8, [], [], 2, 5.0), 2.0, rows, False).zeta == -0.02
    assert in_time._point(Search(0.8, []), 2.0, rows, False).zeta == 0.1
    assert np.isnan(in_time._point(Search(0.8, [], [], 2, 2.0), 2.0, rows, False).zeta)
    assert in_time._point(Search(0.8, []), 2.0, [], True).zeta == GROWN


QUICK = ["solver.steady_drop=1e-3", "solver.unsteady_drop=1e-2", "run.device=cpu"]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_both_ways_stand_side_by_side_in_dataset_files_and_figure(tmp_path, monkeypatch):
    """Twice Theodorsen's loads in the place of pulses, whose boundary is near that of so few steps
    on so small a mesh."""
    monkeypatch.setattr(in_time, "STEPS", 24)
    monkeypatch.setitem(in_time.CYCLES, km.structure.TypicalSection, 3)
    loads = q_of(SECTION.axis, mach=(0.3,))
    loads["Q"] = 2 * loads["Q"]
    monkeypatch.setitem(linear.FLOWN, km.structure.TypicalSection, lambda *_: loads)
    case = km.cases.load("isogai-a", QUICK).replace(nodes=520)
    asked = {"mach": [0.3], "speed_index": (0.5, 4), "way": "both", "out": tmp_path / "map"}

    found = km.flutter(case, **asked)

    assert found.attrs["way"] == "both"
    assert found.time_boundary.values == pytest.approx(found.boundary.values, rel=0.1)
    edge, own = float(found.time_boundary[0]), found.isel(mach=0)
    stable = own.time_zeta.values[own.time_speed_index.values < edge]
    assert (stable > 0).all()
    assert (own.time_zeta.values[own.time_speed_index.values > edge] <= 0).all()
    k = own.time_boundary_omega / (own.time_boundary * np.sqrt(60))
    assert float(own.time_boundary_k) == pytest.approx(float(k), rel=1e-2)
    assert (tmp_path / "map" / "time.csv").read_text().count("\n") == 3 + found.sizes["run"]
    figure = km.plot.flutter(found)
    assert "in time" in [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    again = km.flutter(case, **asked, resume=True)
    assert again.time_boundary.values == found.time_boundary.values


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("at", ["time-1/summary.json", "time-1/restart.h5"])
def test_a_map_that_was_killed_goes_on_with_the_bits_of_one_that_was_not(tmp_path, monkeypatch, at):
    """Before the first restart of its runs, and behind it."""
    monkeypatch.setattr(in_time, "STEPS", 24)
    monkeypatch.setitem(in_time.CYCLES, km.structure.TypicalSection, 2)
    monkeypatch.setattr(in_time, "ROUNDS", 1)
    loads = q_of(SECTION.axis, mach=(0.3, 0.4))
    monkeypatch.setitem(linear.FLOWN, km.structure.TypicalSection, lambda *_: loads)
    case = km.cases.load("isogai-a", QUICK).replace(nodes=520)
    asked = {"mach": [0.3, 0.4], "speed_index": (0.5, 4), "way": "both"}
    whole = km.flutter(case, **asked, out=tmp_path / "whole")
    left = tmp_path / "left"

    killed(lambda: km.flutter(case, **asked, out=left), (left / at).exists, 0.1)

    assert not (left / "boundary.csv").exists()
    found = km.flutter(case, **asked, out=left, resume=True)
    np.testing.assert_array_equal(found.time_zeta.values, whole.time_zeta.values)
    ours, theirs = (tmp_path / own / "time-1" / "history.csv" for own in ("left", "whole"))
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_modes_are_let_go_as_the_section_that_they_are(tmp_path, monkeypatch):
    """Plunge and a small turn about the axis; two speed indices, one run."""
    monkeypatch.setattr(in_time, "STEPS", 32)
    monkeypatch.setattr(in_time, "ROUNDS", 1)
    monkeypatch.setattr(in_time, "SCAN", 2)
    monkeypatch.setitem(in_time.CYCLES, km.structure.TypicalSection, 4)
    section = km.structure.TypicalSection(60, -0.5, 0.0, 0.25, 0.5)
    modes = km.structure.Modes(
        [lambda x: np.tile([0.0, 1.0], (len(x), 1)),
         lambda x: (x - [0.25, 0.0])[:, ::-1] * [1.0, -1.0]],
        [0.5, 1.0], [1.0, 0.0625], 60.0, np.pi / 4, 1.0,
    )  # fmt: skip
    case = km.cases.load("isogai-a", QUICK).replace(nodes=520)
    asked = {"mach": [0.3], "speed_index": (0.3, 0.6), "way": "time"}

    found = km.flutter(case, structure=modes, **asked, out=tmp_path)
    beside = km.flutter(case, structure=section, **asked)

    assert np.isfinite(found.time_zeta.values).all()
    assert found.time_omega.values == pytest.approx(beside.time_omega.values, rel=0.02)
    assert found.time_zeta.values == pytest.approx(beside.time_zeta.values, rel=0.1, abs=2e-3)
    assert (tmp_path / "time.csv").read_text().count("\n") == 3 + 2


@pytest.mark.slow
def test_pulses_and_time_agree_to_one_percent():
    """Case A at two Mach numbers, 1500 nodes, 96 steps a period, 0.1 degrees."""
    case = km.cases.load("isogai-a", ["solver.unsteady_drop=1e-3"]).replace(nodes=1500)

    found = km.flutter(case, mach=[0.75, 0.8], way="both")

    assert found.time_boundary.values == pytest.approx(found.boundary.values, rel=0.01)


@pytest.mark.slow
def test_a_scan_in_time_alone_finds_the_boundary():
    case = km.cases.load("isogai-a", ["solver.unsteady_drop=1e-3"]).replace(nodes=1500)

    found = km.flutter(case, mach=[0.8], speed_index=(0.4, 1.6), way="time")

    assert found.boundary.values == pytest.approx([0.8157], rel=5e-3)  # beside pulses
    assert found.end.values.tolist() == ["flutter"]
    assert km.plot.flutter(found).axes
