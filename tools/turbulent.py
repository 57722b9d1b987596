#!/usr/bin/env python3
"""Compare turbulent walls and layers with NASA's, and draw docs/img/plate-sa.png, naca0012-sa.png.

    OMP_NUM_THREADS=1 tools/turbulent.py [--plate SIZE] [--section SIZE] [--img docs/img]

Sizes are those of the ready cases flat-plate-sa and naca0012-sa.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from kinemesh import cases
from kinemesh.plot.style import BLUE, DARK, RED, figure_of, styled

DATA = Path(cases.__file__).parent / "data"
STATION = 0.9701  # of the source's profiles
NOSE, TAIL = 0.05, 0.95  # of the friction compared


def table(name):
    """Columns of a file of the cases' data, by name."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    head, *rows = [line for line in lines if not line.startswith("#")]
    return dict(zip(head.split(","), np.loadtxt(rows, delimiter=",").T, strict=True))


def flow(name, size, out):
    """A run of a ready case on a CPU."""
    return cases.load(name, ["run.device=cpu"]).replace(nodes=size, out=out).run()


def eddies(run, x=STATION):
    """Heights and eddy viscosities at x, between the columns of nodes on both its sides."""
    frame = run.fields(-1)
    columns = frame.points[:, 0].round(12)
    places = np.unique(columns)
    right = int(np.searchsorted(places, x))
    share = (x - places[right - 1]) / (places[right] - places[right - 1])
    found = 0.0
    for place, weight in ((places[right - 1], 1 - share), (places[right], share)):
        rows = np.flatnonzero(columns == place)
        rows = rows[np.argsort(frame.points[rows, 1])]
        found = found + weight * np.stack([frame.points[rows, 1], frame["EddyViscosity"][rows]])
    return found


def differences(x, y, source_x, source_y):
    """Differences from the source at those x that it covers, over its range of values."""
    within = (x >= source_x.min()) & (x <= source_x.max())
    return (y[within] - np.interp(x[within], source_x, source_y)) / np.ptp(source_y)


def plate(run):
    """Differences from CFL3D over the largest value: u+ and eddy viscosity at x = 0.97."""
    source, layer = table("cfl3d_plate_sa.csv"), run.layer(STATION)
    return {
        "u+": differences(layer.y_plus, layer.u_plus, source["y_plus"], source["u_plus"]),
        "mu_t": differences(*eddies(run), source["y"], source["eddy_viscosity"]),
    }


def sides(x, value):
    """Rows of the lower and of the upper side of a closed wall, from the nose on."""
    nose = int(np.argmin(x))
    return {"below": (x[nose::-1], value[nose::-1]), "above": (x[nose:], value[nose:])}


def section(run):
    """Differences from CFL3D over the range: friction of the upper side, pressure of both."""
    wall = run.walls()["airfoil"]
    cf, cp = table("cfl3d_naca0012_sa_cf.csv"), table("cfl3d_naca0012_sa_cp.csv")
    x, friction = sides(wall.x, wall.cf)["above"]
    within = (x >= NOSE) & (x <= TAIL)
    span = np.ptp(cp["cp"])
    over = np.ptp(cf["cf"]) / cf["cf"].max()  # friction over its largest value, as of layers
    found = {"cf": over * differences(x[within], friction[within], cf["x"], cf["cf"])}
    source = sides(cp["x"], cp["cp"])
    for side, (x, pressure) in sides(wall.x, wall.cp).items():
        within = x <= 0.98
        own = differences(x[within], pressure[within], *source[side])
        found[f"cp {side}"] = own * np.ptp(source[side][1]) / span
    return found


@styled
def draw_plate(run):
    """Velocity over the height in wall units, and eddy viscosity over the height."""
    source, layer, (y, eddy) = table("cfl3d_plate_sa.csv"), run.layer(STATION), eddies(run)
    figure = figure_of(7.6, 2.9)
    left, right = figure.subplots(1, 2)
    y_plus = np.geomspace(0.1, 2000, 100)
    left.plot(y_plus[y_plus < 11], y_plus[y_plus < 11], color=DARK, lw=0.8, ls=":")
    log = y_plus[y_plus > 11]
    left.plot(log, np.log(log) / 0.41 + 5, color=DARK, lw=0.8, ls=":", label="law of the wall")
    left.plot(source["y_plus"], source["u_plus"], color=RED, lw=1.2, label="CFL3D, 545 x 385")
    left.plot(layer.y_plus[1:], layer.u_plus[1:], ".", color=BLUE, ms=4, label="kinemesh")
    left.set(xscale="log", xlim=(0.1, 2e5), xlabel="$y^+$", ylabel="$u^+$")
    left.legend()
    right.plot(source["eddy_viscosity"], source["y"], color=RED, lw=1.2)
    right.plot(eddy, y, ".", color=BLUE, ms=4)
    right.set(ylim=(0, 0.025), xlabel="$\\mu_t/\\mu_\\infty$", ylabel="$y$")
    return figure


@styled
def draw_section(run):
    """Friction of the upper side and pressure of both."""
    wall = run.walls()["airfoil"]
    cf, cp = table("cfl3d_naca0012_sa_cf.csv"), table("cfl3d_naca0012_sa_cp.csv")
    figure = figure_of(7.6, 2.9)
    left, right = figure.subplots(1, 2)
    x, friction = sides(wall.x, wall.cf)["above"]
    left.plot(x, friction, ".", color=BLUE, ms=4, label="kinemesh")
    left.plot(cf["x"], cf["cf"], color=RED, lw=1, label="CFL3D, 897 x 257")
    left.set(xlabel="$x/c$", ylabel="$c_f$, upper side", ylim=(0, 0.035))
    left.legend()
    right.plot(wall.x, wall.cp, ".", color=BLUE, ms=4)
    right.plot(cp["x"], cp["cp"], color=RED, lw=1)
    right.invert_yaxis()
    right.set(xlabel="$x/c$", ylabel="$c_p$")
    return figure


def report(name, run, compare):
    """Print the differences of a run."""
    print(f"{name}: {len(run.fields(-1).points)} nodes")
    for what, own in compare(run).items():
        rms = np.sqrt(np.mean(own**2))
        print(f"  {what:<9} largest {100 * abs(own).max():.2f} %, rms {100 * rms:.2f} %")


def main():
    """Run both cases, print the differences and draw the figures."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--plate", default="medium")
    given.add_argument("--section", default="medium")
    given.add_argument("--img", type=Path, default=Path(__file__).parents[1] / "docs" / "img")
    asked = given.parse_args()
    for name, size, compare, draw, image in (
        ("flat-plate-sa", asked.plate, plate, draw_plate, "plate-sa.png"),
        ("naca0012-sa", asked.section, section, draw_section, "naca0012-sa.png"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            run = flow(name, size, Path(folder) / name)
            report(f"{name}, {size}", run, compare)
            draw(run, path=asked.img / image)


if __name__ == "__main__":
    main()
