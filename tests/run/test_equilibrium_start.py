"""Runs that begin at the static equilibrium of a structure in a steady flow."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError
from kinemesh.run import equilibrium, steady
from runs import assert_same

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(member|steady flow|Reynolds|.*far field):RuntimeWarning"),
]
MESH = km.mesh.airfoil("naca2412", nodes=520, far_field=10)
SECTION = {"mu": 20.0, "a": -0.2, "x_alpha": 0.2, "r2_alpha": 0.25, "omega_ratio": 0.4}
FEW = {"cycles": 0.125, "steps_per_cycle": 48, "start": "equilibrium"}
CLOSE = km.AleSettings(steady_drop=1e-7, unsteady_drop=1e-4)


def section(speed_index=0.4, **changes):
    return km.structure.TypicalSection(**SECTION | {"speed_index": speed_index} | changes)


def gas(structure=None, mesh=MESH, **changes):
    told = {"mach": 0.3, "device": "cpu", "deform": km.deform.Rigid(), "settings": CLOSE}
    return km.Ale(
        mesh, structure=structure or section(), **told | {"moment_about": (0.4, 0.0)} | changes
    )


def test_a_cambered_section_begins_where_its_springs_hold_the_loads_of_a_steady_flow():
    """Loads of a section that is held in a stream turned by that twist; then nothing moves."""
    run = gas().run(**FEW)
    rows, own = run.history, section().coordinates(0.3, 1.0)
    h, alpha = rows["q_h"][0], rows["q_alpha"][0]
    held = km.Ale(
        MESH, mach=0.3, alpha_deg=np.degrees(alpha), device="cpu", moment_about=(0.4, 0.0),
        settings=CLOSE,
    ).steady().summary["result"]  # fmt: skip

    assert abs(np.degrees(alpha)) > 0.2
    pressure = 0.5 * 0.3**2
    assert h == pytest.approx(held["cl"] * pressure / own.stiffness[0, 0], rel=1e-3)
    assert alpha == pytest.approx(held["cm"] * pressure / own.stiffness[1, 1], rel=1e-3)
    assert np.ptp(rows["q_h"]) < 1e-3 * abs(h)
    assert np.ptp(rows["q_alpha"]) < 1e-3 * abs(alpha)
    plain = gas().run(**FEW | {"start": "steady"}).history
    assert np.ptp(plain["q_h"]) > 0.01 * abs(h)


@pytest.mark.long
def test_a_twist_is_that_of_the_slope_of_the_moment():
    """K alpha = q c^2 c_m_alpha (incidence + alpha), the slope that of a flow about the section
    held at another incidence."""
    mesh = km.mesh.airfoil("naca0006", nodes=1200, far_field=30)
    told = {"mach": 0.3, "device": "cpu", "moment_about": (0.45, 0.0), "settings": CLOSE}
    held = km.Ale(mesh, alpha_deg=1.5, **told).steady().summary["result"]
    moment = 0.5 * held["cm"] / np.radians(1.5)  # over rho U^2 L^2 and incidence
    made = km.structure.Springs(inertia=1.0, stiffness=3.0, free=("angle",), pivot=(0.45, 0.0))
    case = km.Ale(mesh, alpha_deg=1.0, structure=made, deform=km.deform.Rigid(), **told)
    run = case.run(time_step=0.5, steps=2, start="equilibrium")

    assert moment > 0.5
    exact = np.radians(1.0) * moment / (3.0 - moment)
    assert run.history["q_angle"][0] == pytest.approx(exact, rel=5e-3)


@pytest.mark.long
def test_a_strongly_damped_run_comes_to_the_equilibrium():
    m = 20 * np.pi / 4
    own = section().coordinates(1.0, 1.0)
    made = km.structure.Springs(
        m, m * 0.25 / 4, stiffness=np.diag(own.stiffness), pivot=(0.4, 0.0), centre=(0.5, 0.0),
        damping=[4.0 * np.sqrt(m * own.stiffness[0, 0]), 0.4],
    )  # fmt: skip
    begun = gas(made).run(time_step=0.5, steps=2, start="equilibrium").history
    late = gas(made).run(time_step=2.0, steps=300).history

    for name in ("q_y", "q_angle"):
        assert np.ptp(late[name][-50:]) < 2e-3 * np.abs(late[name][-1])
        assert begun[name][0] == pytest.approx(late[name][-1], rel=5e-3)


def test_a_kick_displaces_the_section_from_its_equilibrium():
    kick = {"mode": 1, "angle_deg": 0.5}
    still = gas().run(**FEW).history
    case = gas()
    pushed = case.run(**FEW | {"kick": kick}, preflight=True).history
    both = case.structures.kicked(kick)[0] + [still["q_h"][0], still["q_alpha"][0]]

    # after the first step; the acceleration from rest moves it by less than a twentieth
    assert pushed["q_alpha"][0] == pytest.approx(both[1], abs=0.05 * np.radians(0.5))
    assert pushed["q_h"][0] == pytest.approx(both[0], rel=0.05)


@pytest.mark.long
def test_members_have_the_bits_of_runs_alone():
    """Some are in balance at once, others after more flows."""
    structures, incidence = [section(0.2), section(0.4), section(0.5)], [0.0, 1.0, 3.0]
    every = gas(structures, alpha_deg=incidence).run(**FEW)

    for m, (own, alpha) in enumerate(zip(structures, incidence, strict=True)):
        alone = gas(own, alpha_deg=alpha).run(**FEW).history
        for column in (name for name in alone.columns if name != "member"):
            np.testing.assert_array_equal(
                every.history.member(m)[column], alone[column], err_msg=column
            )


def test_a_symmetric_section_is_in_balance_at_its_first_flow(monkeypatch):
    counts = []
    plain = steady.to_steady

    def counted(*given):
        counts.append(given)
        return plain(*given)

    monkeypatch.setattr(steady, "to_steady", counted)
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    rows = gas(mesh=mesh).run(**FEW | {"cycles": 0.05}).history

    assert len(counts) == 1
    assert np.abs(rows["q_alpha"]).max() < 1e-6


@pytest.mark.long
@pytest.mark.parametrize("flow", [1, 3, 5])
def test_a_run_that_is_stopped_within_its_marches_goes_on_with_its_bits(
    tmp_path, monkeypatch, flow
):
    kick = {"kick": {"mode": 1, "angle_deg": 0.5}}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    gas().run(**FEW | kick, out=whole)
    marches, plain = [], steady.march
    monkeypatch.setattr(steady, "KEEP_EVERY", 5)

    def stopped(solver, recording, where, watch, each=None):
        marches.append(where)

        def then():
            each()
            count = solver.backend.get(solver.dualtime.iterations).max()
            if len(marches) == flow and count >= 5:
                raise KeyboardInterrupt

        plain(solver, recording, where, watch, then)

    with monkeypatch.context() as patch:
        patch.setattr(steady, "march", stopped)
        with pytest.raises(KeyboardInterrupt):
            gas().run(**FEW | kick, out=parts)
    gas().run(**FEW | kick, out=parts, resume=True)

    assert len(marches) == flow
    assert_same(whole, parts)


@pytest.mark.long
@pytest.mark.parametrize("deform", [km.deform.Rigid(), km.deform.Delaunay()])
def test_a_run_goes_on_from_steps_with_its_bits(tmp_path, deform):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    gas(deform=deform).run(**FEW, out=whole)
    gas(deform=deform).run(**FEW | {"cycles": 0.0625}, out=parts)
    gas(deform=deform).run(**FEW, out=parts, resume=True)

    assert_same(whole, parts)


@pytest.mark.long
def test_divergence_is_told_with_its_speed_index():
    """Speed at which the moment of steady flows at two incidences grows as that of the spring."""
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    told = {"mesh": mesh, "alpha_deg": 1.0}
    cm = [
        km.Ale(mesh, mach=0.3, alpha_deg=a, device="cpu", settings=CLOSE, moment_about=(0.4, 0.0))
        .steady().summary["result"]["cm"] for a in (0.95, 1.05)
    ]  # fmt: skip
    slope = 0.5 * 0.3**2 * (cm[1] - cm[0]) / np.radians(0.1)
    exact = np.sqrt(section(1.0).coordinates(0.3, 1.0).stiffness[1, 1] / slope)
    with pytest.raises(km.NumericalFault, match="static divergence: a change of the") as caught:
        gas(section(1.2 * exact), **told).run(**FEW)
    below = float(str(caught.value).rsplit("a speed_index below ", 1)[1].split()[0].rstrip(".,"))
    assert below == pytest.approx(exact, rel=2e-3)

    pair = gas([section(1.2 * exact), section(0.4 * exact)], **told)
    with pytest.warns(RuntimeWarning, match="static divergence"):
        run = pair.run(**FEW)
    assert [row["member"] for row in run.failed] == [0]
    assert run.history.member(1).rows == 6


def test_an_equilibrium_that_is_not_found_is_told(monkeypatch):
    monkeypatch.setattr(equilibrium, "MOST", 1)
    with pytest.raises(km.NumericalFault, match="no equilibrium in 1 steady flows: forces of 1 of"):
        gas().run(**FEW)


def test_an_equilibrium_far_off_is_told():
    with pytest.raises(km.NumericalFault, match="lies beyond 30 degrees or 1 reference lengths"):
        gas(section(0.4, omega_ratio=0.01)).run(**FEW)


@pytest.mark.long
def test_modes_begin_at_their_equilibrium():
    """A turn that is a mode lacks the second order of a turn (docs/flutter.md)."""

    def rise(points):
        return np.tile([0.0, 1.0], (len(points), 1))

    def turn(points):
        return (points - [0.4, 0.0])[:, ::-1] * [1.0, -1.0]

    modes = km.structure.Modes(
        [rise, turn], frequencies=[0.4, 1.0], masses=[1.0, 0.0625], mu=20.0, volume=np.pi / 4,
        reference=1.0, speed_index=0.4,
    )  # fmt: skip
    bent = gas(modes, deform=km.deform.Modal()).run(**FEW).history
    turned = gas(section(x_alpha=0.0)).run(**FEW).history

    assert bent["q_mode_1"][0] == pytest.approx(turned["q_h"][0], rel=2e-2)
    assert bent["q_mode_2"][0] == pytest.approx(turned["q_alpha"][0], rel=5e-2)
    assert np.ptp(bent["q_mode_2"]) < 1e-3 * abs(bent["q_mode_2"][0])


def test_water_begins_at_its_equilibrium_too():
    mesh = km.mesh.airfoil("naca0012", nodes=640, far_field=8)
    made = km.structure.Springs(
        2.0, 0.3, stiffness=[2.0, 1.0], free=("y", "angle"), pivot=(0.4, 0.0)
    )  # fmt: skip
    case = km.Incompressible(
        mesh, reynolds=200.0, alpha_deg=4.0, structure=made, device="cpu", moment_about=(0.4, 0),
    )  # fmt: skip
    rows = case.run(time_step=0.1, steps=4, start="equilibrium").history

    assert rows["q_y"][0] > 0.01
    assert np.ptp(rows["q_y"]) < 5e-3 * rows["q_y"][0]
    assert rows["load_y"] == pytest.approx(2 * 2.0 * rows["q_y"], rel=0.02)


def test_case_files_begin_there():
    case = km.cases.load("isogai-a", ["run.start=equilibrium"])

    assert case.job.start == "equilibrium"


REFUSED = {
    "no structure": (
        lambda: km.Ale(MESH, mach=0.3, motion=km.motion.pitch(1.0, 0.1), device="cpu"),
        "start is 'equilibrium', and no body stands on a structure",
    ),
    "no spring": (
        lambda: gas(km.structure.Springs(2.0, 0.3, stiffness=[0.0, 1.0], pivot=(0.4, 0.0))),
        "the structure lacks stiffness in one of y, angle, so nothing holds the loads",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_equilibria_that_are_none_are_refused(name):
    made, said = REFUSED[name]
    with pytest.raises(SettingsError, match=said):
        made().run(time_step=0.1, steps=4, start="equilibrium")
