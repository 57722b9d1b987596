"""Predicted seconds of a row: bytes of memory, sectors of the second-level cache of a GPU.

t = max(bytes / copies, (read + written) / gathers + reduced / reductions) + 1 us a launch

Copies, gathers and reductions are measured in the same run (`machine`), so that the model carries
over to another card.  On a CPU there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinemesh.bench.loops.touches import Touch, Touches, count, entries_of, itself, listed
from kinemesh.bench.timing import measure, recorded
from kinemesh.device.backend import Backend

LAUNCH = 1e-6  # seconds
RECORDS, ITEMS, EACH = 200_000, 2_000_000, 4  # 8 MB of records, within the cache, beyond the first
VARIABLES = 5  # of a record: the kernels are those of space


class Machine(NamedTuple):
    """Bytes, sectors read or written and sectors reduced in a second."""

    copies: float
    gathers: float
    reductions: float

    def predicted(self, moved: int, touched: Sequence[Touches], launches: int) -> float:
        """Seconds of calls that move so many bytes and touch such records."""
        found = [count(each) for each in touched]
        read, write, reduce = (sum(f[kind] for f in found) for kind in ("read", "write", "reduce"))
        cache = (read + write) / self.gathers + reduce / self.reductions
        return max(moved / self.copies, cache) + LAUNCH * launches


def machine(backend: Backend, copies: float, repeat: int) -> Machine | None:
    """Constants of a GPU; None on a CPU."""
    return constants(backend, copies, repeat) if backend.on_gpu else None


def constants(
    backend: Backend, copies: float, repeat: int, records: int = RECORDS, items: int = ITEMS
) -> Machine:
    """Constants, from gathers and sums of records that lie at random in the second-level cache."""
    b, rng = backend, np.random.default_rng(0)
    offsets = np.arange(0, EACH * items + 1, EACH, dtype=np.int32)
    entries = rng.integers(0, records, EACH * items).astype(np.int32)
    lists, width = {"offsets": b.table(offsets), "entries": b.table(entries)}, b.real.itemsize
    value, each = b.zeros((records, VARIABLES)), b.zeros((items, VARIABLES))
    gather = b.bind(
        "face_means_3d", rims=lists["offsets"], rim=lists["entries"], value=value, mean=each
    )
    scatter = b.bind(
        "values_by_cells_3d", hulls=lists["offsets"], hull=lists["entries"], value=value, q=each,
        per=b.zeros(records, np.float64),
    )  # fmt: skip

    record, at = VARIABLES * width, listed(offsets, entries)
    tables = [Touch("read", 4, itself), Touch("read", 4, entries_of(offsets))]
    written = Touch("write", record, itself)
    found = count(Touches(items, [*tables, Touch("read", record, at), written]))
    time = measure(b, recorded(b, [gather]), repeat).seconds - LAUNCH
    gathers = (found["read"] + found["write"]) / time
    own = [Touch("read", record, itself), Touch("read", 8, at), Touch("reduce", record, at)]
    found = count(Touches(items, [*tables, *own]))
    time = measure(b, recorded(b, [scatter]), repeat).seconds - LAUNCH
    left = max(time - found["read"] / gathers, 0.1 * time)  # what reading leaves of it
    return Machine(copies, gathers, found["reduce"] / left)
