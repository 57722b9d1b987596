"""Fluxes through faces: each names the matrix that it is marched with."""

import re

import kinemesh as km
import pytest
from kinemesh.device.backend import kernels
from kinemesh.flow.terms import convection
from kinemesh.flow.terms.convection import FLUXES, Flux

MESH = km.mesh.airfoil("naca0012", nodes=520, far_field=8)
ENDINGS = ("", "_3d")


def test_a_flux_without_a_matrix_is_refused():
    with pytest.raises(TypeError, match="jacobian"):
        Flux("ale_flux_roe")


@pytest.mark.parametrize("name", FLUXES)
def test_every_flux_has_its_kernels_in_plane_and_space_of_an_inviscid_and_a_viscous_gas(name):
    kernel, jacobian, pace = FLUXES[name][:3]
    wanted = [kernel, f"{kernel}_viscous", jacobian, f"{jacobian}_viscous", pace]

    assert not {own + end for own in wanted for end in ENDINGS} - kernels().keys()


def test_every_kernel_of_a_flux_is_that_of_a_flux_of_the_table():
    made = {re.sub("_viscous|_3d", "", own) for own in kernels() if own.startswith("ale_flux_")}

    assert made == {own.kernel for own in FLUXES.values()}


@pytest.mark.parametrize(
    ("kernels", "viscous", "lacks"),
    [
        (("ale_flux_roe", "ale_jacobian_gone", "newton_pace"), {}, "ale_jacobian_gone "),
        (("ale_flux_roe", "ale_jacobian", "newton_pace_gone"), {}, "newton_pace_gone"),
        (("ale_residual", "ale_jacobian", "newton_pace"), {"reynolds": 1e3}, "ale_residual_visc"),
    ],
)
def test_a_flux_whose_kernels_are_not_there_is_refused_by_name(
    monkeypatch, kernels, viscous, lacks
):
    monkeypatch.setitem(convection.FLUXES, "half", Flux(*kernels))
    settings = km.AleSettings(flux="half")

    with pytest.raises(km.SettingsError, match=f"flux is 'half', which has no kernel {lacks}"):
        km.Ale(MESH, mach=0.5, settings=settings, device="cpu", **viscous)
