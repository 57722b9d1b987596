"""Heights of the first ring or layer about a wing that may be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.errors import MeshError
from kinemesh.mesh.generate.spacing import Normal
from kinemesh.sentences import NODES

if TYPE_CHECKING:
    from kinemesh.mesh.generate.wings.elliptic import Rings  # loads much of SciPy

LIMITS = 1e-6, 0.1  # [chord]
STEEPEST = 1.5  # ratio of successive steps of l from the wall to the far field


def normal_of(topology: str, cells: str, **given: Any) -> Normal | None:
    """Layers of a C-H mesh, whose heights `given` are; None of rings, which have one at most."""
    if topology == "ch":
        if cells != "hexes":
            raise MeshError(
                f"wing: cells = {cells!r} with topology = 'ch', expected cells = 'hexes', or "
                "topology = 'oh'"
            )
        return Normal.of("wing", **given)
    for name in ("growth", "y_plus", "reynolds"):
        if given[name] is not None:
            raise MeshError(
                f"wing: {name} = {given[name]!r}, expected topology = 'ch' with it, as meshes for "
                "viscous flow have"
            )
    check_height(given["wall_spacing"])
    return None


def check_height(given: Any) -> None:
    """MeshError for what is no height of the first ring; None is the default one."""
    if given is None:
        return
    number = isinstance(given, int | float | np.integer | np.floating)
    if isinstance(given, bool) or not number or not LIMITS[0] <= given <= LIMITS[1]:
        raise MeshError(
            f"wing: wall_spacing = {given!r}, expected {LIMITS[0]:g} to {LIMITS[1]:g} chords"
        )


def check_length(root: Rings, height: float) -> None:
    """MeshError for layers that are higher than the cells of the wall are long at mid-chord."""
    rays = _middle(root)
    wall = 0.5 * np.cosh(root.length[0, rays] + 1j * root.angle[0, rays])
    long = float(abs(wall[1] - wall[0]))
    if height > long:
        raise MeshError(
            f"wing: wall_spacing = {height:g}, but the cells of the wall are {long:.3g} chords "
            "long at the middle of the root with this many ",
            NODES,
            ", expected at most that",
        )


def check_growth(root: Rings, height: float) -> None:
    """MeshError for layers that do not fit: too few for such a height."""
    step = np.diff(root.length[:, _middle(root).start])
    ratio = float((step[-1] / step[0]) ** (1.0 / (len(step) - 1)))
    if ratio > STEEPEST:
        raise MeshError(
            f"wing: {len(step)} layers from wall_spacing = {height:g} to the far field grow by "
            f"{ratio:.3g} each, expected at most {STEEPEST:g}: ask for a larger one, or for more ",
            NODES,
        )


def _middle(root: Rings) -> slice:
    """Two rays that leave from the middle of the chord."""
    half = root.angle.shape[1] // 2
    at = int(np.argmin(np.abs(root.angle[0, :half] - 0.5 * np.pi)))
    return slice(at, at + 2)
