#!/usr/bin/env python3
"""Mesh and time-step studies of the ready cases: the figures of docs/validation.md.

    tools/study.py steady [--far-field 100] [--vortex]      both topologies, 5 to 94 thousand nodes
    tools/study.py files MESH.su2 [MESH.su2 ...]            naca0012-transonic on meshes from files;
                                                            with --lusgs by that linear solver
    tools/study.py ct5 | ct6 [--nodes 5000,24000] [--steps 32,64,128]
    tools/study.py meshless [CASE ...] [--nodes 5000] [--fine 24000]
                                                            unsteady ready cases on the nodes of a
                                                            mesh, beside loops of ale on that mesh
                                                            and on a finer one

Options: --device cpu|cuda|auto.  One line per run, as it ends; PYTHONPATH=python in a clone.
"""

import argparse
import dataclasses
import time
import warnings

import kinemesh as km

SIZES = (5_000, 24_000, 94_000)
UNSTEADY = {"ct5": "agard-ct5", "ct6": "agard-ct6"}


def numbers(text):
    return [int(word) for word in text.split(",")]


def steady(label, mesh, mach, device, **settings):
    """March down by six orders and print the result."""
    settings = km.AleSettings(**settings)
    ale = km.Ale(mesh, mach=mach, alpha_deg=1.25, device=device, settings=settings)
    start = time.perf_counter()
    result = ale.steady().summary["result"]
    print(
        f"{label} M {mach} nodes {mesh.nodes}: cl {result['cl']:.5f} cd {result['cd']:.6f} "
        f"cm {result['cm']:.5f}, {result['iterations']} iterations, residual "
        f"{result['residual_drop']:.1e}, {time.perf_counter() - start:.2f} s",
        flush=True,
    )


def steady_study(asked):
    far_field = "vortex" if asked.vortex else "stream"
    for mach in (0.8, 0.5):
        for topology in "oc":
            for nodes in SIZES:
                mesh = km.mesh.airfoil(
                    "naca0012", nodes=nodes, topology=topology, far_field=asked.far_field
                )
                steady(f"{topology}-mesh", mesh, mach, asked.device, far_field=far_field)


def files_study(asked):
    solver = {"linear_solver": "lusgs", "steady_iterations": 10_000} if asked.lusgs else {}
    for path in asked.names:
        steady(path, km.mesh.read(path), 0.8, asked.device, **solver)


def unsteady(label, case, device, **changed):
    """Loop of a case; prints the first harmonics of its last cycle and the cost."""
    start = time.perf_counter()
    run = case.run(device=device, cycles=3, until="cycles", **changed)
    seconds, result = time.perf_counter() - start, run.summary["result"]
    loop = km.hysteresis(run)
    cl, cm = loop.cl.harmonics[0], loop.cm.harmonics[0]
    size, change = loop.cl.amplitude, loop.cl.change.amplitude
    print(
        f"{label}: cl {cl.sin:.6f} sin {cl.cos:.6f} cos, cm {cm.sin:.6f} sin {cm.cos:.6f} cos, "
        f"amplitude {size:.5f}, change in the last cycle {abs(change / (size - change)):.1e}, "
        f"{result['unconverged_steps']} steps not converged, "
        f"{result['inner_iterations']} iterations, {seconds:.1f} s",
        flush=True,
    )
    return loop


def steps_study(asked):
    """Meshes and time steps; every step by five orders."""
    case = km.cases.load(UNSTEADY[asked.study])
    case = dataclasses.replace(case, solver={"unsteady_drop": 1e-5, "unsteady_iterations": 600})
    for nodes in asked.nodes or [5_000, 24_000]:
        for steps in asked.steps:
            label = f"{asked.study} nodes {nodes} steps {steps}"
            unsteady(label, case, asked.device, nodes=nodes, steps_per_cycle=steps)


def meshless_study(asked):
    """Both solvers on the same nodes, moved alike; rms differences as shares of the amplitude."""
    for name in asked.names or UNSTEADY.values():
        case = km.cases.load(name).replace(deform="delaunay")

        def loop(method, nodes, case=case):
            label = f"{case.name} {method} nodes {nodes}"
            return unsteady(label, case, asked.device, method=method, nodes=nodes)

        fine = loop("ale", asked.fine)
        for nodes in asked.nodes or [5_000]:
            same, mine = loop("ale", nodes), loop("meshless", nodes)
            for label, other in (("same", same), ("finer", fine)):
                away = mine.compare(other)
                print(f"    from the {label} mesh: cl {away.cl.rms:.2%}, cm {away.cm.rms:.2%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=("steady", "files", *UNSTEADY, "meshless"))
    parser.add_argument("names", nargs="*", help="mesh files, or cases")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--far-field", type=float, default=100.0)
    parser.add_argument("--vortex", action="store_true")
    parser.add_argument("--lusgs", action="store_true")
    parser.add_argument("--nodes", type=numbers)
    parser.add_argument("--fine", type=int, default=24_000)
    parser.add_argument("--steps", type=numbers, default=[32, 64, 128])
    asked = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # what they say is in the lines
    studies = {"steady": steady_study, "files": files_study, "meshless": meshless_study}
    studies.get(asked.study, steps_study)(asked)


if __name__ == "__main__":
    main()
