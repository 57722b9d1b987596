"""A wing has the same loads, reduced frequency, damping, power and newtons in any unit of length.

In space one length, `reference_length`, is that of moments, power, damping, k and km.Units.
"""

import warnings
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.dimension import XY
from kinemesh.flow.door.planforms import is_chord, unstated
from kinemesh.mesh.extents import Walls

AREA, LENGTH, MACH = 1.16, 0.8, 0.5  # in root chords
METRES = 0.25  # root chord
FACTORS = {"chords": 1.0, "metres": METRES, "millimetres": 1000 * METRES}
AIR = {"pressure": 101_325.0, "temperature": 288.15}
SOLVERS = {"ale": km.Ale, "cells": km.CellCentred, "meshless": km.Meshless}
CHEAP = {
    "ale": km.AleSettings(linear_solver="lusgs", unsteady_drop=0.1),
    "cells": km.CellSettings(linear_solver="lusgs", unsteady_drop=0.1),
    "meshless": km.MeshlessSettings(unsteady_drop=1e-8),  # single precision of its matrix
}
EXPONENTS = {"time": 1, "power": -1, "power_pitch": -1, "min_volume": 3}
pytestmark = pytest.mark.no_sanitizer


def tapered():
    """A swept, tapered wing of root chord 1 between planes of symmetry."""
    mesh = km.mesh.extruded(km.mesh.airfoil("naca0012", nodes=500, far_field=8.0), span=1.5)
    x, y, z = mesh.points.T
    chord = 1 - 0.3 * y
    return mesh.transformed(np.stack([chord * x + 0.4 * y, y, chord * z], axis=1))


def scaled(space, factor):
    """The mesh, or cloud of tetrahedra, in other units of length."""
    return space.transformed(factor * space.points)


def space_of(name, factor=1.0):
    return half_wing(lambda p: factor * p) if name == "meshless" else scaled(tapered(), factor)


def references(factor=1.0):
    """Area, length and moment's point in a unit of which a root chord has `factor`."""
    return {
        "reference_area": AREA * factor**2, "reference_length": LENGTH * factor,
        "moment_about": (0.25 * factor, 0.0),
    }  # fmt: skip


def law(factor=1.0):
    k = {"k": 0.3, "chord": LENGTH * factor}
    return km.motion.pitch(2.0, about=(0.25 * factor, 0.0), **k)


def case(name, space, factor=1.0, motion=None, **more):
    told = {"mach": MACH, "alpha_deg": 2.0, "device": "cpu", "settings": CHEAP[name]}
    return SOLVERS[name](space, motion=motion, **(told | references(factor) | more))


def cycle(name, space, factor=1.0):
    made = case(name, space, factor, law(factor))
    return made, made.run(cycles=1, steps_per_cycle=8, start="stream")


def said(make):
    """Texts of a call's warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        make()
    return [str(warning.message) for warning in told]


def newtons(run):
    """Lift, moment and power in SI units; the reference length is known in metres."""
    units = km.Units(run, chord=LENGTH * METRES, **AIR)
    last = {name: run.history[name][-1] for name in ("cl", "cm", "power", "time")}
    return {
        "force": units.force(last["cl"]),
        "moment": units.moment(last["cm"]),
        "watts": units.power(last["power"]),
        "joules": units.work(run.loop().work),
        "seconds": units.seconds(last["time"]),
        "hertz": units.frequency(0.3),
    }


def same(found, known, factor):
    """Compare histories, loops and newtons of two runs; lengths of one are `factor` the other's."""
    for name in set(known.history.columns) & {*EXPONENTS, "cl", "cd", "cm", "cy", "alpha_deg"}:
        unit = factor ** EXPONENTS.get(name, 0)
        np.testing.assert_allclose(
            found.history[name] / unit, known.history[name], rtol=1e-9, atol=1e-11, err_msg=name
        )
    for name in ("damping", "work", "power_in"):
        value = getattr(known.loop(), name)
        assert getattr(found.loop(), name) == pytest.approx(value, rel=1e-9), name
        assert abs(value) > 1e-5
    for name, value in newtons(known).items():
        assert newtons(found)[name] == pytest.approx(value, rel=1e-9), name


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SOLVERS)
def test_a_wing_has_the_same_numbers_in_any_unit_of_length(name, tmp_path):
    _, known = cycle(name, space_of(name))

    for factor in list(FACTORS.values())[1:]:
        _, found = cycle(name, space_of(name, factor), factor)
        same(found, known, factor)
    if name != "meshless":
        km.mesh.write(scaled(tapered(), 250.0), tmp_path / "wing.su2")
        same(cycle(name, km.mesh.read(tmp_path / "wing.su2", scale=1 / 250))[1], known, 1.0)


def test_newtons_are_those_of_the_wing_in_metres():
    """Dynamic pressure times area and length by hand."""
    units = km.Units(case("ale", scaled(tapered(), 250.0), 250.0), chord=LENGTH * METRES, **AIR)
    sound = np.sqrt(1.4 * 287.05 * 288.15)
    q = 0.5 * 101_325 / (287.05 * 288.15) * (MACH * sound) ** 2
    area, length = AREA * METRES**2, LENGTH * METRES

    assert units.force(0.5) == pytest.approx(0.5 * q * area, rel=1e-12)
    assert units.moment(0.5) == pytest.approx(0.5 * q * area * length, rel=1e-12)
    assert units.work(0.5) == pytest.approx(0.5 * q * area * length, rel=1e-12)
    seconds = METRES / 250.0 / sound
    assert units.seconds(1.0) == pytest.approx(seconds, rel=1e-12)
    assert units.power(0.5) == pytest.approx(0.5 * q * area * length / seconds, rel=1e-12)
    assert units.k(10.0) == pytest.approx(np.pi * 10.0 * length / (MACH * sound), rel=1e-12)


# ---------------------------------------------------------------- what is measured


def test_the_longest_chord_is_that_of_a_section_along_the_span():
    """At the root of a tapered wing; of an inclined one too; across the middle of a sphere."""
    wing = tapered()
    (body,) = Walls.of(wing, ["airfoil"], ["symmetry_left", "symmetry_right"]).bodies
    x, y, z = wing.points.T
    turn = np.exp(-0.3j) * (x + 1j * z)
    inclined = wing.transformed(np.stack([turn.real, y, turn.imag], axis=1))
    (other,) = Walls.of(inclined, ["airfoil"], ["symmetry_left", "symmetry_right"]).bodies
    (ball,) = Walls.of(scaled(km.mesh.sphere(nodes=1500), 3.0), ["sphere"]).bodies

    assert body.chord == pytest.approx(1.0, rel=5e-4)
    assert other.chord == pytest.approx(body.chord, rel=4e-4)  # of a way of 2 degrees
    assert body.mean_chord == pytest.approx(1 - 0.3 * 0.75, rel=2e-3)
    assert ball.chord == pytest.approx(3.0, rel=2e-4)
    assert ball.side == pytest.approx(ball.size, rel=1e-9)
    assert "long on average, 1 at most" in body.told()


@pytest.mark.long
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("factor", [0.25, 250.0])
def test_a_length_that_is_not_stated_is_refused_of_a_motion_and_told_of_others(name, factor):
    """A wing in metres or in millimetres, whose area is stated."""
    space, none = space_of(name, factor), {"reference_length": None}
    words = rf" at most .*refer to a length of 1; say the length by reference_length={factor:g}"

    for motion in (law(factor), km.motion.plunge(0.1, 0.2), km.motion.translate((1.0, 0.0))):
        with pytest.raises(km.MeshError, match=words):
            case(name, space, factor, motion, **none)
    told = said(lambda: case(name, space, factor, **none))
    assert any(f"reference_length={factor:g}" in text or "other units" in text for text in told)
    assert not said(lambda: case(name, space, factor, reference_area=planform(name, factor)))


def planform(name, factor):
    space = space_of(name, factor)
    planes = [n for n in space.boundaries if "symmetry" in n]
    wall = "wing" if name == "meshless" else "airfoil"
    return Walls.of(space, [wall], planes).bodies[0].size


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "good"),
    [(0.979, False), (0.982, True), (1.019, True), (1.022, False), (1.287, True), (1.25, False)],
)
def test_a_root_chord_or_a_mean_chord_of_one_needs_no_words(size, good):
    """Within 2 per cent; the mean chord of the wing is 0.775 root chords."""
    wing = scaled(tapered(), size)
    told = {"mach": MACH, "device": "cpu", "reference_area": planform("ale", size)}
    motion = km.motion.pitch(2.0, 0.2)

    if good:
        assert km.Ale(wing, motion=motion, **told).notes == []
        return
    with pytest.raises(km.MeshError, match="say the length by reference_length"):
        km.Ale(wing, motion=motion, **told)
    stated = km.motion.pitch(2.0, 0.2, chord=1.0)
    assert km.Ale(wing, motion=stated, reference_length=1.0, **told).notes == []


def test_a_motion_refers_to_the_length_of_the_case():
    """Another is refused, but for a chord of the body, which is told."""
    wing, told = tapered(), {"reference_area": planform("ale", 1.0)}
    root, mean = km.motion.pitch(2.0, 0.2), km.motion.pitch(2.0, 0.2, chord=0.775)

    for motion, chord in ((root, 1), (mean, 0.775)):
        notes = said(lambda motion=motion: case("ale", wing, motion=motion, **told))
        assert len(notes) == 1
        assert f"refers to {chord:g}, and moments, power and km.Units to the ref" in notes[0]
    assert case("ale", wing, motion=law(), **told).notes == []
    for chord in (1.03, 0.5, 300.0):
        motion = root + km.motion.plunge(0.1, 0.2, chord=chord)
        with pytest.raises(km.SettingsError, match=rf"of {chord:g}, and the case to 0\.8.*motion"):
            case("ale", wing, motion=motion, **told)
    walls = Walls.of(wing, ["airfoil"], ["symmetry_left", "symmetry_right"])
    assert [is_chord(walls, c) for c in (0.975, 0.985, 1.015, 1.025)] == [False, True, True, False]


def test_a_chord_is_of_the_plane():
    with pytest.raises(km.SettingsError, match=r"chord is 1, .*reference_length, to which k refe"):
        case("ale", tapered(), chord=1.0)


@pytest.mark.parametrize(
    ("factor", "told"), [(0.25, True), (0.97, True), (0.985, False), (1.0, False), (250.0, True)]
)
def test_the_default_of_points_is_told_of_a_wing_in_other_lengths(factor, told):
    """A quarter of a length of the mesh is no quarter of its root chord."""
    wing = scaled(tapered(), factor)
    area = planform("ale", factor)
    mean = LENGTH * factor
    pitch = km.motion.pitch(2.0, 0.2, chord=mean)
    lengths = {"reference_area": area, "reference_length": mean, "moment_about": None}

    notes = said(lambda: case("ale", wing, factor, pitch, **lengths))

    for what in ("moment_about", "the pivot of airfoil"):
        assert any(f"{what} is at (0.25, 0), " in text for text in notes) == told
    assert len(notes) == 2 * told
    assert not said(lambda: case("ale", wing, factor, law(factor), reference_area=area))


# ---------------------------------------------------------------- other doors


def file_of(tmp_path, factor, **flow):
    """Case file of the wing in a mesh file, in a unit of length."""
    path = tmp_path / f"wing-{factor:g}.su2"
    km.mesh.write(scaled(tapered(), factor), path)
    told = references(factor) | {"moment_about": [0.25 * factor, 0.0]} | flow
    return Case.from_dict({
        "name": "wing", "mode": "unsteady", "method": "ale",
        "mesh": {"file": str(path), "boundaries": {"symmetry_left": "symmetry",
                                                   "symmetry_right": "symmetry"}},
        "flow": {"mach": MACH, "alpha_deg": 2.0, **told},
        "motion": {"pitch": {"amplitude_deg": 2.0, "k": 0.3, "about": [0.25 * factor, 0.0]}},
        "deform": {"method": "rigid"},
        "run": {"device": "cpu", "cycles": 1, "steps_per_cycle": 8},
        "solver": {"linear_solver": "lusgs", "unsteady_drop": 0.1},
    })  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")
def test_a_case_file_has_k_by_the_reference_length(tmp_path):
    """A file tells its dimensions once it is read."""
    periods = []
    for factor in FACTORS.values():
        made = file_of(tmp_path, factor)
        assert made.chord() == LENGTH * factor
        assert made.chord(XY) is None
        units = km.Units(made, chord=LENGTH * METRES, **AIR)
        assert units.metres == pytest.approx(METRES / factor)
        assert units.force(1.0) == pytest.approx(
            units.dynamic_pressure() * AREA * METRES**2, rel=1e-12
        )
        report = str(check(made))
        assert "wrong" not in report
        periods.append(made.motion.build(made.chord()).period(MACH) / factor)
        assert f"period {periods[-1] * factor:.5g} " in report
        assert made.build().chord == LENGTH * factor
    assert periods == pytest.approx([periods[0]] * 3)


def test_a_case_file_without_a_length_is_refused_by_check(tmp_path):
    made = file_of(tmp_path, 0.25, reference_length=None)

    assert "say the length by reference_length=0.25" in str(check(made))


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_sweep_over_the_length_has_each_k(tmp_path):
    """Rows are those of solvers in Python whose motions refer to the same length."""
    own = {"section": "naca0012", "nodes": 500, "far_field": 8.0, "extruded": {"span": 1.0}}
    run = {"cycles": 1, "steps_per_cycle": 4}
    wing = Case.from_dict(file_of(tmp_path, 1.0).tables() | {
        "mesh": own, "run": run | {"device": "cpu", "preflight": False},
    })  # fmt: skip
    mesh = km.mesh.extruded(km.mesh.airfoil("naca0012", nodes=500, far_field=8.0), span=1.0)

    found = km.sweep(wing, {"flow.reference_length": [0.5, 1.0]})

    for row, length in enumerate((0.5, 1.0)):
        motion = km.motion.pitch(2.0, 0.3, chord=length)
        made = case("ale", mesh, 1.0, motion, reference_length=length, deform=km.deform.Rigid())
        alone = made.run(**run).loop()
        np.testing.assert_allclose(found.cl.values[row], alone.cl.values, rtol=1e-9)
        assert found.damping.values[row] == pytest.approx(alone.damping, rel=1e-9)


@pytest.mark.parametrize(
    ("share", "good"),
    [(0.98 - 1e-9, False), (0.98 + 1e-9, True), (1.02 - 1e-9, True), (1.02 + 1e-9, False)],
)
def test_two_percent_off_a_chord_are_the_most_that_is_still_the_chord(share, good):
    """Limits of a length of a motion, and of a length of 1 that nobody states."""
    wing = SimpleNamespace(chord=2.0, mean_chord=1.5, told=lambda: "")
    near = SimpleNamespace(chord=share, mean_chord=0.7, told=lambda: "")
    space = SimpleNamespace(origin=SimpleNamespace(chord=None))

    for chord in (2.0, 1.5):
        assert is_chord(SimpleNamespace(bodies=[wing]), share * chord) is good
    assert (unstated(space, SimpleNamespace(bodies=[near]), None) is None) is good
