"""Errors in users' arguments are refused with a remedy; faults name their place."""

import re
import warnings
from dataclasses import dataclass

import kinemesh as km
import numpy as np
import pytest
from kinemesh.dimension import XYZ
from kinemesh.flow.gas import ale_settings as ale_choices
from kinemesh.flow.gas import meshless_settings
from kinemesh.flow.terms.convection import CLOUD_FLUXES, FLUXES
from kinemesh.flow.terms.gradients import LIMITERS
from kinemesh.io.history import History
from solver_cases import Wobble, WobbleMover, on_devices, square, stream

NAN, INF = float("nan"), float("inf")
PITCH = km.motion.pitch(1.0, 0.1)


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=520, far_field=10)


def case(mesh, **options):
    return km.Ale(mesh, **({"mach": 0.5, "device": "cpu"} | options))


# ---------------------------------------------------------------- settings


CHOICES = [
    (km.AleSettings, FLUXES, "flux"),
    (km.AleSettings, ale_choices.FACE_LOOPS, "face_loop"),
    (km.AleSettings, tuple(LIMITERS), "limiter"),
    (km.AleSettings, ale_choices.LINEAR, "linear_solver"),
    (km.MeshlessSettings, CLOUD_FLUXES, "flux"),
    (km.MeshlessSettings, meshless_settings.LIMITERS, "limiter"),
    (km.MeshlessSettings, meshless_settings.TIMES, "time"),
]


@pytest.mark.parametrize(("settings", "choices", "name"), CHOICES)
def test_a_docstring_names_the_choices_of_its_table(settings, choices, name):
    """From it docs/cases.md is made."""
    about = re.search(rf"^    {name} : (.*(?:\n     .*)*)", settings.__doc__, re.MULTILINE)
    found = re.findall(r'"(\w+)"', about[1])

    assert {*found} == {*choices}


@pytest.mark.parametrize(("name", "value"), [
    ("flux", "roee"), ("flux", None), ("flux", [1]), ("limiter", "minmod"),
    ("matrix_dtype", "float16"), ("far_field", "vortices"),
    *[("limiter_k", v) for v in (0, -1, NAN, "0.1", True)],
    *[("entropy_fix", v) for v in (-0.1, 1.5, NAN)],
    ("krylov_tolerance", None),
    *[("steady_drop", v) for v in (-1e-9, 2, NAN)],
    *[("unsteady_drop", v) for v in (-1e-9, 1.5, NAN)],
    *[("steady_iterations", v) for v in (0, -3, 2.5, True, "10")],
    *[("unsteady_iterations", v) for v in (0, 2.5)],
    *[("krylov_iterations", v) for v in (0, 1.5)],
    *[("krylov_tolerance", v) for v in (-1, 2, NAN)],
    *[("unsteady_krylov_tolerance", v) for v in (-1, 2, NAN)],
    *[("cfl", v) for v in (0, -5, NAN, "5")],
    *[("unsteady_cfl", v) for v in (0, NAN)], *[("cfl_max", v) for v in (0, NAN)],
    *[("cfl_growth", v) for v in (-1, 1, NAN)], *[("max_change", v) for v in (0, -0.1, 2, NAN)],
])  # fmt: skip
def test_nonsense_settings_are_refused_by_name(name, value):
    with pytest.raises(km.SettingsError, match=rf"{name} is .*expected"):
        km.AleSettings(**{name: value})


@pytest.mark.parametrize("kind", [km.AleSettings, km.MeshlessSettings])
@pytest.mark.parametrize(("name", "value", "expected"), [
    ("cfl", INF, "a number above 0 and finite"),  # not told as the fault of cfl_max
    ("cfl_max", INF, "a number above 0 and finite"),
    pytest.param("cfl", 10**400, "a number above 0 and finite", id="beyond all floats"),
    ("cfl_growth", 1, "a number above 1, at most 10"),
    ("max_change", 0, "a number above 0, at most 0.4"),
    ("steady_drop", -1, "a number of at least 0, at most 1"),
    ("krylov_tolerance", "0.1", "a number of at least 0, at most 1"),
])  # fmt: skip
def test_a_range_says_which_of_its_ends_are_excluded(kind, name, value, expected):
    with pytest.raises(km.SettingsError, match=f"^{name} is {value!r}, expected {expected}$"):
        kind(**{name: value})


def test_settings_cannot_be_changed_afterwards():
    with pytest.raises(AttributeError):
        km.AleSettings().cfl = 3


@pytest.mark.parametrize(("name", "value"), [
    ("tolerance", 0), ("tolerance", 1), ("tolerance", NAN), ("iterations", 0),
    ("iterations", 2.5), ("substeps", 0), ("substeps", "2"),
])  # fmt: skip
def test_nonsense_of_the_springs_is_refused_by_name(name, value):
    with pytest.raises(km.SettingsError, match=f"springs: {name} is .*expected a number above 0"):
        km.deform.TorsionalSprings(**{name: value})


@pytest.mark.parametrize(("options", "message"), [
    ({"mach": 0}, "mach is"), ({"mach": -0.5}, "mach is"), ({"mach": NAN}, "mach is"),
    ({"mach": INF}, "mach is"), ({"mach": "fast"}, "mach"), ({"alpha_deg": NAN}, "alpha_deg"),
    ({"alpha_deg": "up"}, "alpha_deg"),
    ({"mach": "0.5"}, "mach is '0.5', expected a number above 0"),
    ({"mach": True}, "mach is True, expected a number above 0"),
    ({"mach": b"0.5"}, "mach is b'0.5', expected a number above 0"),
    ({"mach": 10**400}, "mach is 1000*, expected a number above 0"),
    ({"mach": np.complex128(0.5)}, "mach is .*, expected a number above 0"),
    ({"mach": [0.5, "0.6"]}, r"mach is \[0.5, '0.6'\], expected numbers above 0"),
    ({"mach": np.array(["0.5"])}, "mach is array.*, expected numbers above 0"),
    ({"mach": np.array([[0.5]])}, "mach is array.*, expected numbers above 0"),
    ({"alpha_deg": "1.25"}, "alpha_deg is '1.25', expected a finite number"),
    ({"alpha_deg": [True, 1.0]}, r"alpha_deg is \[True, 1.0\], expected finite numbers"),
    ({"mach": 1e-300}, "mach is 1e-300, expected at least 1e-06; flow as slow is incompressible"),
    ({"mach": 272}, "mach is 272, expected at most 20; was a velocity meant"),
    ({"mach": [0.5, 20.1]}, "member 1: mach is 20.1, expected at most 20"),
    ({"alpha_deg": 400}, "alpha_deg is 400, expected an angle of -180 to 180 degrees"),
    ({"alpha_deg": -181}, "alpha_deg is -181, expected an angle of -180 to 180 degrees"),
    ({"moment_about": ("0.25", 0)}, r"moment_about is \('0.25', 0\), expected a point"),
    ({"moment_about": (True, 0)}, r"moment_about is \(True, 0\), expected a point"),
    ({"mach": [0.5, 0.6], "alpha_deg": [1, 2, 3]}, "mach has 2 entries, expected 3"),
    ({"mach": []}, "mach"),
    ({"motion": {"wing": PITCH}}, r"motion of \['wing'\], expected bodies \['airfoil'\]"),
    ({"motion": "pitch"}, "motion"), ({"motion": 3.0}, "motion"),
    ({"deform": "springs"}, "deform"), ({"deform": km.deform.TorsionalSprings}, "deform"),
    ({"dtype": "float16"}, "dtype is 'float16'"), ({"settings": {}}, "settings"),
    ({"settings": "quick"}, "settings"), ({"moment_about": (1,)}, "moment_about"),
    ({"moment_about": (NAN, 0)}, "moment_about"),
    ({"walls": "airfoil"}, "walls"), ({"walls": ["wing"]}, "wing"),
], ids=str)  # fmt: skip
def test_nonsense_of_a_case_is_refused_by_name(mesh, options, message):
    """An unknown marker in walls, or a bare string, would make the body a far field."""
    with pytest.raises((km.SettingsError, km.MeshError), match=message):
        case(mesh, **options)


@pytest.mark.parametrize("value", ["0.5", True])
@pytest.mark.parametrize("name", ["mach", "alpha_deg", "reference_area"])
def test_a_cloud_takes_no_texts_for_numbers(mesh, name, value):
    with pytest.raises(km.SettingsError, match=f"{name} is {value!r}, expected a (finite )?number"):
        km.Meshless(km.Cloud.from_mesh(mesh), **{"mach": 0.5, "device": "cpu", name: value})


@pytest.mark.parametrize("value", [1, np.float32(0.5), np.array(0.5), [0.5, np.int64(1)]], ids=str)
def test_numbers_of_every_kind_are_numbers(mesh, value):
    assert (case(mesh, mach=value).mach == np.array(value, float)).all()


def test_an_unknown_device_is_refused(mesh):
    with pytest.raises(km.DeviceError, match="device is 'gpu', expected auto, cpu, cuda"):
        case(mesh, device="gpu")


def test_an_array_of_mach_numbers_makes_an_ensemble(mesh):
    """Arrays make ensembles as lists do: sweeps are written `mach=np.linspace(...)`."""
    assert case(mesh, mach=np.array([0.5, 0.6])).grid.members == 2


@pytest.mark.filterwarnings("ignore:.*loads are sums over all walls:RuntimeWarning")
def test_rigid_motion_of_two_bodies_is_refused(mesh):
    ale = case(mesh, walls=["airfoil", "farfield"], motion=PITCH, deform=km.deform.Rigid())

    with pytest.raises(km.SettingsError, match="one body per member"):
        ale.run(time_step=0.1, steps=3, start="as is")


@pytest.mark.parametrize(("mach", "count"), [(5, 0), (5.1, 1), (20, 1)])
def test_a_mach_number_that_may_be_a_velocity_is_asked_about_at_the_user_s_line(mach, count):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        km.Ale(square(5), mach=[0.5, mach], walls=[], device="cpu")

    asked = [w for w in told if "was a velocity meant?" in str(w.message)]
    assert len(asked) == count
    assert all(f"mach is {mach}" in str(w.message) and w.filename == __file__ for w in asked)


# ---------------------------------------------------------------- runs


@pytest.mark.parametrize(("options", "message"), [
    ({}, "needs cycles and steps_per_cycle, or time_step and steps"),
    ({"cycles": 1}, "needs cycles and"), ({"steps_per_cycle": 8}, "needs cycles and"),
    ({"time_step": 0.1}, "needs cycles and"),
    ({"cycles": 1, "steps_per_cycle": 8, "time_step": 0.1, "steps": 3}, "needs cycles and"),
    ({"cycles": 1, "steps_per_cycle": 3}, "at least 4"),
    ({"cycles": 1, "steps_per_cycle": 8.5}, "whole number"),
    ({"cycles": 0, "steps_per_cycle": 8}, "cycles is 0"),
    ({"cycles": -1, "steps_per_cycle": 8}, "cycles is -1"),
    ({"cycles": NAN, "steps_per_cycle": 8}, "cycles is nan"),
    ({"cycles": INF, "steps_per_cycle": 8}, "cycles is inf"),
    ({"cycles": "one", "steps_per_cycle": 8}, "cycles is 'one'"),
    ({"cycles": 0.01, "steps_per_cycle": 8}, "cycles is 0.01"),
    ({"time_step": 0, "steps": 3}, "time_step is 0"),
    ({"time_step": NAN, "steps": 3}, "time_step is nan"),
    ({"time_step": "short", "steps": 3}, "time_step is 'short'"),
    ({"time_step": 0.1, "steps": 0}, "steps 0"), ({"time_step": 0.1, "steps": 2.5}, "steps 2.5"),
    ({"time_step": 0.1, "steps": 3, "start": "warm"}, "start is 'warm', expected 'steady' or"),
], ids=str)  # fmt: skip
def test_nonsense_of_a_run_is_refused_before_it_starts(mesh, options, message):
    ale = case(mesh, motion=PITCH)

    with pytest.raises(km.SettingsError, match=message):
        ale.run(**options)


@pytest.mark.parametrize("out", ["taken", "taken/runs/one"])
def test_a_file_in_place_of_the_folder_is_refused_before_a_run(mesh, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("mine")
    ale = case(mesh, motion=PITCH)

    with pytest.raises(km.CaseError, match=r"^taken: is a file, expected a folder"):
        ale.steady(out=out)
    with pytest.raises(km.CaseError, match=r"^taken: is a file, expected a folder"):
        ale.run(cycles=1, steps_per_cycle=8, out=out)
    with pytest.raises(km.SettingsError, match=r"^out is empty, expected the name of a folder"):
        ale.steady(out="")
    with pytest.raises(km.SettingsError, match=r"^out is 5, expected the name of a folder"):
        ale.steady(out=5)
    assert (tmp_path / "taken").read_text() == "mine"


def test_cycles_need_a_motion_with_a_period(mesh):
    law = km.motion.function(lambda t: km.motion.Pose(shift=(t, 0)))
    for motion in (None, law):
        with pytest.raises(km.SettingsError, match="needs a motion with a period"):
            case(mesh, motion=motion).run(cycles=1, steps_per_cycle=8)


@pytest.mark.filterwarnings("ignore:.*loads are sums over all walls:RuntimeWarning")
def test_bodies_of_two_periods_are_refused(mesh):
    motion = {"airfoil": PITCH, "farfield": km.motion.pitch(1.0, 0.2)}
    ale = case(mesh, walls=["airfoil", "farfield"], motion=motion)

    with pytest.raises(km.SettingsError, match="expected one period per member"):
        ale.run(cycles=1, steps_per_cycle=8)


@on_devices
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_run_without_a_period_reports_no_loop(steps, device):
    law = Wobble(lambda points, t: points, 0.1)
    ale = km.Ale(square(6), mach=0.4, walls=[], deform=law, device=device)

    run = ale.run(time_step=0.1, steps=steps, start="as is")

    assert run.history.rows == steps
    assert not {"cl", "damping", "work", "cycles"} & set(run.summary["result"])


# ---------------------------------------------------------------- states and faults


@on_devices
def test_a_bad_initial_state_is_refused(device):
    ale = km.Ale(square(6), mach=0.4, walls=[], device=device)
    good = ale.primitive()
    bad = good.copy()
    bad[7, 2] = NAN

    with pytest.raises(km.SettingsError, match=r"initial state.*finite"):
        ale.initialise(bad)
    with pytest.raises(km.SettingsError, match=r"initial state.*shape"):
        ale.initialise(good[1:])


@on_devices
def test_a_case_lives_on_after_a_fault(device):
    ale = km.Ale(square(6), mach=0.4, walls=[], device=device,
                 deform=Wobble(lambda points, t: points, 0.1))  # fmt: skip
    good = ale.primitive()
    bad = good.copy()
    bad[7, 3] = -0.1
    with pytest.raises(km.NumericalFault, match="pressure is not positive"):
        ale.initialise(bad)

    ale.initialise(good)

    run = ale.run(time_step=0.1, steps=2, start="as is")
    assert run.history.rows == 2


def shuffled(tmp_path, cells, seed):
    """A square read from a file whose node numbers are those of no solver."""
    mesh, order = square(cells), np.random.default_rng(seed).permutation((cells + 1) ** 2)
    new = np.argsort(order)
    path = tmp_path / f"square-{seed}.su2"
    km.mesh.write(
        km.mesh.Mesh.from_arrays(mesh.points[order], new[mesh.triangles],
                                 {k: new[e] for k, e in mesh.boundaries.items()}),
        path,
    )  # fmt: skip
    return km.mesh.read(path)


class SpoilMover(WobbleMover):
    """Leaves the mesh alone and spoils one node's conserved state at the third step."""

    def step(self, poses):
        super().step(poses)
        s = self.settings
        if round(self.time / s.time_step) == 3:
            u = self.backend.get(s.ale[0].u)
            u[s.node, s.variable] = s.value
            self.backend.put(s.ale[0].u, u)
        return {}


@dataclass(frozen=True, slots=True)
class Spoil(Wobble):
    ale: list = None
    node: int = 0
    variable: int = 0
    value: float = 0.0
    name = "spoil"

    def attach(self, grid):
        return SpoilMover(grid, self)


def check_place(text, mesh, nodes):
    """The message's node, in the numbers of the file, is one of `nodes` (file numbers)."""
    number, x, y = re.search(r"node (\d+) \(x = (\S+), y = (\S+)\)", text).groups()
    np.testing.assert_allclose(mesh.points[int(number)], [float(x), float(y)], atol=1e-5)
    assert int(number) in nodes


@on_devices
@pytest.mark.parametrize(("variable", "value", "quantity"), [
    (3, 0.01, "pressure is not positive"), (0, -1.0, "density is not positive"),
    (0, NAN, "density is not positive"),
])  # fmt: skip
def test_a_fault_names_quantity_node_of_the_file_member_and_step(
    tmp_path, variable, value, quantity, device
):
    meshes = [shuffled(tmp_path, 6, 1), shuffled(tmp_path, 8, 2)]
    inner = 30
    holder = []
    node = meshes[0].nodes + inner
    law = Spoil(lambda points, t: points, 0.1, holder, node, variable, value)
    ale = km.Ale(meshes, mach=0.4, walls=[], deform=law, device=device)
    holder.append(ale)

    with pytest.warns(RuntimeWarning, match=quantity):
        run = ale.run(time_step=0.1, steps=5, start="as is", out=tmp_path / "out", preflight=False)

    text = run.failed[0]["text"]
    assert "member 1:" in text
    assert "(step 3, iteration 0);" in text
    assert "try " in text
    check_place(text, meshes[1], [int(ale.grid.meshes[1].original[inner])])
    history = History.read(tmp_path / "out" / "history.csv")
    assert history.members == [0, 1]
    assert history.member(1)["step"].tolist() == [1, 2]


@on_devices
def test_a_fault_of_a_steady_run_names_the_iteration_of_its_member(tmp_path, mesh, device):
    """Member 0 is a uniform stream, which is done without any iteration."""
    ale = km.Ale([square(6), mesh], mach=0.4, device=device)
    node, real = ale.grid.first[1] + 30, ale.loads

    def spoiled(about):
        loads = real(about)
        if ale.backend.get(ale.dualtime.iterations)[1] == 3:
            u = ale.backend.get(ale.u)
            u[node, 0] = -1.0
            ale.backend.put(ale.u, u)
        return loads

    ale.loads = spoiled

    with pytest.warns(RuntimeWarning, match="member 1: density is not positive"):
        run = ale.steady(out=tmp_path / "out")

    text = run.failed[0]["text"]
    assert re.match(
        r"member 1: density is not positive at node .* \(steady flow, iteration 3\);", text
    )
    check_place(text, mesh, [int(ale.grid.meshes[1].original[30])])
    history = History.read(tmp_path / "out" / "history.csv")
    assert history.member(1)["iteration"].tolist() == [1, 2, 3]


@on_devices
def test_a_folded_cell_names_a_node_of_the_file_and_leaves_the_history(tmp_path, device):
    mesh = shuffled(tmp_path, 6, 1)
    centre = int(np.argmin(np.hypot(*mesh.points.T)))

    def law(points, t):
        moved = points.copy()
        moved[np.argmin(np.hypot(*points.T))] += 0.9 * (t > 0.35)
        return moved

    ale = km.Ale(mesh, mach=0.4, walls=[], deform=Wobble(law, 0.1), device=device)

    with pytest.raises(km.NumericalFault, match="area of a cell") as error:
        ale.run(time_step=0.1, steps=6, start="as is", out=tmp_path / "out", preflight=False)

    assert "step 4 of 6" in str(error.value)
    number = int(re.search(r"node (\d+)", str(error.value)).group(1))
    touching = mesh.triangles[(mesh.triangles == centre).any(axis=1)]
    assert number in touching
    assert History.read(tmp_path / "out" / "history.csv")["step"].tolist() == [1, 2, 3]


@on_devices
def test_the_initial_state_names_its_fault(tmp_path, device):
    mesh = shuffled(tmp_path, 6, 1)
    ale = km.Ale(mesh, mach=0.4, walls=[], device=device)
    q = np.tile(stream(0.4, 0.0), (mesh.nodes, 1))
    q[11, 3] = -0.1

    with pytest.raises(km.NumericalFault, match=r"member 0: pressure .*initial state") as error:
        ale.initialise(q)

    check_place(str(error.value), mesh, [int(ale.grid.meshes[0].original[11])])


@on_devices
def test_a_steady_run_that_stops_short_says_so(device, mesh):
    ale = case(mesh, device=device, settings=km.AleSettings(steady_iterations=3))

    with pytest.warns(
        RuntimeWarning, match=r"stopped at its limit of 3 iterations, .*, asked 1.0e-06"
    ):
        run = ale.steady()

    assert run.history["iteration"][-1] == 3


@on_devices
def test_steps_that_stop_short_are_counted(device, mesh):
    settings = km.AleSettings(unsteady_iterations=2)
    ale = case(mesh, device=device, motion=PITCH, settings=settings)

    with pytest.warns(RuntimeWarning, match="3 of 3 steps ended above the asked residual drop"):
        run = ale.run(time_step=0.5, steps=3, start="as is")

    assert run.summary["result"]["unconverged_steps"] == 3


@pytest.mark.flow
@on_devices
def test_a_second_run_starts_from_the_mesh_as_given(device, mesh):
    """A quarter of a cycle leaves the body turned; the next steady flow is at the mean angle."""
    careful = {"cfl": 5.0, "unsteady_cfl": 20.0, "cfl_max": 50.0, "steady_drop": 1e-3}
    ale = case(mesh, device=device, motion=km.motion.pitch(3.0, 0.1),
               settings=km.AleSettings(**careful))  # fmt: skip
    first = ale.steady().summary["result"]["cl"]

    ale.run(cycles=0.25, steps_per_cycle=8, start="as is")
    second = ale.steady().summary["result"]["cl"]

    np.testing.assert_array_equal(ale.backend.get(ale.grid.x), ale.grid.points)
    assert second == pytest.approx(first, abs=0.01)  # 3 degrees would be 0.35


@pytest.mark.parametrize("given", [{"cfl": 20.0}, {"unsteady_cfl": 20.0}])
def test_a_first_cfl_number_above_the_largest_is_refused(given):
    with pytest.raises(km.SettingsError, match=r"cfl_max is 1\.0, expected at least .*cfl \(20\)"):
        km.AleSettings(cfl_max=1.0, **given)


@pytest.mark.parametrize(("kind", "plane", "space"), [
    (km.AleSettings, 20.0, 40.0), (km.CellSettings, 40.0, 80.0),
])  # fmt: skip
def test_the_first_cfl_number_is_twice_as_large_in_space(kind, plane, space):
    """A volume in space has more face: docs/convergence.md."""
    assert kind().complete().cfl == plane
    assert kind().complete(dimension=XYZ).cfl == space
    assert kind(cfl=7.0).complete(dimension=XYZ).cfl == 7.0
    assert kind(unsteady_cfl=10.0, cfl_max=30.0).complete(dimension=XYZ).cfl == 30.0


def test_the_fix_of_the_matrix_is_larger_in_space():
    """Coarse wings in space stall with that of the plane: docs/convergence.md."""
    assert km.AleSettings().complete().jacobian_fix == 0.15
    assert km.AleSettings().complete(dimension=XYZ).jacobian_fix == 0.3
    assert km.AleSettings(jacobian_fix=0.4).complete(dimension=XYZ).jacobian_fix == 0.4
    assert km.AleSettings(linear_solver="lusgs").complete(dimension=XYZ).jacobian_fix is None
