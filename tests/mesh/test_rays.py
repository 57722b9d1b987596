"""Steps along rays: where they end, how they begin and grow."""

import warnings

import numpy as np
import pytest
from kinemesh.mesh.generate.rays import layers


@pytest.mark.parametrize("steps", [1, 30, 1500, 10_000])
def test_steps_grow_geometrically_from_the_first_to_the_end(steps):
    """A mesh of 5.67 million nodes has more than 1420 of them; e^(steps / 2) is no float then."""
    first, far = np.array([1e-3, 2e-3]) / steps, np.array([3.0, 5.0])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        places = layers(first, far, steps)

    step = np.diff(places, axis=0)
    assert places.shape == (steps + 1, 2)
    assert (places[0] == 0).all()
    assert places[-1] == pytest.approx(far, rel=1e-15)
    if steps > 1:
        # the growth rate is found to 2^-60, which `steps` of it make of the end and the start
        ratio = step[1:] / step[:-1]
        assert np.abs(ratio / ratio[0] - 1).max() < 1e-9
        assert step[0] == pytest.approx(first, rel=1e-9)
