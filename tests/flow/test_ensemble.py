"""Cases side by side on one device are the cases alone, bit for bit."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from solver_cases import IN_PLANE, on_devices

pytestmark = pytest.mark.flow

COLUMNS = ("time", "alpha_deg", "cl", "cd", "cm", "inner_iterations", "residual_drop",
           "min_area", "min_angle_deg")  # fmt: skip
# coarse O-meshes: at the default CFL numbers the flow at the nose does not settle on them
CAREFUL = {"cfl": 5.0, "unsteady_cfl": 20.0, "cfl_max": 50.0}
CASES = [(520, 0.5, 2.0, 1.0), (700, 0.3, -1.0, 4.0), (900, 0.7, 0.5, 0.5)]


@cache
def mesh(nodes):
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=10)


def case(picked, device, deform=None, dtype="float64", **settings):
    """Members by number: each its own mesh, Mach number, mean angle and amplitude."""
    rows = [CASES[i] for i in picked]
    meshes = [mesh(nodes) for nodes, *_ in rows]
    one = len(rows) == 1
    parts = {
        "mesh": meshes,
        "mach": [mach for _, mach, *_ in rows],
        "alpha_deg": [alpha for *_, alpha, _ in rows],
        "motion": [km.motion.pitch(amplitude, 0.1) for *_, amplitude in rows],
    }
    parts = {name: value[0] if one else value for name, value in parts.items()}
    return km.Ale(**parts, device=device, dtype=dtype, deform=deform,
                  settings=km.AleSettings(**CAREFUL | settings))  # fmt: skip


def same_rows(together, alone, member, columns):
    ours, theirs = together.history.member(member), alone.history.member(0)
    for name in columns:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


@pytest.mark.long
@on_devices
@pytest.mark.parametrize(
    ("deform", "dtype"),
    # meshes are moved in float64, whatever the flow has: the second precision needs one of them
    [*((name, "float64") for name in IN_PLANE), ("springs", "float32")],
)
def test_each_member_is_its_solo_run_bit_for_bit(deform, dtype, device):
    """The steady start, then three steps; springs, Delaunay and rigid; three members."""
    method = km.deform.METHODS[deform]()
    rough = {"steady_drop": 1e-1, "unsteady_drop": 1e-2}
    together = case([0, 1, 2], device, method, dtype, **rough)
    ensemble = together.run(cycles=3 / 16, steps_per_cycle=16)

    for member in range(3):
        solo = case([member], device, method, dtype, **rough)
        alone = solo.run(cycles=3 / 16, steps_per_cycle=16)

        same_rows(ensemble, alone, member, COLUMNS)
        first = together.grid.first
        np.testing.assert_array_equal(
            together.primitive()[first[member] : first[member + 1]], solo.primitive()
        )
    cl = [ensemble.history.member(m)["cl"] for m in range(3)]
    assert np.abs(cl[0] - cl[1]).min() > 1e-3


@on_devices
def test_a_member_that_converges_first_is_left_alone(device):
    """Steady: the faster member's history ends, and its state stays, while the other goes on."""
    together = case([0, 1], device, steady_drop=1e-4)
    run = together.steady()
    rows = [run.history.member(m) for m in (0, 1)]
    early = int(np.argmin([len(r["iteration"]) for r in rows]))

    solo = case([early], device, steady_drop=1e-4)
    alone = solo.steady()

    assert len(rows[early]["iteration"]) < len(rows[1 - early]["iteration"])
    same_rows(run, alone, early, ("iteration", "residual", "cl", "cd", "cm", "cfl"))
    first = together.grid.first
    np.testing.assert_array_equal(
        together.primitive()[first[early] : first[early + 1]], solo.primitive()
    )


@on_devices
def test_members_may_share_mesh_and_motion(device):
    """One mesh and one motion, two Mach numbers."""
    motion = km.motion.pitch(1.0, 0.1)
    ale = km.Ale(mesh(520), mach=[0.3, 0.6], motion=motion, device=device,
                settings=km.AleSettings(**CAREFUL))  # fmt: skip

    run = ale.run(cycles=1 / 8, steps_per_cycle=32, start="as is")

    assert run.history.members == [0, 1]
    assert ale.grid.nodes == 2 * mesh(520).nodes
    time = [run.history.member(m)["time"] for m in (0, 1)]
    np.testing.assert_allclose(time[0], 2 * time[1], rtol=1e-15)  # same k, half the speed


@pytest.mark.sanitize
@on_devices
def test_the_order_of_members_changes_nothing(device):
    a, b = case([0, 1], device), case([1, 0], device)
    runs = [ale.run(time_step=0.5, steps=3, start="as is") for ale in (a, b)]

    for name in COLUMNS:
        np.testing.assert_array_equal(
            runs[0].history.member(0)[name], runs[1].history.member(1)[name], err_msg=name
        )


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_two_runs_on_one_device_are_bit_identical(dtype, device):
    runs = []
    for _ in range(2):
        ale = case([1], device, dtype=dtype, steady_drop=1e-2)
        runs.append((ale.run(cycles=1 / 8, steps_per_cycle=32), ale.primitive()))

    same_rows(runs[0][0], runs[1][0], 0, COLUMNS)
    np.testing.assert_array_equal(runs[0][1], runs[1][1])
