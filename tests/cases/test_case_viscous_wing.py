"""The ready case `oneram6-sa`: what its mesh is made by, and keys of layers that mean nothing."""

import kinemesh as km
import pytest
from kinemesh import cases
from kinemesh.cases import build
from kinemesh.errors import CaseError

TOLD = {"topology": "ch", "y_plus": 1.0, "growth": 1.24}


@pytest.mark.parametrize(
    ("size", "sets", "changed"),
    [
        (None, [], {"nodes": 450_000}),
        ("coarse", [], {"nodes": 80_000, "growth": 1.35}),
        ("fine", [], {"nodes": 1_200_000, "growth": 1.2}),
        (None, ["mesh.layers=60", "mesh.tip=2.0"], {"nodes": 450_000, "layers": 60, "tip": 2.0}),
    ],
)
def test_the_mesh_is_made_by_a_y_plus_of_the_root_chord(size, sets, changed, monkeypatch):
    """The Reynolds number of test 2308 is by the mean aerodynamic chord, 0.80167296."""
    asked = {}
    monkeypatch.setattr(km.mesh, "oneram6", asked.update)
    case = cases.load("oneram6-sa", sets)

    build.space(case if size is None else case.replace(nodes=size))

    assert asked.pop("reynolds") == pytest.approx(11.72e6 / 0.80167296)
    assert asked == TOLD | changed


def test_measured_pressures_of_test_2308_stand_beside_it():
    assert cases.pressures("oneram6-sa") == cases.pressures("oneram6")
    case = cases.load("oneram6-sa")
    assert (case.flow.mach, case.flow.alpha_deg, case.flow.reynolds) == (0.8395, 3.06, 11.72e6)


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["method='meshless'"], r"\[mesh\] topology is of a mesh about the wing oneram6, and meth"),
        (["mesh.topology='c'"], r"\[mesh\] topology.* 'c', expected one of oh, ch"),
        (["mesh.wall_spacing=2e-6"], "wall_spacing and y_plus are given, expected one of them"),
    ],
)
def test_keys_of_layers_that_mean_nothing_are_refused(sets, said):
    with pytest.raises((CaseError, km.MeshError), match=said):
        build.space(cases.load("oneram6-sa", sets))
