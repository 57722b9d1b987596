"""Results that print in a line, stations without load, and runs without a cycle."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.results.spanwise import Spanwise

PLANE = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0, cells="quads")
EXTRUDED = km.mesh.extruded(PLANE, span=1.5, layers=2)
PITCH = km.motion.pitch(2.0, 0.2, phase_deg=20.0)
pytestmark = pytest.mark.flow


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_results_with_arrays_print_in_a_line(tmp_path):
    case = km.Ale(EXTRUDED, mach=0.4, motion=PITCH, settings=km.AleSettings(unsteady_iterations=2))
    run = case.run(cycles=1, steps_per_cycle=8, start="as is", out=tmp_path)

    load, (wall,) = run.spanwise(), run.pressures(section=0.5).values()
    for found, name in ((load, "eta"), (wall, "cp"), (run.loop().cl, "values")):
        assert len(repr(found)) < 400
        assert f"{name} (" in repr(found)
        assert "array" not in repr(found)
    assert "eta (41) 0 to 1, y (41) 0 to 1.5" in str(load)
    assert "harmonics of cl, cd, cm)" in str(load)
    assert len(repr(run.loop().flapping)) < 600


def test_a_station_without_load_has_no_phase():
    eta = np.linspace(0, 1, 3)
    wave = np.array([1 + 1j, 2j, 1e-15 - 3e-15j])
    load = Spanwise(*[eta] * 10, length=1.0, area=1.0, harmonics={"cl": wave})

    phase = load.columns()["cl1_phase_deg"]

    np.testing.assert_allclose(phase[:2], [135.0, 180.0])
    assert np.isnan(phase[2])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_run_without_a_cycle_has_no_pressures_over_one(tmp_path):
    case = km.Ale(EXTRUDED, mach=0.4, motion=PITCH, settings=km.AleSettings(unsteady_iterations=2))
    run = case.run(time_step=0.5, steps=4, start="as is", out=tmp_path)

    for given in ({"section": 0.5}, {}):
        with pytest.raises(CaseError, match="by time_step and steps and has no cycle"):
            run.pressures(**given)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_by_cells_the_load_ends_at_a_tip_that_is_a_line(tmp_path):
    mesh = km.mesh.wing("naca0012", nodes=10_000, span=2.0)
    settings = km.CellSettings(steady_iterations=9)
    case = km.CellCentred(mesh, mach=0.5, alpha_deg=3.0, settings=settings)

    load = case.steady(out=tmp_path).spanwise()

    assert load.chord[-1] > 0.9
    assert (load.c_cl[-1], load.c_cd[-1], load.cl[-1], load.cm[-1]) == (0, 0, 0, 0)
    assert (load.c_cl[:-1] > 0.01).all()
