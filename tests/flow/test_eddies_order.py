"""Order of the equation of nu~ in space, by a manufactured solution in a manufactured flow.

The flow stands still; what the equation leaves of the made nu~ is taken from its residual, and
nodes of the rim have the made nu~.
"""

import numpy as np
import pytest
from made_flows import ALPHA, MACH, RE, Made, bump, over_duals, state
from test_eddies_exact import CB2, SIGMA, source
from viscous_cases import THIN, endless, gas, rms, thin

pytestmark = pytest.mark.flow

DISTANCE = 0.4


class Eddies(Made):
    """A made nu~, some viscosities of the stream; lengths across are counted in thin cells'."""

    def working(self, x, y):
        return self.mu * (3 + 12 * bump(x, y) + 2 * np.sin(2 * x - 3 * y))

    def diffusivity(self, points):
        rho = self.at(state, points)[..., 0]
        return self.viscosity(points) / rho + self.at(self.working, points)

    def source(self, points):
        """Residual of eq. 9.7 by unit of area."""
        q, g = self.at(state, points), self.slopes(state, points)
        rho, nt, eta = q[..., 0], self.at(self.working, points), self.diffusivity(points)
        slope = self.slopes(self.working, points)
        both = self.divergence(
            lambda p: self.diffusivity(p)[..., None] * self.slopes(self.working, p), points
        )
        bare = self.divergence(lambda p: self.slopes(self.working, p), points)
        nu, omega = self.viscosity(points) / rho, np.abs(g[..., 2, 0] - g[..., 1, 1])
        d = np.full(nt.shape, DISTANCE / self.aspect)
        made = np.array([
            source(complex(a), *own)[0].real
            for a, *own in zip(nt.ravel(), nu.ravel(), omega.ravel(), d.ravel(), strict=True)
        ]).reshape(nt.shape)  # fmt: skip
        carried = (q[..., 1:3] * slope).sum(-1)
        return rho * (carried - ((1 + CB2) * both - CB2 * eta * bare) / SIGMA - made)


def error(monkeypatch, kind, across, aspect, jitter):
    """Error of nu~ in L2 [mu of the stream]."""
    mesh = thin(kind, across, aspect, jitter, seed=across)
    reynolds = 10 * RE * aspect
    made = Eddies(aspect, MACH / reynolds)
    with monkeypatch.context() as patch:
        endless(patch)
        case = gas(mesh, mach=MACH, alpha_deg=ALPHA, reynolds=reynolds, turbulence="sa")
    put, get, term = case.backend.put, case.backend.get, case.terms["turbulence"]
    x, rim = case.grid.points, case.grid.patches["far"].node
    exact, left = made.at(made.working, x), over_duals(case.grid.meshes[0], made.source)
    case.initialise(made.at(state, x))
    case.start_steady()
    for name in ("gradients", "viscosity", "convection"):
        for call in case.terms[name].residual():
            call()
    put(case.dualtime.cfl, 1e3)
    distance = np.full(case.grid.nodes, DISTANCE / aspect)
    distance[rim] = 0  # as of walls, whose nu~ does not change
    put(case.fields["distance"], distance)
    put(term.nt, exact)
    first = [term.own.bind("eddy_gradient"), term.own.bind("eddy_rows")]
    node, norms = get(term.own["node"]), []
    for _ in range(300):
        for call in first:
            call()
        res = get(term.own["res_nt"]) - left
        res[rim] = 0
        norms.append(np.linalg.norm(res))
        if norms[-1] <= 1e-8 * norms[0]:
            break
        put(term.solver.b, -res[node][:, None])
        for call in term.step():
            call()
    assert norms[-1] <= 1e-8 * norms[0], norms[-5:]
    return rms(case, get(term.nt) - exact) / made.mu


def order(monkeypatch, kind, sizes, aspect, jitter):
    errors = np.array([error(monkeypatch, kind, n, aspect, jitter) for n in sizes])
    return np.log2(errors[0] / errors[-1]) / np.log2(sizes[-1] / sizes[0])


@pytest.mark.long
@pytest.mark.parametrize("jitter", [0.0, 0.1], ids=["regular", "shaken"])
def test_the_equation_of_nu_tilde_has_first_order(jitter, monkeypatch):
    """First order is that of its convection."""
    assert order(monkeypatch, "triangles", (24, 48), 1.0, jitter) >= 0.9


@pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["triangles", "quads", "mixed"])
@pytest.mark.parametrize("aspect", [1.0, THIN])
@pytest.mark.parametrize("jitter", [0.0, 0.1], ids=["regular", "shaken"])
def test_the_equation_of_nu_tilde_has_first_order_in_thin_cells(kind, aspect, jitter, monkeypatch):
    assert order(monkeypatch, kind, (32, 64), aspect, jitter) >= 0.9
