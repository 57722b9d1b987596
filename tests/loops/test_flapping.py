"""Drag, thrust, power and efficiency of loops: made-up loads, and runs of every solver."""

from math import pi

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.io import History
from kinemesh.io.csv_rows import unsteady_columns
from kinemesh.io.scales import Scale
from kinemesh.loops.loop import loop_of_history
from overset_parts import background, ring
from solver_cases import ring as coarse
from sweeps import case

K, LIFT, THRUST = 0.4, 2.0, 0.3


def flown(steps=32, speed=0.5, length=1.0, stream=1.0, bodies=(), thrust=THRUST, more=None):
    """h = 0.5 sin; cl = -LIFT cos, so power of the flow is cl h' / length, all of it exact."""
    history = History(unsteady_columns(bodies))
    history.scales = {0: Scale(length / speed, stream, speed)}
    omega = 2 * K * speed / length
    for step in range(1, 2 * steps + 1):
        phi = 2 * pi * step / steps
        h, rate, lift = 0.5 * np.sin(phi), 0.5 * omega * np.cos(phi), -LIFT * np.cos(phi)
        own = {"cl": lift, "cd": -thrust + 0.1 * np.cos(2 * phi), "shift_y": h,
               "power": lift * rate}  # fmt: skip
        row = dict.fromkeys(history.columns, 0.0) | own | ({} if more is None else more(phi))
        for body in bodies:
            row |= {f"{name}_{body}": value for name, value in own.items()}
        history.append(
            row
            | {"step": step, "cycle": step / steps, "phase_deg": 360 * (step / steps % 1)}
            | {"time": step * 2 * pi / omega / steps}
        )
    return history


@pytest.mark.parametrize(("speed", "length"), [(0.5, 1.0), (1.0, 0.3), (2.0, 3.0)])
def test_thrust_power_and_efficiency_are_those_of_the_made_up_loads(speed, length):
    """Mean of LIFT cos 0.5 omega cos over U / length: 0.25 LIFT 2 k, whatever the units."""
    loop = loop_of_history(flown(speed=speed, length=length))

    power = 0.25 * LIFT * 2 * K
    assert loop.thrust == pytest.approx(THRUST, rel=1e-13)
    assert loop.power_in == pytest.approx(power, rel=1e-13)
    assert loop.efficiency == pytest.approx(THRUST / power, rel=1e-13)
    period = pi / K  # in chords of the stream
    assert loop.power_in == pytest.approx(-loop.work / period, rel=1e-13)
    assert loop.cd.amplitude == pytest.approx(0.1, rel=1e-13)
    assert loop.h == pytest.approx(0.5 * np.sin(np.radians(loop.phase_deg)), abs=1e-13)
    assert loop.power.values == pytest.approx(
        2 * power * np.cos(np.radians(loop.phase_deg)) ** 2, abs=1e-13
    )
    told = loop.to_dict()
    assert told["cd"]["mean"] == -loop.thrust
    assert told["h"]["amplitude"] == pytest.approx(0.5, rel=1e-13)
    assert told["cd"]["change"]["rms"] == pytest.approx(0, abs=1e-13)


@pytest.mark.parametrize("steps", [32, 33])
@pytest.mark.parametrize(("speed", "length"), [(0.5, 1.0), (2.0, 3.0)])
def test_the_effective_incidence_is_that_of_the_flow_that_the_pivot_meets(speed, length, steps):
    """h = 0.5 sin(omega t) and alpha = 8 cos(omega t) in a stream at 0.8 U: by hand."""

    def more(phi):
        return {"alpha_deg": 8 * np.cos(phi), "shift_x": 0.1 * np.cos(2 * phi)}

    history = flown(steps=steps, speed=speed, length=length, stream=0.8, more=more)

    found = loop_of_history(history)

    phi, omega = np.radians(found.phase_deg), 2 * K / length  # per chord that U goes
    up, back = 0.5 * omega * np.cos(phi), -0.2 * omega * np.sin(2 * phi)
    right = 8 * np.cos(phi) - np.degrees(np.arctan2(up, 0.8 - back))
    assert found.flapping.incidence_deg == pytest.approx(right, abs=1e-9)


def test_there_is_no_effective_incidence_where_the_pivot_goes_away_or_the_fluid_rests():
    towed = flown(more=lambda phi: {"shift_x": -0.3 * phi})

    assert loop_of_history(towed).flapping.incidence_deg is None
    assert loop_of_history(flown(stream=0.0)).flapping.incidence_deg is None


def test_there_is_no_efficiency_without_thrust_without_a_stream_and_without_a_drive():
    assert loop_of_history(flown(stream=0.0)).efficiency is None
    assert loop_of_history(flown(thrust=-0.1)).efficiency is None


def test_a_turbine_takes_out_a_share_of_what_flows_through_the_height_that_it_sweeps():
    history = flown()
    turned = History(history.columns)
    turned.extend(dict(history) | {"power": -history["power"]})
    turned.scales = history.scales

    loop = loop_of_history(turned)

    assert loop.power_in < 0
    assert loop.efficiency is None
    assert loop.flapping.extraction(swept=1.25) == pytest.approx(0.25 * LIFT * 2 * K / 1.25)
    with pytest.raises(CaseError, match="expected a height above 0"):
        loop.flapping.extraction(0)


def test_power_is_unknown_where_the_reference_speed_is():
    history = flown()
    history.scales = {}

    loop = loop_of_history(history)

    assert loop.power is None
    assert loop.power_in is None
    assert loop.thrust == pytest.approx(THRUST)
    assert "power_in" not in loop.to_dict()


def test_each_of_several_bodies_has_its_own():
    loop = loop_of_history(flown(bodies=("front", "rear")))

    for body in loop.bodies.values():
        assert body.flapping.thrust == pytest.approx(THRUST)
        assert body.flapping.power_in == pytest.approx(0.25 * LIFT * 2 * K)
        assert body.to_dict()["efficiency"] == pytest.approx(THRUST / (0.25 * LIFT * 2 * K))
        assert body.cd.mean == pytest.approx(-THRUST)


def gas():
    motion = {"pitch": {"amplitude_deg": 5.0, "k": K}, "plunge": {"amplitude": 0.1, "k": K}}
    return case(motion=motion, run={"cycles": 1, "steps_per_cycle": 8}).build(), 8


def points():
    cloud = km.Cloud.from_mesh(km.mesh.airfoil("naca0012", nodes=600, far_field=8))
    quick = km.MeshlessSettings(unsteady_drop=1e-2, steady_drop=1e-1)
    moved = km.motion.plunge(0.1, k=K)
    return km.Meshless(cloud, mach=0.5, motion=moved, device="cpu", settings=quick), 8


def liquid():
    moved = km.motion.plunge(0.1, k=K)
    return km.Incompressible(coarse(24, 16), reynolds=40, walls=["body"], far=["farfield"],
                             motion=moved, device="cpu"), 16  # fmt: skip


def parts():
    meshes = {"body": ring(outer=1.5), "back": background()}
    motion = {"body": km.motion.plunge(0.1, k=K)}
    return km.Incompressible(meshes, reynolds=40, motion=motion, device="cpu"), 32


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("made", [gas, points, liquid, parts])
def test_a_run_of_every_solver_has_them_everywhere(made, tmp_path, undrawn):
    solver, steps = made()

    run = solver.run(cycles=1, steps_per_cycle=steps, out=tmp_path / "run", preflight=False)

    loop, told = run.loop(), run.summary["result"]
    assert loop.h == pytest.approx(0.1 * np.sin(np.radians(loop.phase_deg)), abs=1e-12)
    assert loop.thrust == pytest.approx(-run.history["cd"].mean(), rel=1e-12)
    assert loop.power_in == pytest.approx(-loop.work / (pi / K), rel=1e-12)
    assert told["power_in"] == loop.power_in
    assert told["h"]["amplitude"] == pytest.approx(0.1, rel=1e-12)
    row = run.table()
    for name in ("cd_mean", "cd_amplitude", "thrust", "power_in", "h_amplitude"):
        assert np.isfinite(row[name][0]), name
    assert km.open(run.out).loop().power_in == loop.power_in
    assert km.hysteresis(run.out / "history.csv").power_in == loop.power_in
    drawn = {path.name for path in km.plot.from_directory(run.out)}
    assert "cycle.png" in drawn


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_rows_of_a_sweep_have_them():
    base = case(motion={"pitch": None, "plunge": {"amplitude": 0.1, "k": K}})

    found = km.sweep(base, {"flow.mach": [0.4, 0.5]})

    loop = base.run().loop()
    own = found.sel(mach=0.5)
    assert float(own.thrust) == loop.thrust
    assert float(own.power_in) == loop.power_in
    order = np.argsort(loop.phase_deg % 360)
    assert own.h.values == pytest.approx(0.1 * np.sin(np.radians(found.phase)), abs=1e-12)
    assert sorted(own.power.values) == pytest.approx(sorted(loop.power.values[order]), rel=1e-12)
