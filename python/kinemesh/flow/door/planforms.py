"""Checks of bodies in space: axes, area of the planform, and the length that k refers to.

Coefficients refer to `reference_area`; moments, power, damping, reduced frequencies and km.Units to
one length, `reference_length`.  Lengths and areas are measured in those of the mesh.
"""

from __future__ import annotations

from typing import Any

from kinemesh.errors import MeshError
from kinemesh.mesh.extents import CHORD, Body, Walls

SEVERAL = 2.0  # of several bodies: factor by which the longest may differ from a length of 1
PLANFORM = 0.05  # of the reference area from the planform measured
UNITS, LONG = 100.0, 30.0  # factors of area and length by which they are of other units
NOTHING = 1e-6  # share of the area seen along y below which a planform is 0
UPRIGHT = 4.0  # factor by which the area seen along y is that of a body whose span is along z
TURN = (
    "turn the mesh (x downstream, y along the span, z upwards), as by "
    "mesh.transformed(mesh.points[:, [0, 2, 1]] * (1, -1, 1)) where the span is along z and y "
    "points upwards"
)


def told_of(space: Any, walls: Walls, arguments: Any) -> dict[str, str | None]:
    """Warnings about axes and references, by what they are about; None where there is none.

    Raises
    ------
    MeshError    bodies whose planform is 0
    """
    bodies = walls.bodies
    refuse_edge_on(bodies)
    if not bodies:
        return {}
    size = _units(space, bodies, *arguments.reference)
    length = None if size else unstated(space, walls, arguments.chord)
    return {
        "axes": _upright(bodies),
        "size of bodies": size or _area(bodies, arguments.reference[0], arguments.area),
        "reference length": length,
    }


def edge_on(planform: float, side: float) -> bool:
    """True where nothing is seen along z of what is seen along y."""
    return side > 0 and planform <= NOTHING * side


def refuse_edge_on(bodies: list[Body]) -> None:
    """MeshError where nothing of the bodies is seen along z."""
    planform, side = (sum(getattr(body, name) for body in bodies) for name in ("size", "side"))
    if edge_on(planform, side):
        raise MeshError(
            f"{_names(bodies)}: planform of 0, as seen along z, and {side:.4g} as seen along y "
            f"({bodies[0].box()}); alpha_deg turns the stream from x to z, so that lift is along "
            f"z, expected the span of a wing along y; {TURN}"
        )


def _upright(bodies: list[Body]) -> str | None:
    """Warning about bodies of which far more is seen along y than along z."""
    planform, side = (sum(getattr(body, name) for body in bodies) for name in ("size", "side"))
    if side <= UPRIGHT * planform:
        return None
    return (
        f"{_names(bodies)}: planform of {planform:.4g}, as seen along z, and {side:.4g} as seen "
        f"along y ({bodies[0].box()}): the span may be along z, and lift is along z too, across a "
        f"span along y; {TURN}, where it is no fin"
    )


def _units(space: Any, bodies: list[Body], area: float, length: float) -> str | None:
    """Warning about references that are of other units than the bodies."""
    planform = sum(body.size for body in bodies)
    chord = max(body.mean_chord for body in bodies)
    if 1 / UNITS <= area / planform <= UNITS and 1 / LONG <= length / chord <= LONG:
        return None
    scale = space.origin.scale
    read = "0.001)" if scale in (None, 1.0) else f"...) in place of {scale:.6g}"
    return (
        f"coefficients refer to an area of {area:.6g} and a length of {length:.6g}, and "
        f"{' and '.join(body.told() for body in bodies)}: the mesh may be in other "
        f"units, such as millimetres; scale it on reading by km.mesh.read(path, scale={read} "
        "([mesh] scale in a case file), or give reference_area and reference_length ([flow]) "
        "in lengths of the mesh, to which motions and times refer too"
    )


def _area(bodies: list[Body], area: float, stated: float | None) -> str | None:
    """Warning about a reference area that is not the planform."""
    planform = sum(body.size for body in bodies)
    if abs(area / planform - 1) <= PLANFORM:
        return None
    apart = f"and the planform of {_names(bodies)} is {planform:.6g}"
    if stated is None:
        return (
            f"coefficients refer to an area of {area:.6g}, {apart}; give reference_area "
            "([flow] in a case file) where another is meant"
        )
    return (
        f"reference_area is {area:.6g}, {apart}; correct it ([flow] in a case file), in areas of "
        "the mesh, unless coefficients are to refer to it"
    )


def unstated(space: Any, walls: Walls, stated: float | None) -> str | None:
    """Sentence about a reference length that is not stated, where no chord of a body is 1.

    The chord is the longest of the sections along the span, or the mean one; of several bodies
    that of the longest.
    """
    if stated is not None or not walls.bodies:
        return None
    body = max(walls.bodies, key=lambda own: own.chord)
    made = space.origin.chord if len(walls.bodies) == 1 else None
    chord = body.chord if made is None else made
    if len(walls.bodies) > 1:
        good = 1 / SEVERAL <= chord <= SEVERAL
    else:
        good = min(abs(chord - 1), abs(body.mean_chord - 1)) <= CHORD
    if good:
        return None
    return (
        f"{body.told()}, and moments, power and reduced frequencies refer to a length of 1; say "
        f"the length by reference_length={chord:.6g} ([flow] in a case file), in lengths of the "
        "mesh, and give motions in Python the same as chord; reference_length=1 where 1 is meant"
    )


def is_chord(walls: Walls, length: float) -> bool:
    """True where a length is the longest or the mean chord of a body."""
    return any(abs(length - chord) <= CHORD * chord for chord in chords_of(walls))


def chords_of(walls: Walls) -> list[float]:
    """Longest and mean chord of each body."""
    return [chord for body in walls.bodies for chord in (body.chord, body.mean_chord)]


def _names(bodies: list[Body]) -> str:
    return ", ".join(body.name for body in bodies)
