"""Ready case of AGARD wing 445.6: outline, modes of the plate, numbers of its structure."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.sections.named import section
from scripts import script

FOOT = 0.3048
MEASURED = {0.499: 0.4459, 0.678: 0.4174, 0.901: 0.3700, 0.960: 0.3059}


@pytest.fixture(scope="module")
def ready():
    return km.cases.load("agard-4456")


def test_the_outline_is_that_of_the_wing(ready):
    """Root and tip chord 1.833 and 1.208 ft, span 2.5 ft, 45 degrees at the quarter chord."""
    mesh = ready.mesh
    root, tip, span = 1.833, 1.208, 2.5

    assert mesh.span == pytest.approx(span / root, abs=1e-5)
    assert mesh.taper == pytest.approx(tip / root, abs=1e-5)
    swept = span + (root - tip) / 4  # of the leading edge, over the span
    assert mesh.sweep_deg == pytest.approx(np.degrees(np.arctan(swept / span)), abs=1e-3)
    assert ready.flow.reference_area == pytest.approx((root + tip) / 2 * span / root**2, abs=2e-5)
    assert ready.structure.volume == pytest.approx(
        np.pi * span * (root**2 + root * tip + tip**2) / 12 / root**3, abs=2e-5
    )


def test_the_mass_ratios_are_those_of_the_densities_that_were_measured(ready):
    """Mass of model 3 over that of the air, 0.12764 slugs, in slugs per cubic foot."""
    air = np.array([0.000830, 0.000404, 0.000193, 0.000123, 0.000107, 0.000152])
    volume = ready.structure.volume * 1.833**3

    ratios = 0.12764 / (air * volume)

    # densities have three digits
    assert ratios / ready.structure.mu == pytest.approx(np.ones(6), abs=6e-3)
    assert ready.structure.reference == pytest.approx(239.3 / (2 * np.pi), abs=0.005)


def test_modes_are_orthogonal_over_the_mass_of_the_plate(ready):
    """Masses in the frame of the points of the file, by the trapezoidal rule in NumPy."""
    structure = ready.structure.build()
    file = structure.shapes[0].file
    n = len(np.unique(file.points[:, 1]))
    x, y = file.points[:, :2].reshape(-1, n, 2).transpose(2, 0, 1)
    w = file.displacements[..., 2].reshape(-1, n, 4)
    assert not file.displacements[..., :2].any()
    assert np.abs(w).max(axis=(0, 1)) == pytest.approx(np.ones(4))
    assert not w[:, 0].any()
    chord = x[-1] - x[0]
    share = (x - x[0]) / chord
    u = np.linspace(0, 0.5, 20001)
    outline = section("naca65a004").points(u)[::-1]
    thick = np.interp(share, outline[:, 0], outline[:, 1]) * chord
    cells = [np.gradient(axis) for axis in (share[:, 0], y[0])]
    for axis in cells:  # weights of the trapezoidal rule: half cells at both ends
        axis[[0, -1]] /= 2
    size = thick * np.outer(cells[0], cells[1]) * chord

    masses = np.einsum("xyi,xyj,xy->ij", w, w, size) / size.sum()

    scale = np.sqrt(np.outer(structure.masses, structure.masses))
    assert masses / scale == pytest.approx(np.eye(4), abs=0.03)


def test_the_file_is_what_the_plate_has_and_its_frequencies_are_near_yates(ready):
    tool = script("agard_modes")

    frequencies, *_ = tool.solved()

    assert frequencies == pytest.approx(ready.structure.frequencies, rel=0.05)
    text = tool.FILE.read_text()
    assert f"{frequencies[0]:.2f}, {frequencies[1]:.2f}" in text
    assert ", ".join(f"{m:.5g}" for m in ready.structure.masses) in text


@pytest.mark.slow
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_the_coarse_mesh_flutters_near_the_measured_speed():
    case = km.cases.load("agard-4456").replace(nodes="coarse", device="cpu")

    found = km.flutter(case, mach=[0.499], speed_index=(0.25, 0.7))

    assert found.boundary.values == pytest.approx([MEASURED[0.499]], rel=0.05)
