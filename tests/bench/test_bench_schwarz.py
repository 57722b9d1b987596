"""kinemesh bench --schwarz: the pressure part by part is that of all parts at once."""

import json
from math import tanh

import pytest
from bench_pairs import small_pair, small_pair_in_space
from kinemesh import bench
from kinemesh.bench import schwarz, steps
from kinemesh.bench.schwarz import Law
from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError
from test_bench import arguments

pytestmark = pytest.mark.filterwarnings("ignore:.*reference_area is 2, and the planform of wing")
CLOSE = Law(1e-7, 5, 0.3), Law(1e-7)


def test_a_tolerance_falls_by_the_hyperbolic_tangent_from_a_tenth_to_the_last_one():
    law = Law(1e-4, 20, 0.3)

    assert law.at(0) == 0.1
    # P3, section 5: eps = b + a tanh(beta T), b = eps0, a = (epsf - eps0) / tanh(beta N)
    assert law.at(7) == pytest.approx(0.1 + (1e-4 - 0.1) / tanh(6) * tanh(2.1), rel=1e-14)
    assert law.at(20) == 1e-4
    assert Law(1e-5).at(0) == 1e-5


@pytest.fixture(scope="module", params=[small_pair, small_pair_in_space], ids=["plane", "space"])
def case(request):
    made = steps.plunging(Backend("cpu"), request.param(), 1, pressure_tolerance=1e-7)
    steps.Walk(made).make(2)()
    return made


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_parts_one_by_one_end_where_all_parts_at_once_do(case):
    system = schwarz.composite(case)
    parts = schwarz.Schwarz(case.backend, system)
    whole = schwarz.ours(case, system)
    falling, constant = (parts.solve(law) for law in CLOSE)

    # each part's residual is 1e-7 of its side, in which the fringe may be some times b
    assert whole.left <= 1e-7
    assert max(falling.left, constant.left) < 1e-6
    assert min(falling.iterations, constant.iterations) > 10 * whole.iterations
    assert falling.solves > constant.solves
    assert system.left(0 * system.b) == 1


def test_the_comparison_has_a_line_for_each_way_to_each_tolerance(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(steps, "made", lambda nodes: small_pair())
    monkeypatch.setattr(schwarz, "TABLES", {1: (Law(1e-3, 3, 0.3), Law(1e-3))})
    path = tmp_path / "figures.json"

    words = ("--schwarz", "--sizes", "5000", "--device", "cpu", "--json", str(path))
    assert bench.main(arguments(*words)) == 0

    figures = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    assert [f["way"] for f in figures] == ["all parts at once", *schwarz.WAYS]
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(figures)
    assert [int(line.split("|")[4]) for line in lines[2:]] == [f["iterations"] for f in figures]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--schwarz", "--overset"), "overset: without --schwarz"),
        (("--schwarz", "--rows", "flow"), "rows: without --schwarz"),
        (("--schwarz", "--sizes", "many"), "sizes: 'many', expected whole numbers"),
        (("--schwarz", "--sizes", "900"), "sizes: 900, expected at least 17000"),
        (("--schwarz", "--in-space", "--sizes", "60000"), "sizes: 60000, .* in space 110000"),
        (("--schwarz", "--in-space", "60000"), "in-space: '60000' beside overset parts"),
        (("--schwarz", "--table", "a.json"), "--table draws what was measured"),
    ],
)
def test_what_is_no_comparison_is_refused(words, message):
    with pytest.raises(SettingsError, match=message):
        bench.main(arguments("--device", "cpu", *words))
