"""Kernels read at other volumes what they declare near, and no other field (docs/architecture.md).

An item runs alone, again with one field changed at all volumes but its own: it writes the same
bits, unless it reads the field there.
"""

import numpy as np
import pytest
from kinemesh.device.backend import Backend, kernels
from kinemesh.device.neighbours import NEAR, near_of
from samples import parse, place, sample

pytestmark = pytest.mark.no_sanitizer
VOLUMES = ("nodes", "rows", "fine", "coarse", "places", "blocks", "layers")
BETWEEN = ("edges", "faces", "cells", "vertices", "elements", "lists", "points")
# Tables with an entry for each item that lead to what is its own.
OWN = {"node", "row_of", "line", "diagonal", "slot", "item", "place", "back", "on", "term", "whole",
       "held", "like", "level"}  # fmt: skip
# Declared near by a list of fields that a kernel shares with others, and not read by it.
UNREAD = {
    "inc_mobility": {"x"},  # of the shape of cells, whose corners it reads
    "inc_mobility_3d": {"x"},
    "overset_own": {"frame"},  # of the grids of a search, whose cells it reads
    "eddy_pace": {"x", "nt", "slope_nt"},  # of edges, of whose sums it takes the diagonal
    "eddy_pace_3d": {"x", "nt", "slope_nt"},
}
# Names of `upd` fields that are written at the own index, some entries not, and read nowhere else.
OWN_UPDATED = {"rhs", "next", "sum", "sizes", "keep", "slot"}
ITEMS = 12  # at least; more while a field that is declared near has not been read so


def mixed(*values):
    return lambda old: np.resize(np.array(values, old.dtype), old.shape)


def times(factor):
    return lambda old: (factor * old).astype(old.dtype)


USED = {"begin": times(0), "used": mixed(9)}  # slots of renewed rows
WIDE = {"most": mixed(99)}  # entries of a renewed row
# What a field has to be where a read hangs on it.
MET = {
    "state_update": {"pace": times(1e-3)},  # of nodes that were scaled six times running
    "cloud_lusgs_last": {"pace": times(1e-3)},
    "composite_widen": {"status": mixed(-1, 1, -1)},
    "inc_outflow": {"open": mixed(0, 0, 1)},
    "inc_cell": {"only": mixed(0, 0, 0, 0, 0, 1)},
    "overset_count": {"status": mixed(-1, 1, 1, 1, 1, 0, 1)},
    "colour_round": {"before": mixed(-1, -1, 0)},
    "cell_gradient": {"x": times(100.0), "q": times(10.0)},  # beyond the bounds
    "rim_finest": {"status": mixed(1, 1, 1, 0), "unit": np.abs},
    "rim_near": {"slot": mixed(-1, -1, -1, -1, -1, -1, -2)},
    "rim_coarser": {
        "start": times(0),
        "joined": mixed(0, 1, 2, 3, 4),
        "above": mixed(-2, -1),
        "near": mixed(0, 0, 0, 0, 0, 1),
    },
    "rim_entries": USED | WIDE | {"status": mixed(-1, 1, 1), "slot": mixed(-2, 0, 1)},
    "rim_transfer": USED | {"slot": mixed(-2, 0, 1)},
    "rim_products": USED | WIDE,
    "rim_long": USED | WIDE | {"many": mixed(-1)},
    "rim_dense": {"slot": mixed(-2, -1, 0)},
}


def on_volumes(shape):
    """Axis and name of the set of volumes that a field is on; None of tables and other sets."""
    axes, target, _ = parse(shape)
    found = [(k, name) for k, (name, _) in enumerate(axes) if name in VOLUMES]
    return found[0] if found and not target else None


def own_rows(chosen, item):
    """Entries of each set that are an item's own, by tables and offsets."""
    own = {chosen.over: {item}}
    if chosen.over == "nodes":
        own["places"] = {item}  # of an overset part, as no member of the sample has a shift
    for _ in range(5):
        for name, _, _, shape in chosen.rows:
            axes, target, marks = parse(shape)
            table = chosen.values[name]
            several = len(axes) > 1 and name not in OWN
            if not target or table is None or several:
                continue
            here = own.get(axes[0][0], ())
            if marks.startswith(">"):
                there = [j for i in here for j in range(table[i], table[i + 1])]
            elif name in OWN and target != axes[0][0]:
                there = [j for j in table[list(here)].ravel().tolist() if j >= 0]
            else:
                continue
            own.setdefault(target, set()).update(there)
    return own


class Alone:
    """A kernel on its sample in float64 on the host, an item at a time."""

    def __init__(self, kernel):
        self.chosen = chosen = sample(kernel)
        backend = Backend("cpu", "float64")
        self.start = place(backend, chosen)
        for name, change in next((m for k, m in MET.items() if kernel.startswith(k)), {}).items():
            self.start[name] = change(self.start[name])
        arrays = {n: a for n, a in self.start.items() if isinstance(a, np.ndarray)}
        self.there = self.start | {name: array.copy() for name, array in arrays.items()}
        self.call = backend.bind(kernel, **self.there)
        self.written = [n for n in chosen.written if self.there[n] is not None]
        self.rng = np.random.default_rng(5)

    def items(self):
        """Numbers of the items, mixed up."""
        count = int(repr(self.call).split("..")[1].rstrip(">"))
        return self.rng.permutation(count).tolist()

    def after(self, item, changed=None, to=None):
        """Arrays that the kernel writes, after the item alone; `changed` is `to` before."""
        for name in {*self.written, changed} - {None}:
            self.there[name][...] = self.start[name] if name != changed else to
        self.call.part(item, 1)()
        left = {name: self.there[name].copy() for name in self.written}
        if changed:
            self.there[changed][...] = self.start[changed]
        return left

    def changes(self, name, axis, own):
        """The field otherwise at all entries but `own`: nonsense, and its entries mixed up."""
        old = np.moveaxis(self.start[name], axis, 0)
        mixed_up = old[self.rng.permutation(len(old))]
        nonsense = np.full_like(old, np.nan) if old.dtype.kind == "f" else mixed_up[::-1]
        for new in (mixed_up.copy(), nonsense.copy()):
            new[own] = old[own]
            yield np.moveaxis(new, 0, axis)

    def reads_near(self, name, axis, own, item, want):
        """Return True if the item does not write what it should where the field is changed."""
        for new in self.changes(name, axis, own):
            found = self.after(item, name, new)
            if name in want:  # what was changed and is not written
                stays = np.ones(new.shape, bool)
                np.moveaxis(stays, axis, 0)[own] = False
                want = want | {name: np.where(stays, new, want[name])}
            if any(found[n].tobytes() != want[n].tobytes() for n in want):
                return True
        return False

    def near(self, declared):
        """Names of the fields on volumes that some item reads at others than its own."""
        found = set()
        for count, item in enumerate(self.items()):
            if count >= ITEMS and declared <= found:
                break
            own, want = own_rows(self.chosen, item), self.after(item)
            for name, mode, _, shape in self.chosen.rows:
                at = on_volumes(shape)
                if at is None or mode in ("out", "inc") or self.there[name] is None:
                    continue
                here = sorted(own.get(at[1], ()))
                if name not in found and self.reads_near(name, at[0], here, item, want):
                    found.add(name)
        return found


@pytest.mark.long
@pytest.mark.parametrize("kernel", kernels())
def test_a_kernel_reads_near_what_it_declares_near(kernel):
    declared = set(near_of(kernel)) - UNREAD.get(kernel, set())
    found = Alone(kernel).near(declared)

    assert found <= declared, "read near, and not declared so"
    updated = {name for name, mode, _, _ in kernels()[kernel][1] if mode == "upd"}
    assert declared - found <= OWN_UPDATED & updated, "declared near, and not read so"


def test_near_are_fields_on_volumes_and_all_of_those_that_items_between_them_read():
    for kernel, (over, rows) in kernels().items():
        for name, mode, _, shape in rows:
            assert mode not in NEAR or on_volumes(shape), (kernel, name)
            if over in BETWEEN and on_volumes(shape):
                assert mode in (*NEAR, "inc", "upd"), (kernel, name)
