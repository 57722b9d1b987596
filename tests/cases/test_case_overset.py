"""Case files of overset grids: [parts.NAME] in place of [mesh] and [motion]."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases, cli
from kinemesh.cases import build
from kinemesh.cases.casefile import Case

TABLES = {
    "name": "x",
    "mode": "unsteady",
    "method": "incompressible",
    "flow": {"reynolds": 100},
    "parts": {
        "rod": {
            "shape": "cylinder",
            "nodes": 800,
            "far_field": 1.0,
            "at": [0.5, -0.25],
            "angle_deg": 30,
            "motion": {"plunge": {"amplitude": 0.1, "k": 0.5}, "rotate": {"rate_deg": 90.0}},
        },
        "back": {
            "box": [-6, 8, -6, 6],
            "core": [-1, 2, -1.5, 1.5],
            "spacing": 0.1,
            "growth": 1.3,
            "walls": ["top"],
        },
    },
    "run": {"time_step": 0.1, "steps": 2, "device": "cpu"},
}
NEAR = [
    *(f"parts.{n}.nodes=1500" for n in ("left", "right")),
    *(f"parts.{n}.wall_spacing=0.02" for n in ("left", "right")),
    "parts.left.at=[-0.8, 0.75]",
    "parts.right.at=[0.8, -0.75]",
    "parts.back.box=[-8, 8, -8, 8]",
    "parts.back.core=[-2.1, 2.1, -2, 2]",
    "parts.back.growth=1.4",
    "run.time_step=0.05",
    "run.steps=26",
    "run.device=cpu",
]


def changed(path, value):
    """TABLES with a value at a dotted path; None takes it away."""

    def set_at(table, names):
        if len(names) > 1:
            return table | {names[0]: set_at(table.get(names[0], {}), names[1:])}
        rest = {k: v for k, v in table.items() if k != names[0]}
        return rest if value is None else rest | {names[0]: value}

    return set_at(TABLES, path.split("."))


def test_settings_of_the_interpolation_are_keys_of_a_case():
    changes = [*NEAR, "solver.overlap=1", "solver.interpolation=linear"]
    made = build.solver(cases.load("two-cylinders", changes))
    assert (made.settings.overlap, made.settings.interpolation) == (1, "linear")
    assert made.parts.connectivity.overlap == 1
    assert made.projection.operators.exchange.linear


def test_parts_are_meshes_with_places_and_motions():
    case = Case.from_dict(TABLES)
    laid = build.space(case)
    told = build.options(case)

    assert list(laid) == ["rod", "back"]
    assert set(laid["rod"].mesh.boundaries) == {"cylinder", "overset"}
    assert set(laid["back"].mesh.boundaries) == {"left", "right", "bottom", "wall_top"}
    assert (laid["rod"].at, laid["rod"].angle_deg) == ((0.5, -0.25), 30.0)
    assert (laid["back"].at, laid["back"].angle_deg) == ((0.0, 0.0), 0.0)
    both = km.motion.plunge(0.1, 0.5) + km.motion.rotate(90.0)
    assert told["motion"] == {"rod": both}
    assert (told["walls"], told["far"], told["boundaries"]) == (None, None, None)
    assert repr(case) == "Case('x', unsteady, incompressible, rod, back, reynolds 100, alpha_deg 0)"


def test_a_case_of_parts_is_made_again_from_its_tables():
    case = Case.from_dict(TABLES)
    assert Case.from_dict(case.tables()) == case


def test_files_of_parts_start_at_the_folder_and_name_their_markers(tmp_path):
    km.mesh.write(km.mesh.cylinder(300, far_field=5.0), tmp_path / "ring.su2")
    file = {"file": "ring.su2", "far": ["farfield"], "boundaries": {"cylinder": "symmetry"}}
    case = Case.from_dict(changed("parts.back", file), tmp_path)

    assert build.space(case)["back"].mesh.nodes == 304
    assert case.mesh.files == [tmp_path / "ring.su2"]
    told = case.mesh.sides()
    assert told == {"walls": None, "far": ["back.farfield"],
                    "boundaries": {"back.cylinder": "symmetry"}}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        ("parts.rod.nods", 3, r"\[parts.rod\]: unknown key 'nods'; did you mean 'nodes'"),
        ("parts.rod.nodes", "few", r"\[parts.rod\] nodes = 'few', expected one of coarse"),
        ("parts.rod.at", [1], r"\[parts.rod\] at = \[1\], expected two numbers"),
        ("parts.rod.at", ["1", 0], r"\[parts.rod\] at = '1', expected a finite number"),
        ("parts.rod.angle_deg", "up", r"\[parts.rod\] angle_deg = 'up', expected a finite"),
        ("parts.rod.box", [0, 1, 0, 1], r"\[parts.rod\] gives \['shape', 'box'\]"),
        ("parts.rod.core", [0, 1, 0, 1], r"\[parts.rod\] has a shape, so core has no meaning"),
        ("parts.back.around", 64, r"\[parts.back\] has a box, so around has no meaning"),
        ("parts.back", {"bodies": "30p30n"}, r"\[parts.back\] bodies = '30p30n' makes no part"),
        ("parts.back", 3, r"\[parts\] back = 3, expected a table \[parts.back\]"),
        ("parts", {}, r"parts = \{\}, expected tables \[parts.NAME\]"),
        ("parts.rod.motion", 3, r"\[parts.rod\] motion = 3, expected tables"),
        ("parts.rod.motion", {}, r"\[parts.rod.motion\] is empty, expected pitch"),
        ("parts.rod.motion.roll", {}, r"\[parts.rod.motion\]: unknown key 'roll'"),
        ("parts.rod.motion.plunge", {"k": 1}, r"\[parts.rod.motion\] plunge lacks amplitude"),
        ("motion", {"plunge": {}}, r"has \[parts\], so \[mesh\] and \[motion\] have no meaning"),
        ("mesh", {"shape": "cylinder"}, r"has \[parts\], so \[mesh\] and \[motion\] have no"),
        ("run", {"cycles": 1, "steps_per_cycle": 8}, "the motion has no cycle, as translate"),
    ],
)
def test_what_has_no_meaning_is_refused_with_its_part(path, value, word):
    with pytest.raises(km.CaseError, match=word):
        Case.from_dict(changed(path, value))


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        ("parts.rod.far_field", 0.5, r"^\[parts.rod\]: cylinder: .* far_field = 0.5"),
        ("parts.back.core", [-9, 2, -1, 1], r"^\[parts.back\]: background: core"),
        ("parts.back.walls", ["up"], r"^\[parts.back\]: background: walls = \('up',\), expected"),
    ],
)
def test_a_mesh_that_cannot_be_made_names_its_part(path, value, word):
    with pytest.raises(km.MeshError, match=word):
        build.space(Case.from_dict(changed(path, value)))


def test_a_motion_that_cannot_be_made_names_its_part():
    motion = {"rotate": {"rate_deg": "fast"}}
    with pytest.raises(km.SettingsError, match=r"^\[parts.rod.motion\]: rotate: rate_deg = 'fast'"):
        build.options(Case.from_dict(changed("parts.rod.motion", motion)))


def test_another_method_and_options_of_one_mesh_are_refused():
    gas = changed("method", "ale") | {"flow": {"mach": 0.3}}
    with pytest.raises(km.CaseError, match=r"\[parts\] are overset grids, which method 'ale'"):
        Case.from_dict(gas)
    with pytest.raises(km.CaseError, match="nodes: the case has parts rod, back, expected a key"):
        Case.from_dict(TABLES).replace(nodes=500)


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.filterwarnings("ignore:body left of member 0:RuntimeWarning")
def test_cylinders_that_pass_have_the_loads_of_each_other():
    """The case is itself after half a turn; 0.5 % of the peak, measured 0.02 %."""
    history = cases.load("two-cylinders", NEAR).run().history

    assert history.converged.all()
    for name in ("cl", "cd"):
        one, other = history[f"{name}_left"], history[f"{name}_right"]
        assert np.abs(one + other).max() < 0.005 * np.abs(one).max()
    assert history.shift_x[-1] > 0.75  # past the other
    assert (history["cd_left"] < 0).all()  # it moves to the right


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # at once, and of one cycle
@pytest.mark.slow
def test_a_sweep_of_parts_has_the_loads_of_each_case_alone():
    back = TABLES["parts"]["back"] | {"spacing": 0.05, "walls": None}
    motion = {"plunge": {"amplitude": 0.1, "k": 0.5}}
    rod = TABLES["parts"]["rod"] | {"nodes": 1500, "motion": motion}
    run = {"cycles": 1, "steps_per_cycle": 12, "device": "cpu"}
    case = Case.from_dict(TABLES | {"parts": {"rod": rod, "back": back}, "run": run})
    over = {"flow.reynolds": [50, 100], "parts.rod.motion.plunge.amplitude": [0.1, 0.2]}

    found = km.sweep(case, over=over)

    assert (found.cause == "").all()
    alone = km.hysteresis(case.run()).cl.mean
    assert float(found.cl_mean.sel(reynolds=100, amplitude=0.1)) == alone


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*(times as large as those|moves at once|CFL number was above)")
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:member 0. whether it is periodic:RuntimeWarning")
@pytest.mark.parametrize(
    ("name", "column", "amplitude", "turn"),
    [("plunging-naca0012", "shift_y", 0.75, -90), ("pitching-naca0012", "alpha_deg", 10.0, 0)],
)
def test_ready_sections_that_move_run_from_the_shell(
    name, column, amplitude, turn, tmp_path, undrawn, capsys
):
    small = ["parts.wing.nodes=3000", "parts.back.spacing=0.05", "parts.back.growth=1.3",
             "run.cycles=0.0625", "run.steps_per_cycle=80", "run.device=cpu"]  # fmt: skip
    words = [name, *(f"--set={text}" for text in small)]

    assert cli.main(["check", *words]) == 0
    assert "parts wing, back" in capsys.readouterr().out
    assert cli.main(["run", *words, "--out", str(tmp_path / "out"), "--quiet"]) == 0

    history = km.open(tmp_path / "out").history
    assert history.rows == 5
    assert history.converged.all()
    phase = np.radians(history.phase_deg + turn)
    assert history[column] == pytest.approx(amplitude * np.sin(phase), abs=1e-9)


def couette(inner, vessel, time_step):
    """The ready case: errors of both torques over the exact one, and of the velocity."""
    changes = [f"parts.inner.nodes={inner}", f"parts.vessel.nodes={vessel}", "run.device=cpu",
               f"run.time_step={time_step}", f"run.steps={round(20 / time_step)}"]  # fmt: skip
    case = cases.load("taylor-couette", changes)
    made = build.solver(case)
    history = build.go(case, made).history
    exact = 8 * np.pi * 0.1 * 2 * 0.25 * 4 / (4 - 0.25)  # cm, by half the square of the speed
    get = made.backend.get
    x, u, volume = (get(a) for a in (made.grid.x, made.projection.flow["u"], made.grid.V))
    volume = np.where(get(made.parts.connectivity.status) == 1, volume, 0.0)
    r = np.linalg.norm(x, axis=1).clip(0.4)
    rate = 2 * 0.25 / (4 - 0.25) * (4 / r**2 - 1)
    error = ((u - rate[:, None] * np.stack([-x[:, 1], x[:, 0]], axis=1)) ** 2).sum(axis=1)
    torques = [history["cm_inner"][-1] / exact - 1, -history["cm_vessel"][-1] / exact - 1]
    return np.array(torques), np.sqrt(volume @ error / volume.sum())


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*(like sizes|moves at once):RuntimeWarning")
def test_the_pressure_of_the_ready_vessel_takes_few_iterations():
    """20,017 nodes, no open boundary: measured 4 to 5, of a tolerance of 1e-4."""
    case = cases.load("taylor-couette", ["run.device=cpu", "run.steps=6"])
    history = build.go(case, build.solver(case)).history
    assert history["pressure_iterations"].max() <= 7


@pytest.mark.flow
@pytest.mark.slow
def test_the_ready_vessel_has_the_torque_of_taylor_and_couette():
    """5067 nodes: 0.29 and -0.16 %; 0.5 % is the design's bar, of 20 thousand nodes."""
    torques, _ = couette(1500, 3500, 0.1)
    assert np.abs(torques).max() < 0.005, torques


@pytest.mark.slow
def test_torque_and_velocity_of_the_ready_vessel_have_second_order():
    """5067 and 20,017 nodes, dt with the spacing; the bars are the design's."""
    (before, was), (torques, velocity) = couette(1500, 3500, 0.1), couette(6000, 14_000, 0.05)
    assert np.abs(torques).max() < 0.005, torques
    assert (np.log2(np.abs(before / torques)) > 1.8).all(), (before, torques)
    assert np.log2(was / velocity) > 1.8, (was, velocity)
