"""Distance of volumes to the walls of their own member, against that to every facet."""

from functools import cache
from itertools import pairwise

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow import memory
from kinemesh.linear.pattern import chunks
from kinemesh.space.cells import Cells
from kinemesh.space.conditions.base import BODY
from kinemesh.space.distance import GROUPS, along, distances, wall_distance, wall_facets
from kinemesh.space.grid import Grid
from kinemesh.space.vertices import MeshVertices
from overset_brute import to_walls
from samples import direct
from solver_cases import Ellipse, bodies, disc, mover_of, on_devices, turned

BAR = 1e-13  # [chord] of the method's statement
SIDES = {"wall": ["airfoil"], "far": ["farfield"]}
BOTH = {"wall": ["one", "other"], "far": ["farfield"]}


@cache
def section():
    return km.mesh.airfoil("naca0012", nodes=2500)


@cache
def pair():
    one, other = Ellipse((0.0, 0.0), (0.5, 0.06)), Ellipse((1.2, -0.2), (0.2, 0.05))
    return bodies({"one": one, "other": other})


def shuffled():
    """The section with the edges of its boundary in no order."""
    mesh, rng = section(), np.random.default_rng(5)
    sides = {name: rng.permutation(edges) for name, edges in mesh.boundaries.items()}
    return km.mesh.Mesh.from_arrays(mesh.points, mesh.triangles, sides)


def scaled():
    """The section with a chord of a thousand, turned and moved."""
    mesh = section()
    return mesh.transformed(1e3 * turned(37.0).apply(mesh.points) + (5e3, -3e3))


MESHES = {  # mesh, conditions, chord
    "section": (section, SIDES, 1.0),
    "no order": (shuffled, SIDES, 1.0),
    "scaled": (scaled, SIDES, 1e3),
    "two bodies": (pair, BOTH, 1.0),
}


def made(backend, meshes, sides=SIDES, markers=None, kind=Grid):
    """Volumes of meshes, and their distances to what `sides` calls walls, or to `markers`."""
    volumes = kind(MeshVertices(backend, meshes, sides))
    volumes.start()
    return volumes, wall_distance(volumes, sides["wall"] if markers is None else markers)


def to_every_facet(mesh, markers, points=None, seen=None):
    """Distances to every facet of `seen`, by default of nodes, where nodes are at `points`."""
    points = mesh.points if points is None else points
    edges = np.concatenate([mesh.boundaries[name] for name in markers])
    return to_walls(points, edges, seen)


@pytest.mark.parametrize("name", MESHES)
def test_distances_are_those_to_every_facet(backend, name):
    make, sides, chord = MESHES[name]
    mesh = make()

    found = backend.get(made(backend, [mesh], sides)[1])

    assert found.dtype == np.float64
    assert np.abs(found - to_every_facet(mesh, sides["wall"])).max() <= BAR * chord
    on_wall = np.unique(np.concatenate([mesh.boundaries[name] for name in sides["wall"]]))
    assert np.flatnonzero(found == 0).tolist() == on_wall.tolist()


def test_distances_do_not_depend_on_place_turn_and_scale(double):
    one, other = (double.get(made(double, [mesh])[1]) for mesh in (section(), scaled()))

    # coordinates of the other one, up to 2e4, are rounded by 2e-12, a thousandth of that in chords
    assert np.abs(other / 1e3 - one).max() <= BAR


@on_devices
def test_distances_follow_a_pitch_by_springs(device):
    ale, mover = mover_of(section(), device)
    mesh = ale.grid.meshes[0]  # with the numbers of the case, not the user's
    distance, before = wall_distance(ale.grid, ["airfoil"]), to_every_facet(mesh, ["airfoil"])
    mover.step(lambda share: [turned(5.0 * share)])

    ale.grid.measure()

    exact = to_every_facet(mesh, ["airfoil"], ale.backend.get(ale.grid.x))
    assert np.abs(ale.backend.get(distance) - exact).max() <= BAR
    assert np.abs(exact - before).max() > 0.01  # the motion changes them


def test_members_have_the_distances_of_their_own_walls(backend):
    """Two sections, one of them twice, and a disc without a wall."""
    meshes = [section(), disc(6), km.mesh.airfoil("naca4412", nodes=700), section()]

    grid, distance = made(backend, meshes)

    found = np.split(backend.get(distance), grid.first[1:-1])
    for member, mesh in enumerate(meshes):
        if member == 1:
            assert np.isposinf(found[member]).all()
        else:
            assert np.abs(found[member] - to_every_facet(mesh, ["airfoil"])).max() <= BAR
    assert (found[0] == found[3]).all()


def test_distance_is_infinite_without_walls(backend):
    _, distance = made(backend, [disc(6)])

    assert np.isposinf(backend.get(distance)).all()


def test_walls_with_slip_count_for_nothing(double):
    found = double.get(made(double, [pair()], BOTH, markers=["other"])[1])

    assert np.abs(found - to_every_facet(pair(), ["other"])).max() <= BAR
    assert found[pair().boundaries["one"]].min() > 0.1


def test_distances_of_cells_are_those_of_their_centroids(double):
    cells, distance = made(double, [section()], kind=Cells)

    exact = to_every_facet(section(), ["airfoil"], seen=double.get(cells.fields["x"]))
    assert np.abs(double.get(distance) - exact).max() <= BAR


def crossing():
    """Segments of every length through one another, some of them points, and places among them."""
    rng = np.random.default_rng(8)
    length = 10.0 ** rng.uniform(-4, 0, (300, 1)) * (rng.random((300, 1)) < 0.9)
    begins = rng.uniform(-1, 1, (300, 2))
    vertex = np.stack([begins, begins + length * rng.normal(size=(300, 2))], axis=1)
    return vertex, np.concatenate([rng.uniform(-3, 3, (1000, 2)), vertex.reshape(-1, 2)])


def test_no_order_of_facets_hides_the_nearest_one(backend):
    vertex, place = crossing()
    offsets, groups = chunks(np.array([0, len(vertex)]), GROUPS[2])
    walls = {
        "vertex": vertex.reshape(-1, 2),
        "facet": np.arange(2 * len(vertex)).reshape(-1, 2),
        "offsets": offsets,
    }
    circles = {"middle": np.ones((len(offsets) - 1, 2)), "radius": np.ones(len(offsets) - 1)}
    circles = {n: v for n, v in direct(backend, "wall_groups", **walls, **circles).items()
               if n in circles}  # fmt: skip

    found = direct(
        backend, "wall_distance", **walls, **circles, groups=groups, x=place,
        member=np.zeros(len(place)), distance=np.ones(len(place)),
    )["distance"]  # fmt: skip

    way = vertex[:, 1] - vertex[:, 0]
    from_begin = place[:, None] - vertex[:, 0]
    square = np.where((way**2).sum(axis=1) > 0, (way**2).sum(axis=1), 1)
    share = ((from_begin * way).sum(axis=2) / square).clip(0, 1)
    each = np.linalg.norm(from_begin - share[:, :, None] * way, axis=2)
    assert np.abs(found - each.min(axis=1)).max() <= 1e-15 * 8  # roundings of numbers up to 4
    assert (found[1000:] == 0).all()


def test_circles_hold_their_facets(backend):
    mesh = section()
    facets = wall_facets(mesh, ["airfoil"])
    offsets, _ = chunks(np.array([0, len(facets)]), GROUPS[2])
    there = direct(
        backend, "wall_groups", vertex=mesh.points, facet=facets, offsets=offsets,
        middle=np.ones((len(offsets) - 1, 2)), radius=np.ones(len(offsets) - 1),
    )  # fmt: skip

    group = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    away = np.linalg.norm(mesh.points[facets] - there["middle"][group][:, None], axis=2)
    assert (away <= there["radius"][group][:, None]).all()
    length = np.linalg.norm(np.diff(mesh.points[facets], axis=1), axis=2).ravel()
    # groups of facets along the walls reach half as far as they are long
    assert (there["radius"] <= 0.51 * np.bincount(group, length)).all()


def test_facets_are_one_behind_the_other():
    """An open run, a closed one, and two that begin at one node, in no order."""
    runs = [[7, 3, 9, 1], [4, 5, 6, 4], [20, 21, 22], [20, 30, 31]]
    edges = np.array([pair for run in runs for pair in pairwise(run)])
    edges = np.random.default_rng(2).permutation(edges)

    rows = along(edges)

    assert sorted(rows) == list(range(len(edges)))
    begins, ends = edges[rows].T
    assert (begins[1:] != ends[:-1]).sum() == len(runs) - 1


def test_distances_of_places_are_those_to_every_segment():
    mesh = section()
    edges = mesh.boundaries["airfoil"]

    found = distances(mesh.points, mesh.points[edges])

    assert found == pytest.approx(
        to_walls(mesh.points, edges), rel=1e-12, abs=4 * np.finfo(float).eps
    )
    assert len(np.unique(edges)) == (found < 1e-15).sum()


def test_a_long_segment_is_found_behind_many_short_ones():
    """Its middle is farther than those of the short ones, and it passes by the place."""
    line = np.linspace(0, 1, 101)[:, None] * [0.1, 0.0]
    short = np.stack([line[:-1], line[1:]], axis=1)
    ends = np.concatenate([short, [[(-5.0, 0.5), (15.0, 0.5)]]])

    assert distances(np.array([(0.05, 0.4)]), ends) == pytest.approx([0.1])


def test_few_segments_and_one_are_searched():
    points = np.array([(0.5, 2.0), (3.0, 4.0), (-1.0, 0.0)])
    one = np.array([[(0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)]])
    one[:, 1] = (1.0, 0.0)

    assert distances(points, one[:1]) == pytest.approx([2.0, np.hypot(2, 4), 1.0])


class WithDistance(Grid):
    """Duals with the distance to the walls, as a solver would ask for it."""

    def fit(self, by="least-squares"):
        super().fit(by)
        wall_distance(self, [BODY, "airfoil"])


class Far(km.Ale):
    volumes = WithDistance


@pytest.mark.no_sanitizer  # bytes are counted in Python
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_memory_is_counted_with_groups_of_facets(dtype):
    mesh = km.mesh.airfoil("naca0012", nodes=6000)

    far = Far(mesh, mach=0.3, device="cpu", dtype=dtype)

    want = memory.needed(Far, dtype, [mesh], far.settings)
    assert far.backend.allocated == pytest.approx(want, rel=1e-3)
