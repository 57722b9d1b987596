"""One key for the reduced frequency of all motions of a body."""

import kinemesh as km
import pytest
from kinemesh.cases.motions import MotionPart
from kinemesh.errors import CaseError

PLUNGE, PITCH = {"amplitude": 0.2}, {"amplitude_deg": 5.0, "phase_deg": 90.0}
BOTH = km.motion.pitch(5.0, 0.4, phase_deg=90.0) + km.motion.plunge(0.2, 0.4)


def test_a_frequency_of_the_section_is_that_of_all_laws_with_one():
    part = MotionPart(plunge=PLUNGE, pitch=PITCH, rotate={"rate_deg": 1.0}, k=0.4)
    rotated = km.motion.rotate(1.0)

    assert MotionPart(plunge=PLUNGE, pitch=PITCH, k=0.4).build(None) == BOTH
    assert part.build(None) == BOTH + rotated
    assert part.build(2.0).parts[0].chord == 2.0
    assert part.k == 0.4
    assert "k" not in part.plunge  # a copy with another k is one


def test_bodies_have_one_each():
    part = MotionPart(bodies={"a": {"k": 0.4, "plunge": PLUNGE, "pitch": PITCH},
                              "b": {"plunge": {**PLUNGE, "k": 0.1}}})  # fmt: skip

    assert part.build(None) == {"a": BOTH, "b": km.motion.plunge(0.2, 0.1)}
    assert part.files == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"k": 0.4, "plunge": {**PLUNGE, "k": 0.4}}, r"\[motion\] plunge has k, and so has \["),
        ({"k": 0.4, "rotate": {"rate_deg": 1.0}}, r"\[motion\] k = 0.4, and no motion beside it h"),
        ({"k": 0.4}, r"\[motion\] is empty"),
        ({"k": 0.4, "pitch": 5}, r"\[motion\] pitch = 5, expected a table"),
        ({"k": "0.4", "plunge": PLUNGE}, r"\[motion\] k = '0.4', expected a number above 0"),
        ({"k": True, "plunge": PLUNGE}, r"\[motion\] k = True, expected a number above 0"),
        ({"k": 0.4, "bodies": {"a": {"plunge": PLUNGE}}}, r"\[motion\] has bodies, so k has no m"),
        ({"bodies": {"a": {"k": 1}}}, r"\[motion.bodies.a\] k = 1, and no motion beside it"),
        (
            {"bodies": {"a": {"k": 1.0, "pitch": {**PITCH, "k": 1.0}}}},
            r"\[motion.bodies.a\] pitch has k, and so has \[motion.bodies.a\]; expected one",
        ),
        ({"plunge": PLUNGE}, r"\[motion\] plunge lacks k"),
    ],
)
def test_a_frequency_without_a_meaning_is_refused(given, words):
    with pytest.raises(CaseError, match=words):
        MotionPart(**given)


@pytest.mark.parametrize("k", [0.0, -0.4])
def test_a_frequency_is_above_0(k):
    with pytest.raises(km.SettingsError, match=r"k = .*, expected a number above 0"):
        MotionPart(k=k, plunge=PLUNGE).build(None)


def test_a_sweep_goes_over_the_frequency_of_both(tmp_path):
    file = tmp_path / "flap.toml"
    file.write_text("""
name = "flap"
mode = "unsteady"
mesh = { section = "naca0012", nodes = 500, far_field = 8 }
flow = { mach = 0.5 }
motion = { k = 0.5, plunge = { amplitude = 0.02 }, pitch = { amplitude_deg = 1.0, ramp = 2.0 } }
run = { cycles = 2, steps_per_cycle = 32 }
""")
    case = km.cases.load(file)
    assert case.motion.build(None).omega(1.0) == pytest.approx(1.0)
    changed = km.cases.load(str(file), changes=["motion.k=0.25"])
    assert {part.k for part in changed.motion.build(None).parts} == {0.25}
