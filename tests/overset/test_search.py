"""The donor search: every point in its cell, against brute force and by hand, on every device."""

import tracemalloc
from functools import lru_cache
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import DeviceError, MeshError, OversetError
from kinemesh.mesh import Mesh
from kinemesh.overset import Donors, search
from kinemesh.overset import bins as of_bins
from kinemesh.overset.bins import ACROSS, bins_of
from samples import direct
from world import grid

TESTS = Path(__file__).parents[1]
UNSTRUCTURED = Path(km.mesh.__file__).parents[1] / "cases" / "data" / "mesh_NACA0012_inv.su2.xz"
EPS = np.finfo(float).eps


@lru_cache
def mesh_of(name):
    """An O-mesh, an unstructured mesh, thin quadrilaterals, triangles and quadrilaterals."""
    if name == "o-mesh":
        return km.mesh.airfoil("naca0012", nodes=3000)
    if name == "unstructured":
        return km.mesh.read(UNSTRUCTURED)
    if name == "wake":
        return km.mesh.read(TESTS / "data" / "n0012_113-33.su2.xz")
    return mixed(12, 9)


def mixed(nx, ny):
    """Jittered triangles and quadrilaterals on the unit square, in random order."""
    rng = np.random.default_rng(4)
    points, cells = grid(nx, ny, True, rng)
    bottom, right = np.arange(nx), np.arange(ny) * (nx + 1) + nx
    edges = [np.c_[bottom, bottom + 1], np.c_[right, right + nx + 1]]
    hull = np.concatenate([*edges, edges[0] + ny * (nx + 1), edges[1] - nx])
    return Mesh.from_arrays(points, rng.permutation(cells), {"hull": hull})


MESHES = ("o-mesh", "unstructured", "wake", "mixed")


def corners(mesh):
    """(cells, 4) nodes, the third twice in a triangle."""
    return np.where(mesh.cells < 0, mesh.cells[:, 2:3], mesh.cells)


def in_cells(mesh, rng, each=1):
    """Points within the cells, none near a side, and their cells."""
    own = np.repeat(np.arange(len(mesh.cells)), each)
    share = rng.dirichlet((3, 3, 3, 3), len(own))
    return (share[:, :, None] * mesh.points[corners(mesh)[own]]).sum(axis=1), own


def on_sides(mesh, rng, each=1):
    """Points as near to the sides that two cells share as float64 has them."""
    hull = np.concatenate(list(mesh.boundaries.values()))
    keys = np.sort(hull, axis=1) @ [mesh.nodes, 1]
    inner = mesh.edges[~np.isin(mesh.edges @ [mesh.nodes, 1], keys)].repeat(each, axis=0)
    share = rng.uniform(0, 1, (len(inner), 1))
    return (1 - share) * mesh.points[inner[:, 0]] + share * mesh.points[inner[:, 1]]


def brute_force(mesh, points):
    """The lowest cell that has no side with the point on its right, of all cells; or -1."""
    table, x = corners(mesh), mesh.points
    found = np.full(len(points), -1)
    for cell in reversed(range(len(table))):
        inside = np.ones(len(points), bool)
        for a, b in zip(table[cell], np.roll(table[cell], -1), strict=True):
            low, high = min(a, b), max(a, b)
            d, q = x[high] - x[low], points - x[low]
            turn = d[0] * q[:, 1] - d[1] * q[:, 0]
            inside &= (turn >= 0) if a < b else (turn <= 0)
        found[inside] = cell
    return found


def sum_of(mesh, cells, weights, values):
    """Interpolation of nodal values by the weights."""
    return np.einsum("ck,ck...->c...", weights, values[corners(mesh)[cells]])


# ---------------------------------------------------------------- by hand


def two_squares():
    """Two triangles left of a quadrilateral: the squares (0, 0) to (1, 1) and (1, 0) to (2, 1)."""
    points = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    cells = [(0, 1, 4, -1), (0, 4, 3, -1), (1, 2, 5, 4)]
    hull = [(0, 1), (1, 2), (2, 5), (5, 4), (4, 3), (3, 0)]
    return Mesh.from_arrays(points, cells, {"hull": hull})


@pytest.mark.parametrize(
    ("point", "cell", "weights"),
    [
        ((0.75, 0.25), 0, (0.25, 0.5, 0.25, 0)),
        ((0.25, 0.5), 1, (0.5, 0.25, 0.25, 0)),
        ((1.25, 0.5), 2, (0.375, 0.125, 0.125, 0.375)),
        ((0.5, 0.5), 0, (0.5, 0, 0.5, 0)),  # on the side of 0 and 1
        ((1, 0.25), 0, (0, 0.75, 0.25, 0)),  # on the side of 0 and 2
        ((1, 1), 0, (0, 0, 1, 0)),  # a node of all three
        ((0, 1), 1, (0, 0, 1, 0)),  # a node of one
        ((2, 1), 2, (0, 0, 1, 0)),
        ((2, 0.5), 2, (0, 0.5, 0.5, 0)),  # on the boundary
        ((2.0000001, 0.5), -1, (0, 0, 0, 0)),
        ((0.5, -1e-300), -1, (0, 0, 0, 0)),
        ((1e300, -1e300), -1, (0, 0, 0, 0)),
    ],
)
def test_cell_and_weights_of_a_point_are_those_found_by_hand(double, point, cell, weights):
    cells, found = search(two_squares(), [point], device=double.device)

    assert cells.tolist() == [cell]
    assert found == pytest.approx(np.array([weights]), abs=2 * EPS)


def test_no_points_have_no_cells(double):
    cells, weights = search(two_squares(), np.empty((0, 2)), device=double.device)

    assert (cells.shape, cells.dtype) == ((0,), np.int32)
    assert (weights.shape, weights.dtype) == ((0, 4), np.float64)


# ---------------------------------------------------------------- all points


@pytest.mark.long
@pytest.mark.parametrize("name", MESHES)
def test_cells_are_those_of_brute_force(double, name):
    mesh, rng = mesh_of(name), np.random.default_rng(1)
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    near = rng.choice(mesh.points, 100) * rng.choice([1 - EPS, 1 + EPS], (100, 2))
    parts = [rng.permutation(p)[:150] for p in (in_cells(mesh, rng)[0], on_sides(mesh, rng))]
    spread = rng.uniform(1.1 * low - 0.1 * high, 1.1 * high - 0.1 * low, (100, 2))
    points = np.concatenate([*parts, near, spread, rng.choice(mesh.points, 100)])

    cells, _ = search(mesh, points, device=double.device)

    np.testing.assert_array_equal(cells, brute_force(mesh, points))
    assert (cells[:300] >= 0).all()


def all_found(device, mesh, each):
    """Search points in all cells, on all inner sides and on all nodes."""
    rng, donors = np.random.default_rng(2), Donors(mesh, device)
    points, own = in_cells(mesh, rng, each)
    sides = on_sides(mesh, rng, each)
    table = corners(mesh)
    lowest = np.full(mesh.nodes, len(table))
    np.minimum.at(lowest, table, np.arange(len(table))[:, None])

    np.testing.assert_array_equal(donors.search(points)[0], own)
    assert (donors.search(sides)[0] >= 0).all()
    np.testing.assert_array_equal(donors.search(mesh.points)[0], lowest)
    return len(points) + len(sides) + mesh.nodes


@pytest.mark.parametrize("name", MESHES)
def test_every_point_in_a_cell_on_a_side_or_on_a_node_is_found(double, name):
    all_found(double.device, mesh_of(name), 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["o-mesh", "unstructured"])
def test_every_one_of_a_million_points_is_found(double, name):
    mesh = km.mesh.airfoil("naca0012", nodes=94_085) if name == "o-mesh" else mesh_of(name)

    assert all_found(double.device, mesh, 400_000 // len(mesh.cells) + 1) >= 1_000_000


@pytest.mark.parametrize("name", ["o-mesh", "unstructured", "wake"])
def test_points_in_the_body_and_beyond_the_far_field_are_in_no_cell(double, name):
    mesh = mesh_of(name)
    x = np.linspace(0.05, 0.9, 200)
    far = 1.1 * np.abs(mesh.points).max() * np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1)])

    cells, weights = search(mesh, np.concatenate([np.c_[x, 0.01 * x], far]), device=double.device)

    assert (cells == -1).all()
    assert not weights.any()


def test_a_mesh_that_was_moved_and_turned_gives_the_cells_it_gave(double):
    turn = np.deg2rad(33.0)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    for name in MESHES:
        mesh = mesh_of(name)
        points, own = in_cells(mesh, np.random.default_rng(3))
        moved = mesh.transformed(mesh.points @ matrix.T + [3.0, -2.0])

        cells, weights = search(moved, points @ matrix.T + [3.0, -2.0], device=double.device)

        np.testing.assert_array_equal(cells, own)
        assert weights.sum(axis=1) == pytest.approx(1, abs=4 * EPS)


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize("name", MESHES)
def test_interpolation_of_a_linear_field_is_exact(double, name):
    mesh = mesh_of(name)
    points, _ = in_cells(mesh, np.random.default_rng(5), 3)

    cells, weights = search(mesh, points, device=double.device)

    found = sum_of(mesh, cells, weights, 1.5 + mesh.points @ [2.0, -3.0])
    size = 1 + np.abs(points).max(axis=1)
    assert (np.abs(found - 1.5 - points @ [2.0, -3.0]) < 1e-13 * size).all()
    assert (np.abs(weights.sum(axis=1) - 1) <= 4 * EPS).all()
    assert ((weights >= 0) & (weights <= 1)).all()


def convex_quads(rng, count):
    """Quadrilaterals (n, 4, 2) of size 1: any convex, parallelograms, almost triangles, thin."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, (4 * count, 4)), axis=1)
    gap = np.diff(angle, axis=1, append=angle[:, :1] + 2 * np.pi)
    angle = angle[(gap.min(axis=1) > 0.02) & (gap.max(axis=1) < 3.1)][:count]
    quads = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    quads[1::4, 2:] = quads[1::4, [1, 0]] + [0.3, 0.7]  # parallelograms
    tip = quads[2::4, 3:] + 1e-3 * (quads[2::4, 2:3] - quads[2::4, 3:])
    quads[2::4, 2:3] = tip  # almost triangles
    quads[3::4] *= [1.0, 1e-4]
    after = np.roll(quads, -1, axis=1) - quads
    before = np.roll(after, 1, axis=1)
    area = (before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]).min(axis=1)
    return quads[area > 1e-9], area[area > 1e-9]


def test_weights_of_quadrilaterals_are_those_of_the_bilinear_map(double):
    rng = np.random.default_rng(6)
    quads, area = convex_quads(rng, 20_000)
    n = len(quads)
    r, s = rng.uniform(0, 1, (2, n))
    weights = np.stack([(1 - r) * (1 - s), r * (1 - s), r * s, (1 - r) * s], axis=1)
    point = (weights[:, :, None] * quads).sum(axis=1)

    there = direct(
        double,
        "overset_weights",
        x=quads.reshape(-1, 2),
        corners=np.arange(4 * n).reshape(n, 4),
        place=point,
        cell=np.arange(n),
        weights=np.full((n, 4), np.nan),
    )

    found = there["weights"]
    side = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2).max(axis=1)
    way = quads - quads[:, :1]
    miss = (found[:, :, None] * way).sum(axis=1) - (point - quads[:, 0])
    assert n > 5000
    assert (np.abs(miss).max(axis=1) < 1e-14 * side).all()  # the bar of the method
    assert (np.abs(found.sum(axis=1) - 1) <= 4 * EPS).all()
    # a rounding of the point, whose coordinates are of size 1, moves weights by side / area
    assert (np.abs(found - weights).max(axis=1) < 8 * EPS * side / area).all()


def test_weights_of_a_quadrilateral_with_almost_no_first_side_are_exact(double):
    corner = np.array([(0, 0), (2.0**-60, 0), (1, 1), (0, 1)])
    point = np.array([(0.25, 0.5), (0.125, 0.75), (0.5, 0.625)])

    there = direct(
        double,
        "overset_weights",
        x=corner,
        corners=[[0, 1, 2, 3]],
        place=point,
        cell=[0, 0, 0],
        weights=np.full((3, 4), np.nan),
    )

    assert there["weights"] @ corner == pytest.approx(point, abs=1e-14)
    assert there["weights"][:, 2:].sum(axis=1) == pytest.approx(point[:, 1], abs=1e-14)


# ---------------------------------------------------------------- bins


@pytest.mark.parametrize("name", MESHES)
def test_bins_are_small_and_their_lists_ascend(name):
    mesh = mesh_of(name)
    bins = bins_of(mesh.points, mesh.cells)
    lists = bins.bins[bins.bins[:, 1] >= 0]

    assert set(bins.listed) == set(range(len(mesh.cells)))
    assert lists[:, 1].sum() == len(bins.listed)
    assert bins.bins[:, 1].min() >= -ACROSS
    for first, count in lists:
        assert (np.diff(bins.listed[first : first + count]) > 0).all()
    assert np.median(lists[:, 1]) <= 6  # the cells round a node
    assert bins.nbytes < 120 * len(mesh.cells)


def test_a_strip_a_billion_times_as_long_as_high_has_no_more_bins_than_cells(double):
    n = 50
    x = np.repeat(np.arange(n + 1.0), 2) * 1e9
    points = np.c_[x, np.tile([0.0, 1.0], n + 1)]
    k = 2 * np.arange(n)
    around = np.concatenate([np.c_[k, k + 2], np.c_[k + 1, k + 3], [(0, 1), (2 * n, 2 * n + 1)]])
    mesh = Mesh.from_arrays(points, np.stack([k, k + 2, k + 3, k + 1], 1), {"hull": around})

    cells, _ = search(mesh, np.c_[(np.arange(n) + 0.5) * 1e9, np.full(n, 0.25)], double.device)

    assert cells.tolist() == list(range(n))
    assert len(Donors(mesh, "cpu").bins.bins) <= 3 * n


def needles(count):
    """Triangles round one node, the tips on an ellipse that is turned: points and cells."""
    angle, i = 2 * np.pi * np.arange(count) / count, np.arange(count)
    tip = np.c_[np.cos(angle), 0.02 * np.sin(angle)] @ [[0.8, 0.6], [-0.6, 0.8]]
    cells = np.c_[np.zeros_like(i), i + 1, (i + 1) % count + 1, np.full(count, -1)]
    return np.concatenate([[(0, 0)], tip]), cells.astype(np.int32)


@pytest.mark.parametrize("name", [*MESHES, "needles"])
def test_lists_are_those_of_all_bins_of_the_boxes_of_cells(name, monkeypatch):
    mesh = None if name == "needles" else mesh_of(name)
    made = needles(300) if mesh is None else (mesh.points * [1, 0.02], mesh.cells)
    bins = bins_of(*made)

    monkeypatch.setattr(of_bins._Level, "met", of_all_bins)
    every = bins_of(*made)

    np.testing.assert_array_equal(bins.bins, every.bins)
    np.testing.assert_array_equal(bins.listed, every.listed)


def of_all_bins(level):
    """Entries and the bins that they meet, of all bins of their boxes, each looked at."""
    margin, last = of_bins.BIN_MARGIN, level.across[level.grid] - 1
    corner = level.corner.reshape(-1, 4, 2)
    start = np.clip((corner.min(axis=1) - margin).astype(int), 0, last)
    end = np.clip((corner.max(axis=1) + margin).astype(int), 0, last)
    columns, rows = (end - start + 1).T
    entry = np.repeat(np.arange(len(corner)), columns * rows)
    within = np.arange(len(entry)) - (np.cumsum(columns * rows) - columns * rows)[entry]
    place = start[entry] + np.stack([within // rows[entry], within % rows[entry]], axis=1)
    met = (columns * rows)[entry] == 1
    met |= meets(*(corner[entry] - place[:, None]).transpose(2, 1, 0))
    grid = level.grid[entry]
    key = of_bins.first_bins(level)[grid] + place[:, 1] * level.across[grid, 0] + place[:, 0]
    return entry[met].astype(np.int32), key[met].astype(np.int32)


def meets(x, y):
    """True where cells with corners x, y (4, pairs) meet the unit bin: no side has all of it to its
    right."""
    met, margin = np.ones(x.shape[1], bool), of_bins.BIN_MARGIN
    for k in range(4):
        dx, dy = x[k] - x[k - 1], y[k] - y[k - 1]
        far_x = np.where(dy < 0, 1 + margin, -margin) - x[k - 1]
        far_y = np.where(dx > 0, 1 + margin, -margin) - y[k - 1]
        met &= dx * far_y >= dy * far_x
    return met


def test_memory_of_bins_of_needles_follows_what_they_list():
    tracemalloc.start()

    listed = len(bins_of(*needles(500)).listed)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # entry, key and order of a listing, 4 or 8 bytes each, some twice: 36
    assert peak < 60 * listed


# ---------------------------------------------------------------- arrays


class OnlyDlpack:
    """An array of a CPU that speaks DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnCuda:
    """Object with the interface of an array on a CUDA device."""

    def __init__(self):
        self.__cuda_array_interface__ = {}


@pytest.mark.parametrize(
    "make", [list, OnlyDlpack, lambda p: p.astype(np.float32), lambda p: p[::-1][::-1]]
)
def test_points_may_be_any_array_of_numbers(host, make):
    points = np.array([(0.75, 0.25), (1.25, 0.5), (3, 3)])

    cells, weights = search(two_squares(), make(points), device="cpu")

    assert cells.tolist() == [0, 2, -1]
    assert weights.sum(axis=1).tolist() == [1, 1, 0]


def test_points_on_a_device_give_arrays_of_the_device_with_the_cpus_cells(double):
    mesh = mesh_of("unstructured")
    points, _ = in_cells(mesh, np.random.default_rng(8))
    points = np.concatenate([points, on_sides(mesh, np.random.default_rng(8)), mesh.points])

    cells, weights = search(mesh, double.array(points, "float64"))
    cpu_cells, cpu_weights = search(mesh, points, device="cpu")

    assert isinstance(cells, type(double.zeros(1)))
    np.testing.assert_array_equal(double.get(cells), cpu_cells)
    # a device fuses products and sums of the areas, which round by the square of a side
    side = np.linalg.norm(np.diff(mesh.points[corners(mesh)], axis=1), axis=2).max(axis=1)
    assert np.abs(double.get(weights) - cpu_weights).max() < 32 * EPS * (side**2 / mesh.areas).max()


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.zeros((3, 3)), r"points have shape \(3, 3\), expected \(n, 2\)"),
        (np.zeros(2), r"points have shape \(2,\), expected \(n, 2\)"),
        (0.5, r"points have shape \(\), expected"),
        ([(0.5, "a")], "points have dtype <U"),
        ([(0.5, 1j)], "points have dtype complex128"),
        ([(0.5, 0.5), (0.5,)], "points are no array of numbers"),
        ([(0.5, 0.5), (0.5, np.nan)], "point 1 is not finite"),
        ([(0.5, 0.5), (np.inf, 0.5), (0.5, np.nan)], "point 1 is not finite"),
    ],
)
def test_points_that_are_no_places_are_refused(double, points, message):
    with pytest.raises(OversetError, match=message):
        search(two_squares(), points, device=double.device)


def test_what_is_no_mesh_is_refused():
    cloud = km.cloud.airfoil("naca0012", points=600)

    with pytest.raises(MeshError, match=r"mesh is a Cloud, expected a kinemesh\.Mesh"):
        search(cloud, np.zeros((1, 2)))


def test_a_mesh_whose_area_is_no_number_is_refused():
    mesh = two_squares()

    with np.errstate(over="ignore"), pytest.raises(MeshError, match=r"2e\+160 by 1e\+160 chords"):
        search(mesh.transformed(mesh.points * 1e160), [(0.5, 0.5)])


def test_points_of_another_device_are_refused():
    with pytest.raises(DeviceError, match="points are on cuda:0, the mesh on cpu"):
        search(two_squares(), OnCuda(), device="cpu")


def test_folded_and_non_convex_cells_are_named_by_their_place():
    mesh = two_squares()
    folded, dented = mesh.points.copy(), mesh.points.copy()
    folded[3] = (1.5, 0.5)
    dented[5] = (1.2, 0.2)

    with pytest.raises(MeshError, match=r"triangle 1 .* \(1.5, 0.5\) has area"):
        search(mesh.transformed(folded), [(0.5, 0.5)])
    with pytest.raises(MeshError, match=r"quad 0 .* \(1.2, 0.2\), .* not convex"):
        search(mesh.transformed(dented), [(0.5, 0.5)])


@pytest.mark.parametrize("shape", [(5, 3), (4, 6, 3)])
def test_bins_are_numbered_with_the_first_axis_fastest(shape):
    every, across = np.arange(np.prod(shape)), np.array(shape)

    place = of_bins.bin_places(every, across)

    expected = np.unravel_index(every, shape, order="F")
    np.testing.assert_array_equal(place, np.stack(expected, axis=1))
    np.testing.assert_array_equal(of_bins.bin_numbers(place, across), every)
    of_each = np.stack([across] * len(every))
    np.testing.assert_array_equal(of_bins.bin_places(every, of_each), place)
    np.testing.assert_array_equal(of_bins.bin_numbers(place, of_each), every)
