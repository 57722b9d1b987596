"""Meshless solver of the Euler equations on moving clouds of points.

Zhang et al. (2018), Wang et al. (dynamic clouds); docs/meshless.md.  Python puts the kernels
together; everything of a time step stays on the device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from kinemesh.arguments import checks_names, is_several
from kinemesh.cloud.cloud import Cloud
from kinemesh.errors import SettingsError
from kinemesh.flow.arguments import (
    Arguments,
    arguments_of,
    assign_markers,
    clouds_of,
    settings_of,
)
from kinemesh.flow.boundary import Boundaries
from kinemesh.flow.gradients import Gradients
from kinemesh.flow.implicit import Implicit
from kinemesh.flow.lusgs import Lusgs, SpaceLusgs
from kinemesh.flow.meshless_settings import MeshlessSettings, completed
from kinemesh.flow.solver import Solver
from kinemesh.linear import Bicgstab, Pattern, Sweeps
from kinemesh.motion.deform import Deformation, Delaunay, Rigid
from kinemesh.sentences import Option
from kinemesh.space.markers import kinds_of, planes_of
from kinemesh.space.points import CloudGrid
from kinemesh.space.vertices import Vertices

# Shares of the step: for upwind fluxes of second order van Leer, Tai and Powell (1989), for
# central ones Jameson, Schmidt and Turkel (1981).
STAGES = {"roe": (0.0695, 0.1602, 0.2898, 0.5060, 1.0), "jst": (1 / 4, 1 / 6, 3 / 8, 1 / 2, 1.0)}


def in_space(cloud: Any) -> bool:
    """Whether the first of the clouds is one in space."""
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


def symmetry_planes(symmetry: Any, clouds: Sequence[Cloud], boundaries: Any) -> list[str]:
    """Markers of planes of symmetry in space; in the plane those are a kind of boundary."""
    if in_space(clouds):
        slip = kinds_of(boundaries, clouds)["symmetry"]
        if slip:
            raise SettingsError(
                f"boundaries: {slip} are 'symmetry', which is a kind in the plane alone; in space "
                f"give symmetry={slip}"
            )
        return planes_of(symmetry, clouds)
    planes = [] if symmetry is None else planes_of(symmetry, clouds)
    if planes:
        raise SettingsError(
            f"symmetry is {planes}, which is for clouds in space; in the plane give "
            f"boundaries={dict.fromkeys(planes, 'symmetry')}"
        )
    return []


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
    symmetry : markers of a plane of symmetry (default: markers with a word that begins with symm)
    reference_area, reference_length : float    reference values of the coefficients [lengths of
        the cloud, the area squared in space]; default: the chord in the plane, 1 in space; for a
        half wing give the area of the half
    chord : float    reference chord, as in `kinemesh.Ale`; in the plane alone
    boundaries : {marker: kind} as in `kinemesh.Ale`; "symmetry" in the plane alone
    mach, alpha_deg, motion, device, dtype, walls, far, moment_about    as in `kinemesh.Ale`

    Attributes
    ----------
    u, q : (nodes, variables) device arrays    conserved (rho, rho velocity, rho E), primitive
    grid : CloudGrid
    backend : Backend
    """

    method = "meshless"
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
        boundaries: Mapping[str, str] | None = None,
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
        planes = symmetry_planes(symmetry, clouds, boundaries)
        markers = assign_markers(
            clouds, arguments, walls=walls, far=far, boundaries=boundaries, planes=planes
        )
        self._ask(arguments, clouds)
        power = 2 if arguments.settings.weight_power == 2 else 1
        vertices = Vertices(arguments.backend, clouds, markers.by_kind, planes)
        super().__init__(arguments, markers, CloudGrid(vertices, planes, power))
        self._make()

    def _make(self) -> None:
        """Gradients, fluxes and the calls of a pseudo-step."""
        b, grid, s = self.backend, self.grid, self.settings
        limited = s if s.flux == "roe" else replace(s, limiter="none")
        self.gradients = Gradients(grid, self.fields, limited, "cloud", grid.symmetric)
        self.fields.add(grad=self.gradients.grad)
        if grid.dimensions == 3:
            self.fields.add(radius=b.zeros(grid.nodes))
        self.pattern = Pattern.of_graphs(b, grid.alike, grid.graphs)
        self.boundaries = Boundaries(self.fields, grid.patches, "cloud")
        self.fluxes = [*self._flux_calls(), *self.vortex, *self.boundaries.residual()]
        if s.time == "rk":
            self._steps = self._stage_calls([*self.gradients.again, *self.fluxes])
        else:
            self.implicit = self._matrix() if s.matrix else self._lusgs()
            self._steps = self._pseudo_step_calls(self.implicit)

    def residual(self) -> list[Any]:
        return [*self.gradients.calls, *self.fluxes]

    def pseudo_step(self) -> list[Any]:
        return self._steps

    def _flux_calls(self) -> list[Any]:
        s, b, n = self.settings, self.backend, self.grid.nodes
        if s.flux == "roe":
            return [
                self.fields.bind("cloud_roe_van_leer" if s.limiter == "vanleer" else "cloud_roe")
            ]
        made = self.fields.also(sensor=b.zeros(n), k2=s.jst_k2, k4=s.jst_k4)
        if self.grid.dimensions == 3:
            return [made.bind("cloud_sensor"), made.bind("cloud_jst")]
        rough = b.zeros(self.q.shape)
        return [made.bind("cloud_roughness", rough=rough), made.bind("cloud_jst", rough=rough)]

    def _stage_calls(self, residual: list[Any]) -> list[Any]:
        """Calls from res to the new u: the stages of the Runge-Kutta scheme.

        Between them `residual`, from q to res: a stage gives q as well, and leaves u as the plane
        of symmetry wants it, since no residual there is across.
        """
        b, grid = self.backend, self.grid
        made = self.fields.also(u0=b.zeros(self.u.shape), step=b.zeros(grid.nodes))
        stages = [made.bind("cloud_stage", share=share) for share in STAGES[self.settings.flux]]
        calls = [made.bind("cloud_step", rk_cfl=self.settings.rk_cfl), stages[0]]
        for stage in stages[1:]:
            calls += [*residual, stage]
        return calls

    def _matrix(self) -> Implicit:
        s = self.settings
        return Implicit(
            self.fields,
            self.pattern,
            dtype=s.matrix_dtype,
            tolerance=None if s.time == "lusgs" else self.tolerance,
            most=s.lusgs_sweeps if s.time == "lusgs" else s.krylov_iterations,
        )

    def _matrix_calls(
        self, pattern: Pattern, solver: Bicgstab | Sweeps, state: dict[str, Any], single: bool
    ) -> list[Any]:
        points, sides = self.grid.in_precision(single)
        fields = self.matrix_fields(pattern, solver, state).also(**points)
        diagonal = pattern.diagonal[pattern.row_of]
        return [
            fields.bind("cloud_jacobian", suffix=solver.suffix),
            *self.boundaries.jacobian(fields, diagonal, sides, solver.suffix),
        ]

    def marks(self) -> dict[str, NDArray[Any]]:
        own = [pattern.colour() for pattern in self.pattern.alone or [self.pattern]]
        return {"Colour": self.grid.items.stack(own)}

    def _lusgs(self) -> Lusgs:
        grid, sweeps = self.grid, self.settings.lusgs_sweeps
        if grid.dimensions == 3:
            return SpaceLusgs(grid, self.pattern, self.fields, self.settings.max_change, sweeps)
        walls = {name: grid.wall.device[name] for name in ("normal", "gap")}
        fields = self.fields.also(wall=grid.wall_number, **walls)
        return Lusgs(self.pattern, "cloud_lusgs", fields, sweeps)
