"""Installed packages add cases, solvers and conditions, and a broken one breaks nothing else."""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata as installed_metadata
from pathlib import Path

import kinemesh as km
import pytest
from extensions import NOZZLE, installed, metadata
from kinemesh import cli, packages
from kinemesh.cases import listing
from kinemesh.errors import CaseError, KinemeshWarning, PackageError, SettingsError
from kinemesh.flow import registry
from kinemesh.run import resume
from kinemesh.space.conditions import table

pytestmark = pytest.mark.no_sanitizer
DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(autouse=True)
def of_none(monkeypatch):
    """No package is remembered by another test."""
    monkeypatch.setattr(registry, "OF_PACKAGES", {})
    monkeypatch.setattr(table, "OF_PACKAGES", {})


@pytest.fixture
def nozzle(tmp_path, monkeypatch):
    """The package kinemesh-nozzle."""
    for entry in installed(tmp_path / "site"):
        monkeypatch.syspath_prepend(entry)


@pytest.fixture
def offers(tmp_path, monkeypatch):
    """Function that puts a package with one entry point on the path."""

    made = []

    def put(group, name, value, package="kinemesh-x", source=""):
        folder = tmp_path / package
        module = value.partition(":")[0].partition(".")[0]
        made.append(module)
        metadata(folder, package, "1.5", {f"kinemesh.{group}": {name: value}})
        (folder / f"{module}.py").write_text(source)
        monkeypatch.syspath_prepend(str(folder))

    yield put
    for module in made:
        sys.modules.pop(module, None)


def isentropic(height=0.08, pressure=1.1, mach=0.5):
    """Mass flow over rho_inf a_inf chord, at the temperature of the stream in the reservoir."""
    warm = 1 + 0.2 * mach**2
    return height * pressure * mach * warm**-3


# ---------------------------------------------------------------- a package of ten files


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "method", "error", "used"),
    [
        ([], "ale", 1e-4, {}),
        (["--method", "first-order"], "first-order", 6e-3, {"solvers": ["first-order"]}),
    ],
)
def test_the_shell_runs_a_case_of_a_package(tmp_path, options, method, error, used):
    path = os.pathsep.join([*installed(tmp_path / "site"), *sys.path])
    told = os.environ | {"PYTHONPATH": path}
    words = ["run", "drained-nozzle", "--quiet", "--device", "cpu", "--out", "there", *options]
    subprocess.run([sys.executable, "-m", "kinemesh", *words], cwd=tmp_path, env=told, check=True)

    summary = json.loads((tmp_path / "there" / "summary.json").read_text())
    assert summary["case"]["package"] == "kinemesh-nozzle 0.3.1"
    assert summary["case"]["method"] == method
    one = {"version": "0.3.1", "conditions": ["drain"], **used}
    assert summary["packages"] == {"kinemesh-nozzle": one}
    assert summary["identity"]["run"]["packages"] == summary["packages"]
    # second order, and first order on 32 cells along the nozzle
    assert summary["result"]["mass_flow_in"] == pytest.approx(isentropic(), rel=error)
    assert summary["result"]["mass_flow_out"] == pytest.approx(-isentropic(), rel=error)


@pytest.mark.long
def test_pip_installs_the_package_as_these_tests_have_it(tmp_path):
    pytest.importorskip("setuptools", "77")
    shutil.copytree(NOZZLE, tmp_path / "source")
    there = tmp_path / "there"
    words = ["install", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--target", there]
    subprocess.run([sys.executable, "-m", "pip", *words, tmp_path / "source"], check=True)

    installed(tmp_path / "site")
    (made,), (ours,) = ((tmp_path / where).glob("*.dist-info") for where in ("there", "site"))
    assert made.name == ours.name
    read = [configparser.ConfigParser(), configparser.ConfigParser()]
    for parser, info in zip(read, (made, ours), strict=True):
        parser.read(info / "entry_points.txt")
    assert read[0] == read[1]
    for path in (NOZZLE / "src").rglob("*.*"):
        if path.suffix != ".pyc" and path.is_file():
            assert (there / path.relative_to(NOZZLE / "src")).read_bytes() == path.read_bytes()


def test_the_page_on_extending_shows_the_entry_points_of_the_package():
    shown = re.search(r"```toml\n(.*?)```", (DOCS / "extending.md").read_text("utf-8"), re.S)

    made = tomllib.loads((NOZZLE / "pyproject.toml").read_text("utf-8"))
    assert tomllib.loads(shown[1])["project"]["entry-points"] == made["project"]["entry-points"]
    assert len([path for path in NOZZLE.rglob("*") if "__pycache__" not in path.parts
                and path.is_file()]) == 10  # fmt: skip


@pytest.mark.usefixtures("nozzle")
def test_lists_say_of_which_package_a_case_is():
    (line,) = [line for line in listing.lines() if line.startswith("drained-nozzle")]

    assert line.split() == ["drained-nozzle", "steady", *["Nozzle", "drained", "at", "Mach", "0.5"],
                            "(kinemesh-nozzle", "0.3.1)"]  # fmt: skip
    assert listing.added() == {
        "kinemesh-nozzle 0.3.1": "case drained-nozzle, solver first-order, condition drain"
    }


@pytest.mark.usefixtures("nozzle")
def test_names_of_packages_stand_in_sentences_on_unknown_ones():
    with pytest.raises(CaseError, match="did you mean 'drained-nozzle'"):
        km.cases.load("drained-noozle")
    with pytest.raises(CaseError, match=r"expected one of ale, .*, first-order$"):
        registry.named("first-ordr")
    with pytest.raises(SettingsError, match="did you mean 'drain'"):
        table.condition_of("out", "dra1n")


@pytest.mark.usefixtures("nozzle")
def test_a_changed_case_of_a_package_is_refused_as_others_are():
    changes = ["mesh.boundaries.out.mach=0.4"]
    case = km.cases.load("drained-nozzle", changes)
    assert case.package == "kinemesh-nozzle 0.3.1"
    assert case.changed(["flow.mach=0.3"]).package == case.package
    assert case.mesh.boundaries["out"] == {"kind": "drain", "mach": 0.4, "total_pressure": 1.1}

    with pytest.raises(
        CaseError, match=r"^drained-nozzle of package kinemesh-nozzle 0\.3\.1 --set"
    ):
        km.cases.load("drained-nozzle", ["mesh.boundaries.out.mach=-1"])


def test_an_instance_of_a_package_is_of_it(nozzle):
    from kinemesh_nozzle.drain import Drain

    found = table.conditions_of({"out": Drain(0.5, 1.1)})

    assert [one.origin for one in table.sources_of(found)] == ["kinemesh-nozzle 0.3.1"]
    assert table.role_of("drain") == "outer"


# ---------------------------------------------------------------- packages that are broken

BROKEN = [
    ("cases", "bumps", "bumps", "raise ZeroDivisionError('of mine')", "ZeroDivisionError: of mine"),
    ("cases", "bumps", "bumps", "raise SystemExit(3)", "fails with SystemExit: 3"),
    ("cases", "bumps", "bumps:no", "no = 3", "is int, expected a package with bumps.toml"),
    ("cases", "bumps", "bumps", "", "has no file"),
    ("cases", "bumps", "bumps", "del __file__", "has no folder, expected a package with bumps.to"),
    ("solvers", "mine", "mine:LINE", "", "AttributeError: module 'mine' has no attribute 'LINE'"),
    ("solvers", "mine", "mine:LINE", "LINE = 'ale'", "is str, expected a kinemesh.flow.registry"),
    ("solvers", "mine", "mine:LINE", "from kinemesh.flow.registry import named\n"
     "LINE = named('ale')", "is the solver 'ale', expected the name of the entry point"),
    ("solvers", "mine", "mine:LINE", "from kinemesh.flow.registry import named\n"
     "LINE = named('ale')._replace(name='mine')", "has home = 'ale.Ale', expected 'package.module"),
    ("conditions", "leak", "leak:Leak", "Leak = 'outlet'", "is 'outlet', expected a class derived"),
    ("conditions", "leak", "leak:Leak",
     "class Leak: kind, role, families = 'leak', 'outer', ('bc',)", "expected a class derived"),
    ("conditions", "leak", "leak:Leak", "from kinemesh.space.conditions.base import Condition\n"
     "class Leak(Condition): kind = 'leak'", "lacks role, families"),
    ("conditions", "leak", "leak:Leak", "from kinemesh.space.conditions.words import Wall as Leak",
     "is of kind 'wall', expected the name of the entry point"),
]  # fmt: skip
ASKED = {
    "cases": km.cases.load,
    "solvers": registry.named,
    "conditions": lambda name: table.condition_of("side", name),
}


@pytest.mark.parametrize(("group", "name", "value", "source", "text"), BROKEN)
def test_what_is_wrong_with_an_entry_point_is_told_with_its_package(
    offers, group, name, value, source, text
):
    offers(group, name, value, source=source)

    with pytest.raises(PackageError) as told:
        ASKED[group](name)

    start = f"package kinemesh-x 1.5: entry point {name!r} of kinemesh.{group} ({value}) "
    assert str(told.value).startswith(start)
    assert text in str(told.value)


@pytest.mark.parametrize(
    ("home", "text"),
    [
        ("far:Away", "names Away in far, which fails with ModuleNotFoundError"),
        ("kinemesh.flow.ale:Ale", "names kinemesh.flow.ale:Ale, whose method is 'ale'"),
    ],
)
def test_a_line_whose_class_is_not_there_or_of_another_method_names_its_package(offers, home, text):
    source = f"from kinemesh.flow.registry import named\n" \
             f"LINE = named('ale')._replace(name='mine', home={home!r})"  # fmt: skip
    offers("solvers", "mine", "mine_line:LINE", source=source)

    entry = registry.named("mine")
    with pytest.raises(PackageError, match=r"^package kinemesh-x 1\.5: entry point 'mine'") as told:
        _ = entry.solver
    assert text in str(told.value)


@pytest.mark.parametrize("group", ASKED)
def test_two_packages_with_one_name_are_both_named(offers, group):
    for package in ("kinemesh-x", "kinemesh-y"):
        offers(group, "thing", "thing:THING", package)

    with pytest.raises(PackageError, match=r"in packages kinemesh-x 1\.5 and kinemesh-y 1\.5"):
        ASKED[group]("thing")


def test_a_package_takes_no_name_of_kinemesh(offers):
    offers("cases", "cavity", "cavity", source="raise ZeroDivisionError")

    assert km.cases.load("cavity").package == ""
    with pytest.warns(KinemeshWarning, match="kinemesh-x 1.5.*kinemesh has a case of this name"):
        lines = listing.lines()
    assert len([line for line in lines if line.startswith("cavity ")]) == 1


@pytest.mark.filterwarnings("always::kinemesh.errors.KinemeshWarning")  # as in the shell
def test_a_broken_package_hides_no_other_case_in_lists(offers, capsys):
    offers("cases", "bumps", "bumps_broken", source="raise ZeroDivisionError")

    assert cli.main(["cases"]) == 0
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == len(km.cases.names())
    assert "warning: package kinemesh-x 1.5: entry point 'bumps'" in told.err


def test_metadata_that_cannot_be_read_are_named_where_they_are_needed(tmp_path, monkeypatch):
    info = metadata(tmp_path, "kinemesh-x", "1.5", {"kinemesh.cases": {"bumps": "bumps"}})
    (info / "entry_points.txt").write_text("[kinemesh.cases]\nno equals sign\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert km.cases.load("cavity").name == "cavity"
    with pytest.raises(
        PackageError, match=r"cannot be read: those in .*kinemesh_x-1\.5\.dist-info"
    ):
        km.cases.load("bumps")
    with pytest.warns(KinemeshWarning, match="cannot be read"):
        assert packages.listed("cases", ()) == []


def test_metadata_that_cannot_be_read_stop_no_case_of_another_package(
    nozzle, tmp_path, monkeypatch
):
    info = metadata(tmp_path / "x", "x", "1.5", {"kinemesh.cases": {"bumps": "bumps"}})
    (info / "entry_points.txt").write_text("[console_scripts]\nno equals sign\n")
    monkeypatch.syspath_prepend(str(tmp_path / "x"))

    assert km.cases.load("drained-nozzle").package == "kinemesh-nozzle 0.3.1"
    with pytest.warns(KinemeshWarning, match=r"cannot be read: those in .*x-1\.5\.dist-info"):
        assert [one.name for one in packages.listed("cases", ())] == ["drained-nozzle"]


def test_own_names_ask_for_no_metadata(monkeypatch):
    asked = []
    monkeypatch.setattr(installed_metadata, "entry_points", lambda **told: asked.append(told) or ())

    case = km.cases.load("nozzle-shock")
    assert registry.named(case.method).solver is km.Ale
    assert registry.source_of("ale") is None
    table.conditions_of({"a": "wall", "b": {"kind": "outlet", "pressure": 1.0}})
    assert asked == []


def test_a_restart_by_another_version_of_a_package_is_of_another_run(nozzle):
    case = km.cases.load("drained-nozzle", ["run.device='cpu'"]).build()
    now = resume.identity(case, "steady")
    before = now | {"packages": {"kinemesh-nozzle": {"version": "0.3.0", "conditions": ["drain"]}}}

    assert resume.differences(now, now) == []
    assert resume.differences(before, now) == [
        "packages.kinemesh-nozzle.version is 0.3.0 there, 0.3.1 here"
    ]
