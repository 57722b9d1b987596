"""Delaunay graphs that are built anew: far motions, the way back, restarts, ensembles, refusals."""

import re
from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cloud.satellites import condition_numbers
from kinemesh.deform import Deformation, Mover, retriangulated
from kinemesh.deform.graph import Graph, Places, triangulated
from kinemesh.io import restart
from kinemesh.mesh.geometry.curves import inside
from kinemesh.motion import Pose
from placements import along
from runs import assert_same
from scipy.optimize import brentq
from solver_cases import Ellipse, bodies, on_devices, stream

pytestmark = pytest.mark.flow

SECTION = km.cloud.three_element(points=3800, far_field=10.0)
HINGE = (0.9, -0.01)  # in the nose of the flap
WALLS = ["main", "slat", "flap"]
STEPS = 32  # of a cycle
ANEW = km.deform.Delaunay(retriangulate=True)
QUICK = km.MeshlessSettings(unsteady_drop=1e-1, steady_drop=1e-1, unsteady_iterations=20)
rough = pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning")


def flap(amplitude=10.0, **more):
    return {"flap": km.motion.pitch(amplitude, 0.1, about=HINGE, **more)}


def case(motion=None, cloud=SECTION, **changes):
    given = {"mach": 0.2, "deform": ANEW, "device": "cpu", "settings": QUICK}
    given["walls"] = WALLS if cloud is SECTION else None
    return km.Meshless(cloud, motion=flap() if motion is None else motion, **(given | changes))


def ride(model, steps, mover=None, start=0):
    """Places of the nodes and the mover's numbers, step by step, on the points alone."""
    dt = 2 * np.pi / next(m.omega(0.2) for m in model.motions if m is not None) / STEPS
    if mover is None:
        model.rest(model.bodies.poses(np.zeros(model.grid.members)))
        mover = model.deform.attach(model.grid.vertices)
    for number in range(start, start + steps):
        at = np.full(model.grid.members, float(number))
        notes = mover.step(lambda share, at=at: model.bodies.poses((at + share) * dt))
        model.check_faults(f"step {number}")
        yield model.backend.get(model.grid.x), notes


def condition(model, x):
    return condition_numbers(x, model.grid.offsets, model.grid.neighbour).max()


def assert_no_wall_is_crossed(model, x):
    grid = model.grid
    inner = np.setdiff1d(np.arange(grid.nodes), np.r_[grid.wall.node, grid.patches["far"].node])
    for member, marker in grid.bodies:
        after = dict((grid.meshes[member].boundaries[marker] + grid.first[member]).tolist())
        curve = [next(iter(after))]
        while after[curve[-1]] != curve[0]:
            curve.append(after[curve[-1]])
        assert not inside(x[inner], x[curve]).any(), marker


# ---------------------------------------------------------------- how far it goes


@pytest.mark.long
@on_devices
def test_a_flap_deflects_by_ten_degrees_and_its_points_come_back(device):
    """Two cycles; in the gap, a twentieth of the flap wide, one graph does not do."""
    model = case(device=device)
    worst, counts = [], []

    mover = model.deform.attach(model.grid.vertices)
    for number, (x, notes) in enumerate(ride(model, 2 * STEPS, mover), 1):
        assert_no_wall_is_crossed(model, x)
        mover.map()  # nodes are where the graph in use has them, to the last bit
        np.testing.assert_array_equal(model.backend.get(model.grid.x), x)
        counts.append(list(notes.values()))
        if number % (STEPS // 4) == 0:
            worst.append(condition(model, x))
        if number % (STEPS // 2) == 0:
            assert np.abs(x - model.grid.points).max() < 1e-12

    rebuilt, returned = np.sum(counts, axis=0)
    # measured: 7.6 at 10 degrees, 3.8 at -10, 2.7 at rest
    assert max(worst) < 10
    assert worst[4:] == pytest.approx(worst[:4], rel=1e-9)
    assert rebuilt > 40
    assert rebuilt - returned <= 1  # the last steps round to either side of rest


@pytest.mark.parametrize("section", ["naca0012", "naca64a010"])
def test_thirty_degrees_of_pitch_keep_the_clouds_and_need_one_graph(section):
    """Wang et al., figures 5 and 7; with no graph rebuilt the bits are those of `Delaunay()`."""
    cloud = km.Cloud.from_mesh(km.mesh.airfoil(section, nodes=1500))
    pitch = km.motion.pitch(30.0, 0.1)
    models = [case(pitch, cloud, deform=deform) for deform in (ANEW, km.deform.Delaunay())]
    rest = condition(models[0], cloud.points)

    for (x, notes), (plain, _) in zip(*(ride(m, STEPS) for m in models), strict=True):
        assert_no_wall_is_crossed(models[0], x)
        # at the trailing edge, where satellites lie in a narrow fan, a little turns much
        assert condition(models[0], x) < 1.2 * rest
        assert notes == {"graphs_rebuilt": 0, "graphs_taken_up_again": 0}
        np.testing.assert_array_equal(x, plain)


def test_a_section_turns_further_than_its_graph_reaches():
    """Half a turn: the first graph folds at 80 to 90 degrees."""
    cloud = km.Cloud.from_mesh(km.mesh.airfoil("naca0012", nodes=1500))
    half = km.motion.pitch(179.0, 0.1)
    plain = case(half, cloud, deform=km.deform.Delaunay())
    with pytest.raises(
        km.NumericalFault, match=r"graph folds .*\(Delaunay\(retriangulate=True\)\)"
    ):
        list(ride(plain, STEPS // 4))

    model = case(half, cloud)
    there = list(ride(model, STEPS // 2))

    assert_no_wall_is_crossed(model, there[STEPS // 4 - 1][0])
    assert sum(notes["graphs_rebuilt"] for _, notes in there) > 1
    assert np.abs(there[-1][0] - model.grid.points).max() < 1e-11


def test_a_small_body_passes_another_on_a_mesh():
    """A quarter of a chord of travel; with one graph an element folds."""
    upper = Ellipse((-0.25, 0.33), (0.25, 0.08), 32)
    mesh = bodies({"lower": Ellipse((0, 0), (0.5, 0.15), 48), "upper": upper})
    motion = {"upper": km.motion.plunge(0.25, 0.1, direction=(1, 0))}
    model = km.Ale(mesh, mach=0.2, motion=motion, deform=ANEW, device="cpu")
    least, rebuilt = [], 0

    for _, notes in ride(model, STEPS):
        model.grid.look()
        least.append(model.grid.worst_cells()[0, 0])
        rebuilt += notes["graphs_rebuilt"]

    assert min(least) > 0
    assert rebuilt > 0
    assert np.abs(model.backend.get(model.grid.x) - model.grid.points).max() < 1e-12


def test_no_node_moves_further_than_the_walls_on_a_way_that_never_comes_back():
    """A flap that turns and shifts, out of phase: no pose comes twice within a cycle.

    Displacements are convex sums of those of the boundary, in every part of a step; an arc of one
    degree is longer than its chord by 1e-5.
    """
    turn, shift = flap(5.0)["flap"], km.motion.plunge(1e-4, 0.1, phase_deg=90.0)
    model = case({"flap": turn + shift})
    model.rest(model.bodies.poses(np.zeros(1)))
    before, counts = model.backend.get(model.grid.x), []

    for x, notes in ride(model, STEPS):
        length = np.linalg.norm(x - before, axis=1)
        assert length.max() <= 1.0001 * length[model.grid.wall.node].max()
        assert_no_wall_is_crossed(model, x)
        before = x
        counts.append(list(notes.values()))

    rebuilt, returned = np.sum(counts, axis=0)
    assert rebuilt > 20
    assert returned == 0


@pytest.mark.long
def test_graphs_are_given_up_early_enough_for_bodies_that_come_back_another_way():
    """The section pitches by 10 degrees, its flap by 15 a quarter of a cycle later.

    Measured: 14.8 in two cycles; 88 where elements may be stretched 3-fold, 9216 where 20-fold.
    """
    omega, hinge, pivot = 2 * 0.1 * 0.2, np.array(HINGE), (0.25, 0.0)

    def law(t):
        whole, own = np.radians([10.0 * np.sin(omega * t), 15.0 * np.cos(omega * t)])
        return Pose(whole + own, HINGE, tuple(Pose(whole, pivot).apply(hinge) - hinge))

    pitch = km.motion.pitch(10.0, 0.1, about=pivot)
    motion = {"main": pitch, "slat": pitch, "flap": km.motion.function(law, omega)}
    model = case(motion)

    worst = max(condition(model, x) for x, _ in ride(model, 2 * STEPS))

    assert worst < 20


def test_elements_of_an_earlier_graph_are_not_looked_at():
    mover = ANEW.attach(case().grid.vertices)
    vertices = mover.tables["vertices"]
    wanted = vertices.copy()
    vertices[:] = [0, 1, 2]

    mover._use(0)

    np.testing.assert_array_equal(vertices[:, 0] == vertices[:, 1], wanted[:, 0] == wanted[:, 1])
    assert (vertices[-1] == vertices[-1, 0]).all()


@cache
def round_mesh():
    return km.mesh.cylinder(300, far_field=6.0, around=24)


def mover_and_limit():
    """A mover of nodes about a cylinder, and the shift at which its graph has served.

    There an element is stretched twice as much one way as the other (theory, eq. 4.3).
    """
    model = km.Ale(round_mesh(), mach=0.2, deform=ANEW, moment_about=(0, 0), device="cpu")
    model.rest(model.bodies.poses(np.zeros(1)))
    mover, x = model.deform.attach(model.grid.vertices), model.grid.points
    wall, far = (model.grid.patches[name].node for name in ("wall", "far"))
    corner = np.concatenate([wall, far])[triangulated(x[np.concatenate([wall, far])]).simplices]
    moves = np.isin(corner, wall)[..., None] * [1.0, 0.0]

    def sides(shift):
        return np.diff(x[corner] + shift * moves, axis=1).swapaxes(1, 2)

    def beyond(shift):
        sizes = np.linalg.svd(sides(shift) @ np.linalg.inv(sides(0.0)), compute_uv=False)
        return (sizes[:, 0] / sizes[:, 1]).max() - 2

    return mover, brentq(beyond, 0.0, 5.0, xtol=1e-14)


@pytest.mark.parametrize(("share", "rebuilt"), [(1 - 1e-9, 0), (1 + 1e-9, 1)])
def test_a_graph_serves_until_an_element_is_stretched_twofold(share, rebuilt):
    mover, most = mover_and_limit()

    notes = mover.step(lambda at: [Pose(shift=(share * most * at, 0.0))])

    assert notes["graphs_rebuilt"] == rebuilt


@pytest.mark.parametrize("reach", [2.0**-10, np.nextafter(2.0**-10, 0.0)])
def test_a_step_is_halved_ten_times_at_most(reach):
    """A body that is beyond its graph but in the first part of a step: 1/1024, or less."""
    mover, most = mover_and_limit()

    def law(at):
        return [Pose(shift=((0.98 if at <= reach else 1.01) * most, 0.0))]

    if reach == 2.0**-10:
        assert mover.step(law)["graphs_rebuilt"] == 1
        return
    with pytest.raises(km.NumericalFault, match=r"folds even in parts of .* of a step, 0 into it"):
        mover.step(law)


# ---------------------------------------------------------------- members, starts, restarts


@on_devices
def test_members_that_fold_at_different_times_have_the_bits_of_their_solo_runs(device):
    motions = [flap(10.0), flap(1.0), flap(6.0, phase_deg=200.0)]
    both = case(motions, [SECTION] * 3, device=device, walls=WALLS)
    alone = [case(motion, device=device) for motion in motions]
    rebuilt = []

    for (x, notes), *solo in zip(ride(both, 12), *(ride(m, 12) for m in alone), strict=True):
        np.testing.assert_array_equal(x, np.concatenate([mine for mine, _ in solo]))
        rebuilt.append([other["graphs_rebuilt"] for _, other in solo])
        assert notes["graphs_rebuilt"] == sum(rebuilt[-1])

    one, none, other = np.transpose(rebuilt)
    assert one.any()
    assert other.any()
    assert not none.any()
    assert (one != other).any()


@pytest.mark.parametrize("phase", [90.0, 250.0])
def test_a_motion_that_starts_beyond_the_first_graph_starts_where_it_was_placed(phase):
    model = case(flap(phase_deg=phase))
    model.rest(model.bodies.poses(np.zeros(1)))
    placed = model.backend.get(model.grid.x)
    pose = model.motions[2].pose(0.0, 0.2)

    mover = model.deform.attach(model.grid.vertices)
    np.testing.assert_array_equal(model.backend.get(model.grid.x), placed)
    mover.step(lambda share: [Pose(), Pose(), pose + Pose(1e-9 * share, HINGE)])

    moved = np.abs(model.backend.get(model.grid.x) - placed)
    assert 0 < moved.max() < 1e-9


def test_nodes_that_no_graph_of_the_mesh_as_given_brought_stay_where_they_are():
    model = case()
    x = model.grid.points.copy()
    inner = Places.of(model.grid.vertices, 0).inner
    x[inner] += 1e-4 * np.sin(x[inner])
    model.backend.put(model.grid.x, x)

    mover = model.deform.attach(model.grid.vertices)
    mover.step(lambda share: [Pose(), Pose(), Pose(1e-9 * share, HINGE)])

    assert np.abs(model.backend.get(model.grid.x) - x).max() < 1e-9


@pytest.mark.long
@pytest.mark.parametrize("phase", [0.0, 90.0])
def test_what_a_restart_holds_gives_the_same_bits(phase):
    """Through new graphs, old ones taken up again, and a stack that has lost its first graphs."""
    whole = [x for x, _ in ride(case(flap(phase_deg=phase)), 14)]

    for done in (4, 9):
        first, again = case(flap(phase_deg=phase)), case(flap(phase_deg=phase))
        for model in (first, again):
            model.rest(model.bodies.poses(np.zeros(1)))
        mover = first.deform.attach(first.grid.vertices)
        *_, (x, _) = ride(first, done, mover)
        other = again.deform.attach(again.grid.vertices)
        again.backend.put(again.grid.x, x)
        other.restore({name: np.copy(value) for name, value in mover.state().items()})
        np.testing.assert_array_equal(again.backend.get(again.grid.x), x)
        assert len(other.stages[0]) == len(mover.stages[0]) > 1
        for stage, kept in zip(other.stages[0], mover.stages[0], strict=True):
            np.testing.assert_array_equal(stage.points, kept.points)
        for (found, _), wanted in zip(ride(again, 5, other, done), whole[done:], strict=False):
            np.testing.assert_array_equal(found, wanted)


def test_members_of_other_sizes_and_depths_are_restored():
    section = km.Cloud.from_mesh(km.mesh.airfoil("naca0012", nodes=500, far_field=8.0))
    motions = [km.motion.pitch(20.0, 0.1), flap(), km.motion.pitch(50.0, 0.1)]
    model = case(motions, [section, SECTION, section], walls=[*WALLS, "airfoil"])
    mover = model.deform.attach(model.grid.vertices)
    *_, (x, _) = ride(model, 6, mover)
    assert [len(stages) for stages in mover.stages] == [1, 21, 2]
    other = model.deform.attach(model.grid.vertices)

    other.restore(mover.state())

    np.testing.assert_array_equal(model.backend.get(model.grid.x), x)
    for mine, kept in zip(other.stages, mover.stages, strict=True):
        for stage, wanted in zip(mine, kept, strict=True):
            np.testing.assert_array_equal(stage.points, wanted.points)
            np.testing.assert_array_equal(stage.rows, wanted.rows)


@pytest.mark.long
def test_graphs_beyond_the_most_are_forgotten(monkeypatch):
    monkeypatch.setattr(retriangulated, "DEPTH", 4)
    test_what_a_restart_holds_gives_the_same_bits(0.0)
    model = case()
    mover = model.deform.attach(model.grid.vertices)
    for _ in ride(model, STEPS // 4, mover):
        assert len(mover.stages[0]) <= 4


@pytest.mark.slow
@rough
def test_a_run_with_its_flap_oscillating_ends_with_finite_loads_and_resumes_with_the_same_bits(
    tmp_path,
):
    """Stopped at half a cycle, and pre-flown or not: the bits are those of the whole run."""
    few = km.MeshlessSettings(steady_iterations=20, unsteady_iterations=8)
    whole = case(settings=few).run(cycles=1, steps_per_cycle=8, out=tmp_path / "whole")
    case(settings=few).run(cycles=0.5, steps_per_cycle=8, out=tmp_path / "part", preflight=False)
    assert len(restart.read(tmp_path / "part" / "restart.h5")[0]["deform_depth"]) == 1
    rest = case(settings=few).run(cycles=1, steps_per_cycle=8, out=tmp_path / "part", resume=True,
                                  preflight=False)  # fmt: skip

    assert_same(tmp_path / "whole", tmp_path / "part")
    for name in ("cl", "cd", "cm"):
        assert np.isfinite(whole.history[name]).all()
    assert np.ptp(whole.history["cl"]) > 0.2  # measured: 0.9 to 2.6, far from converged
    told = whole.summary["result"]
    assert told["graphs_rebuilt"] > 10
    assert told["graphs_rebuilt"] == rest.summary["result"]["graphs_rebuilt"]
    assert told["preflight"]["steps"] == 8
    assert told["preflight"]["worst_condition"] < 10


@rough
def test_the_preflight_goes_through_all_cycles_as_they_need_not_be_alike():
    plain, anew = (
        case(flap(1.0), deform=deform, settings=km.MeshlessSettings(unsteady_iterations=1)).run(
            cycles=2, steps_per_cycle=4, start="as is"
        )
        for deform in (km.deform.Delaunay(), ANEW)
    )

    assert plain.summary["result"]["preflight"]["steps"] == 4
    assert anew.summary["result"]["preflight"]["steps"] == 8


# ---------------------------------------------------------------- a uniform stream


class Follower(Mover):
    """Nodes to places that were found before, one set per step."""

    def __init__(self, grid, places):
        super().__init__(grid)
        self.places = iter(places)

    def step(self, poses):
        self.backend.put(self.vertices.x, next(self.places))
        return {}


class Follow(Deformation):
    """Places of all nodes, step by step, as another solver's mover found them."""

    name = "follow"

    def __init__(self, places):
        object.__setattr__(self, "places", places)

    def attach(self, grid):
        return Follower(grid, self.places)


@pytest.mark.long
@on_devices
def test_a_uniform_stream_stays_uniform_through_new_graphs(device):
    """All boundaries let the stream through, and move as walls would."""
    model = case(device=device)
    found = list(ride(model, STEPS))
    assert sum(notes["graphs_rebuilt"] for _, notes in found) > 10
    settings = km.MeshlessSettings()
    open_ = km.Meshless(SECTION, mach=0.4, alpha_deg=17.0, walls=[], device=device,
                        deform=Follow([x for x, _ in found]), settings=settings)  # fmt: skip
    march = open_.iteration(0.0, 3, (settings.unsteady_cfl, 1e3, 1.5), 4)
    open_.backend.put(open_.dualtime.floor, 0.0)
    speed = 0.0

    for step in range(STEPS):
        open_.begin_step(np.array([0.05]), 1 if step == 0 else 2)
        open_.place(along(lambda share: [], 1.0))
        march()
        open_.check_faults(f"step {step}")
        speed = max(speed, np.abs(open_.backend.get(open_.grid.velocity)).max())

    assert np.abs(open_.primitive() - stream(0.4, 17.0)).max() < 1e-12
    assert speed > 0.05


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("value", [1, "yes", None])
def test_retriangulate_takes_true_or_false(value):
    with pytest.raises(km.SettingsError, match=r"retriangulate is .*, expected True or False"):
        km.deform.Delaunay(retriangulate=value)


def test_bodies_that_touch_are_refused_before_any_flow():
    """One ellipse comes down on another; the error names an element between the two."""
    pair = {"lower": Ellipse((0, 0), (0.5, 0.15), 16), "upper": Ellipse((0, 0.8), (0.5, 0.15), 16)}
    cloud = km.Cloud.from_mesh(bodies(pair))
    model = case({"upper": km.motion.plunge(0.6, 0.1)}, cloud)

    with pytest.raises(
        km.NumericalFault,
        match=r"pre-flight of the motion, step \d+ of 32 \(phase \d+ degrees\): member 0: the "
        r"element of nodes .* of a Delaunay graph just built folds even in parts of .*more room",
    ) as error:
        model.run(cycles=1, steps_per_cycle=STEPS, start="as is")

    named = re.search(r"nodes (\d+), (\d+), (\d+)", str(error.value)).groups()
    on = {name: np.unique(edges) for name, edges in cloud.boundaries.items()}
    assert {n for n in on for node in named if int(node) in on[n]} == {"lower", "upper"}
    np.testing.assert_array_equal(model.backend.get(model.grid.x), model.grid.points)


def test_a_cell_that_inverts_on_the_way_is_not_told_to_be_retriangulated():
    """Cells between bodies that slide past each other shear, whatever the graph."""
    upper = Ellipse((-0.5, 0.33), (0.25, 0.08), 32)
    mesh = bodies({"lower": Ellipse((0, 0), (0.5, 0.15), 48), "upper": upper})
    motion = {"upper": km.motion.plunge(0.5, 0.1, direction=(1, 0))}
    model = km.Ale(mesh, mach=0.2, motion=motion, deform=ANEW, device="cpu")

    with pytest.raises(km.NumericalFault, match="inverted; try a smaller motion, rigid motion"):
        model.run(cycles=1, steps_per_cycle=STEPS, start="as is")


def test_walls_nearer_than_their_edges_are_long_are_refused():
    """A node of one ellipse comes to a twentieth of an edge's length from the middle of another's.

    No circle through the edge's ends leaves out both that node and the ellipse's far side.
    """
    mesh = bodies(
        {"lower": Ellipse((0, 0), (0.5, 0.15), 16), "upper": Ellipse((0.095, 0.8), (0.5, 0.15), 16)}
    )
    model = km.Ale(mesh, mach=0.2, motion={"upper": km.motion.plunge(0.49, 0.1)}, deform=ANEW,
                   device="cpu")  # fmt: skip

    with pytest.raises(
        km.NumericalFault,
        match=r"member 0, graph built anew: the wall between nodes \d+ and \d+ \(x = 0\.095\d+, "
        r"y = 0\.144\d+\) is no edge of the Delaunay graph.*more room",
    ):
        list(ride(model, STEPS))


def test_a_node_that_is_pressed_onto_a_wall_is_named():
    model = case()
    mover = model.deform.attach(model.grid.vertices)
    edge = model.grid.wall.node[0], model.grid.wall.shape["ends"][0, 1]
    node = mover.places[0].inner[7]
    points = model.grid.points.copy()
    points[node] = points[list(edge)].mean(axis=0)
    mover.here = np.zeros((3, 6))

    number = model.grid.meshes[0].original[node]
    with pytest.raises(
        km.NumericalFault,
        match=rf"member 0, graph built anew: node {number} \(x = .*\) has come to lie on a wall",
    ):
        mover._rebuild(0, points)


def test_a_node_outside_the_graph_is_named_by_the_user_s_number():
    """A far field with a dent, behind which nodes lie outside the triangles of the boundary."""
    model = case()
    grid = model.grid.vertices
    points = grid.points.copy()
    node = Places.of(grid, 0).inner[0]
    points[node] = (11.0, 0.0)

    with pytest.raises(
        km.MeshError,
        match=rf"node {grid.meshes[0].original[node]} \(x = 11, y = 0\) lies outside the Delaunay",
    ):
        Graph.of(grid, points, 0, Places.of(grid, 0))
