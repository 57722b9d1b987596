"""The meshless solver: exactness on any cloud, order, walls, LU-SGS, and known flows."""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA, jacobian
from placements import along
from scipy.spatial import Delaunay as Triangulation
from solver_cases import Wobble, naca0012_mesh, on_devices, smooth_random, square, stream, vortex

HALF = 6.0
MACH, DT = 0.4, 0.05


def scattered(count, seed):
    """A cloud of random points in the unit square, satellites by a triangulation."""
    rng = np.random.default_rng(seed)
    edge = np.linspace(0, 1, 12)[:-1]
    sides = [np.stack(p, 1) for p in ((edge, 0 * edge), (1 + 0 * edge, edge),
                                      (1 - edge, 1 + 0 * edge), (0 * edge, 1 - edge))]  # fmt: skip
    rim = np.concatenate(sides)
    points = np.concatenate([rim, rng.uniform(0.03, 0.97, (count, 2))])
    tri = Triangulation(points).simplices
    pairs = np.concatenate([tri[:, [0, 1]], tri[:, [1, 2]], tri[:, [2, 0]]])
    around = np.arange(len(rim))
    return km.Cloud.from_pairs(
        points, pairs, {"farfield": np.stack([around, np.roll(around, -1)], 1)}
    )


def case(cloud, device, law=lambda points, t: points, dtype="float64", **settings):
    return km.Meshless(cloud, mach=MACH, alpha_deg=17.0, deform=Wobble(law, DT), walls=[],
                       device=device, dtype=dtype,
                       settings=km.MeshlessSettings(**settings))  # fmt: skip


def coefficients(grid):
    """(entries, 2) a_ij as the kernels make them, and the point of each entry."""
    ends = np.repeat(np.arange(grid.nodes), np.diff(grid.offsets))
    x, m = grid.backend.get(grid.x), grid.backend.get(grid.inverse)[ends]
    d = x[grid.neighbour] - x[ends]
    w = d / np.linalg.norm(d, axis=1, keepdims=True) ** grid.weight_power
    a = np.stack([m[:, 0] * w[:, 0] + m[:, 1] * w[:, 1], m[:, 1] * w[:, 0] + m[:, 2] * w[:, 1]], 1)
    return a, ends


# ---- exactness


@on_devices
@pytest.mark.parametrize(("limiter", "power"),
                         [("vanleer", 1), ("wang", 1), ("none", 1), ("none", 2)])  # fmt: skip
def test_linear_fields_have_exact_gradients(device, limiter, power):
    """By the kernel of the solver where nothing limits, by its coefficients elsewhere."""
    solver = case(scattered(300, 1), device, limiter=limiter, weight_power=power)
    grid, get = solver.grid, solver.backend.get
    x = get(grid.x)
    slope = np.array([[0.1, -0.2], [0.3, 0.1], [-0.2, 0.05], [0.1, 0.15]])
    solver.initialise(stream(MACH, 17.0) + x @ slope.T)

    a, ends = coefficients(grid)
    field = x @ slope.T
    change = field[grid.neighbour] - field[ends]
    found = np.zeros((grid.nodes, 4, 2))
    np.add.at(found, ends, change[:, :, None] * a[:, None, :])

    assert np.abs(found - slope).max() < 1e-11
    if limiter == "none":
        solver.backend.record(solver.terms["gradients"].residual())()
        grad = get(solver.terms["gradients"].grad).reshape(-1, 4, 2)
        assert np.abs(grad - slope).max() < 1e-11


@on_devices
def test_smooth_gradients_are_means_over_satellites(device):
    cloud, found = scattered(300, 1), {}
    q = stream(MACH, 17.0) * np.random.default_rng(2).uniform(0.9, 1.1, (len(cloud.points), 4))
    for smooth in (False, True):
        solver = case(cloud, device, limiter="none", smooth_gradients=smooth)
        solver.initialise(q)
        solver.backend.record(solver.terms["gradients"].residual())()
        found[smooth] = solver.backend.get(solver.terms["gradients"].grad)

    ends = np.repeat(np.arange(len(q)), np.diff(solver.grid.offsets))
    want = found[False].copy()
    np.add.at(want, ends, found[False][solver.grid.neighbour])
    want /= 1 + np.diff(solver.grid.offsets)[:, None]
    assert np.abs(found[True] - want).max() < 1e-12 * np.abs(want).max()
    assert np.abs(found[True] - found[False]).max() > 0.1 * np.abs(want).max()


def test_fluxes_between_rows_of_points_telescope_where_the_spacing_grows():
    """V_i a_ij = -V_j a_ji on a lattice with steps that grow by 1.3 and 1.2, V the dual areas.

    What leaves a point then enters its neighbour, as between control volumes.
    """
    lines = [np.cumsum(np.r_[0, growth ** np.arange(6)]) for growth in (1.3, 1.2)]
    mid = [np.gradient(line)[1:-1] for line in lines]
    number = np.arange(49).reshape(7, 7)
    pairs = np.concatenate(
        [np.stack([number[1:].ravel(), number[:-1].ravel()], 1),
         np.stack([number[:, 1:].ravel(), number[:, :-1].ravel()], 1)]
    )  # fmt: skip
    points = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 2)
    rim = np.r_[number[:, 0], number[-1, 1:], number[-2::-1, -1], number[0, -2:0:-1]]
    cloud = km.Cloud.from_pairs(points, pairs, {"farfield": np.stack([rim, np.roll(rim, -1)], 1)})
    grid = case(cloud, "cpu").grid

    a, ends = coefficients(grid)
    own = grid.meshes[0].original
    entry = dict(zip(zip(own[ends], own[grid.neighbour], strict=True), a, strict=True))
    V = np.outer(*mid)  # of the inner points
    for i in range(1, 6):
        for j in range(1, 5):
            here, there = number[i, j], number[i, j + 1]
            flux = V[i - 1, j - 1] * entry[here, there]
            assert flux == pytest.approx([0, mid[0][i - 1] / 2], abs=1e-13)
            assert V[i - 1, j] * entry[there, here] == pytest.approx(-flux, abs=1e-13)


@on_devices
@pytest.mark.parametrize("settings", [{"limiter": "vanleer"}, {"limiter": "wang"},
                                      {"flux": "jst", "jst_k4": 0.125},
                                      {"time": "rk"}], ids=str)  # fmt: skip
def test_uniform_stream_survives_arbitrary_motion(device, settings):
    solver = case(scattered(300, 2), device, smooth_random(0.5, 0.05), **settings)
    uniform, get = stream(MACH, 17.0), solver.backend.get
    s = solver.settings
    march = solver.iteration(0.0, 3, s.ramp(s.unsteady_cfl), 4)
    solver.backend.put(solver.dualtime.floor, 0.0)
    moved = 0.0
    for step in range(50):
        solver.begin_step(np.array([DT]), 1 if step == 0 else 2)
        solver.place(along(lambda share: [], 1.0))
        march()
        solver.check_faults(f"step {step}")
        assert get(solver.dualtime.iterations)[0] == 3
        moved = max(moved, np.abs(get(solver.grid.velocity)).max())

    assert np.abs(solver.primitive() - uniform).max() < 1e-12
    assert moved > 0.05


# ---- order


def carried(cells, law, device, **settings):
    """L2 error of a vortex carried through the origin on the nodes of a jittered square."""
    steps = cells // 4
    chosen = km.MeshlessSettings(unsteady_drop=1e-8, unsteady_cfl=1e6, cfl_max=1e9,
                                 unsteady_iterations=1000, **settings)  # fmt: skip
    solver = km.Meshless(km.Cloud.from_mesh(square(cells, HALF, seed=cells)), mach=0.4,
                         alpha_deg=30.0, walls=[], deform=Wobble(law, 1.0 / steps),
                         device=device, settings=chosen)  # fmt: skip
    solver.initialise(vortex(solver.grid.points, -0.5))
    result = solver.run(time_step=1.0 / steps, steps=steps, start="as is", preflight=False)
    assert result.summary["warnings"] == []
    error = solver.primitive() - vortex(solver.backend.get(solver.grid.x), 0.5)
    V = solver.backend.get(solver.grid.V)
    return np.sqrt((V[:, None] * error**2).sum() / V.sum())


@pytest.mark.long
@pytest.mark.flow
@on_devices
@pytest.mark.parametrize(
    ("moves", "settings"), [(False, {"flux": "jst"}), (True, {"limiter": "none"})], ids=str
)
def test_space_and_time_refined_together_gain_second_order(device, moves, settings):
    law = smooth_random(HALF, 0.5, rate=4.0) if moves else lambda points, t: points
    cells = np.array([20, 30, 44])

    errors = [carried(n, law, device, **settings) for n in cells]

    assert np.polyfit(np.log(1 / cells), np.log(errors), 1)[0] >= 1.8


# ---- walls


def test_derivatives_are_exact_at_boundaries_too():
    """Satellites on a triangulated O-mesh lie askew: diagonals lead to one side only."""
    solver = km.Meshless(km.Cloud.from_mesh(km.mesh.airfoil("naca0012", nodes=600)), mach=0.5,
                         device="cpu")  # fmt: skip
    grid = solver.grid
    a, ends = coefficients(grid)
    x = solver.backend.get(grid.x)
    r = x[grid.neighbour] - x[ends]

    found = np.zeros((grid.nodes, 2, 2))
    np.add.at(found, ends, a[:, :, None] * r[:, None, :])

    for side in (grid.wall, grid.patches["far"]):
        assert np.abs(found - np.eye(2))[side.node].max() < 1e-11


def closing(solver, side, through):
    """Contribution of a boundary to res: V [through - F(W)].s of each of its points."""
    grid, get = solver.grid, solver.backend.get
    a, ends = coefficients(grid)
    total = np.zeros((grid.nodes, 2))
    np.add.at(total, ends, a)
    n, q, v, V = (
        get(side.device["normal"]), solver.primitive()[side.node],
        get(grid.velocity)[side.node], get(grid.V)[side.node],
    )  # fmt: skip
    s = -2 * (total[side.node] * n).sum(1, keepdims=True) * n
    w = (v * s).sum(1)
    return V[:, None] * (through(q, n, v, s, w) - flux(q, s, w))


def flux(q, s, w):
    rho, u, p = q[:, 0], q[:, 1:3], q[:, 3]
    mass = rho * ((u * s).sum(1) - w)
    energy = (p / (GAMMA - 1) + 0.5 * rho * (u * u).sum(1)) / rho
    return np.column_stack(
        [mass, mass[:, None] * u + p[:, None] * s, mass * energy + p * (u * s).sum(1)]
    )


@on_devices
def test_through_a_wall_goes_its_pressure_alone(device):
    """Added by cloud_wall: the flux of a wall in motion in the place of the point's own."""
    solver = km.Meshless(km.cloud.airfoil("naca0012", points=600, far_field=10), mach=0.5,
                         device=device)  # fmt: skip
    grid, b, rng = solver.grid, solver.backend, np.random.default_rng(4)
    q = np.array([1, 0.3, 0.2, 1 / GAMMA]) * rng.uniform(0.8, 1.2, (grid.nodes, 4))
    solver.initialise(q)
    b.put(grid.velocity, rng.uniform(-0.1, 0.1, (grid.nodes, 2)))
    b.put(solver.dualtime.active, 1)
    b.record([solver._primitive])()
    b.put(solver.res, 0.0)

    def through(q, n, v, s, w):
        sound = np.sqrt(GAMMA * q[:, 3] / q[:, 0])
        p = q[:, 3] + q[:, 0] * sound * ((q[:, 1:3] - v) * n).sum(1)
        return np.column_stack([0 * p, p[:, None] * s, p * w])

    wall = grid.wall
    b.record(solver.terms["boundary"].residual())()

    want = closing(solver, wall, through)
    assert np.abs(b.get(solver.res)[wall.node] - want).max() < 1e-12 * np.abs(want).max()
    sharp = ~b.get(wall.device["normal"]).any(axis=1)
    assert x_of(solver, wall.node[sharp]) == pytest.approx([1.0], abs=2e-3)


@pytest.mark.flow
@on_devices
def test_little_flows_through_a_moving_wall_and_less_through_a_finer_one(device):
    worst = []
    for points in (600, 2400):
        cloud = km.cloud.airfoil("naca0012", points=points, far_field=10)
        solver = km.Meshless(cloud, mach=0.5, motion=km.motion.pitch(3.0, 0.3), device=device)
        solver.run(cycles=1 / 8, steps_per_cycle=32, preflight=False)
        get, wall = solver.backend.get, solver.grid.wall
        v, n = get(solver.grid.velocity)[wall.node], get(wall.device["normal"])
        across = ((solver.primitive()[wall.node, 1:3] - v) * n).sum(1)
        length = np.linalg.norm(get(wall.device["S"]), axis=1)
        worst.append(np.sqrt((across**2 * length).sum() / length.sum()))
        assert np.abs(v).max() > 0.005

    assert worst[0] < 0.02
    assert worst[1] < worst[0] / 2, worst


def x_of(solver, nodes):
    return solver.grid.points[nodes, 0]


# ---- LU-SGS


def system(solver):
    """Dense blocks and side of a pseudo-step (docs/meshless.md), points in the cloud's order."""
    get, grid = solver.backend.get, solver.grid
    a, ends = coefficients(grid)
    q, v = get(solver.q), get(grid.velocity)
    A, lam = np.zeros((grid.nodes, 4, grid.nodes, 4)), np.zeros(grid.nodes)

    def radius(i, s, w):
        return np.abs(np.linalg.eigvals(jacobian(q[i], s, w))).max()

    for e, (i, j) in enumerate(zip(ends, grid.neighbour, strict=True)):
        w = v[i] @ a[e]
        largest = max(radius(k, a[e], w) for k in (i, j))
        A[i, :, j] += jacobian(q[j], a[e], w) - largest * np.eye(4)
        lam[i] += largest
    rest = np.zeros((grid.nodes, 2))
    np.add.at(rest, ends, a)
    at, normal = grid.wall.node, get(grid.wall.device["normal"])
    G = -(rest[at] * normal).sum(1)
    rest[at] += G[:, None] * normal
    time = lam / get(solver.dualtime.cfl)[0] / get(solver.pace) + get(grid.bdf)[0, 0]
    for i in range(grid.nodes):
        A[i, :, i] += (time[i] + lam[i] + radius(i, rest[i], v[i] @ rest[i])) * np.eye(4)
    for i, g, n in zip(at, G, normal, strict=True):
        A[i, :, i] += wall_block(q[i], g, n)
    return A, -get(solver.res) / get(grid.V)[:, None]


def wall_block(q, g, n):
    """Contribution of a wall with g = -n . sum a_ij to its point's block, along and across."""
    u, H = q[1:3], GAMMA / (GAMMA - 1) * q[3] / q[0] + q[1:3] @ q[1:3] / 2
    mu = np.array([0, *n, 0])  # of a change: that of the momentum across
    pressure = (GAMMA - 1) * np.array([u @ u / 2, *-u, 1])
    along = np.array([1, *(u - (u @ n) * n), H])
    return (
        -g * np.outer(along, mu)
        + 2 * g * np.sqrt(GAMMA * q[3] / q[0]) * np.outer(mu, mu)
        + g * np.outer(mu, pressure)
    )


@pytest.mark.long
@on_devices
def test_sweeps_are_those_of_the_dense_system(device):
    solver = km.Meshless(km.cloud.airfoil("naca0012", points=520, far_field=10), mach=0.6,
                         alpha_deg=5.0, device=device,
                         settings=km.MeshlessSettings(time="lusgs", lusgs_sweeps=2))  # fmt: skip
    rng, put, get, grid = (
        np.random.default_rng(3),
        solver.backend.put,
        solver.backend.get,
        solver.grid,
    )
    q = np.array([1, 0.5, 0.2, 1 / GAMMA]) * rng.uniform(0.8, 1.2, (grid.nodes, 4))
    solver.initialise(q)
    put(grid.velocity, rng.uniform(-0.1, 0.1, (grid.nodes, 2)))
    put(grid.bdf, np.array([[2.0, 0.0, 0.0]]))
    put(solver.pace, rng.uniform(0.5, 1, grid.nodes))
    put(solver.dualtime.cfl, 3.0)
    solver.backend.record(solver.residual())()

    solver.backend.record(solver.implicit.calls())()

    A, side = system(solver)
    du, order = np.zeros_like(side), solver.pattern.node
    for turn in range(4):
        for i in order[::-1] if turn % 2 else order:
            to = side[i] - np.einsum("kjl,jl->k", A[i], du) + A[i, :, i] @ du[i]
            du[i] = np.linalg.solve(A[i, :, i], to)
    got = get(solver.implicit.update["du"])
    assert np.abs(got - du).max() < 1e-11 * np.abs(du).max()


@pytest.mark.long
def test_regular_clouds_have_two_colours_and_bodies_at_most_seven():
    for cloud, most in ((km.cloud.airfoil("naca0012", points=5120, around=128), 2),
                        (km.cloud.three_element(points=5000), 7)):  # fmt: skip
        solver = km.Meshless(cloud, mach=0.5, device="cpu")
        colour = np.empty(solver.grid.nodes, int)
        for k, (first, count) in enumerate(solver.pattern.colours):
            colour[solver.pattern.node[first : first + count]] = k
        ends = np.repeat(np.arange(solver.grid.nodes), np.diff(solver.grid.offsets))
        assert (colour[ends] != colour[solver.grid.neighbour]).all()
        assert len(solver.pattern.colours) <= most


# ---- flows


@pytest.mark.flow
@pytest.mark.long
@on_devices
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="roe"),
        pytest.param({"flux": "jst"}, id="jst", marks=pytest.mark.slow),
    ],
)
def test_transonic_lift_and_shock_are_those_of_the_mesh_solver(device, settings):
    """NACA 0012, Mach 0.8, 1.25 degrees, on the 5233 nodes of the same mesh."""
    mesh = naca0012_mesh()
    flow = {"mach": 0.8, "alpha_deg": 1.25, "device": device}
    reference = km.Ale(mesh, **flow, settings=km.AleSettings(steady_drop=1e-4))
    want = reference.steady().summary["result"]
    solver = km.Meshless(km.Cloud.from_mesh(mesh), **flow,
                         settings=km.MeshlessSettings(steady_drop=1e-4, **settings))  # fmt: skip
    result = solver.steady().summary["result"]

    assert result["residual_drop"] <= 1e-4
    assert 0.31 <= result["cl"] <= 0.36
    assert result["cl"] == pytest.approx(want["cl"], rel=0.04)
    assert shock(solver) == pytest.approx(shock(reference), abs=0.02)


def shock(solver):
    """x where the pressure of the upper side rises fastest behind a quarter of the chord."""
    node = solver.grid.wall.node
    x, y = solver.grid.points[node].T
    upper = (y > 0) & (x > 0.25) & (x < 0.95)
    order = np.argsort(x[upper])
    x, p = x[upper][order], solver.primitive()[node, 3][upper][order]
    steepest = np.argmax(np.diff(p) / np.diff(x))
    return (x[steepest] + x[steepest + 1]) / 2


@pytest.mark.sanitize
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*residual fell to")
def test_members_have_the_bits_of_their_solo_runs():
    cloud, machs = km.cloud.airfoil("naca0012", points=600, far_field=10), [0.4, 0.6]
    settings = km.MeshlessSettings(steady_iterations=50)

    def states(mach):
        solver = km.Meshless(cloud, mach=mach, alpha_deg=1.0, device="cpu", settings=settings)
        solver.steady()
        return solver.primitive()

    both = states(machs)

    assert (both == np.concatenate([states(m) for m in machs])).all()


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*residual fell to")
@pytest.mark.parametrize(
    "settings", [{"time": "lusgs"}, {"flux": "jst"}, {"time": "rk", "rk_cfl": 1.0}], ids=str
)
def test_cpu_and_cuda_have_the_same_residuals(settings):
    """Fifty iterations, to 1e-9 of the first residual (Zhang et al., their serial and GPU runs)."""
    try:
        km.Backend("cuda")
    except km.DeviceError as reason:
        pytest.skip(f"no CUDA: {reason}")
    chosen = km.MeshlessSettings(steady_iterations=50, **settings)
    histories = [
        km.Meshless(km.cloud.airfoil("naca0012", points=5120, around=128), mach=0.8, alpha_deg=1.25,
                    device=device, settings=chosen).steady().history["residual"]
        for device in ("cpu", "cuda")
    ]  # fmt: skip
    assert np.abs(np.subtract(*histories)).max() < 1e-9


@pytest.mark.slow
@pytest.mark.flow
@on_devices
def test_runge_kutta_s_steps_are_those_of_the_matrix(device):
    """Five orders each, from one steady flow; 500 iterations are too few for shares of central
    fluxes at their CFL number of 1, which take 461 for four."""
    assert km.MeshlessSettings(time="rk").complete().rk_cfl == 2.0
    assert km.MeshlessSettings(time="rk", flux="jst").complete().rk_cfl == 1.0
    assert km.MeshlessSettings(time="rk", rk_cfl=0.7).complete().rk_cfl == 0.7
    flow = {"mach": 0.755, "alpha_deg": 0.016, "device": device,
            "motion": km.motion.pitch(2.51, 0.0814)}  # fmt: skip
    cloud, start, lift = km.cloud.airfoil("naca0012", points=2000), None, {}
    for time in ("bicgstab", "rk"):
        chosen = km.MeshlessSettings(time=time, unsteady_drop=1e-5, unsteady_iterations=500)
        solver = km.Meshless(cloud, settings=chosen, **flow)
        if start is None:
            solver.steady()
            start = solver.primitive()
        solver.initialise(start)
        run = solver.run(cycles=2 / 64, steps_per_cycle=64, start="as is", preflight=False)
        assert run.history["converged"].all()
        lift[time] = run.history["cl"][-1]
    assert lift["rk"] == pytest.approx(lift["bicgstab"], abs=2e-5)


# ---- refusals


def test_what_is_no_plane_cloud_is_refused():
    mesh = km.mesh.airfoil("naca0012", nodes=520)
    with pytest.raises(km.SettingsError, match=r"expected a kinemesh Cloud: make one"):
        km.Meshless(mesh, mach=0.5, device="cpu")
    cloud = km.cloud.airfoil("naca0012", points=600)
    with pytest.raises(km.SettingsError, match="springs need the cells of a mesh"):
        km.Meshless(cloud, mach=0.5, device="cpu", deform=km.deform.TorsionalSprings())
    for name, value in (("flux", "hllc"), ("limiter", "x"), ("time", "x"), ("rk_cfl", 0.0),
                        ("lusgs_sweeps", 0), ("jst_k4", -1.0),
                        ("weight_power", 3), ("weight_power", True), ("smooth_gradients", 1),
                        ("stored_blocks", None)):  # fmt: skip
        with pytest.raises(km.SettingsError, match=name):
            km.MeshlessSettings(**{name: value})
    for way in ({"time": "bicgstab"}, {"time": "lusgs", "stored_blocks": True}):
        with pytest.raises(km.SettingsError, match="flux is 'jst', and the matrix is that of Roe"):
            km.MeshlessSettings(flux="jst", **way)
    with pytest.raises(
        km.SettingsError, match="time is 'bicgstab', expected 'lusgs', whose blocks"
    ):
        km.MeshlessSettings(stored_blocks=True)


def test_what_has_no_effect_is_told_before_its_range():
    with pytest.raises(km.SettingsError, match=r"^cfl_max is 9 and has no effect: time is 'rk'"):
        km.MeshlessSettings(time="rk", cfl_max=9)
    with pytest.raises(
        km.SettingsError, match=r"^cfl is '20', expected a number above 0 and finite"
    ):
        km.MeshlessSettings(cfl="20")


@pytest.mark.parametrize(
    ("given", "most"),
    [
        ({}, 1e3),
        ({"time": "lusgs"}, 1e3),
        ({"time": "lusgs", "stored_blocks": True}, 100.0),
        ({"time": "lusgs", "stored_blocks": True, "unsteady_cfl": 300.0}, 300.0),
        ({"time": "lusgs", "stored_blocks": True, "cfl_max": 500.0}, 500.0),
        ({"unsteady_cfl": 2e3}, 2e3),
        ({"time": "rk"}, None),
    ],
)
def test_most_of_the_cfl_number_follows_from_the_way(given, most):
    chosen = km.MeshlessSettings(**given).complete()

    assert chosen.cfl_max == most
    assert chosen.complete() == chosen
    assert chosen.ramp(100.0) == (100.0, most or 100.0, chosen.cfl_growth)


@pytest.mark.sanitize
@pytest.mark.flow
@on_devices
def test_sweeps_over_the_matrix_reach_a_steady_flow(device):
    """Eight pairs do not solve that matrix at a CFL number of 1000: the residual stays at 1e-2."""
    solver = km.Meshless(
        km.cloud.airfoil("naca0012", points=2000),
        mach=0.5,
        alpha_deg=3.0,
        device=device,
        settings=km.MeshlessSettings(time="lusgs", stored_blocks=True),
    )

    result = solver.steady().summary["result"]

    assert result["residual_drop"] <= 1e-6
    assert result["iterations"] < 500


USES = {  # what each choice gives an effect to, by a value that is none's default
    "bicgstab": ({}, {"krylov_iterations": 9, "krylov_tolerance": 0.2, "jacobian_fix": 0.2,
                      "matrix_dtype": "float64", "cfl_max": 2e3, "max_change": 0.1}),
    "lusgs": ({"time": "lusgs"}, {"lusgs_sweeps": 3, "unsteady_cfl": 50.0, "cfl": 10.0}),
    "blocks": ({"time": "lusgs", "stored_blocks": True},
               {"lusgs_sweeps": 3, "jacobian_fix": 0.2, "matrix_dtype": "float64"}),
    "rk": ({"time": "rk"}, {"rk_cfl": 0.5}),
    "jst": ({"flux": "jst"}, {"jst_k2": 0.4, "jst_k4": 0.1, "lusgs_sweeps": 3}),
    "van Leer": ({"limiter": "vanleer"}, {"krylov_iterations": 9}),
}  # fmt: skip
NEVER = {  # and what has none
    "bicgstab": ("lusgs_sweeps", "rk_cfl", "jst_k2"),
    "lusgs": ("krylov_iterations", "krylov_tolerance", "jacobian_fix", "matrix_dtype", "rk_cfl"),
    "blocks": ("krylov_iterations", "rk_cfl"),
    "rk": ("lusgs_sweeps", "cfl", "cfl_max", "unsteady_cfl", "max_change", "jacobian_fix"),
    "jst": ("krylov_iterations", "jacobian_fix", "limiter_k"),
    "van Leer": ("limiter_k", "jst_k4"),
}
VALUES = {"limiter_k": 0.2} | {name: v for _, used in USES.values() for name, v in used.items()}


@pytest.mark.parametrize("way", USES)
def test_a_setting_that_has_no_effect_is_refused(way):
    chosen, used = USES[way]

    assert km.MeshlessSettings(**chosen, **used).flux == chosen.get("flux", "roe")
    for name in NEVER[way]:
        with pytest.raises(km.SettingsError, match=rf"^{name} is .* and has no effect: .*leave"):
            km.MeshlessSettings(**chosen, **{name: VALUES[name]})


def test_a_limiter_has_no_effect_on_central_fluxes():
    with pytest.raises(km.SettingsError, match="limiter is 'vanleer' and has no effect: flux is"):
        km.MeshlessSettings(flux="jst", limiter="vanleer")
    assert km.MeshlessSettings(flux="jst", limiter="none").limiter == "none"


def test_the_fix_of_the_matrix_follows_the_gradients():
    assert km.MeshlessSettings().complete().jacobian_fix == 0.3
    assert km.MeshlessSettings(smooth_gradients=True).complete().jacobian_fix == 0.5
    assert (
        km.MeshlessSettings(smooth_gradients=True, jacobian_fix=0.1).complete().jacobian_fix == 0.1
    )
    assert km.MeshlessSettings().complete(irregular=True).jacobian_fix == 0.5
    assert km.MeshlessSettings(smooth_gradients=True, time="lusgs").complete().jacobian_fix is None
