"""Case files of overset grids that cannot be solved: each is refused before the run, by place."""

import kinemesh as km
import pytest
from kinemesh.cases import build
from kinemesh.cases.casefile import Case

BACK = {"box": [-5, 5, -5, 5], "core": [-4.8, 4.8, -1.2, 1.2], "spacing": 0.05, "growth": 1.3}
ROD = {"shape": "cylinder", "nodes": 1200, "far_field": 1.0}
DRIFT = {"translate": {"velocity": [10.0, 0.0], "ramp": 0.01}}
pytestmark = pytest.mark.filterwarnings("ignore:.*moment_about:RuntimeWarning", "ignore:body rod")


def case(parts=None, flow=None, solver=None, step=0.1):
    """A rod on a background; with other parts, or other keys of a table."""
    tables = {"name": "x", "mode": "unsteady", "method": "incompressible"}
    parts = {"rod": ROD, "back": BACK} if parts is None else parts
    tables |= {"parts": parts, "flow": {"reynolds": 100, "moment_about": [0, 0]} | (flow or {})}
    run = {"time_step": step, "steps": 40, "device": "cpu"}
    return Case.from_dict(tables | {"solver": solver or {}, "run": run})


def beside(**rod):
    """A second rod."""
    return {"rod": ROD, "other": ROD | rod, "back": BACK}


def test_the_case_itself_is_good():
    assert build.solver(case()).donors is not None


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        (
            {"flow": {"reynolds": 0}},
            km.CaseError,
            r"\[flow\] reynolds = 0, expected a number above 0",
        ),
        ({"flow": {"reynolds": -40}}, km.CaseError, r"\[flow\] reynolds = -40, expected a number"),
        ({"flow": {"mach": 0.3}}, km.CaseError, r"\[flow\] mach: of method 'incompressible' the"),
        (
            {"solver": {"overlap": 0}},
            km.SettingsError,
            r"\[solver\]: overlap is 0, expected a whole",
        ),
        (
            {"parts": {"rod": ROD}},
            km.OversetError,
            r"parts \['rod'\]: each has an overset boundary",
        ),
        ({"parts": {"a": BACK, "b": BACK}}, km.OversetError, r"parts \['a', 'b'\] have no overset"),
        ({"parts": beside(nods=3)}, km.CaseError, r"\[parts.other\]: unknown key 'nods'"),
        ({"parts": {"rod": {"motion": DRIFT}, "back": BACK}}, km.CaseError, r"\[parts.rod\] gives"),
        (
            {"parts": {"rod": {"shape": "plate"}, "back": BACK}},
            km.CaseError,
            r"\[parts.rod\] shape = 'plate' makes no part",
        ),
        (
            {"parts": beside(at=[0.4, 0.0])},
            km.OversetError,
            r"walls of 'rod' and 'other' intersect: node \d+ of 'rod' \(.*\) .*\(initial flow\)",
        ),
        (
            {"parts": beside(at=[1.15, 0.0])},
            km.OversetError,
            r"the gap between 'rod' and 'other' is 0\.1\d* chords .*: node \d+ of '.*' \(.*\)",
        ),
        (
            {"parts": beside(at=[4.6, 0.0])},
            km.OversetError,
            r"part 'other' reaches \(5\.\d+, .*\), beyond 'back' \(node \d+ of 'other'\)",
        ),
    ],
)
def test_what_makes_no_case_is_refused(given, error, told):
    with pytest.raises(error, match=told):
        build.solver(case(**given))


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (
            0.01,
            r"step 29 of 40 .*: part 'rod' reaches \(5.05, 0\), beyond 'back' \(node \d+ of",
        ),
        (0.12, r"step 1 of 40 \(time 0.12\): node \d+ of 'back' \(.*\) is a field node and had"),
    ],
)
def test_a_motion_that_cannot_be_followed_is_refused_before_the_run(step, told):
    """The rim, at 2.2, goes 0.1 a step, less 0.05 in the ramp: 5.05 is the first beyond 5."""
    made = case({"rod": ROD | {"at": [1.2, 0.0], "motion": DRIFT}, "back": BACK}, step=step)
    with pytest.raises(km.OversetError, match=f"pre-flight of the motion, {told}"):
        made.run()
