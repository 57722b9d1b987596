"""Colours along lines of thin cells, and the steady flows that need them."""

from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.backend import Backend
from kinemesh.linear import Pattern, colour_parallel
from kinemesh.linear.lines import (
    ALONG,
    PASSES,
    PERIOD,
    RARE,
    THIN,
    colour_along_lines,
    line_colours,
    lines_of,
    short_edges,
)
from kinemesh.linear.stack import Alike
from kinemesh.mesh.dual import dual
from kinemesh.mesh.geometry.curved import curved_triangles
from solver_cases import disc, on_devices, outline, square

GRID = Path(__file__).parents[1] / "data" / "n0012_113-33.su2.xz"
FLAT = THIN * np.array([2.0, 0.02])  # cells of this aspect ratio, squeezed along y


def squeezed(mesh, scale):
    """A mesh with its coordinates multiplied."""
    return km.mesh.Mesh.from_arrays(mesh.points * scale, mesh.cells, mesh.boundaries)


def graph(mesh):
    """offsets, neighbour and coordinates of a mesh."""
    tables = dual(mesh.nodes, mesh.cells)
    return tables.offsets, tables.neighbour, mesh.points


def ring(layers=4, around=300):
    """Quadrilaterals between two circles whose short sides run around: lines that close."""
    angle = 2 * np.pi * np.arange(around) / around
    radius = 1 + np.arange(layers + 1) * 2.0
    points = np.stack([np.outer(radius, f(angle)).ravel() for f in (np.cos, np.sin)], axis=1)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(around), np.arange(layers)))
    p, q = j * around + i, j * around + (i + 1) % around
    table = np.stack([p, p + around, q + around, q], axis=1)
    sides = [np.stack([np.arange(around), (np.arange(around) + 1) % around], axis=1) + s
             for s in (0, layers * around)]  # fmt: skip
    return km.mesh.Mesh.from_arrays(points, table, {"airfoil": sides[0], "farfield": sides[1]})


MESHES = {
    "quads": lambda: squeezed(square(20, quads=True, jitter=0.0), FLAT),
    "triangles": lambda: squeezed(square(20, jitter=0.2), FLAT),
    "rings": ring,
    "nasa": lambda: km.mesh.read(GRID),
}


@on_devices
@pytest.mark.parametrize("mesh", MESHES)
def test_colours_along_lines_tell_neighbours_apart(mesh, device):
    offsets, neighbour, x = graph(MESHES[mesh]())
    ends = np.repeat(np.arange(len(x)), np.diff(offsets))

    colours = colour_along_lines(Backend(device), offsets, neighbour, x)

    assert (colours >= 0).all()
    assert (colours[ends] != colours[neighbour]).all()
    assert PERIOD[2] <= colours.max() + 1 <= 4 * PERIOD[2]


def test_colours_rise_along_a_line_until_they_repeat():
    offsets, neighbour, x = graph(MESHES["quads"]())

    colours = colour_along_lines(Backend("cpu"), offsets, neighbour, x)

    # a row of these runs along y; the corners are on no line, their edges are too few
    line = np.lexsort((x[:, 1], x[:, 0])).reshape(21, 21)[1:-1]
    steps = np.abs(np.diff(colours[line], axis=1))
    phases = (colours.max() + 1) // PERIOD[2]
    assert phases > 1
    assert set(np.unique(steps)) == {phases, phases * (PERIOD[2] - 1)}
    assert ((steps == phases).mean(axis=1) > 1 - 2 / PERIOD[2]).all()


def test_positions_count_from_an_end_of_each_line():
    edges = np.array([[3, 0], [0, 1], [1, 5], [2, 4]])  # lines 3-0-1-5 and 2-4; node 6 on none
    both = np.concatenate([edges, edges[:, ::-1]])

    line, position = lines_of(both[:, 0], both[:, 1], 7)

    assert line.tolist() == [0, 0, 1, 0, 1, 0, -1]
    assert position.tolist() == [1, 2, 0, 0, 1, 3, 0]


def test_a_line_that_touches_itself_leaves_a_node_to_be_coloured_later():
    path = [(i, i + 1) for i in range(PERIOD[2] + 1)]
    edges = np.array([*path, (0, PERIOD[2])])  # its ends have one colour
    both = np.concatenate([edges, edges[:, ::-1]])
    order = np.lexsort(both.T[::-1])
    ends, neighbour = both[order].T
    offsets = np.concatenate([[0], np.cumsum(np.bincount(ends))])
    short = np.abs(ends - neighbour) == 1

    colours = line_colours(offsets, neighbour, short)

    assert colours.tolist() == [*range(PERIOD[2]), -1, 1]


def test_an_edge_of_a_line_is_shorter_than_the_third_of_both_its_nodes():
    offsets, neighbour, x = graph(MESHES["nasa"]())
    ends = np.repeat(np.arange(len(x)), np.diff(offsets))
    length = np.hypot(*(x[ends] - x[neighbour]).T)

    short, thin = short_edges(offsets, neighbour, x)

    for i in range(0, len(x), 7):
        own = slice(offsets[i], offsets[i + 1])
        if offsets[i + 1] - offsets[i] < 3:
            assert not short[own].any()
            continue
        sides = np.sort(length[own])
        assert (ALONG * length[own][short[own]] <= sides[2]).all()
        assert thin[i] == (sides[2] >= THIN * sides[0])
    pairs = set(zip(ends[short].tolist(), neighbour[short].tolist(), strict=True))
    assert pairs == {(j, i) for i, j in pairs}
    assert 0.5 < np.bincount(ends, short, len(x)).astype(bool).mean() < 1


@pytest.mark.parametrize(
    "mesh",
    [lambda: km.mesh.airfoil("naca0012"), lambda: km.mesh.airfoil("naca0012", topology="c"),
     lambda: disc(12)],
    ids=["o", "c", "disc"],
)  # fmt: skip
def test_meshes_without_thin_cells_keep_their_colours(mesh):
    tables = graph(mesh())

    found = colour_along_lines(Backend("cpu"), *tables)

    expected = colour_parallel(Backend("cpu"), *tables[:2], passes=PASSES)
    np.testing.assert_array_equal(found, expected)


def test_colours_of_a_member_are_those_of_its_solo_run():
    meshes = [disc(8), MESHES["triangles"](), MESHES["nasa"]()]

    colours = [colour_along_lines(Backend("cpu"), *graph(m)) for m in meshes]
    alone = [
        Pattern.of_graph(Backend("cpu"), *graph(m)[:2], colours=own)
        for m, own in zip(meshes, colours, strict=True)
    ]

    together = Pattern.of_members(Alike(meshes), alone)

    found = np.split(together.colour(), np.cumsum([m.nodes for m in meshes])[:-1])
    for ours, own in zip(found, colours, strict=True):  # but for gaps
        np.testing.assert_array_equal(np.unique(ours, return_inverse=True)[1], own)


@pytest.mark.flow
@pytest.mark.long
def test_a_mesh_for_boundary_layers_converges_without_viscosity():
    """Six orders within 2000 iterations at the defaults; without lines it stalls at 1e-2."""
    case = km.Ale(km.mesh.read(GRID), mach=0.5, alpha_deg=2, device="cpu")

    run = case.steady()

    assert run.summary["result"]["residual_drop"] <= 1e-6
    assert run.summary["result"]["iterations"] <= 2000
    assert run.summary["warnings"] == []


def bent(height, quads, count=24):
    """A band of four layers of cells on a circle's quarter, of this height."""
    angle = np.linspace(0, np.pi / 2, count + 1)
    radius = 1 + height * np.arange(5)
    points = np.stack([np.outer(radius, f(angle)).ravel() for f in (np.cos, np.sin)], axis=1)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(count), np.arange(4)))
    a = j * (count + 1) + i
    b, c, d = a + count + 1, a + count + 2, a + 1
    none = np.full_like(a, -1)
    table = np.stack([a, b, c, d], axis=1)
    if not quads:
        table = np.concatenate([np.stack(t, axis=1) for t in ((a, b, c, none), (a, c, d, none))])
    return km.mesh.Mesh.from_arrays(points, table, {"farfield": outline(table)})


def test_triangles_are_too_thin_where_their_layer_curves_by_more_than_its_height():
    chord = np.pi / 2 / 24
    rise = chord**2 / 2  # of an arc of radius 1 over its tangent

    assert len(curved_triangles(bent(rise / 2, quads=False))) > 60
    assert len(curved_triangles(bent(rise * 3, quads=False))) == 0
    assert len(curved_triangles(bent(rise / 2, quads=True))) == 0
    assert len(curved_triangles(squeezed(square(20, jitter=0.0), FLAT))) == 0


def test_lines_of_wings_have_few_colours_in_space():
    case = km.Ale(km.mesh.oneram6(10_000), mach=0.5, reference_area=1.15315084, device="cpu")
    pattern, graph = case.pattern, case.grid.graphs[0]
    short, thin = short_edges(*graph, case.grid.points)
    colours = colour_along_lines(case.backend, *graph, case.grid.points)

    assert thin.any()
    counts = np.bincount(colours)
    assert len(counts) == len(pattern.colours) == 2 * PERIOD[3]  # two phases, and no third of a few
    assert counts.min() > RARE / PERIOD[3] * short.sum() / 2
    offsets, neighbour = graph
    assert (
        colours[np.repeat(np.arange(len(colours)), np.diff(offsets))] != colours[neighbour]
    ).all()
