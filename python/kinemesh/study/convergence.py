"""One case on several sizes or time steps: observed order, extrapolated values, index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError, warn
from kinemesh.io.columns import LOADS, WAKE
from kinemesh.io.html import table_of, text_of
from kinemesh.loops.harmonics import FloatArray
from kinemesh.loops.loop import Loop, loop_of_history
from kinemesh.results import Run
from kinemesh.results.run_table import framed
from kinemesh.run.resume import MESH
from kinemesh.study.alike import Chosen, chosen, refuse_others
from kinemesh.study.channel_flow import idle, names_of
from kinemesh.study.norms import Exact, Norm, check_times, errors_of, rows_of
from kinemesh.study.richardson import CELLS, STEP, Order, order_of
from kinemesh.wiring import done_by

NEAREST, NEAR = 1.05, 1.3  # ratios of sizes: the least, and that which Celik et al. ask for
ROUNDED = 16.0  # units in the last place of a load that is a sum over the wall
POWERS = (2.0, 1.0)  # of the lift, with which loads of the wake go
LAST = 10.0  # of the last residual; how much a load changes as it falls so far is its noise


@dataclass(frozen=True, slots=True, repr=False)
class Convergence:
    """One case on several sizes or time steps, the finest first; as text, a table.

    Parameters
    ----------
    labels : (runs,)     size of each run, or its number of steps
    unknowns : (runs,)   nodes, cells or points of each run
    sizes : (runs,)      of the cells, over those of the finest: N^(-1/2), in space N^(-1/3); or
        time steps over the smallest
    values : {quantity: (runs,)}    cl, cd, cm, of wings cd_induced and cm_bending; of unsteady
        runs mean and amplitude of the loops (cl_mean, cl_amplitude, ...) and the work per cycle;
        over time steps in place of the amplitude, which steps may miss, the first harmonic's parts
        (cl_sin, cl_cos)
    noise : {quantity: (runs,)}     by how much each is uncertain on its size: the change in the
        last cycle, of a steady run in the last tenfold fall of the residual, and round-off; of
        loads of the wake as the lift's changes them
    orders : {quantity: Order}      of the finest three sizes
    notes : what takes from the orders
    of : "size of the cells" or "time step"
    errors : {field and norm: Norm}     against `exact`; none without it
    """

    labels: tuple[str, ...]
    unknowns: tuple[int, ...]
    sizes: FloatArray
    values: Mapping[str, FloatArray]
    noise: Mapping[str, FloatArray]
    orders: Mapping[str, Order]
    notes: tuple[str, ...] = ()
    of: str = CELLS
    errors: Mapping[str, Norm] = field(default_factory=dict)
    sources: Any = field(default=(), repr=False, compare=False)  # run and member of each

    def table(self) -> Any:
        """Rows of quantity, values by number of unknowns, order, extrapolated value and index.

        Returns
        -------
        pandas.DataFrame, or where pandas is not installed a structured array
        """
        runs = map(str, self.unknowns) if self.of == CELLS else self.labels
        names = ["quantity", *runs, "order", "extrapolated", "uncertainty"]
        names += ["index", "remark"]
        return framed(dict(zip(names, map(list, zip(*self._rows(), strict=True)), strict=True)))

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of every quantity over the size of the cells (`kinemesh.plot.sizes`).

        CaseError of runs by time, which have errors alone.
        """
        if not self.values:
            raise CaseError("convergence: no loads to draw; plot_errors() draws the errors")
        return done_by("Convergence.plot")(self, path=path)

    def plot_errors(self, path: str | Path | None = None) -> Any:
        """Figure of the errors over the size of the cells; CaseError where `exact` was not given.

        Both axes are logarithmic.
        """
        if not self.errors:
            raise CaseError("convergence: no errors to draw; give the exact flow by exact=")
        return done_by("Convergence.plot_errors")(self, path=path)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for name, values in self.values.items():
            own = self.orders[name]
            numbers = own.order, own.extrapolated, own.uncertainty, own.index
            yield name, *map(float, values), *numbers, own.why
        for row in rows_of(self.errors):
            yield *row, None, None, None, "of the finest two"

    def _shown(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]], str]:
        """Head, rows with the index in per cent, and caption of the table."""
        head = ("", *self.labels, "order", "extrapolated", "+-", "GCI [%]", "remark")
        rows = [(*r[:-2], None if r[-2] is None else 100 * r[-2], r[-1]) for r in self._rows()]
        ratios = " and ".join(f"{r:.3g}" for r in self.sizes[1:3] / self.sizes[:2])
        kinds = "sizes" if self.of == CELLS else "time steps"
        about = f"the finest three of {len(self.labels)} {kinds}, ratios {ratios}"
        return head, rows, "; ".join([about, *self.notes])

    def __str__(self) -> str:
        head, rows, caption = self._shown()
        return text_of(head, rows, caption)

    def __repr__(self) -> str:
        each = {name: own.order for name, own in self.orders.items()}
        each |= {f"{name} error": float(own.orders[0]) for name, own in self.errors.items()}
        told = [f"{name} " + ("none" if p is None else f"{p:.3g}") for name, p in each.items()]
        return f"Convergence({', '.join(self.labels)}: orders {', '.join(told)})"

    def _repr_html_(self) -> str:
        return table_of(*self._shown())


@checks_names
def convergence(
    runs: Run | Sequence[Run | str | Path], member: int | None = None, exact: Exact | None = None
) -> Convergence:
    """Find the order at which one case converges over three sizes, or time steps, or more.

    Runs on equal meshes with several numbers of steps per cycle are over time steps, all others
    over sizes.

    After Celik et al. (2008): order, extrapolated value and grid-convergence index with a safety
    factor of 1.25, of the finest three sizes.  A quantity has no order where its values differ by
    no more than the runs have converged to, or where differences do not fall.

    Parameters
    ----------
    runs : runs, or their folders, in any order; or one ensemble whose members are the sizes
    member : int    of ensembles in a list, from 0
    exact : function of points (n, d), or of points and the time, that returns the fields of the
        exact flow by the names of `run.fields()`, such as {"Pressure": p, "Velocity": u}; the
        errors at the ends of the runs then have norms L1, L2 and Linf, and their orders.  Runs by
        time_step and steps will do, of which errors alone are told

    Raises
    ------
    CaseError    fewer than three sizes, equal ones, or ratios below 1.05 among the finest three (a
        warning below 1.3); runs of different cases, far fields, schemes or methods; a run that did
        not finish, failed, did not converge, or whose loop is not periodic
    """
    every = sorted(
        _chosen(runs, member, exact is not None), key=lambda own: (-own.unknowns, _step(own))
    )
    told: dict[str, None] = {}
    for other in every[1:]:
        if other.method != every[0].method:
            raise CaseError(
                f"convergence: {every[0].name} is by the method {every[0].method}, {other.name} by "
                f"{other.method}; km.compare(run_a, run_b) has the differences of two methods",
                expected="runs by one method",
            )
        told |= dict.fromkeys(refuse_others("convergence", every[0], other, sizes=True))
    of = STEP if _by_steps(every) else CELLS
    sizes = _sizes(every, of)
    values, noise = _values(every, of)
    three = sizes[:3].tolist()
    orders = {n: order_of(v[:3].tolist(), three, noise[n][:3].tolist(), of)
              for n, v in values.items()}  # fmt: skip
    notes = (*told, *_notes(every, sizes, of))
    for note in notes:
        warn(note, about="convergence")
    errors = {}
    if exact is not None:
        check_times(every)
        errors = errors_of(every, sizes, exact)
    labels = tuple(own.size if of == CELLS else _steps(own) for own in every)
    counts = tuple(own.unknowns for own in every)
    sources = tuple((own.run, own.member) for own in every)
    return Convergence(labels, counts, sizes, values, noise, orders, notes, of, errors, sources)


def _values(
    every: Sequence[Chosen], of: str
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Quantities (runs,) that all runs have, and their noise; none of runs by time."""
    if every[0].by_time:
        return {}, {}
    found = [_of_steady(own) if own.steady else _of_loop(own, of) for own in every]
    names = [n for n in found[0] if all(np.isfinite(own.get(n, (np.nan,))[0]) for own in found)]
    values, noise = (
        {name: np.array([own[name][k] for own in found]) for name in names} for k in (0, 1)
    )
    return values, noise


def _step(own: Chosen) -> float:
    """Time step of a run, in any unit; 0 of a steady one."""
    return 0.0 if own.steady else own.step


def _steps(own: Chosen) -> str:
    """Time step of a run in words."""
    return f"time step {own.step:g}" if own.by_time else f"{own.loop().steps} steps"


def _by_steps(every: Sequence[Chosen]) -> bool:
    """True of unsteady runs of one size by several time steps; CaseError of several meshes."""
    if every[0].steady or len({own.unknowns for own in every}) > 1:
        return False
    if len({own.step for own in every}) == 1:
        return False
    prints = {str(own.identity.get(MESH, [None] * own.run.members)[own.member]) for own in every}
    if len(prints) > 1:
        raise CaseError(
            f"convergence: runs by several time steps are on other meshes of {every[0].size} each, "
            "expected one mesh"
        )
    return True


def _chosen(runs: Any, member: int | None, by_time: bool) -> list[Chosen]:
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
        own = chosen(run, m, "convergence", f"run {number}", by_time)
        name = own.name if m is None else f"member {m} of {own.name}"
        if not own.result["converged"]:
            raise CaseError(
                f"convergence: {name} did not converge, expected runs that did; what they differ "
                "by would be of their residuals too"
            )
        if not own.steady and not own.by_time and not own.loop().periodic:
            change = own.loop().change
            told = (
                "has one cycle, and is periodic or not"
                if change is None
                else f"is not periodic, its loop changes by {100 * change:.2g} % a cycle"
            )
            raise CaseError(f"convergence: {name} {told}; run more cycles")
        found.append(own)
    return found


def _sizes(every: Sequence[Chosen], of: str) -> FloatArray:
    """Sizes, or steps, over those of the first; CaseError where they are equal or too near."""
    counts = np.array([own.unknowns for own in every], float)
    sizes = (counts / counts[0]) ** (-1 / every[0].dimensions)
    if of == STEP:
        sizes = np.array([own.step for own in every]) / every[0].step
    each = [own.size if of == CELLS else _steps(own) for own in every]
    for k, ratio in enumerate(sizes[1:] / sizes[:-1]):
        if ratio == 1 or (k < 2 and ratio < NEAREST):
            raise CaseError(
                f"convergence: {every[k].name} has {each[k]} and {every[k + 1].name} "
                f"{each[k + 1]}, a ratio of {'sizes' if of == CELLS else 'steps'} of {ratio:.3g}; "
                f"expected at least {NEAREST:g}, better {NEAR:g} and more"
            )
    return np.asarray(sizes)


def _notes(every: Sequence[Chosen], sizes: FloatArray, of: str) -> Iterator[str]:
    """Reasons to mistrust the orders."""
    ratios = sizes[1:3] / sizes[:2]
    if ratios.min() < NEAR:
        told = " and ".join(f"{ratio:.3g}" for ratio in ratios)
        kinds = "sizes" if of == CELLS else "steps"
        yield f"ratios of {kinds} are {told}, expected {NEAR:g} and more: orders are uncertain"
    if len({own.run.summary.get("dtype") for own in every}) > 1:
        yield "the precision is not that of all runs"
    if of == CELLS and len({_step(own) for own in every}) > 1:
        kinds = "time steps" if every[0].by_time else "steps per cycle"
        yield f"{kinds} are not those of all runs: orders are of space and time together"


def _of_steady(own: Chosen) -> dict[str, tuple[float, float]]:
    """Loads, or what passes the ends of a channel without any, and how uncertain each is."""
    rows, result = own.run.history.member(own.member), own.result
    residual = rows["residual"]
    last = residual <= LAST * residual[-1]
    last[-2:] = True
    loads = {name: float(result.get(name, np.nan)) for name in LOADS}
    ends = names_of(own, own) if idle(loads) else []
    found = {}
    for name, value in ({name: float(result[name]) for name in ends} or loads).items():
        found[name] = value, float(np.ptp(rows[name][last])) + _rounding(own, value)
    if ends:
        return found
    lift, swing = found["cl"]
    for name, power in zip(WAKE, POWERS, strict=True):
        load = float(result.get(name, np.nan))
        if lift:
            noise = power * abs(load / lift) * swing
            found[name] = load, noise + _rounding(own, load)
    return found


def _of_loop(own: Chosen, of: str) -> dict[str, tuple[float, float]]:
    """Numbers of the loop, and by how much each changed in the last cycle."""
    rows = own.run.history.member(own.member)
    loop = own.loop()
    before = loop_of_history(rows.until(int(rows["step"][-1]) - loop.steps), None)
    old = _numbers(before, of)
    return {
        name: (value, abs(value - old[name]) + _rounding(own, value))
        for name, value in _numbers(loop, of).items()
    }


def _numbers(loop: Loop, of: str) -> dict[str, float]:
    """Numbers of a loop that are asked for their order."""
    found: dict[str, float] = {}
    for name in LOADS:
        load = getattr(loop, name)
        if load is not None:
            found[f"{name}_mean"] = load.mean
            if of == CELLS:
                found[f"{name}_amplitude"] = load.amplitude
            else:  # half of the range of few steps misses the extremes
                first = load.harmonics[0]
                found |= {f"{name}_sin": first.sin, f"{name}_cos": first.cos}
    return found | ({} if loop.work is None else {"work": loop.work})


def _rounding(own: Chosen, value: float) -> float:
    """Round-off of a load in the precision of the run."""
    dtype = np.dtype(own.run.summary.get("dtype") or "float64")
    return ROUNDED * float(np.finfo(dtype).eps) * max(abs(value), 1.0)
