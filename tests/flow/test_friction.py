"""Friction of a viscous gas as users see it: history, summary, walls, fields."""

import csv
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.gas.friction import Friction
from kinemesh.results.along_walls import along
from scipy.linalg import solve_banded
from squares import square

REYNOLDS, MACH = 1e5, 0.2
ENDS = {
    "outlet": km.outlet(pressure=1.0),
    "symmetry": "symmetry",
    "inlet": "far",
    "farfield": "far",
}


def plate(nodes=1300, **more):
    return km.mesh.plate(nodes, height=0.5, wall_spacing=1e-3, edge_spacing=0.006, **more)


def case_of(mesh, settings=None, **more):
    settings = {"limiter": "none", "cfl": 10.0} | (settings or {})
    return km.Ale(
        mesh, mach=MACH, device="cpu", walls=["wall"], boundaries=ENDS,
        settings=km.AleSettings(**settings), **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def laminar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plate")
    case = case_of(plate(), {"steady_drop": 1e-4}, reynolds=REYNOLDS)
    return SimpleNamespace(case=case, run=case.steady(out=folder), folder=folder)


@pytest.mark.flow
def test_friction_along_a_plate_is_that_of_blasius(laminar):
    wall = laminar.case.walls()["wall"]
    behind = wall.x > 0.25  # of the leading edge, which no mesh resolves
    root = np.sqrt(REYNOLDS * wall.x[behind])
    np.testing.assert_allclose(wall.cf[behind] * root, 0.664, rtol=0.03)  # 31 edges: 2.6 % at most
    u_tau = MACH * np.sqrt(0.332 / root)
    expected = 1e-3 * u_tau * REYNOLDS / MACH  # rho and nu of the stream, to M^2
    np.testing.assert_allclose(wall.y_plus[behind], expected, rtol=0.03)
    assert not wall.heat_flux.any()
    assert np.abs(wall.cp[behind]).max() < 0.02


@pytest.mark.flow
def test_drag_of_a_plate_is_friction_alone(laminar):
    history = laminar.run.history
    assert {"cd_pressure", "cd_friction"} <= set(history.columns)
    assert not history["cd_pressure"].any()
    np.testing.assert_array_equal(history["cd_friction"], history["cd"])
    wall = laminar.case.walls()["wall"]
    drag = np.trapezoid(wall.cf, wall.x)
    assert history["cd"][-1] == pytest.approx(drag, rel=1e-4)  # of the iteration before the last
    assert drag == pytest.approx(1.328 / np.sqrt(REYNOLDS), rel=0.03)


@pytest.mark.flow
def test_a_run_leaves_its_walls_in_a_table_and_in_its_fields(laminar):
    own, kept = laminar.case.walls()["wall"], km.open(laminar.folder).walls()["wall"]
    with (laminar.folder / "wall.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["body"] for row in rows} == {"wall"}
    for name, values in own.columns().items():
        np.testing.assert_array_equal(getattr(kept, name), values)
        np.testing.assert_array_equal([float(row[name]) for row in rows], values)
    assert (np.diff(own.x) > 0).all()
    fields = laminar.run.fields()
    off = np.setdiff1d(np.arange(len(fields.points)), fields.walls)
    assert not fields["Cf"][off].any()
    assert not fields["YPlus"][off].any()
    assert "EddyViscosity" not in fields
    assert not fields.incompressible
    steady = laminar.run.pressures()["wall"]
    assert sorted(steady.cf[0]) == sorted(own.cf)


@pytest.mark.flow
def test_vorticity_at_a_plate_is_the_friction_over_the_viscosity(laminar):
    # tau = mu du/dy, Vorticity = -du/dy; of first order at a wall
    wall, fields = laminar.case.walls()["wall"], laminar.run.fields()
    nodes = along(fields.walls, fields.points)
    behind = (wall.x > 0.2) & (wall.x < 0.9)
    shear = wall.cf * 0.5 * MACH**2 / (MACH / REYNOLDS)
    np.testing.assert_allclose(-fields["Vorticity"][nodes][behind], shear[behind], rtol=0.05)


@pytest.mark.flow
def test_the_summary_has_the_y_plus_of_the_walls(laminar):
    wall, result = laminar.case.walls()["wall"], laminar.run.summary["result"]
    at = np.argmax(wall.y_plus)
    assert result["y_plus_largest"] == wall.y_plus[at]
    assert (result["y_plus_largest_x"], result["y_plus_largest_y"]) == (wall.x[at], wall.y[at])
    mean = np.trapezoid(wall.y_plus, wall.x) / np.ptp(wall.x)
    assert result["y_plus_mean"] == pytest.approx(mean, rel=1e-12)
    assert not laminar.run.summary["warnings"]


@pytest.mark.flow
def test_each_member_has_the_place_of_its_largest_y_plus():
    """The second without walls, whose numbers are nan."""
    ring, empty = km.mesh.cylinder(300, far_field=6.0, around=24), square(6, size=10.0)
    other = ring.transformed(ring.points + np.array([0.5, 1.0]))
    case = km.Ale(
        [ring, empty, other], mach=0.3, reynolds=40.0, alpha_deg=[0.0, 0.0, 90.0], device="cpu",
        moment_about=(0.0, 0.0), walls=["cylinder"], far=["rim", "farfield"],
    )  # fmt: skip
    case.initialise(case.primitive())
    found = case.end_numbers()
    for member in (0, 2):
        (wall,) = case.walls(member).values()
        at = [found[f"y_plus_largest{end}"][member] for end in ("", "_x", "_y")]
        assert at[0] == wall.y_plus.max()
        assert at[1:] in np.stack([wall.x, wall.y], axis=1)[wall.y_plus == at[0]].tolist()
    assert np.isnan([values[1] for values in found.values()]).all()


@pytest.mark.flow
@pytest.mark.filterwarnings(
    "ignore:.*residual:RuntimeWarning", "ignore:.*y\\+ of about:RuntimeWarning"
)
def test_cells_too_high_for_turbulence_are_warned_of():
    settings = {"steady_iterations": 30}
    case = case_of(plate(600), settings, reynolds=5e6, turbulence="sa")
    with pytest.warns(RuntimeWarning, match=r"y\+ of the wall cells is .* wall_spacing = .* gives"):
        run = case.steady()
    assert run.summary["result"]["y_plus_mean"] > 5
    told = [note for note in run.summary["notes"] if note["about"] == "y+"]
    spacing = float(told[0]["text"].partition("wall_spacing = ")[2].split()[0])
    assert 1e-6 < spacing <= 1.05 * km.mesh.wall_spacing(5e6)
    last = run.history["residual_turbulence"]
    assert 0 < last[-1] < last[0] <= 1


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*residual:RuntimeWarning")
def test_heat_flows_from_a_warm_wall_as_its_gradient_says(tmp_path):
    case = case_of(
        plate(900), {"steady_iterations": 150}, reynolds=1e4, viscosity=km.Viscosity(wall=1.1)
    )
    run = case.steady(out=tmp_path)
    wall, fields = case.walls()["wall"], run.fields()
    nodes = along(fields.walls, fields.points)
    T = 1.4 * fields["Pressure"] / fields["Density"]
    behind = np.flatnonzero((wall.x > 0.3) & (wall.x < 0.8))
    np.testing.assert_allclose(T[nodes], 1.1, rtol=1e-9)
    ratio = []
    for k in behind:
        over = np.flatnonzero(np.abs(fields.points[:, 0] - wall.x[k]) < 1e-9)
        over = over[np.argsort(fields.points[over, 1])][:3]
        y, t = fields.points[over, 1], T[over]
        slope = np.polyfit(y, t, 2)[1]
        mu = MACH / 1e4 * 1.1**1.5 * (1 + 110.4 / 288.15) / (1.1 + 110.4 / 288.15)
        ratio.append(wall.heat_flux[k] / (mu / 0.72 / 0.4 * slope))
    np.testing.assert_allclose(ratio, 1.0, rtol=0.05)
    assert (wall.heat_flux[behind] < 0).all()


def torque_of_a_turn(nu, rate, time, radius=0.5, far=4.0, rows=400):
    """Torque per density of a cylinder that turns at once in a fluid at rest, by finite differences
    of dv/dt = nu (v'' + v'/r - v/r^2)."""
    r = radius + (far - radius) * np.linspace(0, 1, rows) ** 2
    h, own = np.diff(r), r[1:-1]
    before, after, both = h[:-1], h[1:], h[:-1] + h[1:]
    lower = 2 / (before * both) - after / (before * both) / own
    upper = 2 / (after * both) + before / (after * both) / own
    steps = time * np.diff(np.linspace(0, 1, rows + 1) ** 2)
    v = np.zeros(rows)
    for dt in steps:
        v[0], v[-1] = rate * radius, 0.0
        bands = np.zeros((3, rows))
        bands[1] = 1.0
        bands[0, 2:], bands[2, :-2] = -dt * nu * upper, -dt * nu * lower
        bands[1, 1:-1] += dt * nu * (lower + upper + 1 / own**2)
        v = solve_banded((1, 1), bands, v)
    near, far = (v[1] - v[0]) / h[0], (v[2] - v[0]) / (h[0] + h[1])
    slope = near - (far - near) * h[0] / h[1]
    return 2 * np.pi * radius**2 * nu * (slope - v[0] / radius)


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*moves at once:RuntimeWarning")
def test_a_cylinder_that_turns_is_held_by_the_friction_of_the_gas():
    mach, reynolds, turn, time, steps = 0.1, 20.0, 0.4, 4.0, 20
    mesh = km.mesh.cylinder(1500, far_field=12.0)
    case = km.Ale(
        mesh, mach=mach, reynolds=reynolds, device="cpu", moment_about=(0, 0),
        motion=km.motion.rotate(np.degrees(turn), about=(0, 0)), deform=km.deform.Rigid(),
    )  # fmt: skip
    rows = case.run(time_step=time / steps, steps=steps, start="as is").history
    torque = torque_of_a_turn(mach / reynolds, turn * mach, time) / (0.5 * mach**2)
    # 36 edges around and 20 steps: 1.5 %, on 6000 nodes 0.9 %; the stream passes 0.4 diameters
    assert rows["cm"][-1] == pytest.approx(torque, rel=0.02)
    assert rows["power"][-1] == pytest.approx(turn * mach * torque, rel=0.02)
    assert rows["power_pitch"][-1] == rows["power"][-1]
    wall = case.grid.wall
    force, S, velocity = (case.backend.get(wall.device[n]) for n in ("reaction", "S", "velocity"))
    power = ((force - S / 1.4) * velocity).sum() / (0.5 * mach**2)
    assert rows["power"][-1] == pytest.approx(power, rel=1e-4)  # chords of BDF2 for arcs


@pytest.mark.flow
def test_an_inviscid_gas_has_no_walls_to_show_and_no_columns_more():
    case = case_of(plate(600))
    with pytest.raises(km.SettingsError, match="inviscid"):
        case.walls()
    assert not {"cd_pressure", "cd_friction"} & {*case.columns, *case.steady_columns}
    assert list(case.wall_rows([0])) == []


def test_nodes_of_walls_follow_each_other():
    points = np.array([[0, 0], [1, 0], [2, 0], [5, 0], [4, 1], [3, 0]], float)
    edges = np.array([[4, 5], [1, 2], [5, 3], [0, 1], [3, 4]])
    assert along(edges, points).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.no_sanitizer
def test_there_is_no_member_beyond_the_last(laminar):
    with pytest.raises(km.SettingsError, match="no member 1"):
        laminar.case.walls(1)
    assert isinstance(laminar.case.friction, Friction)


@pytest.mark.flow
def test_friction_is_positive_downstream_on_both_sides_of_a_section():
    mesh = km.mesh.airfoil("naca0012", nodes=1500, far_field=8.0, cells="quads")
    settings = km.AleSettings(limiter="none", steady_drop=1e-6)
    case = km.Ale(mesh, mach=0.2, reynolds=500, device="cpu", settings=settings)
    run, wall = case.steady(), case.walls()["airfoil"]
    assert wall.x[0] == wall.x.max()  # the trailing edge, whose sides are one node
    assert (wall.cf[wall.x > 0.001] > 0).all()
    # colours of the matrix are not symmetric, and the march ends early: 1e-6
    np.testing.assert_allclose(wall.cf[1:], wall.cf[:0:-1], rtol=1e-4)
    assert 0.5 < wall.cf[0] / wall.cf[1] < 2
    assert 0.5 < wall.y_plus[0] / wall.y_plus[1] < 2
    steps = np.abs(np.diff(wall.x, append=wall.x[:1]))
    drag = (steps * (wall.cf + np.roll(wall.cf, -1))).sum() / 2
    assert run.history["cd_friction"][-1] == pytest.approx(drag, rel=0.05)  # the nose is coarse


@pytest.mark.flow
def test_a_laminar_layer_begins_with_u_plus_as_y_plus_and_ends_with_the_stream(laminar):
    layer = laminar.run.layer(0.5)
    assert (layer.x, layer.y) == (pytest.approx(0.5, abs=0.02), 0.0)
    assert layer.y_plus[0] == layer.u_plus[0] == 0.0
    np.testing.assert_allclose(layer.u_plus[1:3], layer.y_plus[1:3], rtol=0.01)  # of Blasius too
    assert layer.u_plus[-1] == pytest.approx(np.sqrt(2 / layer.cf), rel=0.02)
    assert layer.eddy_viscosity is None
    assert (np.diff(layer.y_plus) > 0).all()


@pytest.mark.flow
def test_a_layer_is_refused_where_there_is_none(laminar):
    run = laminar.run
    with pytest.raises(km.errors.CaseError, match="wall has no lower side"):
        run.layer(0.5, upper=False)
    with pytest.raises(km.errors.CaseError, match="no body 'wal'; there are wall"):
        run.layer(0.5, body="wal")


def test_the_first_height_at_a_sharp_edge_is_that_of_the_wall_not_of_the_wake():
    mesh = km.mesh.airfoil(
        "naca0012", nodes=3000, far_field=10.0, topology="c", cells="quads", heights="even",
        wall_spacing=2e-3, growth=1.3,
    )  # fmt: skip
    case = km.Ale(mesh, mach=0.2, reynolds=500, device="cpu")
    node = case.grid.wall.node
    way = case.grid.points[case.friction.nodes.first] - case.grid.points[node]
    np.testing.assert_allclose(np.hypot(*way.T), 2e-3, rtol=1e-3)
