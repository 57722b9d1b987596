"""A tenant that is a kernel: a flux with its matrix, a limiter, a condition, compiled with gcc."""

import sys
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from compiled import ROOT, build, copied, found_in, needs_gcc
from squares import square

HERE = Path(__file__).parent
KERNELS, PACKAGE = "csrc/kernels", "python/kinemesh"
pytestmark = [pytest.mark.flow, pytest.mark.no_sanitizer, needs_gcc]


def rusanov():
    """A flux: its value functions, an entry of fluxes.h, a line of FLUXES."""

    return {"rusanov.h": "csrc/physics"}, {
        f"{KERNELS}/mesh/fluxes.h": """
#ifndef LISTED
#include "physics/rusanov.h"
#endif
#define VARIANT  _rusanov
#define FLUX     N(flux_rusanov)
#define MATRIX   _rusanov
#define MEAN     N(rusanov_mean)
#define JACOBIAN N(rusanov_jacobian)
#include "face.h"
""",
        f"{PACKAGE}/flow/terms/convection.py": """
FLUXES["rusanov"] = Flux("ale_flux_rusanov", "ale_jacobian_rusanov", "newton_pace_rusanov")
""",
    }


def nishikawa():
    """A limiter: its value function, an entry of limiters.h, a line of LIMITERS."""

    return {"nishikawa.h": "csrc/physics"}, {
        f"{KERNELS}/limiters.h": """
#ifndef LISTED
#include "physics/nishikawa.h"
#endif
#define VARIANT _nishikawa
#define READS(F)                         \\
  F(in, f64, range, "members," STR(NR)) \\
  F(val, real, K, "")
#define THRESHOLD                   N(wang_threshold)(range, member[i], K, eps2)
#define SCALAR                      limiter_nishikawa
#define VECTOR(along, square, eps2) limiter_nishikawa(along, square, (eps2) * (square))
#include "limit.h"
""",
        f"{PACKAGE}/flow/terms/gradients.py": """
LIMITERS["nishikawa"] = Limiter("_nishikawa", k=0.05, of_range=True)
""",
    }


def jet():
    """A condition: its class, an entry of conditions.h, a line of CONDITIONS."""

    return {"jet.py": f"{PACKAGE}/space/conditions"}, {
        f"{KERNELS}/mesh/conditions.h": """
#define VARIANT  _jet
#define READS(F) F(in, f64, jet, "bnodes," STR(NV))
#define BEYOND   for (i32 k = 0; k < NV; k++) out[k] = (real)jet[NV * i + k]
#include "beyond.h"
""",
        f"{PACKAGE}/space/conditions/table.py": """
from kinemesh.space.conditions.jet import Jet
CONDITIONS.append(Jet)
""",
    }


TENANTS = (rusanov, nishikawa, jet)
MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=10)


def drag(**settings):
    """Drag of an aerofoil, which is none, at default settings; NaN without convergence."""
    fixed = km.AleSettings(**settings)
    case = km.Ale(MESH, mach=0.5, alpha_deg=2, settings=fixed, device="cpu")
    try:
        return case.coefficients()[0, 1] if case.steady().converged else np.nan
    except km.NumericalFault:
        return np.nan


def filled():
    """State of a channel that a jet of Mach 2 has filled, less that of the jet."""
    mesh = square(12, "quads")
    rim = mesh.boundaries["rim"]
    x, along = mesh.points[rim].mean(axis=1)[:, 0], np.ptp(mesh.points[rim], axis=1)[:, 0] > 0
    on = {"in": x == x.min(), "out": x == x.max(), "sides": along}
    sides = {name: rim[which] for name, which in on.items()}
    jet = {"kind": "jet", "mach": 2.0, "pressure": 1.2}
    case = km.Ale(
        km.Mesh(mesh.points, mesh.triangles, mesh.quads, sides), mach=1.5, device="cpu",
        boundaries={"in": jet, "out": km.outlet(pressure=1.0), "sides": "symmetry"},
        settings=km.AleSettings(steady_drop=1e-10),
    )  # fmt: skip
    assert case.steady().converged
    return case.primitive() - [1.0, 2 * np.sqrt(1.2), 0.0, 1.2 / 1.4]


def changed(folder):
    """A copy of the package with all tenants in it."""
    copied(folder)
    for own, beside in (tenant() for tenant in TENANTS):
        for name, to in own.items():
            (folder / to / name).write_text((HERE / name).read_text())
        for name, added in beside.items():
            (folder / name).write_text((folder / name).read_text() + added)
    return folder


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = changed(tmp_path_factory.mktemp("tenants"))
    build(folder)
    return found_in(folder, __file__)


@pytest.mark.parametrize("tenant", TENANTS)
def test_a_kernel_of_a_variant_touches_two_files_beside_its_own(tenant):
    own, beside = tenant()

    assert len(beside) <= 2
    assert all((ROOT / name).is_file() for name in beside)
    assert not any((ROOT / to / name).exists() for name, to in own.items())


@pytest.mark.long
def test_a_flux_converges_with_its_matrix_and_diverges_with_that_of_roe(found):
    assert found["rusanov"] > 1.5 * found["roe"]  # it damps contact and shear waves
    assert np.isnan(found["borrowed"])


@pytest.mark.long
def test_a_limiter_converges_to_less_drag_than_wang_s(found):
    assert 0 < found["nishikawa"] < found["roe"]  # its form limits smooth flow less than Wang's


@pytest.mark.long
def test_a_jet_of_a_condition_with_a_kernel_fills_a_channel(found):
    assert found["filled"] == pytest.approx(0, abs=1e-9)  # ten times steady_drop


if __name__ == "__main__":
    from kinemesh.flow.terms.convection import FLUXES, Flux

    FLUXES["borrowed"] = Flux("ale_flux_rusanov", *FLUXES["roe"][1:3])
    drags = {flux: drag(flux=flux) for flux in ("roe", "rusanov", "borrowed")}
    np.savez(sys.argv[1], **drags, nishikawa=drag(limiter="nishikawa"), filled=filled())
