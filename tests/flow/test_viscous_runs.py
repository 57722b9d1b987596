"""Viscous runs: stopped and resumed, side by side, scaled, shifted and turned, in float32."""

import re
from dataclasses import replace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.faults import AREA, DENSITY, OF_FLOW, in_words
from runs import assert_same, interrupted
from solver_cases import on_devices
from viscous_cases import SOLVERS, on_solvers

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:body cylinder of member .* moves at once:RuntimeWarning"),
]

ROUND = km.mesh.cylinder(600, far_field=8.0, around=32)
MESH = ROUND.transformed(ROUND.points * [1.0, 0.6])  # an ellipse, which has a lift
MODELS = {
    "laminar": {},
    "warm wall": {"viscosity": km.Viscosity(wall=1.2)},
    "turbulent": {"turbulence": "sa"},
}
on_models = pytest.mark.parametrize("model", MODELS)
PITCH = km.motion.pitch(20.0, 0.5, about=(0.1, 0.0)) + km.motion.plunge(0.1, 0.5)
STEPS = {"time_step": 0.3, "start": "as is"}


def case(model="turbulent", mesh=MESH, settings=None, solver="nodes", **changes):
    told = {"mach": 0.3, "reynolds": 60.0, "alpha_deg": 5.0, "moment_about": (0.2, 0.1),
            "device": "cpu", "deform": km.deform.Rigid()}  # fmt: skip
    settings = dict(settings or {})
    if model != "turbulent":
        settings = {name: own for name, own in settings.items() if "turbulence" not in name}
    made, settings_type = SOLVERS[solver]
    return made(mesh, settings=settings_type(**settings), **(told | MODELS[model] | changes))


def loads(made):
    return np.array([made.summary["result"][name] for name in ("cl", "cd", "cm")])


# ---------------------------------------------------------------- restarts


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("deform", ["rigid", "springs"])
@on_models
@on_solvers
def test_a_run_that_goes_on_has_the_bits_of_one_that_never_stopped(
    solver, model, deform, device, tmp_path
):
    """Stopped after steps of either order in time."""

    def made():
        deforming = {"motion": PITCH, "deform": km.deform.METHODS[deform]()}
        return case(model, solver=solver, device=device, **deforming)

    made().run(**STEPS, steps=6, out=tmp_path / "whole")

    for steps in (1, 4, 6):
        made().run(**STEPS, steps=steps, out=tmp_path / "parts", resume=steps > 1)

    assert_same(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.long
@on_devices
@on_models
@on_solvers
def test_a_steady_run_that_goes_on_has_the_bits_of_one_that_never_stopped(
    solver, model, device, tmp_path, monkeypatch
):
    drops = {"steady_drop": 1e-9, "turbulence_drop": 1e-12}  # the model is last
    told = {"settings": drops, "device": device, "solver": solver}
    whole = case(model, **told).steady(out=tmp_path / "whole")
    assert whole.history.rows > 15
    assert whole.history["products"].any()  # the first half are pseudo-steps

    interrupted(monkeypatch, lambda: case(model, **told).steady(out=tmp_path / "parts"), 15)
    again = case(model, **told).steady(out=tmp_path / "parts", resume=True)

    assert again.summary["result"]["resumed"]["times"] == 1
    assert_same(tmp_path / "whole", tmp_path / "parts")


@on_solvers
@pytest.mark.parametrize("model", ["laminar", "turbulent"])
def test_a_steady_run_that_has_ended_says_the_same_again(model, solver, tmp_path):
    once = case(model, solver=solver).steady(out=tmp_path)
    wall = (tmp_path / "wall.csv").read_bytes()

    again = case(model, solver=solver).steady(out=tmp_path, resume=True)

    names = ("converged", "cl", "cd", "y_plus_mean", "y_plus_largest")
    for name in names:
        assert again.summary["result"][name] == once.summary["result"][name]
    assert (tmp_path / "wall.csv").read_bytes() == wall


def test_a_model_that_has_not_converged_is_told_again_and_goes_on(tmp_path):
    def ran(most, resume=True):
        own = {"steady_drop": 1e-2, "turbulence_drop": 1e-9, "steady_iterations": most}
        own |= {"newton": False}  # pseudo-steps, of which 25 are few
        return case(settings=own).steady(out=tmp_path, resume=resume)

    for resume in (False, True):
        with pytest.warns(RuntimeWarning, match="the model of turbulence has not converged"):
            made = ran(25, resume)
        assert not made.summary["result"]["converged"]
    further = ran(200)

    assert further.summary["result"]["converged"]
    assert further.history["residual_turbulence"][-1] < 1e-8


def test_a_steady_run_goes_on_to_a_lower_residual_of_turbulence(tmp_path):
    low = {"steady_drop": 1e-4, "turbulence_drop": 1e-11}
    whole = case(settings=low).steady(out=tmp_path / "whole")
    case(settings=low | {"turbulence_drop": 1e-3}).steady(out=tmp_path / "parts")

    again = case(settings=low).steady(out=tmp_path / "parts", resume=True)

    assert whole.history.rows == again.history.rows
    assert again.summary["result"]["resumed"]["last_at"] < whole.history.rows
    assert_same(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.long
def test_a_restart_of_another_gas_is_refused_by_the_names_of_its_arguments(tmp_path):
    given = {"settings": {"steady_iterations": 3}}
    with pytest.warns(RuntimeWarning, match="residual"):
        case(**given).steady(out=tmp_path)

    laws = {"reynolds_length": 2.0, "temperature_k": 300.0, "wall": 1.2, "prandtl": 0.7,
            "turbulent_prandtl": 0.8, "nu_ratio": 4.0, "sliding": {"cylinder": 0.1}}  # fmt: skip
    others = {"reynolds": {"reynolds": 61.0}, "turbulence": {"turbulence": None}}
    others |= {name: {"viscosity": km.Viscosity(**{name: own})} for name, own in laws.items()}
    for name, changes in others.items():
        with pytest.raises(km.CaseError, match=rf"another run: .*\b{name}\S* is .* there"):
            case(**given, **changes).steady(out=tmp_path, resume=True)


# ---------------------------------------------------------------- ensembles


@pytest.mark.long
@on_devices
@on_models
@on_solvers
def test_members_of_unlike_reynolds_numbers_have_the_bits_of_their_runs_alone(
    solver, model, device
):
    """Meshes and Mach numbers differ, too; steady flow, then three steps."""
    other = km.mesh.cylinder(400, far_field=6.0, around=24)
    numbers = {"reynolds": (60.0, 20.0), "mach": (0.3, 0.4), "mesh": (MESH, other)}
    drops = {"steady_drop": 1e-3, "unsteady_drop": 1e-3}
    told = {"settings": drops, "device": device, "motion": PITCH, "solver": solver}
    both = case(model, **told, **{name: list(own) for name, own in numbers.items()})
    together = both.run(time_step=0.3, steps=3)

    for m in (0, 1):
        solo = case(model, **told, **{name: own[m] for name, own in numbers.items()})
        alone = solo.run(time_step=0.3, steps=3)
        rows = together.history.member(m)
        for name in ("cl", "cd", "cm", "inner_iterations", "residual_drop"):
            np.testing.assert_array_equal(rows[name], alone.history[name], err_msg=name)
        own = slice(*both.grid.first[m : m + 2])
        np.testing.assert_array_equal(both.primitive()[own], solo.primitive())
        if model == "turbulent":
            nt = [made.backend.get(made.fields["nt"]) for made in (both, solo)]
            np.testing.assert_array_equal(nt[0][own], nt[1])
    assert np.abs(together.history.member(0)["cd"] - together.history.member(1)["cd"]).min() > 0.1


# ---------------------------------------------------------------- the same flow otherwise


def moved(place):
    return MESH.transformed(place(MESH.points))


@pytest.mark.long
@on_devices
@on_models
@on_solvers
@pytest.mark.parametrize("change", ["scaled", "shifted", "turned"])
def test_loads_are_those_of_the_same_flow_elsewhere(solver, model, change, device):
    """Lengths three times as large, an origin elsewhere, all turned by 30 degrees nose-up.

    Without limiter, as that looks at one component of the velocity at a time.
    """
    drops = {"steady_drop": 1e-11, "turbulence_drop": 1e-10, "limiter": "none"}
    turn = np.exp(-1j * np.radians(30.0))

    def turned(points):
        z = points @ [1, 1j] * turn
        return np.stack([z.real, z.imag], axis=-1)

    about, way = np.array([0.2, 0.1]), np.array([70.0, -30.0])
    changes = {
        "scaled": (moved(lambda x: 3 * x), {"chord": 3.0, "moment_about": tuple(3 * about)}),
        "shifted": (moved(lambda x: x + way),
                    {"moment_about": tuple(about + way)}),
        "turned": (moved(turned), {"alpha_deg": -25.0, "moment_about": tuple(turned(about))}),
    }  # fmt: skip
    mesh, changed = changes[change]

    here, there = (
        case(model, settings=drops, device=device, solver=solver, **more).steady()
        for more in ({}, {"mesh": mesh, **changed})
    )

    assert here.summary["result"]["converged"]
    assert there.summary["result"]["converged"]
    assert loads(there) == pytest.approx(loads(here), abs=1e-9)
    assert np.abs(loads(here)).min() > 0.01


@pytest.mark.long
@on_devices
@on_models
def test_a_reynolds_number_is_of_the_length_that_it_is_given_for(model, device):
    """Re = 60 by the chord is 180 by three chords."""
    drops = {"steady_drop": 1e-11, "turbulence_drop": 1e-10}
    own = MODELS[model].get("viscosity", km.Viscosity())
    three = {"reynolds": 180.0, "viscosity": replace(own, reynolds_length=3.0)}

    by_chord, by_three = (
        case(model, settings=drops, device=device, **more).steady() for more in ({}, three)
    )

    assert loads(by_three) == pytest.approx(loads(by_chord), abs=1e-9)


# ---------------------------------------------------------------- float32


@pytest.mark.long
@on_devices
@on_models
@on_solvers
def test_loads_in_float32_are_within_half_a_percent(solver, model, device):
    """Steady and in steps, the body in motion."""
    pairs = []
    for dtype in ("float64", "float32"):
        made = case(model, dtype=dtype, device=device, motion=PITCH, solver=solver)
        rows = made.run(time_step=0.3, steps=8).history
        pairs.append(np.stack([rows[name] for name in ("cl", "cd", "cm")]))

    exact, single = pairs
    assert np.abs(single - exact).max() <= 0.005 * np.abs(exact[1]).max()
    assert np.abs(single - exact).max() > 0


# ---------------------------------------------------------------- advice

CURVED = "quadrilaterals, more nodes along the wall or a larger wall spacing, as .* nodes such .*"


def curved(**settings):
    """A section among triangles thinner than their layers curve."""
    mesh = km.mesh.airfoil("naca0012", nodes=1000, wall_spacing=1e-3)
    settings = km.AleSettings(**settings)
    return km.Ale(mesh, mach=0.3, reynolds=5e3, device="cpu", settings=settings)


@pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning")
def test_triangles_on_curved_walls_are_the_first_advice_where_a_flow_diverges():
    thin, good = curved(), case()
    for code in OF_FLOW:
        assert re.fullmatch(rf"{CURVED}; or .*CFL.*", thin.grid.ensemble.advice(0, code))
    assert "quadrilaterals" not in thin.grid.ensemble.advice(0, AREA)
    assert good.grid.ensemble.advice(0, DENSITY) == in_words(DENSITY)[1]


@pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning")
def test_triangles_on_curved_walls_are_the_first_advice_where_a_residual_stays():
    with pytest.warns(RuntimeWarning, match=rf"residual .*; try {CURVED}; or raise steady"):
        curved(steady_iterations=3).steady()
