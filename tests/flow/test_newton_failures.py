"""Steps of Newton's method where something fails, or where a mesh has next to nothing for them."""

import time
from functools import partial

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import KinemeshWarning
from kinemesh.flow.gas import newton as module
from kinemesh.run import interrupt, steady
from newton_cases import case, marched, other
from runs import assert_same, killed, rows

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings(
        "ignore:.*y\\+:RuntimeWarning", "ignore:.*lie along the wall:RuntimeWarning"
    ),
]
FLOWS = {
    "inviscid": {"mach": 0.5},
    "laminar": {"mach": 0.3, "reynolds": 500.0},
    "turbulent": {"mach": 0.3, "reynolds": 1e5, "turbulence": "sa"},
}
ENOUGH = {"steady_iterations": 300}


# ---- members -----------------------------------------------------------------------------------


def several(flow, alpha_deg, **settings):
    """Members that go over to Newton at other iterations: their angles differ."""
    return case(520, settings=ENOUGH | settings, alpha_deg=alpha_deg, **FLOWS[flow])


@pytest.mark.long
@pytest.mark.parametrize("flow", FLOWS)
def test_a_member_in_pseudo_steps_leaves_one_in_newton_its_bits(flow):
    angles = [0.0, 4.0]
    together = several(flow, angles)

    found = together.steady().history

    kinds = [found.member(m)["products"] > 0 for m in range(2)]
    both = min(map(len, kinds))
    assert (kinds[0][:both] != kinds[1][:both]).any()
    u, first = together.backend.get(together.u), together.grid.first
    for m, angle in enumerate(angles):
        alone = several(flow, angle)
        own = alone.steady().history.member(0)
        for name in ("iteration", "residual", "cl", "cd", "cfl", "products", "length"):
            np.testing.assert_array_equal(found.member(m)[name], own[name], err_msg=name)
        assert alone.backend.get(alone.u).tobytes() == u[first[m] : first[m + 1]].tobytes()


@pytest.mark.long
@pytest.mark.parametrize("flow", FLOWS)
def test_a_member_with_no_number_in_newton_leaves_the_other_as_it_is_alone(flow, monkeypatch):
    spoiled, alone = several(flow, [0.0, 4.0]), several(flow, 0.0)
    real, u, first = interrupt.asked, spoiled.u, spoiled.grid.first

    def asked():
        if spoiled.newton.numbers()["products"][1] > 0:
            values = spoiled.backend.get(u)
            values[first[1] + 100] = np.nan
            spoiled.backend.put(u, values)
        return real()

    with monkeypatch.context() as patch:
        patch.setattr(interrupt, "asked", asked)
        with pytest.warns(KinemeshWarning, match="member 1"):
            found = spoiled.steady().history.member(0)

    own = alone.steady().history.member(0)
    for name in ("iteration", "residual", "cl", "cd", "cfl", "products", "length"):
        np.testing.assert_array_equal(found[name], own[name], err_msg=name)
    ours = spoiled.backend.get(u)[: first[1]]
    assert ours.tobytes() == alone.backend.get(alone.u).tobytes()
    assert list(spoiled.grid.ensemble.alive) == [True, False]


# ---- a process that is killed ------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("flow", FLOWS)
def test_a_run_killed_within_a_step_of_newton_goes_on_with_the_same_bits(
    flow, monkeypatch, tmp_path
):
    monkeypatch.setattr(steady, "KEEP_EVERY", 3)
    whole = several(flow, 2.0, steady_drop=1e-10).steady(out=tmp_path / "whole").history
    first = int(whole["iteration"][whole["products"] > 0][0])

    def work(begun, cut):
        real, count = interrupt.check, iter(range(10**9))

        def check():
            if next(count) >= first + 3:
                begun.touch()
                time.sleep(0.005)
            real()

        interrupt.check = check
        several(flow, 2.0, steady_drop=1e-10).steady(out=cut)

    for wait in (0.0, 0.004, 0.009):
        begun, cut = tmp_path / f"begun-{wait}", tmp_path / f"cut-{wait}"
        killed(partial(work, begun, cut), begun.exists, wait)
        assert first < rows(cut) < len(whole["iteration"])

        several(flow, 2.0, steady_drop=1e-10).steady(out=cut, resume=True)

        assert_same(tmp_path / "whole", cut)


# ---- the linear system, and the state ----------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("flow", FLOWS)
def test_one_vector_of_gmres_goes_on_slowly_and_says_what_to_raise(flow):
    solver = several(flow, 2.0, newton_vectors=1, steady_iterations=120)

    with pytest.warns(KinemeshWarning, match=r"raise newton_vectors \(1\)"):
        found, result = marched(solver)

    assert found["products"].max() == 1
    assert result["residual_drop"] < 1e-2
    assert not result["converged"]


@pytest.mark.parametrize("name", ["in space", "cells in space"])
def test_a_solution_that_reduces_nothing_is_told_once_in_space(name, monkeypatch):
    monkeypatch.setattr(module, "NOTHING", 0.0)
    monkeypatch.setattr(module, "LATEST", dict.fromkeys((False, True), 10))

    with pytest.warns(KinemeshWarning) as told:
        found, _ = marched(other(name, steady_iterations=20, steady_drop=1e-12))

    refused = np.flatnonzero(found["length"] == 0)
    assert (found["residual"][refused + 1] == found["residual"][refused])[:2].all()
    text = " ".join(str(w.message) for w in told)
    assert text.count("steps of Newton in a row were refused") == 1


def test_a_step_towards_a_vacuum_is_cut_node_by_node(monkeypatch):
    """Newton from the stream at Mach 3, which leaves next to no gas behind a blunt base."""
    monkeypatch.setattr(module, "BEGIN", dict.fromkeys((False, True), 10.0))
    solver = km.Ale(km.mesh.cylinder(nodes=700), mach=3.0, device="cpu",
                    settings=km.AleSettings(newton=True, steady_iterations=25))  # fmt: skip
    least = []
    real = interrupt.asked

    def asked():
        u = solver.backend.get(solver.u)
        p = 0.4 * (u[:, 3] - 0.5 * (u[:, 1] ** 2 + u[:, 2] ** 2) / u[:, 0])
        least.append((u[:, 0].min(), p.min()))
        return real()

    monkeypatch.setattr(interrupt, "asked", asked)
    with pytest.warns(KinemeshWarning, match="stopped at its limit"):
        found, _ = marched(solver)

    rho, p = np.array(least).T
    assert (found["products"] > 0).any()
    assert rho.min() < 0.5  # of the stream's, 1
    most = solver.settings.max_change
    # changes are vectors in float32
    assert (rho[1:] >= (1 - most - 1e-6) * rho[:-1]).all()
    assert p.min() > 0


# ---- meshes ------------------------------------------------------------------------------------


def plate(heights, wall=slice(4, 9)):
    """Rectangle of squares, but for the rows of these `heights`; faces of the floor are a wall."""
    x, y = np.linspace(0.0, 1.2, 13), np.r_[0.0, np.cumsum(heights)]
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    k = np.arange(len(points)).reshape(len(y), len(x))
    cells = np.stack([k[:-1, :-1], k[:-1, 1:], k[1:, 1:], k[1:, :-1]], axis=-1).reshape(-1, 4)
    floor = np.stack([k[0, :-1], k[0, 1:]], axis=1)
    around = [(k[-1, 1:], k[-1, :-1]), (k[1:, -1], k[:-1, -1]), (k[:-1, 0], k[1:, 0])]
    outer = np.concatenate([np.stack(pair, axis=1) for pair in around])
    on = np.zeros(len(floor), bool)
    on[wall] = True
    sides = {"plate": floor[on], "ahead": floor[~on], "far": outer}
    return km.mesh.Mesh.from_arrays(points, cells, sides)


MESHES = {
    "no thin cells": plate(np.full(8, 0.1)),
    "a layer one cell thick": plate([0.005, *np.full(8, 0.1)]),
    "two layers": plate([0.005, 0.005, *np.full(8, 0.1)]),
    "a wall of one face": plate([0.005, *np.full(8, 0.1)], slice(6, 7)),
}


@pytest.mark.long
@pytest.mark.parametrize("flow", ["laminar", "turbulent"])  # inviscid it is the stream
@pytest.mark.parametrize("mesh", MESHES)
def test_meshes_with_next_to_no_lines_end_at_a_residual_that_pseudo_steps_find(mesh, flow):
    """Pseudo-steps alone do not end on most of these: their residual is asked, not their loads."""

    def made(newton):
        settings = km.AleSettings(newton=newton, steady_iterations=300)
        told = FLOWS[flow] | {"reynolds": 200.0}
        return km.Ale(MESHES[mesh], device="cpu", settings=settings, walls=["plate"],
                      far=["far"], boundaries={"ahead": "symmetry"}, **told)  # fmt: skip

    def size(solver, u):
        solver.backend.put(solver.u, u)
        for call in solver.residual():
            call()
        return np.linalg.norm(solver.backend.get(solver.res))

    ended, alone = made(True), made(False)
    found, result = marched(ended)

    assert result["converged"]
    assert (found["products"] > 0).any()
    u = ended.backend.get(ended.u)
    alone.start_steady()
    first = size(alone, alone.backend.get(alone.u))
    if flow == "turbulent":  # its residual knows nu~ as well
        alone.backend.put(
            alone.terms["turbulence"].nt, ended.backend.get(ended.terms["turbulence"].nt)
        )
    assert size(alone, u) < 1e-5 * first
