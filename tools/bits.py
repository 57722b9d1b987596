"""Hashes of five short runs, by which a change shows that it moved no bits.

    python tools/bits.py [TREE] [--device cuda]    the runs of TREE (this one), one line each
    python tools/bits.py --against OTHER [TREE]    both trees; exit status 1 if any run differs

A line is the run and the first 16 digits of the sha256 of its history.csv.  The trees are clones
that are built in place.  One thread, about 10 s per tree.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CYCLE = {"nodes": 800, "steps_per_cycle": 16, "cycles": 1}
RUNS = {  # label: ready case, what is changed in it, what is changed among its settings
    "springs": ("agard-ct5", CYCLE, {}),
    "delaunay": ("agard-ct5", CYCLE | {"deform": "delaunay"}, {}),
    "meshless": ("agard-ct5", CYCLE | {"method": "meshless"}, {}),
    "transonic": ("naca0012-transonic", {"nodes": 2000}, {}),
    "oneram6": ("oneram6", {"points": 20000}, {"steady_iterations": 60}),
}


def history(name: str, changes: dict, settings: dict, device: str) -> bytes:
    """history.csv of a ready case with its changes."""
    from dataclasses import replace

    import kinemesh as km

    case = km.cases.load(name)
    case = replace(case, solver={**case.solver, **settings}).replace(device=device, **changes)
    with tempfile.TemporaryDirectory() as folder:
        case.run(out=folder)
        (file,) = Path(folder).rglob("history.csv")
        return file.read_bytes()


def print_hashes(tree: Path, device: str) -> None:
    """Run the five with the package of a tree, in this process."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["MPLBACKEND"] = "Agg"
    sys.path.insert(0, str(tree / "python"))
    import kinemesh

    if not Path(kinemesh.__file__).resolve().is_relative_to(tree):
        raise SystemExit(f"bits.py: {tree} has no package python/kinemesh")
    warnings.simplefilter("ignore")  # the runs are too short to converge
    for label, run in RUNS.items():
        digest = hashlib.sha256(history(*run, device)).hexdigest()[:16]
        print(f"{label:10} {digest}", flush=True)


def started(tree: Path, device: str) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, str(tree), "--device", device]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, str]:
    """What a process has printed: hash of each label."""
    printed, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"bits.py: failed: {' '.join(map(str, process.args))}")
    return dict(line.split() for line in printed.splitlines())


def compare(tree: Path, other: Path, device: str) -> int:
    """Run both trees side by side and print a line per run; 1 if any differ."""
    processes = [started(each, device) for each in (tree, other)]
    here, there = (ended(process) for process in processes)
    for label in RUNS:
        same = here[label] == there[label]
        print(f"{label:10} {here[label]} " + ("same" if same else f"{there[label]} DIFFERENT"))
    return int(here != there)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("tree", nargs="?", type=Path, default=ROOT, help="a built clone (this one)")
    words.add_argument("--against", metavar="OTHER", type=Path, help="a clone to compare with")
    words.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    given = words.parse_args()
    tree = given.tree.resolve()
    if given.against:
        return compare(tree, given.against.resolve(), given.device)
    print_hashes(tree, given.device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
