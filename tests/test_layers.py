"""Who imports whom in the package: arrows run down the floors, and in no circle.

Imports inside functions and for type checking count as those at the top of a module do.
"""

import ast
from graphlib import CycleError, TopologicalSorter

import pytest

FLOORS = [  # folders and modules of the package from the ground up; each may know those before it
    "errors", "mesh", "cloud", "device", "linear", "space", "motion", "flow", "io", "loops", "run",
    "cases", "study", "plot", "bench", "cli", "__main__",
]  # fmt: skip


def imports(source, module, modules):
    """Those of the `modules` that a module imports; a package is `name.__init__`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            here = module.split(".")[: -node.level] if node.level else []
            start = here + (node.module.split(".") if node.module else [])
            names = [[*start, alias.name] for alias in node.names]
        else:
            continue
        found |= {resolved(name, modules) for name in names}
    return found - {None}


def resolved(name, modules):
    """The longest beginning of a dotted name that is a module or a package; None: not of ours."""
    for end in range(len(name), 0, -1):
        known = ".".join(name[:end])
        for module in (known, f"{known}.__init__"):
            if module in modules:
                return module
    return None


def place(module):
    """Folder of the package in which a module lies, or its name where it lies beside them."""
    return module.split(".")[1]


def arrows_up(graph, floors):
    """Imports from a lower floor of a higher one; `graph` is {module: modules that it imports}."""
    floor = floors.index
    return [f"{a} -> {b}" for a, known in sorted(graph.items()) for b in sorted(known)
            if floor(place(a)) < floor(place(b))]  # fmt: skip


def circle(graph):
    """Modules or folders that import one another, the first again at the end; [] where none do."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def folders(graph):
    """The graph of the folders: {folder: other folders that its modules import}."""
    found = {}
    for module, known in graph.items():
        others = {place(b) for b in known} - {place(module)}
        found[place(module)] = found.get(place(module), set()) | others
    return found


# ---------------------------------------------------------------- made-up packages

MODULES = {"k.__init__", "k.low.__init__", "k.low.a", "k.low.b", "k.high.__init__", "k.high.c"}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import numpy, k.low.a", {"k.low.a"}),
        ("from k.low import a, Thing", {"k.low.a", "k.low.__init__"}),
        ("from k import Thing", {"k.__init__"}),
        ("from . import a", {"k.low.a"}),
        ("from .a import thing", {"k.low.a"}),
        ("from ..high import c", {"k.high.c"}),
        ("from ..high.c import thing as other", {"k.high.c"}),
        ("def late():\n    from ..high import c", {"k.high.c"}),
        ("if TYPE_CHECKING:\n    import k.high.c", {"k.high.c"}),
        ("from json import high\nimport kk", set()),
    ],
)
def test_imports_are_found_wherever_they_stand(source, found):
    assert imports(source, "k.low.b", MODULES) == found


def test_a_package_imports_from_its_own_folder():
    assert imports("from .a import thing", "k.low.__init__", MODULES) == {"k.low.a"}


def test_an_arrow_up_is_found_and_one_down_is_none():
    graph = {"k.low.a": {"k.high.c", "k.low.b"}, "k.high.c": {"k.low.b"}, "k.low.b": set()}

    assert arrows_up(graph, ["low", "high"]) == ["k.low.a -> k.high.c"]


def test_a_circle_of_modules_is_found():
    straight = {"k.low.a": {"k.low.b"}, "k.low.b": {"k.low.d"}, "k.low.d": set()}

    assert circle(straight) == []
    assert set(circle(straight | {"k.low.d": {"k.low.a"}})) == {"k.low.a", "k.low.b", "k.low.d"}


def test_a_circle_of_folders_without_one_of_modules_is_found():
    graph = {"k.low.a": {"k.high.c"}, "k.high.d": {"k.low.b"}, "k.low.b": {"k.low.d"}}

    assert circle(graph) == []
    assert set(circle(folders(graph))) == {"low", "high"}
