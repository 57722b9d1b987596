"""Runs with the model of Spalart and Allmaras: how far residuals fall."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.faults import EDDIES

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


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_steps_of_a_flow_that_stands_still_end_at_round_off(dtype):
    """Both residuals have nothing left there to fall by."""
    case = cylinder({}, dtype=dtype)
    case.steady()

    rows = case.run(time_step=0.5, steps=20, start="as is").history

    assert rows.inner_iterations.max() < 10
    assert rows.converged.all()


def test_a_model_that_has_not_converged_is_told():
    """The gas has met its drop, the model has not: neither run nor step counts as converged."""
    drops = {"turbulence_drop": 1e-300, "unsteady_turbulence_drop": 1e-300, "steady_drop": 1e-3}
    drops |= {"newton": False}  # whose steps are refused at round-off, and say so
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kinemesh.flow.terms.eddies.ROUNDINGS", 0.0)
        case = cylinder(drops | {"steady_iterations": 40, "unsteady_iterations": 20})

    place = r"the residual is largest at \(.*\), that of nu~, node \d+"
    not_converged = "the model of turbulence has not converged.*1.0e-300.*"
    with pytest.warns(RuntimeWarning, match=not_converged + place):
        result = case.steady().summary["result"]
    with pytest.warns(RuntimeWarning, match=f"2 of 2 steps ended above.*alone.*{place}"):
        rows = case.run(time_step=0.5, steps=2, start="as is").history

    assert not result["converged"]
    assert result["residual_drop"] <= 1e-3
    assert not rows.converged.any()


@pytest.mark.parametrize(("share", "busy"), [(1 - 1e-9, False), (1 + 1e-9, True)])
def test_a_residual_of_five_roundings_of_its_terms_is_none(share, busy):
    """docs/theory.md, section 9.5: |R| at five roundings of the terms that cancel in it."""
    case = cylinder({"turbulence_drop": 1e-300})
    case.start_steady()
    term, get, put = case.terms["turbulence"], case.backend.get, case.backend.put
    sizes = np.random.default_rng(3).uniform(1.0, 2.0, case.grid.nodes)
    put(term.own["size_nt"], sizes)
    put(term.own["res_nt"], 5.0 * np.finfo(float).eps * share * sizes)

    term._check()

    assert get(term.own["busy"])[0] == busy


def test_a_nu_tilde_that_is_no_number_is_named_as_such(tmp_path):
    """By its node and step; the gas knows nothing of it, and would call the step converged."""
    case = cylinder({})
    term, get, put = case.terms["turbulence"], case.backend.get, case.backend.put
    begin = term.begin_step

    def poisoned():
        begin()
        if case.step_number == 3:
            values = get(term.nt1)
            values[300] = float("nan")
            put(term.nt1, values)

    term.begin_step = poisoned

    node = case.grid.meshes[0].original[300]
    words = f"the turbulent viscosity nu~ is not a number at node {node} .*step 3 of 5, iteration 0"
    with pytest.raises(km.NumericalFault, match=words):
        case.run(time_step=0.5, steps=5, start="as is", out=tmp_path)

    assert np.isfinite(get(term.nt)).all()
    assert (tmp_path / "restart.h5").exists()
    assert len((tmp_path / "history.csv").read_text().splitlines()) == 1 + 2


def test_a_change_that_is_no_number_leaves_nu_tilde_as_it_is():
    """So that what the gas makes of it is not named in its place."""
    case = cylinder({})
    term, b = case.terms["turbulence"], case.backend
    case.start_steady()
    before = b.get(term.nt)
    b.put(term.solver.x, b.get(term.solver.x) + float("nan"))

    term.own.bind("eddy_update")()

    np.testing.assert_array_equal(b.get(term.nt), before)
    assert b.get(case.grid.faults)[0] >> 32 == EDDIES
