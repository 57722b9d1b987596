"""The springs' matrix in the order of the mesh, and ILU(0) of it by cuSPARSE."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse.linalg
from kinemesh import mesh
from kinemesh.bench.ledger import Ledger
from kinemesh.deform import TorsionalSprings
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError, NumericalFault, SettingsError
from kinemesh.linear import natural
from kinemesh.linear.natural import NaturalIlu, natural_csr
from kinemesh.space.vertices import MeshVertices
from scipy import sparse

EPS = np.finfo(float).eps


def spring_matrix(backend):
    """Springs of a mesh of about 500 nodes: ledger, mover, and the matrix in natural order."""
    ledger = Ledger()
    with ledger.watch():
        made = mesh.airfoil("naca0012", nodes=500)
        kinds = {"wall": ["airfoil"], "far": ["farfield"]}
        grid = MeshVertices(backend, [made], kinds)
        mover = TorsionalSprings().attach(grid)
    ledger.first("spring_rows")()
    p = mover.pattern
    return ledger, mover, natural_csr(p.row, p.column, backend.get(mover.solver.A), p.node)


def ilu0(matrix):
    """ILU(0) in the order of the rows, by the book (Saad, algorithm 10.4), within a dense array."""
    there = matrix.toarray()
    pattern = sparse.csr_matrix(
        (np.ones(matrix.nnz, bool), matrix.indices, matrix.indptr), matrix.shape
    ).toarray()
    for i in range(len(there)):
        for k in np.flatnonzero(pattern[i, :i]):
            there[i, k] /= there[k, k]
            j = np.flatnonzero(pattern[i] & pattern[k])
            j = j[j > k]
            there[i, j] -= there[i, k] * there[k, j]
    return there


def bicgstab(A, b, solve, tolerance):
    """BiCGSTAB preconditioned from the right (van der Vorst 1992): x and iterations."""
    x, r, shadow, p = np.zeros_like(b), b.copy(), b.copy(), b.copy()
    rho = shadow @ r
    for step in range(1, 10 * len(b)):
        ph = solve(p)
        v = A @ ph
        alpha = rho / (shadow @ v)
        s = r - alpha * v
        sh = solve(s)
        t = A @ sh
        omega = (t @ s) / (t @ t)
        x += alpha * ph + omega * sh
        r = s - omega * t
        if np.linalg.norm(r) <= tolerance * np.linalg.norm(b):
            return x, step
        rho, old = shadow @ r, rho
        p = r + rho / old * alpha / omega * (p - omega * v)
    raise AssertionError("BiCGSTAB did not converge")


# ---------------------------------------------------------------- the order of the rows


@pytest.mark.parametrize("size", [2, 4])
def test_natural_order_is_scipys_permutation(size):
    rng = np.random.default_rng(size)
    rows = 40
    pattern = sparse.random(rows, rows, 0.15, random_state=rng, format="csr")
    pattern = (pattern + sparse.eye(rows)).tocsr()
    pattern.sort_indices()
    blocks = rng.standard_normal((pattern.nnz, size * size))
    node = rng.permutation(rows).astype(np.int32)

    got = natural_csr(pattern.indptr, pattern.indices, blocks, node)

    columns_first = blocks.reshape(-1, size, size).transpose(0, 2, 1)
    block = sparse.bsr_matrix((columns_first, pattern.indices, pattern.indptr))
    dof = (size * node[:, None] + np.arange(size)).ravel()
    want = np.zeros(block.shape)
    want[np.ix_(dof, dof)] = block.toarray()
    assert (got.toarray() == want).all()
    assert got.nnz == size * size * pattern.nnz, "zeros that are stored stay in the pattern"
    assert all(
        (np.diff(got.indices[a:b]) > 0).all()
        for a, b in zip(got.indptr, got.indptr[1:], strict=False)
    )


def test_the_matrix_in_natural_order_is_that_of_the_kernels(host):
    ledger, mover, matrix = spring_matrix(host)
    product = ledger.first("block_product_2")
    fields, node = ledger.fields(product), mover.pattern.node
    x = np.random.default_rng(1).standard_normal((len(node), 2))
    mover.solver.start()

    host.put(fields["x"], x[node])
    product()

    got = np.empty_like(x)
    got[node] = host.get(fields["y"])
    terms = abs(matrix) @ abs(x.ravel())
    assert (abs(got.ravel() - matrix @ x.ravel()) <= 16 * EPS * terms).all()  # sums of 8 or 14


# ---------------------------------------------------------------- without cuSPARSE


def test_a_cpu_is_refused(host):
    with pytest.raises(DeviceError, match="cuSPARSE needs an NVIDIA GPU"):
        NaturalIlu(host, sparse.eye(4))


def test_a_missing_library_is_a_device_error_that_says_so(monkeypatch):
    module = SimpleNamespace(sparse_open=lambda place: f"{place}: no such file")
    monkeypatch.setattr(natural, "NAMES", ("libnone.so.1",))

    with pytest.raises(DeviceError, match=r"not there: libnone.so.1: no such file.*install it"):
        natural.open_library(SimpleNamespace(on_gpu=True, _module=module))


def test_a_library_that_is_none_is_told_by_the_loader():
    try:
        from kinemesh import _cuda
    except ImportError as error:
        pytest.skip(f"no CUDA: {error}")
    other = _cuda.sparse_open("libm.so.6")

    assert other is None or "cusparse" in other.lower()


@pytest.mark.parametrize("matrix", [sparse.eye(3, 4), np.eye(3)])
def test_a_matrix_that_is_none_is_refused(matrix):
    with pytest.raises(SettingsError, match="expected a square SciPy sparse matrix"):
        natural._sorted(matrix)


def stub(monkeypatch, **functions):
    """A NaturalIlu of the unit matrix on a module of stubs."""
    there = {"sparse_create": lambda *arrays: "capsule"} | functions
    monkeypatch.setattr(natural, "open_library", lambda backend: SimpleNamespace(**there))
    return NaturalIlu(Backend("cpu"), sparse.eye(4, format="csr"))


def refuse(*_):
    raise RuntimeError("CUDA: cuSPARSE, setting up: out of memory")


def test_what_cusparse_refuses_is_a_device_error(monkeypatch):
    with pytest.raises(DeviceError, match="natural order: CUDA: cuSPARSE, setting up: out of mem"):
        stub(monkeypatch, sparse_create=refuse)
    with pytest.raises(DeviceError, match="out of memory"):
        stub(monkeypatch, sparse_factor=refuse).factor()


def test_a_breakdown_and_a_zero_pivot_are_numerical_faults(monkeypatch):
    ilu = stub(monkeypatch, sparse_factor=lambda s: 2, sparse_bicgstab=lambda *_: (7, np.nan))

    with pytest.raises(NumericalFault, match="pivot of row 2 is zero"):
        ilu.factor()
    with pytest.raises(NumericalFault, match="broke down within 7 iterations"):
        ilu.bicgstab(None, None, 0.0, 10)


@pytest.mark.parametrize(("tolerance", "most"), [(-1e-9, 5), (1.0, 5), (0.1, 0)])
def test_nonsense_is_refused(monkeypatch, tolerance, most):
    with pytest.raises(SettingsError, match="expected at least 0 and below 1, 1 or more"):
        stub(monkeypatch).bicgstab(None, None, tolerance, most)


# ---------------------------------------------------------------- on a GPU


@pytest.fixture(scope="module")
def gpu():
    try:
        backend = Backend("cuda")
        natural.open_library(backend)
    except DeviceError as error:
        pytest.skip(f"no cuSPARSE: {error}")
    return backend


@pytest.fixture(scope="module")
def solved(gpu):
    """backend, matrix in natural order, its factors by the book, and by cuSPARSE."""
    matrix = spring_matrix(gpu)[2]
    ilu = NaturalIlu(gpu, matrix)
    ilu.factor()
    return gpu, matrix, ilu0(matrix), ilu


def by_the_book(LU, b):
    lower = np.tril(LU, -1) + np.eye(len(LU))
    y = scipy.linalg.solve_triangular(lower, b, lower=True, unit_diagonal=True)
    return scipy.linalg.solve_triangular(np.triu(LU), y)


def test_factors_are_those_of_the_book(solved):
    backend, matrix, LU, ilu = solved

    got = sparse.csr_matrix((backend.get(ilu.LU), matrix.indices, matrix.indptr), matrix.shape)

    # ILU(0) by its property: L U is the matrix on its pattern, up to the rounding of sums of at
    # most 14 products.  Entry by entry the factors inherit the rounding of earlier pivots.
    factors = got.toarray()
    there = sparse.csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    stored = there.toarray() != 0
    lower, upper = np.tril(factors, -1) + np.eye(len(LU)), np.triu(factors)
    wrong = np.where(stored, abs(lower @ upper - matrix.toarray()), 0)
    assert (wrong <= 64 * EPS * (abs(lower) @ abs(upper))).all()


def test_product_and_solves_are_scipys(solved):
    backend, matrix, LU, ilu = solved
    b = np.random.default_rng(2).standard_normal(len(LU))
    there, y = backend.array(b, np.float64), backend.zeros(len(LU), np.float64)

    ilu.product(there, y)
    product = backend.get(y)
    ilu.apply(there, y)
    solution = backend.get(y)

    assert (abs(product - matrix @ b) <= 16 * EPS * (abs(matrix) @ abs(b))).all()
    lower = np.tril(LU, -1) + np.eye(len(LU))
    terms = abs(lower) @ (abs(np.triu(LU)) @ abs(solution)) + abs(b)  # Higham, theorem 8.5, twice
    assert (abs(lower @ (np.triu(LU) @ solution) - b) <= 64 * EPS * terms).all()


def test_bicgstab_takes_the_iterations_of_the_book(solved):
    backend, matrix, LU, ilu = solved
    b = np.random.default_rng(3).standard_normal(len(LU))
    want, iterations = bicgstab(matrix, b, lambda r: by_the_book(LU, r), 1e-8)
    there, x = backend.array(b, np.float64), backend.zeros(len(LU), np.float64)

    steps, drop = ilu.bicgstab(there, x, 1e-8, 500)

    # Round-off grows along the iterations: a tenth of them is what it may shift.
    assert abs(steps - iterations) <= max(1, iterations // 10)
    assert drop <= 1e-8
    residual = np.linalg.norm(matrix @ backend.get(x) - b) / np.linalg.norm(b)
    assert residual <= 1e-7  # the recurrence and the true residual part company by round-off
    exact = scipy.sparse.linalg.spsolve(matrix.tocsc(), b)
    assert np.linalg.norm(matrix @ (backend.get(x) - exact)) <= 2e-7 * np.linalg.norm(b)
    assert np.linalg.norm(matrix @ (want - exact)) <= 2e-7 * np.linalg.norm(b)


def test_new_values_give_new_factors(solved):
    backend, matrix, LU, _ = solved
    ilu = NaturalIlu(backend, matrix)
    ilu.factor()
    b = np.random.default_rng(4).standard_normal(len(LU))
    there, y = backend.array(b, np.float64), backend.zeros(len(LU), np.float64)
    ilu.apply(there, y)
    first = backend.get(y)

    backend.put(ilu.A, 4 * matrix.data)
    ilu.factor()
    ilu.apply(there, y)

    assert (backend.get(y) == first / 4).all()  # powers of two: to the bit


def test_ten_iterations_run_without_a_tolerance(solved):
    backend, _, LU, ilu = solved
    b = backend.array(np.ones(len(LU)), np.float64)

    steps, drop = ilu.bicgstab(b, backend.zeros(len(LU), np.float64), 0.0, 10)

    assert steps == 10
    assert 0 < drop < np.inf


def test_a_zero_pivot_is_a_fault_that_names_its_row(gpu):
    matrix = sparse.csr_matrix(np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [0.0, 1.0, 1.0]]))

    with pytest.raises(NumericalFault, match="pivot of row 1"):
        NaturalIlu(gpu, matrix).factor()


def test_vectors_of_another_length_are_refused(solved):
    backend, _, LU, ilu = solved
    short = backend.zeros(len(LU) - 1, np.float64)

    with pytest.raises(ValueError, match=f"expected {len(LU)}"):
        ilu.apply(short, backend.zeros(len(LU), np.float64))
