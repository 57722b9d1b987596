"""Closed boxes of overset parts: no boundary is open, and the pressure's matrix is singular."""

import kinemesh as km
import numpy as np
import pytest
from enclosed import Enclosed
from test_projection import errors as errors_of_one_grid

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
    assert made.projection.flow.closed.all()
    assert (get(made.projection.pressure.status) == 1).all()
    pressure = get(made.projection.flow["p"])
    assert np.abs(pressure).max() > 0.1
    assert abs(field_mean(made, pressure)) < 1e-12 * np.abs(pressure).max()
    # 1 % of what the body pushes aside: its speed, 2 k times the amplitude, and its diameter
    assert 0 < np.abs(run.history["mass_defect"]).max() < 0.01 * 0.6


@pytest.mark.filterwarnings("ignore:.*mass defect:RuntimeWarning")
def test_closed_and_open_members_have_the_bits_of_their_runs_alone():
    """A stream that comes in and nowhere goes out, and a fluid at rest.

    4 U chord come in, less what would at the side's ends, corners of walls, half of 0.11.
    """
    told = {"walls": BOX[1:], "far": ["left"]}
    both = box(stream=[1.0, 0.0], **told)
    table = both.run(time_step=0.05, steps=4, start="as is").history
    assert list(both.projection.flow.closed) == [True, False]
    for m, stream in enumerate((1.0, 0.0)):
        own = box(stream=stream, **told).run(time_step=0.05, steps=4, start="as is").history
        rows = table["member"] == m
        for name in ("cl", "cd", "cm", "pressure_iterations", "mass_defect"):
            assert np.array_equal(table[name][rows], own[name])
    assert table["mass_defect"][table["member"] == 0] == pytest.approx(-3.89, rel=0.005)


# ---------------------------------------------------------------- Taylor and Green (1937)


def orders_and_defects(sizes, kind):
    """Orders of velocity and pressure, dt ~ h; ratios of the largest mass defects; errors."""
    made = [Enclosed(n, kind).run(n // 4) for n in sizes]
    found = np.array([own.errors() for own in made])
    lost = np.array([np.abs(own.defects).max() for own in made])
    assert all((own.grid.backend.get(own.link.status) == 0).any() for own in made)
    return np.log2(found[:-1] / found[1:]), lost[:-1] / lost[1:], found


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("kind", ["quads", "triangles"])
def test_a_part_that_moves_inside_has_the_errors_of_one_grid(kind):
    """pi / 32 and pi / 64, as coarser meshes have no hole; 1.1 is the design's bar.

    The mass defect falls faster than a first order, by 3 on finer meshes.
    """
    _, falls, found = orders_and_defects((32, 64), kind)
    assert (falls > 2).all(), falls
    assert (found[-1] < 1.1 * errors_of_one_grid(64, 16, kind, "outer")).all(), found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quads", "triangles"])
def test_the_mass_defect_falls_by_three(kind):
    """pi / 64 to pi / 128; the bar is the design's."""
    _, falls, _ = orders_and_defects((64, 128), kind)
    assert (falls > 3).all(), falls


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quads", "triangles"])
def test_a_part_that_moves_inside_keeps_second_order(kind):
    """pi / 64 to pi / 128; with three quarters of the last pressure's change 0.8 to 1.2."""
    orders, _, _ = orders_and_defects((64, 128), kind)
    assert (orders > 1.9).all(), orders


def noise(steps, kind):
    """Rms second difference in time of field nodes' pressures, after an eighth of the steps."""
    made, pressures = Enclosed(32, kind), []

    def keep():
        pressures.append(np.where(made.field, made.grid.backend.get(made.step.flow["p"]), np.nan))

    made.run(steps, each=keep)
    p = np.array(pressures)[steps // 8 :]
    return np.sqrt(np.nanmean((p[2:] - 2 * p[1:-1] + p[:-2]) ** 2))


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("kind", ["quads", "triangles"])
def test_noise_of_the_pressure_does_not_grow_as_the_time_step_falls(kind):
    found = [noise(steps, kind) for steps in (32, 64, 128)]
    assert found[0] > found[1] > found[2], found
