"""Joules of runs: in the summary, over parts that were resumed, in case files and sweeps."""

import json
import sys

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from kinemesh.cases.casefile import Case
from kinemesh.device.backend import Backend
from kinemesh.device.energy import Meter
from kinemesh.flow import registry
from kinemesh.io import summary
from kinemesh.run.joules import Spent
from kinemesh.study.sweep.case_rows import joules_of, variables_of
from meters import PCI, Board, Machine
from runs import MESH, QUICK, assert_same
from sweeps import case as small_case

pytestmark = pytest.mark.flow
NO_METER = "ignore:.*energy was asked for:RuntimeWarning"


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A socket at 200 W; a second passes at each look at Ctrl-C, between steps or iterations."""
    from kinemesh.run import interrupt

    made = Machine(monkeypatch, tmp_path / "powercap")
    made.add_zone("intel-rapl:0", "package-0", 200.0)
    real = interrupt.check

    def check():
        made.go_on(1.0)
        real()

    monkeypatch.setattr(interrupt, "check", check)
    return made


@pytest.fixture
def without(monkeypatch, tmp_path):
    """No powercap, wherever the tests run."""
    monkeypatch.setattr("kinemesh.device.counters.POWERCAP", tmp_path / "no-powercap")


def pitching():
    motion = km.motion.pitch(amplitude_deg=1, k=0.1)
    return km.Ale(MESH, mach=0.5, motion=motion, deform=km.deform.Rigid(), settings=QUICK,
                  device="cpu")  # fmt: skip


def run(folder=None, cycles=1, **more):
    return pitching().run(cycles=cycles, steps_per_cycle=4, out=folder, **more)


# ---------------------------------------------------------------- one run


def test_a_run_that_asks_for_it_has_joules_in_its_summary(machine, tmp_path):
    found = run(tmp_path / "out", energy=True).summary["energy"]

    seconds = found["seconds"]
    assert seconds >= 4
    assert found["cpu"]["joules"] == pytest.approx(200.0 * seconds)
    assert found["cpu"]["watts"] == pytest.approx(200.0)
    assert found["gpu"] == {"method": None, "why": "the run is on a CPU", "joules": None}
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["energy"] == found


def test_a_run_that_does_not_ask_never_meets_a_meter(monkeypatch, tmp_path):
    monkeypatch.setattr(Meter, "__init__", lambda *_: pytest.fail("a meter"))

    made = run(tmp_path / "out")

    assert "energy" not in made.summary
    assert "energy" not in json.dumps(saved(tmp_path / "out"))


def saved(folder):
    from kinemesh.io import restart

    return restart.read_latest(folder / "restart.h5")[1]


def test_a_run_without_meters_has_reasons_and_the_bits_of_one_that_does_not_ask(without, tmp_path):
    plain = run(tmp_path / "plain")
    with pytest.warns(RuntimeWarning, match="energy was asked for") as caught:
        asked = run(tmp_path / "asked", energy=True)

    assert sum("energy was asked for" in str(w.message) for w in caught) == 1
    assert_same(tmp_path / "plain", tmp_path / "asked")
    found = asked.summary["energy"]
    assert [found[name]["joules"] for name in ("gpu", "cpu")] == [None, None]
    assert found["cpu"]["why"].endswith("no-powercap is not there")
    extra = set(asked.summary["warnings"]) - set(plain.summary["warnings"])
    assert [text.startswith("energy was asked for and is not measured") for text in extra] == [True]
    assert "energy, cpu [J]" in summary.table(asked.summary)


def test_a_meter_that_is_not_there_is_told_once_and_at_once(without, monkeypatch):
    monkeypatch.setattr("kinemesh.run.unsteady.Unsteady.go", lambda self: 1 / 0)

    with (
        pytest.warns(RuntimeWarning, match=r"energy was asked for and is not measured: .*there$"),
        pytest.raises(ZeroDivisionError),
    ):
        run(energy=True)


def test_a_meter_of_the_gpu_is_not_missed_on_a_cpu(machine, monkeypatch, tmp_path):
    """A CPU's run with its sockets measured warns of nothing, with or without NVML."""
    monkeypatch.setitem(sys.modules, "pynvml", None)

    assert "energy" not in {n["about"] for n in run(energy=True).summary["notes"]}


@pytest.mark.parametrize("line", registry.SOLVERS, ids=lambda line: line.name)
def test_every_solver_measures(machine, line):
    space = MESH if line.on == "mesh" else km.Cloud.from_mesh(MESH)
    stream = {"mach": 0.5, "reynolds": 100.0}[line.streams[0]]
    solver = line.solver(space, **{line.streams[0]: stream}, device="cpu")

    made = solver.run(time_step=0.01, steps=2, start=solver.starts[-1], energy=True)

    assert made.summary["energy"]["cpu"]["joules"] >= 2 * 200.0


def test_a_steady_run_measures(machine):
    solver = km.Ale(MESH, mach=0.5, settings=km.AleSettings(steady_drop=0.1), device="cpu")

    found = solver.steady(energy=True).summary

    joules = found["energy"]["cpu"]["joules"]
    assert joules == pytest.approx(200.0 * (found["result"]["iterations"]), abs=200)
    assert "energy, cpu [J]" in summary.table(found)


@pytest.mark.parametrize("energy", ["yes", 1, None])
@pytest.mark.parametrize("door", ["run", "steady"])
def test_an_answer_that_is_none_is_refused(door, energy):
    of = {"cycles": 1, "steps_per_cycle": 8} if door == "run" else {}

    with pytest.raises(km.SettingsError, match=f"energy is {energy!r}, expected True or False"):
        getattr(pitching(), door)(**of, energy=energy)


def test_a_run_that_fails_leaves_nvml(monkeypatch, tmp_path):
    machine = Machine(monkeypatch, tmp_path / "powercap")
    machine.boards[PCI] = Board()
    spent = Spent(machine.backend(), None, 0, "steps")
    assert machine.inits == 1

    with pytest.raises(ZeroDivisionError), spent:
        _ = 1 / 0

    assert machine.inits == 0


# ---------------------------------------------------------------- parts


def test_a_resumed_run_adds_its_parts(machine, tmp_path):
    first = run(tmp_path / "out", energy=True).summary["energy"]
    whole = run(tmp_path / "out", 2, energy=True, resume=True).summary["energy"]

    assert whole["seconds"] >= first["seconds"] + 4
    assert whole["cpu"]["joules"] == pytest.approx(200.0 * whole["seconds"])
    assert whole["cpu"]["error_joules"] == pytest.approx(2 * 2 * 1e-3 * 200.0)
    assert "missing" not in whole["cpu"]


@pytest.mark.long
@pytest.mark.parametrize("asked", [(False, True), (True, False)])
def test_a_part_without_a_meter_leaves_no_sum_and_names_its_steps(machine, tmp_path, asked):
    run(tmp_path / "out", energy=asked[0])
    found = run(tmp_path / "out", 2, energy=asked[1], resume=True).summary["energy"]

    steps = [0, 4] if asked[1] else [5, 8]
    assert found["cpu"]["joules"] is None
    assert found["cpu"]["missing"] == [steps]
    assert found["cpu"]["why"] == f"steps {steps[0]} to {steps[1]}: energy was not asked for"


def parts(machine, *each):
    """Entry of the summary after parts of 8 steps and 8 s, on a CPU each, or without a meter."""
    kept, step = None, 0
    for asked in each:
        spent = Spent(Backend("cpu") if asked else None, kept, step, "steps")
        with spent:
            machine.go_on(8.0)
            step += 8
            kept = spent.kept(step).get("energy", {})
    return spent.told()


def test_parts_add_up(machine):
    found = parts(machine, True, True, True)["energy"]

    assert found["cpu"]["joules"] == pytest.approx(24 * 200.0)
    assert "missing" not in found["cpu"]


def test_steps_that_are_missing_are_kept_by_later_parts(machine):
    found = parts(machine, True, False, True, False)["energy"]["cpu"]

    assert found["missing"] == [[9, 16], [25, 32]]
    assert found["joules"] is None
    assert found["why"].count("energy was not asked for") == 2


def test_of_parts_that_nobody_asked_about_nothing_is_told(machine):
    assert parts(machine, False, False) == {}


def test_steps_that_follow_one_another_are_missing_together(machine):
    assert parts(machine, True, False, False)["energy"]["cpu"]["missing"] == [[9, 24]]


@pytest.mark.filterwarnings(NO_METER)
def test_parts_on_two_machines_tell_the_reason_of_each(machine, monkeypatch, tmp_path):
    spent = Spent(Backend("cpu"), None, 0, "steps")
    with spent:
        kept = spent.kept(8)["energy"]
    monkeypatch.setattr("kinemesh.device.counters.POWERCAP", tmp_path / "gone")
    with Spent(Backend("cpu"), kept, 8, "steps") as later:
        later.kept(16)

    found = later.told()["energy"]
    assert found["cpu"]["why"] == f"steps 9 to 16: {tmp_path / 'gone'} is not there"
    assert found["gpu"] == {"method": None, "why": "the run is on a CPU", "joules": None}


def test_iterations_of_a_steady_run_are_named_so(machine, tmp_path):
    def march(drop, **more):
        settings = km.AleSettings(steady_drop=drop)
        solver = km.Ale(MESH, mach=0.5, settings=settings, device="cpu")
        return solver.steady(tmp_path / "out", **more).summary

    count = march(0.1)["result"]["iterations"]
    found = march(0.01, resume=True, energy=True)["energy"]

    assert found["cpu"]["why"] == f"iterations 0 to {count}: energy was not asked for"


# ---------------------------------------------------------------- cases, the shell, sweeps


@pytest.mark.parametrize("text", ['"yes"', "1", "[true]"])
def test_a_case_file_says_true_or_false(text):
    with pytest.raises(km.CaseError, match=r"\[run\] energy = .*expected true or false"):
        km.cases.load("agard-ct5", [f"run.energy={text}"])


def test_a_key_near_to_it_is_an_error():
    with pytest.raises(km.CaseError, match="did you mean 'energy'"):
        km.cases.load("agard-ct5", ["run.enrgy=true"])


@pytest.mark.parametrize("mode", ["steady", "unsteady"])
def test_a_case_hands_it_on(machine, mode):
    made = small_case(run={"energy": True})
    if mode == "steady":
        tables = {k: v for k, v in made.tables().items() if k not in ("motion", "deform")}
        job = {"device": "cpu", "energy": True}
        solver = {"steady_drop": 0.3}
        made = Case.from_dict(tables | {"mode": mode, "run": job, "solver": solver})

    assert made.run().summary["energy"]["cpu"]["joules"] > 0
    assert "energy" not in made.replace(energy=False).run().summary


def test_a_run_on_a_gpu_without_the_package_says_what_to_install(monkeypatch, tmp_path):
    machine = Machine(monkeypatch, tmp_path / "powercap")
    monkeypatch.setitem(sys.modules, "pynvml", None)

    with pytest.warns(RuntimeWarning, match="pip install nvidia-ml-py"):
        spent = Spent(machine.backend(), None, 0, "steps")
    with spent:
        pass

    assert "pip install nvidia-ml-py" in spent.told()["energy"]["gpu"]["why"]


@pytest.mark.filterwarnings("always:.*energy was asked for:RuntimeWarning")
def test_the_shell_has_the_option(without, undrawn, tmp_path, capsys):
    words = ["run", "naca0012-subsonic", "--energy", "--nodes", "520", "--device", "cpu"]
    words += ["--set", "solver.steady_drop=0.5", "--out", str(tmp_path / "out")]

    assert cli.main(words) == 0

    ended = capsys.readouterr()
    assert "energy was asked for and is not measured" in ended.err
    assert "energy, cpu [J]" in ended.out
    assert summary.read(tmp_path / "out")["energy"]["cpu"]["joules"] is None


@pytest.mark.parametrize("there", [True, False])
def test_check_tells_which_meters_there_are(monkeypatch, tmp_path, capsys, there):
    machine = Machine(monkeypatch, tmp_path / "powercap")
    if there:
        machine.add_zone("intel-rapl:0", "package-0", 200.0)
    words = ["check", "naca0012-subsonic", "--energy", "--nodes", "520", "--device", "cpu"]

    assert cli.main([*words, "--out", str(tmp_path / "out")]) == 0

    (line,) = (own for own in capsys.readouterr().out.splitlines() if own.startswith("energy"))
    assert line.split(maxsplit=2)[1:] == (
        ["ok", "cpu: RAPL"] if there else ["warn", f"cpu: {tmp_path / 'powercap'} is not there"]
    )


def test_a_member_of_a_sweep_has_its_share(machine):
    xarray = pytest.importorskip("xarray")
    case = small_case(run={"energy": True, "steps_per_cycle": 4})

    found = km.sweep(case, over={"flow.mach": [0.4, 0.5]})

    assert isinstance(found, xarray.Dataset)
    joules = found.cpu_joules.values
    assert joules[0] == joules[1] > 0
    assert np.isnan(found.gpu_joules.values).all()
    assert found.cpu_joules.attrs["units"] == "J"
    assert "cpu_joules" not in variables_of([small_case()])


def test_the_shares_of_members_are_the_joules_of_the_run(machine):
    made = km.Ale(MESH, mach=[0.4, 0.5, 0.6], settings=QUICK, device="cpu").steady(energy=True)

    shares = joules_of(made, 3)

    assert 3 * shares["cpu_joules"] == pytest.approx(made.summary["energy"]["cpu"]["joules"])
