"""Flow through inlets and outlets: mass flow, total states, pressure drop and loss."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.space.through import End, Passing, numbers_of
from test_channel import HEIGHT, SLIP, channel
from test_channel_incompressible import case as liquid

pytestmark = pytest.mark.flow
SOLVERS = {"ale": km.Ale, "cells": km.CellCentred}
DEEP = {"ale": km.AleSettings, "cells": km.CellSettings}


def gas(name="ale", mesh=None, ends=None, **more):
    ends = ends or {"in": km.inlet(total_pressure=1.0), "out": km.outlet(pressure=0.9)}
    told = {"mach": 0.3, "device": "cpu", "settings": DEEP[name](steady_drop=1e-9)} | more
    return SOLVERS[name](channel(24) if mesh is None else mesh, boundaries=SLIP | ends, **told)


def last(run):
    return {name: run.history[name][-1] for name in run.history.columns}


@pytest.mark.parametrize("name", SOLVERS)
def test_what_comes_in_goes_out_and_is_that_of_one_dimensional_flow(name):
    """rho u A = M (1 + 0.2 M^2)^-3 A at the exit, of the reservoir's p_0 and T_0.

    By 1e-3, as pressures of 24 cells are 1e-3 off and fall by 4 with half of their size
    (`test_a_back_pressure_drives_a_channel_with_second_order`).
    """
    run = gas(name).steady()
    row = last(run)
    mach = np.sqrt(5 * (0.9 ** (-2 / 7) - 1))
    exact = HEIGHT * mach * (1 + 0.2 * mach**2) ** -3

    assert row["mass_flow_in"] == pytest.approx(exact, rel=1e-3)
    assert row["mass_flow_in"] + row["mass_flow_out"] == pytest.approx(0, abs=1e-8 * exact)
    assert row["total_temperature_in"] == pytest.approx(row["total_temperature_out"], abs=1e-8)
    for end in ("in", "out"):
        assert row[f"total_temperature_{end}"] == pytest.approx(1, abs=1e-4)
        assert row[f"total_pressure_{end}"] == pytest.approx(1, abs=1e-3)
    assert row["pressure_drop"] == pytest.approx(0, abs=2e-3)  # as wide at both ends
    assert row["loss"] == pytest.approx(0, abs=2e-2)
    told = [n for n in row if n.endswith(("_in", "_out")) or n in ("pressure_drop", "loss")]
    assert len(told) == 8
    assert {n: run.summary["result"][n] for n in told} == {n: row[n] for n in told}


@pytest.mark.parametrize("name", SOLVERS)
def test_mass_flows_are_those_of_the_residual_in_any_flow(name):
    """Within a channel fluxes cancel, and its walls pass none: residuals sum up to what leaves."""
    mesh = channel(12)
    x, y = mesh.points.T
    edges, low = mesh.boundaries["in"], y[mesh.boundaries["in"]].mean(axis=1) < 0
    sides = {**mesh.boundaries, "in": edges[low], "side": edges[~low]}  # meet at a node
    mesh = km.Mesh(mesh.points, mesh.triangles, mesh.quads, sides)
    source = km.inlet(total_pressure=1.02, total_temperature=1.1)
    ends = {"in": source, "side": source, "out": km.outlet(pressure=0.9)}
    made = gas(name, mesh, ends)
    x = made.grid.points[:, 0]
    made.initialise(np.stack([1 - 0.1 * x, 0.3 + 0.2 * x, 0.01 * x, (1 - 0.2 * x) / 1.4], axis=1))
    made.start_steady()
    for call in made.residual():
        call()

    found = made.steady_numbers()
    res = made.backend.get(made.res)
    into = sum(found[f"mass_flow_{marker}"][0] for marker in ends)
    assert into == pytest.approx(-res[:, 0].sum(), rel=1e-12)
    heat = sum(found[f"mass_flow_{m}"][0] * found[f"total_temperature_{m}"][0] for m in ends)
    assert heat == pytest.approx(-0.4 * res[:, 3].sum(), rel=1e-12)
    assert found["mass_flow_in"] == pytest.approx(found["mass_flow_side"], rel=1e-9)


def test_a_hotter_reservoir_passes_less_mass():
    """rho u ~ p_0 / sqrt(T_0), over the chord that a case states."""
    ends = {"in": km.inlet(total_pressure=1.0, total_temperature=1.44),
            "out": km.outlet(pressure=0.9)}  # fmt: skip
    smooth = km.AleSettings(steady_drop=1e-9, limiter="none")
    hot, cold = (last(gas(ends=own, chord=chord, settings=smooth).steady())
                 for own, chord in ((ends, 2.0), (None, None)))  # fmt: skip

    assert hot["total_temperature_out"] == pytest.approx(1.44, abs=2e-4)
    assert hot["mass_flow_in"] == pytest.approx(cold["mass_flow_in"] / 1.2 / 2, rel=1e-7)


def test_members_have_the_numbers_of_their_solo_runs():
    meshes = [channel(12), channel(16)]
    outlets = [0.85, 0.9]
    both = gas(mesh=meshes, ends={"in": km.inlet(total_pressure=1.0),
                                  "out": km.outlet(pressure=outlets)})  # fmt: skip
    both.steady()
    alone = gas(mesh=meshes[1])
    alone.steady()

    found, own = both.end_numbers(), alone.end_numbers()
    assert {name: values[1] for name, values in found.items()} == {
        name: values[0] for name, values in own.items()
    }


def test_a_liquid_between_plates_loses_what_friction_asks():
    """12 L / Re of Hagen and Poiseuille's flow, and of the parabola 27/35 of kinetic pressure.

    The parabola has 1 - 1/64 of its flow through eight straight edges.
    """
    made = liquid(settings=km.IncompressibleSettings(steady_drop=1e-9))
    row = last(made.steady())

    assert row["mass_flow_in"] == pytest.approx(1 - 1 / 64, rel=1e-9)
    assert row["mass_flow_in"] + row["mass_flow_out"] == pytest.approx(0, abs=1e-9)
    assert row["pressure_drop"] == pytest.approx(12 * 4 / 20, rel=1e-6)
    assert row["total_pressure_out"] == pytest.approx(27 / 35, rel=3e-3)  # of eight cells
    assert row["loss"] == pytest.approx(2.4 / (27 / 35), rel=3e-3)
    assert "total_temperature_in" not in row
    steps = last(liquid().run(steps=2, time_step=0.05, start="stream"))
    assert steps["mass_flow_in"] + steps["mass_flow_out"] == pytest.approx(0, abs=1e-3)
    assert steps["mass_flow_in"] == pytest.approx(1 - 1 / 64, rel=1e-3)


def test_what_flows_back_weighs_as_what_flows_on_and_nothing_has_no_mean():
    two, of_all = np.zeros(2, int), np.array([0, 1])
    ends = {
        "in": End("inlet", of_all, two, np.ones(2), True),
        "out": End("outlet", of_all, two, np.array([1.0, 0.5]), False),
    }
    passing = {
        "inlet": Passing(np.array([3.0, -1.0]), np.array([1.0, 2.0]), np.array([2.0, 6.0]),
                         np.array([3.3, -0.9])),
        "outlet": Passing(np.zeros(2), np.ones(2), np.ones(2), np.zeros(2)),
    }  # fmt: skip
    found = {n: v[0] for n, v in numbers_of(ends, passing, 1, 2.0).items()}

    assert found["mass_flow_in"] == 1.0
    assert found["total_pressure_in"] == 3.0
    assert found["total_temperature_in"] == pytest.approx(4.2 / 4)
    nothing = ("total_pressure_out", "total_temperature_out", "pressure_drop", "loss")
    assert np.isnan([found[name] for name in nothing]).all()


def test_a_case_without_inlets_and_outlets_has_no_columns_of_them():
    around = km.mesh.cylinder(640, far_field=4.0, around=40)
    assert km.Ale(around, mach=0.3, device="cpu").steady_columns == ()
    made = km.Incompressible(around, reynolds=40.0, device="cpu")
    assert made.columns == ("pressure_iterations", "divergence", "mass_defect", "cfl")


@pytest.mark.parametrize("name", SOLVERS)
def test_flows_between_inlets_and_outlets_take_steps_of_newton_by_default(name):
    mesh, own = channel(8), DEEP[name]
    assert gas(name, mesh, settings=own()).settings.newton is True
    assert gas(name, mesh, settings=own(), dtype="float32").settings.newton is False
    assert gas(name, mesh, settings=own(newton=False)).settings.newton is False
    far = SOLVERS[name](mesh, mach=0.3, walls=[], far=["in", "out"],
                        boundaries=SLIP, device="cpu")  # fmt: skip
    assert far.settings.newton is False


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("factor", [1.0, 0.0], ids=["sound", "empty"])
def test_a_member_that_failed_has_no_numbers_and_leaves_those_of_the_others(factor):
    mesh = channel(8)
    made = gas(mesh=[mesh, mesh], mach=[0.3, 0.4])
    made.grid.ensemble.begin()
    with made.running():
        u = made.backend.get(made.u)
        u[made.grid.member == 1] *= factor
        made.backend.put(made.u, u)
        made.grid.ensemble.fail(1, "broken by hand")
        found = made.end_numbers()

    assert np.isnan([values[1] for values in found.values()]).all()
    assert np.isfinite([values[0] for values in found.values()]).all()


@pytest.mark.parametrize("name", SOLVERS)
def test_fluid_that_goes_the_wrong_way_is_told(name):
    """Half of the outlet comes back at half the speed, 1/3 of the mass; of member 1 all turns."""
    made = gas(name, [channel(8)] * 3, mach=[0.3] * 3)
    (x, y), member = made.grid.points.T, made.grid.member
    u = np.where(member == 1, -0.3, 0.3)
    back = (member == 0) & (x > 0.5)
    u[back] *= np.where(abs(y[back]) < 1e-9, 0.0, np.where(y[back] < 0, -0.5, 1.0))
    made.initialise(np.stack([1 + 0 * u, u, 0 * u, 0 * u + 0.9 / 1.4], axis=1))
    made.end_numbers()
    told = made.remarks()

    assert [own.members for own in told] == [(1,), (0,), (1,)]
    assert "100 % of the mass that passes inlet 'in' goes out" in told[0]
    assert "33.3 % of the mass that passes outlet 'out' comes back in" in told[1]
    assert "100 % of the mass that passes outlet 'out' comes back in" in told[2]
