"""A run as a table: columns of a history, a row per member, short words in a notebook."""

import copy
import json
import pickle
import sys

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import History
from kinemesh.io.summary import Summary
from kinemesh.results import Run
from kinemesh.sentences import Sentence, rows_of
from solver_cases import pitching

MACH, K, ANGLE = (0.4, 0.5), (0.1, 0.2), (1.0, 0.5)  # of `pitching`


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=520, far_field=10)


@pytest.fixture(scope="module")
def run(mesh):
    """Two members, a cycle of eight steps."""
    return pitching(mesh).run(cycles=1, steps_per_cycle=8)


@pytest.fixture
def no_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # importing it is an ImportError


def names(table):
    """Names of the columns of either kind of table."""
    return list(table.columns if table.__class__.__name__ == "DataFrame" else table.dtype.names)


# ---- columns of a history -----------------------------------------------------------------


@pytest.mark.flow
def test_a_history_is_a_mapping_of_its_columns(run):
    columns = dict(run.history)

    assert list(columns) == list(run.history.columns)
    assert len(run.history) == len(columns) == len(run.history.columns)
    assert run.history.rows == len(columns["cl"]) == 16
    for name, column in run.history.items():
        np.testing.assert_array_equal(column, columns[name])
    assert run.history.get("lift") is None
    assert "cl" in run.history
    assert "lift" not in run.history
    assert {**run.history}.keys() == (run.history | {}).keys() == columns.keys()


def test_pandas_makes_a_frame_of_a_history(run):
    pandas = pytest.importorskip("pandas")

    frame = pandas.DataFrame(run.history)

    assert list(frame.columns) == list(run.history.columns)
    assert frame.shape == (16, len(run.history))
    np.testing.assert_array_equal(frame["cm"], run.history["cm"])
    assert frame["step"].dtype == np.int64


@pytest.mark.parametrize("change", ["clear", "popitem"])
def test_columns_of_a_history_are_not_changed(run, change):
    with pytest.raises(TypeError, match="read-only"):
        run.history["cl"] = np.zeros(16)
    with pytest.raises(TypeError, match="read-only"):
        getattr(run.history, change)()


def test_a_history_is_equal_to_itself_alone_and_can_be_copied(run):
    for twin in (copy.deepcopy(run.history), pickle.loads(pickle.dumps(run.history))):
        assert twin != run.history
        assert twin.rows == run.history.rows
        np.testing.assert_array_equal(twin["cl"], run.history["cl"])
    assert run.history == run.history


# ---- a row per member ---------------------------------------------------------------------


def test_a_table_has_what_was_asked_and_what_came_out(run):
    table = run.table()

    assert list(table["member"]) == [0, 1]
    assert list(table["mach"]) == list(MACH)
    assert list(table["k"]) == list(K)
    assert list(table["amplitude_deg"]) == list(ANGLE)
    for m in (0, 1):
        loop = run.loop(m)
        assert table["cl_amplitude"][m] == loop.cl.amplitude
        assert table["cm_mean"][m] == loop.cm.mean
        assert table["damping"][m] == loop.damping
        assert table["work"][m] == loop.work
        assert table["cl_alpha_quadrature"][m] == loop.derivatives.cl_alpha.imag
    assert table["converged"].dtype == bool
    assert "about_x" not in names(table)  # it does not vary


def test_a_table_is_pandas_or_a_structured_array_with_the_numbers_of_it(run, no_pandas):
    table = run.table()

    assert isinstance(table, np.ndarray)
    assert table.shape == (2,)
    assert list(table["mach"]) == list(MACH)
    assert table[["mach", "k", "damping"]][1].tolist() == (0.5, 0.2, run.loop(1).damping)
    assert table["cause"].dtype.kind == "U"
    assert repr(table[["mach", "k"]]).splitlines() == ["mach    k", "0.4   0.1", "0.5   0.2"]


def test_a_table_is_a_frame_where_there_is_pandas(run):
    pandas = pytest.importorskip("pandas")

    assert isinstance(run.table(), pandas.DataFrame)


def test_what_varies_is_a_column(mesh):
    pitches = [km.motion.pitch(1.0, 0.1, about=(x, 0.0)) for x in (0.25, 0.25, 0.5)]
    other = km.mesh.airfoil("naca0012", nodes=620, far_field=10)

    rows = pitching([mesh, other, mesh], mach=0.5, motion=pitches).asked()

    assert [row["mesh"] for row in rows] == [0, 1, 0]
    assert rows[0]["nodes"] == rows[2]["nodes"] != rows[1]["nodes"]
    assert [row["about_x"] for row in rows] == [0.25, 0.25, 0.5]
    made = Run(History(), Summary({"asked": rows, "finished": "now", "result": {}}), None)
    assert {"mesh", "nodes", "about_x"} <= set(names(made.table()))
    assert not {"about_y", "phase_deg", "motion"} & set(names(made.table()))


def test_what_only_some_members_have_does_not_vary():
    rows = [{"mach": 0.5, "k": 0.1, "about_x": 0.25}, {"mach": 0.5, "omega": 0.1}]

    table = Run(History(), Summary(asked=rows, finished="now", result={}), None).table()

    assert "about_x" not in names(table)
    np.testing.assert_array_equal(table["k"], [0.1, np.nan])


def test_a_sum_of_motions_has_the_numbers_of_its_parts(mesh):
    both = km.motion.pitch(2.0, 0.1) + km.motion.plunge(0.05, 0.1, phase_deg=90.0)

    (row,) = pitching(mesh, mach=0.5, motion=both).asked()

    assert row["motion"] == "pitch+plunge"
    assert (row["k"], row["amplitude_deg"], row["amplitude"]) == (0.1, 2.0, 0.05)
    assert (row["pitch_phase_deg"], row["plunge_phase_deg"]) == (0.0, 90.0)
    assert (row["about_x"], row["direction_y"]) == (0.25, 1.0)


def test_numbers_of_any_depth_come_out_and_lists_do_not():
    result = {
        "cl": [{"mean": 0.1, "harmonics": [1, 2]}, {"mean": 0.2, "harmonics": [3, 4]}],
        "derivatives": [{"cl_alpha": {"in_phase": 6.0, "quadrature": 1.0}}, {"cl_alpha": 5 + 2j}],
        "bodies": [{"flap": {"cl": 0.3}}, {"flap": {"cl": 0.4}}],
        "residual_drop": ["nan", 1e-6],
        "graphs_rebuilt": 3,
        "resumed": {"at": [4, 8]},
    }
    rows = [{"mach": 0.5}, {"mach": 0.6}]
    history = History()

    table = Run(history, Summary(asked=rows, finished="now", result=result), None).table()

    assert list(table["cl_mean"]) == [0.1, 0.2]
    assert list(table["cl_alpha_in_phase"]) == [6.0, 5.0]
    assert list(table["cl_alpha_quadrature"]) == [1.0, 2.0]
    assert list(table["cl_flap"]) == [0.3, 0.4]
    assert np.isnan(table["residual_drop"][0])
    assert not [n for n in names(table) if "harm" in n or "graphs" in n or "resumed" in n]
    assert names(table).index("cl_mean") < names(table).index("cl_alpha_in_phase")


def test_the_cause_is_what_was_said_of_that_member(run):
    text = "3 of 8 steps ended above the asked residual drop"
    said = [Sentence(text, member=1), Sentence("of all")]
    told = Summary(run.summary | {"notes": rows_of(said)})

    table = Run(run.history, told, None).table()

    assert list(table["cause"]) == ["", "3 of 8 steps ended above the asked residual drop"]


def test_a_steady_run_is_converged_where_it_fell_as_far_as_was_asked(mesh):
    def steady(**settings):
        made = km.AleSettings(**settings)
        return km.Ale(mesh, mach=0.5, alpha_deg=1.0, device="cpu", settings=made).steady()

    done = steady(steady_drop=1e-3)
    with pytest.warns(RuntimeWarning, match="stopped at its limit of"):
        short = steady(steady_iterations=3)

    assert done.table()["converged"][0]
    assert done.table()["cl"][0] == done.summary["result"]["cl"]
    assert not short.table()["converged"][0]
    assert "residual" in short.table()["cause"][0]


# ---- a series where a list is taken -------------------------------------------------------


def test_columns_of_a_frame_are_taken_as_lists(mesh):
    pandas = pytest.importorskip("pandas")
    asks = pandas.DataFrame({"mach": MACH, "alpha": (0.0, 1.0)}, index=[7, 9])
    meshes = pandas.Series([mesh, mesh], index=[7, 9])

    made = pitching(meshes, mach=asks["mach"], alpha_deg=asks["alpha"])

    assert made.mach.tolist() == list(MACH)
    assert made.alpha_deg.tolist() == [0.0, 1.0]
    clouds = pandas.Series([km.Cloud.from_mesh(mesh)] * 2, index=[7, 9])
    assert km.Meshless(clouds, mach=0.5, device="cpu").grid.members == 2
    with pytest.raises(km.SettingsError, match="mach has 2 entries, expected 3"):
        pitching(mesh, alpha_deg=pandas.Series([0.0, 1.0, 2.0]))
    with pytest.raises(km.SettingsError, match="expected finite numbers"):
        pitching(mesh, alpha_deg=asks[["alpha", "mach"]])


# ---- words --------------------------------------------------------------------------------


def test_a_summary_is_json_as_it_is(run):
    text = json.dumps(run.summary, allow_nan=False)

    assert json.loads(text) == run.summary
    assert run.summary["settings"]["unsteady_drop"] == 1e-2


def test_case_run_and_summary_have_a_short_repr(mesh, run):
    texts = [repr(made) for made in (pitching(mesh), run, run.summary, km.cases.load("agard-ct5"))]

    assert [text for text in texts if len(text) > 200 or "\n" in text] == []
    assert "2 members" in texts[0]
    assert "mach 0.4 to 0.5" in texts[0]
    assert "k 0.1 to 0.2" in texts[0]
    assert "16 rows" in texts[1]
    assert "unsteady" in texts[2]
    assert "naca0012" in texts[3]


def test_case_run_and_summary_are_tables_in_a_notebook(mesh, run):
    for made, word in (
        (pitching(mesh), "amplitude_deg"),
        (run, "damping"),
        (run.summary, "device"),
    ):
        text = made._repr_html_()

        assert text.count("<table>") == text.count("</table>") == 1
        assert word in text
    assert run._repr_html_().count("<tr>") == 3
    text = Summary(mode="<b>")._repr_html_()
    assert text.count("&lt;b&gt;") == 2  # caption and table
    assert "<b>" not in text
