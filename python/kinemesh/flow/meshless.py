"""Meshless solver of the Euler equations on moving clouds of points.

Zhang et al. (2018), Wang et al. (dynamic clouds); docs/meshless.md.  Python puts the kernels
together; everything of a time step stays on the device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray

from kinemesh.arguments import checks_names, is_several
from kinemesh.cloud.cloud import Cloud
from kinemesh.errors import SettingsError
from kinemesh.flow.door.arguments import (
    Arguments,
    arguments_of,
    assign_markers,
    clouds_of,
    settings_of,
)
from kinemesh.flow.gas.implicit import Implicit, Operator
from kinemesh.flow.gas.lusgs import Lusgs, SpaceLusgs
from kinemesh.flow.gas.meshless_settings import MeshlessSettings, completed
from kinemesh.flow.gas.solver import Solver, Terms
from kinemesh.flow.gas.stages import Stages
from kinemesh.flow.terms.boundary import Boundary, Vortex
from kinemesh.flow.terms.convection import CLOUD_FLUXES, CloudFluxes
from kinemesh.flow.terms.gradients import CloudGradients
from kinemesh.linear import Pattern
from kinemesh.motion.deform import Deformation, Delaunay, Rigid
from kinemesh.sentences import Option
from kinemesh.space.conditions.base import CLOUD, PLANE, Condition
from kinemesh.space.conditions.table import conditions_of
from kinemesh.space.conditions.words import Symmetry
from kinemesh.space.markers import planes_of
from kinemesh.space.points import CloudGrid
from kinemesh.space.vertices import Vertices


def in_space(cloud: Any) -> bool:
    """True where the first of the clouds is in space."""
    first = next(iter(cloud)) if is_several(cloud) and len(cloud) else cloud
    return isinstance(first, Cloud) and first.points.shape[1] == 3


def default_deform(cloud: Any) -> Deformation:
    """Delaunay graph mapping in the plane, rigid motion in space."""
    return Rigid() if in_space(cloud) else Delaunay()


def check_space(arguments: Arguments) -> None:
    """SettingsError for what there is in the plane alone."""
    if arguments.settings.far_field == "vortex":
        raise SettingsError(
            "far_field is 'vortex', which is of plane flow; use ",
            Option("far_field", "stream"),
            " in space",
            argument="far_field",
        )
    if isinstance(arguments.deform, Delaunay):
        raise SettingsError(
            f"deform is {arguments.deform!r}, which moves clouds in the plane; in space use Rigid()"
        )
    if arguments.chord is not None:
        raise SettingsError(
            f"chord is {arguments.chord:g}, which is of the plane; in space give reference_area "
            "and reference_length"
        )


def symmetry_planes(
    symmetry: Any, clouds: Sequence[Cloud], boundaries: Any
) -> tuple[list[str], dict[str, Any]]:
    """Markers of planes of symmetry in space, where they are no patches, and other boundaries.

    In the plane a plane of symmetry is a condition as others are.
    """
    named = conditions_of(boundaries)
    slip = [marker for marker, own in named.items() if own.role == PLANE]
    if not in_space(clouds):
        planes = [] if symmetry is None else planes_of(symmetry, clouds)
        twice = [marker for marker in planes if marker in named]
        if twice:
            raise SettingsError(f"markers {twice} are both in symmetry and in boundaries")
        return [], named | dict.fromkeys(planes, Symmetry())
    others = {marker: own for marker, own in named.items() if marker not in slip}
    if symmetry is None:
        return planes_of(slip or None, clouds), others
    planes = planes_of(symmetry, clouds)
    if slip and set(slip) != set(planes):
        raise SettingsError(
            f"symmetry is {planes}, and boundaries names the planes {slip}; expected one of the two"
        )
    return planes, others


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
        half wing give the area of the half
    chord : float    reference chord, as in `kinemesh.Ale`; in the plane alone
    mach, alpha_deg, motion, device, dtype, walls, far, boundaries, moment_about    as in
        `kinemesh.Ale`; inlets and outlets there are on meshes alone

    Attributes
    ----------
    u, q : (nodes, variables) device arrays    conserved (rho, rho velocity, rho E), primitive
    grid : CloudGrid
    backend : Backend
    """

    method = "meshless"
    family = CLOUD
    terms_of: ClassVar[Terms] = (CloudGradients, CloudFluxes, Vortex, Boundary)
    grid: CloudGrid

    def __init__(
        self,
        cloud: Cloud | Sequence[Cloud],
        *,
        mach: float | Sequence[float],
        alpha_deg: float | Sequence[float] = 0.0,
        motion: Any = None,
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
    ) -> None:
        arguments = arguments_of(
            cloud,
            completed(settings_of(settings, MeshlessSettings), cloud),
            self.backend_type(device, dtype),
            deform=default_deform(cloud) if deform is None else deform,
            streams={"mach": mach, "alpha_deg": alpha_deg},
            boundaries=boundaries,
            motion=motion,
            moment_about=moment_about,
            chord=chord,
            reference_area=reference_area,
            reference_length=reference_length,
            axes="x, z" if in_space(cloud) else "x, y",
        )
        clouds = clouds_of(cloud, arguments.members)
        plane = clouds[0].points.shape[1] == 2
        if not plane:
            check_space(arguments)
        planes, others = symmetry_planes(symmetry, clouds, boundaries)
        markers = assign_markers(
            clouds, arguments, type(self), walls=walls, far=far, boundaries=others, planes=planes
        )
        self.fits(arguments, clouds)
        power = 2 if arguments.settings.weight_power == 2 else 1
        vertices = Vertices(arguments.backend, clouds, markers.by_kind, planes)
        super().__init__(arguments, markers, CloudGrid(vertices, planes, power))

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
        grid, sweeps = self.grid, self.settings.lusgs_sweeps
        if grid.dimensions == 3:
            return SpaceLusgs(grid, self.pattern, self.fields, self.settings.max_change, sweeps)
        walls = {name: grid.wall.device[name] for name in ("normal", "gap")}
        fields = self.fields.also(wall=grid.wall_number, **walls)
        return Lusgs(self.pattern, "cloud_lusgs", fields, sweeps)
