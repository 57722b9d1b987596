"""Answers of the solvers of a gas to runs: loads, numbers of histories, walls, frames, restarts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.flow.door.rest import fastest, refuse_rest
from kinemesh.flow.door.viscosity import INVISCID, Inviscid
from kinemesh.flow.forces import Forces
from kinemesh.flow.gas.face_pressures import face_pressures
from kinemesh.flow.gas.friction import Slip
from kinemesh.flow.gas.newton import Newton
from kinemesh.flow.gas.state import State
from kinemesh.flow.moving import Moving
from kinemesh.flow.suspects import where_beside
from kinemesh.flow.terms.base import Term
from kinemesh.flow.terms.boundary import Boundary
from kinemesh.gas import pressure_coefficient
from kinemesh.results.along_walls import Wall
from kinemesh.sentences import Option


class Answers(State, Moving):
    """Case of a gas as runs see it.

    Attributes
    ----------
    those of `State` and of `Moving`
    viscosity : laws of the gas
    friction : of the gas on walls
    terms : of the residual by name, as made
    """

    viscosity: Inviscid = INVISCID
    friction: Slip
    terms: dict[str, Term]
    newton: Newton | None

    @property
    def at_rest(self) -> bool:
        """True where the gas of a member is at rest, far from its bodies."""
        return "stream" in self.streams

    @property
    def starts(self) -> tuple[str, ...]:  # type: ignore[override]
        """Flows that an unsteady run may begin with; a gas at rest has no steady one."""
        return ("stream", "as is") if self.at_rest else ("steady", "stream", "as is")

    def check_start(self, start: str) -> None:
        if self.at_rest:
            self._refuse_rest(self._speeds if start == "as is" else None)

    def check_steady(self) -> None:
        super().check_steady()
        if self.at_rest:
            self._refuse_rest()

    def _refuse_rest(self, speeds: Any = None) -> None:
        refuse_rest(self, "sliding" in self.more, speeds)

    def _speeds(self) -> NDArray[np.float64]:
        """(members,) largest component of the present velocities."""
        first = self.model.names.index("u")
        velocity = self.primitive()[:, first : first + self.grid.dimensions]
        return fastest(self.grid.member, velocity, self.grid.members)

    @property
    def newton_of_steps(self) -> Newton | None:
        """Newton's method where physical steps take it (theory, section 2.9)."""
        return self.newton if getattr(self.settings, "unsteady_newton", False) else None

    def friction_of(self) -> type[Slip]:
        """The friction that the gas has on walls."""
        return Slip

    @cached_property  # kept in the instance: as writeable as what it overrides
    def forces(self) -> Forces:  # type: ignore[override]
        """Loads on the bodies; bound when first asked for, behind the gradients that they read."""
        kernel = self.friction_of().kernel
        return Forces(
            self.grid, self.fields, self.mach, self.alpha_deg, *self.reference, kernel=kernel
        )

    @cached_property
    def pressures(self) -> Forces:
        """Loads by pressures alone."""
        return Forces(self.grid, self.fields, self.mach, self.alpha_deg, *self.reference)

    def marks(self) -> dict[str, NDArray[Any]]:
        """(nodes,) numbers that field files have beside the flow, by name."""
        return {}

    def check_run(self) -> None:
        if self.settings.far_field == "vortex":
            raise SettingsError(
                "far_field is 'vortex' in an unsteady run, whose shed vorticity it leaves out; ",
                "use ",
                Option("far_field", "stream"),
                " and a far field of 100 chords",
                argument="far_field",
            )

    @property
    def busy(self) -> Any:
        """(members,) flag of terms, of what they have beside u; None where they have nothing."""
        flags = {id(term.busy): term.busy for term in self.terms.values() if term.busy is not None}
        assert len(flags) <= 1, "terms with something beside u share one flag"
        return next(iter(flags.values()), None)

    def behind(self) -> NDArray[np.bool_]:
        busy = self.busy
        none = np.zeros(self.grid.members, bool)
        return none if busy is None else np.asarray(self.backend.get(busy) != 0)

    def above(self) -> NDArray[np.bool_]:
        found = np.zeros(self.grid.members, bool)
        for term in self.terms.values():
            found |= term.above()
        return found

    def missed(self) -> NDArray[np.bool_]:
        return self.behind()

    def remarks(self) -> list[str]:
        of_terms = (own for term in self.terms.values() for own in term.remarks())
        return [*self.low_mach.notes(), *self.friction.remarks(), *of_terms]

    def phase(self, member: int, steady: bool) -> str:
        newton = self.newton if steady else self.newton_of_steps
        return "" if newton is None else f"; {newton.phase(member)}"

    def suspects_beside(self, member: int) -> str:
        beside = [own for term in self.terms.values() for own in term.beside_res()]
        return where_beside(self, member, *beside[0]) if beside else ""

    def step_numbers(self) -> dict[str, NDArray[Any]]:
        steps = self.newton_of_steps
        more = {} if steps is None else steps.step_numbers()
        return {**self._numbers(), **self.grid.step_numbers(), **more}

    def steady_numbers(self) -> dict[str, NDArray[Any]]:
        return {**self._numbers(), **({} if self.newton is None else self.newton.numbers())}

    def _numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) loads that runs of either kind have beside lift, drag and moment."""
        found = self.forces.side()
        found |= self.friction.numbers(self._drag)
        for term in self.terms.values():
            found |= term.numbers()
        return found

    def _drag(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(members,) drag by pressures, and in all."""
        about = np.zeros((self.grid.members, 2))  # of which drag does not depend
        return self.pressures.members(about)[:, 1], self.forces.members(about)[:, 1]

    def end_numbers(self) -> dict[str, NDArray[Any]]:
        failed = np.isin(np.arange(self.grid.members), list(self.grid.ensemble.failures))
        self._for_loads()
        found = self.friction.y_plus() | self.terms[Boundary.name].numbers()
        return {name: np.where(failed, np.nan, values) for name, values in found.items()}

    def walls(self, member: int = 0) -> dict[str, Wall]:
        """Flow on the wall of each body of a member, by marker: cp, cf, y+, heat.

        Raises
        ------
        SettingsError    an inviscid gas, no such member, or no flow that was computed or given
        """
        if self.friction.reacts and member not in range(self.grid.members):
            raise SettingsError(
                f"walls: no member {member!r}; there are {self.grid.members}, from 0"
            )
        if self.friction.reacts and not self.flowing:
            raise SettingsError(
                "walls: no flow was computed, and along walls a uniform stream has no friction of "
                "its own; call case.steady() or case.run(...) first"
            )
        self._for_loads()
        self.friction.refresh()
        return self.friction.walls(member)

    def wall_rows(self, members: Sequence[int]) -> Iterator[dict[str, Wall]]:
        return map(self.walls, self.friction.rows(members))

    def wall_pressures(
        self, rows: Mapping[int, NDArray[np.int64]]
    ) -> dict[int, NDArray[np.float64]]:
        self._for_loads()
        on_cells = self.grid.on == "cells"
        place = self.model.PRESSURE
        p = (
            face_pressures(self.grid, self.fields, place)
            if on_cells
            else self.backend.get(self.q)[:, place]
        )
        return {
            m: pressure_coefficient(p[own].astype(float), float(self.mach[m]))
            for m, own in rows.items()
        }

    def frames(self, members: Sequence[int]) -> Iterator[dict[str, NDArray[Any]]]:
        self._for_loads()
        q, first = self.primitive().astype(float), self.grid.first
        marks = self.marks() | self.friction.outputs()  # which refreshes what terms give
        for term in self.terms.values():
            marks |= term.outputs()
        for m, own in zip(members, self.by_member(marks, members), strict=True):
            yield self.model.outputs(q[first[m] : first[m + 1]], float(self.mach[m])) | own

    def kept(self, levels: bool) -> dict[str, Any]:
        grid, dual = self.grid, self.dualtime
        names = (
            "active", "iterations", "cfl", "first", "base", "norm", "mean", "ceiling", "floor",
        )  # fmt: skip
        found = {"u": self.u, "x": grid.x, "pace": self.pace}
        found |= {f"dualtime_{name}": getattr(dual, name) for name in names}
        if dual.noise is not None:
            single = ("noise", "hold", "recent")
            found |= {f"dualtime_{name}": getattr(dual, name) for name in single}
        for term in self.terms.values():
            found |= term.kept
        if self.newton is not None and not levels:
            found |= self.newton.kept
        if not levels:
            return found
        past = {"u1": self.u1, "u2": self.u2, "low_mach": self.low_mach.pairs}
        return found | past | grid.levels()

    def kept_on_host(self) -> dict[str, NDArray[Any]]:
        return {"low_mach_reference": self.low_mach.reference}

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        if "low_mach_reference" in arrays:
            self.low_mach.reference = arrays["low_mach_reference"]
        self.dualtime.forget()
        self.fresh, self.flowing = False, True
        # primitive states of all that run, too
        self.backend.put(self.dualtime.active, self.grid.ensemble.alive)
        self._primitive()
        self.friction.refresh()  # y+ and fields of those that have ended read viscosities
        self.backend.put(self.dualtime.active, arrays["dualtime_active"])

    def _for_loads(self) -> None:
        self._primitive()
