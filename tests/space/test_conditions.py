"""Conditions at the boundary: every solver computes each or refuses it by its name."""

import ast
from dataclasses import MISSING, fields
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError, SettingsError
from kinemesh.flow import registry
from kinemesh.space.conditions.base import BODY, OUTER, PLANE
from kinemesh.space.conditions.table import CONDITIONS, condition_of, kinds
from squares import square

pytestmark = pytest.mark.filterwarnings("ignore:.*edges lie along:RuntimeWarning")

PACKAGE = Path(km.__file__).parent
USUAL = {"left": "far", "right": "far", "bottom": "symmetry", "top": "symmetry"}
WORDS = {"wall", "far", "symmetry", "overset"}
LAWS = ("viscosity.py", "registry.py")  # whose argument `wall` is a temperature
FREE_OF_WORDS = ("flow", "motion", "run", "linear")


def sample(own):
    """A condition of a class, with 1.05 for each number that it must have."""
    return own(**{field.name: 1.05 for field in fields(own) if field.default is MISSING})


def channel():
    """A square whose four sides have markers of their own."""
    mesh = square(6)
    ((_, rim),) = mesh.boundaries.items()
    x, y = mesh.points[rim].mean(axis=1).T
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    on = {"left": x == low[0], "right": x == high[0], "bottom": y == low[1], "top": y == high[1]}
    sides = {name: rim[which] for name, which in on.items()}
    assert sum(map(len, sides.values())) == len(rim)
    return km.Mesh(mesh.points, mesh.triangles, mesh.quads, sides)


def made(method, **given):
    entry = registry.named(method)
    space = channel() if entry.on == "mesh" else km.Cloud.from_mesh(channel())
    return entry.solver(space, **entry.solver.sample, device="cpu", **given)


@pytest.mark.filterwarnings(
    "ignore:.*(loads are sums|meets walls|the cells at the|edges lie):RuntimeWarning"
)
@pytest.mark.parametrize("own", [own for own in CONDITIONS if own.families], ids=str)
@pytest.mark.parametrize("method", registry.names())
def test_each_solver_computes_a_condition_or_refuses_it(method, own):
    words = f"{own.kind} of {own.flow}"
    value = sample(own) if own.flow else own.kind
    family = registry.named(method).solver.family
    side = "left" if own.enters else "right"
    beside = {"bottom": "wall", "top": "wall"} if own.role == PLANE else {}  # of another kind
    boundaries = USUAL | beside | {side: value}
    if family not in own.families:
        with pytest.raises(
            SettingsError, match=f"'{side}' is an? {words}, which method '{method}'"
        ):
            made(method, boundaries=boundaries)
        return

    case = made(method, boundaries=boundaries)

    assert case.conditions[side].kind == own.kind
    name = own.role if own.kind not in case.grid.patches else own.kind
    grid, edges = case.grid, case.grid.meshes[0].boundaries[side]
    rows = grid.rows(grid.patches[name], np.unique(edges))
    assert len(rows) == (len(edges) if grid.on == "cells" else len(np.unique(edges)))


@pytest.mark.filterwarnings("ignore:.*edges lie:RuntimeWarning")
@pytest.mark.parametrize("method", registry.names())
def test_words_in_boundaries_are_those_of_walls_and_far(method):
    walls = {"walls": ["top"], "far": ["left", "right"], "boundaries": {"bottom": "symmetry"}}
    words = {"top": "wall", "left": "far", "right": "far", "bottom": "symmetry"}

    found = [made(method, **given) for given in (walls, {"boundaries": words})]

    one, two = (case.markers.by_role for case in found)
    assert one == two == {BODY: ["top"], OUTER: ["left", "right"], PLANE: ["bottom"]}
    assert found[0].grid.bodies == found[1].grid.bodies == [(0, "top")]


@pytest.mark.parametrize("word", ["wall", "far"])
def test_a_marker_has_one_condition(word):
    argument = {"wall": "walls", "far": "far"}[word]
    with pytest.raises(MeshError, match=rf"\['top'\] are both in {argument} and of another kind"):
        made("ale", boundaries=USUAL | {"top": word}, **{argument: ["top"]})


def test_a_word_in_boundaries_leaves_the_rest_to_the_other():
    mesh = km.mesh.airfoil("naca0012", nodes=500)

    case = km.Ale(mesh, mach=0.5, device="cpu", boundaries={"airfoil": "wall"})

    assert case.markers.by_role == {BODY: ["airfoil"], OUTER: ["farfield"]}


@pytest.mark.parametrize("own", [own for own in CONDITIONS if own.families], ids=str)
def test_a_condition_comes_back_from_its_table(own):
    value = sample(own)

    assert condition_of("right", value.as_table()) == value


def test_a_nearly_known_word_is_guessed():
    with pytest.raises(SettingsError, match="did you mean 'symmetry'"):
        made("ale", boundaries=USUAL | {"top": "symmetr"})
    assert list(kinds())[:5] == ["wall", "far", "symmetry", "outlet", "inlet"]


def test_solvers_and_motions_name_conditions_by_role_alone():
    """A word would be a condition that no table knows of."""
    found = []
    for folder in FREE_OF_WORDS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if path.name in LAWS:
                    continue
                if isinstance(node, ast.Constant) and node.value in WORDS:
                    found.append(f"{path.relative_to(PACKAGE)}:{node.lineno} {node.value!r}")
    assert found == []


@pytest.mark.filterwarnings("ignore:.*edges lie:RuntimeWarning")
@pytest.mark.parametrize("method", registry.names())
def test_words_in_boundaries_leave_other_markers_to_their_names(method):
    """A wall that is forgotten would be far field."""
    boundaries = {"left": "far", "right": "far", "top": "wall"}
    with pytest.raises(MeshError, match=r"and not \['bottom'\], whose names have no word"):
        made(method, boundaries=boundaries)

    mesh = channel()
    sides = {("floor" if name == "bottom" else name): own for name, own in mesh.boundaries.items()}
    mesh = km.Mesh(mesh.points, mesh.triangles, mesh.quads, sides)
    space = mesh if registry.named(method).on == "mesh" else km.Cloud.from_mesh(mesh)
    solver = registry.named(method).solver
    case = solver(space, **solver.sample, device="cpu", boundaries=boundaries)

    assert sorted(case.markers.by_role[BODY]) == ["floor", "top"]
