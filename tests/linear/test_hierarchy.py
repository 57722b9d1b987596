"""Hierarchies of the springs: their bits do not depend on how they are made, in little memory."""

import tracemalloc
from dataclasses import fields
from hashlib import sha256

import kinemesh as km
import numpy as np
import pyamg.aggregation.tentative  # noqa: F401  # takes memory, once
import pytest
import scipy.linalg
import scipy.sparse as sp
from kinemesh.device import threads
from kinemesh.linear import blocks, hierarchy
from kinemesh.linear.blocks import Blocks


def assembled(nodes):
    """A mover with its matrix."""
    ale = km.Ale(km.mesh.airfoil("naca0012", nodes=nodes), mach=0.5, device="cpu")
    mover = ale.deform.attach(ale.grid.vertices)
    mover.assemble()
    return mover


def told(level):
    """Hashes of everything a level holds."""
    for field in fields(level):
        value = getattr(level, field.name)
        if isinstance(value, Blocks):
            yield from told(value)
        elif value is not None:
            value = np.asarray(value)
            yield field.name, value.dtype, value.shape, sha256(value.tobytes()).hexdigest()


@pytest.mark.long
@pytest.mark.parametrize("large", [10**9, 0])
def test_groups_of_rows_leave_the_bits_alone(monkeypatch, large):
    mover = assembled(1300)
    rows, points = mover.solver.rows[0], mover.vertices.points
    monkeypatch.setattr(hierarchy, "LARGE", large)
    found = []
    # one group; of each row; some; those shared by threads
    for chunk, groups, count in ((10**9, 1, 1), (1, 10**9, 1), (100, 3, 1), (100, 40, 5)):
        monkeypatch.setattr(threads._core, "threads", lambda count=count: count)
        monkeypatch.setattr(blocks, "CHUNK", chunk)
        monkeypatch.setattr(blocks, "GROUPS", groups)
        free = points[mover.pattern.node[rows]]
        made = hierarchy.hierarchy(mover.solver._free(0), hierarchy.rigid_and_scaled(free))
        found.append([list(told(level)) for level in made])

    assert len(found[0]) > 1
    assert found[1] == found[0]
    assert found[2] == found[0]
    assert found[3] == found[0]


@pytest.mark.long
@pytest.mark.parametrize("large", [10**9, 0])
def test_a_hierarchy_is_made_in_less_than_twice_what_it_holds(monkeypatch, large):
    """Nothing is there in two forms; and the last hierarchy goes before there is a new one."""
    mover = assembled(12_000)
    monkeypatch.setattr(threads._core, "threads", lambda: 1)  # each holds a group of rows
    monkeypatch.setattr(hierarchy, "LARGE", large)
    tracemalloc.start()
    try:
        mover._build(np.array([0]))
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        mover.backend.put(
            mover.vertices.x, 1.001 * mover.vertices.points
        )  # not as given: made anew
        mover._build(np.array([0]))
        again, later = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2 * held
    assert later < 2 * held  # 3 with the last one beside it
    assert again <= held


def stretched(nodes, across):
    """Five-point differences on a torus of (nodes, nodes): couplings 1 along lines, and across
    from `across` of a line's first node to none."""
    ring = sp.eye_array(nodes, k=1) + sp.eye_array(nodes, k=1 - nodes)
    line = 2 * sp.eye_array(nodes) - ring - ring.T
    falls = sp.diags_array(across * np.linspace(1, 0, nodes))
    return sp.bsr_matrix(
        sp.kron(sp.eye_array(nodes), line) + sp.kron(line, falls), blocksize=(1, 1)
    )


@pytest.mark.parametrize(("coupling", "joins"), [(0.0599, False), (0.0601, True)])
def test_weak_couplings_smooth_transfers_as_if_on_the_diagonal(coupling, joins):
    """A transfer reaches across lines by couplings of at least 0.06 of their diagonals alone, and
    has a constant field as it is, as that is what the matrix does not resist."""
    nodes = 30
    across = 2 * coupling / (1 - 2 * coupling)  # of a first diagonal 2 + 2 across
    matrix = stretched(nodes, across)

    up = hierarchy.hierarchy(matrix, np.ones((nodes**2, 1)), strength=0.2, weak=0.06)[0].prolong

    transfer = sp.csr_array((up.data[:, 0], up.column, up.row)).toarray()
    line = np.arange(nodes**2) // nodes
    lines = max(len(np.unique(line[own != 0])) for own in transfer.T)
    assert lines == (3 if joins else 1)
    ones = np.ones(nodes**2)
    (most,) = np.linalg.lstsq(transfer, ones, rcond=None)[1]
    assert most < 1e-12 * nodes**2


def test_couplings_are_those_of_unit_diagonals_whatever_directions_weigh():
    """Beside the singular values of D_i^-1/2 K_ij D_j^-1/2, and the same of S K S^T, S of any
    blocks, as none of them changes."""
    draw = np.random.default_rng(4)
    size, nodes = 3, 6
    half = draw.standard_normal((size * nodes, size * nodes))
    given = half @ half.T
    change = scipy.linalg.block_diag(*draw.standard_normal((nodes, size, size)))

    def found(dense):
        matrix = sp.bsr_matrix(dense, blocksize=(size, size))
        inverse = np.linalg.inv(blocks.block_diagonal(matrix))
        values = hierarchy._couplings(matrix, inverse)
        return sp.csr_array((values, matrix.indices, matrix.indptr)).toarray()

    roots = [scipy.linalg.sqrtm(own) for own in np.einsum("ikil->ikl", given.reshape(6, 3, 6, 3))]
    scale = np.linalg.inv(scipy.linalg.block_diag(*roots))
    unit = (scale @ given @ scale.T).reshape(nodes, size, nodes, size).transpose(0, 2, 1, 3)
    want = np.sqrt((np.linalg.svd(unit, compute_uv=False) ** 2).mean(axis=2))
    np.testing.assert_allclose(found(given), want, rtol=1e-9)
    np.testing.assert_allclose(found(change @ given @ change.T), want, rtol=1e-7)


@pytest.mark.parametrize(("coupling", "joins"), [(0.0599, False), (0.0601, True)])
def test_couplings_of_a_sixteenth_or_so_join_aggregates(coupling, joins):
    """Two chains of nodes: couplings 1 along each, and `coupling` of their diagonals across."""
    nodes = 12
    ring = sp.eye_array(nodes, k=1) + sp.eye_array(nodes, k=1 - nodes)
    across = 2 * coupling / (1 - coupling)  # of a diagonal 2 + across
    chain, pair = 2 * sp.eye_array(nodes) - ring - ring.T, np.array([[1.0, -1.0], [-1.0, 1.0]])
    matrix = sp.kron(np.eye(2), chain) + across * sp.kron(pair, sp.eye_array(nodes))
    matrix = sp.bsr_matrix(matrix, blocksize=(1, 1))
    inverse = 1 / blocks.block_diagonal(matrix)

    number = hierarchy._aggregates(matrix, inverse, hierarchy.STRENGTH).indices

    assert bool(np.isin(number[:nodes], number[nodes:]).any()) is joins
