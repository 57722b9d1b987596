"""Clouds from bare points: near, all around, in sight; what cannot be made is named."""

import warnings

import numpy as np
import pytest
from clouds import pairs_of
from kinemesh.cloud import Cloud, airfoil
from kinemesh.cloud.fans import Fan3
from kinemesh.cloud.satellites import centres
from kinemesh.cloud.visibility import Walls
from kinemesh.errors import CloudError
from kinemesh.mesh.geometry.crossing import edges_crossed
from kinemesh.mesh.geometry.curves import area, first_crossing, inside
from test_cloud_core import assert_exact_for_linear_fields

pytestmark = pytest.mark.no_sanitizer

SHARES = np.linspace(0.0, 1.0, 41)[1:-1]


def lattice(side=11):
    """Points of a square lattice and its rim, counter-clockwise."""
    line = np.linspace(0.0, 1.0, side)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    n = np.arange(side * side).reshape(side, side)
    rim = np.concatenate([n[0, :], n[1:, -1], n[-1, -2::-1], n[-2:0:-1, 0]])
    return points, rim


def plate_between_points():
    """A plate of 0.004 thickness in a lattice of spacing 0.05, its points shaken by a third."""
    points, rim = lattice(21)
    inner = np.ones(len(points), bool)
    inner[rim] = False
    shake = np.random.default_rng(1).uniform(-0.017, 0.017, points.shape)
    points = points + inner[:, None] * shake
    x = np.linspace(0.3, 0.7, 11)
    upper = np.stack([x, np.full_like(x, 0.527)], axis=1)
    plate = np.concatenate([upper, upper[::-1] - [0, 0.004]])
    far = np.abs(points[:, None] - plate).max(axis=2).min(axis=1) > 0.005
    far &= ~((np.abs(points[:, 1] - 0.525) < 0.004) & (np.abs(points[:, 0] - 0.5) < 0.21))
    keep = np.cumsum(far) - 1
    points, rim = points[far], keep[rim]
    body = np.arange(len(plate)) + len(points)
    return np.concatenate([points, plate]), {"rim": rim, "plate": body}


def lines(cloud):
    """Points along every line between satellites, (pairs x shares, d)."""
    a, b = pairs_of(cloud.offsets, cloud.satellites).T
    start, arm = cloud.points[a], cloud.points[b] - cloud.points[a]
    return (start[:, None] + SHARES[:, None] * arm[:, None]).reshape(-1, cloud.points.shape[1])


def widest_gap(cloud):
    """(n,) largest angle between neighbouring satellites [rad]."""
    arm = cloud.points[cloud.satellites] - cloud.points[centres(cloud.offsets)]
    angle = np.arctan2(arm[:, 1], arm[:, 0])
    gaps = []
    for a, b in zip(cloud.offsets[:-1], cloud.offsets[1:], strict=True):
        turn = np.sort(angle[a:b])
        gaps.append(np.diff(turn, append=turn[0] + 2 * np.pi).max())
    return np.array(gaps)


def test_a_lattice_gets_its_eight_neighbours():
    points, rim = lattice()

    cloud = Cloud.from_points(points, {"rim": rim})

    inner = ~np.isin(np.arange(len(points)), rim)
    assert (np.diff(cloud.offsets)[inner] == 8).all()
    assert np.diff(cloud.offsets)[rim].min() >= 3
    assert_exact_for_linear_fields(cloud)


def test_no_satellite_lies_behind_a_thin_plate():
    points, boundaries = plate_between_points()

    cloud = Cloud.from_points(points, boundaries)

    plate = points[boundaries["plate"]]
    middle = plate.mean(axis=0)
    assert not inside(lines(cloud), middle + (plate - middle) * (1 - 1e-9)).any()
    y = points[:, 1]
    a, b = pairs_of(cloud.offsets, cloud.satellites).T
    across = (np.minimum(y[a], y[b]) < 0.523) & (np.maximum(y[a], y[b]) > 0.527)
    share = (0.525 - y[a]) / np.where(y[a] == y[b], 1.0, y[b] - y[a])
    at = points[a, 0] + share * (points[b, 0] - points[a, 0])
    assert not (across & (at > 0.3) & (at < 0.7)).any()
    assert across.sum() > 20  # beside the plate
    assert_exact_for_linear_fields(cloud)


def test_points_off_the_boundaries_are_surrounded():
    points, boundaries = plate_between_points()

    cloud = Cloud.from_points(points, boundaries)

    inner = ~np.isin(np.arange(len(points)), np.concatenate(list(boundaries.values())))
    assert widest_gap(cloud)[inner].max() < np.pi
    assert 7.5 < np.diff(cloud.offsets)[inner].mean() < 10.0


def test_nothing_reaches_through_a_sharp_trailing_edge():
    made = airfoil(points=3_000)
    boundaries = {name: edges[:, 0] for name, edges in made.boundaries.items()}

    cloud = Cloud.from_points(made.points, boundaries)

    wall = made.points[boundaries["airfoil"]]
    along = lines(cloud)
    near = along[np.abs(along - [1.0, 0.0]).max(axis=1) < 0.05]
    depth = np.interp(near[:, 0], *wall[(wall[:, 1] >= 0)][np.argsort(wall[wall[:, 1] >= 0, 0])].T)
    assert len(near) > 1000
    assert not ((np.abs(near[:, 1]) < depth - 1e-12) & (near[:, 0] < 1.0)).any()
    edge = int(np.argmax(wall[:, 0]))
    assert widest_gap(cloud)[boundaries["airfoil"][edge]] < np.pi
    assert_exact_for_linear_fields(cloud)


@pytest.mark.parametrize("turned", [False, True])
def test_normals_turn_a_boundary_whichever_way_it_is_listed(turned):
    points, rim = lattice()
    rim = rim[::-1] if turned else rim
    normal = np.array([0.5, 0.5]) - points[rim]
    normal /= np.linalg.norm(normal, axis=1)[:, None]

    cloud = Cloud.from_points(points, {"rim": rim}, {"rim": normal})

    assert area(points[cloud.boundaries["rim"][:, 0]]) * (1 - 2 * turned) > 0
    a, b = (points[cloud.boundaries["rim"][:, k]] for k in (0, 1))
    assert np.sum(a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1]) == pytest.approx(2.0)


def half_normals():
    points, rim = lattice()
    normal = np.zeros((len(rim), 2))
    normal[:, 0] = 1.0
    return {"points": points, "boundaries": {"rim": rim}, "normals": {"rim": normal}}


POINTS, RIM = lattice()
WELL = {"points": POINTS, "boundaries": {"rim": RIM}}
HOLE = np.array([35, 36, 37, 48, 59, 58, 57, 46])  # around point 47 of the lattice
BAD = {
    "twins": (
        WELL | {"points": np.where(np.arange(121)[:, None] == 60, POINTS[61], POINTS)},
        r"points 60 and 61 are both at \(0\.6, 0\.5\)",
    ),
    "inside a wall": (
        WELL | {"boundaries": {"rim": RIM, "hole": HOLE}},
        r"point 47 at \(0\.3, 0\.4\) is behind boundary 'hole'.*1 such",
    ),
    "outside": (
        WELL | {"points": np.vstack([POINTS, [2.0, 0.5]])},
        r"point 121 at \(2, 0\.5\) is behind boundary 'rim'",
    ),
    "not surrounded": (
        {"points": np.vstack([POINTS, [2.0, 0.5]]), "boundaries": {}},
        r"point 0 at \(0, 0\).*satellites on every side of the fluid",
    ),
    "twice": (WELL | {"boundaries": {"rim": [*RIM, 0]}}, r"lists 41 points, 40 different ones"),
    "touching": (
        WELL | {"boundaries": {"rim": RIM, "hole": [0, 12, 13]}},
        r"point 0 has two boundary edges",
    ),
    "no mapping": (WELL | {"boundaries": RIM}, r"expected points by name"),
    "mixed normals": (half_normals(), r"normals point to the right of \S+ of its edges"),
    "long normals": (
        WELL | {"normals": {"rim": np.full((40, 2), 1.0)}},
        r"that of point 0 has length 1\.41421, expected unit vectors",
    ),
    "few normals": (
        WELL | {"normals": {"rim": np.full((4, 2), 1.0)}},
        r"normals of 'rim' has shape \(4, 2\), expected \(40, 2\)",
    ),
    "nothing but a boundary": (
        {"points": POINTS[[0, 10, 120]], "boundaries": {"rim": [0, 1, 2]}},
        r"boundary 'rim' has every point of the cloud, expected .* give its normals",
    ),
    "unknown normals": (WELL | {"normals": {"wall": []}}, r"normals of 'wall', expected names"),
}


@pytest.mark.parametrize(("given", "message"), BAD.values(), ids=BAD)
def test_wrong_bare_points_are_refused_with_what_is_wrong(given, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(CloudError, match=message):
            Cloud.from_points(**given)


def test_normals_tell_the_side_where_a_boundary_has_every_point():
    points = POINTS[[0, 10, 120]]
    normal = points.mean(axis=0) - points
    normal /= np.linalg.norm(normal, axis=1)[:, None]

    cloud = Cloud.from_points(points, {"rim": [0, 2, 1]}, {"rim": normal[[0, 2, 1]]})

    a, b = (points[cloud.boundaries["rim"][:, k]] for k in (0, 1))
    assert np.sum(a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1]) == pytest.approx(1.0)


def test_a_corner_looks_beyond_its_own_walls():
    """Its 20 nearest points lie along the two walls; only farther ones are in the fluid."""
    side = np.linspace(0.0, 0.9, 36, endpoint=False)
    zero, full = np.zeros(36), np.full(36, 0.9)
    body = np.concatenate(
        [np.stack(pair, axis=1) for pair in ((side, zero), (full, side), (0.9 - side, full))]
        + [np.stack([zero, 0.9 - side], axis=1)]
    )
    line = np.linspace(-1.05, 1.95, 11)
    field = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    n = np.arange(121).reshape(11, 11)
    rim = np.concatenate([n[0, :], n[1:, -1], n[-1, -2::-1], n[-2:0:-1, 0]])
    outside = ~((field > -0.01) & (field < 0.91)).all(axis=1)
    number = np.cumsum(outside) - 1
    points = np.concatenate([field[outside], body])

    cloud = Cloud.from_points(points, {"rim": number[rim], "body": outside.sum() + np.arange(144)})

    for corner in outside.sum() + 36 * np.arange(4):
        own = cloud.satellites[cloud.offsets[corner] : cloud.offsets[corner + 1]]
        assert (own < outside.sum()).sum() >= 2


def test_a_long_facet_hides_what_is_behind_its_end():
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.01, -0.01], [0.01, 0.01], [-0.01, 0.01]])
    walls = Walls(points, np.array([[1, 0], [2, 1], [3, 2], [0, 3]], np.int32))
    a, b = np.array([[4, 5], [4, 6], [5, 6], [0, 4], [0, 2], [4, 1]], np.int32).T

    # through an edge; through the corner, which touches; through another edge; free; through
    # the body from its corner; free
    assert walls.hidden(a, b).tolist() == [True, True, True, False, True, False]


DIRECTIONS = np.random.default_rng(5).normal(size=(400, 3))


@pytest.mark.parametrize("outwards", [True, False], ids=["box", "room"])
@pytest.mark.parametrize("place", [(0, 0, 0), (0.5, 0, 0), (0.5, 0.5, 0)])
def test_directions_into_the_fluid_at_corner_edge_and_side(outwards, place):
    points, triangles = faces((0, 0, 0), (1, 1, 1), (2, 2, 2))
    fan = Fan3(points, triangles[:, ::-1] if outwards else triangles)
    centre = np.flatnonzero((points == place).all(axis=1)).astype(np.int32)

    inside_box = ((DIRECTIONS > 0) | (np.array(place) > 0)).all(axis=1)
    assert (fan.open(centre, DIRECTIONS[None])[0] == (inside_box != outwards)).all()


def faces(low, high, counts):
    """Points and outward triangles of a box's surface, a lattice of counts + 1 on each axis."""
    axes = [np.linspace(a, b, n + 1) for a, b, n in zip(low, high, counts, strict=True)]
    corners, triangles = [], []
    for axis in range(3):
        u, v = [(1, 2), (2, 0), (0, 1)][axis]
        for end, place in ((0, low[axis]), (1, high[axis])):
            grid = np.zeros((counts[u] + 1, counts[v] + 1, 3))
            grid[..., axis] = place
            grid[..., u] = axes[u][:, None]
            grid[..., v] = axes[v]
            n = np.arange(grid[..., 0].size).reshape(grid.shape[:2]) + sum(map(len, corners))
            a, b, c, d = n[:-1, :-1], n[1:, :-1], n[1:, 1:], n[:-1, 1:]
            both = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
            triangles.append(both if end else both[:, ::-1])
            corners.append(grid.reshape(-1, 3))
    points, place = np.unique(np.concatenate(corners).round(12), axis=0, return_inverse=True)
    return points, place.ravel()[np.concatenate(triangles)]


def test_in_space_no_satellite_lies_behind_a_thin_plate():
    outer, far = faces((0, 0, 0), (4, 4, 4), (8, 8, 8))
    plate, wall = faces((1, 1, 1.98), (3, 3, 2.02), (8, 8, 1))
    line = np.arange(0.5, 3.9, 0.5)
    inner = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    inner[:, 2] += 0.25
    inner = inner[inner[:, 2] < 3.6]
    inner += np.random.default_rng(2).uniform(-0.1, 0.1, inner.shape)
    points = np.concatenate([outer, plate, inner])

    cloud = Cloud.from_points(points, {"far": far, "plate": wall[:, ::-1] + len(outer)})

    along = lines(cloud)
    assert not (np.abs(along - [2, 2, 2]) < np.array([1, 1, 0.02]) - 1e-9).all(axis=1).any()
    a, b = pairs_of(cloud.offsets, cloud.satellites).T
    z = points[:, 2] - 2.0
    across = z[a] * z[b] < 0
    a, b = a[across], b[across]
    share = z[a] / (z[a] - z[b])
    at = points[a] + share[:, None] * (points[b] - points[a])
    assert not (np.abs(at[:, :2] - 2) < 1 - 1e-9).all(axis=1).any()
    assert len(at) > 50
    pairs = {tuple(pair) for pair in pairs_of(cloud.offsets, cloud.satellites).tolist()}
    sides = np.sort(cloud.boundaries["far"][:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2), axis=1)
    assert {tuple(side) for side in sides.tolist()} <= pairs
    assert 12 < np.diff(cloud.offsets)[len(outer) + len(plate) :].mean() < 19
    assert_exact_for_linear_fields(cloud)


def test_in_space_the_same_points_without_the_plate_see_each_other():
    outer, far = faces((0, 0, 0), (4, 4, 4), (8, 8, 8))
    line = np.arange(0.5, 3.9, 0.5)
    inner = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    points = np.concatenate([outer, inner])

    cloud = Cloud.from_points(points, {"far": far})

    # a cubic lattice: 6 neighbours along the axes and 8 across the cubes
    middle = (np.abs(points - 2) < 1.1).all(axis=1)
    assert (np.diff(cloud.offsets)[middle] == 14).all()


def test_curves_know_what_they_contain_and_where_they_cross():
    rng = np.random.default_rng(3)
    curve = np.array([[0, 0], [4, 0], [4, 3], [2, 1], [0, 3]], float)  # a concave house
    points = rng.uniform(-1, 5, (2000, 2))
    x, y = points.T
    expected = (x > 0) & (x < 4) & (y > 0) & (y < 1 + np.abs(x - 2))

    np.testing.assert_array_equal(inside(points, curve), expected)
    assert area(curve) == 8.0
    assert first_crossing(curve) is None
    assert first_crossing(np.array([[0, 0], [1, 1], [1, 0], [0, 1.0]])) == (0, 2)
    assert first_crossing(curve, curve + 0.5) == (1, 0)
    assert first_crossing(curve, curve + 9) is None


def test_edges_on_one_line_meet_where_they_overlap():
    a, b = np.zeros((4, 2)), np.tile([1.0, 0.0], (4, 1))
    p, q = np.zeros((4, 2)), np.zeros((4, 2))
    p[:, 0], q[:, 0] = [0.5, 1.0, 1.5, -1.0], [2.0, 2.0, 2.0, 2.0]

    assert edges_crossed(a, b, p, q).tolist() == [True, True, False, True]
