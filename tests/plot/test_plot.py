"""Figures show the data they were given, need no display, and come from a run's folder."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.errors import CaseError
from kinemesh.io import History, summary
from kinemesh.io.folder import clear
from kinemesh.results import Run
from kinemesh.study.hysteresis import hysteresis
from made_up import changed, folder, loop, ring, run

pytestmark = [
    pytest.mark.no_sanitizer,
    pytest.mark.filterwarnings("ignore:no pressures:UserWarning"),  # folders of one frame
]

PNG = b"\x89PNG"


def test_loop_is_drawn_closed_with_its_reference(tmp_path):
    other = loop(scale=1.1)
    figure = plot.hysteresis(loop(), other, tmp_path / "deep" / "loop.png")

    lift, moment = figure.axes
    reference, mine = lift.lines
    assert len(mine.get_xdata()) == 33
    assert mine.get_ydata()[0] == mine.get_ydata()[-1]
    assert reference.get_linestyle() == "--"
    # the difference is a tenth of a sine: rms 0.1 / sqrt(2)
    assert f"{100 * 0.1 / 2**0.5 / other.cl.amplitude:.2g} %" in reference.get_label()
    assert len([t for t in moment.texts if t.arrow_patch is not None]) == 4
    assert (tmp_path / "deep" / "loop.png").read_bytes()[:4] == PNG


def test_a_body_that_does_not_pitch_is_drawn_against_phase():
    lift = plot.hysteresis(loop(amplitude=0.0)).axes[0]

    assert "omega" in lift.get_xlabel()
    assert lift.lines[0].get_xdata()[-1] == 360


def test_quads_are_split_into_triangles_that_cover_them():
    cells = np.array([[0, 1, 2, -1], [1, 3, 4, 2]])

    assert plot.triangles_of(cells).tolist() == [[0, 1, 2], [1, 3, 4], [1, 4, 2]]


def hysteresis_rows():
    """A history of loads over time."""
    made = run(steps=8, cycles=1.0)
    return changed(made, time=np.arange(made.rows) + 0.0)


def test_user_style_is_left_alone():
    import matplotlib

    with matplotlib.rc_context({"font.size": 17}):
        figure = plot.hysteresis(loop())

        assert matplotlib.rcParams["font.size"] == 17
    assert figure.axes[0].xaxis.label.get_size() == 10


@pytest.mark.long
def test_folder_of_an_unsteady_run_gives_its_three_figures(tmp_path):
    made = plot.from_directory(folder(tmp_path))

    assert [p.name for p in made] == ["hysteresis.png", "cycle.png", "mach.png", "mesh.png"]
    assert all(p.read_bytes()[:4] == PNG for p in made)


@pytest.mark.long
def test_folder_of_a_steady_run_gives_its_four_figures(tmp_path):
    made = plot.from_directory(folder(tmp_path, "steady"))

    assert [p.name for p in made] == ["convergence.png", "cp.png", "mach.png", "mesh.png"]
    assert all(p.read_bytes()[:4] == PNG for p in made)


def ensemble(path, asked):
    """The folder of an ensemble of two members, of which this was asked."""
    folder(path, cycles=1)
    text = (path / "history.csv").read_text().splitlines()
    both = [text[0], *(m + row[1:] for row in text[1:] for m in "01")]
    (path / "history.csv").write_text("\n".join(both) + "\n")
    (path / "flow.vtkhdf").rename(path / "flow-0.vtkhdf")
    (path / "flow-1.vtkhdf").write_bytes((path / "flow-0.vtkhdf").read_bytes())
    summary.update(path / "summary.json", asked=asked)
    return path


TWO = [{"mach": 0.5, "alpha_deg": 1.0, "k": 0.1, "mesh": 0}, {"mach": 0.5, "alpha_deg": 2.0,
        "k": 0.1, "mesh": 0}]  # fmt: skip


def test_an_ensemble_has_figures_of_all_members(tmp_path, undrawn):
    made = plot.from_directory(ensemble(tmp_path, TWO))

    assert [p.name for p in made] == ["hysteresis.png", "mesh.png"]
    assert all(p.exists() for p in made)


def test_members_have_figures_of_their_own_on_request(tmp_path, undrawn):
    made = plot.from_directory(ensemble(tmp_path, TWO), members=True, format="svg")

    stems = ("hysteresis", "cycle", "mach", "mesh")
    own = [f"{stem}-alpha{a}.svg" for a in (1, 2) for stem in stems]
    assert [p.name for p in made[2:]] == own
    assert {p.parent for p in made[2:]} == {tmp_path / "members"}
    assert all(p.exists() for p in made)
    (tmp_path / "members" / "notes.txt").write_text("x")
    (tmp_path / "members" / "my-mach.png").write_text("x")
    clear(tmp_path, figures=True)
    assert {p.name for p in (tmp_path / "members").iterdir()} == {"notes.txt", "my-mach.png"}
    assert not list(tmp_path.glob("*.svg"))


def test_members_of_unlike_motions_have_what_they_have_in_their_names(tmp_path, undrawn):
    unlike = [{"mach": 0.5, "motion": "pitch", "k": 0.1, "about_x": 0.25},
              {"mach": 0.5, "motion": "function", "omega": 0.1}]  # fmt: skip

    made = plot.from_directory(ensemble(tmp_path, unlike), members=True)

    names = [p.stem for p in made if p.parent.name == "members"]
    assert names[0] == "hysteresis-pitch"
    assert names[-1] == "mesh-function"


def test_members_that_nothing_tells_apart_have_their_numbers(tmp_path, undrawn):
    same = [{"mach": 0.5, "motion": "function"}] * 2

    made = plot.from_directory(ensemble(tmp_path, same), members=True)

    assert made[-1].name == "mesh-1.png"
    assert len(set(made)) == len(made)


@pytest.mark.long
@pytest.mark.long
def test_text_in_files_for_print_is_text(tmp_path, caplog):
    for form in ("pdf", "svg"):
        plot.loads(hysteresis_rows(), "a title", path=tmp_path / f"loads.{form}")

    svg, pdf = (tmp_path / "loads.svg").read_text(), (tmp_path / "loads.pdf").read_bytes()
    assert ">a title</text>" in svg
    assert b"/Type3" not in pdf
    assert b"/CIDFontType2" in pdf
    assert not caplog.records  # of fontTools, on the dates in a font


@pytest.mark.long
@pytest.mark.parametrize(("format", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_figures_come_in_other_formats(tmp_path, format, start):
    made = plot.from_directory(folder(tmp_path), format=format)

    assert [p.suffix for p in made] == [f".{format}"] * 4
    assert all(p.read_bytes().startswith(start) for p in made)
    with pytest.raises(CaseError, match="format = 'gif', expected one of png, pdf, svg"):
        plot.from_directory(tmp_path, format="gif")


def test_the_shell_has_formats_and_members(tmp_path, undrawn, capsys):
    from kinemesh import cli

    ensemble(tmp_path, TWO)

    assert cli.main(["plot", str(tmp_path), "--format", "svg", "--members"]) == 0
    made = capsys.readouterr().out.split()
    assert str(tmp_path / "members" / "mach-alpha1.svg") in made
    assert len(made) == 10
    assert cli.main(["plot", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.split()) == 2


def lines(values, cycles=1, **more):
    """A run whose members have these values of k, and the axes of its figure of loops."""
    history = History()
    for m in range(len(values)):
        for step in range(1, 8 * cycles + 1):
            phi = np.pi * step / 4
            row = dict.fromkeys(history.columns, 0.0) | {"member": m, "step": step, "time": step}
            row |= {"cycle": step / 8, "phase_deg": np.degrees(phi) % 360, "converged": 1}
            history.append(row | {"alpha_deg": np.sin(phi), "cl": (m + 1) * np.cos(phi)})
    asked = [{"mach": 0.5, "k": k} | {n: v[m] for n, v in more.items()}
             for m, k in enumerate(values)]  # fmt: skip
    return Run(history, summary.Summary(asked=asked, finished="now"), None)


def test_loops_of_members_are_coloured_by_what_varies():
    figure = plot.loops(lines([0.1, 0.2, 0.1]))

    lift = figure.axes[0]
    drawn = [line for line in lift.lines if len(line.get_xdata())]
    assert [line.get_ydata().max() for line in drawn] == pytest.approx([1, 2, 3])
    colours = [line.get_color() for line in drawn]
    assert colours[0] == colours[2] != colours[1]
    (legend,) = figure.legends
    unknown = "periodic or not: unknown (3)"  # of one cycle
    assert [t.get_text() for t in legend.get_texts()] == ["k 0.1", "k 0.2", unknown]


def test_loops_that_did_not_converge_have_circles_and_open_ones_squares_at_their_ends():
    run = lines([0.1, 0.2, 0.3], cycles=2)
    settled = run.history["member"] != 1
    moved = np.where(~settled & (run.history["step"] > 8), 0.5, 0.0)
    run.history = changed(run.history, converged=run.history["member"] != 2,
                          cl=run.history["cl"] + moved)  # fmt: skip

    figure = plot.loops(run)

    drawn = [line for line in figure.axes[0].lines if len(line.get_xdata())]
    assert [line.get_marker() for line in drawn] == ["None", "None", "s", "None", "o"]
    opened, ends = drawn[1].get_xydata(), drawn[2].get_xydata()
    assert ends.tolist() == [opened[0].tolist(), opened[-1].tolist()]
    assert opened[-1, 1] - opened[0, 1] == pytest.approx(0.5)  # from the cycle before
    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert texts[-2:] == ["did not converge (1)", "not periodic (1)"]


def test_a_legend_leaves_out_what_only_failed_members_have():
    run = lines([0.1, 0.2, 0.3], about_x=[0.0, 0.0, 0.5], amplitude_deg=[1.0, 2.0, 3.0])
    run.summary["failed"] = [{"member": 2, "text": "member 2: it broke"}]

    with pytest.warns(UserWarning, match="left out, having failed .*: members 2"):
        figure = plot.loops(run)

    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert texts == ["k 0.1", "k 0.2", "amplitude 1 deg", "amplitude 2 deg",
                     "periodic or not: unknown (2)", "left out: 1 failed"]  # fmt: skip


def test_a_second_number_has_dashes_and_a_third_is_named():
    run = lines([0.1, 0.2, 0.3], amplitude_deg=[1.0, 2.0, 2.0], about_x=[0.0, 0.5, 0.0])

    figure = plot.loops(run)
    other = plot.loops(run, by="amplitude_deg")

    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert texts == ["k 0.1", "k 0.2", "k 0.3", "amplitude 1 deg", "amplitude 2 deg",
                     "for each about x", "periodic or not: unknown (3)"]  # fmt: skip
    drawn = [line for line in figure.axes[0].lines if len(line.get_xdata())]
    assert [line.get_linestyle() for line in drawn] == ["-", "--", "--"]
    assert other.legends[0].get_texts()[0].get_text() == "amplitude 1 deg"
    with pytest.raises(CaseError, match=r"by = 'mach', expected one of what varies: \['k'"):
        plot.loops(run, by="mach")


def test_many_values_have_a_bar_of_colours():
    figure = plot.loops(lines(list(np.linspace(0.1, 0.3, 12))))

    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert texts == ["periodic or not: unknown (12)"]
    bar = figure.axes[2]
    assert bar.get_ylabel() == "k"
    assert bar.get_ylim() == pytest.approx((0.1, 0.3))


def test_loops_go_by_phase_where_a_member_does_not_pitch():
    run = lines([0.1, 0.2])
    history = run.history
    alpha = np.where(history["member"] == 1, 0.0, history["alpha_deg"])
    run.history = changed(history, alpha_deg=alpha)

    lift = plot.loops(run).axes[0]

    assert "omega" in lift.get_xlabel()
    along = [line.get_xdata() for line in lift.lines if len(line.get_xdata())]
    assert [(x.min(), x.max()) for x in along] == [(45, 360)] * 2  # of one cycle, not joined


def test_loops_without_a_whole_cycle_are_refused():
    history = History()
    history.append(dict.fromkeys(history.columns, 0.0) | {"step": 1})
    run = Run(history, summary.Summary(asked=TWO[:1], finished="now"), None)

    with pytest.raises(CaseError, match="less than one cycle"):
        plot.loops(run)


def test_phase_axes_tick_at_quarters():
    for axes in plot.hysteresis(loop(amplitude=0.0)).axes:
        low, high = axes.get_xlim()
        ticks = [t for t in axes.get_xticks() if low <= t <= high]
        assert ticks == [0, 90, 180, 270, 360]


@pytest.mark.long
def test_mach_png_says_its_phase(tmp_path, monkeypatch):
    titles = []
    monkeypatch.setattr("kinemesh.plot.folder.mach", lambda *a, path, **_: titles.append(a[-1]))

    plot.from_directory(folder(tmp_path, cycles=2))

    # its one frame is at time 1, and its cycle takes 8
    assert titles == ["Mach 0.8, phase 45 degrees"]


def test_bodies_have_colours_of_their_own():
    mesh = ring()
    half = np.arange(len(mesh.walls))
    bodies = {"slat": half[:8], "main": half[8:]}

    figure = plot.surface_pressure(mesh.points, mesh.walls, mesh.points[:, 1], "", bodies)

    axes, (legend,) = figure.axes[0], figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["slat", "main"]
    slat, main = axes.collections
    edges = [sum(len(line) - 1 for line in one.get_segments()) for one in (slat, main)]
    assert edges == [8, len(half) - 8]  # the walls of the ring have no corner
    assert tuple(slat.get_colors()[0]) != tuple(main.get_colors()[0])


def test_a_figure_shows_itself_in_a_notebook():
    figure = plot.hysteresis(loop())

    data, size = figure._repr_png_()
    assert data[:4] == PNG
    pixels = [int.from_bytes(data[k : k + 4], "big") for k in (16, 20)]
    assert pixels == [2 * size["width"], 2 * size["height"]]  # for fine screens


def test_ipython_takes_the_picture_without_pyplot():
    formatters = pytest.importorskip("IPython.core.formatters")

    data, about = formatters.DisplayFormatter().format(plot.hysteresis(loop()))

    assert data["image/png"][:4] == PNG
    assert about["image/png"]["width"] == 720


def test_less_than_a_cycle_is_an_error_unless_allowed(tmp_path, undrawn):
    folder(tmp_path, cycles=0.5)

    with pytest.raises(CaseError, match="less than one cycle"):
        plot.from_directory(tmp_path)
    assert [p.name for p in plot.from_directory(tmp_path, complete=False)] == [
        "mach.png",
        "mesh.png",
    ]


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_unchanged_ready_case_is_drawn_beside_its_reference(tmp_path, undrawn):
    case = km.cases.load("agard-ct5")
    case.run(
        out=tmp_path / "ct5",
        device="cpu",
        nodes=600,
        method="meshless",
        cycles=1,
        steps_per_cycle=16,
    )

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        plot.from_directory(tmp_path / "ct5")

    assert [str(w.message) for w in told if "without the reference" in str(w.message)] == []


def test_reference_of_another_motion_is_left_out_with_a_warning(tmp_path, undrawn):
    folder(tmp_path, name="agard-ct5")  # its data pitch by 2.51 degrees, this run by 2

    with pytest.warns(UserWarning, match="the case has another stream or motion"):
        made = plot.from_directory(tmp_path)

    assert made[0].exists()


def test_upper_side_is_the_one_above():
    mesh = ring()
    height = mesh.points[:, 1]  # stands for the pressure, so that the sides are told apart

    axes = plot.surface_pressure(mesh.points, mesh.walls, height).axes[0]

    upper, lower = (np.concatenate(c.get_segments()) for c in axes.collections)
    eps = 8 * np.finfo(float).eps
    assert upper[:, 1].min() > -eps
    assert lower[:, 1].max() < eps


def test_mach_is_drawn_near_the_body_only_and_must_be_finite():
    mesh = ring(layers=9)
    cells = np.concatenate([np.pad(mesh.triangles, ((0, 0), (0, 1)), constant_values=-1)])
    cells = np.concatenate([cells, mesh.quads])
    mach = np.hypot(*mesh.points.T)

    axes = plot.mach(mesh.points, cells, mach, mesh.walls).axes[0]

    assert axes.get_xlim()[1] < 3 < mach.max()
    with pytest.raises(CaseError, match="not finite"):
        plot.mach(mesh.points, cells, mach * np.nan, mesh.walls)


def test_mesh_shows_the_whole_and_close_ups():
    mesh = ring()
    cells = np.pad(mesh.triangles, ((0, 0), (0, 1)), constant_values=-1)

    whole, body = plot.mesh(mesh.points, np.r_[cells, mesh.quads], mesh.walls).axes

    span = [np.ptp(axes.get_xlim()) for axes in (whole, body)]
    assert span[0] > 2 * 0.5 * 1.5**5
    assert span[0] > span[1]
    # 24 edges per ring and spoke, and a diagonal for each pair of triangles
    edges = whole.collections[0].get_segments()
    assert len(edges) == 24 * 6 + 24 * 5 + 24 * 3


def test_what_is_not_a_run_is_refused(tmp_path):
    with pytest.raises(CaseError, match="no such folder"):
        plot.from_directory(tmp_path / "none")
    with pytest.raises(CaseError, match="holds no run"):
        plot.from_directory(tmp_path)


def test_steps_that_did_not_converge_are_marked_and_counted(tmp_path):
    found = hysteresis(
        folder(tmp_path)
    )  # one step of the last cycle, a quarter of it before the end

    lift, moment = plot.hysteresis(found, loop()).axes

    assert found.unconverged == 1
    at = int(np.flatnonzero(~found.converged)[0])
    assert found.phase_deg[at] == pytest.approx(360 * 13 / 16)
    for axes, coefficient in ((lift, found.cl), (moment, found.cm)):
        marks = [line for line in axes.lines if line.get_marker() == "o"]
        assert marks[0].get_xdata() == found.alpha_deg[at]
        assert marks[0].get_ydata() == coefficient.values[at]
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        assert "1 of 16 steps not converged" in texts


def test_a_loop_of_converged_steps_has_no_marks():
    lift = plot.hysteresis(loop()).axes[0]

    texts = [text.get_text() for text in lift.get_legend().get_texts()]
    assert texts == ["made up\n(periodic or not: not known of one cycle)"]
    assert not [line for line in lift.lines if line.get_marker() == "o"]


def test_a_cloud_is_drawn_as_its_points(tmp_path):
    made = ring()

    whole, body = plot.cloud(made.points, made.walls, path=tmp_path / "mesh.png").axes

    assert "144 points" in whole.get_title(loc="left")
    (all_of_them,) = whole.lines
    np.testing.assert_array_equal(np.transpose(all_of_them.get_data()), made.points)
    assert all_of_them.get_linestyle() == "None"
    (near,) = body.lines
    assert 0 < len(near.get_xdata()) < 144
    assert (tmp_path / "mesh.png").read_bytes()[:4] == PNG
