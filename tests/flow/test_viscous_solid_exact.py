"""Viscous fluxes, gradients and the viscous matrix in space against closed forms (theory, 9)."""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA, conserved, primitive
from samples import direct
from solids import MADE, cube
from solver_cases import on_devices
from viscous_cases import PR, PR_T

pytestmark = pytest.mark.flow

on_cells = pytest.mark.parametrize("kind", MADE)
UNIT = np.eye(3)


def gas(kind, across=4, jitter=0.2, **changes):
    """A viscous gas in the far field alone, in cells of a cube."""
    told = {"mach": 0.5, "reynolds": 50.0, "walls": [], "device": "cpu"} | changes
    told.setdefault("settings", km.AleSettings(limiter="none"))
    return km.Ale(cube(across, kind, jitter=jitter), **told)


def linear(x, seed=5):
    """Velocities v and temperature T linear in x, and their slopes g[k, l]."""
    g = np.random.default_rng(seed).uniform(0.1, 0.3, (4, 3))
    return x @ g[:3].T + [0.2, -0.1, 0.1], x @ g[3] + 1.0, g


def stress(g, mu):
    """(..., 3, 3) stresses of velocity gradients g[..., k, l] = dv_k/dx_l."""
    div = np.trace(g, axis1=-2, axis2=-1)[..., None, None]
    return mu * (g + np.swapaxes(g, -1, -2) - 2 / 3 * div * UNIT)


@on_devices
@on_cells
@pytest.mark.parametrize("limiter", ["none", "wang"])
def test_gradients_of_linear_fields_are_exact(kind, limiter, device):
    case = gas(kind, device=device, settings=km.AleSettings(limiter=limiter))
    v, _, g = linear(case.grid.points)
    rows = np.vstack([g[3], g[:3], g[3] / 2])
    case.initialise(np.column_stack([1 + case.grid.points @ rows[0], v,
                                     1 + case.grid.points @ rows[4]]))  # fmt: skip
    case.start_steady()
    for call in case.terms["gradients"].residual():
        call()

    found = case.backend.get(case.fields["slope"]).reshape(-1, 5, 3)

    assert np.abs(found - rows).max() <= 1e-11 * 0.3


def test_vorticity_of_a_linear_velocity_is_exact():
    case = gas("mixed")
    v, _, g = linear(case.grid.points)
    q = np.column_stack([np.ones(len(v)), v, np.full(len(v), 1 / GAMMA)])
    case.initialise(q)
    case.start_steady()

    found = case.friction.outputs()["Vorticity"]

    curl = [g[2, 1] - g[1, 2], g[0, 2] - g[2, 0], g[1, 0] - g[0, 1]]
    assert np.abs(found - curl).max() <= 1e-11


def viscous_fluxes(case, scheme, q, slope, mu, mu_t):
    """(edges, 5) what viscosities, alike everywhere, add to the fluxes."""
    b, n = case.backend, len(q)

    def flux(share):
        out = b.zeros((case.grid.edges, 5))
        case.fields.bind(
            f"ale_flux_{scheme}_viscous", flux=out, entropy_fix=0.0, q=b.array(q, "real"),
            slope=b.array(slope.reshape(n, 15), "real"), grad=b.zeros((n, 15)),
            lowered=b.zeros(case.grid.edges, "int32"),
            mu=b.array(np.tile(share * np.array([mu, mu_t]), (n, 1)), "float64"),
        )()  # fmt: skip
        return b.get(out)

    return flux(1.0) - flux(0.0)


def summed(case, fluxes):
    """(nodes, 5) sums of what leaves each node."""
    net = np.zeros((case.grid.nodes, 5))
    i, j = case.grid.lr.T
    np.add.at(net, i, fluxes)
    np.add.at(net, j, -fluxes)
    return net


@on_devices
@on_cells
@pytest.mark.parametrize("scheme", ["roe", "hllc"])
def test_stress_and_heat_of_linear_fields_are_exact_on_every_face(kind, scheme, device):
    """Viscosities constant, of molecules and eddies; their part is the flux less that without."""
    case = gas(kind, device=device)
    x = case.grid.points
    v, T, g = linear(x)
    slope_rho = np.array([0.1, 0.2, -0.1])
    rho = 1 + x @ slope_rho
    p = rho * T / GAMMA
    slope_p = (T[:, None] * slope_rho + rho[:, None] * g[3]) / GAMMA
    slope = np.stack([np.tile(slope_rho, (len(x), 1)), *np.tile(g[:3, None], (1, len(x), 1)),
                      slope_p], 1)  # fmt: skip
    mu, mu_t = 0.7, 1.9

    found = viscous_fluxes(case, scheme, np.column_stack([rho, v, p]), slope, mu, mu_t)

    S, (i, j) = case.backend.get(case.grid.S), case.grid.lr.T
    force = S @ stress(g[:3], mu + mu_t)
    heat = -S @ g[3] * (mu / PR + mu_t / PR_T) / (GAMMA - 1)
    work = (0.5 * (v[i] + v[j]) * force).sum(1) - heat
    expected = -np.column_stack([np.zeros(len(S)), force, work])
    size = np.abs(force).max()
    assert np.abs(found[:, 0]).max() == 0
    assert np.abs(found - expected)[:, 1:4].max() <= 1e-12 * size
    assert np.abs(found - expected)[:, 4].max() <= 1e-12 * np.abs(work).max()
    # no force on a volume inside, as S adds up to zero about it
    inside = np.setdiff1d(np.arange(len(x)), case.grid.patches["far"].node)
    assert np.abs(summed(case, found)[inside, 1:4]).max() <= 1e-12 * size


@on_devices
@pytest.mark.parametrize("kind", ["tetrahedra", "prisms", "hexahedra"])
def test_the_force_of_a_velocity_of_second_degree_is_exact_in_regular_cells(kind, device):
    """mu (lap v + grad div v / 3) V; a lattice has its own image about the middle of any edge."""
    case = gas(kind, across=5, jitter=0.0, device=device)
    x, rng, mu = case.grid.points, np.random.default_rng(7), 0.7
    a = rng.uniform(-0.3, 0.3, (3, 3, 3))
    a += a.swapaxes(1, 2)  # v_k = a_klm x_l x_m / 2
    v = 0.5 * np.einsum("klm,nl,nm->nk", a, x, x)
    q = np.column_stack([np.ones(len(x)), v, np.full(len(x), 1 / GAMMA)])
    case.initialise(q)
    case.start_steady()
    for call in case.terms["gradients"].residual():
        call()
    slope = case.backend.get(case.fields["slope"])

    net = summed(case, viscous_fluxes(case, "roe", q, slope, mu, 0.0))

    force = mu * (np.einsum("kll->k", a) + np.einsum("llk->k", a) / 3)
    inside = np.abs(x - 0.5).max(axis=1) < 0.5 - 1.5 / 5  # whose neighbours see both their sides
    V = case.backend.get(case.grid.V)
    assert inside.sum() == 8
    assert np.abs(net[inside, 1:4] + V[inside, None] * force).max() <= 1e-13 * np.abs(force).max()


@on_devices
@on_cells
def test_the_coefficient_of_the_matrix_is_that_of_the_theory(kind, device):
    """Eq. 9.3 and 9.5, from positions alone, with weights |d|^-2 among tetrahedra too."""
    case = gas(kind, device=device)
    x, get = case.grid.points, case.backend.get
    S = get(case.grid.S)
    lr = case.grid.lr
    d = x[lr[:, 1]] - x[lr[:, 0]]
    length = np.linalg.norm(d, axis=1)
    M = np.zeros((len(x), 3, 3))
    square = d[:, :, None] * d[:, None] / (length**2)[:, None, None]
    for end in lr.T:
        np.add.at(M, end, square)
    rows = [np.linalg.solve(M[end], (d / (length**2)[:, None])[..., None])[..., 0]
            for end in lr.T]  # fmt: skip
    size = np.linalg.norm(S, axis=1)
    c = size**2 / np.maximum((d * S).sum(1), 0.5 * length * size)
    wide = sum(np.linalg.norm(row, axis=1) for row in rows)

    found = case.backend.get(case.fields["compact"])

    expected = c + 0.5 * np.linalg.norm(S - c[:, None] * d, axis=1) * wide
    assert found == pytest.approx(expected, rel=2e-6)  # it is kept in float32
    blunt = get(case.fields["blunt"])  # of what fluxes reconstruct
    assert blunt.any() == (kind in ("tetrahedra", "mixed"))


def pairs(seed):
    """States at both ends of 20 separate faces, S, c of the matrix, viscosities of nodes."""
    rng = np.random.default_rng(seed)
    low, high = (0.5, -1.2, -0.8, -0.6, 0.4), (1.5, 1.2, 0.8, 0.9, 1.2)
    q = rng.uniform(low, high, (20, 2, 5))
    c = rng.uniform(0.5, 2.0, 20).astype(np.float32).astype(float)
    return q, rng.uniform(-1, 1, (20, 3)), c, rng.uniform(0.5, 2.0, (20, 2, 2))


def matrix(backend, kernel, q, S, c, mu):
    """Diagonal and other block of the rows of all nodes, (20, 2, 2, 5, 5)."""
    edges = len(S)
    nodes, at = 2 * edges, np.arange(2 * edges)
    viscous = {"compact": c, "mu": mu.reshape(-1, 2), "conduct": 1 / PR, "conduct_eddy": 1 / PR_T}
    found = direct(
        backend, f"{kernel}_3d", row_of=at, member=0 * at, active=[1], diagonal=2 * at,
        slot=2 * at + 1, offsets=np.arange(nodes + 1), neighbour=at ^ 1, edge=at // 2, S=S,
        w=np.zeros(edges), q=q.reshape(-1, 5), jacobian_fix=[0.1], low_mach=[[1.0, 1.0]],
        V=np.ones(nodes), bdf=[[0.0, 0.0, 0.0]], cfl=[1e30], pace=np.ones(nodes),
        res=np.zeros((nodes, 5)), A=np.zeros((2 * nodes, 25)), rhs=np.zeros((nodes, 5)),
        **(viscous if kernel.endswith("viscous") else {}),
    )["A"].reshape(edges, 2, 2, 5, 5)  # fmt: skip
    return found.swapaxes(-1, -2)  # blocks are kept by columns


def compact_flux(ql, qr, v, S, c, mu):
    """Flux of the compact part of eq. 9.2 from left to right, v the velocity of its work."""
    n, (m, m_t) = S / np.linalg.norm(S), mu
    jump = qr[1:4] - ql[1:4]
    force = (m + m_t) * c * (jump + (jump @ n) * n / 3)
    e = [q[4] / q[0] / (GAMMA - 1) for q in (ql, qr)]
    heat = GAMMA * (m / PR + m_t / PR_T) * c * (e[1] - e[0])
    return -np.array([0.0, *force, force @ v + heat])


def test_the_viscous_matrix_is_the_derivative_of_the_compact_flux(double):
    """By central differences, the velocity of the work frozen."""
    q, S, c, mu = pairs(11)
    there = matrix(double, "ale_jacobian_viscous", q, S, c, mu)
    found = there - matrix(double, "ale_jacobian", q, S, c, mu)

    step = 1e-6
    for e in range(len(S)):
        mean, v = mu[e].mean(0), q[e, :, 1:4].mean(0)
        for a in (0, 1):  # the row of this end: what leaves it by its own state, and by the other's
            own, other, out = q[e, a], q[e, 1 - a], S[e] * (1 - 2 * a)
            for block, changed in ((0, own), (1, other)):
                columns = []
                for k in range(5):
                    ends = []
                    for sign in (1, -1):
                        now = primitive(conserved(changed) + sign * step * np.eye(5)[k])
                        pair = (now, other) if block == 0 else (own, now)
                        ends.append(compact_flux(*pair, v, out, c[e], mean))
                    columns.append((ends[0] - ends[1]) / (2 * step))
                expected = np.stack(columns, -1)
                assert np.abs(found[e, a, block] - expected).max() <= 1e-6 * np.abs(expected).max()
