"""Meshless solver of the Euler equations on moving clouds of points.

Zhang et al. (2018), Wang et al. (dynamic clouds); docs/meshless.md.  Python puts the kernels
together; everything of a time step stays on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinemesh.backend import Backend
from kinemesh.cloud.cloud import Cloud
from kinemesh.cloud.grid import CloudGrid
from kinemesh.conditions import clouds_of, instance, walls_of
from kinemesh.deform import Deformation, Delaunay
from kinemesh.gradients import Gradients
from kinemesh.linear import Pattern
from kinemesh.lusgs import Lusgs
from kinemesh.settings import TINY, MarchSettings
from kinemesh.solver import Solver

FLUXES = ("roe", "jst")
LIMITERS = ("vanleer", "wang", "none")
TIMES = ("lusgs", "rk")
STAGES = (1 / 4, 1 / 6, 3 / 8, 1 / 2, 1.0)  # Jameson, Schmidt and Turkel (1981)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshlessSettings(MarchSettings):
    """Settings of the meshless solver; those of the march as in `kinemesh.settings`.

    Parameters
    ----------
    flux : "roe", or "jst" (central, with the dissipation of Jameson, Schmidt and Turkel)
    limiter : "vanleer" (Wang et al., eq. 7), "wang" (of the gradients, as on a mesh), or "none"; of
        Roe's flux
    limiter_k : float     Wang's share
    jst_k2, jst_k4 : float    factors of the second and fourth differences
    time : "lusgs", or "rk" (five-stage Runge-Kutta with local steps)
    lusgs_sweeps : int    pairs of sweeps per pseudo-step
    rk_cfl : float        CFL number of the Runge-Kutta scheme; cfl and the like are of LU-SGS
    """

    flux: str = "roe"
    limiter: str = "vanleer"
    limiter_k: float = 0.05
    jst_k2: float = 0.5
    jst_k4: float = 0.25
    time: str = "lusgs"
    lusgs_sweeps: int = 4
    rk_cfl: float = 1.5

    def __post_init__(self) -> None:
        MarchSettings.__post_init__(self)
        self.choose(flux=FLUXES, limiter=LIMITERS, time=TIMES)
        self.count("lusgs_sweeps")
        self.within(limiter_k=(0, np.inf), jst_k2=(TINY, 10), jst_k4=(TINY, 10), rk_cfl=(0, np.inf))


class Meshless(Solver):
    """A case, or an ensemble of cases, on moving clouds of points in the plane.

    Parameters
    ----------
    cloud : Cloud, or a sequence with one per member
    deform : Deformation     how inner points follow (default: Delaunay graph mapping)
    mach, alpha_deg, motion, device, dtype, settings, walls, moment_about    as of `kinemesh.Ale`

    Attributes
    ----------
    u, q : (nodes, 4) device arrays        conserved (rho, rho u, rho v, rho E), primitive state
    grid : CloudGrid
    backend : Backend
    """

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
        moment_about: tuple[float, float] = (0.25, 0.0),
    ) -> None:
        settings = MeshlessSettings() if settings is None else settings
        settings = instance(settings, MeshlessSettings, "settings", "MeshlessSettings(...)")
        members = self._begin(
            cloud,
            settings,
            Delaunay() if deform is None else deform,
            Backend(device, dtype),
            mach=mach,
            alpha_deg=alpha_deg,
            motion=motion,
            moment_about=moment_about,
        )
        clouds = clouds_of(cloud, members)
        grid = CloudGrid(self.backend, clouds, *walls_of(walls, clouds))
        self._states(grid, motion)
        self._allocate(grid)
        self.grid.start()
        self.initialise()

    def _allocate(self, grid: CloudGrid) -> None:
        b, s = self.backend, self.settings
        self.grid: CloudGrid = grid
        self.gradients = Gradients(
            grid, self.common, self.q, s if s.flux == "roe" else replace(s, limiter="none")
        )
        self.lowered = b.zeros(grid.nodes, np.int32)
        self.pattern = Pattern.of_graph(b, grid.offsets, grid.neighbour, grid.first)
        names = ("member", "offsets", "neighbour")
        self.cloud_fields = {name: grid.table[name] for name in names} | {
            "active": self.dualtime.active,
            "x": grid.x,
            "inverse": grid.mirrored,
            "normal": grid.normal,
            "velocity": grid.velocity,
            "q": self.q,
            "V": grid.V,
            "bdf": grid.bdf,
            "res": self.res,
        }
        self._slip = self._slip_calls()
        self._residual = self._residual_calls()
        if s.time == "lusgs":
            self.implicit = self._lusgs()
            march = [
                *self.implicit.calls(),
                self._update_call(self.implicit.node, self.implicit.du),
            ]
        else:
            march = self._stage_calls()
        self._implicit = b.record(march, flag=self.dualtime.active)
        self._past = self._past_call(grid.V, grid.V)

    def _slip_calls(self) -> list[Any]:
        """Call that leaves the wall points no flow through the wall."""
        wall = self.grid.wall
        if not len(wall.node):
            return []
        fields = {"normal": self.grid.normal, "velocity": self.grid.velocity, "u": self.u}
        return [self.backend.bind("cloud_slip", **self.common, node=wall.device["node"], **fields)]

    def _residual_calls(self) -> list[Any]:
        """Calls from u to res: V (dW/dt + div F) with the physical time's terms."""
        fields = self.cloud_fields | {"u": self.u, "past": self.past}
        calls = [*self._slip, self._primitive, *self.gradients.calls, *self._flux_calls(fields)]
        if len(self.grid.far.node):
            far = fields | self.far_field | {"outward": self.grid.outward}
            calls += self.vortex
            far["node"] = self.grid.far.device["node"]
            calls.append(self.backend.bind("cloud_farfield", **far))
        return calls

    def _flux_calls(self, fields: dict[str, Any]) -> list[Any]:
        b, s, grad = self.backend, self.settings, self.gradients.grad
        if s.flux == "roe":
            kernel = "cloud_roe_van_leer" if s.limiter == "vanleer" else "cloud_roe"
            more = {"grad": grad, "lowered": self.lowered, "fix": s.entropy_fix}
            return [b.bind(kernel, **fields, **more)]
        made = {"rough": b.zeros((self.grid.nodes, 4)), "sensor": b.zeros(self.grid.nodes)}
        seen = {name: fields[name] for name in ("member", "active", "offsets", "neighbour")}
        seen |= {"x": self.grid.x, "q": self.q, "grad": grad}
        return [
            b.bind("cloud_roughness", **seen, **made),
            b.bind("cloud_jst", **fields, **made, k2=s.jst_k2, k4=s.jst_k4),
        ]

    def _stage_calls(self) -> list[Any]:
        """Calls from res to the new u: the stages of the Runge-Kutta scheme."""
        b, nodes = self.backend, self.grid.nodes
        made = {"u0": b.zeros((nodes, 4)), "step": b.zeros(nodes)}
        points = {n: a for n, a in self.cloud_fields.items() if n not in ("V", "bdf", "res")}
        first = {"pace": self.pace, "u": self.u, "rk_cfl": self.settings.rk_cfl}
        fields = {name: self.cloud_fields[name] for name in ("V", "bdf", "res")}
        fields |= self.common | made | {"u": self.u}
        stages = [b.bind("cloud_stage", **fields, share=share) for share in STAGES]
        calls = [b.bind("cloud_step", **points, **first, **made), stages[0]]
        for stage in stages[1:]:
            calls += [*self._residual, stage]
        return calls

    def _lusgs(self) -> Lusgs:
        more = {"outward": self.grid.outward, "cfl": self.dualtime.cfl, "pace": self.pace}
        fields = self.cloud_fields | more
        return Lusgs(self.backend, self.pattern, "cloud_lusgs", fields, self.settings.lusgs_sweeps)
