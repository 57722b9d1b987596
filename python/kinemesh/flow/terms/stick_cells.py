"""Terms of a viscous gas on cells: gradients, walls that it sticks to (docs/theory.md, 9.7)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.bodies.walls import Walls
from kinemesh.device.fields import Fields
from kinemesh.errors import MeshError
from kinemesh.flow.door.sliding import of_faces
from kinemesh.flow.terms.base import Rows, Term
from kinemesh.flow.terms.gradients import CellGradients
from kinemesh.flow.terms.viscous import ViscousTerms, WallFields
from kinemesh.space.conditions.base import PLANE
from kinemesh.space.conditions.table import role_of, sticks
from kinemesh.space.patches import Patch

LOADED = ("reaction", "heat")
"""Arrays that walls keep of the gas, and restarts hold; loads are sums of the first."""


class ViscousCellGradients(CellGradients):
    """Gradients on cells, and in the field `slope` those of stresses: by least squares, unlimited.

    These have weights |d|^-2 over the cells across the faces, however limited ones are made.
    """

    def _begin(self, backend: Any) -> None:
        grid, fields = self.grid, self.fields
        symmetric = grid.dimensions * (grid.dimensions + 1) // 2
        whole = backend.zeros((grid.nodes, symmetric))
        fields.add(slope=backend.zeros(self.grad.shape), whole=whole)
        self._whole = fields.also(**grid.fitted_whole)
        grid.measure.follow(self._whole.bind("least_squares", inverse=whole, blunt=None))
        super()._begin(backend)

    def _from_q(self) -> list[Any]:
        return [*super()._from_q(), self._whole.bind("whole_gradient")]


def check_fits(grid: Any, whole: NDArray[Any]) -> None:
    """MeshError for a member most of whose cells have no gradients (cells, n) of least squares.

    A mesh in space of one layer is such a one: the cells across faces lie in one plane.
    """
    none = np.bincount(grid.member[~whole.any(axis=1)], minlength=grid.members)
    for member, (lost, all_) in enumerate(zip(none, np.diff(grid.first), strict=True)):
        if 2 * lost > all_:
            raise MeshError(
                f"{lost} of {all_} cells have all cells across their faces in one plane, as those "
                "of one layer have, and a viscous gas no stresses there; expected layers = 2 or "
                "more, or take km.Ale",
                member=member if grid.members > 1 else None,
            )


class StickingFaces(Term):
    """Walls that a gas sticks to, at the faces of cells: their motion, what passes through them.

    What else a viscous gas has at faces of the boundary is here, too: stresses across planes along
    which it slips.

    Attributes
    ----------
    faces : patches of these walls, one for each condition; those of all bodies are `grid.wall`,
        which keep what the gas does to them: `reaction`, and `heat` into walls of given temperature
    """

    name = WallFields.name

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        b, grid = case.backend, self.grid
        self.backend, self._speed = b, case.speed
        self._warm = {"wall_temperature": case.viscosity.wall_temperature}
        self.faces = [own for kind, own in grid.patches.items() if sticks(kind) and len(own)]
        self._planes = [
            own for kind, own in grid.patches.items() if role_of(kind) == PLANE and len(own)
        ]
        self._made: dict[str, dict[str, Any]] = {}
        self._slides: list[tuple[Patch, Walls, Any]] = []
        grid.wall.device.update(
            reaction=b.zeros((len(grid.wall), grid.dimensions), np.float64),
            heat=b.zeros(len(grid.wall), np.float64),
        )
        for patch in {own.name: own for own in (grid.wall, *self.faces)}.values():
            self._move(patch, of_faces(grid, patch, case.viscosity.sliding))
            patch.device["jump"] = b.zeros(len(patch))
            patch.device["compact"] = b.zeros(len(patch), np.float32)
            grid.measure.follow(self.at(patch).bind("wall_compact"))

    def _move(self, patch: Patch, sliding: Walls) -> None:
        """Let velocities of faces follow their middles, as those of nodes follow these."""
        b, grid, shape = self.backend, self.grid, (len(patch), self.grid.dimensions)
        made = {name: b.zeros(shape, np.float64) for name in ("dx1", "dx2", "velocity")}
        self._made[patch.name] = made
        if sliding.slides:
            made["slide"] = b.array(self._speed[patch.member][:, None] * sliding.own, np.float64)
            self._slides.append((patch, sliding, made["slide"]))
        patch.device.update(made)
        before, number = b.zeros(shape, np.float64), np.arange(len(patch), dtype=np.int32)
        copy = f"copy_f64_{grid.dimensions}"
        grid.keep_levels.follow(b.bind(copy, **{"from": made["dx1"], "to": made["dx2"]}))
        own = self.fields.also(**patch.device)
        middles = {"x": patch.device["xf"], "x1": before, "member": b.table(patch.member)}
        grid.sweep.follow(
            own.bind("face_middles", x=grid.x1, xf=before),
            own.bind("wall_move", node=b.table(number), **middles),
        )

    def at(self, patch: Patch) -> Fields:
        """Fields of the faces of a patch."""
        found: Fields = self.fields.also(**patch.device, **self._warm)
        return found

    def residual(self) -> list[Any]:
        return [self.at(self.grid.wall).bind("wall_stress"), *self.perturbed()]

    def perturbed(self) -> list[Any]:
        found = [self.at(own).bind("bc_stick", over) for own in self.faces for over in own.layers]
        return found + [
            self.at(own).bind("bc_slip_stress", over) for own in self._planes for over in own.layers
        ]

    def matrix(self, rows: Rows) -> list[Any]:
        calls = []
        for patch in self.faces:
            slot = rows.fields.backend.table(rows.diagonal[patch.node])
            own = {**patch.device, **rows.sides[patch.name], **self._warm, "slot": slot}
            fields = rows.fields.also(**own)
            calls += [
                fields.bind("bc_stick_jacobian", over, suffix=rows.suffix) for over in patch.layers
            ]
        for patch in self._planes:
            slot = rows.fields.backend.table(rows.diagonal[patch.node])
            own = {**patch.device, **rows.sides[patch.name], "slot": slot}
            fields = rows.fields.also(**own)
            calls += [
                fields.bind("bc_slip_jacobian", over, suffix=rows.suffix) for over in patch.layers
            ]
        return calls

    def place(self, placement: Placement) -> None:
        for patch, sliding, slide in self._slides:
            turned, _ = sliding.slide(placement)
            self.backend.put(slide, self._speed[patch.member][:, None] * turned)

    @property
    def kept(self) -> dict[str, Any]:
        found = {f"{name}_dx1": made["dx1"] for name, made in self._made.items()}
        return found | {f"wall_{name}": self.grid.wall.device[name] for name in LOADED}


BOTH = ((), (StickingFaces,))
ON_CELLS = ViscousTerms(ViscousCellGradients, BOTH, BOTH)
"""Terms of cells, whose faces are those of walls."""
