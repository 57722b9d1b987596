"""Numbers of conditions at the nodes of their patches, on the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError
from kinemesh.space.conditions.base import Condition


class Values:
    """Numbers of conditions on the device, with the patches that they are of.

    Parameters
    ----------
    volumes : kinemesh.space.volumes.Volumes, whose patches they are
    conditions : by marker

    Raises
    ------
    SettingsError    conditions of one kind and of other numbers that meet, or that contradict the
        shape of their markers
    """

    def __init__(self, backend: Backend, volumes: Any, conditions: Mapping[str, Condition]) -> None:
        self.backend, self.volumes = backend, volumes
        self.patches, space = volumes.patches, volumes.vertices
        self.conditions = {m: own for m, own in conditions.items() if own.at_time(0.0).arrays()}
        self.varies = any(own.varies for own in self.conditions.values())
        check_meetings(self.conditions, space.distinct)
        for marker, own in self.conditions.items():
            for member, mesh in enumerate(space.meshes[: max(own.members, len(space.distinct))]):
                own.at_time(0.0, member).check_on(marker, mesh)
        self._nodes = {marker: self._places(marker) for marker in self.conditions}
        for kind, tables in self._tables(np.zeros(len(space.first) - 1)).items():
            for name, whole in tables.items():
                self.patches[kind].device[name] = backend.array(whole, np.float64)

    def at_time(self, times: NDArray[np.float64]) -> None:
        """Put the numbers at the time of each member (members,)."""
        if not self.varies:
            return
        for kind, tables in self._tables(times).items():
            for name, whole in tables.items():
                self.backend.put(self.patches[kind].device[name], whole)

    def _places(self, marker: str) -> list[NDArray[np.int64]]:
        """Rows of the patch that are of a marker, for each member."""
        space, patch = self.volumes.vertices, self.patches[self.conditions[marker].kind]
        each = [np.unique(mesh.boundaries.get(marker, ())).astype(int) for mesh in space.distinct]
        pairs = zip(space.first, space.alike.of, strict=False)
        return [self.volumes.rows(patch, first + each[of]) for first, of in pairs]

    def _tables(self, times: NDArray[np.float64]) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Values at the nodes of each patch, by kind and by name."""
        found: dict[str, dict[str, NDArray[np.float64]]] = {}
        for marker, own in self.conditions.items():
            tables = found.setdefault(own.kind, {})
            for member, rows in enumerate(self._nodes[marker]):
                for name, value in own.at_time(float(times[member]), member).arrays().items():
                    shape = (len(self.patches[own.kind]), *value.shape)
                    tables.setdefault(name, np.zeros(shape))[rows] = value
        return found


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
