"""Loads have no axes: turned with the stream, or drawn out along the span, they are the same."""

import kinemesh as km
import numpy as np
import pytest

pytestmark = pytest.mark.flow

SAME = 1e-6  # of the loads
DEEP = {"steady_drop": 1e-8, "steady_iterations": 400}
SLIGHT = {"limiter": "venkatakrishnan", "limiter_k": 50.0}  # the form's own converges less far
FITTED = {"gradient": "least-squares"}
GAS = {
    "nodes": (km.Ale, km.AleSettings, {}),
    "nodes-hllc": (km.Ale, km.AleSettings, {"flux": "hllc", "limiter_k": 0.3}),
    "nodes-venkatakrishnan": (km.Ale, km.AleSettings, SLIGHT),
    "nodes-none": (km.Ale, km.AleSettings, {"limiter": "none"}),
    "cells": (km.CellCentred, km.CellSettings, {}),
    "cells-venkatakrishnan": (km.CellCentred, km.CellSettings, SLIGHT),
    "cells-least-squares": (
        km.CellCentred,
        km.CellSettings,
        SLIGHT | {"gradient": "least-squares"},
    ),
    "cells-plain": (km.CellCentred, km.CellSettings, SLIGHT | {"gradient": "plain"}),
    "cells-none": (km.CellCentred, km.CellSettings, {"limiter": "none"}),
    "cloud": (km.Meshless, km.MeshlessSettings, {}),
    "cloud-smooth": (km.Meshless, km.MeshlessSettings, {"smooth_gradients": True}),
    "cloud-vanleer": (km.Meshless, km.MeshlessSettings, {"limiter": "vanleer"}),
    "cloud-jst": (km.Meshless, km.MeshlessSettings, {"flux": "jst"}),
}


def turned(mesh, degrees):
    """The mesh turned against the clock."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return mesh.transformed(mesh.points @ np.array([[c, s], [-s, c]]))


def loads(of, mesh, alpha, mach=0.6):
    """Coefficients of a steady flow that converged."""
    make, settings, own = GAS[of]
    space = km.Cloud.from_mesh(mesh) if make is km.Meshless else mesh
    case = make(
        space, mach=mach, alpha_deg=alpha, chord=1.0, device="cpu", settings=settings(**own, **DEEP)
    )
    found = case.steady()
    assert found.summary["result"]["converged"]
    return np.array([found.history[name][-1] for name in ("cl", "cd")])


@pytest.mark.long
@pytest.mark.parametrize("of", GAS)
def test_a_section_turned_with_its_stream_has_the_same_loads(of):
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=6)

    flat, there = loads(of, mesh, 2.0), loads(of, turned(mesh, 20.0), 22.0)

    assert there == pytest.approx(flat, rel=SAME)


# ---------------------------------------------------------------- gradients


def drawn(points, seed=4):
    """A state per point that no plane is fitted to, with a jump: limits are at work."""
    rng = np.random.default_rng(seed)
    dimensions = points.shape[1]
    wave = np.tanh(4 * (points @ rng.normal(size=(dimensions, dimensions + 2))))
    return np.r_[1.0, np.full(dimensions, 0.3), 0.7] + wave * 0.2


def about(way, degrees):
    """Rotation about a unit vector."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    across = np.cross(np.eye(3), way)
    return c * np.eye(3) + s * across.T + (1 - c) * np.outer(way, way)


def gradients(case, q):
    """Limited gradients that a solver makes of states, (volumes, variables, axes)."""
    case.initialise(q)
    for call in case.terms["gradients"].residual():
        call()
    return case.backend.get(case.terms["gradients"].grad).reshape(*q.shape, -1)


@pytest.fixture(scope="module")
def ball():
    return km.mesh.sphere(nodes=900, far_field=3, cells="tets")


SPACE = {
    "nodes": (km.Ale, km.AleSettings, {"limiter_k": 0.05}),
    "nodes-venkatakrishnan": (km.Ale, km.AleSettings, SLIGHT),
    "cells": (km.CellCentred, km.CellSettings, {"limiter_k": 0.05}),
    "cells-venkatakrishnan": (km.CellCentred, km.CellSettings, SLIGHT),
    "cloud": (km.Meshless, km.MeshlessSettings, {}),
    "cloud-smooth": (km.Meshless, km.MeshlessSettings, {"smooth_gradients": True}),
}


@pytest.mark.long
@pytest.mark.parametrize("of", SPACE)
def test_limited_gradients_in_space_turn_with_their_states(ball, of):
    """Turned about the stream, x, that thresholds be of the same speeds."""
    turn, (make, settings, own) = about(np.array([1.0, 0.0, 0.0]), 25.0), SPACE[of]
    found = []
    for turning in (np.eye(3), turn):
        body = ball.transformed(ball.points @ turning.T)
        space = km.Cloud.from_mesh(body) if make is km.Meshless else body
        case = make(space, mach=0.5, reference_area=0.765, device="cpu", settings=settings(**own))
        q = drawn(case.backend.get(case.fields["x"]) @ turning)
        q[:, 1:4] = q[:, 1:4] @ turning.T
        found.append(gradients(case, q))

    flat, there = found
    flat = flat @ turn.T
    flat[:, 1:4] = np.einsum("ab,nbc->nac", turn, flat[:, 1:4])
    scale = np.abs(flat).max()
    assert np.abs(there - flat).max() < 1e-9 * scale


# ---------------------------------------------------------------- sections drawn out


@pytest.mark.long
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("cells", ["triangles", "quads"])
def test_cells_of_a_section_drawn_out_have_the_flow_of_the_plane(cells, layers):
    """Prisms, hexahedra, each between planes of symmetry and, of three layers, amid others."""
    flat = km.mesh.airfoil("naca0012", nodes=520, far_field=6, cells=cells)
    settings = km.CellSettings(limiter_k=0.5, steady_drop=1e-11, steady_iterations=200)
    given = {"mach": 0.4, "alpha_deg": 2.0, "device": "cpu", "settings": settings}
    wing = km.CellCentred(km.mesh.extruded(flat, 0.5, layers), reference_area=0.5, **given)

    plane, there = (case.steady().history for case in (km.CellCentred(flat, **given), wing))

    assert np.abs(wing.primitive()[:, 2]).max() < 1e-12
    for name in ("cl", "cd"):
        assert there[name][-1] == pytest.approx(plane[name][-1], rel=1e-9)


# ---------------------------------------------------------------- ties


@pytest.mark.long
def test_layers_and_friction_choose_the_same_neighbours_at_any_angle():
    """Edges off a sharp trailing edge are equally long, but for round-off."""
    mesh = km.mesh.airfoil(
        "naca0012", nodes=5600, topology="c", cells="quads", heights="even", y_plus=1, reynolds=1e6
    )
    found, chosen = [], []
    for degrees in (0.0, 20.0, 43.0, 71.0, 110.0):
        case = km.Ale(turned(mesh, degrees), mach=0.3, reynolds=1e6, chord=1.0, device="cpu")
        inverse = case.backend.get(case.fields["inverse"])[:, [0, 1, 1, 2]].reshape(-1, 2, 2)
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        back = np.array([[c, -s], [s, c]])
        found.append(back.T @ inverse @ back)
        chosen.append(case.friction.nodes.first)

    size = np.abs(found[0]).max(axis=(1, 2))
    for other, first in zip(found[1:], chosen[1:], strict=True):
        assert (np.abs(other - found[0]).max(axis=(1, 2)) / size).max() < 1e-9
        np.testing.assert_array_equal(first, chosen[0])
