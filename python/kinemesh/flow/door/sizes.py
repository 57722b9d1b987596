"""Checks of the size and the place of bodies, to which coefficients and motions refer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, SettingsError
from kinemesh.mesh.extents import CHORD, Walls
from kinemesh.mesh.fingerprint import firsts
from kinemesh.mesh.names import words_of
from kinemesh.mesh.pieces import told
from kinemesh.overset.parts import Parts
from kinemesh.sentences import Sentence
from kinemesh.space.conditions.base import BODY
from kinemesh.space.conditions.table import numbers_of
from kinemesh.space.conditions.words import Symmetry, Wall

Floats = NDArray[np.float64]
SEVERAL = 2.0  # of several bodies: factor by which the longest may differ from a chord of 1
PLANFORM = 0.05  # of the reference area from the planform measured
UNITS, LONG = 100.0, 30.0  # factors of area and length by which they are of other units
QUARTER = (0.25, 0.0)  # default of pivots and of the moment's point


def check(
    spaces: Sequence[Any], found: Sequence[Walls], arguments: Any, channel: bool = False
) -> list[str]:
    """Warnings about the walls of each member; MeshError where a chord must be stated.

    Parameters
    ----------
    arguments : with `chord` as stated, or None, and `reference`, area and length of coefficients
    channel : whether there are inlets or outlets, so that walls need not close round bodies
    """
    notes: list[str] = []
    for member, space in firsts(spaces):
        walls, plane = found[member], space.points.shape[1] == 2
        said = {"loads": None if channel else _loads(space, walls)}
        if plane:
            said["size of bodies"] = _chord(member, space, walls, arguments.chord)
        else:
            said |= _on_flats(walls)
            said["size of bodies"] = _planform(space, walls, *arguments.reference)
        notes += [
            Sentence(text, member=member, about=about)
            for about, text in said.items()
            if text is not None
        ]
    return notes


def _on_flats(walls: Walls) -> dict[str, str]:
    """Warnings where bodies end on flat ends of the mesh that are walls, or far field."""
    said: dict[str, str] = {}
    for flat in walls.flats:
        if flat.marker in walls.names:
            said["loads"] = (
                f"loads are sums over all walls, and {flat.told()}; {flat.advice()} where it is a "
                "plane of symmetry, whose pressures are no loads"
            )
        elif flat.axis:
            said["far field"] = (
                f"{flat.told()}, where the stream passes, as it is far field; {flat.advice()} "
                "where it is a plane of symmetry"
            )
    return said


def _loads(space: Any, walls: Walls) -> str | None:
    """Warning where loads are not those of bodies alone."""
    if isinstance(space, Parts):
        return _loads_of_parts(walls)
    mirrors = any(Symmetry.kind in words_of(n) for n in walls.loose)
    if not walls.loose or not (walls.bodies or mirrors):
        return None
    return (
        f"loads are sums over all walls, and those of {', '.join(walls.loose)} do not all close "
        "round bodies; give bodies markers of their own, whose loads the result has too, or name "
        "the others in far"
    )


def _loads_of_parts(walls: Walls) -> str | None:
    """Warning about parts that have other walls beside bodies."""
    bodies = {body.name.split(" (")[0] for body in walls.bodies}
    mixed = [name for name in walls.loose if name in bodies]
    if not mixed:
        return None
    names = ", ".join(mixed)
    return (
        f"loads of {names} are sums over all walls of the part, which do not all close round "
        "bodies; give the bodies parts of their own, whose loads the result has by their names"
    )


def _chord(member: int, space: Any, walls: Walls, chord: float | None) -> str | None:
    """Warning about the chord of the case; MeshError where the case must state one."""
    if len(walls.bodies) != 1:
        return _several(space, walls, chord)
    body, made = walls.bodies[0], space.origin.chord
    size = body.size if made is None else made
    if chord is None and abs(size - 1) > CHORD:
        raise MeshError(
            f"{body.told()}, expected a chord of 1, which coefficients and reduced frequencies "
            f"refer to; {_to_scale(space, body.name, size)}, or say by chord={size:.6g} ([flow] "
            "chord) that the body is meant to be of this size, or by chord=1 that 1 is meant all "
            "the same, as of a section with a flap deflected",
            member=member,
        )
    if chord is None or abs(size / chord - 1) <= CHORD:
        return None
    return (
        f"the chord is said to be {chord:.6g}, and {body.told()}; coefficients and reduced "
        "frequencies refer to the chord that is said"
    )


def _to_scale(space: Any, name: str, size: float) -> str:
    """Advice on how to give a body of a length a chord of 1, in the words of what made it."""
    if isinstance(space, Parts):
        part = name.split(" (")[0]
        scale = space.frames[part].scale if part in space.frames else 1.0
        said = "" if scale == 1 else f" in place of {scale:.6g}"
        return (
            f"give the part {part!r} by km.Part(mesh, scale={scale / size:.6g}) ([parts.{part}] "
            f"scale in a case file){said}"
        )
    scale = space.origin.scale
    own = "its length in the units of the file" if scale is None else f"{size / scale:.6g}"
    said = ", the length in the file, in place of scale" if scale not in (None, 1.0) else ""
    return (
        f"scale the mesh on reading by km.mesh.read(path, chord={own}) ([mesh] chord in a case "
        f"file){said}"
    )


def _several(space: Any, walls: Walls, chord: float | None) -> str | None:
    """Warning about several bodies, of which the largest can hardly have a chord of 1."""
    largest = max(walls.bodies, key=lambda body: body.size, default=None)
    if chord is not None or largest is None or 1 / SEVERAL <= largest.size <= SEVERAL:
        return None
    what = "the parts by their scale" if isinstance(space, Parts) else "the mesh on reading"
    return (
        f"the largest of {len(walls.bodies)} bodies: {largest.told()}; coefficients refer to a "
        f"chord of 1; scale {what}, or say the chord by chord ([flow] in a case file)"
    )


def _planform(space: Any, walls: Walls, area: float, length: float) -> str | None:
    """Warning about references that are not those of the bodies, or of other units."""
    planform = sum(body.size for body in walls.bodies)
    if not planform:
        return None
    chord = max(body.mean_chord for body in walls.bodies)
    if not 1 / UNITS <= area / planform <= UNITS or not 1 / LONG <= length / chord <= LONG:
        scale = space.origin.scale
        read = "0.001)" if scale in (None, 1.0) else f"...) in place of {scale:.6g}"
        return (
            f"coefficients refer to an area of {area:.6g} and a length of {length:.6g}, and "
            f"{' and '.join(body.told() for body in walls.bodies)}: the mesh may be in other "
            f"units, such as millimetres; scale it on reading by km.mesh.read(path, scale={read} "
            "([mesh] scale in a case file), or give reference_area and reference_length ([flow]) "
            "in lengths of the mesh, to which motions and times refer too"
        )
    if abs(area / planform - 1) <= PLANFORM:
        return None
    return (
        f"coefficients refer to an area of {area:.6g}, and the planform of "
        f"{', '.join(body.name for body in walls.bodies)} is {planform:.6g}; give reference_area "
        "([flow] in a case file) where another is meant"
    )


def beyond(point: Sequence[float], low: Floats, high: Floats) -> float:
    """Distance of a point from a box; 0 within."""
    p = np.asarray(point, float)
    return float(np.hypot(*np.maximum(np.maximum(low - p, p - high), 0)))


def check_point(
    what: str, point: Sequence[float], wall: Floats, chord: float, dimensions: int = 2
) -> str | None:
    """Warning about a pivot, or a moment's point, that is far from its body.

    Parameters
    ----------
    what : its name, such as "the pivot of airfoil"
    wall : (n, 2) points of the body
    chord : the distance from the body's box that it may have
    """
    low, high = wall.min(axis=0), wall.max(axis=0)
    far, box = beyond(point, low, high), told(low, high, "xy" if dimensions == 2 else "xz")
    if far > chord:
        return (
            f"{what} is at ({point[0]:.6g}, {point[1]:.6g}), {far / chord:.3g} chords from the "
            f"body ({box}); give it in the lengths of the mesh, where it is not meant"
        )
    of_unit = abs(chord - 1) <= CHORD if dimensions == 2 else 1 / LONG <= chord <= LONG
    if not of_unit and tuple(point) == QUARTER:
        return (
            f"{what} is at (0.25, 0), the default, in the lengths of the mesh, whose "
            f"{'chord' if dimensions == 2 else 'reference length'} is {chord:.6g} ({box}); give "
            "the point that is meant"
        )
    return None


def wall_points(space: Any, names: Sequence[str]) -> Floats:
    """(n, 2) points of walls in the plane of the motion: x and y, in space x and z."""
    nodes = np.unique(np.concatenate([space.boundaries[n].ravel() for n in names]))
    points: Floats = space.points[nodes[nodes >= 0]][:, [0, -1]]
    return points


def check_points(arguments: Any, motions: Sequence[Any], grid: Any, frames: Any) -> list[str]:
    """Warnings about the moment's point and the pivots of the bodies' motions.

    A chord is that of the case, in space the reference length; points are told as they are given,
    in the frame of each body.
    """
    notes: dict[str, str] = {}
    pivots = [None if motion is None else motion.pivot for motion in motions]
    of_member: dict[int, list[int]] = {}
    for number, (member, _) in enumerate(grid.bodies):
        of_member.setdefault(member, []).append(number)
    for member, own in of_member.items():
        asked = [("moment_about", arguments.moment_about, frames[own[0]], own)]
        for pair in dict.fromkeys((pivots[k], frames[k]) for k in own):
            point, frame = pair
            if point is not None:
                alike = [k for k in own if (pivots[k], frames[k]) == pair]
                names = ", ".join(grid.bodies[k][1] for k in alike)
                asked.append((f"the pivot of {names}", point, frame, alike))
        for what, point, frame, numbers in asked:
            if what not in notes:  # once for an ensemble
                own_walls = [grid.bodies[k][1] for k in numbers]
                wall = wall_points(grid.meshes[member], own_walls)
                if not len(wall):  # of a part without walls
                    continue
                chord = arguments.reference[1] / frame.scale
                said = check_point(what, point, frame.own(wall), chord, grid.dimensions)
                notes |= {} if said is None else {what: Sentence(said, member=member, about=what)}
    return list(notes.values())


def check_motions(
    stated: float | None, motions: Sequence[Any], bodies: Sequence[tuple[int, str]]
) -> None:
    """SettingsError where a motion's reduced frequency refers to another chord than is stated."""
    if stated is None:
        return
    for motion, (member, marker) in zip(motions, bodies, strict=True):
        for part in parts_of(motion):
            chord = getattr(part, "chord", None)
            if chord is not None and not np.isclose(chord, stated, rtol=1e-9, atol=0):
                raise SettingsError(
                    f"the reduced frequency of {part!r} of {marker} refers to a "
                    f"chord of {chord:g}, and the case to {stated:g}, expected one chord; "
                    f"give the motion chord={stated:g}, with its k",
                    member=member,
                )


def parts_of(motion: Any) -> Sequence[Any]:
    """The motions that a motion is the sum of."""
    return getattr(motion, "parts", (motion,))


def summed(solver: Any) -> dict[str, Any]:
    """Entries of a summary on the boundary: walls, far field, bodies as measured, notes."""
    grid = solver.grid
    bodies = [{body.name: body.numbers() for body in own.bodies} for own in solver.markers.measured]
    notes = list(dict.fromkeys(n for mesh in grid.meshes for n in mesh.origin.notes))
    alike = all(own == bodies[0] for own in bodies)
    kinds = {kind: names for kind, names in solver.markers.by_kind.items() if kind != Wall.kind}
    walls = solver.markers.by_role[BODY]
    found = {"walls": walls, **kinds, "bodies": bodies[0] if alike else bodies}
    numbers = numbers_of(solver.conditions)
    found |= {"conditions": numbers} if numbers else {}
    return found | ({"read": notes} if notes else {})
