"""Loads along the span where each face has one pressure: beside sections and sums of faces."""

from itertools import pairwise

import numpy as np
import pytest
from kinemesh.results.bands import Bands
from kinemesh.results.sections import Span, sections

OPEN = (False, False)


def tube(y, shape=lambda y: np.ones_like(y), around=12):
    """Elliptic sections at places y, each triangle with its neighbour a face of four corners.

    Area vectors point inwards.
    """
    turn, chord = 2 * np.pi * np.arange(around) / around, shape(np.asarray(y))[:, None]
    x, z = chord * 0.5 * np.cos(turn) + 0.4 * np.asarray(y)[:, None], chord * 0.1 * np.sin(turn)
    points = np.stack([x, np.repeat(np.asarray(y)[:, None], around, 1), z], axis=2).reshape(-1, 3)
    at = np.arange(len(points)).reshape(len(y), around)
    a, b = at[:-1], at[1:]
    c, d = np.roll(b, -1, 1), np.roll(a, -1, 1)
    return points, np.concatenate([np.stack([a, c, b], -1), np.stack([a, d, c], -1)]).reshape(-1, 3)


def forces(points, triangles, cp):
    """(t, 3) force along x and z and moment nose-up about the origin, at centroids."""
    corner = points[triangles]
    force = 0.5 * cp[:, None] * np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    middle = corner.mean(axis=1)
    moment = middle[:, 2] * force[:, 0] - middle[:, 0] * force[:, 2]
    return np.stack([force[:, 0], force[:, 2], moment], axis=1)


def density(cut, points, cp):
    """(3,) forces along x and z per span, and their moment about the origin, of a section."""
    x, z = np.moveaxis(cut.at(points)[:, [0, 2]][cut.lines], 2, 0)
    own = cp[cut.rows]
    fx, fz = own * np.diff(z)[:, 0], -own * np.diff(x)[:, 0]
    moment = z.mean(axis=1) * fx - x.mean(axis=1) * fz
    return np.array([fx.sum(), fz.sum(), moment.sum()])


def irregular():
    """Surface whose nodes are in no rows, and pressures of its triangles."""
    draw = np.random.default_rng(3)
    points, triangles = tube(np.linspace(0, 2, 7), lambda y: 1 - 0.3 * y)
    inside = (points[:, 1] > 0) & (points[:, 1] < 2)
    points[inside, 1] += draw.uniform(-0.12, 0.12, inside.sum())
    return points, triangles, draw.uniform(-1, 1, len(triangles))


def test_bands_add_up_to_the_faces():
    points, triangles, cp = irregular()
    bands = Bands.of(points, triangles, OPEN, OPEN)

    found = bands.sums(points, cp)

    assert 3 < len(found) < 20
    np.testing.assert_allclose(found.sum(0), forces(points, triangles, cp).sum(0), atol=1e-14)


def test_walls_that_turn_about_the_stream_keep_their_sum():
    """With the cap of a tip, which no section cuts and which then faces up."""
    points, triangles, cp = irregular()
    tip = np.flatnonzero(points[:, 1] == 2)
    cap = np.stack([np.full(len(tip) - 2, tip[0]), tip[2:], tip[1:-1]], axis=1)
    triangles, cp = np.concatenate([triangles, cap]), np.append(cp, np.full(len(cap), 0.7))
    bands = Bands.of(points, triangles, OPEN, OPEN)
    c, s = np.cos(0.4), np.sin(0.4)

    turned = points @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
    found = bands.sums(turned, cp).sum(axis=0)

    np.testing.assert_allclose(found, forces(turned, triangles, cp).sum(axis=0), atol=1e-14)


def test_a_band_has_what_sections_within_it_add_up_to():
    """Between two nodes a section's force is linear along the span, its moment a parabola."""
    points, triangles, cp = irregular()
    span, bands = Span.of(points, triangles), Bands.of(points, triangles, OPEN, OPEN)
    nodes = np.unique(points[:, 1])
    want = np.zeros((len(bands.ends) - 1, 3))
    for low, high in pairwise(nodes):
        inner = low + (high - low) * (0.5 + 0.5 * np.sqrt(0.6) * np.array([-1, 0, 1]))  # Gauss
        each = sections(points, triangles, [span.eta(y) for y in inner], span)
        band = np.searchsorted(bands.ends, inner[1]) - 1
        for cut, weight in zip(each, (5 / 18, 8 / 18, 5 / 18), strict=True):
            want[band] += weight * (high - low) * density(cut, points, cp)

    np.testing.assert_allclose(bands.sums(points, cp), want, atol=1e-13)


@pytest.mark.parametrize("ends", [[0, 2], [0, 0.3, 2], np.linspace(0, 2, 9) ** 2 / 2])
@pytest.mark.parametrize("even", [(True, True), (True, False)])
def test_sections_of_an_even_load_are_all_alike(ends, even):
    """An extruded surface has one load all along, on rows of any height."""
    points, triangles = tube(ends)
    points[:, 0] -= 0.4 * points[:, 1]
    cp = np.tile(np.random.default_rng(0).uniform(-1, 1, 12), len(triangles) // 12)
    bands = Bands.of(points, triangles, even, OPEN)

    found = bands.at(np.linspace(0, 2, 23), bands.sums(points, cp))

    want = forces(points, triangles, cp).sum(axis=0) / 2
    np.testing.assert_allclose(found, np.tile(want, (23, 1)), atol=1e-14)


def test_a_load_that_grows_evenly_along_the_span_has_no_steps():
    """Faces have their means of it; rows twice as high as the one before."""
    rows = np.array([0, 0.1, 0.3, 0.7, 1.5])
    points, triangles = tube(rows)
    centre = np.repeat(0.5 * (rows[1:] + rows[:-1]), 12)
    lift = (points[triangles].mean(axis=1)[:, 2] < 0) * 1.0
    bands = Bands.of(points, triangles, OPEN, OPEN)
    y = np.linspace(0, 1.5, 31)

    found = bands.at(y, bands.sums(points, lift * (1 + np.tile(centre, 2))))[:, 1]

    even = bands.at(y, bands.sums(points, lift))[:, 1]
    np.testing.assert_allclose(found, even * (1 + y), rtol=1e-12)


def test_the_load_is_continuous_and_each_band_keeps_its_sum():
    points, triangles, cp = irregular()
    bands = Bands.of(points, triangles, (True, False), (False, True))
    sums, ends = bands.sums(points, cp), bands.ends

    before, behind = (bands.at(ends[1:-1] + step, sums) for step in (-1e-9, 1e-9))
    low, middle, high = (
        bands.at(ends[:-1] + share * np.diff(ends), sums) for share in (1e-12, 0.5, 1 - 1e-12)
    )

    np.testing.assert_allclose(before, behind, atol=1e-6)
    simpson = (low + 4 * middle + high) / 6 * np.diff(ends)[:, None]
    np.testing.assert_allclose(simpson, sums, atol=1e-9)
    assert (bands.at(ends[-1:], sums) == 0).all()  # walls end in a line
    slope = bands.at(np.array([0, 1e-4]), sums)
    assert np.abs(slope[1] - slope[0]).max() < 1e-6  # of second order at a plane of symmetry


@pytest.mark.parametrize(("off", "third"), [(1e-7, 1.2), (0.23, 1.2), (0.27, 1.07)])
def test_bands_lie_between_rows_of_nodes(off, third):
    """A band is no lower than 0.6 of the faces there, whose height is 0.4."""
    points, triangles = tube(0.4 * np.arange(5))
    points[24 + 3, 1] += off

    found = Bands.of(points, triangles, OPEN, OPEN)

    np.testing.assert_allclose(found.ends, [0, 0.4, 0.8, third, 1.6], atol=1e-15)
