#!/usr/bin/env python3
"""Draw docs/img/ct5-pressure.png: pressures of CT5 at 2.34 degrees rising, by Euler and viscous.

    tools/pitching.py [--device cuda] [--euler 94000] [--viscous 30000] [--img docs/img]
    tools/pitching.py --keep FOLDER     the pressures as CSV files there, no figure
    tools/pitching.py --draw FOLDER     the figure of such files

The angle is that of Figure 15 of the paper of the method, 69 degrees of the third cycle.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from kinemesh import cases

PHASE, STEPS = 69, 120  # of a cycle, whose steps are of 3 degrees
RUNS = {"euler": "agard-ct5", "viscous": "agard-ct5-sa"}


def wall(name, nodes, device, folder):
    """Columns x, y, cp along the section, x and y by its chord, nose at 0; alpha [deg]."""
    case = cases.load(name, [f"run.device={device}", "run.until=cycles"])
    cycles = 2 + PHASE / 360
    case = case.replace(nodes=nodes, steps_per_cycle=STEPS, cycles=cycles, out=folder)
    run = case.run()
    frame = run.fields(-1).at_walls()
    (rows,) = frame.bodies.values()
    at = np.unique(frame.walls[rows])
    x, cp = frame.points[at], frame["Cp"][at]
    alpha = run.history["alpha_deg"][-1]
    tail = x[np.argmax(x[:, 0])]
    nose = x[np.argmax(np.hypot(*(x - tail).T))]
    to, (a, b) = x - nose, (tail - nose) / np.hypot(*(tail - nose))
    along, above = to @ (a, b), to @ (-b, a)
    print(
        f"{name}: {len(run.fields(-1).points)} nodes, {alpha:.3f} degrees, cl "
        f"{run.history['cl'][-1]:.4f}, cm {run.history['cm'][-1]:.4f}",
        flush=True,
    )
    return np.stack([along, above, cp], axis=1)


def shock(table):
    """Place of the steepest rise of the pressure on the upper side [chord], and least cp."""
    upper = table[table[:, 1] > 0]
    upper = upper[np.argsort(upper[:, 0])]
    middle = (upper[:, 0] > 0.05) & (upper[:, 0] < 0.9)
    x, cp = upper[middle, 0], upper[middle, 2]
    places = np.linspace(0.06, 0.89, 167)
    rise = np.gradient(np.interp(places, x, cp))
    return places[np.argmax(rise)], upper[:, 2].min()


def draw(tables, path):
    """Pressures of both sides, by both gases."""
    from kinemesh.plot.style import BLUE, RED, figure_of, styled

    @styled
    def picture():
        figure = figure_of(5.6, 3.2)
        axes = figure.subplots()
        named = {"euler": ("Euler", RED), "viscous": ("Spalart-Allmaras, Re 5.5e6", BLUE)}
        for name, (label, colour) in named.items():
            for sign in (1, -1):
                side = tables[name][sign * tables[name][:, 1] >= 0]
                side = side[np.argsort(side[:, 0])]
                text = label if sign > 0 else None
                axes.plot(side[:, 0], side[:, 2], color=colour, lw=1.2, label=text)
        axes.invert_yaxis()
        axes.set(xlabel="$x/c$", ylabel="$c_p$")
        axes.legend()
        return figure

    picture(path=path)


def main():
    """Run both cases, or read what a run has kept, and draw."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--device", default="auto")
    given.add_argument("--euler", type=int, default=94_000)
    given.add_argument("--viscous", type=int, default=30_000)
    given.add_argument("--img", type=Path, default=Path(__file__).parents[1] / "docs" / "img")
    given.add_argument("--keep", type=Path)
    given.add_argument("--draw", type=Path)
    asked = given.parse_args()
    tables = {}
    for name, case in RUNS.items():
        if asked.draw:
            tables[name] = np.loadtxt(asked.draw / f"{name}.csv", delimiter=",", skiprows=1)
        else:
            with tempfile.TemporaryDirectory() as folder:
                size = getattr(asked, name)
                tables[name] = wall(case, size, asked.device, Path(folder) / case)
        place, least = shock(tables[name])
        print(f"  {name}: shock at {place:.3f} chords, least cp {least:.3f}", flush=True)
        if asked.keep:
            asked.keep.mkdir(parents=True, exist_ok=True)
            target = asked.keep / f"{name}.csv"
            np.savetxt(target, tables[name], "%.6g", ",", header="x,y,cp", comments="")
    if not asked.keep:
        draw(tables, asked.img / "ct5-pressure.png")


if __name__ == "__main__":
    main()
