"""Motion laws in case files: each is known to the tables by one line."""

import inspect
import io
import tokenize
from pathlib import Path

import kinemesh.cases
import pytest
from kinemesh import motion
from kinemesh.cases import motions

pytestmark = pytest.mark.no_sanitizer

HERE = Path(kinemesh.cases.__file__).parent
READERS = [*HERE.glob("*.py"), Path(__file__).parents[2] / "tools" / "cases_md.py"]
LAWS = motions.laws(motions.MotionPart)
OF_KEYS = [name for name in LAWS if name not in ("table", "modes")]  # these two read files
NEEDED = {"amplitude_deg": 1.0, "amplitude": 1.0, "k": 1.0, "velocity": [1.0, 0], "rate_deg": 1.0,
          "pitch_deg": 1.0,
          "span": 1.5}  # fmt: skip


def lines_with(text, words):
    """Numbers of the lines of code that have a name, or a text in quotes, among these words."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    named = {tokenize.NAME: lambda s: s, tokenize.STRING: lambda s: s.strip("\"'")}
    return {t.start[0] for t in tokens if t.type in named and named[t.type](t.string) in words}


@pytest.mark.parametrize("name", OF_KEYS)
def test_case_files_know_a_law_by_one_line(name):
    words = {name, name.title()}
    found = [(path.name, row) for path in READERS
             for row in lines_with(path.read_text("utf-8"), words)]  # fmt: skip

    assert len(found) == 1, found


@pytest.mark.parametrize("made", ["read", "vibration"])
def test_case_files_know_the_law_of_a_file_by_one_line_beside_its_import(made):
    text = inspect.getsource(motions)

    assert len(lines_with(text, {made})) == 2


def test_lines_are_counted_by_code_and_not_by_comments():
    text = "pitch = 1  # plunge\n'pitch'\npitched = pitch.pitch\n'a pitch'\n"

    assert lines_with(text, {"pitch"}) == {1, 2, 3}
    assert lines_with(text, {"plunge"}) == set()


@pytest.mark.parametrize("name", OF_KEYS)
def test_a_law_of_case_files_is_one_of_python_under_its_name(name):
    made = LAWS[name]
    table = {key.name: NEEDED[key.name] for key in motions.keys(made) if key.name in NEEDED}

    law = motions.MotionPart(**{name: table}).build(2.0)

    assert law == getattr(motion, name)(**table, chord=2.0)


def test_modes_of_case_files_are_vibrations_of_python():
    table = {"shapes": ["bending", "torsion"], "span": 4.0, "about": [0.3, 0.1], "ramp": 2.0,
             "amplitudes": [0.2, 0.05], "k": 0.3, "phases_deg": [0, 90]}  # fmt: skip

    law = motions.MotionPart(modes=table).build(2.0)

    shapes = [motion.clamped_bending(4.0), motion.clamped_torsion(4.0, about=(0.3, 0.1))]
    assert law == motion.vibrate(
        shapes, [0.2, 0.05], k=0.3, phases_deg=[0, 90], chord=2.0, ramp=2.0
    )
