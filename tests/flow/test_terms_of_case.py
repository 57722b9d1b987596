"""Terms are chosen by the case: those that are made have calls, and none asks whether it is on."""

import ast
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.terms.base import Term

HERE = Path(km.__file__).parent
MESH = km.mesh.airfoil("naca0012", nodes=700, far_field=8)
LAYERS = km.mesh.airfoil("naca0012", nodes=1000, far_field=12.0, topology="c", cells="quads",
                         wall_spacing=1e-3)  # fmt: skip
BOX = km.mesh.background((0, 4, 0, 4), (0, 4, 0, 4), 0.5)
WING = km.mesh.extruded(MESH, span=0.5, layers=2)
INVISCID = ["gradients", "convection", "balance", "boundary"]
LAMINAR = ["stick", "gradients", "viscosity", *INVISCID[1:], "no slip"]
ON_CELLS = [*LAMINAR[1:-1], "stick"]
VORTEX = [*INVISCID[:3], "vortex", "boundary"]
SPACE = [*INVISCID, "planes of symmetry"]
UNITS = "units", "scales", "fluids"  # viscosities in m^2/s
IN_UNITS = tuple(f"flow/door/{name}.py" for name in UNITS)
pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")


def ale(mesh=MESH, solver=km.Ale, **told):
    return solver(mesh, **{"mach": 0.5, "device": "cpu"} | told)


VISCOUS = {"mesh": LAYERS, "reynolds": 1e4}
FAR = km.AleSettings(far_field="vortex")
CASES = {
    "inviscid": (lambda: ale(), INVISCID),
    "inviscid with a vortex": (lambda: ale(settings=FAR), VORTEX),
    "inviscid in space": (lambda: ale(WING), SPACE),
    "cells": (lambda: ale(solver=km.CellCentred), INVISCID),
    "cells in space": (lambda: ale(WING, km.CellCentred), INVISCID),
    "cloud": (lambda: ale(km.Cloud.from_mesh(MESH), km.Meshless), ["gradients", *INVISCID[1::2]]),
    "laminar": (lambda: ale(**VISCOUS), LAMINAR),
    "turbulent": (lambda: ale(**VISCOUS, turbulence="sa"), [*LAMINAR, "turbulence"]),
    "laminar cells": (lambda: ale(**VISCOUS, solver=km.CellCentred), ON_CELLS),
    "turbulent cells": (
        lambda: ale(**VISCOUS, solver=km.CellCentred, turbulence="sa"),
        [*ON_CELLS, "turbulence"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_the_terms_that_it_needs_and_each_has_calls(name):
    make, wanted = CASES[name]
    case = make()

    assert list(case.terms) == wanted
    assert [term.name for term in case.terms.values() if not term.residual()] == []


@pytest.mark.parametrize(("solver", "wanted"), [(km.Ale, LAMINAR[:-1]), (km.CellCentred, ON_CELLS)])
def test_a_viscous_gas_without_walls_has_no_rows_of_walls(solver, wanted):
    case = ale(BOX, solver, walls=[], reynolds=50.0)

    assert list(case.terms) == wanted
    assert len(case.kept(levels=True)["wall_reaction"]) == 0


class Waits(Term):
    """Term for whose sake no member ends, where `flag` is 1."""

    name, flag = "waits", 1

    def __init__(self, case):
        super().__init__(case)
        self.busy = case.backend.array(np.full(case.grid.members, self.flag), np.int32)


@pytest.mark.parametrize("flag", [0, 1])
def test_a_member_goes_on_as_long_as_a_term_says(flag, monkeypatch):
    class Waiting(km.Ale):
        def terms_of(self):
            return (*super().terms_of(), Waits)

    monkeypatch.setattr(Waits, "flag", flag)
    case = ale(solver=Waiting, settings=km.AleSettings(steady_drop=0.9, steady_iterations=9))
    run = case.steady()

    assert "busy" not in case.fields  # which names no array of a term by chance
    assert case.behind().tolist() == [flag == 1]
    assert run.converged == (flag == 0)
    assert (len(run.history["residual"]) == 9) == (flag == 1)


def questions(tree):
    """Lines of conditions on the case's viscosity: `viscosity is None`, and those on `viscous`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            left = node.left
            if getattr(left, "attr", getattr(left, "id", "")) == "viscosity":
                found.add(node.lineno)
        for test in [getattr(node, "test", None), *getattr(node, "ifs", [])]:
            if test is not None:
                names = {getattr(own, "attr", "") for own in ast.walk(test)}
                found |= {test.lineno} if "viscous" in names else set()
    return found


def test_at_most_two_places_ask_whether_the_gas_is_viscous():
    """The argument aside, whose default is None (`laws_of`)."""
    asked = []
    for path in HERE.rglob("*.py"):
        name, text = path.relative_to(HERE).as_posix(), path.read_text("utf-8")
        if "visco" in text and name not in IN_UNITS:
            asked += [f"{name}:{line}" for line in questions(ast.parse(text))]
    of_case = [place for place in asked if not place.startswith("flow/door/viscosity.py")]
    at_door = [place for place in asked if place not in of_case]
    assert len(of_case) <= 2, of_case
    assert len(at_door) <= 1, at_door


def test_no_term_asks_for_the_viscosity_the_model_or_whether_it_is_on():
    asked = []
    for path in (HERE / "flow" / "terms").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            test = getattr(node, "test", None)
            names = {getattr(own, "attr", "") for own in ast.walk(test)} if test else set()
            if names & {"on", "viscosity", "viscous", "turbulence", "far_field", "symmetric"}:
                asked.append(f"{path.name}:{node.lineno}")
    assert asked == []
