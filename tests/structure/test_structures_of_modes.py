"""Structures of modes: their numbers, mass ratios over the Mach number, shapes of points."""

from math import sqrt

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import ArgumentError, CaseError, SettingsError
from kinemesh.study.flutter.forces import Forces
from kinemesh.study.flutter.roots import tracks
from sweeps import TABLES


def shift(points):
    return np.eye(points.shape[1])[-1] * np.ones((len(points), 1))


def turn(points):
    return points[:, ::-1] * [1.0, -1.0]


NUMBERS = {"frequencies": [10.0, 40.0], "masses": [0.3, 0.02], "mu": 30.0, "volume": 0.7,
           "reference": 20.0}  # fmt: skip


def modes(**change):
    return km.structure.Modes([shift, turn], **NUMBERS | change)


def test_masses_and_stiffnesses_are_of_modes_that_do_not_know_one_another():
    made = modes(damping=[0.0, 0.02])

    assert np.array_equal(made.mass, np.diag([0.3, 0.02]))
    assert made.stiffness == pytest.approx(np.diag([0.3 * 0.25, 0.02 * 4 * (1 + 0.02j)]))
    assert made.ratios.tolist() == [0.5, 2.0]
    assert made.names == ("mode_1", "mode_2")
    assert modes().stiffness.dtype == float


def test_between_mach_numbers_the_logarithm_of_mu_is_linear_and_beyond_none_is_known():
    made = modes(mu=[20.0, 80.0, 60.0], mach=[0.5, 0.9, 1.0])

    assert made.at(0.5).mu == pytest.approx(20)
    assert made.at(0.7).mu == pytest.approx(40)
    assert made.at(1.0).mu == pytest.approx(60)
    assert made.least_mu == 20
    for beyond in (0.4999, 1.0001, np.nan):
        with pytest.raises(SettingsError, match=r"mu is given from Mach 0\.5 to 1, and the Mach"):
            made.at(beyond)
    assert modes().at(0.1).mu == 30


@pytest.mark.parametrize("g", [0.0, 0.02, 0.2])
def test_damping_of_a_structure_without_loads_is_exact(g):
    """p^2 + kappa^2 (omega_j / omega_alpha)^2 (1 + i g) = 0."""
    made = modes(damping=g)
    forces = Forces(np.linspace(0, 2, 9), np.zeros((9, 2, 2)))
    speeds = np.geomspace(0.3, 0.6, 5)

    found = tracks(made, forces, speeds)

    for track, ratio in zip(found, (0.5, 2.0), strict=True):
        for root, speed in zip(track.roots, speeds, strict=True):
            p = 1j * ratio / (speed * sqrt(30)) * np.sqrt(1 + 1j * g)
            assert [root.sigma, root.k] == pytest.approx([p.real, p.imag], abs=1e-12)


def quadratic(points):
    """A polynomial of second degree in x and y along z."""
    x, y = points[:, 0], points[:, 1]
    found = np.zeros_like(points)
    found[:, 2] = 0.3 + 0.2 * x - 0.1 * y + 0.4 * x * y - 0.2 * x**2 + 0.5 * y**2
    return found


def linear(points):
    return points @ np.array([[0.1, 0, 0.3], [0, 0.2, -0.4], [0, 0, 0]]) + 0.2


def test_shapes_of_a_plates_points_are_those_of_polynomials_on_the_wall():
    """Linear ones exactly; of second degree by the cube of the points' distance in its middle."""
    rng = np.random.default_rng(3)
    wall = np.column_stack([rng.uniform([0.2, 0.4], [0.8, 1.6], (50, 2)), rng.uniform(-1, 1, 50)])
    wall[:, 2] *= 0.02
    errors = []
    for n in (8, 16):
        x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 2, 2 * n))
        points = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
        given = np.stack([linear(points), quadratic(points)], axis=1)
        one, two = km.motion.shapes_at(points, given)
        assert np.abs(one(wall) - linear(wall * [1, 1, 0])).max() < 1e-9
        errors.append(np.abs(two(wall) - quadratic(wall)).max())
    assert errors[0] < 2e-3
    assert errors[1] < errors[0] / 4


def test_work_of_loads_on_the_wall_is_that_of_loads_brought_to_the_points():
    """Virtual work: shapes on the wall are linear in those of the points, whatever these are."""
    rng = np.random.default_rng(7)
    x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 2, 5))
    points = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
    wall = np.column_stack([rng.uniform([0, 0], [1, 2], (80, 2)), rng.uniform(-0.02, 0.02, 80)])
    force = rng.normal(size=(80, 3))
    given = rng.normal(size=(20, 3))
    unit = np.zeros((20, 60, 3))  # of each point and axis a shape that moves it alone
    unit[np.repeat(np.arange(20), 3), np.arange(60), np.tile(np.arange(3), 20)] = 1.0
    brought = [np.sum(force * own(wall)) for own in km.motion.shapes_at(points, unit)]

    (shape,) = km.motion.shapes_at(points, given[:, None])

    work = np.sum(force * shape(wall))
    assert work == pytest.approx(np.dot(brought, given.ravel()), abs=1e-12 * np.abs(force).sum())
    assert abs(work) > 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"frequencies": [10.0]}, "1 frequencies, expected one for each of 2 shapes"),
        ({"frequencies": [10.0, 0.0]}, r"frequencies\[1\] is 0.0, expected a number above 0"),
        ({"frequencies": 10.0}, "frequencies is 10.0, expected a list of numbers"),
        ({"masses": [0.3, -1]}, r"masses\[1\] is -1, expected a number above 0"),
        ({"masses": []}, r"masses is \[\], expected a list of numbers"),
        ({"mu": 0}, "mu is 0, expected a number above 0"),
        ({"mu": [30.0]}, r"mu is \[30.0\], expected a number above 0"),
        ({"volume": np.inf}, "volume is inf, expected a number above 0"),
        ({"reference": "two"}, "reference is 'two'"),
        ({"damping": [0.1]}, "1 damping, expected one for each of 2 shapes"),
        ({"damping": -0.01}, "structural damping g from 0 to 0.5"),
        ({"damping": 0.51}, "structural damping g from 0 to 0.5"),
        ({"mach": [0.5, 0.9]}, "mu is 30.0, expected a list of numbers"),
        ({"mach": [0.9, 0.5], "mu": [1, 2]}, r"mach is \[0.9, 0.5\] beside 2 mu, expected rising"),
        ({"mach": [0.9], "mu": [1, 2]}, "beside 2 mu, expected rising Mach numbers"),
        ({"shapes": []}, "expected at least one"),
        ({"shapes": [1]}, "expected callables"),
        ({"mass": 1}, "unknown argument 'mass'"),
    ],
)
def test_numbers_that_make_no_modes_are_refused(change, said):
    given = {"shapes": [shift, turn], **NUMBERS} | change
    with pytest.raises((SettingsError, ArgumentError), match=said):
        km.structure.Modes(**given)


def test_damping_of_a_half_is_taken():
    assert modes(damping=0.5).damping == (0.5, 0.5)


@pytest.mark.parametrize(
    ("points", "displacements", "said"),
    [
        (np.zeros((4, 3)), np.zeros((4, 3)), r"\(4, 3\) and displacements \(4, 3\), expected"),
        (np.zeros((4, 3)), np.zeros((3, 1, 3)), "expected"),
        (np.zeros((4, 1)), np.zeros((4, 1, 1)), "d = 2 in the plane and 3 in space"),
        (np.zeros((0, 2)), np.zeros((0, 1, 2)), "no points, expected those of a structure"),
        ([[0, np.nan]], [[[0, 1]]], r"points: points\[0, 1\] is nan, expected finite numbers"),
        ([[0, 1], [0]], [[[0, 1]]], "expected arrays of one length in each axis"),
        ([["a", "b"]], [[[0, 1]]], "expected real numbers"),
    ],
)
def test_points_that_have_no_shapes_are_refused(points, displacements, said):
    with pytest.raises(SettingsError, match=said):
        km.motion.shapes_at(points, displacements)


# ---------------------------------------------------------------- case files


@pytest.fixture
def table(tmp_path):
    """[structure] of modes, and a file of their shapes beside the case."""
    x = np.linspace(0, 1, 5)
    points = np.stack([x, 0.02 * (-1.0) ** np.arange(5)], axis=1)
    np.savez(tmp_path / "m.npz", points=points,
             displacements=np.stack([shift(points), turn(points)], axis=1))  # fmt: skip
    return {"kind": "modes", "file": "m.npz", **NUMBERS, "damping": 0.01}


def test_case_files_have_modes_that_come_back(table, tmp_path):
    made = Case.from_dict({**TABLES, "structure": table}, tmp_path)

    own = made.structure.build()
    assert (own.frequencies, own.masses, own.mu) == ((10.0, 40.0), (0.3, 0.02), 30.0)
    assert own.damping == (0.01, 0.01)
    assert [shape.title for shape in own.shapes] == ["1 of m.npz", "2 of m.npz"]
    assert Case.from_dict(made.tables()) == made
    assert made.changed(["structure.mu=80"]).structure.mu == 80


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "mode"}, r"\[structure\] kind = 'mode', expected one of typical-section, modes"),
        ({"a": -2.0}, r"\[structure\] is of kind 'modes', so a has no meaning"),
        ({"masses": None}, r"\[structure\] lacks masses"),
        ({"file": 3}, r"\[structure\] file = 3, expected a file name"),
        ({"file": "none.npz"}, "none.npz: cannot read the shapes"),
        ({"volume": -1.0}, r"\[structure\]: modes: volume is -1.0"),
        ({"weight": 1}, r"\[structure\]: unknown key 'weight'"),
        (
            {"speed_range": [0.7, 0.25]},
            r"speed_range = \[0.7, 0.25\], expected two numbers above 0",
        ),
        ({"speed_range": [0, 0.7]}, "expected two numbers above 0, the first below the last"),
        ({"speed_range": 0.3}, "speed_range = 0.3, expected two numbers"),
    ],
)
def test_modes_of_case_files_that_make_none_are_refused(table, tmp_path, change, said):
    given = {name: value for name, value in (table | change).items() if value is not None}
    with pytest.raises((CaseError, SettingsError), match=said):
        Case.from_dict({**TABLES, "structure": given}, tmp_path)
