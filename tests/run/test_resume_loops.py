"""A run goes on with the loop over faces that it began with, or with one of the same bits."""

import shutil
from dataclasses import replace

import kinemesh as km
import pytest
from kinemesh.io import summary
from runs import MESH, QUICK, assert_same, interrupted
from solver_cases import on_devices

pytestmark = pytest.mark.flow
MAY_DIFFER = "no run with these settings has the bits of another"


def case(loops, device="cpu", solver=km.Ale):
    kind = {km.Ale: QUICK, km.CellCentred: km.CellSettings(steady_drop=1e-2)}[solver]
    settings = replace(kind, face_loop=loops, steady_iterations=70)
    return solver(MESH, mach=0.5, alpha_deg=1.0, device=device, settings=settings)


@pytest.fixture
def cut(monkeypatch, tmp_path):
    """Folder of a steady run that was stopped after a few iterations, by its loop."""

    def folder(loops, device="cpu", solver=km.Ale):
        out = tmp_path / loops
        work = case(loops, device, solver)
        interrupted(monkeypatch, lambda: work.steady(out=out), 6)
        return out

    return folder


@pytest.mark.long
@on_devices
@pytest.mark.parametrize(("began", "goes_on"), [
    ("colours", "colours"), ("store", "recompute"), ("recompute", "store"),
])  # fmt: skip
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_a_run_goes_on_with_the_bits_of_a_whole_one(cut, tmp_path, solver, began, goes_on, device):
    case(began, device, solver).steady(out=tmp_path / "whole")
    out = cut(began, device, solver)

    run = case(goes_on, device, solver).steady(out=out, resume=True)

    assert_same(tmp_path / "whole", out)
    assert run.summary["result"]["resumed"]["times"] == 1
    assert run.summary["repeatable"] is True
    assert summary.read(out)["settings"]["face_loop"] == goes_on


@pytest.mark.parametrize(("began", "others"), [
    ("store", ("colours", "atomics")), ("recompute", ("colours",)), ("colours", ("store",)),
    ("atomics", ("recompute",)),
])  # fmt: skip
@pytest.mark.filterwarnings(f"ignore:.*{MAY_DIFFER}:RuntimeWarning")
def test_a_run_with_a_loop_of_other_bits_is_another_one(cut, tmp_path, began, others):
    out = cut(began)
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    for other in others:
        words = (
            rf"is of another run: settings\.face_loop is {began} there, {other} here\. Give what"
        )
        with pytest.raises(km.CaseError, match=words):
            case(other).steady(out=out, resume=True)

    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_other_settings_still_tell_runs_apart(cut):
    out = cut("store")
    other = case("recompute")
    other.settings = replace(other.settings, entropy_fix=0.1)

    with pytest.raises(km.CaseError, match=r"settings\.entropy_fix is 0\.05 there, 0\.1 here\."):
        other.steady(out=out, resume=True)


def test_a_run_by_atomics_says_that_it_is_not_repeatable(cut):
    out = cut("atomics")
    again = shutil.copytree(out, out.with_name("again"))

    with pytest.warns(RuntimeWarning, match=f"{MAY_DIFFER}, so those from here on may differ"):
        run = case("atomics").steady(out=again, resume=True)

    assert run.summary["repeatable"] is False
    assert any(MAY_DIFFER in text for text in run.summary["warnings"])
