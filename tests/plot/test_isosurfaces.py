"""Surfaces of one value in space: closed, of the area they should have, and Q of linear flows."""

from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.plot.isosurfaces import MOST, triangles_at
from solids import MADE, cube


def cells_of(mesh):
    """Cells (cells, 8) of all kinds, -1 behind the last corner."""
    wide = [np.pad(own, ((0, 0), (0, 8 - own.shape[1])), constant_values=-1)
            for own in mesh.solids.values()]  # fmt: skip
    return np.concatenate(wide)


def flow_of(mesh, **arrays):
    fields = {"points": mesh.points, "cells": cells_of(mesh), "on": "points"}

    class Flow(dict):
        pass

    made = Flow(arrays)
    made.__dict__.update(fields)
    return made


def sphere_in(kind, across):
    mesh = cube(across, kind, 2.0, jitter=0.1, middle=-1.0)
    cells, values = cells_of(mesh), np.linalg.norm(mesh.points, axis=1)
    return mesh, triangles_at(cells, values, 0.7)


@pytest.mark.parametrize("kind", MADE)
def test_a_surface_within_a_mesh_is_closed(kind):
    """Each edge of a triangle is that of one other: places by their two nodes."""
    _, (ends, share) = sphere_in(kind, 5)
    assert ((share >= 0) & (share <= 1)).all()
    place = ends @ [10_000, 1]
    edges = np.stack([place, np.roll(place, -1, axis=1)], axis=-1)
    edges.sort(axis=-1)
    _, count = np.unique(edges.reshape(-1, 2), axis=0, return_counts=True)
    assert len(count) > 100
    assert (count == 2).all()


@pytest.mark.parametrize("kind", ["hexahedra", "tetrahedra"])
def test_the_area_of_a_sphere_is_met_with_second_order(kind):
    off = []
    for across in (6, 12):
        mesh, (ends, share) = sphere_in(kind, across)
        first, second = mesh.points[ends[..., 0]], mesh.points[ends[..., 1]]
        x = first + share[..., None] * (second - first)
        area = np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1).sum() / 2
        off.append(abs(area / (4 * np.pi * 0.7**2) - 1))
    assert off[1] < 0.03
    assert np.log2(off[0] / off[1]) > 1.7


@pytest.mark.parametrize("kind", MADE)
def test_q_of_a_linear_flow_is_exact(kind):
    mesh = cube(3, kind, jitter=0.2)
    slopes = np.array([[0.3, -0.7, 0.2], [0.9, 0.4, -0.5], [-0.1, 0.6, 0.8]])
    spin, strain = (slopes - slopes.T) / 2, (slopes + slopes.T) / 2

    found = km.plot.q_criterion(flow_of(mesh, Velocity=0.2 + mesh.points @ slopes))

    np.testing.assert_allclose(found, ((spin**2).sum() - (strain**2).sum()) / 2, atol=1e-12)


@pytest.mark.parametrize("turn", range(4))
def test_q_where_edges_of_cells_go_straight_on_is_that_of_the_flow(turn):
    """A prism as a hexahedron: a side of its triangle has a node between, as noses of tips have.

    Turned so that what has no volume has one of round-off.
    """
    flat = np.roll([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.5)], turn, axis=0)
    points = np.concatenate([np.column_stack([flat, np.full(4, z)]) for z in (0.0, 1.0, 2.0)])
    points = points @ np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    cells = np.array([np.arange(8), np.arange(4, 12)])
    mesh = SimpleNamespace(points=points, solids={"hexahedra": cells})
    slopes = np.array([[0.3, -0.7, 0.2], [0.9, 0.4, -0.5], [-0.1, 0.6, 0.8]])
    exact = -0.5 * np.trace(slopes @ slopes)

    linear = km.plot.q_criterion(flow_of(mesh, Velocity=points @ slopes))
    bent = np.sin(points[:, ::-1])  # its slopes are at most 1
    other = km.plot.q_criterion(flow_of(mesh, Velocity=bent))

    np.testing.assert_allclose(linear, exact, rtol=1e-12)
    assert np.abs(other).max() < 1.5


def test_q_about_a_wing_has_no_peaks_off_its_tip():
    mesh = km.mesh.wing("naca0012", nodes=10_000, outer="overset")
    x, _, z = mesh.points.T

    found = km.plot.q_criterion(flow_of(mesh, Velocity=np.stack([z, 0 * z, -x], axis=1)))

    np.testing.assert_allclose(found, 1.0, rtol=1e-9)


def test_a_figure_has_the_triangles_of_surface_and_walls_within_its_box(tmp_path):
    mesh = cube(5, "hexahedra", 2.0, middle=-1.0)
    values, walls = np.linalg.norm(mesh.points, axis=1), mesh.boundaries["rim"][:, :3]
    given = mesh.points, cells_of(mesh), values, 0.7, walls
    ends, share = triangles_at(*given[1:4])
    first, second = mesh.points[ends[..., 0]], mesh.points[ends[..., 1]]
    place = first + share[..., None] * (second - first)
    beyond = sum((each[..., 1].min(axis=1) >= 0).sum() for each in (place, mesh.points[walls]))

    whole = km.plot.isosurface(*given, path=tmp_path / "whole.png")
    half = km.plot.isosurface(
        *given, "half", colours=mesh.points[:, 0], label="x", box=(-1, 1, 0, 1, -1, 1)
    )

    (drawn,) = whole.axes[0].collections
    assert len(drawn.get_facecolor()) == len(ends) + len(walls)
    assert (tmp_path / "whole.png").stat().st_size > 10_000
    axes, bar = half.axes
    assert bar.get_ylabel() == "x"
    assert axes.get_ylim() == (0, 1)
    assert len(axes.collections[0].get_facecolor()) == beyond


@pytest.mark.parametrize("size", [(4, 2, 0.4), (0.2, 4, 4)])
def test_labels_of_flat_bodies_are_within_the_figure(size):
    mesh = cube(8, "hexahedra", 2.0, middle=-1.0)
    values = np.linalg.norm(mesh.points, axis=1)

    figure = km.plot.isosurface(
        mesh.points * size, cells_of(mesh), values, 0.9, np.zeros((0, 3), int), "flat"
    )

    figure.draw_without_rendering()
    axes = figure.axes[0]
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        x0, y0, x1, y1 = axis.get_tightbbox().extents
        assert 0 <= x0 < x1 <= figure.bbox.width
        assert 0 <= y0 < y1 <= figure.bbox.height


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"level": 9.0}, "0 triangles at level 9, expected 1 to .* values are 0"),
        ({"points": np.zeros((3, 2))}, "a flow of the plane, expected one in space"),
        ({"level": np.nan}, "level = nan, expected a finite number"),
        ({"values": np.zeros(3)}, "3 values of 125 nodes, expected one of each"),
        ({"values": np.zeros(64)}, "a flow on cells, expected one in space"),
        ({"cells": np.zeros((0, 8), int)}, "no cells, expected"),
    ],
)
def test_what_has_no_surface_is_refused(change, told):
    mesh = cube(4, "hexahedra", 2.0, middle=-1.0)
    given = {"points": mesh.points, "cells": cells_of(mesh), "level": 0.7,
             "values": np.linalg.norm(mesh.points, axis=1),
             "walls": np.zeros((0, 3), int)}  # fmt: skip
    with pytest.raises(km.CaseError, match=told):
        km.plot.isosurface(**(given | change))


def test_q_wants_velocities_in_space():
    mesh = cube(2, "hexahedra")
    with pytest.raises(km.CaseError, match="no Velocity; there are Mach"):
        km.plot.q_criterion(flow_of(mesh, Mach=np.zeros(mesh.nodes)))
    flat = SimpleNamespace(points=np.zeros((3, 2)), cells=np.zeros((1, 4), int), on="points")
    with pytest.raises(km.CaseError, match="of the plane"):
        km.plot.q_criterion(flat)


def test_more_triangles_than_a_figure_takes_are_refused(monkeypatch):
    monkeypatch.setattr("kinemesh.plot.isosurfaces.MOST", 10)
    assert MOST > 10
    mesh = cube(4, "hexahedra", 2.0, middle=-1.0)
    values = np.linalg.norm(mesh.points, axis=1)
    with pytest.raises(km.CaseError, match="expected 1 to 10"):
        km.plot.isosurface(mesh.points, cells_of(mesh), values, 0.7, np.zeros((0, 3), int))
