"""`km.Viscosity`: laws of a viscous gas in one argument, which reach the solver or are refused."""

import pickle
from dataclasses import FrozenInstanceError, fields
from inspect import signature

import kinemesh as km
import numpy as np
import pytest

MESH = km.mesh.cylinder(300, far_field=6.0, around=24)
USUAL = {"reynolds_length": 1.0, "temperature_k": 288.15, "wall": "adiabatic", "prandtl": 0.72}
OF_EDDIES = {"turbulent_prandtl": 0.9, "nu_ratio": 3.0}
OTHERS = {
    "reynolds_length": 2.0, "temperature_k": 200.0, "wall": 1.3, "prandtl": 0.9,
    "turbulent_prandtl": 0.5, "nu_ratio": 5.0, "sliding": {"cylinder": 0.5},
}  # fmt: skip
GAS = {"reynolds": 100.0, "turbulence": "sa"}


def case(**told):
    told = {"mach": 0.3, "device": "cpu", "moment_about": (0.0, 0.0)} | told
    return km.Ale(MESH, settings=km.AleSettings(steady_iterations=6, newton=False), **told)


@pytest.fixture(scope="module")
def usual():
    """States after some iterations with the defaults of each model."""
    return {model: states(reynolds=100.0, turbulence=model) for model in (None, "sa")}


def states(**told):
    made = case(**told)
    with pytest.warns(RuntimeWarning, match="residual"):
        made.steady()
    own = made.terms.get("turbulence")
    more = [] if own is None else [made.backend.get(own.nt)]
    return np.column_stack([made.primitive(), *more])


@pytest.mark.parametrize("model", [None, "sa"])
def test_defaults_have_the_bits_of_none_and_of_their_numbers(model, usual):
    told = USUAL | (OF_EDDIES if model else {})
    for viscosity in (km.Viscosity(), km.Viscosity(**told)):
        found = states(reynolds=100.0, turbulence=model, viscosity=viscosity)
        np.testing.assert_array_equal(found, usual[model])


@pytest.mark.parametrize("name", OTHERS)
def test_each_number_reaches_the_flow(name, usual):
    assert {*OTHERS} == {own.name for own in fields(km.Viscosity)}
    found = states(**GAS, viscosity=km.Viscosity(**{name: OTHERS[name]}))
    assert np.abs(found - usual["sa"]).max() > 1e-12


def test_summaries_and_restarts_have_numbers_by_the_names_of_arguments():
    made = case(**GAS, viscosity=km.Viscosity(**OTHERS))
    numbers = {name: own for name, own in OTHERS.items() if name != "sliding"}
    assert made.more["viscosity"] == numbers | {"turbulence": "sa"}
    assert made.more["sliding"] == OTHERS["sliding"]
    laminar = case(reynolds=100.0).more
    assert laminar["viscosity"] == USUAL | {"turbulence": None}
    assert "sliding" not in laminar


def test_viscosity_without_a_reynolds_number_is_refused():
    words = r"^viscosity is Viscosity\(wall=1.2\) and has no effect without reynolds.*give reynolds"
    with pytest.raises(km.SettingsError, match=words):
        case(viscosity=km.Viscosity(wall=1.2))


@pytest.mark.parametrize("reynolds", [None, 100.0])
def test_a_model_that_is_none_is_told_before_a_reynolds_number_is_asked_for(reynolds):
    words = r"^turbulence is 'sst', expected 'sa' .*; leave it out of a laminar or inviscid flow$"
    with pytest.raises(km.SettingsError, match=words):
        case(reynolds=reynolds, turbulence="sst")


@pytest.mark.parametrize("wrong", [{"wall": 1.2}, 288.15, "air", km.Viscosity])
@pytest.mark.parametrize("reynolds", [None, 100.0])
def test_what_is_no_viscosity_is_refused(wrong, reynolds):
    with pytest.raises(km.SettingsError, match=r"^viscosity is .*, expected km\.Viscosity\(\.\.\."):
        case(reynolds=reynolds, viscosity=wrong)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_arguments_of_old_are_told_where_they_stand_now(solver, name):
    words = rf"; {name} is an argument of km\.Viscosity: viscosity=km\.Viscosity\({name}=\.\.\.\)$"
    with pytest.raises(km.ArgumentError, match=words):
        solver(MESH, mach=0.3, reynolds=100.0, **{name: OTHERS[name]})


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"reynolds_length": 0}, "reynolds_length is 0, expected a number of 1e-06 to 1e"),
        (
            {"temperature_k": [288.0, 300.0]},
            r"temperature_k is \[288.0, 300.0\], expected a number",
        ),
        ({"temperature_k": None}, "temperature_k is None, expected a number of 50 to 3000"),
        ({"wall": "hot"}, "wall is 'hot', expected 'adiabatic', or a temperature"),
        ({"prandtl": True}, "prandtl is True, expected a number of 0.1 to 100"),
        ({"turbulent_prandtl": "0.9"}, "turbulent_prandtl is '0.9', expected a number"),
        ({"nu_ratio": np.nan}, "nu_ratio is nan, expected a number of 3 to 5"),
        ({"sliding": [1.0]}, r"sliding is \[1.0\], expected \{marker of a wall: \(x, y\)\}"),
        ({"sliding": {"lid": "fast"}}, "sliding: 'lid' is 'fast', expected a velocity"),
    ],
)
def test_bad_numbers_are_refused_where_they_are_given(told, words):
    with pytest.raises(km.SettingsError, match="^" + words):
        km.Viscosity(**told)


def test_a_number_of_eddies_is_refused_of_laminar_flow():
    with pytest.raises(km.SettingsError, match=r"nu_ratio is 4\.0 and has no effect in a laminar"):
        case(reynolds=100.0, viscosity=km.Viscosity(nu_ratio=4.0))


def test_an_unknown_law_is_an_argument_error_that_names_the_nearest():
    with pytest.raises(km.ArgumentError, match=r"Viscosity: unknown argument 'prantl'.*'prandtl'"):
        km.Viscosity(prantl=0.7)


def test_a_viscosity_is_a_value():
    """Alike where its numbers are, of keywords alone, and fixed."""
    lid = {"lid": (1, 0)}
    made = km.Viscosity(wall=np.float64(1.2), sliding=lid)
    lid["lid"] = (2, 0)

    assert made == km.Viscosity(wall=1.2, sliding={"lid": (1.0, 0.0)}) != km.Viscosity(wall=1.2)
    assert hash(made) == hash(km.Viscosity(wall=1.2))
    assert pickle.loads(pickle.dumps(made)) == made
    assert repr(made) == "Viscosity(wall=1.2, sliding={'lid': (1.0, 0.0)})"
    with pytest.raises(FrozenInstanceError):
        made.wall = 1.0
    with pytest.raises(TypeError):
        km.Viscosity(2.0)


def test_ale_has_few_arguments():
    assert (
        len(signature(km.Ale).parameters) <= 21
    )  # stream, as of km.Incompressible, the last that came
