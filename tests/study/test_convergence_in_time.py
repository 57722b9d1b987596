"""One case by several time steps, and norms of errors against an exact flow."""

from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.results.flow_fields import Fields
from kinemesh.run.resume import MESH
from kinemesh.study import norms
from projections import annulus
from two_runs import loop_run, sine, steady_run, still

STEPS = (128, 64, 32)


def law(steps, end, c, p):
    return end + c * (128 / steps) ** p


def made(steps, **more):
    cl = sine(law(steps, 0.3, 0.01, 2), 20, mean=law(steps, 0.05, 0.001, 1))
    power = still(law(steps, 1e-3, 1e-4, 1.5))
    return loop_run(cl, sine(law(steps, 0.02, 0.001, 1.2)), power=power, steps=steps, **more)


def test_runs_by_several_time_steps_on_one_mesh_have_their_order_in_time():
    found = km.convergence([made(n) for n in (64, 32, 128)])

    assert found.of == "time step"
    assert found.sizes.tolist() == [1, 2, 4]
    assert found.labels == ("128 steps", "64 steps", "32 steps")
    assert [*found.orders][:3] == ["cl_mean", "cl_sin", "cl_cos"]
    for name, p in (("cl_mean", 1), ("cl_sin", 2), ("cl_cos", 2), ("cm_sin", 1.2), ("work", 1.5)):
        assert found.orders[name].order == pytest.approx(p, rel=1e-9)
    assert found.notes == ()
    assert "the finest three of 3 time steps, ratios 2 and 2" in str(found)
    assert found.table()["128 steps"][0] == found.values["cl_mean"][0]
    assert found.plot().axes[0].get_xlabel() == "time step, finest = 1"


def test_an_absent_order_is_told_of_the_time_step():
    swings = {128: 0.30, 64: 0.31, 32: 0.305}

    found = km.convergence([loop_run(sine(a), sine(0.1), steps=n) for n, a in swings.items()])

    assert found.orders["cl_sin"].why == "oscillatory; differences do not fall with the time step"


def of_mesh(run, name):
    run.summary["identity"]["run"][MESH] = [name]
    return run


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (lambda: [made(64), made(62), made(32)], "64 steps and .* 62 steps, a ratio of steps of "),
        (lambda: [made(64), made(64), made(32)], "a ratio of steps of 1;"),
        (
            lambda: [of_mesh(made(n), str(n)) for n in STEPS],
            "by several time steps are on other meshes of 1,000 nodes each, expected one mesh",
        ),
    ],
)
def test_time_steps_that_give_no_order_are_refused(runs, words):
    with pytest.raises(km.CaseError, match=f"convergence: .*{words}"):
        km.convergence(runs())


# ---- norms of errors ----------------------------------------------------------------------


def frame(on="points"):
    """A square of side 2 beside a triangle of area 1: pressures 1 above x, velocity (1, 2, 0)."""
    points = np.array([[0.0, 0], [2, 0], [2, 2], [0, 2], [3, 0], [9, 9]])
    cells = np.array([[0, 1, 2, 3], [1, 4, 2, -1]])
    x = points[:, 0] if on == "points" else np.array([1.0, 7 / 3])
    arrays = {"Pressure": x + 1, "Velocity": np.tile([1.0, 2.0, 0.0], (len(x), 1))}
    none = np.empty((0, 2), np.int64)
    return Fields(arrays, points, cells, none, {}, 0, 0.5, np.nan, np.nan, False, (), on)


def run_of(frame):
    run = SimpleNamespace(fields=lambda member: frame, members=1)
    return SimpleNamespace(run=run, member=0, name="made up")


@pytest.mark.parametrize("on", ["points", "cells"])
def test_norms_weigh_errors_by_volume_and_leave_hidden_nodes_out(on):
    """Areas 4 and 1, of nodes 1, 4/3, 4/3, 1, 1/3; the sixth is of no cell that is shown."""
    off = {"points": [1.0, -2, 0, 0, 3, 99], "cells": [1.0, -3]}[on]
    area = {"points": [1, 4 / 3, 4 / 3, 1, 1 / 3, 0], "cells": [4.0, 1.0]}[on]

    def exact(points, time):
        assert time == 0.5
        return {"Pressure": points[:, 0] + 1 + off, "Velocity": np.tile([1.0, -1.0], (len(off), 1))}

    found = norms._of_run(run_of(frame(on)), exact)

    area, size = np.array(area), np.abs(off)
    assert found["Pressure"]["L1"] == pytest.approx((area * size).sum() / 5)
    assert found["Pressure"]["L2"] == pytest.approx(np.sqrt((area * size**2).sum() / 5))
    assert found["Pressure"]["Linf"] == 3
    assert found["Velocity"] == pytest.approx({"L1": 3, "L2": 3, "Linf": 3})


def test_an_exact_flow_may_change_its_points_and_take_any_number_of_others():
    def exact(points, *others, speed=1.0, **more):
        points *= 0
        return {"Pressure": points[:, 0]}

    plain = norms._of_run(run_of(frame()), lambda points: {"Pressure": 0.0})

    assert norms._of_run(run_of(frame()), exact) == plain


@pytest.mark.parametrize(
    ("exact", "words"),
    [
        (3, "exact is 3, expected a function of points, or of points and time"),
        (lambda x: x, "exact returned ndarray, expected {name of a field: values}"),
        (lambda x: {"Pressur": 0.0}, "exact has 'Pressur', which .*; did you mean 'Pressure'"),
        (lambda x: {"Pressure": x}, r"'Pressure' of shape \(6, 2\), expected .* \(6,\)"),
        (lambda x: {"Pressure": np.nan}, "expected finite numbers"),
        (lambda x: {"Pressure": ["1.0"] * 6}, "expected finite numbers"),
        (lambda x: {"Pressure": np.ones(6) + 1j}, "expected finite numbers"),
        (lambda x: {"Pressure": [[1], [2, 3]]}, "expected finite numbers"),
        (lambda x, t, z: {"Pressure": 0.0}, "cannot be called with points.*'z'"),
        (lambda: {"Pressure": 0.0}, "cannot be called with points"),
        (dict, "cannot be called with points"),
    ],
)
def test_what_is_no_exact_flow_is_refused(exact, words):
    with pytest.raises(km.CaseError, match=words):
        norms.errors_of([run_of(frame())] * 2, np.array([1.0, 2.0]), exact)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_the_velocity_between_cylinders_has_second_order_in_the_mean(tmp_path):
    """Couette's flow, the inner wall at speed 1: order 2.0 in L1 and 2.2 in L2 measured."""

    def exact(points):
        x, y = points.T
        r2 = x**2 + y**2
        return {"Velocity": (4 / r2 - 1)[:, None] / 3 * np.stack([-y, x], axis=1)}

    rough = km.IncompressibleSettings(steady_drop=1e-6, cfl=3.0)
    for n in (12, 17, 24):
        case = km.Incompressible(
            annulus(4 * n, n), reynolds=10.0, chord=1, stream=0.0, sliding={"inner": 1.0},
            walls=["inner", "outer"], device="cpu", settings=rough,
        )  # fmt: skip
        case.steady(out=tmp_path / str(n))

    found = km.convergence([tmp_path / str(n) for n in (12, 17, 24)], exact=exact)

    for norm in ("L1", "L2"):
        assert (found.errors[f"Velocity {norm}"].orders > 1.8).all()
    assert f"{found.errors['Velocity L2'].values[0]:.5g}" in str(found)
    assert "Velocity L2 error 2." in repr(found)
    drawn = {line.get_label(): line for line in found.plot_errors().axes[0].lines}
    first = found.errors["Velocity L1"]
    assert drawn[f"L1, order {first.orders[0]:.2f}"].get_ydata().tolist() == first.values.tolist()


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_runs_by_time_have_errors_alone_at_one_end(tmp_path):
    mesh = km.mesh.airfoil("naca0012", 500, far_field=8)
    for n in (2, 4, 8):
        case = km.Ale(mesh, mach=0.4, device="cpu", settings=km.AleSettings(unsteady_drop=1e-1))
        case.run(time_step=0.8 / n, steps=n, start="as is", out=tmp_path / str(n))
    folders = [tmp_path / str(n) for n in (2, 4, 8)]

    found = km.convergence(folders, exact=lambda x, t: {"Density": np.full(len(x), 1 + t)})

    assert found.labels == ("time step 0.1", "time step 0.2", "time step 0.4")
    assert (found.of, found.values, found.orders) == ("time step", {}, {})
    kept = km.open(folders[1]).fields()
    assert kept.time == pytest.approx(0.8)
    largest = np.abs(kept["Density"] - 1 - kept.time).max()
    assert found.errors["Density Linf"].values[1] == pytest.approx(largest)
    with pytest.raises(km.CaseError, match="no loads to draw; plot_errors"):
        found.plot()
    with pytest.raises(km.CaseError, match="went by time_step and steps and has no cycle"):
        km.convergence(folders)
    case.run(time_step=0.1, steps=7, start="as is", out=tmp_path / "short")
    with pytest.raises(km.CaseError, match=r"runs end at the times 0.7, 0.8, 0.8, expected one"):
        km.convergence([*folders[:2], tmp_path / "short"], exact=lambda x: {"Density": 1.0})


def test_steady_runs_of_one_size_have_no_time_steps():
    with pytest.raises(km.CaseError, match="a ratio of sizes of 1;"):
        km.convergence([steady_run(0.4), steady_run(0.41), steady_run(0.45)])


def test_errors_without_an_exact_flow_are_not_drawn():
    with pytest.raises(km.CaseError, match="no errors to draw; give the exact flow"):
        km.convergence([made(n) for n in STEPS]).plot_errors()
