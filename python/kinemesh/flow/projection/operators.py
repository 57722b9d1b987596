"""Operators of incompressible flow, as calls (docs/theory.md, section 7.1 to 7.4).

Each takes a view, the fields of a `Flow` with other arrays in the place of some, and gives the
calls that work on it: who is `active`, with which time levels (`bdf`), of which fluxes (`flow`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.flow.projection import systems
from kinemesh.flow.projection.flow import Flow
from kinemesh.flow.projection.laplacian import graph_of, minus
from kinemesh.flow.projection.laplacians import laplacians
from kinemesh.flow.projection.matrices import Graph, Momentum
from kinemesh.flow.projection.momentum import MomentumLoop
from kinemesh.flow.projection.near import near_walls
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.linear import Pattern
from kinemesh.linear.constraints import Constraints
from kinemesh.linear.guess import Guess
from kinemesh.linear.outer import ScalarSolver
from kinemesh.linear.stack import Alike, joined
from kinemesh.space.conditions.base import BODY, OUTER, PLANE


class Operators:
    """Operators on one grid per member, and the linear systems of all members.

    Parameters
    ----------
    flow : Flow, which learns the fields `given`, `loose` and `closed` of the nodes that are solved
        for
    settings : IncompressibleSettings

    Attributes
    ----------
    loop : MomentumLoop;  momentum : Momentum;  pressure : ScalarSolver
    guess : Guess    start of the pressure's solutions in steps; None where parts move
    solving : (members,) int32 device array; who has a pressure to solve for
    friction : (nodes,) float64 device array, diagonal of the Laplacian
    area : (members,) of the duals
    renew : recording    what follows from where the parts of a grid stand
    """

    def __init__(self, flow: Flow, settings: IncompressibleSettings) -> None:
        self.flow, self.settings = flow, settings
        self.grid, self.backend = grid, b = flow.grid, flow.backend
        flow.fields.add(**self.solved())
        self.area = np.bincount(grid.member, b.get(grid.V), grid.members)
        self.solving, self.unused = (b.array(np.ones(grid.members), np.int32) for _ in range(2))
        self.unused_base = b.zeros(grid.members, np.float64)
        self.member = b.table(grid.vertices.cell_items.members())
        self.shut = b.zeros(grid.nodes if PLANE in flow.velocity else 0, np.int32)
        self.portions = grid.corners | {"portion": b.zeros(grid.corners["cell"].shape[0])}
        self.corners(flow.fields).bind("inc_portions")()
        self.loop = MomentumLoop(grid)
        made = laplacians(grid)
        self.pressure = self._pressure(made)
        self.guess = self._guess()
        self.friction = b.array(self.pressure.diagonal, np.float64)
        entries = joined([made[of].data for of in grid.vertices.alike.of])
        self.viscous = {name: self.pressure.tables[name] for name in ("row", "column")}
        self.viscous["laplacian"] = b.table(entries, b.real)
        self.loop.viscous = 2 * flow.viscosity[grid.member] * self.pressure.diagonal
        self.momentum = Momentum(flow, self.loop.active, made, self.graphs(made))
        self.renew = b.record(self.renewal())

    def graphs(self, laplacians: Sequence[sp.csr_matrix]) -> list[Graph]:
        """Graphs of the nodes that share a cell, of each distinct mesh."""
        return [graph_of(own) for own in laplacians]

    def _pressure(self, laplacians: Sequence[sp.csr_matrix]) -> ScalarSolver:
        """Solver of the pressure's systems, whose matrix is that of the mesh as given."""
        grid, b = self.grid, self.backend
        natural = [Pattern.of_matrix(own) for own in laplacians]
        same = systems.same_systems(grid, self.flow.open)
        of, fixed = grid.vertices.alike.of[same.lead], systems.of_leads(grid, same, self.flow.open)
        return ScalarSolver(
            b, same, Pattern.of_members(same, [natural[k] for k in of]),
            [minus(laplacians[k]) for k in of], fixed, self.solving,
            tolerance=self.settings.pressure_tolerance, constraints=self.constraints(same),
            tables=self.tables(),
        )  # fmt: skip

    def _guess(self) -> Guess | None:
        """Start of the pressure's solutions in steps, from the last one.

        Of parts none: those of up to six last steps left 0.95 to 0.87 of the residual.
        """
        if self.pressure.constraints:
            return None
        return Guess(self.pressure, self.solving, self.settings.pressure_tolerance)

    # ---- what a grid is made of ----

    def cells(self, view: Fields) -> Fields:
        """Fields of a view for kernels that go over cells."""
        return view.also(member=self.member)

    def corners(self, view: Fields) -> Fields:
        """Fields of a view for kernels that go over the corners of cells by node."""
        return view.also(**self.portions)

    def patches(self, view: Fields, kernel: str, *roles: str, **given: Any) -> list[Any]:
        """Calls of a kernel over the patches of these roles."""
        return [
            view.also(**self.flow.sides[role]).bind(
                kernel, **{name: each[role] for name, each in given.items()}
            )
            for role in roles
            if role in self.flow.velocity
        ]

    def chunks(self, columns: int = 2) -> Any:
        """Array for the parts of sums over the nodes of members."""
        return self.backend.zeros((self.grid.chunks, columns), np.float64)

    def solve_for(self, members: Any) -> Any:
        """Call: these members (members,) have a pressure to solve for."""
        unused = {"iterations": self.unused, "base": self.unused_base}
        return self.grid.fields.bind("dualtime_start", alive=members, active=self.solving, **unused)

    # ---- boundaries ----

    def give(self, view: Fields) -> list[Any]:
        """Velocities where they are given; that of a wall counts where it meets another kind."""
        return self.patches(view, "inc_give", PLANE, OUTER, BODY, velocity=self.flow.velocity)

    @property
    def mirrors(self) -> list[dict[str, Any]]:
        """Tables of planes of symmetry in space, beyond which the flow is its own image.

        Slip walls of the plane may be curved.
        """
        return [self.flow.sides[PLANE]] if PLANE in self.flow.sides and self.grid.symmetric else []

    def slip(self, view: Fields, vector: Any) -> list[Any]:
        """Calls that take from a vector what is normal to slip walls."""
        return self.patches(view, "inc_slip", PLANE, vector={PLANE: vector})

    def reaction(self, view: Fields) -> list[Any]:
        """Calls for what a wall takes because it turns, of res (eq. 7.9)."""
        return self.patches(view, "inc_spin", BODY, spin={BODY: self.flow.spin})

    # ---- gradients ----

    def velocity_slopes(self, view: Fields, near: Any = None) -> list[Any]:
        """Calls for `slope` and `grad`, gradients of u in cells and at nodes."""
        return [
            self.cells(view).bind("inc_cell_velocity", only=near),
            self.corners(view).bind("inc_node_velocity", only=near),
            *(view.also(**side).bind("inc_mirror") for side in self.mirrors),
        ]

    def pressure_slopes(self, view: Fields, p: Any, near: Any = None) -> list[Any]:
        """Calls for `pull` and `push`, gradients of p in cells and at nodes."""
        pull, push = view["pull"], view["push"]
        return [
            self.cells(view).bind("inc_cell_pressure", p=p, slope=pull, only=near),
            self.corners(view).bind("inc_node_pressure", slope=pull, grad=push, only=near),
            *(view.also(**side).bind("inc_slip", vector=push) for side in self.mirrors),
        ]

    # ---- momentum, pressure, correction ----

    def residual(self, view: Fields, near: Any = None) -> list[Any]:
        """Calls from u, flow and push to res (eq. 7.4)."""
        velocity, passed = self.flow.velocity, []
        for role in velocity:  # a node that is open too takes the stream's momentum once
            own = view.also(open=self.shut) if role == PLANE else view
            passed += self.patches(own, "inc_pass", role, velocity=velocity)
        own = view.also(**self.viscous).bind("inc_residual", only=near)
        return [*self.velocity_slopes(view, near), own, *passed]

    def at_walls(self, view: Fields) -> list[Any]:
        """Calls from u, p and flow to what walls take, in res at their nodes alone (eq. 7.9)."""
        if not len(self.grid.wall):
            return []
        near = near_walls(self.grid)
        slopes = self.pressure_slopes(view, view["p"], near)
        return [*slopes, *self.residual(view, near), *self.reaction(view)]

    def divergence(self, view: Fields, *leaks: Any) -> list[Any]:
        """Calls from flow to net; leaks: of what flows out of duals through their edges alone."""
        through = self.patches(view, "inc_outflow", BODY, OUTER)
        return [view.bind("inc_divergence"), *leaks, *through]

    def potential(self, view: Fields, steps: bool = False) -> list[Any]:
        """Calls from flow to phi, its gradients, and what flows out of duals before (eq. 7.8).

        Parameters
        ----------
        steps : the solution begins from that of the step before
        """
        by: Any = self.guess if steps and self.guess else self.pressure
        total, closed = self.grid.totals, self.chunks()
        side, change, loose = self.pressure.b, self.pressure.x, view["loose"]
        return [
            *self.divergence(view),
            view.bind("inc_defect", **total, parts=closed),
            view.bind("inc_pressure_side", friction=self.friction, side=side, open=loose),
            by.solve_recorded(self.settings.pressure_iterations),
            view.bind("inc_mean_pressure", **total, parts=closed, change=change),
            *self.level(view),
            view.bind("inc_level_pressure", change=change),
            *self.pressure_slopes(view, view["phi"]),
        ]

    def correct(self, view: Fields, **given: Any) -> list[Any]:
        """Calls that take phi's gradient from u and flow, and add it to p, or to a `given` one."""
        return [
            view.bind("inc_correct", **given),
            *self.slip(view, view["u"]),
            *self.fill_velocity(view),
            self.cells(view).bind("inc_cell_velocity"),
            view.bind("inc_correct_flow", p=view["phi"]),
            *self.fill_pressure(view),
        ]

    # ---- nodes that are not solved for: on one grid there are none ----

    def solved(self) -> dict[str, Any]:
        """Fields that tell kernels which nodes are solved for: where velocities are given, where
        the pressure is, and which members are closed."""
        flow, b = self.flow, self.backend
        given = b.array(flow.given, np.int32)
        return {"given": given, "loose": flow["open"], "closed": flow.enclosed}

    def field(self) -> NDArray[np.float64]:
        """(nodes,) 1 where a node is solved for."""
        return np.ones(self.grid.nodes)

    def constraints(self, same: Alike) -> Constraints | None:
        """Constraints of the pressure's rows; same: which members share a system."""
        del same
        return None

    def tables(self) -> dict[str, Any]:
        """Tables of the pressure's rows that are on the device already, by their names."""
        return {"member": self.grid.fields["member"]}

    def renewal(self) -> list[Any]:
        """Calls of `renew`."""
        return []

    def take(self, view: Fields, vector: Any, slopes: Any = None) -> list[Any]:
        """Calls that bring a vector to nodes that are not solved for, by its gradients if given."""
        del view, vector, slopes
        return []

    def fill_velocity(self, view: Fields) -> list[Any]:
        """Calls that bring u to nodes that are not solved for, by its gradients."""
        del view
        return []

    def fill_pressure(self, view: Fields) -> list[Any]:
        """Calls that bring p to nodes that are not solved for, by its gradients in pull, push."""
        del view
        return []

    def phi_slopes(self, view: Fields) -> list[Any]:
        """Calls for phi's gradients in cells after `correct`, where those are of something else."""
        del view
        return []

    def level(self, view: Fields) -> list[Any]:
        """Calls for what is left over, and the mean of the pressure, in closed members of parts."""
        del view
        return []

    def leaks(self, view: Fields) -> list[Any]:
        """Calls that add up what flows out through the outer boundary and should not."""
        del view
        return []

    def lost(self) -> NDArray[np.float64]:
        """(members,) what the closed duals of each member left over in the last step."""
        return self.backend.get(self.flow["defect"]) * self.area
