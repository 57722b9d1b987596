"""Incompressible flow on overset parts: exact streams, members, restarts, what is refused."""

import re
import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import ArgumentError, MeshError, OversetError, SettingsError
from kinemesh.io import fields
from kinemesh.mesh import Mesh
from kinemesh.overset import Part
from kinemesh.overset.watch import Watch
from kinemesh.run.preflight import fly
from placements import along
from solver_cases import on_devices
from squares import square

TIGHT = km.IncompressibleSettings(momentum_drop=1e-6, pressure_tolerance=1e-10)
BACK = km.mesh.background(box=(-4, 4, -4, 4), core=(-2, 2, -2, 2), spacing=0.11, growth=1.3)
ROUND = km.mesh.cylinder(640, far_field=1.6, around=40, wall_spacing=0.03, outer="overset")
pytestmark = pytest.mark.filterwarnings("ignore:.* moves at once:RuntimeWarning")
PLUNGE = km.motion.plunge(amplitude=0.3, k=1.0)


def patch(size, kind):
    """A square without walls about the origin, its rim an overset boundary."""
    made = square(14, kind, size)
    sides = {"overset": made.boundaries["rim"]}
    return Mesh(made.points - size / 2, made.triangles, made.quads, sides)


def case(parts=None, **options):
    told = {"reynolds": 100.0, "device": "cpu", "moment_about": (0.0, 0.0)}
    parts = {"body": ROUND, "back": BACK} if parts is None else parts
    return km.Incompressible(parts, **(told | options))


def turning(rate_deg, velocity, about):
    """A part that turns and shifts."""
    turn = km.motion.rotate(rate_deg=rate_deg, about=about)
    return turn + km.motion.translate(velocity=velocity)


# ---------------------------------------------------------------- exact


@pytest.mark.parametrize(
    ("dtype", "velocity", "pressure"), [("float64", 1e-12, 1e-11), ("float32", 2e-6, 1e-4)]
)
@on_devices
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_parts_that_turn_and_shift_leave_a_stream(device, dtype, velocity, pressure):
    """Three parts, triangles and quadrilaterals.

    Pressures of float32: eps of a velocity, over the time step and along the box, 1e-5, some times.
    """
    parts = {
        "one": Part(patch(2.2, "quads"), at=(-0.8, 0.1), angle_deg=10.0),
        "two": Part(patch(1.9, "triangles"), at=(1.1, 0.2), angle_deg=-20.0),
        "back": BACK,
    }
    motion = {
        "one": turning(40.0, (0.3, 0.1), (-0.8, 0.1)),
        "two": turning(-30.0, (-0.2, 0.3), (1.1, 0.2)),
    }
    made = case(parts, motion=motion, alpha_deg=20.0, device=device, dtype=dtype, settings=TIGHT)
    made.run(time_step=0.05, steps=8)
    get = made.backend.get
    status = get(made.parts.connectivity.status)
    assert (status == -1).any()
    assert (status == 0).any()
    error = get(made.projection.flow["u"]).astype(float) - made.inflow[0]
    assert np.abs(error).max() < velocity
    assert np.abs(get(made.projection.flow["p"])).max() < pressure


def test_one_part_alone_is_the_solver_on_its_mesh():
    """The background with a hole about a body, once as a part and once as a mesh."""
    mesh = km.mesh.cylinder(600, far_field=10.0)
    alone, part = case(mesh, settings=TIGHT), case({"body": mesh}, settings=TIGHT)
    histories = [made.run(time_step=0.1, steps=3).history for made in (alone, part)]
    for name in ("cl", "cd", "cm"):
        assert histories[1][name] == pytest.approx(histories[0][name], abs=1e-8)


def test_field_nodes_are_closed_to_the_tolerance():
    made = case(motion={"body": PLUNGE}, settings=TIGHT)
    run = made.run(cycles=0.1, steps_per_cycle=100, start="as is")
    assert run.history["divergence"].max() < 1e-8
    assert np.abs(run.history["mass_defect"]).max() < 0.05


# ---------------------------------------------------------------- runs


def test_a_member_has_the_bits_of_its_run_alone():
    motions = [{"body": km.motion.plunge(amplitude=a, k=1.0)} for a in (0.2, 0.35)]
    told = {"reynolds": [80.0, 150.0]}
    both = case(motion=motions, **told).run(cycles=0.05, steps_per_cycle=100)
    for m, motion in enumerate(motions):
        alone = case(motion=motion, reynolds=told["reynolds"][m])
        own = alone.run(cycles=0.05, steps_per_cycle=100)
        table, rows = both.history, both.history["member"] == m
        for name in ("cl", "cd", "cm", "pressure_iterations", "mass_defect"):
            assert np.array_equal(table[name][rows], own.history[name])


def test_a_run_that_goes_on_has_the_bits_of_one_that_was_not_stopped(tmp_path):
    whole = case(motion={"body": PLUNGE}).run(time_step=0.02, steps=8)
    case(motion={"body": PLUNGE}).run(time_step=0.02, steps=4, out=tmp_path)
    rest = case(motion={"body": PLUNGE}).run(time_step=0.02, steps=8, out=tmp_path, resume=True)
    for name in ("cl", "cd", "cm"):
        assert np.array_equal(rest.history[name], whole.history[name])


class Renewals:
    """In place of what a case renews: the steps in which it does."""

    def __init__(self, made):
        self.made, self.renew, self.steps = made, made.projection.renew, []
        made.projection.renew = self

    def __call__(self):
        self.steps.append(self.made.step_number)
        self.renew()


def forgetful(made):
    """A case that knows nothing of the last poses."""
    place = made.parts.place

    def forgetting(*given):
        made.parts._done = None
        place(*given)

    made.parts.place = forgetting
    return made


def pausing(t):
    """At rest, then drifting from 0.2 to 0.4, then at rest again."""
    return km.motion.Pose(0.0, (0.0, 0.0), (0.2 * min(max(t - 0.2, 0.0), 0.2), 0.0))


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("motion", "moved"),
    [
        (None, []),
        ({"body": km.motion.function(pausing)}, [5, 6, 7, 8]),
        ([{"body": km.motion.function(pausing)}, None], [5, 6, 7, 8]),
        ([{"body": PLUNGE}, None], list(range(1, 11))),
    ],
    ids=["rest", "pausing", "members", "one moves"],
)
def test_only_parts_that_have_moved_are_connected_anew(motion, moved):
    made = case(motion=motion)
    renewals = Renewals(made)
    run = made.run(time_step=0.05, steps=10)
    assert [step for step in renewals.steps if step] == moved
    every = forgetful(case(motion=motion))
    renewals = Renewals(every)
    again = every.run(time_step=0.05, steps=10)
    assert [step for step in renewals.steps if step] == list(range(1, 11))
    for name in run.history.columns:
        np.testing.assert_array_equal(run.history[name], again.history[name], name)


def test_a_run_that_goes_on_with_parts_at_rest_has_the_bits_of_one_that_was_not_stopped(tmp_path):
    motion = {"body": km.motion.function(pausing)}
    whole = case(motion=motion).run(time_step=0.05, steps=12, out=tmp_path / "whole")
    case(motion=motion).run(time_step=0.05, steps=10, out=tmp_path / "parts")
    on = case(motion=motion).run(time_step=0.05, steps=12, out=tmp_path / "parts", resume=True)
    for name in whole.history.columns:
        np.testing.assert_array_equal(on.history[name], whole.history[name], name)


def test_a_look_at_the_connectivity_leaves_a_case_at_rest_as_it_was():
    made = case()
    made.run(time_step=0.05, steps=2)
    renewals = Renewals(made)
    status = made.backend.get(made.parts.connectivity.status)
    made.connectivity(time=0.0)
    made.begin_step(np.array([0.05]), 1)
    made.place(along(lambda share: made.bodies.poses(np.zeros(1)), 1.0))
    np.testing.assert_array_equal(made.backend.get(made.parts.connectivity.status), status)
    assert len(renewals.steps) == 1
    made.connectivity(time=0.0)
    made.place(along(lambda share: made.bodies.poses(np.zeros(1)), 1.0))
    assert len(renewals.steps) == 1


def test_fields_tell_status_and_part_and_hide_what_is_not_solved(tmp_path):
    made = case(motion={"body": PLUNGE})
    made.run(time_step=0.05, steps=4, out=tmp_path)
    found = fields.read(tmp_path / "flow.vtkhdf")
    blank, part = found["fields"]["iblank"], found["fields"]["Part"]
    assert set(np.unique(blank)) == {-1, 0, 1}
    assert np.array_equal(np.bincount(part), [ROUND.nodes, BACK.nodes])
    shown = np.where(found["cells"] < 0, found["cells"][:, :1], found["cells"])
    assert (blank[shown] != 0).all()
    every = len(ROUND.cells) + len(BACK.cells)
    assert 0.5 * every < len(shown) < every


def test_a_pre_flight_finds_a_part_that_leaves_its_background():
    parts = {"body": ROUND, "back": km.mesh.background((-3, 3, -3, 3), (-3, 3, -3, 3), 0.1)}
    made = case(parts, motion={"body": km.motion.translate(velocity=(1.0, 0.0), ramp=0.5)})
    with pytest.raises(
        OversetError,
        match=r"pre-flight of the motion, step \d+ of 40 \(time \d\.?\d?\).*'body'.*beyond 'back'",
    ) as caught:
        made.run(time_step=0.1, steps=40)
    assert len(re.findall(r"step \d+ of \d+", str(caught.value))) == 1


def test_a_pre_flight_tells_the_worst_of_the_connectivity():
    run = case(motion={"body": PLUNGE}).run(time_step=0.05, steps=3)
    told = run.summary["result"]["preflight"]
    assert told["receptors"] > 0
    assert told["poor_donors"] == 0
    assert 0 <= told["receptors_time"] < 0.151
    assert "receptors_phase_deg" not in told  # there is no cycle


@pytest.fixture
def warned():
    """Callable: what a pre-flight of 20 steps of a part that drifts warns of."""

    def fly_over(part):
        drift = km.motion.translate(velocity=(0.2, 0.0), ramp=1.0)
        made = case({"one": part, "back": BACK}, motion={"one": drift})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fly(made, np.array([0.05]), 20, None)
        return [str(warning.message) for warning in caught]

    return fly_over


def test_cells_of_other_sizes_are_warned_of_once_before_a_run(warned):
    """Squares of 0.35 / 14 in squares of 0.11, a little less as 4 / 0.11 is no whole number."""
    (told,) = warned(patch(0.35, "quads"))
    assert re.fullmatch(
        r"member 0: cells at node \d+ of 'one' \(.*\) are 0\.2[23] times as large as those .*, "
        r"expected 1/3 to 3 \(step 0 of 20, time 0\); like sizes where parts end",
        told,
    )
    assert warned(ROUND) == []


def test_donors_that_are_receptors_are_warned_of_once_before_a_run(warned, monkeypatch):
    look = Watch.look

    def poor(self, when):  # one receptor's donor, from the fourth pose on
        get, put = self.made.backend.get, self.made.backend.put
        status, donor = get(self.made.status), get(self.made.donor)
        receptors = np.flatnonzero(status == -1)
        donor[receptors[0], 0] = receptors[-1]
        put(self.made.donor, donor)
        counts = get(self.made.counts)
        counts[0, 1] = self.poses >= 3
        put(self.made.counts, counts)
        look(self, when)

    monkeypatch.setattr(Watch, "look", poor)
    (told,) = warned(ROUND)
    assert re.search(
        r"member 0: 1 of \d+ receptors take values .*, such as node \d+ of '.*' \(.*\) "
        r"\(step 3 of 20, time 0.15\); more cells",
        told,
    )


# ---------------------------------------------------------------- settings


def taken_error(interpolation):
    """Largest error of a smooth flow, u = (sin x cos y, -cos x sin y), at receptors."""
    made = case(settings=km.IncompressibleSettings(interpolation=interpolation), motion=None)
    view, put, get = made.projection.fields, made.backend.put, made.backend.get
    x, y = get(made.grid.x).T
    flow = np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)], axis=1)
    receptor = get(made.parts.connectivity.status) == -1
    put(view["u"], np.where(receptor[:, None], 0.0, flow))
    put(view["grad"], np.stack([np.cos(x) * np.cos(y), -np.sin(x) * np.sin(y),
                                np.sin(x) * np.sin(y), -np.cos(x) * np.cos(y)], 1))  # fmt: skip
    for call in made.projection.operators.take(view, view["u"], view["grad"]):
        call()
    return np.abs(get(view["u"]) - flow)[receptor].max()


def test_linear_interpolation_errs_by_the_curvature_and_quadratic_by_less():
    """Linear: at most h^2 / 8 of the second derivatives' sum, 2, in cells of at most 0.15."""
    linear, quadratic = (taken_error(name) for name in ("linear", "quadratic"))
    assert 1e-4 < linear < 2 * 0.15**2 / 8
    assert quadratic < linear / 4


def test_an_overlap_of_one_layer_runs_where_three_have_no_room():
    back = km.mesh.background((-4, 4, -4, 4), (-2, 2, -2, 2), 0.16, growth=1.3)
    one, three = ({"settings": km.IncompressibleSettings(overlap=k)} for k in (1, 3))
    with pytest.raises(OversetError, match=r"needs 5: .*, or overlap=1"):
        case({"body": ROUND, "back": back}, **three)
    run = case({"body": ROUND, "back": back}, **one).run(time_step=0.05, steps=5)
    wide = case(**one).run(time_step=0.05, steps=5)
    assert run.history.cd[-1] == pytest.approx(wide.history.cd[-1], rel=0.1)  # of other cells


@pytest.mark.no_sanitizer
def test_loads_in_float32_are_those_in_float64():
    """Within 1e-3 of the largest: 7 digits less two of the sum of friction and pressure and two of
    the time step; 20 steps of a section of 3000 nodes gave 2e-4."""
    rows = [case(motion={"body": PLUNGE}, dtype=dtype).run(time_step=0.05, steps=20).history
            for dtype in ("float64", "float32")]  # fmt: skip
    for name in ("cl", "cd"):
        double, single = (own[name] for own in rows)
        assert 0 < np.abs(single - double).max() < 1e-3 * np.abs(double).max()


# ---------------------------------------------------------------- bad input


@pytest.mark.filterwarnings("ignore:.*moment_about:RuntimeWarning")
@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"parts": {"body": ROUND}}, OversetError, "each has an overset boundary"),
        (
            {"parts": ROUND},
            OversetError,
            "member 0: the mesh ends at a marker 'overset', within other",
        ),
        ({"parts": {"back": ROUND, "b": 3}}, OversetError, "part 'b' is a int"),
        ({"motion": {"wing": PLUNGE}}, OversetError, "motion of .'wing'., expected parts"),
        ({"deform": km.deform.TorsionalSprings()}, SettingsError, "move as rigid bodies"),
        ({"walls": ["lid"]}, MeshError, "is in no part"),
        ({"parts": [{"body": ROUND, "back": BACK}, BACK]}, OversetError, "member 1 is one mesh"),
        ({"reynolds": 0.0}, SettingsError, "reynolds is 0.0, expected a number above 0"),
        (
            {"mach": 0.3},
            ArgumentError,
            "Incompressible: unknown argument 'mach'; expected mesh, rey",
        ),
        (
            {"parts": {"a": BACK, "b": BACK}},
            OversetError,
            r"'a', 'b'. have no overset boundary.* sphere and wing make by",
        ),
        (
            {"parts": {"body": Part(ROUND, at=(3.5, 0)), "back": BACK}},
            OversetError,
            r"'body' reaches \(4\.\d+, [-\d.]+\), beyond 'back' .*initial flow",
        ),
        (
            {"parts": {"a": ROUND, "b": Part(ROUND, at=(0.6, 0.0)), "back": BACK}},
            OversetError,
            r"walls of 'a' and 'b' intersect: node \d+ of 'a' .*initial flow",
        ),
    ],
)
def test_what_makes_no_case_is_refused(options, error, told):
    with pytest.raises(error, match=told):
        case(**options)


@pytest.mark.parametrize("name", ["u", "p"])
def test_a_flow_that_is_no_number_is_told_by_member_part_and_node(name):
    made = case({"body": Part(ROUND, at=(0.3, 0.1)), "back": BACK}, reynolds=[50.0, 100.0])
    mesh = made.grid.meshes[1]
    row = made.grid.first[1] + mesh.first[1] + 5
    flow = {"u": np.ones((made.grid.nodes, 2)), "p": np.zeros(made.grid.nodes)}
    flow[name][row] = np.nan
    node, (x, y) = BACK.renumbered().original[5], made.grid.points[row]
    with pytest.raises(SettingsError) as caught:
        made.initialise(**flow)
    place = f"{name}: member 1 at node {node} of 'back' (x = {x:.6g}, y = {y:.6g}) is "
    assert place in str(caught.value)


def test_a_step_in_which_a_body_crosses_its_fringe_is_found_before_the_run():
    made = case(motion={"body": km.motion.translate(velocity=(1.0, 0.0), ramp=0.01)})
    with pytest.raises(
        OversetError, match=r"step 1 of 2 \(time 1\): node \d+ of 'back' .* had no "
    ):
        made.run(time_step=1.0, steps=2)


def test_cells_that_are_not_convex_are_refused_by_place():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]])
    around = {"far": np.array([[0, 1], [1, 2], [2, 3], [3, 0]])}
    with pytest.raises(MeshError, match=r"quad 0 .* at \(0, 0\), .*the quad is not convex"):
        case({"body": ROUND, "back": Mesh.from_arrays(points, np.array([[0, 1, 2, 3]]), around)})


def test_faces_trust_their_memory_from_four_layers_beyond_the_overlap():
    """Overset.md, 2.5: not at all where nodes are exchanged, and whole before the wall."""
    made = case()
    trust, link = made.backend.get(made.projection.flow["trust"]), made.parts.connectivity
    reach = link.fringe + link.overlap + 2

    found = [np.unique(trust[link.layer == reach + k]).tolist() for k in (-1, 0, 1, 2, 3, 4, 8)]

    assert found == [[0.0], [0.0], [0.25], [0.5], [0.75], [1.0], [1.0]]
