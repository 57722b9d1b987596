"""Runs with the model of Spalart and Allmaras: how far residuals fall."""

import kinemesh as km
import pytest

pytestmark = pytest.mark.flow


def cylinder(settings, **changes):
    """A cylinder at Reynolds number 40, whose flow is steady."""
    told = {"mach": 0.3, "reynolds": 40.0, "turbulence": "sa", "device": "cpu"}
    mesh = km.mesh.cylinder(600, far_field=8.0, around=32)
    return km.Ale(mesh, settings=km.AleSettings(**settings), **(told | changes))


def test_both_residuals_fall_by_eleven_orders():
    """Also at the far field, where what comes in and what goes on cancel."""
    case = cylinder({"steady_drop": 1e-11, "turbulence_drop": 1e-11})

    result = case.steady().summary["result"]

    eddies, get = case.terms["turbulence"], case.backend.get
    assert result["iterations"] < 100
    assert get(eddies.norm)[0] <= 1e-11 * get(eddies.base)[0]
    assert result["residual_drop"] <= 1e-11
