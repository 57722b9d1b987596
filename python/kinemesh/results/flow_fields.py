"""Flow fields of a run, frame by frame, from its field files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.errors import CaseError, did_you_mean
from kinemesh.io import fields as files

if TYPE_CHECKING:
    from pathlib import Path

    from kinemesh.results.record import Record

NEAR = 0.01  # degrees: phases are typed with two decimals


class Frames(NamedTuple):
    """Times, cycles and phases of the frames of a member; each is an array (frames,)."""

    time: NDArray[np.float64]  # [chord/a_inf], or [chord/U]; 0 for a steady flow
    cycle: NDArray[np.float64]  # cycles done; nan for a steady flow or a run with `time_step`
    phase_deg: NDArray[np.float64]  # 0 to 360; nan where `cycle` is nan

    def last_cycle(self) -> NDArray[np.int64]:
        """Numbers of the frames in the last cycle; of all frames in less than a cycle.

        The frame exactly one cycle before the last frame is not among them.
        """
        return np.flatnonzero(self.cycle > self.cycle[-1:] - 1 + 1e-6)


@dataclass(frozen=True, eq=False)
class Fields(Mapping[str, NDArray[Any]]):
    """The flow at one moment: arrays by name, with the nodes in the order of the user's file.

    `fields["Pressure"]` is an array (nodes,), or (cells,) where `fields.on` is "cells"; its rows
    are then those of `fields.cells`.  `list(fields)` are the names.  Density [rho_inf],
    Velocity (nodes, 3) [a_inf], Pressure [rho_inf a_inf^2], Mach [-], Cp [-].  Of a viscous gas
    also Vorticity [a_inf/chord], and Cf, YPlus [-], HeatFlux [rho_inf a_inf^3], which are 0 off the
    walls; with a model of turbulence EddyViscosity over the viscosity of the stream, and NuTilde
    over its kinematic one.  Of incompressible flow Velocity [U], Pressure [rho U^2], Vorticity
    [U/chord]; times are in chord/U.

    Parameters
    ----------
    arrays : name -> (nodes,) or (nodes, 3), or as many rows as cells
    points : (nodes, d)      coordinates of the nodes at this moment [chord]
    cells : (cells, 4)       numbers of nodes; the fourth of a triangle is -1; of overset parts all
        that are not hidden; in space as many columns as the largest cell has corners, in VTK's
        order, and -1 behind them
    walls : (k, d)           wall edges of all bodies (in space triangles), by numbers of nodes
    bodies : marker -> (k,)  rows of `walls` of each body
    frame : int              number of the frame in its file, from 0
    time : float             [chord/a_inf], or [chord/U]
    cycle, phase_deg : float    cycles done, and phase of the motion; nan for a steady flow or a
        run with `time_step`
    cloud : bool             True for a cloud, whose cells are for display alone
    parts : names            of overset parts, whose numbers are `fields["Part"]`
    on : "points" or "cells"    what `arrays` have numbers of
    """

    arrays: Mapping[str, NDArray[Any]]
    points: NDArray[np.float64]
    cells: NDArray[np.int64]
    walls: NDArray[np.int64]
    bodies: Mapping[str, NDArray[np.int64]]
    frame: int
    time: float
    cycle: float
    phase_deg: float
    cloud: bool
    parts: tuple[str, ...] = ()
    on: str = "points"

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.arrays:
            hint = did_you_mean(name, self.arrays, f"there are {list(self.arrays)}")
            raise KeyError(f"fields: no array {name!r}{hint}")
        return self.arrays[name]

    @property
    def incompressible(self) -> bool:
        """True of incompressible flow, which has no Mach number."""
        return "Vorticity" in self and "Mach" not in self

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        phase = "" if np.isnan(self.phase_deg) else f", phase {self.phase_deg:g} degrees"
        return (
            f"Fields(frame {self.frame}, time {self.time:.5g}{phase}; {len(self.points)} nodes, "
            f"{len(self.cells)} cells; {', '.join(self.arrays)}"
            f"{' of cells' if self.on == 'cells' else ''})"
        )

    def at_walls(self) -> Fields:
        """The flow on walls, as numbers of `points`.

        Of fields on cells: points are the middles of wall edges, with the numbers of the cell
        behind each; walls join those that follow each other, and there are no cells.  In space
        points, cells and walls stay, and numbers at nodes of walls are means of the cells behind
        the triangles there; nan elsewhere.
        """
        if self.on != "cells":
            return self
        return AT_WALLS[self.points.shape[1]](self)

    def _at_edges(self) -> Fields:
        """The flow at the middles of wall edges."""
        ring = np.where(self.cells < 0, self.cells[:, :1], self.cells)
        sides = np.stack([ring, np.roll(ring, -1, axis=1)], axis=-1) @ [len(self.points), 1]
        known = np.argsort(sides, axis=None)
        asked = self.walls @ [len(self.points), 1]
        behind = known[np.searchsorted(sides.ravel(), asked, sorter=known)] // 4
        pairs, bodies, done = [], {}, 0
        for name, rows in self.bodies.items():
            begins = {
                int(node): int(row) for row, node in zip(rows, self.walls[rows, 0], strict=True)
            }
            ends = ((int(row), begins.get(int(self.walls[row, 1]))) for row in rows)
            own = [(row, after) for row, after in ends if after is not None]
            pairs += own
            bodies[name] = np.arange(done, done := done + len(own))
        return replace(
            self,
            arrays={name: array[behind] for name, array in self.arrays.items()},
            points=self.points[self.walls].mean(axis=1),
            cells=np.empty((0, 4), np.int64),
            walls=np.array(pairs, np.int64).reshape(-1, 2),
            bodies=bodies,
            on="points",
        )

    def _at_triangles(self) -> Fields:
        """Numbers at nodes of walls: means of the cells behind the triangles there."""
        rows, cell = _behind(self.cells, self.walls, len(self.points))
        node, cell = self.walls[rows].ravel(), np.repeat(cell, 3)
        count = np.bincount(node, minlength=len(self.points))

        def mean(values: NDArray[Any]) -> NDArray[np.float64]:
            total = np.bincount(node, values[cell], len(self.points))
            return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)

        arrays = {
            name: mean(values) if values.ndim == 1 else np.stack(list(map(mean, values.T)), axis=1)
            for name, values in self.arrays.items()
        }
        return replace(self, arrays=arrays, on="points")


AT_WALLS: dict[int, Callable[[Fields], Fields]] = {2: Fields._at_edges, 3: Fields._at_triangles}


def _behind(
    cells: NDArray[np.int64], walls: NDArray[np.int64], nodes: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of wall triangles (k, 3), and the cells that have all three corners of each."""
    there = cells >= 0
    order, starts = ordered(cells[there], nodes)
    about = np.repeat(np.arange(len(cells)), there.sum(axis=1))[order]
    first = walls[:, 0]
    count = np.diff(starts)[first]
    row = np.repeat(np.arange(len(walls)), count)
    at = np.arange(count.sum()) + np.repeat(starts[first] - np.cumsum(count) + count, count)
    corners = cells[about[at]]
    has = [(corners == walls[row, k][:, None]).any(axis=1) for k in (1, 2)]
    found = np.flatnonzero(has[0] & has[1])
    return row[found], about[at[found]]


def path_of(run: Record, member: int | None) -> tuple[Path, int]:
    """Field file and number of a member; CaseError without a field file."""
    if run.out is None:
        call = "steady" if run.history.kind == "steady" else "run"
        raise CaseError(f"fields: the run kept none; give a folder, {call}(..., out='name')")
    members = run.members
    if member is None and members > 1:
        raise CaseError(f"fields: {members} members; choose one: run.fields(member=0)")
    number = 0 if member is None else member
    if not isinstance(number, int | np.integer) or not 0 <= number < members:
        raise CaseError(f"fields: no member {member!r}; there are {members}, from 0")
    path = run.out / (f"flow-{number}.vtkhdf" if members > 1 else "flow.vtkhdf")
    if not path.exists():
        run.refuse_failed(number)
    return path, int(number)


def frames(run: Record, member: int | None) -> Frames:
    """When the frames of a member were kept."""
    path, number = path_of(run, member)
    time = files.times(path)
    cycle = np.full(len(time), np.nan)
    cyclic = run.history.kind == "unsteady" and not run.history.by_time
    if cyclic and number in run.history.members:
        rows = run.history.member(number)
        cycle = time * (rows["cycle"][-1] / rows["time"][-1])
    return Frames(time, cycle, np.round(360 * cycle, 6) % 360)


def read(run: Record, frame: int | None, phase_deg: float | None, member: int | None) -> Fields:
    """The fields of one frame, by number or by phase."""
    if frame is not None and phase_deg is not None:
        raise CaseError(f"fields: frame {frame} and phase_deg {phase_deg}; give one of the two")
    path, _ = path_of(run, member)
    kept = frames(run, member)
    at = -1 if frame is None else frame
    if phase_deg is not None:
        at = _at_phase(path, kept.phase_deg, phase_deg)
    found = files.read(path, at)
    at %= len(kept.time)
    return Fields(
        found["fields"],
        found["points"],
        found["cells"],
        found["walls"],
        found["bodies"],
        at,
        found["time"],
        float(kept.cycle[at]),
        float(kept.phase_deg[at]),
        found["cloud"],
        found["parts"],
        found["on"],
    )


def _at_phase(path: Path, phases: NDArray[np.float64], wanted: float) -> int:
    """Number of the last frame at a phase [deg]; CaseError without a frame at that phase."""
    if not np.isfinite(wanted):
        raise CaseError(f"fields: phase_deg = {wanted!r}, expected a finite number of degrees")
    if not np.isfinite(phases).all():
        raise CaseError(f"{path}: a run without a cycle has no phase; leave phase_deg away")
    away = np.abs((phases - wanted + 180) % 360 - 180)
    there = np.flatnonzero(away < NEAR)
    if not len(there):
        some = ", ".join(f"{p:g}" for p in np.unique(phases[away <= np.sort(away)[:2].max()]))
        raise CaseError(
            f"{path}: no frame at phase {wanted:g} degrees; the nearest are at {some} "
            "(run.frames().phase_deg has all)"
        )
    return int(there[-1])
