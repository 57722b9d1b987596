"""The solvers: one line each.  Cases, command line, check, bench and documentation read the table.

What is asked before a run stands in the line, so that a case is checked without loading a solver.
A solver's class has the rest: `method`, its name here, and `room`, the memory that a case takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from kinemesh.errors import CaseError


class Entry(NamedTuple):
    """A solver.

    Parameters
    ----------
    name : `method` in case files
    home : module in `kinemesh.flow`, and the class in it
    settings_name : class of the settings, in that module
    on : "mesh" or "cloud"    what it computes on
    dimensions : of the plane 2, of space 3
    deforms : deformations that a case may name; the first takes the place of one that it may not
    references : lengths and areas of the coefficients that a case may give
    bench : groups of rows of `kinemesh bench`
    streams : what a case gives of the stream beside its angle; the first must be given
    modes : of runs
    laws : of a viscous gas that a case may give beside its Reynolds number
    """

    name: str
    home: str
    settings_name: str
    on: str
    dimensions: tuple[int, ...]
    deforms: tuple[str, ...]
    references: tuple[str, ...]
    bench: tuple[str, ...]
    streams: tuple[str, ...] = ("mach",)
    modes: tuple[str, ...] = ("steady", "unsteady")
    laws: tuple[str, ...] = ()

    @property
    def solver(self) -> Any:
        """The class of the solver, loaded now."""
        return _of_package(*self.class_home)

    @property
    def settings(self) -> Any:
        """The class of the solver's settings, loaded now."""
        return _of_package(self.class_home[0], self.settings_name)

    @property
    def class_home(self) -> tuple[str, str]:
        """Module in the package, and the name of the solver's class in it."""
        module, name = self.home.split(".")
        return f"flow.{module}", name

    @property
    def spaces(self) -> str:
        """Spaces that it computes on, in words."""
        places = {2: "in the plane", 3: "in space"}
        return f"{self.on} {' or '.join(places[n] for n in self.dimensions)}"

    def takes(self, inputs: set[tuple[str, int]]) -> bool:
        """True where it computes on one of the inputs, each (on, dimensions)."""
        return any((self.on, n) in inputs for n in self.dimensions)


PLANE, BOTH = (2,), (2, 3)
CELLS, POINTS = ("springs", "delaunay", "rigid"), ("delaunay", "rigid")
RIGID = ("rigid",)
CHORD, AREA = ("chord",), ("chord", "reference_area", "reference_length")
MESH, CLOUD = ("springs", "natural", "flow"), ("cloud",)
VISCOUS = (
    *("reynolds_length", "turbulence", "temperature_k", "wall"),
    *("prandtl", "turbulent_prandtl", "nu_ratio"),
)

SOLVERS = (  # the first one of a mesh, or of a cloud, is that of cases and benches that name none
    Entry(
        "ale",
        "ale.Ale",
        "AleSettings",
        "mesh",
        BOTH,
        CELLS,
        AREA,
        MESH,
        ("mach", "reynolds"),
        laws=VISCOUS,
    ),
    Entry("cells", "cells.CellCentred", "CellSettings", "mesh", BOTH, CELLS, AREA, MESH),
    Entry("meshless", "meshless.Meshless", "MeshlessSettings", "cloud", BOTH, POINTS, AREA, CLOUD),
    Entry(
        "incompressible",
        "incompressible.Incompressible",
        "IncompressibleSettings",
        "mesh",
        PLANE,
        RIGID,
        CHORD,
        ("one-grid",),
        ("reynolds", "stream"),
    ),
)
RENAMED = {"mesh": "ale"}  # old names of methods


def names() -> list[str]:
    """Names of the solvers."""
    return [entry.name for entry in SOLVERS]


def in_words() -> str:
    """The solvers and what they compute on, as a text."""
    return " or ".join(f"{entry.name} (on a {entry.on})" for entry in SOLVERS)


def first(on: str = "mesh") -> Entry:
    """The solver that computes on a mesh, or on a cloud, where none is named."""
    return next(entry for entry in SOLVERS if entry.on == on)


def named(name: Any) -> Entry:
    """The solver of a name; CaseError where there is none."""
    for entry in SOLVERS:
        if entry.name == name:
            return entry
    if isinstance(name, str) and name in RENAMED:
        raise CaseError(f"method = {name!r}: this method is now called {RENAMED[name]!r}")
    raise CaseError(f"method = {name!r}, expected one of {', '.join(names())}")


def public() -> dict[str, str]:
    """Names of the package that are solvers and settings, with their modules in it."""
    found: dict[str, str] = {}
    for entry in SOLVERS:
        module, name = entry.class_home
        found |= {name: module} | (
            {} if entry.settings_name in found else {entry.settings_name: module}
        )
    return found


def _of_package(module: str, name: str) -> Any:
    return getattr(import_module(f"kinemesh.{module}"), name)
