"""Viscous fluxes, gradients and the viscous matrix against closed forms (docs/theory.md, 9)."""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA, conserved, primitive
from kinemesh.flow.terms.gradients import LIMITERS
from samples import direct
from solver_cases import on_devices
from viscous_cases import (
    PR,
    PR_T,
    gas,
    heat_flux,
    linear,
    on_thin_meshes,
    slopes_error,
    stress,
    thin,
)

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning"),  # shaken
]


@pytest.mark.long
@on_devices
@on_thin_meshes
@pytest.mark.parametrize("limiter", LIMITERS)
def test_gradients_of_linear_fields_are_exact(kind, aspect, limiter, device):
    case = km.Ale(thin(kind, aspect=aspect), mach=0.5, reynolds=50.0, walls=[], device=device,
                  settings=km.AleSettings(limiter=limiter))  # fmt: skip
    assert slopes_error(case, aspect) <= 1e-11 * 0.3


@on_devices
@on_thin_meshes
@pytest.mark.parametrize("scheme", ["roe", "hllc"])
def test_stress_and_heat_of_linear_fields_are_exact_on_every_face(kind, aspect, scheme, device):
    """Viscosities constant, of molecules and eddies; their part is the flux with less without."""
    case = gas(thin(kind, aspect=aspect), device=device)
    b, get, x = case.backend, case.backend.get, case.grid.points
    v, T, g = linear(x, aspect)
    rho, slope_rho = 1 + x @ [0.1, 0.2 * aspect], np.array([0.1, 0.2 * aspect])
    p = rho * T / GAMMA
    slope_p = (T[:, None] * slope_rho + rho[:, None] * g[2]) / GAMMA
    slope = np.stack([np.tile(slope_rho, (len(x), 1)), *np.tile(g[:2, None], (1, len(x), 1)),
                      slope_p], 1)  # fmt: skip
    mu, mu_t = 0.7, 1.9

    def flux(share):
        out = b.zeros((case.grid.edges, 4))
        case.fields.bind(
            f"ale_flux_{scheme}_viscous", flux=out, entropy_fix=0.0,
            q=b.array(np.column_stack([rho, v, p]), "real"),
            slope=b.array(slope.reshape(-1, 8), "real"), grad=b.zeros((len(x), 8)),
            lowered=b.zeros(case.grid.edges, "int32"),
            mu=b.array(np.tile(share * np.array([mu, mu_t]), (len(x), 1)), "float64"),
        )()  # fmt: skip
        return get(out)

    found = flux(1.0) - flux(0.0)

    S, (i, j) = get(case.grid.S), case.grid.dual.lr.T
    force = S @ stress(g[None, :2], mu + mu_t)[0]
    work = (0.5 * (v[i] + v[j]) * force).sum(1) - S @ heat_flux(g[2:], mu, mu_t)[0]
    expected = -np.column_stack([np.zeros(len(S)), force, work])
    size = np.abs(S) @ np.abs(stress(g[None, :2], mu + mu_t)[0])
    assert np.abs(found[:, 0]).max() == 0
    assert (np.abs(found - expected)[:, 1:3] <= 1e-12 * size.max()).all()
    assert np.abs(found - expected)[:, 3].max() <= 1e-12 * np.abs(work).max()
    net = np.zeros((len(x), 4))  # no force on a volume inside, as S adds up to zero about it
    np.add.at(net, i, found)
    np.add.at(net, j, -found)
    inside = np.setdiff1d(np.arange(len(x)), case.grid.patches["far"].node)
    assert np.abs(net[inside, 1:3]).max() <= 1e-12 * size.max()


# ---------------------------------------------------------------- matrix


@on_devices
@on_thin_meshes
def test_the_coefficient_of_the_matrix_is_that_of_the_theory(kind, aspect, device):
    """Eq. 9.3 and 9.5, from positions alone."""
    case = gas(thin(kind, aspect=aspect, jitter=0.3), device=device)
    get, x = case.backend.get, case.grid.points
    S, lr = get(case.grid.S), case.grid.dual.lr
    M = np.zeros((len(x), 2, 2))
    d = x[lr[:, 1]] - x[lr[:, 0]]
    square = np.einsum("ek,el->ekl", d, d) / (d**2).sum(1)[:, None, None]
    for end in lr.T:
        np.add.at(M, end, square)
    rows = [np.linalg.solve(M[end], (d / (d**2).sum(1)[:, None])[..., None])[..., 0]
            for end in lr.T]  # fmt: skip
    size, length = np.hypot(*S.T), np.hypot(*d.T)
    c = size**2 / np.maximum((d * S).sum(1), 0.5 * length * size)
    wide = np.hypot(*(S - c[:, None] * d).T) * sum(np.hypot(*row.T) for row in rows)

    found = get(case.fields["compact"])

    assert found == pytest.approx(c + 0.5 * wide, rel=1e-6)  # it is kept in float32
    assert ((d * S).sum(1) < 0.5 * length * size).any() == (aspect > 1)  # the bound is at work


def pairs(seed, alike):
    """States at both ends of 20 separate faces, S, c of the matrix, viscosities of nodes."""
    rng, low, high = np.random.default_rng(seed), (0.5, -1.2, -0.8, 0.4), (1.5, 1.2, 0.8, 1.2)
    q = rng.uniform(low, high, (20, 2, 4))
    if alike:
        q[:, 1, 1:3] = q[:, 0, 1:3]
    c = rng.uniform(0.5, 2.0, 20).astype(np.float32).astype(float)
    return q, rng.uniform(-1, 1, (20, 2)), c, rng.uniform(0.5, 2.0, (20, 2, 2))


def matrix(backend, kernel, q, S, c, mu, cfl=1e30):
    """Diagonal and other block of the rows of all nodes, (20, 2, 4, 4) each."""
    edges = len(S)
    nodes, at = 2 * edges, np.arange(2 * edges)
    viscous = {"compact": c, "mu": mu.reshape(-1, 2), "conduct": 1 / PR, "conduct_eddy": 1 / PR_T}
    found = direct(
        backend, kernel, row_of=at, member=0 * at, active=[1], diagonal=2 * at, slot=2 * at + 1,
        offsets=np.arange(nodes + 1), neighbour=at ^ 1, edge=at // 2, S=S, w=np.zeros(edges),
        q=q.reshape(-1, 4), jacobian_fix=[0.1], low_mach=[[1.0, 1.0]], V=np.ones(nodes),
        bdf=[[0.0, 0.0, 0.0]], cfl=[cfl], pace=np.ones(nodes), res=np.zeros((nodes, 4)),
        A=np.zeros((2 * nodes, 16)), rhs=np.zeros((nodes, 4)),
        **(viscous if kernel.endswith("viscous") else {}),
    )["A"].reshape(edges, 2, 2, 4, 4)  # fmt: skip
    return found.swapaxes(-1, -2)  # blocks are kept by columns


def compact_flux(ql, qr, v, S, c, mu):
    """Flux of the compact part of eq. 9.2 from left to right, v the velocity of its work."""
    n, (m, m_t) = S / np.hypot(*S), mu
    jump = qr[..., 1:3] - ql[..., 1:3]
    force = (m + m_t) * c * (jump + (jump @ n)[..., None] * n / 3)
    e = [q[..., 3] / q[..., 0] / (GAMMA - 1) for q in (ql, qr)]
    heat = GAMMA * (m / PR + m_t / PR_T) * c * (e[1] - e[0])
    return -np.stack([0 * heat, force[..., 0], force[..., 1], force @ v + heat], -1)


@pytest.mark.parametrize("alike", [True, False], ids=["velocities-alike", "velocities-differ"])
def test_the_viscous_matrix_is_the_derivative_of_the_compact_flux(double, alike):
    """By central differences, the velocity of the work frozen: with no jump that is all of it."""
    q, S, c, mu = pairs(11, alike)
    there = matrix(double, "ale_jacobian_viscous", q, S, c, mu)
    found = there - matrix(double, "ale_jacobian", q, S, c, mu)

    for e in range(len(S)):
        mean, v = mu[e].mean(0), q[e, :, 1:3].mean(0)
        for a in (0, 1):  # the row of this end: what leaves it by its own state, and by the other's
            own, other, out = q[e, a], q[e, 1 - a], S[e] * (1 - 2 * a)
            for block, changed in ((0, own), (1, other)):
                step, columns = 1e-6, []
                for k in range(4):
                    ends = []
                    for sign in (1, -1):
                        now = primitive(conserved(changed) + sign * step * np.eye(4)[k])
                        pair = (now, other) if block == 0 else (own, now)
                        work = (pair[0] + pair[1])[1:3] / 2 if alike else v
                        ends.append(compact_flux(*pair, work, out, c[e], mean))
                    columns.append((ends[0] - ends[1]) / (2 * step))
                expected = np.stack(columns, -1)
                assert np.abs(found[e, a, block] - expected).max() <= 1e-6 * np.abs(expected).max()


def test_pseudo_time_counts_viscosity(double):
    """2 (mu + mu_t) c / rho over the CFL number on the diagonal, beside what is there without."""
    q, S, c, mu = pairs(12, False)

    def diagonal(kernel, cfl):
        return matrix(double, kernel, q, S, c, mu, cfl)[:, :, 0]

    gain = [
        diagonal(kernel, 2.0) - diagonal(kernel, 1e30)
        for kernel in ("ale_jacobian_viscous", "ale_jacobian")
    ]

    share = 2 * (mu.mean(1).sum(-1) * c)[:, None] / q[..., 0] / 2.0
    assert gain[0] - gain[1] == pytest.approx(share[..., None, None] * np.eye(4), abs=1e-12)
