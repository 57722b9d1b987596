"""Mistakes of newcomers are refused with the correct call."""

import re
import subprocess
import sys

import kinemesh as km
import pytest
from kinemesh import cases
from kinemesh.cases.check import check
from kinemesh.io.history import History
from kinemesh.run.resume import differences
from two_runs import steady_run

SHORT = ["run.time_step=0.1", "run.steps=3", "run.device=cpu", "mesh.nodes=600"]
INNER = km.mesh.cylinder(640, far_field=1.0, outer="overset")


@pytest.mark.parametrize("change", ["run.steps=30", "run.time_step=0.1"])
def test_a_case_by_cycles_says_which_keys_make_it_shorter(change):
    told = "runs by cycles, so .run. (steps|time_step) has no meaning; set run.cycles and run.steps"
    with pytest.raises(km.CaseError, match=told):
        cases.load("plunging-naca0012", [change])


def test_an_unknown_part_names_the_nearest_one():
    told = r"\[parts.wnig\] has no mesh, so there is no part 'wnig'; did you mean 'wing'\?"
    with pytest.raises(km.CaseError, match=told):
        cases.load("plunging-naca0012", ["parts.wnig.nodes=3000"])


def test_one_motion_for_all_parts_is_refused():
    parts = {"inner": INNER, "back": km.mesh.disc(900, radius=3.0)}
    told = r"for all of 2 parts, expected that of each .* 'inner', 'back': motion=\{'inner': ...\}"
    with pytest.raises(km.OversetError, match=told):
        km.Incompressible(parts, reynolds=10.0, motion=km.motion.rotate(10.0), device="cpu")


def test_a_forgotten_overset_boundary_names_the_argument_that_makes_it():
    parts = {
        "inner": km.mesh.cylinder(640, far_field=3.0, around=40),
        "back": km.mesh.disc(900, radius=3.0),
    }
    with pytest.raises(km.OversetError, match=re.escape('make by outer="overset"')):
        km.Incompressible(parts, reynolds=10.0, device="cpu")


def test_rows_of_a_history_go_by_columns():
    with pytest.raises(km.ArgumentError, match=r"history\[-1\]: expected the name of a column"):
        History()[-1]


@pytest.mark.flow
def test_a_run_without_a_cycle_has_no_loop(tmp_path):
    run = cases.load("cylinder", SHORT).run(out=tmp_path)
    file = tmp_path / "history.csv"
    rows = [run.history, run.history.member(0), run.history.until(2), History.read(file)]
    for source in (run, km.open(tmp_path), tmp_path, file, *rows):
        with pytest.raises(km.CaseError, match=r"has no cycle, so no loop; km.spectrum\(run\)"):
            km.hysteresis(source)


def test_runs_on_other_meshes_are_told_apart_by_words():
    there = {"nodes": [500], "mesh (SHA-256)": ["ab12"], "mach": [0.5]}
    assert differences(there, there | {"nodes": [600], "mesh (SHA-256)": ["cd34"]}) == [
        "nodes is 500 there, 600 here"
    ]
    (told,) = differences(there, there | {"mesh (SHA-256)": ["cd34"]})
    assert told == "mesh has as many nodes there and here, and other places, cells or markers"


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_cells_of_unlike_size_are_told_once_with_their_phase():
    few = ["run.steps_per_cycle=40", "parts.wing.nodes=2500"]
    made = cases.load("plunging-naca0012", ["run.device=cpu", "parts.wing.far_field=3.0", *few])
    told = [text for _, state, text in check(made).rows if state == "warn"]
    assert len(told) == 1
    assert "phase 0 degrees" in told[0]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("mach = .5", r"line 3: \.5 is no number of TOML, write 0\.5"),
        ("alpha_deg = -.5e1", r"line 3: -\.5e1 is no number of TOML, write -0\.5e1"),
        ("mach = 1.", r"line 3: 1\. is no number of TOML, write 1\.0"),
        ("moment_about = [0.25, .0]", r"line 3: \.0 is no number of TOML, write 0\.0"),
    ],
)
def test_a_number_without_a_digit_beside_its_point_is_told_with_its_line(tmp_path, line, told):
    path = tmp_path / "c.toml"
    path.write_text(f'name = "c .5" # .7\n[flow]\n{line}\n')
    with pytest.raises(km.CaseError, match=rf"c\.toml: not TOML: {told}"):
        cases.load(path)


def test_such_a_number_after_set_is_told():
    with pytest.raises(
        km.CaseError, match=r"--set flow\.mach=\.5: \.5 is no number of TOML, write"
    ):
        cases.load("agard-ct5", ["flow.mach=.5"])


def test_two_runs_may_be_given_in_a_list():
    one, other = steady_run(0.4), steady_run(0.5)

    assert km.compare([one, other]).cl.difference == km.compare(one, other).cl.difference
    for runs in ([one], [one, other, one], one):
        with pytest.raises(km.CaseError, match="two runs or their folders, or a list of two"):
            km.compare(runs)


@pytest.mark.long
def test_the_package_has_its_version_and_the_module_of_checks():
    """In a process of its own, where no other test has loaded the module."""
    code = "import kinemesh as km; print(km.__version__, callable(km.cases.check.check))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [*km.__version__.split(), "True"]
    assert re.match(r"\d+\.\d+|not", km.__version__)
