"""Report of `kinemesh check` on overset parts that move, in the plane and in space."""

from pathlib import Path

import kinemesh as km
import pytest
from kinemesh import cli
from kinemesh.cases import build
from kinemesh.dimension import dimension_of
from kinemesh.io import summary

PLANE = """
name = "rod"
mode = "unsteady"
method = "incompressible"
[flow]
reynolds = 100
moment_about = [0.0, 0.0]
[parts.rod]
shape = "cylinder"
nodes = 640
far_field = 1.6
wall_spacing = 0.03
at = [0.5, 1e-17]
[parts.rod.motion]
plunge = { amplitude = 0.1, k = 0.5 }
[parts.back]
box = [-6, 8, -6, 6]
core = [-1.6, 2.6, -2.1, 2.1]
spacing = 0.09
growth = 1.3
[run]
time_step = 0.1
steps = 2
device = "cpu"
"""
SPACE = """
name = "ball"
mode = "unsteady"
method = "incompressible"
[flow]
reynolds = 100
moment_about = [0.1, 0.0]
reference_area = 0.4
reference_length = 1.0
[parts.ball]
shape = "sphere"
half = true
nodes = 4000
far_field = 2.4
wall_spacing = 0.05
at = [0.5, 0.0, -0.25]
[parts.ball.motion]
plunge = { amplitude = 0.1, k = 0.5 }
[parts.back]
box = [-2.5, 3.5, 0, 3.0, -3.25, 2.75]
core = [-2.5, 3.5, 0, 3.0, -3.25, 2.75]
spacing = 0.22
boundaries = { front = "symmetry" }
[solver]
overlap = 1
[run]
time_step = 0.1
steps = 2
device = "cpu"
"""


@pytest.fixture
def checked(capsys, tmp_path, monkeypatch):
    """Callable: rows of the program on a case file, name -> (state, text) of its first."""
    monkeypatch.chdir(tmp_path)

    def check(text, *words):
        Path("case.toml").write_text(text)
        cli.main(["check", "case.toml", "--quiet", *words])
        rows = {}
        for line in capsys.readouterr().out.splitlines()[:-1]:
            name, state, *said = line.split(maxsplit=2)
            rows.setdefault(name, (state, "".join(said)))
        return rows

    return check


def test_parts_at_rest_are_still(checked):
    rows = checked(PLANE.replace("plunge = { amplitude = 0.1, k = 0.5 }", "").replace(
        "[parts.rod.motion]", ""))  # fmt: skip
    assert rows["settings"][1].endswith("; still")


def test_motions_of_parts_in_space_refer_to_the_reference_length_of_the_case(tmp_path):
    half = SPACE.replace("reference_length = 1.0", "reference_length = 0.5")
    (tmp_path / "half.toml").write_text(
        half.replace("far_field = 2.4", "far_field = 2.4\nscale = 0.5")
    )
    case = km.cases.load(tmp_path / "half.toml")
    parts = build.space(case)

    for spaces in (parts, [parts, parts], {name: own.mesh for name, own in parts.items()}):
        made = build.options(case, dimension_of(spaces))["motion"]
        assert made["ball"].chord == 0.5


def test_parts_that_move_are_rigid_and_their_points_are_those_of_the_case(checked):
    rows = checked(PLANE, "--no-preflight")
    assert rows["settings"][1].endswith("; rigid")
    assert rows["points"] == ("ok", "moments about (0, 0) of rod, (0.5, 0) of the case")


@pytest.mark.long
def test_parts_in_space_that_move_are_rigid_and_their_points_are_those_of_the_case(checked):
    rows = checked(SPACE)
    assert rows["settings"][1].endswith("; rigid")
    told = "moments about (0.1, 0) of ball, (0.6, 0, -0.25) of the case"
    assert rows["points"] == ("ok", told)
    assert rows["pre-flight"][0] == "ok", rows


@pytest.mark.long
def test_half_a_body_over_a_background_without_its_plane_of_symmetry_is_refused(checked):
    rows = checked(SPACE.replace('boundaries = { front = "symmetry" }', ""))
    assert rows["mesh"][0] == "wrong"
    assert "'back.front', which lies in it, is of kind 'far'" in rows["mesh"][1]


def test_a_case_in_whose_folder_is_another_run_is_flown_too(checked):
    about = {"format": summary.FORMAT, "case": {"name": "other"}}
    summary.write(Path("out/summary.json"), about)

    rows = checked(PLANE, "--out", "out")

    assert rows["output"][0] == "wrong"
    assert rows["pre-flight"][0] == "ok"
    assert "2 steps, every receptor has a donor" in rows["pre-flight"][1]
