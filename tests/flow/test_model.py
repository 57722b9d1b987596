"""Equations as an object: names, checks and outputs; a made-up set of them reaches every kernel."""

import re

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device import backend as devices
from kinemesh.device import fields as named
from kinemesh.flow.gas.model import Euler
from kinemesh.io import STEADY, History, fields
from kinemesh.io.summary import Stopwatch
from kinemesh.run.files import Files

MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
FOUR = re.compile(r",(4|8|16)$")  # a shape with the number of plane equations in it
STATES = {"u": 5, "u1": 5, "u2": 5, "q": 5, "res": 5, "past": 5, "stream": 5, "flux": 5, "du": 5,
          "u0": 5, "grad": 10, "raw": 10, "A": 25}  # fmt: skip


@pytest.mark.parametrize(
    ("dimensions", "names"), [(2, ("rho", "u", "v", "p")), (3, ("rho", "u", "v", "w", "p"))]
)
def test_a_state_has_a_number_for_each_name(dimensions, names):
    model = Euler(dimensions)

    stream = model.free_stream([0.3, 0.8], [0.0, 5.0])

    assert (model.names, model.variables) == (names, len(names))
    assert stream.shape == model.conserved(stream).shape == (2, len(names))
    assert model.states(stream, 2) is stream


def test_states_that_are_refused_are_called_by_the_model_s_names():
    wanted = r"expected \(2, 5\) finite numbers \(rho, u, v, w, p\), a row per node"

    with pytest.raises(km.SettingsError, match=rf"shape \(2, 4\) of float64, {wanted}"):
        Euler(3).states(np.ones((2, 4)), 2)
    with pytest.raises(km.SettingsError, match=rf"row 1 is \[1.0, .*nan\], {wanted}"):
        Euler(3).states([[1.0] * 5, [1.0] * 4 + [np.nan]], 2)


def test_outputs_name_the_stream_rightly():
    made = Euler(2).outputs([[1.0, 0.8, 0.0, 1 / 1.4], [1.0, 0.0, 0.6, 2 / 1.4]], mach=0.8)

    # the stream itself: Mach 0.8 and Cp 0; twice the pressure at density 1: a = sqrt(2)
    assert made["Mach"] == pytest.approx([0.8, 0.6 / 2**0.5], rel=1e-15)
    assert made["Cp"] == pytest.approx([0.0, 1 / 1.4 / 0.32], rel=1e-15)
    assert made["Velocity"].tolist() == [[0.8, 0.0, 0.0], [0.0, 0.6, 0.0]]


# ---------------------------------------------------------------- five equations in the plane


class Swept(Euler):
    """Flow about a wing of infinite span: a third velocity, which nothing changes along y."""

    def __init__(self, dimensions):
        super().__init__(dimensions)
        self.names = ("rho", "u", "v", "w", "p")
        self.variables, self.endings = 5, ("_swept",)

    def free_stream(self, mach, alpha_deg):
        return np.insert(super().free_stream(mach, alpha_deg), 3, 0.2, axis=1)

    def outputs(self, q, mach):
        return super().outputs(q[:, [0, 1, 2, 4]], mach) | {"Span": q[:, 3]}


class Carried(Euler):
    """A scalar behind the pressure, of 3 in the stream."""

    def __init__(self, dimensions):
        super().__init__(dimensions)
        self.names, self.variables, self.endings = (*self.names, "s"), 5, ("_swept",)

    def free_stream(self, mach, alpha_deg):
        return np.insert(super().free_stream(mach, alpha_deg), 4, 3.0, axis=1)


class CarriedAle(km.Ale):
    equations = Carried


class SweptAle(km.Ale):
    equations = Swept


class SweptMeshless(km.Meshless):
    equations = Swept


@pytest.fixture
def bound(monkeypatch):
    """Kernels of the made-up equations that are bound, with their fields; in place of their work
    a copy of nothing."""
    declared, bind, found = named._declared(), devices.Backend.bind, {}
    of_states = [k for k, (_, own) in km.kernels().items() if any(FOUR.search(f[3]) for f in own)]
    twins = {f"{name}_swept": declared[name] for name in of_states}
    monkeypatch.setattr(named, "_declared", lambda: declared | twins)

    def taken(self, kernel, over=None, *, suffix=None, **given):
        if not kernel.endswith("_swept"):
            return bind(self, kernel, over, suffix=suffix, **given)
        found[kernel] = given
        nothing = {name: self.zeros(MESH.nodes, np.float64) for name in ("from", "to")}
        return bind(self, "copy_f64", **nothing)

    monkeypatch.setattr(devices.Backend, "bind", taken)
    return found


def columns(array):
    return array.shape[1] if len(array.shape) > 1 else 1


CLOUD = {
    "matrix": {},
    "smooth": {"smooth_gradients": True},
    "lusgs": {"flux": "jst"},
    "rk": {"time": "rk"},
}
MESHES = {
    "matrix": {},
    "double": {"matrix_dtype": "float64"},
    "hllc": {"flux": "hllc"},
    "limiter": {"limiter": "venkatakrishnan"},
    "lusgs": {"linear_solver": "lusgs"},
}


@pytest.mark.parametrize(
    ("on", "way"), [*(("cloud", way) for way in CLOUD), *(("mesh", way) for way in MESHES)]
)
def test_other_equations_reach_every_kernel_without_a_word_elsewhere(bound, on, way):
    """A kernel of Euler's in the plane refuses states of five numbers; theirs are found."""
    asked = {"mach": 0.5, "alpha_deg": 2.0, "device": "cpu"}
    if on == "mesh":
        made = SweptAle(MESH, settings=km.AleSettings(**MESHES[way]), **asked)
    else:
        cloud = km.Cloud.from_mesh(MESH)
        made = SweptMeshless(cloud, settings=km.MeshlessSettings(**CLOUD[way]), **asked)
    made.iteration(1e-3, 10, (1.0, 10.0, 1.5), 1)
    made.start_steady()

    given = [(k, name, a) for k, own in bound.items() for name, a in own.items() if name in STATES]
    wrong = [(k, name) for k, name, a in given if a is not None and columns(a) != STATES[name]]
    assert wrong == []
    assert {"state_primitive_swept", "state_past_swept", "residual_check_swept"} <= bound.keys()
    assert made.backend.get(made.u).shape == (made.grid.nodes, 5)
    with pytest.raises(km.SettingsError, match=re.escape("(rho, u, v, w, p)")):
        made.initialise(np.ones((made.grid.nodes, 4)))


@pytest.mark.parametrize("solver", [SweptAle, CarriedAle])
def test_pressures_at_walls_are_where_the_model_has_them(bound, solver):
    case = solver(MESH, mach=0.5, device="cpu")
    case.backend.put(case.q, case.model.free_stream([0.5], [0.0])[case.grid.member])

    assert case.wall_pressures({0: case.grid.wall.node})[0] == pytest.approx(0.0, abs=1e-15)


def test_outputs_of_other_equations_are_in_the_field_file(bound, tmp_path):
    solver = SweptAle(MESH, mach=0.5, device="cpu")
    solver.backend.put(solver.q, solver.model.free_stream([0.5], [0.0])[solver.grid.member])

    with Files(solver, tmp_path, Stopwatch(), History(STEADY), {}) as files:
        files.begin()
        files.fields(np.zeros(1))

    found = fields.read(tmp_path / "flow.vtkhdf")["fields"]
    assert found["Span"] == pytest.approx(0.2)
    assert found["Mach"] == pytest.approx(0.5)


class Carrying(Swept):
    """A gas that carries a variable along, behind the pressure."""

    def __init__(self, dimensions):
        super().__init__(dimensions)
        self.names = ("rho", "u", "v", "p", "s")


@pytest.mark.usefixtures("bound")
def test_a_residual_of_what_a_gas_carries_is_told_by_its_name():
    case = type("Ale", (km.Ale,), {"equations": Carrying})(MESH, mach=0.5, device="cpu")
    res = np.zeros((MESH.nodes, 5))
    res[7, 4] = 1.0
    case.backend.put(case.fields["res"], res)

    assert ", that of s, node" in case.suspects(0)
