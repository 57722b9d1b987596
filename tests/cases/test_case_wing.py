"""The ready case `oneram6`: what is built, what is refused, what `check` and a run leave."""

import json
import tomllib

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases, cli, plot
from kinemesh.cases import build
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError
from kinemesh.io import fields
from kinemesh.plot import wings
from kinemesh.results.sections import Span
from kinemesh.run import steady
from runs import assert_same, killed, rows
from solver_cases import oneram6

M6 = cases.load("oneram6")
TEXT = (cases.FOLDER / "oneram6.toml").read_text("utf-8")
TEXT = TEXT.replace("= 100000", '= 20000\ncloud = "regular"')
pytestmark = [pytest.mark.flow, pytest.mark.filterwarnings("ignore:member:RuntimeWarning")]


def case(*changes):
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Case.from_dict(tomllib.loads(text))


# ---------------------------------------------------------------- what is built


def test_the_case_is_test_2308():
    model = case().build(device="cpu")

    assert (M6.flow.mach, M6.flow.alpha_deg, M6.mode) == (0.8395, 3.06, "steady")
    assert (M6.method, M6.mesh.points, M6.mesh.cloud) == ("meshless", 100_000, None)
    assert model.reference == (1.15315084, 0.80167296)
    assert model.grid.sizes()["points"] == pytest.approx(20_000, rel=0.03)
    assert model.settings.limiter == "wang"


def test_keys_of_the_cloud_are_those_of_the_wing():
    cloud = build.cloud(case(("= 20000", "= 24000\nfar_field = 15.0")).mesh)

    want = km.cloud.oneram6(24_000, far_field=15.0)
    assert (cloud.points == want.points).all()


def test_irregular_clouds_are_those_of_tetrahedra():
    irregular = case().replace(cloud="irregular", points=21_000)

    assert len(build.cloud(irregular.mesh).satellites) > 12 * 21_000
    jst = case(('"regular"', '"irregular"'), ("[solver]", "[solver]\nflux = 'jst'"))
    assert build.settings(jst).flux == "jst"


# ---------------------------------------------------------------- what is refused

REFUSED = {
    "wing": ([('wing = "oneram6"', 'wing = "m6"')], "wing = 'm6', expected oneram6, or a section"),
    "cloud": ([('"regular"', '"wild"')], "cloud = 'wild', expected one of regular, irregular"),
    "points": ([("20000", "2e4")], r"points = 20000\.0, expected an integer"),
    "two sources": ([("points = 20000", "section = 'naca0012'")], "expected one"),
    "few": ([("20000", "-20000")], "= -20000, .* of 10000 to 20000000, of a cloud at least 20000"),
    "few points": ([("20000", "15000")], "= 15000, expected an integer of 20000 to 20000000$"),
    "nodes": ([("[mesh]\n", "[mesh]\nnodes = 20000\n")], "one number; give mesh.points alone"),
    "span": ([("[mesh]\n", "[mesh]\nspan = 3\n")], "the wing oneram6, so span has no mea"),
    "cells": ([("[mesh]\n", "[mesh]\ncells = 'tets'\n")], "cells is of a mesh .* method = 'ale'"),
    "walls": ([("points = 20000", "walls = ['wing']")], "walls has no meaning; remove it"),
    "points of a section": ([('wing = "oneram6"', "section = 'naca0012'"), ("cloud", "#")],
                            "a section, so points has no meaning; its size is nodes"),
    "unknown": ([("points", "pointz")], "unknown key 'pointz'; did you mean 'points'"),
    "area": ([("= 1.15315084", "= 0.0")], r"reference_area = 0\.0, expected a number above 0"),
    "method": ([('method = "meshless"', "")], "cloud is of a cloud .* use method = 'meshless'"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_meaning_for_a_wing_is_refused(changes, message):
    with pytest.raises(km.CaseError, match=message):
        case(*changes)


def test_a_mesh_refers_to_its_chord():
    text = 'name = "s"\nmode = "steady"\n[mesh]\nsection = "naca0012"\n[flow]\nmach = 0.5\n'
    table = tomllib.loads(text + "reference_length = 2.0\n")

    slow = {"reynolds": 100, "reference_length": 2.0}
    made = Case.from_dict(table | {"method": "incompressible", "flow": slow}).build(device="cpu")
    assert made.reference == (1, 2)
    for method in ("ale", "cells", "meshless"):
        assert Case.from_dict(table | {"method": method}).build(device="cpu").reference == (1, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("oneram6 --method incompressible", "of method 'incompressible' the stream is reynolds"),
        ("oneram6 --mesh some.su2", "a mesh file cannot take"),
        (
            "oneram6 --points 100",
            "points = 100, expected an integer of 10000 to 20000000, of a cloud at least",
        ),
        ("naca0012-subsonic --points 5000", "its size is nodes"),
        ("three-element --cloud irregular", "bodies, so cloud has no meaning"),
    ],
)
def test_options_without_meaning_are_status_2(words, message, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)

    assert cli.main(["run", *words.split(), "--device", "cpu"]) == 2

    assert message in " ".join(capsys.readouterr().err.split())


def test_the_sizes_of_a_wing_are_numbers_of_points(tmp_path):
    case = km.cases.load("oneram6")
    assert [case.replace(nodes=n).mesh.points for n in ("coarse", "fine")] == [40_000, 300_000]

    own = {key: value for key, value in case.tables()["mesh"].items() if key != "sizes"}
    bare = Case.from_dict(case.tables() | {"mesh": own})
    with pytest.raises(CaseError, match="wing oneram6 and no size coarse; give --po"):
        bare.replace(nodes="coarse")


# ---------------------------------------------------------------- the program


@pytest.mark.long
@pytest.mark.parametrize("kind", ["regular", "irregular"])
def test_check_tells_all_of_a_wing(kind, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    words = f"check oneram6 --points 20000 --cloud {kind} --device cpu --quiet"

    assert cli.main(words.split()) == 0

    lines = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()[:-1]]
    said = {name: text for name, state, text in lines if state == "ok"}
    cloud = oneram6(points=20_000, **({"irregular": True} if kind == "irregular" else {}))
    assert f"{len(cloud.points)} points" in said["cloud"]
    assert said["cloud"].count(" by ") == 2
    assert f"wing ({len(cloud.boundaries['wing'])} triangles)" in said["markers"]
    assert "symmetry (plane) symmetry (" in said["markers"]
    assert f"worst condition {cloud.conditions.max():.3g} at" in said["quality"]
    assert said["quality"].startswith("2 colours") == (kind == "regular")
    assert "limiter wang" in said["settings"]
    assert "GiB free on cpu" in said["memory"]


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """Folder of a run of few iterations by the program, and its status."""
    here = tmp_path_factory.mktemp("wing")
    (here / "m6.toml").write_text(TEXT + "steady_iterations = 9\n")
    words = ["run", str(here / "m6.toml"), "--device", "cpu", "--out", str(here / "out")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steady, "KEEP_EVERY", 4)
        return here / "out", cli.main(words)


@pytest.mark.long
def test_a_run_leaves_all_its_files(short):
    folder, status = short

    assert status == 3  # nine iterations are too few
    names = {path.name for path in folder.iterdir()}
    drawn = ("convergence", "cp", "sections", "spanwise", "cut", "mesh")
    assert names == {f"{name}.png" for name in drawn} | {
        "flow.vtkhdf",
        "spanwise.csv",
        "surface.vtkhdf",
        "history.csv",
        "restart.h5",
        "restart.h5.1",
        "summary.json",
    }
    about = json.loads((folder / "summary.json").read_text())
    assert about["case"]["mesh"] == "oneram6"
    assert about["result"]["iterations"] == 9
    assert about["seconds_per_iteration"] == pytest.approx(about["seconds"]["total"] / 9, rel=0.1)
    assert np.isfinite(about["result"]["cl"])


@pytest.mark.long
def test_the_fields_are_on_the_boundary_triangles(short):
    flow = fields.read(short[0] / "flow.vtkhdf")
    cloud = oneram6(points=20_000)

    back = np.argsort(cloud.original)
    np.testing.assert_array_equal(flow["points"], cloud.points[back])
    assert len(flow["cells"]) == sum(map(len, cloud.boundaries.values()))
    assert (flow["cells"][:, 3] == -1).all()
    assert len(flow["walls"]) == len(cloud.boundaries["wing"])
    a, b = (flow["fields"]["Colour"][end] for end in _pairs(cloud, back))
    assert (a != b).all()
    assert np.isfinite(flow["fields"]["Cp"]).all()


def _pairs(cloud, back):
    """Ends of all lines between satellites, in the user's numbers."""
    place = np.argsort(back)
    ends = np.repeat(np.arange(len(cloud.points)), np.diff(cloud.offsets))
    return place[ends], place[cloud.satellites]


@pytest.mark.long
def test_the_figures_have_what_was_measured(short, monkeypatch, undrawn):
    folder, _ = short
    asked = {}

    def sections(points, walls, cp, stations, data, label, **more):
        asked.update(stations=stations, data=data, label=label)

    monkeypatch.setattr(wings, "sections", sections)
    plot.from_directory(folder)

    assert [share for share, _ in asked["stations"]] == [0.2, 0.44, 0.65, 0.8, 0.9, 0.96, 0.99]
    assert asked["stations"][1][1] == pytest.approx(0.44 * 1.47601798, abs=1e-6)
    assert asked["data"].shape == (271, 4)
    assert "2308" in asked["label"]
    about = json.loads((folder / "summary.json").read_text())
    about["conditions"]["mach"] = 0.7
    with pytest.warns(UserWarning, match=r"without what was measured: that is at Mach 0\.8395"):
        assert wings._stations(Span(0.0, 1.0, 0.0, 1.0), wings.SHARES, about)[1] is None


@pytest.mark.long
def test_sections_are_those_of_the_wing(short):
    flow = fields.read(short[0] / "flow.vtkhdf")
    chordwise = flow["points"][:, 0]
    figure = wings.sections(flow["points"], flow["walls"], chordwise, [(0.5, 0.738)])

    upper, lower = (line for line in figure.axes[0].lines if len(line.get_xdata()))
    for side in (upper, lower):
        x, cp = side.get_xydata().T
        taper = 1 - (1 - 455.914 / 810.491) * 0.5
        nose = np.tan(np.radians(29.999)) * 0.738
        np.testing.assert_allclose(cp, nose + taper * x, atol=2e-3)
    assert upper.get_xdata().min() < 0.01
    assert upper.get_xdata().max() > 0.99


@pytest.mark.long
def test_a_killed_run_goes_on_with_the_same_bits(short, tmp_path, monkeypatch):
    monkeypatch.setattr(steady, "KEEP_EVERY", 4)
    out = tmp_path / "again"
    same = case(("1e-4", "1e-4\nsteady_iterations = 9")).replace(device="cpu", out=str(out))

    killed(same.run, lambda: rows(out) >= 6, 0.0)
    again = same.run(resume=True)

    assert again.summary["result"]["resumed"]["at"][0] in (4, 8)
    assert_same(short[0], out)
