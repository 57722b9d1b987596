"""A whole run on the CPU and on CUDA: the same loads, and the same bits every time."""

from pathlib import Path

import kinemesh as km
import numpy as np
import pytest

pytestmark = pytest.mark.flow

MESH = Path(km.__file__).parent / "cases" / "data" / "mesh_NACA0012_inv.su2.xz"
MOVERS = {"rigid": km.deform.Rigid, "springs": km.deform.TorsionalSprings,
          "delaunay": km.deform.Delaunay}  # fmt: skip


@pytest.fixture(scope="module")
def mesh():
    try:
        km.Backend("cuda")
    except km.DeviceError as reason:
        pytest.skip(f"no CUDA: {reason}")
    return km.mesh.read(MESH)


@pytest.fixture(scope="module")
def start(mesh):
    """Steady flow, converged by eleven orders: an impulsive start amplifies round-off."""
    case = km.Ale(mesh, mach=0.755, alpha_deg=0.016, device="cpu",
                  settings=km.AleSettings(steady_drop=1e-11))  # fmt: skip
    case.steady()
    return case.primitive()


def loads(mesh, start, device, mover):
    """cl, cd, cm of ten CT5 steps of 80 pseudo-steps of 10 BiCGSTAB iterations each."""
    fixed = km.AleSettings(unsteady_drop=0.0, unsteady_iterations=80, krylov_iterations=10,
                           unsteady_krylov_tolerance=0.0)  # fmt: skip
    case = km.Ale(mesh, mach=0.755, alpha_deg=0.016, motion=km.motion.pitch(2.51, 0.0814),
                  deform=MOVERS[mover](), device=device, settings=fixed)  # fmt: skip
    case.initialise(start)
    rows = case.run(cycles=10 / 64, steps_per_cycle=64, start="as is").history
    return np.stack([rows[name] for name in ("cl", "cd", "cm")])


@pytest.mark.parametrize("mover", list(MOVERS))
@pytest.mark.filterwarnings("ignore:.*ended above the asked")
def test_ten_steps_agree_on_cpu_and_cuda_and_repeat_on_cuda(mesh, start, mover):
    """1e-9 of the coefficients: the bar of the project."""
    host = loads(mesh, start, "cpu", mover)
    there, again = (loads(mesh, start, "cuda", mover) for _ in range(2))

    assert np.abs(there - host).max() < 1e-9
    np.testing.assert_array_equal(again, there)
