"""Cells of meshes in space as volumes: their tables, metrics, swept volumes, patches, faults."""

import itertools

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.backend import Backend
from kinemesh.device.faults import AREA, PRESSURE
from kinemesh.errors import MeshError, NumericalFault
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.solid_cell_faces import solid_cell_faces
from kinemesh.mesh.solid_faces import open_faces
from kinemesh.space.solid_cells import SolidCells
from samples import direct
from solids import MADE, cube, lattice, meshed

EXACT = 1e-14  # of the sums of magnitudes: some sixty roundings of 2e-16


def cells_of(*meshes, device="cpu", dtype="float64", markers=None, planes=()):
    rim = [name for name in meshes[0].boundaries if name not in planes]
    return SolidCells.of(
        Backend(device, dtype), meshes, markers or {"wall": [], "far": rim}, planes
    )


def moved(cells, x):
    """Put the vertices to x, as a step of a run does."""
    cells.keep_levels()
    cells.backend.put(cells.x, x)
    cells.measure()
    cells.sweep()


def faces_of(mesh):
    """Cells with each of their faces as a set of corners, without tables."""
    found, number = {}, 0
    for name, table in mesh.solids.items():
        for cell in table:
            for face in KINDS[name].faces:
                found.setdefault(frozenset(cell[list(face)].tolist()), []).append(number)
            number += 1
    return found


@pytest.mark.parametrize("kind", MADE)
def test_tables_have_the_cells_at_each_face(kind):
    mesh = cube(3, kind)
    table, known = solid_cell_faces(mesh), faces_of(mesh)
    sets = [frozenset(row[row >= 0].tolist()) for row in table.outline]
    outer = [frozenset(row[row >= 0].tolist()) for row in table.outer]

    assert len(sets) + len(outer) == len(known)
    assert [known[face] for face in sets] == table.lr.tolist()
    assert [known[face] for face in outer] == table.behind[:, None].tolist()
    assert (np.diff(table.lr @ [10**6, 1]) > 0).all()
    number = 0
    for cells in mesh.solids.values():
        for corners in cells:
            for node in corners:
                assert number in table.about[table.starts[node] : table.starts[node + 1]]
            number += 1
    assert len(table.about) == sum(cells.size for cells in mesh.solids.values())


def test_markers_and_the_cells_behind_them_stand_in_the_order_of_the_boundaries():
    points, blocks = lattice((2, 1, 1), "hexahedra")
    rim = open_faces(blocks, len(points))
    x = points[rim, 0]
    ends = {"low": rim[(x == 0).all(1)], "high": rim[(x == 2).all(1)]}
    ends["rest"] = rim[~((x == 0).all(1) | (x == 2).all(1))]
    table = solid_cell_faces(km.Mesh.from_blocks(points, blocks, ends))

    assert table.lr.tolist() == [[0, 1]]
    assert (points[table.outline[0], 0] == 1).all()
    assert table.marker.tolist() == [0, 1, *[2] * 8]
    assert table.behind[:2].tolist() == [0, 1]
    assert np.bincount(table.behind).tolist() == [5, 5]


def exact(kind, x):
    """Volume and centroid of a cell of tetrahedra between its middle and its faces' triangles."""
    middle, volume, moment = x.mean(axis=0), 0.0, 0.0
    for face in kind.faces:
        ring = x[list(face)]
        parts = [(ring[0], ring[1], ring[2])]
        if len(face) == 4:
            parts = [
                (ring.mean(axis=0), a, b) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)
            ]
        for a, b, c in parts:
            part = np.linalg.det([a - middle, b - middle, c - middle]) / 6
            volume += part
            moment += part * (middle + a + b + c) / 4
    return volume, moment / volume


@pytest.mark.parametrize("kind", MADE)
def test_volumes_and_centroids_are_those_of_the_tetrahedra_in_a_cell(kind):
    mesh = cube(2, kind, jitter=0.15)
    cells = cells_of(mesh)
    cells.start()
    get = cells.backend.get
    each = [
        exact(KINDS[name], mesh.points[corners])
        for name, table in mesh.solids.items()
        for corners in table
    ]
    V, x = (np.array(own) for own in zip(*each, strict=True))

    assert np.abs(get(cells.V) - V).max() <= EXACT
    assert np.abs(get(cells.centre) - x).max() <= EXACT
    assert np.abs(cells.points - x).max() <= EXACT
    assert get(cells.V).sum() == pytest.approx(1.0, rel=EXACT)
    assert get(cells.V) == pytest.approx(mesh.volumes, rel=1e-12)  # what duals share out


@pytest.mark.parametrize("kind", MADE)
def test_cells_close_and_sweep_what_they_gain(kind):
    mesh = cube(3, kind, jitter=0.12, middle=100.0)
    cells = cells_of(mesh)
    cells.start()
    moved(cells, mesh.points + 0.02 * np.random.default_rng(2).uniform(-1, 1, mesh.points.shape))
    get, rim = cells.backend.get, cells.patches["far"]
    closed, gain = np.zeros((cells.nodes, 3)), get(cells.V1) - get(cells.V)
    sides = [(*cells.lr.T, cells.S, cells.dV1)]
    sides += [(rim.node, None, rim.device["S"], rim.device["dV1"])]
    for first, second, S, dV in sides:
        for cell, sign in ((first, 1), (second, -1)):
            if cell is not None:
                np.add.at(closed, cell, sign * get(S))
                np.add.at(gain, cell, sign * get(dV))

    # places far off leave errors of eps times 100 in the ways between them
    assert np.abs(closed).max() <= EXACT * np.abs(get(cells.S)).max()
    assert np.abs(gain).max() <= 1e-13 * get(cells.V).max()
    assert np.abs(get(cells.V) / get(cells.V1) - 1).max() > 0.05


def test_a_face_sweeps_what_gauss_finds_over_time(backend):
    """Four triangles about the mean of a quadrilateral's corners; areas are quadratic in time."""
    rng = np.random.default_rng(3)
    before, after = rng.uniform(-1, 1, (2, 40, 3))
    outline = np.arange(40).reshape(10, 4)
    outline[::2, 3] = -1
    given = {"x0": before, "x1": after, "outline": outline, "dV": np.ones(10)}
    found = direct(backend, "face_sweeps_3d", **given)["dV"]

    expected = np.zeros(10)
    nodes, weights = np.polynomial.legendre.leggauss(2)
    for row, corners in enumerate(outline):
        own = corners[corners >= 0]
        p, v = before[own], after[own] - before[own]
        p, v = (np.vstack([k, k.mean(axis=0)]) for k in (p, v))
        last = len(own)
        ring = [(last, k, (k + 1) % last) for k in range(last)] if last == 4 else [(0, 1, 2)]
        for share, (a, b, c) in itertools.product(range(2), ring):
            at = p + 0.5 * (1 + nodes[share]) * v
            area = 0.5 * np.cross(at[b] - at[a], at[c] - at[a])
            expected[row] += 0.5 * weights[share] * area @ v[[a, b, c]].mean(axis=0)

    assert found == pytest.approx(expected, rel=0, abs=1e-14)


def test_middles_of_faces_weigh_their_triangles_by_area(backend):
    """A trapezium of sides 2 and 1 over a height of 1 has its centroid at 4/9 of it."""
    x = np.array([[0.0, 0, 5], [2, 0, 5], [1.5, 1, 5], [0.5, 1, 5]])
    outline = np.array([[0, 1, 2, 3], [0, 1, 2, -1]])
    found = direct(backend, "face_middles_3d", x=x, outline=outline, xf=np.ones((2, 3)))["xf"]
    S = direct(backend, "face_normals_3d", x=x, outline=outline, S=np.ones((2, 3)))["S"]

    assert found == pytest.approx(np.array([[1, 4 / 9, 5], [3.5 / 3, 1 / 3, 5]]), rel=1e-15)
    assert S.tolist() == [[0, 0, 1.5], [0, 0, 1]]


def shape_of(ring):
    """Normals of the corners of a face, a third of the triangles there; middle by their areas."""
    if len(ring) == 3:
        return np.tile(np.cross(ring[1] - ring[0], ring[2] - ring[0]) / 6, (3, 1)), ring.mean(0)
    middle, after = ring.mean(axis=0), np.roll(ring, -1, axis=0)
    area = 0.5 * np.cross(ring - middle, after - middle)
    normal = (area + np.roll(area, 1, axis=0) + area.sum(axis=0) / 4) / 3
    size = np.linalg.norm(area, axis=1)
    return normal, size @ (middle + ring + after) / 3 / size.sum()


@pytest.mark.parametrize("kind", MADE)
def test_what_gradients_take_of_cells_follows_the_mesh(kind):
    """Normals of corners (eq. 8.2) over the volume, and the middles of all faces of a cell."""
    meshes = [cube(2, kind, jitter=0.1), cube(2, "prisms", jitter=0.1)]
    cells = cells_of(*meshes)
    cells.fit()
    cells.start()
    x = np.concatenate([mesh.points for mesh in meshes])
    moved(cells, x + 0.03 * np.random.default_rng(4).uniform(-1, 1, x.shape))
    get, f, v = cells.backend.get, cells.fields, cells.vertices
    names = "corner_normal", "V", "offsets", "edge", "xf", "outer_starts", "outer_xf"
    normal, V, offsets, edge, xf, starts, outer = (get(f[name]) for name in names)
    solids = [
        own for mesh in meshes for name, table in mesh.solids.items() for own in [name] * len(table)
    ]
    x, corners = get(cells.x), np.split(v.corner, v.starts[1:-1])

    for cell, (name, own) in enumerate(zip(solids, corners, strict=True)):
        expected, middles = np.zeros((len(own), 3)), []
        for face in map(list, KINDS[name].faces):
            part, middle = shape_of(x[own[face]])
            expected[face] += part
            middles.append(middle)
        at, inner, rim = (slice(*t[cell : cell + 2]) for t in (v.starts, offsets, starts))
        found = np.concatenate([xf[edge[inner]], outer[rim]])
        order, other = (np.lexsort(np.round(own, 9).T) for own in (found, middles))
        assert normal[at] * V[cell] == pytest.approx(expected, rel=0, abs=EXACT)
        assert found[order] == pytest.approx(np.array(middles)[other], rel=0, abs=EXACT)


def test_two_faces_between_the_same_cells_have_a_block_each():
    """Around the tip of this wing ten pairs of cells meet in two faces."""
    mesh = km.mesh.oneram6(nodes=10_000, cells="hexes")
    table = solid_cell_faces(mesh)
    twice = (np.diff(table.lr, axis=0) == 0).all(axis=1)
    case = km.CellCentred(mesh, mach=0.5, device="cpu", reference_area=1.15)
    slots = case.grid.slots(case.pattern)

    assert twice.sum() == 10
    assert len(np.unique(slots)) == len(slots)
    assert len(slots) + case.grid.nodes == len(case.pattern.column)


def test_members_have_the_metrics_of_one():
    mesh, other = cube(2, "mixed", jitter=0.1), cube(2, "prisms", jitter=0.1)
    every, alone = cells_of(mesh, other, mesh), [cells_of(m) for m in (mesh, other)]
    for cells in (every, *alone):
        cells.fit()
        cells.start()
    for name in ("V", "centre", "S"):
        get, (a, b) = every.backend.get, (own.backend.get(getattr(own, name)) for own in alone)
        assert (get(getattr(every, name)) == np.concatenate([a, b, a])).all()
    far = every.patches["far"]
    for member, own in enumerate((alone[0], alone[1], alone[0])):
        at = far.node[far.member == member] - every.first[member]
        assert sorted(at) == sorted(own.patches["far"].node)


def test_faces_are_of_the_bodies_and_planes_of_their_markers():
    points, blocks = lattice((3, 3, 3), "hexahedra")
    rim = open_faces(blocks, len(points))
    x = points[rim]
    sides = {"b": (x[..., 2] == 0).all(1), "a": (x[..., 0] == 3).all(1),
             "mirror": (x[..., 1] == 0).all(1)}  # fmt: skip
    sides["out"] = ~np.any(list(sides.values()), axis=0)
    mesh = km.Mesh.from_blocks(points, blocks, {name: rim[own] for name, own in sides.items()})
    cells = cells_of(mesh, mesh, markers={"wall": ["a", "b"], "far": ["out"]}, planes=["mirror"])
    cells.start()
    wall, mirror = cells.wall, cells.patches["symmetry"]
    S = cells.backend.get(wall.device["S"])

    assert cells.vertices.bodies == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    assert wall.body.tolist() == np.repeat([0, 1, 2, 3], 9).tolist()
    assert (S @ [1, 0, 2]).tolist() == np.repeat([1, -2, 1, -2], 9).tolist()
    assert [count for _, count in cells.patches["wall"].layers] == [30, 6]  # of cells at both
    assert mirror.member.tolist() == np.repeat([0, 1], 9).tolist()
    assert cells.normals.tolist() == [[0, -1, 0]] * 2
    assert cells.rows(wall, np.unique(mesh.boundaries["b"])).tolist() == list(range(9, 18))


def test_planes_of_symmetry_that_are_not_flat_are_refused():
    made = km.mesh.extruded(km.mesh.airfoil("naca0012", nodes=500, far_field=5), layers=1)

    with pytest.raises(MeshError, match="does not lie along the others"):
        cells_of(made, planes=["symmetry_left", "farfield"])


def test_a_cell_that_folds_is_a_fault_at_its_corner():
    mesh = cube(2, "hexahedra")
    cells = cells_of(mesh)
    middle = int(np.argmin(np.abs(mesh.points - 0.5).sum(axis=1)))
    x = mesh.points.copy()
    x[middle] = 1.4  # beyond the corner of the last cube
    moved(cells, x)

    with pytest.raises(NumericalFault, match="volume is not positive at node"):
        cells.ensemble.find_faults("now", cells.place, None)


def test_places_of_faults_are_cells_but_those_of_corners():
    cells = cells_of(meshed(*lattice((2, 1, 1), "hexahedra")))
    cells.start()

    told = " at the cell of nodes 4, 8, 10, 6, 5, 9, 11, 7 (x = 1.5, y = 0.5, z = 0.5)"
    assert cells.place(0, 1, PRESSURE) == told
    assert cells.place(0, 1, AREA) == " at node 1 (x = 0, y = 0, z = 1)"
