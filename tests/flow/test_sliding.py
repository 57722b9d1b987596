"""Walls that slide in themselves: lids and ground."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases
from kinemesh.cases import build
from projections import annulus
from scipy.interpolate import CubicSpline

SIDES = ["left", "right", "bottom", "top"]
BOX = km.mesh.background(box=(0, 1, 0, 1), core=(0, 1, 0, 1), spacing=0.1, walls=SIDES)
EXTREMA = np.array([-0.38857, 0.37694, -0.52708])  # Botella and Peyret (1998)
MANY = pytest.mark.filterwarnings("ignore:.*loads are sums over all walls:RuntimeWarning")
pytestmark = MANY


def case(mesh=BOX, **options):
    told = {"reynolds": 10.0, "stream": 0.0, "device": "cpu", "walls": list(BOX.boundaries)}
    return km.Incompressible(mesh, **(told | options))


def walls_of(made):
    """Places and velocities of the walls' nodes."""
    get, patch = made.backend.get, made.grid.wall
    return get(made.grid.x)[patch.node], get(made.projection.velocity["body"])


@cache
def extrema(across, time_step, time, name="cavity"):
    """Least u on the vertical centre line, largest and least v on the horizontal one."""
    inner = round(5300 * (across / 128) ** 2)
    keys = {
        "cavity": {"mesh.spacing": 1 / across},
        "cavity-spinning": {"parts.box.spacing": 1 / across, "parts.middle.nodes": inner},
    }
    run = {"run.device": "cpu", "run.time_step": time_step, "run.steps": round(time / time_step)}
    ready = cases.load(name, [f"{key}={value}" for key, value in (keys[name] | run).items()])
    made = build.solver(ready)
    build.go(ready, made)
    x, u = (made.backend.get(a) for a in (made.grid.x, made.projection.flow["u"]))
    box = np.arange(len(x)) >= (made.grid.meshes[0].first[1] if made.donors else 0)
    found = []
    for axis in range(2):
        line = np.flatnonzero(box & np.isclose(x[:, axis], 0.5))
        line = line[np.argsort(x[line, 1 - axis])]
        found.append(CubicSpline(x[line, 1 - axis], u[line, axis])(np.linspace(0, 1, 10_001)))
    return np.array([found[0].min(), found[1].max(), found[1].min()])


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.parametrize(
    ("across", "most"), [(32, 0.186), pytest.param(64, 0.056, marks=pytest.mark.slow)]
)
def test_the_ready_cavity_has_published_velocities(across, most):
    """64 by 64 edges: 2.7 to 3.1 %; 0.5 % of 256 by 256, the design's bar, is 5.6 % here by the
    order 1.74 that 32 and 64 edges have, and 18.6 % with 32 by 32."""
    assert np.abs(extrema(across, 0.05, 40) / EXTREMA - 1).max() < most


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("across", [32, pytest.param(64, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore:.*will turn by more than:RuntimeWarning")
def test_a_round_part_that_turns_in_the_cavity_has_the_errors_of_one_grid(across):
    """8.5 to 10.9 % on 32 edges, where one grid has 9.1 to 11.3; 1.1 is the design's bar."""
    alone, turning = (
        np.abs(extrema(across, 0.05, 40, name) / EXTREMA - 1)
        for name in ("cavity", "cavity-spinning")
    )
    assert (turning < 1.1 * alone).all(), (alone, turning)
    assert (turning != alone).all()


@pytest.mark.slow
def test_the_ready_cavity_has_second_order():
    """64 and 128 edges, dt with the spacing; order 1.8 from 0.5 % of 256 by 256 is 1.7 %."""
    coarse, fine = (np.abs(extrema(n, 3.2 / n, 60) / EXTREMA - 1) for n in (64, 128))
    assert (np.log2(coarse / fine) > 1.8).all(), (coarse, fine)
    assert fine.max() < 0.017, fine


def test_a_lid_slides_and_its_corners_rest():
    made = case(sliding={"wall_top": (2.0, 0.0)})
    x, u = walls_of(made)
    lid = (x[:, 1] == 1) & (x[:, 0] > 0) & (x[:, 0] < 1)
    assert lid.sum() == 9
    assert (u[lid] == (2.0, 0.0)).all()
    assert (u[~lid] == 0).all()
    assert made.more == {"sliding": {"wall_top": (2.0, 0.0)}}


@pytest.mark.filterwarnings("ignore:.*edges lie a:RuntimeWarning")
def test_walls_of_one_velocity_go_on_over_their_corner():
    """Ground in two pieces below a stream."""
    told = {"wall_bottom": BOX.boundaries["wall_bottom"]}
    first, last = told["wall_bottom"][:5], told["wall_bottom"][5:]
    open_ = {n: BOX.boundaries[f"wall_{n}"] for n in ("left", "right", "top")}
    mesh = km.Mesh(BOX.points, BOX.triangles, BOX.quads, {"one": first, "two": last} | open_)
    made = case(mesh, walls=["one", "two"], stream=1.0, sliding={"one": (1, 0), "two": (1, 0)})
    assert (walls_of(made)[1] == (1.0, 0.0)).all()
    run = made.run(time_step=0.1, steps=3)
    assert np.abs(run.history["cd"]).max() < 1e-10  # the stream goes with the ground


@pytest.mark.filterwarnings("ignore:.*will turn by more than:RuntimeWarning")
def test_a_wall_that_slides_turns_with_its_body():
    """A quarter turn, nose-up, which is clockwise: to the right becomes downwards."""
    motion = km.motion.rotate(90.0, about=(0.5, 0.5), ramp=1.0)
    told = {"walls": None, "motion": {"box": motion}}
    lids = (None, {"wall_top": (1.0, 0.0)})
    still, made = (case({"box": BOX}, **told, sliding=own) for own in lids)
    runs = [own.run(time_step=0.05, steps=30) for own in (still, made)]
    assert runs[0].history.converged.all()
    (x, without), (_, u) = walls_of(still), walls_of(made)
    top = np.isclose(x[:, 0], 1.0) & (np.abs(x[:, 1] - 0.5) < 0.49)
    assert top.sum() == 9
    assert u - without == pytest.approx(np.where(top[:, None], (0.0, -1.0), 0.0), abs=1e-12)


def test_a_wall_of_a_part_slides_by_its_marker():
    rod = km.mesh.cylinder(640, far_field=1.6, around=40, wall_spacing=0.03, outer="overset")
    told = {"spacing": 0.11, "walls": SIDES}
    back = km.mesh.background(box=(-2, 2, -2, 2), core=(-2, 2, -2, 2), **told)
    for name in ("wall_top", "back.wall_top"):
        made = case({"rod": rod, "back": back}, walls=None, sliding={name: (1.0, 0.0)})
        x, u = walls_of(made)
        assert ((u != 0).any(axis=1) == ((x[:, 1] == 2) & (np.abs(x[:, 0]) < 2))).all()


def spins(mesh, walls=None, **options):
    """Places and velocities of the walls' nodes, and their rates of turn."""
    made = case(mesh, walls=walls, moment_about=(0.0, 0.0), **options)
    return (*walls_of(made), made.backend.get(made.projection.spin), made)


def test_a_number_is_the_speed_along_a_closed_wall_counter_clockwise():
    """Uneven nodes on circles, whose tangents are exact; the outer wall closes round the fluid."""
    even = annulus(40, 9)
    radius, angle = np.hypot(*even.points.T), np.arctan2(*even.points.T[::-1])
    angle += 0.05 * np.sin(3 * angle)
    mesh = even.transformed(radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    told = {"walls": ["inner", "outer"], "chord": 2.0, "reynolds": 200}
    x, u, spin, _ = spins(mesh, **told, sliding={"inner": 1.5, "outer": -0.4})
    radius = np.hypot(*x.T)
    rate = np.where(radius < 1.5, 1.5, -0.4) / radius
    assert u == pytest.approx(rate[:, None] * np.stack([-x[:, 1], x[:, 0]], axis=1), abs=1e-12)
    assert spin == pytest.approx(rate, rel=1e-9)


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.filterwarnings("ignore:member 0. the loads change:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:body cylinder of member 0 moves at once:RuntimeWarning")
@pytest.mark.parametrize(("stream", "within"), [(0.0, 0.002), (1.0, 0.02)])
def test_a_round_wall_that_slides_is_the_grid_that_turns(stream, within):
    """By 0.7 degrees a step, torques; measured 0.15 and 1.7 % apart on so few nodes."""
    mesh = km.mesh.cylinder(1600, far_field=40.0)
    turn = km.motion.rotate(-np.degrees(1.0), about=(0.0, 0.0))
    made = (
        spins(mesh, reynolds=100.0, stream=stream, **own)[-1]
        for own in ({"motion": turn}, {"sliding": {"cylinder": 0.5}})
    )
    turning, sliding = (own.run(time_step=0.0125, steps=80).history["cm"] for own in made)
    assert turning[4:] == pytest.approx(sliding[4:], rel=within)


def test_a_round_wall_of_a_part_slides_by_its_marker():
    rod = km.mesh.cylinder(640, far_field=1.6, around=40, wall_spacing=0.03, outer="overset")
    back = km.mesh.background(box=(-2, 2, -2, 2), core=(-2, 2, -2, 2), spacing=0.11)
    x, u, spin, _ = spins({"rod": rod, "back": back}, sliding={"rod.cylinder": 1.0})
    assert u == pytest.approx(2 * np.stack([-x[:, 1], x[:, 0]], axis=1), abs=1e-12)
    assert spin == pytest.approx(np.full(len(x), 2.0), rel=1e-9)


def test_a_wall_with_corners_has_no_speed():
    wing = km.mesh.airfoil("naca0012", nodes=600, far_field=5.0)
    with pytest.raises(
        km.SettingsError, match=r"turns by 16\d degrees at \(1, .*expected a smooth"
    ):
        case(wing, walls=None, sliding={"airfoil": 1.0})


WRONG = {
    "through": (
        {"wall_top": (1.0, 0.1)},
        r"is \(1, 0.1\), which is 0.1 through its edge",
    ),
    "unknown": ({"lid": (1.0, 0.0)}, "'lid' is no wall, expected one of wall_left"),
    "number": ({"wall_top": 1.0}, r"'wall_top' is 1.0, expected a velocity \(x, y\)"),
    "finite": ({"wall_top": (np.nan, 0.0)}, "expected a velocity"),
    "no number": ({"wall_top": np.nan}, "expected a velocity"),
    "text": ({"wall_top": "fast"}, "is 'fast', expected a velocity"),
    "table": (["wall_top"], "expected {marker of a wall"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_slide_is_refused(name):
    given, words = WRONG[name]
    with pytest.raises(km.SettingsError, match=words):
        case(sliding=given)


def test_a_run_does_not_go_on_with_another_lid(tmp_path):
    case(sliding={"wall_top": (1.0, 0.0)}).run(time_step=0.1, steps=2, out=tmp_path / "x")
    assert km.open(tmp_path / "x").summary["conditions"]["sliding"] == {"wall_top": [1.0, 0.0]}
    with pytest.raises(km.KinemeshError, match="sliding"):
        case(sliding={"wall_top": (-1.0, 0.0)}).run(
            time_step=0.1, steps=4, out=tmp_path / "x", resume=True
        )


def test_walls_of_an_inviscid_gas_do_not_slide():
    slides = ['mesh.sliding={"airfoil" = [1.0, 0.0]}']
    with pytest.raises(km.CaseError, match="method 'cells' has no walls that move along"):
        cases.load("agard-ct5", ["method=cells", *slides])
    with pytest.raises(km.SettingsError, match="no effect without reynolds"):
        build.solver(cases.load("agard-ct5", [*slides, "mesh.nodes=600", "run.device=cpu"]))
