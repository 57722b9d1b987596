"""Colours of node graphs: neighbours differ, and every device and ensemble gives the same ones."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError
from kinemesh.linear import Pattern, colour_first_fit, colour_parallel
from kinemesh.linear.colours import fewer
from kinemesh.linear.lines import colour_along_lines
from kinemesh.linear.stack import Alike
from kinemesh.mesh.dual import dual
from scipy.sparse import csr_array
from solver_cases import disc, naca0012_mesh, on_devices, square

MESHES = {
    "su2": naca0012_mesh,
    "generated": lambda: km.mesh.airfoil("naca0012"),
    "coarse": lambda: km.mesh.airfoil("naca0012", nodes=1000),
    "square": lambda: square(24),
    "quads": lambda: square(24, quads=True),
    "disc": lambda: disc(12),
}


def graph(mesh):
    """offsets and neighbour of a mesh."""
    tables = dual(mesh.nodes, mesh.cells)
    return tables.offsets, tables.neighbour


def proper(colours, offsets, neighbour):
    ends = np.repeat(np.arange(len(colours)), np.diff(offsets))
    return (colours >= 0).all() and (colours[ends] != colours[neighbour]).all()


@on_devices
@pytest.mark.parametrize("mesh", MESHES)
def test_parallel_colours_are_proper_and_at_most_two_more(mesh, device):
    offsets, neighbour = graph(MESHES[mesh]().renumbered())

    parallel = colour_parallel(Backend(device), offsets, neighbour)
    greedy = colour_first_fit(offsets, neighbour)

    assert proper(parallel, offsets, neighbour)
    assert proper(greedy, offsets, neighbour)
    assert parallel.max() <= greedy.max() + 2


@on_devices
@pytest.mark.parametrize("mesh", ["su2", "quads"])
def test_colours_are_the_same_every_time_and_on_every_device(mesh, device):
    tables = graph(MESHES[mesh]())

    once = colour_parallel(Backend("cpu"), *tables)

    for _ in range(2):
        np.testing.assert_array_equal(colour_parallel(Backend(device), *tables), once)


@on_devices
def test_a_member_has_the_same_colours_alone_and_in_an_ensemble(device):
    """But for gaps.  Also the path, for which two colours are enough, beside other meshes."""
    backend, graphs = Backend(device), [graph(square(9)), PATH, graph(disc(6))]

    together = Pattern.of_graphs(backend, Alike(graphs), graphs)

    alone = [colour_parallel(backend, *own) for own in graphs]
    assert alone[1].max() == 1 < alone[0].max()
    found = np.split(together.colour(), np.cumsum([len(own) for own in alone])[:-1])
    for colours, own in zip(found, alone, strict=True):
        np.testing.assert_array_equal(np.unique(colours, return_inverse=True)[1], own)
        assert colours.max() == max(map(max, alone))  # where all members' sweeps turn


@on_devices
def test_colours_of_a_hand_checked_graph(device):
    """A path of four nodes: two colours; a triangle with a tail: three; a node alone: one."""
    path = np.array([0, 1, 3, 5, 6], np.int32), np.array([1, 0, 2, 1, 3, 2], np.int32)
    tail = np.array([0, 2, 4, 7, 8], np.int32), np.array([1, 2, 0, 2, 0, 1, 3, 2], np.int32)
    alone = np.array([0, 0], np.int32), np.empty(0, np.int32)
    backend = Backend(device)

    for (offsets, neighbour), most in ((path, 2), (tail, 3), (alone, 1)):
        for colours in (
            colour_parallel(backend, offsets, neighbour),
            colour_first_fit(offsets, neighbour),
        ):
            assert proper(colours, offsets, neighbour)
            assert colours.max() < max(most, 2)
    assert colour_first_fit(*path).tolist() == [0, 1, 0, 1]
    assert colour_first_fit(*tail).tolist() == [0, 1, 2, 0]


@on_devices
@pytest.mark.parametrize("nodes", [64, 65, 130])
def test_nodes_that_are_all_neighbours_have_a_colour_each(device, nodes):
    """Satellites of a dense cloud can form cliques; free colours are searched 64 at a time."""
    neighbour = np.array([j for i in range(nodes) for j in range(nodes) if j != i], np.int32)

    colours = colour_parallel(Backend(device), np.arange(nodes + 1) * (nodes - 1), neighbour)

    assert sorted(colours) == list(range(nodes))


@on_devices
def test_rows_of_a_pattern_are_sorted_by_colour_and_no_colour_couples(device):
    meshes = [square(12, quads=True), disc(6)]

    pattern = Pattern.of_graphs(Backend(device), Alike(meshes), [graph(m) for m in meshes])

    assert sum(count for _, count in pattern.colours) == len(pattern.node)
    rows = np.repeat(np.arange(len(pattern.node)), np.diff(pattern.row))
    for start, count in pattern.colours:
        inside = (rows >= start) & (rows < start + count)
        others = pattern.column[inside & (pattern.column != rows)]
        assert ((others < start) | (others >= start + count)).all()
    np.testing.assert_array_equal(pattern.column[pattern.mirror], rows)
    np.testing.assert_array_equal(pattern.mirror[pattern.mirror], np.arange(len(rows)))


PATH = np.array([0, 1, 3, 5, 6], np.int32), np.array([1, 0, 2, 1, 3, 2], np.int32)


@pytest.mark.parametrize(
    ("colours", "message"),
    [
        ([0, 1, 1, 0], r"nodes 1 and 2 are neighbours and both have colour 1.* 1 such pair"),
        ([0, 1, 0], r"colours has shape \(3,\) and dtype int64, expected \(4,\) integers"),
        ([0, 1, -1, 0], r"node 2 has -1, expected 0, 1, 2"),
        ([0.0, 1.0, 0.0, 1.0], r"dtype float64, expected \(4,\) integers"),
    ],
    ids=["same", "short", "none", "fractions"],
)
def test_colours_that_do_not_tell_neighbours_apart_are_refused(colours, message):
    with pytest.raises(SettingsError, match=message):
        Pattern.of_graph(Backend("cpu"), *PATH, colours=np.array(colours))


def test_rows_stand_in_the_order_of_colours_that_are_given():
    pattern = Pattern.of_graph(Backend("cpu"), *PATH, colours=[1, 0, 2, 0])

    assert pattern.node.tolist() == [1, 3, 0, 2]
    assert pattern.colours == [(0, 2), (2, 1), (3, 1)]


def test_colours_chosen_anew_are_no_more_and_the_last_has_fewer_nodes():
    """Start from colours that each node takes in a random order."""
    mesh = km.mesh.airfoil("naca0012", nodes=2000)
    offsets, neighbour = graph(mesh)
    for seed in range(5):
        before = np.full(mesh.nodes, -1, np.int32)
        for i in np.random.default_rng(seed).permutation(mesh.nodes):
            taken = set(before[neighbour[offsets[i] : offsets[i + 1]]].tolist())
            before[i] = next(c for c in range(99) if c not in taken)
        after = fewer(before, offsets, neighbour)
        assert proper(after, offsets, neighbour)
        last = before.max()
        assert after.max() <= last
        assert (after == last).sum() < (before == last).sum() / 2
        again = fewer(before, offsets, neighbour, passes=10)
        assert proper(again, offsets, neighbour)
        assert again.max() < after.max()
    offsets, neighbour = PATH
    assert fewer(np.array([0, 1, 2, 0], np.int32), offsets, neighbour).tolist() == [0, 1, 0, 1]


def test_matrices_of_meshes_without_lines_have_five_colours_of_triangles_and_nine_of_tetrahedra():
    meshes = km.mesh.airfoil("naca0012", nodes=5000), km.mesh.oneram6(nodes=10_000, cells="tets")
    for mesh, most in zip(meshes, (5, 9), strict=True):
        edges = np.vstack([mesh.edges, mesh.edges[:, ::-1]])
        table = csr_array((np.ones(len(edges)), edges.T), shape=2 * (mesh.nodes,))
        offsets, neighbour = table.indptr.astype(np.int32), table.indices.astype(np.int32)
        colours, again = (
            colour_along_lines(Backend("cpu"), offsets, neighbour, mesh.points) for _ in range(2)
        )
        assert proper(colours, offsets, neighbour)
        assert colours.max() + 1 <= most
        assert (colours == again).all()


def test_a_node_alone_keeps_the_first_colour():
    offsets, neighbour = np.array([0, 1, 1, 2], np.int32), np.array([2, 0], np.int32)

    assert fewer(np.array([1, 0, 0], np.int32), offsets, neighbour).tolist() == [0, 0, 1]
    assert fewer(np.full(3, 63, np.int32), offsets, neighbour).tolist() == [63] * 3  # left alone
