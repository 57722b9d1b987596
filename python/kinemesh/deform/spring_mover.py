"""Nodes between bodies settle where the corners of their triangles or tetrahedra resist least.

Ma et al. (OpenACC deforming mesh), section 4; Farhat et al. (1998); docs/theory.md, section 3.
Always in float64: the diagonal spans ten decades on the mesh of an aerofoil.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Poses
from kinemesh.deform.mover import Kept, Mover
from kinemesh.deform.rings import Rings
from kinemesh.deform.spokes import Spokes
from kinemesh.device.faults import AREA
from kinemesh.errors import DeviceError
from kinemesh.linear import Bicgstab, Cg, Pattern
from kinemesh.linear.hierarchy import Level
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.natural import Ilu0
from kinemesh.space.vertices import MeshVertices

BLOCK = 40  # most iterations between two looks at the device
STALE = 2.0  # a hierarchy is made anew when solves take this many times its first one's iterations
# First guess of a displacement from the last ones, by how many are known: polynomials through them.
FACTORS = np.array([(0, 0, 0, 0), (1, 0, 0, 0), (2, -1, 0, 0), (3, -3, 1, 0), (4, -6, 4, -1.0)])
Key = tuple[int, bytes]
"""Number of a distinct mesh, and a hash of the places of its nodes."""
NETS: dict[int, Any] = {2: Spokes, 3: Rings}
"""Springs of a mesh, by its dimensions."""
STEPS = "shorter time steps (more steps per cycle)"
REMEDIES = {
    2: f"{STEPS}, Delaunay mapping or rigid motion",
    3: f"{STEPS}, tetrahedra of larger angles there, a carrier, or rigid motion",
}
"""Advice where springs invert a cell, by dimensions."""
OTHERS = {
    name: f"TorsionalSprings(solver={other!r})"
    for name, other in (("multigrid", "bicgstab"), ("bicgstab", "multigrid"), ("ilu0", "multigrid"))
}
"""Advice where a solver of springs fails: another one."""


class Settings(Protocol):
    """Settings of springs, as of `kinemesh.deform.springs.TorsionalSprings`."""

    @property
    def solver(self) -> str: ...
    @property
    def tolerance(self) -> float: ...
    @property
    def iterations(self) -> int: ...
    @property
    def substeps(self) -> int: ...
    @property
    def halvings(self) -> int: ...


class SpringMover(Mover):
    """Assembles on the present mesh, moves the boundary, solves for the increments."""

    vertices: MeshVertices

    def __init__(self, vertices: MeshVertices, settings: Settings) -> None:
        super().__init__(vertices)
        self.settings = settings
        b, members, natural = self.backend, vertices.members, settings.solver != "bicgstab"
        self.net, self.remedy = NETS[vertices.dimensions], REMEDIES[vertices.dimensions]
        self.alone = vertices.each(("springs", natural), lambda mesh: self.net.of(b, mesh, natural))
        self.pattern = vertices.once(("spring pattern", natural), self._pattern)
        self.active = b.array(np.ones(members), np.int32)
        self.fixed, self.slides = vertices.held, vertices.sliding
        self.tables = vertices.once(("spring tables", natural), self._tables)
        self.solver = self._solver()
        d = vertices.dimensions
        shape = (len(self.pattern.node), d * d)
        self.D = self.solver.D if isinstance(self.solver, Cg) else b.zeros(shape, np.float64)
        # cuSPARSE is left alone until it is done
        most = settings.iterations if settings.solver == "ilu0" else BLOCK
        self.block = min(most, settings.iterations)
        self.target = b.array(vertices.points, np.float64)
        self.history = b.zeros((members, 4), np.float64)
        self.guess, self.given, self.product, *self.last = (
            b.zeros((len(self.pattern.node), d), np.float64) for _ in range(7)
        )
        self.past = np.zeros(members, int)  # displacements known so far
        # Hierarchies: where each was made, iterations of its first solve (0: none yet, -1: stale)
        self.built = vertices.points.copy()
        self.fresh = np.full(members, -1)
        self.made = np.zeros(members, bool)  # of whom this mover has made one
        self.memory = self.past.copy(), self.fresh.copy()  # as the physical step began
        self.replaced: NDArray | None = None  # `built` before hierarchies were made in this step
        self._bind()

    def _solver(self) -> Krylov:
        b, tolerance, d = self.backend, self.settings.tolerance, self.vertices.dimensions
        if self.settings.solver == "multigrid":
            return Cg(b, self.pattern, d, self.active, self.fixed, self.slides, tolerance)
        if self.settings.solver == "ilu0":
            return Ilu0(b, self.pattern, d, self.active, tolerance)
        return Bicgstab(
            b, self.pattern, d, self.active, self.vertices.ensemble.faults,
            tolerance=tolerance, base=True, suffix="f64",
        )  # fmt: skip

    def _pattern(self) -> Pattern:
        return Pattern.of_members(self.vertices.alike, [own.pattern for own in self.alone])

    def _tables(self) -> dict[str, Any]:
        """Fields of the kernel that assembles the matrix."""
        tables = self.net.tables(self.alone, self.pattern, self.vertices)
        kinds = {"f": np.float64, "i": np.int32, "b": np.int32}
        return {
            name: self.backend.array(own, kinds[own.dtype.kind]) for name, own in tables.items()
        }

    def _bind(self) -> None:
        b, vertices, solver = self.backend, self.vertices, self.solver
        fields = vertices.fields.also(
            node=b.table(self.pattern.node),
            fixed=b.table(self.fixed),
            active=self.active,
            target=self.target,
            history=self.history,
            **{f"d{k}": last for k, last in enumerate(self.last, 1)},
            guess=self.guess,
            given=self.given,
        )

        def bind(kernel: str, **more: Any) -> Any:
            return fields.bind(kernel, suffix="f64", **more)

        pattern = {name: solver.tables[name] for name in ("row", "column", "diagonal")}
        own = fields.also(**pattern, **self.tables, A=solver.A, D=self.D)
        self.assemble = b.record(self.net.assembly(lambda name: own.bind(name, suffix="f64")))

        def side(d: Any, to: Any) -> list[Any]:
            """Calls for the right-hand side of displacements d on the other nodes."""
            product = solver.product(d, self.product)
            return [product, bind("spring_side", Kd=self.product, side=to)]

        chosen = {"squares": solver.squares, "base_squares": solver.base_squares}
        chosen |= {"base": solver.base, "b": solver.b}
        self.begin_solve = solver.begun(
            [
                *self.bind_walls(self.target),
                bind("spring_guess"),
                solver.start,
                *side(self.given, solver.base),
                *side(self.guess, solver.b),
                solver.squares_of(solver.base, solver.base_squares),
                solver.squares_of(solver.b, solver.squares),
                bind("spring_choose", **chosen),
            ]
        )
        self.iterations: Any = None
        if not isinstance(solver, Cg):
            self.iterations = solver.recorded_block(self.block)
        rows = b.table(self.pattern.member)
        # of a part that is taken back the increments are not: the next guess is none
        self.kept = Kept(b, [(vertices.x, vertices.fields["member"])], vertices.members)
        self.began = Kept(b, [(d, rows) for d in self.last], vertices.members)
        self.finish = bind("spring_move", e=solver.x)

    def begin(self) -> None:
        self.began.keep()
        self.memory = self.past.copy(), self.fresh.copy()
        self.replaced = None

    def back(self) -> None:
        super().back()
        self.began.take_back(True)
        past, fresh = self.memory
        self.past = past.copy()
        if self.replaced is None:
            self.fresh = fresh.copy()
        else:
            self._rebuild(self.replaced.copy(), fresh.copy())
        self.replaced = None

    def _build(self, members: NDArray) -> None:
        """Set up hierarchies of these members from the assembled matrix.

        One for all members with one mesh whose nodes are at the very same places; the first one of
        each member is kept, so that after a pre-flight it is there.
        """
        assert isinstance(self.solver, Cg)
        x, vertices = self.backend.get(self.vertices.x), self.vertices
        if self.replaced is None:
            self.replaced = self.built.copy()
        self.iterations = None
        self.solver.forget(members)
        found: dict[Key, Sequence[Level]] = {}
        for m in members.tolist():
            own = slice(*vertices.first[m : m + 2])
            self.built[own] = x[own]
            key = int(vertices.alike.of[m]), sha256(x[own].tobytes()).digest()
            if not found.get(key):
                found[key] = self._try_hierarchy(m, key, x)
            self.solver.levels[m] = found[key]
        self.fresh[members], self.made[members] = 0, True
        if any(self.solver.levels):
            self.solver.record()
            self.iterations = self.solver.recorded_block(self.block)

    def _try_hierarchy(self, member: int, key: Key, x: NDArray) -> Sequence[Level]:
        """Hierarchy of a member, as `_hierarchy`; () for a member that fails in its set-up."""
        try:
            return self._hierarchy(member, key, x)
        except (DeviceError, MemoryError):  # of the machine, not of the member
            raise
        except Exception as error:  # of SciPy or pyamg: singular, not finite, ...
            cause = f"the springs' multigrid cannot be set up ({type(error).__name__}: {error})"
            remedy = f"{OTHERS['multigrid']}, or {STEPS}"
            self.vertices.ensemble.fail(member, cause, remedy, error=error)
            return ()

    def _hierarchy(self, member: int, key: Key, x: NDArray) -> Sequence[Level]:
        """Hierarchy of a member with its nodes at x (nodes, d), new or cached."""
        assert isinstance(self.solver, Cg)
        kept = self.vertices.hierarchies
        if key in kept:
            return kept[key]
        if self.vertices.members == 1:
            kept.clear()  # of a single member the last one goes before there is a new one
        found = self.solver.hierarchy(member, x)
        if not self.made[member]:
            kept[key] = found
        return found

    def _solve(self, active: NDArray) -> int:
        """One increment of the active members to self.pose; iterations of the slowest one.

        Members whose springs cannot be solved fail where they stand.
        """
        get, ensemble = self.backend.get, self.vertices.ensemble
        self.backend.put(self.active, active)
        self.assemble()
        stale = np.flatnonzero(active & (self.fresh < 0))
        if isinstance(self.solver, Cg) and len(stale):
            self._build(stale)
            active = active & ensemble.alive
            if not active.any():
                return 0
            self.backend.put(self.active, active)
        self.backend.put(self.history, FACTORS[np.minimum(self.past, len(FACTORS) - 1)])
        self.begin_solve()
        done = 0
        while (live := get(self.solver.live)).any():
            if done >= self.settings.iterations:
                cause = f"springs not solved to {self.settings.tolerance:g} in {done} iterations"
                self._fail(live > 0, cause, f"more iterations or {STEPS}")
                break
            self.iterations()
            done += self.block
        broken = f"the springs' solver ({self.settings.solver}) broke down"
        # stiffnesses that are not positive, or no numbers, as of cells that have nearly no area
        remedy = f"{OTHERS[self.settings.solver]}, or {REMEDIES[self.vertices.dimensions]}"
        self._fail(get(self.solver.status) == 2, broken, remedy)
        active = active & ensemble.alive
        self.backend.put(self.active, active)
        self.solver.finish()
        self.finish()
        self.past[active] += 1
        steps = get(self.solver.steps)
        first = active & (self.fresh == 0)
        self.fresh[first] = np.maximum(steps[first], 1)
        self.fresh[active & (steps > STALE * self.fresh)] = -1
        return int(steps[active].max(initial=0))

    def _fail(self, members: NDArray[np.bool_], cause: str, remedy: str) -> None:
        for member in np.flatnonzero(members).tolist():
            self.vertices.ensemble.fail(member, cause, remedy)

    def step(self, poses: Poses) -> dict[str, float]:
        """In `substeps` parts; a part that inverts a cell of a member is taken back and halved."""
        members = self.vertices.members
        at, part = np.zeros(members), np.full(members, 1 / self.settings.substeps)
        halvings, total = np.zeros(members, int), 0
        while (active := (at < 1 - 1e-9) & self.vertices.ensemble.alive).any():
            share = np.where(active, np.minimum(1.0, at + part), 1.0)
            self.kept.keep()
            rows = self.rows_at(poses, share)
            self.put(rows)
            total += self._solve(active)
            active &= self.vertices.ensemble.alive
            bad = active & ~self.upright(rows)
            at = np.where(active & ~bad, share, at)
            if bad.any():
                self._halve(bad, halvings, part, at)
        return {"spring_iterations": total, "spring_halvings": int(halvings.max())}

    def upright(self, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(members,) mask of those without an inverted cell, with bodies at `rows`."""
        del rows  # the nodes are there
        self.vertices.look()
        return self.vertices.worst_cells()[:, 0] > 0

    def inverted(self, member: int) -> tuple[str, str]:
        """Text for the inverted cell of a member, and what has become of it."""
        cell = self.vertices.inverted(member)
        return cell, f"springs invert {cell}"

    def _halve(self, bad: NDArray, halvings: NDArray, part: NDArray, at: NDArray) -> None:
        for m in np.flatnonzero(bad & (halvings == self.settings.halvings)).tolist():
            cell, told = self.inverted(m)
            self.vertices.ensemble.fail(
                m,
                f"{told} even in parts of {part[m]:.3g} of a step, {at[m]:.3g} into it",
                self.remedy,
                place=cell,
                about="inverted cell",
            )
        self.kept.take_back(bad)
        self.vertices.ensemble.forget(bad, AREA)
        halvings[bad] += 1
        part[bad] /= 2
        self.past[bad] = 0

    def state(self) -> dict[str, NDArray]:
        get = self.backend.get
        return {
            **{f"d{k}": get(d) for k, d in enumerate(self.last, 1)}, "past": self.past.copy(),
            "built": self.built.copy(), "fresh": self.fresh.copy(),
        }  # fmt: skip

    def restore(self, state: dict[str, NDArray]) -> None:
        for k, d in enumerate(self.last, 1):
            self.backend.put(d, state[f"d{k}"])
        self.past = np.array(state["past"], int)
        self._rebuild(np.array(state["built"]), np.array(state["fresh"], int))

    def _rebuild(self, built: NDArray, fresh: NDArray) -> None:
        """Rebuild hierarchies for nodes at `built`; `fresh` : mask of those in use."""
        put, vertices = self.backend.put, self.vertices
        used = np.flatnonzero((fresh > 0) & vertices.ensemble.alive)
        if isinstance(self.solver, Cg) and len(used):
            now = self.backend.get(vertices.x)
            put(vertices.x, built)
            self.assemble()
            self._build(used)
            put(vertices.x, now)
        self.built, self.fresh = built, fresh
