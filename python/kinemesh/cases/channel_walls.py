"""[mesh] channel of a case file: the walls of a channel, its mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from kinemesh.cases.values import known, number, wrong
from kinemesh.errors import CaseError
from kinemesh.sentences import Place

OF_CHANNEL = ("nodes", "along", "across", "wall_spacing", "cells")


@dataclass(frozen=True, slots=True)
class Channel:
    """Keys of [mesh] channel, arguments of `mesh.channel`."""

    upper: Any = None  # height of the wall, or points [[x, y], ...] from the inlet to the outlet
    lower: Any = 0.0  # as upper; of both by points the ends in x are the same
    length: float | None = None  # from x = 0, where neither wall is given by points


def channel_of(where: Any, value: Any) -> Mapping[str, Any]:
    """Checked table of the keys of `Channel`."""
    if not isinstance(value, Mapping):
        raise wrong(where, value, "a table such as { upper = 1.0, length = 4.0 }")
    at = ("mesh", "channel")
    known(Place(at), value, [key.name for key in fields(Channel)])
    if "upper" not in value:
        raise CaseError(Place(at), " lacks upper")
    return {name: number(Place(at, name), own) if name == "length" else _wall(Place(at, name), own)
            for name, own in value.items()}  # fmt: skip


def _wall(where: Place, value: Any) -> Any:
    """A height, or a list in which what makes the mesh looks for points."""
    if isinstance(value, list | tuple):
        return value
    try:
        return number(where, value)
    except CaseError:
        raise wrong(where, value, "a finite number, or points [[x, y], ...]") from None


def channel_mesh(part: Any, told: dict[str, Any]) -> Any:
    """Mesh of a channel."""
    from kinemesh import mesh

    return mesh.channel(**part.channel, **told)
