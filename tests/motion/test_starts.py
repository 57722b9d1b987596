"""Rates at the start of a motion, by which a run says that a body moves at once."""

from math import cos, sin

import kinemesh as km
import numpy as np
import pytest
from kinemesh import motion
from kinemesh.motion import Pose

SAID = "moves at once where its motion begins"
MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
ABOUT = (0.25, 0.0)
LAWS = {  # angle [rad] from time 0 on, of a body that rests before
    "acceleration": lambda t: 0.02 * t**2,
    "1 - cos": lambda t: 0.02 * (1 - cos(0.3 * t)),
    "quick 1 - cos": lambda t: 0.02 * (1 - cos(3.0 * t)),
    "velocity": lambda t: 1e-4 * t,
    "sine": lambda t: 0.02 * sin(0.3 * t),
}
SPEED = {"acceleration": 0.0, "1 - cos": 0.0, "quick 1 - cos": 0.0, "velocity": 1e-4, "sine": 6e-3}


def before(law, rests):
    """Motion by a law that before time 0 rests, or is as the law has it."""
    return motion.function(lambda t: Pose(law(max(t, 0.0) if rests else t), ABOUT))


@pytest.mark.parametrize("rests", [True, False])
@pytest.mark.parametrize("name", LAWS)
def test_rates_at_the_start_are_of_the_times_behind_it(name, rests):
    """Differences of fourth order: (omega 1e-3)^4 / 5 of a rate, and rounding over 1e-3."""
    found = before(LAWS[name], rests).rate(0.0, 0.5)

    assert found.angle == pytest.approx(SPEED[name], rel=1e-9, abs=1e-12)


def test_rates_at_the_start_are_of_the_times_behind_it_in_space_and_of_shifts():
    axis = (1.0, 0.0, 0.0)
    turn = motion.function(lambda t: Pose(max(t, 0.0), (0, 0, 0), axis=axis))
    shift = motion.function(lambda t: Pose(shift=(max(t, 0.0) ** 2, max(t, 0.0))))

    assert turn.rate(0.0, 0.5).angle == pytest.approx(1.0, rel=1e-9)
    assert shift.rate(0.0, 0.5).shift == pytest.approx((0.0, 1.0), abs=1e-9)


def test_rates_later_on_have_no_step_at_the_start():
    law = motion.function(lambda t: Pose(sin(t), ABOUT))
    at = np.array([0.0, 1e-3, 1.9e-3, 2.1e-3, 5e-3, 1.0])

    found = [law.rate(t, 0.5).angle for t in at.tolist()]

    np.testing.assert_allclose(found, np.cos(at), rtol=0, atol=1e-12)


def says(law, recwarn):
    """Return True where a run that goes from the stream says that its body moves at once."""
    case = km.Incompressible(MESH, reynolds=100.0, motion=law, device="cpu")
    case.run(time_step=0.1, steps=1, preflight=False)
    return any(SAID in str(warning.message) for warning in recwarn)


@pytest.mark.flow
@pytest.mark.parametrize("rests", [True, False])
@pytest.mark.parametrize("name", LAWS)
def test_a_run_says_that_a_body_moves_at_once_where_its_velocity_jumps(name, rests, recwarn):
    assert says(before(LAWS[name], rests), recwarn) == (SPEED[name] > 0)


@pytest.mark.flow
@pytest.mark.parametrize(("share", "said"), [(0.99, False), (1.01, True)])
def test_a_velocity_of_a_millionth_of_the_stream_is_a_jump(share, said, recwarn):
    law = motion.function(lambda t: Pose(shift=(0.0, share * 1e-6 * max(t, 0.0))))

    assert says(law, recwarn) == said
