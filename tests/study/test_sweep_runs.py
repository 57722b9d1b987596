"""Sweeps that run: rows with the bits of solo runs, whole and resumed whatever happens."""

import random
import warnings
from copy import deepcopy

import kinemesh as km
import numpy as np
import pandas
import pytest
import xarray
import zarr
from kinemesh import cli
from kinemesh.cases import ensemble
from kinemesh.errors import CaseError, SettingsError
from kinemesh.io.store import NAME, Store
from kinemesh.study.sweep import shell, work
from runs import killed
from sweeps import TABLES, assert_solo, case, same

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings(
        "ignore:.*(cases failed|not periodic|above the asked|second order|residual)"
    ),
]
MACH, K = "flow.mach", "motion.pitch.k"
OVER = {MACH: [0.4, 0.5, 0.6], K: [0.1, 0.2]}


def solo(row, **tables):
    """The loop of a row, run alone."""
    parts = {}
    for key, value in row.items():
        *where, name = key.split(".")
        table = parts
        for word in where:
            table = table.setdefault(word, deepcopy(TABLES.get(word, {})))
        table[name] = value
    if "pitch" in parts.get("motion", {}):
        parts["motion"]["pitch"] = {**TABLES["motion"]["pitch"], **parts["motion"]["pitch"]}
    for name, more in tables.items():
        parts[name] = {**parts.get(name, {}), **more}
    return case(**parts).run()


@pytest.mark.long
def test_rows_of_one_ensemble_and_of_several_have_the_bits_of_solo_runs():
    over = {MACH: [0.4, 0.6], "mesh.section": ["naca0012", "naca2412"],
            "solver.flux": ["roe", "hllc"]}  # fmt: skip

    found = km.sweep(case(), over)

    assert found.sizes == {"mach": 2, "section": 2, "flux": 2, "phase": 6}
    assert (found.state == 1).all()
    for mach, section, flux in ((0.4, "naca2412", "hllc"), (0.6, "naca0012", "roe")):
        row = found.sel(mach=mach, section=section, flux=flux)
        run = solo({MACH: mach}, mesh={"section": section}, solver={"flux": flux})
        assert_solo(row, run)


@pytest.mark.long
def test_a_case_until_it_is_periodic_ends_where_it_ends_alone():
    until = {"cycles": 5, "until": "periodic", "periodic_tolerance": 0.04}

    found = km.sweep(case(run=until), {MACH: [0.3, 0.5], K: [0.4, 0.05]})

    assert len(np.unique(found.cycles_run)) > 1  # else the longest would do
    for mach, k in ((0.3, 0.4), (0.5, 0.05)):
        assert_solo(found.sel(mach=mach, k=k), solo({MACH: mach, K: k}, run=until))


@pytest.mark.long
def test_a_case_until_it_is_periodic_goes_on_to_a_cycle_after_its_ramp():
    """A ramp of 1.9 cycles at one frequency, of less than a whole one at the other."""
    until = {"cycles": 5, "steps_per_cycle": 6, "until": "periodic", "periodic_tolerance": 1e9}
    motion = {"pitch": {**TABLES["motion"]["pitch"], "ramp": 1.9 * np.pi / 0.4}}
    asked = case(run=until, motion=motion)

    found = km.sweep(asked, {K: [0.4, 0.05]})

    assert found.cycles_run.values.round(9).tolist() == [3, 2]
    for k in (0.4, 0.05):
        assert_solo(found.sel(k=k), asked.changed([f"{K}={k}"]).run())


@pytest.mark.long
def test_loops_of_fewer_steps_are_on_the_phases_of_the_most():
    found = km.sweep(case(), {"run.steps_per_cycle": [6, 12]})

    assert found.phase.values.tolist() == [30.0 * i for i in range(12)]
    few = found.sel(steps_per_cycle=6)
    # a Fourier sum through six values: rounding of a few eps of values below 1
    np.testing.assert_allclose(few.cl[::2], solo({}).loop().cl.values, atol=1e-14)
    assert few.cl.max() < 1.2 * few.cl[::2].max()


def test_a_steady_sweep_has_loads_and_the_drop_of_the_residual():
    tables = {k: v for k, v in TABLES.items() if k not in ("motion", "deform", "run")}
    settings = {k: v for k, v in tables["solver"].items() if k != "unsteady_drop"}
    steady = km.cases.casefile.Case.from_dict(
        tables | {"mode": "steady", "solver": settings, "run": {"device": "cpu"}}
    )

    found = km.sweep(steady, {"flow.alpha_deg": [0.0, 1.0]})

    assert dict(found.sizes) == {"alpha_deg": 2}
    alone = km.cases.casefile.Case.from_dict(
        steady.tables() | {"flow": {"mach": 0.5, "alpha_deg": 1.0}}
    ).run()
    assert found.cl[1] == alone.summary["result"]["cl"]
    assert found.residual_drop[1] == alone.summary["result"]["residual_drop"]
    assert found.residual_drop[1] <= settings["steady_drop"]
    assert found.converged.all()


@pytest.mark.long
def test_a_case_that_breaks_and_one_that_is_impossible_fail_alone():
    springs = {"deform": {"method": "springs"}, "run": {"steps_per_cycle": 4}}
    over = {"motion.pitch.amplitude_deg": [1.0, 170.0, 2.0], MACH: [0.4, -1.0]}

    found = km.sweep(case(**springs), over, skip_bad=True)

    good = found.sel(mach=0.4)
    assert good.state.values.tolist() == [1, 2, 1]
    assert "invert the cell" in str(good.cause[1].item())
    assert "member" not in str(good.cause[1].item())
    assert np.isnan(good.damping[1])
    assert (found.sel(mach=-1.0).state == 2).all()
    assert "expected a number above 0" in str(found.sel(mach=-1.0).cause[0].item())
    assert_solo(good.sel(amplitude_deg=2.0), case(**springs, flow={"mach": 0.4}).run())


def test_a_case_that_breaks_in_its_last_step_has_failed_though_the_step_has_a_row(monkeypatch):
    def diverges(solver, where, *_):
        if where == "step 6 of 6":
            solver.grid.ensemble.fail(1, "made to diverge")

    monkeypatch.setattr("kinemesh.run.criteria.refuse_diverged", diverges)
    short = case(solver={"unsteady_drop": 1e-14, "unsteady_iterations": 2})

    found = km.sweep(short, {MACH: [0.4, 0.5]})

    assert found.state.values.tolist() == [1, 2]
    assert str(found.cause[1].item()).startswith("made to diverge")
    assert np.isnan(found.cl[1]).all()


@pytest.mark.filterwarnings("ignore:.*1 of 1 case failed:RuntimeWarning")
def test_a_case_alone_in_its_ensemble_that_breaks_is_a_failed_row():
    found = km.sweep(case(deform={"method": "springs"}), {"motion.pitch.amplitude_deg": [170.0]})

    assert found.state.item() == 2
    assert "invert the cell" in str(found.cause.item())
    assert "member" not in str(found.cause.item())


@pytest.mark.long
def test_the_folder_opens_as_the_result_with_what_it_ran_on(tmp_path):
    out = tmp_path / "s"

    found = km.sweep(case(), OVER, out=out, batch=2)

    same(found, km.open(out), but=())
    same(found, km.sweep(case(), OVER))
    assert found.attrs["title"] == "small"
    assert (found.version == km.io.summary.versions()["kinemesh"]).all()
    assert (found.device == "cpu").all()
    assert (found.seed == -1).all()
    frame = found.drop_dims("phase").to_dataframe()
    assert frame.loc[(0.5, 0.2), "damping"] == found.damping.sel(mach=0.5, k=0.2)


@pytest.mark.long
def test_a_sample_is_a_table_of_cases(tmp_path):
    ranges = {MACH: [0.4, 0.6], K: [0.1, 0.2]}

    found = km.sweep(case(), ranges, sample="latin-hypercube", n=3, seed=7, out=tmp_path / "s")

    frame = found.drop_dims("phase").to_dataframe()
    assert len(frame) == 3
    assert frame["mach"].between(0.4, 0.6).all()
    assert (frame["seed"] == 7).all()
    row = found.isel(case=1)
    assert_solo(row, solo({MACH: float(row.mach), K: float(row.k)}))


def batches_done(folder):
    """Files of the batches that have ended."""
    done = folder / NAME / "state" / "c"
    return sorted(p for p in done.rglob("*") if p.is_file() and ".partial" not in p.name)


@pytest.mark.slow
def test_a_sweep_killed_at_any_moment_ends_as_if_it_had_not_been(tmp_path):
    undisturbed = km.sweep(case(), OVER, out=tmp_path / "whole", batch=1)
    seed = random.randrange(2**32)
    moment = random.Random(seed)
    out = tmp_path / "killed"

    for _ in range(4):
        before = batches_done(out) if out.exists() else []
        killed(
            lambda: km.sweep(case(), OVER, out=out, batch=1, resume=True),
            lambda before=before: out.exists() and batches_done(out) != before,
            moment.uniform(0, 0.15),
        )
    done = batches_done(out)
    times = {path: path.stat().st_mtime_ns for path in done}
    found = km.sweep(case(), OVER, out=out, resume=True)

    assert done, seed
    assert {path: path.stat().st_mtime_ns for path in done} == times, seed  # none twice
    same(found, undisturbed)


@pytest.mark.long
def test_a_sweep_that_ended_is_gone_on_with_by_nothing(tmp_path):
    km.sweep(case(), {MACH: [0.4]}, out=tmp_path)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}

    km.sweep(case(), {MACH: [0.4]}, out=tmp_path, resume=True)

    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()} == files


@pytest.mark.long
def test_a_folder_keeps_the_sweep_or_run_that_it_holds(tmp_path):
    out = tmp_path / "s"
    km.sweep(case(), {MACH: [0.4]}, out=out)

    with pytest.raises(CaseError, match="holds this sweep; go on with it by --resume"):
        km.sweep(case(), {MACH: [0.4]}, out=out)
    with pytest.raises(CaseError, match=r"holds another sweep: varied mach flow.mach is 0.4 there"):
        km.sweep(case(), {MACH: [0.5]}, out=out, resume=True)
    with pytest.raises(CaseError, match=r"holds another sweep: case flow mach is 0.5 there, 0.7"):
        km.sweep(case(flow={"mach": 0.7}), {MACH: [0.4]}, out=out, resume=True)
    (tmp_path / "run").mkdir()
    turned = tmp_path / "turned"
    km.sweep(case(), {MACH: [0.4], K: [0.1]}, out=turned)
    with pytest.raises(CaseError, match="holds another sweep: varied"):
        km.sweep(case(), {K: [0.1], MACH: [0.4]}, out=turned, resume=True)
    (tmp_path / "run" / "history.csv").touch()
    with pytest.raises(CaseError, match="holds a run"):
        km.sweep(case(), {MACH: [0.4]}, out=tmp_path / "run")
    with pytest.raises(CaseError, match="holds a sweep; choose another folder for the run"):
        case().run(out=out, overwrite=True)
    (out / "sweep.json").write_text("{}")
    with pytest.raises(CaseError, match="tells of no sweep"):
        km.sweep(case(), {MACH: [0.4]}, out=out, resume=True)


@pytest.mark.long
def test_failed_cases_run_again_on_request_and_no_others(tmp_path, monkeypatch):
    real = ensemble.solver

    def breaks(cases, spaces):
        if any(case.flow.mach == 0.5 for case in cases):
            raise SettingsError("made to break")
        return real(cases, spaces)

    with monkeypatch.context() as patch:
        patch.setattr(ensemble, "solver", breaks)
        first = km.sweep(case(), OVER, out=tmp_path).load()
    again = km.sweep(case(), OVER, out=tmp_path, resume=True, retry_failed=True)

    assert (first.sel(mach=0.5).state == 2).all()
    assert (first.sel(mach=0.5).cause == "made to break").all()
    assert (again.state == 1).all()
    kept = [0.4, 0.6]
    same(first.sel(mach=kept), again.sel(mach=kept), but=())
    same(again, km.sweep(case(), OVER))


@pytest.mark.long
@pytest.mark.parametrize(  # variables written before the kill
    "whole", [pytest.param(1, marks=pytest.mark.slow), 20, pytest.param(35, marks=pytest.mark.slow)]
)
def test_failed_cases_whose_next_run_is_killed_have_not_been_run(tmp_path, monkeypatch, whole):
    over, done = {MACH: [0.4, 0.5]}, []
    real, write = work._rows, zarr.Array.__setitem__

    def breaks(cases, *given):
        return [real(cases, *given)[0], {"cause": "made to break"}]

    def dies(array, *given):
        done.append(array)
        if len(done) > whole:
            raise KeyboardInterrupt
        write(array, *given)

    with monkeypatch.context() as patch:
        patch.setattr(work, "_rows", breaks)
        km.sweep(case(), over, out=tmp_path, batch=2)
    with monkeypatch.context() as patch:
        patch.setattr(zarr.Array, "__setitem__", dies)
        with pytest.raises(KeyboardInterrupt):
            km.sweep(case(), over, out=tmp_path, resume=True, retry_failed=True)

    assert km.open(tmp_path).state.values.tolist() == [1, 0]
    same(km.sweep(case(), over, out=tmp_path, resume=True), km.sweep(case(), over))


@pytest.mark.long
def test_a_sweep_stopped_by_the_user_says_how_to_go_on(tmp_path, monkeypatch):
    real, runs = ensemble.solver, []

    def stopped(cases, spaces):
        runs.append(len(cases))
        if len(runs) == 2:
            raise KeyboardInterrupt
        return real(cases, spaces)

    with monkeypatch.context() as patch:
        patch.setattr(ensemble, "solver", stopped)
        with pytest.raises(KeyboardInterrupt, match=r"2 cases are in .*with --resume"):
            km.sweep(case(), OVER, out=tmp_path, batch=2)

    assert (km.open(tmp_path).state.values == [[1, 1], [0, 0], [0, 0]]).all()
    assert (km.sweep(case(), OVER, out=tmp_path, resume=True).state == 1).all()


@pytest.mark.long
def test_a_folder_keeps_batches_of_a_short_sweep_that_is_stopped(tmp_path, monkeypatch):
    write, written = Store.write, []

    def stopped(store, region, rows):
        write(store, region, rows)
        written.append(len(rows))
        if len(written) % 3 == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "write", stopped)
    with pytest.raises(KeyboardInterrupt):
        km.sweep(case(), OVER, out=tmp_path)  # no batch given

    assert written == [2, 2, 2]
    with pytest.raises(KeyboardInterrupt, match=r"nothing was kept, as the sweep has no folder"):
        km.sweep(case(), OVER, batch=2)


@pytest.mark.long
def test_the_shell_runs_a_file_and_its_status_tells_of_failures(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = ['name = "small"', 'mode = "unsteady"']
    for part in ("mesh", "flow", "deform", "run", "solver"):
        lines.append(f"[{part}]")
        lines += [f"{k} = {v!r}".replace("'", '"') for k, v in TABLES[part].items()]
    lines += ["[motion]", "pitch = { amplitude_deg = 2.0, k = 0.1 }"]
    (tmp_path / "f.toml").write_text("\n".join([*lines, "[sweep.over]", "flow.mach = [0.4, -1.0]"]))

    assert cli.main(["sweep", "f.toml", "--set", "flow.mach=0.3", "--list"]) == 2
    assert "flow.mach varies in this sweep" in " ".join(capsys.readouterr().err.split())
    assert cli.main(["sweep", "f.toml"]) == 2
    assert "flow.mach = -1.0: [flow] mach = -1.0" in " ".join(capsys.readouterr().err.split())
    assert cli.main(["sweep", "f.toml", "--skip-bad", "--out", "there"]) == 1
    said = capsys.readouterr()
    assert "2 cases: 1 ran, 1 failed, 0 of those that ran did not converge; results in there" in (
        said.out
    )
    assert "1 case failed: [flow] mach = -1.0" in said.err
    assert km.open("there").sel(mach=0.4).state == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            cli.main(["sweep", "f.toml", "--set", "flow.alpha_deg=1", "--skip-bad", "--quiet"]) == 1
        )


@pytest.mark.long
def test_cases_that_are_not_periodic_or_not_known_to_be_are_counted_and_exported(tmp_path):
    loose = case(run={"cycles": 2, "periodic_tolerance": 1e-9})
    strict = case(run={"cycles": 2, "periodic_tolerance": 1e9})
    bad = {"flow.mach": [0.4, -1.0]}  # a failed case is neither

    found = [km.sweep(made, bad, skip_bad=True) for made in (loose, strict, case())]

    said = [shell._periodic(each) for each in found]
    assert said[1] == []
    assert said[0][0].startswith("1 case is not periodic, the last cycle differs")
    assert said[2] == ["whether 1 case is periodic is not known of one cycle: raise run.cycles"]
    for each, value in zip(found, (0.0, 1.0, np.nan), strict=True):
        np.testing.assert_array_equal(each.periodic, [value, np.nan])
        each.to_netcdf(tmp_path / "sweep.nc")
        np.testing.assert_array_equal(xarray.load_dataset(tmp_path / "sweep.nc").periodic,
                                      each.periodic)  # fmt: skip
        frame = each.drop_dims("phase").to_dataframe()
        frame.to_csv(tmp_path / "sweep.csv")
        kept = pandas.read_csv(tmp_path / "sweep.csv", index_col="mach")
        np.testing.assert_array_equal(kept["periodic"], frame["periodic"])


def test_edges_below_second_order_are_told_in_the_row_of_their_case(monkeypatch):
    monkeypatch.setattr(km.Ale, "below_second_order", lambda made: np.array([0, 3]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = km.sweep(case(), {"flow.mach": [0.4, 0.5]}, batch=2)

    assert "edges" not in str(found.note.values[0])
    assert "18 edges (sum over steps) ended below second order" in str(found.note.values[1])
    assert not any("second order" in str(warning.message) for warning in caught)
