"""A motion that the mesh cannot follow is found before any flow, and the look costs no bit."""

import warnings
from dataclasses import dataclass

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.flown import flown
from kinemesh.deform import Deformation, Mover
from kinemesh.run import preflight
from kinemesh.run import unsteady as runs
from kinemesh.run.plan import Plan

MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
QUICK = km.AleSettings(unsteady_iterations=6, steady_iterations=30)  # bits matter, not the flow
pytestmark = pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning")


def case(deform, amplitude=2.0, **changes):
    pitch = km.motion.pitch(amplitude, 0.1, phase_deg=20.0)
    given = {"mach": 0.5, "motion": pitch, "device": "cpu", "settings": QUICK}
    return km.Ale(MESH, deform=deform, **(given | changes))


@pytest.fixture
def no_flow(monkeypatch):
    """Any pseudo-step is a failure."""

    def march(*_, **__):
        pytest.fail("flow was computed")

    monkeypatch.setattr(runs, "to_start", march)
    monkeypatch.setattr(runs, "take_step", march)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("method", ["springs", "delaunay"])
@pytest.mark.parametrize("start", ["steady", "as is"])
def test_a_preflight_leaves_every_bit_of_the_run(tmp_path, method, start):
    for name, wanted in (("with", True), ("without", False)):
        model = case(km.deform.METHODS[method]())
        model.run(
            cycles=0.5, steps_per_cycle=16, out=tmp_path / name, preflight=wanted, start=start
        )

    one, other = ((tmp_path / name / "history.csv").read_bytes() for name in ("with", "without"))
    assert one == other


@pytest.mark.parametrize("method", ["springs", "delaunay"])
def test_the_worst_cell_of_the_cycle_is_told_with_its_phase(method):
    model = case(km.deform.METHODS[method](), amplitude=10.0)

    run = model.run(cycles=1, steps_per_cycle=16)

    told, history = run.summary["result"]["preflight"], run.history
    assert told["steps"] == 16
    for name, column in (("least_area", "min_area"), ("least_angle_deg", "min_angle_deg")):
        assert told[name] == history[column].min()
        at = history["phase_deg"][np.argmin(history[column])]
        assert told[name.removesuffix("_deg") + "_phase_deg"] == pytest.approx(at, abs=1e-9)
    assert 0 < run.summary["seconds"]["motion pre-flight"] < run.summary["seconds"]["total"]


@pytest.mark.parametrize(
    ("given", "worst", "folds"),
    [(30.0, 2.9, True), (30.0, 3.1, False), (0.107, 0.0004, False), (1.2, 0.1, True)],
)
def test_cells_that_nearly_fold_are_told_beside_the_mesh_as_given(given, worst, folds, monkeypatch):
    """A corner that is flat as given, as where a wing's cap ends, loses nothing by staying flat."""
    model = case(km.deform.TorsionalSprings())
    plan = Plan.of(model, "as is", 1, 4, None, None)
    angles = iter([given, given, worst, given, given, given])

    def shapes(grid):
        return {"least_area": np.ones(1), "least_angle_deg": np.array([next(angles)])}

    monkeypatch.setattr(type(model.grid), "shapes", shapes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = preflight.fly(model, plan.dt, plan.dry_steps, plan.phases)

    said = [str(one.message) for one in caught]
    advice = "cells nearly fold; try a smaller motion, or another deformation"
    expected = (
        f"the least angle falls to {worst:.3g} degrees at phase 90 degrees, {given:.3g} in the "
        f"mesh as given: {advice}"
    )
    assert said == [expected] * folds
    assert found["given_least_angle_deg"] == given
    (told,) = [one for one in flown(found, model, plan) if "least angle" in one]
    flat = ", so that corners are flat anyway" * (given < 1)
    assert told == f"least angle {worst:.3g} degrees at phase 90 (as given {given:.3g}{flat})"


def test_rigid_motion_needs_none():
    summary = case(km.deform.Rigid()).run(cycles=0.25, steps_per_cycle=16).summary

    assert "preflight" not in summary["result"]


@pytest.mark.parametrize(
    ("deform", "words"),
    [
        (km.deform.TorsionalSprings(halvings=0), "springs invert the cell of nodes .*Delaunay"),
        (km.deform.Delaunay(), "an element of the Delaunay graph folds.*springs"),
    ],
)
def test_a_motion_that_inverts_a_cell_stops_before_any_flow(tmp_path, no_flow, deform, words):
    model = case(deform, amplitude=170.0)

    with pytest.raises(
        km.NumericalFault,
        match=rf"pre-flight of the motion, step \d+ of 8 \(phase \d+ degrees\): .*{words}.*"
        "no flow was computed",
    ):
        model.run(cycles=2, steps_per_cycle=8, out=tmp_path)

    np.testing.assert_array_equal(model.backend.get(model.grid.x), model.grid.points)
    assert (tmp_path / "history.csv").read_text().count("\n") == 1
    assert not (tmp_path / "restart.h5").exists()


class Creep(Mover):
    """Pushes the outermost inner node further at every step, and does not look where to."""

    def step(self, poses):
        x = self.backend.get(self.vertices.x)
        outer = np.concatenate([side.node for side in self.vertices.sides.values()])
        inner = np.setdiff1d(np.arange(self.vertices.nodes), outer)
        x[inner[np.argmax(np.hypot(*x[inner].T))], 0] += 0.7
        self.backend.put(self.vertices.x, x)
        return {}


@dataclass(frozen=True, slots=True)
class Creeping(Deformation):
    name = "creeping"

    def attach(self, grid):
        return Creep(grid)


def test_a_cell_that_no_mover_looks_at_is_seen(no_flow):
    model = case(Creeping())

    with pytest.raises(km.NumericalFault, match=r"the cell of nodes .* is inverted; try another"):
        model.run(cycles=1, steps_per_cycle=8)


@pytest.mark.flow
@pytest.mark.long
def test_a_longer_run_is_looked_at_as_far_as_it_was_not(tmp_path, monkeypatch):
    flown = []
    real = runs.fly
    monkeypatch.setattr(runs, "fly", lambda *a: flown.append(a[2]) or real(*a))

    for cycles in (0.5, 1, 2):
        model = case(km.deform.Delaunay())
        model.run(cycles=cycles, steps_per_cycle=8, out=tmp_path, resume=cycles > 0.5)
    case(km.deform.Delaunay()).run(cycles=2, steps_per_cycle=8, out=tmp_path / "whole")

    assert flown == [4, 8, 8]
    one, other = ((tmp_path / name / "history.csv").read_bytes() for name in (".", "whole"))
    assert one == other


def test_members_have_worst_cells_of_their_own():
    model = case(km.deform.Delaunay(), motion=[km.motion.pitch(a, 0.1) for a in (2.0, 8.0)])

    told = model.run(cycles=1, steps_per_cycle=8).summary["result"]["preflight"]

    assert told["least_angle_deg"][1] < told["least_angle_deg"][0]


def test_preflight_takes_true_or_false():
    with pytest.raises(km.SettingsError, match="preflight is 1, expected True or False"):
        case(km.deform.Rigid()).run(cycles=1, steps_per_cycle=8, preflight=1)
