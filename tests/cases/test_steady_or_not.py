"""Ready cases in the other mode: --set mode=steady, --set mode=unsteady."""

import kinemesh as km
import pytest
from kinemesh.cases.casefile import Case

LEFT = {
    "agard-ct5": r"\[motion\].*\[run\] cycles, \[run\] steps_per_cycle",
    "cylinder": r"\[run\] time_step, \[run\] steps",
    "cylinder-free": r"\[structure\], \[run\] time_step",
    "isogai-a": r"\[structure\] speed_index, \[structure\] kick",
    "plunging-naca0012": r"\[parts.wing.motion\], \[run\] cycles",
}


@pytest.mark.parametrize("name", LEFT)
def test_an_unsteady_case_runs_steady_and_says_what_is_left_out(name):
    with pytest.warns(RuntimeWarning, match=f"mode = 'steady' leaves out .*{LEFT[name]}"):
        case = km.cases.load(name, ["mode=steady"])
    assert case.mode == "steady"
    assert case.motion is None
    assert case.job.cycles is None is case.job.steps


def test_every_unsteady_case_can_be_read_as_a_steady_one(recwarn):
    for name in km.cases.names():
        assert km.cases.load(name, ["mode=steady"]).mode == "steady"


def test_what_a_change_states_itself_is_still_refused():
    with pytest.warns(RuntimeWarning), pytest.raises(km.CaseError, match="cycles has no meaning"):
        km.cases.load("agard-ct5", ["mode=steady", "run.cycles=2"])
    with pytest.warns(RuntimeWarning), pytest.raises(km.CaseError, match=r"\[motion\] has no mean"):
        km.cases.load("agard-ct5", ["mode=steady", "motion.pitch.k=0.1"])


def test_motions_of_parts_and_settings_of_steps_are_left_out(tmp_path):
    text = """name = "a"
mode = "unsteady"
method = "incompressible"
[flow]
reynolds = 100
[parts.body]
shape = "cylinder"
far_field = 1.2
[parts.body.motion.plunge]
amplitude = 0.2
k = 0.5
[parts.back]
box = [-8, 8, -8, 8]
core = [-2, 3, -2, 2]
spacing = 0.1
[solver]
outer = 2
[run]
cycles = 2
steps_per_cycle = 100
"""
    file = tmp_path / "a.toml"
    file.write_text(text)
    assert Case.read(file).mode == "unsteady"
    with pytest.warns(RuntimeWarning, match=r"\[parts.body.motion\].*\[solver\] outer"):
        case = Case.read(file, ["mode=steady"])
    assert case.motion is None
    assert "outer" not in case.solver


def test_a_steady_case_that_is_to_be_unsteady_is_told_the_keys():
    with pytest.raises(km.CaseError, match=r"--set run.time_step=.*--set run.steps="):
        km.cases.load("cylinder-steady", ["mode=unsteady"])
    told = ["mode=unsteady", "run.time_step=0.05", "run.steps=400"]
    assert km.cases.load("cylinder-steady", told).mode == "unsteady"
    pitch = ["motion.pitch.amplitude_deg=5", "motion.pitch.k=0.1"]
    cycles = ["run.cycles=2", "run.steps_per_cycle=32"]
    assert km.cases.load("naca0012-subsonic", ["mode=unsteady", *pitch, *cycles]).motion
