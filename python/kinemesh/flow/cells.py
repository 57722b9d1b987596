"""Cell-centred implicit ALE solver of a gas on moving meshes, in the plane deforming.

Weng et al. (2021), whose loops over meshes docs/loops.md measures; docs/theory.md, sections 8 and
9.7.  A second discretisation on the very same mesh as `kinemesh.flow.ale`, with its pseudo-time,
matrix and deformations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY
from kinemesh.errors import SettingsError
from kinemesh.flow.ale import Ale
from kinemesh.flow.door.arguments import Arguments
from kinemesh.flow.gas.ale_settings import AleSettings
from kinemesh.flow.gas.friction import Friction
from kinemesh.flow.gas.friction_cells import FaceFriction
from kinemesh.flow.terms.base import Term
from kinemesh.flow.terms.gradients import CELL_GRADIENTS, CellGradients
from kinemesh.flow.terms.stick_cells import ON_CELLS, check_fits
from kinemesh.flow.terms.viscous import ViscousTerms
from kinemesh.space.cells import Cells
from kinemesh.space.faces import FaceVolumes
from kinemesh.space.solid_cells import SolidCells


@checks_names
@dataclass(frozen=True, slots=True, kw_only=True)
class CellSettings(AleSettings):
    """Settings of the cell-centred solver: those of `AleSettings`, and its own.

    Parameters
    ----------
    gradient : "nodes" (of Green and Gauss, values at vertices exact for linear fields, bounded in
        layers of quadrilaterals that bend by more than their thickness), "least-squares" (over the
        cells across the faces; less drag, and fewer flows converge, of which turbulent ones are
        refused) or "plain" (values at vertices
        are plain means, as Weng et al. 2021 have them; not exact, for comparison)
    cfl, cfl_max, unsteady_cfl : float    twice to four times those of `AleSettings` (cfl 40, in
        space 80): a cell has more face for its volume than a dual, and goes as fast in pseudo-time
        with a larger number
    jacobian_fix : float       0.2, on 500 nodes about an aerofoil the least with which all steps
        converge (docs/convergence.md)
    newton : bool              False by default of an inviscid gas but between inlets and outlets
        and with limiter "venkatakrishnan", as its steps have no coarse levels under them
    lusgs_sweeps : int         8: with 4, as many as `AleSettings` has, a third of the steps of a
        pitching section of 3000 nodes do not converge
    """

    first_cfl: ClassVar[Mapping[int, float]] = {2: 40.0, 3: 80.0}
    newton_gains: ClassVar[bool] = False  # without coarse levels under it
    gradient: str = "nodes"
    cfl_max: float | None = 2e3
    unsteady_cfl: float | None = 400.0
    unsteady_krylov_tolerance: float = 0.1
    jacobian_fix: float | None = 0.2
    lusgs_sweeps: int = 8

    def __post_init__(self) -> None:
        AleSettings.__post_init__(self)
        self.choose(gradient=CELL_GRADIENTS)

    def scheme(self, mode: str) -> str:
        return f"{AleSettings.scheme(self, mode)}, gradient {self.gradient}"

    def check_turbulent(self) -> None:
        if self.gradient == "least-squares":
            raise SettingsError(
                "gradient is 'least-squares' and the gas is turbulent, whose marches do not "
                "converge with it on layers at the wall; take gradient = 'nodes', or method 'ale' "
                "(in Python km.Ale)",
                argument="gradient",
            )

    @property
    def gradients_by(self) -> str:
        return self.gradient


@checks_names
class CellCentred(Ale):
    """A case, or an ensemble of cases, whose unknowns are means over the cells of moving meshes.

    Parameters, attributes and errors are those of `km.Ale`, in the plane and in space; `settings`
    are `km.CellSettings`, and `grid` is a `Cells`, in space a `SolidCells`.
    """

    method = "cells"
    settings_type: ClassVar[type[AleSettings]] = CellSettings
    volumes: ClassVar[type[FaceVolumes]] = Cells
    solids = SolidCells
    gradients: ClassVar[type[Term]] = CellGradients
    viscous: ClassVar[ViscousTerms] = ON_CELLS
    friction_type: ClassVar[type[Friction]] = FaceFriction
    levels: ClassVar[bool] = False  # of prisms in space they slow steps of Newton down by ten
    sampled: ClassVar[Mapping[str, str]] = {"cells in space": "full cells in space"}

    def check_slopes(self) -> None:
        if "whole" in self.fields:  # which stresses take
            check_fits(self.grid, self.backend.get(self.fields["whole"]))

    def check_motions(self, arguments: Arguments) -> None:
        super().check_motions(arguments)
        bends = any(motion is not None and motion.shapes for motion in self.motions)
        weighted = arguments.settings.gradient == "nodes"
        if bends and weighted and not XY.holds(self.grid.dimension):
            other = "" if self.viscosity.turbulence else "gradient='least-squares', or "
            raise SettingsError(
                "a body bends, and gradient is 'nodes', whose weights in space are chosen for the "
                f"mesh as given; take {other}km.Ale",
                argument="gradient",
            )
