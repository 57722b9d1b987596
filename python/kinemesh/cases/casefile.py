"""Case files: TOML to a frozen Case, and a Case to a solver.

Tables: top level (name, title, title_says, mode, method), [mesh], [flow], [motion], [deform],
[structure], [run], [solver]; [parts.NAME], each with its motion, in place of [mesh] and [motion].
Angles in degrees, lengths in chords. Relative file names start at the folder of the TOML file.
An unknown key, a missing one and a combination without meaning are errors.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinemesh.cases import build
from kinemesh.cases.changes import changed, keeps_title
from kinemesh.cases.job import Job
from kinemesh.cases.methods import DEFORMS, solver_fields
from kinemesh.cases.modes import made_steady
from kinemesh.cases.motions import MotionPart
from kinemesh.cases.motions import located as flown_from
from kinemesh.cases.overset_parts import Overset, absolute, located
from kinemesh.cases.parts import DeformPart, MeshPart, given, part
from kinemesh.cases.sizes import sized_run
from kinemesh.cases.stated import Stated
from kinemesh.cases.stream import FlowPart
from kinemesh.cases.structures import StructurePart
from kinemesh.cases.structures import located as standing_from
from kinemesh.cases.values import as_option, bare_number, in_file, known
from kinemesh.errors import CaseError
from kinemesh.flow import registry
from kinemesh.io.paths import expanded, path_of
from kinemesh.sentences import Place

if TYPE_CHECKING:
    from kinemesh.results import Run


def _whole_keys(word: str, method: Any) -> list[str]:
    """Keys of a case, in quotes, whose last word this is, such as 'flow.mach' of mach."""
    there = method if method in registry.names() else registry.first().name
    made = {"mesh": MeshPart, "flow": FlowPart, "motion": MotionPart, "run": Job}
    made["structure"] = StructurePart
    words = {name: [f.name for f in fields(part)] for name, part in made.items()}
    words["solver"] = solver_fields(there) or []
    return [f"'{name}.{word}'" for name, several in words.items() if word in several]


def _check_integers(value: Any, name: str = "the file") -> None:
    """CaseError for an integer beyond 64 bits, which TOML does not promise to hold."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            _check_integers(entry, key)
    elif isinstance(value, list):
        for entry in value:
            _check_integers(entry, name)
    elif isinstance(value, int) and value.bit_length() > 63:
        raise CaseError(f"{name} has an integer beyond 64 bits, expected a smaller number")


def read_tables(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; CaseError where it cannot be read or is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path}: cannot read the case file ({error})") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise CaseError(f"{path}: not TOML: tables or lists nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or an integer of thousands of digits
        raise CaseError(f"{path}: not TOML: {bare_number(text) or error}") from None


@dataclass(frozen=True, slots=True, repr=False)
class Case(Stated):
    """A case: everything that a run needs. Read one with `Case.read(path)`."""

    @classmethod
    def read(cls, path: str | Path, changes: Sequence[str] = (), name: str = "") -> Case:
        """A case from a TOML file, with changes such as "flow.mach=0.6" (`cases.changes`).

        Every error names the file, by its path or by `name`, and the changes.
        """
        path = path_of(path, "the case file")
        return cls.of_tables(read_tables(path), path, changes, name)

    @classmethod
    def of_tables(
        cls, table: Mapping[str, Any], path: Path, changes: Sequence[str] = (), name: str = ""
    ) -> Case:
        """A case from the tables that a case file holds, as `read` gives it."""
        with in_file(" ".join([name or str(path), *(f"--set {text}" for text in changes)])):
            table = made_steady(table, changed(table, changes), changes)
            titled = any(text.startswith("title") for text in changes)
            if not titled and not all(map(keeps_title, changes)):
                for name in ("title", "title_says"):  # they tell of the case without the changes
                    table.pop(name, None)
            _check_integers(table)
            return dataclasses.replace(cls.from_dict(table, path.parent), file=path)

    def changed(self, changes: Sequence[str]) -> Case:
        """The case with changes such as "flow.mach=0.6", as `read` takes them."""
        if not changes:
            return self
        name = self.name if self.file is None else ""
        made = Case.of_tables(self.tables(), Path(self.file or self.name), changes, name)
        return dataclasses.replace(made, file=self.file, package=self.package)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], folder: str | Path = ".") -> Case:
        """A case from the tables of a case file; relative names start at `folder`."""
        parts = ("mesh", "flow", "motion", "deform", "structure", "run", "solver")
        if "sweep" in table:
            raise CaseError(
                Place("sweep"),
                " makes many cases of one: run them by `kinemesh sweep FILE.toml`, or in "
                "Python by km.sweep",
            )
        tops = ["name", "title", "title_says", "mode", "method", *parts, "parts"]
        for key in table:
            whole = [] if key in tops else _whole_keys(key, table.get("method"))
            if whole:
                raise CaseError(f"case: unknown key '{key}'; did you mean {' or '.join(whole)}?")
        known("case", table, tops)
        overset = "parts" in table
        if overset and ("mesh" in table or "motion" in table):
            raise CaseError(
                "case has [parts], so [mesh] and [motion] have no meaning; motions of parts are "
                "[parts.NAME.motion]"
            )
        for name in ("name", "mode", *(() if overset else ("mesh",)), "flow"):
            if name not in table:
                what = f"[{name}]" if name in parts else name
                raise CaseError(f"case lacks {what}")
        for name in parts:
            if not isinstance(table.get(name, {}), Mapping):
                raise CaseError(f"{name} = {table[name]!r}, expected a table [{name}]")
        mesh: MeshPart | Overset
        motion = None
        if "motion" in table:
            motion = part(MotionPart, Place("motion"), flown_from(table["motion"], folder))
        if overset:
            mesh = Overset.of_tables(table["parts"], Path(folder))
            motion = mesh.motion()
        else:
            mesh = part(MeshPart, Place("mesh"), located(table["mesh"], folder))
        deform = dict(table["deform"]) if "deform" in table else None
        if deform is not None and "method" not in deform:
            raise CaseError(Place("deform"), f" lacks method, expected one of {', '.join(DEFORMS)}")
        if deform is not None and isinstance(deform.get("mesh"), str) and deform["mesh"] != "auto":
            deform["mesh"] = str((Path(folder) / expanded(deform["mesh"])).absolute())
        return cls(
            name=table["name"],
            mode=table["mode"],
            title=str(table.get("title", "")),
            title_says=table.get("title_says"),
            method=table.get("method", registry.first().name),
            mesh=mesh,
            flow=part(FlowPart, Place("flow"), table["flow"]),
            motion=motion,
            deform=None if deform is None else DeformPart(deform.pop("method"), deform),
            structure=part(
                StructurePart, Place("structure"), standing_from(table["structure"], folder)
            )
            if "structure" in table
            else None,
            job=part(Job, Place("run"), table.get("run", {})),
            solver=dict(table.get("solver", {})),
        )

    def tables(self) -> dict[str, Any]:
        """The tables of a case file of this case, without keys that have their defaults.

        `Case.from_dict` makes them the case again; file names are absolute.
        """
        found: dict[str, Any] = {
            "name": self.name,
            "mode": self.mode,
            "method": self.method,
            "title": self.title,
        }
        parts: dict[str, Any] = {"mesh": self.mesh, "flow": self.flow, "motion": self.motion,
                                 "structure": self.structure, "run": self.job}  # fmt: skip
        if isinstance(self.mesh, Overset):
            parts = {"flow": self.flow, "structure": self.structure, "run": self.job}
            found["parts"] = self.mesh.tables()
        found |= {"title_says": dict(self.title_says)} if self.title_says else {}
        made: dict[str, Any] = found | {n: given(p) for n, p in parts.items() if p is not None}
        if "mesh" in made:
            made["mesh"] = absolute(made["mesh"])
        if self.deform is not None:
            made["deform"] = {"method": self.deform.method, **self.deform.settings}
        return made | {"solver": dict(self.solver)}

    def replace(
        self,
        *,
        mesh: str | Path | None = None,
        nodes: int | str | None = None,
        points: int | None = None,
        cloud: str | None = None,
        deform: str | None = None,
        method: str | None = None,
        **run: Any,
    ) -> Case:
        """The case with something changed: a mesh file, a number of nodes (or coarse, medium,
        fine), of a wing the number of points and the cloud (regular or irregular), a deformation
        method, a method, or values of [run] (cycles, steps_per_cycle, until, periodic_tolerance,
        device, dtype, preflight, energy, out).  Where a deformation would be left that the method
        does not take, such as springs of a cloud, the method's first takes its place.
        """
        known("case", run, [f.name for f in fields(Job)])
        changed: dict[str, Any] = {}
        if mesh is not None and nodes is not None:
            raise CaseError("give a mesh file or a number of nodes, not both")
        sizes = {"nodes": nodes, "points": points, "cloud": cloud}
        sizes = {name: value for name, value in sizes.items() if value is not None}
        if mesh is not None or sizes:
            on = registry.named(self.method if method is None else method).on
            changed["mesh"] = self.mesh.replaced(mesh, sizes, on)
        if method is not None:
            changed["method"], deforms = method, registry.named(method).deforms
            left = None if self.deform is None else self.deform.method
            if deform is None and left is not None and left not in deforms:
                deform = deforms[0]
        if deform is not None:
            kept = self.deform is not None and self.deform.method == deform
            changed["deform"] = self.deform if kept else DeformPart(deform)
        job = sized_run(self.job, nodes)
        told = {name: value for name, value in run.items() if value is not None}
        with as_option(told):
            changed["job"] = dataclasses.replace(job, **told)
        with in_file(self.file), as_option(sizes):
            return dataclasses.replace(self, **changed)

    def build(self, **overrides: Any) -> Any:
        """The solver, ready to run; overrides as in `replace`."""
        case = self.replace(**overrides)
        with in_file(case.file):
            return build.solver(case)

    def run(
        self,
        *,
        progress: bool = False,
        resume: bool = False,
        overwrite: bool = False,
        **overrides: Any,
    ) -> Run:
        """Build the case and run it.

        Parameters
        ----------
        progress : show the progress of the run
        resume : go on from the last restart in `out`
        overwrite : replace another run in `out`; without `overwrite` that is a CaseError
        overrides : keys of the case with other values, as in `replace`; `out` is the folder of the
            files, without which no files are written
        """
        return build.run(self.replace(**overrides), progress, resume, overwrite)
