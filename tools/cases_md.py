"""Write docs/cases.md from the ready cases and the dataclasses: python tools/cases_md.py"""

import sys
from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter
from pathlib import Path
from types import SimpleNamespace

from kinemesh import cases, deform
from kinemesh.cases import channel_walls, motions, overset_parts, parts, sources, stream
from kinemesh.cases.casefile import Case
from kinemesh.cases.job import Job
from kinemesh.cases.sizes import SIZES, STATED
from kinemesh.cases.stated import Stated
from kinemesh.cases.structures import StructurePart
from kinemesh.flow import registry

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

`method` (`--method`) is the solver:

"""
MORE = """
On a cloud `[mesh]` makes the cloud: about a section, `bodies` or a `wing`, or of a file's nodes.
A `wing` has a mesh by methods "ale" and "cells", and a cloud by "meshless".
Its `cells`, `topology` and layers are of the mesh alone, `cloud` is of the cloud.
`stations` of a [wing](meshes.md#wings) are tables of y, chord, x, z, twist_deg and section.
In space are a wing, a sphere, such files, and meshes of the plane that are `extruded`.
`nodes` and `--nodes` of an extruded mesh are those of the plane's.
In space moments, power, damping, k and km.Units refer to one length, `reference_length`.
`reference_area` and `reference_length` are in its units, such as metres of a file in metres.
Overset grids, method "incompressible", have `[parts.NAME]` in place of `[mesh]` and `[motion]`.
A part has keys of `[mesh]`: of a section, coordinates, curve, shape, file, box, disc or channel.
Meshes about a section, a curve or a shape have an overset boundary at `far_field`, 1 chord or more.
One part is the background: a box, a disc, a channel, or a file without the marker `overset`.
Motions of a part are tables of `[motion]` in `[parts.NAME.motion]`.
Pivots of a part's motion are points of its own frame, that of its mesh.
`moment_about` is a point of the own frame of the first part with walls.
`scale`, `angle_deg` and `at` put a part's frame into the case.
`[mesh.markers]` gives markers of the mesh, of a file of `--mesh` too, other names.
It divides them where `x`, `y` or `z` says so; without these a name takes what is left.
A mesh that has all the new names and none of those in `of` stays as it is.
`walls`, `far`, `boundaries` and `sliding` take the new names.
With `[flow] chord` lengths and times are in the unit of the mesh, and `reynolds` is of that chord.
Springs need the cells of a mesh.
In space all move by `rigid` or `modal`, a mesh also by `springs` or `carrier`.
Bodies that [bend](bending.md) need another one than `rigid`, the default in space.
Of these `modal` is of one body, and takes no `twist`.
A key that the method lacks is an error.
"""
OF_SIZES = (
    "A mesh, or a part of overset grids, with `sizes` has these in place of numbers of nodes:",
    f"`{STATED}` is the mesh as the file has it, others have other values for some of its keys.",
    "`--size` is refused where a part has no `sizes`, or not that one.",
    "`[run.sizes]` has other time steps for a size; steps that `--set` asks for count in all.",
    "`--set mode=steady` makes an unsteady case a steady one: its motions, its steps and the "
    "settings that only steps have are left out, and a warning names them.",
    "`--set mode=unsteady` needs `--set run.time_step=... --set run.steps=...`, or a motion with "
    "`run.cycles` and `run.steps_per_cycle`.",
)
TABLES = (
    ("[mesh]", parts.MeshPart, None, ()),
    ("[mesh] extruded", sources.Extruded, None, ()),
    ("[mesh] channel", channel_walls.Channel, None, ()),
    ("[flow]", stream.FlowPart, None, ()),
    ("[parts.NAME]", overset_parts.OversetPart, None, ("mesh",)),
    ("[motion]", motions.MotionPart, None, ()),
    ("[deform]", parts.DeformPart, None, ("settings",)),
    ("[structure]", StructurePart, None, ()),
    ("[run]", Job, None, ()),
)
TOML = {"str": "text", "int": "integer", "float": "number", "bool": "true or false",
        "Path": "file name", "Any": "value",
        "Each": "number or list of numbers or table"}  # fmt: skip


def kind(annotation: object) -> str:
    """A field's type in the words of a case file."""
    names = [n.strip() for n in str(annotation).split("|")]
    said = []
    for name in names:
        if name.startswith("Literal"):
            said.append(" or ".join(n.strip("\"' ") for n in name[8:-1].split(",")))
        elif name == "Sequence[float]":
            said.append("list of numbers")
        elif name.startswith("tuple[float"):
            said.append(f"[{', '.join(['number'] * str(name).count('float'))}]")
        elif name.startswith(("tuple[str", "Sequence[str")):
            said.append("list of texts")
        elif name.startswith("Sequence[Mapping"):
            said.append("list of tables")
        elif name.startswith("Mapping"):
            said.append("table")
        elif name != "None":
            said.append(TOML[name])
    return " or ".join(said)


def default(item: object) -> str:
    """Default of a field in TOML."""
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


def methods() -> list[str]:
    """Rows of the table of solvers."""
    rows = [
        "| method | class | computes on | `[deform]`, its default first | `[flow]` may have |",
        "|---|---|---|---|---|",
    ]
    for entry in registry.SOLVERS:
        deforms, sizes = (", ".join(f"`{n}`" for n in t) for t in (entry.deforms, entry.references))
        home = f"`km.{entry.class_home[1]}`"
        rows.append(f"| `{entry.name}` | {home} | a {entry.spaces} | {deforms} | {sizes} |")
    return rows


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
        known = " or ".join(registry.names()) if item.name == "method" and made is Stated else None
        rows.append(f"| `{item.name}` | {known or kind(item.type)} | {default(item)} | {text} |")
    return rows


def own(settings: type[deform.Deformation]) -> list[str]:
    """Keys of a deformation in a case file."""
    return settings.options()


def of_law(made: motions.Law) -> list[str]:
    """Rows of a motion law's keys."""
    meaning = parameters(made)
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for own in motions.keys(made):
        value = MISSING if own.default is Parameter.empty else own.default
        item = SimpleNamespace(default=value, default_factory=MISSING)
        text = meaning[own.name]
        rows.append(f"| `{own.name}` | {kind(own.annotation)} | {default(item)} | {text} |")
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
    names = ("name", "mode", "title", "title_says", "method")
    top = [item.name for item in fields(Stated) if item.name in names]
    left = tuple(item.name for item in fields(Stated) if item.name not in top)
    lines = [
        HEAD + "\n".join(methods()),
        MORE,
        "## Keys",
        "",
        "### Top level",
        "",
        *keys(Stated, None, left),
        "",
    ]
    solvers = [(f'[solver] of method = "{e.name}"', e.settings) for e in registry.SOLVERS]
    for where, made, told, missing in (*TABLES, *((w, s, s, ()) for w, s in solvers)):
        lines += [f"### {where}", "", *keys(made, told, missing), ""]
        if made is motions.MotionPart:
            for name, law in motions.laws(made).items():
                lines += [f"### [motion] {name}", "", *of_law(law), ""]
        if made is parts.DeformPart:
            for method, settings in deform.METHODS.items():
                if fields(settings):
                    apart = tuple(f.name for f in fields(settings) if f.name not in own(settings))
                    lines += [f'With `method = "{method}"` also:', ""]
                    lines += keys(settings, settings, apart)
                    lines += ["", f"It also has the keys of {', '.join(apart)}."] if apart else []
                else:
                    lines.append(f'`method = "{method}"` has no other keys.')
                lines.append("")
    sizes = ", ".join(f"{name} {count:,}" for name, count in SIZES.items())
    lines += ["## Ready cases", "", f"Nodes of the sizes: {sizes}.", *OF_SIZES, ""]
    for name in cases.names():
        lines += ready(name)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
