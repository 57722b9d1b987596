"""Drag by the wake in summaries of steady runs in space, and its warning."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import KinemeshWarning
from kinemesh.gas import GAMMA, critical_pressure_coefficient
from kinemesh.results.run_table import columns
from kinemesh.run.wakes import _compared, _subsonic

pytestmark = pytest.mark.flow
SOON = km.AleSettings(steady_drop=1e-2, steady_iterations=100)
APART = "by the wake"


def wing(**more):
    return km.mesh.wing("naca0012", nodes=10_000, span=3.0, cells="tets", **more)


def steady(mesh, kind=km.Ale, mach=0.3, **more):
    settings = km.CellSettings(steady_drop=1e-2) if kind is km.CellCentred else SOON
    case = kind(mesh, mach=mach, alpha_deg=4.0, settings=settings, reference_area=3.036,
                device="cpu", **more)  # fmt: skip
    return case.steady()


@pytest.mark.parametrize(
    ("cd", "told"), [(0.0120, False), (0.0121, True), (0.0080, False), (0.0079, True)]
)
def test_a_fifth_of_the_induced_drag_is_the_limit(cd, told):
    assert bool(_compared(0, cd, 0.01)) is told


@pytest.mark.parametrize(("cd", "told"), [(0.00049, False), (0.00051, True), (-0.00051, True)])
def test_without_lift_five_counts_are_the_limit(cd, told):
    assert bool(_compared(0, cd, 0.0)) is told


@pytest.mark.parametrize("mach", [0.3, 0.7, 0.99])
def test_a_stream_sped_up_to_its_critical_pressure_is_sonic(mach):
    p = 1 / GAMMA + critical_pressure_coefficient(mach) * mach**2 / 2
    sound = (GAMMA * p) ** ((GAMMA - 1) / (2 * GAMMA))  # of one entropy
    speed = np.sqrt(mach**2 + 2 / (GAMMA - 1) * (1 - sound**2))
    assert speed == pytest.approx(sound, rel=1e-12)


@pytest.mark.parametrize(("sonic", "told"), [(0, True), (2, True), (3, False)])
def test_supersonic_flow_at_a_tip_alone_leaves_the_warning(sonic, told):
    """Two of 100 pressures; at Mach 0.7 the critical one is -0.77907 (isentropic, by hand)."""
    cp = np.full(100, -0.7790)
    cp[:sonic] = -0.7791
    assert _subsonic(cp, 0.7) is told


@pytest.mark.long
@pytest.mark.parametrize("kind", [km.Ale, km.CellCentred])
def test_a_coarse_wing_is_told_of_its_numerical_drag(kind):
    with pytest.warns(KinemeshWarning, match=APART):
        run = steady(wing(), kind)

    found = run.summary["result"]
    least = found["cl"] ** 2 * 3.036 / (np.pi * 3.0**2) / 2  # of an elliptic load
    assert least < found["cd_induced"] < 1.2 * least
    assert found["cd"] > 1.2 * found["cd_induced"]
    assert run.table()["cd_induced"][0] == found["cd_induced"]
    names = [name for name in columns(run) if name in found]
    assert names[:5] == list(found)[:5] == ["cl", "cd", "cd_induced", "cm", "cm_bending"]
