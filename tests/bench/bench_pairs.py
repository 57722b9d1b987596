"""Two overset parts that are small enough for tests of the bench."""

from kinemesh.bench import steps


def small_pair():
    """About 8000 nodes, with room for a plunge of 0.75 chords."""
    wing = steps.airfoil("naca0012", nodes=900, far_field=1.0, outer="overset", wall_spacing=0.02)
    return {"wing": wing, "back": steps.background((-2, 3, -3, 3), (-1, 2, -1.6, 1.6), 0.047, 1.3)}
