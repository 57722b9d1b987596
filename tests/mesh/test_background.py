"""Stretched Cartesian meshes: spacing, growth, markers."""

import kinemesh as km
import numpy as np
import pytest

GIVEN = {"box": (-8, 16, -8, 8), "core": (-1.5, 3, -2, 2), "spacing": 0.1}


def lines(mesh):
    """Places of the mesh lines in x and in y."""
    return [np.unique(mesh.points[:, k]) for k in range(2)]


@pytest.mark.parametrize("growth", [1.0, 1.08, 1.5])
def test_cells_are_square_in_the_core_and_grow_by_one_ratio_to_each_side(growth):
    mesh = km.mesh.background(**(GIVEN | {"spacing": 0.103}), growth=growth)

    assert not len(mesh.triangles)
    assert set(mesh.boundaries) == {"left", "right", "bottom", "top"}
    assert mesh.areas.sum() == pytest.approx(24 * 16, rel=1e-12)
    for line, ends, core in zip(
        lines(mesh), [(-8, 16), (-8, 8)], [(-1.5, 3), (-2, 2)], strict=True
    ):
        assert (line[0], line[-1]) == ends
        step = np.diff(line)
        first, last = (np.flatnonzero(np.isclose(line, c, atol=1e-12))[0] for c in core)
        inside = step[first:last]
        assert np.ptp(inside) < 1e-13
        # the nearest whole number of cells
        assert abs(last - first - (core[1] - core[0]) / 0.103) <= 0.5
        for outside in (step[: first + 1][::-1], step[last - 1 :]):
            ratio = outside[1:] / outside[:-1]
            assert np.ptp(ratio) < 1e-9
            assert ratio[0] <= growth + 1e-9
            # one cell fewer would have to grow faster
            fewer = growth ** np.arange(1, len(outside) - 1)
            assert outside[0] * fewer.sum() < outside[1:].sum()


def test_a_core_may_fill_the_box_and_walls_are_named_as_walls():
    mesh = km.mesh.background((0, 1, 0, 1), (0, 1, 0, 1), 0.1, walls=["top", "left"])

    assert mesh.nodes == 121
    assert np.unique(mesh.areas.round(15)) == pytest.approx([0.01])
    assert set(mesh.boundaries) == {"wall_left", "right", "bottom", "wall_top"}
    for name, axis, value in [("wall_left", 0, 0.0), ("right", 0, 1.0), ("bottom", 1, 0.0)]:
        assert (mesh.points[mesh.boundaries[name], axis] == value).all()
    assert (mesh.points[mesh.boundaries["wall_top"], 1] == 1.0).all()


def test_numbering_keeps_neighbours_close():
    mesh = km.mesh.background(**GIVEN)

    assert np.abs(np.diff(mesh.edges, axis=1)).max() < 2 * min(map(len, lines(mesh)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"box": (1, 0, 0, 1)}, r"box = \(1, 0, 0, 1\), expected \(x0, x1, y0, y1\)"),
        ({"box": (0, 1)}, r"box = \(0, 1\), expected"),
        ({"core": "wide"}, r"core = 'wide', expected"),
        ({"core": (-1, 3, -2, 2, 0, 1)}, r"box = .* has 4 numbers and core = .* has 6, expected"),
        ({"core": (-9, 3, -2, 2)}, r"in x; expected it in the box"),
        ({"core": (-1.5, 3, -2, 7.95)}, r"in y; .* at least a cell of 0\.1005 away"),
        ({"core": (0, 0.01, -2, 2)}, r"the core is 0.01 long in x"),
        ({"spacing": -0.1}, r"spacing = -0.1"),
        ({"spacing": "fine"}, r"spacing = 'fine', expected a finite number"),
        ({"spacing": 1e-4}, r"cells, expected at most 10,000,000 nodes"),
        ({"growth": 0.9}, r"growth of 1 to 1.5"),
        ({"growth": np.nextafter(1.0, 0.0)}, r"growth of 1 to 1.5"),
        ({"growth": np.nextafter(1.5, 2.0)}, r"growth of 1 to 1.5"),
        ({"growth": float("nan")}, r"growth = nan"),
        ({"walls": ["lfet"]}, r"did you mean 'left'"),
        ({"walls": "left"}, r"walls = 'left', expected a list of sides"),
    ],
)
def test_what_makes_no_good_mesh_is_refused(given, message):
    with pytest.raises(km.MeshError, match=f"background: .*{message}"):
        km.mesh.background(**(GIVEN | given))


def test_a_misspelt_argument_names_the_nearest():
    with pytest.raises(km.ArgumentError, match="did you mean 'growth'"):
        km.mesh.background(**GIVEN, grwoth=1.1)
