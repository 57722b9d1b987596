"""The summary is valid JSON, says what it must, and prints as a short table."""

import json
import math
from dataclasses import dataclass

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.io import summary


@dataclass(frozen=True)
class Settings:
    cfl: float = math.inf
    order: int = 2


def some(**changes):
    options = {
        "mode": "unsteady",
        "device": "cpu",
        "dtype": "float64",
        "conditions": {"mach": 0.755, "alpha_deg": 0.016},
        "mesh": {"nodes": np.int64(5233)},
        "settings": Settings(),
        "seconds": {"fluxes": 3.0, "springs": 1.0},
        "result": {"cl_amplitude": np.float32(0.25), "missing": math.nan},
        "warnings": ["step 3 ended unconverged"],
    }
    return summary.collect(**(options | changes))


def test_file_is_strict_json_and_comes_back(tmp_path):
    path = summary.write(tmp_path / "out" / "summary.json", some())

    def refuse(word):
        raise AssertionError(word)

    table = json.loads(path.read_text(), parse_constant=refuse)
    assert table == summary.read(path)
    assert table["result"] == {"cl_amplitude": 0.25, "missing": "nan"}
    assert table["settings"] == {"cfl": "inf", "order": 2}
    assert table["versions"]["numpy"] == np.__version__


def test_update_adds_the_case_and_keeps_the_rest(tmp_path):
    path = summary.write(tmp_path / "summary.json", some())

    summary.update(path, case={"name": "agard-ct5"})

    assert summary.read(path)["case"]["name"] == "agard-ct5"
    assert summary.read(path)["conditions"]["mach"] == 0.755


def test_stopwatch_adds_up_by_part():
    watch = summary.Stopwatch()
    for _ in range(2):
        with watch("flux"):
            sum(range(1000))
    watch.add("springs", 2.0)
    watch.add("springs", 3.0)

    assert 0 < watch.seconds["flux"] < watch.total
    assert watch.seconds["springs"] == 5.0
    assert some(seconds=watch)["seconds"]["total"] >= watch.seconds["flux"]


def test_table_orders_parts_by_cost_and_shows_warnings():
    text = summary.table(some())

    assert text.index("fluxes [s]") < text.index("springs [s]") < text.index("total [s]")
    assert " 75.0 %" in text
    assert "step 3 ended unconverged" in text
    assert "5233" in text


def test_table_keeps_series_out():
    loop = {"mean": 0.5, "harmonics": [{"sin": 1.0}], "change": None}

    assert "cl  " in (text := summary.table(some(result={"cl": loop})))
    assert "mean 0.5\n" in text


def test_wrong_summaries_are_refused(tmp_path):
    with pytest.raises(CaseError, match="mode"):
        some(mode="fast")
    with pytest.raises(CaseError, match="lack 'mach'"):
        some(conditions={})
    with pytest.raises(CaseError, match="cannot read"):
        summary.read(tmp_path / "none.json")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(CaseError, match="not JSON"):
        summary.read(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(CaseError, match="not a summary"):
        summary.read(tmp_path / "b.json")


def test_the_results_of_one_member_are_python_numbers():
    """They print as numbers, not as np.float64(...)."""
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    ale = km.Ale(mesh, mach=0.5, device="cpu", settings=km.AleSettings(steady_iterations=2))

    with pytest.warns(RuntimeWarning, match="residual fell to"):
        result = ale.steady().summary["result"]

    assert {type(value) for value in result.values()} == {float, int, bool}


def names_of(result, **more):
    names = [name for name, _ in summary.rows(some(result=result, **more))]
    return names[names.index("alpha_deg") + 1 :]


def test_loads_of_each_body_come_before_the_sum_over_all_walls():
    loads = {"cl": 0.0, "cd": 0.0, "cm": 0.0}
    bodies = {"inner": {"cl": 0.5, "cm": 1.3}, "vessel": {"cl": -0.5, "cm": -1.3}}
    names = names_of({"converged": True, **loads, "work": 1.0, "bodies": bodies})
    assert names[:7] == ["converged", "bodies, inner", "bodies, vessel", "cl, all walls",
                           "cd, all walls", "cm, all walls", "work"]  # fmt: skip

    result = {**loads, "work": 1.0, "bodies": bodies}
    row = summary.rows(some(result=result, conditions={"mach": 0.3, "loads": "inner, cowl"}))
    named = [name for name, _ in row]
    assert [name for name in named if name.startswith("cl")] == ["cl, inner, cowl"]

    names = names_of({"spectrum": loads | {"periods": 1.0, "bodies": bodies}})
    assert names[:3] == ["spectrum, inner", "spectrum, vessel", "spectrum, all walls"]
    assert names_of({"spectrum": loads})[0] == "spectrum"


def test_what_is_empty_has_no_row_and_velocities_are_told():
    sliding = {"mach": 0.5, "sliding": {"wall_top": [1.0, 0.0]}}
    rows = dict(summary.rows(some(conditions=sliding, mesh={"nodes": 9, "bodies": {}})))
    assert rows["sliding"] == "wall_top 1 0"
    assert rows["mesh"] == "9 nodes"
    assert "empty" not in names_of({"empty": {}, "none": [[]]})
