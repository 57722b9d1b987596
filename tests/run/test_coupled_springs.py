"""Rigid bodies on springs, linear and cubic, in the steps of a flow; limit cycles."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import SettingsError
from runs import MESH, assert_same
from scipy.optimize import brentq

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(member|steady flow|Reynolds|.*far field):RuntimeWarning"),
]
RING = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0)
PUSH = {"time_step": 0.1, "steps": 8, "kick": {"shift": 0.05}}
QUICK = km.AleSettings(unsteady_drop=1e-3, steady_drop=1e-5)
SECTION = {"mu": 20.0, "a": -0.2, "x_alpha": 0.2, "r2_alpha": 0.25, "omega_ratio": 0.4}


def section(**changes):
    return km.structure.TypicalSection(**SECTION | changes)


def gas(structure, mesh=MESH, **changes):
    told = {"mach": 0.5, "device": "cpu", "settings": QUICK, "deform": km.deform.Rigid()}
    return km.Ale(mesh, structure=structure, **told | changes)


def water(structure, **changes):
    told = {"reynolds": 100.0, "device": "cpu", "moment_about": (0.0, 0.0)}
    return km.Incompressible(RING, structure=structure, **told | changes)


def ring_springs(m=2.0 * np.pi / 4, **changes):
    told = {"stiffness": m * (2 * np.pi / 5) ** 2, "free": ("y",), "pivot": (0, 0)}
    return km.structure.Springs(m, **told | changes)


def test_springs_of_a_cylinder_move_as_the_cylinder():
    one = water(ring_springs()).run(**PUSH).history
    other = water(km.structure.Cylinder(2.0, 5.0)).run(**PUSH).history

    assert one["q_y"] == pytest.approx(other["q_y"], abs=1e-9)
    assert one["load_y"] == pytest.approx(other["load_y"], abs=1e-7)


def test_a_body_that_is_free_in_all_coordinates_goes_with_them():
    made = km.structure.Springs(
        2.0, 0.3, stiffness=[1.0, 1.0, 0.4], free=("x", "y", "angle"), pivot=(0.0, 0.0),
        centre=(0.1, 0.0), cubic={"angle": 2.0},
    )  # fmt: skip
    rows = water(made).run(**PUSH | {"kick": {"mode": 3, "angle_deg": 5.0}}).history
    size = np.abs(rows["q_angle"]).max()

    assert np.radians(rows["alpha_deg"]) == pytest.approx(rows["q_angle"], abs=1e-3 * size)
    for name in ("x", "y"):
        assert rows[f"shift_{name}"] == pytest.approx(rows[f"q_{name}"], abs=1e-3 * size)
    apart = 2e-3 * np.abs(rows["cd"]).max()  # forces of the last solution, 1e-3 of the largest
    assert rows["load_x"] == pytest.approx(rows["cd"], abs=apart)
    assert rows["load_y"] == pytest.approx(rows["cl"], abs=apart)


@pytest.mark.parametrize("cubic", [0.0, 1000.0])
def test_work_of_the_flow_is_the_change_of_energy_with_cubic_springs(cubic):
    made = section(speed_index=0.5, cubic_alpha=cubic)
    rows = gas(made).run(cycles=0.25, steps_per_cycle=48, kick={"angle_deg": 3.0}).history
    work = sum(
        np.diff(rows[f"q_{n}"]) * (rows[f"load_{n}"][1:] + rows[f"load_{n}"][:-1]) / 2
        for n in ("h", "alpha")
    )

    assert np.diff(rows["energy"]) == pytest.approx(work, abs=1e-12 * rows["energy"].max())
    own = made.coordinates(0.5, 1.0)
    springs = own.cubic[1] * rows["q_alpha"][0] ** 4 / 4
    assert (springs > 0.02 * rows["energy"][0] * 0.5 * 0.5**2) == (cubic > 0)


def test_a_harvester_gives_its_damper_what_the_flow_gives_the_plunge():
    """Work of the damper in a step of the trapezoidal rule: c (v + v')^2 dt / 4."""
    ready = km.cases.load("foil-harvester", ["run.cycles=0.1", "run.device=cpu"])
    case = ready.replace(nodes=800)
    rows = case.run().history
    q, v, load, energy = (rows[name] for name in ("q_y", "v_y", "load_y", "energy"))
    damper = 2.0 * (v[1:] + v[:-1]) ** 2 / 4 * np.diff(rows["time"]) * 2  # over q_inf c^2
    work = np.diff(q) * (load[1:] + load[:-1]) / 2

    assert case.structure.build().damping == (2.0,)
    assert damper.sum() > 0.3 * work.sum() > 0
    assert np.diff(energy) == pytest.approx(work - damper, abs=1e-12 * np.abs(work).max())
    own = rows["power"] - rows["power_pitch"]
    assert own[2:] == pytest.approx((load * v)[2:], abs=0.03 * np.abs(load * v).max())


def test_a_run_on_cubic_springs_goes_on_with_its_bits(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    steps = {"cycles": 0.5, "steps_per_cycle": 32, "kick": {"angle_deg": 3.0}}
    made = section(speed_index=0.5, cubic_alpha=1000.0)
    gas(made).run(**steps, out=whole)
    gas(made).run(**steps | {"cycles": 0.25}, out=parts)
    gas(made).run(**steps, out=parts, resume=True)

    assert_same(whole, parts)


def test_members_with_and_without_cubic_springs_have_the_bits_of_runs_alone():
    each = [section(speed_index=0.5, cubic_alpha=beta) for beta in (0.0, 1000.0)]
    steps = {"cycles": 0.25, "steps_per_cycle": 32, "kick": {"angle_deg": 3.0}}
    every = gas(each).run(**steps).history

    for m, own in enumerate(each):
        alone = gas(own).run(**steps).history
        for column in (name for name in alone.columns if name != "member"):
            np.testing.assert_array_equal(every.member(m)[column], alone[column], err_msg=column)


def test_springs_with_other_coordinates_are_no_members_of_one_run():
    both = [ring_springs(), km.structure.Springs(1.0, 0.1, stiffness=1.0)]
    with pytest.raises(SettingsError, match="expected structures of one kind"):
        water(both)


@pytest.mark.long
def test_springs_of_a_case_file_run_and_vary(tmp_path):
    ready = km.cases.load("cylinder-free").tables()
    ready["mesh"] |= {"nodes": 640, "far_field": 8.0}
    ready["run"] = {"time_step": 0.1, "steps": 120, "device": "cpu"}
    ready["structure"] = {
        "kind": "springs", "free": ["y"], "mass": 1.5, "stiffness": 2.0, "pivot": [0.0, 0.0],
        "kick": {"shift": 0.05},
    }  # fmt: skip
    case = Case.from_dict(ready)
    changes = {"structure.mass": [1.5, 3.0], "structure.cubic": [0.0, 50.0]}
    found = km.sweep(case, changes, out=tmp_path)
    alone = case.changed(["structure.mass=3.0", "structure.cubic=50.0"]).run()

    assert float(found.cl_rms[1, 1]) == alone.summary["result"]["spectrum"]["cl"]["rms"]
    assert len(np.unique(found.cl_rms)) == 4
    assert float(found.root_omega[1, 1]) == alone.summary["result"]["root_omega"]
    assert len(np.unique(found.root_zeta)) == 4
    assert np.isnan(found.cycle_y).all()  # no four periods in the run


@pytest.mark.long
def test_a_sweep_has_the_size_of_limit_cycles_over_the_speed_index():
    """Sizes after 14 periods; at V* 0.4 the section does not flutter."""
    tables = km.cases.load("isogai-a").tables() | {
        "mesh": {"section": "naca0012", "nodes": 520, "far_field": 10.0},
        "flow": {"mach": 0.5, "moment_about": [0.4, 0.0]},
        "structure": {
            "kind": "typical-section", **SECTION, "speed_index": 0.4, "cubic_alpha": 1000.0,
            "kick": {"angle_deg": 2.0},
        },
        "run": {"cycles": 14, "steps_per_cycle": 48, "device": "cpu"},
        "solver": {"unsteady_drop": 1e-3, "steady_drop": 1e-5},
    }  # fmt: skip
    case = Case.from_dict(tables)
    found = km.sweep(case, {"structure.speed_index": [0.4, 0.55, 0.7]}, batch=3)
    alone = case.changed(["structure.speed_index=0.7"]).run().summary["result"]

    cycle = found.cycle_alpha.values
    assert np.isnan(cycle[0])
    assert 0.01 < cycle[1] < cycle[2] < 0.05
    assert cycle[2] == alone["cycle_alpha"]
    assert found.root_zeta[0] > 0.001


@pytest.mark.long
def test_a_limit_cycle_is_as_large_as_its_describing_function_says():
    """Amplitude A at which a spring of stiffness times s = 1 + 3/4 beta A^2 flutters.

    The boundary is that of pulses on the same mesh; 1.2 % is the share of the third harmonic, which
    at V* 0.6 and 0.7, with s 1.56 and 2.04, is 3.1 and 5.2 %.
    """
    mesh, v, beta = km.mesh.airfoil("naca0012", nodes=600, far_field=15), 0.5, 1000.0
    tables = km.cases.load("isogai-a").tables() | {
        "mesh": {"section": "naca0012", "nodes": 600, "far_field": 15.0},
        "flow": {"mach": 0.5, "moment_about": [0.4, 0.0]},
        "structure": {"kind": "typical-section", **SECTION, "speed_index": v},
    }
    first = km.flutter(Case.from_dict(tables), mach=[0.5])

    def left(s):
        softer = section(omega_ratio=0.4 / np.sqrt(s))
        return float(km.flutter(first, structure=softer).boundary[0]) * np.sqrt(s) - v

    s = brentq(left, 1.0, 3.0, xtol=1e-4)
    run = gas(section(speed_index=v, cubic_alpha=beta), mesh).run(
        cycles=14, steps_per_cycle=48, kick={"angle_deg": 2.0}
    )
    result = run.summary["result"]

    assert float(first.boundary[0]) < v
    assert result["cycle_alpha"] == pytest.approx(np.sqrt(4 / 3 * (s - 1) / beta), rel=0.02)
    assert run.history["sub_iterations"].mean() < 2.1
