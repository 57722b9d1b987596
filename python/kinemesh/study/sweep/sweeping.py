"""Sweeps: many cases made of one, in ensembles, with one result."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from platform import node
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.cases import build, ensemble
from kinemesh.cases.casefile import Case
from kinemesh.cases.values import OF_INPUT
from kinemesh.device.backend import Backend
from kinemesh.errors import CaseError, NumericalFault, SettingsError, warn
from kinemesh.io import store as stores
from kinemesh.io.folder import hold
from kinemesh.io.paths import path_of
from kinemesh.io.store import FAILED, NOT_RUN, RAN, Block, Region, Store
from kinemesh.io.summary import versions
from kinemesh.run.march import progress_bar
from kinemesh.study.sweep import batches, checks, claim
from kinemesh.study.sweep.asked import Asked, asked_of
from kinemesh.study.sweep.checks import Checked
from kinemesh.study.sweep.rows import rows_of, variables_of

IN_ROWS = re.compile(r"member \d+: |^all \d+ members failed")  # warnings that rows tell


def sweep(
    case: str | Path | Case,
    over: Mapping[str, Any] | None = None,
    *,
    zip: Sequence[Any] | None = None,
    sample: str | None = None,
    n: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    device: str | None = None,
    batch: int | None = None,
    resume: bool = False,
    skip_bad: bool = False,
    retry_failed: bool = False,
    progress: bool = False,
) -> Any:
    """Run many cases made of one, side by side in ensembles; one table of results.

    Cases that share all but mesh, stream and motion run in one ensemble, each with the bits of its
    solo run.  Every case is looked at before the first one runs.

    Parameters
    ----------
    case : name of a ready case, TOML file, or Case; of a file, [sweep] may have `over` to `seed`
    over : values by key of the case, such as {"flow.mach": [0.6, 0.7], "motion.pitch.k": [0.1]};
        all combinations run
    zip : groups of keys that vary together, such as [("flow.mach", "motion.pitch.k")]
    sample : "latin-hypercube": `n` cases within ranges [low, high] of the keys
    n, seed : cases of a sample, and the seed of its random numbers (default 0)
    out : folder of the result, written batch by batch; without it the result is in memory alone
    device : "auto", "cpu", "cuda" or "cuda:N", in place of the case's
    batch : most cases side by side; 16 on a CPU, 128 on a GPU if not given
    resume : go on with the sweep in `out`; no batch that has ended runs again
    skip_bad : run the others where cases are impossible, which are reported as failed
    retry_failed : with `resume`: run cases that failed again, by another version too
    progress : show the progress

    Returns
    -------
    xarray.Dataset    a dimension per key that varies, named by its last word (by the whole key
        where that is not its own), of `zip` by the first key, of a sample `case`.  Of unsteady
        cases also `phase` [deg], for loads over the last cycle (docs/sweeps.md has the variables)

    Raises
    ------
    CaseError    xarray or zarr is not installed; keys or values that make no sweep; cases that are
        impossible, each with its cause; a folder that holds another sweep
    DeviceError    a device that is not there, or that cannot hold a batch
    """
    stores.packages()
    given = {"over": over, "zip": zip, "sample": sample, "n": n, "seed": seed}
    asked = asked_of(case, given, device=device)
    found = run(asked, out, batch, resume, skip_bad, retry_failed, progress)
    failed = int((found["state"] == FAILED).sum())
    if failed:
        warn(f"{failed} of {found['state'].size} cases failed; the variable cause says why")
    return found


def run(
    asked: Asked,
    out: str | Path | None = None,
    batch: int | None = None,
    resume: bool = False,
    skip_bad: bool = False,
    retry_failed: bool = False,
    progress: bool = False,
) -> Any:
    """Run a sweep; see `sweep`."""
    if batch is not None and (isinstance(batch, bool) or not isinstance(batch, int) or batch < 1):
        raise SettingsError(f"batch is {batch!r}, expected an integer of at least 1")
    if out is None and resume:
        raise CaseError("sweep: resume needs the folder of the sweep, out")
    if retry_failed and not resume:
        raise CaseError("sweep: --retry-failed (retry_failed=True) goes on with a sweep: give "
                        "--resume (resume=True), too")  # fmt: skip
    folder = None if out is None else path_of(out, "the sweep's folder")
    kept = None if folder is None else claim.kept(folder, asked, resume, retry_failed)
    checked = checks.look(asked)
    checks.refuse(asked, checked, skip_bad)
    chunks = _chunks(asked, checked, batch) if kept is None else tuple(kept["chunks"])
    sweeping = Sweeping.of(asked, checked, folder, chunks)
    with hold(folder):
        if folder is not None and kept is None:
            claim.begin(folder, asked, chunks)
        sweeping.go(retry_failed, progress)
    return stores.dataset(sweeping.store.place)


@dataclass(frozen=True, slots=True)
class Sweeping:
    """A sweep at work: its rows, batches and store.

    Parameters
    ----------
    regions : where each batch is among the rows, and the numbers of its rows
    """

    asked: Asked
    checked: Checked
    store: Store
    regions: list[tuple[Region, list[int]]]

    @classmethod
    def of(
        cls, asked: Asked, checked: Checked, folder: Path | None, chunks: tuple[int, ...]
    ) -> Sweeping:
        """The sweep with its batches laid out; DeviceError where one does not fit."""
        sizes = {axis.name: len(axis.values) for axis in asked.axes.axes}
        block = Block(sizes, chunks, asked.axes.coordinates(), _phases(checked.possible))
        numbers = np.arange(len(checked.cases)).reshape(asked.axes.shape)
        regions = [(region, numbers[region].ravel().tolist()) for region in block.regions()]
        checks.refuse_large(checked, [rows for _, rows in regions])
        store = Store(folder, block, variables_of(checked.possible))
        return cls(asked, checked, store, regions)

    def go(self, retry_failed: bool, progress: bool) -> None:
        """Run every batch that has not been run, and with `retry_failed` what failed again."""
        self.store.create({"title": self.asked.base.name, "format": claim.FORMAT})
        states = self.store.states().ravel()
        again = (NOT_RUN, FAILED) if retry_failed else (NOT_RUN,)
        count = len(states)
        done = int((~np.isin(states, again)).sum())
        failed, said = int((states == FAILED).sum()), dict[str, None]()
        with progress_bar(count, progress, "case", done) as bar:
            for region, rows in self.regions:
                asked = [i for i in rows if states[i] in again]
                if not asked:
                    continue
                try:
                    ran = self._batch(asked, said)
                except KeyboardInterrupt:
                    raise KeyboardInterrupt(self._farewell(done)) from None
                if len(asked) < len(rows):
                    before = dict(zip(rows, self.store.read(region), strict=True))
                    ran = before | ran
                self.store.write(region, [ran[i] for i in rows])
                failed += sum(ran[i]["state"] == FAILED for i in asked)
                failed -= int((states[asked] == FAILED).sum())
                bar.set_postfix_str(f"{failed} failed", refresh=False)
                bar.update(len(asked))
                done += len(asked)
        for text in said:
            warn(text)

    def _batch(self, rows: Sequence[int], said: dict[str, None]) -> dict[int, dict[str, Any]]:
        """Run the rows of a batch, an ensemble for each group; warnings are added to `said`."""
        checked, seed = self.checked, self.asked.axes.seed
        found = {i: {"cause": cause} for i in rows if (cause := checked.causes.get(i))}
        for part in batches.ensembles([int(checked.groups[i]) for i in rows]):
            numbers = [rows[k] for k in part]
            cases = [case for i in numbers if (case := checked.cases[i]) is not None]
            start = time.perf_counter()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                made = _ran(cases, [checked.spaces.of(case) for case in cases], self._grid)
            texts = (str(warning.message) for warning in caught)
            said |= {text: None for text in texts if not IN_ROWS.search(text)}
            device = Backend(cases[0].job.device, cases[0].job.dtype).device
            share = (time.perf_counter() - start) / len(cases)
            for i, row in zip(numbers, made, strict=True):
                found[i] = row | {"device": device, "seconds": share}
        every = {
            "version": versions()["kinemesh"],
            "host": node(),
            "seed": -1 if seed is None else seed,
        }
        return {
            i: {**every, **row, "state": FAILED if row.get("cause") else RAN}
            for i, row in found.items()
        }

    def _farewell(self, done: int) -> str:
        """How to go on after Ctrl-C, with so many cases done."""
        if self.store.path is None:
            return "interrupted; nothing was written"
        return (
            f"interrupted; {done} cases are in {self.store.path.parent}: to go on, give the same "
            "command with --resume (in Python: resume=True)"
        )

    @property
    def _grid(self) -> NDArray[np.float64]:
        return self.store.block.phase


def _chunks(asked: Asked, checked: Checked, batch: int | None) -> tuple[int, ...]:
    """Rows of a batch along each dimension."""
    job = checked.possible[0].job
    most = batches.ON_GPU if Backend(job.device, job.dtype).on_gpu else batches.ON_CPU
    groups = checked.groups.reshape(asked.axes.shape)
    return batches.chunks_of(groups, most if batch is None else batch)


def _phases(cases: Sequence[Case]) -> NDArray[np.float64]:
    """Phases of the loops [deg]: those of the steps, of the most steps where cases differ."""
    steps = max(case.job.steps_per_cycle or 0 for case in cases)
    return 360 * np.arange(steps) / max(steps, 1)


def _ran(
    cases: Sequence[Case], spaces: Sequence[Any], grid: NDArray[np.float64]
) -> list[dict[str, Any]]:
    """Rows of the cases of one ensemble; where it cannot be built or run, of its halves."""
    try:
        return rows_of(build.go(cases[0], ensemble.solver(cases, spaces)), cases, grid)
    except (*OF_INPUT, NumericalFault) as error:
        if len(cases) == 1:
            return [{"cause": str(error).replace("member 0: ", "")}]
    half = len(cases) // 2  # members have the same bits in any company
    return _ran(cases[:half], spaces[:half], grid) + _ran(cases[half:], spaces[half:], grid)
