"""Write docs/cases.md from the ready cases and the dataclasses: python tools/cases_md.py"""

import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from kinemesh import cases, motion
from kinemesh.cases import parts
from kinemesh.cases.casefile import Case
from kinemesh.cases.stated import Stated
from kinemesh.flow.ale import AleSettings
from kinemesh.flow.meshless import MeshlessSettings
from kinemesh.motion import deform

sys.path.insert(0, str(Path(__file__).parent))
from docstrings import comments, parameters

PAGE = Path(__file__).parents[1] / "docs" / "cases.md"
HEAD = """# Cases

Made by `tools/cases_md.py` from the ready cases and the dataclasses; do not edit.
A case file is TOML.
`kinemesh run FILE.toml` runs it, `kinemesh check FILE.toml` looks at it without solving it.
In Python, `km.cases.load("FILE.toml")` reads it.
Angles are degrees, lengths chords, and relative file names start at the folder of the case file.
An unknown key, a missing one and a combination without meaning are errors that say where.

With `method = "meshless"` (`--method meshless`) the case is solved on a cloud of points.
`[mesh]` then makes the cloud: about a section, about ready `bodies`, or of a mesh file's nodes.
The deformation is `delaunay` unless `[deform]` says `rigid`; that of a wing is `rigid` alone.
Springs need cells, and are refused.
A key that the method lacks is an error.
"""
TABLES = (
    ("[mesh]", parts.MeshPart, None, ()),
    ("[flow]", parts.FlowPart, None, ()),
    ("[motion]", parts.MotionPart, None, ()),
    ("[motion] pitch", motion.Pitch, motion.pitch, ("chord",)),
    ("[motion] plunge", motion.Plunge, motion.plunge, ("chord",)),
    ("[deform]", parts.DeformPart, None, ("settings",)),
    ("[run]", parts.Job, None, ()),
    ('[solver] of method = "mesh"', AleSettings, AleSettings, ()),
    ('[solver] of method = "meshless"', MeshlessSettings, MeshlessSettings, ()),
)
TOML = {"str": "text", "int": "integer", "float": "number", "bool": "true or false",
        "Path": "file name", "Any": "value"}  # fmt: skip


def kind(annotation: object) -> str:
    """A field's type in the words of a case file."""
    names = [n.strip() for n in str(annotation).split("|")]
    said = []
    for name in names:
        if name.startswith("Literal"):
            said.append(" or ".join(n.strip("\"' ") for n in name[8:-1].split(",")))
        elif name.startswith(("tuple[float", "Sequence[float")):
            said.append("[number, number]")
        elif name.startswith("tuple[str"):
            said.append("list of texts")
        elif name.startswith("Mapping"):
            said.append("table")
        elif name != "None":
            said.append(TOML[name])
    return " or ".join(said)


def default(item: object) -> str:
    """A field's default as TOML has it."""
    if parts.needed(item):
        return "required"
    value = item.default
    if value is None or value is item.default_factory:
        return "-"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`"
    if isinstance(value, str):
        return f'`"{value}"`'
    return f"`{value:g}`" if isinstance(value, float) and value < 1 else f"`{value}`"


def keys(made: type, told: Callable | None, left: tuple[str, ...] = ()) -> list[str]:
    """Rows of a table of keys; KeyError for a field whose meaning is nowhere."""
    meaning = comments(made) if told is None else parameters(told)
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for item in fields(made):
        if item.name in left:
            continue
        if not meaning[item.name]:
            raise KeyError(f"{made.__name__}.{item.name} has no comment that tells its meaning")
        text = meaning[item.name].replace("|", r"\|")
        rows.append(f"| `{item.name}` | {kind(item.type)} | {default(item)} | {text} |")
    return rows


def ready(name: str) -> list[str]:
    """A ready case: its comments, its file and the data that belong to it."""
    lines = (cases.FOLDER / f"{name}.toml").read_text("utf-8").splitlines()
    said = [line[1:].strip() for line in lines if line.startswith("#")]
    toml = [line for line in lines if not line.startswith("#")]
    title = Case.read(cases.FOLDER / f"{name}.toml").title
    found = cases.reference(name)
    data = [f"Reference loop: {found[1]}, `cases/data/{found[0].name}`.", ""] if found else []
    found = cases.pressures(name)
    data += [f"Pressures: {found[1]}, `cases/data/{found[0].name}`.", ""] if found else []
    return [f"### {name}", "", f"{title}.", *said, "", *data, "```toml", *toml, "```", ""]


def page() -> str:
    """The whole page: keys by table, then the ready cases."""
    top = [item.name for item in fields(Stated) if item.name in ("name", "mode", "title", "method")]
    left = tuple(item.name for item in fields(Stated) if item.name not in top)
    lines = [HEAD, "## Keys", "", "### Top level", "", *keys(Stated, None, left), ""]
    for where, made, told, missing in TABLES:
        lines += [f"### {where}", "", *keys(made, told, missing), ""]
        if made is parts.DeformPart:
            for method, settings in deform.METHODS.items():
                if fields(settings):
                    lines += [f'With `method = "{method}"` also:', "", *keys(settings, settings)]
                else:
                    lines.append(f'`method = "{method}"` has no other keys.')
                lines.append("")
    sizes = ", ".join(f"{name} {count:,}" for name, count in parts.SIZES.items())
    lines += ["## Ready cases", "", f"Nodes of the sizes: {sizes}.", ""]
    for name in cases.names():
        lines += ready(name)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
