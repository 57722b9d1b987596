"""Euler's equations on the cells of a mesh, of first order."""

import kinemesh as km
from kinemesh.flow.terms.base import Term

CellSettings = km.CellSettings


class Constant(Term):
    """States that are constant in a cell."""

    name = "state"

    def __init__(self, case):
        super().__init__(case)
        self.fields.add(grad=case.backend.zeros((case.grid.nodes, 8)))

    def residual(self):
        return [self.fields.bind("state_primitive")]


class FirstOrder(km.CellCentred):
    """A solver on cells without gradients."""

    method, gradients = "first-order", Constant
