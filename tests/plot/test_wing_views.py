"""Pictures of wings: windows, panels, lines of the mesh, the moment that they show, titles."""

import warnings
from dataclasses import replace

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh import plot
from kinemesh.plot import spans, wings
from kinemesh.plot.histories import hysteresis
from kinemesh.results.sections import sections
from kinemesh.results.spanwise import Spanwise
from kinemesh.study.cuts import Cut
from kinemesh.study.face_diagonals import diagonals_of
from matplotlib.collections import PolyCollection, TriMesh

pytestmark = pytest.mark.no_sanitizer
SPHERE = km.mesh.sphere(nodes=1500)


def section_between():
    """A mesh of hexahedra about a section, between planes of symmetry."""
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0, cells="quads")
    return km.mesh.extruded(plane, span=1.0, layers=2, cells="hexes")


def triangles_of(mesh, marker):
    faces = mesh.boundaries[marker]
    return np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])


def cells_of(mesh):
    (cells,) = mesh.solids.values()
    return cells


def test_the_view_of_a_body_is_that_about_it_and_of_a_wake_reaches_behind():
    mesh = section_between()
    walls = triangles_of(mesh, "airfoil")
    (middle,) = sections(mesh.points, walls, [0.4])
    mach = np.linspace(0.3, 0.6, mesh.nodes)

    def window(view):
        panel = spans.cut(mesh.points, cells_of(mesh), mach, middle, view=view).axes[0]
        return (*panel.get_xlim(), *panel.get_ylim())

    assert window("body") == window(None)
    x0, x1, z0, z1 = window("body")
    assert (x0, x1) == (pytest.approx(-0.5), pytest.approx(1.5))
    assert z1 - z0 == pytest.approx(1.12, rel=1e-2)
    x0, x1, z0, z1 = window("wake")
    assert (x0, x1) == (pytest.approx(-1.0), pytest.approx(6.5, rel=0.02))
    assert z1 - z0 > 2.5


@pytest.mark.parametrize("lines", [True, False])
def test_a_cut_is_smooth_where_values_are_of_nodes_and_flat_where_they_are_of_cells(lines):
    mesh, mach = section_between(), 0.2
    cells, walls = cells_of(mesh), triangles_of(mesh, "airfoil")
    (middle,) = sections(mesh.points, walls, [0.4])
    at_nodes, at_cells = mach + 0.1 * mesh.points[:, 0], mach + 0.01 * np.arange(len(cells))

    def drawn(values, on):
        figure = spans.cut(mesh.points, cells, values, middle, lines=lines, on=on)
        return figure.axes[int(lines)].collections[0]

    smooth, flat = drawn(at_nodes, "points"), drawn(at_cells, "cells")

    assert isinstance(smooth, TriMesh)
    at = smooth._triangulation
    used = np.unique(at.triangles)
    shown = np.asarray(smooth.get_array())[used]
    assert shown == pytest.approx(mach + 0.1 * at.x[used])  # linear, so exact
    assert isinstance(flat, PolyCollection)
    assert set(np.round(flat.get_array(), 9)) <= set(np.round(at_cells, 9))


def test_faces_of_four_corners_have_no_diagonal():
    mesh = section_between()
    walls, wall = triangles_of(mesh, "airfoil"), mesh.boundaries["airfoil"]
    plane = np.unique(mesh.boundaries["symmetry_left"])

    figure = wings.mesh(mesh.points, walls, cells_of(mesh), plane)

    top, side = (np.array(axes.collections[0].get_segments()) for axes in figure.axes)
    x, y = np.abs(top[:, 1] - top[:, 0]).T  # the span is along the panel's x
    assert (np.minimum(x, y) < 1e-12).all()
    upper = wall[mesh.points[wall][..., 2].mean(axis=1) > 0]
    pairs = np.stack([upper, np.roll(upper, 1, axis=1)], axis=2).reshape(-1, 2)
    assert len(top) == len(np.unique(np.sort(pairs, axis=1), axis=0))
    assert len(side) > 100


@pytest.mark.long
def test_a_body_without_a_plane_of_symmetry_has_no_panel_for_one(tmp_path, drawn):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = km.Ale(SPHERE, mach=0.3, settings=km.AleSettings(steady_iterations=2))
        case.steady(out=tmp_path)

        plot.from_directory(tmp_path)

    assert [axes.get_title("left") for axes in drawn["mesh"].axes] == ["upper side"]
    cloud = half_wing()
    (name,) = [n for n in cloud.boundaries if n not in ("farfield", "symmetry")]
    walls, colour = cloud.boundaries[name], np.arange(len(cloud.points)) % 2
    none = wings.cloud(cloud.points, walls, np.empty(0, int), colour)
    both = wings.cloud(cloud.points, walls, np.unique(cloud.boundaries["symmetry"]), colour)
    assert (len(none.axes), len(both.axes)) == (2, 3)  # and a bar of colours


@pytest.mark.long
@pytest.mark.parametrize("factor", [1.0, 1.03, 250.0])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_axes_of_a_wing_are_in_chords_whatever_its_mesh_is_in(tmp_path, drawn, factor):
    """Windows go with the chord: 0.6 of it beyond both ends of the root."""
    mesh, unit = section_between(), "chord"
    few = km.AleSettings(steady_iterations=1)
    case = km.Ale(
        mesh.transformed(factor * mesh.points), mach=0.3, settings=few, device="cpu",
        reference_area=factor**2, reference_length=factor, moment_about=(0.25 * factor, 0.0),
    )  # fmt: skip
    case.steady(out=tmp_path)

    plot.from_directory(tmp_path)

    top, side = drawn["mesh"].axes
    assert (top.get_xlabel(), top.get_ylabel()) == (f"$y$ [{unit}]", f"$x$ [{unit}]")
    assert (side.get_xlabel(), side.get_ylabel()) == (f"$x$ [{unit}]", f"$z$ [{unit}]")
    assert side.get_xlim() == pytest.approx((-0.6, 1.6), rel=0.02)
    for name in ("cp", "cut"):
        axes = drawn[name].axes[0]
        assert axes.get_ylabel().endswith(f"[{unit}]")
    assert "spanwise" not in drawn  # its sections are the same all along


@pytest.mark.parametrize("cycle", [pytest.param(True, marks=pytest.mark.slow), False])
def test_pictures_of_an_unsteady_wing_say_when_they_are(tmp_path, drawn, cycle):
    steps = {"cycles": 1, "steps_per_cycle": 4} if cycle else {"time_step": 0.5, "steps": 4}
    settings = km.AleSettings(unsteady_iterations=2, linear_solver="lusgs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = km.Ale(SPHERE, mach=0.3, settings=settings, motion=km.motion.pitch(2.0, 0.2))
        case.run(**steps, start="as is", out=tmp_path)
        plot.from_directory(tmp_path)

    titles = {name: drawn[name]._suptitle.get_text() for name in set(drawn) - {"loads"}}
    now = "phase 0 degrees" if cycle else "time 2 diameter"
    for name in ("cp", "sections", "cut", "mesh"):
        assert now in titles[name], name
    assert (now in titles["spanwise"]) is not cycle


@pytest.mark.parametrize("periodic", [True, False])
def test_a_loop_that_is_periodic_says_nothing_else_of_its_other_loads(periodic):
    """Runs are periodic by cl and cm; a load near zero may change by much of its amplitude."""
    time = np.arange(48) / 24
    wave, later = np.sin(2 * np.pi * time), time >= 1
    rows = {"time": time + 1 / 24, "alpha_deg": wave, "cd": 0.1 * wave + 0.02 * later, "cm": wave}
    loop = km.hysteresis(rows | {"cl": wave + 0.1 * later * (not periodic)}, period=1.0)

    panel = hysteresis(loop, loads=("cl", "cd")).axes[1]

    assert loop.periodic is periodic
    legend = panel.get_legend()
    said = "" if legend is None else " ".join(text.get_text() for text in legend.get_texts())
    assert ("not periodic: changes by" in said) is not periodic


def test_a_title_of_capitals_and_figures_stays_in_its_figure():
    cloud = half_wing()
    (name,) = [n for n in cloud.boundaries if n not in ("farfield", "symmetry")]
    cp = np.linspace(-1.2, 1.0, len(cloud.points))
    title = "ONERA M6 WING, MACH 0.8395, ALPHA 3.06 DEGREES, AGARD AR-138, CASE B1, REYNOLDS 1.17E7"

    figure = wings.pressure(cloud.points, cloud.boundaries[name], cp, f"{title}, 39,401 NODES")

    figure.draw_without_rendering()
    box = figure._suptitle.get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1


@pytest.mark.long
def test_sections_and_loads_along_the_span_are_drawn_from_python(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = km.Ale(SPHERE, mach=0.3, settings=km.AleSettings(steady_iterations=2))
        run = case.steady(out=tmp_path)
    found = run.pressures(section=0.0) | run.pressures(section=0.5)

    figure = plot.sections(found, "two sections")

    for axes, (name, own) in zip(figure.axes, found.items(), strict=True):
        assert axes.get_title("left") == name
        drawn = np.concatenate([line.get_ydata() for line in axes.lines if len(line.get_ydata())])
        assert np.isin(own.mean, drawn).all()
    assert figure.axes[0].yaxis_inverted()
    assert figure._suptitle.get_text() == "two sections"
    assert len(plot.sections(run.pressures(section=0.5)).axes) == 1
    assert plot.spanwise(run.spanwise(), path=tmp_path / "load.png").axes
    assert (tmp_path / "load.png").exists()
    with pytest.raises(km.CaseError, match=r"is of a steady flow.*km\.plot\.sections"):
        plot.unsteady_pressures(found)
    with pytest.raises(km.CaseError, match="nothing to draw"):
        plot.sections({})


def test_the_cap_of_a_tip_is_left_out_but_for_the_load_at_its_end():
    """A whole wing has two ends."""
    eta = np.array([-1.0, -0.9901, -0.9899, 0.0, 0.9899, 0.9901, 1.0])
    own = dict.fromkeys(("y", "chord", "x", "z", "cl", "cd", "cm", "c_cl", "c_cd"), np.ones(7))
    found = Spanwise(eta=eta, **own, length=1.0, area=1.0)

    found = replace(found, harmonics={name: 0.1j * eta for name in ("cl", "cd", "cm")})
    panels = plot.spanwise(found).axes

    for axes, shown in zip(panels, (eta[[0, 2, 3, 4, 6]], eta[2:5], eta[2:5]), strict=True):
        assert [line.get_xdata().tolist() for line in axes.lines] == [shown.tolist()] * 2


def test_a_loop_is_drawn_with_a_title_and_other_loads():
    phase = np.arange(0.0, 360.0, 30.0)
    wave = np.sin(np.radians(phase))
    loop = km.hysteresis({"phase_deg": phase, "alpha_deg": wave, "cl": wave, "cd": 0.1 * wave})

    figure = loop.plot(title="a loop", loads=("cd",))

    assert figure._suptitle.get_text() == "a loop"
    assert [axes.get_ylabel() for axes in figure.axes] == ["$c_d$"]


def test_a_section_of_a_mesh_of_hexahedra_has_a_line_for_each_face():
    mesh = section_between()
    walls = triangles_of(mesh, "airfoil")
    skin = np.unique(walls, return_inverse=True)[1].reshape(-1, 3)

    found = diagonals_of(cells_of(mesh), walls, skin, mesh.nodes)

    faces = len(mesh.boundaries["airfoil"])
    assert len(np.unique(np.sort(found, axis=1), axis=0)) == faces
    cp = mesh.points[np.unique(walls), 0]
    drawn = wings.sections(mesh.points[np.unique(walls)], skin, cp, [(0.3, 0.3)], diagonals=found)
    upper, lower = (line for line in drawn.axes[0].lines if len(line.get_xdata()))
    each = [len(dict.fromkeys(line.get_xdata())) - 1 for line in (upper, lower)]
    assert sum(each) == faces / 2  # of two layers along the span one is cut
    assert (upper.get_linestyle(), lower.get_linestyle()) == ("-", "--")
    for line in (upper, lower):
        assert len(set(np.sign(np.diff(line.get_xdata())))) <= 2
        assert np.ptp(line.get_xdata()) == pytest.approx(1.0)


def test_ticks_of_sections_beside_each_other_have_room():
    mesh = section_between()
    walls = triangles_of(mesh, "airfoil")
    figure = wings.sections(mesh.points, walls, mesh.points[:, 0], [(y, y) for y in (0.1, 0.4)])

    for axes in figure.axes:
        low, high = axes.get_xlim()
        assert [tick for tick in axes.get_xticks() if low < tick < high] == [0.0, 0.5, 1.0]


def test_segments_of_a_side_in_any_order_make_one_curve_and_a_closed_one_another():
    x = np.array([[0.4, 0.6], [0.8, 0.6], [0.2, 0.4], [0.0, 0.2]])
    ring = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 0.0]])
    places = np.concatenate([x, ring])
    z = np.concatenate([0 * x, 5 + ring % 2])
    cut = Cut(places, z, 10 * places, np.ones(7, bool), 0.0, 1.0)

    first, second = wings._curves(cut, cut.upper)

    along = list(dict.fromkeys(np.round(first[0], 9)))
    assert along in ([0.0, 0.2, 0.4, 0.6, 0.8], [0.8, 0.6, 0.4, 0.2, 0.0])
    assert first[1] == pytest.approx(10 * first[0])
    assert second[0][0] == second[0][-1]
    assert set(second[0]) == {0.0, 1.0, 2.0}
