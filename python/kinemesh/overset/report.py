"""Report on the connectivity of overset grids: counts, donors, overlap, sizes of cells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.errors import warn
from kinemesh.io.html import table_of
from kinemesh.overset.part_cells import walls_of_part
from kinemesh.overset.parts import Parts
from kinemesh.overset.plan import NO_LAYER, away
from kinemesh.overset.status import COVERED, FIELD, RECEPTOR, SOLID, Statuses
from kinemesh.sentences import point_in_words
from kinemesh.wiring import done_by

KINDS = {"field": FIELD, "receptor": RECEPTOR, "covered": COVERED, "solid": SOLID}
ALIKE = 3.0  # sizes of receptors' and donors' cells that may differ by this factor
UNLIKE = 10.0  # beyond which a run is refused: the values are those of another resolution
DONORS, SIZES = "donors", "sizes of cells"  # what warnings are about
FEW = 1e-3  # share of receptors that may take values from receptors
HEAD = (
    *("part", "field", "receptor", "covered", "solid"),
    *("second", "orphans", "overlap", "size ratio"),
)


@dataclass(frozen=True, slots=True)
class Taken:
    """Donors of a member's nodes at the present poses of the parts.

    Parameters
    ----------
    status : (nodes,);  donor : (nodes, 4) numbers within the member
    worth : (nodes,)    2 where all corners of the donor are field, 1 where some are receptors
    ratio : (nodes,)    size of a node's cells over that of its donor's
    """

    made: Statuses
    member: int
    status: NDArray[np.int32]
    donor: NDArray[np.int32]
    worth: NDArray[np.int64]
    ratio: NDArray[np.float64]

    @classmethod
    def of(cls, made: Statuses, member: int) -> Taken:
        grid, get = made.grid, made.backend.get
        own = slice(*grid.first[member : member + 2])
        status, weight = get(made.status)[own], get(made.weight)[own]
        donor = get(made.donor)[own] - grid.first[member]
        size = made.plans[grid.alike.of[member]].across
        ratio = size / (weight * size[donor]).sum(axis=1)
        return cls(made, member, status, donor, _worth(status, donor), ratio)

    @property
    def receptor(self) -> NDArray[np.bool_]:
        """(nodes,) whether each is a receptor."""
        return self.status == RECEPTOR

    def place(self, node: int) -> str:
        """A node in the numbers of its part's file, and where it is."""
        grid = self.made.grid
        x = self.made.backend.get(grid.x)[grid.first[self.member] + node]
        return grid.meshes[self.member].node(node) + f" {point_in_words(x)}"


@dataclass(frozen=True, slots=True)
class PartReport:
    """One part, its nodes in the order of its file.

    Parameters
    ----------
    field, receptor, covered, solid : int    nodes
    second : int        receptors with receptors among the corners of their donor
    orphans : int       receptors without a donor
    overlap : int       least number of layers of field nodes about donors of the part's receptors
    ratio : (least, largest) size of a receptor's cells over that of its donor's
    iblank : (nodes,) int32     status of each node
    points : (nodes, 2)         where they stand, in space (nodes, 3) [chord]
    cells : (cells, 4)          numbers of nodes; the fourth of a triangle is -1; in space as many
        columns as the largest cell has corners, and -1 behind those of others
    walls : (k, 2)              edges of the walls, in space triangles (k, 3), by numbers of nodes
    """

    field: int
    receptor: int
    covered: int
    solid: int
    second: int
    orphans: int
    overlap: int
    ratio: tuple[float, float]
    iblank: NDArray[np.int32]
    points: NDArray[np.float64]
    cells: NDArray[np.int32]
    walls: NDArray[np.int32]

    def row(self, name: str) -> tuple[str, ...]:
        """The part under `HEAD`."""
        numbers = self.field, self.receptor, self.covered, self.solid, self.second, self.orphans
        ratio = "{:.2f} to {:.2f}".format(*self.ratio)
        last = (str(self.overlap), ratio) if self.receptor else ("-", "-")
        return name, *map(str, numbers), *last


@dataclass(frozen=True, slots=True)
class OversetReport:
    """The parts of a member by name; as text, a table.

    Parameters
    ----------
    problem : str    why they cannot be solved on where they stand; empty if they can
    asked : int      layers of overlap that the settings ask for
    """

    parts: dict[str, PartReport]
    problem: str = ""
    asked: int = 0

    @property
    def iblank(self) -> dict[str, NDArray[np.int32]]:
        """Status of the nodes of each part: field 1, receptor -1, covered 0, solid -2."""
        return {name: own.iblank for name, own in self.parts.items()}

    @classmethod
    def of(cls, made: Statuses, member: int, problem: str = "") -> OversetReport:
        """Report of a member at the present poses, with warnings of poor donors."""
        grid = made.grid
        taken = Taken.of(made, member)
        status, worth, ratio = taken.status, taken.worth, taken.ratio
        mesh, plan = grid.meshes[member], made.plans[grid.alike.of[member]]
        x = made.backend.get(grid.x)[slice(*grid.first[member : member + 2])]
        graph = sp.csr_matrix((np.ones(len(plan.neighbour)), plan.neighbour, plan.offsets))
        hidden = np.flatnonzero(status != FIELD).astype(np.int32)
        depth = away(graph, hidden)[taken.donor].min(axis=1)
        found = {}
        for number, name in enumerate(mesh.names):
            here = slice(*mesh.first[number : number + 2])
            takes = here.start + np.flatnonzero(status[here] == RECEPTOR)
            fed = takes[worth[takes] > 0]
            told: dict[str, Any] = _shown(mesh, number, status, x)
            told |= {kind: int((status[here] == code).sum()) for kind, code in KINDS.items()}
            found[name] = PartReport(
                **told,
                second=int((worth[takes] == 1).sum()),
                orphans=int((worth[takes] == 0).sum()),
                overlap=int(depth[fed].min(initial=NO_LAYER)),
                ratio=(float(ratio[fed].min(initial=np.inf)), float(ratio[fed].max(initial=0.0))),
            )
            _warn(name, found[name], [taken.place(n) for n in _extremes(fed, ratio)])
        return cls(found, problem, made.overlap)

    @property
    def overlap(self) -> int | None:
        """Least number of layers of field nodes about donors; None where no node takes values."""
        return min((own.overlap for own in self.parts.values() if own.receptor), default=None)

    @property
    def fewer(self) -> str:
        """Sentence on an overlap of fewer layers than are asked for; empty if it has as many."""
        if self.overlap is None or self.overlap >= self.asked:
            return ""
        return (
            f"overlap {self.overlap} where {self.asked} are asked: layers are asked of a part's "
            "own cells and counted in those of its donors"
        )

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the parts near the bodies, by status (`kinemesh.plot.grids`)."""
        return done_by("OversetReport.plot")(self.parts, path=path)

    def __str__(self) -> str:
        rows = [HEAD, *(part.row(name) for name, part in self.parts.items())]
        wide = [max(len(row[k]) for row in rows) for k in range(len(HEAD))]
        lines = ["  ".join(w.rjust(n) for w, n in zip(row, wide, strict=True)) for row in rows]
        return "\n".join(lines + [word for word in (self.fewer, self.problem) if word])

    def __repr__(self) -> str:
        return f"OversetReport(parts {', '.join(self.parts)})"

    def _repr_html_(self) -> str:
        rows = [part.row(name) for name, part in self.parts.items()]
        return table_of(HEAD, rows, self.problem or self.fewer or "connectivity")


def _shown(mesh: Parts, number: int, status: NDArray, x: NDArray) -> dict[str, NDArray[Any]]:
    """Status, points, cells and walls of a part, its nodes in the order of its file."""
    first, end = mesh.first[number : number + 2]
    order = np.argsort(mesh.original[first:end], kind="stable")
    place = np.empty(mesh.nodes + 1, np.int32)
    place[first + order], place[-1] = np.arange(end - first), -1  # a triangle's fourth corner
    every = list(mesh.blocks.values())
    most = max(4, *(table.shape[1] for table in every))
    wide = [((0, 0), (0, most - table.shape[1])) for table in every]
    cells = np.concatenate(
        [np.pad(table, more, constant_values=-1) for table, more in zip(every, wide, strict=True)]
    )
    cells = cells[mesh.part[cells[:, 0]] == number]
    walls = walls_of_part(mesh, mesh.names[number])
    own = first + order
    return {"iblank": status[own], "points": x[own], "cells": place[cells], "walls": place[walls]}


def _worth(status: NDArray, donor: NDArray) -> NDArray:
    """(nodes,) 2 where all corners of the donor are field, 1 where some are receptors, 0 else."""
    itself = donor == np.arange(len(donor))[:, None]
    each = np.where(status[donor] == FIELD, 2, (status[donor] == RECEPTOR) & ~itself)
    return each.min(axis=1)


def _extremes(fed: NDArray, ratio: NDArray) -> list[int]:
    return [int(fed[pick(ratio[fed])]) for pick in (np.argmin, np.argmax)] if len(fed) else []


def _warn(name: str, part: PartReport, places: list[str]) -> None:
    if part.second > FEW * part.receptor:
        warn(
            f"part {name!r}: {part.second} of {part.receptor} receptors take values from cells "
            "with receptors among their corners; more cells where the parts lie over one another, "
            "or a smaller overlap",
            about=DONORS,
            place=f"part {name!r}",
        )
    for place, bad in zip(places, (part.ratio[0] < 1 / ALIKE, part.ratio[1] > ALIKE), strict=False):
        if bad:
            least, most = part.ratio
            warn(
                f"part {name!r}: cells of receptors are {least:.2g} to {most:.2g} times as large "
                f"as those of their donors, expected 1/3 to 3 ({place}); like sizes at the fringe",
                about=SIZES,
                place=place,
            )
