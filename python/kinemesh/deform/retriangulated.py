"""Delaunay graph mapping that builds its graph anew where an element would fold.

A step is split: the nodes go to a share of it at which no element is stretched too far, the
boundary nodes are triangulated there, and the rest of the step follows that graph.  Graphs are
kept.  Where the bodies come back through the very pose at which one was built, the one before it is
taken up again; so nodes come back, too (docs/theory.md, section 4).

So the nodes' places follow from those under the first graph kept, the poses at which the others
were built, and the poses now: a restart has no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Poses
from kinemesh.deform.graph import Graph, check_walls, graphs_as_given, number
from kinemesh.deform.mover import Kept, Mover
from kinemesh.errors import MeshError, NumericalFault
from kinemesh.motion import Pose
from kinemesh.space.vertices import Vertices

# Most ratio of an element's greatest to its least stretch since its graph was built.  Measured on
# the 30P30N section, 4999 points, pitching by 10 degrees, its flap by 15 a quarter of a cycle
# apart: worst condition number after four cycles 17 with 1.5 (nearly twice as many graphs), 757
# with 2, 815 with 3, 4e6 with 20.  Where the bodies go back the way they came (the flap alone, 10
# degrees) it is 6.5 with any.
STRETCH = 2.0
HALVINGS = 10  # how often a part of a step may be halved
DEPTH = 64  # graphs kept per member, 16 bytes a node each on the host
SAME = 1e-12  # sines and shifts [chord] within which two poses are one


@dataclass(frozen=True, slots=True)
class Stage:
    """State in which a graph was built: points and poses.

    Parameters
    ----------
    points : (nodes of the member, 2)
    rows : (bodies of the member, ...)    as of `Mover.rows`; of a first graph never looked at
    """

    points: NDArray[np.float64]
    rows: NDArray[np.float64]


class RetriangulatedMover(Mover):
    """Boundary nodes by pose, all others with their element of the graph in use."""

    def __init__(self, vertices: Vertices) -> None:
        super().__init__(vertices)
        members = range(vertices.members)
        given, of = graphs_as_given(vertices), vertices.alike.of
        self.places = [given[of[m]][0].shifted(int(vertices.first[m])) for m in members]
        self.bodies = [[k for k, (of, _) in enumerate(vertices.bodies) if of == m] for m in members]
        # a triangulation of n points has less than 2 n triangles
        self.elements = np.cumsum([0, *(2 * len(p.hull) for p in self.places)])
        self.carried = np.cumsum([0, *(len(p.inner) for p in self.places)])
        width = self.rows([Pose()] * len(vertices.bodies)).shape[1]
        if self.shapes is not None:  # what a number of `rows` displaces [chord]
            self.sizes = np.ones((len(vertices.bodies), width))
            self.sizes[:, -self.shapes.count :] = self.shapes.largest
        self.here = np.full((len(vertices.bodies), width), np.nan)  # poses of bodies as they stand
        self.stages = [[Stage(vertices.points[self._nodes(m)], self._rows(m))] for m in members]
        self.tables = {
            "vertices": np.zeros((self.elements[-1], 3), np.int32),
            "element": np.zeros(self.carried[-1], np.int32),
            "share": np.zeros((self.carried[-1], 3)),
            "base": vertices.points.copy(),
        }
        for m in members:
            graph = given[of[m]][1].shifted(int(vertices.first[m]))
            if m in vertices.alike.lead:
                check_walls(vertices, vertices.points, m, graph, self.places[m])
            self._fill(m, graph)
        self._bind()
        self._begin()
        self.begin()

    def _nodes(self, member: int) -> slice:
        return slice(*self.vertices.first[member : member + 2])

    def _rows(self, member: int) -> NDArray[np.float64]:
        return self.here[self.bodies[member]]

    def _bind(self) -> None:
        b, vertices = self.backend, self.vertices
        self.there = {name: b.array(table, table.dtype) for name, table in self.tables.items()}
        base, x = self.there["base"], vertices.x
        self.map = b.bind(
            "graph_map",
            node=b.array(np.concatenate([p.inner for p in self.places]), np.int32),
            **{name: self.there[name] for name in ("element", "share", "vertices")},
            reference=base,
            x=x,
        )
        self.seen = {"x0": base, "x1": x, "vertices": self.there["vertices"]}
        self.stretch = b.zeros((vertices.members, 1), np.float64)
        offsets = b.array(self.elements, np.int32)
        look = b.bind("graph_stretch", **self.seen, offsets=offsets, sums=self.stretch)
        self.move = b.record([*self.bind_walls(x), look, self.map])
        self.kept = Kept(b, [(x, vertices.fields["member"])], vertices.members)

    def _begin(self) -> None:
        """Build a graph of nodes that the initial mesh's graph did not place."""
        now = self.backend.get(self.vertices.x)
        self.map()
        apart = (self.backend.get(self.vertices.x) != now).any(axis=1)
        self.backend.put(self.vertices.x, now)
        for m in np.unique(self.vertices.member[apart]).tolist():
            if self.vertices.ensemble.alive[m]:
                first = self.stages[m]
                self.stages[m] = [Stage(now[self._nodes(m)], self._rows(m))]
                self._try_graph(m, first)
        self._upload()

    # ---- graphs ---------------------------------------------------------------------------

    def _use(self, member: int) -> None:
        """Fill the host tables from the member's last graph; MeshError for an invalid one."""
        tables, places = self.tables, self.places[member]
        tables["base"][self._nodes(member)] = self.stages[member][-1].points
        graph = Graph.of(self.vertices, tables["base"], member, places)
        check_walls(self.vertices, tables["base"], member, graph, places)
        self._fill(member, graph)

    def _fill(self, member: int, graph: Graph) -> None:
        """Tables of a member from its graph."""
        tables, places = self.tables, self.places[member]
        first, last = self.elements[member : member + 2]
        stop = first + len(graph.vertices)
        tables["vertices"][first:last] = places.hull[0]  # padding, without an area
        tables["vertices"][first:stop] = graph.vertices
        part = slice(*self.carried[member : member + 2])
        tables["element"][part], tables["share"][part] = graph.element + first, graph.share

    def _upload(self) -> None:
        for name, table in self.tables.items():
            self.backend.put(self.there[name], table)

    def _rebuild(self, member: int, points: NDArray) -> None:
        """Build a graph of the member's nodes at `points` (nodes, 2)."""
        before = self.stages[member]
        stage = Stage(points[self._nodes(member)], self._rows(member))
        self.stages[member] = [*before, stage][-DEPTH:]
        self._try_graph(member, before, f"member {member}, graph built anew: ")

    def _try_graph(self, member: int, before: list[Stage], told: str = "") -> None:
        """Tables of the member's last graph; a member without one fails, with the stages `before`.

        Alone it raises what the graph raised, or a NumericalFault that begins as `told`.
        """
        try:
            self._use(member)
        except (MeshError, RuntimeError) as error:  # Qhull's is a RuntimeError
            self.stages[member] = before
            raised = NumericalFault(f"{told}{error}") if told else error
            self.vertices.ensemble.fail(member, f"graph built anew: {error}", error=raised)

    def _back(self, member: int, poses: Poses, at: float, share: float, end: NDArray) -> float:
        """Share from `at` to `share` at which the bodies are as the graph in use was built.

        `end` (bodies, ...) are the poses at `share`; nan where the bodies do not come back.
        """
        if len(self.stages[member]) < 2:
            return np.nan
        mine, there = self.bodies[member], self.stages[member][-1].rows
        size = 1.0 if self.shapes is None else self.sizes[mine]
        way = (end[mine] - self._rows(member)) * size**2

        def ahead(rows: NDArray) -> float:
            return float(((rows - there) * way).sum())

        before, after = ahead(self._rows(member)), ahead(end[mine])
        if before == 0 or before * after > 0:
            return np.nan
        # the sign changes; where only round-off hides that, it does so at an end
        found = share if after == 0 else at
        if ahead(self.rows(poses(at))[mine]) * after < 0:
            from scipy.optimize import brentq  # here: of all deformations only this one needs it

            found = brentq(lambda s: ahead(self.rows(poses(s))[mine]), at, share, xtol=1e-15)
        apart = np.abs(self.rows(poses(found))[mine] - there) * size
        return found if apart.max() <= SAME else np.nan

    # ---- a step ---------------------------------------------------------------------------

    def begin(self) -> None:
        self.memory = self.here.copy(), [list(stages) for stages in self.stages]

    def back(self) -> None:
        super().back()
        here, stages = self.memory
        changed = [m for m, now in enumerate(self.stages) if now[-1] is not stages[m][-1]]
        self.here, self.stages = here.copy(), [list(own) for own in stages]
        for m in changed:
            self._use(m)
        if changed:
            self._upload()

    def step(self, poses: Poses) -> dict[str, float]:
        """In parts; one that stretches an element of a member too far is taken back."""
        members = self.vertices.members
        if np.isnan(self.here).any():
            self.here = self.rows(poses(0.0))
        at, part, halvings = np.zeros(members), np.ones(members), np.zeros(members, int)
        rebuilt = returned = 0
        while (active := (at < 1) & self.vertices.ensemble.alive).any():
            share = np.where(active, np.minimum(1.0, at + part), 1.0)
            back = self._shares_back(poses, at, share, active)
            share = np.where(np.isnan(back), share, back)
            rows = self.rows_at(poses, share)
            good = self._try(rows, active)
            at, old = np.where(good, share, at), good & ~np.isnan(back)
            new = self._renew(active & ~good, old)
            if old.any():  # the last bits, too, are those of the graph that is used from now on
                self._try(self.here.copy(), old)
            halvings = np.where(good | new, 0, halvings + active)
            part = np.where(good | new, 1 - at, part / 2)
            for m in np.flatnonzero((halvings > HALVINGS) & self.vertices.ensemble.alive).tolist():
                self._fail_stuck(m, part[m], at[m], rows)
            rebuilt, returned = rebuilt + int(new.sum()), returned + int(old.sum())
        return {"graphs_rebuilt": rebuilt, "graphs_taken_up_again": returned}

    def _shares_back(
        self, poses: Poses, at: NDArray, share: NDArray, active: NDArray
    ) -> NDArray[np.float64]:
        """(members,) of `_back`; nan where a member does not come back."""
        back = np.full(len(at), np.nan)
        if any(len(self.stages[m]) > 1 for m in np.flatnonzero(active)):
            end = self.rows_at(poses, share)
            for m in np.flatnonzero(active):
                back[m] = self._back(int(m), poses, at[m], share[m], end)
        return back

    def _try(self, rows: NDArray, active: NDArray) -> NDArray[np.bool_]:
        """Move bodies to `rows`, nodes with them; mask of members with valid cells."""
        self.kept.keep()
        self.put(rows)
        self.move()
        good = active & (self.backend.get(self.stretch)[:, 0] <= STRETCH)
        if not good.all():
            self.kept.take_back(~good)
        for m in np.flatnonzero(good):
            self.here[self.bodies[m]] = rows[self.bodies[m]]
        return good

    def _renew(self, bad: NDArray, back: NDArray) -> NDArray[np.bool_]:
        """Return to earlier graphs for members that are back; rebuild bad ones, and mask them.

        A graph that was built where the nodes stand would only be built again.
        """
        now = self.backend.get(self.vertices.x) if bad.any() else self.tables["base"]
        old = (now != self.tables["base"]).any(axis=1)
        new = bad & np.isin(np.arange(len(bad)), self.vertices.member[old])
        for m in np.flatnonzero(new):
            self._rebuild(int(m), now)
        for m in np.flatnonzero(back):
            self.stages[m].pop()
            self._use(int(m))
        if new.any() or back.any():
            self._upload()
        return new

    def _fail_stuck(self, m: int, part: float, at: float, rows: NDArray) -> None:
        """A member fails whose bodies cannot go from `at` to `rows`, the least part of a step."""
        b = self.backend
        now = b.get(self.vertices.x)
        self.put(rows)
        self.move()
        each = b.zeros((self.elements[-1], 1), np.float64)
        offsets = b.array(np.arange(self.elements[-1] + 1), np.int32)
        b.bind("graph_stretch", **self.seen, offsets=offsets, sums=each)()
        mine = slice(*self.elements[m : m + 2])
        worst = self.tables["vertices"][mine][np.argmax(b.get(each)[mine, 0])]
        x, y = b.get(self.vertices.x)[worst].mean(axis=0)
        b.put(self.vertices.x, now)
        nodes = ", ".join(str(number(self.vertices, m, node)) for node in worst)
        place = f"the element of nodes {nodes} (x = {x:.6g}, y = {y:.6g})"
        self.vertices.ensemble.fail(
            m,
            f"{place} of a Delaunay graph just built folds even in parts of {part:.3g} of a step, "
            f"{at:.3g} into it",
            "a motion that leaves more room between the bodies",
            place=place,
            about="folded graph",
        )

    # ---- restarts -------------------------------------------------------------------------

    def state(self) -> dict[str, NDArray]:
        return {
            "depth": np.array([len(stages) for stages in self.stages]),
            "points": np.concatenate([stages[0].points for stages in self.stages]),
            "rows": np.concatenate([s.rows for stages in self.stages for s in stages]),
            "here": self.here.copy(),
        }

    def restore(self, state: dict[str, NDArray]) -> None:
        now, depth = self.backend.get(self.vertices.x), state["depth"]
        sizes = [(n, len(mine)) for n, mine in zip(depth, self.bodies, strict=True)]
        parts = np.split(state["rows"], np.cumsum([n * k for n, k in sizes])[:-1])
        rows = [p.reshape(n, k, self.here.shape[1]) for p, (n, k) in zip(parts, sizes, strict=True)]
        for m, kept in enumerate(rows):
            self.stages[m] = [Stage(state["points"][self._nodes(m)], kept[0])]
            self._use(m)
        for level in range(1, max(depth)):
            self._upload()
            deeper = np.flatnonzero(depth > level).tolist()
            for m in deeper:
                self.here[self.bodies[m]] = rows[m][level]
            self.put(self.here)
            self.move()
            points = self.backend.get(self.vertices.x)
            for m in deeper:
                self._rebuild(m, points)
        self._upload()
        self.here = np.array(state["here"])
        self.backend.put(self.vertices.x, now)
