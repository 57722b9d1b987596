"""Loads of a flow that was just set: those of the flow, not of the run before it."""

import kinemesh as km
import numpy as np
import pytest
from solver_cases import on_devices

pytestmark = pytest.mark.flow

MESH = km.mesh.cylinder(400, far_field=8.0, around=24)
STEPS = {"time_step": 0.3, "steps": 3, "start": "as is"}
GASES = {
    "laminar": {},
    "warm wall": {"viscosity": km.Viscosity(wall=1.2)},
    "turbulent": {"turbulence": "sa"},
}
on_flows = pytest.mark.parametrize("flow", [*GASES, "incompressible"])


def case(flow, device, **more):
    told = {"reynolds": 40.0, "alpha_deg": 3.0, "moment_about": (0.1, 0.2), "device": device}
    if flow == "incompressible":
        return km.Incompressible(MESH, **(told | more))
    told |= {"mach": 0.3, "deform": km.deform.Rigid()}
    return km.Ale(MESH, **(told | GASES[flow] | more))


def sheared(made):
    """A flow along x that grows with y."""
    y = made.grid.points[:, 1]
    if isinstance(made, km.Incompressible):
        return np.stack([1 + 0.1 * y, 0 * y], axis=1)
    return np.stack([1 + 0 * y, 0.3 + 0.02 * y, 0 * y, 1 / 1.4 + 0 * y], axis=1)


@pytest.mark.long
@on_devices
@on_flows
def test_loads_after_a_run_and_a_new_flow_are_those_of_a_new_case(flow, device):
    used, new = case(flow, device), case(flow, device)
    used.run(**STEPS)
    for made in (used, new):
        made.initialise(sheared(made))

    found = used.coefficients()

    np.testing.assert_array_equal(found, new.coefficients())
    assert found[0, 1] > 1.0  # gas that goes along a wall pulls at it
    new.initialise()
    assert abs(new.coefficients() - found).max() > 0.1


@pytest.mark.long
@on_devices
@on_flows
def test_a_steady_march_is_no_part_of_the_loads_of_a_flow_that_is_set_after_it(flow, device):
    used, new = case(flow, device), case(flow, device)
    used.steady()
    used.initialise(sheared(used))
    new.initialise(sheared(new))

    np.testing.assert_array_equal(used.coefficients(), new.coefficients())


@pytest.mark.parametrize("flow", ["laminar", "warm wall"])
def test_the_flow_of_another_case_has_the_loads_that_it_has_there(flow):
    settings = km.AleSettings(steady_drop=1e-9)
    first, second = (case(flow, "cpu", settings=settings) for _ in range(2))
    first.steady()

    second.initialise(first.primitive())

    # the march's last residual was of this flow, too: round-off of u from q alone
    assert second.coefficients() == pytest.approx(first.coefficients(), abs=1e-12)


@on_devices
@on_flows
def test_to_ask_for_loads_changes_no_run(flow, device):
    asked, other = (case(flow, device, motion=km.motion.plunge(0.1, 0.5)) for _ in range(2))
    asked.coefficients()

    rows = [made.run(**STEPS).history for made in (asked, other)]

    for name in rows[0].columns:
        np.testing.assert_array_equal(*(row[name] for row in rows), err_msg=name)


@pytest.mark.parametrize("flow", list(GASES))
def test_friction_along_walls_is_that_of_the_flow_that_was_set(flow):
    used, new = case(flow, "cpu"), case(flow, "cpu")
    stream = new.primitive()
    with pytest.raises(km.SettingsError, match=r"no flow was computed.*case\.steady\(\)"):
        new.walls()
    used.run(**STEPS)
    used.initialise()
    with pytest.raises(km.SettingsError, match="no flow was computed"):
        used.walls()
    for made in (used, new):
        made.initialise(stream)

    walls = [made.walls()["cylinder"] for made in (used, new)]

    np.testing.assert_array_equal(walls[0].cf, walls[1].cf)
    assert walls[0].cf.max() > 0.1
