"""Rules of steps of Newton, kernel by kernel: who takes one, how far it goes, what follows."""

import numpy as np
import pytest
from samples import direct


def chosen(host, **own):
    """Fields of a member after the choice of its next step."""
    told = {
        "iterations": 20, "norm": 0.5, "first": 1.0, "fallen": 0.03, "latest": 60, "active": 1,
        "going": 0, "taking": 0, "begun": 0, "mode": 0, "wait": 0, "cfl": 40.0, "newton_cfl": 7.0,
        "theta": 0.0, "products": 5, "length": 0.5,
    } | own  # fmt: skip
    values = {"fallen", "latest"}
    given = {name: value if name in values else [value] for name, value in told.items()}
    found = direct(host, "newton_choose", **given)
    return {name: array[0] for name, array in found.items()}


@pytest.mark.parametrize(("norm", "iterations", "taken"), [
    (0.0301, 60, 0), (0.0299, 60, 1), (0.0301, 61, 1), (0.0299, 1, 1),
])  # fmt: skip
def test_newton_begins_at_a_residual_or_after_so_many_iterations(host, norm, iterations, taken):
    found = chosen(host, norm=norm, iterations=iterations)

    assert found["taking"] == found["mode"] == taken
    assert found["active"] == 1 - taken
    assert found["going"] == 1
    assert found["cfl"] == 40.0
    assert (found["products"], found["length"]) == (0, 1)


def test_newton_goes_on_with_its_own_cfl_number_where_the_residual_rises(host):
    found = chosen(host, begun=1, mode=1, norm=0.5)

    assert found["taking"] == 1
    assert found["cfl"] == 7.0


def test_newton_waits_for_its_pseudo_steps_and_then_takes_up_their_cfl_number(host):
    waits = chosen(host, begun=1, mode=1, wait=1)
    after = chosen(host, begun=1, mode=0, wait=0)

    assert (waits["taking"], waits["wait"], waits["active"]) == (0, 0, 1)
    assert (after["taking"], after["newton_cfl"]) == (1, 40.0)


def test_a_member_that_has_ended_takes_no_step_and_keeps_what_it_was(host):
    found = chosen(host, active=0, begun=1, mode=1, wait=2)

    assert (found["taking"], found["going"], found["active"]) == (0, 0, 0)
    assert (found["mode"], found["wait"], found["newton_cfl"], found["products"]) == (1, 2, 7.0, 5)


@pytest.mark.parametrize(("norm", "before", "theta"), [
    (0.02, 0.0, 0.01), (0.0099, 0.01, 0.1), (0.02, 0.1, 0.1), (0.00099, 0.1, 1.0), (0.02, 1.0, 1.0),
])  # fmt: skip
def test_share_of_the_equation_beside_rises_with_the_drop_and_stays(host, norm, before, theta):
    assert chosen(host, norm=norm, theta=before)["theta"] == theta


def followed(host, **own):
    told = {
        "taking": 1, "steps": 12, "left": 0.09, "length": 1.0, "norm": 0.02, "first": 1.0,
        "tries": 3, "pause": 10, "active": 1, "wait": 0, "refused": 0, "falls": 0, "products": 0,
        "spent": 30, "share": 0.5, "newton_cfl": 100.0, "cfl": 0.0,
    } | own  # fmt: skip
    values = {"tries", "pause"}
    given = {name: value if name in values else [value] for name, value in told.items()}
    found = direct(host, "newton_follow", **given)
    return {name: array[0] for name, array in found.items()}


@pytest.mark.parametrize(("length", "left", "norm", "factor"), [
    (1.0, 0.3, 0.02, 2), (1.0, 0.3, 0.00099, 5), (1.0, 0.31, 0.02, 1.5), (1.0, 0.6, 0.02, 1.5),
    (1.0, 0.61, 0.02, 1), (1.0, 0.8, 0.00099, 1), (1.0, 0.81, 0.02, 0.3), (0.5, 0.1, 0.02, 0.5),
    (0.25, 0.9, 0.00099, 0.5),
    (0.0625, 0.1, 0.02, 0.1), (0.0, 0.1, 0.02, 0.1),
])  # fmt: skip
def test_cfl_number_follows_length_and_linear_drop(host, length, left, norm, factor):
    found = followed(host, length=length, left=left, norm=norm)

    assert found["newton_cfl"] == found["cfl"] == pytest.approx(100 * factor)
    assert found["products"] == 12


def test_cfl_number_is_one_at_least_and_has_no_largest(host):
    assert followed(host, length=0.0, newton_cfl=5.0)["cfl"] == 1.0
    assert followed(host, newton_cfl=1e12)["cfl"] == 2e12


def test_a_refused_step_is_put_back_and_the_third_in_a_row_brings_pseudo_steps(host):
    second = followed(host, length=0.0, refused=1)
    third = followed(host, length=0.0, refused=2)
    taken = followed(host, length=0.03125, refused=2)

    assert (second["active"], second["share"], second["wait"], second["refused"]) == (1, 0, 0, 2)
    assert (third["active"], third["wait"], third["refused"], third["falls"]) == (1, 10, 0, 1)
    assert (taken["active"], taken["wait"], taken["refused"], taken["falls"]) == (0, 0, 0, 0)


@pytest.mark.parametrize(("falls", "wait"), [(0, 10), (1, 20), (4, 160), (5, 320), (9, 320)])
def test_pseudo_steps_that_follow_are_twice_as_many_each_time(host, falls, wait):
    found = followed(host, length=0.0, refused=2, falls=falls)

    assert (found["wait"], found["falls"]) == (wait, falls + 1)


@pytest.mark.parametrize(("taking", "steps", "left", "solved"), [
    (1, 5, 0.99, 1), (1, 5, 0.991, 0), (1, 0, 0.5, 0), (1, 5, np.nan, 0), (0, 5, 0.5, 0),
])  # fmt: skip
def test_a_solution_that_reduces_nothing_is_no_step(host, taking, steps, left, solved):
    found = direct(
        host, "newton_length", taking=[taking], status=[0], steps=[steps], left=[left],
        nothing=0.99, active=[1], share=[7.0], length=[7.0],
    )  # fmt: skip

    assert found["active"] == [solved]
    assert found["share"] == [float(solved) if taking else 7.0]
    assert found["length"] == [0.0 if taking else 7.0]


def primitive(u):
    rho, v = u[..., 0], u[..., 1:3] / u[..., :1]
    return rho, 0.4 * (u[..., 3] - 0.5 * rho * (v**2).sum(-1))


@pytest.mark.parametrize(("rho", "p", "least"), [
    (1.0, 1 / 1.4, 1.0), (0.2, 1 / 1.4, 0.2), (1.0, 1e-6, 1.4e-6), (5.0, 3.0, 1.0),
])  # fmt: skip
def test_a_difference_leaves_density_and_pressure_near_what_they_are(host, rho, p, least):
    """Two nodes, the second of them the stream, with a vector ten times as large there."""
    velocity = np.array([0.3, -0.2])
    energy = p / 0.4 + 0.5 * rho * velocity @ velocity
    u0 = np.array([[rho, *(rho * velocity), energy], [1.0, 0.3, 0.0, 1 / 0.56 + 0.045]])
    z = np.array([[0.0, 0.5, 0.0, -1.0], [5.0, 0.0, 0.0, 0.0]])
    tables = {"offsets": [0, 2], "owner": [0], "groups": [0, 1], "ended": [0]}

    share = direct(
        host, "newton_most", **tables, active=[1], u0=u0, z=z, parts=[[0.0]], share=[1.0]
    )["share"][0]  # fmt: skip

    assert share == pytest.approx(1e-5 / max(1 / least, 5.0), rel=1e-9)
    after = primitive(u0 + share * z)
    assert (after[0] > 0).all()
    assert (after[1] > 0).all()


@pytest.mark.parametrize("z", [
    (0.5, 0.0, 0.0, 0.0), (-0.5, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, -1.5), (0.0, 3.0, 0.0, 0.0),
    (0.01, 0.02, 0.0, 0.01),
])  # fmt: skip
def test_density_and_pressure_change_within_the_bound(host, z):
    u0 = np.array([[1.0, 0.5, 0.1, 1.9]])

    found = direct(host, "newton_bound", member=[0], active=[1], u0=u0, most=0.2, z=[z])["z"][0]

    share = found / np.where(np.array(z) == 0, 1, z)
    own = share[np.array(z) != 0]
    assert np.ptp(own) < 1e-6
    before, after = primitive(u0[0]), primitive(u0[0] + found.astype(float))
    assert abs(after[0] / before[0] - 1) <= 0.2 + 1e-6
    assert after[1] >= 0.6 * before[1]
    assert (own[0] > 1 - 1e-6) == (z == (0.01, 0.02, 0.0, 0.01))


@pytest.mark.parametrize(("nt", "change", "bound"), [
    (2.0, 10.0, 6.05), (2.0, 6.0, 6.0), (2.0, -3.0, -1.65), (2.0, -1.6, -1.6), (-2.0, -9.0, -1.65),
    (-2.0, 9.0, 6.05), (0.0, 1.0, 0.05),
])  # fmt: skip
def test_working_variable_changes_within_its_bounds(host, nt, change, bound):
    """In viscosities of the stream, which is 1e-3 here."""
    nu, scale = 1e-3, 0.1
    z = np.zeros((1, 5))
    z[0, 4] = change * nu / scale

    found = direct(
        host, "eddy_bound", member=[0], active=[1], scale=[scale], mu_stream=[nu], nt0=[nt * nu],
        z=z,
    )["z"]  # fmt: skip

    assert found[0, 4] * scale / nu == pytest.approx(bound, rel=1e-6)
