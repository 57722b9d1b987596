"""Comments, docstrings and lines of the docs name what they speak of, from their first word on."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMELESS = re.compile(r"(?:the same|such(?! as))\b|\.\.\.|…", re.IGNORECASE)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
GAP = re.compile(r" : |\s{3,}")  # before the meaning, in an entry of a docstring
ROUNDABOUT = {"What", "Whether", "Of", "That", "Those", "As", "Where", "There", "Who"}


def of_c(text):
    """Openings of comments."""
    yield from re.findall(r"/\*[\s*]*(.*)", text)


def of_python(text):
    """Openings of comments, of paragraphs of docstrings and of meanings in their entries."""
    last = -1  # line of the last comment that stands alone: the next one goes on with it
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, alone = token.start[0], not token.line[: token.start[1]].strip()
            if not alone or row != last + 1:
                yield token.string.lstrip("#: ")
            last = row if alone else last
    for node in ast.walk(ast.parse(text)):
        lines = ((isinstance(node, DOCUMENTED) and ast.get_docstring(node)) or "").splitlines()
        for before, line in zip(["", *lines], lines, strict=False):
            first, *meanings = GAP.split(line.strip())
            yield from meanings if before.strip() else [first, *meanings]


def of_markdown(text):
    """Openings of lines, of items and of cells of tables, outside of code."""
    for line in re.sub(r"^```.*?^```", "", text, flags=re.M | re.S).splitlines():
        yield line.lstrip("> *-")
        yield from (cell.strip() for cell in line.split("|")[1:])


FILES = {
    of_c: [p for end in ("h", "c", "cu") for p in (ROOT / "csrc").rglob(f"*.{end}")],
    of_python: [p for folder in ("python", "tests", "tools", "docs")
                for p in (ROOT / folder).rglob("*.py*") if p.suffix in (".py", ".pyi")],
    of_markdown: [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")],
}  # fmt: skip


def nameless(openings):
    return [opening for opening in openings if NAMELESS.match(opening)]


@pytest.mark.parametrize(
    ("openings", "text"),
    [
        (of_c, "int a; /* The same of b */"),
        (of_c, "/* Such a thing. */"),
        (of_c, "/*\n * ... and so on */"),
        (of_python, '"""Such a module."""'),
        (of_python, 'class A:\n    """A class.\n\n    The same of it.\n    """'),
        (of_python, 'def f():\n    """A.\n\n    a, b : the same of c; None\n    """'),
        (of_python, 'def f():\n    """A.\n\n    a : int    the same of c\n    """'),
        (of_python, "a = 1  # the same of b"),
        (of_python, "# … of b"),
        (of_markdown, "A line.\nSuch lines too."),
        (of_markdown, "* the same in a list"),
        (of_markdown, "| a | the same |"),
    ],
)
def test_a_nameless_opening_is_found(openings, text):
    assert len(nameless(openings(text))) == 1


@pytest.mark.parametrize(
    ("openings", "text"),
    [
        (of_c, "/* Both are the same. */"),
        (of_python, "# A comment that goes on with\n# the same words"),
        (of_python, 'def f():\n    """A sentence that goes on with\n    the same words.\n    """'),
        (of_python, 'def f():\n    """A.\n\n    >>> f(\n    ...     1)\n    """'),
        (of_python, "a = 1  # such as b"),
        (of_markdown, "```\n... and so on\n```"),
    ],
)
def test_other_openings_are_left_alone(openings, text):
    assert nameless(openings(text)) == []


@pytest.mark.long
@pytest.mark.parametrize("openings", FILES, ids=lambda openings: openings.__name__)
def test_comments_and_docs_name_what_they_speak_of(openings):
    found = {path.relative_to(ROOT): nameless(openings(path.read_text("utf-8")))
             for path in FILES[openings]}  # fmt: skip

    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def docstrings(text):
    """Docstrings of a module, its classes, functions and constants."""
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for item in body if isinstance(body, list) else ():
            value = item.value if isinstance(item, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.value.strip()


def roundabout(text):
    """First lines of docstrings that open with neither a verb nor the noun they return."""
    return [line.splitlines()[0] for line in docstrings(text)
            if line and line.split()[0].rstrip(",:") in ROUNDABOUT]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '"""What a module has."""',
        'class A:\n    """Of a class, its instances."""',
        'class A:\n    def f(self):\n        """\n        Whether it is so.\n        """',
        'async def f():\n    """Those, which are."""',
        'A = 1\n"""Where: a place."""',
    ],
)
def test_a_roundabout_docstring_is_found(text):
    assert len(roundabout(text)) == 1


@pytest.mark.parametrize(
    "text",
    ['"""True where a mesh has cells.\n\nWhat follows."""', 'a = "What"', "# Of a comment"],
)
def test_verbs_and_nouns_open_docstrings(text):
    assert roundabout(text) == []


@pytest.mark.long
def test_docstrings_open_with_a_verb_or_the_noun_that_they_return():
    names = {path: path.relative_to(ROOT).as_posix() for path in FILES[of_python]}
    found = {name: roundabout(path.read_text("utf-8")) for path, name in names.items()}

    assert {n: wrong for n, wrong in found.items() if wrong} == {}
