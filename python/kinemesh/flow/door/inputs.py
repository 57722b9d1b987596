"""Inputs of each member of a case: stream, motion, mesh, as plain numbers by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.io import condition_words
from kinemesh.motion import Free, Function, Motion, Together


def asked(
    meshes: Sequence[Any],
    bodies: Sequence[tuple[int, str]],
    motions: Sequence[Motion | None],
    streams: Mapping[str, NDArray[np.float64]],
) -> list[dict[str, Any]]:
    """For each member the numbers of stream and motion, and number and nodes of its mesh.

    A pitch gives motion, amplitude_deg, k, about_x, about_y, phase_deg, chord; a plunge amplitude,
    direction_x and direction_y in place of angle and pivot.  Names of motions that several bodies
    do not share begin with the body's marker.
    """
    first = {id(mesh): at for at, mesh in reversed(list(enumerate(meshes)))}
    numbers = {at: n for n, at in enumerate(sorted(set(first.values())))}
    of_members: list[dict[str, Motion | None]] = [{} for _ in meshes]
    for motion, (member, marker) in zip(motions, bodies, strict=True):
        of_members[member][marker] = motion
    found = []
    for m, (mesh, own) in enumerate(zip(meshes, of_members, strict=True)):
        stream = {name: float(values[m]) for name, values in streams.items()}
        at = {"mesh": numbers[first[id(mesh)]], "nodes": len(mesh.points)}
        found.append(stream | _of_bodies(own) | at)
    return found


def _of_bodies(motions: Mapping[str, Motion | None]) -> dict[str, Any]:
    """Numbers of the motions of a member's bodies, by marker where they are not shared."""
    moving = {marker: motion for marker, motion in motions.items() if motion is not None}
    if len(moving) == len(motions) and len({id(motion) for motion in moving.values()}) == 1:
        return _of_motion(next(iter(moving.values())))
    found: dict[str, Any] = {}
    for marker, motion in moving.items():
        found |= {f"{marker}_{name}": value for name, value in _of_motion(motion).items()}
    return found


def _of_motion(motion: Motion) -> dict[str, Any]:
    """Numbers of a motion; of a sum those that all parts share, and the others by part."""
    if isinstance(motion, Free) and motion.law is not None:
        return _of_motion(replace(motion, law=None) + motion.law)
    parts = motion.parts if isinstance(motion, Together) else (motion,)
    kinds = [type(part).__name__.lower() for part in parts]
    labels = [f"{kind}{i}" if kinds.count(kind) > 1 else kind for i, kind in enumerate(kinds)]
    tables = [_numbers(part) for part in parts]
    found: dict[str, Any] = {"motion": "+".join(kinds)}
    for name in dict.fromkeys(name for table in tables for name in table):
        each = {table[name] for table in tables if name in table}
        if len(each) == 1:
            found[name] = each.pop()
            continue
        for label, table in zip(labels, tables, strict=True):
            if name in table:
                found[f"{label}_{name}"] = table[name]
    return found


def motion_in_words(motion: Motion) -> str:
    """A motion as a table of a run has it: `pitch, amplitude 2.5 deg, k 0.08`."""
    return condition_words.of_member(_of_motion(motion))


def _numbers(motion: Motion) -> dict[str, Any]:
    """Numbers of one motion by the names of its fields; a pair is name_x and name_y, and of
    amplitudes of modes name_1, name_2, ...; shapes of a file or by formula have their titles."""
    if isinstance(motion, Function):
        return {} if motion.frequency is None else {"omega": motion.frequency}
    found: dict[str, Any] = {}
    own: Any = fields(motion) if is_dataclass(motion) else ()
    for field in own:
        if field.name.startswith("_"):
            continue
        value = getattr(motion, field.name)
        if isinstance(value, Sequence) and not isinstance(value, str):
            by_shape = field.name in getattr(motion, "by_shape", ())
            ends = map(str, range(1, len(value) + 1)) if by_shape else "xyz"
            pairs = zip(ends, map(_told, value), strict=False)
            found |= {f"{field.name}_{end}": v for end, v in pairs if not callable(v)}
        elif isinstance(value, bool | int | float | str):
            found[field.name] = value
    return found


def _told(value: Any) -> Any:
    """An entry of a pair or of a list; of a shape its title, where it has one."""
    return getattr(value, "title", value) if callable(value) else value
