"""Regular clouds about sections: sizes, satellites, two colours."""

import numpy as np
import pytest
from kinemesh.cloud import airfoil
from kinemesh.cloud.satellites import centres
from kinemesh.errors import MeshError
from test_cloud_core import assert_exact_for_linear_fields

pytestmark = pytest.mark.no_sanitizer


def test_the_published_cloud_has_128_times_40_points_in_two_colours_of_2560():
    cloud = airfoil("naca0012", points=128 * 40, around=128)

    count = np.diff(cloud.offsets)
    assert len(cloud.points) == 5120
    assert sorted(np.bincount(count).tolist()) == [0, 0, 0, 256, 5120 - 256]
    colour = np.add(*np.divmod(np.arange(5120), 128)) % 2
    assert (colour[cloud.satellites] != colour[centres(cloud.offsets)]).all()
    assert np.bincount(colour).tolist() == [2560, 2560]
    assert_exact_for_linear_fields(cloud)


@pytest.mark.parametrize("points", [5_600, 24_000, 94_000])
def test_regular_clouds_have_the_points_asked_for(points):
    cloud = airfoil(points=points)

    assert abs(len(cloud.points) / points - 1) < 0.03
    assert len(cloud.boundaries["airfoil"]) % 2 == 0  # two colours


def test_the_fluid_is_on_the_left_of_wall_and_far_field():
    cloud = airfoil(points=2_000)

    for name, sign in (("airfoil", -1), ("farfield", 1)):
        a, b = (cloud.points[cloud.boundaries[name][:, k]] for k in (0, 1))
        area = 0.5 * np.sum(a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1])
        assert np.sign(area) == sign


@pytest.mark.parametrize(("given", "message"), [
    ({"points": -20_000}, "airfoil: points = -20000, expected 500 to"),
    ({"points": None}, "airfoil: points = None, expected a number"),
    ({"points": 600, "wall_spacing": 1e-6, "growth": 1.001}, "points = 600 does not fit the wall"),
    ({"points": 20_000, "around": 24}, "ask for fewer points, .* or more points around"),
])  # fmt: skip
def test_a_regular_cloud_is_refused_in_words_of_points(given, message):
    with pytest.raises(MeshError, match=message) as error:
        airfoil(**given)
    assert "nodes" not in str(error.value)


def test_a_regular_cloud_refuses_an_odd_ring():
    with pytest.raises(MeshError, match="around = 127, expected an even number"):
        airfoil(points=5120, around=127)
