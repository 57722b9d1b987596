"""Histories of short runs in both precisions, to show that a change moved no bits.

    python tools/bits.py [TREE] [--out FOLDER]     run all, print a hash each, keep the histories
    python tools/bits.py --against OTHER [TREE]    run two trees side by side and compare them
    python tools/bits.py --compare FOLDER FOLDER   compare two folders of `--out`

A comparison names the runs that differ, and the first row and column; its exit status is then 1.
A hash is the first 16 digits of the sha256 of a history.csv.  Trees are clones that are built in
place.  Without one, the package is that of PYTHONPATH, or else of the clone of this file.
`--only RUN ...` picks runs, `--viscous` those of viscous flows and of walls that slide, with the
friction along walls; `--device cuda` has them on a GPU.  One thread, 25 s per tree.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import warnings
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DTYPES = ("float64", "float32")
CYCLE = {"nodes": 800, "steps_per_cycle": 16, "cycles": 1}
CASES = {  # label: ready case, what is changed in it, what is changed among its settings
    "springs": ("agard-ct5", CYCLE, {}),
    "delaunay": ("agard-ct5", CYCLE | {"deform": "delaunay"}, {}),
    "meshless": ("agard-ct5", CYCLE | {"method": "meshless"}, {}),
    "transonic": ("naca0012-transonic", {"nodes": 2000}, {}),
    "oneram6": ("oneram6", {"points": 20000}, {"steady_iterations": 60}),
    "cylinder": ("cylinder", {"steps": 40}, {}),
    "cylinder-steady": ("cylinder-steady", {}, {"steady_iterations": 50}),
    "overset": ("plunging-naca0012", {"nodes": "coarse", "cycles": 20 / 400}, {}),
}
VISCOUS = {  # label of a ready case: what is set in it, what is changed among its settings
    "naca0012-sa": (["mesh.nodes=9000", "mesh.far_field=30"], {"steady_iterations": 12}),
    "flat-plate-sa": (["mesh.nodes=3381", "mesh.layers=48"], {"steady_iterations": 12}),
    "agard-ct5-sa": (["mesh.nodes=6000", "mesh.y_plus=10", "run.cycles=0.04"], {}),
    "channel-cylinder": ([], {"steady_iterations": 15}),
    "cavity": (["mesh.spacing=0.04", "run.steps=8"], {}),
    "taylor-couette": (["run.steps=6"], {}),
}
ENSEMBLES = {  # label: solver, deformation, streams of the first and of the last member
    "members": ("Ale", "springs", {"mach": (0.3, 0.65)}),
    "members-rigid": ("Incompressible", "rigid", {"reynolds": (100, 800)}),
}
MEMBERS, BREAKS = 8, 3  # the member whose motion ends at a time of 0.9, in the fifth of ten steps
LABELS = [f"{name}-{dtype}" for name in (*CASES, *ENSEMBLES) for dtype in DTYPES]
OF_WALLS = [f"{name}-{dtype}" for name in VISCOUS for dtype in DTYPES]


def run_viscous(folder: str, dtype: str, device: str, name: str, sets: list, given: dict) -> None:
    """Run a ready case of a viscous flow with its changes."""
    from dataclasses import replace

    import kinemesh as km

    case = km.cases.load(name, sets)
    case = replace(case, solver={**case.solver, **given})
    case.run(out=folder, dtype=dtype, device=device)


def run_case(folder: str, dtype: str, device: str, name: str, changes: dict, given: dict) -> None:
    """Run a ready case with its changes."""
    from dataclasses import replace

    import kinemesh as km

    case = km.cases.load(name)
    case = replace(case, solver={**case.solver, **given}).replace(**changes)
    case.run(out=folder, dtype=dtype, device=device)


def ending(time: float) -> object:
    """Pose of a body by a law that ends."""
    from kinemesh.motion import Pose

    if time > 0.9:
        raise LookupError("the law has ended")
    return Pose(0.01 * time)


def run_members(
    folder: str, dtype: str, device: str, solver: str, deform: str, streams: dict
) -> None:
    """Run pitching sections on two meshes side by side; one member fails on the way."""
    import kinemesh as km

    meshes = [km.mesh.airfoil("naca0012", nodes=nodes, far_field=8) for nodes in (500, 760)]
    motions = [km.motion.pitch(1.0 + m, 0.1) for m in range(MEMBERS)]
    motions[BREAKS] = km.motion.function(ending)
    part = [m / (MEMBERS - 1) for m in range(MEMBERS)]
    given = {name: [low + p * (high - low) for p in part] for name, (low, high) in streams.items()}
    several = getattr(km, solver)(
        [meshes[m % 2] for m in range(MEMBERS)],
        motion=motions,
        deform=km.deform.METHODS[deform](),
        dtype=dtype,
        device=device,
        **given,
    )
    several.run(time_step=0.2, steps=10, start="as is", preflight=False, out=folder)


def record(tree: Path | None, out: Path, only: list[str], device: str) -> None:
    """Run with the package of a tree, in this process; a file and a line per run."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["MPLBACKEND"] = "Agg"
    if tree is not None or not os.environ.get("PYTHONPATH"):
        sys.path.insert(0, str((tree or ROOT) / "python"))
    import kinemesh

    package = Path(kinemesh.__file__).resolve().parent
    if tree is not None and not package.is_relative_to(tree):
        raise SystemExit(f"bits.py: {tree} has no package python/kinemesh")
    print(f"runs of {package}", file=sys.stderr)
    warnings.simplefilter("ignore")  # the runs are too short to converge
    out.mkdir(parents=True, exist_ok=True)
    for label in only:
        name, _, dtype = label.rpartition("-")
        with tempfile.TemporaryDirectory() as folder:
            if name in VISCOUS:
                run_viscous(folder, dtype, device, name, *VISCOUS[name])
            else:
                run, what = (run_case, CASES) if name in CASES else (run_members, ENSEMBLES)
                run(folder, dtype, device, *what[name])
            (history,) = Path(folder).rglob("history.csv")
            kept = {label: history} | {f"{label}-walls": f for f in Path(folder).rglob("wall.csv")}
            for told, file in kept.items():
                content = file.read_bytes()
                (out / f"{told}.csv").write_bytes(content)
                print(f"{told:32} {hashlib.sha256(content).hexdigest()[:16]}", flush=True)


def difference(one: Path, other: Path) -> str:
    """First difference of two histories, by row and column; empty for equal bytes."""
    if not (one.is_file() and other.is_file()):
        return f"only in {(one if one.is_file() else other).parent}"
    if one.read_bytes() == other.read_bytes():
        return ""
    with one.open(newline="") as here, other.open(newline="") as there:
        pairs = zip_longest(csv.DictReader(here), csv.DictReader(there), fillvalue={})
        for number, (row, its) in enumerate(pairs, 1):
            for name in row | its:
                if row.get(name) != its.get(name):
                    ids = ("member", "step", "iteration")
                    at = ", ".join(f"{key} {(row | its)[key]}" for key in ids if key in row | its)
                    values = f"{row.get(name)} and {its.get(name)}"
                    return f"row {number} ({at}), column {name}: {values}"
    return "order of columns or ends of lines"


def compare(one: Path, other: Path) -> int:
    """Print a line per run of two folders; 1 if any differ."""
    labels = sorted({file.stem for folder in (one, other) for file in folder.glob("*.csv")})
    if not labels:
        raise SystemExit(f"bits.py: no histories in {one} and {other}")
    found = {label: difference(one / f"{label}.csv", other / f"{label}.csv") for label in labels}
    for label, where in found.items():
        print(f"{label:24} " + (f"DIFFERENT: {where}" if where else "same"))
    return int(any(found.values()))


def against(trees: list[Path], only: list[str], device: str) -> int:
    """Run trees side by side and compare them; 1 if any run differs."""
    with tempfile.TemporaryDirectory() as folder:
        outs = [Path(folder, name) for name in ("first", "second")]
        words = ["--device", device, "--only", *only]
        commands = [
            [sys.executable, __file__, str(tree), "--out", str(out), *words]
            for tree, out in zip(trees, outs, strict=True)
        ]
        quiet = {"stdout": subprocess.DEVNULL}
        processes = [subprocess.Popen(command, **quiet) for command in commands]
        if any([process.wait() for process in processes]):
            raise SystemExit("bits.py: runs have failed, see above")
        return compare(*outs)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("tree", nargs="?", type=Path, help="a built clone")
    words.add_argument("--out", metavar="FOLDER", type=Path, help="keep the histories here")
    words.add_argument("--against", metavar="OTHER", type=Path, help="a clone to compare with")
    words.add_argument("--compare", metavar="FOLDER", type=Path, nargs=2, help="of --out")
    words.add_argument("--only", metavar="RUN", nargs="+", choices=[*LABELS, *OF_WALLS])
    words.add_argument("--viscous", action="store_true", help="those of viscous flows")
    words.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    given = words.parse_args()
    only = given.only or (OF_WALLS if given.viscous else LABELS)
    tree = given.tree and given.tree.resolve()
    if given.compare:
        return compare(*given.compare)
    if given.against:
        return against([tree or ROOT, given.against.resolve()], only, given.device)
    with tempfile.TemporaryDirectory() as folder:
        record(tree, given.out or Path(folder), only, given.device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
