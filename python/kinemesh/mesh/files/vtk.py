"""VTK and VTU files for viewers, through meshio."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from kinemesh.errors import MeshError
from kinemesh.mesh.files.text_files import path_of
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.mesh import Mesh

FORMATS = {".vtk": "vtk", ".vtu": "vtu"}


def write_vtk(
    mesh: Mesh, path: str | Path, point_data: Mapping[str, ArrayLike] | None = None
) -> None:
    """Write `.vtk` or `.vtu`, binary; in the plane z = 0.

    Parameters
    ----------
    point_data : dict[str, (nodes,) or (nodes, k)], optional    fields at the nodes
    """
    import meshio  # here: the rest of the package does not need it

    path = path_of(path)
    if path.suffix.lower() not in FORMATS:
        raise MeshError(f"{path}: expected a name that ends in {' or '.join(FORMATS)}")
    fields = {}
    if not isinstance(point_data, Mapping | None):
        raise MeshError(f"{path}: point_data is {point_data!r}, expected fields by name")
    for name, value in (point_data or {}).items():
        fields[name] = np.asarray(value)
        if fields[name].ndim not in (1, 2) or len(fields[name]) != mesh.nodes:
            raise MeshError(
                f"{path}: field '{name}' has shape {fields[name].shape}, "
                f"expected ({mesh.nodes},) or ({mesh.nodes}, k)"
            )
    blocks = [(KINDS[name].meshio, cells) for name, cells in mesh.blocks.items()]  # its order
    points = np.pad(mesh.points, ((0, 0), (0, 3 - mesh.dimensions)))
    out = meshio.Mesh(points, blocks, point_data=fields)
    try:
        meshio.write(path, out, file_format=FORMATS[path.suffix.lower()])
    except OSError as error:
        raise MeshError(f"{path}: cannot be written ({error})") from error
