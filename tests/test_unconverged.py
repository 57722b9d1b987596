"""Steps that stop short of the asked drop are told everywhere; round-off is not short."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import summary

MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)


def ran(**settings):
    made = km.AleSettings(**settings)
    pitch = km.motion.pitch(2.0, 0.1)
    case = km.Ale(MESH, mach=0.5, motion=pitch, deform=km.deform.Rigid(), device="cpu",
                  settings=made)  # fmt: skip
    return case.run(cycles=1, steps_per_cycle=16)


def test_steps_that_ran_out_of_iterations_are_told_everywhere():
    with pytest.warns(RuntimeWarning, match="steps ended above the asked residual drop") as warned:
        run = ran(unsteady_drop=1e-3, unsteady_iterations=9, steady_drop=1e-2)

    short = run.history["residual_drop"] > 1e-3
    assert short.sum() > 0
    np.testing.assert_array_equal(run.history["converged"], ~short)
    assert run.summary["result"]["unconverged_steps"] == short.sum()
    assert run.summary["result"]["unconverged_steps_of_loop"] == short.sum()
    assert km.hysteresis(run).unconverged == short.sum()
    table = summary.table(run.summary)
    assert f"{short.sum()} of 16 steps ended above" in table
    assert any(f"{short.sum()} of 16" in str(w.message) for w in warned)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_a_residual_without_bound_is_a_fault_and_no_convergence():
    """A first norm that overflows is its own share, by which any step would have converged."""
    motion = km.motion.pitch(2.0, 1e160)
    case = km.Ale(MESH, mach=0.5, motion=motion, deform=km.deform.Rigid(), device="cpu")

    with pytest.raises(km.NumericalFault):
        case.run(cycles=1, steps_per_cycle=16, start="as is")


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_a_step_that_ended_at_round_off_is_converged():
    case = km.Ale(MESH, mach=0.5, walls=[], motion=None, deform=km.deform.TorsionalSprings(),
                  device="cpu", settings=km.AleSettings(unsteady_drop=1e-12))  # fmt: skip

    run = case.run(time_step=0.5, steps=3, start="as is")  # a uniform stream, solved at once

    assert (run.history["residual_drop"] > 1e-12).all()
    assert run.history["converged"].all()
    assert run.summary["result"]["unconverged_steps"] == 0
    assert run.summary["result"]["steps_ended_at_roundoff"] == 3


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_a_first_flow_that_did_not_converge_is_in_the_summary():
    with pytest.warns(RuntimeWarning, match=r"steady flow at the start: .*residual rose to"):
        run = ran(steady_iterations=5, unsteady_iterations=3)

    assert any("steady flow at the start" in text for text in run.summary["warnings"])
