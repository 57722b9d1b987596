"""Layers in space that curve by more than their thickness: shares of slopes across them."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.geometry.curved import curved_quads
from kinemesh.mesh.geometry.curved_solids import curved_solids
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.motion import Pose
from kinemesh.space.layers import joined
from kinemesh.space.solids import SolidGrid
from layer_slopes import flattened
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation
from test_curved_layers import RISE, band

FAR = 40.0  # span of sections that are drawn out, longer than any of their edges


def whole(rows):
    """(n, 3, 3) of the six entries of symmetric matrices."""
    found = np.empty((len(rows), 3, 3))
    for at, (k, j) in enumerate(zip(*np.triu_indices(3), strict=True)):
        found[:, k, j] = found[:, j, k] = rows[:, at]
    return found


def ball(height, cells="hexes"):
    """Thin layers about a sphere of diameter 1."""
    return km.mesh.sphere(1500, wall_spacing=height, far_field=3.0, cells=cells)


@pytest.mark.parametrize("ratio", [1.1, 8.0])
def test_layers_of_a_section_drawn_out_are_those_of_the_section(ratio):
    mesh, _ = band(RISE / ratio)
    solid = km.mesh.extruded(mesh, span=FAR, layers=2)
    nodes, rows = flattened(curved_quads(mesh), mesh.points)
    found, solids = flattened(curved_solids(solid), solid.points)
    away, at = cKDTree(mesh.points[nodes]).query(solid.points[found][:, ::2])

    assert away.max() < 1e-12
    assert len(found) == 3 * len(nodes)
    size = np.abs(rows).max()
    assert np.abs(solids[:, [0, 2, 5]] - rows[at]).max() < 1e-11 * size
    assert np.abs(solids[:, [1, 4]]).max() < 1e-11 * size  # the span apart


@pytest.mark.parametrize("cells", ["hexes", "prisms"])
def test_the_slope_across_a_cap_counts_by_thickness_over_rise_and_those_along_in_full(cells):
    """Shells on a sixth of the unit sphere."""
    height, angle = 3e-5, 0.1
    count, heights = 7, height * np.arange(4)
    line = np.tan(angle * np.arange(-3, 4))
    x, y, up = np.meshgrid(line, line, heights, indexing="ij")
    unit = np.stack([x, y, np.ones_like(x)], axis=-1)
    unit /= np.linalg.norm(unit, axis=-1)[..., None]
    points = ((1 + up[..., None]) * unit).reshape(-1, 3)
    mesh = capped(points, (count, count, len(heights)), cells)
    nodes, rows = flattened(curved_solids(mesh), mesh.points)
    node = int(np.argmin(np.linalg.norm(mesh.points - [0.0, 0.0, 1 + height], axis=1)))
    inverse = whole(rows[nodes == node])[0]
    to = mesh.points[beside(mesh, node)] - mesh.points[node]

    def gradient(way):
        weight = 1 / (to**2).sum(axis=1)
        return inverse @ (weight * (to @ way) @ to)

    share = gradient(np.array([0.0, 0.0, 1.0]))[2]
    # the farthest neighbours along the layer lie most off the plane that touches it
    cosine = np.cos(angle) if cells == "hexes" else (1 + 2 * np.tan(angle) ** 2) ** -0.5
    assert share == pytest.approx(height / ((1 + height) * (1 - cosine)), rel=1e-3)
    for along in np.eye(3)[:2]:
        assert gradient(along) == pytest.approx(along, abs=1e-6)


def beside(mesh, node):
    """Nodes at the other ends of the edges of a node."""
    edges = mesh.edges[(mesh.edges == node).any(axis=1)]
    return edges[edges != node]


def capped(points, shape, cells):
    """Hexahedra of a block, or prisms between its sheets, under one marker."""
    number = np.arange(len(points)).reshape(shape)
    low, high = number[..., :-1], number[..., 1:]
    ring = [own[a : own.shape[0] - 1 + a, b : own.shape[1] - 1 + b].ravel()
            for own in (low, high) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]  # fmt: skip
    if cells == "hexes":
        blocks = {"hexahedra": np.stack(ring, axis=1)}
    else:
        halves = [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]]
        blocks = {"prisms": np.concatenate([np.stack(ring, axis=1)[:, own] for own in halves])}
    return km.Mesh.from_blocks(points, blocks, {"farfield": open_faces(blocks)})


def open_faces(blocks):
    """Faces of one cell alone, -1 as fourth entry of triangles."""
    found = {}
    for name, cells in blocks.items():
        for face in SOLIDS[name].faces:
            for own in cells[:, face].tolist():
                found.setdefault(tuple(sorted(own)), []).append([*own, *[-1] * (4 - len(own))])
    return np.array([own[0] for own in found.values() if len(own) == 1])


def test_layers_turn_with_the_mesh_and_stand_in_the_rows_of_their_members():
    mesh = ball(5e-3)
    one = curved_solids(mesh)
    turn = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()
    nodes, rows = flattened(one, mesh.points)
    both = joined([one, one], np.array([0, mesh.nodes]))
    found, turned = flattened(both, np.concatenate([mesh.points, mesh.points @ turn.T]))

    assert len(nodes) > 100
    np.testing.assert_array_equal(found, np.concatenate([nodes, nodes + mesh.nodes]))
    np.testing.assert_array_equal(turned[: len(rows)], rows)
    expected = turn @ whole(rows) @ turn.T
    size = np.abs(rows).max()
    assert np.abs(whole(turned[len(rows) :]) - expected).max() < 1e-9 * size


@pytest.mark.parametrize("cells", ["tets", "prisms of triangles"])
def test_cells_that_are_cut_across_their_layer_keep_their_gradients(cells):
    if cells == "tets":
        mesh = ball(5e-3, "tets")
    else:
        mesh = km.mesh.extruded(band(RISE / 8)[0], span=FAR, cells="prisms")

    assert len(curved_solids(mesh).node) == 0


def test_layers_that_curve_by_less_than_their_thickness_keep_their_gradients():
    mesh = km.mesh.extruded(band(1.1 * RISE)[0], span=FAR)
    assert len(curved_solids(mesh).node)

    assert len(flattened(curved_solids(mesh), mesh.points)[0]) == 0


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*the planform of sphere is:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")  # coarse
def test_a_viscous_case_has_the_share_wherever_its_mesh_moves_and_an_inviscid_one_has_none():
    mesh = ball(5e-3)
    told = {"mach": 0.3, "motion": km.motion.pitch(5.0, 0.1), "deform": km.deform.Rigid(),
            "device": "cpu", "reference_area": np.pi / 4}  # fmt: skip
    made = km.Ale([mesh, mesh], reynolds=1e4, **told)
    inviscid = km.Ale([mesh, mesh], **told)
    layers = joined([curved_solids(m) for m in made.grid.meshes], made.grid.first)
    for one in (made, inviscid):
        one.rest([Pose(0.1), Pose(-0.2, shift=(0.0, 0.3))])

    nodes, rows = flattened(layers, made.backend.get(made.grid.x))
    own, other = (one.backend.get(one.grid.fields["inverse"])[nodes] for one in (made, inviscid))
    assert len(nodes) > 100
    np.testing.assert_allclose(own, rows, rtol=1e-11, atol=1e-12 * np.abs(rows).max())
    assert not made.backend.get(made.grid.fields["blunt"])[nodes].any()
    assert np.abs(other - rows).max() > 0.1 * np.abs(rows).max()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*the planform of sphere is:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")  # coarse
def test_nodes_of_a_fold_in_a_layer_that_curves_take_no_share(monkeypatch):
    def found(grid, x):
        fold = np.zeros(grid.nodes, np.int32)
        fold[flattened(curved_solids(grid.meshes[0]), grid.points)[0][::7]] = 1
        grid.fields.add(fold=grid.backend.table(fold))

    monkeypatch.setattr(SolidGrid, "_find_folds", found)
    made = km.Ale(ball(5e-3), mach=0.3, reynolds=1e4, device="cpu", reference_area=np.pi / 4)
    grid = made.grid
    grid.measure()
    nodes, rows = flattened(curved_solids(grid.meshes[0]), grid.points)
    inverse = made.backend.get(grid.fields["inverse"])[nodes]
    folded = made.backend.get(grid.fields["fold"])[nodes].astype(bool)

    assert folded.sum() > 50
    assert not inverse[folded].any()
    size = np.abs(rows).max()
    np.testing.assert_allclose(inverse[~folded], rows[~folded], atol=1e-11 * size)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")  # coarse
@pytest.mark.parametrize("twisted", [0.0, 1e-4, 0.15])
def test_nodes_whose_changes_reach_far_with_their_share_take_none_and_blunter_weights(twisted):
    mesh = km.mesh.oneram6(24_000, topology="ch", wall_spacing=1e-4, growth=1.5, far_field=8.0)
    made = km.Ale(mesh, mach=0.5, reynolds=1e4, device="cpu", reference_area=1.153)
    grid, get = made.grid, made.backend.get
    given = get(grid.fields["blunt"]).astype(bool)
    fold = ~get(grid.fields["inverse"]).any(axis=1)  # flat as given, and far once it is not
    turn = Rotation.from_rotvec(
        np.outer(twisted * np.minimum(grid.points[:, 1] / 1.5, 1), [0, 1, 0])
    )
    x, layers = turn.apply(np.array(grid.points)), curved_solids(grid.meshes[0])
    made.backend.put(grid.x, x)
    grid.measure()  # where the mesh is, and no longer where it was given
    nodes, rows = flattened(layers, x)
    first = np.searchsorted(layers.row, np.arange(len(layers.node) + 1))
    reach = []
    for node, matrix in zip(nodes, whole(rows), strict=True):
        row = np.searchsorted(layers.node, node)
        to = x[layers.neighbour[first[row] : first[row + 1]]] - x[node]
        change = np.abs(to @ matrix @ to.T) / (to**2).sum(axis=1)
        reach.append(0.5 * change.sum(axis=1).max())
    # theory eq. 2.3b; nodes that are blunt as given stay so, others turn beyond a band
    far = given[nodes] | (np.array(reach) > (1.2 if twisted else 1.125))

    assert 0.01 < far.mean() < 0.2
    np.testing.assert_array_equal(get(grid.fields["blunt"])[nodes], far)
    turned = get(grid.fields["blunt"]).astype(bool) & ~given & ~fold
    assert turned.sum() == 0 if twisted < 0.1 else turned.sum() > 100
    inverse = get(grid.fields["inverse"])[nodes]
    size = np.abs(rows).max(axis=1, keepdims=True)
    shared = ~far & ~fold[nodes]
    np.testing.assert_allclose((inverse / size)[shared], (rows / size)[shared], atol=1e-10)
    assert (np.abs(inverse[far] - rows[far]).max(axis=1) > 0).all()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")  # coarse
def test_nodes_of_a_fold_have_no_gradient_however_far_it_bends():
    """Beyond a wing's tip; slopes across it would grow as one over what the fold is off a plane."""
    mesh = km.mesh.oneram6(24_000, topology="ch", wall_spacing=1e-4, growth=1.5, far_field=8.0)
    made = km.Ale([mesh, mesh], mach=0.5, reynolds=1e4, device="cpu", reference_area=1.153)
    grid, get = made.grid, made.backend.get
    whole = made.fields["whole"]  # of stresses
    flat = ~get(grid.fields["inverse"]).any(axis=1)
    assert 3 < flat[: mesh.nodes].sum() < 40
    assert (flat[: mesh.nodes] == flat[mesh.nodes :]).all()
    for turned in (1e-9, 1e-7, 0.1, 0.3):
        angle = turned * np.minimum(grid.points[:, 1] / 1.5, 1)
        turn = Rotation.from_rotvec(np.outer(angle, [0, 1, 0]))
        made.backend.put(grid.x, turn.apply(np.array(grid.points)))
        grid.measure()
        for inverse in (get(grid.fields["inverse"]), get(whole)):
            np.testing.assert_array_equal(~inverse.any(axis=1), flat)
