"""The first flow of a case, solved where it is first needed: a run from the stream has its own."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from numpy.typing import NDArray

from kinemesh.flow.projection.projection import Projection
from kinemesh.space.grid import Grid


class First:
    """A case whose first flow is that of the stream.

    Attributes
    ----------
    inflow : (members, 2) velocities of the streams
    """

    grid: Grid
    inflow: NDArray[Any]
    fresh: bool
    _made: Projection
    _awaits = False  # the first flow

    @property
    def projection(self) -> Projection:
        """Velocities, pressures, fluxes, on the device; of a new case those of its first flow."""
        self._await()
        return self._made

    @abstractmethod
    def check_faults(self, where: str, iterations: Any = None) -> None: ...

    def _await(self) -> None:
        """Solve the first flow of a case that has none yet, its bodies at rest."""
        if self._awaits:
            self._begin_stream()
            self.check_faults("initial flow")

    def _begin_stream(self) -> None:
        """Every time level set to the stream, made free of divergence."""
        self._awaits, self.fresh = False, True
        self._made.start(self.inflow[self.grid.member])
