"""Vertex-centred implicit ALE solver of a gas on moving, deforming meshes in the plane or in space.

Ma et al. (OpenACC deforming mesh), section 3 and 5; docs/theory.md, section 2.  Python puts the
kernels together; everything of a time step stays on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.deform import Deformation, Rigid, TorsionalSprings
from kinemesh.device.backend import Backend
from kinemesh.dimension import dimension_of
from kinemesh.errors import SettingsError
from kinemesh.flow.door.arguments import (
    Arguments,
    Markers,
    arguments_of,
    assign_markers,
    meshes_of,
    settings_of,
)
from kinemesh.flow.door.resolution import (
    CURES,
    tell_of_cells,
    tell_of_triangles,
    thin_triangles,
)
from kinemesh.flow.door.space import (
    CHECKS,
    check_kinds,
    check_mirrors,
    check_planes,
    symmetry_planes,
)
from kinemesh.flow.door.viscosity import MOVED, Viscosity, laws_of
from kinemesh.flow.gas.ale_settings import AleSettings
from kinemesh.flow.gas.friction import Friction, Slip
from kinemesh.flow.gas.implicit import Implicit, Operator
from kinemesh.flow.gas.lusgs import Lusgs
from kinemesh.flow.gas.newton import Newton
from kinemesh.flow.gas.solver import Solver, Terms
from kinemesh.flow.memory import like
from kinemesh.flow.terms.base import Term
from kinemesh.flow.terms.boundary import Boundary, Vortex
from kinemesh.flow.terms.convection import FACE_LOOPS, Balance, FaceFluxes
from kinemesh.flow.terms.gradients import Gradients
from kinemesh.flow.terms.mirrors import Mirrors
from kinemesh.flow.terms.turbulence import model_of
from kinemesh.flow.terms.viscous import (
    ON_NODES,
    ViscousBoundary,
    ViscousFluxes,
    ViscousTerms,
)
from kinemesh.linear import Pattern
from kinemesh.linear.lines import colour_along_lines
from kinemesh.linear.thin_layers import Layers, layers_of
from kinemesh.mesh import Mesh
from kinemesh.space.conditions.base import FACES, Condition
from kinemesh.space.conditions.table import ends_of
from kinemesh.space.faces import FaceVolumes
from kinemesh.space.grid import Grid
from kinemesh.space.solid_cells import SolidCells
from kinemesh.space.solids import SolidGrid
from kinemesh.space.vertices import MeshVertices

DEFORM: dict[int, type[Deformation]] = {2: TorsionalSprings, 3: Rigid}
"""Deformations of cases that name none, by dimensions."""

THIN: dict[int, Callable[[Any, int], str]] = {
    2: thin_triangles,
    3: lambda grid, member: "",  # where no gradients are fitted
}
"""Words on triangles too thin, by dimensions."""

NOTES: dict[int, tuple[Callable[[Any], list[str]], ...]] = {
    2: (tell_of_cells, tell_of_triangles),
    3: (tell_of_cells,),
}
"""Words said of meshes, by dimensions."""


@checks_names
class Ale(Solver):
    """A case, or an ensemble of cases, on moving meshes in the plane or in space.

    In space x is downstream, y along the span and z up.  The angle of attack and a pitching motion
    turn in planes of x and z; `about` and `moment_about` are points (x, z).  There the mesh moves
    as one with its body, and markers with a word that begins with symm are planes of symmetry where
    `boundaries` names none.

    Parameters
    ----------
    mesh : Mesh, or a sequence with one per member
    mach, alpha_deg : float or sequence    Mach number and angle of attack of the stream [-], [deg];
        the angle turns the stream, not the mesh
    stream : 1 or 0, or a sequence    speed of the stream over that of the Mach number; 0 is a gas
        at rest, whose coefficients refer to `mach`
    motion : Motion, or {marker: Motion}, or a sequence of these; None: the bodies are at rest
    structure : of kinemesh.structure, as TypicalSection or Springs, or {marker: one}, a sequence of
        these, on which the body stands, beside a motion of what it does not move
        (docs/flutter.md); sections in the plane
    deform : Deformation                   how inner nodes follow (default: torsional springs)
    device, dtype : see `kinemesh.device.backend.Backend`
    settings : AleSettings
    walls, far : markers of the walls, and of the far field; with one of the two given, all other
        markers are of the other kind; with neither, the closed curve about all others is the far
        field (docs/meshes.md); bodies are in the order of `walls`, else of the mesh
    boundaries : {marker: kind} of boundaries that are neither: "symmetry", a plane that the flow
        does not cross and whose pressures are no loads; `km.inlet(total_pressure=...)` and
        `km.outlet(pressure=...)` of a channel, which needs no far field then
    moment_about : (x, y) of the point that moments refer to, on the first body as given [lengths
        of the mesh]; default (0.25, 0); the point moves with that body
    chord : float    reference chord of coefficients and reduced frequencies [lengths of the mesh];
        default 1, where a single body of another measured chord is refused; in the plane alone
    reference_area, reference_length : float    reference values of the coefficients [lengths of
        the mesh, the area squared in space]; default: the chord in the plane, 1 in space; for a
        half wing give the area of the half.  In space reduced frequencies refer to that length too
    loads : names of walls whose loads cl, cd, cm and power are; default: all, but beside a body
        in a channel, between inlets and outlets, not the channel's walls
    reynolds : float or sequence    Reynolds number of the stream: a viscous gas, that sticks to its
        walls (theory, section 9); None: inviscid, and neither of the arguments below
    turbulence : None (laminar) or "sa", the model of Spalart and Allmaras
    viscosity : kinemesh.Viscosity    temperatures of stream and walls, Prandtl numbers, the length
        of the Reynolds number, walls that slide; None: its defaults

    Attributes
    ----------
    u, q : (nodes, 4) device arrays        conserved (rho, rho u, rho v, rho E), primitive state
    grid : Grid, or of a subclass the volumes that `volumes` names
    backend : Backend

    Raises
    ------
    MeshError        walls, far field or chord are not clear from the mesh
    SettingsError    an argument outside of its range, or arguments that contradict each other
    DeviceError      no such device, or not enough memory on it
    """

    method = "ale"
    settings_type: ClassVar[type[AleSettings]] = AleSettings
    moved: ClassVar[Mapping[str, str]] = MOVED
    family = FACES
    gradients: ClassVar[type[Term]] = Gradients
    viscous: ClassVar[ViscousTerms] = ON_NODES
    friction_type: ClassVar[type[Friction]] = Friction
    levels: ClassVar[bool] = True
    volumes: ClassVar[type[FaceVolumes]] = Grid
    solids: ClassVar[type[SolidGrid | SolidCells]] = SolidGrid
    grid: FaceVolumes

    def __init__(
        self,
        mesh: Mesh | Sequence[Mesh],
        *,
        mach: float | Sequence[float],
        stream: float | Sequence[float] = 1.0,
        alpha_deg: float | Sequence[float] = 0.0,
        motion: Any = None,
        structure: Any = None,
        deform: Deformation | None = None,
        device: str = "auto",
        dtype: str = "float64",
        settings: AleSettings | None = None,
        walls: Sequence[str] | None = None,
        far: Sequence[str] | None = None,
        boundaries: Mapping[str, str | Condition] | None = None,
        moment_about: tuple[float, float] | None = None,
        chord: float | None = None,
        reynolds: float | Sequence[float] | None = None,
        turbulence: str | None = None,
        viscosity: Viscosity | None = None,
        reference_area: float | None = None,
        reference_length: float | None = None,
        loads: Sequence[str] | str | None = None,
    ) -> None:
        dimension = dimension_of(mesh)
        self.viscosity = gas = laws_of(reynolds, turbulence, viscosity)
        arguments = arguments_of(
            mesh,
            gas.complete(
                settings_of(settings, self.settings_type),
                dimension,
                dtype == "float64",
                boundaries,
            ),
            self.backend_type(device, dtype),
            deform=DEFORM[dimension.count]() if deform is None else deform,
            streams={"mach": mach, "alpha_deg": alpha_deg, "reynolds": reynolds, "stream": stream},
            check=gas.streams,
            boundaries=boundaries,
            motion=motion,
            structure=structure,
            moment_about=moment_about,
            chord=chord,
            reference_area=reference_area,
            reference_length=reference_length,
            loads=loads,
        )
        gas.check(arguments.settings)
        if not arguments.settings.single and arguments.backend.dtype != "float64":
            raise SettingsError(
                f"newton is True and dtype is {arguments.backend.dtype!r}, whose differences of "
                "residuals are round-off; take dtype = 'float64', or newton = False",
                argument="newton",
            )
        meshes = meshes_of(mesh, arguments.members)
        CHECKS["mesh", dimension.count](self, arguments)
        planes, others = symmetry_planes(None, meshes, boundaries)
        check_kinds(others, dimension)
        self.counted.fits(arguments, meshes)
        self.more = gas.told
        markers = assign_markers(
            meshes, arguments, type(self), walls=walls, far=far, boundaries=others, planes=planes
        )
        gas.check_walls(meshes, markers.conditions)
        grid = self._volumes(arguments, meshes, markers, planes)
        gas.fit(grid, arguments.settings.gradients_by)
        check_planes(grid, markers.measured)
        super().__init__(arguments, markers, grid)
        check_mirrors(self)
        self.check_slopes()
        for tell in NOTES[dimension.count]:
            self.notes += tell(self)

    def _volumes(
        self, arguments: Arguments, meshes: list[Mesh], markers: Markers, planes: list[str]
    ) -> FaceVolumes:
        """Volumes of the meshes, by their dimensions."""
        b, coloured = arguments.backend, FACE_LOOPS[arguments.settings.face_loop].coloured
        make: dict[int, Callable[..., FaceVolumes]] = {2: self._of_plane, 3: self.solids.of}
        return make[meshes[0].dimensions](b, meshes, markers.by_kind, planes, coloured)

    def _of_plane(
        self, backend: Backend, meshes: list[Mesh], markers: Any, _: Any, coloured: bool
    ) -> FaceVolumes:
        return self.volumes(MeshVertices(backend, meshes, markers), coloured=coloured)

    def terms_of(self) -> Terms:
        far = (Vortex,) if self.settings.far_field == "vortex" else ()
        planes = (Mirrors,) if self.grid.symmetric else ()
        if not self.viscosity.viscous:
            return (self.gradients, FaceFluxes, Balance, *far, Boundary, *planes)
        model = model_of(self.viscosity.turbulence)
        own = self.viscous
        first, last = own.walls if len(self.grid.wall) else own.bare
        return (
            *first, own.gradients, model.viscosity, ViscousFluxes, Balance, *far,
            ViscousBoundary, *planes, *last, *model.equations,
        )  # fmt: skip

    def start_from(self, start: str) -> None:
        super().start_from(start)
        if start != "stream":
            return
        self.grid.set_time_levels(np.ones(self.grid.members), 0)
        self.grid.sweep()
        for term in self.terms.values():  # walls at rest, and the gas there with them
            for call in term.stand():
                call()
        self.settle()

    def friction_of(self) -> type[Slip]:
        return self.friction_type if self.viscosity.viscous else Slip

    @property
    def counted(self) -> Any:
        made = like(type(self), self.viscosity.small)
        if self.viscosity.thin:  # and so a class of its own
            made.levels = True
        return made

    @property
    def viscosities(self) -> NDArray[np.float64]:
        """(members,) viscosity of the streams [rho_inf a_inf, lengths of the mesh]."""
        length = self.viscosity.length * self.reference[1]
        return self.mach * length / self.streams["reynolds"]

    def operator(self) -> Operator:
        s = self.settings
        if s.linear_solver == "lusgs":
            for marker, own in ends_of(self.conditions).items():
                raise SettingsError(
                    f"boundaries: {marker!r} is {own.words}, which linear_solver = 'lusgs' has "
                    "not; take 'bicgstab'"
                )
            self.check_swept()
            return Lusgs(self.pattern, "lusgs_sweep", self.fields, s.lusgs_sweeps)
        return Implicit(
            self.fields,
            self.pattern,
            dtype=s.matrix_dtype,
            tolerance=self.tolerance,
            most=s.krylov_iterations,
        )

    def beyond(self) -> Newton | None:
        return Newton(self) if self.settings.newton else None

    @cached_property
    def layers(self) -> Layers | None:
        """Lines of thin cells and coarse levels under the matrix, of solvers with `levels`."""
        grid = self.grid
        if not (self.levels or self.viscosity.thin):
            return None
        points = [grid.points[slice(*grid.first[m : m + 2])] for m in grid.alike.lead]
        return layers_of(self.backend, self.pattern, grid.alike, grid.graphs, points)

    def likely(self, member: int) -> str:
        if not isinstance(self.grid, Grid):
            return ""
        found = THIN[self.grid.dimensions](self.grid, member)
        return f"{CURES}, as {found}" if found else ""

    @cached_property
    def pattern(self) -> Pattern:
        """Pattern of the volumes and their neighbours, of a matrix coloured along thin cells."""
        b, grid, alone = self.backend, self.grid, []
        if self.settings.linear_solver == "lusgs":
            return Pattern.of_graphs(b, grid.alike, grid.graphs)
        for lead, graph in zip(grid.alike.lead, grid.graphs, strict=True):
            points = grid.points[slice(*grid.first[lead : lead + 2])]
            colours = colour_along_lines(b, *graph, points)
            alone.append(Pattern.of_graph(b, *graph, colours=colours))
        return Pattern.of_members(grid.alike, alone)
