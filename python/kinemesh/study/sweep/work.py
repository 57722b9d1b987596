"""The work on a batch of a sweep: its ensembles, run one after the other."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from platform import node
from typing import Any

from kinemesh.cases import build, ensemble
from kinemesh.cases.casefile import Case
from kinemesh.cases.values import OF_INPUT
from kinemesh.device.backend import Backend
from kinemesh.errors import NumericalFault
from kinemesh.io.store import FAILED, RAN
from kinemesh.io.summary import versions
from kinemesh.loops.harmonics import FloatArray
from kinemesh.sentences import ALL_FAILED, Sentence, said
from kinemesh.study.sweep import batches
from kinemesh.study.sweep.case_rows import rows_of
from kinemesh.study.sweep.spaces import Spaces

Done = tuple[dict[int, dict[str, Any]], list[Sentence]]  # what `ran` gives


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a batch with their cases, as a worker takes them.

    Parameters
    ----------
    rows : their numbers
    cases : of each row; None where it is impossible
    causes : of each that is impossible, by its number
    groups : of each row a number, equal of those that can share an ensemble
    grid : (phases,) phases of the loops [deg]
    seed : of the sample; -1 where nothing was sampled
    """

    rows: tuple[int, ...]
    cases: tuple[Case | None, ...]
    causes: dict[int, Sentence]
    groups: tuple[int, ...]
    grid: FloatArray
    seed: int

    def on(self, device: str) -> Batch:
        """The batch on another device."""
        moved = (None if case is None else case.replace(device=device) for case in self.cases)
        return replace(self, cases=tuple(moved))


@cache
def spaces_of_process() -> Spaces:
    """Cache of this process's meshes and clouds."""
    return Spaces()


def ran(batch: Batch, spaces: Spaces | None = None) -> Done:
    """Run a batch; returns its rows by number, and warnings beyond the rows' own."""
    kept = spaces_of_process() if spaces is None else spaces
    found: dict[int, dict[str, Any]] = {i: {"cause": str(why)} for i, why in batch.causes.items()}
    rest: dict[Sentence, None] = {}
    for part in batches.ensembles(batch.groups):
        cases = [case for k in part if (case := batch.cases[k]) is not None]
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = _rows(cases, [kept.of(case) for case in cases], batch.grid)
        notes = [said(warning.message) for warning in caught]
        rest |= {n: None for n in notes if not n.members and n.about != ALL_FAILED}
        device = Backend(cases[0].job.device, cases[0].job.dtype).device
        share = (time.perf_counter() - start) / len(cases)
        for k, row in zip(part, made, strict=True):
            found[batch.rows[k]] = row | {"device": device, "seconds": share}
    every = {"version": versions()["kinemesh"], "host": node(), "seed": batch.seed}
    rows = {
        i: {**every, **row, "state": FAILED if row.get("cause") else RAN}
        for i, row in found.items()
    }
    return rows, list(rest)


def _rows(cases: Sequence[Case], spaces: Sequence[Any], grid: FloatArray) -> list[dict[str, Any]]:
    """Rows of the cases of one ensemble; where it cannot be built or run, of its halves."""
    try:
        return rows_of(build.go(cases[0], ensemble.solver(cases, spaces)), cases, grid)
    except (*OF_INPUT, NumericalFault) as error:
        if len(cases) == 1:
            return [{"cause": error.said.alone}]
    half = len(cases) // 2  # members have the same bits in any company
    return _rows(cases[:half], spaces[:half], grid) + _rows(cases[half:], spaces[half:], grid)
