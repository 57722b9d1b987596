"""Messages on unknown names, and on long values."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import did_you_mean
from kinemesh.io.history import History
from kinemesh.results import Fields
from kinemesh.sentences import Sentence, gathered

FLOW = Fields(
    {"Velocity": np.zeros((3, 3)), "Cp": np.zeros(3), "Vorticity": np.zeros(3)},
    *(np.zeros((0, 2)),) * 3, {}, 0, 0.0, np.nan, np.nan, False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "meant"), [("Cl", "cl"), ("CM", "cm"), ("Phase_Deg", "phase_deg")]
)
def test_a_column_in_capitals_is_named_as_it_is(asked, meant):
    with pytest.raises(KeyError, match=f"did you mean '{meant}'"):
        History()[asked]
    with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
        getattr(History(), asked)


@pytest.mark.parametrize(
    ("asked", "meant"), [("vorticity", "Vorticity"), ("CP", "Cp"), ("velocty", "Velocity")]
)
def test_a_field_is_named_as_it_is(asked, meant):
    with pytest.raises(KeyError, match=f"did you mean '{meant}'"):
        FLOW[asked]


def test_a_field_like_none_there_is_answered_by_the_list():
    with pytest.raises(KeyError, match=r"there are .*Vorticity"):
        FLOW["entropy"]


def test_hints_go_to_the_name_that_is_there_whatever_its_capitals():
    assert did_you_mean("MACH", ["mach", "alpha"]) == "; did you mean 'mach'?"
    assert did_you_mean("ndim", ["NDIME"], quote="") == "; did you mean NDIME?"


def test_settings_as_a_dictionary_are_refused_without_the_whole_of_it():
    mesh = km.mesh.airfoil(nodes=500, far_field=8)
    every = {f"key_{n}": n for n in range(25)}
    with pytest.raises(km.SettingsError) as said:
        km.Ale(mesh, mach=0.5, settings=every)
    assert "settings is a dict of 25 entries, expected AleSettings(...)" in str(said.value)
    with pytest.raises(km.SettingsError) as said:
        km.Incompressible(mesh, reynolds=40, settings=km.AleSettings())
    assert "settings is AleSettings(...), expected IncompressibleSettings(...)" in str(said.value)


def test_notes_of_members_that_differ_in_numbers_are_one_warning():
    notes = [
        Sentence(f"residual fell to {m + 1}.5e-0{m + 1} only", member=m, about="residual")
        for m in (0, 1, 2, 5)
    ]
    others = ["all went well", Sentence("another cause", member=3), "all went well"]
    found = gathered([*notes, *others])
    assert [note.members for note in found] == [(0, 1, 2, 5), (), (3,)]
    assert found == [
        "members 0 to 2, 5 (4): of member 0: residual fell to 1.5e-01 only (the summary's "
        "warnings have the others' numbers)",
        "all went well",
        "member 3: another cause",
    ]


def test_an_ensemble_that_stalls_warns_once_and_its_summary_has_each_member():
    mesh = km.mesh.airfoil(nodes=500, far_field=8)
    settings = km.AleSettings(steady_iterations=2)
    case = km.Ale(mesh, mach=[0.4, 0.5, 0.6], settings=settings, device="cpu")
    with pytest.warns(RuntimeWarning) as said:
        run = case.steady()
    assert len(said) == 1
    assert str(said[0].message).startswith("members 0 to 2 (3): of member 0: stopped at its")
    assert len(run.summary["warnings"]) == 3
