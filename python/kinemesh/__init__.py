"""Unsteady aerodynamics of moving bodies on CPUs and NVIDIA GPUs.

>>> import kinemesh as km
>>> mesh = km.mesh.airfoil("naca0012", nodes=5_000)
>>> case = km.Ale(mesh, mach=0.755, alpha_deg=0.016,
...               motion=km.motion.pitch(amplitude_deg=2.51, k=0.0814, about=(0.25, 0)))
>>> run = case.run(cycles=3, steps_per_cycle=64)    # doctest: +SKIP
>>> loop = km.hysteresis(run)                       # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kinemesh.flow import registry
from kinemesh.wiring import wire

if TYPE_CHECKING:
    from kinemesh import cases, cloud, deform, mesh, motion, overset, plot
    from kinemesh.cloud import Cloud
    from kinemesh.device.backend import Backend, info, kernels
    from kinemesh.errors import (
        ArgumentError,
        CaseError,
        CloudError,
        DeviceError,
        KinemeshError,
        MeshError,
        NumericalFault,
        OversetError,
        PackageError,
        SettingsError,
    )
    from kinemesh.flow.ale import Ale as Ale
    from kinemesh.flow.door.units import Units
    from kinemesh.flow.door.viscosity import Viscosity
    from kinemesh.flow.gas.ale_settings import AleSettings as AleSettings
    from kinemesh.flow.gas.meshless_settings import MeshlessSettings as MeshlessSettings
    from kinemesh.flow.incompressible import Incompressible as Incompressible
    from kinemesh.flow.meshless import Meshless as Meshless
    from kinemesh.flow.projection.settings import IncompressibleSettings as IncompressibleSettings
    from kinemesh.loops.loop import Loop
    from kinemesh.mesh import Mesh
    from kinemesh.motion import Pose
    from kinemesh.overset import Part
    from kinemesh.results import Run
    from kinemesh.results import open as open
    from kinemesh.space.conditions.ends import inlet as inlet
    from kinemesh.space.conditions.ends import outlet as outlet
    from kinemesh.study.comparison import compare
    from kinemesh.study.convergence import convergence
    from kinemesh.study.derivatives import derivatives
    from kinemesh.study.flutter.linear import flutter
    from kinemesh.study.hysteresis import hysteresis
    from kinemesh.study.spectrum import spectrum
    from kinemesh.study.sweep.sweeping import sweep

_HOME = {
    "ArgumentError": "errors",
    "Backend": "device.backend",
    "info": "device.backend",
    "kernels": "device.backend",
    "CaseError": "errors",
    "Cloud": "cloud",
    "CloudError": "errors",
    "DeviceError": "errors",
    "KinemeshError": "errors",
    "MeshError": "errors",
    "NumericalFault": "errors",
    "OversetError": "errors",
    "PackageError": "errors",
    "SettingsError": "errors",
    "Loop": "loops.loop",
    "Mesh": "mesh",
    "Part": "overset",
    "Pose": "motion",
    "Run": "results",
    "Units": "flow.door.units",
    "Viscosity": "flow.door.viscosity",
    "cite": "study.cite",
    "compare": "study.comparison",
    "convergence": "study.convergence",
    "derivatives": "study.derivatives",
    "flutter": "study.flutter.linear",
    "hysteresis": "study.hysteresis",
    "inlet": "space.conditions.ends",
    "outlet": "space.conditions.ends",
    "open": "results",
    "spectrum": "study.spectrum",
    "sweep": "study.sweep.sweeping",
}
_MODULES = {
    "cases": "cases",
    "cloud": "cloud",
    "deform": "deform",
    "mesh": "mesh",
    "motion": "motion",
    "overset": "overset",
    "plot": "plot",
    "structure": "structure",
}
wire(
    {
        "Compared.plot": ("kinemesh.plot", "comparison"),
        "Compared.plot_walls": ("kinemesh.plot.pressed", "walls"),
        "Convergence.plot": ("kinemesh.plot", "sizes"),
        "Convergence.plot_errors": ("kinemesh.plot.norms", "errors"),
        "Flutter.draw": ("kinemesh.plot.roots", "drawn"),
        "Loop.plot": ("kinemesh.plot", "hysteresis"),
        "OversetReport.plot": ("kinemesh.plot", "grids"),
        "Solver.run": ("kinemesh.run.doors", "unsteady"),
        "Solver.steps": ("kinemesh.run.doors", "stepwise"),
        "Solver.steady": ("kinemesh.run.steady", "steady"),
        "Surface.diagonals": ("kinemesh.study.face_diagonals", "diagonals_of"),
        "reference_loop": ("kinemesh.study.hysteresis", "reference_loop"),
    }
)

__all__ = [  # not open: `import *` would take the place of Python's own
    *registry.public(),
    "ArgumentError",
    "Backend",
    "CaseError",
    "Cloud",
    "CloudError",
    "DeviceError",
    "KinemeshError",
    "Loop",
    "Mesh",
    "MeshError",
    "NumericalFault",
    "OversetError",
    "PackageError",
    "Part",
    "Pose",
    "Run",
    "SettingsError",
    "Units",
    "Viscosity",
    "cases",
    "cite",
    "cloud",
    "compare",
    "convergence",
    "deform",
    "derivatives",
    "flutter",
    "hysteresis",
    "info",
    "inlet",
    "kernels",
    "mesh",
    "motion",
    "outlet",
    "overset",
    "plot",
    "spectrum",
    "structure",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Names are loaded when they are first used, so that `import kinemesh` is quick."""
    if name == "__version__":
        return importlib.import_module("kinemesh.io.summary").versions()["kinemesh"]
    if name in _MODULES:
        return importlib.import_module(f"kinemesh.{_MODULES[name]}")
    home = _HOME.get(name) or registry.public().get(name)
    if home:
        value = getattr(importlib.import_module(f"kinemesh.{home}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'kinemesh' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "open"])
