"""Groups of rows by the names that lines of the registry of solvers have for them.

A group is built by a function of the backend, the mesh or cloud, the rows that are wanted, the line
of the solver and the kind of cloud, which is None for a mesh.
"""

from __future__ import annotations

from collections.abc import Callable

from kinemesh.bench import clouds, overset, rows

TITLES = rows.TITLES | clouds.TITLES | overset.TITLES
GROUPS: dict[str, Callable[..., rows.Rows]] = {
    "springs": rows.springs,
    "natural": rows.springs,
    "flow": rows.flow,
    "cloud": clouds.rows,
    "search": overset.rows,
}
