"""Incompressible cases that have no flow, or are given what a march to a steady flow lacks."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.cases.probe import small_solver
from kinemesh.flow.projection import steady
from kinemesh.io.summary import read
from overset_parts import background, rectangle, ring

MESH = km.mesh.cylinder(500, far_field=8.0)
PITCH = km.motion.pitch(5.0, 0.5, about=(0.0, 0.0))
STEPS = {"time_step": 0.05, "steps": 1}


def case(mesh=MESH, **told):
    given = {"reynolds": 20.0, "device": "cpu", "moment_about": (0.0, 0.0)}
    if isinstance(mesh, dict):
        given["settings"] = km.IncompressibleSettings(overlap=1)
    return km.Incompressible(mesh, **(given | told))


def table(**flow):
    return {
        "name": "a", "mode": "steady", "method": "incompressible",
        "mesh": {"shape": "cylinder", "nodes": 500}, "flow": {"reynolds": 20.0} | flow,
    }  # fmt: skip


@pytest.mark.parametrize("alpha", [3.0, [0.0, 3.0]])
def test_a_fluid_at_rest_has_no_angle(alpha):
    with pytest.raises(km.SettingsError, match=r"alpha_deg is 3, expected 0 with stream = 0"):
        case(stream=0.0, alpha_deg=alpha, motion=PITCH)


def test_a_fluid_at_rest_has_no_angle_in_a_case_file():
    with pytest.raises(km.CaseError, match=r"\[flow\] alpha_deg = 3, expected 0 with stream = 0"):
        Case.from_dict(table(stream=0, alpha_deg=3.0))


def test_a_fluid_at_rest_in_which_nothing_moves_is_refused_by_both_runs():
    parts = {"body": ring(), "back": background()}
    for mesh in (MESH, parts):
        with pytest.raises(km.SettingsError, match="stream is 0 and nothing moves"):
            case(mesh, stream=0.0).run(**STEPS)
        with pytest.raises(km.SettingsError, match="stream is 0 and nothing moves"):
            case(mesh, stream=0.0).steady()
    with pytest.raises(km.SettingsError, match="member 1: stream is 0"):
        case(stream=[1.0, 0.0]).run(**STEPS)


@pytest.mark.filterwarnings("ignore:.*moves at once:RuntimeWarning")
def test_what_moves_a_fluid_at_rest_is_taken():
    case(stream=0.0, motion=PITCH).run(**STEPS)
    made = case(stream=0.0)
    made.initialise(np.ones((made.grid.nodes, 2)))
    made.run(**STEPS, start="as is")
    with pytest.raises(km.SettingsError, match="nothing moves"):
        made.run(**STEPS)  # which begins from the stream, and there is none


@pytest.mark.parametrize(
    ("name", "value"), [("outer", 2), ("momentum_drop", 1e-4), ("momentum_iterations", 30)]
)
def test_settings_of_steps_are_refused_by_a_march(name, value):
    made = case(settings=km.IncompressibleSettings(**{name: value}))
    with pytest.raises(
        km.SettingsError, match=f"{name} is .* a march to a steady flow has no time"
    ):
        made.steady()
    with pytest.raises(km.CaseError, match=rf"\[solver\] {name} has no meaning, as case 'a' is st"):
        Case.from_dict(table() | {"solver": {name: value}})


def test_motions_are_refused_by_a_march():
    for motion in (PITCH, [None, PITCH]):
        with pytest.raises(km.SettingsError, match=r"motion of 'cylinder': bodies are at rest"):
            case(motion=motion).steady()
    parts = {"body": ring(), "back": background()}
    with pytest.raises(km.SettingsError, match=r"motion of 'body': bodies are at rest"):
        case(parts, motion={"body": PITCH}).steady()


def test_check_tells_a_march_from_steps():
    made = Case.from_dict(table())
    words = small_solver(made, "cpu").settings.scheme
    assert "BDF2" not in words(made.mode)
    assert "BDF2" in words("unsteady")


def limited(kind, most, drop=1e-6):
    if kind == "gas":
        mesh = km.mesh.airfoil(nodes=500, far_field=8)
        settings = km.AleSettings(steady_iterations=most, steady_drop=drop)
        return km.Ale(mesh, mach=0.5, settings=settings, device="cpu")
    return case(settings=km.IncompressibleSettings(steady_iterations=most, steady_drop=drop))


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:member 0. stopped at its limit")
@pytest.mark.parametrize("kind", ["gas", "incompressible"])
def test_a_march_goes_on_with_more_iterations_and_to_a_smaller_residual(kind, tmp_path):
    whole = limited(kind, 2000).steady().history
    limited(kind, 10).steady(out=tmp_path)

    run = limited(kind, 2000).steady(out=tmp_path, resume=True)

    assert run.converged
    np.testing.assert_array_equal(run.history["iteration"], np.arange(1, run.history.rows + 1))
    # the gas's CFL number follows a mean that has counted the last residual twice
    exact = {"rtol": 1e-5} if kind == "gas" else {"rtol": 0}
    np.testing.assert_allclose(run.history["cd"][-1], whole["cd"][-1], **exact)
    assert kind == "gas" or run.history.rows == whole.rows
    deeper = limited(kind, 2000, 1e-8).steady(out=tmp_path, resume=True)
    assert deeper.summary["result"]["residual_drop"] <= 1e-8
    with pytest.raises(km.CaseError, match=r"only 5 are asked for"):
        limited(kind, 5).steady(out=tmp_path, resume=True)
    with pytest.raises(km.CaseError, match=r"only 5 are asked for; choose another folder"):
        limited(kind, 5).steady(out=tmp_path)
    assert read(tmp_path / "summary.json")["result"]["converged"] is True


# ---------------------------------------------------------------- a march that does not fall


def channel(across=30, length=12.0):
    """A channel of height 1 whose cells are `length` times as long as high."""
    lines = np.linspace(0, length, across + 1), np.linspace(0, 1, across + 1)
    made = rectangle(*lines)
    edges, x = made.boundaries["far"], made.points
    ends = np.isin(x[edges, 0], (0.0, length)).all(axis=1) & (np.ptp(x[edges, 0], axis=1) == 0)
    return km.Mesh(x, made.triangles, made.quads, {"ends": edges[ends], "walls": edges[~ends]})


def test_a_march_that_ends_short_names_the_place_where_its_residual_is_largest():
    """Long cells of right angles may be meant in a viscous flow, and are not told of."""
    settings = km.IncompressibleSettings(steady_iterations=5)
    made = case(channel(), walls=["walls"], far=["ends"], settings=settings)
    with pytest.warns(RuntimeWarning, match=r"largest at \(0, 1\)") as told:
        made.steady()
    assert not any("in cells" in str(one.message) for one in told)


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_a_march_that_diverges_names_the_place(monkeypatch):
    monkeypatch.setattr(steady, "FRICTION", 4.0)
    with pytest.raises(km.NumericalFault, match=r"a lower cfl.*; the residual is largest"):
        case().steady()
