"""The solvers: one line each.  Cases, command line, check, bench and documentation read the table.

What is asked before a run stands in the line, so that a case is checked without loading a solver.
A solver's class has the rest: `method`, its name here, and `room`, the memory that a case takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from kinemesh import packages
from kinemesh.errors import CaseError, PackageError


class Entry(NamedTuple):
    """A solver.

    Parameters
    ----------
    name : `method` in case files
    home : module in `kinemesh.flow`, and the class in it; of a package "package.module:Class"
    settings_name : class of the settings, in that module
    on : "mesh" or "cloud"    what it computes on
    dimensions : of the plane 2, of space 3
    deforms : deformations that a case may name; the first takes the place of one that it may not
    references : lengths and areas of the coefficients that a case may give
    bench : groups of rows of `kinemesh bench`
    streams : what a case gives of the stream beside its angle; the first must be given
    modes : of runs
    laws : of a viscous gas that a case may give beside its Reynolds number
    source : entry point that it comes from, set by `named`; None of kinemesh's own
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
    source: packages.Extension | None = None

    @property
    def solver(self) -> Any:
        """The class of the solver, loaded now; PackageError where that of a package fails."""
        made = self._loaded(self.class_home[1])
        if self.source is not None and getattr(made, "method", None) != self.name:
            method = getattr(made, "method", None)
            raise self.source.error(f"names {self.home}, whose method is {method!r}")
        return made

    @property
    def settings(self) -> Any:
        """The class of the solver's settings, loaded now; PackageError as of `solver`."""
        return self._loaded(self.settings_name)

    @property
    def class_home(self) -> tuple[str, str]:
        """Module in kinemesh, or that of a package, and the name of the solver's class in it."""
        if ":" in self.home:
            module, _, name = self.home.partition(":")
            return module, name
        module, name = self.home.split(".")
        return f"flow.{module}", name

    def _loaded(self, name: str) -> Any:
        """Object of the solver's module."""
        module = self.class_home[0]
        if self.source is None:
            return getattr(import_module(f"kinemesh.{module}"), name)
        try:
            return getattr(import_module(module), name)
        except (Exception, SystemExit) as error:
            text = f"names {name} in {module}, which fails with {type(error).__name__}: {error}"
            raise self.source.error(text) from error

    @property
    def spaces(self) -> str:
        """Spaces that it computes on, in words."""
        places = {2: "in the plane", 3: "in space"}
        return f"{self.on} {' or '.join(places[n] for n in self.dimensions)}"

    def takes(self, inputs: set[tuple[str, int]]) -> bool:
        """True where it computes on one of the inputs, each (on, dimensions)."""
        return any((self.on, n) in inputs for n in self.dimensions)


PLANE, SPACE, BOTH = (2,), (3,), (2, 3)
CELLS = ("springs", "delaunay", "rigid", "modal", "carrier")
POINTS = ("delaunay", "rigid", "modal")
RIGID = ("rigid",)
AREA = ("chord", "reference_area", "reference_length")
MESH, CLOUD = ("springs", "natural", "flow", "viscous"), ("cloud",)
VISCOUS = (
    *("reynolds_length", "turbulence", "temperature_k", "wall"),
    *("prandtl", "turbulent_prandtl", "nu_ratio"),
)

GAS = ("mesh", BOTH, CELLS, AREA, MESH, ("mach", "reynolds", "stream"))  # on meshes
SOLVERS = (  # the first one of a mesh, or of a cloud, is that of cases and benches that name none
    Entry("ale", "ale.Ale", "AleSettings", *GAS, laws=VISCOUS),
    Entry("cells", "cells.CellCentred", "CellSettings", *GAS, laws=VISCOUS),
    Entry("meshless", "meshless.Meshless", "MeshlessSettings", "cloud", BOTH, POINTS, AREA, CLOUD),
    Entry(
        "incompressible",
        "incompressible.Incompressible",
        "IncompressibleSettings",
        "mesh",
        BOTH,
        RIGID,
        AREA,
        ("one-grid",),
        ("reynolds", "stream"),
    ),
)
RENAMED = {"mesh": "ale"}  # old names of methods


OF_PACKAGES: dict[str, Entry] = {}  # those that were asked for, by name


def names() -> list[str]:
    """Names of the solvers, without those of packages."""
    return [entry.name for entry in SOLVERS]


def in_words() -> str:
    """The solvers and what they compute on, as a text."""
    return " or ".join(f"{entry.name} (on a {entry.on})" for entry in SOLVERS)


def first(on: str = "mesh") -> Entry:
    """The solver that computes on a mesh, or on a cloud, where none is named."""
    return next(entry for entry in SOLVERS if entry.on == on)


def named(name: Any) -> Entry:
    """The solver of a name, of kinemesh or of an installed package.

    Raises
    ------
    CaseError       there is none
    PackageError    its package cannot be used
    """
    for entry in SOLVERS:
        if entry.name == name:
            return entry
    if isinstance(name, str) and name in RENAMED:
        raise CaseError(f"method = {name!r}: this method is now called {RENAMED[name]!r}")
    if isinstance(name, str) and name in OF_PACKAGES:
        return OF_PACKAGES[name]
    source = packages.named("solvers", name) if isinstance(name, str) else None
    if source is not None:
        return OF_PACKAGES.setdefault(source.name, of_package(source))
    known = [*names(), *packages.names("solvers")]
    raise CaseError(f"method = {name!r}, expected one of {', '.join(known)}")


def of_package(source: packages.Extension) -> Entry:
    """The solver of an entry point; PackageError where that is none, or has another name."""
    entry = source.load()
    if not isinstance(entry, Entry):
        raise source.error(f"is {type(entry).__name__}, expected a kinemesh.flow.registry.Entry")
    if entry.name != source.name:
        raise source.error(f"is the solver {entry.name!r}, expected the name of the entry point")
    if ":" not in entry.home:
        raise source.error(f"has home = {entry.home!r}, expected 'package.module:Class'")
    return entry._replace(source=source)


def source_of(method: str) -> packages.Extension | None:
    """Entry point of a method; None of kinemesh's own, and of a class that is of no entry point."""
    if method in names():
        return None
    if method in OF_PACKAGES:
        return OF_PACKAGES[method].source
    try:
        return packages.named("solvers", method)
    except PackageError:  # the class need not be of any of them
        return None


def public() -> dict[str, str]:
    """Names of the package that are solvers and settings, with their modules in it."""
    found: dict[str, str] = {}
    for entry in SOLVERS:
        module, name = entry.class_home
        found |= {name: module} | (
            {} if entry.settings_name in found else {entry.settings_name: module}
        )
    return found
