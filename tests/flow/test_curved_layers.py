"""Meshes for boundary layers without viscosity: layers that curve by more than their thickness."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.generate import airfoils
from kinemesh.mesh.generate.rays import Wanted
from kinemesh.mesh.geometry.curved import curved_quads, curved_triangles
from kinemesh.mesh.sections import named
from kinemesh.motion import Pose
from kinemesh.space.layers import joined
from layer_slopes import flattened


def band(height, count=24, layers=4):
    """Quadrilaterals in thin layers on a quarter of the unit circle."""
    angle, radius = np.linspace(0, np.pi / 2, count + 1), 1 + height * np.arange(layers + 1)
    points = np.stack([np.outer(radius, f(angle)).ravel() for f in (np.cos, np.sin)], axis=1)
    at = np.arange(len(points)).reshape(layers + 1, count + 1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], -1).reshape(-1, 4)
    sides = [at[0], at[-1], at[:, 0], at[:, -1]]
    edges = np.concatenate([np.stack([own[:-1], own[1:]], axis=1) for own in sides])
    return km.Mesh.from_arrays(points, quads, {"farfield": edges}), at


def clustered(section, nodes, wall_spacing):
    """A C-mesh of quadrilaterals with thin cells at the wall."""
    wanted = Wanted(nodes, 50.0, wall_spacing, None, None, None, "farfield")
    points, at, _, markers = airfoils._c(named.section(section, "closed"), wanted, None)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], -1).reshape(-1, 4)
    return km.Mesh.from_arrays(points.view(np.float64).reshape(-1, 2), quads, markers)


RISE = 1 - np.cos(np.pi / 48)  # of a neighbour on the unit circle over the tangent, 24 a quarter


@pytest.mark.parametrize("ratio", [2.0, 8.0])
def test_the_slope_across_counts_by_thickness_over_rise_and_that_along_in_full(ratio):
    mesh, at = band(RISE / ratio)
    layers = curved_quads(mesh)
    nodes, rows = flattened(layers, mesh.points)
    middle = at[2, 12]
    xx, xy, yy = rows[np.flatnonzero(nodes == middle)[0]]
    inverse = np.array([[xx, xy], [xy, yy]])
    to = mesh.points[[at[1, 12], at[3, 12], at[2, 11], at[2, 13]]] - mesh.points[middle]
    out = mesh.points[middle] / np.linalg.norm(mesh.points[middle])

    def gradient(way):
        weight = 1 / (to**2).sum(axis=1)
        return inverse @ (weight * (to @ way) @ to)

    share = (RISE / ratio) / abs((to[2:] @ out).mean())
    np.testing.assert_allclose(gradient(out) @ out, share, rtol=1e-3)
    along = np.array([-out[1], out[0]])
    np.testing.assert_allclose(gradient(along), along, atol=1e-9)


def test_edges_up_and_down_that_bend_give_no_slope_along_the_layer():
    """Heights as of a grid whose coordinates have few digits; the field is linear across."""
    mesh, at = band(RISE / 200)
    rng = np.random.default_rng(1)
    angle = np.arctan2(*mesh.points.T[::-1]) + rng.uniform(-0.05, 0.05, mesh.nodes) * RISE / 200
    radius = (
        np.hypot(*mesh.points.T) + np.where(np.arange(mesh.nodes) // 25 % 2, 0.2, 0) * RISE / 200
    )
    points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    nodes, rows = flattened(curved_quads(mesh), points)
    place = dict(zip(nodes, rows, strict=True))
    for k in range(2, 23):
        node, near = at[2, k], [at[1, k], at[3, k], at[2, k - 1], at[2, k + 1]]
        to, change = points[near] - points[node], radius[near] - radius[node]
        side = (change / (to**2).sum(axis=1)) @ to
        xx, xy, yy = place[node]
        asked = to @ (xx * side[0] + xy * side[1], xy * side[0] + yy * side[1])
        assert abs(asked[2:] / 2).max() < 2 * np.ptp(change), k  # 20 times that by the shorter edge


def test_layers_that_curve_by_less_than_their_thickness_keep_their_gradients():
    mesh, _ = band(3 * RISE)
    assert len(flattened(curved_quads(mesh), mesh.points)[0]) == 0
    assert len(curved_quads(km.mesh.airfoil(nodes=2000)).node) == 0


def test_layers_turn_with_the_mesh_and_stand_in_the_rows_of_their_members():
    mesh, _ = band(RISE / 4)
    one = curved_quads(mesh)
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    nodes, rows = flattened(one, mesh.points)
    both = joined([one, one], np.array([0, mesh.nodes]))
    found, turned = flattened(both, np.concatenate([mesh.points, mesh.points @ turn.T]))
    np.testing.assert_array_equal(found, np.concatenate([nodes, nodes + mesh.nodes]))
    np.testing.assert_array_equal(turned[: len(rows)], rows)

    def whole(row):
        return np.moveaxis(np.array([[row[:, 0], row[:, 1]], [row[:, 1], row[:, 2]]]), -1, 0)

    expected = turn @ whole(rows) @ turn.T
    np.testing.assert_allclose(whole(turned[len(rows) :]), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.long
@pytest.mark.flow
def test_a_mesh_clustered_for_boundary_layers_converges_by_six_orders_at_defaults():
    # aspect ratios up to 6640; without the share of the slope it stays at 2e-2 for 2000 iterations
    mesh = clustered("naca64a010", 6000, 1e-5)
    run = km.Ale(mesh, mach=0.796, alpha_deg=1.0, device="cpu").steady()

    assert run.converged
    assert run.summary["result"]["iterations"] < 400  # 195
    # 12,000 nodes 0.244, 30,000 0.248, an O-mesh of 20,000 without thin cells 0.249
    assert run.summary["result"]["cl"] == pytest.approx(0.249, rel=0.1)


def test_the_layers_of_a_case_follow_its_mesh():
    mesh = clustered("naca64a010", 3000, 1e-4)
    motion = km.motion.pitch(5.0, 0.1)
    made = km.Ale([mesh, mesh], mach=0.5, motion=motion, deform=km.deform.Rigid(), device="cpu")
    layers = joined([curved_quads(m) for m in made.grid.meshes], made.grid.first)

    made.rest([Pose(0.1), Pose(-0.2, shift=(0.0, 0.3))])

    nodes, rows = flattened(layers, made.backend.get(made.grid.x))
    own = made.backend.get(made.grid.fields["inverse"])[nodes]
    assert len(nodes) > 100
    np.testing.assert_allclose(own, rows, rtol=1e-11, atol=1e-12 * np.abs(rows).max())


@pytest.mark.no_sanitizer
def test_a_march_that_stalls_says_where_and_in_which_cells():
    # skewed quadrilaterals in the wake: no setting of the linear solver is the cause
    mesh = clustered("naca0012", 3000, 1e-4)
    settings = km.AleSettings(steady_iterations=100)
    case = km.Ale(mesh, mach=0.5, alpha_deg=2.0, device="cpu", settings=settings)
    with pytest.warns(
        RuntimeWarning, match=r"largest at \(.*\), .*in cells up to .* degrees"
    ) as said:
        case.steady()
    assert not any("krylov_tolerance" in str(w.message) for w in said)


def test_thin_triangles_on_a_curved_wall_have_blunter_weights():
    mesh = km.mesh.airfoil("naca0012", nodes=2000, wall_spacing=1e-3)
    made = km.Ale([mesh, mesh], mach=0.5, device="cpu", settings=km.AleSettings(limiter="none"))
    grid, get = made.grid, made.backend.get
    nodes = curved_triangles(grid.meshes[0])
    assert 50 < len(nodes) < 1000
    assert np.flatnonzero(get(grid.fields["blunt"])).tolist() == [*nodes, *(nodes + mesh.nodes)]
    assert "blunt" not in km.Ale(km.mesh.airfoil(nodes=2000), mach=0.5, device="cpu").grid.fields

    q = np.random.default_rng(0).random((grid.nodes, 4)) + 1
    made.initialise(q)
    for call in made.terms["gradients"].residual():
        call()

    found, q, x = get(made.terms["gradients"].grad), made.primitive(), get(grid.x)
    offsets, neighbour = get(grid.fields["offsets"]), get(grid.fields["neighbour"])
    for a, power in ((nodes[0], 1), (np.setdiff1d(np.arange(mesh.nodes), nodes)[0], 2)):
        near = neighbour[offsets[a] : offsets[a + 1]]
        d, up = x[near] - x[a], q[near] - q[a]
        root = np.linalg.norm(d, axis=1) ** (-power / 2)
        expected = np.linalg.lstsq(root[:, None] * d, root[:, None] * up, rcond=None)[0].T
        np.testing.assert_allclose(found[a].reshape(4, 2), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.flow
@pytest.mark.slow
def test_thin_triangles_on_a_curved_wall_converge():
    # by weights |d|^-2 the residual stays above 7e-2 and the lift swings by 0.5
    mesh = km.mesh.airfoil("naca0012", nodes=5000, wall_spacing=1e-3)
    settings = km.AleSettings(limiter="none")

    run = km.Ale(mesh, mach=0.5, alpha_deg=2.0, device="cpu", settings=settings).steady()

    assert run.converged
    assert run.summary["result"]["iterations"] < 300  # 194
    assert run.summary["result"]["cl"] == pytest.approx(0.2816, rel=0.02)  # 20 thousand nodes


# ---------------------------------------------------------------- layers that bend both ways


def wavy(height, count=48, layers=4):
    """Thin layers along two waves of a sine."""
    x = np.linspace(0, 4 * np.pi, count + 1)
    points = np.stack([x, 0.3 * np.sin(x)], axis=1)
    return drawn(points, height, layers)


def half_flat(height, count=60, layers=4):
    """Thin layers on a plate that goes on, without a kink, as an arc of radius 1."""
    s = np.linspace(-3.0, 1.0, count + 1)
    arc = np.stack([np.sin(s), 1 - np.cos(s)], axis=1)
    points = np.where(s[:, None] < 0, np.stack([s, 0 * s], axis=1), arc)
    return drawn(points, height, layers), s


def drawn(points, height, layers):
    """Quadrilaterals in layers of a height over points of a wall."""
    way = np.gradient(points, axis=0)
    normal = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.hypot(*way.T)[:, None]
    rows = points + height * np.arange(layers + 1)[:, None, None] * normal
    at = np.arange(rows.size // 2).reshape(layers + 1, len(points))
    quads = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
    sides = [at[0], at[-1], at[:, 0], at[:, -1]]
    edges = np.concatenate([np.stack([own[:-1], own[1:]], axis=1) for own in sides])
    return km.Mesh.from_arrays(rows.reshape(-1, 2), quads, {"farfield": edges})


def shares(mesh):
    """Share of the slope across of each node, 1 where it is whole."""
    layers, found = curved_quads(mesh), np.ones(mesh.nodes)
    found[layers.node] = 1 / np.maximum(layers.spread(layers.ways(mesh.points)[-1]), 1)
    return found


def test_the_share_of_the_slope_follows_the_layer_where_its_curvature_changes_sign():
    mesh = wavy(1e-4)
    row = shares(mesh).reshape(5, -1)[2][2:-2]

    assert row.max() < 0.05  # at the two nodes without curvature too
    assert (row[1:] / row[:-1] >= 0.9 - 1e-9).all()
    assert (row[:-1] / row[1:] >= 0.9 - 1e-9).all()


def test_the_share_of_the_slope_comes_to_one_along_a_plate_beside_an_arc():
    mesh, s = half_flat(2e-4)
    row = shares(mesh).reshape(5, -1)[2]
    flat = row[s < -1e-9]

    assert row[s > 0.2].max() < 0.2
    assert flat[0] == 1.0
    np.testing.assert_allclose(flat[-20:-1] / flat[-19:], 1 / 0.9, rtol=1e-9)
    nodes, _ = flattened(curved_quads(mesh), mesh.points)
    assert (shares(mesh) < 1).sum() == len(nodes)


def test_a_plate_that_is_far_from_arcs_keeps_its_slopes():
    mesh, s = half_flat(0.02)
    row = shares(mesh).reshape(5, -1)[2]

    assert (row[s < -2.0] == 1).all()


@pytest.mark.parametrize("shift", [(3.1, 1.7), (-0.3, 1e3)])
def test_no_rounding_decides_which_way_a_layer_of_even_heights_is_crossed(shift):
    mesh = wavy(1e-3)
    expected = flattened(curved_quads(mesh), mesh.points)

    moved = mesh.points + shift
    found = flattened(curved_quads(mesh.transformed(moved)), moved)

    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-6, atol=1e-7)


def bump(layers=36):
    """NASA's bump, y = 0.05 sin^4 for 0.3 < x < 1.2, wall from 0 to 1.5, in a lower channel."""
    ends = np.geomspace(0.02, 1.5, 12)
    x = np.concatenate([-ends[::-1], np.linspace(0, 1.5, 76), 1.5 + ends])
    on = (x > 0.3) & (x < 1.2)
    low = np.where(on, 0.05 * np.sin(np.pi * x / 0.9 - np.pi / 3) ** 4, 0.0)
    growth = 1.33 ** np.arange(layers - 1)
    up = np.concatenate([[0], np.cumsum(growth)]) / growth.sum()
    y = low + (1.0 - low) * up[:, None]
    at = np.arange(y.size).reshape(y.shape)
    quads = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
    edges = [np.stack([own[:-1], own[1:]], 1) for own in (at[0], at[-1], at[:, 0], at[:, -1])]
    middle = x[edges[0]].mean(axis=1)
    wall = (middle > 0) & (middle < 1.5)
    sides = {"wall": edges[0][wall], "ahead": edges[0][~wall]}
    sides |= dict(zip(("top", "in", "out"), edges[1:], strict=True))
    points = np.stack([np.broadcast_to(x, y.shape), y], -1).reshape(-1, 2)
    return km.Mesh.from_arrays(points, quads, sides)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_friction_is_smooth_where_the_curvature_of_a_wall_changes_its_sign():
    """Mach 0.2, Re 3e6 by Spalart and Allmaras; 6 to 41 % off its neighbours' curve without."""
    ends = {"in": km.inlet(total_pressure=1.02828, total_temperature=1.008),
            "out": km.outlet(pressure=1.0), "ahead": "symmetry", "top": "symmetry"}  # fmt: skip
    settings = km.AleSettings(steady_drop=1e-4, steady_iterations=1500)
    told = {"walls": ["wall"], "boundaries": ends, "chord": 1.0, "settings": settings}
    case = km.Ale(bump(), mach=0.2, reynolds=3e6, turbulence="sa", device="cpu", **told)
    assert case.steady().converged

    (wall,) = case.walls().values()
    order = np.argsort(wall.x)
    x, cf = wall.x[order], wall.cf[order]
    for i in np.flatnonzero((x > 0.35) & (x < 1.15)):
        near = [i - 2, i - 1, i + 1, i + 2]
        curve = np.polyval(np.polyfit(x[near] - x[i], cf[near], 3), 0)
        assert cf[i] == pytest.approx(curve, rel=0.03), x[i]
