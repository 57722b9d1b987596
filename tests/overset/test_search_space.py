"""The donor search in space: every point in its cell, against brute force and by hand."""

from functools import lru_cache
from itertools import combinations

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device import threads
from kinemesh.errors import MeshError, OversetError
from kinemesh.mesh import Mesh
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.overset import Donors, search, tetrahedra
from kinemesh.overset.bins_space import bins_of_solids
from kinemesh.overset.tetrahedra import tetrahedra_of
from solids import cube, meshed

EPS = np.finfo(float).eps
MESHES = ("tetrahedra", "prisms", "hexahedra", "mixed", "thin", "wing")


@lru_cache
def mesh_of(name):
    """Shaken cubes, one with cells a thousand times as wide as high; cells about the ONERA M6."""
    if name == "wing":
        return km.mesh.wing("oneram6", nodes=10_000, cells="hybrid")
    mesh = cube(6, "mixed" if name == "thin" else name, jitter=0.15)
    number = np.random.default_rng(5).permutation(mesh.nodes)  # else all cones are alike
    blocks = {kind: number[cells] for kind, cells in mesh.blocks.items() if len(cells)}
    points = mesh.points[np.argsort(number)]
    return meshed(points @ FLAT if name == "thin" else points, blocks)


FLAT = np.diag([1.0, 1.0, 1e-3]) @ [[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]] @ [
    [1, 0, 0], [0, 0.8, 0.6], [0, -0.6, 0.8]
]  # fmt: skip


@lru_cache
def pile():
    """One cell of each kind but hexahedra, warped, side by side: a prism's quadrilateral is the
    pyramid's base, a triangle of which is the tetrahedron's."""
    points = [
        (0, 0, 0), (1, 0, 0), (1, 1, 0.1), (0, 1, 0),  # the quadrilateral, not flat
        (0.4, 0.1, -1), (0.5, 0.9, -1.1),  # the prism's other edge
        (0.5, 0.5, 1),  # the apex
        (1.6, 0.5, 0.7),
    ]  # fmt: skip
    blocks = {
        "prisms": [(0, 1, 4, 3, 2, 5)],
        "pyramids": [(0, 1, 2, 3, 6)],
        "tetrahedra": [(1, 7, 2, 6)],
    }
    return Mesh.from_blocks(np.array(points, float), blocks, {"hull": hull(blocks)})


def hull(blocks):
    """Faces of one cell, fourth corner -1 of triangles."""
    seen = {}
    for name, cells in blocks.items():
        for cell in np.array(cells):
            for face in SOLIDS[name].faces:
                own = [int(cell[k]) for k in face]
                seen.setdefault(tuple(sorted(own)), []).append(own)
    return [(*own[0], -1)[:4] for own in seen.values() if len(own) == 1]


def cells_of(mesh):
    """Corners of each cell, as cells are numbered."""
    return [cell for cells in mesh.blocks.values() for cell in cells]


@lru_cache
def cut_of(name):
    """`cut` of a mesh by name, once."""
    return cut(mesh_of(name))


def cut(mesh):
    """Tetrahedra of cells by the rule in words, cell by cell: cell (t,), nodes (t, 4)."""
    found = []
    kinds = [SOLIDS[name] for name, cells in mesh.blocks.items() for _ in cells]
    for number, (kind, cell) in enumerate(zip(kinds, cells_of(mesh), strict=True)):
        apex = min(cell)
        for face in kind.faces:
            own = [int(cell[k]) for k in face]
            if apex in own:
                continue
            at = own.index(min(own))
            own = own[at:] + own[:at]
            found += [(number, apex, own[0], *own[k : k + 2]) for k in range(1, len(own) - 1)]
    table = np.array(found)
    return table[:, 0], table[:, 1:]


def least_coordinates(name, points):
    """(points, cells) of each cell the largest of its tetrahedra's least coordinates of each point,
    of those of positive volume."""
    mesh, (number, corner) = mesh_of(name), cut_of(name)
    o, *others = (mesh.points[corner[:, k]] for k in range(4))
    matrix = np.stack([own - o for own in others], axis=2)
    sound = np.linalg.det(matrix) > 0
    inverse, number, o = np.linalg.inv(matrix[sound]), number[sound], o[sound]
    found = np.full((len(points), len(cells_of(mesh))), -np.inf)
    for k, p in enumerate(points):
        own = np.einsum("tij,tj->ti", inverse, p - o)
        np.maximum.at(found[k], number, np.minimum(own.min(axis=1), 1 - own.sum(axis=1)))
    return found


def in_cells(name, rng):
    """A point in a tetrahedron of each cell, none near a face, and their cells."""
    mesh, (number, corner) = mesh_of(name), cut_of(name)
    x = mesh.points[corner]
    sound = np.linalg.det(x[:, 1:] - x[:, :1]) > 0
    order = rng.permutation(np.flatnonzero(sound))
    _, first = np.unique(number[order], return_index=True)
    some = order[first]
    share = rng.dirichlet((3, 3, 3, 3), len(some))
    return np.einsum("tk,tkd->td", share, x[some]), number[some]


def on_faces(name, rng, count):
    """Points as near as float64 has them to edges and faces of tetrahedra, none on the hull, where
    some would be beyond it."""
    mesh, (_, corner) = mesh_of(name), cut_of(name)
    rim = np.unique(np.concatenate([own.ravel() for own in mesh.boundaries.values()]))
    inner = corner[~np.isin(corner[:, 0], rim)]
    own = inner[rng.integers(0, len(inner), count)]
    share = rng.dirichlet((1, 1, 1), count)
    share[::2, 2] = 0  # on an edge of the first node
    share /= share.sum(axis=1, keepdims=True)
    return np.einsum("tk,tkd->td", share, mesh.points[own[:, :3]])


def interpolated(mesh, cells, weights, values):
    """Values by weights of the cells' corners."""
    corners = cells_of(mesh)
    return np.array([
        row[: len(corners[c])] @ values[corners[c]]
        for c, row in zip(cells, weights, strict=True)
    ])  # fmt: skip


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("point", "cell", "weights"),
    [
        ((1.1, 0.5, 0.6), 0, None),  # the tetrahedron: cells are numbered by kinds
        ((0.5, 0.5, 0.9), 1, None),
        ((0.5, 0.5, -0.5), 2, None),
        ((0.5, 0.5, 1), 0, (0, 0, 0, 1, 0, 0)),  # a node of the first two
        ((0, 0, 0), 1, (1, 0, 0, 0, 0, 0)),
        ((0.4, 0.1, -1), 2, (0, 0, 1, 0, 0, 0)),  # a node of the prism alone
        ((0.5, 0, 0), 1, (0.5, 0.5, 0, 0, 0, 0)),  # on an edge of the last two
        ((0.25, 0.25, 0.025), 1, (0.75, 0, 0.25, 0, 0, 0)),  # on the diagonal that both are cut by
        ((0.5, 0.5, 1.0001), -1, (0, 0, 0, 0, 0, 0)),
        ((1e300, -1e300, 0), -1, (0, 0, 0, 0, 0, 0)),
    ],
)
def test_cell_and_weights_of_a_point_are_those_found_by_hand(double, point, cell, weights):
    cells, found = search(pile(), [point], device=double.device)

    assert cells.tolist() == [cell]
    assert found.shape == (1, 6)
    assert found.min() >= -4 * EPS
    if weights:
        assert found == pytest.approx(np.array([weights]), abs=4 * EPS)
    if cell >= 0:
        near = interpolated(pile(), cells, found, pile().points)
        assert near == pytest.approx(np.array([point]), abs=4 * EPS)


def test_neighbours_cut_the_face_between_them_alike():
    """Each triangle of a tetrahedron is one of another, the other way round, or of the hull."""
    mesh = mesh_of("mixed")
    _, corner = cut(mesh)
    triangles = np.concatenate([corner[:, list(own)] for own in combinations(range(4), 3)])
    _, times = np.unique(np.sort(triangles, axis=1), axis=0, return_counts=True)
    outside = (1 + (mesh.boundaries["rim"][:, 3] >= 0)).sum()

    assert times.max() == 2
    assert (times == 1).sum() == outside


@pytest.mark.parametrize("name", MESHES[:-1])
def test_tetrahedra_are_those_of_the_rule(name):
    mesh, own = mesh_of(name), tetrahedra_of(mesh_of(name))
    number, corner = cut_of(name)
    x = mesh.points[corner]
    sound = np.linalg.det(x[:, 1:] - x[:, :1]) > 0

    assert sound.mean() > 0.9
    found = np.c_[np.repeat(np.arange(len(own.parts) - 1), np.diff(own.parts)),
                  np.sort(own.corner, axis=1)]  # fmt: skip
    want = np.c_[number, np.sort(corner, axis=1)][sound]
    assert sorted(map(tuple, found)) == sorted(map(tuple, want))
    corners = cells_of(mesh)
    for t in range(0, len(own.corner), 97):
        spots = [own.spots[t] >> 3 * k & 7 for k in range(4)]
        assert [corners[found[t, 0]][k] for k in spots] == own.corner[t].tolist()


@pytest.mark.parametrize("name", MESHES[:-1])
def test_threads_and_cells_cut_together_change_no_tetrahedron(name, monkeypatch):
    whole = tetrahedra_of(mesh_of(name))
    monkeypatch.setattr(threads._core, "threads", lambda: 3)
    monkeypatch.setattr(tetrahedra, "CELLS", 7)
    parts = tetrahedra_of(mesh_of(name))

    for one in ("parts", "corner", "spots"):
        np.testing.assert_array_equal(getattr(parts, one), getattr(whole, one))


# ---------------------------------------------------------------- all points


@pytest.mark.long
@pytest.mark.parametrize("name", MESHES)
def test_cells_are_those_of_brute_force(double, name):
    mesh, rng = mesh_of(name), np.random.default_rng(1)
    many = 15 if name == "wing" else 60
    inside = rng.permutation(in_cells(name, rng)[0])[:many]
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    spread = rng.uniform(1.1 * low - 0.1 * high, 1.1 * high - 0.1 * low, (many, 3))
    near = [on_faces(name, rng, many), mesh.points[rng.integers(0, mesh.nodes, many)]]
    points = np.concatenate([inside, spread, *near])

    found, _ = search(mesh, points, device=double.device)

    least = least_coordinates(name, points)
    held = np.where(found >= 0, least[np.arange(len(points)), found], least.max(axis=1))
    rounds = 1e-9  # of coordinates in thin tetrahedra
    assert (held[found >= 0] > -rounds).all()
    assert (held[found < 0] < rounds).all()
    assert (found[:many] >= 0).all()
    assert (found[2 * many :] >= 0).all()
    surely = (least > rounds).argmax(axis=1)
    surely = np.where((least > rounds).any(axis=1), surely, len(least[0]))
    assert (found[found >= 0] <= surely[found >= 0]).all()
    clear = ~((np.abs(least) <= rounds).any(axis=1))
    np.testing.assert_array_equal(found[clear], np.where(surely < len(least[0]), surely, -1)[clear])


@pytest.mark.parametrize("name", [*MESHES[:-1], pytest.param("wing", marks=pytest.mark.long)])
def test_all_nodes_and_places_in_cells_are_found_with_linear_weights(double, name):
    mesh, rng = mesh_of(name), np.random.default_rng(2)
    inside, own = in_cells(name, rng)
    points = np.concatenate([inside, mesh.points, on_faces(name, rng, 2000)])

    found, weights = search(mesh, points, device=double.device)

    assert (found >= 0).all()
    assert (found[: len(own)] <= own).all()
    assert (found[: len(own)] == own).mean() > 0.97  # warped cells lie over one another
    assert np.abs(weights.sum(axis=1) - 1).max() < 8 * EPS
    assert weights.min() > -1e-9
    assert (np.count_nonzero(weights, axis=1) <= 4).all()
    error = interpolated(mesh, found, weights, mesh.points) - points
    assert np.abs(error).max() < 1e-9 * np.abs(mesh.points).max()


def test_extruded_triangles_have_the_weights_of_the_plane(double):
    """A tetrahedron of a prism is linear in its triangle."""
    section = km.mesh.airfoil("naca0012", nodes=500)
    mesh = km.mesh.extruded(section, span=0.3, layers=3)
    rng = np.random.default_rng(3)
    share = rng.dirichlet((3, 3, 3), len(section.cells))
    places = np.einsum("ck,ckd->cd", share, section.points[section.cells[:, :3]])
    y = rng.uniform(0, 0.3, len(places))
    low = mesh.points.min(axis=0)
    in_space = np.stack([places[:, 0], low[1] + y, places[:, 1]], axis=1)

    there, of_plane = search(section, places, device=double.device)
    cells, weights = search(mesh, in_space, device=double.device)

    corners, own = cells_of(mesh), np.zeros((len(places), section.nodes))
    for k, (cell, row) in enumerate(zip(cells, weights, strict=True)):
        for node, weight in zip(corners[cell], row, strict=False):
            at = np.argmin(np.hypot(*(section.points - mesh.points[node][[0, 2]]).T))
            own[k, at] += weight
    want = np.zeros_like(own)
    for k, (cell, row) in enumerate(zip(there, of_plane, strict=True)):
        want[k, section.cells[cell, :3]] = row[:3]
    assert (cells >= 0).all()
    np.testing.assert_allclose(own, want, atol=1e-11)


def test_points_on_a_device_give_the_cells_of_the_cpu(double):
    mesh, rng = mesh_of("mixed"), np.random.default_rng(8)
    points = np.concatenate([in_cells("mixed", rng)[0], on_faces("mixed", rng, 3000), mesh.points])

    cells, weights = search(mesh, double.array(points, "float64"))
    cpu_cells, cpu_weights = search(mesh, points, device="cpu")

    assert isinstance(cells, type(double.zeros(1)))
    np.testing.assert_array_equal(double.get(cells), cpu_cells)
    np.testing.assert_array_equal(double.get(weights), cpu_weights)


@pytest.mark.parametrize("name", ["hexahedra", "thin"])
def test_bins_list_every_cell_in_little_memory(name):
    bins = Donors(mesh_of(name), "cpu").bins
    lists = bins.bins[bins.bins[:, 1] >= 0]
    cells = len(cells_of(mesh_of(name)))

    assert set(bins.listed) == set(range(cells))
    for first, count in lists:
        assert (np.diff(bins.listed[first : first + count]) > 0).all()
    assert bins.nbytes < 500 * cells


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.zeros((3, 2)), r"points have shape \(3, 2\), expected \(n, 3\), a place in space"),
        ([(0.5, 0.5, np.nan)], r"point 0 is not finite; expected \(n, 3\)"),
        ([(0.5, 0.5, 0.5), (0.5, np.inf, 0)], "point 1 is not finite"),
    ],
)
def test_points_that_are_no_places_are_refused(double, points, message):
    with pytest.raises(OversetError, match=message):
        search(pile(), points, device=double.device)


def test_a_mesh_whose_volume_is_no_number_is_refused():
    solids = tetrahedra_of(pile())

    with pytest.raises(MeshError, match=r"1.6e\+110 by .* float64 has no such volume"):
        bins_of_solids(pile().points * 1e110, solids)
