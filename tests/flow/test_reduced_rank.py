"""Extrapolation of a march by what its iterations change, of reduced rank."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import KinemeshWarning, SettingsError
from kinemesh.flow.projection import reduced_rank
from kinemesh.flow.projection.settings import IncompressibleSettings
from solver_cases import on_devices
from test_incompressible_steady import stopped
from test_steady_irregular import SECTION

pytestmark = pytest.mark.flow
MESH = km.mesh.cylinder(600, far_field=10.0)
EVERY = 4


def case(every=EVERY, members=1, mesh=MESH, device="cpu", **options):
    settings = IncompressibleSettings(extrapolate_every=every, **options)
    reynolds = 40.0 if members == 1 else list(20.0 + 10.0 * np.arange(members))
    return km.Incompressible(
        mesh, reynolds=reynolds, device=device, moment_about=(0.0, 0.0), settings=settings
    )


def after_a_cycle(made, states, begun=None):
    """Velocities and pressures after a cycle of iterations that take a state to the next one.

    states : (iterations + 1, nodes, 3)
    """
    backend, flow, rank = made.backend, made.projection.flow, made.way.reduced_rank
    view = flow.fields.also(active=made.dualtime.active)
    backend.put(made.dualtime.active, 1)
    start, end = rank.start(view), rank.end(view)
    for k in range(len(states) - 1):
        backend.put(rank.counts["begun"], k + 1 if begun is None else begun(k))
        for state, calls in ((states[k], start), (states[k + 1], end)):
            backend.put(flow["u"], state[:, :2])
            backend.put(flow["p"], state[:, 2])
            for call in calls:
                call()
    return np.c_[backend.get(flow["u"]), backend.get(flow["p"])]


def linear(made, rates, iterations, seed=0):
    """States (iterations + 1, nodes, 3) of an iteration with as many modes as rates; its end."""
    rng = np.random.default_rng(seed)
    end, *modes = rng.uniform(-1, 1, (len(rates) + 1, made.grid.nodes, 3))
    powers = np.arange(iterations + 1)[:, None, None]
    return end + sum(
        (r**powers * mode for r, mode in zip(rates, modes, strict=True)), 0 * powers
    ), end


@on_devices
@pytest.mark.parametrize("rates", [(0.9, 0.5, -0.7, 0.2), (1.2, -1.1, 0.3, 0.8), (0.9, 0.5)])
def test_as_many_modes_as_changes_end_at_once(device, rates):
    """Also those that grow, and fewer modes, whose last changes are sums of the others."""
    made = case(device=device)
    states, end = linear(made, rates, EVERY + 1)

    found = after_a_cycle(made, states)

    assert np.abs(states[-1] - end).max() > 0.3  # where the iteration is by itself
    assert np.abs(found - end).max() < 2e-4  # changes are kept in float32


def test_shares_are_those_of_least_squares_by_volumes():
    made = case()
    states = np.random.default_rng(5).uniform(-1, 1, (EVERY + 2, made.grid.nodes, 3))

    found = after_a_cycle(made, states)

    f = np.diff(states, axis=0)
    volume = np.repeat(np.sqrt(made.backend.get(made.grid.V)), 3)
    columns = (volume * np.diff(f, axis=0).reshape(EVERY, -1)).T
    share = np.linalg.lstsq(columns, volume * f[-1].ravel(), rcond=None)[0]
    assert np.abs(share).max() > 0.1
    assert found == pytest.approx(states[-1] - np.tensordot(share, f[1:], 1), abs=1e-6)


def test_a_state_that_no_longer_changes_stays():
    made = case()
    states, end = linear(made, (), EVERY + 1)
    assert (after_a_cycle(made, states) == end).all()


def test_nothing_changes_before_the_end_of_a_cycle_nor_where_none_has_begun():
    made = case(members=2)
    states, _ = linear(made, (0.9, 0.5), EVERY + 1)
    found = after_a_cycle(made, states, begun=lambda k: [k, 0])
    assert (found == states[-1]).all()


def test_members_in_other_parts_of_their_cycles_do_not_see_each_other():
    made = case(members=2)
    states, end = linear(made, (0.9, 0.5), EVERY + 1)
    first = made.grid.member == 0

    found = after_a_cycle(made, states, begun=lambda k: [k + 1, max(k - 1, 0)])

    assert np.abs(found - end)[first].max() < 2e-4
    assert (found[~first] == states[-1, ~first]).all()


# ---------------------------------------------------------------- marches


def channel(every, cfl):
    """A cylinder in a channel at Reynolds number 40, 2925 nodes."""
    changes = ["flow.reynolds=40", f"solver.cfl={cfl}", f"solver.extrapolate_every={every}"]
    ready = km.cases.load("channel-cylinder").changed([*changes, "solver.steady_iterations=300"])
    return ready.replace(device="cpu").build()


@pytest.mark.long
@pytest.mark.parametrize("cfl", [1.0, 3.0])
def test_a_march_that_stalls_by_itself_converges(cfl):
    """Measured 179 and 114 iterations, and cd 4.080788 as of CFL 10 without (141)."""
    run = channel(10, cfl).steady()
    assert run.converged
    assert len(run.history["residual"]) < 300
    assert run.history["cd"][-1] == pytest.approx(4.080788, abs=2e-5)
    assert run.history["cl"][-1] == pytest.approx(-0.010192, abs=2e-5)


@pytest.mark.long
def test_that_march_stalls_without():
    with pytest.warns(KinemeshWarning, match="the residual fell to"):
        run = channel(0, 3.0).steady()
    assert not run.converged
    assert run.history["residual"][-1] > 1e-3 * run.history["residual"][0]


@pytest.mark.long
def test_irregular_triangles_take_half_of_the_iterations():
    """Measured 273 and 611."""
    mesh = km.mesh.read(SECTION)
    told = {"reynolds": 1000.0, "alpha_deg": 4.0, "device": "cpu"}
    run = km.Incompressible(mesh, **told).steady()
    assert run.converged
    assert len(run.history["residual"]) < 330
    assert run.history["cl"][-1] == pytest.approx(0.230825, abs=2e-6)


def test_the_flow_is_that_without_it():
    told = {"steady_drop": 1e-10}
    without, with_it = (case(every, **told).steady().history["cd"][-1] for every in (0, 10))
    assert with_it == pytest.approx(without, rel=1e-8)


@pytest.mark.long
def test_a_march_stopped_within_a_cycle_has_the_bits_of_one_that_was_not(tmp_path, monkeypatch):
    monkeypatch.setattr(reduced_rank, "BEFORE", 3)
    whole = case(members=2).steady(out=tmp_path / "whole").history
    for looks in (7, 9, 11):  # in parts of a cycle of five iterations
        out = tmp_path / str(looks)
        stopped(lambda out=out: case(members=2).steady(out=out), monkeypatch, looks)
        again = case(members=2).steady(out=out, resume=True).history
        for name in ("cd", "residual", "cfl"):
            np.testing.assert_array_equal(again[name], whole[name])


@pytest.mark.parametrize("value", [-1, 2.5, True, None, "10"])
def test_cycles_of_no_whole_number_are_refused(value):
    with pytest.raises(SettingsError, match=r"expected a whole number of 0 or above"):
        IncompressibleSettings(extrapolate_every=value)
