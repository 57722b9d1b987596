"""Cuts of a surface: exact for linear pressures, on planes through nodes too."""

import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.study.cuts import section_pressures


def tapered(around=40, stations=9, taper=0.5, sweep=0.4):
    """A half wing of elliptic sections, thickness 0.1, span 2: points, triangles, chord(y).

    Area vectors point into the wing.
    """
    angle = 2 * np.pi * np.arange(around) / around
    y = np.linspace(0, 2, stations)
    chord = 1 - (1 - taper) * y / 2
    x = sweep * y[:, None] + chord[:, None] * 0.5 * (1 + np.cos(angle))
    z = chord[:, None] * 0.05 * np.sin(angle)
    points = np.stack([x, np.repeat(y[:, None], around, 1), z], axis=2).reshape(-1, 3)
    at = np.arange(around * stations).reshape(stations, around)
    a, b = at[:-1], at[1:]
    c, d = np.roll(b, -1, 1), np.roll(a, -1, 1)
    table = np.concatenate([np.stack([a, c, b], -1), np.stack([a, d, c], -1)]).reshape(-1, 3)
    return points, table, lambda s: 1 - (1 - taper) * s / 2


@pytest.mark.parametrize("y", [0.0, 0.13, 0.5, 1.9], ids=["root", "between", "nodes", "tip"])
def test_a_cut_of_a_tapered_wing_is_its_section(y):
    points, table, chord = tapered()
    cp = points @ [0.3, -0.2, 2.0] + 0.1

    cut = section_pressures(points, table, cp, y)

    assert cut.nose == pytest.approx(0.4 * y, abs=1e-12)
    assert cut.chord == pytest.approx(chord(y), rel=1e-12)
    x, z = cut.nose + cut.chord * cut.x, cut.chord * cut.z
    np.testing.assert_allclose(cut.cp, 0.3 * x - 0.2 * y + 2.0 * z + 0.1, atol=1e-12)
    # between nodes a polygon of 40 sides stands for the ellipse
    away = np.hypot(2 * cut.x - 1, cut.z / 0.05)
    assert (np.abs(away - 1) < 1 - np.cos(np.pi / 40) + 1e-12).all()


def test_segments_close_and_know_their_side():
    points, table, _ = tapered()

    cut = section_pressures(points, table, points[:, 2], 0.7)

    assert len(cut.x) == 80  # two triangles for each of 40 sides
    ends = np.round(np.stack([cut.x, cut.z], axis=2).reshape(-1, 2), 9) + 0.0
    _, count = np.unique(ends, axis=0, return_counts=True)
    assert (count == 2).all()
    middle = cut.z.mean(axis=1)
    assert (cut.upper == (middle > 0)).all()


@pytest.mark.parametrize("y", [-0.1, 2.0, 3.0])
def test_a_plane_beside_the_surface_is_refused(y):
    points, table, _ = tapered()

    with pytest.raises(CaseError, match=r"no surface at y = .*, expected from 0 to below 2"):
        section_pressures(points, table, points[:, 0], y)


@pytest.mark.parametrize("y", [0.0, 0.13, 0.5, 1.9])
def test_values_on_diagonals_of_faces_are_left_out(y):
    """cp of the angle round the section alone: a cut along its faces has that of the root."""
    points, table, _ = tapered()
    around = 40
    cp = np.tile(np.cos(3 * np.linspace(0, 2 * np.pi, around, endpoint=False)), 9)
    sides = np.concatenate([table[:, [0, 1]], table[:, [1, 2]], table[:, [2, 0]]])
    far, near = np.divmod(sides, around)
    slanted = (far[:, 0] != far[:, 1]) & (near[:, 0] != near[:, 1])

    whole = section_pressures(points, table, cp, y)
    cut = section_pressures(points, table, cp, y, sides[slanted])

    assert len(cut.x) == len(cut.upper) == around
    assert set(np.round(cut.cp, 9).ravel()) == set(np.round(cp, 9))
    ends = np.round(np.stack([cut.x, cut.z], axis=2).reshape(-1, 2), 9) + 0.0
    _, count = np.unique(ends, axis=0, return_counts=True)
    assert (count == 2).all()  # a closed line all the same
    assert (cut.upper == (cut.z.mean(axis=1) > 0)).all()
    if y in (0.13, 1.9):  # on diagonals cp is off the curve
        assert set(np.round(whole.cp, 9).ravel()) > set(np.round(cp, 9))
