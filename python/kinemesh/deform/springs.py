"""Torsional springs: the inner nodes settle where the corners of their cells resist least.

Ma et al. (OpenACC deforming mesh), section 4; Farhat et al. (1998); docs/theory.md, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from kinemesh.arguments import checks_names
from kinemesh.deform.mover import OF_CLOUDS, Deformation
from kinemesh.deform.spring_mover import SpringMover
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError, SettingsError
from kinemesh.linear.natural import open_library
from kinemesh.space.vertices import MeshVertices, Vertices

SOLVERS = ("multigrid", "bicgstab", "ilu0")


@checks_names
@dataclass(frozen=True, slots=True)
class TorsionalSprings(Deformation):
    """Torsional springs, solved for the increments of the inner nodes.

    Parameters
    ----------
    solver : str         "multigrid" (conjugate gradients with smoothed aggregation), "bicgstab"
        (with DILU in colour order; its iterations grow with the mesh) or "ilu0" (BiCGSTAB with
        cuSPARSE's ILU(0) in the order of the mesh, to compare with: one member, NVIDIA GPUs only)
    tolerance : float    of the block-diagonally scaled residual, relative to that of no guess
    iterations : int     most iterations of one solve
    substeps : int       solves per physical step, each on the mesh that the last one left
    halvings : int       how often a part of a step that inverts a cell may be halved
    """

    solver: str = "multigrid"
    tolerance: float = 1e-5
    iterations: int = 2000
    substeps: int = 1
    halvings: int = 5
    name = "springs"
    bends = True
    stands = True

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise SettingsError(
                f"springs: solver is {self.solver!r}, expected one of {', '.join(SOLVERS)}"
            )
        number = isinstance(self.tolerance, int | float) and not isinstance(self.tolerance, bool)
        if not number or not 0 < self.tolerance < 1:
            raise SettingsError(
                f"springs: tolerance is {self.tolerance!r}, expected a number above 0, below 1"
            )
        for name in ("iterations", "substeps"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise SettingsError(f"springs: {name} is {value!r}, expected a number above 0")
        if (
            not isinstance(self.halvings, int)
            or isinstance(self.halvings, bool)
            or self.halvings < 0
        ):
            raise SettingsError(f"springs: halvings is {self.halvings!r}, expected 0 or more")

    def check(self, backend: Backend, members: int) -> None:
        """Refuse "ilu0" without a GPU with cuSPARSE, or for several members."""
        if self.solver != "ilu0":
            return
        if members != 1:
            raise SettingsError(
                f"springs: solver 'ilu0' solves for one member, got {members}; use solver "
                "'multigrid' for ensembles"
            )
        try:
            open_library(backend)
        except DeviceError as error:
            raise DeviceError(
                f"springs, solver 'ilu0': {error}; or use solver 'multigrid' or 'bicgstab', which "
                "run on any device"
            ) from None

    def check_vertices(self, vertices: Vertices) -> None:
        if not isinstance(vertices, MeshVertices):
            raise SettingsError(
                "springs need the cells of a mesh, and a cloud of points has none; "
                f"use {OF_CLOUDS[vertices.dimensions]}"
            )

    def attach(self, vertices: Vertices) -> SpringMover:
        self.check_vertices(vertices)
        assert isinstance(vertices, MeshVertices)
        self.check(vertices.backend, vertices.members)
        return SpringMover(vertices, self)
