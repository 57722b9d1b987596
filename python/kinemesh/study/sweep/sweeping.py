"""Sweeps: many variants of a case, run in ensembles, with one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names, counted
from kinemesh.cases.casefile import Case
from kinemesh.device.backend import Backend
from kinemesh.errors import CaseError, SettingsError, warn
from kinemesh.flow import memory
from kinemesh.io import store as stores
from kinemesh.io.folder import hold
from kinemesh.io.paths import path_of
from kinemesh.io.store import FAILED, NOT_RUN, Block, Region, Store
from kinemesh.run.march import progress_bar
from kinemesh.sentences import RESUME, TO_RESUME, Option, Sentence
from kinemesh.study.sweep import batches, checks, claim, work, workshop
from kinemesh.study.sweep.asked import Asked, asked_of
from kinemesh.study.sweep.case_rows import variables_of
from kinemesh.study.sweep.checks import Checked
from kinemesh.study.sweep.devices import workers_on
from kinemesh.study.sweep.work import Batch, Done

RETRY = Option("retry_failed", True, "--retry-failed")
Engine = Callable[[Mapping[int, Batch]], Iterable[tuple[int, Done]]]


@checks_names
def sweep(
    case: str | Path | Case,
    over: Mapping[str, Any] | None = None,
    *,
    zip: Sequence[Any] | None = None,
    sample: str | None = None,
    n: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    device: str | Sequence[str] | None = None,
    batch: int | None = None,
    resume: bool = False,
    skip_bad: bool = False,
    retry_failed: bool = False,
    workers: int | None = None,
    dask: str | None = None,
    progress: bool = False,
) -> Any:
    """Run many variants of a case, side by side in ensembles; one table of results.

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
    device : "auto", "cpu", "cuda" or "cuda:N", in place of the case's; several of this machine,
        such as "cuda:0,cuda:1" or a list, have a worker each
    batch : most cases side by side; if not given 4 on a CPU (with `out` at most a quarter of
        all), 5 million nodes on a GPU where its memory holds so many, or a worker's share
    resume : go on with the sweep in `out`; no batch that has ended runs again
    skip_bad : run the others where cases are impossible, which are reported as failed
    retry_failed : with `resume`: run cases that failed again, by another version too
    workers : processes that run batches side by side, each with its share of the cores
    dask : address of a Dask scheduler, such as "tcp://node1:8786", whose workers run the batches
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
    DeviceError    a device that is not there, or that cannot hold a batch; devices of two kinds
    """
    stores.packages()
    given = {"over": over, "zip": zip, "sample": sample, "n": n, "seed": seed}
    asked = asked_of(case, given, device=device)
    found = run(asked, out, batch, resume, skip_bad, retry_failed, workers, dask, progress)
    failed = int((found["state"] == FAILED).sum())
    if failed:
        warn(f"{failed} of {counted(found['state'].size)} failed; the variable cause says why")
    return found


def run(
    asked: Asked,
    out: str | Path | None = None,
    batch: int | None = None,
    resume: bool = False,
    skip_bad: bool = False,
    retry_failed: bool = False,
    workers: int | None = None,
    dask: str | None = None,
    progress: bool = False,
) -> Any:
    """Run a sweep; see `sweep`."""
    refuse_counts(batch, workers)
    if out is None and resume:
        raise CaseError("sweep: resume needs the folder of the sweep, out")
    if retry_failed and not resume:
        raise CaseError("sweep: ", RETRY, " goes on with a sweep: give ", RESUME, ", too")
    places = workshop.places_of(asked.devices, workers, dask)
    folder = None if out is None else path_of(out, "the sweep's folder")
    kept = None if folder is None else claim.kept(folder, asked, resume, retry_failed)
    checked = checks.look(asked)
    checks.refuse(asked, checked, skip_bad)
    if kept is None:
        chunks = chunks_of(asked, checked, batch, places, folder)
    else:
        chunks = tuple(kept["chunks"])
        if batch is not None and chunks_of(asked, checked, batch, places, folder) != chunks:
            raise CaseError(
                f"{folder}: batch is {batch}, and this sweep was begun with batches of "
                f"{np.prod(chunks)} cases, which its store keeps; leave batch out"
            )
    sweeping = Sweeping.of(asked, checked, folder, chunks, places)
    with workshop.engine(places, dask, asked.packages) as elsewhere, hold(folder):
        if folder is not None and kept is None:
            claim.begin(folder, asked, chunks)
        else:
            sweeping.mend()
        sweeping.go(retry_failed, progress, elsewhere or sweeping.here)
    return stores.dataset(sweeping.store.place)


def refuse_counts(batch: Any, workers: Any) -> None:
    """SettingsError where the cases of a batch, or the workers, are not counted by an integer."""
    for name, count in (("batch", batch), ("workers", workers)):
        whole = isinstance(count, int) and not isinstance(count, bool)
        if count is not None and (not whole or count < 1):
            raise SettingsError(f"{name} is {count!r}, expected an integer of at least 1")


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
        cls,
        asked: Asked,
        checked: Checked,
        folder: Path | None,
        chunks: tuple[int, ...],
        places: Sequence[str | None],
    ) -> Sweeping:
        """The sweep with its batches laid out; DeviceError where one does not fit."""
        sizes = {axis.name: len(axis.values) for axis in asked.axes.axes}
        keys = {name: key for key, name in asked.axes.names.items()}
        block = Block(sizes, chunks, asked.axes.coordinates(), _phases(checked.possible), keys)
        regions = batches.rows_of(block)
        checks.rooms(checked, [rows for _, rows in regions], places)
        variables = variables_of(checked.possible, checked.markers, checked.dimension)
        store = Store(folder, block, variables)
        return cls(asked, checked, store, regions)

    def go(self, retry_failed: bool, progress: bool, engine: Engine) -> None:
        """Run every batch that has not run; with `retry_failed`, failed cases again."""
        self.store.create({"title": self.asked.base.name, "format": claim.FORMAT})
        states = self.store.states().ravel()
        again = np.isin(states, (NOT_RUN, FAILED) if retry_failed else (NOT_RUN,))
        done, failed = int((~again).sum()), int((states[~again] == FAILED).sum())
        tasks = {n: self._batch(some) for n, (_, rows) in enumerate(self.regions)
                 if (some := [i for i in rows if again[i]])}  # fmt: skip
        said: dict[str, None] = {}
        with progress_bar(len(states), progress, "case", done) as bar:
            try:
                for n, (ran, texts) in engine(tasks):
                    self._keep(n, ran)
                    said |= dict.fromkeys(texts)
                    done += len(ran)
                    failed += sum(row["state"] == FAILED for row in ran.values())
                    bar.set_postfix_str(f"{failed} failed", refresh=False)
                    bar.update(len(ran))
            except KeyboardInterrupt:
                raise KeyboardInterrupt(self._farewell(done)) from None
        for text in said:
            warn(text)

    def mend(self) -> None:
        """Write damaged coordinates anew; let batches of which files are damaged run again."""
        for name in self.store.mend_coordinates():
            warn(f"{self.store.path}: the values of {name} were damaged, and are written anew")
        damaged = self.store.drop_damaged()
        if damaged:
            warn(f"{self.store.path}: {damaged} batches had damaged files, and run again")

    def here(self, tasks: Mapping[int, Batch]) -> Iterator[tuple[int, Done]]:
        """Run batches in this process, one after the other."""
        for n, batch in tasks.items():
            yield n, work.ran(batch, self.checked.spaces)

    def _batch(self, rows: Sequence[int]) -> Batch:
        """Batch of these rows, for a worker."""
        checked, seed = self.checked, self.asked.axes.seed
        return Batch(
            tuple(rows),
            tuple(checked.cases[i] for i in rows),
            {i: checked.causes[i] for i in rows if i in checked.causes},
            tuple(int(checked.groups[i]) for i in rows),
            self.store.block.phase,
            -1 if seed is None else seed,
        )

    def _keep(self, number: int, ran: Mapping[int, dict[str, Any]]) -> None:
        """Write the rows of a batch, beside those already in the store."""
        region, rows = self.regions[number]
        if len(ran) < len(rows):
            ran = dict(zip(rows, self.store.read(region), strict=True)) | dict(ran)
        self.store.write(region, [ran[i] for i in rows])

    def _farewell(self, done: int) -> str:
        """Advice on resuming after Ctrl-C, with the number of cases done."""
        if self.store.path is None:
            return "interrupted; nothing was kept, as the sweep has no folder (out)"
        there = f"{counted(done)} {'is' if done == 1 else 'are'} in {self.store.path.parent}"
        text = f"interrupted; {there}: to go on, give the same command with "
        return Sentence(text, TO_RESUME)


def chunks_of(
    asked: Asked,
    checked: Checked,
    batch: int | None,
    places: Sequence[str | None],
    folder: Path | None,
) -> tuple[int, ...]:
    """Number of rows of a batch along each dimension; by default one batch per worker.

    On a CPU a folder gets several batches, as what stops the sweep costs the one that runs.
    """
    groups = checked.groups.reshape(asked.axes.shape)
    if batch is not None:
        return batches.chunks_of(groups, batch)
    most, parts, job = batches.ON_CPU, max(len(places), 1), checked.possible[0].job
    backend = Backend(job.device, job.dtype)
    if backend.on_gpu:
        largest = int(np.argmax(checked.nodes))
        case = checked.cases[largest]
        assert case is not None  # impossible ones have no nodes
        nodes, free = int(checked.nodes[largest]), memory.available(backend)
        own = None if free is None else free // workers_on(backend.device, places)
        most = batches.most_on_gpu(nodes, checks.needed(checked, case), own)
    elif folder is not None:
        parts = max(parts, batches.LEAST_ON_CPU)
    return batches.chunks_of(groups, min(most, -(-len(checked.cases) // parts)))


def _phases(cases: Sequence[Case]) -> NDArray[np.float64]:
    """Phases of the loops [deg]: those of the steps, in the case with the most."""
    steps = max(case.job.steps_per_cycle or 0 for case in cases)
    return 360 * np.arange(steps) / max(steps, 1)
