"""Unsteady pressures on walls, beside the loads that they add up to."""

import csv

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.results.pressures import _by_chord, _cf, write

pytestmark = pytest.mark.flow

PITCH = km.motion.pitch(1.0, 0.2, phase_deg=30)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    mesh = km.mesh.airfoil("naca0012", nodes=1000, far_field=10)
    case = km.Ale(mesh, mach=0.5, motion=PITCH, deform=km.deform.Rigid(), device="cpu")
    return case.run(cycles=1, steps_per_cycle=16, start="as is", out=tmp_path_factory.mktemp("a"))


def around(x, values):
    """Integral of values (nodes,) d(x) along a closed wall, by the trapezoidal rule."""
    x, f = np.r_[x, x[0]], np.r_[values, values[0]]
    return ((f[1:] + f[:-1]) / 2 * np.diff(x)).sum()


def test_pressures_add_up_to_the_normal_force_of_every_frame(run):
    (body,) = run.pressures().values()
    history = run.history

    assert body.cp.shape == (16, len(body.x))
    assert body.x[0] == pytest.approx(1)
    assert (body.x.min(), np.abs(body.y).max()) == (
        pytest.approx(0, abs=1e-3),
        pytest.approx(0.06, rel=0.02),
    )
    order = np.argsort(body.phase_deg)
    alpha = np.radians(history["alpha_deg"])
    normal = history["cl"] * np.cos(alpha) + history["cd"] * np.sin(alpha)
    mine = [-around(body.x, cp) for cp in body.cp[order]]
    # the solver adds pressures up by the areas of wall nodes, which is the trapezoidal rule
    assert mine == pytest.approx(normal[np.argsort(history["phase_deg"] % 360)], abs=1e-6)


def test_first_harmonic_per_motion_adds_up_to_the_derivative(run):
    """Normal force and lift differ by cd sin(alpha) and cl (1 - cos(alpha)): 1e-3 of cl."""
    (body,) = run.pressures().values()

    assert body.motion == "alpha"
    expected = run.loop().derivatives.cl_alpha
    assert -around(body.x, body.per_motion) == pytest.approx(expected, rel=5e-3)


def test_harmonics_are_those_of_the_fit_at_any_frames(run):
    (body,) = run.pressures().values()
    phase = np.radians(body.phase_deg)

    for n, harmonic in enumerate(body.harmonics, 1):
        exact = 2 / len(phase) * (body.cp.T @ np.exp(-1j * n * phase))
        assert harmonic == pytest.approx(exact, abs=1e-12)
    assert body.mean == pytest.approx(body.cp.mean(axis=0), abs=1e-12)


def test_the_file_has_a_row_per_wall_node(run, tmp_path):
    found = run.pressures()
    with write(tmp_path / "p.csv", found).open() as file:
        rows = list(csv.DictReader(file))

    (body,) = found.values()
    assert len(rows) == len(body.x)
    assert {row["body"] for row in rows} == set(found)
    assert [float(row["cp1_alpha_real"]) for row in rows] == body.per_motion.real.tolist()
    lead = [float(row["cp1_phase_deg"]) for row in rows]
    size = [float(row["cp1_magnitude"]) for row in rows]
    again = np.array(size) * np.exp(1j * np.radians(lead))  # magnitude sin(phi + phase)
    assert again == pytest.approx(1j * body.harmonics[0], abs=1e-12)


def test_the_chord_is_found_however_the_body_stands():
    x, y = np.array([0.0, 0.3, 1.0, 0.3]), np.array([0.0, 0.06, 0.0, -0.04])
    turn = np.exp(-0.4j)
    moved = 0.5 * (x + 1j * y) * turn + (2 + 1j)

    along, above = _by_chord(np.stack([moved.real, moved.imag], axis=1))

    assert along == pytest.approx(x, abs=1e-14)
    assert above == pytest.approx(y, abs=1e-14)


def test_less_than_a_cycle_and_steady_runs_are_refused(run, tmp_path):
    mesh = km.mesh.airfoil("naca0012", nodes=500)
    settings = km.AleSettings(steady_iterations=1)
    with pytest.warns(RuntimeWarning, match="asked"):
        still = km.Ale(mesh, mach=0.5, device="cpu", settings=settings).steady(out=tmp_path / "s")
    with pytest.raises(CaseError, match="steady run has no cycle"):
        still.pressures()
    case = km.Ale(mesh, mach=0.5, motion=PITCH, deform=km.deform.Rigid(), device="cpu")
    short = case.run(cycles=0.5, steps_per_cycle=8, start="as is", out=tmp_path / "u")
    with pytest.raises(CaseError, match="whole cycle"):
        short.pressures()


@pytest.mark.long
def test_a_folder_of_a_run_gets_the_figure_and_the_numbers(run):
    made = {path.name for path in km.plot.from_directory(run.out)}

    assert {"pressures.png", "pressures.csv"} <= made
    assert (run.out / "pressures.png").read_bytes()[1:4] == b"PNG"


# ---------------------------------------------------------------- incompressible flow


def force(body):
    """By trapezia of pressure and shear stress along a closed wall, fluid on the left."""
    points = np.stack([body.x, body.y], axis=1)
    step = (np.roll(points, -1, 0) - np.roll(points, 1, 0)) / 2
    size = np.hypot(*step.T)
    along = step / size[:, None]
    forward = np.where(along[:, 0] >= 0, 1.0, -1.0)  # of the shear, which is towards the end
    inward = np.stack([along[:, 1], -along[:, 0]], axis=1)
    return (body.cp[-1] * size) @ inward + (body.cf[-1] * size * forward) @ along


@pytest.mark.flow
@pytest.mark.long
def test_pressure_and_shear_of_a_steady_flow_add_up_to_its_drag(tmp_path):
    mesh = km.mesh.cylinder(2000, far_field=10.0)
    case = km.Incompressible(mesh, reynolds=20, moment_about=(0.0, 0.0), device="cpu")
    run = case.steady(out=tmp_path)

    body = run.pressures()["cylinder"]

    assert body.cp.shape == body.cf.shape == (1, len(body.x))
    # the frame is along some diameter; vorticity is of one side of the wall: 5.3 % of the drag with
    # 2000 nodes, 0.6 % with 6000
    assert np.hypot(*force(body)) == pytest.approx(run.history["cd"][-1], rel=0.07)
    again = km.open(tmp_path).pressures()["cylinder"]
    np.testing.assert_array_equal(again.cf, body.cf)


def test_a_cylinder_that_turns_as_the_fluid_has_no_shear():
    # rigid rotation: vorticity is twice the rate of turn everywhere
    frame = Frame(Vorticity=np.full(4, 2 * 0.7))
    frame.points = np.array([[1.0, 0], [0, -1.0], [-1.0, 0], [0, 1.0]])
    assert np.abs(_cf(frame, np.arange(4), True, 0.1, 0.7)).max() < 1e-15


class Frame(dict):
    """Fields by name, with points."""


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*moves at once:RuntimeWarning")
def test_pressures_of_a_pitching_section_in_incompressible_flow(tmp_path):
    mesh = km.mesh.airfoil("naca0012", nodes=800, far_field=8)
    pitch = km.motion.pitch(3.0, 0.5)
    case = km.Incompressible(mesh, reynolds=200, motion=pitch, device="cpu")
    run = case.run(cycles=1, steps_per_cycle=32, out=tmp_path)

    body = run.pressures()["airfoil"]

    assert body.cp.shape == body.cf.shape == (16, len(body.x))
    assert np.isfinite(body.cf).all()
    assert body.motion == "alpha"
    middle = (body.x > 0.2) & (body.x < 0.6)
    assert (body.cf.mean(axis=0)[middle] > 0).all()  # attached flow drags the wall backwards
    assert "cf_mean" in body.columns()
