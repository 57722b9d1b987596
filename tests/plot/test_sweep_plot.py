"""Figures of sweeps, from Datasets whose numbers are made up."""

import kinemesh as km
import numpy as np
import pytest
import xarray
from kinemesh.errors import CaseError
from kinemesh.plot.folder import from_directory

MACH, K = np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.05, 0.1, 0.2])
PHASE = np.arange(0, 360, 30.0)


def sweep(**more):
    """Damping k - (mach - 0.6), zero on a line, and ellipses as loops.

    Of the cases at Mach 0.8 one has failed, one did not converge, one is not periodic, either; at
    Mach 0.5 one has not been run, and of one nobody knows whether it is periodic.
    """
    mach, k = np.meshgrid(MACH, K, indexing="ij")
    wave, cycle = np.sin(np.radians(PHASE)), np.cos(np.radians(PHASE))
    state = np.ones(mach.shape, np.int8)
    state[3, 0], state[0, 0] = 2, 0
    converged, periodic = state == 1, np.where(state == 1, 1.0, np.nan)
    converged[3, 1:], periodic[3, 2], periodic[0, 1] = False, 0.0, np.nan
    dims = ("mach", "k")
    return xarray.Dataset(
        {
            "damping": (dims, k - (mach - 0.6)),
            "state": (dims, state),
            "converged": (dims, converged),
            "periodic": (dims, periodic),
            "cause": (dims, np.where(state == 2, "made to fail", "")),
            "angle_deg": ((*dims, "phase"), np.broadcast_to(wave, (*mach.shape, len(PHASE)))),
            "cl": ((*dims, "phase"), mach[..., None] * wave + k[..., None] * cycle),
            "cm": ((*dims, "phase"), -0.1 * mach[..., None] * wave),
        },
        {"mach": MACH, "k": K, "phase": PHASE, **more},
    )


def sampled():
    """The cases as a sample, with the parameters along one dimension."""
    flat = sweep().stack(case=("mach", "k"), create_index=False)
    return flat.assign_coords(case=np.arange(flat.sizes["case"])).transpose("case", "phase")


def zero_line(figure):
    """Points of the line on which the map is zero."""
    lines = [c for c in figure.axes[0].collections if hasattr(c, "levels") and 0.0 in c.levels]
    return np.concatenate([path.vertices for line in lines for path in line.get_paths()])


@pytest.mark.parametrize("found", [sweep(), sampled()], ids=["grid", "sample"])
def test_the_map_has_the_line_on_which_damping_is_zero_and_crosses_what_failed(found):
    figure = km.plot.sweep_map(found)

    axes = figure.axes[0]
    mach, k = zero_line(figure).T
    # linear interpolation of a linear function
    np.testing.assert_allclose(k, mach - 0.6, atol=1e-12)
    marked = {line.get_marker(): line.get_xydata().tolist() for line in axes.lines}
    assert marked == {"+": [[0.5, 0.05]], "x": [[0.8, 0.05]], "o": [[0.8, 0.1], [0.8, 0.2]],
                      "s": [[0.8, 0.2]], "None": [[0.5, 0.1]]}  # fmt: skip
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "not run (1)", "failed (1)", "did not converge (2)", "not periodic (1)",
        "periodic or not: unknown (1)"]  # fmt: skip
    assert axes.get_xlabel() == "Mach number"


def test_a_map_without_anything_to_say_has_no_legend_and_names_what_is_fixed():
    found = sweep().isel(mach=slice(1, 3)).assign_coords(section="naca0012")

    figure = km.plot.sweep_map(found)

    assert figure.legends == []
    assert figure.axes[0].get_title("left") == "section naca0012"


@pytest.mark.filterwarnings("error")
def test_values_in_any_order_have_the_map_of_those_in_order():
    def colours(found):
        (mesh,) = [
            c for c in km.plot.sweep_map(found).axes[0].collections if hasattr(c, "get_coordinates")
        ]
        return mesh.get_coordinates(), mesh.get_array()

    places, values = colours(sweep())
    turned = colours(sweep().isel(mach=[2, 0, 3, 1], k=[1, 2, 0]))

    np.testing.assert_array_equal(turned[0], places)
    np.testing.assert_array_equal(turned[1], values)


def test_the_axes_are_those_that_were_asked_for():
    figure = km.plot.sweep_map(sweep(), x="k")

    k, mach = zero_line(figure).T
    np.testing.assert_allclose(k, mach - 0.6, atol=1e-12)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: km.plot.sweep_map(sweep(), "flutter"), "no number 'flutter' per case"),
        (lambda: km.plot.sweep_map(sweep(), "cl"), "no number 'cl' per case"),
        (lambda: km.plot.sweep_map(sweep(), "cause"), "no number 'cause' per case; there are d"),
        (lambda: km.plot.sweep_map(sweep(), x="section"), "'section' does not vary"),
        (lambda: km.plot.sweep_map(sweep().isel(k=[0])), "expected two parameters that vary"),
        (
            lambda: km.plot.sweep_map(sweep().expand_dims(flux=["roe", "hllc"])),
            "k varies, too; choose one",
        ),
        (lambda: km.plot.loops(sweep(), by="section"), "by = 'section', expected one of"),
        (lambda: km.plot.loops(sweep().drop_dims("phase")), "no loops"),
    ],
)
@pytest.mark.filterwarnings("ignore:left out, having failed:UserWarning")
def test_what_cannot_be_drawn_is_refused(made, words):
    with pytest.raises(CaseError) as caught:
        made()

    assert words in str(caught.value)


def test_loops_of_a_sweep_are_coloured_by_a_parameter_and_leave_out_what_failed():
    with pytest.warns(UserWarning, match="1 of 3 cases"):
        figure = km.plot.loops(sweep().sel(mach=0.8), by="k")

    drawn = [line for line in figure.axes[0].lines if len(line.get_xdata())]
    lines = [line for line in drawn if line.get_marker() == "None"]
    assert [len(line.get_xdata()) for line in lines] == [13, 12]  # closed, open
    circles = [line for line in drawn if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in circles] == [13, 12]
    (squares,) = [line for line in drawn if line.get_marker() == "s"]
    # its cycle begins a step after phase 0, where the one before ended
    assert squares.get_xdata() == pytest.approx([np.sin(np.radians(30)), 0.0])
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts[-3:] == ["did not converge (2)", "not periodic (1)", "left out: 1 failed"]
    assert {text.get_text() for text in figure.legends[0].get_texts()} >= {"k 0.1", "k 0.2"}
    # the ellipse of k = 0.1: its lift where the angle is zero and goes up
    x, y = (np.asarray(v) for v in lines[0].get_data())
    assert abs(y[np.argmin(np.abs(x))]) == pytest.approx(0.1)


@pytest.mark.filterwarnings("ignore:left out")
def test_the_folder_of_a_sweep_gets_loops_and_map(tmp_path, monkeypatch, undrawn):
    (tmp_path / "sweep.json").touch()
    monkeypatch.setattr("kinemesh.results.open", lambda folder: sweep())

    made = from_directory(tmp_path, format="svg")

    assert [path.name for path in made] == ["hysteresis.svg", "map-damping.svg"]
    assert all(path.exists() for path in made)


def by_time():
    """A sweep by time_step: its results are numbers per case, none of them with a phase."""
    found = sweep().drop_dims("phase").drop_vars(["damping", "periodic"])
    lift = found["state"] * np.arange(12.0).reshape(4, 3)
    made = {"cl_mean": lift, "cd_mean": 2 * lift, "strouhal": np.nan * lift, "cm_mean": lift}
    return found.assign(made)


def test_the_folder_of_a_sweep_by_time_gets_maps_of_what_it_has(tmp_path, monkeypatch, undrawn):
    (tmp_path / "sweep.json").touch()
    monkeypatch.setattr("kinemesh.results.open", lambda folder: by_time())

    made = from_directory(tmp_path)

    # no frequency was found, and cl_amplitude is not there
    assert [path.name for path in made] == ["map-cl_mean.png", "map-cd_mean.png"]


def test_a_map_is_of_what_the_sweep_has_where_nothing_is_asked_for():
    labels = [km.plot.sweep_map(found).axes[1].get_ylabel() for found in (by_time(), sweep())]

    assert labels == ["mean $c_l$", "damping"]


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: km.plot.sweep_map(by_time(), "damping"), "no number 'damping' per case; there are "
         "state, converged, cl_mean, cd_mean"),
        (lambda: km.plot.loops(by_time()), "run by time_step have no loops; .* there are state, "),
    ],
)  # fmt: skip
def test_what_a_sweep_by_time_has_not_is_refused_with_what_it_has(draw, words):
    with pytest.raises(CaseError, match=words):
        draw()


def over_one():
    """A sweep by time_step over the Mach number alone: the first case has not run, one failed."""
    lift = np.array([np.nan, 0.2, 0.5, np.nan])
    names = {"cl_mean": lift, "cd_mean": 2 * lift, "cl_amplitude": 3 * lift,
             "cd_amplitude": 4 * lift}  # fmt: skip
    names |= {f"cl_mean_{marker}": lift + 1 for marker in ("one", "two")}
    found = by_time().isel(k=[0]).drop_vars(["cl_mean", "cd_mean", "strouhal", "cm_mean"])
    return found.assign({n: (("mach", "k"), v[:, None]) for n, v in names.items()})


def test_the_folder_of_a_sweep_by_time_over_one_parameter_gets_lines(
    tmp_path, monkeypatch, undrawn
):
    (tmp_path / "sweep.json").touch()
    zipped = over_one().assign_coords(reynolds=("mach", [10.0, 20.0, 30.0, 40.0]))
    monkeypatch.setattr("kinemesh.results.open", lambda folder: zipped)

    assert [path.name for path in from_directory(tmp_path, format="svg")] == ["lines.svg"]
    assert (tmp_path / "lines.svg").exists()


def test_lines_are_means_and_amplitudes_over_the_parameter_in_any_order():
    figure = km.plot.sweep_lines(over_one().isel(mach=[2, 0, 3, 1]))

    labels = ["mean $c_l$", "mean $c_d$", "amplitude of $c_l$", "amplitude of $c_d$"]
    assert [axes.get_ylabel() for axes in figure.axes] == labels
    assert figure.axes[2].get_xlabel() == "Mach number"
    for times, axes in enumerate(figure.axes, 1):
        line = next(own for own in axes.lines if own.get_color() == km.plot.BLUE)
        np.testing.assert_array_equal(line.get_xdata(), MACH)
        np.testing.assert_allclose(line.get_ydata()[1:3], [0.2 * times, 0.5 * times])
    bodies = {own.get_label(): own.get_ydata()[1:3].tolist() for own in figure.axes[0].lines[:2]}
    assert bodies == {"one": [1.2, 1.5], "two": [1.2, 1.5]}


def nothing():
    """A sweep by cycles over one parameter in which no result has a number."""
    found = sweep().isel(k=[1])
    return found.assign(damping=np.nan * found["damping"])


def steady(*names):
    """A steady sweep over the Reynolds number, in which one case has failed."""
    made = {name: ("reynolds", np.array([0.1, 0.2, np.nan]) * (k + 1))
            for k, name in enumerate(names)}  # fmt: skip
    state = {"state": ("reynolds", np.array([1, 1, 2], np.int8))}
    return xarray.Dataset(made | state, {"reynolds": [1e6, 2e6, 3e6]})


def test_the_folder_of_a_steady_sweep_over_one_parameter_gets_lines(tmp_path, monkeypatch, undrawn):
    (tmp_path / "sweep.json").touch()
    found = steady("cl", "cd", "cm", "residual_drop")
    monkeypatch.setattr("kinemesh.results.open", lambda folder: found)

    assert [path.name for path in from_directory(tmp_path)] == ["lines.png"]


def test_lines_of_steady_viscous_cases_have_friction_and_take_it_for_no_body():
    found = steady("cl", "cd", "cm", "cd_pressure", "cd_friction", "cd_flap")
    figure = km.plot.sweep_lines(found)

    panels = [axes.get_ylabel() for axes in figure.axes]
    assert panels == ["$c_l$", "$c_d$", "$c_m$", "$c_d$ by friction"]
    lines = {own.get_label() for own in figure.axes[1].lines}
    assert lines >= {"flap", "all bodies"}
    assert not {"pressure", "friction"} & lines


def test_lines_of_steady_wings_have_the_loads_of_the_wake_and_take_them_for_no_body():
    found = steady("cl", "cd", "cm", "cd_induced", "cm_bending", "cm_roll", "cm_yaw")
    figure = km.plot.sweep_lines(found)

    panels = [axes.get_ylabel() for axes in figure.axes[:5]]
    assert panels == ["$c_l$", "$c_d$", "$c_m$", "$c_d$ by the wake", "$c_m$ of bending"]
    assert all(len(axes.lines) == 2 for axes in figure.axes[:5])  # numbers, and what failed


def test_lines_mark_at_the_foot_what_has_not_run_and_what_failed():
    figure = km.plot.sweep_lines(over_one())

    axes = figure.axes[1]
    marked = {own.get_marker(): own.get_xydata() for own in axes.lines if own.get_marker() in "+x"}
    assert {m: p[:, 0].tolist() for m, p in marked.items()} == {"+": [0.5], "x": [0.8]}
    assert all(np.isfinite(p).all() and (p[:, 1] <= 0.4).all() for p in marked.values())
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["one", "two", "all bodies", "not run (1)", "failed (1)"]


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: km.plot.sweep_lines(nothing()), "no case that ran has loads, damping, .*state"),
        (lambda: km.plot.sweep_lines(by_time()), r"k varies, too; .* ds.isel\(k=0\), or draw maps"),
        (lambda: km.plot.sweep_lines(over_one(), x="k"), "'k' does not vary, .* \\['mach'\\]"),
    ],
)
def test_lines_of_what_has_none_are_refused(draw, words):
    with pytest.raises(CaseError, match=words):
        draw()


def test_a_sweep_by_time_without_numbers_says_where_there_are_some(tmp_path, monkeypatch):
    (tmp_path / "sweep.json").touch()
    empty = by_time().isel(k=[0])
    empty = empty.assign({n: np.nan * empty[n] for n in ("cl_mean", "cd_mean")})
    monkeypatch.setattr("kinemesh.results.open", lambda folder: empty)

    with pytest.raises(CaseError, match=r"there are \['mach'\]; km.open.* case: .*cl_mean"):
        from_directory(tmp_path)


def test_a_sweep_has_no_film(tmp_path):
    (tmp_path / "sweep.json").touch()

    with pytest.raises(CaseError, match="holds a sweep"):
        km.plot.films_from_directory(tmp_path)


@pytest.mark.parametrize("mark", ["converged", "periodic"])
def test_colours_of_a_sample_are_seen_beside_their_marks(mark):
    """A disc of the size of the points has their colour in a third of its pixels at least."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    found = sampled().isel(case=[4, 8]).assign({mark: ("case", [0, 0])})
    found["state"][:], found["damping"][:] = 1, [0.1, 0.2]
    figure = km.plot.sweep_map(found)
    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(200)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3].astype(int)
    (shown,) = [c for c in figure.axes[0].collections if len(c.get_offsets())]

    for place, colour in zip(shown.get_offsets(), shown.get_facecolors(), strict=True):
        x, y = figure.axes[0].transData.transform(place)
        i, j = np.mgrid[: pixels.shape[0], : pixels.shape[1]]
        radius = 0.5 * shown.get_sizes()[0] ** 0.5 / 72 * 200
        disc = pixels[np.hypot(j - x, pixels.shape[0] - i - y) < radius]
        near = np.abs(disc - 255 * colour[:3]).max(axis=1) < 12
        assert near.mean() > 1 / 3


def test_figures_of_a_sweep_have_its_title():
    found = sweep()
    found.attrs["title"] = "agard-ct5"

    with pytest.warns(UserWarning, match="left out"):
        assert km.plot.loops(found).get_suptitle() == "agard-ct5"
    assert km.plot.sweep_map(found).axes[0].get_title("left") == "agard-ct5"
    lines = km.plot.sweep_lines(found.isel(k=1), x="mach")
    assert lines.axes[0].get_title("left") == "agard-ct5\nk 0.1"


def between_ends():
    """The cases with an outlet's pressure in place of k, and a total temperature of an inlet."""
    keys = {"mach": "mesh.boundaries.in.total_temperature", "k": "mesh.boundaries.out.pressure"}
    found = sweep().rename({"mach": "total_temperature", "k": "pressure"})
    for name, key in zip(("total_temperature", "pressure"), keys.values(), strict=True):
        found[name].attrs["long_name"] = key
    return found


@pytest.mark.filterwarnings("ignore:left out:UserWarning")
def test_numbers_of_boundaries_are_told_with_their_boundary_and_their_unit():
    found = between_ends()
    axes = km.plot.sweep_map(found).axes[0]
    (lines,) = [axes for axes in km.plot.sweep_lines(found.isel(pressure=1)).axes if axes.lines]
    loops = km.plot.loops(found, by="pressure")
    bar = km.plot.loops(found.isel(pressure=1), by="total_temperature")

    assert axes.get_xlabel() == r"in total temperature [$T_\infty$]"
    assert axes.get_ylabel() == r"out pressure [$p_\infty$]"
    assert lines.get_xlabel() == axes.get_xlabel()
    assert lines.get_title("left") == r"out pressure 0.1 $p_\infty$"
    told = [text.get_text() for text in loops.legends[0].get_texts()]
    assert told[:3] == [rf"out pressure {value:g} $p_\infty$" for value in K]
    assert told[3] == r"in total temperature 0.5 $T_\infty$"
    assert bar.get_suptitle() == r"out pressure 0.1 $p_\infty$"


@pytest.mark.filterwarnings("ignore:left out:UserWarning")
def test_loops_of_some_cases_of_a_sweep_say_what_these_have_in_common():
    found = sweep().assign_attrs(title="a sweep")

    assert km.plot.loops(found).get_suptitle() == "a sweep"
    assert km.plot.loops(found.isel(mach=-2)).get_suptitle() == "a sweep\nMach 0.7"
