"""Programs `kinemesh compare` and `kinemesh convergence`, of runs beside each other, and `cite`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_commands(commands: Any) -> None:
    """Add both commands with their options."""
    pair = commands.add_parser(
        "compare",
        help="compare two runs of one case",
        description="Differences of two runs of one case, by two methods or on two meshes, a "
        "sign of the error of both.",
    )
    pair.add_argument("folders", metavar="DIR", type=Path, nargs=2, help="output folder of a run")
    pair.add_argument(
        "--allow", metavar="KEY", action="append", default=[],
        help="a key by which the cases differ on purpose, such as reynolds; may be repeated",
    )  # fmt: skip
    pair.add_argument("--walls", type=Path, metavar="FILE", help="draw cp along the walls, too")
    several = commands.add_parser(
        "convergence",
        help="order of accuracy of runs on three sizes or more",
        description="Observed order of accuracy, extrapolated loads and grid-convergence index of "
        "runs of one case on three sizes of a mesh or cloud, or more.",
    )
    several.add_argument(
        "folders", metavar="DIR", type=Path, nargs="+", help="output folders of the runs"
    )
    papers = commands.add_parser(
        "cite",
        help="print BibTeX of kinemesh and of a case's methods",
        description="BibTeX of kinemesh and of the methods that a case uses.",
    )
    papers.add_argument("case", metavar="CASE", help="name of a ready case, or a case file")
    for command in (pair, several):
        command.add_argument("--member", type=int, metavar="N", help="of ensembles, from 0")
        command.add_argument("--figure", type=Path, metavar="FILE", help="draw the figure, too")


def compare(arguments: argparse.Namespace) -> int:
    """Print the table of two runs; the exit status."""
    from kinemesh.study import comparison

    one, other = arguments.folders
    found = comparison.compare(one, other, arguments.member, arguments.allow)
    status = _told(found, arguments)
    if arguments.walls is not None:
        found.plot_walls(arguments.walls)
        print(arguments.walls)
    return status


def convergence(arguments: argparse.Namespace) -> int:
    """Print the table of runs on several sizes; the exit status."""
    from kinemesh.study import convergence as study

    return _told(study.convergence(arguments.folders, arguments.member), arguments)


def cite(arguments: argparse.Namespace) -> int:
    """Print the entries of a case; the exit status."""
    from kinemesh.study import cite as study

    print(study.cite(arguments.case))
    return 0


def _told(found: Any, arguments: argparse.Namespace) -> int:
    print(found)
    if arguments.figure is not None:
        found.plot(arguments.figure)
        print(arguments.figure)
    return 0
