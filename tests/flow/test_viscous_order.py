"""Order of accuracy of viscous flow in space, by manufactured solutions.

A term adds what the equations leave of the made flow, integrated over each dual: it stands where
past time levels do, of which a steady flow has none.
"""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.terms.base import Term
from made_flows import ALPHA, MACH, RE, Made, over_duals, state
from viscous_cases import THIN, rms, thin

pytestmark = pytest.mark.flow


class Source(Term):
    name = "source"

    def __init__(self, case):
        super().__init__(case)
        self.case = case

    def start_steady(self):
        self.case.backend.put(self.case.past, -self.case.sources)


class Fed(km.Ale):
    method = "fed"

    def terms_of(self):
        return (*super().terms_of(), Source)


def error(kind, across, aspect, jitter):
    """Error in L2 of all four primitive variables together."""
    mesh = thin(kind, across, aspect, jitter, seed=across)
    settings = km.AleSettings(limiter="none", steady_drop=1e-8, low_mach=False)
    made = Made(aspect, MACH / (RE * aspect))
    case = Fed(mesh, mach=MACH, alpha_deg=ALPHA, reynolds=RE * aspect, walls=[], device="cpu",
               settings=settings)  # fmt: skip
    case.sources = over_duals(case.grid.meshes[0], made.source)
    exact = made.at(state, case.grid.points)
    case.initialise(exact)
    assert case.steady().summary["result"]["converged"]
    return rms(case, np.linalg.norm(case.primitive() - exact, axis=1))


def orders(kind, sizes, aspect, jitter):
    errors = np.array([error(kind, n, aspect, jitter) for n in sizes])
    return np.log2(errors[:-1] / errors[1:])


@pytest.mark.long
@pytest.mark.parametrize("jitter", [0.0, 0.1], ids=["regular", "shaken"])
def test_viscous_flow_has_second_order(jitter):
    assert (orders("triangles", (16, 32), 1.0, jitter) >= 1.8).all()


@pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning")
@pytest.mark.slow
@pytest.mark.parametrize("aspect", [1.0, THIN])
@pytest.mark.parametrize(
    ("kind", "jitter"), [("triangles", 0.0), ("triangles", 0.1), ("quads", 0.0)]
)
def test_viscous_flow_has_second_order_in_thin_cells(kind, jitter, aspect):
    assert (orders(kind, (32, 64), aspect, jitter) >= 1.8).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "jitter", "aspect"),
    [("quads", 0.1, 1.0), ("quads", 0.1, THIN), ("mixed", 0.0, 1.0), ("mixed", 0.1, 1.0),
     ("mixed", 0.0, THIN)],
)  # fmt: skip
def test_shaken_quadrilaterals_and_mixtures_cost_an_order_at_most(kind, jitter, aspect):
    """By the convective fluxes, as of an inviscid gas (test_order.py).

    Shaken mixtures of aspect 100 have no steady flow without a limiter, inviscid ones neither.
    """
    assert (orders(kind, (32, 64), aspect, jitter) >= 0.9).all()
