"""Orders of accuracy on meshes in space by Shu's isentropic vortex, its axis along each of three.

Slabs between two planes of symmetry, cells as wide as deep where the vortex passes; no limiter.
At the far field, 6 radii away, the vortex is down to 1e-7 of the stream.
"""

from itertools import pairwise

import kinemesh as km
import numpy as np
import pytest
from slabs import AXES, PLANES, rigid, slab
from solver_cases import Wobble, vortex

pytestmark = pytest.mark.flow

SETTINGS = {
    "limiter": "none", "unsteady_drop": 1e-6, "unsteady_cfl": 1e6, "cfl_max": 1e9,
    "jacobian_fix": 0.5,
}  # fmt: skip


def states(points, t, axis):
    """(nodes, 5) primitive states of the vortex about an axis through the origin at time 0."""
    (first, last), _ = AXES[axis]
    way = {"y": 30.0, "x": 0.0, "z": 90.0}[axis]
    rho, a, c, p = vortex(points[:, [first, last]], t, alpha_deg=way).T
    q = np.zeros((len(points), 5))
    q[:, 0], q[:, 1 + first], q[:, 1 + last], q[:, 4] = rho, a, c, p
    return q


def at_rest(axis):
    return lambda points, t: points


def run(mesh, axis="y", way=at_rest, steps=8, duration=1.0, **more):
    """Carry the vortex through the origin; the case, and its error in the mean square."""
    dt = duration / steps
    case = km.Ale(
        mesh, mach=0.4, alpha_deg=AXES[axis][1], walls=[], device="cpu",
        boundaries=PLANES, deform=Wobble(way(axis), dt),
        settings=km.AleSettings(**SETTINGS | more),
    )  # fmt: skip
    case.initialise(states(case.grid.points, -duration / 2, axis))
    made = case.run(time_step=dt, steps=steps, start="as is", preflight=False)
    assert made.summary["warnings"] == []
    x = case.backend.get(case.grid.x)
    assert (np.abs(x - case.grid.points).max() > 0.4) == (way is rigid)
    return case, norm(case, case.primitive() - states(x, duration / 2, axis))


def norm(case, difference):
    """Mean square of all five primitive variables together."""
    V = case.backend.get(case.grid.V)
    return np.sqrt((V[:, None] * difference**2).sum() / V.sum())


def order(counts, errors):
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "axis", "way"),
    [("hexahedra", "y", at_rest), ("hexahedra", "x", rigid), ("prisms", "z", at_rest),
     pytest.param("prisms", "y", rigid, marks=pytest.mark.slow), ("tetrahedra", "y", at_rest),
     pytest.param("tetrahedra", "x", rigid, marks=pytest.mark.slow)],
)  # fmt: skip
def test_the_vortex_is_met_with_second_order(kind, axis, way):
    counts = (16, 24, 32)

    errors = [run(slab(n, kind, axis), axis, way, n // 2)[1] for n in counts]

    assert order(counts, errors) >= 1.8, errors


@pytest.mark.long
@pytest.mark.parametrize(
    "kind", ["hexahedra", *(pytest.param(k, marks=pytest.mark.slow) for k in ("mixed", "pyramids"))]
)
def test_shaken_hexahedra_and_mixtures_keep_first_order(kind):
    counts = (16, 24, 32)

    errors = [run(slab(n, kind, "z", 0.2), "z", rigid, n // 2)[1] for n in counts]

    assert order(counts, errors) >= 0.9, errors


@pytest.mark.long
@pytest.mark.parametrize("way", [at_rest, rigid])
def test_bdf2_is_of_second_order_in_time(way):
    """On one mesh, by the change from each number of steps to twice as many."""
    mesh, counts = slab(12, "prisms"), np.array([12, 24, 48])

    found = [run(mesh, "y", way, int(n), unsteady_drop=1e-8)[0] for n in (*counts, 96)]

    changes = [norm(b, b.primitive() - a.primitive()) for a, b in pairwise(found)]
    assert order(counts, changes) >= 1.9, changes
