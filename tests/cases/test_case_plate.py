"""The ready plate of aspect ratio 2 at Reynolds number 100, beside what was measured."""

import pytest
from kinemesh import cases
from kinemesh.cases import build

MEASURED = 0.675  # at 20 degrees: Dickson, in Taira, Dickson and Colonius (2007), digitised


@pytest.mark.flow
@pytest.mark.slow
def test_the_plate_has_the_measured_lift_on_its_coarse_mesh():
    """Design: 5 %; drags are 8 to 13 % above the measured ones (docs/validation.md)."""
    ready = cases.load("flat-plate-ar2", ["flow.alpha_deg=20"]).replace(device="cpu")
    run = build.run(ready.replace(nodes="coarse"))
    assert run.history.cl[-1] == pytest.approx(MEASURED, rel=0.05)
