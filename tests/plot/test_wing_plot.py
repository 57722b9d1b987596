"""Pictures of wings: what they show, what they are told, and marks of what did not converge."""

import warnings
from functools import cache

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh import plot
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.plot import spans, wings
from kinemesh.plot.histories import hysteresis
from kinemesh.results.sections import sections
from solids import cube

pytestmark = pytest.mark.no_sanitizer
MESH = km.mesh.extruded(km.mesh.airfoil("naca0012", nodes=500, far_field=6.0), 1.0)
TITLE = "A half wing with a title that is longer than its picture is wide, in some detail, "
LONG = f"{TITLE}and on a cloud of points\nMach 0.84, alpha 3.06 deg"


@cache
def surface():
    """Points, walls and cp of the boundary of a half wing."""
    cloud = half_wing()
    (name,) = [n for n in cloud.boundaries if n not in ("farfield", "symmetry")]
    return cloud.points, cloud.boundaries[name], np.linspace(-1.2, 1.0, len(cloud.points))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two steps beyond a cycle of a section between planes, of which none converges."""
    settings = km.AleSettings(unsteady_drop=1e-6, unsteady_iterations=2)
    motion = km.motion.pitch(2.0, 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = km.Ale(MESH, mach=0.4, motion=motion, settings=settings, device="cpu")
        return case.run(
            cycles=1.25, steps_per_cycle=8, start="as is", preflight=False,
            out=tmp_path_factory.mktemp("wing"),
        )  # fmt: skip


def texts(figure):
    """Titles of a figure's legends, of which a mark is one, as one line each."""
    return [legend.get_title().get_text().replace("\n", " ") for legend in figure.legends]


def test_the_range_is_that_of_the_colours_of_the_surface():
    points, walls, cp = surface()

    figure = wings.pressure(points, walls, cp, range=(-1.0, 0.5))

    for panel in figure.axes[:2]:
        assert panel.collections[0].get_clim() == (-1.0, 0.5)
    bar = figure.axes[-1]
    assert (bar.get_ylabel(), bar.get_ylim()) == ("$c_p$", (-1.0, 0.5))
    assert wings.pressure(points, walls, cp).axes[0].collections[0].get_clim()[0] < -1.0


@pytest.mark.long
def test_titles_of_several_lines_stay_in_their_figure_above_the_panels():
    points, walls, cp = surface()
    (cut,) = sections(points, walls, [0.5])
    cells = spans.cells_of(points, walls, cut)

    for figure in (
        wings.pressure(points, walls, cp, LONG, "did not converge"),
        wings.sections(points, walls, cp, [(0.5, 0.4)], title=LONG, mark="did not converge"),
        spans.cut(points, cells, cp, cut, LONG, "did not converge", lines=False),
    ):
        figure.draw_without_rendering()
        title, whole = figure._suptitle.get_window_extent(), figure.bbox
        assert whole.x0 <= title.x0
        assert title.x1 <= whole.x1
        assert title.y1 <= whole.y1
        for axes in figure.axes:
            assert axes.get_tightbbox().y1 <= title.y0
        assert texts(figure)[-1] == "did not converge"


def test_pictures_of_a_run_say_what_did_not_converge_and_show_one_section(run, drawn):
    with pytest.warns(UserWarning, match="frame = 'body' is for pictures of the plane"):
        plot.from_directory(run.out, frame="body", range=(-0.7, 0.3), view=(-1, 2, -1, 1))

    assert set(drawn) == {
        "hysteresis", "cycle", "side", "cp", "sections", "pressures", "cut", "mesh",
    }  # fmt: skip
    for name in ("cp", "sections", "cut"):
        assert "8 of 8 steps of the last cycle did not converge" in texts(drawn[name])
    assert len(drawn["sections"].axes) == 1
    assert drawn["cp"].axes[0].collections[0].get_clim() == (-0.7, 0.3)
    panel = drawn["cut"].axes[0]
    assert (panel.get_xlim(), panel.get_ylim()) == ((-1, 2), (-1, 1))
    assert [axes.get_ylabel() for axes in drawn["side"].axes] == ["$c_y$", "$c_{m,x}$", "$c_{m,z}$"]


def test_a_run_that_converged_has_no_mark(run):
    from kinemesh.plot.marks import unconverged

    good = km.open(run.out)
    assert unconverged(good, 0)
    good.history._blocks[0][good.history.columns.index("converged")] = 1
    good.history._arrays.clear()
    assert unconverged(good, 0) == ""


@pytest.mark.parametrize("kind", ["hexes", "prisms", "tets", "mixed"])
def test_a_cut_has_the_area_of_the_plane_and_the_values_there(kind):
    mesh = cube(4, kind)
    cells = [
        np.pad(table[:, order], ((0, 0), (0, 8 - len(order))), constant_values=-1)
        for table, order in ((mesh.solids[name], SOLIDS[name].to_vtk) for name in mesh.solids)
        if len(table)
    ]
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    y = low[1] + 0.4 * (high[1] - low[1])

    corners, values, count = spans.polygons(
        mesh.points, np.concatenate(cells), mesh.points @ [2.0, 5.0, -3.0], y
    )

    x, z = corners[..., 0], corners[..., 1]
    area = 0.5 * np.abs((x * np.roll(z, -1, 1) - z * np.roll(x, -1, 1)).sum(axis=1))
    assert area.sum() == pytest.approx(np.prod((high - low)[[0, 2]]), rel=1e-12)
    assert values == pytest.approx(corners @ [2.0, -3.0] + 5 * y, abs=1e-9)
    x, z, triangles = spans.fans(corners, count)
    a, b, c = (np.stack([x[own], z[own]]) for own in triangles.T)
    each = 0.5 * np.abs((b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0])
    assert each.sum() == pytest.approx(area.sum(), rel=1e-12)
    assert len(triangles) == (count - 2).sum()
    table = np.concatenate(cells)
    corner = mesh.points[table]
    corner[table < 0] = np.nan
    for end, sign in ((np.nanmin(corner[..., 0], axis=1), 1), (np.nanmax(corner[..., 2], 1), -1)):
        _, own, _ = spans.polygons(mesh.points, table, end, y, "cells")
        axis = 0 if sign > 0 else 1
        assert (sign * (corners[..., axis] - own) >= -1e-12).all()  # within its cell
        assert (own == own[:, :1]).all()


def test_a_steady_wing_has_a_mark_and_its_load_along_the_span(tmp_path, drawn):
    settings = km.MeshlessSettings(steady_iterations=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        km.Meshless(half_wing(), mach=0.4, alpha_deg=3.0, settings=settings).steady(out=tmp_path)

    plot.from_directory(tmp_path)

    assert set(drawn) == {"convergence", "cp", "sections", "spanwise", "cut", "mesh"}
    for name in ("cp", "sections", "spanwise", "cut"):
        (said,) = [text for text in texts(drawn[name]) if text]
        assert said.startswith("did not converge: residual ")
        assert said.endswith(" after 3 iterations")
    assert len(drawn["sections"].axes) >= 7
    load, lift, moment = drawn["spanwise"].axes
    eta, values = load.lines[0].get_data()
    assert (eta[0], eta[-1]) == (0, 1)
    assert values[-1] == pytest.approx(0, abs=1e-9)
    assert (lift.get_ylabel(), moment.get_ylabel()) == ("$c_l$", "$c_m$")


def test_loops_of_other_loads_are_drawn_and_unknown_ones_refused(run):
    loop = run.loop()

    figure = hysteresis(loop, loads=("cd", "cm_roll"))

    assert [axes.get_ylabel() for axes in figure.axes] == ["$c_d$", "$c_{m,x}$"]
    _, y = figure.axes[1].lines[0].get_data()
    last = run.history["cm_roll"][-loop.steps :]  # of the only whole cycle, not joined
    np.testing.assert_array_equal(y, last)
    with pytest.raises(km.CaseError, match="no load 'lift'"):
        hysteresis(loop, loads=("lift",))
    flat = km.Loop(loop.phase_deg, loop.alpha_deg, loop.cl, loop.cm, 1.0, "a table")
    with pytest.raises(km.CaseError, match="a table has no cm_roll"):
        hysteresis(flat, loads=("cm_roll",))
