"""Terms of a viscous gas on cells against closed forms (docs/theory.md, 9.7)."""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA, conserved, primitive
from kinemesh.flow.terms.gradients import CELL_GRADIENTS
from samples import direct
from solver_cases import on_devices
from viscous_cases import PR, heat_flux, linear, on_thin_meshes, slopes_error, stress, thin

pytestmark = pytest.mark.flow
LAW = 110.4 / 288.15
MU = 0.7


def cells(kind, aspect, device, gradient="nodes", walls=True, **told):
    """A gas in a box, whose rim is a wall or the far field."""
    told = {"mach": 0.5, "reynolds": 50.0} | told
    return km.CellCentred(
        thin(kind, aspect=aspect), walls=["rim"] if walls else [], far=[] if walls else ["rim"],
        device=device, chord=1.0, settings=km.CellSettings(limiter="none", gradient=gradient),
        **told,
    )  # fmt: skip


@pytest.mark.long
@on_devices
@on_thin_meshes
@pytest.mark.parametrize("gradient", CELL_GRADIENTS)
def test_gradients_of_stresses_are_exact_for_linear_fields(kind, aspect, gradient, device):
    """Whatever way limited gradients are made by."""
    case = cells(kind, aspect, device, gradient)
    assert slopes_error(case, aspect) <= 1e-11 * 0.3


def reached(case, patch):
    """Places where the ways from cells to a wall end, which run within 60 degrees of its normal."""
    get, x = case.backend.get, case.grid.points[patch.node]
    S, d = get(patch.device["S"]), get(patch.device["xf"]) - x
    normal = S / np.linalg.norm(S, axis=1)[:, None]
    across = (d * normal).sum(1)
    along = np.linalg.norm(d - across[:, None] * normal, axis=1)
    share = (np.tan(np.pi / 3) * across / np.maximum(along, np.tan(np.pi / 3) * across))[:, None]
    return x + share * d + (1 - share) * across[:, None] * normal


def given(case, aspect, warm=None):
    """Fields of a linear flow of pressure 1 at the cells, and at the walls velocities of it.

    The viscosity at the walls is MU: that of the cells, or of the temperature `warm` by the law.
    """
    b, x = case.backend, case.grid.points
    v, T, g = linear(x, aspect)
    rho = GAMMA / T
    slope_rho = -(rho / T)[:, None] * g[2]
    slope = np.stack([slope_rho, *np.tile(g[:2, None], (1, len(x), 1)), 0 * slope_rho], 1)
    wall = case.grid.wall
    middles = reached(case, wall)
    b.put(wall.device["velocity"], linear(middles, aspect)[0])
    fields = {
        "q": b.array(np.column_stack([rho, v, 1 + 0 * T]), "real"),
        "slope": b.array(slope.reshape(-1, 8), "real"),
        "grad": b.zeros((len(x), 8)),
        # of eddies none at a wall
        "mu": b.array(np.tile([MU if warm is None else 3 * MU, 5.0], (len(x), 1)), "float64"),
    }
    law = 1.0 if warm is None else (warm**1.5 * (1 + LAW) / (warm + LAW))
    fields["mu_stream"] = b.array([MU / law], "float64")
    return fields, middles, g


@on_devices
@on_thin_meshes
@pytest.mark.parametrize("wall", ["adiabatic", 1.3])
def test_force_and_heat_on_walls_of_a_linear_flow_are_exact(kind, aspect, wall, device):
    """Heat into walls of given temperature has the jump to it along S."""
    case = cells(kind, aspect, device, viscosity=km.Viscosity(wall=wall))
    get, own = case.backend.get, case.grid.wall
    warm = None if wall == "adiabatic" else wall
    fields, middles, g = given(case, aspect, warm)
    fields = case.terms["stick"].at(own).also(**fields)

    fields.bind("wall_stress")()

    S = get(own.device["S"])
    tau = stress(g[None, :2], MU)[0]
    expected = S - S @ tau
    assert np.abs(get(own.device["reaction"]) - expected).max() <= 1e-12 * np.abs(S @ tau).max()
    heat = get(own.device["heat"])
    if warm is None:
        assert not heat.any()
        return
    # T of the flow at the wall is not the wall's: what is left over is along S
    d = middles - case.grid.points[own.node]
    c = (S**2).sum(1) / np.maximum((d * S).sum(1), 0.5 * np.hypot(*d.T) * np.hypot(*S.T))
    more = warm - linear(middles, aspect)[1]
    flux = S @ heat_flux(g[2:], MU)[0] - MU / PR / (GAMMA - 1) * c * more
    assert np.abs(heat - flux).max() <= 1e-11 * np.abs(flux).max()


@on_devices
@on_thin_meshes
def test_what_passes_walls_is_what_their_cells_lose(kind, aspect, device):
    """Momentum by the force, energy by its work and the heat, mass not at all; at corners twice."""
    case = cells(kind, aspect, device, viscosity=km.Viscosity(wall=1.3))
    b, get, own = case.backend, case.backend.get, case.grid.wall
    fields, _, _ = given(case, aspect, 1.3)
    term = case.terms["stick"]
    res = b.zeros((case.grid.nodes, 4))
    term.at(own).also(**fields).bind("wall_stress")()
    for patch in term.faces:
        b.put(patch.device["velocity"], linear(reached(case, patch), aspect)[0])
        for over in patch.layers:
            term.at(patch).also(**fields, res=res).bind("bc_stick", over)()

    force, heat, velocity, S, w = (
        get(own.device[name]) for name in ("reaction", "heat", "velocity", "S", "w")
    )
    through = np.zeros((case.grid.nodes, 4))
    work = ((force - S) * velocity).sum(1) + w  # of p S by the swept rate, the pressure is 1
    np.add.at(through, own.node, np.column_stack([0 * heat, force, work + heat]))
    assert np.bincount(own.node).max() == 2
    assert np.abs(get(res) - through).max() <= 1e-13 * np.abs(through).max()


@pytest.mark.parametrize("wall", [0.0, 1.3])
def test_the_matrix_of_walls_is_the_derivative_of_the_compact_flux(double, wall):
    """By central differences: of p S, and of stress, work and heat along S."""
    rng, count = np.random.default_rng(3), 20
    q = rng.uniform((0.5, -1.2, -0.8, 0.4), (1.5, 1.2, 0.8, 1.2), (count, 4))
    S, v, w = rng.uniform(-1, 1, (count, 2)), rng.uniform(-1, 1, (count, 2)), rng.uniform(-1, 1, 20)
    c = rng.uniform(0.5, 2.0, count).astype(np.float32).astype(float)
    mu = rng.uniform(0.5, 2.0, (count, 2))
    at = np.arange(count)
    found = direct(
        double, "bc_stick_jacobian", node=at, member=0 * at, active=[1], S=S, w=w, q=q, velocity=v,
        wall_temperature=wall, mu=mu, mu_stream=[0.8], law=LAW, conduct=1 / PR, compact=c, slot=at,
        A=np.zeros((count, 16)),
    )["A"].reshape(count, 4, 4).swapaxes(1, 2)  # fmt: skip
    n = S / np.hypot(*S.T)[:, None]
    m = mu[:, 0] if not wall else np.full(count, 0.8 * wall**1.5 * (1 + LAW) / (wall + LAW))

    def flux(state, k):
        jump = v[k] - state[1:3]
        force = m[k] * c[k] * (jump + (jump @ n[k]) * n[k] / 3)
        p = state[3]
        heat = m[k] / PR * c[k] * (wall - GAMMA * p / state[0]) / (GAMMA - 1) if wall else 0.0
        return np.array([0, *(p * S[k] - force), p * w[k] - force @ v[k] - heat])

    for k in range(count):
        u, step = conserved(q[k]), 1e-6
        ends = [
            [flux(primitive(u + sign * step * way), k) for way in np.eye(4)] for sign in (1, -1)
        ]
        expected = (np.array(ends[0]) - ends[1]).T / (2 * step)
        assert np.abs(found[k] - expected).max() <= 1e-6 * np.abs(expected).max()


@on_devices
@on_thin_meshes
def test_what_nu_tilde_passes_walls_is_exact_for_a_linear_one(kind, aspect, device):
    """eq. 9.9, of eddies few enough that the diffusivity at the wall is above zero."""
    case = cells(kind, aspect, device, turbulence="sa")
    b, get, own = case.backend, case.backend.get, case.grid.wall
    fields, middles, _ = given(case, aspect)
    slope = np.array([0.1, 0.2 * aspect])
    x, nu = case.grid.points, MU / get(fields["q"])[:, 0]
    nt = 0.1 + x @ slope
    eta = nu + 0.05 * nt
    res = b.zeros(case.grid.nodes)
    more = {
        "nt": b.array(nt, "real"), "eta": b.array(eta, "real"), "res_nt": res,
        "slope_nt": b.array(np.tile(slope, (len(x), 1)), "real"),
    }  # fmt: skip
    (patch,) = case.terms["stick"].faces
    for over in patch.layers:
        own_fields = case.terms["turbulence"].own.also(**patch.device, **{**fields, **more})
        own_fields.bind("eddy_wall_residual", over)()

    S, cell = get(own.device["S"]), own.node
    d = middles - x[cell]
    c = (S**2).sum(1) / np.maximum((d * S).sum(1), 0.5 * np.hypot(*d.T) * np.hypot(*S.T))
    gradient = S @ slope + c * (0 - (0.1 + middles @ slope))  # the wall's value is 0
    weight = get(fields["q"])[cell, 0] * 1.5 * (1.622 * nu[cell] - 0.622 * eta[cell])
    expected = np.zeros(len(x))
    np.add.at(expected, cell, -weight * gradient)
    assert np.abs(get(res) - expected).max() <= 1e-12 * np.abs(expected).max()
