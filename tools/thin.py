#!/usr/bin/env python3
"""Thin sections at low Mach numbers beside Theodorsen's theory: a table of docs/validation.md.

    tools/thin.py [--nodes 24000] [--steps 96] [--cycles 6] [--device auto]

NACA 0006, 0009 and 0012 at Mach 0.1, 0.15 and 0.2 pitch about the quarter chord, and plunge, by
half a degree of incidence; derivatives are extrapolated to no thickness and Mach 0 by
    f0 + a t + b t^2 + (c + d t) M^2.
PYTHONPATH=python in a clone.
"""

import argparse
import time
import warnings

import kinemesh as km
import numpy as np
from scipy.special import hankel2

THICKNESS = (6, 9, 12)
MACHS = (0.1, 0.15, 0.2)
FREQUENCIES = (0.05, 0.1, 0.2, 0.3, 0.5)
INCIDENCE_DEG = 0.5
A = -0.5  # pivot, and point of the moment, in half chords behind mid-chord


def theodorsen(k):
    """(cl_alpha, cm_alpha, cl_h, cm_h): per radian and per h/c, h upwards, moments about the pivot.

    T. Theodorsen, General theory of aerodynamic instability and the mechanism of flutter, NACA
    Report 496 (1935).
    """
    h1, h0 = hankel2(1, k), hankel2(0, k)
    c, i = h1 / (h1 + 1j * h0), 1j
    turn = 1 + i * k * (0.5 - A)
    return (
        np.pi * (i * k + A * k**2) + 2 * np.pi * c * turn,
        -np.pi / 2 * (i * k * (0.5 - A) - k**2 * (1 / 8 + A**2)) + np.pi * (A + 0.5) * c * turn,
        2 * np.pi * k**2 - 4j * np.pi * k * c,
        np.pi * A * k**2 - 2j * np.pi * (A + 0.5) * k * c,
    )


def extrapolated(thickness, mach, values):
    """Value at no thickness and Mach 0 of least squares through values at (thickness, mach)."""
    t, m2 = np.asarray(thickness), np.asarray(mach) ** 2
    terms = np.stack([np.ones_like(t), t, t**2, m2, t * m2], axis=1)
    return np.linalg.lstsq(terms, np.asarray(values, complex), rcond=None)[0][0]


def motions(k):
    """A pitch, and a plunge, of the same largest incidence."""
    incidence = np.radians(INCIDENCE_DEG)
    return [
        km.motion.pitch(INCIDENCE_DEG, k, about=(0.25, 0)),
        km.motion.plunge(incidence / (2 * k), k),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=24_000)
    parser.add_argument("--steps", type=int, default=96)
    parser.add_argument("--cycles", type=int, default=6)
    parser.add_argument("--far-field", type=float, default=100.0)
    parser.add_argument("--device", default="auto")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)
    start = time.perf_counter()
    meshes = {
        t: km.mesh.airfoil(f"naca00{t:02d}", nodes=asked.nodes, far_field=asked.far_field)
        for t in THICKNESS
    }
    pairs = [(t, m) for t in THICKNESS for m in MACHS]
    thickness, machs = (np.array(v, float) for v in zip(*pairs, strict=True))
    rigid, ensemble = km.deform.Rigid(), [meshes[t] for t, _ in pairs]

    still = km.Ale(ensemble, mach=machs, alpha_deg=INCIDENCE_DEG, device=asked.device).steady()
    slopes = np.asarray(still.summary["result"]["cl"]) / np.radians(INCIDENCE_DEG)
    slope = extrapolated(thickness / 100, machs, slopes).real
    print(f"steady slope of cl over 2 pi: {slope / (2 * np.pi):.4f}", flush=True)

    cases = [(k, way, t, m) for k in FREQUENCIES for way in (0, 1) for t, m in pairs]
    run = km.Ale(
        [meshes[t] for _, _, t, _ in cases],
        mach=[m for *_, m in cases],
        motion=[motions(k)[way] for k, way, _, _ in cases],
        deform=rigid,
        device=asked.device,
    ).run(cycles=asked.cycles, steps_per_cycle=asked.steps)
    loops = [km.hysteresis(run, member) for member in range(len(cases))]
    change = max(loop.cl.change.rms / loop.cl.amplitude for loop in loops)
    print(f"change of cl in the last cycle, of the amplitude: at most {change:.1e}")
    print(f"steps not converged: {int(np.sum(~run.history['converged'].astype(bool)))}")
    print("   k  motion  cl: magnitude   phase      cm: error over cl")
    for k in FREQUENCIES:
        theory = theodorsen(k)
        for way, name in enumerate(("alpha", "h")):
            mine = [n for n, case in enumerate(cases) if case[:2] == (k, way)]
            cl, cm = (
                extrapolated(
                    thickness / 100,
                    machs,
                    [getattr(loops[n].derivatives, f"{load}_{name}") for n in mine],
                )
                for load in ("cl", "cm")
            )
            ratio, error = cl / theory[2 * way], abs(cm - theory[2 * way + 1]) / abs(cl)
            print(
                f"{k:5.2f} {'pitch' if way == 0 else 'plunge':>7} {abs(ratio) - 1:+14.2%} "
                f"{np.degrees(np.angle(ratio)):+8.2f} deg {error:12.2%}",
                flush=True,
            )
    print(f"{len(cases)} cases of {asked.nodes} nodes, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
