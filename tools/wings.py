#!/usr/bin/env python3
"""Euler flow about the ONERA M6 on meshes and clouds of the same points: docs/validation.md.

    tools/wings.py hexes,tets,cloud [--nodes 30000,100000] [--set jacobian_fix=0.5]

Mach 0.8395, 3.06 degrees, six orders.  One line per run, as it ends: loads, iterations, seconds of
all cores and microseconds of them a point and pseudo-step, and how far shocks stand behind those
that were measured (AGARD-AR-138, test 2308) [local chord]: where cp rises most over 12 % of the
chord on the upper side.  PYTHONPATH=python in a clone.
"""

import argparse
import time
import warnings
from pathlib import Path

import kinemesh as km
import numpy as np
from kinemesh.study.cuts import section_pressures

FLOW = {"mach": 0.8395, "alpha_deg": 3.06, "moment_about": (0.25, 0.0)}
AREA = {"reference_area": 1.15315084, "reference_length": 0.80167296}
MEASURED = Path(km.__file__).parent / "cases" / "data" / "oneram6_ar138_2308.csv"
SECTIONS = 0.20, 0.44, 0.65, 0.80


def shock(x, cp, width=0.12):
    """Middle of the interval of that width over which cp rises most, behind 15 % of the chord."""
    order, place = np.argsort(x), np.linspace(0.0, 1.0, 1001)
    found = np.interp(place, x[order], cp[order])
    count = round(width * 1000)
    rise = np.where(place[:-count] > 0.15, found[count:] - found[:-count], -np.inf)
    return place[np.argmax(rise)] + width / 2


def shocks(points, faces, cp):
    """Places of shocks on four sections, less the measured ones."""
    there = faces[:, 3] >= 0 if faces.shape[1] == 4 else np.zeros(len(faces), bool)
    triangles = np.concatenate([faces[:, :3], faces[there][:, [0, 2, -1]]])
    rows = np.genfromtxt(MEASURED, delimiter=",", comments="#", skip_header=3)
    for share in SECTIONS:
        own = rows[np.isclose(rows[:, 0], share)]
        upper = own[own[:, 3] >= 0]
        cut = section_pressures(points, triangles, cp, own[0, 1])
        x, found = cut.x[cut.upper].ravel(), cut.cp[cut.upper].ravel()
        yield shock(x, found) - shock(upper[:, 2], upper[:, 4])


def solver(kind, nodes, device, settings):
    """Case on a mesh by its cells, or on a cloud."""
    about = FLOW | AREA | {"device": device}
    if kind in ("cloud", "irregular"):
        cloud = km.cloud.oneram6(points=nodes, irregular=kind == "irregular")
        return km.Meshless(cloud, settings=km.MeshlessSettings(**settings), **about)
    mesh = km.mesh.oneram6(nodes, kind)
    return km.Ale(mesh, settings=km.AleSettings(**settings), **about)


def surface(case):
    """Points, faces of the wing, and cp at the points of a case of one member."""
    mesh, q = case.grid.meshes[0], case.primitive()
    cp = (q[:, -1] - 1 / 1.4) / (0.5 * FLOW["mach"] ** 2)
    return mesh.points, mesh.boundaries["wing"], cp


def run(kind, nodes, device, settings):
    """March a case, and print what came out."""
    case = solver(kind, nodes, device, {"steady_drop": 1e-6} | settings)
    start = time.process_time()
    found = case.steady().summary["result"]
    seconds, count = time.process_time() - start, case.grid.nodes
    behind = " ".join(f"{own:+.3f}" for own in shocks(*surface(case)))
    print(
        f"{kind} {count}: cl {found['cl']:.5f} cd {found['cd']:.6f} cm {found['cm']:.5f}, "
        f"{found['iterations']} iterations, residual {found['residual_drop']:.1e}, "
        f"{seconds:.1f} s, {1e6 * seconds / count / found['iterations']:.2f} us, shocks {behind}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", help="hexes, prisms, tets, hybrid, cloud, irregular; commas")
    parser.add_argument("--nodes", default="30000,100000")
    parser.add_argument("--set", action="append", default=[], metavar="SETTING=NUMBER")
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    settings = {}
    for text in asked.set:
        name, value = text.split("=")
        settings[name] = int(value) if value.isdigit() else float(value)
    for nodes in map(int, asked.nodes.split(",")):
        for kind in asked.kinds.split(","):
            run(kind, nodes, asked.device, settings)


if __name__ == "__main__":
    main()
