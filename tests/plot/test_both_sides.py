"""Friction on both sides of bodies in space: its size, its lines, and the folder's figure."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.plot.both_sides import lattice, reached, surface_friction, upper_of

pytestmark = pytest.mark.no_sanitizer


def plate(count=6):
    """Points and triangles of a plate 1 long and 2 wide, seen from above and from below."""
    x, y = np.meshgrid(np.linspace(0, 1, count), np.linspace(0, 2, 2 * count - 1), indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    at = np.arange(len(points)).reshape(x.shape)
    a, b, c, d = (own.ravel() for own in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    lower = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    upper = lower[:, ::-1] + len(points)
    return np.concatenate([points, points + np.array([0, 0, 0.1])]), np.concatenate([upper, lower])


def test_lines_follow_vectors_that_are_linear_in_each_triangle():
    points, walls = plate()
    x, y, _ = points.T
    vectors = np.stack([1 + 2 * x - y, 3 * y + x, 5 * x], axis=1)
    upper = walls[upper_of(points, walls)]

    across, down, v, u = lattice(points, upper, vectors)

    assert upper.min() >= len(points) // 2
    grid_y, grid_x = np.meshgrid(across, down)
    np.testing.assert_allclose(u, 1 + 2 * grid_x - grid_y, atol=1e-12)
    np.testing.assert_allclose(v, 3 * grid_y + grid_x, atol=1e-12)


def test_lines_leave_out_what_no_triangle_covers():
    points = np.array([[0.0, 0, 0], [0, 2, 0], [1, 0, 0], [1, 2, 0.1]])
    walls = np.array([[0, 1, 2]])

    across, down, v, u = lattice(points, walls, np.ones((4, 3)))

    y, x = np.meshgrid(across, down)
    inside, outside = x + y / 2 < 1 - 1e-6, x + y / 2 > 1 + 1e-6
    for own in (u, v):
        np.testing.assert_allclose(own[inside], 1.0, rtol=1e-12)
        assert np.isnan(own[outside]).all()
    assert inside.sum() > 1000
    assert outside.sum() > 1000


def test_colours_end_at_what_nearly_all_of_the_area_is_below():
    points, walls = plate(count=21)
    size = np.ones(len(points))
    size[:3] = 100.0  # of triangles that are less than a hundredth of the area

    assert reached(points, walls, size) == 1.0
    assert reached(points, walls, np.zeros(len(points))) == 1.0
    figure = surface_friction(points, walls, size[:, None] * [1.0, 0, 0])
    assert figure.axes[-1].get_ylim() == (0.0, 1.0)
    assert [axes.get_title("left") for axes in figure.axes[:2]] == ["upper side", "lower side"]


def test_lines_of_each_side_are_drawn_in_its_own_panel():
    points, walls = plate()
    above = points[:, 2] > 0.05
    friction = np.where(above[:, None], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])

    panels = surface_friction(points, walls, friction).axes[:2]

    for axes, place in zip(panels, (1, 0), strict=True):  # down the panel, then to the right
        (lines,) = [own for own in axes.collections if hasattr(own, "get_segments")]
        way = np.concatenate([np.diff(own, axis=0) for own in lines.get_segments()])
        assert (way[:, place] > 0).any()
        assert np.abs(way[:, 1 - place]).max() < 1e-9
    assert panels[0].get_ylim()[0] > panels[0].get_ylim()[1]  # x downwards


def test_arrows_of_straight_lines_do_not_stand_in_one_row():
    """Lines of a section drawn out along the span are equally long."""
    points, walls = plate(count=11)
    panel = surface_friction(points, walls, np.tile([1.0, 0.0, 0.0], (len(points), 1))).axes[0]

    (lines,) = [own for own in panel.collections if hasattr(own, "get_segments")]
    tails, heads = np.array([patch._posA_posB for patch in panel.patches]).transpose(1, 0, 2)
    assert len(np.unique(np.round(tails[:, 0], 6))) == len(lines.get_segments()) > 20
    share, _ = np.histogram(heads[:, 1], bins=5, range=(0, 1))
    assert share.min() > 0.1 * len(heads)  # 0.2 where they are even
    assert (heads[:, 1] > tails[:, 1]).all()  # downstream


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*(planform|residual|edges lie along):RuntimeWarning")
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_the_folder_of_a_viscous_body_in_space_has_its_friction(tmp_path, solver, drawn):
    mesh = km.mesh.sphere(1000, far_field=5.0, wall_spacing=0.12, half=True)
    settings = {km.Ale: km.AleSettings, km.CellCentred: km.CellSettings}[solver]
    made = solver(
        mesh, mach=0.3, reynolds=40.0, device="cpu", moment_about=(0.0, 0.0),
        settings=settings(limiter="none", steady_iterations=5), reference_area=np.pi / 8,
    )  # fmt: skip
    run = made.steady(out=tmp_path)

    names = {path.stem for path in plot.from_directory(tmp_path)}

    assert "friction" in names
    flow = run.fields()
    shown = np.linalg.norm(flow.at_walls()["Friction"][np.unique(flow.walls)], axis=1)
    own = drawn["friction"].axes[0].collections[0].get_array()
    np.testing.assert_allclose(np.sort(own), np.sort(shown), rtol=1e-12)
