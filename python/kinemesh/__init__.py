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

if TYPE_CHECKING:
    from kinemesh import cases, cloud, deform, mesh, motion, plot
    from kinemesh.ale import Ale, AleSettings
    from kinemesh.backend import Backend, info, kernels
    from kinemesh.cloud import Cloud
    from kinemesh.errors import (
        CaseError,
        CloudError,
        DeviceError,
        KinemeshError,
        MeshError,
        NumericalFault,
        SettingsError,
    )
    from kinemesh.hysteresis import Loop, hysteresis
    from kinemesh.mesh import Mesh
    from kinemesh.meshless import Meshless, MeshlessSettings
    from kinemesh.results import Run
    from kinemesh.results import open as open
    from kinemesh.units import Units

_HOME = {
    "Ale": "ale",
    "AleSettings": "ale",
    "Backend": "backend",
    "info": "backend",
    "kernels": "backend",
    "CaseError": "errors",
    "Cloud": "cloud",
    "CloudError": "errors",
    "DeviceError": "errors",
    "KinemeshError": "errors",
    "MeshError": "errors",
    "NumericalFault": "errors",
    "SettingsError": "errors",
    "Loop": "hysteresis",
    "Mesh": "mesh",
    "Meshless": "meshless",
    "MeshlessSettings": "meshless",
    "Run": "results",
    "Units": "units",
    "hysteresis": "hysteresis",
    "open": "results",
}
_MODULES = ("cases", "cloud", "deform", "mesh", "motion", "plot")

__all__ = [  # not open: `import *` would take the place of Python's own
    "Ale",
    "AleSettings",
    "Backend",
    "CaseError",
    "Cloud",
    "CloudError",
    "DeviceError",
    "KinemeshError",
    "Loop",
    "Mesh",
    "MeshError",
    "Meshless",
    "MeshlessSettings",
    "NumericalFault",
    "Run",
    "SettingsError",
    "Units",
    "cases",
    "cloud",
    "deform",
    "hysteresis",
    "info",
    "kernels",
    "mesh",
    "motion",
    "plot",
]


def __getattr__(name: str) -> Any:
    """Names are loaded when they are first used, so that `import kinemesh` is quick."""
    if name in _MODULES:
        return importlib.import_module(f"kinemesh.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(f"kinemesh.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'kinemesh' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "open"])
