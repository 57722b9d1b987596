"""How the projection is cut: modules with public names between them, marches without parts."""

import ast
from pathlib import Path

import kinemesh.flow.projection as package
import pytest

FOLDER = Path(package.__file__).parent
SOURCES = sorted(FOLDER.glob("*.py"))
MARCHES = ("initial", "steady", "step")
PARTS = {"connectivity", "exchange", "overset", "parts"}
MOST = 20  # attributes of a class


def tree(path):
    return ast.parse(path.read_text())


def attributes(cls):
    """Names that a class gives itself: attributes, and properties that are kept."""
    found = {
        node.attr
        for node in ast.walk(cls)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
    own = [node for node in cls.body if isinstance(node, ast.FunctionDef)]
    return found | {
        f.name for f in own if any("property" in ast.unparse(d) for d in f.decorator_list)
    }


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_class_has_few_attributes(path):
    for cls in ast.walk(tree(path)):
        if isinstance(cls, ast.ClassDef):
            assert len(attributes(cls)) <= MOST, (cls.name, sorted(attributes(cls)))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_private_names_are_those_of_the_object_itself(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            assert ast.unparse(node.value) in ("self", "super()"), ast.unparse(node)
        if isinstance(node, ast.ImportFrom):
            assert not [alias.name for alias in node.names if is_private(alias.name)]


def conditions(found):
    """Tests of all `if`, in statements, expressions and comprehensions."""
    for node in ast.walk(found):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


def words(node):
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


@pytest.mark.parametrize("name", [*MARCHES, "operators", "flow"])
def test_nothing_asks_whether_there_are_parts(name):
    """Operators of one grid do nothing there; `overset.py` has those of parts."""
    for test in conditions(tree(FOLDER / f"{name}.py")):
        assert not words(test) & PARTS, ast.unparse(test)


@pytest.mark.parametrize("name", MARCHES)
def test_marches_know_no_parts(name):
    known = words(tree(FOLDER / f"{name}.py"))
    assert not known & (PARTS - {"parts"})  # which are those of sums, too
