"""Distance of the far field: with the point vortex it hardly changes a section's loads."""

import kinemesh as km
import numpy as np
import pytest
from solver_cases import on_devices, outline

pytestmark = pytest.mark.flow

FULL = km.mesh.airfoil("naca0012", nodes=5000, far_field=200)


def cut(mesh, radius):
    """The rings of a mesh up to about `radius` from mid-chord; nodes stay in their place."""
    away = np.hypot(mesh.points[:, 0] - 0.5, mesh.points[:, 1])
    rings = np.sort(away[(away > 0.8 * radius) & (away < 1.25 * radius)])
    gap = np.diff(rings).argmax()
    cells = mesh.triangles[(away[mesh.triangles] < rings[gap : gap + 2].mean()).all(axis=1)]
    used = np.unique(cells)
    cells = np.hstack([np.searchsorted(used, cells), np.full((len(cells), 1), -1)])
    edges = outline(cells)
    wall = (away[used][edges] < 1).all(axis=1)
    return km.mesh.Mesh.from_arrays(
        mesh.points[used], cells, {"airfoil": edges[wall], "farfield": edges[~wall]}
    )


def lift(mesh, device, far_field, mach):
    settings = km.AleSettings(far_field=far_field)
    case = km.Ale(mesh, mach=mach, alpha_deg=1.25, device=device, settings=settings)
    return case.steady().summary["result"]["cl"]


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("mach", [0.5, pytest.param(0.8, marks=pytest.mark.slow)])
def test_the_vortex_replaces_most_of_the_far_field(device, mach):
    """Both meshes have equal cells near the section: cut off is far field, from 200 chords to 20.

    What is left (measured: a tenth) is of the coarse cells that are cut off, the terms of higher
    order in chord / radius, and the wake of the shock.
    """
    near = cut(FULL, 20)
    far = lift(FULL, device, "vortex", mach)

    without, with_it = (lift(near, device, name, mach) for name in ("stream", "vortex"))

    assert near.nodes < 0.9 * FULL.nodes
    assert abs(with_it - far) < 0.2 * abs(without - far)


@on_devices
def test_a_vortex_in_an_unsteady_run_is_refused(device):
    settings = km.AleSettings(far_field="vortex")
    case = km.Ale(FULL, mach=0.5, device=device, settings=settings)

    with pytest.raises(km.SettingsError, match="shed vorticity"):
        case.run(time_step=0.1, steps=8)


PITCH = km.motion.pitch(1.0, 0.1)


@pytest.mark.parametrize("motion", [PITCH, {"airfoil": PITCH}, [PITCH]], ids=["one", "body", "all"])
def test_a_vortex_with_a_motion_is_refused_before_a_run(motion):
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    for kind, space, settings in (
        (km.Ale, mesh, km.AleSettings(far_field="vortex")),
        (km.Meshless, km.Cloud.from_mesh(mesh), km.MeshlessSettings(far_field="vortex")),
    ):
        with pytest.raises(km.SettingsError, match="'vortex' with a motion, whose shed vorticity"):
            kind(space, mach=0.5, device="cpu", motion=motion, settings=settings)


def test_a_vortex_with_bodies_at_rest_is_not_refused():
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    settings = km.AleSettings(far_field="vortex")

    for motion in (None, {}, {"airfoil": None}, [None]):
        km.Ale(mesh, mach=0.5, device="cpu", motion=motion, settings=settings)
