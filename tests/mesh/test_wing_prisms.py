"""Least angles of all cells about wings, and faces that are not cut into triangles."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.generate.wings import block, planform, thin
from kinemesh.mesh.generate.wings.outline import wing_of
from kinemesh.mesh.geometry.solid_quality import dihedrals
from kinemesh.mesh.kinds import SOLIDS

M6 = ("oneram6", planform.M6)
CAMBERED = ("naca4412", {"span": 2.0, "taper": 0.5, "sweep_deg": 20.0})
TWISTED = (
    "naca2412",
    {"span": 4.0, "taper": 0.5, "sweep_deg": 20.0, "dihedral_deg": 5.0, "twist_deg": -3.0,
     "tip_section": "naca0010"},
)  # fmt: skip
KINKED = (
    "naca2412",
    {"stations": [
        {"y": 0.0, "chord": 1.0, "twist_deg": 1.0}, {"y": 1.2, "chord": 0.9, "x": 0.05},
        {"y": 4.0, "chord": 0.4, "x": 0.8, "z": 0.4, "twist_deg": -3.0, "section": "naca0010"},
    ]},
)  # fmt: skip
WINGS = {"m6": M6, "cambered": CAMBERED, "twisted": TWISTED, "kinked": KINKED}


def mesh_of(wing, nodes, cells):
    section, plan = WINGS[wing]
    return km.mesh.wing(section, nodes, cells=cells, **plan)


def all_prisms(wing, nodes):
    """Block about a wing, and prisms everywhere: (rings - 1, 2, stations - 1, around, 6)."""
    section, plan = WINGS[wing]
    made = planform.block_of(wing_of(section, None, "", **plan), nodes, 20.0, 0.6)
    stations, rings, around = made.number.shape
    rank = block.ranks(made.number)
    cells = block.prisms(made.number, rank)
    return made, rank, cells.reshape(rings - 1, 2, stations - 1, around, 6)


def corner_angles(points, prisms):
    """(cells, 6, 3) angles [deg] about the edges at each corner of prisms, of its three edges.

    The angle about an edge is the one between the other two, seen along it.
    """
    found = []
    for k in range(6):
        ends = [k - k % 3 + (k + 1) % 3, k - k % 3 + (k + 2) % 3, (k + 3) % 6]
        arms = [points[prisms[:, end]] - points[prisms[:, k]] for end in ends]
        for own in range(3):
            along = arms[own] / np.linalg.norm(arms[own], axis=1)[:, None]
            a, b = (
                arm - (arm * along).sum(axis=1)[:, None] * along
                for arm in (arms[own - 1], arms[own - 2])
            )
            across = np.linalg.norm(np.cross(a, b), axis=1)
            found.append(np.degrees(np.arctan2(across, (a * b).sum(axis=1))))
    return np.stack(found, axis=1).reshape(len(prisms), 6, 3)


@pytest.mark.long
@pytest.mark.parametrize(("cells", "low", "high"), [
    ("hexes", 19.5, 19.6), ("prisms", 1.02, 1.03), ("hybrid", 0.51, 0.52), ("tets", 0.91, 0.92),
])  # fmt: skip
def test_no_cell_about_the_m6_is_thin(cells, low, high):
    """Prisms everywhere have an angle of 0 at the edges of the line beyond the tip."""
    found = km.mesh.quality(mesh_of("m6", 10_000, cells))

    assert low < found.min_dihedral_deg < high
    assert found.max_dihedral_deg < 180.0 + 1e-6
    assert found.min_volume > 0


@pytest.mark.long
@pytest.mark.parametrize(("wing", "nodes", "cells", "least"), [
    ("m6", 40_000, "prisms", 1.0),
    ("cambered", 10_000, "prisms", 1.0), ("cambered", 10_000, "hybrid", 0.5),
    ("twisted", 10_000, "prisms", 1.0), ("kinked", 10_000, "hybrid", 0.5),
    ("kinked", 10_000, "hexes", 15.0),
])  # fmt: skip
def test_no_cell_about_other_wings_is_thin(wing, nodes, cells, least):
    found = km.mesh.quality(mesh_of(wing, nodes, cells))

    assert found.min_dihedral_deg > least
    assert found.max_dihedral_deg < 190.0  # hexahedra have 188.9 about the cambered wing
    assert found.min_volume > 0


def test_prisms_at_the_edges_of_the_line_beyond_the_tip_have_a_flat_corner():
    """Its three edges lie in one plane: the least angle about them is 0."""
    made, _, cells = all_prisms("m6", 10_000)
    half = made.number.shape[2] // 2
    flat = cells[0, :, made.slit :, [0, half - 1, half, 2 * half - 1]]
    angles = corner_angles(made.points, flat.reshape(-1, 6)).min(axis=(1, 2))

    assert angles.reshape(flat.shape[:-1]).min(axis=1).max() < 1e-6  # one of the two prisms


def test_prisms_have_those_angles_by_the_edges_of_their_corners():
    mesh = mesh_of("m6", 10_000, "prisms")

    angles = corner_angles(mesh.points, mesh.blocks["prisms"])

    assert 1.02 < angles.min() < 1.03


@pytest.mark.parametrize("wing", ["m6", "twisted"])
def test_faces_stay_whole_where_a_prism_would_be_thin_and_nowhere_else(wing):
    """So faces that are not measured, as their triangles are wide, are none of them."""
    made, rank, cells = all_prisms(wing, 10_000)
    sharp, wide = dihedrals(SOLIDS["prisms"], made.points[cells.reshape(-1, 6).T])
    bad = ((sharp < 1.0) | (wide > 270.0)).reshape(cells.shape[:-1]).any(axis=(0, 1))
    half = bad.shape[1] // 2

    found = thin.whole(made.points, made.number, rank)

    np.testing.assert_array_equal(found, bad | bad[:, ::-1])
    assert found[made.slit :, [0, half - 1, half, -1]].all()  # flat corners
    assert 0.05 < found.mean() < 0.15


def test_layers_of_a_hybrid_mesh_that_are_few_have_fewer_hexahedra():
    few, many = (km.mesh.oneram6(10_000, "hybrid", layers=k) for k in (1, 5))

    assert 0 < len(few.blocks["pyramids"]) == len(few.blocks["hexahedra"])
    assert len(many.blocks["hexahedra"]) == 5 * len(many.blocks["pyramids"])
    assert km.mesh.quality(few).min_volume > 0
