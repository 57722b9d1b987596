"""Rows of matrices that are sums over cells, against dense ones."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.space.cell_rows import CellRows
from world import World

MESHES = {
    "both kinds": lambda: World(7, 6, quads=True).cells,
    "triangles": lambda: World(7, 6, quads=False).cells,
    "a fan": lambda: np.array([[0, k, k + 1, -1] for k in range(1, 12)], np.int32),
    "a section": lambda: km.mesh.airfoil("naca0012", nodes=600).cells,
}


def flat(given, cells):
    """Entries that cells give, one after another."""
    sizes = (cells >= 0).sum(axis=1)
    return np.concatenate([own[:m, :m].ravel() for own, m in zip(given, sizes, strict=True)])


@pytest.mark.parametrize("name", MESHES)
def test_rows_have_the_sums_of_their_cells(name):
    cells = MESHES[name]()
    nodes = int(cells.max()) + 1
    given = np.random.default_rng(3).integers(-9, 9, (len(cells), 4, 4)).astype(float)
    dense, there = np.zeros((nodes, nodes)), np.eye(nodes, dtype=bool)
    for cell, own in zip(cells, given, strict=True):
        at = cell[cell >= 0]
        dense[np.ix_(at, at)] += own[: len(at), : len(at)]
        there[np.ix_(at, at)] = True

    rows = CellRows.of(nodes, cells)

    node = np.repeat(np.arange(nodes), np.diff(rows.row))
    assert np.array_equal(np.stack([node, rows.column]), there.nonzero())
    assert np.array_equal(rows.sums(flat(given, cells)), dense[node, rows.column])
    offsets, others = rows.others
    np.fill_diagonal(there, False)
    assert np.array_equal(
        np.stack([np.repeat(np.arange(nodes), np.diff(offsets)), others]), there.nonzero()
    )


def test_sums_go_by_the_numbers_of_cells():
    """Not what is left of numbers that cancel in another order."""
    cells = np.array([[0, k, k + 1, -1] for k in range(1, 4)], np.int32)
    given = np.zeros((3, 4, 4))
    given[:, 0, 0] = 1e16, -1e16, 1.0
    given[:, 1, 0] = -0.0

    rows = CellRows.of(5, cells)
    found = rows.sums(flat(given, cells))

    assert found[0] == 1.0
    assert np.signbit(found[rows.row[1]])
