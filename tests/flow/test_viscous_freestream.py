"""A uniform stream of a viscous gas, with a uniform nu~, stays uniform whatever the mesh does."""

import numpy as np
import pytest
from solver_cases import Wobble, disc, on_devices, smooth_random, square, stream
from test_exact_freestream import DT, MACH, STEPS, forced
from viscous_cases import SOLVERS, endless, on_solvers

pytestmark = pytest.mark.flow

MESHES = {
    "triangles": lambda: square(8),
    "disc": lambda: disc(5),
    "quads": lambda: square(8, quads=True),
}
TOLERANCE = 1e-12  # the bar of the method's statement, as of an inviscid gas


def case(solver, mesh, device, edges, **more):
    law = smooth_random(1.0, 0.2 if edges else 0.3, edges=edges)
    made, _ = SOLVERS[solver]
    return made(mesh, mach=MACH, alpha_deg=17.0, deform=Wobble(law, DT), walls=[], reynolds=20.0,
                device=device, **more)  # fmt: skip


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("edges", [False, True], ids=["edges-rest", "edges-move"])
@pytest.mark.parametrize("mesh", MESHES)
@on_solvers
def test_a_laminar_stream_survives_arbitrary_motion(solver, mesh, edges, device):
    error, change = forced(case(solver, MESHES[mesh](), device, edges), STEPS)

    assert error <= TOLERANCE
    assert change > 0.2


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("edges", [False, True], ids=["edges-rest", "edges-move"])
@pytest.mark.parametrize("mesh", MESHES)
@on_solvers
def test_a_turbulent_stream_survives_arbitrary_motion(solver, mesh, edges, device, monkeypatch):
    """No wall is near, and without vorticity nothing is made: nu~ of the stream stays, too."""
    endless(monkeypatch)
    made = case(solver, MESHES[mesh](), device, edges, turbulence="sa")
    rate, level = made.viscosities[0], 3.0 * made.viscosities[0]

    error, change = forced(made, STEPS)

    assert error <= TOLERANCE
    assert change > 0.2
    assert np.abs(made.backend.get(made.fields["nt"]) - level).max() <= TOLERANCE * rate


def test_a_stream_that_is_not_uniform_is_seen(monkeypatch):
    """The tests above can fail: of a state or a nu~ a little off, they say how much."""
    endless(monkeypatch)
    ale = case("nodes", MESHES["triangles"](), "cpu", True, turbulence="sa")
    q = np.tile(stream(MACH, 17.0), (ale.grid.nodes, 1))
    q[10, 1] *= 1 + 1e-6
    nt = ale.backend.get(ale.fields["nt"])
    nt[10] *= 1 + 1e-6
    ale.initialise(q)
    ale.backend.put(ale.fields["nt"], nt)

    error, _ = forced(ale, 2)

    assert error > 1e3 * TOLERANCE
    assert np.ptp(ale.backend.get(ale.fields["nt"])) > 1e3 * TOLERANCE * ale.viscosities[0]
