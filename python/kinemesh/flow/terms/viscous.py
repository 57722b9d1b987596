"""Terms of a viscous gas: viscosity, walls that it sticks to (docs/theory.md, section 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinemesh.bodies.placement import Placement
from kinemesh.flow.door.sliding import walls_of
from kinemesh.flow.terms.base import Rows, Term
from kinemesh.flow.terms.boundary import Boundary
from kinemesh.flow.terms.convection import FaceFluxes
from kinemesh.flow.terms.gradients import Gradients
from kinemesh.space.conditions.table import sticks
from kinemesh.space.patches import Patch


class WallFields(Term):
    """Fields of the nodes of walls that a gas sticks to, which loads and restarts read.

    Alone where a viscous gas has no walls, so that there are no nodes; else see `Stick`.

    Attributes
    ----------
    walls : Fields of the walls' nodes, with `velocity`, `reaction`, and `heat` into walls of given
        temperature
    faces : patches of walls between which and volumes fluxes pass; none, as nodes stand on walls
    """

    name = "stick"
    faces: Sequence[Patch] = ()

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        b, grid, own = case.backend, self.grid, self.grid.wall
        self.backend = b
        shape = len(own), grid.dimensions
        made = {n: b.zeros(shape, np.float64) for n in ("dx1", "dx2", "velocity", "reaction")}
        made["heat"] = b.zeros(len(own), np.float64)
        self.sliding = walls_of(grid, case.viscosity.sliding)
        if self.sliding.slides:
            self._speed = case.speed[own.member][:, None]
            made["slide"] = b.array(self._speed * self.sliding.own, np.float64)
        own.device.update(made)
        self.made = made
        self.walls = self.fields.also(
            **own.device, x1=grid.x1, wall_temperature=case.viscosity.wall_temperature
        )

    def place(self, placement: Placement) -> None:
        if self.sliding.slides:
            turned, _ = self.sliding.slide(placement)
            self.backend.put(self.made["slide"], self._speed * turned)

    @property
    def kept(self) -> dict[str, Any]:
        return {f"wall_{name}": self.made[name] for name in ("dx1", "reaction", "heat")}


class Stick(WallFields):
    """State of the walls' nodes: the gas there goes as they do.

    Before all that reads states.  `NoSlip` has the rest of these walls.
    """

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        grid, made, walls = self.grid, self.made, self.walls
        copy = f"copy_f64_{grid.dimensions}"
        grid.keep_levels.follow(self.backend.bind(copy, **{"from": made["dx1"], "to": made["dx2"]}))
        grid.sweep.follow(walls.bind("wall_move"))
        self._calls = [walls.bind("wall_stick")]

    def residual(self) -> list[Any]:
        return self._calls

    def stand(self) -> list[Any]:
        return self._calls


class ViscousGradients(Gradients):
    """Gradients of a viscous gas, and in the field `slope` the same without limits and whole.

    These have weights |d|^-2 everywhere, as across thin layers no others are right.
    """

    kernel = "viscous_gradient"

    def _begin(self, backend: Any) -> None:
        whole = backend.zeros(self.fields["inverse"].shape)
        self.fields.add(slope=backend.zeros(self.grad.shape), whole=whole)
        self.grid.measure.follow(self.fields.bind("least_squares", inverse=whole, blunt=None))
        super()._begin(backend)


class Viscous(Term):
    """Viscosity at the nodes, and what fluxes and matrix need of it; fluxes add the stresses."""

    name = "viscosity"

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        own, b, grid = case.viscosity, case.backend, self.grid
        self.fields.add(
            mu=b.zeros((grid.nodes, 2), np.float64),
            mu_stream=b.array(case.viscosities, np.float64),
            law=own.law,
            conduct=1 / own.prandtl,
            conduct_eddy=1 / own.turbulent_prandtl,
            compact=b.zeros(grid.edges, np.float32),
            jump=b.zeros(grid.edges),
        )
        grid.measure.follow(self.fields.bind("viscous_compact", S=grid.S))
        self._calls = [self.fields.bind("gas_viscosity")]

    def residual(self) -> list[Any]:
        return self._calls


class ViscousFluxes(FaceFluxes):
    """Convective fluxes, and the stresses and the heat of a viscous gas with them."""

    ending = "_viscous"


class ViscousBoundary(Boundary):
    """Weak conditions of a viscous gas: none at walls that it sticks to."""

    def weak(self, kind: str) -> bool:
        return not sticks(kind)


class NoSlip(Term):
    """Rows of the walls' nodes, last of all that is summed there."""

    name = "no slip"

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.walls = case.terms[Stick.name].walls

    def residual(self) -> list[Any]:
        return [self.walls.bind("bc_no_slip")]

    def perturbed(self) -> list[Any]:
        zeros = self.fields.backend.zeros
        tried = {name: zeros(self.walls[name].shape, "float64") for name in ("reaction", "heat")}
        return [self.walls.bind("bc_no_slip", **tried)]

    def given(self, vectors: Mapping[str, Any]) -> list[Any]:
        own = {name: vectors[name] for name in ("z", "w")}
        return [self.walls.bind("newton_no_slip", **own)]

    def matrix(self, rows: Rows) -> list[Any]:
        b, nodes = rows.fields.backend, self.grid.wall.node
        line = b.table(rows.rows[nodes])
        own = rows.fields.also(**self.grid.wall.device, line=line, row=rows.row)
        wall_temperature = self.walls["wall_temperature"]
        return [
            own.bind("bc_no_slip_jacobian", suffix=rows.suffix, wall_temperature=wall_temperature)
        ]


Makers = tuple[type[Term], ...]


class ViscousTerms(NamedTuple):
    """Terms of a viscous gas that depend on what its volumes are.

    Parameters
    ----------
    gradients : with those of stresses
    walls : terms before and behind all others, of walls that it sticks to
    bare : terms there of a gas without such walls
    """

    gradients: type[Term]
    walls: tuple[Makers, Makers]
    bare: tuple[Makers, Makers]


ON_NODES = ViscousTerms(ViscousGradients, ((Stick,), (NoSlip,)), ((WallFields,), ()))
"""Terms of volumes about nodes, some of which stand on walls."""
