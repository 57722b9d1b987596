"""One case on several sizes: observed order, extrapolated values, grid-convergence index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError, warn
from kinemesh.io.columns import LOADS
from kinemesh.io.html import table_of, text_of
from kinemesh.loops.harmonics import FloatArray
from kinemesh.loops.loop import Loop, loop_of_history
from kinemesh.results import Run
from kinemesh.results.table import framed
from kinemesh.study.alike import Chosen, chosen, refuse_others
from kinemesh.study.richardson import Order, order_of
from kinemesh.wiring import done_by

NEAREST, NEAR = 1.05, 1.3  # ratios of sizes: the least, and that which Celik et al. ask for
ROUNDED = 16.0  # units in the last place of a load that is a sum over the wall
LAST = 10.0  # of the last residual; how much a load changes as it falls so far is its noise


@dataclass(frozen=True, slots=True, repr=False)
class Convergence:
    """One case on several sizes, the finest first; as text, a table.

    Parameters
    ----------
    labels : (runs,)     method and size of each run
    unknowns : (runs,)   nodes, cells or points of each run
    sizes : (runs,)      of the cells, over those of the finest: N^(-1/2), in space N^(-1/3)
    values : {quantity: (runs,)}    cl, cd, cm; of unsteady runs mean and amplitude of the loops
        (cl_mean, cl_amplitude, ...) and the work per cycle
    noise : {quantity: (runs,)}     by how much each is uncertain on its size: the change in the
        last cycle, of a steady run in the last tenfold fall of the residual, and round-off
    orders : {quantity: Order}      of the finest three sizes
    notes : what takes from the orders
    """

    labels: tuple[str, ...]
    unknowns: tuple[int, ...]
    sizes: FloatArray
    values: Mapping[str, FloatArray]
    noise: Mapping[str, FloatArray]
    orders: Mapping[str, Order]
    notes: tuple[str, ...] = ()

    def table(self) -> Any:
        """Rows of quantity, values by number of unknowns, order, extrapolated value and index.

        Returns
        -------
        pandas.DataFrame, or where pandas is not installed a structured array
        """
        names = ["quantity", *map(str, self.unknowns), "order", "extrapolated", "uncertainty"]
        names += ["index", "remark"]
        return framed(dict(zip(names, map(list, zip(*self._rows(), strict=True)), strict=True)))

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of every quantity over the size of the cells (`kinemesh.plot.sizes`)."""
        return done_by("Convergence.plot")(self, path=path)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for name, values in self.values.items():
            own = self.orders[name]
            numbers = own.order, own.extrapolated, own.uncertainty, own.index
            yield name, *map(float, values), *numbers, own.why

    def _shown(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]], str]:
        """Head, rows with the index in per cent, and caption of the table."""
        head = ("", *self.labels, "order", "extrapolated", "+-", "GCI [%]", "remark")
        rows = [(*r[:-2], None if r[-2] is None else 100 * r[-2], r[-1]) for r in self._rows()]
        ratios = " and ".join(f"{r:.3g}" for r in self.sizes[1:3] / self.sizes[:2])
        about = f"the finest three of {len(self.labels)} sizes, ratios {ratios}"
        return head, rows, "; ".join([about, *self.notes])

    def __str__(self) -> str:
        head, rows, caption = self._shown()
        return text_of(head, rows, caption)

    def __repr__(self) -> str:
        told = [
            f"{name} " + ("none" if own.order is None else f"{own.order:.3g}")
            for name, own in self.orders.items()
        ]
        return f"Convergence({', '.join(self.labels)}: orders {', '.join(told)})"

    def _repr_html_(self) -> str:
        return table_of(*self._shown())


@checks_names
def convergence(runs: Run | Sequence[Run | str | Path], member: int | None = None) -> Convergence:
    """Find the order at which the loads of one case converge over three sizes or more.

    After Celik et al. (2008): order, extrapolated value and grid-convergence index with a safety
    factor of 1.25, of the finest three sizes.  A quantity has no order where its values differ by
    no more than the runs have converged to, or where differences do not fall.

    Parameters
    ----------
    runs : runs, or their folders, in any order; or one ensemble whose members are the sizes
    member : int    of ensembles in a list, from 0

    Raises
    ------
    CaseError    fewer than three sizes, equal ones, or ratios below 1.05 among the finest three (a
        warning below 1.3); runs of different cases, far fields, schemes or methods; a run that did
        not finish, failed, did not converge, or whose loop is not periodic
    """
    every = sorted(_chosen(runs, member), key=lambda own: -own.unknowns)
    told: dict[str, None] = {}
    for other in every[1:]:
        if other.method != every[0].method:
            raise CaseError(
                f"convergence: {every[0].name} is by the method {every[0].method}, {other.name} by "
                f"{other.method}; km.compare(run_a, run_b) has the differences of two methods",
                expected="runs by one method",
            )
        told |= dict.fromkeys(refuse_others("convergence", every[0], other, sizes=True))
    sizes = _sizes(every)
    found = [_of_steady(own) if own.steady else _of_loop(own) for own in every]
    names = [n for n in found[0] if all(np.isfinite(own.get(n, (np.nan,))[0]) for own in found)]
    values, noise = (
        {name: np.array([own[name][k] for own in found]) for name in names} for k in (0, 1)
    )
    three = sizes[:3].tolist()
    orders = {n: order_of(values[n][:3].tolist(), three, noise[n][:3].tolist()) for n in names}
    notes = (*told, *_notes(every, sizes))
    for note in notes:
        warn(note, about="convergence")
    labels = tuple(own.size for own in every)
    counts = tuple(own.unknowns for own in every)
    return Convergence(labels, counts, sizes, values, noise, orders, notes)


def _chosen(runs: Any, member: int | None) -> list[Chosen]:
    """Members of runs that converged; CaseError for others, and for fewer than three."""
    if isinstance(runs, Run):
        if member is not None:
            raise CaseError(
                f"convergence: member is {member!r}, and the members of one run are the sizes"
            )
        each: list[tuple[Any, int | None]] = [(runs, m) for m in range(runs.members)]
    elif isinstance(runs, Sequence) and not isinstance(runs, str):
        each = [(run, member) for run in runs]
    else:
        raise CaseError(f"convergence: runs is {runs!r}, expected a list of runs or folders")
    if len(each) < 3:
        raise CaseError(f"convergence: {len(each)} sizes, expected at least three")
    found = []
    for number, (run, m) in enumerate(each):
        own = chosen(run, m, "convergence", f"run {number}")
        name = own.name if m is None else f"member {m} of {own.name}"
        if not own.result["converged"]:
            raise CaseError(
                f"convergence: {name} did not converge, expected runs that did; what they differ "
                "by would be of their residuals too"
            )
        if not own.steady and not own.loop().periodic:
            change = own.loop().change
            told = (
                "has one cycle, and is periodic or not"
                if change is None
                else f"is not periodic, its loop changes by {100 * change:.2g} % a cycle"
            )
            raise CaseError(f"convergence: {name} {told}; run more cycles")
        found.append(own)
    return found


def _sizes(every: Sequence[Chosen]) -> FloatArray:
    """Sizes of the cells over those of the first; CaseError where they are equal or too near."""
    counts = np.array([own.unknowns for own in every], float)
    sizes = (counts / counts[0]) ** (-1 / every[0].dimensions)
    for k, ratio in enumerate(sizes[1:] / sizes[:-1]):
        if ratio == 1 or (k < 2 and ratio < NEAREST):
            raise CaseError(
                f"convergence: {every[k].name} has {every[k].size} and {every[k + 1].name} "
                f"{every[k + 1].size}, a ratio of sizes of {ratio:.3g}; expected at least "
                f"{NEAREST:g}, better {NEAR:g} and more"
            )
    return np.asarray(sizes)


def _notes(every: Sequence[Chosen], sizes: FloatArray) -> Iterator[str]:
    """Reasons to mistrust the orders."""
    ratios = sizes[1:3] / sizes[:2]
    if ratios.min() < NEAR:
        told = " and ".join(f"{ratio:.3g}" for ratio in ratios)
        yield f"ratios of sizes are {told}, expected {NEAR:g} and more: orders are uncertain"
    if len({own.run.summary.get("dtype") for own in every}) > 1:
        yield "the precision is not that of all runs"
    if not every[0].steady and len({own.loop().steps for own in every}) > 1:
        yield "steps per cycle are not those of all runs: orders are of space and time together"


def _of_steady(own: Chosen) -> dict[str, tuple[float, float]]:
    """Loads, and by how much each is uncertain."""
    rows, result = own.run.history.member(own.member), own.result
    residual = rows["residual"]
    last = residual <= LAST * residual[-1]
    last[-2:] = True
    found = {}
    for name in LOADS:
        value = float(result.get(name, np.nan))
        found[name] = value, float(np.ptp(rows[name][last])) + _rounding(own, value)
    return found


def _of_loop(own: Chosen) -> dict[str, tuple[float, float]]:
    """Numbers of the loop, and by how much each changed in the last cycle."""
    rows = own.run.history.member(own.member)
    loop = own.loop()
    before = loop_of_history(rows.until(int(rows["step"][-1]) - loop.steps), None)
    old = _numbers(before)
    return {
        name: (value, abs(value - old[name]) + _rounding(own, value))
        for name, value in _numbers(loop).items()
    }


def _numbers(loop: Loop) -> dict[str, float]:
    """Numbers of a loop that are asked for their order."""
    found: dict[str, float] = {}
    for name in LOADS:
        load = getattr(loop, name)
        if load is not None:
            found |= {f"{name}_mean": load.mean, f"{name}_amplitude": load.amplitude}
    return found | ({} if loop.work is None else {"work": loop.work})


def _rounding(own: Chosen, value: float) -> float:
    """Round-off of a load in the precision of the run."""
    dtype = np.dtype(own.run.summary.get("dtype") or "float64")
    return ROUNDED * float(np.finfo(dtype).eps) * max(abs(value), 1.0)
