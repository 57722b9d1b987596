"""Arguments of a sweep, or [sweep] of a case file: the base case and the axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from kinemesh import cases
from kinemesh.cases.casefile import Case, read_tables
from kinemesh.cases.changes import path_of_key, with_value
from kinemesh.cases.sources import is_file
from kinemesh.cases.values import OF_INPUT, in_file, known
from kinemesh.errors import CaseError
from kinemesh.io.summary import plain, versions
from kinemesh.sentences import Place, Sentence
from kinemesh.study.sweep import case_rows, packaged
from kinemesh.study.sweep.axes import Axes, axes_of
from kinemesh.study.sweep.devices import devices_of, tightest

KEYS = ("over", "zip", "sample", "n", "seed")  # of [sweep]


@dataclass(frozen=True, slots=True)
class Asked:
    """Sweep by its arguments: base case, axes, batches, folder.

    Parameters
    ----------
    base : the case that all rows are made of
    axes : what varies
    folder : where relative names of files start
    devices : that were asked for in place of the case's; of several, a worker has one each
    """

    base: Case
    axes: Axes
    folder: Path
    devices: tuple[str, ...] = ()

    def cases(self) -> list[Case | Sentence]:
        """Case of each row, or the cause why it is impossible."""
        tables = self.base.tables()
        paths = {key: path_of_key(key) for key in self.axes.names}
        return [self._case(tables, paths, row) for row in self.axes.rows()]

    def _case(
        self, tables: dict[str, Any], paths: Mapping[str, Sequence[str]], row: Mapping[str, Any]
    ) -> Case | Sentence:
        try:
            for key, value in row.items():
                tables = with_value(tables, paths[key], value, key)
            made = Case.from_dict(tables, self.folder)
        except OF_INPUT as error:
            return error.said
        job = made.job
        if job.cycles is not None and job.cycles < 1:
            text = f" = {job.cycles:g}, expected a whole cycle, whose loads are kept"
            return Sentence(Place("run", "cycles"), text)
        return made

    def identity(self) -> dict[str, Any]:
        """Identity of the sweep, without device and folder."""
        tables = self.base.tables()
        tables.pop("title_says", None)
        for name in ("device", "out"):
            tables["run"].pop(name, None)
        varied = [  # in the order of the dimensions
            {axis.name: dict(zip(axis.keys, zip(*axis.values, strict=True), strict=True))}
            for axis in self.axes.axes
        ]
        found = {
            "version": versions()["kinemesh"],
            **({"package": self.base.package} if self.base.package else {}),
            **({"packages": own} if (own := self.packages) else {}),
            "case": tables,
            "varied": varied,
            "seed": self.axes.seed,
            "files": {str(path): _digest(path) for path in self._files()},
        }
        return plain(found)

    @property
    def packages(self) -> dict[str, dict[str, Any]]:
        """Installed packages that solvers and conditions come from."""
        return packaged.used(self.base.tables(), self.axes)

    def _files(self) -> list[Path]:
        """Files of meshes, sections and motions, each once."""
        told: list[Any] = list(self.base.mesh.files)
        told += [] if self.base.motion is None else self.base.motion.files
        for axis in self.axes.axes:
            for at, key in enumerate(axis.keys):
                told += [
                    self.folder / file
                    for entry in axis.values
                    for file in _files_in(path_of_key(key), entry[at])
                ]
        return sorted({Path(path) for path in told})


def _files_in(path: tuple[str, ...], value: Any) -> Iterator[str]:
    """Names of files, of meshes or of motions, in the value of a key."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _files_in((*path, name), entry)
    elif "motion" in path:
        if path[-1] == "table" or path[-2:] in (("table", "file"), ("modes", "file")):
            yield str(value)
    elif path[0] in ("mesh", "parts") and is_file(path[-1], value):
        yield str(value)


def _digest(path: Path) -> str | None:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def asked_of(
    case: Any,
    given: Mapping[str, Any],
    changes: Sequence[str] = (),
    device: Any = None,
    nodes: int | str | None = None,
    method: str | None = None,
    points: int | None = None,
) -> Asked:
    """Sweep of a case; `given` (keys of [sweep], or None) overrides the case file.

    Parameters
    ----------
    case : name of a ready case, TOML file, or Case
    changes : such as "flow.mach=0.6", of every row
    device : in place of the case's; several are names in a list, or in a text with commas
    nodes : of the mesh of every row, or a size such as "coarse"
    method : in place of the case's; changes may be settings of it
    points : of the wing of every row, a cloud or a mesh

    Raises
    ------
    CaseError    no such case, nothing that varies, or values that make no sweep
    DeviceError    one of several devices is not there, or they are of more than one kind
    """
    base, table = _read(case, changes if method is None else ())
    if method is not None:
        base = base.replace(method=method).changed(changes)
    known(Place("sweep"), table, list(KEYS))
    told = table | {name: value for name, value in given.items() if value is not None}
    path = base.file
    if "over" not in told:
        raise CaseError(
            f"{path or base.name}: nothing varies, expected a table [sweep] with over, such as "
            'over = { "flow.mach" = [0.6, 0.7] }, or --over flow.mach=0.6,0.7 (in Python the '
            "argument over)"
        )
    with in_file(path if table else None):
        axes = axes_of(**told, taken=case_rows.names())
    varied = next(iter(axes.rows()))
    for change in changes:
        key = change.partition("=")[0].strip()
        if key in varied:
            raise CaseError(
                f"--set {change}: {key} varies in this sweep; change its values in over"
            )
    if method is not None and "method" in varied:
        raise CaseError(f"--method {method}: method varies in this sweep; leave one out")
    if nodes is not None or points is not None:
        word = "points" if nodes is None else "size" if isinstance(nodes, str) else "nodes"
        count = points if nodes is None else nodes
        for key in ("mesh.nodes", "mesh.points"):
            if key in varied:
                raise CaseError(f"--{word} {count}: {key} varies in this sweep; leave one out")
        base = base.replace(nodes=nodes, points=points)
    devices = devices_of(device)
    if devices:
        if "run.device" in varied:
            raise CaseError(f"device is {device!r}, and run.device varies: leave one of them out")
        base = base.replace(device=tightest(devices))
    folder = Path.cwd() if path is None or not table else path.parent.absolute()
    return Asked(base, axes, folder, devices)


def _read(case: Any, changes: Sequence[str]) -> tuple[Case, dict[str, Any]]:
    """A case, and the table [sweep] of its file."""
    if isinstance(case, Case):
        return case, {}
    path = Path(case) if isinstance(case, str | Path) else None
    if path is None or path.suffix != ".toml" or not path.is_file():
        return cases.load(case, changes), {}
    tables = read_tables(path)
    table = tables.pop("sweep", {})
    if not isinstance(table, Mapping):
        raise CaseError(f"{path}: sweep = {table!r}, expected a table [sweep]")
    made = Case.of_tables(tables, path, changes)
    return replace(made, file=path), dict(table)
