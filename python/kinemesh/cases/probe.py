"""Small meshes and clouds on which settings of cases are tried, and memory that cases take."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kinemesh.cases import build
from kinemesh.deform.rigid import Rigid
from kinemesh.deform.still import Still
from kinemesh.device.backend import Backend
from kinemesh.dimension import XY, Dimension
from kinemesh.flow import memory, registry
from kinemesh.space.conditions.table import between_ends

if TYPE_CHECKING:
    from kinemesh.cases.casefile import Case
    from kinemesh.cloud import Cloud
    from kinemesh.flow.gas.solver import Solver
    from kinemesh.mesh import Mesh

PROBE = 520  # nodes of the mesh (points of the cloud) on which the settings are tried
PROBE_SPACE = 20_000  # points of the smallest wing


def _mesh(_: Case) -> Any:
    from kinemesh import mesh

    return mesh.airfoil("naca0012", nodes=PROBE)


def _solid(case: Case) -> Any:
    from kinemesh import mesh

    section = _mesh(case)
    made = mesh.extruded(section, layers=2)
    # of a case whose mesh has a carrier: one of itself
    tets = partial(mesh.extruded, section, layers=2, cells="tets")
    return replace(made, origin=replace(made.origin, carrier=tets))


def _cloud(_: Case) -> Any:
    from kinemesh import cloud

    return cloud.airfoil("naca0012", points=PROBE)


def _wing(case: Case) -> Any:
    from kinemesh import cloud

    return cloud.wing(
        points=PROBE_SPACE, irregular=getattr(case.mesh, "cloud", None) == "irregular"
    )


PROBES = {("mesh", 2): _mesh, ("mesh", 3): _solid, ("cloud", 2): _cloud, ("cloud", 3): _wing}
"""Small meshes and clouds, by what a solver computes on and the dimensions."""


def small_solver(case: Case, device: str, dimension: Dimension = XY) -> Solver:
    """Solver of a case on a small mesh or cloud of a dimension, which refuses invalid settings."""
    probe = PROBES[registry.named(case.method).on, dimension.count](case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said of the probe's size is not of the case
        return build.solver(case.replace(device=device), probe, of_case=False)


def moved_by(case: Case, small: Solver) -> str:
    """Name of the deformation; motions of bodies by name and structures are not of the probe,
    which rests."""
    rests = small.deform == Still() and (case.motion is not None or case.free)
    return (Rigid if rests else small.deform).name


def completed(case: Case, small: Solver) -> Any:
    """Settings of a case with what follows from its inlets and outlets, which the probe lacks."""
    boundaries = case.mesh.sides().get("boundaries")
    if not between_ends(boundaries) or case.flow.mach is None:
        return small.settings
    asked, double = build.settings(case), case.job.dtype == "float64"
    return small.viscosity.complete(asked, small.grid.dimension, double, boundaries)


def room(small: Solver, made: Mesh | Cloud, backend: Backend, moves: bool, settings: Any) -> str:
    """Memory of a case's arrays and free memory, in words; DeviceError if it is too little."""
    needed = small.counted.room(backend, [made], settings, small.deform.kind if moves else None)
    return memory.told(needed, backend)
