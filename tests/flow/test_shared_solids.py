"""Loads of bodies in space whose walls share nodes: each has those of its own faces."""

import warnings
from dataclasses import replace

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh.gas import GAMMA
from kinemesh.mesh.pieces import triangles_of

MACH, P = 0.3, 1 / GAMMA
ABOUT = (0.2, 0.1)
pytestmark = pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")


def parted(space, wall):
    """The walls as three bodies: below, and above in the inner and the outer half of the span."""
    facets = space.boundaries[wall]
    middle = space.points[np.where(facets < 0, facets[:, :1], facets)].mean(axis=1)
    above, outer = middle[:, 2] > 0, middle[:, 1] > 0.5 * space.points[facets, 1].max()
    walls = {
        "inner": facets[above & ~outer],
        "outer": facets[above & outer],
        "lower": facets[~above],
    }
    others = {name: own for name, own in space.boundaries.items() if name != wall}
    return replace(space, boundaries=walls | others)


def mesh(cells):
    flat = {"hexes": "quads"}.get(cells, "triangles")
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0, cells=flat)
    solid = km.mesh.extruded(plane, span=1.0, layers=2, cells=cells)
    return solid, parted(solid, "airfoil")


def cloud():
    whole = half_wing()
    return whole, parted(whole, "wing")


def case(space, members=1):
    solver = km.Meshless if isinstance(space, km.Cloud) else km.Ale
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = solver([space] * members, mach=MACH, alpha_deg=4.0, moment_about=ABOUT,
                      reference_area=0.62, device="cpu")  # fmt: skip
    x, y, z = made.grid.points.T
    zero = np.zeros(len(x))
    p = (
        P
        * (1 + 0.1 * np.sin(x) + 0.05 * np.cos(y) + 0.2 * np.sin(z))
        * (1 + 0.1 * made.grid.member)
    )
    made.initialise(np.stack([1 + zero, 0.3 + zero, zero, zero, p], axis=1))
    return made


KINDS = {
    "hexes": lambda: mesh("hexes"),
    "prisms": lambda: mesh("prisms"),
    "tets": lambda: mesh("tets"),
    "cloud": cloud,
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_bodies_in_space_with_nodes_in_common_have_the_loads_of_one_together(kind):
    one, three = (case(space) for space in KINDS[kind]())

    (whole,), (each,) = one.body_coefficients(), three.body_coefficients()

    (whole,) = whole.values()
    for name, value in whole.items():
        assert sum(own[name] for own in each.values()) == pytest.approx(value, abs=1e-12)
    assert three.coefficients() == pytest.approx(one.coefficients(), abs=1e-12)
    # one node at least is of all three
    assert np.bincount(three.forces.shared.node).max() == 2


@pytest.mark.parametrize("kind", ["tets", "cloud"])
def test_pressures_at_a_common_node_act_on_the_faces_of_each_body(kind):
    """A third of each triangle at each corner, by sums on the host, in two members."""
    _, space = KINDS[kind]()
    made = case(space, members=2)

    for member, found in enumerate(made.body_coefficients()):
        begin = made.grid.first[member]
        x, p = made.grid.points[begin:], made.primitive()[begin:, 4] - P
        for marker, own in found.items():
            walls = triangles_of(made.grid.meshes[member].boundaries[marker])
            a, b, c = (x[corner] for corner in walls.T)
            area = np.cross(b - a, c - a) / 6
            total = np.zeros(3)
            for corner in walls.T:
                fx, _, fz = (p[corner][:, None] * area).T
                dx, dz = (x[corner][:, [0, 2]] - ABOUT).T
                total += [fx.sum(), fz.sum(), (dz * fx - dx * fz).sum()]
            fx, fz, moment = total / (0.5 * MACH**2 * 0.62)
            cos, sin = np.cos(np.radians(4.0)), np.sin(np.radians(4.0))
            expected = {"cl": fz * cos - fx * sin, "cd": fx * cos + fz * sin, "cm": moment}
            assert own == pytest.approx(expected, abs=1e-11), marker


def test_a_quadrilateral_gives_its_corner_what_its_dual_has():
    """One row of hexahedra between planes: half of each face's force at each of its ends."""
    _, space = mesh("hexes")
    made = case(space)
    (found,) = made.body_coefficients()
    x, p = made.grid.points, made.primitive()[:, 4] - P

    for marker, own in found.items():
        walls = made.grid.meshes[0].boundaries[marker]
        corner = x[walls]
        area = np.cross(corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1]) / 2
        force = p[walls].mean(axis=1)[:, None] * area / (0.5 * MACH**2 * 0.62)
        fx, _, fz = force.sum(axis=0)
        cos, sin = np.cos(np.radians(4.0)), np.sin(np.radians(4.0))
        assert own["cl"] == pytest.approx(fz * cos - fx * sin, abs=1e-12)
        assert own["cd"] == pytest.approx(fx * cos + fz * sin, abs=1e-12)
