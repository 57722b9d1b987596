"""Spalart and Allmaras' equation against their formulae, written anew here.

P. R. Spalart, S. R. Allmaras: A one-equation turbulence model for aerodynamic flows, AIAA paper
92-0439 (1992); S. R. Allmaras, F. T. Johnson, P. R. Spalart: Modifications and clarifications for
the implementation of the Spalart-Allmaras turbulence model, ICCFD7-1902 (2012).
"""

import numpy as np
import pytest
from samples import direct
from viscous_cases import gas, thin

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning"),  # shaken
]

KAPPA, SIGMA, CB1, CB2 = 0.41, 2 / 3, 0.1355, 0.622
CW1, CW2, CW3, CV1, CT3 = CB1 / KAPPA**2 + (1 + CB2) / SIGMA, 0.3, 2.0, 7.1, 1.2
C2, C3, CN1 = 0.7, 0.9, 16.0


def fv1(nt, nu):
    chi = nt / nu
    return chi**3 / (chi**3 + CV1**3)


def diffusivity(nt, nu):
    """nu + nu~, of a negative nu~ nu + nu~ fn."""
    cube = (nt / nu) ** 3
    return nu + np.where(nt < 0, nt * (CN1 + cube) / (CN1 - cube), nt)


def source(nt, nu, omega, d):
    """P - D of one place, and the branches that it took; analytic in nt within each."""
    if nt.real < 0:
        return CB1 * (1 - CT3) * omega * nt + CW1 * (nt / d) ** 2, {"negative"}
    chi = nt / nu
    fv2 = 1 - chi / (1 + chi * fv1(nt, nu))
    bar = nt / (KAPPA * d) ** 2 * fv2
    if bar.real >= -C2 * omega:
        tilde, took = omega + bar, {"plain"}
    else:
        tilde = omega + omega * (C2**2 * omega + C3 * bar) / ((C3 - 2 * C2) * omega - bar)
        took = {"limited"}
    r = nt / (tilde * KAPPA**2 * d**2)
    if r.real > 10:
        r, took = 10.0 + 0j, took | {"r"}
    g = r + CW2 * (r**6 - r)
    fw = g * ((1 + CW3**6) / (g**6 + CW3**6)) ** (1 / 6)
    return CB1 * tilde * nt - CW1 * fw * (nt / d) ** 2, took


def places(count=4000):
    """nu~, nu, Omega, d over some decades, a fifth of the nu~ negative; branches that they take."""
    rng = np.random.default_rng(2)
    nt, nu, d = 10 ** rng.uniform(-7, -3, count), 10 ** rng.uniform(-6, -4, count), None
    d = 10 ** rng.uniform(-4, 0, count)
    omega = 10 ** rng.uniform(-2, 4, count)
    nt[::5] *= -1
    exact = [
        source(complex(a, 1e-200), b, c, e) for a, b, c, e in zip(nt, nu, omega, d, strict=True)
    ]
    value, slope = (np.array([getattr(s, part) for s, _ in exact]) for part in ("real", "imag"))
    return (nt, nu, omega, d), value, slope / 1e-200, [took for _, took in exact]


def rows(backend, nt, nu, omega, d, rho=1.25, **changes):
    """Residual and diagonal of a place each, between which nothing passes; V = 2, rho = 1.25."""
    count = len(nt)
    at, edges = np.arange(count), count // 2
    slope = np.zeros((count, 8))
    slope[:, 4] = omega  # dv/dx
    given = {
        "row_of": at, "member": 0 * at, "active": [1], "diagonal": 2 * at, "slot": 2 * at + 1,
        "x": np.column_stack([at, 0 * at]), "offsets": np.arange(count + 1), "neighbour": at ^ 1,
        "edge": at // 2, "S": np.zeros((edges, 2)), "flux": np.zeros((edges, 4)),
        "compact": np.zeros(edges), "jump": np.zeros(edges),
        "eta": np.zeros(count), "q": np.tile([rho, 0.3, 0.1, 0.7], (count, 1)),
        "mu": np.column_stack([rho * nu, 0 * nu]), "nt": nt, "slope_nt": np.zeros((count, 2)),
        "A": np.zeros((2 * count, 1)), "V": np.full(count, 2.0), "slope": slope,
        "nt1": np.zeros(count), "nt2": np.zeros(count), "distance": d, "bdf": [[0.0, 0.0, 0.0]],
        "cfl": [1e30], "res_nt": np.zeros(count), "size_nt": np.zeros(count),
        "rhs_nt": np.zeros((count, 1)), "faults": [2**64 - 1],
    }  # fmt: skip
    found = direct(backend, "eddy_rows", **given | changes)
    return found["res_nt"], found["A"][::2, 0], found


def test_production_and_destruction_are_those_of_the_papers(double):
    there, value, _, took = places()
    for branch in ("negative", "plain", "limited", "r"):
        assert sum(branch in own for own in took) > 100, branch

    gain = -rows(double, *there)[0] / (1.25 * 2.0)

    # P and D cancel: of the larger
    nt, _, _, d = there
    size = np.maximum(np.abs(value), 1e-3 * CW1 * (nt / d) ** 2)
    assert np.abs((gain - value) / size).max() <= 1e-11


def test_the_diagonal_has_the_derivative_of_the_source_where_it_is_negative(double):
    """Exact ones by the complex step; the matrix is kept in float32."""
    there, _, slope, took = places()

    diagonal = rows(double, *there)[1] / (1.25 * 2.0)

    for branch in ("negative", "plain", "limited", "r"):
        own = np.array([branch in these for these in took])
        assert (slope[own] < 0).sum() > 50, branch
        assert diagonal[own] == pytest.approx(np.maximum(-slope[own], 0), rel=1e-6, abs=0), branch


def test_the_derivative_is_that_of_the_kernels_own_source_by_differences(double):
    there, *_ = places()
    nt, *rest = there
    step = 1e-6 * np.abs(nt)

    up, down = (rows(double, nt + sign * step, *rest)[0] for sign in (1, -1))
    diagonal = rows(double, *there)[1]

    change = (up - down) / (2 * step)
    near = 1e-3 * 2.5 * np.abs(nt) / rest[2] ** 2  # where P' and D' cancel, differences round
    smooth = np.array([source(complex(a), *o)[1] == source(complex(b), *o)[1] for a, b, *o in
                       zip(nt - step, nt + step, *rest, strict=True)])  # fmt: skip
    off = np.abs(diagonal - np.maximum(change, 0)) / np.maximum(np.abs(change), near)
    assert smooth.mean() > 0.99
    assert off[smooth].max() <= 1e-6


def test_time_terms_take_the_levels_of_nu_tilde(double):
    """rho V (c0 nt + c1 nt1 + c2 nt2): where nothing else is, of a parabola its slope."""
    dt, count = 0.1, 6
    a, b = np.random.default_rng(4).uniform(0.5, 1.5, (2, count))
    t = np.array([0.0, -dt, -2 * dt])
    nt, nt1, nt2 = (1 + a * s + b * s**2 for s in t)
    bdf = [[1.5 / dt, -2 / dt, 0.5 / dt]]
    still = {"nt1": nt1, "nt2": nt2, "bdf": bdf}

    found, diagonal, _ = rows(
        double, nt, np.ones(count), np.zeros(count), np.full(count, np.inf), **still
    )

    assert found == pytest.approx(2.5 * a, rel=1e-12)
    assert diagonal == pytest.approx(2.5 * 1.5 / dt, rel=1e-6)


def test_viscosity_of_eddies_and_of_molecules(backend):
    """Sutherland's law, and rho nu~ fv1; none of a negative nu~."""
    count, law, mu_inf = 200, 110.4 / 288.15, 2e-3
    rng = np.random.default_rng(6)
    rho, T = rng.uniform(0.5, 1.5, (2, count)).astype(np.float32).astype(float)
    nt = (mu_inf * rng.uniform(-3, 20, count)).astype(np.float32).astype(float)
    q = np.column_stack([rho, 0.1 + 0 * rho, 0.2 + 0 * rho, rho * T / 1.4])

    mu = direct(backend, "gas_viscosity", member=np.zeros(count), active=[1], q=q, nt=nt,
                mu_stream=[mu_inf], law=law, mu=np.zeros((count, 2)))["mu"]  # fmt: skip

    laminar = mu_inf * T**1.5 * (1 + law) / (T + law)
    eddies = np.where(nt > 0, rho * nt * fv1(nt, laminar / rho), 0)
    assert mu[:, 0] == pytest.approx(laminar, rel=16 * backend.eps)
    assert mu[:, 1] == pytest.approx(eddies, rel=64 * backend.eps, abs=0)
    assert (nt < 0).any()


# ---------------------------------------------------------------- between nodes


def test_gradients_of_nu_tilde_are_exact_and_its_diffusivity_is_that_of_its_sign(double):
    case = gas(thin("mixed", aspect=100.0, jitter=0.3))
    x, get = case.grid.points, case.backend.get
    nt = 0.2 + 0.7 * x[:, 0] - 1.3 * x[:, 1]
    nt -= np.median(nt)
    tables = {name: get(case.fields[name]) for name in ("offsets", "neighbour", "whole")}
    rho, mu = np.full(len(x), 1.25), np.full(len(x), 0.05)
    q = np.column_stack([rho, 0 * rho, 0 * rho, rho])

    found = direct(double, "eddy_gradient", member=np.zeros(len(x)), active=[1], x=x, **tables,
                   q=q, mu=np.column_stack([mu, 0 * mu]), nt=nt, eta=0 * nt,
                   slope_nt=np.zeros((len(x), 2)))  # fmt: skip

    assert found["slope_nt"] == pytest.approx(np.tile([0.7, -1.3], (len(x), 1)), abs=1e-11)
    assert found["eta"] == pytest.approx(diffusivity(nt, 0.04), rel=1e-13)
    assert (nt < 0).any()
    assert (nt > 0).any()


def of_mesh(case, nt, mu, mass, d, slope_nt, slope):
    """Residual of nu~ on a mesh, of what passes and what is made there."""
    b, get, terms = case.backend, case.backend.get, case.fields
    x = case.grid.points
    flux = np.zeros((case.grid.edges, 4))
    flux[:, 0] = mass
    tables = {name: get(terms[name]) for name in ("offsets", "neighbour", "edge")}
    entries, at = len(tables["edge"]), np.arange(len(x))
    return direct(
        b, "eddy_rows", row_of=at, member=0 * at, active=[1], diagonal=at,
        slot=len(x) + np.arange(entries), x=x, **tables, S=get(case.grid.S), flux=flux,
        compact=get(terms["compact"]), jump=get(terms["jump"]), eta=diffusivity(nt, mu),
        q=np.tile([1.0, 0.0, 0.0, 1 / 1.4], (len(x), 1)),
        mu=np.column_stack([mu + 0 * nt, 0 * nt]), nt=nt, slope_nt=slope_nt,
        A=np.zeros((len(x) + entries, 1)), V=get(case.grid.V), slope=slope, nt1=0 * nt, nt2=0 * nt,
        distance=d, bdf=[[0.0, 0.0, 0.0]], cfl=[1e30], res_nt=0 * nt, size_nt=0 * nt,
        rhs_nt=np.zeros((len(x), 1)), faults=[2**64 - 1],
    )  # fmt: skip


def inside(case):
    return np.setdiff1d(np.arange(case.grid.nodes), case.grid.patches["far"].node)


@pytest.mark.parametrize("aspect", [1.0, 100.0])
def test_in_the_layer_of_the_logarithm_everything_cancels(aspect):
    """nu~ = kappa u_tau d, Omega = u_tau / (kappa d), nu -> 0: P - D + diffusion = 0.

    On triangles, whose duals sum a linear diffusivity exactly; chi is 1e15 and more.
    """
    case = gas(thin("triangles", aspect=aspect, jitter=0.2))
    x, u_tau = case.grid.points, 0.7
    d = x[:, 1] + 0.5 / aspect
    nt, slope_nt = KAPPA * u_tau * d, np.tile([0.0, KAPPA * u_tau], (len(x), 1))
    slope = np.zeros((len(x), 8))
    slope[:, 3] = u_tau / (KAPPA * d)  # du/dy

    res = of_mesh(case, nt, 1e-18, 0.0, d, slope_nt, slope)["res_nt"]

    own = inside(case)
    made = case.backend.get(case.grid.V) * CB1 * u_tau**2
    assert np.abs(res / made)[own].max() <= 1e-12


def test_convection_is_upwind_and_keeps_a_uniform_nu_tilde():
    case = gas(thin("mixed", aspect=1.0, jitter=0.2))
    count, far = case.grid.nodes, np.full(case.grid.nodes, np.inf)
    rng, zero = np.random.default_rng(8), np.zeros
    mass, nt = rng.uniform(-1, 1, case.grid.edges), rng.uniform(0.5, 1.5, count)
    made = zero((count, 2)), zero((count, 8))

    still = of_mesh(case, np.full(count, 0.8), 1e-30, mass, far, *made)["res_nt"]
    found = of_mesh(case, nt * 1e-20, 1e-30, mass, far, *made)["res_nt"] / 1e-20

    i, j = case.grid.dual.lr.T
    expected = zero(count)
    np.add.at(expected, i, np.minimum(mass, 0) * (nt[j] - nt[i]))
    np.add.at(expected, j, np.minimum(-mass, 0) * (nt[i] - nt[j]))
    assert np.abs(still).max() == 0
    assert np.abs(found - expected).max() <= 1e-14


def test_the_matrix_bounds_its_rows():
    """No neighbour above the diagonal, no positive one: what makes sweeps converge."""
    case = gas(thin("mixed", aspect=100.0, jitter=0.3))
    count = case.grid.nodes
    rng = np.random.default_rng(9)
    nt, far = rng.uniform(-0.2, 1.5, count), np.full(count, np.inf)
    mass = rng.uniform(-1, 1, case.grid.edges)

    found = of_mesh(case, nt, 0.1, mass, far, np.zeros((count, 2)), np.zeros((count, 8)))["A"][:, 0]

    starts = case.backend.get(case.fields["offsets"])
    away = np.add.reduceat(found[count:], starts[:-1])
    assert (found[count:] <= 0).all()
    assert (found[:count] + away >= -1e-5 * found[:count]).all()
