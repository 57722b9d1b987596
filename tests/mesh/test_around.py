"""O-meshes about smooth closed curves: on the curve, of good cells, about flows that are known."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.build import laid
from kinemesh.cases.build import mesh as case_mesh
from kinemesh.cases.overset_parts import Overset
from kinemesh.cases.parts import MeshPart
from kinemesh.errors import CaseError, MeshError
from kinemesh.mesh import around, quality
from kinemesh.mesh.generate.closed_curves import _map

ANGLE = 2 * np.pi * np.arange(200) / 200


def plane(z):
    return np.stack([z.real, z.imag], axis=1)


def ellipse(thickness, count=200):
    angle = 2 * np.pi * np.arange(count) / count
    return 0.5 * np.cos(angle) + 0.5j * thickness * np.sin(angle)


def polar(*waves):
    """r = 0.5 + sum of a cos(n angle + phase)."""
    radius = 0.5 + sum(a * np.cos(n * ANGLE + phase) for a, n, phase in waves)
    return radius * np.exp(1j * ANGLE)


CURVES = {
    "circle": ellipse(1.0),
    "ellipse": ellipse(0.5),
    "thin": ellipse(0.1),
    "thinner": ellipse(0.02),
    "upright": 1j * ellipse(0.2),
    "peanut": polar((0.2, 2, 0.0)),
    "bean": polar((0.12, 2, 0.0), (0.06, 3, 1.5)),
    "square": np.abs(np.cos(ANGLE)) ** 0.4 * np.sign(np.cos(ANGLE)) * 0.5
    + np.abs(np.sin(ANGLE)) ** 0.4 * np.sign(np.sin(ANGLE)) * 0.5j,
}


@pytest.mark.parametrize("thickness", [1.0, 0.5, 0.1, 0.02])
def test_the_map_of_an_ellipse_is_joukowskis(thickness):
    """z = (a + b) / 2 zeta + (a - b) / 2 / zeta."""
    circle = _map(ellipse(thickness))
    theta = np.linspace(0.0, 2 * np.pi, 1001)

    exact = 0.5 * np.cos(theta) + 0.5j * thickness * np.sin(theta)

    # the spline through 200 points is off by 1e-8, at the thinnest ellipse's tips by 5e-6
    assert np.abs(circle.points(theta) - exact).max() < 1e-5
    assert circle.scale == pytest.approx(0.25 * (1 + thickness), abs=1e-6)
    zeta = 1.3 * np.exp(1j * theta)
    slope = 0.25 * ((1 + thickness) - (1 - thickness) / zeta**2)
    assert np.abs(circle.derivative(zeta) - slope).max() < 1e-5


@pytest.mark.long
@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(
    ("outer", "nodes"), [("farfield", 1000), ("farfield", 6000), ("overset", 1000)]
)
def test_every_smooth_curve_has_a_sound_mesh(name, outer, nodes):
    curve = CURVES[name]
    radius = 1.0 if outer == "overset" else 50.0

    mesh = around(plane(curve), nodes, far_field=radius, outer=outer)

    report = quality(mesh)
    assert abs(mesh.nodes / nodes - 1) < 0.05
    assert set(mesh.boundaries) == {"body", outer}
    assert len(mesh.triangles) == 0
    # measured: 66 to 114 degrees, about the ellipse of 0.02 on 1000 nodes 21 to 159
    assert report.min_angle_deg > (20.0 if name == "thinner" else 45.0)
    assert report.max_angle_deg < (160.0 if name == "thinner" else 135.0)
    wall = mesh.points[mesh.boundaries["body"]]
    near = np.abs(
        (wall[:, 0] @ [1, 1j])[:, None] - _map(curve).points(np.linspace(0, 6.2831853, 9999))
    )
    assert near.min(axis=1).max() < 1e-3  # between the places that are tried
    box = [curve.real.min() + curve.real.max(), curve.imag.min() + curve.imag.max()]
    rim = mesh.points[mesh.boundaries[outer][:, 0]] - 0.5 * np.array(box)
    length = np.abs(curve[:, None] - curve).max()
    assert np.hypot(*rim.T) == pytest.approx(radius * length, rel=1e-12)


def test_edges_of_the_wall_turn_little_and_lengths_change_gradually():
    mesh = around(plane(ellipse(0.1)), 10_000)

    edges = mesh.points[mesh.boundaries["body"]]
    after = {tuple(a): (a, b) for a, b in edges}
    steps, place = [], edges[0, 0]
    for _ in edges:
        a, b = after[tuple(place)]
        steps.append((b - a) @ [1, 1j])
        place = b
    steps = np.array(steps)
    turn = np.abs(np.degrees(np.angle(np.roll(steps, -1) / steps)))
    ratio = np.abs(np.roll(steps, -1)) / np.abs(steps)
    assert turn.max() < 15.0  # evenly over the circle 36
    assert np.maximum(ratio, 1 / ratio).max() < 1.45


@pytest.mark.parametrize(
    "same",
    [
        lambda p: p[::-1],
        lambda p: np.roll(p, 37, axis=0),
        lambda p: np.concatenate([p, p[:1]]),
        lambda p: np.repeat(p, 2, axis=0),
        lambda p: p.tolist(),
    ],
)
def test_order_start_and_repeats_of_the_points_do_not_matter(same):
    points = plane(CURVES["bean"])
    one = around(points, 1000)

    other = around(same(points), 1000)

    assert np.abs(one.points - other.points).max() < 1e-6  # start of the map's sums


def test_a_curve_of_another_size_and_place_has_the_same_mesh():
    z = ellipse(0.2)
    one = around(plane(z), 1000, wall_spacing=0.01)
    other = around(plane(300 * z + 40 - 25j), 1000, wall_spacing=0.01)

    assert np.abs(other.points - (300 * one.points + [40, -25])).max() < 1e-9 * 300 * 50


def test_the_mesh_about_a_circle_is_that_of_the_cylinder():
    one = around(plane(ellipse(1.0)), 4000, wall_spacing=0.005)
    two = km.mesh.cylinder(4000, wall_spacing=0.005)

    a, b = (np.sort(np.hypot(*m.points.T)) for m in (one, two))
    assert a == pytest.approx(b, rel=1e-7)  # the spline of 200 points
    assert len(one.quads) == len(two.quads)
    assert len(one.boundaries["body"]) == len(two.boundaries["cylinder"])


def test_wall_cells_have_the_height_asked_for():
    mesh = around(plane(ellipse(0.3)), 10_000, wall_spacing=0.004)

    wall = np.unique(mesh.boundaries["body"])
    one = np.isin(mesh.edges, wall).sum(axis=1) == 1
    heights = np.linalg.norm(np.diff(mesh.points[mesh.edges[one]], axis=1)[:, 0], axis=1)
    assert heights == pytest.approx(0.004, rel=0.05)  # the map's change over a layer


@pytest.mark.flow
def test_the_flow_about_an_ellipse_has_no_drag_and_the_exact_suction(tmp_path):
    """Potential flow: the largest speed is 1 + thickness (Lamb, Hydrodynamics, article 71)."""
    drag = []
    for nodes in (2500, 5000):
        mesh = around(plane(ellipse(0.5)), nodes)
        run = km.Ale(mesh, mach=0.1).steady(out=tmp_path / str(nodes))
        drag.append(float(run.history["cd"][-1]))
        assert abs(run.history["cl"][-1]) < 1e-4

    # second order; of the suction 1 % is compressibility, 1 % the mesh
    assert drag[1] < 0.45 * drag[0]
    assert drag[1] < 0.012
    assert run.fields()["Cp"].min() == pytest.approx(1 - 1.5**2, rel=0.03)


BAD = {
    "square": (plane(np.array([0, 1, 1 + 1j, 1j]).repeat(3)), {}, "4 points that differ"),
    "corners": (
        plane(np.concatenate([np.linspace(a, b, 9)[:-1] for a, b in
                              ((0, 1), (1, 1 + 1j), (1 + 1j, 1j), (1j, 0))])),
        {}, r"corners at .*expected a smooth closed curve.*km\.mesh\.airfoil",
    ),
    "section": (km.mesh.section("naca0012").points(np.linspace(0, 1, 99)), {}, r"corner at \(1, "),
    "eight": (plane(np.sin(ANGLE) + 0.5j * np.sin(2 * ANGLE + 0.05)), {}, "crosses itself near"),
    "shape": (np.zeros((20, 3)), {}, r"\(20, 3\), expected \(points, 2\)"),
    "word": (object(), {}, r"around: the curve is object"),
    "nan": (np.full((20, 2), np.nan), {}, "finite"),
    "nodes": (plane(ellipse(0.5)), {"nodes": 10}, "nodes = 10, expected a whole number of 200"),
    "near": (plane(ellipse(0.5)), {"far_field": 1.5}, "far_field = 1.5, expected a number of 2"),
    "outer": (plane(ellipse(0.5)), {"outer": "overst"}, "did you mean 'overset'"),
    "height": (plane(ellipse(0.5)), {"wall_spacing": 0.4}, "nearly fill the way"),
    "few": (plane(ellipse(0.5)), {"nodes": 300, "around": 100}, "3 rings"),
}  # fmt: skip


@pytest.mark.parametrize(("curve", "given", "message"), BAD.values(), ids=BAD.keys())
def test_impossible_curves_and_numbers_are_refused(curve, given, message):
    with pytest.raises(MeshError, match=message):
        around(curve, **given)


@pytest.fixture
def oval(tmp_path):
    path = tmp_path / "oval.dat"
    rows = "\n".join(f"{x:.8f} {y:.8f}" for x, y in plane(100 * ellipse(0.25)))
    path.write_text(f"an ellipse in millimetres\n{rows}\n")
    return path


def test_a_case_file_has_a_curve_for_one_grid(oval):
    mesh = case_mesh(MeshPart(curve=oval, nodes=2000, far_field=20.0, scale=0.01))

    want = around(plane(ellipse(0.25)), 2000, far_field=20.0)
    assert np.abs(mesh.points - want.points).max() < 1e-5  # digits of the file
    assert "coordinates of the file times 0.01" in mesh.origin.notes
    assert np.allclose(
        case_mesh(MeshPart(curve=oval, nodes=2000, chord=100.0)).points[:, 0].max(), 50
    )
    with pytest.raises(CaseError, match=r"\[mesh\] curve = .*none\.dat: no such file"):
        case_mesh(MeshPart(curve=oval.with_name("none.dat")))
    with pytest.raises(CaseError, match="has a curve, so trailing_edge has no meaning"):
        MeshPart(curve=oval, trailing_edge="open")


def test_a_case_file_has_curves_as_overset_parts(oval):
    tables = {
        "wing": {"curve": "oval.dat", "nodes": 1500, "far_field": 1.0, "scale": 0.01},
        "back": {
            "box": [-6.0, 6.0, -6.0, 6.0],
            "growth": 1.2,
            "core": [-1.2, 1.2, -1.2, 1.2],
            "spacing": 0.05,
        },
    }

    made = laid(Overset.of_tables(tables, oval.parent))

    assert set(made["wing"].mesh.boundaries) == {"body", "overset"}
    want = around(plane(ellipse(0.25)), 1500, 1.0, outer="overset")
    assert made["wing"].mesh.nodes == want.nodes
    # within its background
    assert km.Incompressible(made, reynolds=40.0, moment_about=(25.0, 0.0)).bodies


@pytest.mark.slow
@pytest.mark.flow
def test_a_part_over_a_background_has_the_flow_of_one_grid():
    curve = plane(ellipse(0.25))
    wing = around(curve, 2000, far_field=1.5, outer="overset")
    back = km.mesh.background((-15, 20, -15, 15), core=(-1.8, 2, -1.8, 1.8), spacing=0.1)
    parts = {"back": back, "wing": km.Part(wing, angle_deg=10.0)}

    two = km.Incompressible(parts, reynolds=40.0).steady()
    one = km.Incompressible(around(curve, 6000), reynolds=40.0, alpha_deg=10.0).steady()

    for name in ("cl", "cd"):
        values = [float(run.history[name][-1]) for run in (one, two)]
        # the box's sides at 12 lengths; both meshes are coarse
        assert values[0] == pytest.approx(values[1], rel=0.04)
