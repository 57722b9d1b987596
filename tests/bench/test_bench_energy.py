"""kinemesh bench --energy: joules between ticks, ratios, P2's rule, tables, wrong input."""

import argparse
import json
import os
from functools import partial
from types import SimpleNamespace

import kinemesh as km
import pytest
from kinemesh import bench, cli
from kinemesh.bench import energy, joules
from kinemesh.bench.energy import PAPER, ROWS
from kinemesh.bench.groups import GROUPS
from kinemesh.bench.joules import KEYS, Rated, counted, idle_watts, markdown, read
from kinemesh.bench.rows import Work
from kinemesh.device.backend import Backend
from kinemesh.errors import CaseError, DeviceError, SettingsError
from meters import PCI, RANGE, Board, Machine

pytestmark = pytest.mark.no_sanitizer


def arguments(*words):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(["--energy", *words])


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A GPU at 300 W and a socket at 200 W, whose clock is the bench's too."""
    made = Machine(monkeypatch, tmp_path / "powercap")
    made.boards[PCI] = Board(300.0, limit=700_000)
    made.add_zone("intel-rapl:0", "package-0", 200.0, start=RANGE - 50_000_000)
    monkeypatch.setattr(joules, "perf_counter", lambda: made.now)
    monkeypatch.setattr(joules, "sleep", made.go_on)
    monkeypatch.setattr(joules, "clock", lambda backend, work: 0.02)
    return made


def working(machine, seconds=0.02, **notes):
    """Work of so many seconds each time, on the machine's clock."""
    return Work(
        lambda times: lambda: machine.go_on(times * seconds), None, notes={"each": 1} | notes
    )


# ---------------------------------------------------------------- seconds and joules


@pytest.mark.parametrize(("began", "seconds"), [(0.0, 1.0), (0.03, 1.0), (0.099, 3.0)])
def test_joules_are_those_between_two_ticks_wherever_the_work_begins(machine, began, seconds):
    machine.go_on(began)

    count = counted(machine.backend(), working(machine), seconds)

    assert count.times * 0.02 == pytest.approx(count.seconds)
    assert seconds <= count.seconds < seconds + 0.021
    assert count.over > seconds
    # ticks are seen within one piece of 20 ms, at both ends
    assert count.watts == pytest.approx(300.0, rel=0.02 / seconds)
    assert count.facts["power_limit_watts"] == 700.0
    assert count.facts["host_watts"] == pytest.approx(200.0)
    assert machine.inits == 0


def test_joules_of_a_cpu_are_those_of_its_sockets_while_it_works(machine):
    count = counted(Backend("cpu"), working(machine), 2.0)

    assert count.joules == pytest.approx(200.0 * count.over)
    assert count.over == pytest.approx(count.seconds)
    assert count.facts["method"] == "RAPL"


def test_what_needs_a_cycle_is_done_for_a_cycle(machine):
    count = counted(Backend("cpu"), working(machine, 0.5, least=64), 3.0)

    assert count.times == 64
    assert count.seconds == pytest.approx(32.0)


def test_a_counter_that_stands_still_leaves_the_seconds(machine):
    machine.boards[PCI].still = True

    count = counted(machine.backend(), working(machine), 2.0)

    assert (count.joules, count.watts) == (None, None)
    assert count.why == "the counter stood still for 2 s"
    assert count.seconds >= 2.0


def test_a_device_without_a_meter_has_seconds_and_a_reason(machine):
    count = counted(machine.backend("0000:FF:00.0"), working(machine), 2.0)

    assert count.joules is None
    assert "Not Found" in count.why
    assert count.times * 0.02 == pytest.approx(count.seconds)


def test_a_device_that_fails_on_the_way_leaves_nvml(machine):
    def works():
        machine.go_on(0.1)
        if machine.now > 2.0:
            assert machine.inits == 1
            raise DeviceError("gone")

    work = Work(lambda times: works, None, notes={"each": 1})
    with pytest.raises(DeviceError, match="gone"):
        counted(machine.backend(), work, 3.0)

    assert machine.inits == 0


def test_idle_is_measured_where_there_is_a_meter(machine, monkeypatch):
    monkeypatch.setattr(joules, "WARM", 0.0)

    assert idle_watts(Backend("cpu")) == pytest.approx(200.0)
    monkeypatch.setattr("kinemesh.device.counters.POWERCAP", machine.root / "nowhere")
    before = machine.now
    assert idle_watts(Backend("cpu")) is None
    assert machine.now == before  # nobody waits for what is not measured


# ---------------------------------------------------------------- ratios


def of_device(seconds, joules_per_item, threads=None, row="p2-ct5", limit=225.0):
    return {
        "row": row,
        "seconds": seconds,
        "joules_per_item": joules_per_item,
        "threads": threads,
        "power_limit_watts": limit,
    }


@pytest.mark.parametrize("row", ["p2-steady", "p2-ct5", "p2-ct6"])
@pytest.mark.parametrize("card", ["Quadro 2000", "Tesla C2075"])
def test_the_papers_rule_gives_the_papers_ratios(row, card):
    """From its seconds, within 0.2 points: it has them with two to four digits."""
    known = PAPER[row]
    own = known["cards"][card]
    rated = Rated(known["cpu_watts"], known["cpu_cores"])

    found = joules._ratios(
        of_device(own["seconds"], None, row=row, limit=own["watts"]),
        of_device(known["cpu_seconds"], None, threads=1, row=row),
        rated,
    )

    assert found["rule"]["method"] == "rated power x seconds (P2)"
    assert found["rule"]["ratio"] == pytest.approx(own["ratio"], abs=0.002)
    assert found["speed_up"] == pytest.approx(own["speed_up"], abs=0.05)
    assert found["ratio"] is None


@pytest.mark.parametrize("rated", [None, Rated(80.0, 6), Rated(8000.0, 6)])
def test_rated_power_is_in_no_measured_ratio(rated):
    found = joules._ratios(of_device(1.0, 200.0), of_device(30.0, 400.0, threads=1), rated)

    assert found["ratio"] == 0.5
    assert (found["rule"] is None) == (rated is None)


def test_speed_up_is_over_one_core_alone():
    found = joules._ratios(of_device(1.0, 200.0), of_device(30.0, 400.0, 2), Rated(80.0, 6))

    assert found["speed_up"] is found["rule"] is None
    assert found["ratio"] == 0.5


def test_without_a_limit_of_the_board_its_rule_has_no_ratio():
    found = joules._ratios(of_device(1.0, None, limit=None), of_device(9.0, 1.0, 1), Rated(80.0, 6))

    assert found["rule"] is found["ratio"] is None
    assert found["speed_up"] == 9.0


def test_figures_of_the_cpu_come_first_and_the_others_refer_to_them(machine, monkeypatch):
    gpu = machine.backend()
    gpu.dtype, gpu.describe = "float64", lambda: {"device": "cuda:0", "name": "Made-up GPU"}
    made = {True: working(machine, 0.005), False: working(machine, 0.5)}
    monkeypatch.setitem(GROUPS, "energy", lambda b, *_: iter([("p2-ct5", made[b.on_gpu])]))
    monkeypatch.setattr(joules, "idle_watts", lambda backend: 50.0)
    monkeypatch.setattr(Backend, "describe", lambda self: {"device": "cpu", "threads": 1})

    one, other = joules.figures([gpu, Backend("cpu")], ["p2-ct5"], 3.0, Rated(80.0, 6))

    assert (one["device"], other["device"]) == ("cpu", "cuda:0")
    assert one["joules_per_item"] == pytest.approx(100.0)
    assert other["joules_per_item"] == pytest.approx(1.5, rel=0.01)
    assert other["speed_up"] == pytest.approx(100.0)
    assert other["ratio"] == pytest.approx(0.015, rel=0.01)
    assert other["rule"]["ratio"] == pytest.approx(700.0 / (80.0 / 6) / 100.0)
    cells = joules.cells(other)
    assert cells[8] == "250"  # net of idle
    assert cells[-4:] == ["1.50%", "52.50%", "56.50%", "1.02"]
    assert joules.cells(one)[-4:] == ["", "", "", "30.41"]


# ---------------------------------------------------------------- the rows


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Figures of every row, small, on a CPU without powercap, as written."""
    path = tmp_path_factory.mktemp("energy") / "figures.json"
    small = {"POINTS": 600, "POINTS_CT6": 600, "MILLION": 700, "NODES": 600, "COPIED": 1 << 16,
             "STEPS_PER_CYCLE": 8}  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in small.items():
            patch.setattr(energy, name, value)
        loose = km.MeshlessSettings(steady_drop=0.3, unsteady_drop=0.3)
        patch.setattr(energy, "Meshless", partial(km.Meshless, settings=loose))
        patch.setattr(joules, "WARM", 0.01)
        patch.setattr("kinemesh.device.counters.POWERCAP", path.parent / "nowhere")
        patch.setattr("kinemesh.bench.options.LEAST_SECONDS", 0.01)
        words = ["--device", "cpu", "--seconds", "0.02", "--json", str(path)]
        assert bench.main(arguments(*words)) == 0
    return path


def test_every_row_has_a_figure_with_its_seconds_and_the_reason_for_no_joules(lines):
    figures = read([lines])

    assert [figure["row"] for figure in figures] == list(ROWS)
    for figure in figures:
        assert {*KEYS} <= {*figure}
        assert figure["seconds"] > 0
        assert figure["joules"] is figure["watts"] is figure["idle_watts"] is None
        assert figure["why"].endswith("nowhere is not there")
        assert "NaN" not in json.dumps(figure)
    assert figures[1]["iterations"] > 1


def test_an_item_is_what_the_papers_table_has(lines):
    by_row = {figure["row"]: figure for figure in read([lines])}

    for row, each in (("p2-steady", 10_000), ("p2-million", 1), ("p2-ct5", 1)):
        own = by_row[row]
        assert own["seconds"] == pytest.approx(own["repeated_for"] / own["repetitions"] * each)
    nodes = by_row["residual"]["nodes"]
    whole = by_row["residual"]["repeated_for"] / by_row["residual"]["repetitions"]
    assert by_row["residual"]["seconds"] == pytest.approx(whole * 1e6 / nodes)


def test_real_steps_are_those_of_the_paper(host, monkeypatch):
    """64 of a cycle of k = omega c / (2 U), U = M a_inf."""
    made = []
    monkeypatch.setattr(energy, "Walk", lambda case, dt: made.append((case, dt)) or case)
    monkeypatch.setattr(energy, "Meshless", lambda cloud, **told: SimpleNamespace(
        **told, grid=SimpleNamespace(nodes=0), make=None, mean=None))  # fmt: skip

    for row in ("p2-ct5", "p2-ct6"):
        next(GROUPS["energy"](host, None, {row}))

    for case, dt in made:
        assert 64 * dt == pytest.approx(case.motion.period(case.mach))
    assert [case.motion.k for case, _ in made] == [0.0814, 0.202]


def test_the_table_is_drawn_from_the_file(lines, capsys):
    assert bench.main(arguments("--table", str(lines))) == 0

    out = capsys.readouterr().out
    assert out.count("\n| ") == len(ROWS) + 2
    assert "P2's ratio" in out
    assert out.strip() == markdown(read([lines]))
    table = [line for line in out.splitlines() if line.startswith("|")]
    assert [line.count(" | ") for line in table] == [len(joules.HEAD) - 1] * len(table)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: .*expected a line of JSON"),
        ('{"format": "kinemesh-bench-1"}', "line 1: expected an object whose format is 'kinemesh-"),
        ('{"format": "kinemesh-energy-1"}', "line 1: no version, machine"),
        ("", "no figures in .*figures.json"),
    ],
)
def test_a_file_that_holds_no_figures_is_refused(tmp_path, text, message):
    path = tmp_path / "figures.json"
    path.write_text(text, "utf-8")

    with pytest.raises(CaseError, match=message):
        bench.main(arguments("--table", str(path)))


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seconds", "0.2"], "seconds is 0.2, expected at least 1"),
        (["--seconds", "nan"], "seconds is nan, expected at least 1"),
        (["--seconds", "inf"], "seconds is inf, expected at least 1"),
        (["--cpu-watts", "-1", "--cpu-cores", "6"], "cpu-watts is -1, expected a number above 0"),
        (["--cpu-watts", "80", "--cpu-cores", "0"], "cpu-cores is 0, expected a number above 0"),
        (["--cpu-watts", "80"], "cpu-watts is given without cpu-cores: .*add --cpu-cores"),
        (["--cpu-cores", "6"], "cpu-cores is given without cpu-watts: .*add --cpu-watts"),
        (["--rows", "p2-ct7"], "unknown row 'p2-ct7'; did you mean 'p2-ct"),
        (["--rows", "krylov"], "'krylov' is none of method 'energy'.*leave out --energy"),
        (["--sizes", "5000"], "sizes: without --energy"),
        (["--cloud", "plane"], "cloud: without --energy"),
        (["--method", "ale"], "method: without --energy"),
        (["--overset"], "overset: without --energy"),
        (["--schwarz"], "schwarz: without --energy"),
        (["--loops"], "loops: their joules are those of --loops --seconds S"),
        (["--table", "x.json", "--seconds", "3"], "it takes no other option but --energy"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused(monkeypatch, words, message):
    monkeypatch.setattr(joules, "figures", lambda *_: iter(()))
    with pytest.raises(SettingsError, match=message):
        bench.main(arguments("--device", "cpu", *words))


@pytest.mark.parametrize("words", [["--seconds", "3"], ["--cpu-watts", "80"], ["--cpu-cores", "6"]])
def test_options_of_energy_are_nothing_without_it(monkeypatch, words, capsys):
    monkeypatch.setattr(bench, "_measure", lambda *_: None)
    assert cli.main(["bench", "--device", "cpu", *words]) == 2

    assert "only with --energy" in capsys.readouterr().err


def test_a_row_of_energy_is_found_by_its_option(monkeypatch, capsys):
    monkeypatch.setattr(bench, "_measure", lambda *_: pytest.fail("measured"))
    assert cli.main(["bench", "--device", "cpu", "--rows", "p2-ct5"]) == 2

    assert "add --energy" in capsys.readouterr().err


def test_a_device_that_is_not_there_is_refused_before_anything_is_measured(monkeypatch, capsys):
    monkeypatch.setattr(joules, "figures", lambda *_: pytest.fail("measured"))

    assert cli.main(["bench", "--energy", "--device", "cpu,quantum"]) == 2

    assert "device is 'quantum'" in capsys.readouterr().err


def test_each_device_is_measured_once(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(joules, "figures", lambda backends, *_: asked.extend(backends) or iter(()))

    assert cli.main(["bench", "--energy", "--device", "cpu, cpu", "--rows", "copy"]) == 0

    assert [backend.device for backend in asked] == ["cpu"]


def test_others_on_the_board_are_told(machine):
    machine.boards[PCI].pids = [os.getpid(), 1]

    assert counted(machine.backend(), working(machine), 1.0).facts["others"] == 1
