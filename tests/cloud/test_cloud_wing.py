"""Clouds about wings: planform, closed boundaries, two colours, nothing through the wing."""

import itertools

import numpy as np
import pytest
from clouds import pairs_of
from kinemesh import cloud
from kinemesh.cloud import wing
from kinemesh.cloud.checks import area_vectors
from kinemesh.errors import CloudError
from kinemesh.mesh import section
from kinemesh.mesh.generate.wings import planform
from kinemesh.mesh.generate.wings.elliptic import rings
from kinemesh.mesh.generate.wings.outline import Outline
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from solver_cases import oneram6
from test_cloud_bare import SHARES
from test_cloud_core import assert_exact_for_linear_fields

pytestmark = pytest.mark.no_sanitizer

SPAN, TAPER, SLOPE = 1.47601798, 455.914 / 810.491, np.tan(np.radians(29.999))


@pytest.fixture(scope="module")
def regular():
    return oneram6(points=40_000)


@pytest.fixture(scope="module")
def irregular():
    return oneram6(points=40_000, irregular=True)


def colours(cloud):
    """Two colours by the parity of the distance from the first point."""
    a, b = pairs_of(cloud.offsets, cloud.satellites).T
    n = len(cloud.points)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(n, n)).tocsr()
    return dijkstra(graph, directed=False, indices=0, unweighted=True).astype(int) % 2


def test_the_regular_cloud_has_two_colours_and_six_satellites(regular):
    colour = colours(regular)
    a, b = pairs_of(regular.offsets, regular.satellites).T

    assert (colour[a] != colour[b]).all()
    assert abs(np.bincount(colour)[0] / len(colour) - 0.5) < 0.01
    count = np.bincount(np.diff(regular.offsets))
    assert count[6] > 0.85 * len(colour)
    assert len(count) == 8  # seven beside the edge: it has two above and below


def test_the_irregular_cloud_has_fourteen_satellites_on_average(irregular, regular):
    count = np.diff(irregular.offsets)

    assert 13 < count.mean() < 14.5
    assert count.max() - count.min() > 12
    same = (irregular.points == regular.points).all(axis=1)
    assert 0.05 < same.mean() < 0.25  # boundaries and the line beyond the tip stay
    for name, facets in regular.boundaries.items():
        assert same[facets].all(), name


@pytest.mark.parametrize("points", [40_000, 100_000])
def test_wings_have_the_points_asked_for(points, regular):
    cloud = regular if points == 40_000 else oneram6(points=points)

    assert abs(len(cloud.points) / points - 1) < 0.03


def test_chance_is_that_of_the_seed():
    one, two, other = (cloud.oneram6(points=20_000, irregular=True, seed=k) for k in (1, 1, 2))

    np.testing.assert_array_equal(one.points, two.points)
    np.testing.assert_array_equal(one.satellites, two.satellites)
    assert (one.points != other.points).any()
    assert not np.array_equal(one.satellites, other.satellites)


@pytest.mark.parametrize("kind", ["regular", "irregular"])
def test_wing_clouds_fit_linear_fields(kind, request):
    assert_exact_for_linear_fields(request.getfixturevalue(kind))


def test_the_boundaries_close_around_the_fluid(regular):
    facets = np.concatenate(list(regular.boundaries.values()))
    sides = np.concatenate([facets[:, [0, 1]], facets[:, [1, 2]], facets[:, [2, 0]]])
    there = {tuple(side) for side in sides.tolist()}

    assert len(there) == len(sides)
    assert all((b, a) in there for a, b in there)
    area = area_vectors(regular.points, facets)
    assert np.abs(area.sum(axis=0)).max() < 1e-12 * np.linalg.norm(area, axis=1).sum()
    volume = (area * regular.points[facets].mean(axis=1)).sum() / 3
    height = regular.points[:, 1].max()
    assert volume == pytest.approx(np.pi * 20**2 * height, rel=0.01)  # a polygon's for a circle's


def test_the_symmetry_plane_and_the_far_field_are_where_they_belong(regular):
    plane = regular.points[regular.boundaries["symmetry"]]
    far = regular.points[regular.boundaries["farfield"]].reshape(-1, 3)

    assert (plane[..., 1] == 0).all()
    assert (area_vectors(regular.points, regular.boundaries["symmetry"])[:, 1] < 0).all()
    middle = 0.25 + 0.25 * (SLOPE * SPAN + TAPER)
    radius = np.hypot(far[:, 0] - middle, far[:, 2])
    assert (np.isclose(radius, 20) | (far[:, 1] == far[:, 1].max())).all()
    assert far[:, 1].max() == pytest.approx(SPAN + 10, rel=0.01)


def test_the_m6_has_its_planform(regular):
    facets = regular.boundaries["wing"]
    wall = regular.points[facets].reshape(-1, 3)
    tip = wall[np.isclose(wall[:, 1], SPAN)]
    cap = wall[:, 1].max() - SPAN

    # half the projections of both sides; the cap goes on with the tip's chord
    plan = 0.5 * np.abs(area_vectors(regular.points, facets)[:, 2]).sum()
    assert plan == pytest.approx(1.15315084 + cap * TAPER, rel=1e-4)
    assert cap == pytest.approx(0.6 * TAPER * 0.0489, rel=0.01)
    assert tip[:, 0].min() == pytest.approx(SLOPE * SPAN, rel=1e-9)
    swept = 1 + SPAN * np.tan(np.radians(15.692))
    assert tip[:, 0].max() == pytest.approx(swept, abs=1e-4)
    assert wall[wall[:, 1] == 0, 2].max() == pytest.approx(0.0489, abs=5e-4)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["regular", "irregular"])
def test_no_satellite_lies_behind_the_wing(kind, request):
    cloud = request.getfixturevalue(kind)
    on = np.zeros(len(cloud.points), bool)
    on[cloud.boundaries["wing"]] = True
    a, b = pairs_of(cloud.offsets, cloud.satellites).T
    a, b = (end[~(on[a] & on[b])] for end in (a, b))  # edges along the wall are chords of it
    line = cloud.points[a][:, None] + SHARES[:, None] * (cloud.points[b] - cloud.points[a])[:, None]
    x, y, z = line.reshape(-1, 3)[np.abs(line.reshape(-1, 3)[:, 1] - 0.5 * SPAN) < 0.5 * SPAN].T

    chord = 1 - (1 - TAPER) * y / SPAN
    share = (x - SLOPE * y) / chord
    shape = section("oneram6").points(np.linspace(0, 0.5, 2001))
    half = np.interp(share, *shape[::-1].T, left=0, right=0)
    assert not (np.abs(z) < 0.97 * chord * half).any()
    assert ((np.abs(z) < 0.05) & (np.abs(share - 0.5) < 0.4)).sum() > 10_000


def test_lines_never_fold():
    """The corner volumes of all cells, over their edges: none negative, flat ones at the slit."""
    base = rings(section("oneram6"), 70, 22, 20.0)
    plan = Outline.tapered(SPAN, TAPER, SLOPE)._replace(cap=0.6 * TAPER * base.half_thickness)
    place = planform.place([base, base], plan, *planform.stations(plan, 33, 20.0), 20.0)
    closed = np.concatenate([place, place[:, :, :1]], axis=2)

    ends = [(slice(None, -1), slice(1, None)), (slice(1, None), slice(None, -1))]
    for s, j, i in itertools.product(ends, repeat=3):
        corner = closed[s[0], j[0], i[0]]
        arms = [
            closed[at] - corner
            for at in ((s[0], j[0], i[1]), (s[0], j[1], i[0]), (s[1], j[0], i[0]))
        ]
        sign = np.prod([1 if e is ends[0] else -1 for e in (s, j, i)])
        volume = sign * np.einsum("...d,...d", np.cross(arms[0], arms[1]), arms[2])
        size = np.prod([np.linalg.norm(arm, axis=-1) for arm in arms], axis=0)
        fine = size > 0
        assert (volume[fine] / size[fine]).min() > -1e-12


@pytest.mark.parametrize("name", ["naca4412", "naca2424"])
def test_cambered_wings_keep_their_section(name):
    cloud = wing(name, points=20_000, span=2.0, taper=0.5, sweep_deg=20)

    wall = cloud.points[np.unique(cloud.boundaries["wing"])]
    root = wall[wall[:, 1] == 0][:, [0, 2]]
    curve = section(name).points(np.linspace(0, 1, 20_001))
    away = np.abs(root[:, None] - curve[None, ::10]).sum(axis=2).min(axis=1)
    assert away.max() < 2e-3  # half the distance of the samples


ZERO = r"wing: span = 0\.0, expected 0\.1 to 50; a half wing needs a span"
BAD = {
    "no span": ({"span": 0.0}, ZERO),
    "negative span": ({"span": -1.0}, r"wing: span = -1\.0, expected 0\.1 to 50"),
    "span of nan": ({"span": float("nan")}, r"wing: span = nan, expected 0\.1 to 50"),
    "no taper": ({"taper": 0}, r"wing: taper = 0, expected 0\.1 to 2"),
    "sweep": ({"sweep_deg": 90.0}, r"sweep_deg = 90\.0, expected -60 to 70"),
    "near": ({"far_field": 5.0, "span": 4.0}, r"far_field = 5, but the wing reaches 5 from"),
    "shake": (
        {"shake": 0.5, "irregular": True},
        r"shake = 0\.5, expected 0 to 0\.3; more turns points round",
    ),
    "one too few": ({"points": 19_999}, r"points = 19999, expected a whole number of 20000 to"),
    "few": ({"points": 100}, r"points = 100, expected a whole number of 20000 to 20000000"),
    "half": ({"points": 3e5}, r"points = 300000\.0, expected a whole number of 20000 to 2"),
    "blunt": ({"trailing_edge": "open"}, r"trailing_edge = 'open', expected closed or sharp"),
    "blunt section": (
        {"section": section("naca0012", "open")},
        r"section 'naca0012' has a trailing edge of 0\.00252, expected a closed or sharp one",
    ),
    "neither": ({"irregular": "no"}, "irregular = 'no', expected True or False"),
    "seed": ({"seed": 3}, "seed = 3 has no effect without irregular=True"),
    "no shake": ({"shake": 0.1}, r"shake = 0\.1 has no effect without irregular=True"),
    "text": ({"tip": "round"}, r"tip = 'round', expected 0\.1 to 2"),
}


@pytest.mark.parametrize(("given", "message"), BAD.values(), ids=BAD)
def test_wrong_wings_are_refused_with_what_is_wrong(given, message):
    with pytest.raises(CloudError, match=message):
        wing(**given)


def test_the_m6_has_one_planform():
    with pytest.raises(
        CloudError, match=r"oneram6: span = .*that of the ONERA M6 is .*make another wing"
    ):
        oneram6(span=2.0)
