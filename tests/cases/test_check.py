"""`kinemesh check` finds what would stop a run, and computes no flow."""

from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from kinemesh.flow import memory
from kinemesh.io import summary
from kinemesh.run import steady
from kinemesh.run import unsteady as run
from solver_cases import case_text

TOML = case_text()


@pytest.fixture(autouse=True)
def no_flow(monkeypatch, tmp_path):
    """Any march is a failure; the test works in its own folder."""

    def march(*_, **__):
        pytest.fail("flow was computed")

    monkeypatch.setattr(run, "take_step", march)
    monkeypatch.setattr(steady, "march", march)
    monkeypatch.chdir(tmp_path)


def written(text):
    path = Path("small.toml")
    path.write_text(text)
    return path


def checked(capsys, *changes, words=()):
    """Status and rows (name -> state, text) of the program on the case file, changed."""
    text = TOML
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    status = cli.main(["check", str(written(text)), "--quiet", *words])
    out = capsys.readouterr()
    assert "Traceback" not in out.err
    rows = {}
    for line in out.out.splitlines()[:-1]:
        name, state, *said = line.split(maxsplit=2)
        rows[name] = (state, "".join(said))
    return status, rows, out


def test_a_case_that_can_run_is_status_0_with_all_its_numbers(capsys, tmp_path):
    status, rows, out = checked(capsys)

    assert status == 0
    assert out.out.splitlines()[-1] == "ready to run; nothing was solved"
    assert {state for state, _ in rows.values()} == {"ok"}
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    assert f"{mesh.nodes} nodes" in rows["mesh"][1]
    assert "walls airfoil" in rows["markers"][1]
    assert rows["bodies"][1].startswith("airfoil is 1 long (x 0 to 1, y -0.0")
    assert f"{km.mesh.quality(mesh).min_angle_deg:.3g} degrees" in rows["quality"][1]
    assert f"period {2 * 3.14159265 / (2 * 0.1 * 0.5):.5g}" in rows["motion"][1]
    assert rows["steps"][1].endswith("16 steps")
    assert "GiB free on cpu" in rows["memory"][1]
    assert "8 steps, no cell inverts" in rows["pre-flight"][1]
    assert [p.name for p in tmp_path.iterdir()] == ["small.toml"]  # nothing is written


def test_a_steady_case_has_no_motion_to_look_at(capsys):
    assert cli.main(["check", "naca0012-subsonic", "--nodes", "500", "--quiet"]) == 0

    out = capsys.readouterr().out
    assert "pre-flight" not in out
    assert "motion" not in out


@pytest.mark.parametrize(
    ("row", "word", "changes", "words"),
    [
        ("mesh", "no such file", [], ["--mesh", "none.su2"]),
        ("mesh", "wall_spacing = 0.5", [("nodes = 500", "wall_spacing = 0.5")], []),
        ("markers", "walls is ['wing'], expected", [("nodes = 500", 'walls = ["wing"]')], []),
        ("markers", "lie about the far", [("= 500", '= 500\nwalls = ["farfield"]')], []),
        ("output", "small.toml: is a file, expected a folder", [], ["--out", "small.toml/x"]),
        ("device", "this machine has|use --device cpu", [], ["--device", "cuda:77"]),
        ("settings", "flux is 'row'", [('device = "cpu"', '[solver]\nflux = "row"')], []),
        ("settings", "shed vort", [('device = "cpu"', '[solver]\nfar_field = "vortex"')], []),
        ("settings", "'ilu0'", [('= "springs"', '= "springs"\nsolver = "ilu0"')], []),
        ("pre-flight", "folds", [("= 2.0", "= 170.0")], ["--deform", "delaunay"]),
    ],
)
def test_what_would_stop_a_run_is_status_2_and_named(capsys, row, word, changes, words):
    status, rows, out = checked(capsys, *changes, words=words)

    assert status == 2
    state, text = rows[row]
    assert state == "wrong"
    assert any(part in text for part in word.split("|"))
    assert out.out.splitlines()[-1] == "1 wrong; not ready to run"


OF_FILE = ('section = "naca0012"\nnodes = 500\nfar_field = 8.0', 'file = "m.su2"')


@pytest.fixture
def short(tmp_path):
    """A file with a section of chord 0.3, a clockwise triangle, and a far field named `rim`."""
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)
    km.mesh.write(mesh.transformed(0.3 * mesh.points), tmp_path / "m.su2")
    lines = (tmp_path / "m.su2").read_text().replace("farfield", "rim").splitlines()
    kind, a, b, c = lines[2].split()
    lines[2] = f"{kind} {a} {c} {b}"
    (tmp_path / "m.su2").write_text("\n".join(lines))


@pytest.mark.usefixtures("short")
def test_a_section_of_another_chord_is_found_with_what_to_do(capsys):
    status, rows, _ = checked(capsys, OF_FILE)

    assert status == 2
    assert rows["bodies"][0] == "wrong"
    assert "airfoil is 0.3 long" in rows["bodies"][1]
    assert "[mesh] chord in a case file" in rows["bodies"][1]
    assert "far field rim" in rows["markers"][1]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("changes", "unit"),
    [
        ([(OF_FILE[0], OF_FILE[1] + "\nchord = 0.3")], "chord"),
        ([OF_FILE, ("mach = 0.5", "mach = 0.5\nchord = 0.3\nmoment_about = [0.075, 0]"),
          ("k = 0.1 ", "k = 0.1, about = [0.075, 0] ")], "mesh length"),
    ],
)  # fmt: skip
def test_warnings_are_rows_of_their_own(capsys, changes, unit):
    status, rows, out = checked(capsys, *changes)

    lines = out.out.splitlines()
    assert status == 0
    assert [name for name, (state, _) in rows.items() if state == "warn"] == ["mesh"]
    assert "m.su2: 1 of " in rows["mesh"][1]
    assert lines[-1] == "ready to run, 1 warning(s); nothing was solved"
    assert sum(f"{unit}s" in line for line in lines) == 2
    assert sum(f"{unit}/a_inf" in line for line in lines) == 2


SPUN = {
    "one mesh": (
        ["cylinder", "--nodes", "600", "--set", "motion.rotate={rate_deg=60, about=[0, 0]}"],
        "the grid of cylinder will turn by more than 2 degrees in 18 of 20 steps, by 6 in step",
        "time_step = 0.033 would do; a round body need not turn its grid: sliding gives its wall",
    ),
    "parts": (
        ["cavity-spinning", "--size", "coarse", "--set", "run.time_step=0.05"],
        "the grid of middle will turn by more than 2 degrees in 18 of 20 steps, by 3 in step",
        "time_step = 0.033 would do",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", SPUN)
def test_turns_too_far_in_a_step_are_a_warning(capsys, name):
    words, said, remedy = SPUN[name]
    assert cli.main(["check", *words, "--set", "run.steps=20", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = [line for line in lines if "will turn" in line]
    assert line.startswith("pre-flight  warn ")
    assert said in line
    assert remedy in line
    assert lines[-1] == "ready to run, 1 warning(s); nothing was solved"


def test_a_case_file_that_cannot_be_read_is_status_2(capsys):
    status, rows, out = checked(capsys, ("mach = 0.5", "mach = -1"))

    assert (status, rows) == (2, {})
    assert "above 0" in out.err


def test_a_folder_of_another_case_is_found(capsys, tmp_path):
    summary.write(
        tmp_path / "x" / "summary.json", {"format": summary.FORMAT, "case": {"name": "other"}}
    )
    status, rows, _ = checked(capsys, words=["--out", "x"])

    assert status == 2
    assert "holds another run: case is other there, small here" in rows["output"][1]


def test_too_little_memory_is_found_before_anything_is_built(capsys, monkeypatch):
    monkeypatch.setattr(memory, "available", lambda _: 4_000_000)

    status, rows, _ = checked(capsys, ("nodes = 500", "nodes = 3000"))

    assert status == 2
    assert rows["memory"][0] == "wrong"
    assert "fewer nodes" in rows["memory"][1]
    assert rows["solver"][0] == "-"


def test_no_preflight_is_said(capsys):
    _, rows, _ = checked(capsys, words=["--no-preflight"])

    assert rows["pre-flight"] == ("-", "not asked for")


def test_a_case_without_motion_needs_no_preflight(capsys):
    still = ("[motion]\npitch = { amplitude_deg = 2.0, k = 0.1 }\n", "")
    _, rows, _ = checked(
        capsys, still, ("cycles = 2\nsteps_per_cycle = 8", "time_step = 0.1\nsteps = 4")
    )

    assert rows["pre-flight"] == ("ok", "not needed, as no body moves")


@pytest.mark.parametrize(
    ("space", "unit"),
    [('shape = "cylinder"', "diameter"), ('section = "naca0012"', "chord"),
     ('shape = "cylinder"', "mesh length")],
)  # fmt: skip
def test_lengths_of_round_bodies_are_diameters(space, unit, capsys):
    more = "" if unit != "mesh length" else "\nreference_area = 2.0\nreference_length = 2.0"
    _, rows, _ = checked(
        capsys,
        ('section = "naca0012"\nnodes = 500', f"{space}\nnodes = 1000"),
        ("alpha_deg = 1.0", "alpha_deg = 1.0\nreynolds = 100" + more),
        words=["--no-preflight"],
    )

    assert rows["mesh"][1].endswith(f" {unit}s")
    assert f" {unit}/a_inf" in rows["motion"][1]
    assert rows["steps"][1].endswith(f" {unit}s; 16 steps")
    if unit != "mesh length":
        assert f" {unit}s high, " in rows["solver"][1]


def section_file(gap):
    """A coordinate file of the NACA 0012 with its sides drawn apart by a gap."""
    points = km.mesh.section("naca0012").points(np.linspace(0, 1, 81))
    rows = [f"{x:.7f} {y + np.sign(40 - k) * 0.5 * gap * x:.7f}" for k, (x, y) in enumerate(points)]
    Path("s.dat").write_text("\n".join(["a section", *rows, ""]))
    return ('section = "naca0012"', 'coordinates = "s.dat"')


def test_a_blunt_trailing_edge_that_is_closed_is_said_with_its_gap(capsys):
    status, _, out = checked(capsys, section_file(0.004))

    assert status == 0
    said = "trailing edge of 0.004 chords closed"
    lines = [line for line in out.out.splitlines() if said in line]
    assert [line.split()[:2] for line in lines] == [["mesh", "warn"], ["read", "ok"]]


def test_a_thick_trailing_edge_is_refused_until_the_case_says_what_is_meant(capsys):
    change = section_file(0.03)

    status, rows, _ = checked(capsys, change)
    said, after, out = checked(
        capsys, change, ('coordinates = "s.dat"', 'coordinates = "s.dat"\ntrailing_edge = "open"')
    )

    assert status != 0
    assert rows["mesh"][0] == "wrong"
    assert "0.03 chords thick" in rows["mesh"][1]
    assert "say trailing_edge = 'open'" in rows["mesh"][1]
    assert said == 0
    assert "warn" not in out.out
    assert after["mesh"][0] == "ok"


def test_a_row_is_printed_before_the_next_one_is_looked_at(capsys, monkeypatch):
    seen = []
    look = memory.told

    def told(*given):
        seen.append(capsys.readouterr().out)
        return look(*given)

    monkeypatch.setattr(memory, "told", told)

    status, _, out = checked(capsys)

    assert status == 0
    (before,) = seen
    names = [line.split()[0] for line in before.splitlines()]
    assert names == ["case", "mesh", "markers", "bodies", "quality", "motion", "steps", "device",
                     "settings"]  # fmt: skip
    assert out.out.splitlines()[0].split()[:2] == ["memory", "ok"]
