"""Which members have one mesh (or cloud), and whether two meshes are equal in every bit."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np


def fingerprint(mesh: Any) -> str:
    """SHA-256 of points, connections, boundaries with their names, and the user's numbers."""
    found = sha256()
    for array in (mesh.points, *mesh.connections, mesh.original):
        found.update(np.ascontiguousarray(array).tobytes())
    for kind in getattr(mesh, "solids", ()):  # tables of several kinds may have the same bytes
        found.update(kind.encode())
    for name in sorted(mesh.boundaries):
        found.update(name.encode() + np.ascontiguousarray(mesh.boundaries[name]).tobytes())
    return found.hexdigest()


def firsts(meshes: Sequence[Any]) -> list[tuple[int, Any]]:
    """Distinct meshes or clouds, with the first member on each."""
    found = {id(mesh): (member, mesh) for member, mesh in reversed(list(enumerate(meshes)))}
    return sorted(found.values(), key=lambda one: one[0])
