"""Imports within the package point down the floors, without cycles.

Imports inside functions and for type checking count as those at the top of a module do.
"""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import kinemesh
import pytest
from kinemesh.flow.registry import SOLVERS

FLOORS = [  # folders and modules of the package from the ground up; each may know those before it
    "_core", "_cuda", "sentences", "errors", "packages", "arguments", "dimension", "csr", "wiring",
    "gas", "io", "loops", "results", "device", "linear", "mesh", "cloud", "space", "motion",
    "structure", "bodies", "deform", "overset", "flow", "run", "cases", "study", "plot",
    "bench", "cli_views", "cli", "__main__", "__init__",
]  # fmt: skip
STRANGERS = {"mesh": {"device", "linear"}, "cloud": {"device", "linear"}}  # who do not know them
ROOMS = {"mesh": ["", "geometry", "files", "sections", "generate", "__init__"]}  # "": beside them
BESIDE = 12  # most modules beside the folders
PACKAGE = Path(kinemesh.__file__).parent


def imports(source, module, modules):
    """Imports of a module among `modules`; a package is `name.__init__`."""
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


def room(module):
    """Folder within a folder in which a module lies; "": beside them; a package is its own room."""
    _, _, *rest = module.split(".")
    return rest[0] if len(rest) > 1 or rest == ["__init__"] else ""


def rooms_up(graph, folder, rooms):
    """Imports of a later room of a folder; `graph` is {module: modules that it imports}."""
    inside = {a: {b for b in graph[a] if place(b) == folder} for a in graph if place(a) == folder}
    return [f"{a} -> {b}" for a in sorted(inside) for b in sorted(inside[a])
            if rooms.index(room(a)) < rooms.index(room(b))]  # fmt: skip


def arrows_up(graph, floors, strangers):
    """Imports of a higher floor or of a stranger; `graph` is {module: modules that it imports}."""
    found = []
    for a in sorted(graph):
        for b in sorted(graph[a]):
            one, other = place(a), place(b)
            if floors.index(one) < floors.index(other) or other in strangers.get(one, ()):
                found.append(f"{a} -> {b}")
    return found


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

    assert arrows_up(graph, ["low", "high"], {}) == ["k.low.a -> k.high.c"]


def test_an_arrow_down_to_a_stranger_is_found():
    graph = {"k.low.a": set(), "k.high.c": {"k.low.a"}}

    assert arrows_up(graph, ["low", "high"], {"high": {"low"}}) == ["k.high.c -> k.low.a"]


def test_an_arrow_to_a_later_room_is_found_and_one_back_is_none():
    graph = {"k.low.a": {"k.low.far.c"}, "k.low.far.c": {"k.low.a", "k.low.near.__init__"},
             "k.low.near.b": {"k.low.far.c", "k.low.near.__init__"}, "k.low.near.__init__": set(),
             "k.low.__init__": {"k.low.far.c"}, "k.high.d": {"k.low.far.c"}}  # fmt: skip

    assert rooms_up(graph, "low", ["", "near", "far", "__init__"]) == [
        "k.low.a -> k.low.far.c",
        "k.low.near.b -> k.low.far.c",
    ]


def test_a_circle_of_modules_is_found():
    straight = {"k.low.a": {"k.low.b"}, "k.low.b": {"k.low.d"}, "k.low.d": set()}

    assert circle(straight) == []
    assert set(circle(straight | {"k.low.d": {"k.low.a"}})) == {"k.low.a", "k.low.b", "k.low.d"}


def test_a_circle_of_folders_without_one_of_modules_is_found():
    graph = {"k.low.a": {"k.high.c"}, "k.high.d": {"k.low.b"}, "k.low.b": {"k.low.d"}}

    assert circle(graph) == []
    assert set(circle(folders(graph))) == {"low", "high"}


# ---------------------------------------------------------------- the package


@cache
def package():
    """{module: modules of the package that it imports} of kinemesh."""
    paths = {".".join(("kinemesh", *path.relative_to(PACKAGE).with_suffix("").parts)): path
             for path in PACKAGE.rglob("*.py")}  # fmt: skip
    modules = {*paths, "kinemesh._core", "kinemesh._cuda"}
    return {name: imports(path.read_text("utf-8"), name, modules) for name, path in paths.items()}


@pytest.mark.no_sanitizer
def test_every_folder_and_module_has_its_floor():
    assert {place(module) for module in package()} | {"_core", "_cuda"} == set(FLOORS)


def test_arrows_run_down_the_floors():
    assert arrows_up(package(), FLOORS, STRANGERS) == []


@pytest.mark.parametrize("folder", ROOMS)
def test_arrows_run_down_the_rooms(folder):
    assert {room(module) for module in package() if place(module) == folder} == set(ROOMS[folder])
    assert rooms_up(package(), folder, ROOMS[folder]) == []


def test_no_circle_joins_modules_or_folders():
    assert circle(package()) == []
    assert circle(folders(package())) == []


def test_few_modules_lie_beside_the_folders():
    assert len(list(PACKAGE.glob("*.py"))) <= BESIDE


def test_the_solvers_have_few_modules_beside_their_folders():
    homes = {"__init__", *(line.home.partition(".")[0] for line in SOLVERS)}
    beside = [p.stem for p in (PACKAGE / "flow").glob("*.py") if p.stem not in homes]
    assert len(beside) <= 9, beside


ASKS = r"dimensions ==|dimensions !=|in_space|shape\[1\] ==|shape\[-1\] ==|\.dim ==|dimensions > 2"


@pytest.mark.parametrize(("pattern", "most"), [(ASKS, 15), (r"\bXYZ?\.holds\(", 7)])
def test_few_lines_ask_for_the_plane_or_for_space(pattern, most):
    """Data of `dimension`, or a table beside two implementations, take the place of a question."""
    found = [f"{path.relative_to(PACKAGE)}: {line.strip()}" for path in PACKAGE.rglob("*.py")
             for line in path.read_text("utf-8").splitlines()
             if re.search(pattern, line)]  # fmt: skip
    assert len(found) <= most, "\n".join(found)


KNOWS_POSES = re.compile(
    r"PoseArray|RateArray|\b(pose|poses|rate|rates|there)\.(angle|angle_deg|about|shift|axis)\b"
)


def test_poses_are_taken_apart_in_motion_and_bodies_alone():
    """A body that bends, or has an axis, is no business of solvers and movers."""
    names = {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}
    others = [name for name in names if name.parts[0] not in ("motion", "bodies")]
    found = {
        f"{name}:{number}": line.strip()
        for name in others
        for number, line in enumerate((PACKAGE / name).read_text().splitlines(), 1)
        if KNOWS_POSES.search(line)
    }
    assert found == {}


def test_a_solver_says_nothing_of_parts():
    """Parts are `Moving`'s, so that any solver may have them; one takes what a user gives."""
    source = (PACKAGE / "flow/incompressible.py").read_text()
    names = {
        name
        for node in ast.walk(ast.parse(source))
        for name in (getattr(node, "id", ""), getattr(node, "attr", ""))
        if re.search("parts|overset|standing_of|overlap", name.lower())
    }
    assert names == set()


BY_HAND = re.compile(
    r"np\.(hypot|cross)\b"  # lengths and areas of edges and faces
    r"|-\s*(?P<a>\w+)\[(:, ?)?1\],\s*(?P=a)\[(:, ?)?0\]"  # (-y, x) and (y, -x) of a vector
    r"|\b(?P<b>\w+)\[(:, ?)?1\],\s*-\s*(?P=b)\[(:, ?)?0\]"
    r"|-(?P<c>\w*)y,\s*(?P=c)x\b|\b(?P<d>\w*)y,\s*-(?P=d)x\b"
)


@pytest.mark.parametrize(
    "line",
    [
        "size = np.hypot(*S.T)",
        "area = np.cross(one, other)",
        "way = np.stack([-normal[:, 1], normal[:, 0]], axis=1)",
        "return np.stack([way[:, 1], -way[:, 0]], axis=1)",
        "normals.append(np.array([-way[1], way[0]]))",
        "area = np.stack([-along_y, along_x], axis=1)",
        "turned = np.array([y, -x])",
    ],
)
def test_a_normal_by_hand_is_found(line):
    assert BY_HAND.search(line)


def test_solvers_make_no_normals_by_hand():
    """Walls are known once, for plane and space: mesh/facets.py, space/walls.py."""
    found = {
        f"{path.relative_to(PACKAGE)}:{number}": line.strip()
        for path in (PACKAGE / "flow").rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if BY_HAND.search(line)
    }
    assert found == {}


def test_no_file_name_stands_more_than_twice():
    """A reader who is sent to `walls.py` should not have to ask which."""
    names = [path.name for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]

    assert len(names) > 400
    assert sorted({name for name in names if names.count(name) > 2}) == []
