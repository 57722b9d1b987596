"""A tenant: a passive scalar as a fifth equation in the plane, its kernels compiled for it."""

import sys

import kinemesh as km
import numpy as np
import pytest
from compiled import build, copied, found_in, needs_gcc
from kinemesh.deform.still import Still
from kinemesh.flow.gas.model import Euler

FIXED = km.AleSettings(flux="hllc", linear_solver="lusgs", cfl_max=100, cfl_growth=1.001,
                       unsteady_iterations=20, unsteady_drop=1e-30)  # fmt: skip
pytestmark = [pytest.mark.slow, pytest.mark.no_sanitizer, needs_gcc]


class Carried(Euler):
    def __init__(self, dimensions):
        super().__init__(dimensions)
        self.names, self.variables = (*self.names, "s"), 5

    def free_stream(self, mach, alpha_deg):
        return np.insert(super().free_stream(mach, alpha_deg), 4, 1.0, axis=1)

    def conserved(self, q):
        return np.concatenate([super().conserved(q[..., :4]), q[..., :1] * q[..., 4:]], axis=-1)


Carrying = type("Carrying", (km.Ale,), {"equations": Carried})


def front(x, time=0.0):
    return 1.5 + 0.5 * np.tanh((x - 1.2 - 0.5 * time) / 0.2)


def moved(solver, cells, pulse, of=None):
    """Places and states after a unit of time, from s of the place and a pulse of sound."""
    mesh = km.mesh.background((0, 4, 0, 1), (0, 4, 0, 1), 4 / cells)
    case = solver(mesh, mach=0.5, walls=[], device="cpu", settings=FIXED, deform=Still())
    x, q = case.grid.points[:, 0], case.primitive()
    q[:, 3] *= 1 + pulse * np.exp(-(((x - 2) / 0.2) ** 2))
    q[:, 4:] = 0.0 if of is None else of(x)[:, None]
    case.initialise(q)
    case.run(steps=cells // 4, time_step=4 / cells, start="as is", preflight=False)
    return x, case.primitive()


@pytest.mark.filterwarnings("ignore:.*ended above the asked residual:RuntimeWarning")
def test_a_scalar_goes_with_the_stream_and_changes_nothing(tmp_path):
    file = copied(tmp_path) / "csrc/kernels/numbers.h"
    file.write_text(file.read_text().replace("#define NV 4", "#define NV 5"))
    build(tmp_path)
    found = found_in(tmp_path, __file__)
    assert found["without"][:, 4] == pytest.approx(1.0, abs=1e-13)
    assert (found["with_front"][:, :4] == found["without"][:, :4]).all()
    assert found["with_front"][:, :4] == pytest.approx(moved(km.Ale, 40, 0.1)[1], abs=1e-12)
    assert np.log2(found["off"][0] / found["off"][1]) > 1.7


if __name__ == "__main__":
    off = []
    for x, q in (moved(Carrying, cells, 0.0, front) for cells in (60, 120)):
        off.append(np.sqrt(np.mean((q[:, 4] - front(x, 1.0))[abs(x - 2.2) < 1.4] ** 2)))
    both = [moved(Carrying, 40, 0.1, of)[1] for of in (front, np.ones_like)]
    np.savez(sys.argv[1], off=off, with_front=both[0], without=both[1])
