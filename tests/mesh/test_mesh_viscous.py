"""C-meshes for viscous flow: one height along the wall, quadrilaterals, wakes that spread."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.geometry.quality import corner_angles

pytestmark = pytest.mark.no_sanitizer

NASA = {"far_field": 500.0, "wall_spacing": 4e-6}  # NACA 0012, its verification case


def c_mesh(name="naca0012", nodes=14_300, **options):
    told = {"topology": "c", "cells": "quads", "heights": "even"} | options
    return km.mesh.airfoil(name, nodes, **told)


def layers(mesh, marker="airfoil"):
    """(layers + 1, wall nodes) points from the wall outwards, by the cells between."""
    beside = {}
    for quad in mesh.quads.tolist():
        for a, b, c, d in (quad[k:] + quad[:k] for k in range(4)):
            beside[a, b] = (d, c)
    edges = dict(mesh.boundaries[marker].tolist())
    edges = edges if next(iter(edges.items())) in beside else {b: a for a, b in edges.items()}
    row, found = list(edges.items()), [list(edges)]
    while all(edge in beside for edge in row):
        row = [beside[edge] for edge in row]
        found.append([a for a, _ in row])
    return mesh.points[np.array(found)]


@pytest.fixture(scope="module")
def nasa():
    return c_mesh(**NASA)


def test_first_heights_are_exact_all_along_the_wall_and_grow_by_at_most_a_quarter(nasa):
    points = layers(nasa)
    heights = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    growth = heights[1:] / heights[:-1]

    assert len(points) > 70
    assert len(points[0]) == len(nasa.boundaries["airfoil"])
    assert heights[0] == pytest.approx(4e-6, rel=1e-9)  # round-off of coordinates of 1 is 5e-11
    assert growth.min() > 1.2
    assert growth.max() < 1.25
    assert np.linalg.norm(points[-1] - [0.5, 0.0], axis=1).min() > 499.0


def test_no_cell_folds_and_cells_at_the_wall_are_near_rectangles(nasa):
    on_wall = np.isin(nasa.quads, nasa.boundaries["airfoil"]).sum(axis=1) == 2
    angles = corner_angles(nasa.points, nasa.quads)

    assert abs(nasa.nodes / 14_300 - 1) < 0.01
    assert not len(nasa.triangles)
    assert set(nasa.boundaries) == {"airfoil", "farfield"}
    assert on_wall.sum() == len(nasa.boundaries["airfoil"])
    # measured: 85.7 to 95.7 at the wall, 65.9 to 115.2 everywhere
    assert angles[on_wall].min() > 80.0
    assert angles[on_wall].max() < 100.0
    assert angles.min() > 60.0
    assert angles.max() < 120.0


def test_the_wake_is_fine_behind_the_trailing_edge_and_no_longer_thin_far_downstream(nasa):
    x, y = nasa.points.T
    cut = np.sort(x[(y == 0) & (x > 1 - 1e-12)])
    edge = np.sort(np.linalg.norm(nasa.points[nasa.boundaries["airfoil"]] @ [[1], [0]] - 1, axis=1))
    steps = np.diff(cut)
    above = y[(y > 0) & (x > 400)]

    assert cut[-1] == pytest.approx(500.5, rel=1e-9)
    assert steps[0] == pytest.approx(edge[edge > 1e-9].min(), rel=0.15)
    assert (steps[1:] / steps[:-1]).max() < 1.25
    # h (1 + 499.5 / (5000 h))^0.75
    assert above.min() == pytest.approx(4e-6 * (1 + 499.5 / 0.02) ** 0.75, rel=0.2)


def test_a_symmetric_section_gives_an_exactly_symmetric_mesh(nasa):
    order = np.lexsort(nasa.points.T)
    mirrored = nasa.points * [1.0, -1.0]

    assert (nasa.points[order] == mirrored[np.lexsort(mirrored.T)]).all()


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"heights": "even", "wall_spacing": 1e-4}, marks=pytest.mark.slow),
        {"heights": "aspect"},
        {"heights": "aspect", "topology": "o"},
    ],
)
def test_quadrilaterals_and_triangles_have_the_same_points(told):
    pair = [c_mesh("naca2412", 6000, **(told | {"cells": kind})) for kind in ("quads", "triangles")]
    quads, triangles = (mesh.points[np.lexsort(mesh.points.T)] for mesh in pair)

    assert (quads == triangles).all()
    assert len(pair[1].triangles) == 2 * len(pair[0].quads)
    assert len(pair[0].boundaries["airfoil"]) > 30


def test_quadrilaterals_behind_an_open_trailing_edge_meet_triangles():
    mesh = c_mesh("naca0012", 3000, heights="aspect", trailing_edge="open")

    assert 0 < len(mesh.triangles) < 0.05 * len(mesh.quads)
    assert km.mesh.quality(mesh).negative == 0


def test_a_y_plus_alone_names_all_that_a_mesh_for_viscous_flow_has():
    wanted = "expected heights = 'even', topology = 'c', cells = 'quads' with it, as meshes for"
    with pytest.raises(km.MeshError, match=rf"y_plus = 1\.0, {wanted}"):
        km.mesh.airfoil("naca0012", y_plus=1.0, reynolds=1e6)
    with pytest.raises(km.MeshError, match=r"expected heights = 'even', topology = 'c' with it"):
        km.mesh.airfoil("naca0012", y_plus=1.0, reynolds=1e6, cells="quads")
    with pytest.raises(
        km.MeshError, match=r"expected topology = 'c', cells = 'quads': in an O-mesh"
    ):
        km.mesh.airfoil("naca0012", y_plus=1.0, reynolds=1e6, heights="even")


@pytest.mark.long
def test_a_cambered_section_by_y_plus_and_layers_has_both():
    mesh = c_mesh("naca4415", 8000, far_field=30.0, y_plus=2.0, reynolds=1e6, layers=60)
    points = layers(mesh)

    first = np.linalg.norm(points[1] - points[0], axis=1)
    assert len(points) == 61
    assert first == pytest.approx(km.mesh.wall_spacing(1e6, 2.0), rel=1e-9)


def test_trailing_spacing_and_around_are_met():
    mesh = c_mesh(nodes=14_000, wall_spacing=1e-4, trailing_spacing=2e-3, around=100)
    edges = mesh.points[mesh.boundaries["airfoil"]]
    last = np.abs(edges[..., 0] - 1).min(axis=1) < 1e-12

    assert len(edges) == 100
    assert np.linalg.norm(edges[last, 0] - edges[last, 1], axis=1) == pytest.approx(2e-3, rel=1e-3)


@pytest.mark.long
@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"topology": "o"}, "expected topology = 'c'"),
        ({"trailing_edge": "open"}, "expected trailing_edge = 'closed' or 'sharp'"),
        ({"cells": "hexes"}, "cells = 'hexes', expected one of triangles, quads"),
        ({"cells": "quad"}, "did you mean 'quads'"),
        ({"heights": "evn"}, "did you mean 'even'"),
        ({"wall_spacing": 0.02}, "expected less than the shortest edge of the wall"),
        ({"wall_spacing": 60.0}, "expected less than the 55 to the far side"),
        ({"growth": 1.6}, "growth = 1.6, expected 1.01 to 1.5"),
        ({"growth": 1.001}, "growth = 1.001, expected 1.01 to 1.5"),
        ({"layers": 12}, "ask for more layers"),
        ({"layers": 500}, "leave fewer than 12 steps"),
        ({"layers": 50, "growth": 1.2}, "expected two of them"),
        ({"layers": 80, "around": 60}, "around is given with two of"),
        ({"around": 200}, "layers, and 55 are needed"),
        ({"wall_spacing": None}, "nothing says how high the wall cells are"),
        ({"y_plus": 1.0}, "expected both or neither"),
        ({"far_field": 5.0}, "far_field = 5 with topology 'c'"),
        ({"trailing_spacing": 1e-6}, "trailing_spacing = 1e-06 does not fit"),
        ({"heights": "aspect", "layers": 50}, "layers = 50, expected heights = 'even'"),
        ({"heights": "aspect", "y_plus": 1.0}, "y_plus = 1.0, expected heights = 'even'"),
    ],
)
def test_what_makes_no_good_mesh_is_refused_with_what_was_expected(told, said):
    with pytest.raises(km.MeshError, match="airfoil: ") as error:
        c_mesh(**({"nodes": 6000, "wall_spacing": 1e-4} | told))
    assert said in str(error.value)
