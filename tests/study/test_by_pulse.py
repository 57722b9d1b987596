"""Derivatives by pulses: on loads of a lag with its exact response, and beside harmonic runs."""

from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError, KinemeshError, KinemeshWarning
from kinemesh.study import by_pulse as module
from sweeps import case

K, MACH = [0.1, 0.3], [0.4, 0.5]
LAG = {"alpha": (0.5, 2.0, -0.3), "h": (0.5, -0.1, 1.5)}  # lag, stiffness, damping of cl
LEVER, SLOW = 0.1, 1e-9  # cm over cl


def exact(name, k, lag=None):
    """cl over the coordinate: f' + lag f = stiffness q + damping q', in reduced time."""
    own, stiffness, damping = LAG[name]
    s = 2j * np.asarray(k)
    return (stiffness + damping * s) / ((own if lag is None else lag) + s)


class Lagging:
    """A solver of no flow: its loads are those of `exact`, times 1 + the Mach number.

    `lag` by Mach number in place of those of `LAG`; `fails` is a member that fails, `done` the
    steps before a restart.
    """

    def __init__(self, cases, lag=None, fails=None, done=0):
        self.cases, self.lag, self.fails, self.done, self.asked = cases, lag, fails, done, {}
        self.ended, self.alive = {}, np.ones(len(cases), bool)
        self.alive[[] if fails is None else fails] = False
        self.grid = SimpleNamespace(ensemble=self)

    def end(self, steps):
        self.ended |= steps
        self.alive[list(steps)] = False

    def steps(self, **told):
        self.asked = told
        loads = np.column_stack([self.load(*own) for own in zip(self.cases, told["time_step"],
                                                                strict=True)])  # fmt: skip
        self.stepped = Stepped(self, loads)
        return self.stepped

    def load(self, case, time_step):
        """(steps,) cl of a case, by the trapezoidal rule with a quarter of its step."""
        chord, every = case.flow.references[1], 4
        law = case.motion.build(chord)
        name = "alpha" if law.pitch_deg else "h"
        lag, stiffness, damping = LAG[name]
        lag = lag if self.lag is None else self.lag[case.flow.mach]
        ds = time_step * case.flow.speed / chord / every
        s = ds * np.arange(self.asked["steps"] * every + 1)
        poses = [law.pose(t * chord, 1.0) for t in s]
        q = np.array([p.angle if name == "alpha" else p.shift[1] / chord for p in poses])
        drive = stiffness * q + damping * np.gradient(q, ds)
        f = np.zeros(len(s))
        for n in range(1, len(s)):
            f[n] = (1 - lag * ds / 2) * f[n - 1] + ds / 2 * (drive[n - 1] + drive[n])
            f[n] /= 1 + lag * ds / 2
        return 0.3 + (1 + case.flow.mach) * f[every::every]


class Stepped:
    def __init__(self, solver, loads):
        self.solver, self.loads, self.taken = solver, loads, solver.done

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __iter__(self):
        for n, row in enumerate(self.loads[self.solver.done :].copy(), start=self.solver.done + 1):
            self.taken = n
            row[~self.solver.alive] = np.nan
            yield SimpleNamespace(number=n, cl=row, cm=LEVER * row)

    @property
    def run(self):
        def rows(m):
            own = self.loads[: self.solver.ended.get(m, self.taken), m]
            return {"cl": own, "cm": LEVER * own, "converged": np.ones(len(own))}

        there = list(range(self.loads.shape[1]))
        failed = {} if self.solver.fails is None else {self.solver.fails: "broke"}
        return SimpleNamespace(
            history=SimpleNamespace(members=there, failed=failed, member=rows), steps=self.taken
        )


@pytest.fixture
def lagging(monkeypatch):
    """Solvers that were made; `lag` and `fails` of the next ones."""
    made, how = [], {}

    def solver(cases, spaces):
        made.append(Lagging(cases, **how))
        return made[-1]

    monkeypatch.setattr(module.ensemble, "solver", solver)
    monkeypatch.setattr(module.Spaces, "of", lambda self, case: None)
    return SimpleNamespace(made=made, how=how)


def test_all_frequencies_of_all_motions_and_mach_numbers_come_of_one_run(lagging):
    found = km.derivatives(case(), k=K, mach=MACH, axis=0.3, by="pulse")

    (one,) = lagging.made
    assert [c.flow.mach for c in one.cases] == [0.4, 0.4, 0.5, 0.5]
    assert one.asked["start"] == "steady"
    for m, mach in enumerate(MACH):
        # the trapezoidal rule of the lag is wrong by (omega ds)^2 / 12 of a quarter of the step
        for name in ("alpha", "h"):
            wanted = (1 + mach) * exact(name, K)
            assert found[f"cl_{name}"].values[m] == pytest.approx(wanted, rel=1e-3)
            assert found[f"cm_{name}"].values[m] == pytest.approx(LEVER * wanted, rel=1e-3)
    assert found.Q.dims == ("mach", "k", "load", "motion")
    assert found.Q.values[..., 0, 1] == pytest.approx(found.cl_alpha.values)
    assert found.converged.all()
    assert (found.unsettled <= module.TAIL).all()
    assert found.attrs["by"] == "pulse"


def test_a_pulse_has_the_load_at_rest_too_and_a_harmonic_motion_none(lagging):
    found = km.derivatives(case(), k=[0.0, 0.1], mach=[0.4], by="pulse")
    at_rest = 1.4 * exact("alpha", 0.0)

    assert found.cl_alpha.values[0, 0] == pytest.approx(at_rest, rel=1e-3)
    with pytest.raises(KinemeshError, match="expected numbers from 0 on"):
        km.derivatives(case(), k=[-0.1], by="pulse")
    with pytest.raises(KinemeshError, match="expected one above 0 too"):
        km.derivatives(case(), k=[0.0], by="pulse")
    with pytest.raises(KinemeshError, match="expected numbers above 0"):
        km.derivatives(case(), k=[0.0])


def test_progress_tells_that_loads_at_rest_end_a_run_before_its_most_steps(lagging, capsys):
    km.derivatives(case(), k=[0.2], by="pulse", progress=True)

    said = capsys.readouterr().err.splitlines()
    step = lagging.made[0].asked["time_step"][0] * case().flow.speed
    assert said[-1].endswith(f" is the last; {lagging.made[0].asked['steps']} are the most")
    assert module.FIRST <= int(said[-1].split()[1]) * step < module.MOST
    km.derivatives(case(), k=[0.2], by="pulse")
    assert capsys.readouterr().err == ""


def test_chords_of_the_mesh_and_conventions_are_those_of_harmonic_runs(lagging, tmp_path):
    wide = case(flow={"chord": 2.0})

    found = km.derivatives(wide, k=[0.2], h="down", length="b", by="pulse", out=tmp_path)

    pitch, plunge = lagging.made[0].cases
    assert pitch.motion.pulse["duration"] == plunge.motion.pulse["duration"] == 8.0
    # h' of sin^4 is at most 4 pi (3/4)^(3/2) / 2 of its amplitude over its duration: half a degree
    steepest = 2 * np.pi * 0.75**1.5 / 8.0
    assert plunge.motion.pulse["plunge"] * steepest == pytest.approx(2.0 * np.radians(0.5))
    assert found.Q.values[0, 0, 0, 0] == pytest.approx(1.5 * exact("h", 0.2), rel=1e-3)
    assert found.Q.values[0, 0, 0, 1] == pytest.approx(-2 * 1.5 * exact("alpha", 0.2), rel=1e-3)
    assert (tmp_path / "q-mach0.5.csv").exists()
    assert lagging.made[0].asked["out"] == tmp_path / "pulse"


def test_a_run_goes_on_until_its_loads_have_come_to_rest(lagging):
    short = km.derivatives(case(), k=K, by="pulse")
    lagging.how["lag"] = {0.5: 0.12}  # exp(-0.12 30) is 3 %, exp(-0.12 70) below 1e-3

    long = km.derivatives(case(), k=K, by="pulse")

    assert short.cl_alpha.values[0] == pytest.approx(1.5 * exact("alpha", K), rel=1e-3)
    assert long.cl_alpha.values[0] == pytest.approx(1.5 * exact("alpha", K, 0.12), rel=3e-3)
    assert long.unsettled.max() <= module.TAIL


def test_loads_that_never_come_to_rest_are_told_with_their_mach_number(lagging):
    lagging.how["lag"] = {0.4: 0.01, 0.5: 0.01}

    with pytest.warns(KinemeshWarning, match=r"at Mach 0.4, 0.5 are still .* % of their peak"):
        found = km.derivatives(case(), k=K, mach=MACH, by="pulse")

    assert (found.unsettled > module.TAIL).all()


def test_a_member_that_failed_has_no_numbers_and_others_have(lagging):
    km.derivatives(case(), k=K, mach=MACH, by="pulse")
    ended = lagging.made.pop().ended
    lagging.how["fails"] = 3  # the plunge of the second Mach number

    found = km.derivatives(case(), k=K, mach=MACH, by="pulse")

    assert np.isnan(found.cl_h.values[1]).all()
    assert not found.converged.values[1].any()
    assert np.isfinite(found.cl_h.values[0]).all()
    assert np.isfinite(found.cl_alpha.values).all()
    assert lagging.made[0].ended == {m: ended[m] for m in (0, 1, 2)}


def test_a_run_that_was_stopped_goes_on_from_its_restart(lagging, monkeypatch, tmp_path):
    """The history has 30 rows that the restart has not; they come once more."""
    whole = km.derivatives(case(), k=K, by="pulse")
    before = lagging.made[0].stepped
    rows = [[own, LEVER * own] for own in before.loads[:130]]
    lagging.how["done"], how = 100, {"whole": True}
    monkeypatch.setattr(module, "_before", lambda out, members, columns: ([*rows], how["whole"]))

    found = km.derivatives(case(), k=K, by="pulse", out=tmp_path, resume=True)

    assert not lagging.made[1].asked["resume"]  # no folder is there yet
    (tmp_path / "pulse").mkdir()
    found = km.derivatives(case(), k=K, by="pulse", out=tmp_path, resume=True)
    assert lagging.made[2].asked["resume"]
    assert lagging.made[2].stepped.taken == before.taken
    assert (found.Q == whole.Q).all()
    how["whole"] = False  # a member had ended: the run begins anew
    km.derivatives(case(), k=K, by="pulse", out=tmp_path, resume=True)
    assert not lagging.made[3].asked["resume"]


def test_members_end_as_they_do_alone_whoever_is_beside_them(lagging):
    lagging.how["lag"] = {0.4: 0.5, 0.5: 0.12}

    both = km.derivatives(case(), k=K, mach=MACH, by="pulse")

    ends = lagging.made[0].ended
    assert ends[0] < ends[2]
    for m, mach in enumerate(MACH):
        alone = km.derivatives(case(), k=K, mach=[mach], by="pulse")
        assert (both.Q.values[m] == alone.Q.values[0]).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"by": "step"}, "by is 'step', expected 'harmonic' or 'pulse'"),
        ({"device": ["cpu", "cpu"]}, "expected one: by='pulse' runs all at once"),
    ],
)
def test_what_pulses_cannot_do_is_refused(change, said, lagging):
    with pytest.raises(KinemeshError, match=said):
        km.derivatives(**{"case": case(), "k": K, "by": "pulse"} | change)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_a_run_goes_on_in_its_folder_with_the_bits_of_one_that_went_on(tmp_path, monkeypatch):
    for name, value in (("FIRST", 2.0), ("MOST", 3.0), ("MORE", 0.5)):
        monkeypatch.setattr(module, name, value)
    told = {"case": case(), "k": [0.3], "axis": 0.25, "by": "pulse", "out": tmp_path}

    found = km.derivatives(**told)

    run = km.open(tmp_path / "pulse")
    assert run.history.rows == 2 * np.ceil(3.0 / found.attrs["time_step"])
    monkeypatch.setattr(module, "MOST", 4.0)
    longer = km.derivatives(**told, resume=True)
    whole = km.derivatives(**told | {"out": tmp_path / "anew"})
    assert (longer.Q == whole.Q).all()
    assert not (longer.Q == found.Q).any()
    assert (km.derivatives(**told, resume=True).Q == longer.Q).all()
    finer = case().replace(nodes=700)
    for other in ({"amplitude_deg": 1.0}, {"mach": [0.45]}, {"k": [3.0]}, {"case": finer}):
        with pytest.raises(CaseError, match="another run"):  # the run has come to its end
            km.derivatives(**told | other, resume=True)
    with pytest.raises(
        CaseError, match=r"another run.*; choose another folder, or remove that one$"
    ):
        km.derivatives(**told | {"amplitude_deg": 1.0})


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_the_history_of_members_that_end_before_others_is_whole(tmp_path, monkeypatch):
    for name, value in (("FIRST", 2.0), ("MOST", 4.0), ("MORE", 0.5)):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(module.Pulses, "tail", lambda self, loads: 0.0 if loads[1, 5] < 0 else 1.0)

    found = km.derivatives(case(), k=[0.3], axis=0.25, by="pulse", out=tmp_path)

    run = km.open(tmp_path / "pulse")
    ends = [run.history.member(m).rows for m in range(2)]
    assert min(ends) == np.ceil(2.0 / found.attrs["time_step"])
    assert max(ends) == np.ceil(4.0 / found.attrs["time_step"])
    assert run.history.lost == {}
    assert run.summary["result"]["steps_run"] == ends


@pytest.mark.slow
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_pulses_have_the_derivatives_of_harmonic_runs():
    """On 520 nodes, of which both methods see the same flow."""
    base = case(run={"cycles": 4, "steps_per_cycle": 48}, solver={"unsteady_drop": 1e-3})

    pulsed = km.derivatives(base, k=[0.3], axis=0.25, by="pulse")

    swung = km.derivatives(base, k=[0.3], axis=0.25)
    ratio = pulsed.Q.values[0, 0] / swung.Q.values[0, 0]
    assert np.abs(np.abs(ratio) - 1).max() < 0.01
    assert np.degrees(np.abs(np.angle(ratio))).max() < 1.0
