"""Convective fluxes: tables of them and of loops over faces, their calls and their Jacobians.

docs/theory.md, 2.2 and 2.8.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from kinemesh.device.backend import Backend
from kinemesh.device.fields import Fields
from kinemesh.errors import SettingsError
from kinemesh.flow.terms.base import Rows, Term


class Flux(NamedTuple):
    """Flux through the faces of a mesh.

    Parameters
    ----------
    kernel : of the flux;  jacobian : kernel of its derivative, or of one that takes its place;
        those of a viscous gas have the ending _viscous
    pace : kernel of the sum of the waves in that derivative, for steps of Newton
    face_loops : names in `FACE_LOOPS` of those that compute it
    """

    kernel: str
    jacobian: str
    pace: str
    face_loops: tuple[str, ...] = ("store",)


class Loop(NamedTuple):
    """Loop from the states of volumes and their gradients to the sums of fluxes.

    Parameters
    ----------
    kernels : in their order, behind that of the flux where fluxes are stored
    stores : True where faces store their fluxes, which other terms may add to
    coloured : True where the last kernel goes over faces colour by colour
    """

    kernels: tuple[str, ...]
    stores: bool = False
    coloured: bool = False


FACE_LOOPS = {
    "store": Loop(("ale_residual",), stores=True),
    "recompute": Loop(("ale_loop_recompute",)),
    "colours": Loop(("ale_residual_start", "ale_loop_colours"), coloured=True),
    "atomics": Loop(("ale_residual_start", "ale_loop_atomics")),
}
FLUXES = {
    "roe": Flux("ale_flux_roe", "ale_jacobian", "newton_pace", face_loops=tuple(FACE_LOOPS)),
    "hllc": Flux("ale_flux_hllc", "ale_jacobian", "newton_pace"),
}
"""A new flux on meshes is an entry of csrc/kernels/mesh/fluxes.h and a line here."""


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
    """Convective fluxes through the faces between volumes, where they are stored.

    Attributes
    ----------
    flux : (edges, variables) device array, which terms after it may add to; a field of the solver.
        SettingsError where a loop stores no fluxes
    ending : of the names of its kernels
    kernel, jacobian, pace : names of the kernels of the flux

    Raises
    ------
    SettingsError    a flux that lacks one of these kernels
    """

    name = "convection"
    swept = True
    ending: ClassVar[str] = ""

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.fields.add(S=self.grid.S, w=self.grid.w)
        self.stores = FACE_LOOPS[self.settings.face_loop].stores
        if self.stores:
            self.fields.add(flux=case.backend.zeros((self.grid.edges, case.model.variables)))
        else:
            why = f"face_loop = {self.settings.face_loop!r} stores no fluxes"
            self.fields.lack(flux=f"{why}; take face_loop = 'store'")
        kernel, jacobian, self.pace = FLUXES[self.settings.flux][:3]
        self.kernel, self.jacobian = f"{kernel}{self.ending}", f"{jacobian}{self.ending}"
        for name in (self.kernel, self.jacobian, self.pace):
            if not self.fields.has(name):
                raise SettingsError(
                    f"flux is {self.settings.flux!r}, which has no kernel {name} for this case; "
                    f"take another of {', '.join(FLUXES)}"
                )

    @property
    def flux(self) -> Any:
        return self.fields["flux"]

    def residual(self) -> list[Any]:
        return [self.fields.bind(self.kernel)] if self.stores else []

    def matrix(self, rows: Rows) -> list[Any]:
        row_of = rows.fields.backend.table(rows.rows)
        return [rows.fields.bind(self.jacobian, suffix=rows.suffix, row_of=row_of)]


class Balance(Term):
    """Sum of the fluxes through the faces of each volume, with the terms of past time levels.

    Where fluxes are not stored, it works them out.
    """

    name = "balance"

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.loop = FACE_LOOPS[self.settings.face_loop]

    def residual(self) -> list[Any]:
        *first, last = (self.fields.bind(kernel) for kernel in self.loop.kernels)
        if not self.loop.coloured:
            return [*first, last]
        return [*first, *(self.fields.backend.part(last, faces) for faces in self.grid.colours)]


class CloudFluxes(Term):
    """Divergence of the convective fluxes at points, with the terms of past time levels."""

    name = "convection"
    swept = True

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.backend = case.backend
        for name in KEPT[self.grid.dimensions]:
            self.fields.add(**{name: self.backend.zeros(self.grid.nodes)})
        self._calls = self._of_roe() if self.settings.flux == "roe" else self._of_jst()

    def _of_roe(self) -> list[Any]:
        limited = "_van_leer" if self.settings.limiter == "vanleer" else ""
        return [self.fields.bind(f"cloud_roe{limited}")]

    def _of_jst(self) -> list[Any]:
        s, b = self.settings, self.backend
        made = self.fields.also(sensor=b.zeros(self.grid.nodes), k2=s.jst_k2, k4=s.jst_k4)
        return JST[self.grid.dimensions](made, b)

    def residual(self) -> list[Any]:
        return self._calls

    def matrix(self, rows: Rows) -> list[Any]:
        return [rows.fields.bind("cloud_jacobian", suffix=rows.suffix)]


KEPT: dict[int, tuple[str, ...]] = {2: (), 3: ("radius",)}
"""Numbers of each point that fluxes leave for others, by dimensions."""


def _by_roughness(made: Fields, backend: Backend) -> list[Any]:
    rough = backend.zeros(made["q"].shape)
    return [made.bind("cloud_roughness", rough=rough), made.bind("cloud_jst", rough=rough)]


def _by_sensor(made: Fields, _: Backend) -> list[Any]:
    return [made.bind("cloud_sensor"), made.bind("cloud_jst")]


JST = {2: _by_roughness, 3: _by_sensor}
"""Calls of the fluxes of Jameson, Schmidt and Turkel, by dimensions."""
