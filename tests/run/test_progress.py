"""Progress: a bar in a terminal and in a notebook, lines in a log, silence unless asked."""

import re
import sys
import warnings

import kinemesh as km
import pytest
import tqdm.auto
from kinemesh import cli
from kinemesh.run import march
from solver_cases import case_text

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]
MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
LINE = re.compile(r"(dry step|step|iteration) (\d+) of (?:at most )?(\d+), (\d+) s(.*)")


def ran(**options):
    rough = km.AleSettings(steady_drop=1e-2, unsteady_drop=0.1)
    case = km.Ale(MESH, mach=0.5, motion=km.motion.pitch(2.0, 0.2), settings=rough, device="cpu")
    return case.run(cycles=1, steps_per_cycle=16, **options)


def test_python_is_silent_unless_asked(capfd):
    ran()

    assert capfd.readouterr() == ("", "")


def test_a_log_has_lines_of_every_part_of_a_run(capfd):
    ran(progress=True)

    out, told = capfd.readouterr()
    lines = [LINE.fullmatch(line) for line in told.splitlines()]
    assert out == ""
    assert "\r" not in told
    assert all(lines), told
    last = {unit: (int(n), int(total)) for unit, n, total, *_ in (m.groups() for m in lines)}
    assert last["dry step"] == (17, 17)
    assert last["step"] == (16, 16)
    assert last["iteration"][0] < last["iteration"][1] == km.AleSettings().steady_iterations
    assert [m[5] for m in lines if m[1] == "iteration"][-1].startswith(", residual ")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.001, [100]),  # all is done within a second: its end
        (0.0625, [16, 32, 48, 64, 80, 96, 100]),  # one a second
        (1.0, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
        (7.0, [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100]),
        (31.0, list(range(1, 101))),
    ],
)
def test_lines_come_by_tenths_and_by_the_clock(monkeypatch, capsys, seconds, told):
    now = [0.0]
    monkeypatch.setattr(march.time, "monotonic", lambda: now[0])

    with march.progress_bar(100, True, "step") as bar:
        for _ in range(100):
            now[0] += seconds
            bar.update()

    lines = [LINE.fullmatch(line) for line in capsys.readouterr().err.splitlines()]
    assert [int(m[2]) for m in lines] == told
    assert int(lines[-1][4]) == round(100 * seconds)


def test_a_run_that_goes_on_counts_from_where_it_was(capsys):
    with march.progress_bar(10, True, "step", done=8) as bar:
        bar.update()
    with march.progress_bar(10, True, "step", done=10):
        pass  # nothing was left to do

    assert capsys.readouterr().err == "step 9 of 10, 0 s\n"


def test_a_terminal_has_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    with march.progress_bar(4, True, "step") as bar:
        bar.update(4)

    assert "\r" in (told := capsys.readouterr().err)
    assert "4/4" in told


def test_a_notebook_has_its_own_bar(monkeypatch, capsys):
    made = []

    class tqdm_notebook(tqdm.std.tqdm):  # its name in tqdm
        def __init__(self, **options):
            made.append(options)
            super().__init__(**options)

    class Auto(tqdm_notebook):
        pass

    monkeypatch.setattr(tqdm.auto, "tqdm", Auto)

    with march.progress_bar(4, True, "step", done=1) as bar:
        bar.update(3)

    assert "4/4" in capsys.readouterr().err
    assert made[0]["total"] == 4
    assert not made[0].get("disable")


@pytest.mark.parametrize("words", [[], ["--quiet"]])
def test_the_shell_is_silent_only_when_asked(tmp_path, monkeypatch, capfd, undrawn, words):
    more = "[solver]\nsteady_drop = 1e-2\nunsteady_drop = 0.1\n"
    (tmp_path / "small.toml").write_text(case_text(method="rigid", cycles=0.5, more=more))
    monkeypatch.chdir(tmp_path)

    with warnings.catch_warnings():
        assert cli.main(["run", "small.toml", *words]) == 0

    told = capfd.readouterr().err
    assert ("step 4 of 4" in told) == (not words)
    assert told == "" or not words
