"""Marches to steady flows of many kinds, of two trees beside each other.

    python tools/marches.py [TREE]                   run all; iterations, drop, cl and cd of each
    python tools/marches.py --against OTHER [TREE]   both trees at once, and what differs

A change of a limiter, a flux or the control of pseudo-time may leave every test right and still
keep one mesh in three from converging.  A flow that converges on one tree alone is marked `!`, one
that takes half as many iterations again `*`; the exit status is 1 where there is one of the first.
Trees are clones that are built in place; without one, that of this file.  `--only WORD ...` picks
flows by parts of their names.  One thread a tree, some six minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DROP, MOST = 1e-6, 600  # of the residual; iterations
MORE = 1.5  # times the iterations, which is told


def flows() -> Iterator[tuple[str, str, Any, dict[str, Any]]]:
    """Name, solver, a function that makes the mesh, and the stream of each flow."""
    import kinemesh as km

    for kind in ("hexes", "prisms", "tets"):
        for mach, alpha in ((0.84, 3.0), (2.0, 3.0)):
            for solver in ("Ale", "CellCentred"):
                yield (
                    f"M6 {kind} {mach} {solver}", solver,
                    lambda kind=kind: km.mesh.oneram6(nodes=10_000, cells=kind),
                    {"mach": mach, "alpha_deg": alpha, "reference_area": 1.153},
                )  # fmt: skip
    for solver in ("Ale", "CellCentred"):
        for mach in (0.01, 0.3, 2.0):
            yield f"sphere {mach} {solver}", solver, lambda: km.mesh.sphere(5000), {"mach": mach}
    for nodes in (1000, 3000, 8000):
        for cells in ("triangles", "quads"):
            for mach in (0.01, 0.3, 0.5, 0.8, 2.0):
                for solver in ("Ale", "CellCentred"):
                    yield (
                        f"section {nodes} {cells} {mach} {solver}", solver,
                        lambda nodes=nodes, cells=cells: km.mesh.airfoil(
                            "naca0012", nodes=nodes, cells=cells
                        ),
                        {"mach": mach, "alpha_deg": 1.25},
                    )  # fmt: skip
    for reynolds, height, turbulence in ((500.0, 1e-3, None), (1e6, 2e-5, "sa")):
        yield (
            f"C-mesh Re {reynolds:g}", "Ale",
            lambda height=height: km.mesh.airfoil(
                "naca0012", nodes=6000, topology="c", cells="quads", heights="even",
                wall_spacing=height,
            ),
            {"mach": 0.5, "alpha_deg": 2.0, "reynolds": reynolds, "turbulence": turbulence},
        )  # fmt: skip


def run(only: list[str]) -> None:
    """Run the flows of this process's package; a line of JSON each."""
    import kinemesh as km

    warnings.simplefilter("ignore")
    for name, solver, mesh, stream in flows():
        if only and not any(word in name for word in only):
            continue
        settings = km.CellSettings if solver == "CellCentred" else km.AleSettings
        chosen = settings(steady_drop=DROP, steady_iterations=MOST)
        row: dict[str, Any] = {"name": name}
        try:
            case = getattr(km, solver)(mesh(), settings=chosen, device="cpu", **stream)
            found = case.steady().summary["result"]
            told = ("iterations", "converged", "residual_drop", "cl", "cd")
            row |= {key: found[key] for key in told}
        except km.KinemeshError as error:
            row |= {"converged": False, "error": str(error)}
        print(json.dumps(row), flush=True)


def start(tree: Path, only: list[str]) -> subprocess.Popen:
    """Process that runs the flows with the package of a tree."""
    env = os.environ | {"PYTHONPATH": str(tree / "python"), "OMP_NUM_THREADS": "1"}
    words = [sys.executable, __file__, "--run", *(["--only", *only] if only else [])]
    return subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)


def rows(process: subprocess.Popen) -> dict[str, dict[str, Any]]:
    """Rows of a process by name."""
    out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{process.args}: status {process.returncode}")
    return {row["name"]: row for row in map(json.loads, out.splitlines())}


def shown(row: dict[str, Any]) -> str:
    """A row in a line."""
    if "error" in row:
        return row["error"][:60]
    ended = "     " if row["converged"] else "short"
    numbers = f"{row['residual_drop']:.1e} {row['cl']:9.5f} {row['cd']:9.5f}"
    return f"{row['iterations']:4d} {ended} {numbers}"


def mark(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Mark of a flow that converges on one tree alone, or on one far sooner."""
    if one["converged"] != other["converged"]:
        return "!"
    if not one["converged"]:
        return " "
    fewer, more = sorted((one["iterations"], other["iterations"]))
    return "*" if more > MORE * fewer else " "


def main() -> int:
    """Print the table of one tree, or of two."""
    parser = argparse.ArgumentParser(description="Marches of many kinds, of one tree or two.")
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--against", type=Path, help="another tree")
    parser.add_argument("--only", nargs="+", default=[], help="parts of names")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.only)
        return 0
    started = [start(own, options.only) for own in (options.against, options.tree) if own]
    found = [rows(process) for process in started]
    marks = [mark(found[0][name], found[-1][name]) for name in found[0]]
    for (name, row), sign in zip(found[0].items(), marks, strict=True):
        more = f" | {shown(found[1][name])}" if len(found) == 2 else ""
        print(f"{sign} {name:34s} {shown(row)}{more}")
    return int("!" in marks)


if __name__ == "__main__":
    sys.exit(main())
