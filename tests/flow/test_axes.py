"""The span of a wing lies along y: meshes in other axes are refused at every angle."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing, half_wing_cells
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.flow.door.planforms import UPRIGHT
from kinemesh.mesh.extents import Walls

FLOW = {"mach": 0.3, "device": "cpu"}
WORDS = r"planform of 0, as seen along z|normal of the planes of symmetry .* nearer to z than"
pytestmark = pytest.mark.no_sanitizer


def wing():
    """A section between planes of symmetry across y."""
    return km.mesh.extruded(km.mesh.airfoil("naca4412", nodes=500, far_field=8.0))


def scaled(mesh, *factors):
    return mesh.transformed(mesh.points * factors)


def rolled(mesh, angle_deg):
    """The mesh turned about x; by 90 degrees what is along y comes to lie along z."""
    x, y, z = mesh.points.T
    turn = np.exp(1j * np.radians(angle_deg)) * (y + 1j * z)
    return mesh.transformed(np.stack([x, turn.real, turn.imag], axis=1))


def turned(points):
    """Points whose span along y comes to lie along z."""
    x, y, z = points.T
    return np.stack([x, -z, y], axis=1)


def half(solver, moved=np.array):
    """A half wing with one plane of symmetry, for a solver."""
    if solver is km.Meshless:
        return half_wing(moved)
    points, cells, sides = half_wing_cells()
    corner = points[cells]
    left = np.linalg.det(corner[:, 1:] - corner[:, :1]) < 0
    cells[left] = cells[left][:, [0, 2, 1, 3]]
    return km.mesh.Mesh.from_blocks(moved(points), {"tetrahedra": cells}, sides)


def said(make):
    """Texts of a call's warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        make()
    return [str(warning.message) for warning in told]


@pytest.mark.long
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
@pytest.mark.parametrize("area", [{}, {"reference_area": 1.0}])
@pytest.mark.parametrize("alpha", [0.0, 2.0, 90.0])
def test_a_section_drawn_out_along_z_is_refused_at_every_angle(solver, area, alpha):
    mesh = rolled(wing(), 90.0)

    for motion in (None, km.motion.pitch(1.0, 0.1)):
        with pytest.raises(km.MeshError, match="planform of 0, as seen along z, and 1 as seen al"):
            solver(mesh, alpha_deg=alpha, motion=motion, **FLOW, **area)
    solver(wing(), alpha_deg=alpha, **FLOW, **area)


def test_the_advice_turns_the_mesh():
    """Points (x, -z, y) of a mesh whose y points upwards."""
    along_z = rolled(wing(), 90.0)
    with pytest.raises(km.MeshError, match=r"points\[:, \[0, 2, 1\]\] \* \(1, -1, 1\)"):
        km.Ale(along_z, **FLOW)
    upright = along_z.transformed(along_z.points[:, [0, 2, 1]] * (1, -1, 1))

    made = km.Ale(upright, **FLOW)
    assert made.notes == []
    (body,) = made.markers.measured[0].bodies
    assert body.size == pytest.approx(1.0, rel=1e-3)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred, km.Meshless])
@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_a_half_wing_with_its_plane_across_z_is_refused(solver, alpha):
    """Its tip has a planform, and the plane tells."""
    told = FLOW | {"alpha_deg": alpha, "reference_area": 0.6}

    solver(half(solver), **told)
    for motion in (None, km.motion.pitch(1.0, 0.1)):
        with pytest.raises(km.SettingsError, match=r"nearer to z than to y.*span .* along y"):
            solver(half(solver, turned), motion=motion, **told)


@pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")
@pytest.mark.parametrize(("angle", "good"), [(0.0, True), (44.0, True), (46.0, False), (90, False)])
def test_planes_nearer_to_z_than_to_y_are_refused(angle, good):
    mesh = rolled(wing(), angle)
    for solver in (km.Ale, km.CellCentred):
        if good:
            solver(mesh, **FLOW)
            continue
        with pytest.raises(km.KinemeshError, match=WORDS):
            solver(mesh, **FLOW)


@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred])
def test_walls_that_close_round_no_body_are_looked_at_too(solver):
    """Half of a section's outline drawn out, with the other half in the far field, is no body."""
    mesh = km.mesh.extruded(km.mesh.airfoil("naca4412", nodes=500, far_field=8.0), layers=2)
    upper = mesh.points[np.maximum(mesh.boundaries["airfoil"], 0)][:, :, 2].mean(axis=1) > 0.02
    sides = dict(mesh.boundaries)
    facets = sides.pop("airfoil")
    sides |= {"bump": facets[upper], "rest": facets[~upper]}
    cells = {name: own for name, own in mesh.solids.items() if len(own)}
    split = km.mesh.Mesh.from_blocks(mesh.points, cells, sides)
    told = {"walls": ["bump"], **FLOW}

    assert Walls.of(split, ["bump"], ["symmetry_left", "symmetry_right"]).bodies == []
    said(lambda: solver(split, **told))
    with pytest.raises(km.SettingsError, match="nearer to z than to y"):
        solver(rolled(split, 90.0), **told)


def test_planes_across_z_without_walls_are_taken():
    """A uniform stream between them has no loads."""
    sides = {"symmetry_left": "symmetry", "symmetry_right": "symmetry"}
    for solver in (km.Ale, km.CellCentred):
        solver(rolled(wing(), 90.0), walls=[], boundaries=sides, **FLOW)


# ---------------------------------------------------------------- whole bodies, without planes


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 1, 1), (1, 4, 0.2), (1, 1, 3.9), (1, 1, 4.1),
                                   (1, 0.12, 4)])  # fmt: skip
def test_bodies_of_which_far_more_is_seen_along_y_are_told(shape):
    """Spheres, bodies of revolution and wings are not; a fin, or a wing along z, is."""
    mesh = scaled(km.mesh.sphere(nodes=1500), *shape)
    (body,) = Walls.of(mesh, ["sphere"]).bodies
    told = {"reference_area": body.size, "reference_length": shape[0], "moment_about": (0.0, 0.0)}

    for solver in (km.Ale, km.CellCentred):
        notes = said(lambda solver=solver: solver(mesh, **FLOW, **told))
        upright = [text for text in notes if "the span may be along z" in text]
        assert bool(upright) == (shape[2] > UPRIGHT * shape[1])
        assert len(notes) == len(upright)


def test_the_numbers_of_the_axes_are_areas_seen_along_them():
    """An ellipsoid with axes 2, 3 and 5 shows pi/4 times the product of two."""
    (ball,) = Walls.of(km.mesh.sphere(nodes=1500), ["sphere"]).bodies
    (body,) = Walls.of(scaled(km.mesh.sphere(nodes=1500), 2.0, 3.0, 5.0), ["sphere"]).bodies

    assert body.size == pytest.approx(6 * ball.size, rel=1e-12)
    assert body.side == pytest.approx(10 * ball.side, rel=1e-12)
    assert ball.size == pytest.approx(np.pi / 4, rel=0.03)


# ---------------------------------------------------------------- other doors


@pytest.mark.long
@pytest.mark.parametrize("method", ["ale", "cells"])
@pytest.mark.parametrize("area", [{}, {"reference_area": 1.0}])
def test_a_case_file_in_other_axes_is_refused_by_check_and_run(tmp_path, method, area):
    km.mesh.write(rolled(wing(), 90.0), tmp_path / "wing.su2")
    made = Case.from_dict({
        "name": "wing", "mode": "steady", "method": method,
        "mesh": {"file": str(tmp_path / "wing.su2")},
        "flow": {"mach": 0.3, **area}, "run": {"device": "cpu"},
    })  # fmt: skip

    report = str(check(made))
    assert "planform of 0" in report
    assert "not ready to run" in report
    with pytest.raises(km.MeshError, match="planform of 0"):
        made.run()
