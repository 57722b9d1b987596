"""Tables of an ensemble: computed once per distinct mesh, then tiled and shifted.

Items (nodes, edges, rows of a matrix) of a member stand side by side.  Where they come in parts, as
rows come by colour, the first parts of all members stand before the second ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray


def joined(tables: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Tables one after another; one alone is not copied."""
    return tables[0] if len(tables) == 1 else np.concatenate(tables)


class Alike:
    """Members of an ensemble grouped by mesh object.

    Attributes
    ----------
    members, distinct : int    number of members, and of distinct meshes
    of : (members,)            number of each member's mesh, from 0 in the order of the members
    lead : list of int         first member that has each mesh
    runs : list of (mesh, first member, count)    members side by side that share a mesh
    """

    def __init__(self, meshes: Sequence[Any]) -> None:
        numbers: dict[int, int] = {}
        of = [numbers.setdefault(id(mesh), len(numbers)) for mesh in meshes]
        self.members, self.distinct = len(of), len(numbers)
        self.of = np.array(of)
        self.lead = [of.index(number) for number in range(self.distinct)]
        self.runs, first = [], 0
        for number, run in groupby(of):
            count = len(list(run))
            self.runs.append((number, first, count))
            first += count


class Items:
    """Items of one kind: counts per mesh, and ranges per member.

    Parameters
    ----------
    alike : Alike
    counts : of each distinct mesh, the number of items, or the numbers in each part

    Attributes
    ----------
    total : int
    sizes : (distinct, parts)    items of each part; a mesh with fewer parts than another has none
        before its last one
    start : (members, parts)     first item of each
    """

    def __init__(self, alike: Alike, counts: Sequence[Any]) -> None:
        each = [np.atleast_1d(count) for count in counts]
        self.alike, parts = alike, max(map(len, each))
        # the last parts stand together, as sweeps through colours turn there
        self.sizes = np.array([[*c[:-1], *[0] * (parts - len(c)), c[-1]] for c in each])
        own = self.sizes[alike.of].T.ravel()
        self.owner = np.tile(np.arange(alike.members), parts), own
        self.total = int(own.sum())
        self.start = (np.cumsum(own) - own).reshape(parts, -1).T
        self.local = np.cumsum(self.sizes, axis=1) - self.sizes
        self.shift = (self.start - self.local[alike.of]).astype(np.int32)

    @property
    def first(self) -> NDArray[np.int32]:
        """(members+1,) first item of each member, of items in one part."""
        return np.append(self.start[:, 0], self.total).astype(np.int32)

    def members(self) -> NDArray[np.int32]:
        """(total,) member of each item."""
        return np.repeat(*self.owner).astype(np.int32)

    def offsets(self, tables: Sequence[NDArray]) -> NDArray[np.int32]:
        """Offsets (total+1,) of all members' items, from those (items+1,) of each mesh."""
        if self.alike.members == 1:
            return tables[0]
        counts = self.stack([np.diff(table) for table in tables])
        found = np.zeros(self.total + 1, np.int32)
        np.cumsum(counts, out=found[1:])
        return found

    def stack(self, tables: Sequence[NDArray], into: Items | None = None) -> NDArray:
        """(total, ...) entries of all members from the table (items, ...) of each mesh.

        `into` are the items whose numbers the entries are, if they are any; -1 stays.
        """
        if self.alike.members == 1:
            return tables[0]
        found = np.empty((self.total, *tables[0].shape[1:]), tables[0].dtype)
        for mesh, first, count in self.alike.runs:
            table, members = tables[mesh], slice(first, first + count)
            ranges = zip(self.start[first], self.local[mesh], self.sizes[mesh], strict=True)
            for start, local, size in ranges:
                part = table[local : local + size]
                to = found[start : start + count * size].reshape(count, *part.shape)
                if into is None:
                    to[:] = part
                else:
                    np.add(part, into._shifts(part, mesh, members), out=to)
                    if (none := part < 0).any():
                        to[:, none] = -1
        return found

    def _shifts(self, table: NDArray, mesh: int, members: slice) -> NDArray[np.int32]:
        """Shifts (members, ...) of item numbers, for members that share a mesh."""
        shift, sizes = self.shift[members], self.sizes[mesh]
        if len(sizes) == 1:
            return shift.reshape(-1, *[1] * table.ndim)
        part = np.repeat(np.arange(len(sizes)), sizes)[table]
        return np.take(shift, part, axis=1, mode="clip")
