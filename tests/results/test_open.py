"""A run opened from its folder is the run that left it."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import summary
from kinemesh.io.folder import hold
from kinemesh.results.flow_fields import _at_phase
from solver_cases import pitching

pytestmark = pytest.mark.flow

EPS = np.finfo(float).eps
ASKED = {"cycles": 1, "steps_per_cycle": 16}


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=520, far_field=10)


@pytest.fixture(scope="module")
def folder(mesh, tmp_path_factory):
    """The folder of an ensemble and its run, sixteen steps of a cycle with a frame each."""
    out = tmp_path_factory.mktemp("runs") / "sweep"
    return out, pitching(mesh).run(**ASKED, out=out)


@pytest.fixture
def stopped(mesh, tmp_path, monkeypatch):
    """The folder of a run that fell at its sixth step."""
    from kinemesh.run import unsteady as run

    whole = run.Unsteady.step

    def fall(self, number):
        if number == 6:
            raise km.NumericalFault("member 1: negative pressure")
        whole(self, number)

    monkeypatch.setattr(run.Unsteady, "step", fall)
    with pytest.raises(km.NumericalFault):
        pitching(mesh).run(**ASKED, out=tmp_path / "fallen")
    return tmp_path / "fallen"


def test_an_opened_run_has_the_numbers_of_the_live_one(folder):
    out, run = folder

    again = km.open(out)

    assert isinstance(again, km.Run)
    assert again.summary == run.summary
    assert again.finished == run.finished is not None
    for name, column in run.history.items():
        np.testing.assert_array_equal(again.history[name], column)
    for m in (0, 1):
        assert again.loop(m).damping == run.loop(m).damping == km.hysteresis(again, m).damping
    assert list(again.table()["damping"]) == list(run.table()["damping"])
    assert list(again.table()["k"]) == [0.1, 0.2]


def test_fields_of_a_phase_are_those_of_that_moment(folder):
    out, run = folder
    steps = run.history.member(1)

    found = km.open(out).fields(phase_deg=90, member=1)

    assert found.frame == 4
    assert found.phase_deg == 90
    assert found.time == pytest.approx(steps["time"][3], rel=1e-15)
    # the chord line is turned by the angle of that step, nose up
    nose, tail = (found.points[found.walls[:, 0]][f(found.points[found.walls[:, 0], 0])]
                  for f in (np.argmin, np.argmax))  # fmt: skip
    angle = np.degrees(np.arctan2(nose[1] - tail[1], tail[0] - nose[0]))
    # the foremost node need not be the nose: an edge there is 0.02 chords long
    assert angle == pytest.approx(steps["alpha_deg"][3], abs=np.degrees(0.02**2))
    assert steps["alpha_deg"][3] == pytest.approx(0.5)


def test_fields_give_the_loads_of_the_history(folder):
    out, run = folder

    found = km.open(out).fields(-1, member=0)

    edge = found.points[found.walls[:, 1]] - found.points[found.walls[:, 0]]
    cp = found["Cp"][found.walls].mean(axis=1)
    # pressure acts into the body; its outline has the domain on the left
    drag, lift = (cp[:, None] * np.stack([edge[:, 1], -edge[:, 0]], 1)).sum(axis=0)
    rows = run.history.member(0)
    room = 16 * EPS * np.abs(cp).max() * len(cp)  # sums of these terms in another order
    assert lift == pytest.approx(rows["cl"][-1], rel=0, abs=room)
    assert drag == pytest.approx(rows["cd"][-1], rel=0, abs=room)


def test_fields_hold_what_a_plot_needs(folder, mesh):
    run = folder[1]

    found = run.fields(0, member=0)

    assert list(found) == ["Cp", "Density", "Mach", "Pressure", "Velocity"]
    assert found.time == 0
    assert found["Mach"].shape == (len(mesh.points),)
    assert found["Velocity"].shape == (len(mesh.points), 3)
    assert found.cells.shape == (mesh.triangles.shape[0] + mesh.quads.shape[0], 4)
    assert list(found.bodies) == ["airfoil"]
    assert len(found.bodies["airfoil"]) == len(found.walls) == len(mesh.boundaries["airfoil"])
    back = np.argsort(mesh.original)
    np.testing.assert_allclose(found.points, mesh.points[back], atol=1e-15)
    np.testing.assert_array_equal(found["Density"], found.arrays["Density"])
    with pytest.raises(KeyError, match="no array 'mach'"):
        found["mach"]


def test_frames_tell_their_phases(folder):
    frames = folder[1].frames(0)

    assert len(frames.time) == 17  # the flow at the start, and sixteen steps
    np.testing.assert_allclose(frames.phase_deg[:5], [0, 22.5, 45, 67.5, 90], atol=1e-5)
    assert frames.cycle[-1] == pytest.approx(1, rel=1e-14)
    assert folder[1].fields(phase_deg=0, member=0).frame == 16  # the last of two
    assert folder[1].fields(phase_deg=-270, member=0).frame == 4


def test_what_fields_cannot_give_is_refused(folder, mesh):
    run = folder[1]

    with pytest.raises(km.CaseError, match=r"no frame at phase 100 degrees.*90, 112\.5"):
        run.fields(phase_deg=100, member=0)
    with pytest.raises(km.CaseError, match="2 members; choose one"):
        run.fields()
    with pytest.raises(km.CaseError, match="no member 2"):
        run.fields(member=2)
    with pytest.raises(km.CaseError, match="no step 17; it has 17"):
        run.fields(17, member=0)
    with pytest.raises(km.CaseError, match="give one of the two"):
        run.fields(1, phase_deg=90, member=0)
    with pytest.raises(km.CaseError, match="finite number of degrees"):
        run.fields(phase_deg=float("nan"), member=0)
    alone = pitching(mesh, mach=0.4, motion=km.motion.pitch(1.0, 0.1))
    with pytest.raises(km.CaseError, match=r"give a folder, run\(\.\.\., out='name'\)"):
        alone.run(cycles=0.125, steps_per_cycle=8).fields()


def test_a_steady_run_has_one_frame_and_no_phase(mesh, tmp_path):
    settings = km.AleSettings(steady_drop=1e-2)
    case = km.Ale(mesh, mach=0.5, device="cpu", settings=settings)
    with pytest.raises(km.CaseError, match=r"give a folder, steady\(\.\.\., out='name'\)"):
        case.steady().fields()
    case.steady(out=tmp_path)

    run = km.open(tmp_path)

    assert np.isnan(run.fields().phase_deg)
    assert len(run.frames().time) == 1
    with pytest.raises(km.CaseError, match="without a cycle has no phase"):
        run.fields(phase_deg=0)


def test_a_run_by_time_has_frames_without_phases(mesh, tmp_path):
    motion = km.motion.function(lambda t: km.motion.Pose(angle=1e-3 * t))
    run = pitching(mesh, mach=0.5, motion=motion).run(time_step=1.0, steps=2, out=tmp_path)

    assert run.frames().time.tolist() == [0.0, 1.0, 2.0]
    assert np.isnan(run.frames().phase_deg).all()
    with pytest.raises(km.CaseError, match="without a cycle has no phase"):
        run.fields(phase_deg=0)


def test_a_run_that_fell_opens_with_what_is_there_and_says_so(stopped):
    with pytest.warns(RuntimeWarning, match="did not finish: its history ends at step 5"):
        run = km.open(stopped)

    assert run.finished is None
    assert "did not finish" in repr(run)
    with hold(stopped):  # as a run does
        assert "is running: its history has come to step 5" in repr(run)
        with pytest.warns(RuntimeWarning, match="the run is running: its history has come to st"):
            assert km.open(stopped).running
        with pytest.raises(km.CaseError, match=r"is running: .* step 5; wait for its end$"):
            km.compare(run, run, 0)
    assert not run.running
    assert "result" not in run.summary
    assert run.history.rows == 10
    assert run.fields(member=1).frame == 5
    table = run.table()
    assert list(table["mach"]) == [0.4, 0.5]
    assert list(table["k"]) == [0.1, 0.2]
    assert all("step 5" in text for text in table["cause"])


@pytest.mark.long
def test_a_run_that_fell_does_not_wear_the_summary_of_an_earlier_one(stopped, mesh, monkeypatch):
    monkeypatch.undo()
    with pytest.warns(RuntimeWarning, match="has 5 steps of this run"):
        pitching(mesh).run(**ASKED, out=stopped)
    assert summary.read(stopped / "summary.json")["finished"]
    monkeypatch.setattr("kinemesh.run.unsteady.Unsteady.step", lambda *_: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        pitching(mesh).run(**ASKED, out=stopped)

    with pytest.warns(RuntimeWarning, match="no step was done"):
        assert km.open(stopped).finished is None


def test_a_line_cut_short_by_a_crash_is_left_out(stopped):
    path = stopped / "history.csv"
    path.write_text(path.read_text()[:-20])

    with pytest.warns(RuntimeWarning, match="ends at step 5"):
        assert km.open(stopped).history.rows == 9


def test_what_is_no_run_is_refused(tmp_path, folder):
    with pytest.raises(km.CaseError, match="no such folder of a run"):
        km.open(tmp_path / "none")
    with pytest.raises(km.CaseError, match="holds no run"):
        km.open(tmp_path)
    with pytest.raises(km.CaseError, match="is a file, expected the folder"):
        km.open(folder[0] / "history.csv")
    with pytest.raises(km.CaseError, match="3, expected"):
        km.open(3)


def test_a_folder_of_an_earlier_version_opens(folder, tmp_path):
    """Without what members were asked, the stream is told by the conditions."""
    out, run = folder
    for name in ("history.csv", "flow-0.vtkhdf", "flow-1.vtkhdf"):
        (tmp_path / name).write_bytes((out / name).read_bytes())
    old = {name: part for name, part in run.summary.items() if name != "asked"}
    summary.write(tmp_path / "summary.json", old)

    table = km.open(tmp_path).table()

    assert list(table["mach"]) == [0.4, 0.5]
    assert list(table["damping"]) == [run.loop(0).damping, run.loop(1).damping]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("away", "there"), [(0.01 - 1e-9, True), (0.01 + 1e-9, False)])
def test_a_phase_of_two_decimals_is_that_of_its_frame(tmp_path, away, there, sign):
    """To either side, and where a cycle begins."""
    phases = np.array([0.0, 22.5, 45.0])

    for number in (0, 1):
        wanted = phases[number] + sign * away
        if there:
            assert _at_phase(tmp_path, phases, wanted) == number
            continue
        with pytest.raises(km.CaseError, match="no frame at phase"):
            _at_phase(tmp_path, phases, wanted)
