"""Views of a flow: the wake, a stated window, range and frame; captions."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli, plot
from kinemesh.errors import CaseError
from kinemesh.plot.titles import title_of
from kinemesh.plot.views import View, in_frame, strongest, wake_of, window_of
from kinemesh.results import Run
from kinemesh.results.flow_fields import Fields
from made_up import folder

SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])  # one body, one long
WALLS = np.array([[0, 3], [3, 2], [2, 1], [1, 0]])
FAR = np.array([[-40.0, -40.0], [40.0, 40.0]])


def moved(shift=(0.0, 0.0), turn_deg=0.0):
    """A flow about the square where a motion has it, with two far nodes that move along."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    points = np.concatenate([SQUARE, FAR]) @ np.array([[c, s], [-s, c]]) + shift
    cells = np.array([[0, 1, 2, 3]])
    bodies = {"wing": np.arange(4)}
    return Fields({}, points, cells, WALLS, bodies, 0, 0.0, np.nan, np.nan, False)


# ---------------------------------------------------------------- window


@pytest.mark.parametrize(
    ("stream", "axis", "sign"),
    [((1.0, 0.0), 0, 1), ((-1.0, 0.0), 0, -1), ((0.0, 1.0), 1, 1), ((0.0, -1.0), 1, -1)],
)
def test_a_window_follows_the_wake_downstream(stream, axis, sign):
    flow = moved()

    box = np.reshape(window_of(View(), flow.points, WALLS, (), stream), (2, 2))

    ends = sorted(sign * box[axis])
    assert ends[0] == pytest.approx(-0.5 - 1)  # a length ahead
    assert ends[1] == pytest.approx(0.5 + 5.5)
    assert box[1 - axis].tolist() == [-2.0, 2.0]


def test_a_wake_has_the_size_of_one_body_and_ends_where_the_flow_does():
    points = np.concatenate([SQUARE, SQUARE + np.array([3.0, 0.0]), [[-2.0, -1.0], [5.0, 1.0]]])
    walls = np.concatenate([WALLS, WALLS + 4])

    box = window_of(View(), points, walls, [np.arange(4), np.arange(4, 8)], (1.0, 0.0))

    # two bodies reach from -0.5 to 3.5; the mesh from -2 to 5 and -1 to 1, with a margin of 2 %
    assert box == pytest.approx((-1.5, 5 + 0.14, -1 - 0.04, 1 + 0.04))


def test_the_window_of_a_wake_holds_the_whole_stroke():
    """Places a body has at other times widen its window; its size is that of the body."""
    flow, above = moved((0.0, -0.75)), moved((0.0, 0.75))

    box = window_of(View(), flow.points, WALLS, (), (1.0, 0.0), [above.points[:4]])

    assert box == pytest.approx((-1.5, 6.0, -0.75 - 0.5 - 1.5, 0.75 + 0.5 + 1.5))


def test_the_wake_of_a_towed_body_lies_behind_it():
    start, here = moved(), moved((-4.0, 0.0))

    assert wake_of((0.0, 0.0), here, start) == (4.0, 0.0)
    assert wake_of((0.0, 0.0), moved((0.3, 0.0)), start) == (0.0, 0.0)  # it hovers
    assert wake_of((0.0, 1.0), here, start) == (0.0, 1.0)


def test_a_gas_is_shown_about_the_body_and_any_flow_where_it_is_asked():
    flow = moved()

    about = window_of(View(), flow.points, WALLS)
    assert about == window_of(View("body"), flow.points, WALLS, (), (1.0, 0.0))
    assert window_of(View((-1, 2, -3, 4)), flow.points, WALLS) == (-1.0, 2.0, -3.0, 4.0)
    assert window_of(View("wake"), flow.points, WALLS)[1] == pytest.approx(6.0)


def test_a_window_about_a_body_ends_where_the_flow_does():
    """A plate along the lower end of a flow that ends behind it, too."""
    points = np.array([[0.0, 0], [1, 0], [1, 9], [-9, 9], [-9, 0]])
    box = window_of(View(), points, np.array([[0, 1]]))
    assert box[1:3] == pytest.approx((1.2, -0.18))  # a fiftieth of the extent beyond it
    assert box[0] < -0.5
    assert box[3] > 0.5


# ---------------------------------------------------------------- range


def test_colours_end_where_a_fiftieth_of_the_window_is_beyond():
    """Strips of area 1 with 0.9 ... 99.9: the fiftieth part above 97.9 is beyond 100."""
    x = np.arange(101.0)
    points = np.concatenate([np.stack([x, 0 * x], 1), np.stack([x, 0 * x + 1], 1)])
    cells = np.array([[i, i + 1, i + 102] for i in range(100)] * 2)
    cells[100:, 1:] = [[i + 102, i + 101] for i in range(100)]
    values = np.tile(np.r_[np.arange(100) + 0.9, 100.9], 2)

    assert strongest(points, cells, values, (0, 100, 0, 1)) == 100.0
    assert strongest(points, cells, values, (0, 29, 0, 1)) == 30.0
    assert strongest(points, cells, 0 * values, (0, 30, 0, 1)) == 1.0


SHEET = np.stack(np.meshgrid(np.arange(11.0), np.arange(11.0)), axis=-1).reshape(-1, 2)
CELLS = np.array([[n, n + 1, n + 12, n + 11] for n in range(109) if n % 11 < 10])
NO_WALLS = np.zeros((0, 2), int)


def sheet(values, **more):
    """The picture of a vorticity on a sheet of squares."""
    return plot.vorticity(SHEET, CELLS, values, NO_WALLS, "a case", view=(0, 10, 0, 10), **more)


def test_a_constant_vorticity_has_no_colour_of_an_end_and_is_told():
    """Means of triangles go from -0.27033 to -0.27967, and that in the middle is -0.27533."""
    figure = sheet(-0.27 - 0.001 * SHEET[:, 0])

    assert figure.axes[0].child_axes[0].get_ylim() == pytest.approx((-0.6, 0.6))
    title = figure.axes[0].get_title(loc="left")
    assert title == "a case, vorticity -0.275 within 1.8 %"


def test_a_vorticity_that_changes_is_not_told_to_be_constant():
    figure = sheet(-0.27 - 0.02 * SHEET[:, 0])

    assert figure.axes[0].child_axes[0].get_ylim() == pytest.approx((-0.5, 0.5))
    assert "within" not in figure.axes[0].get_title(loc="left")


def test_a_caption_has_the_interval_of_the_thin_lines():
    for values, range, step in ((SHEET[:, 0], (-5, 5), 1.0), (SHEET[:, 0], (-8, 8), 1.6)):
        figure = sheet(values, range=range)
        assert figure.axes[0].get_title(loc="left") == f"a case, lines every {step:g}"

    shown = {"view": (0, 10, 0, 10)}
    mach = plot.mach(SHEET, CELLS, 0.02 * SHEET[:, 0], NO_WALLS, "a case", **shown)
    assert mach.axes[0].get_title(loc="left") == "a case, lines every 0.05"
    calm = plot.mach(SHEET, CELLS, 0.51 + 1e-4 * SHEET[:, 0], NO_WALLS, "a case", **shown)
    assert calm.axes[0].get_title(loc="left") == "a case"  # which no line crosses


# ---------------------------------------------------------------- frame


def test_in_the_frame_of_a_body_the_body_is_where_it_began():
    here = moved((0.7, -0.4), turn_deg=130.0)

    for frame in ("body", "wing"):
        at = in_frame(View(frame=frame), here, moved())
        np.testing.assert_allclose(at, moved().points, atol=1e-12)
    assert in_frame(View(), here, moved()) is here.points


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"view": "wakes"}, "view = 'wakes', expected body, wake or x0,x1,y0,y1; did you mean"),
        ({"view": "0,1,2"}, "expected 4 finite numbers: x0,x1,y0,y1"),
        ({"view": "1,0,0,1"}, "expected x0 < x1 and y0 < y1"),
        ({"view": "a,b,c,d"}, "view = 'a,b,c,d', expected numbers between commas"),
        ({"range": "5"}, "range = '5', expected two numbers: low,high"),
        ({"range": (3, 1)}, "range = 3,1, expected the lower value first"),
        ({"range": (0, np.inf)}, "expected 2 finite numbers: low,high"),
    ],
)
def test_a_view_that_is_none_is_refused(given, words):
    with pytest.raises(CaseError) as caught:
        View.of(**given)

    assert words in str(caught.value)


def test_a_frame_of_no_body_is_refused_with_their_names():
    with pytest.raises(CaseError, match=r"expected world, body, wing; did you mean 'wing'"):
        in_frame(View(frame="wings"), moved(), moved())


# ---------------------------------------------------------------- runs


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """Folder of a few steps about a cylinder, run from Python."""
    out = tmp_path_factory.mktemp("cylinder")
    case = km.Incompressible(km.mesh.cylinder(800), reynolds=100)
    case.run(time_step=0.2, steps=10, out=out)
    return out


def window(figure):
    axes = figure.axes[0]
    return (*axes.get_xlim(), *axes.get_ylim())


@pytest.mark.flow
def test_pictures_of_a_run_show_the_wake_or_what_is_asked(flown, monkeypatch):
    seen = []
    monkeypatch.setattr(plot.style, "_save", lambda figure, path: seen.append((path.stem, figure)))

    plot.from_directory(flown)
    plot.from_directory(flown, view="-1,3,-1,1", range="-2,2")

    first, second = (dict(seen[n : n + 4]) for n in (0, 4))
    assert window(first["vorticity"]) == pytest.approx((-1.5, 6.0, -2.0, 2.0))
    assert window(second["vorticity"]) == window(second["pressure"]) == (-1, 3, -1, 1)
    bar = second["vorticity"].axes[0].child_axes[0]
    assert bar.get_ylim() == (-2.0, 2.0)
    assert first["vorticity"].axes[0].get_title(loc="left").startswith("Re 100, alpha 0 deg, time")


def test_figures_of_a_run_from_python_name_its_conditions(tmp_path, monkeypatch):
    """A run without a case: the stream is all that tells its pictures from others."""
    seen = {}
    monkeypatch.setattr(plot.style, "_save", lambda f, path: seen.setdefault(path.stem, f))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of one frame, no pressures
        plot.from_directory(folder(tmp_path))

    assert seen["hysteresis"].get_suptitle() == seen["cycle"].get_suptitle() == "Mach 0.8"
    assert seen["mesh"].get_suptitle() == "Mach 0.8, phase 45 degrees"
    assert seen["mach"].axes[0].get_title(loc="left").startswith("Mach 0.8, ")


@pytest.mark.flow
def test_the_shell_has_view_range_and_frame(flown, undrawn, capsys):
    shown = ["--view", "-1,3,-1,1", "--range", "-2,2", "--frame", "body"]

    assert cli.main(["plot", str(flown), *shown]) == 0
    assert cli.main(["plot", str(flown), "--animate", "vorticity", *shown]) == 0
    assert cli.main(["plot", str(flown), "--view", "all"]) == 2
    assert "expected body, wake or x0,x1,y0,y1" in capsys.readouterr().err


@pytest.mark.flow
def test_loads_tell_the_unit_of_their_time(flown):
    figure = plot.loads(km.open(flown).history, unit="chord/U")

    assert figure.axes[0].get_xlabel() == "time [chord/U]"


def test_captions_name_reynolds_number_frequency_and_amplitude():
    asked = {"reynolds": 2000.0, "stream": 1.0, "alpha_deg": 0.0, "nodes": 9,
             "wing_motion": "plunge", "wing_amplitude": 0.75, "wing_k": 0.838}  # fmt: skip
    run = Run(None, {"asked": [asked], "case": {"title": "a title"}}, None)

    told = title_of(run, 0)

    assert told == "a title\nRe 2000, alpha 0 deg, wing amplitude 0.75 chord, wing k 0.838"


# ---------------------------------------------------------------- curves


def test_values_at_corners_are_dots_that_no_line_joins():
    """A square with eleven nodes a side: two on each side of a corner are of its singularity."""
    side = np.linspace(0, 1, 11)[:-1]
    zero, one = 0 * side, 1 + 0 * side
    sides = ((side, zero), (one, side), (1 - side, one), (zero, 1 - side))
    ring = np.concatenate([np.stack(each, axis=1) for each in sides])
    walls = np.stack([np.arange(40), np.roll(np.arange(40), -1)], axis=1)

    axes = plot.surface_pressure(ring, walls, np.arange(40.0)).axes[0]

    joined = np.concatenate([line for c in axes.collections for line in c.get_segments()])
    dots = np.concatenate([line.get_ydata() for line in axes.lines if line.get_marker() == "."])
    assert set(dots) == {float(n % 40) for at in (0, 10, 20, 30) for n in range(at - 2, at + 3)}
    assert not set(joined[:, 1]) & set(dots)


def test_equal_curves_of_both_sides_are_both_seen():
    ring = np.stack(
        [np.cos(np.linspace(0, 2 * np.pi, 61)), np.sin(np.linspace(0, 2 * np.pi, 61))], 1
    )
    walls = np.stack([np.arange(60), np.roll(np.arange(60), -1)], axis=1)[:, ::-1]

    axes = plot.surface_pressure(ring[:60], walls, ring[:60, 0]).axes[0]

    upper, lower = axes.collections
    assert upper.get_linestyle()[0][1] is None
    assert lower.get_linestyle()[0][1] is not None  # dashed, above the other
