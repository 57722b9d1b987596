"""A tenant: the motion law of a user's own in case files, by one line of [motion]."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import kinemesh as km
import pytest
from kinemesh.cases import casefile
from kinemesh.cases.motions import MotionPart
from test_law import MESH, RAMP, Ramp

pytestmark = pytest.mark.flow
CASE = """
name = "ramp"
mode = "unsteady"
mesh = { section = "naca0012", nodes = 500, far_field = 8 }
flow.mach = 0.5
motion.ramp = { angle_deg = 0.5, time = 0.23 }
run = { steps = 4, time_step = 0.08, preflight = false, device = "cpu" }
solver.steady_drop = 1e-2
"""


@dataclass(frozen=True, slots=True)
class Part(MotionPart):
    """Tables of [motion] with that of the ramp; a law of the package is a line of `MotionPart`."""

    ramp: Mapping[str, Any] | None = field(default=None, metadata={"law": Ramp})


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(casefile, "MotionPart", Part)
    (path := tmp_path / "ramp.toml").write_text(CASE)
    return path


def test_a_case_file_computes_with_the_law(file):
    stated = km.AleSettings(steady_drop=1e-2)
    case = km.Ale(MESH, mach=0.5, motion=RAMP, settings=stated, device="cpu")
    own = case.run(steps=4, time_step=0.08, preflight=False)
    assert (km.cases.load(file).run().history["cl"] == own.history["cl"]).all()


def test_keys_of_the_law_change_and_are_checked_as_those_of_other_laws(file):
    changed = km.cases.load(file, ["motion.ramp.about=[0.5, 0.0]"]).motion.build(1.0)
    assert changed == Ramp(0.5, 0.23, [0.5, 0.0])
    with pytest.raises(km.CaseError, match=r"\[motion\] ramp: unknown key 'tim'.*'time'"):
        km.cases.load(file, ["motion.ramp.tim=1.0"])
