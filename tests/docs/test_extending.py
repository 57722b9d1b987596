"""The page of tenants shows what tests run, and shows every tenant."""

import ast
import re
from pathlib import Path

import pytest
from tenants.limits import LINES

pytestmark = pytest.mark.no_sanitizer

DOCS = Path(__file__).parents[2] / "docs"
TENANTS = DOCS.parent / "tests" / "tenants"
INCLUDED = re.compile(
    r"^```\{literalinclude\} \.\./tests/tenants/(\w+)\.(py|h)\n((?::.*\n)*)```", re.M
)


def objects(tree):
    """Classes, functions and constants of a module, by name, and as `__file__` what it runs."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {t.id: node for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.If):
            found["__file__"] = node
    return found


def in_tests(tree):
    """Names of the objects that tests are or use, with what these use."""
    own, found = objects(tree), set()
    new = {name for name in own if name.startswith("test_")}
    new |= {name for name, node in own.items() if new and "autouse=True" in ast.unparse(node)}
    while new - found:
        found |= new
        used = {n.id for name in new for n in ast.walk(own[name]) if isinstance(n, ast.Name)}
        new = used & own.keys()
    return found


def wrong(text, folder, tenants):
    """Complaints about a page: what it shows and no test runs, and tenants that it lacks."""
    found, seen = [], set()
    if len(included := INCLUDED.findall(text)) != text.count("{literalinclude}"):
        found.append("a literalinclude is of no tenant")
    of_tests = "".join(p.read_text("utf-8") for p in folder.glob("test_*.py"))
    for module, ending, options in included:
        own = not module.startswith("test_")
        if own and f'"{module}.{ending}"' in of_tests:  # a file that a tenant puts into a copy
            continue
        seen.add(module)
        name = re.fullmatch(r":pyobject: (\w+)\n", options)
        path = folder / f"{module}.py"
        if name is None or not path.exists():
            found.append(f"{module} is no file, or it is not shown by the name of an object")
        elif name[1] not in objects(tree := ast.parse(path.read_text("utf-8"))):
            found.append(f"{module} has no {name[1]}")
        elif not module.startswith("test_") or name[1] not in in_tests(tree):
            found.append(f"no test uses {name[1]} of {module}")
    return found + [f"{module} is not shown" for module in tenants if module not in seen]


def test_the_page_of_tenants_shows_what_tests_run_and_every_tenant():
    assert wrong((DOCS / "extending.md").read_text("utf-8"), TENANTS, LINES) == []


def test_every_tenant_has_a_limit_and_so_a_place_on_the_page():
    named = {p.stem for p in TENANTS.glob("test_*.py")
             if p.read_text("utf-8").startswith('"""A tenant')}  # fmt: skip

    assert named == LINES.keys()


MADE = """class Used:
    pass

class Left:
    pass

def helper():
    return Used()

def test_it():
    helper()
"""


@pytest.mark.parametrize(
    ("module", "options", "said"),
    [
        ("test_made", ":pyobject: Used\n", None),
        ("test_made", ":pyobject: test_it\n", None),
        ("test_made", ":pyobject: Gone\n", "test_made has no Gone"),
        ("test_made", ":pyobject: Left\n", "no test uses Left of test_made"),
        ("test_made", ":lines: 1-2\n", "not shown by the name of an object"),
        ("test_gone", ":pyobject: Used\n", "test_gone is no file"),
        ("made", ":pyobject: Used\n", "no test uses Used of made"),
        ("../made", ":pyobject: Used\n", "a literalinclude is of no tenant"),
        ("untested", ":pyobject: Used\n", "no test uses Used of untested"),
    ],
)
def test_what_no_test_runs_is_found(tmp_path, module, options, said):
    for name, text in (("test_made", MADE), ("made", MADE), ("untested", "class Used:\n    pass")):
        (tmp_path / f"{name}.py").write_text(text)
    page = f"```{{literalinclude}} ../tests/tenants/{module}.py\n{options}```\n"

    found = wrong(page, tmp_path, [])

    assert len(found) == (said is not None)
    assert said is None or said in found[0]


@pytest.mark.parametrize(("name", "found"), [("used", 0), ("unused", 1)])
def test_a_file_that_no_tenant_puts_into_a_copy_is_found(tmp_path, name, found):
    (tmp_path / "test_made.py").write_text('own = {"used.h": "csrc/physics"}\n')
    page = f"```{{literalinclude}} ../tests/tenants/{name}.h\n:language: c\n```\n"

    assert len(wrong(page, tmp_path, [])) == found


def test_a_tenant_that_is_not_shown_is_found(tmp_path):
    assert wrong("", tmp_path, ["test_made"]) == ["test_made is not shown"]
