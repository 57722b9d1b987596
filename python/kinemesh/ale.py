"""Vertex-centred implicit ALE solver of the Euler equations on moving, deforming plane meshes.

Ma et al. (OpenACC deforming mesh), section 3 and 5; docs/theory.md, section 2.  Python puts the
kernels together; everything of a time step stays on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh import memory
from kinemesh.backend import DTYPES, Backend
from kinemesh.boundary import Boundaries, conserved, free_stream
from kinemesh.conditions import (
    instance,
    member_count,
    meshes_of,
    motions_of,
    numbers,
    point_of,
    states_of,
    walls_of,
)
from kinemesh.deform import Deformation, TorsionalSprings
from kinemesh.dualtime import DualTime
from kinemesh.errors import SettingsError
from kinemesh.faults import NONE, raise_faults
from kinemesh.forces import Forces
from kinemesh.grid import Grid
from kinemesh.implicit import Implicit
from kinemesh.lusgs import Lusgs
from kinemesh.mesh import Mesh
from kinemesh.motion import Pose

FLUXES = ("roe", "hllc")
LIMITERS = ("wang", "venkatakrishnan", "none")
LIMITER_K = {"wang": 0.05, "venkatakrishnan": 5.0}  # docs/convergence.md
FAR_FIELDS = ("stream", "vortex")
LINEAR = ("bicgstab", "lusgs")


@dataclass(frozen=True, slots=True)
class AleSettings:
    """Settings of the ALE solver.

    Parameters
    ----------
    flux : "roe" or "hllc"
    limiter : "wang" (threshold a share of the variable's range), "venkatakrishnan" or "none"
    limiter_k : float          Wang's share (0.05 where none is given), or Venkatakrishnan's K (5),
        which multiplies the size of a cell (theory eq. 2.4)
    far_field : "stream", or "vortex" (steady subsonic flows: the stream and the point vortex of the
        lift, about the moment's point)
    entropy_fix : float        Harten's threshold as a share of |V_r| + a |S|
    jacobian_fix : float       the same in the matrix alone: a larger one damps the pseudo-steps
        where the stream stagnates (and the limiter flips for ever) and leaves the result alone
    steady_drop, unsteady_drop : float   residual over its first value at which a run, or a
        physical step, is converged
    steady_iterations, unsteady_iterations : int   the most that it may take
    cfl : float                CFL number at the start of a steady run, and its least
    cfl_max : float            its most; between the two it follows the residual (theory eq. 2.15b)
    cfl_growth : float         its largest growth per iteration
    unsteady_cfl : float       CFL at the start of a physical step
    linear_solver : "bicgstab", or "lusgs" (sweeps by colours without a matrix: half of the
        memory, more and cheaper pseudo-steps)
    lusgs_sweeps : int         pairs of sweeps per pseudo-step
    krylov_iterations : int    most iterations of BiCGSTAB per pseudo-step
    krylov_tolerance : float   share of its first residual at which it stops
    matrix_dtype : "float32" or "float64"   of the matrix and of BiCGSTAB, never more than the
        flow's own; residual and state keep the flow's, so the result does not depend on it
    max_change : float         largest share by which density or pressure of a node may change in
        one pseudo-step; beyond, that node's update is scaled
    """

    flux: str = "roe"
    limiter: str = "wang"
    limiter_k: float | None = None
    far_field: str = "stream"
    entropy_fix: float = 0.05
    jacobian_fix: float = 0.15
    steady_drop: float = 1e-6
    steady_iterations: int = 2000
    unsteady_drop: float = 1e-4
    unsteady_iterations: int = 200
    cfl: float = 20.0
    cfl_max: float = 1e3
    cfl_growth: float = 1.5
    unsteady_cfl: float = 100.0
    linear_solver: str = "bicgstab"
    lusgs_sweeps: int = 4
    krylov_iterations: int = 40
    krylov_tolerance: float = 0.05
    matrix_dtype: str = "float32"
    max_change: float = 0.2

    def __post_init__(self) -> None:
        for name, choices in (
            ("flux", FLUXES),
            ("limiter", LIMITERS),
            ("matrix_dtype", DTYPES),
            ("far_field", FAR_FIELDS),
            ("linear_solver", LINEAR),
        ):
            value = getattr(self, name)
            if value not in choices:
                raise SettingsError(f"{name} is {value!r}, expected one of {', '.join(choices)}")
        for name in (
            "steady_iterations",
            "unsteady_iterations",
            "lusgs_sweeps",
            "krylov_iterations",
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**31:
                raise SettingsError(f"{name} is {value!r}, expected a whole number above 0")
        for name, low, high in (
            *([] if self.limiter_k is None else [("limiter_k", 0, np.inf)]),
            ("entropy_fix", -1e-300, 1),
            ("jacobian_fix", -1e-300, 2),
            ("cfl", 0, np.inf),
            ("cfl_max", 0, np.inf),
            ("unsteady_cfl", 0, np.inf),
            ("cfl_growth", 1, 10),
            ("steady_drop", -1e-300, 1),
            ("unsteady_drop", -1e-300, 1),
            ("krylov_tolerance", -1e-300, 1),
            ("max_change", 0, 0.4),
        ):
            value = getattr(self, name)
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not low < value <= high
            ):
                raise SettingsError(f"{name} is {value!r}, expected {max(low, 0):g} to {high:g}")
        if self.cfl_max < max(self.cfl, self.unsteady_cfl):
            raise SettingsError(
                f"cfl_max is {self.cfl_max!r}, expected at least cfl and unsteady_cfl"
            )

    @property
    def matrix(self) -> str | None:
        """Precision of the matrix, or None where there is no matrix."""
        return None if self.linear_solver == "lusgs" else self.matrix_dtype

    def complete(self) -> AleSettings:
        """With the limiter's own constant where none was given."""
        if self.limiter_k is not None:
            return self
        return replace(self, limiter_k=LIMITER_K.get(self.limiter))


class Ale:
    """A case, or an ensemble of cases, on moving meshes.

    Parameters
    ----------
    mesh : Mesh, or a sequence with one per member
    mach, alpha_deg : float or sequence    of the stream; alpha turns the stream, not the mesh
    motion : Motion, or {marker: Motion}, or a sequence of these; None: the bodies are at rest
    deform : Deformation                   how inner nodes follow (default: torsional springs)
    device, dtype : see `kinemesh.backend.Backend`
    settings : AleSettings
    walls : markers of bodies              (default: all that are not named like a far field)
    moment_about : (x, y) on the body as given [chord]

    Attributes
    ----------
    u, q : (nodes, 4) device arrays        conserved (rho, rho u, rho v, rho E), primitive state
    grid : Grid
    backend : Backend
    """

    def __init__(
        self,
        mesh: Mesh | Sequence[Mesh],
        *,
        mach: float | Sequence[float],
        alpha_deg: float | Sequence[float] = 0.0,
        motion: Any = None,
        deform: Deformation | None = None,
        device: str = "auto",
        dtype: str = "float64",
        settings: AleSettings | None = None,
        walls: Sequence[str] | None = None,
        moment_about: tuple[float, float] = (0.25, 0.0),
    ) -> None:
        settings = AleSettings() if settings is None else settings
        deform = TorsionalSprings() if deform is None else deform
        settings = instance(settings, AleSettings, "settings", "AleSettings(...)").complete()
        self.settings = settings
        self.deform = instance(
            deform, Deformation, "deform", "one of kinemesh.deform, such as Rigid()"
        )
        self.moment_about = point_of(moment_about, "moment_about")
        self.backend = Backend(device, dtype)
        members = member_count(mesh=mesh, mach=mach, alpha_deg=alpha_deg, motion=motion)
        self.deform.check(self.backend, members)
        self.mach = numbers(mach, members, "mach", positive=True)
        self.alpha_deg = numbers(alpha_deg, members, "alpha_deg")
        if settings.far_field == "vortex" and (self.mach >= 1).any():
            raise SettingsError(
                f"far_field is 'vortex' at mach {self.mach.max():g}, expected a subsonic stream; "
                "use far_field='stream'"
            )
        meshes = meshes_of(mesh, members)
        moves = None if motion is None else self.deform.name
        memory.check(self.backend, meshes, moves, settings.matrix)
        self.grid = Grid(self.backend, meshes, *walls_of(walls, meshes))
        self.motions = motions_of(motion, members, self.grid.bodies)
        self.mover: Any = None
        self._allocate()
        self.grid.start()
        self.initialise()

    # ---- setting up -----------------------------------------------------------------------

    def _allocate(self) -> None:
        b, grid, n = self.backend, self.grid, self.grid.nodes
        self.u, self.u1, self.u2, self.q, self.res, self.past = (b.zeros((n, 4)) for _ in range(6))
        self.grad, self.flux = b.zeros((n, 8)), b.zeros((grid.edges, 4))
        self.pace = b.array(np.ones(n), np.float64)
        self.lowered = b.zeros(grid.edges, np.int32)
        self.stream = b.array(free_stream(self.mach, self.alpha_deg), np.float64)
        self.range = b.zeros((grid.members, 8), np.float64)
        self.range_parts = b.zeros((grid.chunks, 8), np.float64)
        self.dualtime = DualTime(b, grid)
        t = grid.table
        self.common = {"member": t["member"], "active": self.dualtime.active}
        self.forces = Forces(grid, self.q, self.stream, self.mach, self.alpha_deg)
        self.centre = b.zeros((grid.members, 2), np.float64)
        self.vortex: list[Any] = []
        far_field = {"stream": self.stream, "strength": None, "centre": self.centre, "x": grid.x,
                     "fix": self.settings.entropy_fix}  # fmt: skip
        if self.settings.far_field == "vortex":
            strength = b.zeros(grid.members, np.float64)
            self.vortex = self.forces.vortex(strength, self.dualtime.active)
            far_field["strength"] = strength
        self.boundaries = Boundaries(b, grid.wall, grid.far, self.common | {"q": self.q}, far_field)
        self.implicit = self._linear()
        self.pattern = self.implicit.pattern
        self._primitive = b.bind(
            "ale_primitive", **self.common, u=self.u, q=self.q, faults=grid.faults
        )
        self._residual = self._residual_calls()
        self._implicit = b.record(self._implicit_calls(), flag=self.dualtime.active)
        self._past = b.bind(
            "ale_past",
            member=t["member"],
            bdf=grid.bdf,
            V1=grid.V1,
            u1=self.u1,
            V2=grid.V2,
            u2=self.u2,
            past=self.past,
        )
        self._levels = b.record(
            [
                b.bind("copy_real4", **{"from": self.u1, "to": self.u2}),
                b.bind("copy_real4", **{"from": self.u, "to": self.u1}),
            ]
        )

    def _linear(self) -> Implicit | Lusgs:
        b, grid, s = self.backend, self.grid, self.settings
        state = {"q": self.q, "res": self.res}
        if s.linear_solver == "lusgs":
            return Lusgs(b, grid, self.dualtime, state, self.pace, s.lusgs_sweeps)
        return Implicit(
            b,
            grid,
            self.boundaries,
            self.dualtime,
            state,
            self.pace,
            dtype=s.matrix_dtype,
            fix=s.jacobian_fix,
            iterations=s.krylov_iterations,
            tolerance=s.krylov_tolerance,
        )

    def _gradient_calls(self) -> list[Any]:
        b, grid, s = self.backend, self.grid, self.settings
        fields = self.common | {
            "x": grid.x,
            "offsets": grid.table["offsets"],
            "neighbour": grid.table["neighbour"],
            "inverse": grid.inverse,
            "q": self.q,
            "grad": self.grad,
        }
        if s.limiter == "none":
            return [b.bind("ale_gradient", **fields)]
        fields["K"] = s.limiter_k
        if s.limiter == "venkatakrishnan":
            return [b.bind("ale_gradient_venkatakrishnan", **fields, V=grid.V)]
        return [
            b.bind("ale_range", q=self.q, offsets=grid.node_chunks, sums=self.range_parts),
            b.bind(
                "gather_max_8", offsets=grid.node_groups, parts=self.range_parts, sums=self.range
            ),
            b.bind("ale_gradient_wang", **fields, range=self.range),
        ]

    def _residual_calls(self) -> list[Any]:
        """Calls from u to res: d(u V)/dt with the physical time's terms."""
        b, grid, t = self.backend, self.grid, self.grid.table
        edges = self.common | {"lr": t["lr"], "x": grid.x, "S": grid.S, "w": grid.w}
        return [
            self._primitive,
            *self._gradient_calls(),
            b.bind(
                f"ale_flux_{self.settings.flux}",
                **edges,
                q=self.q,
                grad=self.grad,
                fix=self.settings.entropy_fix,
                lowered=self.lowered,
                flux=self.flux,
            ),
            b.bind(
                "ale_residual",
                **self.common,
                offsets=t["offsets"],
                neighbour=t["neighbour"],
                edge=t["edge"],
                flux=self.flux,
                V=grid.V,
                u=self.u,
                past=self.past,
                bdf=grid.bdf,
                res=self.res,
            ),
            *self.vortex,
            *self.boundaries.residual(self.res),
        ]

    def _implicit_calls(self) -> list[Any]:
        """Calls from res to the new u: matrix, factors, BiCGSTAB (or sweeps), update."""
        return [
            *self.implicit.calls(),
            self.backend.bind(
                "ale_update",
                **self.common,
                node=self.implicit.node,
                offsets=self.grid.table["offsets"],
                neighbour=self.grid.table["neighbour"],
                du=self.implicit.du,
                q=self.q,
                most=self.settings.max_change,
                u=self.u,
                pace=self.pace,
            ),
        ]

    def iteration(self, drop: float, most: int, cfl: tuple[float, float, float], times: int) -> Any:
        """Recording of `times` pseudo-steps: residual, decision, implicit update."""
        check = self.dualtime.check(self.res, drop, most, cfl)
        once = self.backend.record([*self._residual, *check, self._implicit])
        return self.backend.record([once], times=times, flag=self.dualtime.active)

    # ---- state ----------------------------------------------------------------------------

    def initialise(self, q: NDArray | None = None) -> None:
        """Set every time level to primitive states q (nodes, 4), or to the free stream."""
        given = self.backend.get(self.stream)[self.grid.member] if q is None else q
        states = states_of(given, self.grid.nodes)
        for array in (self.u, self.u1, self.u2):
            self.backend.put(array, conserved(states))
        self.backend.put(self.dualtime.active, 1)
        self._primitive()
        self.check_faults("initial state")

    def poses(self, time: NDArray) -> list[Pose]:
        """Pose of every body at its member's time [chord/a_inf]."""
        return [
            Pose() if motion is None else motion.pose(float(time[m]), float(self.mach[m]))
            for motion, (m, _) in zip(self.motions, self.grid.bodies, strict=True)
        ]

    def moment_points(self, poses: Sequence[Pose]) -> NDArray[np.float64]:
        """(members, 2) the moment's point, which moves with each member's first body."""
        points = np.tile(np.array(self.moment_about, float), (self.grid.members, 1))
        for pose, (member, _) in reversed(list(zip(poses, self.grid.bodies, strict=True))):
            points[member] = pose.apply(np.array(self.moment_about, float))
        return points

    def coefficients(self, poses: Sequence[Pose] | None = None) -> NDArray[np.float64]:
        """(members, 3) cl, cd, cm of the present state, bodies at `poses`."""
        self._primitive()
        return self.forces.members(self.moment_points(poses or [Pose()] * len(self.grid.bodies)))

    def check_faults(self, where: str, iterations: Any = None) -> None:
        """Raise NumericalFault if a kernel has left one.

        Parameters
        ----------
        iterations : (members,) device array    of a march, to be told too
        """
        words = self.backend.get(self.grid.faults)
        if (words != NONE).any():
            self.backend.put(self.grid.faults, NONE)
            done = None if iterations is None else self.backend.get(iterations)
            raise_faults(words, where, self.grid.place, done)

    def primitive(self) -> NDArray:
        """(nodes, 4) rho, u, v, p on the host, nodes as in `grid.meshes` side by side."""
        self._primitive()
        return self.backend.get(self.q)

    # ---- time -----------------------------------------------------------------------------

    def rewind(self) -> None:
        """Every body and node back to where it was given, at rest; the flow stays as it is."""
        self.grid.reset()
        self.mover = None

    def place(self, poses: Sequence[Pose]) -> None:
        """Bodies at `poses`, the mesh with them, all at rest; the flow stays as it is."""
        self.rewind()
        if all(p.angle == 0 and p.shift == (0.0, 0.0) for p in poses):
            return
        self.deform.attach(self.grid).step(
            lambda share: [
                Pose(share * p.angle, p.about, (share * p.shift[0], share * p.shift[1]))
                for p in poses
            ]
        )
        self.grid.start()
        self.check_faults("mesh at the start of the motion")

    def start_steady(self, poses: Sequence[Pose] = ()) -> None:
        """Bodies at `poses` (as given), no time terms: what follows marches to a steady state."""
        self.place(poses)
        self.grid.set_time_levels(np.ones(self.grid.members), 0)
        self.backend.put(self.past, 0)
        self.grid.sweep()
        bodies = poses or [Pose()] * len(self.grid.bodies)
        self.backend.put(self.centre, self.moment_points(bodies))
        self.dualtime.set_floor(None)
        self.backend.put(self.pace, 1.0)
        self.dualtime.begin()

    def advance(self, dt: NDArray, order: int, poses_at: Any) -> dict[str, float]:
        """Prepare a physical step: levels, new mesh, metrics, pseudo-time.

        Parameters
        ----------
        dt : (members,)        [chord/a_inf]
        order : int            1 or 2: BDF1 or BDF2
        poses_at : callable    share 0..1 of the step -> poses of all bodies
        """
        if self.mover is None:
            self.mover = self.deform.attach(self.grid)
        self.grid.keep_levels()
        self._levels()
        self.grid.set_time_levels(dt, order)
        notes = self.mover.step(poses_at)
        self.grid.measure()
        self.grid.sweep()
        self._past()
        self.dualtime.begin()
        return notes

    # ---- the user's door ------------------------------------------------------------------

    def steady(
        self, out: str | Path | None = None, progress: bool = False, resume: bool = False
    ) -> Any:
        """March to the steady state at rest; see `kinemesh.run.steady`."""
        from kinemesh.run import steady

        return steady(self, out=out, progress=progress, resume=resume)

    def run(
        self,
        *,
        cycles: float | None = None,
        steps_per_cycle: int | None = None,
        out: str | Path | None = None,
        progress: bool = False,
        **options: Any,
    ) -> Any:
        """Unsteady run from the steady flow at the mean angle; see `kinemesh.run.unsteady`."""
        from kinemesh.run import unsteady

        return unsteady(
            self,
            cycles=cycles,
            steps_per_cycle=steps_per_cycle,
            out=out,
            progress=progress,
            **options,
        )
