"""Euler flow on meshes in space: a uniform stream, and plane flow between planes of symmetry."""

import kinemesh as km
import numpy as np
import pytest
from clouds import box
from kinemesh.errors import SettingsError
from slabs import PLANES, slab
from solid_cases import MACH, Shaken, forced
from solids import MADE, cube

TIGHT = km.AleSettings(steady_drop=1e-10, limiter="none")


@pytest.mark.long
@pytest.mark.parametrize("moves", [False, True], ids=["rim-rests", "rim-moves"])
@pytest.mark.parametrize("kind", MADE)
def test_a_uniform_stream_survives_arbitrary_motion(kind, moves):
    mesh = cube(4, kind, size=2.0, jitter=0.1, middle=-1.0)
    case = km.Ale(
        mesh, mach=MACH, alpha_deg=17.0, walls=[], device="cpu", deform=Shaken(0.16, 0.05, moves)
    )

    error, change = forced(case, 100)

    assert error <= 1e-12
    assert change > 0.2


@pytest.fixture(scope="module")
def plane():
    """A plane mesh by its cells, and its steady flow to ten orders."""
    found = {}
    for cells in ("quads", "triangles"):
        mesh = km.mesh.airfoil("naca0012", nodes=1000, far_field=8, cells=cells)
        case = km.Ale(mesh, mach=0.5, alpha_deg=2.0, settings=TIGHT, device="cpu")
        found[cells] = mesh, case.steady().summary["result"]
    return found


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("of", "cells", "layers"),
    [("quads", "hexes", 1), ("quads", "hexes", 3), ("triangles", "prisms", 1),
     ("triangles", "prisms", 2)],
)  # fmt: skip
def test_between_planes_of_symmetry_loads_are_those_of_the_plane(plane, of, cells, layers):
    mesh, flat = plane[of]
    made = km.mesh.extruded(mesh, span=0.7, layers=layers, cells=cells)

    case = km.Ale(made, mach=0.5, alpha_deg=2.0, settings=TIGHT, device="cpu", reference_area=0.7)
    found = case.steady().summary["result"]

    assert flat["converged"]
    assert found["converged"]
    for name in ("cl", "cd", "cm"):
        assert abs(found[name] - flat[name]) <= 1e-8


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"deform": km.deform.Delaunay()}, r"in space use --deform rigid \(deform=Rigid"),
        ({"chord": 1.0}, "reference_area"),
        ({"settings": km.AleSettings(face_loop="colours")}, "face_loop is 'colours'"),
        ({"settings": km.AleSettings(far_field="vortex")}, "far_field is 'vortex'"),
        ({"boundaries": {"rim": km.outlet(pressure=0.9)}}, "on meshes in the plane"),
    ],
)
def test_what_there_is_in_the_plane_alone_is_refused(more, says):
    with pytest.raises(SettingsError, match=says):
        km.Ale(cube(2, "hexahedra"), mach=MACH, walls=[], device="cpu", **more)


def test_a_flux_is_no_kernel_of_space():
    with pytest.raises(SettingsError, match="flux is 'roe_3d'"):
        km.AleSettings(flux="roe_3d")


def turn_of(angle_deg, y, z):
    """Coordinate along a direction in y and z, of points."""
    return np.cos(np.radians(angle_deg)) * y + np.sin(np.radians(angle_deg)) * z


def test_bodies_that_leave_the_plane_of_symmetry_are_refused():
    mesh = km.mesh.extruded(km.mesh.airfoil("naca0012", nodes=500, far_field=5.0))
    x, y, z = mesh.points.T
    law = km.motion.pitch(1.0, 0.1)

    tilted = mesh.transformed(np.stack([x, turn_of(30, y, z), turn_of(120, y, z)], axis=1))

    km.Ale(tilted, mach=0.3, device="cpu", reference_area=np.cos(np.radians(30)))
    with pytest.raises(SettingsError, match="expected turns about the normal and shifts along"):
        km.Ale(tilted, mach=0.3, motion=law, device="cpu", reference_area=0.866)


def test_a_flow_of_a_mesh_in_space_and_one_in_the_plane_do_not_mix(plane):
    flat = plane["quads"][0]
    with pytest.raises(SettingsError, match="meshes in the plane and in space"):
        km.Ale([flat, km.mesh.extruded(flat)], mach=0.3, device="cpu")


def test_the_limiter_has_a_constant_of_its_own_in_space(plane):
    flat = km.Ale(plane["quads"][0], mach=0.3, device="cpu")
    space = km.Ale(cube(2, "mixed"), mach=0.3, walls=[], device="cpu")

    assert (flat.settings.limiter_k, space.settings.limiter_k) == (0.05, 0.5)


@pytest.mark.slow
def test_a_wing_among_tetrahedra_converges():
    """With weights |d|^-2 the march diverges on this mesh, limited or not."""
    mesh = km.mesh.oneram6(nodes=10_000, cells="tets")
    loose = km.AleSettings(steady_iterations=150, steady_drop=1e-2)

    case = km.Ale(
        mesh, mach=0.5, alpha_deg=3.06, reference_area=1.153, settings=loose, device="cpu"
    )
    found = case.steady().summary["result"]

    assert found["converged"]
    assert 0.1 < found["cl"] < 0.3


@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred, km.Meshless])
def test_a_stream_that_crosses_a_plane_of_symmetry_is_refused(solver):
    """Planes across z, as where the span of a wing is along it."""
    about = {"mach": MACH, "device": "cpu"}
    if solver is km.Meshless:
        space = box(half=True, across=2, wall=0)
    else:
        space, about["walls"] = slab(4, "hexahedra", "z"), []
        about["boundaries"] = PLANES

    solver(space, alpha_deg=0.0, **about)
    with pytest.raises(SettingsError, match=r"crosses the planes of symmetry.*span .* along y"):
        solver(space, alpha_deg=3.0, **about)
