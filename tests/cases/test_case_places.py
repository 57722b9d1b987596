"""Errors of cases have the key of the case file as a fact; doors move it, and no other text."""

import kinemesh as km
import pytest
from kinemesh.cases import load
from kinemesh.cases.casefile import Case
from kinemesh.cases.overset_parts import of_motions, of_part
from kinemesh.cases.values import as_option, in_file, in_section, number
from kinemesh.sentences import Place

SOLVER = Place("solver")


def of(door, error):
    """The error that comes through a door."""
    with pytest.raises(type(error)) as told, door:
        raise error
    return told.value


def test_a_value_of_a_case_has_its_place_and_what_was_expected():
    with pytest.raises(km.CaseError) as told:
        number(Place("flow", "mach"), -1, above=0.0)
    assert str(told.value) == "[flow] mach = -1, expected a number above 0"
    assert told.value.place == Place("flow", "mach")
    assert told.value.expected == "a number above 0"


def test_a_key_of_a_part_is_that_of_the_part_and_values_stay_as_they_are():
    back = {"box": [-5.0, 5.0, -5.0, 5.0], "spacing": 0.2}
    table = {"name": "c", "mode": "steady", "method": "incompressible", "flow": {"reynolds": 40}}
    rod = {"shape": "cylinder", "walls": "[mesh]", "nodes": 500}
    with pytest.raises(km.CaseError) as told:
        Case.from_dict(table | {"parts": {"rod": rod, "back": back}})
    assert str(told.value) == "[parts.rod] walls = '[mesh]', expected a list of marker names"
    assert told.value.place == Place(("parts", "rod"), "walls")


def test_a_name_with_dots_and_brackets_is_a_name():
    error = km.CaseError(Place(("motion", "bodies", "a.b]"), "pitch"), " lacks k")
    moved = of(of_motions(), error)
    assert moved.place.path == ("parts", "a.b]", "motion")
    assert str(moved) == "[parts.a.b].motion] pitch lacks k"
    other = km.CaseError(Place(("motion", "bodies"), "x"), " = 1")
    assert str(of(of_motions(), other)) == "[motion.bodies] x = 1"


def test_an_option_stands_in_place_of_its_key_and_other_keys_stay():
    with pytest.raises(km.CaseError) as told:
        load("pitching-naca0012").replace(cycles=-1.0)
    assert str(told.value) == "cycles = -1.0, expected a number above 0"
    assert told.value.place == Place("", "cycles")
    error = km.CaseError(Place("run", "steps"), " = 0")
    assert str(of(as_option(["cycles"]), error)) == "[run] steps = 0"
    assert str(of(as_option(["cycles"]), km.CaseError("[run] cycles = 0"))) == "[run] cycles = 0"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (km.SettingsError("cfl is -1", argument="cfl"), "[solver]: cfl is -1"),
        (km.SettingsError("cfl is -1, of a title"), "cfl is -1, of a title"),
        (km.SettingsError("mach is 9", argument="mach"), "mach is 9"),
        (km.SettingsError(Place("mesh"), " cfl", argument="cfl"), "[mesh] cfl"),
        (km.DeviceError("cfl is of a device", argument="cfl"), "cfl is of a device"),
    ],
)
def test_a_section_is_named_by_the_argument_alone(error, said):
    assert str(of(in_section(SOLVER, {"cfl": 1.0}), error)) == said


def test_a_file_stands_before_the_section_and_the_facts_stay():
    error = km.SettingsError(Place("solver", "cfl"), " = 0", member=2, expected="more")
    whole = of(in_file("c.toml"), error)
    assert str(whole) == "c.toml: member 2: [solver] cfl = 0, expected more"
    assert (whole.member, whole.place, whole.expected) == (2, Place("solver", "cfl"), "more")
    inner = of(in_section(Place("mesh")), km.MeshError("bad"))
    assert str(of(in_file("c.toml"), of(of_part("a"), inner))) == "c.toml, [parts.a]: bad"
