"""Tables of an ensemble from those of its distinct meshes: made once, then tiled and shifted.

Items (nodes, edges, rows of a matrix) of a member stand side by side.  Where they come in parts, as
rows come by colour, the first parts of all members stand before the second ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Alike:
    """Which members of an ensemble share a mesh: those that have one object.

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
    """Items of one kind: how many each mesh has, and where those of each member stand.

    Parameters
    ----------
    alike : Alike
    counts : of each distinct mesh, the number of items, or the numbers in each part

    Attributes
    ----------
    total : int
    sizes : (distinct, parts)    items of each part; 0 where a mesh has fewer parts than another
    start : (members, parts)     first item of each
    """

    def __init__(self, alike: Alike, counts: Sequence[Any]) -> None:
        each = [np.atleast_1d(count) for count in counts]
        self.alike, parts = alike, max(map(len, each))
        self.sizes = np.array([np.pad(count, (0, parts - len(count))) for count in each], int)
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
        """(total+1,) offsets of all members' items from those (items+1,) of each mesh."""
        if self.alike.members == 1:
            return tables[0]
        counts = self.stack([np.diff(table) for table in tables])
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def stack(self, tables: Sequence[NDArray], into: Items | None = None) -> NDArray:
        """(total, ...) entries of all members from the table (items, ...) of each mesh.

        `into` are the items whose numbers the entries are, if they are any; -1 stays.
        """
        if self.alike.members == 1:
            return tables[0]
        found = np.empty((self.total, *tables[0].shape[1:]), tables[0].dtype)
        for mesh, first, count in self.alike.runs:
            table, members = tables[mesh], slice(first, first + count)
            numbers = None if into is None else into._numbers(mesh, members)
            ranges = zip(self.start[first], self.local[mesh], self.sizes[mesh], strict=True)
            for start, local, size in ranges:
                part = table[local : local + size]
                to = found[start : start + count * size].reshape(count, *part.shape)
                if numbers is None:
                    to[:] = part
                elif len(numbers[0]) == 1:  # all items are shifted alike
                    np.add(part, numbers.reshape(-1, *[1] * part.ndim), out=to)
                else:
                    np.take(numbers, part, axis=1, out=to, mode="clip")
                if numbers is not None and (none := part < 0).any():
                    to[:, none] = -1
        return found

    def _numbers(self, mesh: int, members: slice) -> NDArray[np.int32]:
        """(members, items) numbers of the items of members that share a mesh.

        (members, 1), that of the first, where items are in one part.
        """
        shift, sizes = self.shift[members], self.sizes[mesh]
        if len(sizes) == 1:
            return shift
        return np.arange(sizes.sum(), dtype=np.int32) + np.repeat(shift, sizes, axis=1)
