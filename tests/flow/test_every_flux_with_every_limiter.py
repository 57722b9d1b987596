"""Every flux with every limiter of the tables converges at default settings, or is an exception.

On the cylinder at Mach 0.3 and the NACA 0012 at Mach 0.5 and 0.8; docs/convergence.md has the
iterations on meshes of usual size.
"""

from dataclasses import fields
from functools import cache

import kinemesh as km
import pytest
from kinemesh.errors import KinemeshWarning
from kinemesh.flow import registry
from kinemesh.flow.gas import meshless_settings
from kinemesh.flow.terms.convection import CLOUD_FLUXES, FLUXES
from kinemesh.flow.terms.gradients import LIMITERS
from solver_cases import on_devices

pytestmark = pytest.mark.flow

GASES = [line for line in registry.SOLVERS
         if {"flux", "limiter"} <= {f.name for f in fields(line.settings)}]  # fmt: skip
SECTION = {"mach": [0.5, 0.8, 0.8], "alpha_deg": [0.0, 0.0, 1.25]}
CYLINDER = {"mach": 0.3}
COARSE = {("meshless", "roe", "vanleer")}
"""Exceptions: they converge on the default cloud of 5120 points, and not on a thousand."""


def pairs(line):
    """Fluxes and limiters of a solver; of a flux without limiters the default alone."""
    if line.on == "mesh":
        return [(flux, limiter) for flux in FLUXES for limiter in LIMITERS]
    names, default = meshless_settings.LIMITERS, line.settings().limiter
    return [(flux, limiter) for flux, own in CLOUD_FLUXES.items()
            for limiter in (names if own.limited else [default])]  # fmt: skip


EACH = [(line.name, *pair) for line in GASES for pair in pairs(line)]


@cache
def section(on):
    if on == "mesh":
        return km.mesh.airfoil("naca0012", nodes=1000, far_field=10)
    return km.cloud.airfoil("naca0012", points=1000, far_field=10)


@cache
def default_section(on):
    return {"mesh": km.mesh, "cloud": km.cloud}[on].airfoil("naca0012")


@cache
def cylinder(on):
    mesh = km.mesh.cylinder(nodes=1000)
    return mesh if on == "mesh" else km.Cloud.from_mesh(mesh)


def steady(name, flux, limiter, space, flow, device="cpu", **more):
    """Result of a steady run, with an entry per member where there are several."""
    line = registry.named(name)
    settings = line.settings(flux=flux, limiter=limiter, **more)
    case = line.solver(space(line.on), settings=settings, device=device, **flow)
    return case.steady().summary["result"]


@pytest.mark.long
@on_devices
@pytest.mark.parametrize(("name", "flux", "limiter"), EACH)
def test_a_section_at_mach_0_5_and_0_8_converges(name, flux, limiter, device):
    space = default_section if (name, flux, limiter) in COARSE else section

    result = steady(name, flux, limiter, space, SECTION, device)

    assert result["converged"] == [True, True, True], result["residual_drop"]


@pytest.mark.long
@on_devices
@pytest.mark.parametrize(("name", "flux", "limiter"), EACH)
def test_a_cylinder_at_mach_0_3_converges(name, flux, limiter, device):
    result = steady(name, flux, limiter, cylinder, CYLINDER, device)

    assert result["converged"], result["residual_drop"]


@pytest.mark.long
@pytest.mark.parametrize(("name", "flux", "limiter"), sorted(COARSE))
def test_an_exception_stalls_on_a_coarse_section_and_is_told_what_converges(name, flux, limiter):
    """Wang's limiter takes 49 to 85 iterations there; what converges is no exception."""
    with pytest.warns(KinemeshWarning, match=r"or take limiter = 'wang' where it does not fall"):
        result = steady(name, flux, limiter, section, SECTION, steady_iterations=150)

    assert min(result["residual_drop"]) > 1e-3


@pytest.mark.parametrize("limiter", sorted({*meshless_settings.LIMITERS} - {"none", "wang"}))
@pytest.mark.parametrize("flux", [flux for flux, own in CLOUD_FLUXES.items() if not own.limited])
def test_a_limiter_of_a_flux_that_takes_none_is_refused_by_name(flux, limiter):
    with pytest.raises(km.SettingsError, match=f"'{limiter}'.* flux is '{flux}', which has no lim"):
        km.MeshlessSettings(flux=flux, limiter=limiter)
