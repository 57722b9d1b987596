"""Induced drag by the load along the span, beside lifting-line theory."""

import numpy as np
import pytest
from kinemesh.results.wake import PARTS, Lift, drag, lift_of

ANGLE = np.pi * np.arange(PARTS + 1) / PARTS


def elliptic_wing(span=6.0, around=24, stations=81, half=False):
    """Thin wing of elliptic planform, chord sqrt(1 - (2 y / span)^2), pointed at its tips."""
    low = np.pi / 2 if half else 0.0
    y = -0.5 * span * np.cos(np.linspace(low, np.pi, stations))
    chord = np.sqrt(np.maximum(1 - (2 * y / span) ** 2, 0))
    turn = 2 * np.pi * np.arange(around) / around
    x = chord[:, None] * 0.5 * np.cos(turn)
    z = chord[:, None] * 0.05 * np.sin(turn)
    points = np.stack([x, np.repeat(y[:, None], around, 1), z], axis=2).reshape(-1, 3)
    at = np.arange(around * stations).reshape(stations, around)
    a, b = at[:-1], at[1:]
    c, d = np.roll(b, -1, 1), np.roll(a, -1, 1)
    table = np.concatenate([np.stack([a, c, b], -1), np.stack([a, d, c], -1)]).reshape(-1, 3)
    points, own = np.unique(points.round(12), axis=0, return_inverse=True)  # a node at a tip
    table = own[table]
    sides = np.stack([table, np.roll(table, -1, axis=1)])
    return points, table[(sides[0] != sides[1]).all(axis=1)]


@pytest.mark.parametrize(("third", "e"), [(0.0, 1.0), (0.1, 1 / 1.03), (-0.2, 1 / 1.12)])
def test_a_load_of_two_terms_has_the_drag_of_lifting_line_theory(third, e):
    """Prandtl: C_D = C_L^2 / (pi AR e) with 1/e = 1 + 3 (A_3 / A_1)^2."""
    span, area = 6.0, 4.5
    load = 0.3 * (np.sin(ANGLE) + third * np.sin(3 * ANGLE))
    lift = 0.3 * np.pi * span / 4 / area

    found = drag(load, span) / area

    assert found == pytest.approx(lift**2 * area / (np.pi * span**2 * e), rel=1e-12)


def test_an_uneven_load_has_the_drag_of_its_even_terms_too():
    load = 0.3 * (np.sin(ANGLE) + 0.1 * np.sin(2 * ANGLE))
    assert drag(load, 6.0) == pytest.approx(1.02 * drag(0.3 * np.sin(ANGLE), 6.0), rel=1e-12)


@pytest.mark.parametrize("third", [0.0, 0.1, -0.2])
def test_bending_of_two_terms_is_that_of_their_integral(third):
    """Integrals of sin t and sin 3t times cos t sin t from 0 to pi/2 are 1/3 and 1/5."""
    load = 0.3 * (np.sin(ANGLE) + third * np.sin(3 * ANGLE))

    found = Lift(load, 6.0, 0.5).bending

    assert found == pytest.approx(0.3 * (1 / 3 + third / 5) * 3.0**2, rel=1e-3)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (300.0, 2000.0)])
def test_an_elliptic_wing_of_even_pressure_has_the_least_drag(half, scale, shift):
    """Pressures of cp 0.5 below and 0 above lift each section by half of its chord."""
    span = 6.0
    points, table = elliptic_wing(span, half=half)
    middle = points[table].mean(axis=1)
    cp = np.where(middle[:, 2] < 0, 0.5, 0.0)
    share = 0.5 if half else 1.0

    found = lift_of(scale * points + [0, shift, 0], table, cp, "cells", 0.0)

    lift = 0.5 * np.pi * span / 4  # over q_inf, of the whole wing
    exact = share * scale**2 * lift**2 / (np.pi * span**2)
    assert found.drag == pytest.approx(exact, rel=3e-3)
    arm = span / 2 * 4 / (3 * np.pi)  # of half an ellipse
    assert found.bending == pytest.approx(scale**3 * lift / 2 * arm, rel=2e-3)


@pytest.mark.parametrize("half", [False, True])
def test_rows_of_faces_of_one_pressure_have_errors_of_the_second_order(half):
    """Beside 0.5 (9/8 sin t + 1/8 sin 3t); each face has the mean of cp over its row."""
    lift = 0.5 * 9 / 8 * np.pi * 6 / 4
    exact = (0.5 if half else 1.0) * lift**2 / (np.pi * 6**2) * (1 + 3 / 81)
    errors = []
    for stations in (33, 65):
        points, table = elliptic_wing(6.0, stations=stations, half=half)
        low, high = (f(points[table, 1] / 3, axis=1) for f in (np.min, np.max))
        square = (high**3 - low**3) / (3 * (high - low))
        cp = 0.5 * (1 + 0.5 * square) * (points[table].mean(axis=1)[:, 2] < 0)
        errors.append(lift_of(points, table, cp, "cells", 0.0).drag / exact - 1)

    assert np.log2(errors[0] / errors[1]) > 1.9
    assert abs(errors[1]) < 1.5e-3


def test_the_drag_is_of_the_lift_across_the_stream():
    """Turned by 60 degrees with its stream about the span, a wing has the same."""
    points, table = elliptic_wing()
    cp = 0.5 * (points[table].mean(axis=1)[:, 2] < 0)
    c, s = np.cos(np.pi / 3), np.sin(np.pi / 3)
    turned = points @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])

    found = lift_of(turned, table, cp, "cells", 60.0)

    flat = lift_of(points, table, cp, "cells", 0.0)
    assert found.drag == pytest.approx(flat.drag, rel=1e-6)
    assert found.bending == pytest.approx(flat.bending, rel=1e-6)


def test_walls_between_planes_of_symmetry_and_across_the_span_shed_no_wake():
    points, table = elliptic_wing(half=True, stations=21)
    closed = points.copy()
    kept = table[(points[table, 1] < 2.9).all(axis=1)]  # open at its tip too
    assert lift_of(points, kept, np.zeros(len(points)), "points", 0.0) is None
    closed[:, 1] = 0.0
    assert lift_of(closed, table, np.zeros(len(points)), "points", 0.0) is None
    assert lift_of(points, table[:0], np.zeros(len(points)), "points", 0.0) is None
