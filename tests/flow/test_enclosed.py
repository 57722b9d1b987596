"""Closed boxes of overset parts: no boundary is open, and the pressure's matrix is singular."""

import kinemesh as km
import numpy as np
import pytest

BOX = ["left", "right", "bottom", "top"]
BACK = km.mesh.background(box=(-2, 2, -2, 2), core=(-2, 2, -2, 2), spacing=0.11)
ROUND = km.mesh.cylinder(640, far_field=1.6, around=40, wall_spacing=0.03, outer="overset")
PLUNGE = {"body": km.motion.plunge(amplitude=0.3, k=1.0)}
pytestmark = [
    pytest.mark.filterwarnings("ignore:.* moves at once:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*loads are sums over all walls:RuntimeWarning"),
]


def box(back=BACK, **options):
    told = {"reynolds": 50.0, "stream": 0.0, "device": "cpu", "moment_about": (0.0, 0.0)}
    told |= {"motion": PLUNGE, "walls": BOX}
    return km.Incompressible({"body": ROUND, "back": back}, **(told | options))


def field_mean(made, values):
    """Mean over the duals of field nodes."""
    get = made.backend.get
    volume = np.where(get(made.parts.connectivity.status) == 1, get(made.grid.V), 0.0)
    return volume @ values / volume.sum()


@pytest.mark.parametrize("slip", [False, True])
def test_a_body_moves_in_a_closed_box(slip):
    sides = {"walls": None, "boundaries": dict.fromkeys(BOX, "symmetry")} if slip else {}
    made = box(**sides)
    run = made.run(time_step=0.05, steps=10)
    get = made.backend.get
    assert made.projection.closed.all()
    assert (get(made.projection.pressure.status) == 1).all()
    pressure = get(made.projection.p)
    assert np.abs(pressure).max() > 0.1
    assert abs(field_mean(made, pressure)) < 1e-12 * np.abs(pressure).max()
    # 1 % of what the body pushes aside: its speed, 2 k times the amplitude, and its diameter
    assert 0 < np.abs(run.history["mass_defect"]).max() < 0.01 * 0.6


def test_closed_and_open_members_have_the_bits_of_their_runs_alone():
    """A stream that comes in and nowhere goes out, and a fluid at rest.

    4 U chord come in, less what would at the side's ends, corners of walls, half of 0.11.
    """
    told = {"walls": BOX[1:], "far": ["left"]}
    both = box(stream=[1.0, 0.0], **told)
    table = both.run(time_step=0.05, steps=4, start="as is").history
    assert list(both.projection.closed) == [True, False]
    for m, stream in enumerate((1.0, 0.0)):
        own = box(stream=stream, **told).run(time_step=0.05, steps=4, start="as is").history
        rows = table["member"] == m
        for name in ("cl", "cd", "cm", "pressure_iterations", "mass_defect"):
            assert np.array_equal(table[name][rows], own[name])
    assert table["mass_defect"][table["member"] == 0] == pytest.approx(-3.89, rel=0.005)
