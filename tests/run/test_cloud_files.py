"""Files of a run on a cloud, and its restart."""

import dataclasses
import json
import random
import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.cloud.display import Shown
from kinemesh.deform import Deformation, Mover
from kinemesh.io import History, fields, restart
from runs import assert_same, killed, rows

CLOUD = km.cloud.airfoil("naca0012", points=500, far_field=8.0)
QUICK = km.MeshlessSettings(unsteady_drop=1e-1, steady_drop=1e-2, unsteady_iterations=30)
TURN = km.motion.pitch(10.0, 0.1, phase_deg=30.0)  # is least turned at steps 7 and 15
STEPS = {"cycles": 1.5, "steps_per_cycle": 16}
pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]


def case(deform=None, settings=QUICK, **changes):
    given = {"mach": 0.5, "motion": km.motion.pitch(2.0, 0.1, phase_deg=20.0), "device": "cpu"}
    return km.Meshless(CLOUD, deform=deform, settings=settings, **(given | changes))


def strict(path):
    """A JSON file, read by one who knows no NaN."""

    def refuse(name):
        raise AssertionError(f"{path} has {name}")

    return json.loads(path.read_text(), parse_constant=refuse)


@pytest.fixture(scope="module")
def unsteady(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unsteady")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case().run(**STEPS, out=folder)


def test_an_unsteady_run_leaves_all_its_files(unsteady, undrawn):
    found = strict(unsteady.out / "summary.json")
    made = {path.name for path in plot.from_directory(unsteady.out)}

    pressures = {"pressures.png", "pressures.csv"}
    assert made == {"hysteresis.png", "cycle.png", "mach.png", "mesh.png"} | pressures
    sizes = {"points": len(CLOUD.points), "satellites": len(CLOUD.satellites), "members": 1}
    assert found["mesh"] | sizes == found["mesh"]
    assert (found["mesh"]["walls"], found["mesh"]["far"]) == (["airfoil"], ["farfield"])
    assert found["mesh"]["bodies"]["airfoil"]["length"] == 1.0
    assert {"least_area", "least_angle_deg"}.isdisjoint(found["result"])
    assert "nan" not in (unsteady.out / "summary.json").read_text().lower()
    assert np.isnan(History.read(unsteady.out / "history.csv")["min_area"]).all()


def test_the_fields_have_the_points_where_they_are_and_cells_for_display(unsteady):
    first, last = (fields.read(unsteady.out / "flow.vtkhdf", step) for step in (0, 23))

    assert first["cloud"] is True
    assert len(first["cells"]) == len(Shown.of(CLOUD).triangles)
    corner = last["points"][last["cells"][:, :3]]
    (ax, ay), (bx, by) = ((corner[:, k] - corner[:, 0]).T for k in (1, 2))
    assert (ax * by - ay * bx > 0).all()
    pose = km.motion.pitch(2.0, 0.1, phase_deg=20.0).pose(last["time"], 0.5)
    wall = np.unique(CLOUD.boundaries["airfoil"])
    np.testing.assert_allclose(
        last["points"][wall], [pose.apply(p) for p in CLOUD.points[wall]], atol=1e-12
    )
    assert not np.array_equal(first["points"], last["points"])


def test_the_picture_of_a_cloud_is_its_points(unsteady, monkeypatch, undrawn):
    drawn = []
    monkeypatch.setattr(
        "kinemesh.plot.folder.cloud", lambda points, *_, **__: drawn.append(len(points))
    )

    plot.from_directory(unsteady.out)

    assert drawn == [len(CLOUD.points)]


def test_a_steady_run_leaves_all_its_files(tmp_path, undrawn):
    run = case(motion=None).steady(out=tmp_path)

    assert {path.name for path in plot.from_directory(tmp_path)} == {
        "convergence.png",
        "cp.png",
        "mach.png",
        "mesh.png",
    }
    assert strict(tmp_path / "summary.json")["result"]["cl"] == run.summary["result"]["cl"]


def test_members_of_an_ensemble_have_fields_of_their_own(tmp_path):
    other = km.cloud.airfoil("naca0012", points=700, far_field=8.0)

    km.Meshless([CLOUD, other], mach=[0.5, 0.4], device="cpu", settings=QUICK).steady(out=tmp_path)

    for number, cloud in enumerate((CLOUD, other)):
        shown = fields.read(tmp_path / f"flow-{number}.vtkhdf")
        np.testing.assert_array_equal(shown["points"], cloud.points)
        assert len(shown["cells"]) == len(Shown.of(cloud).triangles)


@pytest.mark.long
@pytest.mark.parametrize("deform", [km.deform.Delaunay(), km.deform.Rigid()])
def test_a_run_killed_again_and_again_ends_with_the_same_bits(unsteady, tmp_path, deform):
    whole = unsteady.out
    if deform != km.deform.Delaunay():  # what `unsteady` has
        whole = case(deform).run(**STEPS, out=tmp_path / "whole").out
    rng, out = random.Random(3), tmp_path / "killed"

    for stop in (5, 14):
        killed(
            lambda: case(deform).run(**STEPS, out=out, resume=(out / "restart.h5").exists()),
            lambda stop=stop: rows(out) >= stop,
            rng.uniform(0, 0.02),
        )
        restart.read(out / "restart.h5")
    again = case(deform).run(**STEPS, out=out, resume=True)

    assert again.summary["result"]["resumed"]["times"] >= 1
    assert_same(whole, out)


def test_a_steady_run_stopped_on_its_way_ends_with_the_same_bits(tmp_path):
    settings = km.MeshlessSettings(steady_drop=1e-3, time="lusgs")
    whole = case(motion=None, settings=settings).steady(out=tmp_path / "whole")
    assert whole.history.rows > 100

    out = tmp_path / "killed"
    killed(
        lambda: case(motion=None, settings=settings).steady(out=out),
        lambda: rows(out) >= 55,
        0.0,
    )
    run = case(motion=None, settings=settings).steady(out=out, resume=True)

    assert run.summary["result"]["resumed"]["at"][0] >= 50
    assert_same(tmp_path / "whole", out)


def test_a_restart_of_another_cloud_is_refused(unsteady):
    moved = km.Cloud.from_mesh(km.mesh.airfoil("naca0012", nodes=500, far_field=8.0))
    other = km.Meshless(moved, mach=0.5, motion=km.motion.pitch(2.0, 0.1, phase_deg=20.0),
                        device="cpu", settings=QUICK)  # fmt: skip

    with pytest.raises(km.CaseError, match=r"of another run: mesh has as many nodes"):
        other.run(**STEPS, out=unsteady.out, resume=True)


# ---------------------------------------------------------------- the motion alone


def test_the_preflight_tells_the_worst_condition_of_the_motion(tmp_path):
    """Its numbers are those of the points that the fields have at each step."""
    slow = dataclasses.replace(QUICK, cfl=2.0)
    run = case(motion=TURN, settings=slow).run(cycles=1, steps_per_cycle=16, out=tmp_path)

    told = run.summary["result"]["preflight"]
    found = []
    for step in range(17):
        points = fields.read(tmp_path / "flow.vtkhdf", step)["points"]
        moved = km.Cloud(points, CLOUD.offsets, CLOUD.satellites, CLOUD.boundaries)
        found.append(moved.conditions.max())
    assert told["steps"] == 16
    assert told["worst_condition"] == pytest.approx(max(found), rel=1e-9)
    assert told["worst_condition_phase_deg"] == pytest.approx(22.5 * (np.argmax(found) % 16))
    assert max(found) > found[0]


def test_a_motion_that_folds_the_graph_stops_before_any_flow():
    with pytest.raises(km.NumericalFault, match=r"pre-flight.*graph folds.*no flow was computed"):
        case(motion=km.motion.pitch(170.0, 0.1)).run(cycles=1, steps_per_cycle=8)


class Flatten(Mover):
    """Puts every point on one line."""

    def step(self, poses):
        x = self.backend.get(self.vertices.x)
        x[:, 1] = 0
        self.backend.put(self.vertices.x, x)
        return {}


class Flattening(Deformation):
    name = "flattening"

    def attach(self, grid):
        return Flatten(grid)


def test_satellites_on_one_line_are_seen():
    with pytest.raises(km.NumericalFault, match=r"satellites of point \d+ lie on one line; try"):
        case(Flattening()).run(cycles=1, steps_per_cycle=8)
