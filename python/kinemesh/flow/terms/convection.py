"""Convective fluxes: tables of them, their calls and their Jacobians (docs/theory.md, 2.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

from kinemesh.flow.terms.base import Rows, Term


class Flux(NamedTuple):
    """Flux through the faces of a mesh.

    Parameters
    ----------
    kernel : of the flux;  jacobian : kernel of its derivative, or of one that takes its place
    """

    kernel: str
    jacobian: str = "ale_jacobian"


FLUXES = {"roe": Flux("ale_flux_roe"), "hllc": Flux("ale_flux_hllc")}
"""A new flux on meshes is its kernel and a line here."""


class CloudFlux(NamedTuple):
    """Flux between the points of a cloud.

    Parameters
    ----------
    stages : of a Runge-Kutta step, shares of the step
    limited : True where it takes limited gradients
    """

    stages: tuple[float, ...]
    limited: bool


CLOUD_FLUXES = {
    # for upwind fluxes of second order van Leer, Tai and Powell (1989)
    "roe": CloudFlux((0.0695, 0.1602, 0.2898, 0.5060, 1.0), limited=True),
    # for central fluxes Jameson, Schmidt and Turkel (1981)
    "jst": CloudFlux((1 / 4, 1 / 6, 3 / 8, 1 / 2, 1.0), limited=False),
}


class FaceFluxes(Term):
    """Convective fluxes through the faces between volumes.

    Attributes
    ----------
    flux : (edges, variables) device array, which terms after it may add to; a field of the solver
    """

    name = "convection"
    near = ("q", "grad", "x")
    swept = True

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.flux = case.backend.zeros((self.grid.edges, case.model.variables))
        self.fields.add(flux=self.flux, S=self.grid.S, w=self.grid.w)

    def residual(self) -> list[Any]:
        return [self.fields.bind(FLUXES[self.settings.flux].kernel)]

    def matrix(self, rows: Rows) -> list[Any]:
        return [rows.fields.bind(FLUXES[self.settings.flux].jacobian, suffix=rows.suffix)]


class Balance(Term):
    """Sum of the fluxes through the faces of each volume, with the terms of past time levels."""

    name = "balance"
    near = ("flux",)

    def residual(self) -> list[Any]:
        return [self.fields.bind("ale_residual")]


class CloudFluxes(Term):
    """Divergence of the convective fluxes at points, with the terms of past time levels."""

    name = "convection"
    near = ("q", "grad", "x")
    swept = True

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.backend, plane = case.backend, self.grid.dimensions == 2
        if not plane:
            self.fields.add(radius=self.backend.zeros(self.grid.nodes))
        self._calls = self._of_roe() if self.settings.flux == "roe" else self._of_jst(plane)

    def _of_roe(self) -> list[Any]:
        limited = "_van_leer" if self.settings.limiter == "vanleer" else ""
        return [self.fields.bind(f"cloud_roe{limited}")]

    def _of_jst(self, plane: bool) -> list[Any]:
        s, b = self.settings, self.backend
        made = self.fields.also(sensor=b.zeros(self.grid.nodes), k2=s.jst_k2, k4=s.jst_k4)
        if not plane:
            return [made.bind("cloud_sensor"), made.bind("cloud_jst")]
        rough = b.zeros(self.fields["q"].shape)
        return [made.bind("cloud_roughness", rough=rough), made.bind("cloud_jst", rough=rough)]

    def residual(self) -> list[Any]:
        return self._calls

    def matrix(self, rows: Rows) -> list[Any]:
        return [rows.fields.bind("cloud_jacobian", suffix=rows.suffix)]
