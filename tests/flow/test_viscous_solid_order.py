"""Order of accuracy of viscous flow in cells in space, by a manufactured solution.

A term adds what the equations leave of the made flow, integrated over each dual, as in the plane.
"""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA, conserved
from kinemesh.flow.terms.base import Term
from kinemesh.mesh.kinds import KINDS
from solid_cases import stream
from solids import cube
from viscous_cases import PR, rms

pytestmark = pytest.mark.flow

MACH, ALPHA, RE = 0.5, 17.0, 20.0
LAW = 110.4 / 288.15
STEP = 1e-3
WAYS = np.eye(3)


def state(points):
    """Primitive state at places of the unit cube, that of the stream on the rim."""
    x, y, z = np.moveaxis(points, -1, 0)
    rho, u, v, w, p = stream(MACH, ALPHA)
    b = 0.2 * (np.sin(np.pi * x) * np.sin(np.pi * y) * np.sin(np.pi * z)) ** 3
    return np.stack([
        rho + b * np.cos(2 * x + y - z),
        u + b * np.sin(3 * y - x + z),
        v + b * np.cos(z - 2 * x),
        w + b * np.cos(x + 2 * y),
        p * (1 + b * np.sin(2 * x + 1 - z)),
    ], -1)  # fmt: skip


def flux(points):
    """(..., 5, 3) fluxes of the gas, convective less viscous ones."""
    q = state(points)
    g = np.stack([state(points + 1e-30j * way).imag / 1e-30 for way in WAYS], -1)
    rho, v, p = q[..., 0], q[..., 1:4], q[..., 4]
    T = GAMMA * p / rho
    mu = MACH / RE * T**1.5 * (1 + LAW) / (T + LAW)
    div = np.trace(g[..., 1:4, :], axis1=-2, axis2=-1)[..., None, None]
    both = g[..., 1:4, :] + np.swapaxes(g[..., 1:4, :], -1, -2) - 2 / 3 * div * WAYS
    tau = mu[..., None, None] * both
    grad_t = GAMMA * (g[..., 4, :] - (p / rho)[..., None] * g[..., 0, :]) / rho[..., None]
    made = conserved(q)[..., :, None] * v[..., None, :]
    made[..., 1:4, :] += p[..., None, None] * WAYS - tau
    made[..., 4, :] += p[..., None] * v - np.einsum("...k,...kl->...l", v, tau)
    made[..., 4, :] -= (mu / PR)[..., None] * grad_t / (GAMMA - 1)
    return made


def source(points):
    """(..., 5) divergence of the fluxes, by central differences of sixth order."""
    total = 0.0
    for k, way in enumerate(STEP * WAYS):
        for share, times in ((3 / 4, 1), (-3 / 20, 2), (1 / 60, 3)):
            ends = [flux(points + sign * times * way)[..., k] for sign in (1, -1)]
            total = total + share * (ends[0] - ends[1]) / STEP
    return total


def over_duals(mesh, function):
    """(nodes, n) integrals over the median duals, by a tetrahedron for each corner and edge of a
    face of a cell: the node, the middle of the edge, of the face and of the cell."""
    total = None
    for name, cells in mesh.solids.items():
        x = mesh.points[cells]
        middle = x.mean(axis=1)
        for face in KINDS[name].faces:
            centre = x[:, list(face)].mean(axis=1)
            for a, b in zip(face, np.roll(face, -1), strict=True):
                edge = 0.5 * (x[:, a] + x[:, b])
                for node in (a, b):
                    corners = x[:, node], edge, centre, middle
                    sides = np.stack([own - corners[0] for own in corners[1:]], 1)
                    volume = np.abs(np.linalg.det(sides)) / 6
                    part = volume[:, None] * function(np.mean(corners, axis=0))
                    total = np.zeros((mesh.nodes, part.shape[1])) if total is None else total
                    np.add.at(total, cells[:, node], part)
    return total


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


def error(kind, across, jitter):
    """Error in L2 of all five primitive variables together."""
    settings = km.AleSettings(limiter="none", steady_drop=1e-6, low_mach=False)
    mesh = cube(across, kind, jitter=jitter, seed=across)
    case = Fed(mesh, mach=MACH, alpha_deg=ALPHA, reynolds=RE, walls=[], device="cpu",
               settings=settings)  # fmt: skip
    case.sources = over_duals(case.grid.meshes[0], source)
    exact = state(case.grid.points)
    case.initialise(exact)
    assert case.steady().summary["result"]["converged"]
    return rms(case, np.linalg.norm(case.primitive() - exact, axis=1))


def order(kind, sizes, jitter):
    errors = [error(kind, across, jitter) for across in sizes]
    return np.log(errors[0] / errors[1]) / np.log(sizes[1] / sizes[0])


def test_duals_are_filled():
    mesh = cube(3, "mixed", jitter=0.2)
    case = km.Ale(mesh, mach=0.3, walls=[], device="cpu")
    V = over_duals(case.grid.meshes[0], lambda x: np.ones((len(x), 1)))[:, 0]
    np.testing.assert_allclose(V, case.backend.get(case.grid.V), rtol=1e-12)


@pytest.mark.long
def test_viscous_flow_in_hexahedra_has_second_order():
    assert order("hexahedra", (6, 12), 0.0) >= 1.8


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tetrahedra", "prisms", "hexahedra"])
def test_viscous_flow_has_second_order(kind):
    assert order(kind, (10, 20), 0.0) >= 1.8
