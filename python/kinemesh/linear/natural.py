"""ILU(0) in the order of the mesh by cuSPARSE, and BiCGSTAB around it: a yardstick.

So Ma et al. (OpenACC deforming mesh), section 6.1, solve the springs (docs/theory.md, section 5.3).
`TorsionalSprings(solver="ilu0")` takes it, and `kinemesh bench` measures it beside ours.  Float64,
one member, NVIDIA GPUs only.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kinemesh.device.backend import Backend
from kinemesh.dimension import DIMENSIONS
from kinemesh.errors import DeviceError, NumericalFault, SettingsError
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.pattern import Pattern

NAMES = ("libcusparse.so.13", "libcusparse.so.12")


def natural_csr(row: NDArray, column: NDArray, blocks: NDArray, node: NDArray) -> sparse.csr_matrix:
    """Scalar CSR matrix in the order of the nodes, from a block matrix in another order.

    Parameters
    ----------
    row : (rows+1,), column : (blocks,)    block CSR, in rows
    blocks : (blocks, size * size)         entry (r, c) of a block at size * c + r
    node : (rows,)                         node of a row
    """
    rows, size = len(node), int(np.sqrt(blocks.shape[1]))
    i = np.repeat(node.astype(np.int64), np.diff(row))
    j = node[column]
    order = np.argsort(i * rows + j)
    data = blocks[order].reshape(-1, size, size).transpose(0, 2, 1)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=rows))])
    there = sparse.bsr_matrix((data, j[order], offsets), shape=(size * rows, size * rows))
    return there.tocsr()


def scalar_pattern(row: NDArray, column: NDArray, size: int) -> tuple[NDArray, NDArray]:
    """Scalar CSR (offsets, column) of a matrix with blocks of `size`, as of `spring_csr`.

    Parameters
    ----------
    row : (rows+1,), column : (blocks,)    block CSR
    """
    counts = np.repeat(size * np.diff(row), size)  # a row of blocks is so many rows of numbers
    offsets = np.concatenate([[0], np.cumsum(counts)])
    block = np.repeat(np.repeat(row[:-1], size) - offsets[:-1] // size, counts)
    place = np.arange(offsets[-1])
    return offsets, size * column[block + place // size] + place % size


def _places() -> list[str]:
    """Names for the loader, then files of the toolkit and of NVIDIA's Python packages."""
    packages = Path(sysconfig.get_paths()["platlib"]) / "nvidia"
    folders = [Path("/usr/local/cuda/lib64"), packages / "cu13/lib", packages / "cusparse/lib"]
    return [*NAMES, *(str(f / name) for f in folders for name in NAMES if (f / name).exists())]


def open_library(backend: Backend) -> Any:
    """CUDA module with cuSPARSE loaded, or DeviceError with the reason."""
    if not backend.on_gpu:
        raise DeviceError("cuSPARSE needs an NVIDIA GPU, expected device cuda or cuda:N, got cpu")
    module, why = backend._module, ""
    for place in _places():
        why = module.sparse_open(place)
        if why is None:
            return module
    raise DeviceError(
        f"cuSPARSE is not there: {why}; looked for {', '.join(NAMES)}, also in "
        "/usr/local/cuda/lib64; install it with the CUDA toolkit"
    )


@contextmanager
def _device_errors() -> Iterator[None]:
    """Turn errors of CUDA or cuSPARSE into DeviceError."""
    try:
        yield
    except RuntimeError as error:
        raise DeviceError(f"ILU(0) in natural order: {error}") from None


class NaturalIlu:
    """ILU(0) of a matrix in the order of its rows, on a GPU.

    Parameters
    ----------
    backend : Backend    on a GPU
    matrix : square SciPy sparse matrix; or (row, column, A), int32, int32 and float64 arrays of
        the device with ascending columns in each row: A may change between two calls of `factor`

    Raises
    ------
    DeviceError      no GPU, no cuSPARSE there, or not enough memory for it
    SettingsError    the matrix is not square
    """

    def __init__(self, backend: Backend, matrix: Any) -> None:
        self.module = open_library(backend)
        if isinstance(matrix, tuple):
            self.row, self.column, self.A = matrix
        else:
            csr = _sorted(matrix)
            self.row, self.column = (backend.array(t, np.int32) for t in (csr.indptr, csr.indices))
            self.A = backend.array(csr.data, np.float64)
        self.LU = backend.zeros(self.A.shape, np.float64)
        self.rows, self.entries = self.row.shape[0] - 1, self.column.shape[0]
        with _device_errors():
            self._there = self.module.sparse_create(self.row, self.column, self.A, self.LU)

    def factor(self) -> None:
        """L U ~ A of the present A; NumericalFault where a pivot is zero."""
        with _device_errors():
            zero = self.module.sparse_factor(self._there)
        if zero >= 0:
            raise NumericalFault(f"ILU(0) in natural order: the pivot of row {zero} is zero")

    def apply(self, b: Any, y: Any) -> None:
        """y = U^-1 L^-1 b; device arrays of `rows` float64."""
        self.module.sparse_apply(self._there, b, y)

    def product(self, x: Any, y: Any) -> None:
        """y = A x."""
        self.module.sparse_product(self._there, x, y)

    def bicgstab(self, b: Any, x: Any, tolerance: float, most: int) -> tuple[int, float]:
        """Solve A x = b from x = 0; iterations and |r| / |b|.

        With tolerance 0 `most` iterations run, and the host looks at the device at the end alone.
        """
        if not 0 <= tolerance < 1 or most < 1:
            raise SettingsError(
                f"bicgstab: tolerance {tolerance!r}, most {most!r}; expected at least 0 and "
                "below 1, 1 or more"
            )
        with _device_errors():
            steps, drop = self.module.sparse_bicgstab(self._there, b, x, tolerance, most)
        if not isfinite(drop):
            raise NumericalFault(
                f"BiCGSTAB with ILU(0) in natural order broke down within {steps} iterations"
            )
        return steps, drop

    def bytes(self) -> dict[str, int]:
        """Compulsory bytes of each operation: every input and every output once."""
        table, vector = 4 * (self.rows + 1 + self.entries), 8 * self.rows
        product = table + 8 * self.entries + 2 * vector
        apply = table + 8 * self.entries + 4 * vector  # between the two solves: out and in
        # p' = f(r, v, p); r' = f(v, r); x', r' = f(ph, sh, t, x, r); dots of 2, 2 and 2 vectors
        vectors = (4 + 3 + 7 + 6) * vector
        return {
            "factor": table + 16 * self.entries,
            "apply": apply,
            "product": product,
            "iteration": 2 * (apply + product) + vectors,
        }


def _sorted(matrix: Any) -> sparse.csr_matrix:
    """CSR with ascending columns, zeros that are stored kept."""
    if not sparse.issparse(matrix) or matrix.shape[0] != matrix.shape[1]:
        raise SettingsError(f"matrix: {matrix!r}, expected a square SciPy sparse matrix")
    csr = matrix.tocsr().astype(np.float64)
    if not csr.has_sorted_indices:
        csr = csr.sorted_indices()
    return csr


class Ilu0(Krylov):
    """Solver of A x = b from x = 0 by cuSPARSE, one member; see `Krylov`.

    The host looks at every iteration, as cuSPARSE's calls are no part of a recording.

    Parameters
    ----------
    pattern : Pattern    natural, blocks of `size`, as many as there are coordinates
    tolerance : float    stop at |r| <= tolerance |base|

    Raises
    ------
    DeviceError    see `NaturalIlu`
    """

    def __init__(
        self, backend: Backend, pattern: Pattern, size: int, active: Any, tolerance: float
    ) -> None:
        super().__init__(backend, pattern, size, active, "f64")
        rows, blocks = len(pattern.node), len(pattern.column)
        self.A, values = (backend.zeros((blocks, size**2), np.float64) for _ in range(2))
        self.b, self.base, self.x, nothing = (
            backend.zeros((rows, size), np.float64) for _ in range(4)
        )
        tables = scalar_pattern(pattern.row, pattern.column, size)
        self.ilu = NaturalIlu(backend, (*(backend.array(t, np.int32) for t in tables), values))
        self.factor = self._bind(
            DIMENSIONS[size].kernel("spring_csr"), row=self.tables["row"], A=self.A, to=values
        )
        self.begin = backend.record(
            [
                self.start,
                self._bind(f"copy_f64_{size}", **{"from": nothing, "to": self.x}),
                self.squares_of(self.base, self.base_squares),
                self._first(self.b, self.tolerances(tolerance), self.base_squares),
            ]
        )
        self.finish = backend.record([])

    def recorded_block(self, count: int) -> Callable[[], None]:
        """Callable: a whole solve of at most `count` iterations."""

        def solve() -> None:
            get, put = self.backend.get, self.backend.put
            residual2, target2 = get(self.squares)[0], get(self.target)[0]
            try:
                if not isfinite(residual2):
                    raise NumericalFault("the residual of the guess is not a number")
                share = min(sqrt(target2 / residual2), np.nextafter(1, 0))  # alive: below 1
                self.ilu.factor()
                steps, drop = self.ilu.bicgstab(self.b, self.x, share, count)
            except NumericalFault as fault:
                raise NumericalFault(
                    f"member 0: springs: {fault}; try TorsionalSprings(solver='multigrid'), or "
                    "shorter time steps (more steps per cycle)"
                ) from None
            put(self.steps, steps)
            put(self.live, drop > share)

        return solve
