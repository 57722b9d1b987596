"""Motions by tables against closed forms, and what is refused of tables."""

from math import pi, radians

import numpy as np
import pytest
from kinemesh import motion
from kinemesh.errors import CaseError, KinemeshError, SettingsError
from kinemesh.motion import Motion
from kinemesh.motion.tables import remarks

K, ROWS = 0.4, 200
S = np.linspace(0, pi / K, ROWS + 1)
BUILT_IN = motion.pitch(30, k=K) + motion.plunge(1.4, k=K, phase_deg=40)


def rows(s=S):
    """Angles [deg] and shifts of the built-in laws at reduced times."""
    poses = [BUILT_IN.pose(t, 1.0) for t in s]
    return np.degrees([p.angle for p in poses]), np.array([p.shift for p in poses])


def tabled(s=S, **more):
    angles, shifts = rows(s)
    return motion.table(s, angles_deg=angles, shifts=shifts, **more)


@pytest.mark.parametrize("time", [0.0, 0.37, 5.0, 9.7, 123.4, -2.0])
@pytest.mark.parametrize(("speed", "chord"), [(1.0, 1.0), (0.5, 0.3)])
def test_a_table_of_the_built_in_laws_is_these_laws(time, speed, chord):
    """Splines of fifth degree, 200 rows a period: h^6 / 500 = 2e-12 of an amplitude, rates h^5."""
    law = motion.pitch(30, k=K, chord=chord) + motion.plunge(1.4, k=K, phase_deg=40, chord=chord)
    table = tabled(chord=chord)

    found, expected = table.pose(time, speed), law.pose(time, speed)
    assert found.angle == pytest.approx(expected.angle, abs=1e-11)
    assert found.shift == pytest.approx(expected.shift, abs=1e-11)
    found, expected = table.rate(time, speed), law.rate(time, speed)
    assert found.angle == pytest.approx(expected.angle, abs=1e-9)
    assert found.shift == pytest.approx(expected.shift, abs=2e-9)
    assert table.omega(speed) == pytest.approx(law.omega(speed), rel=1e-14)


@pytest.mark.parametrize("time", [0.3, 1.7, 7.8])
def test_rates_are_the_derivatives_of_the_spline(time):
    found, expected = tabled().rate(time, 0.8), Motion.rate(tabled(), time, 0.8)

    assert found.angle == pytest.approx(expected.angle, abs=1e-9)
    assert found.shift == pytest.approx(expected.shift, abs=1e-9)


def test_angles_are_radians_and_angles_deg_degrees():
    angles, _ = rows()

    assert motion.table(S, np.radians(angles)).pose(1.0, 1.0) == motion.table(
        S, angles_deg=angles
    ).pose(1.0, 1.0)
    with pytest.raises(SettingsError, match=r"range of 60 radians.*angles_deg"):
        motion.table(S, angles)


def test_an_open_table_with_a_period_is_the_closed_one():
    angles, shifts = rows()
    opened = motion.table(S[:-1], angles_deg=angles[:-1], shifts=shifts[:-1], period=pi / K)

    for time in (0.1, 7.84, 20.0):
        assert opened.pose(time, 1.0).shift == pytest.approx(
            tabled().pose(time, 1.0).shift, abs=1e-12
        )
    assert opened.omega(1.0) == tabled().omega(1.0)


def test_a_table_that_does_not_close_is_as_given_and_ends():
    s = np.arange(6.0)
    ramp = motion.table(s, shifts=np.stack([s**2, 0 * s], axis=1))

    assert ramp.omega(1.0) is None
    assert ramp.pose(2.5, 1.0).shift == pytest.approx((6.25, 0))  # of s^2, which splines hold
    assert ramp.rate(5.0, 1.0).shift == pytest.approx((10, 0))
    with pytest.raises(SettingsError, match=r"no pose at reduced time 5\.5.*0 to 5.*period"):
        ramp.pose(5.5, 1.0)
    assert tabled(periodic=False).omega(1.0) is None


def test_a_table_adds_to_other_motions_about_its_pivot():
    both = tabled(about=(0.1, 0.0)) + motion.translate(velocity=(-1, 0))

    assert both.pivot == (0.1, 0.0)
    assert both.rate(1.0, 1.0).shift[0] == pytest.approx(-1)
    with pytest.raises(SettingsError, match="expected one pivot"):
        tabled() + motion.pitch(1, k=K, about=(0.5, 0))


def test_the_name_of_a_table_has_a_hash_of_its_content():
    angles, shifts = rows()
    angles[7] += 1e-9

    assert repr(tabled()) == repr(tabled())
    assert repr(tabled()) != repr(motion.table(S, angles_deg=angles, shifts=shifts))
    assert repr(tabled()) != repr(tabled(about=(0.3, 0)))
    assert "SHA-256" in repr(tabled())


def test_a_jump_is_refused_with_its_place_and_a_corner_is_said():
    angles, shifts = rows()
    angles[90] += 10

    with pytest.raises(SettingsError, match=rf"angle at reduced time {S[90]:.8g} .*a jump"):
        motion.table(S, angles_deg=angles, shifts=shifts)
    triangle = np.interp(S, [0, pi / K / 2, pi / K], [0, 1, 0])
    (said,) = remarks(motion.table(S, triangle))
    assert "a corner" in said
    assert remarks(tabled()) == []
    assert remarks(None) == []


@pytest.mark.parametrize(
    ("away", "refused", "said"),
    [
        (0.005 - 1e-9, False, False),
        (0.005 + 1e-9, False, True),
        (0.05 - 1e-9, False, True),
        (0.05 + 1e-9, True, True),
    ],
)
def test_a_row_half_a_percent_off_is_said_and_one_of_five_refused(away, refused, said):
    """On a line, which is the cubic through the neighbours."""
    s = np.arange(21.0)
    angles = s / 20 + away * (s == 10)

    if not refused:
        assert bool(remarks(motion.table(s, angles))) is said
        return
    with pytest.raises(SettingsError, match=r"time 10 lies 5 % of .*, expected at most 5 %"):
        motion.table(s, angles)


def test_a_sine_of_twelve_rows_is_taken_and_said():
    s = np.linspace(0, 1, 13)

    (said,) = remarks(motion.table(s, np.sin(2 * pi * s)))
    # half of h^4 / 6 with h = 30 degrees
    assert f"{100 * radians(30) ** 4 / 12:.1g}"[:3] in said


GOOD = {"times": S, "angles": 0.1 * np.sin(2 * K * S)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times": S[:4], "angles": S[:4]}, "4 rows, expected at least 6"),
        ({"times": S[:5], "angles": S[:5]}, "5 rows, expected at least 6"),
        ({"times": S[::-1]}, r"times\[1\] = .* is not above times\[0\]"),
        ({"times": np.r_[S[:3], np.nan, S[4:]]}, r"times\[3\] is nan"),
        ({"times": "no-such.csv", "angles": None}, "no-such.csv: cannot read"),
        ({"times": "no-such.csv"}, "a file has angles"),
        ({"angles": S[:-1]}, "expected 201 numbers"),
        ({"angles": None}, "expected angles, angles_deg or shifts"),
        ({"angles_deg": S}, "expected one of them"),
        ({"shifts": S}, r"expected \(201, 2\).*numpy.stack"),
        ({"angles": S * 0.1, "periodic": True}, "last row .* is not its first"),
        ({"period": 1.0}, "longer than the period"),
        ({"period": pi / K, "angles": 0.1 * S}, "a period after the first"),
        ({"period": -1.0}, "expected a number above 0"),
        ({"period": pi / K, "periodic": False}, "not periodic"),
        ({"periodic": "yes"}, "expected True or False"),
        ({"about": 0.25}, "expected two numbers"),
        ({"chord": 0}, "expected a number above 0"),
        ({"abouts": (0, 0)}, "did you mean 'about'"),
        ({"times": {"time": S, "angel": S}, "angles": None}, "did you mean 'angle'"),
        ({"times": {"angle": S}, "angles": None}, "expected time, and angle_deg"),
        ({"times": {"time": S, "y": S, "h": S}, "angles": None}, "two columns for y"),
    ],
)
def test_bad_tables_are_refused(change, said):
    with pytest.raises(KinemeshError, match=said):
        motion.table(**(GOOD | change))


def test_a_file_has_time_angle_and_shift(tmp_path):
    angles, shifts = rows()
    path = tmp_path / "motion.csv"
    each = zip(S.tolist(), angles.tolist(), shifts[:, 1].tolist(), strict=True)
    text = "\n".join(f"{t!r},{a!r},{h!r}" for t, a, h in each)
    path.write_text(f"# of a wind tunnel\ntime,angle_deg,h\n{text}\n")

    read = motion.table(path)

    assert read.pose(1.234, 1.0) == tabled().pose(1.234, 1.0)
    assert read.content == tabled().content
    path.write_text(f"time,angle_deg,h\n{text}\n".replace(text.split("\n")[3], "0.1,x,2"))
    with pytest.raises(CaseError, match="line 5"):
        motion.table(path)


def test_shifts_alone_have_no_pivot_as_a_plunge_has_none():
    _, shifts = rows()
    plunge = motion.table(S, shifts=shifts)

    assert plunge.pivot is None
    assert plunge.pose(1.0, 1.0).about == motion.plunge(1.4, k=K).pose(1.0, 1.0).about
    assert (plunge + motion.pitch(3, k=K, about=(0.5, 0))).pivot == (0.5, 0)
    assert motion.table(S, shifts=shifts, about=(0.4, 0)).pivot == (0.4, 0)
