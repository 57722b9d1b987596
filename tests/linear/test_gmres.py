"""Flexible GMRES: least residuals, a preconditioner that changes, members, what breaks down."""

import numpy as np
import pytest
import scipy.linalg
from kinemesh.device.backend import Backend
from kinemesh.linear import Gmres
from kinemesh.linear.pattern import chunks, totals
from scipy.sparse.linalg import LinearOperator, gmres
from solver_cases import on_devices

SIZE = 4
ROUND = 3e-6  # of vectors in float32


def matrix(rows, seed):
    """A block system (SIZE numbers a row) whose neighbours are coupled; its side."""
    rng = np.random.default_rng(seed)
    n = SIZE * rows
    near = np.abs(np.arange(n)[:, None] - np.arange(n)) <= 2 * SIZE
    return 5 * np.eye(n) + near * rng.normal(size=(n, n)), rng.normal(size=n)


class Solved:
    """A x = b of several members, solved on a device with its products on the host."""

    def __init__(self, systems, device="cpu", vectors=20, tolerance=1e-4, M=lambda k, m, v: v,
                 flexible=True):  # fmt: skip
        b = Backend(device)
        rows = [len(side) // SIZE for _, side in systems]
        first = np.cumsum([0, *rows])
        member = b.array(np.repeat(np.arange(len(rows)), rows), np.int32)
        wanted, live = b.array(np.ones(len(rows)), np.int32), b.zeros(len(rows), np.int32)
        own = totals(b, *chunks(first.astype(np.int32), 8))
        solver = Gmres(b, own, member, SIZE, wanted=wanted, live=live, vectors=vectors,
                       tolerance=tolerance, flexible=flexible)  # fmt: skip
        b.put(solver.w, np.concatenate([side for _, side in systems]).reshape(-1, SIZE))
        for call in solver.begin:
            call()
        k = 0
        while b.get(live).any():
            v = np.split(b.get(solver.w).astype(float).ravel(), SIZE * first[1:-1])
            z = [M(k, m, own) for m, own in enumerate(v)]
            w = [A @ own for (A, _), own in zip(systems, z, strict=True)]
            b.put(solver.z, np.concatenate(z).reshape(-1, SIZE))
            b.put(solver.w, np.concatenate(w).reshape(-1, SIZE))
            for call in solver.iterate:
                call()
            k += 1
        b.put(live, 1)
        for call in solver.sum:
            call()
        self.V = b.get(solver.V)
        x = b.get(solver.z if flexible else solver.w).ravel()
        self.x = np.split(x, SIZE * first[1:-1])
        self.left, self.steps, self.status = (
            b.get(a) for a in (solver.left, solver.steps, solver.status)
        )

    def residual(self, A, side):
        """|b - A x| / |b| of the first member."""
        return np.linalg.norm(side - A @ self.x[0]) / np.linalg.norm(side)


@on_devices
@pytest.mark.parametrize("vectors", [1, 2, 5, 9])
def test_residual_after_so_many_vectors_is_that_of_scipy(vectors, device):
    """With every number of vectors about that of a batch of products, four."""
    A, side = matrix(30, 1)
    M = np.diag(1 / np.diag(A))

    found = Solved([(A, side)], device, vectors, 1e-12, lambda k, m, v: M @ v)

    right = LinearOperator(A.shape, lambda y: A @ (M @ y))
    y, _ = gmres(right, side, rtol=0, atol=0, restart=vectors, maxiter=1)
    least = np.linalg.norm(side - A @ (M @ y)) / np.linalg.norm(side)
    assert found.steps == [vectors]
    np.testing.assert_allclose(found.left, least, rtol=1e-4)
    np.testing.assert_allclose(found.residual(A, side), least, rtol=1e-4)
    np.testing.assert_allclose(found.x[0], M @ y, atol=100 * ROUND)


def test_solution_is_that_of_scipy_and_it_stops_at_the_tolerance():
    A, side = matrix(30, 2)

    found = Solved([(A, side)], vectors=40, tolerance=1e-4)

    assert found.status == [1]
    assert found.steps[0] < 40
    assert 1e-5 < found.left[0] <= 1e-4
    np.testing.assert_allclose(found.residual(A, side), found.left, rtol=0.02)
    right = scipy.linalg.solve(A, side)
    np.testing.assert_allclose(found.x[0], right, atol=1e-3 * abs(right).max())


def test_a_preconditioner_that_is_another_each_time_leaves_the_residual_it_says():
    """By an iteration that has not converged x = M sum(y_k V_k) would be off by its changes."""
    A, side = matrix(30, 3)

    def changing(k, m, v):
        shares = 1 + 0.9 * np.sin(np.arange(len(v)) * (1 + k))
        return shares * v

    found = Solved([(A, side)], vectors=30, tolerance=1e-3, M=changing)

    np.testing.assert_allclose(found.residual(A, side), found.left, rtol=0.01)


@on_devices
def test_without_kept_results_the_sum_is_that_of_the_basis(device):
    """M x of one and the same M, x = sum(y_k V_k), which is the solution of flexible GMRES."""
    A, side = matrix(30, 3)
    M = np.diag(1 / np.diag(A))

    def solved(flexible):
        return Solved([(A, side)], device, 30, 1e-3, lambda k, m, v: M @ v, flexible)

    found, kept = solved(False), solved(True)

    assert found.steps == kept.steps
    np.testing.assert_allclose(M @ found.x[0], kept.x[0], atol=100 * ROUND * abs(kept.x[0]).max())
    left = np.linalg.norm(side - A @ M @ found.x[0]) / np.linalg.norm(side)
    np.testing.assert_allclose(left, found.left[0], rtol=0.01)


def test_vectors_stay_orthogonal_where_products_hardly_differ():
    """After one pass of Gram and Schmidt they would keep a part of the first vector."""
    n = SIZE * 30
    A = np.eye(n) + 1e-4 * matrix(30, 9)[0]

    found = Solved([(A, matrix(30, 9)[1])], vectors=4, tolerance=1e-14)

    V = found.V.reshape(len(found.V), -1)[:4].astype(float)
    assert found.steps == [4]
    np.testing.assert_allclose(V @ V.T, np.eye(4), atol=ROUND)


@on_devices
def test_each_member_is_its_solo_solution_bit_for_bit(device):
    systems = [matrix(rows, seed) for rows, seed in ((21, 4), (40, 5), (9, 6))]

    together = Solved(systems, device, vectors=30, tolerance=0.05)

    assert len(set(together.steps.tolist())) > 1
    for m, own in enumerate(systems):
        alone = Solved([own], device, vectors=30, tolerance=0.05)
        assert alone.x[0].tobytes() == together.x[m].tobytes()
        assert alone.left[0] == together.left[m]
        assert alone.steps[0] == together.steps[m]


def test_members_that_have_nothing_to_solve_or_break_down_leave_the_others_alone():
    whole = matrix(12, 7)
    nothing = whole[0], np.zeros_like(whole[1])
    singular = np.zeros_like(whole[0]), whole[1]
    spoiled = np.full_like(whole[0], np.nan), whole[1]

    found = Solved([nothing, singular, whole, spoiled], vectors=48)

    assert found.status.tolist() == [1, 2, 1, 2]
    assert found.steps.tolist()[:2] == [0, 0]
    assert found.steps[3] == 0
    assert not found.x[0].any()
    assert not found.x[1].any()
    assert not found.x[3].any()
    assert found.left.tolist()[1] == found.left.tolist()[3] == 1
    assert found.x[2].tobytes() == Solved([whole], vectors=48).x[0].tobytes()


def test_an_exact_solution_ends_before_the_vectors_do():
    side = np.random.default_rng(8).normal(size=40)

    found = Solved([(2 * np.eye(40), side)], vectors=20, tolerance=1e-4)

    assert found.status == [1]
    assert found.steps == [1]
    np.testing.assert_allclose(found.x[0], side / 2, rtol=1e-6)
