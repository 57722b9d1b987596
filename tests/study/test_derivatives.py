"""Derivatives for flutter: conventions on Theodorsen's loads, and runs beside them."""

from math import pi

import kinemesh as km
import numpy as np
import pytest
import xarray
from kinemesh.cases.casefile import Case
from kinemesh.errors import ArgumentError, KinemeshError
from kinemesh.loops.theodorsen import circulation, theodorsen
from kinemesh.study import derivatives as module
from sweeps import case

K, MACH, AXIS = [0.1, 0.3, 0.6], [0.4, 0.5], 0.35


@pytest.fixture
def fake(monkeypatch):
    """A sweep of no flow: Theodorsen's loads by what the case asks, times 1 + its Mach number."""
    asked = []

    def sweep(made, over, zip=None, **more):  # the argument's name
        asked.append((made, over, more))
        mach = over.get("flow.mach", [0.0])
        (name,) = [n for n in ("pitch", "plunge") if f"motion.{n}.k" in over]
        k, column = np.array(over[f"motion.{name}.k"]), {"plunge": 0, "pitch": 1}[name]
        q = theodorsen(k, made.flow.moment_about[0])
        loads = {}
        for row, load in enumerate(("cl", "cm")):
            values = np.outer(1 + np.array(mach), q[:, row, column])
            motion = ("h", "alpha")[column]
            loads[f"{load}_{motion}_in_phase"] = (("mach", "k"), values.real)
            loads[f"{load}_{motion}_quadrature"] = (("mach", "k"), values.imag)
        good = (("mach", "k"), np.ones((len(mach), len(k))))
        found = xarray.Dataset(loads | {"converged": good, "periodic": good})
        return found if "flow.mach" in over else found.isel(mach=0)

    monkeypatch.setattr(module, "sweep", sweep)
    return asked


def test_theodorsens_function_and_loads_have_their_known_values():
    assert circulation(0.2) == pytest.approx(0.7276 - 0.1886j, abs=5e-5)  # NACA Report 496
    slow = theodorsen(1e-8, 0.25)
    assert slow[:, 1] == pytest.approx([2 * pi, 0], abs=1e-5)
    assert slow[0, 0] == pytest.approx(-2 * pi * 2j * 1e-8, rel=1e-6)  # upwards: less incidence
    fast = theodorsen(1e4, 0.5)  # added mass: pi b^2 rho, and pi b^4 rho / 8 about mid-chord
    assert fast[0, 0].real == pytest.approx(pi * 2 * 1e8, rel=1e-3)
    assert fast[1, 1].real == pytest.approx(pi / 16 * 1e8, rel=1e-3)


def test_axes_of_theodorsens_loads_are_one_another_by_levers():
    """cm about another axis is cm + cl lever; its plunge is h - lever theta, h upwards."""
    lever = 0.2
    front, rear = theodorsen(np.array(K), 0.3), theodorsen(np.array(K), 0.3 + lever)
    arm = np.array([[1, 0], [lever, 1]])

    # h of the front axis is that of the rear one + lever theta: nose-up lifts what lies ahead
    assert rear == pytest.approx(arm @ front @ arm.T, rel=1e-12)


def test_q_is_in_the_chord_and_h_upwards(fake):
    found = km.derivatives(case(), k=K, mach=MACH, axis=AXIS)

    expected = (1 + np.array(MACH))[:, None, None, None] * theodorsen(K, AXIS)
    assert found.Q.dims == ("mach", "k", "load", "motion")
    assert found.Q.values == pytest.approx(expected, rel=1e-13)
    assert found.cl_h.sel(mach=0.5, k=0.3).item() == pytest.approx(expected[1, 1, 0, 0])
    assert found.cm_alpha.dtype == complex
    assert found.attrs["axis"] == [AXIS, 0.0]
    pitch, plunge = (made for made, _, _ in fake)
    assert pitch.motion.pitch["about"] == [AXIS, 0.0]
    assert pitch.flow.moment_about == plunge.flow.moment_about == (AXIS, 0.0)
    over = fake[1][1]
    sizes = np.array(over["motion.plunge.amplitude"])
    assert 2 * np.array(K) * sizes == pytest.approx(np.radians(0.5), rel=1e-13)


@pytest.mark.parametrize("h", ["up", "down"])
@pytest.mark.parametrize("length", ["c", "b"])
def test_work_of_q_is_that_of_the_loads_whatever_way_and_length(h, length, fake):
    """Generalised forces F of coordinates x do the work F dx: here by the chord and upwards."""
    found = km.derivatives(case(), k=K, mach=MACH, axis=AXIS, h=h, length=length)
    per, way = {"c": 1, "b": 2}[length], {"up": 1, "down": -1}[h]
    chord = theodorsen(K, AXIS) * 1.5
    turn = np.diag([way * per, 1.0])  # h/length of h/c upwards

    x = np.array([0.3 + 0.1j, 0.2 - 0.4j])
    forces = found.Q.values[1] @ (turn @ x) / per**2  # over q c^2
    assert np.einsum("kl,l->k", forces, turn @ x) == pytest.approx(
        np.einsum("kl,l->k", chord @ x, x), rel=1e-12
    )


def test_there_is_a_file_for_each_mach_number_that_reads_back(fake, tmp_path):
    found = km.derivatives(case(), k=K, mach=MACH, axis=AXIS, h="down", length="b", out=tmp_path)

    assert sorted(p.name for p in tmp_path.glob("*.csv")) == ["q-mach0.4.csv", "q-mach0.5.csv"]
    text = (tmp_path / "q-mach0.5.csv").read_text()
    assert "h positive downwards; length half of the chord" in text
    table = km.io.text_table.read(tmp_path / "q-mach0.5.csv")
    assert table["k"].tolist() == K
    read = table["re_h_alpha"] + 1j * table["im_h_alpha"]
    expected = found.Q.sel(mach=0.5, load="h", motion="alpha").values
    assert read == pytest.approx(expected, rel=1e-11)
    assert [more["out"] for _, _, more in fake] == [tmp_path / "pitch", tmp_path / "plunge"]


def test_a_steady_case_gets_cycles_and_a_chord_counts_in_the_plunge(fake):
    tables = {"name": "thin", "mode": "steady", "mesh": {"section": "naca0012", "nodes": 520},
              "flow": {"mach": 0.5, "chord": 2.0}}  # fmt: skip

    found = km.derivatives(Case.from_dict(tables), k=[0.2])

    made, over, _ = fake[1]
    assert made.job.until == "periodic"
    assert over["motion.plunge.amplitude"] == pytest.approx([np.radians(0.5) * 2 / 0.4])
    assert found.mach.values.tolist() == [0.5]


def test_incompressible_flow_has_no_axis_of_mach_numbers(fake, tmp_path):
    found = km.derivatives("naca0012-laminar", k=K, axis=AXIS, out=tmp_path)

    assert found.Q.dims == ("k", "load", "motion")
    assert found.Q.values == pytest.approx(theodorsen(K, AXIS), rel=1e-13)
    assert (tmp_path / "q.csv").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"k": None}, "expected k, a list"),
        ({"k": []}, "k is .*, expected numbers above 0"),
        ({"k": [0.1, -0.2]}, "expected numbers above 0"),
        ({"k": [0.1, 0.1]}, "each once"),
        ({"k": "0.1"}, "expected numbers above 0"),
        ({"mach": [0.0]}, "mach is"),
        ({"h": "left"}, "expected 'up' or 'down'"),
        ({"length": "chord"}, "expected 'c' or 'b'"),
        ({"axis": (0, 0, 0)}, r"expected x, or \(x, y\)"),
        ({"amplitude_deg": 0}, "amplitude_deg is"),
        ({"frequency": 1}, "unknown argument 'frequency'"),
        ({"case": km.mesh.airfoil(nodes=500)}, r"or what km\.cases\.load gives"),
        ({"case": "two-cylinders"}, "has parts"),
        ({"case": "oneram6"}, "in space"),
        ({"case": "cylinder", "mach": [0.2]}, "has no Mach number"),
    ],
)
def test_what_has_no_derivatives_is_refused(change, said, fake):
    given = {"case": case(), "k": K} | change
    with pytest.raises((KinemeshError, ArgumentError), match=said):
        km.derivatives(**given)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_a_run_has_the_derivatives_of_single_runs_and_a_sweep_has_them_complex(tmp_path):
    base = case(run={"cycles": 1, "steps_per_cycle": 6})

    found = km.derivatives(base, k=[0.2], axis=0.25, amplitude_deg=2.0, out=tmp_path / "q")

    alone = case(motion={"pitch": {"amplitude_deg": 2.0, "k": 0.2}}).run().loop()
    assert found.cl_alpha.values[0, 0] == alone.derivatives.cl_alpha
    swept = km.derivatives(tmp_path / "q" / "plunge")
    assert swept.cm_h.values.ravel() == pytest.approx(found.cm_h.values.ravel())
    again = km.derivatives(
        base, k=[0.2], axis=0.25, amplitude_deg=2.0, out=tmp_path / "q", resume=True
    )
    assert (again.Q == found.Q).all()
    with pytest.raises(KinemeshError, match="k are its own"):
        km.derivatives(tmp_path / "q" / "plunge", k=[0.1])


@pytest.mark.slow
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_a_thin_section_has_theodorsens_loads():
    """Thickness of 4 % adds 3 % of lift; 1500 nodes leave 3.9 % in lift, 11 % in moment."""
    tables = {"name": "thin", "mode": "steady", "flow": {"mach": 0.1}, "run": {"device": "cpu"},
              "mesh": {"section": "naca0004", "nodes": 1500, "far_field": 30}}  # fmt: skip

    found = km.derivatives(Case.from_dict(tables), k=[0.3], axis=AXIS)

    away = np.abs(found.Q.values[0, 0] - theodorsen(0.3, AXIS)) / np.abs(theodorsen(0.3, AXIS))
    assert away[0].max() < 0.05
    assert away[1].max() < 0.13
    assert found.converged.all()
