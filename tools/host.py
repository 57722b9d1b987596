#!/usr/bin/env python3
"""Costs of a run beside its kernels: figures of docs/performance.md.

    tools/host.py memory [--nodes 94000]    resident memory of agard-ct5's first steps
    tools/host.py python [--nodes 5000]     Python's share of a pseudo-step
    tools/host.py members                   Python's time of a step of an ensemble, rigid motion
    tools/host.py setup [--nodes 1000000]   tetrahedra about a wing: read from a file, put in tables

On the CPU, the first two with springs and default settings; PYTHONPATH=python in a clone.
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
import warnings
from pathlib import Path

import kinemesh as km
import numpy as np
from kinemesh.deform.mover import pose_rows
from kinemesh.device.backend import Backend
from kinemesh.io import History
from kinemesh.linear.lines import colour_along_lines
from kinemesh.mesh.dual import solid_dual
from kinemesh.run.rows import columns

STEPS = 4


def case(nodes, **settings):
    """agard-ct5 on a mesh of so many nodes."""
    mesh = km.mesh.airfoil("naca0012", nodes=nodes)
    pitch = km.motion.pitch(amplitude_deg=2.51, k=0.0814, about=(0.25, 0))
    settings = km.AleSettings(**settings)
    return km.Ale(mesh, mach=0.755, alpha_deg=0.016, motion=pitch, device="cpu", settings=settings)


def memory(nodes):
    """A few pseudo-steps are enough: nothing is allocated after the first."""
    ale = case(nodes or 94_000, steady_iterations=5, unsteady_iterations=5)
    ale.run(cycles=STEPS / 64, steps_per_cycle=64, preflight=False)
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{ale.grid.nodes} nodes, {STEPS} steps: at most {most / 2**20:.0f} MiB resident, "
        f"arrays {ale.backend.allocated / 2**20:.0f} MiB"
    )


def timed(spent):
    """`Ale.iteration` whose recordings add their seconds to `spent`."""
    make = km.Ale.iteration

    def iteration(ale, *arguments):
        recording = make(ale, *arguments)

        def run():
            start = time.perf_counter()
            recording()
            spent.append(time.perf_counter() - start)

        return run

    return iteration


def ring(around=8):
    """Mesh of two rings of nodes, on which the flow costs little."""
    angle = 2 * np.pi * np.arange(around) / around
    circle, k = np.stack([np.cos(angle), np.sin(angle)], axis=1), np.arange(around)
    after = (k + 1) % around
    return km.Mesh.from_arrays(
        np.concatenate([0.5 * circle + [0.5, 0], 5 * circle + [0.5, 0]]),
        np.stack([k, k + around, after + around, after], axis=1),
        {"wall": np.stack([k, after], axis=1), "far": np.stack([k, after], axis=1) + around},
    )


def members():
    """Microseconds of each kind of work that Python does per step: best of 30."""
    mesh = ring()
    for count in (4, 256, 4000):
        laws = [km.motion.pitch(1.0 + m / count, 0.1) for m in range(count)]
        rigid = km.deform.Rigid()
        ale = km.Ale([mesh] * count, mach=[0.3] * count, motion=laws, deform=rigid, device="cpu")
        at = np.full(count, 1.0)
        poses, history = ale.poses(at), History(columns(ale))
        row = dict.fromkeys(history.columns, at)

        def ends(ale=ale, at=at):
            ale.bodies.forget()
            ale.poses(0 * at), ale.poses(at)

        works = {  # poses[:] has no turns yet
            "poses at both ends": ends,
            "rates": lambda: ale.rates(at),  # noqa: B023 (called here)
            "moments' points": lambda: ale.moment_points(poses[:]),  # noqa: B023
            "low-Mach reference": lambda: ale.low_mach._speeds(poses[:], poses[:], at),  # noqa: B023
            "poses for the mover": lambda: pose_rows(poses[:]),  # noqa: B023
            "rows of the history": lambda: history.extend(row),  # noqa: B023
        }
        for work, do in works.items():
            best = min(seconds(do) for _ in range(30))
            print(f"{count:4} members, {work}: {1e6 * best:.0f} us")


def seconds(do):
    """Process time of a call, without the load of other processes."""
    start = time.process_time()
    do()
    return time.process_time() - start


def python(nodes):
    """Share of a march that is not spent in recordings: Python, and the kernels of the loads."""
    spent = []
    km.Ale.iteration = timed(spent)
    ale = case(nodes or 5_000)
    for name, run in (
        ("steady", ale.steady),
        ("unsteady", lambda: ale.run(cycles=0.5, steps_per_cycle=64)),
    ):
        spent.clear()
        seconds = run().summary["seconds"]
        march = seconds["flow"] + seconds["forces and history"]
        print(
            f"{ale.grid.nodes} nodes, {name}: {march:.2f} s of pseudo-steps, loads and history, "
            f"{sum(spent):.2f} s of them in {len(spent)} recordings; the rest is "
            f"{100 * (1 - sum(spent) / march):.2f} %"
        )


def write_wing(nodes, path):
    """A mesh of tetrahedra about the ONERA M6, in a file."""
    start = time.perf_counter()
    mesh = km.mesh.oneram6(nodes, "tets")
    print(f"{mesh.nodes} nodes: generated in {time.perf_counter() - start:.1f} s")
    km.mesh.write_su2(mesh, path)


def setup(nodes):
    """Seconds of the clock and of the process, and most memory, until a mesh has its tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wing.su2"
        writer = multiprocessing.get_context("spawn").Process(
            target=write_wing, args=(nodes or 1_000_000, path)
        )  # its memory is not ours
        writer.start()
        writer.join()
        print(f"{path.stat().st_size / 1e6:.0f} MB")
        clocks = [(time.perf_counter(), time.process_time())]

        def lap(what):
            clocks.append((time.perf_counter(), time.process_time()))
            wall, spent = np.subtract(clocks[-1], clocks[-2])
            print(f"{what}: {wall:.1f} s by the clock, {spent:.1f} s of a core")

        mesh = km.mesh.read(path)
        lap("read")
        mesh = mesh.renumbered()
        own = solid_dual(mesh)
        lap("numbered, tables")
        backend = Backend("cpu")
        colours = colour_along_lines(backend, own.offsets, own.neighbour, mesh.points)
        lap(f"{colours.max() + 1} colours")
    wall, spent = np.subtract(clocks[-1], clocks[0])
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"in all {wall:.1f} s by the clock, {spent:.1f} s of a core, at most "
        f"{most / mesh.nodes:.0f} B a node resident"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=("memory", "python", "members", "setup"))
    parser.add_argument("--nodes", type=int)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # pseudo-steps are few by intent
    if asked.figure == "members":
        members()
    else:
        {"memory": memory, "python": python, "setup": setup}[asked.figure](asked.nodes)


if __name__ == "__main__":
    main()
