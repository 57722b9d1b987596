"""The registry of solvers: its lines lead somewhere, and a line more is a solver more."""

import json
from dataclasses import fields

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases, cli
from kinemesh.bench.groups import GROUPS, TITLES
from kinemesh.cases import sources, stream
from kinemesh.cases.methods import DEFORMS
from kinemesh.flow import registry
from kinemesh.flow.gas.settings import MarchSettings
from solver_cases import case_text, registered

ROUGH = "[solver]\nsteady_drop = 0.05\nunsteady_drop = 0.3\n"
RENAMED = r"method = 'mesh': this method is now called 'ale'"
pytestmark = pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning")


class Made(km.Ale):
    """Ale with another name."""

    method = "made"


@pytest.fixture
def made(monkeypatch):
    """A solver more, by a line in the registry and a module of its own."""
    yield registered(monkeypatch, Made, references=())
    vars(km).pop("Made", None)


@pytest.fixture
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text('method = "made"\n' + case_text(cycles=1, more=ROUGH))
    return tmp_path


# ---------------------------------------------------------------- the lines


@pytest.mark.parametrize("entry", registry.SOLVERS, ids=registry.names())
def test_a_line_leads_to_a_solver_its_settings_and_what_it_takes(entry):
    assert entry.solver.method == entry.name
    assert getattr(km, entry.class_home[1]) is entry.solver
    assert getattr(km, entry.settings_name) is entry.settings
    assert {entry.class_home[1], entry.settings_name} <= {*km.__all__}
    if issubclass(entry.settings, MarchSettings):
        assert {"steady_drop", "unsteady_drop"} < {f.name for f in fields(entry.settings)}
    assert {*entry.deforms} <= {*DEFORMS}
    assert {*entry.references} <= {*stream.REFERENCES}
    assert {*entry.bench} <= {*GROUPS}
    assert GROUPS.keys() == TITLES.keys()
    assert any(entry.takes(source.makes) for source in sources.ALL)


def test_the_old_name_of_a_method_is_refused_with_the_new_one(tmp_path, capsys):
    path = tmp_path / "old.toml"
    path.write_text('method = "mesh"\n' + case_text())

    with pytest.raises(km.CaseError, match=rf"old\.toml: {RENAMED}"):
        cases.load(path)
    with pytest.raises(km.CaseError, match=RENAMED):
        cases.load("agard-ct5").replace(method="mesh")
    for words in ("check agard-ct5 --method mesh", "bench --method mesh"):
        assert cli.main(words.split()) == 2
        assert "is now called 'ale'" in " ".join(capsys.readouterr().err.split())


# ---------------------------------------------------------------- a line more


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_a_solver_more_is_run_and_resumed_from_a_case_file(made, here, undrawn, capsys):
    assert cli.main(["check", "small.toml", "--quiet"]) == 0
    assert cli.main(["run", "small.toml", "--quiet"]) == 0
    about = json.loads((here / "small" / "summary.json").read_text())
    assert about["case"]["method"] == "made"

    assert cli.main(["run", "small.toml", "--quiet", "--resume", "--cycles", "1.25"]) == 0
    rows = km.open("small").history
    assert cli.main(["run", "small.toml", "--quiet", "--method", "ale", "--out", "ale",
                     "--cycles", "1.25"]) == 0  # fmt: skip
    np.testing.assert_array_equal(rows.cl, km.open("ale").history.cl)

    capsys.readouterr()
    assert cli.main(["run", "small.toml", "--quiet", "--method", "ale", "--resume"]) == 2
    assert "method is made there, ale here" in " ".join(capsys.readouterr().err.split())


def test_what_a_line_does_not_name_is_refused(made):
    with pytest.raises(
        km.CaseError, match=r"chord: .* method 'made' takes none; .*, or use method = 'ale' or"
    ):
        cases.load("agard-ct5", ["method=made", "flow.chord=1.0"])
    with pytest.raises(km.CaseError, match=r"'made' takes none; .* 'cells' or 'meshless'"):
        cases.load("oneram6").replace(method="made")
    with pytest.raises(km.CaseError, match=r"expected one of ale, .*\bmade"):
        cases.load("agard-ct5", ["method=mode"])


def test_a_solver_more_is_a_name_of_the_package_and_has_rows_of_the_bench(made, tmp_path, capsys):
    assert km.Made is Made

    path = tmp_path / "figures.json"
    words = "bench --method made --rows boundary --sizes 600 --repeat 1 --device cpu --json"
    assert cli.main([*words.split(), str(path)]) == 0

    assert [json.loads(line)["method"] for line in path.read_text().splitlines()] == ["made"]
    assert ", made, float64" in capsys.readouterr().out
    assert cli.main(["bench", "--method", "made", "--cloud", "plane"]) == 2
    assert "'made' computes on a mesh; leave out --cloud" in capsys.readouterr().err
