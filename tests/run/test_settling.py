"""Steady marches in float32 go on while their loads change under a residual at round-off."""

import os
import signal

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.gas.dualtime import BLOCKS
from kinemesh.io import History
from kinemesh.io.csv_rows import STEADY
from kinemesh.run import interrupt
from kinemesh.run.settling import EACH, settled, told

T = EACH * np.arange(BLOCKS, dtype=float)  # iterations, of blocks whose means are kept

NOISE = np.array([0.2, -0.7, 0.1, 0.9, -0.6, 0.2])


@pytest.mark.parametrize(
    ("change", "still"),
    [
        (0 * T, True),
        (5e-7 * T, False),  # a drift of 1.5e-5 from half to half
        (2e-7 * T, True),  # of 6e-6
        (1e-4 * NOISE, True),  # noise, 3e-5 from half to half
        (1e-2 * NOISE, False),  # a flow that swings
    ],
)
@pytest.mark.parametrize("load", [0, 1, 2])
def test_loads_have_settled_where_halves_of_the_window_are_equal_but_for_noise(change, still, load):
    loads = np.tile([0.5, 0.01, 0.0], (BLOCKS, 2, 1))
    loads[:, 1, load] += change

    assert settled(loads).tolist() == [True, still]


def test_of_loads_above_one_a_share_may_change():
    drift = 5e-7 * T
    loads = np.tile([5.0, 0.01, 0.0], (BLOCKS, 1, 1))
    loads[:, 0, 0] += drift

    assert settled(loads).all()
    assert not settled(loads - [4.0, 0.0, 0.0]).any()


def march(rows, **loads):
    """History of a march of member 1: loads over the iterations, else those of a section."""
    history, t = History(STEADY), np.arange(1, rows + 1)
    own = {"cl": 0.5, "cd": 0.01, "cm": 0.0} | loads
    rest = dict.fromkeys(set(STEADY) - set(own), 1.0) | {"iteration": t}
    history.extend({name: np.broadcast_to(v, rows) for name, v in (rest | own).items()})
    return history


def test_a_march_that_ended_short_says_whether_its_loads_have_settled():
    t = np.arange(200)

    assert told(march(200, cl=0.5 + 1e-6 * (t % 2)), 1) == (
        "the loads have settled: cl, cd and cm vary by 1.0e-06 at most over the last 50 iterations"
    )
    # before its last quarter a flow may start; of large loads a share counts
    assert "settled: cl, cd and cm vary by 0" in told(march(200, cl=np.where(t < 150, 0.1, 0.5)), 1)
    assert "have settled: cl, cd and cm vary by 9.8e-05" in told(march(200, cl=50 + 1e-4 * t), 1)
    assert told(march(200, cd=0.01 + 1e-5 * t), 1).startswith(
        "the loads have not settled: cd varies by 4.9e-04 over"
    )
    assert "last 20 iterations" in told(march(40), 1)
    assert told(march(39), 1) == told(march(40), 0) == ""
    assert told(march(200, cl=0.0, cd=0.0), 1) == ""  # no wall bears loads
    assert "have settled" in told(march(200, cl=0.0, cd=1e-9), 1)


@pytest.mark.flow
@pytest.mark.parametrize(("solver", "most"), [(km.Ale, 60), (km.Meshless, 49)])
def test_a_run_that_stops_short_tells_of_its_loads_and_of_round_off(solver, most):
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=10.0)
    own = {km.Ale: km.AleSettings, km.Meshless: km.MeshlessSettings}[solver]
    single = solver is km.Meshless
    case = solver(
        km.Cloud.from_mesh(mesh) if single else mesh,
        mach=0.8 if single else 0.5,
        alpha_deg=1.0,
        dtype="float32" if single else "float64",
        device="cpu",
        settings=own(steady_iterations=most, steady_drop=1e-9),
    )

    with pytest.warns(RuntimeWarning, match="stopped at its limit") as warned:
        case.steady()

    (text,) = (str(w.message) for w in warned if "stopped at its limit" in str(w.message))
    assert "; the loads have" in text
    assert f"over the last {max(20, most // 4)} iterations; " in text
    assert ("round-off of float32 alone can leave" in text) is single
    assert ("take --dtype float64 (dtype='float64'), or raise" in text) is single


def plate(dtype, **settings):
    """A turbulent plate with wall cells of aspect 1e4, whose round-off is that of a layer."""
    mesh = km.mesh.plate(nodes=1500, length=2.0, layers=40, wall_spacing=8e-6)
    outer = dict.fromkeys(["inlet", "farfield"], "far")
    ends = outer | {"symmetry": "symmetry", "outlet": km.outlet(pressure=1.0)}
    return km.Ale(
        mesh,
        mach=0.2,
        reynolds=5e6,
        turbulence="sa",
        walls=["wall"],
        boundaries=ends,
        moment_about=(0, 0),
        chord=1.0,
        dtype=dtype,
        device="cpu",
        settings=km.AleSettings(**settings),
    )


@pytest.mark.long
@pytest.mark.flow
def test_a_boundary_layer_in_float32_has_the_drag_of_float64():
    # ended by the norm of all nodes' round-off after 154 iterations it was 1.7e-3 off
    runs = [plate(dtype).steady() for dtype in ("float64", "float32")]

    exact, single = (run.history["cd"][-1] for run in runs)
    assert single == pytest.approx(exact, rel=2e-4)
    assert runs[1].converged
    assert runs[1].summary["result"]["ended_at_roundoff"]


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize(
    ("dtype", "looks"), [("float32", 60), pytest.param("float64", 25, marks=pytest.mark.slow)]
)
def test_a_march_that_was_stopped_goes_on_with_the_same_bits(dtype, looks, tmp_path, monkeypatch):
    monkeypatch.setattr("kinemesh.run.steady.KEEP_EVERY", 7)
    whole = plate(dtype).steady(out=tmp_path / "whole")
    real, seen = interrupt.check, iter(range(10**6))

    def check():
        if next(seen) == looks:
            os.kill(os.getpid(), signal.SIGINT)
        real()

    with monkeypatch.context() as patch:
        patch.setattr(interrupt, "check", check)
        with pytest.raises(KeyboardInterrupt):
            plate(dtype).steady(out=tmp_path / "parts")

    run = plate(dtype).steady(out=tmp_path / "parts", resume=True)

    assert len(run.history["cl"]) == len(whole.history["cl"])
    for name in ("cl", "cd", "residual"):
        np.testing.assert_array_equal(run.history[name], whole.history[name])
