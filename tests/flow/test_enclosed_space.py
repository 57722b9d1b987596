"""Closed cubes of overset parts in space: the flow of Ethier and Steinman (1994), its orders."""

import numpy as np
import pytest
from enclosed import EnclosedInSpace
from test_projection_space import errors as errors_of_one_grid

CELLS = ("hexahedra", "tetrahedra")
pytestmark = pytest.mark.no_sanitizer


def errors(across, kind):
    """Errors of velocity and pressure at time 0.5, dt ~ h."""
    return EnclosedInSpace(across, kind).run(across // 2, 0.5).errors()


@pytest.mark.long
@pytest.mark.parametrize("kind", CELLS)
def test_a_part_that_turns_inside_a_cube_has_the_errors_of_one_grid(kind):
    """2 / 24; 1.1 is the bar of the plane."""
    made = EnclosedInSpace(24, kind)
    made.drift = np.zeros(3)

    found = made.run(12, 0.5).errors()

    assert (found < 1.1 * errors_of_one_grid(24, 12, kind, span=0.5)).all(), found


@pytest.mark.long
@pytest.mark.parametrize("kind", CELLS)
def test_a_part_that_turns_inside_a_cube_has_second_order(kind):
    """2 / 12 to 2 / 24; design: 1.8."""
    one, two = (errors(n, kind) for n in (12, 24))
    assert (np.log2(one / two) > 1.8).all(), (one, two)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CELLS)
def test_a_part_that_turns_inside_a_cube_keeps_second_order(kind):
    """2 / 24 to 2 / 48, where nodes of the background are covered."""
    one, two = (errors(n, kind) for n in (24, 48))
    assert (np.log2(one / two) > 1.8).all(), (one, two)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "across"), [("hexahedra", 24), ("tetrahedra", 32)])
def test_order_in_time_of_a_part_that_turns_inside_a_cube_is_second(kind, across):
    """Differences of 8, 16 and 32 steps on one mesh; design: 1.9.

    Faces of parts without walls have no memory: smaller steps differ by their splitting, dt h^2.
    """
    fields = []
    for steps in (8, 16, 32):
        made = EnclosedInSpace(across, kind).run(steps, 0.25)
        get = made.grid.backend.get
        share = np.where(made.field, get(made.grid.V), 0.0)
        share /= share.sum()
        p = get(made.step.flow["p"])
        fields.append((get(made.step.flow["u"]), p - share @ p))

    def size(difference):
        return np.sqrt(share @ (difference**2).reshape(len(share), -1).sum(axis=1))

    for one, two, three in zip(*fields, strict=True):
        assert np.log2(size(one - two) / size(two - three)) > 1.9
