"""Bodies that bend by the modes of a structure, in the steps of a flow."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.errors import CaseError, SettingsError
from kinemesh.motion.twist import TwistShape
from kinemesh.run import coupled
from runs import MESH, assert_same
from test_coupled import QUICK, tables

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member|mode 2|mach is 6).*:RuntimeWarning"),
]
AXIS = 0.25
STEPS = {"cycles": 0.5, "steps_per_cycle": 32}


def up(points):
    """Rise by the amplitude, in the plane and in space."""
    found = np.zeros_like(points)
    found[:, -1] = 1.0
    return found


def turn(points):
    """Small turn nose-up about the axis."""
    return (points - [AXIS, 0.0])[:, ::-1] * [1.0, -1.0]


class Turn(TwistShape):
    """Turn of the whole section about the axis by an angle of any size."""

    def turning(self, points):
        return points - [AXIS, 0.0], np.ones(len(points))

    def __call__(self, points):
        return turn(points)

    dimension = property(lambda self: km.dimension.XY)


def modes(*shapes, **changes):
    """Plunge and pitch of case() as modes; b is 1/2."""
    told = {"frequencies": [0.5, 1.0], "masses": [1.0, 0.25 / 4], "mu": 60.0,
            "volume": np.pi / 4, "reference": 1.0, "speed_index": 0.5}  # fmt: skip
    return km.structure.Modes(shapes or [up, turn], **told | changes)


def section():
    return km.structure.TypicalSection(60, -0.5, 0.0, 0.25, 0.5, speed_index=0.5)


def gas(structure, mesh=MESH, **changes):
    told = {"mach": 0.5, "device": "cpu", "settings": QUICK, "deform": km.deform.Modal()}
    return km.Ale(mesh, structure=structure, **told | changes)


HALF = float(np.radians(0.5))


def kick(size=HALF, mode=2):
    return {"mode": mode, "amplitude": size}


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """Folder of a run of two modes that nobody stopped."""
    out = tmp_path_factory.mktemp("modes") / "run"
    gas(modes()).run(**STEPS, kick=kick(), out=out)
    return out


def test_plunge_and_turn_as_modes_are_the_typical_section():
    """Same coordinates, forces and energy to what the coupling leaves."""
    quick = {"settings": km.AleSettings(unsteady_drop=1e-4), "deform": km.deform.TorsionalSprings()}
    other = gas(modes(up, Turn((AXIS, 0, 0), 1.0, (0, 0))), **quick)
    of_modes = other.run(**STEPS, kick=kick()).history
    rows = gas(section(), **quick).run(**STEPS, kick={"mode": 2, "angle_deg": 0.5}).history

    pairs = [("h", "mode_1"), ("alpha", "mode_2")]
    names = [(f"{w}_{a}", f"{w}_{b}") for w in ("q", "v", "load") for a, b in pairs]
    for own, mode in [*names, ("energy", "energy")]:
        size = np.abs(rows[own]).max()
        assert of_modes[mode] == pytest.approx(rows[own], abs=1e-6 * size), own


def test_work_on_the_modes_is_the_change_of_energy(flown):
    rows = km.open(flown).history
    work = sum(
        np.diff(rows[f"q_mode_{j}"]) * (rows[f"load_mode_{j}"][1:] + rows[f"load_mode_{j}"][:-1])
        for j in (1, 2)
    )

    assert np.diff(rows["energy"]) == pytest.approx(work / 2, abs=1e-12 * rows["energy"].max())
    assert np.abs(np.diff(rows["energy"])).min() > 0


def test_the_body_is_bent_by_its_coordinates_and_has_their_forces(flown):
    rows = km.open(flown).history

    for j in (1, 2):
        size = np.abs(rows[f"q_mode_{j}"]).max()
        assert rows[f"mode_{j}"] == pytest.approx(rows[f"q_mode_{j}"], abs=1e-3 * size)
        force = np.abs(rows[f"mode_force_{j}"]).max()
        assert rows[f"load_mode_{j}"] == pytest.approx(rows[f"mode_force_{j}"], abs=2e-3 * force)
    power = sum(rows[f"mode_force_{j}"] * rows[f"v_mode_{j}"] for j in (1, 2))
    assert rows["power_bending"] == pytest.approx(power, abs=5e-3 * np.abs(power).max())
    assert (rows["coupling_residual"] <= coupled.TOLERANCE).all()
    assert rows["sub_iterations"].max() <= 3


def test_structural_damping_takes_the_energy_that_it_says():
    """Heavy, so that the gas takes little: exp(-g omega t), and none in the first of 32 steps,
    in which the body is still slow."""
    quick = km.AleSettings(steady_drop=1e-3, unsteady_drop=0.1)
    heavy = {"mu": 1e6, "speed_index": 0.01}
    light, damped = (
        gas(modes(damping=g, **heavy), settings=quick)
        .run(cycles=1, steps_per_cycle=32, kick=kick(0.01, mode=1))
        .history["energy"]
        for g in (0.0, 0.04)
    )

    assert light[-1] / light[0] == pytest.approx(1, abs=1e-3)
    assert damped[-1] / damped[0] == pytest.approx(np.exp(-0.04 * 2 * np.pi), rel=2e-3)


@pytest.mark.parametrize("at", [0.25, 0.375])
def test_modes_go_on_with_the_bits_of_a_run_that_was_not_stopped(flown, tmp_path, at):
    gas(modes()).run(**STEPS | {"cycles": at}, kick=kick(), out=tmp_path)
    gas(modes()).run(**STEPS, kick=kick(), out=tmp_path, resume=True)

    assert_same(flown, tmp_path)


def test_other_masses_are_another_run(flown):
    with pytest.raises(CaseError, match=r"structure is Modes\(.*masses=\(1.0, 0.0625\)"):
        gas(modes(masses=[1.1, 0.0625])).run(**STEPS, kick=kick(), out=flown, resume=True)


@pytest.mark.long
def test_members_of_modes_have_the_bits_of_runs_alone():
    each, machs = [modes(), modes(mu=6.0), modes(speed_index=1.0)], [0.3, 0.5, 0.6]
    pushes = [kick(), kick(0.02, mode=1), kick()]
    every = gas(each, mach=machs).run(**STEPS, kick=pushes).history

    counts = np.array([every.member(m)["sub_iterations"] for m in range(3)])
    assert (counts != counts[0]).any()  # in some steps some go on while others are held
    for m, (own, mach, push) in enumerate(zip(each, machs, pushes, strict=True)):
        alone = gas(own, mach=mach).run(**STEPS, kick=push).history
        for column in (name for name in alone.columns if name != "member"):
            np.testing.assert_array_equal(every.member(m)[column], alone[column], err_msg=column)


def wing(structure, **changes):
    half = km.mesh.extruded(
        km.mesh.airfoil("naca0012", nodes=500, far_field=6.0), span=1.0, layers=3
    )
    return gas(structure, half, reference_area=1.0, **changes)


def bent(points):
    """Bending of a wing whose root is clamped."""
    return up(points) * points[:, 1:2] ** 2


def twisted(points):
    """Torsion of it about the quarter chord."""
    found = np.zeros_like(points)
    found[:, 0] = points[:, 2] * points[:, 1]
    found[:, 2] = -(points[:, 0] - AXIS) * points[:, 1]
    return found


def wing_modes(**changes):
    return modes(bent, twisted, masses=[0.2, 0.02], volume=0.5, **changes)


@pytest.mark.long
def test_a_wing_swings_by_its_modes_with_the_bits_of_runs_alone(tmp_path):
    """In space: energy by work, restart, members, forces in the history."""
    whole, part = tmp_path / "whole", tmp_path / "part"
    steps = {"cycles": 0.3, "steps_per_cycle": 32, "kick": kick(0.02, mode=1)}
    wing(wing_modes()).run(**steps, out=whole)
    wing(wing_modes()).run(**steps | {"cycles": 0.2}, out=part)
    wing(wing_modes()).run(**steps, out=part, resume=True)
    both = wing([wing_modes(mu=6.0), wing_modes()]).run(**steps).history.member(1)

    assert_same(whole, part)
    rows = km.open(whole).history
    for column in (name for name in rows.columns if name != "member"):
        np.testing.assert_array_equal(both[column], rows[column], err_msg=column)
    work = sum(
        np.diff(rows[f"q_mode_{j}"]) * (rows[f"load_mode_{j}"][1:] + rows[f"load_mode_{j}"][:-1])
        for j in (1, 2)
    )
    assert np.diff(rows["energy"]) == pytest.approx(work / 2, abs=1e-12 * rows["energy"].max())
    assert rows["mode_1"] == pytest.approx(rows["q_mode_1"], abs=1e-3 * 0.02)
    assert np.abs(rows["q_mode_2"]).max() > 0


@pytest.mark.parametrize(("mode", "other"), [(1, 2), (2, 1)])
def test_roots_of_modes_in_a_light_gas_are_those_of_the_structure(mode, other):
    quick = km.AleSettings(steady_drop=1e-3, unsteady_drop=0.1)
    stiff = modes(mu=1e5, speed_index=0.01)
    steps = {"cycles": 3, "steps_per_cycle": 48, "kick": kick(0.01, mode)}
    run = gas(stiff, settings=quick).run(**steps)

    roots = run.roots
    at = int(np.argmax(roots["share"]))
    assert roots["omega"][at] == pytest.approx(np.arctan(mode * np.pi / 48) * 48 / np.pi / 2, 1e-3)
    assert abs(roots["zeta"][at]) < 1e-3
    assert roots[f"mode_{mode}_over_largest"][at] == pytest.approx(1)
    assert roots[f"mode_{other}_over_largest"][at] < 0.01


def test_modes_that_displace_too_far_end_as_a_result():
    """At once far above the speed of flutter; the member beside it goes on."""
    fast = modes(mu=1.0, speed_index=20.0)
    with pytest.warns(RuntimeWarning, match="the motion grew beyond 30 degrees or 1 reference"):
        run = gas([fast, modes()]).run(time_step=0.5, steps=60, kick=kick(0.05))

    assert not run.failed
    assert run.history.member(0).rows < run.history.member(1).rows == 60
    q = np.stack([run.history.member(0)[f"q_mode_{j}"] for j in (1, 2)])
    reach = np.array([1.0, 0.75])  # of the trailing edge from the axis
    assert np.abs(q[:, -1]) @ reach > 1 > np.abs(q[:, -2]) @ reach


@pytest.mark.long
def test_members_that_fold_fail_or_grow_leave_the_bits_of_others():
    """Nine members: one folds its mesh in the pre-flight, one in flight, one grows too far."""
    usual = [modes(speed_index=v) for v in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)]
    wild = [modes(), modes(), modes(mu=1.0, speed_index=20.0)]
    each = [wild[0], *usual[:3], wild[1], *usual[3:], wild[2]]
    machs = [0.5, 0.5, 0.5, 0.5, 6.0, 0.5, 0.5, 0.5, 0.5]
    pushes = [kick(1.2), *3 * [kick()], kick(0.5), *3 * [kick()], kick(0.05)]
    steps = {"time_step": 0.5, "steps": 60}

    run = gas(each, mach=machs).run(**steps, kick=pushes)
    alone = gas(usual).run(**steps, kick=kick()).history

    assert {row["member"] for row in run.failed} == {0, 4}
    assert run.history.member(8).rows < 60
    for one, member in enumerate((1, 2, 3, 5, 6, 7)):
        for column in (name for name in alone.columns if name != "member"):
            ours, theirs = run.history.member(member)[column], alone.member(one)[column]
            np.testing.assert_array_equal(ours, theirs, err_msg=column)


REFUSED = {
    "no speed": ({"structure": modes(speed_index=None)}, "modes: a run needs the speed index"),
    "a mesh that keeps its shape": (
        {"structure": modes(), "deform": km.deform.Rigid()},
        "bends",
    ),
    "no mass at the Mach number": (
        {"structure": modes(mu=[60.0, 70.0], mach=[0.7, 0.8])},
        "mu is given from Mach 0.7 to 0.8, and the Mach number is 0.5",
    ),
    "two kinds": (
        {"structure": [modes(), section()]},
        "structure has the coordinates h, alpha, and mode_1, mode_2 of member 0",
    ),
    "a body that is not there": (
        {"structure": {"flap": modes()}},
        r"structure of \['flap'\], expected one of the bodies \['airfoil'\]",
    ),
    "not finite": (
        {"structure": modes(up, lambda x: np.nan * x)},
        "shape 2.* expected finite numbers",
    ),
    "of other points": (
        {"structure": modes(up, lambda x: x[:5])},
        r"shape 2.* gave an array \(5, 2\)",
    ),
    "a law beside it": (
        {"structure": modes(), "motion": km.motion.pitch(1.0, 0.1)},
        "has a structure that bends it, and moves by Pitch",
    ),
    "zero": ({"structure": modes(up, lambda x: 0 * x)}, "shape 2.* is zero at all points"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_modes_that_no_run_has_are_refused(name):
    changes, said = REFUSED[name]
    with pytest.raises(SettingsError, match=said):
        gas(**changes)


def test_a_mode_that_moves_the_root_off_its_plane_is_refused():
    with pytest.raises(SettingsError, match=r"shape 2.* across its plane of symmetry"):
        wing(modes(bent, lambda x: x * [0.0, 1.0, 0.0] + [0.0, 0.1, 0.0]))


@pytest.mark.parametrize("value", [0, -1.0, "fast", np.inf])
def test_speed_indices_that_are_none_are_refused(value):
    with pytest.raises(SettingsError, match=r"modes: speed_index is .*, expected a number above 0"):
        modes(speed_index=value)


@pytest.mark.parametrize(
    ("push", "said"),
    [
        ({"mode": 1, "shift": 0.1}, "unknown key 'shift'; expected mode, amplitude"),
        ({"mode": 1, "amplitudee": 0.1}, "unknown key 'amplitudee'; did you mean 'amplitude'"),
        ({"mode": 1}, r"expected amplitude, as in \{\"mode\": 1, \"amplitude\": 0.01\}"),
        ({"amplitude": 0}, "amplitude is 0, expected a number, not 0"),
        ({"amplitude": np.inf}, "amplitude is inf, expected a number, not 0"),
        ({"amplitude": 3.0}, "displaces a point of the body by 3 reference lengths, expected 1"),
        ({"mode": 3, "amplitude": 0.1}, "mode is 3, expected one from 1 to 2"),
    ],
)
def test_kicks_that_modes_have_not_are_refused(push, said):
    with pytest.raises(SettingsError, match=said):
        gas(modes()).run(**STEPS, kick=push)


def test_a_kick_that_folds_the_mesh_is_told_before_any_flow():
    with pytest.raises(km.NumericalFault, match=r"pre-flight to the kick: .*take a smaller kick"):
        gas(modes(turn, up), deform=km.deform.Modal()).run(**STEPS, kick=kick(0.99, mode=1))


@pytest.fixture
def file(tmp_path):
    points = np.stack([np.linspace(0, 1, 9), np.zeros(9)], axis=1)
    shapes = np.stack([up(points), turn(points)], axis=1)
    np.savez(tmp_path / "modes.npz", points=points, displacements=shapes)
    return tmp_path / "modes.npz"


def stated(file, **changes):
    told = {"kind": "modes", "file": str(file), "frequencies": [0.5, 1.0],
            "masses": [1.0, 0.0625], "mu": 60.0, "volume": np.pi / 4, "reference": 1.0,
            "speed_index": 0.5, "kick": {"mode": 2, "amplitude": 0.01}}  # fmt: skip
    made = {n: v for n, v in told.items() if changes.get(n, 0) is not None} | changes
    return tables() | {"structure": made, "deform": {"method": "modal"}}


def test_a_case_file_frees_a_body_of_modes(file, tmp_path):
    case = Case.from_dict(stated(file))
    report = check(case.replace(out=str(tmp_path / "out")))
    run = case.run(cycles=0.5)

    rows = {name: text for name, row, text in report.rows if row == "ok"}
    assert "modes, file modes.npz, mu 60, frequencies 0.5 1" in rows["structure"]
    assert "kick mode 2, amplitude 0.01" in rows["structure"]
    assert {"q_mode_1", "v_mode_2", "load_mode_2", "energy"} <= set(run.history.columns)
    assert np.abs(run.history["q_mode_2"]).max() == pytest.approx(0.01, rel=0.5)


def test_a_case_of_free_modes_needs_a_mesh_that_bends(file):
    told = stated(file)
    with pytest.raises(CaseError, match="bend"):
        Case.from_dict(told | {"deform": {"method": "rigid"}}).run(cycles=0.5)
    with pytest.raises(CaseError, match=r"\[structure\] kick is of a run, expected speed_index"):
        Case.from_dict(stated(file, speed_index=None) | {"structure": {
            n: v for n, v in told["structure"].items() if n != "speed_index"}})  # fmt: skip


def test_amplitudes_are_drawn_as_they_are(flown):
    from kinemesh.plot import on_springs
    from kinemesh.plot.units import Unit

    run = km.open(flown)
    one, _ = on_springs.coordinates(
        run.history, ["mode_1", "mode_2"], "modes", Unit(2.0), "chord/U", 1.5
    ).axes

    assert one.lines[-1].get_ydata() == pytest.approx(run.history["q_mode_1"])
    assert one.get_ylabel() == "mode 1"
