"""Names of a UGRID grid's boundaries, from the `.mapbc` file of FUN3D beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.files.text_files import format_of, read_text, stem_of


def stem_of_grid(path: Path) -> str:
    """Name of a grid without its suffixes: `wing` of `wing.lb8.ugrid.gz`."""
    return stem_of(Path(stem_of(path))) if format_of(path) == ".ugrid" else stem_of(path)


def names_of(path: Path, tags: NDArray[np.int64]) -> tuple[dict[int, str], tuple[str, ...], str]:
    """Names of a grid's boundaries by their numbers `tags`, notes, and the file of names where
    there is none.

    Raises
    ------
    MeshError    the file of names has other boundaries than the grid
    """
    beside = [path.with_name(f"{stem}.mapbc") for stem in (stem_of_grid(path), stem_of(path))]
    there = next((own for own in beside if own.exists()), None)
    if there is None:
        note = f"no {beside[0].name} beside it: boundaries are called by their numbers"
        return {int(tag): str(tag) for tag in tags}, (note,), beside[0].name
    found = _read(there)
    for own, others, file, other in (
        (found, set(tags.tolist()), there, path),
        (tags.tolist(), set(found), path, there),
    ):
        odd = [tag for tag in own if tag not in others]
        if odd:
            raise MeshError(
                f"{file}: has boundary {odd[0]}, which {other.name} has not, expected the same in "
                "both"
            )
    names = {int(tag): found[int(tag)] for tag in tags}
    return names, (f"names of boundaries of {there.name}",), ""


def _read(path: Path) -> dict[int, str]:
    """Name of each boundary: a count, then lines of number, kind of condition and name."""
    lines = [line.split("!")[0].split() for line in read_text(path).split("\n")]
    rows = [(k + 1, words) for k, words in enumerate(lines) if words]
    if not rows or len(rows[0][1]) != 1 or not rows[0][1][0].isdigit():
        raise MeshError(f"{path}: expected a first line with the number of boundaries")
    found: dict[int, str] = {}
    for line, words in rows[1:]:
        if len(words) < 2 or not all(word.lstrip("-").isdigit() for word in words[:2]):
            raise MeshError(
                f"{path}, line {line}: {' '.join(words)[:40]!r}, expected the number of a "
                "boundary, that of its condition, and a name, such as 1 3000 wing"
            )
        tag = int(words[0])
        if tag in found:
            raise MeshError(f"{path}, line {line}: boundary {tag} stands there twice")
        found[tag] = words[2] if len(words) > 2 else words[0]
    if len(found) != int(rows[0][1][0]):
        raise MeshError(
            f"{path}: has {len(found)} boundaries, expected {rows[0][1][0]} by its count"
        )
    return found
