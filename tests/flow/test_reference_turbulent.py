"""Turbulent layers and walls beside CFL3D's with Spalart and Allmaras' model (NASA's Turbulence
Modeling Resource).

docs/validation.md has the tables ("Viscous flow").
"""

import numpy as np
import pytest
from scripts import script

pytestmark = pytest.mark.flow

BAR = 0.03  # of the largest value, asked


@pytest.fixture(scope="module")
def turbulent():
    return script("turbulent")


def worst(differences):
    return {name: np.abs(own).max() for name, own in differences.items()}


@pytest.mark.long
def test_velocities_of_a_coarse_turbulent_plate_are_those_of_cfl3d(turbulent, tmp_path):
    """Also the eddy viscosity in the layer, but for its edge, where no coarse mesh follows it."""
    run = turbulent.flow("flat-plate-sa", "coarse", tmp_path / "plate")
    found = turbulent.plate(run)
    assert np.abs(found["u+"]).max() < BAR  # measured 0.84 %
    assert np.sqrt(np.mean(found["mu_t"] ** 2)) < BAR  # 0.88 %


@pytest.mark.slow
def test_a_fine_turbulent_plate_has_the_layer_of_cfl3d(turbulent, tmp_path):
    run = turbulent.flow("flat-plate-sa", "fine", tmp_path / "plate")
    found = worst(turbulent.plate(run))
    assert max(found.values()) < BAR, found  # measured 0.06 % and 0.50 %


@pytest.mark.slow
def test_walls_of_a_turbulent_section_are_those_of_cfl3d(turbulent, tmp_path):
    run = turbulent.flow("naca0012-sa", "coarse", tmp_path / "section")
    found = worst(turbulent.section(run))
    assert max(found.values()) < BAR, found  # measured 2.2 % of the suction above
