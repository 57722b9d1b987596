"""Connectivity of overset grids in space against its rules in plain NumPy, on every device."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.overset import Part
from kinemesh.overset.connectivity import Connectivity
from overset_brute import COVERED, FIELD, RECEPTOR, SOLID
from overset_brute_space import BruteSpace
from overset_parts import ball, grid_of, move_in_space

RADII = np.linspace(0.5, 1.6, 9)
TURNED = km.motion.Pose(0.3, (0.1, 0.2, 0.0), (0.06, -0.03, 0.11), axis=(0.3, 1.0, -0.4))
NOSE_UP = km.motion.Pose(-0.4, (0.2, 0.0, 0.1), (0.07, 0.0, 0.05))


def back(spacing=0.33, **given):
    box = (-2.1, 2.3, -2.2, 2.2, -2.15, 2.25)
    return km.mesh.background(box, box, spacing=spacing, **given)


def hexahedra():
    return {"ball": ball(RADII), "back": back()}


def tetrahedra():
    return {"ball": ball(RADII, cells="tetrahedra"), "back": back()}


def pair():
    """Two balls, whose layers lie over one another."""
    left, right = ball(RADII * 0.8), ball(RADII * 0.6)
    parts = Part(left, at=(-0.6, 0.05, 0.0)), Part(right, at=(0.7, 0.0, 0.1), angle_deg=20)
    return {"left": parts[0], "right": parts[1], "back": back()}


def half():
    """Half a ball on the plane of symmetry of a background."""
    box = (-2.1, 2.3, 0, 2.2, -2.15, 2.25)
    around = km.mesh.background(box, box, spacing=0.33, symmetry=["front"])
    return {"ball": ball(RADII, half=True), "back": around}


CASES = {
    "at rest": (hexahedra, {}),
    "hexahedra": (hexahedra, {"ball": TURNED}),
    "tetrahedra": (tetrahedra, {"ball": TURNED, "back": km.motion.Pose(shift=(0.1, 0, 0))}),
    "pair": (pair, {"left": TURNED, "right": NOSE_UP}),
    "half": (half, {"ball": NOSE_UP}),
}


def made_of(backend, name, **layers):
    """Connectivity of the only member of a case with its parts moved, and the places of nodes."""
    parts, poses = CASES[name]
    made = Connectivity(grid_of(backend, parts()), **layers)
    return made, move_in_space(made, poses)


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_status_donors_and_weights_in_space_are_those_of_brute_force(double, name):
    made, x = made_of(double, name, overlap=1, fringe=1)
    expected = BruteSpace(made.grid.meshes[0], x, 1, 1, mirrored=name == "half")

    status, donor, weight = (double.get(a) for a in (made.status, made.donor, made.weight))

    np.testing.assert_array_equal(made.layer, expected.layer)
    np.testing.assert_array_equal(status, expected.status)
    takes = np.isin(status, (RECEPTOR, COVERED)) & (expected.cell >= 0)
    there = np.einsum("nk,nkd->nd", weight[takes], x[donor[takes]])
    assert there == pytest.approx(x[takes], abs=1e-12)
    assert weight[takes].min() > -1e-12
    given = np.zeros((2, takes.sum(), len(x)))  # a corner without weight may be another cell's
    rows = np.arange(takes.sum())[:, None]
    np.add.at(given[0], (rows, donor[takes]), weight[takes])
    np.add.at(given[1], (rows, expected.cells[expected.cell[takes]]), expected.weight[takes])
    assert given[0] == pytest.approx(given[1], abs=1e-12)
    worth = expected.worth[status == RECEPTOR]
    assert double.get(made.counts)[0].tolist()[::2] == [len(worth), (worth == 0).sum()]
    assert {FIELD, RECEPTOR, SOLID} <= set(np.unique(status))
