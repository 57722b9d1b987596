"""Meshes read in other lengths than chords: turned into chords by a scale or by the chord."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.errors import MeshError
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.origin import Origin


def resized(path: Path, mesh: Mesh, scale: Any, chord: Any) -> Mesh:
    """Mesh as read, its coordinates times `scale` or over `chord`."""
    given = {name: v for name, v in (("scale", scale), ("chord", chord)) if v is not None}
    if not given:
        return mesh
    if len(given) > 1:
        raise MeshError(f"{path}: scale and chord are given, expected one of the two")
    ((name, value),) = given.items()
    _check(path, name, value)
    if chord is not None and not mesh.dimension.one_chord:
        raise MeshError(
            f"{path}: chord is {chord!r}, and the mesh is in space, where wings have many; "
            "expected scale, which multiplies the coordinates"
        )
    if chord is not None:
        _measure(path, mesh, chord)
    with np.errstate(over="ignore", under="ignore"):
        points = mesh.points * float(value) if name == "scale" else mesh.points / float(value)
    said = "times" if name == "scale" else "over the chord of"
    note = f"coordinates of the file {said} {float(value):.6g}"
    farthest = mesh.dimension.farthest
    if not (np.abs(points) <= farthest).all():
        raise MeshError(f"{path}: {note} are beyond {farthest:g}, expected less")
    tables = points, mesh.triangles, mesh.quads, mesh.boundaries, mesh.original
    try:
        factor = float(value) if name == "scale" else 1 / float(value)
        before = mesh.origin
        origin = Origin(None, (*before.notes, note), factor, before.slits, before.unnamed)
        return Mesh(*tables, origin, solids=mesh.solids)
    except MeshError as error:
        raise MeshError(f"{path}: {note}: {error}") from None


def _check(path: Path, name: str, value: Any) -> None:
    """MeshError where the factor is no number above 0."""
    number = np.asarray(value)
    real = number.ndim == 0 and number.dtype.kind in "iuf"
    if not real or not (number > 0 and np.isfinite(number)):
        raise MeshError(f"{path}: {name} is {value!r}, expected a number above 0")


def _measure(path: Path, mesh: Mesh, chord: float) -> None:
    """Raise MeshError if the only body in the mesh has another chord."""
    from kinemesh.mesh.extents import CHORD, longest
    from kinemesh.mesh.pieces import enclosing, pieces

    found = pieces(mesh, list(mesh.boundaries))
    outer = enclosing(found)
    inside = [piece for piece in found if piece is not outer]
    if outer is None or len(inside) != 1:
        return
    size = longest(mesh.points[np.unique(inside[0].facets)])
    if abs(size / chord - 1) > CHORD:
        raise MeshError(
            f"{path}: chord is {chord:.6g}, and the body {', '.join(inside[0].names)} is "
            f"{size:.6g} long ({inside[0].told()}), expected the two within {CHORD:.0%}; give the "
            "chord in the units of the file"
        )
