"""References of loops: measured points are symbols, computed loops lines, one or several."""

import figures
import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli, plot
from kinemesh.errors import CaseError
from kinemesh.plot.style import percent
from made_up import folder, loop

pytestmark = [
    pytest.mark.no_sanitizer,
    pytest.mark.filterwarnings("ignore:no pressures:UserWarning"),  # folders of one frame
]

PHI = np.radians(np.arange(0, 360, 20))
TUNNEL = {"phase_deg": np.degrees(PHI), "alpha_deg": 2 * np.sin(PHI), "cl": 1.1 * np.sin(PHI - 0.3)}


def written(path, phi=PHI):
    """A file with incidence and lift alone, as of a wind tunnel."""
    rows = np.stack([2 * np.sin(phi), np.sin(phi - 0.3)], axis=1)
    np.savetxt(path, rows, delimiter=",", header="alpha,cl", comments="")
    return path


def test_measured_points_are_symbols_where_they_are_and_computed_loops_lines():
    figure = loop().plot([loop(scale=1.2), loop(scale=0.9), TUNNEL])

    first, second, points, own = figure.axes[0].lines
    assert [line.get_marker() for line in (first, second, points, own)] == ["None", "None", "o",
                                                                            "None"]  # fmt: skip
    assert points.get_linestyle() == "None"
    assert points.get_xdata() == pytest.approx(TUNNEL["alpha_deg"])
    assert points.get_ydata() == pytest.approx(TUNNEL["cl"])
    assert (first.get_color(), first.get_linestyle()) != (second.get_color(), "--")
    assert "--" in (first.get_linestyle(), second.get_linestyle())
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert [text.rpartition("rms")[1] for text in texts] == ["rms"] * 3 + [""]
    assert len(figure.axes[1].lines) == 3  # the moment was not measured


def test_a_cycle_has_the_points_over_the_phase():
    figure = plot.cycle(loop(), [loop(scale=1.2), TUNNEL])

    computed, points = figure.axes[1].lines[:2]
    assert (computed.get_linestyle(), points.get_marker()) == ("--", "o")
    assert points.get_xdata() == pytest.approx(TUNNEL["phase_deg"])


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1.3, "130 %"),
        (0.0007123, "0.071 %"),
        (0.0, "0 %"),
        (12.34, "1200 %"),
        (1.6e-16, "below 0.0001 %"),
    ],
)
def test_shares_are_told_without_exponents(share, text):
    assert percent(share) == text


def test_the_shell_draws_loops_beside_several_references(tmp_path, undrawn, capsys, monkeypatch):
    drawn = []
    draw = plot.folder.hysteresis
    monkeypatch.setattr(
        "kinemesh.plot.folder.hysteresis",
        lambda own, others, *more: drawn.append(others) or draw(own, others, *more),
    )
    mine, other = (folder(tmp_path / name) for name in ("mine", "other"))
    table = written(tmp_path / "tunnel.csv")

    status = cli.main(["plot", str(mine), "--reference", str(other), "--reference", str(table)])

    assert status == 0
    assert [one.measured is None for one in drawn[0]] == [True, False]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--reference", "no-such.csv"], "there is no such file"),
        (["--reference", "half.csv"], "rows on its way down, expected 3"),
        (["--reference", "agard-ct5"], "not the same motion"),
        (["--reference", "tunnel.csv", "--animate"], "--animate makes a film"),
    ],
)
def test_what_is_no_reference_of_a_loop_is_refused(words, told, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "tunnel.csv")
    written(tmp_path / "half.csv", np.radians(np.arange(-90, 95, 10)))
    folder(tmp_path / "run")

    assert cli.main(["plot", "run", *words]) == 2

    assert told in " ".join(capsys.readouterr().err.split())


def test_references_of_what_has_no_loop_are_refused(tmp_path):
    with pytest.raises(CaseError, match="the folder holds a run without a cycle"):
        km.plot.from_directory(folder(tmp_path, "steady"), reference="agard-ct5")


@pytest.mark.parametrize(
    ("loads", "shown"),
    [(("cl",), ["lift"]), (("cd",), ["drag"]), (("cm",), ["pitching moment, nose-up positive"]),
     (("cl", "cd"), ["lift", "drag"])],
)  # fmt: skip
def test_a_loop_has_panels_of_the_loads_that_it_has(loads, shown):
    table = {name: TUNNEL[name] for name in ("phase_deg", "alpha_deg")}
    own = km.hysteresis(table | dict.fromkeys(loads, TUNNEL["cl"]))

    loops = own.plot(loop())
    cycle = plot.cycle(own, loop())

    assert [axes.get_title("left") for axes in loops.axes] == shown
    names = [axes.get_title("left").partition("\n")[0] for axes in cycle.axes if axes.get_visible()]
    assert names == ["motion", *shown]
    assert figures.empty(loops) == figures.empty(cycle) == []


@pytest.mark.parametrize(
    ("loads", "told"), [(["cm"], "table has no cm"), ("cl", "names of loads"), ([], "names of")]
)
def test_loads_that_a_loop_does_not_have_are_refused_by_name(loads, told):
    with pytest.raises(CaseError, match=told):
        km.hysteresis(TUNNEL).plot(loads=loads)


def test_a_measured_loop_is_drawn_by_its_points_under_its_own_name():
    axes = km.hysteresis(TUNNEL).plot().axes[0]

    (points,) = [line for line in axes.lines if line.get_marker() == "o"]
    assert points.get_ydata() == pytest.approx(TUNNEL["cl"])
    (text,) = [text.get_text() for text in axes.get_legend().get_texts()]
    assert text.startswith("table\n")


@pytest.mark.parametrize("name", ["_tunnel.csv", "a_$1_$2.csv"])
def test_references_of_any_name_are_in_the_legend_as_it_is(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figure = loop().plot(written(tmp_path / name).name)

    figure.draw_without_rendering()

    first = figure.axes[0].get_legend().get_texts()[0].get_text()
    assert first.replace("\\$", "$").strip().startswith(name)


def test_references_of_one_name_are_told_apart():
    others = [loop(scale=1.2), loop(scale=0.9), TUNNEL, TUNNEL]

    legends = [loop().plot(others).axes[0].get_legend(), plot.cycle(loop(), others).legends[0]]

    for legend in legends:
        texts = [text.get_text().partition(",")[0] for text in legend.get_texts()]
        assert texts[:4] == ["made up (1)", "made up (2)", "table (1)", "table (2)"]


@pytest.mark.long  # a legend has its place once the figure is laid out
def test_a_legend_of_many_references_is_above_the_lines():
    figure = loop().plot([loop(scale=scale) for scale in np.linspace(0.5, 1.0, 14)])

    figure.draw_without_rendering()

    axes = figure.axes[0]
    top = max(axes.transData.transform(line.get_xydata())[:, 1].max() for line in axes.lines)
    assert axes.get_legend().get_window_extent().y0 > top


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: loop().compare(TUNNEL | {"cm": 0 * PHI}),
            "compare: cm of the reference 'table' does not change, .* leave cm out",
        ),
        (
            lambda: loop().plot(TUNNEL | {"alpha_deg": -1e-9 + 0 * PHI}),
            "the reference 'table' over 0.000 to 0.000 degrees",
        ),
        (
            lambda: km.hysteresis(
                {name: TUNNEL[name] for name in ("alpha_deg", "cl")},
                motion=km.motion.plunge(0.1, k=0.1),
            ),
            "table: no phase, and a motion whose angle does not change",
        ),
    ],
)
def test_references_without_a_swing_are_refused_by_name(make, told):
    with pytest.raises(CaseError, match=told):
        make()


@pytest.mark.parametrize("value", [0.0, 0.3, 1e7])
def test_a_reference_with_a_constant_load_is_drawn_without_a_share(value):
    table = TUNNEL | {"cm": np.cos(PHI)}
    constant = table | {"cm": value + 1e-14 * value * np.sin(PHI)}

    lift, moment = loop().plot(constant).axes
    both = loop().plot([constant, table]).axes[1]

    drawn = {line.get_label(): line for line in moment.lines}
    assert drawn["table\nconstant"].get_ydata() == pytest.approx(constant["cm"])
    assert any("table\nrms difference" in line.get_label() for line in lift.lines)
    told = [line.get_label() for line in both.lines]
    assert told[0].startswith("table (1), constant")
    assert told[1].startswith("table (2), rms ")


def test_a_reference_with_a_constant_drag_is_drawn():
    swung = km.hysteresis(TUNNEL | {"cd": np.cos(PHI)})
    figure = swung.plot(TUNNEL | {"cd": 0.2 + 0 * PHI}, loads=("cd",))

    label, _ = (line.get_label() for line in figure.axes[0].lines if line.get_marker() == "o")
    assert label == "table\nconstant"
