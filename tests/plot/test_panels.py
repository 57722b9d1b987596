"""Panels of loops and cycles speak of their own load."""

import numpy as np
import pytest
from kinemesh import plot
from kinemesh.study.hysteresis import hysteresis
from made_up import changed, run

pytestmark = pytest.mark.no_sanitizer


def open_moment(amplitude=2.51):
    """A loop whose moment, not its lift, changes by a tenth from cycle to cycle."""
    made = run(amplitude=amplitude)
    scale = np.where(made["step"] > 64, 1.1, 1.0)
    return hysteresis(changed(made, cm=scale * made["cm"], converged=0 * scale + 1))


def test_only_the_load_that_is_not_periodic_says_so():
    loop = open_moment()
    assert loop.periodic is False

    lift, moment = plot.hysteresis(loop).axes

    assert lift.get_legend() is None
    (text,) = [t.get_text() for t in moment.get_legend().get_texts()]
    assert "not periodic: changes by" in text
    squares = [[line for line in axes.lines if line.get_marker() == "s"] for axes in (lift, moment)]
    assert [len(found) for found in squares] == [0, 1]


def test_a_moment_that_is_noise_beside_the_lift_is_a_line_at_zero():
    made = run()
    loop = hysteresis(changed(made, cm=1e-6 * made["cm"], converged=0 * made["cm"] + 1))

    moment = plot.hysteresis(loop).axes[1]

    low, high = moment.get_ylim()
    assert low == -high == pytest.approx(-0.05 * np.ptp(loop.cl.values))
