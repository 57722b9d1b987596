"""The ready case `oneram6-twist-sa`: the numbers of the paper, and the mesh of its sizes."""

import kinemesh as km
import pytest
from kinemesh import cases
from kinemesh.cases import build
from kinemesh.deform import Carrier

SEMISPAN, CHORD = 1.47601798, 0.80167296  # [root chord]


def test_the_case_is_that_of_the_paper():
    """Ma et al., section 6.2: Mach and Reynolds numbers, twist, reduced frequency, step 0.12."""
    case = cases.load("oneram6-twist-sa")
    motion = case.motion.build(case.flow.references[1])

    assert (case.flow.mach, case.flow.alpha_deg, case.flow.reynolds) == (0.84, 0.0, 21.66e6)
    assert case.flow.turbulence == "sa"
    assert case.flow.reynolds_of_unit == pytest.approx(21.66e6 / SEMISPAN, rel=1e-5)
    assert (motion.amplitude_deg, motion.k, motion.span) == (10, 0.27, 1.476)
    assert motion.chord == CHORD
    assert pytest.approx(case.job.steps_per_cycle, abs=0.1) == 6.28318 / (0.27 * 0.12)
    assert case.job.cycles == 5
    assert case.deform.build() == Carrier()


@pytest.mark.parametrize(
    ("size", "changed", "steps"),
    [
        (None, {"nodes": 450_000, "growth": 1.24}, 194),
        ("coarse", {"nodes": 80_000, "growth": 1.35}, 97),
        ("fine", {"nodes": 1_200_000, "growth": 1.2}, 194),
    ],
)
def test_layers_begin_at_a_y_plus_of_one(size, changed, steps, monkeypatch):
    asked = {}
    monkeypatch.setattr(km.mesh, "oneram6", asked.update)
    case = cases.load("oneram6-twist-sa")
    case = case if size is None else case.replace(nodes=size)

    build.space(case)

    assert asked.pop("reynolds") == pytest.approx(21.66e6 / SEMISPAN, rel=1e-5)
    assert asked == {"topology": "ch", "y_plus": 1.0} | changed
    assert case.job.steps_per_cycle == steps
