"""Solver as the drivers of runs see it: the verbs of a step and of a march, and questions beside.

Every solver answers these, whatever its equations; `kinemesh.run` calls no other method of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh import packages
from kinemesh.bodies.placement import Placement
from kinemesh.errors import SettingsError
from kinemesh.flow import registry
from kinemesh.flow.suspects import where_largest
from kinemesh.motion import Pose
from kinemesh.results.along_walls import Wall
from kinemesh.space.conditions.base import Condition
from kinemesh.space.conditions.table import refuse_time, sources_of
from kinemesh.space.volumes import Volumes


class Driven(ABC):
    """Methods that drivers of runs call, with what most solvers answer.

    Attributes
    ----------
    method : name in the registry, and in case files
    case : of the case file that it is of, for the summary
    more : inputs beside those that all solvers have, for summaries and restarts
    starts : flows that an unsteady run may begin with, the first where none is named
    columns, steady_columns : of the history of an unsteady run, and of a steady one, beside those
        that all runs have
    frame_time : between two frames of a run without a period, in which a body of the reference
        speed goes as many reference lengths; 0: every step is one; the last step always is
    dualtime : members that go on inside a step: active, iterations, base, norm, floor (members,);
        of a march to a steady flow also cfl, and first, the norm that its drop refers to
    """

    method: str
    case: Mapping[str, Any] | None = None
    more: Mapping[str, Any] = {}
    starts: ClassVar[tuple[str, ...]] = ("steady", "as is")
    columns: tuple[str, ...] = ()
    steady_columns: tuple[str, ...] = ()
    frame_time: ClassVar[float] = 0.0
    dualtime: Any
    structures: Any
    grid: Volumes
    conditions: Mapping[str, Condition]

    @property
    def packages(self) -> dict[str, dict[str, Any]]:
        """Installed packages that solver and conditions come from, as of `packages.told`."""
        own = registry.source_of(self.method)
        return packages.told([*sources_of(self.conditions), *([] if own is None else [own])])

    def check_run(self) -> None:
        """SettingsError where the solver has no unsteady run."""

    def check_start(self, start: str) -> None:
        """SettingsError where there is nothing to compute from a first flow, one of `starts`."""

    def check_steady(self) -> None:
        """SettingsError where the solver has no steady run of what it was given."""
        if self.structures is not None:
            raise SettingsError(
                "the body stands on a structure, and a steady run holds it; use run, which begins "
                "with the steady flow, or leave structure out"
            )
        refuse_time(self.conditions)

    def remarks(self) -> list[str]:
        """Warnings at the end of a run, beside those on convergence."""
        return []

    def suspects(self, member: int) -> str:
        """Sentence on the nodes of a member that may keep its residual from falling."""
        return where_largest(self, member)

    def suspects_beside(self, member: int) -> str:
        """Sentence on the node where an equation beside those of the residual is furthest off."""
        del member
        return ""

    def phase(self, member: int, steady: bool) -> str:
        """End of a sentence: the phase in which a member's last march ended; or nothing.

        Parameters
        ----------
        steady : the march to a steady flow, or that of a physical step
        """
        del member, steady
        return ""

    def likely(self, member: int) -> str:
        """Cure to try first where the flow of a member goes wrong, and why; or nothing."""
        del member
        return ""

    def turning_bodies(self, member: int) -> dict[str, tuple[str, str]]:
        """Bodies of a member whose grids turn in a flow that feels it; none as a rule.

        By name the column of the body's angle in the history, and what it may do instead, in words.
        """
        del member
        return {}

    def below_second_order(self) -> NDArray[np.int64]:
        """(members,) fluxes of states for which a gradient asked a negative density or pressure.

        0 of members that have failed.
        """
        return np.zeros(self.grid.members, int)

    def missed(self) -> NDArray[np.bool_]:
        """(members,) whether the step ended short of a tolerance beside the residual's."""
        return np.zeros(self.grid.members, bool)

    def behind(self) -> NDArray[np.bool_]:
        """(members,) whether an equation beside those of the residual has not converged."""
        return np.zeros(self.grid.members, bool)

    def above(self) -> NDArray[np.bool_]:
        """(members,) whether such an equation's residual is above what settings ask for now."""
        return np.zeros(self.grid.members, bool)

    def step_numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) of each of `columns`, of the step that has marched."""
        return {}

    def steady_numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) of each of `steady_columns`, as an iteration left them."""
        return {}

    def end_numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) numbers for the result in the summary, of the flow that a run ended with."""
        return {}

    def wall_rows(self, members: Sequence[int]) -> Iterator[dict[str, Wall]]:
        """Flow on the walls of each of these members, by marker; nothing as a rule."""
        del members
        return iter(())

    def wall_pressures(
        self, rows: Mapping[int, NDArray[np.int64]]
    ) -> dict[int, NDArray[np.float64]]:
        """Pressure coefficients on walls of members in space; none where a solver has none.

        Parameters
        ----------
        rows : of each member volumes, or where these are cells rows of the walls' patch
        """
        del rows
        return {}

    @abstractmethod
    def frames(self, members: Sequence[int]) -> Iterator[dict[str, NDArray[Any]]]:
        """Fields of a field file by name, of each of these members, as the flow is now."""

    @abstractmethod
    def running(self, failed: Sequence[Mapping[str, Any]] = ()) -> AbstractContextManager[None]:
        """A run of all members but those that have `failed` in the part that it goes on with."""

    @abstractmethod
    def begin_step(self, dt: NDArray[np.float64], order: int) -> None:
        """Begin a physical step: what the last one left becomes the past.

        Parameters
        ----------
        dt : (members,)    time steps
        order : int        1 or 2: BDF1 or BDF2
        """

    def at_time(self, times: NDArray[np.float64]) -> None:
        """Take up numbers at the boundary that depend on the time.

        Parameters
        ----------
        times : (members,)    at the end of the step that has begun
        """

    @abstractmethod
    def place(self, placement: Placement) -> dict[str, float]:
        """Bodies and mesh to where they are at the end of the step; how the deformation went."""

    def predict(self) -> None:
        """Go to the state that the march of a step begins from, where it is not the present one."""

    @abstractmethod
    def marching(self, stall: float) -> Any:
        """Callable: pseudo-steps, or iterations, of a physical step; see `kinemesh.run.march`.

        Parameters
        ----------
        stall : of a residual, share of the one before at which a pseudo-step is too bold
        """

    @abstractmethod
    def steady_iteration(self) -> Any:
        """Callable: one iteration of the march to a steady flow; `dualtime` tells who goes on."""

    @abstractmethod
    def start_steady(self, poses: Sequence[Pose] = ()) -> None:
        """Bodies at rest at `poses` (as given); iterations from the present flow begin."""

    def resume_steady(self, poses: Sequence[Pose]) -> None:
        """Start a steady march from a restart, whose arrays and vertices are in their place."""
        self.start_steady(poses)

    @abstractmethod
    def settle(self) -> None:
        """Every time level is the flow that a steady march has left."""

    @abstractmethod
    def kept(self, levels: bool) -> dict[str, Any]:
        """Device arrays that the rest follows from, with time levels where `levels`."""

    def kept_on_host(self) -> dict[str, NDArray[Any]]:
        """Arrays of the host that a restart with time levels keeps."""
        return {}

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take up `kept_on_host`, where the device's arrays are back."""

    @abstractmethod
    def check_faults(self, where: str, iterations: Any = None) -> None:
        """Make members fail of which a kernel has left a fault (`Members.fail`)."""

    def flown(self, placement: Placement, when: str) -> dict[str, NDArray[np.float64]]:
        """Numbers (members,) by which a pre-flight judges a step in place of the shapes of cells.

        The larger, the worse; none as a rule.  Members that cannot go on fail.

        Parameters
        ----------
        placement : of the bodies, to which the mover has brought the vertices
        when : the step in words
        """
        del placement, when
        return {}

    def strides(self, asked: Callable[[int, float], str]) -> list[str]:
        """After a pre-flight a sentence for each member in which parts moved too far in a step.

        Parameters
        ----------
        asked : (member, share) -> how to have steps that are this share of the present ones
        """
        del asked
        return []
