"""Pictures of overset grids show each cell once, in the colour of its status."""

from types import SimpleNamespace

import numpy as np
import pytest
from kinemesh import plot
from kinemesh.plot.overset import COLOURS, kinds_of
from matplotlib.colors import to_hex

pytestmark = pytest.mark.no_sanitizer


def strip(x0=0.0, status=(1, 1, 1, -1, 0, -2), walls=((0, 1),)):
    """Squares in a row, and a triangle at its end: nodes 0 to 5 below, 6 to 11 above."""
    x = x0 + np.arange(6.0)
    points = np.concatenate([np.stack([x, 0 * x], 1), np.stack([x, 0 * x + 1], 1)])
    at = np.arange(4)
    cells = np.stack([at, at + 1, at + 7, at + 6], axis=1)
    return SimpleNamespace(
        points=points,
        cells=np.concatenate([cells, [[4, 5, 11, -1]]]),
        iblank=np.tile(status, 2),
        walls=np.array(walls, int).reshape(-1, 2),
    )


def lines(axes):
    """{colour: segments} of a panel."""
    return {to_hex(c.get_color()[0]): c.get_segments() for c in axes.collections}


def test_cells_are_hidden_by_any_hidden_corner():
    kinds = ["field", "field", "receptors", "hidden", "hidden"]
    assert kinds_of(strip()).tolist() == kinds


def test_a_triangle_has_no_fourth_corner_that_hides_it():
    assert kinds_of(strip(status=(1, 1, 1, 1, 1, 1)))[-1] == "field"


def test_panels_show_all_parts_and_each_by_status(tmp_path):
    parts = {"one": strip(), "two": strip(3.0, walls=())}

    figure = plot.grids(parts, path=tmp_path / "grids.png")

    whole, first, second = figure.axes
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["all parts", "one", "two"]
    # three squares in a row have ten edges; the wall of the first part is a line of its own
    assert sorted(map(len, lines(whole).values())) == [1, 10, 10]
    counts = {kind: len(lines(first)[colour]) for kind, colour in COLOURS.items()}
    # two squares, one, and one apart from a triangle
    assert counts == {"field": 7, "receptors": 4, "hidden": 4 + 3}
    assert first.get_xlim() == second.get_xlim() == whole.get_xlim()
    assert (tmp_path / "grids.png").stat().st_size > 0


def test_the_view_has_all_walls_and_receptors():
    x0, x1 = plot.grids({"a": strip(), "b": strip(40.0, walls=())}).axes[0].get_xlim()

    assert x0 < 0
    assert 43 < x1 < 43 + 0.1 * 43  # where the last receptors stand
