"""A member that fails does so alone: the others keep the bits of their solo runs."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.faults import DIVERGED, PRESSURE, TEXTS
from kinemesh.io import restart
from kinemesh.motion import Pose
from kinemesh.run import criteria, interrupt
from solver_cases import on_devices

pytestmark = pytest.mark.filterwarnings(
    "ignore:(member|steady flow|left out|all|.*pivot|.*edges):RuntimeWarning",
    "ignore:left out:UserWarning",
)
STEPS = 6
RUN = {"time_step": 0.5, "steps": STEPS}
QUICK = {"steady_drop": 0.1, "steady_iterations": 40, "unsteady_drop": 1e-2}
MOVES = {
    "springs": km.deform.TorsionalSprings(halvings=1),
    "bicgstab": km.deform.TorsionalSprings(solver="bicgstab", halvings=1),
    "delaunay": km.deform.Delaunay(),
    "anew": km.deform.Delaunay(retriangulate=True),
    "rigid": km.deform.Rigid(),
}
WAYS = [
    *(("ale", move, {}) for move in MOVES),
    ("ale", "rigid", {"linear_solver": "lusgs"}),
    *(("meshless", move, {"time": "bicgstab"}) for move in ("delaunay", "anew")),
    *(("meshless", "rigid", {"time": time}) for time in ("lusgs", "rk")),
]


@cache
def mesh(nodes=500):
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=8)


@cache
def cloud(nodes=500):
    return km.Cloud.from_mesh(mesh(nodes))


def folding(move, at=1.6):
    """A motion that no such deformation follows from a time on: through the far field and beyond.

    A rigid mesh goes so far that all its nodes come to lie on one point, but for round-off.
    """
    far = 1e18 if move == "rigid" else -8.0
    return km.motion.function(lambda t: Pose(0.0, (0.25, 0.0), (0.0, far * (t > at))))


MACH = [0.5, 0.4, 0.3, 0.5, 0.6, 0.45]


def made(kind, move, picked=range(6), device="cpu", motion=None, settings=None):
    """The case of these members; each has its Mach number and amplitude, two have another mesh."""
    space, solver = (mesh, km.Ale) if kind == "ale" else (cloud, km.Meshless)
    chosen = (km.AleSettings if kind == "ale" else km.MeshlessSettings)(
        **(QUICK | (settings or {}))
    )
    motions = [km.motion.pitch(1.0 + m, 0.1) for m in range(6)]
    motions[3] = folding(move) if motion is None else motion
    given = {"mach": MACH, "motion": motions}
    told = {name: [values[m] for m in picked] for name, values in given.items()}
    spaces = [space(760 if m in (2, 4) else 500) for m in picked]
    return solver(spaces, **told, deform=MOVES[move], device=device, settings=chosen)


def spoiled(solver, faults):
    """The solver, whose members lose a node's energy ("vacuum") or have one beyond all bounds
    ("divergence") where steps begin; faults: {member: (step, what)}."""
    real = solver.predict

    def predict():
        real()
        u = solver.backend.get(solver.u)
        for member, (step, what) in faults.items():
            if solver.grid.ensemble.step == step:
                node = solver.grid.first[member] + 300
                u[node] = (
                    [*u[node, :-1], 0.01 * u[node, -1]] if what == "vacuum" else 1e200 * u[node]
                )
        solver.backend.put(solver.u, u)

    solver.predict = predict
    return solver


def broken(kind, move, device="cpu", settings=None, picked=range(6)):
    """Six members of which 1, 3 and 4 break: vacuum, a mesh that folds, divergence."""
    solver = made(kind, move, picked, device, settings=settings)
    return spoiled(solver, {1: (3, "vacuum"), 4: (5, "divergence")})


def assert_alone(run, solver, others, alone):
    """Rows and flow of each of the `others` are those of its solo run, `alone(member)`."""
    first, q = solver.grid.first, solver.primitive()
    for m in others:
        solo, its_run = alone(m)
        ours, theirs = run.history.member(m), its_run.history.member(0)
        for name in set(ours.columns) - {"member"}:
            np.testing.assert_array_equal(ours[name], theirs[name], err_msg=f"{name} of {m}")
        np.testing.assert_array_equal(q[first[m] : first[m + 1]], solo.primitive())


@pytest.mark.long
@pytest.mark.no_sanitizer
@on_devices
@pytest.mark.parametrize(("kind", "move", "settings"), WAYS)
def test_the_others_have_the_bits_of_their_solo_runs(kind, move, settings, device):
    solver = broken(kind, move, device, settings)

    run = solver.run(**RUN, preflight=False)

    def alone(member):
        solo = made(kind, move, [member], device, settings=settings)
        return solo, solo.run(**RUN, preflight=False)

    assert_alone(run, solver, (0, 2, 5), alone)
    assert [row["member"] for row in run.failed] == [1, 3, 4]
    assert [row["step"] for row in run.failed] == [3, 4, 5]
    assert [row["phase"] for row in run.failed] == [f"step {n}" for n in (3, 4, 5)]
    rows = [run.history.member(m).rows for m in range(6)]
    assert rows == [STEPS, 2, STEPS, 3, 4, STEPS]
    made_in = np.array([run.history.member(m)["inner_iterations"].sum() for m in range(6)])
    made_in[[1, 4]] += [run.failed[0]["iteration"], run.failed[2]["iteration"]]
    told = run.summary["result"]["inner_iterations"]
    if (kind, move) != ("meshless", "rigid"):  # where the mesh folds no pseudo-step is made
        assert told == made_in.tolist()
    vacuum, fold, divergence = run.failed
    number = solver.grid.meshes[1].original[300]
    assert TEXTS[PRESSURE][0] in vacuum["cause"]
    assert vacuum["place"].startswith(f"node {number} (x = ")
    assert vacuum["iteration"] in (0, 1)
    if (kind, move) == ("meshless", "rigid"):  # there is nothing to fold
        assert fold["cause"] == TEXTS[DIVERGED][0]
    else:
        assert fold["place"].startswith(("node", "the cell of nodes", "the element of nodes"))
    assert divergence["cause"] == TEXTS[DIVERGED][0]


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(("kind", "move"), [("ale", "springs"), ("ale", "delaunay"),
                                            ("ale", "anew"), ("meshless", "delaunay")])  # fmt: skip
def test_a_member_whose_preflight_fails_is_failed_alone(kind, move):
    solver = made(kind, move)

    run = solver.run(**RUN)

    def alone(member):
        solo = made(kind, move, [member])
        return solo, solo.run(**RUN)

    assert_alone(run, solver, (0, 4), alone)
    (failure,) = run.failed
    assert failure["member"] == 3
    assert failure["phase"].startswith(f"pre-flight of the motion, step 4 of {STEPS}, ")
    assert failure["step"] == 4
    assert failure["place"]
    assert 3 not in run.history.members
    with pytest.raises(km.NumericalFault, match="pre-flight of the motion, step 4 of 6"):
        made(kind, move, [3]).run(**RUN)


@pytest.mark.long
@pytest.mark.no_sanitizer
@on_devices
@pytest.mark.parametrize(("kind", "settings"), [("ale", {}), ("meshless", {"time": "lusgs"})])
def test_a_steady_run_goes_on_without_its_failed_members(kind, settings, device, tmp_path):
    solver = made(kind, "rigid", device=device, settings=settings)
    node, real = solver.grid.first[1] + 300, solver.loads

    def loads(about):
        found = real(about)
        if solver.backend.get(solver.dualtime.iterations)[1] == 3:
            u = solver.backend.get(solver.u)
            u[node, 0] = -1.0
            solver.backend.put(solver.u, u)
        return found

    solver.loads = loads
    run = solver.steady(out=tmp_path)

    def alone(member):
        solo = made(kind, "rigid", [member], device, settings=settings)
        return solo, solo.steady()

    assert_alone(run, solver, (0, 2), alone)
    (failure,) = run.failed
    assert (failure["member"], failure["phase"], failure["iteration"]) == (1, "steady flow", 3)
    assert run.history.member(1)["iteration"].tolist() == [1, 2, 3]
    assert run.converged.tolist() == [True, False, *[True] * 4]
    assert not (tmp_path / "flow-1.vtkhdf").exists()
    with pytest.raises(km.CaseError, match="failed: member 1: density is not positive at node"):
        run.fields(member=1)
    again = made(kind, "rigid", device=device, settings=settings).steady(out=tmp_path, resume=True)
    assert again.failed == run.failed
    assert run.summary["result"]["cl"][1] == "nan"


def test_a_residual_that_rose_tenfold_fails_its_member_alone(monkeypatch):
    """After five iterations the residuals are apart; a bound between them is taken for ten."""
    few = {"steady_iterations": 5, "steady_drop": 1e-9}
    drops = made("ale", "rigid", settings=few).steady().summary["result"]["residual_drop"]
    worst = int(np.argmax(drops))
    monkeypatch.setattr(criteria, "MOST_RISE", np.sort(drops)[-2:].mean())

    run = made("ale", "rigid", settings=few).steady()

    (failure,) = run.failed
    assert failure["member"] == worst
    assert failure["cause"].startswith("diverged, the residual rose to ")
    assert failure["iteration"] == 5
    rows = [run.history.member(m).rows for m in range(6)]
    assert rows == [5] * 6  # that it diverged is known at its end


def test_a_run_whose_members_all_fail_ends_and_reports(tmp_path):
    solver = made("ale", "springs", motion=None)
    solver = spoiled(solver, {m: (2, "vacuum") for m in range(6)})

    with pytest.warns(RuntimeWarning, match="all 6 members failed, which ended the run"):
        run = solver.run(**RUN, out=tmp_path, preflight=False)

    assert [row["member"] for row in run.failed] == list(range(6))
    assert run.summary["conditions"]["steps"] == 2
    assert run.history.rows == 6
    assert not run.converged.any()
    assert km.open(tmp_path).failed == run.failed
    same = made("ale", "springs").run(**RUN, out=tmp_path, resume=True, preflight=False)
    assert same.failed == run.failed


@pytest.mark.long
def test_a_failed_member_is_told_wherever_it_is_asked_for(tmp_path):
    solver = spoiled(made("ale", "rigid", [0, 1]), {1: (10, "vacuum")})

    with pytest.warns(RuntimeWarning, match=r"member 1: pressure is not positive .*step 10"):
        run = solver.run(cycles=1.5, steps_per_cycle=8, out=tmp_path)

    found = km.open(tmp_path)
    for opened in (run, found):
        table = opened.table()
        assert list(table["converged"])[1] in (False, np.False_)
        assert "pressure is not positive at node" in list(table["cause"])[1]
        assert "failed" in repr(opened)
        for ask in (opened.loop, opened.pressures):
            with pytest.raises(km.CaseError, match=r"failed: member 1: pressure .*step 10"):
                ask(1)
    assert found.failed == run.failed == found.summary["failed"]
    for source in (run, run.history, tmp_path, tmp_path / "history.csv"):
        with pytest.raises(km.CaseError, match="failed: member 1"):
            km.hysteresis(source, 1)
    assert found.frames(1).time[-1] < found.frames(0).time[-1]  # what was written is kept
    with pytest.warns(UserWarning, match="left out, having failed .*: members 1"):
        km.plot.loops(found)
    with pytest.warns(UserWarning, match="left out, having failed .*: members 1"):
        files = km.plot.from_directory(tmp_path, members=True)
    assert len([f for f in files if "hysteresis" in f.name]) == 2  # of all, and of one
    with pytest.raises(km.CaseError, match="failed: member 1"):
        km.plot.film(found, member=1)


@pytest.mark.no_sanitizer
def test_a_run_until_it_is_periodic_waits_for_no_failed_member():
    """The member fails in its first cycle; whether it is periodic would never be known."""
    kept = spoiled(made("ale", "rigid", [0, 1]), {1: (5, "vacuum")})
    given = {"cycles": 4, "steps_per_cycle": 8, "until": "periodic", "periodic_tolerance": 0.5}

    run = kept.run(**given)

    solo = made("ale", "rigid", [0]).run(**given)
    assert run.summary["conditions"]["cycles"] == solo.summary["conditions"]["cycles"] < 4
    assert run.summary["result"]["periodic"] == [True, None]


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("kind", "move", "stop", "failed"),
    [
        ("ale", "springs", "steady flow", [3]),
        ("ale", "springs", "step 4", [1, 3]),
        ("meshless", "anew", "step 4", [1, 3]),
    ],
)
def test_a_failed_member_stays_failed_when_the_run_goes_on(
    kind, move, stop, failed, tmp_path, monkeypatch
):
    """Ctrl-C on the way to the first flow, of which member 3 has failed before; and later."""
    whole = {"time_step": 0.5, "steps": STEPS, "preflight": move == "springs"}
    monkeypatch.setattr("kinemesh.run.plan.Plan.restart_every", 1)
    one = broken(kind, move).run(**whole, out=tmp_path / "whole")
    first, real = broken(kind, move), interrupt.check

    def check():
        real()
        if first.grid.ensemble.phase == stop:
            interrupt._asked = True

    with monkeypatch.context() as patched:
        patched.setattr(interrupt, "check", check)
        with pytest.raises(KeyboardInterrupt, match="to go on, give the same command with"):
            first.run(**whole, out=tmp_path / "cut")
    _, record = restart.read(tmp_path / "cut/restart.h5")
    assert [row["member"] for row in record["failed"]] == failed
    assert km.io.summary.read(tmp_path / "cut")["failed"] == record["failed"]
    two = broken(kind, move).run(**whole, out=tmp_path / "cut", resume=True)

    assert two.failed == one.failed
    pair = [(tmp_path / name / "history.csv").read_bytes() for name in ("whole", "cut")]
    assert pair[0] == pair[1]
    for m in (0, 1, 4):
        times = [list(run.frames(m).time) for run in (one, two)]
        assert times[0] == times[1]


def test_a_member_that_is_stuck_moves_no_other():
    """The search for the stuck member moves all bodies on; they are put back."""
    grid = made("ale", "anew").grid.vertices
    mover = MOVES["anew"].attach(grid)
    before = grid.backend.get(grid.x)

    with grid.ensemble.reporting():
        mover._fail_stuck(3, 0.1, 0.2, mover.rows([Pose(0.0, (0.25, 0.0), (0.0, 0.1))] * 6))

        assert list(grid.ensemble.failures) == [3]
    np.testing.assert_array_equal(grid.backend.get(grid.x), before)


@pytest.mark.no_sanitizer
def test_another_run_of_the_case_begins_with_all_members():
    solver = made("ale", "springs", motion=folding("springs", at=2.6))

    first = solver.run(time_step=0.5, steps=6)
    second = solver.run(time_step=0.5, steps=4)

    assert [row["member"] for row in first.failed] == [3]
    assert second.failed == []
    assert second.history.members == list(range(6))


def test_a_member_whose_flow_failed_begins_another_run_from_the_free_stream():
    solver = spoiled(made("ale", "rigid", [0, 1]), {1: (3, "divergence")})
    first = solver.run(time_step=0.5, steps=4)
    del solver.predict  # as it was

    second = solver.run(time_step=0.5, steps=4)

    alone = made("ale", "rigid", [1]).run(time_step=0.5, steps=4)
    assert [row["member"] for row in first.failed] == [1]
    assert second.failed == []
    assert (second.history.member(1)["cl"] == alone.history["cl"]).all()


def test_members_of_two_meshes_are_of_two_meshes():
    assert len(made("ale", "rigid").grid.distinct) == 2


def test_what_breaks_outside_of_a_run_raises():
    solver = made("ale", "rigid")
    q = solver.primitive()
    q[solver.grid.first[4] + 7, 0] = -1.0

    with pytest.raises(km.NumericalFault, match="member 4: density is not positive"):
        solver.initialise(q)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "move"), [("ale", m) for m in MOVES] + [("meshless", m) for m in ("anew", "rigid")]
)
def test_of_64_members_61_have_the_bits_of_their_solo_runs(kind, move):
    def case(picked):
        space, solver = (mesh, km.Ale) if kind == "ale" else (cloud, km.Meshless)
        chosen = (km.AleSettings if kind == "ale" else km.MeshlessSettings)(**QUICK)
        motions = [km.motion.pitch(0.5 + 0.05 * m, 0.05 + 0.002 * m) for m in range(64)]
        motions[17] = folding(move)
        told = {"mach": np.linspace(0.3, 0.7, 64)[picked].tolist(),
                "motion": [motions[m] for m in picked]}  # fmt: skip
        spaces = [space(500 + 260 * (m % 3)) for m in picked]
        return solver(spaces, **told, deform=MOVES[move], device="cpu", settings=chosen)

    breaks = {5: (3, "vacuum"), 40: (2, "divergence")}
    solver = spoiled(case(list(range(64))), breaks)

    run = solver.run(**RUN, preflight=False)

    def alone(member):
        solo = case([member])
        return solo, solo.run(**RUN, preflight=False)

    assert [(row["member"], row["step"]) for row in run.failed] == [(5, 3), (17, 4), (40, 2)]
    assert_alone(run, solver, [m for m in range(64) if m not in (5, 17, 40)], alone)
