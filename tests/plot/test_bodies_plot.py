"""Loads of several bodies have a line each, beside that of all of them."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import csv_rows as named
from kinemesh.io import history
from kinemesh.plot.times import loads

pytestmark = pytest.mark.no_sanitizer
STEPS = 32


def flown(cycles, bodies=("fore", "aft"), missing=(), first=1.0):
    """History of bodies with lifts of their own, in the first cycle times `first`."""
    cycle = np.arange(1, round(cycles * STEPS) + 1) / STEPS
    phase, zero = 2 * np.pi * cycle, np.zeros(len(cycle))
    wave = np.where(cycle < 1, first, 1) * np.cos(phase)
    columns = named.unsteady_columns([*bodies, *missing])
    rows = dict.fromkeys(columns, zero) | {
        "step": np.arange(1, len(cycle) + 1),
        "time": 8.0 * cycle,
        "cycle": cycle,
        "phase_deg": 360 * (cycle % 1),
        "alpha_deg": np.sin(phase),
        "converged": zero + 1,
    }
    for k, body in enumerate(bodies):
        lift = {"cl": (k + 1) * wave, "cd": k + wave, "cm": -k * wave}
        rows |= {f"{name}_{body}": load for name, load in lift.items()}
        rows |= {name: rows[name] + load for name, load in lift.items()}
        rows[f"angle_deg_{body}"] = np.sin(phase)
    for body in missing:
        rows |= {f"{name}_{body}": zero + np.nan for name in named.OF_BODY}
    made = history.History(columns)
    made.extend(rows)
    return made


def drawn(axes):
    """{label: y} of the lines of a panel."""
    return {line.get_label(): np.asarray(line.get_ydata()) for line in axes.lines}


def test_loads_of_a_run_without_a_cycle_are_those_of_each_body_and_of_all():
    made = flown(2.0, missing=["tail"])  # a body of another member

    figure = loads(made.member(0), "two bodies")

    assert [axes.get_ylabel() for axes in figure.axes] == ["$c_l$", "$c_d$", "$c_m$"]
    for axes, name in zip(figure.axes, ("cl", "cd", "cm"), strict=True):
        lines = drawn(axes)
        assert list(lines) == ["fore", "aft", "all bodies"]
        for label, load in lines.items():
            column = name if label == "all bodies" else f"{name}_{label}"
            np.testing.assert_array_equal(load, made[column])
        assert len({line.get_color() for line in axes.lines}) == 3
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["fore", "aft", "all bodies"]


def test_loads_of_one_body_are_one_line_of_lift_and_one_of_drag():
    figure = loads(flown(2.0, bodies=["fore"], missing=["tail"]).member(0))

    assert [len(axes.lines) for axes in figure.axes] == [1, 1]


@pytest.mark.parametrize("cycles", [2.0, 2.25])
def test_the_hysteresis_has_a_loop_of_each_body(cycles):
    """Lifts are (k + 1) cos of a phase whose sine is the angle: rounding of both."""
    figure = km.plot.hysteresis(km.hysteresis(flown(cycles)))

    for axes, about, factors in zip(
        figure.axes, ("", " (own pivot)"), ((1, 2, 3), (0, -1, -1)), strict=True
    ):
        labels = [f"fore{about}", f"aft{about}", "all bodies"]
        lines = {line.get_label(): line for line in axes.lines}
        assert list(lines) == labels
        assert [text.get_text() for text in axes.get_legend().get_texts()] == labels
        for label, factor in zip(labels, factors, strict=True):
            x, y = (np.asarray(values) for values in lines[label].get_data())
            assert len(x) == STEPS + 1
            away = np.abs(np.abs(y) - abs(factor) * np.sqrt(np.clip(1 - x**2, 0, 1)))
            assert away.max() < 1e-7  # the root of a rounding
            assert y[0] == pytest.approx(factor * np.cos(0), abs=1e-12)  # at the first phase


def test_bodies_of_a_run_that_is_not_periodic_are_open():
    figure = km.plot.hysteresis(km.hysteresis(flown(2.0, first=1.5)))

    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert len(lines["fore"].get_xdata()) == STEPS
