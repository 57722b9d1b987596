"""Progress: a bar in a terminal and in a notebook, lines in a log, silence unless asked."""

import re
import sys
import warnings

import kinemesh as km
import numpy as np
import pytest
import tqdm.auto
from kinemesh import cli
from kinemesh.run import march, phases, steady, unsteady
from newton_cases import case, section
from solver_cases import case_text

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]
MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
LINE = re.compile(r"(pre-flight step|step|iteration) (\d+) of (?:at most )?(\d+), (\d+) s(.*)")


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
    assert last["pre-flight step"] == (17, 17)
    assert last["step"] == (16, 16)
    assert last["iteration"][0] < last["iteration"][1] == km.AleSettings().steady_iterations
    of_start = [m[5] for m in lines if m[1] == "iteration"][-1]
    assert re.fullmatch(r", residual [^,]+, start of the motion", of_start)  # one kind of iteration
    assert re.search(r", \d+ iterations? a step$", told)


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


# ---- the phase of a march ----------------------------------------------------------------------


class Bar:
    """A bar that keeps what it was told, and how many are done then."""

    def __init__(self, monkeypatch, place):
        self.n, self.total, self.told = 0, 0, []
        monkeypatch.setattr(place, "progress_bar", self)

    def __call__(self, total, shown, unit, done=0):
        self.n = done
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def set_postfix_str(self, text, refresh=True):
        self.told.append(text)

    def update(self, count=1):
        self.n += count


def test_a_steady_march_tells_pseudo_steps_and_newton_with_its_products(monkeypatch):
    bar = Bar(monkeypatch, steady)

    history = case(520).steady().history

    told = [text.split(", ", 1)[1] for text in bar.told[: len(history["iteration"])]]
    taken = history["products"]
    assert told == [f"Newton, {n:.0f} products" if n else "pseudo-steps" for n in taken]
    assert {*told} > {"pseudo-steps"}


def test_the_phase_reads_nothing_from_the_device_that_the_history_does_not(monkeypatch):
    solver, made = case(520), []
    numbers = solver.newton.numbers
    monkeypatch.setattr(solver.newton, "numbers", lambda: (made.append(1), numbers())[1])

    history = solver.steady(progress=True).history

    # each iteration has a row, and the end of the run has its loads
    assert len(made) == len(history["iteration"]) + 1


def test_steps_of_a_viscous_gas_tell_their_iterations_and_products(monkeypatch):
    bar = Bar(monkeypatch, unsteady)
    start = Bar(monkeypatch, steady)
    settings = km.AleSettings(
        newton=True, unsteady_newton=True, steady_drop=1e-3, unsteady_drop=1e-2
    )
    pitch = km.motion.pitch(1.0, 0.2, about=(0.25, 0.0))
    solver = km.Ale(section(520), mach=0.3, reynolds=1e3, motion=pitch, device="cpu",
                    settings=settings)  # fmt: skip

    rows = solver.run(cycles=3 / 48, steps_per_cycle=48, preflight=False).history

    made = np.c_[rows["inner_iterations"], rows["products"]].astype(int).tolist()
    expected = [f"{n} iterations a step, Newton, {p} products" for n, p in made]
    assert [text.replace("iteration a", "iterations a") for text in bar.told] == expected
    assert all(text.endswith(", start of the motion") for text in start.told)
    assert "Newton" in start.told[-2] or "Newton" in start.told[-1]


@pytest.mark.parametrize(("products", "length", "went", "told"), [
    ([0, 0], [1, 1], [1, 1], "pseudo-steps"),
    ([4, 4], [1, 0.5], [1, 1], "Newton, 4 products"),
    ([1, 0], [1, 1], [1, 0], "Newton, 1 product"),  # of those that iterate
    ([0, 9], [1, 1], [1, 1], "Newton in 1 of 2 members, 9 products"),
    ([3, 9], [0, 0], [1, 1], "Newton, 9 products, refused"),
    ([0, 0], [1, 0], [1, 1], "Newton in 1 of 2 members, 0 products, refused"),
    ([5, 0], [1, 1], [0, 0], ""),
])  # fmt: skip
def test_words_of_an_iteration_are_those_of_the_members_that_took_it(products, length, went, told):
    numbers = {"products": np.array(products), "length": np.array(length, float)}

    assert phases.of_iteration(numbers, np.array(went, bool)) == told
    assert phases.of_iteration({"cd_friction": np.zeros(2)}, np.array(went, bool)) == ""


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
