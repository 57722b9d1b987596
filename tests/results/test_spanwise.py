"""Load along the span, loops and pressures of sections: beside sums of facets and runs' loads."""

import csv
from dataclasses import replace
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh.errors import CaseError, SettingsError
from kinemesh.io import fields as files
from kinemesh.io.folder import files_of_a_run
from kinemesh.results import pressures
from kinemesh.results.sections import SectionLoads, Span, sections
from kinemesh.results.spanwise import Spanwise, Surface
from kinemesh.run.unsteady import Unsteady

FEW = {"steady_iterations": 3}
SLOW = km.AleSettings(cfl=1.0, cfl_max=5.0, **FEW)
PLANE = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0, cells="quads")
EXTRUDED = km.mesh.extruded(PLANE, span=1.5, layers=2)
PITCH = km.motion.pitch(2.0, 0.2, phase_deg=20.0)
STEPS = km.AleSettings(unsteady_drop=1e-5)
CLOSE = 1e-6  # of loads: what steps that fall by five orders leave between layers
pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*(residual|steps ended):RuntimeWarning"),
]


def tapered(around=24, stations=6, end=1.0):
    """Elliptic sections, thickness 0.1, span 2, swept and tapered, closed at the tip.

    Area vectors point inwards.
    """
    angle = 2 * np.pi * np.arange(around) / around
    y = np.linspace(0, 2, stations)
    chord = 1 - 0.25 * y
    x = 0.4 * y[:, None] + chord[:, None] * 0.5 * (1 + np.cos(angle))
    z = chord[:, None] * 0.05 * np.sin(angle)
    points = np.stack([x, np.repeat(y[:, None], around, 1), z], axis=2).reshape(-1, 3)
    at = np.arange(around * stations).reshape(stations, around)
    a, b = at[:-1], at[1:]
    c, d = np.roll(b, -1, 1), np.roll(a, -1, 1)
    table = np.concatenate([np.stack([a, c, b], -1), np.stack([a, d, c], -1)]).reshape(-1, 3)
    tip = at[-1]
    cap = np.stack([np.full(around - 2, tip[0]), tip[2:], tip[1:-1]], axis=1)
    table = np.concatenate([table, cap])
    return points * [1, end, 1], table if end > 0 else table[:, ::-1]


def steady(out, **more):
    mesh = km.mesh.oneram6(nodes=12_000, cells="tets")
    case = km.Ale(mesh, mach=0.6, alpha_deg=3.0, settings=SLOW, device="cpu", **more)
    return case.steady(out=out)


@pytest.fixture(scope="module")
def wing(tmp_path_factory):
    return steady(tmp_path_factory.mktemp("wing"), reference_area=1.16, reference_length=0.7)


@pytest.fixture(scope="module")
def pitching(tmp_path_factory):
    case = km.Ale(EXTRUDED, mach=0.5, motion=PITCH, settings=STEPS, reference_area=1.5,
                  device="cpu")  # fmt: skip
    return case.run(
        cycles=1, steps_per_cycle=12, start="as is", out=tmp_path_factory.mktemp("pitching")
    )


@pytest.mark.parametrize("eta", [0.0, 0.07, 0.4, 0.77, 1.0])
def test_a_linear_pressure_pushes_a_section_by_its_area(eta):
    """Divergence theorem: the force is minus the slope times the area of the polygon."""
    points, table = tapered()
    (cut,) = sections(points, table, [eta])

    found = SectionLoads.of(cut, points, points @ [0.3, -0.2, 2.0] + 0.1)

    ends = cut.at(points)[cut.lines][..., [0, 2]]
    area = 0.5 * np.abs((ends[:, 0, 0] * ends[:, 1, 1] - ends[:, 0, 1] * ends[:, 1, 0]).sum())
    assert found.chord == pytest.approx(1 - 0.5 * eta, rel=1e-12)
    assert found.quarter == pytest.approx((0.8 * eta + 0.25 * found.chord, 0), abs=1e-12)
    assert area == pytest.approx(np.pi / 40 * found.chord**2, rel=0.02)
    assert found.load == pytest.approx((-0.3 * area, -2.0 * area), rel=1e-12)


@pytest.mark.parametrize("end", [1.0, -1.0])
def test_sections_between_two_stations_add_up_to_the_facets_there(end):
    """Along a strip of facets the load is a parabola, which Simpson's rule has exactly."""
    points, table = tapered(end=end)
    cp = np.random.default_rng(0).uniform(-1, 1, len(points))
    span = Span.of(points, table)
    corner = points[table]
    area = 0.5 * np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    force = cp[table].mean(axis=1)[:, None] * area
    strip = np.floor(np.abs(corner[..., 1]).mean(axis=1) / 0.4).astype(int)

    for k in range(5):
        low, middle, high = (
            np.array(SectionLoads.of(cut, points, cp).load)
            for cut in sections(points, table, [k / 5, (k + 0.5) / 5, (k + 1) / 5], span)
        )
        own = force[strip == k].sum(axis=0)
        np.testing.assert_allclose(0.4 * (low + 4 * middle + high) / 6, own[[0, 2]], atol=1e-13)


def test_shares_of_the_span_begin_at_the_root():
    points, table = tapered()
    mirrored, other = tapered(end=-1.0)
    # a body closed at both ends: tetrahedra have no rim
    closed = np.array([[0.0, -1, 0], [1, -1, 0], [0, 3, 0.1], [0, 3, -0.1]])
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])

    for x, walls, share, y in (
        (points, table, 0.25, 0.5),
        (mirrored, other, 0.25, -0.5),
        (closed, faces, 0.5, 2.0),
        (closed, faces, -0.5, 0.0),
    ):
        assert Span.of(x, walls).y(share) == pytest.approx(y)
    for wrong in (1.2, -0.1, "half", True, np.nan):
        with pytest.raises(SettingsError, match=r"section is .*, expected a share of the span"):
            sections(points, table, [wrong])
    with pytest.raises(CaseError, match="all walls are at y = 0"):
        sections(points * [1, 0, 1], table, [0.5])


def test_the_integral_along_the_span_is_the_load_of_the_run(wing):
    """Trapezoids of 41 stations are 5e-4 off; of 321 a fraction of that, to the order of two."""
    result = wing.summary["result"]

    few, many = wing.spanwise().total(), wing.spanwise(stations=321).total()

    for name in ("cl", "cd"):
        assert few[name] == pytest.approx(result[name], rel=1e-3), name
        assert many[name] == pytest.approx(result[name], rel=1e-5), name


def test_bending_along_the_span_is_that_of_the_run(wing):
    """All forces along z, not the lift alone, have the moment of roll, about the x axis."""
    load, result = wing.spanwise(stations=161), wing.summary["result"]
    c, s = np.cos(np.radians(3.0)), np.sin(np.radians(3.0))
    along_z = replace(load, c_cl=c * load.c_cl + s * load.c_cd)

    assert along_z.bending()[0] == pytest.approx(result["cm_roll"], rel=5e-3)
    assert load.bending()[0] == pytest.approx(result["cm_bending"], rel=5e-3)
    assert load.bending()[-1] == 0
    assert (np.diff(load.bending()) < 0).all()


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_bending_of_a_linear_load_is_exact(whole, turned):
    """Load 1 - y over a span of 1: (1 - y)^3 / 6 about each station."""
    eta = np.array([-1.0, -0.2, 0.0, 0.3, 0.7, 1.0])[0 if whole else 2 :]
    made = Spanwise(eta, turned * eta, *np.zeros((8, len(eta))), length=1.0, area=2.0)
    made = replace(made, c_cl=1 - np.abs(eta))

    np.testing.assert_allclose(made.bending(), (1 - np.abs(eta)) ** 3 / 12, atol=1e-15)


def test_the_moments_of_sections_add_up_to_that_of_the_run(wing):
    """Moments about quarter points, with the forces there.

    Sections have a sum over their points, the run one over nodes: half a percent apart on a mesh
    that has 40 nodes round the section, a few percent where an arm or a sign is wrong.
    """
    found, alpha = wing.spanwise(stations=161), np.radians(3.0)
    fx = found.c_cd * np.cos(alpha) - found.c_cl * np.sin(alpha)
    fz = found.c_cl * np.cos(alpha) + found.c_cd * np.sin(alpha)
    own = np.nan_to_num(found.cm) * found.chord**2
    arm = np.where(found.chord > 0, [found.x - 0.25, found.z], 0)
    moment = own + 0.7 * (arm[1] * fx - arm[0] * fz)

    total = np.trapezoid(moment, found.y) / (1.16 * 0.7)

    assert total == pytest.approx(wing.summary["result"]["cm"], rel=1e-2)


def test_a_section_of_a_steady_wing_has_the_pressures_of_its_loads(wing):
    """To round-off: both have cp at the points of the section, and its force as their sum."""
    station, alpha = 20, np.radians(3.0)
    found = wing.spanwise()

    (body,) = wing.pressures(section=found.eta[station]).values()

    x, cp = np.r_[body.x, body.x[0]], np.r_[body.mean, body.mean[0]]
    normal = -((cp[1:] + cp[:-1]) / 2 * np.diff(x)).sum()
    want = found.cl[station] * np.cos(alpha) + found.cd[station] * np.sin(alpha)
    assert body.closed
    assert body.cp.shape == (1, len(body.x))
    assert (body.phase_deg.size, len(body.harmonics), body.per_motion) == (0, 0, None)
    assert normal == pytest.approx(want, rel=1e-10)
    assert normal > 0.1
    with pytest.raises(CaseError, match=r"which has no chord line; .* run.pressures.section=0.65"):
        wing.pressures()


@pytest.mark.filterwarnings("ignore:.*did not finish:RuntimeWarning")
def test_a_run_that_stopped_has_loads_along_the_span(tmp_path, monkeypatch):
    """The summary names areas and lengths from the first moment on."""
    step = Unsteady.step
    monkeypatch.setattr(Unsteady, "step", lambda run, n: step(run, n) if n < 3 else 1 / 0)
    told = {"motion": PITCH, "deform": km.deform.Rigid(), "reference_area": 1.5}
    made = km.Ale(EXTRUDED, mach=0.3, device="cpu", **told)
    with pytest.raises(ZeroDivisionError):
        made.run(cycles=1, steps_per_cycle=8, start="stream", out=tmp_path)

    stopped = km.open(tmp_path)
    assert stopped.finished is None
    found = stopped.spanwise()
    assert (found.area, found.length) == pytest.approx(made.reference)
    assert np.isfinite(found.c_cl).all()


def test_the_folder_has_the_table_and_the_summary_names_it(wing):
    (name,) = wing.summary["files"]["spanwise"]
    with (wing.out / name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    found = km.open(wing.out).spanwise().columns()
    assert name == "spanwise.csv"
    assert list(rows[0]) == list(found)
    assert len(rows) == 41
    for column, values in found.items():
        np.testing.assert_array_equal([float(row[column]) for row in rows], values)
    assert (np.diff(found["eta"]) > 0).all()
    assert (found["eta"][[0, -1]] == [0, 1]).all()


@pytest.mark.filterwarnings("ignore:.*condition number:RuntimeWarning")
def test_a_cloud_has_the_same(tmp_path):
    settings = km.MeshlessSettings(**FEW)
    case = km.Meshless(half_wing(), mach=0.4, alpha_deg=3.0, reference_area=0.62, device="cpu",
                       settings=settings)  # fmt: skip

    run = case.steady(out=tmp_path)

    found, result = run.spanwise(stations=321).total(), run.summary["result"]
    assert run.summary["files"]["spanwise"] == ["spanwise.csv"]
    for name in ("cl", "cd"):
        assert found[name] == pytest.approx(result[name], rel=1e-3), name


def test_the_loop_of_a_section_is_that_of_the_extruded_run(pitching):
    """Through nodes of the mesh, where the moment's sum has the same points."""
    run = pitching.loop()

    found = km.hysteresis(pitching, section=0.5)

    assert found.steps == run.steps == 12
    np.testing.assert_array_equal(found.phase_deg, run.phase_deg)
    np.testing.assert_array_equal(found.alpha_deg, run.alpha_deg)
    for name in ("cl", "cd", "cm"):
        np.testing.assert_allclose(found.load(name).values, run.load(name).values, atol=CLOSE)
    assert km.hysteresis(pitching.out, section=0.5).cl.amplitude == found.cl.amplitude > 0.1
    assert found.label.endswith("50 % of the span")


def test_sections_of_a_run_on_cells_have_the_pressures_of_its_faces(tmp_path):
    """Exactly, wherever they are: their sum over a row of faces is that of the run's force."""
    settings = km.CellSettings(unsteady_drop=1e-5)
    case = km.CellCentred(EXTRUDED, mach=0.5, motion=PITCH, reference_area=1.5, settings=settings,
                          device="cpu")  # fmt: skip

    run = case.run(cycles=1, steps_per_cycle=6, start="as is", out=tmp_path, preflight=False)

    loop, along = run.loop(), run.spanwise()
    for share in (0.0, 0.3, 0.5, 1.0):
        found = km.hysteresis(run, section=share)
        for name in ("cl", "cd", "cm"):
            np.testing.assert_allclose(found.load(name).values, loop.load(name).values, atol=CLOSE)
    for name in ("cl", "cd", "cm"):
        np.testing.assert_allclose(getattr(along, name), loop.load(name).mean, atol=CLOSE)
    assert along.total()["cl"] == pytest.approx(loop.cl.mean, abs=CLOSE)
    (body,) = run.pressures(section=0.5).values()
    assert body.cp.shape == (6, len(body.x))
    # on points means of both faces there, whose sum along the chord is near the force
    normal = -((np.roll(body.mean, -1) + body.mean) / 2 * (np.roll(body.x, -1) - body.x)).sum()
    assert normal == pytest.approx(loop.cl.mean, abs=0.02 * loop.cl.amplitude)


class Faces(Surface):
    """Walls of a steady run on cells, with one pressure each, that of their middle."""

    def __init__(self, stations, around, f):
        # two triangles in turn make a face
        self.points, table = tapered(around, stations)
        faces = around * (stations - 1)
        self.triangles, self.on, self.times = table[: 2 * faces], "cells", [0.0]
        corners = np.concatenate([self.triangles[:faces], self.triangles[faces:, 1:2]], axis=1)
        self.cp = np.tile(f(self.points[corners].mean(axis=1)), 2)
        self.diagonals = np.empty((0, 2), np.int64)

    def frames(self, numbers):
        return [(self.points, self.cp) for _ in numbers]


def test_pressures_of_sections_on_cells_go_on_over_rows_of_faces(monkeypatch):
    """Beside a smooth pressure; constant over faces they would be off by the first order."""
    steady = SimpleNamespace(history=SimpleNamespace(kind="steady"), refuse_failed=lambda _: None)

    def errors(stations, around):
        wall = Faces(stations, around, lambda p: np.sin(2 * p[:, 0]) + np.cos(1.5 * p[:, 1]))
        monkeypatch.setattr(pressures, "Surface", lambda *_: wall)
        for eta in np.linspace(0.1, 0.9, 23):
            (body,) = pressures.pressures(steady, None, eta).values()
            (cut,) = wall.sections([eta])
            nose, tail = cut.chord(wall.points)[:, 0]
            want = np.sin(2 * (nose + body.x * (tail - nose))) + np.cos(1.5 * cut.y)
            yield np.abs(body.cp[0] - want).max()

    coarse, fine = max(errors(9, 24)), max(errors(17, 48))

    assert coarse > 3 * fine
    assert fine < 0.02


def test_nodes_have_means_of_the_triangles_about_them():
    points, table = tapered()
    size = points[table].mean(axis=1) @ [1.0, 0.3, 5.0]

    found = Surface.at_nodes(SimpleNamespace(on="cells", triangles=table), (points, size))

    for node in range(len(points)):
        about = (table == node).any(axis=1)
        assert size[about].min() < found[node] < size[about].max()


def test_larger_triangles_count_for_more_in_the_mean_of_a_node():
    """Areas of 1/2 and 3/2 about the middle of two right triangles."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-3, 0, 0]], float)
    table = np.array([[0, 1, 2], [0, 2, 3]])

    found = Surface.at_nodes(SimpleNamespace(on="cells", triangles=table), (points, [4.0, 8.0]))

    np.testing.assert_allclose(found, [7.0, 4.0, 7.0, 8.0], rtol=1e-14)


@pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")
def test_the_integral_on_cells_is_the_load_of_the_run(tmp_path):
    settings = km.CellSettings(cfl=1.0, cfl_max=5.0, unsteady_cfl=5.0, **FEW)
    mesh = km.mesh.oneram6(nodes=12_000)
    run = km.CellCentred(mesh, mach=0.6, alpha_deg=3.0, device="cpu", settings=settings).steady(
        out=tmp_path
    )

    found, result = run.spanwise(stations=321), run.summary["result"]

    for name in ("cl", "cd"):
        assert found.total()[name] == pytest.approx(result[name], rel=2e-5), name
    # a row of faces near the root, some 50 stations: no steps, of which each would be 5e-3
    inner = found.c_cl[found.eta < 0.9]
    assert np.abs(np.diff(inner, 2)).max() < 1e-3
    assert found.c_cl[-1] == 0


def test_mean_and_first_harmonic_along_the_span_are_those_of_the_loop(pitching):
    found, loop = pitching.spanwise(), pitching.loop()

    assert found.total()["cl"] == pytest.approx(loop.cl.mean, abs=CLOSE)
    (first, *_) = loop.cl.harmonics
    np.testing.assert_allclose(found.harmonics["cl"], first.cos - 1j * first.sin, atol=CLOSE)
    columns = found.columns()
    np.testing.assert_allclose(columns["cl1_magnitude"], first.magnitude, atol=CLOSE)
    np.testing.assert_allclose(columns["cl1_phase_deg"], first.phase_deg, atol=1e-3)


def test_the_files_of_a_run_are_known_to_the_next_one(pitching):
    there = {path.name for path in pitching.out.iterdir() if path.name != ".lock"}

    assert {"surface.vtkhdf", "spanwise.csv"} < there
    assert there - {"summary.json", "restart.h5", "restart.h5.1"} <= {*files_of_a_run(pitching.out)}


def test_pressures_of_a_section_add_up_to_the_derivative(pitching):
    (body,) = pitching.pressures(section=0.5).values()

    x, f = np.r_[body.x, body.x[0]], np.r_[body.per_motion, body.per_motion[0]]
    total = ((f[1:] + f[:-1]) / 2 * np.diff(x)).sum()
    assert body.closed
    assert (body.motion, len(body.phase_deg)) == ("alpha", 12)
    # normal force and lift differ by cd sin(alpha) and cl (1 - cos(alpha))
    assert -total == pytest.approx(pitching.loop().derivatives.cl_alpha, rel=5e-3)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_pressures_of_a_section_have_a_point_on_each_edge_of_faces(pitching, share):
    """No point lies on the diagonals by which the file of the surface divides faces."""
    (body,) = pitching.pressures(section=share).values()

    wall = PLANE.points[np.unique(PLANE.boundaries["airfoil"])]
    assert sorted(body.x) == pytest.approx(sorted(wall[:, 0]), abs=1e-6)


def test_loads_of_space_are_in_loops(pitching):
    loop, history = pitching.loop(), pitching.history

    assert set(loop.side) == {"cy", "cm_roll", "cm_yaw"}
    for name, load in loop.side.items():
        assert np.sort(load.values) == pytest.approx(np.sort(history[name][-12:]))
    # a force in the middle of the span of 1.5
    assert loop.side["cm_roll"].amplitude == pytest.approx(0.75 * loop.cl.amplitude, rel=1e-3)
    assert pitching.summary["result"]["cm_roll"]["amplitude"] == loop.load("cm_roll").amplitude
    with pytest.raises(CaseError, match=r"no load 'cmroll'.*did you mean 'cm_roll'"):
        loop.load("cmroll")


def test_sections_of_what_has_none_are_refused(pitching, tmp_path):
    for call, text in (
        (lambda: km.hysteresis(pitching, section=1.5), "section is 1.5"),
        (lambda: km.hysteresis(pitching.history, section=0.5), "expected a run or its folder"),
        (lambda: km.hysteresis({"phase_deg": [0]}, section=0.5), "a table has no sections"),
        (lambda: pitching.spanwise(stations=1), "stations is 1"),
        (lambda: pitching.pressures(), "run.pressures.section=0.65"),
    ):
        with pytest.raises(km.KinemeshError, match=text):
            call()
    flat = km.Ale(PLANE, mach=0.5, device="cpu", settings=SLOW).steady(out=tmp_path)
    assert "files" not in flat.summary
    with pytest.raises(CaseError, match="the run is in the plane"):
        flat.spanwise()


@pytest.mark.filterwarnings("ignore:member 1.* fails at time:RuntimeWarning")
def test_members_have_a_table_each_and_those_that_fail_have_none(tmp_path):
    def law(time):
        if time > 0.19:
            raise ValueError("lost")
        return km.motion.Pose(0.1 * time)

    motions = [PITCH, km.motion.function(law), PITCH]
    case = km.Ale([EXTRUDED] * 3, mach=[0.3, 0.4, 0.5], motion=motions, reference_area=1.5,
                  settings=STEPS, device="cpu")  # fmt: skip

    run = case.run(time_step=0.1, steps=2, start="as is", preflight=False, out=tmp_path)

    assert [(row["member"], row["step"]) for row in run.failed] == [(1, 2)]
    assert run.summary["files"]["spanwise"] == ["spanwise-0.csv", "spanwise-2.csv"]
    assert len(files.times(tmp_path / "surface-0.vtkhdf")) == 3
    assert len(files.times(tmp_path / "surface-1.vtkhdf")) == 2
    for member in (0, 2):
        last = run.history.member(member)["cl"][-1]
        assert run.spanwise(member).total()["cl"] == pytest.approx(last, abs=CLOSE)
        assert not run.spanwise(member).harmonics
    with pytest.raises(CaseError, match="lost"):
        run.spanwise(1)
    with pytest.raises(CaseError, match="no cycle, so no loop"):
        km.hysteresis(run, 0, section=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("cells", ["hexes", "prisms"])
def test_the_loop_of_a_section_is_that_of_the_plane(cells, tmp_path):
    """Steps to ten orders leave 1e-10 of loads; sections through nodes have the plane's sums."""
    kind = {"hexes": "quads", "prisms": "triangles"}[cells]
    flat = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0, cells=kind)
    tight = km.AleSettings(
        unsteady_drop=1e-10, unsteady_iterations=300, steady_drop=1e-10, limiter="none"
    )
    law = km.motion.pitch(amplitude_deg=2.51, k=0.0814)

    plane, space = (
        km.Ale(mesh, mach=0.6, alpha_deg=0.016, motion=law, deform=km.deform.Rigid(),
               reference_area=area, settings=tight, device="cpu")
        .run(steps_per_cycle=12, cycles=1.25, out=tmp_path / str(area))
        for mesh, area in ((flat, None), (km.mesh.extruded(flat, span=2.0, layers=2), 2.0))
    )  # fmt: skip

    expected = km.hysteresis(plane)
    for share in (0.0, 0.5, 1.0):
        found = km.hysteresis(space, section=share)
        for name in ("cl", "cd", "cm"):
            away = found.load(name).values - expected.load(name).values
            assert np.abs(away).max() < 1e-9, (share, name)
    between = km.hysteresis(space, section=0.3)
    assert np.abs(between.cl.values - expected.cl.values).max() < 1e-9
    # a sum over more points than the plane's, on 500 nodes
    assert 0 < np.abs(between.cm.values - expected.cm.values).max() < 1e-3


def test_a_cycle_that_lacks_the_rounding_of_times_is_whole():
    """A millionth of a cycle, of its end and of the frame that it begins after."""

    def last(*cycles):
        return Surface.last_cycle(SimpleNamespace(cycles=np.array(cycles))).tolist()

    assert last(0.0, 0.5, 1 - 0.9999e-6) == [1, 2]
    assert last(0.0, 0.5, 1 - 1.0001e-6) == []
    assert last(1 + 0.9999e-6, 1.5, 2.0) == [1, 2]
    assert last(1 + 1.0001e-6, 1.5, 2.0) == [0, 1, 2]


def test_a_harmonic_of_a_billionth_of_the_largest_has_no_phase():
    first = np.array([1.0, np.nextafter(1e-9, 1.0), 1e-9, np.nan]) * (1 + 0j)

    made = Spanwise(*np.zeros((10, 4)), 1.0, 1.0, harmonics={"cl": first})

    assert np.isnan(made.columns()["cl1_phase_deg"]).tolist() == [False, False, True, True]
