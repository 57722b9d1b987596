"""Work that steps of one grid spare: numbers are those of all of it."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.deform.mover import PoseMover
from projections import annulus

MESH = km.mesh.cylinder(600, far_field=10.0)
TELLS = "ignore:member 0. (not periodic|no period|the CFL):RuntimeWarning"


def case(motion=None, **options):
    told = {"reynolds": 100.0, "alpha_deg": 5.0, "device": "cpu", "motion": motion}
    told["moment_about"] = (0.0, 0.0)
    return km.Incompressible(options.pop("mesh", MESH), **(told | options))


def pausing(t):
    """At rest, then turning and drifting from 0.2 to 0.4, then at rest again."""
    on = min(max(t - 0.2, 0.0), 0.2)
    return km.motion.Pose(0.3 * on, (0.0, 0.0), (0.2 * on, 0.1 * on))


def run(made, steps=16):
    return made.run(time_step=0.05, steps=steps)


QUADS = {"mesh": annulus(40, 12), "walls": ["inner"], "far": ["outer"]}


@pytest.mark.parametrize(("chord", "told"), [(1.0, {}), (2.0, QUADS)], ids=["triangles", "quads"])
def test_walls_take_what_the_residual_of_all_nodes_leaves_there(chord, told):
    made = case(km.motion.pitch(20.0, 0.3, (0.0, 0.0), 90.0, chord), chord=chord, **told)
    run(made, 3)
    flow, o, b = made.projection.flow, made.projection.operators, made.backend
    walls = made.grid.wall.node
    left = b.get(flow["res"])[walls]
    ahead = flow.fields.also(flow=flow["guess"])
    for call in (*o.pressure_slopes(ahead, flow["p"]), *o.residual(ahead), *o.reaction(ahead)):
        call()

    assert np.abs(left).max() > 1e-3
    assert np.array_equal(left, b.get(flow["res"])[walls])


@pytest.mark.filterwarnings(TELLS)
@pytest.mark.parametrize("motion", [None, km.motion.function(pausing)])
def test_grids_that_stand_have_the_bits_of_grids_that_are_measured(motion, monkeypatch):
    made, turns = case(motion), []
    turn = made.grid.turn
    made.grid.turn = lambda: (turns.append(made.step_number), turn())
    found = run(made).history
    # it moves in steps 5 to 8; what was swept then counts in step 9, and is old in step 10
    assert turns == [1, 2, 3] + ([] if motion is None else [5, 6, 7, 8, 9, 10])

    monkeypatch.setattr(PoseMover, "AGED", 10**6)
    every = run(case(motion)).history
    for name in found.columns:
        np.testing.assert_array_equal(found[name], every[name], name)


@pytest.mark.filterwarnings(TELLS)
def test_a_run_again_from_the_stream_does_not_begin_from_the_pressure_of_the_last_one():
    made = case()
    first, again = run(made).history, run(made).history
    for name in first.columns:
        np.testing.assert_array_equal(first[name], again[name], name)
