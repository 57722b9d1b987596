"""C-meshes: conforming along the wake, on the section, the same at every size."""

from itertools import pairwise

import numpy as np
import pytest
from kinemesh.cases.build import mesh as case_mesh
from kinemesh.cases.parts import MeshPart
from kinemesh.errors import CaseError, MeshError
from kinemesh.mesh import Section, airfoil, quality, section
from test_mesh_airfoil import nearest_on

pytestmark = pytest.mark.no_sanitizer

EPS = np.finfo(float).eps
NAMES = ("naca0012", "naca2412", "naca4415", "naca64a010")


def c_mesh(name="naca0012", nodes=5000, **options):
    return airfoil(name, nodes, topology="c", **options)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("edge", ["closed", "sharp"])
@pytest.mark.parametrize("nodes", [1500, 5000, 16000])
def test_every_c_mesh_is_sound(name, edge, nodes):
    mesh = c_mesh(name, nodes, far_field=100.0, trailing_edge=edge)

    report = quality(mesh)

    assert abs(mesh.nodes / nodes - 1) < 0.03
    assert report.negative == 0
    # far-field rays are dense upstream: bounds stated, not wished for
    assert report.min_angle_deg > (1.0 if nodes == 1500 else 1.5)
    assert report.max_angle_deg < 175.0
    assert set(mesh.boundaries) == {"airfoil", "farfield"}


@pytest.mark.parametrize("name", ["naca0012", "naca4415"])
def test_both_sides_of_the_wake_share_their_nodes(name):
    mesh = c_mesh(name, 3000)

    # one hole: nodes - edges + cells = 0; a wake left open would be a cut, and give 1
    assert mesh.nodes - len(mesh.edges) + len(mesh.triangles) == 0
    for edges in mesh.boundaries.values():
        after = dict(edges.tolist())
        node, seen = edges[0, 0], 0
        while seen == 0 or node != edges[0, 0]:
            node, seen = after[node], seen + 1
        assert seen == len(edges)
    assert len(np.unique(mesh.points, axis=0)) == mesh.nodes


@pytest.mark.parametrize("name", NAMES)
def test_wall_nodes_lie_on_the_section_and_the_trailing_edge_is_one(name):
    shape = section(name)
    mesh = c_mesh(shape, 3000)

    wall = mesh.points[mesh.boundaries["airfoil"][:, 0]]

    assert nearest_on(shape, wall).max() < 1e-12
    assert np.linalg.norm(wall - [1.0, 0.0], axis=1).min() < 4 * EPS


def test_the_outer_boundary_is_half_a_circle_two_lines_and_the_outflow_plane():
    far = 100.0
    mesh = c_mesh(nodes=3000, far_field=far)

    x, y = (mesh.points[mesh.boundaries["farfield"][:, 0]] - [0.5, 0.0]).T
    ahead, behind = x < -1e-9 * far, np.abs(x - far) < 1e-9 * far

    assert np.hypot(x, y)[ahead] == pytest.approx(far, rel=1e-12)
    assert np.abs(y[~ahead & ~behind]) == pytest.approx(far, rel=1e-12)
    assert np.abs(y[behind]).max() == pytest.approx(far, rel=1e-12)
    assert ahead.sum() > 20
    assert behind.sum() > 20


def test_a_symmetric_section_gives_an_exactly_symmetric_c_mesh():
    mesh = c_mesh(nodes=2000)

    def cells(flip):
        corners = mesh.points[mesh.triangles] * [1.0, flip]
        return {frozenset(map(tuple, c + 0.0)) for c in corners}

    assert cells(1.0) == cells(-1.0)


def spacings(mesh):
    """Lengths at the trailing edge, mid-chord, the first wake step, and of the widest cell."""
    wall = mesh.boundaries["airfoil"]
    ends = mesh.points[wall]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    middle = ends.mean(axis=1)
    tip = int(np.argmin(np.linalg.norm(mesh.points - [1.0, 0.0], axis=1)))
    edges = mesh.edges[(mesh.edges == tip).any(axis=1)]
    steps = mesh.points[edges.sum(axis=1) - tip] - mesh.points[tip]
    on_wake = steps[np.argmax(steps[:, 0] / np.linalg.norm(steps, axis=1))]
    return np.array(
        [
            length[np.argmax(middle[:, 0])],
            length[np.argmin(np.abs(middle[:, 0] - 0.5))],
            on_wake[0],
            np.sqrt(mesh.areas.max()),
        ]
    )


def test_four_times_the_nodes_halve_every_spacing():
    sizes = [spacings(c_mesh(nodes=n, far_field=100.0)) for n in (4000, 16000, 64000)]

    for coarse, fine in pairwise(sizes):
        assert fine / coarse == pytest.approx(0.5, abs=0.05)  # whole numbers of rays and rows


def test_volumes_of_neighbours_grow_smoothly():
    mesh = c_mesh(nodes=24000, far_field=100.0)
    volume = np.zeros(mesh.nodes)
    np.add.at(volume, mesh.triangles, mesh.areas[:, None] / 3)
    inner = np.setdiff1d(np.arange(mesh.nodes), np.concatenate(list(mesh.boundaries.values())))
    inside = np.zeros(mesh.nodes, bool)
    inside[inner] = True

    a, b = mesh.edges[inside[mesh.edges].all(axis=1)].T
    ratio = np.exp(np.abs(np.log(volume[a] / volume[b])))

    # 1.46 and 1.86 here; the O-mesh of this size has 1.44, and 3.0 beside its trailing edge
    assert np.percentile(ratio, 99) < 1.5
    assert ratio.max() < 2.0


def test_spacings_are_those_asked_for():
    mesh = c_mesh(nodes=8000, trailing_spacing=0.001, around=150)
    assert len(mesh.boundaries["airfoil"]) == 150
    assert spacings(mesh)[0] == pytest.approx(0.001, rel=2e-3)  # where the search ends

    for height in (0.006, 0.003):
        mesh = c_mesh(nodes=8000, wall_spacing=height)
        wall = np.unique(mesh.boundaries["airfoil"])
        upper = wall[mesh.points[wall, 1] > 0]
        node = upper[np.argmin(np.abs(mesh.points[upper, 0] - 0.5))]
        edges = mesh.edges[(mesh.edges == node).any(axis=1)]
        steps = mesh.points[edges.sum(axis=1) - node] - mesh.points[node]
        upwards = steps[np.argmax(steps[:, 1] / np.linalg.norm(steps, axis=1))]
        assert np.linalg.norm(upwards) == pytest.approx(height, rel=0.1)  # xi^2 = 2, x = 0.47


def test_a_c_mesh_may_end_ten_chords_away():
    mesh = c_mesh(nodes=600, far_field=10.0)

    far = np.linalg.norm(mesh.points[np.unique(mesh.boundaries["farfield"])], axis=1)
    assert far.min() == pytest.approx(9.5, abs=0.1)  # of the middle of the chord 10


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"far_field": np.nextafter(10.0, 0.0)}, r"far_field = 10 with topology 'c', .* least 10;"),
        ({"far_field": 5.0}, r"far_field = 5 with topology 'c', expected at least 10"),
        ({"nodes": 600, "wall_spacing": 1e-6, "growth": 1.001}, r"does not fit the wall_spacing"),
        ({"nodes": 20000, "around": 24}, r"ask for fewer nodes"),
        ({"topology": "h"}, r"topology = 'h', expected one of o, c"),
        ({"topology": "cmesh"}, r"did you mean 'c'\?"),
        ({"topology": 3}, r"topology = 3, expected one of o, c"),
    ],
)
def test_impossible_c_meshes_are_refused(given, message):
    with pytest.raises(MeshError, match=message):
        airfoil("naca0012", **{"topology": "c", **given})


def opened(name, gap, cut=0.0):
    """A section whose sides are drawn apart by a gap; cut: its upper side is that much longer."""
    shape = section(name)

    def curve(u):
        q = 1.0 - 2.0 * u  # signed sqrt(x)
        z, dz = shape.curve(u)
        z, dz = z + 0.5j * gap * q**3 * np.abs(q), dz - 4j * gap * np.abs(q) ** 3
        stretch = 1.0 + 0.5 * cut * q
        return z * stretch, dz * stretch - z * cut

    ends = curve(np.array([0.0, 1.0]))[0]
    symmetric = shape.symmetric and cut == 0.0
    return Section(f"{name}-{gap}-{cut}", curve, abs(ends[0] - ends[1]), symmetric, shape.joints)


def base_of(shape, mesh):
    """Lengths of the edges of the base, the sum of the lengths of those that lie on it."""
    upper, lower = shape.points([0.0, 1.0])
    along = (upper - lower) / shape.gap
    arm = mesh.points[mesh.boundaries["airfoil"]] - lower
    off = np.abs(arm[..., 0] * along[1] - arm[..., 1] * along[0]).max(axis=1)
    place = arm @ along / shape.gap
    on = (off < 1e-12) & (place > -1e-9).all(axis=1) & (place < 1 + 1e-9).all(axis=1)
    return np.linalg.norm(arm[on, 0] - arm[on, 1], axis=1)


@pytest.mark.long
@pytest.mark.parametrize("gap", [0.0004, 0.0025, 0.006, 0.04, 0.175, 0.3])
@pytest.mark.parametrize(
    ("name", "cut"), [("naca0012", 0.0), ("naca4418", 0.0), ("naca0018", 0.01)]
)
def test_an_open_trailing_edge_has_a_sound_c_mesh_whose_wake_starts_behind_its_base(name, cut, gap):
    cut = cut * gap / 0.04
    shape = opened(name, gap, cut)

    mesh = c_mesh(shape, 5000)

    report = quality(mesh)
    base = base_of(shape, mesh)
    wall = mesh.points[np.unique(mesh.boundaries["airfoil"])]
    assert abs(mesh.nodes / 5000 - 1) < 0.03
    # as of closed edges (2.1 to 2.5, 165 degrees) within what the finer edge costs
    assert report.min_angle_deg > 1.4
    assert report.max_angle_deg < 175.5
    assert base.sum() == pytest.approx(shape.gap, rel=1e-9)
    assert len(base) >= (6 if gap >= 0.006 and shape.gap == gap else 1)
    off = nearest_on(shape, wall)
    assert np.sum(off > 1e-12) == max(len(base) - 1, 0)  # the nodes within the base
    # one hole: the wake's sides share their nodes, and the fairing is filled
    assert mesh.nodes - len(mesh.edges) + len(mesh.triangles) == 0


def test_an_open_c_mesh_of_a_symmetric_section_mirrors_itself():
    mesh = c_mesh(opened("naca0012", 0.03), 3000)

    def corners(flip):
        return {frozenset(map(tuple, c)) for c in mesh.points[mesh.triangles] * [1.0, flip] + 0.0}

    assert corners(1.0) == corners(-1.0)


def test_the_base_of_a_c_mesh_has_the_trailing_spacing_asked_for():
    shape = opened("naca0012", 0.02)

    for spacing, count in ((0.002, 10), (0.005, 4), (0.02, 2)):
        base = base_of(shape, c_mesh(shape, 8000, trailing_spacing=spacing))
        assert len(base) == count
        assert base == pytest.approx(0.02 / count, rel=1e-9)


def test_a_case_file_asks_for_a_c_mesh():
    mesh = case_mesh(MeshPart(section="naca0012", nodes=2000, topology="c"))

    assert mesh.nodes == c_mesh(nodes=2000).nodes
    with pytest.raises(CaseError, match=r"\[mesh\] topology = 'h'"):
        MeshPart(section="naca0012", topology="h")
    with pytest.raises(CaseError, match="has a file, so topology has no meaning"):
        MeshPart(file="a.su2", topology="c")
