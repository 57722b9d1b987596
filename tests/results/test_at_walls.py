"""Fields of cells at walls: numbers of the cells behind, at middles of the walls' edges."""

import numpy as np
import pytest
from kinemesh.results import Fields

NAN = float("nan")
X = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1]])
CELLS = np.array([[0, 1, 2, -1], [0, 2, 3, -1], [1, 4, 5, 2]])


def flow(walls, bodies, on="cells"):
    count = len(CELLS) if on == "cells" else len(X)
    arrays = {"Cp": 10.0 * np.arange(count), "Velocity": np.ones((count, 3))}
    rows = {name: np.array(own) for name, own in bodies.items()}
    return Fields(arrays, X, CELLS, np.array(walls), rows, 0, 0.0, NAN, NAN, False, (), on)


def test_wall_edges_have_the_numbers_of_the_cell_behind():
    """Along the lower side, from the first triangle to the quad, and back on another body."""
    walls = [[1, 4], [0, 1], [2, 3], [5, 2]]
    found = flow(walls, {"low": [0, 1], "top": [2, 3]}).at_walls()

    assert found.on == "points"
    assert found.points.tolist() == [[1.5, 0], [0.5, 0], [0.5, 1], [1.5, 1]]
    assert found["Cp"].tolist() == [20, 0, 10, 20]
    assert found["Velocity"].shape == (4, 3)
    assert found.walls.tolist() == [[1, 0], [3, 2]]
    assert {name: own.tolist() for name, own in found.bodies.items()} == {"low": [0], "top": [1]}


def test_a_closed_wall_is_closed_at_its_middles():
    outline = [[0, 1], [1, 4], [4, 5], [5, 2], [2, 3], [3, 0]]
    found = flow(outline, {"all": range(6)}).at_walls()

    assert found.walls.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]
    assert found["Cp"].tolist() == [0, 20, 20, 20, 10, 10]


def test_fields_of_points_are_at_walls_already():
    given = flow([[0, 1]], {"low": [0]}, "points")

    assert given.at_walls() is given


@pytest.mark.parametrize(("on", "words"), [("cells", "Velocity of cells)"), ("points", "city)")])
def test_fields_say_what_they_are_of(on, words):
    assert repr(flow([[0, 1]], {"low": [0]}, on)).endswith(words)
