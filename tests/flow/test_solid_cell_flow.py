"""Euler flow on the cells of meshes in space: exact fields, planes of symmetry, a wing, files."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError
from kinemesh.flow import memory
from kinemesh.flow.terms.gradients import CELL_GRADIENTS
from kinemesh.mesh.solid_cell_faces import solid_cell_faces
from kinemesh.results.flow_fields import Fields
from slabs import ACROSS, AXES, PLANES, rigid, slab
from solid_cases import MACH, Shaken, forced, stream
from solids import MADE, cube, half_of
from solver_cases import Wobble

SLOPE = np.random.default_rng(3).uniform(-1, 1, (5, 3))
TIGHT = km.CellSettings(gradient="plain", steady_drop=1e-10, limiter="none", jacobian_fix=0.5)
EXACT_WAYS = [("nodes", limiter) for limiter in ("none", "wang", "venkatakrishnan")]
EXACT_WAYS += [("least-squares", "none"), ("least-squares", "wang")]


def case_of(mesh, **more):
    return km.CellCentred(mesh, mach=MACH, walls=[], device="cpu", **more)


def gradients(case, slope, alpha_deg=17.0):
    """(cells, 5, 3) of a stream whose variables rise by a tenth of these slopes."""
    case.initialise(stream(MACH, alpha_deg) + 0.1 * case.grid.points @ slope.T)
    case.backend.put(case.dualtime.active, 1)
    case.backend.record(case.terms["gradients"].residual())()
    return case.backend.get(case.terms["gradients"].grad).reshape(-1, 5, 3)


@pytest.mark.parametrize(("gradient", "limiter"), EXACT_WAYS)
@pytest.mark.parametrize("kind", MADE)
def test_linear_fields_have_exact_gradients_on_cells(kind, gradient, limiter):
    """With thresholds that limit nothing."""
    own = {"limiter_k": 1e6} if limiter != "none" else {}
    settings = km.CellSettings(gradient=gradient, limiter=limiter, **own)
    case = case_of(cube(4, kind, jitter=0.2), settings=settings)

    found = gradients(case, SLOPE)

    assert np.abs(found - 0.1 * SLOPE).max() <= 1e-11


def limiters(case, gradient, k):
    """(cells, 5) Wang's limiter by NumPy: ranges over cells, those across faces and corners."""
    grid = case.grid
    f = {name: case.backend.get(grid.fields[name]) for name in
         ("lean", "per", "starts", "about", "xf", "outer_starts", "outer_xf")}  # fmt: skip
    q, x, points = case.backend.get(case.fields["q"]), grid.points, grid.vertices.points
    node = np.repeat(np.arange(len(points)), np.diff(f["starts"]))
    weight = 1 + ((x[f["about"]] - points[node]) * f["lean"][node]).sum(axis=1)
    value = np.zeros((len(points), 5))
    np.add.at(value, node, weight[:, None] * q[f["about"]])
    value *= f["per"][:, None]
    hull, rim = (
        np.repeat(np.arange(len(q)), np.diff(own))
        for own in (grid.vertices.starts, f["outer_starts"])
    )
    left, right = grid.lr.T
    of = np.concatenate([left, right, rim])
    ways = np.concatenate([f["xf"], f["xf"], f["outer_xf"]]) - x[of]
    asked = np.einsum("fvk,fk->fv", gradient[of], ways)
    found = np.ones_like(q)
    for better in (np.maximum, np.minimum):
        end, reach = q.copy(), np.zeros_like(q)
        for cell, there in (
            (left, q[right]),
            (right, q[left]),
            (hull, value[grid.vertices.corner]),
        ):
            better.at(end, cell, there)
        better.at(reach, of, asked)
        a = (end - q) ** 2 + (k * np.ptp(q, axis=0)) ** 2 + 1e-20
        phi = (a + 2 * reach * (end - q)) / (a + 2 * reach**2 + reach * (end - q))
        found = np.minimum(found, phi)
    seen = [(left, q[right]), (right, q[left]), (hull, value[grid.vertices.corner])]
    room = [np.concatenate([there[of == cell] for of, there in seen]) for cell in range(len(q))]
    stream = case.backend.get(case.stream)[0, 1:4]
    eps2 = 4 * k**2 * ((q[:, 1:4] - stream) ** 2).sum(axis=1).max() + 1e-20
    found[:, 1:4] = 1
    for cell, change in zip(of, asked[:, 1:4], strict=True):
        size = np.linalg.norm(change)
        up = max(0.0, ((room[cell] - q[cell])[:, 1:4] @ change).max() / size)
        a = up**2 + eps2
        phi = (a + 2 * size * up) / (a + 2 * size**2 + size * up)
        found[cell, 1:4] = np.minimum(found[cell, 1:4], phi)
    return found


@pytest.mark.parametrize("kind", MADE)
def test_limits_look_at_the_middles_of_all_faces_of_a_cell(kind):
    """Cells of each kind, most of them at the boundary."""
    mesh, found = cube(2, kind, jitter=0.1), {}
    for limiter, own in (("none", {}), ("wang", {"limiter_k": 0.02})):
        case = case_of(mesh, settings=km.CellSettings(limiter=limiter, **own))
        noise = np.random.default_rng(6).uniform(-0.05, 0.05, (case.grid.nodes, 5))
        case.initialise(stream(MACH, 17.0) + noise)
        case.backend.put(case.dualtime.active, 1)
        case.backend.record(case.terms["gradients"].residual())()
        found[limiter] = case.backend.get(case.terms["gradients"].grad).reshape(-1, 5, 3)
    phi = limiters(case, found["none"], 0.02)

    assert phi.min() < 0.5
    expected = phi[:, :, None] * found["none"]
    assert found["wang"] == pytest.approx(expected, rel=0, abs=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("gradient", CELL_GRADIENTS)
@pytest.mark.parametrize("kind", MADE)
def test_a_uniform_stream_survives_arbitrary_motion_of_cells(kind, gradient):
    mesh = cube(3, kind, size=2.0, jitter=0.1, middle=-1.0)
    settings = km.CellSettings(gradient=gradient)
    case = case_of(mesh, alpha_deg=17.0, deform=Shaken(0.16, 0.05, True), settings=settings)

    error, change = forced(case, 30)

    assert error <= 1e-12  # the bar of the method's statement
    assert change > 0.2


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", ["hexahedra", "mixed"])
def test_a_uniform_stream_survives_rigid_motion_of_cells_between_planes(kind, axis):
    case = case_of(
        slab(4, kind, axis, 0.2), alpha_deg=AXES[axis][1], boundaries=PLANES,
        deform=Wobble(rigid(axis), 0.05),
    )  # fmt: skip

    error, change = forced(case, 40)

    assert error <= 1e-12
    assert change <= 1e-12
    assert np.abs(case.backend.get(case.grid.x) - case.grid.vertices.points).max() > 0.5


@pytest.mark.parametrize("loops", ["recompute", "colours", "atomics"])
def test_loops_have_the_fluxes_of_stored_ones(loops):
    """To round-off of three pseudo-steps of states at random; "recompute" to the bit."""
    found = []
    for own in ("store", loops):
        case = case_of(cube(3, "mixed", jitter=0.1), settings=km.CellSettings(face_loop=own))
        jump = np.random.default_rng(5).uniform(0.9, 1.1, (case.grid.nodes, 5))
        case.initialise(stream(MACH, 17.0) * jump)
        case.start_steady()
        for call in case.residual():
            call()
        found.append(case.backend.get(case.res))

    one, other = found
    assert np.abs(one).max() > 1e-3
    assert np.abs(one - other).max() <= (0 if loops == "recompute" else 1e-15)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", MADE)
def test_fields_even_about_a_plane_of_symmetry_have_exact_gradients_on_cells(kind, axis):
    """On the plane at 0 the velocity across it alone changes across it, and not along it."""
    across = ACROSS[axis]
    even = SLOPE.copy()
    even[:, across] = even[1 + across] = 0
    even[1 + across, across] = 0.7
    settings = km.CellSettings(limiter="none")
    about = {"alpha_deg": AXES[axis][1], "boundaries": PLANES, "settings": settings}
    case = case_of(slab(6, kind, axis, 0.2), **about)

    found = gradients(case, even, AXES[axis][1])

    near = case.grid.points[:, across] < case.grid.vertices.points[:, across].max() / 2
    assert near.sum() > 30
    assert np.abs(found - 0.1 * even)[near].max() <= 1e-11


@pytest.mark.flow
@pytest.mark.parametrize(
    ("of", "cells"),
    [("quads", "hexes"), pytest.param("triangles", "prisms", marks=pytest.mark.slow)],
)
def test_cells_between_planes_of_symmetry_have_the_loads_of_the_plane(of, cells):
    """By plain means at vertices; others take more cells at walls, which in space are others."""
    flat = km.mesh.airfoil("naca0012", nodes=500, far_field=6, cells=of)
    made = km.mesh.extruded(flat, span=0.7, layers=2, cells=cells)
    about = {"mach": 0.5, "alpha_deg": 2.0, "settings": TIGHT, "device": "cpu"}

    plane = km.CellCentred(flat, **about).steady().summary["result"]
    space = km.CellCentred(made, **about, reference_area=0.7).steady().summary["result"]

    assert plane["converged"]
    assert space["converged"]
    assert plane["cl"] > 0.2
    for name in ("cl", "cd", "cm"):
        assert abs(space[name] - plane[name]) <= 1e-8  # of residuals down by ten orders


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*by the wake:RuntimeWarning")  # a coarse sphere
@pytest.mark.flow
def test_a_half_with_its_plane_of_symmetry_comes_to_the_whole_on_cells():
    """Drag of a sphere, which has to vanish, and of its half: apart by second order."""
    settings = km.CellSettings(limiter="none", jacobian_fix=0.5)
    about = {"mach": 0.3, "alpha_deg": 10.0, "device": "cpu", "settings": settings}
    counts, drag, apart = [], [], []
    for nodes in (1500, 4000):
        whole = km.mesh.sphere(nodes, far_field=5.0)
        planes = {"middle": "symmetry"}
        one = km.CellCentred(whole, reference_area=np.pi / 4, **about)
        other = km.CellCentred(half_of(whole), reference_area=np.pi / 8, boundaries=planes, **about)
        a, b = (case.steady().summary["result"] for case in (one, other))
        assert a["converged"]
        assert b["converged"]
        counts.append(whole.nodes ** (1 / 3))
        drag.append(a["cd"])
        apart.append(abs(a["cd"] - b["cd"]))

    assert apart[1] <= 0.05 * drag[1]
    for errors in (drag, apart):
        assert -np.diff(np.log(errors))[0] / np.diff(np.log(counts))[0] >= 1.8


@pytest.mark.flow
@pytest.mark.long
def test_a_run_on_cells_keeps_fields_of_them_and_goes_on_with_the_same_bits(tmp_path):
    mesh, turn = km.mesh.sphere(1500, far_field=5.0), km.motion.pitch(5.0, 0.5)
    law = {"time_step": 0.2, "start": "as is", "preflight": False}
    runs, cases = [], []
    for folder, steps, resume in (("a", 2, False), ("a", 4, True), ("b", 4, False)):
        case = km.CellCentred(mesh, mach=0.3, device="cpu", reference_area=np.pi / 4, motion=turn)
        runs.append(case.run(**law, steps=steps, out=tmp_path / folder, resume=resume))
        cases.append(case)
    _, parted, whole = runs
    one, other = (case.backend.get(case.u) for case in cases[1:])
    moved = cases[2].backend.get(cases[2].grid.x) - cases[2].grid.vertices.points
    flow = whole.fields()
    walls = flow.at_walls()
    nodes = np.unique(flow.walls)

    assert (one == other).all()
    assert (parted.history["cl"] == whole.history["cl"]).all()
    assert np.abs(moved).max() > 0.01
    assert whole.summary["mesh"]["volumes"] == "cells"
    assert flow.on == "cells"
    assert flow["Velocity"].shape == (len(mesh.solids["hexahedra"]), 3)
    assert np.isfinite(walls["Cp"][nodes]).all()
    assert np.isnan(walls["Cp"]).sum() == mesh.nodes - len(nodes)
    inner = cases[2].grid.meshes[0]  # in another order, as its cells are in the file
    table = solid_cell_faces(inner)
    rows = table.marker == list(inner.boundaries).index("sphere")
    corners, cp = inner.original[table.outer[rows]], flow["Cp"][table.behind[rows]]
    for node in nodes:
        there = cp[(corners == node).any(axis=1)]
        assert there.min() <= walls["Cp"][node] <= there.max()


def test_numbers_at_nodes_of_walls_are_means_of_the_cells_behind_them_alone():
    mesh = cube(2, "tetrahedra")
    walls = mesh.boundaries["rim"][:, :3]
    walls = walls[(mesh.points[walls, 0] == 0).all(axis=1)]
    cells = mesh.solids["tetrahedra"]
    value = np.random.default_rng(2).uniform(-1, 1, len(cells))
    rest = {"bodies": {}, "frame": 0, "time": 0.0, "cycle": 0.0, "phase_deg": 0.0, "cloud": False}
    flow = Fields({"Cp": value}, mesh.points, cells, walls, **rest, on="cells").at_walls()

    behind = [np.isin(cells, face).sum(axis=1) == 3 for face in walls]
    for node in np.unique(walls):
        own = [value[there] for face, there in zip(walls, behind, strict=True) if node in face]
        expected = np.concatenate(own).mean()
        assert flow["Cp"][node] == pytest.approx(expected, rel=1e-13)
    assert np.isnan(flow["Cp"]).sum() == mesh.nodes - len(np.unique(walls))


def test_pressures_of_walls_on_cells_are_those_at_the_middles_of_faces():
    """A pressure that is linear over space has exact gradients."""
    rise = np.array([0.01, -0.02, 0.03])
    case = km.CellCentred(
        km.mesh.sphere(1500, far_field=5.0), mach=MACH, device="cpu", reference_area=np.pi / 4,
        settings=km.CellSettings(limiter="none"),
    )  # fmt: skip
    state = np.tile(stream(MACH, 0.0), (case.grid.nodes, 1))
    state[:, 4] += case.grid.points @ rise
    case.initialise(state)
    wall = case.grid.wall

    found = case.wall_pressures({0: np.arange(len(wall))})[0] * MACH**2 / 2  # less the stream's

    assert found == pytest.approx(case.backend.get(wall.device["xf"]) @ rise, rel=0, abs=1e-13)


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*residual:RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_members_on_cells_in_space_have_the_bits_of_solo_runs(dtype):
    meshes = [km.mesh.sphere(1500, far_field=5.0, cells=cells) for cells in ("hexes", "prisms")]
    alphas = 0.0, 5.0, 10.0
    settings = km.CellSettings(steady_iterations=4, steady_drop=1e-9)

    def flow(mesh, alpha):
        case = km.CellCentred(
            mesh, mach=0.3, alpha_deg=alpha, device="cpu", dtype=dtype, settings=settings,
            reference_area=np.pi / 4,
        )  # fmt: skip
        case.steady()
        return case.grid.first, case.backend.get(case.u)

    every = meshes[0], meshes[1], meshes[0]
    first, together = flow(list(every), alphas)
    for member, (mesh, alpha) in enumerate(zip(every, alphas, strict=True)):
        own = together[first[member] : first[member + 1]]
        assert (flow(mesh, alpha)[1] == own).all(), member


@pytest.mark.flow
@pytest.mark.slow
@pytest.mark.parametrize("cells", ["hexes", "prisms", "tets"])
def test_a_wing_converges_on_cells_of_all_kinds(cells):
    """10 thousand nodes; three codes on ten times as many tetrahedra have cl 0.281 to 0.282."""
    mesh = km.mesh.oneram6(nodes=10_000, cells=cells)
    case = km.CellCentred(
        mesh, mach=0.8395, alpha_deg=3.06, reference_area=1.15315084, device="cpu"
    )
    found = case.steady().summary["result"]

    assert found["converged"]
    assert found["cl"] == pytest.approx(0.281, rel=0.12)  # 8640 to 51840 cells


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", MADE)
def test_cells_need_the_memory_that_they_take(kind, dtype):
    mesh = cube(7, kind, jitter=0.05)
    for gradient in ("nodes", "least-squares"):
        settings = km.CellSettings(gradient=gradient)
        made = km.CellCentred.counting()(
            mesh, mach=0.3, walls=[], device="cpu", dtype=dtype, settings=settings
        )
        needed = memory.needed(km.CellCentred, dtype, [mesh], made.settings)
        assert needed == pytest.approx(made.backend.held, rel=0.02)  # of wider lists at the rim


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"deform": km.deform.Delaunay()}, "in space use"),
        ({"chord": 1.0}, "reference_area"),
        (
            {"reynolds": 100.0, "settings": km.CellSettings(face_loop="recompute")},
            "face_loop is 'recompute', which viscous flow has not",
        ),
        ({"settings": km.CellSettings(far_field="vortex")}, "far_field is 'vortex'"),
        ({"boundaries": {"rim": km.outlet(pressure=0.9)}}, "on meshes in the plane"),
    ],
)
def test_what_cells_in_space_have_not_is_refused(more, says):
    with pytest.raises(SettingsError, match=says):
        case_of(cube(2, "hexahedra"), **more)
