"""Table of `kinemesh sweep --list`: cases, impossible ones, batches and memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kinemesh.arguments import counted
from kinemesh.device.backend import Backend
from kinemesh.flow import memory
from kinemesh.io.store import Block
from kinemesh.study.sweep import batches, checks, sweeping
from kinemesh.study.sweep.asked import Asked
from kinemesh.study.sweep.axes import told
from kinemesh.study.sweep.checks import Checked

WRONG = 2  # exit status


def show(asked: Asked, batch: int | None, places: Sequence[str | None]) -> int:
    """Print a line per case, then batches and memory; the exit status.

    DeviceError where an ensemble does not fit on its device.
    """
    checked = checks.look(asked)
    width = len(str(len(checked.cases) - 1))
    for i, row in enumerate(asked.axes.rows()):
        cause = checked.causes.get(i)
        group = int(checked.groups[i])
        end = f"cannot run: {cause}" if cause else f"ensemble {group}, {checked.nodes[i]} nodes"
        print(f"{i:>{width}}  {told(row)}  {end}")
    if checked.possible:
        print("\n".join(_batches(asked, checked, batch, places)))
    groups = len({group for group in checked.groups.tolist() if group >= 0})
    bad = f", {len(checked.causes)} impossible" if checked.causes else ""
    kinds = f"{counted(groups, 'kind')} of ensemble{'s' * (groups != 1)}"
    print(f"{counted(len(checked.cases))}{bad}; {kinds}; nothing was run")
    return WRONG if checked.causes else 0


def _batches(
    asked: Asked, checked: Checked, batch: int | None, places: Sequence[str | None]
) -> list[str]:
    """Number of batches and cases, and the memory of the largest ensemble, in words."""
    sizes = {axis.name: len(axis.values) for axis in asked.axes.axes}
    chunks = sweeping.chunks_of(asked, checked, batch, places, Path())  # into a folder
    blocks = [rows for _, rows in batches.rows_of(Block(sizes, chunks, {}, np.zeros(0)))]
    many = Counter(int((checked.groups[rows] >= 0).sum()) for rows in blocks)
    each = ", ".join(
        f"{many[size]} of {counted(size)}" for size in sorted(many, reverse=True) if size
    )
    needed, rows = max(checks.rooms(checked, blocks, places))
    case = checked.cases[rows[0]]
    assert case is not None
    nodes = int(checked.nodes[rows].sum())
    room = memory.told(needed, Backend(case.job.device, case.job.dtype))
    at_once = f"; {len(places)} batches at a time" if len(places) > 1 else ""
    return [
        f"batches: {each}{at_once}",
        f"memory: {room}; largest ensemble: {counted(len(rows))}, {nodes} nodes in all",
    ]
