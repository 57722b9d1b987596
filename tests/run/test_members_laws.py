"""A motion that fails, or springs that cannot be set up, fail their member alone."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.linear.cg import Cg
from kinemesh.motion import Motion, Pose, Rate
from kinemesh.run import interrupt
from scipy.spatial import QhullError

pytestmark = pytest.mark.filterwarnings("ignore:(member|steady flow|.*edges):RuntimeWarning")
LAST = 1.6  # time up to which laws have poses: in the fourth step of six
RUN = {"time_step": 0.5, "steps": 6}
QUICK = {"steady_drop": 0.1, "steady_iterations": 40, "unsteady_drop": 1e-2}
MOVES = {
    "rigid": km.deform.Rigid(),
    "springs": km.deform.TorsionalSprings(),
    "delaunay": km.deform.Delaunay(),
    "anew": km.deform.Delaunay(retriangulate=True),
}


@cache
def mesh():
    return km.mesh.airfoil("naca0012", nodes=500, far_field=8)


def pose_at(t):
    return Pose(0.02 * np.sin(0.3 * t))


def law(then, last=LAST, omega=None):
    """A motion whose function gives what `then` gives from a time on."""
    return km.motion.function(lambda t: then(t) if t > last else pose_at(t), omega)


class Rates(Motion):
    """A user's motion, with rates of its own that are none from a time on."""

    def pose(self, t, u_inf):
        return pose_at(t)

    def rate(self, t, u_inf):
        return Rate(np.nan if t > LAST else 0.006 * np.cos(0.3 * t))

    def omega(self, u_inf):
        return None


class Tuples(Rates):
    """A user's motion that gives tuples for poses from a time on."""

    def pose(self, t, u_inf):
        return (0.0, (0.0, 0.0)) if t > LAST else pose_at(t)


def gone(t):
    raise LookupError(f"the table ends before {t:g}")


LAWS = {
    "raises": (law(gone), "LookupError: the table ends before 2"),
    "is nan": (law(lambda t: Pose(np.nan)), "Pose: angle = nan, expected a finite number"),
    "is no pose": (law(lambda t: None), "function: the callable gave None at t = 2.0"),
    "is a tuple": (Tuples(), "motion: got (0.0, (0.0, 0.0)), expected a Pose"),
    "is too far": (law(lambda t: Pose(shift=(0.0, 1e155))), "shift = 1e+155, expected at most"),
    "turns too far": (law(lambda t: Pose(-1e155)), "angle = -1e+155, expected at most 1e+100"),
    "has no rate": (Rates(), "Rate: angle = nan, expected a finite number"),
}


def made(move, laws, **settings):
    chosen = km.AleSettings(**(QUICK | settings))
    return km.Ale(mesh(), mach=[0.4, 0.5, 0.6][: len(laws)], motion=laws, deform=MOVES[move],
                  settings=chosen, device="cpu")  # fmt: skip


def good(k):
    return km.motion.pitch(1.0 + k, 0.1)


def assert_alone(move, motion, **run):
    """The run of three members of which the second one fails; the others have their solo bits."""
    solver = made(move, [good(0), motion, good(2)])
    found = solver.run(**RUN, **run)
    for m in (0, 2):
        solo = km.Ale(mesh(), mach=[0.4, 0.5, 0.6][m], motion=good(m), deform=MOVES[move],
                      settings=km.AleSettings(**QUICK), device="cpu").run(**RUN, **run)  # fmt: skip
        ours = found.history.member(m)
        for name in set(ours.columns) - {"member"}:
            np.testing.assert_array_equal(ours[name], solo.history[name], err_msg=name)
    assert [row["member"] for row in found.failed] == [1]
    return found


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("move", "kind"),
    [*(("rigid", kind) for kind in LAWS), *((m, "raises") for m in MOVES if m != "rigid"),
     ("springs", "is nan"), ("anew", "is too far")],
)  # fmt: skip
def test_a_motion_that_fails_in_a_step_fails_its_member_alone(move, kind):
    motion, cause = LAWS[kind]

    run = assert_alone(move, motion, preflight=False)

    (failure,) = run.failed
    assert cause in failure["cause"]
    assert failure["cause"].startswith("the motion of airfoil fails at time 2 chord/a_inf: ")
    assert failure["place"] == "body airfoil"
    assert failure["step"] == 4
    assert run.history.member(1)["step"].tolist() == [1, 2, 3]


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("move", ["springs", "delaunay", "anew"])
def test_a_motion_that_fails_in_the_preflight_fails_its_member_alone(move):
    run = assert_alone(move, LAWS["raises"][0])

    (failure,) = run.failed
    assert failure["phase"].startswith("pre-flight of the motion, step 4 of 6")
    assert run.history.members == [0, 2]


@pytest.mark.no_sanitizer
def test_a_motion_that_fails_where_it_starts_fails_its_member_alone():
    """Rigid motion has no pre-flight that would fail the member earlier."""
    run = assert_alone("rigid", law(gone, last=-1.0))

    (failure,) = run.failed
    assert (failure["phase"], failure["step"]) == ("start of the motion", 0)
    assert "fails at time 0 chord/a_inf" in failure["cause"]


@pytest.mark.parametrize("kind", LAWS)
def test_alone_a_motion_that_fails_at_the_end_raises_before_the_run(kind, tmp_path):
    with pytest.raises((LookupError, km.SettingsError)) as raised:
        made("rigid", [LAWS[kind][0]]).run(**RUN, out=tmp_path / "out")

    assert isinstance(raised.value, LookupError) == (kind == "raises")
    assert not (tmp_path / "out").exists()


@pytest.mark.no_sanitizer
def test_a_motion_may_end_where_a_run_until_it_is_periodic_has_ended():
    """Four cycles are asked for at most; poses of their end tell runs apart, and are none here."""
    omega = 0.3
    laws = [law(pose_at, omega=omega), law(gone, last=3.2 * 2 * np.pi / omega, omega=omega)]

    run = made("rigid", laws).run(
        cycles=4, steps_per_cycle=8, until="periodic", periodic_tolerance=0.9
    )

    assert run.summary["conditions"]["cycles"] < 4
    assert run.failed == []


def test_a_run_goes_on_after_a_motion_failed(tmp_path, monkeypatch):
    """In the step of its failure the member has no row, neither in the file nor in the tally."""
    monkeypatch.setattr("kinemesh.run.plan.Plan.restart_every", 1)
    laws = [good(0), Rates()]
    whole = made("rigid", laws).run(**RUN, out=tmp_path / "whole")
    cut, real = made("rigid", laws), interrupt.check

    def check():
        real()
        if cut.grid.ensemble.step == 4:
            interrupt._asked = True

    with monkeypatch.context() as patched:
        patched.setattr(interrupt, "check", check)
        with pytest.raises(KeyboardInterrupt):
            cut.run(**RUN, out=tmp_path / "cut")
    two = made("rigid", laws).run(**RUN, out=tmp_path / "cut", resume=True)

    assert two.failed == whole.failed
    assert [row["step"] for row in two.failed] == [4]
    pair = [(tmp_path / name / "history.csv").read_bytes() for name in ("whole", "cut")]
    assert pair[0] == pair[1]


@pytest.mark.no_sanitizer
def test_a_failure_is_told_as_in_a_run_that_was_longer_from_the_start(tmp_path):
    laws = [good(0), law(gone)]
    made("rigid", laws).run(time_step=0.5, steps=5, out=tmp_path)

    longer = made("rigid", laws).run(**RUN, out=tmp_path, resume=True)

    assert longer.failed == made("rigid", laws).run(**RUN).failed
    assert longer.failed[0]["phase"] == "step 4"


def test_poses_beyond_all_squares_and_rates_that_are_none_are_refused():
    for pose in ({"angle": 1e101}, {"shift": (0.0, -1e101)}, {"about": (1e101, 0.0)}):
        with pytest.raises(km.SettingsError, match=r"expected at most 1e\+100"):
            Pose(**pose)
    with pytest.raises(km.SettingsError, match="Rate: shift = inf, expected a finite number"):
        Rate(shift=(np.inf, 0.0))


# ---- springs that cannot be set up --------------------------------------------------------


def singular(monkeypatch, when, members=(1,)):
    """Hierarchies of these members, of whom each has its own start, fail where `when` holds."""
    real = Cg.hierarchy

    def hierarchy(self, member, x):
        if member in members and when():
            raise np.linalg.LinAlgError("singular matrix")
        return real(self, member, x)

    monkeypatch.setattr(Cg, "hierarchy", hierarchy)


def turned(k):
    """A motion that starts from another pose than given, another one for each member."""
    return km.motion.pitch(1.0 + k, 0.1, phase_deg=60.0)


@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("phase", "preflight"), [("pre-flight of the motion, ", True), ("step 1", False)]
)
def test_a_hierarchy_that_cannot_be_made_fails_its_member_alone(phase, preflight, monkeypatch):
    alone = made("springs", [turned(0)]).run(**RUN, preflight=preflight)
    solver = made("springs", [turned(k) for k in range(3)])
    ensemble = solver.grid.ensemble
    singular(monkeypatch, lambda: ensemble.phase.startswith(phase))

    run = solver.run(**RUN, preflight=preflight)

    (failure,) = run.failed
    assert (failure["member"], failure["step"]) == (1, 1)
    told = "the springs' multigrid cannot be set up (LinAlgError: singular matrix)"
    assert failure["cause"] == told
    np.testing.assert_array_equal(run.history.member(0)["cl"], alone.history["cl"])
    assert run.history.member(2).rows == 6


def test_hierarchies_that_cannot_be_made_of_all_members_end_the_run(monkeypatch):
    singular(monkeypatch, lambda: True, members=(0, 1))

    with pytest.warns(RuntimeWarning, match="all 2 members failed"):
        run = made("springs", [turned(0), turned(1)]).run(**RUN)

    assert [row["member"] for row in run.failed] == [0, 1]


def test_alone_a_hierarchy_that_cannot_be_made_raises_what_scipy_raised(monkeypatch):
    singular(monkeypatch, lambda: True, members=(0,))

    with pytest.raises(np.linalg.LinAlgError, match="singular matrix"):
        made("springs", [turned(0)]).run(**RUN)


def test_a_machine_without_memory_fails_no_member(monkeypatch):
    def hierarchy(self, member, x):
        raise MemoryError

    monkeypatch.setattr(Cg, "hierarchy", hierarchy)

    with pytest.raises(MemoryError):
        made("springs", [turned(0), turned(1)]).run(**RUN)


def test_a_graph_that_qhull_cannot_make_fails_its_member_alone(monkeypatch):
    grid = made("anew", [good(0), good(1)]).grid.vertices
    mover = MOVES["anew"].attach(grid)

    def triangulated(points):
        raise QhullError("QH6154 initial simplex is flat")

    monkeypatch.setattr("kinemesh.deform.graph.triangulated", triangulated)
    with grid.ensemble.reporting():
        mover._rebuild(1, grid.points)

        assert list(grid.ensemble.failures) == [1]
        assert "simplex is flat" in grid.ensemble.failures[1].cause


def test_a_function_that_tells_another_motion_is_asked_anew_by_the_next_run():
    angle = [0.02]

    def solver():
        motion = km.motion.function(lambda t: Pose(angle[0] * np.cos(0.3 * t)))
        return km.Ale(
            mesh(), mach=0.5, motion=motion, device="cpu", settings=km.AleSettings(**QUICK)
        )

    once = {"time_step": 0.5, "steps": 1}
    again = solver()
    again.run(**once)
    angle[0] = 0.04
    again.initialise()

    found, expected = again.run(**once).history, solver().run(**once).history

    for name in expected.columns:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
