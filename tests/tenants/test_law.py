"""A tenant: a motion law of a user's own, a turn to an angle that begins and ends smoothly."""

from dataclasses import dataclass
from math import radians

import kinemesh as km
import numpy as np
import pytest
from kinemesh.motion import Motion, Pose, Rate

pytestmark = pytest.mark.flow
MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)


@dataclass(frozen=True, slots=True)
class Ramp(Motion):
    """Turn about a point to an angle within a time, at rest and without acceleration at its ends.

    The time is in chords over the speed of sound, of incompressible flow over U.
    """

    angle_deg: float
    time: float
    about: tuple[float, float] = (0.25, 0.0)

    def omega(self, u_inf):
        return None  # it has no period

    def pose(self, t, u_inf):
        s = min(max(t / self.time, 0.0), 1.0)
        return Pose(radians(self.angle_deg) * s**3 * (10 - 15 * s + 6 * s**2), self.about)

    def rate(self, t, u_inf):  # without this method by differences of the pose
        s = min(max(t / self.time, 0.0), 1.0)
        return Rate(radians(self.angle_deg) / self.time * 30 * (s * (1 - s)) ** 2)

    @property
    def pivot(self):
        return self.about


RAMP = Ramp(angle_deg=0.5, time=0.23)
BY_POSE = km.motion.function(lambda t: RAMP.pose(t, 1.0))
LAG = 24e-12 / 1.875 / RAMP.time**4  # of differences of fourth order over 1e-3, of the largest rate


def both(solver, **stream):
    """Histories of the ramp as a class, and as a function of time."""
    cases = [solver(MESH, motion=law, device="cpu", **stream) for law in (RAMP, BY_POSE)]
    return [case.run(steps=4, time_step=0.08, preflight=False).history for case in cases]


def test_walls_of_a_gas_go_as_fast_as_the_mesh_whatever_the_rates_of_the_law():
    own, law = both(km.Ale, mach=0.5, settings=km.AleSettings(steady_drop=1e-2))
    for name in ("alpha_deg", "cl", "cd", "cm"):
        assert np.ptp(own[name]) > 1e-3
        assert (own[name] == law[name]).all()
    power = np.abs(own["power"]).max()  # the moment is not largest where the rate is: twice
    assert 0 < np.abs(own["power"] - law["power"]).max() < 2 * LAG * power
    assert (own["alpha_deg"][-1], own["power"][-1]) == (0.5, 0.0)


def test_walls_of_incompressible_flow_go_as_fast_as_the_law_says():
    own, law = both(km.Incompressible, reynolds=1000)
    for name in ("cl", "cd", "cm", "power"):
        most = np.abs(own[name]).max()
        assert 0 < np.abs(own[name] - law[name]).max() < 1e-4 * most  # pressure_tolerance
