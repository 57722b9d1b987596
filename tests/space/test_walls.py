"""Walls at their nodes in the plane and in space: normals, sharp edges, heights, tangents."""

from functools import cache
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.bodies.sliding import check_along, velocities
from kinemesh.errors import SettingsError
from kinemesh.mesh.facets import area_vectors, corners_of, shares
from kinemesh.space.grid import Grid
from kinemesh.space.patches import Patch
from kinemesh.space.points import CloudGrid
from kinemesh.space.solids import SolidGrid, SolidVertices
from kinemesh.space.vertices import MeshVertices, Vertices
from kinemesh.space.walls import WallNodes, cell_heights
from solids import cube

EPS = np.finfo(float).eps
SIDES = {"wall": ["airfoil"], "far": ["farfield"]}
BEND = 0.7
SPAN, LAYERS = 1.2, 4


@cache
def section():
    """With a sharp trailing edge."""
    return km.mesh.airfoil("naca0012", nodes=1200, far_field=6.0, cells="quads")


@cache
def wing():
    return km.mesh.extruded(section(), span=SPAN, layers=LAYERS, cells="hexes")


@cache
def ball():
    return km.mesh.sphere(nodes=1500)


def grid_of(backend, mesh, sides=SIDES):
    if mesh.dimensions == 2:
        made = Grid(MeshVertices(backend, [mesh], sides))
    else:
        planes = [name for name in mesh.boundaries if name.startswith("symmetry")]
        made = SolidGrid(SolidVertices(backend, [mesh], sides, planes), planes)
    made.start()
    return made


def bump():
    """Faces of three and four corners, none of them flat, and edges."""
    rng = np.random.default_rng(4)
    faces = np.array([[0, 1, 2, 3], [1, 4, 2, -1], [5, 6, 7, 4]])
    return [(rng.normal(size=(8, 3)), faces), (rng.normal(size=(8, 3)), faces[1:2, :3]),
            (rng.normal(size=(8, 2)), np.array([[0, 1], [5, 2]]))]  # fmt: skip


@pytest.mark.parametrize(("x", "facets"), bump())
def test_what_corners_share_of_a_facet_is_all_of_it(x, facets):
    corners = corners_of(facets)
    for facet, area in zip(facets, area_vectors(x, facets), strict=True):
        own = np.isin(corners, [*facet, -1]).all(axis=1)
        assert own.sum() == (facet >= 0).sum()
        assert shares(x, corners[own]).sum(axis=0) == pytest.approx(area, abs=8 * EPS)


@pytest.mark.parametrize("mesh", [section, wing, ball])
def test_area_vectors_of_nodes_are_those_of_the_kernels(double, mesh):
    sides = SIDES if mesh is not ball else SIDES | {"wall": ["sphere"]}
    grid = grid_of(double, mesh(), sides)
    nodes = WallNodes(grid)
    normal, area = nodes.normals()

    own = nodes._summed(shares(grid.points, nodes.corners))

    assert own == pytest.approx(area[:, None] * normal, abs=2e-15)


def test_points_of_clouds_have_a_third_of_their_triangles(double):
    cloud = km.Cloud.from_mesh(ball())
    grid = CloudGrid(Vertices(double, [cloud], SIDES | {"wall": ["sphere"]}))
    nodes = WallNodes(grid)

    own = nodes._summed(shares(grid.points, nodes.corners))

    corner = cloud.boundaries["sphere"]
    third = np.zeros((len(cloud.points), 3))
    np.add.at(third, corner, area_vectors(cloud.points, corner)[:, None] / 3)
    assert own == pytest.approx(third[grid.wall.node], abs=2e-15)


def standing(backend, mesh):
    """Walls of a mesh in a stream at 10 degrees, and where their nodes are."""
    grid = grid_of(backend, mesh)
    angle = np.radians(10.0)
    way = (
        [np.cos(angle), np.sin(angle)]
        if mesh.dimensions == 2
        else [np.cos(angle), 0, np.sin(angle)]
    )
    nodes = WallNodes(grid)
    found = nodes.stand(grid.points, np.tile(way, (len(grid.wall), 1)))
    heights = dict(zip(*cell_heights(grid), strict=True))
    cells = np.array([heights[node] for node in grid.wall.node.tolist()])
    return grid, found, cells, nodes.bent(grid.points, BEND)


def test_walls_drawn_out_along_the_span_have_the_numbers_of_the_plane(double):
    """Sharp edges as well: by two sides, tangents along their mean, heights to the nearest node."""
    plane, flat, flat_cells, flat_bent = standing(double, section())
    space, drawn, cells, bent = standing(double, wing())
    at = space.points[space.wall.node]
    inner = np.flatnonzero(np.isclose(at[:, 1], SPAN / 2))
    order = inner[np.lexsort(at[inner][:, [0, 2]].T)]
    own = np.lexsort(plane.points[plane.wall.node].T)
    assert len(order) == len(own)
    assert space.points[space.wall.node[order]][:, [0, 2]] == pytest.approx(
        plane.points[plane.wall.node[own]], abs=EPS
    )

    for name in ("normal", "way"):
        assert np.abs(getattr(drawn, name)[order, 1]).max() < 1e-12
        assert getattr(drawn, name)[order][:, [0, 2]] == pytest.approx(
            getattr(flat, name)[own], abs=1e-12
        )
    strip = SPAN / LAYERS
    assert drawn.size[order] == pytest.approx(strip * flat.size[own], rel=1e-12)
    assert drawn.height[order] == pytest.approx(flat.height[own], rel=1e-9)
    assert cells[order] == pytest.approx(flat_cells[own], rel=1e-9)
    assert (bent[order] == flat_bent[own]).all()
    assert flat_bent.sum() == 1  # the trailing edge
    sharp = flat.size > 1.5 * flat.area
    assert sharp.tolist() == flat_bent.tolist()
    nearest = np.linalg.norm(plane.points - plane.points[plane.wall.node[sharp]], axis=1)
    off = np.setdiff1d(np.arange(plane.nodes), plane.wall.node)
    assert flat.height[sharp] == pytest.approx(nearest[off].min(), rel=1e-12)


def test_heights_on_a_sphere_are_those_of_its_first_layer(double):
    grid = grid_of(double, ball(), SIDES | {"wall": ["sphere"]})
    nodes, out = WallNodes(grid), grid.points[grid.wall.node]
    found = nodes.stand(grid.points, np.tile([1.0, 0.3, 0.2], (len(out), 1)))

    radius = np.linalg.norm(grid.points, axis=1)
    first = radius[nodes.first] - radius[grid.wall.node]
    layer = np.unique(radius.round(9))[:2]
    assert first == pytest.approx(np.diff(layer)[0], abs=1e-8)  # of the rounding
    assert nodes.spacing(grid.points) == pytest.approx(first, rel=1e-12)
    # normals of the nodes are those of the sphere but for uneven faces about them
    lean = -(found.normal * out).sum(axis=1) / radius[grid.wall.node]
    assert lean.min() > 0.99
    assert found.height == pytest.approx(first * lean, rel=1e-12)
    assert np.linalg.norm(found.way, axis=1) == pytest.approx(1.0)
    assert np.abs((found.way * found.normal).sum(axis=1)).max() < 1e-12
    assert (found.way @ [1.0, 0.3, 0.2] > 0).all()


def test_the_first_node_off_a_wall_lies_along_its_normal(double):
    """Each neighbour of each node, among tetrahedra moved at random."""
    grid = grid_of(double, cube(4, "tetrahedra", jitter=0.2), {"wall": ["rim"], "far": []})
    nodes = WallNodes(grid)
    normal, area = nodes.normals()
    ((offsets, neighbour),) = grid.graphs
    sharp = area < 0.5 * np.bincount(
        nodes.row, np.linalg.norm(shares(grid.points, nodes.corners), axis=1)
    )
    several = 0
    for row in np.flatnonzero(~sharp):
        node = grid.wall.node[row]
        near = np.setdiff1d(neighbour[slice(*offsets[node : node + 2])], grid.wall.node)
        several += len(near) > 1
        way = grid.points[near] - grid.points[node]
        ahead = -way @ normal[row] / np.linalg.norm(way, axis=1)
        assert nodes.first[row] == (near[ahead.argmax()] if len(near) else node)
    assert several > 20


def test_cells_on_a_cube_are_as_high_as_its_edges_are_long(double):
    grid = grid_of(double, cube(3, "hexahedra"), {"wall": ["rim"], "far": []})

    node, height = cell_heights(grid)

    on_one_face = ((grid.points[node] == 0) | (grid.points[node] == 1)).sum(axis=1) == 1
    assert on_one_face.sum() == 6 * 4
    assert height[on_one_face] == pytest.approx(1 / 3, rel=1e-12)


def test_a_peak_is_bent_where_its_opposite_sides_turn():
    """Sides beside one another turn by 41 degrees, opposite ones by 59."""
    x = np.array([(0, 0, 0.4), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)])
    after = np.array([1, 2, 3, 4])
    shape = {"offsets": np.array([0, 4]),
             "corners": np.stack([after, np.roll(after, -1), np.full(4, -1)], axis=1)}  # fmt: skip
    none = np.zeros(1, np.int32)
    peak = WallNodes(SimpleNamespace(), Patch("wall", none, none, none, shape, {}))

    assert [peak.bent(x, cosine).item() for cosine in (0.76, 0.7, 0.5)] == [True, True, False]


def test_edges_of_a_cube_are_bent_and_its_faces_are_not(double):
    grid = grid_of(double, cube(3), {"wall": ["rim"], "far": []})

    bent = WallNodes(grid).bent(grid.points, BEND)

    at = grid.points[grid.wall.node]
    assert bent.tolist() == (((at == 0) | (at == 1)).sum(axis=1) > 1).tolist()


def faces_of_cube():
    """Points of a cube, and its boundary by the face that it lies in."""
    mesh = cube(3)
    middle = mesh.points[np.where(mesh.boundaries["rim"] < 0, mesh.boundaries["rim"][:, :1],
                                  mesh.boundaries["rim"])].mean(axis=1)  # fmt: skip
    below, above = (mesh.boundaries["rim"][np.isclose(middle[:, 2], z)] for z in (0.0, 1.0))
    return mesh.points, {"below": below, "above": above}


def test_a_wall_in_space_slides_along_its_faces_and_not_through_them():
    points, walls = faces_of_cube()
    asked = {"below": ("below", (1.0, 2.0, 0.0))}

    found, spin = velocities(points, walls, asked)

    low = points[:, 2] == 0
    assert (found[low] == (1.0, 2.0, 0.0)).all()
    assert not found[points[:, 2] == 1].any()
    assert not spin.any()
    with pytest.raises(SettingsError, match=r"'lid' is \(1, 0, 0.1\), which is 0.1 through its fa"):
        check_along("lid", (1.0, 0.0, 0.1), points, walls["above"])


def test_a_node_where_walls_of_two_velocities_meet_rests_in_space():
    points, walls = faces_of_cube()
    half = {"left": walls["below"][::2], "right": walls["below"][1::2]}
    asked = {name: (name, (speed, 0.0, 0.0)) for name, speed in (("left", 1.0), ("right", 2.0))}

    found, _ = velocities(points, half, asked)

    of = [np.isin(np.arange(len(points)), own[own >= 0]) for own in half.values()]
    assert not found[of[0] & of[1]].any()
    assert (found[of[0] & ~of[1]] == (1.0, 0.0, 0.0)).all()
