"""The program `kinemesh`: run, check, sweep, compare, convergence, cases, ...

Exit status: 0 done; 1 a run that failed; 2 wrong usage or wrong input; 3 a run that did not
converge; 130 interrupted.
The solver is imported by the commands that need it, so that `kinemesh --help` is fast.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kinemesh import bench
from kinemesh import cli_views as views
from kinemesh.errors import KinemeshError, NumericalFault, did_you_mean
from kinemesh.flow import registry
from kinemesh.io.paths import expanded
from kinemesh.io.shell_words import complain, in_shell, warn
from kinemesh.sentences import Sentence, joined, said
from kinemesh.study import shell as studies
from kinemesh.study.flutter import program as flutter
from kinemesh.study.sweep import shell as sweeps

FAILED, WRONG, UNCONVERGED, INTERRUPTED = 1, 2, 3, 130
STATUS = (
    "Exit status: 0 done; 1 the run failed or diverged; 2 wrong usage or wrong input; 3 the run "
    "ended, but a steady run missed its residual drop or a step of the last cycle did not "
    "converge; 130 interrupted."
)


class _Parser(argparse.ArgumentParser):
    """A parser, of the program or of a command, that names the option nearest to a wrong one.

    An option cut short is a wrong one: --cycle 1 would replace the run of all cycles.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **(more | {"allow_abbrev": False}))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        args = views.joined(sys.argv[1:] if args is None else args)
        if self._subparsers is not None and (told := views.no_command(args, COMMANDS)):
            self.error(told)
        found, rest = super().parse_known_args(args, namespace)
        for word in rest:
            options = [name for name in self._option_string_actions if name.startswith("--")]
            hint = did_you_mean(word.split("=")[0], options, quote="")
            if hint:
                self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return found, rest


class _Version(argparse.Action):
    """Print the version; looked up when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from kinemesh.io.summary import versions

        print(f"kinemesh {versions()['kinemesh']}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = _Parser(prog="kinemesh", description="Unsteady aerodynamics of moving bodies.")
    top.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_run(commands)
    _add_check(commands)
    sweeps.add_arguments(
        commands.add_parser(
            "sweep",
            help="run many cases made of one",
            description="Run many cases made of one side by side in ensembles: every combination "
            "of the values in --over, or in the table [sweep] of a case file.",
            epilog=sweeps.STATUS,
        )
    )
    studies.add_commands(commands)
    flutter.add_command(commands)
    commands.add_parser("cases", help="list the ready cases")
    commands.add_parser("info", help="devices, threads and versions")
    plot = commands.add_parser("plot", help="draw the figures of a run again")
    plot.add_argument("folder", metavar="DIR", type=Path, help="output folder of a run")
    plot.add_argument(
        "--members", action="store_true", help="of an ensemble also the figures of each member"
    )
    plot.add_argument(
        "--animate",
        nargs="?",
        const="mach",
        choices=("mach", "cp", "vorticity", "eddies"),
        help="(after DIR) a film of the last cycle instead: of the Mach number, cp, vorticity or "
        "eddy viscosity",
    )
    views.add_reference(plot)
    _add_format(plot, ("gif", "mp4"), None)
    views.add_arguments(plot)
    bench.add_arguments(commands.add_parser("bench", help="measure what a step is made of"))
    return top


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
        "run",
        help="run a case",
        description="Run a ready case (see `kinemesh cases`) or a case file. "
        "Options stand above what the case says.",
        epilog=STATUS,
    )
    _add_case(run)
    run.add_argument(
        "--resume", action="store_true", help="go on with the run in the output folder"
    )
    run.add_argument(
        "--overwrite", action="store_true", help="replace another run in the output folder"
    )
    run.add_argument("--quiet", action="store_true", help="no progress, no table at the end")
    _add_format(run)
    views.add_arguments(run)


def _add_format(command: Any, films: tuple[str, ...] = (), default: str | None = "png") -> None:
    of_films = f", or of a film: {' or '.join(films)}" if films else ""
    command.add_argument(
        "--format",
        choices=("png", "pdf", "svg", *films),
        default=default,
        help=f"of the figures: png, pdf or svg{of_films}",
    )


def _add_check(commands: Any) -> None:
    look = commands.add_parser(
        "check",
        help="look at a case without solving it",
        description="Make or read the mesh, look at its markers and quality, the motion, the "
        "time step, the device and its memory, and move the mesh alone through a cycle.",
    )
    _add_case(look)
    look.add_argument("--quiet", action="store_true", help="no progress")


def _add_case(command: Any) -> None:
    """The case and the options that stand above it."""
    add = command.add_argument
    add("case", metavar="CASE|FILE.toml", help="name of a ready case, or a case file")
    add(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="another value for a key of the case, such as flow.mach=0.6; may be given again",
    )
    add("--device", metavar="DEV", help="auto, cpu, cuda or cuda:N")
    add("--dtype", choices=("float64", "float32"), help="precision of the flow")
    add("--method", metavar="NAME", help=f"solver: {registry.in_words()}")
    mesh = command.add_mutually_exclusive_group()
    mesh.add_argument(
        "--size",
        choices=("coarse", "medium", "fine"),
        help="generated mesh (or cloud) of 5 000, 24 000 or 94 000 nodes, or what `sizes` says",
    )
    mesh.add_argument("--nodes", type=int, metavar="N", help="generated mesh of about N nodes")
    mesh.add_argument("--mesh", type=Path, metavar="FILE", help="mesh file instead")
    mesh.add_argument("--points", type=int, metavar="N", help="wing of about N nodes or points")
    add("--cloud", choices=("regular", "irregular"), help="kind of a wing's cloud")
    add("--deform", choices=registry.CELLS, help="how the mesh follows the body")
    add("--cycles", type=float, metavar="N", help="cycles of the motion; the most, see --until")
    add(
        "--until",
        choices=("cycles", "periodic"),
        help="run as many cycles as asked, or until the last one is like the one before",
    )
    add("--steps-per-cycle", type=int, metavar="N", help="time steps per cycle")
    add(
        "--no-preflight",
        action="store_true",
        help="do not move the mesh alone through a cycle first",
    )
    add("--energy", action="store_true", help="measure joules, where there are meters")
    add("--out", type=Path, metavar="DIR", help="output folder (default: the case's name)")


def case_of(arguments: argparse.Namespace) -> Any:
    """The case with the options of the command line."""
    from kinemesh import cases

    first = {name: getattr(arguments, name) for name in ("method", "deform", "mesh")}
    nodes = arguments.nodes if arguments.size is None else arguments.size
    if all(value is None for value in first.values()):
        case = cases.load(arguments.case, arguments.set)
    else:  # the changes may be settings of theirs, or of the mesh file
        case = cases.load(arguments.case).replace(**first).changed(arguments.set)
    return case.replace(
        nodes=nodes,
        points=arguments.points,
        cloud=arguments.cloud,
        cycles=arguments.cycles,
        until=arguments.until,
        steps_per_cycle=arguments.steps_per_cycle,
        device=arguments.device,
        dtype=arguments.dtype,
        preflight=False if arguments.no_preflight else None,
        energy=True if arguments.energy else None,
        out=str(arguments.out or case.job.out or case.name),
    )


def _check(arguments: argparse.Namespace) -> int:
    from kinemesh.cases.check import check

    def told(line: str) -> None:
        print(in_shell(line), flush=True)

    report = check(case_of(arguments), progress=not arguments.quiet, told=told)
    return 0 if report.good else WRONG


def _run(arguments: argparse.Namespace) -> int:
    case = case_of(arguments)
    views.check(arguments)
    result = case.run(
        progress=not arguments.quiet, resume=arguments.resume, overwrite=arguments.overwrite
    )
    import numpy as np

    from kinemesh import plot
    from kinemesh.io import summary

    folder = expanded(str(case.job.out))
    shown = views.shown(arguments)
    made = plot.from_directory(folder, complete=False, format=arguments.format, **shown)
    if not arguments.quiet:
        print(summary.table(result.summary))
        print(f"\nresults in {folder}: {', '.join(sorted(p.name for p in folder.iterdir()))}")
        cyclic = case.mode == "unsteady" and not case.by_time
        if cyclic and not any(p.stem == "hysteresis" for p in made):
            print(f"no hysteresis.{arguments.format}: less than one cycle")
    if np.all(result.converged):
        return 0
    complain(f"the run did not converge (status {UNCONVERGED}); its files are in {folder}")
    return UNCONVERGED


def _cases(_: argparse.Namespace) -> int:
    from kinemesh.cases import listing

    print("\n".join(listing.lines()))
    return 0


def _info(_: argparse.Namespace) -> int:
    from kinemesh.cases import listing
    from kinemesh.device import backend

    found = backend.info()
    reason = found.pop("cuda_reason", "")
    if not found["cuda"]:
        found["cuda"] = f"none: {reason}"
    if added := listing.added():
        found["packages"] = added
    print("\n".join(_lines(found)))
    return 0


def _lines(table: Mapping[str, Any], indent: str = "") -> list[str]:
    """A nested table as aligned lines."""
    width = max((len(str(key)) for key in table), default=0)
    lines: list[str] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{key}", *_lines(value, indent + "  ")]
        elif isinstance(value, list | tuple) and any(isinstance(v, Mapping) for v in value):
            lines.append(f"{indent}{key}")
            for number, item in enumerate(value):
                part = item if isinstance(item, Mapping) else {"": item}
                lines += [f"{indent}  [{number}]", *_lines(part, indent + "    ")]
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            lines.append(f"{indent}{key!s:<{width}}  {text}")
    return lines


def _plot(arguments: argparse.Namespace) -> int:
    from kinemesh import plot

    folder, members, form = arguments.folder, arguments.members, arguments.format
    if arguments.animate:
        views.refuse_reference(arguments)
        made = plot.films_from_directory(
            folder,
            arguments.animate,
            members=members,
            format=form or "gif",
            progress=True,
            **views.shown(arguments),
        )
    else:
        of = {"members": members, "format": form or "png", "reference": arguments.reference}
        of |= views.shown(arguments)
        made = plot.from_directory(folder, complete=False, **of)
    print("\n".join(map(str, made)))
    return 0


COMMANDS = {
    "run": _run,
    "check": _check,
    "sweep": sweeps.main,
    "compare": studies.compare,
    "convergence": studies.convergence,
    "cite": studies.cite,
    "flutter": flutter.main,
    "cases": _cases,
    "info": _info,
    "plot": _plot,
    "bench": bench.main,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run the program; the exit status."""
    try:
        arguments = parser().parse_args(words)
    except SystemExit as end:  # argparse has printed its message
        return int(end.code or 0)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = warn
            status = COMMANDS[arguments.command](arguments)
            sys.stdout.flush()
            return status
    except NumericalFault as error:
        complain(Sentence("the run failed: ", error.said))
        return FAILED
    except KinemeshError as error:
        complain(error)
        return WRONG
    except MemoryError as error:
        complain(
            f"not enough memory: {str(error) or 'an array could not be made'}; make the mesh "
            "smaller (--nodes), run fewer cases at once, or raise the limit of this process "
            "(ulimit -v)"
        )
        return FAILED
    except ImportError as error:
        if error.name != "kinemesh._core":  # built for another processor: it says so
            raise
        complain(str(error))
        return FAILED
    except BrokenPipeError:  # who read the output, such as `head`, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILED
    except OSError as error:
        notes = getattr(error, "__notes__", [])
        complain(joined([f"cannot read or write: {error}", *notes], "; "))
        return FAILED
    except KeyboardInterrupt as stop:
        complain(said(stop) or "interrupted; what was written is kept")
        return INTERRUPTED


def program() -> int:
    """The console script."""
    return main()


if __name__ == "__main__":
    sys.exit(program())
