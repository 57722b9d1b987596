"""Loops that are periodic and loops that are not; runs that go on until they are."""

import shutil
import warnings
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.io import summary
from kinemesh.run.criteria import periodicity
from kinemesh.study.hysteresis import hysteresis
from made_up import changed, folder
from made_up import run as made_up
from runs import MESH, QUICK, assert_same
from solver_cases import case_text

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]
LONG = {"cycles": 9, "steps_per_cycle": 8, "until": "periodic"}


def case(k=(0.3,), mach=0.5):
    pitches = [km.motion.pitch(2.0, one) for one in k]
    return km.Ale(MESH, mach=mach, motion=pitches, deform=km.deform.Rigid(), device="cpu",
                  settings=QUICK)  # fmt: skip


# ---------------------------------------------------------------- loops


def test_a_loop_is_periodic_up_to_its_tolerance():
    loop = hysteresis(made_up(cycles=2, grow=0.02))
    share = loop.cl.change.rms / loop.cl.amplitude

    assert loop.change == share > loop.cm.change.rms / loop.cm.amplitude
    assert loop.periodic is False
    assert hysteresis(made_up(cycles=2, grow=0.02), tolerance=share).periodic is True
    assert hysteresis(made_up(cycles=2, grow=0.02), tolerance=0.999 * share).periodic is False
    assert hysteresis(made_up(cycles=2)).periodic is True


def test_nothing_is_known_of_one_cycle():
    loop = hysteresis(made_up(cycles=1.5))

    assert loop.change is None
    assert loop.periodic is None
    told = summary.table({**about(), "result": loop.to_dict()})
    assert "not known: less than two whole cycles" in told
    told = summary.table({**about(), "result": {"periodic": [None, None]}})
    assert "not known: less than two whole cycles" in told


def test_a_load_that_is_round_off_is_periodic():
    history = made_up(cycles=2)
    rng = np.random.default_rng(0)

    assert hysteresis(changed(history, cm=1e-12 * rng.normal(size=64))).periodic is True


@pytest.mark.parametrize(("size", "periodic"), [(5e-6, True), (2e-2, False)])
def test_a_lift_that_symmetry_makes_zero_beside_the_drag_is_periodic(size, periodic):
    """A cylinder that oscillates in line with the stream: drag of 1, a lift of rounding."""
    history = made_up(cycles=2)
    rng = np.random.default_rng(0)
    drag = np.sin(2 * np.pi * history["cycle"])
    lift = size * rng.normal(size=64)

    loop = hysteresis(changed(history, cl=lift, cm=0.0 * lift, cd=drag))

    assert loop.cl.change.rms > 0.1 * loop.cl.amplitude
    assert loop.periodic is periodic
    assert (loop.change == 0) is periodic


@pytest.mark.parametrize(("share", "periodic"), [(0.01 - 1e-9, True), (0.01 + 1e-9, False)])
def test_a_loop_may_change_by_a_hundredth_of_its_amplitude(share, periodic):
    history = made_up(cycles=2)
    lift = np.sin(2 * np.pi * history["cycle"]) + share * (history["cycle"] > 1)

    loop = hysteresis(changed(history, cl=lift))

    assert loop.change == pytest.approx(share, rel=1e-12)
    assert loop.periodic is periodic


@pytest.mark.parametrize(("share", "nothing"), [(1 - 1e-9, True), (1 + 1e-9, False)])
def test_a_lift_below_a_ten_thousandth_of_the_drag_is_nothing(share, nothing):
    history = made_up(cycles=2)
    drag = np.sin(2 * np.pi * history["cycle"])
    lift = 1e-4 * share * np.where(history["cycle"] > 1, drag, 0.3 * drag)

    loop = hysteresis(changed(history, cl=lift, cm=0 * lift, cd=drag))

    assert (loop.change == 0) is loop.periodic is nothing


def test_the_load_that_is_not_periodic_is_the_one_that_is_named():
    history = made_up(cycles=2)
    cl = 5e-3 * np.sin(2 * np.pi * history["cycle"])
    cm = np.where(history["cycle"] > 1, 1.0, 0.5) * np.sin(2 * np.pi * history["cycle"])
    loop = hysteresis(changed(history, cl=cl, cm=cm)).to_dict()
    plan = SimpleNamespace(until="cycles", tolerance=0.01)
    told = periodicity(plan, {0: loop})[0]
    assert "of the amplitude of cm" in told
    # until="periodic" ends at `cycles` too, so that alone it would not help
    assert told.endswith("raise cycles, and until='periodic' runs no more of them than it takes")


def about():
    return summary.collect("unsteady", "cpu", "float64", {"mach": 0.5}, {}, {}, {"flow": 1.0}, {})


# ---------------------------------------------------------------- figures


def test_a_moment_that_is_nothing_beside_the_lift_does_not_count():
    """About the aerodynamic centre of NACA 0012 pitched at M 0.1, k 0.01, steps ended at 1e-2: a
    moment of 0.14 % of the lift's amplitude, whose cycles go on to differ by 1.3 % of its own."""
    history = made_up(cycles=2)
    lift = hysteresis(history).cl.amplitude
    small = 0.0014 * lift

    def told(change):
        cycle = history["cycle"]
        cm = small * np.sin(cycle * 2 * np.pi) + np.where(cycle > 1, change, 0)
        return hysteresis(changed(history, cm=cm))

    assert told(0.0128 * small).periodic is True
    assert told(1.1e-4 * lift).periodic is False  # 1 % of what is 1 % of the lift
    assert told(1.1e-4 * lift).cm.share == pytest.approx(0.011, rel=1e-9)


@pytest.mark.parametrize("cycles", [2, 2.25])
def test_a_loop_that_is_not_periodic_is_drawn_open(cycles):
    history = made_up(cycles=cycles, grow=0.1)
    loop = hysteresis(history)

    lift = plot.hysteresis(loop).axes[0]

    curve, ends_of_it, *_ = lift.lines
    last = history["cl"][-33:]
    np.testing.assert_allclose(curve.get_ydata(), last, rtol=1e-12)
    np.testing.assert_allclose(curve.get_xdata(), history["alpha_deg"][-33:], atol=1e-12)
    assert ends_of_it.get_ydata().tolist() == [last[0], last[-1]]
    assert abs(last[0] - last[-1]) > 0.001
    assert f"not periodic: changes by {100 * loop.change:.2g} % a cycle" in curve.get_label()


@pytest.mark.parametrize("cycles", [2, 2.25])
def test_steps_of_an_open_loop_are_marked_where_they_are(cycles):
    history = made_up(cycles=cycles, grow=0.1, amplitude=0.0)
    bad = history.rows - 11
    history = changed(history, converged=np.arange(history.rows) != bad)

    lift = plot.hysteresis(hysteresis(history)).axes[0]

    curve, _, marks = lift.lines
    assert marks.get_ydata().tolist() == [history["cl"][bad]]
    assert marks.get_xdata()[0] % 360 == pytest.approx(history["phase_deg"][bad])
    assert np.diff(curve.get_xdata()) == pytest.approx(360 / 32)
    assert curve.get_ydata()[-1] == history["cl"][-1]


@pytest.mark.filterwarnings("ignore:no pressures:UserWarning")
def test_the_figure_of_a_folder_goes_by_the_run_s_tolerance(tmp_path, monkeypatch, undrawn):
    seen = []
    monkeypatch.setattr("kinemesh.plot.folder.hysteresis", lambda loop, *_: seen.append(loop))
    folder(tmp_path)
    told = summary.read(tmp_path / "summary.json")["conditions"]
    summary.update(tmp_path / "summary.json", conditions=told | {"periodic_tolerance": 0.25})

    plot.from_directory(tmp_path)

    assert [loop.tolerance for loop in seen] == [0.25]


# ---------------------------------------------------------------- runs


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Folder and Run of two members until both are periodic; not to be changed."""
    out = tmp_path_factory.mktemp("whole")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return out, case((0.1, 0.3)).run(**LONG, out=out)


def test_each_member_ends_where_it_is_periodic(whole):
    """Measured: the slow member is periodic after three cycles, the fast one after four."""
    _, run = whole
    told = run.summary

    assert told["result"]["periodic"] == [True, True]
    assert told["result"]["cycles"] == pytest.approx([3, 4])
    assert told["conditions"]["cycles"] == 4
    assert told["conditions"]["most_cycles"] == 9
    assert told["conditions"]["steps"] == 32
    assert (told["conditions"]["until"], told["conditions"]["periodic_tolerance"]) == (
        "periodic", 0.01)  # fmt: skip
    assert [run.history.member(m)["step"].max() for m in (0, 1)] == [24, 32]
    early = changed(run.history, run.history["step"] <= 24)
    assert [hysteresis(early, m).periodic for m in (0, 1)] == [True, False]


@pytest.mark.long
def test_members_that_end_early_end_as_they_do_alone(whole, tmp_path):
    for member, k in enumerate((0.1, 0.3)):
        solo = case((k,)).run(**LONG, out=tmp_path / str(k)).history
        found = whole[1].history.member(member)

        assert found.columns == solo.columns
        for name in solo.columns:
            if name != "member":
                assert found[name].tolist() == solo[name].tolist()


def test_a_member_that_has_ended_takes_no_pseudo_step(monkeypatch):
    made = case((0.1, 0.3))
    counts = []
    begin = type(made).begin_step
    monkeypatch.setattr(
        type(made),
        "begin_step",
        lambda solver, *given: (
            counts.append(solver.backend.get(solver.dualtime.iterations)) or begin(solver, *given)
        ),
    )

    made.run(**LONG)

    after = np.array(counts[25:])  # of the steps from 25 on
    assert (after[:, 0] == 0).all()
    assert (after[:, 1] > 0).all()


def test_a_motion_that_fails_after_its_member_has_ended_fails_nobody():
    base, omega = km.motion.pitch(2.0, 0.1), 2 * 0.1 * 0.5

    def law(time):
        if time > 3.05 * 2 * np.pi / omega:
            raise ValueError("no more")
        return base.pose(time, 0.5)

    motion = [km.motion.function(law, omega=omega), km.motion.pitch(2.0, 0.3)]
    made = km.Ale(MESH, mach=0.5, motion=motion, deform=km.deform.Rigid(), device="cpu",
                  settings=QUICK)  # fmt: skip

    run = made.run(**LONG)

    assert [run.history.member(m)["step"].max() for m in (0, 1)] == [24, 32]
    assert run.failed == []


@pytest.mark.long
def test_a_run_that_was_stopped_ends_where_the_other_does(whole, tmp_path):
    case((0.1, 0.3)).run(cycles=1.25, steps_per_cycle=8, out=tmp_path)

    run = case((0.1, 0.3)).run(**LONG, out=tmp_path, resume=True)

    assert run.history["step"].max() == 32
    assert_same(whole[0], tmp_path, ("-0", "-1"))


def test_a_run_that_is_periodic_does_not_go_on(whole, tmp_path):
    out = shutil.copytree(whole[0], tmp_path / "again")

    again = case((0.1, 0.3)).run(**LONG, out=out, resume=True)

    assert again.history["step"].max() == 32
    with pytest.raises(km.CaseError, match="member 0 was periodic and ended after step 24, others"):
        case((0.1, 0.3)).run(**LONG | {"until": "cycles"}, out=out, resume=True)
    with pytest.raises(km.CaseError, match="member 0 was periodic and ended after step 24, others"):
        case((0.1, 0.3)).run(**LONG, periodic_tolerance=1e-6, out=out, resume=True)


def test_a_run_that_is_periodic_goes_on_where_all_ended_together(tmp_path):
    case((0.3,)).run(**LONG, out=tmp_path)

    more = LONG | {"until": "cycles", "cycles": 4.25}
    assert case((0.3,)).run(**more, out=tmp_path, resume=True).history["step"].max() == 34


def test_the_most_cycles_end_a_run_that_is_not_periodic_with_a_warning():
    with pytest.warns(RuntimeWarning, match="member 0: not periodic, the last of 2 cycles") as told:
        run = case().run(**LONG | {"cycles": 2})

    share = run.summary["result"]["change"]
    assert run.summary["result"]["periodic"] is False
    assert f"by {100 * share:.2g} % of the amplitude" in str(told[-1].message)
    assert "raise cycles" in str(told[-1].message)
    assert any("not periodic" in text for text in run.summary["warnings"])


def test_one_cycle_says_that_nothing_is_known():
    with pytest.warns(RuntimeWarning, match="is not known of less than two cycles; raise cycles"):
        run = case().run(**LONG | {"cycles": 1})

    assert run.summary["result"]["periodic"] is None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        case().run(cycles=1, steps_per_cycle=8)
    assert not any("periodic" in str(w.message) for w in told)


def test_a_tolerance_of_one_s_own_is_kept_to():
    run = case().run(**LONG, periodic_tolerance=0.05)

    assert run.summary["result"]["cycles"] == 3
    assert 0.01 < run.summary["result"]["change"] <= 0.05
    assert run.summary["result"]["periodic"] is True


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"until": "converged"}, "until is 'converged', expected 'cycles' or 'periodic'"),
        ({"periodic_tolerance": 0}, "periodic_tolerance is 0, expected a number above 0"),
        ({"periodic_tolerance": "1 %"}, "periodic_tolerance is '1 %', expected a number"),
        ({"cycles": None, "steps_per_cycle": None, "time_step": 0.1, "steps": 9},
         "until is 'periodic' in a run by time_step and steps, which has no cycles; give cycles"),
        ({"cycles": None, "steps_per_cycle": None, "time_step": 0.1, "steps": 9, "until": None,
          "periodic_tolerance": 0.1}, "periodic_tolerance is 0.1 in a run by time_step"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused(given, words):
    with pytest.raises(km.SettingsError, match=words):
        case().run(**(LONG | given))


def test_a_case_file_runs_until_periodic(tmp_path):
    more = 'until = "periodic"\nperiodic_tolerance = 0.2\n[solver]\nunsteady_drop = 1e-2'
    (tmp_path / "small.toml").write_text(case_text(method="rigid", cycles=9, more=more))

    told = km.cases.load(tmp_path / "small.toml").run().summary["conditions"]

    assert (told["until"], told["periodic_tolerance"]) == ("periodic", 0.2)
    assert (told["cycles"], told["most_cycles"]) == (2, 9)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "cycles = 2",
            'cycles = 2\nuntil = "ever"',
            r"\[run\] until = 'ever', expected one",
        ),
        (
            "cycles = 2",
            "cycles = 2\nperiodic_tolerance = 0",
            r"\[run\] periodic_tolerance = 0",
        ),
    ],
)
def test_wrong_words_of_a_case_file_are_refused(tmp_path, old, new, words):
    (tmp_path / "c.toml").write_text(case_text().replace(old, new))

    with pytest.raises(km.CaseError, match=words):
        km.cases.load(tmp_path / "c.toml")


def test_a_steady_case_has_no_until():
    with pytest.raises(km.CaseError, match=r"is steady, so \[run\] until has no meaning"):
        km.cases.load("naca0012-subsonic").replace(until="periodic")


@pytest.mark.parametrize("name", ["agard-ct5", "agard-ct6"])
def test_the_ready_cases_run_until_periodic(name):
    job = km.cases.load(name).job

    assert (job.until, job.cycles, job.periodic_tolerance) == ("periodic", 10, None)
