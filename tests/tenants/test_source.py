"""A tenant: a source in the residual, the weight of the gas, whose number a user sets."""

from dataclasses import dataclass

import kinemesh as km
import numpy as np
import pytest
from kinemesh.deform.still import Still
from kinemesh.flow.terms.base import Term

pytestmark = pytest.mark.flow
STREAM, FALL = (0.3, 0.0), (0.2, -0.5)  # velocity [a_inf], gravity [a_inf^2 / chord]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeavySettings(km.AleSettings):
    """Settings of `km.Ale`, and gravity along x and y [a_inf^2 / chord]."""

    gravity: tuple[float, float] = (0.0, 0.0)


class Weight(Term):
    """Force rho g and its power rho u.g of volumes, which keep their size, by kernels at hand."""

    name = "weight"

    def __init__(self, case):
        super().__init__(case)
        b, g, every = case.backend, self.settings.gravity, np.arange(self.grid.nodes + 1)
        V, node = b.get(self.grid.V)[:, None], b.table(every[:-1])
        rows = self.fields.also(row=b.table(every), column=node, x=self.fields["u"],
                                live=self.fields["active"])  # fmt: skip
        self.calls = []
        for row, push in (((1, 0, 0, 0), (*g, 0)), ((0, *g, 0), (0, 0, 1))):
            pressing = b.zeros((len(V), 4))  # in the place of the pressure: rho, then rho u.g
            A, pushed = np.zeros((len(V), 4, 4)), -V * push  # columns of A one after another
            A[:, :, 3] = row
            self.calls += [
                rows.bind("block_product_4", A=b.array(A.reshape(-1, 16), "real"), y=pressing),
                self.fields.bind("bc_wall", node=node, q=pressing, xf=None, grad=None,
                                 S=b.array(pushed[:, :2], "real"), w=b.array(pushed[:, 2], "real")),
            ]  # fmt: skip

    def residual(self):
        return self.calls


class Heavy(km.Ale):
    settings_type = HeavySettings

    def terms_of(self):
        return (*super().terms_of(), Weight)


def test_the_weight_is_that_of_the_gas_and_changes_a_stream_as_a_fall_does():
    mesh, steps, dt = km.mesh.background((0, 4, 0, 4), (0, 4, 0, 4), 0.1), 5, 0.02
    tight = HeavySettings(gravity=FALL, unsteady_drop=1e-10)
    case = Heavy(mesh, mach=STREAM[0], walls=[], settings=tight, deform=Still(), device="cpu")
    case.backend.record(case.residual())()
    res, V = case.backend.get(case.res), case.backend.get(case.grid.V)[:, None]
    assert res == pytest.approx(-V * [0, *FALL, np.dot(STREAM, FALL)], abs=1e-15)  # round-off
    assert res.sum(axis=0)[1:3] == pytest.approx(np.multiply(FALL, -16), rel=1e-13)  # the box

    case.run(steps=steps, time_step=dt, start="as is", preflight=False)
    velocity = np.add(STREAM, np.multiply(FALL, steps * dt))
    lag = 0.4 * np.dot(FALL, FALL) * dt**2 * 0.75 * (1 - 3.0**-steps)  # BDF1 begins, then BDF2
    far = (abs(case.grid.points - 2) < 0.3).all(axis=1)  # from the edges, where the stream stays
    want = [1.0, *velocity, 1 / 1.4 + lag]
    assert case.primitive()[far] == pytest.approx(np.tile(want, (far.sum(), 1)), abs=1e-10)  # drop
