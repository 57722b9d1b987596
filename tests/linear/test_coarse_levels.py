"""Coarse levels, lines and DILU under steps of Newton, each by itself and all."""

from collections import Counter
from itertools import pairwise

import kinemesh as km
import numpy as np
import pytest
import scipy.sparse
from kinemesh.device.backend import Backend
from kinemesh.linear import Bicgstab, Pattern
from kinemesh.linear.aggregates import aggregates_of, level_of, paired, pairs_along
from kinemesh.linear.lines import colour_along_lines, short_edges
from kinemesh.linear.stack import Alike
from kinemesh.linear.thin_layers import LEVELS, LONGEST, Preconditioner, layers_of, lines_in
from scipy.sparse import csr_array
from solver_cases import on_devices
from squares import square
from test_lines import FLAT, graph, ring, squeezed


@pytest.fixture(scope="module")
def layered():
    """Graph and coordinates of quadrilaterals with a layer at the wall."""
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=5, cells="quads", wall_spacing=1e-4)
    return graph(mesh)


def pattern_of(offsets, neighbour, x, device="cpu"):
    b = Backend(device)
    return b, Pattern.of_graph(
        b, offsets, neighbour, colours=colour_along_lines(b, offsets, neighbour, x)
    )


def one(mesh):
    return Alike([mesh])


def blocks_of(pattern, size, seed=2, strong=None):
    """Random blocks of a matrix on a pattern, its diagonal the sum of all in a row at least."""
    rng = np.random.default_rng(seed)
    row = np.repeat(np.arange(len(pattern.node)), np.diff(pattern.row))
    blocks = rng.uniform(-1, 1, (len(pattern.column), size, size)) / size
    if strong is not None:
        blocks[~strong] = 0.0
    blocks[pattern.diagonal] = 0
    sums = np.zeros((len(pattern.node), size, size))
    np.add.at(sums, row, np.abs(blocks))
    eye = np.eye(size) * (0.1 + sums.sum(axis=2).max(axis=1))[:, None, None]
    blocks[pattern.diagonal] = eye + 0.1 * rng.uniform(-1, 1, eye.shape)
    return blocks


def dense(pattern, blocks):
    rows, size = len(pattern.node), blocks.shape[1]
    row = np.repeat(np.arange(rows), np.diff(pattern.row))
    A = np.zeros((rows, size, rows, size))
    for r, c, own in zip(row, pattern.column, blocks, strict=True):
        A[r, :, c] = own
    return A.reshape(rows * size, rows * size)


def stored(blocks):
    """Blocks with their columns contiguous."""
    return blocks.transpose(0, 2, 1).reshape(len(blocks), -1)


def solver_of(b, pattern, size, blocks):
    members = int(pattern.member.max()) + 1
    active = b.array(np.ones(members), np.int32)
    faults = b.array(np.full(members, 2**64 - 1, np.uint64), np.uint64)
    solver = Bicgstab(b, pattern, size, active, faults, tolerance=0.1, suffix="f64")
    b.put(solver.A, stored(blocks))
    return solver


def run(calls):
    for call in calls:
        call()


# ---- lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "longest"), [("layered", LONGEST), ("ring", 2), ("square", 0)])
def test_places_of_a_line_are_neighbours(name, longest, layered):
    """Places of a ring run both ways, and two follow each other at its ends alone."""
    mesh = {"ring": ring, "square": lambda: square(8, "triangles")}
    offsets, neighbour, x = layered if name == "layered" else graph(mesh[name]())
    _, pattern = pattern_of(offsets, neighbour, x)

    found = lines_in(pattern, (offsets, neighbour), x)

    place, starts, count = found["place"], found["line"], len(found["place"])
    assert len({*place.tolist()}) == count
    assert starts[-1] == count
    assert np.diff(starts).max(initial=0) == longest
    first, last = (np.isin(np.arange(count), ends) for ends in (starts[:-1], starts[1:] - 1))
    np.testing.assert_array_equal(found["back"] < 0, first)
    np.testing.assert_array_equal(found["on"] < 0, last)
    inner = np.flatnonzero(~first)
    row = np.repeat(np.arange(len(pattern.node)), np.diff(pattern.row))
    np.testing.assert_array_equal(row[found["back"][inner]], place[inner])
    np.testing.assert_array_equal(pattern.column[found["back"][inner]], place[inner - 1])
    np.testing.assert_array_equal(row[found["on"][inner - 1]], place[inner - 1])
    np.testing.assert_array_equal(pattern.column[found["on"][inner - 1]], place[inner])


@on_devices
@pytest.mark.parametrize("size", [1, 4, 5])
def test_a_matrix_along_lines_alone_is_solved_at_once(layered, device, size):
    """Rows on no line are left as they are."""
    offsets, neighbour, x = layered
    b, pattern = pattern_of(offsets, neighbour, x, device)
    tables = lines_in(pattern, (offsets, neighbour), x)
    along = np.zeros(len(pattern.column), bool)
    for name in ("back", "on"):
        along[tables[name][tables[name] >= 0]] = True
    blocks = blocks_of(pattern, size, strong=along)
    solver = solver_of(b, pattern, size, blocks)
    there = {name: b.table(table) for name, table in tables.items()}
    own, live = solver.tables, {"member": solver.tables["member"], "live": solver.active}
    E = b.zeros((len(tables["place"]), size * size), np.float64)
    side = np.random.default_rng(5).normal(size=(len(pattern.node), size))
    r = b.array(side, np.float64)
    x = b.zeros(side.shape, np.float64)

    eye = np.zeros_like(blocks)
    eye[pattern.diagonal] = 2 * np.eye(size)
    b.put(solver.A, stored(blocks - eye))  # of rows scaled by 1: a - 2 on the diagonal
    b.bind(f"line_factor_{size}", suffix="f64", **there, **live, A=solver.A, E=E,
           node=own["node"], diagonal=own["diagonal"], faults=solver.faults)()  # fmt: skip
    b.bind(f"line_solve_{size}", suffix="f64", **there, **live, A=solver.A, E=E, r=r, sum=x)()

    A, found, on = dense(pattern, blocks), b.get(x), tables["place"]
    left = (side.ravel() - A @ found.ravel()).reshape(side.shape)
    assert 0 < len(on) < len(side)
    assert np.abs(left[on]).max() < 1e-13 * np.abs(A).sum(axis=1).max() * np.abs(found).max()
    assert not np.delete(found, on, axis=0).any()


# ---- coarse levels -----------------------------------------------------------------------------


def test_lines_are_cut_into_pairs_and_odd_ones_end_with_three():
    starts = np.array([0, 1, 4, 8, 13])

    found = pairs_along(starts, np.arange(13)[::-1].copy(), 14)

    assert found[12::-1].tolist() == [0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]
    assert found[13] == -1


def test_pairs_are_of_the_largest_weights_first():
    """A chain with one strong edge at every other place."""
    n = 10
    weight = np.where(np.arange(n - 1) % 2, 1.0, 5.0)
    i = np.arange(n - 1)
    chain = csr_array((np.r_[weight, weight], (np.r_[i, i + 1], np.r_[i + 1, i])), shape=(n, n))

    pair = paired(chain)

    assert pair.tolist() == np.repeat(np.arange(n // 2), 2).tolist()


def test_no_node_with_a_neighbour_is_alone_where_all_weights_are_alike():
    offsets, neighbour, _ = graph(square(30, "triangles"))
    ones = csr_array((np.ones(len(neighbour)), neighbour, offsets))

    counts = np.bincount(paired(ones))

    assert counts.min() == 2
    assert counts.max() <= 5
    assert counts.mean() < 2.5


def test_a_node_without_a_neighbour_is_alone():
    apart = csr_array((np.ones(2), ([0, 2], [2, 0])), shape=(3, 3))

    assert paired(apart).tolist() == [0, 1, 0]
    assert paired(csr_array((1, 1))).tolist() == [0]


def test_aggregates_are_connected_and_halve_the_nodes(layered):
    offsets, neighbour, x = layered
    _, pattern = pattern_of(offsets, neighbour, x)
    lines = lines_in(pattern, (offsets, neighbour), x)

    number = aggregates_of((offsets, neighbour), x, lines["line"], pattern.node[lines["place"]])

    counts = np.bincount(number)
    assert counts.min() >= 1
    assert counts.max() <= 5
    assert 1.9 < counts.mean() < 2.4
    ends = np.repeat(np.arange(len(x)), np.diff(offsets))
    inside = number[ends] == number[neighbour]
    own = csr_array((np.ones(inside.sum()), (ends[inside], neighbour[inside])), shape=(len(x),) * 2)
    parts, _ = scipy.sparse.csgraph.connected_components(own, directed=False)
    assert parts == len(counts)


@on_devices
@pytest.mark.parametrize("size", [1, 4])
def test_a_coarse_matrix_is_that_of_galerkin(layered, device, size):
    offsets, neighbour, x = layered
    b, pattern = pattern_of(offsets, neighbour, x, device)
    lines = lines_in(pattern, (offsets, neighbour), x)
    level = level_of(b, pattern, one(layered), [(offsets, neighbour)], [x], [lines],
                     np.arange(len(x)))  # fmt: skip
    blocks = blocks_of(pattern, size)
    A = dense(pattern, blocks)
    P = np.zeros((len(pattern.node), len(level.pattern.node)))
    P[np.arange(len(P)), level.spread["whole"]] = 1
    P = np.kron(P, np.eye(size))
    C = b.zeros((len(level.pattern.column), size * size), np.float64)
    live = b.array([1], np.int32)
    tables = {name: b.table(table) for name, table in level.blocks.items()}

    b.bind(f"aggregate_blocks_{size}", suffix="f64", **tables, live=live,
           A=b.array(stored(blocks), np.float64), C=C)()  # fmt: skip

    found = b.get(C).reshape(-1, size, size).transpose(0, 2, 1)
    np.testing.assert_allclose(dense(level.pattern, found), P.T @ A @ P, rtol=0, atol=1e-12)
    # each coarse row is named by one of its nodes
    whole = level.spread["whole"][pattern.row_of[level.node]]
    np.testing.assert_array_equal(whole, np.arange(P.shape[1] // size))


def composed(A, size, layers):
    """The preconditioner as a matrix, of dense algebra: C, then L, then D."""
    n = len(A)
    eye, D = np.eye(n), np.linalg.inv(dilu(A, size))
    if layers.level is None:
        return D
    T, wide = np.zeros_like(A), np.arange(n).reshape(-1, size)
    place, starts = layers.tables["place"], layers.tables["line"]
    for first, end in pairwise(starts):
        for p in range(first, end):
            for q in range(max(first, p - 1), min(end, p + 2)):
                own = np.ix_(wide[place[p]], wide[place[q]])
                T[own] = A[own]
    on = wide[place].ravel()
    L = np.zeros_like(A)
    L[np.ix_(on, on)] = np.linalg.inv(T[np.ix_(on, on)])
    P = np.zeros((n // size, len(layers.level.pattern.node)))
    P[np.arange(len(P)), layers.level.spread["whole"]] = 1
    P = np.kron(P, np.eye(size))
    M = P @ composed(P.T @ A @ P, size, layers.below) @ P.T
    M = M + L @ (eye - A @ M)
    return M + D @ (eye - A @ M)


def dilu(A, size):
    """(D + L) D^-1 (D + U) of (5.1), rows in their order."""
    n = len(A) // size
    at = [slice(size * i, size * (i + 1)) for i in range(n)]
    D = np.zeros_like(A)
    for i in range(n):
        own = A[at[i], at[i]].copy()
        for k in range(i):
            if A[at[i], at[k]].any():
                own -= A[at[i], at[k]] @ np.linalg.solve(D[at[k], at[k]], A[at[k], at[i]])
        D[at[i], at[i]] = own
    block = np.kron(np.eye(n), np.ones((size, size))) > 0
    low, up = np.tril(np.where(block, 0, A)), np.triu(np.where(block, 0, A))
    return (D + low) @ np.linalg.solve(D, D + up)


@on_devices
@pytest.mark.parametrize("size", [1, 4])
def test_the_whole_is_that_of_dense_algebra(device, size):
    """All of its levels; and it leaves less than DILU alone."""
    mesh = squeezed(square(11, "quads", jitter=0.1), FLAT)
    offsets, neighbour, x = graph(mesh)
    b, pattern = pattern_of(offsets, neighbour, x, device)
    blocks = blocks_of(pattern, size)
    layers = layers_of(b, pattern, one(mesh), [(offsets, neighbour)], [x])
    solver = solver_of(b, pattern, size, blocks)
    made = Preconditioner(solver, layers)
    side = np.random.default_rng(5).normal(size=(len(pattern.node), size))
    b.put(solver.b, side)

    run([*made.factor, *made.solve])

    A = dense(pattern, blocks)
    M = composed(A, size, layers)
    np.testing.assert_allclose(b.get(solver.x).ravel(), M @ side.ravel(), rtol=0, atol=1e-11)
    eye = np.eye(len(A))
    assert np.linalg.norm(eye - A @ M) < np.linalg.norm(eye - A @ np.linalg.inv(dilu(A, size)))


def test_coarse_levels_have_three_vectors_each(monkeypatch):
    mesh = squeezed(square(11, "quads", jitter=0.1), FLAT)
    offsets, neighbour, x = graph(mesh)
    b, pattern = pattern_of(offsets, neighbour, x)
    layers = layers_of(b, pattern, one(mesh), [(offsets, neighbour)], [x])
    solver = solver_of(b, pattern, 5, blocks_of(pattern, 5))
    made, zeros = Counter(), b.zeros

    def counted(shape, *given, **more):
        made[shape] += 1
        return zeros(shape, *given, **more)

    monkeypatch.setattr(b, "zeros", counted)
    Preconditioner(solver, layers)

    rows = Counter()
    while layers.level is not None:
        rows[len(layers.level.pattern.node), 5] += 1
        layers = layers.below
    assert sum(rows.values()) == LEVELS
    assert {shape: made[shape] for shape in rows} == {shape: 3 * rows[shape] for shape in rows}


@on_devices
def test_a_level_of_one_row_is_one_again(device):
    """Small meshes have as many levels as large ones, the last of them of one row."""
    mesh = square(3, "triangles")
    offsets, neighbour, x = graph(mesh)
    b, pattern = pattern_of(offsets, neighbour, x, device)
    layers = layers_of(b, pattern, one(mesh), [(offsets, neighbour)], [x])

    rows = []
    while layers is not None:
        rows.append(16 if layers.level is None else len(layers.level.pattern.node))
        layers = layers.below

    assert len(rows) == LEVELS + 1
    assert 6 <= rows[0] <= 8
    assert set(rows[4:-1]) == {1}


@on_devices
def test_each_member_has_the_bits_of_its_solo_run(layered, device):
    """Two meshes, one of them twice, of other sizes and colours."""
    mesh = square(6, "triangles")
    small = graph(mesh)
    meshes, order = [layered, small], [0, 1, 0]
    b = Backend(device)
    alone = [pattern_of(*own, device)[1] for own in meshes]
    alike = Alike([meshes[k] for k in order])
    whole = Pattern.of_members(alike, alone)
    sides = [np.random.default_rng(m).normal(size=(len(meshes[k][2]), 4))
             for m, k in enumerate(order)]  # fmt: skip
    systems = [blocks_of(alone[k], 4, seed=m) for m, k in enumerate(order)]

    found = []
    for m, k in enumerate(order):
        solver = solver_of(b, alone[k], 4, systems[m])
        layers = layers_of(b, alone[k], one(mesh), [meshes[k][:2]], [meshes[k][2]])
        made = Preconditioner(solver, layers)
        b.put(solver.b, sides[m][alone[k].node])
        run([*made.factor, *made.solve])
        found.append(b.get(solver.x)[alone[k].row_of])
    member = whole.member
    first = np.cumsum([0, *(len(s) for s in sides)])
    blocks = np.zeros((len(whole.column), 4, 4))
    for m, k in enumerate(order):
        own = alone[k]
        row = np.repeat(np.arange(len(own.node)), np.diff(own.row))
        at = whole.block(first[m] + own.node[row], first[m] + own.node[own.column])
        blocks[at] = systems[m]
    solver = solver_of(b, whole, 4, blocks)
    made = Preconditioner(
        solver, layers_of(b, whole, alike, [own[:2] for own in meshes], [own[2] for own in meshes])
    )
    b.put(solver.b, np.concatenate(sides)[whole.node])

    run([*made.factor, *made.solve])

    assert len(member) == first[-1]
    together = b.get(solver.x)[whole.row_of]
    for m, own in enumerate(found):
        assert together[first[m] : first[m + 1]].tobytes() == own.tobytes()


def test_a_singular_line_names_its_node(layered):
    offsets, neighbour, x = layered
    b, pattern = pattern_of(offsets, neighbour, x)
    blocks = blocks_of(pattern, 4, strong=np.zeros(len(pattern.column), bool))
    solver = solver_of(b, pattern, 4, blocks)
    layers = layers_of(b, pattern, one(layered), [(offsets, neighbour)], [x], levels=1)
    along = Preconditioner(solver, layers).factor[-1]
    starts = layers.tables["line"]
    last = layers.tables["place"][starts[np.argmax(np.diff(starts)) + 1] - 1]  # none is behind it

    along()
    assert b.get(solver.faults)[0] == 2**64 - 1
    blocks[pattern.diagonal[last]] = -2 * np.eye(4)  # a - 2 of a = 0
    b.put(solver.A, stored(blocks))
    along()

    assert int(b.get(solver.faults)[0]) & 0xFFFFFFFF == pattern.node[last]


def test_squeezed_cells_have_lines_and_square_ones_have_none():
    for scale, lines in ((FLAT, True), (np.ones(2), False)):
        offsets, neighbour, x = graph(squeezed(square(20, "quads"), scale))
        _, thin = short_edges(offsets, neighbour, x)
        _, pattern = pattern_of(offsets, neighbour, x)
        assert bool(len(lines_in(pattern, (offsets, neighbour), x)["place"])) == lines
        assert thin.any() == lines
