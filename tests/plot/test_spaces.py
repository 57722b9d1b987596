"""Pictures of meshes have the panels that a body has something to show in."""

from itertools import pairwise

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.plot.spaces import trailing_edge

pytestmark = pytest.mark.no_sanitizer


def chain(outline):
    """Walls of a closed outline, in its order."""
    at = np.arange(len(outline))
    return np.stack([at, np.roll(at, -1)], axis=1)


def section(thick=0.06, base=0.0):
    """A section of length 1 whose sides are straight, clockwise: the fluid lies on the left."""
    x = np.linspace(0, 1, 21)[1:-1]
    upper = np.stack([x, thick * np.sqrt(x) * (1 - x) + base / 2 * x], axis=1)
    lower = upper[::-1] * [1, -1]
    end = [[1, 0]] if base == 0 else [[1, base / 2], [1, -base / 2]]
    return np.concatenate([[[0, 0]], upper, end, lower])


def titles(points, walls):
    """Titles of the panels of a mesh of these points and four far ones."""
    far = 20.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    cells = len(points) + np.array([[0, 1, 2, 3]])
    return [
        axes.get_title(loc="left").split(":")[0]
        for axes in plot.mesh(np.concatenate([points, far]), cells, walls).axes
    ]


@pytest.mark.parametrize(("base", "x"), [(0.0, 1.0), (0.02, 1.0)])
def test_a_sharp_and_a_blunt_trailing_edge_have_a_close_up(base, x):
    points = section(base=base)
    walls = chain(points)

    assert titles(points, walls) == ["mesh", "body", "trailing edge"]
    assert points[trailing_edge(points, walls)] == pytest.approx([x, base / 2], abs=base)


def test_a_square_and_a_circle_have_no_trailing_edge():
    square = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, 0.5], [0.5, -0.5]])
    angle = -np.linspace(0, 2 * np.pi, 61)[:-1]
    circle = 0.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    for outline in (square, circle):
        assert titles(outline, chain(outline)) == ["mesh", "body"]


def test_a_corner_that_the_fluid_lies_within_is_no_trailing_edge():
    """A vessel in the shape of a section: its walls go the other way about."""
    vessel = section()[::-1]

    assert trailing_edge(vessel, chain(vessel)) is None


def test_a_box_whose_walls_are_its_outer_boundary_has_one_panel():
    mesh = km.mesh.background(box=(0, 1, 0, 1), core=(0, 1, 0, 1), spacing=0.1)
    edges = np.concatenate(list(mesh.boundaries.values()))

    figure = plot.mesh(mesh.points, mesh.cells, edges, "a box")

    (axes,) = figure.axes
    assert axes.get_title(loc="left") == f"mesh: {len(mesh.points)} nodes"
    assert figure.get_suptitle() == "a box"


def test_numbers_of_places_far_away_are_not_printed_over_each_other():
    points = section() - [1999.3, 0.0]

    figure = plot.mesh(points, np.zeros((0, 4), int), chain(points))

    figure.draw_without_rendering()
    for axes in figure.axes:
        shown = [t.get_window_extent() for t in axes.get_xticklabels() if t.get_text()]
        low, high = axes.get_window_extent().intervalx
        shown = sorted((b.x0, b.x1) for b in shown if low - 1 <= (b.x0 + b.x1) / 2 <= high + 1)
        assert len(shown) > 1
        assert all(left[1] < right[0] for left, right in pairwise(shown))


@pytest.mark.parametrize(("x", "y"), [((-2, 1), (0, 4)), ((-20, 20), (0, 4)), ((-2, 20), (-3, 0))])
def test_the_close_up_of_a_plate_at_an_edge_of_the_mesh_shows_the_mesh(x, y):
    points = np.array([[a, b] for b in y for a in x] + [[0.0, 0.0], [1.0, 0.0]])
    cells, walls = np.array([[0, 1, 3, 2]]), np.array([[4, 5]])

    _, body = plot.mesh(points, cells, walls).axes

    assert body.get_title(loc="left") == "body"
    for (low, high), ends in ((body.get_xlim(), x), (body.get_ylim(), y)):
        assert high - low == pytest.approx(1.51)
        assert low >= ends[0] - 0.06
        assert high <= ends[1] + 0.06
    assert body.get_xlim()[0] < 0 < 1 < body.get_xlim()[1]
