"""A uniform stream stays uniform whatever the mesh does: w = (3/2 dV^(n+1) - 1/2 dV^n) / dt."""

import kinemesh as km
import numpy as np
import pytest
from placements import along
from solver_cases import Wobble, disc, on_devices, smooth_random, square, stream

MACH, DT, STEPS = 0.4, 0.05, 100
MESHES = {
    "triangles": lambda: square(12),
    "disc": lambda: disc(8),
    "quads": lambda: square(12, quads=True),
}
# float64: the bar of the method's statement.  float32: each of the 300 pseudo-steps rounds sums
# of terms of the state's own size; as a random walk that is sqrt(300) eps, thrice that allowed.
TOLERANCE = {"float64": 1e-12, "float32": 3 * 300**0.5 * np.finfo(np.float32).eps}


def case(mesh, device, dtype, law):
    return km.Ale(mesh, mach=MACH, alpha_deg=17.0, deform=Wobble(law, DT), walls=[],
                  device=device, dtype=dtype)  # fmt: skip


def forced(ale, steps):
    """Physical steps of three pseudo-steps each, whatever their residual.

    Returns the largest error of any node at any step, and the largest change of a dual volume.
    """
    get, s = ale.backend.get, ale.settings
    uniform, V0 = stream(MACH, ale.alpha_deg[0]), get(ale.grid.V)
    march = ale.iteration(0.0, 3, s.ramp(s.unsteady_cfl), 4)
    ale.backend.put(ale.dualtime.floor, 0.0)
    error = change = 0.0
    for step in range(steps):
        ale.begin_step(np.array([DT]), 1 if step == 0 else 2)
        ale.place(along(lambda share: [], 1.0))
        march()
        ale.check_faults(f"step {step}")
        assert get(ale.dualtime.iterations)[0] == 3
        error = max(error, np.abs(ale.primitive() - uniform).max())
        change = max(change, np.abs(get(ale.grid.V) / V0 - 1).max())
    return error, change


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("edges", [False, True], ids=["edges-rest", "edges-move"])
@pytest.mark.parametrize("mesh", MESHES)
def test_uniform_stream_survives_arbitrary_motion(mesh, edges, dtype, device):
    law = smooth_random(1.0, 0.2 if edges else 0.3, edges=edges)
    ale = case(MESHES[mesh](), device, dtype, law)

    error, change = forced(ale, STEPS)

    assert error <= TOLERANCE[dtype]
    assert change > 0.2


@on_devices
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_a_run_in_a_uniform_stream_ends_by_the_floor(dtype, device):
    ale = case(square(12, quads=True), device, dtype, smooth_random(1.0, 0.2, edges=True))

    run = ale.run(time_step=DT, steps=STEPS, start="as is")

    assert np.abs(ale.primitive() - stream(MACH, 17.0)).max() <= TOLERANCE[dtype]
    assert max(run.history["inner_iterations"]) <= 1
    assert run.summary["warnings"] == []
