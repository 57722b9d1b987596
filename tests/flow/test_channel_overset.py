"""Inlets and outlets on overset parts: the cylinder of benchmark 2D-1 as a part in its channel."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings(
        "ignore:.*(like sizes where parts end|moves at once):RuntimeWarning"
    ),
]
CD, CL, DP = 5.5795, 0.010619, 0.11752 / 0.04  # Schaefer and Turek (1996); dp over rho U^2
ENDS = {"left": km.inlet(velocity=1.5, profile="parabolic"), "right": km.outlet()}


def parts(scale):
    """A ring about the cylinder, and the channel, whose cells have 0.08 diameters over `scale`."""
    box, core = (-2, 20, -2, 2.1), (-1.6, 3.5, -1.8, 1.9)
    back = km.mesh.background(box, core, 0.08 / scale, growth=1.08, walls=["bottom", "top"])
    ring = km.mesh.cylinder(int(3200 * scale**2), far_field=1.3, outer="overset")
    return {"cylinder": ring, "back": back}


def case(scale, **options):
    told = {"reynolds": 20, "boundaries": ENDS, "device": "cpu"} | options
    return km.Incompressible(parts(scale), moment_about=(0, 0), **told)


def off(scale):
    """Errors of drag, lift and pressure difference of the cylinder, as shares; nodes."""
    made = case(scale)
    assert made.steady().converged
    p, x = made.backend.get(made.projection.flow["p"]), made.grid.points
    wall = made.grid.wall.node
    front, rear = (wall[np.hypot(*(x[wall] - (at, 0)).T).argmin()] for at in (-0.5, 0.5))
    loads = made.body_coefficients()[0]["cylinder"]
    found = np.array([loads["cd"], loads["cl"], p[front] - p[rear]])
    return np.abs(found / (CD, CL, DP) - 1), made.grid.nodes


@pytest.mark.slow
def test_a_cylinder_as_a_part_in_a_channel_has_the_published_loads():
    (drag, lift, pressure), _ = off(1.0)

    # 8919 nodes: 0.23 %, 1.2 %, 0.84 %; with half of the nodes about twice of it
    assert drag < 0.005
    assert lift < 0.05
    assert pressure < 0.01


@pytest.mark.slow
def test_loads_of_the_cylinder_converge():
    found, nodes = zip(*(off(scale) for scale in (1.0, 2**0.5, 2.0)), strict=True)

    drag, lift, pressure = np.array(found).T
    order = np.log(drag[:-1] / drag[1:]) / np.log(np.sqrt(np.divide(nodes[1:], nodes[:-1])))
    assert (order > 1.5).all()
    assert drag[-1] < 0.005
    assert lift[-1] < 0.05
    assert pressure[-1] < 0.005


def test_parts_with_inlets_and_outlets_stand_still():
    law = km.motion.plunge(0.1, k=0.5)
    with pytest.raises(SettingsError, match=r"'back\.right' of kind 'outlet' stands still"):
        case(1.0, motion={"back": law})

    made = case(1.0, motion={"cylinder": law})
    made.run(steps=2, time_step=0.05, start="stream", preflight=False)

    u = made.backend.get(made.projection.flow["u"])
    x, y = made.grid.points.T
    inlet = (made.grid.meshes[0].part == 1) & (np.abs(x + 2) < 1e-9)
    height = (y[inlet] + 2) / 4.1
    assert u[inlet, 0] == pytest.approx(6 * height * (1 - height), abs=1e-9)
