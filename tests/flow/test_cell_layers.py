"""Weights of cells about vertices in layers that bend by more than their thickness."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.motion import Pose
from squares import square
from test_cell_centred import gradient_error
from test_curved_layers import RISE, band, clustered


def weights(case):
    """Vertex, part of the weight by place, and way of each pair of a vertex and a cell about it."""
    get, f = case.backend.get, case.fields
    starts, about = get(f["starts"]), get(f["about"])
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    way = get(f["x"])[about] - get(f["vertex"])[row]
    return row, (get(f["lean"])[row] * way).sum(axis=1), way


def exact(way):
    """Factor by place of the weights nearest to 1 that are exact for linear fields."""
    return np.linalg.lstsq(way.T @ way, -way.sum(axis=0), rcond=None)[0]


def rim(mesh):
    return np.unique(np.concatenate([own.ravel() for own in mesh.boundaries.values()]))


@pytest.fixture(scope="module")
def layered():
    mesh = clustered("naca64a010", 3000, 1e-4)
    case = km.CellCentred(mesh, mach=0.796, alpha_deg=1.0, device="cpu")
    return case.grid.distinct[0], case


def test_no_weight_is_below_zero_by_more_than_another_is_above_one(layered):
    mesh, case = layered
    row, part, way = weights(case)
    inside = np.setdiff1d(np.arange(mesh.nodes), rim(mesh))
    bent, starts = 0, np.searchsorted(row, np.arange(mesh.nodes + 1))
    for vertex in inside:
        own = slice(*starts[vertex : vertex + 2])
        mine, whole = part[own], way[own] @ exact(way[own])
        share = min(1.0, 1 / max(-whole.min() - max(whole.max(), 0.0), 1e-9))
        bent += share < 1
        assert -mine.min() - max(mine.max(), 0.0) < 1 + 1e-9
        np.testing.assert_allclose(mine, share * whole, atol=1e-6)  # aspect ratios of 530
        assert len(mine) == 4  # no vertex takes cells of layers further away
    assert bent > 300
    assert len(inside) - bent > 1000
    # means, whatever was lessened, and extrapolated to the wall
    total = np.bincount(row, 1 + part)
    np.testing.assert_allclose(case.backend.get(case.fields["per"]) * total, 1, rtol=1e-12)
    assert part[~np.isin(row, inside)].min() < -1.3


@pytest.mark.flow
@pytest.mark.parametrize(("ratio", "bent"), [(0.9, False), (1.1, True)])
def test_values_are_exact_where_layers_bend_by_less_than_their_thickness(ratio, bent):
    """A neighbour along the layer lies off the tangent by `ratio` heights."""
    mesh, _ = band(RISE / ratio, layers=8)
    error, grid = gradient_error(mesh, "nodes")
    inner = np.isin(grid.distinct[0].cells, rim(grid.distinct[0])).sum(axis=1) == 0
    assert inner.sum() > 50
    assert (error[inner].min() > 1e-4) == bent
    assert (error[inner].max() < 1e-9) == (not bent)


@pytest.mark.flow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "thin"), [("quads", 1.0), ("quads", 100.0), ("mixed", 1.0)])
def test_gradients_stay_exact_on_cells_moved_at_random(kind, thin, seed):
    made = square(16, kind, jitter=0.3, seed=seed)
    mesh = made.transformed(made.points / [1.0, thin])

    error, _ = gradient_error(mesh, "nodes")

    assert error.max() < 1e-11 * thin**2  # differences over the height of thin cells


def test_weights_turn_with_the_mesh_and_are_those_of_their_members(layered):
    mesh, _ = layered
    motion = km.motion.pitch(5.0, 0.1)
    moving = km.CellCentred(
        [mesh, mesh], mach=0.5, motion=motion, deform=km.deform.Rigid(), device="cpu"
    )
    given = weights(moving)[1].reshape(2, -1)

    moving.rest([Pose(0.1), Pose(-0.2, shift=(0.0, 0.3))])

    assert given[0].tobytes() == given[1].tobytes()
    turned = weights(moving)[1].reshape(2, -1)
    np.testing.assert_allclose(turned, given, rtol=1e-6, atol=1e-6)  # aspect ratios of 530


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("limiter", ["wang", "none"])
def test_a_steady_march_on_thin_layers_that_bend_ends(limiter):
    """Without the bound the residual rises above its first value."""
    case = km.CellCentred(
        clustered("naca64a010", 3000, 1e-4), mach=0.796, alpha_deg=1.0, device="cpu",
        settings=km.CellSettings(limiter=limiter),
    )  # fmt: skip
    run = case.steady()

    assert run.converged
    assert run.summary["result"]["iterations"] < 250  # 118
    assert run.summary["result"]["cl"] == pytest.approx(0.2212, rel=0.02)  # of km.Ale


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("topology", ["o", "c"])
@pytest.mark.parametrize(("nodes", "spacing"), [(3000, 1e-3), (3000, 1e-4), (6000, 1e-5)])
def test_marches_end_about_other_sections_in_both_topologies(topology, nodes, spacing):
    mesh = km.mesh.airfoil(
        "naca0012", nodes=nodes, cells="quads", wall_spacing=spacing, topology=topology
    )
    run = km.CellCentred(mesh, mach=0.5, alpha_deg=2.0, device="cpu").steady()

    assert run.converged
    assert run.summary["result"]["iterations"] < 500


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("deform", [km.deform.Rigid(), km.deform.Delaunay()])
def test_physical_steps_end_on_thin_layers_that_bend(deform):
    case = km.CellCentred(
        clustered("naca64a010", 3000, 1e-4), mach=0.796, alpha_deg=0.0,
        motion=km.motion.pitch(1.0, 0.2), deform=deform, device="cpu",
    )  # fmt: skip
    run = case.run(time_step=0.4, steps=4)

    assert run.converged
