"""A case in other lengths, elsewhere, or turned as a whole, has the same loads.

Factors are powers of two, so that each sum and product has the same bits but for its exponent; by
other factors iterations end elsewhere within their tolerances.
"""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.flow import registry
from overset_parts import background, ring

FACTORS = (0.25, 8.0)
ALIKE = {"rtol": 1e-10, "atol": 1e-10}
EXPONENTS = {  # of the length in columns of a history, beside those without a unit
    **{"time": 1, "power": -1, "power_pitch": -1, "min_area": 2},
}
LEFT_OVER = {"divergence", "residual_drop"}  # what rounding and iterations leave, near zero
pytestmark = [pytest.mark.flow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


def section():
    return km.mesh.airfoil("naca0012", nodes=600, far_field=8.0)


def moved(mesh, factor=1.0, turn_deg=0.0, shift=(0.0, 0.0)):
    """The mesh scaled, then turned nose-up about the origin, then shifted."""
    return mesh.transformed(factor * placed(mesh.points, turn_deg) + shift)


def placed(points, turn_deg):
    return km.motion.Pose(np.radians(turn_deg)).apply(points)


def pitching(factor, pivot=(0.25, 0.0)):
    about = tuple(factor * np.asarray(pivot))
    turn = km.motion.pitch(5.0, 0.5, about=about, chord=factor)
    return turn + km.motion.plunge(0.1 * factor, 0.5, chord=factor)


SPEEDS = {"mach": 0.6, "reynolds": 200.0}
STREAMS = {own.name: {own.streams[0]: SPEEDS[own.streams[0]]} for own in registry.SOLVERS}
FEW = {  # by the class of a solver's settings
    "AleSettings": km.AleSettings(steady_iterations=20, unsteady_drop=1e-2),
    "CellSettings": km.CellSettings(steady_iterations=20, unsteady_drop=1e-2),
    "MeshlessSettings": km.MeshlessSettings(steady_iterations=20, unsteady_drop=1e-7),
    "IncompressibleSettings": km.IncompressibleSettings(steady_iterations=20, overlap=1),
}
REFERENCES = {  # of the lengths and areas that a case states, by the factor
    "chord": lambda f: {"chord": f},
    "area": lambda f: {"chord": f, "reference_area": 0.7 * f, "reference_length": 0.4 * f},
}
CASES = [
    (entry.name, kind)
    for entry in registry.SOLVERS
    for kind in REFERENCES
    if kind == "chord" or "reference_area" in entry.references
]


def case(name, factor=1.0, kind="chord", motion=None, **more):
    """A section at 3 degrees, in chords of a length of `factor`."""
    entry = registry.named(name)
    mesh = moved(section(), factor)
    space = mesh if entry.on == "mesh" else km.cloud.Cloud.from_mesh(mesh)
    told = {"alpha_deg": 3.0, "moment_about": (0.25 * factor, 0.0), "device": "cpu"}
    told |= STREAMS[name] | {"settings": FEW[entry.settings_name]} | REFERENCES[kind](factor)
    return entry.solver(space, motion=motion, **(told | more))


def same(found, expected, factor):
    """Compare two histories in units of length that differ by a factor."""
    assert found.rows == expected.rows > 0
    for name in set(expected.columns) - LEFT_OVER:
        unit = factor ** EXPONENTS.get(name, 0)
        np.testing.assert_allclose(found[name] / unit, expected[name], **ALIKE, err_msg=name)


def test_every_solver_is_looked_at():
    assert {entry.settings_name for entry in registry.SOLVERS} == set(FEW) == set(TIGHT)


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_steady_flow_does_not_depend_on_the_unit_of_length(name, kind):
    expected = case(name, 1.0, kind).steady()

    for factor in FACTORS:
        same(case(name, factor, kind).steady().history, expected.history, factor)


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_motion_does_not_depend_on_the_unit_of_length(name, kind):
    """Eight steps of a cycle: loads, motion, power; time goes in lengths of the mesh."""
    steps = {"cycles": 0.25, "steps_per_cycle": 32, "start": "as is"}
    expected = case(name, 1.0, kind, pitching(1.0)).run(**steps)

    for factor in FACTORS:
        found = case(name, factor, kind, pitching(factor)).run(**steps)
        same(found.history, expected.history, factor)


TIGHT = {
    "AleSettings": km.AleSettings(unsteady_drop=1e-10, unsteady_iterations=200),
    "CellSettings": km.CellSettings(unsteady_drop=1e-10, unsteady_iterations=200),
    "MeshlessSettings": km.MeshlessSettings(unsteady_drop=1e-10, unsteady_iterations=200),
    "IncompressibleSettings": km.IncompressibleSettings(
        momentum_drop=1e-8, momentum_iterations=60, pressure_tolerance=1e-10
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", STREAMS)
def test_any_unit_of_length_gives_the_same_loads_where_iterations_converge(name):
    """A factor that rounds every number; plunging as a rigid body, four steps."""
    settings = TIGHT[registry.named(name).settings_name]
    told = {"settings": settings, "deform": km.deform.Rigid()}
    steps = {"cycles": 0.1, "steps_per_cycle": 40, "start": "as is"}
    histories = [
        case(name, factor, motion=pitching(factor), **told).run(**steps).history
        for factor in (1.0, 0.1)
    ]
    for load in ("cl", "cd", "cm"):
        np.testing.assert_allclose(histories[1][load], histories[0][load], atol=1e-10)


def test_venkatakrishnans_limiter_counts_cells_in_chords():
    """Its threshold is (K h)^3 with the size of a cell in chords (theory, eq. 2.4a)."""
    settings = km.AleSettings(limiter="venkatakrishnan", steady_iterations=20)
    expected = case("ale", settings=settings, mach=0.8).steady()

    found = case("ale", 0.25, settings=settings, mach=0.8).steady()

    same(found.history, expected.history, 0.25)


def test_rates_of_a_law_without_a_period_are_by_the_chord():
    """Differences in time take a share of a chord, not of a length of the mesh."""

    def law(factor):
        return km.motion.function(
            lambda t: km.motion.Pose(0.1 * np.sin(t / factor) ** 2, (0.25 * factor, 0.0))
        )

    steps = {"steps": 6, "start": "as is"}
    expected = case("incompressible", motion=law(1.0)).run(time_step=0.05, **steps)

    for factor in FACTORS:
        made = case("incompressible", factor, motion=law(factor))
        same(made.run(time_step=0.05 * factor, **steps).history, expected.history, factor)


@pytest.mark.long
@pytest.mark.parametrize("steady", [True, False])
def test_overset_parts_do_not_depend_on_the_unit_of_length(steady):
    def run(factor):
        parts = {
            "rod": km.Part(moved(ring(), factor), at=(0.1 * factor, 0.0), angle_deg=20.0),
            "back": moved(background(), factor),
        }
        motion = None if steady else {"rod": pitching(factor)}
        made = km.Incompressible(
            parts, reynolds=100.0, chord=factor, moment_about=(0.25 * factor, 0.0),
            motion=motion, settings=FEW["IncompressibleSettings"], device="cpu",
        )  # fmt: skip
        return made.steady() if steady else made.run(cycles=0.05, steps_per_cycle=160)

    expected = run(1.0)

    for factor in FACTORS:
        same(run(factor).history, expected.history, factor)


@pytest.mark.long
def test_the_reynolds_number_is_that_of_the_chord():
    """A cylinder of diameter 2 at Reynolds number 20, and one of 1; not that at 40 (nu 1 / Re)."""
    mesh = km.mesh.cylinder(nodes=2000, far_field=50.0)
    told = {"moment_about": (0.0, 0.0), "device": "cpu"}

    one = km.Incompressible(mesh, reynolds=20.0, **told)
    two = km.Incompressible(moved(mesh, 2.0), reynolds=20.0, chord=2.0, **told)

    assert two.viscosity == pytest.approx(0.1)  # U D / Re
    drags = [run.summary["result"]["cd"] for run in (one.steady(), two.steady())]
    assert drags[0] == pytest.approx(drags[1], rel=1e-10)
    assert drags[0] == pytest.approx(2.05, rel=0.05)  # Dennis & Chang 1970: 2.045 at Re 20


@pytest.mark.long
def test_a_sweep_over_the_chord_keeps_speed_and_viscosity_of_each_chord(tmp_path):
    """One mesh with a chord of 2 in place of 1 has twice the viscosity."""
    tables = {
        "name": "rod", "mode": "steady", "method": "incompressible",
        "mesh": {"shape": "cylinder", "nodes": 600, "far_field": 8.0},
        "flow": {"reynolds": 40, "chord": 1.0, "moment_about": [0.0, 0.0]},
        "run": {"device": "cpu"}, "solver": {"steady_iterations": 400},
    }  # fmt: skip
    found = km.sweep(Case.from_dict(tables), {"flow.chord": [1.0, 2.0]})
    tables["flow"] |= {"reynolds": 20}
    alone = Case.from_dict(tables).run()

    cd = found.cd.values
    assert 2 * cd[1] == pytest.approx(alone.summary["result"]["cd"], rel=1e-10)
    assert cd[0] < 0.9 * 2 * cd[1]


@pytest.mark.long
@pytest.mark.parametrize("name", STREAMS)
def test_a_case_that_is_turned_and_shifted_as_a_whole_has_the_same_loads(name):
    """By a quarter turn, whose sines are exact to a rounding, and by whole chords.

    Iterations converge so far that what is left of rounding is below the tolerance.
    """
    entry, shift = registry.named(name), np.array([3.0, -2.0])
    # limiters may keep a residual
    more = {"limiter": "none"} if issubclass(entry.settings, km.AleSettings) else {}
    settings = entry.settings(steady_drop=1e-7, steady_iterations=2000, **more)

    def run(turn_deg, shift):
        mesh = moved(section(), 1.0, turn_deg, shift)
        space = mesh if entry.on == "mesh" else km.cloud.Cloud.from_mesh(mesh)
        about = tuple(placed([0.25, 0.0], turn_deg) + shift)
        made = entry.solver(
            space, alpha_deg=3.0 - turn_deg, moment_about=about, device="cpu", settings=settings,
            **STREAMS[name],
        )  # fmt: skip
        return made.steady().summary["result"]

    expected, found = run(0.0, (0.0, 0.0)), run(90.0, shift)

    for load in ("cl", "cd", "cm"):
        assert found[load] == pytest.approx(expected[load], abs=1e-6), load
