"""Solutions that begin from an earlier one."""

import numpy as np
import pytest
from kinemesh.linear.guess import Guess
from squares import square
from test_outer import made, rim

TOLERANCE = 1e-6


@pytest.fixture
def pair():
    """A solver of two members on one mesh, its guess and matrix, and a side of each member."""
    meshes = [square(32, "triangles", jitter=0.2)] * 2
    solver, (matrix,) = made(meshes, rim, TOLERANCE)
    sides = np.random.default_rng(5).normal(size=(2, meshes[0].nodes))
    sides[:, rim(meshes[0])] = 0.0
    wanted = solver.backend.array([1, 1], np.int32)
    return solver, Guess(solver, wanted, TOLERANCE), matrix, sides


def solved(solver, by, sides):
    b = solver.backend
    b.put(solver.b, (sides.ravel() / solver.diagonal)[:, None])
    by.solve_recorded(100)()
    assert (b.get(solver.status) == 1).all()
    return b.get(solver.x).reshape(2, -1), b.get(solver.steps)


def test_a_multiple_of_the_last_side_needs_no_iteration_and_has_its_solution(pair):
    solver, guess, _, sides = pair
    first, steps = solved(solver, guess, sides)
    assert (steps > 3).all()

    again, steps = solved(solver, guess, sides * [[-3.0], [0.5]])

    assert steps.tolist() == [0, 0]
    # the factor differs from the multiple by the square of TOLERANCE over the slowest mode's share
    np.testing.assert_allclose(again, first * [[-3.0], [0.5]], rtol=1e-7, atol=1e-7)


def test_the_tolerance_is_of_the_side_and_not_of_what_a_guess_leaves(pair):
    solver, guess, matrix, sides = pair
    solved(solver, guess, sides)
    more = sides + 1e-3 * np.roll(sides, 1, axis=1)
    more[:, sides[0] == 0] = 0.0
    _, alone = solved(solver, solver, more)

    x, steps = solved(solver, guess, more)

    assert (steps < alone).all()
    free = sides[0] != 0
    for own, side in zip(x, more, strict=True):
        left = (matrix @ own - side)[free] / matrix.diagonal()[free]
        assert np.linalg.norm(left) <= TOLERANCE * np.linalg.norm(side / matrix.diagonal())


def test_without_an_earlier_solution_it_has_the_bits_of_one_from_zero(pair):
    solver, guess, _, sides = pair
    alone, steps = solved(solver, solver, sides)
    solved(solver, guess, sides[::-1])
    guess.forget()

    found, again = solved(solver, guess, sides)

    assert np.array_equal(found, alone)
    assert np.array_equal(again, steps)
