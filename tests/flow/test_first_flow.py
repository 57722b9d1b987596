"""The first flow of a case of incompressible flow: solved once, where it is first needed."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.projection.initial import Start

MESH = km.mesh.cylinder(400, far_field=8.0, around=24)
STEPS = {"time_step": 0.05, "steps": 1}
MOTIONS = {"rest": None, "moving": km.motion.plunge(amplitude=0.1, k=1.0, phase_deg=90.0)}


@pytest.fixture
def solves(monkeypatch):
    """List with an entry for each flow that was made free of divergence."""
    found, solve = [], Start.__call__
    monkeypatch.setattr(Start, "__call__", lambda *given: (found.append(1), solve(*given))[1])
    return found


def case(motion="rest", **more):
    return km.Incompressible(MESH, reynolds=100.0, motion=MOTIONS[motion], device="cpu", **more)


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_run_from_the_stream_solves_its_first_flow_once(motion, solves):
    made = case(motion)
    assert not solves
    made.run(**STEPS)
    assert len(solves) == 1


def test_a_run_that_goes_on_from_files_solves_no_first_flow(tmp_path, solves):
    case().run(**STEPS, out=tmp_path)
    case().run(**(STEPS | {"steps": 2}), out=tmp_path, resume=True)
    assert len(solves) == 1


NEEDS = {
    "loads": lambda made: made.coefficients(),
    "loads of bodies": lambda made: made.body_coefficients(),
    "frames": lambda made: list(made.frames([0])),
    "arrays": lambda made: made.projection.flow,
    "a step": lambda made: made.begin_step(np.array([0.1]), 1),
    "a run as is": lambda made: made.run(**STEPS, start="as is"),
}


@pytest.mark.parametrize("need", NEEDS)
def test_what_needs_the_first_flow_solves_it_once(need, solves):
    made = case("moving")
    for _ in range(2):
        NEEDS[need](made)
    assert len(solves) == 1


def test_the_first_flow_is_that_of_bodies_as_given_whenever_it_is_needed():
    """A motion may begin elsewhere."""
    first, later = case("moving"), case("moving")
    first.initialise(first.inflow[first.grid.member])  # at once

    runs = [made.run(**STEPS, start="as is") for made in (first, later)]

    there, here = ([row.tolist() for row in run.history["cl"]] for run in runs)
    assert there == here
    for name in ("u", "p", "flow"):
        flows = [made.backend.get(made.projection.flow[name]) for made in (first, later)]
        np.testing.assert_array_equal(*flows)
