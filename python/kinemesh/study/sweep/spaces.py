"""Cache of meshes and clouds of a sweep's cases."""

from __future__ import annotations

from typing import Any

from kinemesh.cases import build
from kinemesh.cases.casefile import Case
from kinemesh.flow import registry

KEPT = 64  # meshes (or clouds) that are kept once they are made


class Spaces:
    """Meshes and clouds of cases; equal ones are one object while they are kept."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def of(self, case: Case) -> Any:
        """The mesh, or cloud, of a case."""
        key = self.key(case)
        if key not in self._made:
            self.keep(case, build.space(case))
        return self._made[key]

    def keep(self, case: Case, made: Any) -> None:
        """Cache the mesh or cloud of a case; the oldest one goes if there are too many."""
        while len(self._made) >= KEPT:
            del self._made[next(iter(self._made))]
        self._made[self.key(case)] = made

    @staticmethod
    def key(case: Case) -> str:
        """Cache key of a case's mesh or cloud."""
        on, by = registry.named(case.method).on, build.of_flow(case) or ""
        return f"{on} {case.mesh!r} {by}"
