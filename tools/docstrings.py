"""Extracts from the sources for the docs: parameters of docstrings, comments of fields.

Docstrings here are numpydoc with the meaning beside the type (`k : float    reduced frequency`).
Sphinx wants it on a line of its own, and reStructuredText's marks escaped.
"""

import inspect
import re
from collections.abc import Callable, Iterator

TITLES = ("Parameters", "Returns", "Raises", "Attributes")
NAMES = r"\w+(?:, \w+)*"
ENTRY = re.compile(rf"(?P<names>{NAMES}) : (?P<rest>.*)")
LONGEST = 40  # of a type; longer ones are sentences
GAP = re.compile(r"\s{2,}")


def sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(title, lines) of a docstring's sections; an empty title outside of them."""
    title, body, at = "", [], 0
    while at < len(lines):
        below = lines[at + 1].strip() if at + 1 < len(lines) else ""
        if lines[at].strip() in TITLES and below and set(below) == {"-"}:
            yield title, body
            title, body, at = lines[at].strip(), [], at + 2
            continue
        if title and not lines[at].strip():  # a section ends with its paragraph
            yield title, body
            title, body = "", []
        body.append(lines[at])
        at += 1
    yield title, body


def entries(body: list[str]) -> list[tuple[str, str, str]]:
    """(names, type, meaning) of the lines of a section; an entry goes on where it is indented."""
    joined: list[str] = []
    for line in body:
        if line[:1].isspace() and joined:
            first = not GAP.search(joined[-1])
            joined[-1] += ("  " if first else " ") + line.strip()
        else:
            joined.append(line.strip())
    found = []
    for text in joined:
        match = ENTRY.match(text)
        names, rest = (match["names"], match["rest"]) if match else ("", text)
        kind, _, meaning = GAP.sub("\0", rest, count=1).partition("\0")
        if names and len(kind) > LONGEST:
            kind, meaning = "", f"{kind} {meaning}".strip()
        found.append((names, kind, meaning))
    return found


def parameters(thing: object) -> dict[str, str]:
    """Meaning of each parameter in the docstring of a class or function."""
    told: dict[str, str] = {}
    for base in getattr(thing, "__bases__", ()):
        told |= parameters(base) if base is not object else {}
    for title, body in sections((inspect.getdoc(thing) or "").splitlines()):
        if title != "Parameters":
            continue
        for names, kind, meaning in entries(body):
            plain = re.fullmatch(r"(float|int|str|bool|\(2,\))(, \w+)*", kind)
            text = meaning if plain or not kind else f"{kind}: {meaning}".removesuffix(": ")
            told |= dict.fromkeys(names.split(", "), text)
    return told


def comments(made: type) -> dict[str, str]:
    """Comment behind each field of a dataclass."""
    line = re.compile(r"    (\w+): [^#]*?(?:  # (.*))?$")
    found = map(line.match, inspect.getsource(made).splitlines())
    return {m[1]: m[2] or "" for m in found if m and m[1] in made.__annotations__}


def escaped(text: str) -> str:
    """Text whose stars, bars and trailing underscores are no reStructuredText; not in code."""
    parts = re.split(r"(`+[^`]*`+)", text)
    parts[::2] = [re.sub(r"([*|]|(?<=\w)_(?!\w))", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def code(kind: str) -> str:
    """A type as code, so that Sphinx looks for no class named `nodes`; sentences stay text."""
    return kind if "`" in kind else f"``{kind}``"


def numpydoc(lines: list[str]) -> list[str]:
    """The lines of a docstring as Sphinx's napoleon reads them."""
    result: list[str] = []
    for title, body in sections(lines):
        if not title:
            result += map(escaped, body)
            continue
        result += ["", title, "-" * len(title)]
        for names, kind, meaning in entries(body):
            for name in names.split(", ") if names else [""]:
                result.append(f"{name} : {code(kind)}" if name and kind else name or kind)
                result += [f"    {escaped(meaning)}"] if meaning else []
        result.append("")
    return result


def documented(thing: Callable, lines: list[str]) -> list[str]:
    """`numpydoc` of the lines, with the commented fields of a dataclass that lists none."""
    result = numpydoc(lines)
    if hasattr(thing, "__dataclass_fields__") and not {"Parameters", "Attributes"} & set(result):
        result += ["", "Attributes", "-" * 10]
        for name, comment in comments(thing).items():
            kind = str(thing.__annotations__[name])
            result.append(f"{name} : {code(kind)}")
            result += [f"    {escaped(comment)}"] if comment else []
    return result
