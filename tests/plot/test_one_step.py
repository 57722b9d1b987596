"""Figures of runs that are one step long, and marks in legends of figures without them."""

import kinemesh as km
import matplotlib.pyplot as plt
import numpy as np
import pytest
from kinemesh.plot import on_springs, roots, style, times
from kinemesh.plot.units import Unit

pytestmark = pytest.mark.filterwarnings("ignore:(member|Reynolds|.*far field):RuntimeWarning")


@pytest.fixture
def figures(monkeypatch):
    """Figures that are drawn, in place of files."""
    drawn = []
    monkeypatch.setattr(style, "_save", lambda figure, path: drawn.append(figure))
    yield drawn
    plt.close("all")


def marks(figure):
    return [line.get_marker() for axes in figure.axes for line in axes.get_lines()
            if len(line.get_xdata()) == 1]  # fmt: skip


@pytest.mark.flow
@pytest.mark.parametrize("steps", [1, 2])
def test_a_run_of_one_step_is_a_mark(figures, steps):
    ring = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0)
    case = km.Incompressible(
        ring, reynolds=100.0, structure=km.structure.Cylinder(2.0, 5.0), device="cpu",
        moment_about=(0, 0),
    )  # fmt: skip
    rows = case.run(time_step=0.1, steps=steps, kick={"shift": 0.05}).history
    times.loads(rows, "", path="loads.png")
    on_springs.coordinates(rows, ["y"], "", Unit(1.0), "time", path="coordinates.png")

    assert len(figures) == 2
    for figure in figures:
        found = [m for m in marks(figure) if m != "None"]
        assert bool(found) == (steps == 1)


def flutter_in_time(there):
    """Dataset of one Mach number whose boundary in time is there, or was not found."""
    import xarray as xr

    at = 0.8 if there else np.nan
    one = ("mach", [0.8])
    crossing = (("mach", "crossing"), [[0.8]])
    return xr.Dataset(
        {
            "boundary": one, "boundary_omega": one, "crossing_speed_index": crossing,
            "crossing_omega": crossing, "crossing_mode": (("mach", "crossing"), [[1]]),
            "crossing_up": (("mach", "crossing"), [[1.0]]), "divergence": ("mach", [np.nan]),
            "end": ("mach", ["flutter"]), "zeta": (("mach", "mode"), [[0.0]]),
            "time_boundary": ("mach", [at]), "time_boundary_omega": ("mach", [at]),
            "time_crossing": (("mach", "crossing"), [[at]]),
        },
        {"mach": [0.8], "mode": [1]}, {"structure": "TypicalSection(mu=60.0, cubic_h=0.0)"},
    )  # fmt: skip


@pytest.mark.parametrize("there", [True, False])
def test_a_legend_names_points_in_time_where_there_are_some(figures, there):
    roots.flutter(flutter_in_time(there), "flutter.png")

    legend = figures[0].axes[0].get_legend()
    assert ("in time" in [text.get_text() for text in legend.get_texts()]) == there
