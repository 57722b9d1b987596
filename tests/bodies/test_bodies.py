"""Several bodies: in which order they are, and the loads of each."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import summary
from kinemesh.motion import Pose
from solver_cases import Ellipse, bodies

MAIN, FLAP = Ellipse((0, 0), (0.5, 0.15), 24), Ellipse((0.2, -0.5), (0.3, 0.1), 16)
FEW = km.AleSettings(steady_iterations=3)


@pytest.fixture(scope="module")
def mesh():
    """Its markers are not in the order of the alphabet."""
    return bodies({"main": MAIN, "flap": FLAP})


@pytest.mark.flow
@pytest.mark.parametrize("walls", [None, {"flap", "main"}])
def test_bodies_are_in_the_order_of_the_mesh(mesh, walls):
    other = bodies({"flap": MAIN, "slat": FLAP})
    case = km.Ale([mesh, other], mach=0.3, walls=walls and {*walls, "slat"}, device="cpu")

    assert case.grid.bodies == [(0, "main"), (0, "flap"), (1, "flap"), (1, "slat")]
    there = case.moment_points([Pose(shift=(float(k), 0.0)) for k in range(4)])
    np.testing.assert_allclose(there, [[0.25, 0.0], [2.25, 0.0]])


def test_bodies_are_in_the_order_that_the_user_gives(mesh):
    assert km.Ale(mesh, mach=0.3, walls=["flap", "main"], device="cpu").grid.bodies == [
        (0, "flap"),
        (0, "main"),
    ]


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_a_steady_run_tells_the_loads_of_each_body_before_their_sums(mesh):
    run = km.Ale(mesh, mach=0.3, alpha_deg=2.0, settings=FEW, device="cpu").steady()

    result = run.summary["result"]
    assert list(result["bodies"]) == ["main", "flap"]
    for name in ("cl", "cd", "cm"):
        parts = [loads[name] for loads in result["bodies"].values()]
        assert result[name] == pytest.approx(sum(parts), rel=1e-14)
        assert abs(parts[0] - parts[1]) > 1e-3
    told = summary.table(run.summary).splitlines()
    names = [row.split("  ")[0] for row in told]
    assert names[names.index("bodies, flap") - 1 :][:3] == [
        "bodies, main",
        "bodies, flap",
        "cl, all walls",
    ]
    assert f"cl {result['bodies']['flap']['cl']:.5g}, cd " in told[names.index("bodies, flap")]


@cache
def round_mesh():
    return km.mesh.cylinder(300, far_field=6.0, around=24)


@pytest.mark.parametrize("solver", ["gas", "liquid"])
@pytest.mark.parametrize(("speed", "told"), [(1e-6, 0), (np.nextafter(1e-6, 1.0), 1)])
def test_a_body_that_moves_at_once_is_told_of_above_a_millionth_of_the_stream(solver, speed, told):
    given = {"motion": km.motion.translate((0.0, speed)), "moment_about": (0, 0), "device": "cpu"}
    make = {
        "gas": lambda: km.Ale(round_mesh(), mach=0.5, **given),
        "liquid": lambda: km.Incompressible(round_mesh(), reynolds=100.0, **given),
    }[solver]

    assert len(make().bodies.jumps(np.array([0]))) == told
