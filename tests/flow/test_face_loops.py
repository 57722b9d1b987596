"""Loops over faces: the same residual whoever works out the fluxes, and in what order."""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import ArgumentError
from kinemesh.flow import registry
from kinemesh.flow.terms.base import Term
from kinemesh.flow.terms.convection import FACE_LOOPS, FLUXES
from solver_cases import on_devices

pytestmark = pytest.mark.flow

SOLVERS = {"ale": (km.Ale, km.AleSettings), "cells": (km.CellCentred, km.CellSettings)}
OTHERS = [name for name in FACE_LOOPS if name != "store"]
both = pytest.mark.parametrize("method", SOLVERS)
precisions = pytest.mark.parametrize("dtype", ["float64", "float32"])


@cache
def mesh(nodes):
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=8)


def case(method, loops, meshes=(520, 700), device="cpu", dtype="float64", **settings):
    """Members that pitch, each on its own mesh."""
    solver, kind = SOLVERS[method]
    own = [mesh(nodes) for nodes in meshes]
    alpha = [0.01 * nodes - 5.0 for nodes in meshes]
    return solver(own if len(own) > 1 else own[0], mach=[0.6] * len(own), alpha_deg=alpha,
                  motion=km.motion.pitch(3.0, 0.2), device=device, dtype=dtype,
                  settings=kind(face_loop=loops, **settings))  # fmt: skip


# ---------------------------------------------------------------- against faces that store


def disturbed(method, loops, device, dtype):
    """Residual in a step of second order, of gradients that ask for negative states."""
    solver = case(method, loops, device=device, dtype=dtype, limiter="none")
    b, rng = solver.backend, np.random.default_rng(5)
    q = rng.uniform((0.2, -0.8, -0.8, 0.05), (1.5, 0.8, 0.8, 1.2), (solver.grid.nodes, 4))
    solver.initialise(q)
    solver.grid.set_time_levels(np.full(2, 0.1), 2)
    b.put(solver.past, rng.uniform(-0.1, 0.1, q.shape))
    b.put(solver.grid.w, 0.02)
    b.put(solver.res, np.nan)
    b.record(solver.residual())()
    return b.get(solver.res).astype(float), solver.below_second_order()


@on_devices
@precisions
@both
def test_residuals_differ_by_round_off_and_those_of_recompute_by_nothing(method, dtype, device):
    stored, lowered = disturbed(method, "store", device, dtype)
    most, allowed = abs(stored).max(), 1e-14 if dtype == "float64" else 2e-6

    assert (lowered > 10).all()
    for loops in OTHERS:
        found, fell = disturbed(method, loops, device, dtype)
        assert (fell == lowered).all()
        assert abs(found - stored).max() <= allowed * most, loops
        if loops == "recompute":
            assert (found == stored).all()
        elif loops == "colours":
            assert (found != stored).any()


def flown(solver):
    """Numbers of a flow that marched 50 pseudo-steps, then moved through two steps."""
    s = solver.settings
    solver.steady()
    run = solver.run(cycles=2 / 16, steps_per_cycle=16, start="as is", preflight=False)
    assert s.steady_iterations == 50
    return solver.primitive(), run.history["residual_drop"], run.history["cl"]


@pytest.mark.long
@on_devices
@precisions
@both
def test_a_solver_that_works_out_fluxes_twice_has_the_bits_of_one_that_stores_them(
    method, dtype, device
):
    """50 pseudo-steps, and two steps of a moving body."""
    few = {"steady_iterations": 50, "steady_drop": 0.0, "unsteady_iterations": 5}
    one, other = (
        flown(case(method, loops, device=device, dtype=dtype, **few))
        for loops in ("store", "recompute")
    )

    for mine, stored in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine, stored)


@on_devices
@both
def test_lift_after_fifty_pseudo_steps_is_the_same_in_colours_and_by_atomics(method, device):
    """Sweeps go on from round-off as they find it; BiCGSTAB, which stops early, magnifies it."""
    few = {"linear_solver": "lusgs", "steady_iterations": 50, "steady_drop": 0.0}
    cl = {}
    for loops in ("store", "colours", "atomics"):
        solver = case(method, loops, device=device, **few)
        solver.steady()
        cl[loops] = solver.coefficients()[:, 0]

    assert abs(cl["store"]).min() > 0.01
    for loops in ("colours", "atomics"):
        np.testing.assert_allclose(cl[loops], cl["store"], rtol=0, atol=1e-9)


# ---------------------------------------------------------------- repeatable, alone and in company


def bits(method, loops):
    """Hash of the states after pseudo-steps with all threads; colours have over 1024 faces."""
    solver = case(method, loops, (2600,))
    solver.start_steady()
    for _ in range(6):  # a new recording is run by all threads
        solver.iteration(0.0, 9, (5.0, 5.0, 1.5), 1)()
    return hashlib.sha256(solver.primitive().tobytes()).hexdigest()


def in_threads(threads):
    """Hashes by solver and loop, each twice, of a process with so many threads."""
    names = [(m, k) for m in SOLVERS for k in FACE_LOOPS if k != "atomics"]
    program = f"import json, test_face_loops as t; print(json.dumps([[t.bits(*n) for n in {names}]"
    program += " for _ in range(2)]))"
    here = Path(__file__)
    paths = [str(here.parent), str(here.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    place = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | place,
                          capture_output=True, text=True, check=True)  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.slow
def test_neither_another_run_nor_threads_change_the_bits_of_loops_but_atomics():
    (once, again), (threaded, twice) = in_threads(1), in_threads(2)

    assert once == again == threaded == twice
    assert once[0] == once[1] != once[2]  # store, recompute, colours
    assert once[3] == once[4] != once[5]


@on_devices
@pytest.mark.parametrize("loops", ["recompute", "colours"])
@both
def test_a_member_has_the_bits_of_its_run_alone(method, loops, device):
    """Meshes with other numbers of colours, and two members that share one."""
    few = {"steady_iterations": 6, "steady_drop": 0.0}
    meshes = (520, 1500, 520)
    together = case(method, loops, meshes, device, **few)
    ensemble = together.steady()

    for member, nodes in enumerate(meshes[:2]):
        alone = case(method, loops, (nodes,), device, **few)
        run = alone.steady()
        mine = slice(*together.grid.first[member : member + 2])
        np.testing.assert_array_equal(together.primitive()[mine], alone.primitive())
        np.testing.assert_array_equal(
            ensemble.history.member(member)["residual"], run.history["residual"]
        )


@on_devices
@both
def test_faces_by_colour_are_those_of_the_host_and_share_no_volume(method, device):
    grid, host = (case(method, "colours", device=where).grid for where in (device, "cpu"))

    assert grid.colours == host.colours
    assert (grid.lr == host.lr).all()
    assert sum(count for _, count in grid.colours) == grid.edges
    for first, count in grid.colours:
        own = grid.lr[first : first + count].ravel()
        assert len(np.unique(own)) == 2 * count
    faces = np.bincount(grid.lr.ravel()).max()
    assert 1 < len(grid.colours) <= 2 * faces - 1
    plain = case(method, "store").grid
    assert plain.colours == ()
    assert (np.lexsort(plain.lr.T[::-1]) == np.arange(plain.edges)).all()


# ---------------------------------------------------------------- what has no such loops


def test_a_name_that_is_none_is_refused_with_those_that_are():
    with pytest.raises(km.SettingsError, match="face_loop is 'fast', expected one of store, "
                       "recompute, colours, atomics"):  # fmt: skip
        km.AleSettings(face_loop="fast")


@pytest.mark.parametrize("loops", OTHERS)
def test_a_flux_without_kernels_for_a_loop_names_the_loop_that_it_has(loops):
    assert FLUXES["hllc"].face_loops == ("store",)
    words = f"face_loop is '{loops}', and flux 'hllc' has store alone; take face_loop = 'store'"
    with pytest.raises(km.SettingsError, match=words):
        km.CellSettings(flux="hllc", face_loop=loops)


@pytest.mark.parametrize("method", [e.name for e in registry.SOLVERS if e.name not in SOLVERS])
def test_loops_are_unknown_to_solvers_without_faces(method):
    with pytest.raises(ArgumentError, match="unknown argument 'face_loop'"):
        registry.named(method).settings(face_loop="store")


class More(Term):
    """Term that takes the flux of the first face away."""

    name = "more"

    def residual(self):
        b, flux = self.fields.backend, self.fields["flux"]
        return [b.bind("copy_state", **{"from": b.zeros((1, 4)), "to": flux[:1]})]


class Named(More):
    """Term with a kernel that finds fluxes by their name."""

    def residual(self):
        return [self.fields.bind("ale_residual")]


@pytest.mark.parametrize("term", [More, Named])
@pytest.mark.parametrize("loops", FACE_LOOPS)
def test_a_term_that_adds_to_fluxes_is_refused_where_none_are_stored(loops, term):
    class Added(km.Ale):
        def terms_of(self):
            gradients, faces, *rest = super().terms_of()
            return (gradients, faces, term, *rest)

    make = dict(mach=0.5, device="cpu", settings=km.AleSettings(face_loop=loops))

    if loops == "store":
        assert "flux" in Added(mesh(520), **make).fields
        return
    with pytest.raises(km.SettingsError, match=f"flux, .*face_loop = '{loops}' stores no fluxes; "
                       "take face_loop = 'store'"):  # fmt: skip
        Added(mesh(520), **make)


def test_every_loop_of_a_flux_is_one_of_the_table():
    for flux in FLUXES.values():
        assert "store" in flux.face_loops
        assert set(flux.face_loops) <= set(FACE_LOOPS)
