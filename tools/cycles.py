#!/usr/bin/env python3
"""Draw the loops of finished runs on one figure, and say how far they are apart.

    tools/cycles.py docs/img/ct3.png "own mesh, 12 thousand nodes=runs/own" "CFL3D's grid=runs/grid"

Loops of cl and cm over alpha are those of the last cycle; distances are rms over half the range of
the first run, at its phases; of the cycle before they tell how periodic a run is.
"""

import argparse
from pathlib import Path

import kinemesh as km
import numpy as np

SHARES = np.arange(360) / 360  # of a cycle


def cycle(run, which):
    """alpha [deg], cl and cm at SHARES of a cycle, the last one for which = 1."""
    history, steps = run.history, run.summary["conditions"]["steps_per_cycle"]
    last = history.rows - steps * (which - 1)
    rows = slice(last - steps, last)
    at = np.arange(1, steps + 1) / steps
    names = ("alpha_deg", "cl", "cm")
    return {name: np.interp(SHARES, at, history[name][rows], period=1) for name in names}


def apart(one, other, name):
    """Rms of the difference over half of the range of the first [%]."""
    return 100 * np.sqrt(np.mean((one[name] - other[name]) ** 2)) / (np.ptp(one[name]) / 2)


def draw(loops, path):
    """Lift and moment over the angle, a line for each run."""
    from kinemesh.plot.style import BODIES, figure_of, styled

    @styled
    def picture():
        figure = figure_of(7.2, 3.2)
        for axes, name in zip(figure.subplots(1, 2), ("cl", "cm"), strict=True):
            for colour, (label, loop) in zip(BODIES, loops.items(), strict=False):
                closed = {key: np.append(value, value[0]) for key, value in loop.items()}
                axes.plot(closed["alpha_deg"], closed[name], color=colour, lw=1.2, label=label)
            axes.set(xlabel="alpha [deg]", ylabel=f"$c_{name[1]}$")
        axes.legend(fontsize=7)
        return figure

    picture(path=path)


def main():
    """Read the runs, print what they differ by, and draw."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("figure", type=Path)
    given.add_argument("runs", nargs="+", metavar="LABEL=FOLDER")
    asked, loops = given.parse_args(), {}
    for text in asked.runs:
        label, _, folder = text.rpartition("=")
        run = km.open(folder)
        loops[label] = loop = cycle(run, 1)
        before, first = cycle(run, 2), next(iter(loops.values()))
        for name in ("cl", "cm"):
            low, high, mean = (f(loop[name]) for f in (np.min, np.max, np.mean))
            print(
                f"{label}: {name} {low:.4f} to {high:.4f}, mean {mean:.4f}; "
                f"{apart(loop, before, name):.2f} % off the cycle before, "
                f"{apart(first, loop, name):.2f} % off the first run"
            )
    draw(loops, asked.figure)


if __name__ == "__main__":
    main()
