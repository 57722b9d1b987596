"""Loads do not depend on how a case is written down.

Every solver of the registry, in each space and kind of flow that it computes, on one mesh and on
that mesh in other lengths, elsewhere, turned, mirrored, with other numbers and other names.
Iterations end where rounding is left, so that loads are compared to 1e-9.

A cloud of a mesh in space cuts quadrilaterals of walls from their first corner: it is that of
tetrahedra here, since such a cut is another wall.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow import registry

pytestmark = [pytest.mark.flow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
ALIKE = 1e-9  # of loads of order 0.1, where residuals have fallen to 1e-12 of the first
PIVOT = np.array([0.25, 0.02])  # of moments


# ---------------------------------------------------------------- meshes


@cache
def section():
    """A section of 500 nodes, without a plane of symmetry of its own."""
    return km.mesh.airfoil("naca2412", nodes=500, far_field=8.0)


@cache
def layered():
    """A C-mesh about that section, in thin layers."""
    return km.mesh.airfoil(
        "naca2412", nodes=2500, far_field=12.0, topology="c", heights="even", layers=24,
        y_plus=4, reynolds=1e5, cells="quads",
    )  # fmt: skip


@cache
def ellipsoid(cells="hexes"):
    """An ellipsoid of axes 1, 2 and 0.4, nose-up by 5 degrees, in an ellipsoid."""
    mesh = km.mesh.sphere(nodes=1500, far_field=6.0, cells=cells)
    points = (mesh.points + np.array([0.5, 0.0, 0.0])) * [1.0, 2.0, 0.4]
    return mesh.transformed(turned(points, 5.0))


def turned(points, angle_deg):
    """Points turned nose-up about the origin, in space about the y axis."""
    turn = np.exp(-1j * np.radians(angle_deg)) * (points[:, 0] + 1j * points[:, -1])
    found = np.array(points, float)
    found[:, 0], found[:, -1] = turn.real, turn.imag
    return found


# ---------------------------------------------------------------- cases


@dataclass(frozen=True)
class Given:
    """A case as it is written down, and what that means for its loads.

    Attributes
    ----------
    mesh : km.Mesh
    told : arguments of the solver
    factor : of its lengths
    motion : amplitude [deg], pivot, shift (a vector), of a pitch and a plunge together
    loads : of the case as given first -> of this one
    """

    mesh: km.Mesh
    told: dict[str, Any]
    factor: float = 1.0
    motion: tuple[float, Any, Any] = (4.0, (0.4, 0.1), (0.0, 0.1))
    loads: Callable[[dict[str, float]], dict[str, float]] = dict

    def but(self, points=None, **told):
        """The case with other coordinates and arguments."""
        mesh = self.mesh if points is None else self.mesh.transformed(points)
        return replace(self, mesh=mesh, told=self.told | told)

    def of_cells(self, points, blocks, sides):
        """The case with cells of another order."""
        return replace(self, mesh=km.Mesh.from_blocks(points, blocks, sides))

    def law(self):
        """Pitch and plunge at a reduced frequency of 0.5."""
        angle, about, shift = self.motion
        size = float(np.hypot(*shift))
        told = {"k": 0.5, "chord": self.factor}
        turn = km.motion.pitch(angle, about=about, **told)
        return turn + km.motion.plunge(size, direction=np.divide(shift, size), **told)


@dataclass(frozen=True)
class Kind:
    """A flow of a solver, with settings by which its residual falls to 1e-12."""

    solver: str
    mesh: Callable[[], km.Mesh]
    stream: dict[str, Any]
    settings: dict[str, Any]

    @property
    def dimensions(self):
        return self.mesh().dimensions

    def given(self):
        """The case as all others are compared with."""
        lengths = {"chord": 1.0}
        if self.dimensions == 3:
            lengths = {"reference_area": 1.6, "reference_length": 0.8}
        return Given(self.mesh(), {"alpha_deg": 3.0, "moment_about": PIVOT} | lengths | self.stream)

    def made(self, given, settings=(), **more):
        entry = registry.named(self.solver)
        space = given.mesh if entry.on == "mesh" else km.Cloud.from_mesh(given.mesh)
        told = {"settings": entry.settings(**(self.settings | dict(settings))), "device": "cpu"}
        return entry.solver(space, **(told | given.told | more))


DEEP = {"steady_drop": 1e-12, "steady_iterations": 3000}
DUALS = DEEP | {"limiter": "none"}  # Wang's keeps a residual on a mesh of 500 nodes
TETS = partial(ellipsoid, "tets")
SA = {"mach": 0.5, "reynolds": 1e5, "turbulence": "sa"}
KINDS = {
    "ale": Kind("ale", section, {"mach": 0.5}, DUALS),
    "ale laminar": Kind("ale", section, {"mach": 0.5, "reynolds": 200.0}, DEEP),
    "ale turbulent": Kind("ale", layered, SA, DEEP),
    "ale in space": Kind("ale", ellipsoid, {"mach": 0.4}, DUALS),
    "cells": Kind("cells", section, {"mach": 0.5}, DEEP),
    "cells in space": Kind("cells", ellipsoid, {"mach": 0.4}, DEEP),
    "meshless": Kind("meshless", section, {"mach": 0.5}, DEEP),
    "meshless in space": Kind("meshless", TETS, {"mach": 0.4}, DEEP),
    "incompressible": Kind("incompressible", section, {"reynolds": 100.0}, DEEP),
    "incompressible in space": Kind("incompressible", ellipsoid, {"reynolds": 100.0}, DEEP),
}


@pytest.mark.long
def test_every_solver_is_looked_at_in_every_space():
    found = {(kind.solver, kind.dimensions) for kind in KINDS.values()}
    assert found == {(own.name, n) for own in registry.SOLVERS for n in own.dimensions}


# ---------------------------------------------------------------- changes


def in_plane(points):
    """Axes of the plane in which bodies pitch: x and y, in space x and z."""
    return [0, np.shape(points)[1] - 1]


def signed(**signs):
    """Loads of a mirror image: some change their sign."""
    return lambda loads: {name: signs.get(name, 1.0) * value for name, value in loads.items()}


def scaled(given, factor):
    """Other units of length: areas go by the square in space."""
    told = given.told | {"moment_about": factor * given.told["moment_about"]}
    powers = {"chord": 1, "reference_length": 1, "reference_area": 2}
    told |= {name: told[name] * factor**n for name, n in powers.items() if name in told}
    angle, about, shift = given.motion
    motion = angle, np.multiply(factor, about), np.multiply(factor, shift)
    found = given.but(given.mesh.points * factor, **told)
    per_time = {"power": 1 / factor, "power_pitch": 1 / factor}
    return replace(found, factor=factor, motion=motion, loads=signed(**per_time))


def in_millimetres(given, folder):
    """The mesh as a file of millimetres of a chord of 300, read with `scale`."""
    km.mesh.write(given.mesh.transformed(given.mesh.points * 300.0), folder / "mm.su2")
    return replace(given, mesh=km.mesh.read(folder / "mm.su2", scale=1 / 300.0))


def shifted(given, way=(3.1, 1.7, -2.3)):
    """Moved as a whole; moments of roll and yaw stay those about y = 0."""
    points, told = given.mesh.points, given.told
    way = np.array(way[: points.shape[1]])
    angle, about, shift = given.motion
    along = way[in_plane(points)]
    found = given.but(points + way, moment_about=told["moment_about"] + along)

    def loads(known):
        if "cm_roll" not in known:
            return known
        alpha, arm = np.radians(told["alpha_deg"]), way[1] / told["reference_length"]
        x = known["cd"] * np.cos(alpha) - known["cl"] * np.sin(alpha)
        z = known["cd"] * np.sin(alpha) + known["cl"] * np.cos(alpha)
        return known | {"cm_roll": known["cm_roll"] + arm * z, "cm_yaw": known["cm_yaw"] - arm * x}

    return replace(found, motion=(angle, about + along, shift), loads=loads)


def pitched(given, angle_deg=20.0):
    """Body and stream turned nose-up together; roll and yaw are about the axes of the mesh."""

    def turn(point):
        return turned(np.atleast_2d(point), angle_deg)[0]

    told, (angle, about, shift) = given.told, given.motion
    more = {"moment_about": turn(told["moment_about"]), "alpha_deg": told["alpha_deg"] - angle_deg}
    found = given.but(turned(given.mesh.points, angle_deg), **more)

    def loads(known):
        if "cm_roll" not in known:
            return known
        roll, yaw = turn([known["cm_roll"], known["cm_yaw"]])
        return known | {"cm_roll": roll, "cm_yaw": yaw}

    return replace(found, motion=(angle, turn(about), turn(shift)), loads=loads)


BACK = {  # corners of a cell as its mirror image has them
    "triangles": [0, 2, 1],
    "quads": [0, 3, 2, 1],
    "tetrahedra": [0, 2, 1, 3],
    "hexahedra": [4, 5, 6, 7, 0, 1, 2, 3],
}
NEXT = {  # corners of a cell, another first
    "triangles": [1, 2, 0],
    "quads": [1, 2, 3, 0],
    "tetrahedra": [1, 2, 0, 3],
    "hexahedra": [1, 2, 3, 0, 5, 6, 7, 4],
}


def blocks_of(mesh, change=lambda name, cells: cells):
    cells = {"triangles": mesh.triangles, "quads": mesh.quads} | dict(mesh.solids)
    return {name: change(name, own) for name, own in cells.items() if len(own)}


def upside_down(given):
    mesh, flip = given.mesh, np.ones(given.mesh.dimensions)
    flip[-1] = -1.0
    found = given.of_cells(
        mesh.points * flip, blocks_of(mesh, lambda name, own: own[:, BACK[name]]), mesh.boundaries
    )
    angle, about, shift = given.motion
    down = np.array([1.0, -1.0])
    more = {
        "moment_about": down * given.told["moment_about"],
        "alpha_deg": -given.told["alpha_deg"],
    }
    loads = signed(cl=-1.0, cm=-1.0, cm_roll=-1.0)
    found = replace(found, motion=(-angle, down * about, down * shift), loads=loads)
    return found.but(**more)


def renumbered(given, seed=1):
    """Nodes and cells in a random order, cells and edges from another corner on."""
    mesh, rng = given.mesh, np.random.default_rng(seed)
    new = rng.permutation(mesh.nodes)
    points = np.empty_like(mesh.points)
    points[new] = mesh.points

    def change(name, cells):
        return new[cells[rng.permutation(len(cells))]][:, NEXT[name]]

    sides = {
        name: np.where(own < 0, own, new[own])[rng.permutation(len(own))]
        for name, own in mesh.boundaries.items()
    }
    return given.of_cells(points, blocks_of(mesh, change), sides)


def turned_back(given):
    """Edges and faces of the boundary seen from the other side, markers in the other order."""
    width = 2 if given.mesh.dimensions == 2 else 3 + ("hexahedra" in given.mesh.solids)
    sides = {name: own[:, :width][:, ::-1] for name, own in reversed(given.mesh.boundaries.items())}
    return given.of_cells(given.mesh.points, blocks_of(given.mesh), sides)


def renamed(given):
    """Markers whose names say nothing: the case says which are walls."""
    names = {name: "2" if name == "farfield" else "flügel b" for name in given.mesh.boundaries}
    sides = {names[name]: own for name, own in given.mesh.boundaries.items()}
    found = given.of_cells(given.mesh.points, blocks_of(given.mesh), sides)
    return found.but(walls=["flügel b"], far=["2"])


CHANGES = {
    "scaled by 0.3": partial(scaled, factor=0.3),
    "scaled by 300": partial(scaled, factor=300.0),
    "in millimetres": in_millimetres,
    "shifted": shifted,
    "pitched": pitched,
    "upside down": upside_down,
    "renumbered": renumbered,
    "turned back": turned_back,
    "renamed": renamed,
}


def changed(change, given, folder):
    made = CHANGES[change]
    return made(given, folder) if made is in_millimetres else made(given)


# ---------------------------------------------------------------- loads


LOADS = "cl", "cd", "cm", "cy", "cm_roll", "cm_yaw"
STEPS = {"cycles": 0.1, "steps_per_cycle": 40, "start": "as is", "preflight": False}
TIGHT = {
    "ale": {"unsteady_drop": 1e-11, "unsteady_iterations": 200},
    "incompressible": {
        "momentum_drop": 1e-10, "momentum_iterations": 60, "pressure_tolerance": 1e-12,
    },
}  # fmt: skip


def steady(kind, given):
    """Loads of a steady flow whose residual has fallen."""
    result = kind.made(given).steady().summary["result"]
    assert result["converged"], result
    return {name: result[name] for name in LOADS if name in result}


def moving(kind, given):
    """Loads and power of the last of four steps of a rigid body."""
    settings = TIGHT.get(kind.solver, TIGHT["ale"])
    case = kind.made(given, settings, motion=given.law(), deform=km.deform.Rigid())
    history = case.run(**STEPS).history
    wanted = (*LOADS, "power", "power_pitch")
    return {name: history[name][-1] for name in wanted if name in history.columns}


@cache
def expected(ways, name):
    kind = KINDS[name]
    return ways(kind, kind.given())


def holds(ways, name, change, folder):
    kind, given = KINDS[name], changed(change, KINDS[name].given(), folder)
    known = given.loads(expected(ways, name))

    found = ways(kind, given)

    assert found.keys() == known.keys()
    for load, value in known.items():
        assert found[load] == pytest.approx(value, abs=ALIKE), load


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", KINDS)
def test_steady_loads_do_not_depend_on_how_a_case_is_written(name, change, tmp_path):
    holds(steady, name, change, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_loads_in_motion_do_not_depend_on_the_axes(name, tmp_path):
    holds(moving, name, "pitched", tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("change", sorted(set(CHANGES) - {"pitched"}))
@pytest.mark.parametrize("name", KINDS)
def test_loads_in_motion_do_not_depend_on_how_a_case_is_written(name, change, tmp_path):
    holds(moving, name, change, tmp_path)
