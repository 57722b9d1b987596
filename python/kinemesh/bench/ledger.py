"""Ledger of bound calls and recordings, and the least bytes that they must move.

`Ledger.watch` notes kernel, range, arrays and numbers of each bound call while a solver is built.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any
from unittest.mock import patch

from kinemesh.device.backend import Backend, kernels

# A declaration gives the mode of a field: how often each of its bytes is moved, at least.
PASSES = {
    **dict.fromkeys(("in", "near", "opt", "opt_near", "out"), 1),
    **dict.fromkeys(("rw", "upd", "inc"), 2),
    "val": 0,
}
# A sweep up and a sweep down read one half of the matrix each.
SWEEPS = ("block_lower", "block_upper", "block_turn")


@dataclass(slots=True)
class Note:
    """A bound call (kernel, range, fields) or a recording (items, times)."""

    made: Any
    kernel: str = ""
    over: tuple[int, int] | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    times: int = 1


@cache
def declarations() -> dict[str, tuple[str, list[tuple[str, str, str, str]]]]:
    """Kernel declarations, `kinemesh.device.backend.kernels`, cached."""
    return kernels()


def extent(kernel: str, fields: dict[str, Any]) -> int | None:
    """Number of items of the set that a kernel loops over, from a field's first axis."""
    over, declared = declarations()[kernel]
    for name, _, _, shape in declared:
        first = shape.split(">")[0].split(",")[0]
        if fields.get(name) is not None and first in (over, f"{over}+1"):
            return fields[name].shape[0] - (first != over)
    return None


def _reached(kernel: str, fields: dict[str, Any]) -> dict[str, int]:
    """Sets that index tables lead into -> entries of these tables: no more items are touched."""
    over, declared = declarations()[kernel]
    entries: dict[str, int] = {}
    for name, _, _, shape in declared:
        _, arrow, into = shape.partition(">")
        array = fields.get(name)
        if not arrow or array is None or into.rstrip("!?") == over:
            continue
        target = into.strip(">!?")
        count = prod(array.shape)
        if into.startswith(">"):  # offsets: whatever lies between the first and the last
            count = sys.maxsize
        entries[target] = entries.get(target, 0) + count
    return entries


def call_bytes(kernel: str, fields: dict[str, Any], over: tuple[int, int] | None = None) -> int:
    """Compulsory bytes of a call: every field once per pass, index tables included.

    Of a field that index tables lead into no more items count than these tables have entries; of
    one whose items are added to, by `add` in csrc/core/kernel.h, a read and a write for each entry.
    A call over a part of the items moves that part of every field; a sweep half of its matrix
    (the fields over `blocks`).
    """
    count = extent(kernel, fields) if over else None
    part = over[1] / count if over and count else 1.0
    reached = _reached(kernel, fields)
    total = 0.0
    for name, mode, kind, shape in declarations()[kernel][1]:
        array = fields.get(name)
        if mode == "val" or array is None or not array.nbytes:
            continue
        first = shape.split(">")[0].split(",")[0]
        touched = reached.get(first, sys.maxsize) / array.shape[0]
        if mode != "inc" or kind == "u64":  # of faults, which are rare
            touched = min(1.0, touched)
        half = 0.5 if first == "blocks" and any(s in kernel for s in SWEEPS) else 1.0
        total += PASSES[mode] * array.nbytes * touched * half * part
    return round(total)


class Ledger:
    """Ledger of every call and recording made under `watch`."""

    def __init__(self) -> None:
        self._notes: dict[int, Note] = {}

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Enter all calls and recordings of any Backend into the ledger, within the context."""
        bind, part, record = Backend.bind, Backend.part, Backend.record

        def noted_bind(
            backend: Backend, kernel: str, over: Any = None, *, suffix: Any = None, **fields: Any
        ) -> Any:
            made = bind(backend, kernel, over, suffix=suffix, **fields)
            self._notes[id(made)] = Note(made, kernel, over, fields)
            return made

        def noted_part(backend: Backend, call: Any, over: tuple[int, int]) -> Any:
            made, whole = part(backend, call, over), self._notes[id(call)]
            self._notes[id(made)] = Note(made, whole.kernel, over, whole.fields)
            return made

        def noted_record(backend: Backend, items: Any, times: int = 1, flag: Any = None) -> Any:
            kept = list(items)
            made = record(backend, kept, times, flag)
            self._notes[id(made)] = Note(made, items=kept, times=times)
            return made

        with (
            patch.object(Backend, "bind", noted_bind),
            patch.object(Backend, "part", noted_part),
            patch.object(Backend, "record", noted_record),
        ):
            yield

    def kernel(self, call: Any) -> str:
        """Name of the kernel of a call; of a recording an empty one."""
        return self._notes[id(call)].kernel

    def named(self, call: Any, *parts: str) -> bool:
        """Return True if the name of a call's kernel contains one of the parts."""
        return any(part in self.kernel(call) for part in parts)

    def leaves(self, made: Any) -> list[Any]:
        """Calls of a call or recording in order, each once however often it is repeated."""
        note = self._notes[id(made)]
        return [made] if note.kernel else [leaf for i in note.items for leaf in self.leaves(i)]

    def fields(self, call: Any) -> dict[str, Any]:
        """Arrays and values that a call is bound to."""
        return self._notes[id(call)].fields

    def first(self, kernel: str) -> Any:
        """First call of a kernel whose name begins so, or None."""
        return next((n.made for n in self._notes.values() if n.kernel.startswith(kernel)), None)

    def bytes(self, items: Sequence[Any]) -> int:
        """Compulsory bytes of calls and recordings, loops in full."""
        total = 0
        for made in items:
            note = self._notes[id(made)]
            once = (
                call_bytes(note.kernel, note.fields, note.over)
                if note.kernel
                else self.bytes(note.items)
            )
            total += note.times * once
        return total

    def count(self, items: Sequence[Any]) -> int:
        """Launches of calls and recordings, loops in full."""
        notes = [self._notes[id(made)] for made in items]
        return sum(n.times * (1 if n.kernel else self.count(n.items)) for n in notes)
