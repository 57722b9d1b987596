"""Thin sections beside Theodorsen's theory (NACA Report 496); docs/validation.md has the table.

tools/thin.py extrapolates in thickness and Mach number; here at Mach 0.1 in thickness alone, whose
distance from Mach 0 is M^2 / 2 = 0.5 %.
"""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest

pytestmark = pytest.mark.flow

PATH = Path(__file__).parents[2] / "tools" / "thin.py"
K, MACH, THICKNESS = 0.2, 0.1, (6, 12)


@pytest.fixture(scope="module")
def thin():
    spec = spec_from_file_location("thin", PATH)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_theory_is_steady_where_the_frequency_is_small(thin):
    """C(0) = 1: the slope of lift is 2 pi, the moment about the quarter chord nothing."""
    cl_alpha, cm_alpha, cl_h, cm_h = thin.theodorsen(1e-6)

    assert cl_alpha == pytest.approx(2 * np.pi, rel=1e-4)  # k ln k
    assert [abs(v) for v in (cm_alpha, cl_h, cm_h)] == pytest.approx([0, 0, 0], abs=1e-4)


def test_extrapolation_is_exact_for_what_it_assumes(thin):
    t, m = (v.ravel() for v in np.meshgrid([0.06, 0.09, 0.12], [0.1, 0.15, 0.2]))

    values = (2 - 1j) + 3 * t + t**2 + (1 + 2 * t) * m**2

    assert thin.extrapolated(t, m, values) == pytest.approx(2 - 1j, rel=1e-10)


@pytest.mark.slow  # 5000 nodes miss by 3.6 % of cl
def test_thin_sections_have_theodorsen_s_derivatives(thin):
    meshes = [km.mesh.airfoil(f"naca00{t:02d}", nodes=24_000, far_field=100) for t in THICKNESS]
    motions = [motion for motion in thin.motions(K) for _ in THICKNESS]
    case = km.Ale(meshes * 2, mach=MACH, motion=motions, deform=km.deform.Rigid(), device="auto")

    run = case.run(cycles=4, steps_per_cycle=48)

    theory = thin.theodorsen(K)
    for way, name in enumerate(("alpha", "h")):
        found = [km.hysteresis(run, 2 * way + n).derivatives for n in range(2)]
        cl, cm = (
            2 * getattr(found[0], f"{load}_{name}") - getattr(found[1], f"{load}_{name}")
            for load in ("cl", "cm")
        )
        ratio = cl / theory[2 * way]
        assert abs(ratio) == pytest.approx(1, abs=0.03)
        assert np.degrees(np.angle(ratio)) == pytest.approx(0, abs=3)
        assert abs(cm - theory[2 * way + 1]) < 0.01 * abs(cl)
