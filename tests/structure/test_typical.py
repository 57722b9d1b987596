"""Typical sections: frequencies of published cases, and numbers that make none."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import ArgumentError, CaseError, SettingsError
from sweeps import TABLES

CASE_A = {"mu": 60, "a": -2, "x_alpha": 1.8, "r2_alpha": 3.48, "omega_ratio": 1}
STRUCTURE = {"kind": "typical-section", **CASE_A}


def test_isogais_case_a_has_its_frequencies_without_wind():
    """Roots of the quadratic (r2 - x^2) L^2 - 2 r2 L + r2 = 0 in the squares, by hand."""
    section = km.structure.TypicalSection(**CASE_A)
    lead = 3.48 - 1.8**2
    half = np.sqrt(3.48**2 - lead * 3.48)
    squares = (3.48 - half) / lead, (3.48 + half) / lead

    assert section.frequencies == pytest.approx(np.sqrt(squares), rel=1e-12)
    assert section.frequencies == pytest.approx([0.713394, 5.337703], abs=1e-6)
    assert section.axis == -0.5


def test_plunge_and_pitch_without_a_lever_have_their_own_frequencies():
    section = km.structure.TypicalSection(10, 0, 0, 0.25, 0.4)

    assert section.frequencies == pytest.approx([0.4, 1.0], rel=1e-14)


def test_a_lever_takes_kinetic_energy_of_pitch_about_the_centre_of_mass():
    """With the section turning about its centre of mass, only its own inertia moves."""
    section = km.structure.TypicalSection(10, 0, 0.3, 0.25, 0.4)
    turn = np.array([0.3, 1.0])  # the axis rises where what is behind it falls

    assert turn @ section.mass @ turn == pytest.approx(0.25 - 0.3**2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mu": 0}, "mu is 0, expected a number above 0"),
        ({"mu": "60"}, "mu is '60', expected a number above 0"),
        ({"a": np.nan}, "a is nan, expected a finite number"),
        ({"omega_ratio": -1}, "omega_ratio is -1"),
        ({"r2_alpha": 1.8**2}, r"expected r2_alpha above x_alpha\^2 = 3.24"),
        ({"damping": -0.1}, "damping is -0.1, expected structural damping g from 0 to 0.5"),
        ({"damping": 0.51}, "damping is 0.51"),
        ({"damping": [0.1, 0.1]}, "damping is .0.1, 0.1., expected a finite number"),
        ({"chord": 1}, "unknown argument 'chord'"),
    ],
)
def test_numbers_that_make_no_section_are_refused(change, said):
    with pytest.raises((SettingsError, ArgumentError), match=said):
        km.structure.TypicalSection(**CASE_A | change)


def test_a_radius_close_to_the_lever_makes_a_section():
    assert km.structure.TypicalSection(**CASE_A | {"r2_alpha": 3.2401}).frequencies[1] > 100


def test_damping_makes_stiffnesses_complex_and_leaves_frequencies():
    plain, damped = (km.structure.TypicalSection(**CASE_A, damping=g) for g in (0.0, 0.5))

    assert damped.stiffness == pytest.approx(plain.stiffness * (1 + 0.5j))
    assert plain.stiffness.dtype == float
    assert damped.frequencies == pytest.approx(plain.frequencies)
    made = Case.from_dict({**TABLES, "structure": STRUCTURE | {"damping": 0.5}})
    assert made.structure.build() == damped


def test_case_files_have_a_structure_that_comes_back():
    made = Case.from_dict({**TABLES, "structure": STRUCTURE})

    assert made.structure.build() == km.structure.TypicalSection(**CASE_A)
    assert Case.from_dict(made.tables()) == made
    assert made.changed(["structure.mu=80"]).structure.mu == 80


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "wing"}, r"\[structure\] kind = 'wing', expected one of typical-section"),
        ({"weight": 1}, r"\[structure\]: unknown key 'weight'"),
        ({"r2_alpha": 3.0}, r"\[structure\]: typical-section: r2_alpha is 3, x_alpha 1.8"),
    ],
)
def test_structures_of_case_files_that_make_none_are_refused(change, said):
    with pytest.raises((CaseError, SettingsError), match=said):
        Case.from_dict({**TABLES, "structure": STRUCTURE | change})
    lacking = {name: value for name, value in STRUCTURE.items() if name != "mu"}
    with pytest.raises(CaseError, match=r"\[structure\] lacks mu"):
        Case.from_dict({**TABLES, "structure": lacking})
