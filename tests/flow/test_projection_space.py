"""The projection step in space: operators exact for linear fields, a stream, exact flows."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device import threads
from kinemesh.device.backend import Backend
from kinemesh.flow.forces import Forces
from kinemesh.flow.projection import laplacian as plane
from kinemesh.flow.projection.laplacian_space import laplacian
from kinemesh.flow.projection.projection import Projection
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.mesh.dual import solid_dual
from kinemesh.space.cell_rows import CellRows, Corners
from kinemesh.space.solids import SolidGrid, SolidVertices
from projections import (
    DRIFT,
    TIGHT,
    advance,
    ethier_steinman,
    grid_of,
    norm,
    projection,
    turned_in_space,
    without_mean,
)
from solids import MADE, cube

LINEAR = np.array(
    [[0.3, -0.7, 0.2], [0.9, 0.4, -0.5], [-0.1, 0.6, 0.8]]
)  # du/dx, du/dy, du/dz; dv/dx
SLOPE = np.array([-0.6, 0.8, 0.35])  # of the pressure


@pytest.fixture(params=MADE)
def there(request):
    """A step on a rough mesh with linear velocities and pressure; its grid and coordinates."""
    grid = grid_of([cube(4, request.param, jitter=0.2)], "body")
    made, x = projection(grid, "body", 0.01), grid.points
    grid.backend.put(made.flow["u"], 0.2 + x @ LINEAR.T)
    grid.backend.put(made.flow["p"], 0.4 + x @ SLOPE)
    return made, x


def run(*calls):
    for call in calls:
        call()


def laplacian_of(mesh):
    dual = solid_dual(mesh)
    return laplacian(mesh.points, dual.lr, CellRows(Corners.of_solids(dual)))


@pytest.mark.parametrize("kind", MADE)
def test_threads_and_cells_looked_at_together_change_no_laplacian(kind, monkeypatch):
    mesh = cube(4, kind, jitter=0.2)
    whole = laplacian_of(mesh)
    monkeypatch.setattr(threads._core, "threads", lambda: 3)
    monkeypatch.setattr(plane, "CELLS", 7)
    parts = laplacian_of(mesh)

    for one in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(parts, one), getattr(whole, one))


def test_gradients_of_linear_fields_are_exact(there):
    made, _ = there
    o, view = made.operators, made.fields
    run(*o.velocity_slopes(view), *o.pressure_slopes(view, view["p"]))

    get = made.backend.get
    for found in (get(made.flow["slope"]), get(made.flow["grad"])):
        np.testing.assert_allclose(found, np.tile(LINEAR.ravel(), (len(found), 1)), atol=1e-12)
    for found in (get(made.flow["pull"]), get(made.flow["push"])):
        np.testing.assert_allclose(found, np.tile(SLOPE, (len(found), 1)), atol=1e-12)


def test_divergence_of_linear_velocities_is_exact_up_to_the_boundary(there):
    made, _ = there
    o, view = made.operators, made.fields
    run(*o.velocity_slopes(view), view.bind("inc_mean_flow"), *o.divergence(view))

    net, volume = made.backend.get(made.flow["net"]), made.backend.get(made.grid.V)
    np.testing.assert_allclose(net, np.trace(LINEAR) * volume, atol=1e-14)


def test_laplacian_of_a_linear_field_is_zero_inside(there):
    made, x = there
    found = laplacian_of(made.grid.meshes[0]) @ (x @ SLOPE)

    assert np.abs(found[~made.flow.given]).max() < 1e-12
    assert np.abs(found[made.flow.given]).max() > 1e-2  # a derivative leaves through the rim


def test_matrix_and_fluxes_are_one_operator(there):
    made, _ = there
    mesh, grid, b = made.grid.meshes[0], made.grid, made.backend
    phi = np.random.default_rng(2).normal(size=grid.nodes)
    grid.set_time_levels(np.ones(1), 1)
    b.put(made.flow["phi"], phi)
    b.put(made.flow["u"], 0.0)
    o, view = made.operators, made.fields
    run(*o.pressure_slopes(view, view["phi"]), o.cells(view).bind("inc_cell_velocity"),
        view.bind("inc_correct_flow", p=view["phi"]), view.bind("inc_divergence"))  # fmt: skip

    whole = laplacian_of(mesh) @ phi
    # entries of round-off are left out of the matrix
    np.testing.assert_allclose(-b.get(made.flow["net"]), whole, atol=1e-9)


def test_residual_of_a_linear_pressure_and_shear_is_known(there):
    """V G(p) alone, where nothing flows: viscous stresses of linear velocities cancel inside."""
    made, _ = there
    made.grid.set_time_levels(np.ones(1), 0)
    o, ahead = made.operators, made.fields.also(flow=made.flow["guess"])
    run(*o.pressure_slopes(ahead, ahead["p"]), *o.residual(ahead))

    inside, volume = ~made.flow.given, made.backend.get(made.grid.V)
    np.testing.assert_allclose(
        made.backend.get(made.flow["res"])[inside], volume[inside, None] * SLOPE, atol=1e-13
    )


@pytest.mark.parametrize("kind", ["tetrahedra", "hexahedra"])
def test_rows_of_cuboids_have_neighbours_along_edges_alone(kind):
    """7 of the 27 nodes of a row of hexahedra are left, of tetrahedra those along diagonals too."""
    mesh = cube(4, kind)
    rows = np.diff(laplacian_of(mesh).indptr)
    inside = ((mesh.points > 1e-9) & (mesh.points < 1 - 1e-9)).all(axis=1)
    assert set(rows[inside]) == ({7} if kind == "hexahedra" else {15})


# ---------------------------------------------------------------- moving grids


@pytest.mark.parametrize(("dtype", "bar"), [("float64", 1e-12), ("float32", 2e-6)])
@pytest.mark.parametrize("kind", ["tetrahedra", "mixed"])
def test_uniform_stream_survives_a_grid_that_turns_and_shifts(dtype, bar, kind):
    grid = grid_of([cube(4, kind, jitter=0.2)], "outer", dtype)
    made = projection(grid, "outer", 0.01)
    stream = np.tile([0.8, 0.6, -0.4], (grid.nodes, 1))
    made.backend.put(made.velocity["outer"], stream[grid.patches["outer"].node])
    made.start(stream)
    for number in range(1, 21):
        advance(made, number, 0.05, "outer", stream, turned_in_space(grid.points, 0.05 * number))

    get = made.backend.get
    assert np.abs(get(made.flow["u"]) - stream).max() < bar
    assert np.abs(get(made.flow["p"])).max() < 20 * bar


# ---------------------------------------------------------------- orders


def errors(across, steps, kind, nu=0.1, span=0.2):
    """RMS errors of velocity and pressure at the end, velocities given all round."""
    grid = grid_of([cube(across, kind, 2.0, jitter=0.1, middle=-1.0)], "outer")
    made, dt = projection(grid, "outer", nu), span / steps
    u, p = ethier_steinman(grid.points, nu, 0.0)
    made.backend.put(made.velocity["outer"], u[grid.patches["outer"].node])
    made.start(u, p)
    for number in range(1, steps + 1):
        u, p = ethier_steinman(grid.points, nu, number * dt)
        advance(made, number, dt, "outer", u)
    get = made.backend.get
    p = without_mean(grid, get(made.flow["p"])) - without_mean(grid, p)
    return np.array([norm(grid, get(made.flow["u"]) - u), norm(grid, p)])


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("kind", ["tetrahedra", "prisms", "hexahedra"])
def test_flow_of_ethier_and_steinman_has_second_order(kind):
    """dt ~ h, 2 / 6 to 2 / 24 on rough meshes."""
    found = [errors(n, n // 2, kind) for n in (6, 12, 24)]
    orders = np.log2(np.array(found[:-1]) / np.array(found[1:]))
    assert (orders[-1] > 1.8).all(), (found, orders)


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("kind", ["tetrahedra", "hexahedra"])
def test_order_in_time_alone_is_second_in_space(kind):
    """Differences of successive time steps on one mesh, of a flow that drifts; design: 1.9."""
    grid, nu, span, fields = grid_of([cube(12, kind, 2.0, middle=-1.0)], "outer"), 0.1, 0.25, []
    for steps in (8, 16, 32):
        made = projection(grid, "outer", nu)
        u, p = ethier_steinman(grid.points, nu, 0.0, DRIFT)
        made.backend.put(made.velocity["outer"], u[grid.patches["outer"].node])
        made.start(u, p)
        for number in range(1, steps + 1):
            u, _ = ethier_steinman(grid.points, nu, number * span / steps, DRIFT)
            advance(made, number, span / steps, "outer", u)
        get = made.backend.get
        fields.append((get(made.flow["u"]), without_mean(grid, get(made.flow["p"]))))

    for one, two, three in zip(*fields, strict=True):
        assert np.log2(norm(grid, one - two) / norm(grid, two - three)) > 1.9


# ---------------------------------------------------------------- loads of what turns


def spheres(nodes, nu=10.0):
    """Torques about y of two spheres, the inner one turning at rate 1, and their radii's."""
    mesh = km.mesh.sphere(nodes=nodes, far_field=1.5, cells="hexes")
    walls = {"body": ["sphere", "farfield"], "outer": []}
    grid = SolidGrid(SolidVertices(Backend("cpu"), [mesh], walls))
    grid.start()
    wall, x = grid.wall.node, grid.points
    given = np.isin(np.arange(grid.nodes), wall)
    made = Projection(
        grid, IncompressibleSettings(**TIGHT), np.full(1, nu), given, np.zeros(grid.nodes, bool)
    )
    inner, rate = np.linalg.norm(x, axis=1) < 1.0, np.array([0.0, 1.0, 0.0])
    made.backend.put(made.velocity["body"], (inner[:, None] * np.cross(rate, x))[wall])
    made.backend.put(made.spin, (inner[:, None] * rate)[wall])
    made.start(np.zeros((grid.nodes, 3)))
    for number in range(1, 13):
        advance(made, number, 1.0, "body")
    forces = Forces(grid, made.fields, np.ones(1), np.zeros(1), kernel="inc_forces")
    return forces.sums_about(np.zeros((1, 2)))[2] / (8 * np.pi * nu)


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_torque_between_spheres_is_that_of_stokes():
    """8 pi nu Omega r1^3 r2^3 / (r2^3 - r1^3) (Landau and Lifshitz, section 20), on both walls.

    6 cells along an edge of the cube and 6 layers, and twice as many.
    """
    asked = 0.5**3 * 1.5**3 / (1.5**3 - 0.5**3)
    found = np.array([spheres(n) for n in (1500, 12_000)])
    off = np.abs(np.abs(found) / asked - 1)
    assert found[-1, 0] * found[-1, 1] < 0
    assert off[-1].max() < 0.01, off
    assert (np.log2(off[0] / off[1]) > 1.8).all(), off
