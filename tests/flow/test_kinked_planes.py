"""Meshes in space whose lines have a kink at a plane of symmetry, as those of a swept wing have."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.generate.rectangles import box_of
from solids import half_of

STEPS, STEP = 120, 1.0  # of Runge and Kutta, in units of the least time that waves take


@pytest.fixture
def swept():
    """A section drawn out along the span and sheared by 30 degrees, of any cells."""

    def make(cells, nodes=500):
        plane = km.mesh.airfoil("naca0012", nodes=nodes, far_field=10, cells="quads")
        made = km.mesh.extruded(plane, 0.3, 3, cells)
        shear = np.tan(np.radians(30)) * made.points[:, 1]
        return made.transformed(made.points + np.outer(shear, [1, 0, 0]))

    return make


def linearised(case):
    """The scheme about the state of a case, du/dt over the wave speeds of each volume."""
    grid, put, get = case.grid, case.backend.put, case.backend.get
    case.start_steady()
    start, calls = get(case.u).copy(), case.backend.record(case.residual())
    area, velocity = get(grid.S), start[0, 1:4] / start[0, 0]
    speed = np.zeros(grid.nodes)
    sides = [(grid.lr[:, end], area) for end in (0, 1)]
    sides += [(patch.node, get(patch.device["S"])) for patch in grid.patches.values()]
    for at, S in sides:
        np.add.at(speed, at, np.abs(S @ velocity) + np.linalg.norm(S, axis=1))

    def residual(u):
        put(case.u, u)
        put(case.dualtime.active, np.ones(1, np.int32))
        calls()
        return get(case.res).copy()

    at_rest = residual(start)

    def rate(v):
        step = 1e-7 / np.abs(v).max()
        return (at_rest - residual(start + step * v)) / (step * speed[:, None])

    return rate, start.shape


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("cells", ["hexes", "prisms", "tets"])
def test_small_disturbances_of_a_stream_do_not_grow(swept, cells):
    """Walls let fluid through, so that the stream is uniform and the wing is no part of it."""
    mesh = swept(cells)
    case = km.Ale(
        mesh,
        mach=0.5,
        walls=[],
        far=[name for name in mesh.boundaries if not name.startswith("symmetry")],
        device="cpu",
        settings=km.AleSettings(limiter="none"),
    )
    rate, shape = linearised(case)

    v = np.random.default_rng(1).normal(size=shape)
    v[case.grid.mirror_nodes, 2] = 0.0  # nothing crosses a plane of symmetry
    size = [np.abs(v).max()]
    for _ in range(STEPS):
        a = rate(v)
        b = rate(v + STEP / 2 * a)
        c = rate(v + STEP / 2 * b)
        v = v + STEP / 6 * (a + 2 * b + 2 * c + rate(v + STEP * c))
        size.append(np.abs(v).max())

    assert size[-1] < size[STEPS // 2]


def stations(kink):
    """A block of the far field ahead of a swept wing, whose lines along the span have a kink.

    Steps of 5 along the stream and 2 up, of 0.32 to 0.4 along the span; the second station lies
    0.039 times `kink` off the line between its neighbours.
    """
    y = np.array([0.0, 0.324, 0.68, 1.078, 1.476])
    lines = 5.0 * np.arange(4), y, 2.0 * np.arange(5)
    mesh = box_of(lines, ["far", "far1", "symmetry", "far2", "far3", "far4"])
    shift = kink * np.interp(mesh.points[:, 1], y, [0.0, 0.04, 0.118, 0.207, 0.3])
    return mesh.transformed(mesh.points + np.outer(shift, [1, 0, 0]))


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("kink", [1.0, 2.0])
def test_shear_waves_of_a_viscous_stream_do_not_grow_where_stations_have_a_kink(kink):
    """All eigenvalues of the linearised scheme; nothing damps shear waves of a viscous gas."""
    case = km.Ale(
        stations(kink), mach=0.8, reynolds=1e7, device="cpu",
        settings=km.AleSettings(limiter="none"),
    )  # fmt: skip
    rate, shape = linearised(case)

    columns = [rate(one.reshape(shape)).ravel() for one in np.eye(np.prod(shape))]
    inside = np.ones(shape, bool)
    inside[case.grid.mirror_nodes, 2] = False  # nothing crosses a plane of symmetry
    matrix = np.stack(columns, axis=1)[inside.ravel()][:, inside.ravel()]

    assert np.linalg.eigvals(matrix).real.max() < 0
    blunt = case.backend.get(case.grid.fields["blunt"])
    assert 0 < blunt.sum() < 0.3 * case.grid.nodes


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*by the wake:RuntimeWarning")  # a coarse body
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_sweeps_without_a_matrix_come_to_the_same_flow(solver):
    half = half_of(km.mesh.sphere(1500, far_field=5.0))
    kind = km.AleSettings if solver is km.Ale else km.CellSettings
    loads = []
    for way in ({"low_mach": False}, {"linear_solver": "lusgs"}):  # which has no low-Mach form
        settings = kind(limiter="none", steady_drop=1e-7, **way)
        case = solver(
            half,
            mach=0.3,
            alpha_deg=10.0,
            reference_area=np.pi / 8,
            boundaries={"middle": "symmetry"},
            settings=settings,
            device="cpu",
        )
        result = case.steady().summary["result"]
        assert result["converged"], way
        loads.append([result[name] for name in ("cl", "cd", "cm", "cy")])

    assert np.abs(np.subtract(*loads)).max() <= 1e-5


@pytest.mark.long
def test_weights_are_blunt_where_least_squares_reach_far():
    mesh = km.mesh.oneram6(nodes=10_000, cells="hexes")
    grid = km.Ale(mesh, mach=0.5, reference_area=1.15315084, device="cpu").grid
    found = grid.backend.get(grid.fields["blunt"])

    offsets, neighbours = grid.graphs[0]
    reach = np.zeros(grid.nodes)
    for node in range(grid.nodes):
        way = grid.points[neighbours[offsets[node] : offsets[node + 1]]] - grid.points[node]
        scaled = way / np.linalg.norm(way, axis=1)[:, None]
        size = np.linalg.svd(scaled, compute_uv=False)
        if len(size) == 3 and size[2] > 1e-4 * size[0]:
            change = np.linalg.pinv(scaled) / np.linalg.norm(way, axis=1)  # of gradients
            reach[node] = np.abs(way @ change).sum(axis=1).max() / 2

    sure = np.abs(reach - 2.1) > 1e-6
    assert (found == (reach > 2.1))[sure].all()
    assert 10 < found.sum() < 0.1 * grid.nodes
