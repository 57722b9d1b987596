"""Program `kinemesh sweep`: its options, output and exit status."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.arguments import counted
from kinemesh.cases.changes import several
from kinemesh.errors import CaseError
from kinemesh.io.paths import expanded

FAILED, UNCONVERGED = 1, 3  # exit status
STATUS = (
    "Exit status: 0 done; 1 a case failed, or was impossible and skipped; 2 wrong usage or wrong "
    "input; 3 all cases ran, but some did not converge; 130 interrupted."
)


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The options of `kinemesh sweep`."""
    add = command.add_argument
    add("case", metavar="CASE", help="ready case, or case file, which may have a table [sweep]")
    _add_asked(add)
    add("--method", metavar="NAME", help="solver of every case, as of `kinemesh run`")
    mesh = command.add_mutually_exclusive_group()
    mesh.add_argument(
        "--size",
        choices=("coarse", "medium", "fine"),
        help="generated mesh (or cloud) of every case, as of `kinemesh run`",
    )
    mesh.add_argument("--nodes", type=int, metavar="N", help="generated mesh of about N nodes")
    mesh.add_argument("--points", type=int, metavar="N", help="wing of about N nodes or points")
    add(
        "--device",
        metavar="DEV",
        help="auto, cpu, cuda or cuda:N; cuda:0,cuda:1 or cpu,cpu: a worker each",
    )
    add(
        "--batch",
        type=int,
        metavar="N",
        help="most cases side by side (docs/sweeps.md says how many by default)",
    )
    add("--out", type=Path, metavar="DIR", help="folder of the result (default: the case's name)")
    add("--list", action="store_true", help="check and list the cases; run none")
    add("--skip-bad", action="store_true", help="run the others where cases are impossible")
    add("--resume", action="store_true", help="go on with the sweep in the folder")
    add("--retry-failed", action="store_true", help="with --resume: run failed cases again")
    on = command.add_mutually_exclusive_group()
    on.add_argument("--workers", type=int, metavar="N", help="processes that share the batches")
    on.add_argument("--dask", metavar="ADDRESS", help="scheduler of Dask whose workers run them")
    add("--quiet", action="store_true", help="no progress, no words at the end")


def _add_asked(add: Any) -> None:
    """Add the options that override keys of [sweep], and --set."""
    add(
        "--over",
        metavar="KEY=VALUES",
        action="append",
        help="values of a key, such as flow.mach=0.6,0.7, or as many between two, as in "
        "flow.mach=0.6:0.8:5; may be given again, for another key",
    )
    add(
        "--zip",
        metavar="KEY,KEY",
        action="append",
        help="keys of --over that vary together; may be given again, for another group",
    )
    add(
        "--sample",
        metavar="KIND",
        help="latin-hypercube: --n cases within ranges, such as --over flow.mach=0.6,0.78",
    )
    add("--n", type=int, metavar="N", help="cases of the sample")
    add("--seed", type=int, metavar="N", help="of the sample's random numbers (default 0)")
    add(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="another value for a key of every case, such as flow.mach=0.6; may be given again",
    )


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keys of [sweep] that the options give, None where they do not."""
    over: dict[str, Any] | None = None if arguments.over is None else {}
    for change in arguments.over or ():
        key, values = several(change)
        assert over is not None
        if key in over:
            raise CaseError(f"--over {change}: {key} is given twice")
        over[key] = values
    zipped = arguments.zip and [
        [key.strip() for key in group.split(",")] for group in arguments.zip
    ]
    more = {name: getattr(arguments, name) for name in ("sample", "n", "seed")}
    return {"over": over, "zip": zipped, **more}


def main(arguments: argparse.Namespace) -> int:
    """Run `kinemesh sweep`; the exit status."""
    from kinemesh.io import store
    from kinemesh.study.sweep import listing, sweeping, workshop
    from kinemesh.study.sweep.asked import asked_of

    store.packages()
    nodes = arguments.nodes if arguments.size is None else arguments.size
    given = _given(arguments)
    asked = asked_of(
        arguments.case, given, arguments.set, arguments.device, nodes, arguments.method,
        points=arguments.points,
    )  # fmt: skip
    if arguments.list:
        sweeping.refuse_counts(arguments.batch, arguments.workers)
        places = workshop.places_of(asked.devices, arguments.workers, arguments.dask)
        return listing.show(asked, arguments.batch, places)
    out = arguments.out or asked.base.job.out or asked.base.name
    found = sweeping.run(
        asked,
        out=out,
        batch=arguments.batch,
        resume=arguments.resume,
        skip_bad=arguments.skip_bad,
        retry_failed=arguments.retry_failed,
        workers=arguments.workers,
        dask=arguments.dask,
        progress=not arguments.quiet,
    )
    return _end(found, expanded(out), arguments.quiet)


def _periodic(found: Any) -> list[str]:
    """Warnings about cases that are not periodic, or not known to be."""
    if "periodic" not in found:
        return []
    ran = found["state"].values == 1
    periodic = found["periodic"].values[ran]
    open_loops, unknown = int((periodic == 0).sum()), int(np.isnan(periodic).sum())
    one, these = open_loops == 1, unknown == 1
    said = [
        f"{counted(open_loops)} {'is' if one else 'are'} not periodic, the last cycle differs from "
        "the one before (variable change): raise run.cycles"
    ]
    asked = (
        f"whether {counted(unknown)} {'is' if these else 'are'} periodic is not known of one "
        "cycle: raise run.cycles"
    )
    return [*(said if open_loops else []), *([asked] if unknown else [])]


def _end(found: Any, out: Path, quiet: bool) -> int:
    """Print the outcome of the cases; returns the exit status."""
    state, converged = found["state"].values.ravel(), found["converged"].values.ravel()
    failed = int((state == 2).sum())
    short = int((~converged[state == 1]).sum())
    if not quiet:
        print(f"{counted(state.size)}: {state.size - failed} ran, {failed} failed, {short} of "
              f"those that ran did not converge; results in {out}")  # fmt: skip
        for text in _periodic(found):
            print(text)
    if failed:
        causes = dict.fromkeys(str(text) for text in found["cause"].values.ravel() if text)
        some = "; ".join(list(causes)[:3])
        more = f"; and {counted(len(causes) - 3, 'more cause')}" if len(causes) > 3 else ""
        print(f"kinemesh: {counted(failed)} failed: {some}{more}", file=sys.stderr)
        return FAILED
    return UNCONVERGED if short else 0
