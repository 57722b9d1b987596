"""Meshes and motions in words, as tables of runs and of checks have them."""

import kinemesh as km
import pytest
from kinemesh.flow.door.inputs import asked, motion_in_words
from kinemesh.io import summary
from kinemesh.io.condition_words import of_mesh, of_motions

PITCH, PLUNGE = km.motion.pitch(2.5, 0.08), km.motion.plunge(0.1, 0.08, phase_deg=90.0)


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        (PITCH, "pitch, amplitude 2.5 deg, k 0.08, about (0.25, 0)"),
        (PLUNGE, "plunge, amplitude 0.1, k 0.08, phase 90 deg"),
        (
            PITCH + PLUNGE,
            "pitch + plunge, pitch amplitude 2.5 deg, k 0.08, about (0.25, 0), pitch phase 0 deg, "
            "plunge phase 90 deg, plunge amplitude 0.1",
        ),
        (km.motion.vibrate(abs, 0.1, 0.3), "vibration, amplitudes 0.1, k 0.3, phases 0 deg"),
        (
            km.motion.vibrate([abs, abs], [0.1, 0.2], 0.3, phases_deg=[0.0, 90.0]),
            "vibration, amplitudes (0.1, 0.2), k 0.3, phases (0, 90) deg",
        ),
        (
            km.motion.vibrate([km.motion.clamped_bending(4.0), abs], [0.1, 0.2], 0.3),
            "vibration, amplitudes (0.1, 0.2), k 0.3, phases (0, 0) deg, shapes bending",
        ),
        (
            km.motion.given(shapes=km.motion.clamped_torsion(4.0)),
            "given, about (0, 0), shapes torsion",
        ),
        (
            km.motion.twist(3.0, 0.1, span=2.0) + km.motion.plunge(0.1, 0.1),
            "twist + plunge, amplitude 3 deg, k 0.1, span 2, about (0.25, 0, 0), sweep 0 deg, "
            "dihedral 0 deg, plunge amplitude 0.1",
        ),
        (km.motion.given(about=(0.5, 0.1)), "given, about (0.5, 0.1)"),
        (
            km.motion.Free((0.4, 0.0), law=km.motion.pitch(5.0, k=0.4, about=(0.4, 0.0))),
            "free + pitch, about (0.4, 0), pitch amplitude 5 deg, k 0.4",
        ),
        (km.motion.translate((0.1, 0.0), ramp=2.0), "translate, velocity (0.1, 0), ramp 2"),
        (
            km.motion.pitch(1.0, 0.1, chord=2.0, ramp=0.5),
            "pitch, amplitude 1 deg, k 0.1, about (0.25, 0), chord 2, ramp 0.5",
        ),
    ],
)
def test_a_motion_is_its_kind_with_the_numbers_that_are_not_usual(motion, words):
    assert motion_in_words(motion) == words


def test_shapes_are_numbered_with_their_amplitudes():
    shapes = [km.motion.clamped_bending(4.0), abs, abs, km.motion.clamped_torsion(4.0)]
    for law in (km.motion.given(shapes=shapes), km.motion.modes(shapes, lambda t: 0.0),
                km.motion.vibrate(shapes, [0.1] * 4, 0.3)):  # fmt: skip
        told = rows([law], [(0, "a")])[0]
        assert {n: v for n, v in told.items() if n.startswith("shapes")} == {
            "shapes_1": "bending",
            "shapes_4": "torsion",
        }


class Flat:
    points = range(9)


def rows(motions, bodies):
    members = 1 + max(member for member, _ in bodies)
    return asked([Flat()] * members, bodies, motions, {})


def test_motions_of_members_are_told_once_and_bodies_by_their_marker():
    one = rows([PITCH, PITCH, None], [(0, "a"), (1, "a"), (2, "a")])
    assert of_motions(one) == "pitch, amplitude 2.5 deg, k 0.08, about (0.25, 0); at rest"
    flap = rows([None, PLUNGE], [(0, "main"), (0, "flap")])
    assert of_motions(flap) == "flap: plunge, amplitude 0.1, k 0.08, phase 90 deg"
    assert of_motions(rows([None], [(0, "a")])) == ""
    each = [km.motion.translate((0.1 * k, 0.0)) for k in range(1, 6)]
    told = of_motions(rows(each, [(k, "a") for k in range(5)]))
    assert told.count("translate") == 3
    assert told.endswith("velocity (0.3, 0); and 2 more")


BOX = {"from": [1e-17, -0.05992], "to": [1.0, 0.05992], "outline": [[0.1] * 8, [0.2] * 8]}
MESH = {
    "nodes": 600,
    "triangles": 1100,
    "quads": 0,
    "members": 1,
    "walls": ["airfoil"],
    "bodies": {"airfoil": {"length": 1.0, **BOX}},
    "extents": {"wall": BOX, "far": {"from": [-8, -8], "to": [8, 8]}},
    "conditions": {"out": {"pressure": 0.75}},
}


def test_a_mesh_is_its_counts_its_bodies_and_where_it_reaches():
    assert of_mesh(MESH) == [
        ("mesh", "600 nodes, 1100 triangles"),
        ("bodies", "airfoil length 1"),
        ("wall", "x 0 to 1, y -0.05992 to 0.05992"),
        ("far field", "x -8 to 8, y -8 to 8"),
        ("condition out", "pressure 0.75"),
    ]
    # of members that differ there is a list of each
    assert of_mesh(MESH | {"members": 2, "bodies": [{}, {}], "extents": [{}, {}]})[:2] == [
        ("mesh", "600 nodes, 1100 triangles, 2 members"),
        ("condition out", "pressure 0.75"),
    ]


def test_a_table_has_neither_outlines_nor_words_of_python():
    conditions = {"mach": 0.5, "motion": [repr(PITCH)]}
    device = {"device": "cpu", "threads": 1}
    more = {"converged": True, "periodic": False}
    about = summary.collect("unsteady", device, "float64", conditions, MESH, {}, {}, more)
    told = summary.table(about | {"asked": rows([PITCH], [(0, "airfoil")])}).splitlines()

    assert dict(line.split(maxsplit=1) for line in told if line[:6] in ("motion", "device")) == {
        "device": "cpu, threads 1, float64",
        "motion": "pitch, amplitude 2.5 deg, k 0.08, about (0.25, 0)",
    }
    assert [line.split()[-1] for line in told if line[:4] in ("conv", "peri")] == ["yes", "no"]
    for words in ("outline", "Pitch(", "True", "False"):
        assert not [line for line in told if words in line]


def test_a_table_has_units_of_amplitudes_and_no_hash_of_shapes():
    units = {"0: wing": ["rad"], "1: wing": ["rad"], "1: flap": ["-", "rad"]}
    shapes = {name: "a32f1d3c3dd86ec7" for name in units}
    names = {"1: flap": ["", "torsion"]}
    conditions = {"mach": 0.5, "shapes": shapes, "amplitudes": units, "shape_names": names}
    about = summary.collect("unsteady", "cpu", "float64", conditions, {}, {}, {}, {})

    told = dict(line.split(maxsplit=1) for line in summary.table(about).splitlines())

    assert told["amplitudes"] == "wing mode_1 [rad]; flap mode_1 [-], mode_2 (torsion) [rad]"
    assert not {"shapes", "shape_names"} & {*told}
    assert "a32f1d3c3dd86ec7" not in summary.table(about)
