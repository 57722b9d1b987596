"""Functions of NumPy have as many arguments whatever its version tells of them."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError
from kinemesh.space.conditions.base import arguments_of


@pytest.mark.parametrize(
    ("function", "count"),
    [(np.cos, 1), (np.hypot, 2), (np.frompyfunc(lambda a, b, c: a, 3, 1), 3), (np.sinc, 1)],
)
def test_a_function_of_numpy_has_its_number_of_arguments(function, count):
    assert len(arguments_of(function)) == count


def test_an_inlet_with_a_profile_takes_a_function_of_numpy_of_the_time_alone():
    assert km.inlet(velocity=np.cos, profile="parabolic").velocity is np.cos

    with pytest.raises(SettingsError, match="a function of the place and there is a profile"):
        km.inlet(velocity=np.hypot, profile="parabolic")
