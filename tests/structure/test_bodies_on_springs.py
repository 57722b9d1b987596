"""Rigid bodies on springs: matrices beside those of sections and cylinders, refusals."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.cases.structures import StructurePart
from kinemesh.errors import ArgumentError, CaseError, SettingsError

PLAIN = {"mass": 2.0, "inertia": 0.3}


def same(one, other):
    for name in ("mass", "damping", "stiffness", "turn", "shift", "about"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-14)


@pytest.mark.parametrize(("speed", "length"), [(1.0, 1.0), (0.5, 2.0)])
def test_springs_are_the_typical_section_of_their_numbers(speed, length):
    """mu, V* and the rest from masses over rho L^2 and stiffnesses over rho U^2, by hand."""
    mu, a, x, r2, ratio, v = 20.0, -0.4, 0.2, 0.3, 0.5, 1.3
    m = mu * np.pi / 4  # b = L / 2
    omega = 2 / (v * np.sqrt(mu))  # omega_alpha L / U
    made = km.structure.Springs(
        mass=m,
        inertia=m * r2 / 4,
        stiffness={"y": m * (ratio * omega) ** 2, "angle": m * r2 / 4 * omega**2},
        pivot=((1 + a) / 2, 0.0),
        centre=((1 + a + x) / 2, 0.0),
        cubic={"angle": 7.0 * m * r2 / 4 * omega**2},
    )
    section = km.structure.TypicalSection(mu, a, x, r2, ratio, speed_index=v, cubic_alpha=7.0)

    one, other = made.coordinates(speed, length), section.coordinates(speed, length)
    same(one, other)
    assert one.cubic == pytest.approx(other.cubic)


@pytest.mark.parametrize(("speed", "length"), [(1.0, 1.0), (0.5, 2.0)])
def test_springs_are_the_cylinder_of_their_numbers(speed, length):
    m, omega, zeta = 2.0 * np.pi / 4, 2 * np.pi / 5, 0.1
    made = km.structure.Springs(
        m, stiffness=m * omega**2, damping=[2 * zeta * m * omega], free=["y"], pivot=(0, 0)
    )

    same(
        made.coordinates(speed, length),
        km.structure.Cylinder(2.0, 5.0, zeta).coordinates(speed, length),
    )


def test_inertia_is_that_of_points_that_move_with_the_body():
    """Kinetic energy of three point masses, by differences of their places."""
    places = np.array([[0.1, 0.2], [0.9, -0.1], [0.6, 0.5]])
    weights = np.array([1.0, 2.0, 0.5])
    pivot = np.array([0.25, 0.05])
    lever = places - pivot
    made = km.structure.Springs(
        weights.sum(), (weights * (lever**2).sum(axis=1)).sum(), free=("x", "y", "angle"),
        pivot=pivot, centre=weights @ places / weights.sum(),
    )  # fmt: skip
    own = made.coordinates(1.0, 1.0)
    rates = np.array([0.3, -0.7, 0.4])
    angle, shift = -rates[2], rates[:2]  # nose-up is clockwise
    speeds = shift + angle * lever[:, ::-1] * [-1.0, 1.0]

    assert rates @ own.mass @ rates == pytest.approx(weights @ (speeds**2).sum(axis=1))


def test_a_body_that_is_free_along_the_stream_alone_has_a_kick_along_it():
    own = km.structure.Springs(2.0, stiffness=1.0, free=("x",)).coordinates(1.0, 2.0)

    assert own.kicked({"shift": 0.1}, 2.0) == pytest.approx([0.2])
    assert own.names == ("x",)


REFUSED = {
    "no mass": ({"mass": None}, r"mass is missing, and the body shifts: free is \['y', 'angle'\]"),
    "no inertia": ({"inertia": None}, "inertia is missing, and the body turns"),
    "inertia of none": ({"free": ["y"]}, "inertia is 0.3, and no coordinate turns the body"),
    "mass of none": ({"free": "angle"}, "mass is 2.0, and no coordinate shifts the body"),
    "negative mass": ({"mass": -1}, "mass is -1, expected a number above 0"),
    "free": ({"free": ["y", "h"]}, r"free is \['y', 'h'\], expected a list of one or more of x, y"),
    "free twice": ({"free": ["y", "y"]}, "each once"),
    "none free": ({"free": []}, "expected a list of one or more"),
    "free of a number": ({"free": 3}, "free is 3, expected a list"),
    "free of lists": ({"free": [["y"]]}, "expected a list of one or more"),
    "stiffness": ({"stiffness": [1, -1]}, r"stiffness is \[1.0, -1.0\], expected numbers of 0 or"),
    "stiffnesses": ({"stiffness": [1, 2, 3]}, "stiffness has 3 numbers, expected one for each of"),
    "stiffness of x": ({"stiffness": {"x": 1}}, r"stiffness of \['x'\], expected of the free coor"),
    "text": ({"stiffness": "1"}, "stiffness of y is '1', expected a finite number"),
    "damping": ({"damping": -0.1}, "damping is .-0.1, -0.1., expected numbers of 0 or more"),
    "cubic": ({"cubic": np.inf}, "cubic of y is inf, expected a finite number"),
    "pushes": ({"cubic": -1.0}, "cubic of y is -1 and stiffness 0, a spring that pushes the body"),
    "pivot": ({"pivot": 0.25}, "pivot is 0.25, expected two numbers, x and y"),
    "centre": ({"centre": (0.9, 0.0)}, "inertia is 0.3, so the mass matrix is not positive"),
    "centre of none": (
        {"free": ["y"], "inertia": None, "centre": (0.3, 0)},
        "which moves a body that both shifts and turns",
    ),
    "unknown": ({"weight": 1}, "unknown argument 'weight'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_numbers_that_make_no_springs_are_refused(name):
    change, said = REFUSED[name]
    with pytest.raises((SettingsError, ArgumentError), match=said):
        km.structure.Springs(**PLAIN | change)


def test_case_files_have_springs_that_come_back():
    ready = km.cases.load("cylinder-free").tables()
    ready["structure"] = {
        "kind": "springs", "free": ["y"], "mass": 1.5, "stiffness": {"y": 2.0}, "damping": 0.1,
        "cubic": [4.0], "pivot": [0.0, 0.0], "kick": {"shift": 0.05},
    }  # fmt: skip
    made = Case.from_dict(ready)

    assert made.free
    assert made.structure.build() == km.structure.Springs(
        1.5, stiffness=2.0, damping=0.1, cubic=4.0, free=("y",), pivot=(0, 0)
    )
    assert Case.from_dict(made.tables()).structure == made.structure
    changed = made.changed(["structure.stiffness.y=3", "structure.mass=2"])
    assert changed.structure.build().stiffness == (3.0,)
    assert changed.structure.build().mass == 2.0


def test_check_tells_all_numbers_of_springs():
    ready = km.cases.load("cylinder-free").tables()
    ready["mesh"] |= {"nodes": 640, "far_field": 8.0}
    ready["structure"] = {
        "kind": "springs", "free": ["x", "y"], "mass": 1.5, "stiffness": {"y": 2.0},
        "cubic": [4.0, 5.0], "kick": {"mode": 2, "shift": 0.05},
    }  # fmt: skip
    rows = {name: text for name, _, text in check(Case.from_dict(ready)).rows}

    assert rows["structure"].startswith("springs, mass 1.5, stiffness y 2, free x y, cubic 4 5; ki")
    assert "first mode without stiffness, so no period" in rows["structure"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"kind": "springs", "mass": 1.0}, r"\[structure\]: springs: inertia is missing"),
        ({"kind": "springs", **PLAIN, "mu": 3}, "is of kind 'springs', so mu has no meaning"),
        ({"kind": "cylinder", "mass_ratio": 1, "cubic": 1}, "so cubic has no meaning"),
    ],
)
def test_tables_that_make_no_springs_are_refused(table, said):
    with pytest.raises((CaseError, SettingsError), match=said):
        StructurePart(**table)


def test_springs_have_no_flutter_analysis():
    case = km.cases.load("isogai-a").tables()
    case["structure"] = {"kind": "springs", **PLAIN}
    with pytest.raises(CaseError, match=r"has Springs.*, which has no flutter analysis"):
        km.flutter(Case.from_dict(case))
