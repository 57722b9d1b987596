"""Meshes in other lengths than chords: a scale, or the chord in the file's units."""

import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh import read, write
from solver_cases import square


@pytest.fixture
def path(tmp_path):
    write(square(4, half=2.0), tmp_path / "m.su2")
    return tmp_path / "m.su2"


@pytest.mark.parametrize("given", [{"scale": 0.25}, {"chord": 4.0}, {"scale": np.float32(0.25)}])
def test_coordinates_are_scaled_on_reading(path, given):
    """By a power of two, so that no bit is lost."""
    mesh = read(path, **given)

    np.testing.assert_array_equal(mesh.points, read(path).points / 4)
    np.testing.assert_array_equal(mesh.cells, read(path).cells)
    assert mesh.origin.notes[-1].startswith("coordinates of the file ")


SCALES = {
    "both": ({"scale": 1.0, "chord": 1.0}, r"scale and chord are given, expected one of the two"),
    "zero": ({"scale": 0}, r"scale is 0, expected a number above 0"),
    "negative": ({"chord": -0.3}, r"chord is -0\.3, expected a number above 0"),
    "endless": ({"scale": np.inf}, r"scale is inf, expected a number above 0"),
    "true": ({"scale": True}, r"scale is True, expected a number above 0"),
    "text": ({"chord": "0.3"}, r"chord is '0\.3', expected a number above 0"),
    "lost": ({"scale": 1e-200}, r"times 1e-200: triangle 0 .* expected > 0"),
    "endless coordinates": ({"scale": 1e308}, r"times 1e\+308 are beyond 1e\+150, expected less"),
    "beyond": ({"chord": 1e-151}, r"over the chord of 1e-151 are beyond 1e\+150, expected less"),
}


@pytest.mark.parametrize(("given", "message"), SCALES.values(), ids=SCALES.keys())
def test_a_scale_that_is_none_is_refused(path, given, message):
    with pytest.raises(MeshError, match=message) as caught:
        read(path, **given)

    assert str(caught.value).startswith(f"{path}: ")
