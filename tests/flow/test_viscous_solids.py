"""Viscous flow on meshes in space: beside the plane's, loads, frames, halves, walls, restarts."""

import csv

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA
from kinemesh import cases
from kinemesh.cases import build
from runs import assert_same
from scipy.spatial import cKDTree
from scipy.special import erfcx
from solid_cases import MACH, Shaken, forced
from solids import MADE, cube, half_of
from solver_cases import on_devices
from viscous_cases import SOLVERS, endless, on_solvers

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*moves at once:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning"),  # coarse
    pytest.mark.filterwarnings("ignore:.*the planform of cylinder is:RuntimeWarning"),
]

SPHERE = km.mesh.sphere(1000, far_field=5.0, wall_spacing=0.12)
ROUND = km.mesh.cylinder(300, far_field=6.0, around=24)
LAYERS, SPAN = 3, 0.5
MODELS = {
    "laminar": {},
    "warm wall": {"viscosity": km.Viscosity(wall=1.2)},
    "turbulent": {"turbulence": "sa"},
}
on_models = pytest.mark.parametrize("model", MODELS)


def case(mesh=SPHERE, drop=1e-3, device="cpu", solver="nodes", **changes):
    told = {"mach": 0.3, "reynolds": 40.0, "alpha_deg": 10.0, "moment_about": (0.1, 0.2),
            "reference_area": np.pi / 4, "device": device,
            "settings": SOLVERS[solver][1](steady_drop=drop, limiter="none")}  # fmt: skip
    return SOLVERS[solver][0](mesh, **(told | changes))


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("edges", [False, True], ids=["edges-rest", "edges-move"])
@pytest.mark.parametrize("kind", MADE)
@on_solvers
def test_a_laminar_stream_survives_arbitrary_motion(solver, kind, edges, device):
    made = SOLVERS[solver][0](
        cube(3, kind, size=2.0, jitter=0.1, middle=-1.0), mach=MACH, alpha_deg=17.0, walls=[],
        reynolds=20.0, device=device, deform=Shaken(0.12, 0.05, edges),
    )  # fmt: skip

    error, change = forced(made, 30)

    assert error <= 1e-12  # the bar of the method's statement
    assert change > 0.2


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("kind", MADE)
@on_solvers
def test_a_turbulent_stream_survives_arbitrary_motion(solver, kind, device, monkeypatch):
    """No wall is near, and without vorticity nothing is made: nu~ of the stream stays, too."""
    endless(monkeypatch)
    made = SOLVERS[solver][0](
        cube(3, kind, size=2.0, jitter=0.1, middle=-1.0), mach=MACH, alpha_deg=17.0, walls=[],
        reynolds=20.0, device=device, deform=Shaken(0.12, 0.05, True), turbulence="sa",
    )  # fmt: skip
    rate = made.viscosities[0]

    error, change = forced(made, 30)

    assert error <= 1e-12
    assert change > 0.2
    assert np.abs(made.backend.get(made.fields["nt"]) - 3.0 * rate).max() <= 1e-12 * rate


# ---------------------------------------------------------------- the plane


def drawn(mesh, layers=LAYERS, span=SPAN, solver="nodes", **more):
    """The mesh in the plane and drawn out, in a case of each."""
    told = {"mach": 0.3, "reynolds": 40.0, "alpha_deg": 5.0, "moment_about": (0.1, 0.2),
            "device": "cpu", **more}  # fmt: skip
    solid = km.mesh.extruded(mesh, span=span, layers=layers)
    made, _ = SOLVERS[solver]
    return made(mesh, **told), made(solid, **(told | {"reference_area": span}))


@on_models
@on_solvers
def test_an_extruded_cylinder_has_the_flow_of_the_plane(solver, model):
    drops = {} if model != "turbulent" else {"turbulence_drop": 1e-10}
    settings_type = SOLVERS[solver][1]
    settings = settings_type(limiter="none", steady_drop=1e-11, jacobian_fix=0.3, **drops)
    flat, solid = drawn(ROUND, solver=solver, settings=settings, **MODELS[model])

    results = [made.steady().summary["result"] for made in (flat, solid)]

    assert all(own["converged"] for own in results)
    for name in ("cl", "cd", "cm", "cd_pressure", "cd_friction"):
        assert results[0][name] == pytest.approx(results[1][name], abs=1e-8), name
    assert results[1]["cy"] == pytest.approx(0.0, abs=1e-8)
    assert results[0]["cd_friction"] > 0.4
    one, other = flat.walls()["cylinder"], solid.walls()["cylinder"]
    _, rows = cKDTree(np.stack([one.x, one.y], axis=1)).query(np.stack([other.x, other.z], axis=1))
    for name in ("cp", "cf", "y_plus", "heat_flux"):
        found, there = getattr(other, name), getattr(one, name)[rows]
        assert np.abs(found - there).max() <= 1e-8 * max(np.abs(there).max(), 1.0), name
    assert np.abs(other.friction[:, 1]).max() <= 1e-8
    assert np.abs(one.heat_flux).max() > 1e-3 or model != "warm wall"


@pytest.mark.parametrize("model", ["laminar", "turbulent"])
@on_solvers
def test_steps_of_an_extruded_cylinder_are_those_of_the_plane(solver, model):
    told = {"deform": km.deform.Rigid(), "motion": km.motion.plunge(0.1, 0.5), **MODELS[model]}
    drops = {} if model == "laminar" else {"unsteady_turbulence_drop": 1e-9}
    settings = SOLVERS[solver][1](
        limiter="none", steady_drop=1e-9, unsteady_drop=1e-11, unsteady_iterations=100,
        jacobian_fix=0.3, **drops,
    )  # fmt: skip
    flat, solid = drawn(ROUND, solver=solver, settings=settings, **told)

    one, other = (made.run(time_step=0.3, steps=3, start="as is").history for made in (flat, solid))

    assert one.converged.all()
    for name in ("cl", "cd", "cm", "power"):
        np.testing.assert_allclose(other[name], one[name], atol=1e-8, err_msg=name)
    assert np.ptp(one.cl) > 0.1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the planform of airfoil is:RuntimeWarning")
def test_an_extruded_section_has_the_turbulent_flow_of_the_plane():
    """Slopes across layers that curve take the plane's share, where the span is longer than all."""
    mesh = km.mesh.airfoil("naca0012", nodes=3000, far_field=10.0, topology="c", cells="quads",
                           heights="even", y_plus=2, reynolds=2e4, growth=1.5)  # fmt: skip
    settings = km.AleSettings(limiter="none", steady_drop=1e-10, turbulence_drop=1e-8,
                              jacobian_fix=0.3)  # fmt: skip
    told = {"settings": settings, "reynolds": 2e4, "turbulence": "sa"}
    flat, solid = drawn(mesh, 1, span=40.0, **told)
    assert not solid.backend.get(solid.fields["blunt"]).any()

    results = [made.steady().summary["result"] for made in (flat, solid)]

    assert all(own["converged"] for own in results)
    for name in ("cl", "cd", "cm", "cd_friction", "y_plus_mean"):
        assert results[0][name] == pytest.approx(results[1][name], abs=1e-8), name
    assert results[0]["cl"] > 0.3


@pytest.mark.filterwarnings("ignore:.*loads are sums over all walls:RuntimeWarning")
def test_walls_that_share_nodes_have_the_loads_of_the_plane():
    """Friction there is divided by areas as it is by lengths."""
    rim = ROUND.boundaries["cylinder"]
    sides = {"one": rim[:9], "two": rim[9:], "farfield": ROUND.boundaries["farfield"]}
    mesh = km.Mesh(ROUND.points, ROUND.triangles, ROUND.quads, sides)
    settings = km.AleSettings(limiter="none", steady_drop=1e-10, jacobian_fix=0.3)
    both = drawn(mesh, settings=settings, far=["farfield"])
    for made in both:
        assert made.steady().summary["result"]["converged"]

    flat, solid = (made.forces.sums_about(np.array([[0.1, 0.2]])) for made in both)

    assert flat.shape == solid.shape == (3, 2)
    assert np.abs(solid / SPAN - flat).max() <= 1e-8 * np.abs(flat).max()
    assert np.abs(flat).min() > 1e-4


# ---------------------------------------------------------------- loads


@on_devices
@on_models
def test_the_reaction_of_the_wall_is_what_the_far_field_leaves(model, device):
    """Force on the wall = - momentum through the far field, to what the residual has left."""
    made = case(drop=1e-10, device=device, **MODELS[model])
    result = made.steady().summary["result"]
    b, get, far = made.backend, made.backend.get, made.grid.patches["far"]

    left = b.zeros((made.grid.nodes, 5))
    b.put(made.dualtime.active, 1)
    made.fields.also(**far.device).bind("bc_farfield", res=left, strength=None)()
    through = get(left).sum(axis=0)
    reaction = get(made.terms["stick"].made["reaction"])

    size = np.abs(get(left)[:, 1:4]).sum()
    assert result["converged"]
    assert np.abs(reaction.sum(axis=0) + through[1:4]).max() <= 1e-10 * size
    # the loads are the same less those of p_inf S, which a closed wall has none of
    c, s = np.cos(np.radians(10.0)), np.sin(np.radians(10.0))
    force = reaction.sum(axis=0) / (0.5 * 0.3**2 * np.pi / 4)
    expected = [force @ (-s, 0, c), force @ (c, 0, s), force[1]]
    assert [result[name] for name in ("cl", "cd", "cy")] == pytest.approx(expected, abs=1e-9)
    arm = made.grid.points[made.grid.wall.node] - [0.1, 0.0, 0.2]
    moment = np.cross(arm, reaction).sum(axis=0) / (0.5 * 0.3**2 * np.pi / 4)
    assert [result[f"cm{end}"] for end in ("_roll", "", "_yaw")] == pytest.approx(moment, abs=1e-9)
    assert result["cd"] > 1.5


@pytest.mark.long
@on_devices
def test_loads_are_those_of_any_frame(device):
    """At rest in a stream of Mach 0.3; half of it by the body, upstream through the other half.

    The stream's own numbers change with it: Re = M L / mu, loads by M^2 / 2.
    """
    tight = km.AleSettings(limiter="none", unsteady_drop=1e-10, unsteady_iterations=400)
    upstream = {"mach": 0.15, "reynolds": 20.0, "motion": km.motion.translate((-1.0, 0.0))}

    rest, moving = (
        case(settings=tight, device=device, deform=km.deform.Rigid(), **({"alpha_deg": 0.0} | more))
        .run(time_step=0.5, steps=6, start="as is")
        .history
        for more in ({}, upstream)
    )

    assert rest.converged.all()
    assert moving.converged.all()
    for name in ("cl", "cd", "cm", "cy", "cm_roll", "cm_yaw"):
        assert rest[name] == pytest.approx(moving[name] / 4, abs=1e-9 * rest.cd.max()), name


@pytest.mark.long
def test_a_half_with_its_plane_of_symmetry_comes_to_the_whole():
    """Walls meet the plane in their own rows; apart by second order, the side's force too."""
    counts, apart = [], []
    for nodes in (2000, 8000):
        whole = km.mesh.sphere(nodes, far_field=5.0, wall_spacing=120 / nodes)
        half = half_of(whole)
        told = {"drop": 1e-6, "alpha_deg": 0.0}
        one = case(whole, **told)
        other = case(half, **told, reference_area=np.pi / 8, boundaries={"middle": "symmetry"})
        a, b = (made.steady().summary["result"] for made in (one, other))
        assert a["converged"]
        assert b["converged"]
        reaction, S = (one.backend.get(one.grid.wall.device[n])[:, 1] for n in ("reaction", "S"))
        which = np.sign(one.grid.points[one.grid.wall.node][:, 1].round(9))
        side = (which * (reaction - S / GAMMA)).sum()  # of both halves, each outwards
        counts.append(whole.nodes ** (1 / 3))
        apart.append([abs(a[name] - b[name]) for name in ("cd", "cd_friction")])
        apart[-1].append(abs(side / (0.5 * 0.3**2 * np.pi / 4) - b["cy"]))

    order = -np.diff(np.log(apart), axis=0)[0] / np.diff(np.log(counts))[0]
    assert (order >= 1.8).all()


@pytest.mark.long
def test_a_sphere_that_turns_is_held_by_the_friction_of_the_gas():
    """8 pi mu R^3 w (1 + (1 / sqrt(pi t) - exp(t) erfc(sqrt(t))) / 3), t in R^2 / nu, of a fluid
    at rest (Landau and Lifshitz, Fluid Mechanics, section 24); here a slow stream goes by."""
    mach, reynolds, turn, radius = 0.1, 20.0, 0.4, 0.5
    made = case(
        km.mesh.sphere(3000, far_field=5.0, wall_spacing=0.04), mach=mach, reynolds=reynolds,
        alpha_deg=0.0, moment_about=(0.0, 0.0), deform=km.deform.Rigid(),
        motion=km.motion.rotate(np.degrees(turn), about=(0.0, 0.0)),
    )  # fmt: skip

    rows = made.run(time_step=0.5, steps=8, start="as is").history

    nu, rate, t = mach / reynolds, turn * mach, mach / reynolds * rows.time[-1] / radius**2
    share = 1 + (1 / np.sqrt(np.pi * t) - erfcx(np.sqrt(t))) / 3
    torque = 8 * np.pi * nu * radius**3 * rate * share / (0.5 * mach**2 * np.pi / 4)
    # 3052 nodes and 16 steps: 2.0 %, 8106 nodes: 0.9 %
    assert rows.cm[-1] == pytest.approx(-torque, rel=0.03)
    assert rows.power[-1] == pytest.approx(rate * rows.cm[-1], rel=1e-9)


# ---------------------------------------------------------------- walls


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sphere")
    made = case(drop=1e-4, alpha_deg=0.0)
    return made, made.steady(out=folder), folder


def test_a_run_leaves_its_walls_in_a_table_and_in_its_fields(ended):
    made, run, folder = ended
    own, kept = made.walls()["sphere"], km.open(folder).walls()["sphere"]
    with (folder / "wall.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["body", "x", "y", "z", "cp", "cf", "cf_x", "cf_y", "cf_z", "y_plus",
                             "heat_flux"]  # fmt: skip
    for name, values in own.columns().items():
        np.testing.assert_array_equal(kept.columns()[name], values)
        np.testing.assert_array_equal([float(row[name]) for row in rows], values)
    fields = run.fields()
    off = np.setdiff1d(np.arange(len(fields.points)), fields.walls)
    assert not fields["Friction"][off].any()
    assert fields["Vorticity"].shape == fields["Friction"].shape == (len(fields.points), 3)


def test_friction_is_along_the_wall_and_downstream_ahead_of_the_separation(ended):
    made, run, _ = ended
    wall = made.walls()["sphere"]
    x = np.stack([wall.x, wall.y, wall.z], axis=1)
    size = np.linalg.norm(wall.friction, axis=1)
    assert np.abs((wall.friction * x).sum(axis=1) / 0.5).max() <= 0.05 * size.max()
    front = (wall.x < -0.1) & (wall.x > -0.49)
    assert (wall.cf[front] > 0).all()
    # of the same in the plane of the stream and the normal, to what a coarse mesh has across
    np.testing.assert_allclose(wall.cf[front], size[front], rtol=0.02)
    result = run.summary["result"]
    assert result["cd_friction"] == result["cd"] - result["cd_pressure"]
    assert result["y_plus_largest"] == wall.y_plus.max()
    at = [result[f"y_plus_largest_{axis}"] for axis in "xyz"]
    assert at in x[wall.y_plus == wall.y_plus.max()].tolist()


def test_friction_is_what_the_reaction_has_along_the_wall(ended):
    made, _, _ = ended
    own, get, device = made.friction.at_walls(), made.backend.get, made.grid.wall.device
    reaction, S = get(device["reaction"]), get(device["S"])
    size = np.linalg.norm(S, axis=1)
    n = S / size[:, None]
    along = reaction - (reaction * n).sum(axis=1)[:, None] * n

    expected = along / size[:, None] / (0.5 * 0.3**2)
    np.testing.assert_allclose(own.friction, expected, atol=1e-12)
    mu = get(made.fields["mu"])[made.grid.wall.node, 0]
    rho = made.primitive()[made.grid.wall.node, 0]
    height = made.friction.nodes.stand(made.grid.points, np.tile([1.0, 0, 0], (len(S), 1))).height
    tau = np.linalg.norm(along, axis=1) / size
    np.testing.assert_allclose(own.y_plus, height * np.sqrt(rho * tau) / mu, rtol=1e-12)


def test_what_is_drawn_along_lines_is_refused_in_space(ended):
    _, run, _ = ended
    with pytest.raises(km.CaseError, match="friction: the walls are in space"):
        km.plot.friction(run.walls())
    with pytest.raises(km.CaseError, match="layer: the flow is in space"):
        run.layer(0.0)
    with pytest.raises(km.CaseError, match="pressures: of a wing, which has no chord line"):
        run.pressures()


# ---------------------------------------------------------------- runs


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("model", ["laminar", "turbulent"])
@on_solvers
def test_a_run_that_goes_on_has_the_bits_of_one_that_never_stopped(solver, model, device, tmp_path):
    law = km.motion.pitch(20.0, 0.5, about=(0.1, 0.0)) + km.motion.plunge(0.1, 0.5)
    told = {"device": device, "motion": law, "deform": km.deform.Rigid(), **MODELS[model]}
    told["solver"] = solver
    steps = {"time_step": 0.3, "start": "as is"}
    case(**told).run(**steps, steps=4, out=tmp_path / "whole")

    for count in (1, 3, 4):
        case(**told).run(**steps, steps=count, out=tmp_path / "parts", resume=count > 1)

    assert_same(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.long
@on_devices
@on_solvers
def test_members_of_unlike_reynolds_numbers_have_the_bits_of_their_runs_alone(solver, device):
    meshes = SPHERE, km.mesh.sphere(800, far_field=4.0, wall_spacing=0.15, cells="tets")
    told = {"device": device, "solver": solver}
    both = case(list(meshes), **told, reynolds=[40.0, 20.0], mach=[0.3, 0.4])
    together = both.steady()
    for m in (0, 1):
        solo = case(meshes[m], **told, reynolds=(40.0, 20.0)[m], mach=(0.3, 0.4)[m])
        alone = solo.steady()
        for name in ("cl", "cd", "cm", "residual"):
            np.testing.assert_array_equal(
                together.history.member(m)[name], alone.history[name], err_msg=name
            )
        own = slice(*both.grid.first[m : m + 2])
        np.testing.assert_array_equal(both.primitive()[own], solo.primitive())


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ale", "cells"])
def test_drag_of_a_sphere_is_the_published_one(method):
    """Computed of incompressible flow at Reynolds number 100: 1.08 to 1.10 (docs/validation.md)."""
    made = build.solver(cases.load("sphere-100").replace(method=method))
    result = made.steady().summary["result"]

    assert result["converged"]
    assert 1.06 <= result["cd"] <= 1.12
