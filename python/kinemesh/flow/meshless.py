"""Meshless solver of the Euler equations on moving clouds of points.

Zhang et al. (2018), Wang et al. (dynamic clouds); docs/meshless.md.  Python puts the kernels
together; everything of a time step stays on the device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.cloud.cloud import Cloud
from kinemesh.deform import Deformation, Delaunay, Rigid
from kinemesh.dimension import dimension_of
from kinemesh.flow.door.arguments import arguments_of, assign_markers, clouds_of, settings_of
from kinemesh.flow.door.space import CHECKS, check_planes, check_stream, symmetry_planes
from kinemesh.flow.gas.implicit import Implicit, Operator
from kinemesh.flow.gas.lusgs import Lusgs, SpaceLusgs
from kinemesh.flow.gas.meshless_settings import MeshlessSettings, completed
from kinemesh.flow.gas.solver import Solver, Terms
from kinemesh.flow.gas.stages import Stages
from kinemesh.flow.terms.boundary import Boundary, Vortex
from kinemesh.flow.terms.convection import CLOUD_FLUXES, CloudFluxes
from kinemesh.flow.terms.gradients import CloudGradients
from kinemesh.linear import Pattern
from kinemesh.space.conditions.base import CLOUD, Condition
from kinemesh.space.points import CloudGrid
from kinemesh.space.vertices import Vertices


def default_deform(cloud: Any) -> Deformation:
    """Delaunay graph mapping in the plane, rigid motion in space."""
    return DEFORM[dimension_of(cloud).count]()


DEFORM: dict[int, type[Deformation]] = {2: Delaunay, 3: Rigid}


@checks_names
class Meshless(Solver):
    """A case, or an ensemble of cases, on moving clouds of points in the plane or in space.

    In space x is downstream, y along the span and z up.  The angle of attack and a pitching motion
    turn in planes of x and z; `about` and `moment_about` are points (x, z).

    Parameters
    ----------
    cloud : Cloud, or a sequence with one per member
    deform : Deformation     how inner points follow (default: Delaunay graph mapping; in space
        rigid motion)
    settings : MeshlessSettings
    symmetry : markers of a plane of symmetry, in space by default those with a word that begins
        with symm; the same as "symmetry" in `boundaries`
    reference_area, reference_length : float    reference values of the coefficients [lengths of
        the cloud, the area squared in space]; default: the chord in the plane, 1 in space; for a
        half wing give the area of the half.  In space reduced frequencies refer to that length too
    chord : float    reference chord, as in `kinemesh.Ale`; in the plane alone
    mach, alpha_deg, motion, device, dtype, walls, far, boundaries, moment_about, loads    as in
        `kinemesh.Ale`; inlets and outlets there are on meshes alone

    Attributes
    ----------
    u, q : (nodes, variables) device arrays    conserved (rho, rho velocity, rho E), primitive
    grid : CloudGrid
    backend : Backend
    """

    method = "meshless"
    family = CLOUD
    planes_shift = True
    grid: CloudGrid

    def __init__(
        self,
        cloud: Cloud | Sequence[Cloud],
        *,
        mach: float | Sequence[float],
        alpha_deg: float | Sequence[float] = 0.0,
        motion: Any = None,
        structure: Any = None,
        deform: Deformation | None = None,
        device: str = "auto",
        dtype: str = "float64",
        settings: MeshlessSettings | None = None,
        walls: Sequence[str] | None = None,
        far: Sequence[str] | None = None,
        boundaries: Mapping[str, str | Condition] | None = None,
        moment_about: tuple[float, float] | None = None,
        symmetry: Sequence[str] | None = None,
        chord: float | None = None,
        reference_area: float | None = None,
        reference_length: float | None = None,
        loads: Sequence[str] | str | None = None,
    ) -> None:
        arguments = arguments_of(
            cloud,
            completed(settings_of(settings, MeshlessSettings), cloud),
            self.backend_type(device, dtype),
            deform=default_deform(cloud) if deform is None else deform,
            streams={"mach": mach, "alpha_deg": alpha_deg},
            boundaries=boundaries,
            motion=motion,
            structure=structure,
            moment_about=moment_about,
            chord=chord,
            reference_area=reference_area,
            reference_length=reference_length,
            loads=loads,
        )
        clouds = clouds_of(cloud, arguments.members)
        CHECKS["cloud", clouds[0].dimension.count](self, arguments)
        planes, others = symmetry_planes(symmetry, clouds, boundaries)
        markers = assign_markers(
            clouds, arguments, type(self), walls=walls, far=far, boundaries=others, planes=planes
        )
        self.fits(arguments, clouds)
        power = 2 if arguments.settings.weight_power == 2 else 1
        vertices = Vertices(arguments.backend, clouds, markers.by_kind, planes)
        grid = CloudGrid(vertices, planes, power)
        check_planes(grid, markers.measured)
        super().__init__(arguments, markers, grid)
        check_stream(self)

    def terms_of(self) -> Terms:
        far = (Vortex,) if self.settings.far_field == "vortex" else ()
        return (CloudGradients, CloudFluxes, *far, Boundary)

    def operator(self) -> Operator:
        s = self.settings
        self.pattern = Pattern.of_graphs(self.backend, self.grid.alike, self.grid.graphs)
        if s.time == "rk":
            return Stages(self.fields, CLOUD_FLUXES[s.flux].stages, s.rk_cfl, self.again())
        return self._matrix() if s.matrix else self._lusgs()

    def _matrix(self) -> Implicit:
        s = self.settings
        return Implicit(
            self.fields,
            self.pattern,
            dtype=s.matrix_dtype,
            tolerance=None if s.time == "lusgs" else self.tolerance,
            most=s.lusgs_sweeps if s.time == "lusgs" else s.krylov_iterations,
        )

    def marks(self) -> dict[str, NDArray[Any]]:
        own = [pattern.colour() for pattern in self.pattern.alone or [self.pattern]]
        return {"Colour": self.grid.items.stack(own)}

    def _lusgs(self) -> Lusgs:
        self.check_swept()
        return {2: self._in_plane, 3: self._of_space}[self.grid.dimensions](
            self.settings.lusgs_sweeps
        )

    def _in_plane(self, sweeps: int) -> Lusgs:
        grid = self.grid
        walls = {name: grid.wall.device[name] for name in ("normal", "gap")}
        fields = self.fields.also(wall=grid.wall_number, **walls)
        return Lusgs(self.pattern, "cloud_lusgs", fields, sweeps)

    def _of_space(self, sweeps: int) -> Lusgs:
        return SpaceLusgs(self.grid, self.pattern, self.fields, self.settings.max_change, sweeps)
