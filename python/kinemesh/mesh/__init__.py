"""Meshes: reading, writing, meshes about sections, curves and wings, and mesh quality."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from kinemesh.errors import MeshError, did_you_mean
from kinemesh.mesh.files.gmsh import read_msh
from kinemesh.mesh.files.plot3d import SUFFIXES as PLOT3D
from kinemesh.mesh.files.plot3d import read_plot3d
from kinemesh.mesh.files.scale import resized
from kinemesh.mesh.files.su2 import read_su2, write_su2
from kinemesh.mesh.files.text_files import format_of, path_of
from kinemesh.mesh.files.ugrid import read_ugrid
from kinemesh.mesh.files.vtk import FORMATS, write_vtk
from kinemesh.mesh.generate.airfoils import airfoil
from kinemesh.mesh.generate.bumps import bump
from kinemesh.mesh.generate.cartesian import background
from kinemesh.mesh.generate.channels import channel
from kinemesh.mesh.generate.closed_curves import around
from kinemesh.mesh.generate.cylinder import cylinder
from kinemesh.mesh.generate.disc import disc
from kinemesh.mesh.generate.extrude import extruded
from kinemesh.mesh.generate.plates import plate
from kinemesh.mesh.generate.spacing import wall_spacing
from kinemesh.mesh.generate.sphere import sphere
from kinemesh.mesh.generate.wings.outline import Station
from kinemesh.mesh.generate.wings.wing import oneram6, wing
from kinemesh.mesh.geometry.quality import Quality, quality
from kinemesh.mesh.geometry.solid_quality import SolidQuality
from kinemesh.mesh.geometry.wall_layers import WallLayers, wall_layers
from kinemesh.mesh.marking import marked
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.sections.named import section
from kinemesh.mesh.sections.section import Section

__all__ = [
    "Mesh",
    "Quality",
    "Section",
    "SolidQuality",
    "Station",
    "WallLayers",
    "airfoil",
    "around",
    "background",
    "bump",
    "channel",
    "cylinder",
    "disc",
    "extruded",
    "marked",
    "merge",
    "oneram6",
    "plate",
    "quality",
    "read",
    "read_msh",
    "read_plot3d",
    "read_su2",
    "read_ugrid",
    "section",
    "sphere",
    "wall_layers",
    "wall_spacing",
    "wing",
    "write",
    "write_su2",
    "write_vtk",
]


def __getattr__(name: str) -> Any:
    """AttributeError for a name that the module has not, with where it is or the nearest one."""
    hint = did_you_mean(name, __all__)
    if not name.startswith("_") and hasattr(Mesh, name):
        hint = f"; it is of the class: km.Mesh.{name}"
    raise AttributeError(f"module 'kinemesh.mesh' has no attribute {name!r}{hint}")


REFUSED = {
    ".cgns": "CGNS files are not read, expected .su2 or .msh; SU2_DEF makes one of the other, with "
    "MESH_FORMAT= CGNS and MESH_OUT_FILENAME= mesh.su2 in its configuration",
}


def read(
    path: str | Path,
    scale: float | None = None,
    chord: float | None = None,
    merge: float | None = None,
) -> Mesh:
    """Read a mesh in the format of its suffix: SU2, Gmsh, UGRID or Plot3D.

    Parameters
    ----------
    path : file with the suffix `.su2`, `.msh` for gmsh, `.ugrid` (`read_ugrid`), or for formatted
        Plot3D grids `.p3d`, `.p2d`, `.p3dfmt`, `.p2dfmt`, `.plot3d`, `.xyz` or `.xy`, alone or with
        `.gz` or `.xz`
    scale : float    factor of all coordinates, such as 0.001 for a file in millimetres
    chord : float    chord of the section in the units of the file; coordinates are divided by it
    merge : float    distance within which nodes become one, in the units of the file (`merge`); of
        Plot3D grids those at one place do so always

    Returns
    -------
    Mesh    in the order of the file; of a Plot3D grid with markers `imin`, `imax`, `jmin`, ... for
        the sides of its block, of several blocks `block1.imin` and so on

    Raises
    ------
    MeshError    the file cannot be read, breaks a rule of meshes, or has a single body whose
        measured chord is not within 2 % of `chord`
    """
    path = path_of(path)
    if format_of(path) == ".msh":
        return resized(path, read_msh(path, merge), scale, chord)
    if format_of(path) in PLOT3D:
        return resized(path, read_plot3d(path, merge), scale, chord)
    if format_of(path) == ".ugrid":
        return resized(path, read_ugrid(path, merge), scale, chord)
    if format_of(path) in REFUSED:
        raise MeshError(f"{path}: {REFUSED[format_of(path)]}")
    if format_of(path) != ".su2":
        raise MeshError(
            f"{path}: expected a name that ends in .su2, .msh, .ugrid or {', '.join(PLOT3D)}, or "
            "in one of these and .gz or .xz"
        )
    return resized(path, read_su2(path, merge), scale, chord)


def merge(mesh: Mesh | str | Path, tolerance: float) -> Mesh:
    """Mesh whose nodes at one place have been made one, as at poles, tips and wake cuts.

    Nodes at most `tolerance` apart become the first of them, which stays where it is.  Cells with
    collapsed edges become what is left of them: of quads triangles, of hexahedra prisms, pyramids
    and tetrahedra, or, where an edge alone has collapsed, pyramids and tetrahedra about a new node
    in the middle.  Edges and faces that have cells on both sides then leave their markers, cells
    that are there twice are taken once, and a note of the mesh (`origin.notes`) says so.

    Parameters
    ----------
    mesh : a mesh, or the name of a file, which is refused by `read` without merging
    tolerance : float    a distance in lengths of the mesh or file, below the shortest edge that is
        to stay; 0 for nodes at exactly one place

    Raises
    ------
    MeshError    a cell has no content left, or what is left breaks a rule of meshes
    """
    if isinstance(mesh, str | Path):
        return read(mesh, merge=tolerance)
    if not isinstance(mesh, Mesh):
        raise MeshError(f"mesh.merge: the mesh is {mesh!r}, expected a Mesh or the name of a file")
    tables = mesh.points, mesh.blocks, mesh.boundaries, mesh.original, mesh.origin
    return Mesh.from_blocks(*tables, merge=tolerance)


def write(mesh: Mesh, path: str | Path, point_data: Mapping[str, ArrayLike] | None = None) -> None:
    """Write a mesh; the suffix gives the format: `.su2` (`.gz`, `.xz`), `.vtk` or `.vtu`.

    VTK files also take point data, name -> (nodes,) or (nodes, components).
    """
    if not isinstance(mesh, Mesh):
        raise MeshError(f"mesh.write: the mesh is {mesh!r}, expected a kinemesh Mesh")
    path = path_of(path)
    if path.suffix.lower() in FORMATS:
        write_vtk(mesh, path, point_data)
        return
    if format_of(path) != ".su2":
        raise MeshError(
            f"{path}: expected a name that ends in .su2, .su2.gz, .su2.xz, .vtk or .vtu"
        )
    if point_data:
        raise MeshError(f"{path}: SU2 meshes hold no point data, expected .vtk or .vtu for them")
    write_su2(mesh, path)
