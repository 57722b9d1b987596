"""Rows that other rows give, of any matrix, and what `linear` knows of where they come from."""

import re
from pathlib import Path

import kinemesh.linear
import numpy as np
import pytest
import scipy.sparse as sp
from kinemesh.flow.projection.laplacian import graph_of
from kinemesh.linear import Pattern
from kinemesh.linear.constraints import Constraints
from kinemesh.linear.outer import ScalarSolver
from kinemesh.linear.stack import Alike

ROWS, OWN, TIED, EMPTY = 40, 1, -1, 0


def chain():
    """A chain of springs, its ends held: no mesh, and no parts."""
    whole = sp.diags([-np.ones(ROWS - 1), np.full(ROWS, 2.0), -np.ones(ROWS - 1)], [-1, 0, 1])
    fixed = np.zeros(ROWS, bool)
    fixed[[0, -1]] = True
    return whole.tocsr(), fixed


def test_tied_rows_are_what_their_givers_give_and_empty_ones_zero(double):
    K, fixed = chain()
    kind, giver, weight = np.full(ROWS, OWN), np.zeros((ROWS, 4), int), np.zeros((ROWS, 4))
    kind[[12, 30]], giver[12], weight[12] = (TIED, EMPTY), (4, 5, 20, 21), (0.1, 0.2, 0.3, 0.3)
    constraints = Constraints(
        double.array(kind, np.int32),
        double.array(giver, np.int32),
        double.array(weight, np.float64),
        never=[np.zeros(ROWS, bool)],
    )
    pattern = Pattern.of_graph(double, *graph_of(K), natural=True)
    alike, active = Alike([K]), double.array(np.ones(1), np.int32)
    solver = ScalarSolver(
        double, alike, Pattern.of_members(alike, [pattern]), [K], [fixed], active,
        tolerance=1e-12, constraints=constraints,
    )  # fmt: skip
    b = np.where(fixed, 0.0, np.random.default_rng(3).normal(size=ROWS)) / K.diagonal()

    solver.refresh()
    double.put(solver.b, b[:, None])
    solver.solve_recorded(100)()

    A = (K / K.diagonal()[:, None]).toarray()
    A[:, fixed] = 0.0
    rest = np.eye(ROWS)
    A[fixed], A[30] = rest[fixed], rest[30]
    A[12] = rest[12]
    A[12, giver[12]] -= weight[12]
    x = np.linalg.solve(A, np.where(kind == OWN, b, 0.0))
    assert double.get(solver.status)[0] == 1
    np.testing.assert_allclose(double.get(solver.x)[:, 0], x, atol=1e-9 * abs(x).max())


@pytest.mark.parametrize(
    "path", sorted(Path(kinemesh.linear.__file__).parent.glob("*.py")), ids=lambda path: path.stem
)
def test_solvers_do_not_know_who_ties_rows(path):
    """Kernels have their names, and the status of a Krylov method is that of its iterations."""
    text = re.sub(r'"status": self\.(kind|status)\b|"donor": self.giver', "", path.read_text())
    own = path.stem in ("krylov", "gmres")
    others = "receptor|donor|overset" + ("" if own else "|status")
    assert not re.findall(f"(?i){others}", text)
