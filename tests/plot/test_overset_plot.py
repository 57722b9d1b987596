"""Pictures of overset grids show each place once, and cells in the colour of their status."""

import warnings
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.plot.overset import COLOURS, kinds_of, parts_of
from kinemesh.plot.spaces import triangles_of
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.tri import Triangulation
from overset_parts import background, ball, ring

pytestmark = pytest.mark.no_sanitizer


def strip(x0=0.0, status=(1, 1, 1, -1, 0, -2), walls=((0, 1),)):
    """Squares in a row, and a triangle at its end: nodes 0 to 5 below, 6 to 11 above."""
    x = x0 + np.arange(6.0)
    points = np.concatenate([np.stack([x, 0 * x], 1), np.stack([x, 0 * x + 1], 1)])
    at = np.arange(4)
    cells = np.stack([at, at + 1, at + 7, at + 6], axis=1)
    return SimpleNamespace(
        points=points,
        cells=np.concatenate([cells, [[4, 5, 11, -1]]]),
        iblank=np.tile(status, 2),
        walls=np.array(walls, int).reshape(-1, 2),
    )


def lines(axes):
    """{colour: segments} of a panel."""
    return {to_hex(c.get_color()[0]): c.get_segments() for c in axes.collections}


def test_cells_are_hidden_by_any_hidden_corner():
    kinds = ["field", "field", "receptors", "hidden", "hidden"]
    assert kinds_of(strip()).tolist() == kinds


def test_a_triangle_has_no_fourth_corner_that_hides_it():
    assert kinds_of(strip(status=(1, 1, 1, 1, 1, 1)))[-1] == "field"


def test_panels_show_all_parts_and_each_by_status(tmp_path):
    parts = {"one": strip(), "two": strip(3.0, walls=())}

    figure = plot.grids(parts, path=tmp_path / "grids.png")

    whole, first, second = figure.axes
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["all parts", "one", "two"]
    # three squares in a row have ten edges; the wall of the first part is a line of its own
    assert sorted(map(len, lines(whole).values())) == [1, 10, 10]
    counts = {kind: len(lines(first)[colour]) for kind, colour in COLOURS.items()}
    # two squares, one, and one apart from a triangle
    assert counts == {"field": 7, "receptors": 4, "hidden": 4 + 3}
    assert first.get_xlim() == second.get_xlim() == whole.get_xlim()
    assert (tmp_path / "grids.png").stat().st_size > 0


def test_the_view_has_all_walls_and_receptors():
    x0, x1 = plot.grids({"a": strip(), "b": strip(40.0, walls=())}).axes[0].get_xlim()

    assert x0 < 0
    assert 43 < x1 < 43 + 0.1 * 43  # where the last receptors stand


# ---------------------------------------------------------------- flows on parts


def two_squares(high=1.0):
    """A square of side 8 with values 0, and on its middle a part of side 2 with values `high`.

    One corner has more, as matplotlib fills no plateau at the uppermost level.
    """
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    points = np.concatenate([2 * corners + 3, 8 * corners])
    cells = np.arange(8).reshape(2, 4)
    values = np.array([1.02 * high, high, high, high, 0, 0, 0, 0])
    return points, cells, values, np.zeros((0, 2), int)


def colour_at(figure, x, y):
    """RGB, 0 to 255, of the picture at a place."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    column, row = figure.axes[0].transData.transform((x, y)).round().astype(int)
    return np.asarray(canvas.buffer_rgba())[-1 - row, column, :3].astype(int)


@pytest.mark.long
@pytest.mark.parametrize("turned", [False, True])
def test_the_narrower_part_lies_above(turned):
    points, cells, values, walls = two_squares()
    part = np.repeat([0, 1], 4)
    if turned:  # the wide part has the first number
        points, values = np.roll(points, 4, axis=0), np.roll(values, 4)

    figure = plot.pressure(points, cells, values, walls, part=part)

    low, high = (255 * np.array(colormaps["viridis_r"](end)[:3]) for end in (0.01, 0.99))
    np.testing.assert_allclose(colour_at(figure, 4.3, 3.8), high, atol=3)  # a band of 48 colours
    np.testing.assert_allclose(colour_at(figure, 1.3, 6.1), low, atol=3)


def test_vorticity_beyond_the_colours_has_those_of_the_ends():
    points, cells, values, walls = two_squares(high=50.0)

    part = np.repeat([0, 1], 4)
    figure = plot.vorticity(points, cells, values, walls, part=part, range=(-5, 5))

    expected = 255 * np.array(colormaps["RdBu_r"](1.0)[:3])
    np.testing.assert_allclose(colour_at(figure, 4.3, 3.8), expected, atol=1)
    ticks = figure.axes[0].child_axes[0].get_yticks()
    assert -5 <= ticks.min() < ticks.max() <= 5


BODY = ring(outer=1.8)


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """Folder of a run of a ring that plunges over a background."""
    out = tmp_path_factory.mktemp("parts")
    parts = {"back": background(half=5.0, spacing=0.1, core=2.0), "body": BODY}
    motion = {"body": km.motion.plunge(amplitude=0.1, k=1.0, phase_deg=90)}
    case = km.Incompressible(parts, reynolds=100.0, motion=motion, device="cpu")
    case.run(cycles=1, steps_per_cycle=8, out=out)
    return out, case


@pytest.mark.long
@pytest.mark.flow
def test_a_folder_has_pictures_of_its_parts(flown):
    out, _ = flown

    made = plot.from_directory(out)

    names = ["hysteresis", "cycle", "vorticity", "pressure", "grids", "mesh"]
    assert [path.name for path in made] == [f"{name}.png" for name in names]


@pytest.mark.flow
def test_pictures_of_a_plunge_show_its_whole_stroke(flown, monkeypatch):
    """A tenth of a chord up and down, which the frames of the last cycle have."""
    seen = {}
    monkeypatch.setattr(
        plot.style, "_save", lambda figure, path: seen.setdefault(path.stem, figure)
    )

    plot.from_directory(flown[0])

    run = km.open(flown[0])
    places = [run.fields(int(n)) for n in run.frames().last_cycle()]
    heights = np.concatenate([flow.points[np.unique(flow.walls), 1] for flow in places])
    size = np.ptp(places[0].points[np.unique(places[0].walls)], axis=0).max()
    expected = (heights.min() - 1.5 * size, heights.max() + 1.5 * size)
    assert np.ptp(heights) > size + 0.15
    for name in ("vorticity", "pressure"):
        assert seen[name].axes[0].get_ylim() == pytest.approx(expected)


@pytest.mark.flow
def test_parts_of_a_file_are_those_of_the_connectivity(flown):
    out, case = flown
    run = km.open(out)
    flow = run.fields()

    shown, report = parts_of(flow), case.connectivity(time=flow.time)

    assert list(shown) == ["back", "body"]
    for name, part in shown.items():
        told = report.parts[name]
        np.testing.assert_allclose(part.points, told.points, atol=1e-14)
        np.testing.assert_array_equal(np.abs(part.iblank), np.abs(told.iblank) == 1)
        visible = told.cells[kinds_of(told) != "hidden"]
        np.testing.assert_array_equal(part.cells, visible)
        assert len(part.walls) == len(told.walls)
    assert len(shown["back"].cells) < len(report.parts["back"].cells)
    np.testing.assert_array_equal(shown["body"].walls, report.parts["body"].walls)


@pytest.mark.flow
def test_pictures_of_a_flow_have_no_receptors_and_no_gaps(flown):
    flow = km.open(flown[0]).fields()

    cells = plot.solved(flow)

    assert 0 < len(cells) < len(flow.cells)
    assert (np.append(flow["iblank"], 1)[cells] == 1).all()
    spots = np.random.default_rng(5).uniform(-2, 2, (2000, 2))
    body = flow.points[np.unique(flow.walls)].mean(axis=0)
    spots = spots[np.linalg.norm(spots - body, axis=1) > 0.5]
    corners = triangles_of(cells)
    own = np.zeros(len(spots), bool)
    for number in range(2):
        x, y = flow.points.T
        here = corners[flow["Part"][corners[:, 0]] == number]
        own |= Triangulation(x, y, here).get_trifinder()(*spots.T) >= 0
    assert own.all()


@pytest.mark.flow
@pytest.mark.slow
def test_films_of_incompressible_flow_have_vorticity_and_pressure(flown):
    out, _ = flown
    for quantity in ("vorticity", "cp"):
        assert plot.film(out, quantity).name == f"film-{quantity}.gif"
    with pytest.raises(km.CaseError, match="no Mach; there are"):
        plot.film(out)


@pytest.mark.long
@pytest.mark.flow
def test_grids_in_space_say_when_they_are(tmp_path, monkeypatch):
    seen = {}
    monkeypatch.setattr(plot.style, "_save", lambda figure, path: seen.update({path.stem: figure}))
    sides = (-4, 4, -4, 4, -4, 4), (-2.6, 2.6, -2.6, 2.6, -2.6, 2.6)
    box = km.mesh.background(*sides, 0.17, growth=1.5)
    parts = {"back": box, "body": ball(np.linspace(0.5, 2.5, 12), across=8)}
    motion = {"body": km.motion.plunge(amplitude=0.05, k=1.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = km.Incompressible(
            parts,
            reynolds=20.0,
            motion=motion,
            device="cpu",
            settings=km.IncompressibleSettings(overlap=1),
        )
        case.run(cycles=2 / 64, steps_per_cycle=64, out=tmp_path)
        plot.from_directory(tmp_path, complete=False)

    for name in ("grids", "spanwise", "cut"):
        assert "phase 11.25 degrees" in seen[name].get_suptitle(), name
