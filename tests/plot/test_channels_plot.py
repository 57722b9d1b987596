"""Figures of channels: pressure along their sides, mass flow of their ends, no loads of zero."""

from types import SimpleNamespace

import figures
import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.io import STEADY, UNSTEADY, History
from kinemesh.plot import channels
from kinemesh.results.flow_fields import Fields
from made_up import folder

pytestmark = pytest.mark.no_sanitizer


def flow(split=False, on="points", columns=9, rows=4):
    """A stream along a channel from 0 to 2 that narrows, in quadrilaterals or in triangles."""
    x, up = np.meshgrid(np.linspace(0, 2, columns), np.linspace(0, 1, rows), indexing="ij")
    height = 1 - 0.1 * x
    points = np.stack([x, up * height], axis=-1).reshape(-1, 2)
    at = np.arange(columns * rows).reshape(columns, rows)
    cells = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    if split:
        none = np.full(len(cells), -1)
        halves = [np.stack([*cells[:, own].T, none], axis=1) for own in ([0, 1, 2], [0, 2, 3])]
        cells = np.concatenate(halves)
    places = points if on == "points" else points[cells[:, :3]].mean(axis=1)
    u = np.ones(len(places))
    slope = -0.1 * places[:, 1] / (1 - 0.1 * places[:, 0])  # along lines of equal share of height
    arrays = {"Velocity": np.stack([u, slope * u, 0 * u], axis=1), "Cp": -places[:, 0]}
    none = np.zeros((0, 2), int)
    return Fields(arrays, points, cells, none, {}, 0, 0.0, np.nan, np.nan, False, (), on)


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("on", ["points", "cells"])
def test_sides_of_a_channel_are_where_the_flow_goes_along(split, on):
    found = channels.sides(flow(split, on))

    assert list(found.bodies) == ["lower side", "upper side"]
    for name, share in (("lower side", 0.0), ("upper side", 1.0)):
        nodes = np.unique(found.walls[found.bodies[name]])
        x, y = found.points[nodes].T
        assert y == pytest.approx(share * (1 - 0.1 * x))
        assert sorted(x) == pytest.approx(np.linspace(0, 2, 9))


def test_a_channel_without_walls_has_its_pressure_along_both_sides(tmp_path, looked, monkeypatch):
    made = folder(tmp_path, "steady")
    own = flow()
    own = Fields(dict(own.arrays) | {"Mach": 0.3 + 0 * own["Cp"]}, *(
        getattr(own, n) for n in list(Fields.__dataclass_fields__)[1:]))  # fmt: skip
    monkeypatch.setattr("kinemesh.results.flow_fields.read", lambda *_: own)
    drawn = figures_of_cp(monkeypatch)

    km.plot.from_directory(made)

    (figure,) = drawn
    assert figures.empty(figure) == []
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["lower side", "upper side"]
    assert figure.axes[0].get_ylabel() == "$c_p$"
    assert figure.axes[0].yaxis_inverted()
    assert set(map(tuple, looked.values())) == {()}


def figures_of_cp(monkeypatch):
    """List to which each cp.png that is drawn is added."""
    drawn = []
    draw = plot.steady_walls.surface_pressure
    monkeypatch.setattr("kinemesh.plot.steady_walls.surface_pressure",
                        lambda *a, **k: drawn.append(draw(*a, **k)))  # fmt: skip
    return drawn


def fed(total, mach=0.3, far=(), walls=()):
    """A run whose gas comes in with a total pressure, in one member."""
    mesh = {"far": list(far), "walls": list(walls)}
    mesh["conditions"] = {"out": {"pressure": 0.75}, "in": {"total_pressure": total}}
    last = {"total_pressure_in": np.array([0.4, 1.25])}
    return SimpleNamespace(
        summary={"mesh": mesh, "case": {"title": "Nozzle"}},
        asked=lambda: [{"mach": mach, "alpha_deg": 0.0}],
        history=SimpleNamespace(member=lambda m: last),
    )


@pytest.mark.parametrize(
    ("total", "mach", "far", "found"),
    [
        (1.0, 0.3, (), 1.0),
        ([1.0, 2.0], 0.3, (), 1.0),
        ("pulse", 0.3, (), 1.25),  # a function of time
        (1.0, 0.3, ("far",), None),
        (1.02828, 0.2, (), None),  # as of bump-sa
        (1 / 0.9725, 0.2, (), None),  # NACA Report 1135
        (1.0290, 0.2, (), 1.0290),
        (1.02828, 0.3, (), 1.02828),
    ],
)
def test_total_pressure_is_of_gases_without_a_stream(total, mach, far, found):
    assert channels.total_pressure(fed(total, mach, far), 0) == found


def test_pressure_of_a_nozzle_is_over_that_of_its_reservoir(tmp_path, looked, monkeypatch):
    own = flow()
    own.arrays.update(Mach=0 * own["Cp"], Pressure=(1.5 - 0.25 * own.points[:, 0]) / 1.4)
    mesh = fed(2.0).summary["mesh"]
    monkeypatch.setattr("kinemesh.results.flow_fields.read", lambda *_: own)
    drawn, made = figures_of_cp(monkeypatch), km.open(folder(tmp_path, "steady"))
    made.summary["mesh"] = mesh
    monkeypatch.setattr("kinemesh.results.open", lambda *_: made)

    km.plot.from_directory(tmp_path)

    axes = drawn[0].axes[0]
    x, y = np.concatenate([line.get_segments()[0] for line in axes.collections]).T
    assert y == pytest.approx(0.75 - 0.125 * x)  # p / p_inf over 2
    assert axes.get_ylabel() == "$p/p_0$"
    assert not axes.yaxis_inverted()


def test_films_of_a_nozzle_show_its_pressure_over_that_of_its_reservoir():
    own = flow()
    own.arrays["Pressure"] = 0.5 + 0 * own["Cp"]

    shade = plot.films._shade(fed(1.4), "cp", 0, own, plot.units.CHORDS)

    assert shade.label == "$p/p_0$"
    assert plot.flows.values_of(own, shade) == pytest.approx(0.5)
    assert plot.films._shade(fed(1.4, far=("far",)), "cp", 0, own, plot.units.CHORDS).field == "Cp"


def test_titles_tell_no_stream_that_is_not_there():
    title = plot.titles.title_of

    assert title(fed(1.0), 0) == "Nozzle"
    assert title(fed(1.0, walls=("upper",)), 0) == "Nozzle\ncoefficients by Mach 0.3"
    assert title(fed(1.0, far=("far",)), 0) == "Nozzle\nMach 0.3, alpha 0 deg"


def steady(loads, mass=()):
    """The history of a steady run, with loads of a size, and mass flow through ends."""
    history = History([*STEADY, *(f"mass_flow_{name}" for name in mass)])
    for n in range(1, 9):
        row = dict.fromkeys(history.columns, loads * 0.5**n) | {"iteration": n, "member": 0}
        row |= {"residual": 0.5**n} | {f"mass_flow_{name}": 0.4 + 0.1**n for name in mass}
        history.append(row)
    return history


@pytest.mark.parametrize(
    ("loads", "mass", "panels"),
    [
        (1.0, (), ["residual", "$c_l$"]),
        (0.0, (), ["residual"]),
        (0.0, ("in", "out"), ["residual", "mass flow"]),
        (1.0, ("in", "out"), ["residual", "$c_l$", "mass flow"]),
    ],
)
def test_convergence_is_of_what_there_is(loads, mass, panels):
    figure = plot.convergence(steady(loads, mass))

    shown = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel() != "$c_d$"]
    assert shown == panels
    assert figures.empty(figure) == []
    if mass:
        lines = figure.axes[-1 if loads == 0 else 2].lines
        assert [line.get_label() for line in lines] == ["in", "out"]


class Rows(dict):
    """Columns of a history, of any names."""

    columns = property(list)


def test_mass_flow_takes_the_place_of_loads_of_zero_over_time():
    time = 0.1 * np.arange(1, 9)
    made = Rows(time=time, cl=0 * time, cd=0 * time)
    made |= {"mass_flow_in": 0.4 + 0 * time, "mass_flow_out": -0.4 + 0.1 * time}

    (panel,) = plot.loads(made).axes

    assert panel.get_ylabel() == "mass flow"
    assert [line.get_ydata()[-1] for line in panel.lines] == pytest.approx([0.4, -0.32])
    assert len(plot.loads(Rows(made | {"cl": time})).axes) == 2  # a body's lift and drag


def test_a_run_without_loads_and_ends_has_no_figure_of_loads(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("kinemesh.plot.folder.loads", lambda *a, **k: drawn.append(a))
    rows = {n: np.zeros(4) for n in UNSTEADY}
    made = History(UNSTEADY)
    made.extend(rows)
    run = SimpleNamespace(
        history=SimpleNamespace(member=lambda m: made), summary={"conditions": {}}
    )

    plot.folder._loads(run, 0, "", plot.units.Unit(), False, lambda name: None)

    assert drawn == []
