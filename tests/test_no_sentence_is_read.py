"""Facts travel as attributes: no module takes a sentence apart, by patterns or otherwise."""

import ast
from pathlib import Path

import kinemesh
import pytest

PACKAGE = Path(kinemesh.__file__).parent
PATTERNS = {  # modules that know regular expressions, and what these read
    "cases.changes": "values of the command line",
    "cases.values": "numbers of case files and of the command line",
    "cli_views": "words of the command line",
    "io.folder": "names of files",
    "io.text_table": "lines of files",
    "mesh.sections.coordinates": "lines of files",
    "mesh.files.gmsh_numbers": "lines of files",
    "mesh.sections.named": "names of sections",
    "mesh.names": "names of markers",
    "mesh.sections.section": "lines of files",
    "mesh.files.su2": "lines of files",
    "mesh.files.su2_beside": "lines of files",
    "mesh.files.su2_lines": "exponents of files",
    "mesh.files.text_files": "line ends of files",
    "plot.ensembles": "values in names of files",
    "plot.style": "where lines of captions may break",
    "run.resume": "addresses in texts of Python's objects",
}
FOREIGN = {  # handlers of errors of others, which have no fields
    "device.backend": "what Python says of a module that is not there",
    "study.sweep.workshop": "line ends in what Dask says",
}
METHODS = {
    *(
        "startswith",
        "endswith",
        "replace",
        "find",
        "index",
        "count",
        "split",
        "rsplit",
        "partition",
    ),
    *("rpartition", "removeprefix", "removesuffix", "splitlines", "translate"),
}


def modules():
    """Source of each module of the package, by its name."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path.read_text("utf-8")
        for path in PACKAGE.rglob("*.py")
    }


def knows_patterns(source):
    """True of a module that imports `re`, or anything of it."""
    return any(
        (isinstance(node, ast.Import) and "re" in [alias.name for alias in node.names])
        or (isinstance(node, ast.ImportFrom) and node.module == "re")
        for node in ast.walk(ast.parse(source))
    )


def takes_apart(source):
    """Lines in which the text of an error, a warning or a Sentence is taken apart."""
    found = []
    for scope in ast.walk(ast.parse(source)):
        if isinstance(scope, ast.FunctionDef):
            texts = {None}  # names of texts of errors
            for node in ast.walk(scope):
                if isinstance(node, ast.Assign) and _text(node.value, texts):
                    texts |= {getattr(target, "id", None) for target in node.targets}
            found += [node.lineno for node in ast.walk(scope) if _apart(node, texts)]
    return sorted(set(found))


def _text(node, texts):
    """True of str(error), str(warning.message), of error.said, and of a name of one of these."""
    if isinstance(node, ast.Name):
        return node.id in texts
    if isinstance(node, ast.Attribute):
        return node.attr == "said"
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
    if not called or node.func.id != "str":
        return False
    of = node.args[0]
    name = of.attr if isinstance(of, ast.Attribute) else getattr(of, "id", "")
    return name in ("error", "fault", "warning", "message", "second", "stop", "exception", "e")


def _apart(node, texts):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        read = node.func.attr in METHODS and _text(node.func.value, texts)
        return read or node.func.attr == "filterwarnings"  # whose message is a pattern
    if isinstance(node, ast.Compare) and "In" in type(node.ops[0]).__name__:
        return _text(node.comparators[0], texts)
    return isinstance(node, ast.Subscript) and _text(node.value, texts)


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_regular_expressions_read_files_names_and_words_of_the_command_line_alone():
    assert {name for name, source in modules().items() if knows_patterns(source)} == set(PATTERNS)


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_no_text_of_an_error_or_a_warning_is_taken_apart():
    assert {name for name, source in modules().items() if takes_apart(source)} == set(FOREIGN)


@pytest.mark.parametrize(
    "line",
    [
        "str(error).startswith('[')",
        "'member 0' in str(error)",
        "str(warning.message).partition(':')",
        "error.said.replace('node', 'point')",
        "str(error)[:3]",
        "warnings.filterwarnings('ignore', 'part .*')",
    ],
)
def test_what_takes_a_text_apart_is_found(line):
    body = f"def f(error, warning):\n    {line}"
    assert takes_apart(body) == [2]
    later = line.replace("str(error)", "text").replace("error.said", "text")
    assert takes_apart(f"def f(error, warning):\n    text = str(error)\n    {later}") == [3]
    assert takes_apart("def f(error):\n    text = str(error)\n    return error.member") == []


@pytest.mark.parametrize("line", ["import re", "from re import sub", "import os, re"])
def test_what_imports_patterns_is_found(line):
    assert knows_patterns(f"def f():\n    {line}")
    assert not knows_patterns("import reprlib\nfrom kinemesh import re_entry")
