#!/usr/bin/env python3
"""Draw Figures 17 to 19 of Ma et al. (2017): the ONERA M6 that twists, by a run of a ready case.

    kinemesh run oneram6-twist-sa --out FOLDER
    tools/twisting.py FOLDER [FIGURE.png]

Mach numbers of the steady flow beside the root, and pressures of the section at a fifth of the span
at a quarter and at half of the last cycle.  Changes of cl from one cycle to the next are printed.
"""

import argparse
from pathlib import Path

import kinemesh as km
import numpy as np
from kinemesh.plot.spans import fans, polygons
from kinemesh.plot.style import BLUE, DARK, RED, figure_of, styled

SECTION, ROOT = 0.2, 0.005  # shares of the span
WINDOW = (-0.4, 1.6, -0.7, 0.7)  # x, z of the plane of symmetry
PHASES = (90, 180)
LEVELS = np.arange(0.5, 1.26, 0.05)


def changes(history):
    """Cycle, largest and rms difference of cl from the cycle before, over half its range."""
    cl, cycle = history["cl"], np.ceil(history["cycle"] - 1e-6).astype(int)
    for number in range(2, cycle.max() + 1):
        before, now = cl[cycle == number - 1], cl[cycle == number]
        if len(before) == len(now):
            size, apart = np.ptp(now) / 2, np.abs(now - before)
            yield number, size, apart.max() / size, np.sqrt(np.mean(apart**2)) / size


def near(phases, wanted):
    """Number of the frame next to a phase [deg]."""
    return int(np.argmin(np.abs((phases - wanted + 180) % 360 - 180)))


@styled
def picture(run):
    """Three panels: Figures 17, 18 and 19."""
    flow = run.fields(0)
    figure = figure_of(9.6, 3.2)
    first, *others = figure.subplots(1, 3)
    span = flow.points[flow.walls][..., 1].max()
    corners, values, count = polygons(flow.points, flow.cells, flow["Mach"], ROOT * span)
    x0, x1, z0, z1 = WINDOW
    low, high = corners.min(axis=1), corners.max(axis=1)
    seen = (high[:, 0] > x0) & (low[:, 0] < x1) & (high[:, 1] > z0) & (low[:, 1] < z1)
    at = fans(corners[seen], count[seen])
    drawn = first.tricontourf(*at[:2], at[2], values[seen].ravel(), LEVELS, extend="both")
    figure.colorbar(drawn, ax=first, shrink=0.8)
    first.set(xlim=WINDOW[:2], ylim=WINDOW[2:], aspect="equal", xlabel="$x$", ylabel="$z$")
    first.set_title("Mach number, steady, root")
    first.grid(False)
    (wall,) = run.pressures(section=SECTION).values()
    order = np.argsort(wall.x)
    for axes, phase in zip(others, PHASES, strict=True):
        frame = near(wall.phase_deg, phase)
        for side, colour, name in ((1, RED, "upper side"), (-1, BLUE, "lower side")):
            rows = order[side * wall.y[order] >= 0]
            axes.plot(wall.x[rows], wall.cp[frame, rows], color=colour, lw=1.2, label=name)
        axes.set(xlabel="$x/c$", ylabel="$c_p$", ylim=(1.2, -1.2))
        axes.axhline(0, color=DARK, lw=0.5)
        axes.set_title(f"{100 * SECTION:.0f} % of the span, {wall.phase_deg[frame]:.0f} degrees")
        axes.legend()
    return figure


def main():
    """Say changes of cl, and draw."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("folder", type=Path)
    given.add_argument("figure", type=Path, nargs="?")
    asked = given.parse_args()
    run = km.open(asked.folder)
    for number, size, most, rms in changes(run.history):
        print(
            f"cycle {number} beside {number - 1}: cl +-{size:.4f}, changed by {100 * most:.3f} % "
            f"at most, {100 * rms:.3f} % rms",
            flush=True,
        )
    picture(run, path=asked.figure or asked.folder / "paper.png")


if __name__ == "__main__":
    main()
