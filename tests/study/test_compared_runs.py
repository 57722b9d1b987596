"""Real runs of one case beside each other: by two methods, on one grid and on two."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import summary as summaries


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*is not known of one cycle:RuntimeWarning")
def test_a_case_by_nodes_and_meshless_differs_by_its_error(tmp_path):
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    case = {"mach": [0.4, 0.5], "motion": km.motion.pitch(1.0, 0.1), "device": "cpu"}
    case["deform"] = km.deform.Rigid()
    rough = {"unsteady_drop": 1e-2, "steady_drop": 1e-3}
    nodes = km.Ale(mesh, settings=km.AleSettings(**rough), **case)
    points = km.Meshless(km.Cloud.from_mesh(mesh), settings=km.MeshlessSettings(**rough), **case)
    one = nodes.run(cycles=1, steps_per_cycle=16, out=tmp_path / "nodes")
    other = points.run(cycles=1, steps_per_cycle=12, out=tmp_path / "points")

    found = km.compare(one, other, 1)

    assert found.labels == ("ale, 506 nodes, 16 steps", "meshless, 506 points, 12 steps")
    assert 0.02 < found.cl.rms_share < 0.3  # 506 nodes; the error of both
    assert found.cl.rms == km.compare(tmp_path / "nodes", str(tmp_path / "points"), (1, 1)).cl.rms
    assert one.summary["unknowns"] == [506, 506]
    assert summaries.read(tmp_path / "nodes")["unknowns"] == [506, 506]
    with pytest.raises(km.CaseError, match="has 2 members; choose one, member=0"):
        km.compare(one, other)
    with pytest.raises(km.CaseError, match=r"different cases: mach is 0.4 and 0.5"):
        km.compare(one, other, (0, 1))


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_runs_without_walls_have_no_pressures_along_them(tmp_path):
    case = km.cases.load("nozzle-shock", ["solver.steady_iterations=2", "run.device='cpu'"])
    run = case.replace(out=tmp_path / "nozzle").run()

    found = km.compare(run, run)

    assert "the run has no walls, along which pressures are" in found.no_walls


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_runs_keep_where_their_boundaries_are_and_the_outlines_of_their_bodies():
    """NACA 0012 and 64A010 drawn out to the same box: outlines 0.004 chords apart (rms)."""

    def run(mesh, method=km.Ale, settings=km.AleSettings, **more):
        few = settings(steady_iterations=2)
        return method(mesh, mach=0.4, settings=few, device="cpu", **more).steady()

    plain = km.mesh.airfoil("naca0012", 900, far_field=10)
    other = km.mesh.airfoil("naca64a010", 600, far_field=10)
    half = [np.abs(m.points[m.boundaries["airfoil"], 1]).max() for m in (plain, other)]
    thicker = other.transformed(other.points * [1.0, half[0] / half[1]])
    coarse = km.mesh.airfoil("naca0012", 500, far_field=10)
    cloud = km.Cloud.from_mesh(plain)

    one = run(plain)
    for same in (
        run(coarse),
        run(cloud, km.Meshless, km.MeshlessSettings),
        run(plain, reynolds=None),
    ):
        assert not any("far" in n or "outlines" in n for n in km.compare(one, same).notes)
    with pytest.raises(km.CaseError, match=r"outlines of body 1 are 0\.4 % of its length apart"):
        km.compare(one, run(thicker))
    further = km.compare(one, run(km.mesh.airfoil("naca0012", 600, far_field=14)))
    assert "'far' reaches from (-9.5, -9.94) to (10.5, 10.06) and from (-13.5, " in further.notes[0]


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*the CFL number was above:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*is not known of one cycle:RuntimeWarning")
def test_incompressible_flow_on_one_grid_and_on_two_is_one_case():
    wing = {"nodes": 800, "wall_spacing": 1e-2}
    near = km.mesh.airfoil("naca0012", far_field=1.2, outer="overset", **wing)
    back = km.mesh.background((-8, 12, -8, 8), core=(-1.2, 3, -2, 2), spacing=0.06, growth=1.3)
    alone = km.mesh.airfoil("naca0012", far_field=8, **wing)
    plunge = km.motion.plunge(amplitude=0.1, k=0.838, phase_deg=-90)
    steps = {"cycles": 1, "steps_per_cycle": 8}
    case = {"reynolds": 200, "device": "cpu"}
    two = km.Incompressible({"wing": near, "back": back}, motion={"wing": plunge}, **case)
    one = km.Incompressible(alone, motion=plunge, **case)

    with pytest.warns(RuntimeWarning, match=r"'far' reaches from .* to \(8.5, .*\(12, "):
        found = km.compare(one.run(**steps), two.run(**steps))

    assert found.cl.rms_share < 0.1  # 800 nodes, 8 steps
    assert [label.split(", ")[2] for label in found.labels] == ["one grid", "overset grids"]
