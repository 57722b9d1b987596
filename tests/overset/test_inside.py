"""Places within walls in space: closed walls, walls that end on planes of symmetry, and others."""

import numpy as np
import pytest
from kinemesh.errors import OversetError
from kinemesh.mesh.pieces import triangles_of
from kinemesh.overset.inside import OWN, Mirror, crosses, inside_of
from overset_brute_space import winding
from overset_parts import ball

RADII = (0.5, 0.7)


def walls(half=False):
    """Places and triangles of the wall of a ball, out of the fluid."""
    mesh = ball(RADII, half=half)
    return mesh.points, triangles_of(mesh.boundaries["wall"])


def within(made, places):
    """Mask of places within walls, as the kernel finds it."""
    at = (places - made.box[0]) * made.box[1]
    there = ((at >= 0) & (at < made.across)).all(axis=1)
    place = np.where(there[:, None], np.floor(at), 0).astype(int)
    bin_ = (place[:, 2] * made.across[1] + place[:, 1]) * made.across[0] + place[:, 0]
    first, code = made.bins[bin_].T
    pair = np.repeat(np.arange(len(places)), code // 2)
    entry = np.arange(len(pair)) - np.repeat(np.cumsum(code // 2) - code // 2, code // 2)
    facet = made.facets[made.listed[first[pair] + entry]]
    own = made.box[0] + (place + OWN) / made.box[1]
    crossed = crosses(made.points, facet, places[pair], own[pair])
    odd = np.bincount(pair, crossed, len(places)).astype(int) & 1
    return there & ((code & 1) ^ odd == 1)


def somewhere(count, low=-0.6):
    rng = np.random.default_rng(1)
    return rng.uniform((-0.6, low, -0.6), 0.6, (count, 3))


def test_places_within_a_ball_are_those_that_its_facets_turn_round():
    points, facets = walls()
    places = somewhere(2000)
    made = inside_of(points, facets, [], "ball")
    turns = winding(points, facets, places)
    assert 200 < (np.abs(turns) > 0.5).sum() < 1800
    np.testing.assert_array_equal(within(made, places), np.abs(turns) > 0.5)


def test_half_a_ball_is_closed_by_its_plane_of_symmetry():
    points, facets = walls(half=True)
    places = somewhere(2000, low=0.0)
    places[:50, 1] = 0.0  # on the plane
    mirror = Mirror(np.array([0.0, -1.0, 0.0]), points[:, 1] == 0)
    made = inside_of(points, facets, [mirror], "ball")
    turns = winding(points, facets, places) + winding(points, facets, places * [1, -1, 1])
    np.testing.assert_array_equal(within(made, places), np.abs(turns) > 0.5)


def test_several_bodies_of_a_part_are_within_its_walls():
    points, facets = walls()
    shift = np.array([1.3, 0.0, 0.1])
    both = np.concatenate([points, points + shift])
    made = inside_of(both, np.concatenate([facets, facets + len(points)]), [], "pair")
    places = somewhere(500)
    expected = np.abs(winding(points, facets, places)) > 0.5
    np.testing.assert_array_equal(within(made, places), expected)
    np.testing.assert_array_equal(within(made, places + shift), expected)


def test_a_part_without_walls_has_nothing_within():
    assert not inside_of(np.zeros((0, 3)), np.zeros((0, 3), int), [], "back").across.any()


def test_walls_of_a_background_that_end_at_its_far_field_have_nothing_within():
    points, facets = walls()
    ground = np.array([(-9, -9, -2), (9, -9, -2), (9, 9, -2)], float)
    both = np.concatenate([points, ground])
    every = np.concatenate([facets, [[len(points) + k for k in range(3)]]])
    made = inside_of(both, every, [], "back", ends=True)
    assert len(made.facets) == len(facets)
    places = somewhere(500)
    expected = np.abs(winding(points, facets, places)) > 0.5
    np.testing.assert_array_equal(within(made, places), expected)


def test_walls_that_end_in_the_fluid_are_refused_by_place():
    points, facets = walls()
    with pytest.raises(OversetError, match=r"part 'ball': its walls end between \(.*\) and \(.*\)"):
        inside_of(points, facets[1:], [], "ball")


@pytest.mark.parametrize("third", [True, False])
def test_walls_from_plane_to_plane_are_closed_and_those_on_a_third_refused(third):
    """A square bar between y = 0 and 1, or the half of it above z = 0."""
    ring = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float) * 0.5
    ends = [np.insert(ring, 1, y, axis=1) for y in (0.0, 1.0)]
    points = np.concatenate(ends)
    sides = [(k, (k + 1) % 4) for k in range(4)]
    if third:
        points[points[:, 2] < 0, 2] = 0.0
        sides = sides[1:]
    quads = np.array([(a, b, b + 4, a + 4) for a, b in sides])
    facets = triangles_of(quads)
    planes = [Mirror(np.array([0.0, s, 0.0]), points[:, 1] == y) for s, y in ((-1, 0), (1, 1))]
    planes += [Mirror(np.array([0.0, 0.0, -1.0]), points[:, 2] == 0)] if third else []
    if third:
        with pytest.raises(OversetError, match="planes of symmetry that face each other"):
            inside_of(points, facets, planes, "bar")
        return
    made = inside_of(points, facets, planes, "bar")
    places = somewhere(400, low=0.0) * [1.5, 1.6, 1.5]
    expected = (np.abs(places[:, [0, 2]]) < 0.5).all(axis=1)
    np.testing.assert_array_equal(within(made, places), expected)
