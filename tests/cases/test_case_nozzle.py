"""The ready case nozzle-shock beside one-dimensional flow, whose relations stand here.

Area 1 + 0.3 cos^2(pi x / 20); isentropic flow and a normal shock (Shapiro, The Dynamics and
Thermodynamics of Compressible Fluid Flow, 1953, chapters 4 and 5), gamma = 1.4.  Walls slope by at
most 0.047, so that flow in the plane is one-dimensional to some 1e-3 (slope squared over 3).
"""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases
from scipy.optimize import brentq

pytestmark = [pytest.mark.flow, pytest.mark.long]
END = 20.0
METHODS = ("ale", "cells")


def area(x):
    return 1 + 0.3 * np.cos(np.pi * x / END) ** 2


def over_throat(mach):
    return ((1 + 0.2 * mach**2) / 1.2) ** 3 / mach


def static(mach):
    return (1 + 0.2 * mach**2) ** -3.5


def loss(mach):
    """Total pressure behind a normal shock over that ahead of it."""
    s = mach**2
    return (6 * s / (s + 5)) ** 3.5 * (6 / (7 * s - 1)) ** 2.5


def flow(back):
    """Mass flow of an outlet's pressure without a shock, over rho_0 a_0."""
    mach = np.sqrt(5 * (back ** (-2 / 7) - 1))
    return mach * (1 + 0.2 * mach**2) ** -3 * area(END)


def shock(back):
    """Place of the shock, and the total pressure behind it."""

    def ahead(x):
        return brentq(lambda m: over_throat(m) - area(x), 1 + 1e-12, 4)

    def left(x):
        behind = loss(ahead(x))
        return behind * static(brentq(lambda m: over_throat(m) - area(END) * behind, 1e-3, 1))

    x = brentq(lambda x: left(x) - back, END / 2 + 1e-6, END - 1e-9)
    return x, loss(ahead(x))


def run(method, back=None):
    changes = [f"method={method}"]
    changes += [] if back is None else [f"mesh.boundaries.outlet.pressure={back}"]
    ready = cases.load("nozzle-shock").replace(nodes="coarse", device="cpu")
    case = ready.changed(changes)
    made = case.build()
    found = made.steady()
    assert found.converged
    return made, found.summary["result"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("back", [0.95, 0.9, 0.85])
def test_a_nozzle_passes_what_one_dimensional_flow_does(method, back):
    _, found = run(method, back)

    assert found["mass_flow_inlet"] == pytest.approx(flow(back), rel=5e-3)
    assert found["mass_flow_outlet"] == pytest.approx(-found["mass_flow_inlet"], rel=1e-5)
    assert found["total_pressure_outlet"] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_choked_nozzle_has_its_shock_where_one_dimensional_flow_has_it(method):
    made, found = run(method)
    place, behind = shock(0.75)
    rho, u, v, p = made.primitive().T
    x, mach = made.grid.points[:, 0].round(6), np.hypot(u, v) / np.sqrt(1.4 * p / rho)
    columns = np.unique(x)
    mean = np.array([mach[x == own].mean() for own in columns])
    k = np.flatnonzero((mean[:-1] > 1) & (mean[1:] <= 1))[-1]
    cell = columns[1] - columns[0]
    at = columns[k] + cell * (mean[k] - 1) / (mean[k] - mean[k + 1])

    assert at == pytest.approx(place, abs=cell)
    assert found["mass_flow_inlet"] == pytest.approx(1.2**-3, rel=5e-3)
    assert found["total_pressure_outlet"] == pytest.approx(behind, rel=5e-3)
    assert found["loss"] > 0.3


def test_the_ready_nozzle_has_the_area_that_it_says():
    """Error of PCHIP through points that are 0.5 apart 1.4e-4, at most h^2 y_xx / 8 = 2.3e-4."""
    mesh = km.cases.build.mesh(cases.load("nozzle-shock").mesh)
    edges = np.unique(mesh.boundaries["upper"])
    x, y = mesh.points[edges].T
    np.testing.assert_allclose(y, area(x), rtol=2.3e-4)
    assert mesh.nodes == 161 * 9
