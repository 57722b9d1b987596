"""Loads over time: marks of what lies beyond, noise beside a load, bodies that agree; titles."""

import numpy as np
import pytest
from kinemesh import plot
from kinemesh.io import csv_rows as named
from kinemesh.io import history
from kinemesh.plot.style import BLUE, RED, figure_of, wrapped
from kinemesh.plot.times import ABOUT, Load, limit, loads

pytestmark = pytest.mark.no_sanitizer
TIME = np.arange(1.0, 41)


def one(**columns):
    """A history of one body with these loads (rows,)."""
    rows = dict.fromkeys(named.UNSTEADY, 0 * TIME) | {"time": TIME, "step": TIME} | columns
    made = history.History()
    made.extend(rows)
    return made.member(0)


def several(box, middle):
    """A history of two bodies whose lift, drag and moment are these, and their sums."""
    made = history.History(named.unsteady_columns(["box", "middle"]))
    rows = dict.fromkeys(made.columns, 0 * TIME) | {"time": TIME, "step": TIME}
    for name in ("cl", "cd", "cm"):
        rows |= {f"{name}_box": box, f"{name}_middle": middle, name: box + middle}
    made.extend(rows)
    return made.member(0)


# ---------------------------------------------------------------- marks


def test_a_start_far_beyond_what_follows_is_told_at_the_edge():
    axes = figure_of(3, 3).subplots()
    drag = np.r_[35.2, np.linspace(1.4, 1.2, 39)]

    limit([[Load(axes, [("red", drag)])]], TIME)
    (text,) = [t.get_text() for t in axes.texts]
    assert "35.2 at 1" in text
    assert axes.get_ylim()[1] < 2

    axes = figure_of(3, 3).subplots()
    limit([[Load(axes, [("red", np.r_[1.6, drag[1:]])])]], TIME)  # twice the range: all is drawn
    assert axes.get_ylim()[1] > 1.6
    assert not axes.texts


def test_a_panel_has_one_mark_on_each_side_where_no_line_is():
    """Both bodies and their sum begin far beyond; the sum goes farthest up and down."""
    calm = np.linspace(0, 1, 38)
    figure = loads(several(np.r_[50.0, -40.0, calm], np.r_[30.0, -20.0, calm]))

    for axes in figure.axes:
        up, down = axes.texts
        assert ("80 at 1" in up.get_text()) != ("80 at 1" in down.get_text())
        assert "-60 at 2" in up.get_text() + down.get_text()
        figure.draw_without_rendering()
        for text in (up, down):
            covered = text.get_window_extent().padded(4)
            lines = [axes.transData.transform(line.get_xydata()[4:]) for line in axes.lines]
            assert not covered.count_contains(np.concatenate(lines))


def test_marks_of_two_axes_of_a_panel_lie_beyond_the_lines_of_both():
    """A drag that begins far above, beside a lift that goes through all of its range."""
    lift = np.cos(TIME)
    figure = loads(one(cl=lift, cd=np.r_[35.2, np.linspace(1.4, 1.2, 39)]))

    axes, right = figure.axes
    (text,) = right.texts
    figure.draw_without_rendering()
    top = axes.transData.transform((0, lift.max()))[1]
    assert text.get_window_extent().y0 > top + 20  # pixels; the margin alone leaves 6


def test_both_loads_that_begin_far_beyond_are_told_one_above_the_other():
    """The lift of a sphere that starts at once left the picture, as the drag goes further."""
    calm = np.linspace(1.4, 1.2, 38)
    figure = loads(one(cl=np.r_[9.0, -6.0, calm / 10], cd=np.r_[35.2, -20.0, calm]))

    axes, right = figure.axes
    texts = right.texts
    said = {text.get_text().split(" ", 1)[1]: text for text in texts}
    assert {told: text.get_color() for told, text in said.items()} == {
        "9 at 1": BLUE, "35.2 at 1": RED, "-6 at 2": BLUE, "-20 at 2": RED
    }  # fmt: skip
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in texts]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    lines = [(own, line) for own in (axes, right) for line in own.lines]
    seen = np.concatenate([own.transData.transform(line.get_xydata()[4:]) for own, line in lines])
    assert not any(box.padded(2).count_contains(seen) for box in boxes)


# ---------------------------------------------------------------- noise


def test_noise_beside_a_load_is_drawn_as_zero():
    figure = loads(one(cl=1e-5 * np.sin(TIME), cd=3 * np.cos(TIME)))

    lift, drag = (axes.get_ylim() for axes in figure.axes)
    reach = np.ptp(3 * np.cos(TIME))
    assert lift == pytest.approx((-0.05 * reach, 0.05 * reach))
    assert drag[1] > 3


def test_a_small_load_that_is_no_noise_has_its_own_scale():
    lift = 1e-2 * np.sin(TIME)
    figure = loads(one(cl=lift, cd=3 * np.cos(TIME)))

    assert figure.axes[0].get_ylim()[1] < 2 * lift.max()


def test_noise_about_a_value_is_drawn_about_it():
    figure = loads(one(cl=5 + 1e-5 * np.sin(TIME), cd=np.cos(TIME)))

    assert np.mean(figure.axes[0].get_ylim()) == pytest.approx(5.0, abs=1e-5)


def test_a_steady_lift_of_rounding_is_a_line_at_zero():
    made = history.History(named.STEADY)
    rows = dict.fromkeys(named.STEADY, 1 + 0 * TIME)
    made.extend(rows | {"iteration": TIME, "member": 0 * TIME, "cl": 1e-9 * TIME, "cd": TIME})

    lift = plot.convergence(made).axes[1]

    assert lift.get_ylim() == pytest.approx((-0.05 * 39, 0.05 * 39))


# ---------------------------------------------------------------- several bodies


def test_a_body_that_equals_the_sum_is_dashed_above_it():
    axes = loads(several(np.sin(TIME), 1e-9 + 0 * TIME)).axes[0]

    box, middle, total = sorted(axes.lines, key=lambda line: line.get_label() == "all bodies")
    assert total.get_linestyle() == "-"
    for body in (box, middle):
        assert body.get_linestyle() == "--"
        assert body.get_zorder() > total.get_zorder()
        assert body.get_linewidth() < total.get_linewidth()


def test_the_moments_tell_their_points():
    figure = loads(several(np.sin(TIME), np.cos(TIME)))

    title = figure.axes[2].get_title(loc="left")
    assert title == ABOUT
    assert "each body about its own point" in title
    assert "all about the point of the case" in title


# ---------------------------------------------------------------- titles


def test_titles_break_between_conditions():
    title = "30P30N, slat, main element and flap, steady, M 0.2, alpha 1.25 degrees"

    assert wrapped(title, 60).split("\n") == [
        "30P30N, slat, main element and flap, steady, M 0.2,",
        "alpha 1.25 degrees",
    ]
    assert wrapped(title, 76) == title
    assert wrapped("one\ntwo", 76) == "one\ntwo"
    assert wrapped("", 76) == ""


def test_what_is_left_of_a_long_condition_is_in_one_row_with_the_next_one():
    title = "AGARD CT3: NACA 0012 pitching 2.44 degrees about 4.86 at M 0.6, turbulent"

    assert wrapped(title, 60).split("\n") == [
        "AGARD CT3: NACA 0012 pitching 2.44 degrees about 4.86 at",
        "M 0.6, turbulent",
    ]


@pytest.mark.parametrize("width", range(36, 70))
def test_a_long_condition_breaks_between_words_but_not_before_its_number(width):
    rows = wrapped("Circular cylinder towed through a fluid at rest at Reynolds number 100", width)

    assert rows.replace("\n", " ").endswith("Reynolds number 100")
    assert "Reynolds number 100" in rows
    assert max(map(len, rows.split("\n"))) <= width


def test_a_part_without_walls_has_no_line():
    figure = loads(several(np.sin(TIME), 0 * TIME))

    for axes in figure.axes:
        assert [line.get_label() for line in axes.lines] == ["box", "all bodies"]
    assert len(figure.axes) == 3
