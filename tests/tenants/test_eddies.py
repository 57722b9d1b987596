"""A tenant: a second model of turbulence, an eddy viscosity that is the stream's everywhere."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.terms import turbulence
from kinemesh.flow.terms.eddies import EddyViscosity

pytestmark = pytest.mark.flow
CHI = np.roots([1, -1, 0, 0, -(7.1**3)]).real.max()  # chi fv1 = 1, of theory 9.5


class Even(EddyViscosity):
    """Viscosity by nu~ of the same multiple of the stream's at all nodes."""

    def __init__(self, case):
        super().__init__(case)
        case.backend.put(self.fields["nt"], CHI * case.viscosities[case.grid.member])


@pytest.fixture(autouse=True)
def even(monkeypatch):
    model = turbulence.Model("even eddies", Even)
    monkeypatch.setitem(turbulence.MODELS, "even", model)


def flown(reynolds, **told):
    mesh = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0)
    case = km.Ale(mesh, mach=0.1, reynolds=reynolds, device="cpu", **told)
    return case, case.steady()


@pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")  # of coarse wall cells
def test_eddies_as_viscous_as_the_gas_are_half_of_its_reynolds_number():
    """But for the heat of friction, of the order of the square of the Mach number."""
    prandtl = km.Viscosity(turbulent_prandtl=0.72)
    case, run = flown(80.0, turbulence="even", viscosity=prandtl)
    drag = run.history["cd"][-1]

    assert run.converged
    assert drag == pytest.approx(flown(40.0)[1].history["cd"][-1], rel=0.1**2)
    assert drag > 1.1 * flown(80.0)[1].history["cd"][-1]
    told = case.more["viscosity"]
    assert told["turbulence"] == "even"
    assert {"turbulent_prandtl", "nu_ratio"} & set(told) == {"turbulent_prandtl"}


def test_an_unknown_model_and_a_number_of_another_are_refused():
    words = "nu_ratio is 4.0 and has no effect with turbulence = 'even'; give turbulence = 'sa', or"
    with pytest.raises(km.SettingsError, match=words):
        flown(40.0, turbulence="even", viscosity=km.Viscosity(nu_ratio=4.0))
    with pytest.raises(km.SettingsError, match=r"expected 'sa' \(Spalart and Allmaras\) or 'even'"):
        flown(40.0, turbulence="odd")
