"""Loads of single bodies in sweeps: as alone, with nan where a case lacks a body."""

import kinemesh as km
import numpy as np
import pytest
import xarray
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError
from kinemesh.study.sweep import case_rows
from solver_cases import Ellipse, bodies
from sweeps import CAREFUL, same

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings(
        "ignore:.*(not periodic|above the asked|second order|residual|lie closer|closes|chord)"
    ),
]
MAIN, BESIDE = Ellipse((0, 0), (0.5, 0.15), 24), Ellipse((0.8, -0.3), (0.3, 0.1), 16)
PITCH = {"pitch": {"amplitude_deg": 2.0, "k": 0.3}}
TABLES = {
    "name": "bodies",
    "mode": "unsteady",
    "flow": {"mach": 0.3},
    "run": {"cycles": 1, "steps_per_cycle": 6, "device": "cpu"},
    "solver": {"steady_drop": 1e-1, "unsteady_drop": 1e-2, **CAREFUL},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Meshes about one body, about two, and about two of which one has another name."""
    folder = tmp_path_factory.mktemp("meshes")
    for name, beside in (("one", {}), ("two", {"flap": BESIDE}), ("other", {"mean": BESIDE})):
        km.mesh.write(bodies({"main": MAIN, **beside}), folder / f"{name}.su2")
    return folder


def case(files, mesh, motion, **more):
    """The case of a mesh, whose bodies move as `motion` says."""
    tables = TABLES | {"mesh": {"file": str(files / f"{mesh}.su2")}}
    return Case.from_dict(tables | {"motion": {"bodies": motion}} | more)


@pytest.mark.slow
def test_rows_have_the_bits_of_each_body_alone_and_nan_where_it_is_not(files, tmp_path):
    motions = [{"main": PITCH}, {"main": PITCH, "flap": PITCH}]
    over = {"mesh.file": [str(files / f"{name}.su2") for name in ("one", "two")],
            "motion.bodies": motions}  # fmt: skip

    found = km.sweep(case(files, "one", motions[0]), over, zip=list(over), out=tmp_path / "s")

    assert (found.state == 1).all()
    one, two = found.isel(file=0), found.isel(file=1)
    for name in ("cl_flap", "cl_main", "cl_mean_main", "work_main", "damping_main"):
        assert np.isnan(one[name]).all(), name  # of one body it is cl, ...
    alone = case(files, "two", motions[1]).run()
    history, loop = alone.history, alone.loop()
    place = np.argsort(np.round(history.phase_deg[-6:] / 60) % 6)
    for name in ("cl_flap", "cd_flap", "cm_flap", "angle_deg_flap", "cm_main"):
        np.testing.assert_array_equal(two[name], history[name][-6:][place], err_msg=name)
    for marker, body in loop.bodies.items():
        assert two[f"cl_mean_{marker}"] == body.cl.mean
        assert two[f"cm_amplitude_{marker}"] == body.cm.amplitude
        assert two[f"work_{marker}"] == body.work
        assert two[f"damping_{marker}"] == body.damping
        assert two[f"cm_alpha_quadrature_{marker}"] == body.derivatives.cm_alpha.imag
    assert two.cd_mean_flap == history.cd_flap[-6:][place].mean()
    assert "of flap, about the pivot of its own motion" in found.cm_flap.attrs["long_name"]
    found.to_netcdf(tmp_path / "s.nc")
    same(xarray.load_dataset(tmp_path / "s.nc"), found, but=())
    frame = found.drop_dims("phase").to_dataframe()
    assert len(frame) == 2
    assert frame["cl_mean_flap"].iloc[1] == two.cl_mean_flap


def test_a_steady_row_has_the_loads_of_each_body_alone(files):
    over = {"mesh.file": [str(files / f"{name}.su2") for name in ("one", "two")]}
    steady = {"mode": "steady", "run": {"device": "cpu"},
              "solver": {"steady_drop": 1e-1, **CAREFUL}}  # fmt: skip
    tables = {k: v for k, v in TABLES.items() if k != "mode"}
    made = Case.from_dict(tables | steady | {"mesh": {"file": str(files / "one.su2")}})

    found = km.sweep(made, over)

    alone = Case.from_dict(tables | steady | {"mesh": {"file": str(files / "two.su2")}}).run()
    assert np.isnan(found.cl_main[0])
    assert np.isnan(found.cl_flap[0])
    assert found.cl_flap[1] == alone.summary["result"]["bodies"]["flap"]["cl"]
    assert found.cl[1] == alone.summary["result"]["cl"]


@pytest.mark.long
def test_a_sweep_of_one_body_has_no_variables_of_bodies(files):
    found = km.sweep(case(files, "one", {"main": PITCH}), {"flow.mach": [0.3]})

    assert [name for name in found.variables if name.endswith("_main")] == []


def test_a_marker_that_gives_two_variables_one_name_is_refused(files):
    with pytest.raises(CaseError, match=r"two variables cl_mean, one of them of the marker 'mean'"):
        km.sweep(case(files, "other", {"main": PITCH}), {"flow.mach": [0.3]})
    with pytest.raises(CaseError, match="two variables cl_mean_x, one of them of the marker"):
        case_rows.variables_of([case(files, "one", {"main": PITCH})], ["x", "mean_x"])
