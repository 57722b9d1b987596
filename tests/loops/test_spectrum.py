"""Loads over a window: exact on made signals."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io.csv_rows import unsteady_columns
from kinemesh.io.history import History
from kinemesh.loops.spectrum import spectrum_of, with_bodies


def rows(frequency=0.1637, count=731, dt=0.053):
    """Coefficients with harmonics, over no whole number of periods."""
    time = dt * np.arange(1, count + 1)
    angle = 2 * np.pi * frequency * time
    return {
        "time": time,
        "cl": 0.02 + 0.33 * np.sin(angle + 0.4) + 0.01 * np.cos(3 * angle),
        "cd": 1.34 + 0.009 * np.cos(2 * angle - 1.0),
        "cm": 0 * time,
    }


def test_a_made_signal_has_its_numbers():
    found = spectrum_of(rows(), start=10.0)

    assert found.strouhal == pytest.approx(0.1637, rel=1e-12)
    assert (found.cl.mean, found.cl.amplitude) == pytest.approx((0.02, 0.33), rel=1e-10)
    assert found.cl.rms == pytest.approx(np.hypot(0.33, 0.01) / 2**0.5, rel=1e-10)
    assert (found.cd.mean, found.cd.amplitude) == pytest.approx((1.34, 0.009), rel=1e-10)
    assert (found.cm.mean, found.cm.rms) == (0.0, 0.0)
    assert found.start >= 10.0
    assert found.periods == pytest.approx((found.end - found.start) * 0.1637, rel=1e-12)


def test_strouhal_number_is_over_the_speed_of_the_stream():
    assert spectrum_of(rows(), per_length=1 / 0.3).strouhal == pytest.approx(0.1637 / 0.3)


def test_what_does_not_swing_has_no_frequency():
    still = rows() | {"cl": np.zeros(731), "cd": np.full(731, 1.5)}
    found = spectrum_of(still)
    assert (found.strouhal, found.cd.mean, found.cd.rms) == (None, pytest.approx(1.5), 0.0)
    assert spectrum_of(rows(frequency=0.03), start=5.0).strouhal is None  # one period


def test_short_windows_and_steady_runs_are_refused():
    with pytest.raises(km.CaseError, match=r"3 steps from time 38\.6 on, expected at least 16"):
        spectrum_of(rows(), start=38.6)


def of_two(one, other):
    """A history of two bodies, whose loads add up."""
    columns = unsteady_columns(["one", "other"])
    made = History(columns)
    made.extend(
        dict.fromkeys(columns, np.zeros(731))
        | {"time": one["time"], "member": np.zeros(731, int)}
        | {load: one[load] + other[load] for load in ("cl", "cd", "cm")}
        | {f"{load}_one": one[load] for load in ("cl", "cd", "cm")}
        | {f"{load}_other": other[load] for load in ("cl", "cd", "cm")}
    )
    return made


def test_each_of_several_bodies_has_a_spectrum():
    opposite = {name: values if name == "time" else -values for name, values in rows().items()}
    found = with_bodies(of_two(rows(), opposite), start=10.0)

    assert (found.cd.mean, found.cl.rms) == pytest.approx((0.0, 0.0), abs=1e-15)
    assert found.bodies["one"].cd.mean == pytest.approx(1.34, rel=1e-10)
    assert found.bodies["other"].strouhal == pytest.approx(0.1637, rel=1e-12)
    told = found.to_dict()["bodies"]
    assert told["other"]["cd"]["mean"] == found.bodies["other"].cd.mean
    assert "bodies" not in told["other"]


def test_a_swing_in_less_than_five_periods_is_told():
    """The window from time 10 on is of 28.7 units."""
    told = spectrum_of(rows(frequency=4.9 / 28.74), start=10.0).remark()
    assert "time 10.017 to 38.743, which holds 4.9 periods, expected at least 5" in told
    assert spectrum_of(rows(frequency=5.1 / 28.74), start=10.0).remark() is None


def test_loads_that_have_settled_need_no_periods():
    """Round-off and remnants below 1 % of the largest load, which a body has, are no swing."""
    remnant = {"time": rows()["time"], "cm": np.full(731, 1.3)}
    remnant |= {"cl": 0.01 * np.exp(-0.1 * remnant["time"]), "cd": np.zeros(731)}
    opposite = {name: values if name == "time" else 0 * values for name, values in rows().items()}
    opposite["cm"] = -remnant["cm"]
    assert with_bodies(of_two(remnant, opposite)).remark() is None
    assert spectrum_of(remnant | {"cm": np.zeros(731)}).remark() is not None


def test_a_lift_of_round_off_does_not_give_the_drag_its_frequency():
    """A cylinder that oscillates along the stream: cd swings by 3, cl is noise of 1e-5."""
    made = rows(frequency=0.2)
    rng = np.random.default_rng(2)
    made |= {"cd": 3 * made["cl"], "cl": 1e-5 * rng.standard_normal(len(made["time"]))}

    found = spectrum_of(made, start=5.0)

    assert found.strouhal == pytest.approx(0.2, rel=1e-6)
    assert found.cd.amplitude == pytest.approx(3 * spectrum_of(rows(frequency=0.2)).cl.amplitude)


def test_what_is_left_of_the_start_is_no_swing_beside_a_steady_drag():
    made = rows()
    made |= {"cl": 1e-5 * made["cl"], "cd": 1.5 + 1e-5 * made["cl"]}

    assert spectrum_of(made).strouhal is None
    assert spectrum_of(made).periods == 0


def test_sixteen_steps_are_a_window_and_fifteen_are_none():
    time = rows()["time"]

    assert spectrum_of(rows(), start=time[-16]).start == time[-16]
    with pytest.raises(km.CaseError, match=r"15 steps .*, expected at least 16"):
        spectrum_of(rows(), start=time[-15])


@pytest.mark.parametrize(("share", "known"), [(1 - 1e-9, False), (1 + 1e-9, True)])
def test_two_periods_make_a_frequency(share, known):
    made = rows(frequency=2 * share / np.ptp(rows()["time"]))

    found = spectrum_of(made, start=0.0)

    assert found.periods == pytest.approx(2 * share, rel=1e-10)
    assert (found.strouhal is not None) is known


@pytest.mark.parametrize(("share", "told"), [(1 - 1e-9, True), (1 + 1e-9, False)])
def test_five_periods_are_enough(share, told):
    made = rows(frequency=5 * share / np.ptp(rows()["time"]))

    assert (spectrum_of(made, start=0.0).remark() is not None) is told


@pytest.mark.parametrize(("share", "told"), [(1 - 1e-9, False), (1 + 1e-9, True)])
def test_an_rms_above_a_hundredth_of_the_largest_load_is_a_swing(share, told):
    """A sine of one period, beside a moment of 1."""
    time = rows(count=200)["time"]
    swing = np.where(np.arange(200) < 150, 1.0, -1.0)  # of the window, from 100 on, one each half
    made = {"time": time, "cl": 0.01 * share * swing, "cd": 0 * time, "cm": 0 * time + 1}

    assert (spectrum_of(made, start=time[100]).remark() is not None) is told
