"""Program `kinemesh flutter`: its options, output and exit status."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.cases.changes import ranged
from kinemesh.errors import CaseError
from kinemesh.study.flutter.found import FLUTTER
from kinemesh.wiring import done_by

UNCONVERGED = 3  # exit status
STATUS = (
    "Exit status: 0 done; 1 the flow failed; 2 wrong usage or wrong input; 3 steps did not "
    "converge; 130 interrupted."
)


def add_command(commands: Any) -> None:
    """Add `kinemesh flutter` with its options."""
    command = commands.add_parser(
        "flutter",
        help="flutter boundary of a section on springs, or of modes",
        description="Roots of a section on springs, or of a structure of modes, over the speed "
        "index, and the flutter boundary over the Mach number, by small pulses.",
        epilog=STATUS,
    )
    add = command.add_argument
    add("case", metavar="CASE", help="ready case, or case file, with a table [structure]")
    add("--mach", metavar="VALUES", help="0.7,0.8, or 0.7:0.9:5 for five (default: its own)")
    add("--speed-index", metavar="A:B", help="V* from A to B (default: the case's, or 0.3:3)")
    add(
        "--way",
        metavar="WAY",
        default="linear",
        help="linear: small motions, p-k (the default); time: sections let go; both",
    )
    add(
        "--amplitude", type=float, metavar="DEG", default=0.1,
        help="of the pulses in degrees (default 0.1)",
    )  # fmt: skip
    add(
        "--set", metavar="KEY=VALUE", action="append", default=[],
        help="another value for a key of the case, such as structure.mu=80; may be given again",
    )  # fmt: skip
    mesh = command.add_mutually_exclusive_group()
    mesh.add_argument("--size", choices=("coarse", "medium", "fine"), help="as of `kinemesh run`")
    mesh.add_argument("--nodes", type=int, metavar="N", help="generated mesh of about N nodes")
    add("--device", metavar="DEV", help="auto, cpu, cuda or cuda:N")
    add("--out", type=Path, metavar="DIR", help="folder of the result (default: CASE-flutter)")
    add("--resume", action="store_true", help="go on with the analysis in the folder")
    add("--quiet", action="store_true", help="no progress, no table at the end")


def main(arguments: argparse.Namespace) -> int:
    """Run `kinemesh flutter`; the exit status."""
    from kinemesh import cases
    from kinemesh.io.paths import expanded
    from kinemesh.study.flutter.linear import flutter

    nodes = arguments.nodes if arguments.size is None else arguments.size
    mach = None if arguments.mach is None else _values("--mach", arguments.mach)
    asked = arguments.speed_index
    speeds = None if asked is None else _values("--speed-index", asked.replace(":", ","))
    case = cases.load(arguments.case, arguments.set).replace(nodes=nodes)
    out = expanded(str(arguments.out or f"{case.name}-flutter"))
    found = flutter(
        case,
        mach,
        speeds,
        way=arguments.way,
        amplitude_deg=arguments.amplitude,
        out=out,
        device=arguments.device,
        resume=arguments.resume,
        progress=not arguments.quiet,
    )
    done_by("Flutter.draw")(found, out)
    if not arguments.quiet:
        print("\n".join(lines(found)))
        print(f"\nresults in {out}: {', '.join(sorted(path.name for path in out.iterdir()))}")
    return 0 if bool(found["converged"].all()) else UNCONVERGED


def _values(option: str, text: str) -> list[float]:
    """Numbers of an option, such as 0.7,0.8 or 0.7:0.9:5; CaseError for others."""
    parts = [part.strip() for part in text.split(",")]
    try:
        return [float(v) for part in parts for v in ranged(part, option) or [float(part)]]
    except ValueError as error:
        if isinstance(error, CaseError):
            raise
        expected = "expected numbers such as 0.7,0.8, or 0.7:0.9:5"
        raise CaseError(f"{option} {text}: {expected}") from None


def lines(found: Any) -> list[str]:
    """Table of the boundary: a row per Mach number, + to instability and - back."""
    made = ["  Mach      V*       k   omega  mode  all crossings"]
    for m, mach in enumerate(found["mach"].values):
        own = found.isel(mach=m)
        speeds, ups = own["crossing_speed_index"].values, own["crossing_up"].values
        every = [
            f"{speed:.3f}{'+' if up else '-'}"
            for speed, up in zip(speeds, ups, strict=True)
            if np.isfinite(speed)
        ]
        end = str(own["end"].values)
        told = f"{end or 'no derivatives':>29}"
        if end == FLUTTER:
            numbers = (float(own[f"boundary{n}"].values) for n in ("", "_k", "_omega", "_mode"))
            told = "{:7.4f} {:7.4f} {:7.4f} {:5.0f}".format(*numbers)
        edge = float(own["time_boundary"].values) if "time_boundary" in own else np.nan
        every += [f"in time {edge:.4f}"] if np.isfinite(edge) else []
        made.append(f"{mach:6.3g} {told}  {' '.join(every)}".rstrip())
    return made
