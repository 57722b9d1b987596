"""Mass, momentum and energy change through the boundaries alone, to round-off.

What one node of an edge gains by the edge's flux, the other loses.  So without the boundaries the
residuals of a member, less their time terms, sum to nothing, whatever the state, the mesh and the
motion; with the boundaries they sum to what the boundaries added.
"""

from functools import cache
from itertools import pairwise
from math import fsum

import kinemesh as km
import numpy as np
import pytest
from exact_gas import conserved
from placements import along
from solver_cases import IN_PLANE, Ellipse, bodies, outline

DT = 0.3
PITCH, PLUNGE = km.motion.pitch(4.0, 0.5), km.motion.plunge(0.05, 0.5)
MOTIONS = {"rest": None, "pitch": PITCH, "plunge": PLUNGE, "both": PITCH + PLUNGE}
DEFORMATIONS = {
    **IN_PLANE,
    "delaunay-anew": lambda: km.deform.Delaunay(retriangulate=True),
}


def rings(share, around=32, layers=8):
    """O-mesh about an ellipse: a `share` of the cells whole, the others cut into two triangles."""
    t = 2 * np.pi * np.arange(around) / around
    size = np.geomspace(1, 14, layers + 1)[:, None]
    x, y = 0.5 + 0.5 * size * np.cos(t), (0.15 + 0.5 * (size - 1)) * np.sin(t)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(around), np.arange(layers)))
    a, b = i + around * j, (i + 1) % around + around * j
    whole = np.stack([a, a + around, b + around, b], axis=1)
    left = np.random.default_rng(4).random(len(whole)) < share
    none = np.full((~left).sum(), -1)
    p, q, r, s = whole[~left].T
    halves = [np.stack([p, q, r, none], axis=1), np.stack([p, r, s, none], axis=1)]
    cells = np.concatenate([whole[left], *halves])
    edges = outline(cells)
    at_wall = (edges < around).all(axis=1)
    markers = {"airfoil": edges[at_wall], "farfield": edges[~at_wall]}
    return km.mesh.Mesh.from_arrays(np.stack([x.ravel(), y.ravel()], axis=1), cells, markers)


def two_bodies():
    """Triangles about two ellipses, `main` and `flap`."""
    main, flap = Ellipse((0.0, 0.0), around=24), Ellipse((1.0, -0.2), (0.3, 0.1), 24)
    return bodies({"main": main, "flap": flap}, radius=4.0, layers=2)


MESHES = {
    "triangles": lambda: rings(0.0),
    "quadrilaterals": lambda: rings(1.0),
    "mixed": lambda: rings(0.5),
    "O-mesh": lambda: km.mesh.airfoil("naca0012", nodes=500, far_field=8),
    "C-mesh": lambda: km.mesh.airfoil("naca0012", nodes=1000, far_field=10, topology="c"),
    "several bodies": two_bodies,
}


made = cache(lambda kind: MESHES[kind]())


def random_states(rng, nodes):
    """(nodes, 4) rho, u, v, p, each node's own: as far from uniform as a gas can be."""
    return rng.uniform((0.5, -0.8, -0.8, 0.4), (1.5, 0.8, 0.8, 1.2), (nodes, 4))


def ensemble(backend, deform, flux):
    """Every mesh with every motion that the deformation can make, in one solver; their names."""
    kinds = [k for k in MESHES if (deform, k) != ("rigid", "several bodies")]
    names = [(kind, motion) for kind in kinds for motion in MOTIONS]
    moves = [MOTIONS[m] if k != "several bodies" else {"main": MOTIONS[m], "flap": PITCH}
             for k, m in names]  # fmt: skip
    ale = km.Ale([made(k) for k, _ in names], mach=0.5, alpha_deg=3.0, motion=moves,
                 deform=DEFORMATIONS[deform](), device=backend.device, dtype=backend.dtype,
                 settings=FLUXES[flux])  # fmt: skip
    return ale, names


def in_motion(ale):
    """Two steps of the motion, random states at each time level and now."""
    rng, dt = np.random.default_rng(5), np.full(ale.grid.members, DT)
    put, nodes = ale.backend.put, ale.grid.nodes
    for step in (1, 2):
        put(ale.u, conserved(random_states(rng, nodes)))
        ale.begin_step(dt, step)
        ale.place(along(lambda share, step=step: ale.bodies.poses((step - 1 + share) * dt), 1.0))
        ale.check_faults(f"step {step}")
    put(ale.u, conserved(random_states(rng, nodes)))


def less_time(ale):
    """Residuals less their time terms, and what their roundings can add up to, (nodes, 4) both.

    A node adds n fluxes, each rounded at most n times, and c V u + past, which is three roundings
    more: each is half an eps of the terms' magnitudes.
    """
    get, grid = ale.backend.get, ale.grid
    res, u, past, flux = (
        get(a).astype(float) for a in (ale.res, ale.u, ale.past, ale.terms["convection"].flux)
    )
    change = (get(grid.bdf)[grid.member, 0] * get(grid.V))[:, None] * u
    size, count = np.abs(change) + np.abs(past), np.zeros(grid.nodes)
    for end in grid.dual.lr.T:
        np.add.at(size, end, np.abs(flux))
        np.add.at(count, end, 1)
    return res - change - past, ale.backend.eps / 2 * (count + 3)[:, None] * size


def edge_member(ale):
    """(edges,) member of each edge."""
    return ale.grid.member[ale.grid.dual.lr[:, 0]]


def sums(ale, values):
    """(members, 4) exact sums of (nodes, 4) over each member's nodes."""
    first = ale.grid.first
    spans = [values[a:b] for a, b in pairwise(first)]
    return np.array([[fsum(column) for column in span.T] for span in spans])


def apart(names, left, allowed):
    """Remainders above the limit, by name of the member."""
    over = (np.abs(left) > allowed).any(axis=1)
    return {name: left[m].tolist() for m, name in enumerate(names) if over[m]}


FLUXES = {
    "roe": km.AleSettings(flux="roe"),
    "hllc": km.AleSettings(flux="hllc", limiter="none"),  # gradients ask for negative states
}


@pytest.mark.long
@pytest.mark.parametrize("flux", FLUXES)
@pytest.mark.parametrize("deform", DEFORMATIONS)
def test_what_edges_take_from_one_node_they_give_to_another(backend, deform, flux):
    ale, names = ensemble(backend, deform, flux)
    get = backend.get
    in_motion(ale)
    *inner, wall, far = ale.residual()

    for call in inner:
        call()
    rest, rounding = less_time(ale)
    inside = get(ale.res)
    wall(), far()
    whole, _ = less_time(ale)

    assert apart(names, sums(ale, rest), sums(ale, rounding)) == {}
    assert (sums(ale, np.abs(rest)) > 10).all()  # what cancels is not small
    check_boundaries(ale, names, inside, whole, rounding)
    assert get(ale.lowered).any() == (flux == "hllc")
    swept = np.bincount(edge_member(ale), get(ale.grid.w) != 0) / np.bincount(edge_member(ale))
    moves = np.array([motion != "rest" for _, motion in names])
    assert (swept[moves] > 0.5).all()


def test_a_flux_that_one_end_takes_a_millionth_larger_shows(double):
    ale, names = ensemble(double, "rigid", "roe")
    get = double.get
    in_motion(ale)
    *fluxes, residual, _, _ = ale.residual()
    for call in fluxes:
        call()
    _, edges = np.unique(edge_member(ale), return_index=True)
    edges += 40  # one of each member

    flux = get(ale.terms["convection"].flux)
    flux[edges] *= 1 + 1e-6
    residual()
    res = get(ale.res)
    double.put(ale.terms["convection"].flux, flux)
    residual()
    one_end = ale.grid.dual.lr[edges, 0]
    res[one_end] = get(ale.res)[one_end]
    double.put(ale.res, res)
    rest, rounding = less_time(ale)

    assert list(apart(names, sums(ale, rest), sums(ale, rounding))) == names


def check_boundaries(ale, names, inside, whole, rounding):
    """Boundaries write at their own nodes alone, and what they add is all that is left."""
    get, grid, backend = ale.backend.get, ale.grid, ale.backend
    there = get(ale.res)
    backend.put(ale.res, 0)
    wall, far = ale.terms["boundary"].residual()
    wall()
    walls = get(ale.res).astype(float)
    far()
    added = get(ale.res).astype(float)
    backend.put(ale.res, there)
    node, S, w = grid.wall.node, *(get(grid.wall.device[k]).astype(float) for k in ("S", "w"))
    p = get(ale.q)[node, 3].astype(float)
    by_hand = np.zeros_like(walls)
    np.add.at(by_hand, node, np.column_stack([0 * p, p[:, None] * S, p * w]))

    interior = np.setdiff1d(np.arange(grid.nodes), [*node, *grid.patches["far"].node])
    assert np.array_equal(get(ale.res)[interior], inside[interior])
    # a boundary's node adds the boundary's flux to its residual: one rounding more of either
    rounding = rounding + backend.eps * (np.abs(added) + np.abs(inside))
    assert apart(names, sums(ale, whole) - sums(ale, added), sums(ale, rounding)) == {}
    assert np.abs(walls - by_hand).max() <= 2 * backend.eps * np.abs(by_hand).max()
    assert (np.abs(sums(ale, added)[:, 1:]) > 0.1).any(axis=1).all()
