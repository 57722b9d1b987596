"""Numbers of conditions at the nodes of their patches, on the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError
from kinemesh.space.conditions.base import Condition
from kinemesh.space.patches import Patch


def give(
    backend: Backend, patches: Mapping[str, Patch], space: Any, conditions: Mapping[str, Condition]
) -> None:
    """Put the numbers of conditions on the device, with the patches that they are of.

    Parameters
    ----------
    space : of the patches' nodes: `distinct` meshes, whom they are `alike`, `first` of each member
    """
    own_arrays = {m: arrays for m, own in conditions.items() if (arrays := own.arrays())}
    if not own_arrays:
        return
    check_meetings({marker: conditions[marker] for marker in own_arrays}, space.distinct)
    values: dict[str, dict[str, NDArray[np.float64]]] = {}
    for marker, arrays in own_arrays.items():
        kind = conditions[marker].kind
        for mesh in space.distinct:
            conditions[marker].check_on(marker, mesh)
        patch, each = patches[kind], [np.unique(m.boundaries.get(marker, ())) for m in
                                      space.distinct]  # fmt: skip
        nodes = [first + each[of] for first, of in zip(space.first, space.alike.of, strict=False)]
        there = patch.places(np.concatenate(nodes).astype(int))
        for name, value in arrays.items():
            tables = values.setdefault(kind, {})
            tables.setdefault(name, np.zeros((len(patch), *value.shape)))[there] = value
    for kind, tables in values.items():
        for name, whole in tables.items():
            patches[kind].device[name] = backend.array(whole, np.float64)


def check_meetings(conditions: Mapping[str, Condition], meshes: Any) -> None:
    """SettingsError where two conditions of one kind and of other numbers share a node."""
    for mesh in meshes:
        owners: dict[tuple[str, int], str] = {}
        for marker, own in conditions.items():
            for node in np.unique(mesh.boundaries.get(marker, ())):
                other = owners.setdefault((own.kind, int(node)), marker)
                if other != marker and conditions[other] != own:
                    x, y = mesh.points[int(node)]
                    raise SettingsError(
                        f"boundaries: {own.kind}s {other!r} and {marker!r} have other numbers and "
                        f"meet at ({x:.4g}, {y:.4g}), where neither counts; leave a wall between, "
                        "or name them as one with a function"
                    )
