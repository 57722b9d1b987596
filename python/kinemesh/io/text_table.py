"""Tables of numbers in text files as others write them: columns by name.

Commas, semicolons or blanks between the entries; names in the first line, in the last line of a
comment before the numbers (OpenFOAM), or after `VARIABLES =` (Tecplot, SU2).  Brackets round the
components of a vector are read over, and vectors named once have three columns, `_x`, `_y`, `_z`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.paths import path_of

FloatArray = NDArray[np.float64]
COMMENTS = ("#", "%", "//", "!")
TECPLOT = ("title", "zone", "variables")
GROUP = re.compile(r"(\w+)\(([^()]*)\)")  # forces(pressure viscous): a name before the bracket


def read(path: str | Path, what: str = "the table") -> dict[str, FloatArray]:
    """Columns (rows,) of a file by name, in their order.

    CaseError where it cannot be read, has no names, or has a row that is not of numbers.
    """
    path = path_of(path, what)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CaseError(f"{path}: cannot read {what} ({error.strerror})") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\0" in text:
        raise CaseError(f"{path}: not a text file, expected a table of numbers")
    return parse(text.splitlines(), str(path))


def parse(lines: Iterable[str], path: str) -> dict[str, FloatArray]:
    """Parse the lines of a table, as `read` does for a file."""
    header, rows, said = "", list[list[float]](), ""
    for number, line in enumerate((line.strip() for line in lines), start=1):
        if not line:
            continue
        if line.startswith(COMMENTS):
            said = said if rows else line.lstrip("#%/! ")
            continue
        word = line.split("=")[0].strip().lower().split(" ")[0]
        if word in TECPLOT and not rows and ("=" in line or word == "zone"):
            header = line.split("=", 1)[1] if word == "variables" else header
            continue
        entries = _split(line.replace("(", " ").replace(")", " "))
        values = _numbers(entries)
        if values is None and not rows and not header:
            header = line
        elif values is None:
            raise CaseError(f"{path}: line {number}: {line[:60]!r}, expected numbers")
        elif rows and len(values) != len(rows[0]):
            raise CaseError(
                f"{path}: line {number} has {len(values)} numbers, the lines before "
                f"{len(rows[0])}; if it was cut short there, delete that line"
            )
        else:
            rows.append(values)
    if not rows:
        raise CaseError(f"{path}: no row of numbers, expected a table with names and numbers")
    names = _names(header or said, len(rows[0]), path)
    return dict(zip(names, np.array(rows, float).T.copy(), strict=True))


def _split(line: str) -> list[str]:
    """Entries of a line, split at commas or semicolons, in lines without them at blanks."""
    mark = "," if "," in line else ";" if ";" in line else ""
    if mark:
        return [entry.strip() for entry in next(csv.reader([line], delimiter=mark,
                                                           skipinitialspace=True))]  # fmt: skip
    return [entry.strip('"') for entry in re.findall(r'"[^"]*"|\S+', line)]


def _numbers(entries: list[str]) -> list[float] | None:
    """The numbers of a line, a last empty entry left out; None where one is none."""
    entries = entries[:-1] if len(entries) > 1 and not entries[-1] else entries
    try:
        return [float(entry) for entry in entries]
    except ValueError:
        return None


def _whole(name: str) -> str:
    """A name without a bracket that several names share: of (total_x total_y total_z)."""
    return name if name.count("(") == name.count(")") else name.strip("()")


def _names(header: str, count: int, path: str) -> list[str]:
    """Names of this many columns; CaseError where the header does not have them."""
    if not header:
        raise CaseError(
            f"{path}: no names of columns before the numbers, expected a first line such as "
            "time,cl,cm"
        )
    names = [_whole(name) for name in _split(header) if name]
    if len(names) != count:  # forces(pressure viscous) moment(...): vectors that are named once
        flat = GROUP.sub(lambda m: " ".join(f"{m[1]}_{part}" for part in m[2].split()), header)
        vectors = [name for name in _split(flat) if name]
        if flat != header and count == 1 + 3 * (len(vectors) - 1):
            names = [vectors[0], *(f"{name}_{axis}" for name in vectors[1:] for axis in "xyz")]
    if len(names) != count:
        raise CaseError(
            f"{path}: {len(names)} names ({', '.join(names[:6])}, ...) over {count} columns of "
            "numbers, expected a name for each"
        )
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise CaseError(f"{path}: two columns have the name {twice[0]!r}; rename one of them")
    return names
