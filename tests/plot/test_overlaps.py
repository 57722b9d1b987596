"""No text lies over another one, and none is cut, in figures of loops, cycles, members and studies.

Figures of flows are looked at in test_units_plot.py, those of sweeps in test_no_empty_figure.py.
"""

import figures
import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.study.hysteresis import hysteresis
from made_up import changed, loop, run
from test_no_empty_figure import KINDS, of_motion
from test_panels import flapping
from two_runs import loop_run, sine, still

TITLE = "AGARD CT6: NACA 64A010 pitching 1.01 degrees at M 0.796, turbulent\nRe 1.256e7, k 0.2"
TABLE = {"alpha": 2 * np.sin(np.arange(24) * np.pi / 12 - 1), "cl": np.arange(24.0)}
pytestmark = [
    pytest.mark.no_sanitizer,
    pytest.mark.long,  # texts have places once a figure is laid out
    pytest.mark.filterwarnings("ignore"),
]


def turbulent():
    """A loop that is not periodic and did not converge in a step."""
    made = run()
    return hysteresis(changed(made, cm=np.where(made["step"] > 64, 1.1, 1.0) * made["cm"]))


def pair():
    """Two runs of one case."""
    each = [loop_run(sine(a, 20), sine(0.1 * a, 5), power=still(1e-3)) for a in (0.3, 0.33)]
    return km.compare(*each)


def flat(ratio=0.42):
    """Vorticity of a gas in a flat window, whose bar is shorter than its label."""
    x, y = np.meshgrid(np.linspace(-1, 6.5, 40), np.linspace(-1, 1, 20) * 3.75 * ratio)
    points, at = np.stack([x.ravel(), y.ravel()], axis=1), np.arange(800).reshape(20, 40)
    cells = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1).reshape(-1, 4)
    view = (-1, 6.5, -3.75 * ratio, 3.75 * ratio)
    more = {"gas": True, "view": view, "range": (-0.15, 0.15)}
    return plot.vorticity(points, cells, np.sin(x).ravel(), np.zeros((0, 2), int), TITLE, **more)


def marked(high):
    """Mach number that passes 1 in a channel of 20 lengths, and so high."""
    x, y = np.meshgrid(np.linspace(0, 20, 60), np.linspace(0, high, 12))
    points, at = np.stack([x.ravel(), y.ravel()], axis=1), np.arange(720).reshape(12, 60)
    cells = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1).reshape(-1, 4)
    walls, view = np.zeros((0, 2), int), (-0.4, 20.4, -0.02, high + 0.02)
    return plot.mach(points, cells, 0.2 + x.ravel() / 15, walls, TITLE, view=view)


def round_body():
    """Pressure on a sphere, of a run of which something must be known."""
    mesh = km.mesh.sphere(nodes=1500)
    (walls,) = [faces for name, faces in mesh.boundaries.items() if name != "farfield"]
    faces = np.concatenate([walls[:, [0, 1, 2]], walls[:, [0, 2, 3]]])
    mark = "12 of 12 steps of the last cycle did not converge"
    title = "Mach 0.3, k 0.3\nphase 0 degrees"
    return plot.wings.pressure(mesh.points, faces, mesh.points[:, 0], title, mark, unit="diameter")


FIGURES = {
    "sphere": round_body,
    "nozzle": lambda: marked(1.3),
    "nozzle, less flat": lambda: marked(5.0),
    "picture with its mark": lambda: marked(18.0),
    "flat": flat,
    "flatter": lambda: flat(0.2),
    "loop": lambda: plot.hysteresis(turbulent(), title=TITLE),
    "loop beside three": lambda: loop().plot(
        [loop(scale=1.1), loop(scale=2.3), TABLE | {"cm": TABLE["cl"]}], title=TITLE
    ),
    "loop beside one": lambda: plot.hysteresis(turbulent(), "agard-ct5", title=TITLE),
    "cycle": lambda: plot.cycle(flapping(0.2, 1.0, 2.0), [flapping(0.1, 1.0, 2.0)], title=TITLE),
    "tiny powers": lambda: plot.cycle(flapping(2e-6, 1.0), title=TITLE),
    "two runs": lambda: pair().plot(),
} | {
    f"lines, {kind}": lambda numbers=numbers: km.plot.sweep_lines(of_motion(*numbers, one=True))
    for kind, (numbers, _) in KINDS.items()
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_over_another(name):
    figure = FIGURES[name]()

    assert figures.empty(figure) == []
    assert figures.overlaps(figure) == []


def test_texts_over_one_another_and_beyond_the_figure_are_found():
    figure = plot.hysteresis(loop())
    axes = figure.axes[0]
    axes.text(0.5, 0.5, "one", transform=axes.transAxes)
    axes.text(0.5, 0.5, "two", transform=axes.transAxes)
    figure.text(0.98, 0.5, "beyond the edge of the figure")

    found = figures.overlaps(figure)

    assert ("one", "two") in found
    assert ("beyond the edge of the figure", "cut by the figure") in found


@pytest.mark.parametrize("ratio", [0.42, 0.2, 0.1])
def test_the_label_of_a_short_bar_is_no_higher_than_the_bar(ratio):
    figure = flat(ratio)
    figure.draw_without_rendering()

    (bar,) = figure.axes[0].child_axes

    label, whole = bar.yaxis.label.get_window_extent(), bar.get_window_extent()
    assert label.height <= whole.height + 2 * figures.ROOM
