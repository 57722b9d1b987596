"""Two overset parts that are small enough for tests of the bench."""

from kinemesh.bench import steps
from kinemesh.mesh import sphere


def small_pair():
    """About 8000 nodes, with room for a plunge of 0.75 chords."""
    wing = steps.airfoil("naca0012", nodes=900, far_field=1.0, outer="overset", wall_spacing=0.02)
    return {"wing": wing, "back": steps.background((-2, 3, -3, 3), (-1, 2, -1.6, 1.6), 0.047, 1.3)}


def small_pair_in_space():
    """About 10,000 nodes: half a ball in place of the wing, with room for a plunge of 0.75."""
    ball = sphere(nodes=2500, far_field=1.9, half=True, outer="overset", wall_spacing=0.05)
    around = (-2, 2, 0, 2, -2.75, 2.75)
    return {"wing": ball, "back": steps.background(around, around, 0.19, symmetry=["front"])}
