"""Friction of a viscous gas: drag by pressure and by friction, walls, fields (theory, 9.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.flow.door.resolution import MOST
from kinemesh.flow.terms.gradients import Gradients
from kinemesh.flow.terms.viscous import Viscous
from kinemesh.gas import pressure_coefficient
from kinemesh.mesh.facets import lengths
from kinemesh.mesh.generate.spacing import wall_spacing
from kinemesh.results.along_walls import KEPT_IN, Wall, nodes_of
from kinemesh.sentences import Sentence
from kinemesh.space.walls import WallNodes, facets_of

Floats = NDArray[np.float64]


class AtWalls(NamedTuple):
    """Flow at the nodes of all walls, each (wall nodes,), `friction` (wall nodes, d)."""

    size: Floats  # length of wall [chord], in space area
    cp: Floats
    cf: Floats
    y_plus: Floats
    heat_flux: Floats
    friction: Floats


def _curl_of_plane(slope: Floats) -> Floats:
    """(n,) curl of velocities by derivatives (n, 4, 2) of the primitive state."""
    return np.asarray(slope[:, 2, 0] - slope[:, 1, 1])


def _curl_of_space(slope: Floats) -> Floats:
    """(n, 3) curl of velocities by derivatives (n, 5, 3) of the primitive state."""
    u, v, w = (slope[:, k] for k in (1, 2, 3))
    return np.stack([w[:, 1] - v[:, 2], u[:, 2] - w[:, 0], v[:, 0] - u[:, 1]], axis=1)


CURL: dict[int, Callable[[Floats], Floats]] = {2: _curl_of_plane, 3: _curl_of_space}
"""Vorticity by dimensions."""
SIZE: dict[int, Callable[[Floats, Floats], Floats]] = {
    2: lambda stress, shear: np.abs(stress),
    3: lambda stress, shear: lengths(shear),
}
"""Sizes of the friction (n,) by its parts downstream (n,) and vectors (n, d), by dimensions."""


class Slip:
    """Friction of an inviscid gas, which slips along walls: none.

    Parameters
    ----------
    case : solver of a gas, with its terms

    Attributes
    ----------
    kernel : that sums the loads of a wall
    reacts : whether walls keep the reaction of the gas, which loads are sums of
    columns : of the history
    """

    kernel: ClassVar[str] = "wall_forces"
    reacts: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ()

    def __init__(self, case: Any) -> None:
        self.backend, self.grid, self.fields = case.backend, case.grid, case.fields

    def refresh(self) -> None:
        """Work out what walls and fields read, of the present flow."""

    def numbers(self, drag: Callable[[], tuple[Floats, Floats]]) -> dict[str, NDArray[Any]]:
        """(members,) of each of `columns`, from the `drag` by pressure and in all (members,)."""
        del drag
        return {}

    def y_plus(self) -> dict[str, Floats]:
        """(members,) numbers of the end of a run."""
        return {}

    def remarks(self) -> list[Sentence]:
        """Sentences on what spoils the friction."""
        return []

    def outputs(self) -> dict[str, NDArray[Any]]:
        """(nodes,) fields of a field file beside those of the model."""
        return {}

    def rows(self, members: Sequence[int]) -> Sequence[int]:
        """Members of which files have the flow on walls."""
        del members
        return ()

    def walls(self, member: int) -> dict[str, Wall]:
        """Flow on the wall of each body of a member, by marker; SettingsError without friction."""
        del member
        raise SettingsError(
            "walls: the gas is inviscid and has no friction; give reynolds, or take its cp at the "
            "walls from run.fields()['Cp']"
        )


class Friction(Slip):
    """Friction of a viscous gas on the walls of all bodies."""

    kernel = "wall_reaction"
    reacts = True
    columns = ("cd_pressure", "cd_friction")

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.mach, place = case.mach, case.model.names.index("u")
        streams = case.model.free_stream(np.ones(len(case.mach)), case.alpha_deg)
        self.ways = streams[:, place : place + self.grid.dimensions]
        self.reynolds, self.unit = case.streams["reynolds"], case.reference[1]
        self.length = case.viscosity.length * case.reference[1]
        self.turbulent = case.viscosity.turbulence is not None
        self.pressure = case.model.PRESSURE
        self.nodes, self.kept = self.standing(case.grid), KEPT_IN[case.grid.dimensions]
        self.places = tuple(f"y_plus_largest_{axis}" for axis in case.grid.dimension.axes)
        terms = [case.terms[name] for name in (Gradients.name, Viscous.name)]
        self._calls = self.backend.record([call for term in terms for call in term.residual()])

    @staticmethod
    def standing(grid: Any) -> Any:
        """Places of walls where their flow is told."""
        return WallNodes(grid)

    def refresh(self) -> None:
        self._calls()

    def numbers(self, drag: Callable[[], tuple[Floats, Floats]]) -> dict[str, NDArray[Any]]:
        pressure, total = drag()
        return {"cd_pressure": pressure, "cd_friction": total - pressure}

    # ---- walls ----

    def at_walls(self) -> AtWalls:
        """Flow at the nodes of all walls, of the last residual.

        The friction is the reaction less the pressure, along the wall; where a wall is sharp, as
        at trailing edges, along the mean of its sides.  In space `cf` is its part downstream.
        """
        get, grid, wall = self.backend.get, self.grid, self.grid.wall
        node, member = wall.node, grid.member[wall.node]
        q, x = get(self.fields["q"])[node].astype(float), get(self.fields["x"])
        reaction, heat = (get(wall.device[name]) for name in ("reaction", "heat"))
        own = self.nodes.stand(x, self.ways[member])
        p = self.pressures()
        pulled = reaction - (p * own.area)[:, None] * own.normal
        stress = (pulled * own.way).sum(axis=1) / own.size
        shear = own.along(pulled) / own.size[:, None]
        size = SIZE[grid.dimensions](stress, shear)
        viscosity = get(self.fields["mu"])[node, 0]
        with np.errstate(invalid="ignore"):  # a member may have failed by its density
            y_plus = own.height * np.sqrt(size * q[:, 0]) / np.maximum(viscosity, 1e-300)
        mach = self.mach[member]
        cp, dynamic = pressure_coefficient(p, mach), 0.5 * mach**2
        return AtWalls(
            own.size, cp, stress / dynamic, y_plus, heat / own.size, shear / dynamic[:, None]
        )

    def pressures(self) -> Floats:
        """(rows,) pressures that the loads of walls have, in the order of `grid.wall`."""
        q = self.backend.get(self.fields["q"])[self.grid.wall.node]
        return np.asarray(q.astype(float)[:, self.pressure])

    def positions(self) -> Floats:
        """(rows, d) places of these."""
        return np.asarray(self.backend.get(self.grid.x)[self.grid.wall.node])

    def rows(self, members: Sequence[int]) -> Sequence[int]:
        return members

    def walls(self, member: int) -> dict[str, Wall]:
        grid, x = self.grid, self.backend.get(self.grid.x)
        begin, found = int(grid.first[member]), {}
        own, place = self.at_walls(), np.zeros(grid.nodes, np.int64)
        place[grid.wall.node] = np.arange(len(grid.wall))
        original = grid.meshes[member].original
        for marker, facets in facets_of(grid, member).items():
            nodes = begin + nodes_of(facets, x[begin:], original)
            values = {name: getattr(own, name)[place[nodes]] for name in self.kept}
            found[marker] = Wall.at(x[nodes], values)
        return found

    def y_plus(self) -> dict[str, Floats]:
        """(members,) largest y+, where it is, and its mean over the length of all walls.

        The mean leaves out where layers lie across the wall (`WallNodes.layered`).  nan without
        walls.
        """
        own, node = self.at_walls(), self.grid.wall.node
        of, x = self.grid.member[node], self.positions()
        largest, *place = np.full((1 + self.grid.dimensions, self.grid.members), np.nan)
        order = np.lexsort((np.nan_to_num(own.y_plus, nan=-1.0), of))
        last = np.flatnonzero(np.diff(of[order], append=-1))
        for made, values in zip((largest, *place), (own.y_plus, *x.T), strict=True):
            made[of[order][last]] = values[order][last]
        size = own.size * self.nodes.layered(self.backend.get(self.fields["x"]))
        length = np.bincount(of, size, self.grid.members)
        total = np.bincount(of, own.y_plus * size, self.grid.members)
        mean = np.full(self.grid.members, np.nan)
        np.divide(total, length, out=mean, where=length > 0)
        at = dict(zip(self.places, place, strict=True))
        return {"y_plus_largest": largest, **at, "y_plus_mean": mean}

    def remarks(self) -> list[Sentence]:
        """A sentence for each member with wall cells too high for its model of turbulence."""
        if not self.turbulent:
            return []
        found = self.y_plus()
        failed = self.grid.ensemble.failures
        high = [m for m in np.flatnonzero(found["y_plus_mean"] > MOST).tolist() if m not in failed]
        return [self._too_high(m, {name: own[m] for name, own in found.items()}) for m in high]

    def _too_high(self, member: int, found: Mapping[str, float]) -> Sentence:
        """Sentence on wall cells of a member, from its numbers of `y_plus`."""
        mean = found["y_plus_mean"]
        at = ", ".join(f"{found[name]:.4g}" for name in self.places)
        return Sentence(
            f"y+ of the wall cells is {mean:.3g} in the mean and {found['y_plus_largest']:.3g} at "
            f"most, at ({at}), expected a mean of at most {MOST:g}: the friction is not to be "
            "trusted",
            member=member,
            about="y+",
            advice=f"wall_spacing = {self._spacing(member, mean):.2g} gives 1",
        )

    def _spacing(self, member: int, mean: float) -> float:
        """Height of wall cells for a mean y+ of 1: by this flow, or by a plate's if that is less.

        Where cells are too high the friction, and with it y+, comes out too low.
        """
        height = self.nodes.spacing(self.backend.get(self.fields["x"]))
        own = height[self.grid.wall.member == member]
        return min(
            float(np.median(own)) / mean,
            wall_spacing(float(self.reynolds[member]), 1.0, float(self.length)),
        )

    # ---- fields ----

    def outputs(self) -> dict[str, NDArray[Any]]:
        """Fields of a field file beside those of the model, (nodes,) or vectors (nodes, 3).

        Vorticity [a_inf/chord], in space a vector; Cf, YPlus, HeatFlux and in space the vector
        Friction, 0 off the walls.
        """
        self.refresh()
        get, grid, own = self.backend.get, self.grid, self.at_walls()
        slope = get(self.fields["slope"]).astype(float)
        slope = slope.reshape(grid.nodes, -1, grid.dimensions)
        found = {"Vorticity": CURL[grid.dimensions](slope) * self.unit}
        for name, kept in self.kept.items():
            if name != "cp":  # of all nodes
                found[kept] = self.on_volumes(getattr(own, name))
        return found

    def on_volumes(self, values: Floats) -> Floats:
        """(nodes, ...) values of walls, 0 off them."""
        found = np.zeros((self.grid.nodes, *values.shape[1:]))
        found[self.grid.wall.node] = values
        return found
