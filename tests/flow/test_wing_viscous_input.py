"""Input about viscous wings that is refused, or told before the run."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import KinemeshWarning, SettingsError

pytestmark = [pytest.mark.long, pytest.mark.no_sanitizer]

M6 = {"reference_area": 1.15315084, "reference_length": 0.80167296, "moment_about": (0.25, 0.0)}
MILLIMETRES = 810.491  # of the root chord


@pytest.fixture(scope="module")
def wing():
    """First layers of y+ 4.7 and 5.3 by a flat plate of 1e6 by the reference length."""
    return {
        y: km.mesh.oneram6(
            24_000, topology="ch", y_plus=y, reynolds=1e6 / 0.80167296, growth=1.5, far_field=8.0
        )
        for y in (4.7, 5.3)
    }


def case(mesh, **changes):
    told = {"mach": 0.84, "reynolds": 1e6, "turbulence": "sa", "device": "cpu"} | M6
    return km.Ale(mesh, **(told | changes))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")  # coarse
def test_a_first_layer_of_y_plus_above_5_is_told_with_the_height_that_gives_1(wing):
    case(wing[4.7])
    with pytest.warns(KinemeshWarning, match=r"a y\+ of about 5\.\d .* wall_spacing = 2\.\de-05"):
        case(wing[5.3])


@pytest.mark.filterwarnings("ignore:.*a y[+] of about:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*moment_about is at:RuntimeWarning")
def test_a_wing_in_millimetres_is_told_by_its_planform(wing):
    mesh = wing[4.7]
    large = km.Mesh.from_blocks(MILLIMETRES * mesh.points, mesh.blocks, mesh.boundaries)

    said = r"wing is of a planform of 7\.6\d+e\+05, 1210 wide .* in other units, such as millimetr"
    with pytest.warns(KinemeshWarning, match=said):
        case(large)


def test_a_viscous_wing_that_slips_has_no_wall(wing):
    with pytest.raises(SettingsError, match="there is no wall; expected a wall that the gas stick"):
        case(wing[4.7], walls=[], far=["wing", "farfield"])


@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")
def test_the_line_that_closes_the_cap_is_left_out_of_the_mean_y_plus(wing):
    """Its nodes alone: the first node off the wall is the next station beyond the tip."""
    made = case(wing[4.7])
    found = made.end_numbers()
    x, node = made.grid.points, made.grid.wall.node
    aside = ~made.friction.nodes.layered(x)

    y, z = x[node, 1], x[node, 2]
    assert 3 < aside.sum() < 20
    assert (y[aside] > y.max() - 1e-6).all()
    assert np.abs(z[aside]).max() < 1e-12
    walls = made.friction.at_walls()
    own = walls.size * ~aside
    mean = (walls.y_plus * own).sum() / own.sum()
    assert found["y_plus_mean"][0] == pytest.approx(mean, rel=1e-12)
    assert (walls.y_plus * walls.size).sum() / walls.size.sum() > 1.2 * mean
    assert found["y_plus_largest"][0] == walls.y_plus.max() == walls.y_plus[aside].max()
