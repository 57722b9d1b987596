"""Pulses of amplitudes of shapes, beside pulses of the whole body."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import motion
from kinemesh.errors import ArgumentError, SettingsError

U, CHORD, DURATION, START = 0.6, 2.0, 5.0, 1.5
SECTION = km.mesh.airfoil("naca0012", nodes=600, far_field=8.0)
SPRINGS = km.deform.TorsionalSprings(tolerance=1e-10)
ABOUT = (0.25, 0.0)


def shift(points):
    return np.tile([0.0, 1.0], (len(points), 1))


def turn(points):
    """Points of a body that turns nose-up by a small angle about the quarter chord."""
    return (points - ABOUT)[:, ::-1] * [1.0, -1.0]


def test_amplitudes_are_those_of_a_pulse_of_the_body():
    law = motion.modal_pulse([shift, turn], [0.2, 0.0], DURATION, START, CHORD)
    body = motion.pulse(plunge=0.2, duration=DURATION, start=START, chord=CHORD)

    for t in np.linspace(0, 3, 40) * (START + DURATION) * CHORD / U:
        assert law.pose(t, U).modes == (body.pose(t, U).shift[1], 0.0)
        assert law.rate(t, U).modes == (body.rate(t, U).shift[1], 0.0)
    assert law.omega(U) is None
    assert law.pose((START + DURATION / 2) * CHORD / U, U).modes == pytest.approx((0.2, 0))


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")
def test_a_shift_and_a_small_turn_as_modes_have_the_loads_of_the_pose():
    """A shift to rounding, a turn but for the square of the angle.

    The work on a turn given as a mode lacks that of the steady load, which is of the thickness, on
    the second order of a turn: half a per cent of the moment.
    """
    settings = km.AleSettings(unsteady_drop=1e-6)

    def rows(law):
        case = km.Ale(SECTION, mach=0.4, motion=law, deform=SPRINGS, settings=settings,
                      device="cpu")  # fmt: skip
        return case.run(time_step=0.5, steps=3, start="as is", preflight=False).history

    times = {"duration": 2.0, "start": 0.0}
    mode = rows(motion.modal_pulse(shift, 0.02, **times))
    pose = rows(motion.pulse(plunge=0.02, **times))
    size = np.abs(pose["cl"]).max()
    for name in ("cl", "cd"):
        assert mode[name] == pytest.approx(pose[name], abs=1e-12 * size)
    assert mode["mode_force_1"] == pytest.approx(mode["cl"], abs=1e-12 * size)
    apart = []
    for angle in (4.0, 2.0):
        mode = rows(motion.modal_pulse(turn, np.radians(angle), **times))
        pose = rows(motion.pulse(angle, about=ABOUT, **times))
        apart.append(np.abs(mode["cl"] - pose["cl"]).max() / np.abs(pose["cl"]).max())
        work = np.abs(mode["mode_force_1"] - pose["cm"]).max() / np.abs(pose["cm"]).max()
        assert work < 0.01
    assert apart[0] < np.radians(4.0) ** 2 / 10
    assert 3.5 < apart[0] / apart[1] < 4.5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"amplitudes": [0.1]}, "1 amplitudes, expected one for each of 2 shapes"),
        ({"amplitudes": [0.0, 0.0]}, "all amplitudes are 0"),
        ({"amplitudes": [0.1, np.nan]}, "amplitudes"),
        ({"shapes": []}, "modal_pulse: shapes = .*expected at least one"),
        ({"duration": 0}, "modal_pulse: duration = 0"),
        ({"start": -1}, "modal_pulse: start = -1.*expected 0 or a number above 0"),
        ({"chord": -1}, "modal_pulse: chord = -1"),
        ({"k": 1}, "unknown argument 'k'"),
    ],
)
def test_pulses_that_are_none_are_refused(change, said):
    given = {"shapes": [shift, turn], "amplitudes": [0.1, 0.0]} | change
    with pytest.raises((SettingsError, ArgumentError), match=said):
        motion.modal_pulse(**given)
