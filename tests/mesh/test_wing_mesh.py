"""Meshes about wings: nodes of the cloud, good cells of all kinds, markers, refusals."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.generate.wings import block, planform
from kinemesh.mesh.generate.wings.outline import Outline, wing_of
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.solid_cells import volumes
from scipy.spatial import cKDTree
from solid_metrics import Metrics, areas

CELLS = {
    "hexes": {"hexahedra"}, "prisms": {"prisms", "hexahedra"}, "tets": {"tetrahedra"},
    "hybrid": {"prisms", "hexahedra", "pyramids", "tetrahedra"},
}  # fmt: skip
SPAN, TAPER = 1.47601798, 455.914 / 810.491


@pytest.fixture(scope="module", params=CELLS)
def wing(request):
    return request.param, km.mesh.oneram6(10_000, request.param)


def area_vectors(mesh, name):
    faces = mesh.boundaries[name]
    x = mesh.points[faces]
    return areas(x[:, :3]) + np.where(faces[:, 3:] < 0, 0.0, areas(x[:, [0, 2, 3]]))


@pytest.mark.long
def test_a_wing_has_cells_of_its_kinds_with_a_share_in_every_corner(wing):
    cells, mesh = wing

    assert set(mesh.blocks) == CELLS[cells]
    assert mesh.nodes == pytest.approx(10_000, rel=0.03)
    assert list(mesh.boundaries) == ["wing", "symmetry", "farfield"]
    assert km.mesh.quality(mesh).min_share > 0.3
    assert Metrics(mesh).V.min() > 0


def test_all_kinds_of_cells_fill_the_same_volume(wing):
    cells, mesh = wing
    plan = wing_of("oneram6", None, "", **planform.M6)
    made = planform.block_of(plan, 10_000, 20.0, 0.6, None, float(cells == "tets"))
    whole = volumes(made.points, SOLIDS["hexahedra"], block.hexahedra(made.number)).sum()

    assert mesh.volumes.sum() == pytest.approx(whole, rel=1e-6)  # wing and cylinder are cut flat


@pytest.mark.parametrize("count", [19, 25, 41, 60, 190])
@pytest.mark.parametrize(("span", "cap"), [(SPAN, 0.0165), (8.0, 0.05), (0.3, 0.03)])
def test_steps_along_the_span_are_short_at_both_ends_and_nowhere_long(span, cap, count):
    y, thickness = planform.stations(
        Outline.tapered(span, TAPER, 0.577)._replace(cap=cap), count, 30.0
    )
    inner = int(np.argmax(thickness < 1)) - 1
    steps = np.diff(y[: inner + 1]) * inner / span  # 1 is even

    assert y[0] == 0
    assert y[inner] == span
    assert steps[0] == pytest.approx(0.5)
    assert steps.max() < 1.5 + 1e-6
    assert steps[-1] < 1.0 + 1e-6
    longest = int(np.argmax(steps))
    assert (np.diff(steps[: longest + 1]) > -1e-6).all()
    assert (np.diff(steps[longest:]) < 1e-6).all()


def test_markers_of_a_wing_close_about_the_fluid(wing):
    _, mesh = wing
    total = sum(area_vectors(mesh, name).sum(axis=0) for name in mesh.boundaries)
    np.testing.assert_allclose(total, 0.0, atol=1e-9)

    S = area_vectors(mesh, "symmetry")
    assert (mesh.points[mesh.boundaries["symmetry"][:, :3], 1] == 0).all()
    assert (S[:, 1] < 0).all()
    assert np.abs(S[:, [0, 2]]).max() == 0.0
    # the fluid pushes on the planform from both sides
    S = area_vectors(mesh, "wing")
    planform_area = 0.5 * np.abs(S[:, 2]).sum()
    assert planform_area == pytest.approx(1.15315084, rel=0.02)
    x = mesh.points[mesh.boundaries["wing"][:, 0]]
    assert x[:, 1].max() == pytest.approx(SPAN, abs=0.05)


@pytest.mark.parametrize("cells", ["prisms", "tets", "hybrid"])
def test_a_symmetric_wing_has_the_same_cells_above_and_below(cells):
    mesh = km.mesh.oneram6(10_000, cells)
    middle = np.concatenate([mesh.points[own].mean(axis=1) for own in mesh.blocks.values()])

    away, other = cKDTree(middle).query(middle * [1.0, 1.0, -1.0])

    assert away.max() < 1e-12
    np.testing.assert_allclose(mesh.volumes[other], mesh.volumes, rtol=1e-6)


def test_the_nodes_are_those_of_the_cloud():
    mesh, cloud = km.mesh.oneram6(20_000), km.cloud.oneram6(20_000)

    np.testing.assert_array_equal(mesh.points, cloud.points)
    for name in ("wing", "symmetry", "farfield"):
        np.testing.assert_array_equal(
            np.unique(mesh.boundaries[name]), np.unique(cloud.boundaries[name])
        )


def test_prisms_of_a_hybrid_mesh_lie_about_the_wing():
    mesh = km.mesh.oneram6(10_000, "hybrid", layers=3)
    made = planform.block_of(wing_of("oneram6", None, "", **planform.M6), 10_000, 20.0, 0.6)

    stations, _, around = made.number.shape
    inner = np.unique(made.number[:, :4])
    prisms, hexahedra = mesh.blocks["prisms"], mesh.blocks["hexahedra"]
    np.testing.assert_array_equal(np.unique(np.append(prisms, hexahedra)), inner)
    assert len(prisms) / 2 + len(hexahedra) == 3 * (stations - 1) * around
    assert len(mesh.blocks["pyramids"]) == len(hexahedra) / 3
    wing = mesh.boundaries["wing"]
    flat = wing[:, 3] == -1
    assert flat.mean() > 0.9
    assert faces_of(wing[flat, :3]) <= faces_of(prisms[:, :3])
    assert faces_of(wing[~flat]) <= faces_of(hexahedra[:, [0, 1, 4, 5]])


def faces_of(table):
    return set(map(tuple, np.sort(table)))


@pytest.mark.long
@pytest.mark.parametrize("name", ["naca4412", "naca2424"])
@pytest.mark.parametrize("cells", ["hexes", "tets"])
def test_cambered_and_swept_back_wings_have_good_cells(name, cells):
    mesh = km.mesh.wing(name, 10_000, span=2.0, taper=0.5, sweep_deg=20, cells=cells)

    assert km.mesh.quality(mesh).min_share > 0.2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": 100}, "wing: nodes = 100, expected a whole number of 10000 to 20000000"),
        ({"span": 0.0}, r"wing: span = 0\.0, expected 0\.1 to 50; .* take mesh.airfoil and mesh"),
        ({"taper": 0}, r"wing: taper = 0, expected 0\.1 to 2"),
        ({"sweep_deg": 80}, r"sweep_deg = 80, expected -60 to 70"),
        ({"far_field": 5.0, "span": 4.0}, r"far_field = 5, but the wing reaches 5 from"),
        ({"trailing_edge": "open"}, r"trailing_edge = 'open', expected closed or sharp"),
        ({"cells": "quads"}, "cells = 'quads', expected hexes, prisms, tets, hybrid"),
        ({"topology": "o"}, "topology = 'o', expected oh, ch"),
        ({"layers": 3}, "layers = 3 has no effect on hexes, expected none"),
        ({"cells": "hybrid", "layers": 0}, "layers = 0, expected a whole number of 1 to"),
        ({"cells": "hybrid", "layers": 99}, "layers = 99, expected a whole number of 1 to"),
    ],
)
def test_wrong_wings_are_refused(given, message):
    with pytest.raises(MeshError, match=message):
        km.mesh.wing(**given)


def test_the_m6_mesh_has_one_planform():
    with pytest.raises(
        MeshError, match=r"oneram6: taper = .*that of the ONERA M6 is .*make another wing"
    ):
        km.mesh.oneram6(taper=0.5)


@pytest.mark.parametrize(("make", "given", "meant"), [
    (km.mesh.wing, "points", "nodes"),
    (km.mesh.oneram6, "points", "nodes"),
    (km.mesh.sphere, "points", "nodes"),
    (km.mesh.airfoil, "points", "nodes"),
    (km.cloud.wing, "nodes", "points"),
    (km.cloud.oneram6, "nodes", "points"),
    (km.cloud.airfoil, "nodes", "points"),
    (km.cloud.three_element, "nodes", "points"),
])  # fmt: skip
def test_meshes_have_nodes_and_clouds_points(make, given, meant):
    with pytest.raises(km.ArgumentError, match=f"'{given}'; did you mean '{meant}'"):
        make(**{given: 30_000})


def test_an_unknown_argument_of_what_is_drawn_out_is_named():
    with pytest.raises(km.ArgumentError, match=r"extruded: unknown argument 'width'; expected"):
        km.mesh.extruded(km.mesh.airfoil("naca0012", nodes=500), width=1.0)


@pytest.mark.parametrize(("cells", "marker"), [("hexes", "wing"), ("prisms", "farfield")])
def test_a_cloud_of_a_mesh_that_is_folded_at_its_tip_says_what_to_take(cells, marker):
    mesh = km.mesh.wing("naca0012", nodes=10_000, cells=cells)

    with pytest.raises(km.CloudError, match=f"1 triangle.s. of marker '{marker}'.*cells='tets'"):
        km.Cloud.from_mesh(mesh)
