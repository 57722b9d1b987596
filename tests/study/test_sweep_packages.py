"""Versions of installed packages in the identity of a sweep that computes with them."""

import kinemesh as km
import pytest
from extensions import installed
from kinemesh.errors import CaseError
from kinemesh.flow import registry
from kinemesh.space.conditions import table
from kinemesh.study.sweep import claim, packaged, workshop
from kinemesh.study.sweep.asked import asked_of

GIVEN = dict.fromkeys(("zip", "sample", "n", "seed"))
HEIGHT = {"mesh.boundaries.in.total_pressure": [1.1, 1.2]}
OUTLET = {"kind": "outlet", "pressure": 0.9}
DRAIN = {"kind": "drain", "mach": 0.5, "total_pressure": 1.1}


@pytest.fixture(autouse=True)
def site(tmp_path, monkeypatch):
    """Folder with the metadata of kinemesh-nozzle 0.3.1; no package is remembered."""
    monkeypatch.setattr(registry, "OF_PACKAGES", {})
    monkeypatch.setattr(table, "OF_PACKAGES", {})
    for entry in installed(tmp_path / "site"):
        monkeypatch.syspath_prepend(entry)
    return tmp_path / "site"


def asked(over, case="drained-nozzle"):
    return asked_of(case, {"over": over, **GIVEN})


def upgraded(site):
    """The package with the metadata of another version, as pip has it after an upgrade."""
    about = site / "kinemesh_nozzle-0.3.1.dist-info"
    text = (about / "METADATA").read_text().replace("0.3.1", "0.4.0")
    about = about.rename(site / "kinemesh_nozzle-0.4.0.dist-info")
    (about / "METADATA").write_text(text)
    registry.OF_PACKAGES.clear()
    table.OF_PACKAGES.clear()


def test_a_sweep_goes_on_with_one_version_of_its_packages(site, tmp_path):
    out, made = tmp_path / "out", asked(HEIGHT)
    claim.begin(out, made, (1,))
    assert claim.kept(out, made, True, False)["chunks"] == [1]

    upgraded(site)
    with pytest.raises(CaseError, match=r"package is .*-nozzle 0\.3\.1. there, .*4\.0. here"):
        claim.kept(out, asked(HEIGHT), True, False)
    # by another version failed cases may run again
    assert claim.kept(out, asked(HEIGHT), True, True)["chunks"] == [1]


def test_a_file_of_the_user_is_of_the_package_of_its_condition(site, tmp_path, monkeypatch):
    out, tables = tmp_path / "out", km.cases.load("drained-nozzle").tables()
    case = km.cases.casefile.Case.from_dict(tables)
    claim.begin(out, asked(HEIGHT, case), (1,))

    upgraded(site)
    words = "packages kinemesh-nozzle version is .0.3.1. there, .0.4.0. here"
    with pytest.raises(CaseError, match=words):
        claim.kept(out, asked(HEIGHT, case), True, False)


@pytest.mark.parametrize(
    ("over", "used"),
    [
        ({"flow.mach": [0.3, 0.4]}, {}),
        ({"method": ["ale", "first-order"]}, {"solvers": ["first-order"]}),
        ({"mesh.boundaries.outlet": [OUTLET, DRAIN]}, {"conditions": ["drain"]}),
        ({"mesh.boundaries.outlet": ["no-such-kind", "outlet"]}, {}),
    ],
)
def test_packages_are_those_of_values_that_vary_too(over, used):
    found = asked(over, "nozzle-shock").packages

    assert found == ({"kinemesh-nozzle": {"version": "0.3.1", **used}} if used else {})
    assert ("packages" in asked(over, "nozzle-shock").identity()) is bool(used)


class Client:
    """A client of Dask with one worker, which has these versions."""

    def __init__(self, versions):
        self.versions = versions

    def run(self, function, names=("kinemesh",)):
        return {"tcp://one": {name: self.versions[name] for name in names}}


def test_a_worker_with_another_version_of_a_package_is_refused():
    mine = km.__version__
    needed = {"kinemesh-nozzle": {"version": "0.3.1"}}
    same = {"kinemesh": mine, "kinemesh-nozzle": "0.3.1"}
    workshop._refuse_others(Client(same), "x", needed)
    workshop._refuse_others(Client(same | {"kinemesh-nozzle": "none"}), "x", {})

    for theirs in ("0.4.0", "none"):
        words = rf"worker tcp://one has kinemesh-nozzle {theirs}, this program 0\.3\.1"
        with pytest.raises(CaseError, match=words):
            workshop._refuse_others(Client(same | {"kinemesh-nozzle": theirs}), "x", needed)


def test_versions_are_those_of_what_is_installed_here():
    found = packaged.versions_of(["kinemesh-nozzle", "kinemesh-none"])

    assert found == {"kinemesh-nozzle": "0.3.1", "kinemesh-none": "none"}
