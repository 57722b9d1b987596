"""Unsteady runs of a gas that begin with the stream."""

import kinemesh as km
import numpy as np
import pytest

MESH = km.mesh.cylinder(600, far_field=10.0)


def case(**flow):
    settings = km.AleSettings(unsteady_iterations=4, unsteady_drop=0.5)
    return km.Ale(MESH, mach=0.2, moment_about=(0, 0), device="cpu", settings=settings, **flow)


@pytest.mark.parametrize("flow", [{}, {"reynolds": 40.0}], ids=["inviscid", "viscous"])
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")  # short runs
def test_a_run_from_the_stream_forgets_the_flow_before(flow):
    steps = {"time_step": 0.5, "steps": 3, "start": "stream"}
    fresh = case(**flow).run(**steps)
    other = case(**flow)
    other.run(time_step=1.0, steps=2, start="as is")

    again = other.run(**steps)

    assert np.array_equal(again.history.cd, fresh.history.cd)
    assert abs(fresh.history.cd[-1]) > 0.1


def test_a_viscous_gas_that_begins_with_the_stream_stands_still_at_the_walls():
    made = case(reynolds=40.0)
    walls = made.grid.wall.node

    made.start_from("stream")

    q = made.primitive()
    assert not q[walls, 1:3].any()
    away = np.setdiff1d(np.arange(len(q)), walls)
    assert q[away, 1] == pytest.approx(0.2)
    assert made.backend.get(made.u1) == pytest.approx(made.backend.get(made.u), abs=0.0)
