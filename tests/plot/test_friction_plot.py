"""Figures of viscous flow at walls."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.io.csv_rows import STEADY
from kinemesh.io.history import History
from kinemesh.results.along_walls import Wall
from kinemesh.results.boundary_layers import Layer

pytestmark = pytest.mark.no_sanitizer


def wall(x, y, cf):
    none = np.zeros(len(x))
    return Wall(np.array(x, float), np.array(y, float), none, np.array(cf, float), none, none)


def test_friction_of_a_closed_wall_has_a_line_for_each_side_from_the_nose():
    angle = -np.arange(24) * np.pi / 12  # an ellipse from its end along the lower side
    x = np.round(0.5 + 0.5 * np.cos(angle), 12)
    cf = np.where(angle > -np.pi, 0.003, 0.004)
    cf[12] = 0.5
    axes = plot.friction({"body": wall(x, 0.2 * np.sin(angle), cf)}).axes[0]
    sides = {line.get_label(): line for line in axes.lines if len(line.get_xdata()) == 13}
    upper, lower = (sides[name].get_xydata() for name in ("upper side", "lower side"))
    assert upper[0].tolist() == lower[0].tolist() == [0.0, 0.5]
    assert upper[1:, 1].tolist() == [0.004] * 11 + [0.003]
    assert lower[1:, 1].tolist() == [0.003] * 12
    assert (np.diff(upper[:, 0]) > 0).all()
    # twice the largest behind the nose, and 0 above the end
    assert axes.get_ylim() == pytest.approx((-0.04 * 0.008, 0.008))


def test_both_sides_of_a_round_wall_end_as_they_come_to_its_rear():
    """Flow along the rear of a cylinder, from its lower to its upper side: there the sign of one
    side cannot be that of the other."""
    angle = -np.arange(24) * np.pi / 12
    cf = np.where(angle > -np.pi, -0.05, 0.05)
    cf[[0, 12]] = -0.06, 0.001
    axes = plot.friction({"cylinder": wall(0.5 * np.cos(angle), 0.5 * np.sin(angle), cf)}).axes[0]
    ends = {line.get_label(): line.get_ydata()[[0, -1]].tolist() for line in axes.lines[:3:2]}

    assert ends == {"upper side": [0.001, 0.06], "lower side": [-0.001, -0.06]}


def test_friction_at_a_sharp_edge_is_a_dot_and_sets_no_axis():
    x = np.r_[np.linspace(1, 0.1, 10), [0.0, 0.0], np.linspace(0.1, 0.9, 9)]
    y = np.r_[np.linspace(0, -0.1, 10), [-0.05, 0.05], np.linspace(0.1, 0.01, 9)]
    cf = np.full(21, 0.003)
    cf[[0, 1, -1]] = 0.02, -0.01, -0.01
    axes = plot.friction({"airfoil": wall(x, y, cf)}).axes[0]
    dots = np.concatenate([w.get_ydata() for w in axes.lines if w.get_marker() == "."])
    assert {0.02, -0.01} <= set(dots)
    # all that is smooth lies below
    assert axes.get_ylim() == pytest.approx((-0.04 * 0.00324, 0.00324))


def test_friction_of_a_plate_keeps_its_sign_at_both_ends():
    axes = plot.friction({"wall": wall([0, 1, 2], [0, 0, 0], [-9, 1, -2])}).axes[0]
    assert axes.lines[0].get_ydata().tolist() == [-9, 1, -2]


def test_friction_of_a_plate_is_of_the_side_that_the_gas_is_on():
    above = plot.friction({"wall": wall([0, 1, 2], [0, 0, 0], [9, 1, 2])}).axes[0]
    assert above.lines[0].get_label() == "upper side"
    below = plot.friction({"wall": wall([2, 1, 0], [0, 0, 0], [2, -1, 9])}).axes[0]
    assert below.lines[0].get_label() == "lower side"
    assert below.lines[0].get_xdata().tolist() == [0, 1, 2]
    assert below.get_ylim() == pytest.approx((-1.2 - 0.04 * 5.2, 4.0))


@pytest.mark.parametrize(("nodes", "low"), [(1, 0.0), (5, -1.2e-3)])
def test_a_bubble_of_reversed_flow_at_the_nose_is_in_the_picture_and_one_wrong_node_is_not(
    nodes, low
):
    """A fiftieth of 101 nodes is two."""
    x = np.linspace(0, 1, 101)
    cf = np.where(x > 0, 3e-3, 0.1)
    cf[2 : 2 + nodes] = -1e-3
    axes = plot.friction({"wall": wall(x, 0 * x, cf)}).axes[0]
    assert axes.get_ylim() == pytest.approx((low - 0.04 * (6e-3 - low), 6e-3))


def test_axes_of_friction_have_0_where_all_is_reversed_or_nothing_flows():
    x = np.linspace(0, 1, 11)
    for cf, ends in ((-1e-3, (-1.2e-3 * 1.04, 0.0)), (0.0, (-0.04, 1.0))):
        axes = plot.friction({"wall": wall(x, 0 * x, cf + 0 * x)}).axes[0]
        assert axes.get_ylim() == pytest.approx(ends)


def test_layers_are_drawn_in_the_direction_of_the_friction_beside_the_law_of_the_wall():
    y = np.array([0.0, 1.0, 10.0, 100.0])
    layers = {"a": Layer(0, 0, 0.003, y, y, None), "b": Layer(0, 0, -0.003, y, -y, None)}
    axes = plot.layers(layers).axes[0]
    inner, outer, *drawn = axes.lines
    np.testing.assert_array_equal(inner.get_xdata(), inner.get_ydata())
    law = np.log(outer.get_xdata()) / 0.41 + 5
    np.testing.assert_allclose(outer.get_ydata(), law)
    for line in drawn:
        np.testing.assert_array_equal(line.get_ydata(), y[1:])


@pytest.mark.parametrize(("top", "end"), [(10.0, 15.0), (12.0, 150.0)])
def test_layers_that_end_before_the_logarithmic_law_have_no_empty_half(top, end):
    y = np.array([0.0, 1.0, 4.0, top])
    axes = plot.layers({"above": Layer(0.5, 0.0, 0.1, y, y / 2, None)}).axes[0]
    assert axes.get_xlim()[1] == pytest.approx(end)


@pytest.mark.parametrize(("low", "high"), [(0.25, 3.0), (0.5, 60.0), (0.2, 900.0)])
def test_names_along_an_axis_of_few_decades_do_not_meet(low, high):
    y = np.append(0.0, np.geomspace(low, high, 6))
    figure = plot.layers({"above": Layer(0.5, 0.0, 0.1, y, np.sqrt(y), None)})
    figure.draw_without_rendering()

    axis = figure.axes[0].xaxis
    texts = [*axis.get_ticklabels(), *axis.get_ticklabels(minor=True)]
    ends = figure.axes[0].get_xlim()
    seen = [own for own in texts if own.get_text() and ends[0] <= own.get_position()[0] <= ends[1]]
    boxes = [own.get_window_extent() for own in seen]
    assert len(boxes) >= 3
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


@pytest.mark.flow
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*(residual|y\\+):RuntimeWarning")
def test_the_folder_of_a_turbulent_flow_has_its_figures(tmp_path):
    mesh = km.mesh.plate(600, height=0.5, wall_spacing=1e-3, edge_spacing=0.006)
    case = km.Ale(
        mesh, mach=0.2, reynolds=5e6, turbulence="sa", device="cpu", walls=["wall"],
        boundaries={"outlet": km.outlet(pressure=1.0), "symmetry": "symmetry"},
        far=["inlet", "farfield"],
        settings=km.AleSettings(limiter="none", steady_iterations=30),
    )  # fmt: skip
    case.steady(out=tmp_path)
    made = [path.name for path in plot.from_directory(tmp_path)]
    of_viscous = ["vorticity.png", "eddies.png", "friction.png", "layers.png"]
    assert made == ["convergence.png", "cp.png", "mach.png", *of_viscous, "mesh.png"]


def test_convergence_of_a_turbulent_flow_has_both_residuals():
    made = History((*STEADY, "residual_turbulence"))
    rows = dict.fromkeys(STEADY, np.array([0.0, 0.0])) | {"iteration": np.array([1, 2])}
    rows |= {"residual": np.array([1.0, 0.1])}
    made.extend(rows | {"residual_turbulence": np.array([1.0, 0.5])})
    top = plot.convergence(made).axes[0]
    assert [line.get_ydata().tolist() for line in top.lines] == [[1.0, 0.1], [1.0, 0.5]]
    assert [text.get_text() for text in top.get_legend().get_texts()] == ["gas", "turbulence"]


def colours_of(figure):
    ticks = figure.axes[0].child_axes[0].get_ylim()
    return tuple(round(end, 6) for end in ticks)


def test_colours_of_vorticity_go_to_the_stream_s_speed_over_the_chord_at_least():
    """A boundary layer is a small share of a picture, and what is left is the mesh's error."""
    x, y = np.meshgrid(np.linspace(0, 1, 3), np.r_[0.0, 1e-3, 2e-3, np.linspace(0.1, 1, 10)])
    points = np.stack([x.ravel(), y.ravel()], 1)
    a = (np.arange(12)[:, None] * 3 + [0, 1]).ravel()
    cells = np.stack([a, a + 1, a + 4, a + 3], 1)
    values = np.where(points[:, 1] < 1.5e-3, -60.0, 1e-4 * points[:, 1])
    flow = points, cells, values, np.array([[0, 1], [1, 2]])

    assert colours_of(plot.vorticity(*flow, view=(0, 1, 0, 1)))[1] < 2e-4
    assert colours_of(plot.vorticity(*flow, view=(0, 1, 0, 1), gas=True, speed=0.2)) == (-0.2, 0.2)
    round_up = plot.vorticity(*flow, view=(0, 1, 0, 1), gas=True, speed=0.796)
    assert colours_of(round_up) == (-0.8, 0.8)  # with lines every 0.16
    shown = plot.vorticity(*flow, view=(0, 1, 0, 1), range=(-9, 9), speed=0.2)
    assert colours_of(shown) == (-9, 9)
    even = plot.vorticity(points, cells, 0 * values + 0.01, flow[3], view=(0, 1, 0, 1), speed=0.2)
    assert colours_of(even) == (-0.02, 0.02)  # a solid turn is vorticity


def test_vorticity_of_a_gas_has_its_own_unit():
    points = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    flow = points, np.array([[0, 1, 2, 3]]), np.arange(4.0), np.empty((0, 2), int)
    bars = [plot.vorticity(*flow, gas=gas).axes[0].child_axes[0] for gas in (False, True)]
    labels = [bar.get_ylabel() for bar in bars]
    assert labels == ["vorticity [U/chord]", r"vorticity [$a_\infty$/chord]"]
