"""A tenant: Euler's equations on the cells of a mesh, of first order."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.terms.base import Term
from kinemesh.space.cells import Cells
from runs import assert_same, interrupted
from solver_cases import registered

pytestmark = pytest.mark.flow


class Constant(Term):
    name = "state"  # constant in a cell

    def __init__(self, case):
        super().__init__(case)
        self.fields.add(grad=case.backend.zeros((case.grid.nodes, 8)))

    def residual(self):
        return [self.fields.bind("state_primitive")]


class OnCells(km.Ale):
    method, volumes = "cells", Cells
    terms_of = Constant, *km.Ale.terms_of[1:]  # fluxes, their balance, vortex, boundary


def test_drag_that_is_none_falls_with_first_order_and_lift_nears_that_of_ale():
    loads, drop = [], km.AleSettings(steady_drop=1e-6)
    for solver, nodes in ((OnCells, 2000), (OnCells, 8000), (km.Ale, 2000)):
        mesh = km.mesh.airfoil("naca0012", nodes=nodes)
        case = solver(mesh, mach=0.5, alpha_deg=[0, 2], settings=drop, device="cpu")
        assert case.steady().converged.all()
        loads.append([case.coefficients()[0, 1], case.coefficients()[1, 0]])
    (drag, lift), (half, higher), (_, full) = loads
    assert 0.9 < np.log2(drag / half) < 1.1
    assert lift < higher < full


def test_an_interrupted_run_goes_on_and_has_fields_of_cells(monkeypatch, tmp_path):
    registered(monkeypatch, OnCells)
    case = km.cases.load("naca0012-transonic").replace(method="cells", nodes=800)
    assert case.run(out=tmp_path / "whole", device="cpu").converged
    interrupted(monkeypatch, lambda: case.run(out=tmp_path / "cut", device="cpu"), 9)
    flow = case.run(out=tmp_path / "cut", device="cpu", resume=True).fields()
    assert_same(tmp_path / "whole", tmp_path / "cut")
    assert (flow.on, len(flow["Mach"])) == ("cells", len(flow.cells))


def test_a_fault_names_its_cell():
    case = OnCells(km.mesh.airfoil("naca0012", nodes=500), mach=0.5, device="cpu")
    q, mesh = case.primitive(), case.grid.meshes[0]
    q[7], names = -1.0, ", ".join(map(str, mesh.original[mesh.triangles[7]]))
    with pytest.raises(km.NumericalFault, match=f"density .* at the cell of nodes {names} "):
        case.initialise(q)
