"""Constants of the schemes cannot change unseen: of each mutant a quick test fails.

A mutant is one line of a copy of the package; tests are those of this tree.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import kinemesh as km
import pytest

pytestmark = pytest.mark.no_sanitizer

TESTS = Path(__file__).parent
LEFT_OUT = shutil.ignore_patterns("__pycache__")


class Mutant(NamedTuple):
    """Change of a constant.

    Parameters
    ----------
    file : in the package;  old, new : text, the old one there once
    tests : quick ones, of which one at least must fail
    """

    file: str
    old: str
    new: str
    tests: tuple[str, ...]


UNIFORM = "flow/test_every_solver.py::test_each_solver_holds"
SAID = ("docs/test_documented.py::test_a_constant_is_that_of_the_page",)
FACTOR = ("flow/test_low_mach.py::test_the_factor_is_proportional_then_smooth_then_one",)
OWN = ("flow/test_limiter.py::test_a_constant_that_is_not_given_is_the_limiters_own",)
AHEAD = (
    "flow/test_projection.py::test_pressures_of_later_steps_begin_on_the_line_of_the_last_two",
)
SHARES = "INERTIA, FRICTION, MOST = 0.8, 0.6, 0.6"
STEADY = "flow/projection/steady.py"
LIMIT = ("test_limits.py::test_a_limit_is_where_it_is_said_to_be",)

MUTANTS = {
    "the reference of low Mach numbers falls": Mutant(
        "flow/gas/lowmach.py", "np.maximum(self._before, speeds)", "speeds",
        ("flow/test_low_mach.py::"
         "test_the_reference_is_the_fastest_motion_of_a_wall_relative_to_the_stream",),
    ),
    "damping of sound": Mutant("flow/gas/lowmach.py", "SCALE = 0.3 ", "SCALE = 0.33 ", FACTOR),
    "end of the low-Mach form": Mutant("flow/gas/lowmach.py", "OFF = 0.4 ", "OFF = 0.42 ", FACTOR),
    "trust in memory beyond the overlap": Mutant(
        "flow/projection/exchange.py", "FADE = 4 ", "FADE = 3 ",
        ("flow/test_overset.py::"
         "test_faces_trust_their_memory_from_four_layers_beyond_the_overlap",),
    ),
    "pressure ahead": Mutant("flow/projection/flow.py", "(2, -1, 1)", "(2, -1, 0.8)", AHEAD),
    "pressure of a second step": Mutant(
        "flow/projection/flow.py", "(2, -1, 0)", "(2, -1, 0.5)", AHEAD
    ),
    "velocity ahead": Mutant("flow/projection/flow.py", "(2, -1, 1)", "(2, -0.9, 1)", (UNIFORM,)),
    "Wang's threshold": Mutant(
        "flow/terms/gradients.py", "k=0.05", "k=0.06", OWN
    ),
    "Venkatakrishnan's K": Mutant(
        "flow/terms/gradients.py", "k=5.0", "k=6.0", OWN
    ),
    "entropy fix": Mutant(
        "flow/gas/settings.py", "entropy_fix: float = 0.05", "entropy_fix: float = 0.06", SAID
    ),
    "entropy fix of the matrix": Mutant(
        "flow/gas/ale_settings.py", "2: 0.15", "2: 0.2", SAID
    ),
    "entropy fix of the matrix with smooth gradients": Mutant(
        "flow/gas/meshless_settings.py", "0.5 if smooth else 0.3", "0.4 if smooth else 0.3",
        ("flow/test_meshless.py::test_the_fix_of_the_matrix_follows_the_gradients",),
    ),
    "BDF2 of states": Mutant(
        "space/volumes.py", "[1.5, -2.0, 0.5]", "[1.5, -2.0, 0.49]", (UNIFORM,)
    ),
    "BDF2 of swept volumes": Mutant("space/volumes.py", "[1.5, -0.5]", "[1.4, -0.4]", (UNIFORM,)),
    "BDF1": Mutant("space/volumes.py", "[1.0, -1.0, 0.0]", "[1.0, -0.99, 0.0]", (UNIFORM,)),
    "prediction by a line": Mutant(
        "flow/gas/state.py", "(2.0, -1.0, 0.0)", "(1.9, -0.9, 0.0)",
        ("flow/test_predictor.py::test_a_polynomial_in_time_is_met_to_rounding",),
    ),
    "prediction by a parabola": Mutant(
        "flow/gas/state.py", "(3.0, -3.0, 1.0)", "(3.0, -3.0, 0.99)",
        ("flow/test_predictor.py::test_a_polynomial_in_time_is_met_to_rounding",),
    ),
    "share for inertia": Mutant(STEADY, SHARES, SHARES.replace("0.8", "0.7"), SAID),
    "share for friction": Mutant(STEADY, SHARES, SHARES.replace("0.6,", "0.5,"), SAID),
    "bound of the share": Mutant(STEADY, SHARES, SHARES.removesuffix("0.6") + "0.7", SAID),
    "stages of upwind fluxes": Mutant("flow/terms/convection.py", "0.0695", "0.09", SAID),
    "stages of central fluxes": Mutant(
        "flow/terms/convection.py", "3 / 8, 1 / 2, 1.0", "3 / 8, 1 / 2, 0.9", SAID
    ),
    "round-off of the eddies' residual": Mutant(
        "flow/terms/eddies.py", "ROUNDINGS = 5.0", "ROUNDINGS = 5.1",
        ("flow/test_eddies_runs.py::test_a_residual_of_five_roundings_of_its_terms_is_none",),
    ),
    "order that no scheme has": Mutant(
        "study/richardson.py", "LOW, HIGH = 0.5, 3.0", "LOW, HIGH = 0.5, 3.1", LIMIT
    ),
    "order at which little converges": Mutant(
        "study/richardson.py", "LOW, HIGH = 0.5, 3.0", "LOW, HIGH = 0.4, 3.0", LIMIT
    ),
    "inflow along a boundary": Mutant(
        "space/conditions/reservoirs.py", "LEAST_INWARD = 0.1 ", "LEAST_INWARD = 0.11 ", LIMIT
    ),
    "y+ that a model of turbulence bears": Mutant(
        "flow/door/resolution.py", "WANTED, MOST = 1.0, 5.0", "WANTED, MOST = 1.0, 5.1",
        ("flow/test_viscous_input.py::test_wall_cells_of_a_y_plus_above_five_are_told",),
    ),
    "turn of a grid that is told": Mutant(
        "run/turns.py", "MOST_TURN = 2.0", "MOST_TURN = 2.1",
        ("flow/test_turning.py::test_a_turn_above_two_degrees_in_a_step_is_told_of",),
    ),
    "turn of a grid that is refused": Mutant(
        "run/turns.py", "FARTHEST = 8.0", "FARTHEST = 7.9",
        ("flow/test_turning.py::"
         "test_a_grid_that_turns_by_more_than_eight_degrees_a_step_is_refused",),
    ),
    "swings that end a run": Mutant(
        "run/swings.py", "LEAST = 0.1 ", "LEAST = 0.11 ",
        ("run/test_swings.py::"
         "test_eight_ways_of_six_steps_and_above_a_tenth_are_the_least_swing",),
    ),
    "stretch of a graph": Mutant(
        "deform/retriangulated.py", "STRETCH = 2.0", "STRETCH = 2.1",
        ("deform/test_retriangulation.py::"
         "test_a_graph_serves_until_an_element_is_stretched_twofold",),
    ),
    "halvings of a step of graphs": Mutant(
        "deform/retriangulated.py", "HALVINGS = 10 ", "HALVINGS = 11 ",
        ("deform/test_retriangulation.py::test_a_step_is_halved_ten_times_at_most",),
    ),
    "means by area": Mutant(
        "results/spanwise.py", "area = np.linalg.norm(np.cross(b - a, c - a), axis=1)",
        "area = np.ones(len(a))",
        ("results/test_spanwise.py::"
         "test_larger_triangles_count_for_more_in_the_mean_of_a_node",),
    ),
}  # fmt: skip


def run_tests(package, names):
    """Process that has run tests of this tree with a package; it stops at the first that fails."""
    unset = ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_ADDOPTS")
    env = {name: value for name, value in os.environ.items() if name not in unset}
    # a mutant has the size of its file, and perhaps its time: bytecode of one is not of the other
    env |= {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    words = ["-m", "pytest", "-x", "-p", "no:cacheprovider", *(str(TESTS / name) for name in names)]
    return subprocess.run(
        [sys.executable, *words], env=env, cwd=TESTS.parent, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Folder of a copy of the package."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(Path(km.__file__).parent, folder / "kinemesh", ignore=LEFT_OUT)
    return folder


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_mutant_of_the_list_changes_a_line_and_names_tests(mutant):
    text = (Path(km.__file__).parent / mutant.file).read_text("utf-8")

    assert text.count(mutant.old) == 1, "the line has changed: bring the list up to date"
    assert mutant.new != mutant.old
    for name in mutant.tests:
        file, test = name.split("::")
        assert re.search(rf"^def {test}\(", (TESTS / file).read_text("utf-8"), re.MULTILINE), name


@pytest.mark.slow
def test_tests_of_mutants_pass_on_a_copy_as_it_is(package):
    names = sorted({name for mutant in MUTANTS.values() for name in mutant.tests})

    done = run_tests(package, names)

    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_mutant_does_not_survive(mutant, package):
    path = package / "kinemesh" / mutant.file
    text = path.read_text("utf-8")
    path.write_text(text.replace(mutant.old, mutant.new), "utf-8")
    try:
        done = run_tests(package, mutant.tests)
    finally:
        path.write_text(text, "utf-8")

    assert done.returncode == 1, done.stdout[-2000:]  # a test has failed, not an import
