"""Bounds of what gradients ask for at faces, with limiters and without (docs/theory.md, 2.2)."""

import kinemesh as km
import numpy as np
import pytest
from samples import bound
from test_exact_flux import low_mach, setup

SIZE = {2: 4, 3: 5}


def cases():
    wing = km.mesh.oneram6(nodes=10_000, cells="prisms")
    section = km.mesh.airfoil("naca0012", nodes=1500, cells="triangles", wall_spacing=1e-3)
    for limiter in ("none", "wang", "venkatakrishnan"):
        chosen = km.AleSettings(limiter=limiter)
        yield f"plane {limiter}", lambda c=chosen: km.Ale(section, mach=0.5, settings=c)
        yield (
            f"space {limiter}",
            lambda c=chosen: km.Ale(wing, mach=0.5, reference_area=1.16, settings=c),
        )
    yield "layers", lambda: km.Ale(
        km.mesh.airfoil("naca0012", nodes=6000, topology="c", cells="quads", heights="even",
                        wall_spacing=1e-4),
        mach=0.5, reynolds=1e6, turbulence="sa", settings=km.AleSettings(limiter="none"),
    )  # fmt: skip
    for smooth in (False, True):
        chosen = km.MeshlessSettings(limiter="none", smooth_gradients=smooth)
        yield (
            f"cloud {smooth}",
            lambda c=chosen: km.Meshless(
                km.cloud.airfoil("naca0012", points=1500), mach=0.5, settings=c
            ),
        )


CASES = dict(cases())


def asked(case):
    """(pairs, 2) changes of density and pressure midway to each neighbour; those to neighbours."""
    get, f = case.backend.get, case.fields
    q, x, offsets = get(case.q), get(f["x"]), get(f["offsets"])
    near, own = get(f["neighbour"]), np.repeat(np.arange(len(x)), np.diff(offsets))
    grad = get(f["grad"]).reshape(*q.shape, x.shape[1])[own]
    half = 0.5 * np.einsum("ikd,id->ik", grad, x[near] - x[own])
    return own, half[:, [0, -1]], (q[near] - q[own])[:, [0, -1]]


def rough(case):
    rng = np.random.default_rng(3)
    q = rng.uniform(0.5, 1.5, (case.grid.nodes, SIZE[case.grid.dimensions]))
    case.initialise(q)
    for call in case.terms["gradients"].residual():
        call()


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_no_gradient_leaves_its_neighbours_range_by_more_than_that_range(name):
    case = CASES[name]()
    rough(case)
    own, half, change = asked(case)
    low, high = np.zeros((2, case.grid.nodes, 2))
    np.minimum.at(low, own, change), np.maximum.at(high, own, change)
    room = (high - low)[own]

    assert (half <= high[own] + room * (1 + 1e-12)).all()
    assert (half >= low[own] - room * (1 + 1e-12)).all()


@pytest.mark.parametrize("gradient", ["nodes", "plain", "least-squares"])
@pytest.mark.parametrize("limiter", ["none", "wang"])
def test_no_gradient_of_a_cell_leaves_the_range_about_it_by_more_than_that_range(gradient, limiter):
    mesh = km.mesh.airfoil("naca0012", nodes=1500, cells="triangles", wall_spacing=1e-3)
    settings = km.CellSettings(limiter=limiter, gradient=gradient)
    case = km.CellCentred(mesh, mach=0.5, settings=settings)
    rough(case)
    get, f = case.backend.get, case.fields
    x, xf, lr = get(f["x"]), get(f["xf"]), get(f["lr"])
    grad = get(f["grad"]).reshape(-1, 4, 2)
    for side in (0, 1):
        cell = lr[:, side]
        half = np.einsum("ikd,id->ik", grad[cell], xf - x[cell])[:, [0, -1]]
        assert np.abs(half).max() < 2.0  # of values from 0.5 to 1.5, and corners' between


@pytest.mark.parametrize("scheme", ["ale_flux_roe", "ale_flux_hllc"])
@pytest.mark.parametrize("variable", [0, 3])
def test_the_flux_has_no_jump_where_a_gradient_asks_for_a_negative_pressure(
    backend, scheme, variable
):
    """A state at the face of 0.4 to -3 times the node's, in steps of a thousandth."""
    ratio = np.linspace(0.4, -3.0, 3401)
    rng = np.random.default_rng(2)
    left, right = rng.uniform((0.8, -0.3, -0.3, 0.6), (1.2, 0.3, 0.3, 0.9), (2, 4))
    count = len(ratio)
    s, w = np.tile([0.6, 0.8], (count, 1)), np.zeros(count)
    fields = setup(backend, np.tile(left, (count, 1)), np.tile(right, (count, 1)), s, w)
    x = np.arange(2 * count)[:, None] * [0.5, 0.0]
    grad = np.zeros((2 * count, 8))
    grad[::2, 2 * variable] = (ratio - 1) * left[variable] / 0.25  # midway is 0.25 off
    out, lowered = backend.zeros((count, 4)), backend.zeros(count, "int32")
    fields |= {
        "x": backend.array(x, "float64"), "grad": backend.array(grad, "real"),
        "entropy_fix": 0.05, "low_mach": low_mach(backend, 1.0),
    }  # fmt: skip
    bound(backend, scheme, flux=out, lowered=lowered, **fields)()
    found = backend.get(out).astype(float)

    assert np.isfinite(found).all()
    assert np.abs(np.diff(found, axis=0)).max() < 0.005 * np.abs(found).max()
    assert (backend.get(lowered) == (ratio <= 0)).all()
    # the state that is left: 0.1 + 0.01 / (0.3 - ratio) of the node's below a fifth (eq. 2.4e)
    kept = np.where(ratio < 0.2, 0.1 + 0.01 / (0.3 - np.minimum(ratio, 0.2)), ratio)
    states = np.tile([left, right], (count, 1))
    states[::2, variable] *= kept
    fields |= {"q": backend.array(states, "real"), "grad": backend.zeros(grad.shape)}
    bound(backend, scheme, flux=out, lowered=lowered, **fields)()
    np.testing.assert_allclose(backend.get(out), found, rtol=0, atol=64 * backend.eps)
