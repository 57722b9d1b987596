"""Bodies that a law moves in one coordinate, and a flow on a structure in another."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError, SettingsError
from runs import MESH

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(member|Reynolds|steady flow|body|.*period):RuntimeWarning"),
]
LAW = km.motion.pitch(5.0, k=0.4, about=(0.4, 0.0))
STEPS = {"time_step": 0.05, "steps": 10}


def spring(mass_ratio=5.0, reduced_velocity=6.0, **more):
    return km.structure.Cylinder(mass_ratio, reduced_velocity, **more)


def water(structure, law=LAW, **changes):
    told = {"reynolds": 500.0, "device": "cpu"} | changes
    return km.Incompressible(MESH, motion=law, structure=structure, **told)


def test_pitch_is_the_laws_and_plunge_is_the_flows():
    rows = water(spring(zeta=0.1)).run(**STEPS).history

    # k = omega c / 2 U
    assert rows["alpha_deg"] == pytest.approx(5 * np.sin(0.8 * rows["time"]), abs=1e-12)
    assert rows["shift_y"] == pytest.approx(rows["q_y"], abs=1e-6)
    assert np.abs(rows["q_y"]).max() > 1e-3
    assert rows["load_y"] == pytest.approx(rows["cl"], abs=2e-3 * np.abs(rows["cl"]).max())


def test_work_of_plunge_alone_is_the_change_of_energy():
    rows = water(spring()).run(**STEPS).history
    work = np.diff(rows["q_y"]) * (rows["load_y"][1:] + rows["load_y"][:-1]) / 2

    assert np.diff(rows["energy"]) == pytest.approx(work, abs=1e-11 * rows["energy"].max())
    assert np.abs(rows["power_pitch"]).max() > 0


def test_a_body_that_is_too_heavy_to_plunge_pitches_as_without_a_structure():
    heavy, held = (case.run(**STEPS).history for case in (water(spring(1e9)), water(None)))

    for column in ("cl", "cd", "cm", "power"):
        size = np.abs(held[column]).max()
        assert heavy[column] == pytest.approx(held[column], abs=1e-4 * size), column


def test_a_section_that_plunges_has_no_law_of_plunge():
    section = km.structure.TypicalSection(20, -0.5, 0.0, 0.25, 0.5, speed_index=0.5)
    with pytest.raises(SettingsError, match="has a structure that shifts it, and moves by Plunge"):
        km.Ale(MESH, mach=0.5, motion=km.motion.plunge(0.1, 0.2), structure=section, device="cpu")


@pytest.mark.long
def test_a_run_of_both_goes_on_with_its_bits_and_members_have_those_of_runs_alone(tmp_path):
    laws = [LAW, None, km.motion.pitch(2.0, k=0.3, about=(0.25, 0.0))]
    each = [spring(), spring(0.5), spring(100.0)]
    every = water(each, laws).run(**STEPS).history
    water(each[0]).run(**STEPS | {"steps": 6}, out=tmp_path)
    left = water(each[0]).run(**STEPS, out=tmp_path, resume=True).history

    for m, (own, law) in enumerate(zip(each, laws, strict=True)):
        alone = left if m == 0 else water(own, law).run(**STEPS).history
        for column in (name for name in alone.columns if name != "member"):
            if column not in ("cycle", "phase_deg"):
                np.testing.assert_array_equal(
                    every.member(m)[column], alone[column], err_msg=column
                )


def test_cycles_are_the_laws_where_there_is_no_spring():
    rows = water(km.structure.Cylinder(5.0)).run(cycles=0.25, steps_per_cycle=32).history

    assert rows["time"][-1] == pytest.approx(0.25 * 2 * np.pi / 0.8)


REFUSED = {
    "both plunge": (km.motion.plunge(0.1, 0.2), "structure that shifts it, and moves by Plunge"),
    "both in a sum": (LAW + km.motion.plunge(0.1, 0.4), "structure that shifts it"),
    "poses by hand": (km.motion.given(), "structure that shifts it, and moves by Given"),
    "no pivot": (
        km.motion.function(lambda t: km.Pose(0.1 * t, (0.3, 0.0))),
        "turns about no one point; expected pitch",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_laws_that_move_what_the_structure_moves_are_refused(name):
    law, said = REFUSED[name]
    with pytest.raises(SettingsError, match=said):
        water(spring(), law)


def test_a_law_across_the_spring_goes_with_it():
    along = km.motion.plunge(0.1, 0.2, direction=(1.0, 0.0))
    rows = water(spring(), along, alpha_deg=5.0).run(**STEPS).history

    assert rows["shift_x"] == pytest.approx(0.1 * np.sin(0.4 * rows["time"]), abs=1e-12)
    assert rows["shift_y"] == pytest.approx(rows["q_y"], abs=1e-6)


def test_a_case_file_has_both(tmp_path):
    ready = km.cases.load("cylinder-free", ["motion.pitch.amplitude_deg=5", "motion.pitch.k=0.4"])
    case = ready.replace(nodes=640)

    rows = case.changed(["run.steps=4"]).run().history
    assert np.abs(rows["alpha_deg"]).max() > 0.5
    assert np.abs(rows["q_y"]).max() > 0
    assert Case.from_dict(case.tables()).motion == case.motion
    with pytest.raises(CaseError, match=r"\[structure\] kind frees the body, which moves by"):
        km.cases.load("cylinder-free", ["motion.plunge.amplitude=1", "motion.plunge.k=1"])
