#!/usr/bin/env python3
"""Mesh and time-step studies of the ready cases: the figures of docs/validation.md.

    tools/study.py steady [--far-field 100] [--vortex]      both topologies, 5 to 94 thousand nodes
    tools/study.py files MESH.su2 [MESH.su2 ...]            naca0012-transonic on meshes from files;
                                                            with --lusgs by that linear solver
    tools/study.py ct5 | ct6 [--nodes 5000,24000] [--steps 32,64,128]

Options: --device cpu|cuda|auto.  One line per run, as it ends; PYTHONPATH=python in a clone.
"""

import argparse
import time
import warnings

import kinemesh as km
import numpy as np

SIZES = (5_000, 24_000, 94_000)
UNSTEADY = {  # section, Mach, alpha [deg], amplitude [deg], k, about
    "ct5": ("naca0012", 0.755, 0.016, 2.51, 0.0814, (0.25, 0.0)),
    "ct6": ("naca64a010", 0.796, 0.0, 1.01, 0.202, (0.248, 0.0)),
}


def numbers(text):
    return [int(word) for word in text.split(",")]


def steady(label, mesh, mach, device, **settings):
    """March to six orders and print what came out."""
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
    for path in asked.files:
        steady(path, km.mesh.read(path), 0.8, asked.device, **solver)


def harmonic(values, phase):
    """Amplitudes of sine and cosine of the first harmonic over one cycle."""
    return [2 * float(np.mean(values * f(phase))) for f in (np.sin, np.cos)]


def unsteady(case, nodes, steps, device):
    """Three cycles, every step by five orders; first harmonics of the last."""
    section, mach, alpha, amplitude, k, about = UNSTEADY[case]
    mesh = km.mesh.airfoil(section, nodes=nodes)
    motion = km.motion.pitch(amplitude, k, about=about)
    settings = km.AleSettings(unsteady_drop=1e-5, unsteady_iterations=600)
    ale = km.Ale(
        mesh,
        mach=mach,
        alpha_deg=alpha,
        motion=motion,
        moment_about=about,
        device=device,
        settings=settings,
    )
    start = time.perf_counter()
    run = ale.run(cycles=3, steps_per_cycle=steps)
    seconds = time.perf_counter() - start
    cl, cm = run.history["cl"], run.history["cm"]
    phase = 2 * np.pi * np.arange(1, steps + 1) / steps
    first = harmonic(cl[-steps:], phase) + harmonic(cm[-steps:], phase)
    size = [np.ptp(cl[c * steps : (c + 1) * steps]) / 2 for c in range(3)]
    print(
        f"{case} nodes {mesh.nodes} steps {steps}: cl {first[0]:.6f} sin {first[1]:.6f} cos, "
        f"cm {first[2]:.6f} sin {first[3]:.6f} cos, amplitude {size[2]:.5f}, change in the third "
        f"cycle {abs(size[2] / size[1] - 1):.1e}, {run.summary['result']['unconverged_steps']} "
        f"steps not converged, {run.history['inner_iterations'].sum()} iterations, {seconds:.1f} s",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=("steady", "files", *UNSTEADY))
    parser.add_argument("files", nargs="*")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--far-field", type=float, default=100.0)
    parser.add_argument("--vortex", action="store_true")
    parser.add_argument("--lusgs", action="store_true")
    parser.add_argument("--nodes", type=numbers, default=[5_000, 24_000])
    parser.add_argument("--steps", type=numbers, default=[32, 64, 128])
    asked = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # what they say is in the lines
    if asked.study == "steady":
        steady_study(asked)
    elif asked.study == "files":
        files_study(asked)
    else:
        for nodes in asked.nodes:
            for steps in asked.steps:
                unsteady(asked.study, nodes, steps, asked.device)


if __name__ == "__main__":
    main()
