"""A steady run that ended goes on, where more is asked of it, with the bits of one that did not."""

from dataclasses import replace
from functools import cache

import kinemesh as km
import numpy as np
import pytest
from runs import assert_same

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*stopped at its limit:RuntimeWarning"),
]


@cache
def space(kind):
    if kind == "wing":
        return km.mesh.extruded(space("mesh"), span=1.0, layers=1)
    if kind == "cylinder":
        return km.mesh.cylinder(nodes=600)
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=10.0)
    return km.Cloud.from_mesh(mesh) if kind == "cloud" else mesh


SOLVERS = {
    "nodes": (km.Ale, "mesh", km.AleSettings(linear_solver="lusgs")),
    "cells": (km.CellCentred, "mesh", km.CellSettings()),
    "points": (km.Meshless, "cloud", km.MeshlessSettings(time="bicgstab")),
    "space": (km.Ale, "wing", km.AleSettings(linear_solver="lusgs")),
    "projection": (km.Incompressible, "cylinder", km.IncompressibleSettings()),
}


def case(name, dtype="float64", **settings):
    solver, kind, own = SOLVERS[name]
    flow = {"reynolds": 40} if name == "projection" else {"mach": 0.8, "alpha_deg": 1.0}
    return solver(space(kind), **flow, dtype=dtype, device="cpu", settings=replace(own, **settings))


@pytest.mark.long
@pytest.mark.parametrize(("name", "dtype", "first", "more"), [
    ("nodes", "float64", {"steady_iterations": 24}, 36),
    pytest.param("space", "float64", {"steady_iterations": 24}, 36, marks=pytest.mark.slow),
    # ends at round-off after 79, and before that is held by its loads alone
    ("points", "float32", {"steady_iterations": 49}, 400),
    ("cells", "float64", {"steady_drop": 0.35}, 16),
])  # fmt: skip
def test_a_run_that_ended_goes_on_with_the_same_bits(name, dtype, first, more, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    one = case(name, dtype, steady_iterations=more).steady(out=whole)
    began = case(name, dtype, **first).steady(out=parts)

    case(name, dtype, steady_iterations=more).steady(out=parts, resume=True)

    assert 5 < began.history.rows < one.history.rows
    assert_same(whole, parts)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_check_that_ends_a_march_may_be_made_again(name):
    work = case(name, steady_iterations=8)
    work.steady()
    b, kept = work.backend, work.kept(levels=False)
    paces = [key for key in kept if key.startswith(("dualtime_", "march_c", "march_m"))]
    before = {key: b.get(kept[key]).copy() for key in paces}

    b.put(work.dualtime.active, 1)
    work.steady_iteration()()

    assert set(before) & {"march_means", "dualtime_mean"}
    for key, value in before.items():
        np.testing.assert_array_equal(b.get(kept[key]), value, err_msg=key)
