"""Chords of sections and walls whose corners are tied but for rounding."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.results.along_walls import along
from kinemesh.results.sections import SectionLoads, Span, ends_of, sections
from kinemesh.study.cuts import section_pressures

RNG = np.random.default_rng(3)
ROUNDING = 1e-15  # of coordinates of 1


def sphere():
    """Points and triangles of a sphere of diameter 1, its area vectors out of the gas."""
    mesh = km.mesh.sphere(nodes=8000)
    quads = mesh.boundaries["sphere"]
    return mesh.points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def blunt(thickness=0.1, base=0.02):
    """Outline (n, 2) of a symmetric section with a blunt base, from its lower corner clockwise."""
    x = 0.5 * (1 + np.cos(np.linspace(0, np.pi, 20)))
    z = thickness * np.sqrt(x) * (1 - x) + 0.5 * base * x
    return np.concatenate([np.stack([x, -z], axis=1), np.stack([x, z], axis=1)[-2::-1]])


def drawn_out(outline, span=2.0, stations=5):
    """Points and triangles of an outline drawn out along y."""
    y, n = np.linspace(0, span, stations), len(outline)
    points = np.array([[x, at, z] for at in y for x, z in outline])
    at = np.arange(n * stations).reshape(stations, n)
    a, b = at[:-1], at[1:]
    c, d = np.roll(b, -1, 1), np.roll(a, -1, 1)
    table = np.concatenate([np.stack([a, c, b], -1), np.stack([a, d, c], -1)]).reshape(-1, 3)
    return points, table


def turned(points, angle_deg):
    """Places (n, 2) turned nose-up."""
    angle = np.radians(angle_deg)
    (c, s), (x, z) = (np.cos(angle), np.sin(angle)), np.asarray(points).T
    return np.stack([c * x + s * z, c * z - s * x], axis=1)


@pytest.mark.parametrize("scale", [1.0, 1e-3, 250.0])
@pytest.mark.parametrize("shift", [0.0, 30.0])
def test_sections_of_a_sphere_have_chords_along_the_stream(scale, shift):
    points, table = sphere()
    places = scale * (points + shift + RNG.uniform(-ROUNDING, ROUNDING, points.shape))
    span = Span.of(places, table)

    for cut in sections(places, table, span.stations(15)[1:-1], span):
        radius = np.sqrt(0.25 - (cut.y / scale - shift) ** 2)
        nose, tail = cut.chord(places) / scale - shift
        # facets of an eighth of a quarter circle lie at most 0.005 within, a side 0.1 off the axis
        np.testing.assert_allclose([nose[1], tail[1]], 0, atol=1e-6)
        assert -nose[0] == pytest.approx(tail[0], abs=1e-6)
        assert radius - 0.03 < tail[0] <= radius + 1e-12


def test_sections_of_a_sphere_have_the_moment_of_their_drag_about_no_point_aside():
    """Pressures that fall downstream pull along x through the middle: no moment."""
    points, table = sphere()

    for cut in sections(points, table, [-0.7, -0.2, 0.0, 0.2, 0.7]):
        found = SectionLoads.of(cut, points, -points[:, 0])

        assert found.load[0] > 0.1
        assert abs(found.moment) < 1e-4 * found.load[0]  # diagonals of quadrilaterals: 4e-5


@pytest.mark.parametrize("angle", [0.0, 4.0, -25.0, 60.0])
@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_the_chord_of_a_blunt_section_ends_in_the_middle_of_its_base(angle, scale):
    own = turned(blunt(), angle)
    for _ in range(6):
        outline = scale * (own + 3.0 + RNG.uniform(-ROUNDING, ROUNDING, own.shape))
        points, table = drawn_out(outline)

        for cut in sections(points, table, [0.0, 0.3, 0.61, 1.0]):
            nose, tail = cut.chord(points) / scale - 3.0
            assert nose == pytest.approx(turned([[0.0, 0.0]], angle)[0], abs=1e-9)
            assert tail == pytest.approx(turned([[1.0, 0.0]], angle)[0], abs=1e-9)


def test_rounding_of_single_precision_does_not_move_a_chord():
    own = turned(blunt(), 4.0).astype(np.float32).astype(float)
    nose, tail = (own[part].mean(axis=0) for part in ends_of(own))

    assert tail == pytest.approx(turned([[1.0, 0.0]], 4.0)[0], abs=1e-6)
    assert nose == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_slender_section_has_its_longest_line_however_little_longer_it_is():
    """Corners that are apart by more than rounding are none of the same line."""
    own = blunt()
    own[0, 0] += 1e-4  # the lower corner of the base

    nose, tail = ends_of(own)

    assert tail.tolist() == [0]
    assert own[nose] == pytest.approx(np.zeros((1, 2)))


def test_the_nose_of_a_plate_across_the_stream_is_its_upper_end():
    z = np.linspace(-0.5, 0.5, 9)
    for seed in range(40):  # of some of which Qhull makes a hull, without an end of the plate
        rounding = np.random.default_rng(seed).uniform(-ROUNDING, ROUNDING, 9)
        nose, tail = ends_of(np.stack([rounding, z], axis=1))

        assert (nose.tolist(), tail.tolist()) == ([8], [0])


def test_a_section_nearly_as_wide_as_long_has_its_chord_along_the_stream():
    """A tall ellipse of 0.9 by 1 from whose facets no longest line follows; one of 0.7 has it."""
    angle = 2 * np.pi * np.arange(40) / 40
    for width, size in ((0.9, [0.9, 0.0]), (0.7, [0.0, -1.0])):
        own = 0.5 * np.stack([width * np.cos(angle), np.sin(angle)], axis=1)
        nose, tail = (own[part].mean(axis=0) for part in ends_of(own))

        assert tail - nose == pytest.approx(size, abs=1e-12)


@pytest.mark.parametrize("parts", [1, 4])
def test_a_closed_wall_begins_behind_its_blunt_base(parts):
    """Clockwise, with the gas on the left, the base comes last, whatever rounding says."""
    base = np.stack([np.ones(parts - 1), np.linspace(0.01, -0.01, parts + 1)[1:-1]], axis=1)
    own = np.concatenate([blunt(), base])
    count = len(own)
    for _ in range(6):
        order = RNG.permutation(count)
        points = np.empty_like(own)
        points[order] = own + RNG.uniform(-ROUNDING, ROUNDING, own.shape)
        walls = np.stack([order, np.roll(order, -1)], axis=1)

        assert along(walls, points).tolist() == order.tolist()


def test_pressures_of_a_cut_stand_over_the_middle_of_a_blunt_nose():
    points, table = drawn_out(blunt() * [-1, 1] + [1, 0.5])
    places = points + RNG.uniform(-ROUNDING, ROUNDING, points.shape)

    cut = section_pressures(places, table, points[:, 0], 0.7)

    assert (cut.z.min(), cut.z.max()) == pytest.approx((-cut.z.max(), cut.z.max()))


@pytest.mark.parametrize("shift", [0.0, 3.598, 1e4])
def test_a_section_that_is_a_point_but_for_rounding_has_no_chord(shift):
    """A double cone from y = 0.7 to 2.7: 1.7 - (2.7 - 1.7) is one digit above 0.7."""
    angle = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)
    base = np.stack([np.cos(angle), 0 * angle + 1.7, np.sin(angle)], axis=1)
    points = np.concatenate([base, [[0.1, 0.7, 0.2], [0.1, 2.7, 0.2]]])
    points += shift * np.array([1.0, 0.0, -0.65])
    low = [[(k + 1) % 8, k, 8] for k in range(8)]
    high = [[k, (k + 1) % 8, 9] for k in range(8)]

    ends = sections(points, np.array(low + high), [-1.0, 1.0])

    assert [len(section.nose) for section in ends] == [0, 0]
    (middle,) = sections(points, np.array(low + high), [0.0])
    nose, tail = middle.chord(points)
    assert (tail - nose)[0] == pytest.approx(2.0)
