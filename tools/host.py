#!/usr/bin/env python3
"""What a run takes beside its kernels: two figures of docs/performance.md.

    tools/host.py memory [--nodes 94000]    resident memory of agard-ct5's first steps
    tools/host.py python [--nodes 5000]     Python's share of a pseudo-step

Both on the CPU, springs, default settings; PYTHONPATH=python in a clone.
"""

import argparse
import resource
import time
import warnings

import kinemesh as km

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
        f"{ale.grid.nodes} nodes, {STEPS} steps: at most {most / 1e6:.0f} MB resident, "
        f"arrays {ale.backend.allocated / 1e6:.0f} MB"
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=("memory", "python"))
    parser.add_argument("--nodes", type=int)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # pseudo-steps are few by intent
    {"memory": memory, "python": python}[asked.figure](asked.nodes)


if __name__ == "__main__":
    main()
