"""BiCGSTAB with DILU and conjugate gradients with multigrid against dense algebra."""

import itertools

import numpy as np
import pytest
from kinemesh.deform.spokes import graph_of
from kinemesh.linear import Bicgstab, Cg, Pattern
from kinemesh.linear.stack import Alike
from scipy.spatial import Delaunay
from world import NONE

SIZES = (40, 25)  # nodes of the members
FIRST = np.concatenate([[0], np.cumsum(SIZES)])
WIDTHS = [(2, 2), (4, 4), (1, 2)]  # sizes of blocks, and of vectors


def cloud(seed, nodes):
    """Points of a member and the triangles between them: elimination fills in a lot."""
    points = np.random.default_rng(seed).uniform(-1, 1, (nodes, 2))
    return points, Delaunay(points).simplices


def clouds(backend, members=(0, 1), natural=False):
    """Points of the members side by side, and the pattern of their graph."""
    parts = [cloud(m, SIZES[m]) for m in members]
    graphs = [graph_of(triangles, len(points)) for points, triangles in parts]
    alone = [Pattern.of_graph(backend, *graph, natural=natural) for graph in graphs]
    pattern = Pattern.of_members(Alike(parts), alone)
    return np.concatenate([points for points, _ in parts]), pattern


def dense_of(pattern, blocks):
    """(rows b, rows b) matrix of blocks (blocks, b, b)."""
    rows, b = len(pattern.node), blocks.shape[1]
    dense = np.zeros((rows, b, rows, b))
    dense[np.repeat(np.arange(rows), np.diff(pattern.row)), :, pattern.column, :] = blocks
    return dense.reshape(rows * b, rows * b)


def random_blocks(pattern, b):
    """Blocks with a dominant diagonal that depend on their nodes alone, exact in float32."""
    i = pattern.node[np.repeat(np.arange(len(pattern.node)), np.diff(pattern.row))]
    j = pattern.node[pattern.column]
    k = np.arange(b * b).reshape(1, b, b)
    blocks = np.sin(1 + 12.9898 * i[:, None, None] + 78.233 * j[:, None, None] + 37.719 * k)
    blocks[pattern.diagonal] += 5 * b * np.eye(b)
    return np.float32(blocks).astype(float)


def stored(blocks):
    """Blocks as kernels hold them: columns are contiguous."""
    return blocks.transpose(0, 2, 1).reshape(len(blocks), -1)


def side(pattern, b):
    values = np.cos(3.7 * pattern.node[:, None] + np.arange(b))
    return np.float32(values).astype(float)


def bicgstab(backend, b, tolerance, active=(1, 1), pattern=None, width=None):
    """A solver with matrix and side in their places, its pattern and the blocks."""
    pattern = pattern or clouds(backend)[1]
    faults = backend.array(np.full(len(active), NONE), "uint64")
    solver = Bicgstab(
        backend, pattern, b, backend.array(np.array(active), "int32"), faults,
        tolerance=tolerance, width=width,
    )  # fmt: skip
    blocks = random_blocks(pattern, b)
    backend.put(solver.A, stored(blocks))
    backend.put(solver.b, side(pattern, width or b))
    return solver, pattern, blocks


def split(pattern, blocks):
    """DILU by its definition: scaled matrices l, a, u and D, all dense."""
    b, rows = blocks.shape[1], len(pattern.node)
    dense = dense_of(pattern, blocks)
    at = [slice(b * i, b * i + b) for i in range(rows)]
    D = np.zeros_like(dense)
    for i in range(rows):
        D[at[i], at[i]] = dense[at[i], at[i]]
        for k in range(i):
            D[at[i], at[i]] -= (
                dense[at[i], at[k]] @ np.linalg.inv(D[at[k], at[k]]) @ dense[at[k], at[i]]
            )
    block = np.kron(np.eye(rows), np.ones((b, b))) > 0
    scaled = np.linalg.inv(D) @ dense
    lower, upper = (tri(np.where(block, 0, scaled)) for tri in (np.tril, np.triu))
    return lower, np.where(block, scaled, 0), upper, D


def under(matrix, b, width):
    """A dense matrix of blocks of b for vectors of `width`, all of whose components it takes."""
    return np.kron(matrix, np.eye(width // b))


@pytest.mark.parametrize(("b", "width"), WIDTHS)
def test_an_iteration_applies_the_matrix_between_both_factors(backend, b, width):
    """(1 + l)^-1 (l + a + u) (1 + u)^-1 v, where elimination fills in: it is no unit matrix."""
    solver, pattern, blocks = bicgstab(backend, b, 0.1, width=width)
    lower, middle, upper = (under(m, b, width) for m in split(pattern, blocks)[:3])
    v = side(pattern, width)
    solver.start()
    solver.factor()
    backend.put(solver.p, v)

    backend.record(solver._preconditioned(solver.p, solver.v))()

    one = np.eye(len(lower))
    expected = np.linalg.solve(one + upper, v.ravel())
    expected = np.linalg.solve(one + lower, (lower + middle + upper) @ expected)
    allowed = 64 * backend.eps * np.linalg.cond(one + upper) * np.linalg.cond(one + lower)
    assert np.abs(backend.get(solver.v).ravel() - expected).max() < allowed
    assert np.abs(expected - v.ravel()).max() > 1e-3


@pytest.mark.parametrize(("b", "width"), WIDTHS)
def test_bicgstab_finds_the_dense_solution(backend, b, width):
    tolerance = 8 * backend.eps
    solver, pattern, blocks = bicgstab(backend, b, tolerance, width=width)
    dense = under(dense_of(pattern, blocks), b, width)

    solver.factor()
    solver.solve_recorded(100)()

    expected = np.linalg.solve(dense, side(pattern, width).ravel())
    assert backend.get(solver.status).tolist() == [1, 1]
    assert (backend.get(solver.steps) > 1).all()
    allowed = 16 * tolerance * np.linalg.cond(dense) * np.abs(expected).max()
    assert np.abs(backend.get(solver.x).ravel() - expected).max() < allowed


@pytest.mark.parametrize("b", [2, 4])
def test_a_member_without_a_side_is_done_at_once(backend, b):
    solver, pattern, _ = bicgstab(backend, b, 1e-4)
    mine = pattern.member == 1
    backend.put(solver.b, side(pattern, b) * ~mine[:, None])
    backend.put(solver.x, 9.0)

    solver.factor()
    solver.solve_recorded(100)()

    x = backend.get(solver.x)
    assert backend.get(solver.status).tolist() == [1, 1]
    assert backend.get(solver.steps)[1] == 0
    assert (x[mine] == 0).all()
    assert (x[~mine] != 0).all()


@pytest.mark.parametrize("b", [2, 4])
def test_an_inactive_member_is_left_alone_and_the_other_has_its_solo_bits(backend, b):
    solver, pattern, blocks = bicgstab(backend, b, 1e-4, active=(1, 0))
    solo, alone, _ = bicgstab(backend, b, 1e-4, (1,), clouds(backend, (0,))[1])
    backend.put(solver.x, 9.0)

    for s in (solver, solo):
        s.factor()
        s.solve_recorded(100)()

    x = backend.get(solver.x)
    other = pattern.member == 1
    there = np.repeat(other, np.diff(pattern.row))
    assert (x[other] == 9).all()
    assert (backend.get(solver.A)[there] == stored(blocks)[there]).all()
    assert (x[pattern.row_of[: SIZES[0]]] == backend.get(solo.x)[alone.row_of]).all()


@pytest.mark.parametrize("b", [2, 4])
def test_a_member_that_breaks_down_says_so_and_leaves_the_other_its_bits(backend, b):
    sound, pattern, _ = bicgstab(backend, b, 1e-4)
    poor, _, _ = bicgstab(backend, b, 1e-4)
    broken = side(pattern, b)
    broken[pattern.row_of[FIRST[1]]] = np.nan
    backend.put(poor.b, broken)

    for s in (sound, poor):
        s.factor()
        s.solve_recorded(100)()

    mine = pattern.member == 0
    assert backend.get(poor.status).tolist() == [1, 2]
    assert backend.get(poor.steps)[1] == 0
    assert (backend.get(poor.x)[mine] == backend.get(sound.x)[mine]).all()


def stiff(points, triangles):
    """Springs of the edges along and, a tenth, across them: symmetric, positive (2 n, 2 n)."""
    edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)), axis=0)
    matrix = np.zeros((len(points), 2, len(points), 2))
    for i, j in edges:
        e = points[j] - points[i]
        k = np.outer(e, e) / (e @ e) + 0.1 * np.eye(2)
        for a, c, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            matrix[a, :, c] += sign * k
    return matrix


def test_conjugate_gradients_find_the_dense_solution(double):
    """Two members with a few fixed nodes each; every other row of the matrix is stiff's."""
    points, pattern = clouds(double, natural=True)
    fixed = np.arange(len(points)) % 10 == 0
    matrix = np.zeros((len(points), 2, len(points), 2))
    for m, (a, z) in enumerate(itertools.pairwise(FIRST)):
        matrix[a:z, :, a:z] = stiff(*cloud(m, SIZES[m]))
    matrix[fixed], matrix[:, :, fixed] = 0, 0
    matrix[fixed, :, fixed] = np.eye(2)
    active = double.array(np.ones(2), "int32")
    solver = Cg(double, pattern, 2, active, fixed, None, 1e-12)
    node = pattern.node
    i, j = node[np.repeat(np.arange(len(node)), np.diff(pattern.row))], node[pattern.column]
    D = matrix[node, :, node]
    A = np.linalg.inv(matrix[i, :, i]) @ matrix[i, :, j]
    right = np.where(fixed[node][:, None], 0, side(pattern, 2))
    for array, value in ((solver.A, stored(A)), (solver.D, stored(D)),
                         (solver.b, right), (solver.base, right)):  # fmt: skip
        double.put(array, value)

    for member in (0, 1):
        solver.levels[member] = solver.hierarchy(member, points)
    solver.record()
    solver.begin()
    solver.recorded_block(60)()

    K = matrix[node][:, :, node].reshape(2 * len(node), -1)
    expected = np.linalg.solve(K, np.einsum("nij,nj->ni", D, right).ravel())
    assert double.get(solver.status).tolist() == [1, 1]
    assert (double.get(solver.steps) > 1).all()
    allowed = 1e-12 * np.linalg.cond(K) * np.linalg.norm(right)
    assert np.abs(double.get(solver.x).ravel() - expected).max() < allowed
