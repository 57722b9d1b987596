"""A viscous gas on cells as users see it: beside nodes, walls, figures, what is refused."""

import csv

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.errors import MeshError, SettingsError
from kinemesh.flow import memory
from viscous_cases import SOLVERS

pytestmark = pytest.mark.flow
ROUND = km.mesh.cylinder(600, far_field=8.0, around=32)
PLATE = km.mesh.plate(1300, height=0.5, wall_spacing=1e-3, edge_spacing=0.006)
ENDS = {
    "outlet": km.outlet(pressure=1.0),
    "symmetry": "symmetry",
    "inlet": "far",
    "farfield": "far",
}


def cylinder(mesh=ROUND, settings=None, **more):
    told = {"mach": 0.3, "reynolds": 40.0, "alpha_deg": 5.0, "device": "cpu"} | more
    return km.CellCentred(mesh, settings=km.CellSettings(**settings or {}), **told)


def test_friction_along_a_plate_is_that_of_blasius():
    """With a plane of symmetry before the plate, an outlet behind it, cells 50 times as long."""
    case = km.CellCentred(
        PLATE, mach=0.2, reynolds=1e5, device="cpu", walls=["wall"], boundaries=ENDS,
        settings=km.CellSettings(limiter="none", cfl=10.0, steady_drop=1e-4),
    )  # fmt: skip
    run = case.steady()

    wall = case.walls()["wall"]
    behind = wall.x > 0.25  # of the leading edge, which no mesh resolves
    root = np.sqrt(1e5 * wall.x[behind])
    np.testing.assert_allclose(wall.cf[behind] * root, 0.664, rtol=0.04)  # 3.7 % at most
    np.testing.assert_allclose(  # of the whole height of the wall cells, as that of nodes
        wall.y_plus[behind], 1e-3 * 0.2 * np.sqrt(0.332 / root) * 1e5 / 0.2, rtol=0.03
    )
    assert run.summary["result"]["converged"]
    assert not run.history["cd_pressure"].any()
    assert not wall.heat_flux.any()


@pytest.mark.long
@pytest.mark.parametrize("turbulence", [None, "sa"])
def test_loads_of_a_section_are_those_about_nodes(turbulence):
    """The difference of the two is a sign of the error of both."""
    told = {None: {"reynolds": 5e3}, "sa": {"reynolds": 1e5, "turbulence": "sa"}}[turbulence]
    mesh = km.mesh.airfoil("naca0012", nodes=10_000, around=110, topology="c", cells="quads",
                           heights="even", wall_spacing=1e-3 if turbulence is None else 4e-4,
                           far_field=30.0)  # fmt: skip
    one, other = (
        solver(mesh, mach=0.5, alpha_deg=1.0, device="cpu", settings=settings(limiter="none"),
               **told).steady().summary["result"]
        for solver, settings in SOLVERS.values()
    )  # fmt: skip

    assert one["converged"]
    assert other["converged"]
    assert other["cd"] == pytest.approx(one["cd"], rel=0.02)
    assert other["cd_friction"] == pytest.approx(one["cd_friction"], rel=0.03)
    assert other["y_plus_mean"] == pytest.approx(one["y_plus_mean"], rel=0.02)


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cylinder")
    case = cylinder(turbulence="sa")
    return case, case.steady(out=folder), folder


def test_a_run_leaves_its_walls_in_a_table_and_in_its_fields(ended):
    """Face by face, the gas on the left, from the trailing edge on."""
    case, run, folder = ended
    with (folder / "wall.csv").open() as file:
        rows = list(csv.DictReader(file))
    table = {name: np.array([float(row[name]) for row in rows]) for name in rows[0] if
             name != "body"}  # fmt: skip
    wall = run.walls()["cylinder"]

    assert len(wall.x) == 32
    for name, own in table.items():
        np.testing.assert_array_equal(own, getattr(case.walls()["cylinder"], name))
        if name != "cp":  # of the cells there, as pressures are in fields
            np.testing.assert_allclose(getattr(wall, name), own, rtol=1e-6, atol=1e-12)
    x, y = wall.x, wall.y
    turned = np.roll(x, -1) * y - x * np.roll(y, -1)  # clockwise about the body
    assert (turned > 0).all() or (turned < 0).all()
    assert x.argmax() in (0, len(x) - 1)
    fields = run.fields()
    assert fields.on == "cells"
    assert fields["EddyViscosity"].min() >= 0
    assert np.count_nonzero(fields["YPlus"]) == 32


def test_the_figures_of_a_viscous_gas_are_drawn_of_cells(ended, undrawn):
    _, _, folder = ended

    made = {path.name for path in plot.from_directory(folder)}

    assert {"vorticity.png", "eddies.png", "friction.png", "layers.png"} <= made


def test_a_layer_of_cells_begins_on_the_wall_with_u_plus_as_y_plus(ended):
    """The wall's stress is that of the first cell's velocity, so that u+ is y+ there."""
    case, run, _ = ended
    wall = case.walls()["cylinder"]

    layer = run.layer(0.0)

    at = np.flatnonzero(np.isclose(wall.x, layer.x) & np.isclose(wall.y, layer.y))
    assert len(at) == 1
    assert layer.y > 0
    assert layer.cf == pytest.approx(wall.cf[at[0]], rel=1e-5)
    assert layer.y_plus[0] == layer.u_plus[0] == 0.0
    assert layer.y_plus[1] == pytest.approx(wall.y_plus[at[0]] / 2, rel=1e-5)
    assert (np.diff(layer.y_plus) > 0).all()
    assert len(layer.y_plus) == len(layer.u_plus) == len(layer.eddy_viscosity) > 4
    assert layer.u_plus[1] == pytest.approx(layer.y_plus[1], rel=0.05)  # 32 edges around
    foot = np.array([layer.x, layer.y])
    centre = run.fields().points[run.fields().cells].mean(axis=1)  # of quadrilaterals
    away = centre - foot
    above = np.abs(away @ [-foot[1], foot[0]]) < 1e-6 * np.abs(away).sum(axis=1)
    above &= away @ foot > 0
    height = np.sort(np.hypot(*away[above].T))[: len(layer.y_plus) - 1]
    np.testing.assert_allclose(layer.y_plus[1:] / layer.y_plus[1], height / height[0], rtol=1e-4)
    below = run.layer(0.0, upper=False)
    assert below.y == pytest.approx(-layer.y, abs=1e-9)


def test_layers_of_cells_on_walls_that_move_are_refused_and_their_figure_is_told(tmp_path, undrawn):
    case = cylinder(motion=km.motion.plunge(0.1, 0.5), deform=km.deform.Rigid())
    run = case.run(cycles=1, steps_per_cycle=4, start="stream", out=tmp_path)

    with pytest.raises(km.CaseError, match=r"layer: the wall moves, and fields of cells"):
        run.layer(0.0)
    with pytest.warns(UserWarning, match=r"layers.png is not drawn: walls move, and"):
        made = {path.name for path in plot.from_directory(tmp_path)}
    assert "friction.png" in made
    assert "layers.png" not in made


@pytest.mark.filterwarnings("ignore:.*y\\+ of about:RuntimeWarning")
def test_cells_too_high_for_turbulence_are_warned_of():
    """In words of the height of the wall cells, before the run and behind it."""
    with pytest.warns(RuntimeWarning, match=r"a y\+ of about 1.7e\+02 by a flat plate"):
        case = cylinder(reynolds=1e5, turbulence="sa", settings={"steady_iterations": 10})
    with pytest.warns(RuntimeWarning, match=r"y\+ of the wall cells is .* wall_spacing = .* gives"):
        case.steady()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"face_loop": "colours"}, "face_loop is 'colours', which viscous flow has not"),
        ({"face_loop": "atomics"}, "face_loop is 'atomics', which viscous flow has not"),
        ({"face_loop": "recompute"}, "face_loop is 'recompute', which viscous flow has not"),
        ({"linear_solver": "lusgs"}, "linear_solver is 'lusgs', which viscous flow has not"),
    ],
)
def test_settings_that_viscous_flow_has_not_are_refused(settings, words):
    with pytest.raises(SettingsError, match=words):
        cylinder(settings=settings)


def test_turbulence_with_gradients_by_least_squares_is_refused():
    """Laminar gas has them."""
    fitted = {"gradient": "least-squares"}
    with pytest.raises(SettingsError, match=r"'least-squares' and the gas is turbulent.*'nodes'"):
        cylinder(settings=fitted, turbulence="sa")
    assert cylinder(settings=fitted).settings.gradient == "least-squares"


def test_turbulent_bodies_that_bend_in_space_are_sent_to_nodes():
    """Without the advice of gradients that turbulence does not have."""
    solid = km.mesh.extruded(ROUND, span=0.5, layers=2)
    law = km.motion.modes(lambda x: 0.0 * x, lambda t: 0.0)
    told = {"reference_area": 0.5, "motion": law, "deform": km.deform.Modal()}

    with pytest.raises(SettingsError, match=r"a body bends.* as given; take km\.Ale"):
        cylinder(solid, turbulence="sa", **told)
    with pytest.raises(SettingsError, match=r"take gradient='least-squares', or km\.Ale"):
        cylinder(solid, **told)


def test_one_layer_of_cells_between_planes_is_refused():
    """Gradients would be none at all, without a word."""
    solid = km.mesh.extruded(ROUND, span=0.5, layers=1)

    with pytest.raises(MeshError, match=r"576 of 576 cells have all .* in one plane.*layers = 2"):
        cylinder(solid, reference_area=0.5)


@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize("turbulence", [None, "sa"])
@pytest.mark.parametrize("layers", [0, 3], ids=["plane", "space"])
def test_memory_of_viscous_cells_is_counted_on_small_meshes(turbulence, layers, newton):
    """In space of one layer among others, which runs refuse; coarse levels count as the most."""
    mesh = km.mesh.extruded(ROUND, span=0.5, layers=layers) if layers else ROUND
    told = {"mach": 0.3, "reynolds": 40.0, "turbulence": turbulence, "device": "cpu"}
    told["settings"] = km.CellSettings(newton=newton)
    made = km.CellCentred.counting()(mesh, **told, **({"reference_area": 0.5} if layers else {}))

    needed = memory.needed(made.counted, "float64", [mesh], made.settings)

    if newton:
        assert 0.75 * needed < made.backend.held < needed
    else:  # in space 8 % too much, as of small cubes about nodes
        assert 0.98 * made.backend.held < needed < (1.1 if layers else 1.02) * made.backend.held
