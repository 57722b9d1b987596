"""Bodies on structures in the steps of a flow: coupling, history, restarts, members."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.errors import ArgumentError, CaseError, SettingsError
from kinemesh.io.folder import files_of_a_run
from kinemesh.plot import on_springs
from kinemesh.plot.units import Unit
from kinemesh.run import coupled
from runs import MESH, assert_same, killed
from sweeps import TABLES

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member|mode 2):RuntimeWarning"),
]
CASE_A = {"mu": 60, "a": -2, "x_alpha": 1.8, "r2_alpha": 3.48, "omega_ratio": 1}
QUICK = km.AleSettings(unsteady_drop=1e-3, steady_drop=1e-5)
KICK = {"mode": 1, "angle_deg": 0.5}
STEPS = {"cycles": 0.5, "steps_per_cycle": 32, "kick": KICK}


def section(speed_index=0.8, **changes):
    return km.structure.TypicalSection(**CASE_A | {"speed_index": speed_index} | changes)


def gas(structure=None, mesh=MESH, **changes):
    told = {"mach": 0.5, "device": "cpu", "settings": QUICK, "deform": km.deform.Rigid()}
    structure = section() if structure is None else structure
    return km.Ale(mesh, structure=structure, **told | changes)


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """Folder of a run that nobody stopped."""
    out = tmp_path_factory.mktemp("whole") / "run"
    gas().run(**STEPS, out=out)
    return out


def test_work_of_the_flow_is_the_change_of_energy(flown):
    """By the trapezoidal rule, of the columns alone; energy and loads are over q_inf c^2."""
    rows = km.open(flown).history
    work = sum(
        np.diff(rows[f"q_{name}"]) * (rows[f"load_{name}"][1:] + rows[f"load_{name}"][:-1]) / 2
        for name in ("h", "alpha")
    )

    assert np.abs(np.diff(rows["energy"])).min() > 0
    assert np.diff(rows["energy"]) == pytest.approx(work, abs=1e-12 * rows["energy"].max())


@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_a_first_flow_may_lie_far_below_the_residual_of_the_motion(solver):
    """The first place of the first step is that of the flow at rest, whose residual is no base."""
    settings = {km.Ale: km.AleSettings, km.CellCentred: km.CellSettings}[solver]
    rows = []
    for drop in (1e-4, 1e-9):
        made = solver(
            MESH, mach=0.6, structure=section(), deform=km.deform.Rigid(), device="cpu",
            settings=settings(unsteady_drop=1e-4, steady_drop=drop),
        )  # fmt: skip
        rows.append(made.run(cycles=0.1, steps_per_cycle=48, kick=KICK).history)
    few, many = rows

    assert len(many["q_alpha"]) == len(few["q_alpha"]) == 5
    assert many["q_alpha"] == pytest.approx(few["q_alpha"], rel=1e-4)
    assert many["inner_iterations"][0] < 2 * few["inner_iterations"][0]


def test_members_that_are_done_within_a_step_keep_what_their_drops_refer_to():
    """Members that do not go on to a further place take no part in its march."""
    pair = [section(), section(mu=1e6)]
    run = gas(pair).run(**STEPS)
    solves = [run.history.member(m)["sub_iterations"] for m in (0, 1)]

    assert not run.failed
    assert (solves[0] < solves[1]).any()
    for member, structure in enumerate(pair):
        alone = gas(structure).run(**STEPS).history
        for name in ("q_alpha", "inner_iterations", "residual_drop"):
            np.testing.assert_array_equal(run.history.member(member)[name], alone[name])


def test_the_section_is_where_its_coordinates_are_and_has_their_loads(flown):
    rows = km.open(flown).history
    size = np.abs(rows["q_alpha"]).max()

    assert np.radians(rows["alpha_deg"]) == pytest.approx(rows["q_alpha"], abs=1e-3 * size)
    assert rows["shift_y"] == pytest.approx(rows["q_h"], abs=1e-3 * size)
    assert rows["load_h"] == pytest.approx(rows["cl"], abs=1e-3 * np.abs(rows["cl"]).max())
    assert (rows["coupling_residual"] <= coupled.TOLERANCE).all()


def test_a_step_takes_two_solutions_of_the_flow(flown):
    rows = km.open(flown).history

    assert rows["sub_iterations"].max() <= 3
    assert rows["sub_iterations"][4:].mean() <= 2.3  # once the Jacobian is there
    assert rows["converged"].all()


def test_forces_accelerate_the_section_as_its_equation_says(flown):
    """M a + K q = f at each step, a by the trapezoidal rule from the rates."""
    run = km.open(flown)
    rows = run.history
    own = section().coordinates(0.5, 1.0)
    q, v, f = (
        np.stack([rows[f"{what}_{name}"] for name in ("h", "alpha")]) for what in ("q", "v", "load")
    )
    dt = rows["time"][1] - rows["time"][0]
    left = own.mass @ np.diff(v) / dt + own.stiffness @ (q[:, 1:] + q[:, :-1]) / 2
    right = 0.5 * 0.5**2 * (f[:, 1:] + f[:, :-1]) / 2

    assert left == pytest.approx(right, abs=1e-9 * np.abs(right).max())


@pytest.mark.parametrize("mode", [1, 2])
def test_on_stiff_springs_a_mode_swings_from_its_kick_as_without_a_flow(mode):
    """By the trapezoidal rule the phase of a step is 2 atan(omega dt / 2); the gas is light."""
    stiff = section(0.01, mu=1e5)
    run = gas(stiff, settings=km.AleSettings(steady_drop=1e-3, unsteady_drop=0.1)).run(
        **STEPS | {"kick": {"mode": mode, "angle_deg": 0.5}}
    )

    own = stiff.coordinates(0.5, 1.0)
    start = own.kicked({"mode": mode, "angle_deg": 0.5}, 1.0)
    ratio = own.modes[0][mode - 1] / own.modes[0][0]
    phase = np.arange(1, 17) * 2 * np.arctan(ratio * np.pi / 32)
    rows = run.history
    for name, size in zip(("h", "alpha"), start, strict=True):
        assert rows[f"q_{name}"] == pytest.approx(size * np.cos(phase), abs=1e-3 * abs(size))


@pytest.mark.parametrize("at", [0.25, 0.375])
def test_a_run_that_goes_on_has_the_bits_of_one_that_was_not_stopped(flown, tmp_path, at):
    gas().run(**STEPS | {"cycles": at}, out=tmp_path)
    gas().run(**STEPS, out=tmp_path, resume=True)

    assert_same(flown, tmp_path)


@pytest.mark.cuda
def test_on_a_gpu_a_run_goes_on_with_its_bits_and_members_have_those_of_runs_alone(tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    gas(device="cuda").run(**STEPS, out=whole)
    gas(device="cuda").run(**STEPS | {"cycles": 0.25}, out=part)
    gas(device="cuda").run(**STEPS, out=part, resume=True)

    assert_same(whole, part)
    both = gas([section(), section(0.4)], device="cuda").run(**STEPS).history.member(0)
    alone = km.open(whole).history
    for column in alone.columns:
        np.testing.assert_array_equal(both[column], alone[column], err_msg=column)


def test_a_run_goes_on_from_its_first_flow(flown, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(coupled.Coupled, "step", stopped)
        with pytest.raises(KeyboardInterrupt):
            gas().run(**STEPS, out=tmp_path)
    gas().run(**STEPS, out=tmp_path, resume=True)

    assert_same(flown, tmp_path)


def test_another_kick_or_structure_is_another_run(flown):
    with pytest.raises(CaseError, match=r"kick\.angle_deg is 0.5 there, 0.25 here"):
        gas().run(**STEPS | {"kick": {"mode": 1, "angle_deg": 0.25}}, out=flown, resume=True)
    with pytest.raises(CaseError, match=r"structure is TypicalSection.* there"):
        gas(section(0.7)).run(**STEPS, out=flown, resume=True)


SHORT = km.AleSettings(unsteady_drop=1e-5, unsteady_iterations=20, steady_drop=1e-5)
MEMBERS = {
    "speeds": ([section(0.4), section(0.8), section(1.6)], 0.5, KICK, QUICK),
    "streams": (
        [section(mu=600), section(), section(mu=6)], [0.3, 0.5, 0.6],
        [KICK, {"shift": 0.01}, {"mode": 2} | KICK], QUICK,
    ),
    "marches that do not end": ([section(0.4, mu=3000), section(0.4)], 0.5, KICK, SHORT),
}  # fmt: skip


RING = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0)
SOLVERS = {
    "cells": lambda own: km.CellCentred(MESH, mach=0.5, structure=own, device="cpu"),
    "meshless": lambda own: km.Meshless(
        km.Cloud.from_mesh(MESH), mach=0.5, structure=own, device="cpu"
    ),
    "single": lambda own: gas(own, dtype="float32"),
    "viscous": lambda own: gas(own, RING, mach=0.3, reynolds=40.0),
    "water": lambda own: km.Incompressible(MESH, reynolds=200.0, structure=own, device="cpu"),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_is_coupled(name):
    rows = SOLVERS[name](section()).run(time_step=0.5, steps=4, kick=KICK).history
    work = sum(
        np.diff(rows[f"q_{own}"]) * (rows[f"load_{own}"][1:] + rows[f"load_{own}"][:-1]) / 2
        for own in ("h", "alpha")
    )

    assert (rows["coupling_residual"] <= coupled.TOLERANCE).all()
    assert rows["load_h"] == pytest.approx(rows["cl"], abs=1e-3 * np.abs(rows["cl"]).max())
    assert np.diff(rows["energy"]) == pytest.approx(work, abs=1e-12 * rows["energy"].max())
    assert np.abs(np.diff(rows["q_alpha"])).min() > 0


@pytest.mark.long
@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("deform", [km.deform.Rigid(), km.deform.TorsionalSprings()])
def test_members_have_the_bits_of_runs_alone(name, deform):
    structures, mach, kick, how = MEMBERS[name]
    steps = STEPS | {"cycles": 0.25}
    every = (
        gas(structures, mach=mach, deform=deform, settings=how)
        .run(**steps | {"kick": kick})
        .history
    )

    counts = np.array([every.member(m)["sub_iterations"] for m in range(len(structures))])
    assert (counts != counts[0]).any()  # in some steps some go on while others are held
    for m, own in enumerate(structures):
        one = mach[m] if isinstance(mach, list) else mach
        push = kick[m] if isinstance(kick, list) else kick
        alone = (
            gas(own, mach=one, deform=deform, settings=how).run(**steps | {"kick": push}).history
        )
        for column in alone.columns:
            if column != "member":
                np.testing.assert_array_equal(
                    every.member(m)[column], alone[column], err_msg=column
                )


@pytest.mark.parametrize("deform", [km.deform.Rigid(), km.deform.TorsionalSprings()])
def test_a_section_without_a_kick_stays_where_no_load_moves_it(deform):
    rows = gas(deform=deform).run(**STEPS | {"cycles": 0.2, "kick": None}).history

    assert np.abs(rows["q_alpha"]).max() < 1e-6


def test_a_run_in_which_nothing_moves_says_so():
    told = {"cycles": 0.1, "steps_per_cycle": 32}
    both = gas([section(), section()]).run(**told)
    lifted = gas(alpha_deg=1.0).run(**told)
    kicked = gas().run(**told, kick={"mode": 1, "angle_deg": 1e-3})
    short = gas(alpha_deg=1.0).run(time_step=1e-4, steps=1)

    said = "no coordinate changed by more than 1e-06 in this run, which had no kick"
    assert [said in own for own in both.summary["warnings"]] == [True, True]
    for run in (lifted, kicked, short):
        assert not any(said in own for own in run.summary["warnings"])


def test_the_loop_by_hand_is_the_run(flown):
    case = gas()
    rows = [step.row["q_alpha"] for step in case.steps(**STEPS)]

    np.testing.assert_array_equal(rows, km.open(flown).history["q_alpha"])


def test_steps_that_are_not_coupled_are_told(monkeypatch):
    monkeypatch.setattr(coupled, "MOST", 1)
    with pytest.warns(RuntimeWarning, match="steps ended with the structure not coupled to 0.001"):
        run = gas().run(**STEPS | {"cycles": 0.2})

    assert run.summary["result"]["uncoupled_steps"] > 0
    assert (run.history["sub_iterations"] == 1).all()


@pytest.mark.long
def test_a_motion_that_grows_too_far_ends_as_a_result(tmp_path):
    """Far above the speed of flutter; the member beside it goes on with its own bits."""
    steps = {"cycles": 4, "steps_per_cycle": 48, "kick": {"mode": 1, "angle_deg": 10.0}}
    with pytest.warns(RuntimeWarning, match="the motion grew beyond 30 degrees or 1 reference"):
        both = gas([section(3.0), section(0.5)], mach=0.3).run(**steps, out=tmp_path)
    with pytest.warns(RuntimeWarning, match="and ended after step"):
        alone = gas(section(3.0), mach=0.3).run(**steps)

    first = both.history.member(0)
    assert first.rows == alone.history.rows < both.history.member(1).rows
    np.testing.assert_array_equal(first["q_alpha"], alone.history["q_alpha"])
    assert not both.failed
    with pytest.warns(RuntimeWarning, match="and ended after step"):
        again = gas([section(3.0), section(0.5)], mach=0.3).run(**steps, out=tmp_path, resume=True)
    assert again.history.rows == both.history.rows


def test_a_mode_without_steps_enough_is_told():
    with pytest.warns(RuntimeWarning, match="mode 2 of the structure has 4.3 steps in a period"):
        gas().run(**STEPS | {"cycles": 0.1})


def test_a_kick_that_folds_the_mesh_is_told_before_any_flow():
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=3)
    with pytest.raises(km.NumericalFault, match=r"pre-flight to the kick: .*take a smaller kick"):
        gas(mesh=mesh, deform=km.deform.Delaunay()).run(**STEPS | {"kick": {"shift": 1.0}})


def test_a_steady_run_holds_no_structure():
    with pytest.raises(SettingsError, match="stands on a structure, and a steady run holds it"):
        gas().steady()


REFUSED = {
    "no structure": ({"structure": 3}, r"structure is 3, expected km.structure.TypicalSection"),
    "a body that is not there": (
        {"structure": {"flap": section()}},
        r"structure of \['flap'\], expected one of the bodies \['airfoil'\]",
    ),
    "a law beside it": (
        {"motion": km.motion.pitch(1.0, 0.1)},
        "has a structure that turns it, and moves by Pitch.*leave motion out",
    ),
    "no speed": ({"structure": section(None)}, "a run needs the speed index"),
    "far vortex": (
        {"settings": km.AleSettings(far_field="vortex")},
        "far_field is 'vortex' with a motion",
    ),
    "in space": (
        {"mesh": km.mesh.extruded(MESH, span=0.3, layers=1)},
        "which is of the plane, and the mesh is in space",
    ),
    "no wall": ({"walls": []}, r"a structure is given for the bodies \[\], expected one body"),
    "two kinds": (
        {"structure": [section(), 3]},
        r"structure is 3, expected .*",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_structures_that_cannot_stand_are_refused(name):
    changes, said = REFUSED[name]
    with pytest.raises(SettingsError, match=said):
        gas(**changes)


RUNS = {
    "kick": ({"kick": {"mode": 3, "angle_deg": 1}}, "kick: mode is 3, expected one from 1 to 2"),
    "kicks": ({"kick": [KICK, KICK]}, r"kick has 2 entries, expected 1 \(members\)"),
    "coupler": ({"coupler": lambda step: None}, "the body stands on a structure, which is coupled"),
    "periodic": ({"until": "periodic"}, "until is 'periodic'"),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs_that_structures_have_not_are_refused(name):
    changes, said = RUNS[name]
    with pytest.raises(SettingsError, match=said):
        gas().run(**STEPS | changes)


def test_a_kick_without_a_structure_is_refused():
    case = km.Ale(MESH, mach=0.5, motion=km.motion.pitch(1.0, 0.1), device="cpu")

    with pytest.raises(SettingsError, match="kick is given, and no body stands on a structure"):
        case.run(cycles=1, steps_per_cycle=8, kick=KICK)
    with pytest.raises(ArgumentError, match="unknown argument 'kicks'"):
        case.run(cycles=1, steps_per_cycle=8, kicks=KICK)


STRUCTURE = {"kind": "typical-section", **CASE_A, "speed_index": 0.8, "kick": KICK}


def tables(**structure):
    made = {name: own for name, own in TABLES.items() if name != "motion"}
    return made | {"structure": STRUCTURE | structure}


def test_a_case_file_has_the_bits_of_python(tmp_path):
    case = Case.from_dict(tables())
    run = case.run(cycles=0.5)

    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10.0)
    settings = km.AleSettings(**TABLES["solver"])
    alone = gas(mesh=mesh, settings=settings).run(cycles=0.5, steps_per_cycle=6, kick=KICK)
    for column in alone.history.columns:
        np.testing.assert_array_equal(run.history[column], alone.history[column])
    assert Case.from_dict(case.tables()).structure == case.structure


@pytest.mark.long
def test_speeds_of_a_sweep_are_members_of_one_run(tmp_path):
    found = km.sweep(
        Case.from_dict(tables() | {"run": TABLES["run"] | {"cycles": 6}}),
        over={"structure.speed_index": [0.4, 0.8]},
        out=tmp_path / "two",
    )

    job = TABLES["run"] | {"cycles": 6}
    for at, speed in enumerate((0.4, 0.8)):
        alone = Case.from_dict(tables(speed_index=speed) | {"run": job}).run()
        assert found.cl_rms.values[at] == alone.summary["result"]["spectrum"]["cl"]["rms"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kicks": KICK}, r"\[structure\]: unknown key 'kicks'; did you mean 'kick'"),
        ({"kick": {"mode": 1}}, r"\[structure\]: kick is .*expected angle_deg or shift"),
        ({"kick": {"mode": 1, "deg": 2}}, r"\[structure\]: kick: unknown key 'deg'"),
        ({"speed_index": None}, r"\[structure\] kick is of a run, expected speed_index"),
        ({"speed_index": [0.3, 3.0]}, r"\[structure\]: typical-section: speed_index is"),
        ({"speed_index": -1.0}, r"speed_index is -1"),
    ],
)
def test_structures_of_case_files_that_no_run_has_are_refused(change, said):
    with pytest.raises((CaseError, SettingsError), match=said):
        Case.from_dict(tables(**change))


def test_a_free_body_neither_rests_nor_moves_by_a_law():
    with pytest.raises(CaseError, match=r"speed_index frees the body, which moves by \[motion\]"):
        Case.from_dict(tables() | {"motion": TABLES["motion"]})
    with pytest.raises(CaseError, match=r"speed_index frees the body, and case 'small' is steady"):
        Case.from_dict(tables() | {"mode": "steady", "run": {}})


def test_the_ready_case_is_isogais():
    case = km.cases.load("isogai-a")

    assert case.structure.build() == section()
    assert case.structure.kick == KICK


@pytest.mark.parametrize("mode", [1, 2])
def test_roots_of_a_run_are_those_of_its_structure_where_the_gas_is_light(mode):
    """Frequencies of the trapezoidal rule, 2 atan(omega dt / 2) a step."""
    stiff, kick = section(0.01, mu=1e5), {"mode": mode, "angle_deg": 0.5}
    steps = {"cycles": 3, "steps_per_cycle": 48, "kick": kick}
    quick = km.AleSettings(steady_drop=1e-3, unsteady_drop=0.1)
    run = gas(stiff, settings=quick).run(**steps)

    ratio = stiff.frequencies[mode - 1] / stiff.frequencies[0]
    omega = np.arctan(ratio * np.pi / 48) * 48 / np.pi * stiff.frequencies[0]
    roots = run.roots
    at = int(np.argmax(roots["share"]))
    strongest = {name: roots[name][at] for name in ("zeta", "omega", "k", "uncertainty")}
    assert strongest["omega"] == pytest.approx(omega, rel=1e-3)
    assert abs(strongest["zeta"]) < 1e-3
    assert strongest["k"] == pytest.approx(strongest["omega"] / (0.01 * np.sqrt(1e5)))
    own = stiff.coordinates(0.5, 1.0)
    shape = own.modes[1][:, mode - 1] / own.units
    assert roots["h_over_alpha"][at] == pytest.approx(abs(shape[0] / shape[1]), rel=1e-2)
    told = run.summary["result"]
    assert told["root_zeta"] == strongest["zeta"]
    assert told["root_uncertainty"] == strongest["uncertainty"] < 1e-3


@pytest.mark.parametrize(("steps", "state"), [(48, "ok"), (10, "warn")])
def test_a_check_tells_the_structure_its_kick_and_its_steps(steps, state, tmp_path):
    """Case A has 0.7134 and 5.3377 omega_alpha without wind, omega_alpha = U / (V* b sqrt(mu))."""
    case = km.cases.load("isogai-a", ["structure.kick.angle_deg=0.25"])
    case = case.replace(nodes=520, steps_per_cycle=steps, out=str(tmp_path), device="cpu")

    report = check(case)

    rows = {name: text for name, row, text in report.rows if row == "ok"}
    assert "typical-section, mu 60, a -2, x_alpha 1.8" in rows["structure"]
    assert "kick mode 1, angle_deg 0.25" in rows["structure"]
    period = 2 * np.pi / (0.7133943 * 0.8 / (0.8 * 0.5 * np.sqrt(60)))
    assert f"first mode without a flow {period:.4g}" in rows["structure"]
    assert rows["steps"].endswith(f"{steps} in a period of the first mode; {6 * steps} steps")
    told = [text for name, row, text in report.rows if (name, row) == ("steps", "warn")]
    assert bool(told) == (state == "warn")
    assert all("mode 2 of the structure has 1.3 steps in a period" in text for text in told)


def test_coordinates_over_time_are_drawn_in_degrees_and_chords(flown):
    run = km.open(flown)
    title = "section on springs"

    plunge, pitch = on_springs.coordinates(
        run.history, ["h", "alpha"], title, Unit(2.0), "chord/U", 1.5
    ).axes

    q_h, q_alpha = (axes.lines[-1] for axes in (plunge, pitch))
    assert q_h.get_ydata() == pytest.approx(run.history["q_h"] * 1.5 / 2)
    assert q_h.get_xdata() == pytest.approx(run.history["time"] / 2)
    assert q_alpha.get_ydata() == pytest.approx(np.degrees(run.history["q_alpha"]))
    assert plunge.get_ylabel() == "plunge $h/c$"
    assert pitch.get_ylabel() == r"pitch $\alpha$ [deg]"
    assert pitch.get_xlabel() == "time [chord/U]"


def test_the_program_draws_coordinates_and_misses_no_loop(tmp_path, capsys):
    from kinemesh import cli

    words = ["--nodes", "520", "--cycles", "0.1", "--out", str(tmp_path / "run")]

    status = cli.main(["run", "isogai-a", *words, "--set", "solver.steady_iterations=5"])

    said = capsys.readouterr()
    assert status in (0, 3), said.err
    assert "coordinates.png" in said.out
    assert "hysteresis" not in said.out
    assert "coordinates.png" in files_of_a_run(tmp_path / "run")


@pytest.mark.slow
def test_isogais_case_a_is_damped_at_a_speed_index_of_0_8():
    """A trial of another program on these steps had zeta +0.0026, omega 0.959."""
    mesh = km.mesh.airfoil("naca64a010", nodes=1500, far_field=25)
    settings = km.AleSettings(unsteady_drop=1e-3)
    run = gas(mesh=mesh, mach=0.8, settings=settings).run(cycles=6, steps_per_cycle=48, kick=KICK)

    roots = run.roots
    assert roots["zeta"][0] == pytest.approx(0.0026, abs=5e-4)
    assert roots["omega"][0] == pytest.approx(0.959, abs=2e-3)
    assert run.history["sub_iterations"].mean() < 2.3


def test_a_run_without_structures_has_no_roots():
    run = km.Ale(MESH, mach=0.5, device="cpu", settings=QUICK).run(time_step=0.5, steps=2)

    with pytest.raises(CaseError, match="roots: no body of the run stands on a structure"):
        _ = run.roots


@pytest.mark.long
@pytest.mark.parametrize("wait", [0.0, 0.4])
def test_a_run_that_was_killed_goes_on_with_the_bits_of_one_that_was_not(tmp_path, wait):
    """In the march to the first flow, or in the middle of the steps, wherever that is."""
    steps, left = STEPS | {"cycles": 3}, tmp_path / "left"
    gas().run(**steps, out=tmp_path / "whole")
    name = "restart.h5" if wait else "summary.json"

    killed(lambda: gas().run(**steps, out=left), (left / name).exists, wait)

    assert km.io.summary.read(left / "summary.json")["finished"] is None
    gas().run(**steps, out=left, resume=(left / "restart.h5").exists())
    assert_same(tmp_path / "whole", left)
