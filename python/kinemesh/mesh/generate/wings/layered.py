"""C-H meshes about wings for viscous flow: C-lines about each section, stations along the span.

Layers are as high all along the span; beyond the tip and in the wake they widen.  Beyond the tip
the innermost C-line is one line that both sides share, as it is in the wake at every station.
x downstream, y along the span, z up; lengths in root chords.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from kinemesh.errors import MeshError
from kinemesh.mesh.generate.spacing import Normal
from kinemesh.mesh.generate.wings.block import Ints, sheet
from kinemesh.mesh.generate.wings.outline import Outline, Wing
from kinemesh.mesh.generate.wings.parabolic import TRAILING, Heights, Lines, blended, lines
from kinemesh.mesh.generate.wings.planform import LAYERED, SPREAD, stations
from kinemesh.mesh.geometry.wall_layers import wall_layers
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.origin import Origin
from kinemesh.sentences import NODES

Floats = NDArray[np.float64]

LONGEST = 1.5  # length of the longest ray over the far field, at first
DEEP = 0.8  # layers over the cube root of the nodes, where both are free
ALONG = 1.05  # stations over steps on each side of a section
WAKE_SLOPE, WAKE_STEEP = 12.0, 0.5  # growth - 1 of steps along the wake, times steps; its largest
WING = "wing"  # marker
LEAST = 8  # steps on each side of a section
STATIONS = 19  # fewest
LEANING = 5.0  # least angle between layers' edges and the wall [deg]


def layered(
    wing: Wing,
    nodes: int,
    far_field: float,
    tip: float,
    normal: Normal,
    carrier: Callable[[], Mesh] | None = None,
) -> Mesh:
    """Mesh of hexahedra about a wing, of checked numbers.

    Raises
    ------
    MeshError    for layers that do not fit
    """
    likely = round(DEEP * nodes ** (1.0 / 3.0))
    first, count = normal.solved(LONGEST * far_field, likely)
    section, wake, many = _counts(nodes, count, far_field)
    made = {id(own): lines(own, section) for own in wing.sections}
    bases = [made[id(own)] for own in wing.sections]
    _check_length(bases[0], first)
    plan = wing.outline
    plan = plan._replace(cap=tip * plan.taper * bases[-1].half_thickness)
    y, thickness = stations(plan, many, far_field, LAYERED)
    heights = Heights.of(first, count, far_field, bases[0].trailing, wake)
    place = _placed(bases, plan, y, thickness, heights)
    slit = int(np.argmax(thickness == 0.0))
    number, kept = _merged(place.shape[:3], slit, wake)
    sides = _sides(number, slit, wake)
    origin = Origin(notes=wing.notes, carrier=carrier)
    blocks = {"hexahedra": _hexahedra(number)}
    try:
        mesh = Mesh.from_blocks(place.reshape(-1, 3)[kept], blocks, sides, origin=origin)
    except MeshError as error:
        raise MeshError(
            "wing: layers fold over one another, expected less twist and taper, more ", NODES,
            f", or a larger wall_spacing ({error})",
        ) from None  # fmt: skip
    _check_lean(mesh)
    return mesh


def _placed(
    bases: Sequence[Lines], plan: Outline, y: Floats, thickness: Floats, heights: Heights
) -> Floats:
    """(stations, layers + 1, columns, 3) points; stations spread evenly along the far field."""
    even = y + SPREAD * (np.linspace(0.0, y[-1], len(y)) - y)
    chord, nose, twist = plan.chord(y), plan.nose(y), plan.twist(y)
    columns = 2 * (len(bases[0].xi) + len(heights.wake)) - 3
    place = np.empty((len(y), heights.layers + 1, columns, 3))
    for k, at in enumerate(y):
        panel, share = plan.at(at)
        base = blended(bases[panel], bases[panel + 1], share)
        beyond = max(0.0, at - plan.span - plan.cap)
        plane, out = base.points(
            thickness[k], beyond, chord[k], nose[k], heights, twist[k], plan.about
        )
        place[k, ..., 0], place[k, ..., 2] = plane.real, plane.imag
        place[k, ..., 1] = at + out * (even[k] - at)
    return place


def _counts(nodes: int, layers: int, far: float) -> tuple[int, int, int]:
    """Steps on each side of the section and along the wake, and stations."""

    def wake(section: float) -> float:
        growth = min(WAKE_SLOPE / section, WAKE_STEEP)
        return float(np.log1p(growth * far * section / TRAILING) / np.log1p(growth))

    def wanted(section: float) -> float:
        columns = 2.0 * (section + wake(section)) + 1.0
        return (layers + 1) * columns * max(STATIONS, ALONG * section)

    if wanted(LEAST) > nodes:
        raise MeshError(
            f"wing: {layers} layers of ", NODES, f" = {nodes} leave fewer than {LEAST} steps on "
            f"each side of the section, expected at least {wanted(LEAST):.0f}; or ask for a "
            "larger wall_spacing, a larger growth or fewer layers",
        )  # fmt: skip
    section = round(brentq(lambda n: wanted(n) - nodes, LEAST, nodes))
    behind = round(wake(section))
    many = round(nodes / ((layers + 1) * (2 * (section + behind) + 1)))
    return section, behind, max(STATIONS, many)


def _check_length(root: Lines, first: float) -> None:
    """MeshError for layers that are higher than the shortest cells of the wall are long."""
    z = root.focus + 0.25 * (root.xi + 1j * root.eta) ** 2
    edge = float(np.abs(np.diff(z)).min())
    if first > edge:
        raise MeshError(
            f"wing: the wall cells are {first:.4g} high, expected less than the shortest edge of "
            f"the wall, {edge:.4g}; ask for a smaller wall_spacing or fewer ",
            NODES,
        )


def _check_lean(mesh: Mesh) -> None:
    """MeshError where layers lean on the wall, as they do over a cap that ends too steeply."""
    least = wall_layers(mesh, WING).angle_deg
    if least < LEANING:
        raise MeshError(
            f"wing: layers leave the wall at {least:.3g} degrees over the tip's cap, expected "
            f"{LEANING:g} at least; ask for a longer tip"
        )


def _merged(shape: tuple[int, ...], slit: int, wake: int) -> tuple[Ints, NDArray[np.intp]]:
    """Numbers (stations, layers, columns), both sides of wake and slit as one; places kept."""
    columns = shape[2]
    place = np.arange(np.prod(shape)).reshape(shape)
    mirror = np.minimum(np.arange(columns), np.arange(columns)[::-1])
    place[slit:, 0] = place[slit:, 0][:, mirror]
    place[:, 0, -1 - wake :] = place[:, 0, wake::-1]
    kept, number = np.unique(place, return_inverse=True)
    return number.reshape(shape).astype(np.int32), kept


def _hexahedra(number: Ints) -> Ints:
    """(k, 8) cells, station by station and in each layer by layer."""
    near, far = number[:-1], number[1:]
    sides = [
        (own[:, :-1, :-1], own[:, :-1, 1:], own[:, 1:, 1:], own[:, 1:, :-1]) for own in (near, far)
    ]
    return np.stack([corner.ravel() for side in sides for corner in side], axis=1)


def _sides(number: Ints, slit: int, wake: int) -> dict[str, Ints]:
    """(k, 4) faces of the wing, the symmetry plane and the far field."""
    far = [number[-1], number[:, -1], number[:, :, 0], number[:, :, -1]]
    return {
        WING: sheet(number[: slit + 1, 0, wake : number.shape[2] - wake]),
        "symmetry": sheet(number[0]),
        "farfield": np.concatenate([sheet(own) for own in far]),
    }
