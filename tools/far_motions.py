#!/usr/bin/env python3
"""Clouds that are carried far by Delaunay mapping: the figures and numbers of docs/meshless.md.

    tools/far_motions.py [--points 9600] [--img docs/img]

One line per quarter of a cycle: condition number of the worst least-squares matrix, graphs built
and taken up again so far, points inside walls, farthest that a point is from where it began.  Then
how far the flap can turn.  PYTHONPATH=python in a clone.
"""

import argparse
from pathlib import Path

import kinemesh as km
import numpy as np
from kinemesh.cloud.satellites import condition_numbers
from kinemesh.mesh.geometry.curves import inside
from kinemesh.motion import Pose
from kinemesh.plot import BLUE, DARK, STYLE

HINGE = (0.9, -0.01)  # in the nose of the 30P30N section's flap
STEPS = 64  # of a cycle


class Ride:
    """The points of a cloud, carried along with a motion of its bodies, without a flow."""

    def __init__(self, cloud, motion):
        anew = km.deform.Delaunay(retriangulate=True)
        self.model = km.Meshless(cloud, mach=0.2, motion=motion, deform=anew, device="cpu")
        self.grid = self.model.grid
        self.mover = anew.attach(self.grid.vertices)
        self.built = self.back = 0

    def step(self, poses):
        """Points after a step to poses(1) from poses(0)."""
        found = self.mover.step(poses)
        self.built += found["graphs_rebuilt"]
        self.back += found["graphs_taken_up_again"]
        return self.model.backend.get(self.grid.x)

    def condition(self, x):
        return condition_numbers(x, self.grid.offsets, self.grid.neighbour).max()

    def crossed(self, x):
        """Points inside walls."""
        inner = np.setdiff1d(
            np.arange(self.grid.nodes), np.r_[self.grid.wall.node, self.grid.patches["far"].node]
        )
        return sum(
            inside(x[inner], x[outline(self.grid, marker)]).sum() for _, marker in self.grid.bodies
        )


def outline(grid, marker):
    """Nodes of a closed boundary in their order."""
    after = dict(grid.meshes[0].boundaries[marker].tolist())
    curve = [next(iter(after))]
    while after[curve[-1]] != curve[0]:
        curve.append(after[curve[-1]])
    return np.array(curve)


def motion_of(ride):
    return next(motion for motion in ride.model.motions if motion is not None)


def cycle(name, cloud, motion):
    """A cycle with its numbers; places at rest and at both ends of the motion."""
    ride = Ride(cloud, motion)
    dt = motion_of(ride).period(0.2) / STEPS
    points, ends, crossed = ride.grid.points, [], 0
    print(f"{name}: {cloud!r}\n  at rest: condition {ride.condition(points):.3g}")
    for number in range(STEPS):
        x = ride.step(lambda share, n=number: ride.model.poses(np.full(1, (n + share) * dt)))
        crossed += ride.crossed(x)
        if (number + 1) % (STEPS // 4) == 0:
            ends.append(x)
            print(
                f"  quarter {len(ends)}: condition {ride.condition(x):.3g}, {ride.built} graphs "
                f"built, {ride.back} taken up again, {crossed} points inside walls at any step, "
                f"{np.abs(x - points).max():.2g} from rest"
            )
    return ride, (ends[2], points, ends[0])


def farthest(cloud, sign, limit):
    """Degrees that the flap turns, one a step, before a condition number exceeds `limit`."""
    ride = Ride(cloud, {"flap": km.motion.pitch(1.0, 0.1)})
    angle = [np.radians(sign) * (marker == "flap") for _, marker in ride.grid.bodies]
    for degree in range(90):
        try:
            x = ride.step(lambda share, d=degree: [Pose(a * (d + share), HINGE) for a in angle])
        except km.NumericalFault as fault:
            return f"{sign * degree} degrees, then: {fault}"
        if ride.condition(x) > limit or ride.crossed(x):
            return f"{sign * degree} degrees, then a condition of {ride.condition(x):.3g}"
    return "90 degrees"


def draw(path, ride, places, titles, box):
    """Points near the bodies, a panel for each of the places."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE | {"axes.grid": False}):
        figure = Figure(figsize=(9.6, 3.8), layout="constrained")
        for axes, x, title in zip(figure.subplots(1, 3, sharey=True), places, titles, strict=True):
            near = ((x > box[::2]) & (x < box[1::2])).all(axis=1)
            axes.plot(*x[near].T, ".", color=BLUE, markersize=2.2, markeredgewidth=0)
            for _, marker in ride.grid.bodies:
                axes.fill(*x[outline(ride.grid, marker)].T, color=DARK, linewidth=0)
            axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", title=title, xlabel="$x/c$")
        figure.axes[0].set_ylabel("$y/c$")
        figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=9600, help="of the three-element cloud")
    parser.add_argument("--img", type=Path, default=Path(__file__).parents[1] / "docs" / "img")
    asked = parser.parse_args()
    asked.img.mkdir(parents=True, exist_ok=True)
    for section in ("naca0012", "naca64a010"):
        cloud = km.Cloud.from_mesh(km.mesh.airfoil(section, nodes=5000))
        ride, places = cycle(f"{section}, pitch 30 degrees", cloud, km.motion.pitch(30.0, 0.1))
        titles = (f"{section.upper()}: -30 degrees", "at rest", "+30 degrees")
        box = np.array((-0.4, 1.4, -0.9, 0.9))
        draw(asked.img / f"pitch-{section}.png", ride, places, titles, box)
    cloud = km.cloud.three_element(points=asked.points)
    flap = {"flap": km.motion.pitch(10.0, 0.1, about=HINGE)}
    ride, places = cycle("30p30n, flap 10 degrees", cloud, flap)
    titles = ("30P30N, flap: -10 degrees", "as given", "+10 degrees")
    draw(asked.img / "flap-30p30n.png", ride, places, titles, np.array((0.8, 1.0, -0.1, 0.1)))
    for sign in (1, -1):
        print(f"  farthest, condition up to 500: {farthest(cloud, sign, 500.0)}")


if __name__ == "__main__":
    main()
