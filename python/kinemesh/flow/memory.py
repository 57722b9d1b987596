"""How much memory a case takes, asked before any of it is taken.

Measured: bytes of all arrays that a solver, one recording and one deformation hold on their
backend, for triangles and quads of 1500 to 24000 nodes, fitted per node and per cell (the number
of edges is their sum, by Euler's formula).  The fits are within 0.2 % for the flow and 3 % for the
deformations (tests/test_memory.py); springs with their hierarchy within 5 %.
Of a meshless solver: clouds of 600 to 20000 points with 3.8 to 7.5 satellites each, fitted per
point and per satellite within 1.2 %; about wings, 20000 to 60000 points with 5.8 to 13.5, within
0.5 %.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kinemesh.errors import DeviceError
from kinemesh.linear.hierarchy import LARGE

if TYPE_CHECKING:
    from kinemesh.cloud import Cloud
    from kinemesh.device.backend import Backend
    from kinemesh.mesh import Mesh

# (bytes per node, bytes per cell)
FLOW = {
    ("float64", "float32"): (1136.2, 315.6),  # (of the flow, of the matrix or none)
    ("float64", "float64"): (1539.4, 431.7),
    ("float32", "float32"): (890.7, 275.8),
    ("float64", None): (543.2, 143.7),
    ("float32", None): (358.4, 115.8),
}
DEFORM = {
    "springs": (1701.5, -227.1),
    "delaunay": (30.2, 0.4),
    "retriangulated": (63.8, 0.0),  # Delaunay mapping that builds its graph anew
    "rigid": (8.7, -0.4),
}
# On a CPU also what the host holds while springs are set up: the most that is resident, less the
# estimate of the arrays, grows by 310 to 410 bytes per node from 24 to 280 thousand nodes.
HOST = 400.0  # [bytes per node]
# On members as large as kinemesh.linear.hierarchy.LARGE springs hold and set up more, each per node
# (320 and 376 thousand nodes: 240 to 310 set up).
DEFORM_LARGE, HOST_LARGE = 581.0, 300.0

# Of clouds: (bytes per point, bytes per satellite), bytes per point, and what the process
# grew by at most, less the arrays (93000 points).  FLOW_SPACE and HOST_SPACE are of clouds in
# space, where it grew by the satellites: 134 to 144 bytes each (100 and 300 thousand points with
# 5.9, 100 thousand with 13.6).
FLOW_CLOUD = {  # keys as of FLOW
    ("float64", "float32"): (865.7, 80.0),
    ("float64", "float64"): (1132.5, 143.9),
    ("float32", "float32"): (630.1, 79.9),
    ("float64", None): (439.7, 4.0),
    ("float32", None): (273.4, 4.0),
}
FLOW_SPACE = {
    ("float64", "float32"): (1236.0, 116.5),
    ("float64", "float64"): (1617.4, 216.5),
    ("float32", "float32"): (893.1, 116.4),
    ("float64", None): (788.9, 24.5),
    ("float32", None): (504.6, 24.3),
}
# LU-SGS with stored blocks takes 10 % less than these, which are with BiCGSTAB's vectors.
DEFORM_CLOUD = {"delaunay": 31.0, "retriangulated": 63.9, "rigid": 8.1}
HOST_CLOUD = 410.0  # [bytes per point]
HOST_SPACE = 140.0  # [bytes per satellite]


def estimate(
    nodes: int,
    cells: int,
    dtype: str,
    deform: str | None = None,
    matrix: str | None = "float32",
    large: int = 0,
) -> int:
    """Bytes of the arrays of a case on its device.

    Parameters
    ----------
    nodes, cells : int     of all members
    dtype : "float64" or "float32"
    matrix : precision of the matrix; None where there is none
    deform : name of a deformation's arrays (`Deformation.kind`); None for a case at rest.  One
        that is not known here (the user's own) counts as none.
    large : int            nodes of members whose springs' transfers are smoothed twice
    """
    per_node, per_cell = FLOW[dtype, matrix and min(dtype, matrix)]
    more_node, more_cell = DEFORM.get(deform or "", (0.0, 0.0))
    twice = DEFORM_LARGE * large if deform == "springs" else 0.0
    return round((per_node + more_node) * nodes + (per_cell + more_cell) * cells + twice)


def large_nodes(meshes: Sequence[Mesh]) -> int:
    """Nodes of the meshes whose springs' transfers are smoothed twice."""
    return sum(mesh.nodes for mesh in meshes if mesh.nodes >= LARGE)


def estimate_cloud(
    points: int,
    satellites: int,
    dtype: str,
    deform: str | None = None,
    dimensions: int = 2,
    matrix: str | None = None,
    smooth: bool = False,
) -> int:
    """Bytes of the arrays of a case of the meshless solver; `deform`, `dtype`, `matrix` as above.

    Parameters
    ----------
    points, satellites : int     of all members
    dimensions : 2, or 3 in space
    smooth : bool                with `smooth_gradients`
    """
    table = FLOW_CLOUD if dimensions == 2 else FLOW_SPACE
    per_point, per_satellite = table[dtype, matrix and min(dtype, matrix)]
    more = DEFORM_CLOUD.get(deform or "", 0.0)
    if smooth:
        more += dimensions * (dimensions + 2) * (8 if dtype == "float64" else 4)
    return round((per_point + more) * points + per_satellite * satellites)


def available(backend: Backend) -> int | None:
    """Free bytes on a backend's device (on a CPU with swap); None where nobody says."""
    if backend.on_gpu:
        return int(backend._module.device_properties(backend.ordinal)["free_bytes"])
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        table = {name: int(rest.split()[0]) for name, _, rest in (s.partition(":") for s in lines)}
        free = 1024 * (table["MemAvailable"] + table["SwapFree"])
    except (OSError, ValueError, KeyError, IndexError):
        return None
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text("ascii").strip()  # of a container
    except OSError:
        return free
    return min(free, int(limit)) if limit.isdecimal() else free


def check(
    backend: Backend, meshes: Sequence[Mesh], deform: str | None, matrix: str | None = "float32"
) -> int:
    """Bytes of the arrays; DeviceError where a case does not fit, before anything is allocated."""
    nodes = sum(m.nodes for m in meshes)
    cells = sum(len(m.triangles) + len(m.quads) for m in meshes)
    large = large_nodes(meshes) if deform == "springs" else 0
    host = 0 if backend.on_gpu else HOST * nodes + HOST_LARGE * large

    def arrays(dtype: str) -> int:
        return estimate(nodes, cells, dtype, deform, matrix, large)

    _refuse(backend, lambda dtype: arrays(dtype) + host, nodes, "nodes")
    return arrays(backend.dtype)


def check_cloud(
    backend: Backend,
    clouds: Sequence[Cloud],
    deform: str | None,
    matrix: str | None = None,
    smooth: bool = False,
) -> int:
    """Bytes of the arrays of a case on clouds; DeviceError where it does not fit."""
    points, satellites = sum(len(c.points) for c in clouds), sum(len(c.satellites) for c in clouds)
    dimensions = clouds[0].points.shape[1]
    grown = HOST_CLOUD * points if dimensions == 2 else HOST_SPACE * satellites
    host = 0 if backend.on_gpu else grown

    def arrays(dtype: str) -> int:
        return estimate_cloud(points, satellites, dtype, deform, dimensions, matrix, smooth)

    _refuse(backend, lambda dtype: arrays(dtype) + host, points, "points")
    return arrays(backend.dtype)


def _refuse(backend: Backend, needed: Callable[[str], float], count: int, what: str) -> None:
    """DeviceError where the bytes that are needed in the backend's precision are not free."""
    free = available(backend)
    if free is None or needed(backend.dtype) <= free:
        return
    ways = [f"fewer {what}"]
    if backend.dtype == "float64":
        ways.insert(0, f"dtype='float32' (about {needed('float32') / 2**30:.3g} GiB)")
    if backend.on_gpu:
        ways.append("device='cpu'")
    raise DeviceError(
        f"{backend.device}: {count} {what} in {backend.dtype} need about "
        f"{needed(backend.dtype) / 2**30:.3g} GiB, {free / 2**30:.3g} GiB are free; use "
        f"{', '.join(ways[:-1]) + ' or ' if ways[1:] else ''}{ways[-1]}"
    )
