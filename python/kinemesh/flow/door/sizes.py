"""Checks of the size and the place of bodies, to which coefficients and motions refer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import XY, Dimension
from kinemesh.errors import MeshError, SettingsError
from kinemesh.flow.door.planforms import LONG, SEVERAL, chords_of, is_chord, told_of, unstated
from kinemesh.mesh.extents import CHORD, Walls, extents
from kinemesh.mesh.facets import lengths
from kinemesh.mesh.fingerprint import firsts
from kinemesh.mesh.names import words_of
from kinemesh.mesh.pieces import told
from kinemesh.overset.parts import Parts
from kinemesh.sentences import Sentence
from kinemesh.space.conditions.base import BODY
from kinemesh.space.conditions.table import numbers_of
from kinemesh.space.conditions.words import Overset, Symmetry, Wall

Floats = NDArray[np.float64]
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
        walls = found[member]
        said = {"loads": None if channel else _loads(space, walls)}
        said |= SIZES[space.points.shape[1]](member, space, walls, arguments)
        notes += [
            Sentence(text, member=member, about=about)
            for about, text in said.items()
            if text is not None
        ]
    return notes


def _of_plane(member: int, space: Any, walls: Walls, arguments: Any) -> dict[str, str | None]:
    """Warnings about bodies in the plane; MeshError where a chord must be stated."""
    return {"size of bodies": _chord(member, space, walls, arguments.chord)}


def _of_space(member: int, space: Any, walls: Walls, arguments: Any) -> dict[str, str | None]:
    """Warnings about bodies in space; MeshError, with the member, where axes are others."""
    try:
        return _on_flats(walls) | told_of(space, walls, arguments)
    except MeshError as error:
        raise MeshError(str(error), member=member) from None


SIZES = {2: _of_plane, 3: _of_space}


def length_of_k(chord: float | None, length: float | None, dimension: Dimension) -> float | None:
    """Length that k refers to, as stated: the chord, in space the reference length.

    Raises
    ------
    SettingsError    a chord in space, where wings have many
    """
    if dimension.one_chord:
        return chord
    if chord is not None:
        raise SettingsError(
            f"chord is {chord:g}, which is of the plane; in space give reference_area and "
            "reference_length, to which k refers too",
            argument="chord",
        )
    return length


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


def beyond(point: Sequence[float], low: Floats, high: Floats) -> float:
    """Distance of a point from a box; 0 within."""
    p = np.asarray(point, float)
    return float(lengths(np.maximum(np.maximum(low - p, p - high), 0)))


def check_point(
    what: str,
    point: Sequence[float],
    wall: Floats,
    chord: float,
    dimension: Dimension = XY,
    chords: Sequence[float] = (),
) -> str | None:
    """Warning about a pivot, or a moment's point, that is far from its body.

    Parameters
    ----------
    what : its name, such as "the pivot of airfoil"
    wall : (n, 2) points of the body
    chord : the distance from the body's box that it may have
    chords : of bodies in space as measured; where one is 1, the default point may be meant
    """
    low, high = wall.min(axis=0), wall.max(axis=0)
    far, box = beyond(point, low, high), told(low, high, dimension.motion)
    if far > chord:
        return (
            f"{what} is at ({point[0]:.6g}, {point[1]:.6g}), {far / chord:.3g} chords from the "
            f"body ({box}); give it in the lengths of the mesh, where it is not meant"
        )
    of_unit = any(abs(c - 1) <= CHORD for c in (chord, *chords))
    if not (dimension.one_chord or chords):  # of no closed body
        of_unit = 1 / LONG <= chord <= LONG
    if not of_unit and tuple(point) == QUARTER:
        return (
            f"{what} is at (0.25, 0), the default, in the lengths of the mesh, whose "
            f"{dimension.length} is {chord:.6g} ({box}); give the point that is meant"
        )
    return None


def wall_points(space: Any, names: Sequence[str], frame: Any) -> Floats:
    """(n, 2) points of walls in a body's frame, in its plane of motion: x and y, in space x, z."""
    nodes = np.unique(np.concatenate([space.boundaries[n].ravel() for n in names]))
    points: Floats = frame.own(space.points[nodes[nodes >= 0]])[:, [0, -1]]
    return points


def check_points(
    arguments: Any, motions: Sequence[Any], grid: Any, frames: Any, found: Sequence[Walls]
) -> list[str]:
    """Warnings about the moment's point and the pivots of the bodies' motions.

    A chord is that of the case, in space the reference length; points are told as they are given,
    in the frame of each body.

    Parameters
    ----------
    found : of each member its walls as given
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
            if point is not None and len(point) == 2:  # an axis in space may pass anywhere
                alike = [k for k in own if (pivots[k], frames[k]) == pair]
                names = ", ".join(grid.bodies[k][1] for k in alike)
                asked.append((f"the pivot of {names}", point, frame, alike))
        for what, point, frame, numbers in asked:
            if what not in notes:  # once for an ensemble
                own_walls = [grid.bodies[k][1] for k in numbers]
                wall = wall_points(grid.meshes[member], own_walls, frame)
                if not len(wall):  # of a part without walls
                    continue
                chord = arguments.reference[1] / frame.scale
                chords = () if grid.dimension.one_chord else chords_of(found[member])
                said = check_point(what, point, wall, chord, grid.dimension, chords)
                notes |= {} if said is None else {what: Sentence(said, member=member, about=what)}
    return list(notes.values())


def check_motions(
    stated: float | None,
    motions: Sequence[Any],
    grid: Any,
    found: Sequence[Walls],
) -> list[str]:
    """Warnings about reduced frequencies that refer to another length than the case.

    Parameters
    ----------
    stated : chord, in space reference length, of the case; None: 1 in space, and in the plane what
        each motion says
    found : of each member its walls as given

    Raises
    ------
    SettingsError    a motion refers to another length than the case; in space than the case and the
        body
    MeshError        in space: the case states none, and no chord of the body is 1
    """
    notes: dict[str, str] = {}
    one_chord = grid.dimension.one_chord
    if stated is None and one_chord:
        return []
    known = 1.0 if stated is None else stated
    for motion, (member, marker) in zip(motions, grid.bodies, strict=True):
        for part in parts_of(motion):
            chord = getattr(part, "chord", None)
            if chord is None:
                continue
            walls = found[member]
            if not one_chord and len(walls.bodies) == 1:
                said = unstated(grid.meshes[member], walls, stated)
                if said:
                    raise MeshError(said, member=member)
            if np.isclose(chord, known, rtol=1e-9, atol=0):
                continue
            if one_chord or not is_chord(walls, chord):
                said = _apart(part, marker, chord, known, grid.dimension)
                raise SettingsError(said, member=member)
            notes[marker] = Sentence(
                f"the reduced frequency of {part!r} refers to {chord:g}, and moments, power and "
                f"km.Units to the reference length, {known:g} ({walls.bodies[0].told()}); give the "
                f"motion chord={known:g}, with its k, where that is meant",
                member=member,
                about=f"reference length of {marker}",
            )
    return list(notes.values())


def _apart(part: Any, marker: str, chord: float, known: float, dimension: Dimension) -> str:
    """Sentence about a motion that refers to another length than its case."""
    name, other = dimension.length, "" if dimension.one_chord else ", or the case that length"
    return (
        f"the reduced frequency of {part!r} of {marker} refers to a chord of {chord:g}, and the "
        f"case to {known:g}, expected one {name}; give the motion chord={known:g}, with its k"
        f"{other}"
    )


def parts_of(motion: Any) -> Sequence[Any]:
    """The motions that a motion is the sum of."""
    return getattr(motion, "parts", (motion,))


def summed(solver: Any) -> dict[str, Any]:
    """Entries of a summary on the boundary: walls, far field, where, bodies as measured, notes."""
    grid = solver.grid
    bodies = [{body.name: body.numbers() for body in own.bodies} for own in solver.markers.measured]
    notes = list(dict.fromkeys(n for mesh in grid.meshes for n in mesh.origin.notes))
    alike = all(own == bodies[0] for own in bodies)
    kinds = {kind: names for kind, names in solver.markers.by_kind.items() if kind != Wall.kind}
    walls = solver.markers.by_role[BODY]
    found = {"walls": walls, **kinds, "bodies": bodies[0] if alike else bodies}
    outer = {kind: names for kind, names in solver.markers.by_kind.items() if kind != Overset.kind}
    reaches = [extents(mesh, outer) for mesh in grid.meshes]
    found["extents"] = reaches[0] if all(own == reaches[0] for own in reaches) else reaches
    numbers = numbers_of(solver.conditions)
    found |= {"conditions": numbers} if numbers else {}
    return found | ({"read": notes} if notes else {})
