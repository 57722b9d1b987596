"""A tenant: Euler's equations on the cells of a mesh, of first order."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.terms.base import Term
from kinemesh.space.cells import Cells

pytestmark = pytest.mark.flow


class Constant(Term):
    name = "state"  # constant in a cell

    def __init__(self, case):
        super().__init__(case)
        self.fields.add(grad=case.backend.zeros((case.grid.nodes, 8)))

    def residual(self):
        return [self.fields.bind("state_primitive")]


class OnCells(km.Ale):
    method, volumes, gradients = "cells", Cells, Constant


@pytest.mark.slow
def test_drag_that_is_none_falls_with_first_order_and_lift_nears_that_of_ale():
    loads, drop = [], km.AleSettings(steady_drop=1e-6)
    for solver, nodes in ((OnCells, 1000), (OnCells, 4000), (km.Ale, 1000)):
        mesh = km.mesh.airfoil("naca0012", nodes=nodes)
        case = solver(mesh, mach=0.5, alpha_deg=[0, 2], settings=drop, device="cpu")
        assert case.steady().converged.all()
        loads.append([case.coefficients()[0, 1], case.coefficients()[1, 0]])
    (drag, lift), (half, higher), (_, full) = loads
    assert 0.9 < np.log2(drag / half) < 1.1
    assert lift < higher < full
