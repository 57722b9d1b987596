"""Pictures of fields on cells: a colour in each cell, and no lines."""

import numpy as np
import pytest
from kinemesh.plot import flows
from kinemesh.plot.flows import Picture, pieces
from kinemesh.plot.shades import SHADES
from matplotlib.collections import PolyCollection

X = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1]])
CELLS = np.array([[0, 1, 2, -1], [0, 2, 3, -1], [1, 4, 5, 2]])
WALLS = np.array([[0, 1], [1, 4]])
MACH = np.array([0.5, 0.9, 1.4])


def colours_of(figure):
    """Triangles of a picture, and the numbers that give them their colours."""
    drawn = [c for c in figure.axes[0].collections if isinstance(c, PolyCollection)]
    assert len(drawn) == 1
    return [path.vertices[:3] for path in drawn[0].get_paths()], drawn[0].get_array()


def test_a_cell_is_drawn_in_its_colour():
    figure = flows.mach(X, CELLS, MACH, WALLS, view=(-1, 3, -1, 2), on="cells")
    triangles, shown = colours_of(figure)

    assert shown.tolist() == [0.5, 0.9, 1.4, 1.4]
    whole = [sorted(map(tuple, corner.tolist())) for corner in triangles]
    assert whole[0] == sorted(map(tuple, X[[0, 1, 2]].tolist()))
    assert whole[2] == sorted(map(tuple, X[[1, 4, 5]].tolist()))
    assert whole[3] == sorted(map(tuple, X[[1, 5, 2]].tolist()))
    assert "lines" not in figure.axes[0].get_title()
    assert figure.axes[0].get_legend() is None  # of the sonic line


def test_cells_outside_a_window_have_no_say_in_its_colours():
    figure = flows.mach(X, CELLS, MACH, WALLS, view=(0.1, 0.8, 0.1, 0.9), on="cells")

    _, shown = colours_of(figure)
    assert shown.tolist() == [0.5, 0.9]
    assert figure.axes[0].collections[0].norm.vmax == pytest.approx(0.9)


def test_a_picture_takes_one_flow_after_the_other():
    picture = Picture(SHADES["mach"], (-1, 3, -1, 2), (0.5, 1.4), flat=True)
    for shift in (0.0, 0.2):
        picture.paint(X, CELLS, MACH + shift, WALLS, "")

    assert colours_of(picture.figure)[1].tolist() == pytest.approx([0.7, 1.1, 1.6, 1.6])


def test_pieces_share_no_points():
    x, cells, values = pieces(X, CELLS, MACH, "cells")

    assert np.sort(cells[:, :3].ravel()).tolist() == list(range(12))
    assert values[cells[:, :3]].tolist() == [[m] * 3 for m in (0.5, 0.9, 1.4, 1.4)]
    assert pieces(X, CELLS, x, "points")[0] is X
